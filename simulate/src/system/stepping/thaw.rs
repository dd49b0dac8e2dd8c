//! Restores the system from the bytes of a state.

use super::Stepping;
use super::coding::byte;
use super::freeze::NOTHING;
use crate::request::{Request, RequestKind};
use crate::ruby::buffer::frozen::{Arrived, IN_FLIGHT};
use crate::ruby::cache::frozen::Held;

/// A tick that is never reached.
const LATER: u64 = 1 << 40;

impl Stepping {
    /// Restores the state from which the bytes were written.
    pub(super) fn thaw(&mut self, state: &[u8]) {
        let mut rest = state;
        let from = &mut rest;
        self.system.words.cut(self.top);
        self.system.wheel.clear();
        self.system.happened = 0;
        self.system.comment.clear();
        for core in 0..self.cores {
            self.system.sequencers[core].clear();
            self.system.threads[core].answers.clear();
            for line in 0..self.lines.len() {
                if let Some(request) = self.request(core, line, byte(from)) {
                    self.system.sequencers[core].hold(request);
                }
            }
        }
        // The flags: whether there are messages or transactions.
        byte(from);
        self.system.memory.rest();
        for at in 0..self.lines.len() {
            let value = self.get(from);
            // It is a whole line, so this cannot fail.
            let _ = self.system.memory.poke(self.lines[at], 0, &[value]);
        }
        for controller in 0..self.system.controllers.len() {
            self.thaw_controller(controller, from);
        }
        for buffer in 0..self.system.buffers.len() {
            self.thaw_buffer(buffer, from);
        }
        for store in 0..self.stores.len() {
            self.thaw_cache(store, from);
        }
        for table in 0..self.system.tables.len() {
            self.system.tables[table].clear();
            for (line, object) in self.thaw_pairs(from) {
                let _ = self.system.tables[table].allocate(line, object);
            }
        }
        for directory in 0..self.system.directories.len() {
            self.system.directories[directory].clear();
            for (line, object) in self.thaw_pairs(from) {
                let _ = self.system.directories[directory].allocate(line, object);
            }
        }
        self.thaw_rest(from);
    }

    #[inline]
    fn get(&self, from: &mut &[u8]) -> u64 {
        self.dictionary.get(from)
    }

    /// The request of a core for a line, from its byte.
    pub(super) fn request(&self, core: usize, line: usize, code: u8) -> Option<Request> {
        let choice = code.checked_sub(1)?.checked_sub(1);
        Some(Request {
            tag: 0,
            kind: match choice {
                Some(_) => RequestKind::Store,
                None => RequestKind::Load,
            },
            address: self.lines[line],
            size: 8,
            value: choice.map_or(0, |choice| self.values.stored(core, line, choice)),
        })
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

    fn thaw_buffer(&mut self, number: usize, from: &mut &[u8]) {
        self.system.buffers[number].reset();
        let Some(in_flight) = self.get(from).checked_sub(1) else {
            return;
        };
        for _ in 0..self.get(from) {
            let stalled = self.get(from).checked_sub(1);
            let message = self.thaw_object(from);
            self.system.buffers[number].put_arrived(Arrived { stalled, message });
        }
        for (line, message) in self.thaw_pairs(from) {
            self.system.buffers[number].defer(line, message);
        }
        for _ in 0..in_flight {
            let lane = self.get(from);
            let message = self.thaw_object(from);
            self.system.buffers[number].deliver(IN_FLIGHT + lane, message);
        }
    }

    fn thaw_cache(&mut self, number: usize, from: &mut &[u8]) {
        let overflows = self.stores[number].overflows;
        let cache = self.stores[number].cache;
        for at in 0..self.stores[number].sets.len() {
            let set = self.stores[number].sets[at];
            self.system.caches[cache].clear_set(set);
            if overflows {
                let count = self.system.caches[cache].use_count();
                let uses: Vec<u64> = (0..count).map(|_| self.get(from)).collect();
                self.system.caches[cache].set_uses(set, &uses);
            }
            for index in 0..self.get(from) as usize {
                let way = if overflows { self.get(from) as usize } else { index };
                let line = self.get(from);
                let permission = byte(from);
                let entry = self.thaw_object(from);
                *self.system.words.mark(entry) = cache as u64 + 1;
                let held = Held { line, entry, permission };
                self.system.caches[cache].hold(set, way, held);
            }
        }
    }

    /// Lines with objects, after their number.
    fn thaw_pairs(&mut self, from: &mut &[u8]) -> Vec<(u64, u64)> {
        let count = self.get(from);
        (0..count).map(|_| (self.get(from), self.thaw_object(from))).collect()
    }

    fn thaw_object(&mut self, from: &mut &[u8]) -> u64 {
        let of = self.get(from);
        if of == NOTHING {
            return 0;
        }
        let of = of as usize;
        let object = self.system.words.allocate(of, &self.system.program.types[of].initial);
        for at in 0..self.layouts[of].width {
            self.system.words.words[object as usize + at] = self.dictionary.get(from);
        }
        object
    }

    fn thaw_rest(&mut self, from: &mut &[u8]) {
        for table in 0..self.system.timers.len() {
            self.system.timers[table].clear();
            for _ in 0..self.get(from) {
                let line = self.get(from);
                let is_over = byte(from) != 0;
                // Each line occurs once, so this cannot fail.
                let _ = self.system.timers[table].set(line, if is_over { 0 } else { LATER });
            }
        }
        for table in 0..self.system.persistents.len() {
            self.system.persistents[table].clear();
            for _ in 0..self.get(from) {
                let (line, machine) = (self.get(from), self.get(from));
                let flags = byte(from);
                let one = (line, machine, flags & 1 != 0, flags & 2 != 0);
                self.system.persistents[table].put(one);
            }
        }
    }
}
