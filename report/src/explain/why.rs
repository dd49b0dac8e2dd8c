//! Explains in words why a history violates a model: the cycle, and why each of its edges is inferred.

use std::fmt::Write as _;

use certify::certificate::Node;
use certify::rule::{Relation, Rule};
use check::engine::proof::{Assumption, Block, Contradiction, Fact, Violation};
use history::{History, OpId, Source};

use super::notes::{Cycle, Facts, NoteWriter};

/// The short name of an operation, such as `T0:12`.
pub fn label(history: &History, op: OpId) -> String {
    let operation = history.operation(op);
    format!("T{}:{}", operation.thread, operation.index)
}

/// The short name of a node of memory order.
pub fn node(history: &History, node: Node) -> String {
    let place = |location: u32| history.locations()[location as usize];
    match node {
        Node::Op(op) => label(history, op),
        Node::Initial(location) => format!("initial value of {}", place(location)),
        Node::Final(location) => format!("final value of {}", place(location)),
    }
}

/// The ticks at which a store was issued, where a client printed it, and at which memory performed it later; `None` if an operation has only
/// one tick.
pub fn buffered(history: &History, op: OpId) -> Option<(u64, u64)> {
    let operation = history.operation(op);
    let ticks = operation.issued.zip(operation.completed);
    let is_client = history.provenance.source == Source::Client;
    ticks.filter(|(issued, completed)| {
        operation.kind.may_be_buffered() && is_client && issued != completed
    })
}

/// The ticks of an operation as text: the tick at which it took effect and, if it was buffered, the tick at which it
/// was issued.
pub fn ticks(history: &History, op: OpId) -> Option<String> {
    match buffered(history, op) {
        Some((issued, completed)) => Some(format!("tick {issued}, in memory at {completed}")),
        None => first_tick(history, op).map(|tick| format!("tick {tick}")),
    }
}

/// The first of the ticks that [`ticks`] names.
pub fn first_tick(history: &History, op: OpId) -> Option<u64> {
    let operation = history.operation(op);
    let issued = buffered(history, op).map(|(issued, _)| issued);
    issued.or(operation.completed).or(operation.issued)
}

/// Describes an operation, with the tick and line by which to find it in the trace.
pub fn operation(history: &History, op: OpId) -> String {
    with_place(history, op, &history.describe(op))
}

/// Describes the access that an operation is or is a part of, as [`operation`] does.
pub fn access(history: &History, op: OpId) -> String {
    with_place(history, op, &history.describe_access(op))
}

fn with_place(history: &History, op: OpId, what: &str) -> String {
    let operation = history.operation(op);
    let mut text = format!("{:8} {what}", label(history, op));
    if let Some(ticks) = ticks(history, op) {
        text += &format!("  {ticks}");
    }
    if let Some(line) = operation.line {
        text += &format!("  line {line}");
    }
    text
}

/// Describes an assumption of a case.
pub fn assumption(history: &History, assumption: Assumption) -> String {
    let pair = |before, relation: Relation, after| {
        let (before, after) = (node(history, before), node(history, after));
        format!("{before} {} {after}", relation.name())
    };
    match assumption {
        Assumption::Before(a, b) => pair(Node::Op(a), Relation::Coherence, Node::Op(b)),
        Assumption::From(read, source) => pair(source, Relation::ReadsFrom, read),
        Assumption::NotFrom(read, source) => {
            format!("not {}", pair(source, Relation::ReadsFrom, read))
        }
    }
}

/// Returns the cycle that ends a block, with notes; `None` if the block ends in another contradiction.
pub fn cycle(history: &History, block: &Block) -> Option<Cycle> {
    let Contradiction::Cycle(facts) = &block.end else {
        return None;
    };
    let name = |fact: usize| Some(block.facts[fact].rule.relation().name().to_owned());
    Some(NoteWriter::cycle(history, block, facts, name))
}

impl Facts for Block {
    fn ends(&self, fact: usize) -> (Node, Node) {
        (self.facts[fact].before, self.facts[fact].after)
    }

    fn relation(&self, fact: usize) -> Option<String> {
        let rule = self.facts[fact].rule;
        (rule != Rule::Source).then(|| rule.relation().name().to_owned())
    }

    fn is_evident(&self, fact: usize) -> bool {
        matches!(self.facts[fact].rule, Rule::ProgramOrder(_) | Rule::ReadsFrom)
    }

    fn explain(&self, fact: usize, notes: &mut NoteWriter<'_>) -> String {
        let Fact { before, after, rule, ref premises } = self.facts[fact];
        let history = notes.history;
        let reads = reads(history, before);
        let (before, after) = (node(history, before), node(history, after));
        let pair = format!("{before} {} {after}", rule.relation().name());
        let has_order = premises.iter().any(|&it| self.relation(it).is_some());
        let why = match rule {
            // Such facts need no explanation.
            Rule::ProgramOrder(_) | Rule::ReadsFrom => return String::new(),
            Rule::Preserved(rule) => rule.because().to_owned(),
            Rule::OwnEarlier(read) => format!(
                "{} comes after {before} in its thread and yet does not return its value, but that of {after}",
                label(history, read)
            ),
            Rule::Observed(read) => format!(
                "{} returns the value of {after} although {before} comes before it ({})",
                label(history, read),
                notes.path(premises)
            ),
            Rule::Source | Rule::Assumed => "assumed in this case".to_owned(),
            Rule::Overtaken if !has_order => {
                format!("{before} {reads} the initial value, so every write comes after it")
            }
            Rule::Overtaken => format!(
                "{before} returns a value that {after} overwrites ({})",
                notes.path(premises)
            ),
            Rule::InitialFirst => "the initial value is there before every write".to_owned(),
            Rule::Final => format!("the value of {after} is final"),
            Rule::Lemma(case) => {
                let mut text =
                    format!("the opposite leads to the contradiction of case {}", case + 1);
                if !premises.is_empty() {
                    let cited = premises.iter().filter_map(|&premise| notes.cite(premise));
                    let cited: Vec<String> = cited.collect();
                    let _ = write!(text, ", given [{}]", cited.join("], ["));
                }
                text
            }
        };
        format!("{pair}: {why}")
    }
}

/// The contradiction at the end of a violation, in one sentence.
pub fn headline(history: &History, violation: &Violation) -> String {
    let Some(block) = violation.last() else {
        return no_sources(history, violation);
    };
    match &block.end {
        Contradiction::Cycle(_) if violation.blocks.len() > 1 => {
            let what = if violation.chooses_sources() {
                "every choice of what reads return leads"
            } else {
                "every order of the writes leads"
            };
            let cases = violation.blocks.len();
            format!("{what} to a cycle ({cases} cases)")
        }
        Contradiction::Cycle(_) => stale(history, block)
            .unwrap_or_else(|| "the required orderings form a cycle".to_owned()),
        Contradiction::ThinAir(op) => format!(
            "thin-air read: {} returns a value that nobody wrote there",
            label(history, *op)
        ),
        Contradiction::ThinFinal(location) => impossible_end(history, *location),
    }
}

/// The contradiction of a proof of resolvents alone, in one sentence.
fn no_sources(history: &History, violation: &Violation) -> String {
    match violation.one_initial() {
        Some((first, second)) => format!(
            "{} and {} return different values, of which at most one is the initial value",
            label(history, first),
            label(history, second)
        ),
        None => "no choice of what reads return is possible".to_owned(),
    }
}

/// The contradiction as the title of a picture. For a cycle that is not described more plainly, it names a read that
/// returned an excluded value, if there is one.
pub fn finding(history: &History, violation: &Violation) -> String {
    let Some(block) = violation.last() else {
        return headline(history, violation);
    };
    let is_general = violation.blocks.len() == 1 && stale(history, block).is_none();
    let read = match &block.end {
        Contradiction::Cycle(cycle) if is_general => excluded(history, block, cycle),
        _ => None,
    };
    read.unwrap_or_else(|| headline(history, violation))
}

/// Names a read of the cycle, or one that an edge of it follows from, that returned a value which the rest of the cycle
/// excludes: an older value than one that was written before, or one that is written later.
fn excluded(history: &History, block: &Block, cycle: &[usize]) -> Option<String> {
    let named = |op: OpId| format!("{} ({})", label(history, op), history.describe(op));
    let facts = || cycle.iter().map(|&at| &block.facts[at]);
    let overwritten = |fact: &Fact| match (fact.rule, fact.before, fact.after) {
        (Rule::Observed(read), Node::Op(write), _) => Some((read, write)),
        (rule, Node::Op(read), Node::Op(write)) if rule.relation() == Relation::FromReads => {
            Some((read, write))
        }
        _ => None,
    };
    let later = |fact: &Fact| match (fact.rule.relation(), fact.before, fact.after) {
        (Relation::ReadsFrom, Node::Op(write), Node::Op(read)) => Some((read, write)),
        _ => None,
    };
    let old = facts().find_map(overwritten).map(|(read, write)| {
        format!("{} does not return what {} wrote before it", named(read), named(write))
    });
    old.or_else(|| {
        let (read, write) = facts().find_map(later)?;
        Some(format!("{} returns what {} writes after it", named(read), named(write)))
    })
}

/// Says why a location cannot hold its final value.
fn impossible_end(history: &History, location: u32) -> String {
    let place = history.locations()[location as usize];
    let mut finals = history.finals().iter();
    let Some(last) = finals.find(|last| last.location == location) else {
        return format!("{place} cannot end with its final value");
    };
    let line = last.line.map_or(String::new(), |line| format!(" (line {line})"));
    let why = if history.initial(location) == Some(last.value) {
        "it held that at the start, and was written since"
    } else {
        "nobody wrote it there"
    };
    format!("{place} cannot hold {} at the end{line}: {why}", last.value)
}

/// The verb for what an operation does with the value that it reads. A store-conditional returns no value; it succeeds on that of its
/// load-linked.
fn reads(history: &History, node: Node) -> &'static str {
    match node {
        Node::Op(op) if history.kind(op) == history::Kind::StoreConditional => "succeeds on",
        _ => "returns",
    }
}

/// Describes a cycle through the initial write more plainly: a read missed a write of its own thread.
fn stale(history: &History, block: &Block) -> Option<String> {
    let missed = |fact: &Fact| match (fact.rule, fact.before, fact.after) {
        (Rule::OwnEarlier(read), Node::Op(write), Node::Initial(_)) => Some((read, write)),
        _ => None,
    };
    let (read, write) = block.facts.iter().find_map(missed)?;
    let reads = reads(history, Node::Op(read));
    Some(format!(
        "{} {reads} the initial value although its own thread wrote before it, {}",
        label(history, read),
        label(history, write)
    ))
}
