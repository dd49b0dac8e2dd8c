//! Buffers during exploration, in which time stands still at tick 0.
//!
//! A message that has arrived has tick 0, and its counter gives the order of arrival. All other
//! messages are in flight, each in a *lane*, which is written as tick [`IN_FLIGHT`] plus the number
//! of the lane. Lane 0 has no order; the messages of any other lane arrive one after the other.
//!
//! # The order of a lane
//!
//! A lane is a path of the real system that is first in, first out: a pair of ordered buffers at
//! the two ends of the network, an ordered buffer between two machines, an ordered queue from a
//! machine to itself, or the responses of memory for one line. On such a path a message that is
//! sent now arrives after all that were sent before it, whatever its latency: gem5 stops if an
//! ordered buffer would do otherwise. So the order of a lane is that of sending: first the messages
//! that were in flight before the step, in the order in which they were encoded, then those that
//! the step has sent.
//!
//! Within a step, the queue alone does not show that order. Messages held by the network get the
//! arrival of their lane at once, but messages that a machine sends to itself or directly to
//! another one get a tick, which is a small number and sorts before all lanes. [`InFlight::is_new`]
//! tells the two apart, and the encoder puts new messages after the old ones.
//!
//! A message that a controller puts back (`recycle`, or a head that waits while its line is
//! blocked) has no lane, and neither has a message sent with a bypass of the order: others may
//! overtake it.
//!
//! # What a step learns of a buffer
//!
//! Code rarely asks for more than the messages that have arrived. Then the step does not depend on what is in flight, and an
//! explorer may repeat its effects wherever other messages are in flight. Each buffer records whether this is so, in
//! [`Looked`].

use super::{MessageBuffer, Slot, insert};

/// The arrival of messages in flight that are in the lane without order.
pub(crate) const IN_FLIGHT: u64 = 1 << 32;

/// The counter of messages that a step has let arrive: after all that were there, before all that
/// the step sends.
const ARRIVING: u64 = 1 << 32;

/// What code has read of a buffer since a step began, in addition to the messages that have arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Looked {
    /// Whether code has asked for something that depends on messages in flight: the size of the buffer, or a head that has
    /// not arrived.
    pub in_flight: bool,
    /// The deferred messages.
    pub deferred: bool,
}

/// A message that is in flight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InFlight {
    /// Its arrival: the tick of a lane, or another tick.
    pub arrival: u64,
    /// Whether the current step has sent it, or put it back.
    pub is_new: bool,
    /// Whether it may overtake others even in an ordered buffer: it was put back, or sent with a
    /// bypass.
    pub overtakes: bool,
    pub message: u64,
}

/// A message that has arrived.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived {
    /// The line on which it is stalled, if it is.
    pub stalled: Option<u64>,
    pub message: u64,
}

impl MessageBuffer {
    /// Returns to the initial state, without messages.
    pub(crate) fn reset(&mut self) {
        self.queue.clear();
        self.stalled.clear();
        self.deferred.clear();
        self.disordered.clear();
        self.sized = None;
        self.counter = 0;
        self.last_arrival = 0;
        self.last_bypassed = false;
        self.removal = 0;
        self.removed = 0;
        self.left = 0;
    }

    /// Adds a message that has arrived, after all others that have.
    pub(crate) fn put_arrived(&mut self, arrived: Arrived) {
        self.counter += 1;
        let slot = Slot { arrival: 0, counter: self.counter, message: arrived.message };
        match arrived.stalled {
            Some(line) => self.stalled.push((line, slot)),
            None => insert(&mut self.queue, slot),
        }
    }

    /// Starts a step: messages sent from now on are new.
    pub(crate) fn begin_step(&mut self) {
        self.counter = ARRIVING;
        self.looked.set(Looked::default());
    }

    /// What code has read since the step began.
    pub(crate) fn looked(&self) -> Looked {
        self.looked.get()
    }

    /// Records that code asks for a number that depends on the messages in flight.
    #[inline]
    pub(super) fn look_at_size(&self) {
        self.looked.set(Looked { in_flight: true, ..self.looked.get() });
    }

    /// Records that code asks for the head, which may not have arrived.
    #[inline]
    pub(super) fn look_at_head(&self) {
        if self.queue.front().is_none_or(|head| head.arrival > 0) {
            self.look_at_size();
        }
    }

    /// Records that code uses the deferred messages.
    #[inline]
    pub(super) fn look_at_deferred(&self) {
        self.looked.set(Looked { deferred: true, ..self.looked.get() });
    }

    /// Lets the message at an index of the queue arrive.
    pub(crate) fn arrive(&mut self, at: usize) {
        if let Some(slot) = self.queue.remove(at) {
            let slot = Slot { arrival: 0, counter: ARRIVING, ..slot };
            insert(&mut self.queue, slot);
        }
    }

    /// The messages that have arrived and wait or are stalled, in the order of arrival.
    pub(crate) fn arrived(&self) -> Vec<Arrived> {
        let waiting = self.queue.iter().take_while(|slot| slot.arrival == 0);
        let mut all: Vec<(Slot, Option<u64>)> = waiting.map(|&slot| (slot, None)).collect();
        all.extend(self.stalled.iter().map(|&(line, slot)| (slot, Some(line))));
        all.sort_unstable();
        let arrived = all.into_iter();
        arrived.map(|(slot, stalled)| Arrived { stalled, message: slot.message }).collect()
    }

    /// The messages in flight, sorted by arrival. Between steps that is by lane, then in the order
    /// of sending. Within a step, messages that did not go through the network come first (see
    /// [above](self)).
    pub(crate) fn in_flight(&self) -> impl Iterator<Item = InFlight> {
        let in_flight = self.queue.iter().filter(|slot| slot.arrival > 0);
        in_flight.map(|slot| InFlight {
            arrival: slot.arrival,
            is_new: slot.counter > ARRIVING,
            overtakes: slot.counter <= ARRIVING || self.disordered.contains(&slot.message),
            message: slot.message,
        })
    }

    /// Whether messages are in flight that were sent before the current step.
    pub(crate) fn has_older(&self) -> bool {
        self.look_at_size();
        self.in_flight().any(|one| !one.is_new)
    }

    /// Records, during a step, that a message has no order: the controller put it back, or lets it
    /// overtake others.
    pub(crate) fn note_disordered(&mut self, message: u64) {
        if self.counter >= ARRIVING {
            self.disordered.push(message);
        }
    }

    /// Number of messages at the head of the queue that have arrived.
    pub(crate) fn ready(&self) -> usize {
        self.queue.partition_point(|slot| slot.arrival == 0)
    }

    /// The deferred messages with their lines.
    pub(crate) fn deferred(&self) -> &[(u64, u64)] {
        &self.deferred
    }

    /// Whether it holds no messages of any kind.
    pub(crate) fn is_bare(&self) -> bool {
        self.queue.is_empty() && self.stalled.is_empty() && self.deferred.is_empty()
    }
}
