//! The outcome of a run.

use check::{Options, Verdict, check};
use history::{Ambiguity, ReadsFrom};
use simulate::simulation::{Run, Simulation};
use simulate::trace::Output;
use slicc::protocol::Protocol;

/// The failure of a run, if any: how it ended early, or that it violates the model of its client.
pub(crate) fn effect(protocol: &Protocol, simulation: &Simulation) -> Option<String> {
    let plan = simulation.plan(protocol).unwrap();
    let run = simulation.run(protocol, &plan, None).unwrap();
    if let Some(fault) = &run.fault {
        return Some(fault.kind.name().to_owned());
    }
    violation(simulation, &run)
}

/// The violation of the model of its client by the operations of a run, whether it completed or not.
pub(crate) fn violation(simulation: &Simulation, run: &Run) -> Option<String> {
    let history = run.history().unwrap();
    let model = simulation.client.model();
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
    match check(&history, &reads_from, model, &Options::default()).verdict {
        Verdict::Consistent(_) => None,
        Verdict::Violation(_) => Some(format!("{model} violation")),
        other => panic!("{other:?}"),
    }
}

/// The trace of a run, and the run.
pub(crate) fn traced(protocol: &Protocol, simulation: &Simulation) -> (Vec<u8>, Run) {
    let plan = simulation.plan(protocol).unwrap();
    let run = simulation.run(protocol, &plan, Some(Output::Memory));
    let mut run = run.unwrap();
    (run.finish_trace().unwrap(), run)
}
