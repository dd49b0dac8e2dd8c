//! [`order`]: sorts the events topologically along a graph, and keeps each thread near its program order.
//!
//! Of each thread, the oldest unsorted event comes next. Later events of the thread that could come too wait
//! until nothing else can, or until their thread has been stalled for some time, since the oldest event may
//! itself wait for one of them.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::engine::csr::Csr;
use crate::engine::digraph::{Digraph, predecessors};
use crate::engine::events::NONE;
use crate::engine::windows::Input;

/// Number of events per thread that are sorted, on average, before a later event of a stalled thread comes
/// early.
const PATIENCE: usize = 8;

/// The events in a topological order of the graph, first in, first out. `None` if the graph is cyclic. Cost:
/// O(m + n log w) for n events, m edges and w events that wait in a thread.
pub(super) fn order(input: &Input<'_>, graph: &Csr) -> Option<Vec<u32>> {
    let mut sorting = Sorting::new(input, predecessors(graph));
    for event in 0..input.nodes() as u32 {
        if sorting.missing[event as usize] == 0 {
            sorting.offer(event);
        }
    }
    while let Some(event) = sorting.take() {
        sorting.note(event);
        graph.successors(event, |next| {
            sorting.missing[next as usize] -= 1;
            if sorting.missing[next as usize] == 0 {
                sorting.offer(next);
            }
        });
    }
    (sorting.sorted.len() == input.nodes()).then_some(sorting.sorted)
}

/// A thread, whose events have consecutive numbers.
#[derive(Default)]
struct Thread {
    /// The first event that is not sorted, and the one after the last event.
    oldest: u32,
    end: u32,
    /// Events that could come before the oldest one; some may be sorted already.
    early: BinaryHeap<Reverse<u32>>,
    /// If the thread is stalled, the number of events that had been sorted when it was.
    stalled: Option<usize>,
}

struct Sorting<'a> {
    input: &'a Input<'a>,
    /// Per event, how many of its predecessors in the graph are not sorted.
    missing: Vec<u32>,
    is_sorted: Vec<bool>,
    sorted: Vec<u32>,
    /// The queue of events to be sorted next.
    next: VecDeque<u32>,
    threads: Vec<Thread>,
    /// Stalled threads, those stalled first in front, as (number of events sorted by then, thread). An entry
    /// that differs from [`Thread::stalled`] is out of date.
    stalled: VecDeque<(usize, u32)>,
}

impl<'a> Sorting<'a> {
    fn new(input: &'a Input<'a>, missing: Vec<u32>) -> Sorting<'a> {
        let mut threads: Vec<Thread> = Vec::new();
        for (event, &thread) in input.thread.iter().enumerate().filter(|(_, at)| **at != NONE) {
            if thread as usize >= threads.len() {
                threads.resize_with(thread as usize + 1, Thread::default);
            }
            let thread = &mut threads[thread as usize];
            if thread.end == 0 {
                thread.oldest = event as u32;
            }
            thread.end = event as u32 + 1;
        }
        Sorting {
            input,
            missing,
            is_sorted: vec![false; input.nodes()],
            sorted: Vec::with_capacity(input.nodes()),
            next: VecDeque::new(),
            threads,
            stalled: VecDeque::new(),
        }
    }

    fn thread(&mut self, event: u32) -> Option<(u32, &mut Thread)> {
        let number = self.input.thread[event as usize];
        (number != NONE).then(|| (number, &mut self.threads[number as usize]))
    }

    /// Adds an event whose predecessors are all sorted.
    fn offer(&mut self, event: u32) {
        match self.thread(event) {
            Some((number, thread)) if thread.oldest != event => {
                thread.early.push(Reverse(event));
                if thread.stalled.is_none() {
                    self.stall(number);
                }
            }
            _ => self.next.push_back(event),
        }
    }

    fn stall(&mut self, thread: u32) {
        let now = self.sorted.len();
        self.threads[thread as usize].stalled = Some(now);
        self.stalled.push_back((now, thread));
    }

    /// Removes and returns the event to be sorted next.
    fn take(&mut self) -> Option<u32> {
        let patience = PATIENCE * self.threads.len();
        while let Some(&(since, number)) = self.stalled.front() {
            let is_due = self.next.is_empty() || since + patience < self.sorted.len();
            let is_current = self.threads[number as usize].stalled == Some(since);
            if is_current && !is_due {
                break;
            }
            self.stalled.pop_front();
            if is_current && let Some(event) = self.take_early(number) {
                return Some(event);
            }
        }
        self.next.pop_front()
    }

    /// Removes and returns the first event of a stalled thread that can come early, if there is one.
    fn take_early(&mut self, number: u32) -> Option<u32> {
        let thread = &mut self.threads[number as usize];
        thread.stalled = None;
        while let Some(Reverse(event)) = thread.early.pop() {
            if event > thread.oldest && !self.is_sorted[event as usize] {
                if !thread.early.is_empty() {
                    self.stall(number);
                }
                return Some(event);
            }
        }
        None
    }

    /// Appends an event to the sorted ones. If it was the oldest of its thread, the next unsorted event
    /// becomes the oldest.
    fn note(&mut self, event: u32) {
        self.sorted.push(event);
        self.is_sorted[event as usize] = true;
        let Some((number, thread)) = self.thread(event) else { return };
        if thread.oldest != event {
            return;
        }
        let (end, is_stalled) = (thread.end, !thread.early.is_empty());
        let later = event + 1..end;
        let oldest = later.into_iter().find(|&later| !self.is_sorted[later as usize]);
        self.threads[number as usize].oldest = oldest.unwrap_or(end);
        if let Some(oldest) = oldest
            && self.missing[oldest as usize] == 0
        {
            self.next.push_back(oldest);
        }
        if is_stalled {
            self.stall(number);
        }
    }
}
