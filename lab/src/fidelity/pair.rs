//! Runs a program on rubric's simulator, and pairs its row with that of the same program in gem5.

use std::collections::BTreeMap;
use std::time::Instant;

use check::Model;
use history::{History, Provenance};
use papers::Guarantee;
use serde::{Deserialize, Serialize};
use simulate::client::Client;
use simulate::recipe::{Lineage, Recipe};
use slicc::protocol::Protocol;
use tables::{Checked, FidelityRun, Finding, Place, RunOutcome, TransitionPair};

use super::Options;
use crate::campaign::in_gem5::{judged, outcome, ticks};
use crate::campaign::runner;
use crate::error::Error;
use crate::gem5::{Binary, Played, System};
use crate::journal::Row;
use crate::protocols::{Opened, plan};
use crate::text::tame;

/// A binary of gem5, and the same protocol or mutant for the simulator.
pub(super) struct Subject<'a> {
    pub binary: &'a Binary,
    pub opened: &'a Opened,
    /// The name of the mutant; none for the unmutated protocol.
    pub mutant: Option<String>,
    /// The mutated protocol; none for the unmutated protocol.
    pub mutated: Option<Protocol>,
}

impl Subject<'_> {
    /// The key of a run.
    pub(super) fn key(&self, client: Client, number: u32) -> Key {
        (self.opened.given.clone(), self.mutant.clone(), client.to_string(), number)
    }
}

/// Identifies a program that ran: protocol, mutant, client and number.
pub(super) type Key = (String, Option<String>, String, u32);

/// Identifies a transition: protocol and mutant; machine, state and event.
pub(super) type TransitionKey = (String, Option<String>, [String; 3]);

/// A line of the journal: the runs of one program on the simulator and in gem5.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    /// The run on the simulator, then that in gem5.
    pub runs: [FidelityRun; 2],
    /// Machine, state and event of each transition, and how often it was taken on the simulator and in gem5.
    transitions: Vec<([String; 3], [u64; 2])>,
}

impl Row for Entry {
    type Key = Key;
    const ADVICE: &'static str = "remove the line, whose runs are then done again";

    fn key(&self) -> Key {
        let FidelityRun { protocol, mutant, client, number, .. } = &self.runs[0];
        (protocol.clone(), mutant.clone(), client.clone(), *number)
    }
}

impl Entry {
    /// The number of the program.
    pub(super) fn number(&self) -> u32 {
        self.runs[0].number
    }

    /// Adds the counts of transitions to sums over all programs of a mutant. A program that a fault or the time limit ended on either side
    /// is left out, since it would have smaller counts on that side.
    pub(super) fn count(&self, sums: &mut BTreeMap<TransitionKey, [u64; 2]>) {
        if self.runs.iter().any(|run| run.fault.is_some()) {
            return;
        }
        let FidelityRun { protocol, mutant, .. } = &self.runs[0];
        for (place, counts) in &self.transitions {
            let key = (protocol.clone(), mutant.clone(), place.clone());
            let sum = sums.entry(key).or_default();
            (0..2).for_each(|at| sum[at] += counts[at]);
        }
    }
}

/// The row about a transition.
pub(super) fn row(
    ((protocol, mutant, place), [simulator, gem5]): (TransitionKey, [u64; 2]),
) -> TransitionPair {
    let [machine, state, event] = place;
    TransitionPair { protocol, mutant, machine, state, event, simulator, gem5 }
}

/// The data that all runs of a stream share.
pub(super) struct Pairs<'a> {
    pub subject: &'a Subject<'a>,
    pub client: Client,
    pub options: &'a Options,
}

/// How often transitions were taken.
type Counts = BTreeMap<[String; 3], u64>;

impl Pairs<'_> {
    /// Runs a program on the simulator, and pairs it with the program's result in gem5.
    ///
    /// # Errors
    /// Fails if the run cannot be made, if a value is written twice, or if a certificate is rejected.
    pub(super) fn entry(
        &self,
        number: u32,
        lineage: &Lineage,
        system: &System,
        played: &Played,
    ) -> Result<Entry, Error> {
        let common = FidelityRun {
            protocol: self.subject.opened.given.clone(),
            mutant: self.subject.mutant.clone(),
            client: self.client.to_string(),
            model: self.client.model().name().to_owned(),
            number,
            lineage: lineage.to_string(),
            threads: system.cores,
            ..FidelityRun::default()
        };
        let (simulator, here) = self.simulated(common.clone(), lineage, system)?;
        let (gem5, there) = self.played(common, played)?;
        let count = |counts: &Counts, place| counts.get(place).copied().unwrap_or(0);
        let both: BTreeMap<&[String; 3], ()> =
            here.keys().chain(there.keys()).map(|place| (place, ())).collect();
        let transitions = both.into_keys();
        let transitions =
            transitions.map(|place| (place.clone(), [count(&here, place), count(&there, place)]));
        Ok(Entry { transitions: transitions.collect(), runs: [simulator, gem5] })
    }

    /// The run on the simulator.
    fn simulated(
        &self,
        common: FidelityRun,
        lineage: &Lineage,
        system: &System,
    ) -> Result<(FidelityRun, Counts), Error> {
        let Subject { opened, mutated, .. } = self.subject;
        let protocol = mutated.as_ref().unwrap_or(&opened.protocol);
        let mut simulation = Recipe::of(lineage).simulation(protocol, self.client);
        simulation.options = system.options();
        let failed = Error::run(&opened.given);
        let start = Instant::now();
        let plan = plan(protocol, &opened.given, &simulation)?;
        let run = simulation.run(protocol, &plan, None).map_err(&failed)?;
        let seconds = start.elapsed().as_secs_f64();
        let history = run.history().map_err(Error::run(&opened.given))?;
        let (verdict, criteria) = self.verdict(&history)?;
        let mut counts = Counts::new();
        for one in run.coverage() {
            let place = [one.machine, one.state, one.event].map(str::to_owned);
            *counts.entry(place).or_default() += one.count;
        }
        counts.retain(|_, count| *count > 0);
        let row = FidelityRun {
            place: Place::Simulator,
            ticks: run.fault.as_ref().map_or(run.tally.ticks, |fault| fault.tick),
            outcome: runner::outcome(run.fault.as_deref(), verdict),
            fault: run.fault.as_ref().map(|fault| fault.kind.name().to_owned()),
            message: run.fault.as_ref().map(|fault| tame(&fault.message)),
            seconds,
            ..common
        };
        Ok((self.found(row, &history, &criteria, &counts), counts))
    }

    /// The run in gem5.
    fn played(&self, common: FidelityRun, played: &Played) -> Result<(FidelityRun, Counts), Error> {
        let empty = History::empty(Provenance::made());
        let history = played.history.as_ref().unwrap_or(&empty);
        let (verdict, criteria) = self.verdict(history)?;
        let (outcome, fault, message) = outcome(&played.ending, verdict);
        let mut counts = Counts::new();
        for one in &played.transitions {
            let place = [&one.machine, &one.state, &one.event].map(Clone::clone);
            *counts.entry(place).or_default() += one.count;
        }
        let row = FidelityRun {
            place: Place::Gem5,
            ticks: ticks(&played.ending, history),
            outcome,
            fault,
            message: message.map(|message| tame(&message)),
            seconds: played.seconds,
            ..common
        };
        Ok((self.found(row, history, &criteria, &counts), counts))
    }

    fn verdict(&self, history: &History) -> Result<(Finding, [Checked; 10]), Error> {
        let Options { timeout, max_memory, .. } = *self.options;
        let options = check::Options {
            timeout: Some(timeout),
            max_memory: Some(max_memory),
            ..check::Options::default()
        };
        let judged = judged(history, self.client.model(), &options);
        let (finding, criteria, _) =
            judged.map_err(|error| error.of(&self.subject.opened.given, super::NAME))?;
        Ok((finding, criteria))
    }

    /// Fills in the columns about the check that found a failure, and about the size of the run.
    fn found(
        &self,
        row: FidelityRun,
        history: &History,
        criteria: &[Checked; 10],
        counts: &Counts,
    ) -> FidelityRun {
        let operations = history.operations() as u32;
        let (finder, detected) = match row.outcome {
            RunOutcome::Clean | RunOutcome::Undecided => (None, None),
            RunOutcome::ProtocolError | RunOutcome::Deadlock => {
                (Some(row.outcome.name().to_owned()), Some(operations))
            }
            RunOutcome::Violation => weakest(self.client.model(), criteria).unzip(),
        };
        FidelityRun {
            finder,
            detected: detected
                .or(Some(operations).filter(|_| row.outcome == RunOutcome::Violation)),
            operations,
            transitions: counts.values().sum(),
            ..row
        }
    }
}

/// The weakest of the criteria that a model implies and the history violates, and after how many operations that shows.
fn weakest(model: Model, criteria: &[Checked; 10]) -> Option<(String, u32)> {
    let mut violated = Guarantee::ALL.into_iter().zip(criteria).filter(|(guarantee, checked)| {
        guarantee.follows_from(model) && checked.finding == Some(Finding::Violation)
    });
    let (guarantee, checked) = violated.next()?;
    Some((guarantee.name().to_owned(), checked.operations.unwrap_or(0)))
}
