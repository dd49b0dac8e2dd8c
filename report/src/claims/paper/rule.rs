//! The rules of claims that are made in words, and their thresholds.

use crate::claims::measure::{FEWEST, FEWEST_CASES, FLEETING, GROWS};
use crate::numbers::{percent, seconds, times};

/// Above this ratio of their medians, one algorithm is faster than another: less may be chance.
pub(crate) const FASTER: f64 = 1.1;

/// Up to this ratio of their medians, two algorithms take the same time.
pub(crate) const ALIKE: f64 = 1.5;

/// Up to this ratio, times of the same algorithm on other histories are similar.
pub(crate) const SIMILAR: f64 = 2.0;

/// Ratio of two shares from which the larger counts as far more.
pub(crate) const FAR_MORE: f64 = 2.0;

/// Largest difference of two shares that still counts as not far.
pub(crate) const NOT_FAR: f64 = 0.02;

/// Smallest number of histories refuted by only one of two criteria at which the criteria are compared. With fewer, all
/// may be refuted by the same one by chance, with a likelihood of more than 5 %.
pub(crate) const FEWEST_APART: u64 = 5;

/// Largest share that counts as few.
pub(crate) const FEW: f64 = 0.1;

/// Relative tolerance of a number that a paper says is approximate.
pub(crate) const ROUGHLY: f64 = 0.25;

/// The rule by which a claim in words holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// One algorithm is faster than another.
    Faster,
    /// One algorithm's advantage over another grows.
    Grows,
    /// Two algorithms take the same time.
    Alike,
    /// One algorithm is the fastest.
    Fastest,
    /// One algorithm's time grows more than those of the others.
    Degrades,
    /// Times are similar to those of another experiment.
    Similar,
    /// CCv leaves far more pairs unordered than CCM.
    FarMore,
    /// One share is above a half, and another one is small.
    MostAgainstFew,
    /// One share is larger than another, but not by far.
    NotFar,
    /// One criterion refutes histories that another does not.
    RefutesMore,
    /// One algorithm finds an order more often than another.
    FindsMore,
    /// An algorithm does not always find an order.
    Incomplete,
    /// Algorithms find an order less often as a parameter grows.
    FindsLess,
    /// An algorithm finishes in time only with few threads.
    SeldomFinishes,
    /// The slowdown of an algorithm grows.
    SlowdownGrows,
    /// The slowdown grows less than the time of the baseline.
    Scales,
    /// Without a step, an algorithm takes far longer and backtracks far more.
    Explodes,
    /// A time is longest before the end of an axis.
    Tips,
    /// No program has a violation.
    NoneHas,
    /// Every program has a violation.
    EachHas,
    /// One monitor signals more often than another, and finds the same violations.
    MoreSensitive,
    /// Two numbers are near approximate numbers of the paper.
    Roughly,
    /// No run of a system has a nice cycle.
    NoCycle,
    /// A system has a nice cycle for one order of writes, and none for another.
    OtherWitness,
}

impl Rule {
    /// The rule as a sentence.
    pub(super) fn text(self) -> String {
        let point = format!(
            "the largest point that has {FEWEST} histories and takes at least {}",
            seconds(FLEETING)
        );
        match self {
            Rule::NoCycle => "Holds if every search of all runs ends without a cycle; differs if one finds a cycle.".to_owned(),
            Rule::OtherWitness => "Holds if a search finds a cycle where writes are ordered as they happen, and every search ends without one \
                where they are ordered as they reach memory; differs if either is not so."
                .to_owned(),
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
            Rule::Explodes => format!(
                "Holds if the mean over tuples of the medians of the ratio of times is above {}, and it backtracks more than {} as often.",
                times(FAR_MORE),
                times(FAR_MORE)
            ),
            Rule::Tips => format!(
                "Holds if the mean over tuples of the medians of their programs is more than {GROWS} times as large at some share of stores as at the \
                 largest share, over at least {FEWEST} histories each."
            ),
            Rule::NoneHas => "Holds if there is none in any of the programs, all their interleavings within the bound having been looked at.".to_owned(),
            Rule::EachHas => "Holds if there is one in each of the programs.".to_owned(),
            Rule::MoreSensitive => "Holds if it signals more often for some program and less often for none, and both find violations in the same \
                programs."
                .to_owned(),
            Rule::Roughly => format!(
                "Holds if both numbers are within {} of the paper's, which are said roughly.",
                percent(ROUGHLY)
            ),
        }
    }
}
