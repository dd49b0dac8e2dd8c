//! [`Reasoning`]: a proof as data, for JSON and other programs.

use std::borrow::Borrow;

use certify::certificate::Node;
use check::criterion_violation::CriterionViolation;
use check::engine::proof::{Contradiction, Violation};
use check::{Answer, Verdict};
use history::{History, OpId};
use schemars::JsonSchema;
use serde::Serialize;

use super::notes::{Cycle, Edge, Note};
use super::{criterion, why};

/// Why a history violates a model or does not satisfy a criterion.
#[derive(Default, Serialize, JsonSchema)]
pub struct Reasoning {
    /// The contradiction that ends the proof.
    #[schemars(extend("enum" = ["cycle", "thin-air", "final", "sources"]))]
    kind: &'static str,
    /// The violation in a sentence.
    text: String,
    /// The relation that has the cycle, if a criterion is violated.
    #[serde(skip_serializing_if = "Option::is_none")]
    relation: Option<String>,
    /// The number of blocks of the proof: 1, or one for each case and one for the end.
    cases: usize,
    /// The number of operations that occur in the proof.
    operations: usize,
    /// The cycle of the last contradiction: its operations, each with the edge to the next.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cycle: Vec<Step>,
    /// The read, if the contradiction is a read of a value that was never written.
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<Event>,
    /// The reasons why the edges with a letter are required.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    why: Vec<String>,
}

/// An operation of a cycle, and the edge from it to the next one.
#[derive(Serialize, JsonSchema)]
pub struct Step {
    #[serde(flatten)]
    event: Event,
    /// The name of the edge.
    edge: String,
    /// The letter of the reason why the edge is required.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// An operation; an initial or final write has no thread and index.
#[derive(Default, Serialize, JsonSchema)]
pub struct Event {
    /// The thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    thread: Option<u32>,
    /// The index in program order, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<u32>,
    /// The kind of operation.
    kind: &'static str,
    /// The acquire or release semantics.
    #[serde(skip_serializing_if = "Option::is_none")]
    annotation: Option<&'static str>,
    /// The address.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<u64>,
    /// The bytes of the access that the proof is about, if it was split. Address and values are those of the access.
    #[serde(skip_serializing_if = "Option::is_none")]
    part_address: Option<u64>,
    /// The number of these bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    part_size: Option<u8>,
    /// The value that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<u64>,
    /// The value that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<u64>,
    /// The tick at which the operation was issued.
    #[serde(skip_serializing_if = "Option::is_none")]
    issued: Option<u64>,
    /// The tick at which the operation completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    completed: Option<u64>,
    /// The trace line.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
}

impl Reasoning {
    /// The reasoning of an answer; `None` unless it is a violation with a proof.
    pub fn of_answer<H: Borrow<History>>(answer: &Answer<H>) -> Option<Reasoning> {
        match answer.verdict() {
            Verdict::Violation(violation) => Some(Reasoning::of(answer.history(), violation)),
            Verdict::CriterionViolation(violation) => {
                Some(Reasoning::of_criterion(answer.history(), violation))
            }
            _ => None,
        }
    }

    /// The reasoning of a proof.
    pub fn of(history: &History, violation: &Violation) -> Reasoning {
        let last = violation.last();
        let (kind, read) = match last.map(|block| &block.end) {
            Some(Contradiction::Cycle(_)) => ("cycle", None),
            Some(Contradiction::ThinAir(op)) => ("thin-air", Some(operation(history, *op))),
            Some(Contradiction::ThinFinal(_)) => ("final", None),
            None => ("sources", None),
        };
        let told = last.and_then(|block| why::cycle(history, block));
        Reasoning {
            kind,
            text: why::headline(history, violation),
            relation: None,
            cases: violation.blocks.len(),
            operations: violation.operations(|_| None).len(),
            read,
            ..told.map_or_else(Reasoning::default, |it| cycle(history, it))
        }
    }

    /// The reasoning of a refuted criterion.
    pub fn of_criterion(history: &History, violation: &CriterionViolation) -> Reasoning {
        Reasoning {
            kind: "cycle",
            text: criterion::headline(history, violation),
            relation: Some(violation.relation.name()),
            cases: 1,
            operations: violation.operations().len(),
            ..cycle(history, criterion::cycle(history, violation))
        }
    }
}

fn cycle(history: &History, cycle: Cycle) -> Reasoning {
    let step =
        |edge: Edge| Step { event: event(history, edge.before), edge: edge.name, why: edge.letter };
    let note = |note: Note| format!("[{}] {}", note.letter, note.text);
    Reasoning {
        cycle: cycle.edges.into_iter().map(step).collect(),
        why: cycle.notes.into_iter().map(note).collect(),
        ..Reasoning::default()
    }
}

fn event(history: &History, node: Node) -> Event {
    let place = |kind, location: u32| Event {
        kind,
        address: Some(history.locations()[location as usize].address),
        ..Event::default()
    };
    match node {
        Node::Op(op) => operation(history, op),
        Node::Initial(location) => place("initial", location),
        Node::Final(location) => place("final", location),
    }
}

/// The event of the access that an operation is or is a part of.
pub fn access(history: &History, op: OpId) -> Event {
    Event { part_address: None, part_size: None, ..operation(history, op) }
}

/// The event of an operation.
pub fn operation(history: &History, op: OpId) -> Event {
    let operation = history.operation(op);
    let place = operation.location.map(|location| history.locations()[location as usize]);
    let whole = history.whole_access(op);
    Event {
        thread: Some(operation.thread),
        index: Some(operation.index),
        kind: operation.kind.name(),
        annotation: Some(operation.annotation)
            .filter(|annotation| !annotation.is_none())
            .map(|annotation| annotation.name()),
        address: whole.map(|whole| whole.address).or(place.map(|place| place.address)),
        part_address: whole.and(place).map(|place| place.address),
        part_size: whole.and(place).and_then(|place| place.size),
        read: whole.map_or(operation.read, |whole| whole.read),
        written: whole.map_or(operation.written, |whole| whole.written),
        issued: operation.issued,
        completed: operation.completed,
        line: operation.line,
    }
}
