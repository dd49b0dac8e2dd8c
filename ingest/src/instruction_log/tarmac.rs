//! Tarmac text, which Arm's models and the TarmacTracer of gem5 print: the instructions of AArch64 with what they did.
//!
//! | line | meaning |
//! |---|---|
//! | `1500 clk cpu0 IT (4) 002109bc:0000002109bc f9000bfc O EL0t_ns : STR …` | when, CPU, address and physical address, encoding, mode and text of an instruction; `IS` if its condition is false |
//! | `1500 clk cpu0 MW8 000ffff0:0000000ffff0 0000000000000007` | it wrote 8 bytes; `MR8` if it read them |
//! | `1500 clk cpu0 R X0 0000000000100000` | it wrote a register |
//! | `1500 clk cpu0 E …` | the CPU goes on at the vector of an exception |
//!
//! The log of a single CPU has no names of CPUs, and physical addresses may be missing. Addresses are virtual. Other lines, of signals
//! and other registers, say nothing of interest. Texts are in many spellings, so encodings are disassembled. Lines of one CPU
//! belong to its last instruction.
//!
//! The values of accesses are those of the `M` lines, except for what gem5 prints otherwise than it is: what an atomic operation or a
//! store-exclusive did is taken from registers, of which one holds the operand and another receives the old value or the status. Loads that gem5
//! prints as stores have the values of their registers.

mod line;
#[cfg(test)]
mod tests;

use history::Isa;
use instructions::{ArmWord, ArmWords, Class, Encoded, Instruction};
use rustc_hash::FxHashMap;

use crate::error::Error;
use crate::format::{Contents, FormatInfo, Resemblance, TraceFormat};
use crate::input::{LINE_LIMIT, Lines};
use crate::instruction_log::registers::{Registers, Written};
use crate::instruction_log::{Flaw, InstructionLog, Link, Traps};
use crate::options::Options;
use line::{Access, Event, parse};

/// The format of Tarmac text, of AArch64.
pub(crate) struct Tarmac;

impl TraceFormat for Tarmac {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "tarmac",
            title: "Tarmac text",
            example: "1500 clk cpu0 IT (4) 002109bc f9000bfc O EL0t_ns : STR x28,[sp,#0x10]",
            extensions: &[],
            line_limit: LINE_LIMIT,
        }
    }

    fn recognises(&self, line: &[u8]) -> Resemblance {
        match parse(line) {
            Ok(line) if !matches!(line.event, Event::Other | Event::Exception) => {
                Resemblance::Certain
            }
            _ => Resemblance::None,
        }
    }

    fn read(&self, lines: &mut Lines<'_>, options: &Options) -> Result<Contents, Error> {
        let mut reader = Reader {
            log: InstructionLog::new(lines, self, options, Isa::Arm)?,
            words: ArmWords::default(),
            numbers: FxHashMap::default(),
            cpus: Vec::new(),
        };
        while lines.advance()? {
            let line = lines.line();
            let taken = match lines.complete() {
                true => reader.line(lines.number(), line),
                false => Err(Flaw::of(line, "the end of the line")),
            };
            if let Err(flaw) = taken {
                reader.log.skip(lines, flaw)?;
                reader.cpus.iter_mut().for_each(Cpu::lose);
            }
        }
        for at in 0..reader.cpus.len() {
            if let Err(flaw) = reader.execute(at, None) {
                reader.log.skip(lines, flaw)?;
            }
        }
        reader.log.finish(lines, Vec::new())
    }
}

/// A log that is being read.
struct Reader<'o> {
    log: InstructionLog<'o>,
    words: ArmWords,
    /// The position of each CPU by its name.
    numbers: FxHashMap<Vec<u8>, usize>,
    cpus: Vec<Cpu>,
}

#[derive(Default)]
struct Cpu {
    /// The number of its hardware thread.
    hart: u32,
    registers: Registers,
    last: Option<Last>,
}

/// The last instruction of a CPU.
struct Last {
    line: u64,
    time: u64,
    pc: u64,
    word: u32,
    skipped: bool,
    accesses: Vec<Access>,
    /// Whether an exception follows it.
    is_left: bool,
}

impl Cpu {
    /// Forgets the instruction whose lines may be incomplete, and the values of registers.
    fn lose(&mut self) {
        self.registers.forget();
        self.last = None;
    }
}

impl Reader<'_> {
    fn line(&mut self, number: u64, text: &[u8]) -> Result<(), Flaw> {
        let line = parse(text)?;
        if line.event == Event::Other {
            return Ok(());
        }
        let at = self.cpu(line.cpu);
        match line.event {
            Event::Instruction { pc, word, skipped } => {
                self.execute(at, Some(pc))?;
                self.cpus[at].last = Some(Last {
                    line: number,
                    time: line.time,
                    pc,
                    word,
                    skipped,
                    accesses: Vec::new(),
                    is_left: false,
                });
            }
            Event::Exception => {
                if let Some(last) = &mut self.cpus[at].last {
                    last.is_left = true;
                }
            }
            Event::Register { number, value, wide } => {
                let cpu = &mut self.cpus[at];
                let value = match &cpu.last {
                    Some(last) if !wide => {
                        let word = self.words.decode(last.pc, last.word);
                        Some(value).filter(|_| word.writes_half(number))
                    }
                    _ => Some(value),
                };
                cpu.registers.write(number, value);
            }
            Event::Access(access) => {
                // Before the first instruction, a model may show how it loads the program.
                if let Some(last) = &mut self.cpus[at].last {
                    last.accesses.push(access);
                }
            }
            Event::Other => {}
        }
        Ok(())
    }

    /// The position of the CPU of this name. The number of its hardware thread is the one that its name ends with, unless another has it.
    fn cpu(&mut self, name: &[u8]) -> usize {
        if let Some(at) = self.numbers.get(name) {
            return *at;
        }
        let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let number =
            std::str::from_utf8(&name[name.len() - digits..]).ok().and_then(|it| it.parse().ok());
        let is_free = |number: &u32| self.cpus.iter().all(|cpu| cpu.hart != *number);
        let hart = number.filter(is_free).or_else(|| (0..).find(is_free)).unwrap_or(0);
        self.numbers.insert(name.to_owned(), self.cpus.len());
        self.cpus.push(Cpu { hart, ..Cpu::default() });
        self.cpus.len() - 1
    }

    /// Executes the last instruction of a CPU, which goes on at `next`; `None` at the end of the log.
    fn execute(&mut self, at: usize, next: Option<u64>) -> Result<(), Flaw> {
        let Cpu { hart, registers, last } = &mut self.cpus[at];
        let Some(last) = last.take() else {
            registers.advance();
            return Ok(());
        };
        let word = self.words.decode(last.pc, last.word);
        let (line, pc) = (last.line, last.pc);
        let link = Link { line, pc, behind: pc.wrapping_add(4), next: word.next };
        self.log.follow(*hart, link, Traps::HiddenWithRestarts)?;
        if last.is_left {
            self.log.trap(*hart);
        }
        let executed = take(word, &last, registers, |part| {
            self.log.execute(last.line, *hart, part, Some(last.time))
        });
        registers.advance();
        if word.goes_on && next.is_some_and(|next| next != last.pc.wrapping_add(4)) {
            registers.forget();
        }
        executed
    }
}

/// Passes an instruction to `execute`, in parts if it is not known how it accesses memory.
fn take(
    word: &ArmWord,
    last: &Last,
    registers: &Registers,
    mut execute: impl FnMut(Instruction<'_>) -> Result<(), Flaw>,
) -> Result<(), Flaw> {
    let accesses = &last.accesses[..];
    let address = accesses.iter().map(|access| access.address).min();
    let instruction = word.executed(last.pc, address, word.class, &Written(registers));
    let nothing = Instruction { class: Some(Class::default()), ..instruction };
    if last.skipped {
        return execute(nothing);
    }
    if accesses.is_empty() && word.class != Class::default() {
        // A store-exclusive without its reservation, or an instruction with an exception. An instruction that zeroes a block may show none.
        let is_of_block = word.operand.is_some() && word.size == 0;
        return execute(if is_of_block { instruction } else { nothing });
    }
    if word.class == Class::default() {
        if accesses.is_empty() {
            return execute(instruction);
        }
        for access in accesses {
            let class = Class { reads: !access.writes, writes: access.writes };
            execute(Instruction {
                class: Some(class),
                address: Some(access.address),
                ..instruction
            })?;
        }
        return Ok(());
    }
    let is_atomic = word.class.reads && word.class.writes;
    let size = u64::from(word.size);
    // gem5 prints what a pair of loads, or a load that changes its base register, loads as written.
    let is_other = |it: &&Access| word.class.writes && !it.writes;
    if let Some(other) = accesses.iter().filter(|_| !is_atomic).find(is_other) {
        return Err(Flaw {
            found: format!("`{}` with an access at {:#x}", instruction.shown(), other.address),
            expected: "a store, as its encoding says".to_owned(),
        });
    }
    let start = address.unwrap_or(0);
    let value = |writes, at: u64| part(accesses, writes, start.wrapping_add(at), size);
    let encoded = instruction.encoded.unwrap_or_default();
    execute(match () {
        () if is_atomic => {
            Instruction { data: instruction.data.or(value(false, 0)), ..instruction }
        }
        // gem5 prints a store-exclusive as one of 0, whatever it stores and even if it fails.
        () if word.is_conditional() => {
            let shown = value(true, 0).filter(|value| *value != 0);
            Instruction { stored: instruction.stored.or(shown), ..instruction }
        }
        () => {
            let writes = word.class.writes;
            let second = word.second.and_then(|_| value(writes, size));
            // Only a load writes a register.
            let shown = if writes { (None, None) } else { (instruction.data, encoded.second) };
            Instruction {
                data: value(writes, 0).or(shown.0),
                encoded: Some(Encoded { second: second.or(shown.1), ..encoded }),
                ..instruction
            }
        }
    })
}

/// The value of `size` bytes at an address, if one of the accesses shows them.
fn part(accesses: &[Access], writes: bool, address: u64, size: u64) -> Option<u64> {
    accesses.iter().filter(|access| access.writes == writes).find_map(|access| {
        let offset = address.checked_sub(access.address)?;
        let is_inside = (1..=8).contains(&size) && offset + size <= access.size;
        let value = access.value.filter(|_| is_inside)? >> (8 * offset);
        Some(if size == 8 { value } else { value & ((1 << (8 * size)) - 1) })
    })
}
