//! Symmetries: the permutations of cores and of lines after which a system behaves as before but for the names.
//!
//! A permutation of cores takes the controllers of each core along, with their buffers, caches, tables and timers, and
//! renames these controllers in messages, sets and transactions. A permutation of lines renames their addresses. If a
//! protocol treats all cores and lines alike, a state and its permutation have the same future but for the names, so
//! that it suffices to explore one of them: [`Stepping::representative`].
//!
//! The argument has two parts:
//!
//! - The system is symmetric: [`Group::of`] compares the controllers of all cores, their parameters, and the home of
//!   every line, and gives the reason if it finds a difference, or a variable whose content it cannot rename.
//! - The code is symmetric: it copies, compares for equality, and collects addresses and machines, but never observes
//!   their order or their bits. Arithmetic and comparisons of order on them are found by the compiler
//!   ([`slicc::compile::code::Program::ordered`]). The library's functions that depend on an order, as the smallest
//!   element of a set, are caught when they are called in a state where it matters: see
//!   [`observed`](crate::system::library::order). An exploration that meets one is void, and has to be done again
//!   without the symmetry.
//!
//! If no explored state observes an order, then by induction over runs every run is a permutation of one through
//! representatives: what a state does is done, under other names, by its representative.

mod group;
pub(super) mod names;
pub(super) mod places;
pub(super) mod words;

pub use group::Group;

use super::Stepping;
use super::values::Renaming;
use super::view::View;
use names::Permutation;

/// A kind of thing that may be exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symmetry {
    /// The cores, each with its controllers.
    Cores,
    /// The lines.
    Lines,
}

impl Symmetry {
    /// The name in output.
    pub fn name(self) -> &'static str {
        match self {
            Symmetry::Cores => "cores",
            Symmetry::Lines => "lines",
        }
    }
}

impl Stepping {
    /// The symmetries of the system, of those in `wanted`.
    pub fn group(&self, wanted: &[Symmetry]) -> Group {
        Group::of(
            &self.system,
            &self.lines,
            (self.cores, self.repertoire.devices as usize),
            &self.bases,
            &self.kinds,
            self.values,
            wanted,
        )
    }

    /// The least of a state and its permutations, compared as bytes. It costs one restoration, and one writing for each
    /// permutation.
    pub fn representative(&mut self, state: Vec<u8>, group: &Group) -> Vec<u8> {
        if group.permutations().is_empty() {
            return state;
        }
        self.thaw(&state);
        let mut least = state;
        for permutation in group.permutations() {
            let permuted = self.permuted(permutation);
            if permuted < least {
                least = permuted;
            }
        }
        least
    }

    /// The permutation of the state that the system is in, which no move has changed since it was restored.
    pub(super) fn permuted(&mut self, permutation: &Permutation) -> Vec<u8> {
        let renaming = Renaming::none();
        self.freeze(View { renaming: &renaming, permutation: Some(permutation) })
    }
}
