//! The claims of the five papers that experiments can test, with published results and ours.
//!
//! [`ALL`] has a row for each claim: the published result, the rule by which ours is compared with it, and the function
//! that computes ours. To add a claim, add a row to the table of its paper in `paper`, and its function. [`all`]
//! evaluates them on the rows of experiments and campaigns alone. A claim whose number the experiment was calibrated to
//! reproduce is `calibrated`. One is `untested` if there are no rows or too few by its rule, if too many runs timed
//! out, or if its experiment has not finished or was run at size `quick` alone.
//!
//! The papers give averages of times. Here times are compared by their medians, so that a single run that timed out
//! does not decide, and over the histories that all of the compared algorithms ran. If an experiment was run at several
//! sizes, a claim is tested on that of the paper, and on a larger one if the former does not decide it.
//!
//! ```
//! use report::claims::{self, Verdict};
//! use tables::results::Results;
//! use tables::{Reported, Trial};
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
//!     results.trials.push(trial("wsc-published", Reported::Violation));
//!     results.trials.push(trial("dbcop", Reported::Violation));
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

use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::CAMPAIGN;
use crate::statistics::{Estimate, Share};
use measure::{AtSize, FEWEST};
use tables::results::Results;

pub use paper::{ALL, Explored, PROGRAMS, Program, PublishedClaim};

/// A claim of a paper, with the published result and ours.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Claim {
    /// The name of the claim.
    pub id: &'static str,
    /// The paper.
    pub paper: &'static str,
    /// The place in the paper.
    pub place: &'static str,
    /// The experiment that tests the claim.
    pub experiment: &'static str,
    /// The claim, as a sentence.
    pub statement: String,
    /// The published result.
    pub theirs: String,
    /// Our result; empty if there is none.
    pub ours: String,
    /// Whether our result agrees with the published one.
    pub verdict: Verdict,
    /// The rule by which the claim holds, which does not depend on the results.
    pub rule: String,
    /// The rows that the verdict rests on, and possible explanations of a difference.
    pub note: String,
}

/// Whether our result agrees with a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Our result agrees.
    Holds,
    /// Our result disagrees.
    Differs,
    /// The experiment was calibrated to reproduce the number, so the result is no test.
    Calibrated,
    /// The rows do not decide: they are too few, not final, or missing.
    Untested,
}

impl Verdict {
    /// The verdict in a word.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Differs => "differs",
            Verdict::Calibrated => "calibrated",
            Verdict::Untested => "untested",
        }
    }
}

/// All claims, paper by paper. A claim about an experiment is tested on the first of `measure::SIZES` that decides it.
pub fn all(results: &Results) -> Vec<Claim> {
    let campaign = campaign::BothRates::of(results);
    let mut tried: Vec<AtSize<'_>> = Vec::new();
    let mut claims: Vec<Claim> = Vec::new();
    for size in measure::SIZES {
        let at_size = AtSize { results, size, campaign: &campaign };
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

/// Returns the experiments that a claim needs besides its own; empty if it needs no other.
fn experiments_of(claim: &Claim) -> &'static [&'static str] {
    const TSOTOOL: &[&str] = &["tsotool-fig3", "tsotool-fig4", "tsotool-table1"];
    match claim.id {
        "tsotool-always" | "tsotool-backtracks" | "tsotool-depth" => TSOTOOL,
        "burnim-tso" | "burnim-pso" | "burnim-overhead" | "burnim-sober" => {
            &["burnim-table1", "burnim-table2"]
        }
        "wsc-fig8-similar" => &["wsc-fig8", "wsc-fig7"],
        _ => &[],
    }
}

impl Claim {
    /// Makes the claim untested if its experiment has not finished, or was run at size quick.
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

    /// Why the claim is untested, and the command that decides it: the first sentence of the note. `None` if it has a verdict.
    pub fn why_untested(&self) -> Option<&str> {
        let end = self.note.find(". ").map_or(self.note.len(), |end| end + 1);
        (self.verdict == Verdict::Untested).then(|| &self.note[..end])
    }

    /// Whether the claim has a verdict, or numbers that do not decide it yet.
    pub fn has_numbers(&self) -> bool {
        self.verdict != Verdict::Untested || !self.ours.is_empty()
    }

    /// Makes the claim untested, for this reason; the numbers stay visible.
    fn is_untested(&mut self, why: &str) {
        self.verdict = Verdict::Untested;
        self.note = format!("{why} {}", self.note).trim_end().to_owned();
    }

    /// Replaces the claim by the same claim at another size if the sizes tried before do not decide it.
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

/// Our result about a claim.
struct Evidence {
    /// Our numbers, as text.
    ours: String,
    /// Whether the claim holds by these numbers.
    holds: Decision,
    /// How our numbers differ from the published ones, as a sentence; empty if they do not, or if the numbers show it.
    difference: String,
    /// The rows that the numbers rest on, and possible explanations, as sentences.
    basis: String,
}

impl Evidence {
    /// Adds a possible explanation.
    fn because(mut self, why: String) -> Evidence {
        if !why.is_empty() {
            self.basis = format!("{} {why}", self.basis);
        }
        self
    }
}

/// Whether a claim holds, as far as the numbers decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    Yes,
    No,
    /// Undecided, since runs timed out.
    TimedOut,
    /// Undecided, since the runs are too short to be compared.
    TooShort,
    /// Undecided, since there are too few cases for the rule.
    FewCases,
    /// Undecided, for this reason.
    Unclear(&'static str),
}

impl From<bool> for Decision {
    fn from(holds: bool) -> Decision {
        if holds { Decision::Yes } else { Decision::No }
    }
}

impl From<Option<bool>> for Decision {
    fn from(holds: Option<bool>) -> Decision {
        holds.map_or(Decision::TimedOut, Decision::from)
    }
}

/// Why a claim has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The experiment of this name was not run.
    Experiment(&'static str),
    /// The experiment has no rows of this algorithm.
    Algorithm(&'static str, String),
    /// Too few histories of the experiment are comparable; holds how many are.
    Few(&'static str, usize),
    /// The experiment has too few histories for a share; holds how many it has.
    Cases(&'static str, u64),
    /// The experiment has too few histories to observe a rare event; holds how many it has and how many are needed.
    Rare(&'static str, u64, u64),
    /// Too many runs of the experiment timed out, or have no times.
    TimedOut(&'static str),
    /// The runs of the experiment take too little time to be compared.
    TooShort(&'static str),
    /// The experiment has no rows about a subject, which the second field names.
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
    /// Makes the claim with our evidence, or with the reason why there is none.
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

    /// Compares a number of ours with the published result. `counts` shows what the number was counted on, if it is a
    /// share.
    fn number(&self, ours: Estimate, counts: Option<String>, basis: String) -> Evidence {
        self.found(ours, self.result.admits(ours), counts, basis)
    }

    /// Makes the evidence of a number of ours with a given decision.
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

    /// Refuses to decide on an event that is rare by the published rate if there are too few cases: at that rate, three
    /// events have to be expected, so that seeing none has a likelihood below 5 %. If three events were seen, the event
    /// is not that rare.
    fn enough_for_rare(&self, share: Share) -> Result<(), Missing> {
        /// The number of events that have to be expected or seen.
        const SEEN: u64 = 3;
        let rate = self.result.rate().filter(|rate| *rate > 0.0);
        let needed = rate.map_or(0, |rate| (SEEN as f64 / rate).ceil() as u64);
        if share.of < needed && share.part < SEEN {
            Err(Missing::Rare(self.experiment, share.of, needed))
        } else {
            Ok(())
        }
    }

    /// Compares a share of ours with the published result, if it was counted on enough cases.
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
