//! Converts candidates and executions to histories.

use history::{Access, Annotation, DependencyKind, History, HistoryBuilder, Initial, Kind, Place};

use crate::candidate::{Candidate, CandidateEvent};
use crate::execute::{EventKind, Pairing};
use crate::order::bits;

/// The address of the first location; the others follow, 64 bytes apart.
pub(crate) const FIRST_ADDRESS: u64 = 0x1000;
/// The distance between two locations.
pub(crate) const DISTANCE: u64 = 64;

/// The values that an event reads and writes.
pub(crate) type Values = (Option<u64>, Option<u64>);

/// Converts a candidate to a history without values. The read and the write of an atomic instruction become one
/// operation; a model that splits such operations has one for each event again.
pub(crate) fn history(candidate: &Candidate<'_>) -> History {
    let mut builder = HistoryBuilder::new();
    add(candidate, &mut builder, &|_| (None, None));
    // A builder fails only because of values, and there are none.
    builder.finish(Default::default(), &Initial::Zero, Default::default()).unwrap_or_default()
}

/// Adds the events of a candidate to a history; `values` returns the values of an event.
pub(crate) fn add(
    candidate: &Candidate<'_>,
    builder: &mut HistoryBuilder,
    values: &dyn Fn(usize) -> Values,
) {
    // Per event, the row of its operation.
    let mut rows: Vec<usize> = Vec::with_capacity(candidate.events.len());
    let mut control = (0, 0);
    for (number, event) in candidate.events.iter().enumerate() {
        if is_second_half(event) {
            rows.push(builder.len() - 1);
            continue;
        }
        let second = candidate
            .events
            .get(number + 1)
            .filter(|next| is_second_half(next) && next.pair == Some(number));
        let (read, written) = match second {
            Some(_) => (values(number).0, values(number + 1).1),
            None => values(number),
        };
        rows.push(builder.len());
        builder.push(Access {
            sequence: number as u64,
            annotation: annotation(event, second),
            read,
            written,
            line: Some(event.event.line as u64),
            ..Access::new(event.thread as u32, kind(event, second), place(event))
        });
        // A control dependency is recorded at the first operation behind the branch only: it holds for all later
        // ones, too.
        let known = if control.0 == event.thread { control.1 } else { 0 };
        control = (event.thread, event.control);
        let write = second.unwrap_or(event);
        let depends = [
            (DependencyKind::Address, event.address),
            (DependencyKind::Data, write.data),
            (DependencyKind::Control, event.control & !known),
            (DependencyKind::Choice, write.choice),
        ];
        for (kind, on) in depends {
            bits(on).for_each(|on| builder.depend(kind, rows[on]));
        }
    }
}

/// Whether an event is the write of an atomic instruction whose read is the event before it.
fn is_second_half(event: &CandidateEvent) -> bool {
    event.pair.is_some() && event.event.pairing == Pairing::Instruction
}

fn kind(event: &CandidateEvent, second: Option<&CandidateEvent>) -> Kind {
    let is_exclusive = event.event.pairing == Pairing::Exclusive;
    match event.event.kind {
        EventKind::Read if second.is_some() => Kind::Rmw,
        // The comparison of an atomic instruction failed.
        EventKind::Read if event.event.pairing == Pairing::Instruction => Kind::FailedCas,
        EventKind::Read if is_exclusive => Kind::LoadLinked,
        EventKind::Read => Kind::Load,
        EventKind::Write if is_exclusive => Kind::StoreConditional,
        EventKind::Write => Kind::Store,
        EventKind::Update => Kind::Rmw,
        EventKind::FailedUpdate => Kind::FailedCas,
        EventKind::Fence(kind) => kind,
    }
}

fn annotation(event: &CandidateEvent, second: Option<&CandidateEvent>) -> Annotation {
    let first = event.event.annotation;
    let releases = second.is_some_and(|second| second.event.annotation.releases());
    match first {
        first if !releases => first,
        Annotation::NoReturn => Annotation::NoReturnRelease,
        first => Annotation::of(first.acquires(), true),
    }
}

fn place(event: &CandidateEvent) -> Place {
    match event.event.location {
        None => Place::Nowhere,
        Some(location) => Place::Bytes {
            address: FIRST_ADDRESS + DISTANCE * u64::from(location.0),
            size: event.event.width.bits / 8,
        },
    }
}
