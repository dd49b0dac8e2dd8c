//! Why a simulated run stopped, for whoever works on the protocol.

use simulate::simulation::Run;
use simulate::source::Sources;
use simulate::system::Fault;

/// What happened, where in the protocol, and what came before it; one line for each.
pub fn lines(fault: &Fault, sources: &Sources, command: &str) -> Vec<String> {
    let mut lines = vec![fault.message.clone()];
    if let Some((file, line, text)) = place(fault, sources) {
        lines.push(format!("  at {file}:{line}: {text}"));
    }
    if let (Some(address), false) = (fault.address, fault.recent.is_empty()) {
        lines.push(format!(
            "  the last transitions and messages for {address:#x}:"
        ));
        lines.extend(fault.recent.iter().map(|line| format!("  {line}")));
    }
    lines.push(format!("  to repeat it: {command}"));
    lines.iter().map(|line| tame(line)).collect()
}

/// A text without what a terminal takes for a command: nothing in a protocol's texts may reach it as
/// one.
pub fn tame(text: &str) -> String {
    text.replace(char::is_control, "\u{fffd}")
}

/// How a run ended, as a reader of its trace would say.
pub fn ended(run: &Run) -> String {
    match &run.fault {
        Some(fault) => format!("aborted (panic: {})", fault.message),
        None => "all requests answered".to_owned(),
    }
}

/// File and line that the protocol was at, and what is written there.
pub fn place(fault: &Fault, sources: &Sources) -> Option<(String, usize, String)> {
    let span = fault.span?;
    let (path, line, _) = sources.position(span);
    let text = sources.text(span).lines().next().unwrap_or("").trim();
    Some((path.display().to_string(), line, text.to_owned()))
}
