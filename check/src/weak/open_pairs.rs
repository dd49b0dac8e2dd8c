//! [`OpenPairs`]: the SAT stage for weak models.
//!
//! There is a variable for each pair of writes of one location that saturation leaves unordered. A model of the formula represents
//! the forced order, the chosen order of each pair, and the order of the readers of the first write before the second (R7). If that
//! is acyclic, it is a memory order: R6 holds too, since all writes of a location are ordered. The literals of a cycle exclude each
//! other. So clauses are added as models need them, in the same way as for the models with store buffers
//! (see [`crate::sat::residual`]). Sources of reads are fixed beforehand, as preserved program order depends on them.

use certify::rule::Rule;
use history::OpId;
use host::Bounds;

use super::forced::{Chain, Edge, EdgeReason, Forced};
use crate::engine::explain::Hop;
use crate::engine::proof::{Assumption, Block, Violation};
use crate::sat::cycles::order_or_cycles;
use crate::sat::formula::{Formula, OpenOrder};
use crate::sat::graph::{self, Arc, Link};
use crate::sat::triangles::Triangles;
use crate::verdict::SatStatistics;

/// Memory that a pair takes, here and in the structures that are built from the pairs, in bytes.
const BYTES_PER_PAIR: usize = 200;

/// The pairs of writes that a saturated order leaves open, and the formula about their order.
pub(super) struct OpenPairs<'f, 'a, 'b> {
    forced: &'f mut Forced<'a>,
    /// The saturated order.
    order: graph::Forced,
    /// Per node, its position in a topological order.
    rank: Vec<u32>,
    triangles: Triangles,
    /// The unordered pairs of writes. The n-th pair, counted from 0, has the literal n + 1, which holds if
    /// the first write precedes the second.
    pairs: Vec<(u32, u32)>,
    formula: Formula<'b>,
}

impl<'f, 'a, 'b> OpenPairs<'f, 'a, 'b> {
    /// The formula for an order that was saturated without a contradiction. `None` if a bound was met.
    pub(super) fn new(
        forced: &'f mut Forced<'a>,
        bounds: &'b Bounds,
    ) -> Option<OpenPairs<'f, 'a, 'b>> {
        let rank = forced.ranks();
        let pairs = unordered(forced, &rank, bounds)?;
        let mut formula = Formula::new(bounds);
        pairs.iter().for_each(|_| {
            formula.variable();
        });
        let arcs = forced.edges.iter().enumerate().map(|(number, edge)| Arc {
            from: edge.from,
            to: edge.to,
            link: Link::Forced(Hop::Edge(number as u32)),
        });
        let location = |write: u32| forced.history.location(OpId(write)).unwrap_or_default();
        let precedes = |first: u32, second: u32| forced.precedes(OpId(first), second);
        Some(OpenPairs {
            order: graph::Forced::new(forced.nodes(), arcs.collect()),
            triangles: Triangles::new(&pairs, location, precedes),
            rank,
            pairs,
            formula,
            forced,
        })
    }

    /// Contradictions met so far.
    pub(super) fn contradictions(&self) -> u64 {
        self.formula.contradictions()
    }

    /// Statistics of the solver.
    pub(super) fn statistics(&mut self) -> SatStatistics {
        self.formula.statistics()
    }

    /// A pair as the model orders it, with the literal for that order.
    fn ordered(&self, pair: usize) -> (u32, u32, i32) {
        let (a, b) = self.pairs[pair];
        let literal = pair as i32 + 1;
        if self.formula.holds(literal) { (a, b, literal) } else { (b, a, -literal) }
    }

    /// The arcs that the order of a pair adds in the model: from the first write, and from its readers, to
    /// the second.
    fn chosen(&self, pair: usize) -> impl Iterator<Item = Arc> {
        let (from, to, literal) = self.ordered(pair);
        let order = Link::chosen(Rule::Assumed, [0, literal]);
        let link = Link::Chosen { rule: Rule::Overtaken, literals: [0, literal], source: from };
        let readers = self.forced.overtaken(OpId(from), OpId(to));
        let readers = readers.map(move |reader| Arc { from: reader.0, to, link });
        std::iter::once(Arc { from, to, link: order }).chain(readers)
    }

    /// The proof that there is no memory order. `None` if the solver's clauses do not show it, or a bound was met.
    pub(super) fn refutation(self) -> Option<Violation> {
        let OpenPairs { forced, pairs, formula, .. } = self;
        let meaning = |literal: i32| {
            let (a, b) = pairs[literal.unsigned_abs() as usize - 1];
            let (first, second) = if literal > 0 { (a, b) } else { (b, a) };
            Assumption::Before(OpId(first), OpId(second))
        };
        formula.refutation(|cycle| block(forced, cycle, meaning), meaning)
    }
}

impl<'b> OpenOrder<'b> for OpenPairs<'_, '_, 'b> {
    fn formula(&mut self) -> &mut Formula<'b> {
        &mut self.formula
    }

    /// The order has all nodes of the graph, not only operations.
    fn check_model(&self) -> Result<Vec<u32>, Vec<Vec<Arc>>> {
        let triangles = self.triangles.find(|pair| self.ordered(pair));
        let chosen = || (0..self.pairs.len()).flat_map(|pair| self.chosen(pair)).collect();
        order_or_cycles(triangles, &self.order, chosen, &self.rank)
    }
}

/// The proof that the literals of a cycle exclude each other. The arcs of the cycle become edges for as long as it is written.
fn block(forced: &mut Forced<'_>, cycle: &[Arc], meaning: impl Fn(i32) -> Assumption) -> Block {
    let mark = forced.mark();
    // Edges by R7 follow from the order of two writes, so the edge of that order needs a smaller number.
    for literal in cycle.iter().flat_map(|arc| arc.link.literals()).filter(|&it| it != 0) {
        if let Assumption::Before(first, second) = meaning(literal) {
            forced.assume_order(first, second);
        }
    }
    let lists = forced.successors(mark.edges());
    let mut edges = Vec::new();
    for arc in cycle {
        match arc.link {
            Link::Forced(Hop::Edge(number)) => edges.push(number as usize),
            Link::Chosen { rule, .. } => {
                edges.push(forced.edges.len());
                let why = EdgeReason::Rule(rule.map(OpId));
                forced.edges.push(Edge { from: arc.from, to: arc.to, why });
            }
            Link::Path | Link::Forced(Hop::Po(..)) => {
                edges.extend(
                    forced.path(&lists, arc.from, arc.to, usize::MAX, |_| true).unwrap_or_default(),
                );
            }
        }
    }
    let block = forced.explain(&edges);
    forced.undo(&mark);
    block
}

/// The unordered pairs, grouped by location. In each pair, the write of lower rank comes first. `None` if a bound was met.
fn unordered(forced: &Forced<'_>, rank: &[u32], bounds: &Bounds) -> Option<Vec<(u32, u32)>> {
    let mut pairs = Vec::new();
    for chains in &forced.chains {
        for (at, chain) in chains.iter().enumerate() {
            for &write in &chain.writes {
                if bounds.passed() || !bounds.allows(BYTES_PER_PAIR * pairs.len()) {
                    return None;
                }
                let others = chains[at + 1..].iter().flat_map(|other| open(forced, write, other));
                pairs.extend(others.map(|other| {
                    let is_first = rank[write.at()] < rank[other.at()];
                    if is_first { (write.0, other.0) } else { (other.0, write.0) }
                }));
            }
        }
    }
    Some(pairs)
}

/// The writes of a chain that a write is unordered with. They are consecutive.
fn open<'c>(forced: &Forced<'_>, write: OpId, chain: &'c Chain) -> &'c [OpId] {
    let before = chain.writes.partition_point(|&other| forced.precedes(other, write.0));
    let rest = &chain.writes[before..];
    &rest[..rest.partition_point(|&other| !forced.precedes(write, other.0))]
}
