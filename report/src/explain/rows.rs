//! Which operation is drawn below which.

use history::{History, OpId};

/// Sorts operations so that those of a thread go down in program order, and otherwise as they completed, where the trace says so.
pub fn sorted(history: &History, ops: &[OpId]) -> Vec<OpId> {
    // When everything before an operation in its thread, and itself, had completed.
    let mut keyed: Vec<(u64, OpId)> = Vec::new();
    let mut latest = 0;
    let mut thread = None;
    for &op in ops {
        let own = history.thread_of(op);
        if thread.replace(own) != Some(own) {
            latest = 0;
        }
        let when = history.order(op).map(u64::from).or(history.line(op));
        latest = latest.max(when.unwrap_or(latest));
        keyed.push((latest, op));
    }
    keyed.sort_by_key(|&(when, _)| when);
    keyed.into_iter().map(|(_, op)| op).collect()
}
