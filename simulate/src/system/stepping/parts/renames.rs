//! The renaming of values at the end of a move (see [`values`](crate::system::stepping::Values)), part by part.

use rustc_hash::FxHashMap;

use super::effects::Report;
use super::layout::Part;
use super::{Known, Missing, PartStepper};
use crate::system::stepping::values::Renaming;
use crate::system::stepping::view::View;

/// A part and all on which its renaming depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Renamed {
    /// The place of the part; 0 for messages in flight, which are numbered alike for all buffers.
    place: u32,
    number: u32,
    /// For each line a byte: the number of the agent that has written it last plus 1, or 0; with [`RACES`] added if the
    /// value before may be the last one.
    stored: u64,
    /// For each line of which the part has values a byte: a bit for each agent whose load is in flight.
    loads: u64,
}

/// Marks a write that may have happened before or after the previous one.
const RACES: u64 = 0x80;

/// The numbers of parts after a renaming.
pub(super) type Renames = FxHashMap<Renamed, u32>;

/// The memory of these in bytes.
pub(super) fn bytes(renames: &Renames) -> usize {
    renames.capacity() * size_of::<(Renamed, u32)>()
}

/// The bytes whose number is in a set.
fn spread(set: u8) -> u64 {
    (0..8).filter(|byte| set >> byte & 1 == 1).map(|byte| 0xFF << (8 * byte)).sum()
}

/// The numbers of the bytes that are not 0.
fn gather(bytes: u64) -> u8 {
    (0..8).filter(|byte| bytes >> (8 * byte) & 0xFF != 0).map(|byte| 1 << byte).sum()
}

impl Known {
    /// Renames the values in a state after a move, where that has performed an access.
    pub(super) fn rename_after(
        &self,
        before: &[u32],
        after: &mut [u32],
        report: &Report,
    ) -> Result<(), Missing> {
        if report.performed.is_empty() && !report.is_fresh {
            return Ok(());
        }
        let (mut stored, mut stored_lines) = (0_u64, 0_u8);
        for one in report.performed.iter().filter(|one| one.writes) {
            let shift = 8 * one.line;
            let by = one.core as u64 + 1 + if one.races { RACES } else { 0 };
            stored = stored & !(0xFF << shift) | by << shift;
            stored_lines |= 1 << one.line;
        }
        let loads = self.loads(after);
        let lost = gather(self.loads(before) & !loads);
        for (at, number) in after.iter_mut().enumerate() {
            let classes = self.classes_of(at, *number);
            let changes = (classes.latest | classes.pending) & stored_lines | classes.old & lost
                != 0
                || classes.is_fresh;
            if changes {
                let loads = loads & spread(classes.latest | classes.old);
                *number = self.renamed(at, *number, stored, loads)?;
            }
        }
        Ok(())
    }

    /// The loads in flight: for each line a byte, with a bit for each core or device.
    fn loads(&self, state: &[u32]) -> u64 {
        let all = 0..self.owned.len();
        all.fold(0, |loads, controller| loads | self.summary(state, controller).loads)
    }

    fn renamed(&self, at: usize, number: u32, stored: u64, loads: u64) -> Result<u32, Missing> {
        let is_in_flight = matches!(self.layout.parts[at], Part::InFlight(_));
        let place = if is_in_flight { 0 } else { at as u32 + 1 };
        let key = Renamed { place, number, stored, loads };
        self.renames.get(&key).copied().ok_or(Missing::Renamed { at, key })
    }
}

impl PartStepper {
    /// Learns how a part is renamed.
    pub(super) fn learn_renamed(&mut self, at: usize, key: Renamed) {
        let renaming = self.renaming(key.stored, key.loads);
        let part = self.known.layout.parts[at];
        if !matches!(part, Part::InFlight(_)) {
            self.stepper.clear();
            self.restore_part(at, key.number);
        }
        let renamed = match part {
            Part::Owned(controller) => self.number_owned(controller, &renaming),
            Part::InFlight(buffer) => {
                let view = View::new(&renaming);
                self.known.sequences.renamed(&self.stepper, buffer, key.number, view)
            }
            Part::Memory => self.number_memory(View::new(&renaming)),
        };
        self.known.renames.insert(key, renamed);
    }

    fn renaming(&self, stored: u64, loads: u64) -> Renaming {
        let stepping = &self.stepper;
        let lines = 0..stepping.lines();
        let loads = lines.clone().map(|line| loads >> (8 * line) & 0xFF).collect();
        let mut renaming = Renaming::new(stepping.values, stepping.agents(), loads);
        for line in lines {
            let last = stored >> (8 * line) & 0xFF;
            if let Some(agent) = (last & !RACES).checked_sub(1) {
                renaming.store(agent as usize, line, last & RACES != 0);
            }
        }
        renaming
    }
}
