//! [`Residual`]: the formula over the order that saturation leaves open.
//!
//! There is a variable for each pair of writes of one location that is still unordered, and for each
//! candidate source of a read (or final value) that has several; one of the candidates is right. A
//! model represents an order: the forced order; for each pair S ≤ S' that the model chooses, L ≤ S' for the
//! readers L of S (R7); and for a chosen source S of L, S ≤ L if S is external (R4), S'' ≤ S for L's own
//! earlier write S'' (R5), and R7. If that order has no cycle it is a memory order: R6 holds too, since all
//! writes of a location are ordered. If it has a cycle, the literals of the cycle exclude each other, and
//! the solver continues with that clause. So clauses are added only when a model needs them; there are
//! none for transitivity.
//!
//! The variable of a pair is true for the order of the events' ranks, which the solver tries first.
//!
//! `candidates` encodes the choices of sources.
//!
//! **Cost.** Checking a model takes O(edges + pairs · threads). The number of models is exponential in the
//! worst case.

mod candidates;

use history::{History, ReadsFrom};
use host::Bounds;
use rustc_hash::FxHashMap;

use super::cycles::order_or_cycles;
use super::formula::{Formula, OpenOrder, Origin};
use super::graph::{Arc, Forced, Link};
use super::reader::Reader;
use super::triangles::Triangles;
use crate::engine::csr::Csr;
use crate::engine::events::{Events, INITIAL};
use crate::engine::finals::Finals;
use crate::engine::proof::Assumption;
use crate::engine::saturate::Saturation;
use crate::kernel::pairs::unordered;
use crate::verdict::SatStatistics;
use certify::rule::Rule;

/// A candidate source. The variables of candidates follow those of the pairs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub reader: Reader,
    /// The source: an event, or [`INITIAL`].
    pub source: u32,
    /// The literal that chooses the candidate. It is negative for all but the best guess, because the
    /// solver tries variables as true first.
    chosen: i32,
}

/// The formula about the order that saturation leaves open, with the pairs and candidates that its variables
/// stand for.
pub(crate) struct Residual<'a, 'e, 'b> {
    saturation: &'a Saturation<'e>,
    rank: Vec<u32>,
    forced: Forced,
    triangles: Triangles,
    pairs: Vec<(u32, u32)>,
    /// Per event, the pairs that it is in.
    pairs_of: Csr,
    candidates: Vec<Candidate>,
    /// Per load-linked with several candidates, its store-conditionals, which also depend on its source.
    guarded: FxHashMap<u32, Vec<u32>>,
    pub(super) formula: Formula<'b>,
}

impl<'a, 'e, 'b> Residual<'a, 'e, 'b> {
    /// The formula for an order that was saturated without a contradiction. `None` if a bound was met.
    pub(crate) fn new(
        history: &History,
        reads_from: &ReadsFrom,
        finals: &Finals,
        saturation: &'a Saturation<'e>,
        bounds: &'b Bounds,
    ) -> Option<Residual<'a, 'e, 'b>> {
        let mut residual = Residual::of_pairs(saturation, unordered(saturation, bounds)?, bounds);
        residual.add_candidates(history, reads_from, finals);
        Some(residual)
    }

    /// The formula for these pairs, which must be all unordered pairs of writes of one location, each in the
    /// order to try first. Every read must have at most one candidate source.
    pub(crate) fn of_pairs(
        saturation: &'a Saturation<'e>,
        pairs: Vec<(u32, u32)>,
        bounds: &'b Bounds,
    ) -> Residual<'a, 'e, 'b> {
        let events = saturation.events;
        let mut formula = Formula::new(bounds);
        pairs.iter().for_each(|_| {
            formula.variable();
        });
        let numbered = pairs.iter().enumerate();
        let both = numbered.flat_map(|(at, &(a, b))| [(a, at as u32), (b, at as u32)]);
        Residual {
            rank: saturation.ranks(),
            forced: Forced::of(saturation),
            triangles: Triangles::new(
                &pairs,
                |write| events.location[write as usize],
                |first, second| saturation.precedes(first, second),
            ),
            pairs_of: Csr::new(events.len(), both.collect::<Vec<_>>().into_iter()),
            pairs,
            candidates: Vec::new(),
            guarded: FxHashMap::default(),
            formula,
            saturation,
        }
    }

    fn events(&self) -> &'e Events {
        self.saturation.events
    }

    /// The unordered pairs of writes. The n-th pair, counted from 0, has the literal n + 1, which holds if
    /// the first write precedes the second.
    pub(crate) fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// Contradictions met so far.
    pub(crate) fn contradictions(&self) -> u64 {
        self.formula.contradictions()
    }

    /// Whether a literal holds in the run that was found.
    pub(crate) fn holds(&self, literal: i32) -> bool {
        self.formula.holds(literal)
    }

    /// Returns a literal such that assuming it requires one of these literals to hold.
    /// [`Residual::refutation`] must not be called after this.
    pub(crate) fn one_of(&mut self, literals: impl Iterator<Item = i32>) -> i32 {
        self.formula.one_of(literals)
    }

    /// Requires a literal that is known to hold in every run. [`Residual::refutation`] must not be called
    /// after this.
    pub(crate) fn require(&mut self, literal: i32) {
        self.formula.require(literal);
    }

    /// Statistics of the solver.
    pub(crate) fn statistics(&mut self) -> SatStatistics {
        self.formula.statistics()
    }

    /// The arcs that the solver's model adds to the forced order.
    fn chosen(&self) -> Vec<Arc> {
        let mut arcs = Vec::new();
        for at in 0..self.pairs.len() {
            self.order_pair(at, &mut arcs);
        }
        for candidate in &self.candidates {
            let chosen = candidate.chosen;
            if self.formula.holds(chosen) {
                match candidate.reader {
                    Reader::Event(read) => {
                        self.read_from(read, candidate.source, chosen, &mut arcs)
                    }
                    Reader::Final(_) => self.come_last(candidate.source, chosen, &mut arcs),
                }
            }
        }
        arcs
    }

    /// The pair as the model orders it, with the literal for that order.
    fn ordered(&self, pair: usize) -> (u32, u32, i32) {
        let (a, b) = self.pairs[pair];
        let literal = pair as i32 + 1;
        if self.formula.holds(literal) { (a, b, literal) } else { (b, a, -literal) }
    }

    /// Adds the order of two writes, and the arcs from the readers of the first to the second (R7).
    fn order_pair(&self, pair: usize, arcs: &mut Vec<Arc>) {
        let (from, to, literal) = self.ordered(pair);
        arcs.push(Arc { from, to, link: Link::chosen(Rule::Assumed, [0, literal]) });
        let readers = self.events().readers.of(from).iter();
        arcs.extend(readers.filter(|&&reader| reader != to).map(|&reader| Arc {
            from: reader,
            to,
            link: Link::Chosen { rule: Rule::Overtaken, literals: [0, literal], source: from },
        }));
    }

    /// Adds the arcs that follow if a read takes its value from this source.
    fn read_from(&self, read: u32, source: u32, chosen: i32, arcs: &mut Vec<Arc>) {
        if source != INITIAL {
            if !self.is_own(read, source) {
                let link = Link::chosen(Rule::ReadsFrom, [chosen, 0]);
                arcs.push(Arc { from: source, to: read, link });
            }
            if let Some(earlier) = self.own_earlier(read).filter(|&earlier| earlier != source) {
                let link = Link::chosen(Rule::OwnEarlier(read), [chosen, 0]);
                arcs.push(Arc { from: earlier, to: source, link });
            }
        }
        let guarded = self.guarded.get(&read).into_iter().flatten();
        for &reader in std::iter::once(&read).chain(guarded) {
            self.overtake(reader, source, chosen, arcs);
        }
    }

    /// Adds arcs from an operation that depends on a read of `source` to all writes after `source` (R7).
    fn overtake(&self, from: u32, source: u32, chosen: i32, arcs: &mut Vec<Arc>) {
        let mut push = |to: u32, pair: i32| {
            if to != from {
                let link = Link::Chosen { rule: Rule::Overtaken, literals: [chosen, pair], source };
                arcs.push(Arc { from, to, link });
            }
        };
        self.forced_after(source, from).for_each(|to| push(to, 0));
        if source != INITIAL {
            for &pair in self.pairs_of.of(source) {
                let (first, second, literal) = self.ordered(pair as usize);
                if first == source {
                    push(second, literal);
                }
            }
        }
    }

    /// The first write of each chain, at the location of `reader`, that a source is forced to precede.
    fn forced_after(&self, source: u32, reader: u32) -> impl Iterator<Item = u32> {
        let events = self.events();
        let index = events.write_index();
        let groups = index.groups(events.location[reader as usize]).iter();
        groups.filter_map(move |group| {
            let members = index.members(group);
            let first = match source {
                INITIAL => 0,
                _ => members.partition_point(|&write| !self.is_after(source, write)),
            };
            // Later writes of the chain follow this one.
            members.get(first).copied()
        })
    }

    fn is_after(&self, source: u32, write: u32) -> bool {
        source != write && self.saturation.precedes(source, write)
    }

    /// Adds the arcs that follow if a location ends with this write.
    fn come_last(&self, last: u32, chosen: i32, arcs: &mut Vec<Arc>) {
        let index = self.events().write_index();
        let groups = index.groups(self.events().location[last as usize]).iter();
        let writes = groups.flat_map(|group| index.members(group));
        arcs.extend(writes.filter(|&&write| write != last).map(|&from| Arc {
            from,
            to: last,
            link: Link::chosen(Rule::Final, [chosen, 0]),
        }));
    }

    /// The assumption that a literal stands for.
    pub(crate) fn meaning(&self, literal: i32) -> Assumption {
        let events = self.events();
        let variable = literal.unsigned_abs() as usize - 1;
        if let Some(&(a, b)) = self.pairs.get(variable) {
            let (first, second) = if literal > 0 { (a, b) } else { (b, a) };
            let op = |event: u32| events.op[event as usize];
            return Assumption::Before(op(first), op(second));
        }
        let Candidate { reader, source, chosen } = self.candidates[variable - self.pairs.len()];
        let from = Assumption::From(reader.node(events), reader.source_node(events, source));
        if literal == chosen { from } else { from.opposite() }
    }

    /// The order that the formula completes.
    pub(crate) fn saturation(&self) -> &'a Saturation<'e> {
        self.saturation
    }
}

impl<'b> OpenOrder<'b> for Residual<'_, '_, 'b> {
    fn formula(&mut self) -> &mut Formula<'b> {
        &mut self.formula
    }

    fn check_model(&self) -> Result<Vec<u32>, Vec<Vec<Arc>>> {
        let triangles = self.triangles.find(|pair| self.ordered(pair));
        order_or_cycles(triangles, &self.forced, || self.chosen(), &self.rank)
    }
}
