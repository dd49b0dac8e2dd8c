//! The virtual machine, which executes instructions.
//!
//! One loop executes all of them. What most instructions need, the words and the code, it keeps in variables of its own, which fit
//! the registers of a processor; instructions that need the rest of the system call a function for it.

use slicc::compile::code::{Program, Transition};
use slicc::compile::op::{Op, control, stall};
use slicc::compile::types::TypeId;

use super::fault::Trap;
use super::words::{STACK_END, type_of};
use super::{Resume, System};

/// The position of execution.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Position {
    /// The index of the next instruction.
    pub pc: usize,
    /// The address of the frame.
    pub fp: usize,
}

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

/// Number of words that a frame must leave free above itself: functions of the library read five
/// arguments, even if they have fewer.
const MARGIN: usize = 16;

impl System {
    /// Runs code of the current controller from an instruction on, with its frame at an address.
    pub(super) fn run(
        &mut self,
        program: &Program,
        start: u32,
        frame: usize,
    ) -> Result<Ending, Trap> {
        let code = &program.fused[..];
        let control = self.controllers[self.current].control as usize;
        let (mut pc, mut fp) = (start as usize, frame);
        let mut stalled = false;
        let mut calls_left = MOST_CALLS;
        self.calls.clear();
        self.in_transition = false;
        // Whatever may add words is followed by `renew`.
        let mut words = &mut self.words.words[..];
        macro_rules! renew {
            () => {
                words = &mut self.words.words[..]
            };
        }
        macro_rules! get {
            ($register:expr) => {
                words[fp + $register as usize]
            };
        }
        // The number of a buffer, from a control word.
        macro_rules! buffer {
            ($offset:expr) => {
                words[control + $offset as usize] as u32
            };
        }
        // The place of a failed instruction is taken from `self.pc`.
        macro_rules! trap {
            ($trap:expr) => {{
                self.pc = pc - 1;
                return Err($trap);
            }};
        }
        macro_rules! attempt {
            ($result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(trap) => trap!(trap.into()),
                }
            };
        }
        macro_rules! jump {
            ($distance:expr) => {
                pc = pc.wrapping_add_signed($distance as isize)
            };
        }
        // An address that must not be null.
        macro_rules! address {
            ($word:expr) => {
                match $word as usize {
                    0 => trap!(Trap::Null),
                    address => address,
                }
            };
        }
        macro_rules! calculate {
            ($to:ident, $left:ident, $right:ident, |$a:ident, $b:ident| $result:expr) => {{
                let ($a, $b) = (get!($left), get!($right));
                get!($to) = $result;
            }};
        }
        // The next instruction, which `fuse` has seen to be of a kind.
        macro_rules! next {
            ($op:pat => $result:expr) => {{
                pc += 1;
                match code[pc - 1] {
                    $op => $result,
                    _ => trap!(Trap::Other("an instruction that is no instruction")),
                }
            }};
        }
        macro_rules! next_library {
            () => {
                next!(Op::Library { function, base } => (function, base))
            };
        }
        'next: loop {
            // Only calls of the library leave this block by its end.
            let (function, base) = 'library: {
                pc += 1;
                match code[pc - 1] {
                    Op::Small { to, value } => get!(to) = i64::from(value) as u64,
                    Op::Constant { to, index } => get!(to) = program.constants[index as usize],
                    Op::Move { to, from } => get!(to) = get!(from),
                    Op::Load { to, base, offset } => {
                        let address = address!(get!(base));
                        get!(to) = words[address + offset as usize];
                    }
                    Op::Store { base, offset, from } => {
                        let address = address!(get!(base));
                        words[address + offset as usize] = get!(from);
                    }
                    Op::StoreSmall { base, offset, value } => {
                        let address = address!(get!(base));
                        words[address + offset as usize] = i64::from(value) as u64;
                    }
                    Op::LoadControl { to, offset } => get!(to) = words[control + offset as usize],
                    Op::StoreControl { offset, from } => {
                        words[control + offset as usize] = get!(from)
                    }
                    Op::LoadThrough { to, control: word, offset } => {
                        let address = address!(words[control + word as usize]);
                        get!(to) = words[address + offset as usize];
                    }
                    Op::StoreThrough { control: word, offset, from } => {
                        let address = address!(words[control + word as usize]);
                        words[address + offset as usize] = get!(from);
                    }
                    Op::AddressThrough { to, control: word, offset } => {
                        let address = address!(words[control + word as usize]);
                        get!(to) = (address + offset as usize) as u64;
                    }
                    Op::Address { to, base, offset } => {
                        let address = address!(get!(base));
                        get!(to) = (address + offset as usize) as u64;
                    }
                    Op::FrameAddress { to, register } => get!(to) = (fp + register as usize) as u64,
                    Op::ControlAddress { to, offset } => {
                        get!(to) = (control + offset as usize) as u64
                    }
                    Op::Copy { to, from, words: count } => {
                        let (to, from) = (get!(to) as usize, get!(from) as usize);
                        words.copy_within(from..from + count as usize, to);
                    }
                    Op::Initialize { to, of } => {
                        let fresh = program.types[of as TypeId].fresh();
                        let at = fp + to as usize;
                        words[at..at + fresh.len()].copy_from_slice(fresh);
                    }
                    Op::EqualWords { to, left, words: count } => {
                        let (one, other, count) =
                            (get!(left) as usize, get!(left + 1) as usize, count as usize);
                        get!(to) =
                            u64::from(words[one..one + count] == words[other..other + count]);
                    }
                    Op::Add { to, left, right } => {
                        calculate!(to, left, right, |a, b| a.wrapping_add(b))
                    }
                    Op::Subtract { to, left, right } => {
                        calculate!(to, left, right, |a, b| a.wrapping_sub(b))
                    }
                    Op::Multiply { to, left, right } => {
                        calculate!(to, left, right, |a, b| a.wrapping_mul(b))
                    }
                    Op::Divide { to, left, right } => {
                        match (get!(left) as i64).checked_div(get!(right) as i64) {
                            Some(result) => get!(to) = result as u64,
                            None => trap!(Trap::Other("a division by zero")),
                        }
                    }
                    Op::Remainder { to, left, right } => {
                        match (get!(left) as i64).checked_rem(get!(right) as i64) {
                            Some(result) => get!(to) = result as u64,
                            None => trap!(Trap::Other("a division by zero")),
                        }
                    }
                    Op::ShiftLeft { to, left, right } => {
                        calculate!(to, left, right, |a, b| a.checked_shl(b as u32).unwrap_or(0));
                    }
                    Op::ShiftRight { to, left, right } => {
                        calculate!(to, left, right, |a, b| a.checked_shr(b as u32).unwrap_or(0));
                    }
                    Op::Narrow { to } => get!(to) = i64::from(get!(to) as i32) as u64,
                    Op::Equal { to, left, right } => {
                        calculate!(to, left, right, |a, b| u64::from(a == b))
                    }
                    Op::NotEqual { to, left, right } => {
                        calculate!(to, left, right, |a, b| u64::from(a != b))
                    }
                    Op::Less { to, left, right } => {
                        calculate!(to, left, right, |a, b| u64::from((a as i64) < b as i64));
                    }
                    Op::LessEqual { to, left, right } => {
                        calculate!(to, left, right, |a, b| u64::from(a as i64 <= b as i64));
                    }
                    Op::Below { to, left, right } => {
                        calculate!(to, left, right, |a, b| u64::from(a < b))
                    }
                    Op::BelowEqual { to, left, right } => {
                        calculate!(to, left, right, |a, b| u64::from(a <= b))
                    }
                    Op::Not { to, from } => get!(to) = u64::from(get!(from) == 0),
                    Op::Jump { target } => jump!(target),
                    Op::JumpIf { condition, target } => {
                        if get!(condition) != 0 {
                            jump!(target);
                        }
                    }
                    Op::JumpUnless { condition, target } => {
                        if get!(condition) == 0 {
                            jump!(target);
                        }
                    }
                    Op::JumpIfSmall { left, value, target } => {
                        if get!(left) as i64 == i64::from(value) {
                            jump!(target);
                        }
                    }
                    Op::JumpUnlessSmall { left, value, target } => {
                        if get!(left) as i64 != i64::from(value) {
                            jump!(target);
                        }
                    }
                    Op::JumpIfNull { control: word, target } => {
                        if words[control + word as usize] == 0 {
                            jump!(target);
                        }
                    }
                    Op::JumpUnlessNull { control: word, target } => {
                        if words[control + word as usize] != 0 {
                            jump!(target);
                        }
                    }
                    Op::Lookup { to, from, table } => {
                        match program.tables[table as usize].get(get!(from) as usize) {
                            Some(entry) => get!(to) = *entry,
                            None => trap!(Trap::NO_ENUMERATOR),
                        }
                    }
                    Op::Call { function, base } => {
                        let function = program.functions[function as usize];
                        let frame = fp + base as usize;
                        if frame + function.frame as usize + MARGIN > STACK_END {
                            trap!(Trap::Other("functions call each other without end"));
                        }
                        calls_left = match calls_left.checked_sub(1) {
                            Some(left) => left,
                            None => {
                                trap!(Trap::Other("a piece of code makes calls without end"))
                            }
                        };
                        self.calls.push((pc as u32, fp as u32));
                        fp = frame;
                        pc = function.start as usize;
                    }
                    Op::Return { from } => {
                        words[fp] = get!(from);
                        match self.calls.pop() {
                            Some((back, frame)) => (pc, fp) = (back as usize, frame as usize),
                            None => return Ok(Ending::Through { stalled }),
                        }
                    }
                    Op::Leave => match self.calls.pop() {
                        Some((back, frame)) => (pc, fp) = (back as usize, frame as usize),
                        None => return Ok(Ending::Through { stalled }),
                    },
                    Op::Peek { to, buffer, message } => {
                        let Some(head) =
                            self.buffers[words[control + buffer as usize] as usize].head()
                        else {
                            trap!(Trap::EMPTY);
                        };
                        let fits = type_of(words, head) == message as TypeId;
                        get!(to) = if fits { head } else { 0 };
                    }
                    Op::PeekSure { to, buffer, message } => {
                        let Some(head) =
                            self.buffers[words[control + buffer as usize] as usize].head()
                        else {
                            trap!(Trap::EMPTY);
                        };
                        if type_of(words, head) != message as TypeId {
                            trap!(Trap::WRONG_MESSAGE);
                        }
                        get!(to) = head;
                    }
                    Op::Library { function, base } => break 'library (function, base),
                    Op::ControlLibrary { to, offset } => {
                        get!(to) = words[control + offset as usize];
                        break 'library next_library!();
                    }
                    Op::ControlsLibrary { to, offset } => {
                        get!(to) = words[control + offset as usize];
                        let (to, value) = next!(
                            // As executed, it is the beginning of a sequence as well.
                            Op::ControlLibrary { to, offset } => (to, words[control + offset as usize])
                        );
                        get!(to) = value;
                        break 'library next_library!();
                    }
                    Op::ControlMoveLibrary { to, offset } => {
                        get!(to) = words[control + offset as usize];
                        let (to, value) = next!(Op::Move { to, from } => (to, get!(from)));
                        get!(to) = value;
                        break 'library next_library!();
                    }
                    Op::ControlLoadLibrary { to, offset } => {
                        get!(to) = words[control + offset as usize];
                        let (to, base, offset) =
                            next!(Op::Load { to, base, offset } => (to, base, offset));
                        let address = address!(get!(base));
                        get!(to) = words[address + offset as usize];
                        break 'library next_library!();
                    }
                    Op::LoadUnlessSmall { to, base, offset } => {
                        let address = address!(get!(base));
                        get!(to) = words[address + offset as usize];
                        let (left, value, target) = next!(
                            Op::JumpUnlessSmall { left, value, target } => (left, value, target)
                        );
                        if get!(left) as i64 != i64::from(value) {
                            jump!(target);
                        }
                    }
                    Op::StoreControls { offset, from } => {
                        words[control + offset as usize] = get!(from);
                        for _ in 0..2 {
                            // As executed, the second of four is the beginning of a sequence as well.
                            let (offset, from) = next!(
                                Op::StoreControl { offset, from } | Op::StoreControls { offset, from }
                                    => (offset, from)
                            );
                            words[control + offset as usize] = get!(from);
                        }
                    }
                    Op::PeekUnless { to, buffer, message } => {
                        let Some(head) =
                            self.buffers[words[control + buffer as usize] as usize].head()
                        else {
                            trap!(Trap::EMPTY);
                        };
                        let fits = type_of(words, head) == message as TypeId;
                        get!(to) = if fits { head } else { 0 };
                        let (condition, target) = next!(
                            Op::JumpUnless { condition, target } => (condition, target)
                        );
                        if get!(condition) == 0 {
                            jump!(target);
                        }
                    }
                    Op::SmallJump { to, value, target } => {
                        get!(to) = i64::from(value) as u64;
                        jump!(target);
                    }
                    Op::MoveJump { to, from, target } => {
                        get!(to) = get!(from);
                        jump!(target);
                    }
                    Op::BlockOn { buffer, address } => {
                        let (buffer, line) = (buffer!(buffer), get!(address));
                        if self.blocked_by(line).is_some_and(|by| by != buffer) {
                            attempt!(self.delay_head(buffer));
                            return Ok(Ending::Again);
                        }
                        renew!();
                    }
                    Op::CheckProbe { buffer, address } => {
                        let (buffer, line) = (buffer!(buffer), get!(address));
                        if self.blocked_by(line) == Some(buffer) {
                            attempt!(self.delay_head(buffer));
                            return Ok(Ending::Again);
                        }
                        renew!();
                    }
                    Op::WakeUp { address } => {
                        self.calling = pc - 1;
                        let line = get!(address);
                        attempt!(self.wake_lower(line));
                        renew!();
                    }
                    Op::NewMessage { to, message: of } | Op::NewEntry { to, of } => {
                        let of = of as TypeId;
                        self.looks.has_changed = true;
                        let new = self.words.allocate(of, &program.types[of].initial);
                        renew!();
                        get!(to) = new;
                    }
                    Op::Send { buffer, base } => {
                        let (message, latency, bypass) =
                            (get!(base), get!(base + 1), get!(base + 2));
                        let buffer = buffer!(buffer);
                        attempt!(self.send(buffer, message, latency, bypass != 0));
                        renew!();
                    }
                    Op::Defer { buffer, message } => {
                        let (buffer, message) = (buffer!(buffer) as usize, get!(message));
                        let line = words[control + usize::from(control::ADDRESS)];
                        self.buffers[buffer].defer(line, message);
                    }
                    Op::StallAndWait { buffer, address } => {
                        let (buffer, line) = (buffer!(buffer), get!(address));
                        attempt!(self.stall_and_wait(buffer, line));
                        renew!();
                    }
                    Op::WakeupPort { buffer, address } => {
                        let (buffer, line) = (buffer!(buffer), get!(address));
                        attempt!(self.wake_port(buffer, line));
                        renew!();
                    }
                    Op::NextCycle => {
                        self.wake_next_cycle();
                        renew!();
                    }
                    Op::Trigger { event, state, base } => {
                        let (event, state) = (get!(event), get!(state));
                        let transition = attempt!(self.begin_transition(program, event, state));
                        if transition.needs.iter().all(|need| self.has_room(*need)) {
                            self.resume = Resume { position: Position { pc, fp }, base };
                            self.in_transition = true;
                            pc = transition.code.start as usize;
                            fp += base as usize + 1;
                            renew!();
                        } else {
                            // Room in a buffer may depend on who reads it.
                            self.looks.has_changed = true;
                            stalled = true;
                            self.note_stall(true);
                            renew!();
                            get!(base) = stall::RESOURCE;
                        }
                    }
                    Op::Stall { how } => {
                        let Resume { position: back, base } = self.resume;
                        Position { pc, fp } = back;
                        self.in_transition = false;
                        stalled = true;
                        self.note_stall(u64::from(how) == stall::RESOURCE);
                        renew!();
                        get!(base) = u64::from(how);
                    }
                    Op::Done => {
                        self.note_transition(program);
                        renew!();
                    }
                    Op::End | Op::Handled => return Ok(Ending::Taken),
                    Op::PortEnd => return Ok(Ending::Through { stalled }),
                    Op::Error { text } => trap!(Trap::Error(get!(text))),
                    Op::Assert => trap!(Trap::Assert),
                    Op::NoResult => {
                        trap!(Trap::Other("a function came to its end without returning a value"))
                    }
                    Op::Comment { of, from } => {
                        let value = get!(from);
                        self.comment(of as TypeId, value);
                        renew!();
                    }
                }
                continue 'next;
            };
            let at = fp + base as usize;
            match self.look_up(function, at) {
                Some(Ok(result)) => {
                    renew!();
                    words[at] = result;
                }
                Some(Err(misuse)) => trap!(misuse.into()),
                None => {
                    self.calling = pc - 1;
                    attempt!(self.library(function, at));
                    renew!();
                }
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
