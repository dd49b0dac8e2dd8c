//! The abstract memory of all controllers: what fields, variables and messages may hold at any time of any run. It only grows.

use std::cell::RefCell;
use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::model::Model;
use super::value::Value;
use crate::compile::types::TypeId;

/// The buffers between which messages travel: a message that is sent into a channel may arrive at each port that reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Channel<'a> {
    /// A virtual network, by its number.
    Network(&'a str),
    /// A buffer of an instance.
    Own(usize, &'a str),
    /// All buffers that the configuration connects, or that lead out of the protocol.
    Wired,
}

/// A message, or several with the same values in the fields of enumerations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Message {
    /// The type of the message.
    pub of: TypeId,
    /// The values of its fields, in the order of declaration.
    pub fields: Vec<Value>,
}

/// A place of an object: a field of a structure, or a variable of a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place<'a> {
    /// A field of the objects of a type that an instance keeps.
    Field(usize, TypeId, usize),
    /// A variable of an instance.
    Variable(usize, &'a str),
}

/// The abstract memory.
#[derive(Debug, Default)]
pub(super) struct Store<'a> {
    /// What was written to each place; an absent one has its initial value only.
    places: FxHashMap<Place<'a>, Value>,
    /// The elements of the queues at each place.
    queues: FxHashMap<Place<'a>, Value>,
    /// The messages in each channel.
    channels: FxHashMap<Channel<'a>, Vec<Message>>,
    /// Whether the memory has grown since this was last cleared.
    pub has_grown: bool,
    /// The number of the latest change, and that of the latest change of each part.
    clock: u32,
    changed: FxHashMap<Part, u32>,
    /// The parts that each of the runs that have begun has read.
    read: RefCell<Vec<FxHashSet<Part>>>,
}

/// A part of the memory, by its hash value: a place, its queue, or a channel. If two have the same, code is only run more often.
type Part = u64;

/// The parts on which a run depends, and when it was.
#[derive(Debug)]
pub(super) struct Reads {
    clock: u32,
    parts: Box<[Part]>,
}

impl<'a> Store<'a> {
    /// What was written to a place.
    pub(super) fn written(&self, place: Place<'a>) -> Option<&Value> {
        self.note_read(part(place, false));
        self.places.get(&place)
    }

    /// Adds a value to those of a place.
    pub(super) fn write(&mut self, place: Place<'a>, value: &Value) {
        let part = part(place, false);
        if add(&mut self.places, place, value) {
            self.note_change(part);
        }
    }

    /// The elements of a queue.
    pub(super) fn elements(&self, place: Place<'a>) -> Value {
        self.note_read(part(place, true));
        self.queues.get(&place).cloned().unwrap_or_else(Value::nothing)
    }

    /// Adds an element to a queue.
    pub(super) fn push(&mut self, place: Place<'a>, value: &Value) {
        let part = part(place, true);
        if add(&mut self.queues, place, value) {
            self.note_change(part);
        }
    }

    /// The messages in a channel.
    pub(super) fn messages(&self, channel: Channel<'a>) -> &[Message] {
        self.note_read(FxBuildHasher.hash_one(channel));
        self.channels.get(&channel).map_or(&[], Vec::as_slice)
    }

    /// Adds a message to a channel. Messages with the same values in the fields `kinds` become one.
    pub(super) fn send(&mut self, channel: Channel<'a>, message: Message, kinds: &[usize]) {
        let known = self.channels.entry(channel).or_default();
        let is_same = |one: &Message| {
            one.of == message.of && kinds.iter().all(|&at| one.fields[at] == message.fields[at])
        };
        let has_grown = match known.iter_mut().find(|one| is_same(one)) {
            None => {
                known.push(message);
                true
            }
            Some(known) => {
                let mut has_grown = false;
                for (known, value) in known.fields.iter_mut().zip(&message.fields) {
                    let joined = known.join(value);
                    has_grown |= joined != *known;
                    *known = joined;
                }
                has_grown
            }
        };
        if has_grown {
            self.note_change(FxBuildHasher.hash_one(channel));
        }
    }

    /// Calls `see` for each value that is stored or sent, with its type.
    pub(super) fn each(&self, model: &Model<'_>, see: &mut dyn FnMut(TypeId, &Value)) {
        for (place, value) in &self.places {
            let of = match place {
                Place::Field(_, of, at) => {
                    model.types[*of].order.get(*at).map(|name| model.types[*of].fields[name].of)
                }
                Place::Variable(instance, name) => model.member(*instance, name).map(|(_, of)| *of),
            };
            of.into_iter().for_each(|of| see(of, value));
        }
        for message in self.channels.values().flatten() {
            let of = &model.types[message.of];
            for (name, value) in of.order.iter().zip(&message.fields) {
                see(of.fields[name].of, value);
            }
        }
    }

    fn note_read(&self, part: Part) {
        if let Some(read) = self.read.borrow_mut().last_mut() {
            read.insert(part);
        }
    }

    /// Notes what a run would read whose outcome is known.
    pub(super) fn note_reads(&self, reads: &Reads) {
        if let Some(read) = self.read.borrow_mut().last_mut() {
            read.extend(&reads.parts);
        }
    }

    fn note_change(&mut self, part: Part) {
        self.has_grown = true;
        self.clock += 1;
        self.changed.insert(part, self.clock);
    }

    /// Begins to note what a run reads, which may be part of another. Returns when it was, for [`Store::end`].
    pub(super) fn begin(&self) -> u32 {
        self.read.borrow_mut().push(FxHashSet::default());
        self.clock
    }

    /// What was read since a run began.
    pub(super) fn end(&self, clock: u32) -> Reads {
        let mut runs = self.read.borrow_mut();
        let parts = runs.pop().unwrap_or_default();
        if let Some(outer) = runs.last_mut() {
            outer.extend(&parts);
        }
        Reads { clock, parts: parts.into_iter().collect() }
    }

    /// Whether something that a run has read has changed since it began.
    pub(super) fn is_stale(&self, reads: &Reads) -> bool {
        let changed = |part: &Part| self.changed.get(part).is_some_and(|at| *at > reads.clock);
        reads.parts.iter().any(changed)
    }
}

/// The place, or its queue, as a part of the memory.
fn part(place: Place<'_>, is_queue: bool) -> Part {
    FxBuildHasher.hash_one((place, is_queue))
}

/// Adds a value to those of a place. Returns whether that changed them.
fn add<'a>(values: &mut FxHashMap<Place<'a>, Value>, place: Place<'a>, value: &Value) -> bool {
    match values.entry(place) {
        std::collections::hash_map::Entry::Vacant(entry) => {
            entry.insert(value.clone());
            true
        }
        std::collections::hash_map::Entry::Occupied(mut entry) => {
            let joined = entry.get().join(value);
            let has_grown = joined != *entry.get();
            entry.insert(joined);
            has_grown
        }
    }
}
