//! Topological sorts whose result satisfies the axioms (HPCA 2006, sections 4.2.1 and 4.2.2).
//!
//! Each location has an *active* store, the one that was sorted last. A load is sorted only while the
//! store that it reads is active or, under TSO, while that store is of its own thread and has not been
//! sorted. A store is sorted only once every reader of the active store has been. (An atomic may itself be
//! the last reader.) A load that can be sorted is sorted at once, since that prevents nothing else from
//! being sorted; so only stores are choices. [`Heu`](crate::Algorithm::Heu) does no more than that.
//!
//! [`Deriv`](crate::Algorithm::Deriv) applies the rules again after each store: the store precedes the
//! remaining stores of its location, so its readers do too. There is nothing new to derive at other
//! locations, since operations that have been sorted precede all others anyway.
//!
//! The paper leaves open which of several stores is sorted first. Here it is the one that comes first in a
//! topological order of the graph. That order is computed with a first-in first-out queue, so that threads
//! advance together.
//!
//! **Cost.** O(chains) a store to choose it, and constant time an operation and edge.

use history::OpId;

use check::engine::events::NONE;

use super::baseline::{Inference, Mark};
use super::graph::NoOrder;

/// A topological sort in progress.
#[derive(Debug)]
pub(super) struct Sort<'a> {
    inference: Inference<'a>,
    derives: bool,
    /// Per node, the number of its readers that have not been sorted.
    unread: Vec<u32>,
    /// Per location, the active write: the one that was sorted last, at first the initial one.
    active: Vec<u32>,
    /// Per sorted write, the write that was active before it.
    replaced: Vec<u32>,
    /// The operations sorted so far.
    order: Vec<u32>,
    /// Operations that may have become ready to be sorted.
    open: Vec<u32>,
    /// Number of stores that were picked, including those undone since.
    picks: u64,
}

/// The state before a store was picked, for [`Sort::take_back`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Pick {
    sorted: usize,
    mark: Mark,
}

impl<'a> Sort<'a> {
    /// Starts a sort: sorts the operations before the first choice.
    pub(super) fn new(inference: Inference<'a>, derives: bool) -> Sort<'a> {
        let execution = &inference.graph.execution;
        let nodes = 0..execution.len() as u32;
        let locations = 0..execution.locations();
        let chains = 0..inference.graph.chains.count() as u32;
        let heads = chains.filter_map(|chain| inference.graph.chains.members(chain).first());
        let mut sort = Sort {
            unread: nodes.map(|node| execution.readers.of(node).len() as u32).collect(),
            active: locations.map(|location| execution.initial(location)).collect(),
            replaced: vec![NONE; execution.operations as usize],
            order: Vec::with_capacity(execution.operations as usize),
            open: heads.copied().collect(),
            picks: 0,
            inference,
            derives,
        };
        sort.sort_reads();
        sort
    }

    /// Number of operations.
    pub(super) fn operations(&self) -> usize {
        self.replaced.len()
    }

    /// Number of operations that have been sorted.
    pub(super) fn sorted(&self) -> usize {
        self.order.len()
    }

    /// Whether every operation has been sorted.
    pub(super) fn is_done(&self) -> bool {
        self.sorted() == self.operations()
    }

    /// The operations sorted so far, in order.
    pub(super) fn order(&self) -> Vec<OpId> {
        self.order.iter().map(|&node| OpId(node)).collect()
    }

    /// Number of stores picked so far.
    pub(super) fn picks(&self) -> u64 {
        self.picks
    }

    /// Whether a bound was met.
    pub(super) fn is_past_bounds(&self) -> bool {
        self.inference.bounds.passed()
    }

    /// Number of edges of the graph.
    pub(super) fn edges(&self) -> usize {
        self.inference.graph.edges.len()
    }

    /// Position of an operation in the order in which stores are tried.
    fn rank(&self, node: u32) -> u32 {
        self.inference.rank_of(node)
    }

    /// The store to pick next; with `tried`, the one to try after that store.
    pub(super) fn candidate(&self, tried: Option<u32>) -> Option<u32> {
        let chains = &self.inference.graph.chains;
        let sorted = self.inference.graph.sorted.iter().enumerate();
        let heads = sorted.filter_map(|(chain, &sorted)| {
            chains.members(chain as u32).get(sorted as usize).copied()
        });
        heads
            .filter(|&head| tried.is_none_or(|tried| self.rank(head) > self.rank(tried)))
            .filter(|&head| self.inference.graph.execution.is_write(head))
            .filter(|&head| self.inference.graph.is_next(head) && self.may_write(head))
            .min_by_key(|&head| self.rank(head))
    }

    /// Picks a store, and sorts the operations that follow without a choice. `back` says that the pick
    /// may be undone later.
    pub(super) fn pick(&mut self, store: u32, back: bool) -> (Pick, Result<(), NoOrder>) {
        self.picks += 1;
        let mark = if back && self.derives { self.inference.mark() } else { Mark::default() };
        let pick = Pick { sorted: self.order.len(), mark };
        self.sort(store);
        let derived = if self.derives { self.derive(store) } else { Ok(()) };
        match derived {
            Ok(()) => self.sort_reads(),
            Err(_) => self.open.clear(),
        }
        (pick, derived)
    }

    /// Undoes a pick and everything sorted after it. Returns the store.
    pub(super) fn take_back(&mut self, pick: Pick) -> u32 {
        while self.order.len() > pick.sorted + 1 {
            self.unsort();
        }
        if self.derives {
            self.inference.undo(pick.mark);
        }
        let store = self.order[pick.sorted];
        self.unsort();
        store
    }

    /// Derives the edges that follow from a store having been sorted.
    fn derive(&mut self, store: u32) -> Result<(), NoOrder> {
        let location = self.inference.graph.location(store);
        for group in self.inference.graph.writes.range(location) {
            if let Some(later) = self.inference.graph.first_unsorted(group) {
                self.inference.add_readers(store, later)?;
            }
        }
        self.inference.infer()
    }

    /// Sorts loads, membars and failed atomics as long as one can be sorted.
    fn sort_reads(&mut self) {
        while let Some(node) = self.open.pop() {
            let graph = &self.inference.graph;
            if !graph.execution.is_write(node) && graph.is_next(node) && self.may_read(node) {
                self.sort(node);
            }
        }
    }

    /// Whether an operation would read its recorded value if it were sorted now.
    fn may_read(&self, node: u32) -> bool {
        let graph = &self.inference.graph;
        let source = graph.source(node);
        source == NONE
            || self.active[graph.location(node) as usize] == source
            || !graph.execution.is_initial(source)
                && !graph.is_sorted(source)
                && graph.execution.po(source, node)
    }

    /// Whether a write may become active: no read of the active write is left, except by the write itself.
    fn may_write(&self, node: u32) -> bool {
        let active = self.active[self.inference.graph.location(node) as usize];
        let source = self.inference.graph.source(node);
        let unread = self.unread[active as usize];
        unread == 0 && source == NONE || unread == 1 && source == active
    }

    fn sort(&mut self, node: u32) {
        self.inference.graph.sort(node);
        self.order.push(node);
        let graph = &self.inference.graph;
        let source = graph.source(node);
        if source != NONE {
            self.unread[source as usize] -= 1;
        }
        self.open.extend(graph.chains.after(node));
        self.open.extend(graph.chains.across_after(node));
        self.open.extend(graph.edges.out_of(node));
        if graph.execution.is_write(node) {
            let active = &mut self.active[graph.location(node) as usize];
            self.replaced[node as usize] = std::mem::replace(active, node);
            self.open.extend(graph.execution.readers.of(node));
        }
    }

    fn unsort(&mut self) {
        let Some(node) = self.order.pop() else {
            return;
        };
        let graph = &mut self.inference.graph;
        graph.unsort(node);
        let source = graph.source(node);
        if source != NONE {
            self.unread[source as usize] += 1;
        }
        if graph.execution.is_write(node) {
            self.active[graph.location(node) as usize] = self.replaced[node as usize];
        }
    }
}
