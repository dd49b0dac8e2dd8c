//! The types that a test declares for registers and locations: [`ScalarType`] and [`LocationType`].
//!
//! As in herd, a register or location without a declared type has the type `int`. The type says how values are compared
//! in conditions and printed in states: cut to its number of bits, with or without a sign.

use crate::value::Value;

/// The type of a number: its size, and whether it has a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScalarType {
    /// Number of bits: 8, 16, 32 or 64.
    pub bits: u8,
    /// Whether the highest bit is a sign.
    pub signed: bool,
}

impl ScalarType {
    /// The type of what is declared without one.
    pub const INT: ScalarType = ScalarType { bits: 32, signed: true };
    /// The type of pointers.
    pub const POINTER: ScalarType = ScalarType { bits: 64, signed: false };

    /// The type with the name that herd and C have for it; `long` has 32 bits, as in herd.
    pub fn from_name(name: &str) -> Option<ScalarType> {
        let (bits, signed) = match name {
            "char" | "int8_t" => (8, true),
            "uint8_t" => (8, false),
            "short" | "int16_t" => (16, true),
            "uint16_t" => (16, false),
            "int" | "long" | "int32_t" => (32, true),
            "uint32_t" | "atomic_t" | "ins_t" => (32, false),
            "int64_t" | "intptr_t" => (64, true),
            "uint64_t" | "uintptr_t" => (64, false),
            _ => return None,
        };
        Some(ScalarType { bits, signed })
    }

    /// The size in bytes.
    pub fn bytes(self) -> u16 {
        u16::from(self.bits / 8)
    }

    /// The value that a variable of the type has after a number was assigned to it. Addresses stay as they are.
    pub fn converted(self, value: Value) -> Value {
        match value {
            Value::Number(number) => Value::Number(self.cut(number)),
            address => address,
        }
    }

    fn cut(self, number: i64) -> i64 {
        let unused = 64 - u32::from(self.bits);
        if self.signed {
            (number << unused) >> unused
        } else {
            (((number as u64) << unused) >> unused) as i64
        }
    }

    /// A number of the type, in decimal.
    pub fn show(self, number: i64) -> String {
        let number = self.cut(number);
        if self.bits == 64 && !self.signed {
            (number as u64).to_string()
        } else {
            number.to_string()
        }
    }
}

/// The type of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocationType {
    /// How its numbers, or those of its elements, are compared and printed.
    pub scalar: ScalarType,
    /// The size in bytes of the location, or of each element.
    pub bytes: u16,
    /// The number of elements, if the location is an array.
    pub length: Option<u16>,
    /// Whether the test declares the type. If not, accesses may be wider than `bytes`.
    pub is_declared: bool,
}

impl LocationType {
    /// The type of a location that is not declared.
    pub const UNDECLARED: LocationType =
        LocationType { scalar: ScalarType::INT, bytes: 4, length: None, is_declared: false };

    /// The type of a location that is declared with the type of a number or a pointer.
    pub fn scalar(scalar: ScalarType) -> LocationType {
        LocationType { scalar, bytes: scalar.bytes(), length: None, is_declared: true }
    }

    /// The number of values that the location holds.
    pub fn values(&self) -> usize {
        usize::from(self.length.unwrap_or(1))
    }

    /// The size in bytes of the location with all of its elements.
    pub fn size(&self) -> usize {
        usize::from(self.bytes) * self.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_cut_to_the_type() {
        let show = |name, number| ScalarType::from_name(name).unwrap().show(number);
        assert_eq!(show("int", 0xffff_ffff), "-1");
        assert_eq!(show("uint32_t", -1), "4294967295");
        assert_eq!(show("uint8_t", 257), "1");
        assert_eq!(show("int8_t", 255), "-1");
        assert_eq!(show("int64_t", -1), "-1");
        assert_eq!(show("uint64_t", -1), "18446744073709551615");
        assert_eq!(ScalarType::from_name("unit64_t"), None);
    }
}
