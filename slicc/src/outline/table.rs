//! The transition table.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::names::{Complaints, nearest};
use super::{Entry, MachineOutline, Next};
use crate::ast::{Declaration, Machine, Name, NextState, Transition};
use crate::source::{Diagnostic, Span};

/// Most entries of a table.
const MOST: usize = 1 << 20;

/// Fills the table of a machine, whose states, events and actions are there.
pub(super) fn fill(tables: &mut MachineOutline, machine: &Machine, complaints: &mut Complaints) {
    let mut table = Table::new(tables);
    let transitions = machine.body.iter().enumerate();
    for (index, declaration) in transitions {
        if let Declaration::Transition(transition) = declaration {
            let pairs = transition.states.len() * transition.events.len();
            table.room = table.room.saturating_sub(pairs);
            if table.room == 0 {
                let message = format!("the table has more than {MOST} entries");
                complaints.say(Diagnostic::error(transition.head, message));
                break;
            }
            table.add(index, transition, complaints);
        }
    }
    let entries = table.entries;
    tables.entries = entries;
}

/// What a name in a transition stands for.
struct NameKind<'a> {
    what: &'static str,
    with_article: &'static str,
    names: FxHashMap<&'a str, (u16, Span)>,
}

impl<'a> NameKind<'a> {
    fn new(
        what: &'static str,
        with_article: &'static str,
        names: impl Iterator<Item = (&'a String, Span)>,
    ) -> NameKind<'a> {
        // Of two with one name, which is an error, the first counts.
        let mut indices = FxHashMap::default();
        for (index, (name, span)) in names.enumerate() {
            indices.entry(name.as_str()).or_insert((index as u16, span));
        }
        NameKind { what, with_article, names: indices }
    }
}

/// A table that is being filled.
struct Table<'a> {
    states: NameKind<'a>,
    events: NameKind<'a>,
    requests: NameKind<'a>,
    actions: NameKind<'a>,
    /// Whether each action stalls.
    stalls: Vec<bool>,
    entries: Vec<Entry>,
    /// Which entry a pair has.
    pairs: FxHashMap<(u16, u16), usize>,
    /// How many more pairs there may be.
    room: usize,
}

impl<'a> Table<'a> {
    fn new(tables: &'a MachineOutline) -> Table<'a> {
        let events = tables.events.iter().map(|one| (&one.name, one.span));
        let requests = tables.requests.iter().map(|one| (&one.name, one.span));
        let states = tables.states.iter().map(|one| (&one.name, one.span));
        let actions = tables.actions.iter().map(|one| (&one.name, one.span));
        Table {
            states: NameKind::new("state", "a state", states),
            events: NameKind::new("event", "an event", events),
            requests: NameKind::new("request type", "a request type", requests),
            actions: NameKind::new("action", "an action", actions),
            stalls: tables.actions.iter().map(|action| action.stalls).collect(),
            entries: Vec::new(),
            pairs: FxHashMap::default(),
            room: MOST,
        }
    }

    fn add(&mut self, index: usize, transition: &Transition, complaints: &mut Complaints) {
        let mut resolved = |kind: &NameKind<'_>, names: &[Name]| -> Vec<u16> {
            let resolve = |name| self.resolve(kind, name, transition, complaints);
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
        let mut twice = Twice::default();
        for &state in &states {
            for &event in &events {
                let next = match (&transition.next, target.first()) {
                    (NextState::Computed(_), _) => Next::Computed,
                    (_, Some(&next)) => Next::State(next),
                    (_, None) => Next::State(state),
                };
                if let Some(&before) = self.pairs.get(&(state, event)) {
                    twice.add(before, (state, event), &self.entries);
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
        self.complain(transition, &twice, complaints);
    }

    /// What a name stands for, if it is declared before the transition.
    fn resolve(
        &self,
        kind: &NameKind<'_>,
        name: &Name,
        transition: &Transition,
        complaints: &mut Complaints,
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
                complaints.say(diagnostic);
            }
            return Some(index);
        }
        self.unknown(kind, name, complaints);
        None
    }

    fn unknown(&self, kind: &NameKind<'_>, name: &Name, complaints: &mut Complaints) {
        let message = format!("there is no {} `{}`", kind.what, name.text);
        let diagnostic = Diagnostic::error(name.span, message);
        if complaints.is_full() {
            complaints.say(diagnostic);
            return;
        }
        let hint = match nearest(&name.text, kind.names.keys().copied()) {
            Some(nearest) => Some(format!("did you mean `{nearest}`?")),
            None => [&self.states, &self.events, &self.requests, &self.actions]
                .into_iter()
                .find(|other| other.names.contains_key(&*name.text))
                .map(|other| format!("there is {} of this name", other.with_article)),
        };
        complaints.say(match hint {
            Some(hint) => diagnostic.hint(hint),
            None => diagnostic,
        });
    }

    /// Says which pairs of a transition have an entry already: once for each place.
    fn complain(&self, transition: &Transition, twice: &Twice, complaints: &mut Complaints) {
        for &(before, (state, event), count) in &twice.places {
            let name = |kind: &NameKind<'_>, index: u16| {
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
            complaints.say(diagnostic);
        }
    }
}

/// Pairs that have an entry already, by the place of that entry: one pair, and how many.
#[derive(Default)]
struct Twice {
    places: Vec<(Span, (u16, u16), usize)>,
    indices: FxHashMap<Span, usize>,
}

impl Twice {
    fn add(&mut self, before: usize, pair: (u16, u16), entries: &[Entry]) {
        let span = entries[before].span;
        let index = *self.indices.entry(span).or_insert(self.places.len());
        match self.places.get_mut(index) {
            Some((_, _, count)) => *count += 1,
            None => self.places.push((span, pair, 1)),
        }
    }
}
