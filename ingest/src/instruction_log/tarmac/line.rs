//! [`parse`]: a line of Tarmac text.

use crate::instruction_log::Flaw;

/// A line: when, on which CPU, and what.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub time: u64,
    /// The name of the CPU; empty in the log of a single one.
    pub cpu: &'a [u8],
    pub event: Event,
}

/// What a line shows.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// An instruction of AArch64 is executed, or skipped because its condition is false.
    Instruction { pc: u64, word: u32, skipped: bool },
    /// The last instruction wrote an integer register. `wide` says whether the line shows all of its 8 bytes.
    Register { number: u8, value: u64, wide: bool },
    /// The last instruction accessed memory; the value is not kept if it has more than 8 bytes.
    Access(Access),
    /// The CPU goes on at the vector of an exception.
    Exception,
    /// Something else.
    Other,
}

/// An access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub writes: bool,
    pub address: u64,
    pub size: u64,
    pub value: Option<u64>,
}

const LINE: &str = "a line of Tarmac text, such as `1500 clk cpu0 IT (4) 002109bc:0000002109bc f9000bfc O EL0t_ns : STR x28,[sp,#0x10]`";
const AARCH64: &str = "an instruction of AArch64, with `O` behind its encoding of 8 digits";
const REGISTER: &str = "a register with all digits of its value, such as `R X0 0000000000100000`";
const ACCESS: &str = "the address of an access and all digits of its value, such as `MW8 000ffff0:0000000ffff0 0000000000000000`";

/// The units of times.
const UNITS: [&[u8]; 8] = [b"clk", b"cyc", b"tic", b"cs", b"fs", b"ps", b"ns", b"us"];

/// Parses a line of Tarmac text; the log of a single CPU names none.
pub(super) fn parse(line: &[u8]) -> Result<Line<'_>, Flaw> {
    let flaw = |expected: &'static str| Flaw::of(line, expected);
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let time = words.next().and_then(decimal).ok_or_else(|| flaw(LINE))?;
    words.next().filter(|unit| UNITS.contains(unit)).ok_or_else(|| flaw(LINE))?;
    let first = words.next().ok_or_else(|| flaw(LINE))?;
    let is_of_single = is_keyword(first) || is_other(first);
    let (cpu, keyword) = match is_of_single {
        true => (&b""[..], first),
        false => (first, words.next().ok_or_else(|| flaw(LINE))?),
    };
    let event = match keyword {
        b"IT" | b"IS" => instruction(keyword == b"IS", words).ok_or(AARCH64),
        b"R" => register(words).ok_or(REGISTER),
        b"E" => Ok(Event::Exception),
        _ if is_access(keyword) => access(keyword, words).ok_or(ACCESS),
        _ if is_other(keyword) => Ok(Event::Other),
        _ => Err(LINE),
    };
    Ok(Line { time, cpu, event: event.map_err(flaw)? })
}

fn is_keyword(word: &[u8]) -> bool {
    matches!(word, b"IT" | b"IS" | b"R" | b"E") || is_access(word)
}

/// Whether a word begins the line of an event of no interest, such as `SIGNAL:`.
fn is_other(word: &[u8]) -> bool {
    let name = word.strip_suffix(b":").unwrap_or(word);
    name.len() > 2 && name.iter().all(u8::is_ascii_uppercase) || word == b"E"
}

/// Whether a word such as `MR8` or `MW4` begins the line of an access: a letter may follow the size.
fn is_access(word: &[u8]) -> bool {
    matches!(word, [b'M', b'R' | b'W', size, ..] if size.is_ascii_digit())
}

fn decimal(word: &[u8]) -> Option<u64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

fn hexadecimal(word: &[u8]) -> Option<u64> {
    let is_number = !word.is_empty() && word.iter().all(u8::is_ascii_hexdigit);
    u64::from_str_radix(std::str::from_utf8(word).ok().filter(|_| is_number)?, 16).ok()
}

/// An address, before that of physical memory, as in `0000815c:00000000815c_NS`.
fn virtual_address(word: &[u8]) -> Option<u64> {
    let mut parts = word.splitn(2, |&byte| byte == b':');
    let address = hexadecimal(parts.next()?.split(|&byte| byte == b'_').next()?)?;
    let is_physical = |part: &[u8]| {
        part.split(|&byte| byte == b',').all(|one| {
            one.split(|&byte| byte == b'_')
                .next()
                .is_some_and(|digits| hexadecimal(digits).is_some())
        })
    };
    parts.next().is_none_or(is_physical).then_some(address)
}

fn instruction<'a>(skipped: bool, mut words: impl Iterator<Item = &'a [u8]>) -> Option<Event> {
    let count = words.next()?.strip_prefix(b"(")?.strip_suffix(b")")?;
    decimal(count)?;
    let pc = virtual_address(words.next()?)?;
    let word = words.next().filter(|digits| digits.len() == 8).and_then(hexadecimal)?;
    (words.next()? == b"O").then_some(())?;
    // The mode, and a colon before the text of the instruction.
    words.next()?;
    (words.next()? == b":").then_some(())?;
    Some(Event::Instruction { pc, word: word as u32, skipped })
}

/// The digits of words that may have `_` or `:` between them.
fn digits<'a>(words: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    words.flatten().copied().filter(|byte| !matches!(byte, b'_' | b':')).collect()
}

fn register<'a>(mut words: impl Iterator<Item = &'a [u8]>) -> Option<Event> {
    let name = words.next()?;
    let value = digits(words);
    if value.is_empty() {
        return None;
    }
    let (wide, length) = match name.first()? {
        b'X' => (true, 16),
        b'W' => (false, 8),
        _ => return Some(Event::Other),
    };
    let Some(number) = decimal(&name[1..]) else { return Some(Event::Other) };
    let value = hexadecimal(&value).filter(|_| value.len() == length)?;
    // gem5 also prints registers that only it has.
    Some(match u8::try_from(number) {
        Ok(number) if number < 31 => Event::Register { number, value, wide },
        _ => Event::Other,
    })
}

fn access<'a>(keyword: &[u8], mut words: impl Iterator<Item = &'a [u8]>) -> Option<Event> {
    let size = keyword[2..].split(|byte| !byte.is_ascii_digit()).next()?;
    let size = decimal(size).filter(|size| (1..=256).contains(size))?;
    let address = virtual_address(words.next()?)?;
    let mut words = words.peekable();
    if words.peek() == Some(&&b"(ABORTED)"[..]) {
        return Some(Event::Other);
    }
    let value = digits(words);
    let writes = keyword[1] == b'W';
    let length = value.len() as u64;
    let is_whole = length == 2 * size || (!writes && (2 * size..=16).contains(&length));
    (is_whole && value.iter().all(u8::is_ascii_hexdigit)).then(|| {
        let value = hexadecimal(&value).and_then(|value| low_bytes(value, size));
        Event::Access(Access { writes, address, size, value })
    })
}

/// The value of `size` bytes, up to 8, that a number of 8 bytes is, or whose sign it extends: gem5 prints bytes and words that loads
/// extend so. Of a load into a vector register it prints an address of its own.
fn low_bytes(value: u64, size: u64) -> Option<u64> {
    let unused = 64 - 8 * u32::try_from(size).ok().filter(|size| *size <= 8)?;
    let low = value << unused >> unused;
    let extended = ((value << unused) as i64 >> unused) as u64;
    (value == low || value == extended).then_some(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(line: &str) -> Option<Event> {
        parse(line.as_bytes()).ok().map(|line| line.event)
    }

    #[test]
    fn lines_have_several_dialects() {
        let line =
            parse(b"1500 clk cpu0 IT (4) 002109bc:0000002109bc a9be7bfd O EL3h_s : STP        ")
                .unwrap();
        let store = Event::Instruction { pc: 0x21_09bc, word: 0xa9be_7bfd, skipped: false };
        assert_eq!(line, Line { time: 1500, cpu: b"cpu0", event: store });
        let skipped = "23 ps cluster0.cpu1 IS (23) 0000815c:00000000815c_NS,00000000815e_NS 54ffffa1 O EL1h_n : B.NE {pc}-0xc";
        assert_eq!(
            event(skipped),
            Some(Event::Instruction { pc: 0x815c, word: 0x54ff_ffa1, skipped: true })
        );
        let access = |writes, address, size, value| {
            Some(Event::Access(Access { writes, address, size, value }))
        };
        assert_eq!(
            event("1 clk MR8 0000c7c8:00000000c7c8 00000000_0000ca68"),
            access(false, 0xc7c8, 8, Some(0xca68))
        );
        assert_eq!(event("21 clk MW4 0000ab34 00000007"), access(true, 0xab34, 4, Some(7)));
        let long = "180000140000 ps cpu3 MR16X 0000010006fffcc0:010116fffcc0_NS 400f731b40000000 3ff87cc460000000";
        assert_eq!(event(long), access(false, 0x100_06ff_fcc0, 16, None));
        assert_eq!(event("28491 clk MR4 dfdfdfcf (ABORTED)"), Some(Event::Other));
        assert_eq!(
            event("0 clk R X30 0000000000008004"),
            Some(Event::Register { number: 30, value: 0x8004, wide: true })
        );
        assert_eq!(
            event("0 clk cpu1 R W8 0000003a"),
            Some(Event::Register { number: 8, value: 0x3a, wide: false })
        );
        let reset = "0 clk cpu0 E 10001848 00000001 CoreEvent_RESET";
        assert_eq!(event(reset), Some(Event::Exception));
        for other in [
            "502 clk R SP_EL3 0000000010000000",
            "0 clk R cpsr 000001f3",
            "0 clk cpu0 R X35 0000000000000001",
            "4541 clk CADI E simulation_stopped",
            "7 ps SIGNAL: SIGNAL=WAKEUP",
        ] {
            assert_eq!(event(other), Some(Event::Other), "{other}");
        }
    }

    #[test]
    fn what_is_cut_is_no_line() {
        for line in [
            "1500 clk cpu0 IT (4) 002109bc:0000002109bc a9be7bfd O EL3h_s : STP",
            "1 clk cpu0 MR8 0000c7c8:00000000c7c8 00000000_0000ca68",
            "0 clk cpu0 R X30 0000000000008004",
        ] {
            let whole = line.find(" :").map_or(line.len(), |at| at + 2);
            for end in 1..whole {
                // The name of an event without anything behind it is one of another kind.
                assert!(parse(&line.as_bytes()[..end]).is_err(), "{}", &line[..end]);
            }
        }
        assert!(event("0 clk IT (0) 00008000 fa000000 A svc_s : BLX      {pc}+8").is_none());
        assert!(event("0 parsecs R X0 0000000000000000").is_none());
    }
}
