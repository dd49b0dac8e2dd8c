//! Instruction sets: translate the text of an instruction into its effect.
//!
//! Each instruction set is a module that translates its assembly into a common [`Instruction`], which says what is
//! computed from which registers, what is loaded and stored, and which order the instruction requires. The rest of
//! the crate knows only [`Instruction`]s. [`Architecture`] lists the instruction sets.
//!
//! - [`riscv`], [`aarch64`], [`x86_64`]: the instruction sets;
//! - `operands`: the grammar of operands, which they share;
//! - `flags`: the flags that comparisons set.

pub mod aarch64;
mod flags;
mod operands;
pub mod riscv;
pub mod x86_64;

use history::{Annotation, Isa, Kind};
use memory::Model;

pub(crate) use operands::number;

use crate::value::{Binary, Location, Unary, Value};

/// An instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Architecture {
    /// RISC-V, 64 bits.
    RiscV,
    /// AArch64.
    AArch64,
    /// x86, 64 bits.
    X86_64,
}

impl Architecture {
    /// Every instruction set.
    pub const ALL: [Architecture; 3] =
        [Architecture::RiscV, Architecture::AArch64, Architecture::X86_64];

    /// The name that a litmus test begins with.
    pub fn name(self) -> &'static str {
        match self {
            Architecture::RiscV => "RISCV",
            Architecture::AArch64 => "AArch64",
            Architecture::X86_64 => "X86_64",
        }
    }

    /// The instruction set of that name.
    pub fn from_name(name: &str) -> Option<Architecture> {
        let name = if name == "RISC-V" { "RISCV" } else { name };
        Architecture::ALL.into_iter().find(|it| it.name() == name)
    }

    /// The memory model of the architecture.
    pub fn model(self) -> Model {
        match self {
            Architecture::RiscV => Model::RVWMO,
            Architecture::AArch64 => Model::ARMV8,
            Architecture::X86_64 => Model::TSO,
        }
    }

    /// The instruction set as histories name it.
    pub(crate) fn isa(self) -> Isa {
        match self {
            Architecture::RiscV => Isa::Riscv,
            Architecture::AArch64 => Isa::Arm,
            Architecture::X86_64 => Isa::X86,
        }
    }

    /// The register of that name. The name of a part, such as `eax`, gives the whole register.
    pub fn register(self, name: &str) -> Option<Register> {
        match self {
            Architecture::RiscV => riscv::register(name),
            Architecture::AArch64 => aarch64::register(name),
            Architecture::X86_64 => x86_64::register(name),
        }
    }

    /// The name of a register in final states.
    pub fn register_name(self, register: Register) -> String {
        match self {
            Architecture::RiscV => riscv::register_name(register),
            Architecture::AArch64 => aarch64::register_name(register),
            Architecture::X86_64 => x86_64::register_name(register),
        }
    }

    /// The lower half of the vector register of that name, such as `V0.4S`, the number of bits of a lane, and the number
    /// of lanes.
    pub(crate) fn lanes(self, name: &str) -> Option<(Register, u8, u8)> {
        match self {
            Architecture::AArch64 => aarch64::lanes(name),
            Architecture::RiscV | Architecture::X86_64 => None,
        }
    }

    /// Translates the instruction `text`. `symbols` returns the location of a name.
    ///
    /// # Errors
    /// Returns a description of the first part that is not understood.
    pub(crate) fn decode(
        self,
        text: &str,
        symbols: &mut dyn FnMut(&str) -> Location,
    ) -> Result<Instruction, String> {
        match self {
            Architecture::RiscV => riscv::decode(text),
            Architecture::AArch64 => aarch64::decode(text),
            Architecture::X86_64 => x86_64::decode(text, symbols),
        }
    }
}

/// The instruction sets and languages of herd's other tests, as their first lines name them.
pub const OTHERS: [&str; 13] =
    ["ARM", "ASL", "BPF", "Bell", "C", "C++", "CPP", "JAVA", "Java", "LISA", "MIPS", "PPC", "X86"];

/// The text of an instruction in one form, whatever its spaces and letters: `B .+4`, `ADD W0,W0,#1`. `distance` returns
/// the number of bytes to a label.
pub(crate) fn uniform(text: &str, distance: &dyn Fn(&str) -> Option<i64>) -> String {
    let text = text.trim();
    let (mnemonic, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let words = |operand: &str| operand.split_whitespace().collect::<Vec<_>>().join(" ");
    let operands = operands.split(',').map(words).map(|operand| match distance(&operand) {
        Some(distance) => format!(".{distance:+}"),
        None => operand.to_ascii_uppercase(),
    });
    let operands = operands.collect::<Vec<_>>().join(",");
    format!("{} {operands}", mnemonic.to_ascii_uppercase()).trim().to_owned()
}

/// A register, by its number in the instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register(pub u8);

/// Number of registers of the largest instruction set, with those that hold flags, [`SCRATCH`] and [`STORED`].
pub(crate) const REGISTERS: usize = 120;

/// A register between the parts of one instruction, which no instruction names.
pub(crate) const SCRATCH: Register = Register(33);

/// The register that stands for the value stored by an atomic instruction.
pub(crate) const STORED: Register = Register(38);

/// A computation from registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// A constant.
    Constant(Value),
    /// The value of a register.
    Register(Register),
    /// An operation on one value.
    Unary(Unary, Box<Formula>),
    /// An operation on two values.
    Binary(Binary, Box<Formula>, Box<Formula>),
}

impl Formula {
    /// A number.
    pub fn number(number: i64) -> Formula {
        Formula::Constant(Value::Number(number))
    }

    /// An operation on one value.
    #[must_use]
    pub fn unary(self, operation: Unary) -> Formula {
        Formula::Unary(operation, Box::new(self))
    }

    /// An operation on this value and another.
    #[must_use]
    pub fn binary(self, operation: Binary, second: Formula) -> Formula {
        Formula::Binary(operation, Box::new(self), Box::new(second))
    }

    /// The lowest `bits` bits, moved to the top of 64. Comparisons of two such numbers, and the sign of their
    /// difference, are those of arithmetic with `bits` bits.
    #[must_use]
    pub(crate) fn at_top(self, bits: u8) -> Formula {
        match 64 - bits {
            0 => self,
            by => self.binary(Binary::ShiftLeft, Formula::number(i64::from(by))),
        }
    }
}

/// The number of bits of an access, and how a load extends them to a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width {
    /// Number of bits that are accessed: 8, 16, 32 or 64.
    pub bits: u8,
    /// Whether the highest of these bits is copied to the bits above.
    pub signed: bool,
}

/// An access of memory, as an instruction states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryAccess {
    /// The address.
    pub address: Formula,
    /// The number of bits that are accessed, and how a load extends them.
    pub width: Width,
    /// Whether the access acquires or releases.
    pub annotation: Annotation,
}

/// What an atomic instruction stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Update {
    /// The operand, whatever memory held.
    Exchange(Formula),
    /// The result of an operation on the value that memory held and the operand.
    Apply(Binary, Formula),
}

/// Whether writes of other threads may come between the read and the write of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atomicity {
    /// No write of another thread comes between.
    Atomic,
    /// Writes of other threads may come between: x86 without a `lock` prefix.
    Separate,
}

/// Where a jump goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JumpTarget {
    /// A label of the thread, or a distance in bytes such as `.+8`.
    Label(String),
    /// A computed address of an instruction.
    Address(Formula),
}

/// An instruction, in a form common to all instruction sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// Has no effect.
    Nothing,
    /// Sets registers, all at once.
    Set(Vec<(Register, Formula)>),
    /// Sets registers to one of two lists of values.
    Select {
        /// The condition: nonzero chooses the first list, zero the second.
        condition: Formula,
        /// The two lists, each of the same registers.
        chosen: [Vec<(Register, Formula)>; 2],
    },
    /// Loads a register. An exclusive load opens a reservation.
    Load {
        /// The register, if the value is kept.
        target: Option<Register>,
        /// The access.
        access: MemoryAccess,
        /// Whether a reservation is opened.
        exclusive: bool,
    },
    /// Stores a value.
    Store {
        /// The value.
        value: Formula,
        /// The access.
        access: MemoryAccess,
    },
    /// Stores a value if the reservation still holds.
    StoreConditional {
        /// The register that becomes 0 if the value was stored and 1 if not.
        status: Option<Register>,
        /// The value, or two for two places that follow each other.
        values: Vec<Formula>,
        /// The access.
        access: MemoryAccess,
        /// Whether later operations that use the status depend on the store, as in RISC-V.
        status_depends: bool,
    },
    /// Loads a value and stores one computed from it, which `STORED` holds afterwards.
    Atomic {
        /// The register that takes the value loaded.
        target: Option<Register>,
        /// The value stored.
        update: Update,
        /// The access.
        access: MemoryAccess,
        /// Whether writes of other threads may come between the read and the write.
        atomicity: Atomicity,
    },
    /// Stores a value if memory holds the expected one.
    CompareAndSwap {
        /// The register that takes the value loaded, if it is kept.
        target: Option<Register>,
        /// The expected value.
        expected: Formula,
        /// The value to store.
        value: Formula,
        /// The access.
        access: MemoryAccess,
        /// Whether writes of other threads may come between the read and the write.
        atomicity: Atomicity,
        /// The register that becomes 1 if the value was stored and 0 if not.
        success: Option<Register>,
    },
    /// Stores two values in places that follow each other if memory holds the expected ones.
    CompareAndSwapPair {
        /// The registers that take the values loaded, if they are kept.
        targets: [Option<Register>; 2],
        /// The expected values.
        expected: [Formula; 2],
        /// The values to store.
        values: [Formula; 2],
        /// The access of the first place.
        access: MemoryAccess,
    },
    /// A fence.
    Fence(Kind),
    /// Jumps if the condition is nonzero.
    Branch {
        /// The condition; `None` for an unconditional jump.
        condition: Option<Formula>,
        /// The place where the thread goes on.
        target: JumpTarget,
    },
    /// Jumps, and sets a register to the address of the next instruction.
    Call {
        /// The register that takes the address of the next instruction.
        link: Register,
        /// The place where the thread goes on.
        target: JumpTarget,
    },
    /// Sets a register to the address of a label.
    LabelAddress {
        /// The register that takes the address.
        target: Register,
        /// The label, as [`JumpTarget::Label`] has it.
        label: String,
    },
    /// Instructions that run if the condition is nonzero. The condition may not depend on a load.
    OnlyIf {
        /// The condition.
        condition: Formula,
        /// The instructions.
        then: Vec<Instruction>,
    },
    /// The accesses of one instruction, which are in no order.
    Unordered(Vec<Instruction>),
    /// Instructions that run one after the other.
    Sequence(Vec<Instruction>),
}
