//! Parses times as the user gives them.

use std::time::Duration;

/// Parses a time: a number of seconds, or a number with a unit.
///
/// # Errors
/// Returns a message that says what was expected.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let expected = || "a time was expected, such as 10 (seconds), 0.5s, 10m or 2h".to_owned();
    let (digits, unit) = match text.strip_suffix(['s', 'm', 'h']) {
        Some(digits) if text.ends_with('m') => (digits, 60.0),
        Some(digits) if text.ends_with('h') => (digits, 3600.0),
        Some(digits) => (digits, 1.0),
        None => (text, 1.0),
    };
    let number: f64 = digits.parse().map_err(|_| expected())?;
    Duration::try_from_secs_f64(number * unit).map_err(|_| expected())
}

/// Parses a time that is not 0.
///
/// # Errors
/// Returns a message that says what was expected.
pub(crate) fn positive(text: &str) -> Result<Duration, String> {
    let time = parse(text)?;
    let expected = || "more than 0 was expected, such as 10 (seconds), 0.5s, 10m or 2h".to_owned();
    (!time.is_zero()).then_some(time).ok_or_else(expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_may_be_given() {
        assert_eq!(parse("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse("90"), Ok(Duration::from_secs(90)));
        assert_eq!(parse("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(parse("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(parse("2h"), Ok(Duration::from_secs(7200)));
        for bad in ["", "m", "-1", "-1s", "1d", "5ms", "1e300", "inf", "nan", "é"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        assert_eq!(positive("1s"), Ok(Duration::from_secs(1)));
        assert!(positive("0").is_err());
    }
}
