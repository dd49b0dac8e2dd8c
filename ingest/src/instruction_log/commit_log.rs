//! The commit log of Spike, and the log in the same form that the testbench of CVA6 prints.
//!
//! | line | meaning |
//! |---|---|
//! | `core   0: 3 0x80000010 (0x00c5b7af) x15 0x00000000 mem 0x80004080 mem 0x80004080 0x00000001` | Spike's `--log-commits`: hart, privilege, address, encoding, the registers written, the addresses read, the addresses and values written |
//! | `3 0x80000010 (0x00c5b7af) x15 0x00000000` | the same of CVA6, whose hart is that of the line before |
//! | `core   0: 0x80000010 (0x00c5b7af) amoadd.d …` | Spike's `-l`, and a line of CVA6 before each instruction: hart, address, encoding and text of an instruction that is executed next |
//! | `core   0: exception trap_load_access_fault, epc 0x80000010`, or a line of CVA6 such as `LD_ACCESS_FAULT exception @ 0x80000010 (0x0005b783)` | the instruction was not executed |
//! | `core   0: >>>>  main`, `core   0:           tval 0x0` | a symbol, or more about an exception |
//!
//! Addresses and registers have 8 digits if registers have 32 bits, else 16. The texts of instructions are not needed: encodings are
//! disassembled.

mod line;

use history::Isa;
use instructions::{Class, Instruction, RegisterValues, RiscvWord, RiscvWords};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Error;
use crate::format::{Contents, FormatInfo, Resemblance, TraceFormat};
use crate::input::{LINE_LIMIT, Lines};
use crate::instruction_log::harts::hart_of;
use crate::instruction_log::registers::Registers;
use crate::instruction_log::{Flaw, HartLog, InstructionLog, Link, Traps, read_alone};
use crate::options::Options;
use line::{Commit, Line, parse};

/// The commit log of Spike.
pub(crate) struct Spike;

/// The log of the instructions that CVA6 retired, from its RISC-V Formal Interface (RVFI).
pub(crate) struct Cva6;

/// Who printed a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Printer {
    Spike,
    Cva6,
}

impl TraceFormat for Spike {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "spike",
            title: "a commit log of Spike",
            example: "core   0: 3 0x80000000 (0x00000297) x5  0x80000000",
            extensions: &[],
            line_limit: LINE_LIMIT,
        }
    }

    fn recognises(&self, line: &[u8]) -> Resemblance {
        match parse(line) {
            Ok(
                Line::Next { is_of_cva6: false, .. } | Line::Commit(Commit { hart: Some(_), .. }),
            ) => Resemblance::Certain,
            _ => Resemblance::None,
        }
    }

    fn read(&self, lines: &mut Lines<'_>, options: &Options) -> Result<Contents, Error> {
        let mut log = InstructionLog::new(lines, self, options, Isa::Riscv)?;
        read(&mut log, lines, Printer::Spike)?;
        log.finish(lines, vec![SPIKE_IS_SC.to_owned()])
    }
}

const SPIKE_IS_SC: &str = "Spike executes harts in turns on memory without caches and store buffers, so its runs are SC: this checks the program and \
                           the log, not a machine.";

impl TraceFormat for Cva6 {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "cva6",
            title: "a log of CVA6's testbench",
            example: "core   0: 0x80000000 (0x00000297) DASM(00000297)",
            extensions: &[],
            line_limit: LINE_LIMIT,
        }
    }

    fn recognises(&self, line: &[u8]) -> Resemblance {
        match parse(line) {
            Ok(Line::Next { is_of_cva6: true, .. }) => Resemblance::Certain,
            _ => Resemblance::None,
        }
    }

    fn read(&self, lines: &mut Lines<'_>, options: &Options) -> Result<Contents, Error> {
        read_alone(self, lines, options)
    }
}

impl HartLog for Cva6 {
    fn read_hart(&self, log: &mut InstructionLog<'_>, lines: &mut Lines<'_>) -> Result<(), Error> {
        read(log, lines, Printer::Cva6)
    }
}

/// A hart's instruction that was announced and not executed yet: its address.
type Announced = FxHashMap<u32, u64>;

/// A file that is being read.
struct Reader<'l, 'o> {
    printer: Printer,
    log: &'l mut InstructionLog<'o>,
    words: RiscvWords,
    announced: Announced,
    /// The hart of the file, if its name says it: CVA6 prints 0 in the lines of every hart.
    of_file: Option<u32>,
    /// The hart of the last line that names one.
    hart: u32,
    /// Whether the log announces instructions.
    announces: bool,
    commits: u64,
    /// The harts that were reset.
    reset: FxHashSet<u32>,
    /// The address and the encoding of the last instruction of each hart.
    last: FxHashMap<u32, (u64, u32)>,
    vectors: FxHashSet<Vector>,
    /// What else is known of the hart of a file of CVA6.
    seen: Seen,
}

/// What the lines of a hart of CVA6 have shown.
#[derive(Default)]
struct Seen {
    registers: Registers,
    /// Whether an atomic operation has shown its access beside the register that receives the old value: then the value is the new one.
    shows_updates: bool,
}

/// Where harts go on after a trap: a value that was written to `mtvec` or a register like it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Vector(u64);

impl Vector {
    /// Whether a trap may lead to `pc`: its lowest bit says that each of up to 64 interrupts has an entry of 4 bytes.
    fn has(self, pc: u64) -> bool {
        let (base, is_table) = (self.0 & !3, self.0 & 1 == 1);
        pc == base || (is_table && pc.wrapping_sub(base) < 4 * 64 && pc.is_multiple_of(4))
    }
}

/// Where Spike's harts begin, in a ROM that no program goes back to.
const RESET: u64 = 0x1000;

fn read(
    log: &mut InstructionLog<'_>,
    lines: &mut Lines<'_>,
    printer: Printer,
) -> Result<(), Error> {
    let of_file = hart_of(lines.file()).filter(|_| printer == Printer::Cva6);
    let mut reader = Reader {
        printer,
        log,
        words: RiscvWords::default(),
        announced: Announced::default(),
        of_file,
        hart: 0,
        announces: false,
        commits: 0,
        reset: FxHashSet::default(),
        last: FxHashMap::default(),
        vectors: FxHashSet::default(),
        seen: Seen::default(),
    };
    while lines.advance()? {
        if let Err(flaw) = reader.line(lines.number(), lines.line()) {
            reader.log.skip(lines, flaw)?;
            reader.announced.clear();
            reader.last.clear();
            reader.announces = false;
            reader.seen.registers.forget();
        }
    }
    if reader.commits == 0 {
        return Err(lines.syntax(
            "no line that shows what an instruction did",
            "lines such as `core   0: 3 0x80000000 (0x00000297) x5  0x80000000`",
            "run Spike with --log-commits, besides -l or instead of it",
        ));
    }
    Ok(())
}

impl Reader<'_, '_> {
    fn line(&mut self, number: u64, text: &[u8]) -> Result<(), Flaw> {
        match parse(text)? {
            Line::Other => Ok(()),
            Line::Trap(hart) => {
                let hart = self.of_file.or(hart).unwrap_or(self.hart);
                self.announced.remove(&hart);
                self.log.trap(hart);
                Ok(())
            }
            Line::Next { hart, pc, is_interrupt, .. } => {
                let hart = self.of_file.unwrap_or(hart);
                if is_interrupt {
                    self.log.trap(hart);
                }
                self.announce(hart, pc)
            }
            Line::Commit(commit) => self.commit(number, text, &commit),
        }
    }

    fn announce(&mut self, hart: u32, pc: u64) -> Result<(), Flaw> {
        self.hart = hart;
        self.announces = true;
        match self.announced.insert(hart, pc) {
            None => Ok(()),
            Some(before) => Err(Flaw {
                found: format!("the next instruction of hart {hart}"),
                expected: format!("what its instruction at {before:#x} did, or an exception"),
            }),
        }
    }

    fn commit(&mut self, number: u64, text: &[u8], commit: &Commit) -> Result<(), Flaw> {
        let hart = self.of_file.or(commit.hart).unwrap_or(self.hart);
        self.commits += 1;
        if self.printer == Printer::Spike && commit.pc == RESET && !self.reset.insert(hart) {
            return Err(Flaw {
                found: format!("hart {hart} at {RESET:#x} again, where it begins"),
                expected: "the log of one run: split the file".to_owned(),
            });
        }
        // Spike announces an instruction that is executed several times in a row once.
        let is_again = self.printer == Printer::Spike
            && self.last.insert(hart, (commit.pc, commit.word)) == Some((commit.pc, commit.word));
        let announced = self.announced.remove(&hart).or(is_again.then_some(commit.pc));
        if self.announces && announced != Some(commit.pc) {
            return Err(Flaw {
                found: format!("an instruction at {:#x} that was not announced", commit.pc),
                expected: "the line with its text before it, as for the others".to_owned(),
            });
        }
        let word = self.words.decode(commit.word, commit.is_wide);
        if word.length != commit.bytes {
            return Err(Flaw {
                found: format!("an encoding of {} bytes", commit.bytes),
                expected: format!("{}, the length that its lowest bits say", word.length),
            });
        }
        let behind = commit.pc.wrapping_add(word.length);
        let link = Link { line: number, pc: commit.pc, behind, next: word.next(commit.pc) };
        let is_vector = self.vectors.iter().any(|vector| vector.has(commit.pc));
        self.vectors.extend(commit.vector.map(Vector));
        let traps = match self.printer {
            Printer::Spike if self.announces => Traps::Shown,
            _ => Traps::Hidden,
        };
        if is_vector && traps == Traps::Hidden {
            self.log.trap(hart);
        }
        let follows = self.log.follow(hart, link, traps)?;
        let whole = match self.printer {
            Printer::Spike => spike(text, commit, word)?,
            Printer::Cva6 => {
                if !follows {
                    self.seen.registers.forget();
                }
                let whole = cva6(text, commit, word, &mut self.seen)?;
                if let Some((register, value)) = commit.integer {
                    self.seen.registers.write(register, Some(value));
                    self.seen.registers.advance();
                }
                whole
            }
        };
        if word.class != Class::default() {
            return self.log.execute(number, hart, whole, None);
        }
        // A vector instruction, or one of several accesses: what it does to memory is not understood.
        let parts = commit.reads.iter().map(|read| (*read, Class { reads: true, writes: false }));
        let stores = commit.stores.iter();
        let parts =
            parts.chain(stores.map(|it| (it.address, Class { reads: false, writes: true })));
        let mut parts = parts.peekable();
        if parts.peek().is_none() {
            return self.log.execute(number, hart, whole, None);
        }
        for (address, class) in parts {
            let part = Instruction { address: Some(address), class: Some(class), ..whole };
            self.log.execute(number, hart, part, None)?;
        }
        Ok(())
    }
}

const VALUE: &str = "the address and the value that it stores, with all its digits";
const ADDRESS: &str = "the address that it loads from";

/// The instruction of a commit of Spike, which shows every access, and what an atomic operation stored.
fn spike<'a>(text: &[u8], commit: &Commit, word: &'a RiscvWord) -> Result<Instruction<'a>, Flaw> {
    let read = commit.reads.first();
    let store = commit.stores.first();
    let is_known = word.class != Class::default();
    let shown = Class { reads: read.is_some(), writes: store.is_some() };
    // These need not store.
    let may_fail = word.is_conditional || word.text.starts_with(b"amocas");
    let is_missing =
        (word.class.reads && read.is_none()) || (word.class.writes && store.is_none() && !may_fail);
    if is_known && is_missing {
        return Err(Flaw::of(text, if word.class.writes { VALUE } else { ADDRESS }));
    }
    if let (Some(store), true, Some(size)) = (store, is_known, word.size)
        && size != store.bytes
    {
        return Err(Flaw::of(text, format!("a value of {size} bytes at the end")));
    }
    let stored = store.map(|store| store.value);
    let is_plain = word.class.writes && !word.class.reads && !word.is_conditional;
    let data = match word.is_conditional {
        // Only one that succeeds stores.
        true => Some(u64::from(store.is_none())),
        false if is_plain => stored,
        false => commit.register,
    };
    Ok(Instruction {
        pc: Some(commit.pc),
        body: &word.text,
        class: Some(if is_known { shown } else { Class::default() }),
        data,
        stored: stored.filter(|_| !is_plain),
        address: read.copied().or(store.map(|store| store.address)),
        ..Instruction::default()
    })
}

/// The instruction of a commit of CVA6.
///
/// Its log shows the addresses of stores, and of loads that write a register of integers other than `x0`. Releases up to 5.3 show of an
/// atomic operation, a load-reserved or a store-conditional either the register that it writes or, if that is `x0`, the address and the
/// operand. Later versions show the register, the address, and the new value, as a load-reserved the value 0, and as a store-conditional
/// that failed the value that it would have stored. An address that is not shown is that of the register.
fn cva6<'a>(
    text: &[u8],
    commit: &Commit,
    word: &'a RiscvWord,
    seen: &mut Seen,
) -> Result<Instruction<'a>, Flaw> {
    let store = commit.stores.first();
    let is_plain = word.class.writes && !word.class.reads && !word.is_conditional;
    let bytes = if commit.is_wide { 8 } else { 4 };
    let is_cut = store.is_none() && (is_plain || (word.class.writes && !commit.reads.is_empty()));
    if is_cut || store.is_some_and(|store| store.bytes != bytes) {
        return Err(Flaw::of(text, VALUE));
    }
    let is_update = word.class.reads && word.class.writes;
    seen.shows_updates |= is_update && store.is_some() && commit.register.is_some();
    let has_failed = word.is_conditional && commit.register.is_some_and(|status| status != 0);
    let shown = store.map(|store| store.address).or(commit.reads.first().copied());
    Ok(Instruction {
        pc: Some(commit.pc),
        body: &word.text,
        class: Some(if has_failed { Class::default() } else { word.class }),
        data: if is_plain { store.map(|store| store.value) } else { commit.register },
        stored: store
            .map(|store| store.value)
            .filter(|_| word.is_conditional || (is_update && seen.shows_updates)),
        address: shown.or_else(|| seen.address(word, commit.is_wide)),
        ..Instruction::default()
    })
}

impl Seen {
    /// The address of an access that the line does not show; `None` if the instruction is none or its register is not known.
    fn address(&self, word: &RiscvWord, is_wide: bool) -> Option<u64> {
        let (register, distance) = word.base().filter(|_| word.class != Class::default())?;
        let start = if register == 0 { 0 } else { self.registers.before(register)? };
        let address = start.wrapping_add_signed(distance);
        Some(if is_wide { address } else { address & u64::from(u32::MAX) })
    }
}
