//! Draws a picture as SVG. Lengths are in pixels.

use super::layout::{LETTER, Layout, Rectangle, layout};
use super::markup::{MONOSPACE, escaped, write_line};
use super::{ArrowStyle, Operation, Picture, Relation, lists, paths, states};

/// Margin around the picture.
const MARGIN: f64 = 16.0;
/// Height of a line of text, and of one of the title.
const LINE: f64 = 17.0;
const TITLE: f64 = 26.0;
/// Height of the names of the columns.
const HEADS: f64 = 30.0;
/// The smallest width of a picture, at which text is wrapped.
const NARROWEST: f64 = 640.0;
/// Width of a letter of the title.
const TITLE_LETTER: f64 = 8.6;
/// Draws a picture with all its texts and tables. The same picture gives the same bytes.
pub fn svg(picture: &Picture) -> String {
    let layout = layout(picture, HEADS);
    let width = layout
        .width
        .max(NARROWEST)
        .max(states::width(&picture.lines))
        .max(lists::width(&picture.lists));
    let mut body = Body::default();
    body.paragraphs(&picture.lead, width);
    body.drawing(picture, &layout);
    body.legend(picture);
    let reasons: Vec<String> =
        picture.reasons.iter().map(|(letter, text)| format!("[{letter}] {text}")).collect();
    body.paragraphs(&reasons, width);
    for line in &picture.lines {
        body.y += states::draw(line, body.y, &mut body.text);
    }
    for list in &picture.lists {
        body.y += lists::draw(list, body.y, &mut body.text);
    }
    body.paragraphs(&picture.notes, width);
    document(picture, &body, width, true)
}

/// Draws only the boxes and arrows, with reasons as tooltips. The page that it is part of has the title.
pub(crate) fn drawing(picture: &Picture) -> String {
    let layout = layout(picture, HEADS);
    let mut body = Body::default();
    body.drawing(picture, &layout);
    body.legend(picture);
    document(picture, &body, layout.width.max(NARROWEST), false)
}

/// The document, with the title above the body if it is shown.
fn document(picture: &Picture, body: &Body, width: f64, shows_title: bool) -> String {
    let title = if shows_title {
        wrapped(&picture.title, (width / TITLE_LETTER) as usize)
    } else {
        Vec::new()
    };
    let top = MARGIN + TITLE * title.len() as f64;
    let (width, height) = (width + 2.0 * MARGIN, body.y + top + MARGIN);
    let mut all = String::new();
    write_line(
        &mut all,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">"
        ),
    );
    write_line(&mut all, format_args!("<title>{}</title>", escaped(&picture.title)));
    all.push_str("<defs>\n");
    for relation in Relation::ALL {
        write_line(
            &mut all,
            format_args!(
                "<marker id=\"head-{}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerUnits=\"userSpaceOnUse\" \
             markerWidth=\"10\" markerHeight=\"10\" orient=\"auto\">\
             <path d=\"M0 0 L8 4 L0 8 z\" fill=\"{}\"/></marker>",
                relation.name(),
                ArrowStyle::of(relation).color
            ),
        );
    }
    all.push_str("</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    for (number, line) in title.iter().enumerate() {
        write_line(
            &mut all,
            format_args!(
                "<text x=\"{MARGIN}\" y=\"{:.0}\" font-size=\"16\" font-weight=\"bold\">{}</text>",
                MARGIN + 14.0 + TITLE * number as f64,
                escaped(line)
            ),
        );
    }
    write_line(&mut all, format_args!("<g transform=\"translate({MARGIN} {top:.0})\">"));
    all.push_str(&body.text);
    all.push_str("</g>\n</svg>\n");
    all
}

/// The content below the title, from top to bottom.
#[derive(Default)]
struct Body {
    text: String,
    y: f64,
}

impl Body {
    fn paragraphs(&mut self, paragraphs: &[String], width: f64) {
        let letters = (width / LETTER) as usize;
        for paragraph in paragraphs {
            for line in wrapped(paragraph, letters) {
                self.y += LINE;
                write_line(
                    &mut self.text,
                    format_args!(
                        "<text x=\"0\" y=\"{:.1}\" fill=\"#333\">{}</text>",
                        self.y - 5.0,
                        escaped(&line)
                    ),
                );
            }
        }
        self.y += 8.0;
    }

    fn drawing(&mut self, picture: &Picture, layout: &Layout) {
        if picture.operations.is_empty() {
            return;
        }
        write_line(&mut self.text, format_args!("<g transform=\"translate(0 {:.1})\">", self.y));
        for (name, x) in picture.columns.iter().zip(&layout.columns) {
            write_line(
                &mut self.text,
                format_args!(
                    "<text x=\"{x:.1}\" y=\"16\" text-anchor=\"middle\" font-size=\"13\" font-weight=\"bold\">{}</text>",
                    escaped(name)
                ),
            );
            write_line(
                &mut self.text,
                format_args!(
                    "<path d=\"M{x:.1} 22 V{:.1}\" stroke=\"#dddddd\" stroke-width=\"1\" fill=\"none\"/>",
                    layout.height - 8.0
                ),
            );
        }
        paths::draw(picture, &layout.arrows, &mut self.text);
        for (operation, place) in picture.operations.iter().zip(&layout.boxes) {
            self.operation(operation, place);
        }
        self.text.push_str("</g>\n");
        self.y += layout.height;
    }

    fn operation(&mut self, operation: &Operation, place: &Rectangle) {
        write_line(
            &mut self.text,
            format_args!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"6\" fill=\"#f7f9fb\" stroke=\"#57606a\"/>",
                place.x, place.y, place.width, place.height
            ),
        );
        let x = place.x + 9.0;
        write_line(
            &mut self.text,
            format_args!(
                "<text x=\"{x:.1}\" y=\"{:.1}\" font-family=\"{MONOSPACE}\" font-size=\"11\">\
             <tspan font-weight=\"bold\">{}</tspan>&#160;&#160;{}</text>",
                place.y + 19.0,
                escaped(&operation.label),
                escaped(&operation.text)
            ),
        );
        write_line(
            &mut self.text,
            format_args!(
                "<text x=\"{x:.1}\" y=\"{:.1}\" font-size=\"11\" fill=\"#57606a\">{}</text>",
                place.y + 36.0,
                escaped(&operation.place)
            ),
        );
    }

    /// Draws the meaning of the arrows.
    fn legend(&mut self, picture: &Picture) {
        if picture.operations.is_empty() {
            return;
        }
        let mut x = 0.0;
        self.y += 10.0;
        for relation in picture.relations() {
            let ArrowStyle { color, dashes, .. } = ArrowStyle::of(relation);
            let text = format!("{} {}", relation.name(), relation.meaning());
            write_line(
                &mut self.text,
                format_args!(
                    "<path d=\"M{x:.1} {y:.1} h30\" stroke=\"{color}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\" marker-end=\"url(#head-{})\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" fill=\"#333\">{text}</text>",
                    relation.name(),
                    x + 36.0,
                    self.y + 4.0,
                    y = self.y,
                ),
            );
            x += 36.0 + text.len() as f64 * LETTER + 14.0;
        }
        self.y += LINE;
    }
}

/// Wraps a text at spaces into lines of at most so many letters.
pub(crate) fn wrapped(text: &str, letters: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().map_or(0, |line| line.chars().count());
        if last > 0 && last + 1 + word.chars().count() > letters {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_broken_at_spaces_and_escaped() {
        assert_eq!(wrapped("a bc def", 4), ["a bc", "def"]);
        assert_eq!(wrapped("unbreakable", 4), ["unbreakable"]);
        assert_eq!(escaped("<a & \"b\">\u{1b}"), "&lt;a &amp; &quot;b&quot;&gt;\u{fffd}");
    }
}
