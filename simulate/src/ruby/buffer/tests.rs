use super::*;

fn unordered() -> MessageBuffer {
    MessageBuffer::new(Settings::default())
}

fn ordered() -> MessageBuffer {
    MessageBuffer::new(Settings { ordered: true, ..Settings::default() })
}

/// A buffer as specified: a single list that is searched each time.
#[derive(Default)]
struct Naive {
    heap: Vec<(u64, u64, u64)>,
    stalled: Vec<(u64, (u64, u64, u64))>,
    counter: u64,
}

impl Naive {
    fn enqueue(&mut self, arrival: u64, message: u64) {
        self.counter += 1;
        self.heap.push((arrival, self.counter, message));
    }

    fn pop(&mut self, now: u64) -> Option<(u64, u64, u64)> {
        let head = *self.heap.iter().min()?;
        if head.0 > now {
            return None;
        }
        self.heap.retain(|other| *other != head);
        Some(head)
    }

    fn wake(&mut self, line: Option<u64>) -> bool {
        let chosen = |&(stalled, _): &(u64, _)| line.is_none_or(|line| line == stalled);
        let (woken, rest) = self.stalled.drain(..).partition(chosen);
        let woken: Vec<_> = woken;
        self.stalled = rest;
        self.heap.extend(woken.iter().map(|&(_, slot)| slot));
        !woken.is_empty()
    }
}

/// All messages of a buffer: the queue in order, then the stalled, then the deferred ones.
fn messages(buffer: &MessageBuffer) -> impl Iterator<Item = u64> {
    let queue = buffer.queue.iter().map(|slot| slot.message);
    let stalled = buffer.stalled.iter().map(|(_, slot)| slot.message);
    let deferred = buffer.deferred.iter().map(|&(_, message)| message);
    queue.chain(stalled).chain(deferred)
}

#[test]
fn does_what_a_sorted_list_does() {
    let mut random = Delays::new(11);
    let mut buffer = unordered();
    let mut naive = Naive::default();
    for now in 1..20_000u64 {
        match random.below(9) {
            0..=2 => {
                let delta = 1 + random.below(30);
                assert_eq!(buffer.enqueue(now, delta, now, false, None), Ok(now + delta));
                naive.enqueue(now + delta, now);
            }
            3..=4 => {
                let expected = naive.pop(now).map(|(at, _, message)| (message, now - at));
                assert_eq!(buffer.dequeue(now).ok(), expected);
            }
            5 => {
                let line = random.below(4);
                let head = naive.pop(now);
                assert_eq!(buffer.stall(now, line).is_ok(), head.is_some());
                naive.stalled.extend(head.map(|head| (line, head)));
            }
            6 => {
                let line = random.below(4);
                assert_eq!(buffer.wake(line), naive.wake(Some(line)));
            }
            7 if random.below(10) == 0 => assert_eq!(buffer.wake_all(), naive.wake(None)),
            _ => {
                let head = naive.pop(now);
                assert_eq!(buffer.recycle(now, 10).ok(), head.map(|_| now + 10));
                naive.heap.extend(head.map(|(_, counter, message)| (now + 10, counter, message)));
            }
        }
        let head = naive.heap.iter().min();
        let arrival = buffer.queue.front().map(|head| head.arrival);
        assert_eq!(arrival, head.map(|head| head.0));
        assert_eq!(buffer.head(), head.map(|head| head.2));
        assert_eq!(buffer.is_ready(now), head.is_some_and(|head| head.0 <= now));
        assert_eq!(buffer.len(), naive.heap.len());
        assert_eq!(buffer.stalled.len(), naive.stalled.len());
    }
}

#[test]
fn a_head_that_waits_keeps_its_place_or_loses_it() {
    let mut buffer = ordered();
    // From the network: the second was sent later and arrives a cycle later.
    buffer.deliver(10, 1);
    buffer.deliver(11, 2);
    assert_eq!(buffer.postpone_head(10), Ok(11));
    assert_eq!(buffer.head(), Some(1));
    // The message that has arrived goes first, and then waits behind the other one.
    assert_eq!(buffer.postpone_head(11), Ok(12));
    assert_eq!(buffer.head(), Some(2));
    assert_eq!(buffer.postpone_head(11), Ok(12));
    assert_eq!((buffer.head(), buffer.len()), (Some(1), 2));
    let mut other = ordered();
    other.deliver(10, 1);
    other.deliver(11, 2);
    assert_eq!(other.delay_head(10, None), Ok(11));
    assert_eq!(other.head(), Some(2));
}

#[test]
fn an_ordered_buffer_refuses_what_overtakes() {
    let mut buffer = ordered();
    assert_eq!(buffer.enqueue(10, 5, 1, false, None), Ok(15));
    let refused = buffer.enqueue(11, 1, 2, false, None);
    assert_eq!(refused, Err(Misuse::FifoOrder { arrival: 12, last: 15 }));
    assert!(refused.unwrap_err().to_string().starts_with("FIFO ordering violated"));
    // A bypass skips the check for this message and the next.
    assert_eq!(buffer.enqueue(11, 2, 3, true, None), Ok(13));
    assert_eq!(buffer.enqueue(11, 1, 4, false, None), Ok(12));
    assert!(buffer.enqueue(9, 1, 5, false, None).is_err());
    assert_eq!(messages(&buffer).collect::<Vec<_>>(), [4, 3, 1]);
}

#[test]
fn random_delays_reorder_unless_ordered() {
    let mut delays = Delays::new(5);
    for (mut buffer, keeps) in [(ordered(), true), (unordered(), false)] {
        for message in 1..=100 {
            buffer.enqueue(message, 1, message, false, Some(&mut delays)).unwrap();
        }
        assert_eq!(messages(&buffer).is_sorted(), keeps);
    }
}

#[test]
fn no_latency_only_where_allowed() {
    assert_eq!(unordered().enqueue(1, 0, 1, false, None), Err(Misuse::ZeroLatency));
    let mut buffer =
        MessageBuffer::new(Settings { allow_zero_latency: true, ..Settings::default() });
    assert_eq!(buffer.enqueue(1, 0, 1, false, None), Ok(1));
    assert_eq!(buffer.dequeue(1), Ok((1, 0)));
    assert_eq!(buffer.dequeue(1), Err(Misuse::NotReady));
}

#[test]
fn room_is_free_a_tick_after_a_removal() {
    let mut buffer = MessageBuffer::new(Settings { capacity: 2, ..Settings::default() });
    buffer.enqueue(1, 1, 1, false, None).unwrap();
    assert!(buffer.slots_available(1, 1) && !buffer.slots_available(2, 1));
    buffer.enqueue(1, 1, 2, false, None).unwrap();
    assert!(!buffer.slots_available(1, 2));
    buffer.stall(2, 64).unwrap();
    assert!(!buffer.slots_available(1, 2));
    buffer.dequeue(2).unwrap();
    assert!(!buffer.slots_available(1, 2) && buffer.slots_available(1, 3));
    buffer.wake(64);
    assert!(buffer.slots_available(1, 3) && !buffer.slots_available(2, 3));
}

#[test]
fn the_rate_ends_a_tick() {
    let mut buffer = MessageBuffer::new(Settings { max_dequeue_rate: 1, ..Settings::default() });
    buffer.enqueue(1, 1, 1, false, None).unwrap();
    buffer.enqueue(1, 1, 2, false, None).unwrap();
    assert!(buffer.is_ready(2) && !buffer.is_throttled(2));
    buffer.dequeue(2).unwrap();
    assert!(!buffer.is_ready(2) && buffer.is_throttled(2) && buffer.is_ready(3));
}

#[test]
fn a_delayed_head_goes_behind_what_arrives_with_it() {
    let mut buffer = unordered();
    buffer.enqueue(1, 1, 1, false, None).unwrap();
    buffer.enqueue(1, 2, 2, false, None).unwrap();
    assert_eq!(buffer.delay_head(2, None), Ok(3));
    assert_eq!(messages(&buffer).collect::<Vec<_>>(), [2, 1]);
    // A recycled message would keep its counter and come first.
    assert_eq!(buffer.recycle(3, 1), Ok(4));
    assert_eq!(buffer.recycle(3, 1), Ok(4));
    assert_eq!(messages(&buffer).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(unordered().delay_head(1, None), Err(Misuse::Empty));
}

#[test]
fn stalled_and_deferred_are_kept_by_line() {
    let mut buffer = unordered();
    for message in 1..=3 {
        buffer.enqueue(1, 1, message, false, None).unwrap();
    }
    for line in [64, 128, 64] {
        buffer.stall(2, line).unwrap();
    }
    assert_eq!((buffer.stall_map_size(), buffer.stalled.len()), (2, 3));
    assert!(buffer.has_stalled(64) && !buffer.has_stalled(0) && buffer.is_empty());
    assert!(buffer.wake(64) && !buffer.wake(64));
    assert_eq!(messages(&buffer).collect::<Vec<_>>(), [1, 3, 2]);

    buffer.defer(64, 8);
    buffer.defer(128, 9);
    buffer.defer(64, 10);
    assert!(buffer.has_deferred(64));
    let taken: Vec<_> = std::iter::from_fn(|| buffer.take_deferred(64)).collect();
    assert_eq!(taken, [8, 10]);
    assert!(buffer.has_deferred(128) && !buffer.has_deferred(64));
}
