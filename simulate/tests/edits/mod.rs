//! Protocols with the actions of a transition edited: two neighbours exchanged, one dropped, one
//! written twice.

#![allow(dead_code, reason = "each test file uses a part")]

use std::fmt;

use simulate::mutant::Changed;
use simulate::protocol::{BLOCK_BYTES, Protocol};
use simulate::slicc::ast::{Declaration, Transition};
use simulate::source::Span;

/// What is done to the actions of a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// One and the next change places.
    Swap,
    /// One is left out.
    Drop,
    /// One is written twice.
    Duplicate,
}

/// A kind of edit at a place.
#[derive(Clone, Debug)]
pub struct Edit {
    /// What is done.
    pub kind: Kind,
    /// The machine and the transition, as a reader finds it.
    pub transition: String,
    /// The names of the actions that it is about.
    pub actions: Vec<String>,
    /// What stands from the first action to the closing brace.
    span: Span,
    /// What to write instead.
    text: String,
}

impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let actions = self.actions.join(" ");
        write!(f, "{} {:?} {actions}", self.transition, self.kind)
    }
}

/// All edits of a protocol's transitions, in the order of the text.
pub fn all(protocol: &Protocol) -> Vec<Edit> {
    let mut edits = Vec::new();
    for machine in protocol.machines() {
        for declaration in &machine.body {
            if let Declaration::Transition(transition) = declaration {
                of(protocol, &machine.name.text, transition, &mut edits);
            }
        }
    }
    edits
}

fn of(protocol: &Protocol, machine: &str, transition: &Transition, edits: &mut Vec<Edit>) {
    let Some(first) = transition.actions.first() else {
        return;
    };
    let span = first.span.to(transition.span);
    let names: Vec<&str> = transition.actions.iter().map(|one| &*one.text).collect();
    let head = protocol.sources().text(transition.head);
    let head: Vec<&str> = head.split_whitespace().collect();
    let mut add = |kind, actions: &[&str], list: Vec<&str>| {
        edits.push(Edit {
            kind,
            transition: format!("{machine} {}", head.join(" ")),
            actions: actions.iter().map(|one| (*one).to_owned()).collect(),
            span,
            text: format!("{}}}", list.join(", ")),
        });
    };
    for (at, name) in names.iter().enumerate() {
        if let Some(next) = names.get(at + 1).filter(|next| *next != name) {
            let mut list = names.clone();
            list.swap(at, at + 1);
            add(Kind::Swap, &[name, next], list);
        }
        let mut list = names.clone();
        list.insert(at, name);
        add(Kind::Duplicate, &[name], list);
        let mut list = names.clone();
        list.remove(at);
        add(Kind::Drop, &[name], list);
    }
}

impl Edit {
    /// The protocol with the edit.
    pub fn apply(&self, protocol: &Protocol) -> Protocol {
        let (path, _, _) = protocol.sources().position(self.span);
        let mut files = protocol.loaded.own_files().into_iter();
        let (path, text) = files.find(|(own, _)| path.ends_with(own)).unwrap();
        let mut text = text.to_owned();
        let range = self.span.start as usize..self.span.end as usize;
        text.replace_range(range, &self.text);
        changed(protocol, path, text)
    }
}

/// The protocol with another text of one of its files.
pub fn changed(protocol: &Protocol, path: &str, text: String) -> Protocol {
    let change = Changed {
        path: path.to_owned(),
        text,
    };
    let loaded = protocol.loaded.reload(&[change]);
    let compiled = loaded.and_then(|loaded| Protocol::new(loaded, BLOCK_BYTES));
    compiled.unwrap_or_else(|failure| {
        let told: Vec<_> = failure
            .diagnostics
            .iter()
            .map(|one| {
                (
                    &one.message,
                    one.span.map(|span| failure.sources.position(span).1),
                )
            })
            .collect();
        panic!("{told:?}")
    })
}

/// The protocol with a piece of text replaced, which has to be there once.
pub fn replaced(protocol: &Protocol, from: &str, to: &str) -> Protocol {
    let files = protocol.loaded.own_files();
    let mut found = files.iter().filter(|(_, text)| text.contains(from));
    let (path, text) = found.next().unwrap_or_else(|| panic!("there is no {from}"));
    assert!(
        found.next().is_none() && text.matches(from).count() == 1,
        "{from}"
    );
    changed(protocol, path, text.replace(from, to))
}
