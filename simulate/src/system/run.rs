//! The virtual machine, which executes instructions.

use std::sync::Arc;

use slicc::compile::code::{Op, Program, Transition, control, stall};
use slicc::compile::types::TypeId;

use super::fast::{self, Objects, Position, Stop};
use super::fault::Trap;
use super::{Resume, System};

/// The end of a run of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The end of a port's body: nothing was triggered, or what was triggered stalled.
    Through { stalled: bool },
    /// A transition was taken.
    Taken,
    /// The scan of the ports has to start again, although no transition was taken.
    Again,
}

/// Largest number of calls in a run of code.
const MOST_CALLS: u64 = 1 << 24;

impl System {
    /// Runs code of the current controller from an instruction on, with its frame at an address.
    pub(super) fn run(&mut self, start: u32, frame: usize) -> Result<Ending, Trap> {
        let program = Arc::clone(&self.program);
        let control_words = self.controllers[self.current].control as usize;
        let mut position = Position { pc: start as usize, fp: frame };
        let mut stalled = false;
        let mut calls_left = MOST_CALLS;
        self.calls.clear();
        self.in_transition = false;
        macro_rules! get {
            ($register:expr) => {
                self.words.words[position.fp + $register as usize]
            };
        }
        // The number of a buffer, from a control word.
        macro_rules! buffer {
            ($offset:expr) => {
                self.words.words[control_words + $offset as usize] as u32
            };
        }
        // The place of a failed instruction is taken from `self.pc`.
        macro_rules! attempt {
            ($result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(trap) => {
                        self.pc = position.pc - 1;
                        return Err(trap.into());
                    }
                }
            };
        }
        loop {
            let mut objects = Objects {
                buffers: &self.buffers,
                caches: &mut self.caches,
                tables: &self.tables,
                has_blocked: !self.controllers[self.current].blocked.is_empty(),
                now: self.now,
                calls_left,
                offset_bits: self.block_words as u64 * 8 - 1,
            };
            let (words, calls) = (&mut self.words.words, &mut self.calls);
            let stop =
                fast::run(&program, words, calls, &mut objects, control_words, &mut position);
            calls_left = objects.calls_left;
            match stop {
                Stop::Other => {}
                Stop::End => return Ok(Ending::Through { stalled }),
                Stop::Trap(trap) => attempt!(Err(trap)),
            }
            match program.code[position.pc - 1] {
                Op::Library { function, base } => {
                    self.calling = position.pc - 1;
                    attempt!(self.library(function, position.fp + base as usize))
                }
                Op::BlockOn { buffer, address } => {
                    let buffer = buffer!(buffer);
                    if self.blocked_by(get!(address)).is_some_and(|by| by != buffer) {
                        attempt!(self.delay_head(buffer));
                        return Ok(Ending::Again);
                    }
                }
                Op::CheckProbe { buffer, address } => {
                    let buffer = buffer!(buffer);
                    if self.blocked_by(get!(address)) == Some(buffer) {
                        attempt!(self.delay_head(buffer));
                        return Ok(Ending::Again);
                    }
                }
                Op::WakeUp { address } => {
                    self.calling = position.pc - 1;
                    attempt!(self.wake_lower(get!(address)))
                }
                Op::NewMessage { to, message: of } | Op::NewEntry { to, of } => {
                    let of = of as TypeId;
                    get!(to) = self.words.allocate(of, &program.types[of].initial);
                }
                Op::Send { buffer, base } => {
                    let (message, latency, bypass) = (get!(base), get!(base + 1), get!(base + 2));
                    attempt!(self.send(buffer!(buffer), message, latency, bypass != 0));
                }
                Op::Defer { buffer, message } => {
                    let line = self.current_address();
                    self.buffers[buffer!(buffer) as usize].defer(line, get!(message));
                }
                Op::StallAndWait { buffer, address } => {
                    attempt!(self.stall_and_wait(buffer!(buffer), get!(address)));
                }
                Op::WakeupPort { buffer, address } => {
                    attempt!(self.wake_port(buffer!(buffer), get!(address)))
                }
                Op::NextCycle => self.wake_next_cycle(),
                Op::Trigger { event, state, base } => {
                    let transition =
                        attempt!(self.begin_transition(&program, get!(event), get!(state)));
                    if transition.needs.iter().all(|need| self.has_room(*need)) {
                        self.resume = Resume { position, base };
                        self.in_transition = true;
                        position = Position {
                            pc: transition.code.start as usize,
                            fp: position.fp + base as usize + 1,
                        };
                    } else {
                        stalled = true;
                        get!(base) = stall::RESOURCE;
                        self.note_stall(true);
                    }
                }
                Op::Stall { how } => {
                    let Resume { position: back, base } = self.resume;
                    position = back;
                    self.in_transition = false;
                    stalled = true;
                    get!(base) = u64::from(how);
                    self.note_stall(u64::from(how) == stall::RESOURCE);
                }
                Op::Done => self.note_transition(),
                Op::End | Op::Handled => return Ok(Ending::Taken),
                Op::PortEnd => return Ok(Ending::Through { stalled }),
                Op::Error { text } => attempt!(Err(Trap::Error(get!(text)))),
                Op::Assert => attempt!(Err(Trap::Assert)),
                Op::NoResult => attempt!(Err(Trap::Other(
                    "a function came to its end without returning a value"
                ))),
                Op::Comment { of, from } => self.comment(of as TypeId, get!(from)),
                // The fast loop executes all others.
                _ => attempt!(Err(Trap::Other("an instruction that is no instruction"))),
            }
        }
    }

    /// Looks up the transition for an event in a state, and records its states.
    fn begin_transition<'p>(
        &mut self,
        program: &'p Program,
        event: u64,
        state: u64,
    ) -> Result<&'p Transition, Trap> {
        let controller = &self.controllers[self.current];
        let machine = &program.machines[controller.machine];
        let (event, state) = (event as usize, state as usize);
        if state >= machine.states.len() || event >= machine.events.len() {
            return Err(Trap::Other("a state or event that was never set"));
        }
        let Some(number) = machine.table[state * machine.events.len() + event].checked_sub(1)
        else {
            return Err(Trap::NoTransition { state: state as u16, event: event as u16 });
        };
        let transition = &machine.transitions[number as usize];
        let control = controller.control as usize;
        self.words.words[control + usize::from(control::BEFORE)] = state as u64;
        let after = transition.next.map_or(state as u64, u64::from);
        self.words.words[control + usize::from(control::AFTER)] = after;
        self.transition = number;
        if !self.states_at.is_empty() {
            self.note_states(control, state as u64);
        }
        Ok(transition)
    }
}
