//! Functional accesses, which gem5 makes to caches, memory and buffers at once, whatever controllers are doing: to load a
//! program, in system calls, and where a tester asks for them.
//!
//! A read asks all controllers for the permission that they have for the line. Which copy it takes is decided by the option
//! `partial_func_reads` of the protocol: one whole copy ([`System::read_whole`], gem5's `simpleFunctionalRead`), or bytes from
//! several controllers until the line is complete ([`System::read_parts`], `partialFunctionalRead`). A write changes all copies,
//! and the data of messages and of requests that wait (`functionalWrite`). The protocol's functions do the work, for machines
//! and for messages; they call `testAndRead` and so on (`data`) with the packet that the system holds.
//!
//! gem5 searches the buffers of controllers, and then its network. Here a message is in the buffer of its receiver as soon as
//! it is sent, so the buffers of controllers are all that there is. A read that memory has accepted is in the buffer for its
//! response, but gem5 has no message for it before DRAM has answered: such a response is not there for functional accesses.

mod data;

use std::sync::Arc;

use slicc::compile::code::Function;
use slicc::compile::op::control;
use slicc::compile::types::TypeKind;

use super::System;
use super::fault::{Fault, FaultKind, Trap};
use super::words::STACK;
use crate::program::Bytes;

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
    pub(super) fn new(in_parts: bool, suppresses_errors: bool) -> Accesses {
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
