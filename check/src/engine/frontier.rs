//! [`Frontier`]: the prefix of memory order that a search has placed, and the events that could be next.
//!
//! The prefix is closed under the forced order: whatever precedes a placed event is placed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::engine::clocks::is_exceeded;
use crate::engine::events::{Events, NONE};
use crate::engine::saturate::Saturation;

/// The events that are placed, and the *head* of each chain, its first event that is not placed. A head is
/// *free* if everything known to precede it is placed; otherwise it waits for another chain to reach a
/// position.
#[derive(Debug)]
pub(super) struct Frontier<'a> {
    events: &'a Events,
    /// The events of each chain. Chains are slots, but under PSO a store slot has one chain per
    /// location.
    chains: Vec<Vec<u32>>,
    chain_of: Vec<u32>,
    /// Per chain, how many of its events are placed.
    placed: Vec<u32>,
    /// Per group of writes, how many of them are placed.
    placed_writes: Vec<u32>,
    /// Heads that may be free. First come those that constrain no other event, then those of lower rank.
    free: BinaryHeap<Reverse<(bool, u32, u32)>>,
    /// Per event, whether it is in `free`.
    is_offered: Vec<bool>,
    /// Per chain, heads of other chains that wait for it to reach a position.
    waiting: Vec<Vec<(u32, u32)>>,
    order: Vec<u32>,
    rank: Vec<u32>,
    /// The event of each rank.
    by_rank: Vec<u32>,
    /// The lowest rank whose event is not placed.
    lowest: usize,
}

impl<'a> Frontier<'a> {
    /// Creates a frontier with nothing placed. Cost: linear.
    pub(super) fn new(events: &'a Events, rank: Vec<u32>) -> Frontier<'a> {
        let mut by_rank = vec![0; events.len()];
        for (event, &rank) in rank.iter().enumerate() {
            by_rank[rank as usize] = event as u32;
        }
        let mut frontier = Frontier {
            events,
            chains: vec![Vec::new(); events.width],
            chain_of: vec![0; events.len()],
            placed: Vec::new(),
            placed_writes: vec![0; events.write_index().all_groups()],
            free: BinaryHeap::new(),
            is_offered: vec![false; events.len()],
            waiting: Vec::new(),
            order: Vec::with_capacity(events.len()),
            rank,
            by_rank,
            lowest: 0,
        };
        // PSO: the store chains, one for each store slot and location, come last.
        let mut store_chains: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for event in 0..events.len() as u32 {
            let slot = events.slot[event as usize];
            let chain = if events.is_global(event) {
                slot
            } else {
                let next = (events.width + store_chains.len()) as u32;
                let location = events.location[event as usize];
                *store_chains.entry((slot, location)).or_insert(next)
            };
            frontier.chain_of[event as usize] = chain;
            if chain as usize == frontier.chains.len() {
                frontier.chains.push(Vec::new());
            }
            frontier.chains[chain as usize].push(event);
        }
        frontier.placed = vec![0; frontier.chains.len()];
        frontier.waiting = vec![Vec::new(); frontier.chains.len()];
        frontier
    }

    /// The events placed so far, in order.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Whether an event is placed.
    pub(super) fn is_placed(&self, event: u32) -> bool {
        let chain = self.chain_of[event as usize];
        self.events.position[event as usize] <= self.placed[chain as usize]
    }

    /// Number of chains.
    pub(super) fn chains(&self) -> usize {
        self.chains.len()
    }

    /// The events of a chain, in order.
    pub(super) fn chain(&self, chain: usize) -> &[u32] {
        &self.chains[chain]
    }

    /// The chain that an event is in.
    pub(super) fn chain_of(&self, event: u32) -> usize {
        self.chain_of[event as usize] as usize
    }

    /// How many events of each chain are placed.
    pub(super) fn placed(&self) -> &[u32] {
        &self.placed
    }

    /// The first event of a chain that is not placed.
    pub(super) fn head(&self, chain: usize) -> Option<u32> {
        self.chains[chain].get(self.placed[chain] as usize).copied()
    }

    /// Offers a head again once another event is placed.
    pub(super) fn wait_for(&mut self, event: u32, other: u32) {
        let position = self.events.position[other as usize];
        let chain = self.chain_of(other);
        self.waiting[chain].push((position, event));
    }

    /// The readers of a write ([`Events::readers`]) that are not placed.
    pub(super) fn unplaced_readers(&self, write: u32) -> impl Iterator<Item = u32> {
        let readers = self.events.readers.of(write).iter().copied();
        readers.filter(|&reader| !self.is_placed(reader))
    }

    /// The rank of an event.
    pub(super) fn rank(&self, event: u32) -> u32 {
        self.rank[event as usize]
    }

    /// The lowest rank whose event is not placed.
    pub(super) fn lowest(&self) -> usize {
        self.lowest
    }

    /// Undoes all but the first `length` placements, and offers the heads that result.
    pub(super) fn truncate(&mut self, length: usize, saturation: &mut Saturation<'_>) {
        let back = self.order.split_off(length);
        for &event in &back {
            self.lowest = self.lowest.min(self.rank(event) as usize);
            saturation.settle(event, false);
            self.placed[self.chain_of[event as usize] as usize] -= 1;
            if let Some(group) = self.events.group_of(event) {
                self.placed_writes[group] -= 1;
            }
        }
        self.offer_heads(back);
    }

    /// Offers those of these events that are heads.
    pub(super) fn offer_heads(&mut self, events: Vec<u32>) {
        for event in events {
            if self.is_head(event) {
                self.offer(event);
            }
        }
    }

    /// Whether an event is the first of its chain that is not placed.
    pub(super) fn is_head(&self, event: u32) -> bool {
        let chain = self.chain_of[event as usize];
        self.events.position[event as usize] == self.placed[chain as usize] + 1
    }

    /// Offers the head of every chain.
    pub(super) fn start(&mut self) {
        for chain in 0..self.chains.len() {
            self.offer_head(chain);
        }
    }

    /// Removes and returns the best free event: one that constrains no other event if there is one, else
    /// the one of lowest rank.
    pub(super) fn next(&mut self, saturation: &Saturation<'_>) -> Option<u32> {
        while let Some(Reverse((_, _, event))) = self.free.pop() {
            self.is_offered[event as usize] = false;
            // After placements were undone, events that are no heads may still be on offer.
            if !self.is_head(event) {
                continue;
            }
            match self.blocker(event, saturation) {
                None => return Some(event),
                Some((chain, position)) => self.waiting[chain as usize].push((position, event)),
            }
        }
        None
    }

    /// Adds a head to those that may be free.
    pub(super) fn offer(&mut self, event: u32) {
        if std::mem::replace(&mut self.is_offered[event as usize], true) {
            return;
        }
        let matters = self.events.writes(event) || self.events.is_open(event);
        self.free.push(Reverse((matters, self.rank(event), event)));
    }

    /// Places an event that [`Frontier::next`] returned.
    pub(super) fn place(&mut self, event: u32, saturation: &mut Saturation<'_>) {
        saturation.settle(event, true);
        self.order.push(event);
        if let Some(group) = self.events.group_of(event) {
            self.placed_writes[group] += 1;
        }
        let chain = self.chain_of[event as usize] as usize;
        self.placed[chain] += 1;
        let reached = self.placed[chain];
        let mut waiting = std::mem::take(&mut self.waiting[chain]);
        waiting.retain(|&(position, waiter)| {
            if position <= reached {
                self.offer(waiter);
            }
            position > reached
        });
        self.waiting[chain] = waiting;
        self.offer_head(chain);
        while let Some(&event) = self.by_rank.get(self.lowest)
            && self.is_placed(event)
        {
            self.lowest += 1;
        }
    }

    /// The first unplaced write of each chain to a write's location, other than the write itself.
    pub(super) fn first_others(&self, write: u32) -> impl Iterator<Item = u32> {
        let index = self.events.write_index();
        let location = self.events.location[write as usize];
        let placed = &self.placed_writes[index.range(location)];
        let groups = index.groups(location).iter().zip(placed);
        groups.filter_map(move |(group, &placed)| {
            let mut unplaced = index.members(group)[placed as usize..].iter();
            unplaced.find(|&&other| other != write).copied()
        })
    }

    fn offer_head(&mut self, chain: usize) {
        if let Some(head) = self.head(chain) {
            self.offer(head);
        }
    }

    /// Whether everything known to precede an event is placed.
    pub(super) fn is_free(&self, event: u32, saturation: &Saturation<'_>) -> bool {
        self.blocker(event, saturation).is_none()
    }

    /// The chain and position that this event waits for; `None` if it is free. Of several, the chain that
    /// lags most.
    pub(super) fn blocker(&self, event: u32, saturation: &Saturation<'_>) -> Option<(u32, u32)> {
        let clock = saturation.clock(event);
        let slots = self.events.global_slots();
        let mut most = None;
        let mut lag = 0;
        if is_exceeded(&self.placed[..slots], &clock[..slots]) {
            for (slot, (&known, &placed)) in clock[..slots].iter().zip(&self.placed).enumerate() {
                if known > placed && known - placed > lag {
                    lag = known - placed;
                    most = Some((slot as u32, known));
                }
            }
        }
        if most.is_none() && self.events.stores_by_location() {
            let stores = self.unplaced_store(event, clock);
            return stores.or_else(|| self.undrained_store(event));
        }
        most
    }

    /// An unplaced store that is known to precede an event of its location (PSO).
    fn unplaced_store(&self, event: u32, clock: &[u32]) -> Option<(u32, u32)> {
        let location = self.events.location[event as usize];
        if location == NONE {
            return None;
        }
        let index = self.events.write_index();
        let placed = &self.placed_writes[index.range(location)];
        let stores = index.groups(location).iter().zip(placed);
        stores
            .filter(|(group, _)| group.slot as usize >= self.events.global_slots())
            .map(|(group, &placed)| (group, placed, clock[group.slot as usize]))
            .find(|&(_, placed, known)| placed < known)
            .map(|(group, placed, known)| {
                // Such a chain consists of the group's stores.
                let store = index.members(group)[placed as usize];
                (self.chain_of[store as usize], known)
            })
    }

    /// An unplaced store that this event drains. Under PSO clocks do not show it, since the event's store
    /// slots cover only its own location.
    fn undrained_store(&self, event: u32) -> Option<(u32, u32)> {
        // Starts from the last one, so that an event that drains many is not offered for each of them.
        let before = self.events.po_back.of(event).iter();
        before
            .rev()
            .map(|&store| {
                let position = self.events.position[store as usize];
                (self.chain_of[store as usize], position)
            })
            .find(|&(chain, position)| self.placed[chain as usize] < position)
    }
}
