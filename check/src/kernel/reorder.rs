//! Reverses pairs of writes by placing the events around them anew (see [`crate::engine::windows`]).

use super::run::Run;
use host::Bounds;

use crate::engine::events::{INITIAL, NONE};
use crate::engine::windows::{Reorder, Stretch};

/// Number of events on either side of a pair that are placed anew, for each thread. What a narrow stretch does not
/// reverse is tried in a wide one, which takes longer.
const MARGINS: [usize; 2] = [8, 32];

/// Reverses pairs of writes by placing the events around them anew, and returns the pairs that it cannot
/// reverse, each in the order of the given run. `run` is replaced by the run with the other pairs reversed. Cost:
/// for each pair a search in the stretch, and that of finding what memory holds before it.
pub(super) fn without_reorder(
    run: &mut Run<'_, '_>,
    mut pairs: Vec<(u32, u32)>,
    bounds: &Bounds,
) -> Vec<(u32, u32)> {
    let events = run.saturation().events;
    let mut reorder = Reorder::new(events);
    for margin in MARGINS.map(|margin| margin * events.threads) {
        let left = pairs.iter().copied().filter(|&(first, second)| {
            // The reversal of an earlier pair may have reversed this one.
            let is_reversed = run.place(second) < run.place(first);
            bounds.passed()
                || !is_reversed && !reverse(run, &mut reorder, margin, (first, second), bounds)
        });
        pairs = left.collect();
        pairs.retain(|&(first, second)| run.place(first) < run.place(second));
    }
    pairs
}

/// Reverses a pair. Returns whether that was possible.
fn reverse(
    run: &mut Run<'_, '_>,
    reorder: &mut Reorder<'_>,
    margin: usize,
    (first, second): (u32, u32),
    bounds: &Bounds,
) -> bool {
    let events = run.saturation().events;
    let readers = events.readers.of(second).iter().map(|&reader| run.place(reader));
    let last = readers.max().unwrap_or(0).max(run.place(second)) as usize;
    let begin = (run.place(first) as usize).saturating_sub(margin);
    let end = (last + margin).min(run.order().len());
    let held = held_before(run, begin, end);
    let mut last = held.clone();
    for &event in run.order()[begin..end].iter().filter(|&&event| events.writes(event)) {
        last[events.location[event as usize] as usize] = event;
    }
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

/// Per location of the events at the positions from `begin` to `end`, the last write before them; for other
/// locations [`INITIAL`]. Cost: the number of locations, and the distance to the first of these writes.
fn held_before(run: &Run<'_, '_>, begin: usize, end: usize) -> Vec<u32> {
    let events = run.saturation().events;
    let location = |event: u32| events.location[event as usize];
    let mut held = vec![INITIAL; events.locations()];
    let mut missing = 0;
    for &event in run.order()[begin..end].iter().filter(|&&event| location(event) != NONE) {
        let held = &mut held[location(event) as usize];
        missing += usize::from(std::mem::replace(held, NONE) != NONE);
    }
    let mut before = run.order()[..begin].iter().rev();
    while missing > 0
        && let Some(&event) = before.next()
    {
        if events.writes(event) && held[location(event) as usize] == NONE {
            held[location(event) as usize] = event;
            missing -= 1;
        }
    }
    held.iter_mut().filter(|held| **held == NONE).for_each(|held| *held = INITIAL);
    held
}
