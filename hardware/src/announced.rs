//! Programs whose accesses a trace of instructions shows.
//!
//! The shared variables are alone in a section, and the program says by three stores where that is: [`ANNOUNCEMENT`], then
//! the first address, then the address after the last. A program runs several times in a process, in *rounds*, with a barrier
//! before each. Values differ between rounds, so all rounds together are one history.

use std::io::{self, Write};

use history::ANNOUNCEMENT;
use simulate::program::{Operation, Program, ProgramSize};

use crate::c::CProgram;
use crate::instructions;
use crate::threads::{Style, ThreadWriter};
use crate::variables::Variables;

/// The bits of a value that number the writes of a thread; those above number the rounds.
pub(crate) const ROUND_SHIFT: u32 = 20;

/// The most rounds, whose numbers are below the number of the thread.
pub const MOST_ROUNDS: u32 = 1 << (32 - ROUND_SHIFT);

/// The text of a program after its own constants, up to its threads.
const HEAD: &str = include_str!("c/announced_head.c");

/// The text of a program after its tables.
const TAIL: &str = include_str!("c/announced_tail.c");

/// A program with the places of its variables.
pub(crate) struct Announced<'a> {
    c: &'a CProgram<'a>,
    size: &'a ProgramSize,
    variables: Variables,
}

impl<'a> Announced<'a> {
    pub(crate) fn new(c: &'a CProgram<'a>, size: &'a ProgramSize) -> Announced<'a> {
        Announced { c, size, variables: Variables::words(size, c.stride) }
    }

    pub(crate) fn write(&self, program: &Program, out: &mut dyn Write) -> io::Result<()> {
        self.constants(out)?;
        let Announced { c, size, variables } = self;
        let mut writer = ThreadWriter { c, variables, seed: size.seed, style: Rounds };
        for (thread, steps) in program.threads.iter().enumerate() {
            writer.write(thread, steps, out)?;
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
                let offset = variables.at(bytes.address).offset;
                writeln!(out, "    {{ {offset:#x}, {value:#x} }},")?;
            }
        }
        writeln!(out, "    {{ 0, 0 }},\n}};\n\n/* Where the variables are. */")?;
        writeln!(out, "static const uint64_t locations[] = {{")?;
        variables.all.iter().try_for_each(|it| writeln!(out, "    {:#x},", it.offset))?;
        write!(out, "}};\n\n{TAIL}")
    }

    fn constants(&self, out: &mut dyn Write) -> io::Result<()> {
        let CProgram { name, isa, rounds, stride, others, .. } = self.c;
        let compiler = instructions::compiler(*isa);
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
            threads = self.size.threads,
            lines = self.variables.bytes / stride,
            others = (*others).max(1),
            magic = ANNOUNCEMENT,
            instructions = instructions::macros(*isa),
        )
    }
}

/// Threads whose values tell rounds apart.
struct Rounds;

impl Style for Rounds {
    fn parameter(&self) -> &'static str {
        "uint64_t round"
    }

    fn begin(&self) -> &'static str {
        ""
    }

    fn written(&self, value: u64) -> String {
        format!("{value:#x} + round")
    }

    fn read(&mut self, _: &str) -> String {
        String::new()
    }

    fn end(&mut self) -> String {
        "    (void)round;\n".to_owned()
    }
}
