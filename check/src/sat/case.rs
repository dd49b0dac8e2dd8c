//! Proves that a cycle of chosen and forced order is a contradiction, by a block of a proof that assumes the
//! literals of the cycle.

use rustc_hash::FxHashMap;

use super::graph::{Arc, Link};
use super::residual::Residual;
use crate::engine::events::{Events, INITIAL};
use crate::engine::explain::{Explainer, FactWriter, Hop};
use crate::engine::proof::{Assumption, Block, Contradiction, Fact, Violation};
use certify::certificate::Node;
use certify::rule::Rule;
use history::OpId;

impl Residual<'_, '_, '_> {
    /// The proof that there is no memory order at all. `None` if the solver's clauses do not show it, or a
    /// bound was met.
    pub(crate) fn refutation(&self) -> Option<Violation> {
        self.formula.refutation(|cycle| block(self, cycle), |literal| self.meaning(literal))
    }
}

/// The block that proves a cycle a contradiction.
fn block(residual: &Residual<'_, '_, '_>, cycle: &[Arc]) -> Block {
    let explainer = Explainer::new(residual.saturation());
    let cycle = merged(&explainer, cycle);
    let mut hops: Vec<Hop> = Vec::new();
    let mut paths: FxHashMap<(u32, u32), Vec<Hop>> = FxHashMap::default();
    for arc in &cycle {
        match arc.link {
            Link::Forced(hop) => hops.push(hop),
            Link::Chosen { rule: Rule::Overtaken, literals: [_, 0], source }
                if source != INITIAL =>
            {
                let path = explainer.path(source, arc.to, u32::MAX);
                hops.extend(&path);
                paths.insert((source, arc.to), path);
            }
            _ => {}
        }
    }
    let mut writer = Writer {
        events: residual.saturation().events,
        facts: explainer.facts(&hops),
        paths,
        assumed: FxHashMap::default(),
    };
    let mut literals: Vec<i32> = cycle.iter().flat_map(|arc| arc.link.literals()).collect();
    literals.retain(|&literal| literal != 0);
    literals.sort_unstable();
    literals.dedup();
    let assumptions = literals.iter().map(|&literal| residual.meaning(literal));
    let assumptions: Vec<Assumption> = assumptions.collect();
    for (literal, assumption) in literals.into_iter().zip(&assumptions) {
        writer.assume(literal, *assumption);
    }
    let end = cycle.iter().map(|arc| writer.fact(arc)).collect();
    Block { assumptions, facts: writer.facts.facts, end: Contradiction::Cycle(end) }
}

/// The cycle with runs of program order shortened, and forced paths replaced by their hops.
fn merged(explainer: &Explainer<'_, '_>, cycle: &[Arc]) -> Vec<Arc> {
    let mut merged: Vec<Arc> = Vec::new();
    let mut run: Vec<Hop> = Vec::new();
    for arc in cycle {
        match arc.link {
            Link::Forced(hop @ Hop::Po(..)) => run.push(hop),
            Link::Path => {
                close(explainer, &mut run, &mut merged);
                let path = explainer.path(arc.from, arc.to, u32::MAX);
                merged.extend(path.into_iter().map(|hop| forced(explainer, hop)));
            }
            _ => {
                close(explainer, &mut run, &mut merged);
                merged.push(*arc);
            }
        }
    }
    close(explainer, &mut run, &mut merged);
    merged
}

fn close(explainer: &Explainer<'_, '_>, run: &mut Vec<Hop>, merged: &mut Vec<Arc>) {
    for hop in explainer.merge_runs(std::mem::take(run)) {
        merged.push(forced(explainer, hop));
    }
}

fn forced(explainer: &Explainer<'_, '_>, hop: Hop) -> Arc {
    let (from, to) = explainer.ends(hop);
    let link = Link::Forced(hop);
    Arc { from, to, link }
}

/// Writes the facts of a block.
struct Writer<'w, 'x, 'e> {
    events: &'e Events,
    facts: FactWriter<'w, 'x, 'e>,
    /// The forced paths from a read's chosen source to a write, which the facts by R7 need as premises, by
    /// source and write.
    paths: FxHashMap<(u32, u32), Vec<Hop>>,
    /// Per literal, the fact that assumes it.
    assumed: FxHashMap<i32, usize>,
}

impl Writer<'_, '_, '_> {
    fn push(&mut self, before: Node, after: Node, rule: Rule<OpId>, premises: Vec<usize>) -> usize {
        self.facts.facts.push(Fact { before, after, rule, premises });
        self.facts.facts.len() - 1
    }

    fn assume(&mut self, literal: i32, assumption: Assumption) {
        let fact = match assumption {
            Assumption::Before(first, second) => {
                self.push(Node::Op(first), Node::Op(second), Rule::Assumed, Vec::new())
            }
            // No link of a cycle depends on a read *not* having a source.
            Assumption::From(read, source) | Assumption::NotFrom(read, source) => {
                self.push(source, read, Rule::Source, Vec::new())
            }
        };
        self.assumed.insert(literal, fact);
    }

    /// The node of the event at one end of an arc. [`INITIAL`] is the initial write of the other end's
    /// location.
    fn node(&self, event: u32, other: u32) -> Node {
        match event {
            INITIAL => Node::Initial(self.events.location[other as usize]),
            _ => Node::Op(self.events.op[event as usize]),
        }
    }

    fn fact(&mut self, arc: &Arc) -> usize {
        let (before, after) = (self.node(arc.from, arc.to), self.node(arc.to, arc.from));
        match arc.link {
            Link::Forced(hop) => self.facts.write_path(&[hop])[0],
            Link::Path => unreachable!("paths were replaced by their hops"),
            Link::Chosen { rule: Rule::Assumed, literals: [_, pair], .. } => self.assumed[&pair],
            Link::Chosen { rule, literals, source } => {
                let assumed = literals.iter().filter_map(|it| self.assumed.get(it));
                let mut premises: Vec<usize> = assumed.copied().collect();
                if literals[1] == 0
                    && let Some(path) = self.paths.get(&(source, arc.to)).cloned()
                {
                    premises.extend(self.facts.write_path(&path));
                }
                let rule = rule.map(|read| self.events.op[read as usize]);
                self.push(before, after, rule, premises)
            }
        }
    }
}
