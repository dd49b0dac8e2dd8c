//! Undoes placements after a contradiction.
//!
//! A contradiction follows from a guess, which may lie many windows back: what contradicts it became known
//! only when later events were admitted. With these as members, the rules refute the guess at once. So
//! placements are undone, window by window and then by halves, until the first placement from which a
//! contradiction follows is found. That placement is banned, and all before it stay.

use super::Search;
use crate::engine::windows::placing::Ban;
use crate::engine::windows::window::{Conflict, Saved};

/// Number of contradictions without new placements after which the search gives up in a small history. A
/// large history, where giving up loses more, allows one more for each `EVENTS_PER_FURTHER_CONFLICT` events.
const MAX_CONFLICTS_WITHOUT_PROGRESS: usize = 16;
const EVENTS_PER_FURTHER_CONFLICT: usize = 4096;
/// Maximum number of members of a window while placements are undone, as a multiple of the smallest window.
const MAX_MEMBERS: usize = 16;

/// A placement from which a contradiction follows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refuted {
    /// Number of events that were placed before it.
    placed: usize,
    pub ban: Ban,
}

/// Placements that were undone, and the members of the window that they were made in.
struct Undone {
    /// Number of events that are placed before these.
    base: usize,
    /// The placements in their order, then the other members.
    events: Vec<u32>,
}

impl Search<'_> {
    /// Undoes placements after a contradiction, up to and including the one that it follows from, and bans
    /// that one. Returns whether the search goes on.
    pub(super) fn go_back(&mut self) -> bool {
        if !self.may_go_back() {
            return false;
        }
        let undone = self.members();
        self.go_back_from(undone)
    }

    /// Undoes further placements up to the one from which a contradiction follows.
    fn go_back_from(&mut self, mut undone: Undone) -> bool {
        let mut windows = 1;
        loop {
            let contradictory = self.prefix.len();
            let Some(base) = self.checkpoint(windows) else {
                return false;
            };
            self.undo(&mut undone, base);
            if undone.events.len() > MAX_MEMBERS * self.smallest {
                return false;
            }
            let refilled = self.refill(&undone.events);
            if self.bounds.passed() {
                return false;
            }
            if refilled.is_ok() {
                self.refute(&undone, contradictory);
                return true;
            }
            windows *= 2;
        }
    }

    /// Undoes placements if nothing can be placed any more although no contradiction is known: up to and
    /// including the last write that keeps others out of its location, which is banned. Returns whether the
    /// search goes on.
    pub(super) fn leave_dead_end(&mut self) -> bool {
        if !self.may_go_back() {
            return false;
        }
        let Some(placed) = self.prefix.before_last_lock() else {
            return false;
        };
        let mut undone = self.members();
        self.undo(&mut undone, placed);
        if self.refill(&undone.events).is_err() {
            return self.go_back_from(undone);
        }
        self.ban(undone.events[0]);
        true
    }

    /// The bans that still hold.
    pub(super) fn bans(&mut self) -> Vec<Ban> {
        let Search { input, prefix, refuted, .. } = self;
        refuted.retain(|Refuted { ban, .. }| {
            prefix.held(input.location[ban.event as usize]) == ban.held
        });
        refuted.iter().map(|refuted| refuted.ban).collect()
    }

    /// Counts a contradiction and enlarges the window. Returns whether the number of contradictions is still
    /// within the limit.
    fn may_go_back(&mut self) -> bool {
        self.conflicts += 1;
        self.size = (self.size + self.size / 8).min(super::MAX_GROWTH * self.smallest);
        let further = self.order.len() / EVENTS_PER_FURTHER_CONFLICT;
        self.conflicts <= MAX_CONFLICTS_WITHOUT_PROGRESS + further
    }

    /// The unplaced members of the window, with no placement undone yet.
    fn members(&mut self) -> Undone {
        self.window.forget_placed(self.input);
        let members = self.window.order().iter().map(|&slot| self.window.event(slot));
        Undone { base: self.prefix.len(), events: members.collect() }
    }

    /// The number of events that were placed `windows` windows ago, or at the oldest checkpoint if there are
    /// fewer; `None` if there is none.
    fn checkpoint(&self, windows: usize) -> Option<usize> {
        let earlier = self.checkpoints.partition_point(|&placed| placed < self.prefix.len());
        let earlier = &self.checkpoints[..earlier];
        earlier.iter().rev().nth(windows - 1).or(earlier.first()).copied()
    }

    /// Undoes all but the first `base` placements.
    fn undo(&mut self, undone: &mut Undone, base: usize) {
        let mut events = self.prefix.truncate(base);
        events.append(&mut undone.events);
        *undone = Undone { base, events };
    }

    /// Places events again up to the first one from which a contradiction follows, found by bisection, and
    /// bans that one, unless a bound was met. There is no contradiction now, and there is one after `contradictory` placements.
    fn refute(&mut self, undone: &Undone, contradictory: usize) {
        let (mut consistent, mut contradictory) = (undone.base, contradictory);
        let mut saved = Saved::default();
        if !self.window.save(&mut saved, self.bounds) {
            return;
        }
        while contradictory - consistent > 1 {
            let middle = consistent.midpoint(contradictory);
            let events = &undone.events[consistent - undone.base..middle - undone.base];
            if self.place_again(events).is_ok() {
                consistent = middle;
                if !self.window.save(&mut saved, self.bounds) {
                    return;
                }
            } else if self.bounds.passed() {
                return;
            } else {
                contradictory = middle;
                self.prefix.truncate(consistent);
                self.window.restore(&saved);
            }
        }
        self.ban(undone.events[consistent - undone.base]);
    }

    /// Places members in the order in which they were placed before, and applies the rules.
    ///
    /// # Errors
    /// Returns [`Conflict`] if the rules find a contradiction, or the order contradicts an order that has
    /// become known through further members.
    fn place_again(&mut self, events: &[u32]) -> Result<(), Conflict> {
        for &event in events {
            let slot = self.window.slot(event).ok_or(Conflict)?;
            if self.window.waits(slot) {
                return Err(Conflict);
            }
            self.window.retire(slot);
            self.prefix.place(event);
        }
        self.window.forget_placed(self.input);
        for &event in events {
            if self.input.writes[event as usize] {
                self.lock(self.input.location[event as usize])?;
            }
        }
        self.saturate()
    }

    /// Bans an event from being placed next if it is a write, and forgets the checkpoints and bans of
    /// placements that were undone.
    fn ban(&mut self, event: u32) {
        let placed = self.prefix.len();
        self.checkpoints.retain(|&checkpoint| checkpoint <= placed);
        self.refuted.retain(|refuted| refuted.placed <= placed);
        let location = self.input.location[event as usize];
        if self.input.writes[event as usize] {
            let held = self.prefix.held(location);
            self.refuted.push(Refuted { placed, ban: Ban { event, held } });
        }
    }
}
