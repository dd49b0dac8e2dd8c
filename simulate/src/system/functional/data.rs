//! The data of functional accesses: messages and memory, which have or take the bytes of the packet.

use slicc::compile::types::TypeKind;
use slicc::library::FunctionalFunction;

use super::{Asked, Packet};
use crate::program::Bytes;
use crate::ruby::block;
use crate::system::System;
use crate::system::fault::Trap;
use crate::system::messages::MEMORY_READ;

impl System {
    /// Asks the messages in the buffers of a controller. Returns whether one of them has data of the line; a read of one whole
    /// copy ends with the first. Stalled messages come after the others; gem5 leaves out deferred ones.
    pub(super) fn ask_buffers(&mut self, number: usize, asked: Asked) -> Result<bool, Trap> {
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
    pub(in crate::system) fn functional(
        &mut self,
        function: FunctionalFunction,
        [address, block, mask]: [u64; 3],
    ) -> Result<u64, Trap> {
        use FunctionalFunction::*;
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
            FunctionalMemoryWrite => self.write_memory()?,
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
}
