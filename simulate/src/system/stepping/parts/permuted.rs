//! The representatives of states under the symmetries of a system, part by part.
//!
//! A permutation moves each part to another place, and renames what it contains. Which number the part then has is computed
//! once. Of a state and its permutations the representative is the one whose numbers are least, from the first place on.
//! [`Stepping::representative`](crate::system::stepping::Stepping::representative) does the same with whole states.

use std::cmp::Ordering;
use std::sync::Arc;

use super::owned;
use super::{Part, PartStepper};
use crate::stepper::Group;
use crate::system::stepping::symmetry::Permutation;
use crate::system::stepping::values::Renaming;
use crate::system::stepping::view::View;

/// Stands for a number that has not been computed.
const UNKNOWN: u32 = u32::MAX;

/// The parts of permuted states.
#[derive(Debug, Default)]
pub(super) struct Permuted {
    group: Arc<Group>,
    /// For each permutation and place, the place from which its part comes.
    sources: Vec<Vec<usize>>,
    /// For each permutation and place, by the number of the part that comes there, the number that it then has.
    numbers: Vec<Vec<Vec<u32>>>,
    least: Vec<u32>,
    other: Vec<u32>,
}

impl Permuted {
    /// The permutations of states with these parts.
    pub fn new(
        group: &Arc<Group>,
        parts: &[Part],
        owned_at: &[usize],
        in_flight_at: &[Option<usize>],
    ) -> Permuted {
        let source = |permutation: &Permutation, at: usize, part: Part| match part {
            Part::Owned(controller) => owned_at[permutation.controllers.from(controller)],
            // Buffers of one kind all receive messages, or none of them.
            Part::InFlight(buffer) => in_flight_at[permutation.buffers.from(buffer)].unwrap_or(at),
            Part::Memory => at,
        };
        let sources = group.permutations().iter().map(|permutation| {
            let places = parts.iter().enumerate();
            places.map(|(at, &part)| source(permutation, at, part)).collect()
        });
        Permuted {
            sources: sources.collect(),
            numbers: vec![vec![Vec::new(); parts.len()]; group.permutations().len()],
            group: Arc::clone(group),
            least: Vec::new(),
            other: Vec::new(),
        }
    }

    /// The memory in bytes.
    pub fn bytes(&self) -> usize {
        let numbers = self.numbers.iter().flatten();
        numbers.map(|numbers| numbers.capacity() * size_of::<u32>()).sum()
    }
}

impl PartStepper {
    /// Replaces a state by the one that stands for all its permutations.
    pub fn represent(&mut self, state: &mut [u32]) {
        if self.permuted.numbers.is_empty() {
            return;
        }
        let mut least = std::mem::take(&mut self.permuted.least);
        let mut other = std::mem::take(&mut self.permuted.other);
        least.clear();
        least.extend_from_slice(state);
        for permutation in 0..self.permuted.numbers.len() {
            if self.is_less(permutation, state, &least, &mut other) {
                std::mem::swap(&mut least, &mut other);
            }
        }
        state.copy_from_slice(&least);
        (self.permuted.least, self.permuted.other) = (least, other);
    }

    /// Whether the permutation of a state is less than another state; then it is written to `out`.
    fn is_less(
        &mut self,
        permutation: usize,
        state: &[u32],
        than: &[u32],
        out: &mut Vec<u32>,
    ) -> bool {
        out.clear();
        let mut order = Ordering::Equal;
        for (at, &other) in than.iter().enumerate() {
            let number = state[self.permuted.sources[permutation][at]];
            let known = self.permuted.numbers[permutation][at].get(number as usize).copied();
            let moved = known.filter(|&known| known != UNKNOWN);
            let moved = moved.unwrap_or_else(|| self.moved(permutation, at, number));
            order = order.then(moved.cmp(&other));
            if order == Ordering::Greater {
                return false;
            }
            out.push(moved);
        }
        order == Ordering::Less
    }

    /// The number of a part after it has come to a place.
    #[cold]
    fn moved(&mut self, permutation: usize, at: usize, number: u32) -> u32 {
        let group = Arc::clone(&self.permuted.group);
        let none = Renaming::none();
        let moves = &group.permutations()[permutation];
        let view = View { renaming: &none, permutation: Some(moves) };
        let moved = match self.parts[at] {
            Part::Owned(place) => {
                let source = moves.controllers.from(place);
                self.stepper.clear();
                self.owned[source].restore(&mut self.stepper, source, number);
                let bytes = owned::written(&self.stepper, place, view);
                // What is asked about a part is asked of the controller to which it comes.
                self.stepper.clear();
                owned::restore(&mut self.stepper, place, &bytes);
                self.number_owned(place, &none)
            }
            Part::InFlight(place) => {
                let source = moves.buffers.from(place);
                self.sequences.renamed(&self.stepper, source, number, view)
            }
            Part::Memory => {
                self.stepper.clear();
                self.restore_part(at, number);
                self.number_memory(view)
            }
        };
        let known = &mut self.permuted.numbers[permutation][at];
        if known.len() <= number as usize {
            known.resize(number as usize + 1, UNKNOWN);
        }
        known[number as usize] = moved;
        moved
    }
}
