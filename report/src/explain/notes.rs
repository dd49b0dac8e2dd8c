//! A cycle that refutes a history, with notes on the edges that the trace alone does not show.

use std::fmt::Write as _;

use certify::certificate::Node;
use history::History;

use super::why::node;

/// An edge of a cycle.
pub struct Edge {
    /// The event that precedes.
    pub before: Node,
    /// The event that follows.
    pub after: Node,
    /// The name of the relation.
    pub name: String,
    /// The letter of the edge's note, if it needs one.
    pub letter: Option<String>,
}

/// A derived fact that needs an explanation, under a letter.
pub struct Note {
    /// The index of the fact in the proof.
    pub fact: usize,
    /// `a`, `b`, …
    pub letter: String,
    /// The reason why the fact holds.
    pub text: String,
}

/// A cycle, and notes on the edges that the trace alone does not show.
pub struct Cycle {
    /// The edges.
    pub edges: Vec<Edge>,
    /// The notes, in the order in which they are first cited.
    pub notes: Vec<Note>,
}

/// The facts of a proof, by index.
pub(super) trait Facts {
    /// The two events of a fact.
    fn ends(&self, fact: usize) -> (Node, Node);
    /// The name of the relation that orders the two events; `None` if the fact does not order events.
    fn relation(&self, fact: usize) -> Option<String>;
    /// Whether the trace alone shows the fact, so that it needs no note.
    fn is_evident(&self, fact: usize) -> bool;
    /// Explains why a fact holds. The explanation may cite other facts.
    fn explain(&self, fact: usize, notes: &mut NoteWriter<'_>) -> String;
}

/// Writes the notes of a proof.
pub(super) struct NoteWriter<'a> {
    pub(super) history: &'a History,
    facts: &'a dyn Facts,
    /// The facts that have a letter, in the order of their letters.
    cited: Vec<usize>,
}

impl<'a> NoteWriter<'a> {
    /// Writes the notes of a cycle of facts. `name` returns the name that a fact's relation has in the cycle.
    pub(super) fn cycle(
        history: &'a History,
        facts: &'a dyn Facts,
        cycle: &[usize],
        name: impl Fn(usize) -> Option<String>,
    ) -> Cycle {
        let cited = Vec::new();
        let mut writer = NoteWriter { history, facts, cited };
        let edge = |&fact: &usize| {
            let (before, after) = facts.ends(fact);
            Edge { before, after, name: name(fact).unwrap_or_default(), letter: writer.cite(fact) }
        };
        let edges = cycle.iter().map(edge).collect();
        let mut notes = Vec::new();
        while let Some(&fact) = writer.cited.get(notes.len()) {
            let letter = letter(notes.len());
            let text = facts.explain(fact, &mut writer);
            notes.push(Note { fact, letter, text });
        }
        Cycle { edges, notes }
    }

    /// The letter of a fact, or `None` if it needs no note.
    pub(super) fn cite(&mut self, fact: usize) -> Option<String> {
        if self.facts.is_evident(fact) {
            return None;
        }
        let known = self.cited.iter().position(|&cited| cited == fact);
        let number = known.unwrap_or_else(|| {
            self.cited.push(fact);
            self.cited.len() - 1
        });
        Some(letter(number))
    }

    /// Writes the facts that order events as a path: `T0:1 -po-> T0:2 -co[a]-> T1:0`.
    pub(super) fn path(&mut self, facts: &[usize]) -> String {
        let mut text = String::new();
        for &fact in facts {
            let Some(name) = self.facts.relation(fact) else {
                continue;
            };
            let (before, after) = self.facts.ends(fact);
            if text.is_empty() {
                text.push_str(&node(self.history, before));
            }
            let cited = self.cite(fact).map(|letter| format!("[{letter}]"));
            let cited = cited.unwrap_or_default();
            let _ = write!(text, " -{name}{cited}-> {}", node(self.history, after));
        }
        text
    }
}

/// a, b, …, z, aa, ab, …
fn letter(number: usize) -> String {
    let last = char::from(b'a' + (number % 26) as u8);
    match number / 26 {
        0 => last.to_string(),
        more => letter(more - 1) + &last.to_string(),
    }
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
