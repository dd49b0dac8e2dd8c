//! The part of a state that one controller owns, and what an explorer asks about it.

use rustc_hash::FxHashMap;

use crate::numbering::{Strings, make_room};
use crate::system::stepping::Stepping;
use crate::system::stepping::actions::is_request;
use crate::system::stepping::moves::{Move, READ_ONLY, READ_WRITE};
use crate::system::stepping::values::{Classes, Renaming};
use crate::system::stepping::view::View;

/// Facts that hold in all states that contain a part.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Summary {
    /// The classes of the values in it.
    pub classes: Classes,
    /// The requests under way: for each line a byte, with a bit for each core or device.
    pub requests: u64,
    /// The loads in flight: for each line a byte, with a bit for each core or device.
    pub loads: u64,
    /// The cores and devices that wait, a bit for each.
    pub waiting: u64,
    /// Whether a core or device waits, a line is locked, a message has arrived or is deferred, or a transaction is in progress.
    pub is_busy: bool,
    /// The lines that caches of the controller may write, a bit for each.
    pub writers: u8,
    /// The lines that they may read, but not write.
    pub readers: u8,
    /// The requests that each of its cores and devices may make.
    pub asks: Box<[(usize, Box<[Move]>)]>,
    pub timers: Box<[Move]>,
    /// Whether it may be woken without a new message.
    pub may_wake: bool,
    /// The port of an internal event that is handled before anything else happens.
    pub urgent: Option<usize>,
    /// The buffers to which no message arrives, since an earlier one waits.
    pub clogged: Box<[usize]>,
}

/// The parts of one controller, with their numbers.
#[derive(Debug, Default)]
pub(super) struct OwnedParts {
    pub(super) strings: Strings,
    /// The summaries of all parts, each once: there are far fewer of them than parts.
    summaries: Vec<Summary>,
    /// The summary of each part, by its place among these.
    summary_of: Vec<u32>,
    /// The places of summaries.
    places: FxHashMap<Summary, u32>,
}

impl OwnedParts {
    /// The summary of a part.
    #[inline]
    pub(super) fn summary(&self, number: u32) -> &Summary {
        &self.summaries[self.summary_of[number as usize] as usize]
    }

    /// The number of the part that a controller has in the system now, with values renamed.
    pub(super) fn number(
        &mut self,
        stepping: &Stepping,
        controller: usize,
        renaming: &Renaming,
    ) -> u32 {
        stepping.classes.take();
        let bytes = written(stepping, controller, View::new(renaming));
        match self.strings.number(&bytes) {
            Ok(number) => number,
            Err(number) => {
                self.note(summary(stepping, controller));
                number
            }
        }
    }

    /// Notes the summary of a new part.
    fn note(&mut self, summary: Summary) {
        let new = self.summaries.len() as u32;
        let place = *self.places.entry(summary).or_insert_with_key(|summary| {
            self.summaries.push(summary.clone());
            new
        });
        make_room(&mut self.summary_of, 1);
        self.summary_of.push(place);
    }

    /// Restores a part.
    pub(super) fn restore(&self, stepping: &mut Stepping, controller: usize, number: u32) {
        restore(stepping, controller, self.strings.get(number));
    }

    /// The memory in bytes, without the lists of moves.
    pub(super) fn bytes(&self) -> usize {
        let summaries = self.summaries.capacity() + self.places.capacity();
        self.strings.bytes()
            + summaries * size_of::<Summary>()
            + self.summary_of.capacity() * size_of::<u32>()
    }
}

/// The bytes of the part that comes to the place of a controller.
pub(super) fn written(stepping: &Stepping, place: usize, view: View<'_>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(128);
    for &agent in &stepping.owned[place].agents {
        stepping.freeze_requests(agent, view, &mut bytes);
        stepping.freeze_memos(agent, view, &mut bytes);
    }
    stepping.freeze_owned(place, view, &mut bytes);
    bytes
}

/// Restores the part of a controller from its bytes.
pub(super) fn restore(stepping: &mut Stepping, controller: usize, mut from: &[u8]) {
    for at in 0..stepping.owned[controller].agents.len() {
        let agent = stepping.owned[controller].agents[at];
        stepping.thaw_requests(agent, &mut from);
        stepping.thaw_memos(agent, &mut from);
    }
    stepping.thaw_owned(controller, &mut from);
}

/// The summary of the part that a controller has in the system now. Its values have just been written.
fn summary(stepping: &Stepping, controller: usize) -> Summary {
    let system = &stepping.system;
    let owned = &stepping.owned[controller];
    let mut all = Summary {
        classes: stepping.classes.get(),
        requests: 0,
        loads: 0,
        waiting: 0,
        is_busy: false,
        writers: 0,
        readers: 0,
        asks: Box::default(),
        timers: Box::default(),
        may_wake: stepping.may_wake(controller),
        urgent: stepping.urgent_port(controller),
        clogged: Box::default(),
    };
    let mut asks = Vec::new();
    let mut has_lock = false;
    for &core in &owned.agents {
        for line in 0..stepping.lines.len() {
            has_lock |= stepping.has_lock(core, line);
            if is_request(stepping.request_code(core, line)) {
                all.waiting |= 1 << core;
                all.requests |= 1 << (8 * line + core);
            }
        }
        let mut moves = Vec::new();
        stepping.asking(core, &mut |line, action, value| {
            moves.push(Move::Ask { core, line, action, value });
        });
        asks.push((core, moves.into_boxed_slice()));
    }
    all.asks = asks.into_boxed_slice();
    for (line, cores) in stepping.loads().into_iter().enumerate() {
        let own = owned.agents.iter().fold(0, |all, agent| all | 1 << agent);
        all.loads |= (cores & own) << (8 * line);
    }
    all.timers = owned.timers.iter().flat_map(|&table| stepping.expiring(table)).collect();
    let buffers = owned.buffers.iter().copied();
    all.clogged = buffers.filter(|&buffer| system.buffers[buffer].ready() > 0).collect();
    let has_messages = |&buffer: &usize| {
        let buffer = &system.buffers[buffer];
        buffer.arrived().len() + buffer.deferred().len() > 0
    };
    let mut transactions = owned.tables.iter().filter(|&&table| stepping.transactions[table]);
    all.is_busy = all.waiting != 0
        || has_lock
        || owned.buffers.iter().any(has_messages)
        || transactions.any(|&table| !system.line_tables.tables[table].is_empty());
    if let Some(&core) = owned.agents.first().filter(|&&agent| agent < stepping.cores) {
        for (at, &line) in stepping.lines.iter().enumerate() {
            for &cache in &stepping.caches_of[core] {
                match system.line_tables.caches[cache].permission(line) {
                    READ_WRITE => all.writers |= 1 << at,
                    READ_ONLY => all.readers |= 1 << at,
                    _ => {}
                }
            }
        }
    }
    all
}
