//! [`Action`]: the effect of an instruction on memory, with the [`Operation`] that it performs.

use history::{Annotation, Gap, Kind, low_bytes};

/// The effect of an instruction or micro-operation on memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Nothing that orders or accesses memory.
    Nothing,
    /// An access to memory.
    Access(Operation),
    /// Two adjacent loads of this many bytes each. The line shows at most one of the values.
    LoadPair(u8),
    /// Two adjacent stores of this many bytes each; the line shows both values as the halves of one number.
    StorePair(u8),
    Fence(Kind),
    /// A fence whose kind the trace does not show; it is treated as a full one.
    UnknownFence,
    /// The load of a locked read-modify-write, and its store.
    Locked(Operation),
    /// A store-conditional whose line does not show whether it succeeded. If a register and a value are given, a branch
    /// that tests the register shows whether it succeeded, and the value is the one that it stores.
    Attempt(Operation, Option<(usize, Option<u64>)>),
    /// An instruction that is not understood and accesses at most this many bytes from its address on.
    Unknown(Gap, u16),
    /// An access to an address that the line does not show.
    NoAddress(Gap),
    /// An instruction that is not understood and accesses at most the aligned block of this many bytes, a power of two,
    /// around its address.
    UnknownBlock(Gap, u16),
    /// Stores of zeros to this number of bytes, a multiple of 8.
    Zero(u64),
    /// Stores of zeros to the aligned block around the address whose size the processor chooses.
    ZeroBlock,
    /// An instruction that is not understood and accesses at most the bytes of a vector register from its address on.
    UnknownVector(Gap),
    /// An instruction that is not understood and may change accesses to any address.
    UnknownEverywhere(Gap),
}

/// An access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operation {
    pub kind: Kind,
    pub annotation: Annotation,
    /// Number of bytes; 0 if the instruction does not show it.
    pub size: u8,
    pub read: Option<u64>,
    pub written: Option<u64>,
}

impl Operation {
    /// A load that returned `value`.
    pub(crate) fn load(size: u8, value: Option<u64>) -> Operation {
        Operation {
            kind: Kind::Load,
            annotation: Annotation::None,
            size,
            read: value.map(|value| cut(value, size)),
            written: None,
        }
    }

    /// A store of `value`.
    pub(crate) fn store(size: u8, value: Option<u64>) -> Operation {
        Operation {
            kind: Kind::Store,
            annotation: Annotation::None,
            size,
            read: None,
            written: value.map(|value| cut(value, size)),
        }
    }

    /// A read-modify-write that has written.
    pub(crate) fn rmw(size: u8, read: Option<u64>, written: Option<u64>) -> Operation {
        let read = read.map(|value| cut(value, size));
        Operation { kind: Kind::Rmw, read, ..Operation::store(size, written) }
    }

    /// The read-modify-write of an instruction that may have failed as a compare-and-swap: it is silent if it writes back
    /// what it read.
    pub(crate) fn or_failed(self) -> Operation {
        if self.read.is_some() && self.read == self.written {
            return Operation { kind: Kind::SilentRmw, written: None, ..self };
        }
        self
    }

    /// Sets an unknown size, which is 4 or 8 bytes, if value and address decide it: the size is 8 if the value has more
    /// than 32 bits, and 4 if the address is a multiple of 4 but not of 8.
    pub(crate) fn sized_by(self, address: u64) -> Operation {
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

    /// Sets an unknown size to this number of bytes; 0 leaves it unknown.
    pub(crate) fn or_of_size(self, size: u8) -> Operation {
        if self.size != 0 {
            return self;
        }
        let [read, written] = [self.read, self.written].map(|it| it.map(|value| cut(value, size)));
        Operation { size, read, written, ..self }
    }

    pub(crate) fn of_kind(self, kind: Kind) -> Operation {
        Operation { kind, ..self }
    }

    pub(crate) fn with(self, annotation: Annotation) -> Operation {
        Operation { annotation, ..self }
    }
}

/// The lowest `size` bytes of a value; the whole value if `size` is 0, which stands for unknown.
pub(crate) fn cut(value: u64, size: u8) -> u64 {
    match size {
        0 => value,
        size => value & low_bytes(size),
    }
}

/// The computation of an atomic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Update {
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
    /// The value that the operation writes, computed from the value in memory and the operand.
    pub(crate) fn apply(self, old: u64, operand: u64, size: u8) -> u64 {
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

    /// The value that the operation writes; `None` if it depends on a value that is not known.
    pub(crate) fn written(self, old: Option<u64>, operand: Option<u64>, size: u8) -> Option<u64> {
        match self {
            Update::Swap => operand.map(|operand| cut(operand, size)),
            _ => Some(self.apply(old?, operand?, size)),
        }
    }

    /// The value in memory before the operation, computed from the value that it has written and the operand; `None` if several values
    /// are possible.
    pub(crate) fn read(self, written: u64, operand: u64, size: u8) -> Option<u64> {
        match self {
            Update::Add => Some(cut(written.wrapping_sub(operand), size)),
            Update::Xor => Some(cut(written ^ operand, size)),
            _ => None,
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

    #[test]
    fn the_old_value_follows_where_it_is_unique() {
        for (update, old, operand) in
            [(Update::Add, 5, u64::MAX), (Update::Add, 0xffff_ffff, 2), (Update::Xor, 0xa5, 0xff)]
        {
            let written = update.apply(old, operand, 4);
            assert_eq!(update.read(written, operand, 4), Some(old));
        }
        assert_eq!(Update::Or.read(7, 1, 8), None);
        assert_eq!(Update::Swap.read(7, 7, 8), None);
    }
}
