//! A first guess at memory order: a topological order that follows reads.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use history::History;

use crate::engine::csr::Csr;
use crate::engine::events::{Events, INITIAL};

/// Numbers the events in a topological order of preserved program order, reads-from and reads of
/// initial values before writes. Among events that are free, the earliest by the trace's order of
/// completions goes first, where there is one, and otherwise the one that is least far in its
/// thread. Events on a cycle come last.
/// Cost: O(n log n).
pub fn rank(events: &Events, history: &History) -> Vec<u32> {
    let timed = history.has_order();
    let hint = |event: u32| {
        let op = events.op[event as usize];
        if timed {
            history.order(op).unwrap_or(u32::MAX)
        } else {
            history.index_of(op)
        }
    };
    let reads = reads_from_edges(events);
    let mut waiting: Vec<u32> = (0..events.len() as u32)
        .map(|event| events.po_back.of(event).len() as u32)
        .collect();
    for &(_, read) in &reads {
        waiting[read as usize] += 1;
    }
    let reads = Csr::new(events.len(), reads.iter().copied());
    let mut free: BinaryHeap<Reverse<(u32, u32)>> = (0..events.len() as u32)
        .filter(|&event| waiting[event as usize] == 0)
        .map(|event| Reverse((hint(event), event)))
        .collect();
    let mut rank = vec![u32::MAX; events.len()];
    let mut next = 0;
    while let Some(Reverse((_, event))) = free.pop() {
        rank[event as usize] = next;
        next += 1;
        for &follower in events.po.of(event).iter().chain(reads.of(event)) {
            waiting[follower as usize] -= 1;
            if waiting[follower as usize] == 0 {
                free.push(Reverse((hint(follower), follower)));
            }
        }
    }
    for rank in rank.iter_mut().filter(|rank| **rank == u32::MAX) {
        *rank = next;
        next += 1;
    }
    rank
}

fn reads_from_edges(events: &Events) -> Vec<(u32, u32)> {
    let initial = (0..events.locations() as u32).flat_map(|location| {
        let firsts = move || {
            let index = &events.write_index;
            index
                .groups(location)
                .iter()
                .map(|group| index.members(group)[0])
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
