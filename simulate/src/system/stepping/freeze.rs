//! Writes a system as bytes: the same bytes for states with the same future, as far as that can be
//! seen.
//!
//! The bytes contain no ticks, counters, addresses of objects or registers, nor the order of what is unordered; on
//! request, no words that are not read before they are written. If no line ever makes room for another, they contain
//! neither the way of a set that holds a line nor the order of uses.

use slicc::compile::types::TypeId;

use super::actions::is_request;
use super::symmetry::words::WordKind;
use super::values::STALE;
use super::view::View;
use super::{Stepping, Store};
use crate::ruby::buffer::frozen::{IN_FLIGHT, InFlight};

/// Stands for a null pointer, in place of the type of an object.
pub(super) const NOTHING: u64 = u64::MAX;

/// A message that is in flight, with its lane and its bytes. Messages of one lane keep their order.
#[derive(Clone, Copy)]
struct Queued {
    lane: u64,
    /// Whether the current move has sent it: then it comes after the older messages of its lane.
    is_new: bool,
    start: usize,
    end: usize,
}

impl Stepping {
    /// Writes the state: the requests of cores, memory, what each controller owns, and the messages
    /// in flight.
    pub(super) fn freeze(&mut self, view: View<'_>) -> Vec<u8> {
        let mut out = Vec::with_capacity(128);
        for agent in 0..self.agents() {
            self.freeze_requests(agent, view, &mut out);
        }
        for agent in 0..self.agents() {
            self.freeze_memos(agent, view, &mut out);
        }
        self.freeze_memory(view, &mut out);
        for controller in 0..self.system.controllers.len() {
            self.freeze_owned(controller, view, &mut out);
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        for buffer in 0..self.system.buffers.len() {
            self.freeze_in_flight(buffer, view, &mut scratch, &mut out);
        }
        self.scratch = scratch;
        out
    }

    /// Writes the requests of the core or device that comes to a place.
    pub(super) fn freeze_requests(&self, place: usize, view: View<'_>, out: &mut Vec<u8>) {
        let agent = view.from(|all| &all.agents, place);
        let lines = (0..self.lines.len()).map(|place| view.from(|all| &all.lines, place));
        out.extend(lines.map(|line| self.request_code(agent, line)));
    }

    /// Writes the memos of the core or device that comes to a place.
    pub(super) fn freeze_memos(&self, place: usize, view: View<'_>, out: &mut Vec<u8>) {
        let agent = view.from(|all| &all.agents, place);
        let is_device = agent >= self.cores;
        for place in 0..self.lines.len() {
            let line = view.from(|all| &all.lines, place);
            if is_device || self.repertoire.reserves() {
                // The value at the beginning of a device's write may still be the last one after another write, which
                // races with it; but it is no longer the only one.
                let is_overtaken = is_device && view.renaming.is_written(line);
                let reserved = if self.is_reserved(agent, line) && !is_overtaken {
                    self.memos[agent * self.lines.len() + line].reserved
                } else {
                    STALE
                };
                self.put_remembered(reserved, view, out);
            }
            if !is_device && self.repertoire.early {
                let early = self.memos[agent * self.lines.len() + line].early;
                self.put_remembered(early, view, out);
            }
        }
    }

    /// Whether the value that was read for a later write is part of the state: the line is locked, a cache keeps the
    /// reservation, or the write is that of a device. Otherwise the write cannot succeed.
    fn is_reserved(&self, agent: usize, line: usize) -> bool {
        if agent >= self.cores {
            return true;
        }
        let cache = self.system.monitors[agent];
        let monitor = cache.and_then(|cache| {
            self.system.line_tables.caches[cache as usize].monitor(self.lines[line])
        });
        self.system.sequencers[agent].holds(monitor) || self.has_lock(agent, line)
    }

    /// Writes a value that was read, as long as it is the latest.
    fn put_remembered(&self, value: u64, view: View<'_>, out: &mut Vec<u8>) {
        let value = view.value(self.values.remembered(value, self.counts()));
        let value = self.values.remembered(value, self.counts());
        self.note_class(value);
        self.put(value, out);
    }

    /// Writes the content of the lines in memory.
    pub(super) fn freeze_memory(&self, view: View<'_>, out: &mut Vec<u8>) {
        for place in 0..self.lines.len() {
            let line = self.lines[view.from(|all| &all.lines, place)];
            let held = self.system.memory.peek(line).map_or(0, |block| block[0]);
            self.put_block(held, view, out);
        }
    }

    /// Writes the state that belongs to one controller, the one that comes to a place: its variables and objects, the
    /// messages that have arrived in its buffers, and those that it has deferred.
    pub(super) fn freeze_owned(&self, place: usize, view: View<'_>, out: &mut Vec<u8>) {
        let owned = &self.owned[place];
        if !self.internal[place].is_empty() {
            out.push(u8::from(self.stuck[view.from(|all| &all.controllers, place)]));
        }
        self.freeze_controller(place, view, out);
        for &place in &owned.buffers {
            self.freeze_arrived(view.from(|all| &all.buffers, place), view, out);
        }
        for &place in &owned.stores {
            self.freeze_cache(&self.stores[view.from(|all| &all.caches, place)], view, out);
        }
        for &place in &owned.tables {
            let table = &self.system.line_tables.tables[view.from(|all| &all.tables, place)];
            self.put(table.len() as u64, out);
            if !table.is_empty() {
                self.freeze_pairs(table.sorted(), view, out);
            }
        }
        for &place in &owned.directories {
            let directory = view.from(|all| &all.directories, place);
            let entries = self.system.line_tables.directories[directory].sorted();
            self.put(entries.len() as u64, out);
            self.freeze_pairs(entries, view, out);
        }
        for &place in &owned.timers {
            self.freeze_timers(view.from(|all| &all.timers, place), view, out);
        }
        for &place in &owned.persistents {
            self.freeze_persistents(view.from(|all| &all.persistents, place), view, out);
        }
    }

    #[inline]
    fn put(&self, word: u64, out: &mut Vec<u8>) {
        self.dictionary.put(word, out);
    }

    /// Writes a block, renamed, and notes its class.
    #[inline]
    fn put_block(&self, block: u64, view: View<'_>, out: &mut Vec<u8>) {
        let value = view.value(block);
        self.note_class(value);
        self.put(value, out);
    }

    fn note_class(&self, value: u64) {
        let mut classes = self.classes.get();
        classes.add(self.values, value, self.counts());
        self.classes.set(classes);
    }

    /// Writes the variables of the controller that comes to a place, as far as they differ from their initial values,
    /// its blocked lines, and its registrations of stalled messages.
    fn freeze_controller(&self, place: usize, view: View<'_>, out: &mut Vec<u8>) {
        let controller = &self.system.controllers[view.from(|all| &all.controllers, place)];
        let start = controller.control as usize;
        let base = &self.bases[place];
        let kinds = &self.kinds.controls[controller.machine];
        let handles = &self.handles[controller.machine];
        let now = &self.system.words.words[start..start + base.len()];
        let first = usize::from(slicc::compile::op::control::FREE);
        let value = |at: usize| match kinds[at] {
            WordKind::Block => view.value(now[at]),
            kind => view.word(kind, now[at]),
        };
        // Words that name objects never change, and differ between controllers.
        let changed = |at: &usize| !handles[*at] && value(*at) != base[*at];
        self.put((first..base.len()).filter(changed).count() as u64, out);
        for at in (first..base.len()).filter(changed) {
            self.put(at as u64, out);
            match kinds[at] {
                WordKind::Block => self.put_block(now[at], view, out),
                _ => self.put(value(at), out),
            }
        }
        let buffer = |at: u32| view.to(|all| &all.buffers, at as usize) as u64;
        let blocked = controller.blocked.iter().map(|&(line, by)| (view.line(line), buffer(by)));
        let mut blocked: Vec<(u64, u64)> = blocked.collect();
        blocked.sort_unstable();
        self.put(blocked.len() as u64, out);
        for (line, by) in blocked {
            self.put(line, out);
            self.put(by, out);
        }
        // Where nothing is stalled, nothing will be woken.
        let parks = |line: u64, buffer: u32| self.system.buffers[buffer as usize].has_stalled(line);
        let mut waiting: Vec<(u64, usize, u64)> = Vec::new();
        for (line, row) in &controller.waiting {
            let ranks = row.iter().enumerate();
            let ranks = ranks.filter_map(|(rank, buffer)| Some((rank, (*buffer)?)));
            let ranks = ranks.filter(|(_, buffer)| parks(*line, *buffer));
            waiting.extend(ranks.map(|(rank, at)| (view.line(*line), rank, buffer(at))));
        }
        waiting.sort_unstable();
        self.put(waiting.len() as u64, out);
        for (line, rank, buffer) in waiting {
            self.put(line, out);
            self.put(rank as u64, out);
            self.put(buffer, out);
        }
    }

    /// Writes the messages of a buffer that have arrived, and those that are deferred.
    fn freeze_arrived(&self, number: usize, view: View<'_>, out: &mut Vec<u8>) {
        let buffer = &self.system.buffers[number];
        if buffer.is_bare() {
            self.put(0, out);
            return self.put(0, out);
        }
        let arrived = buffer.arrived();
        self.put(arrived.len() as u64, out);
        for one in arrived {
            self.put(one.stalled.map_or(0, |line| view.line(line) + 1), out);
            self.freeze_object(one.message, view, out);
        }
        self.put(buffer.deferred().len() as u64, out);
        self.freeze_pairs(buffer.deferred().to_vec(), view, out);
    }

    /// Writes the messages in flight to the buffer that comes to a place.
    fn freeze_in_flight(
        &self,
        place: usize,
        view: View<'_>,
        scratch: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) {
        let number = view.from(|all| &all.buffers, place);
        let buffer = &self.system.buffers[number];
        let count = buffer.in_flight().count();
        self.put(count as u64, out);
        if count == 0 {
            return;
        }
        scratch.clear();
        let mut queued: Vec<Queued> = Vec::with_capacity(count);
        for one in buffer.in_flight() {
            let start = scratch.len();
            self.freeze_object(one.message, view, scratch);
            let is_memory = self.is_memory(one.message);
            queued.push(Queued {
                lane: self.moved_lane(number, self.lane(number, one), is_memory, view),
                is_new: one.is_new,
                start,
                end: scratch.len(),
            });
        }
        let bytes = |one: &Queued| &scratch[one.start..one.end];
        queued.sort_by(|one, other| {
            one.lane.cmp(&other.lane).then_with(|| match one.lane {
                // Without an order, equal states must have equal bytes.
                0 => bytes(one).cmp(bytes(other)),
                // In the order of sending, which is not that of the ticks of messages within a move.
                _ => (one.is_new, one.start).cmp(&(other.is_new, other.start)),
            })
        });
        for one in &queued {
            self.put(one.lane, out);
            out.extend_from_slice(bytes(one));
        }
    }

    /// The lane of a message that is in flight to a buffer.
    pub(super) fn lane(&self, number: usize, one: InFlight) -> u64 {
        if let Some(lane) = one.arrival.checked_sub(IN_FLIGHT) {
            return lane;
        }
        let words = &self.system.words;
        if self.is_memory(one.message) && !one.overtakes {
            // Memory responds to requests for one line in the order in which they were made.
            let at = one.message + u64::from(self.system.memory_fields.address);
            let answers = words.words[at as usize];
            return 1 + self.line_number(answers).map_or(0, |line| 1 + line as u64);
        }
        // A message that a controller sends to itself. One that it puts back has no order any more.
        let is_ordered = self.system.buffers[number].settings().ordered;
        u64::from(is_ordered && !one.overtakes)
    }

    /// Whether a message is a request to memory or a response.
    fn is_memory(&self, message: u64) -> bool {
        self.system.words.type_of(message) == self.system.program.types.known.memory
    }

    /// The name of a lane to a buffer after cores and lines have changed places. What comes through the network has the
    /// lane of its sender, and memory's responses have the lane of their line.
    pub(super) fn moved_lane(
        &self,
        number: usize,
        lane: u64,
        is_memory: bool,
        view: View<'_>,
    ) -> u64 {
        let sender = lane.checked_sub(1).filter(|_| self.system.network.receives(number as u32));
        let line = lane.checked_sub(2).filter(|_| is_memory);
        match (sender, line) {
            (Some(sender), _) => 1 + view.to(|all| &all.buffers, sender as usize) as u64,
            (_, Some(line)) => 2 + view.to(|all| &all.lines, line as usize) as u64,
            _ => lane,
        }
    }

    fn freeze_cache(&self, store: &Store, view: View<'_>, out: &mut Vec<u8>) {
        let cache = &self.system.line_tables.caches[store.cache];
        for &set in &store.sets {
            let ways = 0..cache.ways();
            let mut held: Vec<_> =
                ways.filter_map(|way| Some((way, cache.held(set, way)?))).collect();
            if store.overflows {
                cache.uses(set).iter().for_each(|&used| self.put(used, out));
            } else {
                held.sort_unstable_by_key(|(_, held)| view.line(held.line));
            }
            self.put(held.len() as u64, out);
            for (way, held) in held {
                if store.overflows {
                    self.put(way as u64, out);
                }
                self.put(view.line(held.line), out);
                out.push(held.permission);
                if self.repertoire.linked {
                    let owner = |owner: u32| 1 + view.to(|all| &all.cores, owner as usize) as u64;
                    self.put(held.monitor.map_or(0, owner), out);
                }
                self.freeze_object(held.entry, view, out);
            }
        }
    }

    /// Writes objects with their lines, sorted by line.
    fn freeze_pairs(&self, mut pairs: Vec<(u64, u64)>, view: View<'_>, out: &mut Vec<u8>) {
        pairs.iter_mut().for_each(|(line, _)| *line = view.line(*line));
        pairs.sort_by_key(|&(line, _)| line);
        for (line, object) in pairs {
            self.put(line, out);
            self.freeze_object(object, view, out);
        }
    }

    pub(super) fn freeze_object(&self, object: u64, view: View<'_>, out: &mut Vec<u8>) {
        if object == 0 {
            return self.put(NOTHING, out);
        }
        let of = self.system.words.type_of(object);
        self.put(of as u64, out);
        let kinds = &self.kinds.objects[of];
        let start = object as usize;
        let words = &self.system.words.words[start..start + kinds.len()];
        let dead = self.dead_words(of, words);
        let initial = &self.system.program.types[of].initial;
        for (at, (&kind, &word)) in kinds.iter().zip(words).enumerate() {
            let word = if dead.contains(&(at as u16)) { initial[at] } else { word };
            match kind {
                WordKind::Block => self.put_block(word, view, out),
                _ => self.put(view.word(kind, word), out),
            }
        }
    }

    /// The words of an object that are dead in the state that it has.
    pub(super) fn dead_words(&self, of: TypeId, words: &[u64]) -> &[u16] {
        let of_type = self.dead.get(of).and_then(Option::as_ref);
        let of_state =
            of_type.and_then(|of| of.dead.get(*words.get(usize::from(of.state))? as usize));
        of_state.map_or(&[], |dead| dead)
    }

    fn freeze_timers(&self, number: usize, view: View<'_>, out: &mut Vec<u8>) {
        let timers = self.system.timers[number].timers().iter();
        let mut timers: Vec<(u64, bool)> =
            timers.map(|&(tick, line)| (view.line(line), tick == 0)).collect();
        timers.sort_unstable();
        self.put(timers.len() as u64, out);
        for (line, is_over) in timers {
            self.put(line, out);
            out.push(u8::from(is_over));
        }
    }

    fn freeze_persistents(&self, number: usize, view: View<'_>, out: &mut Vec<u8>) {
        let all = self.system.persistents[number].all();
        let mut all: Vec<(u64, u64, bool, bool)> = all
            .map(|(line, machine, writes, marked)| {
                (view.line(line), view.word(WordKind::Machine, machine), writes, marked)
            })
            .collect();
        all.sort_unstable();
        self.put(all.len() as u64, out);
        for (line, machine, writes, marked) in all {
            self.put(line, out);
            self.put(machine, out);
            out.push(u8::from(writes) | u8::from(marked) << 1);
        }
    }

    /// The number of requests for which a core or device waits in a state.
    pub fn waits(&self, state: &[u8], core: usize) -> usize {
        let own = core * self.lines.len()..(core + 1) * self.lines.len();
        state[own].iter().filter(|&&code| is_request(code)).count()
    }
}
