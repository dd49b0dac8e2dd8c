//! The edges between the members of a window, and a topological order of them.

use std::mem::replace;

use super::{Conflict, Window};
use crate::engine::events::NONE;

/// An edge between two slots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub from: u32,
    pub to: u32,
    pub next_in: u32,
    pub next_out: u32,
}

impl Window {
    /// Adds an edge between slots, unless the order is known.
    pub(in crate::engine::windows) fn add(&mut self, from: u32, to: u32) {
        if !self.precedes(from, to) {
            self.link(from, to);
        }
    }

    pub(super) fn link(&mut self, from: u32, to: u32) {
        let number = self.edges.len() as u32;
        let next_in = replace(&mut self.state[to as usize].first_in, number);
        let next_out = replace(&mut self.state[from as usize].first_out, number);
        self.edges.push(Edge { from, to, next_in, next_out });
        self.is_sorted &= self.rank(from) < self.rank(to);
        self.touch(to);
    }

    /// The slots that edges lead to from a slot.
    pub(in crate::engine::windows) fn successors(&self, slot: u32) -> impl Iterator<Item = u32> {
        let mut next = self.state[slot as usize].first_out;
        std::iter::from_fn(move || {
            let edge = self.edges.get(next as usize)?;
            next = edge.next_out;
            Some(edge.to)
        })
    }

    /// Whether an unplaced member is known to precede a slot.
    pub(in crate::engine::windows) fn waits(&self, slot: u32) -> bool {
        let mut next = self.state[slot as usize].first_in;
        while let Some(edge) = self.edges.get(next as usize) {
            if self.state[edge.from as usize].is_live {
                return true;
            }
            next = edge.next_in;
        }
        false
    }

    /// Per slot, the number of edges into it from unplaced members.
    pub(in crate::engine::windows) fn count_predecessors(&self) -> Vec<u32> {
        let mut before = vec![0; self.slots()];
        for edge in &self.edges {
            before[edge.to as usize] += u32::from(self.state[edge.from as usize].is_live);
        }
        before
    }

    /// Sorts the unplaced members in a topological order of the edges.
    ///
    /// # Errors
    /// Returns [`Conflict`] if there is a cycle.
    pub(in crate::engine::windows) fn sort(&mut self) -> Result<(), Conflict> {
        if self.is_sorted {
            return Ok(());
        }
        let mut before = std::mem::take(&mut self.before);
        before.clear();
        before.resize(self.slots(), 0);
        for edge in &self.edges {
            before[edge.to as usize] += u32::from(self.state[edge.from as usize].is_live);
        }
        let mut sorted: Vec<u32> = Vec::with_capacity(self.order.len());
        sorted.extend(self.order.iter().filter(|&&slot| before[slot as usize] == 0));
        let mut at = 0;
        while let Some(&slot) = sorted.get(at) {
            self.state[slot as usize].rank = at as u32;
            at += 1;
            let mut next = self.state[slot as usize].first_out;
            while let Some(edge) = self.edges.get(next as usize) {
                let before = &mut before[edge.to as usize];
                *before -= 1;
                if *before == 0 {
                    sorted.push(edge.to);
                }
                next = edge.next_out;
            }
        }
        self.before = before;
        if sorted.len() < self.order.len() {
            return Err(Conflict);
        }
        self.order = sorted;
        self.is_sorted = true;
        Ok(())
    }

    /// Marks the successors of a slot as dirty if its row has changed since it was last passed on.
    pub(in crate::engine::windows) fn pass_on(&mut self, slot: u32) {
        if self.state[slot as usize].changed <= self.state[slot as usize].passed_on {
            return;
        }
        self.state[slot as usize].passed_on = self.visits;
        let mut next = self.state[slot as usize].first_out;
        while let Some(&Edge { to, next_out, .. }) = self.edges.get(next as usize) {
            self.touch(to);
            next = next_out;
        }
    }

    /// Removes the edges from and to placed members.
    pub(super) fn forget_edges(&mut self) {
        let state = &mut self.state;
        let is_live = |slot: u32| state[slot as usize].is_live;
        self.edges.retain(|edge| is_live(edge.from) && is_live(edge.to));
        for &slot in &self.order {
            let slot = &mut state[slot as usize];
            (slot.first_in, slot.first_out) = (NONE, NONE);
        }
        for (number, edge) in self.edges.iter_mut().enumerate() {
            let number = number as u32;
            edge.next_in = replace(&mut state[edge.to as usize].first_in, number);
            edge.next_out = replace(&mut state[edge.from as usize].first_out, number);
        }
    }
}
