//! Turns a completed request and its data block into operations of a history.

use history::{Access, Kind, Place, low_bytes};

use crate::error::or_lossy;
use crate::gem5::lines::fault::Fault;
use crate::gem5::lines::message::{Command, DataKind};
use crate::gem5::lines::raw::RequestType;
use crate::gem5::readers::block;
use crate::gem5::readers::fifo::Request;

/// The effect of a completed request on a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Operation(Kind),
    /// The read half of a locked read-modify-write, which waits for the write half.
    LockedRead,
    LockedWrite,
    /// An atomic operation that shows the value read, the value written, or both.
    Atomic,
    FailedStoreConditional,
    Flush,
    Other,
    /// The request reads no memory.
    NoAccess,
    /// The data line is missing.
    DataMissing,
}

/// Returns the effect of a request, by its command and the kind of its data line.
pub(crate) fn effect(request: &Request, data: Option<DataKind>) -> Result<Effect, Fault> {
    let atomic = matches!(request.begin, RequestType::AtomicReturn | RequestType::AtomicNoReturn);
    let effect = match (request.command, data) {
        (command, _) if !command.accesses() => Effect::Flush,
        (Command::Other(_), _) => Effect::Other,
        (_, None) if request.begin == RequestType::NoAddress => Effect::NoAccess,
        (_, None) if atomic => Effect::Atomic,
        (Command::StoreCond, None) => Effect::FailedStoreConditional,
        (_, None) => Effect::DataMissing,
        (Command::Read, Some(DataKind::Read)) => Effect::Operation(Kind::Load),
        (Command::LoadLocked, Some(DataKind::Read)) => Effect::Operation(Kind::LoadLinked),
        (Command::LockedRead, Some(DataKind::Read)) => Effect::LockedRead,
        (Command::LockedWrite, Some(DataKind::Set)) => Effect::LockedWrite,
        (Command::Write, Some(DataKind::Set)) => Effect::Operation(Kind::Store),
        (Command::StoreCond, Some(DataKind::Set)) => Effect::Operation(Kind::StoreConditional),
        (Command::Write | Command::Swap | Command::Read, Some(kind)) if is_atomic(kind) => {
            Effect::Atomic
        }
        (command, Some(kind)) => {
            return Err(Fault::broken(
                format!("`Hit callback for {}` after a data line of kind {kind:?}", command.name()),
                "a data line of the kind that belongs to the command",
                or_lossy("the trace is damaged: record it again", "skip the operation"),
            ));
        }
    };
    Ok(effect)
}

/// The effect of a request whose data line was skipped; `None` if it is not known.
pub(crate) fn effect_without_data(command: Command) -> Option<Effect> {
    Some(match command {
        Command::Read => Effect::Operation(Kind::Load),
        Command::LoadLocked => Effect::Operation(Kind::LoadLinked),
        // Its reservation is not certain any more, so it is a store.
        Command::Write | Command::StoreCond => Effect::Operation(Kind::Store),
        Command::LockedRead => Effect::LockedRead,
        Command::LockedWrite => Effect::LockedWrite,
        Command::Swap => Effect::Atomic,
        _ => return None,
    })
}

fn is_atomic(kind: DataKind) -> bool {
    !matches!(kind, DataKind::Read | DataKind::Set)
}

/// A completed operation that waits for the line that may tell its size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Completed {
    pub request: Request,
    pub effect: Effect,
    /// The line that shows the value.
    pub line: u64,
    pub tick: Option<u64>,
    /// Offset of the access in its block, in bytes.
    pub offset: usize,
    /// Largest number of bytes, at most 8, that the access can have in its block.
    pub available: u8,
    /// Up to 8 bytes from `offset` on before the operation, if the trace shows them.
    pub old: Option<u64>,
    /// The same bytes after the operation, if the trace shows them.
    pub new: Option<u64>,
}

/// The values of an access before (`old`) and after (`new`) the operation, where the trace shows them: of at most its
/// first 8 bytes, and in `more` of the others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values {
    pub old: Option<u64>,
    pub new: Option<u64>,
    /// The old and the new value of each further part of up to 8 bytes.
    pub more: Vec<(Option<u64>, Option<u64>)>,
}

impl Completed {
    /// Returns the values of an access of `size` bytes, from the blocks before and after the operation.
    pub(crate) fn values(&self, size: Option<u64>, old: &[u8], new: &[u8]) -> Values {
        let mut values = Values { old: self.old, new: self.new, more: Vec::new() };
        let Some(size) = size else {
            return values;
        };
        let mask = low_bytes(size.min(8) as u8);
        values.old = values.old.map(|value| value & mask);
        values.new = values.new.map(|value| value & mask);
        let mut done = 8;
        while done < size {
            let count = (size - done).min(8) as usize;
            let at = self.offset + done as usize;
            let part =
                |shown: Option<u64>, text: &[u8]| shown.and_then(|_| block::value(text, at, count));
            values.more.push((part(self.old, old), part(self.new, new)));
            done += 8;
        }
        values
    }

    /// The accesses of an operation of this kind, one for each part of up to 8 bytes. The caller sets the thread.
    pub(crate) fn accesses(
        &self,
        kind: Kind,
        size: Option<u64>,
        values: &Values,
    ) -> impl Iterator<Item = Access> + use<'_> {
        let address = self.request.address;
        let mut parts = Vec::with_capacity(values.more.len());
        parts.extend_from_slice(&values.more);
        let first = (values.old, values.new);
        std::iter::once(first).chain(parts).enumerate().map(move |(part, (old, new))| {
            let start = address.wrapping_add(8 * part as u64);
            let place = match size {
                Some(size) => {
                    Place::Bytes { address: start, size: (size - 8 * part as u64).min(8) as u8 }
                }
                None => Place::Unsized { address: start, available: self.available, mask: true },
            };
            Access {
                sequence: self.request.sequence,
                read: old,
                written: new,
                issued: self.request.issued,
                completed: self.tick,
                line: Some(self.line),
                order: Some(self.line),
                continues: part > 0,
                ..Access::new(0, kind, place)
            }
        })
    }
}

/// The kind of an atomic operation: silent if it is known to write back what it read.
pub(crate) fn atomic_kind(values: &Values) -> Kind {
    let same = |&(old, new): &(Option<u64>, Option<u64>)| old.is_some() && old == new;
    let first = (values.old, values.new);
    if same(&first) && values.more.iter().all(same) { Kind::SilentRmw } else { Kind::Rmw }
}
