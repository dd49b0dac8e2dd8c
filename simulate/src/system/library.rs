//! The implementation of the library: the functions that protocols may call, as `slicc::library` lists them. `values`
//! has the methods of masks, blocks, flags and sets, `trackers` those of CHI's queues and slots, `calculations` functions of
//! numbers, and `objects` the rest. `run` carries out the most frequent ones itself, some of them by `frequent`, and calls `library` if one
//! fails.
//!
//! Arguments are consecutive words: the values of scalars, the addresses of wider values, the numbers of library
//! objects. The object of a method comes first. A scalar result replaces the first argument; a wide one is written to
//! the address that follows the arguments.
//!
//! # Incorrect use
//!
//! An object that is used incorrectly behaves as in gem5 v24.0.0.1, built with assertions (`gem5.opt`, `gem5.debug`).
//! Where gem5 asserts, panics or throws, the run ends with a fault that says so. What gem5 accepts is accepted. If it
//! is evidently a mistake, such as the use of an entry that was never allocated, it is also a
//! [`Warning`](super::Warning), with its place and a run that leads there; with
//! [`Options::strict`](crate::config::Options::strict), it is a fault instead. Undefined behaviour of C++, such as
//! access to memory after the end of an array, is a fault as well, unless the table says otherwise.
//! `tests/it/library.rs` has a test for each row.
//!
//! | use | gem5 | here |
//! |---|---|---|
//! | **Set** (64 bits, the build's maximum) | | |
//! | `add`, `remove`, `isElement` of an element not below the set's size | accepted: the size is ignored | accepted |
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
//! | `setNetDest` with a Set of another size | accepted; asserts when it meets another NetDest, or in the network | fault at once, unless empty |
//! | **CacheMemory** | | |
//! | an address that is not a line's, except in `setMRU` | assert | fault |
//! | `lookup`, `isTagPresent` of an absent line | null, false | the same |
//! | `allocate` of a present line, or in a full set | assert | fault |
//! | `deallocate` of an absent line | assert | fault |
//! | `cacheProbe` in a set that has room | assert | fault |
//! | `setMRU` of an absent line | nothing | nothing |
//! | `setMRU` of a null entry | assert | fault |
//! | `getAddressAtIdx` of a free way, or one that is Invalid or NotPresent | 0 | 0 |
//! | `getAddressAtIdx` out of range | assert | fault |
//! | an entry that is NotPresent | is not found, and its way is free | the same |
//! | `allocate` over such an entry | `warn_once`, the old entry is lost (a lookup of its line finds the new one) | warning; the old line is absent |
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
//! | an address that is not a line's | that of its line | that of its line |
//! | **TimerTable** | | |
//! | `set` of a line that is set, `unset` of one that is not, either of no line | assert | fault |
//! | `nextAddress` with timers of which none has expired | the earliest | the earliest |
//! | `nextAddress` without timers | assert | fault |
//! | **PersistentTable** | | |
//! | `persistentRequestLock` twice, `persistentRequestUnlock` without it, either by a machine that does not exist | assert | fault |
//! | `findSmallest`, `typeOfSmallest` of a line for which no machine starves | assert | fault |
//! | `markEntries` while there are marks | assert | fault |
//! | `markEntries` of a line for which no machine starves | nothing | nothing |
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
//! | a message with a shorter latency than one that is there | the heap invariant is broken: the order is arbitrary | by tick of arrival |
//! | **Controller** | | |
//! | `stall_and_wait` from a port whose rank is not below the number of in_ports | assert | fault |
//! | `wakeUpBuffers` from a port of rank above that number, with messages stalled on the line | reads past the end of an array | warning; wakes lower ranks |
//! | any other use of such a port | accepted | accepted; `rubric protocol check` warns |
//! | a line woken in a buffer in which two ranks have stalled it | assert (`reanalyzeMessages`) | fault |
//! | `wakeUpBuffers` and so on of a line on which nothing is stalled | nothing | nothing |
//! | `unblock` of a line that is not blocked, `blockOnQueue` twice | accepted | accepted |
//! | `isBlocked` of an address that is not a line's | false, since it is compared as it is | the same |
//! | `mapAddressToMachine` of an address without a controller | a machine that does not exist | the same |
//! | `profileMsgDelay` of a network that does not exist | assert | accepted |
//! | **Sequencer** | | |
//! | a callback for a line without a request, or of the wrong kind | assert | fault |
//! | `evictionCallback`, `invalidateSC`, `llscCheckMonitor` of an absent line | accepted | accepted |
//! | `unaddressedCallback` of `TLBI` or `TLBI_SYNC` with an id that is not outstanding, or is of the other type | assert | fault |
//! | `unaddressedCallback` of another type than these and `TLBI_EXT_SYNC` | panic | fault |
//! | `unaddressedCallback` of `TLBI_EXT_SYNC` while the core waits to answer another | assert in the out-of-order CPU | fault |
//! | **MN_TBETable** | | |
//! | `chooseNewDistributor` with more than four waiting transactions | assert | fault |
//! | **TriggerQueue**, **ExpectedMap**, **TBEStorage** | | |
//! | `front`, `back`, `next`, `pop` of an empty queue | undefined | fault |
//! | a queue of more than 32 events, or 256 structures | accepted | fault |
//! | `receiveResp` when all expected messages were received | assert | fault |
//! | `receiveData` when more messages were received than expected | assert | fault |
//! | `receiveData` when exactly those were received that are expected | accepted | accepted |
//! | the same of a type that is not expected | false | the same |
//! | `addEntryToNewSlot` without a free slot | assert | fault |
//! | `addEntryToSlot`, `removeEntryFromSlot` of a free slot, `decrementReserved` without a reservation | assert | fault |
//! | `mapAddressToDownstreamMachine` of an address that no controller downstream serves | fatal | fault |
//! | **BoolVec** | | |
//! | `at` of an index that is not below the size | `std::vector::at` throws | fault |
//! | more than 256 flags | accepted | fault |
//! | **DMASequencer** | | |
//! | a callback for a line without a request, `dataCallback` for a write | assert | fault |
//! | `ackCallback` for a read | accepted: the device's buffer keeps its content | accepted: the buffer is zero |
//! | **DataBlock**, **WriteMask** | | |
//! | `setMask`, `getMask`, `test` out of range | assert | fault |
//! | `firstBitSet`, `count` from beyond the end | the size, 0 | the same |
//! | `copyPartial` out of range | writes past the block | fault |

mod calculations;
mod distributor;
mod frequent;
mod objects;
pub(super) mod order;
mod trackers;
mod values;

use slicc::compile::op::control;
use slicc::compile::types::UNSET_ADDRESS;
use slicc::library::{Family, LibraryFunction};

use super::System;
use super::fault::Trap;
use super::others::Call;
use super::stepping::Symmetry;
use super::words::CachePlace;
use crate::ruby::Misuse;
use crate::ruby::described;
use objects::unsupported;
use trackers::expectation;

/// The first words of the arguments of a call; functions with fewer arguments ignore the others.
type Arguments = [u64; 5];

/// The address of the object of a method.
pub(super) fn object(address: u64) -> Result<u64, Trap> {
    if address == 0 { Err(Trap::Null) } else { Ok(address) }
}

impl System {
    /// Carries out a function of the library whose arguments begin at `at`, unless `run` has done so.
    #[inline(never)]
    pub(super) fn library(&mut self, function: LibraryFunction, at: usize) -> Result<(), Trap> {
        self.wakeup_log.call(function);
        if self.is_watched {
            self.note_order(function, at);
        }
        if self.others.is_on
            && let Call::Result(result) = self.ask_others(function, at)?
        {
            self.words.words[at] = result;
            return Ok(());
        }
        let arguments = self.words.words[at..].first_chunk();
        let arguments: Arguments = *arguments.expect("the heap follows the stack");
        let [a, b, c, ..] = arguments;
        self.words.words[at] = match function.family() {
            Family::Value(function) => self.value_method(function, arguments)?,
            Family::Buffer(function) => self.buffer_method(function, arguments)?,
            Family::Line(function) => self.line_method(function, arguments)?,
            Family::Callback(function) => self.callback(function, a, b, c).map(|()| 0)?,
            Family::Core(function) => self.core_method(function, arguments)?,
            Family::Timer(function) => self.timer_method(function, arguments)?,
            Family::Persistent(function) => self.persistent_method(function, arguments)?,
            Family::Tracker(function) => self.tracker(function, object(a)?, at + 1)?,
            Family::Partition(function) => self.partitioned(function, object(a)?, [b, c])?,
            Family::Expected(function) => {
                expectation(function, &mut self.words.words[object(a)? as usize..], b)?
            }
            Family::Described(function) => {
                described::call(function, &mut self.words.words[object(a)? as usize..], b, c)?
            }
            Family::Prefetcher(function) => self.prefetcher_method(function, arguments)?,
            Family::Calculation(function) => self.calculation(function, arguments)?,
            Family::Topology(function) => self.topology(function, a)?,
            Family::Functional(function) => self.functional(function, [a, b, c])?,
            Family::Control(function) => self.control_function(function, arguments)?,
            Family::Implicit(_) => {
                return Err(Trap::Other("an implicit variable was set by a call"));
            }
            Family::Unsupported(function) => return Err(unsupported(function)),
        };
        Ok(())
    }

    /// Carries out a function without a result.
    fn done(&mut self, what: impl FnOnce(&mut System)) -> u64 {
        what(self);
        0
    }

    /// Carries out a function without a result that may fail.
    fn tried(
        &mut self,
        what: impl FnOnce(&mut System) -> Result<(), Misuse>,
    ) -> Result<u64, Misuse> {
        what(self).map(|()| 0)
    }

    /// Whether the head of a buffer may be taken. If it has to wait only because of the rate of removals, the reader of
    /// the buffer is woken in the next cycle.
    #[inline]
    pub(super) fn is_ready(&mut self, buffer: u32) -> bool {
        let of = &self.buffers[buffer as usize];
        if !of.has_arrived(self.now) {
            return false;
        }
        let ready = of.is_ready(self.now);
        if !ready {
            self.wheel.schedule(self.now + 1, self.consumers[buffer as usize]);
        }
        ready
    }

    fn dequeue(&mut self, buffer: u64) -> Result<u64, Trap> {
        let (message, delay) = self.buffers.edit(buffer as usize).dequeue(self.now)?;
        self.words.release(message);
        Ok(delay)
    }

    /// Checks that an address is that of a line.
    #[inline]
    fn line(&self, address: u64) -> Result<u64, Misuse> {
        match address & (self.block_words as u64 * 8 - 1) {
            0 => Ok(address),
            _ => Err(Misuse::NotALine(address)),
        }
    }

    /// Checks that an address was set.
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
        let cache = cache as usize;
        let (slot, lost) = self.line_tables.caches[cache].allocate(line, entry)?;
        self.words.set_cache_place(entry, Some(CachePlace { cache, slot }));
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

    /// Allocates an object of a table for a line.
    fn new_element(&mut self, table: u64, line: u64) -> Result<u64, Trap> {
        let of = self.elements[table as usize];
        let object = self.words.allocate(of, &self.program.types[of].initial);
        self.line_tables.tables[table as usize].allocate(line, object)?;
        Ok(object)
    }

    fn table_deallocate(&mut self, table: u64, line: u64) -> Result<u64, Trap> {
        let object = self.line_tables.tables[table as usize].deallocate(line)?;
        self.words.release(object);
        Ok(0)
    }

    /// Looks up a line in a table that creates missing entries.
    fn perfect_lookup(&mut self, table: u64, address: u64) -> Result<u64, Trap> {
        let line = self.line_of(self.set_address(address)?);
        let found = self.line_tables.tables[table as usize].lookup(line);
        if found != 0 {
            return Ok(found);
        }
        self.warn(Misuse::NeverAllocated(line))?;
        self.new_element(table, line)
    }

    /// Allocates an entry in such a table. An existing entry keeps its address and loses its content.
    fn perfect_allocate(&mut self, table: u64, address: u64) -> Result<u64, Trap> {
        let line = self.line_of(self.set_address(address)?);
        match self.line_tables.tables[table as usize].lookup(line) as usize {
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

    /// The line that contains an address.
    #[inline]
    pub(super) fn line_of(&self, address: u64) -> u64 {
        address & !(self.block_words as u64 * 8 - 1)
    }

    /// The controller of a machine type to which an address belongs.
    #[inline(never)]
    pub(super) fn home(&mut self, address: u64, kind: u64) -> Result<u64, Trap> {
        let address = self.set_address(address)?;
        let number = match self.homes.get(kind as usize) {
            Some(Some(interleaving)) => interleaving.home(address),
            _ => self.machines.count(kind),
        };
        // The result is one of several controllers, whatever the names of the cores are.
        if self.is_watched && self.machines.count(kind) > 1 {
            self.observe(Symmetry::Cores);
        }
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

    /// The address of the running transition.
    pub(super) fn current_address(&self) -> u64 {
        let control = self.controllers[self.current].control as usize;
        self.words.words[control + usize::from(control::ADDRESS)]
    }
}
