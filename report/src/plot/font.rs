//! The typeface. It is embedded in the program, so that figures look the same everywhere and need no system library.

use std::sync::Once;

use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontStyle, IntoFont, RGBColor, TextStyle, register_font};

use super::canvas::SCALE;

/// The name of the typeface, which is also the list of fonts that a browser may use for an SVG.
const FAMILY: &str = "DejaVu Sans, Verdana, sans-serif";

const REGULAR: &[u8] = include_bytes!("../../fonts/DejaVuSans-subset.ttf");
const BOLD: &[u8] = include_bytes!("../../fonts/DejaVuSans-Bold-subset.ttf");

/// Font size in plotters for an em of one pixel.
const EM: f64 = 1.24;

/// The size, weight and colour of text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Face {
    /// The em, in pixels of the figure.
    pub em: f64,
    /// Whether the face is bold.
    pub is_bold: bool,
    /// The colour of the face.
    pub color: RGBColor,
}

/// The face of labels: six points where a figure is as wide as a column of a paper, 84 mm.
pub(crate) const LABEL: Face = Face { em: 11.5, is_bold: false, color: RGBColor(51, 51, 51) };

/// The em of the numbers in a panel.
pub(crate) const SMALL: f64 = 10.5;

/// Units that stay on the line of their number.
const UNITS: [&str; 4] = ["s", "ms", "µs", "%"];

impl Face {
    /// The face in another colour.
    pub(crate) fn colored(self, color: RGBColor) -> Face {
        Face { color, ..self }
    }

    /// The face in another size.
    pub(crate) fn sized(self, em: f64) -> Face {
        Face { em, ..self }
    }

    /// The face in bold.
    pub(crate) fn bold(self) -> Face {
        Face { is_bold: true, ..self }
    }

    /// Returns the style for plotters. `across` and `down` say which point of the text lies at its position.
    pub(crate) fn style(self, across: HPos, down: VPos) -> TextStyle<'static> {
        register();
        let style = if self.is_bold { FontStyle::Bold } else { FontStyle::Normal };
        let font = (FAMILY, self.em * EM * f64::from(SCALE), style).into_font();
        let mut style = TextStyle::from(font);
        style.color = self.color.to_backend_color();
        style.pos = Pos::new(across, down);
        style
    }

    /// The width of a text in pixels of the figure.
    pub(crate) fn width(self, text: &str) -> i32 {
        let style = self.style(HPos::Left, VPos::Top);
        let width = style.font.box_size(text).map_or(0, |(width, _)| width);
        i32::try_from(width).unwrap_or(i32::MAX) / SCALE
    }

    /// Breaks a text into lines that are at most so many pixels wide, unless a single word is wider. A number and its
    /// unit are one word.
    pub(crate) fn wrap(self, text: &str, width: i32) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            let is_unit = UNITS.contains(&word.trim_end_matches([',', ';', ')']));
            let number =
                words.last_mut().filter(|last| last.ends_with(|one: char| one.is_ascii_digit()));
            match number.filter(|_| is_unit) {
                Some(number) => *number += &format!(" {word}"),
                None => words.push(word.to_owned()),
            }
        }
        let mut lines: Vec<String> = Vec::new();
        for word in words {
            let longer = lines.last().map(|line| format!("{line} {word}"));
            match longer.filter(|line| self.width(line) <= width) {
                Some(line) => *lines.last_mut().expect("there is one") = line,
                None => lines.push(word),
            }
        }
        lines
    }
}

/// Registers the typeface with plotters, once.
fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for (style, bytes) in [(FontStyle::Normal, REGULAR), (FontStyle::Bold, BOLD)] {
            let registered = register_font(FAMILY, style, bytes);
            assert!(registered.is_ok(), "the font in the program is sound");
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_as_wide_as_asked_for() {
        let text = "Time to check a valid history against its number of operations";
        let lines = LABEL.wrap(text, 120);
        assert!(lines.len() > 2);
        assert!(lines.iter().all(|line| LABEL.width(line) <= 120));
        assert_eq!(lines.join(" "), text);
        assert_eq!(LABEL.wrap("unbreakablebutlong", 10), ["unbreakablebutlong"]);
        assert!(LABEL.wrap("", 10).is_empty());
        assert_eq!(LABEL.wrap("over 2 s, at", 10), ["over", "2 s,", "at"]);
    }

    #[test]
    fn both_faces_are_there() {
        assert!(LABEL.width("µs ≤ ×") > 10);
        assert!(LABEL.bold().width("median") > LABEL.width("median"));
    }
}
