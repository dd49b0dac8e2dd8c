//! Functional accesses, which gem5 makes to caches, memory and buffers at once, whatever controllers are doing: to load a
//! program, in system calls, and where a tester asks for them.
//!
//! A read asks all controllers for the permission that they have for the line. Which copy it takes is decided by the option
//! `partial_func_reads` of the protocol: one whole copy ([`System::read_whole`], gem5's `simpleFunctionalRead`), or bytes from
//! several controllers until the line is complete ([`System::read_parts`], `partialFunctionalRead`). A write changes all copies,
//! and the data of messages and of requests that wait (`functionalWrite`). The protocol's functions do the work, for machines
//! and for messages; they call `testAndRead` and so on with the packet that the system holds.
//!
//! gem5 searches the buffers of controllers, and then its network. Here a message is in the buffer of its receiver as soon as
//! it is sent, so the buffers of controllers are all that there is. A read that memory has accepted is in the buffer for its
//! response, but gem5 has no message for it before DRAM has answered: such a response is not there for functional accesses.

use std::sync::Arc;

use slicc::compile::code::Function;
use slicc::compile::op::control;
use slicc::compile::types::TypeKind;
use slicc::library::LibraryFunction;

use super::System;
use super::fault::{Fault, FaultKind, Trap};
use super::messages::MEMORY_READ;
use super::words::STACK;
use crate::program::Bytes;
use crate::ruby::block;

/// The packet of the functional access that is being made.
#[derive(Clone, Copy, Debug)]
struct Packet {
    bytes: Bytes,
    /// The value that is written, or what was read so far.
    value: u64,
}

/// The parts of a system that are for functional accesses.
#[derive(Debug, Default)]
pub(super) struct Accesses {
    /// Whether reads collect the bytes of a line from several controllers.
    in_parts: bool,
    /// Whether a read that fails does not end the run.
    pub suppresses_errors: bool,
    /// The packet of the access that is being made.
    packet: Option<Packet>,
    /// The address of the mask of the bytes of a line that were found; 0 until the first read that needs it.
    mask: u64,
    /// The fault of an access that failed in the current event, which ends the run.
    pub failed: Option<Box<Fault>>,
}

impl Accesses {
    pub fn new(in_parts: bool, suppresses_errors: bool) -> Accesses {
        Accesses { in_parts, suppresses_errors, ..Accesses::default() }
    }
}

/// The permissions of gem5's `AccessPermission`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Permission {
    ReadOnly,
    ReadWrite,
    MaybeStale,
    BackingStore,
    BackingStoreBusy,
    Busy,
    Invalid,
    NotPresent,
}

/// The permissions with their names.
const PERMISSIONS: [(Permission, &str); 8] = [
    (Permission::ReadOnly, "Read_Only"),
    (Permission::ReadWrite, "Read_Write"),
    (Permission::MaybeStale, "Maybe_Stale"),
    (Permission::BackingStore, "Backing_Store"),
    (Permission::BackingStoreBusy, "Backing_Store_Busy"),
    (Permission::Busy, "Busy"),
    (Permission::Invalid, "Invalid"),
    (Permission::NotPresent, "NotPresent"),
];

/// What a functional read has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    All,
    Some,
    Nothing,
}

/// What a message is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// To fill the packet.
    Read,
    /// To fill the bytes of the packet that the mask has not yet, and to add its own to the mask.
    ReadMasked,
    /// To take the bytes of the packet.
    Write,
}

impl System {
    /// Reads bytes of one line at once. Returns `None` if the read fails, since no copy is known to be valid.
    ///
    /// # Errors
    /// Fails if the protocol does, or if only some bytes of the line are found.
    pub(super) fn functional_read(&mut self, bytes: Bytes) -> Result<Option<u64>, Box<Fault>> {
        let line = self.line_of(bytes.address);
        let in_parts = self.accesses.in_parts;
        let read =
            |it: &mut System| if in_parts { it.read_parts(line) } else { it.read_whole(line) };
        let (found, value) = self.with_packet(Packet { bytes, value: 0 }, read)?;
        match found {
            Found::All => Ok(Some(value)),
            Found::Nothing => Ok(None),
            Found::Some => {
                let mask = self.mask_text();
                let message = format!(
                    "Inconsistent state on functional read for {:#x} dirty mask={mask}",
                    bytes.address
                );
                Err(self.access_fault(message, line))
            }
        }
    }

    /// Writes bytes of one line at once, wherever the line is.
    ///
    /// # Errors
    /// Fails if the protocol does.
    pub(super) fn functional_write(&mut self, bytes: Bytes, value: u64) -> Result<(), Box<Fault>> {
        let line = self.line_of(bytes.address);
        self.with_packet(Packet { bytes, value }, |it| it.write_everywhere(line))?;
        Ok(())
    }

    /// Whether a functional write would change a request that waits to write some of these bytes, or the line while a core has
    /// locked it for a read-modify-write. gem5 makes it all the same: then both requests write the same value, or the
    /// read-modify-write is not atomic.
    pub(super) fn is_being_written(&self, bytes: Bytes) -> bool {
        let line = self.line_of(bytes.address);
        let is_locked = |(blocked, _): &(u64, u32)| *blocked == line;
        self.sequencers.iter().any(|one| one.writes(bytes))
            || self.dma_sequencers.iter().any(|one| one.writes(bytes))
            || self.controllers.iter().any(|one| one.blocked.iter().any(is_locked))
    }

    /// The fault of a functional read that fails, which ends the run.
    pub(super) fn failed_read(&mut self, bytes: Bytes) -> Box<Fault> {
        let message = format!("Ruby functional read failed for address {:#x}", bytes.address);
        self.access_fault(message, self.line_of(bytes.address))
    }

    /// A fault with the permissions that controllers have for a line.
    fn access_fault(&mut self, message: String, line: u64) -> Box<Fault> {
        let mut recent = self.stopped(line);
        let before = self.current;
        for number in 0..self.controllers.len() {
            let Ok(permission) = self.permission(number, line) else { continue };
            let name = PERMISSIONS.iter().find(|(one, _)| Some(*one) == permission);
            let name = name.map_or("unknown", |(_, name)| name);
            if !matches!(permission, Some(Permission::Invalid | Permission::NotPresent)) {
                let who = self.name_of(&self.controllers[number]);
                recent.push(format!("{:>10}: {who} has permission {name}", self.now));
            }
        }
        self.current = before;
        let fault = *self.plain_fault(FaultKind::Misuse, message);
        Box::new(Fault { address: Some(line), recent, ..fault })
    }

    /// Does something with a packet, and returns the value that the packet then has.
    fn with_packet<T>(
        &mut self,
        packet: Packet,
        what: impl FnOnce(&mut System) -> Result<T, Trap>,
    ) -> Result<(T, u64), Box<Fault>> {
        let before = self.current;
        self.accesses.packet = Some(packet);
        let result = what(self);
        let packet = self.accesses.packet.take().unwrap_or(packet);
        // What a stalled attempt has read may have changed.
        self.controllers.iter_mut().for_each(|one| one.poll.forget());
        let result = result.map_err(|trap| self.fault(trap));
        self.current = before;
        Ok((result?, packet.value))
    }

    /// Reads one whole copy of a line.
    fn read_whole(&mut self, line: u64) -> Result<Found, Trap> {
        let (mut read_only, mut read_write, mut backing, mut stale) = (None, None, None, None);
        let (mut absent, mut is_moving) = (0, false);
        for number in 0..self.controllers.len() {
            match self.permission(number, line)? {
                Some(Permission::ReadOnly) => read_only = read_only.or(Some(number)),
                Some(Permission::ReadWrite) => read_write = read_write.or(Some(number)),
                Some(Permission::Busy) => is_moving = true,
                Some(Permission::MaybeStale) => {
                    is_moving = true;
                    stale = self.preferred(stale, number)?;
                }
                Some(Permission::BackingStore) => backing = backing.or(Some(number)),
                Some(Permission::Invalid | Permission::NotPresent) => absent += 1,
                Some(Permission::BackingStoreBusy) | None => {}
            }
        }
        let is_alone = absent + 1 == self.controllers.len();
        let copy = backing.filter(|_| is_alone).or(read_write).or(read_only);
        if let Some(number) = copy {
            return self.read_in(number, line).map(|()| Found::All);
        }
        if !is_moving {
            return Ok(Found::Nothing);
        }
        for number in 0..self.controllers.len() {
            if self.ask_buffers(number, Asked::Read)? {
                return Ok(Found::All);
            }
        }
        // No message has the line, so the copy that may be stale is valid, and waits for a message without data.
        match stale {
            Some((number, _)) => self.read_in(number, line).map(|()| Found::All),
            None => Ok(Found::Nothing),
        }
    }

    /// Of two controllers whose copies may be stale, the one whose `functionalReadPriority` is the smaller, with the priority. A
    /// machine without that function, as in releases before 24.1, or a negative priority is never chosen.
    fn preferred(
        &mut self,
        before: Option<(usize, i64)>,
        number: usize,
    ) -> Result<Option<(usize, i64)>, Trap> {
        let machine = self.controllers[number].machine;
        let Some(code) = self.program.machines[machine].access.priority else {
            return Ok(before);
        };
        let priority = self.call(number, code, [0; 3])? as i64;
        let is_better = priority >= 0 && before.is_none_or(|(_, best)| priority < best);
        Ok(if is_better { Some((number, priority)) } else { before })
    }

    /// Collects the bytes of a line: from the controllers in stable states, and then, if any is busy or bytes are missing, from
    /// buffers and all other controllers.
    fn read_parts(&mut self, line: u64) -> Result<Found, Trap> {
        let (mut read_only, mut busy, mut others) = (Vec::new(), Vec::new(), Vec::new());
        let (mut read_write, mut backing) = (None, None);
        let alone = |place: &mut Option<usize>, number| match place.replace(number) {
            None => Ok(()),
            Some(_) => Err(Trap::Other(
                "a functional read found two controllers with the permission Read_Write, or two with Backing_Store",
            )),
        };
        for number in 0..self.controllers.len() {
            match self.permission(number, line)? {
                Some(Permission::ReadOnly) => read_only.push(number),
                Some(Permission::Busy) => busy.push(number),
                Some(Permission::ReadWrite) => alone(&mut read_write, number)?,
                Some(Permission::BackingStore) => alone(&mut backing, number)?,
                Some(Permission::BackingStoreBusy) => {
                    alone(&mut backing, number)?;
                    busy.push(number);
                }
                _ => others.push(number),
            }
        }
        self.clear_mask();
        if let Some(number) = read_write {
            self.read_masked_in(number, line)?;
            if self.mask_is_full() {
                return Ok(Found::All);
            }
        }
        for &number in read_only.iter().chain(&backing) {
            self.read_masked_in(number, line)?;
        }
        if !busy.is_empty() || !self.mask_is_full() {
            for &number in read_write.iter().chain(&read_only).chain(&backing) {
                self.ask_buffers(number, Asked::ReadMasked)?;
            }
            for &number in busy.iter().chain(&others) {
                self.read_masked_in(number, line)?;
                self.ask_buffers(number, Asked::ReadMasked)?;
            }
        }
        Ok(match (self.mask_is_full(), self.mask.is_empty(self.mask_words())) {
            (true, _) => Found::All,
            (_, true) => Found::Nothing,
            _ => Found::Some,
        })
    }

    /// Writes the packet into all messages, copies and waiting requests.
    fn write_everywhere(&mut self, line: u64) -> Result<(), Trap> {
        for number in 0..self.controllers.len() {
            self.ask_buffers(number, Asked::Write)?;
            let permission = self.permission(number, line)?;
            if !matches!(permission, Some(Permission::Invalid | Permission::NotPresent)) {
                let machine = self.controllers[number].machine;
                let code = self.program.machines[machine].access.write;
                let code =
                    code.ok_or(Trap::Other("functionalWrite(Addr,PacketPtr) not implemented"))?;
                self.call(number, code, [line, 0, 0])?;
            }
        }
        let Some(Packet { bytes, value }) = self.accesses.packet else { return Ok(()) };
        for (number, sequencer) in self.sequencers.iter_mut().enumerate() {
            sequencer.write_functionally(bytes, value);
            // A functional write to a line ends all reservations of it.
            if let Some(cache) = self.monitors[number] {
                self.line_tables.caches[cache as usize].clear_monitor(line);
            }
        }
        Ok(())
    }

    /// The permission of a controller for a line; `None` if it is none of gem5's.
    fn permission(&mut self, number: usize, line: u64) -> Result<Option<Permission>, Trap> {
        let machine = self.controllers[number].machine;
        let code = self.program.machines[machine].access.permission;
        let code = code.ok_or(Trap::Other("getAccessPermission(Addr) not implemented"))?;
        let value = self.call(number, code, [line, 0, 0])?;
        let TypeKind::Enumeration { values, .. } =
            &self.program.types[self.program.types.known.permission].kind
        else {
            return Ok(None);
        };
        let name = values.get(value as usize).ok_or(Trap::NO_ENUMERATOR)?;
        Ok(PERMISSIONS.iter().find(|(_, known)| **known == **name).map(|(one, _)| *one))
    }

    fn read_in(&mut self, number: usize, line: u64) -> Result<(), Trap> {
        let machine = self.controllers[number].machine;
        let code = self.program.machines[machine].access.read;
        let code = code.ok_or(Trap::Other("functionalRead(Addr,PacketPtr) not implemented"))?;
        self.call(number, code, [line, 0, 0]).map(|_| ())
    }

    fn read_masked_in(&mut self, number: usize, line: u64) -> Result<(), Trap> {
        let machine = self.controllers[number].machine;
        let code = self.program.machines[machine].access.read_masked;
        let code =
            code.ok_or(Trap::Other("functionalRead(Addr,PacketPtr,WriteMask) not implemented"))?;
        self.call(number, code, [line, 0, self.accesses.mask]).map(|_| ())
    }

    /// Calls a function of the protocol as a controller, with arguments. Returns its result.
    fn call(&mut self, number: usize, code: Function, arguments: [u64; 3]) -> Result<u64, Trap> {
        (self.current, self.port) = (number, usize::MAX);
        let address = self.controllers[number].control as usize + usize::from(control::ADDRESS);
        let line =
            self.accesses.packet.map_or(arguments[0], |packet| self.line_of(packet.bytes.address));
        let before = std::mem::replace(&mut self.words.words[address], line);
        self.words.words[STACK..STACK + 3].copy_from_slice(&arguments);
        let program = Arc::clone(&self.program);
        self.run(&program, code.start, STACK)?;
        self.words.settle();
        self.words.words[address] = before;
        Ok(self.words.words[STACK])
    }

    /// Asks the messages in the buffers of a controller. Returns whether one of them has data of the line; a read of one whole
    /// copy ends with the first. Stalled messages come after the others; gem5 leaves out deferred ones.
    fn ask_buffers(&mut self, number: usize, asked: Asked) -> Result<bool, Trap> {
        let mut has_found = false;
        for at in 0..self.controllers[number].buffers.len() {
            let buffer = self.controllers[number].buffers[at];
            let is_response = self.controllers[number].responses_from_memory == Some(buffer);
            // A response enters its buffer a cycle before it arrives.
            let latest = if is_response { self.now + 1 } else { u64::MAX };
            let messages: Vec<u64> = self.buffers[buffer as usize].messages(latest).collect();
            for message in messages {
                if self.ask_message(number, message, is_response, asked)? {
                    has_found = true;
                    if asked == Asked::Read {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(has_found)
    }

    /// Asks a message. Returns whether it has data of the line.
    fn ask_message(
        &mut self,
        number: usize,
        message: u64,
        is_response: bool,
        asked: Asked,
    ) -> Result<bool, Trap> {
        let of = self.words.type_of(message);
        let known = self.program.types.known;
        if of == known.memory {
            return self.ask_memory_message(message, is_response, asked);
        }
        if of == known.request {
            // The sequencer has the data of a core's request.
            return Ok(false);
        }
        if of == self.dma_fields.of {
            return match asked {
                Asked::Write => {
                    let fields = self.dma_fields;
                    let address = self.words.words[message as usize + usize::from(fields.address)];
                    self.test_and_write(address, message + u64::from(fields.block))
                }
                _ => Ok(false),
            };
        }
        let access = self.program.message_accesses[of];
        let (code, missing) = match asked {
            Asked::Read => (access.read, "functionalRead(Packet) not implemented"),
            Asked::ReadMasked => {
                (access.read_masked, "functionalRead(Packet,WriteMask) not implemented")
            }
            Asked::Write => (access.write, "functionalWrite(Packet) not implemented"),
        };
        let code = code.ok_or(Trap::Other(missing))?;
        Ok(self.call(number, code, [message, 0, self.accesses.mask])? != 0)
    }

    /// Asks a `MemoryMsg`, whose methods are gem5's own.
    fn ask_memory_message(
        &mut self,
        message: u64,
        is_response: bool,
        asked: Asked,
    ) -> Result<bool, Trap> {
        let fields = self.memory_fields;
        let field = |offset: u16| self.words.words[message as usize + usize::from(offset)];
        let (address, length) = (field(fields.address), field(fields.length));
        let block = message + u64::from(fields.block);
        if asked == Asked::Write {
            return self.test_and_write(address, block);
        }
        let size = self.size_name(message);
        let is_written = !is_response && size == Some("Writeback_Data");
        // A response is the request that it answers, so it says by its kind whether it has data.
        let is_read = if is_response {
            field(fields.kind) == MEMORY_READ
        } else {
            size == Some("Response_Data")
        };
        if !is_read && !is_written {
            return Ok(false);
        }
        if asked == Asked::Read {
            return self.test_and_read(address, block, |_| true);
        }
        let mut own = vec![0; self.mask.words()];
        if is_written {
            let bytes = self.block_words as u64 * 8;
            let offset = address % bytes;
            let rest = bytes - offset;
            let length = if length == 0 { rest } else { length.min(rest) };
            self.mask.set(&mut own, offset, length, true)?;
        } else {
            // What memory returns is older than what was found before.
            self.mask.fill(&mut own);
            own.iter_mut().zip(self.mask_words()).for_each(|(word, found)| *word &= !found);
        }
        let has = |at: u64| own[at as usize / 64] >> (at % 64) & 1 != 0;
        if self.mask.is_empty(&own) || !self.test_and_read(address, block, has)? {
            return Ok(false);
        }
        let found = self.accesses.mask as usize;
        for (word, own) in own.iter().enumerate().take(self.mask.bit_words()) {
            self.words.words[found + word] |= own;
        }
        Ok(true)
    }

    /// The name of the `MessageSize` of a message, if it has one.
    fn size_name(&self, message: u64) -> Option<&str> {
        let types = &self.program.types;
        let field = types[self.words.type_of(message)].fields.get("MessageSize")?;
        let TypeKind::Enumeration { values, .. } = &types[field.of].kind else { return None };
        let value = self.words.words[message as usize + usize::from(field.offset)];
        values.get(value as usize).map(|name| &**name)
    }

    /// Carries out a function of the library for functional accesses, whose arguments begin with these.
    pub(super) fn functional(
        &mut self,
        function: LibraryFunction,
        [address, block, mask]: [u64; 3],
    ) -> Result<u64, Trap> {
        use LibraryFunction::*;
        let is_done = match function {
            TestAndRead => self.test_and_read(address, block, |_| true)?,
            TestAndReadMask => {
                let words = mask as usize..mask as usize + self.mask.bit_words();
                let own = self.words.words[words].to_vec();
                self.test_and_read(address, block, |at| {
                    own[at as usize / 64] >> (at % 64) & 1 != 0
                })?
            }
            TestAndWrite => self.test_and_write(address, block)?,
            FunctionalMemoryRead => self.read_memory()?,
            _ => self.write_memory()?,
        };
        Ok(u64::from(is_done))
    }

    fn packet(&self) -> Result<Packet, Trap> {
        self.accesses
            .packet
            .ok_or(Trap::Unsupported("a functional access that the protocol makes itself"))
    }

    /// Copies those bytes of the packet from a block that `has` says are valid, if the block is that of the packet's line. Returns
    /// whether a byte was copied.
    fn test_and_read(
        &mut self,
        address: u64,
        block: u64,
        has: impl Fn(u64) -> bool,
    ) -> Result<bool, Trap> {
        let mut packet = self.packet()?;
        let Bytes { address: first, size } = packet.bytes;
        let line = self.line_of(first);
        if self.line_of(address) != line {
            return Ok(false);
        }
        let words = &self.words.words[block as usize..block as usize + self.block_words];
        let mut was_read = false;
        for at in (0..u64::from(size)).filter(|at| has(first - line + at)) {
            let byte = block::byte(words, first - line + at)?;
            packet.value = packet.value & !(0xff << (8 * at)) | u64::from(byte) << (8 * at);
            was_read = true;
        }
        self.accesses.packet = Some(packet);
        Ok(was_read)
    }

    /// Copies the bytes of the packet to a block, if it is that of the packet's line. Returns whether it is.
    fn test_and_write(&mut self, address: u64, block: u64) -> Result<bool, Trap> {
        let Packet { bytes, value } = self.packet()?;
        let line = self.line_of(bytes.address);
        if self.line_of(address) != line {
            return Ok(false);
        }
        let words = &mut self.words.words[block as usize..block as usize + self.block_words];
        block::write(words, bytes.address - line, u64::from(bytes.size), value)?;
        Ok(true)
    }

    /// Fails if the current controller is not connected to memory.
    fn has_memory(&self) -> Result<(), Trap> {
        let controller = &self.controllers[self.current];
        if controller.requests_to_memory.or(controller.responses_from_memory).is_some() {
            return Ok(());
        }
        Err(Trap::Other("a functional access to memory by a machine that is not connected to it"))
    }

    /// Reads memory, but first the requests to it of the current controller.
    fn read_memory(&mut self) -> Result<bool, Trap> {
        let packet = self.packet()?;
        self.has_memory()?;
        if let Some(requests) = self.controllers[self.current].requests_to_memory {
            let messages: Vec<u64> = self.buffers[requests as usize].messages(u64::MAX).collect();
            for message in messages {
                if self.ask_message(self.current, message, false, Asked::Read)? {
                    return Ok(true);
                }
            }
        }
        let offset = packet.bytes.address - self.line_of(packet.bytes.address);
        let mut value = 0;
        // A line that was never accessed is zero.
        if let Some(block) = self.memory.peek(packet.bytes.address) {
            for at in 0..u64::from(packet.bytes.size) {
                value |= u64::from(block::byte(block, offset + at)?) << (8 * at);
            }
        }
        self.accesses.packet = Some(Packet { value, ..packet });
        Ok(true)
    }

    /// Writes memory, and the responses of the current controller's reads that DRAM has not answered yet.
    fn write_memory(&mut self) -> Result<bool, Trap> {
        let Packet { bytes, value } = self.packet()?;
        self.has_memory()?;
        let line = self.line_of(bytes.address);
        let mut block = vec![0; self.block_words];
        block::write(&mut block, bytes.address - line, u64::from(bytes.size), value)?;
        self.memory.poke(bytes.address, u64::from(bytes.size), &block)?;
        if let Some(responses) = self.controllers[self.current].responses_from_memory {
            let messages: Vec<u64> = self.buffers[responses as usize].messages(u64::MAX).collect();
            for message in messages {
                self.ask_message(self.current, message, true, Asked::Write)?;
            }
        }
        Ok(true)
    }

    /// The words of the mask of the bytes that were found.
    fn mask_words(&self) -> &[u64] {
        let at = self.accesses.mask as usize;
        &self.words.words[at..at + self.mask.words()]
    }

    fn mask_is_full(&self) -> bool {
        self.mask.is_full(self.mask_words())
    }

    fn clear_mask(&mut self) {
        if self.accesses.mask == 0 {
            self.accesses.mask = self.words.reserve(&vec![0; self.mask.words()]);
        }
        let at = self.accesses.mask as usize;
        self.words.words[at..at + self.mask.words()].fill(0);
    }

    /// The mask as gem5 prints it: a digit for each byte.
    fn mask_text(&self) -> String {
        let words = self.mask_words();
        let bytes = 0..self.block_words * 8;
        bytes.map(|at| if words[at / 64] >> (at % 64) & 1 != 0 { '1' } else { '0' }).collect()
    }
}
