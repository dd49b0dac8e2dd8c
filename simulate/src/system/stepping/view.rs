//! [`View`]: the renaming of values, cores and lines that applies while a state is written. A permutation moves each
//! thing to a *place*, which is the number of the thing whose name it gets.

use super::symmetry::names::Permutation;
use super::symmetry::places::Places;
use super::symmetry::words::WordKind;
use super::values::Renaming;

/// The renaming with which a state is written.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    /// The names of values.
    pub renaming: &'a Renaming,
    /// The places of cores and lines, unless they stay where they are.
    pub permutation: Option<&'a Permutation>,
}

impl<'a> View<'a> {
    /// Creates a view in which cores and lines stay where they are.
    pub(super) fn new(renaming: &'a Renaming) -> View<'a> {
        View { renaming, permutation: None }
    }

    /// The new name of the content of a block.
    #[inline]
    pub(super) fn value(&self, word: u64) -> u64 {
        let value = self.renaming.rename(word);
        self.permutation.map_or(value, |permutation| permutation.value(value))
    }

    /// The new name of a word that is not the content of a block.
    #[inline]
    pub(super) fn word(&self, kind: WordKind, word: u64) -> u64 {
        self.permutation.map_or(word, |permutation| permutation.word(kind, word))
    }

    /// The new address of a line.
    #[inline]
    pub(super) fn line(&self, line: u64) -> u64 {
        self.permutation.map_or(line, |permutation| permutation.address(line))
    }

    /// The new place of something, by the places of its kind.
    #[inline]
    pub(super) fn to(&self, places: impl Fn(&Permutation) -> &Places, thing: usize) -> usize {
        self.permutation.map_or(thing, |permutation| places(permutation).to(thing))
    }

    /// The thing that comes to a place, by the places of its kind.
    #[inline]
    pub(super) fn from(&self, places: impl Fn(&Permutation) -> &Places, place: usize) -> usize {
        self.permutation.map_or(place, |permutation| places(permutation).from(place))
    }
}
