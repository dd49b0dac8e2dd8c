//! What the papers' texts say in numbers. Their curves are not in the text, so that nothing of them is here.

/// A number that a paper states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stated {
    /// The experiment that it belongs to.
    pub experiment: &'static str,
    /// What it is about: an algorithm, a criterion, a mix.
    pub about: &'static str,
    /// What of that is stated.
    pub measure: Measure,
    /// The number, shares as parts of 1.
    pub value: f64,
    /// Where it is stated.
    pub place: &'static str,
}

/// What is stated.
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
    /// How many times slower or faster than what it is compared with.
    Ratio,
    /// The ratio that the mean stays below.
    MeanRatio,
}

const GCC: &str = "Gradual consistency checking (CAV 2019), section 5";
const WSC: &str = "Boosting sequential consistency checking, section 6";
const HPCA: &str = "Manovit & Hangal (HPCA 2006), section 5";
const TABLE_1: &str = "Manovit & Hangal (HPCA 2006), table 1";

/// All of them.
pub const STATED: [Stated; 23] = [
    stated("gcc-unordered", "ccm", Measure::Unordered, 0.066, GCC),
    stated("gcc-unordered", "ccv", Measure::Unordered, 0.5775, GCC),
    stated("gcc-fig5", "cc or ccv", Measure::Caught, 0.5, GCC),
    stated("gcc-fig5", "ccm", Measure::Caught, 1.0, GCC),
    stated("wsc-kernel", "wsc", Measure::WholeKernel, 0.7424, WSC),
    stated("wsc-kernel", "ccm", Measure::WholeKernel, 0.007, WSC),
    stated("wsc-kernel", "wsc", Measure::PartOfKernel, 0.9997, WSC),
    stated("wsc-kernel", "wsc", Measure::Ordered, 0.9851, WSC),
    stated("wsc-kernel", "ccm", Measure::Ordered, 0.9789, WSC),
    stated("wsc-fig9", "wsc", Measure::Caught, 1.0, WSC),
    stated("wsc-fig9", "ccm", Measure::Caught, 0.9875, WSC),
    stated("wsc-fig9", "wsc", Measure::AtMostSeconds, 8.0, WSC),
    // For 8 threads.
    stated("wsc-fig9", "dbcop", Measure::Ratio, 70.0, WSC),
    stated("tsotool-fig3", "heu", Measure::Ratio, 1.1, HPCA),
    stated("tsotool-fig4", "deriv-back", Measure::MeanRatio, 2.6, HPCA),
    // The largest programs: 512K operations, 60 threads, 256 locations; with backtracking, and without any.
    stated("tsotool-fig4", "deriv-back", Measure::Ratio, 2.18, HPCA),
    stated("tsotool-fig4", "deriv", Measure::Ratio, 2.08, HPCA),
    stated(
        "tsotool-table1",
        "LD-biased",
        Measure::Seconds,
        14.9,
        TABLE_1,
    ),
    stated(
        "tsotool-table1",
        "LD-ST equal",
        Measure::Seconds,
        16.5,
        TABLE_1,
    ),
    stated(
        "tsotool-table1",
        "ST-biased",
        Measure::Seconds,
        17.5,
        TABLE_1,
    ),
    stated("tsotool-table1", "LD-biased", Measure::Ratio, 1.45, TABLE_1),
    stated(
        "tsotool-table1",
        "LD-ST equal",
        Measure::Ratio,
        1.73,
        TABLE_1,
    ),
    stated("tsotool-table1", "ST-biased", Measure::Ratio, 2.05, TABLE_1),
];

const fn stated(
    experiment: &'static str,
    about: &'static str,
    measure: Measure,
    value: f64,
    place: &'static str,
) -> Stated {
    Stated {
        experiment,
        about,
        measure,
        value,
        place,
    }
}

/// What is stated of something in an experiment, if anything is.
pub fn find(experiment: &str, about: &str, measure: Measure) -> Option<&'static Stated> {
    STATED
        .iter()
        .find(|one| one.experiment == experiment && one.about == about && one.measure == measure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_stated_once() {
        for one in &STATED {
            assert_eq!(find(one.experiment, one.about, one.measure), Some(one));
        }
        assert_eq!(find("gcc-unordered", "wsc", Measure::Unordered), None);
    }
}
