//! Panels of bars: our numbers beside published ones.

use super::axis::Axis;
use super::chart::{Layer, LegendEntry, Panel, Side, Symbol};
use super::style::{BLACK, Style};
use crate::statistics::Share;
use plotters::style::WHITE;

/// Share of a group's width that its bars take.
const FILLED: f64 = 0.92;

/// Largest share of a group's width that one bar takes.
const WIDEST: f64 = 0.46;

/// Height of the marks on bars above the axis, as a part of its length.
const FOOT: f64 = 0.05;

/// A bar.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bar {
    /// The height of the bar; `None` if there is nothing to show.
    pub height: Option<f64>,
    /// The text above the bar.
    pub text: String,
    /// The style of the bar; `None` for a published number, which is white with a dark edge.
    pub style: Option<Style>,
    /// The ends of the interval in which the height lies, drawn as a whisker.
    pub interval: Option<(f64, f64)>,
}

impl Bar {
    /// A bar of a share that was counted, with its 95 % confidence interval.
    pub(crate) fn of_share(share: Share, text: String, style: Style) -> Bar {
        let interval = share.interval();
        Bar {
            height: share.known(),
            text,
            style: Some(style),
            interval: Some((interval.low, interval.high)),
        }
    }
}

/// Explains the whiskers of bars of shares in a subtitle.
pub(crate) const INTERVALS: &str = "whiskers: 95 % intervals (Wilson)";

/// Groups of bars, each with its name.
pub(crate) type Groups = Vec<(String, Vec<Bar>)>;

/// Makes a panel with bars on an axis. Each group has the same room for each of its bars.
pub(crate) fn panel(heading: &str, name: &str, groups: &Groups, y: Axis) -> Panel {
    let names: Vec<String> = groups.iter().map(|(name, _)| name.clone()).collect();
    let mut panel = Panel::new(heading, Axis::names(name, &names), y);
    for (across, bar) in placed(groups) {
        draw(&mut panel, across, bar);
    }
    panel
}

/// Draws the marker of each algorithm on its bar, since there are more algorithms than colours.
pub(crate) fn add_markers(panel: &mut Panel, groups: &Groups) {
    let low = panel.y.low();
    let foot = (panel.y.high() - low) * FOOT;
    for ((left, right), bar) in placed(groups) {
        let is_high = bar.height.is_some_and(|height| height > low + 2.0 * foot);
        if let Some(style) = bar.style.filter(|_| is_high) {
            let foot = ((left + right) / 2.0, low + foot);
            panel.add_marks(on_bar(style), false, vec![foot]);
        }
    }
}

/// The style of a mark on a bar that has the mark's colour.
pub(crate) fn on_bar(style: Style) -> Style {
    Style { color: WHITE, ..style }
}

/// Places the bars: each with its left and its right end.
fn placed(groups: &Groups) -> impl Iterator<Item = ((f64, f64), &Bar)> {
    groups.iter().enumerate().flat_map(|(at, (_, bars))| {
        let width = (FILLED / bars.len().max(1) as f64).min(WIDEST);
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
    if height > low {
        panel.layers.push(Layer::Bar {
            color: bar.style.map(|style| style.color),
            across,
            up: (low, height),
        });
    }
    let middle = (across.0 + across.1) / 2.0;
    let interval = bar.interval.filter(|_| bar.height.is_some());
    if let Some((lower, upper)) = interval {
        panel.layers.push(Layer::Whiskers { color: BLACK, points: vec![(middle, lower, upper)] });
    }
    let top = interval.map_or(height, |(_, upper)| upper.max(height));
    panel.add_text((middle, top), Side::Above, bar.text.clone(), BLACK);
}

/// Height of a panel of bars that stands alone, in pixels.
pub(crate) const HEIGHT: i32 = 230;

/// Makes the legend entry for bars of a style, or, without style, for published numbers.
pub(crate) fn entry(style: Option<Style>, meaning: &str) -> LegendEntry {
    LegendEntry::new(style.map_or(Symbol::Bar(None), Symbol::MarkedBar), meaning)
}
