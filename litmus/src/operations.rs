//! Converts candidates and executions to histories.

use history::{
    Access, Annotation, DependencyKind, History, HistoryBuilder, Initial, Kind, Place, Provenance,
};

use crate::candidate::CandidateEvent;
use crate::execute::{EventKind, Pairing};
use crate::order::bits;
use crate::test::LitmusTest;

/// The address of the first location; the others follow, 64 bytes apart.
pub(crate) const FIRST_ADDRESS: u64 = 0x1000;
/// The distance between two locations.
pub(crate) const DISTANCE: u64 = 64;
/// The distance between locations where only their differences matter; no location is larger.
const APART: u64 = 1 << 24;

/// The values that an event reads and writes.
pub(crate) type Values = (Option<u64>, Option<u64>);

/// Converts the events of a candidate to a history without values. The read and the write of an atomic instruction become
/// one operation; a model that splits such operations has one for each event again.
pub(crate) fn history(events: &[CandidateEvent]) -> History {
    let mut builder = HistoryBuilder::new();
    add(events, &[], &mut builder, &|_| (None, None));
    // A builder fails only because of values, and there are none.
    let built = builder.finish(Default::default(), &Initial::Zero, Provenance::made());
    built.unwrap_or_else(|_| History::empty(Provenance::made()))
}

/// Adds the events of a candidate, or its accesses, to a history, with the locations at `addresses`; `values` returns the
/// values of an event.
pub(crate) fn add(
    events: &[CandidateEvent],
    addresses: &[u64],
    builder: &mut HistoryBuilder,
    values: &dyn Fn(usize) -> Values,
) {
    // Per event, the row of its operation.
    let mut rows: Vec<usize> = Vec::with_capacity(events.len());
    let mut control = (0, 0);
    for (number, event) in events.iter().enumerate() {
        if event.is_second_half() {
            rows.push(builder.len() - 1);
            continue;
        }
        let second = events
            .get(number + 1)
            .filter(|next| next.is_second_half() && next.pair == Some(number));
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
            ..Access::new(event.thread as u32, kind(event, second), place(event, addresses))
        });
        // A control dependency is recorded at the first operation after the branch only: it holds for all later
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
            // The first part of a write may depend on a later part of the read of the same instruction.
            let earlier = bits(on).filter_map(|on| rows.get(on));
            earlier.for_each(|row| builder.depend(kind, *row));
        }
    }
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

fn place(event: &CandidateEvent, addresses: &[u64]) -> Place {
    match event.event.location {
        None => Place::Nowhere,
        Some(location) => {
            let number = usize::from(location.0);
            let address = addresses.get(number).copied().unwrap_or(APART * (number as u64 + 1));
            let address = address + u64::from(event.event.offset);
            Place::Bytes { address, size: event.event.width.bits / 8 }
        }
    }
}

/// The addresses of the locations of a test: each is at a multiple of 64 of its own, the first at `0x1000`.
pub(crate) fn addresses(test: &LitmusTest) -> Vec<u64> {
    let mut next = FIRST_ADDRESS;
    let all = test.types.iter().map(|of_type| {
        let address = next;
        next += (of_type.size() as u64).max(1).next_multiple_of(DISTANCE);
        address
    });
    all.collect()
}
