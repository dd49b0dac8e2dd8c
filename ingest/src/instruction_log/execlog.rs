//! The log that QEMU's plug-in `execlog` prints, of guests that are RISC-V or AArch64.
//!
//! A line is `0, 0x10562, 0x6582, "ld a1,0(sp)", load, 0x7f09bcae4860, a1 -> 0x0000000000000001`: CPU, address and encoding of the instruction,
//! its text, the accesses with their addresses, in a system followed by the name of a device, and the registers that changed, if the option
//! `reg=` asks for them (QEMU 9). Texts depend on QEMU's version and may be empty, so encodings are disassembled.
//!
//! The plug-in shows no values of accesses: what a load returned, a store wrote, and whether a store-conditional succeeded follow from
//! registers. A register whose value the log has shown once is known from then on, since every change is shown. Values are not known
//! before, in logs without registers, and of each CPU's last instruction, whose registers are not printed.
//!
//! The number of a thread's CPU is used again when the thread has ended. The new thread has other registers, which are not printed, so all
//! values are forgotten where a CPU does not go on behind its last instruction.

mod record;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use history::Isa;
use instructions::{ArmWords, Class, Encoded, Instruction, RegisterValues, RiscvWord, RiscvWords};

use crate::error::Error;
use crate::format::{Contents, FormatInfo, Resemblance, TraceFormat};
use crate::input::{LINE_LIMIT, Lines};
use crate::instruction_log::registers::Registers;
use crate::instruction_log::{Flaw, InstructionLog, Link, Traps};
use crate::options::Options;
use record::{Record, is_record, isa_of, records};

/// The log of QEMU's plug-in `execlog`.
pub(crate) struct Execlog;

impl TraceFormat for Execlog {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "execlog",
            title: "a log of QEMU's execlog",
            example: "0, 0x10562, 0x6582, \"ld a1,0(sp)\", load, 0x7f09bcae4860",
            extensions: &[],
            line_limit: LINE_LIMIT,
        }
    }

    fn recognises(&self, line: &[u8]) -> Resemblance {
        if is_record(line) { Resemblance::Certain } else { Resemblance::None }
    }

    fn read(&self, lines: &mut Lines<'_>, options: &Options) -> Result<Contents, Error> {
        let Some(isa) = options.isa.filter(|isa| *isa != Isa::X86).or_else(|| isa_of(lines.head()))
        else {
            lines.advance()?;
            return Err(lines.syntax(
                "instructions of neither RISC-V nor AArch64",
                "a log of QEMU's execlog of a guest of RISC-V or AArch64",
                "the log shows too little of other instruction sets: run the program natively instead (rubric run)",
            ));
        };
        let mut reader = Reader {
            log: InstructionLog::new(lines, self, options, isa)?,
            isa,
            riscv: RiscvWords::default(),
            arm: ArmWords::default(),
            cpus: BTreeMap::new(),
            shows_registers: false,
            shows_devices: None,
        };
        while lines.advance()? {
            let line = lines.line();
            let flaw = if lines.complete() {
                reader.line(lines.number(), line)
            } else {
                Err(Flaw::of(line, "the end of the line"))
            };
            if let Err(flaw) = flaw {
                reader.log.skip(lines, flaw)?;
                reader.cpus.values_mut().for_each(|cpu| cpu.registers.forget());
            }
        }
        reader.finish(lines)
    }
}

/// A log that is being read.
struct Reader<'o> {
    log: InstructionLog<'o>,
    isa: Isa,
    riscv: RiscvWords,
    arm: ArmWords,
    cpus: BTreeMap<u32, Cpu>,
    shows_registers: bool,
    /// Whether accesses name devices, as the first one shows.
    shows_devices: Option<bool>,
}

/// A CPU, or a thread of a program.
#[derive(Default)]
struct Cpu {
    registers: Registers,
    /// The last instruction, and its line. It is executed when the next one shows where the CPU went on.
    last: Option<(u64, Record)>,
}

/// Where a CPU goes on after an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    At(u64),
    /// The log ends. The plug-in prints the last instruction of a CPU before the registers that it changes.
    End,
}

impl Reader<'_> {
    fn line(&mut self, number: u64, line: &[u8]) -> Result<(), Flaw> {
        let is_many = self.cpus.len() > 10;
        records(line, self.isa, is_many, |record| self.record(number, record))
    }

    fn record(&mut self, line: u64, record: Record) -> Result<(), Flaw> {
        self.shows_registers |= record.shows_registers;
        if let Some(access) = record.accesses.first() {
            let shows_devices = *self.shows_devices.get_or_insert(record.devices > 0);
            if record.devices != if shows_devices { record.accesses.len() } else { 0 } {
                return Err(Flaw {
                    found: format!(
                        "an access at {:#x} {} a device",
                        access.address,
                        if shows_devices { "without" } else { "of" }
                    ),
                    expected: "accesses that all name their devices, or none".to_owned(),
                });
            }
        }
        let (number, pc) = (record.cpu, record.pc);
        let cpu = self.cpus.entry(number).or_default();
        match cpu.last.replace((line, record)) {
            Some((line, last)) => self.execute(line, &last, Next::At(pc)),
            None => Ok(()),
        }
    }

    /// Takes in an instruction, after which its CPU goes on at `next`.
    fn execute(&mut self, line: u64, record: &Record, next: Next) -> Result<(), Flaw> {
        let registers = &mut self.cpus.entry(record.cpu).or_default().registers;
        if next != Next::End {
            record
                .changes
                .iter()
                .for_each(|&(register, value)| registers.write(register, Some(value)));
        }
        let seen = Seen { registers, hides_results: next == Next::End };
        let pc = record.pc;
        let address = record.accesses.iter().map(|access| access.address).min();
        let executed = match self.isa {
            Isa::Arm => {
                let word = self.arm.decode(pc, record.word);
                Executed {
                    instruction: word.executed(pc, address, word.class, &seen),
                    behind: pc.wrapping_add(4),
                    next: word.next,
                    goes_on: word.goes_on,
                    is_conditional: word.is_conditional(),
                    hides_writes: word.hides_writes,
                }
            }
            _ => {
                let word = self.riscv.decode(record.word, true);
                Executed {
                    instruction: riscv(word, pc, address, &seen),
                    behind: pc.wrapping_add(word.length),
                    next: word.next(pc),
                    // A thread goes on behind a call of the system, unless it ends.
                    goes_on: word.goes_on || &*word.text == b"ecall",
                    is_conditional: word.is_conditional,
                    hides_writes: false,
                }
            }
        };
        let goes_on = next == Next::At(executed.behind);
        let link = Link { line, pc, behind: executed.behind, next: executed.next };
        self.log.follow(record.cpu, link, Traps::HiddenWithRestarts)?;
        let taken =
            executed.take(record, goes_on, |part| self.log.execute(line, record.cpu, part, None));
        let registers = &mut self.cpus.entry(record.cpu).or_default().registers;
        registers.advance();
        if executed.goes_on && !goes_on && self.shows_devices != Some(true) {
            registers.forget();
        }
        taken
    }

    fn finish(mut self, lines: &mut Lines<'_>) -> Result<Contents, Error> {
        if !self.shows_registers {
            return Err(lines.syntax(
                "the end of a log that shows no registers, and so no values",
                "registers that change, such as `a1 -> 0x0000000000000001`",
                "record it with the execlog of QEMU 9 or later and its option reg=*",
            ));
        }
        let last: Vec<_> = self.cpus.values_mut().filter_map(|cpu| cpu.last.take()).collect();
        for (line, record) in last {
            if let Err(flaw) = self.execute(line, &record, Next::End) {
                self.log.skip(lines, flaw)?;
            }
        }
        self.log.finish(lines, Vec::new())
    }
}

/// The registers of a CPU, as its instruction shows them.
struct Seen<'a> {
    registers: &'a Registers,
    /// Whether the values after the instruction are not printed.
    hides_results: bool,
}

impl RegisterValues for Seen<'_> {
    fn before(&self, register: u8) -> Option<u64> {
        self.registers.before(register)
    }

    fn after(&self, register: u8) -> Option<u64> {
        self.registers.after(register).filter(|_| !self.hides_results)
    }
}

/// An instruction of a CPU. If it accesses memory as its encoding says, its class is not empty.
struct Executed<'a> {
    instruction: Instruction<'a>,
    /// The address behind the instruction.
    behind: u64,
    /// Where its encoding says that the CPU goes on.
    next: instructions::Next,
    /// Whether that is the address of the next instruction, unless there is an exception.
    goes_on: bool,
    /// Whether it is a store-conditional.
    is_conditional: bool,
    /// Whether it may write memory although no access is shown.
    hides_writes: bool,
}

impl Executed<'_> {
    /// Passes the instruction to `execute`, in parts if it is not known how it accesses memory. `went_on` says whether the CPU executed
    /// the instruction behind it next.
    fn take(
        &self,
        record: &Record,
        went_on: bool,
        mut execute: impl FnMut(Instruction<'_>) -> Result<(), Flaw>,
    ) -> Result<(), Flaw> {
        let Instruction { class, address, .. } = self.instruction;
        let class = class.unwrap_or_default();
        let accesses = &record.accesses;
        if let Some(other) = accesses.iter().find(|it| !it.is_of(class)) {
            let what = if other.writes { "load" } else { "store" };
            return Err(Flaw {
                found: format!(
                    "`{}` with an access at {:#x}",
                    self.instruction.shown(),
                    other.address
                ),
                expected: format!("a {what}, as its encoding says"),
            });
        }
        if class == Class::default() {
            for access in accesses {
                let class = Class { reads: !access.writes, writes: access.writes };
                let address = Some(access.address);
                execute(Instruction { class: Some(class), address, ..self.instruction })?;
            }
            if !accesses.is_empty() {
                return Ok(());
            }
        }
        // Without an access, the instruction had an exception, or it is a store-conditional without a reservation.
        let failed = address.is_none() && (!went_on || self.is_conditional);
        let class = match class {
            _ if failed => Class::default(),
            _ if self.hides_writes => Class { reads: false, writes: true },
            class => class,
        };
        // QEMU zeroes blocks without showing an access, so the address is that of a register. An exception is not seen then.
        let address = address.filter(|_| went_on || !accesses.is_empty());
        execute(Instruction { class: Some(class), address, ..self.instruction })
    }
}

impl record::Access {
    /// Whether an instruction of this class may make the access. QEMU performs a store-conditional as a compare-and-swap, which also loads.
    fn is_of(&self, class: Class) -> bool {
        class == Class::default() || if self.writes { class.writes } else { true }
    }
}

/// An instruction of RISC-V with what registers hold before and after it.
fn riscv<'a>(
    word: &'a RiscvWord,
    pc: u64,
    address: Option<u64>,
    registers: &Seen<'_>,
) -> Instruction<'a> {
    let before = |at: usize| match word.register(at)? {
        0 => Some(0),
        register => registers.before(register),
    };
    // Compressed calls write the return address without naming its register.
    let is_call = word.text.starts_with(b"c.jal");
    let result = if is_call { Some(1) } else { word.register(0).filter(|&register| register != 0) };
    let is_store = word.class.writes && !word.class.reads && !word.is_conditional;
    Instruction {
        pc: Some(pc),
        body: &word.text,
        class: Some(word.class),
        data: if is_store { before(0) } else { result.and_then(|result| registers.after(result)) },
        stored: before(1).filter(|_| word.is_conditional),
        address,
        encoded: Some(Encoded {
            size: 0,
            second: None,
            operand: before(1).filter(|_| word.class.writes && !is_store),
            expected: before(0).filter(|_| word.class.writes && word.class.reads),
        }),
        ..Instruction::default()
    }
}
