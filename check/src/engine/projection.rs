//! Selects the operations that the engines can leave out.
//!
//! At a location that only one thread uses, a plain load returns the thread's latest store or the initial
//! value, under every model. If all of them do, the plain loads and stores of the location are left out,
//! and [`crate::engine::schedule`] puts them back. If not, they stay, and the engine finds the violation.
//! Fences that add nothing to the model are left out too.
//!
//! Leaving out plain loads and stores loses no preserved program order between the others, with two
//! exceptions, which stay: operations that an acquire or release orders; and the first read after a
//! fence that orders only stores before loads, since stores after that read follow the stores before the
//! fence. If the model does not forward, a load that waits for its thread's store makes later loads
//! wait too, so nothing is left out.

use history::{History, Kind, OpId, ReadSource, ReadsFrom};

use memory::{FenceEffect, Label, Model};

/// Marks the operations of a history that can be left out under a model. Cost: linear.
pub(crate) fn left_out(history: &History, reads_from: &ReadsFrom, model: Model) -> Vec<bool> {
    let private = private_locations(history, reads_from, model);
    history
        .ops()
        .map(|op| match history.location(op) {
            Some(location) => private[location as usize],
            None => model.fence_effect(history.kind(op)) == Some(FenceEffect::Nothing),
        })
        .collect()
}

/// Per location, whether only one thread uses it, with plain loads and stores only, and every load
/// returns the value that it must.
fn private_locations(history: &History, reads_from: &ReadsFrom, model: Model) -> Vec<bool> {
    let mut user: Vec<Option<usize>> = vec![None; history.locations().len()];
    let mut private = vec![true; history.locations().len()];
    let mut latest: Vec<Option<OpId>> = vec![None; history.locations().len()];
    for thread in 0..history.threads().len() {
        // Whether there was no read since a fence that orders stores before loads alone.
        let mut is_fenced = false;
        for op in history.thread_ops(thread) {
            let label = Label::of(history, op);
            let Some(location) = history.location(op).map(|location| location as usize) else {
                is_fenced |= model.fence_effect(label.kind) == Some(FenceEffect::StoreLoad);
                continue;
            };
            if label.kind.reads() {
                private[location] &= !std::mem::take(&mut is_fenced);
            }
            let is_ordered = label.is_release_store() || label.is_ordered_acquire();
            private[location] &= !model.buffers() || (model.forwards() && !is_ordered);
            private[location] &= *user[location].get_or_insert(thread) == thread
                && matches!(history.kind(op), Kind::Load | Kind::Store)
                && reads_latest(reads_from.source(op), latest[location]);
            if history.kind(op).writes() {
                latest[location] = Some(op);
            }
        }
    }
    for last in history.finals() {
        let location = last.location as usize;
        let value = match latest[location] {
            Some(write) => history.written(write),
            None => history.initial(last.location),
        };
        private[location] &= value == Some(last.value);
    }
    private
}

fn reads_latest(source: Option<ReadSource>, latest: Option<OpId>) -> bool {
    match source {
        None | Some(ReadSource::NotShown | ReadSource::HiddenWrite | ReadSource::Outside) => true,
        Some(ReadSource::Write(write)) => latest == Some(write),
        Some(ReadSource::Initial) => latest.is_none(),
        Some(_) => false,
    }
}
