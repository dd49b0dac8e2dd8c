//! A buffer in which time stands still at tick 0, for whoever steps from state to state.
//!
//! What has arrived has tick 0, and its counter says in which order it arrived. Everything else is under way, in a
//! *lane*: [`UNDER_WAY`] plus its number. Lane 0 has no order; the messages of another lane arrive one after the other.
//!
//! # The order of a lane
//!
//! A lane is a stretch of the real system that is first in, first out: a pair of ordered buffers at the two ends of the
//! network, an ordered buffer between two machines, an ordered queue of a machine to itself, or the memory's answers for
//! one line. In such a stretch a message that is sent now arrives behind all that were sent before it, whatever its
//! latency: gem5 stops if an ordered buffer would do otherwise. So the order of a lane is that of sending: first what was
//! under way before the step, in the order in which it was written down, then what the step has sent.
//!
//! Within a step the queue alone does not show that. What the network holds back gets the arrival of its lane at once, but
//! what a machine sends to itself or directly to another one gets a tick, which is a small number and sorts before all lanes.
//! [`Travelling::is_new`] tells the two apart, and whoever writes the state down puts what is new behind what was there.
//!
//! What a controller puts back (`recycle`, or a head that waits while its line is blocked) has no lane, and neither has
//! what it sends past the check of the order: others may overtake it.

use super::{MessageBuffer, Slot, insert};

/// The arrival of what is under way, in the lane without order.
pub const UNDER_WAY: u64 = 1 << 32;

/// The counter of what a step has let arrive: behind all that was there, before all that the step sends.
const ARRIVING: u64 = 1 << 32;

/// A message that has not arrived.
#[derive(Clone, Copy, Debug)]
pub struct Travelling {
    /// When it would.
    pub arrival: u64,
    /// Whether the running step has sent it, or put it back.
    pub is_new: bool,
    /// Whether it may overtake others even in an ordered buffer: it was put back, or sent past the check of the order.
    pub overtakes: bool,
    /// The message.
    pub message: u64,
}

/// A message that has arrived.
#[derive(Clone, Copy, Debug)]
pub struct Arrived {
    /// The line on which it is stalled, if it is.
    pub stalled: Option<u64>,
    /// The message.
    pub message: u64,
}

impl MessageBuffer {
    /// Forgets all messages, and what was before.
    pub fn reset(&mut self) {
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

    /// Puts a message in that has arrived, behind all that have.
    pub fn put_arrived(&mut self, arrived: Arrived) {
        self.counter += 1;
        let slot = Slot { arrival: 0, counter: self.counter, message: arrived.message };
        match arrived.stalled {
            Some(line) => self.stalled.push((line, slot)),
            None => insert(&mut self.queue, slot),
        }
    }

    /// From now on, what is sent is new.
    pub fn begin_step(&mut self) {
        self.counter = ARRIVING;
    }

    /// Lets the message at a place of the queue arrive.
    pub fn arrive(&mut self, at: usize) {
        if let Some(slot) = self.queue.remove(at) {
            let slot = Slot { arrival: 0, counter: ARRIVING, ..slot };
            insert(&mut self.queue, slot);
        }
    }

    /// What has arrived and waits to be looked at, or is stalled, in the order in which it arrived.
    pub fn arrived(&self) -> Vec<Arrived> {
        let waiting = self.queue.iter().take_while(|slot| slot.arrival == 0);
        let mut all: Vec<(Slot, Option<u64>)> = waiting.map(|&slot| (slot, None)).collect();
        all.extend(self.stalled.iter().map(|&(line, slot)| (slot, Some(line))));
        all.sort_unstable();
        let arrived = all.into_iter();
        arrived.map(|(slot, stalled)| Arrived { stalled, message: slot.message }).collect()
    }

    /// What is under way, sorted by arrival. Between steps that is by lane, then in the order of sending; within a step
    /// what the step has sent without the network comes first (see [above](self)).
    pub fn travelling(&self) -> impl Iterator<Item = Travelling> {
        let travelling = self.queue.iter().filter(|slot| slot.arrival > 0);
        travelling.map(|slot| Travelling {
            arrival: slot.arrival,
            is_new: slot.counter > ARRIVING,
            overtakes: slot.counter <= ARRIVING || self.disordered.contains(&slot.message),
            message: slot.message,
        })
    }

    /// Notes, while a step runs, that a message has no order: the controller has put it back, or lets it overtake.
    pub fn note_disordered(&mut self, message: u64) {
        if self.counter >= ARRIVING {
            self.disordered.push(message);
        }
    }

    /// How many messages at the head of the queue have arrived.
    pub fn ready(&self) -> usize {
        self.queue.partition_point(|slot| slot.arrival == 0)
    }

    /// The messages that are kept back, with their lines.
    pub fn deferred(&self) -> &[(u64, u64)] {
        &self.deferred
    }

    /// Whether it holds no message at all.
    pub fn is_bare(&self) -> bool {
        self.queue.is_empty() && self.stalled.is_empty() && self.deferred.is_empty()
    }
}
