//! The experiments that were run, and the papers' claims beside our results, as human-readable text.

use std::collections::BTreeSet;
use std::io::{self, Write};

use report::claims::Claim;
use report::summary::Summary;

use super::table::Table;

/// Most characters of a published result that shares a line with ours.
const WIDE: usize = 48;

/// Prints experiments and claims; untested claims only if all are asked for.
pub(super) fn print(
    experiments: &[Summary],
    claims: &[Claim],
    is_all: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    if !experiments.is_empty() {
        writeln!(out, "Experiments")?;
        table(experiments).print(out)?;
    }
    if !claims.is_empty() {
        writeln!(out, "\nPublished results and ours")?;
        for claim in claims.iter().filter(|claim| is_all || claim.has_numbers()) {
            print_claim(claim, out)?;
        }
        let left = claims.iter().filter(|claim| !claim.has_numbers()).count();
        if left > 0 && !is_all {
            writeln!(out, "  untested: {left} more (--all shows them)")?;
        }
    }
    Ok(())
}

fn table(experiments: &[Summary]) -> Table {
    let mut table = Table::new(&["", "size", "histories", "rows", "timed out", "undecided"]);
    for one in experiments {
        table.push(vec![
            one.experiment.clone(),
            words(&one.sizes),
            one.histories.to_string(),
            one.rows.to_string(),
            one.timed_out.to_string(),
            one.undecided.to_string(),
        ]);
    }
    table
}

fn words(words: &BTreeSet<String>) -> String {
    words.iter().cloned().collect::<Vec<_>>().join(",")
}

/// Prints the verdict and the statement of a claim, and below them the published result and ours, and the rule, or why the claim is untested.
fn print_claim(claim: &Claim, out: &mut dyn Write) -> io::Result<()> {
    let Claim { paper, place, statement, theirs, ours, rule, .. } = claim;
    let verdict = claim.verdict.name();
    writeln!(out, "  {verdict:10}  {statement} ({paper}, {place})")?;
    let ours = if ours.is_empty() { "-" } else { ours };
    if theirs.chars().count() <= WIDE {
        writeln!(out, "              published: {theirs}; ours: {ours}")
    } else {
        writeln!(out, "              published: {theirs}\n              ours: {ours}")
    }?;
    match claim.why_untested() {
        Some(why) => writeln!(out, "              {why}"),
        None => writeln!(out, "              {rule}"),
    }
}
