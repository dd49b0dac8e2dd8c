//! [`records`]: the records of a line of execlog.
//!
//! The plug-in prints a record and the end of its line separately, so the record of another CPU may come between: then a line holds two
//! records, and a later one none. The number of the second record's CPU directly follows the last digit of the first record.

use history::Isa;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::character::complete::{char, u32 as decimal};
use nom::sequence::{delimited, preceded};
use nom::{IResult, Parser};

use crate::instruction_log::Flaw;

/// What execlog prints of one executed instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    pub cpu: u32,
    pub pc: u64,
    pub word: u32,
    pub accesses: Vec<Access>,
    /// The integer registers that changed, by number.
    pub changes: Vec<(u8, u64)>,
    /// Whether it shows registers, of any kind.
    pub shows_registers: bool,
    /// Number of accesses with the name of a device, as those in a log of a whole system have it.
    pub devices: usize,
}

/// An access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub writes: bool,
    pub address: u64,
}

const EXPECTED: &str = "records of execlog, such as `0, 0x10562, 0x6582, \"ld a1,0(sp)\", load, 0x7f09bcae4860, a1 -> 0x0000000000000001`";
const LAST_DIGITS: &str = "a number with all its digits at the end";

/// The names of the registers of RISC-V, in the order of their numbers.
const RISCV: [&[u8]; 32] = [
    b"zero", b"ra", b"sp", b"gp", b"tp", b"t0", b"t1", b"t2", b"fp", b"s1", b"a0", b"a1", b"a2",
    b"a3", b"a4", b"a5", b"a6", b"a7", b"s2", b"s3", b"s4", b"s5", b"s6", b"s7", b"s8", b"s9",
    b"s10", b"s11", b"t3", b"t4", b"t5", b"t6",
];

/// Passes the records of a line to `each`, with the text of their instruction. `is_many` says whether the log has more than ten CPUs, so that
/// the number of a CPU may have several digits.
pub(super) fn records(
    line: &[u8],
    isa: Isa,
    is_many: bool,
    mut each: impl FnMut(Record) -> Result<(), Flaw>,
) -> Result<(), Flaw> {
    let mut rest = line;
    while !rest.is_empty() {
        let (after, (mut record, _)) = head(rest).map_err(|_| Flaw::of(line, EXPECTED))?;
        rest = effects(after, isa, &mut record).map_err(|expected| Flaw::of(line, expected))?;
        if is_many && !rest.is_empty() {
            return Err(Flaw::of(
                line,
                "one record a line: where the number of the next CPU begins is not certain",
            ));
        }
        each(record)?;
    }
    Ok(())
}

/// Whether a line begins with a record.
pub(super) fn is_record(line: &[u8]) -> bool {
    head(line).is_ok()
}

/// The instruction set of the instructions of a text, by the lines that show one; `None` if no line is a record of a known one.
///
/// The addresses of AArch64 are multiples of four, and no instruction of it is encoded as a number of two bytes. RISC-V without compressed
/// instructions is recognised by QEMU's own disassembler, which pads names with spaces, or by the names of its registers.
pub(super) fn isa_of(text: &[u8]) -> Option<Isa> {
    let mut found = None;
    for line in text.split(|&byte| byte == b'\n') {
        let Ok((effects, (record, body))) = head(line) else { continue };
        let name = body.iter().position(|byte| byte.is_ascii_whitespace());
        let is_padded = name.is_some_and(|end| body[end..].starts_with(b"  "));
        match record.pc % 4 {
            1 | 3 => return None,
            2 => return Some(Isa::Riscv),
            _ if record.word < 1 << 16 || is_padded => return Some(Isa::Riscv),
            _ => found = Some(Isa::Arm),
        }
        let names = effects.split(|&byte| byte == b',').filter_map(|item| {
            Some(item[..memchr::memmem::find(item, b" -> ")?].trim_ascii_start())
        });
        // Both have a register `sp`.
        let mut names = names.filter(|name| *name != b"sp");
        let isas = [Isa::Arm, Isa::Riscv];
        let shown =
            names.find_map(|name| isas.into_iter().find(|isa| number(name, *isa).is_some()));
        if shown.is_some() {
            return shown;
        }
    }
    found
}

fn hexadecimal(input: &[u8]) -> IResult<&[u8], &[u8]> {
    preceded(tag(&b"0x"[..]), take_while1(|byte: u8| byte.is_ascii_hexdigit())).parse(input)
}

fn value(digits: &[u8]) -> Option<u64> {
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// The part of a record up to the text of the instruction: `0, 0x10562, 0x6582, "ld a1,0(sp)"`.
fn head(input: &[u8]) -> IResult<&[u8], (Record, &[u8])> {
    let separator = || tag(&b", "[..]);
    let text = delimited(char('"'), take_while(|byte| byte != b'"'), char('"'));
    let (rest, (cpu, pc, word, text)) = (
        decimal,
        preceded(separator(), hexadecimal.map_opt(value)),
        preceded(separator(), hexadecimal.map_opt(value).map_opt(|word| u32::try_from(word).ok())),
        preceded(separator(), text),
    )
        .parse(input)?;
    Ok((rest, (Record { cpu, pc, word, ..Record::default() }, text)))
}

/// Reads the accesses and registers of a record, and returns what follows it.
fn effects<'a>(input: &'a [u8], isa: Isa, record: &mut Record) -> Result<&'a [u8], &'static str> {
    let mut rest = input;
    while let Some(item) = rest.strip_prefix(b", ") {
        let comma = item.iter().position(|&byte| byte == b',').unwrap_or(item.len());
        let word = &item[..comma];
        if matches!(word, b"load" | b"store") {
            let number = item.get(comma + 2..).ok_or(LAST_DIGITS)?;
            let (digits, next) =
                number_of(number).filter(|(it, _)| it.len() >= 8).ok_or(LAST_DIGITS)?;
            let address = value(digits).ok_or(LAST_DIGITS)?;
            record.accesses.push(Access { writes: word == b"store", address });
            rest = next;
        } else if let Some(arrow) = memchr::memmem::find(word, b" -> ") {
            let (digits, next) = number_of(&item[arrow + 4..]).ok_or(LAST_DIGITS)?;
            record.shows_registers = true;
            if let Some(number) = number(&word[..arrow], isa) {
                let value = value(digits).filter(|_| matches!(digits.len(), 8 | 16));
                record.changes.push((number, value.ok_or(LAST_DIGITS)?));
            }
            rest = next;
        } else if record.devices + 1 == record.accesses.len() && !record.shows_registers {
            record.devices += 1;
            let end = end_of(item, comma).filter(|&end| end > 0).ok_or(EXPECTED)?;
            rest = &item[end..];
        } else {
            return Err(EXPECTED);
        }
    }
    Ok(rest)
}

/// The digits of a number, and what follows them.
fn number_of(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (after, _) = hexadecimal(text).ok()?;
    let end = end_of(text, text.len() - after.len()).filter(|&end| end > 2)?;
    Some((&text[2..end], &text[end..]))
}

/// Where a word ends that seems to end at `end`: if another record follows, the number of its CPU is not part of the word.
fn end_of(text: &[u8], end: usize) -> Option<usize> {
    if text[end..].is_empty()
        || (text[end..].starts_with(b", ") && !text[end..].starts_with(b", 0x"))
    {
        return Some(end);
    }
    let last = end.checked_sub(1)?;
    (text[last].is_ascii_digit() && text[end..].starts_with(b", 0x")).then_some(last)
}

/// The number of an integer register by its name.
fn number(name: &[u8], isa: Isa) -> Option<u8> {
    if isa == Isa::Riscv {
        return RISCV.iter().position(|known| *known == name).map(|number| number as u8);
    }
    let digits = std::str::from_utf8(name.strip_prefix(b"x")?).ok()?;
    digits.parse().ok().filter(|&number| number < 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str, isa: Isa, is_many: bool) -> Result<Vec<Record>, Flaw> {
        let mut all = Vec::new();
        records(line.as_bytes(), isa, is_many, |record| {
            all.push(record);
            Ok(())
        })?;
        Ok(all)
    }

    const LOAD: &str = "0, 0x10562, 0x6582, \"ld                      a1,0(sp)\", load, 0x7f09bcae4860, a1 -> 0x0000000000000001, cycle -> 0x000093013f49ad74";
    const ARM: &str = "1, 0x400590, 0xf94003e1, \"\", load, 0x0042d000, sp -> 0x0000007fb3efff83, x1 -> 0x0000000000000001, cpsr -> 0x60000000";

    #[test]
    fn records_show_accesses_and_registers() {
        let access = Access { writes: false, address: 0x7f09_bcae_4860 };
        let load = Record {
            pc: 0x10562,
            word: 0x6582,
            accesses: vec![access],
            changes: vec![(11, 1)],
            shows_registers: true,
            ..Record::default()
        };
        assert_eq!(read(LOAD, Isa::Riscv, false).unwrap(), [load]);
        let [record] = &read(ARM, Isa::Arm, false).unwrap()[..] else { panic!("one record") };
        assert_eq!((record.cpu, &record.changes[..]), (1, &[(1, 1)][..]));
        let system = "0, 0x80000002, 0x9002, \"c.ebreak\", load, 0x80001000, RAM, store, 0x10000000, serial0";
        let [record] = &read(system, Isa::Riscv, false).unwrap()[..] else { panic!("one record") };
        assert!(record.devices == 2 && record.accesses.len() == 2 && record.accesses[1].writes);
    }

    #[test]
    fn records_may_run_together() {
        for (first, isa) in [(LOAD, Isa::Riscv), (ARM, Isa::Arm)] {
            for first in
                [first, first.split(", sp").next().unwrap(), first.split(", load").next().unwrap()]
            {
                let first = first.split(", a1").next().unwrap();
                let alone = read(first, isa, false).unwrap();
                let both = read(&format!("{first}{ARM}"), isa, false).unwrap();
                assert_eq!((both.len(), &both[0], both[1].cpu), (2, &alone[0], 1), "{first}");
                assert!(read(&format!("{first}{ARM}"), isa, true).is_err());
            }
        }
    }

    #[test]
    fn what_is_cut_is_no_record() {
        let read_to = |end| read(&LOAD[..end], Isa::Riscv, false);
        let tracked = LOAD.find(", cycle").unwrap();
        let address = LOAD.find(", a1 ->").unwrap();
        for end in 1..tracked {
            // Addresses have any number of digits. A name that is cut looks like that of a device, and half a register like one of 32 bits.
            let may_be_whole = match read_to(end) {
                Ok(records) => {
                    records[0].accesses.is_empty()
                        || (end <= address && end + 4 >= address)
                        || records[0].devices == 1
                        || end == tracked - 8
                }
                Err(_) => true,
            };
            assert!(may_be_whole, "{}", &LOAD[..end]);
        }
        let heads = LOAD.find(", load").unwrap();
        assert!((1..heads).all(|end| read_to(end).is_err()) && read_to(heads).is_ok());
        assert!(read("garbage", Isa::Arm, false).is_err());
        assert!(read(&format!("{ARM}, x"), Isa::Arm, false).is_err());
    }

    #[test]
    fn logs_show_their_instruction_set() {
        assert_eq!(isa_of(LOAD.as_bytes()), Some(Isa::Riscv));
        assert_eq!(isa_of(ARM.as_bytes()), Some(Isa::Arm));
        let jal = "0, 0x10554, 0x22000ef, \"022000ef          jal                     ra,34\"\n";
        assert_eq!(isa_of(jal.as_bytes()), Some(Isa::Riscv));
        assert_eq!(
            isa_of(b"0, 0x400590, 0xf94003e1, \"ldr x1, [sp]\", load, 0x5500800840\n"),
            Some(Isa::Arm)
        );
        assert_eq!(isa_of(b"0, 0x10554, 0x22000ef, \"\", sp -> 0x0000000000000001, ra -> 0x0000000000000001\n"), Some(Isa::Riscv));
        assert_eq!(isa_of(b"0, 0x401001, 0x48e58948, \"movq %rsp, %rbp\"\n"), None);
        assert_eq!(isa_of(b"hello\n"), None);
    }
}
