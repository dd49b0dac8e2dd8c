//! Makes text of others harmless in files for people: cells of CSV, and Markdown.
//!
//! Names of files, histories and protocols come from anywhere. A spreadsheet runs a cell that begins like a formula, a terminal obeys
//! control characters, and Markdown becomes links and markup.

use std::borrow::Cow;

/// The first characters of what spreadsheets take for a formula.
const FORMULA: [char; 4] = ['=', '+', '-', '@'];

/// The characters that mean something in Markdown, beside `<`.
const MARKUP: &str = "\\`*_[]|~";

/// A text as a cell of CSV: control characters are written as escapes, and what a spreadsheet would run as a formula begins with an
/// apostrophe, which it takes for the sign of a text. Numbers stay as they are.
pub fn cell(text: &str) -> Cow<'_, str> {
    let is_formula = text.starts_with(FORMULA) && text.len() > 1 && text.parse::<f64>().is_err();
    if !is_formula && !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let apostrophe = if is_formula { "'" } else { "" };
    Cow::Owned(format!("{apostrophe}{}", without_controls(text)))
}

/// A text on one line of Markdown, in which nothing is taken for markup or the end of a table's cell.
pub fn markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for one in text.chars() {
        match one {
            '\n' => escaped.push(' '),
            '<' => escaped.push_str("&lt;"),
            one if one.is_control() => escaped.push(char::REPLACEMENT_CHARACTER),
            one => {
                if MARKUP.contains(one) {
                    escaped.push('\\');
                }
                escaped.push(one);
            }
        }
    }
    escaped
}

/// The text with its control characters as escapes, such as `\t` and `\u{1b}`.
fn without_controls(text: &str) -> String {
    let escaped = text.chars().map(|one| {
        if one.is_control() { one.escape_default().to_string() } else { one.to_string() }
    });
    escaped.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_no_formulas() {
        for formula in ["=1+1", "+1+1", "@SUM(A1)", "-1+cmd|' /C calc'!A0"] {
            assert_eq!(cell(formula), format!("'{formula}"));
        }
        for plain in ["", "-", "-5", "-0.25", "1e-3", "a=b", "trace.gz: 0+1", "λ"] {
            assert_eq!(cell(plain), plain);
        }
        assert_eq!(cell("\t=1"), "\\t=1");
        assert_eq!(cell("a\u{1b}[31m\r\n"), "a\\u{1b}[31m\\r\\n");
    }

    #[test]
    fn markdown_has_no_markup_of_others() {
        assert_eq!(markdown("[a](b) | `c` *d* _e_"), r"\[a\](b) \| \`c\` \*d\* \_e\_");
        assert_eq!(markdown("<img src=x>\n\u{1b}"), "&lt;img src=x> \u{fffd}");
        assert_eq!(markdown(r"a\"), r"a\\");
    }
}
