//! A panel of distributions, a box for each group.

use super::axis::Axis;
use super::chart::{Layer, LegendEntry, NumbersAbove, Panel, Symbol, Table};
use super::style::{BLACK, Marker, PUBLISHED, Style, algorithm_of};
use crate::numbers::{brief_percent, digits, percent};
use crate::statistics::{Estimate, Summary};

/// Half the width of a box; the distance of two groups is 1.
const HALF: f64 = 0.18;

/// Distance of the means from the middle of the box.
const BESIDE: f64 = 0.3;

/// Room above 100 %, as a part of the axis.
const ROOM: f64 = 0.04;

/// Part of the numbers beyond the whiskers at each end.
const TAIL: f64 = 0.05;

/// Largest number of points that are drawn for each tail; of a longer one, every second, third and so on number is
/// drawn.
const POINTS: usize = 100;

/// A group of shares.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The name of the group.
    pub name: String,
    /// The style of the group.
    pub style: Style,
    /// The shares, sorted.
    shares: Vec<f64>,
    /// The published mean.
    pub published: Option<f64>,
}

impl Group {
    /// Makes a group; `None` without shares.
    pub(crate) fn new(
        name: String,
        style: Style,
        shares: Vec<f64>,
        published: Option<f64>,
    ) -> Option<Group> {
        let mut shares = shares;
        shares.retain(|share| share.is_finite());
        shares.sort_by(f64::total_cmp);
        (!shares.is_empty()).then_some(Group { name, style, shares, published })
    }

    /// The mean of the shares.
    pub(crate) fn mean(&self) -> f64 {
        self.shares.iter().sum::<f64>() / self.shares.len() as f64
    }

    /// The published mean, if the shares of all histories are on one side of it.
    pub(crate) fn published_apart(&self) -> Option<f64> {
        let (least, most) = (self.shares.first()?, self.shares.last()?);
        self.published.filter(|mean| mean < least || mean > most)
    }

    fn summary(&self) -> Option<Summary> {
        let shares = self.shares.iter().copied().map(Estimate::exactly);
        Summary::of(&shares.collect::<Vec<_>>())
    }

    /// The ends of the whiskers.
    fn whiskers(&self) -> [f64; 2] {
        let last = self.shares.len() - 1;
        let skipped = (last as f64 * TAIL).floor() as usize;
        [self.shares[skipped], self.shares[last - skipped]]
    }

    /// The numbers that are drawn as points: some of those beyond the whiskers.
    fn points(&self) -> Vec<f64> {
        let [low, high] = self.whiskers();
        let chosen = |tail: Vec<f64>| {
            let step = tail.len().div_ceil(POINTS).max(1);
            tail.into_iter().step_by(step)
        };
        let below = self.shares.iter().copied().filter(|share| *share < low);
        let above = self.shares.iter().copied().filter(|share| *share > high);
        chosen(below.collect()).chain(chosen(above.collect())).collect()
    }
}

/// Height of a panel, in pixels.
pub(crate) const HEIGHT: i32 = 210;

/// Largest number of groups for whose means a panel has room.
pub(crate) const GROUPS: usize = 5;

/// Makes a panel with a box for each group, at most [`GROUPS`]. One end of its axis is 0 if `from_zero`, else 100 %;
/// the other end is near the farthest number.
pub(crate) fn panel(heading: &str, name: &str, groups: &[Group], from_zero: bool) -> Panel {
    let published = groups.iter().filter_map(|group| group.published);
    let ends =
        groups.iter().flat_map(|group| [group.shares[0], group.shares[group.shares.len() - 1]]);
    let shown = ends.chain(published);
    let y = if from_zero {
        Axis::shares_to(name, shown.fold(0.0, f64::max))
    } else {
        Axis::shares(name, shown.fold(1.0, f64::min), ROOM)
    };
    let names: Vec<String> =
        groups.iter().map(|group| algorithm_of(&group.name).to_owned()).collect();
    let mut panel = Panel::new(heading, Axis::names("", &names), y);
    for (at, group) in groups.iter().enumerate() {
        draw(&mut panel, at as f64, group);
    }
    panel.above = means(groups);
    panel
}

/// Makes rows of the means, and of the published means if there are any.
fn means(groups: &[Group]) -> Vec<NumbersAbove> {
    let places = || groups.iter().enumerate().map(|(at, group)| (at as f64, group));
    let ours = places().map(|(at, group)| (at, brief_percent(group.mean())));
    let theirs = places().filter_map(|(at, group)| Some((at, percent(group.published?))));
    let mean = Style { color: BLACK, marker: Marker::Diamond };
    let rows = [
        NumbersAbove { name: "mean", style: mean, is_open: false, at: ours.collect() },
        NumbersAbove { name: "published", style: PUBLISHED, is_open: true, at: theirs.collect() },
    ];
    rows.into_iter().filter(|row| !row.at.is_empty()).collect()
}

fn draw(panel: &mut Panel, x: f64, group: &Group) {
    let color = group.style.color;
    let Some(summary) = group.summary() else {
        return;
    };
    let [lower, median, upper] = [summary.lower, summary.median, summary.upper].map(|one| one.low);
    let [low, high] = group.whiskers();
    let (across, up) = ((x - HALF, x + HALF), (lower, upper));
    panel.layers.push(Layer::Box { color, across, up });
    let line = |points: &[(f64, f64)]| Layer::Line { color, points: points.to_vec() };
    let [left, right] = [x - HALF, x + HALF];
    panel.layers.extend([
        line(&[(left, lower), (left, upper), (right, upper), (right, lower), (left, lower)]),
        line(&[(left, median), (right, median)]),
        line(&[(x, upper), (x, high)]),
        line(&[(x, lower), (x, low)]),
        line(&[(x - HALF / 2.0, high), (x + HALF / 2.0, high)]),
        line(&[(x - HALF / 2.0, low), (x + HALF / 2.0, low)]),
    ]);
    let cross = Style { color, marker: Marker::Plus };
    let beyond = group.points().iter().map(|share| (x, *share)).collect();
    panel.add_marks(cross, false, beyond);
    let mean = Style { marker: Marker::Diamond, color };
    panel.add_marks(mean, false, vec![(x - BESIDE, group.mean())]);
    let published = group.published.map(|share| (x + BESIDE, share));
    panel.add_marks(PUBLISHED, true, published.into_iter().collect());
}

/// The legend of a panel of distributions.
pub(crate) fn legend(groups: &[Group]) -> Vec<LegendEntry> {
    let grey = |marker| Style { color: super::style::GREY, marker };
    let mut entries = vec![
        LegendEntry::new(Symbol::Box, "lower to upper quartile, with the median"),
        LegendEntry::new(
            Symbol::Mark(grey(Marker::Plus), false),
            "below the 5th or above the 95th percentile",
        ),
        LegendEntry::new(Symbol::Mark(grey(Marker::Diamond), false), "mean"),
    ];
    if groups.iter().any(|group| group.published.is_some()) {
        entries.push(LegendEntry::new(Symbol::Mark(PUBLISHED, true), "published mean"));
    }
    entries
}

/// Makes the table of the numbers of the groups.
pub(crate) fn table(groups: &[Group]) -> Table {
    let columns = [
        "series",
        "histories",
        "least",
        "lower quartile",
        "median",
        "upper quartile",
        "most",
        "mean",
        "published mean",
    ];
    let rows = groups.iter().filter_map(|group| {
        let summary = group.summary()?;
        let last = group.shares[group.shares.len() - 1];
        let numbers = [
            group.shares[0],
            summary.lower.low,
            summary.median.low,
            summary.upper.low,
            last,
            group.mean(),
        ];
        let mut row = vec![group.name.clone(), group.shares.len().to_string()];
        row.extend(numbers.map(|number| digits(number, 5)));
        row.push(group.published.map_or_else(String::new, |share| digits(share, 5)));
        Some(row)
    });
    Table { columns: columns.map(str::to_owned).to_vec(), rows: rows.collect() }
}
