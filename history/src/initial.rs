//! Initial values: [`resolve`] sets or infers them, and [`History::may_read_initial`] says which reads may return one that is
//! not known.
//!
//! An initial value that is not known is *open*: reads may return it, as long as all that do return the same value. A read that
//! can have returned nothing else shows it ([`History::with_shown_initial`]).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::builder::Initial;
use crate::history::History;
use crate::layout;
use crate::operation::OpId;
use crate::provenance::InitialMode;
use crate::unrecorded;

/// Sets the initial value of each location. If writes outside of the history may have supplied values, nothing can be inferred, unless
/// the history may lack writes from before its start, too, which [`unrecorded`] considers.
pub(crate) fn resolve(history: &mut History, initial: &Initial) {
    history.provenance.initial = match initial {
        Initial::Zero => InitialMode::Zero,
        Initial::Infer => InitialMode::Infer,
        Initial::Given(_) => InitialMode::Given,
    };
    history.initial = match initial {
        Initial::Zero => vec![Some(0); history.locations.len()],
        Initial::Given(values) => {
            let locations = history.locations.iter();
            locations.map(|location| Some(layout::value_at(values, *location))).collect()
        }
        Initial::Infer => vec![None; history.locations.len()],
    };
    if *initial == Initial::Infer {
        if history.provenance.unrecorded_writes {
            history.initial = unrecorded::infer(history);
        } else if let Some(inferred) = certain(history) {
            history.initial = inferred;
        }
    }
    free_sources(history);
}

/// The writes of a value to a location: their thread, and the first of them; `None` if several threads have such writes.
type Writers = FxHashMap<(u32, u64), Option<(usize, OpId)>>;

/// Per location, its initial value, or if that is open the value that it must have: the first one, in the order of the trace,
/// that a read returns before every write of it, since it is not written or only later in the thread of the read; for a
/// location without writes, else its final value. Reads of a location that a store without a completion may have written do
/// not count. `None` if there is no such value that was not known.
fn certain(history: &History) -> Option<Vec<Option<u64>>> {
    let is_open = |location: u32| history.is_initial_open(location);
    if !(0..history.initial.len() as u32).any(is_open) {
        return None;
    }
    let mut writers = Writers::default();
    let mut is_written = vec![false; history.locations.len()];
    for thread in 0..history.threads().len() {
        for op in history.thread_ops(thread).filter(|&op| history.kind(op).writes()) {
            let Some(location) = history.location(op) else { continue };
            is_written[location as usize] = true;
            if let Some(value) = history.written(op) {
                let first = writers.entry((location, value)).or_insert(Some((thread, op)));
                *first = first.filter(|(own, _)| *own == thread);
            }
        }
    }
    let mut first: Vec<Option<(u64, u64)>> = vec![None; history.locations.len()];
    for thread in 0..history.threads().len() {
        for op in history.thread_ops(thread) {
            let (Some(location), Some(value)) = (history.location(op), history.read(op)) else {
                continue;
            };
            let is_later = |writer: &Option<(usize, OpId)>| {
                writer.is_some_and(|(own, first)| own == thread && op <= first)
            };
            let is_initial = writers.get(&(location, value)).is_none_or(is_later);
            let slot = &mut first[location as usize];
            let when = history.trace_position(op);
            if is_initial
                && slot.is_none_or(|(earlier, _)| when < earlier)
                && !history.may_be_unfinished(location)
            {
                *slot = Some((when, value));
            }
        }
    }
    let mut certain: Vec<Option<u64>> =
        first.into_iter().map(|slot| slot.map(|(_, value)| value)).collect();
    for last in &history.finals {
        let value = &mut certain[last.location as usize];
        *value = value.or((!is_written[last.location as usize]).then_some(last.value));
    }
    for (value, known) in certain.iter_mut().zip(&history.initial) {
        *value = known.or(*value);
    }
    (certain != history.initial).then_some(certain)
}

/// Removes the fixed sources of reads whose whole value may be the initial one.
pub(crate) fn free_sources(history: &mut History) {
    let mut sources = std::mem::take(&mut history.fixed_sources);
    if !sources.is_empty() {
        let mut start = 0;
        let ops: Vec<OpId> = history.ops().chain([OpId(history.len() as u32)]).collect();
        for &op in &ops[1..] {
            if op.at() < history.len() && history.continues(op) {
                continue;
            }
            let may_be_initial = |part: OpId| match (history.location(part), history.read(part)) {
                (Some(location), Some(value)) => history.may_be_initial(location, value),
                _ => false,
            };
            if (start..op.0).map(OpId).all(may_be_initial) {
                for part in start..op.0 {
                    sources.remove(&part);
                }
            }
            start = op.0;
        }
    }
    history.fixed_sources = sources;
}

impl History {
    /// Whether writes that the history lacks may have supplied values.
    fn may_lack_writes(&self) -> bool {
        self.provenance.unrecorded_writes || self.provenance.outside_writes
    }

    /// Whether the initial value of a location is not known, and reads may return it.
    pub fn is_initial_open(&self, location: u32) -> bool {
        self.initial[location as usize].is_none() && !self.may_lack_writes()
    }

    /// Whether a read of this value may return the initial value of a location, because it is equal or not known.
    pub fn may_be_initial(&self, location: u32, value: u64) -> bool {
        self.initial(location) == Some(value) || self.is_initial_open(location)
    }

    /// The reads that may return an initial value that is not known: those with a known value that no write of their
    /// thread to the location precedes. Cost: linear, constant if all initial values are known.
    pub fn may_read_initial(&self) -> FxHashSet<OpId> {
        let mut reads = FxHashSet::default();
        if !self.initial.contains(&None) || self.may_lack_writes() {
            return reads;
        }
        for thread in 0..self.threads().len() {
            let mut written = FxHashSet::default();
            for op in self.thread_ops(thread) {
                let Some(location) = self.location(op).filter(|&at| self.is_initial_open(at))
                else {
                    continue;
                };
                if self.read(op).is_some() && !written.contains(&location) {
                    reads.insert(op);
                }
                if self.kind(op).writes() {
                    written.insert(location);
                }
            }
        }
        reads
    }

    /// The history with the open initial values that reads show: a value that a read must have taken from there. `None` if there is
    /// none. Cost: linear, constant if no initial value is open.
    pub fn with_shown_initial(&self) -> Option<History> {
        let initial = certain(self)?;
        let mut history = History { initial, ..self.clone() };
        free_sources(&mut history);
        Some(history)
    }

    /// The history in which each open initial value is one that no read returns. It is a possibility that searches try first,
    /// since reads then have one source. `None` if no initial value is open. Cost: linear.
    pub fn with_unread_initial(&self) -> Option<History> {
        let is_open = |location: u32| self.is_initial_open(location);
        if !(0..self.initial.len() as u32).any(is_open) {
            return None;
        }
        let mut used: FxHashSet<(u32, u64)> = FxHashSet::default();
        for op in self.ops() {
            if let Some(location) = self.location(op).filter(|&location| is_open(location)) {
                let values = [self.read(op), self.written(op)].into_iter().flatten();
                used.extend(values.map(|value| (location, value)));
            }
        }
        used.extend(self.finals.iter().map(|last| (last.location, last.value)));
        let mut history = self.clone();
        for location in (0..self.initial.len() as u32).filter(|&location| is_open(location)) {
            let unread = (0..=u64::MAX).rev().find(|&value| !used.contains(&(location, value)));
            history.initial[location as usize] = unread;
        }
        Some(history)
    }
}
