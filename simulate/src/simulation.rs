//! A single run of a protocol: [`Simulation`] describes it, and [`Run`] is its result.

use history::History;
use slicc::protocol::Protocol;

use crate::client::Client;
use crate::config::{Options, Plan};
use crate::error::SetupError;
use crate::program::{Program, ProgramSize};
use crate::system::{Covered, Fault, Reached, Setup, System, Tally, Warning};
use crate::trace::{self, Layout, Output, Trace};

/// A simulation: a program, the kind of cores and the system that run it.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The program.
    pub shape: ProgramSize,
    /// The cores that run it.
    pub client: Client,
    /// The system that they run on. `threads`, `block_bytes` and `send_evictions` are overwritten
    /// with values that follow from the rest.
    pub options: Options,
    /// Cycles after which an unanswered request is a deadlock.
    pub deadlock_threshold: Option<u64>,
}

/// The result of a run, whether it completed or failed.
pub struct Run {
    /// The fault that ended the run early, if any.
    pub fault: Option<Box<Fault>>,
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
            // As in gem5's scripts. A reservation ends when the line leaves the cache, and some
            // protocols keep the entry.
            send_evictions: self.client.needs_evictions()
                || self.shape.rmws > 0 && self.shape.linked > 0,
            ..self.options.clone()
        }
    }

    /// Plans the system for a protocol.
    ///
    /// # Errors
    /// Fails as [`Plan::of`] does.
    pub fn plan(&self, protocol: &Protocol) -> Result<Plan, Vec<slicc::source::Diagnostic>> {
        Plan::of(protocol, &self.settled_options())
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

    /// The same, with a first line in the trace that says how the run was made. Readers of traces
    /// have to skip it, as they skip gem5's `command line: ...`.
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
        let options = self.settled_options();
        let program = Program::random(&self.shape);
        let seed = options.timing.unwrap_or(self.shape.seed);
        let cores = self.client.cores(&program, seed, options.block_bytes);
        let layout = if plan.machines.iter().any(|machine| &*machine.name == "CorePair") {
            Layout::Pairs
        } else {
            Layout::Single
        };
        let trace = trace.map(|output| {
            let options = trace::Options {
                fetch_port: program.has_fetches(),
                ..trace::Options::new(plan.sequencers, layout)
            };
            Trace::titled(options, output, title)
        });
        let mut system = System::new(Setup {
            program: std::sync::Arc::clone(&protocol.program),
            plan,
            options: &options,
            cores,
            trace,
            seed,
            deadlock_threshold: self.deadlock_threshold,
        })?;
        let fault = system.simulate().err();
        let fault = fault.or_else(|| system.nothing_completed());
        Ok(Run { fault, warnings: system.take_warnings(), tally: system.tally().clone(), system })
    }
}

impl Run {
    /// The history of the program, up to the end of the run.
    ///
    /// # Errors
    /// Fails if the records of the cores contradict each other, which is a defect of the runtime.
    pub fn history(&self) -> Result<History, history::BuildError> {
        let records = self.system.cores().map(|core| core.records());
        crate::record::history(records, history::Provenance::default())
    }

    /// The transitions that were taken.
    pub fn coverage(&self) -> Vec<Covered<'_>> {
        self.system.coverage()
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
