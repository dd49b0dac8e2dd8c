//! What the five papers claim and a run can test, beside what the results of this program say.
//!
//! [`all`] has one row for each claim. Its verdict is computed from the rows of experiments and campaigns alone, by the rule that the
//! row states: the direction of a comparison, a bound that the paper gives, or the paper's number within a tolerance. What the papers
//! state is in one table with the rules ([`paper`]). A claim whose number the experiment was made to come near is `calibrated`. One is
//! `untested` if there are no rows, if there are too few by its rule, if a limit has cut off too many runs to tell, if its experiment
//! has not finished, or if it was run at the size for trying out alone.
//!
//! The papers give averages of times. Here times of an algorithm are compared by their medians, so that one run that was cut off
//! does not decide, and always over the histories that all of the compared algorithms ran. If an experiment was run at several
//! sizes, a claim is tested on that of the paper, and on a larger one where that is too little to tell.
//!
//! ```
//! use report::claims::{self, Verdict};
//! use tables::results::Results;
//! use tables::{Said, Trial};
//!
//! let mut results = Results::default();
//! for number in 0..20 {
//!     let trial = |algorithm: &str, said| Trial {
//!         experiment: "wsc-fig9".to_owned(),
//!         size: "paper".to_owned(),
//!         model: "sc".to_owned(),
//!         algorithm: algorithm.to_owned(),
//!         number,
//!         said,
//!         seconds: 0.25,
//!         ..Trial::default()
//!     };
//!     results.trials.push(trial("wsc", Said::Violation));
//!     results.trials.push(trial("dbcop", Said::Violation));
//! }
//! let claims = claims::all(&results);
//! let claim = |id| claims.iter().find(|claim| claim.id == id).unwrap();
//! assert_eq!(claim("wsc-fig9-seconds").verdict, Verdict::Holds);
//! assert_eq!(claim("gcc-fig4-faster").verdict, Verdict::Untested);
//! ```

mod burnim;
mod campaign;
mod gcc;
mod kernels;
pub(crate) mod measure;
pub(crate) mod paper;
mod qadeer;
mod speed;
#[cfg(test)]
mod testing;
mod tsotool;
mod wsc;

use std::fmt;

use serde::Serialize;

use crate::figures::CAMPAIGN;
use crate::statistics::{Estimate, Share};
use measure::{AtSize, FEWEST};
use tables::results::Results;

pub use paper::{ALL, Explored, PROGRAMS, Program, PublishedClaim};

/// A claim of a paper, and what was found here.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    /// A name for it.
    pub id: &'static str,
    /// The paper.
    pub paper: &'static str,
    /// Where in the paper.
    pub place: &'static str,
    /// The experiment that tests it.
    pub experiment: &'static str,
    /// What is claimed.
    pub statement: String,
    /// What the paper says.
    pub theirs: String,
    /// What was found here; empty if nothing was.
    pub ours: String,
    /// Whether it is so here.
    pub verdict: Verdict,
    /// When it holds, whatever is found.
    pub rule: String,
    /// On how much the verdict rests, and what explains the difference.
    pub note: String,
}

/// Whether a claim is true here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It is.
    Holds,
    /// It is not.
    Differs,
    /// The experiment was made so that it comes out near the paper, which says nothing about the claim.
    Calibrated,
    /// It cannot be told: too few rows, none that are final, or none at all.
    Untested,
}

impl Verdict {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Differs => "differs",
            Verdict::Calibrated => "calibrated",
            Verdict::Untested => "untested",
        }
    }
}

/// All claims, paper by paper. A claim about an experiment is tested on the first of [`measure::SIZES`] that decides it.
pub fn all(results: &Results) -> Vec<Claim> {
    let campaign = campaign::BothRates::of(results);
    let mut tried: Vec<AtSize<'_>> = Vec::new();
    let mut claims: Vec<Claim> = Vec::new();
    for size in measure::SIZES {
        let at_size = AtSize {
            results,
            size,
            campaign: &campaign,
        };
        let tested = paper::ALL.iter().map(|claim| {
            let mut claim = claim.tested(at_size);
            claim.hold_back(at_size);
            claim
        });
        if tried.is_empty() {
            claims = tested.collect();
        } else {
            for (claim, other) in claims.iter_mut().zip(tested) {
                claim.or(other, &tried);
            }
        }
        tried.push(at_size);
    }
    campaign::name_protocols(&mut claims, results);
    claims
}

/// The experiments that a claim is about, by the one that stands for them.
fn experiments_of(claim: &Claim) -> &'static [&'static str] {
    const TSOTOOL: &[&str] = &["tsotool-fig3", "tsotool-fig4", "tsotool-table1"];
    match claim.id {
        "tsotool-always" | "tsotool-backtracks" | "tsotool-depth" => TSOTOOL,
        "burnim-tso" | "burnim-pso" | "burnim-overhead" => &["burnim-table1", "burnim-table2"],
        "wsc-fig8-similar" => &["wsc-fig8", "wsc-fig7"],
        _ => &[],
    }
}

impl Claim {
    /// Takes back what an experiment says that has not finished, or that was run for trying out.
    fn hold_back(&mut self, size: AtSize<'_>) {
        let unfinished = |name: &&&str| size.results.unfinished.has(name, size.size);
        if self.experiment == CAMPAIGN {
            if size.results.unfinished.campaign {
                self.is_untested("The campaign has not finished: the same command resumes it.");
            }
            return;
        }
        let own = [self.experiment];
        let mut all = own.iter().chain(experiments_of(self));
        if let Some(name) = all.find(unfinished) {
            self.is_untested(&format!(
                "{name} has not finished at size {}: `rubric experiment {name}` with the same options resumes it.",
                size.size
            ));
        } else if size.size == measure::QUICK && self.verdict != Verdict::Untested {
            self.is_untested(&format!(
                "Size {} decides no claim: run `rubric experiment {} --size paper`.",
                size.size, self.experiment
            ));
        }
    }

    /// Whether anything was found: a verdict, or numbers that decide nothing yet.
    pub fn has_numbers(&self) -> bool {
        self.verdict != Verdict::Untested || !self.ours.is_empty()
    }

    /// Makes it untested, for this reason; what was found stays to be seen.
    fn is_untested(&mut self, why: &str) {
        self.verdict = Verdict::Untested;
        self.note = format!("{why} {}", self.note).trim_end().to_owned();
    }

    /// Falls back on the same claim at another size, if those that were tried before do not tell.
    fn or(&mut self, other: Claim, before: &[AtSize<'_>]) {
        let was_run = |size: &&AtSize<'_>| size.rows(self.experiment).next().is_some();
        let tried = before.iter().find(was_run);
        match (self.verdict, other.verdict, tried) {
            (
                Verdict::Untested,
                Verdict::Holds | Verdict::Differs | Verdict::Calibrated,
                Some(tried),
            ) => {
                *self = other;
                self.note += &format!(" The rows of size {} are too few to decide.", tried.size);
            }
            (Verdict::Untested, _, None) => *self = other,
            _ => {}
        }
    }
}

/// What was found of a claim.
struct Evidence {
    /// The numbers.
    ours: String,
    /// Whether the claim is true.
    holds: Decision,
    /// How it is otherwise; empty if it is not, or the numbers say so.
    difference: String,
    /// What the numbers rest on, and what may explain them.
    basis: String,
}

impl Evidence {
    /// The same with what may explain it.
    fn because(mut self, why: String) -> Evidence {
        if !why.is_empty() {
            self.basis = format!("{} {why}", self.basis);
        }
        self
    }
}

/// Whether something is so, as far as the numbers tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    Yes,
    No,
    /// Not known, since runs were cut off.
    TimedOut,
    /// Not known, since runs are too short to be compared.
    TooShort,
    /// Not known, since there are too few cases for the rule.
    FewCases,
    /// Not known, for this reason.
    Unclear(&'static str),
}

impl From<bool> for Decision {
    fn from(holds: bool) -> Decision {
        match holds {
            true => Decision::Yes,
            false => Decision::No,
        }
    }
}

impl From<Option<bool>> for Decision {
    fn from(holds: Option<bool>) -> Decision {
        holds.map_or(Decision::TimedOut, Decision::from)
    }
}

/// Why nothing was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The experiment was not run.
    Experiment(&'static str),
    /// It was, without an algorithm.
    Algorithm(&'static str, String),
    /// Too few of its histories tell: so many.
    Few(&'static str, usize),
    /// Too few of its histories for a share: so many.
    Cases(&'static str, u64),
    /// Too few histories to see what is rare: so many, of so many that are needed.
    Rare(&'static str, u64, u64),
    /// Too many runs were cut off, or have no times.
    TimedOut(&'static str),
    /// The runs take too little time to be compared.
    TooShort(&'static str),
    /// It has no rows about something.
    Rows(&'static str, &'static str),
}

impl fmt::Display for Missing {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Missing::Experiment(name) => {
                write!(out, "Not run: `rubric experiment {name}` runs it.")
            }
            Missing::Algorithm(name, algorithm) => write!(
                out,
                "No rows of {algorithm}: run `rubric experiment {name} --algorithm {algorithm}`."
            ),
            Missing::Few(name, found) => write!(
                out,
                "Too few comparable histories, {found} of {FEWEST}: run `rubric experiment {name}` with a larger `--size`."
            ),
            Missing::Cases(name, found) => write!(
                out,
                "Too few histories, {found} of {}: run `rubric experiment {name}` with a larger `--size`.",
                measure::FEWEST_CASES
            ),
            Missing::Rare(name, found, needed) => write!(
                out,
                "Too few histories to observe an event this rare, {found} of {needed}: run `rubric experiment {name}` with a larger `--size`."
            ),
            Missing::TimedOut(name) => write!(
                out,
                "Too many runs timed out to decide: run `rubric experiment {name}` with a larger `--timeout`."
            ),
            Missing::TooShort(name) => write!(
                out,
                "The runs of `rubric experiment {name}` take less than {}, where caches and clock make more of a difference than algorithms.",
                crate::numbers::seconds(measure::FLEETING)
            ),
            Missing::Rows(name, what) => write!(
                out,
                "No rows about {what}: run `rubric experiment {name}` with a larger `--size`."
            ),
        }
    }
}

impl PublishedClaim {
    /// The claim with what was found.
    fn claim(&self, found: Result<Evidence, Missing>) -> Claim {
        let (ours, verdict, note) = match found {
            Err(missing) => (String::new(), Verdict::Untested, missing.to_string()),
            Ok(found) => {
                let name = self.experiment;
                let (verdict, said) = match found.holds {
                    Decision::Yes => (Verdict::Holds, String::new()),
                    Decision::No => (Verdict::Differs, String::new()),
                    Decision::TimedOut => (Verdict::Untested, Missing::TimedOut(name).to_string()),
                    Decision::TooShort => (Verdict::Untested, Missing::TooShort(name).to_string()),
                    Decision::FewCases => (
                        Verdict::Untested,
                        format!(
                            "Too few cases for the rule: run `rubric experiment {name}` with a larger `--size`."
                        ),
                    ),
                    Decision::Unclear(why) => (Verdict::Untested, why.to_owned()),
                };
                let (verdict, said) = match self.calibrated() {
                    Some(chosen) => (Verdict::Calibrated, chosen.to_owned()),
                    None => (verdict, said),
                };
                let note = [&said, &found.difference, &found.basis];
                let note = note.into_iter().map(|part| part.trim_end());
                let note: Vec<&str> = note.filter(|part| !part.is_empty()).collect();
                (found.ours, verdict, note.join(" "))
            }
        };
        Claim {
            id: self.id,
            paper: self.paper,
            place: self.place,
            experiment: self.experiment,
            statement: self.statement.to_owned(),
            theirs: self.result.to_string(),
            ours,
            verdict,
            rule: self.rule(),
            note,
        }
    }

    /// What it means to have found this number; `counts` says what it was counted on, if it is a share.
    fn number(&self, ours: Estimate, counts: Option<String>, basis: String) -> Evidence {
        self.found(ours, self.result.admits(ours), counts, basis)
    }

    /// The same, where it is known what that means.
    fn found(
        &self,
        ours: Estimate,
        holds: Decision,
        counts: Option<String>,
        basis: String,
    ) -> Evidence {
        let counts = counts.map_or(String::new(), |counts| format!(" ({counts})"));
        Evidence {
            ours: format!("{}{counts}", self.result.shown(ours)),
            holds,
            difference: match holds {
                Decision::No => self.result.difference(ours),
                _ => String::new(),
            },
            basis,
        }
    }

    /// Refuses to tell from so many cases whether something as rare as the paper says happens: at that rate, three of it are to be
    /// expected, so that one is missed with 95 % likelihood only if it is rarer. Where three were seen it is not that rare.
    fn enough_for_rare(&self, share: Share) -> Result<(), Missing> {
        /// How many are to be expected or seen.
        const SEEN: u64 = 3;
        let rate = self.result.rate().filter(|rate| *rate > 0.0);
        let needed = rate.map_or(0, |rate| (SEEN as f64 / rate).ceil() as u64);
        match share.of < needed && share.part < SEEN {
            true => Err(Missing::Rare(self.experiment, share.of, needed)),
            false => Ok(()),
        }
    }

    /// The same for a share of enough.
    fn share(&self, share: Share, what: &str, basis: String) -> Result<Evidence, Missing> {
        if share.of < FEWEST as u64 {
            return Err(Missing::Few(self.experiment, share.of as usize));
        }
        self.enough_for_rare(share)?;
        let counts = format!("{share} {what}");
        let holds = self.result.admits_share(share);
        Ok(self.found(Estimate::exactly(share.value()), holds, Some(counts), basis))
    }
}

#[cfg(test)]
mod tests;
