//! Writes a system as bytes: the same bytes for states with the same future, as far as that can be
//! seen.
//!
//! The bytes do not contain ticks, counters, addresses of objects, registers, and the order of what
//! is unordered. If no line ever makes room for another, they contain neither which way of a set
//! holds which line nor when it was used.

use super::values::Renaming;
use super::{Stepping, Store};
use crate::request::RequestKind;
use crate::ruby::buffer::MessageBuffer;
use crate::ruby::buffer::frozen::{IN_FLIGHT, InFlight};

/// Stands for a null pointer, in place of the type of an object.
pub(super) const NOTHING: u64 = u64::MAX;
/// A flag of the byte after those of the cores: there are messages.
const MESSAGES: u8 = 1;
/// A flag of the same byte: a controller has a transaction in progress.
const TRANSACTIONS: u8 = 2;

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
    /// Writes the state, with values renamed.
    pub(super) fn freeze(&mut self, renaming: &Renaming) -> Vec<u8> {
        let mut out = Vec::with_capacity(128);
        for core in 0..self.cores {
            out.extend((0..self.lines.len()).map(|line| self.request_code(core, line)));
        }
        let flags = out.len();
        out.push(0);
        for &line in &self.lines {
            let held = self.system.memory.peek(line).map_or(0, |block| block[0]);
            self.dictionary.put(renaming.rename(held), &mut out);
        }
        for controller in 0..self.system.controllers.len() {
            self.freeze_controller(controller, renaming, &mut out);
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        for buffer in 0..self.system.buffers.len() {
            let is_bare = self.freeze_buffer(buffer, renaming, &mut scratch, &mut out);
            out[flags] |= if is_bare { 0 } else { MESSAGES };
        }
        self.scratch = scratch;
        for store in &self.stores {
            self.freeze_cache(store, renaming, &mut out);
        }
        for (table, is_transactions) in self.system.tables.iter().zip(&self.transactions) {
            self.put(table.len() as u64, &mut out);
            if table.is_empty() {
                continue;
            }
            out[flags] |= if *is_transactions { TRANSACTIONS } else { 0 };
            self.freeze_pairs(&table.sorted(), renaming, &mut out);
        }
        for directory in &self.system.directories {
            let entries = directory.sorted();
            self.put(entries.len() as u64, &mut out);
            self.freeze_pairs(&entries, renaming, &mut out);
        }
        self.freeze_rest(&mut out);
        out
    }

    #[inline]
    fn put(&self, word: u64, out: &mut Vec<u8>) {
        self.dictionary.put(word, out);
    }

    /// The request of a core for a line, as a byte: 0 if it has none.
    fn request_code(&self, core: usize, line: usize) -> u8 {
        let request = self.system.sequencers[core].head(self.lines[line]);
        request.map_or(0, |request| match request.kind {
            RequestKind::Store => 2 + (request.value % u64::from(self.values.choices())) as u8,
            _ => 1,
        })
    }

    /// Writes the variables of a controller that differ from their initial values, and what waits
    /// for which line.
    fn freeze_controller(&self, number: usize, renaming: &Renaming, out: &mut Vec<u8>) {
        let controller = &self.system.controllers[number];
        let start = controller.control as usize;
        let base = &self.bases[number];
        let now = &self.system.words.words[start..start + base.len()];
        let first = usize::from(slicc::compile::code::control::FREE);
        let changed = |at: &usize| now[*at] != base[*at];
        self.put((first..base.len()).filter(changed).count() as u64, out);
        for at in (first..base.len()).filter(changed) {
            self.put(at as u64, out);
            let is_block = self.control_blocks(controller.machine, at);
            let value = if is_block { renaming.rename(now[at]) } else { now[at] };
            self.put(value, out);
        }
        let mut blocked = controller.blocked.clone();
        blocked.sort_unstable();
        self.put(blocked.len() as u64, out);
        for (line, by) in blocked {
            self.put(line, out);
            self.put(u64::from(by), out);
        }
        // Where nothing is stalled, nothing will be woken.
        let parks = |line: u64, buffer: u32| self.system.buffers[buffer as usize].has_stalled(line);
        let mut waiting: Vec<(u64, usize, u32)> = Vec::new();
        for (line, row) in &controller.waiting {
            let ranks = row.iter().enumerate();
            let ranks = ranks.filter_map(|(rank, buffer)| Some((rank, (*buffer)?)));
            let ranks = ranks.filter(|(_, buffer)| parks(*line, *buffer));
            waiting.extend(ranks.map(|(rank, buffer)| (*line, rank, buffer)));
        }
        waiting.sort_unstable();
        self.put(waiting.len() as u64, out);
        for (line, rank, buffer) in waiting {
            self.put(line, out);
            self.put(rank as u64, out);
            self.put(u64::from(buffer), out);
        }
    }

    /// Whether a control word of a machine is a block.
    fn control_blocks(&self, machine: usize, at: usize) -> bool {
        let program = &self.system.program;
        let holds = program.machines[machine].variables.iter().find(|member| {
            let first = usize::from(member.offset);
            (first..first + program.types[member.of].width()).contains(&at)
        });
        holds.is_some_and(|member| {
            super::layout::is_block(&program.types, member.of)
                || self.layouts[member.of].is_block(at - usize::from(member.offset))
        })
    }

    /// Writes a buffer, and returns whether it is empty.
    fn freeze_buffer(
        &self,
        number: usize,
        renaming: &Renaming,
        scratch: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> bool {
        let buffer = &self.system.buffers[number];
        if buffer.is_bare() {
            self.put(0, out);
            return true;
        }
        let arrived = buffer.arrived();
        let count = buffer.in_flight().count() + 1;
        self.put(count as u64, out);
        self.put(arrived.len() as u64, out);
        for one in arrived {
            self.put(one.stalled.map_or(0, |line| line + 1), out);
            self.freeze_object(one.message, renaming, out);
        }
        self.put(buffer.deferred().len() as u64, out);
        self.freeze_pairs(buffer.deferred(), renaming, out);
        scratch.clear();
        let mut queued: Vec<Queued> = Vec::with_capacity(count);
        for one in buffer.in_flight() {
            let start = scratch.len();
            self.freeze_object(one.message, renaming, scratch);
            queued.push(Queued {
                lane: self.lane(buffer, one),
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
        false
    }

    /// The lane of a message that is in flight.
    fn lane(&self, buffer: &MessageBuffer, one: InFlight) -> u64 {
        if let Some(lane) = one.arrival.checked_sub(IN_FLIGHT) {
            return lane;
        }
        let words = &self.system.words;
        if words.type_of(one.message) == self.system.program.types.known.memory && !one.overtakes {
            // Memory responds to requests for one line in the order in which they were made.
            let at = one.message + u64::from(self.system.memory_fields.address);
            let answers = words.words[at as usize];
            return 1 + self.line_number(answers).map_or(0, |line| 1 + line as u64);
        }
        // A message that a controller sends to itself. One that it puts back has no order any more.
        u64::from(buffer.settings().ordered && !one.overtakes)
    }

    fn freeze_cache(&self, store: &Store, renaming: &Renaming, out: &mut Vec<u8>) {
        let cache = &self.system.caches[store.cache];
        for &set in &store.sets {
            let ways = 0..cache.ways();
            let mut held: Vec<_> =
                ways.filter_map(|way| Some((way, cache.held(set, way)?))).collect();
            if store.overflows {
                cache.uses(set).iter().for_each(|&used| self.put(used, out));
            } else {
                held.sort_unstable_by_key(|(_, held)| held.line);
            }
            self.put(held.len() as u64, out);
            for (way, held) in held {
                if store.overflows {
                    self.put(way as u64, out);
                }
                self.put(held.line, out);
                out.push(held.permission);
                self.freeze_object(held.entry, renaming, out);
            }
        }
    }

    fn freeze_pairs(&self, pairs: &[(u64, u64)], renaming: &Renaming, out: &mut Vec<u8>) {
        for &(line, object) in pairs {
            self.put(line, out);
            self.freeze_object(object, renaming, out);
        }
    }

    fn freeze_object(&self, object: u64, renaming: &Renaming, out: &mut Vec<u8>) {
        if object == 0 {
            return self.put(NOTHING, out);
        }
        let of = self.system.words.type_of(object);
        self.put(of as u64, out);
        let layout = &self.layouts[of];
        let start = object as usize;
        let words = &self.system.words.words[start..start + layout.width];
        for (at, &word) in words.iter().enumerate() {
            let value = if layout.is_block(at) { renaming.rename(word) } else { word };
            self.put(value, out);
        }
    }

    fn freeze_rest(&self, out: &mut Vec<u8>) {
        for table in &self.system.timers {
            let mut timers: Vec<(u64, bool)> =
                table.timers().iter().map(|&(tick, line)| (line, tick == 0)).collect();
            timers.sort_unstable();
            self.put(timers.len() as u64, out);
            for (line, is_over) in timers {
                self.put(line, out);
                out.push(u8::from(is_over));
            }
        }
        for table in &self.system.persistents {
            self.put(table.all().count() as u64, out);
            for (line, machine, writes, marked) in table.all() {
                self.put(line, out);
                self.put(machine, out);
                out.push(u8::from(writes) | u8::from(marked) << 1);
            }
        }
    }

    /// The number of requests for which a core waits in a state.
    pub fn waits(&self, state: &[u8], core: usize) -> usize {
        let own = core * self.lines.len()..(core + 1) * self.lines.len();
        state[own].iter().filter(|&&code| code != 0).count()
    }

    /// Whether something is left to be done in a state: a core waits, a message is in flight, or a
    /// transaction is in progress.
    pub fn is_busy(&self, state: &[u8]) -> bool {
        let flags = self.cores * self.lines.len();
        state[..=flags].iter().any(|&code| code != 0)
    }
}
