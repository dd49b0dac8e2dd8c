//! The order that a model of the formula stands for: what is forced, and what the model chooses.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::csr::Csr;
use crate::events::NONE;
use crate::explain::Hop;
use crate::saturate::{Reason, Saturation};

/// Why one event comes before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// It is forced.
    Forced(Hop),
    /// It is forced by way of others.
    Way,
    /// The model orders these writes so, by this literal.
    Pair {
        /// The literal.
        literal: i32,
    },
    /// The reader takes its value from a write that comes before the other write.
    Overtaken {
        /// The read whose value `from` depends on: itself, or a store-conditional's load-linked.
        read: u32,
        /// The read's source.
        source: u32,
        /// The literal that says so, 0 if it is known.
        chosen: i32,
        /// The literal that says that the source comes before the write, 0 if that is forced.
        pair: i32,
    },
    /// The read takes its value from an external write.
    ReadsFrom {
        /// The literal that says so.
        chosen: i32,
    },
    /// The write is earlier in the thread of a read that takes its value from the other write.
    OwnEarlier {
        /// The read.
        read: u32,
        /// The literal that says where it reads from.
        chosen: i32,
    },
    /// The other write's value is the final one.
    Final {
        /// The literal that says so.
        chosen: i32,
    },
    /// The initial write comes before every other.
    First,
}

impl Link {
    /// The literals that it rests on, 0 for none.
    pub fn literals(self) -> [i32; 2] {
        match self {
            Link::Forced(_) | Link::Way | Link::First => [0, 0],
            Link::Pair { literal } => [literal, 0],
            Link::Overtaken { chosen, pair, .. } => [chosen, pair],
            Link::ReadsFrom { chosen }
            | Link::OwnEarlier { chosen, .. }
            | Link::Final { chosen } => [chosen, 0],
        }
    }
}

/// A link with its ends, which are events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arc {
    /// What comes before.
    pub from: u32,
    /// What comes after.
    pub to: u32,
    /// Why.
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
            next.map(move |&to| Arc {
                from,
                to,
                link: Link::Forced(Hop::Po(from, to)),
            })
        });
        let edges = saturation.edges().iter().enumerate();
        let edges = edges.filter(|(_, edge)| edge.reason != Reason::Transit);
        let edges = edges.map(|(number, edge)| Arc {
            from: edge.from,
            to: edge.to,
            link: Link::Forced(Hop::Edge(number as u32)),
        });
        let arcs: Vec<Arc> = po.chain(edges).collect();
        Forced {
            out: by_tail(count, &arcs),
            arcs,
        }
    }
}

fn by_tail(events: usize, arcs: &[Arc]) -> Csr {
    let numbered = arcs.iter().enumerate();
    Csr::new(
        events,
        numbered.map(|(number, arc)| (arc.from, number as u32)),
    )
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
        Graph {
            out: by_tail(forced.out.nodes(), &chosen),
            forced,
            chosen,
        }
    }

    /// Number of events.
    pub fn len(&self) -> usize {
        self.out.nodes()
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
    /// per event the number of its component, if it is on a cycle, or else [`NONE`].
    pub fn sort(&self, rank: &[u32]) -> Result<Vec<u32>, Vec<u32>> {
        let mut before = vec![0u32; self.len()];
        for event in 0..self.len() as u32 {
            for arc in self.from(event) {
                before[arc.to as usize] += 1;
            }
        }
        let key = |event: u32| Reverse((rank[event as usize], event));
        let free = (0..self.len() as u32).filter(|&event| before[event as usize] == 0);
        let mut free: BinaryHeap<_> = free.map(key).collect();
        let mut order = Vec::with_capacity(self.len());
        while let Some(Reverse((_, event))) = free.pop() {
            order.push(event);
            for arc in self.from(event) {
                before[arc.to as usize] -= 1;
                if before[arc.to as usize] == 0 {
                    free.push(key(arc.to));
                }
            }
        }
        if order.len() == self.len() {
            return Ok(order);
        }
        let mut left = vec![true; self.len()];
        for event in order {
            left[event as usize] = false;
        }
        Err(self.components(&left))
    }

    /// Per event the number of its strongly connected component among those that are left; [`NONE`]
    /// for an event by itself. (Kosaraju's algorithm.)
    fn components(&self, left: &[bool]) -> Vec<u32> {
        let mut into: Vec<(u32, u32)> = Vec::new();
        for from in (0..self.len() as u32).filter(|&event| left[event as usize]) {
            let arcs = self.from(from).filter(|arc| left[arc.to as usize]);
            into.extend(arcs.map(|arc| (arc.to, from)));
        }
        let into = Csr::new(self.len(), into.into_iter());
        let mut component = vec![NONE; self.len()];
        for (number, root) in self.by_finish(left).into_iter().rev().enumerate() {
            if component[root as usize] != NONE {
                continue;
            }
            let mut size = 0;
            let mut open = vec![root];
            component[root as usize] = number as u32;
            while let Some(event) = open.pop() {
                size += 1;
                for &before in into.of(event) {
                    if component[before as usize] == NONE {
                        component[before as usize] = number as u32;
                        open.push(before);
                    }
                }
            }
            if size == 1 {
                component[root as usize] = ALONE;
            }
        }
        for component in component
            .iter_mut()
            .filter(|component| **component == ALONE)
        {
            *component = NONE;
        }
        component
    }

    /// The events that are left, in the order in which a depth-first search leaves them.
    fn by_finish(&self, left: &[bool]) -> Vec<u32> {
        let mut finished = Vec::new();
        let mut seen: Vec<bool> = left.iter().map(|left| !left).collect();
        for root in 0..self.len() as u32 {
            if std::mem::replace(&mut seen[root as usize], true) {
                continue;
            }
            let mut path = vec![(root, self.from(root))];
            while let Some((event, arcs)) = path.last_mut() {
                match arcs.find(|arc| !seen[arc.to as usize]) {
                    Some(arc) => {
                        seen[arc.to as usize] = true;
                        path.push((arc.to, self.from(arc.to)));
                    }
                    None => {
                        finished.push(*event);
                        path.pop();
                    }
                }
            }
        }
        finished
    }
}

/// Marks an event that is a component by itself.
const ALONE: u32 = u32::MAX - 1;
