//! A few operations of a history as a picture: threads are columns, time goes down, and arrows say what comes before what, and why.
//!
//! [`svg`] draws it, [`dot`] writes it for Graphviz, and [`crate::page::explained`] puts it on a page with what there is to say about
//! it. Each box has a row of its own; `routes` chooses which way arrows go around the others, `layout` has the coordinates, `paths` draws
//! arrows, `render` the rest, `states` the tables below, and `lists` what happened before a crash. Colours are those of Okabe and Ito; kinds of arrows differ in their dashes as well.
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
mod paths;
mod render;
mod routes;
mod states;
mod write;

pub use certify::rule::Relation;
pub(crate) use render::drawing;
pub use render::{escaped, svg};
pub use write::dot;

/// What is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// What it shows.
    pub title: String,
    /// Sentences below the title.
    pub lead: Vec<String>,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The boxes, from the top to the bottom.
    pub operations: Vec<Operation>,
    /// What comes before what.
    pub arrows: Vec<Arrow>,
    /// Why arrows with a letter are there: the letter and the reason.
    pub reasons: Vec<(String, String)>,
    /// What happened to the cache lines meanwhile.
    pub lines: Vec<CacheLine>,
    /// What happened before the run ended.
    pub lists: Vec<List>,
    /// What else is to be known.
    pub notes: Vec<String>,
}

impl Picture {
    /// The relations of the arrows, without those that are there for orientation only.
    fn relations(&self) -> impl Iterator<Item = Relation> {
        Relation::ALL.into_iter().filter(|&relation| {
            let mut arrows = self.arrows.iter();
            arrows.any(|arrow| arrow.relation == relation && arrow.weight != Weight::Faint)
        })
    }

    /// Why an arrow is there: its reason, or what its relation means.
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
    /// What others call it.
    pub label: String,
    /// What it does.
    pub text: String,
    /// Where it is found in the trace.
    pub place: String,
}

/// An arrow from one box to another, by their rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// What comes first.
    pub from: usize,
    /// What comes after.
    pub to: usize,
    /// Why.
    pub relation: Relation,
    /// The letter of its reason.
    pub letter: Option<String>,
    /// How strong it is.
    pub weight: Weight,
}

/// How strong an arrow is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// It is what is shown.
    Strong,
    /// What is shown rests on it.
    Plain,
    /// It is only there for orientation, without a label.
    Faint,
}

/// How the arrows of a relation are drawn: in colours of Okabe and Ito, with a dash pattern each.
struct ArrowStyle {
    color: &'static str,
    /// The line as Graphviz names it.
    line: &'static str,
    /// The dashes as SVG has them.
    dashes: &'static str,
    /// The line in text.
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

/// A list of what happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// What it shows.
    pub title: String,
    /// What happened, from the first to the last.
    pub rows: Vec<ListRow>,
}

/// A row of a list. Spaces in front and between keep columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListRow {
    /// What happened.
    pub text: String,
    /// Whether that is what went wrong.
    pub is_wrong: bool,
}

/// What controllers did with a cache line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheLine {
    /// Which line.
    pub title: String,
    /// The controllers.
    pub controllers: Vec<String>,
    /// What happened, in the order of the trace.
    pub rows: Vec<LineRow>,
    /// How many rows were left out.
    pub left_out: usize,
    /// Where one cache began to hold a permission to write beside another cache's permission.
    pub swmr_violation: Option<String>,
}

impl CacheLine {
    /// That rows were left out, which belongs above the others; nothing if none were.
    pub fn omission(&self) -> Option<String> {
        match self.left_out {
            0 => None,
            1 => Some("1 transition farther from these operations is left out".to_owned()),
            count => {
                Some(format!("{count} transitions farther from these operations are left out"))
            }
        }
    }
}

/// Something that happened to a cache line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineRow {
    /// When.
    pub tick: Option<u64>,
    /// The line of the trace.
    pub line: Option<u64>,
    /// What: an event, or an operation.
    pub what: String,
    /// The states of the controllers after it; empty where one is not known.
    pub states: Vec<String>,
    /// The controller that took the transition; none if it is an operation.
    pub changed: Option<usize>,
    /// The controllers whose permissions break the SWMR invariant after the row, in ascending order.
    pub conflicting: Vec<usize>,
}
