//! Panels of curves: medians with quartile bands, means, and what was cut off.

use std::collections::{BTreeMap, BTreeSet};

use super::Table;
use super::axis::{Axis, Division};
use super::chart::{Counts, Entry, Layer, Panel, Rule, Sign};
use super::numbers::{digits, seconds};
use super::sample::algorithm_of;
use super::statistics::{Measured, Quantile, Summary};
use super::style::{GREY, Look, Marker, looks, rank};

/// At most so many rows of counts; the table has them all.
const COUNT_ROWS: usize = 8;

/// A curve.
#[derive(Clone, Debug)]
pub struct Series {
    /// What it is about.
    pub name: String,
    /// How it looks.
    pub look: Look,
    /// What was measured, by place.
    pub points: Vec<(u64, Summary)>,
    /// The limits at which runs were cut off; rising.
    pub limits: Vec<f64>,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// How many times something else.
    Ratio,
}

/// The curves that measurements make: each has the name of its series and its place.
pub fn series(measured: impl IntoIterator<Item = (String, u64, Measured)>) -> Vec<Series> {
    let mut all: BTreeMap<(usize, String), BTreeMap<u64, Vec<Measured>>> = BTreeMap::new();
    for (name, place, measured) in measured {
        let places = all.entry((rank(algorithm_of(&name)), name)).or_default();
        places.entry(place).or_default().push(measured);
    }
    let algorithms: BTreeSet<&str> = all.keys().map(|(_, name)| algorithm_of(name)).collect();
    let has_own_look = algorithms.len() == all.len();
    let known = |name| {
        if has_own_look {
            algorithm_of(name)
        } else {
            name
        }
    };
    let looks = looks(all.keys().map(|(_, name)| known(name)));
    let summaries = |places: &BTreeMap<u64, Vec<Measured>>| {
        let summaries = places.iter();
        let summaries =
            summaries.filter_map(|(place, measured)| Some((*place, Summary::of(measured)?)));
        summaries.collect()
    };
    let series = all
        .iter()
        .zip(looks)
        .map(|(((_, name), places), look)| Series {
            look,
            name: name.clone(),
            points: summaries(places),
            limits: cut_off_at(places.values().flatten()),
        });
    series.collect()
}

/// Where measurements were cut off.
fn cut_off_at<'m>(measured: impl Iterator<Item = &'m Measured>) -> Vec<f64> {
    let limits = measured.filter(|one| one.is_cut_off && one.value.is_finite());
    let mut limits: Vec<f64> = limits.map(|one| one.value).collect();
    limits.sort_by(f64::total_cmp);
    limits.dedup();
    limits
}

/// All numbers that the curves show.
pub fn numbers(series: &[Series]) -> impl Iterator<Item = f64> + Clone {
    let summaries = series.iter().flat_map(|one| &one.points);
    summaries.flat_map(|(_, summary)| {
        let quartiles = [summary.lower, summary.median, summary.upper].map(Quantile::drawn);
        quartiles.into_iter().chain(summary.mean)
    })
}

/// The same of times, with their limits.
pub fn times(series: &[Series]) -> impl Iterator<Item = f64> + Clone {
    let limits = series.iter().flat_map(|one| one.limits.iter().copied());
    numbers(series).chain(limits)
}

/// A panel with the curves. `name` is what the axis below shows.
pub fn panel(heading: &str, name: &str, series: &[Series], unit: Unit, y: Axis) -> Panel {
    let places = series.iter().flat_map(|one| &one.points);
    let places: Vec<u64> = places.map(|(place, _)| *place).collect();
    let mut panel = Panel::new(heading, Axis::points(name, &places), y);
    panel.has_columns = true;
    panel.layers.extend(series.iter().map(band));
    if unit == Unit::Seconds {
        panel
            .layers
            .extend(limits(series).into_iter().map(|at| Layer::Rule {
                at,
                stands_for: Rule::Limit,
            }));
    }
    panel.layers.extend(series.iter().map(line));
    panel.layers.extend(series.iter().map(means));
    for is_beyond in [true, false] {
        let marks = series.iter().map(|one| medians(one, is_beyond));
        panel.layers.extend(marks);
    }
    panel.counts = series.iter().filter_map(counts).take(COUNT_ROWS).collect();
    panel
}

/// An axis for the numbers of the curves.
pub fn axis(name: &str, unit: Unit, series: &[Series], division: Division) -> Axis {
    match unit {
        Unit::Seconds => Axis::seconds(name, times(series), division),
        Unit::Ratio => Axis::ratios(name, numbers(series).chain([1.0]), division),
    }
}

fn places<T>(series: &Series, of: impl Fn(f64, &Summary) -> T) -> Vec<T> {
    let points = series.points.iter();
    points
        .map(|(place, summary)| of(*place as f64, summary))
        .collect()
}

fn band(series: &Series) -> Layer {
    Layer::Band {
        color: series.look.color,
        points: places(series, |x, summary| {
            (x, summary.lower.drawn(), summary.upper.drawn())
        }),
    }
}

fn line(series: &Series) -> Layer {
    Layer::Line {
        color: series.look.color,
        points: places(series, |x, summary| (x, summary.median.drawn())),
    }
}

fn means(series: &Series) -> Layer {
    let means = places(series, |x, summary| Some((x, summary.mean?)));
    Layer::Marks {
        look: Look {
            marker: Marker::Dash,
            ..series.look
        },
        is_open: false,
        points: means.into_iter().flatten().collect(),
    }
}

/// The medians that lie beyond the limit, or those that do not.
fn medians(series: &Series, is_beyond: bool) -> Layer {
    let wanted = places(series, |x, summary| {
        let median = summary.median;
        (median.is_beyond() == is_beyond).then_some((x, median.drawn()))
    });
    Layer::Marks {
        look: series.look,
        is_open: is_beyond,
        points: wanted.into_iter().flatten().collect(),
    }
}

fn counts(series: &Series) -> Option<Counts> {
    let at = places(series, |x, summary| (x, summary.cut_off));
    let at: Vec<(f64, usize)> = at.into_iter().filter(|(_, number)| *number > 0).collect();
    (!at.is_empty()).then_some(Counts {
        look: series.look,
        at,
    })
}

/// The limits at which any run was cut off.
fn limits(series: &[Series]) -> Vec<f64> {
    let mut limits: Vec<f64> = series
        .iter()
        .flat_map(|one| one.limits.iter().copied())
        .collect();
    limits.sort_by(f64::total_cmp);
    limits.dedup();
    limits
}

/// The legend of panels with these curves.
pub fn legend(series: &[Series], unit: Unit) -> Vec<Entry> {
    let curves = series.iter();
    let curves = curves.map(|one| Entry::new(Sign::Series(one.look), one.name.clone()));
    let summaries = || series.iter().flat_map(|one| &one.points);
    let mut entries: Vec<Entry> = Vec::new();
    for entry in curves {
        // Several panels may have the same curves.
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    let grey = |marker| Look {
        color: GREY,
        marker,
    };
    entries.push(Entry::new(
        Sign::Band,
        "from the lower to the upper quartile",
    ));
    entries.push(Entry::new(
        Sign::Mark(grey(Marker::Dash), false),
        "mean of runs that ended",
    ));
    if summaries().any(|(_, summary)| summary.median.is_beyond()) {
        let open = Sign::Mark(grey(Marker::Circle), true);
        entries.push(Entry::new(open, "empty: the median lies beyond the limit"));
    }
    let limits: Vec<String> = limits(series).into_iter().map(seconds).collect();
    if unit == Unit::Seconds && !limits.is_empty() {
        let text = format!("limit {}", limits.join(", "));
        entries.push(Entry::new(Sign::Rule(Rule::Limit), text));
    }
    entries
}

/// The numbers of the curves. `parts` are columns that tell several groups of curves apart.
pub fn table(
    parts: &[&str],
    name: &str,
    groups: &[(Vec<String>, Vec<Series>)],
    unit: Unit,
) -> Table {
    let measure = match unit {
        Unit::Seconds => "s",
        Unit::Ratio => "times",
    };
    let numbers = [
        "lower quartile",
        "median",
        "upper quartile",
        "mean of ended",
    ];
    let numbers = numbers.map(|number| format!("{number} ({measure})"));
    let mut columns: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
    columns.extend([name, "series", "runs", "cut off"].map(str::to_owned));
    columns.extend(numbers);
    let mut rows = Vec::new();
    for (parts, series) in groups {
        for one in series {
            for (place, summary) in &one.points {
                let mut row = parts.clone();
                row.extend([place.to_string(), one.name.clone()]);
                row.extend(cells(summary));
                rows.push(row);
            }
        }
    }
    Table { columns, rows }
}

fn cells(summary: &Summary) -> Vec<String> {
    let mut cells = vec![summary.runs.to_string(), summary.cut_off.to_string()];
    let quartiles = [summary.lower, summary.median, summary.upper];
    cells.extend(quartiles.map(quantile));
    cells.push(
        summary
            .mean
            .map_or_else(String::new, |mean| digits(mean, 4)),
    );
    cells
}

/// A quantile as tables have it.
pub fn quantile(quantile: Quantile) -> String {
    match quantile {
        Quantile::At(value) => digits(value, 4),
        Quantile::Beyond(limit) => format!("> {}", digits(limit, 4)),
    }
}

/// A dashed line at a number that a paper states, and what the legend says of it.
pub fn stated(at: f64, text: String) -> (Layer, Entry) {
    let stands_for = Rule::Stated;
    (
        Layer::Rule { at, stands_for },
        Entry::new(Sign::Rule(stands_for), text),
    )
}
