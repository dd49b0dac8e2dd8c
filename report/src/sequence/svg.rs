//! Draws a chart as SVG.

use std::fmt::Write;

use super::columns::{BESIDE, Columns, LETTER, box_width, note_lines, under_way, width};
use super::{Chart, Event, Message, REPEATED};
use crate::picture::{escaped, wrapped};

/// Space around the chart, and the height of a line of the title.
const MARGIN: f64 = 16.0;
const TITLE: f64 = 22.0;
/// Height of a line of text, of one in a box, and of an arrow.
const LINE: f64 = 18.0;
const SMALL_LINE: f64 = 14.0;
const ARROW: f64 = 26.0;
/// Space between steps, and above a box.
const BETWEEN: f64 = 12.0;
const ABOVE_BOX: f64 = 6.0;
/// Approximate width of a letter of most texts.
const USUAL_LETTER: f64 = 5.8;
/// Approximate width of a letter of the title, and the smallest width at which it is broken into lines.
const TITLE_LETTER: f64 = 8.6;
const LEAST_TITLE: f64 = 560.0;
/// Colours of Okabe and Ito.
const BLUE: &str = "#0072b2";
const RED: &str = "#d55e00";
const GREY: &str = "#666666";

/// Draws a chart, with its title unless that is empty. The same chart gives the same bytes.
pub fn svg(chart: &Chart) -> String {
    let messages = chart.messages();
    let gutter = gutter(chart);
    let left = MARGIN + gutter.iter().map(|column| column.width).sum::<f64>();
    let columns = Columns::of(chart, left);
    let letters = columns.right.max(LEAST_TITLE) / TITLE_LETTER;
    let title =
        if chart.title.is_empty() { Vec::new() } else { wrapped(&chart.title, letters as usize) };
    let mut drawing = Drawing {
        chart,
        messages: &messages,
        columns,
        gutter,
        arrows: String::new(),
        behind: String::new(),
        out: String::new(),
        sent: vec![None; messages.len()],
        last: Mark::Point(0.0, 0.0),
        y: MARGIN + TITLE * title.len() as f64 + LINE * chart.lead.len() as f64 + LINE,
    };
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
    drawing.document(&title, top, bottom)
}

/// A column at the left edge that shows the places of steps in the trace.
struct GutterColumn {
    head: &'static str,
    /// The text of each step.
    cells: Vec<String>,
    width: f64,
}

/// Makes the columns at the left edge: the ticks and the lines of the trace if they are known, else the numbers of the
/// steps.
fn gutter(chart: &Chart) -> Vec<GutterColumn> {
    let column = |head: &'static str, cells: Vec<String>| {
        let letters = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
        let width = letters.max(head.len()) as f64 * LETTER + 12.0;
        GutterColumn { head, cells, width }
    };
    let of = |number: fn(&super::Step) -> Option<u64>| -> Vec<String> {
        let numbers = chart.steps.iter().map(number);
        numbers.map(|number| number.map_or(String::new(), |number| number.to_string())).collect()
    };
    let places = [("tick", of(|step| step.tick)), ("line", of(|step| step.line))];
    let known = places.into_iter().filter(|(_, cells)| cells.iter().any(|cell| !cell.is_empty()));
    let columns: Vec<GutterColumn> = known.map(|(head, cells)| column(head, cells)).collect();
    if !columns.is_empty() {
        return columns;
    }
    vec![column("", (1..=chart.steps.len()).map(|number| number.to_string()).collect())]
}

/// The shape that the last step drew, which is marked if it is a finding.
#[derive(Clone, Copy)]
enum Mark {
    /// A place on a lifeline.
    Point(f64, f64),
    /// A box: its left and upper ends, its width and its height.
    Box(f64, f64, f64, f64),
}

/// The state of drawing a chart from top to bottom.
struct Drawing<'c> {
    chart: &'c Chart,
    messages: &'c [Message<'c>],
    columns: Columns,
    gutter: Vec<GutterColumn>,
    /// The arrows, and above them white rectangles behind words. Both are below all words and boxes.
    arrows: String,
    behind: String,
    out: String,
    /// For each message, the place at which it was sent, once its step is drawn.
    sent: Vec<Option<(f64, f64)>>,
    last: Mark,
    y: f64,
}

impl Drawing<'_> {
    /// Returns the place of a lifeline.
    fn lifeline(&self, party: usize) -> f64 {
        self.columns.lifeline(party)
    }

    fn write(&mut self, what: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.out.write_fmt(what);
        self.out.push('\n');
    }

    fn step(&mut self, step: usize) {
        self.y += BETWEEN;
        let chart = self.chart;
        let events = &chart.steps[step].events;
        let height = match events.first() {
            Some(Event::Direct { .. } | Event::Arrived { .. }) => ARROW,
            Some(Event::State { .. }) => ABOVE_BOX + SMALL_LINE,
            _ => LINE,
        };
        self.place(step, self.y + height);
        if let Some(Event::Sent { .. }) = events.first() {
            self.y += LINE;
        }
        for event in events {
            self.event(step, event);
        }
    }

    /// Writes the place of a step in the trace, or its number.
    fn place(&mut self, step: usize, y: f64) {
        let is_last = step + 1 == self.chart.steps.len() && self.chart.wrong.is_some();
        let colour = if is_last { RED } else { GREY };
        let cells: Vec<String> =
            self.gutter.iter().map(|column| column.cells[step].clone()).collect();
        for (at, cell) in cells.iter().enumerate() {
            let x = self.gutter_end(at);
            self.write(format_args!(
                "<text x=\"{x:.0}\" y=\"{y:.0}\" text-anchor=\"end\" fill=\"{colour}\" font-size=\"11\">{cell}</text>"
            ));
        }
    }

    /// Returns the place at which the text of a column at the left edge ends.
    fn gutter_end(&self, at: usize) -> f64 {
        MARGIN + self.gutter[..=at].iter().map(|column| column.width).sum::<f64>() - 12.0
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
            Event::State { at, .. } => self.state(*at, &self.chart.box_of(event)),
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

    /// Writes a text beside a lifeline, beginning at the current height.
    fn note(&mut self, at: usize, what: &str) {
        self.last = Mark::Point(self.lifeline(at), self.y - 4.0);
        let x = self.lifeline(at) + BESIDE;
        for (number, line) in note_lines(what).iter().enumerate() {
            if number > 0 {
                self.y += SMALL_LINE;
            }
            let y = self.y;
            self.clear(x, y, line, "start");
            self.write(format_args!("<text x=\"{x:.0}\" y=\"{y:.0}\">{}</text>", escaped(line)));
        }
    }

    /// Draws the arrow of a message, from the place at which it was sent to the current height.
    fn message(&mut self, number: usize, what: &str, dashes: &str) {
        let Message { from, to, .. } = self.messages[number];
        let start = self.sent[number].unwrap_or((self.lifeline(from), self.y));
        self.arrow(start, from, to, what, dashes);
    }

    /// Draws an arrow that ends at the lifeline of a party. The words of a level arrow are above it, those of an arrow
    /// that comes from above are below its end.
    fn arrow(&mut self, start: (f64, f64), from: usize, to: usize, what: &str, dashes: &str) {
        let ((x, y), end, bottom) = (start, self.lifeline(to), self.y);
        self.last = Mark::Point(end, bottom);
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
        self.clear(place, words, what, anchor);
        self.write(format_args!(
            "<text x=\"{place:.0}\" y=\"{words:.0}\" text-anchor=\"{anchor}\">{}</text>",
            escaped(what)
        ));
        self.y = self.y.max(words);
    }

    /// Draws white behind a line of text that begins or ends (`anchor`) at `x`, so that lines below it do not cross it.
    /// Not every program that draws SVG knows `paint-order`, by which the text itself could have a white edge.
    fn clear(&mut self, x: f64, y: f64, words: &str, anchor: &str) {
        let width = width(words, USUAL_LETTER);
        let left = if anchor == "end" { x - width } else { x };
        // Writing to a string cannot fail.
        let _ = writeln!(
            self.behind,
            "<rect x=\"{left:.0}\" y=\"{:.0}\" width=\"{width:.0}\" height=\"13\" fill=\"white\"/>",
            y - 10.0
        );
    }

    /// Draws a transition as a box on the lifeline with its event and the states.
    fn state(&mut self, at: usize, lines: &[String]) {
        let (width, height) = (box_width(lines), lines.len() as f64 * SMALL_LINE + 6.0);
        let (x, top) = (self.lifeline(at), self.y + ABOVE_BOX);
        let left = x - width / 2.0;
        self.last = Mark::Box(left, top, width, height);
        self.write(format_args!(
            "<rect x=\"{left:.0}\" y=\"{top:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" rx=\"4\" fill=\"#f2f2f2\" stroke=\"#333333\"/>"
        ));
        for (number, line) in lines.iter().enumerate() {
            let y = top + SMALL_LINE * (number + 1) as f64;
            let look = if number == 1 {
                "font-weight=\"bold\"".to_owned()
            } else {
                format!("fill=\"{GREY}\" font-size=\"11\"")
            };
            self.write(format_args!(
                "<text x=\"{x:.0}\" y=\"{y:.0}\" text-anchor=\"middle\" {look}>{}</text>",
                escaped(line)
            ));
        }
        self.y = top + height;
    }

    /// Draws the messages that have not arrived, as dashed arrows to the end of the chart.
    fn under_way(&mut self) {
        for number in 0..self.messages.len() {
            let Message { from, to, what, arrived: None, .. } = self.messages[number] else {
                continue;
            };
            self.y += ARROW;
            let what = under_way(what);
            if from == to {
                self.note(to, &what);
            } else {
                self.message(number, &what, "2 4");
            }
        }
        self.y += BETWEEN;
    }

    /// Draws a line across the drawing before the first step of the part that repeats forever.
    fn repeated(&mut self) {
        let (y, right) = (self.y + 8.0, self.columns.right);
        self.write(format_args!(
            "<line x1=\"{MARGIN}\" y1=\"{y:.0}\" x2=\"{right:.0}\" y2=\"{y:.0}\" stroke=\"{RED}\" stroke-dasharray=\"6 4\"/>\n\
             <text x=\"{MARGIN}\" y=\"{:.0}\" fill=\"{RED}\">{REPEATED}</text>",
            y + 13.0
        ));
        self.y += LINE + 8.0;
    }

    /// Marks the end of the last step if it is wrong.
    fn mark_wrong(&mut self) {
        if self.chart.wrong.is_none() || self.chart.steps.is_empty() {
            return;
        }
        match self.last {
            Mark::Point(x, y) => self.write(format_args!(
                "<circle cx=\"{x:.0}\" cy=\"{y:.0}\" r=\"7\" fill=\"none\" stroke=\"{RED}\" stroke-width=\"2.5\"/>"
            )),
            Mark::Box(x, y, width, height) => self.write(format_args!(
                "<rect x=\"{x:.0}\" y=\"{y:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" rx=\"4\" fill=\"none\" stroke=\"{RED}\" \
                 stroke-width=\"2.5\"/>"
            )),
        }
    }

    /// Writes the finding after the last step, and the notes below it.
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

    /// Returns the width of the drawing with its margins.
    fn width(&self, title: &[String]) -> f64 {
        let chart = self.chart;
        let bold = chart.wrong.iter().map(|text| width(text, 7.4));
        let texts = chart.lead.iter().chain(&chart.notes).map(|text| width(text, LETTER));
        let titles = title.iter().map(|line| width(line, TITLE_LETTER));
        let texts = bold.chain(texts).chain(titles).map(|width| MARGIN + width);
        texts.fold(self.columns.right, f64::max) + MARGIN
    }

    /// Assembles the drawing: title, names and lifelines from `top` to `bottom`, and the body.
    fn document(&mut self, title: &[String], top: f64, bottom: f64) -> String {
        let body = std::mem::take(&mut self.out);
        let chart = self.chart;
        let (width, height) = (self.width(title), self.y + MARGIN);
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
        let mut y = MARGIN - 8.0;
        for line in title {
            y += TITLE;
            self.write(format_args!(
                "<text x=\"{MARGIN}\" y=\"{y:.0}\" font-size=\"16\" font-weight=\"bold\">{}</text>",
                escaped(line)
            ));
        }
        for line in &chart.lead {
            y += LINE;
            self.write(format_args!("<text x=\"{MARGIN}\" y=\"{y:.0}\">{}</text>", escaped(line)));
        }
        self.heads(top, bottom);
        self.out.push_str(&self.arrows);
        self.out.push_str(&self.behind);
        self.out.push_str(&body);
        self.out.push_str("</svg>\n");
        std::mem::take(&mut self.out)
    }

    /// Draws the names of the columns, and the lifelines.
    fn heads(&mut self, top: f64, bottom: f64) {
        for at in 0..self.gutter.len() {
            let (x, head) = (self.gutter_end(at), self.gutter[at].head);
            self.write(format_args!(
                "<text x=\"{x:.0}\" y=\"{top:.0}\" text-anchor=\"end\" fill=\"{GREY}\" font-size=\"11\">{head}</text>"
            ));
        }
        for (party, name) in self.chart.parties.iter().enumerate() {
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
        // There are two arrows between core and cache, two of messages, and one of a message under way.
        assert_eq!(drawn.matches("marker-end").count(), 5);
        assert_eq!(drawn.matches("stroke-dasharray=\"2 4\"").count(), 1);
        assert_eq!(drawn.matches("<circle").count(), 1);
        for wanted in ["Data &lt;twice&gt;", "IM → M", ">Data<", "deadlock: a message is left"] {
            assert!(drawn.contains(wanted), "{wanted}: {drawn}");
        }
        assert_eq!(drawn, svg(&example()));
    }

    fn width_of(chart: &Chart) -> f64 {
        let drawn = svg(chart);
        let text = drawn.split("width=\"").nth(1).and_then(|rest| rest.split('"').next());
        text.and_then(|text| text.parse::<f64>().ok()).unwrap()
    }

    #[test]
    fn words_beside_the_last_lifeline_have_room() {
        let width = |what: &str| {
            let mut chart = example();
            let events = vec![Event::Note { at: 2, what: what.to_owned() }];
            chart.steps.push(Step { events, ..Step::default() });
            width_of(&chart)
        };
        let (short, long) = (width("short"), width(&"W".repeat(100)));
        assert!(long > 100.0 * LETTER && long - short > 60.0 * LETTER, "{short} {long}");
    }

    #[test]
    fn a_long_title_is_broken_and_a_long_word_has_room() {
        let width = |title: &str| width_of(&Chart { title: title.to_owned(), ..example() });
        assert!(width(&"W".repeat(200)) > 200.0 * TITLE_LETTER && width("short") < 1000.0);
        assert!(width(&"word ".repeat(60)) < 1000.0);
    }

    #[test]
    fn steps_of_a_trace_say_where_they_are_in_it() {
        let mut chart = example();
        assert!(!svg(&chart).contains(">tick<"));
        (chart.steps[1].tick, chart.steps[1].line) = (Some(7313), Some(911));
        let drawn = svg(&chart);
        for wanted in [">tick<", ">line<", ">7313<", ">911<"] {
            assert!(drawn.contains(wanted), "{wanted}: {drawn}");
        }
    }
}
