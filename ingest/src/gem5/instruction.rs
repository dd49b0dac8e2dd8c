//! The text of an Exec line.

use memchr::memmem::{self, Finder};
use memchr::memrchr;
use nom::Parser;
use nom::bytes::complete::tag;
use nom::combinator::all_consuming;
use nom::sequence::preceded;

use crate::error::Fault;
use crate::gem5::grammar::hex_digits;

/// What the text of an Exec line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instruction<'a> {
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

/// Reads an Exec line from its end, where the parts stand that matter.
pub(super) fn instruction<'a>(
    text: &'a [u8],
    fence: &Finder<'_>,
) -> Result<Instruction<'a>, Fault> {
    let mut rest = text.trim_ascii_end();
    let (mut address, mut data, mut predicated) = (None, None, false);
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
            data = Some(digits);
            if digits.len() < 18
                && b"0x".starts_with(&digits[..digits.len().min(2)])
                && rest.len() == text.len()
            {
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
        let is_whole = text.ends_with(b" ") || predicated;
        if !is_whole || (data.is_some() && !predicated) {
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
        value: data.and_then(hex),
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
    if fence.find(text).is_none() || is_micro(text) != Some(true) {
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

/// Whether a line is of a micro-operation: `<pc> @<symbol>. 3 : …`. `None` if it ends before that
/// can be told.
pub(super) fn is_micro(text: &[u8]) -> Option<bool> {
    let place = &text[..memmem::find(text, b" : ")?];
    let digits = place.iter().rev().take_while(|b| b.is_ascii_digit());
    let digits = digits.count();
    let before = place[..place.len() - digits].trim_ascii_end();
    Some(digits > 0 && before.ends_with(b"."))
}

/// `0x` and at most 16 hexadecimal digits, and nothing else.
fn hex(text: &[u8]) -> Option<u64> {
    let parsed = all_consuming(preceded(tag("0x"), hex_digits)).parse(text);
    parsed.ok().map(|(_, value)| value)
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
