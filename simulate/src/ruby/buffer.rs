//! Message buffers (`docs/slicc.md`, "Message buffers" and "Stalling, waking and blocking").
//!
//! Messages are sorted by arrival and, at equal ticks, by a counter of enqueues. Queues are short,
//! and a message that is enqueued later mostly arrives later, so a sorted ring buffer is faster
//! than a heap.

pub(crate) mod frozen;

use std::cell::Cell;
use std::collections::VecDeque;

use super::Misuse;
use super::delays::Delays;
use frozen::Looked;

/// The fixed settings of a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    /// Whether messages have to arrive in the order in which they were enqueued.
    pub ordered: bool,
    /// Largest number of messages; 0 stands for any number.
    pub capacity: usize,
    /// Largest number of messages removed in a tick; 0 stands for any number.
    pub max_dequeue_rate: u32,
    /// Whether a message may arrive in the tick in which it is enqueued.
    pub allow_zero_latency: bool,
    /// Whether messages are never delayed at random.
    pub steady: bool,
}

/// A message in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Slot {
    arrival: u64,
    counter: u64,
    message: u64,
}

/// A buffer of messages.
#[derive(Clone, Debug, Default)]
pub(crate) struct MessageBuffer {
    settings: Settings,
    /// The messages that can be received, in order of arrival.
    queue: VecDeque<Slot>,
    /// The stalled messages with their lines, in the order in which they were stalled.
    stalled: Vec<(u64, Slot)>,
    /// The messages whose enqueue was deferred, with their lines, in that order.
    deferred: Vec<(u64, u64)>,
    /// During exploration, the messages without order that the current step has sent (see
    /// [`frozen`]).
    disordered: Vec<u64>,
    counter: u64,
    last_arrival: u64,
    last_bypassed: bool,
    /// The tick of the last `getSize` call, and the size at that time.
    sized: Option<(u64, usize)>,
    /// The tick of the last removal.
    removal: u64,
    /// The number of removals of the head in that tick, which count against the rate.
    removed: u32,
    /// The number of messages that left in that tick; their room is free in the next tick only.
    left: u32,
    /// What code has read of the buffer in the current step of an exploration (see [`frozen`]).
    looked: Cell<Looked>,
}

impl MessageBuffer {
    /// Creates an empty buffer.
    pub(crate) fn new(settings: Settings) -> MessageBuffer {
        MessageBuffer { settings, ..MessageBuffer::default() }
    }

    /// The fixed settings of the buffer.
    pub(crate) fn settings(&self) -> Settings {
        self.settings
    }

    /// Enqueues a message that arrives `delta` cycles from now, or after a random delay if `random`
    /// is given. Returns the tick of its arrival, at which the receiver has to be woken. `bypass`
    /// skips the check of the order for this message and the next.
    pub(crate) fn enqueue(
        &mut self,
        now: u64,
        delta: u64,
        message: u64,
        bypass: bool,
        random: Option<&mut Delays>,
    ) -> Result<u64, Misuse> {
        let arrival = self.pass(now, delta, bypass, random)?;
        self.deliver(arrival, message);
        let capacity = self.settings.capacity;
        if capacity == 0 {
            return Ok(arrival);
        }
        self.look_at_size();
        if self.queue.len() + self.stalled.len() > capacity {
            return Err(Misuse::BufferFull(capacity as u64));
        }
        Ok(arrival)
    }

    /// The tick at which a message would arrive that is enqueued now by [`MessageBuffer::enqueue`].
    /// The message does not stay in this buffer, since the network takes it.
    pub(crate) fn pass(
        &mut self,
        now: u64,
        delta: u64,
        bypass: bool,
        random: Option<&mut Delays>,
    ) -> Result<u64, Misuse> {
        if delta == 0 && !self.settings.allow_zero_latency {
            return Err(Misuse::ZeroLatency);
        }
        let arrival = match random.filter(|_| !self.settings.steady) {
            None => now.saturating_add(delta),
            // A protocol may compute an arbitrarily large latency.
            Some(delays) if self.settings.ordered => {
                let last = self.last_arrival.max(now);
                last.saturating_add(delays.of_message())
            }
            Some(delays) => now + delays.of_message(),
        };
        let checked = self.settings.ordered && !bypass && !self.last_bypassed;
        if checked && arrival < self.last_arrival {
            return Err(Misuse::FifoOrder { arrival, last: self.last_arrival });
        }
        self.last_bypassed = bypass;
        self.last_arrival = arrival;
        Ok(arrival)
    }

    /// Adds a message whose arrival was decided by the network, which keeps the order of a pair of
    /// buffers itself. Messages of different senders may be added in any order.
    #[inline]
    pub(crate) fn deliver(&mut self, arrival: u64, message: u64) {
        self.counter += 1;
        let slot = Slot { arrival, counter: self.counter, message };
        insert(&mut self.queue, slot);
    }

    /// Whether the head has arrived and may be removed.
    #[inline]
    pub(crate) fn is_ready(&self, now: u64) -> bool {
        self.has_arrived(now) && !self.is_used_up(now)
    }

    /// The message at the head, if it has arrived and may be removed; else 0.
    #[inline]
    pub(crate) fn ready_head(&self, now: u64) -> u64 {
        match self.queue.front() {
            Some(head) if head.arrival <= now && !self.is_used_up(now) => head.message,
            _ => 0,
        }
    }

    /// Whether a message waits only because of the rate of removals: then the receiver has to be
    /// woken in the next tick.
    #[inline]
    pub(crate) fn is_throttled(&self, now: u64) -> bool {
        self.has_arrived(now) && self.is_used_up(now)
    }

    /// Whether a message has arrived, though it may have to wait because of the rate of removals.
    #[inline]
    pub(crate) fn has_arrived(&self, now: u64) -> bool {
        self.first_arrival().is_some_and(|arrival| arrival <= now)
    }

    /// The tick at which the first message arrives.
    #[inline]
    pub(crate) fn first_arrival(&self) -> Option<u64> {
        self.queue.front().map(|head| head.arrival)
    }

    #[inline]
    fn is_used_up(&self, now: u64) -> bool {
        let rate = self.settings.max_dequeue_rate;
        rate != 0 && self.removal == now && self.removed >= rate
    }

    /// The messages that have arrived and were not taken; those that were set aside come with their lines.
    pub(crate) fn left_behind(&self, now: u64) -> impl Iterator<Item = (Option<u64>, u64)> {
        let arrived = self.queue.iter().take_while(move |slot| slot.arrival <= now);
        let waiting = arrived.map(|slot| (None, slot.message));
        waiting.chain(self.stalled.iter().map(|(line, slot)| (Some(*line), slot.message)))
    }

    /// The messages that arrive up to a tick, and then the stalled ones.
    pub(crate) fn messages(&self, latest: u64) -> impl Iterator<Item = u64> {
        let queue = self.queue.iter().take_while(move |slot| slot.arrival <= latest);
        queue.chain(self.stalled.iter().map(|(_, slot)| slot)).map(|slot| slot.message)
    }

    /// The message at the head, whether or not it has arrived.
    #[inline]
    pub(crate) fn head(&self) -> Option<u64> {
        self.look_at_head();
        self.queue.front().map(|head| head.message)
    }

    /// Removes the head, which has to be ready. Returns it, and how long it has waited since its
    /// arrival.
    #[inline]
    pub(crate) fn dequeue(&mut self, now: u64) -> Result<(u64, u64), Misuse> {
        let head = self.take_ready(now)?;
        self.left += 1;
        Ok((head.message, now - head.arrival))
    }

    fn take_ready(&mut self, now: u64) -> Result<Slot, Misuse> {
        if !self.is_ready(now) {
            return Err(Misuse::NotReady);
        }
        self.take(now)
    }

    fn take(&mut self, now: u64) -> Result<Slot, Misuse> {
        self.look_at_head();
        let head = self.queue.pop_front().ok_or(Misuse::Empty)?;
        if self.removal != now {
            self.removal = now;
            self.removed = 0;
            self.left = 0;
        }
        self.removed += 1;
        Ok(head)
    }

    /// Moves the head, which has to be ready, to the back: it arrives again after `latency`, and
    /// keeps its counter. Returns the tick, at which the receiver has to be woken. The order is not
    /// checked.
    pub(crate) fn recycle(&mut self, now: u64, latency: u64) -> Result<u64, Misuse> {
        if !self.is_ready(now) {
            return Err(Misuse::NotReady);
        }
        let mut head = self.queue.pop_front().ok_or(Misuse::Empty)?;
        head.arrival = now.saturating_add(latency);
        insert(&mut self.queue, head);
        Ok(head.arrival)
    }

    /// Removes the head and enqueues it again, a cycle later. Returns the tick of its arrival.
    pub(crate) fn delay_head(
        &mut self,
        now: u64,
        random: Option<&mut Delays>,
    ) -> Result<u64, Misuse> {
        let head = self.take(now)?;
        self.left += 1;
        self.note_disordered(head.message);
        self.enqueue(now, 1, head.message, false, random)
    }

    /// Makes the head arrive a cycle later, before other messages that arrive then and were
    /// enqueued after it. Returns that tick.
    pub(crate) fn postpone_head(&mut self, now: u64) -> Result<u64, Misuse> {
        let mut head = self.take(now)?;
        self.left += 1;
        self.note_disordered(head.message);
        head.arrival = now + 1;
        insert(&mut self.queue, head);
        Ok(head.arrival)
    }

    /// Moves the head, which has to be ready, to the end of the stall list of a line. It still
    /// counts against the capacity.
    pub(crate) fn stall(&mut self, now: u64, line: u64) -> Result<(), Misuse> {
        let head = self.take_ready(now)?;
        self.stalled.push((line, head));
        Ok(())
    }

    /// Returns the messages stalled on a line to the queue, with their old arrivals and counters.
    /// Returns whether there were any; then the receiver has to be woken in this tick.
    pub(crate) fn wake(&mut self, line: u64) -> bool {
        self.wake_where(|stalled| stalled == line)
    }

    /// Returns the stalled messages of all lines to the queue, as [`MessageBuffer::wake`] does for one line.
    pub(crate) fn wake_all(&mut self) -> bool {
        self.wake_where(|_| true)
    }

    fn wake_where(&mut self, chosen: impl Fn(u64) -> bool) -> bool {
        let before = self.stalled.len();
        let queue = &mut self.queue;
        self.stalled.retain(|&(line, slot)| {
            if chosen(line) {
                insert(queue, slot);
            }
            !chosen(line)
        });
        self.stalled.len() < before
    }

    /// Whether anything is stalled on a line.
    pub(crate) fn has_stalled(&self, line: u64) -> bool {
        self.stalled.iter().any(|&(stalled, _)| stalled == line)
    }

    /// The number of lines with stalled messages.
    pub(crate) fn stall_map_size(&self) -> usize {
        let first = |&at: &usize| {
            let (line, _) = self.stalled[at];
            self.stalled[..at].iter().all(|&(other, _)| other != line)
        };
        (0..self.stalled.len()).filter(first).count()
    }

    /// Stores a message that is to be enqueued later (`defer_enqueueing`).
    pub(crate) fn defer(&mut self, line: u64, message: u64) {
        self.look_at_deferred();
        self.deferred.push((line, message));
    }

    /// Whether anything is deferred for a line.
    pub(crate) fn has_deferred(&self, line: u64) -> bool {
        self.look_at_deferred();
        self.deferred.iter().any(|&(deferred, _)| deferred == line)
    }

    /// Takes the oldest deferred message of a line, which is to be enqueued now.
    pub(crate) fn take_deferred(&mut self, line: u64) -> Option<u64> {
        self.look_at_deferred();
        let at = self.deferred.iter().position(|&(other, _)| other == line)?;
        Some(self.deferred.remove(at).1)
    }

    /// Whether there is room for `count` messages. Messages removed in this tick still take room.
    #[inline]
    pub(crate) fn slots_available(&self, count: usize, now: u64) -> bool {
        let capacity = self.settings.capacity;
        if capacity == 0 {
            return true;
        }
        self.look_at_size();
        let left = if self.removal == now { self.left } else { 0 };
        self.queue.len() + self.stalled.len() + left as usize + count <= capacity
    }

    /// The number of messages that could be received at the first `getSize` call in this tick.
    pub(crate) fn size_at(&mut self, now: u64) -> usize {
        match self.sized {
            Some((tick, size)) if tick == now => size,
            _ => {
                self.sized = Some((now, self.len()));
                self.len()
            }
        }
    }

    /// The number of messages that can be received now or later, without stalled ones.
    pub(crate) fn len(&self) -> usize {
        self.look_at_size();
        self.queue.len()
    }

    /// Whether no message can be received now or later, not counting stalled ones.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.look_at_size();
        self.queue.is_empty()
    }
}

#[inline]
fn insert(queue: &mut VecDeque<Slot>, slot: Slot) {
    match queue.back() {
        Some(last) if *last > slot => {
            let at = queue.partition_point(|other| *other < slot);
            queue.insert(at, slot);
        }
        _ => queue.push_back(slot),
    }
}

#[cfg(test)]
mod tests;
