//! Functions of the library's objects: buffers, caches, directories, sequencers, timers and so on.

use slicc::compile::op::control;
use slicc::library::{
    BufferFunction, ControlFunction, CoreFunction, LineFunction, PersistentFunction,
    PrefetcherFunction, TimerFunction, UnsupportedFunction,
};

use crate::ruby::Misuse;
use crate::ruby::cache::Array;
use crate::system::System;
use crate::system::fault::Trap;
use crate::system::library::Arguments;

impl System {
    /// Carries out a method of a buffer or port.
    pub(super) fn buffer_method(
        &mut self,
        function: BufferFunction,
        [a, b, c, d, _]: Arguments,
    ) -> Result<u64, Trap> {
        use BufferFunction::*;
        let (i, j) = (a as usize, b as usize);
        Ok(match function {
            InReady => u64::from(self.is_ready(a as u32)),
            InDequeue => self.dequeue(a)?,
            OutDeferred => {
                if !self.buffers[i].has_deferred(b) {
                    return Err(Misuse::NothingDeferred(b).into());
                }
                loop {
                    let next = self.buffers.edit(i).take_deferred(b);
                    let Some(message) = next else { break };
                    self.send(a as u32, message, d, false)?;
                }
                0
            }
            OutDeferredEmpty => u64::from(!self.buffers[i].has_deferred(b)),
            BufferSlots => u64::from(self.buffers[i].slots_available(j, c)),
            BufferSize => self.buffers.edit(i).size_at(self.now) as u64,
            InRecycle => {
                let arrival = self.buffers.edit(i).recycle(b, c)?;
                self.done(|it| it.wheel.schedule(arrival, it.consumers[i]))
            }
            InEmpty => u64::from(self.buffers[i].is_empty()),
            InNoStalls => u64::from(self.buffers[i].stall_map_size() == 0),
            InStalls => self.buffers[i].stall_map_size() as u64,
            InHasStalled => u64::from(self.buffers[i].has_stalled(b)),
        })
    }

    /// Carries out a method of a cache, a directory or a table of TBEs.
    pub(super) fn line_method(
        &mut self,
        function: LineFunction,
        [a, b, c, ..]: Arguments,
    ) -> Result<u64, Trap> {
        use LineFunction::*;
        let (i, j) = (a as usize, b as usize);
        Ok(match function {
            ChangePermission if a == 0 => return Err(Trap::Null),
            ChangePermission => self.done(|it| it.change_permission(a, b)),

            CacheProbe => {
                let line = self.line(b)?;
                self.line_tables.caches[i].cache_probe(line)?
            }
            CacheAllocate => self.cache_allocate(a, b, c)?,
            CacheDeallocate => {
                let line = self.line(b)?;
                let entry = self.line_tables.caches[i].deallocate(line)?;
                self.words.set_cache_place(entry, None);
                self.done(|it| it.words.release(entry))
            }
            CacheLookup => self.line_tables.caches[i].lookup(self.line(b)?),
            CachePresent => u64::from(self.line_tables.caches[i].is_tag_present(self.line(b)?)),
            CacheAvailable => u64::from(self.line_tables.caches[i].cache_avail(self.line(b)?)),
            CacheTouch => self.done(|it| it.line_tables.touch(i, b)),
            CacheTouchEntry if b == 0 => return Err(Misuse::NoEntry.into()),
            CacheTouchEntry => self.done(|it| it.touch_entry(a, b)),
            CacheRecord => self.done(|it| it.record_access(i, b, c)),
            CacheCheck => u64::from(self.bank_is_free(i, b, c)),
            CacheNull => 0,
            CacheTagLatency => self.line_tables.caches[i].latency(Array::Tag),
            CacheDataLatency => self.line_tables.caches[i].latency(Array::Data),
            CacheSize => self.line_tables.caches[i].geometry().size,
            CacheBlocks => self.line_tables.caches[i].blocks() as u64,
            CacheAddressAt => self.line_tables.caches[i].address_at(b)?,

            DirectoryAllocate => {
                self.line_tables.directories[i].allocate(b, c)?;
                c
            }
            DirectoryDeallocate => {
                let entry = self.line_tables.directories[i].deallocate(b)?;
                self.done(|it| it.words.release(entry))
            }
            DirectoryLookup => self.line_tables.directories[i].lookup(b)?,
            DirectoryPresent => u64::from(self.line_tables.directories[i].is_present(b)),

            TableLookup => self.line_tables.tables[i].lookup(b),
            TableAllocate => self.table_allocate(a, b)?,
            TableDeallocate => self.table_deallocate(a, self.line(b)?)?,
            TablePresent => u64::from(self.line_tables.tables[i].is_present(self.line(b)?)),
            TableSlots => u64::from(self.line_tables.tables[i].slots_available(j)),
            TableDistributor => self.choose_distributor(i)?,

            PerfectLookup => self.perfect_lookup(a, b)?,
            PerfectAllocate => self.perfect_allocate(a, b)?,
            PerfectDeallocate => self.table_deallocate(a, self.line_of(b))?,
            PerfectPresent => u64::from(self.line_tables.tables[i].is_present(self.line_of(b))),
        })
    }

    /// Carries out a method of the sequencer of a core or device, other than callbacks of cores.
    pub(super) fn core_method(
        &mut self,
        function: CoreFunction,
        [a, b, c, ..]: Arguments,
    ) -> Result<u64, Trap> {
        use CoreFunction::*;
        let i = a as usize;
        Ok(match function {
            MonitorCheck => {
                let monitor = self
                    .monitor_of(i)
                    .and_then(|cache| self.line_tables.caches[cache as usize].monitor(b));
                // A DMA device holds no reservations.
                u64::from(self.sequencers.get(i).is_some_and(|one| one.holds(monitor)))
            }
            MonitorClear => self.done(|it| {
                if let Some(cache) = it.monitor_of(i) {
                    it.line_tables.caches[cache as usize].clear_monitors_of(a as u32);
                }
            }),
            MonitorClearLine => self.done(|it| {
                if let Some(cache) = it.monitor_of(i) {
                    it.line_tables.caches[cache as usize].clear_monitor(b);
                }
            }),
            Evicted => self.done(|it| it.evicted(i, b)),
            SequencerCheck => 1,
            Unaddressed => {
                self.unaddressed_callback(i, b, c)?;
                0
            }
            DmaAck => {
                self.dma_callback(a, b, None)?;
                0
            }
            DmaData => {
                self.dma_callback(a, c, Some(b))?;
                0
            }
        })
    }

    /// Carries out a method of a table of timers.
    pub(super) fn timer_method(
        &mut self,
        function: TimerFunction,
        [a, b, c, ..]: Arguments,
    ) -> Result<u64, Trap> {
        use TimerFunction::*;
        let i = a as usize;
        Ok(match function {
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
        })
    }

    /// Carries out a method of a prefetcher.
    pub(super) fn prefetcher_method(
        &mut self,
        function: PrefetcherFunction,
        [a, b, c, ..]: Arguments,
    ) -> Result<u64, Trap> {
        use PrefetcherFunction::*;
        let i = a as usize;
        Ok(match function {
            PrefetcherMiss => self.done(|it| it.observe_miss(i, b, c)),
            PrefetcherUse => self.done(|it| it.observe_use(i, b)),
            ProxyMiss => {
                self.prefetch_next(i);
                0
            }
            ProxyComplete => {
                self.complete_prefetch(i, b)?;
                0
            }
        })
    }

    /// Carries out a function of the current controller.
    pub(super) fn control_function(
        &mut self,
        function: ControlFunction,
        [a, b, ..]: Arguments,
    ) -> Result<u64, Trap> {
        use ControlFunction::*;
        Ok(match function {
            StallPort => self.done(System::wake_next_cycle),
            WakeLine => {
                self.wake_lower(a)?;
                0
            }
            WakeAllOfLine => {
                self.wake_every_rank(a)?;
                0
            }
            WakeAll => self.done(System::wake_everything),
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
            IsBlocked => u64::from(self.controllers[self.current].blocked_by(a).is_some()),
            CurrentEvent => {
                let machine = &self.program.machines[self.controllers[self.current].machine];
                u64::from(machine.transitions[self.transition as usize].event)
            }
            CurrentNextState => {
                let control = self.controllers[self.current].control as usize;
                self.words.words[control + usize::from(control::AFTER)]
            }
            ScheduleEvent => {
                let tick = self.now.saturating_add(a);
                self.done(|it| it.wheel.schedule(tick, it.current as u32))
            }
        })
    }

    /// The data cache that holds the reservations of a sequencer; none of one that serves a DMA device.
    fn monitor_of(&self, sequencer: usize) -> Option<u32> {
        self.monitors.get(sequencer).copied().flatten()
    }

    /// Carries out a method of a table of persistent requests.
    pub(super) fn persistent_method(
        &mut self,
        function: PersistentFunction,
        [table, line, machine, kind, _]: Arguments,
    ) -> Result<u64, Trap> {
        use PersistentFunction::*;
        let line = self.line(line)?;
        if matches!(function, PersistentLock | PersistentUnlock) {
            // The starving machines form a NetDest, so the machine has to exist.
            self.machines.check(machine)?;
        }
        let table = &mut self.persistents[table as usize];
        Ok(match function {
            PersistentLock => table.lock(line, machine, kind != 0).map(|()| 0)?,
            PersistentUnlock => table.unlock(line, machine).map(|()| 0)?,
            PersistentMayIssue => u64::from(table.ok_to_issue_starving(line, machine)),
            PersistentSmallest => table.find_smallest(line)?,
            PersistentTypeOfSmallest => u64::from(table.smallest_writes(line)?),
            PersistentMark => table.mark_entries(line).map(|()| 0)?,
            PersistentLocked => u64::from(table.is_locked(line)),
            PersistentStarving => table.count_starving(line),
            PersistentReadStarving => table.count_read_starving(line),
        })
    }
}

/// What a function asks for that no core here has.
pub(super) fn unsupported(function: UnsupportedFunction) -> Trap {
    Trap::Unsupported(match function {
        UnsupportedFunction::Transaction => "a transaction",
        UnsupportedFunction::Gpu => "a GPU",
    })
}
