//! Message-sequence charts: the messages and state changes in a run of a protocol.
//!
//! Parties are columns, each with a lifeline, and time goes down, step by step. A step begins with an event, such as
//! the arrival of a message or the request of a core. Then states change, and messages are sent, which arrive in later
//! steps. [`svg`] draws a [`Chart`], [`text`] writes it with characters, and [`crate::page::charted`] shows it on a
//! page. [`Sequence`] makes a chart of a run of the simulator or of an exploration, [`crashed`] of the last steps in a trace before a crash.
//!
//! ```
//! use report::sequence::{Chart, Event, Step, text};
//!
//! let step = |events: Vec<Event>| Step { events, ..Step::default() };
//! let chart = Chart {
//!     title: "A request".to_owned(),
//!     parties: vec!["L1Cache-0".to_owned(), "Directory-0".to_owned()],
//!     steps: vec![
//!         step(vec![Event::Sent { from: 0, to: 1, what: "GETX for line 0".to_owned(), content: 0 }]),
//!         step(vec![Event::Arrived { at: 1, what: "GETX for line 0".to_owned(), content: 0 }]),
//!     ],
//!     ..Chart::default()
//! };
//! assert!(text(&chart).contains("GETX for line 0"));
//! ```

mod columns;
mod crashed;
mod run;
mod svg;
mod text;

pub use crashed::crashed;
pub use run::Sequence;
pub use svg::svg;
pub use text::text;

/// The note before the first step of the part that repeats forever.
const REPEATED: &str = "from here on, for ever:";

/// A chart, independent of its format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chart {
    /// Title, as plain text.
    pub title: String,
    /// Sentences below the title.
    pub lead: Vec<String>,
    /// The names of the parties, from left to right.
    pub parties: Vec<String>,
    /// The steps, from top to bottom, numbered from 1.
    pub steps: Vec<Step>,
    /// The finding after the last step, such as a deadlock, if the run leads to one.
    pub wrong: Option<String>,
    /// Sentences below the finding, such as which messages wait, or where a value comes from.
    pub notes: Vec<String>,
    /// Index of the first step of the part that repeats forever, if there is one.
    pub repeats_from: Option<usize>,
}

/// A step of a chart: events that happen together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The events of the step, in their order.
    pub events: Vec<Event>,
    /// The tick, if it is known.
    pub tick: Option<u64>,
    /// The line of the trace, if there is one.
    pub line: Option<u64>,
}

/// An event of a step. Parties are given by their columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// An event that concerns one party only.
    Note {
        /// The party.
        at: usize,
        /// The event in words.
        what: String,
    },
    /// An interaction of two parties that takes no time: a core's request to its cache, or the answer.
    Direct {
        /// The party that makes the request or gives the answer.
        from: usize,
        /// The party that receives it.
        to: usize,
        /// The request or answer in words: `loads line 0`.
        what: String,
    },
    /// A message is sent.
    Sent {
        /// The party that sends it.
        from: usize,
        /// The party that will receive it.
        to: usize,
        /// The message in words: `GETX for line 0`.
        what: String,
        /// A number that stands for the other content of the message, such as the requestor; 0 if it is unknown.
        content: u64,
    },
    /// A message arrives: the first that was sent to this party with these words and this content and has not arrived.
    Arrived {
        /// The party that receives it.
        at: usize,
        /// The message in words: `GETX for line 0`.
        what: String,
        /// A number that stands for the other content of the message, such as the requestor; 0 if it is unknown.
        content: u64,
    },
    /// A controller takes a transition.
    State {
        /// The controller that takes the transition.
        at: usize,
        /// The event of the transition: `Fwd_GETX`.
        event: String,
        /// The states before and after the transition.
        states: (String, String),
        /// The cache line whose state changes: `line 0`.
        of: String,
        /// How often the transition was taken in a row, such as `3 times to tick 6328`; empty if once.
        again: String,
    },
}

/// A message, with the step in which it was sent and the one in which it arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Message<'c> {
    from: usize,
    to: usize,
    what: &'c str,
    content: u64,
    sent: usize,
    /// The step in which the message arrived; `None` if it has not arrived at the end.
    arrived: Option<usize>,
}

impl Chart {
    /// Returns all messages, in the order in which they were sent.
    fn messages(&self) -> Vec<Message<'_>> {
        let mut messages: Vec<Message<'_>> = Vec::new();
        for (number, step) in self.steps.iter().enumerate() {
            for event in &step.events {
                match event {
                    Event::Sent { from, to, what, content } => messages.push(Message {
                        from: *from,
                        to: *to,
                        what,
                        content: *content,
                        sent: number,
                        arrived: None,
                    }),
                    Event::Arrived { at, what, content } => {
                        let is_it = |one: &&mut Message<'_>| {
                            let says = (one.what, one.content) == (what.as_str(), *content);
                            one.arrived.is_none() && one.to == *at && says
                        };
                        if let Some(message) = messages.iter_mut().find(is_it) {
                            message.arrived = Some(number);
                        }
                    }
                    _ => {}
                }
            }
        }
        messages
    }

    /// Returns the lines of the box of a transition: its event, the states, and how often it was taken. The cache line
    /// is named if the chart has several.
    fn box_of(&self, event: &Event) -> Vec<String> {
        let Event::State { event, states: (before, after), of, again, .. } = event else {
            return Vec::new();
        };
        let is_other = |it: &Event| matches!(it, Event::State { of: other, .. } if other != of);
        let has_several = self.steps.iter().flat_map(|step| &step.events).any(is_other);
        let event = if has_several { format!("{event}, {of}") } else { event.clone() };
        let lines = [event, format!("{before} \u{2192} {after}"), again.clone()];
        lines.into_iter().filter(|line| !line.is_empty()).collect()
    }

    /// Returns the party that sent the message that arrives in a step.
    fn sender(&self, messages: &[Message<'_>], step: usize) -> Option<usize> {
        messages.iter().find(|message| message.arrived == Some(step)).map(|message| message.from)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Two caches ask a directory for a line; one of its answers is still under way at the end.
    pub(crate) fn example() -> Chart {
        let sent =
            |from, to, what: &str| Event::Sent { from, to, what: what.to_owned(), content: 0 };
        let arrived = |at, what: &str| Event::Arrived { at, what: what.to_owned(), content: 0 };
        let state = |at, event: &str, before: &str, after: &str| Event::State {
            at,
            event: event.to_owned(),
            states: (before.to_owned(), after.to_owned()),
            of: "line 0".to_owned(),
            again: String::new(),
        };
        let asks = Event::Direct { from: 0, to: 1, what: "stores to line 0".to_owned() };
        let told = Event::Direct { from: 1, to: 0, what: "has written line 0".to_owned() };
        let note = Event::Note { at: 2, what: "looks again".to_owned() };
        let steps = [
            vec![asks, state(1, "Store", "I", "IM"), sent(1, 2, "GETX for line 0")],
            vec![
                arrived(2, "GETX for line 0"),
                state(2, "GETX", "I", "M"),
                sent(2, 1, "DATA for line 0"),
                sent(2, 1, "DATA for line 0"),
            ],
            vec![arrived(1, "DATA for line 0"), state(1, "Data", "IM", "M"), told],
            vec![note],
        ];
        Chart {
            title: "Data <twice>".to_owned(),
            lead: vec!["A directory answers twice.".to_owned()],
            parties: ["core 0", "L1Cache-0", "Directory-0"].map(str::to_owned).to_vec(),
            steps: steps.into_iter().map(|events| Step { events, ..Step::default() }).collect(),
            wrong: Some("deadlock: a message is left".to_owned()),
            notes: vec!["DATA for line 0 has not arrived at L1Cache-0".to_owned()],
            repeats_from: Some(2),
        }
    }

    #[test]
    fn messages_arrive_in_the_order_in_which_they_were_sent() {
        let chart = example();
        let messages = chart.messages();
        let ways: Vec<_> = messages.iter().map(|one| (one.sent, one.arrived)).collect();
        assert_eq!(ways, [(0, Some(1)), (1, Some(2)), (1, None)]);
        assert_eq!(chart.sender(&messages, 2), Some(2));
        assert_eq!(chart.sender(&messages, 3), None);
    }

    /// Two caches send the same request, and the later one arrives first.
    #[test]
    fn messages_with_the_same_words_are_told_apart() {
        let what = "GETX for line 0".to_owned();
        let sent = |from, content| Event::Sent { from, to: 2, what: what.clone(), content };
        let arrived = |content| Event::Arrived { at: 2, what: what.clone(), content };
        let events = [sent(0, 7), sent(1, 8), arrived(8), arrived(7)];
        let steps = events.map(|event| Step { events: vec![event], ..Step::default() });
        let chart = Chart { steps: steps.to_vec(), ..Chart::default() };
        let messages = chart.messages();
        assert_eq!(chart.sender(&messages, 2), Some(1));
        assert_eq!(chart.sender(&messages, 3), Some(0));
    }
}
