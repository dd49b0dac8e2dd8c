//! [`Prefix`]: the events placed so far, and the values that memory holds after them.

use crate::engine::events::{INITIAL, NONE};

use super::Input;

/// The beginning of a memory order. Memory: about 20 bytes an event.
#[derive(Debug)]
pub(super) struct Prefix<'e> {
    input: &'e Input<'e>,
    /// The placed events, in order, each with the write that its location held before, if it writes.
    order: Vec<(u32, u32)>,
    is_placed: Vec<bool>,
    /// Per location, the last placed write, or [`INITIAL`].
    current: Vec<u32>,
    /// Whether an event is one of the [readers](Input::readers) of its source.
    is_reader: Vec<bool>,
    /// Per write, how many of its readers are not placed.
    readers_left: Vec<u32>,
    /// Per location, how many readers of its initial value are not placed.
    initial_readers_left: Vec<u32>,
    /// Per location, how many of its writes are not placed.
    writes_left: Vec<u32>,
    /// Per location, the write of its final value, or [`NONE`].
    final_write: Vec<u32>,
}

impl<'e> Prefix<'e> {
    /// The empty prefix. Cost: linear.
    pub(super) fn new(input: &'e Input<'e>) -> Prefix<'e> {
        let locations = 0..input.locations() as u32;
        let of_initial = |location| input.initial_readers.of(location);
        let mut prefix = Prefix {
            input,
            order: Vec::with_capacity(input.nodes()),
            is_placed: vec![false; input.nodes()],
            current: vec![INITIAL; locations.len()],
            is_reader: vec![false; input.nodes()],
            readers_left: vec![0; input.nodes()],
            initial_readers_left: locations.clone().map(|at| of_initial(at).len() as u32).collect(),
            writes_left: vec![0; locations.len()],
            final_write: vec![NONE; locations.len()],
        };
        for &write in input.finals {
            prefix.final_write[input.location[write as usize] as usize] = write;
        }
        for reader in locations.flat_map(of_initial) {
            prefix.is_reader[*reader as usize] = true;
        }
        for event in (0..input.nodes() as u32).filter(|&event| input.writes[event as usize]) {
            let readers = input.readers.of(event);
            prefix.readers_left[event as usize] = readers.len() as u32;
            for &reader in readers {
                prefix.is_reader[reader as usize] = true;
            }
            prefix.writes_left[input.location[event as usize] as usize] += 1;
        }
        prefix
    }

    /// Number of placed events.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// The placed events, in order.
    pub(super) fn into_order(self) -> Vec<u32> {
        self.order.into_iter().map(|(event, _)| event).collect()
    }

    /// The write whose value a location holds, or [`INITIAL`].
    pub(super) fn held(&self, location: u32) -> u32 {
        self.current[location as usize]
    }

    /// How many events were placed before the last write that keeps others out of its location.
    pub(super) fn before_last_lock(&self) -> Option<usize> {
        let locks = |&(event, _): &(u32, u32)| {
            self.input.writes[event as usize]
                && self.has_readers(event)
                && self.held(self.input.location[event as usize]) == event
        };
        self.order.iter().rposition(locks)
    }

    /// The write of the final value of a location, if that is known.
    pub(super) fn final_write(&self, location: u32) -> Option<u32> {
        Some(self.final_write[location as usize]).filter(|&write| write != NONE)
    }

    /// Whether an event is placed.
    pub(super) fn is_placed(&self, event: u32) -> bool {
        self.is_placed[event as usize]
    }

    /// The readers of the value that a location holds which are not placed.
    pub(super) fn waiting_readers(&self, location: u32) -> impl Iterator<Item = u32> {
        let current = self.current[location as usize];
        let readers = if current == INITIAL {
            self.input.initial_readers.of(location)
        } else {
            self.input.readers.of(current)
        };
        readers.iter().copied().filter(|&reader| !self.is_placed(reader))
    }

    /// The readers of a write that are not placed.
    pub(super) fn readers(&self, write: u32) -> impl Iterator<Item = u32> {
        let readers = self.input.readers.of(write).iter().copied();
        readers.filter(|&reader| !self.is_placed(reader))
    }

    /// Whether a write has readers that are not placed.
    pub(super) fn has_readers(&self, write: u32) -> bool {
        self.readers_left[write as usize] > 0
    }

    /// Whether readers of the value that a location holds keep a write out, other than the write itself.
    pub(super) fn is_locked(&self, write: u32) -> bool {
        let location = self.input.location[write as usize];
        let own = self.is_reader[write as usize] && self.reads_current(write);
        self.left(location) > u32::from(own)
    }

    /// Whether an event reads from the write whose value its location holds.
    fn reads_current(&self, read: u32) -> bool {
        let location = self.input.location[read as usize];
        self.current[location as usize] == self.input.source[read as usize]
    }

    /// Number of a location's writes that are not placed.
    pub(super) fn writes_left(&self, location: u32) -> u32 {
        self.writes_left[location as usize]
    }

    /// Number of unplaced readers of the value that a location holds.
    fn left(&self, location: u32) -> u32 {
        match self.current[location as usize] {
            INITIAL => self.initial_readers_left[location as usize],
            write => self.readers_left[write as usize],
        }
    }

    /// Places an event. Returns whether this unlocked its location.
    pub(super) fn place(&mut self, event: u32) -> bool {
        let at = event as usize;
        let location = self.input.location[at];
        self.is_placed[at] = true;
        if location == NONE {
            self.order.push((event, NONE));
            return false;
        }
        let mut unlocks = false;
        if self.is_reader[at] {
            self.count_reader(event, -1);
            unlocks = self.reads_current(event) && self.left(location) == 0;
        }
        self.order.push((event, self.current[location as usize]));
        if self.input.writes[at] {
            self.current[location as usize] = event;
            self.writes_left[location as usize] -= 1;
            unlocks &= !self.has_readers(event);
        }
        unlocks
    }

    /// Undoes all but the first `length` placements. Returns the events, in their order.
    pub(super) fn truncate(&mut self, length: usize) -> Vec<u32> {
        let undone = self.order.split_off(length);
        for &(event, before) in undone.iter().rev() {
            self.is_placed[event as usize] = false;
            let location = self.input.location[event as usize];
            if self.input.writes[event as usize] {
                self.current[location as usize] = before;
                self.writes_left[location as usize] += 1;
            }
            if self.is_reader[event as usize] {
                self.count_reader(event, 1);
            }
        }
        undone.into_iter().map(|(event, _)| event).collect()
    }

    fn count_reader(&mut self, reader: u32, change: i32) {
        let left = match self.input.source[reader as usize] {
            INITIAL => {
                let location = self.input.location[reader as usize];
                &mut self.initial_readers_left[location as usize]
            }
            write => &mut self.readers_left[write as usize],
        };
        *left = left.wrapping_add_signed(change);
    }
}
