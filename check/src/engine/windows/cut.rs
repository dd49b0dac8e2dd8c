//! [`Cut`]: divides a long history into two parts, the first of which can come before the second.
//!
//! The events around the middle of the order of admission are placed as usual, but as if nothing was known
//! of those before them: sources that are not among them are unknown. Such an order is wrong at its beginning.
//! After some windows it has become independent of that, and the events placed by then, with all before
//! them, are likely to be a beginning of a memory order. Whether they are will show when they are placed.

use super::part::Part;
use super::search::{Progress, Search};
use super::{Input, WindowLimits};
use host::Bounds;

use crate::engine::events::{INITIAL, NONE};

/// Number of windows that are placed before the cut.
pub(super) const WARM_UP: usize = 3;
/// Number of windows that are placed after the cut, since contradictions undo placements.
const SETTLED: usize = 3;
/// Number of places, each half a window after the last, at which a cut is tried.
const ATTEMPTS: usize = 4;
/// Number of windows of further events that are admitted after those to be placed, so that placements see
/// what follows them.
const LOOKAHEAD: usize = 2;

/// A division of the events of an input into two parts.
#[derive(Debug)]
pub(super) struct Cut {
    /// Per event, whether it is in the first part.
    is_first: Vec<bool>,
    /// Per location, the source in the first part, or [`INITIAL`], that events of the second part read from;
    /// [`NONE`] if none does.
    held: Vec<u32>,
    /// The writes of the first part that have to be its last of their locations.
    finals: Vec<u32>,
}

impl Cut {
    /// Searches a cut near the middle of the order of admission. Returns `None` if none is found.
    pub(super) fn find(
        input: &Input<'_>,
        admission: &[u32],
        extent: WindowLimits,
        bounds: &Bounds,
    ) -> Option<Cut> {
        let middle = admission.len() / 2;
        let aside = 2 * (WARM_UP + SETTLED) * extent.size;
        let mut middles = [middle, middle + aside, middle.saturating_sub(aside)].into_iter();
        middles.find_map(|middle| Cut::near(middle, input, admission, extent, bounds))
    }

    /// Searches a cut near an event of the order of admission.
    fn near(
        middle: usize,
        input: &Input<'_>,
        admission: &[u32],
        extent: WindowLimits,
        bounds: &Bounds,
    ) -> Option<Cut> {
        let begin = middle.checked_sub(WARM_UP * extent.size)?;
        let enough = (WARM_UP + SETTLED) * extent.size;
        let end = begin + enough + LOOKAHEAD * extent.size;
        let (past, around) = (&admission[..begin], admission.get(begin..end)?);
        let part = Part::new(
            input,
            around,
            &vec![INITIAL; input.locations()],
            &[],
            &mut input.no_numbers(),
        );
        let part_input = part.input();
        let mut search = Search::new(&part_input, part.admission(), extent, bounds)?;
        if search.run(|prefix| prefix.len() >= enough) != Progress::Stopped {
            return None;
        }
        let order = search.into_order().into_iter();
        let order: Vec<u32> = order.map(|event| part.original(event)).collect();
        let cut_at = |attempt: usize| WARM_UP * extent.size + attempt * extent.size / 2;
        (0..ATTEMPTS).find_map(|attempt| Cut::after(input, past, &order[..cut_at(attempt)]))
    }

    /// The cut after the events `past`, in any order, followed by the events `around` in this order. `None`
    /// if events after the cut read from writes that cannot be the last of their locations before it.
    fn after(input: &Input<'_>, past: &[u32], around: &[u32]) -> Option<Cut> {
        let mut is_first = vec![false; input.nodes()];
        for &event in past.iter().chain(around) {
            is_first[event as usize] = true;
        }
        let held = held(input, &is_first)?;
        let mut last = vec![NONE; held.len()];
        for &write in around.iter().filter(|&&event| input.writes[event as usize]) {
            last[input.location[write as usize] as usize] = write;
        }
        let differs = |(&held, &last): (&u32, &u32)| held != NONE && last != NONE && held != last;
        if held.iter().zip(&last).any(differs) {
            return None;
        }
        let finals = finals(input, &is_first, &held)?;
        Some(Cut { is_first, held, finals })
    }

    /// The first part. `admission` is the order of all events.
    pub(super) fn first(&self, input: &Input<'_>, admission: &[u32]) -> Part {
        let order: Vec<u32> = self.events(admission, true);
        let held = vec![INITIAL; input.locations()];
        Part::new(input, &order, &held, &self.finals, &mut input.no_numbers())
    }

    /// The second part.
    pub(super) fn second(&self, input: &Input<'_>, admission: &[u32]) -> Part {
        let order: Vec<u32> = self.events(admission, false);
        Part::new(input, &order, &self.held, input.finals, &mut input.no_numbers())
    }

    fn events(&self, admission: &[u32], first: bool) -> Vec<u32> {
        let events = admission.iter().copied();
        events.filter(|&event| self.is_first[event as usize] == first).collect()
    }
}

/// Per location, the source before the cut that events after it read from, or [`NONE`]. Returns `None` if a
/// location has two such sources, or is written before the cut although its initial value is read after it.
fn held(input: &Input<'_>, is_first: &[bool]) -> Option<Vec<u32>> {
    let mut held = vec![NONE; input.locations()];
    for (event, _) in is_first.iter().enumerate().filter(|&(_, &is_first)| !is_first) {
        let source = input.source[event];
        if source == NONE || source != INITIAL && !is_first[source as usize] {
            continue;
        }
        let held = &mut held[input.location[event] as usize];
        if *held != NONE && *held != source {
            return None;
        }
        *held = source;
    }
    let overwrites = |event: usize| {
        is_first[event] && input.writes[event] && held[input.location[event] as usize] == INITIAL
    };
    if (0..is_first.len()).any(overwrites) { None } else { Some(held) }
}

/// The writes that must be the last of their locations before the cut, as far as they are known. Returns
/// `None` if a location has two such writes, or is written after the cut although the write of its final
/// value is before it.
fn finals(input: &Input<'_>, is_first: &[bool], held: &[u32]) -> Option<Vec<u32>> {
    let mut last: Vec<u32> = held.to_vec();
    let mut is_final = vec![false; held.len()];
    for &write in input.finals.iter().filter(|&&write| is_first[write as usize]) {
        let location = input.location[write as usize] as usize;
        if last[location] != NONE && last[location] != write {
            return None;
        }
        last[location] = write;
        is_final[location] = true;
    }
    let is_late = |event: usize| {
        !is_first[event] && input.writes[event] && is_final[input.location[event] as usize]
    };
    if (0..is_first.len()).any(is_late) {
        return None;
    }
    Some(last.into_iter().filter(|&write| write < INITIAL).collect())
}
