//! The actions of cores and DMA devices in an exploration, and the conditions under which one is wrong.
//!
//! Cores and devices are *agents*, numbered in this order. For each line, an agent has at most one request, or something
//! that is left of one: a lock, or the value of an early load. Beside that, the value that a core has read is remembered where it matters
//! whether another one overwrites it:
//!
//! - A *load-linked* reserves the line. A store-conditional, which may come at any time, must fail if the line was written
//!   by another agent since the core's last load-linked of it. What the caches keep of the reservation is a part of their own state.
//! - A *locked read* locks the line at the core's controller. All that the core then begins is the locked write, which has
//!   to come, and early loads of other lines. No other core or device may write the line in between.
//! - An *atomic* reads and writes in one request. It must read the latest value.
//! - An *early load* stands for one that an out-of-order core performs before older loads. Until the core uses the value, which it may do
//!   at any time after the load was performed, the protocol has to tell it if the line is lost (`evictionCallback`). If
//!   it is told, the core throws the value away, also that of a load that is still under way. If it is not, the value must
//!   be the latest when it is used. Until then the core does nothing else with the line.
//! - A *flush* changes no value.
//! - A *fetch* of an instruction reads, through the cache for instructions where there is one.
//! - A *prefetch* is a request of the prefetcher of a controller, for any line at any time, unless its last request
//!   still waits.

use super::Stepping;
use super::values::{Freshness, STALE};
use crate::request::{RequestKind, Response};

/// The tag of the requests for early loads.
pub(super) const EARLY: u32 = 1;

/// An action of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// A load.
    Load,
    /// A store.
    Store,
    /// A load that reserves the line.
    LoadLinked,
    /// A store that succeeds only if the reservation still holds.
    StoreConditional,
    /// The first half of a locked read-modify-write: reads and locks the line.
    LockedRead,
    /// The second half of a locked read-modify-write: writes and unlocks the line.
    LockedWrite,
    /// An atomic instruction, which reads and writes at once.
    Atomic,
    /// A flush, which removes the line from all caches.
    Flush,
    /// The fetch of an instruction.
    Fetch,
    /// A load that an out-of-order core performs before older loads.
    EarlyLoad,
    /// The use of the value of an early load, which makes no request.
    Use,
    /// The prefetcher of its controller asks for the line, to read it.
    PrefetchRead,
    /// The prefetcher of its controller asks for the line, to write it.
    PrefetchWrite,
}

/// The actions that agents may take in addition to loads and stores of cores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repertoire {
    /// Whether cores have load-linked and store-conditional.
    pub linked: bool,
    /// Whether they have locked read-modify-writes.
    pub locked: bool,
    /// Whether they have atomic instructions, which the first-level cache performs.
    pub atomic: bool,
    /// Whether they flush lines.
    pub flush: bool,
    /// Whether they fetch instructions.
    pub fetch: bool,
    /// Whether they load early.
    pub early: bool,
    /// Whether their controllers prefetch.
    pub prefetch: bool,
    /// The number of DMA devices, which read and write lines.
    pub devices: u32,
}

impl Repertoire {
    /// What cores may do in addition to loads and stores, by name.
    pub const NAMES: [&str; 7] =
        ["linked", "locked", "atomic", "flush", "fetch", "early", "prefetch"];

    /// The part of a repertoire that a name in [`Repertoire::NAMES`] stands for; `None` for other names.
    pub fn part(&mut self, name: &str) -> Option<&mut bool> {
        match name {
            "linked" => Some(&mut self.linked),
            "locked" => Some(&mut self.locked),
            "atomic" => Some(&mut self.atomic),
            "flush" => Some(&mut self.flush),
            "fetch" => Some(&mut self.fetch),
            "early" => Some(&mut self.early),
            "prefetch" => Some(&mut self.prefetch),
            _ => None,
        }
    }

    /// The names of what cores do in addition to loads and stores.
    pub fn also(&self) -> Vec<&'static str> {
        let mut all = *self;
        let has = |name: &&str| all.part(name).is_some_and(|part| *part);
        Repertoire::NAMES.into_iter().filter(has).collect()
    }

    /// Whether a value that a core reads is remembered for a later write.
    pub(super) fn reserves(&self) -> bool {
        self.linked || self.locked
    }

    /// The requests that a core may begin with.
    fn begins(&self) -> impl Iterator<Item = Action> {
        let all = [
            (self.linked, Action::LoadLinked),
            (self.linked, Action::StoreConditional),
            (self.locked, Action::LockedRead),
            (self.atomic, Action::Atomic),
            (self.flush, Action::Flush),
            (self.fetch, Action::Fetch),
            (self.early, Action::EarlyLoad),
        ];
        all.into_iter().filter(|(has, _)| *has).map(|(_, action)| action)
    }
}

/// An access that memory has performed, or the use of an early load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// The core or, after the cores, the DMA device.
    pub core: usize,
    /// The number of the line.
    pub line: usize,
    /// The action that was performed.
    pub action: Action,
    /// The value, if values are numbers.
    pub value: u64,
    /// How recent the value is that this access, or the one that it completes, has read; the latest if there is none.
    pub freshness: Freshness,
    /// Whether it has written the line.
    pub writes: bool,
    /// Whether another core or device has written the line while the write of a device was under way, so that either may be the last.
    pub races: bool,
}

impl Access {
    /// Whether it has read a value that it may not read, or written where it may not.
    pub fn is_wrong(&self) -> bool {
        match self.action {
            Action::Load | Action::Fetch | Action::LoadLinked | Action::LockedRead => {
                self.freshness == Freshness::Stale
            }
            Action::StoreConditional | Action::LockedWrite | Action::Atomic | Action::Use => {
                self.freshness != Freshness::Latest
            }
            _ => false,
        }
    }
}

/// What remains of a request of an agent after its response, or what the agent was told about a request that is
/// outstanding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Mark {
    /// Nothing remains.
    #[default]
    None,
    /// The early load under way has been told that the line is lost.
    LineLost,
    /// The value of an early load, which is not used yet.
    Loaded,
    /// The line is locked, and the locked write has to come.
    Locked,
}

/// The memo of an agent and a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Memo {
    pub mark: Mark,
    /// The value that was read last by a load-linked or locked read and that was not overwritten since; for the write
    /// of a device, the latest value at its beginning.
    pub reserved: u64,
    /// The value of an early load.
    pub early: u64,
}

/// The requests that are no stores, by their kind and tag. The code of each is its index plus 1.
const REQUESTS: [(RequestKind, u32); 9] = [
    (RequestKind::Load, 0),
    (RequestKind::LoadLinked, 0),
    (RequestKind::StoreConditional, 0),
    (RequestKind::LockedRead, 0),
    (RequestKind::LockedWrite, 0),
    (RequestKind::Atomic, 0),
    (RequestKind::Flush, 0),
    (RequestKind::Load, EARLY),
    (RequestKind::Ifetch, 0),
];
/// The code of a locked write.
const LOCKED_WRITE: u8 = 5;
/// The code of an early load whose core was told that the line is lost.
const LINE_LOST: u8 = 1 + REQUESTS.len() as u8;
/// The code of the value of an early load.
const LOADED: u8 = LINE_LOST + 1;
/// The code of a lock.
const LOCKED: u8 = LINE_LOST + 2;
/// The code of a store of the first value.
const STORE: u8 = LINE_LOST + 3;

/// A request of an agent for a line, or what is left of one, from its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decoded {
    /// The kind and the tag of the request, if there is one.
    pub request: Option<(RequestKind, u32)>,
    /// The value that a store chose.
    pub choice: u8,
    pub mark: Mark,
}

/// Decodes a request of an agent for a line, or what is left of one.
pub(super) fn decoded(code: u8) -> Decoded {
    let none = Decoded { request: None, choice: 0, mark: Mark::None };
    match code {
        0 => none,
        LINE_LOST => {
            Decoded { request: Some((RequestKind::Load, EARLY)), mark: Mark::LineLost, ..none }
        }
        LOADED => Decoded { mark: Mark::Loaded, ..none },
        LOCKED => Decoded { mark: Mark::Locked, ..none },
        code => match code.checked_sub(STORE) {
            Some(choice) => Decoded { request: Some((RequestKind::Store, 0)), choice, ..none },
            None => Decoded { request: Some(REQUESTS[usize::from(code) - 1]), ..none },
        },
    }
}

/// Whether a code is one of a request.
pub(super) fn is_request(code: u8) -> bool {
    !matches!(code, 0 | LOADED | LOCKED)
}

impl Stepping {
    /// The request of an agent for a line, or what is left of one, as a byte: 0 if there is nothing.
    pub(super) fn request_code(&self, agent: usize, line: usize) -> u8 {
        let mark = self.memos[agent * self.lines.len() + line].mark;
        let head = match agent.checked_sub(self.cores) {
            None => self.system.sequencers[agent].head(self.lines[line]),
            Some(device) => self.system.dma_sequencers[device].head(self.lines[line]),
        };
        match (head, mark) {
            (None, Mark::Loaded) => LOADED,
            (None, Mark::Locked) => LOCKED,
            (None, _) => 0,
            (Some(_), Mark::LineLost) => LINE_LOST,
            (Some(request), _) if request.kind == RequestKind::Store => {
                let choice = if agent < self.cores { request.value } else { 0 };
                STORE + (choice % u64::from(self.values.choices())) as u8
            }
            (Some(request), _) => {
                let known = REQUESTS.iter().position(|of| *of == (request.kind, request.tag));
                1 + known.unwrap_or(0) as u8
            }
        }
    }

    /// Lists the requests that an agent may make: the line, the action and the value of each.
    pub(super) fn asking(&self, agent: usize, add: &mut dyn FnMut(usize, Action, u8)) {
        let controller = self.controller_of(agent);
        let is_blocked = |address: u64| {
            let blocked = &self.system.controllers[controller].blocked;
            blocked.iter().any(|(known, _)| *known == address)
        };
        let lines = self.lines.len();
        let outstanding = (0..lines).filter(|&line| is_request(self.request_code(agent, line)));
        let may_ask = outstanding.count() < self.most_requests(agent);
        let has_lock = (0..lines).any(|line| self.has_lock(agent, line));
        for (line, &address) in self.lines.iter().enumerate() {
            match self.request_code(agent, line) {
                LOADED => add(line, Action::Use, 0),
                LOCKED => add(line, Action::LockedWrite, 0),
                // Until a lock is released, the core begins nothing but early loads.
                0 if may_ask && has_lock && self.repertoire.early && !is_blocked(address) => {
                    add(line, Action::EarlyLoad, 0);
                }
                0 if may_ask && !has_lock && !is_blocked(address) => {
                    add(line, Action::Load, 0);
                    (0..self.values.choices()).for_each(|value| add(line, Action::Store, value));
                    if agent < self.cores {
                        self.repertoire.begins().for_each(|action| add(line, action, 0));
                    }
                }
                _ => {}
            }
        }
        if agent < self.cores && self.may_prefetch(agent) {
            for line in 0..lines {
                add(line, Action::PrefetchRead, 0);
                if self.prefetches_to_write(agent) {
                    add(line, Action::PrefetchWrite, 0);
                }
            }
        }
    }

    /// Whether a core has locked a line, or is writing it to unlock it.
    pub(super) fn has_lock(&self, core: usize, line: usize) -> bool {
        self.repertoire.locked && matches!(self.request_code(core, line), LOCKED | LOCKED_WRITE)
    }

    /// The largest number of outstanding requests of an agent.
    fn most_requests(&self, agent: usize) -> usize {
        if agent < self.cores { self.requests } else { 1 }
    }

    /// Returns the access that a response reports, and updates the memo of the agent and the line.
    pub(super) fn access(&mut self, agent: usize, line: usize, answer: &Response) -> Access {
        let counts = self.counts();
        let memo = &mut self.memos[agent * self.lines.len() + line];
        let values = self.values;
        let freshness = |value: u64| values.freshness(value, agent, line, counts);
        let mut access = Access {
            core: agent,
            line,
            action: Action::Load,
            value: answer.value,
            freshness: Freshness::Latest,
            writes: false,
            races: false,
        };
        match answer.kind {
            RequestKind::Load if agent < self.cores && answer.tag == EARLY => {
                access.action = Action::EarlyLoad;
                memo.mark = if memo.mark == Mark::LineLost { Mark::None } else { Mark::Loaded };
                memo.early = if memo.mark == Mark::Loaded { answer.value } else { STALE };
            }
            RequestKind::LoadLinked | RequestKind::LockedRead => {
                let is_locked = answer.kind == RequestKind::LockedRead;
                access.action = if is_locked { Action::LockedRead } else { Action::LoadLinked };
                access.freshness = freshness(answer.value);
                memo.reserved = answer.value;
                if is_locked {
                    memo.mark = Mark::Locked;
                }
            }
            RequestKind::StoreConditional | RequestKind::LockedWrite => {
                let is_locked = answer.kind == RequestKind::LockedWrite;
                access.action =
                    if is_locked { Action::LockedWrite } else { Action::StoreConditional };
                access.writes = answer.success;
                if answer.success {
                    access.freshness = freshness(memo.reserved);
                }
                memo.reserved = STALE;
                memo.mark = if is_locked { Mark::None } else { memo.mark };
            }
            RequestKind::Atomic => {
                access.action = Action::Atomic;
                access.freshness = freshness(answer.value);
                access.writes = true;
                memo.reserved = STALE;
            }
            RequestKind::Store => {
                access.action = Action::Store;
                access.writes = true;
                access.races = agent >= self.cores && freshness(memo.reserved) != Freshness::Latest;
                memo.reserved = STALE;
            }
            RequestKind::Ifetch => {
                access.action = Action::Fetch;
                access.freshness = freshness(answer.value);
            }
            _ => access.freshness = freshness(answer.value),
        }
        access
    }

    /// Returns the use of the value of an early load, and removes the value from the memo.
    pub(super) fn used(&mut self, core: usize, line: usize) -> Access {
        let counts = self.counts();
        let memo = &mut self.memos[core * self.lines.len() + line];
        let value = std::mem::replace(&mut memo.early, STALE);
        memo.mark = Mark::None;
        Access {
            core,
            line,
            action: Action::Use,
            value,
            freshness: self.values.freshness(value, core, line, counts),
            writes: false,
            races: false,
        }
    }

    /// Lets a core know that a line is lost.
    pub(super) fn tell(&mut self, core: usize, line: usize) {
        let has_request = is_request(self.request_code(core, line));
        let head = self.system.sequencers[core].head(self.lines[line]);
        let is_early = head.is_some_and(|request| request.tag == EARLY);
        let memo = &mut self.memos[core * self.lines.len() + line];
        if memo.mark == Mark::Loaded {
            memo.mark = Mark::None;
            memo.early = STALE;
        } else if has_request && is_early {
            memo.mark = Mark::LineLost;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_say_what_there_is() {
        assert_eq!(decoded(0).request, None);
        for (at, request) in REQUESTS.iter().enumerate() {
            assert_eq!(decoded(at as u8 + 1).request, Some(*request));
            assert!(is_request(at as u8 + 1));
        }
        assert_eq!(decoded(STORE + 2).request, Some((RequestKind::Store, 0)));
        assert_eq!(decoded(STORE + 2).choice, 2);
        assert_eq!(decoded(LOCKED).mark, Mark::Locked);
        let locked_write = Some((RequestKind::LockedWrite, 0));
        assert_eq!(decoded(LOCKED_WRITE).request, locked_write);
        assert!(is_request(LINE_LOST) && !is_request(LOADED) && !is_request(LOCKED));
    }
}
