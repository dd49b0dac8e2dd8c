//! How far a search has come: a prefix of memory order, closed under what is forced.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::events::{Events, Group, NONE};
use crate::model::Model;
use crate::saturate::Saturation;

/// The events that are placed, and those that could be next: the first unplaced event of each
/// chain, either free or waiting for another chain to get on.
#[derive(Debug)]
pub struct Frontier<'a> {
    events: &'a Events,
    /// The events of each chain. Chains are slots, but under PSO a store slot has one chain per
    /// location.
    chains: Vec<Vec<u32>>,
    chain_of: Vec<u32>,
    /// PSO: chain of a thread's store slot and location.
    store_chains: FxHashMap<(u32, u32), u32>,
    placed: Vec<u32>,
    /// Heads that may be free, by whether they are a choice and by rank.
    free: BinaryHeap<Reverse<(bool, u32, u32)>>,
    /// Per chain, heads of other chains that wait for it to reach a position.
    waiting: Vec<Vec<(u32, u32)>>,
    order: Vec<u32>,
}

impl<'a> Frontier<'a> {
    /// Nothing placed. Cost: linear.
    pub fn new(events: &'a Events) -> Frontier<'a> {
        let mut frontier = Frontier {
            events,
            chains: vec![Vec::new(); events.width],
            chain_of: vec![0; events.len()],
            store_chains: FxHashMap::default(),
            placed: Vec::new(),
            free: BinaryHeap::new(),
            waiting: Vec::new(),
            order: Vec::with_capacity(events.len()),
        };
        for event in 0..events.len() as u32 {
            let chain = frontier.chain_for(event);
            frontier.chain_of[event as usize] = chain;
            frontier.chains[chain as usize].push(event);
        }
        frontier.placed = vec![0; frontier.chains.len()];
        frontier.waiting = vec![Vec::new(); frontier.chains.len()];
        frontier
    }

    fn chain_for(&mut self, event: u32) -> u32 {
        let slot = self.events.slot[event as usize];
        if self.events.is_global(event) {
            return slot;
        }
        let key = (slot, self.events.location[event as usize]);
        let chains = &mut self.chains;
        *self.store_chains.entry(key).or_insert_with(|| {
            chains.push(Vec::new());
            chains.len() as u32 - 1
        })
    }

    /// The events placed so far, in order.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Takes back all but the first `length` placements.
    pub fn truncate(&mut self, length: usize) {
        for event in self.order.drain(length..) {
            self.placed[self.chain_of[event as usize] as usize] -= 1;
        }
    }

    /// Looks for free events afresh; needed at the start and after [`Frontier::truncate`].
    pub fn refresh(&mut self, rank: &[u32]) {
        self.free.clear();
        self.waiting.iter_mut().for_each(Vec::clear);
        for chain in 0..self.chains.len() {
            self.offer_head(chain, rank);
        }
    }

    /// The best free event: one that is no choice if there is one, else the lowest rank.
    pub fn next(&mut self, saturation: &Saturation<'_>) -> Option<u32> {
        while let Some(&Reverse((_, _, event))) = self.free.peek() {
            match self.blocker(event, saturation) {
                None => return Some(event),
                Some((chain, position)) => {
                    self.free.pop();
                    self.waiting[chain as usize].push((position, event));
                }
            }
        }
        None
    }

    /// Places the event that [`Frontier::next`] returned.
    pub fn place(&mut self, event: u32, rank: &[u32]) {
        self.free.pop();
        self.order.push(event);
        let chain = self.chain_of[event as usize] as usize;
        self.placed[chain] += 1;
        let reached = self.placed[chain];
        let mut waiting = std::mem::take(&mut self.waiting[chain]);
        waiting.retain(|&(position, waiter)| {
            if position <= reached {
                self.offer(waiter, rank);
            }
            position > reached
        });
        self.waiting[chain] = waiting;
        self.offer_head(chain, rank);
    }

    /// The first unplaced write of a group.
    pub fn first_unplaced(&self, group: Group, location: u32) -> Option<u32> {
        let chain = self.chain_of_slot(group.slot, location)?;
        self.events
            .first_write_after(group, self.placed[chain as usize])
    }

    fn offer_head(&mut self, chain: usize, rank: &[u32]) {
        if let Some(&head) = self.chains[chain].get(self.placed[chain] as usize) {
            self.offer(head, rank);
        }
    }

    fn offer(&mut self, event: u32, rank: &[u32]) {
        let is_choice = self.events.writes(event);
        self.free
            .push(Reverse((is_choice, rank[event as usize], event)));
    }

    /// A chain that must reach a position before this event is free.
    fn blocker(&self, event: u32, saturation: &Saturation<'_>) -> Option<(u32, u32)> {
        let location = self.events.location[event as usize];
        let clock = saturation.clock(event).iter().enumerate();
        clock
            .filter(|&(_, &position)| position > 0)
            .find_map(|(slot, &position)| {
                let chain = self.chain_of_slot(slot as u32, location)?;
                (self.placed[chain as usize] < position).then_some((chain, position))
            })
            .or_else(|| self.undrained_store(event))
    }

    /// An unplaced store that this event drains. Clocks do not tell under PSO, where the event's
    /// store slots are about its own location.
    fn undrained_store(&self, event: u32) -> Option<(u32, u32)> {
        let before = self.events.po_back.of(event).iter();
        before
            .map(|&store| {
                let position = self.events.position[store as usize];
                (self.chain_of[store as usize], position)
            })
            .find(|&(chain, position)| self.placed[chain as usize] < position)
    }

    /// The chain that a slot means for an event of this location.
    fn chain_of_slot(&self, slot: u32, location: u32) -> Option<u32> {
        let is_store_slot = slot as usize >= self.events.threads;
        if !is_store_slot || !matches!(self.events.model, Model::Pso(_)) {
            return Some(slot);
        }
        if location == NONE {
            return None;
        }
        self.store_chains.get(&(slot, location)).copied()
    }
}
