//! Reports, and the lists of what reports can show, as JSON.

use std::collections::BTreeMap;

use memory::models;
use papers::Guarantee;
use report::answers::{Answers, FINDERS, known_harmless};
use report::claims::{self, Claim, Program, PublishedClaim};
use report::fidelity::Fidelity;
use report::figures::{self, Definition, SeriesStyle};
use report::summary::Summary;
use schemars::JsonSchema;
use serde::Serialize;
use tables::CRITERIA;
use tables::reached::MachineCoverage;

/// What `rubric report DIR --format json` and `rubric campaign --format json` print: one object. Only results of experiments have
/// `experiments` and `claims`, only those of gem5 `fidelity`, and only campaigns the other keys.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Document<'a> {
    /// The experiments that were run.
    #[serde(skip_serializing_if = "<[Summary]>::is_empty")]
    pub experiments: &'a [Summary],
    /// The claims of the papers, beside our results.
    #[serde(skip_serializing_if = "<[Claim]>::is_empty")]
    pub claims: &'a [Claim],
    /// How far the simulator and gem5 agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fidelity: Option<&'a Fidelity>,
    /// The number of runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<usize>,
    #[serde(flatten)]
    pub answers: Option<&'a Answers>,
    /// The coverage of each machine of the unmutated protocols.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Vec<MachineCoverage>>,
}

/// What `rubric report --list --format json` prints: one object.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Lists {
    /// The figures.
    figures: &'static [Definition],
    /// The claims of the papers.
    claims: &'static [PublishedClaim],
    /// The programs of a paper, with its results.
    programs: &'static [Program],
    /// The criteria.
    criteria: Vec<Criterion>,
    /// What finds mutants, in the order of tables.
    finders: &'static [&'static str],
    /// The reasons why named mutants are harmless.
    harmless: BTreeMap<String, String>,
    /// The styles of series in figures.
    series: Vec<SeriesStyle>,
    /// The sizes of experiments.
    sizes: &'static [&'static str],
}

/// A criterion, and the models that imply it.
#[derive(Serialize, JsonSchema)]
struct Criterion {
    /// The criterion.
    name: &'static str,
    /// The models that imply it.
    models: Vec<&'static str>,
}

impl Lists {
    /// All lists.
    pub(crate) fn all() -> Lists {
        let models_of = |name: &str| {
            let all = models::ALL.iter().map(|model| model.name());
            all.filter(|model| Guarantee::is_implied(model, name)).collect()
        };
        let criteria = CRITERIA.iter().map(|name| Criterion { name, models: models_of(name) });
        Lists {
            figures: figures::FIGURES,
            claims: &claims::ALL,
            programs: &claims::PROGRAMS,
            criteria: criteria.collect(),
            finders: &FINDERS,
            harmless: known_harmless(),
            series: figures::series_styles(),
            sizes: &figures::SIZES,
        }
    }
}
