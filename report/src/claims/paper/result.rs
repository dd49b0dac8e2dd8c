//! [`PublishedResult`]: a published number, bound or sentence, and whether a result of ours agrees with it.

use std::fmt;

use serde::{Serialize, Serializer};

use super::rule::{FASTER, Rule};
use crate::claims::Decision;
use crate::claims::measure::{FEWEST, FEWEST_CASES};
use crate::numbers::{percent, seconds, times};
use crate::statistics::{Estimate, Share};

/// The relative tolerance of a number.
const NEAR: f64 = 0.1;

/// The largest half-width of the confidence interval of a share, as a share of the published share's distance from 0 or 1.
const NARROW: f64 = 0.5;

/// The factor by which our machine may be faster than those of the papers.
const FASTER_MACHINE: f64 = 10.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PublishedResult {
    /// A statement in words, with the rule by which it holds.
    Words(&'static str, Rule),
    /// A number.
    About(f64, Unit),
    /// An upper bound: holds if ours is not larger.
    AtMost(f64, Unit),
    /// A lower bound: holds if ours is not smaller.
    AtLeast(f64, Unit),
    /// A share in words, and the smallest number that the words can mean.
    Part(&'static str, f64),
    /// Numbers that grow from mixes with more loads over equal mixes to mixes with more stores. Holds if ours grow, too.
    Rising([f64; 3], Unit),
}

/// The unit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A fraction, shown in percent.
    Percent,
    /// A ratio.
    Times,
    Seconds,
    /// A number of things.
    Count,
}

impl Unit {
    /// A number as text, with the unit.
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
    pub(super) const fn percent(value: f64) -> PublishedResult {
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

    /// The published share of an event, or of its absence, if it is so small that a few histories may show none; else
    /// `None`.
    pub(in crate::claims) fn rate(self) -> Option<f64> {
        /// Share from which an event is not rare.
        const RARE: f64 = 0.05;
        match self {
            PublishedResult::About(value, Unit::Percent) => {
                Some(rare(value)).filter(|rate| *rate < RARE)
            }
            _ => None,
        }
    }

    /// Returns a number of ours as text, in the unit of the published one.
    pub(in crate::claims) fn shown(self, ours: Estimate) -> String {
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

    /// Whether a number of ours agrees with the published result.
    pub(in crate::claims) fn admits(self, ours: Estimate) -> Decision {
        let within = |low: f64, high: f64| match () {
            // Numbers on the bound are within it, whatever the rounding error.
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

    /// Whether a counted share of ours agrees with the published result, as far as the number of cases decides it.
    pub(in crate::claims) fn admits_share(self, ours: Share) -> Decision {
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

    /// The rule by which the result holds, as a sentence.
    pub(super) fn rule(self) -> String {
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
                "Holds if each is larger than the one before, and the last more than {FASTER} times the first. Means over tuples of the medians of their \
                 programs, for more loads than stores, as many, and more stores, each of at least {FEWEST} histories."
            ),
        }
    }

    /// The direction in which our number differs, as a sentence.
    pub(in crate::claims) fn difference(self, ours: Estimate) -> String {
        match self.value() {
            None => String::new(),
            Some(value) if ours.low > value => "Ours is higher.".to_owned(),
            Some(_) => "Ours is lower.".to_owned(),
        }
    }
}

/// The number to which a relative tolerance applies: a share's distance from 0 or 1, or the number itself.
fn scale(value: f64, unit: Unit) -> f64 {
    match unit {
        Unit::Percent if value < 1.0 => rare(value),
        _ => value,
    }
}

pub(super) fn number<S: Serializer>(
    result: &PublishedResult,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    result.value().serialize(serializer)
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
