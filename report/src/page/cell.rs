//! Cells of tables, and the formatting of numbers in them.

use maud::{Markup, html};

/// A cell of a table.
pub struct Cell {
    /// The content.
    pub content: Markup,
    /// The key for sorting; the text if none.
    pub key: Option<String>,
    /// Whether the cell has a number, which is aligned to the right.
    pub is_number: bool,
    /// Whether the text is so long that the column must be wide.
    pub is_long: bool,
    /// The shade from 0 to 1, if there is one.
    pub shade: Option<f64>,
    /// The tooltip.
    pub title: Option<String>,
}

impl Cell {
    /// A cell with text.
    pub fn text(text: &str) -> Cell {
        Cell { is_long: is_long(text), ..Cell::of(html! { (text) }) }
    }

    /// A cell with any content.
    pub fn of(content: Markup) -> Cell {
        Cell { content, key: None, is_number: false, is_long: false, shade: None, title: None }
    }

    /// A cell with a command or an id.
    pub fn code(text: &str) -> Cell {
        Cell { is_long: is_long(text), ..Cell::of(html! { code { (breakable(text)) } }) }
    }

    /// A cell with the name of a protocol.
    pub fn name(text: &str) -> Cell {
        Cell { key: Some(text.to_owned()), ..Cell::of(breakable(text)) }
    }

    /// A cell with a whole number.
    pub fn count(number: u64) -> Cell {
        Cell::number(&grouped(number), number as f64)
    }

    /// A cell with a whole number, or without one if it is not known.
    pub fn count_if(number: Option<u64>, otherwise: &str) -> Cell {
        number.map_or_else(|| Cell::missing(otherwise), Cell::count)
    }

    /// A cell with a number as text.
    pub fn number(text: &str, number: f64) -> Cell {
        Cell { key: Some(number.to_string()), is_number: true, ..Cell::text(text) }
    }

    /// A cell for a number that is not known.
    pub fn missing(text: &str) -> Cell {
        Cell { key: Some(String::new()), is_number: true, ..Cell::text(text) }
    }

    /// Sets the key for sorting.
    pub fn sorted_by(mut self, key: f64) -> Cell {
        self.key = Some(key.to_string());
        self
    }

    /// Sets the shade.
    pub fn shaded(mut self, shade: f64) -> Cell {
        self.shade = Some(shade);
        self
    }

    /// Sets the tooltip.
    pub fn titled(mut self, title: String) -> Cell {
        self.title = Some(title);
        self
    }

    /// The style of a shaded cell.
    pub fn style(&self) -> Option<String> {
        self.shade.map(shade)
    }
}

/// Whether a text is so long that its column should be wide.
fn is_long(text: &str) -> bool {
    text.chars().count() > 40
}

/// The style of a shade from 0 to 1.
pub fn shade(share: f64) -> String {
    format!("--shade:{:.0}%", share.clamp(0.0, 1.0) * 100.0)
}

/// A long id with places at which lines may break.
pub fn breakable(text: &str) -> Markup {
    let parts: Vec<&str> = text.split_inclusive(['/', ':', '_']).collect();
    html! {
        @for (at, part) in parts.iter().enumerate() {
            @if at > 0 { wbr; }
            (part)
        }
    }
}

/// A number with a space between thousands, a plain one: it can be searched for and copied.
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

    #[test]
    fn ids_break_and_are_escaped() {
        let markup = breakable("MI/<b>:1").into_string();
        assert_eq!(markup, "MI/<wbr>&lt;b&gt;:<wbr>1");
    }
}
