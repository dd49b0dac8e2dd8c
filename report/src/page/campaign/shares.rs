//! The share of violations that each criterion refutes, and the number of operations until detection.

use maud::{Markup, html};

use super::scope;
use crate::answers::{Answers, ClaimedShare, Detection, OperationsToDetection, Rate, Rates, Scope};
use crate::numbers::{counted, halves, percent};
use crate::page::cell::Cell;
use crate::page::table::Table;
use crate::statistics::Share;
use tables::CRITERIA;

/// Shows the shares in a table with a row for each scope.
pub(super) fn rates(answers: &Answers) -> Option<Markup> {
    let shown = answers.shown(&answers.rates, |rates| &rates.scope);
    let rates: Vec<&Rates> = shown.filter(|rates| rates.violating > 0).collect();
    if rates.is_empty() {
        return None;
    }
    let mut heads = vec!["Runs", "violations"];
    heads.extend(CRITERIA);
    let mut table = Table::new("Share of violating runs that a criterion refutes", &heads);
    for one in &rates {
        let mut row = vec![Cell::text(&scope(&one.scope)), Cell::count(one.violating)];
        row.extend(one.criteria.iter().map(rate));
        table.push(row);
    }
    Some(html! {
        (table.markup())
        (stated(&rates))
    })
}

/// Shows the published shares and ours, for each model. Those of single kinds of cores are in the table only.
fn stated(rates: &[&Rates]) -> Markup {
    let of_models =
        rates.iter().filter(|rates| matches!(rates.scope, Scope::Model(_) | Scope::Cores { .. }));
    let claims = of_models.flat_map(|rates| rates.claims.iter().map(|claim| (&rates.scope, claim)));
    let told: Vec<_> = claims.filter(|(_, claim)| claim.of > 0).collect();
    html! {
        @if !told.is_empty() {
            ul {
                @for (scope, claim) in told { li { (sentence(scope, claim)) } }
            }
        }
    }
}

fn rate(rate: &Rate) -> Cell {
    let Some(share) = rate.share else {
        return Cell::missing("·");
    };
    let undecided = match rate.undecided {
        0 => String::new(),
        some => format!(", undecided: {some}"),
    };
    let counted = Share { part: rate.caught, of: rate.asked };
    Cell::number(&counted.shown(), share).shaded(share).titled(format!("{counted}{undecided}"))
}

fn sentence(of: &Scope, claim: &ClaimedShare) -> String {
    let paper = claim.stated.map(|stated| format!("; {} says {}", claim.paper, percent(stated)));
    let interval = Share { part: claim.found, of: claim.of }.interval();
    format!(
        "{}, {}: {} of {}, {} (95 % interval {} to {}){}.",
        scope(of),
        claim.claim,
        claim.found,
        claim.of,
        percent(claim.share.unwrap_or(0.0)),
        percent(interval.low),
        percent(interval.high),
        paper.unwrap_or_default()
    )
}

/// Shows the operations until detection in a table with a row for each scope.
pub(super) fn operations(answers: &Answers) -> Option<Markup> {
    let is_known =
        |one: &&OperationsToDetection| one.criteria.iter().any(|detection| detection.runs > 0);
    let shown = answers.shown(&answers.operations, |one| &one.scope);
    let known: Vec<_> = shown.filter(is_known).collect();
    if known.is_empty() {
        return None;
    }
    let mut heads = vec!["Runs"];
    heads.extend(CRITERIA);
    let mut table = Table::new("Operations completed when a criterion is violated, median", &heads);
    for one in known {
        let mut row = vec![Cell::text(&scope(&one.scope))];
        row.extend(one.criteria.iter().map(detection));
        table.push(row);
    }
    Some(html! {
        p { "Criteria that refute fewer runs refute other runs, so these numbers are not about the same runs." }
        (table.markup())
    })
}

fn detection(detection: &Detection) -> Cell {
    let (Some(median), Some(mean)) = (detection.median, detection.mean) else {
        return Cell::missing("·");
    };
    let runs = counted(detection.runs as usize, "run", "runs");
    Cell::number(&halves(median), median).titled(format!("mean {mean:.0}, of {runs}"))
}
