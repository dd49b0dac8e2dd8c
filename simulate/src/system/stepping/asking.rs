//! Begins the requests of agents, and restores the outstanding ones of a state.

use slicc::compile::types::TypeId;

use super::Stepping;
use super::actions::{Action, EARLY, Mark, decoded};
use crate::request::{Request, RequestKind, Transfer, WordValues};
use crate::ruby::prefetcher::Prefetch;
use crate::sequencer::ruby_type;
use crate::system::fault::Trap;

/// Size in bytes of the accesses of cores: less than that of a line, since a store of a whole line is another request in CHI.
const ACCESS_BYTES: u8 = 4;
/// Size in bytes of atomic instructions. It is the only size that a block's mask can exchange.
const ATOMIC_BYTES: u8 = 8;

impl Stepping {
    /// The buffer to which the requests of a controller's prefetcher come: the first buffer of messages of type
    /// `RubyRequest` other than the mandatory queue; `None` if there is no such buffer.
    pub(super) fn prefetch_queue(&self, number: usize) -> Option<usize> {
        let controller = &self.system.controllers[number];
        let machine = &self.system.program.machines[controller.machine];
        let request: TypeId = self.system.program.types.known.request;
        let mandatory = controller.mandatory.map(|(buffer, _)| buffer);
        let ports = machine.in_ports.iter().zip(controller.port_objects());
        let mut own = ports.filter(|(port, buffer)| {
            !port.timers && port.peeked.contains(&request) && Some(*buffer) != mandatory
        });
        own.next().map(|(_, buffer)| buffer as usize)
    }

    /// Whether the prefetcher of a core's controller may ask for a line: the core is the first of its controller, and
    /// no earlier request of the prefetcher waits.
    pub(super) fn may_prefetch(&self, core: usize) -> bool {
        let controller = self.controller_of(core);
        self.repertoire.prefetch
            && self.owned[controller].agents.first() == Some(&core)
            && self.prefetch_queues[controller]
                .is_some_and(|queue| self.system.buffers[queue].arrived().is_empty())
    }

    /// Whether the prefetcher of a core's controller may ask for a line to write it. Those of gem5's classic caches never do.
    pub(super) fn prefetches_to_write(&self, core: usize) -> bool {
        let queue = self.prefetch_queues[self.controller_of(core)];
        !queue.is_some_and(|queue| self.proxied.contains(&queue))
    }

    /// Makes the request of an agent, and lets its controller handle it if it can do so now.
    pub(super) fn ask(
        &mut self,
        agent: usize,
        line: usize,
        action: Action,
        value: u8,
    ) -> Result<(), Trap> {
        let controller = self.controller_of(agent);
        match action {
            // The use of a value happens within the core.
            Action::Use => return Ok(()),
            Action::PrefetchRead | Action::PrefetchWrite => {
                self.prefetch(controller, line, action)?
            }
            _ => {
                let is_accepted = match agent.checked_sub(self.cores) {
                    None => self.request_of_core(agent, line, action, value),
                    Some(device) => self.request_of_device(device, line, action),
                };
                if !is_accepted {
                    return Ok(());
                }
            }
        }
        match self.queue_of(controller, action) {
            Some(queue) => self.begin(queue, controller),
            None => Ok(()),
        }
    }

    /// The buffer of a controller to which requests for an action come.
    pub(super) fn queue_of(&self, controller: usize, action: Action) -> Option<usize> {
        match action {
            Action::PrefetchRead | Action::PrefetchWrite => self.prefetch_queues[controller],
            _ => self.system.controllers[controller].mandatory.map(|(buffer, _)| buffer as usize),
        }
    }

    /// Lets a controller handle the request that has just been put into a queue of it.
    fn begin(&mut self, queue: usize, controller: usize) -> Result<(), Trap> {
        // A request that is on its way to an idle port can also be made later.
        let mut queue = self.system.buffers.edit(queue);
        if queue.ready() > 0 {
            return Ok(());
        }
        // In an ordered queue it comes after what is in flight.
        if queue.settings().ordered && queue.has_older() {
            return Ok(());
        }
        let newest = queue.in_flight().position(|one| one.is_new);
        if let Some(at) = newest {
            queue.arrive(at);
        }
        drop(queue);
        self.wake(controller)
    }

    /// Makes the request of a core. Returns whether it goes to the controller.
    pub(super) fn request_of_core(
        &mut self,
        core: usize,
        line: usize,
        action: Action,
        value: u8,
    ) -> bool {
        let (kind, tag) = match action {
            Action::Load | Action::PrefetchRead | Action::Use => (RequestKind::Load, 0),
            Action::EarlyLoad => (RequestKind::Load, EARLY),
            Action::LoadLinked => (RequestKind::LoadLinked, 0),
            Action::LockedRead => (RequestKind::LockedRead, 0),
            Action::Store | Action::PrefetchWrite => (RequestKind::Store, 0),
            Action::StoreConditional => (RequestKind::StoreConditional, 0),
            Action::LockedWrite => (RequestKind::LockedWrite, 0),
            Action::Atomic => (RequestKind::Atomic, 0),
            Action::Flush => (RequestKind::Flush, 0),
            Action::Fetch => (RequestKind::Ifetch, 0),
        };
        if action == Action::LockedWrite {
            self.memos[core * self.lines.len() + line].mark = Mark::None;
        }
        let request = self.request_of(core, line, kind, tag, value);
        let issue = self.system.sequencers[core].request(0, request, false, None);
        let Ok(Some(issue)) = issue else {
            return false;
        };
        self.system.issue(core, issue);
        true
    }

    fn request_of(
        &self,
        core: usize,
        line: usize,
        kind: RequestKind,
        tag: u32,
        value: u8,
    ) -> Request {
        let is_read =
            kind.is_read() || matches!(kind, RequestKind::LockedRead | RequestKind::Flush);
        Request {
            tag,
            kind,
            address: self.lines[line],
            size: if kind == RequestKind::Atomic { ATOMIC_BYTES } else { ACCESS_BYTES },
            value: if is_read { 0 } else { self.values.stored(core, line, value) },
        }
    }

    /// Makes the request of a device. Returns whether it was accepted.
    fn request_of_device(&mut self, device: usize, line: usize, action: Action) -> bool {
        let transfer = self.transfer_of(device, line, action == Action::Store);
        if action == Action::Store {
            let latest = self.values.initial(line, self.counts());
            self.memos[(self.cores + device) * self.lines.len() + line].reserved = latest;
        }
        if self.system.dma_sequencers[device].request(0, transfer).is_err() {
            return false;
        }
        self.system.issue_transfer(device, transfer);
        true
    }

    fn transfer_of(&self, device: usize, line: usize, writes: bool) -> Transfer {
        let value = self.values.pending(self.cores + device, line, self.counts());
        let written = writes.then(|| WordValues::counting_from(value));
        Transfer { tag: 0, address: self.lines[line], words: 1, written }
    }

    /// Lets the prefetcher of a controller ask for a line.
    fn prefetch(&mut self, controller: usize, line: usize, action: Action) -> Result<(), Trap> {
        let kind = if action == Action::PrefetchWrite { ruby_type::ST } else { ruby_type::LD };
        self.system.current = controller;
        let line = self.lines[line];
        let machine = &self.system.program.machines[self.system.controllers[controller].machine];
        if machine.enqueue_prefetch.is_some() {
            self.system.prefetches.push(Prefetch { line, kind: u64::from(kind) });
            let program = self.system.program.clone();
            return self.system.enqueue_prefetches(&program);
        }
        if let Some(queue) = self.prefetch_queues[controller] {
            self.system.put_prefetch(queue, 1, line, kind);
        }
        Ok(())
    }

    /// Whether a controller of a core has a queue for the requests of a prefetcher.
    pub fn has_prefetches(&self) -> bool {
        (0..self.cores).any(|core| self.prefetch_queues[self.controller_of(core)].is_some())
    }

    /// Whether each core fetches instructions through the sequencer of its data.
    pub fn has_common_fetches(&self) -> bool {
        (0..self.cores).all(|core| self.system.fetchers[core] as usize == core)
    }

    /// Restores the request of an agent for a line, or what is left of one, from its code.
    pub(super) fn restore_request(&mut self, agent: usize, line: usize, code: u8) {
        let decoded = decoded(code);
        self.memos[agent * self.lines.len() + line].mark = decoded.mark;
        let Some((kind, tag)) = decoded.request else {
            return;
        };
        match agent.checked_sub(self.cores) {
            None => {
                let request = self.request_of(agent, line, kind, tag, decoded.choice);
                self.system.sequencers[agent].hold(request);
            }
            Some(device) => {
                let transfer = self.transfer_of(device, line, kind == RequestKind::Store);
                self.system.dma_sequencers[device].hold(transfer);
            }
        }
    }
}
