//! A single run of a protocol: [`Simulation`] describes it, and [`Run`] is its result.

use std::time::Instant;

use history::History;
use history::random::Rng;
use settings::Setting;
use slicc::protocol::Protocol;
use slicc::scripts::Script;
use slicc::source::Diagnostic;

use crate::client::Client;
use crate::config::{Options, Plan, lacks_reservations, unhandled};
use crate::error::SetupError;
use crate::program::{Edit, EditKind, Program, ProgramSize};
use crate::system::{
    Covered, Fault, Played, Reached, RunEnd, Setup, System, TakenCounts, Tally, Warning,
};
use crate::trace::{self, Layout, Output, Trace};

/// Separates the random choices of a variation from those of the run with the same seed.
const VARY: u64 = 0x56_41_52_59;

/// A simulation: a program, the kind of cores and the system that run it.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The size of the program, and the mix of its operations.
    pub shape: ProgramSize,
    /// The cores that run it.
    pub client: Client,
    /// The system that they run on. `threads`, `devices`, `block_bytes`, `send_evictions` and
    /// `suppresses_functional_errors` are overwritten with values that follow from the rest.
    pub options: Options,
    /// Cycles after which an unanswered request is a deadlock.
    pub deadlock_threshold: Option<u64>,
}

/// The result of a run, whether it completed or failed.
pub struct Run {
    /// The fault that ended the run early, if any.
    pub fault: Option<Box<Fault>>,
    /// Whether a deadline ended the run before it completed or failed. It then shows nothing about the protocol.
    pub is_given_up: bool,
    /// Warnings about mistakes that gem5 accepts, in the order in which each first occurred.
    pub warnings: Vec<Warning>,
    /// Statistics of the run.
    pub tally: Tally,
    system: System,
}

impl Simulation {
    /// The options, with the values that follow from the rest.
    fn settled_options(&self) -> Options {
        Options {
            threads: self.shape.threads,
            devices: self.shape.extras.devices,
            suppresses_functional_errors: self.shape.extras.suppressed > 0,
            // As in gem5's scripts. A reservation ends when the line leaves the cache, and some
            // protocols keep the entry.
            send_evictions: self.client.needs_evictions()
                || self.shape.rmws > 0 && self.shape.linked > 0,
            ..self.options.clone()
        }
    }

    /// A variation of the run: with another timing, or with a small change of the program. The same seed gives the
    /// same variation.
    #[must_use]
    pub fn vary(&self, seed: u64) -> Simulation {
        let mut rng = Rng::new(seed, VARY);
        let mut varied = self.clone();
        if rng.percent(50) {
            varied.options.timing = Some(rng.below(u64::MAX));
        } else {
            let kind = rng.one_of(&EditKind::ALL);
            varied.shape.edits.push(Edit { kind, seed: rng.below(u64::MAX) });
        }
        varied
    }

    /// The size of the program. Without locked accesses in the protocol, every read-modify-write is
    /// a load-linked with a store-conditional.
    fn settled_shape(&self, protocol: &Protocol) -> ProgramSize {
        let script = Script::find(protocol.name(), &protocol.declared());
        let has_locks = script.is_none_or(|script| script.known.has_locks());
        let linked = if has_locks { self.shape.linked } else { 100 };
        ProgramSize { linked, ..self.shape.clone() }
    }

    /// The program that the cores run.
    pub fn program(&self, protocol: &Protocol) -> Program {
        Program::random(&self.settled_shape(protocol))
    }

    /// The seed of the random choices of cores.
    pub fn timing(&self) -> u64 {
        self.options.timing.unwrap_or(self.shape.seed)
    }

    /// Plans the system for a protocol.
    ///
    /// # Errors
    /// Fails as [`Plan::of`] does, for DMA devices and flushes if the protocol handles none, and for read-modify-writes if its caches keep
    /// no reservations.
    pub fn plan(&self, protocol: &Protocol) -> Result<Plan, Vec<Diagnostic>> {
        if let Some(error) = unhandled(protocol, self.shape.extras) {
            return Err(vec![error]);
        }
        let plan = Plan::of(protocol, &self.settled_options())?;
        if lacks_reservations(protocol, &plan, &self.shape) {
            return Err(vec![no_reservations()]);
        }
        Ok(plan)
    }

    /// Runs the simulation on a protocol. If `trace` is given, the trace is written there.
    ///
    /// # Errors
    /// Fails if the plan does not fit the protocol. A failure of the protocol is not an error, but
    /// the [`Fault`] of the run.
    pub fn run(
        &self,
        protocol: &Protocol,
        plan: &Plan,
        trace: Option<Output>,
    ) -> Result<Run, SetupError> {
        self.run_titled(protocol, plan, trace, None)
    }

    /// Runs the simulation without a trace, and gives it up at a deadline. A run that was not given up is the
    /// same as without a deadline.
    ///
    /// # Errors
    /// Fails as [`Simulation::run`] does.
    pub fn run_until(
        &self,
        protocol: &Protocol,
        plan: &Plan,
        deadline: Option<Instant>,
    ) -> Result<Run, SetupError> {
        Ok(finished(self.system(protocol, plan, None, None)?, deadline))
    }

    /// Runs the simulation as [`Simulation::run`] does, with `title` as the first line of the trace, which says how the
    /// run was made. Readers of traces have to skip it, as they skip gem5's `command line: ...`.
    ///
    /// # Errors
    /// Fails as [`Simulation::run`] does.
    pub fn run_titled(
        &self,
        protocol: &Protocol,
        plan: &Plan,
        trace: Option<Output>,
        title: Option<&str>,
    ) -> Result<Run, SetupError> {
        Ok(finished(self.system(protocol, plan, trace, title)?, None))
    }

    /// The system at the start of the run.
    fn system(
        &self,
        protocol: &Protocol,
        plan: &Plan,
        trace: Option<Output>,
        title: Option<&str>,
    ) -> Result<System, SetupError> {
        let options = self.settled_options();
        let program = self.program(protocol);
        let seed = self.timing();
        let has_fetches = program.has_fetches();
        let cores =
            self.client.cores(program, seed, options.block_bytes, self.shape.extras.functional);
        let layout = if plan.machines.iter().any(|machine| &*machine.name == "CorePair") {
            Layout::Pairs
        } else {
            Layout::Single
        };
        let trace = trace.map(|output| {
            let options = trace::Options {
                fetch_port: has_fetches,
                packets: self.shape.extras.partial > 0,
                clients: options.threads + options.devices,
                ..trace::Options::new(plan.sequencers, layout)
            };
            Trace::titled(options, output, title)
        });
        System::new(Setup {
            program: std::sync::Arc::clone(&protocol.program),
            plan,
            options: &options,
            cores,
            trace,
            seed,
            deadlock_threshold: self.deadlock_threshold,
        })
    }
}

/// The error that a load-linked has nothing to reserve.
fn no_reservations() -> Diagnostic {
    let message = "alloc_on_seq_acc=false: a data cache that keeps no lines keeps no reservations, so no \
                   store-conditional succeeds, and programs may have read-modify-writes";
    let hint = format!(
        "let home nodes perform them, with {} {}; or, where there is the option, leave them out with {}",
        Setting::Atomics.to(100),
        Setting::Set.to("policy_type=1"),
        Setting::Rmws.to(0)
    );
    let error = Diagnostic::error(Default::default(), message.to_owned());
    Diagnostic { span: None, ..error }.hint(hint)
}

/// Lets a system run to its end, or to the deadline.
fn finished(mut system: System, deadline: Option<Instant>) -> Run {
    let (fault, is_given_up) = match system.simulate(deadline) {
        Ok(RunEnd::Complete) => (system.nothing_completed(), false),
        Ok(RunEnd::GivenUp) => (None, true),
        Err(fault) => (Some(fault), false),
    };
    let (warnings, tally) = (system.take_warnings(), system.tally().clone());
    Run { fault, is_given_up, warnings, tally, system }
}

impl Run {
    /// The history of the program, up to the end of the run.
    ///
    /// # Errors
    /// Fails if the records of the cores contradict each other, which is a defect of the runtime.
    pub fn history(&self) -> Result<History, history::BuildError> {
        let records = self.system.cores().map(|core| core.records());
        crate::record::history(records)
    }

    /// The number of operations of [`Run::history`], which is not built for this. Cost: linear.
    pub fn operations(&self) -> usize {
        self.system.cores().map(|core| core.records().shown()).sum()
    }

    /// The last actions of controllers for the line at which the run failed, if it failed at one.
    pub fn played(&self) -> Option<Played> {
        let address = self.fault.as_ref()?.address?;
        Some(self.system.played(address))
    }

    /// The transitions that were taken.
    pub fn coverage(&self) -> Vec<Covered<'_>> {
        self.system.coverage()
    }

    /// How often each transition was taken, by numbers.
    pub fn taken(&self) -> &TakenCounts {
        self.system.taken()
    }

    /// The transitions that the protocol stalled.
    pub fn stalls(&self) -> Vec<Covered<'_>> {
        self.system.stalls()
    }

    /// The triples of machine, state and event that were reached, by their numbers.
    pub fn reached(&self) -> Vec<Reached> {
        self.system.reached()
    }

    /// Ends the trace; after a fault, with a line that reports it as gem5 would. Returns the text
    /// if the trace was kept in memory.
    ///
    /// # Errors
    /// Fails if the trace could not be written.
    pub fn finish_trace(&mut self) -> std::io::Result<Vec<u8>> {
        let Some(mut trace) = self.system.take_trace() else {
            return Ok(Vec::new());
        };
        if let Some(fault) = &self.fault {
            trace.note(&format!("panic: {}", fault.message.replace('\n', " ")));
        }
        trace.finish()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::recipe::Recipe;

    #[test]
    fn a_run_is_given_up_at_its_deadline() {
        let protocol = Protocol::open("MI_example").unwrap();
        let simulation = Recipe::random(1).simulation(&protocol, Client::IN_ORDER);
        let plan = simulation.plan(&protocol).unwrap();
        let run = |deadline| simulation.run_until(&protocol, &plan, deadline).unwrap();
        let now = Instant::now();
        let late = run(Some(now));
        assert!(late.is_given_up && late.fault.is_none());
        let whole = run(None);
        let in_time = run(now.checked_add(Duration::from_secs(3600)));
        assert!(!whole.is_given_up && !in_time.is_given_up);
        assert_eq!(whole.tally.transitions, in_time.tally.transitions);
        assert!(late.tally.transitions < whole.tally.transitions);
    }

    #[test]
    fn variations_change_the_program_or_the_timing() {
        let protocol = Protocol::open("MI_example").unwrap();
        let simulation = Recipe::random(1).simulation(&protocol, Client::IN_ORDER);
        let varied: Vec<Simulation> = (0..20).map(|seed| simulation.vary(seed)).collect();
        let edited = varied.iter().filter(|one| one.shape.edits != simulation.shape.edits).count();
        let timed = varied.iter().filter(|one| one.options.timing.is_some()).count();
        assert_eq!(edited + timed, 20);
        assert!(edited > 3 && timed > 3, "{edited}, {timed}");
    }
}
