//! [`Registers`]: the values of a hart's integer registers, as far as a log shows them.

use instructions::RegisterValues;

/// The integer registers of a hart, before and after an instruction.
#[derive(Clone, Debug, Default)]
pub(super) struct Registers {
    values: [Option<u64>; 32],
    /// The registers that the instruction wrote.
    written: Vec<(u8, Option<u64>)>,
}

impl Registers {
    /// Notes that the current instruction wrote a register; `None` stands for a value that is not known.
    pub(super) fn write(&mut self, register: u8, value: Option<u64>) {
        self.written.push((register, value));
    }

    /// The value that the current instruction wrote to a register; `None` if it wrote none.
    fn written(&self, register: u8) -> Option<Option<u64>> {
        let written = self.written.iter().rev().find(|(it, _)| *it == register);
        written.map(|(_, value)| *value)
    }

    /// Goes on to the next instruction.
    pub(super) fn advance(&mut self) {
        for (register, value) in self.written.drain(..) {
            if let Some(slot) = self.values.get_mut(usize::from(register)) {
                *slot = value;
            }
        }
    }

    /// Forgets all values, since any register may have been written.
    pub(super) fn forget(&mut self) {
        self.written.clear();
        self.values = [None; 32];
    }
}

/// The registers of a log that shows each register that an instruction writes, even if its value stays the same.
pub(super) struct Written<'a>(pub &'a Registers);

impl RegisterValues for Written<'_> {
    fn before(&self, register: u8) -> Option<u64> {
        self.0.before(register)
    }

    fn after(&self, register: u8) -> Option<u64> {
        self.0.written(register)?
    }
}

/// The registers of a log that shows those that change.
impl RegisterValues for Registers {
    fn before(&self, register: u8) -> Option<u64> {
        self.values.get(usize::from(register)).copied().flatten()
    }

    fn after(&self, register: u8) -> Option<u64> {
        self.written(register).unwrap_or_else(|| self.before(register))
    }
}
