//! [`Graph`]: the order that a model of the formula represents, which is the forced order and the model's
//! choices.

use crate::engine::csr::Csr;
use crate::engine::digraph::{Digraph, NONE, topological_by};
use crate::engine::explain::Hop;
use crate::engine::saturate::Saturation;
use certify::rule::Rule;

/// The justification of an arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// The arc is a hop of the forced order.
    Forced(Hop),
    /// The arc stands for a path of the forced order.
    Path,
    /// The arc follows from the model's choices by a rule.
    Chosen {
        /// The rule by which the chosen edge holds.
        rule: Rule<u32>,
        /// The literals that it depends on, 0 for none: that of the read's source, and that of the order
        /// of two writes.
        literals: [i32; 2],
        /// The source of the read for [`Rule::Overtaken`], else [`NONE`].
        source: u32,
    },
}

impl Link {
    /// The link for a rule that needs no source.
    pub(crate) fn chosen(rule: Rule<u32>, literals: [i32; 2]) -> Link {
        Link::Chosen { rule, literals, source: NONE }
    }

    /// The literals that the link depends on, 0 for none.
    pub(crate) fn literals(self) -> [i32; 2] {
        match self {
            Link::Forced(_) | Link::Path => [0, 0],
            Link::Chosen { literals, .. } => literals,
        }
    }
}

/// An arc between two events, from the earlier one to the later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arc {
    /// The earlier event.
    pub from: u32,
    /// The later event.
    pub to: u32,
    /// Why it is earlier.
    pub link: Link,
}

/// The forced order, which is the same for all models.
pub(crate) struct Forced {
    arcs: Vec<Arc>,
    out: Csr,
}

impl Forced {
    /// The edges of a saturated order.
    pub(crate) fn of(saturation: &Saturation<'_>) -> Forced {
        let events = saturation.events;
        let count = events.len();
        let po = (0..count as u32).flat_map(|from| {
            let next = events.po().of(from).iter();
            next.map(move |&to| Arc { from, to, link: Link::Forced(Hop::Po(from, to)) })
        });
        let edges = saturation.edges().iter().enumerate();
        let edges = edges.filter(|(_, edge)| edge.rule.is_some());
        let edges = edges.map(|(number, edge)| Arc {
            from: edge.from,
            to: edge.to,
            link: Link::Forced(Hop::Edge(number as u32)),
        });
        Forced::new(count, po.chain(edges).collect())
    }

    /// The order of these arcs between `events` events. Memory: 32 bytes an arc.
    pub(crate) fn new(events: usize, arcs: Vec<Arc>) -> Forced {
        Forced { out: by_tail(events, &arcs), arcs }
    }
}

fn by_tail(events: usize, arcs: &[Arc]) -> Csr {
    let numbered = arcs.iter().enumerate();
    Csr::new(events, numbered.map(|(number, arc)| (arc.from, number as u32)))
}

/// The order that a model represents: the forced arcs and those that the model chose.
pub(crate) struct Graph<'f> {
    forced: &'f Forced,
    chosen: Vec<Arc>,
    out: Csr,
}

impl<'f> Graph<'f> {
    /// The graph of the forced order and these choices.
    pub(crate) fn new(forced: &'f Forced, chosen: Vec<Arc>) -> Graph<'f> {
        Graph { out: by_tail(forced.out.nodes(), &chosen), forced, chosen }
    }

    /// The arcs that the model chose.
    pub(crate) fn chosen(&self) -> &[Arc] {
        &self.chosen
    }

    /// The arcs from an event.
    pub(crate) fn from(&self, event: u32) -> impl Iterator<Item = &Arc> {
        let forced = self.forced.out.of(event).iter();
        let chosen = self.out.of(event).iter();
        let forced = forced.map(|&number| &self.forced.arcs[number as usize]);
        forced.chain(chosen.map(|&number| &self.chosen[number as usize]))
    }

    /// All events in a topological order. Of the events that can come next, the one of lowest rank does.
    ///
    /// # Errors
    /// If there is a cycle, returns per event the number of its strongly connected component, or
    /// [`NONE`](crate::engine::digraph::NONE) if it is on no cycle.
    pub(crate) fn sort(&self, rank: &[u32]) -> Result<Vec<u32>, Vec<u32>> {
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
