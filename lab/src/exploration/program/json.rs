//! Report of an exploration as JSON Lines.

use std::collections::BTreeSet;

use ::explore::monitor::MONITORED;
use ::explore::program::bounded;
use ::explore::program::compile::Program;
use ::explore::program::exhaustive::{Move, Report};
use ::explore::program::fences::Suggestion;
use ::explore::program::machine::{self, Event, Outcome};
use memory::Model;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Explored, Searched, Subject, run};

/// The limits of a search of runs.
const RUN_LIMITS: [Option<&str>; 5] =
    [Some("time"), Some("memory"), Some("runs"), Some("interrupted"), None];

/// The limits of a search of states.
const STATE_LIMITS: [Option<&str>; 5] =
    [Some("time"), Some("memory"), Some("states"), Some("interrupted"), None];

/// A line of `rubric explore program --format json`: one for each program. In a `run` of `exhaustive`, a step of `kind` `commit` is a
/// store that reaches memory; it has no `line` and `read`.
#[derive(Serialize, JsonSchema)]
pub struct Line<'a> {
    /// The program.
    program: &'a str,
    /// The names of the threads.
    threads: Vec<&'a str>,
    /// The names of the locations.
    locations: &'a [String],
    /// The searches of interleavings, by the number of preemptions.
    searches: Vec<Search<'a>>,
    /// The explorations of all runs, by model.
    exhaustive: Vec<Exhaustive<'a>>,
    /// The fences that keep the program within SC, by model.
    fences: Vec<Fences<'a>>,
}

/// A search of interleavings.
#[derive(Serialize, JsonSchema)]
struct Search<'a> {
    /// The bound on the number of preemptions.
    preemptions: u32,
    /// Number of runs to the end.
    interleavings: u64,
    /// Number of runs that ended where a loop reached its bound.
    cut_off: u64,
    /// The loops at which runs ended.
    cut_off_at: Vec<CutOff>,
    /// Number of runs that ended with a fault.
    faulty: u64,
    /// Number of steps; steps shared by several runs count once.
    steps: u64,
    /// Number of events of the longest run.
    longest: usize,
    /// Seconds that the search took.
    seconds: f64,
    /// Seconds that the same search took without monitors, if it was repeated so.
    seconds_without_monitors: Option<f64>,
    /// The limit that ended the search, if one did.
    #[schemars(extend("enum" = RUN_LIMITS))]
    stopped: Option<&'static str>,
    /// The faults.
    faults: Vec<CountedFault<'a>>,
    /// The distinct violations of SC.
    violations: Vec<Violation<'a>>,
}

/// A loop that ended runs.
#[derive(Serialize, JsonSchema)]
struct CutOff {
    /// The line of the loop.
    line: usize,
    /// Number of runs that it ended.
    count: u64,
}

/// A fault of the program.
#[derive(Serialize, JsonSchema)]
struct Fault {
    /// The fault in words.
    message: String,
    /// The line of the statement.
    line: usize,
    /// The text of the statement.
    text: String,
}

/// A fault, with the runs that end with it.
#[derive(Serialize, JsonSchema)]
struct CountedFault<'a> {
    #[serde(flatten)]
    fault: Fault,
    /// Number of runs that end with it.
    count: u64,
    /// A shortest such run.
    run: Vec<EventJson<'a>>,
}

/// A fault, with a run of the machine of a model.
#[derive(Serialize, JsonSchema)]
struct FaultOfModel<'a> {
    #[serde(flatten)]
    fault: Fault,
    /// A shortest run that ends with it.
    run: Vec<Step<'a>>,
}

/// A violation of SC.
#[derive(Serialize, JsonSchema)]
struct Violation<'a> {
    /// The model that allows it.
    #[schemars(extend("enum" = MONITORED.map(Model::name)))]
    model: &'static str,
    /// The store that is delayed.
    store: Site<'a>,
    /// The event that comes before it.
    event: Site<'a>,
    /// Number of signals of the monitor.
    count: u64,
    /// The index of the store in the run; the event is the last.
    delayed: usize,
    /// A shortest run to the event.
    run: Vec<EventJson<'a>>,
}

/// A statement.
#[derive(Serialize, JsonSchema)]
struct Site<'a> {
    /// The line, from 1.
    line: usize,
    /// The text.
    text: &'a str,
}

/// An operation of a run.
#[derive(Serialize, JsonSchema)]
struct EventJson<'a> {
    /// The number of the thread, from 0.
    thread: &'a str,
    /// The line of the statement.
    line: usize,
    /// The kind of operation.
    kind: &'static str,
    /// The location; fences have none.
    location: Option<&'a str>,
    /// The value that was read.
    read: Option<i64>,
    /// The value that was written.
    written: Option<i64>,
}

/// A step of a run of the machine of a model.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Step<'a> {
    /// A thread performs an operation.
    Event(EventJson<'a>),
    /// A store reaches memory.
    Commit(Commit<'a>),
}

/// A store that reaches memory.
#[derive(Serialize, JsonSchema)]
struct Commit<'a> {
    /// The number of the thread, from 0.
    thread: &'a str,
    /// The word `commit`.
    #[schemars(extend("enum" = ["commit"]))]
    kind: &'static str,
    /// The location.
    location: &'a str,
    /// The value.
    written: i64,
}

/// The exploration of all runs under a model.
#[derive(Serialize, JsonSchema)]
struct Exhaustive<'a> {
    /// The name of the memory model, such as `tso`.
    model: &'static str,
    /// The names of the numbers in an outcome.
    names: &'a [String],
    /// The possible outcomes.
    outcomes: &'a BTreeSet<Outcome>,
    /// Number of states in which a loop has reached its bound.
    cut_off: u64,
    /// The fault with the shortest run.
    fault: Option<FaultOfModel<'a>>,
    /// The number of states.
    states: usize,
    /// The number of moves.
    moves: u64,
    /// Seconds that it took.
    seconds: f64,
    /// The limit that ended the search, if one did.
    #[schemars(extend("enum" = STATE_LIMITS))]
    stopped: Option<&'static str>,
}

/// The fences that keep a program within SC under a model.
#[derive(Serialize, JsonSchema)]
struct Fences<'a> {
    /// The name of the memory model, such as `tso`.
    #[schemars(extend("enum" = MONITORED.map(Model::name)))]
    model: &'static str,
    /// The statements that need a fence after them.
    fences: Vec<Site<'a>>,
    /// Whether all runs with the fences were explored, without a violation.
    verified: bool,
    /// Number of sets of fences that were tried.
    rounds: u32,
    /// The limit that ended the search, if one did.
    #[schemars(extend("enum" = RUN_LIMITS))]
    stopped: Option<&'static str>,
}

/// The exploration of a program as one object.
pub fn line<'a>(explored: &'a Explored<'_>) -> Line<'a> {
    let subject = explored.subject;
    let program = &subject.program;
    Line {
        program: &subject.name,
        threads: program.threads.iter().map(|it| it.name.as_str()).collect(),
        locations: &program.locations,
        searches: explored.searches.iter().map(|it| search(subject, it)).collect(),
        exhaustive: explored.exhaustive.iter().map(|it| exhaustive(subject, it)).collect(),
        fences: explored.fences.iter().map(|it| fences(program, it)).collect(),
    }
}

fn search<'a>(subject: &'a Subject, searched: &'a Searched) -> Search<'a> {
    let (report, program) = (&searched.report, &subject.program);
    let faults = report.faults.iter().map(|it| CountedFault {
        fault: fault(subject, &it.fault),
        count: it.count,
        run: events(program, &it.run),
    });
    let cut_off_at = report.cut_off_at.iter().map(|(span, count)| {
        let (_, line, _) = subject.sources.position(*span);
        CutOff { line, count: *count }
    });
    Search {
        preemptions: searched.preemptions,
        interleavings: report.runs,
        cut_off: report.cut_off,
        cut_off_at: cut_off_at.collect(),
        faulty: report.faulty,
        steps: report.steps,
        longest: report.longest,
        seconds: report.time.as_secs_f64(),
        seconds_without_monitors: searched.without.map(|time| time.as_secs_f64()),
        stopped: report.stopped.map(|why| why.name("runs")),
        faults: faults.collect(),
        violations: report.violations.iter().map(|it| violation(program, it)).collect(),
    }
}

fn fault(subject: &Subject, fault: &machine::Fault) -> Fault {
    let (message, line, text) = run::fault(&subject.sources, fault);
    Fault { message, line, text }
}

fn violation<'a>(program: &'a Program, violation: &'a bounded::Violation) -> Violation<'a> {
    Violation {
        model: violation.model.name(),
        store: site(program, violation.store),
        event: site(program, violation.event),
        count: violation.count,
        delayed: violation.delayed,
        run: events(program, &violation.run),
    }
}

fn site(program: &Program, site: u32) -> Site<'_> {
    let site = &program.sites[site as usize];
    Site { line: site.line, text: &site.text }
}

fn events<'a>(program: &'a Program, run: &[Event]) -> Vec<EventJson<'a>> {
    run.iter().map(|it| event(program, it)).collect()
}

fn event<'a>(program: &'a Program, event: &Event) -> EventJson<'a> {
    EventJson {
        thread: &program.threads[event.thread as usize].name,
        line: program.sites[event.site as usize].line,
        kind: event.kind.name(),
        location: event.location.map(|at| program.locations[at as usize].as_str()),
        read: event.read,
        written: event.written,
    }
}

fn exhaustive<'a>(subject: &'a Subject, report: &'a Report) -> Exhaustive<'a> {
    let program = &subject.program;
    let fault = report.fault.as_ref().map(|(found, moves)| FaultOfModel {
        fault: fault(subject, found),
        run: moves.iter().filter_map(|it| step(program, it)).collect(),
    });
    Exhaustive {
        model: report.model.name(),
        names: &report.names,
        outcomes: &report.outcomes,
        cut_off: report.cut_off,
        fault,
        states: report.progress.states,
        moves: report.progress.moves,
        seconds: report.progress.time.as_secs_f64(),
        stopped: report.stopped.map(|why| why.name("states")),
    }
}

/// A move as JSON; `None` for a step at which a thread is at fault.
fn step<'a>(program: &'a Program, step: &Move) -> Option<Step<'a>> {
    match step {
        Move::Step(_, happened) => happened.map(|it| Step::Event(event(program, &it))),
        Move::Commit(thread, location, value) => Some(Step::Commit(Commit {
            thread: &program.threads[*thread].name,
            kind: "commit",
            location: &program.locations[*location as usize],
            written: *value,
        })),
    }
}

fn fences<'a>(program: &'a Program, suggestion: &Suggestion) -> Fences<'a> {
    Fences {
        model: suggestion.model.name(),
        fences: suggestion.fences.iter().map(|&it| site(program, it)).collect(),
        verified: suggestion.stopped().is_none(),
        rounds: suggestion.rounds,
        stopped: suggestion.stopped().map(|why| why.name("runs")),
    }
}
