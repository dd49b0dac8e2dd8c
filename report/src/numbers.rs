//! Numbers as text: shares, times, ratios and counts, in claims, figures, pages and on the terminal.

/// Factor from which a number has changed.
const CHANGED: f64 = 1.1;

/// A number with this many significant digits, without zeros at the end.
pub fn digits(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let power = value.abs().log10().floor() as i32;
    let after = (digits - 1 - power).clamp(0, 12);
    let text = format!("{value:.*}", after as usize);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A median of whole numbers, which may lie half-way between two: `24` or `24.5`. Rounding to whole numbers would move it.
pub fn halves(median: f64) -> String {
    ((median * 2.0).round() / 2.0).to_string()
}

/// A time in seconds as text with three significant digits and a unit.
pub fn seconds(value: f64) -> String {
    let (scaled, unit) = match value {
        value if value == 0.0 || value >= 0.9995 => (value, "s"),
        value if value >= 0.999_5e-3 => (value * 1e3, "ms"),
        value if value >= 0.999_5e-6 => (value * 1e6, "µs"),
        value => (value * 1e9, "ns"),
    };
    format!("{} {unit}", digits(scaled, 3))
}

/// A number of things: `500`, `10k`, `2M`, and in powers of two as the papers have them `128Ki`.
pub fn count(value: u64) -> String {
    const KI: u64 = 1 << 10;
    match value {
        value if value >= KI * KI && value.is_multiple_of(KI * KI) => {
            format!("{}Mi", value / KI / KI)
        }
        value if value >= KI && value.is_multiple_of(KI) => format!("{}Ki", value / KI),
        value if value >= 1_000_000 && value.is_multiple_of(100_000) => {
            format!("{}M", digits(value as f64 / 1e6, 4))
        }
        value if value >= 10_000 && value.is_multiple_of(100) => {
            format!("{}k", digits(value as f64 / 1e3, 4))
        }
        value => value.to_string(),
    }
}

/// A share from 0 to 1 as a percentage with at most two decimals.
pub fn percent(share: f64) -> String {
    let percent = format!("{:.2}", share * 100.0);
    let percent = percent.trim_end_matches('0').trim_end_matches('.');
    format!("{percent} %")
}

/// A share from 0 to 1 as a percentage with three significant digits, counted from the nearer of 0 and 100 %, and at most two decimals:
/// `65.4 %`, but `99.75 %`.
pub fn brief_percent(share: f64) -> String {
    let decimals = if (0.1..=0.9).contains(&share) { 1 } else { 2 };
    let text = format!("{:.decimals$}", share * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A share from 0 to 1 in a word, for titles.
pub fn in_a_word(share: f64) -> &'static str {
    match share {
        all if all >= 1.0 => "all",
        nearly if nearly >= 0.95 => "nearly all",
        most if most > 0.5 => "most",
        some if some >= 0.2 => "some",
        few if few > 0.0 => "few",
        _ => "no",
    }
}

/// A sentence with its first letter in upper case.
pub fn capitalized(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// How a number changed by a factor, in words, for titles.
pub fn changed(factor: f64) -> &'static str {
    match factor {
        grown if grown > CHANGED => "grows",
        shrunk if shrunk < 1.0 / CHANGED => "falls",
        _ => "hardly changes",
    }
}

/// A ratio with three significant digits, such as `1.45×` or `15500×`.
pub fn ratio(value: f64) -> String {
    let value = rounded(value);
    if value < 1000.0 {
        return format!("{}×", digits(value, 3));
    }
    let unit = 10_f64.powf(value.log10().floor() - 2.0);
    format!("{:.0}×", (value / unit).round() * unit)
}

/// A ratio in words, such as `1.45 times`.
pub fn times(ratio: f64) -> String {
    match ratio {
        large if large >= 100.0 => format!("{large:.0} times"),
        middle if middle >= 10.0 => format!("{middle:.1} times"),
        small => format!("{small:.2} times"),
    }
}

/// Rounds a number to six decimals, which removes the errors of floating-point arithmetic.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// The smallest and the largest number, such as `16` or `10–12`.
pub fn span(numbers: impl IntoIterator<Item = u64>) -> String {
    let mut numbers: Vec<u64> = numbers.into_iter().collect();
    numbers.sort_unstable();
    match (numbers.first(), numbers.last()) {
        (Some(least), Some(most)) if least < most => {
            format!("{}–{}", count(*least), count(*most))
        }
        (Some(least), _) => count(*least),
        _ => "no".to_owned(),
    }
}

/// A number with spaces between thousands. They are ordinary spaces, so that the number can be searched for and copied.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A number in at most four characters: `950`, `12k`, `3.4M`.
pub fn short(number: u64) -> String {
    const UNITS: [&str; 7] = ["", "k", "M", "G", "T", "P", "E"];
    let (mut value, mut unit) = (number as f64, 0);
    while value >= 999.5 {
        value /= 1000.0;
        unit += 1;
    }
    if unit > 0 && value < 9.95 {
        format!("{value:.1}{}", UNITS[unit])
    } else {
        format!("{value:.0}{}", UNITS[unit])
    }
}

/// A count with its noun, such as `1 run` or `2 runs`.
pub fn counted(number: usize, one: &str, many: &str) -> String {
    let what = if number == 1 { one } else { many };
    format!("{} {what}", grouped(number as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        let times = [0.0, 2e-9, 1e-6, 0.000_999_9, 0.0123456, 0.9999, 1.0, 60.0, 1234.5];
        let texts = times.map(seconds);
        let expected = ["0 s", "2 ns", "1 µs", "1 ms", "12.3 ms", "1 s", "1 s", "60 s", "1234 s"];
        assert_eq!(texts, expected);
    }

    #[test]
    fn medians_of_counts_keep_their_halves() {
        assert_eq!([24.0, 24.5, 191.5, 20001.5].map(halves), ["24", "24.5", "191.5", "20001.5"]);
    }

    #[test]
    fn counts_are_short_and_exact() {
        let counts = [0, 999, 1000, 1024, 12_345, 50_000, 131_072, 1 << 20, 2_500_000];
        let expected = ["0", "999", "1000", "1Ki", "12345", "50k", "128Ki", "1Mi", "2.5M"];
        assert_eq!(counts.map(count), expected);
    }

    #[test]
    fn shares_and_ratios() {
        assert_eq!([0.066, 0.5775, 1.0, 0.0].map(percent), ["6.6 %", "57.75 %", "100 %", "0 %"]);
        assert_eq!([1.45, 70.0, 0.1 + 0.2].map(ratio), ["1.45×", "70×", "0.3×"]);
        assert_eq!([999.6, 1094.2, 15547.0].map(ratio), ["1000×", "1090×", "15500×"]);
        let shares = [0.0005, 0.0515, 0.654_2, 0.86, 0.9975, 0.99994, 1.0].map(brief_percent);
        assert_eq!(shares, ["0.05 %", "5.15 %", "65.4 %", "86 %", "99.75 %", "99.99 %", "100 %"]);
        assert_eq!(percent(0.6 * 3.0 / 3.0), "60 %");
    }

    #[test]
    fn numbers_in_words() {
        let shares = [0.0, 0.1, 0.3, 0.7, 0.97, 1.0].map(in_a_word);
        assert_eq!(shares, ["no", "few", "some", "most", "nearly all", "all"]);
        assert_eq!([0.5, 1.05, 2.0].map(changed), ["falls", "hardly changes", "grows"]);
    }

    #[test]
    fn spans() {
        assert_eq!(span([16, 16]), "16");
        assert_eq!(span([12, 10, 11]), "10–12");
        assert_eq!(span([]), "no");
    }

    #[test]
    fn numbers_are_grouped_and_shortened() {
        let grouped = [0, 999, 1000, 1234567].map(grouped);
        assert_eq!(grouped, ["0", "999", "1 000", "1 234 567"]);
        let short = [0, 7, 999, 1000, 9949, 9950, 12345, 999_499, 999_500, u64::MAX].map(short);
        assert_eq!(short, ["0", "7", "999", "1.0k", "9.9k", "10k", "12k", "999k", "1.0M", "18E"]);
        assert_eq!(
            (counted(1, "run", "runs"), counted(0, "run", "runs")),
            ("1 run".to_owned(), "0 runs".to_owned())
        );
    }
}
