//! Runs one random program on one kind of core, and determines its problems. [`Bench`] has what all programs of a test share.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use mutate::repair::Repaired;
use simulate::client::Client;
use simulate::recipe::{Lineage, Recipe};
use simulate::simulation::Simulation;
use simulate::system::Reached;
use slicc::protocol::Protocol;
use slicc::setting::Setting;

use super::deadlines::Deadlines;
use super::finding::FindingKind;
use super::judge::{Judge, Problem, Simulated, Suspicion};
use super::options::{Extent, Options};
use crate::error::Error;
use crate::protocols::{Opened, Repairs, words_of};
use crate::text::quoted;

/// The number of deadlocks after which suspicions are taken for granted when time is limited: with a protocol that deadlocks often, most of
/// the time would be spent on confirming them.
const CONFIRMED: u32 = 4;

/// The protocol as it is and with all repairs that fit, and the settings that all runs share.
pub(crate) struct Bench<'a> {
    pub opened: &'a Opened,
    pub repaired: &'a Repaired,
    pub judge: Judge<'a>,
    pub deadlines: Deadlines,
    settings: &'a [Setting],
    /// The repairs with which the protocol was opened, as commands name them.
    pub repairs: Repairs,
    /// Whether the transitions that the repaired protocol takes count as those of the protocol as it is.
    counts_repaired: bool,
    /// How many more deadlocks of the protocol as it is must be confirmed before suspicions are taken for granted.
    confirmations: AtomicU32,
}

/// A run of a program on the protocol as it is, and, if something went wrong, on the repaired one.
pub(super) struct Ran {
    pub client: Client,
    pub lineage: Lineage,
    /// The number of operations of both runs.
    pub operations: usize,
    /// The transitions of both runs: a known fault ends many runs of the protocol as it is before they get far.
    pub reached: Vec<Reached>,
    /// Whether one of the two runs was given up because time ran out. Then no problems are reported.
    pub is_given_up: bool,
    /// When the run had ended.
    pub ended: Instant,
    /// The problems of the run on the protocol as it is.
    pub problems: Vec<Problem>,
    /// The problems of the run on the repaired protocol; empty if no repairs fit, or if the run on the protocol as it is was clean.
    pub left: Vec<Problem>,
}

impl<'a> Bench<'a> {
    /// Creates a bench, after a check that a system can be built of the protocol, so that an error comes before anything runs.
    ///
    /// # Errors
    /// Fails if no such system can be built.
    pub(super) fn new(
        opened: &'a Opened,
        repaired: &'a Repaired,
        options: &'a Options,
        deadlines: Deadlines,
    ) -> Result<Bench<'a>, Error> {
        let checking = check::Options {
            timeout: Some(crate::campaign::TIMEOUT),
            max_memory: Some(options.max_memory),
            ..check::Options::default()
        };
        let bench = Bench {
            opened,
            repaired,
            judge: Judge { given: &opened.given, checking },
            deadlines,
            settings: &options.settings,
            repairs: opened.repairs_in_commands(&options.repairs),
            counts_repaired: has_same_numbers(&repaired.protocol, &opened.protocol),
            confirmations: AtomicU32::new(match options.extent {
                Extent::Runs(_) => u32::MAX,
                Extent::Time(_) => CONFIRMED,
            }),
        };
        let first = Lineage::root(options.seed).with_extras(options.extras.unwrap_or_default());
        let mut simulation = bench.simulation(&opened.protocol, Client::IN_ORDER, &first);
        // Some program will have read-modify-writes, even if this one has none.
        simulation.shape.rmws = simulation.shape.rmws.max(1);
        opened.plan(&simulation)?;
        Ok(bench)
    }

    /// Runs a program on the protocol, and if that shows a problem, on the repaired protocol.
    ///
    /// # Errors
    /// Fails if the system cannot be built, or if a certificate is wrong.
    pub(super) fn run(&self, client: Client, lineage: &Lineage) -> Result<Ran, Error> {
        let deadline = self.deadlines.running;
        let mut simulated =
            self.simulate_until(&self.opened.protocol, client, lineage, deadline)?;
        let mut is_given_up = simulated.run.is_given_up;
        let mut left = Vec::new();
        let (mut operations, mut reached) = (simulated.operations, simulated.run.reached());
        if !simulated.problems.is_empty() && !self.repaired.applied.is_empty() {
            let protocol = &self.repaired.protocol;
            let repaired = self.simulate_until(protocol, client, lineage, deadline)?;
            is_given_up |= repaired.run.is_given_up;
            operations += repaired.operations;
            if self.counts_repaired {
                reached.extend(repaired.run.reached());
            }
            left = repaired.problems;
        }
        if is_given_up {
            simulated.problems.clear();
        }
        Ok(Ran {
            client,
            lineage: lineage.clone(),
            operations,
            reached,
            is_given_up,
            ended: Instant::now(),
            problems: simulated.problems,
            left,
        })
    }

    /// Runs a program on a protocol, to analyse a finding. It is given up at the end of the test.
    ///
    /// # Errors
    /// Fails as [`Bench::run`] does.
    pub(super) fn simulate(
        &self,
        protocol: &Protocol,
        client: Client,
        lineage: &Lineage,
    ) -> Result<Simulated, Error> {
        self.simulate_until(protocol, client, lineage, self.deadlines.end)
    }

    fn simulate_until(
        &self,
        protocol: &Protocol,
        client: Client,
        lineage: &Lineage,
        deadline: Option<Instant>,
    ) -> Result<Simulated, Error> {
        let is_original = std::ptr::eq(protocol, &self.opened.protocol);
        let is_granted = is_original && self.confirmations.load(Ordering::Relaxed) == 0;
        let suspicion = if is_granted { Suspicion::Granted } else { Suspicion::Confirmed };
        let simulation = self.simulation(protocol, client, lineage);
        let simulated = self.judge.simulate(protocol, &simulation, suspicion, deadline)?;
        let is_deadlock = |one: &Problem| one.signature.kind == FindingKind::Deadlock;
        if is_original && simulated.problems.iter().any(is_deadlock) {
            self.confirm();
        }
        Ok(simulated)
    }

    /// Counts a confirmed deadlock of the protocol as it is.
    fn confirm(&self) {
        let less = |left: u32| left.checked_sub(1);
        // The subtraction fails at 0, which then stays.
        let _ = self.confirmations.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }

    fn simulation(&self, protocol: &Protocol, client: Client, lineage: &Lineage) -> Simulation {
        let mut simulation = Recipe::of(lineage).simulation(protocol, client);
        simulation.options.settings.extend(self.settings.iter().cloned());
        simulation
    }

    /// The protocol as it was opened, or with all repairs.
    pub(super) fn protocol(&self, is_repaired: bool) -> &Protocol {
        if is_repaired { &self.repaired.protocol } else { &self.opened.protocol }
    }

    /// Whether the time for analysing findings is over.
    pub(super) fn is_over(&self) -> bool {
        self.deadlines.is_over()
    }

    /// The repairs of the protocol as it was opened, or of that with all repairs, as commands name them.
    pub(super) fn repairs(&self, is_repaired: bool) -> &Repairs {
        if is_repaired { &Repairs::All } else { &self.repairs }
    }

    /// The command that reproduces a run, on the protocol as it was opened or with all repairs.
    pub(super) fn command(&self, client: Client, lineage: &Lineage, is_repaired: bool) -> String {
        let repair = match self.repairs(is_repaired) {
            Repairs::None => String::new(),
            repairs => format!(" --repair {repairs}"),
        };
        let settings = self.settings.iter();
        let settings = settings.map(|one| format!(" --set {}", quoted(&one.to_string())));
        format!(
            "rubric simulate {}{repair} --client {client} --recipe {lineage}{} --check",
            words_of(&self.opened.given),
            settings.collect::<String>()
        )
    }
}

/// Whether transitions have the same numbers in two protocols (`simulate::system::Reached`): machines, states and events are the
/// same, in the same order.
fn has_same_numbers(one: &Protocol, other: &Protocol) -> bool {
    let (machines, others) = (&one.program.machines, &other.program.machines);
    let mut pairs = machines.iter().zip(others);
    machines.len() == others.len()
        && pairs.all(|(a, b)| a.name == b.name && a.states == b.states && a.events == b.events)
}
