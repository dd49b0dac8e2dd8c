//! Quartiles and means of what was measured, where some of it was cut off.
//!
//! Of a run that was cut off it is only known that it would have taken longer. So it counts as larger than every run that
//! ended: a median is known while fewer than half of the runs were cut off, and otherwise lies beyond the limit.

/// A measured number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The number; at least that if the run was cut off.
    pub value: f64,
    /// Whether the run was cut off.
    pub is_cut_off: bool,
}

/// A quantile of measured numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantile {
    /// It is known.
    At(f64),
    /// It lies beyond this, among the runs that were cut off.
    Beyond(f64),
}

/// What some measurements have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// How many there are.
    pub runs: usize,
    /// How many of them were cut off.
    pub cut_off: usize,
    /// A quarter is below this.
    pub lower: Quantile,
    /// Half are below this.
    pub median: Quantile,
    /// Three quarters are below this.
    pub upper: Quantile,
    /// The mean of those that were not cut off.
    pub mean: Option<f64>,
}

impl Measured {
    /// A number that is known.
    pub fn exactly(value: f64) -> Measured {
        Measured {
            value,
            is_cut_off: false,
        }
    }
}

impl Quantile {
    /// Where to draw it.
    pub fn drawn(self) -> f64 {
        match self {
            Quantile::At(value) | Quantile::Beyond(value) => value,
        }
    }

    /// Whether it lies beyond the limit.
    pub fn is_beyond(self) -> bool {
        matches!(self, Quantile::Beyond(_))
    }
}

impl Summary {
    /// Of some measurements; none of none. What is no number counts as cut off at zero.
    pub fn of(measured: &[Measured]) -> Option<Summary> {
        let measured = measured.iter().map(|one| sound(*one));
        let (mut cut_off, mut ended): (Vec<Measured>, Vec<Measured>) =
            measured.partition(|one| one.is_cut_off);
        let by_value = |one: &Measured, other: &Measured| one.value.total_cmp(&other.value);
        ended.sort_by(by_value);
        let longest = ended.last().map_or(0.0, |one| one.value);
        for one in &mut cut_off {
            one.value = one.value.max(longest);
        }
        cut_off.sort_by(by_value);
        let total: f64 = ended.iter().map(|one| one.value).sum();
        let mean = (!ended.is_empty()).then(|| total / ended.len() as f64);
        let (runs, cut_off_runs) = (ended.len() + cut_off.len(), cut_off.len());
        ended.extend(cut_off);
        Some(Summary {
            runs,
            cut_off: cut_off_runs,
            lower: quantile(&ended, 0.25)?,
            median: quantile(&ended, 0.5)?,
            upper: quantile(&ended, 0.75)?,
            mean,
        })
    }
}

/// What is no number says nothing but that there was a run.
fn sound(measured: Measured) -> Measured {
    match measured.value.is_finite() {
        true => measured,
        false => Measured {
            value: 0.0,
            is_cut_off: true,
        },
    }
}

/// The quantile at a share of sorted measurements, between two of them in proportion; none of none.
fn quantile(sorted: &[Measured], share: f64) -> Option<Quantile> {
    let place = share * sorted.len().checked_sub(1)? as f64;
    let [low, high] = [place.floor(), place.ceil()].map(|place| sorted[place as usize]);
    let part = place - place.floor();
    Some(match high.is_cut_off {
        true => Quantile::Beyond(high.value),
        false => Quantile::At(low.value + (high.value - low.value) * part),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ended: &[f64], cut_off: &[f64]) -> Option<Summary> {
        let ended = ended.iter().copied().map(Measured::exactly);
        let cut_off = cut_off.iter().map(|value| Measured {
            value: *value,
            is_cut_off: true,
        });
        Summary::of(&ended.chain(cut_off).collect::<Vec<_>>())
    }

    #[test]
    fn quartiles() {
        let summary = of(&[5.0, 1.0, 2.0, 4.0, 3.0], &[]).unwrap();
        let quartiles = [summary.lower, summary.median, summary.upper];
        assert_eq!(quartiles, [2.0, 3.0, 4.0].map(Quantile::At));
        assert_eq!(summary.mean, Some(3.0));
        let summary = of(&[1.0, 2.0], &[]).unwrap();
        assert_eq!(summary.median, Quantile::At(1.5));
        assert_eq!(summary.lower, Quantile::At(1.25));
        assert_eq!(of(&[7.0], &[]).unwrap().upper, Quantile::At(7.0));
        assert_eq!(of(&[], &[]), None);
    }

    #[test]
    fn what_is_cut_off_is_larger_than_all_that_ended() {
        // The limit is below some of what ended, as a limit for memory may be.
        let summary = of(&[1.0, 2.0, 30.0], &[9.0, 40.0]).unwrap();
        assert_eq!((summary.runs, summary.cut_off), (5, 2));
        assert_eq!(summary.lower, Quantile::At(2.0));
        assert_eq!(summary.median, Quantile::At(30.0));
        assert_eq!(summary.upper, Quantile::Beyond(30.0));
        assert_eq!(summary.mean, Some(11.0));
    }

    #[test]
    fn a_median_between_the_two_is_not_known() {
        let summary = of(&[1.0], &[60.0]).unwrap();
        assert_eq!(summary.median, Quantile::Beyond(60.0));
        let summary = of(&[], &[60.0, 60.0]).unwrap();
        assert_eq!(summary.lower, Quantile::Beyond(60.0));
        assert_eq!(summary.mean, None);
    }

    #[test]
    fn no_numbers() {
        let summary = of(&[f64::NAN, 1.0, f64::INFINITY], &[]).unwrap();
        assert_eq!((summary.runs, summary.cut_off), (3, 2));
        assert_eq!(summary.mean, Some(1.0));
    }
}
