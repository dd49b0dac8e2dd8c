//! A panel that shows how numbers are distributed, a box for each group.

use super::Table;
use super::axis::Axis;
use super::chart::{Entry, Layer, Panel, Side, Sign};
use super::numbers::{digits, percent};
use super::statistics::{Measured, Quantile, Summary};
use super::style::{BLACK, Look, Marker};

/// Half the width of a box.
const HALF: f64 = 0.18;

/// How far from the middle of the box the means are.
const BESIDE: f64 = 0.3;

/// How much room there is above the whole, as a part of the axis, for words about the means.
const ROOM: f64 = 0.22;

/// What is left out of the whiskers at each end.
const TAIL: f64 = 0.05;

/// At most so many numbers of each tail are drawn as points, evenly chosen.
const POINTS: usize = 100;

/// A group of shares.
#[derive(Clone, Debug)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// How it looks.
    pub look: Look,
    /// The shares; sorted.
    shares: Vec<f64>,
    /// The mean that the paper states.
    pub stated: Option<f64>,
}

/// How the mean of a paper looks.
pub const PAPER: Look = Look {
    color: BLACK,
    marker: Marker::Diamond,
};

impl Group {
    /// A group; none without shares.
    pub fn new(name: String, look: Look, shares: Vec<f64>, stated: Option<f64>) -> Option<Group> {
        let mut shares = shares;
        shares.retain(|share| share.is_finite());
        shares.sort_by(f64::total_cmp);
        (!shares.is_empty()).then_some(Group {
            name,
            look,
            shares,
            stated,
        })
    }

    /// The mean of the shares.
    pub fn mean(&self) -> f64 {
        self.shares.iter().sum::<f64>() / self.shares.len() as f64
    }

    fn summary(&self) -> Option<Summary> {
        let measured: Vec<Measured> = self.shares.iter().copied().map(Measured::exactly).collect();
        Summary::of(&measured)
    }

    /// The ends of the whiskers.
    fn whiskers(&self) -> [f64; 2] {
        let last = self.shares.len() - 1;
        let skipped = (last as f64 * TAIL).floor() as usize;
        [self.shares[skipped], self.shares[last - skipped]]
    }

    /// What is drawn as points: some of what is beyond the whiskers.
    fn points(&self) -> Vec<f64> {
        let [low, high] = self.whiskers();
        let chosen = |tail: Vec<f64>| {
            let step = tail.len().div_ceil(POINTS).max(1);
            tail.into_iter().step_by(step)
        };
        let below = self.shares.iter().copied().filter(|share| *share < low);
        let above = self.shares.iter().copied().filter(|share| *share > high);
        chosen(below.collect())
            .chain(chosen(above.collect()))
            .collect()
    }
}

/// How large a panel of these is: so large that words about one do not reach into those about another.
pub fn size(groups: &[Group]) -> (i32, i32) {
    ((80 + 96 * groups.len() as i32).max(640), 370)
}

/// A panel with a box for each group. The axis begins at the smallest number if that is what is of interest.
pub fn panel(name: &str, groups: &[Group], from_zero: bool) -> Panel {
    let least = groups.iter().map(|group| {
        let stated = group.stated.unwrap_or(1.0);
        group.shares[0].min(stated)
    });
    let least = if from_zero {
        0.0
    } else {
        least.fold(1.0, f64::min)
    };
    let names: Vec<String> = groups.iter().map(|group| group.name.clone()).collect();
    let y = Axis::shares(name, least, ROOM);
    let mut panel = Panel::new("", Axis::names("", &names), y);
    for (at, group) in groups.iter().enumerate() {
        draw(&mut panel, at as f64, group);
    }
    panel
}

fn draw(panel: &mut Panel, x: f64, group: &Group) {
    let color = group.look.color;
    let Some(summary) = group.summary() else {
        return;
    };
    let [lower, median, upper] =
        [summary.lower, summary.median, summary.upper].map(Quantile::drawn);
    let [low, high] = group.whiskers();
    let field = [(x - HALF, lower, upper), (x + HALF, lower, upper)];
    panel.layers.push(Layer::Band {
        color,
        points: field.to_vec(),
    });
    let line = |points: &[(f64, f64)]| Layer::Line {
        color,
        points: points.to_vec(),
    };
    let [left, right] = [x - HALF, x + HALF];
    panel.layers.extend([
        line(&[
            (left, lower),
            (left, upper),
            (right, upper),
            (right, lower),
            (left, lower),
        ]),
        line(&[(left, median), (right, median)]),
        line(&[(x, upper), (x, high)]),
        line(&[(x, lower), (x, low)]),
        line(&[(x - HALF / 2.0, high), (x + HALF / 2.0, high)]),
        line(&[(x - HALF / 2.0, low), (x + HALF / 2.0, low)]),
    ]);
    let cross = Look {
        color,
        marker: Marker::Plus,
    };
    marks(
        panel,
        cross,
        false,
        group.points().iter().map(|share| (x, *share)).collect(),
    );
    let mean = Look {
        marker: Marker::Diamond,
        color,
    };
    marks(panel, mean, false, vec![(x - BESIDE, group.mean())]);
    let stated = group.stated.map(|stated| (x + BESIDE, stated));
    marks(panel, PAPER, true, stated.into_iter().collect());
    say_means(panel, x, group);
}

/// The means in words, above everything else.
fn say_means(panel: &mut Panel, x: f64, group: &Group) {
    let rounded = |share: f64| percent((share * 1e4).round() / 1e4);
    let mut words = vec![format!("mean {}", rounded(group.mean()))];
    words.extend(
        group
            .stated
            .map(|stated| format!("paper {}", rounded(stated))),
    );
    let (low, high) = (panel.y.low(), panel.y.high());
    for (line, text) in words.into_iter().enumerate() {
        let y = high - (high - low) * (0.07 + 0.055 * line as f64);
        panel.say((x, y), Side::Above, text, BLACK);
    }
}

fn marks(panel: &mut Panel, look: Look, is_open: bool, points: Vec<(f64, f64)>) {
    panel.layers.push(Layer::Marks {
        look,
        is_open,
        points,
    });
}

/// What the signs mean.
pub fn legend(groups: &[Group]) -> Vec<Entry> {
    let grey = |marker| Look {
        color: super::style::GREY,
        marker,
    };
    let mut entries = vec![
        Entry::new(
            Sign::Band,
            "from the lower to the upper quartile, with the median",
        ),
        Entry::new(
            Sign::Mark(grey(Marker::Plus), false),
            "beyond the 5th and the 95th percentile",
        ),
        Entry::new(Sign::Mark(grey(Marker::Diamond), false), "mean"),
    ];
    if groups.iter().any(|group| group.stated.is_some()) {
        entries.push(Entry::new(Sign::Mark(PAPER, true), "mean in the paper"));
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
        "mean in the paper",
    ];
    let rows = groups.iter().filter_map(|group| {
        let summary = group.summary()?;
        let last = group.shares[group.shares.len() - 1];
        let numbers = [
            group.shares[0],
            summary.lower.drawn(),
            summary.median.drawn(),
            summary.upper.drawn(),
            last,
            group.mean(),
        ];
        let mut row = vec![group.name.clone(), group.shares.len().to_string()];
        row.extend(numbers.map(|number| digits(number, 5)));
        row.push(
            group
                .stated
                .map_or_else(String::new, |stated| digits(stated, 5)),
        );
        Some(row)
    });
    Table {
        columns: columns.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }
}
