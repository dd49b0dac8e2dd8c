//! What an instruction does to memory.

use history::{Annotation, Gap, Kind, low_bytes};

/// What an instruction or micro-operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Nothing that orders or accesses memory.
    Nothing,
    /// It accesses memory.
    Access(Operation),
    /// A pair of loads that show at most one of their values, each of so many bytes.
    LoadPair(u8),
    /// A pair of stores of so many bytes each, whose values are the halves of what the line shows.
    StorePair(u8),
    /// A fence.
    Fence(Kind),
    /// A fence that the trace shows too little of; it is taken for a full one.
    SomeFence,
    /// The load of a locked read-modify-write, and its store.
    Locked(Operation),
    /// A store-conditional whose outcome its line does not show. A branch that tests this register
    /// does; the store is then one of the value beside it.
    Attempt(Operation, Option<(usize, Option<u64>)>),
    /// Something that is not understood, and touches up to so many bytes from its address on.
    Unknown(Gap, u16),
    /// An access to an address that the line does not show.
    Nowhere(Gap),
    /// Something that is not understood, and touches up to a block of so many bytes, a power of
    /// two, around its address.
    UnknownBlock(Gap, u16),
    /// Something that is not understood, and touches up to a vector register from its address on.
    UnknownVector(Gap),
    /// Something that is not understood, and changes what accesses anywhere do.
    UnknownEverywhere(Gap),
}

/// An access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operation {
    pub kind: Kind,
    pub annotation: Annotation,
    /// Number of bytes, 0 if the instruction does not tell.
    pub size: u8,
    pub read: Option<u64>,
    pub written: Option<u64>,
}

impl Operation {
    /// A load that returned `value`.
    pub fn load(size: u8, value: Option<u64>) -> Operation {
        Operation {
            kind: Kind::Load,
            annotation: Annotation::None,
            size,
            read: value.map(|value| cut(value, size)),
            written: None,
        }
    }

    /// A store of `value`.
    pub fn store(size: u8, value: Option<u64>) -> Operation {
        Operation {
            kind: Kind::Store,
            annotation: Annotation::None,
            size,
            read: None,
            written: value.map(|value| cut(value, size)),
        }
    }

    /// A read-modify-write.
    pub fn rmw(size: u8, read: Option<u64>, written: Option<u64>) -> Operation {
        Operation {
            kind: Kind::Rmw,
            read: read.map(|value| cut(value, size)),
            ..Operation::store(size, written)
        }
    }

    /// The operation with its size, as far as its value and address tell one that has 4 or 8 bytes:
    /// values that are not small have 8, and what is aligned to 4 bytes alone has 4.
    pub fn sized_by(self, address: u64) -> Operation {
        if self.size != 0 {
            return self;
        }
        let is_wide = self.read.max(self.written) > Some(u64::from(u32::MAX));
        let size = match address % 8 {
            _ if is_wide => 8,
            4 => 4,
            _ => 0,
        };
        Operation { size, ..self }
    }

    pub fn of_kind(self, kind: Kind) -> Operation {
        Operation { kind, ..self }
    }

    pub fn with(self, annotation: Annotation) -> Operation {
        Operation { annotation, ..self }
    }
}

/// The lowest bytes of a value; all of it if their number is not known.
pub(super) fn cut(value: u64, size: u8) -> u64 {
    match size {
        0 => value,
        size => value & low_bytes(size),
    }
}

/// An atomic operation that computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Update {
    Swap,
    Add,
    Xor,
    Or,
    And,
    Min,
    Max,
    MinUnsigned,
    MaxUnsigned,
}

impl Update {
    /// The value that it leaves in memory.
    pub fn apply(self, old: u64, operand: u64, size: u8) -> u64 {
        let (old, operand) = (cut(old, size), cut(operand, size));
        let is_less = signed(operand, size) < signed(old, size);
        let result = match self {
            Update::Swap => operand,
            Update::Add => old.wrapping_add(operand),
            Update::Xor => old ^ operand,
            Update::Or => old | operand,
            Update::And => old & operand,
            Update::Min if is_less => operand,
            Update::Max if !is_less => operand,
            Update::Min | Update::Max => old,
            Update::MinUnsigned => old.min(operand),
            Update::MaxUnsigned => old.max(operand),
        };
        cut(result, size)
    }

    /// The value that it leaves in memory, as far as the old one matters and is known.
    pub fn written(self, old: Option<u64>, operand: Option<u64>, size: u8) -> Option<u64> {
        match self {
            Update::Swap => operand.map(|operand| cut(operand, size)),
            _ => Some(self.apply(old?, operand?, size)),
        }
    }
}

fn signed(value: u64, size: u8) -> i64 {
    let shift = 64 - 8 * u32::from(size.clamp(1, 8));
    ((value << shift) as i64) >> shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_compute_within_their_size() {
        assert_eq!(Update::Add.apply(0xffff_ffff, 2, 4), 1);
        assert_eq!(Update::Min.apply(0xffff_ffff, 1, 4), 0xffff_ffff);
        assert_eq!(Update::Max.apply(0xffff_ffff, 1, 4), 1);
        assert_eq!(Update::MinUnsigned.apply(0xffff_ffff, 1, 4), 1);
        assert_eq!(Update::MaxUnsigned.apply(0xff, 1, 1), 0xff);
        assert_eq!(Update::Max.apply(5, u64::MAX, 8), 5);
        assert_eq!(Update::Swap.written(None, Some(0x1_0000_0001), 4), Some(1));
        assert_eq!(Update::Add.written(None, Some(1), 4), None);
    }
}
