//! The threads of a program as functions in C.

use std::io::{self, Write};

use history::random::Rng;
use history::{Annotation, DependencyKind};
use simulate::program::{Operation, RmwForm, Step};

use crate::c::CProgram;
use crate::fault::Fault;
use crate::instructions;
use crate::variables::{Variable, Variables};

/// Separates the choice of evictions from other choices with the same seed.
const EVICTIONS: u64 = 0x45_56_49_43 << 32;
/// The same for prefetches.
const PREFETCHES: u64 = 0x50_46_43_48 << 32;

/// Registers for the latest values read: as many as dependencies reach back.
const REGISTERS: usize = 8;

/// What differs between programs that record themselves and those that do not.
pub(crate) trait Style {
    /// The parameters of a thread's function besides `variables` and `evicting`.
    fn parameter(&self) -> &'static str;

    /// The declarations at the beginning of a thread.
    fn begin(&self) -> &'static str;

    /// A value that is written, as an expression.
    fn written(&self, value: u64) -> String;

    /// The statements that record the value of a thread's next read, which is in a register.
    fn read(&mut self, register: &str) -> String;

    /// The statements at the end of a thread.
    fn end(&mut self) -> String;
}

/// Writes a thread.
pub(crate) struct ThreadWriter<'a, S> {
    pub(crate) c: &'a CProgram<'a>,
    pub(crate) variables: &'a Variables,
    pub(crate) seed: u64,
    pub(crate) style: S,
}

impl<S: Style> ThreadWriter<'_, S> {
    /// Writes the function of a thread.
    pub(crate) fn write(
        &mut self,
        thread: usize,
        steps: &[Step],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let registers: Vec<String> = (0..REGISTERS).map(|number| format!("r{number}")).collect();
        let zeros: Vec<String> = registers.iter().map(|name| format!("{name} = 0")).collect();
        let parameter = self.style.parameter();
        writeln!(
            out,
            "\nstatic void thread_{thread}(uint64_t variables, uint64_t evicting, {parameter})\n{{"
        )?;
        writeln!(out, "    uint64_t {}, zero = 0, evicted = 0;", zeros.join(", "))?;
        writeln!(out, "{}", self.style.begin())?;
        let mut evictions = Rng::new(self.seed, EVICTIONS + thread as u64);
        let mut prefetches = Rng::new(self.seed, PREFETCHES + thread as u64);
        for (at, step) in steps.iter().enumerate() {
            if step.think > 0 {
                writeln!(out, "    WAIT({});", step.think)?;
            }
            if evictions.percent(self.c.evictions) && self.c.others > 0 {
                let place = evictions.below(u64::from(self.c.others)) * self.c.stride;
                let last = instructions::load(self.c.isa, Annotation::None);
                writeln!(out, "    LOAD(8, evicted, evicting + {place:#x}{last});")?;
            }
            if self.c.prefetches > 0 && prefetches.percent(self.c.prefetches) {
                let variable = self.variables.all[prefetches.index(self.variables.all.len())];
                writeln!(out, "    PREFETCH(variables + {:#x});", variable.offset)?;
            }
            self.step(at, step, out)?;
        }
        let used: Vec<String> = registers.iter().map(|name| format!("(void){name};")).collect();
        write!(out, "{}", self.style.end())?;
        writeln!(out, "    {} (void)zero; (void)evicted;", used.join(" "))?;
        writeln!(out, "    (void)variables; (void)evicting;\n}}")
    }

    fn step(&mut self, at: usize, step: &Step, out: &mut dyn Write) -> io::Result<()> {
        let isa = self.c.isa;
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
        let place = |variable: Variable| {
            format!("variables + {offset:#x}{to_address}", offset = variable.offset)
        };
        let register = format!("r{}", at % REGISTERS);
        let annotation = step.ordering.annotation;
        let (variable, value) = match step.operation {
            Operation::Load(bytes) | Operation::Fetch(bytes) => {
                (self.variables.at(bytes.address), 0)
            }
            Operation::Store(bytes, value) | Operation::Rmw { bytes, value, .. } => {
                (self.variables.at(bytes.address), self.variables.value(value))
            }
            Operation::Fence if self.c.fault == Some(Fault::Fence) => return Ok(()),
            Operation::Fence => {
                let argument = instructions::fence(isa, step.ordering.fence);
                return writeln!(out, "    FENCE({argument});");
            }
        };
        let (size, place) = (variable.size, place(variable));
        let value = format!("{}{to_data}", self.style.written(value));
        let load = instructions::load(isa, annotation);
        let store = instructions::store(isa, annotation);
        let is_read = match step.operation {
            Operation::Store(..) if self.c.fault == Some(Fault::NonTemporal) => {
                writeln!(out, "    STORE_PAST_CACHES({size}, {place}, {value});")?;
                false
            }
            Operation::Store(..) => {
                writeln!(out, "    STORE({size}, {place}, {value}{store});")?;
                false
            }
            Operation::Rmw { .. } if self.c.fault == Some(Fault::Swap) => {
                writeln!(out, "    LOAD({size}, {register}, {place}{load});")?;
                writeln!(out, "    STORE({size}, {place}, {value}{store});")?;
                true
            }
            Operation::Rmw { .. } if self.c.fault == Some(Fault::Lock) => {
                writeln!(out, "    TAKE_LOCK();")?;
                writeln!(out, "    LOAD({size}, {register}, {place}{load});")?;
                writeln!(out, "    STORE({size}, {place}, {value}{store});")?;
                writeln!(out, "    RELEASE_LOCK();")?;
                true
            }
            Operation::Rmw { form: RmwForm::Linked, .. } => {
                let (load, store) =
                    instructions::linked(isa, annotation, step.ordering.conditional);
                writeln!(
                    out,
                    "    LINKED({size}, {register}, {place}, {value}, \"{load}\", \"{store}\");"
                )?;
                true
            }
            Operation::Rmw { .. } => {
                let order = instructions::swap(isa, annotation);
                writeln!(out, "    SWAP({size}, {register}, {place}, {value}{order});")?;
                true
            }
            _ => {
                writeln!(out, "    LOAD({size}, {register}, {place}{load});")?;
                true
            }
        };
        if is_read {
            write!(out, "{}", self.style.read(&register))?;
        }
        Ok(())
    }
}
