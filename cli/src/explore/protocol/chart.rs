//! What an exploration found, as a message-sequence chart.

use std::io::Write;
use std::path::Path;

use explore::protocol::Verdict;
use report::page::charted;
use report::sequence::{Chart, Event, Step, svg, text};
use simulate::stepper::{DescribedMove, Party, Signal};

use super::Args;
use super::fair::starves;
use super::subject::{Explored, Subject};
use crate::error::Error;
use crate::files;
use crate::options::Format;

/// The format of a chart.
#[derive(Clone, Copy)]
pub enum Form {
    Svg,
    Html,
    Text,
}

impl Form {
    /// The format that the name of a file says.
    pub fn of(path: &Path) -> Result<Form, Error> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("svg") => Ok(Form::Svg),
            Some("html" | "htm") => Ok(Form::Html),
            Some("txt") => Ok(Form::Text),
            _ => Err(Error::Usage(format!(
                "-o {}: a name that ends in .svg, .html or .txt was expected",
                path.display()
            ))),
        }
    }
}

/// Writes the chart of what was found, and says so; or says that there is nothing to draw.
pub fn write(
    subject: &Subject,
    explored: &Explored,
    args: &Args,
    path: &Path,
    form: Form,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let Some(chart) = chart(subject, explored, args) else {
        if args.format == Format::Text {
            writeln!(out, "  nothing to draw: {} was not written", path.display())
                .map_err(Error::Output)?;
        }
        return Ok(());
    };
    let drawn = match form {
        Form::Svg => svg(&chart),
        Form::Html => charted(&chart),
        Form::Text => text(&chart),
    };
    files::create(path, |file| file.write_all(drawn.as_bytes()).map_err(Error::Output))?;
    match args.format {
        Format::Text => writeln!(out, "  written: {}", path.display()).map_err(Error::Output),
        Format::Json => Ok(()),
    }
}

/// The chart of the run to what was found, or to the first warning.
fn chart(subject: &Subject, explored: &Explored, args: &Args) -> Option<Chart> {
    let starved = starves(explored.fair.as_ref());
    let lasso: Vec<DescribedMove> = starved
        .iter()
        .flat_map(|found| found.stem.iter().chain(&found.cycle))
        .cloned()
        .collect();
    let (steps, wrong) = match (starved, &explored.exploration.verdict) {
        (Some(found), _) => (&lasso, found.sentence()),
        (None, Verdict::Found(found)) => {
            let place = explored.place.as_ref();
            let place = place.map(|(file, line, _)| format!(", at {file}:{line}"));
            (&found.steps, found.sentence() + &place.unwrap_or_default())
        }
        _ => {
            let warned = explored.exploration.warnings.first()?;
            (&warned.steps, format!("warning: {}", warned.warning.message))
        }
    };
    let parties = taking_part(&explored.exploration.parties, steps);
    let column = |party: Party| parties.iter().position(|(other, _)| *other == party).unwrap_or(0);
    let title = match subject.mutant() {
        Some(mutant) => format!("{} with {mutant}", subject.given),
        None => subject.given.to_owned(),
    };
    Some(Chart {
        title,
        lead: vec![match starved {
            Some(found) => format!(
                "{}: {} moves, of which those from {} on are repeated for ever",
                args.size(),
                steps.len(),
                found.stem.len() + 1
            ),
            None => format!("{}: a shortest run, of {} moves", args.size(), steps.len()),
        }],
        parties: parties.iter().map(|(_, name)| name.clone()).collect(),
        steps: steps.iter().map(|step| Step { events: events(step, &column) }).collect(),
        wrong: Some(wrong),
    })
}

/// The parties that occur in a run.
fn taking_part(all: &[(Party, String)], steps: &[DescribedMove]) -> Vec<(Party, String)> {
    let signals = || steps.iter().flat_map(|step| &step.signals);
    let takes_part = |party: &Party| {
        signals().any(|signal| match signal {
            Signal::Happens { at, .. }
            | Signal::Arrives { at, .. }
            | Signal::Changes { at, .. } => at == party,
            Signal::Sends { from, to, .. } => from == party || to == party,
        })
    };
    all.iter().filter(|(party, _)| takes_part(party)).cloned().collect()
}

/// The parts of a step. What a core asks goes to the controller that acts in this step, and what a core is told
/// comes from it.
fn events(step: &DescribedMove, column: &impl Fn(Party) -> usize) -> Vec<Event> {
    let acts = step.signals.iter().find_map(|signal| match signal {
        Signal::Changes { at, .. } | Signal::Arrives { at, .. } => Some(*at),
        _ => None,
    });
    let mut events = Vec::new();
    for (number, signal) in step.signals.iter().enumerate() {
        events.push(match (signal, acts) {
            (Signal::Happens { at: at @ (Party::Core(_) | Party::Device(_)), what }, Some(acts)) => {
                let (from, to) = if number == 0 { (*at, acts) } else { (acts, *at) };
                Event::Direct { from: column(from), to: column(to), what: what.clone() }
            }
            (Signal::Happens { at, what }, _) => {
                Event::Note { at: column(*at), what: what.clone() }
            }
            (Signal::Arrives { at, message }, _) => {
                Event::Arrived { at: column(*at), what: message.clone() }
            }
            (Signal::Changes { at, event, states, line }, _) => Event::State {
                at: column(*at),
                event: event.clone(),
                states: states.clone(),
                of: line.clone(),
            },
            (Signal::Sends { from, to, message }, _) => {
                Event::Sent { from: column(*from), to: column(*to), what: message.clone() }
            }
        });
    }
    events
}
