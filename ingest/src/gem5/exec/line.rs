//! [`parse`]: the executed instruction of an Exec line.

use instructions::{Class, Instruction};
use memchr::memmem;
use memchr::memrchr;
use nom::Parser;
use nom::bytes::complete::tag;
use nom::combinator::all_consuming;
use nom::sequence::preceded;

use crate::gem5::lines::fault::Fault;
use crate::gem5::lines::grammar::hex_digits;

/// Parses a line from its end, where the results are.
pub(crate) fn parse(text: &[u8]) -> Result<Instruction<'_>, Fault> {
    let Some(at) = memmem::find(text, b" : ") else {
        return Err(Fault::Cut("` : ` and the instruction"));
    };
    let (pc, micro) = place(&text[..at]);
    let instruction = &text[at + 3..];
    let whole = Instruction {
        pc,
        micro,
        function: function(&text[..at]),
        symbol: symbol(&text[..at]).filter(|_| micro.is_none()),
        body: instruction.trim_ascii_end(),
        ..Instruction::default()
    };
    let Some(line) = with_results(whole, instruction)? else {
        return Ok(whole);
    };
    check_address(&line, text)?;
    Ok(line)
}

/// Parses the results at the end of the line; `None` if there are none.
fn with_results<'a>(
    mut line: Instruction<'a>,
    instruction: &'a [u8],
) -> Result<Option<Instruction<'a>>, Fault> {
    let mut rest = line.body;
    loop {
        let at = memrchr(b' ', rest).map_or(0, |at| at + 1);
        let word = &rest[at..];
        let before = rest[..at].trim_ascii_end();
        if word == b":" {
            rest = before;
            break;
        }
        if let Some(digits) = word.strip_prefix(b"A=") {
            line.address = Some(hex(digits).ok_or(Fault::Cut("an address"))?);
        } else if let Some(digits) = word.strip_prefix(b"D=") {
            let is_last = rest.len() == instruction.trim_ascii_end().len();
            if is_last && is_short(digits) {
                return Err(Fault::Cut("16 digits of data, and an address"));
            }
            line.data = hex(digits);
            line.vector = vector_bytes(digits);
            if line.data.is_none() && !is_vector(digits) {
                return Err(Fault::Unread("data in hexadecimal, or of a vector in brackets"));
            }
        } else if word == b"False" || word == b"Predicated" {
            line.predicated = true;
        } else if !is_annotation(word) || at == 0 {
            return Ok(None);
        }
        rest = before;
    }
    let at = memrchr(b' ', rest).map_or(0, |at| at + 1);
    let class = &rest[at..];
    let Some(body) = rest[..at].trim_ascii_end().strip_suffix(b" :") else {
        return Ok(None);
    };
    if !class.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
        return Err(Fault::Unread("the name of an operation class"));
    }
    line.class = (!class.is_empty()).then(|| class_of(class));
    line.body = body.trim_ascii_end();
    Ok(Some(line))
}

/// Whether the instructions of one of gem5's operation classes read and write memory.
fn class_of(name: &[u8]) -> Class {
    let is = |scalar: &[u8], vector: &[u8]| {
        name.ends_with(scalar) || (name.starts_with(b"Simd") && name.ends_with(vector))
    };
    Class { reads: is(b"MemRead", b"Load"), writes: is(b"MemWrite", b"Store") }
}

/// Checks that an access shows its address, unless it is predicated or a prefetch without effect.
fn check_address(line: &Instruction<'_>, text: &[u8]) -> Result<(), Fault> {
    if !(line.loads() || line.stores()) || line.address.is_some() || line.predicated {
        return Ok(());
    }
    // With a vector length of 0 nothing is accessed, and a transaction accesses nothing itself.
    if line.vector > 0 || line.is_transaction() {
        return Ok(());
    }
    if line.data.is_some() || !text.ends_with(b" ") {
        return Err(Fault::Cut("the address of the access"));
    }
    Ok(())
}

/// Parses the program counter and the micro-operation of `<pc> @<symbol>. 3`.
fn place(text: &[u8]) -> (Option<u64>, Option<u32>) {
    let word = text.trim_ascii_start();
    let end = word.iter().position(|&byte| byte == b' ' || byte == b'.');
    let pc = hex(&word[..end.unwrap_or(word.len())]);
    let digits = text.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let (before, digits) = text.split_at(text.len() - digits);
    let number = std::str::from_utf8(digits).ok().and_then(|d| d.parse().ok());
    (pc, number.filter(|_| before.trim_ascii_end().ends_with(b".")))
}

/// Parses the symbol of `<pc> @<symbol>+12. 3`, without the distance.
fn function(text: &[u8]) -> Option<&[u8]> {
    let at = memchr::memchr(b'@', text)?;
    let name = text[at + 1..].split(|&byte| byte == b' ').next()?;
    let end = memrchr(b'+', name).unwrap_or(name.len());
    Some(name[..end].strip_suffix(b".").unwrap_or(&name[..end]))
}

/// Parses the symbol after ` @`, with the distance.
fn symbol(place: &[u8]) -> Option<&[u8]> {
    let at = memmem::find(place, b" @")?;
    Some(place[at + 2..].trim_ascii_end())
}

/// The size in bytes of the value of a vector register, such as 8 for `[00000000_00000001]`; 0 for other data.
fn vector_bytes(data: &[u8]) -> usize {
    match data.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]")) {
        Some(digits) => digits.iter().filter(|byte| **byte != b'_').count() / 2,
        None => 0,
    }
}

/// Whether data are those of a vector register, or of a predicate.
fn is_vector(data: &[u8]) -> bool {
    let digits = data.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]"));
    digits.is_some_and(|all| all.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'_'))
}

/// Whether data at the end of a line have lost digits.
fn is_short(digits: &[u8]) -> bool {
    digits.len() < 18 && b"0x".starts_with(&digits[..digits.len().min(2)])
}

fn is_annotation(word: &[u8]) -> bool {
    [&b"FetchSeq="[..], b"CPSeq=", b"flags="].iter().any(|name| word.starts_with(name))
}

/// Parses `0x` and at most 16 hexadecimal digits, with nothing after them.
fn hex(text: &[u8]) -> Option<u64> {
    let parsed = all_consuming(preceded(tag("0x"), hex_digits)).parse(text);
    parsed.ok().map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Instruction<'_> {
        parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn parts_of_accesses() {
        let load = "0x401686 @run+33. 1 :   MOV_R_P : ld   edx, DS:[t0 + t7 + 0xbba78] : MemRead :  \
                    D=0x0000000000000002 A=0x4bd104";
        let expected = Instruction {
            pc: Some(0x401686),
            micro: Some(1),
            function: Some(b"run"),
            symbol: None,
            body: b"  MOV_R_P : ld   edx, DS:[t0 + t7 + 0xbba78]",
            class: Some(Class { reads: true, writes: false }),
            data: Some(2),
            stored: None,
            encoded: None,
            address: Some(0x4bd104),
            vector: 0,
            predicated: false,
        };
        assert_eq!(read(load), expected);
        let more = format!("{load}  FetchSeq=3  CPSeq=4  flags=(IsInteger|IsLoad)");
        assert_eq!(read(&more), expected);
        let store = "0x8000 @main+4    : sd a1, 0(a0)               : MemWrite :  D=0x0000000000000002 A=0x40";
        assert_eq!((read(store).micro, read(store).stores()), (None, true));
        assert_eq!(read(store).body, b"sd a1, 0(a0)");
        assert_eq!(read(store).symbol, Some(&b"main+4"[..]));
        let vector =
            "0x8000. 0 : vle64_v_micro v1, (a0) : SimdUnitStrideLoad :  D=[00000000_00000001]";
        assert_eq!((read(vector).vector, read(vector).address), (8, None));
        let predicated = "0x8000 @main+4    : str x0 : MemWrite : Predicated False";
        assert!(read(predicated).predicated);
    }

    #[test]
    fn damaged_results_are_faults() {
        let line = "0x401004 @main+4. 0 :   MOV_R_M : ld   rax, DS:[rbx] : MemRead :  D=0x0000000000000000 A=0x4b0000";
        assert!(parse(line.as_bytes()).is_ok());
        for (from, to) in
            [("MemRead", "MemRe?d"), ("D=0x0000", "D=0x000~"), ("D=0x0000", "D=0x000#")]
        {
            assert!(parse(line.replace(from, to).as_bytes()).is_err(), "{to}");
        }
    }

    #[test]
    fn lines_that_announce_have_no_class() {
        let line = read("0x41 @unlock+82    : mfence");
        assert_eq!((line.class, line.body), (None, &b"mfence"[..]));
        let line = read("0x10000    : amoadd_d_aq a5, a4, (a3)  ");
        assert_eq!((line.class, line.shown().as_str()), (None, "amoadd_d_aq a5, a4, (a3)"));
    }
}
