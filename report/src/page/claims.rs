//! The section about the papers' claims: published results and ours.

use maud::{Markup, html};

use super::Page;
use super::cell::Cell;
use super::section::{Anchors, Section};
use super::table::Table;
use crate::claims::{Claim, Verdict};
use crate::numbers::counted;

/// The verdicts, in the order of the summary.
const VERDICTS: [Verdict; 4] =
    [Verdict::Holds, Verdict::Differs, Verdict::Calibrated, Verdict::Untested];

/// The meaning of the verdicts.
const VERDICTS_MEAN: &str = "Each claim has a rule, which does not depend on the results. A claim whose number the experiment was calibrated to reproduce \
    neither holds nor differs. A claim is untested if its experiment was not run, has not finished, was run at size quick, or has too \
    few rows.";

/// Relative widths of the columns of a table of claims.
const WIDTHS: [u32; 5] = [11, 37, 18, 24, 10];

/// Makes the section; `None` if no claim has results.
pub(super) fn section(page: &Page<'_>, anchors: &mut Anchors) -> Option<Section> {
    let (tested, untested): (Vec<&Claim>, Vec<&Claim>) =
        page.claims.iter().partition(|claim| claim.has_numbers());
    if tested.is_empty() {
        return None;
    }
    // A page about a campaign alone leaves out the claims about experiments.
    let untested = if page.results.trials.is_empty() { Vec::new() } else { untested };
    let body = html! {
        p { (counts(&[&tested[..], &untested].concat())) " A line opens to the whole claim, its rule, and what the verdict rests on." }
        details { summary { "What the verdicts mean" } p { (VERDICTS_MEAN) } }
        (table("Claims of the papers, with published results and ours", &tested).markup())
        @if !untested.is_empty() {
            @let summary = counted(untested.len(), "claim without results", "claims without results");
            (table("Claims without results, with the commands that test them", &untested).folded(&summary, false))
        }
    };
    Some(Section::new(anchors, "claims", "Published results and ours", body))
}

/// The number of claims by verdict, such as `12 hold, 3 differ`.
fn counts(claims: &[&Claim]) -> Markup {
    let count = |verdict| claims.iter().filter(|claim| claim.verdict == verdict).count();
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
    let heads = ["Verdict", "Claim", "Published", "Ours", "Paper"];
    let mut table = Table::new(caption, &heads);
    table.widths(&WIDTHS);
    table.in_lines();
    for claim in claims {
        table.push(vec![
            Cell::of(word(claim.verdict)).sorted_by(place(claim.verdict)),
            Cell::of(folded(claim)),
            Cell::text(&claim.theirs).titled(claim.theirs.clone()),
            Cell::text(&claim.ours).titled(claim.ours.clone()),
            Cell::text(claim.paper).titled(format!("{}, {}", claim.paper, claim.place)),
        ]);
    }
    table
}

/// Shows a claim as a line that opens to its details.
fn folded(claim: &Claim) -> Markup {
    let ours = if claim.ours.is_empty() { "–" } else { &claim.ours };
    html! {
        details {
            summary { (claim.statement) }
            dl {
                dt { "Claim" } dd { (claim.statement) " (" (claim.paper) ", " (claim.place) ")" }
                dt { "Published" } dd { (claim.theirs) }
                dt { "Ours" } dd { (ours) }
                dt { "Rule" } dd { (claim.rule) }
                dt { "Experiment" } dd { (claim.experiment) }
                @if !claim.note.is_empty() { dt { "Note" } dd { (claim.note) } }
            }
        }
    }
}

/// A verdict with a symbol, so that it does not depend on colours.
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
