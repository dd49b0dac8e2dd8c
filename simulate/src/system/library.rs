//! The functions of the library, carried out (SLICC.md, section 16).
//!
//! Arguments are words from an address on: values of scalars, addresses of what is wider, numbers of library objects.
//! The object of a method comes first. A scalar result replaces the first argument; a wide one goes to the address
//! behind the arguments.

use super::System;
use super::fault::Trap;
use crate::compile::code::control;
use crate::compile::types::{MOST_TOKENS, UNSET_ADDRESS};
use crate::library::Builtin;
use crate::ruby::cache::Array;
use crate::ruby::sets::{bits as union, set};
use crate::ruby::{Misuse, block};

/// Numbers of `RubyRequestType` that matter here.
mod request {
    pub const LD: u64 = 0;
    pub const ST: u64 = 1;
    pub const ATOMICS: std::ops::RangeInclusive<u64> = 2..=4;
    pub const IFETCH: u64 = 5;
    pub const LOAD_LINKED: u64 = 8;
    pub const WRITES: std::ops::RangeInclusive<u64> = 9..=13;
    pub const FLUSH: u64 = 16;
    pub const HTM: std::ops::RangeInclusive<u64> = 21..=24;
    pub const TLBI: std::ops::RangeInclusive<u64> = 25..=28;
}

impl System {
    /// Carries out a function of the library that does more than look something up (`fast` has the others); its
    /// arguments begin at `at`.
    pub(super) fn library(&mut self, function: Builtin, at: usize) -> Result<(), Trap> {
        let a = self.words.words[at];
        let b = self.words.words[at + 1];
        let result = match function {
            Builtin::InReady => u64::from(self.is_ready(a as u32)),
            Builtin::InDequeue => self.dequeue(a)?,
            Builtin::CacheProbe => {
                let line = self.line(b)?;
                self.caches[a as usize].cache_probe(line)?
            }
            Builtin::CacheAllocate => self.cache_allocate(a, b, self.words.words[at + 2])?,
            Builtin::CacheDeallocate => {
                let line = self.line(b)?;
                let entry = self.caches[a as usize].deallocate(line)?;
                *self.words.mark(entry) = 0;
                self.words.release(entry);
                0
            }
            // That of an entry has been changed already.
            Builtin::ChangePermission => return Err(Trap::Null),
            Builtin::TableAllocate => self.table_allocate(a, b)?,
            Builtin::TableDeallocate => {
                let line = self.line(b)?;
                self.table_deallocate(a, line)?
            }
            Builtin::PerfectLookup => self.perfect_lookup(a, b)?,
            Builtin::PerfectAllocate => self.perfect_allocate(a, b)?,
            Builtin::PerfectDeallocate => {
                let line = self.line_of(b);
                self.table_deallocate(a, line)?
            }
            Builtin::TableSlots => u64::from(self.tables[a as usize].slots_available(b as usize)),
            Builtin::Later => self.now.saturating_add(a),
            Builtin::MapToMachine => self.home(a, b)?,
            _ => return self.rarer(function, at),
        };
        self.words.words[at] = result;
        Ok(())
    }

    /// The functions that matter less for speed.
    fn rarer(&mut self, function: Builtin, at: usize) -> Result<(), Trap> {
        let arguments: [u64; 5] = std::array::from_fn(|index| self.words.words[at + index]);
        let [a, b, c, d, _] = arguments;
        let (i, j) = (a as usize, b as usize);
        let block = self.block_words;
        // Where the first argument is an address; where it is something else these are not used.
        let own = i..i.wrapping_add(2);
        let words = self.machines.words();
        let dest = i..i.wrapping_add(words);
        let mask = i..i.wrapping_add(self.mask.words());
        let shape = self.mask;
        let result = match function {
            Builtin::MaskClear => self.done(|system| shape.clear(&mut system.words.words[mask])),
            Builtin::MaskFill => self.done(|system| shape.fill(&mut system.words.words[mask])),
            Builtin::MaskSet => {
                self.tried(|system| shape.set(&mut system.words.words[mask], b, c, true))?
            }
            Builtin::MaskSetTo => {
                self.tried(|system| shape.set(&mut system.words.words[mask], b, c, d != 0))?
            }
            Builtin::MaskGet => u64::from(shape.get(&self.words.words[mask], b, c)?),
            Builtin::MaskTest => u64::from(shape.test(&self.words.words[mask], b)?),
            Builtin::MaskIsEmpty => u64::from(shape.is_empty(&self.words.words[mask])),
            Builtin::MaskIsFull => u64::from(shape.is_full(&self.words.words[mask])),
            Builtin::MaskCompare => {
                let other = j..j + shape.bit_words();
                u64::from(self.words.words[i..i + shape.bit_words()] == self.words.words[other])
            }
            Builtin::MaskOverlaps => u64::from(shape.is_overlap(
                &self.words.words[mask],
                &self.words.words[j..j + shape.words()],
            )),
            Builtin::MaskContains => u64::from(shape.contains(
                &self.words.words[mask],
                &self.words.words[j..j + shape.words()],
            )),
            Builtin::MaskAnd => self.done(|system| shape.and(&mut system.words.words, i, j)),
            Builtin::MaskOr => self.done(|system| shape.or(&mut system.words.words, i, j)),
            Builtin::MaskInvert => {
                self.done(|system| shape.set_inverted(&mut system.words.words, i, j))
            }
            Builtin::MaskFirst => shape.first_bit_set(&self.words.words[mask], b != 0, 0),
            Builtin::MaskFirstFrom => shape.first_bit_set(&self.words.words[mask], b != 0, c),
            Builtin::MaskCount => shape.count(&self.words.words[mask], 0),
            Builtin::MaskCountFrom => shape.count(&self.words.words[mask], b),

            Builtin::BlockClear => self.done(|system| system.words.words[i..i + block].fill(0)),
            Builtin::BlockCopyRange => self
                .tried(|system| block::copy_partial(&mut system.words.words, i, j, block, c, d))?,
            Builtin::BlockCopy => {
                self.done(|system| system.words.words.copy_within(j..j + block, i))
            }
            Builtin::BlockCopyMasked => self.done(|system| {
                block::copy_masked(&mut system.words.words, i, j, block, c as usize)
            }),

            Builtin::SetSize => {
                self.tried(|system| set::set_size(&mut system.words.words[own], b))?
            }
            Builtin::SetAdd => self.tried(|system| set::add(&mut system.words.words[own], b))?,
            Builtin::SetRemove => {
                self.tried(|system| set::remove(&mut system.words.words[own], b))?
            }
            Builtin::SetClear => self.done(|system| set::clear(&mut system.words.words[own])),
            Builtin::SetBroadcast => {
                self.done(|system| set::broadcast(&mut system.words.words[own]))
            }
            Builtin::SetHas => u64::from(set::is_element(&self.words.words[own], b)?),
            Builtin::SetSmallest => set::smallest(&self.words.words[own])?,
            Builtin::SetAddSet => {
                self.check_sizes(i, j)?;
                self.done(|system| union::add(&mut system.words.words, i + 1, j + 1, 1))
            }
            Builtin::SetRemoveSet => {
                self.check_sizes(i, j)?;
                self.done(|system| union::remove(&mut system.words.words, i + 1, j + 1, 1))
            }
            Builtin::SetCount => union::count(&self.words.words[i + 1..i + 2]),
            Builtin::SetIsEmpty => u64::from(self.words.words[i + 1] == 0),
            Builtin::SetEqual => {
                self.check_sizes(i, j)?;
                u64::from(self.words.words[i + 1] == self.words.words[j + 1])
            }
            Builtin::SetSuperset => {
                self.check_sizes(i, j)?;
                u64::from(union::is_superset(
                    &self.words.words[i + 1..i + 2],
                    &self.words.words[j + 1..j + 2],
                ))
            }
            Builtin::SetDisjoint => {
                u64::from(self.words.words[i + 1] & self.words.words[j + 1] == 0)
            }

            Builtin::DestAdd => {
                self.tried(|system| system.machines.add(&mut system.words.words[dest], b))?
            }
            Builtin::DestRemove => {
                self.tried(|system| system.machines.remove(&mut system.words.words[dest], b))?
            }
            Builtin::DestAddAll => {
                self.done(|system| union::add(&mut system.words.words, i, j, words))
            }
            Builtin::DestRemoveAll => {
                self.done(|system| union::remove(&mut system.words.words, i, j, words))
            }
            Builtin::DestAssign => {
                let from = [
                    self.words.words[c as usize],
                    self.words.words[c as usize + 1],
                ];
                self.tried(|system| {
                    system
                        .machines
                        .set_net_dest(&mut system.words.words[dest], b, &from)
                })?
            }
            Builtin::DestBroadcast => {
                self.done(|system| system.machines.broadcast(&mut system.words.words[dest]))
            }
            Builtin::DestBroadcastType => self.done(|system| {
                system
                    .machines
                    .broadcast_type(&mut system.words.words[dest], b)
            }),
            Builtin::DestClear => self.done(|system| system.words.words[dest].fill(0)),
            Builtin::DestCount => union::count(&self.words.words[dest]),
            Builtin::DestHas => u64::from(self.machines.is_element(&self.words.words[dest], b)?),
            Builtin::DestSuperset => u64::from(union::is_superset(
                &self.words.words[dest],
                &self.words.words[j..j + words],
            )),
            Builtin::DestEqual => {
                u64::from(self.words.words[dest] == self.words.words[j..j + words])
            }
            Builtin::DestIsEmpty => u64::from(union::is_empty(&self.words.words[dest])),
            Builtin::DestDisjoint => u64::from(union::are_disjoint(
                &self.words.words[dest],
                &self.words.words[j..j + words],
            )),
            Builtin::DestSmallest => self.machines.smallest(&self.words.words[dest])?,
            Builtin::DestSmallestType => self.machines.smallest_of(&self.words.words[dest], b)?,
            Builtin::DestOr | Builtin::DestAnd => {
                let to = c as usize;
                self.words.words.copy_within(dest, to);
                match function {
                    Builtin::DestOr => {
                        self.done(|system| union::add(&mut system.words.words, to, j, words))
                    }
                    _ => {
                        self.done(|system| union::intersect(&mut system.words.words, to, j, words))
                    }
                }
            }
            Builtin::BroadcastTo => {
                let to = j..j + words;
                self.words.words[to.clone()].fill(0);
                self.done(|system| {
                    system
                        .machines
                        .broadcast_type(&mut system.words.words[to], a)
                })
            }

            Builtin::OutDeferred => {
                if !self.buffers[i].has_deferred(b) {
                    return Err(Misuse::NothingDeferred(b).into());
                }
                while let Some(message) = self.buffers[i].take_deferred(b) {
                    self.send(a as u32, message, d, false)?;
                }
                0
            }
            Builtin::OutDeferredEmpty => u64::from(!self.buffers[i].has_deferred(b)),
            Builtin::BufferSlots => u64::from(self.buffers[i].slots_available(j, c)),
            Builtin::BufferSize => self.buffers[i].size_at(self.now) as u64,
            Builtin::InRecycle => {
                let arrival = self.buffers[i].recycle(b, c)?;
                self.done(|system| system.wheel.schedule(arrival, system.consumers[i]))
            }
            Builtin::InEmpty => u64::from(self.buffers[i].is_empty()),
            Builtin::InNoStalls => u64::from(self.buffers[i].stall_map_size() == 0),
            Builtin::InStalls => self.buffers[i].stall_map_size() as u64,
            Builtin::InHasStalled => u64::from(self.buffers[i].has_stalled(b)),

            Builtin::CacheNull => 0,
            Builtin::CacheTagLatency => self.caches[i].latency(Array::Tag),
            Builtin::CacheDataLatency => self.caches[i].latency(Array::Data),
            Builtin::CacheRecord => {
                // Of CacheRequestType, the first two are about data.
                let array = if b < 2 { Array::Data } else { Array::Tag };
                self.done(|system| system.caches[i].record_request(array, c, system.now))
            }
            Builtin::CacheCheck => {
                let array = if b == 0 { Array::Data } else { Array::Tag };
                u64::from(self.caches[i].check_resource(array, c, self.now))
            }
            Builtin::CacheSize => self.caches[i].geometry().size,
            Builtin::CacheBlocks => self.caches[i].blocks() as u64,
            Builtin::CacheAddressAt => self.caches[i].address_at(b)?,

            Builtin::DirectoryAllocate => {
                self.directories[i].allocate(b, c)?;
                c
            }
            Builtin::DirectoryLookup => self.directories[i].lookup(b)?,
            Builtin::DirectoryDeallocate => {
                let entry = self.directories[i].deallocate(b)?;
                self.done(|system| system.words.release(entry))
            }
            Builtin::DirectoryPresent => u64::from(self.directories[i].is_present(b)),

            Builtin::ReadDone
            | Builtin::WriteDone
            | Builtin::WriteUniqueDone
            | Builtin::AtomicDone
            | Builtin::ConditionalFailed => {
                self.callback(function, a, b, c)?;
                0
            }
            Builtin::MonitorCheck => {
                let monitor =
                    self.monitors[i].and_then(|cache| self.caches[cache as usize].monitor(b));
                u64::from(self.sequencers[i].holds(monitor))
            }
            Builtin::MonitorClear => self.done(|system| {
                if let Some(cache) = system.monitors[i] {
                    system.caches[cache as usize].clear_monitors_of(a as u32);
                }
            }),
            Builtin::MonitorClearLine => self.done(|system| {
                if let Some(cache) = system.monitors[i] {
                    system.caches[cache as usize].clear_monitor(b);
                }
            }),
            Builtin::Evicted => self.done(|system| system.evicted(i, b)),
            Builtin::SequencerCheck => 1,

            Builtin::TimerReady => u64::from(self.timers[i].is_ready(b)),
            Builtin::TimerNext => self.timers[i].next_address()?,
            Builtin::TimerSet => {
                let line = self.line(b)?;
                self.timers[i].set(line, c)?;
                self.done(|system| system.wheel.schedule(c, system.timer_owners[i]))
            }
            Builtin::TimerUnset => {
                let line = self.line(b)?;
                self.tried(|system| system.timers[i].unset(line))?
            }
            Builtin::TimerIsSet => u64::from(self.timers[i].is_set(b)),

            Builtin::PersistentLock
            | Builtin::PersistentUnlock
            | Builtin::PersistentMayIssue
            | Builtin::PersistentSmallest
            | Builtin::PersistentTypeOfSmallest
            | Builtin::PersistentMark
            | Builtin::PersistentLocked
            | Builtin::PersistentStarving
            | Builtin::PersistentReadStarving => self.persistent(function, i, [b, c, d])?,

            Builtin::Zero | Builtin::Nothing => 0,
            Builtin::Same => a,
            Builtin::MaxTokens => MOST_TOKENS,
            Builtin::LineAddress => self.set_address(a)? & !(block as u64 * 8 - 1),
            Builtin::LineOffset => self.set_address(a)? & (block as u64 * 8 - 1),
            Builtin::AddressOffset => self.set_address(a)?.wrapping_sub(b),
            Builtin::Modulo => (a as i64)
                .checked_rem(b as i64)
                .ok_or(Trap::Other("a division by zero"))? as u64,
            Builtin::BitSelect => bits(self.set_address(a)?, b, c),
            Builtin::MaskLowBits => match 1_u64.checked_shl(b as u32) {
                Some(bit) => self.set_address(a)? & !(bit - 1),
                None => 0,
            },
            Builtin::NextStride => self
                .set_address(a)?
                .wrapping_add((block as u64 * 8).wrapping_mul(b)),

            Builtin::MapToRange => b << 32 | bits_of_range(self.set_address(a)?, c, d),
            Builtin::MapToCluster => {
                let cluster = arguments[4];
                let shift = 1_u64.checked_shl(d as u32).unwrap_or(0);
                b << 32
                    | (bits_of_range(self.set_address(a)?, c, d) + cluster * shift) & 0xFFFF_FFFF
            }
            Builtin::MachineCount => self.machines.count(a),
            Builtin::MachineNumber => a & 0xFFFF_FFFF,
            Builtin::MachineKind => a >> 32,
            Builtin::MachineMake => a << 32 | b & 0xFFFF_FFFF,

            Builtin::IsWrite => u64::from(
                a == request::ST
                    || request::ATOMICS.contains(&a)
                    || request::WRITES.contains(&a)
                    || a == request::FLUSH,
            ),
            Builtin::IsDataRead => u64::from(a == request::LD || a == request::LOAD_LINKED),
            Builtin::IsRead => {
                u64::from([request::LD, request::LOAD_LINKED, request::IFETCH].contains(&a))
            }
            Builtin::IsHtm => u64::from(request::HTM.contains(&a)),
            Builtin::IsTlbi => u64::from(request::TLBI.contains(&a)),

            Builtin::StallPort => self.done(System::wake_next_cycle),
            Builtin::WakeLine => {
                self.wake_lower(a)?;
                0
            }
            Builtin::WakeAll => self.done(System::wake_everything),
            Builtin::WakeAllOfLine => {
                self.wake_every_rank(a)?;
                0
            }
            Builtin::PopMemory => match self.controllers[self.current].responses_from_memory {
                Some(buffer) => self.dequeue(u64::from(buffer))?,
                None => {
                    return Err(Trap::Other(
                        "a machine without the buffer responseFromMemory took a response from it",
                    ));
                }
            },
            Builtin::BlockOnQueue => self.done(|system| system.block(system.current, a, b as u32)),
            Builtin::Unblock => self.done(|system| system.unblock(system.current, a)),
            Builtin::Functional => return Err(Trap::Unsupported("a functional access")),
            Builtin::DmaAck | Builtin::DmaData => return Err(Trap::Unsupported("a DMA device")),

            // The compiler has made instructions of these, and the others come first.
            _ => return Err(Trap::Other("a function that is no function")),
        };
        self.words.words[at] = result;
        Ok(())
    }

    /// A function of a table of persistent requests; the arguments behind the table, of which the first is a line.
    fn persistent(
        &mut self,
        function: Builtin,
        table: usize,
        [line, machine, kind]: [u64; 3],
    ) -> Result<u64, Trap> {
        let line = self.line(line)?;
        if matches!(
            function,
            Builtin::PersistentLock | Builtin::PersistentUnlock
        ) {
            // The starving are a NetDest: there have to be such machines.
            self.machines.check(machine)?;
        }
        let table = &mut self.persistents[table];
        Ok(match function {
            Builtin::PersistentLock => table.lock(line, machine, kind != 0).map(|()| 0)?,
            Builtin::PersistentUnlock => table.unlock(line, machine).map(|()| 0)?,
            Builtin::PersistentMayIssue => u64::from(table.ok_to_issue_starving(line, machine)),
            Builtin::PersistentSmallest => table.find_smallest(line)?,
            Builtin::PersistentTypeOfSmallest => u64::from(table.smallest_writes(line)?),
            Builtin::PersistentMark => table.mark_entries(line).map(|()| 0)?,
            Builtin::PersistentLocked => u64::from(table.is_locked(line)),
            Builtin::PersistentStarving => table.count_starving(line),
            _ => table.count_read_starving(line),
        })
    }

    /// Checks that the sets at two addresses are of one size.
    fn check_sizes(&self, one: usize, other: usize) -> Result<(), Misuse> {
        let words = &self.words.words;
        set::check_sizes(&words[one..one + 1], &words[other..other + 1])
    }

    fn done(&mut self, what: impl FnOnce(&mut System)) -> u64 {
        what(self);
        0
    }

    fn tried(
        &mut self,
        what: impl FnOnce(&mut System) -> Result<(), Misuse>,
    ) -> Result<u64, Misuse> {
        what(self).map(|()| 0)
    }

    /// Whether the head of a buffer may be taken. If it must wait only because enough were taken in this cycle, its reader
    /// is woken in the next.
    #[inline]
    pub(super) fn is_ready(&mut self, buffer: u32) -> bool {
        let of = &self.buffers[buffer as usize];
        let ready = of.is_ready(self.now);
        if !ready && of.is_throttled(self.now) {
            self.wheel
                .schedule(self.now + 1, self.consumers[buffer as usize]);
        }
        ready
    }

    fn dequeue(&mut self, buffer: u64) -> Result<u64, Trap> {
        let (message, delay) = self.buffers[buffer as usize].dequeue(self.now)?;
        self.words.release(message);
        Ok(delay)
    }

    /// An address that has to be that of a line.
    fn line(&self, address: u64) -> Result<u64, Misuse> {
        match address & (self.block_words as u64 * 8 - 1) {
            0 => Ok(address),
            _ => Err(Misuse::NotALine(address)),
        }
    }

    /// An address that somebody has to have set.
    fn set_address(&self, address: u64) -> Result<u64, Trap> {
        match address {
            UNSET_ADDRESS => Err(Trap::Other("an address was used that nobody has set")),
            _ => Ok(address),
        }
    }

    fn cache_allocate(&mut self, cache: u64, line: u64, entry: u64) -> Result<u64, Trap> {
        if entry == 0 {
            return Err(Trap::Null);
        }
        let line = self.line(line)?;
        let lost = self.caches[cache as usize].allocate(line, entry)?;
        *self.words.mark(entry) = cache + 1;
        if let Some(lost) = lost {
            self.warn(Misuse::LostEntry(lost))?;
        }
        Ok(entry)
    }

    fn table_allocate(&mut self, table: u64, line: u64) -> Result<u64, Trap> {
        let line = self.line(line)?;
        self.new_element(table, line)?;
        Ok(0)
    }

    /// Gives a line a new object of a table, and returns it.
    fn new_element(&mut self, table: u64, line: u64) -> Result<u64, Trap> {
        let of = self.elements[table as usize];
        let object = self.words.allocate(of, &self.program.types[of].initial);
        self.tables[table as usize].allocate(line, object)?;
        Ok(object)
    }

    fn table_deallocate(&mut self, table: u64, line: u64) -> Result<u64, Trap> {
        let object = self.tables[table as usize].deallocate(line)?;
        self.words.release(object);
        Ok(0)
    }

    /// The entry of a line in a table that makes what is missing.
    fn perfect_lookup(&mut self, table: u64, address: u64) -> Result<u64, Trap> {
        let line = self.line_of(self.set_address(address)?);
        let found = self.tables[table as usize].lookup(line);
        if found != 0 {
            return Ok(found);
        }
        self.warn(Misuse::NeverAllocated(line))?;
        self.new_element(table, line)
    }

    /// Gives a line of such a table a new entry. One that it has keeps its address and loses its content.
    fn perfect_allocate(&mut self, table: u64, address: u64) -> Result<u64, Trap> {
        let line = self.line_of(self.set_address(address)?);
        match self.tables[table as usize].lookup(line) as usize {
            0 => self.new_element(table, line)?,
            at => {
                self.warn(Misuse::AllocatedTwice(line))?;
                let initial = &self.program.types[self.elements[table as usize]].initial;
                self.words.words[at..at + initial.len()].copy_from_slice(initial);
                0
            }
        };
        Ok(0)
    }

    /// The line that an address lies in.
    fn line_of(&self, address: u64) -> u64 {
        address & !(self.block_words as u64 * 8 - 1)
    }

    /// The controller of a machine type that an address belongs to.
    fn home(&self, address: u64, kind: u64) -> Result<u64, Trap> {
        let address = self.set_address(address)?;
        let number = match self.homes.get(kind as usize) {
            Some(Some(interleaving)) => interleaving.home(address),
            _ => self.machines.count(kind),
        };
        Ok(kind << 32 | number)
    }

    /// Blocks a line of a controller on a buffer.
    pub(super) fn block(&mut self, controller: usize, line: u64, buffer: u32) {
        let blocked = &mut self.controllers[controller].blocked;
        blocked.retain(|(known, _)| *known != line);
        blocked.push((line, buffer));
    }

    /// Ends the blocking of a line.
    pub(super) fn unblock(&mut self, controller: usize, line: u64) {
        let blocked = &mut self.controllers[controller].blocked;
        blocked.retain(|(known, _)| *known != line);
        if let Some((mandatory, _)) = self.controllers[controller].mandatory {
            self.wheel
                .schedule(self.now + 1, self.consumers[mandatory as usize]);
        }
    }

    /// The address that the running transition is about.
    pub(super) fn current_address(&self) -> u64 {
        let control = self.controllers[self.current].control as usize;
        self.words.words[control + usize::from(control::ADDRESS)]
    }
}

/// Bits `low` to `high` of an address.
fn bits(address: u64, low: u64, high: u64) -> u64 {
    let width = high.saturating_sub(low).saturating_add(1);
    let shifted = address.checked_shr(low as u32).unwrap_or(0);
    match 1_u64.checked_shl(width as u32) {
        Some(bit) if high >= low => shifted & (bit - 1),
        _ if high < low => 0,
        _ => shifted,
    }
}

/// `width` bits of an address from `low` on.
fn bits_of_range(address: u64, low: u64, width: u64) -> u64 {
    match width {
        0 => 0,
        _ => bits(address, low, low + width - 1),
    }
}
