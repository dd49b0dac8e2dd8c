//! The values of registers and memory: numbers, and addresses of locations.

/// The number of a memory location of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location(pub u16);

/// The address of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CodeAddress {
    /// The thread whose program has the instruction, from 0.
    pub thread: u16,
    /// The number of the instruction in the program, from 0; the number of instructions for the end.
    pub step: u16,
}

/// A value of a register or of memory.
///
/// Addresses stay symbolic: nothing depends on where the locations of a test lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// A number, sign-extended to 64 bits.
    Number(i64),
    /// The address `offset` bytes after the start of a location.
    Address(Location, i64),
    /// The address of an instruction.
    Code(CodeAddress),
    /// An instruction itself, by the number of its text in the test.
    Instruction(u32),
}

impl Value {
    /// The number zero.
    pub const ZERO: Value = Value::Number(0);

    /// The location whose address the value is.
    pub fn location(self) -> Option<Location> {
        match self {
            Value::Address(location, 0) => Some(location),
            _ => None,
        }
    }

    /// The address of the instruction whose address the value is.
    pub fn code(self) -> Option<CodeAddress> {
        match self {
            Value::Code(address) => Some(address),
            _ => None,
        }
    }
}

/// An operation on one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// Keeps the lowest bits and sets the others to zero.
    ZeroExtend(u8),
    /// Keeps the lowest bits and copies the highest of them to all others.
    SignExtend(u8),
    /// Inverts every bit.
    Not,
    /// Reverses the order of the lowest bits, and sets the others to zero.
    ReverseBits(u8),
    /// Reverses the order of the bytes in each group of 16, 32 or 64 bits.
    ReverseBytes(u8),
}

/// An operation on two values. Comparisons give 1 or 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names of the operations say it")]
pub enum Binary {
    Add,
    Subtract,
    And,
    Or,
    Xor,
    /// The bits of the first that the second does not have.
    AndNot,
    ShiftLeft,
    ShiftRight,
    /// Shifts to the right and fills with copies of the sign bit.
    ShiftRightSigned,
    Multiply,
    Equal,
    NotEqual,
    Less,
    LessUnsigned,
    Minimum,
    Maximum,
    MinimumUnsigned,
    MaximumUnsigned,
}

impl Unary {
    /// The result; `None` if it depends on where a location lies.
    pub fn apply(self, value: Value) -> Option<Value> {
        let number = match (self, value) {
            (Unary::ZeroExtend(64) | Unary::SignExtend(64), value) => return Some(value),
            // An instruction has 32 bits.
            (Unary::ZeroExtend(32), Value::Instruction(_)) => return Some(value),
            (_, Value::Address(..) | Value::Code(_) | Value::Instruction(_)) => return None,
            (_, Value::Number(number)) => number,
        };
        Some(Value::Number(match self {
            Unary::ZeroExtend(bits) => number & low_mask(bits),
            Unary::SignExtend(bits) => (number << (64 - bits)) >> (64 - bits),
            Unary::Not => !number,
            Unary::ReverseBits(bits) => ((number as u64).reverse_bits() >> (64 - bits)) as i64,
            Unary::ReverseBytes(bits) => reverse_bytes(number, bits),
        }))
    }
}

fn reverse_bytes(number: i64, group_bits: u8) -> i64 {
    let reversed = number.swap_bytes();
    // That also reversed the order of the groups.
    match group_bits {
        16 => {
            let halves = reversed.rotate_right(32);
            let lows = 0x0000_ffff_0000_ffff;
            ((halves & lows) << 16) | ((halves >> 16) & lows)
        }
        32 => reversed.rotate_right(32),
        _ => reversed,
    }
}

/// A number with the lowest `bits` bits set; less than 64.
fn low_mask(bits: u8) -> i64 {
    (1 << bits) - 1
}

impl Binary {
    /// The result; `None` if it depends on where a location lies.
    pub fn apply(self, first: Value, second: Value) -> Option<Value> {
        match (first, second) {
            (Value::Number(first), Value::Number(second)) => {
                Some(Value::Number(self.apply_numbers(first, second)))
            }
            _ => self.apply_addresses(first, second),
        }
    }

    fn apply_numbers(self, first: i64, second: i64) -> i64 {
        let amount = (second & 63) as u32;
        let unsigned = (first as u64, second as u64);
        match self {
            Binary::Add => first.wrapping_add(second),
            Binary::Subtract => first.wrapping_sub(second),
            Binary::And => first & second,
            Binary::Or => first | second,
            Binary::Xor => first ^ second,
            Binary::AndNot => first & !second,
            Binary::ShiftLeft => first << amount,
            Binary::ShiftRight => (unsigned.0 >> amount) as i64,
            Binary::ShiftRightSigned => first >> amount,
            Binary::Multiply => first.wrapping_mul(second),
            Binary::Equal => i64::from(first == second),
            Binary::NotEqual => i64::from(first != second),
            Binary::Less => i64::from(first < second),
            Binary::LessUnsigned => i64::from(unsigned.0 < unsigned.1),
            Binary::Minimum => first.min(second),
            Binary::Maximum => first.max(second),
            Binary::MinimumUnsigned => unsigned.0.min(unsigned.1) as i64,
            Binary::MaximumUnsigned => unsigned.0.max(unsigned.1) as i64,
        }
    }

    /// Applies the operation if an operand is an address. An address differs from every number and from an address of
    /// another kind, as in herd.
    fn apply_addresses(self, first: Value, second: Value) -> Option<Value> {
        use Value::{Address, Code, Number};
        match (self, first, second) {
            (Binary::Add, Address(at, offset), Number(by))
            | (Binary::Add, Number(by), Address(at, offset)) => {
                Some(Address(at, offset.wrapping_add(by)))
            }
            (Binary::Subtract, Address(at, offset), Number(by)) => {
                Some(Address(at, offset.wrapping_sub(by)))
            }
            (Binary::Add, Code(at), Number(by)) | (Binary::Add, Number(by), Code(at)) => {
                Some(Code(at.moved(by)?))
            }
            (Binary::Subtract, Code(at), Number(by)) => Some(Code(at.moved(by.checked_neg()?)?)),
            (Binary::Subtract, Address(first, from), Address(second, to)) if first == second => {
                Some(Number(from.wrapping_sub(to)))
            }
            (Binary::Xor, first, second) if first == second => Some(Value::ZERO),
            (Binary::And | Binary::Or, first, second) if first == second => Some(first),
            (Binary::Or | Binary::Xor, address, Number(0))
            | (Binary::Or | Binary::Xor, Number(0), address) => Some(address),
            (Binary::And, _, Number(0)) | (Binary::And, Number(0), _) => Some(Value::ZERO),
            (Binary::Equal, first, second) => Some(Number(i64::from(first == second))),
            (Binary::NotEqual, first, second) => Some(Number(i64::from(first != second))),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_move_by_numbers_and_cancel() {
        let x = Value::Address(Location(0), 0);
        let y = Value::Address(Location(1), 0);
        assert_eq!(Binary::Xor.apply(x, x), Some(Value::ZERO));
        assert_eq!(Binary::Xor.apply(x, y), None);
        let behind = Binary::Add.apply(Value::Number(8), x);
        assert_eq!(behind, Some(Value::Address(Location(0), 8)));
        assert_eq!(behind.and_then(Value::location), None);
        assert_eq!(
            Binary::Subtract.apply(Value::Address(Location(0), 8), x),
            Some(Value::Number(8))
        );
        assert_eq!(Binary::Equal.apply(x, Value::Number(1)), Some(Value::ZERO));
    }

    #[test]
    fn extension_cuts_to_the_lowest_bits() {
        let minus_one = Value::Number(-1);
        assert_eq!(Unary::ZeroExtend(32).apply(minus_one), Some(Value::Number(0xffff_ffff)));
        assert_eq!(Unary::SignExtend(8).apply(Value::Number(0x180)), Some(Value::Number(-128)));
        assert_eq!(Unary::SignExtend(32).apply(Value::Address(Location(0), 0)), None);
    }

    #[test]
    fn bits_and_bytes_are_reversed() {
        let reversed =
            |operation: Unary, number: u64| match operation.apply(Value::Number(number as i64)) {
                Some(Value::Number(number)) => number as u64,
                other => panic!("{other:?}"),
            };
        assert_eq!(reversed(Unary::ReverseBits(32), 0x1), 0x8000_0000);
        assert_eq!(reversed(Unary::ReverseBits(64), 0x6), 0x6000_0000_0000_0000);
        let number = 0x0102_0304_0506_0708;
        assert_eq!(reversed(Unary::ReverseBytes(64), number), 0x0807_0605_0403_0201);
        assert_eq!(reversed(Unary::ReverseBytes(32), number), 0x0403_0201_0807_0605);
        assert_eq!(reversed(Unary::ReverseBytes(16), number), 0x0201_0403_0605_0807);
    }
}
