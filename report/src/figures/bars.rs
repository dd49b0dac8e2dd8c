//! Panels of bars: numbers of a few things side by side, beside those of the papers.

use super::axis::Axis;
use super::chart::{Entry, Layer, Panel, Side, Sign};
use super::font::LABEL;
use super::style::{BLACK, Look};
use plotters::style::WHITE;

/// How much of the room between two groups their bars take.
const FULL: f64 = 0.84;

/// How much of it one bar takes at most.
const WIDEST: f64 = 0.42;

/// How high above the axis the marks of bars are, as a part of it.
const FOOT: f64 = 0.05;

/// A bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// How high it is; none if there is nothing to show.
    pub height: Option<f64>,
    /// What is written above it.
    pub text: String,
    /// Its colour; white with a dark edge for what a paper states.
    pub look: Option<Look>,
}

/// Groups of bars, each with its name.
pub type Groups = Vec<(String, Vec<Bar>)>;

/// A panel with bars on an axis. Each group has the same room for each of its bars.
pub fn panel(heading: &str, name: &str, groups: &Groups, y: Axis) -> Panel {
    let names: Vec<String> = groups.iter().map(|(name, _)| name.clone()).collect();
    let mut panel = Panel::new(heading, Axis::names(name, &names), y);
    for (across, bar) in placed(groups) {
        draw(&mut panel, across, bar);
    }
    panel
}

/// Draws the mark of each on the foot of a bar: there are more algorithms than colours.
pub fn mark(panel: &mut Panel, groups: &Groups) {
    let low = panel.y.low();
    let foot = (panel.y.high() - low) * FOOT;
    for ((left, right), bar) in placed(groups) {
        let is_high = bar.height.is_some_and(|height| height > low + 2.0 * foot);
        if let Some(look) = bar.look.filter(|_| is_high) {
            panel.layers.push(Layer::Marks {
                look: on_bar(look),
                is_open: false,
                points: vec![((left + right) / 2.0, low + foot)],
            });
        }
    }
}

/// How the mark of something looks on a bar of its colour.
pub fn on_bar(look: Look) -> Look {
    Look {
        color: WHITE,
        ..look
    }
}

/// The bars, each with its left and its right end.
fn placed(groups: &Groups) -> impl Iterator<Item = ((f64, f64), &Bar)> {
    groups.iter().enumerate().flat_map(|(at, (_, bars))| {
        let width = (FULL / bars.len().max(1) as f64).min(WIDEST);
        let start = at as f64 - width * bars.len() as f64 / 2.0;
        bars.iter().enumerate().map(move |(place, bar)| {
            let left = start + width * place as f64;
            ((left + width * 0.04, left + width * 0.96), bar)
        })
    })
}

fn draw(panel: &mut Panel, across: (f64, f64), bar: &Bar) {
    let low = panel.y.low();
    let height = bar.height.unwrap_or(low);
    if bar.height.is_some() {
        panel.layers.push(Layer::Bar {
            color: bar.look.map(|look| look.color),
            across,
            up: (low, height),
        });
    }
    let middle = (across.0 + across.1) / 2.0;
    panel.say((middle, height), Side::Above, bar.text.clone(), BLACK);
}

/// How large a panel with these is: wide enough for what is written below and above them.
pub fn size(groups: &Groups) -> (i32, i32) {
    let words = groups.iter().map(|(name, bars)| {
        let above = bars.iter().map(|bar| LABEL.width(&bar.text));
        LABEL.width(name).max(above.sum())
    });
    let widest = words.max().unwrap_or(0) + 16;
    ((80 + widest * groups.len() as i32).max(640), 320)
}

/// A line of the legend for bars that are marked so, or without look for what a paper states.
pub fn entry(look: Option<Look>, meaning: &str) -> Entry {
    Entry::new(look.map_or(Sign::Bar(None), Sign::MarkedBar), meaning)
}
