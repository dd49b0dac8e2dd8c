//! [`Finals`]: the writes that final values come from.

use history::{History, OpId};
use rustc_hash::FxHashMap;

use crate::engine::proof::Contradiction;

/// The possible sources of the final values that a history states.
#[derive(Clone, Debug, Default)]
pub(crate) struct Finals {
    /// The writes whose value is the final value of their location; each is the last write of its location.
    /// If several writes of a location have its final value and only one thread uses the location, the last
    /// of them in program order is listed.
    pub writes: Vec<OpId>,
    /// Locations whose final value may come from any of several writes, with these writes.
    pub open: Vec<(u32, Vec<OpId>)>,
    /// A location whose final value no recorded write has, but may have been written by a store that was
    /// outstanding when the trace ended.
    pub unfinished: Option<u32>,
    /// A location with a final value and with a write whose value the trace does not show.
    pub hidden: Option<u32>,
}

impl Finals {
    /// Finds the sources of a history's final values. Cost: linear.
    ///
    /// # Errors
    /// Returns [`Contradiction::ThinFinal`] if a location cannot end with its final value.
    pub(crate) fn of(history: &History) -> Result<Finals, Contradiction> {
        let mut finals = Finals::default();
        if history.finals().is_empty() {
            return Ok(finals);
        }
        let mut writers: FxHashMap<(u32, u64), Vec<OpId>> = FxHashMap::default();
        let mut written = vec![false; history.locations().len()];
        let free = history.hidden_writes();
        let own_last = own_last_writes(history);
        for op in history.ops() {
            if let (Some(location), Some(value)) = (history.location(op), history.written(op)) {
                writers.entry((location, value)).or_default().push(op);
                written[location as usize] = true;
            }
        }
        for last in history.finals() {
            match writers.get(&(last.location, last.value)).map(Vec::as_slice) {
                _ if free[last.location as usize] => {
                    finals.hidden.get_or_insert(last.location);
                }
                Some(&[write]) => finals.writes.push(write),
                Some(several) => match own_last[last.location as usize] {
                    Some(write) if history.written(write) == Some(last.value) => {
                        finals.writes.push(write);
                    }
                    _ => finals.open.push((last.location, several.to_vec())),
                },
                None if !written[last.location as usize]
                    && history.initial(last.location) == Some(last.value) => {}
                None if history.may_be_unfinished(last.location) => {
                    finals.unfinished.get_or_insert(last.location);
                }
                None => return Err(Contradiction::ThinFinal(last.location)),
            }
        }
        Ok(finals)
    }
}

/// Per location that only one thread uses, its last write in program order; `None` for other locations.
fn own_last_writes(history: &History) -> Vec<Option<OpId>> {
    let mut user: Vec<Option<usize>> = vec![None; history.locations().len()];
    let mut shared = vec![false; user.len()];
    let mut last = vec![None; user.len()];
    for thread in 0..history.threads().len() {
        for op in history.thread_ops(thread) {
            let Some(location) = history.location(op).map(|location| location as usize) else {
                continue;
            };
            shared[location] |= *user[location].get_or_insert(thread) != thread;
            if history.kind(op).writes() {
                last[location] = Some(op);
            }
        }
    }
    let own = last.into_iter().zip(shared);
    own.map(|(last, shared)| last.filter(|_| !shared)).collect()
}
