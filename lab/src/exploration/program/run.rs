//! Events, places and steps of runs, in words.

use ::explore::program::compile::Program;
use ::explore::program::exhaustive::Move;
use ::explore::program::machine::{Event, Fault};
use history::Kind;
use slicc::source::Sources;

/// An event: its thread, its line, and what happens.
pub(super) fn event(program: &Program, event: &Event) -> String {
    let thread = &program.threads[event.thread as usize].name;
    let line = program.sites[event.site as usize].line;
    format!("{thread:8} line {line:<4} {}", what(program, event))
}

/// An access in words, such as `store x = 1`
fn what(program: &Program, event: &Event) -> String {
    let location = event.location.map(|at| &program.locations[at as usize]);
    let location = location.map_or("", String::as_str);
    match (event.kind, event.read, event.written) {
        (Kind::Load, Some(read), _) => format!("load {location} = {read}"),
        (Kind::Store, _, Some(written)) => format!("store {location} = {written}"),
        (Kind::Rmw, Some(read), Some(written)) => format!("{location}: {read} becomes {written}"),
        (Kind::FailedCas, Some(read), _) => format!("{location} is {read}: no exchange"),
        (kind, _, _) => kind.name().to_owned(),
    }
}

/// A step of the machine in words.
pub(super) fn step(program: &Program, step: &Move) -> String {
    match step {
        Move::Step(thread, None) => format!("{:8} is at fault", program.threads[*thread].name),
        Move::Step(_, Some(one)) => event(program, one),
        Move::Commit(thread, location, value) => {
            let name = &program.threads[*thread].name;
            let location = &program.locations[*location as usize];
            format!("{name:8}           {location} = {value} reaches memory")
        }
    }
}

/// A place in the program, such as `line 12: let r = load x`
pub(super) fn place(program: &Program, site: u32) -> String {
    let site = &program.sites[site as usize];
    format!("line {}: {}", site.line, site.text)
}

/// A delay in words, such as `store at line 5 can be delayed past load at line 6`
pub(super) fn delay(program: &Program, store: &Event, event: &Event) -> String {
    let line = |event: &Event| program.sites[event.site as usize].line;
    let kind = match event.kind {
        Kind::Rmw => "atomic operation",
        Kind::FailedCas => "failed CAS",
        kind => kind.name(),
    };
    let (first, second) = (line(store), line(event));
    format!("store at line {first} can be delayed past {kind} at line {second}")
}

/// The message of a fault, with the line and text of its place.
pub(super) fn fault(sources: &Sources, fault: &Fault) -> (String, usize, String) {
    let (_, line, _) = sources.position(fault.span);
    let text = sources.text(fault.span).lines().next().unwrap_or("");
    (fault.kind.to_string(), line, text.trim().to_owned())
}
