//! Places the two halves of a long history at the same time.
//!
//! Whether a history is divided depends on its length alone, so the order does not depend on the number of
//! processors.

use std::sync::atomic::{AtomicBool, Ordering};

use super::cut::{Cut, WARM_UP};
use super::part::Part;
use super::search::{Progress, Search};
use super::{Input, WindowLimits, WindowOutcome};
use host::Bounds;

use crate::engine::both::both;

/// Number of windows, and number of events, that a history needs at least to be divided.
const MINIMUM_WINDOWS: usize = 128;
const MINIMUM_EVENTS: usize = 1 << 16;
/// Memory of the two parts, of the lists that they are made with, and of the two searches, in bytes for each event. The
/// searches ask for theirs at the same time, when neither has it yet.
const BYTES_PER_EVENT: usize = 84;
/// Number of windows on either side of the cut within which a contradiction may be due to the cut.
const NEAR: usize = WARM_UP + 6;

/// Searches a memory order by halves. `None` if the whole history should be searched instead: it is short, or
/// cannot be divided.
pub(super) fn order(
    input: &Input<'_>,
    admission: &[u32],
    extent: WindowLimits,
    bounds: &Bounds,
) -> Option<WindowOutcome> {
    let nodes = input.nodes();
    if nodes < MINIMUM_EVENTS || nodes < MINIMUM_WINDOWS * extent.size {
        return None;
    }
    if !bounds.allows(nodes * BYTES_PER_EVENT) {
        return Some(WindowOutcome::Exceeded);
    }
    let cut = Cut::find(input, admission, extent, bounds)?;
    let halves = Halves { input, admission, extent, cut, is_over: AtomicBool::new(false) };
    let copy = bounds.clone();
    let (first, (second, copy)) = both(
        nodes,
        || halves.first(bounds),
        || {
            let second = halves.second(&copy);
            (second, copy)
        },
    );
    bounds.include(&copy);
    join(first, second)
}

/// How the search of a half ended.
enum HalfResult {
    /// All of its events, in an order that follows the rules.
    Order(Vec<u32>),
    /// There was a contradiction that may be due to the cut.
    FailedNearCut,
    /// There was a contradiction that the whole history has as well, after about this many events of the
    /// order of admission.
    Failed(usize),
    /// The other half had such a contradiction.
    Stopped,
    /// One of the [`Bounds`] was met.
    Exceeded,
}

/// Combines the results of the halves. Returns `None` if a failure may be due to the cut.
fn join(first: HalfResult, second: HalfResult) -> Option<WindowOutcome> {
    match (first, second) {
        (HalfResult::Order(mut order), HalfResult::Order(second)) => {
            order.extend(second);
            Some(WindowOutcome::Order(order))
        }
        (HalfResult::Exceeded, _) | (_, HalfResult::Exceeded) => Some(WindowOutcome::Exceeded),
        (HalfResult::Failed(placed), _) | (_, HalfResult::Failed(placed)) => {
            Some(WindowOutcome::GaveUp { placed })
        }
        _ => None,
    }
}

struct Halves<'a> {
    input: &'a Input<'a>,
    /// The order of admission.
    admission: &'a [u32],
    extent: WindowLimits,
    cut: Cut,
    /// Whether a half failed for a reason other than the cut, so that the other one does not matter.
    is_over: AtomicBool,
}

impl Halves<'_> {
    fn first(&self, bounds: &Bounds) -> HalfResult {
        let part = self.cut.first(self.input, self.admission);
        let near = part.admission().len().saturating_sub(NEAR * self.extent.size);
        self.place(&part, 0, bounds, |placed| placed >= near)
    }

    fn second(&self, bounds: &Bounds) -> HalfResult {
        let part = self.cut.second(self.input, self.admission);
        let (near, first) =
            (NEAR * self.extent.size, self.admission.len() - part.admission().len());
        self.place(&part, first, bounds, |placed| placed < near)
    }

    /// Places the events of a half that has `first` events of the history before it. `is_near` takes the
    /// number of the half's events that were placed before a contradiction and returns whether the
    /// contradiction may be due to the cut.
    fn place(
        &self,
        part: &Part,
        first: usize,
        bounds: &Bounds,
        is_near: impl Fn(usize) -> bool,
    ) -> HalfResult {
        let input = part.input();
        let Some(mut search) = Search::new(&input, part.admission(), self.extent, bounds) else {
            return HalfResult::Exceeded;
        };
        match search.run(|_| self.is_over.load(Ordering::Relaxed)) {
            Progress::Complete => {
                let order = search.into_order().into_iter();
                HalfResult::Order(order.map(|event| part.original(event)).collect())
            }
            Progress::GaveUp if is_near(search.best()) => HalfResult::FailedNearCut,
            Progress::GaveUp => {
                self.is_over.store(true, Ordering::Relaxed);
                HalfResult::Failed(first + search.best())
            }
            Progress::Stopped => HalfResult::Stopped,
            Progress::Exceeded => HalfResult::Exceeded,
        }
    }
}

#[cfg(test)]
mod tests {
    use history::{Ambiguity, ReadsFrom};
    use memory::Model;

    use super::super::{Columns, admission};
    use super::*;
    use crate::engine::events::Events;
    use crate::generate::{Recipe, generate, without_order};

    /// Returns the number of events of a generated history and how the search by halves ends for it; `None`
    /// if it is not divided.
    fn ended(model: Model, operations: u32) -> Option<(usize, WindowOutcome)> {
        let recipe = Recipe { model, operations, locations: 32, seed: 1, ..Recipe::default() };
        let history = without_order(&generate(&recipe).unwrap()).unwrap();
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
        let events = Events::new(&history, &reads_from, model, &vec![false; history.len()]);
        let columns = Columns::of(&events);
        let input = columns.input(&events, &[]);
        let admission = admission::order(&input).unwrap();
        let extent = WindowLimits { size: 256, patience: 96 };
        let ended = order(&input, &admission, extent, &Bounds::none())?;
        Some((events.len(), ended))
    }

    #[test]
    fn long_histories_are_divided_and_all_of_their_events_placed() {
        for model in [Model::SC, Model::TSO, Model::PSO] {
            let Some((events, WindowOutcome::Order(mut order))) = ended(model, 70_000) else {
                panic!("{model}: no order by halves");
            };
            order.sort_unstable();
            assert!(order.into_iter().eq(0..events as u32), "{model}");
        }
    }

    #[test]
    fn short_histories_are_not_divided() {
        assert!(ended(Model::SC, 5_000).is_none());
    }
}
