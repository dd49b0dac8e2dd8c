//! Remembers what actions do, since most are part of many transitions.

use rustc_hash::FxHashMap;

use super::environment::{Environment, Head};
use super::interpreter::{Interpreter, Row};
use super::store::Reads;
use super::value::Pointer;

/// What a piece of code is run for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Piece {
    /// An action, by its index.
    Action(u16),
    /// The check and the record of a request for a resource.
    Request(u16),
    /// `setState` and `setAccessPermission`, with a next state that is fixed.
    State(u16),
}

/// The circumstances of a run of a piece of code.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key<'a> {
    instance: usize,
    piece: Piece,
    entry: Pointer,
    tbe: Pointer,
    allocated: Vec<(&'a str, &'a str)>,
    /// The message that is handled, if the run looks at it.
    head: Option<Option<Head<'a>>>,
    /// The entry of the table, if the run asks for the event or the next state.
    row: Option<Row>,
}

/// What a run did.
#[derive(Debug)]
struct Outcome<'a> {
    reads: Reads,
    /// What was true after it; `None` if its end was not reached.
    after: Option<Environment<'a>>,
}

/// The runs of pieces of code.
#[derive(Debug, Default)]
pub(super) struct Memo<'a> {
    outcomes: FxHashMap<Key<'a>, Outcome<'a>>,
    /// Whether the code that runs has looked at the message that is handled.
    pub looks_at_head: bool,
    /// Whether it has asked for the event or the next state.
    pub asks_for_event: bool,
}

impl<'a> Interpreter<'_, 'a> {
    /// Runs a piece of a transition's code, unless the outcome is known. The environment has no local variables.
    pub(super) fn remembered(
        &mut self,
        piece: Piece,
        row: Row,
        now: Environment<'a>,
        run: impl FnOnce(&mut Self, Environment<'a>) -> Option<Environment<'a>>,
    ) -> Option<Environment<'a>> {
        let head = now.head;
        let mut key = Key {
            instance: self.instance,
            piece,
            entry: now.entry,
            tbe: now.tbe,
            allocated: now.allocated.clone(),
            head: None,
            row: None,
        };
        for (looks, asks) in [(false, false), (true, false), (false, true), (true, true)] {
            (key.head, key.row) = (looks.then_some(head), asks.then_some(row));
            if let Some(outcome) = self.memo.outcomes.get(&key)
                && !self.store.is_stale(&outcome.reads)
            {
                self.store.note_reads(&outcome.reads);
                return outcome.after.clone().map(|after| with_head(after, head));
            }
        }
        (self.memo.looks_at_head, self.memo.asks_for_event) = (false, false);
        let clock = self.store.begin();
        let after = run(self, now);
        let reads = self.store.end(clock);
        key.head = self.memo.looks_at_head.then_some(head);
        key.row = self.memo.asks_for_event.then_some(row);
        self.memo.outcomes.insert(key, Outcome { reads, after: after.clone() });
        after
    }
}

/// The outcome for another message: it is no longer handled if the piece of code has removed it.
fn with_head<'a>(after: Environment<'a>, head: Option<Head<'a>>) -> Environment<'a> {
    let head = after.head.and(head);
    Environment { head, ..after }
}
