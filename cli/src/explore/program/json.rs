//! Report of an exploration as JSON Lines.

use std::io::{self, Write};

use ::explore::program::bounded::Violation;
use ::explore::program::compile::Program;
use ::explore::program::exhaustive::{Move, Report};
use ::explore::program::fences::Suggestion;
use ::explore::program::machine::{Event, Fault};
use serde_json::{Value, json};

use super::run;
use super::subject::{Explored, Searched, Subject};

/// Prints the exploration of a program as one object on a line.
pub(super) fn print(explored: &Explored<'_>, out: &mut dyn Write) -> io::Result<()> {
    let subject = explored.subject;
    let program = &subject.program;
    let threads: Vec<&str> = program.threads.iter().map(|it| it.name.as_str()).collect();
    let searches = explored.searches.iter().map(|it| searched(subject, it));
    let exhaustive = explored.exhaustive.iter().map(|it| exhaustive(subject, it));
    let fences = explored.fences.iter().map(|it| fences(program, it));
    let value = json!({
        "program": subject.name,
        "threads": threads,
        "locations": program.locations,
        "searches": searches.collect::<Vec<_>>(),
        "exhaustive": exhaustive.collect::<Vec<_>>(),
        "fences": fences.collect::<Vec<_>>(),
    });
    writeln!(out, "{value}")
}

fn searched(subject: &Subject, searched: &Searched) -> Value {
    let (report, program) = (&searched.report, &subject.program);
    let faults = report.faults.iter().map(|it| {
        let mut value = fault(subject, &it.fault);
        value["count"] = json!(it.count);
        value["run"] = events(program, &it.run);
        value
    });
    let violations = report.violations.iter().map(|it| violation(program, it));
    let cut_off_at = report.cut_off_at.iter().map(|(span, count)| {
        let (_, line, _) = subject.sources.position(*span);
        json!({ "line": line, "count": count })
    });
    json!({
        "preemptions": searched.preemptions,
        "interleavings": report.runs,
        "cut_off": report.cut_off,
        "cut_off_at": cut_off_at.collect::<Vec<_>>(),
        "faulty": report.faulty,
        "steps": report.steps,
        "longest": report.longest,
        "seconds": report.time.as_secs_f64(),
        "seconds_without_monitors": searched.without.map(|time| time.as_secs_f64()),
        "stopped": report.stopped.map(|why| why.name("runs")),
        "faults": faults.collect::<Vec<_>>(),
        "violations": violations.collect::<Vec<_>>(),
    })
}

fn fault(subject: &Subject, fault: &Fault) -> Value {
    let (what, line, text) = run::fault(&subject.sources, fault);
    json!({ "message": what, "line": line, "text": text })
}

fn violation(program: &Program, violation: &Violation) -> Value {
    json!({
        "model": violation.model.name(),
        "store": site(program, violation.store),
        "event": site(program, violation.event),
        "count": violation.count,
        "delayed": violation.delayed,
        "run": events(program, &violation.run),
    })
}

fn site(program: &Program, site: u32) -> Value {
    let site = &program.sites[site as usize];
    json!({ "line": site.line, "text": site.text })
}

fn events(program: &Program, run: &[Event]) -> Value {
    run.iter().map(|it| event(program, it)).collect()
}

fn event(program: &Program, event: &Event) -> Value {
    json!({
        "thread": program.threads[event.thread as usize].name,
        "line": program.sites[event.site as usize].line,
        "kind": event.kind.name(),
        "location": event.location.map(|at| &program.locations[at as usize]),
        "read": event.read,
        "written": event.written,
    })
}

fn exhaustive(subject: &Subject, report: &Report) -> Value {
    let program = &subject.program;
    let fault = report.fault.as_ref().map(|(found, moves)| {
        let mut value = fault(subject, found);
        let moves = moves.iter().filter_map(|it| step(program, it));
        value["run"] = moves.collect();
        value
    });
    json!({
        "model": report.model.name(),
        "names": report.names,
        "outcomes": report.outcomes,
        "cut_off": report.cut_off,
        "fault": fault,
        "states": report.progress.states,
        "moves": report.progress.moves,
        "seconds": report.progress.time.as_secs_f64(),
        "stopped": report.stopped.map(|why| why.name("states")),
    })
}

/// The event of a step as JSON; `None` for a step at which a thread is at fault.
fn step(program: &Program, step: &Move) -> Option<Value> {
    match step {
        Move::Step(_, happened) => happened.map(|it| event(program, &it)),
        Move::Commit(thread, location, value) => Some(json!({
            "thread": program.threads[*thread].name,
            "kind": "commit",
            "location": program.locations[*location as usize],
            "written": value,
        })),
    }
}

fn fences(program: &Program, suggestion: &Suggestion) -> Value {
    let sites = suggestion.fences.iter().map(|&it| site(program, it));
    json!({
        "model": suggestion.model.name(),
        "fences": sites.collect::<Vec<_>>(),
        "verified": suggestion.stopped().is_none(),
        "rounds": suggestion.rounds,
        "stopped": suggestion.stopped().map(|why| why.name("runs")),
    })
}
