//! Functions of the library's objects: buffers, caches, directories, sequencers, timers and so on.

use slicc::compile::op::control;
use slicc::library::LibraryFunction;

use crate::ruby::Misuse;
use crate::ruby::cache::Array;
use crate::system::System;
use crate::system::fault::Trap;

impl System {
    /// Carries out a function of an object, whose arguments begin at `at`.
    pub(super) fn object_function(
        &mut self,
        function: LibraryFunction,
        at: usize,
    ) -> Result<u64, Trap> {
        use LibraryFunction::*;
        let [a, b, c, d]: [u64; 4] = std::array::from_fn(|index| self.words.words[at + index]);
        let (i, j) = (a as usize, b as usize);
        Ok(match function {
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

            ReadDone | WriteDone | WriteUniqueDone | AtomicDone | ConditionalFailed => {
                self.callback(function, a, b, c)?;
                0
            }
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

            StallPort => self.done(System::wake_next_cycle),
            WakeLine => {
                self.wake_lower(a)?;
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
            TestAndRead
            | TestAndReadMask
            | TestAndWrite
            | FunctionalMemoryRead
            | FunctionalMemoryWrite => self.functional(function, [a, b, c])?,
            Transaction => return Err(Trap::Unsupported("a transaction")),
            Gpu => return Err(Trap::Unsupported("a GPU")),
            Dvm | TableDistributor => return Err(Trap::Unsupported("a TLB invalidation")),
            DmaAck => {
                self.dma_callback(a, b, None)?;
                0
            }
            DmaData => {
                self.dma_callback(a, c, Some(b))?;
                0
            }

            // The compiler makes instructions of some functions, and the callers carry out others.
            _ => return Err(Trap::Unsupported("this function of the library")),
        })
    }

    /// The data cache that holds the reservations of a sequencer; none of one that serves a DMA device.
    fn monitor_of(&self, sequencer: usize) -> Option<u32> {
        self.monitors.get(sequencer).copied().flatten()
    }

    /// Carries out a function of a table of persistent requests. The line is the argument after the table.
    fn persistent(
        &mut self,
        function: LibraryFunction,
        table: usize,
        [line, machine, kind]: [u64; 3],
    ) -> Result<u64, Trap> {
        use LibraryFunction::*;
        let line = self.line(line)?;
        if matches!(function, PersistentLock | PersistentUnlock) {
            // The starving machines form a NetDest, so the machine has to exist.
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
}
