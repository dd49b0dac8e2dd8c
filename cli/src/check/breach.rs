//! Why a history does not satisfy a weak criterion, in words: the cycle, and why each of its edges is
//! there.

use std::fmt::Write as _;

use certify::certificate::Node;
use certify::criterion::{Criterion, Cyclic, Link};
use check::papers::criteria::breach::{Breach, Fact};
use history::{History, OpId};

use report::explain::why::{Note, label, letter, node};

/// An edge of the cycle.
pub struct Edge {
    /// From.
    pub before: Node,
    /// To.
    pub after: Node,
    /// The relation, as short as possible.
    pub name: String,
    /// The letter of its note.
    pub letter: Option<String>,
}

/// The cycle, and notes on the edges that the trace alone does not show.
pub struct Cycle {
    /// The edges.
    pub edges: Vec<Edge>,
    /// The notes, in the order in which they are first cited.
    pub notes: Vec<Note>,
}

/// One sentence on what is wrong.
pub fn headline(history: &History, breach: &Breach) -> String {
    let relation = match breach.relation {
        Cyclic::Local(op) => format!("hb_o has a cycle, for o = {}", label(history, op)),
        relation => format!("{} has a cycle", relation.name()),
    };
    let models = match breach.criterion {
        Criterion::Cc | Criterion::Ccv | Criterion::Wccm => "neither TSO nor SC holds",
        Criterion::Cm | Criterion::Ccm => "SC does not hold either",
    };
    format!("{relation}; so {models}")
}

/// The cycle.
pub fn cycle(history: &History, breach: &Breach) -> Cycle {
    let mut writer = NoteWriter {
        history,
        breach,
        letters: vec![None; breach.facts.len()],
        open: Vec::new(),
        notes: Vec::new(),
    };
    let edge = |&at: &usize| Edge {
        before: breach.facts[at].before,
        after: breach.facts[at].after,
        name: edge_name(breach, at),
        letter: writer.cite(at),
    };
    let edges = breach.cycle.iter().map(edge).collect();
    writer.write_all();
    Cycle {
        edges,
        notes: writer.notes,
    }
}

/// What an edge of the cycle is called: the part of the relation that it belongs to.
fn edge_name(breach: &Breach, at: usize) -> String {
    match (breach.relation, breach.facts[at].link) {
        (Cyclic::Memory, Link::Local(..) | Link::Conflict { .. }) => "pww".to_owned(),
        (Cyclic::Weak(_), Link::Local(..) | Link::Conflict { .. }) => "wpww".to_owned(),
        (_, link) => name(link),
    }
}

fn name(link: Link<OpId>) -> String {
    match link {
        Link::Local(..) => "hb".to_owned(),
        Link::Program(order) => order.name().to_owned(),
        Link::ReadsFrom { external: false } => "wr".to_owned(),
        Link::ReadsFrom { external: true } => "wr_e".to_owned(),
        Link::Conflict { external: false } => "cf".to_owned(),
        Link::Conflict { external: true } => "cf_e".to_owned(),
        Link::Store { weak: false } => "pww".to_owned(),
        Link::Store { weak: true } => "wpww".to_owned(),
        Link::Overwritten => "rw".to_owned(),
    }
}

struct NoteWriter<'a> {
    history: &'a History,
    breach: &'a Breach,
    letters: Vec<Option<String>>,
    open: Vec<usize>,
    notes: Vec<Note>,
}

impl NoteWriter<'_> {
    /// The letter of a fact, or `None` if it needs no note: one of the trace, or two writes of one
    /// thread.
    fn cite(&mut self, fact: usize) -> Option<String> {
        let plain = |&fact: &usize| self.breach.facts[fact].premises.is_empty();
        let clear = match self.breach.facts[fact] {
            Fact {
                link: Link::Store { .. },
                ref premises,
                ..
            } => premises.len() == 1 && premises.iter().all(plain),
            Fact { ref premises, .. } => premises.is_empty(),
        };
        if clear {
            return None;
        }
        if self.letters[fact].is_none() {
            self.letters[fact] = Some(letter(self.open.len()));
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
            link,
            before,
            after,
            via,
            ref premises,
        } = self.breach.facts[fact];
        let initial = |&fact: &usize| matches!(self.breach.facts[fact].before, Node::Initial(_));
        let value = match after {
            Node::Op(_) => "the value of",
            Node::Initial(_) | Node::Final(_) => "the",
        };
        let from_initial = premises.first().is_some_and(initial);
        let (before, after) = (node(self.history, before), node(self.history, after));
        let pair = format!("{before} {} {after}", name(link));
        if link == Link::Overwritten && from_initial {
            return format!("{pair}: {before} returns the initial value, which {after} overwrites");
        }
        let path = self.path(premises);
        match (link, via) {
            (Link::Overwritten, _) => {
                format!("{pair}: {before} returns a value that {after} overwrites ({path})")
            }
            (_, Some(read)) => {
                let read = label(self.history, read);
                format!(
                    "{pair}: {read} returns {value} {after} although {before} comes before it ({path})"
                )
            }
            (_, None) => format!("{pair}: {path}"),
        }
    }

    /// `T0:1 -po-> T0:2 -hb[a]-> T1:0`.
    fn path(&mut self, facts: &[usize]) -> String {
        let mut text = String::new();
        for (at, &fact) in facts.iter().enumerate() {
            let Fact {
                before,
                after,
                link,
                ..
            } = self.breach.facts[fact];
            if at == 0 {
                text.push_str(&node(self.history, before));
            }
            let cited = self.cite(fact).map(|letter| format!("[{letter}]"));
            let cited = cited.unwrap_or_default();
            let _ = write!(
                text,
                " -{}{cited}-> {}",
                name(link),
                node(self.history, after)
            );
        }
        text
    }
}
