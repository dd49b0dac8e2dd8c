//! The data of requests in a block.

use super::{Line, Pending, ruby_type};
use crate::request::{Request, RequestKind};
use crate::trace::Data;

/// Moves the bytes of a request from or to the block. Returns the value read, and the kind of data line to print.
pub(super) fn move_data(
    pending: &Pending,
    success: bool,
    line: &mut Line<'_>,
) -> (u64, Option<Data>) {
    let Request { kind, address, size, value, .. } = pending.request;
    let offset = (address - pending.line) as usize;
    let block = &mut *line.block;
    match kind {
        RequestKind::Load
        | RequestKind::Ifetch
        | RequestKind::LoadLinked
        | RequestKind::LockedRead
        | RequestKind::RmwRead => (load(block, offset, size), Some(Data::Read)),
        RequestKind::Atomic if pending.secondary == ruby_type::ATOMIC_RETURN => {
            (load(block, offset, size), Some(Data::AtomicReturn))
        }
        // An atomic without a return that was performed elsewhere is applied to the block that the protocol passes, too, as
        // gem5 does.
        RequestKind::Atomic | RequestKind::AtomicNoReturn => {
            let old = load(block, offset, size);
            store(block, offset, size, value);
            (old, Some(Data::AtomicAfter))
        }
        RequestKind::StoreConditional if !success => (0, None),
        RequestKind::Store | RequestKind::StoreConditional | RequestKind::LockedWrite => {
            store(block, offset, size, value);
            (0, Some(Data::Set))
        }
        RequestKind::Flush => (0, None),
    }
}

/// Reads `size` bytes at a byte offset. Bytes outside of the block are 0.
pub(super) fn load(block: &[u64], offset: usize, size: u8) -> u64 {
    if size == 8 && offset.is_multiple_of(8) {
        return block.get(offset / 8).copied().unwrap_or(0);
    }
    let byte = |at: usize| block.get(at / 8).map_or(0, |word| word >> (8 * (at % 8)) & 0xff);
    (0..usize::from(size.min(8))).fold(0, |value, at| value | byte(offset + at) << (8 * at))
}

/// Writes `size` bytes at a byte offset. Bytes outside of the block are dropped.
pub(super) fn store(block: &mut [u64], offset: usize, size: u8, value: u64) {
    if size == 8 && offset.is_multiple_of(8) {
        if let Some(word) = block.get_mut(offset / 8) {
            *word = value;
        }
        return;
    }
    for at in 0..usize::from(size.min(8)) {
        let shift = 8 * ((offset + at) % 8);
        if let Some(word) = block.get_mut((offset + at) / 8) {
            *word = *word & !(0xff << shift) | (value >> (8 * at) & 0xff) << shift;
        }
    }
}
