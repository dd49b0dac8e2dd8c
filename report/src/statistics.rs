//! Estimates, quantiles, means and shares of numbers that are only partly known, because runs time out.

use std::fmt;

use crate::claims::measure::FEWEST_CASES;
use crate::numbers::percent;

/// The interval in which a measured number lies: a point if it is known, without an upper bound if the run timed out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl Estimate {
    /// A known number.
    pub fn exactly(value: f64) -> Estimate {
        Estimate { low: value, high: value }
    }

    /// A number of which only a lower bound is known.
    pub fn at_least(low: f64) -> Estimate {
        Estimate { low, high: f64::INFINITY }
    }

    /// Whether there is no upper bound, because the run timed out.
    pub fn is_open(self) -> bool {
        self.high == f64::INFINITY
    }

    /// Whether anything is known about the number, given that it is not negative.
    pub fn is_informative(self) -> bool {
        self.low > 0.0 || self.high < f64::INFINITY
    }

    /// Whether the number is larger than another; `None` if the bounds do not decide it.
    pub fn exceeds(self, other: Estimate) -> Option<bool> {
        match () {
            () if self.low > other.high => Some(true),
            () if self.high <= other.low => Some(false),
            () => None,
        }
    }

    /// A multiple of the number.
    pub fn times(self, factor: f64) -> Estimate {
        Estimate { low: self.low * factor, high: self.high * factor }
    }

    /// The quotient of the number and another one, neither being negative; `None` if the other may be 0.
    pub fn over(self, other: Estimate) -> Option<Estimate> {
        (other.low > 0.0).then(|| Estimate {
            low: if other.is_open() { 0.0 } else { self.low / other.high },
            high: self.high / other.low,
        })
    }

    /// The number as `show` formats it, with words such as `at least` if only bounds are known.
    pub fn shown(self, show: impl Fn(f64) -> String) -> String {
        match (self.low, self.high) {
            (low, high) if low == high => show(low),
            (low, f64::INFINITY) if low > 0.0 => format!("at least {}", show(low)),
            (_, f64::INFINITY) => "unknown".to_owned(),
            (low, high) if low <= 0.0 => format!("at most {}", show(high)),
            (low, high) => match (show(low), show(high)) {
                (low, high) if low == high => low,
                (low, high) => format!("{low} to {high}"),
            },
        }
    }
}

/// The mean of the numbers; `None` if there are none.
pub fn mean(numbers: &[Estimate]) -> Option<Estimate> {
    let count = (!numbers.is_empty()).then_some(numbers.len() as f64)?;
    let sum = |end: fn(&Estimate) -> f64| numbers.iter().map(end).sum::<f64>() / count;
    Some(Estimate { low: sum(|number| number.low), high: sum(|number| number.high) })
}

/// The median of the numbers, which is the mean of the two in the middle if their count is even; `None` if there are none.
pub fn median(numbers: &[Estimate]) -> Option<Estimate> {
    quantile(numbers, 0.5)
}

/// The number below which a share of the numbers lies, interpolated between neighbours; `None` if there are no numbers.
fn quantile(numbers: &[Estimate], share: f64) -> Option<Estimate> {
    // The k-th smallest number grows with each of them, so its bounds are the k-th smallest bounds.
    let place = share * numbers.len().checked_sub(1)? as f64;
    let part = place - place.floor();
    let bound = |end: fn(&Estimate) -> f64| {
        let mut ends: Vec<f64> = numbers.iter().map(end).collect();
        ends.sort_by(f64::total_cmp);
        let [low, high] = [place.floor(), place.ceil()].map(|place| ends[place as usize]);
        // Infinity minus infinity would be NaN.
        if low == high { low } else { low + (high - low) * part }
    };
    Some(Estimate { low: bound(|number| number.low), high: bound(|number| number.high) })
}

/// Quartiles and mean of some measurements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The number of measurements.
    pub runs: usize,
    /// The number of measurements that have no upper bound, because the run timed out.
    pub timed_out: usize,
    /// The lower quartile.
    pub lower: Estimate,
    /// The median over all runs.
    pub median: Estimate,
    /// The upper quartile.
    pub upper: Estimate,
    /// The mean; `None` if a run timed out, since the mean of the others would be too small.
    pub mean: Option<f64>,
}

impl Summary {
    /// The summary of some measurements; `None` if there are no measurements.
    pub fn of(numbers: &[Estimate]) -> Option<Summary> {
        let mean = mean(numbers)?;
        let timed_out = numbers.iter().filter(|number| number.is_open()).count();
        Some(Summary {
            runs: numbers.len(),
            timed_out,
            lower: quantile(numbers, 0.25)?,
            median: quantile(numbers, 0.5)?,
            upper: quantile(numbers, 0.75)?,
            mean: (timed_out == 0).then_some(mean.low),
        })
    }
}

impl Summary {
    /// A summary that has the mean in the place of the median and of the quartiles, as papers show it; `None` if there
    /// are no measurements. If a measurement has no upper bound, neither has the mean.
    pub fn of_mean(numbers: &[Estimate]) -> Option<Summary> {
        let mean = mean(numbers)?;
        Some(Summary { lower: mean, median: mean, upper: mean, ..Summary::of(numbers)? })
    }
}

/// The number of cases that have a property, and the number of all cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// The number of cases that have the property.
    pub part: u64,
    /// The number of all cases.
    pub of: u64,
}

impl Share {
    /// Counts the cases that are true.
    pub fn of(all: impl IntoIterator<Item = bool>) -> Share {
        all.into_iter().fold(Share::default(), |share, one| Share {
            part: share.part + u64::from(one),
            of: share.of + 1,
        })
    }

    /// The 95 % confidence interval of the fraction, by Wilson's method; 0 to 1 if there are no cases.
    pub fn interval(self) -> Estimate {
        /// The 97.5th percentile of the standard normal distribution.
        const Z: f64 = 1.96;
        if self.of == 0 {
            return Estimate { low: 0.0, high: 1.0 };
        }
        let (share, of) = (self.value(), self.of as f64);
        let scale = 1.0 + Z * Z / of;
        let middle = (share + Z * Z / (2.0 * of)) / scale;
        let half = Z * (share * (1.0 - share) / of + Z * Z / (4.0 * of * of)).sqrt() / scale;
        Estimate { low: (middle - half).max(0.0), high: (middle + half).min(1.0) }
    }

    /// The fraction in percent. Where cases are few, the count and the 95 % confidence interval are beside it: `27.27 % (3 of 11; 9.75 to
    /// 56.56 %)`.
    pub fn shown(self) -> String {
        let Estimate { low, high } = self.interval();
        let value = percent(self.value());
        if self.of >= FEWEST_CASES {
            return value;
        }
        let low = percent(low);
        format!("{value} ({self}; {} to {})", low.trim_end_matches(" %"), percent(high))
    }

    /// The fraction; `None` if there are no cases.
    pub fn known(self) -> Option<f64> {
        (self.of > 0).then(|| self.value())
    }

    /// The fraction; 0 if there are no cases.
    pub fn value(self) -> f64 {
        match self.of {
            0 => 0.0,
            of => self.part as f64 / of as f64,
        }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} of {}", self.part, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_runs_that_were_cut_off() {
        let known = Estimate::exactly;
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[known(9.0), known(1.0), Estimate::at_least(60.0)]), Some(known(9.0)));
        assert_eq!(median(&[known(9.0), Estimate::at_least(60.0)]), Some(Estimate::at_least(34.5)));
        // A run that reached the memory limit early counts among the slowest.
        assert_eq!(
            median(&[Estimate::at_least(1.0), known(2.0), known(3.0)]),
            Some(Estimate { low: 2.0, high: 3.0 })
        );
        assert_eq!(mean(&[known(1.0), known(3.0)]), Some(known(2.0)));
        assert_eq!(mean(&[known(1.0), Estimate::at_least(3.0)]), Some(Estimate::at_least(2.0)));
        assert_eq!(mean(&[]), None);
    }

    #[test]
    fn summaries() {
        let known = [5.0, 1.0, 2.0, 4.0, 3.0].map(Estimate::exactly);
        let summary = Summary::of(&known).unwrap();
        let quartiles = [summary.lower, summary.median, summary.upper];
        assert_eq!(quartiles, [2.0, 3.0, 4.0].map(Estimate::exactly));
        assert_eq!((summary.runs, summary.mean), (5, Some(3.0)));
        let some = [Estimate::exactly(1.0), Estimate::at_least(60.0)];
        let summary = Summary::of(&some).unwrap();
        assert_eq!((summary.timed_out, summary.mean), (1, None));
        assert_eq!(summary.median, Estimate::at_least(30.5));
        let none = Summary::of(&[Estimate::at_least(60.0); 3]).unwrap();
        assert_eq!(none.lower, Estimate::at_least(60.0));
        assert_eq!(Summary::of(&[]), None);
    }

    #[test]
    fn ratios_are_as_sure_as_what_they_are_of() {
        let known = Estimate::exactly;
        assert_eq!(known(6.0).over(known(2.0)), Some(known(3.0)));
        assert_eq!(Estimate::at_least(6.0).over(known(2.0)), Some(Estimate::at_least(3.0)));
        let at_most = Estimate { low: 0.0, high: 3.0 };
        assert_eq!(known(6.0).over(Estimate::at_least(2.0)), Some(at_most));
        assert!(!Estimate::at_least(6.0).over(Estimate::at_least(2.0)).unwrap().is_informative());
        assert_eq!(known(6.0).over(known(0.0)), None);
        assert_eq!(Estimate::at_least(3.0).exceeds(known(2.0)), Some(true));
        assert_eq!(Estimate::at_least(3.0).exceeds(known(4.0)), None);
        assert_eq!(at_most.exceeds(known(3.0)), Some(false));
        let whole = |number: f64| format!("{number:.0}");
        let ends = |low, high| Estimate { low, high }.shown(whole);
        assert_eq!([ends(2.0, 2.1), ends(2.0, 3.1)], ["2", "2 to 3"]);
        let shown = [known(3.0), Estimate::at_least(3.0), at_most, Estimate::at_least(0.0)]
            .map(|one| one.shown(whole));
        assert_eq!(shown, ["3", "at least 3", "at most 3", "unknown"]);
    }

    #[test]
    fn shares() {
        let share = Share::of([true, false, false, true]);
        assert_eq!((share.value(), share.to_string()), (0.5, "2 of 4".into()));
        assert_eq!(Share::default().value(), 0.0);
        // Values from published tables of Wilson's interval.
        let rounded = |part, of| {
            let Estimate { low, high } = Share { part, of }.interval();
            [low, high].map(|end| (end * 1000.0).round() / 1000.0)
        };
        assert_eq!(rounded(0, 0), [0.0, 1.0]);
        assert_eq!(rounded(0, 10), [0.0, 0.278]);
        assert_eq!(rounded(10, 10), [0.722, 1.0]);
        assert_eq!(rounded(82, 100), [0.733, 0.883]);
        assert_eq!(Share { part: 3, of: 11 }.shown(), "27.27 % (3 of 11; 9.75 to 56.57 %)");
        assert_eq!(Share { part: 30, of: 120 }.shown(), "25 %");
    }
}
