//! The figures of the experiments and of campaigns, each as SVG, as PNG, and as the numbers that it shows.
//!
//! A figure is made of the rows of its experiment, whatever algorithms these are of. What a paper states in numbers is drawn
//! beside. Where there are no rows there is no figure. The same rows give the same bytes.
//!
//! ```
//! use report::figures;
//! use tables::results::Results;
//! use tables::{Said, Trial};
//!
//! let trial = Trial {
//!     experiment: "gcc-fig4".to_owned(),
//!     part: "threads".to_owned(),
//!     point: "threads=4".to_owned(),
//!     algorithm: "sc-sat".to_owned(),
//!     said: Said::Consistent,
//!     threads: 4,
//!     operations: 200,
//!     seconds: 0.5,
//!     ..Trial::default()
//! };
//! let results = Results { trials: vec![trial], ..Results::default() };
//! let figures = figures::all(&results);
//! assert_eq!(figures[0].name, "gcc-fig4-threads");
//! assert!(figures[0].svg.starts_with("<svg"));
//! assert_eq!(figures[0].table.rows[0][..2], ["4", "sc-sat"]);
//! ```

mod axis;
mod bars;
mod burnim;
mod caught;
mod chart;
mod draw;
mod font;
mod gcc;
mod layout;
mod legend;
mod lines;
mod marks;
mod mutants;
mod numbers;
mod paper;
mod qadeer;
mod render;
mod sample;
mod scale;
mod spread;
mod statistics;
mod style;
mod times;
mod tsotool;
mod wsc;

use crate::answers::Answers;
use tables::results::Results;

/// A figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// What its files are called, without extension.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// What it is about, which figure of which paper it repeats, and where its numbers come from.
    pub caption: String,
    /// It as SVG.
    pub svg: String,
    /// It as PNG, of twice the size in pixels.
    pub png: Vec<u8>,
    /// The numbers that it shows.
    pub table: Table,
}

/// Numbers, written out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// What the columns are.
    pub columns: Vec<String>,
    /// The rows, each with a cell for each column.
    pub rows: Vec<Vec<String>>,
}

impl Figure {
    /// A figure; none without numbers.
    fn new(name: String, plot: &chart::Plot, caption: String, table: Table) -> Option<Figure> {
        (!table.rows.is_empty()).then(|| Figure {
            name,
            title: plot.title.clone(),
            caption,
            svg: render::svg(plot),
            png: render::png(plot),
            table,
        })
    }
}

/// The figures of all experiments of which there are trials, in the order of the papers.
pub fn all(results: &Results) -> Vec<Figure> {
    let trials = &results.trials;
    let mut figures = gcc::figures(trials);
    figures.extend(wsc::figures(trials));
    figures.extend(tsotool::figures(trials));
    figures.extend(qadeer::figures(trials));
    figures.extend(burnim::figures(trials));
    figures.extend(scale::figures(trials));
    figures
}

/// The figures of what the runs of campaigns say.
pub fn campaign(answers: &Answers) -> Vec<Figure> {
    mutants::figures(answers)
}
