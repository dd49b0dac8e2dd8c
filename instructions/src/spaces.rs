//! [`Spaces`]: distinguishes address spaces. Addresses are virtual, so the same address of two processes is not the
//! same location.
//!
//! With the flag ExecAsid a line shows its address space. The lower half of the addresses belongs to programs and is separate
//! in each space. The upper half belongs to the kernel and is common to all, on x86, RISC-V and Arm with the operating systems
//! that gem5 runs. To tell the spaces apart, the number of the space, from 0, is put into bits of a program's address that
//! programs do not use.

use crate::instruction::Instruction;

/// The address spaces that lines have shown so far.
#[derive(Debug, Default)]
pub struct Spaces {
    known: Vec<u64>,
    /// Whether there were more address spaces than can be distinguished.
    overflown: bool,
    /// Whether instructions of a kernel were executed.
    kernel: bool,
}

/// The bit that distinguishes the two halves of the addresses; the bits above it may hold a tag on Arm.
const KERNEL: u64 = 1 << 55;
/// Position of a space's number in an address.
const SHIFT: u32 = 48;
/// Largest number of a space, and mask of the number after shifting.
const NUMBERS: u64 = 0x7f;

impl Spaces {
    /// Notes that an instruction was executed in a space, and moves its address into that space.
    pub(crate) fn enter(&mut self, space: Option<u64>, line: &mut Instruction<'_>) {
        self.kernel |= line.pc.is_some_and(is_kernel);
        let Some(space) = space else {
            return;
        };
        let known = self.known.iter().position(|&known| known == space);
        let mut number = known.unwrap_or(self.known.len());
        if number > NUMBERS as usize {
            self.overflown = true;
            number = NUMBERS as usize;
        } else if known.is_none() {
            self.known.push(space);
        }
        if let Some(address) = line.address.filter(|address| !is_kernel(*address)) {
            line.address = Some(address ^ (number as u64) << SHIFT);
        }
    }

    /// The address spaces that are distinguished; empty if there is only one, as on x86 and RISC-V, where gem5 always
    /// prints 0.
    pub fn told_apart(&self) -> &[u64] {
        if self.known.len() > 1 { &self.known } else { &[] }
    }

    /// Whether several processes may use the same address for different memory.
    pub fn are_mixed(&self, full_system: bool) -> bool {
        self.overflown || ((self.kernel || full_system) && self.told_apart().is_empty())
    }
}

/// Whether an address is in the half of the kernel.
pub(crate) fn is_kernel(address: u64) -> bool {
    address & KERNEL != 0
}

/// The address as the trace shows it, without the number of its space.
pub(crate) fn plain(address: u64) -> u64 {
    if is_kernel(address) { address } else { address & !(NUMBERS << SHIFT) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::instruction;

    #[test]
    fn programs_have_memory_of_their_own() {
        let mut spaces = Spaces::default();
        let mut at = |space, address: u64| {
            let text = format!(
                "0x4 @f    : ld a5, 0(a4) : MemRead :  D=0x0000000000000000 A={address:#x}"
            );
            let mut line = instruction(&text);
            spaces.enter(space, &mut line);
            line.address.unwrap()
        };
        assert_eq!(at(Some(7), 0x1000), 0x1000);
        assert_eq!(at(Some(9), 0x1000), 0x1_0000_0000_1000);
        assert_eq!(plain(at(Some(9), 0x1000)), 0x1000);
        let kernel = 0xffff_ffff_8000_0000;
        assert_eq!((at(Some(7), kernel), at(Some(9), kernel)), (kernel, kernel));
        assert_eq!(spaces.told_apart(), [7, 9]);
        assert!(!spaces.are_mixed(true));
    }
}
