//! A panel of distributions, a box for each group.

use super::axis::Axis;
use super::chart::{Layer, LegendEntry, Panel, Side, Symbol, Table};
use super::style::{BLACK, Marker, PUBLISHED, Style};
use crate::numbers::{digits, percent};
use crate::statistics::{Estimate, Summary};

/// Half the width of a box, where groups are 1 apart.
const HALF: f64 = 0.18;

/// Distance of the means from the middle of the box.
const BESIDE: f64 = 0.3;

/// Room above 100 % for the text about the means, as a part of the axis.
const ROOM: f64 = 0.22;

/// Part of the numbers beyond the whiskers at each end.
const TAIL: f64 = 0.05;

/// Numbers of each tail that are drawn as points, at most; of more, every second, third and so on.
const POINTS: usize = 100;

/// A group of shares.
#[derive(Clone, Debug)]
pub struct Group {
    /// The name of the group.
    pub name: String,
    /// The style of the group.
    pub style: Style,
    /// The shares; sorted.
    shares: Vec<f64>,
    /// The published mean.
    pub published: Option<f64>,
}

impl Group {
    /// A group of shares; none without shares.
    pub fn new(
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
    pub fn mean(&self) -> f64 {
        self.shares.iter().sum::<f64>() / self.shares.len() as f64
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

/// Width and height of a panel of these groups, so that the texts about their means do not overlap.
pub fn size(groups: &[Group]) -> (i32, i32) {
    ((80 + 108 * groups.len() as i32).max(640), 370)
}

/// A panel with a box for each group. Its axis starts at 0 if `from_zero`, else near the smallest number.
pub fn panel(name: &str, groups: &[Group], from_zero: bool) -> Panel {
    let least = groups.iter().map(|group| group.shares[0].min(group.published.unwrap_or(1.0)));
    let least = if from_zero { 0.0 } else { least.fold(1.0, f64::min) };
    let names: Vec<String> = groups.iter().map(|group| group.name.clone()).collect();
    let y = Axis::shares(name, least, ROOM);
    let mut panel = Panel::new("", Axis::names("", &names), y);
    for (at, group) in groups.iter().enumerate() {
        draw(&mut panel, at as f64, group);
    }
    panel
}

fn draw(panel: &mut Panel, x: f64, group: &Group) {
    let color = group.style.color;
    let Some(summary) = group.summary() else {
        return;
    };
    let [lower, median, upper] = [summary.lower, summary.median, summary.upper].map(|one| one.low);
    let [low, high] = group.whiskers();
    let field = [(x - HALF, lower, upper), (x + HALF, lower, upper)];
    panel.layers.push(Layer::Band { color, points: field.to_vec() });
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
    add_means(panel, x, group);
}

/// Adds the means as text above the boxes.
fn add_means(panel: &mut Panel, x: f64, group: &Group) {
    let mut words = vec![format!("mean {}", percent(group.mean()))];
    words.extend(group.published.map(|share| format!("published {}", percent(share))));
    let (low, high) = (panel.y.low(), panel.y.high());
    for (line, text) in words.into_iter().enumerate() {
        let y = high - (high - low) * (0.07 + 0.055 * line as f64);
        panel.add_text((x, y), Side::Above, text, BLACK);
    }
}

/// The legend of such a panel.
pub fn legend(groups: &[Group]) -> Vec<LegendEntry> {
    let grey = |marker| Style { color: super::style::GREY, marker };
    let mut entries = vec![
        LegendEntry::new(Symbol::Band, "lower to upper quartile, with the median"),
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

/// The numbers of the groups.
pub fn table(groups: &[Group]) -> Table {
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
