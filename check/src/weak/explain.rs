//! Finds short cycles of the forced order, and turns them into blocks of a proof.

use certify::certificate::Node;
use certify::rule::Rule;
use history::OpId;
use memory::weak::PpoRule;
use rustc_hash::FxHashMap;

use super::forced::{EdgeReason, Forced, Source};
use crate::engine::csr::Csr;
use crate::engine::digraph::NONE;
use crate::engine::proof::{Assumption, Block, Contradiction, Fact};

/// Maximum number of nodes through each of which a shortest cycle is searched.
const STARTS: usize = 64;

impl Forced<'_> {
    /// Per node, the numbers of the first `limit` edges that leave it.
    pub(super) fn successors(&self, limit: usize) -> Csr {
        let edges = self.edges[..limit].iter().enumerate();
        Csr::new(self.nodes(), edges.map(|(number, edge)| (edge.from, number as u32)))
    }

    /// A short cycle, as edge numbers: the shortest of the cycles through up to `STARTS` nodes. `component`
    /// has the number of each node's strongly connected component, or [`NONE`] for a node that is alone in
    /// its component; such a node is on a cycle only if it has an edge to itself.
    pub(super) fn short_cycle(&self, lists: &Csr, component: &[u32]) -> Vec<usize> {
        let nodes = 0..self.nodes() as u32;
        let on_cycle = nodes.clone().filter(|&node| component[node as usize] != NONE);
        let mut best: Option<Vec<usize>> = None;
        for node in on_cycle.take(STARTS) {
            let is_inside = |to: u32| component[to as usize] == component[node as usize];
            let limit = best.as_ref().map_or(usize::MAX, |best| best.len() - 1);
            best = self.path(lists, node, node, limit, is_inside).or(best);
        }
        let loops = || nodes.clone().find_map(|node| self.path(lists, node, node, 1, |_| true));
        best.or_else(loops).expect("a graph that cannot be sorted has a cycle")
    }

    /// A shortest path of one to `limit` edges from `from` to `to`, or back to `from` if the two are equal,
    /// over nodes for which `is_allowed` holds. Returns edge numbers; `None` if there is no such path.
    pub(super) fn path(
        &self,
        lists: &Csr,
        from: u32,
        to: u32,
        limit: usize,
        is_allowed: impl Fn(u32) -> bool,
    ) -> Option<Vec<usize>> {
        let mut by: FxHashMap<u32, u32> = FxHashMap::default();
        let mut last = vec![from];
        let mut length = 0;
        while !last.is_empty() && length < limit && !by.contains_key(&to) {
            length += 1;
            let mut next = Vec::new();
            for &edge in last.iter().flat_map(|&node| lists.of(node)) {
                let node = self.edges[edge as usize].to;
                if is_allowed(node) && !by.contains_key(&node) {
                    by.insert(node, edge);
                    next.push(node);
                }
            }
            last = next;
        }
        let mut path = Vec::new();
        let mut node = to;
        loop {
            let edge = *by.get(&node)? as usize;
            path.push(edge);
            node = self.edges[edge].from;
            if node == from {
                break;
            }
        }
        path.reverse();
        Some(path)
    }

    /// The block of a proof that ends in a cycle.
    pub(super) fn explain(&self, cycle: &[usize]) -> Block {
        let mut writer =
            BlockWriter { forced: self, facts: Vec::new(), numbers: FxHashMap::default() };
        let mut cycle = cycle.to_vec();
        // A join must not be the first node, since facts are about operations.
        let is_node = |edge: &usize| self.node(self.edges[*edge].from).is_some();
        let first = cycle.iter().position(is_node).expect("a cycle has an operation");
        cycle.rotate_left(first);
        let facts = writer.path(&cycle);
        let assumptions = writer.assumptions();
        Block { assumptions, facts: writer.facts, end: Contradiction::Cycle(facts) }
    }

    /// The node of a proof for a node of the graph; `None` for a join.
    fn node(&self, node: u32) -> Option<Node> {
        if (node as usize) < self.history.len() {
            return Some(Node::Op(OpId(node)));
        }
        self.initial_location(node).map(Node::Initial)
    }
}

/// Writes the facts of one block.
struct BlockWriter<'a, 'f> {
    forced: &'a Forced<'f>,
    facts: Vec<Fact>,
    /// The indices of the facts that were written, by their ends and rule.
    numbers: FxHashMap<(Node, Node, Rule<OpId>), usize>,
}

impl BlockWriter<'_, '_> {
    /// The facts of a path of edges that begins and ends at operations.
    fn path(&mut self, edges: &[usize]) -> Vec<usize> {
        let mut facts = Vec::new();
        let mut start = None;
        for &number in edges {
            let edge = self.forced.edges[number];
            let from = start.take().unwrap_or(edge.from);
            match (edge.why, self.forced.node(edge.to)) {
                (EdgeReason::Program, None) => start = Some(from),
                (EdgeReason::Program, Some(_)) => {
                    facts.push(self.program(OpId(from), OpId(edge.to)))
                }
                (EdgeReason::Rule(rule), _) => facts.push(self.derived(number, rule)),
            }
        }
        facts
    }

    /// The fact that program order between two operations is preserved.
    fn program(&mut self, first: OpId, second: OpId) -> usize {
        let (execution, model) = (&self.forced.execution, self.forced.model);
        let rule = model.ppo_rule(execution, first, second);
        let rule = rule.expect("operations that are joined are ordered by a rule");
        let premises = match rule {
            PpoRule::ReadsApart => [first, second].map(|read| self.source(read)).to_vec(),
            _ => Vec::new(),
        };
        let premises = premises.into_iter().flatten().collect();
        self.fact(Node::Op(first), Node::Op(second), Rule::Preserved(rule), premises)
    }

    /// The fact that an edge other than program order stands for.
    fn derived(&mut self, number: usize, rule: Rule<OpId>) -> usize {
        let edge = self.forced.edges[number];
        let (Some(before), Some(after)) = (self.forced.node(edge.from), self.forced.node(edge.to))
        else {
            unreachable!("rules order operations and initial writes")
        };
        let premises = match rule {
            Rule::ReadsFrom => self.source(OpId(edge.to)).into_iter().collect(),
            Rule::OwnEarlier(read) => self.source(read).into_iter().collect(),
            Rule::Observed(reader) => {
                let path = self.earlier_path(edge.from, reader.0, number);
                self.with_source(reader, path)
            }
            Rule::Overtaken => {
                let reader = OpId(edge.from);
                let read = self.observed_read(reader);
                let path = match self.forced.source(read) {
                    Source::Write(write) => self.earlier_path(write.0, edge.to, number),
                    _ => Vec::new(),
                };
                self.with_source(reader, path)
            }
            Rule::Final => self.final_source(OpId(edge.to)).into_iter().collect(),
            _ => Vec::new(),
        };
        self.fact(before, after, rule, premises)
    }

    /// The facts of a path over edges that are older than the edge `limit`.
    fn earlier_path(&mut self, from: u32, to: u32, limit: usize) -> Vec<usize> {
        let lists = self.forced.successors(limit);
        let path = self.forced.path(&lists, from, to, usize::MAX, |_| true);
        self.path(&path.expect("the rule was applied because of a path"))
    }

    fn observed_read(&self, reader: OpId) -> OpId {
        self.forced.reader(reader).expect("a reader observes a read").read
    }

    /// Premises with the fact about a reader's source, if that is an assumption.
    fn with_source(&mut self, reader: OpId, mut premises: Vec<usize>) -> Vec<usize> {
        let read = self.observed_read(reader);
        premises.extend(self.source(read));
        premises
    }

    /// The fact that a read takes its value from its source, if that is an assumption.
    fn source(&mut self, read: OpId) -> Option<usize> {
        if !self.forced.is_assumed(read) {
            return None;
        }
        let source = match self.forced.source(read) {
            Source::Write(write) => Node::Op(write),
            Source::Initial => Node::Initial(self.forced.history.location(read)?),
            Source::Unknown => return None,
        };
        Some(self.fact(source, Node::Op(read), Rule::Source, Vec::new()))
    }

    /// The fact that a location's final value is that of a write, if that is an assumption.
    fn final_source(&mut self, write: OpId) -> Option<usize> {
        let location = self.forced.history.location(write)?;
        self.forced.assumed_final(location)?;
        Some(self.fact(Node::Op(write), Node::Final(location), Rule::Source, Vec::new()))
    }

    fn fact(&mut self, before: Node, after: Node, rule: Rule<OpId>, premises: Vec<usize>) -> usize {
        let facts = &mut self.facts;
        *self.numbers.entry((before, after, rule)).or_insert_with(|| {
            facts.push(Fact { before, after, rule, premises });
            facts.len() - 1
        })
    }

    /// The assumptions that the facts rest on.
    fn assumptions(&self) -> Vec<Assumption> {
        let assumed =
            self.facts.iter().filter_map(|fact| match (fact.rule, fact.before, fact.after) {
                (Rule::Assumed, Node::Op(first), Node::Op(second)) => {
                    Some(Assumption::Before(first, second))
                }
                (Rule::Source, source, read) => Some(Assumption::From(read, source)),
                _ => None,
            });
        assumed.collect()
    }
}
