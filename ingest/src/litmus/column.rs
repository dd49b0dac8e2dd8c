//! [`Column`]: the column of a thread in a litmus test, with its instructions, its registers, and its part of the
//! condition.

use std::collections::HashMap;

use history::{Annotation, DependencyKind, Kind, OpId};

use super::Inexpressible;

/// A register of a thread, by its number. Each register is written once.
pub(super) type Register = usize;

/// An operation whose values are small numbers, with the registers that its address, its data, its execution and its
/// choice between values depend on.
pub(super) struct Operation {
    pub op: OpId,
    pub kind: Kind,
    pub annotation: Annotation,
    /// The name of the location; empty for a fence.
    pub place: String,
    pub read: Option<u64>,
    pub written: Option<u64>,
    pub address: Vec<Register>,
    pub data: Vec<Register>,
    pub control: Vec<Register>,
    pub choice: Vec<Register>,
    /// How the value written depends on the value that the operation itself reads. Only Armv8 distinguishes that.
    pub own: Option<DependencyKind>,
    /// Whether other operations depend on this one.
    pub is_used: bool,
}

impl Operation {
    /// The value written; 0 for an operation that does not write.
    pub(super) fn value(&self) -> u64 {
        self.written.unwrap_or_default()
    }
}

/// The column of a thread.
pub(super) struct Column {
    thread: usize,
    /// Initial values of registers.
    pub initial: Vec<String>,
    pub code: Vec<String>,
    /// The values of registers at the end, as terms of the condition.
    pub condition: Vec<String>,
    registers: usize,
    labels: usize,
    /// The registers that hold the addresses of locations.
    bases: HashMap<String, Register>,
    /// The registers that hold the values that operations returned.
    results: HashMap<OpId, Register>,
}

impl Column {
    pub(super) fn new(thread: usize) -> Column {
        Column {
            thread,
            initial: Vec::new(),
            code: Vec::new(),
            condition: Vec::new(),
            registers: 0,
            labels: 0,
            bases: HashMap::new(),
            results: HashMap::new(),
        }
    }

    /// The register that holds the value that an operation returned, if it returned one.
    pub(super) fn result(&self, op: OpId) -> Option<Register> {
        self.results.get(&op).copied()
    }

    /// Allocates an unused register of `most` registers.
    pub(super) fn register(&mut self, most: usize) -> Result<Register, Inexpressible> {
        if self.registers == most {
            return Err(format!("needs more than the {most} registers of its thread"));
        }
        self.registers += 1;
        Ok(self.registers - 1)
    }

    /// The register that holds the address of a location from the start; it is allocated at the first use. `named`
    /// returns the name of a register.
    pub(super) fn base(
        &mut self,
        place: &str,
        most: usize,
        named: fn(Register) -> String,
    ) -> Result<Register, Inexpressible> {
        if let Some(&base) = self.bases.get(place) {
            return Ok(base);
        }
        let base = self.register(most)?;
        self.bases.insert(place.to_owned(), base);
        self.initial.push(format!("{}:{}={place};", self.thread, named(base)));
        Ok(base)
    }

    /// Creates an unused label.
    pub(super) fn label(&mut self) -> String {
        self.labels += 1;
        format!("LC{:02}", self.labels - 1)
    }

    pub(super) fn push(&mut self, instruction: String) {
        self.code.push(instruction);
    }

    /// Records that an operation returned a value into the register with this name.
    pub(super) fn returns(&mut self, op: OpId, register: Register, name: &str, value: u64) {
        self.results.insert(op, register);
        self.condition.push(format!("{}:{name}={value}", self.thread));
    }
}
