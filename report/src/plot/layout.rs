//! Computes the size of a figure and the positions of its parts.

use super::chart::{LegendEntry, Panel, Plot};
use super::font::{Face, LABEL};

/// Space between the edge and the content, in pixels.
pub const MARGIN: i32 = 14;

/// Height of a row of time-outs above a panel, in pixels.
pub const TIMEOUT_HEIGHT: i32 = 14;

/// Height of a line of the legend, in pixels.
const LEGEND_HEIGHT: i32 = 19;

/// Width of a symbol in the legend with the room behind it, in pixels.
const SYMBOL_WIDTH: i32 = 32;

/// Space between two entries of the legend, in pixels.
const GAP: i32 = 18;

/// The positions of the parts of a figure, in pixels.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Width and height of the figure.
    pub size: (i32, i32),
    /// Title and subtitle.
    pub lines: Vec<Line>,
    /// The upper left corner of each panel.
    pub panels: Vec<(i32, i32)>,
    /// Width of a panel, with its labels.
    pub panel_width: i32,
    /// Width of the labels at the left of a panel.
    pub label_width: i32,
    /// Width of the names of curves at the right of a panel, with the margin.
    pub end_width: i32,
    /// Height of the labels below.
    pub axis_height: i32,
    /// Height of the heading and of the time-outs above a chart.
    pub above_panel: i32,
    /// Height of a chart with the labels below.
    pub chart_height: i32,
    /// The entries of the legend, and the left end of each at its middle.
    pub legend: Vec<Placed>,
}

/// An entry of the legend, and the left end of its middle.
pub type Placed = (LegendEntry, (i32, i32));

/// A line of text.
#[derive(Clone, Debug)]
pub struct Line {
    /// The text.
    pub text: String,
    /// The face.
    pub face: Face,
    /// The upper left corner.
    pub at: (i32, i32),
}

impl Layout {
    /// Computes the layout of a plot with its title.
    pub fn of(title: &str, plot: &Plot) -> Layout {
        let columns = plot.columns.clamp(1, plot.panels.len().max(1)) as i32;
        let (panel_width, panel_height) = plot.panel_size;
        let width = columns * panel_width + 2 * MARGIN;
        let (lines, top) = headlines(title, plot, width - 2 * MARGIN);
        let any_heading = plot.panels.iter().any(|panel| !panel.heading.is_empty());
        let timeouts = plot.panels.iter().map(|panel| panel.timeouts.len());
        let timeouts = timeouts.max().unwrap_or(0) as i32 * TIMEOUT_HEIGHT;
        let above_panel = timeouts + if any_heading { 22 } else { 0 };
        let row_height = above_panel + panel_height + 10;
        let place = |at: usize| {
            let (row, column) = (at as i32 / columns, at as i32 % columns);
            (MARGIN + column * panel_width, top + row * row_height)
        };
        let panels: Vec<(i32, i32)> = (0..plot.panels.len()).map(place).collect();
        let bottom = panels.last().map_or(top, |(_, y)| y + row_height);
        let (legend, height) = legend(&plot.legend, bottom, width);
        Layout {
            size: (width, height + MARGIN / 2),
            lines,
            panels,
            panel_width,
            label_width: label_width(&plot.panels),
            end_width: end_width(&plot.panels),
            axis_height: 42,
            above_panel,
            chart_height: panel_height,
            legend,
        }
    }
}

/// Title and subtitle, and where what follows begins.
fn headlines(title: &str, plot: &Plot, width: i32) -> (Vec<Line>, i32) {
    let bold = LABEL.bold().sized(15.0);
    let subtitle = LABEL.sized(11.0);
    let mut lines = Vec::new();
    let mut y = 10;
    for (text, face, height) in [(title, bold, 21), (&*plot.subtitle, subtitle, 16)] {
        for text in face.wrap(text, width) {
            let at = (MARGIN, y);
            lines.push(Line { text, face, at });
            y += height;
        }
    }
    (lines, y + 8)
}

/// Width of the widest label of any panel and the name of the axis, or of the words beside the time-outs.
fn label_width(panels: &[Panel]) -> i32 {
    let labels = panels.iter().flat_map(|panel| panel.y.labels());
    let widest = labels.map(|label| LABEL.width(label)).max().unwrap_or(0);
    let has_timeouts = panels.iter().any(|panel| !panel.timeouts.is_empty());
    let for_timeouts = if has_timeouts { 76 } else { 0 };
    (widest + 32).max(for_timeouts)
}

/// Width of the longest name at the end of a curve with its marker, and of the margin.
fn end_width(panels: &[Panel]) -> i32 {
    let labels = panels.iter().flat_map(|panel| &panel.end_labels);
    let widest = labels.map(|label| LABEL.width(&label.text) + 20).max();
    widest.unwrap_or(0) + MARGIN
}

/// The entries in as many lines as they need, and where the last one ends.
fn legend(entries: &[LegendEntry], top: i32, width: i32) -> (Vec<Placed>, i32) {
    let (mut x, mut y) = (MARGIN, top + LEGEND_HEIGHT / 2);
    let mut placed = Vec::new();
    for entry in entries {
        let length = SYMBOL_WIDTH + LABEL.width(&entry.meaning);
        if x > MARGIN && x + length > width - MARGIN {
            (x, y) = (MARGIN, y + LEGEND_HEIGHT);
        }
        placed.push((entry.clone(), (x, y)));
        x += length + GAP;
    }
    let end = if placed.is_empty() { top } else { y + LEGEND_HEIGHT / 2 };
    (placed, end)
}
