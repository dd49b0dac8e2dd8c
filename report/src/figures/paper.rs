//! Which of the papers' numbers is drawn where. The numbers themselves are those of [`claims`](crate::claims::paper): the
//! papers' curves are not in their texts, so that nothing of them is here.

use crate::claims::paper::{self as claims, Figure, Stated};

/// What of something is drawn. Shares are parts of 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The mean share of pairs of writes that are not ordered.
    Unordered,
    /// The mean share of pairs of writes that are ordered.
    Ordered,
    /// The share of histories of which the whole kernel is found.
    WholeKernel,
    /// The mean share of the kernel that is found where it is not the whole.
    PartOfKernel,
    /// The share of violations that are found.
    Caught,
    /// A time in seconds that no run exceeds.
    AtMostSeconds,
    /// The mean time in seconds.
    Seconds,
    /// How many times as long as what it is compared with.
    Ratio,
    /// A ratio that the mean stays below.
    MeanRatio,
}

/// What of a claim is to be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Its number.
    Whole,
    /// What is left of 1.
    Rest,
    /// One more than it: time beyond another as a ratio.
    Beyond,
    /// One of its three numbers.
    At(usize),
}

/// What a number is about, what it measures, and which it is.
type Place = (&'static str, Measure, Stated, Part);

/// All places.
const PLACES: [Place; 24] = [
    (
        "ccm",
        Measure::Unordered,
        claims::GCC_UNORDERED_CCM,
        Part::Whole,
    ),
    (
        "ccv",
        Measure::Unordered,
        claims::GCC_UNORDERED_CCV,
        Part::Whole,
    ),
    (
        "wccm",
        Measure::Unordered,
        claims::GCC_UNORDERED_WCCM,
        Part::Whole,
    ),
    (
        "cc or ccv",
        Measure::Caught,
        claims::GCC_CAUSAL,
        Part::Whole,
    ),
    ("ccm", Measure::Caught, claims::GCC_VIOLATIONS, Part::Whole),
    ("wsc", Measure::WholeKernel, claims::WSC_EXACT, Part::Whole),
    ("ccm", Measure::WholeKernel, claims::CCM_EXACT, Part::Whole),
    ("wsc", Measure::PartOfKernel, claims::WSC_REST, Part::Whole),
    ("wsc", Measure::Ordered, claims::WSC_PAIRS, Part::Whole),
    ("ccm", Measure::Ordered, claims::CCM_PAIRS, Part::Whole),
    ("wsc", Measure::Caught, claims::FIG9_ALL, Part::Whole),
    ("ccm", Measure::Caught, claims::FIG9_MISSES, Part::Rest),
    (
        "wsc",
        Measure::AtMostSeconds,
        claims::FIG9_SECONDS,
        Part::Whole,
    ),
    ("dbcop", Measure::Ratio, claims::FIG9_DBCOP, Part::Whole),
    ("heu", Measure::Ratio, claims::HEU_OVERHEAD, Part::Beyond),
    (
        "deriv-back",
        Measure::MeanRatio,
        claims::BACK_SLOWDOWN,
        Part::Whole,
    ),
    (
        "deriv-back",
        Measure::Ratio,
        claims::BACK_LARGEST,
        Part::Beyond,
    ),
    ("deriv", Measure::Ratio, claims::DERIV_LARGEST, Part::Beyond),
    (
        "LD-biased",
        Measure::Seconds,
        claims::MIX_BASELINE,
        Part::At(0),
    ),
    (
        "LD-ST equal",
        Measure::Seconds,
        claims::MIX_BASELINE,
        Part::At(1),
    ),
    (
        "ST-biased",
        Measure::Seconds,
        claims::MIX_BASELINE,
        Part::At(2),
    ),
    (
        "LD-biased",
        Measure::Ratio,
        claims::MIX_SLOWDOWN,
        Part::At(0),
    ),
    (
        "LD-ST equal",
        Measure::Ratio,
        claims::MIX_SLOWDOWN,
        Part::At(1),
    ),
    (
        "ST-biased",
        Measure::Ratio,
        claims::MIX_SLOWDOWN,
        Part::At(2),
    ),
];

/// What a paper states of something in an experiment, if it does.
pub fn stated(experiment: &str, about: &str, measure: Measure) -> Option<f64> {
    let (.., claim, part) = PLACES.iter().find(|(name, measured, claim, _)| {
        claim.experiment == experiment && *name == about && *measured == measure
    })?;
    match (part, claim.figure) {
        (Part::Whole, figure) => figure.value(),
        (Part::Rest, figure) => Some(rounded(1.0 - figure.value()?)),
        (Part::Beyond, figure) => Some(rounded(1.0 + figure.value()?)),
        (Part::At(place), Figure::Rising(values, _)) => values.get(*place).copied(),
        (Part::At(_), _) => None,
    }
}

/// Without what computing adds behind the digits of a paper.
fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_has_a_number_of_its_own() {
        for (at, (about, measure, claim, _)) in PLACES.iter().enumerate() {
            assert!(
                stated(claim.experiment, about, *measure).is_some(),
                "{about}"
            );
            let is_same = |other: &Place| {
                (other.0, other.1, other.2.experiment) == (*about, *measure, claim.experiment)
            };
            assert_eq!(PLACES.iter().position(is_same), Some(at), "{about}");
        }
    }

    #[test]
    fn numbers_are_drawn_as_what_the_axis_shows() {
        assert_eq!(
            stated("gcc-unordered", "ccv", Measure::Unordered),
            Some(0.5775)
        );
        assert_eq!(stated("wsc-fig9", "ccm", Measure::Caught), Some(0.9875));
        assert_eq!(
            stated("tsotool-fig4", "deriv-back", Measure::Ratio),
            Some(2.18)
        );
        assert_eq!(
            stated("tsotool-table1", "ST-biased", Measure::Ratio),
            Some(2.05)
        );
        assert_eq!(stated("gcc-unordered", "wsc", Measure::Unordered), None);
    }
}
