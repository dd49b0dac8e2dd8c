//! The report of a test as JSON.

use std::io::{self, Write};

use ingest::axe;
use lab::testing::{Evidence, Explored, Finding, Known, Options, Tested};
use serde_json::{Value, json};

use super::text;

/// Version of the JSON object.
const VERSION: u32 = 1;

/// Prints the report as one object.
pub fn print(tested: &Tested, options: &Options, out: &mut dyn Write) -> io::Result<()> {
    let value = json!({
        "version": VERSION,
        "protocol": tested.opened.given,
        "seed": options.seed,
        "runs": tested.runs,
        "clients": options.clients.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "given_up": tested.given_up,
        "operations": tested.operations,
        "seconds": tested.elapsed.as_secs_f64(),
        "repaired": tested.opened.protocol.loaded.repairs,
        "repairs": tested.repairs,
        "warnings": tested.warnings.len(),
        "coverage": text::coverage(tested),
        "explored": tested.explored.iter().map(explored).collect::<Vec<_>>(),
        "findings": tested.findings.iter().map(finding).collect::<Vec<_>>(),
    });
    writeln!(out, "{value}")
}

/// The exploration of a small system as JSON.
pub fn explored(explored: &Explored) -> Value {
    json!({
        "threads": explored.system.threads,
        "locations": explored.system.locations,
        "tiny": explored.system.tiny,
        "dma": explored.system.devices,
        "atomics": explored.system.atomics,
        "flushes": explored.system.flushes,
        "states": explored.progress.states,
        "complete": explored.stopped.is_none() && !explored.is_found,
        "found": explored.is_found,
        "repaired_states": explored.repaired.map(|progress| progress.states),
    })
}

/// A finding as JSON.
pub fn finding(finding: &Finding) -> Value {
    json!({
        "kind": finding.signature.kind.to_string(),
        "about": finding.signature.place,
        "message": finding.message,
        "file": finding.source.as_ref().map(|source| &source.file),
        "line": finding.source.as_ref().map(|source| source.line),
        "clients": finding.clients,
        "seen": finding.seen,
        "also": finding.also.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "known": finding.known.as_ref().map(Known::all),
        "known_sets": finding.known.as_ref().map(|known| known.sets().collect::<Vec<_>>()),
        "command": finding.command,
        "part": part(&finding.evidence),
        "operations": operations(&finding.evidence),
        "evidence": text::evidence(finding),
    })
}

/// The operations of the smallest part of a violation, with their threads and indices in the whole run, in the order of the part.
fn operations(evidence: &Evidence) -> Option<Vec<Value>> {
    let Evidence::Part(part) = evidence else {
        return None;
    };
    let operation = |op| {
        let operation = part.whole.operation(op);
        json!({ "thread": operation.thread, "index": operation.index })
    };
    let accesses = part.shrunk.kept.iter().filter(|&&op| !part.whole.is_further_part(op));
    Some(accesses.map(|&op| operation(op)).collect())
}

/// The smallest part of a violation as axe text; `None` if axe text cannot express it.
fn part(evidence: &Evidence) -> Option<String> {
    let Evidence::Part(part) = evidence else {
        return None;
    };
    let mut text = Vec::new();
    axe::write_small(&part.shrunk.history, &mut text).ok()?;
    String::from_utf8(text).ok()
}
