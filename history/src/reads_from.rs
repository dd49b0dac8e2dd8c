//! Reads-from: which write each read takes its value from.
//!
//! [`ReadsFrom`] is derived from values, so each value that a read returns should be written once to a location. If one is
//! written twice, the values do not determine reads-from, and [`Ambiguity`] says what to do. A
//! read-modify-write that writes back what it read is never refused: reads of that value have several
//! candidates.

use std::cell::OnceCell;

use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

use crate::history::History;
use crate::operation::{NONE32, OpId};
use crate::provenance::InitialMode;
use crate::value_table::ValueTable;

/// The treatment of values that are written twice to a location, and returned by a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Ambiguity {
    /// Report an error, even if only one thread uses the location.
    #[default]
    Refuse,
    /// Report an error, unless only one thread uses the location: there program order decides.
    RefuseShared,
    /// Give reads of such a value the source [`ReadSource::Ambiguous`].
    Keep,
}

/// The origin of the value that a read returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadSource {
    /// This write wrote the value.
    Write(OpId),
    /// The value is the initial one.
    Initial,
    /// The value is thin air: no write has it, and it is not the initial value.
    ThinAir,
    /// The source is unknown, because the trace does not show the value read.
    NotShown,
    /// The source is unknown, because the trace does not show every value written to the location.
    HiddenWrite,
    /// No recorded write has the value, but a store without a completion in the trace may have written it.
    UnfinishedStore,
    /// No recorded write has the value, but a write that is no operation of the history may have
    /// written it ([`Provenance::outside_writes`](crate::Provenance::outside_writes)).
    Outside,
    /// No recorded write has the value, but an unrecorded one may have written it
    /// ([`Provenance::unrecorded_writes`](crate::Provenance::unrecorded_writes)).
    Unrecorded,
    /// Several writes, or a write and the initial value, have the value, or may have it if the initial value is not known.
    Ambiguous,
}

/// The error that a value is written twice to a location, or that its initial value is written again.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}", self.message())]
pub struct WrittenTwice {
    /// The location, as messages print it.
    pub location: String,
    /// The value, as messages print it.
    pub value: String,
    /// The first write: `line 3`, or its thread and index if lines are unknown. Empty if the value is the
    /// initial one.
    pub first: String,
    /// The second write, or the write of the initial value.
    pub second: String,
    /// Whether the value is the initial one.
    pub initial: bool,
}

impl WrittenTwice {
    fn message(&self) -> String {
        let WrittenTwice { location, value, first, second, initial } = self;
        let consequence = "so it is not known which of the two a read takes";
        if *initial {
            format!(
                "{second}: value {value} is written to {location}, which holds it from the start, \
                 {consequence}"
            )
        } else {
            format!(
                "{second}: value {value} is written to {location} twice, first at {first}, \
                 {consequence}"
            )
        }
    }
}

// The sources other than a write, as entries of [`ReadsFrom::source`].
const INITIAL: u32 = NONE32;
const THIN_AIR: u32 = NONE32 - 1;
const NOT_SHOWN: u32 = NONE32 - 2;
const HIDDEN: u32 = NONE32 - 3;
const UNFINISHED: u32 = NONE32 - 4;
const AMBIGUOUS: u32 = NONE32 - 5;
const OUTSIDE: u32 = NONE32 - 6;
const NO_READ: u32 = NONE32 - 7;
const UNRECORDED: u32 = NONE32 - 8;

/// The source of every read of a history. Memory: 4 bytes an operation.
#[derive(Clone, Debug)]
pub struct ReadsFrom {
    source: Vec<u32>,
    ambiguous: usize,
}

impl ReadsFrom {
    /// Derives reads-from from values. Cost: linear, by hashing.
    ///
    /// # Errors
    /// Returns the first value written twice, in the order of trace lines, unless `ambiguity` allows it.
    pub fn derive(history: &History, ambiguity: Ambiguity) -> Result<ReadsFrom, WrittenTwice> {
        let use_of = LocationUse::of(history);
        let writers = Writers::of(history, &use_of, ambiguity)?;
        let mut reads_from = ReadsFrom { source: vec![NO_READ; history.len()], ambiguous: 0 };
        let may_read_initial = history.may_read_initial();
        for op in history.ops().filter(|&op| history.kind(op).reads()) {
            let source = match writers.source(history, &use_of, op, ambiguity) {
                HIDDEN => HIDDEN,
                _ if may_read_initial.contains(&op) => AMBIGUOUS,
                source => source,
            };
            reads_from.ambiguous += usize::from(source == AMBIGUOUS);
            reads_from.source[op.at()] = source;
        }
        Ok(reads_from)
    }

    /// Reads-from as `source` gives it; an operation for which `source` returns `None` does not read. Cost: linear.
    pub fn given(history: &History, source: impl Fn(OpId) -> Option<ReadSource>) -> ReadsFrom {
        let source: Vec<u32> = history.ops().map(|op| encode(source(op))).collect();
        let ambiguous = source.iter().filter(|&&source| source == AMBIGUOUS).count();
        ReadsFrom { source, ambiguous }
    }

    /// The source of a read; `None` for an operation that does not read.
    pub fn source(&self, op: OpId) -> Option<ReadSource> {
        Some(match self.source[op.at()] {
            NO_READ => return None,
            INITIAL => ReadSource::Initial,
            THIN_AIR => ReadSource::ThinAir,
            NOT_SHOWN => ReadSource::NotShown,
            HIDDEN => ReadSource::HiddenWrite,
            UNFINISHED => ReadSource::UnfinishedStore,
            OUTSIDE => ReadSource::Outside,
            UNRECORDED => ReadSource::Unrecorded,
            AMBIGUOUS => ReadSource::Ambiguous,
            write => ReadSource::Write(OpId(write)),
        })
    }

    /// Reads-from of the history that [`History::restrict`] returned with these `kept` operations. A read whose source
    /// was dropped has the source [`ReadSource::NotShown`]; sources are not derived again.
    pub fn restrict(&self, kept: &[OpId]) -> ReadsFrom {
        let source: Vec<u32> = kept
            .iter()
            .map(|op| match self.source(*op) {
                Some(ReadSource::Write(write)) => {
                    kept.binary_search(&write).map_or(NOT_SHOWN, |at| at as u32)
                }
                _ => self.source[op.at()],
            })
            .collect();
        ReadsFrom {
            ambiguous: source.iter().filter(|&&source| source == AMBIGUOUS).count(),
            source,
        }
    }

    /// Number of reads that imply nothing, because the trace does not show their value ([`ReadSource::NotShown`]) or it
    /// may come from outside of the history ([`ReadSource::Outside`]).
    pub fn unknown(&self) -> usize {
        let unknown = |source: &&u32| matches!(**source, NOT_SHOWN | OUTSIDE);
        self.source.iter().filter(unknown).count()
    }

    /// Number of reads with several candidates.
    pub fn ambiguous(&self) -> usize {
        self.ambiguous
    }
}

/// A source as an entry of [`ReadsFrom::source`].
fn encode(source: Option<ReadSource>) -> u32 {
    match source {
        None => NO_READ,
        Some(ReadSource::Write(write)) => write.0,
        Some(ReadSource::Initial) => INITIAL,
        Some(ReadSource::ThinAir) => THIN_AIR,
        Some(ReadSource::NotShown) => NOT_SHOWN,
        Some(ReadSource::HiddenWrite) => HIDDEN,
        Some(ReadSource::UnfinishedStore) => UNFINISHED,
        Some(ReadSource::Outside) => OUTSIDE,
        Some(ReadSource::Unrecorded) => UNRECORDED,
        Some(ReadSource::Ambiguous) => AMBIGUOUS,
    }
}

/// The threads that use each location, and whether its writes are known.
struct LocationUse {
    /// The one thread that uses the location; [`NONE32`] for none, [`SHARED`] for several.
    user: Vec<u32>,
    /// Whether a write to the location has an unknown value.
    hidden_write: Vec<bool>,
}

const SHARED: u32 = NONE32 - 1;

impl LocationUse {
    fn of(history: &History) -> LocationUse {
        let mut user = vec![NONE32; history.locations().len()];
        for thread in 0..history.threads().len() {
            for op in history.thread_ops(thread) {
                let Some(location) = history.location(op) else {
                    continue;
                };
                let user = &mut user[location as usize];
                *user = match *user {
                    NONE32 => thread as u32,
                    same if same == thread as u32 => same,
                    _ => SHARED,
                };
            }
        }
        LocationUse { user, hidden_write: history.hidden_writes() }
    }

    /// Whether a write with an unknown value may have supplied the value of a part of the access.
    fn is_partly_hidden(&self, history: &History, op: OpId) -> bool {
        history.parts(op).map(OpId).any(|part| {
            history.location(part).is_some_and(|location| self.hidden_write[location as usize])
        })
    }

    fn is_private(&self, location: u32) -> bool {
        self.user[location as usize] != SHARED
    }
}

/// The writer of each value at each location: the write, or [`AMBIGUOUS`] for several.
struct Writers {
    by_location: Vec<ValueTable>,
}

impl Writers {
    fn of(
        history: &History,
        use_of: &LocationUse,
        ambiguity: Ambiguity,
    ) -> Result<Writers, WrittenTwice> {
        let mut by_location = ValueTable::for_writes(history);
        let mut error: Option<(u64, WrittenTwice)> = None;
        // For each value with several writes, the first of them that does not write back what it read. A second such write is an error.
        let mut first_writes: FxHashMap<(u32, u64), Option<OpId>> = FxHashMap::default();
        let returned = OnceCell::new();
        let is_returned =
            |write| returned.get_or_init(|| returned_values(history, use_of)).contains(&write);
        for op in history.ops() {
            let (Some(location), Some(value)) = (history.location(op), history.written(op)) else {
                continue;
            };
            let initial = history.initial(location) == Some(value);
            let table = &mut by_location[location as usize];
            let earlier = table.insert(value, op.0);
            if !initial && earlier.is_none() {
                continue;
            }
            table.insert(value, AMBIGUOUS);
            let first = first_writes.entry((location, value)).or_insert_with(|| {
                let earlier = earlier.filter(|&earlier| earlier != AMBIGUOUS).map(OpId);
                earlier.filter(|&earlier| !history.writes_back(earlier))
            });
            if history.writes_back(op) {
                continue;
            }
            let earlier = *first.get_or_insert(op);
            let allowed = match ambiguity {
                Ambiguity::Refuse => false,
                Ambiguity::RefuseShared => use_of.is_private(location),
                Ambiguity::Keep => true,
            };
            // An inferred initial value is a conclusion from the reads, so the user cannot record another one.
            let is_stated = initial && history.provenance.initial != InitialMode::Infer;
            // Without a read of the value, it does not matter which write a read would take it from.
            if !allowed && (earlier != op || is_stated) && is_returned((location, value)) {
                let twice = written_twice(history, op, Some(earlier), location, value, is_stated);
                let when = history.trace_position(op);
                if error.as_ref().is_none_or(|(line, _)| when < *line) {
                    error = Some((when, twice));
                }
            }
        }
        match error {
            Some((_, twice)) => Err(twice),
            None => Ok(Writers { by_location }),
        }
    }

    fn source(
        &self,
        history: &History,
        use_of: &LocationUse,
        op: OpId,
        ambiguity: Ambiguity,
    ) -> u32 {
        let (Some(location), Some(value)) = (history.location(op), history.read(op)) else {
            return NOT_SHOWN;
        };
        if use_of.hidden_write[location as usize] {
            return HIDDEN;
        }
        if let Some(source) = history.fixed_source(op) {
            return source.0;
        }
        match self.by_location[location as usize].get(value) {
            Some(AMBIGUOUS) if ambiguity != Ambiguity::Refuse && use_of.is_private(location) => {
                own_latest(history, op, location, value)
            }
            // It is not known which write of the whole access this part is of.
            Some(AMBIGUOUS) if use_of.is_partly_hidden(history, op) => HIDDEN,
            Some(source) => source,
            None if history.initial(location) == Some(value) => INITIAL,
            None if history.provenance.outside_writes => OUTSIDE,
            None if history.may_be_unfinished(location) => UNFINISHED,
            None if history.provenance.unrecorded_writes => UNRECORDED,
            None => THIN_AIR,
        }
    }
}

/// The source of a read of an ambiguous value at a location that only one thread uses: the nearest
/// earlier write of the value, else the initial value, else a later write. If another write comes in
/// between, every source makes a violation, so the choice does not matter.
fn own_latest(history: &History, op: OpId, location: u32, value: u64) -> u32 {
    let start = op.0 - history.index_of(op);
    let writes = || {
        (start..op.0)
            .rev()
            .map(OpId)
            .filter(|&earlier| history.location(earlier) == Some(location))
            .filter(|&earlier| history.kind(earlier).writes())
    };
    match writes().find(|&write| history.written(write) == Some(value)) {
        Some(write) => write.0,
        None if history.initial(location) == Some(value) => INITIAL,
        None => later_write(history, op, location, value),
    }
}

/// The first write of the value by the read's own thread after the read; [`AMBIGUOUS`] if there is none.
fn later_write(history: &History, op: OpId, location: u32, value: u64) -> u32 {
    let end = history.threads()[history.thread_of(op)].end;
    (op.0 + 1..end)
        .map(OpId)
        .find(|&later| {
            history.location(later) == Some(location) && history.written(later) == Some(value)
        })
        .map_or(AMBIGUOUS, |write| write.0)
}

/// The values that reads return, by location, without those that a write with an unknown value may have supplied.
fn returned_values(history: &History, use_of: &LocationUse) -> FxHashSet<(u32, u64)> {
    let shown = history.ops().filter(|&op| !use_of.is_partly_hidden(history, op));
    shown.filter_map(|op| Some((history.location(op)?, history.read(op)?))).collect()
}

fn written_twice(
    history: &History,
    op: OpId,
    earlier: Option<OpId>,
    location: u32,
    value: u64,
    initial: bool,
) -> WrittenTwice {
    let place = history.locations()[location as usize];
    let earlier = if initial { None } else { earlier };
    let mut writes = [earlier, Some(op)];
    if earlier.is_some() {
        writes.sort_by_key(|write| write.map(|op| (history.line(op), op)));
    }
    let name = |op: OpId| match history.line(op) {
        Some(line) => format!("line {line}"),
        None => {
            let operation = history.operation(op);
            format!("operation {} of thread {}", operation.index, operation.thread)
        }
    };
    let [first, second] = writes.map(|write| write.map(name).unwrap_or_default());
    WrittenTwice {
        location: place.to_string(),
        value: match place.size {
            Some(_) => format!("{value:#x}"),
            None => value.to_string(),
        },
        first,
        second,
        initial,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Access, HistoryBuilder, Initial, Kind, Place, Provenance};

    /// Two threads write 1 to one location. It matters only if a read returns it.
    #[test]
    fn a_value_written_twice_that_no_read_returns_is_no_obstacle() {
        for (read, is_refused) in [(0, false), (1, true)] {
            let mut builder = HistoryBuilder::new();
            let place = Place::Cell(1);
            for thread in 0..2 {
                builder
                    .push(Access { written: Some(1), ..Access::new(thread, Kind::Store, place) });
            }
            builder.push(Access { read: Some(read), ..Access::new(2, Kind::Load, place) });
            let history =
                builder.finish(Default::default(), &Default::default(), Provenance::made());
            let found = ReadsFrom::derive(&history.unwrap(), Ambiguity::Refuse);
            assert_eq!(found.is_err(), is_refused, "{read}");
        }
    }

    /// A read shows the initial value, which the read's own thread stores again: an inferred value is no second write.
    #[test]
    fn an_inferred_initial_value_may_be_written_again() {
        for (initial, is_refused) in
            [(Initial::Infer, false), (Initial::Given([(0, 2)].into()), true)]
        {
            let mut builder = HistoryBuilder::new();
            let place = Place::Cell(0);
            builder.push(Access { read: Some(2), ..Access::new(0, Kind::Load, place) });
            builder.push(Access { written: Some(2), ..Access::new(0, Kind::Store, place) });
            builder.push(Access { read: Some(2), ..Access::new(1, Kind::Load, place) });
            let history = builder.finish(Default::default(), &initial, Provenance::made()).unwrap();
            assert_eq!(ReadsFrom::derive(&history, Ambiguity::Refuse).is_err(), is_refused);
        }
    }
}
