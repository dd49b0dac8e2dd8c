//! Parses initial values as the user gives them.

use std::collections::HashMap;
use std::path::Path;

use history::Initial;
use host::inputs::{self, LARGEST_TEXT_BYTES};

use crate::error::Error;
use crate::number;

/// Parses `zero`, `infer`, or the path of a file of lines `ADDRESS VALUE`.
///
/// # Errors
/// Returns an error if the file cannot be read or one of its lines cannot be parsed.
pub fn parse(text: &str) -> Result<Initial, Error> {
    match text {
        "zero" => Ok(Initial::Zero),
        "infer" => Ok(Initial::Infer),
        path => read(path).map(Initial::Given),
    }
}

fn read(path: &str) -> Result<HashMap<u64, u64>, Error> {
    let bytes = inputs::read(Path::new(path), LARGEST_TEXT_BYTES).map_err(|error| {
        Error::Usage(format!(
            "--initial {path}: {error}: expected zero, infer or a file of lines `ADDRESS VALUE`"
        ))
    })?;
    let text = String::from_utf8_lossy(&bytes);
    let mut values: HashMap<u64, (u64, usize)> = HashMap::new();
    for (number, line) in (1..).zip(text.lines()) {
        let wrong = |what: String| Error::Line { file: path.to_owned(), line: number, what };
        let Some((address, value)) = parse_line(line).map_err(wrong)? else {
            continue;
        };
        match values.insert(address, (value, number)) {
            Some((other, first)) if other != value => {
                return Err(wrong(format!(
                    "address {address:#x} has the value {value:#x}, but {other:#x} at line {first}: \
                     remove one of the two lines"
                )));
            }
            _ => {}
        }
    }
    Ok(values.into_iter().map(|(address, (value, _))| (address, value)).collect())
}

/// Parses a line into an address and its value; `None` if it is empty or a comment.
fn parse_line(line: &str) -> Result<Option<(u64, u64)>, String> {
    let content = line.split('#').next().unwrap_or("").trim();
    if content.is_empty() {
        return Ok(None);
    }
    let fields: Vec<Option<u64>> = content.split_whitespace().map(number::parse).collect();
    match fields[..] {
        [Some(address), Some(value)] => Ok(Some((address, value))),
        _ => Err(format!(
            "found `{content}`, expected `ADDRESS VALUE`, both hexadecimal (0x1000) or decimal"
        )),
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
}
