//! Draws a chart as SVG.

use std::fmt::Write;

use super::{Chart, Event, Message, REPEATED};
use crate::picture::escaped;

/// Space around the chart, and the height of the title.
const MARGIN: f64 = 16.0;
const TITLE: f64 = 26.0;
/// Height of a line of text, of an arrow with its words, and of a changed state.
const LINE: f64 = 18.0;
const ARROW: f64 = 30.0;
const STATE: f64 = 38.0;
/// Space between steps, and the width of their numbers.
const BETWEEN: f64 = 14.0;
const NUMBERS: f64 = 28.0;
/// Approximate width of a letter, and the least distance of lifelines.
const LETTER: f64 = 6.6;
const NARROWEST: f64 = 150.0;
/// Approximate width of a letter of the title.
const TITLE_LETTER: f64 = 9.4;
/// Colours of Okabe and Ito.
const BLUE: &str = "#0072b2";
const RED: &str = "#d55e00";
const GREY: &str = "#777777";

/// Draws a chart, with its title unless that is empty. The same chart gives the same bytes.
pub fn svg(chart: &Chart) -> String {
    let messages = chart.messages();
    let mut drawing = Drawing {
        chart,
        messages: &messages,
        column: column(chart),
        arrows: String::new(),
        out: String::new(),
        sent: vec![None; messages.len()],
        last: (0.0, 0.0),
        right: 0.0,
        y: 0.0,
    };
    drawing.y = MARGIN + title_height(chart) + LINE * chart.lead.len() as f64 + LINE;
    let top = drawing.y;
    for step in 0..chart.steps.len() {
        if chart.repeats_from == Some(step) {
            drawing.repeated();
        }
        drawing.step(step);
    }
    drawing.mark_wrong();
    drawing.under_way();
    let bottom = drawing.y;
    drawing.wrong();
    let (y, body) = (drawing.y, std::mem::take(&mut drawing.arrows) + &drawing.out);
    drawing.out.clear();
    drawing.document(top, bottom, y, &body)
}

/// The height of the title; 0 if there is none.
fn title_height(chart: &Chart) -> f64 {
    if chart.title.is_empty() { 0.0 } else { TITLE }
}

/// The distance of lifelines: the names of parties and the words of arrows have room.
fn column(chart: &Chart) -> f64 {
    let words = chart.words().into_iter();
    let widths = words
        .map(|(words, columns)| (words.chars().count() as f64 * LETTER + 24.0) / columns as f64);
    widths.fold(NARROWEST, f64::max)
}

/// The state of drawing from top to bottom.
struct Drawing<'c> {
    chart: &'c Chart,
    messages: &'c [Message<'c>],
    /// The distance of lifelines.
    column: f64,
    /// The arrows, which lie below all words.
    arrows: String,
    out: String,
    /// For each message, the place at which it was sent, once its step is drawn.
    sent: Vec<Option<(f64, f64)>>,
    /// Where the last arrow of a step ended, its state changed, or what happened is noted.
    last: (f64, f64),
    /// Where the words end that stand beside lifelines.
    right: f64,
    y: f64,
}

impl Drawing<'_> {
    /// The place of a lifeline.
    fn lifeline(&self, party: usize) -> f64 {
        MARGIN + NUMBERS + self.column * (party as f64 + 0.5)
    }

    fn write(&mut self, what: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.out.write_fmt(what);
        self.out.push('\n');
    }

    fn step(&mut self, step: usize) {
        self.y += BETWEEN;
        let is_last = step + 1 == self.chart.steps.len() && self.chart.wrong.is_some();
        let colour = if is_last { RED } else { GREY };
        let (x, y) = (MARGIN, self.y + ARROW - 4.0);
        self.write(format_args!(
            "<text x=\"{x}\" y=\"{y:.0}\" fill=\"{colour}\">{}</text>",
            step + 1
        ));
        let chart = self.chart;
        for event in &chart.steps[step].events {
            self.event(step, event);
        }
    }

    fn event(&mut self, step: usize, event: &Event) {
        match event {
            Event::Note { at, what } => {
                self.y += LINE;
                self.note(*at, what);
            }
            Event::Direct { from, to, what } => {
                self.y += ARROW;
                let start = (self.lifeline(*from), self.y);
                self.arrow(start, *from, *to, what, "4 3");
            }
            Event::Arrived { at, what, .. } => {
                self.y += ARROW;
                let is_it = |message: &&Message<'_>| message.arrived == Some(step);
                match self.messages.iter().position(|message| is_it(&message)) {
                    Some(number) if self.messages[number].from != *at => {
                        self.message(number, what, "");
                    }
                    _ => self.note(*at, what),
                }
            }
            Event::State { at, event, states: (before, after), of } => {
                self.y += STATE;
                self.state(*at, &format!("{event}, {of}"), &format!("{before} → {after}"));
            }
            Event::Sent { from, to, what, .. } => {
                let place = (self.lifeline(*from), self.y);
                let is_it = |(message, sent): (&Message<'_>, &Option<(f64, f64)>)| {
                    (message.from, message.to, message.what) == (*from, *to, what)
                        && message.sent == step
                        && sent.is_none()
                };
                let found = self.messages.iter().zip(&self.sent).position(is_it);
                if let Some(number) = found {
                    self.sent[number] = Some(place);
                }
            }
        }
    }

    /// A text beside a lifeline.
    fn note(&mut self, at: usize, what: &str) {
        self.last = (self.lifeline(at), self.y - 4.0);
        let (x, y) = (self.lifeline(at) + 10.0, self.y);
        self.right = self.right.max(x + what.chars().count() as f64 * LETTER);
        self.write(format_args!("<text x=\"{x:.0}\" y=\"{y:.0}\">{}</text>", escaped(what)));
    }

    /// The arrow of a message, from where it was sent to here.
    fn message(&mut self, number: usize, what: &str, dashes: &str) {
        let Message { from, to, .. } = self.messages[number];
        let start = self.sent[number].unwrap_or((self.lifeline(from), self.y));
        self.arrow(start, from, to, what, dashes);
    }

    /// An arrow that ends at the lifeline of a party. The words of a level one are above it, those of one that comes from
    /// above are below its end.
    fn arrow(&mut self, start: (f64, f64), from: usize, to: usize, what: &str, dashes: &str) {
        let ((x, y), end, bottom) = (start, self.lifeline(to), self.y);
        self.last = (end, bottom);
        let is_right = from < to;
        let head = if is_right { end - 1.0 } else { end + 1.0 };
        // Writing to a string cannot fail.
        let _ = writeln!(
            self.arrows,
            "<line x1=\"{x:.0}\" y1=\"{y:.0}\" x2=\"{head:.0}\" y2=\"{bottom:.0}\" stroke=\"{BLUE}\" stroke-width=\"1.4\" \
             stroke-dasharray=\"{dashes}\" marker-end=\"url(#arrow)\"/>"
        );
        let words = if y < bottom { bottom + 13.0 } else { bottom - 6.0 };
        let (anchor, place) = if is_right { ("end", end - 12.0) } else { ("start", end + 12.0) };
        let width = what.chars().count() as f64 * LETTER;
        self.clear(if is_right { place - width } else { place }, words, width);
        self.write(format_args!(
            "<text x=\"{place:.0}\" y=\"{words:.0}\" text-anchor=\"{anchor}\">{}</text>",
            escaped(what)
        ));
    }

    /// White behind a line of text that begins at `x`, so that lines below it do not cross it. Not every program that draws SVG
    /// knows `paint-order`, with which the text itself could have a white edge.
    fn clear(&mut self, x: f64, y: f64, width: f64) {
        self.write(format_args!(
            "<rect x=\"{x:.0}\" y=\"{:.0}\" width=\"{width:.0}\" height=\"13\" fill=\"white\" fill-opacity=\"0.8\"/>",
            y - 10.0
        ));
    }

    /// A changed state: a box on the lifeline, with the event beside it.
    fn state(&mut self, at: usize, event: &str, change: &str) {
        let (x, y) = (self.lifeline(at), self.y);
        self.last = (x, y - 6.0);
        let width = change.chars().count() as f64 * 7.6 + 14.0;
        let words = event.chars().count() as f64 * LETTER;
        self.right = self.right.max(x + width / 2.0 + 5.0 + words);
        self.clear(x + width / 2.0 + 5.0, y - 2.0, words);
        self.write(format_args!(
            "<text x=\"{:.0}\" y=\"{:.0}\" fill=\"{GREY}\" font-size=\"11\">{}</text>",
            x + width / 2.0 + 5.0,
            y - 2.0,
            escaped(event)
        ));
        self.write(format_args!(
            "<rect x=\"{:.0}\" y=\"{:.0}\" width=\"{width:.0}\" height=\"18\" rx=\"4\" fill=\"#f2f2f2\" stroke=\"#333333\"/>",
            x - width / 2.0,
            y - 15.0
        ));
        self.write(format_args!(
            "<text x=\"{x:.0}\" y=\"{:.0}\" text-anchor=\"middle\" font-weight=\"bold\">{}</text>",
            y - 2.0,
            escaped(change)
        ));
    }

    /// The messages that have not arrived, as dashed arrows to the end of the chart.
    fn under_way(&mut self) {
        for number in 0..self.messages.len() {
            let Message { from, to, what, arrived: None, .. } = self.messages[number] else {
                continue;
            };
            self.y += ARROW;
            let what = format!("{what}: under way");
            if from == to {
                self.note(to, &what);
            } else {
                self.message(number, &what, "2 4");
            }
        }
        self.y += BETWEEN;
    }

    /// A line across the drawing, before the first step that is repeated for ever.
    fn repeated(&mut self) {
        let (y, right) =
            (self.y + 4.0, MARGIN + NUMBERS + self.column * self.chart.parties.len() as f64);
        self.write(format_args!(
            "<line x1=\"{MARGIN}\" y1=\"{y:.0}\" x2=\"{right:.0}\" y2=\"{y:.0}\" stroke=\"{RED}\" stroke-dasharray=\"6 4\"/>\n\
             <text x=\"{MARGIN}\" y=\"{:.0}\" fill=\"{RED}\">{REPEATED}</text>",
            y + 13.0
        ));
        self.y += LINE + 4.0;
    }

    /// Marks the place of the last step if it is wrong.
    fn mark_wrong(&mut self) {
        let (x, y) = self.last;
        if self.chart.wrong.is_some() && !self.chart.steps.is_empty() {
            self.write(format_args!(
                "<circle cx=\"{x:.0}\" cy=\"{y:.0}\" r=\"7\" fill=\"none\" stroke=\"{RED}\" stroke-width=\"2.5\"/>"
            ));
        }
    }

    /// What is wrong after the last step.
    fn wrong(&mut self) {
        if let Some(wrong) = &self.chart.wrong {
            self.y += LINE + 4.0;
            let y = self.y;
            self.write(format_args!(
                "<text x=\"{MARGIN}\" y=\"{y:.0}\" fill=\"{RED}\" font-weight=\"bold\">{}</text>",
                escaped(wrong)
            ));
        }
        for note in &self.chart.notes {
            self.y += LINE;
            let y = self.y;
            self.write(format_args!("<text x=\"{MARGIN}\" y=\"{y:.0}\">{}</text>", escaped(note)));
        }
    }

    /// The whole drawing: title, names and lifelines from `top` to `bottom`, and the body.
    fn document(&mut self, top: f64, bottom: f64, y: f64, body: &str) -> String {
        let chart = self.chart;
        let texts = chart.lead.iter().chain(&chart.wrong).chain(&chart.notes);
        let longest = texts.map(|text| text.chars().count()).max().unwrap_or(0) as f64 * 7.0;
        let longest = longest.max(chart.title.chars().count() as f64 * TITLE_LETTER);
        let drawn = NUMBERS + self.column * chart.parties.len() as f64;
        let widest = drawn.max(longest).max(self.right - MARGIN);
        let (width, height) = (widest + 2.0 * MARGIN, y + MARGIN);
        self.write(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">"
        ));
        if !chart.title.is_empty() {
            self.write(format_args!("<title>{}</title>", escaped(&chart.title)));
        }
        self.out.push_str(
            "<defs>\n<marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerUnits=\"userSpaceOnUse\" markerWidth=\"9\" \
             markerHeight=\"9\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"#0072b2\"/></marker>\n</defs>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        );
        let mut at = MARGIN + 14.0;
        if chart.title.is_empty() {
            at -= TITLE;
        } else {
            self.write(format_args!(
                "<text x=\"{MARGIN}\" y=\"{at:.0}\" font-size=\"16\" font-weight=\"bold\">{}</text>",
                escaped(&chart.title)
            ));
        }
        for (number, line) in (1..).zip(&chart.lead) {
            let at = at + LINE * f64::from(number);
            self.write(format_args!("<text x=\"{MARGIN}\" y=\"{at:.0}\">{}</text>", escaped(line)));
        }
        for (party, name) in chart.parties.iter().enumerate() {
            let x = self.lifeline(party);
            self.write(format_args!(
                "<text x=\"{x:.0}\" y=\"{top:.0}\" text-anchor=\"middle\" font-weight=\"bold\">{}</text>",
                escaped(name)
            ));
            self.write(format_args!(
                "<line x1=\"{x:.0}\" y1=\"{:.0}\" x2=\"{x:.0}\" y2=\"{bottom:.0}\" stroke=\"#bbbbbb\"/>",
                top + 6.0
            ));
        }
        self.out.push_str(body);
        self.out.push_str("</svg>\n");
        std::mem::take(&mut self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Step;
    use super::super::tests::example;
    use super::*;

    #[test]
    fn what_arrives_and_what_does_not_is_drawn() {
        let drawn = svg(&example());
        // Two arrows between core and cache, two of messages, and one of a message under way.
        assert_eq!(drawn.matches("marker-end").count(), 5);
        assert_eq!(drawn.matches("stroke-dasharray=\"2 4\"").count(), 1);
        assert_eq!(drawn.matches("<circle").count(), 1);
        for wanted in
            ["Data &lt;twice&gt;", "IM → M", "Data, line 0", "deadlock: a message is left"]
        {
            assert!(drawn.contains(wanted), "{wanted}: {drawn}");
        }
        assert_eq!(drawn, svg(&example()));
    }

    #[test]
    fn words_beside_the_last_lifeline_have_room() {
        let width = |what: &str| {
            let mut chart = example();
            let what = what.to_owned();
            chart.steps.push(Step { events: vec![Event::Note { at: 2, what }] });
            let drawn = svg(&chart);
            let text = drawn.split("width=\"").nth(1).and_then(|rest| rest.split('"').next());
            text.and_then(|text| text.parse::<f64>().ok()).unwrap()
        };
        // The column grows with the words, of which it has half a width beside the lifeline.
        let (short, long) = (width("short"), width(&"W".repeat(100)));
        assert!(long > short && long > 2.5 * 100.0 * LETTER + 100.0 * LETTER, "{short} {long}");
    }

    #[test]
    fn a_drawing_is_as_wide_as_its_title() {
        let width = |title: &str| {
            let drawn = svg(&Chart { title: title.to_owned(), ..example() });
            let text = drawn.split("width=\"").nth(1).and_then(|rest| rest.split('"').next());
            text.and_then(|text| text.parse::<f64>().ok()).unwrap()
        };
        assert!(width(&"W".repeat(200)) > 200.0 * 9.0 && width("short") < 1000.0);
    }
}
