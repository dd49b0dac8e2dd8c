//! Why a history violates a model, in words: the cycle, and why each of its edges is forced.

use std::fmt::Write as _;

use certify::certificate::Node;
use check::proof::{Assumption, Block, Contradiction, Fact, Rule, Violation};
use history::{History, OpId, Source};

use crate::picture::Kind;

/// Short name of an operation: `T0:12`.
pub fn label(history: &History, op: OpId) -> String {
    let operation = history.operation(op);
    format!("T{}:{}", operation.thread, operation.index)
}

/// Short name of a node of memory order.
pub fn node(history: &History, node: Node) -> String {
    let place = |location: u32| history.locations()[location as usize];
    match node {
        Node::Op(op) => label(history, op),
        Node::Initial(location) => format!("initial value of {}", place(location)),
        Node::Final(location) => format!("final value of {}", place(location)),
    }
}

/// When it took effect. A client prints a store when it is issued, and memory sees it later.
pub fn ticks(history: &History, op: OpId) -> Option<String> {
    let operation = history.operation(op);
    match (operation.issued, operation.completed) {
        (Some(issued), Some(completed))
            if operation.kind.is_plain_store()
                && history.provenance.source == Source::Client
                && issued != completed =>
        {
            Some(format!("tick {issued}, in memory at {completed}"))
        }
        (issued, completed) => completed.or(issued).map(|tick| format!("tick {tick}")),
    }
}

/// An operation with everything that finds it again in the trace.
pub fn operation(history: &History, op: OpId) -> String {
    let operation = history.operation(op);
    let mut text = format!("{:8} {}", label(history, op), history.describe(op));
    if let Some(ticks) = ticks(history, op) {
        text += &format!("  {ticks}");
    }
    if let Some(line) = operation.line {
        text += &format!("  line {line}");
    }
    text
}

/// What is assumed in a case.
pub fn assumption(history: &History, assumption: Assumption) -> String {
    match assumption {
        Assumption::Before(a, b) => format!("{} ww {}", label(history, a), label(history, b)),
        Assumption::From(read, source) => {
            format!("{} rf {}", node(history, source), node(history, read))
        }
        Assumption::NotFrom(read, source) => {
            format!("not {} rf {}", node(history, source), node(history, read))
        }
    }
}

/// What kind of edge a rule derives.
pub fn kind(rule: Rule) -> Kind {
    match rule {
        Rule::ProgramOrder => Kind::Po,
        Rule::ReadsFrom | Rule::Source => Kind::Rf,
        Rule::Overtaken => Kind::Rw,
        Rule::OwnEarlier(_)
        | Rule::Observed(_)
        | Rule::InitialFirst
        | Rule::Final
        | Rule::Assumed
        | Rule::Lemma(_) => Kind::Ww,
    }
}

/// What an edge of a cycle is called: po, rf, ww or rw.
pub fn edge(rule: Rule) -> &'static str {
    kind(rule).name()
}

/// A derived fact that needs an explanation, under a letter.
pub struct Note {
    /// The fact, by its place in the block.
    pub fact: usize,
    /// `a`, `b`, …
    pub letter: String,
    /// Why the fact holds.
    pub text: String,
}

/// A cycle, and notes on the edges that the values alone do not show.
pub struct Cycle<'v> {
    /// The facts of the cycle, each with the letter of its note.
    pub edges: Vec<(&'v Fact, Option<String>)>,
    /// The notes, in the order in which they are first cited.
    pub notes: Vec<Note>,
}

/// The cycle that ends a block; `None` if it ends in another contradiction.
pub fn cycle<'v>(history: &History, block: &'v Block) -> Option<Cycle<'v>> {
    let Contradiction::Cycle(facts) = &block.end else {
        return None;
    };
    let mut writer = NoteWriter {
        history,
        block,
        letters: vec![None; block.facts.len()],
        open: Vec::new(),
        notes: Vec::new(),
    };
    let edges = facts
        .iter()
        .map(|&fact| (&block.facts[fact], writer.cite(fact)))
        .collect();
    writer.write_all();
    Some(Cycle {
        edges,
        notes: writer.notes,
    })
}

struct NoteWriter<'a> {
    history: &'a History,
    block: &'a Block,
    letters: Vec<Option<String>>,
    open: Vec<usize>,
    notes: Vec<Note>,
}

impl NoteWriter<'_> {
    /// The letter of a fact, or `None` if it needs no note.
    fn cite(&mut self, fact: usize) -> Option<String> {
        if matches!(
            self.block.facts[fact].rule,
            Rule::ProgramOrder | Rule::ReadsFrom
        ) {
            return None;
        }
        if self.letters[fact].is_none() {
            let number = self.letters.iter().flatten().count();
            self.letters[fact] = Some(letter(number));
            self.open.push(fact);
        }
        self.letters[fact].clone()
    }

    fn write_all(&mut self) {
        let mut next = 0;
        while next < self.open.len() {
            let fact = self.open[next];
            let text = self.explain(fact);
            self.notes.push(Note {
                fact,
                letter: self.letters[fact].clone().unwrap_or_default(),
                text,
            });
            next += 1;
        }
    }

    fn explain(&mut self, fact: usize) -> String {
        let Fact {
            before,
            after,
            rule,
            premises,
        } = self.block.facts[fact].clone();
        let history = self.history;
        let read = before;
        let (before, after) = (node(history, before), node(history, after));
        match rule {
            Rule::ProgramOrder | Rule::ReadsFrom => String::new(),
            Rule::OwnEarlier(read) => {
                let read = label(history, read);
                format!(
                    "{before} ww {after}: {read} comes after {before} in its thread and yet does not \
                     return its value, but that of {after}"
                )
            }
            Rule::Observed(read) => {
                let read = label(history, read);
                let path = self.path(&premises);
                format!(
                    "{before} ww {after}: {read} returns the value of {after} although {before} \
                     comes before it ({path})"
                )
            }
            Rule::Source => format!("{before} rf {after}: assumed in this case"),
            Rule::Overtaken if !self.has_order(&premises) => {
                let reads = reads(history, read);
                format!(
                    "{before} rw {after}: {before} {reads} the initial value, so every write comes after it"
                )
            }
            Rule::Overtaken => {
                let path = self.path(&premises);
                format!(
                    "{before} rw {after}: {before} returns a value that {after} overwrites ({path})"
                )
            }
            Rule::InitialFirst => {
                format!("{before} ww {after}: the initial value is there before every write")
            }
            Rule::Final => format!("{before} ww {after}: the value of {after} is final"),
            Rule::Assumed => format!("{before} ww {after}: assumed in this case"),
            Rule::Lemma(case) => {
                let mut text = format!(
                    "{before} ww {after}: the opposite leads to the contradiction of case {}",
                    case + 1
                );
                if !premises.is_empty() {
                    let path = premises.iter().filter_map(|&premise| self.cite(premise));
                    let _ = write!(text, ", given [{}]", path.collect::<Vec<_>>().join("], ["));
                }
                text
            }
        }
    }

    /// Whether some of these facts order events, and do not only say where a read takes its value from.
    fn has_order(&self, facts: &[usize]) -> bool {
        let mut rules = facts.iter().map(|&fact| self.block.facts[fact].rule);
        rules.any(|rule| rule != Rule::Source)
    }

    /// `T0:1 -po-> T0:2 -ww[a]-> T1:0`.
    fn path(&mut self, facts: &[usize]) -> String {
        let mut text = String::new();
        let facts = facts
            .iter()
            .filter(|&&fact| self.block.facts[fact].rule != Rule::Source);
        let facts: Vec<usize> = facts.copied().collect();
        for (at, fact) in facts.into_iter().enumerate() {
            let Fact {
                before,
                after,
                rule,
                ..
            } = self.block.facts[fact];
            if at == 0 {
                text.push_str(&node(self.history, before));
            }
            let cited = self.cite(fact).map(|letter| format!("[{letter}]"));
            let _ = write!(
                text,
                " -{}{}-> {}",
                edge(rule),
                cited.unwrap_or_default(),
                node(self.history, after)
            );
        }
        text
    }
}

/// a, b, …, z, aa, ab, …
pub fn letter(number: usize) -> String {
    let last = char::from(b'a' + (number % 26) as u8);
    match number / 26 {
        0 => last.to_string(),
        more => letter(more - 1) + &last.to_string(),
    }
}

/// One sentence on how a violation ends.
pub fn headline(history: &History, violation: &Violation) -> String {
    match &violation.last().end {
        Contradiction::Cycle(_) if violation.blocks.len() > 1 => {
            let what = match violation.chooses_sources() {
                true => "every choice of what reads return leads",
                false => "every order of the writes leads",
            };
            let cases = violation.blocks.len();
            format!("{what} to a cycle ({cases} cases)")
        }
        Contradiction::Cycle(_) => stale(history, violation.last())
            .unwrap_or_else(|| "memory order would have a cycle".to_owned()),
        Contradiction::ThinAir(op) => format!(
            "thin-air read: {} returns a value that nobody wrote there",
            label(history, *op)
        ),
        Contradiction::ThinFinal(location) => impossible_end(history, *location),
    }
}

/// Why a location cannot hold its final value.
fn impossible_end(history: &History, location: u32) -> String {
    let place = history.locations()[location as usize];
    let mut finals = history.finals().iter();
    let Some(last) = finals.find(|last| last.location == location) else {
        return format!("{place} cannot end with its final value");
    };
    let line = last
        .line
        .map_or(String::new(), |line| format!(" (line {line})"));
    let why = match history.initial(location) == Some(last.value) {
        true => "it held that at the start, and was written since",
        false => "nobody wrote it there",
    };
    format!("{place} cannot hold {} at the end{line}: {why}", last.value)
}

/// What an operation does with the value that it reads: a store-conditional succeeds on that of its
/// load-linked and returns none.
fn reads(history: &History, node: Node) -> &'static str {
    match node {
        Node::Op(op) if history.kind(op) == history::Kind::StoreConditional => "succeeds on",
        _ => "returns",
    }
}

/// A plainer word for a cycle through the initial write: a read missed its own thread's write.
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

#[cfg(test)]
mod tests {
    use super::letter;

    #[test]
    fn letters_go_on_after_z() {
        let letters = [0, 25, 26, 27, 51, 52, 701, 702].map(letter);
        assert_eq!(letters, ["a", "z", "aa", "ab", "az", "ba", "zz", "aaa"]);
    }
}
