//! The representatives of states under the symmetries of a system, part by part.
//!
//! A permutation moves each part to another place, and renames what it contains. The number that the part then has is
//! computed once. Of a state and its permutations the representative is the one whose numbers are least, from the first
//! place on. [`Stepping::representative`](crate::system::stepping::Stepping::representative) does the same with whole
//! states.

use std::cmp::Ordering;
use std::sync::Arc;

use super::layout::{Layout, Part};
use super::{Known, Missing, PartStepper, owned};
use crate::stepper::Group;
use crate::system::stepping::symmetry::names::Permutation;
use crate::system::stepping::values::Renaming;
use crate::system::stepping::view::View;

/// Stands for a number that has not been computed.
const UNKNOWN: u32 = u32::MAX;
/// Number of tables for messages in flight: one for those in the network, and one for all others.
const IN_FLIGHT_TABLES: usize = 2;

/// The parts of permuted states.
#[derive(Debug, Default)]
pub(super) struct Permuted {
    group: Arc<Group>,
    /// For each permutation and place, the place from which its part comes.
    sources: Vec<Vec<usize>>,
    /// For each place its table: one of its own, or if it has messages in flight one for all places to which they come in the same
    /// way, since a sequence of messages has one number in all places.
    tables: Vec<usize>,
    /// For each permutation and table, by the number of the part that comes there, the number that it then has.
    numbers: Vec<Vec<Vec<u32>>>,
}

impl Permuted {
    /// The permutations of states with these parts.
    pub(super) fn new(group: &Arc<Group>, layout: &Layout) -> Permuted {
        let Layout { parts, owned_at, receivers, .. } = layout;
        let source = |permutation: &Permutation, at: usize, part: Part| match part {
            Part::Owned(controller) => owned_at[permutation.controllers.from(controller)],
            // Buffers of one kind all receive messages, or none of them.
            Part::InFlight(buffer) => receivers[permutation.buffers.from(buffer)].at.unwrap_or(at),
            Part::Memory => at,
        };
        let sources = group.permutations().iter().map(|permutation| {
            let places = parts.iter().enumerate();
            places.map(|(at, &part)| source(permutation, at, part)).collect()
        });
        let tables = parts.iter().enumerate().map(|(at, part)| match *part {
            Part::InFlight(buffer) => usize::from(receivers[buffer].is_networked),
            Part::Owned(_) | Part::Memory => IN_FLIGHT_TABLES + at,
        });
        let count = IN_FLIGHT_TABLES + parts.len();
        Permuted {
            sources: sources.collect(),
            tables: tables.collect(),
            numbers: vec![vec![Vec::new(); count]; group.permutations().len()],
            group: Arc::clone(group),
        }
    }

    /// Forgets all numbers.
    pub(super) fn forget(&mut self) {
        self.numbers.iter_mut().flatten().for_each(|numbers| *numbers = Vec::new());
    }

    /// The memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        let numbers = self.numbers.iter().flatten();
        numbers.map(|numbers| numbers.capacity() * size_of::<u32>()).sum()
    }
}

impl Known {
    /// Writes the state that stands for all permutations of a state.
    ///
    /// # Errors
    /// Fails if a number is needed that has not been learnt.
    pub fn represent(&self, state: &[u32], least: &mut [u32]) -> Result<(), Missing> {
        least.copy_from_slice(state);
        for permutation in 0..self.permuted.numbers.len() {
            if self.is_less(permutation, state, least)? {
                for (at, number) in least.iter_mut().enumerate() {
                    *number = self.moved(permutation, at, state)?;
                }
            }
        }
        Ok(())
    }

    /// Whether the permutation of a state is less than another state.
    #[inline]
    fn is_less(&self, permutation: usize, state: &[u32], than: &[u32]) -> Result<bool, Missing> {
        for (at, other) in than.iter().enumerate() {
            match self.moved(permutation, at, state)?.cmp(other) {
                Ordering::Equal => {}
                order => return Ok(order == Ordering::Less),
            }
        }
        Ok(false)
    }

    /// The number of the part that comes to a place in the permutation of a state.
    #[inline]
    fn moved(&self, permutation: usize, at: usize, state: &[u32]) -> Result<u32, Missing> {
        let Permuted { sources, tables, numbers, .. } = &self.permuted;
        let number = state[sources[permutation][at]];
        let known = numbers[permutation][tables[at]].get(number as usize).copied();
        let known = known.filter(|&known| known != UNKNOWN);
        known.ok_or(Missing::Moved { permutation, at, number })
    }
}

impl PartStepper {
    /// Learns the number of a part after it has come to a place.
    pub(super) fn learn_moved(&mut self, permutation: usize, at: usize, number: u32) {
        let group = Arc::clone(&self.known.permuted.group);
        let none = Renaming::none();
        let moves = &group.permutations()[permutation];
        let view = View { renaming: &none, permutation: Some(moves) };
        let moved = match self.known.layout.parts[at] {
            Part::Owned(place) => {
                let source = moves.controllers.from(place);
                self.stepper.clear();
                self.known.owned[source].restore(&mut self.stepper, source, number);
                let bytes = owned::written(&self.stepper, place, view);
                // The summary of a part depends on the controller to which the part comes.
                self.stepper.clear();
                owned::restore(&mut self.stepper, place, &bytes);
                self.number_owned(place, &none)
            }
            Part::InFlight(place) => {
                let source = moves.buffers.from(place);
                self.known.sequences.renamed(&self.stepper, source, number, view)
            }
            Part::Memory => {
                self.stepper.clear();
                self.restore_part(at, number);
                self.number_memory(view)
            }
        };
        let Permuted { tables, numbers, .. } = &mut self.known.permuted;
        let known = &mut numbers[permutation][tables[at]];
        if known.len() <= number as usize {
            known.resize(number as usize + 1, UNKNOWN);
        }
        known[number as usize] = moved;
    }
}
