//! Axes: their range and scale, the positions of numbers on them, and their labels.

use std::cmp::Reverse;
use std::ops::Range;

use plotters::coord::ranged1d::{
    KeyPointHint, KeyPointWeight, NoDefaultFormatting, Ranged, ValueFormatter,
};

use super::font::LABEL;
use crate::numbers::{count, percent, ratio, seconds};

/// Ratio of the largest to the smallest number from which an axis of scale [`Scale::Auto`] is logarithmic.
const LOGARITHMIC_FROM: f64 = 20.0;

/// Ratio of the largest to the smallest value of a varied parameter from which its axis is logarithmic.
const LOGARITHMIC_POINTS_FROM: f64 = 8.0;

/// Smallest number on a logarithmic axis if none is above zero.
const SMALLEST: f64 = 1e-6;

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    /// The quantity that the axis shows, with the unit if the labels have none.
    pub name: String,
    low: f64,
    high: f64,
    is_log: bool,
    ticks: Vec<(f64, String)>,
    /// Grid lines without label.
    minor: Vec<f64>,
    /// Whether the labels are names, none of which can be left out.
    has_names: bool,
}

/// The scale of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Linear, from 0.
    Linear,
    Logarithmic,
    /// Logarithmic if the largest number is many times the smallest.
    Auto,
}

/// A function that formats a number on an axis.
type Format = fn(f64) -> String;

impl Axis {
    /// An axis of times, in seconds.
    pub(crate) fn seconds(name: &str, values: impl Iterator<Item = f64>, scale: Scale) -> Axis {
        Axis::scaled(name, values, scale, seconds)
    }

    /// An axis of numbers of things.
    pub(crate) fn counts(name: &str, values: impl Iterator<Item = f64>, scale: Scale) -> Axis {
        Axis::scaled(name, values, scale, |value| count(value.round() as u64))
    }

    /// An axis of ratios.
    pub(crate) fn ratios(name: &str, values: impl Iterator<Item = f64>, scale: Scale) -> Axis {
        Axis::scaled(name, values, scale, ratio)
    }

    /// An axis of shares, from about `low` to 100 %, with additional space above, which is `room` times that range.
    pub(crate) fn shares(name: &str, low: f64, room: f64) -> Axis {
        let low = low.clamp(0.0, 0.9999);
        let step = nice((1.0 - low) / 4.0);
        let low = (low / step + 1e-9).floor() * step;
        let mut axis = Axis::linear(name, low, 1.0, percent);
        axis.high = 1.0 + (1.0 - low) * room;
        axis
    }

    /// An axis of shares, from 0 to a little above the largest.
    pub(crate) fn shares_to(name: &str, most: f64) -> Axis {
        Axis::linear(name, 0.0, (most * 1.06).clamp(0.0001, 1.04), percent)
    }

    /// An axis that labels exactly these numbers.
    pub(crate) fn points(name: &str, values: &[u64]) -> Axis {
        let mut values = values.to_vec();
        values.sort_unstable();
        values.dedup();
        let (least, most) = ends(values.iter().map(|value| *value as f64));
        let is_log = least > 0.0 && most / least >= LOGARITHMIC_POINTS_FROM;
        let room = |low: f64, high: f64| if high > low { (high - low) * 0.05 } else { 0.5 };
        let (low, high) = if is_log {
            let room = room(least.ln(), most.ln()).exp();
            (least / room, most * room)
        } else {
            let room = room(least, most);
            (least - room, most + room)
        };
        let ticks = values.iter().map(|value| (*value as f64, count(*value)));
        Axis {
            name: name.to_owned(),
            low,
            high,
            is_log,
            ticks: ticks.collect(),
            minor: Vec::new(),
            has_names: false,
        }
    }

    /// An axis of names, at 0, 1, …
    pub(crate) fn names(name: &str, names: &[String]) -> Axis {
        let ticks = names.iter().enumerate();
        Axis {
            name: name.to_owned(),
            low: -0.6,
            high: names.len().max(1) as f64 - 0.4,
            is_log: false,
            ticks: ticks.map(|(at, name)| (at as f64, name.clone())).collect(),
            minor: Vec::new(),
            has_names: true,
        }
    }

    /// An axis of names from top to bottom, for rows.
    pub(crate) fn rows(name: &str, names: &[String]) -> Axis {
        let axis = Axis::names(name, names);
        Axis { low: axis.high, high: axis.low, ..axis }
    }

    fn scaled(name: &str, values: impl Iterator<Item = f64>, scale: Scale, format: Format) -> Axis {
        let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        let (least, most) = ends(values.iter().copied().filter(|value| *value > 0.0));
        let in_decades = match scale {
            Scale::Linear => false,
            Scale::Logarithmic => true,
            Scale::Auto => least > 0.0 && most / least >= LOGARITHMIC_FROM,
        };
        if in_decades {
            Axis::logarithmic(name, least.max(SMALLEST), most.max(SMALLEST), format)
        } else {
            let (_, most) = ends(values.into_iter());
            Axis::linear(name, 0.0, if most > 0.0 { most * 1.08 } else { 1.0 }, format)
        }
    }

    fn linear(name: &str, low: f64, high: f64, format: Format) -> Axis {
        let step = nice((high - low) / 5.0);
        let first = (low / step - 1e-9).ceil();
        let ticks = (0..=20).map(|at| (first + f64::from(at)) * step);
        let ticks = ticks.filter(|tick| *tick <= high + step * 1e-9);
        let mut ticks: Vec<(f64, String)> = ticks.map(|tick| (tick, format(tick))).collect();
        // An axis of whole numbers has no tick between two of them.
        ticks.dedup_by(|one, other| one.1 == other.1);
        Axis {
            name: name.to_owned(),
            low,
            high,
            is_log: false,
            ticks,
            minor: Vec::new(),
            has_names: false,
        }
    }

    fn logarithmic(name: &str, least: f64, most: f64, format: Format) -> Axis {
        let (low, high) = (least / 1.4, most * 1.4);
        let [first, last] = [low.log10().floor() as i32, high.log10().ceil() as i32];
        let decades = (high / low).log10();
        // The fewer decades, the more labels each has.
        let labelled: &[f64] = if decades < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let every = (decades / 9.0).ceil() as i32;
        let all = (first..=last).flat_map(|power| {
            (1..10)
                .map(move |digit| (power, f64::from(digit), f64::from(digit) * 10_f64.powi(power)))
        });
        let inside = all.filter(|(.., value)| (low..=high).contains(value));
        let (mut ticks, mut minor) = (Vec::new(), Vec::new());
        for (power, digit, value) in inside {
            if labelled.contains(&digit) && power % every == 0 {
                ticks.push((value, format(value)))
            } else {
                minor.push(value)
            }
        }
        Axis { name: name.to_owned(), low, high, is_log: true, ticks, minor, has_names: false }
    }

    /// Whether the axis is logarithmic.
    pub(crate) fn is_logarithmic(&self) -> bool {
        self.is_log
    }

    /// The lower end.
    pub(crate) fn low(&self) -> f64 {
        self.low
    }

    /// The upper end.
    pub(crate) fn high(&self) -> f64 {
        self.high
    }

    /// The labels of the axis.
    pub(crate) fn labels(&self) -> impl Iterator<Item = &str> {
        self.ticks.iter().map(|(_, label)| label.as_str())
    }

    /// The numbers that have labels, with the labels.
    pub(crate) fn ticks(&self) -> &[(f64, String)] {
        &self.ticks
    }

    /// Returns the number that lies beyond `value` by a part of the axis, where 1 is the whole axis.
    pub(crate) fn moved(&self, value: f64, part: f64) -> f64 {
        if self.is_log {
            value * (self.high / self.low).powf(part)
        } else {
            value + (self.high - self.low) * part
        }
    }

    /// The smallest distance between neighbouring labels, as a part of the axis; 1 if there are fewer than two.
    pub(crate) fn spacing(&self) -> f64 {
        let parts: Vec<f64> = self.ticks.iter().map(|(value, _)| self.part(*value)).collect();
        parts.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(1.0, f64::min)
    }

    /// Whether the labels of the axis are names.
    pub(crate) fn has_names(&self) -> bool {
        self.has_names
    }

    /// Whether the labels of the axis are names that have no room in a width of so many pixels unless they are upright.
    pub(crate) fn needs_upright_labels(&self, pixels: i32) -> bool {
        self.has_names && self.thinned(pixels).ticks.len() < self.ticks.len()
    }

    /// The axis with its tick marks, but without labels.
    pub(crate) fn without_labels(&self) -> Axis {
        let mut axis = self.clone();
        axis.ticks.iter_mut().for_each(|(_, label)| label.clear());
        axis
    }

    /// The axis without the labels that have no room in a width of so many pixels. Round numbers keep their labels
    /// before others; numbers without label keep a grid line.
    pub(crate) fn thinned(&self, pixels: i32) -> Axis {
        let ends = self.ticks.iter().map(|(value, label)| {
            let half = LABEL.width(label) / 2 + 3;
            let at = self.map(value, (0, pixels));
            (at - half, at + half)
        });
        let ends: Vec<(i32, i32)> = ends.collect();
        let mut order: Vec<usize> = (0..ends.len()).collect();
        if !self.has_names {
            order.sort_by_key(|at| roundness(self.ticks[*at].0));
        }
        let mut kept: Vec<usize> = Vec::new();
        for at in order {
            let (start, end) = ends[at];
            if kept.iter().all(|other| end <= ends[*other].0 || ends[*other].1 <= start) {
                kept.push(at);
            }
        }
        let mut axis = self.clone();
        axis.ticks.clear();
        for (at, tick) in self.ticks.iter().enumerate() {
            if kept.contains(&at) {
                axis.ticks.push(tick.clone());
            } else if !self.has_names {
                axis.minor.push(tick.0);
            }
        }
        axis
    }

    /// The part of the axis that is below a number, from 0 to 1.
    fn part(&self, value: f64) -> f64 {
        let [value, low, high] = if self.is_log {
            [value.max(f64::MIN_POSITIVE), self.low, self.high].map(f64::ln)
        } else {
            [value, self.low, self.high]
        };
        let part = (value - low) / (high - low);
        if part.is_nan() { 0.0 } else { part.clamp(0.0, 1.0) }
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let length = f64::from(limit.1) - f64::from(limit.0);
        limit.0 + (length * self.part(*value)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        match hint.weight() {
            KeyPointWeight::Bold => self.ticks.iter().map(|(value, _)| *value).collect(),
            KeyPointWeight::Any => self.minor.clone(),
        }
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        let tick = self.ticks.iter().find(|(tick, _)| tick == value);
        tick.map(|(_, label)| label.clone()).unwrap_or_default()
    }
}

/// Returns a key that sorts numbers with many zeros at the end before those with few.
fn roundness(value: f64) -> Reverse<u32> {
    let mut zeros = 0;
    let mut rest = value.abs();
    while rest >= 10.0 && rest % 10.0 == 0.0 {
        rest /= 10.0;
        zeros += 1;
    }
    Reverse(zeros)
}

/// The smallest and the largest value; zeros if there is none.
fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let ends = values.fold(None, |ends: Option<(f64, f64)>, value| {
        let (low, high) = ends.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    });
    ends.unwrap_or_default()
}

/// Rounds a step up to 1, 2, 5 or 10 times a power of ten.
fn nice(step: f64) -> f64 {
    let power = 10_f64.powf(step.max(f64::MIN_POSITIVE).log10().floor());
    let digits = [1.0, 2.0, 5.0, 10.0].into_iter();
    let fitting = digits.map(|digit| digit * power);
    fitting.into_iter().find(|nice| *nice >= step * 0.999).unwrap_or(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.labels().collect()
    }

    #[test]
    fn times() {
        let axis =
            |values: &[f64], division| Axis::seconds("time", values.iter().copied(), division);
        let far = axis(&[0.0002, 3.0], Scale::Auto);
        assert_eq!(labels(&far), ["1 ms", "10 ms", "100 ms", "1 s"]);
        let near = axis(&[0.002, 0.01], Scale::Auto);
        assert_eq!(labels(&near), ["0 s", "5 ms", "10 ms"]);
        let few = axis(&[0.002, 0.05], Scale::Auto);
        assert_eq!(labels(&few), ["2 ms", "5 ms", "10 ms", "20 ms", "50 ms"]);
    }

    #[test]
    fn nothing_to_show_is_no_reason_to_panic() {
        for division in [Scale::Linear, Scale::Logarithmic, Scale::Auto] {
            for values in [&[][..], &[0.0], &[f64::NAN], &[f64::INFINITY, 1.0], &[1e-300, 1e300]] {
                let axis = Axis::seconds("time", values.iter().copied(), division);
                assert!((0..=100).contains(&axis.map(&0.5, (0, 100))));
                assert!(axis.labels().count() < 40, "{values:?}");
            }
        }
        assert_eq!(labels(&Axis::points("n", &[])), [""; 0]);
        assert_eq!(labels(&Axis::names("x", &[])), [""; 0]);
    }

    #[test]
    fn of_two_close_numbers_the_round_one_is_labelled() {
        let axis = Axis::points("operations", &[100, 296, 300, 303, 500]);
        assert_eq!(labels(&axis.thinned(300)), ["100", "300", "500"]);
        assert_eq!(axis.thinned(300).minor, [296.0, 303.0]);
        assert_eq!(labels(&axis.thinned(30_000)).len(), 5);
    }

    #[test]
    fn points_are_where_the_data_is() {
        let axis = Axis::points("operations", &[500, 100, 100, 300]);
        assert_eq!(labels(&axis), ["100", "300", "500"]);
        assert_eq!(axis.map(&300.0, (0, 100)), 50);
        let doubling: Vec<u64> = (10..20).map(|power| 1 << power).collect();
        let axis = Axis::points("operations", &doubling);
        assert_eq!(axis.map(&f64::from(1 << 14), (0, 90)), 40);
        assert!(axis.thinned(100).labels().count() < axis.labels().count());
        assert_eq!(axis.thinned(2000).labels().count(), 10);
        let single = Axis::points("threads", &[4]);
        assert_eq!(single.map(&4.0, (0, 100)), 50);
    }

    #[test]
    fn rows_go_down() {
        let axis = Axis::rows("operator", &["a".to_owned(), "b".to_owned()]);
        // Pixel coordinates grow downwards; plotters inverts them.
        assert!(axis.map(&0.0, (100, 0)) < axis.map(&1.0, (100, 0)));
    }

    #[test]
    fn shares_end_at_the_whole() {
        assert_eq!(
            labels(&Axis::shares("share", 0.0, 0.1)),
            ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"]
        );
        let narrow = Axis::shares("share", 0.9931, 0.1);
        assert_eq!(labels(&narrow)[0], "99.2 %");
        assert_eq!(labels(&narrow).last(), Some(&"100 %"));
    }
}
