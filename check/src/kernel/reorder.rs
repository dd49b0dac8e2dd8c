//! Reverses pairs of writes by placing the events around them anew (see [`crate::engine::windows`]).

use super::run::Run;
use host::Bounds;

use crate::engine::events::INITIAL;
use crate::engine::windows::{Reorder, Stretch};

/// Number of events on either side of a pair that are placed anew, for each thread.
const MARGIN: usize = 8;

/// Reverses pairs of writes by placing the events around them anew, and returns the pairs that it cannot
/// reverse, each in the order of the given run. `run` is replaced by the run with the other pairs reversed. Cost:
/// for each pair linear in the history, and a search in the stretch.
pub(super) fn without_reorder(
    run: &mut Run<'_, '_>,
    pairs: Vec<(u32, u32)>,
    bounds: &Bounds,
) -> Vec<(u32, u32)> {
    let events = run.saturation().events;
    let reorder = Reorder::new(events);
    let margin = MARGIN * events.threads;
    let mut left = Vec::new();
    for (first, second) in pairs {
        // The reversal of an earlier pair may have reversed this one.
        let is_reversed = run.place(second) < run.place(first);
        if bounds.passed()
            || !is_reversed && !reverse(run, &reorder, margin, (first, second), bounds)
        {
            left.push((first, second));
        }
    }
    left.retain(|&(first, second)| run.place(first) < run.place(second));
    left
}

/// Reverses a pair. Returns whether that was possible.
fn reverse(
    run: &mut Run<'_, '_>,
    reorder: &Reorder<'_>,
    margin: usize,
    (first, second): (u32, u32),
    bounds: &Bounds,
) -> bool {
    let events = run.saturation().events;
    let readers = events.readers.of(second).iter().map(|&reader| run.place(reader));
    let last = readers.max().unwrap_or(0).max(run.place(second)) as usize;
    let begin = (run.place(first) as usize).saturating_sub(margin);
    let end = (last + margin).min(run.order().len());
    let initial = vec![INITIAL; events.locations()];
    let held = after(run, &run.order()[..begin], initial);
    let last = after(run, &run.order()[begin..end], held.clone());
    let is_read_later = |&&write: &&u32| {
        let mut readers = events.readers.of(write).iter();
        run.is_final(write) || readers.any(|&reader| run.place(reader) as usize >= end)
    };
    let is_inside = |write: &&u32| **write != INITIAL && run.place(**write) as usize >= begin;
    let finals: Vec<u32> = last.iter().filter(is_inside).filter(is_read_later).copied().collect();
    let stretch = Stretch { events: &run.order()[begin..end], held: &held, finals: &finals };
    let Some(order) = reorder.place(&stretch, second, first, bounds) else { return false };
    let old = stretch.events.to_vec();
    run.replace(begin, &order);
    let is_valid = run.is_valid_in(begin..end, held, &finals);
    if !is_valid {
        run.replace(begin, &old);
    }
    is_valid
}

/// Returns, per location, the last write up to the end of `order`, given in `held` the last write before it.
fn after(run: &Run<'_, '_>, order: &[u32], mut held: Vec<u32>) -> Vec<u32> {
    let events = run.saturation().events;
    for &event in order.iter().filter(|&&event| events.writes(event)) {
        held[events.location[event as usize] as usize] = event;
    }
    held
}
