//! Values that pass through memory from one read of a thread to another.
//!
//! A value that a thread read reaches a later read of the thread through a register, a write that depends on it, and a
//! read of the same location that the thread does not write in between, whatever that read returns. Armv8 counts what depends on
//! the later read as depending on the earlier one. For most dependencies this orders nothing that it would not order
//! anyway, since the later read itself is ordered after the earlier one
//! ([`PpoRule::DependencyForwarded`](super::PpoRule::DependencyForwarded)). That is not so where the write is the
//! second half of an atomic instruction, whose read is the first half ([`carries`]), or depends on the earlier read
//! through a choice only ([`picks`]).

use history::{DependencyKind, History, OpId};

/// The read of the atomic instruction that `write` is the second half of.
pub(super) fn own_read(history: &History, write: OpId) -> Option<OpId> {
    let before = OpId(write.0.checked_sub(1)?);
    history.linked_load(write).filter(|&read| read == before && history.continues(write))
}

/// Whether the value that `read` returns was computed from the value that the earlier read `from` of its thread
/// returned, by a write of the thread that is the latest one before `read`, and perhaps further reads and writes.
pub(super) fn carries(history: &History, from: OpId, read: OpId) -> bool {
    reaches(history, from, read, &[DependencyKind::Address, DependencyKind::Data])
}

/// As [`carries`], where a write may also depend on a read through a choice.
pub(super) fn picks(history: &History, from: OpId, read: OpId) -> bool {
    let kinds = [DependencyKind::Address, DependencyKind::Data, DependencyKind::Choice];
    reaches(history, from, read, &kinds)
}

fn reaches(history: &History, from: OpId, read: OpId, kinds: &[DependencyKind]) -> bool {
    let mut reads = vec![read];
    let mut at = 0;
    while let Some(&read) = reads.get(at) {
        at += 1;
        let Some(write) = own_write_between(history, from, read) else { continue };
        let used = history.dependencies(write).iter().filter(|it| kinds.contains(&it.kind));
        for on in used.map(|it| it.on) {
            if on == from {
                return true;
            }
            if on > from && history.kind(on).reads() && !reads.contains(&on) {
                reads.push(on);
            }
        }
    }
    false
}

/// The latest write of `read`'s location before `read` and after `from`.
fn own_write_between(history: &History, from: OpId, read: OpId) -> Option<OpId> {
    let location = history.location(read);
    let mut between = (from.0 + 1..read.0).rev().map(OpId);
    between.find(|&op| history.kind(op).writes() && history.location(op) == location)
}
