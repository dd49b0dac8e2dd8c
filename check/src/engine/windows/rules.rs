//! The rules R6 and R7 (see [`crate::engine::saturate`]) on the events of a window.

use crate::engine::events::{INITIAL, NONE};

use super::Input;
use super::prefix::Prefix;
use super::window::{Conflict, Window};
use host::Bounds;

/// Visits between two checks of the bounds. A visit in a large window takes up to 100 µs.
const VISITS_PER_CHECK: u32 = 64;

/// Applies the rules to a window until nothing new follows.
///
/// A sweep visits the members whose row may change, in a topological order of the edges that there were at
/// first. Edges that point against that order take effect in the next sweep; there are too few of them for
/// another sort to pay.
///
/// # Errors
/// Returns [`Conflict`] if there is a contradiction, or a bound was met.
pub(super) fn saturate(
    input: &Input<'_>,
    prefix: &Prefix<'_>,
    window: &mut Window,
    bounds: &Bounds,
) -> Result<(), Conflict> {
    window.sort()?;
    window.prepare_sweeps();
    let mut visits = 0u32;
    while !window.is_settled() {
        window.count_sweep();
        let mut from = 0;
        while let Some((rank, slot)) = window.next_dirty(from) {
            visits += 1;
            if visits.is_multiple_of(VISITS_PER_CHECK) && bounds.passed() {
                return Err(Conflict);
            }
            window.make_room(bounds)?;
            visit(input, prefix, window, slot)?;
            from = rank + 1;
        }
    }
    window.sort()
}

/// Brings the row of a slot up to date and applies the rules to it.
fn visit(
    input: &Input<'_>,
    prefix: &Prefix<'_>,
    window: &mut Window,
    slot: u32,
) -> Result<(), Conflict> {
    // If the row has not changed, the rules add nothing to it. Edges that follow from other changes, such as
    // the lock of a location, are added when these happen.
    if !window.close(slot)? {
        return Ok(());
    }
    let event = window.event(slot);
    let location = input.location[event as usize];
    if location != NONE {
        if input.writes[event as usize] {
            while apply_r7(window, slot, location) {}
        }
        let source = input.source[event as usize];
        if source == INITIAL || source != NONE && prefix.is_placed(source) {
            apply_r6(window, slot, location, None)?;
        } else if source != NONE
            && let Some(source) = window.slot(source)
        {
            apply_r6(window, slot, location, Some(source))?;
        }
    }
    window.pass_on(slot);
    Ok(())
}

/// Adds edges from the readers of writes that precede a write. Returns whether its row grew.
fn apply_r7(window: &mut Window, slot: u32, location: u32) -> bool {
    let mut grew = false;
    let mut next = window.last_write(location);
    while let Some(source) = next {
        next = window.write_before(source);
        if source == slot || !window.precedes(source, slot) {
            continue;
        }
        let mut next_reader = window.last_reader(source);
        while let Some(reader) = next_reader {
            next_reader = window.reader_before(reader);
            if reader != slot && window.is_live(reader) && !window.precedes(reader, slot) {
                window.add(reader, slot);
                window.absorb(slot, reader);
                grew = true;
            }
        }
    }
    if grew {
        window.take(slot);
    }
    grew
}

/// Adds edges from the writes that precede a read to its source. `source` is `None` if the source is placed;
/// then no write can be put before it any more, so there is a conflict if an unplaced write precedes the
/// read.
fn apply_r6(
    window: &mut Window,
    slot: u32,
    location: u32,
    source: Option<u32>,
) -> Result<(), Conflict> {
    let mut next = window.last_write(location);
    while let Some(other) = next {
        next = window.write_before(other);
        if Some(other) == source || !window.precedes(other, slot) {
            continue;
        }
        let source = source.ok_or(Conflict)?;
        if !window.precedes(other, source) {
            window.add(other, source);
            window.absorb(source, other);
        }
    }
    Ok(())
}
