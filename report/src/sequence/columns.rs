//! Computes the places of the lifelines of a drawn chart: each is as near to the one before it as the words between
//! them allow. All lengths are in pixels.

use super::{Chart, Event};

/// The approximate width of a letter of usual size, of one in bold, and of one in small print.
pub(super) const LETTER: f64 = 6.8;
pub(super) const BOLD: f64 = 7.6;
pub(super) const SMALL: f64 = 6.3;
/// Smallest distance of two lifelines.
const NARROWEST: f64 = 90.0;
/// Space that is left free between words and the next lifeline.
const GAP: f64 = 12.0;
/// The distance between a lifeline and a note beside it.
pub(super) const BESIDE: f64 = 10.0;
/// Largest number of letters in a line of a note.
const NOTE_LETTERS: usize = 34;

/// The places of the lifelines of a chart, from its left edge.
pub(super) struct Columns {
    places: Vec<f64>,
    /// The right end of the words that are farthest to the right.
    pub right: f64,
}

impl Columns {
    /// Places the lifelines of a chart whose columns of ticks and lines take `left` pixels.
    pub(super) fn of(chart: &Chart, left: f64) -> Columns {
        let needs = Needs::of(chart);
        let mut places: Vec<f64> = Vec::new();
        for party in 0..chart.parties.len() {
            let beside = match party.checked_sub(1) {
                Some(before) => {
                    let names = needs.names[before] / 2.0 + needs.names[party] / 2.0;
                    let near = names.max(needs.right[before]).max(needs.left[party]) + GAP;
                    places[before] + near.max(NARROWEST)
                }
                None => left + needs.left[party].max(needs.names[party] / 2.0),
            };
            let between = needs.between.iter().filter(|need| need.1 == party);
            let places_before = between.map(|&(from, _, width)| places[from] + width);
            places.push(places_before.fold(beside, f64::max));
        }
        let ends = places
            .iter()
            .enumerate()
            .map(|(party, place)| place + needs.right[party].max(needs.names[party] / 2.0));
        let right = ends.fold(left, f64::max);
        Columns { places, right }
    }

    /// Returns the place of a lifeline.
    pub(super) fn lifeline(&self, party: usize) -> f64 {
        self.places.get(party).copied().unwrap_or(self.right)
    }
}

/// The room that the words of a chart need around its lifelines.
struct Needs {
    /// The widths of the names of parties.
    names: Vec<f64>,
    /// The widths of the words to the left and to the right of each lifeline.
    left: Vec<f64>,
    right: Vec<f64>,
    /// The widths of words between two lifelines, the left one first.
    between: Vec<(usize, usize, f64)>,
}

impl Needs {
    fn of(chart: &Chart) -> Needs {
        let none = vec![0.0; chart.parties.len()];
        let names = chart.parties.iter().map(|name| width(name, BOLD)).collect();
        let mut needs = Needs { names, left: none.clone(), right: none, between: Vec::new() };
        let messages = chart.messages();
        for (number, step) in chart.steps.iter().enumerate() {
            for event in &step.events {
                match event {
                    Event::Note { at, what } => needs.note(*at, what),
                    Event::Direct { from, to, what } => needs.arrow(*from, *to, what),
                    Event::Arrived { at, what, .. } => match chart.sender(&messages, number) {
                        Some(from) => needs.arrow(from, *at, what),
                        None => needs.note(*at, what),
                    },
                    Event::State { at, .. } => needs.state(*at, box_width(&chart.box_of(event))),
                    Event::Sent { .. } => {}
                }
            }
        }
        for message in messages.iter().filter(|message| message.arrived.is_none()) {
            needs.arrow(message.from, message.to, &under_way(message.what));
        }
        needs
    }

    fn note(&mut self, at: usize, what: &str) {
        let widths = note_lines(what).into_iter().map(|line| width(&line, LETTER));
        self.right[at] = self.right[at].max(BESIDE + widths.fold(0.0, f64::max));
    }

    fn state(&mut self, at: usize, width: f64) {
        self.left[at] = self.left[at].max(width / 2.0);
        self.right[at] = self.right[at].max(width / 2.0);
    }

    fn arrow(&mut self, from: usize, to: usize, what: &str) {
        if from == to {
            return self.note(to, what);
        }
        self.between.push((from.min(to), from.max(to), width(what, LETTER) + 2.0 * GAP));
    }
}

/// The width of a text whose letters have a given width.
pub(super) fn width(text: &str, letter: f64) -> f64 {
    text.chars().count() as f64 * letter
}

/// The width of the box with these lines, of which the second one is in bold.
pub(super) fn box_width(lines: &[String]) -> f64 {
    let letter = |line: usize| if line == 1 { BOLD } else { SMALL };
    let widths = lines.iter().enumerate().map(|(line, text)| width(text, letter(line)));
    widths.fold(0.0, f64::max) + 14.0
}

/// Wraps a note into lines.
pub(super) fn note_lines(what: &str) -> Vec<String> {
    crate::picture::wrapped(what, NOTE_LETTERS)
}

/// The text about a message that has not arrived at the end.
pub(super) fn under_way(what: &str) -> String {
    format!("{what}: under way")
}

#[cfg(test)]
mod tests {
    use super::super::Step;
    use super::super::tests::example;
    use super::*;

    fn distances(chart: &Chart) -> Vec<f64> {
        Columns::of(chart, 50.0).places.windows(2).map(|two| two[1] - two[0]).collect()
    }

    #[test]
    fn only_the_column_with_long_words_is_wide() {
        let mut chart = example();
        let before = distances(&chart);
        let note = Event::Note { at: 1, what: "wide ".repeat(8) };
        chart.steps.push(Step { events: vec![note], ..Step::default() });
        let after = distances(&chart);
        assert_eq!(before[0], after[0]);
        assert!(after[1] > 30.0 * LETTER, "{after:?}");
    }

    #[test]
    fn words_of_an_arrow_may_cross_lifelines() {
        let mut chart = example();
        let before = distances(&chart);
        let what = "w".repeat(24);
        let event = Event::Direct { from: 0, to: 2, what };
        chart.steps.push(Step { events: vec![event], ..Step::default() });
        assert_eq!(distances(&chart), before);
    }
}
