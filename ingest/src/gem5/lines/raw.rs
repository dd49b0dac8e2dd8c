//! Reads the lines of ProtocolTrace: the requests that sequencers begin and finish, and the transitions of controllers.

use rustc_hash::FxHashMap;

use crate::ending::Stall;
use crate::gem5::crash::last_steps::LastSteps;
use crate::gem5::lines::fault::Fault;
use crate::gem5::lines::grammar;
use crate::gem5::lines::line::{COLUMNS, Columns};
use crate::gem5::protocol;
use crate::statistics::TransitionCount;
use crate::transitions::{Names, Transitions};

/// The event of a sequencer's request that a raw line shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A request enters the protocol.
    RequestType { address: u64, begin: RequestType },
    /// The protocol answers a request.
    Done {
        address: u64,
        /// Whether a store-conditional failed.
        is_failed: bool,
    },
    /// A request to the memory management, which has no address, enters the protocol.
    Unaddressed,
    /// A line that a history does not need.
    None,
}

/// The way in which a request begins, by the type that its `RequestType` line prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestType {
    /// The request was coalesced with an earlier one and did not enter the protocol itself.
    Coalesced,
    Fetch,
    AtomicReturn,
    AtomicNoReturn,
    /// The request reads no memory: it asks a GPU's sequencer for the time.
    NoAddress,
    /// The request is for the memory management, and no completion answers it.
    Unaddressed,
    Other,
}

/// The role of a raw line, by its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Role {
    RequestType,
    Done,
    FailedStoreConditional,
    Coalescer,
    Transition,
}

/// A combination of role, machine, event and states, and how often it occurred.
#[derive(Clone, Copy, Debug)]
struct Entry {
    role: Role,
    names: Names,
    count: u64,
}

/// The transitions and counts of the raw lines so far.
#[derive(Debug, Default)]
pub(crate) struct RawLines {
    keep: bool,
    /// The index of the entry by the text of the columns of names, so that each text is parsed once.
    by_text: FxHashMap<Box<[u8]>, u32>,
    /// The index of the entry by role and names.
    by_names: FxHashMap<(Role, Names), usize>,
    entries: Vec<Entry>,
    pub transitions: Transitions,
    /// The last steps for each cache line.
    pub last_steps: LastSteps,
    pub stalls: u64,
    /// Number of lines of sequencers.
    pub requests: u64,
    /// Number of lines of GPU coalescers.
    pub coalescers: u64,
    /// Number of transitions and stalls.
    pub controllers: u64,
}

impl RawLines {
    /// Creates a reader before the first line. `keep` says whether transitions are kept in a table or only counted.
    pub(crate) fn new(keep: bool) -> RawLines {
        RawLines { keep, ..RawLines::default() }
    }

    /// Takes in a line.
    pub(crate) fn line(&mut self, columns: &Columns<'_>, number: u64) -> Result<Event, Fault> {
        let at = match self.by_text.get(columns.names) {
            Some(&at) => at as usize,
            None => self.learn(columns)?,
        };
        let entry = self.entries.get_mut(at).ok_or(COLUMNS)?;
        if entry.role == Role::RequestType && !columns.rest.starts_with(b"[") {
            // A request of memory management has a type and no address.
            self.requests += 1;
            return Ok(Event::Unaddressed);
        }
        let (rest, (address, cache_line)) = grammar::address(columns.rest).map_err(|_| COLUMNS)?;
        // Editors and mail change the blanks around the words.
        let rest = rest.trim_ascii();
        match entry.role {
            Role::Transition => {
                self.controllers += 1;
                let stall = stall(rest);
                if stall.is_none() && is_cut_stall(rest) {
                    return Err(Fault::Cut("` Resource Stall` or ` Protocol Stall`"));
                }
                let (names, tick, version) = (entry.names, columns.tick, columns.version);
                let at = (tick, number);
                self.last_steps.transition(at, version, cache_line, names, stall);
                if stall.is_some() {
                    self.stalls += 1;
                    return Ok(Event::None);
                }
                entry.count += 1;
                if self.keep {
                    self.transitions.push(tick, version, names, address, number);
                }
                Ok(Event::None)
            }
            Role::RequestType => {
                self.requests += 1;
                let begin = begin(rest)?;
                self.last_steps.begin(cache_line, number);
                Ok(Event::RequestType { address, begin })
            }
            Role::Done | Role::FailedStoreConditional => {
                self.requests += 1;
                if !rest.ends_with(b" cycles") {
                    return Err(Fault::Cut("`<n> cycles`"));
                }
                self.last_steps.done(cache_line);
                let is_failed = entry.role == Role::FailedStoreConditional;
                Ok(Event::Done { address, is_failed })
            }
            Role::Coalescer => {
                self.coalescers += 1;
                Ok(Event::None)
            }
        }
    }

    /// Parses names that have not occurred before.
    fn learn(&mut self, columns: &Columns<'_>) -> Result<usize, Fault> {
        let text = std::str::from_utf8(columns.names).map_err(|_| COLUMNS)?;
        let mut words = text.split_ascii_whitespace();
        let first = words.next().ok_or(COLUMNS)?;
        let second = words.next().ok_or(COLUMNS)?;
        let (machine, event, states) = if second.contains('>') {
            let (machine, event) = unglue(first, text, columns.shift).ok_or(COLUMNS)?;
            (machine, event, second)
        } else {
            (first, second, words.next().ok_or(COLUMNS)?)
        };
        let (state, next_state) = states.split_once('>').ok_or(COLUMNS)?;
        let role = match (machine, event) {
            ("Seq", "Begin") => Role::RequestType,
            ("Seq", "Done") => Role::Done,
            ("Seq", "SC_Failed") => Role::FailedStoreConditional,
            ("Coal", _) => Role::Coalescer,
            _ => Role::Transition,
        };
        let is_short = role == Role::Transition && (state.is_empty() || next_state.is_empty());
        let has_more = words.next().is_some();
        let no_address = role == Role::RequestType && !columns.rest.starts_with(b"[");
        if is_short || (has_more && !no_address) {
            return Err(COLUMNS);
        }
        if no_address && !has_more {
            return Err(COLUMNS);
        }
        self.add(columns.names, role, [machine, event, state, next_state])
    }

    fn add(&mut self, text: &[u8], role: Role, names: [&str; 4]) -> Result<usize, Fault> {
        let many = || {
            Fault::broken(
                "more than 65536 names of machines, events and states",
                "those of a protocol",
                "check that this is a gem5 trace",
            )
        };
        let mut intern = |name: &str| self.transitions.intern(name).ok_or_else(many);
        let names = Names {
            machine: intern(names[0])?,
            event: intern(names[1])?,
            state: intern(names[2])?,
            next_state: intern(names[3])?,
        };
        let entries = &mut self.entries;
        let at = *self.by_names.entry((role, names)).or_insert_with(|| {
            let count = 0;
            entries.push(Entry { role, names, count });
            entries.len() - 1
        });
        // Padding varies little in a trace, but other input must not fill the memory.
        if self.by_text.len() < 1 << 16 {
            self.by_text.insert(text.into(), at as u32);
        }
        Ok(at)
    }

    /// How often each transition was taken, by machine, state, event and next state.
    pub(crate) fn counts(&self) -> Vec<TransitionCount> {
        let name = |id| self.transitions.name(id).to_owned();
        let mut counts: Vec<TransitionCount> = self
            .entries
            .iter()
            .filter(|entry| entry.role == Role::Transition && entry.count > 0)
            .map(|entry| TransitionCount {
                machine: name(entry.names.machine),
                state: name(entry.names.state),
                event: name(entry.names.event),
                next_state: name(entry.names.next_state),
                count: entry.count,
            })
            .collect();
        counts.sort();
        counts
    }

    /// The protocol that has the events of the raw lines, if one is known.
    pub(crate) fn protocol(&self) -> Option<&'static str> {
        let observed = self
            .entries
            .iter()
            .filter(|entry| entry.role == Role::Transition)
            .map(|entry| {
                (
                    self.transitions.name(entry.names.machine),
                    self.transitions.name(entry.names.event),
                )
            })
            .collect();
        protocol::recognise(&observed)
    }
}

/// Splits a word that consists of a machine and an event without a space between them.
fn unglue<'a>(word: &'a str, names: &str, shift: usize) -> Option<(&'a str, &'a str)> {
    let split = match protocol::machine_prefix(word) {
        Some(machine) => machine.len(),
        None => {
            // The machine's column ends 11 characters after the version's, if nothing is oversized.
            let start = names.find(word)?;
            if shift > 0 {
                return None;
            }
            11usize.checked_sub(start)?
        }
    };
    let (machine, event) = (word.get(..split)?, word.get(split..)?);
    (!machine.is_empty() && !event.is_empty()).then_some((machine, event))
}

/// The kind of stall, by the text after the address; `None` if the transition was taken.
fn stall(rest: &[u8]) -> Option<Stall> {
    match rest {
        b"Protocol Stall" => Some(Stall::Protocol),
        b"Resource Stall" => Some(Stall::Resource),
        _ => None,
    }
}

/// Whether the text after the address is the beginning of the words of a stall.
fn is_cut_stall(rest: &[u8]) -> bool {
    rest.len() > 3 && (b"Resource Stall".starts_with(rest) || b"Protocol Stall".starts_with(rest))
}

/// Types of requests, except those that are the beginning of another type (`ATOMIC`).
const TYPES: [&[u8]; 7] =
    [b"LD", b"ST", b"IFETCH", b"ATOMIC_RETURN", b"ATOMIC_NO_RETURN", b"FLUSH", b"hasNoAddr"];

fn begin(rest: &[u8]) -> Result<RequestType, Fault> {
    Ok(match rest {
        b"IFETCH" => RequestType::Fetch,
        b"ATOMIC_RETURN" => RequestType::AtomicReturn,
        b"ATOMIC_NO_RETURN" => RequestType::AtomicNoReturn,
        b"hasNoAddr" => RequestType::NoAddress,
        _ if rest == b"ATOMIC" || TYPES.contains(&rest) => RequestType::Other,
        _ if TYPES.iter().any(|name| name.starts_with(rest)) => {
            return Err(Fault::Cut("the type of the request"));
        }
        _ => RequestType::Other,
    })
}
