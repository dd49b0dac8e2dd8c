//! [`Verdict`], the [`Reason`] why a history may be undecided, and [`Statistics`] of the work.

use std::fmt;

use history::{Doubt, Gap, History, NotUnderstood, OpId};
use host::{Bounds, Exceeded};

use crate::algorithm::Algorithm;
use crate::criterion_violation::CriterionViolation;
use crate::engine::proof::Violation;
use crate::nice_cycle::NiceCycle;
use memory::machine::Step;
use settings::Setting;

/// The part of the program that decided a history, or gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The values of reads and final values, before any algorithm.
    Values,
    /// An algorithm: one of the stages, or that of a paper.
    By(Algorithm),
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stage::Values => "values",
            Stage::By(algorithm) => algorithm.name(),
        })
    }
}

/// Describes an instruction that was not understood, in a sentence that says what to do next.
fn not_understood(what: &NotUnderstood) -> String {
    let NotUnderstood { gap, line, instruction, doubt } = what;
    if let Some(doubt) = doubt {
        return doubted(*doubt, *line, instruction);
    }
    let addresses = Setting::Addresses;
    match gap {
        Gap::Read => format!(
            "line {line}: `{instruction}` reads shared memory and is not understood; choose other \
             locations with {addresses}"
        ),
        Gap::Write => format!(
            "line {line}: `{instruction}` writes shared memory and is not understood; choose other \
             locations with {addresses}"
        ),
        Gap::Process => format!(
            "line {line}: the trace does not tell processes apart, and {instruction} may be the address of \
             different memory in each; a violation was found, to confirm it choose the addresses of one \
             program with {addresses}"
        ),
        Gap::Fence => format!(
            "line {line}: the trace does not show which accesses `{instruction}` orders; a violation \
             was found that rests on it being a full fence"
        ),
    }
}

/// Describes an instruction that is understood but whose effect is not known, in a sentence.
fn doubted(doubt: Doubt, line: u64, instruction: &str) -> String {
    match doubt {
        Doubt::Repeats(first) => format!(
            "line {line} repeats the store of line {first} at the same place of the program; the trace \
             shows memory accesses alone, so whether the first was performed or faulted is not known; \
             record all instructions (Exec, unfiltered)"
        ),
        Doubt::CrossesLine => format!(
            "line {line}: `{instruction}` crosses a cache line, so it is not one access; choose other \
             locations with {}",
            Setting::Addresses
        ),
        Doubt::Skipped => format!(
            "line {line}: `{instruction}` was skipped ({}), and an operation that it may have shown may make a difference; \
             record the trace again, or repair it",
            Setting::Lossy
        ),
        Doubt::NoAddress => format!(
            "line {line}: `{instruction}` accesses memory and shows no address, so it may have been any \
             location; record with ExecEffAddr (part of Exec)"
        ),
    }
}

/// Why a history is undecided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The time limit was met.
    Timeout,
    /// The caller cancelled the run.
    Cancelled,
    /// The memory limit was met.
    Memory,
    /// The search met as many contradictions as its budget allows.
    Budget(u64),
    /// The lemmas of the search take too much memory.
    Lemmas,
    /// No operation completed, so the history says nothing about the memory.
    NothingCompleted,
    /// The trace shows no order of completions, or one that is no memory order. This does not prove a violation.
    NoTraceOrder,
    /// Saturation or the rules of a paper force no contradiction. This does not prove consistency.
    NoForcedContradiction,
    /// A heuristic could not place all operations. This does not prove a violation.
    GaveUp {
        /// Number of operations that were placed.
        placed: usize,
        /// Number of all operations.
        operations: usize,
    },
    /// The order of completions is not the store order of an SC run.
    NoWitness(Box<NiceCycle>),
    /// The trace does not show the order of completions.
    NoCompletions,
    /// No run has the store order that was given: these operations would have to precede each other in a
    /// cycle, each the next and the last the first.
    StoreOrder(Vec<OpId>),
    /// This read returned a value that only a store without a completion can have supplied.
    UnfinishedStore(OpId),
    /// The final value of this location is one that only a store without a completion can have
    /// written.
    UnfinishedFinal(u32),
    /// The trace does not show the value of a write to this location, and the run that was found does not end with the location's final value.
    HiddenFinal(u32),
    /// This read is of a location with a write whose value the trace does not show.
    HiddenWrite(OpId),
    /// This read returned a value that only a write that was not recorded can have supplied.
    UnrecordedWrite(OpId),
    /// An instruction that was not understood may change the verdict.
    NotUnderstood(NotUnderstood),
    /// This many reads or final values have several candidate sources, and no choice of sources was found.
    Ambiguous(usize),
    /// The algorithm needs the source of every read, and this many have several candidates.
    NeedsSources(usize),
    /// The algorithm does not handle weak fences, acquires and releases, of which this operation is one.
    Refined(OpId),
    /// This algorithm found that there is no run, but there is one. This is a defect of rubric.
    Refuted(Algorithm),
    /// An order was found, but the machine does not accept it: reads with unknown sources, which the search
    /// leaves unconstrained, would return other values.
    FreeReads,
    /// A violation was found that depends on an assumed initial value.
    AssumedInitial,
    /// The verdict depends on whether a read-modify-write, which is described here, has written back what it read, or failed.
    MayHaveWritten(String),
    /// The verifier rejects the proof of a violation. This is a defect of rubric.
    ProofRefused,
}

impl Reason {
    /// The reason for the bound that was met first.
    pub fn exceeded(bounds: &Bounds) -> Reason {
        match bounds.exceeded() {
            Some(Exceeded::Memory) => Reason::Memory,
            Some(Exceeded::Interrupted) => Reason::Cancelled,
            Some(Exceeded::Time) | None => Reason::Timeout,
        }
    }

    /// The reason in a few words, for tables.
    pub fn brief(&self) -> &'static str {
        match self {
            Reason::Timeout => "time limit",
            Reason::Cancelled => "cancelled",
            Reason::Memory | Reason::Lemmas => "memory limit",
            Reason::Budget(_) => "budget",
            Reason::NothingCompleted => "no operation completed",
            Reason::NoTraceOrder => "not in that order",
            Reason::NoForcedContradiction => "nothing forced",
            Reason::GaveUp { .. } => "stuck",
            Reason::NoWitness(_) => "not the witness",
            Reason::NoCompletions => "no completions",
            Reason::StoreOrder(_) => "not with that store order",
            Reason::UnfinishedStore(_)
            | Reason::UnfinishedFinal(_)
            | Reason::HiddenFinal(_)
            | Reason::HiddenWrite(_)
            | Reason::UnrecordedWrite(_) => "a value is not shown",
            Reason::NotUnderstood(_) => "not understood",
            Reason::AssumedInitial => "initial values",
            Reason::MayHaveWritten(_) => "may have written",
            Reason::Ambiguous(_) | Reason::NeedsSources(_) => "values written twice",
            Reason::Refined(_) => "weak fences",
            Reason::Refuted(_) | Reason::FreeReads | Reason::ProofRefused => "defect",
        }
    }

    /// A sentence for the user, with what to do next.
    pub fn describe(&self, history: &History) -> String {
        match self {
            Reason::Timeout => format!("the time limit passed; raise {}", Setting::Timeout),
            Reason::Cancelled => "the check was cancelled".to_owned(),
            Reason::Memory => {
                format!("more memory is needed than {} allows; raise it", Setting::MaxMemory)
            }
            Reason::Budget(budget) => format!(
                "the search met {budget} contradictions, as many as {} allows; raise it",
                Setting::MaxContradictions
            ),
            Reason::Lemmas => {
                "what the search learned from contradictions takes more than 2 GiB".to_owned()
            }
            Reason::NothingCompleted if history.provenance.locations_found => format!(
                "no location is written by one thread and accessed by another, so the history is \
                 empty; choose locations with {}",
                Setting::Addresses
            ),
            Reason::NothingCompleted => nothing_completed(history),
            Reason::NoTraceOrder => {
                "the trace gives no order of completions that is a memory order; other algorithms \
                 may decide"
                    .to_owned()
            }
            Reason::NoForcedContradiction => format!(
                "no contradiction is forced, which does not prove consistency; {} decides",
                Setting::Algorithm.to("complete")
            ),
            Reason::GaveUp { placed, operations } => format!(
                "the heuristic placed {placed} of {operations} operations and is stuck, which \
                 proves nothing; with backtracking it decides"
            ),
            Reason::NoWitness(cycle) => format!(
                "the order of completions is not the store order of an SC run: {}; \
                 {} decides whether another is",
                cycle.describe(history),
                Setting::Algorithm.to("complete")
            ),
            Reason::NoCompletions => {
                "the trace does not show in which order its operations completed".to_owned()
            }
            Reason::StoreOrder(cycle) => format!(
                "no run has the store order that was given, which proves nothing about others: with \
                 it {}",
                describe_cycle(history, cycle)
            ),
            Reason::UnfinishedFinal(location) => format!(
                "{} ends with a value that only a store without a completion can have written, and \
                 the trace does not show that store's value",
                history.locations()[*location as usize]
            ),
            Reason::HiddenFinal(location) => format!(
                "the trace does not show the value of every write to {}, and the run that was found does not end with the \
                 location's final value; other runs were not searched for it, so record the values of all writes",
                history.locations()[*location as usize]
            ),
            Reason::UnfinishedStore(op) => format!(
                "{} returned a value that only a store without a completion can have written, and \
                 the trace does not show that store's value",
                named(history, *op)
            ),
            Reason::UnrecordedWrite(op) => format!(
                "{} returned a value that no recorded write has and that may not be the initial one; \
                 a write that was not recorded (of a kernel or a device) may have supplied it",
                named(history, *op)
            ),
            Reason::NotUnderstood(what) => not_understood(what),
            Reason::HiddenWrite(op) => format!(
                "{} is of a location with a write whose value the trace does not show, so it is \
                 not known what its reads should return",
                named(history, *op)
            ),
            Reason::Refined(op) => format!(
                "{} is a weak fence or a release, which this algorithm does not handle; \
                 {} does",
                named(history, *op),
                Setting::Algorithm.to("stages")
            ),
            Reason::Refuted(algorithm) => format!(
                "{} found no run, but there is one; this is a defect of rubric, please report it",
                algorithm.name()
            ),
            Reason::AssumedInitial => format!(
                "a violation was found that rests on what a location is assumed to have held at the \
                 start, where the trace shows no more than its first read; {} or a file \
                 of initial values says what it held",
                Setting::Initial.to("zero")
            ),
            Reason::MayHaveWritten(what) => format!(
                "{what} returned the value that it would write, so it may have written or failed as a compare-and-swap, and the \
                 verdict depends on that; record which (in axe text and JSON, `rmw` or `failed-cas`)"
            ),
            Reason::ProofRefused => {
                "a violation was found, but its proof does not hold; this is a \
                                      defect of rubric, please report it"
                    .to_owned()
            }
            Reason::FreeReads => "an order was found that the operational machine does not \
                                   accept; this is a defect of rubric, please report it"
                .to_owned(),
            Reason::Ambiguous(reads) => format!(
                "{reads} reads or final values are of a value that was written more than once, and \
                 no choice of their sources was found; record unique values"
            ),
            Reason::NeedsSources(reads) => format!(
                "{reads} reads or final values are of a value that was written more than once, \
                 which this algorithm does not handle; {} and sat do",
                Setting::Algorithm.to("stages")
            ),
        }
    }
}

/// Says why a history without operations has none.
fn nothing_completed(history: &History) -> String {
    let provenance = &history.provenance;
    if let Some(why) = provenance.why_no_operations() {
        return format!(
            "no operation is known, so the history says nothing about the memory: {why}"
        );
    }
    let why = if history.threads().is_empty() && provenance.unfinished.is_empty() {
        ": there is none in it (was gem5 run with --debug-flags and --debug-file? did the program or the simulator start that should write it?)"
    } else {
        "; look at how the run ended"
    };
    format!("no operation completed, so the history says nothing about the memory{why}")
}

/// Describes, in a clause, that operations would have to precede each other in a cycle.
fn describe_cycle(history: &History, cycle: &[OpId]) -> String {
    let around = cycle.iter().chain(cycle.first());
    let names: Vec<String> = around.map(|&op| named(history, op)).collect();
    names.join(" would have to precede ")
}

/// The description of an operation with its thread, index and line, for use in a sentence.
pub(crate) fn named(history: &History, op: OpId) -> String {
    let operation = history.operation(op);
    let line = operation.line.map_or(String::new(), |line| format!(", line {line}"));
    format!(
        "{} (thread {}, operation {}{line})",
        history.describe(op),
        operation.thread,
        operation.index
    )
}

/// Whether a history satisfies a model, with the evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The history satisfies the model: this run of the operational machine performs it.
    Consistent(Vec<Step>),
    /// The history violates the model, with a proof.
    Violation(Violation),
    /// A paper's algorithm found that the history violates the model, but no proof of that was found
    /// within the bounds.
    Unproved,
    /// The history satisfies the criterion of the algorithm, which is weaker than the model.
    Satisfied,
    /// The history violates the criterion of the algorithm, and so the model, with a proof.
    CriterionViolation(CriterionViolation),
    /// It is not known whether the history satisfies the model.
    Undecided(Reason),
}

impl Verdict {
    /// The word for the verdict: `consistent`, `violation` or `undecided`.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Consistent(_) | Verdict::Satisfied => "consistent",
            Verdict::Violation(_) | Verdict::Unproved | Verdict::CriterionViolation(_) => {
                "violation"
            }
            Verdict::Undecided(_) => "undecided",
        }
    }
}

/// Counts of an algorithm's work; 0 or `None` for those that it does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Edges that saturation derived.
    pub edges: usize,
    /// Contradictions that a search met.
    pub backtracks: u64,
    /// The largest number of choices that were undone at once.
    pub depth: u64,
    /// States or choices that a search visited.
    pub nodes: Option<u64>,
    /// Pairs of writes of one location that were ordered before any search, without initial writes.
    pub ordered: Option<u64>,
    /// Statistics of a SAT solver.
    pub sat: Option<SatStatistics>,
    /// The weaker criterion that refuted the history in gradual checking.
    pub fired: Option<Algorithm>,
}

/// Statistics of a SAT solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SatStatistics {
    /// Number of variables.
    pub variables: u64,
    /// Number of clauses of the formula, including those added between calls.
    pub clauses: u64,
    /// Number of learned clauses, one for each conflict.
    pub learned: u64,
    /// Number of calls.
    pub calls: u64,
}

/// A verdict, with the stage that decided and statistics.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// The stage that decided or gave up.
    pub decided_by: Stage,
    /// Counts of the work.
    pub statistics: Statistics,
}

impl Outcome {
    pub(crate) fn new(verdict: Verdict, decided_by: Stage) -> Outcome {
        Outcome { verdict, decided_by, statistics: Statistics::default() }
    }
}
