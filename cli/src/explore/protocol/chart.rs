//! The run to a finding of an exploration, as a message-sequence chart.

use std::io::Write;
use std::path::Path;

use explore::protocol::Verdict;
use lab::exploration::fair::starves;
use lab::exploration::{Explored, Plan, Subject, moves};
use report::sequence::{Chart, Sequence};
use simulate::stepper::DescribedMove;

use crate::error::Error;
use crate::options::Format;
use crate::sequence::{self, Form};
use lab::text::capitalized;

/// Writes the chart of the run to a finding, and says so; or says that there is nothing to draw.
///
/// # Errors
/// Returns an error if the file or `out` cannot be written.
pub(super) fn write(
    subject: &Subject,
    explored: &Explored,
    plan: &Plan,
    format: Format,
    path: &Path,
    form: Form,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let Some(chart) = chart(subject, explored, plan) else {
        if format == Format::Text {
            writeln!(out, "  nothing to draw: {} was not written", path.display())
                .map_err(Error::Output)?;
        }
        return Ok(());
    };
    sequence::write(&chart, path, form)?;
    match format {
        Format::Text => writeln!(out, "  written: {}", path.display()).map_err(Error::Output),
        Format::Json => Ok(()),
    }
}

/// The chart of the run to the finding, or else to the first warning.
fn chart(subject: &Subject, explored: &Explored, plan: &Plan) -> Option<Chart> {
    let starved = starves(explored.fair.as_ref());
    let lasso: Vec<DescribedMove> =
        starved.iter().flat_map(|found| found.stem.iter().chain(&found.cycle)).cloned().collect();
    let (steps, finding, place) = match (starved, &explored.exploration.verdict) {
        (Some(found), _) => (&lasso, found.sentence(), String::new()),
        (None, Verdict::Found(found)) => {
            let place = explored.place.as_ref();
            let place = place.map(|(file, line, _)| format!(", at {file}:{line}"));
            (&found.steps, found.sentence(), place.unwrap_or_default())
        }
        _ => {
            let warned = explored.exploration.warnings.first()?;
            (&warned.steps, format!("warning: {}", warned.warning.message), String::new())
        }
    };
    let given = match subject.mutant() {
        Some(mutant) => format!("{} with {mutant}", subject.given),
        None => subject.given.to_owned(),
    };
    let lead = vec![match starved {
        Some(found) => format!(
            "{given}, {}: {} moves, of which those from {} on are repeated for ever",
            plan.size(),
            steps.len(),
            found.stem.len() + 1
        ),
        None => {
            let order = explored.exploration.partial_order;
            format!("{given}, {}: {}", plan.size(), moves::heading_of_run(steps.len(), order))
        }
    }];
    let steps = steps.iter().map(|step| (None, &step.signals[..])).collect();
    let run = Sequence { parties: &explored.exploration.parties, steps };
    let mut chart = run.chart(capitalized(&finding), lead, finding + &place);
    chart.repeats_from = starved.map(|found| found.stem.len());
    if let (None, Verdict::Found(found)) = (starved, &explored.exploration.verdict) {
        chart.notes = found.notes();
    }
    Some(chart)
}
