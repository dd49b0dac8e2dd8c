//! The log of Ibex's tracer: a table with tabs between its columns.
//!
//! | column | meaning |
//! |---|---|
//! | `Time`, `Cycle` | when the instruction retired; cycles are the ticks of the history |
//! | `PC`, `Insn` | address and encoding, without `0x` |
//! | `Decoded instruction` | its name, and its operands in a column of their own; `-->` before it if it trapped |
//! | `Register and memory contents` | `x2:0x…` read, `x2=0x…` written, `PA:0x…` the address that is accessed, and `store:0x…` or `load:0x…`, with `?` for bytes that are not accessed |
//!
//! Each hart has a log of its own. The first line names the columns.

use instructions::{Class, Instruction, RiscvWords};

use crate::error::Error;
use crate::format::{Contents, FormatInfo, Resemblance, TraceFormat};
use crate::input::{LINE_LIMIT, Lines};
use crate::instruction_log::harts::hart_of;
use crate::instruction_log::{Flaw, HartLog, InstructionLog, Link, Traps, read_alone};
use crate::options::Options;

/// The log of the instructions that Ibex retired.
pub(crate) struct Ibex;

/// The names of the first columns, as the first line has them.
const COLUMNS: [&[u8]; 5] = [b"Time", b"Cycle", b"PC", b"Insn", b"Decoded instruction"];

const EXPECTED: &str = "time, cycle, PC, encoding, instruction and contents, with tabs between them, such as `20<tab>5<tab>00100084<tab>00a12023<tab>sw x10,0(x2)<tab> x2:0x00100400 x10:0x00000001 PA:0x00100400 store:0x00000001`";

impl TraceFormat for Ibex {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "ibex",
            title: "a log of Ibex's tracer",
            example: "Time Cycle PC Insn Decoded instruction",
            extensions: &[],
            line_limit: LINE_LIMIT,
        }
    }

    fn recognises(&self, line: &[u8]) -> Resemblance {
        if is_head(line) { Resemblance::Certain } else { Resemblance::None }
    }

    fn read(&self, lines: &mut Lines<'_>, options: &Options) -> Result<Contents, Error> {
        read_alone(self, lines, options)
    }
}

impl HartLog for Ibex {
    fn read_hart(&self, log: &mut InstructionLog<'_>, lines: &mut Lines<'_>) -> Result<(), Error> {
        let hart = hart_of(lines.file()).unwrap_or(0);
        let mut words = RiscvWords::default();
        while lines.advance()? {
            if let Err(flaw) = take(log, &mut words, hart, lines.number(), lines.line()) {
                log.skip(lines, flaw)?;
            }
        }
        Ok(())
    }
}

/// Whether a line names the columns.
fn is_head(line: &[u8]) -> bool {
    let columns = line.split(|&byte| byte == b'\t').map(<[u8]>::trim_ascii);
    columns.take(COLUMNS.len()).eq(COLUMNS)
}

fn take(
    log: &mut InstructionLog<'_>,
    words: &mut RiscvWords,
    hart: u32,
    number: u64,
    line: &[u8],
) -> Result<(), Flaw> {
    if line.trim_ascii().is_empty() || is_head(line) {
        return Ok(());
    }
    let flaw = || Flaw::of(line, EXPECTED);
    let columns: Vec<&[u8]> = line.split(|&byte| byte == b'\t').map(<[u8]>::trim_ascii).collect();
    let [_, cycle, pc, word, text, .., contents] = &columns[..] else { return Err(flaw()) };
    if text.starts_with(b"-->") {
        log.trap(hart);
        return Ok(());
    }
    let cycle = std::str::from_utf8(cycle).ok().and_then(|digits| digits.parse().ok());
    let (pc, bytes) = (digits(pc, 8), word.len() as u64 / 2);
    let (Some(cycle), Some(pc), Some(word)) = (cycle, pc, digits(word, word.len())) else {
        return Err(flaw());
    };
    let word = words.decode(u32::try_from(word).map_err(|_| flaw())?, false);
    if word.length != bytes {
        return Err(flaw());
    }
    let shown = Shown::of(contents).ok_or_else(flaw)?;
    let Class { reads, writes } = word.class;
    if (reads || writes)
        && !shown.is_expanded
        && (shown.address.is_none() || writes != shown.stores)
    {
        return Err(Flaw::of(
            line,
            "the access, such as `PA:0x00100400 load:0x00000001`, at the end",
        ));
    }
    let instruction = Instruction {
        pc: Some(pc),
        body: if shown.is_expanded { EXPANDED } else { &word.text },
        class: Some(match shown.is_expanded {
            true => Class { reads: shown.address.is_some() && !shown.stores, writes: shown.stores },
            false => word.class,
        }),
        data: if writes { shown.stored } else { shown.register },
        address: shown.address,
        ..Instruction::default()
    };
    // The steps of an instruction are all at its address.
    if !shown.is_expanded {
        let link = Link { line: number, pc, behind: pc.wrapping_add(bytes), next: word.next(pc) };
        log.follow(hart, link, Traps::Hidden)?;
    }
    log.execute(number, hart, instruction, Some(cycle))
}

/// What the last column shows.
#[derive(Default)]
struct Shown {
    register: Option<u64>,
    address: Option<u64>,
    stores: bool,
    stored: Option<u64>,
    /// Whether the line is a part of an instruction that the core executes in several steps, such as `cm.push`.
    is_expanded: bool,
}

/// The name of an instruction that is executed in several steps, whose encoding does not say what a step does.
const EXPANDED: &[u8] = b"cm.step";

impl Shown {
    /// Parses the contents; `None` if a word is not understood.
    fn of(column: &[u8]) -> Option<Shown> {
        let mut shown = Shown::default();
        let words = column.split(u8::is_ascii_whitespace);
        for word in words.filter(|word| !word.is_empty()) {
            if word == b"expand_insn:" {
                shown.is_expanded = true;
                break;
            }
            if let Some(value) = word.strip_prefix(b"PA:") {
                shown.address = Some(value_of(value)?);
            } else if let Some(value) = word.strip_prefix(b"store:") {
                shown.stores = true;
                shown.stored = value_of(value);
                (shown.stored.is_some() || value.contains(&b'+')).then_some(())?;
            } else if word.starts_with(b"load:") {
                // The value that the register receives says the same.
            } else {
                shown.register(word)?;
            }
        }
        Some(shown)
    }

    /// Takes in a register that was read or written, such as `x10=0x00000001`.
    fn register(&mut self, word: &[u8]) -> Option<()> {
        let word = word.strip_prefix(b"x")?;
        let end = word.iter().position(|byte| !byte.is_ascii_digit())?;
        let (number, value) = word.split_at(end);
        match value.split_first()? {
            (b'=', value) if number != b"0" => {
                self.register = value_of(value);
                (self.register.is_some() || value.contains(&b'+')).then_some(())
            }
            (b'=' | b':', _) => Some(()),
            _ => None,
        }
    }
}

/// The value of `0x` and 8 digits, of which the first may be `?`; `None` for others, such as capabilities.
fn value_of(text: &[u8]) -> Option<u64> {
    let all = text.strip_prefix(b"0x").filter(|all| all.len() == 8)?;
    let known = all.iter().position(|byte| *byte != b'?')?;
    digits(&all[known..], 8 - known)
}

/// The value of exactly `count` hexadecimal digits.
fn digits(text: &[u8], count: usize) -> Option<u64> {
    let is_number = text.len() == count && text.iter().all(u8::is_ascii_hexdigit);
    let text = std::str::from_utf8(text).ok().filter(|_| is_number)?;
    u64::from_str_radix(text, 16).ok()
}
