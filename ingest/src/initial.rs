//! Tables of initial values as users write them: lines `ADDRESS VALUE`, with comments after `#`.
//!
//! ```
//! let values = ingest::initial::parse("0x1000 7 # the lock\n16 0x2\n").unwrap();
//! assert_eq!(values[&0x1000], 7);
//! assert_eq!(ingest::initial::parse("1\n").unwrap_err().line, 1);
//! ```

use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Most characters of a line that a message shows.
const SHOWN: usize = 80;

/// A line that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongLine {
    /// The line, from 1.
    pub line: usize,
    /// What was found and what was expected.
    pub what: String,
}

/// Parses a table into the value of each address.
///
/// # Errors
/// Returns the first line that is not of the form, or that gives an address another value.
pub fn parse(text: &str) -> Result<HashMap<u64, u64>, WrongLine> {
    let mut values: HashMap<u64, u64> = HashMap::new();
    for (line, content) in (1..).zip(text.lines()) {
        let wrong = |what: String| WrongLine { line, what };
        let Some((address, value)) = parse_line(content).map_err(wrong)? else {
            continue;
        };
        match values.entry(address) {
            Entry::Vacant(entry) => drop(entry.insert(value)),
            Entry::Occupied(entry) if *entry.get() == value => {}
            Entry::Occupied(entry) => {
                let (other, first) = (*entry.get(), first_line_of(text, address));
                return Err(wrong(format!(
                    "address {address:#x} has the value {value:#x}, but {other:#x} at line {first}: \
                     remove one of the two lines"
                )));
            }
        }
    }
    Ok(values)
}

/// Parses a number, hexadecimal with `0x` or decimal; `None` if it is not one.
pub fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        // `from_str_radix` would take a sign.
        Some(digits) if digits.starts_with('+') => None,
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None if text.starts_with('+') => None,
        None => text.parse().ok(),
    }
}

/// The first line about an address.
fn first_line_of(text: &str, address: u64) -> usize {
    let is_about =
        |content| matches!(parse_line(content), Ok(Some((found, _))) if found == address);
    text.lines().position(is_about).map_or(0, |at| at + 1)
}

/// Parses a line into an address and its value; `None` if it is empty or a comment.
fn parse_line(line: &str) -> Result<Option<(u64, u64)>, String> {
    let content = line.split('#').next().unwrap_or("").trim();
    if content.is_empty() {
        return Ok(None);
    }
    let mut fields = content.split_whitespace().map(number);
    match (fields.next(), fields.next(), fields.next()) {
        (Some(Some(address)), Some(Some(value)), None) => Ok(Some((address, value))),
        _ => {
            let found: String =
                content.chars().filter(|one| !one.is_control()).take(SHOWN).collect();
            Err(format!(
                "found `{found}`, expected `ADDRESS VALUE`, both hexadecimal (0x1000) or decimal"
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_hold_an_address_and_a_value() {
        assert_eq!(parse_line("0x1000 7"), Ok(Some((0x1000, 7))));
        assert_eq!(parse_line("  16\t0x2 # why"), Ok(Some((16, 2))));
        assert_eq!(parse_line("# nothing"), Ok(None));
        assert_eq!(parse_line(""), Ok(None));
        for bad in ["1", "1 2 3", "x 1", "1 -1", "1,2"] {
            assert!(parse_line(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_address_has_one_value() {
        assert_eq!(parse("1 2\n0x1 2\n").unwrap().len(), 1);
        let wrong = parse("# first\n1 2\n\n1 3\n").unwrap_err();
        assert_eq!(wrong.line, 4);
        assert!(wrong.what.contains("0x2 at line 2"), "{}", wrong.what);
    }

    #[test]
    fn numbers_are_hexadecimal_or_decimal() {
        assert_eq!(number("0x10"), Some(16));
        assert_eq!(number("10"), Some(10));
        assert_eq!(number("18446744073709551615"), Some(u64::MAX));
        for bad in ["", "0x", "+1", "0x+1", "-1", "10h", "18446744073709551616"] {
            assert_eq!(number(bad), None, "{bad}");
        }
    }
}
