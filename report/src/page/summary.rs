//! The first screen of the page: what was run, what was found, and some figures.

use maud::{Markup, html};

use super::Page;
use super::campaign::is_shown;
use super::drawing;
use super::overview::{Fact, found, ran};
use super::section::{Anchors, Section};
use crate::figures::{CAMPAIGN, Figure};

/// The number of figures of the summary.
const FIGURES: usize = 6;

/// The experiments whose figures come first, since they compare the most. Others follow in the order of the page.
const FIRST: [&str; 5] = ["gcc-fig4", "wsc-fig7", "tsotool-fig3", "mutants", "fidelity"];

/// Makes the section; `None` if there is nothing to summarise.
pub(super) fn section(page: &Page<'_>, anchors: &mut Anchors) -> Option<Section> {
    let (ran, found) = (ran(page), found(page));
    if ran.is_empty() && found.is_empty() {
        return None;
    }
    let figures = chosen(page.figures);
    let body = html! {
        div.overview {
            (list("What was run", &ran))
            (list("What was found", &found))
        }
        @if !figures.is_empty() {
            ul.thumbnails {
                @for figure in figures { li { (drawing::thumbnail(figure)) } }
            }
        }
    };
    Some(Section::new(anchors, "summary", "Summary", body))
}

fn list(title: &str, facts: &[Fact]) -> Markup {
    html! {
        @if !facts.is_empty() {
            div {
                h3 { (title) }
                dl {
                    @for fact in facts {
                        dt { a href={ "#" (fact.section) } { (fact.label) } }
                        dd { (fact.text) "." }
                    }
                }
            }
        }
    }
}

/// Chooses one figure of each experiment, and further ones if these are too few.
fn chosen(figures: &[Figure]) -> Vec<&Figure> {
    let rank = |experiment: &str| FIRST.iter().position(|one| *one == experiment);
    let mut seen: Vec<&str> = Vec::new();
    let mut ranked: Vec<(bool, usize, usize, &Figure)> = Vec::new();
    let is_drawn = |figure: &&Figure| figure.experiment != CAMPAIGN || is_shown(figure);
    for (at, figure) in figures.iter().filter(is_drawn).enumerate() {
        let is_again = seen.contains(&figure.experiment);
        seen.push(figure.experiment);
        ranked.push((is_again, rank(figure.experiment).unwrap_or(FIRST.len()), at, figure));
    }
    ranked.sort_by_key(|(is_again, rank, at, _)| (*is_again, *rank, *at));
    ranked.into_iter().take(FIGURES).map(|(.., figure)| figure).collect()
}
