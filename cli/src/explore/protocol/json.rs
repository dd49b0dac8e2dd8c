//! Report of an exploration as JSON Lines.

use std::io::{self, Write};

use explore::protocol::{LiveVariables, PartialOrder, Verdict, Violation, WarningRun};
use serde_json::{Value, json};

use super::super::memory_system;
use super::moves::steps;
use super::repertoire::Also;
use super::subject::{Explored, Subject, Warned};
use super::{Args, KeptOrder, fair, unreached};

/// Version of the JSON object. Version 2 calls the findings `SWMR violation` and `stale value`.
const VERSION: u32 = 2;

/// Prints one exploration as a line.
pub fn print(
    args: &Args,
    subject: &Subject,
    explored: &Explored,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{}", value(args, subject, explored))
}

/// One exploration as JSON.
pub fn value(args: &Args, subject: &Subject, explored: &Explored) -> Value {
    let progress = &explored.exploration.progress;
    let mut line = json!({
        "version": VERSION,
        "protocol": subject.given,
        "mutant": subject.mutant(),
        "threads": args.threads,
        "locations": args.locations,
        "tiny": args.tiny,
        "requests": args.requests,
        "threads_per_cache": args.threads_per_cache.unwrap_or(1),
        "l2_banks": args.l2_banks.unwrap_or(1),
        "directories": args.directories.unwrap_or(1),
        "order": match args.order {
            KeptOrder::Buffers => "buffers",
            KeptOrder::Vnets => "vnets",
        },
        "also": args.repertoire.also().into_iter().map(Also::name).collect::<Vec<_>>(),
        "dma": args.repertoire.devices(),
        "states": progress.states,
        "open": progress.open,
        "moves": progress.moves,
        "depth": progress.depth,
        "bytes": progress.bytes,
        "bytes_of_parts": progress.bytes_of_parts,
        "bytes_of_moves": progress.bytes_of_moves,
        "seconds": progress.time.as_secs_f64(),
        "states_per_second": progress.states_per_second(),
        "coverage": explored.coverage,
        "command": args.command(subject),
    });
    let used = explored.exploration.symmetries.iter();
    line["symmetries"] = used.map(|symmetry| symmetry.name()).collect();
    let unused = explored.exploration.asymmetries.iter();
    line["asymmetries"] = unused
        .map(|one| json!({ "of": one.symmetry.name(), "reason": subject.why(&one.reason) }))
        .collect();
    line["partial_order"] = match explored.exploration.partial_order {
        PartialOrder::Off => "off",
        PartialOrder::On => "on",
        PartialOrder::Refused => "refused",
    }
    .into();
    line["live_variables"] = match explored.exploration.live_variables {
        LiveVariables::Off => "off",
        LiveVariables::On => "on",
        LiveVariables::Refused => "refused",
    }
    .into();
    let warnings = explored.exploration.warnings.iter().zip(&explored.warned);
    line["warnings"] = warnings.map(|(run, warned)| warning(run, warned)).collect();
    match &explored.exploration.verdict {
        Verdict::Clean => line["outcome"] = "clean".into(),
        Verdict::Unproved { missed } => {
            line["outcome"] = "unproved".into();
            line["missed"] = (*missed).into();
        }
        Verdict::Found(found) => {
            line["outcome"] = "found".into();
            line["found"] = violation(found, explored);
            line["known"] = json!(explored.known.as_ref().map(|known| &known.repairs));
        }
        Verdict::Stopped(why) => {
            line["outcome"] = "stopped".into();
            line["stopped"] = why.name("states").into();
        }
    }
    if let Some(rest) = &explored.unreached {
        line["unreached"] = unreached::value(rest, &explored.exploration);
    }
    if let Some(fair) = &explored.fair {
        line["fair"] = fair::value(fair);
    }
    if args.nice_cycles {
        let searches = explored.searches.iter().map(memory_system::search_line);
        line["searches"] = searches.collect();
    }
    line
}

fn warning(run: &WarningRun, warned: &Warned) -> Value {
    let mut value = json!({
        "message": run.warning.message,
        "known": warned.known.as_ref().map(|known| &known.repairs),
        "steps": steps(&run.steps),
    });
    if let Some((file, line, _)) = &warned.place {
        value["file"] = file.as_str().into();
        value["line"] = (*line).into();
    }
    value
}

fn violation(found: &Violation, explored: &Explored) -> Value {
    let mut value = json!({
        "kind": found.finding.name(),
        "what": found.sentence(),
        "steps": steps(&found.steps),
    });
    if let Some(latest) = found.latest_sentence() {
        value["latest"] = latest.into();
    }
    if !found.left.is_empty() {
        value["left"] = json!(found.left);
    }
    if let Some(fault) = &found.fault {
        value["fault"] = json!({ "kind": fault.kind.name(), "message": fault.message });
        if let Some((file, line, _)) = &explored.place {
            value["fault"]["file"] = file.as_str().into();
            value["fault"]["line"] = (*line).into();
        }
    }
    value
}
