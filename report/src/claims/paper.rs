//! The claims of the papers as data: the only place for published numbers and their places in the papers.
//!
//! The rule of each claim ([`PublishedClaim::rule`]) does not depend on the results:
//!
//! - a number holds if ours is within a tenth of the paper's; shares are counted from the nearer of 0 and 100 %, so that 94 % is
//!   not near 98 %. A share that was counted holds too if the paper's lies in our 95 % confidence interval and that is narrow;
//! - a bound on a ratio or a count holds if ours keeps it. One on seconds is of another machine, and holds if ours keeps it ten times;
//! - *all* holds if there is no exception in at least [`FEWEST_CASES`]; *most* if the whole confidence interval is above a half;
//! - a claim in words has a rule of its own ([`Rule`]).
//!
//! A claim whose number the experiment was calibrated to reproduce ([`CALIBRATED`]) neither holds nor differs.

use std::fmt;

use serde::{Serialize, Serializer};

use super::measure::{AtSize, Axis, FEWEST, FEWEST_CASES, FLEETING, GROWS};
use super::{Claim, Decision, Evidence, Missing, burnim, campaign, gcc, qadeer, tsotool, wsc};
use crate::numbers::{percent, seconds, times};
use crate::statistics::{Estimate, Share};

/// Zennou, Bouajjani, Enea, Erradi: Gradual Consistency Checking.
pub const GRADUAL: &str = "CAV 2019";
/// Zennou, Atig, Biswas, Bouajjani, Enea, Erradi: Boosting Sequential Consistency Checking using Saturation.
pub const BOOSTING: &str = "Boosting";
/// Manovit, Hangal: Completely Verifying Memory Consistency of Test Program Executions.
pub const HPCA: &str = "HPCA 2006";
/// Qadeer: Verifying Sequential Consistency on Shared-Memory Multiprocessors by Model Checking.
pub const QADEER: &str = "Qadeer";
/// Burnim, Sen, Stergiou: Sound and Complete Monitoring of Sequential Consistency for Relaxed Memory Models.
pub const BURNIM: &str = "Burnim et al.";

/// Relative tolerance of a number.
const NEAR: f64 = 0.1;

/// Width of the confidence interval of a share on either side, at most, as a part of the published share's distance from 0 or 1.
const NARROW: f64 = 0.5;

/// Factor by which our machine may be faster than those of the papers.
const FASTER_MACHINE: f64 = 10.0;

/// Above this ratio of their medians, one algorithm is faster than another: less may be chance.
pub const FASTER: f64 = 1.1;

/// Up to this ratio of their medians, two algorithms take the same time.
pub const ALIKE: f64 = 1.5;

/// Up to this ratio, times of the same algorithm on other histories are similar.
pub const SIMILAR: f64 = 2.0;

/// Ratio of two shares from which one is far more than the other.
pub const FAR_MORE: f64 = 2.0;

/// Largest difference of two shares that are not far from each other.
pub const NOT_FAR: f64 = 0.02;

/// Fewest histories that only one of two criteria refutes from which one of them refutes more: with fewer, all may be those of one
/// criterion by chance, with a likelihood of more than 5 %.
pub const FEWEST_APART: u64 = 5;

/// Largest share that counts as few.
pub const FEW: f64 = 0.1;

/// Relative tolerance of a number that a paper says is approximate.
pub const ROUGHLY: f64 = 0.25;

/// The rule by which a claim in words holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// One algorithm is faster than another.
    Faster,
    /// One algorithm gets ever faster than another.
    Grows,
    /// Two algorithms take the same time.
    Alike,
    /// One algorithm is the fastest.
    Fastest,
    /// One algorithm gets slower than the others do.
    Degrades,
    /// Times are those of another experiment.
    Similar,
    /// CCv leaves far more open than CCM.
    FarMore,
    /// One share is most, another one few.
    MostAgainstFew,
    /// One share is more than another, and not far from it.
    NotFar,
    /// One criterion refutes what another does not.
    RefutesMore,
    /// One algorithm finds an order more often than another.
    FindsMore,
    /// An algorithm does not always find an order.
    Incomplete,
    /// Algorithms find an order less often where something is more.
    FindsLess,
    /// An algorithm finishes with few threads only.
    SeldomFinishes,
    /// The slowdown of an algorithm grows.
    SlowdownGrows,
    /// The slowdown grows less than the time of the baseline.
    Scales,
    /// No program has what is looked for.
    NoneHas,
    /// Every program has what is looked for.
    EachHas,
    /// Two numbers are about those that the paper gives.
    Roughly,
}

impl Rule {
    /// The rule as a sentence.
    fn text(self) -> String {
        let point = format!(
            "the largest point that has {FEWEST} histories and takes at least {}",
            seconds(FLEETING)
        );
        match self {
            Rule::Faster => format!("Holds if the ratio of the medians is above {FASTER} at {point}, in every comparison."),
            Rule::Grows => format!(
                "Holds if the ratio of the medians at {point} is more than {GROWS} times that at the smallest such point, in every comparison."
            ),
            Rule::Alike => format!("Holds if neither median is more than {} the other at {point}, in every comparison.", times(ALIKE)),
            Rule::Fastest => format!(
                "Holds if it has the smallest median at more than half of the points that have {FEWEST} histories, those aside where it and the \
                 next take less than {}.",
                seconds(FLEETING)
            ),
            Rule::Degrades => format!(
                "Holds if its median grows more than {GROWS} times as much as that of each other, over points that have {FEWEST} histories."
            ),
            Rule::Similar => format!(
                "Holds if more than half of the medians are within {} of each other, those aside that are below {} both times.",
                times(SIMILAR),
                seconds(FLEETING)
            ),
            Rule::FarMore => format!("Holds if CCv leaves at least {} as many, over at least {FEWEST_CASES} histories.", times(FAR_MORE)),
            Rule::MostAgainstFew => format!(
                "Holds if the 95 % confidence interval of the one is above 50 % and that of the other below {}.",
                percent(FEW)
            ),
            Rule::NotFar => format!(
                "Holds if it is more, by at most {} percentage points, over at least {FEWEST_CASES} histories.",
                NOT_FAR * 100.0
            ),
            Rule::RefutesMore => format!(
                "Holds if wSC alone refutes more than CCM alone, and at least {FEWEST_APART} histories tell the two apart."
            ),
            Rule::FindsMore => "Holds if its share is the higher and the 95 % confidence intervals of the two do not overlap.".to_owned(),
            Rule::Incomplete => {
                format!("Holds if there is a history of which it finds none; differs if there is none in at least {FEWEST_CASES}.")
            }
            Rule::FindsLess => {
                "Holds if both have the lower share there and its 95 % confidence interval does not overlap that of the higher.".to_owned()
            }
            Rule::SeldomFinishes => "Holds if the 95 % confidence interval of what it finishes in time is above 50 % with few threads and \
                below with more."
                .to_owned(),
            Rule::SlowdownGrows => format!(
                "Holds if the mean over tuples of the medians of their programs is more than {GROWS} times as large at the largest point as at the \
                 smallest, each of at least {FEWEST} histories."
            ),
            Rule::Scales => format!(
                "Holds if from the smallest number of operations to the largest the time of the baseline grows by a larger factor than the slowdown, \
                 both over at least {FEWEST} histories."
            ),
            Rule::NoneHas => "Holds if there is none in any of the programs, all their interleavings within the bound having been looked at.".to_owned(),
            Rule::EachHas => "Holds if there is one in each of the programs.".to_owned(),
            Rule::Roughly => format!(
                "Holds if both numbers are within {} of the paper's, which are said roughly.",
                percent(ROUGHLY)
            ),
        }
    }
}

/// Claims whose number the experiment was calibrated to reproduce, each with the parameter that was chosen.
pub const CALIBRATED: &[(&str, &str)] = &[
    ("gcc-unordered-ccm", LOCATIONS_AND_READS),
    ("gcc-unordered-wccm", LOCATIONS_AND_READS),
    ("wsc-fig9-misses", ONE_READ),
    ("wsc-fig9-more", ONE_READ),
    (
        "burnim-tso",
        "The paper does not show its test harnesses. That of lazylist was written so that only one thread continues after it has released a lock; \
         if both did, TSO would show.",
    ),
];

const LOCATIONS_AND_READS: &str = "The paper does not say how many locations its programs have and how often they read. Both were chosen so that the share of \
    CCM is near the paper's figure, so that the other figures can be compared.";

const ONE_READ: &str = "The paper does not say how many reads of a history get another value. It is one here, because CCM misses about as many \
    violations then as in the paper, and none if there are several.";

/// A program of Burnim et al., section 7.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Program {
    /// The name of the program.
    pub name: &'static str,
    /// The number of lines of C.
    pub lines: u32,
    /// Tables 1 and 2: with up to one preemption, and with up to two.
    pub explored: [Explored; 2],
}

impl Program {
    /// The time that both monitors add, as a part of the time of exploring; approximate.
    pub fn overhead(&self) -> f64 {
        if MUTUAL_EXCLUSION.contains(&self.name) { LOCKS_OVERHEAD } else { STRUCTURES_OVERHEAD }
    }
}

/// Burnim et al., section 7: the part that the monitors add to the time of exploring data structures; approximate.
pub const STRUCTURES_OVERHEAD: f64 = 0.2;

/// The part that they add for algorithms of mutual exclusion.
pub const LOCKS_OVERHEAD: f64 = 1.0;

/// The published results for all interleavings of a program.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Explored {
    /// Interleavings.
    pub interleavings: u32,
    /// Seconds.
    pub seconds: f64,
    /// Distinct violations of SC under TSO and under PSO.
    pub violations: [u32; 2],
}

const fn explored(interleavings: u32, seconds: f64, tso: u32, pso: u32) -> Explored {
    Explored { interleavings, seconds, violations: [tso, pso] }
}

const fn program(name: &'static str, lines: u32, explored: [Explored; 2]) -> Program {
    Program { name, lines, explored }
}

/// Burnim et al., Tables 1 and 2.
#[rustfmt::skip]
pub const PROGRAMS: [Program; 7] = [
    program("dekker", 20, [explored(79, 6.4, 3, 5), explored(1714, 180.0, 9, 11)]),
    program("bakery", 30, [explored(197, 42.4, 3, 4), explored(13632, 3992.4, 3, 4)]),
    program("msn", 80, [explored(92, 7.5, 0, 3), explored(2300, 196.1, 0, 3)]),
    program("ms2", 80, [explored(123, 11.0, 0, 2), explored(3322, 300.0, 0, 2)]),
    program("harris", 160, [explored(161, 18.8, 0, 2), explored(5646, 661.7, 0, 2)]),
    program("lazylist", 120, [explored(139, 14.0, 0, 4), explored(4045, 428.4, 0, 4)]),
    program("snark", 150, [explored(172, 15.4, 0, 4), explored(6510, 609.9, 0, 10)]),
];

/// The programs that are no data structures.
pub const MUTUAL_EXCLUSION: [&str; 2] = ["dekker", "bakery"];

/// A claim as a paper makes it, and how it is tested.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PublishedClaim {
    /// The name of the claim.
    pub id: &'static str,
    /// The paper.
    pub paper: &'static str,
    /// The place in the paper.
    pub place: &'static str,
    /// The experiment that tests it.
    pub experiment: &'static str,
    /// The claim, as a sentence.
    pub statement: &'static str,
    /// The published result; in JSON its number, if it is one.
    #[serde(rename = "published", serialize_with = "number")]
    pub result: PublishedResult,
    /// Computes our result from the rows of one size.
    #[serde(skip)]
    test: fn(&PublishedClaim, AtSize<'_>) -> Result<Evidence, Missing>,
}

/// A published result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PublishedResult {
    /// Something that words say, and when it holds.
    Words(&'static str, Rule),
    /// A number.
    About(f64, Unit),
    /// An upper bound: holds if ours is not larger.
    AtMost(f64, Unit),
    /// A lower bound: holds if ours is not smaller.
    AtLeast(f64, Unit),
    /// A share that words say, and the smallest that they can mean.
    Part(&'static str, f64),
    /// Numbers that grow: holds if ours do. So many are loads, as many are stores, more are stores.
    Rising([f64; 3], Unit),
}

/// The unit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A fraction, shown in percent.
    Percent,
    /// A ratio.
    Times,
    /// Seconds.
    Seconds,
    /// Things.
    Count,
}

impl Unit {
    /// A number in it.
    pub fn shown(self, number: f64) -> String {
        match self {
            Unit::Percent => percent(number),
            Unit::Times => times(number),
            Unit::Seconds => seconds(number),
            Unit::Count => format!("{number:.0}"),
        }
    }
}

/// The distance of a share from the nearer of 0 and 1.
fn rare(share: f64) -> f64 {
    share.min(1.0 - share)
}

impl PublishedResult {
    const fn percent(value: f64) -> PublishedResult {
        PublishedResult::About(value, Unit::Percent)
    }

    /// The paper's number, if it gives one.
    pub fn value(self) -> Option<f64> {
        match self {
            PublishedResult::Words(..) | PublishedResult::Rising(..) => None,
            PublishedResult::About(value, _)
            | PublishedResult::AtMost(value, _)
            | PublishedResult::AtLeast(value, _)
            | PublishedResult::Part(_, value) => Some(value),
        }
    }

    /// The published rate, if the event is so rare that few histories may have none of it.
    pub(super) fn rate(self) -> Option<f64> {
        /// Share from which an event is not rare.
        const RARE: f64 = 0.05;
        match self {
            PublishedResult::About(value, Unit::Percent) => {
                Some(rare(value)).filter(|rate| *rate < RARE)
            }
            _ => None,
        }
    }

    /// A number of ours as text, in the unit of the published one.
    pub(super) fn shown(self, ours: Estimate) -> String {
        let unit = match self {
            PublishedResult::Words(..) => Unit::Count,
            PublishedResult::Part(..) => Unit::Percent,
            PublishedResult::About(_, unit)
            | PublishedResult::AtMost(_, unit)
            | PublishedResult::AtLeast(_, unit)
            | PublishedResult::Rising(_, unit) => unit,
        };
        ours.shown(|number| unit.shown(number))
    }

    /// Whether a number of ours agrees.
    pub(super) fn admits(self, ours: Estimate) -> Decision {
        let within = |low: f64, high: f64| match () {
            // What is on the bound counts, however it is rounded.
            () if ours.low >= low - f64::EPSILON && ours.high <= high + f64::EPSILON => {
                Decision::Yes
            }
            () if ours.high < low || ours.low > high => Decision::No,
            () => Decision::TimedOut,
        };
        match self {
            PublishedResult::Words(..) | PublishedResult::Rising(..) => Decision::TimedOut,
            PublishedResult::About(value, unit) => {
                let by = NEAR * scale(value, unit);
                within(value - by, value + by)
            }
            PublishedResult::AtMost(value, Unit::Seconds) => match within(f64::NEG_INFINITY, value)
            {
                Decision::Yes if ours.high > value / FASTER_MACHINE => Decision::Unclear(
                    "The bound is kept, but by less than what machines may differ by.",
                ),
                told => told,
            },
            PublishedResult::AtMost(value, _) => within(f64::NEG_INFINITY, value),
            PublishedResult::AtLeast(value, _) | PublishedResult::Part(_, value) => {
                within(value, f64::INFINITY)
            }
        }
    }

    /// Whether a share that was counted agrees, as far as the number of cases decides.
    pub(super) fn admits_share(self, ours: Share) -> Decision {
        let interval = ours.interval();
        match self {
            PublishedResult::Part(_, least) if least >= 1.0 => match () {
                () if ours.part < ours.of => Decision::No,
                () if ours.of < FEWEST_CASES => Decision::FewCases,
                () => Decision::Yes,
            },
            PublishedResult::Part(_, least) => match () {
                () if interval.low >= least => Decision::Yes,
                () if interval.high < least => Decision::No,
                () => Decision::FewCases,
            },
            PublishedResult::About(value, unit) => {
                let is_near = self.admits(Estimate::exactly(ours.value())) == Decision::Yes;
                let is_in = (interval.low..=interval.high).contains(&value);
                let is_narrow = (interval.high - interval.low) / 2.0 <= NARROW * scale(value, unit);
                match () {
                    () if !is_near && !is_in => Decision::No,
                    () if ours.of < FEWEST_CASES => Decision::FewCases,
                    () if is_near || is_narrow => Decision::Yes,
                    () => Decision::FewCases,
                }
            }
            other => other.admits(Estimate::exactly(ours.value())),
        }
    }

    /// When it holds, as a sentence.
    fn rule(self) -> String {
        match self {
            PublishedResult::Words(_, rule) => rule.text(),
            PublishedResult::About(value, Unit::Percent) if value < 1.0 => format!(
                "Holds if ours is within a tenth of the paper's share, counted from the nearer of 0 and 100 %; or, if it was counted, if the \
                 paper's lies in our 95 % confidence interval, which may be {} wide on either side. Needs at least {FEWEST_CASES} cases.",
                percent(NARROW * rare(value))
            ),
            PublishedResult::About(..) => format!(
                "Holds if ours is within a tenth of the paper's number, over at least {FEWEST} histories."
            ),
            PublishedResult::AtMost(_, Unit::Seconds) => format!(
                "Holds if ours is at most a {FASTER_MACHINE}th of the paper's bound, since machines differ; differs if ours is above the bound. \
                 Needs at least {FEWEST} histories."
            ),
            PublishedResult::AtMost(..) => {
                format!(
                    "Holds if ours is not above the paper's bound, over at least {FEWEST} histories."
                )
            }
            PublishedResult::AtLeast(..) => {
                format!(
                    "Holds if ours is not below the paper's bound, over at least {FEWEST} histories."
                )
            }
            PublishedResult::Part(_, least) if least >= 1.0 => {
                format!(
                    "Holds if there is no exception in at least {FEWEST_CASES} cases; differs if there is one."
                )
            }
            PublishedResult::Part(_, least) => format!(
                "Holds if the 95 % confidence interval of ours is above {}; differs if it is below.",
                percent(least)
            ),
            PublishedResult::Rising(..) => format!(
                "Holds if the last is more than {FASTER} times the first, and no step falls as much. Means over tuples of the medians of their \
                 programs, for more loads than stores, as many, and more stores, each of at least {FEWEST} histories."
            ),
        }
    }

    /// The direction in which our number differs, as a sentence.
    pub(super) fn difference(self, ours: Estimate) -> String {
        match self.value() {
            None => String::new(),
            Some(value) if ours.low > value => "Ours is higher.".to_owned(),
            Some(_) => "Ours is lower.".to_owned(),
        }
    }
}

/// The number that a tolerance is a part of: a share's distance from 0 or 1, or the number itself.
fn scale(value: f64, unit: Unit) -> f64 {
    match unit {
        Unit::Percent if value < 1.0 => rare(value),
        _ => value,
    }
}

fn number<S: Serializer>(result: &PublishedResult, serializer: S) -> Result<S::Ok, S::Error> {
    result.value().serialize(serializer)
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

    /// When the claim holds, as sentences.
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
        found.map(|(_, what)| *what)
    }
}

impl fmt::Display for PublishedResult {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PublishedResult::Words(words, _) | PublishedResult::Part(words, _) => {
                out.write_str(words)
            }
            PublishedResult::About(value, unit) => out.write_str(&unit.shown(*value)),
            PublishedResult::AtMost(value, unit) => write!(out, "at most {}", unit.shown(*value)),
            PublishedResult::AtLeast(value, unit) => write!(out, "at least {}", unit.shown(*value)),
            PublishedResult::Rising(values, unit) => {
                let values = values.map(|value| unit.shown(value));
                out.write_str(&values.join(", "))
            }
        }
    }
}

/// Makes the table: a constant for each claim, and all of them in a list.
macro_rules! stated {
    ($($name:ident: $id:literal, $paper:ident, $place:literal, $experiment:literal, $statement:literal, $result:expr, $test:expr;)*) => {
        $(#[doc = $statement]
        pub const $name: PublishedClaim = PublishedClaim {
            id: $id,
            paper: $paper,
            place: $place,
            experiment: $experiment,
            statement: $statement,
            result: $result,
            test: $test,
        };)*

        /// All that the papers state.
        pub const ALL: &[PublishedClaim] = &[$($name),*];
    };
}

stated! {
    GCC_FASTER: "gcc-fig4-faster", GRADUAL, "Section 5.1, Figure 4", "gcc-fig4",
        "Gradual checking of SC is faster than a SAT encoding of its axioms", PublishedResult::Words("it scales much better", Rule::Faster),
        |_, at| gcc::faster(at, &gcc::SC);
    GCC_OPERATIONS: "gcc-fig4-operations", GRADUAL, "Section 5.1, Figure 4", "gcc-fig4",
        "The advantage of gradual checking of SC over the SAT encoding grows with the number of operations", PublishedResult::Words("it scales much better", Rule::Grows),
        |_, at| gcc::grows(at, &gcc::SC, Axis::Operations);
    GCC_THREADS: "gcc-fig4-threads", GRADUAL, "Section 5.1, Figure 4", "gcc-fig4",
        "The advantage of gradual checking of SC over the SAT encoding grows with the number of cpus", PublishedResult::Words("it scales much better", Rule::Grows),
        |_, at| gcc::grows(at, &gcc::SC, Axis::Threads);
    GCC_ENUM: "gcc-fig4-enum", GRADUAL, "Section 5.1, Figure 4", "gcc-fig4",
        "For SC, enumerating what CCM leaves open takes about as long as SAT does", PublishedResult::Words("the difference is not significant", Rule::Alike),
        |_, at| gcc::alike(at);
    GCC_UNORDERED_CCM: "gcc-unordered-ccm", GRADUAL, "Section 5.1", "gcc-unordered",
        "Pairs of writes that CCM leaves unordered, on average over valid histories", PublishedResult::percent(0.066),
        |claim, at| gcc::unordered(at, *claim, "sc", "ccm");
    GCC_UNORDERED_CCV: "gcc-unordered-ccv", GRADUAL, "Section 5.1", "gcc-unordered",
        "Pairs of writes that CCv leaves unordered, on average over valid histories", PublishedResult::percent(0.5775),
        |_, at| gcc::unordered_ccv(at);
    GCC_UNORDERED_MORE: "gcc-unordered-more", GRADUAL, "Section 5.1", "gcc-unordered",
        "CCv leaves far more pairs of writes unordered than CCM", PublishedResult::Words("a drastic increase", Rule::FarMore),
        |_, at| gcc::unordered_more(at);
    GCC_UNORDERED_WCCM: "gcc-unordered-wccm", GRADUAL, "Introduction", "gcc-unordered",
        "Pairs of writes that wCCM leaves unordered under TSO, on average over valid histories", PublishedResult::percent(0.066),
        |claim, at| gcc::unordered(at, *claim, "tso", "wccm");
    GCC_VIOLATIONS: "gcc-fig5-ccm", GRADUAL, "Section 5.1, Figure 5", "gcc-fig5",
        "Violations of SC by a mutated MI protocol that violate CCM too", PublishedResult::Part("all", 1.0),
        |_, at| gcc::refuted(at);
    GCC_CAUSAL: "gcc-fig5-causal", GRADUAL, "Section 5.1", "gcc-fig5",
        "Violations of SC by a mutated MI protocol that violate CC or CCv", PublishedResult::percent(0.5),
        |_, at| gcc::causal(at);
    GCC_SAME: "gcc-fig5-same", GRADUAL, "Section 5.1, Figure 5", "gcc-fig5",
        "On violations, enumerating and SAT take the same time, since CCM refutes them before", PublishedResult::Words("the same", Rule::Alike),
        |_, at| gcc::same(at);
    GCC_TSO_FASTER: "gcc-fig6-faster", GRADUAL, "Section 5.2, Figure 6", "gcc-fig6",
        "Gradual checking of TSO is faster than a SAT encoding of its axioms", PublishedResult::Words("it scales better", Rule::Faster),
        |_, at| gcc::faster(at, &gcc::TSO);
    GCC_TSO_OPERATIONS: "gcc-fig6-operations", GRADUAL, "Section 5.2, Figure 6", "gcc-fig6",
        "The advantage of gradual checking of TSO over the SAT encoding grows with the number of operations", PublishedResult::Words("it scales better", Rule::Grows),
        |_, at| gcc::grows(at, &gcc::TSO, Axis::Operations);
    GCC_TSO_THREADS: "gcc-fig6-threads", GRADUAL, "Section 5.2, Figure 6", "gcc-fig6",
        "The advantage of gradual checking of TSO over the SAT encoding grows with the number of cpus", PublishedResult::Words("it scales better", Rule::Grows),
        |_, at| gcc::grows(at, &gcc::TSO, Axis::Threads);
    GCC_TSO_ENUM: "gcc-fig6-enum", GRADUAL, "Section 5.2, Figure 6", "gcc-fig6",
        "For TSO, SAT over what wCCM leaves open is faster than enumerating it", PublishedResult::Words("SAT outperforms enumeration", Rule::Faster),
        |_, at| gcc::outperforms(at);

    WSC_EXACT: "wsc-kernel-exact", BOOSTING, "Section 6", "wsc-kernel",
        "Histories of which wSC computes the whole kernel", PublishedResult::percent(0.7424),
        |claim, at| wsc::kernel(at, *claim, "wsc");
    WSC_REST: "wsc-kernel-rest", BOOSTING, "Section 6", "wsc-kernel",
        "Part of the kernel that wSC computes of the other histories, on average", PublishedResult::percent(0.9997),
        |_, at| wsc::rest(at);
    CCM_EXACT: "wsc-kernel-ccm", BOOSTING, "Section 6", "wsc-kernel",
        "Histories of which CCM computes the whole kernel", PublishedResult::percent(0.007),
        |claim, at| wsc::kernel(at, *claim, "ccm");
    KERNEL_MORE: "wsc-kernel-more", BOOSTING, "Section 6", "wsc-kernel",
        "wSC computes the whole kernel of most histories, CCM of few", PublishedResult::Words("most against very few", Rule::MostAgainstFew),
        |_, at| wsc::kernel_more(at);
    WSC_PAIRS: "wsc-pairs-wsc", BOOSTING, "Section 6", "wsc-kernel",
        "Pairs of writes that wSC orders, on average over histories", PublishedResult::percent(0.9851),
        |claim, at| wsc::pairs(at, *claim, "wsc");
    CCM_PAIRS: "wsc-pairs-ccm", BOOSTING, "Section 6", "wsc-kernel",
        "Pairs of writes that CCM orders, on average over histories", PublishedResult::percent(0.9789),
        |claim, at| wsc::pairs(at, *claim, "ccm");
    PAIRS_MORE: "wsc-pairs-more", BOOSTING, "Section 6", "wsc-kernel",
        "wSC orders more pairs of writes than CCM, and not many more", PublishedResult::Words("CCM is not far from wSC", Rule::NotFar),
        |_, at| wsc::pairs_more(at);
    FIG6_DBCOP: "wsc-fig6-dbcop", BOOSTING, "Section 6, Figure 6", "wsc-fig6",
        "With few threads, DBCOP is the fastest", PublishedResult::Words("it has the best performances", Rule::Fastest),
        |_, at| wsc::fastest(at, "wsc-fig6", Axis::Operations, "dbcop");
    FIG6_ENUM: "wsc-fig6-enum", BOOSTING, "Section 6, Figure 6", "wsc-fig6",
        "wsc-enum is faster than ccm-enum when the number of operations grows", PublishedResult::Words("clearly superior", Rule::Faster),
        |_, at| wsc::enumerating(at, "wsc-fig6", Axis::Operations);
    FIG7_DBCOP: "wsc-fig7-dbcop", BOOSTING, "Section 6, Figure 7", "wsc-fig7",
        "Beyond 8 threads DBCOP degrades, more than the algorithms that saturate", PublishedResult::Words("DBCOP degrades, the others are more scalable", Rule::Degrades),
        |_, at| wsc::degrades(at);
    FIG7_BEST: "wsc-fig7-best", BOOSTING, "Section 6, Figure 7", "wsc-fig7",
        "wsc-dbcop is the fastest", PublishedResult::Words("it achieves the best performances", Rule::Fastest),
        |_, at| wsc::fastest(at, "wsc-fig7", Axis::Threads, "wsc-dbcop");
    FIG7_ENUM: "wsc-fig7-enum", BOOSTING, "Section 6, Figure 7", "wsc-fig7",
        "wsc-enum is faster than ccm-enum when the number of threads grows", PublishedResult::Words("it performs better", Rule::Faster),
        |_, at| wsc::enumerating(at, "wsc-fig7", Axis::Threads);
    FIG8_SIMILAR: "wsc-fig8-similar", BOOSTING, "Section 6, Figure 8", "wsc-fig8",
        "With half of the histories invalid, times are similar to those of valid ones", PublishedResult::Words("very similar", Rule::Similar),
        |_, at| wsc::similar(at);
    FIG9_ALL: "wsc-fig9-all", BOOSTING, "Section 6, Figure 9", "wsc-fig9",
        "Violations of SC that violate wSC", PublishedResult::Part("all", 1.0),
        |_, at| wsc::all_refuted(at);
    FIG9_CCM: "wsc-fig9-ccm", BOOSTING, "Section 6, Figure 9", "wsc-fig9",
        "wSC saturation is faster than CCM's on violations", PublishedResult::Words("more efficient", Rule::Faster),
        |_, at| wsc::saturating(at);
    FIG9_MISSES: "wsc-fig9-misses", BOOSTING, "Section 6", "wsc-fig9",
        "Violations of SC that CCM does not refute", PublishedResult::percent(0.0125),
        |_, at| wsc::misses(at);
    FIG9_MORE: "wsc-fig9-more", BOOSTING, "Section 6", "wsc-fig9",
        "wSC refutes violations that CCM does not", PublishedResult::Words("it captures more", Rule::RefutesMore),
        |_, at| wsc::more(at);
    FIG9_DBCOP: "wsc-fig9-dbcop", BOOSTING, "Section 6, Figure 9", "wsc-fig9",
        "How many times as long as wSC DBCOP takes for violations of 8 threads", PublishedResult::AtLeast(70.0, Unit::Times),
        |_, at| wsc::dbcop(at);
    FIG9_BEYOND: "wsc-fig9-beyond", BOOSTING, "Section 6, Figure 9", "wsc-fig9",
        "Beyond 8 threads the advantage of wSC over DBCOP on violations is higher still", PublishedResult::Words("by that factor and higher", Rule::Grows),
        |_, at| wsc::beyond(at);
    FIG9_SECONDS: "wsc-fig9-seconds", BOOSTING, "Section 6", "wsc-fig9",
        "The longest time that wSC takes for a violation", PublishedResult::AtMost(8.0, Unit::Seconds),
        |_, at| wsc::longest(at);

    FIG3_BETTER: "tsotool-fig3-better", HPCA, "Section 5, Figure 3", "tsotool-fig3",
        "Deriv finds an order more often than Heu", PublishedResult::Words("a significant improvement", Rule::FindsMore),
        |_, at| tsotool::better(at);
    FIG3_INCOMPLETE: "tsotool-fig3-incomplete", HPCA, "Section 5, Figure 3", "tsotool-fig3",
        "Deriv does not always find an order", PublishedResult::Words("incomplete when sharing is intense", Rule::Incomplete),
        |_, at| tsotool::incomplete(at);
    FIG3_SHARING: "tsotool-fig3-sharing", HPCA, "Sections 4.2.1 and 5, Figure 3", "tsotool-fig3",
        "Heu and Deriv find an order less often with more threads for each location", PublishedResult::Words("adequate only for low p/a", Rule::FindsLess),
        |_, at| tsotool::sharing(at);
    FIG3_LONGER: "tsotool-fig3-longer", HPCA, "Section 5", "tsotool-fig4",
        "Heu and Deriv find an order less often in longer programs", PublishedResult::Words("effectiveness decreases with n", Rule::FindsLess),
        |_, at| tsotool::longer(at);
    BACK_ALWAYS: "tsotool-always", HPCA, "Section 5", "tsotool-fig3",
        "Histories of which Deriv+Back finds an order", PublishedResult::Part("all", 1.0),
        |_, at| tsotool::always(at);
    BACK_BACKTRACKS: "tsotool-backtracks", HPCA, "Section 5", "tsotool-fig3",
        "The most backtracks of Deriv+Back", PublishedResult::AtMost(75.0, Unit::Count),
        |claim, at| tsotool::most(at, *claim, |row| row.backtracks);
    BACK_DEPTH: "tsotool-depth", HPCA, "Section 5", "tsotool-fig3",
        "The most choices that Deriv+Back takes back at a time", PublishedResult::AtMost(1.0, Unit::Count),
        |claim, at| tsotool::most(at, *claim, |row| row.depth);
    HEU_BACK: "tsotool-heu-back", HPCA, "Section 5", "tsotool-fig3",
        "Heu+Back does not finish but with few threads", PublishedResult::Words("not in a reasonable amount of time", Rule::SeldomFinishes),
        |_, at| tsotool::heu_back(at);
    HEU_OVERHEAD: "tsotool-heu", HPCA, "Section 5", "tsotool-fig3",
        "Time that Heu takes beyond the baseline", PublishedResult::percent(0.1),
        |_, at| tsotool::times::heu(at);
    BACK_SLOWDOWN: "tsotool-slowdown", HPCA, "Abstract, Section 5", "tsotool-fig4",
        "How many times as long as the baseline Deriv+Back takes, on average", PublishedResult::AtMost(2.6, Unit::Times),
        |_, at| tsotool::times::slowdown(at);
    BACK_LARGEST: "tsotool-largest", HPCA, "Section 5", "tsotool-fig4",
        "Time of Deriv+Back beyond the baseline for 512K operations, 60 threads, 256 locations, if it backtracks", PublishedResult::percent(1.18),
        |claim, at| tsotool::times::largest(at, *claim, true);
    DERIV_LARGEST: "tsotool-largest-deriv", HPCA, "Section 5", "tsotool-fig4",
        "Time beyond the baseline for 512K operations, 60 threads, 256 locations, without backtracking", PublishedResult::percent(1.08),
        |claim, at| tsotool::times::largest(at, *claim, false);
    BACK_FEW: "tsotool-few", HPCA, "Section 5", "tsotool-fig4",
        "Time that Deriv+Back usually takes beyond the baseline with 16 threads and fewer", PublishedResult::AtMost(0.8, Unit::Percent),
        |_, at| tsotool::times::few(at);
    BACK_OPERATIONS: "tsotool-grows-operations", HPCA, "Section 5, Figure 4b", "tsotool-fig4",
        "The slowdown of Deriv+Back grows with the number of operations", PublishedResult::Words("it grows with all of p, n, and a", Rule::SlowdownGrows),
        |_, at| tsotool::times::grows(at, Axis::Operations);
    BACK_THREADS: "tsotool-grows-threads", HPCA, "Section 5, Figure 4b", "tsotool-fig4",
        "The slowdown of Deriv+Back grows with the number of threads", PublishedResult::Words("it grows with all of p, n, and a", Rule::SlowdownGrows),
        |_, at| tsotool::times::grows(at, Axis::Threads);
    BACK_LOCATIONS: "tsotool-grows-locations", HPCA, "Section 5, Figure 4b", "tsotool-fig4",
        "The slowdown of Deriv+Back grows with the number of locations", PublishedResult::Words("it grows with all of p, n, and a", Rule::SlowdownGrows),
        |_, at| tsotool::times::grows(at, Axis::Locations);
    BACK_SCALES: "tsotool-scales", HPCA, "Section 5, Figure 4", "tsotool-fig4",
        "The slowdown grows less with the number of operations than the time of the baseline", PublishedResult::Words("the slope is less", Rule::Scales),
        |_, at| tsotool::times::scales(at);
    BACK_MINUTES: "tsotool-minutes", HPCA, "Section 5", "tsotool-fig4",
        "The longest time of Deriv+Back for 512K operations of 60 threads", PublishedResult::AtMost(300.0, Unit::Seconds),
        |_, at| tsotool::times::minutes(at);
    MIX_BASELINE: "tsotool-table1-baseline", HPCA, "Table 1", "tsotool-table1",
        "The baseline takes longer the more stores there are", PublishedResult::Rising([14.9, 16.5, 17.5], Unit::Seconds),
        |claim, at| tsotool::times::mixes(at, tsotool::times::baselines, *claim);
    MIX_SLOWDOWN: "tsotool-table1-slowdown", HPCA, "Table 1", "tsotool-table1",
        "The slowdown of Deriv+Back grows with the number of stores", PublishedResult::Rising([1.45, 1.73, 2.05], Unit::Times),
        |claim, at| tsotool::times::mixes(at, tsotool::times::ratios, *claim);

    SIMPLE: "qadeer-simple", QADEER, "Section 5.2", "qadeer-cycles",
        "Runs of protocols for which the order in which writes happen is a witness", PublishedResult::Part("all", 1.0),
        |_, at| qadeer::simple(at);
    NICE: "qadeer-nice", QADEER, "Section 6, Theorem 6.1", "qadeer-cycles",
        "Violations that show a nice cycle of at most as many edges as there are threads or locations", PublishedResult::Part("all", 1.0),
        |_, at| qadeer::nice(at);
    SHORT: "qadeer-short", QADEER, "Section 8", "qadeer-cycles",
        "Violations that show a nice cycle of two threads and two locations or fewer, as the paper's own error does",
        PublishedResult::Part("its error has k = 2", 0.5),
        |_, at| qadeer::short(at);

    BURNIM_TSO: "burnim-tso", BURNIM, "Section 7, Tables 1 and 2", "burnim-table1",
        "The data structures have no violation of SC under TSO", PublishedResult::Words("none of 5", Rule::NoneHas),
        |_, at| burnim::none_under_tso(at);
    BURNIM_PSO: "burnim-pso", BURNIM, "Section 7, Tables 1 and 2", "burnim-table1",
        "All benchmarks have violations of SC under PSO", PublishedResult::Words("7 of 7", Rule::EachHas),
        |_, at| burnim::some_under_pso(at);
    BURNIM_OVERHEAD: "burnim-overhead", BURNIM, "Section 7", "burnim-table1",
        "Time that both monitors take beyond exploring", PublishedResult::Words("20 % for data structures, 100 % for mutual exclusion", Rule::Roughly),
        |_, at| burnim::overhead(at);

    CAMPAIGN_CAUSAL: "mutants-causal", GRADUAL, "Section 5.1", "mutants",
        "Violations by mutants that break CC or CCv", PublishedResult::percent(0.5),
        |claim, at| campaign::stated(&at.campaign.sc, *claim);
    CAMPAIGN_CCM: "mutants-ccm", GRADUAL, "Introduction", "mutants",
        "Violations of SC by mutants that break CCM", PublishedResult::Part("most", 0.5),
        |claim, at| campaign::caught(&at.campaign.sc, *claim, "ccm");
    CAMPAIGN_WCCM: "mutants-wccm", GRADUAL, "Introduction", "mutants",
        "Violations of TSO by mutants that break wCCM", PublishedResult::Part("most", 0.5),
        |claim, at| campaign::caught(&at.campaign.tso, *claim, "wccm");
    CAMPAIGN_WSC: "mutants-wsc", BOOSTING, "Section 7", "mutants",
        "Violations of SC by mutants that break wSC", PublishedResult::Part("almost all", 0.95),
        |claim, at| campaign::caught(&at.campaign.sc, *claim, "wsc");
    CAMPAIGN_ESCAPING: "mutants-escaping", BOOSTING, "Section 6", "mutants",
        "Violations by mutants that escape CCM and are caught by wSC", PublishedResult::percent(0.0125),
        |claim, at| campaign::stated(&at.campaign.sc, *claim);
}
