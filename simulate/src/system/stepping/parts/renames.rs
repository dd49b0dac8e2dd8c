//! The renaming of values at the end of a move (see [`values`](crate::system::stepping::Values)), part by part.

use rustc_hash::FxHashMap;

use super::effects::Report;
use super::layout::Part;
use super::{Known, Missing, PartStepper};
use crate::system::stepping::values::{Action, Renaming};
use crate::system::stepping::view::View;

/// A part and all on which its renaming depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Renamed {
    /// The place of the part; 0 for messages in flight, which are numbered alike for all buffers.
    place: u32,
    number: u32,
    /// For each line four bits: the core that has stored to it last plus 1, or 0.
    stored: u32,
    /// For each line of which the part has values a byte: the cores whose loads are in flight.
    loads: u64,
}

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
        let (mut stored, mut stored_lines) = (0_u32, 0_u8);
        for one in report.performed.iter().filter(|one| one.action == Action::Store) {
            let shift = 4 * one.line;
            stored = stored & !(0xF << shift) | (one.core as u32 + 1) << shift;
            stored_lines |= 1 << one.line;
        }
        let loads = self.loads(after);
        let lost = gather(self.loads(before) & !loads);
        for at in 0..after.len() {
            let classes = self.classes_of(at, after[at]);
            let changes =
                classes.latest & stored_lines | classes.old & lost != 0 || classes.is_fresh;
            if changes {
                let loads = loads & spread(classes.latest | classes.old);
                after[at] = self.renamed(at, after[at], stored, loads)?;
            }
        }
        Ok(())
    }

    /// The loads in flight: for each line a byte, with a bit for each core.
    fn loads(&self, state: &[u32]) -> u64 {
        let all = 0..self.owned.len();
        all.fold(0, |loads, controller| loads | self.summary(state, controller).loads)
    }

    fn renamed(&self, at: usize, number: u32, stored: u32, loads: u64) -> Result<u32, Missing> {
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

    fn renaming(&self, stored: u32, loads: u64) -> Renaming {
        let stepping = &self.stepper;
        let lines = 0..stepping.lines();
        let loads = lines.clone().map(|line| loads >> (8 * line) & 0xFF).collect();
        let mut renaming = Renaming::new(stepping.values, stepping.cores(), loads);
        for line in lines {
            if let Some(core) = (stored >> (4 * line) & 0xF).checked_sub(1) {
                renaming.store(core as usize, line);
            }
        }
        renaming
    }
}
