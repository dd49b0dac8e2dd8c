//! Which operations the engines need to look at.
//!
//! Plain loads and stores of a location that one thread alone uses see nothing of the other
//! threads: under every model such a load returns its thread's latest store, or the initial
//! value. Where they do, they are left out, and [`crate::schedule`] puts them back; where they
//! do not, the location stays and the engine finds the violation. Leaving out plain loads and
//! stores loses no preserved program order between the others.

use history::{History, Kind, OpId, ReadSource, ReadsFrom};

/// Marks the operations of a history that can be left out. Cost: linear.
pub fn left_out(history: &History, reads_from: &ReadsFrom) -> Vec<bool> {
    let private = private_locations(history, reads_from);
    history
        .ops()
        .map(|op| {
            history
                .location(op)
                .is_some_and(|location| private[location as usize])
        })
        .collect()
}

/// Locations that one thread alone uses, with plain loads and stores that return what they must.
fn private_locations(history: &History, reads_from: &ReadsFrom) -> Vec<bool> {
    let mut user: Vec<Option<usize>> = vec![None; history.locations().len()];
    let mut private = vec![true; history.locations().len()];
    let mut latest: Vec<Option<OpId>> = vec![None; history.locations().len()];
    for thread in 0..history.threads().len() {
        for op in history.thread_ops(thread) {
            let Some(location) = history.location(op).map(|location| location as usize) else {
                continue;
            };
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
