//! The history of a simulated run, as if a trace of it had been read.

use history::{BuildError, Crash, FileLine, History};
use simulate::simulation::Run;
use simulate::system::FaultKind;
use slicc::protocol::Protocol;
use slicc::source::Sources;

use crate::text::written_at;

/// The history of a run, with the protocol and how the run ended.
///
/// # Errors
/// Fails if the records contradict each other, which is a defect of the simulator.
pub fn history(run: &Run, protocol: &Protocol) -> Result<History, BuildError> {
    let mut history = run.history()?;
    annotate(&mut history, run, protocol);
    Ok(history)
}

/// Adds the protocol, its mutant and how the run ended to the history of a run.
pub fn annotate(history: &mut History, run: &Run, protocol: &Protocol) {
    history.provenance.protocol = Some(protocol.title());
    history.provenance.mutant = protocol.loaded.mutant.clone();
    let crash = crash(run, protocol.sources());
    history.provenance.ended = Some(ended(crash.as_ref()));
    history.provenance.crash = crash;
}

/// How a run ended, in the words that a reader of its trace uses.
fn ended(crash: Option<&Crash>) -> String {
    match crash {
        Some(crash) => format!("crashed ({})", crash.headline()),
        None => "all requests answered".to_owned(),
    }
}

/// The fault that ended a run, as the crash that a reader of gem5's output would find.
pub fn crash(run: &Run, sources: &Sources) -> Option<Crash> {
    let fault = run.fault.as_ref()?;
    let controller = fault.controller.as_deref();
    let (machine, version) = match controller.and_then(|name| name.rsplit_once(' ')) {
        Some((machine, version)) => (Some(machine.to_owned()), version.parse().ok()),
        None => (None, None),
    };
    let word = |key: &str| {
        let (_, rest) = fault.message.split_once(key)?;
        rest.split_ascii_whitespace().next().map(str::to_owned)
    };
    let is_invalid = fault.kind == FaultKind::InvalidTransition;
    Some(Crash {
        machine,
        version,
        state: word(" state: ").filter(|_| is_invalid),
        event: word(" event: ").filter(|_| is_invalid),
        address: fault.address,
        tick: Some(fault.tick),
        protocol_source: written_at(fault.span, sources)
            .map(|(file, line, _)| FileLine { file, line: line as u64 }),
        ..Crash::new(fault.kind.crash(), fault.message.clone())
    })
}
