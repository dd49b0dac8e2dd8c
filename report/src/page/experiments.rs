//! Experiments with their figures.

use maud::{Markup, html};

use super::Page;
use super::cell::{breakable, counted};
use super::claims::word;
use super::drawing::drawing;
use super::section::{Anchors, Section};
use crate::claims::Claim;
use crate::figures::Figure;
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
            .filter(|figure| is_of(&figure.name, &one.experiment));
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

/// The figures that belong neither to an experiment nor to the campaign.
pub(super) fn others(page: &Page<'_>, anchors: &mut Anchors) -> Option<Section> {
    let experiments = experiments(&page.results.trials);
    let is_known = |figure: &Figure| {
        let mut names = experiments.iter().map(|one| &*one.experiment);
        names.any(|name| is_of(&figure.name, name))
            || (page.answers.is_some() && is_of(&figure.name, super::campaign::NAME))
    };
    let mut others = page
        .figures
        .iter()
        .filter(|figure| !is_known(figure))
        .peekable();
    others.peek()?;
    let body = html! { @for figure in others { (drawing(figure, anchors)) } };
    Some(Section::new(anchors, "figures", "Other figures", body))
}

/// Whether a figure of this name is one of an experiment: it is called after it.
pub(super) fn is_of(figure: &str, experiment: &str) -> bool {
    let rest = figure.strip_prefix(experiment);
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

fn overview(one: &Summary) -> Markup {
    html! {
        p {
            (counted(one.histories, "history", "histories")) ", " (counted(one.rows, "row", "rows"))
            @if one.cut_off > 0 { ", of which a limit stopped " (one.cut_off) }
            @if one.undecided > 0 { ", undecided: " (one.undecided) }
            "."
            @if !one.command.is_empty() {
                " Reproduce the first row with: " code { (breakable(&one.command)) } "."
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_called_after_experiments() {
        assert!(is_of("gcc-fig4", "gcc-fig4"));
        assert!(is_of("gcc-fig4-threads", "gcc-fig4"));
        assert!(!is_of("gcc-fig40", "gcc-fig4"));
        assert!(!is_of("gcc-fig4", "gcc-fig4-threads"));
    }
}
