//! Builds the transition table of a machine.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::diagnostics::Diagnostics;
use super::{Entry, MachineOutline, Next};
use crate::ast::{Declaration, Machine, Name, NextState, Transition};
use crate::near::nearest;
use crate::source::{Diagnostic, Span};

/// Largest number of entries of a table.
const MOST_ENTRIES: usize = 1 << 20;

/// Fills the table of a machine, after its states, events and actions.
pub(super) fn fill(tables: &mut MachineOutline, machine: &Machine, diagnostics: &mut Diagnostics) {
    let mut table = Table::new(tables);
    let transitions = machine.body.iter().enumerate();
    for (index, declaration) in transitions {
        if let Declaration::Transition(transition) = declaration {
            let pairs = transition.states.len() * transition.events.len();
            table.room = table.room.saturating_sub(pairs);
            if table.room == 0 {
                let message = format!("the table has more than {MOST_ENTRIES} entries");
                diagnostics.report(Diagnostic::error(transition.head, message));
                break;
            }
            table.add(index, transition, diagnostics);
        }
    }
    let entries = table.entries;
    tables.entries = entries;
}

/// The declared names of one kind: states, events, request types or actions.
struct Namespace<'a> {
    what: &'static str,
    with_article: &'static str,
    names: FxHashMap<&'a str, (u16, Span)>,
}

impl<'a> Namespace<'a> {
    fn new(
        what: &'static str,
        with_article: &'static str,
        names: impl Iterator<Item = (&'a String, Span)>,
    ) -> Namespace<'a> {
        // If two have the same name, which is an error, the first counts.
        let mut indices = FxHashMap::default();
        for (index, (name, span)) in names.enumerate() {
            indices.entry(name.as_str()).or_insert((index as u16, span));
        }
        Namespace { what, with_article, names: indices }
    }
}

/// The state while a table is filled.
struct Table<'a> {
    states: Namespace<'a>,
    events: Namespace<'a>,
    requests: Namespace<'a>,
    actions: Namespace<'a>,
    /// Whether each action stalls.
    stalls: Vec<bool>,
    entries: Vec<Entry>,
    /// The index of the entry of each pair of state and event.
    pairs: FxHashMap<(u16, u16), usize>,
    /// Number of further pairs that the limit allows.
    room: usize,
}

impl<'a> Table<'a> {
    fn new(tables: &'a MachineOutline) -> Table<'a> {
        let events = tables.events.iter().map(|one| (&one.name, one.span));
        let requests = tables.requests.iter().map(|one| (&one.name, one.span));
        let states = tables.states.iter().map(|one| (&one.name, one.span));
        let actions = tables.actions.iter().map(|one| (&one.name, one.span));
        Table {
            states: Namespace::new("state", "a state", states),
            events: Namespace::new("event", "an event", events),
            requests: Namespace::new("request type", "a request type", requests),
            actions: Namespace::new("action", "an action", actions),
            stalls: tables.actions.iter().map(|action| action.stalls).collect(),
            entries: Vec::new(),
            pairs: FxHashMap::default(),
            room: MOST_ENTRIES,
        }
    }

    fn add(&mut self, index: usize, transition: &Transition, diagnostics: &mut Diagnostics) {
        let mut resolved = |kind: &Namespace<'_>, names: &[Name]| -> Vec<u16> {
            let resolve = |name| self.resolve(kind, name, transition, diagnostics);
            names.iter().filter_map(resolve).collect()
        };
        let states = resolved(&self.states, &transition.states);
        let events = resolved(&self.events, &transition.events);
        let target = match &transition.next {
            NextState::State(name) => resolved(&self.states, std::slice::from_ref(name)),
            NextState::Same | NextState::Computed(_) => Vec::new(),
        };
        let requests: Arc<[u16]> = match &transition.requests {
            Some(names) => resolved(&self.requests, names).into(),
            None => Arc::default(),
        };
        let actions: Arc<[u16]> = resolved(&self.actions, &transition.actions).into();
        let stalls = actions.iter().any(|&one| self.stalls[usize::from(one)]);
        let mut duplicates = Duplicates::default();
        for &state in &states {
            for &event in &events {
                let next = match (&transition.next, target.first()) {
                    (NextState::Computed(_), _) => Next::Computed,
                    (_, Some(&next)) => Next::State(next),
                    (_, None) => Next::State(state),
                };
                if let Some(&before) = self.pairs.get(&(state, event)) {
                    duplicates.add(before, (state, event), &self.entries);
                    continue;
                }
                self.pairs.insert((state, event), self.entries.len());
                self.entries.push(Entry {
                    state,
                    event,
                    next,
                    actions: actions.clone(),
                    requests: requests.clone(),
                    stalls,
                    span: transition.head,
                    declaration: index,
                });
            }
        }
        self.report_duplicates(transition, &duplicates, diagnostics);
    }

    /// The index of a name. Names that are unknown, or declared after the transition, are reported.
    fn resolve(
        &self,
        kind: &Namespace<'_>,
        name: &Name,
        transition: &Transition,
        diagnostics: &mut Diagnostics,
    ) -> Option<u16> {
        let found = kind.names.get(&*name.text).copied();
        if let Some((index, declared)) = found {
            let is_later =
                declared.file == transition.span.file && declared.start > transition.span.start;
            if is_later {
                let message = format!("the {} `{}` is declared only later", kind.what, name.text);
                let diagnostic = Diagnostic::error(name.span, message)
                    .note(declared, "here")
                    .hint("transitions come after the states, events and actions they name");
                diagnostics.report(diagnostic);
            }
            return Some(index);
        }
        self.unknown(kind, name, diagnostics);
        None
    }

    fn unknown(&self, kind: &Namespace<'_>, name: &Name, diagnostics: &mut Diagnostics) {
        let message = format!("there is no {} `{}`", kind.what, name.text);
        let diagnostic = Diagnostic::error(name.span, message);
        if diagnostics.is_full() {
            diagnostics.report(diagnostic);
            return;
        }
        let hint = match nearest(&name.text, kind.names.keys().copied()) {
            Some(nearest) => Some(format!("did you mean `{nearest}`?")),
            None => [&self.states, &self.events, &self.requests, &self.actions]
                .into_iter()
                .find(|other| other.names.contains_key(&*name.text))
                .map(|other| format!("there is {} of this name", other.with_article)),
        };
        diagnostics.report(match hint {
            Some(hint) => diagnostic.hint(hint),
            None => diagnostic,
        });
    }

    /// Reports the pairs of a transition that already have an entry, once for each transition that
    /// they are in.
    fn report_duplicates(
        &self,
        transition: &Transition,
        duplicates: &Duplicates,
        diagnostics: &mut Diagnostics,
    ) {
        for &(before, (state, event), count) in &duplicates.places {
            let name = |kind: &Namespace<'_>, index: u16| {
                let found = kind.names.iter().find(|(_, (one, _))| *one == index);
                found.map_or_else(String::new, |(name, _)| (*name).to_owned())
            };
            let pair = format!("({}, {})", name(&self.states, state), name(&self.events, event));
            let message = match count {
                1 => format!("a second transition for {pair}"),
                2 => format!("a second transition for {pair} and another pair"),
                _ => format!("a second transition for {pair} and {} other pairs", count - 1),
            };
            let diagnostic = Diagnostic::error(transition.head, message);
            let diagnostic = if before == transition.head {
                diagnostic.label("a name stands here twice")
            } else {
                diagnostic.note(before, "the first is here")
            };
            diagnostics.report(diagnostic);
        }
    }
}

/// The pairs that already have an entry. For each transition with such an entry: its place, one of
/// the pairs, and their number.
#[derive(Default)]
struct Duplicates {
    places: Vec<(Span, (u16, u16), usize)>,
    indices: FxHashMap<Span, usize>,
}

impl Duplicates {
    fn add(&mut self, before: usize, pair: (u16, u16), entries: &[Entry]) {
        let span = entries[before].span;
        let index = *self.indices.entry(span).or_insert(self.places.len());
        match self.places.get_mut(index) {
            Some((_, _, count)) => *count += 1,
            None => self.places.push((span, pair, 1)),
        }
    }
}
