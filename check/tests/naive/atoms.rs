//! [`Atoms`], the locations of a run.

use crate::run::{Initial, Place, Run};

/// The number of a location, a part of memory that every operation accesses as a whole or not at all.
pub(crate) type Atom = usize;

/// The locations of a run: cells, or bytes between two places where an access begins or ends.
pub(crate) struct Atoms(Vec<Place>);

impl Atoms {
    pub(crate) fn of(run: &Run) -> Atoms {
        let accessed = run.operations().filter_map(|operation| operation.place);
        let finals = run.finals.iter().map(|last| last.0);
        let initial = match &run.initial {
            Initial::Given(values) => values.as_slice(),
            Initial::Infer => &[],
        };
        let places: Vec<Place> =
            accessed.chain(finals).chain(initial.iter().map(|first| first.0)).collect();
        let mut bounds: Vec<u64> =
            places.iter().flat_map(|place| [place.address, place.end()]).collect();
        bounds.sort_unstable();
        bounds.dedup();
        let has_size = places.iter().any(|place| place.size.is_some());
        let used = |start: u64| places.iter().any(|at| at.address <= start && start < at.end());
        let pieces = bounds.windows(2).filter(|pair| used(pair[0]));
        let atom = |pair: &[u64]| Place {
            address: pair[0],
            size: has_size.then_some((pair[1] - pair[0]) as u8),
        };
        Atoms(pieces.map(atom).collect())
    }

    /// The locations of a place, each with its part of a value.
    pub(crate) fn pieces(
        &self,
        place: Place,
        value: u64,
    ) -> impl Iterator<Item = (Place, u64)> + '_ {
        self.cut(place, value).map(|(atom, value)| (self.0[atom], value))
    }

    /// The numbers of the locations of a place, each with its part of a value.
    pub(crate) fn cut(&self, place: Place, value: u64) -> impl Iterator<Item = (Atom, u64)> + '_ {
        let is_in = move |atom: &Place| place.address <= atom.address && atom.end() <= place.end();
        let own = self.0.iter().enumerate().filter(move |(_, atom)| is_in(atom));
        own.map(move |(number, atom)| {
            let Some(size) = atom.size else { return (number, value) };
            let bits = 8 * u32::from(size);
            let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
            (number, value >> (8 * (atom.address - place.address)) & mask)
        })
    }

    /// The initial values, `None` for an unknown one.
    pub(crate) fn initial(&self, run: &Run) -> Vec<Option<u64>> {
        let Initial::Given(values) = &run.initial else {
            return vec![None; self.0.len()];
        };
        let mut initial = vec![Some(0); self.0.len()];
        for &(place, value) in values {
            for (atom, part) in self.cut(place, value.unwrap_or(0)) {
                initial[atom] = value.map(|_| part);
            }
        }
        initial
    }

    /// The final values that are stated.
    pub(crate) fn finals(&self, run: &Run) -> Vec<Option<u64>> {
        let mut finals = vec![None; self.0.len()];
        for &(place, value) in &run.finals {
            for (atom, part) in self.cut(place, value) {
                finals[atom] = Some(part);
            }
        }
        finals
    }
}
