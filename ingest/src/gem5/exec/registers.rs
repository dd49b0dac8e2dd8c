//! Values of integer registers, as far as a trace shows them.
//!
//! A store-conditional and an atomic operation do not show what they write: it is computed from a register, whose value the
//! line of the instruction that wrote it has shown. A value that is no longer certain is forgotten.

/// Registers of a hardware thread.
#[derive(Debug, Default)]
pub(super) struct Registers {
    values: [Option<u64>; 32],
    /// Where the next instruction may be: behind the last one, and where it branches to.
    next: Option<(u64, Option<u64>)>,
}

/// Size of the longest instruction, in bytes.
const LONGEST: u64 = 4;

impl Registers {
    /// The value of a register.
    pub fn get(&self, register: usize) -> Option<u64> {
        self.values.get(register).copied().flatten()
    }

    /// Notes what an instruction wrote to a register.
    pub fn set(&mut self, register: usize, value: Option<u64>) {
        if let Some(slot) = self.values.get_mut(register) {
            *slot = value;
        }
    }

    /// Forgets all values, since any register may have been written.
    pub fn forget(&mut self) {
        self.values = [None; 32];
    }

    /// Notes that an instruction at `pc` follows. If the last one did not lead there, another program may have run in between,
    /// and all values are forgotten.
    pub fn arrive(&mut self, pc: Option<u64>) {
        let Some(pc) = pc else {
            return self.forget();
        };
        let expected = self.next.is_some_and(|(last, target)| {
            pc == last || pc.wrapping_sub(last) <= LONGEST || target == Some(pc)
        });
        if !expected {
            self.forget();
        }
        self.next = Some((pc, None));
    }

    /// Notes that the last instruction may branch by an offset.
    pub fn branch(&mut self, offset: Option<i64>) {
        if let (Some((pc, target)), Some(offset)) = (&mut self.next, offset) {
            *target = Some(pc.wrapping_add_signed(offset));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_certain_is_forgotten() {
        let mut registers = Registers::default();
        registers.arrive(Some(0x100));
        registers.set(5, Some(7));
        registers.arrive(Some(0x104));
        assert_eq!(registers.get(5), Some(7));
        registers.branch(Some(-0x44));
        registers.arrive(Some(0xc0));
        assert_eq!(registers.get(5), Some(7));
        registers.arrive(Some(0x2000));
        assert_eq!(registers.get(5), None);
        assert_eq!(registers.get(99), None);
    }
}
