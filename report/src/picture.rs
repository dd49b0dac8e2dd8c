//! Draws a few operations of a history: threads are columns, time goes down, and arrows show which operation comes before which, and why.
//!
//! [`svg`] draws a [`Picture`], [`dot`] writes it for Graphviz, and [`crate::page::explained`] shows it on a page with its explanations.
//! Each operation is a box in a row of its own. `routes` chooses how arrows go around the boxes, and `layout` computes coordinates. `paths`
//! draws arrows, `states` the tables of cache lines, `lists` the steps before a crash, and `render` the rest. Colours are those of Okabe
//! and Ito; kinds of arrows also differ in their dashes.
//!
//! ```
//! use report::picture::{Arrow, Operation, Picture, Relation, Weight, svg};
//!
//! let operation = |column, label: &str, text: &str| Operation {
//!     column, label: label.to_owned(), text: text.to_owned(), place: String::new(),
//! };
//! let picture = Picture {
//!     title: "A read from the future".to_owned(),
//!     columns: vec!["thread 0".to_owned()],
//!     operations: vec![operation(0, "T0:0", "load x == 1"), operation(0, "T0:1", "store x := 1")],
//!     arrows: vec![
//!         Arrow { from: 0, to: 1, relation: Relation::ProgramOrder, letter: None, weight: Weight::Strong },
//!         Arrow { from: 1, to: 0, relation: Relation::ReadsFrom, letter: None, weight: Weight::Strong },
//!     ],
//!     ..Picture::default()
//! };
//! assert!(svg(&picture).contains("load x == 1"));
//! ```

mod layout;
mod lists;
mod markup;
mod paths;
mod render;
mod routes;
mod states;
pub mod timeline;
mod write;

pub use certify::rule::Relation;
pub use markup::escaped;
pub use render::svg;
pub(crate) use render::{drawing, wrapped};
pub use write::dot;

/// A picture, independent of its format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// Title, as plain text.
    pub title: String,
    /// Sentences below the title.
    pub lead: Vec<String>,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The boxes, from top to bottom.
    pub operations: Vec<Operation>,
    /// The arrows between boxes.
    pub arrows: Vec<Arrow>,
    /// The reasons of arrows with a letter: the letter and the reason.
    pub reasons: Vec<(String, String)>,
    /// The state changes of the cache lines during the operations.
    pub lines: Vec<CacheLine>,
    /// The steps before the run ended.
    pub lists: Vec<List>,
    /// All operations over time, which a page shows where there are too many to draw with arrows.
    pub timeline: Option<timeline::Timeline>,
    /// Sentences below everything else, such as assumptions.
    pub notes: Vec<String>,
}

impl Picture {
    /// The relations of the arrows, without faint ones.
    fn relations(&self) -> impl Iterator<Item = Relation> {
        Relation::ALL.into_iter().filter(|&relation| {
            let mut arrows = self.arrows.iter();
            arrows.any(|arrow| arrow.relation == relation && arrow.weight != Weight::Faint)
        })
    }

    /// The reason of an arrow, or else the meaning of its relation.
    fn reason(&self, arrow: &Arrow) -> &str {
        let letter = arrow.letter.as_deref();
        let mut reasons = self.reasons.iter();
        let found = reasons.find(|(own, _)| Some(own.as_str()) == letter);
        found.map_or(arrow.relation.meaning(), |(_, text)| text)
    }
}

/// An operation in a box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The column of the operation.
    pub column: usize,
    /// The short name of the operation, such as `T0:12`.
    pub label: String,
    /// The operation as text.
    pub text: String,
    /// The tick and line of the operation in the trace.
    pub place: String,
}

/// An arrow from one box to another, by their rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// The row of the box that comes first.
    pub from: usize,
    /// The row of the box that comes after it.
    pub to: usize,
    /// The relation between the two.
    pub relation: Relation,
    /// The letter of the arrow's reason, if it has one.
    pub letter: Option<String>,
    /// How prominently the arrow is drawn.
    pub weight: Weight,
}

/// How prominently an arrow is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// The arrow is part of the cycle.
    Strong,
    /// The arrow is a reason for others.
    Plain,
    /// The arrow is for orientation only, and has no label.
    Faint,
}

/// The style of the arrows of a relation: a colour of Okabe and Ito, and a dash pattern.
struct ArrowStyle {
    color: &'static str,
    /// The name of the line style in Graphviz.
    line: &'static str,
    /// The dashes in SVG.
    dashes: &'static str,
    /// A sample of the line in text.
    sample: &'static str,
}

impl ArrowStyle {
    fn of(relation: Relation) -> ArrowStyle {
        let (color, line, dashes, sample) = match relation {
            Relation::ProgramOrder => ("#000000", "solid", "none", "\u{2014}\u{2014}"),
            Relation::ReadsFrom => ("#007a59", "solid", "none", "\u{2014}\u{2014}"),
            Relation::Coherence => ("#0072b2", "dashed", "7 3", "- - -"),
            Relation::FromReads => ("#d55e00", "dotted", "2 3", "\u{b7} \u{b7} \u{b7} \u{b7}"),
        };
        ArrowStyle { color, line, dashes, sample }
    }
}

/// A list of steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// Title, as plain text.
    pub title: String,
    /// The steps, from first to last.
    pub rows: Vec<ListRow>,
}

/// A row of a list. Its spaces align columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListRow {
    /// The step.
    pub text: String,
    /// Whether this step is the failure.
    pub is_wrong: bool,
}

/// The state changes of a cache line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheLine {
    /// The title, with the address of the line.
    pub title: String,
    /// The names of the controllers.
    pub controllers: Vec<String>,
    /// The state changes and operations, in the order of the trace.
    pub rows: Vec<LineRow>,
    /// The number of transitions that were left out. Rows of their own stand for them where several are missing.
    pub left_out: usize,
    /// The name of a weaker model that allows the operations. Then the transitions that are left out are those by which the caches of
    /// the operations neither get nor lose the line; else they are those farthest from the operations.
    pub allowed_by: Option<String>,
    /// The first violation of the SWMR invariant, as a sentence: a cache may write while another has a permission, too.
    pub swmr_violation: Option<String>,
    /// The violation of the SWMR invariant in a few words, for a title.
    pub finding: Option<String>,
}

impl CacheLine {
    /// Returns a sentence to be shown above the rows if some were left out.
    pub fn omission(&self) -> Option<String> {
        let (count, are) = match self.left_out {
            0 => return None,
            1 => ("1 transition".to_owned(), "is"),
            count => (format!("{count} transitions"), "are"),
        };
        Some(match &self.allowed_by {
            None => format!("{count} farther from these operations {are} left out"),
            Some(model) => format!(
                "{model} allows these operations: {count} by which their caches neither get nor lose the line {are} left out"
            ),
        })
    }
}

/// A state change of a cache line, an operation on it, or a row that stands for several that were left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineRow {
    /// Simulated time, in ticks, where it is known.
    pub tick: Option<u64>,
    /// The line of the trace.
    pub line: Option<u64>,
    /// The event or the operation, as text.
    pub what: String,
    /// The states of the controllers after the row; empty if a state is not known. In a row that stands for transitions
    /// that were left out, a state is the sequence that the controller went through, such as `M → M_I → I`.
    pub states: Vec<String>,
    /// The index of the controller that took the transition; `None` if the row is not a transition.
    pub changed: Option<usize>,
    /// Whether the row is an operation that is not part of the violation.
    pub is_other: bool,
    /// The number of transitions that the row stands for; 0 if it is a transition or an operation.
    pub left_out: usize,
    /// The controllers whose permissions violate the SWMR invariant after the row, in ascending order.
    pub conflicting: Vec<usize>,
    /// Whether the row is the transition by which a cache kept its permission although another cache got one that
    /// excludes it.
    pub is_cause: bool,
    /// The index of the controller that served the operation, if the row is an operation and the controller is known.
    pub served_by: Option<usize>,
    /// The value that the operation wrote or, if it did not write, read.
    pub value: Option<String>,
}

impl LineRow {
    /// Whether the row is an operation of the violation.
    pub fn is_of_violation(&self) -> bool {
        self.changed.is_none() && !self.is_other && self.left_out == 0
    }

    /// The state of a controller after the row. If the controller served the operation, the value follows, as in `M
    /// 0x17`.
    pub fn state(&self, controller: usize) -> String {
        let state = self.states.get(controller).map_or("", String::as_str);
        match &self.value {
            Some(value) if self.served_by == Some(controller) => format!("{state} {value}"),
            _ => state.to_owned(),
        }
    }
}
