//! Numbers, as the user gives them.

/// A number, hexadecimal with `0x` or decimal.
pub fn parse(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        // `from_str_radix` would take a sign.
        Some(digits) if digits.starts_with('+') => None,
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None if text.starts_with('+') => None,
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_hexadecimal_or_decimal() {
        assert_eq!(parse("0x10"), Some(16));
        assert_eq!(parse("10"), Some(10));
        assert_eq!(parse("18446744073709551615"), Some(u64::MAX));
        for bad in ["", "0x", "+1", "0x+1", "-1", "10h", "18446744073709551616"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
