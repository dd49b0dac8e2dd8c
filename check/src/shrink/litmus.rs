//! [`litmus_shape`]: names small violations after the litmus tests that they correspond to.
//!
//! A shape is a cycle of program order (`po`), reads-from (`rf`), coherence order (`co`) and from-reads
//! (`fr`), as the generators of litmus tests name them. The store order may follow from final values or from
//! additional reads of the same threads. A history with such a cycle need not be the litmus test, since its
//! violation may be due to other operations. So it gets the name only if the cycle includes all of its
//! threads and locations, and if the models that allow it are those that allow the test.

use std::collections::BTreeSet;

use history::{Ambiguity, History, Kind, OpId, ReadSource, ReadsFrom};

use crate::engine::proof::{Block, Contradiction, Fact, Violation};
use crate::options::Options;
use crate::verdict::Verdict;
use certify::certificate::Node;
use certify::rule::{Relation, Rule};
use memory::Model;

/// A known shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LitmusShape {
    /// The name of the litmus shape.
    pub name: &'static str,
    /// What the name means.
    pub meaning: &'static str,
    /// The edges of the cycle. Those of program order have the kinds of their ends, and `=` if both are of
    /// one location.
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

// Whether TSO and PSO allow a shape.
const NONE: [bool; 2] = [false, false];
const PSO: [bool; 2] = [false, true];
const TSO: [bool; 2] = [true, true];

/// All shapes except [`N6`].
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

/// The shape `n6`: R with a read of the thread's own store in between.
const N6: LitmusShape =
    shape("n6", "a store that its own thread sees early", &["poWW", "co", "poWR", "fr"], TSO);

/// The shape of a history that violates a model, if it has a name. Cost: if a cycle of its proof has the form
/// of a shape, the history is decided under TSO and PSO; if none has, under SC.
pub fn litmus_shape(history: &History, violation: &Violation) -> Option<LitmusShape> {
    let reads_from = ReadsFrom::derive(history, Ambiguity::RefuseShared).ok()?;
    let found = named(history, &reads_from, violation).or_else(|| {
        // A violation of a weaker model also violates SC, and that proof may have the cycle of the test.
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

/// Whether a cycle and the sources of its reads include every thread and location.
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
            Kind::Rmw | Kind::FailedCas | Kind::SilentRmw => "M",
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

/// The cycles that a block's contradiction can be interpreted as, the most specific first.
fn cycles(history: &History, block: &Block) -> Vec<Vec<Edge>> {
    let Contradiction::Cycle(facts) = &block.end else {
        return Vec::new();
    };
    let facts: Vec<&Fact> = facts.iter().map(|&fact| &block.facts[fact]).collect();
    let mut found = Vec::new();
    // Two writes that a read shows in the wrong order: the cycle goes through the read.
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

/// For a read that precedes an earlier write of its own thread (`overtaken`), because a path through other
/// locations leads from the read's source to that write: the cycle of that path, closed by the order that
/// the read shows.
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

/// For a write that precedes another because of a read of the other (`derived`), while the opposite order
/// follows directly (`other`): the cycle from the first write to the read, and back by from-reads.
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

/// The cycle with edges within a thread as program order, and consecutive ones of these as one edge.
fn merged(history: &History, mut edges: Vec<Edge>) -> Vec<Edge> {
    let thread = |op: OpId| history.thread_of(op);
    for edge in &mut edges {
        if thread(edge.before) == thread(edge.after) && edge.before < edge.after {
            edge.relation = Relation::ProgramOrder;
        }
    }
    // Rotates the cycle so that it starts where a run of program order does.
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

/// Whether a thread of the cycle reads its own store between that store and the load after it.
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
