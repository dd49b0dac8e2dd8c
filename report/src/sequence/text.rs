//! Writes a chart with characters, in lines of columns.

use super::{Chart, Event, Message, REPEATED, Step};

/// Width of the column of step numbers, and of the space after ticks and lines, in characters.
const NUMBER: usize = 5;
const SPACE: usize = 2;
/// Smallest number of characters of an arrow beside its text.
const LEAST_ARROW: usize = 4;
/// Smallest number of characters between two lifelines.
const NARROWEST: usize = 10;

/// Writes a chart as text, with its title unless that is empty. Arrows are drawn where messages arrive.
pub fn text(chart: &Chart) -> String {
    let messages = chart.messages();
    let labels = labels(chart);
    let label_width = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    let page = Page {
        width: column_width(chart),
        parties: chart.parties.len(),
        left: NUMBER.max(label_width + SPACE),
    };
    let mut out = String::new();
    if !chart.title.is_empty() {
        out += &format!("{}\n", chart.title);
    }
    for line in &chart.lead {
        out += &format!("{line}\n");
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out += &page.names(&chart.parties, &labels[0]);
    for (number, step) in chart.steps.iter().enumerate() {
        if chart.repeats_from == Some(number) {
            out += &format!("  {REPEATED}\n");
        }
        let mut label = labels[number + 1].clone();
        for event in &step.events {
            if let Some(line) = page.event(chart, &messages, number, event) {
                out += &page.finished(line, &std::mem::take(&mut label));
            }
        }
    }
    for message in messages.iter().filter(|message| message.arrived.is_none()) {
        let (from, to) = (&chart.parties[message.from], &chart.parties[message.to]);
        out += &format!("  under way: {} from {from} to {to}\n", message.what);
    }
    if let Some(wrong) = &chart.wrong {
        out += &format!("  {wrong}\n");
    }
    for note in &chart.notes {
        out += &format!("    {note}\n");
    }
    out
}

/// Returns the text at the left of the names of parties and of each step: the tick and the line of the trace if they
/// are known, else the number of the step.
fn labels(chart: &Chart) -> Vec<String> {
    let known = |of: fn(&Step) -> Option<u64>| chart.steps.iter().filter_map(of).max();
    let (last_tick, last_line) = (known(|step| step.tick), known(|step| step.line));
    if last_tick.is_none() && last_line.is_none() {
        let numbers = (1..=chart.steps.len()).map(|number| format!("{number:>3}"));
        return std::iter::once(String::new()).chain(numbers).collect();
    }
    let column = |last: Option<u64>, head: &str, number: Option<u64>| {
        let Some(last) = last else { return String::new() };
        let width = last.to_string().len().max(head.len()) + SPACE;
        let text = number.map_or(head.to_owned(), |number| number.to_string());
        format!("{text:>width$}")
    };
    let label = |step: &Step| {
        let line = step.line.map_or(String::new(), |line| column(last_line, "line", Some(line)));
        column(last_tick, if step.tick.is_some() { "tick" } else { "" }, step.tick) + &line
    };
    let head = column(last_tick, "tick", None) + &column(last_line, "line", None);
    std::iter::once(head).chain(chart.steps.iter().map(label)).collect()
}

/// The distance of lifelines in characters, at which the names of parties have room. A longer text covers other
/// lifelines, since each line has one text.
fn column_width(chart: &Chart) -> usize {
    let names = chart.parties.iter().map(|name| name.chars().count());
    names.max().unwrap_or(0).max(NARROWEST) + 2
}

/// Formats a transition as `IS Data → M`, or `IS Data → IS, 3 times to tick 6328`.
fn state(event: &str, before: &str, after: &str, again: &str) -> String {
    let separator = if again.is_empty() { "" } else { ", " };
    format!("{before} {event} → {after}{separator}{again}")
}

/// Writes a text into a line from a place on. The line grows if necessary.
fn write(line: &mut Vec<char>, start: usize, text: &str) {
    let end = start + text.chars().count();
    line.resize(line.len().max(end), ' ');
    for (place, one) in line[start..end].iter_mut().zip(text.chars()) {
        *place = one;
    }
}

/// The measures of a chart, in characters.
struct Page {
    width: usize,
    parties: usize,
    /// Number of characters to the left of the first column.
    left: usize,
}

impl Page {
    /// Returns the place of a lifeline in a line.
    fn lifeline(&self, party: usize) -> usize {
        self.left + self.width / 2 + party * self.width
    }

    /// Returns a line with lifelines only.
    fn empty(&self) -> Vec<char> {
        let mut line = vec![' '; self.left + self.parties * self.width];
        for party in 0..self.parties {
            line[self.lifeline(party)] = '│';
        }
        line
    }

    fn names(&self, names: &[String], label: &str) -> String {
        let mut line = vec![' '; self.left + self.parties * self.width];
        for (party, name) in names.iter().enumerate() {
            self.centre(&mut line, self.lifeline(party), name);
        }
        self.finished(line, label)
    }

    /// Returns the line of an event, if it has one. Messages that are sent are shown where they arrive.
    fn event(
        &self,
        chart: &Chart,
        messages: &[Message<'_>],
        step: usize,
        event: &Event,
    ) -> Option<Vec<char>> {
        let mut line = self.empty();
        match event {
            Event::Note { at, what } => self.centre(&mut line, self.lifeline(*at), what),
            Event::State { at, event, states: (before, after), again, .. } => {
                self.centre(&mut line, self.lifeline(*at), &state(event, before, after, again));
            }
            Event::Direct { from, to, what } => self.arrow(&mut line, *from, *to, what),
            Event::Arrived { at, what, .. } => match chart.sender(messages, step) {
                Some(from) if from != *at => self.arrow(&mut line, from, *at, what),
                _ => self.centre(&mut line, self.lifeline(*at), what),
            },
            Event::Sent { .. } => return None,
        }
        Some(line)
    }

    /// Draws an arrow with its text in it, or to the right of it if the text has no room.
    fn arrow(&self, line: &mut Vec<char>, from: usize, to: usize, what: &str) {
        let (start, end) = (self.lifeline(from), self.lifeline(to));
        let (left, right) = (start.min(end), start.max(end));
        line[left + 1..right].fill('─');
        if start < end {
            line[end - 1] = '▶';
        } else {
            line[end + 1] = '◀';
        }
        let what = format!(" {what} ");
        if what.chars().count() + LEAST_ARROW < right - left {
            self.centre(line, (left + right) / 2, &what);
        } else {
            write(line, right + 1, &what);
        }
    }

    /// Writes a text centred at a place.
    fn centre(&self, line: &mut Vec<char>, place: usize, text: &str) {
        let length = text.chars().count();
        write(line, place.saturating_sub(length / 2).max(self.left), text);
    }

    fn finished(&self, line: Vec<char>, label: &str) -> String {
        let mut line = line;
        for (at, one) in label.chars().enumerate().take(self.left) {
            line[at] = one;
        }
        let line: String = line.into_iter().collect();
        format!("{}\n", line.trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::example;
    use super::*;

    #[test]
    fn a_chart_in_characters() {
        insta::assert_snapshot!(text(&example()));
    }
}
