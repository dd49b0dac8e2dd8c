//! Parses numbers as the user gives them.

pub(crate) use ingest::initial::number as parse;

/// Parses a count: a decimal number, followed by `K` for thousands or `M` for millions.
///
/// # Errors
/// Returns a message that says what was expected.
pub(crate) fn count(text: &str) -> Result<u32, String> {
    let (digits, unit) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 1_000),
        Some(b'm' | b'M') => (&text[..text.len() - 1], 1_000_000),
        _ => (text, 1),
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number {
        return Err("a number was expected, such as 500, 20K (20000) or 1M (1000000)".to_owned());
    }
    let number = digits.parse::<u32>().ok();
    number
        .and_then(|number| number.checked_mul(unit))
        .ok_or_else(|| format!("at most {} was expected", u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_units() {
        assert_eq!(count("12"), Ok(12));
        assert_eq!(count("12K"), Ok(12_000));
        assert_eq!(count("1m"), Ok(1_000_000));
        for bad in ["", "K", "-1", "+1", "1.5K", "1G", "1KK", "4295M", "99999999999"] {
            assert!(count(bad).is_err(), "{bad}");
        }
    }
}
