//! The virtual machine, which executes instructions.
//!
//! One loop executes all instructions. It keeps the registers, the heap and the code, which most instructions use, in local
//! variables, which the compiler can keep in registers of the processor. Instructions that use the rest of the system call
//! functions outside of the loop.

use slicc::compile::code::Program;
use slicc::compile::op::{Op, Operation, control, stall};
use slicc::compile::types::TypeId;
use slicc::library::{CallbackFunction, LibraryFunction};

use super::fault::Trap;
use super::words::{HEAP, type_in};
use super::{Resume, System};

/// The position of execution.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Position {
    /// The index of the instruction that was executed last.
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

impl System {
    /// Runs code of the current controller from an instruction on, with its frame at an address.
    pub(super) fn run(
        &mut self,
        program: &Program,
        start: u32,
        frame: usize,
    ) -> Result<Ending, Trap> {
        let code = &program.fused[..];
        // The index in the heap of the controller's control words.
        let control = self.controllers[self.current].control as usize - HEAP;
        let mut fp = frame;
        // The index of the instruction that is executed.
        let mut pc = (start as usize).wrapping_sub(1);
        let mut stalled = false;
        let mut calls_left = MOST_CALLS;
        self.calls.clear();
        self.in_transition = false;
        // Whatever uses the system as a whole, or moves the frame, is followed by `renew`.
        let (mut registers, mut heap) = self.words.split(fp);
        macro_rules! renew {
            () => {
                (registers, heap) = self.words.split(fp)
            };
        }
        macro_rules! get {
            ($register:expr) => {
                registers[$register as usize]
            };
        }
        macro_rules! control {
            ($offset:expr) => {
                heap[control + $offset as usize]
            };
        }
        // The place of a failed instruction is taken from `self.pc`.
        macro_rules! trap {
            ($trap:expr) => {{
                self.pc = pc;
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
        // The word at an offset of an address, which is mostly in the heap.
        macro_rules! load {
            ($address:expr, $offset:expr) => {{
                let (address, offset) = ($address as usize, $offset as usize);
                match heap.get((address + offset).wrapping_sub(HEAP)) {
                    Some(word) => *word,
                    None => {
                        let word = attempt!(self.words.load(address, offset));
                        renew!();
                        word
                    }
                }
            }};
        }
        macro_rules! store {
            ($address:expr, $offset:expr, $value:expr) => {{
                let (address, offset, value) = ($address as usize, $offset as usize, $value);
                match heap.get_mut((address + offset).wrapping_sub(HEAP)) {
                    Some(word) => *word = value,
                    None => {
                        attempt!(self.words.store(address, offset, value));
                        renew!();
                    }
                }
            }};
        }
        // The head of the buffer in a control word.
        macro_rules! head {
            ($buffer:expr) => {
                match self.buffers[control!($buffer) as usize].head() {
                    Some(head) => head,
                    None => trap!(Trap::EMPTY),
                }
            };
        }
        // Sets a register to the head of a buffer, or to null if that is another type of message.
        macro_rules! peek {
            ($to:expr, $buffer:expr, $message:expr) => {{
                let head = head!($buffer);
                let fits = type_in(heap, head) == $message as TypeId;
                get!($to) = if fits { head } else { 0 };
            }};
        }
        macro_rules! calculate {
            ($to:ident, $left:ident, $right:ident, |$a:ident, $b:ident| $result:expr) => {{
                let ($a, $b) = (get!($left), get!($right));
                get!($to) = $result;
            }};
        }
        // The next instruction, which `fuse` has seen to be of a kind.
        macro_rules! next {
            ($($op:pat => $result:expr),+) => {{
                pc += 1;
                match code[pc] {
                    $($op => $result,)+
                    _ => trap!(Trap::Other("an instruction that is no instruction")),
                }
            }};
        }
        macro_rules! new_object {
            ($of:expr) => {{
                let of = $of as TypeId;
                self.wakeup_log.has_changed = true;
                let new = self.words.allocate(of, &program.types[of].initial);
                renew!();
                new
            }};
        }
        // Whether the next instruction, `JumpUnless`, jumps.
        macro_rules! next_jump_unless {
            () => {{
                let (condition, target) =
                    next!(Op::JumpUnless { condition, target } => (condition, target));
                let jumps = get!(condition) == 0;
                if jumps {
                    jump!(target);
                }
                jumps
            }};
        }
        macro_rules! next_load {
            () => {{
                let (to, base, offset) = next!(
                    // When fused, it may also be the first instruction of a sequence.
                    Op::Load { to, base, offset }
                        | Op::LoadUnlessSmall { to, base, offset }
                        | Op::LoadStoreControls { to, base, offset } => (to, base, offset)
                );
                get!(to) = load!(get!(base), offset);
            }};
        }
        macro_rules! store_controls {
            ($count:expr) => {
                for _ in 0..$count {
                    // When fused, the second of the four is also the first instruction of a sequence.
                    let (offset, from) = next!(
                        Op::StoreControl { offset, from } | Op::StoreControls { offset, from }
                            => (offset, from)
                    );
                    control!(offset) = get!(from);
                }
            };
        }
        macro_rules! look_up {
            ($from:expr, $table:expr) => {
                match program.tables[$table as usize].get(get!($from) as usize) {
                    Some(entry) => *entry,
                    None => trap!(Trap::NO_ENUMERATOR),
                }
            };
        }
        macro_rules! next_library {
            () => {
                next!(Op::Library { function, base } => (function, base))
            };
        }
        // The result of a function of the library that uses the system as a whole.
        macro_rules! called {
            ($call:expr) => {{
                let result = $call;
                renew!();
                result
            }};
        }
        // The result of such a function that has none and cannot fail.
        macro_rules! done {
            ($call:expr) => {{
                $call;
                renew!();
                Some(0)
            }};
        }
        // The result of a callback of a sequencer.
        macro_rules! callback {
            ($function:ident, $sequencer:expr, $line:expr, $block:expr) => {{
                (self.calling, self.wakeup_log.has_changed) = (pc, true);
                let (sequencer, line, block) = ($sequencer, $line, $block);
                done!(attempt!(self.callback(CallbackFunction::$function, sequencer, line, block)))
            }};
        }
        'next: loop {
            // Only calls of the library leave this block by its end.
            let (function, base) = 'library: {
                pc = pc.wrapping_add(1);
                match code[pc] {
                    Op::Small { to, value } => get!(to) = i64::from(value) as u64,
                    Op::Constant { to, index } => get!(to) = program.constants[index as usize],
                    Op::Move { to, from } => get!(to) = get!(from),
                    Op::Load { to, base, offset } => {
                        get!(to) = load!(get!(base), offset);
                    }
                    Op::Store { base, offset, from } => {
                        store!(get!(base), offset, get!(from));
                    }
                    Op::StoreSmall { base, offset, value } => {
                        store!(get!(base), offset, i64::from(value) as u64);
                    }
                    Op::LoadControl { to, offset } => get!(to) = control!(offset),
                    Op::StoreControl { offset, from } => control!(offset) = get!(from),
                    Op::LoadThrough { to, control: word, offset } => {
                        get!(to) = load!(control!(word), offset);
                    }
                    Op::StoreThrough { control: word, offset, from } => {
                        store!(control!(word), offset, get!(from));
                    }
                    Op::AddressThrough { to, control: word, offset } => {
                        let address = address!(control!(word));
                        get!(to) = (address + offset as usize) as u64;
                    }
                    Op::Address { to, base, offset } => {
                        let address = address!(get!(base));
                        get!(to) = (address + offset as usize) as u64;
                    }
                    Op::FrameAddress { to, register } => get!(to) = (fp + register as usize) as u64,
                    Op::ControlAddress { to, offset } => {
                        get!(to) = (HEAP + control + offset as usize) as u64
                    }
                    Op::Copy { to, from, words: count } => {
                        let (to, from) = (get!(to) as usize, get!(from) as usize);
                        self.words.words.copy_within(from..from + count as usize, to);
                        renew!();
                    }
                    Op::Initialize { to, of } => {
                        let fresh = program.types[of as TypeId].fresh();
                        registers[to as usize..to as usize + fresh.len()].copy_from_slice(fresh);
                    }
                    Op::EqualWords { to, left, words: count } => {
                        let (one, other, count) =
                            (get!(left) as usize, get!(left + 1) as usize, count as usize);
                        let words = &self.words.words;
                        let equal = words[one..one + count] == words[other..other + count];
                        renew!();
                        get!(to) = u64::from(equal);
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
                        if control!(word) == 0 {
                            jump!(target);
                        }
                    }
                    Op::JumpUnlessNull { control: word, target } => {
                        if control!(word) != 0 {
                            jump!(target);
                        }
                    }
                    Op::Lookup { to, from, table } => get!(to) = look_up!(from, table),
                    Op::Call { function, base } => {
                        let function = program.functions[function as usize];
                        let frame = fp + base as usize;
                        if !self.words.has_room(frame, function.frame) {
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
                        pc = (function.start as usize).wrapping_sub(1);
                        renew!();
                    }
                    Op::Return { from } => {
                        registers[0] = get!(from);
                        match self.calls.pop() {
                            Some((back, frame)) => (pc, fp) = (back as usize, frame as usize),
                            None => return Ok(Ending::Through { stalled }),
                        }
                        renew!();
                    }
                    Op::Leave => {
                        match self.calls.pop() {
                            Some((back, frame)) => (pc, fp) = (back as usize, frame as usize),
                            None => return Ok(Ending::Through { stalled }),
                        }
                        renew!();
                    }
                    Op::Peek { to, buffer, message } => peek!(to, buffer, message),
                    Op::PeekSure { to, buffer, message } => {
                        let head = head!(buffer);
                        if type_in(heap, head) != message as TypeId {
                            trap!(Trap::WRONG_MESSAGE);
                        }
                        get!(to) = head;
                    }
                    Op::Library { function, base } => break 'library (function, base),
                    Op::ControlLibrary { to, offset } => {
                        get!(to) = control!(offset);
                        break 'library next_library!();
                    }
                    Op::ControlsLibrary { to, offset } => {
                        get!(to) = control!(offset);
                        let (to, value) = next!(
                            // When fused, it is also the first instruction of a sequence.
                            Op::ControlLibrary { to, offset } => (to, control!(offset))
                        );
                        get!(to) = value;
                        break 'library next_library!();
                    }
                    Op::ControlMoveLibrary { to, offset } => {
                        get!(to) = control!(offset);
                        let (to, value) = next!(Op::Move { to, from } => (to, get!(from)));
                        get!(to) = value;
                        break 'library next_library!();
                    }
                    Op::ControlLoadLibrary { to, offset } => {
                        get!(to) = control!(offset);
                        let (to, base, offset) =
                            next!(Op::Load { to, base, offset } => (to, base, offset));
                        get!(to) = load!(get!(base), offset);
                        break 'library next_library!();
                    }
                    Op::LoadUnlessSmall { to, base, offset } => {
                        get!(to) = load!(get!(base), offset);
                        let (left, value, target) = next!(
                            Op::JumpUnlessSmall { left, value, target } => (left, value, target)
                        );
                        if get!(left) as i64 != i64::from(value) {
                            jump!(target);
                        }
                    }
                    Op::StoreControls { offset, from } => {
                        control!(offset) = get!(from);
                        store_controls!(2);
                    }
                    Op::PeekUnless { to, buffer, message } => {
                        peek!(to, buffer, message);
                        next_jump_unless!();
                    }
                    Op::PeekLoad { to, buffer, message } => {
                        peek!(to, buffer, message);
                        if !next_jump_unless!() {
                            next_load!();
                        }
                    }
                    Op::LoadStoreControls { to, base, offset } => {
                        get!(to) = load!(get!(base), offset);
                        store_controls!(3);
                    }
                    Op::ControlStore { to, offset } => {
                        get!(to) = control!(offset);
                        let (base, offset, from) = next!(
                            // When fused, it is also the first instruction of a sequence.
                            Op::Store { base, offset, from }
                                | Op::StoreStoreSmall { base, offset, from } => (base, offset, from)
                        );
                        store!(get!(base), offset, get!(from));
                    }
                    Op::ControlLookup { to, offset } => {
                        get!(to) = control!(offset);
                        let (to, from, table) =
                            next!(Op::Lookup { to, from, table } => (to, from, table));
                        get!(to) = look_up!(from, table);
                    }
                    Op::StoreStoreSmall { base, offset, from } => {
                        store!(get!(base), offset, get!(from));
                        let (base, offset, value) =
                            next!(Op::StoreSmall { base, offset, value } => (base, offset, value));
                        store!(get!(base), offset, i64::from(value) as u64);
                    }
                    Op::MoveUnlessSmall { left, value, target } => {
                        if get!(left) as i64 == i64::from(value) {
                            jump!(target);
                        } else {
                            let (to, from, distance) = next!(
                                Op::Move { to, from } => (to, from, 0),
                                Op::MoveJump { to, from, target } => (to, from, target)
                            );
                            get!(to) = get!(from);
                            jump!(distance);
                        }
                    }
                    Op::SmallNewMessage { to, value } => {
                        get!(to) = i64::from(value) as u64;
                        let (to, of) = next!(Op::NewMessage { to, message } => (to, message));
                        get!(to) = new_object!(of);
                    }
                    Op::LoadUnlessNull { control: word, target } => {
                        if control!(word) == 0 {
                            jump!(target);
                        } else {
                            let (to, control, offset) = next!(
                                Op::LoadThrough { to, control, offset } => (to, control, offset)
                            );
                            get!(to) = load!(control!(control), offset);
                        }
                    }
                    Op::StoreUnlessNull { control: word, target } => {
                        if control!(word) == 0 {
                            jump!(target);
                        } else {
                            let (to, offset) =
                                next!(Op::LoadControl { to, offset } => (to, offset));
                            get!(to) = control!(offset);
                            let (control, offset, from) = next!(
                                Op::StoreThrough { control, offset, from } => (control, offset, from)
                            );
                            store!(control!(control), offset, get!(from));
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
                    Op::Aware { operation: Operation::EqualWords, .. } => {
                        const WHY: &str = "it compares structures";
                        self.others.refuse(pc, WHY);
                        trap!(Trap::Unsupported(WHY));
                    }
                    Op::Aware {
                        operation: Operation::Divide | Operation::Remainder,
                        right,
                        ..
                    } if get!(right) == 0 => trap!(Trap::Other("a division by zero")),
                    Op::Aware { operation, to, left, right } => {
                        get!(to) = self.others.operate(pc, operation, get!(left), get!(right));
                    }
                    Op::AwareJumpIfSmall { left, value, target } => {
                        if self.others.are_equal(get!(left), i64::from(value) as u64) {
                            jump!(target);
                        }
                    }
                    Op::AwareJumpUnlessSmall { left, value, target } => {
                        if !self.others.are_equal(get!(left), i64::from(value) as u64) {
                            jump!(target);
                        }
                    }
                    Op::BlockOn { buffer, address } => {
                        let (buffer, line) = (control!(buffer) as u32, get!(address));
                        let by = self.controllers[self.current].blocked_by(line);
                        if by.is_some_and(|by| by != buffer) {
                            attempt!(self.delay_head(buffer));
                            return Ok(Ending::Again);
                        }
                    }
                    Op::CheckProbe { buffer, address } => {
                        let (buffer, line) = (control!(buffer) as u32, get!(address));
                        if self.controllers[self.current].blocked_by(line) == Some(buffer) {
                            attempt!(self.delay_head(buffer));
                            return Ok(Ending::Again);
                        }
                    }
                    Op::WakeUp { address } => {
                        self.calling = pc;
                        let line = get!(address);
                        attempt!(self.wake_lower(line));
                        renew!();
                    }
                    Op::NewMessage { to, message: of } | Op::NewEntry { to, of } => {
                        get!(to) = new_object!(of);
                    }
                    Op::Send { buffer, base } => {
                        let (message, latency, bypass) =
                            (get!(base), get!(base + 1), get!(base + 2));
                        let buffer = control!(buffer) as u32;
                        attempt!(self.send(buffer, message, latency, bypass != 0));
                        renew!();
                    }
                    Op::Defer { buffer, message } => {
                        let (buffer, message) = (control!(buffer) as usize, get!(message));
                        let line = control!(control::ADDRESS);
                        self.buffers.edit(buffer).defer(line, message);
                    }
                    Op::StallAndWait { buffer, address } => {
                        let (buffer, line) = (control!(buffer) as u32, get!(address));
                        attempt!(self.stall_and_wait(buffer, line));
                        renew!();
                    }
                    Op::WakeupPort { buffer, address } => {
                        let (buffer, line) = (control!(buffer) as u32, get!(address));
                        attempt!(self.wake_port(buffer, line));
                        renew!();
                    }
                    Op::NextCycle => {
                        self.wake_next_cycle();
                        renew!();
                    }
                    Op::Trigger { event, state, base } => {
                        let (event, state) = (get!(event), get!(state));
                        match attempt!(self.begin_transition(program, event, state)) {
                            Some(begin) => {
                                self.resume = Resume { position: Position { pc, fp }, base };
                                pc = (begin as usize).wrapping_sub(1);
                                fp += base as usize + 1;
                                renew!();
                            }
                            None => {
                                stalled = true;
                                renew!();
                                get!(base) = stall::RESOURCE;
                            }
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
            let (a, b) = (get!(base), get!(base + 1));
            // The most frequent functions. If one fails, its result is `None`, and `library` makes the error.
            let result = match function {
                LibraryFunction::TableLookup => Some(self.line_tables.tables[a as usize].lookup(b)),
                LibraryFunction::CacheLookup if self.line_tables.is_line(b) => {
                    Some(self.line_tables.caches[a as usize].lookup(b))
                }
                LibraryFunction::CachePresent if self.line_tables.is_line(b) => {
                    Some(u64::from(self.line_tables.caches[a as usize].is_tag_present(b)))
                }
                LibraryFunction::CacheAvailable if self.line_tables.is_line(b) => {
                    Some(u64::from(self.line_tables.caches[a as usize].cache_avail(b)))
                }
                LibraryFunction::DirectoryLookup => {
                    self.line_tables.directories[a as usize].find(b)
                }
                LibraryFunction::TablePresent if self.line_tables.is_line(b) => {
                    Some(u64::from(self.line_tables.tables[a as usize].is_present(b)))
                }
                LibraryFunction::PerfectPresent => {
                    let line = self.line_tables.line_of(b);
                    Some(u64::from(self.line_tables.tables[a as usize].is_present(line)))
                }
                // A missing entry is created, which needs more than a lookup.
                LibraryFunction::PerfectLookup => {
                    let line = self.line_tables.line_of(b);
                    Some(self.line_tables.tables[a as usize].lookup(line))
                        .filter(|&entry| entry != 0)
                }
                LibraryFunction::InDequeue => called!(self.take_head(a)),
                LibraryFunction::ChangePermission if a != 0 => {
                    done!(self.change_permission(a, b))
                }
                LibraryFunction::DestAdd => called!(self.add_machine(a, b)),
                LibraryFunction::DestRemove => called!(self.remove_machine(a, b)),
                LibraryFunction::DestClear => done!(self.clear_machines(a)),
                LibraryFunction::DestCount => called!(self.count_machines(a)),
                LibraryFunction::TableAllocate => called!(self.allocate_transaction(a, b)),
                LibraryFunction::TableDeallocate => called!(self.free_transaction(a, b)),
                LibraryFunction::CacheAllocate => {
                    let entry = get!(base + 2);
                    called!(self.allocate_entry(a, b, entry))
                }
                LibraryFunction::CacheDeallocate => called!(self.free_entry(a, b)),
                LibraryFunction::CacheProbe => called!(self.victim(a, b)),
                LibraryFunction::CacheTouch => {
                    self.wakeup_log.has_changed = true;
                    self.line_tables.touch(a as usize, b);
                    Some(0)
                }
                LibraryFunction::CacheTouchEntry if b != 0 => {
                    done!(self.touch_entry(a, b))
                }
                LibraryFunction::CacheCheck => {
                    let line = get!(base + 2);
                    called!(Some(u64::from(self.bank_is_free(a as usize, b, line))))
                }
                LibraryFunction::CacheRecord => {
                    let line = get!(base + 2);
                    done!(self.record_access(a as usize, b, line))
                }
                LibraryFunction::WakeAllOfLine => {
                    self.wakeup_log.has_changed = true;
                    attempt!(self.wake_every_rank(a));
                    renew!();
                    Some(0)
                }
                LibraryFunction::MapToMachine => {
                    self.calling = pc;
                    let home = attempt!(self.home(a, b));
                    renew!();
                    Some(home)
                }
                LibraryFunction::MapToRange => {
                    let range = [a, b, get!(base + 2), get!(base + 3)];
                    called!(self.home_in_range(range))
                }
                LibraryFunction::ReadDone => callback!(ReadDone, a, b, get!(base + 2)),
                LibraryFunction::WriteDone => callback!(WriteDone, a, b, get!(base + 2)),
                LibraryFunction::MachineKind => {
                    self.wakeup_log.has_changed = true;
                    Some(a >> 32)
                }
                LibraryFunction::Now => {
                    self.wakeup_log.has_changed = true;
                    Some(self.now)
                }
                _ => None,
            };
            match result {
                Some(result) => get!(base) = result,
                None => {
                    self.calling = pc;
                    attempt!(self.library(function, fp + base as usize));
                    renew!();
                }
            }
        }
    }
}
