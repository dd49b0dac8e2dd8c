//! Protocols as the command needs them.

use std::collections::BTreeSet;

use report::coverage::Reached;
use simulate::config::{Options, Plan};
use simulate::simulation::Simulation;
use slicc::load::Failure;
use slicc::mutant::touched::Place;
use slicc::mutant::{Mutant, unreached};
use slicc::protocol::Protocol;
use slicc::setting::Setting;
use slicc::source::{Diagnostic, Sources};

use super::coverage::Covered;
use super::fault::tame;
use crate::error::Error;
use crate::mutants;
use crate::protocol::diagnostics;

/// A protocol that can run.
pub struct Opened {
    /// What the user called it.
    pub given: String,
    /// It.
    pub protocol: Protocol,
}

impl Opened {
    /// Opens a protocol: a built-in name or the path of a `.slicc` file; or a mutant of it.
    pub fn new(given: &str, mutant: Option<&str>) -> Result<Opened, Error> {
        let mut protocol = Protocol::open(given).map_err(|failure| refused(given, &failure))?;
        if let Some(name) = mutant {
            let mutant = mutants::find(name, given, &protocol)?;
            protocol = with(given, &protocol, &mutant)?;
        }
        Ok(Opened {
            given: given.to_owned(),
            protocol,
        })
    }

    /// Says on standard error how it is known which of its buffers are ordered, if no script of gem5 says it.
    pub fn tell_order(&self, settings: &[Setting]) {
        if let Some(notice) = self.protocol.order_notice(settings) {
            eprintln!("rubric: warning: {}", tame(&notice));
        }
    }

    /// It with a fault put in.
    pub fn with(&self, mutant: &Mutant) -> Result<Protocol, Error> {
        with(&self.given, &self.protocol, mutant)
    }

    /// What to call it: as the user did, and the mutant that it is.
    pub fn title(&self) -> String {
        match self.mutant() {
            Some(mutant) => format!("{} with {mutant}", self.given),
            None => self.given.clone(),
        }
    }

    /// The mutant that it is, if it is one.
    pub fn mutant(&self) -> Option<&str> {
        self.protocol.loaded.mutant.as_deref()
    }

    /// Plans a system.
    pub fn plan(&self, simulation: &Simulation) -> Result<Plan, Error> {
        let plan = simulation.plan(&self.protocol);
        plan.map_err(|errors| refusal(&self.given, self.protocol.sources(), &errors))
    }

    /// Plans a system without saying what runs on it.
    pub fn plan_of(&self, options: &Options) -> Result<Plan, Error> {
        let plan = Plan::of(&self.protocol, options);
        plan.map_err(|errors| refusal(&self.given, self.protocol.sources(), &errors))
    }
}

fn with(given: &str, protocol: &Protocol, mutant: &Mutant) -> Result<Protocol, Error> {
    let mutated = protocol.with(mutant);
    mutated.map_err(|failure| refused(given, &failure))
}

/// A protocol that cannot be used.
pub fn refused(given: &str, failure: &Failure) -> Error {
    refusal(given, &failure.sources, &failure.diagnostics)
}

/// Whether a system has controllers of a machine.
pub fn has_controllers(plan: &Plan, machine: &str) -> bool {
    let mut machines = plan.machines.iter();
    machines.any(|one| &*one.name == machine && !one.instances.is_empty())
}

/// How much of a protocol's table was taken: of the transitions that do not stall, of machines that have
/// controllers.
pub fn reached(protocol: &Protocol, plan: &Plan, taken: &BTreeSet<Covered<'_>>) -> Reached {
    let reasons = unreached::of(protocol);
    let mut reached = Reached::default();
    for entry in table(protocol, plan) {
        let place = Place::new(entry.machine, entry.state, entry.event);
        reached.add(taken.contains(&entry), reasons.contains_key(&place));
    }
    reached
}

/// The transitions of the table that can be taken, of machines that have controllers: those that
/// stall are none.
fn table<'a>(protocol: &'a Protocol, plan: &Plan) -> BTreeSet<Covered<'a>> {
    let machines = protocol
        .program
        .machines
        .iter()
        .filter(|machine| has_controllers(plan, &machine.name));
    let rows = machines.flat_map(|machine| {
        let takeable = machine
            .transitions
            .iter()
            .filter(|transition| !transition.stalls);
        takeable.map(|transition| Covered {
            machine: &machine.name,
            state: &machine.states[usize::from(transition.state)],
            event: &machine.events[usize::from(transition.event)],
        })
    });
    rows.collect()
}

/// What is wrong with a protocol; or, if it is about no place in its files, with what was asked.
pub fn refusal(given: &str, sources: &Sources, diagnostics: &[Diagnostic]) -> Error {
    let about_files = |one: &Diagnostic| one.span.is_some();
    if diagnostics.iter().any(about_files) {
        return diagnostics::refusal(given, sources, diagnostics);
    }
    let sentences = diagnostics.iter().map(|one| match &one.hint {
        Some(hint) => format!("{}: {hint}", one.message),
        None => one.message.clone(),
    });
    let text = sentences.collect::<Vec<_>>().join("; ");
    let says_what = text.starts_with(given) || text.starts_with("--");
    Error::Usage(if says_what {
        text
    } else {
        format!("{given}: {text}")
    })
}
