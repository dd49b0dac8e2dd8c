//! The instructions that need little but memory.
//!
//! Most executed instructions are of this kind. They have a loop of their own, whose variables fit
//! the registers of a processor; those of a loop for all instructions would not.

use slicc::compile::code::{Op, Program};
use slicc::compile::types::TypeId;
use slicc::library::LibraryFunction;

use super::fault::Trap;
use super::words::{self, STACK_END};
use crate::ruby::Misuse;
use crate::ruby::buffer::MessageBuffer;
use crate::ruby::cache::CacheMemory;
use crate::ruby::tbe::TbeTable;

/// Number of words that a frame must leave free above itself: functions of the library read five
/// arguments, even if they have fewer.
const MARGIN: usize = 16;

/// The position of execution.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Position {
    /// The index of the next instruction.
    pub pc: usize,
    /// The address of the frame.
    pub fp: usize,
}

/// The objects that are accessed most often.
pub(super) struct Objects<'a> {
    pub buffers: &'a [MessageBuffer],
    pub caches: &'a mut [CacheMemory],
    pub tables: &'a [TbeTable],
    /// Whether the controller has blocked lines.
    pub has_blocked: bool,
    /// The present tick.
    pub now: u64,
    /// Number of calls that the run may still make.
    pub calls_left: u64,
    /// The bits of an address that are cleared to get that of its line.
    pub offset_bits: u64,
}

/// The reason why the loop was left.
pub(super) enum Stop {
    /// The instruction before the position needs more than memory.
    Other,
    /// The outermost function has ended.
    End,
    /// The instruction before the position failed.
    Trap(Trap),
}

/// Executes instructions up to the first one of another kind.
pub(super) fn run(
    program: &Program,
    words: &mut [u64],
    calls: &mut Vec<(u32, u32)>,
    objects: &mut Objects<'_>,
    control: usize,
    position: &mut Position,
) -> Stop {
    let code = &program.code[..];
    let Position { mut pc, mut fp } = *position;
    macro_rules! get {
        ($register:expr) => {
            words[fp + $register as usize]
        };
    }
    macro_rules! stop {
        ($why:expr) => {{
            *position = Position { pc, fp };
            return $why;
        }};
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
                0 => stop!(Stop::Trap(Trap::Null)),
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
    loop {
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
            Op::StoreControl { offset, from } => words[control + offset as usize] = get!(from),
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
            Op::ControlAddress { to, offset } => get!(to) = (control + offset as usize) as u64,
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
                get!(to) = u64::from(words[one..one + count] == words[other..other + count]);
            }
            Op::Add { to, left, right } => calculate!(to, left, right, |a, b| a.wrapping_add(b)),
            Op::Subtract { to, left, right } => {
                calculate!(to, left, right, |a, b| a.wrapping_sub(b))
            }
            Op::Multiply { to, left, right } => {
                calculate!(to, left, right, |a, b| a.wrapping_mul(b))
            }
            Op::Divide { to, left, right } => {
                match (get!(left) as i64).checked_div(get!(right) as i64) {
                    Some(result) => get!(to) = result as u64,
                    None => stop!(Stop::Trap(Trap::Other("a division by zero"))),
                }
            }
            Op::Remainder { to, left, right } => {
                match (get!(left) as i64).checked_rem(get!(right) as i64) {
                    Some(result) => get!(to) = result as u64,
                    None => stop!(Stop::Trap(Trap::Other("a division by zero"))),
                }
            }
            Op::ShiftLeft { to, left, right } => {
                calculate!(to, left, right, |a, b| a.checked_shl(b as u32).unwrap_or(0));
            }
            Op::ShiftRight { to, left, right } => {
                calculate!(to, left, right, |a, b| a.checked_shr(b as u32).unwrap_or(0));
            }
            Op::Narrow { to } => get!(to) = i64::from(get!(to) as i32) as u64,
            Op::Equal { to, left, right } => calculate!(to, left, right, |a, b| u64::from(a == b)),
            Op::NotEqual { to, left, right } => {
                calculate!(to, left, right, |a, b| u64::from(a != b))
            }
            Op::Less { to, left, right } => {
                calculate!(to, left, right, |a, b| u64::from((a as i64) < b as i64));
            }
            Op::LessEqual { to, left, right } => {
                calculate!(to, left, right, |a, b| u64::from(a as i64 <= b as i64));
            }
            Op::Below { to, left, right } => calculate!(to, left, right, |a, b| u64::from(a < b)),
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
                    None => stop!(Stop::Trap(Trap::Other(
                        "a value that is none of its enumeration was used"
                    ))),
                }
            }
            Op::Call { function, base } => {
                let function = program.functions[function as usize];
                let frame = fp + base as usize;
                if frame + function.frame as usize + MARGIN > STACK_END {
                    stop!(Stop::Trap(Trap::Other("functions call each other without end")));
                }
                objects.calls_left = match objects.calls_left.checked_sub(1) {
                    Some(left) => left,
                    None => {
                        stop!(Stop::Trap(Trap::Other("a piece of code makes calls without end")))
                    }
                };
                calls.push((pc as u32, fp as u32));
                fp = frame;
                pc = function.start as usize;
            }
            Op::Return { from } => {
                words[fp] = get!(from);
                match calls.pop() {
                    Some((back, frame)) => (pc, fp) = (back as usize, frame as usize),
                    None => stop!(Stop::End),
                }
            }
            Op::Leave => match calls.pop() {
                Some((back, frame)) => (pc, fp) = (back as usize, frame as usize),
                None => stop!(Stop::End),
            },
            Op::Peek { to, buffer, message } => {
                let Some(head) = objects.buffers[words[control + buffer as usize] as usize].head()
                else {
                    stop!(Stop::Trap(Trap::EMPTY));
                };
                let fits = words::type_of(words, head) == message as TypeId;
                get!(to) = if fits { head } else { 0 };
            }
            Op::PeekSure { to, buffer, message } => {
                let Some(head) = objects.buffers[words[control + buffer as usize] as usize].head()
                else {
                    stop!(Stop::Trap(Trap::EMPTY));
                };
                if words::type_of(words, head) != message as TypeId {
                    stop!(Stop::Trap(Trap::WRONG_MESSAGE));
                }
                get!(to) = head;
            }
            Op::BlockOn { .. } | Op::CheckProbe { .. } if !objects.has_blocked => {}
            Op::Library { function, base } => {
                let at = fp + base as usize;
                match look_up(function, words, objects, at) {
                    Some(Ok(result)) => words[at] = result,
                    Some(Err(misuse)) => stop!(Stop::Trap(Trap::Misuse(misuse))),
                    None => stop!(Stop::Other),
                }
            }
            _ => stop!(Stop::Other),
        }
    }
}

/// Carries out one of the functions that only look something up; `None` for other functions.
#[inline]
fn look_up(
    function: LibraryFunction,
    words: &[u64],
    objects: &mut Objects<'_>,
    at: usize,
) -> Option<Result<u64, Misuse>> {
    let (object, argument) = (words[at] as usize, words[at + 1]);
    Some(match function {
        LibraryFunction::TableLookup => Ok(objects.tables[object].lookup(argument)),
        LibraryFunction::TablePresent => {
            objects.line(argument).map(|line| u64::from(objects.tables[object].is_present(line)))
        }
        // A missing entry is created, which needs more than a lookup.
        LibraryFunction::PerfectLookup => {
            match objects.tables[object].lookup(objects.line_of(argument)) {
                0 => return None,
                entry => Ok(entry),
            }
        }
        LibraryFunction::PerfectPresent => {
            let line = objects.line_of(argument);
            Ok(u64::from(objects.tables[object].is_present(line)))
        }
        LibraryFunction::CacheLookup => {
            objects.line(argument).map(|line| objects.caches[object].lookup(line))
        }
        LibraryFunction::CachePresent => objects
            .line(argument)
            .map(|line| u64::from(objects.caches[object].is_tag_present(line))),
        LibraryFunction::CacheAvailable => {
            objects.line(argument).map(|line| u64::from(objects.caches[object].cache_avail(line)))
        }
        LibraryFunction::CacheTouch => {
            objects.caches[object].set_mru(objects.line_of(argument));
            Ok(0)
        }
        LibraryFunction::CacheTouchEntry => {
            objects.caches[object].set_mru_entry(argument).map(|()| 0)
        }
        // Entries of directories are in no cache.
        LibraryFunction::ChangePermission if object != 0 => {
            if let Some(cache) = words::mark_of(words, object as u64).checked_sub(1) {
                objects.caches[cache as usize].change_permission(object as u64, argument as u8);
            }
            Ok(0)
        }
        LibraryFunction::Now => Ok(objects.now),
        _ => return None,
    })
}

impl Objects<'_> {
    /// The line that contains an address.
    #[inline]
    fn line_of(&self, address: u64) -> u64 {
        address & !self.offset_bits
    }

    /// Checks that an address is that of a line.
    #[inline]
    fn line(&self, address: u64) -> Result<u64, Misuse> {
        match address & self.offset_bits {
            0 => Ok(address),
            _ => Err(Misuse::NotALine(address)),
        }
    }
}
