//! Descriptions of why a simulated run stopped, for the authors of its protocol.

use settings::Setting;
use simulate::system::{Fault, Warning};
use slicc::builtin::builtin;
use slicc::source::Sources;

use crate::protocols::Opened;
use crate::text::{quoted, tame, written_at};

/// Lines about a fault: what happened, where in the protocol, and which transitions and messages came before it.
pub fn lines(fault: &Fault, opened: &Opened, command: &str) -> Vec<String> {
    let mut lines = vec![fault.message.clone()];
    if let Some((file, line, text)) = written_at(fault.span, opened.protocol.sources()) {
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

/// The command that prints a place of a protocol; `None` unless the protocol is built in, so that the user has no file to look
/// into.
fn how_to_print(opened: &Opened, place: &str) -> Option<String> {
    builtin(&opened.given)?;
    let mutant = opened.mutant().map(|mutant| format!(" --mutant {}", quoted(mutant)));
    let mutant = mutant.unwrap_or_default();
    Some(format!("  to see the place: rubric protocol source {} {place}{mutant}", opened.given))
}

/// Lines about a warning: its message, its place in the protocol, and the command that reproduces it.
pub fn warning(warning: &Warning, sources: &Sources, command: &str) -> Vec<String> {
    let mut lines = vec![format!("warning: {}", warning.message)];
    if let Some((file, line, text)) = written_at(warning.span, sources) {
        lines.push(format!("  at {file}:{line}: {text}"));
    }
    if warning.count > 1 {
        lines.push(format!("  {} times in this run", warning.count));
    }
    lines.push(format!("  reproduce with ({} makes it a fault): {command}", Setting::Strict));
    lines.iter().map(|line| tame(line)).collect()
}
