//! Results of many runs of one protocol and client.

use std::collections::BTreeMap;

use check::Model;
use history::History;
use simulate::simulation::Run;
use simulate::system::{Fault, TakenCounts, Warning};
use slicc::compile::code::Program;

use super::kinds::{self, ByKind, Failures, Shortest};
use super::verdicts::Counts;
use crate::coverage::Taken;
use crate::testing::Signature;

/// Most faults, and most violations, that are kept to be shown.
pub const SHOWN: usize = 3;

/// A run that stopped before its end.
pub struct Failed {
    /// The seed of the failed run.
    pub seed: u64,
    /// The number of the run in the series.
    pub run: u32,
    /// The fault that stopped it.
    pub fault: Box<Fault>,
}

/// A warning, and the first run that had it.
pub struct Warned {
    /// The seed of the first run with the warning.
    pub seed: u64,
    /// The number of the run in the series.
    pub run: u32,
    /// The warning.
    pub warning: Warning,
    /// The number of runs that had the warning.
    pub runs: u64,
}

/// A run whose history violates a model that counts.
pub struct Violated {
    /// The seed of the run that violates the model.
    pub seed: u64,
    /// The number of the run in the series.
    pub run: u32,
    /// The models that it violates, of those that count.
    pub models: Vec<Model>,
}

/// The results of several runs added up. They do not depend on the order in which runs are added.
#[derive(Default)]
pub struct Score {
    /// The number of runs.
    pub runs: u64,
    /// The number of operations that were performed.
    pub operations: u64,
    /// The number of transitions that were taken.
    pub transitions: u64,
    /// The number of transitions that stalled.
    pub stalls: u64,
    /// The number of functional accesses that were made.
    pub functional: u64,
    /// The number of functional reads that failed and did not end the run.
    pub functional_failures: u64,
    /// The simulated time of all runs together, in ticks.
    pub ticks: u64,
    /// The time of simulation on all cores together, in seconds.
    pub seconds: f64,
    /// The verdicts for each model.
    pub verdicts: Vec<Counts>,
    /// The number of certificates that were verified.
    pub certificates: u64,
    /// The number of runs that stopped before their end.
    pub faults: u64,
    /// The first runs that stopped before their end, at most [`SHOWN`].
    pub failed: Vec<Failed>,
    /// The number of runs with a mistake that gem5 accepts.
    pub warned: u64,
    /// The warnings, one for each place in the protocol.
    pub warnings: Vec<Warned>,
    /// The seeds of the runs that stopped before their end, by number of the run.
    pub fault_seeds: BTreeMap<u32, u64>,
    /// The first runs that violate a model that counts, at most [`SHOWN`].
    pub violated: Vec<Violated>,
    /// The seeds of the runs that violate a model that counts, by number of the run.
    pub violation_seeds: BTreeMap<u32, u64>,
    /// The failed runs, by the kind of their failure.
    pub kinds: ByKind,
    /// How often each transition was taken, by numbers of the protocol.
    taken: TakenCounts,
    /// How often each transition was taken, once [`Score::name_transitions`] has named them.
    pub coverage: Taken,
    /// The histories, by number of the run, if they are kept.
    pub histories: Vec<(u32, History)>,
}

impl Score {
    /// The score of no runs, whose histories are checked under this number of models.
    pub fn new(models: usize) -> Score {
        Score { verdicts: vec![Counts::default(); models], ..Score::default() }
    }

    /// Adds a run, whose transitions [`Score::name_transitions`] names later. The caller adds its history and its verdicts, if they are
    /// needed.
    pub fn add(&mut self, number: u32, seed: u64, run: &Run, seconds: f64) {
        self.runs += 1;
        self.operations += run.operations() as u64;
        self.transitions += run.tally.transitions;
        self.stalls += run.tally.stalls;
        self.functional += run.tally.functional;
        self.functional_failures += run.tally.functional_failures;
        self.ticks += run.fault.as_ref().map_or(run.tally.ticks, |fault| fault.tick);
        self.seconds += seconds;
        self.taken.add(run.taken());
        self.warned += u64::from(!run.warnings.is_empty());
        for warning in &run.warnings {
            self.warn(Warned { seed, run: number, warning: warning.clone(), runs: 1 });
        }
        if let Some(fault) = &run.fault {
            self.faults += 1;
            self.fault_seeds.insert(number, seed);
            self.failed.push(Failed { seed, run: number, fault: fault.clone() });
            self.keep_first();
        }
    }

    /// Names the transitions that were taken, in [`Score::coverage`], after the last run was added. Their protocol has this program.
    pub fn name_transitions(&mut self, program: &Program) {
        let taken = std::mem::take(&mut self.taken);
        self.coverage.merge(Taken::of(&taken.covered(program)));
    }

    /// Notes which of the models that count a run violates, if any.
    pub fn add_violated(&mut self, number: u32, seed: u64, models: Vec<Model>) {
        if models.is_empty() {
            return;
        }
        self.violation_seeds.insert(number, seed);
        self.violated.push(Violated { seed, run: number, models });
        self.keep_first();
    }

    /// Notes the kind of failure of a run.
    pub(super) fn add_kind(&mut self, signature: Signature, shortest: Shortest) {
        kinds::add(&mut self.kinds, signature, Failures { runs: 1, shortest });
    }

    /// Says how many accesses were made functionally, if any.
    pub fn functional_words(&self) -> Option<String> {
        let (made, failed) = (self.functional, self.functional_failures);
        let failures = match failed {
            0 => String::new(),
            _ => format!("; {failed} reads found no valid copy and were made in the usual way"),
        };
        (made + failed > 0).then(|| format!("{made} functional accesses{failures}"))
    }

    /// Adds another score.
    pub(super) fn merge(&mut self, other: Score) {
        self.runs += other.runs;
        self.operations += other.operations;
        self.transitions += other.transitions;
        self.stalls += other.stalls;
        self.functional += other.functional;
        self.functional_failures += other.functional_failures;
        self.ticks += other.ticks;
        self.seconds += other.seconds;
        self.certificates += other.certificates;
        self.faults += other.faults;
        self.taken.add(&other.taken);
        self.coverage.merge(other.coverage);
        for (counts, others) in self.verdicts.iter_mut().zip(other.verdicts) {
            counts.merge(others);
        }
        self.warned += other.warned;
        other.warnings.into_iter().for_each(|warned| self.warn(warned));
        self.failed.extend(other.failed);
        self.fault_seeds.extend(other.fault_seeds);
        self.violated.extend(other.violated);
        self.violation_seeds.extend(other.violation_seeds);
        for (signature, failures) in other.kinds {
            kinds::add(&mut self.kinds, signature, failures);
        }
        self.keep_first();
        self.histories.extend(other.histories);
        self.histories.sort_by_key(|(run, _)| *run);
    }

    /// Adds a warning. Of equal warnings that of the first run is kept.
    fn warn(&mut self, new: Warned) {
        let mut known = self.warnings.iter_mut();
        match known.find(|known| known.warning.is_same(&new.warning)) {
            Some(known) => {
                let runs = known.runs + new.runs;
                if new.run < known.run {
                    *known = new;
                }
                known.runs = runs;
            }
            None => self.warnings.push(new),
        }
        self.warnings.sort_by_key(|warned| (warned.run, warned.warning.tick));
    }

    fn keep_first(&mut self) {
        self.failed.sort_by_key(|failed| failed.run);
        self.failed.truncate(SHOWN);
        self.violated.sort_by_key(|violated| violated.run);
        self.violated.truncate(SHOWN);
    }
}
