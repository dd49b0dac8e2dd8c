//! Merges findings that are probably one fault: a lost store, for example, violates every model on some kind of core.
//!
//! A violation belongs to a worse one if its own program, or a variation of that, shows the worse one on the cores that showed it. So
//! findings are never merged by their names alone, and two faults that show in different programs stay two findings.

use rayon::prelude::*;
use simulate::recipe::Lineage;

use super::finding::{Finding, FindingKind};
use super::known::VARIATIONS;
use super::program::Bench;
use crate::error::Error;

/// Merges each violation that belongs to a worse one into that finding. `findings` are sorted, the worst first, and so is the result.
///
/// # Errors
/// Fails if a repeated run fails.
pub(super) fn together(findings: Vec<Finding>, bench: &Bench<'_>) -> Result<Vec<Finding>, Error> {
    let mut leaders: Vec<Finding> = Vec::new();
    for finding in findings {
        match leader(&leaders, &finding, bench)? {
            Some(at) => leaders[at].lead(finding),
            None => leaders.push(finding),
        }
    }
    Ok(leaders)
}

/// Does the same for the findings that two versions of a protocol share, each a pair of the old version's and the new version's finding.
/// Only the runs of the new version decide.
///
/// # Errors
/// Fails if a repeated run fails.
pub(super) fn pairs_together(
    pairs: Vec<(Finding, Finding)>,
    bench: &Bench<'_>,
) -> Result<Vec<(Finding, Finding)>, Error> {
    let (mut olds, mut leaders): (Vec<Finding>, Vec<Finding>) = Default::default();
    for (old, new) in pairs {
        match leader(&leaders, &new, bench)? {
            Some(at) => {
                leaders[at].lead(new);
                olds[at].lead(old);
            }
            None => {
                leaders.push(new);
                olds.push(old);
            }
        }
    }
    Ok(olds.into_iter().zip(leaders).collect())
}

/// The first of the worse findings that the program of a new violation, or a variation of it, shows, too.
fn leader(worse: &[Finding], finding: &Finding, bench: &Bench<'_>) -> Result<Option<usize>, Error> {
    let Some(program) = violating(finding) else { return Ok(None) };
    for (at, one) in worse.iter().enumerate() {
        let Some(witness) = violating(one).filter(|it| it.is_repaired == program.is_repaired)
        else {
            continue;
        };
        if bench.is_over() {
            break;
        }
        let protocol = bench.protocol(witness.is_repaired);
        let variations = (0..VARIATIONS).map(|seed| program.lineage.vary(seed));
        let tried: Vec<Lineage> =
            std::iter::once(program.lineage.clone()).chain(variations).collect();
        let shows = tried.par_iter().map(|lineage| {
            Ok(bench.simulate(protocol, witness.client, lineage)?.shows(&one.signature))
        });
        if shows.collect::<Result<Vec<bool>, Error>>()?.contains(&true) {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// The run that shows a finding, if that is a new violation of a model.
fn violating(finding: &Finding) -> Option<&super::finding::Witness> {
    let is_violation = matches!(finding.signature.kind, FindingKind::Violation(..));
    finding.witness.as_ref().filter(|_| is_violation && finding.known.is_none())
}
