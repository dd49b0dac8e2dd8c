//! Turns a cycle in the saturated order into a block of a proof.
//!
//! An edge is justified by a path of edges that were derived before it. Saturation does not store these
//! paths. They are searched again, backwards and with as few operations as possible, and only for the
//! edges that the contradiction needs. Cost: one search of the order for each such edge.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rustc_hash::FxHashMap;

use crate::engine::events::Events;
use crate::engine::events::INITIAL;
use crate::engine::proof::{Assumption, Block, Contradiction, Fact};
use crate::engine::saturate::{Edge, NoFixpoint, Saturation};
use certify::certificate::Node;
use certify::rule::Rule;

/// A step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hop {
    /// Preserved program order.
    Po(u32, u32),
    /// A derived edge.
    Edge(u32),
}

/// A block of a proof, with the choices that it assumes.
#[derive(Debug)]
pub(crate) struct Explanation {
    /// The block; its assumptions are those of `choices`, in the same order.
    pub block: Block,
    /// The edges that the block assumes, in ascending order.
    pub choices: Vec<u32>,
}

/// Explains why saturation stopped; `None` if a bound was met. `lemma_premises` returns the choices, as
/// edges, that the edge of a lemma depends on.
pub(crate) fn explain<'l>(
    saturation: &Saturation<'_>,
    stop: NoFixpoint,
    lemma_premises: impl Fn(u32) -> &'l [u32],
) -> Option<Explanation> {
    let explainer = Explainer::new(saturation);
    match stop {
        NoFixpoint::Exceeded => None,
        NoFixpoint::BeforeInitial { write, read } => Some(explainer.before_initial(write, read)),
        NoFixpoint::Cycle(event) => Some(explainer.cycle(event, lemma_premises)),
    }
}

/// Finds the edges and paths that justify edges of a saturated order.
pub(crate) struct Explainer<'a, 'e> {
    saturation: &'a Saturation<'e>,
}

impl<'a, 'e> Explainer<'a, 'e> {
    /// An explainer for the edges of this order.
    pub(crate) fn new(saturation: &'a Saturation<'e>) -> Explainer<'a, 'e> {
        Explainer { saturation }
    }

    /// Writes the facts that these hops need. The order must have no choices.
    pub(crate) fn facts(&self, hops: &[Hop]) -> FactWriter<'_, 'a, 'e> {
        let needed = self.justify(edges_of(hops).collect(), |_| &[]);
        FactWriter::new(self, &needed)
    }

    /// The events that a hop leads from and to.
    pub(crate) fn ends(&self, hop: Hop) -> (u32, u32) {
        match hop {
            Hop::Po(from, to) => (from, to),
            Hop::Edge(number) => (self.edge(number).from, self.edge(number).to),
        }
    }

    fn events(&self) -> &'e Events {
        self.saturation.events
    }

    fn node(&self, event: u32) -> Node {
        Node::Op(self.events().op[event as usize])
    }

    fn before_initial(&self, write: u32, read: u32) -> Explanation {
        let initial = Node::Initial(self.events().location[write as usize]);
        let write = self.node(write);
        let fact = |before, after, rule| Fact { before, after, rule, premises: Vec::new() };
        let own_earlier = Rule::OwnEarlier(self.events().op[read as usize]);
        Explanation {
            block: Block {
                assumptions: Vec::new(),
                facts: vec![
                    fact(write, initial, own_earlier),
                    fact(initial, write, Rule::InitialFirst),
                ],
                end: Contradiction::Cycle(vec![0, 1]),
            },
            choices: Vec::new(),
        }
    }

    fn cycle<'l>(&self, event: u32, lemma_premises: impl Fn(u32) -> &'l [u32]) -> Explanation {
        let cycle = self.path(event, event, u32::MAX);
        let needed = self.justify(edges_of(&cycle).collect(), lemma_premises);
        let is_choice = |&number: &u32| self.edge(number).rule == Some(Rule::Assumed);
        let choices: Vec<u32> = needed.keys().copied().filter(is_choice).collect();
        let mut writer = FactWriter::new(self, &needed);
        let end = Contradiction::Cycle(writer.write_path(&cycle));
        let pair = |&number: &u32| {
            let Edge { from, to, .. } = self.edge(number);
            let op = |event: u32| self.events().op[event as usize];
            Assumption::Before(op(from), op(to))
        };
        Explanation {
            block: Block {
                assumptions: choices.iter().map(pair).collect(),
                facts: writer.facts,
                end,
            },
            choices,
        }
    }

    /// The edges that `open` edges need, these included, each with the path that its rule needs.
    fn justify<'l>(
        &self,
        mut open: BTreeSet<u32>,
        lemma_premises: impl Fn(u32) -> &'l [u32],
    ) -> BTreeMap<u32, Vec<Hop>> {
        // Goes from the latest edge to the earliest, since premises have smaller numbers.
        let mut needed: BTreeMap<u32, Vec<Hop>> = BTreeMap::new();
        while let Some(number) = open.pop_last() {
            let premises = self.premises(number, &lemma_premises);
            open.extend(edges_of(&premises));
            needed.insert(number, premises);
        }
        needed
    }

    fn edge(&self, number: u32) -> Edge {
        self.saturation.edges()[number as usize]
    }

    /// The path that an edge's rule needs.
    fn premises<'l>(&self, number: u32, lemma_premises: &impl Fn(u32) -> &'l [u32]) -> Vec<Hop> {
        let Edge { from, to, rule, .. } = self.edge(number);
        match rule {
            Some(Rule::Observed(read)) => self.path(from, read, number),
            Some(Rule::Overtaken) => match self.events().source[from as usize] {
                INITIAL => Vec::new(),
                source => self.path(source, to, number),
            },
            Some(Rule::Lemma(lemma)) => {
                lemma_premises(lemma).iter().map(|&edge| Hop::Edge(edge)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// A path with few hops from `from` to `to` (a cycle, if they are the same) over program
    /// order and edges numbered below `limit`. A run of program order counts as one hop.
    pub(crate) fn path(&self, from: u32, to: u32, limit: u32) -> Vec<Hop> {
        let known = self.find_path(from, to, limit, self.on_the_way(from));
        // Under PSO clocks may lack what edges imply, so the second search ignores them.
        known
            .or_else(|| self.find_path(from, to, limit, |_| true))
            .unwrap_or_else(|| unreachable!("an edge's premises are paths that exist"))
    }

    fn find_path(
        &self,
        from: u32,
        to: u32,
        limit: u32,
        on_the_way: impl Fn(u32) -> bool,
    ) -> Option<Vec<Hop>> {
        // Searches backwards from `to`, by ascending number of hops.
        let start = State { event: to, via: Via::Start };
        let mut best = FxHashMap::from_iter([(start, 0u32)]);
        let mut parents: FxHashMap<State, (State, Hop)> = FxHashMap::default();
        let mut queue = VecDeque::from([(start, 0u32)]);
        while let Some((state, cost)) = queue.pop_front() {
            if best[&state] < cost {
                continue;
            }
            if state.event == from && state.via != Via::Start {
                return Some(self.merge_runs(unwind(state, &parents)));
            }
            for hop in self.hops_into(state.event, limit) {
                let (next, free) = match hop {
                    Hop::Po(event, _) => {
                        let via = Via::ProgramOrder;
                        (State { event, via }, state.via == via)
                    }
                    Hop::Edge(number) => {
                        let event = self.edge(number).from;
                        (State { event, via: Via::Edge }, false)
                    }
                };
                if !on_the_way(next.event) {
                    continue;
                }
                let next_cost = cost + u32::from(!free);
                if best.get(&next).is_none_or(|&known| next_cost < known) {
                    best.insert(next, next_cost);
                    parents.insert(next, (state, hop));
                    if free {
                        queue.push_front((next, next_cost));
                    } else {
                        queue.push_back((next, next_cost));
                    }
                }
            }
        }
        None
    }

    /// The hops into an event.
    fn hops_into(&self, event: u32, limit: u32) -> impl Iterator<Item = Hop> {
        let po = self.events().po_back.of(event).iter();
        let po = po.map(move |&previous| Hop::Po(previous, event));
        let edges = self
            .saturation
            .edges_into(event)
            .filter(move |&number| number < limit && self.edge(number).rule.is_some());
        po.chain(edges.map(Hop::Edge))
    }

    /// Returns a predicate that holds for the events that can be on a path from an event.
    fn on_the_way(&self, from: u32) -> impl Fn(u32) -> bool {
        let events = self.events();
        // Under PSO store slots cover only the event's location.
        let exits = (!events.is_global(from)).then(|| self.saturation.exits(from));
        move |event| {
            let same_location = events.location[from as usize] == events.location[event as usize];
            let known = exits.is_none() || same_location;
            if event == from || known && self.saturation.precedes(from, event) {
                return true;
            }
            let clock = self.saturation.clock(event).iter();
            exits.as_ref().is_some_and(|exits| {
                let mut exits = exits.iter().zip(clock);
                exits.any(|(&exit, &known)| exit != 0 && exit <= known)
            })
        }
    }

    /// Replaces runs of program order by as few directly preserved pairs as possible.
    pub(crate) fn merge_runs(&self, path: Vec<Hop>) -> Vec<Hop> {
        let mut merged: Vec<Hop> = Vec::new();
        let mut run: Vec<u32> = Vec::new();
        for hop in path {
            match hop {
                Hop::Po(before, after) => {
                    if run.is_empty() {
                        run.push(before);
                    }
                    run.push(after);
                }
                Hop::Edge(_) => {
                    self.close_run(&mut run, &mut merged);
                    merged.push(hop);
                }
            }
        }
        self.close_run(&mut run, &mut merged);
        merged
    }

    fn close_run(&self, run: &mut Vec<u32>, merged: &mut Vec<Hop>) {
        let mut at = 0;
        while at + 1 < run.len() {
            let next = (at + 1..run.len())
                .rev()
                .find(|&next| self.preserved(run[at], run[next]))
                .unwrap_or(at + 1);
            merged.push(Hop::Po(run[at], run[next]));
            at = next;
        }
        run.clear();
    }

    fn preserved(&self, first: u32, second: u32) -> bool {
        let events = self.events();
        events.model.preserves(
            events.label(first),
            events.label(second),
            events.location[first as usize] == events.location[second as usize],
        )
    }
}

/// A state of the search: an event, and the kind of hop that leaves it on the path found.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    event: u32,
    via: Via,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Via {
    Start,
    ProgramOrder,
    Edge,
}

fn unwind(mut state: State, parents: &FxHashMap<State, (State, Hop)>) -> Vec<Hop> {
    let mut path = Vec::new();
    while let Some(&(parent, hop)) = parents.get(&state) {
        path.push(hop);
        state = parent;
    }
    path
}

fn edges_of(path: &[Hop]) -> impl Iterator<Item = u32> {
    path.iter().filter_map(|hop| match hop {
        Hop::Edge(number) => Some(*number),
        Hop::Po(..) => None,
    })
}

/// Collects the facts of a block, each once.
pub(crate) struct FactWriter<'a, 'b, 'e> {
    explainer: &'a Explainer<'b, 'e>,
    /// The facts written so far.
    pub facts: Vec<Fact>,
    of_edge: FxHashMap<u32, usize>,
    of_po: FxHashMap<(u32, u32), usize>,
}

impl<'a, 'b, 'e> FactWriter<'a, 'b, 'e> {
    /// Creates a writer and writes edges in the order of their numbers, each with the path that its rule
    /// needs.
    fn new(explainer: &'a Explainer<'b, 'e>, needed: &BTreeMap<u32, Vec<Hop>>) -> Self {
        let mut writer = FactWriter {
            explainer,
            facts: Vec::new(),
            of_edge: FxHashMap::default(),
            of_po: FxHashMap::default(),
        };
        for (number, premises) in needed {
            writer.write_edge(*number, premises);
        }
        writer
    }

    fn write_edge(&mut self, number: u32, premises: &[Hop]) {
        let premises = self.write_path(premises);
        let events = self.explainer.events();
        let op = |event: u32| events.op[event as usize];
        let Edge { from, to, rule, .. } = self.explainer.edge(number);
        self.of_edge.insert(number, self.facts.len());
        self.facts.push(Fact {
            before: self.explainer.node(from),
            after: self.explainer.node(to),
            rule: rule.expect("transit edges are in no path").map(op),
            premises,
        });
    }

    /// The facts of a path. Its edges must have been among those given to [`FactWriter::new`].
    pub(crate) fn write_path(&mut self, path: &[Hop]) -> Vec<usize> {
        path.iter().map(|hop| self.write_hop(hop)).collect()
    }

    fn write_hop(&mut self, hop: &Hop) -> usize {
        match *hop {
            Hop::Edge(number) => self.of_edge[&number],
            Hop::Po(before, after) => {
                let next = self.facts.len();
                let index = *self.of_po.entry((before, after)).or_insert(next);
                if index == next {
                    let kind = |event: u32| self.explainer.events().kind[event as usize];
                    self.facts.push(Fact {
                        before: self.explainer.node(before),
                        after: self.explainer.node(after),
                        rule: Rule::program_order(kind(before), kind(after)),
                        premises: Vec::new(),
                    });
                }
                index
            }
        }
    }
}
