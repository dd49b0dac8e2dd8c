//! Messages in flight: sending, setting aside and waking, and the memory.

use slicc::compile::code::{Need, Room};
use slicc::compile::op::control;
use slicc::compile::types::TypeId;

use super::fault::Trap;
use super::{MOST_RECORDED, REPETITION_DISTANCE, RecordedEvent, Role, System};
use crate::ruby::Misuse;
use crate::ruby::sets::bits;
use crate::ruby::trackers::storage;

/// Numbers of the values of `MemoryRequestType`.
pub(super) const MEMORY_READ: u64 = 0;
const MEMORY_WB: u64 = 1;

impl System {
    /// Enqueues a message in a buffer, `latency` cycles from now.
    pub(super) fn send(
        &mut self,
        buffer: u32,
        message: u64,
        latency: u64,
        bypass: bool,
    ) -> Result<(), Trap> {
        let (of, line) = (self.words.type_of(message), self.current_address());
        self.note_message(message, of, line);
        let at = buffer as usize;
        let random = self.random_delays.then_some(&mut self.delays);
        match self.roles[at] {
            Role::Own => {
                if bypass {
                    self.buffers.edit(at).note_disordered(message);
                }
                let arrival =
                    self.buffers.edit(at).enqueue(self.now, latency, message, bypass, random)?;
                self.wheel.schedule(arrival, self.consumers[at]);
                self.note_delivery(buffer, arrival);
                Ok(())
            }
            Role::To { vnet } => {
                let departure = self.buffers.edit(at).pass(self.now, latency, bypass, random)?;
                self.deliver((buffer, vnet), (message, of, line), departure)
            }
        }
    }

    /// Delivers a message of a type about a line to all controllers in its `Destination`.
    fn deliver(
        &mut self,
        (sender, vnet): (u32, u32),
        (message, of, line): (u64, TypeId, u64),
        departure: u64,
    ) -> Result<(), Trap> {
        let envelope = self.envelopes[of];
        let Some(destination) = envelope.destination else {
            return Err(Trap::Other("a message without the field Destination went to the network"));
        };
        if envelope.size.is_some_and(|(size, unset)| {
            self.words.words[message as usize + usize::from(size)] >= unset
        }) {
            return Err(Trap::Other(
                "a message went to the network whose MessageSize was never set",
            ));
        }
        let from = message as usize + usize::from(destination);
        // If the set is empty, the message vanishes at the first switch.
        let branching = self.network.branch(sender, departure, self.now, &mut self.delays);
        let words = self.machines.words();
        let set = &self.words.words[from..from + words];
        // Most messages have one receiver.
        if let Some(word) = set.iter().position(|word| *word != 0)
            && set[word].is_power_of_two()
            && set[word + 1..].iter().all(|word| *word == 0)
        {
            let number = set[word].trailing_zeros();
            self.arrive((sender, vnet), (word, number), message, branching, line);
            return Ok(());
        }
        let mut left = bits::count(set);
        if left == 0 {
            self.words.release(message);
        }
        for word in 0..words {
            let mut numbers = self.words.words[from + word];
            while numbers != 0 {
                let number = numbers.trailing_zeros();
                numbers &= numbers - 1;
                left -= 1;
                // The last receiver gets the message itself, the others get copies.
                let copy =
                    if left > 0 { self.words.duplicate(message, envelope.width) } else { message };
                let own = copy as usize + usize::from(destination);
                self.words.words[own..own + words].fill(0);
                self.words.words[own + word] = 1 << number;
                self.arrive((sender, vnet), (word, number), copy, branching, line);
            }
        }
        Ok(())
    }

    /// Delivers a message to one controller, which is given by the word of its type in a `NetDest` and its number.
    fn arrive(
        &mut self,
        (sender, vnet): (u32, u32),
        (word, number): (usize, u32),
        message: u64,
        branching: u64,
        line: u64,
    ) {
        let (kind, _) = self.machines.types()[word];
        let number = self.others.receiver(kind, number);
        let Some(receiver) = self.network.route(kind as u32, number, vnet) else {
            // gem5 would keep the message in the network for ever.
            self.words.release(message);
            return;
        };
        let arrival = self.network.arrival(sender, receiver, branching, line, &mut self.delays);
        self.buffers.edit(receiver as usize).deliver(arrival, message);
        self.wheel.schedule(arrival, self.consumers[receiver as usize]);
        self.note_delivery(receiver, arrival);
    }

    /// Records a message of a type, which the running transition sends for an address.
    fn note_message(&mut self, message: u64, of: TypeId, address: u64) {
        let event = RecordedEvent {
            tick: self.now,
            controller: self.current as u32,
            what: of as u32,
            is_message: true,
            kind: self.kind_of(message, of),
            address,
            ..RecordedEvent::default()
        };
        self.keep(event);
    }

    /// Records an event for the report of a fault.
    #[inline]
    pub(super) fn keep(&mut self, event: RecordedEvent) {
        match self.happenings.get_mut(self.happened % MOST_RECORDED) {
            Some(oldest) => *oldest = event,
            None => self.happenings.push(event),
        }
        self.happened += 1;
    }

    /// Records a transition that changes nothing. One that its controller has just taken for the
    /// line is only counted, so that retries do not displace the event for which they wait.
    pub(super) fn keep_unchanged(&mut self, event: RecordedEvent) {
        for back in 1..=REPETITION_DISTANCE.min(self.happened) {
            let kept = &mut self.happenings[(self.happened - back) % MOST_RECORDED];
            if (kept.controller, kept.address) == (event.controller, event.address) {
                if !kept.is_message && (kept.what, kept.after) == (event.what, event.after) {
                    kept.repeated += 1;
                    kept.until = event.tick;
                    return;
                }
                break;
            }
        }
        self.keep(event);
    }

    /// The value of the field `Type` of a message.
    pub(super) fn kind_of(&self, message: u64, of: usize) -> u32 {
        match self.kinds[of] {
            Some(offset) => self.words.words[message as usize + usize::from(offset)] as u32,
            None => u32::MAX,
        }
    }

    /// Whether there is the room that a transition needs; `control` is the address of the controller's control words.
    #[inline]
    pub(super) fn has_room(&self, control: usize, need: Need) -> bool {
        let place = control + usize::from(need.object);
        let object = self.words.words[place] as usize;
        match need.room {
            Room::Table => self.line_tables.tables[object].slots_available(need.slots as usize),
            Room::Buffer => self.buffers[object].slots_available(need.slots as usize, self.now),
            Room::Storage => storage::free(&self.words.words[place..]) >= i64::from(need.slots),
        }
    }

    /// Delays the head of a buffer by a cycle.
    ///
    /// gem5 enqueues it anew, after the messages that are in the buffer by then. Without random delays no later message
    /// of an ordered buffer overtakes it, since one that arrives in the next cycle is enqueued after it. With random delays, the messages
    /// of a blocked line take turns, and may be in another order when the line is unblocked. Here, messages from the
    /// network are enqueued when they are sent, most of them long before they would enter the buffer in gem5. So the head
    /// keeps its place, and such a change of order does not occur.
    pub(super) fn delay_head(&mut self, buffer: u32) -> Result<(), Trap> {
        self.wakeup_log.has_changed = true;
        let mut head = self.buffers.edit(buffer as usize);
        let arrival = if self.network.keeps_order(buffer) {
            head.postpone_head(self.now)?
        } else {
            let random = self.random_delays.then_some(&mut self.delays);
            head.delay_head(self.now, random)?
        };
        drop(head);
        self.wheel.schedule(arrival, self.consumers[buffer as usize]);
        Ok(())
    }

    /// Sets the head of a buffer aside until the line is woken.
    pub(super) fn stall_and_wait(&mut self, buffer: u32, line: u64) -> Result<(), Trap> {
        if !line.is_multiple_of(self.block_words as u64 * 8) {
            return Err(Misuse::NotALine(line).into());
        }
        let controller = &mut self.controllers[self.current];
        let rank = controller.rank;
        let ports = controller.ports.len();
        if rank >= ports {
            let (rank, ports) = (rank as u64, ports as u64);
            return Err(Misuse::Rank { rank, ports }.into());
        }
        let row = match controller.waiting.iter().position(|(waiting, _)| *waiting == line) {
            Some(at) => &mut controller.waiting[at].1,
            None => {
                controller.waiting.push((line, Vec::new()));
                &mut controller.waiting.last_mut().expect("just pushed").1
            }
        };
        if row.len() <= rank {
            row.resize(rank + 1, None);
        }
        row[rank] = Some(buffer);
        self.buffers.edit(buffer as usize).stall(self.now, line)?;
        Ok(())
    }

    /// `wakeUpBuffers(line)`: wakes the messages that ports of a lower rank than the current one
    /// have set aside, and drops the other registrations.
    pub(super) fn wake_lower(&mut self, line: u64) -> Result<(), Trap> {
        let controller = &self.controllers[self.current];
        let (rank, ports) = (controller.rank, controller.ports.len());
        if rank > ports && controller.waiting.iter().any(|(waiting, _)| *waiting == line) {
            let (rank, ports) = (rank as u64, ports as u64);
            self.warn(Misuse::RankBehind { rank, ports })?;
        }
        self.wake_line(line, rank)
    }

    /// `wakeUpAllBuffers(line)`: wakes the messages that ports of any rank have set aside for a line.
    pub(super) fn wake_every_rank(&mut self, line: u64) -> Result<(), Trap> {
        self.wake_line(line, usize::MAX)
    }

    fn wake_line(&mut self, line: u64, below: usize) -> Result<(), Trap> {
        let waiting = &mut self.controllers[self.current].waiting;
        let Some(at) = waiting.iter().position(|(waiting, _)| *waiting == line) else {
            return Ok(());
        };
        let (_, row) = waiting.remove(at);
        let mut buffers = row.into_iter().take(below).rev().flatten();
        buffers.try_for_each(|buffer| self.wake_buffer(buffer, line))
    }

    /// `wakeup_port(port, line)`: wakes the messages of one buffer that were set aside for a line. Registrations of
    /// other buffers stay.
    pub(super) fn wake_port(&mut self, buffer: u32, line: u64) -> Result<(), Trap> {
        let waiting = &mut self.controllers[self.current].waiting;
        let Some((_, row)) = waiting.iter_mut().find(|(waiting, _)| *waiting == line) else {
            return Ok(());
        };
        let mut times = 0;
        for entry in row.iter_mut().filter(|entry| **entry == Some(buffer)) {
            *entry = None;
            times += 1;
        }
        (0..times).try_for_each(|_| self.wake_buffer(buffer, line))
    }

    /// Wakes the messages of a buffer that wait for a line. There must be one, since a buffer is registered when a message
    /// in it is stalled.
    fn wake_buffer(&mut self, buffer: u32, line: u64) -> Result<(), Trap> {
        if !self.buffers.edit(buffer as usize).wake(line) {
            return Err(Misuse::NothingStalled(line).into());
        }
        self.wheel.schedule(self.now, self.consumers[buffer as usize]);
        Ok(())
    }

    /// `wakeUpAllBuffers()`: wakes all messages that the current controller has set aside.
    pub(super) fn wake_everything(&mut self) {
        let waiting = std::mem::take(&mut self.controllers[self.current].waiting);
        let buffers: Vec<u32> =
            waiting.into_iter().flat_map(|(_, row)| row.into_iter().rev().flatten()).collect();
        for buffer in buffers {
            if self.buffers.edit(buffer as usize).wake_all() {
                self.wheel.schedule(self.now, self.consumers[buffer as usize]);
            }
        }
    }

    /// Passes a request to the memory, if one is ready (`docs/slicc.md`, "Memory").
    pub(super) fn serve_memory(&mut self) -> Result<(), Trap> {
        let controller = &self.controllers[self.current];
        let Some(requests) = controller.requests_to_memory else {
            return Ok(());
        };
        if !self.buffers[requests as usize].is_ready(self.now) {
            return Ok(());
        }
        let Some(responses) = controller.responses_from_memory else {
            return Err(Trap::Other(
                "a machine asks the memory, but has no buffer responseFromMemory",
            ));
        };
        self.wakeup_log.has_changed = true;
        let (request, _) = self.buffers.edit(requests as usize).dequeue(self.now)?;
        let known = self.program.types.known.memory;
        if self.words.type_of(request) != known {
            return Err(Trap::Other("the memory takes messages of type MemoryMsg only"));
        }
        let fields = self.memory_fields;
        let field = |words: &[u64], offset: u16| words[request as usize + usize::from(offset)];
        let address = field(&self.words.words, fields.address);
        let length = field(&self.words.words, fields.length);
        let machine = self.words.words[controller.control as usize + usize::from(control::MACHINE)];
        let block = request as usize + usize::from(fields.block);
        let range = block..block + self.block_words;
        let echoes = controller.memory_echoes;
        let arrival = match field(&self.words.words, fields.kind) {
            MEMORY_READ | MEMORY_WB if echoes => {
                self.memory.echo(address, self.now, &mut self.delays)
            }
            MEMORY_READ => {
                let block = &mut self.words.words[range];
                self.memory.read(address, self.now, block, &mut self.delays)
            }
            MEMORY_WB => {
                let block = &self.words.words[range];
                self.memory.write(address, length, self.now, block, &mut self.delays)?
            }
            _ => {
                return Err(Trap::Other(
                    "the memory can be asked to read and to write, and nothing else",
                ));
            }
        };
        // The request becomes the response.
        if !echoes {
            let sender = field(&self.words.words, fields.sender);
            self.words.words[request as usize + usize::from(fields.original)] = sender;
            self.words.words[request as usize + usize::from(fields.sender)] = machine;
        }
        self.buffers.edit(responses as usize).deliver(arrival, request);
        self.wheel.schedule(arrival, self.consumers[responses as usize]);
        self.wake_next_cycle();
        Ok(())
    }
}
