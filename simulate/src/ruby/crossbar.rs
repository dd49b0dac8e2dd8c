//! gem5's crossbar with random delays: how long a message takes through the routers and links between two controllers.
//!
//! Each controller has a router, and one more connects them. Besides the sender's own buffer, a message goes through six:
//! that of a port and that of a link twice, that of the last router's port, and the receiver's own. Each delays it at random,
//! as [`Delays::of_message`] says. The first five are first in, first out for each virtual network, so that a message that
//! is late holds up those behind it; the receiver's own is so if it is ordered.
//!
//! gem5 passes a message from buffer to buffer when its time has come; here all of that is decided when it is sent. A message
//! that comes to a buffer before others that were sent earlier does not wait for them, and does not hold them up either.

use super::delays::Delays;

/// The buffers of routers and links, indexed by the buffers of controllers, each of which is the only one of its
/// controller on its virtual network.
#[derive(Clone, Debug)]
pub(crate) struct Crossbar {
    /// The buffers from a To buffer to the router in the middle: those of a port and of a link.
    leaving: Vec<[Fifo; 2]>,
    /// The buffers from the middle to a From buffer: those of a port, a link and a port.
    arriving: Vec<[Fifo; 3]>,
    /// The From buffers that are ordered.
    ordered: Vec<Option<Fifo>>,
    now: u64,
}

impl Crossbar {
    /// Creates a crossbar between `buffers` buffers of controllers. Those in `ordered` receive messages in order.
    pub(crate) fn new(buffers: usize, ordered: impl Iterator<Item = u32>) -> Crossbar {
        let mut crossbar = Crossbar {
            leaving: vec![Default::default(); buffers],
            arriving: vec![Default::default(); buffers],
            ordered: vec![None; buffers],
            now: 0,
        };
        for buffer in ordered {
            crossbar.ordered[buffer as usize] = Some(Fifo::default());
        }
        crossbar
    }

    /// The tick at which a message reaches the router in the middle. It leaves the To buffer `sender` at `departure`,
    /// and is sent at `now`.
    pub(crate) fn leave(
        &mut self,
        sender: u32,
        departure: u64,
        now: u64,
        random: &mut Delays,
    ) -> u64 {
        self.now = now;
        let way = &mut self.leaving[sender as usize];
        way.iter_mut().fold(departure, |tick, fifo| fifo.pass(tick, now, random))
    }

    /// The tick at which a message arrives in the From buffer `receiver`, if it reaches the router in the middle at
    /// `tick`.
    pub(crate) fn arrive(&mut self, receiver: u32, tick: u64, random: &mut Delays) -> u64 {
        let (at, now) = (receiver as usize, self.now);
        let way = &mut self.arriving[at];
        let tick = way.iter_mut().fold(tick, |tick, fifo| fifo.pass(tick, now, random));
        match &mut self.ordered[at] {
            Some(fifo) => fifo.pass(tick, now, random),
            None => tick + random.of_message(),
        }
    }
}

/// A buffer from which messages come in the order in which they went in.
#[derive(Clone, Debug, Default)]
struct Fifo {
    /// For each message that may still be in the buffer, the tick at which it went in and the tick at which it comes out.
    passing: Vec<(u64, u64)>,
}

impl Fifo {
    /// The tick at which a message comes out that goes in at `tick`. What came out before `now` is forgotten.
    fn pass(&mut self, tick: u64, now: u64, random: &mut Delays) -> u64 {
        self.passing.retain(|(_, out)| *out > now);
        let before = self.passing.iter().filter(|(into, _)| *into <= tick);
        let last = before.map(|(_, out)| *out).max().unwrap_or(0);
        let out = tick.max(last) + random.of_message();
        self.passing.push((tick, out));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_a_sender_keep_their_order_unless_the_receiver_is_unordered() {
        let (mut random, mut crossbar) = (Delays::new(1), Crossbar::new(3, [1].into_iter()));
        let (mut last, mut overtaken) = ([0; 3], [false; 3]);
        for now in 0..2000 {
            let middle = crossbar.leave(0, now + 1, now, &mut random);
            for receiver in [1, 2] {
                let arrival = crossbar.arrive(receiver, middle, &mut random);
                let last = &mut last[receiver as usize];
                overtaken[receiver as usize] |= arrival < *last;
                *last = arrival.max(*last);
            }
        }
        assert_eq!(overtaken, [false, false, true]);
    }

    #[test]
    fn a_message_waits_for_those_before_it_and_not_for_those_behind() {
        let (mut random, mut fifo) = (Delays::new(3), Fifo::default());
        let first = fifo.pass(1000, 0, &mut random);
        assert!(fifo.pass(10, 0, &mut random) < 1000);
        assert!(fifo.pass(1001, 0, &mut random) > first);
    }

    #[test]
    fn six_buffers_delay_a_message() {
        let (mut random, mut crossbar) = (Delays::new(5), Crossbar::new(2, [1].into_iter()));
        let took = (0..4000).map(|number| {
            let now = number * 10_000;
            let middle = crossbar.leave(0, now, now, &mut random);
            crossbar.arrive(1, middle, &mut random) - now
        });
        let took: Vec<u64> = took.collect();
        assert!(took.iter().all(|ticks| (6..=6 * 119).contains(ticks)));
        // A buffer takes 16 ticks on average.
        let mean = took.iter().sum::<u64>() / took.len() as u64;
        assert!((90..105).contains(&mean), "{mean}");
    }
}
