//! The parts of a figure: panels with axes, and on them bands, lines, points, bars and text.

use plotters::style::RGBColor;

use super::axis::Axis;
use super::style::Style;

/// A figure that can be drawn, with the numbers that it shows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plot {
    /// The finding, which is the title: what the numbers show, in one sentence without its full stop. Empty if they
    /// show nothing definite.
    pub finding: String,
    /// The line below the title: the number of histories, and how to read the figure.
    pub subtitle: String,
    /// The panels, from top to bottom: a figure is as wide as a column of a paper.
    pub panels: Vec<Panel>,
    /// Height of the chart of each panel, without the labels below, in pixels.
    pub panel_height: i32,
    /// The legend, below the panels.
    pub legend: Vec<LegendEntry>,
    /// The numbers that are drawn.
    pub table: Table,
}

/// Numbers as text, in rows and columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The headings of the columns.
    pub columns: Vec<String>,
    /// The rows, each with a cell for each column.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these column headings.
    pub fn new(columns: &[&str], rows: Vec<Vec<String>>) -> Table {
        let columns = columns.iter().map(|&column| column.to_owned());
        Table { columns: columns.collect(), rows }
    }
}

/// Removes the name of the horizontal axis from all panels but the last, for panels that have the same axis.
pub(crate) fn share_axis_name(panels: &mut [Panel]) {
    if let Some((_, others)) = panels.split_last_mut() {
        others.iter_mut().for_each(|panel| panel.x.name.clear());
    }
}

/// A part of a figure, with axes of its own.
#[derive(Clone, Debug)]
pub(crate) struct Panel {
    /// The heading; may be empty.
    pub heading: String,
    /// The horizontal axis, below the chart.
    pub x: Axis,
    /// The vertical axis, to the left of the chart.
    pub y: Axis,
    /// Whether grid lines go up from the labels of the horizontal axis.
    pub has_columns: bool,
    /// Whether grid lines go right from the labels of the vertical axis.
    pub has_rows: bool,
    /// The layers of the chart, from back to front.
    pub layers: Vec<Layer>,
    /// Rows of numbers above the panel, such as the runs that timed out.
    pub above: Vec<NumbersAbove>,
    /// The names of series at the right, each beside the end of its curve.
    pub end_labels: Vec<EndLabel>,
}

/// A row of numbers above a panel, each at its place on the horizontal axis.
#[derive(Clone, Debug)]
pub(crate) struct NumbersAbove {
    /// The name of the row, which stands at its left.
    pub name: &'static str,
    /// The style of the marker behind the name, and the colour of the numbers.
    pub style: Style,
    /// Whether the marker is open.
    pub is_open: bool,
    /// The numbers as text, each with its place on the horizontal axis.
    pub at: Vec<(f64, String)>,
}

impl NumbersAbove {
    /// The row of the numbers of runs that did not end; `None` if all ended.
    pub(crate) fn not_ended(
        style: Style,
        at: impl Iterator<Item = (f64, usize)>,
    ) -> Option<NumbersAbove> {
        let at = at.filter(|(_, number)| *number > 0);
        let at: Vec<(f64, String)> = at.map(|(x, number)| (x, number.to_string())).collect();
        let row = NumbersAbove { name: "not ended", style, is_open: true, at };
        (!row.at.is_empty()).then_some(row)
    }
}

/// The name of a series, beside the end of its curve.
#[derive(Clone, Debug)]
pub(crate) struct EndLabel {
    /// The style of the series.
    pub style: Style,
    /// The number at which the curve ends.
    pub y: f64,
    /// The name of the curve that ends here.
    pub text: String,
}

/// A part of a panel that is drawn on its chart.
#[derive(Clone, Debug)]
pub(crate) enum Layer {
    /// A rectangle filled with a lighter shade of the colour of its edge.
    Box {
        /// The colour of the edge.
        color: RGBColor,
        /// The positions of its left and right ends on the x axis.
        across: (f64, f64),
        /// The positions of its lower and upper ends on the y axis.
        up: (f64, f64),
    },
    /// Upright strokes from a lower to an upper end.
    Whiskers {
        /// The colour of the strokes.
        color: RGBColor,
        /// The place of each stroke on the x axis, and its lower and upper end on the y axis.
        points: Vec<(f64, f64, f64)>,
    },
    /// A line through points.
    Line {
        /// The colour of the line.
        color: RGBColor,
        points: Vec<(f64, f64)>,
    },
    /// Points.
    Marks {
        /// The style of the points.
        style: Style,
        /// Whether the points are open.
        is_open: bool,
        /// The positions of the points.
        points: Vec<(f64, f64)>,
    },
    Bar {
        /// The colour of the bar; `None` for a white bar with a dark edge.
        color: Option<RGBColor>,
        /// The positions of its left and right ends on the x axis.
        across: (f64, f64),
        /// The positions of its lower and upper ends on the y axis.
        up: (f64, f64),
    },
    Text {
        /// The place that the text belongs to.
        at: (f64, f64),
        /// The side of that place on which the text is.
        side: Side,
        text: String,
        /// The colour of the text.
        color: RGBColor,
    },
    /// Texts near their points. Each is placed where it covers no other text and no mark, with a line to its point if
    /// it is not beside it. A text for which there is no such place is left out.
    Notes {
        /// Points and texts, the most important first.
        notes: Vec<((f64, f64), String)>,
        /// The colour of the texts.
        color: RGBColor,
    },
    /// A dashed line from left to right. The legend explains it: text beside it would cover curves.
    Reference {
        /// The number on the y axis at which the line is.
        at: f64,
        /// The meaning of the line.
        kind: Reference,
    },
}

/// The meaning of a dashed line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reference {
    /// The time limit of runs.
    Limit,
    /// A published number.
    Published,
}

/// The side of its place on which a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Above the place.
    Above,
    /// Right of the place.
    Right,
    /// Centered on the place.
    Center,
}

/// An entry of the legend.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LegendEntry {
    pub symbol: Symbol,
    /// The meaning of the symbol.
    pub meaning: String,
}

/// A symbol in the legend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Symbol {
    /// A line with points.
    Series(Style),
    /// Points alone, filled or open.
    Mark(Style, bool),
    /// The field of a box.
    Box,
    /// An upright stroke.
    Whisker,
    /// A bar; without colour white with a dark edge.
    Bar(Option<RGBColor>),
    /// A bar with a mark.
    MarkedBar(Style),
    /// A dashed line.
    Reference(Reference),
}

impl LegendEntry {
    /// An entry of the legend.
    pub(crate) fn new(symbol: Symbol, meaning: impl Into<String>) -> LegendEntry {
        LegendEntry { symbol, meaning: meaning.into() }
    }
}

impl Panel {
    /// An empty panel.
    pub(crate) fn new(heading: impl Into<String>, x: Axis, y: Axis) -> Panel {
        Panel {
            heading: heading.into(),
            x,
            y,
            has_columns: false,
            has_rows: true,
            layers: Vec::new(),
            above: Vec::new(),
            end_labels: Vec::new(),
        }
    }

    /// Adds text on one side of a place.
    pub(crate) fn add_text(&mut self, at: (f64, f64), side: Side, text: String, color: RGBColor) {
        self.layers.push(Layer::Text { at, side, text, color });
    }

    /// Adds points.
    pub(crate) fn add_marks(&mut self, style: Style, is_open: bool, points: Vec<(f64, f64)>) {
        self.layers.push(Layer::Marks { style, is_open, points });
    }
}
