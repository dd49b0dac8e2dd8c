//! The moves that are possible in a state, and their outcomes.

use super::Stepping;
use super::actions::{Access, Action, EARLY, decoded};
use super::parts::Change;
use super::values::{Renaming, Values};
use super::view::View;
use crate::request::RequestKind;
use crate::ruby::buffer::MessageBuffer;
use crate::system::fault::Trap;
use crate::system::{Fault, Warning};

/// The number of `AccessPermission:Read_Only`.
pub(super) const READ_ONLY: u8 = 0;
/// The number of `AccessPermission:Read_Write`.
pub(super) const READ_WRITE: u8 = 1;

/// A move: something that can happen in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// A core or DMA device makes a request for a line for which it has none, or the prefetcher of a core's controller
    /// does, and the controller handles it; or a core uses a value that it has loaded early.
    Ask {
        /// The core or, after the cores, the DMA device.
        core: usize,
        /// The line.
        line: usize,
        /// The action.
        action: Action,
        /// The value that it stores, if values are numbers.
        value: u8,
    },
    /// A message arrives, and its controller is woken.
    Arrive {
        /// The buffer.
        buffer: usize,
        /// The index of the message in the queue.
        at: usize,
    },
    /// Memory takes a request.
    Memory {
        /// The buffer of requests.
        buffer: usize,
        /// The place of the request in the queue.
        at: usize,
    },
    /// A controller is woken to handle what has arrived before.
    Wake {
        /// The controller.
        controller: usize,
    },
    /// A timer runs out, and its controller is woken.
    Timer {
        /// The table of timers.
        table: usize,
        /// Number of the line, from 1.
        line: u64,
    },
}

/// The permissions of caches for a line: sets of cores, with a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holders {
    /// The cores whose caches may read and write it.
    pub writers: u64,
    /// The cores whose caches may only read it.
    pub readers: u64,
}

impl Holders {
    /// Whether one cache may write the line while another may read or write it (an SWMR violation).
    pub fn clash(self) -> bool {
        let writers = self.writers.count_ones();
        writers > 1 || writers == 1 && self.readers & !self.writers != 0
    }
}

/// The outcome of a move.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The state after the move, or the fault that ended it.
    pub state: Result<Vec<u8>, Box<Fault>>,
    /// The accesses that memory has performed.
    pub performed: Vec<Access>,
    /// The permissions for each line afterwards.
    pub holders: Vec<Holders>,
    /// Warnings about mistakes that gem5 accepts.
    pub warnings: Vec<Warning>,
}

impl Stepping {
    /// The initial state.
    pub fn first(&self) -> Vec<u8> {
        self.first.clone()
    }

    /// All moves that are possible in a state, always in the same order.
    pub fn moves(&mut self, state: &[u8]) -> Vec<Move> {
        self.thaw(state);
        let mut moves = Vec::new();
        if let Some((controller, port)) = self.first_urgent() {
            self.urgent_moves(controller, port, &mut moves);
            return moves;
        }
        self.backlog_moves(&mut moves);
        if !moves.is_empty() {
            return moves;
        }
        for core in 0..self.agents() {
            self.asking(core, &mut |line, action, value| {
                moves.push(Move::Ask { core, line, action, value });
            });
        }
        for buffer in 0..self.system.buffers.len() {
            self.arriving(buffer, &mut moves);
        }
        for table in 0..self.system.timers.len() {
            moves.extend(self.expiring(table));
        }
        for controller in 0..self.system.controllers.len() {
            if self.may_wake(controller) {
                moves.push(Move::Wake { controller });
            }
        }
        moves
    }

    /// The timers of a table that may run out.
    pub(super) fn expiring(&self, table: usize) -> impl Iterator<Item = Move> {
        let set = self.system.timers[table].timers().iter().filter(|(tick, _)| *tick > 0);
        set.map(move |&(_, line)| Move::Timer { table, line })
    }

    /// The messages of a buffer that may arrive next. After a message that has arrived and waits,
    /// another would only wait too: so it arrives later.
    pub(super) fn arriving(&self, number: usize, moves: &mut Vec<Move>) {
        let buffer = &self.system.buffers[number];
        if !self.read[number] || buffer.is_empty() || buffer.ready() > 0 {
            return;
        }
        let consumer = self.system.consumers[number] as usize;
        let requests = self.system.controllers[consumer].requests_to_memory;
        let is_memory = requests == Some(number as u32);
        let mut before = None;
        for (at, one) in buffer.in_flight().enumerate() {
            let has_lane = one.arrival & 0xFFFF_FFFF != 0;
            // Only the first message of a lane, and only one of equal messages.
            let skip = before.is_some_and(|(arrival, message)| {
                arrival == one.arrival && (has_lane || self.are_equal(message, one.message))
            });
            before = Some((one.arrival, one.message));
            if !skip {
                moves.push(if is_memory {
                    Move::Memory { buffer: number, at }
                } else {
                    Move::Arrive { buffer: number, at }
                });
            }
        }
    }

    fn are_equal(&self, one: u64, other: u64) -> bool {
        let words = &self.system.words;
        let of = words.type_of(one);
        let width = self.kinds.objects[of].len();
        let content = |object: u64| &words.words[object as usize..object as usize + width];
        of == words.type_of(other) && content(one) == content(other)
    }

    /// Whether a controller may have something to do without a new message.
    pub(super) fn may_wake(&self, number: usize) -> bool {
        let controller = &self.system.controllers[number];
        let ports = &self.system.program.machines[controller.machine].in_ports;
        ports.iter().zip(controller.port_objects()).any(|(port, buffer)| {
            let at = buffer as usize;
            if port.timers {
                self.system.timers[at].is_ready(0)
            } else {
                !port.guarded || self.system.buffers[at].ready() > 0
            }
        })
    }

    /// Makes a move in a state. It has to be one of its [`Stepping::moves`].
    pub fn take(&mut self, state: &[u8], chosen: Move) -> Outcome {
        self.thaw(state);
        self.begin_step();
        let done = self.carry_out(chosen);
        let performed = self.performed(state, chosen);
        let state = match done {
            Ok(()) => {
                let renaming = self.renaming(&performed);
                Ok(self.freeze(View::new(&renaming)))
            }
            Err(trap) => Err(self.fault(trap)),
        };
        Outcome { state, performed, holders: self.holders(), warnings: self.warnings() }
    }

    /// Starts a move: messages sent from now on are new.
    pub(super) fn begin_step(&mut self) {
        self.system.buffers.edit_all(MessageBuffer::begin_step);
        self.system.told_of_eviction.clear();
    }

    /// The warnings of the move, without the time, which does not advance.
    pub(super) fn warnings(&mut self) -> Vec<Warning> {
        let mut warnings = self.system.take_warnings();
        for warning in &mut warnings {
            warning.message = without_tick(&warning.message);
        }
        warnings
    }

    /// The fault of the move, without the time, which does not advance.
    pub(super) fn fault(&mut self, trap: Trap) -> Box<Fault> {
        let mut fault = self.system.fault(trap);
        fault.message = without_tick(&fault.message);
        fault
    }

    pub(super) fn carry_out(&mut self, chosen: Move) -> Result<(), Trap> {
        match chosen {
            Move::Ask { core, line, action, value } => self.ask(core, line, action, value),
            Move::Arrive { buffer, at } => {
                self.system.buffers.edit(buffer).arrive(at);
                self.wake(self.system.consumers[buffer] as usize)
            }
            Move::Memory { buffer, at } => {
                self.system.buffers.edit(buffer).arrive(at);
                self.system.current = self.system.consumers[buffer] as usize;
                self.system.pc = usize::MAX;
                self.system.serve_memory()
            }
            Move::Wake { controller } => self.wake(controller),
            Move::Timer { table, line } => {
                self.system.timers[table].expire(line);
                self.wake(self.system.timer_owners[table] as usize)
            }
        }
    }

    /// The numbers of transitions that were taken, and that stalled, until now.
    pub(super) fn counts_of_transitions(&self) -> (u64, u64) {
        (self.system.tally.transitions, self.system.tally.stalls)
    }

    /// The transition that was begun last, which was taken or has stalled.
    pub(super) fn latest_change(&self, is_taken: bool) -> Change {
        let latest = self.system.latest_transition();
        let controller = latest.controller as usize;
        let row = latest.what as usize;
        let machine = self.system.controllers[controller].machine;
        Change {
            triple: self.system.triple(machine, row) + u32::from(!is_taken),
            controller,
            line: self.line_number(latest.address),
            after: if is_taken {
                latest.after
            } else {
                self.system.program.machines[machine].transitions[row].state
            },
        }
    }

    pub(super) fn wake(&mut self, controller: usize) -> Result<(), Trap> {
        self.system.current = controller;
        let program = self.system.program.clone();
        let moves = self.system.wakeup(&program)?;
        self.stuck[controller] = !moves && self.has_internal_events(controller);
        Ok(())
    }

    /// Returns the accesses that the responses report, core by core, and the uses of early loads, and updates the
    /// memos. `state` is the state before the move, or only its beginning: the codes of the requests of all agents.
    pub(super) fn performed(&mut self, state: &[u8], chosen: Move) -> Vec<Access> {
        let mut performed = Vec::new();
        self.answers.clear();
        for (core, thread) in self.system.threads.iter_mut().enumerate() {
            let answers = thread.answers.drain(..);
            self.answers.extend(answers.map(|(_, answer)| (core, answer)));
        }
        for (core, answer) in self.answers.clone() {
            let Some(line) = self.line_number(answer.address) else {
                continue;
            };
            let mut access = self.access(core, line, &answer);
            if access.action == Action::Store {
                access.value = self.written(state, chosen, core, line);
            }
            performed.push(access);
        }
        if let Move::Ask { core, line, action: Action::Use, .. } = chosen {
            performed.push(self.used(core, line));
        }
        for at in 0..self.system.told_of_eviction.len() {
            let (core, address) = self.system.told_of_eviction[at];
            if let Some(line) = self.line_number(address) {
                self.tell(core, line);
            }
        }
        performed
    }

    /// The number that a performed store has written: it was chosen in this move, or is in the
    /// state.
    fn written(&self, state: &[u8], chosen: Move, by: usize, to: usize) -> u64 {
        match chosen {
            _ if self.values == Values::Latest => 0,
            Move::Ask { core, line, value, .. } if core == by && line == to => u64::from(value),
            _ => u64::from(decoded(state[by * self.lines.len() + to]).choice),
        }
    }

    pub(super) fn renaming(&self, performed: &[Access]) -> Renaming {
        let mut renaming = Renaming::new(self.values, self.agents(), self.loads());
        for access in performed.iter().filter(|access| access.writes) {
            renaming.store(access.core, access.line, access.races);
        }
        renaming
    }

    /// For each line, the cores and devices whose loads are in flight, which may return a value that was overwritten meanwhile.
    pub(super) fn loads(&self) -> Vec<u64> {
        let loads = |line: usize| {
            let loads = (0..self.agents()).filter(|&agent| self.loads_line(agent, line));
            loads.fold(0, |all, agent| all | 1 << agent)
        };
        (0..self.lines.len()).map(loads).collect()
    }

    fn loads_line(&self, agent: usize, line: usize) -> bool {
        let request = decoded(self.request_code(agent, line)).request;
        let others = [RequestKind::Ifetch, RequestKind::LoadLinked, RequestKind::LockedRead];
        request.is_some_and(|(kind, _)| others.contains(&kind))
            || request.is_some_and(|(kind, tag)| kind == RequestKind::Load && tag != EARLY)
    }

    pub(super) fn holders(&self) -> Vec<Holders> {
        let of_line = |&line: &u64| {
            let mut holders = Holders::default();
            for (core, caches) in self.caches_of.iter().enumerate() {
                // Cores of one controller share their permissions.
                let first = self.system.homes_of.iter();
                let home = self.system.homes_of[core];
                if first.take(core).any(|&other| other == home) {
                    continue;
                }
                for &cache in caches {
                    match self.system.line_tables.caches[cache].permission(line) {
                        READ_WRITE => holders.writers |= 1 << core,
                        READ_ONLY => holders.readers |= 1 << core,
                        _ => {}
                    }
                }
            }
            holders
        };
        self.lines.iter().map(of_line).collect()
    }
}

/// A message about a fault or warning without its time, which is always 0.
fn without_tick(message: &str) -> String {
    message.replacen(" time: 0", "", 1).replacen(" tick 0,", "", 1)
}
