//! The names that the field has for small violations: litmus tests.
//!
//! A shape is a cycle of program order (`po`), reads-from (`rf`), coherence order (`co`) and from-reads (`fr`), as the generators of
//! litmus tests name them. How the store order shows does not matter: by final values, or by more reads of the same threads. But a history with such a cycle need not be the litmus test:
//! other operations may be what makes it wrong. So it has the name if the cycle takes in all of its threads and locations, and if the models that allow it are those that allow the test.

use std::collections::BTreeSet;

use history::{Ambiguity, History, Kind, OpId, ReadSource, ReadsFrom};

use crate::decide::Options;
use crate::engine::proof::{Block, Contradiction, Fact, Violation};
use crate::verdict::Verdict;
use certify::certificate::Node;
use certify::rule::{Relation, Rule};
use memory::Model;

/// A known shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LitmusShape {
    /// The name of the litmus shape.
    pub name: &'static str,
    /// What it stands for.
    pub meaning: &'static str,
    /// The edges around the cycle; program order with the kinds of its ends, and `=` where both are of one location.
    cycle: &'static [&'static str],
    /// Whether TSO and PSO allow it.
    allowed: [bool; 2],
}

const fn shape(
    name: &'static str,
    meaning: &'static str,
    cycle: &'static [&'static str],
    allowed: [bool; 2],
) -> LitmusShape {
    LitmusShape { name, meaning, cycle, allowed }
}

/// Models that allow a shape: none of the three, PSO, or TSO and PSO.
const NONE: [bool; 2] = [false, false];
const PSO: [bool; 2] = [false, true];
const TSO: [bool; 2] = [true, true];

/// All of them. `n6` is R with a read of the thread's own store between.
const SHAPES: &[LitmusShape] = &[
    shape("SB", "store buffering", &["poWR", "fr", "poWR", "fr"], TSO),
    shape("MP", "message passing", &["poWW", "rf", "poRR", "fr"], PSO),
    shape("LB", "load buffering", &["poRW", "rf", "poRW", "rf"], NONE),
    shape("S", "a store after a flag is overtaken", &["poWW", "rf", "poRW", "co"], PSO),
    shape("R", "a store and a load after stores", &["poWW", "co", "poWR", "fr"], TSO),
    shape("2+2W", "two stores each, crossed", &["poWW", "co", "poWW", "co"], PSO),
    shape("WRC", "write to read causality", &["rf", "poRW", "rf", "poRR", "fr"], NONE),
    shape("RWC", "read to write causality", &["rf", "poRR", "fr", "poWR", "fr"], TSO),
    shape(
        "IRIW",
        "independent reads of independent writes",
        &["rf", "poRR", "fr", "rf", "poRR", "fr"],
        NONE,
    ),
    shape("CoRR", "two reads of one location out of order", &["rf", "poRR=", "fr"], NONE),
    shape("CoWR", "a read misses its thread's own store", &["poWR=", "fr"], NONE),
    shape("CoRW", "a read sees its thread's own later store", &["poRW=", "rf"], NONE),
    shape(
        "CoRW",
        "a read sees what its thread's own later store precedes",
        &["poRW=", "co", "rf"],
        NONE,
    ),
    shape("CoWW", "two stores of one location out of order", &["poWW=", "co"], NONE),
];

/// R with a read of the thread's own store between.
const N6: LitmusShape =
    shape("n6", "a store that its own thread sees early", &["poWW", "co", "poWR", "fr"], TSO);

/// The shape of a history that violates a model, if it has a name. Cost: it is decided under two models, if a cycle of its proof has the form of a shape.
pub fn litmus_shape(history: &History, violation: &Violation) -> Option<LitmusShape> {
    let reads_from = ReadsFrom::derive(history, Ambiguity::RefuseShared).ok()?;
    let found = named(history, &reads_from, violation).or_else(|| {
        // Whatever violates a weaker model violates SC, and that proof may be the one that the test is known by.
        let options = Options::default();
        match crate::check(history, &reads_from, Model::SC, &options).verdict {
            Verdict::Violation(violation) => named(history, &reads_from, &violation),
            _ => None,
        }
    })?;
    (allowed(history, &reads_from) == found.allowed).then_some(found)
}

/// The shape that a proof's cycle has.
fn named(history: &History, reads_from: &ReadsFrom, violation: &Violation) -> Option<LitmusShape> {
    let [block] = &violation.blocks[..] else {
        return None;
    };
    cycles(history, block).into_iter().find_map(|cycle| {
        let names: Vec<String> = cycle.iter().map(|edge| edge.name(history)).collect();
        let mut shapes = SHAPES.iter();
        let found = shapes.find(|shape| is_rotation(&names, shape.cycle))?;
        if !takes_in_all(history, reads_from, &cycle) {
            return None;
        }
        if found.name == "R" && forwards(history, &cycle) { Some(N6) } else { Some(*found) }
    })
}

/// Whether a cycle and the writes that it reads from take in every thread and location.
fn takes_in_all(history: &History, reads_from: &ReadsFrom, cycle: &[Edge]) -> bool {
    let ends = || cycle.iter().flat_map(|edge| [edge.before, edge.after]);
    let sources = ends().filter_map(|op| match reads_from.source(op) {
        Some(ReadSource::Write(write)) => Some(write),
        _ => None,
    });
    let ops: BTreeSet<OpId> = ends().chain(sources).collect();
    let threads: BTreeSet<usize> = ops.iter().map(|&op| history.thread_of(op)).collect();
    let locations: BTreeSet<u32> = ops.iter().filter_map(|&op| history.location(op)).collect();
    threads.len() == history.threads().len() && locations.len() == history.locations().len()
}

/// Whether TSO and PSO allow a history.
fn allowed(history: &History, reads_from: &ReadsFrom) -> [bool; 2] {
    [Model::TSO, Model::PSO].map(|model| {
        let checked = crate::check(history, reads_from, model, &Options::default());
        matches!(checked.verdict, Verdict::Consistent(_))
    })
}

/// An edge of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edge {
    before: OpId,
    after: OpId,
    relation: Relation,
}

impl Edge {
    fn name(&self, history: &History) -> String {
        let letter = |op: OpId| match history.kind(op) {
            Kind::Load | Kind::LoadLinked => "R",
            Kind::Store | Kind::StoreConditional => "W",
            // No shape has these.
            Kind::Rmw | Kind::FailedCas => "M",
            Kind::Fence | Kind::WeakFence(_) => "F",
        };
        match self.relation {
            Relation::ProgramOrder => {
                let is_same = history.location(self.before) == history.location(self.after);
                let mark = if is_same { "=" } else { "" };
                format!("po{}{}{mark}", letter(self.before), letter(self.after))
            }
            other => other.name().to_owned(),
        }
    }
}

/// The cycles that a block's contradiction can be read as, the most telling first.
fn cycles(history: &History, block: &Block) -> Vec<Vec<Edge>> {
    let Contradiction::Cycle(facts) = &block.end else {
        return Vec::new();
    };
    let facts: Vec<&Fact> = facts.iter().map(|&fact| &block.facts[fact]).collect();
    let mut found = Vec::new();
    // Two writes that a read has seen in the wrong order: the read is what was seen.
    if let [first, second] = facts[..] {
        for (derived, other) in [(first, second), (second, first)] {
            found.extend(around(history, block, derived, other));
            found.extend(through_read(history, block, derived, other));
        }
    }
    let direct: Option<Vec<Edge>> = facts.iter().map(|fact| edge(fact)).collect();
    found.extend(direct.map(|edges| merged(history, edges)));
    found
}

/// Of `overtaken`, that a read precedes its own thread's earlier write, whose order after the read's source took a way through other
/// locations: the cycle of that way, and of the order that the read has seen.
fn around(history: &History, block: &Block, overtaken: &Fact, own: &Fact) -> Option<Vec<Edge>> {
    let (Rule::Overtaken, Rule::ProgramOrder(_), Node::Op(write)) =
        (overtaken.rule, own.rule, own.before)
    else {
        return None;
    };
    let way = overtaken.premises.iter().map(|&fact| edge(&block.facts[fact]));
    let way: Vec<Edge> = way.collect::<Option<_>>()?;
    let seen = Edge { before: write, after: way.first()?.before, relation: Relation::Coherence };
    let cycle = merged(history, [vec![seen], way].concat());
    (cycle.len() > 2).then_some(cycle)
}

/// Of `derived`, that a write precedes another because a read returns the other's value, and the opposite: the cycle from the
/// first write to the read, which reads what the write overwrites.
fn through_read(
    history: &History,
    block: &Block,
    derived: &Fact,
    other: &Fact,
) -> Option<Vec<Edge>> {
    let is_direct = matches!(other.rule, Rule::ProgramOrder(_) | Rule::InitialFirst | Rule::Final);
    let Node::Op(write) = derived.before else {
        return None;
    };
    if !is_direct {
        return None;
    }
    let (read, mut edges) = match derived.rule {
        Rule::OwnEarlier(read) => {
            let po = Edge { before: write, after: read, relation: Relation::ProgramOrder };
            (read, vec![po])
        }
        Rule::Observed(read) => {
            let premises = derived.premises.iter().map(|&fact| edge(&block.facts[fact]));
            (read, premises.collect::<Option<_>>()?)
        }
        _ => return None,
    };
    edges.push(Edge { before: read, after: write, relation: Relation::FromReads });
    Some(merged(history, edges))
}

fn edge(fact: &Fact) -> Option<Edge> {
    let (Node::Op(before), Node::Op(after)) = (fact.before, fact.after) else {
        return None;
    };
    Some(Edge { before, after, relation: fact.rule.relation() })
}

/// What goes forward in one thread is program order, and one edge.
fn merged(history: &History, mut edges: Vec<Edge>) -> Vec<Edge> {
    let thread = |op: OpId| history.thread_of(op);
    for edge in &mut edges {
        if thread(edge.before) == thread(edge.after) && edge.before < edge.after {
            edge.relation = Relation::ProgramOrder;
        }
    }
    // Begin where a stretch of program order does.
    let begins = |at: usize| {
        let previous = edges[(at + edges.len() - 1) % edges.len()];
        previous.relation != Relation::ProgramOrder
    };
    let first = (0..edges.len()).find(|&at| begins(at)).unwrap_or(0);
    edges.rotate_left(first);
    let mut merged: Vec<Edge> = Vec::new();
    for edge in edges {
        match merged.last_mut() {
            Some(last)
                if last.relation == Relation::ProgramOrder
                    && edge.relation == Relation::ProgramOrder =>
            {
                last.after = edge.after
            }
            _ => merged.push(edge),
        }
    }
    merged
}

fn is_rotation(names: &[String], cycle: &[&str]) -> bool {
    names.len() == cycle.len()
        && (0..names.len()).any(|by| {
            let rotated = names[by..].iter().chain(&names[..by]);
            rotated.eq(cycle)
        })
}

/// Whether, between the store and the load of one thread, that thread reads its store.
fn forwards(history: &History, cycle: &[Edge]) -> bool {
    let is_load_behind_store = |edge: &&Edge| edge.name(history) == "poWR";
    let mut stretches = cycle.iter().filter(is_load_behind_store);
    stretches.any(|edge| {
        let mut between = (edge.before.0 + 1..edge.after.0).map(OpId);
        between.any(|op| {
            let is_own = history.location(op) == history.location(edge.before);
            is_own && history.read(op).is_some() && history.read(op) == history.written(edge.before)
        })
    })
}
