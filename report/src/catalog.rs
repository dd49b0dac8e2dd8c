//! What reports consist of, for other programs such as the notebooks: figures, claims, criteria, and the styles of series.

use serde::Serialize;

use crate::answers::FINDERS;
use crate::claims::paper::{ALL, PROGRAMS, Program};
use crate::figures::{Definition, FIGURES, SIZES};
use crate::plot::style::{KNOWN, Marker};

/// The lists of a report.
#[derive(Debug, Serialize)]
pub struct Catalog {
    /// The figures.
    pub figures: &'static [Definition],
    /// The claims of the papers.
    pub claims: Vec<PublishedClaim>,
    /// The programs of Burnim et al., with the published numbers.
    pub programs: &'static [Program],
    /// The criteria and failures that find mutants.
    pub finders: &'static [&'static str],
    /// The styles of known series, in the order of legends.
    pub series: Vec<SeriesStyle>,
    /// The sizes of experiments, in ascending order.
    pub sizes: &'static [&'static str],
}

/// A claim of a paper.
#[derive(Debug, Serialize)]
pub struct PublishedClaim {
    /// Its name.
    pub id: &'static str,
    /// The paper.
    pub paper: &'static str,
    /// The place in the paper.
    pub place: &'static str,
    /// The experiment that tests it.
    pub experiment: &'static str,
    /// What is claimed.
    pub statement: &'static str,
    /// The published number, if there is one.
    pub published: Option<f64>,
}

/// The style of a series.
#[derive(Debug, Serialize)]
pub struct SeriesStyle {
    /// The name of the algorithm, criterion or model.
    pub name: &'static str,
    /// The colour, such as `#0072b2`.
    pub color: String,
    /// The marker.
    pub marker: Marker,
}

impl Catalog {
    /// Collects the lists.
    pub fn new() -> Catalog {
        let claims = ALL.iter().map(|claim| PublishedClaim {
            id: claim.id,
            paper: claim.paper,
            place: claim.place,
            experiment: claim.experiment,
            statement: claim.statement,
            published: claim.value(),
        });
        let series = KNOWN.iter().map(|(name, color, marker)| SeriesStyle {
            name,
            color: format!("#{:02x}{:02x}{:02x}", color.0, color.1, color.2),
            marker: *marker,
        });
        Catalog {
            figures: &FIGURES,
            claims: claims.collect(),
            programs: &PROGRAMS,
            finders: &FINDERS,
            series: series.collect(),
            sizes: &SIZES,
        }
    }
}

impl Default for Catalog {
    fn default() -> Catalog {
        Catalog::new()
    }
}
