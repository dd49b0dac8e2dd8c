//! The virtual machine: carries out instructions.

use std::rc::Rc;

use super::fault::Trap;
use super::words::STACK_END;
use super::{Resume, System};
use crate::compile::code::{Op, Register, control, stall};
use crate::compile::types::TypeId;

/// How a run of code ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The body of a port was gone through; nothing was triggered, or what was triggered stalled.
    Through { stalled: bool },
    /// A transition was taken.
    Taken,
    /// The scan has to begin again, although no transition was taken.
    Again,
}

impl System {
    /// Runs code from an instruction on, with its frame at an address, for the current controller.
    pub(super) fn run(&mut self, start: u32, frame: usize) -> Result<Ending, Trap> {
        let program = Rc::clone(&self.program);
        let code = &program.code[..];
        let control_words = self.controllers[self.current].control as usize;
        let mut pc = start as usize;
        let mut fp = frame;
        let mut stalled = false;
        self.calls.clear();
        macro_rules! get {
            ($register:expr) => {
                self.words.words[fp + $register as usize]
            };
        }
        macro_rules! calculate {
            ($to:expr, $left:expr, $right:expr, $with:expr) => {{
                let (left, right): (u64, u64) = (get!($left), get!($right));
                let result: u64 = $with(left, right);
                get!($to) = result;
            }};
        }
        macro_rules! jump {
            ($distance:expr) => {
                pc = pc.wrapping_add_signed($distance as isize)
            };
        }
        // Where an instruction failed is read from `self.pc`.
        macro_rules! attempt {
            ($result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(trap) => {
                        self.pc = pc - 1;
                        return Err(trap.into());
                    }
                }
            };
        }
        loop {
            let op = code[pc];
            pc += 1;
            match op {
                Op::Small { to, value } => get!(to) = i64::from(value) as u64,
                Op::Constant { to, index } => get!(to) = program.constants[index as usize],
                Op::Move { to, from } => get!(to) = get!(from),
                Op::Load { to, base, offset } => {
                    let address = get!(base) as usize;
                    if address == 0 {
                        attempt!(Err(Trap::Null));
                    }
                    get!(to) = self.words.words[address + offset as usize];
                }
                Op::Store { base, offset, from } => {
                    let address = get!(base) as usize;
                    if address == 0 {
                        attempt!(Err(Trap::Null));
                    }
                    self.words.words[address + offset as usize] = get!(from);
                }
                Op::LoadControl { to, offset } => {
                    get!(to) = self.words.words[control_words + offset as usize]
                }
                Op::StoreControl { offset, from } => {
                    self.words.words[control_words + offset as usize] = get!(from)
                }
                Op::LoadThrough {
                    to,
                    control,
                    offset,
                } => {
                    let address = self.words.words[control_words + control as usize] as usize;
                    if address == 0 {
                        attempt!(Err(Trap::Null));
                    }
                    get!(to) = self.words.words[address + offset as usize];
                }
                Op::StoreThrough {
                    control,
                    offset,
                    from,
                } => {
                    let address = self.words.words[control_words + control as usize] as usize;
                    if address == 0 {
                        attempt!(Err(Trap::Null));
                    }
                    self.words.words[address + offset as usize] = get!(from);
                }
                Op::AddressThrough {
                    to,
                    control,
                    offset,
                } => {
                    let address = self.words.words[control_words + control as usize];
                    if address == 0 {
                        attempt!(Err(Trap::Null));
                    }
                    get!(to) = address + u64::from(offset);
                }
                Op::StoreSmall {
                    base,
                    offset,
                    value,
                } => {
                    let address = get!(base) as usize;
                    if address == 0 {
                        attempt!(Err(Trap::Null));
                    }
                    self.words.words[address + offset as usize] = i64::from(value) as u64;
                }
                Op::Address { to, base, offset } => {
                    let address = get!(base);
                    if address == 0 {
                        attempt!(Err(Trap::Null));
                    }
                    get!(to) = address + u64::from(offset);
                }
                Op::FrameAddress { to, register } => get!(to) = (fp + register as usize) as u64,
                Op::ControlAddress { to, offset } => {
                    get!(to) = (control_words + offset as usize) as u64
                }
                Op::Copy { to, from, words } => {
                    let (to, from) = (get!(to) as usize, get!(from) as usize);
                    self.words
                        .words
                        .copy_within(from..from + words as usize, to);
                }
                Op::Fresh { to, of } => {
                    let fresh = program.types[of as TypeId].fresh();
                    let at = fp + to as usize;
                    self.words.words[at..at + fresh.len()].copy_from_slice(fresh);
                }
                Op::Same {
                    to,
                    left,
                    right,
                    words,
                } => {
                    let (left, right, words) =
                        (get!(left) as usize, get!(right) as usize, words as usize);
                    let same = self.words.words[left..left + words]
                        == self.words.words[right..right + words];
                    get!(to) = u64::from(same);
                }
                Op::Add { to, left, right } => calculate!(to, left, right, u64::wrapping_add),
                Op::Subtract { to, left, right } => calculate!(to, left, right, u64::wrapping_sub),
                Op::Multiply { to, left, right } => calculate!(to, left, right, u64::wrapping_mul),
                Op::Divide { to, left, right } => {
                    let (left, right) = (get!(left) as i64, get!(right) as i64);
                    let result = attempt!(
                        left.checked_div(right)
                            .ok_or(Trap::Other("a division by zero"))
                    );
                    get!(to) = result as u64;
                }
                Op::Remainder { to, left, right } => {
                    let (left, right) = (get!(left) as i64, get!(right) as i64);
                    let result = attempt!(
                        left.checked_rem(right)
                            .ok_or(Trap::Other("a division by zero"))
                    );
                    get!(to) = result as u64;
                }
                Op::ShiftLeft { to, left, right } => {
                    calculate!(to, left, right, |left: u64, right: u64| left
                        .checked_shl(right as u32)
                        .unwrap_or(0))
                }
                Op::ShiftRight { to, left, right } => {
                    calculate!(to, left, right, |left: u64, right: u64| left
                        .checked_shr(right as u32)
                        .unwrap_or(0))
                }
                Op::Narrow { to } => get!(to) = i64::from(get!(to) as i32) as u64,
                Op::Equal { to, left, right } => {
                    calculate!(to, left, right, |left, right| u64::from(left == right))
                }
                Op::NotEqual { to, left, right } => {
                    calculate!(to, left, right, |left, right| u64::from(left != right))
                }
                Op::Less { to, left, right } => {
                    calculate!(to, left, right, |left: u64, right: u64| u64::from(
                        (left as i64) < right as i64
                    ))
                }
                Op::LessEqual { to, left, right } => {
                    calculate!(to, left, right, |left: u64, right: u64| u64::from(
                        left as i64 <= right as i64
                    ))
                }
                Op::Below { to, left, right } => {
                    calculate!(to, left, right, |left, right| u64::from(left < right))
                }
                Op::BelowEqual { to, left, right } => {
                    calculate!(to, left, right, |left, right| u64::from(left <= right))
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
                Op::JumpUnlessSmall {
                    left,
                    value,
                    target,
                } => {
                    if get!(left) as i64 != i64::from(value) {
                        jump!(target);
                    }
                }
                Op::JumpIfSmall {
                    left,
                    value,
                    target,
                } => {
                    if get!(left) as i64 == i64::from(value) {
                        jump!(target);
                    }
                }
                Op::JumpIfNull { control, target } => {
                    if self.words.words[control_words + control as usize] == 0 {
                        jump!(target);
                    }
                }
                Op::JumpUnlessNull { control, target } => {
                    if self.words.words[control_words + control as usize] != 0 {
                        jump!(target);
                    }
                }
                Op::Call { function, base } => {
                    let function = program.functions[function as usize];
                    self.calls.push((pc as u32, fp as u32));
                    fp += base as usize;
                    if fp + function.frame as usize + usize::from(Register::MAX) / 8 > STACK_END {
                        attempt!(Err(Trap::Other("functions call each other without end")));
                    }
                    pc = function.start as usize;
                }
                Op::Library { function, base } => {
                    attempt!(self.library(function, fp + base as usize))
                }
                Op::Return { from } => {
                    get!(0u16) = get!(from);
                    let Some((back, frame)) = self.calls.pop() else {
                        return Ok(Ending::Through { stalled });
                    };
                    (pc, fp) = (back as usize, frame as usize);
                }
                Op::Leave => {
                    let Some((back, frame)) = self.calls.pop() else {
                        return Ok(Ending::Through { stalled });
                    };
                    (pc, fp) = (back as usize, frame as usize);
                }
                Op::Peek {
                    to,
                    buffer,
                    message,
                } => {
                    let buffer = self.words.words[control_words + buffer as usize];
                    let head = attempt!(
                        self.buffers[buffer as usize]
                            .head()
                            .ok_or(Trap::Other("a peek into an empty buffer"))
                    );
                    let fits = self.words.type_of(head) == message as TypeId;
                    get!(to) = if fits { head } else { 0 };
                }
                Op::PeekSure {
                    to,
                    buffer,
                    message,
                } => {
                    let buffer = self.words.words[control_words + buffer as usize];
                    let head = attempt!(
                        self.buffers[buffer as usize]
                            .head()
                            .ok_or(Trap::Other("a peek into an empty buffer"))
                    );
                    if self.words.type_of(head) != message as TypeId {
                        let what =
                            "executed a peek statement with the wrong message type specified";
                        attempt!(Err(Trap::Other(what)));
                    }
                    get!(to) = head;
                }
                Op::BlockOn { buffer, address } => {
                    if !self.controllers[self.current].blocked.is_empty() {
                        let line = get!(address);
                        let buffer = self.words.words[control_words + buffer as usize] as u32;
                        if self.blocked_by(line).is_some_and(|by| by != buffer) {
                            attempt!(self.delay_head(buffer));
                            return Ok(Ending::Again);
                        }
                    }
                }
                Op::CheckProbe { buffer, address } => {
                    if !self.controllers[self.current].blocked.is_empty() {
                        let line = get!(address);
                        let buffer = self.words.words[control_words + buffer as usize] as u32;
                        if self.blocked_by(line) == Some(buffer) {
                            attempt!(self.delay_head(buffer));
                            return Ok(Ending::Again);
                        }
                    }
                }
                Op::WakeUp { address } => {
                    let line = get!(address);
                    self.wake_lower(line);
                }
                Op::NewMessage { to, message } => {
                    let of = message as TypeId;
                    let object = self.words.allocate(of, &program.types[of].initial);
                    get!(to) = object;
                }
                Op::NewEntry { to, of } => {
                    let of = of as TypeId;
                    let object = self.words.allocate(of, &program.types[of].initial);
                    get!(to) = object;
                }
                Op::Send { buffer, base } => {
                    let buffer = self.words.words[control_words + buffer as usize] as u32;
                    let (message, latency, bypass) = (get!(base), get!(base + 1), get!(base + 2));
                    attempt!(self.send(buffer, message, latency, bypass != 0));
                }
                Op::Defer { buffer, message } => {
                    let buffer = self.words.words[control_words + buffer as usize] as usize;
                    let line = self.words.words[control_words + usize::from(control::ADDRESS)];
                    let message = get!(message);
                    self.buffers[buffer].defer(line, message);
                }
                Op::StallAndWait { buffer, address } => {
                    let buffer = self.words.words[control_words + buffer as usize] as u32;
                    let line = get!(address);
                    attempt!(self.stall_and_wait(buffer, line));
                }
                Op::WakeupPort { buffer, address } => {
                    let buffer = self.words.words[control_words + buffer as usize] as u32;
                    let line = get!(address);
                    self.wake_port(buffer, line);
                }
                Op::NextCycle => self.wake_next_cycle(),
                Op::Lookup { to, from, table } => {
                    let entry = program.tables[table as usize].get(get!(from) as usize);
                    get!(to) = *attempt!(entry.ok_or(Trap::Other(
                        "a value that is none of its enumeration was used"
                    )));
                }
                Op::Trigger { event, state, base } => {
                    let machine = &program.machines[self.controllers[self.current].machine];
                    let (event, state) = (get!(event) as usize, get!(state) as usize);
                    if state >= machine.states.len() || event >= machine.events.len() {
                        attempt!(Err(Trap::Other("a state or event that was never set")));
                    }
                    let number = machine.table[state * machine.events.len() + event];
                    if number == 0 {
                        attempt!(Err(Trap::NoTransition {
                            state: state as u16,
                            event: event as u16
                        }));
                    }
                    let transition = &machine.transitions[number as usize - 1];
                    self.words.words[control_words + usize::from(control::BEFORE)] = state as u64;
                    let after = transition.next.map_or(state as u64, u64::from);
                    self.words.words[control_words + usize::from(control::AFTER)] = after;
                    self.transition = number - 1;
                    if transition.needs.iter().all(|need| self.has_room(*need)) {
                        self.resume = Resume {
                            pc: pc as u32,
                            fp: fp as u32,
                            base,
                        };
                        pc = transition.code.start as usize;
                        fp += base as usize + 1;
                    } else {
                        stalled = true;
                        get!(base) = stall::RESOURCE;
                        self.note_stall(true);
                    }
                }
                Op::Stall { how } => {
                    let Resume {
                        pc: back,
                        fp: frame,
                        base,
                    } = self.resume;
                    (pc, fp) = (back as usize, frame as usize);
                    stalled = true;
                    get!(base) = u64::from(how);
                    self.note_stall(u64::from(how) == stall::RESOURCE);
                }
                Op::Done => self.note_transition(),
                Op::End | Op::Handled => return Ok(Ending::Taken),
                Op::PortEnd => return Ok(Ending::Through { stalled }),
                Op::Error { text } => {
                    let text = get!(text);
                    attempt!(Err(Trap::Error(text)));
                }
                Op::Assert => attempt!(Err(Trap::Assert)),
                Op::NoResult => attempt!(Err(Trap::Other(
                    "a function came to its end without returning a value"
                ))),
                Op::Comment { of, from } => {
                    let value = get!(from);
                    self.comment(of as TypeId, value);
                }
            }
        }
    }
}
