//! The message buffers of a system.
//!
//! A controller asks all of its buffers at each wakeup whether a message has arrived, and mostly none has. So the arrivals of the first
//! messages lie side by side, apart from the buffers, and a wakeup leaves the memory of most buffers alone.

use std::ops::{Deref, DerefMut};

use crate::ruby::buffer::MessageBuffer;

/// Stands for the arrival of the first message of a buffer that has none. No run comes to this tick.
const NEVER: u64 = u64::MAX;

/// Message buffers, by number.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    all: Vec<MessageBuffer>,
    /// The tick at which the first message of each buffer arrives.
    first: Vec<u64>,
}

impl Buffers {
    /// Creates empty buffers.
    pub(super) fn new(count: usize) -> Buffers {
        Buffers { all: vec![MessageBuffer::default(); count], first: vec![NEVER; count] }
    }

    /// A buffer to be changed.
    #[inline]
    pub(super) fn edit(&mut self, number: usize) -> Edited<'_> {
        Edited { buffer: &mut self.all[number], first: &mut self.first[number] }
    }

    /// Changes all buffers.
    pub(super) fn edit_all(&mut self, change: impl Fn(&mut MessageBuffer)) {
        (0..self.all.len()).for_each(|number| change(&mut self.edit(number)));
    }

    /// Whether a message has arrived, though it may have to wait because of the rate of removals.
    #[inline]
    pub(super) fn has_arrived(&self, number: usize, now: u64) -> bool {
        self.first[number] <= now
    }
}

impl Deref for Buffers {
    type Target = [MessageBuffer];

    #[inline]
    fn deref(&self) -> &[MessageBuffer] {
        &self.all
    }
}

/// A buffer that is being changed.
pub(super) struct Edited<'a> {
    buffer: &'a mut MessageBuffer,
    first: &'a mut u64,
}

impl Deref for Edited<'_> {
    type Target = MessageBuffer;

    #[inline]
    fn deref(&self) -> &MessageBuffer {
        self.buffer
    }
}

impl DerefMut for Edited<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut MessageBuffer {
        self.buffer
    }
}

impl Drop for Edited<'_> {
    #[inline]
    fn drop(&mut self) {
        *self.first = self.buffer.first_arrival().unwrap_or(NEVER);
    }
}
