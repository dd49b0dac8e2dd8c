//! The order that a model of the formula stands for: what is forced, and what the model chooses.

use crate::engine::csr::Csr;
use crate::engine::digraph::{Digraph, NONE, topological_by};
use crate::engine::explain::Hop;
use crate::engine::saturate::Saturation;
use certify::rule::Rule;

/// Why one event comes before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// It is forced.
    Forced(Hop),
    /// It is forced by a path of others.
    Path,
    /// It follows from what the model chooses, by a rule.
    Chosen {
        /// The rule by which the chosen edge holds.
        rule: Rule<u32>,
        /// The literals that it rests on, 0 for none: what the read's source is, and the order of two writes.
        literals: [i32; 2],
        /// For [`Rule::Overtaken`] the source of the read, else [`NONE`].
        source: u32,
    },
}

impl Link {
    /// What follows by a rule from these literals, for a rule that needs no source.
    pub fn chosen(rule: Rule<u32>, literals: [i32; 2]) -> Link {
        Link::Chosen { rule, literals, source: NONE }
    }

    /// The literals that it rests on, 0 for none.
    pub fn literals(self) -> [i32; 2] {
        match self {
            Link::Forced(_) | Link::Path => [0, 0],
            Link::Chosen { literals, .. } => literals,
        }
    }
}

/// A link with its ends, which are events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arc {
    /// The event that comes before.
    pub from: u32,
    /// The event that comes after.
    pub to: u32,
    /// Why one comes before the other.
    pub link: Link,
}

/// What is forced, the same for all models.
pub struct Forced {
    arcs: Vec<Arc>,
    out: Csr,
}

impl Forced {
    /// The edges of a saturated order. Memory: 32 bytes an edge.
    pub fn new(saturation: &Saturation<'_>) -> Forced {
        let events = saturation.events;
        let count = events.len();
        let po = (0..count as u32).flat_map(|from| {
            let next = events.po.of(from).iter();
            next.map(move |&to| Arc { from, to, link: Link::Forced(Hop::Po(from, to)) })
        });
        let edges = saturation.edges().iter().enumerate();
        let edges = edges.filter(|(_, edge)| edge.rule.is_some());
        let edges = edges.map(|(number, edge)| Arc {
            from: edge.from,
            to: edge.to,
            link: Link::Forced(Hop::Edge(number as u32)),
        });
        let arcs: Vec<Arc> = po.chain(edges).collect();
        Forced { out: by_tail(count, &arcs), arcs }
    }
}

fn by_tail(events: usize, arcs: &[Arc]) -> Csr {
    let numbered = arcs.iter().enumerate();
    Csr::new(events, numbered.map(|(number, arc)| (arc.from, number as u32)))
}

/// The order that a model stands for.
pub struct Graph<'f> {
    forced: &'f Forced,
    chosen: Vec<Arc>,
    out: Csr,
}

impl<'f> Graph<'f> {
    /// What is forced and what is chosen.
    pub fn new(forced: &'f Forced, chosen: Vec<Arc>) -> Graph<'f> {
        Graph { out: by_tail(forced.out.nodes(), &chosen), forced, chosen }
    }

    /// The arcs that the model chose.
    pub fn chosen(&self) -> &[Arc] {
        &self.chosen
    }

    /// The arcs from an event.
    pub fn from(&self, event: u32) -> impl Iterator<Item = &Arc> {
        let forced = self.forced.out.of(event).iter();
        let chosen = self.out.of(event).iter();
        let forced = forced.map(|&number| &self.forced.arcs[number as usize]);
        forced.chain(chosen.map(|&number| &self.chosen[number as usize]))
    }

    /// All events in an order along the arcs, those of low rank first where there is a choice; or
    /// per event the number of its component, if it is on a cycle, or else
    /// [`NONE`](crate::engine::digraph::NONE).
    pub fn sort(&self, rank: &[u32]) -> Result<Vec<u32>, Vec<u32>> {
        topological_by(self, rank).map_err(|rest| rest.components())
    }
}

impl Digraph for Graph<'_> {
    fn nodes(&self) -> usize {
        self.out.nodes()
    }

    fn successors(&self, node: u32, visit: impl FnMut(u32)) {
        self.from(node).map(|arc| arc.to).for_each(visit);
    }
}
