//! [`Next`]: where a hart goes on after an instruction, as far as its encoding says.

/// Where a hart goes on after an instruction, unless there is a trap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Next {
    /// The instruction behind it.
    #[default]
    Behind,
    /// The instruction at this address, or the one behind it.
    Branch(u64),
    /// The instruction at this address.
    Jump(u64),
    /// The encoding does not say it: a jump to the address in a register, a trap, or a return from one.
    Anywhere,
}

impl Next {
    /// Whether a hart may go on at `pc` after an instruction; `behind` is the address behind that.
    pub fn allows(self, behind: u64, pc: u64) -> bool {
        match self {
            Next::Behind => pc == behind,
            Next::Branch(target) => pc == behind || pc == target,
            Next::Jump(target) => pc == target,
            Next::Anywhere => true,
        }
    }
}
