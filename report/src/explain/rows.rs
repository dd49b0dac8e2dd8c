//! Orders the operations of a picture from top to bottom.

use history::{History, OpId};

/// Sorts operations so that those of a thread are in program order, and otherwise by completion, as far as the trace shows it.
pub fn sorted(history: &History, ops: &[OpId]) -> Vec<OpId> {
    // The key is the time at which the operation and everything before it in its thread had completed.
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
