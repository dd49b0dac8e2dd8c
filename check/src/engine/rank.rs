//! [`rank`]: a first guess at memory order, as a topological order that respects reads-from.

use history::{History, OpId};

use crate::engine::csr::Csr;
use crate::engine::digraph::{Digraph, topological, topological_by};
use crate::engine::events::{Events, INITIAL};

/// Numbers the events in a topological order of preserved program order, reads-from, and reads of
/// initial values before writes. Among events that can come next, the one that completed first in the
/// trace does, at a cost of O(n log n). Without an order of completions it is the one that could come next
/// for the longest time, so that threads that wait for others fall behind; the cost is linear. Events on a
/// cycle come last.
pub fn rank(events: &Events, history: &History) -> Vec<u32> {
    let reads = Csr::new(events.len(), reads_from_edges(events).into_iter());
    let guess = Guess { events, reads };
    let order = if history.has_order() {
        let completion = |&op: &OpId| history.order(op).unwrap_or(u32::MAX);
        let hints: Vec<u32> = events.op.iter().map(completion).collect();
        topological_by(&guess, &hints)
    } else {
        topological(&guess)
    };
    let order = order.unwrap_or_else(|cyclic| cyclic.sorted_first());
    let mut rank = vec![0; order.len()];
    for (at, event) in (0..).zip(order) {
        rank[event as usize] = at;
    }
    rank
}

/// Preserved program order, reads-from, and reads of initial values before writes.
struct Guess<'e> {
    events: &'e Events,
    reads: Csr,
}

impl Digraph for Guess<'_> {
    fn nodes(&self) -> usize {
        self.events.len()
    }

    fn successors(&self, node: u32, visit: impl FnMut(u32)) {
        let next = self.events.po().of(node).iter().chain(self.reads.of(node));
        next.copied().for_each(visit);
    }
}

fn reads_from_edges(events: &Events) -> Vec<(u32, u32)> {
    let initial = (0..events.locations() as u32).flat_map(|location| {
        let firsts = move || {
            let index = events.write_index();
            index.groups(location).iter().map(|group| index.members(group)[0])
        };
        let readers = events.initial_readers.of(location).iter();
        readers.flat_map(move |&read| {
            let others = firsts().filter(move |&w| events.thread(w) != events.thread(read));
            others.map(move |write| (read, write))
        })
    });
    (0..events.len() as u32)
        .filter(|&event| events.kind[event as usize].reads())
        .map(|event| (events.source[event as usize], event))
        .filter(|&(source, read)| {
            source < INITIAL && (events.thread(source) != events.thread(read) || source > read)
        })
        .chain(initial)
        .collect()
}
