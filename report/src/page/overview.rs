//! Says what was run and what was found, in a line each, for the opening of a page and for pull requests.

use std::collections::BTreeSet;

use super::Page;
use super::fidelity::protocols_alone;
use super::protocols::{Compared, compared};
use crate::claims::Verdict;
use crate::fidelity::Fidelity;
use crate::numbers::{counted, grouped, percent};
use crate::summary::experiments;

/// A line of the overview.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fact {
    /// The subject of the line.
    pub label: &'static str,
    /// The statement about the subject, without its full stop.
    pub text: String,
    /// The anchor of the section with the details.
    pub section: &'static str,
}

fn fact(label: &'static str, section: &'static str, text: String) -> Fact {
    Fact { label, text, section }
}

/// Says what was run: experiments, campaigns and programs in gem5, a line each.
pub(super) fn ran(page: &Page<'_>) -> Vec<Fact> {
    let mut facts = Vec::new();
    let all = experiments(&page.results.trials);
    if !all.is_empty() {
        let sum = |of: fn(&crate::summary::Summary) -> usize| {
            grouped(all.iter().map(of).sum::<usize>() as u64)
        };
        let text = format!(
            "{}; {} histories, {} trials, {} of them timed out",
            counted(all.len(), "experiment", "experiments"),
            sum(|one| one.histories),
            sum(|one| one.rows),
            sum(|one| one.timed_out)
        );
        facts.push(fact("Experiments", "experiments", text));
    }
    let runs = &page.results.runs;
    if !runs.is_empty() {
        let protocols: BTreeSet<&str> = runs.iter().map(|run| &*run.protocol).collect();
        let cores: BTreeSet<&str> = runs.iter().map(|run| &*run.client).collect();
        let operations: u64 = runs.iter().map(|run| u64::from(run.operations)).sum();
        let text = format!(
            "{} with {} operations: {} on {}",
            counted(runs.len(), "run", "runs"),
            grouped(operations),
            listed(&protocols),
            listed(&cores)
        );
        facts.push(fact("Campaign", "ran", text));
    }
    let fidelity = Fidelity::of(page.results);
    if !fidelity.is_empty() {
        let programs = counted(page.results.fidelity.len() / 2, "program", "programs");
        let text = format!("{programs} of {}", listed(&fidelity.protocols()));
        facts.push(fact("In gem5, too", "fidelity", text));
    }
    facts
}

/// Says what was found: verdicts on claims, mutants, alarms, coverage and agreement with gem5, a line each.
pub(super) fn found(page: &Page<'_>) -> Vec<Fact> {
    let mut facts = Vec::new();
    facts.extend(claims(page).map(|text| fact("Claims", "claims", text)));
    let protocols = compared(page);
    if let Some(text) = mutants(&protocols) {
        facts.push(fact("Mutants", "protocols", text));
    }
    let unmutated: u64 = protocols.iter().map(|one| one.result.unmutated).sum();
    if unmutated > 0 {
        let alarms: u64 = protocols.iter().map(|one| one.result.alarms).sum();
        let runs = counted(unmutated as usize, "run", "runs");
        let text = format!(
            "{} in {runs} of unmutated protocols",
            counted(alarms as usize, "alarm", "alarms")
        );
        facts.push(fact("Alarms", "unmutated", text));
    }
    let covered = protocols.iter().filter_map(|one| Some((share(one)?, one.name)));
    let mut covered: Vec<(f64, &str)> = covered.collect();
    covered.sort_by(|one, other| one.0.total_cmp(&other.0));
    if let (Some(least), Some(most)) = (covered.first(), covered.last()) {
        let text = match covered.len() {
            1 => format!("{} of the reachable transitions of {}", percent(least.0), least.1),
            several => format!(
                "from {} ({}) to {} ({}) of the reachable transitions of {several} protocols",
                percent(least.0),
                least.1,
                percent(most.0),
                most.1
            ),
        };
        facts.push(fact("Coverage", "coverage", text));
    }
    let fidelity = Fidelity::of(page.results);
    if !fidelity.is_empty() {
        let mutants = match fidelity.agreeing() {
            (_, 0) => None,
            (same, all) => {
                let mutants = counted(all, "mutant has", "mutants have");
                Some(format!("{same} of {mutants} the same finder here and in gem5"))
            }
        };
        let parts: Vec<String> = mutants.into_iter().chain(protocols_alone(&fidelity)).collect();
        facts.push(fact("gem5", "fidelity", parts.join("; ")));
    }
    facts
}

/// Says how many of the published claims with results have each verdict; `None` if no claim has results.
fn claims(page: &Page<'_>) -> Option<String> {
    let with_results: Vec<_> = page.claims.iter().filter(|claim| claim.has_numbers()).collect();
    let count = |verdict| with_results.iter().filter(|claim| claim.verdict == verdict).count();
    let verdicts = [
        (Verdict::Holds, "holds", "hold"),
        (Verdict::Differs, "differs", "differ"),
        (
            Verdict::Calibrated,
            "is what the experiment was calibrated to",
            "are what the experiment was calibrated to",
        ),
        (Verdict::Untested, "has too few results", "have too few results"),
    ];
    let counts = verdicts.into_iter().map(|(verdict, one, several)| (count(verdict), one, several));
    let parts = counts.filter(|(count, ..)| *count > 0);
    let parts: Vec<String> =
        parts.map(|(count, one, several)| counted(count, one, several)).collect();
    let all = counted(with_results.len(), "published claim", "published claims");
    (!parts.is_empty()).then(|| format!("of {all} with results, {}", parts.join(", ")))
}

/// Says how many mutants of each protocol were found; `None` if no mutants ran.
fn mutants(protocols: &[Compared<'_>]) -> Option<String> {
    let tried = protocols.iter().filter(|one| one.result.mutants > 0);
    let each: Vec<String> = tried
        .map(|one| format!("{} {} of {}", one.name, one.result.found, one.result.mutants))
        .collect();
    (!each.is_empty()).then(|| format!("found of each protocol: {}", each.join(", ")))
}

/// The share of reachable transitions that runs took; `None` if the protocol has no table of coverage.
fn share(one: &Compared<'_>) -> Option<f64> {
    let reached = one.reached.filter(|reached| reached.reachable > 0)?;
    Some(reached.reached as f64 / reached.reachable as f64)
}

fn listed(names: &BTreeSet<&str>) -> String {
    names.iter().copied().collect::<Vec<_>>().join(", ")
}
