//! [`Reasons`] turns a cycle into a [`CriterionViolation`], with the facts that justify its edges.

use std::collections::BTreeMap;

use history::OpId;
use rustc_hash::FxHashMap;

use super::labelled_graph::{Edge, Hop, Label, LabelledGraph, reads_from, related};
use super::local::Derived;
use crate::execution::Execution;
use certify::certificate::Node;
use certify::criterion::{BaseOrder, Criterion, ForbiddenCycle, PairRelation};
use check::criterion_violation::{CriterionViolation, Fact};

/// Collects the facts of a violation. Cost: a search for a path for each derived pair that the proof needs.
pub(super) struct Reasons<'e> {
    exec: &'e Execution<'e>,
    criterion: Criterion,
    derived: &'e [Derived],
    /// The graphs in which paths for `hb_o`, `cf` and `hb_WW` are searched, by their base orders.
    graphs: Vec<(Vec<BaseOrder>, LabelledGraph<'e>)>,
    facts: Vec<Fact>,
    /// The index of each pair in `facts`.
    known: FxHashMap<(PairRelation<OpId>, u32, u32), usize>,
}

impl<'e> Reasons<'e> {
    /// Starts the refutation of a criterion, without any fact. `derived` are the derived pairs that labels cite.
    pub(super) fn new(
        exec: &'e Execution<'e>,
        criterion: Criterion,
        derived: &'e [Derived],
    ) -> Reasons<'e> {
        Reasons {
            exec,
            criterion,
            derived,
            graphs: Vec::new(),
            facts: Vec::new(),
            known: FxHashMap::default(),
        }
    }

    /// Returns the violation that a cycle of `graph` in the forbidden relation proves.
    pub(super) fn violation(
        mut self,
        relation: ForbiddenCycle<OpId>,
        graph: &LabelledGraph<'_>,
        cycle: &[Hop],
    ) -> CriterionViolation {
        let mut facts: Vec<usize> = cycle.iter().map(|&hop| self.hop(graph, hop)).collect();
        if matches!(relation, ForbiddenCycle::Memory | ForbiddenCycle::Weak(_)) {
            self.shorten(&mut facts);
        }
        self.finish(relation, facts)
    }

    /// Returns the violation that a read proves whose source is overwritten in its past. `over` is a path from the
    /// source to the overwriting write, and `back` a path from that write to the read.
    pub(super) fn stale(mut self, read: u32, over: &[Hop], back: &[Hop]) -> CriterionViolation {
        let mut facts =
            |hops: &[Hop]| -> Vec<usize> { hops.iter().map(|&hop| self.plain(hop)).collect() };
        let (over, back) = (facts(over), facts(back));
        let write = back.first().map_or(read, |&fact| self.node(self.facts[fact].before));
        let rw = self.fact(PairRelation::Overwritten, read, write, None, over);
        let mut cycle = vec![rw];
        cycle.extend(back);
        self.finish(ForbiddenCycle::Stale, cycle)
    }

    fn fact(
        &mut self,
        relation: PairRelation<OpId>,
        from: u32,
        to: u32,
        via: Option<u32>,
        premises: Vec<usize>,
    ) -> usize {
        if let Some(&known) = self.known.get(&(relation, from, to)) {
            return known;
        }
        self.facts.push(Fact {
            relation,
            before: self.name(from),
            after: self.name(to),
            via: via.map(OpId),
            premises,
        });
        self.known.insert((relation, from, to), self.facts.len() - 1);
        self.facts.len() - 1
    }

    fn name(&self, node: u32) -> Node {
        match self.exec.op(node) {
            Some(op) => Node::Op(op),
            None => Node::Initial(node - self.exec.operations),
        }
    }

    fn node(&self, name: Node) -> u32 {
        match name {
            Node::Op(op) => op.0,
            // `Final` does not occur: these relations have no node for the end of a run.
            Node::Initial(location) | Node::Final(location) => self.exec.initial(location),
        }
    }

    fn weak(&self) -> bool {
        self.criterion == Criterion::Wccm
    }

    /// Adds the fact for a step along program order or reads-from. Returns its index.
    fn plain(&mut self, hop: Hop) -> usize {
        match hop {
            Hop::Program(order, from, to) => {
                self.fact(PairRelation::Program(order), from, to, None, Vec::new())
            }
            Hop::Edge(edge) => {
                let external = self.weak();
                let relation = PairRelation::ReadsFrom { external };
                self.fact(relation, edge.from, edge.to, None, Vec::new())
            }
        }
    }

    /// Adds the fact for a step of the cycle, with its premises. Returns its index.
    fn hop(&mut self, graph: &LabelledGraph<'_>, hop: Hop) -> usize {
        let Hop::Edge(edge) = hop else {
            return self.plain(hop);
        };
        match edge.label {
            Label::ReadsFrom => self.plain(hop),
            Label::Derived(at) => self.local(at),
            Label::Conflict(order, read) => self.conflict(edge, order, read),
            Label::Happens => self.happens(edge),
            Label::Overwritten(by) => {
                let order = self.hop(graph, Hop::Edge(graph.edges[by as usize]));
                self.fact(PairRelation::Overwritten, edge.from, edge.to, None, vec![order])
            }
        }
    }

    /// A shortest path over these orders, reads-from, and the derived pairs for which `allowed` holds.
    fn path(
        &mut self,
        orders: &[BaseOrder],
        from: u32,
        to: u32,
        allowed: impl Fn(u32) -> bool,
    ) -> Vec<Hop> {
        let at = self.graph(orders);
        let path = self.graphs[at].1.path(from, to, |edge| match edge.label {
            Label::Derived(at) => allowed(at),
            _ => true,
        });
        path.unwrap_or_default()
    }

    /// Adds the facts of a path along program order, reads-from and derived pairs. Returns their indices.
    fn facts(&mut self, path: &[Hop]) -> Vec<usize> {
        path.iter()
            .map(|&hop| match derived(hop) {
                Some(at) => self.local(at),
                None => self.plain(hop),
            })
            .collect()
    }

    /// The index of the graph over these orders, which is built at the first use.
    fn graph(&mut self, orders: &[BaseOrder]) -> usize {
        if let Some(at) = self.graphs.iter().position(|(known, _)| known == orders) {
            return at;
        }
        let mut edges = reads_from(self.exec, self.weak());
        let derived = self.derived.iter().enumerate();
        let derived = derived.filter(|(_, pair)| orders.contains(&pair.order));
        edges.extend(derived.map(|(at, pair)| Edge {
            from: pair.from,
            to: pair.to,
            label: Label::Derived(at as u32),
        }));
        let graph = LabelledGraph::new(self.exec, orders, edges);
        self.graphs.push((orders.to_vec(), graph));
        self.graphs.len() - 1
    }

    /// Adds the fact for a derived pair, after those that it needs, which have smaller numbers. Returns its index.
    fn local(&mut self, at: u32) -> usize {
        let mut paths: BTreeMap<u32, Vec<Hop>> = BTreeMap::new();
        let mut open = vec![at];
        while let Some(at) = open.pop() {
            if !paths.contains_key(&at) && !self.known.contains_key(&self.key(at)) {
                let path = self.local_path(at);
                open.extend(path.iter().filter_map(|&hop| derived(hop)));
                paths.insert(at, path);
            }
        }
        for (at, path) in paths {
            let (relation, from, to) = self.key(at);
            let read = self.derived[at as usize].read;
            let premises = path.iter().map(|&hop| match derived(hop) {
                Some(at) => self.known[&self.key(at)],
                None => self.plain(hop),
            });
            let premises = premises.collect();
            self.fact(relation, from, to, Some(read), premises);
        }
        self.known[&self.key(at)]
    }

    fn key(&self, at: u32) -> (PairRelation<OpId>, u32, u32) {
        let pair = self.derived[at as usize];
        let relation = PairRelation::Local(pair.order, OpId(pair.of));
        (relation, pair.from, pair.to)
    }

    /// The path from the write w' to the read that the second rule of `hb_o` needs for a derived pair.
    fn local_path(&mut self, at: u32) -> Vec<Hop> {
        let derived = self.derived;
        let pair = derived[at as usize];
        let same = |at: u32| {
            let other = derived[at as usize];
            at < pair.round && (other.order, other.of) == (pair.order, pair.of)
        };
        self.path(&[pair.order], pair.from, pair.read, same)
    }

    fn conflict(&mut self, edge: Edge, order: BaseOrder, read: u32) -> usize {
        let path = self.path(&[order], edge.from, read, |_| true);
        let premises = self.facts(&path);
        let external = self.weak();
        let relation = PairRelation::Conflict { external };
        self.fact(relation, edge.from, edge.to, Some(read), premises)
    }

    /// Adds the fact for a pair of `hb_WW` and returns its index. If the path between the writes is a single derived
    /// pair, returns the index of the fact for that pair instead.
    fn happens(&mut self, edge: Edge) -> usize {
        let orders: &[BaseOrder] = if self.weak() {
            &[BaseOrder::Preserved, BaseOrder::SameLocation]
        } else {
            &[BaseOrder::Full]
        };
        let path = self.path(orders, edge.from, edge.to, |_| true);
        let premises = self.facts(&path);
        match premises[..] {
            [only] if matches!(self.facts[only].relation, PairRelation::Local(..)) => only,
            _ => self.store(edge.from, edge.to, premises),
        }
    }

    fn store(&mut self, from: u32, to: u32, premises: Vec<usize>) -> usize {
        let weak = self.weak();
        self.fact(PairRelation::Store { weak }, from, to, None, premises)
    }

    /// Shortens a cycle: replaces two neighbouring edges by one where transitivity of the store order
    /// allows it.
    fn shorten(&mut self, cycle: &mut Vec<usize>) {
        let mut tried = 0;
        while cycle.len() > 2 && tried < cycle.len() {
            match self.merged(cycle[0], cycle[1]) {
                Some(merged) => {
                    cycle[0] = merged;
                    cycle.remove(1);
                    tried = 0;
                }
                None => {
                    cycle.rotate_left(1);
                    tried += 1;
                }
            }
        }
    }

    fn merged(&mut self, first: usize, second: usize) -> Option<usize> {
        let (one, two) = (&self.facts[first], &self.facts[second]);
        let (from, to) = (self.node(one.before), self.node(two.after));
        match (one.relation, two.relation.orders_writes()) {
            (PairRelation::Overwritten, true) if self.exec.source[from as usize] != to => {
                let mut premises = one.premises.clone();
                premises.push(second);
                Some(self.fact(PairRelation::Overwritten, from, to, None, premises))
            }
            (relation, true) if relation.orders_writes() => {
                Some(self.store(from, to, vec![first, second]))
            }
            _ => None,
        }
    }

    /// Makes the violation of a cycle of facts, without the facts that the cycle does not need.
    fn finish(mut self, relation: ForbiddenCycle<OpId>, cycle: Vec<usize>) -> CriterionViolation {
        let mut needed = vec![false; self.facts.len()];
        for &fact in &cycle {
            needed[fact] = true;
        }
        for at in (0..self.facts.len()).rev() {
            if needed[at] {
                for &premise in &self.facts[at].premises {
                    needed[premise] = true;
                }
            }
        }
        let mut numbers = vec![usize::MAX; self.facts.len()];
        let mut kept = Vec::new();
        for at in (0..self.facts.len()).filter(|&at| needed[at]) {
            numbers[at] = kept.len();
            let mut fact = self.facts[at].clone();
            for premise in &mut fact.premises {
                *premise = numbers[*premise];
            }
            kept.push(fact);
        }
        self.facts = kept;
        let cycle = cycle.into_iter().map(|fact| numbers[fact]).collect();
        self.earliest(relation, cycle)
    }

    /// Replaces the o of each `hb_o` by the last read that its pairs need, so that the proof names fewer
    /// operations.
    fn earliest(
        mut self,
        mut relation: ForbiddenCycle<OpId>,
        cycle: Vec<usize>,
    ) -> CriterionViolation {
        let mut last: FxHashMap<(BaseOrder, OpId), OpId> = FxHashMap::default();
        let local = self.facts.iter().filter_map(|fact| match (fact.relation, fact.via) {
            (PairRelation::Local(order, of), Some(read)) => Some(((order, of), read)),
            _ => None,
        });
        let reads: Vec<((BaseOrder, OpId), OpId)> = local.collect();
        for &(of, read) in &reads {
            let last = last.entry(of).or_insert(read);
            *last = (*last).max(read);
        }
        for &((order, of), read) in &reads {
            let end = last[&(order, of)];
            if read != end && !related(self.exec, order, read.0, end.0) {
                last.insert((order, of), of);
            }
        }
        for fact in &mut self.facts {
            if let PairRelation::Local(order, of) = &mut fact.relation {
                *of = last[&(*order, *of)];
            }
        }
        if let ForbiddenCycle::Local(of) = &mut relation {
            *of = last.get(&(BaseOrder::Full, *of)).copied().unwrap_or(*of);
        }
        CriterionViolation { criterion: self.criterion, facts: self.facts, relation, cycle }
    }
}

/// The number of the derived pair that a step uses; `None` for other steps.
fn derived(hop: Hop) -> Option<u32> {
    match hop {
        Hop::Edge(Edge { label: Label::Derived(at), .. }) => Some(at),
        _ => None,
    }
}
