//! The claims of the papers as data: the only place for published numbers and their places in the papers.
//!
//! [`ALL`] lists the claims. The table of each paper is in a module of its own, in the order of [`ALL`]: `gcc`, `wsc`, `tsotool`,
//! `qadeer`, `burnim`, and `mutants` for the claims that campaigns test. `result` has the published results and compares ours with
//! them, `rule` the rules of claims made in words, and `programs` the tables of Burnim, Sen & Stergiou.
//!
//! The rule of each claim ([`PublishedClaim::rule`]) does not depend on the results:
//!
//! - a number holds if ours is within a tenth of the paper's. Shares are measured from the nearer of 0 and 100 %, so that 94 % is
//!   not near 98 %. A counted share also holds if the paper's lies in our 95 % confidence interval and that interval is narrow;
//! - a bound on a ratio or a count holds if ours is within it. A bound on seconds was measured on another machine, and holds if ours
//!   is at most a tenth of it;
//! - *all* holds if there is no exception in at least [`FEWEST_CASES`](super::measure::FEWEST_CASES) cases, *most* if the whole
//!   confidence interval is above a half;
//! - a claim in words has a rule of its own ([`Rule`]).
//!
//! A claim whose number the experiment was calibrated to reproduce ([`CALIBRATED`]) neither holds nor differs.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Serialize;

use super::measure::AtSize;
use super::{Claim, Evidence, Missing};
pub(crate) use gcc::*;
pub(crate) use mutants::*;
pub use programs::*;
pub(crate) use qadeer::*;
pub(crate) use result::{PublishedResult, Unit};
pub(crate) use rule::*;
pub(crate) use tsotool::*;
pub(crate) use wsc::*;

/// Makes the table of a paper: a constant for each claim, and the list `CLAIMS` of all of them.
macro_rules! published {
    ($($name:ident: $id:literal, $paper:ident, $place:literal, $experiment:literal, $statement:literal, $result:expr, $test:expr;)*) => {
        $(#[doc = $statement]
        pub(crate) const $name: PublishedClaim = PublishedClaim {
            id: $id,
            paper: $paper,
            place: $place,
            experiment: $experiment,
            statement: $statement,
            result: $result,
            test: $test,
        };)*

        /// The claims of this module.
        pub(super) const CLAIMS: &[PublishedClaim] = &[$($name),*];
    };
}

mod burnim;
mod gcc;
mod mutants;
mod programs;
mod qadeer;
mod result;
mod rule;
mod tsotool;
mod wsc;

/// The claims of all papers.
pub static ALL: LazyLock<Vec<PublishedClaim>> = LazyLock::new(|| {
    [
        gcc::CLAIMS,
        wsc::CLAIMS,
        tsotool::CLAIMS,
        qadeer::CLAIMS,
        burnim::CLAIMS,
        burnim::NUMBERS,
        mutants::CLAIMS,
    ]
    .concat()
});

/// Zennou, Bouajjani, Enea, Erradi: Gradual Consistency Checking.
pub(crate) const GRADUAL: &str = "CAV 2019";
/// Zennou, Atig, Biswas, Bouajjani, Enea, Erradi: Boosting Sequential Consistency Checking using Saturation.
pub(crate) const BOOSTING: &str = "Boosting";
/// Manovit, Hangal: Completely Verifying Memory Consistency of Test Program Executions.
pub(crate) const HPCA: &str = "HPCA 2006";
/// Qadeer: Verifying Sequential Consistency on Shared-Memory Multiprocessors by Model Checking.
pub(crate) const QADEER: &str = "Qadeer";
/// Burnim, Sen, Stergiou: Sound and Complete Monitoring of Sequential Consistency for Relaxed Memory Models.
pub(crate) const BURNIM: &str = "Burnim et al.";

/// Claims whose number the experiment was calibrated to reproduce, each with the parameter that was chosen.
pub(crate) const CALIBRATED: &[(&str, &str)] = &[
    ("gcc-unordered-ccm", LOCATIONS_AND_READS),
    ("gcc-unordered-wccm", LOCATIONS_AND_READS),
    ("wsc-fig9-more", ONE_READ),
    (
        "qadeer-nice",
        "It holds by construction: a nice cycle has by its definition at most one edge in each thread and location.",
    ),
    ("burnim-tso", HARNESSES),
    ("burnim-pso", HARNESSES),
];

/// The ends of the names of claims about programs whose harnesses were chosen by these numbers.
const CALIBRATED_COUNTS: [&str; 4] = ["-tso-1", "-tso-2", "-pso-1", "-pso-2"];

const HARNESSES: &str = "The paper does not show its harnesses. Of the small tests of its source of the data structures (CheckFence, 2007), and of the ways to \
    write mutual exclusion, those were chosen whose numbers of violations come nearest.";

const LOCATIONS_AND_READS: &str = "The paper does not say how many locations its programs have and how often they read. Both were chosen so that the share of \
    CCM is near the paper's figure, so that the other figures can be compared.";

const ONE_READ: &str = "The paper does not say how many reads of a history get another value. It is one here, because CCM misses about as many \
    violations then as in the paper, and none if there are several.";

/// A claim as a paper makes it, with the function that tests it.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct PublishedClaim {
    /// The name of the claim.
    pub id: &'static str,
    /// The paper.
    pub paper: &'static str,
    /// The place in the paper.
    pub place: &'static str,
    /// The experiment that tests the claim.
    pub experiment: &'static str,
    /// The claim, as a sentence.
    pub statement: &'static str,
    /// The published result; in JSON its number, if it is one.
    #[serde(rename = "published", serialize_with = "result::number")]
    #[schemars(with = "Option<f64>")]
    pub result: PublishedResult,
    /// Computes our result from the rows of one size.
    #[serde(skip)]
    test: fn(&PublishedClaim, AtSize<'_>) -> Result<Evidence, Missing>,
}

impl PublishedClaim {
    /// The claim with our result from the rows of one size.
    pub(super) fn tested(&self, at: AtSize<'_>) -> Claim {
        self.claim((self.test)(self, at))
    }

    /// The published number, if there is one.
    pub fn value(&self) -> Option<f64> {
        self.result.value()
    }

    /// The published numbers, if there are several.
    pub fn values(&self) -> &[f64] {
        match &self.result {
            PublishedResult::Rising(values, _) => values,
            _ => &[],
        }
    }

    /// The conditions under which the claim holds, as sentences.
    pub fn rule(&self) -> String {
        let rule = self.result.rule();
        match self.calibrated() {
            Some(_) => format!("Calibrated, and so no test. {rule}"),
            None => rule,
        }
    }

    /// The parameter that was chosen so that the number comes near the published one, if there is one.
    pub fn calibrated(&self) -> Option<&'static str> {
        let found = CALIBRATED.iter().find(|(id, _)| *id == self.id);
        let counts = || {
            let is_count = CALIBRATED_COUNTS.iter().any(|end| self.id.ends_with(end));
            (self.paper == BURNIM && is_count).then_some(HARNESSES)
        };
        found.map(|(_, what)| *what).or_else(counts)
    }
}
