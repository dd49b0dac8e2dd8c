//! Instructions that CPUs executed: loads, stores, locked operations and fences of the flag Exec.

use history::{Access, HistoryBuilder, Kind, Place};
use memchr::memmem::{self, Finder};
use memchr::memrchr;
use nom::bytes::complete::{tag, take_while_m_n};
use nom::{IResult, Parser};
use rustc_hash::FxHashMap;

use crate::error::Fault;
use crate::options::Options;

/// What the text of an Exec line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instruction<'a> {
    Access {
        store: bool,
        mnemonic: &'a [u8],
        address: u64,
        value: Option<u64>,
    },
    Fence,
    WeakFence,
    /// Anything else, and whether an operation class is shown.
    Other {
        class: bool,
    },
}

/// A hardware thread.
#[derive(Debug)]
struct Hart {
    label: u32,
    /// Whether an access was taken already, so that a fence has something to order.
    accessed: bool,
    /// A fence since the last access.
    fence: Option<u64>,
    /// The load of a locked read-modify-write.
    locked: Option<Locked>,
}

#[derive(Clone, Copy, Debug)]
struct Locked {
    address: u64,
    value: Option<u64>,
    line: u64,
    tick: Option<u64>,
}

/// Instructions so far.
#[derive(Debug)]
pub(crate) struct Exec {
    pub builder: HistoryBuilder,
    harts: Vec<Hart>,
    /// By object and hardware thread.
    by_name: FxHashMap<(usize, u32), usize>,
    pub accesses: u64,
    pub weak_fences: u64,
    pub lines: u64,
    pub hardware_threads: bool,
    pub renumbered: bool,
    classes: bool,
    fence: Finder<'static>,
}

/// Where a line stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub line: u64,
    pub tick: Option<u64>,
    /// Bytes of a cache line.
    pub block: u64,
}

impl Default for Exec {
    fn default() -> Self {
        Exec {
            builder: HistoryBuilder::new(),
            harts: Vec::new(),
            by_name: FxHashMap::default(),
            accesses: 0,
            weak_fences: 0,
            lines: 0,
            hardware_threads: false,
            renumbered: false,
            classes: false,
            fence: Finder::new(b"fence"),
        }
    }
}

impl Exec {
    /// Takes in a line of the `thread`-th hardware thread of a CPU.
    pub(crate) fn line(
        &mut self,
        cpu: (usize, u32),
        thread: u32,
        text: &[u8],
        at: At,
        options: &Options,
    ) -> Result<(), Fault> {
        self.lines += 1;
        let instruction = instruction(text, &self.fence)?;
        match instruction {
            Instruction::Other { class } => {
                self.classes |= class;
                if !class && self.classes && is_micro(text) {
                    return Err(Fault::Cut("the operation class of the micro-operation"));
                }
            }
            Instruction::WeakFence => self.weak_fences += 1,
            Instruction::Fence => {
                let hart = self.hart(cpu, thread);
                self.harts[hart].fence = Some(at.line);
            }
            Instruction::Access {
                store,
                mnemonic,
                address,
                value,
            } => {
                self.accesses += 1;
                self.classes = true;
                let hart = self.hart(cpu, thread);
                self.access(hart, store, mnemonic, address, value, at, options);
            }
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    fn access(
        &mut self,
        hart: usize,
        store: bool,
        mnemonic: &[u8],
        address: u64,
        value: Option<u64>,
        at: At,
        options: &Options,
    ) {
        let locked = self.harts[hart].locked.take();
        if mnemonic == b"ldstl" {
            if let Some(alone) = locked {
                self.locked_alone(hart, alone, at, options);
            }
            let Some(hart) = self.harts.get_mut(hart) else {
                return;
            };
            hart.locked = Some(Locked {
                address,
                value,
                line: at.line,
                tick: at.tick,
            });
            return;
        }
        let joined = locked.filter(|locked| store && locked.address == address);
        if let (Some(alone), None) = (locked, joined) {
            self.locked_alone(hart, alone, at, options);
        }
        let kind = match (mnemonic, joined) {
            (_, Some(read)) if read.value.is_some() && read.value == value => Kind::FailedCas,
            (b"stul", _) | (_, Some(_)) => Kind::Rmw,
            _ if store => Kind::Store,
            _ => Kind::Load,
        };
        let read = match (kind, joined) {
            (Kind::Load, _) => value,
            (_, Some(locked)) => locked.value,
            _ => None,
        };
        let written = value.filter(|_| store);
        self.push(hart, kind, address, (read, written), at, options);
    }

    /// A locked load without its store reads, and orders like a read-modify-write.
    fn locked_alone(&mut self, hart: usize, locked: Locked, at: At, options: &Options) {
        let at = At {
            line: locked.line,
            tick: locked.tick,
            ..at
        };
        let values = (locked.value, None);
        self.push(hart, Kind::FailedCas, locked.address, values, at, options);
    }

    fn push(
        &mut self,
        hart: usize,
        kind: Kind,
        address: u64,
        (read, written): (Option<u64>, Option<u64>),
        at: At,
        options: &Options,
    ) {
        let Some(hart) = self.harts.get_mut(hart) else {
            return;
        };
        if !options.wants_address(address) {
            // What is locked orders the accesses around it, wherever it goes.
            if kind.is_atomic() {
                hart.fence = Some(at.line);
            }
            return;
        }
        if !options.wants_tick(at.tick) {
            return;
        }
        let access = |kind, place, line| Access {
            sequence: at.line,
            line: Some(line),
            order: Some(line),
            completed: at.tick,
            ..Access::new(hart.label, kind, place)
        };
        if let (Some(line), true) = (hart.fence.take(), hart.accessed) {
            self.builder.push(access(Kind::Fence, Place::Nowhere, line));
        }
        hart.accessed = true;
        let block = at.block.max(1);
        let place = Place::Unsized {
            address,
            available: (block - address % block).min(8) as u8,
            mask: false,
        };
        self.builder.push(Access {
            read,
            written,
            ..access(kind, place, at.line)
        });
    }

    /// The hardware thread of a CPU, which is object `cpu.0` and numbered `cpu.1`.
    fn hart(&mut self, cpu: (usize, u32), thread: u32) -> usize {
        if let Some(&hart) = self.by_name.get(&(cpu.0, thread)) {
            return hart;
        }
        self.hardware_threads |= thread > 0;
        let wanted = cpu.1.wrapping_add(thread.wrapping_mul(HARDWARE_THREAD));
        let mut label = wanted;
        while self.harts.iter().any(|hart| hart.label == label) {
            label = label.wrapping_add(1);
        }
        self.renumbered |= label != wanted;
        self.harts.push(Hart {
            label,
            accessed: false,
            fence: None,
            locked: None,
        });
        self.by_name.insert((cpu.0, thread), self.harts.len() - 1);
        self.harts.len() - 1
    }
}

/// Distance of the labels of a CPU's hardware threads.
pub(crate) const HARDWARE_THREAD: u32 = 10_000;

/// Reads an Exec line from its end, where the parts stand that matter.
fn instruction<'a>(text: &'a [u8], fence: &Finder<'_>) -> Result<Instruction<'a>, Fault> {
    let mut rest = text.trim_ascii_end();
    let (mut address, mut value, mut shown, mut predicated) = (None, None, false, false);
    loop {
        let at = memrchr(b' ', rest).map_or(0, |at| at + 1);
        let word = &rest[at..];
        if word == b":" {
            rest = rest[..at].trim_ascii_end();
            break;
        }
        if let Some(digits) = word.strip_prefix(b"A=") {
            address = Some(hex(digits).ok_or(Fault::Cut("an address"))?);
        } else if let Some(digits) = word.strip_prefix(b"D=") {
            shown = true;
            value = hex(digits);
            if digits.len() < 18 && digits.starts_with(b"0") && rest.len() == text.len() {
                return Err(Fault::Cut("16 digits of data, and an address"));
            }
        } else if word == b"False" || word == b"Predicated" {
            predicated = true;
        } else if !is_annotation(word) || at == 0 {
            return Ok(other(text, false, fence));
        }
        rest = rest[..at].trim_ascii_end();
    }
    let at = memrchr(b' ', rest).map_or(0, |at| at + 1);
    let class = &rest[at..];
    let store = class.ends_with(b"MemWrite");
    let before = rest[..at].trim_ascii_end();
    if !before.ends_with(b" :") || class.is_empty() {
        return Ok(other(text, false, fence));
    }
    if !(store || class.ends_with(b"MemRead")) {
        return Ok(other(text, true, fence));
    }
    let Some(address) = address else {
        if shown && !predicated {
            return Err(Fault::Cut("the address of the access"));
        }
        return Ok(Instruction::Other { class: true });
    };
    if predicated {
        return Ok(Instruction::Other { class: true });
    }
    Ok(Instruction::Access {
        store,
        mnemonic: mnemonic(before),
        address,
        value,
    })
}

fn is_annotation(word: &[u8]) -> bool {
    [&b"FetchSeq="[..], b"CPSeq=", b"flags="]
        .iter()
        .any(|name| word.starts_with(name))
}

/// The first word behind the last ` : ` of `… : <mnemonic> <operands> :`.
fn mnemonic(before: &[u8]) -> &[u8] {
    let text = before.strip_suffix(b" :").unwrap_or(before);
    let start = memmem::rfind(text, b" : ").map_or(0, |at| at + 3);
    let text = text.get(start..).unwrap_or_default().trim_ascii_start();
    let end = text.iter().position(u8::is_ascii_whitespace);
    &text[..end.unwrap_or(text.len())]
}

/// An instruction without a memory access: it may be a fence.
fn other<'a>(text: &'a [u8], class: bool, fence: &Finder<'_>) -> Instruction<'a> {
    let other = Instruction::Other { class };
    if fence.find(text).is_none() || !is_micro(text) {
        return other;
    }
    let start = memmem::find(text, b" : ").map_or(0, |at| at + 3);
    let words = text.get(start..).unwrap_or_default();
    let mut names = words
        .split(|&byte| byte == b' ' || byte == b'\t')
        .map(|word| word.rsplit(|&byte| byte == b'.').next().unwrap_or(word));
    names
        .find_map(|name| match name {
            b"mfence" => Some(Instruction::Fence),
            b"lfence" | b"sfence" => Some(Instruction::WeakFence),
            _ => None,
        })
        .unwrap_or(other)
}

/// Whether a line is of a micro-operation: `<pc> @<symbol>. 3 : …`.
fn is_micro(text: &[u8]) -> bool {
    let Some(at) = memmem::find(text, b" : ") else {
        return false;
    };
    let place = &text[..at];
    let digits = place
        .iter()
        .rev()
        .take_while(|b| b.is_ascii_digit())
        .count();
    let before = place[..place.len() - digits].trim_ascii_end();
    digits > 0 && before.ends_with(b".")
}

/// `0x` and at most 16 hexadecimal digits, and nothing else.
fn hex(text: &[u8]) -> Option<u64> {
    let digits = take_while_m_n(1usize, 16, |byte: u8| byte.is_ascii_hexdigit());
    let parsed: IResult<&[u8], (&[u8], &[u8]), ()> = (tag(&b"0x"[..]), digits).parse(text);
    let (rest, (_, digits)) = parsed.ok()?;
    if !rest.is_empty() {
        return None;
    }
    let digits = std::str::from_utf8(digits).ok()?;
    u64::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Instruction<'_> {
        instruction(text.as_bytes(), &Finder::new(b"fence")).unwrap()
    }

    #[test]
    fn accesses() {
        let load = "0x401686 @run+33. 1 :   MOV_R_P : ld   edx, DS:[t0 + t7 + 0xbba78] : MemRead :  \
                    D=0x0000000000000002 A=0x4bd104";
        let expected = |store, mnemonic: &'static str| Instruction::Access {
            store,
            mnemonic: mnemonic.as_bytes(),
            address: 0x4bd104,
            value: Some(2),
        };
        assert_eq!(read(load), expected(false, "ld"));
        let more = format!("{load}  FetchSeq=3  CPSeq=4  flags=(IsInteger|IsLoad)");
        assert_eq!(read(&more), expected(false, "ld"));
        let store = load
            .replace("MemRead", "FloatMemWrite")
            .replace("ld ", "stul ");
        assert_eq!(read(&store), expected(true, "stul"));
        let plain =
            "0x8000 @main+4    : str   x0, [x1] : MemWrite :  D=0x0000000000000002 A=0x4bd104";
        assert_eq!(read(plain), expected(true, "str"));
        let predicated = "0x8000 @main+4    : str x0 : MemWrite : Predicated False";
        assert_eq!(read(predicated), Instruction::Other { class: true });
    }

    #[test]
    fn fences_are_micro_operations() {
        let fence = "0x41 @unlock+82. 0 : \tXCHG_M_R.mfence           : IntAlu : ";
        assert_eq!(read(fence), Instruction::Fence);
        assert_eq!(
            read(&fence.replace("mfence", "lfence")),
            Instruction::WeakFence
        );
        let macro_op = "0x41 @unlock+82    : mfence";
        assert_eq!(read(macro_op), Instruction::Other { class: false });
        let symbol =
            "0x41 @my_mfence. 0 :   ADD_R_R : add   rax, rax, rbx : IntAlu :  D=0x0000000000000002";
        assert_eq!(read(symbol), Instruction::Other { class: true });
    }
}
