//! The papers' claims beside what was found here.

use maud::{Markup, html};

use super::Page;
use super::cell::{Cell, counted};
use super::section::{Anchors, Section};
use super::table::Table;
use crate::claims::{Claim, Verdict};

/// The verdicts, in the order in which they are counted.
const VERDICTS: [Verdict; 4] = [
    Verdict::Holds,
    Verdict::Differs,
    Verdict::Calibrated,
    Verdict::Untested,
];

/// What the verdicts mean.
const VERDICTS_MEAN: &str = "Each claim has its rule, which does not depend on what is found. What the experiment was made to come near is \
    calibrated, and neither holds nor differs. A claim is untested if its experiment was not run, has not finished, was run at the size for \
    trying out, or has too few rows.";

/// How wide the columns of a table of claims are: what is read has the most room.
const WIDTHS: [u32; 8] = [15, 8, 8, 20, 8, 8, 15, 18];

/// The section, if anything was tested.
pub(super) fn section(page: &Page<'_>, anchors: &mut Anchors) -> Option<Section> {
    let (tested, untested): (Vec<&Claim>, Vec<&Claim>) =
        page.claims.iter().partition(|claim| claim.has_numbers());
    if tested.is_empty() {
        return None;
    }
    let body = html! {
        p { (counts(page.claims)) }
        p { (VERDICTS_MEAN) }
        (table("Claims of the papers, with what was found here", &tested).markup())
        @if !untested.is_empty() {
            @let summary = counted(untested.len(), "claim of which nothing is known", "claims of which nothing is known");
            (table("Claims of which nothing is known, with what would test them", &untested).folded(&summary, false))
        }
    };
    Some(Section::new(
        anchors,
        "claims",
        "The papers, and here",
        body,
    ))
}

/// `12 hold, 3 differ`: with the symbols of the table.
fn counts(claims: &[Claim]) -> Markup {
    let count = |verdict| {
        claims
            .iter()
            .filter(|claim| claim.verdict == verdict)
            .count()
    };
    html! {
        "Of " (claims.len()) " claims: "
        @for (at, verdict) in VERDICTS.into_iter().enumerate() {
            @if at > 0 { ", " }
            (count(verdict)) " " (word(verdict))
        }
        "."
    }
}

fn table(caption: &str, claims: &[&Claim]) -> Table {
    let heads = [
        "Claim",
        "Paper",
        "Paper's figure",
        "Here",
        "Verdict",
        "Experiment",
        "Rule",
        "Note",
    ];
    let mut table = Table::new(caption, &heads);
    table.widths(&WIDTHS);
    for claim in claims {
        table.push(vec![
            Cell::text(&claim.statement),
            Cell::of(html! { (claim.paper) ", " (claim.place) }),
            Cell::text(&claim.theirs),
            Cell::text(&claim.ours),
            Cell::of(word(claim.verdict)).sorted_by(place(claim.verdict)),
            Cell::text(claim.experiment),
            Cell::text(&claim.rule),
            Cell::text(&claim.note),
        ]);
    }
    table
}

/// A verdict with a symbol, for who does not see colours.
pub(super) fn word(verdict: Verdict) -> Markup {
    let symbol = match verdict {
        Verdict::Holds => "✓",
        Verdict::Differs => "✗",
        Verdict::Calibrated => "≈",
        Verdict::Untested => "○",
    };
    html! {
        span class={ "verdict " (verdict.name()) } {
            span aria-hidden="true" { (symbol) } " " (verdict.name())
        }
    }
}

fn place(verdict: Verdict) -> f64 {
    let place = VERDICTS.iter().position(|&one| one == verdict);
    place.unwrap_or(VERDICTS.len()) as f64
}
