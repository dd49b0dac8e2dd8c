//! The section about experiments, with their figures.

use maud::{Markup, html};

use super::Page;
use super::cell::breakable;
use super::claims::word;
use super::drawing::drawing;
use super::section::{Anchors, Section};
use crate::claims::Claim;
use crate::numbers::counted;
use crate::summary::{Summary, experiments};

/// Makes the section; `None` if there are no trials.
pub(super) fn section(page: &Page<'_>, anchors: &mut Anchors) -> Option<Section> {
    let experiments = experiments(&page.results.trials);
    if experiments.is_empty() {
        return None;
    }
    let mut section = Section::new(
        anchors,
        "experiments",
        "Experiments",
        html! {
            p {
                "Curves are medians with quartiles. A run that timed out counts as the limit, and so does one that ended after it. Published numbers are "
                "drawn where the papers' texts have them."
            }
        },
    );
    for one in &experiments {
        let id = format!("experiment-{}", one.experiment);
        let figures = page.figures.iter().filter(|figure| figure.experiment == one.experiment);
        let figures: Vec<_> = figures.collect();
        let note = figures.first().map_or_else(String::new, |figure| figure.title.clone());
        let body = html! {
            (overview(one))
            (verdicts(page.claims, &one.experiment))
            @for figure in figures { (drawing(figure, anchors)) }
        };
        let part = Section { note, ..Section::new(anchors, &id, &one.experiment, body) };
        section.parts.push(part);
    }
    Some(section)
}

fn overview(one: &Summary) -> Markup {
    html! {
        p {
            (counted(one.histories, "history", "histories")) ", " (counted(one.rows, "row", "rows"))
            @if one.timed_out > 0 { ", timed out: " (one.timed_out) }
            @if one.undecided > 0 { ", undecided: " (one.undecided) }
            "."
            @if !one.command.is_empty() {
                " Reproduce the first row with: " code { (breakable(&one.command)) } "."
            }
        }
    }
}

/// Lists the verdicts of the claims that the experiment tests.
fn verdicts(claims: &[Claim], experiment: &str) -> Markup {
    let is_tested = |claim: &&Claim| claim.experiment == experiment && claim.has_numbers();
    let tested: Vec<&Claim> = claims.iter().filter(is_tested).collect();
    html! {
        @if !tested.is_empty() {
            ul.verdicts {
                @for claim in tested {
                    li { (word(claim.verdict)) ": " (claim.statement) ". Published: " (claim.theirs) "; ours: " (claim.ours) "." }
                }
            }
        }
    }
}
