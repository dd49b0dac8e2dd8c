//! Restores the system from the bytes of a state.

use std::sync::Arc;

use super::Stepping;
use super::actions::Memo;
use super::coding::byte;
use super::freeze::NOTHING;
use crate::ruby::buffer::MessageBuffer;
use crate::ruby::buffer::frozen::{Arrived, IN_FLIGHT};
use crate::ruby::cache::frozen::Held;
use crate::sequencer::Sequencer;
use crate::sequencer::dma::DmaSequencer;
use crate::system::words::CachePlace;

/// A tick that is never reached.
const LATER: u64 = 1 << 40;

impl Stepping {
    /// Restores the state from which the bytes were written.
    pub(super) fn thaw(&mut self, state: &[u8]) {
        let mut rest = state;
        let from = &mut rest;
        self.clear();
        for agent in 0..self.agents() {
            self.thaw_requests(agent, from);
        }
        for agent in 0..self.agents() {
            self.thaw_memos(agent, from);
        }
        self.thaw_memory(from);
        for controller in 0..self.system.controllers.len() {
            self.thaw_owned(controller, from);
        }
        for buffer in 0..self.system.buffers.len() {
            for _ in 0..self.get(from) {
                let lane = self.get(from);
                let message = self.thaw_object(from);
                self.system.buffers.edit(buffer).deliver(IN_FLIGHT + lane, message);
            }
        }
    }

    /// Removes all messages, requests and objects. The variables and tables of controllers stay as they are.
    pub(super) fn clear(&mut self) {
        self.system.words.cut(self.top);
        self.system.wheel.clear();
        self.system.happened = 0;
        self.system.comment.clear();
        self.memos.fill(Memo::default());
        self.system.sequencers.iter_mut().take(self.cores).for_each(Sequencer::clear);
        self.system.dma_sequencers.iter_mut().for_each(DmaSequencer::clear);
        self.system.threads.iter_mut().for_each(|thread| thread.answers.clear());
        self.system.prefetches.clear();
        self.system.memory.rest();
        self.system.buffers.edit_all(MessageBuffer::reset);
        self.stuck.fill(false);
    }

    /// Restores the requests of a core or device.
    pub(super) fn thaw_requests(&mut self, agent: usize, from: &mut &[u8]) {
        for line in 0..self.lines.len() {
            self.restore_request(agent, line, byte(from));
        }
    }

    /// Restores the memos of a core or device.
    pub(super) fn thaw_memos(&mut self, agent: usize, from: &mut &[u8]) {
        let is_device = agent >= self.cores;
        for at in agent * self.lines.len()..(agent + 1) * self.lines.len() {
            if is_device || self.repertoire.reserves() {
                self.memos[at].reserved = self.get(from);
            }
            if !is_device && self.repertoire.early {
                self.memos[at].early = self.get(from);
            }
        }
    }

    /// Restores the content of the lines in memory.
    pub(super) fn thaw_memory(&mut self, from: &mut &[u8]) {
        for at in 0..self.lines.len() {
            let value = self.get(from);
            // It is a whole line, so this cannot fail.
            let _ = self.system.memory.poke(self.lines[at], 0, &[value]);
        }
    }

    /// Restores the state that belongs to one controller.
    pub(super) fn thaw_owned(&mut self, number: usize, from: &mut &[u8]) {
        let owned = Arc::clone(&self.owned);
        let owned = &owned[number];
        if !self.internal[number].is_empty() {
            self.stuck[number] = byte(from) != 0;
        }
        self.thaw_controller(number, from);
        for &buffer in &owned.buffers {
            self.thaw_arrived(buffer, from);
        }
        for &store in &owned.stores {
            self.thaw_cache(store, from);
        }
        for &table in &owned.tables {
            self.system.line_tables.tables[table].clear();
            for _ in 0..self.get(from) {
                let (line, object) = self.thaw_pair(from);
                let _ = self.system.line_tables.tables[table].allocate(line, object);
            }
        }
        for &directory in &owned.directories {
            self.system.line_tables.directories[directory].clear();
            for _ in 0..self.get(from) {
                let (line, object) = self.thaw_pair(from);
                let _ = self.system.line_tables.directories[directory].allocate(line, object);
            }
        }
        for &table in &owned.timers {
            self.thaw_timers(table, from);
        }
        for &table in &owned.persistents {
            self.thaw_persistents(table, from);
        }
    }

    #[inline]
    fn get(&self, from: &mut &[u8]) -> u64 {
        self.dictionary.get(from)
    }

    fn thaw_controller(&mut self, number: usize, from: &mut &[u8]) {
        let start = self.system.controllers[number].control as usize;
        let base = &self.bases[number];
        self.system.words.words[start..start + base.len()].copy_from_slice(base);
        for _ in 0..self.get(from) {
            let at = self.get(from) as usize;
            self.system.words.words[start + at] = self.get(from);
        }
        self.system.controllers[number].blocked.clear();
        for _ in 0..self.get(from) {
            let (line, by) = (self.get(from), self.get(from) as u32);
            self.system.controllers[number].blocked.push((line, by));
        }
        self.system.controllers[number].waiting.clear();
        for _ in 0..self.get(from) {
            let (line, rank) = (self.get(from), self.get(from) as usize);
            let buffer = self.get(from) as u32;
            let waiting = &mut self.system.controllers[number].waiting;
            let at = waiting.iter().position(|(known, _)| *known == line);
            let at = at.unwrap_or_else(|| {
                waiting.push((line, Vec::new()));
                waiting.len() - 1
            });
            let row = &mut waiting[at].1;
            if row.len() <= rank {
                row.resize(rank + 1, None);
            }
            row[rank] = Some(buffer);
        }
    }

    fn thaw_arrived(&mut self, number: usize, from: &mut &[u8]) {
        for _ in 0..self.get(from) {
            let stalled = self.get(from).checked_sub(1);
            let message = self.thaw_object(from);
            self.system.buffers.edit(number).put_arrived(Arrived { stalled, message });
        }
        for _ in 0..self.get(from) {
            let (line, message) = self.thaw_pair(from);
            self.system.buffers.edit(number).defer(line, message);
        }
    }

    fn thaw_cache(&mut self, number: usize, from: &mut &[u8]) {
        let overflows = self.stores[number].overflows;
        let cache = self.stores[number].cache;
        // All sets first: an old entry of one may have the address that a new one of another will have.
        for &set in &self.stores[number].sets {
            self.system.line_tables.caches[cache].clear_set(set);
        }
        for at in 0..self.stores[number].sets.len() {
            let set = self.stores[number].sets[at];
            if overflows {
                let count = self.system.line_tables.caches[cache].use_count();
                let uses: Vec<u64> = (0..count).map(|_| self.get(from)).collect();
                self.system.line_tables.caches[cache].set_uses(set, &uses);
            }
            for index in 0..self.get(from) as usize {
                let way = if overflows { self.get(from) as usize } else { index };
                let line = self.get(from);
                let permission = byte(from);
                let owner = if self.repertoire.linked { self.get(from) } else { 0 };
                let monitor = owner.checked_sub(1).map(|owner| owner as u32);
                let entry = self.thaw_object(from);
                let held = Held { line, entry, permission, monitor };
                let slot = self.system.line_tables.caches[cache].hold(set, way, held);
                self.system.words.set_cache_place(entry, Some(CachePlace { cache, slot }));
            }
        }
    }

    /// Reads a line and its object.
    fn thaw_pair(&mut self, from: &mut &[u8]) -> (u64, u64) {
        (self.get(from), self.thaw_object(from))
    }

    pub(super) fn thaw_object(&mut self, from: &mut &[u8]) -> u64 {
        let of = self.get(from);
        if of == NOTHING {
            return 0;
        }
        let of = of as usize;
        let object = self.system.words.allocate(of, &self.system.program.types[of].initial);
        for at in 0..self.kinds.objects[of].len() {
            self.system.words.words[object as usize + at] = self.dictionary.get(from);
        }
        object
    }

    fn thaw_timers(&mut self, number: usize, from: &mut &[u8]) {
        self.system.timers[number].clear();
        for _ in 0..self.get(from) {
            let line = self.get(from);
            let is_over = byte(from) != 0;
            // Each line occurs once, so this cannot fail.
            let _ = self.system.timers[number].set(line, if is_over { 0 } else { LATER });
        }
    }

    fn thaw_persistents(&mut self, number: usize, from: &mut &[u8]) {
        self.system.persistents[number].clear();
        for _ in 0..self.get(from) {
            let (line, machine) = (self.get(from), self.get(from));
            let flags = byte(from);
            let one = (line, machine, flags & 1 != 0, flags & 2 != 0);
            self.system.persistents[number].put(one);
        }
    }
}
