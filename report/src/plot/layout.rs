//! Computes the size of a figure and the positions of its parts.
//!
//! Every figure has the same width, that of a column of a paper, so that its text has the same size in all of them. Panels stand below
//! each other.

use super::chart::{LegendEntry, Panel, Plot};
use super::font::{Face, LABEL};

/// Space between the edge and the content, in pixels.
pub(super) const MARGIN: i32 = 14;

/// Width of a panel with its labels, in pixels. With the margins it is 84 mm where [`LABEL`] is six points.
const PANEL_WIDTH: i32 = 424;

/// Height of a row of numbers above a panel, in pixels.
pub(super) const ROW_ABOVE: i32 = 14;

/// Space above a chart, in pixels.
pub(super) const TOP: i32 = 4;

/// Height of the name of the axis below a chart, in pixels.
pub(super) const AXIS_NAME: i32 = 18;

/// Height of the labels of the axis below a chart with their tick marks, in pixels, if they are not upright.
const AXIS_LABELS: i32 = 22;

/// Space between two panels, in pixels.
const BETWEEN: i32 = 8;

/// Height of a line of the legend, in pixels.
const LEGEND_HEIGHT: i32 = 19;

/// Width of a symbol in the legend with the space after it, in pixels.
const SYMBOL_WIDTH: i32 = 32;

/// Space between two entries of the legend, in pixels.
const GAP: i32 = 18;

/// The positions of the parts of a figure, in pixels.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Width and height of the figure.
    pub size: (i32, i32),
    /// The lines of the title and the subtitle.
    pub lines: Vec<Line>,
    pub panels: Vec<PlacedPanel>,
    /// Width of a panel, with its labels.
    pub panel_width: i32,
    /// Width of the labels at the left of a panel.
    pub label_width: i32,
    /// Width of the names of curves at the right of a panel, with the margin.
    pub end_width: i32,
    /// The entries of the legend with their positions.
    pub legend: Vec<Placed>,
}

/// The position and the measures of a panel, in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedPanel {
    /// The upper left corner of the panel.
    pub at: (i32, i32),
    /// Height of the heading and of the numbers above the chart.
    pub above: i32,
    /// Height of the chart with the labels below.
    pub chart_height: i32,
    /// Height of the labels below the chart.
    pub axis_height: i32,
    /// Whether the labels below the chart are upright.
    pub has_upright_labels: bool,
}

/// An entry of the legend, with the position of the middle of its left edge.
pub(super) type Placed = (LegendEntry, (i32, i32));

/// A line of text.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub text: String,
    pub face: Face,
    /// The upper left corner.
    pub at: (i32, i32),
}

impl Layout {
    /// Computes the layout of a plot with its title.
    pub(super) fn of(title: &str, plot: &Plot) -> Layout {
        let width = PANEL_WIDTH + 2 * MARGIN;
        let (lines, top) = headlines(title, plot, PANEL_WIDTH);
        let mut layout = Layout {
            size: (width, 0),
            lines,
            panels: Vec::new(),
            panel_width: PANEL_WIDTH,
            label_width: label_width(&plot.panels),
            end_width: end_width(&plot.panels),
            legend: Vec::new(),
        };
        let mut bottom = top;
        for panel in &plot.panels {
            let placed = layout.placed(panel, plot.panel_height, bottom);
            bottom += placed.above + placed.chart_height + BETWEEN;
            layout.panels.push(placed);
        }
        let (legend, height) = legend(&plot.legend, bottom, width);
        layout.legend = legend;
        layout.size.1 = height + MARGIN / 2;
        layout
    }

    /// Width of a chart without its labels.
    pub(super) fn chart_width(&self) -> i32 {
        self.panel_width - self.label_width - self.end_width
    }

    /// Places a panel whose upper edge is at `top`.
    fn placed(&self, panel: &Panel, height: i32, top: i32) -> PlacedPanel {
        let has_upright_labels = panel.x.needs_upright_labels(self.chart_width());
        let labels = if has_upright_labels {
            panel.x.labels().map(|label| LABEL.width(label)).max().unwrap_or(0) + 12
        } else {
            AXIS_LABELS
        };
        let axis_height = labels + if panel.x.name.is_empty() { 0 } else { AXIS_NAME };
        let heading = if panel.heading.is_empty() { 0 } else { 20 };
        PlacedPanel {
            at: (MARGIN, top),
            above: heading + panel.above.len() as i32 * ROW_ABOVE,
            chart_height: TOP + height + axis_height,
            axis_height,
            has_upright_labels,
        }
    }
}

/// Places the title and the subtitle, and returns the height at which the panels begin.
fn headlines(title: &str, plot: &Plot, width: i32) -> (Vec<Line>, i32) {
    let bold = LABEL.bold().sized(14.0);
    let subtitle = LABEL.sized(11.0);
    let mut lines = Vec::new();
    let mut y = 10;
    for (text, face, height) in [(title, bold, 20), (&*plot.subtitle, subtitle, 16)] {
        for text in face.wrap(text, width) {
            let at = (MARGIN, y);
            lines.push(Line { text, face, at });
            y += height;
        }
    }
    (lines, y + 8)
}

/// Width of the widest label of a left axis, or of the words beside the numbers above the panels, in pixels; an axis with a name
/// takes more.
fn label_width(panels: &[Panel]) -> i32 {
    let labels = panels.iter().flat_map(|panel| panel.y.labels());
    let widest = labels.map(|label| LABEL.width(label)).max().unwrap_or(0);
    let has_name = panels.iter().any(|panel| !panel.y.name.is_empty());
    let has_rows_above = panels.iter().any(|panel| !panel.above.is_empty());
    let for_rows_above = if has_rows_above { 76 } else { 0 };
    (widest + if has_name { 32 } else { 12 }).max(for_rows_above)
}

/// Width that the longest name at the end of a curve needs with its marker, or else the margin at the right.
fn end_width(panels: &[Panel]) -> i32 {
    let labels = panels.iter().flat_map(|panel| &panel.end_labels);
    let widest = labels.map(|label| LABEL.width(&label.text) + 20).max();
    // Half of the last number below a chart may be beyond the chart's edge; names are centred below their columns and
    // fit.
    let has_numbers = panels.iter().any(|panel| !panel.x.has_names());
    widest.unwrap_or(if has_numbers { MARGIN } else { 0 })
}

/// Places the entries in as many lines as they need, and returns the height at which the last line ends.
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
