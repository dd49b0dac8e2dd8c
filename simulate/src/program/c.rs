//! Programs as C, for the CPUs of gem5 or of the machine at hand: each access is an instruction of its own.
//!
//! The shared variables are alone in a section, and the program says by three stores where that is: [`ANNOUNCEMENT`], then
//! the first address, then the address after the last. A program runs several times in a process, in *rounds*, with a barrier
//! before each. Values differ between rounds, so all rounds together are one history. A line of variables is a *stride* away
//! from the next one, so that all of them are in the same set of a cache; loads of other lines of that set evict them.
//!
//! What is the same in all programs is C in files of its own: the instructions of an instruction set, the barrier, and the
//! check of the final values.

use std::io::{self, Write};

use history::random::Rng;
use history::{ANNOUNCEMENT, Annotation, DependencyKind, Isa, WeakFence};

use super::{Bytes, Operation, Program, ProgramSize, RmwForm, Step};

/// The options for writing a program as C.
#[derive(Clone, Debug)]
pub struct CProgram<'a> {
    /// The command that makes the program, for a comment. Must be one line.
    pub name: &'a str,
    /// The instruction set.
    pub isa: Isa,
    /// How many times the program is run in a process.
    pub rounds: u32,
    /// Bytes from one line of shared variables to the next; a power of two.
    pub stride: u64,
    /// Percentage of operations before which another line of the set is loaded, which evicts shared variables.
    pub evictions: u32,
    /// Number of these other lines.
    pub others: u32,
}

/// The bits of a value that number the writes of a thread; those above number the rounds.
const ROUND_SHIFT: u32 = 20;

/// The most operations of a thread, whose values are below the number of the round.
pub const MOST_OPERATIONS: u32 = (1 << ROUND_SHIFT) - 1;

/// The most rounds, whose numbers are below the number of the thread.
pub const MOST_ROUNDS: u32 = 1 << (32 - ROUND_SHIFT);

/// Separates the choice of evictions from other choices with the same seed.
const PURPOSE: u64 = 0x45_56_49_43 << 32;

/// Registers for the latest values read: as many as dependencies reach back.
const REGISTERS: usize = 8;

/// The text of a program after its own constants, up to its threads.
const HEAD: &str = include_str!("c/head.c");

/// The text of a program after its tables.
const TAIL: &str = include_str!("c/tail.c");

impl CProgram<'_> {
    /// Writes the program of a size as C. It may have loads, stores, read-modify-writes and fences, all of whole words.
    ///
    /// # Errors
    /// Fails if the output cannot be written.
    pub fn write(&self, shape: &ProgramSize, out: &mut dyn Write) -> io::Result<()> {
        let program = Program::random(shape);
        let placed = Placed { c: self, shape };
        placed.constants(out)?;
        for (thread, steps) in program.threads.iter().enumerate() {
            placed.thread(thread, steps, out)?;
        }
        writeln!(out, "\ntypedef void thread_body(uint64_t, uint64_t, uint64_t);\n")?;
        writeln!(out, "static thread_body *const threads[THREADS] = {{")?;
        (0..program.threads.len()).try_for_each(|thread| writeln!(out, "    thread_{thread},"))?;
        writeln!(out, "}};\n\n/* What is written where, in each round. */")?;
        writeln!(out, "static const struct {{ uint64_t offset, value; }} writes[] = {{")?;
        for step in program.threads.iter().flatten() {
            if let Operation::Store(bytes, value) | Operation::Rmw { bytes, value, .. } =
                step.operation
            {
                writeln!(out, "    {{ {:#x}, {value:#x} }},", placed.offset(bytes.address))?;
            }
        }
        writeln!(out, "    {{ 0, 0 }},\n}};\n\n/* Where the variables are. */")?;
        writeln!(out, "static const uint64_t locations[] = {{")?;
        for location in 0..shape.locations {
            writeln!(out, "    {:#x},", placed.offset(shape.address(location)))?;
        }
        write!(out, "}};\n\n{TAIL}")
    }
}

/// A program that is being written as C, with the places of its variables.
struct Placed<'a> {
    c: &'a CProgram<'a>,
    shape: &'a ProgramSize,
}

impl Placed<'_> {
    fn constants(&self, out: &mut dyn Write) -> io::Result<()> {
        let CProgram { name, isa, rounds, stride, others, .. } = self.c;
        let compiler = compiler(*isa);
        let last = self.shape.locations.saturating_sub(1);
        let lines = self.offset(self.shape.address(last)) / stride + 1;
        write!(
            out,
            "/* {name}\n\n   \
             {compiler} -O2 -static -pthread program.c -o program\n   \
             It runs alone, or in gem5's syscall emulation with a CPU for each thread; a trace of the debug flag Exec is\n   \
             checked by: rubric check --addresses auto m5out/exec.trace.gz */\n\n\
             #include <pthread.h>\n#include <stdint.h>\n#include <stdio.h>\n\n\
             #define THREADS {threads}\n#define ROUNDS {rounds}\n#define ROUND_SHIFT {ROUND_SHIFT}\n\
             #define LINES {lines}\n#define OTHERS {others}\n#define STRIDE {stride}\n\
             #define MAGIC {magic:#x}\n\n{instructions}\n{HEAD}",
            threads = self.shape.threads,
            others = (*others).max(1),
            magic = ANNOUNCEMENT,
            instructions = instructions(*isa),
        )
    }

    /// The place of an address of the program in the section.
    fn offset(&self, address: u64) -> u64 {
        let from_first = address - self.shape.base;
        let line_bytes = self.shape.line_bytes;
        from_first / line_bytes * self.c.stride + from_first % line_bytes
    }

    fn thread(&self, thread: usize, steps: &[Step], out: &mut dyn Write) -> io::Result<()> {
        let registers: Vec<String> = (0..REGISTERS).map(|number| format!("r{number}")).collect();
        let zeros: Vec<String> = registers.iter().map(|name| format!("{name} = 0")).collect();
        writeln!(
            out,
            "\nstatic void thread_{thread}(uint64_t variables, uint64_t evicting, uint64_t round)\n{{"
        )?;
        writeln!(out, "    uint64_t {}, zero = 0, evicted = 0;\n", zeros.join(", "))?;
        let mut rng = Rng::new(self.shape.seed, PURPOSE + thread as u64);
        for (at, step) in steps.iter().enumerate() {
            if step.think > 0 {
                writeln!(out, "    WAIT({});", step.think)?;
            }
            if rng.percent(self.c.evictions) && self.c.others > 0 {
                let place = rng.below(u64::from(self.c.others)) * self.c.stride;
                self.load("evicted", &format!("evicting + {place:#x}"), Annotation::None, out)?;
            }
            self.step(at, step, out)?;
        }
        let used: Vec<String> = registers.iter().map(|name| format!("(void){name};")).collect();
        writeln!(out, "    {} (void)zero; (void)evicted;", used.join(" "))?;
        writeln!(out, "    (void)variables; (void)evicting; (void)round;\n}}")
    }

    fn step(&self, at: usize, step: &Step, out: &mut dyn Write) -> io::Result<()> {
        let (mut to_address, mut to_data) = ("", "");
        if let Some((kind, back)) = step.ordering.dependency {
            let source = (at + REGISTERS - back as usize % REGISTERS) % REGISTERS;
            if kind == DependencyKind::Control {
                writeln!(out, "    BRANCH(r{source});")?;
            } else {
                writeln!(out, "    ZERO(zero, r{source});")?;
                // A choice between values is made by arithmetic, too: RISC-V has no other instruction for it.
                let dependent =
                    if kind == DependencyKind::Address { &mut to_address } else { &mut to_data };
                *dependent = " + zero";
            }
        }
        let place = |bytes: Bytes| {
            let offset = self.offset(bytes.address);
            format!("variables + {offset:#x}{to_address}")
        };
        let written = |value: u64| format!("{value:#x} + round{to_data}");
        let register = format!("r{}", at % REGISTERS);
        let annotation = step.ordering.annotation;
        match step.operation {
            Operation::Load(bytes) | Operation::Fetch(bytes) => {
                self.load(&register, &place(bytes), annotation, out)
            }
            Operation::Store(bytes, value) => {
                self.store(&place(bytes), &written(value), annotation, out)
            }
            Operation::Rmw { bytes, value, form: RmwForm::Linked } => {
                let (load, store) = self.linked(annotation, step.ordering.conditional);
                let (place, value) = (place(bytes), written(value));
                writeln!(out, "    LINKED({register}, {place}, {value}, \"{load}\", \"{store}\");")
            }
            Operation::Rmw { bytes, value, .. } => {
                let order = self.swap(annotation);
                writeln!(out, "    SWAP({register}, {}, {}{order});", place(bytes), written(value))
            }
            Operation::Fence => writeln!(out, "    FENCE({});", self.fence(step.ordering.fence)),
        }
    }

    fn load(
        &self,
        register: &str,
        place: &str,
        annotation: Annotation,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let instruction = match (self.c.isa, annotation) {
            (Isa::Arm, Annotation::Acquire) => ", \"ldar\"",
            (Isa::Arm, Annotation::AcquirePc) => ", ACQUIRE_PC",
            (Isa::Arm, _) => ", \"ldr\"",
            (Isa::X86 | Isa::Riscv, _) => "",
        };
        writeln!(out, "    LOAD({register}, {place}{instruction});")
    }

    fn store(
        &self,
        place: &str,
        value: &str,
        annotation: Annotation,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let instruction = match (self.c.isa, annotation.releases()) {
            (Isa::Arm, true) => ", \"stlr\"",
            (Isa::Arm, false) => ", \"str\"",
            (Isa::X86 | Isa::Riscv, _) => "",
        };
        writeln!(out, "    STORE({place}, {value}{instruction});")
    }

    /// The suffixes of a load-linked and of a store-conditional instruction; on AArch64 their whole names.
    fn linked(&self, load: Annotation, store: Annotation) -> (&'static str, &'static str) {
        match self.c.isa {
            Isa::Arm => (
                if load.acquires() { "ldaxr" } else { "ldxr" },
                if store.releases() { "stlxr" } else { "stxr" },
            ),
            Isa::X86 | Isa::Riscv => (riscv_order(load), riscv_order(store)),
        }
    }

    /// The last arguments of a swap.
    fn swap(&self, annotation: Annotation) -> String {
        let (acquires, releases) = (annotation.acquires(), annotation.releases());
        match self.c.isa {
            Isa::X86 => String::new(),
            Isa::Riscv => format!(", \"{}\"", riscv_order(annotation)),
            Isa::Arm => {
                let order = ["", "a", "l", "al"][usize::from(acquires) + 2 * usize::from(releases)];
                let load = if acquires { "ldaxr" } else { "ldxr" };
                let store = if releases { "stlxr" } else { "stxr" };
                format!(", \"{order}\", \"{load}\", \"{store}\"")
            }
        }
    }

    /// The argument of a fence.
    fn fence(&self, weak: Option<WeakFence>) -> &'static str {
        match self.c.isa {
            Isa::X86 => "",
            Isa::Riscv => match weak {
                None | Some(WeakFence::Instruction | WeakFence::Unknown) => "\" rw, rw\"",
                Some(WeakFence::ReadRead) => "\" r, r\"",
                Some(WeakFence::ReadWrite) => "\" r, w\"",
                Some(WeakFence::ReadBoth) => "\" r, rw\"",
                Some(WeakFence::WriteRead) => "\" w, r\"",
                Some(WeakFence::WriteWrite) => "\" w, w\"",
                Some(WeakFence::WriteBoth) => "\" w, rw\"",
                Some(WeakFence::BothRead) => "\" rw, r\"",
                Some(WeakFence::BothWrite) => "\" rw, w\"",
                Some(WeakFence::Tso) => "\".tso\"",
            },
            Isa::Arm => match weak {
                Some(WeakFence::ReadRead | WeakFence::ReadWrite | WeakFence::ReadBoth) => {
                    "\"dmb ishld\""
                }
                Some(WeakFence::WriteWrite) => "\"dmb ishst\"",
                Some(WeakFence::Instruction) => "\"isb\"",
                _ => "\"dmb ish\"",
            },
        }
    }
}

fn riscv_order(annotation: Annotation) -> &'static str {
    match (annotation.acquires(), annotation.releases()) {
        (false, false) => "",
        (true, false) => ".aq",
        (false, true) => ".rl",
        (true, true) => ".aqrl",
    }
}

/// The C of an instruction set.
fn instructions(isa: Isa) -> &'static str {
    match isa {
        Isa::X86 => include_str!("c/x86_64.c"),
        Isa::Riscv => include_str!("c/riscv64.c"),
        Isa::Arm => include_str!("c/aarch64.c"),
    }
}

/// The usual name of a compiler for an instruction set.
fn compiler(isa: Isa) -> &'static str {
    match isa {
        Isa::X86 => "gcc",
        Isa::Riscv => "riscv64-linux-gnu-gcc",
        Isa::Arm => "aarch64-linux-gnu-gcc",
    }
}
