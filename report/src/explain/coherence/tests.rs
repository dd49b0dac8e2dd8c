use super::*;

/// A core receives its response one tick after its cache's transition, at which tick the other cache takes one.
/// Only the ticks before show which cache serves which core.
#[test]
fn cores_may_be_told_a_tick_later() {
    let mut log = ingest::tester::MAGIC.to_vec();
    log.extend(b"\x01\x00\x02\x40\x00\x00");
    log.extend(b"\x30\x07L1Cache\x30\x04Load\x30\x01S");
    let transition = |version, after| [0x31, 0, 1, 2, 2, version, 0x80, 0x20, after];
    for thread in 0..2 {
        let other = 1 - thread;
        for index in 0..3 {
            log.extend([0x10, thread, index, 1, 0x80, 0x20, 8]);
            log.extend(transition(thread, 4));
            if index == 0 {
                log.extend(transition(other, 1));
                log.extend([0x21, thread, index, 0, 0]);
            } else {
                log.extend([0x21, thread, index, 1, 0]);
                log.extend(transition(other, 1));
            }
        }
    }
    log.extend(b"\x02\x00\x00");
    let options = ingest::Options { transitions: true, ..ingest::Options::default() };
    let trace = ingest::read(&log[..], "log", &options).unwrap();
    let permissions = |_: &str, _: &str| Some(Permission::Read);
    let owners = owners(&trace.histories[0], &trace.transitions, &permissions);
    assert_eq!(owners, BTreeMap::from([(0, ("L1Cache", 0)), (1, ("L1Cache", 1))]));
}
