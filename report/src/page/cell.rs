//! Cells of tables, and the formatting of numbers in them.

use maud::{Markup, html};

use crate::numbers::grouped;

/// A cell of a table.
pub(super) struct Cell {
    pub content: Markup,
    /// The key for sorting; `None` stands for the text of the cell.
    pub key: Option<String>,
    /// Whether the cell has a number, which is aligned to the right.
    pub is_number: bool,
    /// Whether the text is so long that the column must be wide.
    pub is_long: bool,
    /// The shade of the background from 0 to 1, if there is one.
    pub shade: Option<f64>,
    /// The tooltip.
    pub title: Option<String>,
}

impl Cell {
    /// A cell with text.
    pub(super) fn text(text: &str) -> Cell {
        Cell { is_long: is_long(text), ..Cell::of(html! { (text) }) }
    }

    /// A cell with any content.
    pub(super) fn of(content: Markup) -> Cell {
        Cell { content, key: None, is_number: false, is_long: false, shade: None, title: None }
    }

    /// A cell with a command or an id.
    pub(super) fn code(text: &str) -> Cell {
        Cell { is_long: is_long(text), ..Cell::of(html! { code { (breakable(text)) } }) }
    }

    /// A cell with the name of a protocol.
    pub(super) fn name(text: &str) -> Cell {
        Cell { key: Some(text.to_owned()), ..Cell::of(breakable(text)) }
    }

    /// A cell with a whole number.
    pub(super) fn count(number: u64) -> Cell {
        Cell::number(&grouped(number), number as f64)
    }

    /// A cell with a whole number, or with the text `otherwise` if it is not known.
    pub(super) fn count_if(number: Option<u64>, otherwise: &str) -> Cell {
        number.map_or_else(|| Cell::missing(otherwise), Cell::count)
    }

    /// A cell with a number as text.
    pub(super) fn number(text: &str, number: f64) -> Cell {
        Cell { key: Some(number.to_string()), is_number: true, ..Cell::text(text) }
    }

    /// A cell for a number that is not known.
    pub(super) fn missing(text: &str) -> Cell {
        Cell { key: Some(String::new()), is_number: true, ..Cell::text(text) }
    }

    /// Sets the key for sorting.
    pub(super) fn sorted_by(mut self, key: f64) -> Cell {
        self.key = Some(key.to_string());
        self
    }

    /// Sets the shade.
    pub(super) fn shaded(mut self, shade: f64) -> Cell {
        self.shade = Some(shade);
        self
    }

    /// Sets the tooltip.
    pub(super) fn titled(mut self, title: String) -> Cell {
        self.title = Some(title);
        self
    }

    /// The style of a shaded cell.
    pub(super) fn style(&self) -> Option<String> {
        self.shade.map(shade)
    }
}

/// Whether a text is so long that its column should be wide.
fn is_long(text: &str) -> bool {
    text.chars().count() > 40
}

/// The style of a shade from 0 to 1.
pub(super) fn shade(share: f64) -> String {
    format!("--shade:{:.0}%", share.clamp(0.0, 1.0) * 100.0)
}

/// A long id with places at which lines may break.
pub(super) fn breakable(text: &str) -> Markup {
    let parts: Vec<&str> = text.split_inclusive(['/', ':', '_']).collect();
    html! {
        @for (at, part) in parts.iter().enumerate() {
            @if at > 0 { wbr; }
            (part)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_break_and_are_escaped() {
        let markup = breakable("MI/<b>:1").into_string();
        assert_eq!(markup, "MI/<wbr>&lt;b&gt;:<wbr>1");
    }
}
