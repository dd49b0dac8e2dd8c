//! Parts as bytes, so that another process gives them the same numbers.
//!
//! Numbers depend on the order in which parts were met, and states, their fingerprints and their representatives on the
//! numbers. So an exploration that is resumed has to begin with the same ones. Effects, renamings and permutations are
//! not saved: they are learnt again, in the order in which they are needed, and lead to the same parts.

use super::PartStepper;
use crate::numbering::Strings;
use crate::system::stepping::values::Renaming;
use crate::system::stepping::view::View;

/// The parts of each table as bytes, in the order of their numbers: messages, sequences of them, contents of memory,
/// and the parts that each controller owns.
pub type Parts = Vec<Vec<Vec<u8>>>;

impl PartStepper {
    fn tables(&self) -> Vec<&Strings> {
        let known = &self.known;
        let shared = [&known.sequences.messages, &known.sequences.numbers, &known.memories.strings];
        shared.into_iter().chain(known.owned.iter().map(|owned| &owned.strings)).collect()
    }

    /// The parts that were numbered after the first `counts` parts of each table. `counts` is empty at first, and is
    /// updated.
    pub fn parts_since(&self, counts: &mut Vec<usize>) -> Parts {
        let tables = self.tables();
        counts.resize(tables.len(), 0);
        let new = tables.iter().zip(&mut *counts).map(|(table, count)| {
            let new: Vec<Vec<u8>> = table.from(*count).map(<[u8]>::to_vec).collect();
            *count += new.len();
            new
        });
        new.collect()
    }

    /// Numbers parts that [`PartStepper::parts_since`] has returned, of a stepper of the same system, in the same order and with
    /// the same counts. Returns whether they have the numbers that they had there.
    pub fn add_parts(&mut self, parts: &Parts, counts: &mut Vec<usize>) -> bool {
        counts.resize(3 + self.known.owned.len(), 0);
        if parts.len() != counts.len() {
            return false;
        }
        for (at, (new, count)) in parts.iter().zip(counts).enumerate() {
            for bytes in new {
                if self.add_part(at, bytes) != Some(*count as u32) {
                    return false;
                }
                *count += 1;
            }
        }
        true
    }

    fn add_part(&mut self, table: usize, mut bytes: &[u8]) -> Option<u32> {
        self.stepper.clear();
        let none = Renaming::none();
        Some(match table {
            0 => {
                let message = self.stepper.thaw_object(&mut bytes);
                self.known.sequences.message(&self.stepper, message)
            }
            1 => return self.known.sequences.number_written(bytes),
            2 => {
                self.stepper.thaw_memory(&mut bytes);
                self.number_memory(View::new(&none))
            }
            _ => {
                let controller = table - 3;
                super::owned::restore(&mut self.stepper, controller, bytes);
                self.number_owned(controller, &none)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use slicc::protocol::Protocol;

    use super::*;
    use crate::stepper::{Scope, Stepper, Symmetry};

    /// Makes all moves of the first states, and returns the states after them.
    fn explore(stepper: &mut PartStepper, states: usize) -> Vec<Vec<u32>> {
        let mut all = vec![stepper.first()];
        let mut moves = Vec::new();
        for at in 0..states {
            let before = all[at].clone();
            stepper.known().moves(&before, &mut moves);
            for chosen in moves.clone() {
                let mut after = before.clone();
                if stepper.take(&before, chosen, &mut after).is_ok() {
                    stepper.represent(&mut after);
                    all.push(after);
                }
            }
        }
        all
    }

    #[test]
    fn parts_have_the_same_numbers_in_another_process() {
        let symmetries = vec![Symmetry::Cores, Symmetry::Lines];
        let scope = Scope { lines: 2, tiny: true, symmetries, ..Scope::default() };
        for name in ["MI_example", "MESI_Two_Level", "MOESI_hammer"] {
            let protocol = Protocol::open(name).expect("it is built in");
            let new = || PartStepper::new(Stepper::new(&protocol, &scope).expect("it fits"));
            let (mut one, mut other) = (new(), new());
            let (mut saved, mut added) = (Vec::new(), Vec::new());
            for states in [0, 5, 60, 300] {
                let _ = explore(&mut one, states);
                let parts = one.parts_since(&mut saved);
                assert!(other.add_parts(&parts, &mut added), "{name}");
            }
            assert_eq!(saved, added);
            // The parts that both find next have the same numbers.
            assert_eq!(explore(&mut one, 500), explore(&mut other, 500), "{name}");
            assert!(!other.add_parts(&vec![Vec::new(); 2], &mut added));
        }
    }
}
