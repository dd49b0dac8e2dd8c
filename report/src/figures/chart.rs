//! What a figure consists of: panels with axes, and on them bands, lines, points, bars and words.

use plotters::style::RGBColor;

use super::axis::Axis;
use super::style::Look;

/// All that a figure shows.
#[derive(Clone, Debug)]
pub struct Plot {
    /// What is shown.
    pub title: String,
    /// Of how many histories, and how to read it.
    pub subtitle: String,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
    /// How many of them are beside each other.
    pub columns: usize,
    /// Width and height of each, in pixels.
    pub panel_size: (i32, i32),
    /// What the signs mean.
    pub legend: Vec<Entry>,
}

/// A part of a figure, with axes of its own.
#[derive(Clone, Debug)]
pub struct Panel {
    /// What is special about it; may be empty.
    pub heading: String,
    /// Below.
    pub x: Axis,
    /// At the left.
    pub y: Axis,
    /// Whether lines go up from the labels of the axis below.
    pub has_columns: bool,
    /// Whether lines go right from the labels of the axis at the left.
    pub has_rows: bool,
    /// What is drawn, from back to front.
    pub layers: Vec<Layer>,
    /// How many runs were cut off, above the panel, a row a series.
    pub counts: Vec<Counts>,
}

/// How many runs of a series were cut off at which places.
#[derive(Clone, Debug)]
pub struct Counts {
    /// How the series looks.
    pub look: Look,
    /// Place and number.
    pub at: Vec<(f64, usize)>,
}

/// Something that is drawn on a panel.
#[derive(Clone, Debug)]
pub enum Layer {
    /// From a lower to an upper line.
    Band {
        /// Its colour.
        color: RGBColor,
        /// Place, lower and upper end.
        points: Vec<(f64, f64, f64)>,
    },
    /// A line through points.
    Line {
        /// Its colour.
        color: RGBColor,
        /// The points.
        points: Vec<(f64, f64)>,
    },
    /// Points.
    Marks {
        /// How they look.
        look: Look,
        /// Whether they are empty inside.
        is_open: bool,
        /// Where they are.
        points: Vec<(f64, f64)>,
    },
    /// A bar from a place to another, from a number to another.
    Bar {
        /// Its colour; white with a dark edge if there is none.
        color: Option<RGBColor>,
        /// From and to.
        across: (f64, f64),
        /// From and to.
        up: (f64, f64),
    },
    /// Words.
    Words {
        /// Where they belong to.
        at: (f64, f64),
        /// On which side of that.
        side: Side,
        /// The words.
        text: String,
        /// Their colour.
        color: RGBColor,
    },
    /// A dashed line from left to right. The legend says what it is: words beside it would be on top of curves.
    Rule {
        /// At which number.
        at: f64,
        /// What it stands for.
        stands_for: Rule,
    },
}

/// What a dashed line stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A limit that cuts runs off.
    Limit,
    /// A number that a paper states.
    Stated,
}

/// On which side of their place words are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Above it.
    Above,
    /// Right of it.
    Right,
    /// On it.
    Middle,
}

/// A line of the legend.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The sign.
    pub sign: Sign,
    /// What it means.
    pub meaning: String,
}

/// A sign in the legend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sign {
    /// A line with points.
    Series(Look),
    /// Points alone, filled or empty.
    Mark(Look, bool),
    /// A field of a band's colour.
    Band,
    /// A bar; without colour white with a dark edge.
    Bar(Option<RGBColor>),
    /// A bar with a mark.
    MarkedBar(Look),
    /// A dashed line.
    Rule(Rule),
}

impl Entry {
    /// A line of the legend.
    pub fn new(sign: Sign, meaning: impl Into<String>) -> Entry {
        Entry {
            sign,
            meaning: meaning.into(),
        }
    }
}

impl Panel {
    /// An empty one.
    pub fn new(heading: impl Into<String>, x: Axis, y: Axis) -> Panel {
        Panel {
            heading: heading.into(),
            x,
            y,
            has_columns: false,
            has_rows: true,
            layers: Vec::new(),
            counts: Vec::new(),
        }
    }

    /// Words on one side of a place.
    pub fn say(&mut self, at: (f64, f64), side: Side, text: String, color: RGBColor) {
        self.layers.push(Layer::Words {
            at,
            side,
            text,
            color,
        });
    }
}
