//! The implementation of the library: the functions that protocols may call, as `slicc::library` lists them.
//!
//! Arguments are words from an address on: values of scalars, addresses of what is wider, numbers of library objects.
//! The object of a method comes first. A scalar result replaces the first argument; a wide one goes to the address
//! behind the arguments.
//!
//! # Absent, full, double and out of range
//!
//! What a container does when it is used wrongly is what gem5 v24.0.0.1 does in a build with assertions (`gem5.opt`,
//! `gem5.debug`). Where gem5 asserts, panics or throws, the run ends in a fault that names it. What gem5 accepts is
//! accepted. Where that is evidently a mistake (an entry is used that nobody has allocated) it is also a
//! [`Warning`](super::Warning), with the place and how to get there; with
//! [`Options::strict`](crate::config::Options::strict) it is a fault instead. Where C++ leaves open what happens (memory
//! behind an array is read or written) the run ends in a fault, too, unless the table says something else.
//! `tests/library.rs` has a test for each row.
//!
//! | use | gem5 | here |
//! |---|---|---|
//! | **Set** (64 bits, the build's maximum) | | |
//! | `add`, `remove`, `isElement` of an element not below the set's size | accepted: the size is not looked at | accepted |
//! | the same of element 64 or above | `std::bitset` throws | fault |
//! | `setSize` above 64 | fatal | fault |
//! | `addSet`, `removeSet`, `isEqual`, `isSuperset` of sets of different sizes | assert | fault |
//! | `intersectionIsEmpty` of sets of different sizes | accepted | accepted |
//! | `smallestElement` without an element below the size | panic | fault |
//! | **NetDest** | | |
//! | `add` of a machine that does not exist | assert | fault |
//! | `remove`, `isElement` of one | accepted: it is not in it | accepted |
//! | the same of number 64 or above, or of no machine type | throws, assert | fault |
//! | `smallestElement` of an empty one | assert, panic | fault |
//! | `setNetDest` with a Set that is not of the type's size | accepted, but an assertion fails as soon as it meets another NetDest, at the latest in the network | fault at once, unless the set is empty |
//! | **CacheMemory** | | |
//! | any address that is not a line's, but for `setMRU` | assert | fault |
//! | `lookup`, `isTagPresent` of an absent line | null, false | the same |
//! | `allocate` of a present line, or in a full set | assert | fault |
//! | `deallocate` of an absent line | assert | fault |
//! | `cacheProbe` in a set that has room | assert | fault |
//! | `setMRU` of an absent line | nothing | nothing |
//! | `setMRU` of a null entry | assert | fault |
//! | `getAddressAtIdx` of a free way, or one that is Invalid or NotPresent | 0 | 0 |
//! | `getAddressAtIdx` out of range | assert | fault |
//! | an entry that is NotPresent | is not found, and its way is free | the same |
//! | `allocate` over such an entry | `warn_once`, the old entry is lost (and a lookup of its line finds the new one) | warning; the old line is absent |
//! | **PerfectCacheMemory** | | |
//! | `lookup` of an absent line | makes an entry; later versions return null | makes an entry; warning |
//! | `allocate` of a present line | replaces the content | replaces the content; warning |
//! | `deallocate` of an absent line | assert | fault |
//! | an address that is not a line's | that of its line | that of its line |
//! | **TBETable** | | |
//! | `lookup` of an absent line or of no line | null | null |
//! | `allocate` of a present line, or in a full table | assert | fault |
//! | `deallocate` of an absent line | assert | fault |
//! | `isPresent`, `allocate`, `deallocate` of no line | assert | fault |
//! | **DirectoryMemory** | | |
//! | anything but `isPresent` of an address of another directory | assert | fault |
//! | `allocate` of a present line, `deallocate` of an absent one | assert | fault |
//! | `lookup` of an absent line | null | null |
//! | **TimerTable** | | |
//! | `set` of a line that is set, `unset` of one that is not, either of no line | assert | fault |
//! | `nextAddress` with timers of which none has run out | the earliest | the earliest |
//! | `nextAddress` without timers | assert | fault |
//! | **PersistentTable** | | |
//! | `persistentRequestLock` twice, `persistentRequestUnlock` without it, either by a machine that does not exist | assert | fault |
//! | `findSmallest`, `typeOfSmallest` of a line nobody starves for | assert | fault |
//! | `markEntries` while there are marks | assert | fault |
//! | `markEntries` of a line nobody starves for | nothing | nothing |
//! | any address that is not a line's | assert | fault |
//! | **MessageBuffer** and its ports | | |
//! | `dequeue`, `recycle`, `stall_and_wait` before the head is ready | assert | fault |
//! | a peek into an empty buffer | undefined | fault |
//! | a peek at a head that is not ready | accepted | accepted |
//! | `enqueue` with latency 0 | panic | fault |
//! | `enqueue` in an ordered buffer before the last message | panic (unless this or the last message bypasses) | fault |
//! | the head of an ordered buffer delayed (`block_on`) so that it arrives before the last message | panic | fault |
//! | `enqueue` in a full buffer | assert | fault |
//! | `enqueueDeferredMessages` where nothing is deferred | assert | fault |
//! | `getSize` | the size at the first call in this tick | the same |
//! | `stall_and_wait` with no line's address | assert | fault |
//! | **WireBuffer** | | |
//! | a message with a shorter latency than one that is there | the heap is no longer one: the order is an accident | by tick of arrival |
//! | **Controller** | | |
//! | `stall_and_wait` from a port whose rank is not below the number of in_ports | assert | fault |
//! | `wakeUpBuffers` from a port whose rank is above that number, with something stalled on the line | reads behind an array | warning; the lower ranks are woken |
//! | any other use of such a port | accepted | accepted; `rubric protocol check` warns |
//! | a line woken in a buffer in which two ranks have stalled it | assert (`reanalyzeMessages`) | fault |
//! | `wakeUpBuffers` and so on of a line on which nothing is stalled | nothing | nothing |
//! | `unblock` of a line that is not blocked, `blockOnQueue` twice | accepted | accepted |
//! | `mapAddressToMachine` of an address that belongs to nobody | a machine that does not exist | the same |
//! | `profileMsgDelay` of a network that there is not | assert | accepted |
//! | **Sequencer** | | |
//! | a callback for a line without a request, or of the wrong kind | assert | fault |
//! | `evictionCallback`, `invalidateSC`, `llscCheckMonitor` of an absent line | accepted | accepted |
//! | **DataBlock**, **WriteMask** | | |
//! | `setMask`, `getMask`, `test` out of range | assert | fault |
//! | `firstBitSet`, `count` from behind the end | the size, 0 | the same |
//! | `copyPartial` out of range | writes behind the block | fault |

use slicc::compile::code::control;
use slicc::compile::types::{MOST_TOKENS, UNSET_ADDRESS};
use slicc::library::LibraryFunction;

use super::System;
use super::fault::Trap;
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
    pub(super) fn library(&mut self, function: LibraryFunction, at: usize) -> Result<(), Trap> {
        use LibraryFunction::*;
        let a = self.words.words[at];
        let b = self.words.words[at + 1];
        let result = match function {
            InReady => u64::from(self.is_ready(a as u32)),
            InDequeue => self.dequeue(a)?,
            CacheProbe => {
                let line = self.line(b)?;
                self.caches[a as usize].cache_probe(line)?
            }
            CacheAllocate => self.cache_allocate(a, b, self.words.words[at + 2])?,
            CacheDeallocate => {
                let line = self.line(b)?;
                let entry = self.caches[a as usize].deallocate(line)?;
                *self.words.mark(entry) = 0;
                self.words.release(entry);
                0
            }
            // That of an entry has been changed already.
            ChangePermission => return Err(Trap::Null),
            TableAllocate => self.table_allocate(a, b)?,
            TableDeallocate => {
                let line = self.line(b)?;
                self.table_deallocate(a, line)?
            }
            PerfectLookup => self.perfect_lookup(a, b)?,
            PerfectAllocate => self.perfect_allocate(a, b)?,
            PerfectDeallocate => {
                let line = self.line_of(b);
                self.table_deallocate(a, line)?
            }
            TableSlots => u64::from(self.tables[a as usize].slots_available(b as usize)),
            Later => self.now.saturating_add(a),
            MapToMachine => self.home(a, b)?,
            _ => return self.uncommon(function, at),
        };
        self.words.words[at] = result;
        Ok(())
    }

    /// Carries out the functions whose speed does not matter: a new function gets an arm here.
    fn uncommon(&mut self, function: LibraryFunction, at: usize) -> Result<(), Trap> {
        use LibraryFunction::*;
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
            MaskClear => self.done(|it| shape.clear(&mut it.words.words[mask])),
            MaskFill => self.done(|it| shape.fill(&mut it.words.words[mask])),
            MaskSet => self.tried(|it| shape.set(&mut it.words.words[mask], b, c, true))?,
            MaskSetTo => self.tried(|it| shape.set(&mut it.words.words[mask], b, c, d != 0))?,
            MaskGet => u64::from(shape.get(&self.words.words[mask], b, c)?),
            MaskTest => u64::from(shape.test(&self.words.words[mask], b)?),
            MaskIsEmpty => u64::from(shape.is_empty(&self.words.words[mask])),
            MaskIsFull => u64::from(shape.is_full(&self.words.words[mask])),
            MaskCompare => {
                let other = j..j + shape.bit_words();
                u64::from(self.words.words[i..i + shape.bit_words()] == self.words.words[other])
            }
            MaskOverlaps => u64::from(
                shape.is_overlap(&self.words.words[mask], &self.words.words[j..j + shape.words()]),
            ),
            MaskContains => u64::from(
                shape.contains(&self.words.words[mask], &self.words.words[j..j + shape.words()]),
            ),
            MaskAnd => self.done(|it| shape.and(&mut it.words.words, i, j)),
            MaskOr => self.done(|it| shape.or(&mut it.words.words, i, j)),
            MaskInvert => self.done(|it| shape.set_inverted(&mut it.words.words, i, j)),
            MaskFirst => shape.first_bit_set(&self.words.words[mask], b != 0, 0),
            MaskFirstFrom => shape.first_bit_set(&self.words.words[mask], b != 0, c),
            MaskCount => shape.count(&self.words.words[mask], 0),
            MaskCountFrom => shape.count(&self.words.words[mask], b),

            BlockClear => self.done(|it| it.words.words[i..i + block].fill(0)),
            BlockCopyRange => {
                self.tried(|it| block::copy_partial(&mut it.words.words, i, j, block, c, d))?
            }
            BlockCopy => self.done(|it| it.words.words.copy_within(j..j + block, i)),
            BlockCopyMasked => {
                self.done(|it| block::copy_masked(&mut it.words.words, i, j, block, c as usize))
            }

            SetSize => self.tried(|it| set::set_size(&mut it.words.words[own], b))?,
            SetAdd => self.tried(|it| set::add(&mut it.words.words[own], b))?,
            SetRemove => self.tried(|it| set::remove(&mut it.words.words[own], b))?,
            SetClear => self.done(|it| set::clear(&mut it.words.words[own])),
            SetBroadcast => self.done(|it| set::broadcast(&mut it.words.words[own])),
            SetHas => u64::from(set::is_element(&self.words.words[own], b)?),
            SetSmallest => set::smallest(&self.words.words[own])?,
            SetAddSet => {
                self.check_sizes(i, j)?;
                self.done(|it| union::add(&mut it.words.words, i + 1, j + 1, 1))
            }
            SetRemoveSet => {
                self.check_sizes(i, j)?;
                self.done(|it| union::remove(&mut it.words.words, i + 1, j + 1, 1))
            }
            SetCount => union::count(&self.words.words[i + 1..i + 2]),
            SetIsEmpty => u64::from(self.words.words[i + 1] == 0),
            SetEqual => {
                self.check_sizes(i, j)?;
                u64::from(self.words.words[i + 1] == self.words.words[j + 1])
            }
            SetSuperset => {
                self.check_sizes(i, j)?;
                u64::from(union::is_superset(
                    &self.words.words[i + 1..i + 2],
                    &self.words.words[j + 1..j + 2],
                ))
            }
            SetDisjoint => u64::from(self.words.words[i + 1] & self.words.words[j + 1] == 0),

            DestAdd => self.tried(|it| it.machines.add(&mut it.words.words[dest], b))?,
            DestRemove => self.tried(|it| it.machines.remove(&mut it.words.words[dest], b))?,
            DestAddAll => self.done(|it| union::add(&mut it.words.words, i, j, words)),
            DestRemoveAll => self.done(|it| union::remove(&mut it.words.words, i, j, words)),
            DestAssign => {
                let from = [self.words.words[c as usize], self.words.words[c as usize + 1]];
                self.tried(|it| it.machines.set_net_dest(&mut it.words.words[dest], b, &from))?
            }
            DestBroadcast => self.done(|it| it.machines.broadcast(&mut it.words.words[dest])),
            DestBroadcastType => {
                self.done(|it| it.machines.broadcast_type(&mut it.words.words[dest], b))
            }
            DestClear => self.done(|it| it.words.words[dest].fill(0)),
            DestCount => union::count(&self.words.words[dest]),
            DestHas => u64::from(self.machines.is_element(&self.words.words[dest], b)?),
            DestSuperset => u64::from(union::is_superset(
                &self.words.words[dest],
                &self.words.words[j..j + words],
            )),
            DestEqual => u64::from(self.words.words[dest] == self.words.words[j..j + words]),
            DestIsEmpty => u64::from(union::is_empty(&self.words.words[dest])),
            DestDisjoint => u64::from(union::are_disjoint(
                &self.words.words[dest],
                &self.words.words[j..j + words],
            )),
            DestSmallest => self.machines.smallest(&self.words.words[dest])?,
            DestSmallestType => self.machines.smallest_of(&self.words.words[dest], b)?,
            DestOr | DestAnd => {
                let to = c as usize;
                self.words.words.copy_within(dest, to);
                match function {
                    DestOr => self.done(|it| union::add(&mut it.words.words, to, j, words)),
                    _ => self.done(|it| union::intersect(&mut it.words.words, to, j, words)),
                }
            }
            BroadcastTo => {
                let to = j..j + words;
                self.words.words[to.clone()].fill(0);
                self.done(|it| it.machines.broadcast_type(&mut it.words.words[to], a))
            }

            OutDeferred => {
                if !self.buffers[i].has_deferred(b) {
                    return Err(Misuse::NothingDeferred(b).into());
                }
                while let Some(message) = self.buffers[i].take_deferred(b) {
                    self.send(a as u32, message, d, false)?;
                }
                0
            }
            OutDeferredEmpty => u64::from(!self.buffers[i].has_deferred(b)),
            BufferSlots => u64::from(self.buffers[i].slots_available(j, c)),
            BufferSize => self.buffers[i].size_at(self.now) as u64,
            InRecycle => {
                let arrival = self.buffers[i].recycle(b, c)?;
                self.done(|it| it.wheel.schedule(arrival, it.consumers[i]))
            }
            InEmpty => u64::from(self.buffers[i].is_empty()),
            InNoStalls => u64::from(self.buffers[i].stall_map_size() == 0),
            InStalls => self.buffers[i].stall_map_size() as u64,
            InHasStalled => u64::from(self.buffers[i].has_stalled(b)),

            CacheNull => 0,
            CacheTagLatency => self.caches[i].latency(Array::Tag),
            CacheDataLatency => self.caches[i].latency(Array::Data),
            CacheRecord => {
                // Of CacheRequestType, the first two are about data.
                let array = if b < 2 { Array::Data } else { Array::Tag };
                self.done(|it| it.caches[i].record_request(array, c, it.now))
            }
            CacheCheck => {
                let array = if b == 0 { Array::Data } else { Array::Tag };
                u64::from(self.caches[i].check_resource(array, c, self.now))
            }
            CacheSize => self.caches[i].geometry().size,
            CacheBlocks => self.caches[i].blocks() as u64,
            CacheAddressAt => self.caches[i].address_at(b)?,

            DirectoryAllocate => {
                self.directories[i].allocate(b, c)?;
                c
            }
            DirectoryLookup => self.directories[i].lookup(b)?,
            DirectoryDeallocate => {
                let entry = self.directories[i].deallocate(b)?;
                self.done(|it| it.words.release(entry))
            }
            DirectoryPresent => u64::from(self.directories[i].is_present(b)),

            ReadDone | WriteDone | WriteUniqueDone | AtomicDone | ConditionalFailed => {
                self.callback(function, a, b, c)?;
                0
            }
            MonitorCheck => {
                let monitor =
                    self.monitors[i].and_then(|cache| self.caches[cache as usize].monitor(b));
                u64::from(self.sequencers[i].holds(monitor))
            }
            MonitorClear => self.done(|it| {
                if let Some(cache) = it.monitors[i] {
                    it.caches[cache as usize].clear_monitors_of(a as u32);
                }
            }),
            MonitorClearLine => self.done(|it| {
                if let Some(cache) = it.monitors[i] {
                    it.caches[cache as usize].clear_monitor(b);
                }
            }),
            Evicted => self.done(|it| it.evicted(i, b)),
            SequencerCheck => 1,

            TimerReady => u64::from(self.timers[i].is_ready(b)),
            TimerNext => self.timers[i].next_address()?,
            TimerSet => {
                let line = self.line(b)?;
                self.timers[i].set(line, c)?;
                self.done(|it| it.wheel.schedule(c, it.timer_owners[i]))
            }
            TimerUnset => {
                let line = self.line(b)?;
                self.tried(|it| it.timers[i].unset(line))?
            }
            TimerIsSet => u64::from(self.timers[i].is_set(b)),

            PersistentLock
            | PersistentUnlock
            | PersistentMayIssue
            | PersistentSmallest
            | PersistentTypeOfSmallest
            | PersistentMark
            | PersistentLocked
            | PersistentStarving
            | PersistentReadStarving => self.persistent(function, i, [b, c, d])?,

            Zero | Nothing => 0,
            Identity => a,
            MaxTokens => MOST_TOKENS,
            LineAddress => self.set_address(a)? & !(block as u64 * 8 - 1),
            LineOffset => self.set_address(a)? & (block as u64 * 8 - 1),
            AddressOffset => self.set_address(a)?.wrapping_sub(b),
            Modulo => {
                (a as i64).checked_rem(b as i64).ok_or(Trap::Other("a division by zero"))? as u64
            }
            BitSelect => bits(self.set_address(a)?, b, c),
            MaskLowBits => match 1_u64.checked_shl(b as u32) {
                Some(bit) => self.set_address(a)? & !(bit - 1),
                None => 0,
            },
            NextStride => self.set_address(a)?.wrapping_add((block as u64 * 8).wrapping_mul(b)),

            MapToRange => b << 32 | bits_of_range(self.set_address(a)?, c, d),
            MapToCluster => {
                let cluster = arguments[4];
                let shift = 1_u64.checked_shl(d as u32).unwrap_or(0);
                b << 32
                    | (bits_of_range(self.set_address(a)?, c, d) + cluster * shift) & 0xFFFF_FFFF
            }
            MachineCount => self.machines.count(a),
            MachineNumber => a & 0xFFFF_FFFF,
            MachineKind => a >> 32,
            MachineMake => a << 32 | b & 0xFFFF_FFFF,

            IsWrite => u64::from(
                a == request::ST
                    || request::ATOMICS.contains(&a)
                    || request::WRITES.contains(&a)
                    || a == request::FLUSH,
            ),
            IsDataRead => u64::from(a == request::LD || a == request::LOAD_LINKED),
            IsRead => u64::from([request::LD, request::LOAD_LINKED, request::IFETCH].contains(&a)),
            IsHtm => u64::from(request::HTM.contains(&a)),
            IsTlbi => u64::from(request::TLBI.contains(&a)),

            StallPort => self.done(System::wake_next_cycle),
            WakeLine => {
                self.wake_lower(a)?;
                0
            }
            WakeAll => self.done(System::wake_everything),
            WakeAllOfLine => {
                self.wake_every_rank(a)?;
                0
            }
            PopMemory => match self.controllers[self.current].responses_from_memory {
                Some(buffer) => self.dequeue(u64::from(buffer))?,
                None => {
                    return Err(Trap::Other(
                        "a machine without the buffer responseFromMemory took a response from it",
                    ));
                }
            },
            BlockOnQueue => self.done(|it| it.block(it.current, a, b as u32)),
            Unblock => self.done(|it| it.unblock(it.current, a)),
            Functional => return Err(Trap::Unsupported("a functional access")),
            DmaAck | DmaData => {
                return Err(Trap::Unsupported("a DMA device"));
            }

            // The compiler has made instructions of some functions, and the callers carry out others.
            _ => return Err(Trap::Unsupported("this function of the library")),
        };
        self.words.words[at] = result;
        Ok(())
    }

    /// A function of a table of persistent requests; the arguments behind the table, of which the first is a line.
    fn persistent(
        &mut self,
        function: LibraryFunction,
        table: usize,
        [line, machine, kind]: [u64; 3],
    ) -> Result<u64, Trap> {
        use LibraryFunction::*;
        let line = self.line(line)?;
        if matches!(function, PersistentLock | PersistentUnlock) {
            // The starving are a NetDest: there have to be such machines.
            self.machines.check(machine)?;
        }
        let table = &mut self.persistents[table];
        Ok(match function {
            PersistentLock => table.lock(line, machine, kind != 0).map(|()| 0)?,
            PersistentUnlock => table.unlock(line, machine).map(|()| 0)?,
            PersistentMayIssue => u64::from(table.ok_to_issue_starving(line, machine)),
            PersistentSmallest => table.find_smallest(line)?,
            PersistentTypeOfSmallest => u64::from(table.smallest_writes(line)?),
            PersistentMark => table.mark_entries(line).map(|()| 0)?,
            PersistentLocked => u64::from(table.is_locked(line)),
            PersistentStarving => table.count_starving(line),
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
            self.wheel.schedule(self.now + 1, self.consumers[buffer as usize]);
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
            UNSET_ADDRESS => Err(Trap::Other("an unset address was used")),
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
            self.wheel.schedule(self.now + 1, self.consumers[mandatory as usize]);
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
