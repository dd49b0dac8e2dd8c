//! Runs of protocols as charts.

use simulate::stepper::{Party, Signal};

use super::{Chart, Event, Step};

/// A run to be drawn: the parties that can take part, and its steps.
pub struct Sequence<'r> {
    /// The parties that can take part, with their names.
    pub parties: &'r [(Party, String)],
    /// The steps, each with its tick, if it has one.
    pub steps: Vec<(Option<u64>, &'r [Signal])>,
}

impl Sequence<'_> {
    /// The chart of the run, with a column for each party that takes part.
    pub fn chart(&self, title: String, lead: Vec<String>, wrong: String) -> Chart {
        let parties = self.taking_part();
        let column =
            |party: Party| parties.iter().position(|(other, _)| *other == party).unwrap_or(0);
        Chart {
            title,
            lead,
            parties: parties.iter().map(|(_, name)| name.clone()).collect(),
            steps: self
                .steps
                .iter()
                .map(|(tick, step)| Step { events: events(step, &column), tick: *tick, line: None })
                .collect(),
            wrong: Some(wrong),
            ..Chart::default()
        }
    }

    /// The parties that occur in the run.
    fn taking_part(&self) -> Vec<(Party, String)> {
        let signals = || self.steps.iter().flat_map(|(_, step)| step.iter());
        let takes_part = |party: &Party| {
            signals().any(|signal| match signal {
                Signal::Happens { at, .. }
                | Signal::Arrives { at, .. }
                | Signal::PutsBack { at, .. }
                | Signal::Changes { at, .. } => at == party,
                Signal::Sends { from, to, .. } => from == party || to == party,
            })
        };
        self.parties.iter().filter(|(party, _)| takes_part(party)).cloned().collect()
    }
}

/// The events of a step in the chart. A request of a core goes to the controller that acts in the step, and a response to a core
/// comes from that controller.
fn events(signals: &[Signal], column: &impl Fn(Party) -> usize) -> Vec<Event> {
    let acts = signals.iter().find_map(|signal| match signal {
        Signal::Changes { at, .. } | Signal::Arrives { at, .. } => Some(*at),
        _ => None,
    });
    let mut events = Vec::new();
    for (number, signal) in signals.iter().enumerate() {
        events.push(match (signal, acts) {
            (
                Signal::Happens { at: at @ (Party::Core(_) | Party::Device(_)), what },
                Some(acts),
            ) => {
                let (from, to) = if number == 0 { (*at, acts) } else { (acts, *at) };
                Event::Direct { from: column(from), to: column(to), what: what.clone() }
            }
            (Signal::Happens { at, what }, _) => {
                Event::Note { at: column(*at), what: what.clone() }
            }
            (Signal::PutsBack { at, message }, _) => {
                Event::Note { at: column(*at), what: format!("puts {message} back") }
            }
            (Signal::Arrives { at, message, content }, _) => {
                Event::Arrived { at: column(*at), what: message.clone(), content: *content }
            }
            (Signal::Changes { at, event, states, line, again, .. }, _) => Event::State {
                at: column(*at),
                event: event.clone(),
                states: states.clone(),
                of: line.clone(),
                again: again.clone(),
            },
            (Signal::Sends { from, to, message, content }, _) => Event::Sent {
                from: column(*from),
                to: column(*to),
                what: message.clone(),
                content: *content,
            },
        });
    }
    events
}
