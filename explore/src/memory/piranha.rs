//! The Piranha-like protocol of the paper's Figure 1, and the earlier version with an error.
//!
//! A directory knows the owner of each line, or that a request for it is in flight. Messages to a
//! processor arrive in order. The earlier version fails to record that a shared copy is in flight:
//! it lacks `owner[j] := none` in `ACKS(i,j)`. Any number of such messages may then be in flight;
//! queues are limited to two for each location, more than the correct protocol needs.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{Event, MemorySystem, Renaming, SystemSize, moved};

/// The protocol.
#[derive(Clone, Copy, Debug)]
pub struct Piranha {
    /// The size of the system.
    pub size: SystemSize,
    /// Whether this is the earlier version, with the error.
    pub is_buggy: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Mode {
    Invalid,
    Shared,
    Exclusive,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Line {
    mode: Mode,
    data: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Message {
    /// The data of a location, with the new mode.
    Acknowledge(u8, Line),
    /// Another processor now owns the location.
    Invalidate(u8),
}

/// The state of caches, queues and the directory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// By processor, then location.
    caches: Vec<Vec<Line>>,
    /// By processor; the oldest message first.
    queues: Vec<VecDeque<Message>>,
    /// By location; `None` while a request is in flight.
    owners: Vec<Option<u8>>,
}

impl State {
    fn line(&mut self, processor: u8, location: u8) -> &mut Line {
        &mut self.caches[usize::from(processor)][usize::from(location)]
    }

    fn send(&mut self, to: u8, message: Message) {
        self.queues[usize::from(to)].push_back(message);
    }
}

impl Piranha {
    fn exclusive(&self, state: &State, to: u8, location: u8, owner: u8) -> State {
        let mut next = state.clone();
        let data = next.line(owner, location).data;
        if owner != to {
            next.line(owner, location).mode = Mode::Invalid;
        }
        for other in (0..self.size.processors).filter(|&it| it != to && it != owner) {
            if next.line(other, location).mode != Mode::Invalid {
                next.send(other, Message::Invalidate(location));
            }
        }
        let mode = Mode::Exclusive;
        next.send(to, Message::Acknowledge(location, Line { mode, data }));
        next.owners[usize::from(location)] = None;
        next
    }

    fn shared(&self, state: &State, to: u8, location: u8, owner: u8) -> State {
        let mut next = state.clone();
        let held = next.line(owner, location);
        if held.mode == Mode::Exclusive {
            held.mode = Mode::Shared;
        }
        let data = held.data;
        let mode = Mode::Shared;
        next.send(to, Message::Acknowledge(location, Line { mode, data }));
        if !self.is_buggy {
            next.owners[usize::from(location)] = None;
        }
        next
    }

    fn update(state: &State, processor: u8) -> Option<State> {
        let mut next = state.clone();
        match next.queues[usize::from(processor)].pop_front()? {
            Message::Invalidate(location) => next.line(processor, location).mode = Mode::Invalid,
            Message::Acknowledge(location, line) => {
                *next.line(processor, location) = line;
                next.owners[usize::from(location)] = Some(processor);
            }
        }
        Some(next)
    }

    fn accesses(&self, state: &State, at: (u8, u8), visit: &mut dyn FnMut(Event, State)) {
        let (processor, location) = at;
        let line = state.caches[usize::from(processor)][usize::from(location)];
        if line.mode != Mode::Invalid {
            visit(Event::read(processor, location, line.data), state.clone());
        }
        if line.mode == Mode::Exclusive {
            for value in 0..=self.size.values {
                let mut next = state.clone();
                next.line(processor, location).data = value;
                visit(Event::write(processor, location, value), next);
            }
        }
    }

    fn requests(&self, state: &State, at: (u8, u8), visit: &mut dyn FnMut(Event, State)) {
        let (processor, location) = at;
        let Some(owner) = state.owners[usize::from(location)] else {
            return;
        };
        let mode = state.caches[usize::from(processor)][usize::from(location)].mode;
        let room = 2 * usize::from(self.size.locations);
        let mut visit = |name, next: State| {
            if next.queues.iter().all(|queue| queue.len() <= room) {
                visit(Event::Internal(name, Some(processor), Some(location)), next);
            }
        };
        if mode != Mode::Exclusive {
            visit("ACKX", self.exclusive(state, processor, location, owner));
        }
        if mode == Mode::Invalid {
            visit("ACKS", self.shared(state, processor, location, owner));
        }
    }
}

impl MemorySystem for Piranha {
    type State = State;

    fn size(&self) -> SystemSize {
        self.size
    }

    /// There is one initial state for each assignment of owners.
    fn initial(&self) -> Vec<State> {
        let (processors, locations) = (self.size.processors, usize::from(self.size.locations));
        let line = Line { mode: Mode::Shared, data: 0 };
        let mut owners: Vec<Vec<Option<u8>>> = vec![Vec::new()];
        for _ in 0..locations {
            let longer = owners.iter().flat_map(|some| {
                (0..processors).map(move |owner| [&some[..], &[Some(owner)]].concat())
            });
            owners = longer.collect();
        }
        let state = |owners| State {
            caches: vec![vec![line; locations]; usize::from(processors)],
            queues: vec![VecDeque::new(); usize::from(processors)],
            owners,
        };
        owners.into_iter().map(state).collect()
    }

    fn events(&self, state: &State, visit: &mut dyn FnMut(Event, State)) {
        for processor in 0..self.size.processors {
            for location in 0..self.size.locations {
                self.accesses(state, (processor, location), visit);
                self.requests(state, (processor, location), visit);
            }
            if let Some(next) = Piranha::update(state, processor) {
                visit(Event::Internal("UPD", Some(processor), None), next);
            }
        }
    }

    fn renamed(&self, state: &State, renaming: &Renaming) -> State {
        let processor = |processor| renaming.processor(processor);
        let location = |location| renaming.location(location);
        let line = |at, line: &Line| Line { data: renaming.value(at, line.data), ..*line };
        let message = |message: &Message| match message {
            Message::Acknowledge(at, held) => Message::Acknowledge(location(*at), line(*at, held)),
            Message::Invalidate(at) => Message::Invalidate(location(*at)),
        };
        let cache = |cache: &Vec<Line>| {
            let lines: Vec<Line> = (0..).zip(cache).map(|(at, it)| line(at, it)).collect();
            moved(&lines, location)
        };
        let queue = |queue: &VecDeque<Message>| queue.iter().map(message).collect();
        let owners = state.owners.iter().map(|owner| owner.map(processor));
        State {
            caches: moved(&state.caches.iter().map(cache).collect::<Vec<_>>(), processor),
            queues: moved(&state.queues.iter().map(queue).collect::<Vec<_>>(), processor),
            owners: moved(&owners.collect::<Vec<_>>(), location),
        }
    }
}
