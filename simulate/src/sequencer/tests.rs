use super::block::{load, store};
use super::*;

fn sequencer() -> Sequencer {
    Sequencer::new(Config::new(3, 1))
}

fn request(tag: u32, kind: RequestKind, address: u64, value: u64) -> Request {
    Request { tag, kind, address, size: 8, value }
}

/// A cache entry of a line.
struct Entry {
    block: [u64; 8],
    monitor: Option<u32>,
}

impl Entry {
    fn new() -> Entry {
        Entry { block: [0; 8], monitor: None }
    }

    fn line(&mut self, now: u64) -> Line<'_> {
        Line { now, address: 0x1000, block: &mut self.block, monitor: Some(&mut self.monitor) }
    }
}

fn ask(sequencer: &mut Sequencer, tag: u32, kind: RequestKind) -> Result<Option<Issue>, Refusal> {
    let address = 0x1000 + 8 * u64::from(tag % 8);
    sequencer.request(10, request(tag, kind, address, 100 + u64::from(tag)), false, None)
}

fn tags(effects: &Effects) -> Vec<u32> {
    effects.responses.iter().map(|response| response.tag).collect()
}

#[test]
fn only_the_head_of_a_line_is_issued() {
    let mut sequencer = sequencer();
    let issue = ask(&mut sequencer, 1, RequestKind::Load).unwrap().unwrap();
    let expected = Issue {
        kind: ruby_type::LD,
        address: 0x1008,
        line: 0x1000,
        size: 8,
        core: 1,
        swap: None,
        transaction: None,
    };
    assert_eq!(issue, expected);
    assert_eq!(ask(&mut sequencer, 2, RequestKind::Store), Ok(None));
    let other = request(9, RequestKind::Ifetch, 0x1040, 0);
    let issue = sequencer.request(10, other, false, None).unwrap().unwrap();
    assert_eq!((issue.kind, issue.line), (ruby_type::IFETCH, 0x1040));
    assert_eq!(sequencer.outstanding(), 3);
}

#[test]
fn reads_complete_together_and_the_first_write_is_issued() {
    let (mut sequencer, mut entry, mut effects) = (sequencer(), Entry::new(), Effects::default());
    entry.block = [0, 1, 2, 3, 4, 5, 6, 7];
    let kinds = [RequestKind::Load, RequestKind::LoadLinked, RequestKind::Store, RequestKind::Load];
    for (tag, kind) in (1..).zip(kinds) {
        ask(&mut sequencer, tag, kind).unwrap();
    }
    sequencer.read_done(entry.line(20), None, &mut effects).unwrap();
    assert_eq!(tags(&effects), [1, 2]);
    assert_eq!(effects.responses[1].value, 2);
    assert_eq!(effects.issue.unwrap().kind, ruby_type::ST);
    assert_eq!(entry.monitor, Some(3));
    effects.clear();
    sequencer.write_done(entry.line(30), None, &mut effects).unwrap();
    assert_eq!(tags(&effects), [3, 4]);
    assert_eq!(effects.issue, None);
    assert_eq!(entry.block[3], 103);
    assert_eq!(entry.monitor, None, "an own store ends the reservation");
    assert_eq!(sequencer.outstanding(), 0);
}

#[test]
fn unique_and_atomic_callbacks_complete_one() {
    let config = Config { sends_atomics: true, ..Config::new(0, 0) };
    let (mut sequencer, mut entry) = (Sequencer::new(config), Entry::new());
    let mut effects = Effects::default();
    for (tag, kind) in [(1, RequestKind::Store), (2, RequestKind::Store), (3, RequestKind::Atomic)]
    {
        ask(&mut sequencer, tag, kind).unwrap();
    }
    sequencer.write_unique_done(entry.line(11), None, &mut effects).unwrap();
    assert_eq!((tags(&effects), effects.issue.is_some()), (vec![1], true));
    effects.clear();
    sequencer.write_done(entry.line(12), None, &mut effects).unwrap();
    assert_eq!(tags(&effects), [2]);
    assert_eq!(effects.issue.unwrap().kind, ruby_type::ATOMIC_RETURN);
    assert!(sequencer.write_done(entry.line(13), None, &mut effects).is_err());
    ask(&mut sequencer, 4, RequestKind::AtomicNoReturn).unwrap();
    effects.clear();
    entry.block[3] = 7;
    sequencer.atomic_done(entry.line(14), None, &mut effects).unwrap();
    assert_eq!((tags(&effects), effects.responses[0].value), (vec![3], 7));
    assert_eq!(entry.block[3], 7, "it was performed elsewhere");
    assert_eq!(effects.issue.unwrap().kind, ruby_type::ATOMIC_NO_RETURN);
}

#[test]
fn swap_returns_the_old_value() {
    let (mut sequencer, mut entry, mut effects) = (sequencer(), Entry::new(), Effects::default());
    entry.block[2] = 5;
    ask(&mut sequencer, 2, RequestKind::Atomic).unwrap();
    sequencer.write_done(entry.line(11), None, &mut effects).unwrap();
    assert_eq!((effects.responses[0].value, entry.block[2]), (5, 102));
}

#[test]
fn a_conditional_needs_the_reservation() {
    let conditional = |held: Option<u32>, fails: bool| {
        let (mut sequencer, mut entry) = (sequencer(), Entry::new());
        let mut effects = Effects::default();
        entry.monitor = held;
        ask(&mut sequencer, 1, RequestKind::StoreConditional).unwrap();
        let line = entry.line(11);
        if fails {
            sequencer.write_failed(line, None, &mut effects).unwrap()
        } else {
            sequencer.write_done(line, None, &mut effects).unwrap()
        }
        assert_eq!(entry.monitor, None);
        let success = effects.responses[0].success;
        assert_eq!(entry.block[1], if success { 101 } else { 0 });
        success
    };
    assert!(conditional(Some(3), false));
    assert!(!conditional(Some(2), false));
    assert!(!conditional(None, false));
    assert!(!conditional(Some(3), true));
}

/// gem5's sequencer does this, whatever the cache may do with the line.
#[test]
fn requests_after_a_failed_conditional_complete_with_it() {
    let (mut sequencer, mut entry, mut effects) = (sequencer(), Entry::new(), Effects::default());
    for (tag, kind) in [
        (1, RequestKind::StoreConditional),
        (2, RequestKind::Store),
        (2, RequestKind::Load),
        (3, RequestKind::StoreConditional),
    ] {
        ask(&mut sequencer, tag, kind).unwrap();
    }
    sequencer.write_failed(entry.line(11), None, &mut effects).unwrap();
    assert_eq!(tags(&effects), [1, 2, 2, 3]);
    assert_eq!((effects.issue, sequencer.outstanding()), (None, 0));
    assert_eq!(entry.block, [0, 0, 102, 0, 0, 0, 0, 0]);
    assert_eq!(effects.responses[2].value, 102);
    let successes = effects.responses.iter().map(|response| response.success);
    assert_eq!(successes.collect::<Vec<_>>(), [false, true, true, false]);
}

#[test]
fn without_a_block_only_conditionals_fail() {
    let fail = |behind: Option<RequestKind>| {
        let (mut sequencer, mut effects) = (sequencer(), Effects::default());
        ask(&mut sequencer, 1, RequestKind::StoreConditional).unwrap();
        if let Some(kind) = behind {
            ask(&mut sequencer, 2, kind).unwrap();
        }
        let line = Line { now: 11, address: 0x1000, block: &mut [], monitor: None };
        sequencer
            .write_failed(line, None, &mut effects)
            .map(|()| tags(&effects))
            .map_err(|misuse| misuse.to_string())
    };
    assert_eq!(fail(None), Ok(vec![1]));
    assert_eq!(fail(Some(RequestKind::StoreConditional)), Ok(vec![1, 2]));
    for kind in [RequestKind::Store, RequestKind::Load] {
        let what = fail(Some(kind)).unwrap_err();
        assert!(what.contains("a null pointer was followed"), "{what}");
        assert!(what.contains("0x1010 needs its data"), "{what}");
    }
}

#[test]
fn locked_halves_lock_and_unlock() {
    let (mut sequencer, mut entry, mut effects) = (sequencer(), Entry::new(), Effects::default());
    ask(&mut sequencer, 1, RequestKind::LockedRead).unwrap();
    sequencer.write_done(entry.line(11), None, &mut effects).unwrap();
    assert_eq!(effects.lock, Some(true));
    effects.clear();
    let blocked = |sequencer: &mut Sequencer, kind| {
        sequencer.request(12, request(2, kind, 0x1008, 9), true, None)
    };
    assert_eq!(blocked(&mut sequencer, RequestKind::Load), Err(Refusal::Aliased));
    assert!(blocked(&mut sequencer, RequestKind::LockedWrite).is_ok());
    sequencer.write_done(entry.line(13), None, &mut effects).unwrap();
    assert_eq!((effects.lock, entry.block[1]), (Some(false), 9));
}

#[test]
fn a_full_sequencer_refuses() {
    let mut sequencer = sequencer();
    for tag in 0..16 {
        ask(&mut sequencer, tag, RequestKind::Load).unwrap();
    }
    assert_eq!(ask(&mut sequencer, 16, RequestKind::Load), Err(Refusal::BufferFull));
}

#[test]
fn misuse_is_reported() {
    let (mut sequencer, mut entry, mut effects) = (sequencer(), Entry::new(), Effects::default());
    let none = sequencer.read_done(entry.line(1), None, &mut effects).unwrap_err();
    assert_eq!(
        none.to_string(),
        "sequencer 3: readCallback for line 0x1000: assertion failed: no request to the line is outstanding"
    );
    ask(&mut sequencer, 1, RequestKind::Load).unwrap();
    let wrong = sequencer.write_done(entry.line(1), None, &mut effects).unwrap_err();
    assert!(wrong.to_string().contains("ReadReq 0x1008"), "{wrong}");
    let wrong = sequencer.atomic_done(entry.line(1), None, &mut effects).unwrap_err();
    assert!(wrong.to_string().contains("atomicCallback"), "{wrong}");
    assert_eq!(sequencer.outstanding(), 1);
}

#[test]
fn written_bytes_have_the_right_offsets() {
    let mut block = [0x1122_3344_5566_7788, 0];
    assert_eq!(load(&block, 2, 2), 0x5566);
    assert_eq!(load(&block, 6, 4), 0x1122);
    store(&mut block, 6, 4, 0xaabb_ccdd);
    assert_eq!(block, [0xccdd_3344_5566_7788, 0xaabb]);
    store(&mut block, 14, 8, u64::MAX);
    assert_eq!(block[1], 0xffff_0000_0000_aabb);
}

#[test]
fn old_requests_are_a_deadlock() {
    let mut sequencer = sequencer();
    assert_eq!(sequencer.deadlock(1000, 5, 1), None);
    ask(&mut sequencer, 1, RequestKind::Load).unwrap();
    ask(&mut sequencer, 2, RequestKind::Load).unwrap();
    assert_eq!(sequencer.deadlock(509, 500, 1), None);
    let words = sequencer.deadlock(510, 500, 4).unwrap();
    assert!(
        words.starts_with("Possible Deadlock detected. Aborting! version: 3 request.paddr: 0x1008")
    );
    assert!(
        words.ends_with("m_readRequestTable: 1 current time: 510 issue_time: 10 difference: 500")
    );
}
