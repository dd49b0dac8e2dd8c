//! Orders the operations of a picture from top to bottom.

use history::{History, OpId};

use super::why;

/// Sorts operations so that those of a thread are in program order, and otherwise by the ticks that their boxes name first, or by
/// completion if not all have one.
pub(super) fn sorted(history: &History, ops: &[OpId]) -> Vec<OpId> {
    let is_timed = ops.iter().all(|&op| why::first_tick(history, op).is_some());
    let when = |op: OpId| {
        let tick = why::first_tick(history, op).filter(|_| is_timed);
        tick.or(history.order(op).map(u64::from)).or(history.line(op))
    };
    // The key is the time at which the operation and everything before it in its thread had happened; of several at the same tick,
    // the one that completed first comes first.
    let mut keyed: Vec<((u64, u64), OpId)> = Vec::new();
    let (mut latest, mut latest_order) = (0, 0);
    let mut thread = None;
    for &op in ops {
        let own = history.thread_of(op);
        if thread.replace(own) != Some(own) {
            (latest, latest_order) = (0, 0);
        }
        latest = latest.max(when(op).unwrap_or(latest));
        latest_order = latest_order.max(history.order(op).map_or(latest_order, u64::from));
        keyed.push(((latest, latest_order), op));
    }
    keyed.sort_by_key(|&(when, _)| when);
    keyed.into_iter().map(|(_, op)| op).collect()
}
