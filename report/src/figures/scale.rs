//! How the engine grows with operations and threads.

use super::Figure;
use super::axis::Division;
use super::chart::Plot;
use super::lines::{self, Series, Unit};
use super::sample::Sample;
use super::times::{WIDE, place, subtitle, x_name};
use tables::Trial;

/// The engine's own stages, one after the other.
const STAGES: &str = "stages";

/// A figure for each part of which there are trials.
pub fn figures(trials: &[Trial]) -> Vec<Figure> {
    let samples = Sample::all(trials, "scale");
    let parts = ["operations", "threads"];
    let figures = samples
        .iter()
        .flat_map(|sample| parts.map(|part| figure(sample, part)));
    figures.flatten().collect()
}

fn figure(sample: &Sample<'_>, part: &str) -> Option<Figure> {
    let sample = sample.part(part)?;
    let series = series(&sample, part);
    let y = lines::axis("time to check", Unit::Seconds, &series, Division::Decades);
    let panel = lines::panel("", &x_name(part, &sample.trials), &series, Unit::Seconds, y);
    let plot = Plot {
        title: format!("Time that rubric's own stages take, by number of {part}"),
        subtitle: subtitle(&sample),
        panels: vec![panel],
        columns: 1,
        panel_size: WIDE,
        legend: lines::legend(&series, Unit::Seconds),
    };
    let table = lines::table(&[], part, &[(Vec::new(), series)], Unit::Seconds);
    let caption = format!(
        "The stages of `rubric check`, a series a model. {}",
        sample.circumstances()
    );
    Figure::new(sample.name(part), &plot, caption, table)
}

/// The engine is called by the model, another algorithm by its name too.
fn series(sample: &Sample<'_>, part: &str) -> Vec<Series> {
    let measured = sample.trials.iter().map(|trial| {
        let model = trial.model.to_uppercase();
        let name = match trial.algorithm.as_str() {
            STAGES => model,
            other => format!("{other}, {model}"),
        };
        (name, place(part, trial), super::sample::time(trial))
    });
    lines::series(measured)
}
