//! The pairs of writes that the criteria order, as shares of all pairs and of the kernel.
//!
//! The kernel of a history is the order of writes that all memory orders that explain the history have in common.

use super::Missing;
use super::measure::Trials;
use crate::numbers::percent;
use crate::statistics::{Estimate, Share, mean};

/// The number of pairs of writes of one history that a criterion orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ordered {
    pub(super) ordered: u64,
    pub(super) pairs: u64,
    pub(super) kernel: Option<u64>,
}

impl Ordered {
    /// The share of the pairs that the criterion leaves unordered.
    pub(super) fn unordered(self) -> f64 {
        1.0 - self.ordered.min(self.pairs) as f64 / self.pairs as f64
    }

    /// The share of the kernel that the criterion orders; `None` if the kernel is unknown or empty.
    pub(super) fn of_kernel(self) -> Option<f64> {
        let kernel = self.kernel.filter(|kernel| *kernel > 0)?;
        Some(self.ordered.min(kernel) as f64 / kernel as f64)
    }
}

/// The pairs that a criterion orders, for each valid history with pairs of writes.
pub(super) fn ordered(trials: &Trials<'_>, criterion: &str) -> Result<Vec<Ordered>, Missing> {
    let with = trials.with(&[criterion])?;
    let histories = with.histories.iter();
    let rows = histories.filter_map(|history| {
        let row = history.by(criterion)?;
        let is_valid = row.said != tables::Reported::Violation;
        let pairs = (is_valid && row.write_pairs > 0).then_some(row.write_pairs)?;
        Some(Ordered {
            ordered: row.ordered.filter(|_| !row.said.is_cut_off())?,
            pairs,
            kernel: history.all().find_map(|row| row.kernel),
        })
    });
    let rows: Vec<Ordered> = rows.collect();
    match rows.len() {
        few if few < super::FEWEST => Err(Missing::Few(trials.experiment, few)),
        _ => Ok(rows),
    }
}

/// The rows of histories whose kernel is known and not empty.
pub(super) fn of_kernels(trials: &Trials<'_>, criterion: &str) -> Result<Vec<Ordered>, Missing> {
    let rows = ordered(trials, criterion)?.into_iter();
    let rows: Vec<Ordered> = rows.filter(|row| row.of_kernel().is_some()).collect();
    match rows.len() {
        few if few < super::FEWEST => Err(Missing::Few(trials.experiment, few)),
        _ => Ok(rows),
    }
}

/// The share of histories whose whole kernel a criterion orders.
pub(super) fn exact(rows: &[Ordered]) -> Share {
    Share::of(rows.iter().map(|row| row.of_kernel() == Some(1.0)))
}

/// The mean of a number over histories.
pub(super) fn average(rows: &[Ordered], of: impl Fn(&Ordered) -> f64) -> Estimate {
    let sum: f64 = rows.iter().map(of).sum();
    Estimate::exactly(sum / rows.len().max(1) as f64)
}

/// The mean share of the pairs that are in the kernel, an upper bound for every criterion; `None` if no kernel is
/// known.
pub(super) fn in_kernel(rows: &[Ordered]) -> Option<f64> {
    let shares = rows
        .iter()
        .filter_map(|row| Some(Estimate::exactly(row.kernel? as f64 / row.pairs as f64)));
    Some(mean(&shares.collect::<Vec<_>>())?.low)
}

/// The mean share of the pairs that are in the kernel as a sentence, with a space before it.
pub(super) fn ceiling(rows: &[Ordered]) -> String {
    in_kernel(rows).map_or(String::new(), |share| {
        format!(" The kernel has {} of the pairs, and no criterion can order more.", percent(share))
    })
}
