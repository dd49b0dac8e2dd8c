//! Draws a violation, with one picture for each case of its proof.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use certify::certificate::Node;
use check::engine::proof::{Block, Contradiction, Fact, Violation};
use check::shrink::{Shrunk, litmus_shape, reduce};
use check::{Model, Verdict, assumptions};
use history::{History, OpId, ReadSource, ReadsFrom};
use ingest::Transitions;
use memory::Buffering;

use super::coherence::Permissions;
use super::rows::sorted;
use super::{coherence, why};
use crate::picture::{Arrow, Operation, Picture, Relation, Weight};

/// Largest number of cases that are drawn.
const CASES: usize = 12;

/// Time limit for checking a part of a violation, which has few operations, against a weaker model.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Returns the pictures of a violation of a model: the end of its proof first, then its cases. `transitions` holds the
/// transitions of the controllers, if the trace has any, and `permissions` returns what their states permit.
pub fn violation(
    history: &History,
    reads_from: &ReadsFrom,
    model: Model,
    violation: &Violation,
    transitions: &Transitions,
    permissions: Permissions<'_>,
    title: &str,
) -> Vec<Picture> {
    let headline = why::headline(history, violation);
    let mut lead = vec![format!("{title}: {headline}.")];
    let part = reduce(history, reads_from, model, violation);
    let shape = part.as_ref().and_then(|part| litmus_shape(&part.history, &part.violation));
    if let Some(shape) = shape {
        lead.push(format!("A part of it is the litmus test {}: {}.", shape.name, shape.meaning));
    }
    // The last block ends the proof; the blocks that it refers to follow it.
    let (last, others) = violation.blocks.split_last().expect("a proof has a block");
    let drawing = Drawing::of(history, reads_from, last);
    let ops: Vec<OpId> = drawing.ops().collect();
    // A stale read or an SWMR violation is a fault of the protocol, which no weaker model excuses.
    let allowed_by = part
        .filter(|_| !ops.iter().any(|&op| coherence::reads_late(history, op)))
        .and_then(|part| weaker_model(&part, model));
    let owners = coherence::owners(history, transitions, permissions);
    let lines = coherence::lines(history, transitions, permissions, &owners, &ops, allowed_by);
    if let Some(weaker) = allowed_by.filter(|_| lines.iter().all(|line| line.finding.is_none())) {
        let buffers = match weaker.buffering() {
            Buffering::PerLocation => "a store buffer for each location",
            _ => "store buffers",
        };
        lead.push(format!(
            "{weaker} allows it: cores with {buffers} may do this on a correct protocol."
        ));
    }
    if ops.iter().any(|&op| why::buffered(history, op).is_some()) {
        lead.push(
            "Time goes down. Stores are placed at the tick at which they were issued, and reached memory later."
                .to_owned(),
        );
    }
    // An SWMR violation explains more than the cycle that follows from it.
    let finding = lines.iter().find_map(|line| line.finding.clone());
    let finding = finding.unwrap_or_else(|| why::finding(history, violation));
    let title = &format!("{model} is violated: {finding}");
    let mut notes = assumptions::of(&history.provenance);
    if lines.is_empty() && transitions.iter().next().is_some() {
        notes.push(
            "the trace has transitions, but none of these addresses: what CPUs execute has virtual ones"
                .to_owned(),
        );
    }
    let mut picture = drawing.picture(title.to_owned(), lead);
    for (thread, (machine, version)) in &owners {
        let name = format!("thread {}", history.threads()[*thread].label);
        let column = picture.columns.iter_mut().find(|column| **column == name);
        column.into_iter().for_each(|column| *column += &format!(" ({machine} {version})"));
    }
    let mut pictures = vec![Picture { lines, notes, ..picture }];
    for (number, block) in others.iter().enumerate().take(CASES) {
        let drawing = Drawing::of(history, reads_from, block);
        let assumed = block.assumptions.iter().map(|&it| why::assumption(history, it));
        let assumed = assumed.collect::<Vec<_>>().join(", ");
        let lead = vec![String::new(), format!("Case {}: assume {assumed}", number + 1)];
        pictures.push(drawing.picture(title.to_owned(), lead));
    }
    let left = others.len().saturating_sub(CASES);
    if let (Some(picture), 1..) = (pictures.first_mut(), left) {
        picture.notes.push(format!(
            "{left} cases are not drawn; `rubric check --certificate` writes the whole proof."
        ));
    }
    pictures
}

/// Returns TSO or PSO if it allows a part of a history that a stronger model forbids.
fn weaker_model(part: &Shrunk, violated: Model) -> Option<Model> {
    let weaker = |model: &Model| *model != violated && model.includes(violated);
    [Model::TSO, Model::PSO].into_iter().filter(weaker).find(|&model| {
        let options = check::Options { timeout: Some(TIMEOUT), ..check::Options::default() };
        let outcome = check::check(&part.history, &part.reads_from, model, &options);
        matches!(outcome.verdict, Verdict::Consistent(_))
    })
}

/// Returns the picture of the end of a proof alone, with its reasons.
pub fn drawn(
    history: &History,
    reads_from: &ReadsFrom,
    violation: &Violation,
    title: String,
) -> Picture {
    let block = violation.last().unwrap_or(&NO_FACTS);
    let mut drawing = Drawing::of(history, reads_from, block);
    if violation.blocks.is_empty() {
        drawing.set_nodes(violation.operations(|_| None).into_iter().map(Node::Op));
    }
    drawing.picture(title, Vec::new())
}

/// The block of a proof that has none.
static NO_FACTS: Block =
    Block { assumptions: Vec::new(), facts: Vec::new(), end: Contradiction::Cycle(Vec::new()) };

/// A block of a proof that is being drawn.
struct Drawing<'a> {
    history: &'a History,
    reads_from: &'a ReadsFrom,
    block: &'a Block,
    /// The nodes of the proof, one for each row of the picture.
    nodes: Vec<Node>,
    rows: BTreeMap<Node, usize>,
}

impl<'a> Drawing<'a> {
    fn of(history: &'a History, reads_from: &'a ReadsFrom, block: &'a Block) -> Drawing<'a> {
        let mut nodes = BTreeSet::new();
        for fact in &block.facts {
            nodes.extend([fact.before, fact.after]);
            nodes.extend(fact.rule.read().copied().map(Node::Op));
        }
        if let Contradiction::ThinAir(read) = block.end {
            nodes.insert(Node::Op(read));
        }
        let mut drawing =
            Drawing { history, reads_from, block, nodes: Vec::new(), rows: BTreeMap::new() };
        drawing.set_nodes(nodes);
        drawing
    }

    /// Gives each of these nodes a row.
    fn set_nodes(&mut self, nodes: impl IntoIterator<Item = Node>) {
        let nodes: BTreeSet<Node> = nodes.into_iter().collect();
        let ops: Vec<OpId> = nodes
            .iter()
            .filter_map(|node| if let Node::Op(op) = node { Some(*op) } else { None })
            .collect();
        let initial = nodes.iter().copied().filter(|node| matches!(node, Node::Initial(_)));
        let last = nodes.iter().copied().filter(|node| matches!(node, Node::Final(_)));
        let ops = sorted(self.history, &ops).into_iter().map(Node::Op);
        self.nodes = initial.chain(ops).chain(last).collect();
        self.rows = self.nodes.iter().enumerate().map(|(row, &node)| (node, row)).collect();
    }

    fn picture(&self, title: String, lead: Vec<String>) -> Picture {
        let history = self.history;
        let threads: BTreeSet<usize> = self.ops().map(|op| history.thread_of(op)).collect();
        let has_memory = self.nodes.iter().any(|node| !matches!(node, Node::Op(_)));
        let mut columns: Vec<String> =
            threads.iter().map(|&at| format!("thread {}", history.threads()[at].label)).collect();
        if has_memory {
            columns.insert(0, "memory".to_owned());
        }
        let column = |node: Node| match node {
            Node::Op(op) => {
                let thread = history.thread_of(op);
                threads.range(..thread).count() + usize::from(has_memory)
            }
            _ => 0,
        };
        let operations = self.nodes.iter().map(|&node| operation(history, node, column(node)));
        let (arrows, reasons) = self.arrows();
        Picture {
            title,
            lead,
            columns,
            operations: operations.collect(),
            arrows,
            reasons,
            ..Picture::default()
        }
    }

    fn ops(&self) -> impl Iterator<Item = OpId> {
        self.nodes.iter().filter_map(|node| if let Node::Op(op) = node { Some(*op) } else { None })
    }

    /// Returns the arrows of the facts, the reads-from and program-order arrows that are not among them, and the
    /// reasons of arrows with a letter.
    fn arrows(&self) -> (Vec<Arrow>, Vec<(String, String)>) {
        let cycle = match &self.block.end {
            Contradiction::Cycle(facts) => &facts[..],
            _ => &[],
        };
        let told = why::cycle(self.history, self.block);
        let notes = told.map_or(Vec::new(), |cycle| cycle.notes);
        let mut arrows: Vec<Arrow> = Vec::new();
        for (at, fact) in self.block.facts.iter().enumerate() {
            let letter = notes.iter().find(|note| note.fact == at).map(|note| note.letter.clone());
            let weight = if cycle.contains(&at) { Weight::Strong } else { Weight::Plain };
            let arrow = self.arrow(fact, letter, weight);
            let same = arrows
                .iter_mut()
                .find(|it| (it.from, it.to, it.relation) == (arrow.from, arrow.to, arrow.relation));
            // The assumed source of a read is a fact as well.
            match same {
                Some(known) => {
                    known.weight = known.weight.min(arrow.weight);
                    known.letter = known.letter.take().or(arrow.letter);
                }
                None => arrows.push(arrow),
            }
        }
        let mut orienting = self.sources();
        orienting.extend(self.program_order());
        for arrow in orienting {
            let is_known = arrows
                .iter()
                .any(|it| (it.from, it.to, it.relation) == (arrow.from, arrow.to, arrow.relation));
            if !is_known {
                arrows.push(arrow);
            }
        }
        let reasons = notes.into_iter().map(|note| (note.letter, note.text));
        (arrows, reasons.collect())
    }

    fn arrow(&self, fact: &Fact, letter: Option<String>, weight: Weight) -> Arrow {
        Arrow {
            from: self.rows[&fact.before],
            to: self.rows[&fact.after],
            relation: fact.rule.relation(),
            letter,
            weight,
        }
    }

    /// Returns an arrow from each write that is drawn, or initial value, to the reads that are drawn and read it.
    fn sources(&self) -> Vec<Arrow> {
        let of = |op: OpId| {
            let source = match self.reads_from.source(op)? {
                ReadSource::Write(write) => Node::Op(write),
                ReadSource::Initial => Node::Initial(self.history.location(op)?),
                _ => return None,
            };
            Some(Arrow {
                from: *self.rows.get(&source)?,
                to: self.rows[&Node::Op(op)],
                relation: Relation::ReadsFrom,
                letter: None,
                weight: Weight::Plain,
            })
        };
        self.ops().filter_map(of).collect()
    }

    /// Returns a faint arrow from each operation to the next one of its thread that is drawn.
    fn program_order(&self) -> Vec<Arrow> {
        let ops: BTreeSet<OpId> = self.ops().collect();
        let ops: Vec<OpId> = ops.into_iter().collect();
        let same_thread =
            |two: &&[OpId]| self.history.thread_of(two[0]) == self.history.thread_of(two[1]);
        let pairs = ops.windows(2).filter(same_thread);
        pairs
            .map(|two| Arrow {
                from: self.rows[&Node::Op(two[0])],
                to: self.rows[&Node::Op(two[1])],
                relation: Relation::ProgramOrder,
                letter: None,
                weight: Weight::Faint,
            })
            .collect()
    }
}

/// Makes the box of a node in a picture.
fn operation(history: &History, node: Node, column: usize) -> Operation {
    let place = |location: u32| history.locations()[location as usize];
    match node {
        Node::Op(op) => super::operation(history, op, column),
        Node::Initial(location) => Operation {
            column,
            label: "initial".to_owned(),
            text: match history.initial(location) {
                Some(value) => format!("{} == {value}", place(location)),
                None => format!("{} == ?", place(location)),
            },
            place: "before the first operation".to_owned(),
        },
        Node::Final(location) => {
            let value = history.finals().iter().find(|it| it.location == location);
            Operation {
                column,
                label: "final".to_owned(),
                text: format!("{} == {}", place(location), value.map_or(0, |it| it.value)),
                place: "after the last operation".to_owned(),
            }
        }
    }
}
