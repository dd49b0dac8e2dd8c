//! Searches nice cycles in all runs of a system, for experiments that are about a system instead of single histories.

use ::explore::memory::method::{Options, Search, Verdict};
use ::explore::memory::{Witness, slicc};
use ::explore::search::{self, Stopped};
use sha2::{Digest, Sha256};
use simulate::stepper::Scope;
use tables::{Reported, Trial};

use super::point::{NiceCycles, SearchedSystem, Task};
use super::source::Maker;
use super::trial::{Limits, names};
use crate::error::Error;
use crate::exploration;
use crate::exploration::memory_system::{Plan, System, named};
use crate::testing::refusal;

/// Entries of each queue of the memory systems that have queues.
const CAPACITY: u8 = 1;

/// The number of states in which assumptions are checked before the first search: a system without symmetry is noticed early.
const FIRST_STATES: u32 = 2000;

/// The largest number of states of a search in a protocol. A search that reaches it ends in the same state on every machine.
const PROTOCOL_STATES: usize = 500_000;

/// The searches for cycles of one length, and the reason if they decide nothing although they ended.
struct Searched {
    searches: Vec<Search>,
    unproved: Option<String>,
    stopped: Option<Stopped>,
}

impl Maker {
    /// Searches a system, and returns the row. `row` has the columns that all rows of the point share.
    ///
    /// # Errors
    /// Fails if the protocol or its mutant cannot be opened or explored.
    pub(super) fn nice_cycles(
        &self,
        searched: &NiceCycles,
        limits: &Limits,
        row: &Trial,
    ) -> Result<Trial, Error> {
        let watch = limits.watch();
        let (found, source, protocol, mutant) = match searched.system {
            SearchedSystem::Memory(system, witness) => {
                (in_memory(searched, system, witness, limits), "system", None, None)
            }
            SearchedSystem::Protocol(name, mutant) => {
                let found = self.in_protocol(searched, name, mutant, limits)?;
                let source = if mutant.is_some() { "mutant" } else { "simulated" };
                (found, source, Some(name.to_owned()), mutant.map(str::to_owned))
            }
        };
        let spent = watch.spent();
        let run = found.searches.iter().find_map(|search| search.found.as_ref());
        let progress = || found.searches.iter().map(|search| &search.progress);
        let (said, reason) = match (run, found.stopped, &found.unproved) {
            (Some(_), ..) => (Reported::Violation, None),
            (None, Some(Stopped::Memory), _) => (Reported::Memory, None),
            (None, Some(Stopped::Count), _) => {
                (Reported::Undecided, Some(format!("{PROTOCOL_STATES} states")))
            }
            (None, Some(_), _) => (Reported::Timeout, None),
            (None, None, Some(reason)) => (Reported::Undecided, Some(reason.clone())),
            (None, None, None) => (Reported::Satisfied, None),
        };
        Ok(Trial {
            source: source.to_owned(),
            protocol,
            mutant,
            threads: searched.processors.into(),
            locations: searched.locations.into(),
            operations: run.map_or(0, |found| found.run.len() as u64),
            trace_hash: digest(&found.searches),
            model: Task::NiceCycles.model().name().to_owned(),
            algorithm: names(Task::NiceCycles).concat(),
            said,
            reason,
            seconds: spent.processor.as_secs_f64(),
            wall_seconds: Some(spent.wall.as_secs_f64()),
            nodes: Some(progress().map(|one| one.states as u64).sum()),
            edges: progress().map(|one| one.moves).sum(),
            depth: progress().map(|one| u64::from(one.depth)).max().unwrap_or(0),
            cycle: run.map(|_| searched.k.into()),
            ..row.clone()
        })
    }

    fn in_protocol(
        &self,
        searched: &NiceCycles,
        protocol: &str,
        mutant: Option<&'static str>,
        limits: &Limits,
    ) -> Result<Searched, Error> {
        let opened = self.open(protocol, mutant)?;
        let scope = Scope {
            caches: searched.processors.into(),
            lines: searched.locations.into(),
            ..Scope::default()
        };
        let options = Options {
            limits: within(limits, Some(PROTOCOL_STATES)),
            k: Some(searched.k),
            ..Options::default()
        };
        let searches = slicc::nice_cycles(&opened, &scope, &options, &mut |_| ())
            .map_err(|problem| refusal(problem, protocol, &opened))?;
        let stopped = searches.iter().find_map(|search| search.stopped);
        Ok(Searched { searches, unproved: None, stopped })
    }
}

fn within(limits: &Limits, states: Option<usize>) -> search::Limits {
    search::Limits { bounds: limits.bounds(), states }
}

/// Searches a built-in memory system. A cycle speaks for itself; where there is none of the least length, the assumptions are checked in all
/// states, under which the searches of all lengths decide.
fn in_memory(searched: &NiceCycles, system: System, witness: Witness, limits: &Limits) -> Searched {
    let plan = |assumption_states| Plan {
        system,
        processors: searched.processors,
        locations: searched.locations,
        capacity: CAPACITY,
        witness,
        k: Some(searched.k),
        without_symmetry: false,
        assumption_states,
        limits: exploration::Limits { states: None, timeout: None, max_memory: limits.memory },
    };
    let limits = within(limits, None);
    let mut proof = plan(FIRST_STATES).prove_within(limits.clone(), &mut |_| ());
    let checks_all = searched.k == 1 && !matches!(proof.verdict, Verdict::Cycle);
    if checks_all {
        proof = plan(u32::MAX).prove_within(limits, &mut |_| ());
    }
    let unproved = match proof.verdict {
        Verdict::NotApplicable(assumption, _) => {
            Some(format!("{} does not hold", named(assumption)))
        }
        _ => None,
    };
    let stopped = match proof.verdict {
        Verdict::Undecided(why) if checks_all => Some(why),
        _ => proof.searches.iter().find_map(|search| search.stopped),
    };
    Searched { searches: proof.searches, unproved, stopped }
}

/// A digest of what was searched and found, by which a run of the same search is recognised.
fn digest(searches: &[Search]) -> String {
    let found = searches.iter().map(|search| {
        let progress = &search.progress;
        let run = search.found.as_ref().map(|found| found.words.join(" "));
        format!(
            "{:?} {} {} {} {}\n",
            search.order,
            progress.states,
            progress.moves,
            progress.depth,
            run.unwrap_or_default()
        )
    });
    let text: String = found.collect();
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
