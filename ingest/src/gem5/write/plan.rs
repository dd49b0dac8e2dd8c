//! [`Plan`]: decides at which tick each line of a trace is printed.

use history::{History, Kind, OpId};
use rustc_hash::FxHashMap;

use super::inexpressible;
use crate::error::WriteError;

/// A line that is printed before an operation is performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Start {
    pub tick: u64,
    pub op: OpId,
    /// Whether the line is the request of a sequencer; otherwise it is the client's line of a store.
    pub request: bool,
}

/// The ticks at which each operation is requested, performed and printed by its client.
pub(super) struct Plan<'h> {
    history: &'h History,
    /// Operations in the order in which memory performed them.
    order: Vec<OpId>,
    /// By operation, the tick at which it was performed. Along `order` the ticks rise strictly.
    completed: Vec<u64>,
    /// By operation, the duration of its request in ticks; `None` if memory never saw a request.
    cycles: Vec<Option<u32>>,
    /// The lines that are printed before an operation is performed, by tick.
    starts: Vec<Start>,
    /// Whether lines of clients are printed.
    client: bool,
}

impl Plan<'_> {
    /// Plans the trace of a history.
    pub(super) fn new(history: &History) -> Result<Plan<'_>, WriteError> {
        let Times { issued, completed } = Times::of(history)?;
        let mut plan = Plan {
            history,
            order: order(history, &completed)?,
            cycles: vec![None; completed.len()],
            client: needs_client(history, &issued, &completed),
            completed,
            starts: Vec::with_capacity(issued.len()),
        };
        plan.request_all(&issued)?;
        plan.starts.sort_unstable();
        Ok(plan)
    }

    /// The operations in the order in which memory performed them.
    pub(super) fn order(&self) -> &[OpId] {
        &self.order
    }

    /// The lines that are printed before an operation is performed, by tick.
    pub(super) fn starts(&self) -> Starts<'_> {
        Starts { rest: &self.starts }
    }

    /// The duration of a request in ticks; `None` for operations that memory never sees: fences, and loads that a store
    /// buffer serves.
    pub(super) fn cycles(&self, op: OpId) -> Option<u32> {
        self.cycles[op.at()]
    }

    /// The tick at which the sequencer completes an operation. A client sees the completion one tick later.
    pub(super) fn done(&self, op: OpId) -> u64 {
        let completed = self.completed[op.at()];
        match self.seen(op) {
            Some(_) => completed.saturating_sub(1),
            None => completed,
        }
    }

    /// The tick at which the client prints that an operation has completed; `None` if it does not. The line of a store
    /// is printed when it is issued.
    pub(super) fn seen(&self, op: OpId) -> Option<u64> {
        let is_printed = self.client && self.history.kind(op) != Kind::Store;
        is_printed.then(|| self.completed[op.at()])
    }

    /// Plans the requests. A store buffer sends its stores one at a time. A thread's requests to one location do not
    /// overlap, since a sequencer would complete them in the order of requests. It is an error if their ticks leave no room
    /// for that.
    fn request_all(&mut self, issued: &[u64]) -> Result<(), WriteError> {
        let forwarded = forwarded(self.history, &self.completed);
        let mut free = vec![0; self.history.threads().len()];
        let mut free_at: FxHashMap<(usize, u32), u64> = FxHashMap::default();
        for &op in &self.order {
            let Some(location) = self.history.location(op).filter(|_| !forwarded[op.at()]) else {
                continue;
            };
            let thread = self.history.thread_of(op);
            let is_buffered = self.client && self.history.kind(op) == Kind::Store;
            let done = self.done(op);
            let free_at = free_at.entry((thread, location)).or_insert(0);
            if *free_at > done {
                return Err(inexpressible(format!(
                    "{} and the operation of its thread at its location before it, which complete too soon one after the other",
                    self.history.describe(op)
                )));
            }
            let mut tick = issued[op.at()].max(*free_at);
            *free_at = done + 1;
            if is_buffered {
                tick = tick.max(free[thread]);
                free[thread] = done + 1;
                self.starts.push(Start { tick: issued[op.at()], op, request: false });
            }
            let tick = tick.min(done);
            self.cycles[op.at()] = Some(u32::try_from(done - tick).unwrap_or(u32::MAX));
            self.starts.push(Start { tick, op, request: true });
        }
        Ok(())
    }
}

/// The lines that were not printed yet, by tick.
pub(super) struct Starts<'p> {
    rest: &'p [Start],
}

impl<'p> Starts<'p> {
    /// Takes the lines up to and including a tick.
    pub(super) fn until(&mut self, tick: u64) -> &'p [Start] {
        let due = self.rest.iter().take_while(|start| start.tick <= tick);
        let (due, rest) = self.rest.split_at(due.count());
        self.rest = rest;
        due
    }
}

/// By operation, the ticks at which it was issued and at which memory performed it.
struct Times {
    issued: Vec<u64>,
    completed: Vec<u64>,
}

impl Times {
    fn of(history: &History) -> Result<Times, WriteError> {
        let (mut issued, mut completed) = (Vec::new(), Vec::new());
        for op in history.ops() {
            let operation = history.operation(op);
            let (Some(tick), Some(_)) = (operation.completed, history.order(op)) else {
                let what = history.describe(op);
                return Err(inexpressible(format!("{what} without a tick of completion")));
            };
            completed.push(tick);
            issued.push(operation.issued.unwrap_or(tick).min(tick));
        }
        Ok(Times { issued, completed })
    }
}

/// The order in which memory performed the operations. It is an error if their ticks of completion do not rise along
/// it.
fn order(history: &History, completed: &[u64]) -> Result<Vec<OpId>, WriteError> {
    let mut order: Vec<OpId> = history.ops().collect();
    order.sort_unstable_by_key(|&op| history.order(op));
    let is_wrong = |pair: &&[OpId]| completed[pair[0].at()] >= completed[pair[1].at()];
    match order.windows(2).find(is_wrong) {
        None => Ok(order),
        Some(pair) => Err(inexpressible(format!(
            "{} and {}, whose ticks of completion do not tell which was first",
            history.describe(pair[0]),
            history.describe(pair[1])
        ))),
    }
}

/// Whether the trace of a history shows the ticks of all operations as they are. Lines of clients show one tick of each
/// operation, and an operation without a tick of issue is printed as if it was issued when it completed.
pub(super) fn keeps_ticks(history: &History) -> bool {
    let has_both = |op| {
        let (issued, completed) = (history.issued(op), history.completed(op));
        issued.is_some() && issued <= completed
    };
    let is_kept = |times: Times| !needs_client(history, &times.issued, &times.completed);
    history.ops().all(has_both) && Times::of(history).is_ok_and(is_kept)
}

/// Whether the requests of sequencers alone do not show program order: there are fences, or an operation was issued
/// before the one before it was performed.
fn needs_client(history: &History, issued: &[u64], completed: &[u64]) -> bool {
    let has_fence = history.ops().any(|op| history.kind(op) == Kind::Fence);
    let overlaps = |thread| {
        let next = history.thread_ops(thread).skip(1);
        history
            .thread_ops(thread)
            .zip(next)
            .any(|(op, next)| issued[next.at()] <= completed[op.at()])
    };
    has_fence || (0..history.threads().len()).any(overlaps)
}

/// By operation, whether it is a load that was performed while a store of its thread to its location was buffered.
fn forwarded(history: &History, completed: &[u64]) -> Vec<bool> {
    let mut forwarded = vec![false; history.len()];
    let mut stored: FxHashMap<u32, u64> = FxHashMap::default();
    for thread in 0..history.threads().len() {
        stored.clear();
        for op in history.thread_ops(thread) {
            let Some(location) = history.location(op) else {
                continue;
            };
            match history.kind(op) {
                Kind::Store => {
                    let last = stored.entry(location).or_insert(0);
                    *last = (*last).max(completed[op.at()]);
                }
                Kind::Load => {
                    let last = stored.get(&location);
                    forwarded[op.at()] = last.is_some_and(|&last| last > completed[op.at()]);
                }
                _ => {}
            }
        }
    }
    forwarded
}
