//! Figures of time against what is varied.

use super::Figure;
use super::axis::{Axis, Division};
use super::chart::Plot;
use super::lines::{self, Series, Unit};
use super::numbers::{count, seconds};
use super::sample::{Sample, time};
use tables::Trial;

/// Width and height of a panel that stands alone.
pub const WIDE: (i32, i32) = (720, 360);

/// Width and height of one of two panels beside each other.
pub const HALF: (i32, i32) = (500, 340);

/// A figure of the time that algorithms take.
pub struct Times<'t> {
    /// What follows the experiment in its name.
    pub tail: &'t str,
    /// What it shows.
    pub title: String,
    /// What it is about, and what it repeats.
    pub caption: &'t str,
    /// Times that the paper states, and what it says of them.
    pub stated: Vec<(f64, &'t str)>,
}

impl Times<'_> {
    /// The figure of a part of a sample.
    pub fn figure(self, sample: &Sample<'_>, part: &str) -> Option<Figure> {
        let sample = sample.part(part)?;
        let series = curves(&sample, part, |name| name);
        let numbers = lines::times(&series).chain(self.stated.iter().map(|(time, _)| *time));
        let y = Axis::seconds("time to check", numbers, Division::AsNeeded);
        let mut panel = lines::panel("", &x_name(part, &sample.trials), &series, Unit::Seconds, y);
        let mut legend = lines::legend(&series, Unit::Seconds);
        for (at, text) in self.stated {
            let (rule, entry) = lines::stated(at, format!("{text} {}", seconds(at)));
            panel.layers.push(rule);
            legend.push(entry);
        }
        let plot = Plot {
            title: self.title,
            subtitle: subtitle(&sample),
            panels: vec![panel],
            columns: 1,
            panel_size: WIDE,
            legend,
        };
        let table = lines::table(&[], part, &[(Vec::new(), series)], Unit::Seconds);
        let caption = format!("{} {}", self.caption, sample.circumstances());
        Figure::new(sample.name(self.tail), &plot, caption, table)
    }
}

/// The curves of a sample, a series an algorithm, called as `name` says.
pub fn curves(sample: &Sample<'_>, part: &str, name: impl Fn(String) -> String) -> Vec<Series> {
    let trials = sample.trials.iter();
    let measured =
        trials.map(|trial| (name(sample.series(trial)), place(part, trial), time(trial)));
    lines::series(measured)
}

/// Of how many histories a point is, and what is drawn.
pub fn subtitle(sample: &Sample<'_>) -> String {
    format!(
        "{}; median, quartiles and mean of the time to check one",
        sample.histories_a_point()
    )
}

/// Where a trial is on the axis of a part.
pub fn place(part: &str, trial: &Trial) -> u64 {
    match part {
        "threads" => u64::from(trial.threads),
        "locations" => u64::from(trial.locations),
        _ => trial.operations,
    }
}

/// What the axis of a part shows, with what is the same for all trials on it.
pub fn x_name(part: &str, trials: &[&Trial]) -> String {
    let same = |of: &dyn Fn(&Trial) -> u64| {
        let first = trials.first().map(|trial| of(trial))?;
        trials
            .iter()
            .all(|trial| of(trial) == first)
            .then_some(first)
    };
    let threads = same(&|trial| u64::from(trial.threads));
    let operations = same(&|trial| trial.operations);
    let each = same(&|trial| match trial.threads {
        0 => 0,
        threads => trial.operations / u64::from(threads),
    });
    match (part, threads, operations, each) {
        ("operations", Some(threads), ..) => format!("operations ({threads} threads)"),
        ("operations", ..) => "operations".to_owned(),
        ("threads", _, Some(operations), _) => {
            format!("threads ({} operations)", count(operations))
        }
        ("threads", _, _, Some(each)) => format!("threads ({} operations each)", count(each)),
        (part, ..) => part.to_owned(),
    }
}
