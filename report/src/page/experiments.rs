//! Experiments with their figures.

use maud::{Markup, html};

use super::Page;
use super::cell::{breakable, counted};
use super::claims::word;
use super::drawing::drawing;
use super::section::{Anchors, Section};
use crate::claims::Claim;
use crate::summary::{Summary, experiments};

/// The section, if there are trials.
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
                "Medians are drawn with quartiles. A run that a limit stopped counts as long as its limit, and so does one that ended after it. What the papers state is "
                "drawn beside it where their text gives it."
            }
        },
    );
    for one in &experiments {
        let id = format!("experiment-{}", one.experiment);
        let figures = page
            .figures
            .iter()
            .filter(|figure| figure.experiment == one.experiment);
        let body = html! {
            (overview(one))
            (verdicts(page.claims, &one.experiment))
            @for figure in figures { (drawing(figure, anchors)) }
        };
        section
            .parts
            .push(Section::new(anchors, &id, &one.experiment, body));
    }
    Some(section)
}

fn overview(one: &Summary) -> Markup {
    html! {
        p {
            (counted(one.histories, "history", "histories")) ", " (counted(one.rows, "row", "rows"))
            @if one.cut_off > 0 { ", of which a limit stopped " (one.cut_off) }
            @if one.undecided > 0 { ", undecided: " (one.undecided) }
            "."
            @if !one.command.is_empty() {
                " The first row is made again by " code { (breakable(&one.command)) } "."
            }
        }
    }
}

/// What the experiment says to the papers, in a line for each claim that it tests.
fn verdicts(claims: &[Claim], experiment: &str) -> Markup {
    let is_tested = |claim: &&Claim| claim.experiment == experiment && claim.has_numbers();
    let tested: Vec<&Claim> = claims.iter().filter(is_tested).collect();
    html! {
        @if !tested.is_empty() {
            ul.verdicts {
                @for claim in tested {
                    li { (word(claim.verdict)) ": " (claim.statement) ". Paper: " (claim.theirs) "; here: " (claim.ours) "." }
                }
            }
        }
    }
}
