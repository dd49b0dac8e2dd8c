//! [`Fault`]: a mistake that a program makes on purpose, so that a test sees that it is found.

use history::Isa;

/// A program that does less than it claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Fences are left out.
    Fence,
    /// A read-modify-write is a load and a store.
    Swap,
    /// A read-modify-write is a load and a store under a lock, which two threads may take at once.
    Lock,
    /// Stores are non-temporal, which x86 does not keep in order.
    NonTemporal,
}

impl Fault {
    /// Every fault.
    pub const ALL: [Fault; 4] = [Fault::Fence, Fault::Swap, Fault::Lock, Fault::NonTemporal];

    /// The name in options.
    pub fn name(self) -> &'static str {
        match self {
            Fault::Fence => "no-fence",
            Fault::Swap => "plain-swap",
            Fault::Lock => "racy-lock",
            Fault::NonTemporal => "non-temporal",
        }
    }

    /// Whether programs for an instruction set can have it.
    pub fn is_for(self, isa: Isa) -> bool {
        self != Fault::NonTemporal || isa == Isa::X86
    }
}
