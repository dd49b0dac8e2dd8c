//! Finds cycles of three writes of one location. If many writes of a location are unordered, most cycles of
//! a model are of this kind, and finding them is much faster than a general search.

use rustc_hash::FxHashSet;

use super::graph::{Arc, Link};
use crate::engine::relation::{Relation, bits};
use certify::rule::Rule;

/// Number of unordered writes for which a location is searched. The bit matrices for more of them would take
/// too much memory.
const WRITES_PER_LOCATION: std::ops::RangeInclusive<usize> = 3..=4096;
/// Maximum number of triangles that are returned for one model.
const MAX_TRIANGLES: usize = 20_000;

/// The unordered writes of one location.
struct Tournament {
    writes: Vec<u32>,
    /// The forced order, on indices into `writes`.
    forced: Relation,
    /// The unordered pairs: two indices into `writes`, and the number of the pair.
    pairs: Vec<(u32, u32, usize)>,
}

/// The unordered writes of each location that is searched.
pub(crate) struct Triangles {
    tournaments: Vec<Tournament>,
}

impl Triangles {
    /// Creates the search. The `pairs` of one location must be consecutive. `location` is that of a write, and `precedes` says
    /// whether one write is forced to precede another. Memory: a bit for each two unordered writes of a location.
    pub(crate) fn new(
        pairs: &[(u32, u32)],
        location: impl Fn(u32) -> u32,
        precedes: impl Fn(u32, u32) -> bool,
    ) -> Triangles {
        let mut start = 0;
        let chunks = pairs.chunk_by(|a, b| location(a.0) == location(b.0));
        let tournaments = chunks.filter_map(|chunk| {
            let first = start;
            start += chunk.len();
            Tournament::new(&precedes, chunk, first)
        });
        Triangles { tournaments: tournaments.collect() }
    }

    /// Cycles of three writes in a model, one for each pair that is in any. `ordered` returns a pair as the
    /// model orders it, with the literal for that order.
    pub(crate) fn find(&self, ordered: impl Fn(usize) -> (u32, u32, i32)) -> Vec<Vec<Arc>> {
        let mut found = Vec::new();
        for tournament in &self.tournaments {
            tournament.find(&ordered, &mut found);
        }
        found
    }
}

impl Tournament {
    fn new(
        precedes: &impl Fn(u32, u32) -> bool,
        pairs: &[(u32, u32)],
        first: usize,
    ) -> Option<Tournament> {
        let mut writes: Vec<u32> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        writes.sort_unstable();
        writes.dedup();
        if !WRITES_PER_LOCATION.contains(&writes.len()) {
            return None;
        }
        let place = |write: u32| writes.partition_point(|&other| other < write) as u32;
        let mut forced = Relation::new(writes.len());
        for (a, &one) in writes.iter().enumerate() {
            for (b, &other) in writes.iter().enumerate() {
                if one != other && precedes(one, other) {
                    forced.insert(a as u32, b as u32);
                }
            }
        }
        let pairs = pairs.iter().enumerate();
        let pairs = pairs.map(|(at, &(a, b))| (place(a), place(b), first + at));
        Some(Tournament { pairs: pairs.collect(), forced, writes })
    }

    fn find(&self, ordered: &impl Fn(usize) -> (u32, u32, i32), found: &mut Vec<Vec<Arc>>) {
        let mut after = self.forced.clone();
        let mut before = Relation::new(self.writes.len());
        for from in 0..self.writes.len() as u32 {
            self.forced.successors(from).for_each(|to| {
                before.insert(to, from);
            });
        }
        // The literal of each ordered pair.
        let mut literal_of = rustc_hash::FxHashMap::default();
        let mut chosen = Vec::with_capacity(self.pairs.len());
        for &(a, b, pair) in &self.pairs {
            let (first, _, literal) = ordered(pair);
            let (from, to) = if first == self.writes[a as usize] { (a, b) } else { (b, a) };
            after.insert(from, to);
            before.insert(to, from);
            literal_of.insert((from, to), literal);
            chosen.push((from, to));
        }
        let mut known: FxHashSet<[i32; 3]> = FxHashSet::default();
        for (from, to) in chosen {
            if found.len() >= MAX_TRIANGLES {
                return;
            }
            let both = after.row(to).iter().zip(before.row(from));
            let both: Vec<u64> = both.map(|(after, before)| after & before).collect();
            let literal_of = |from, to| literal_of.get(&(from, to)).copied().unwrap_or(0);
            let Some(third) = bits(&both).next() else {
                continue;
            };
            let arcs = [(from, to), (to, third), (third, from)];
            let arcs = arcs.map(|(from, to)| self.arc(from, to, literal_of(from, to)));
            let mut literals = arcs.map(|arc| arc.link.literals()[0]);
            literals.sort_unstable();
            if known.insert(literals) {
                found.push(arcs.to_vec());
            }
        }
    }

    fn arc(&self, from: u32, to: u32, literal: i32) -> Arc {
        Arc {
            from: self.writes[from as usize],
            to: self.writes[to as usize],
            link: match literal {
                0 => Link::Path,
                literal => Link::chosen(Rule::Assumed, [0, literal]),
            },
        }
    }
}
