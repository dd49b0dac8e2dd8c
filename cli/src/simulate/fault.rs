//! Descriptions of why a simulated run stopped, for the authors of its protocol.

use history::{Crash, FileLine};
use lab::protocols::Opened;
use lab::text::{quoted, tame, written_at};
use simulate::simulation::Run;
use simulate::system::{Fault, FaultKind, Warning};
use slicc::builtin::builtin;
use slicc::source::Sources;

/// Lines that say what happened, where in the protocol, and what came before it.
pub fn lines(fault: &Fault, opened: &Opened, command: &str) -> Vec<String> {
    let mut lines = vec![fault.message.clone()];
    if let Some((file, line, text)) = place(fault, opened.protocol.sources()) {
        lines.push(format!("  at {file}:{line}: {text}"));
        lines.extend(how_to_print(opened, &format!("{file}:{line}")));
    }
    if let (Some(address), false) = (fault.address, fault.recent.is_empty()) {
        lines.push(format!("  the last transitions and messages for {address:#x}:"));
        lines.extend(fault.recent.iter().map(|line| format!("  {line}")));
    }
    lines.push(format!("  reproduce with: {command}"));
    lines.iter().map(|line| tame(line)).collect()
}

/// The command that prints a place, if its protocol is built in, so that there is no file to look into.
fn how_to_print(opened: &Opened, place: &str) -> Option<String> {
    builtin(&opened.given)?;
    let mutant = opened.mutant().map(|mutant| format!(" --mutant {}", quoted(mutant)));
    let mutant = mutant.unwrap_or_default();
    Some(format!("  to see the place: rubric protocol source {} {place}{mutant}", opened.given))
}

/// Lines that say what a warning is about, where in the protocol, and how to reproduce it.
pub fn warning(warning: &Warning, sources: &Sources, command: &str) -> Vec<String> {
    let mut lines = vec![format!("warning: {}", warning.message)];
    if let Some((file, line, text)) = written_at(warning.span, sources) {
        lines.push(format!("  at {file}:{line}: {text}"));
    }
    if warning.count > 1 {
        lines.push(format!("  {} times in this run", warning.count));
    }
    lines.push(format!("  reproduce with (--strict makes it a fault): {command}"));
    lines.iter().map(|line| tame(line)).collect()
}

/// How a run ended, in the words that a reader of its trace uses.
pub fn ended(run: &Run) -> String {
    match &run.fault {
        Some(fault) => format!("crashed ({}: {})", fault.kind.crash(), fault.message),
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
        protocol_source: place(fault, sources)
            .map(|(file, line, _)| FileLine { file, line: line as u64 }),
        ..Crash::new(fault.kind.crash(), fault.message.clone())
    })
}

/// File and line that the protocol was at, and what is written there.
pub fn place(fault: &Fault, sources: &Sources) -> Option<(String, usize, String)> {
    written_at(fault.span, sources)
}
