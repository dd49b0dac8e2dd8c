//! [`Client`]: collects the operations that a client prints. They show what the program did, including loads and stores
//! that a store buffer hides from Ruby.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use history::{Access, Kind, Place, Unfinished};
use rustc_hash::FxHashMap;

use crate::error::or_lossy;
use crate::gem5::lines::fault::Fault;
use crate::gem5::lines::message::ClientOp;
use crate::gem5::readers::collector::Collector;
use crate::options::Options;

/// Thread, address and value, which identify a client's store in Ruby's lines.
type Key = (u32, u64, u64);

/// The operations that a client has printed so far.
///
/// A write waits until Ruby's lines show that memory performed it, so that its tick and its order are those of memory.
#[derive(Debug, Default)]
pub(crate) struct Client {
    pub collected: Collector,
    lines: Vec<(u32, OperationLines)>,
    /// Writes that memory has not performed yet.
    pending: FxHashMap<Key, Access>,
    /// Further writes with the key of a pending one, in the order of their lines.
    repeated: FxHashMap<Key, VecDeque<Access>>,
    /// Read-modify-writes that memory performed and the client has not printed yet.
    performed: FxHashMap<Key, Access>,
    /// Writes that memory performed and the client did not print.
    pub unknown: Vec<Unfinished>,
    /// Whether the trace does not show what memory performs, so that writes do not wait for it.
    is_memory_hidden: bool,
    pub operations: u64,
    pub forwarded: u64,
    pub uncommitted: u64,
}

impl Client {
    /// Takes in an operation printed at a line.
    pub(crate) fn operation(
        &mut self,
        op: ClientOp,
        tick: Option<u64>,
        line: u64,
        options: &Options,
    ) -> Result<(), Fault> {
        if let Some(first) = self.lines_of(op.thread).set(op.index, line) {
            return Err(Fault::broken(
                format!(
                    "operation {} of thread {}, which line {first} has already",
                    op.index, op.thread
                ),
                "each operation once",
                or_lossy("two traces may be mixed: record again", "keep the first"),
            ));
        }
        if op.kind != Kind::Store {
            let lines = self.lines_of(op.thread);
            lines.loaded = lines.loaded.max(op.index.saturating_add(1));
        }
        self.operations += 1;
        self.forwarded += u64::from(op.forwarded);
        let access = access(&op, line);
        if op.kind == Kind::Store {
            let issued = tick;
            self.wait((op.thread, op.address), Access { issued, ..access }, options);
            return Ok(());
        }
        let performed = Access { completed: tick, order: Some(line), ..access };
        match op.kind {
            Kind::Rmw => self.rmw(performed, op.address, options),
            Kind::Fence if options.wants_tick(tick) => self.collected.push(performed),
            Kind::Fence => {}
            _ => self.push(performed, op.address, options),
        }
        Ok(())
    }

    fn lines_of(&mut self, thread: u32) -> &mut OperationLines {
        let at = match self.lines.iter().position(|(label, _)| *label == thread) {
            Some(at) => at,
            None => {
                self.lines.push((thread, OperationLines::default()));
                self.lines.len() - 1
            }
        };
        &mut self.lines[at].1
    }

    /// Takes in a read-modify-write. Its own line may be read before or after Ruby's lines about it.
    fn rmw(&mut self, access: Access, address: u64, options: &Options) {
        if access.read == access.written {
            // Memory does not change, so Ruby's lines are no write.
            let kind = Kind::SilentRmw;
            return self.push(Access { kind, ..access }, address, options);
        }
        let written = access.written.unwrap_or(0);
        match self.performed.remove(&(access.thread, address, written)) {
            Some(write) => self.push(as_performed(access, &write), address, options),
            None => self.wait((access.thread, address), access, options),
        }
    }

    /// Stops writes from waiting for memory, since the trace does not show what memory performs.
    pub(crate) fn stop_waiting_for_memory(&mut self, options: &Options) {
        self.is_memory_hidden = true;
        self.take_pending(options);
    }

    /// Takes in the writes that wait for memory, in the order of their lines.
    fn take_pending(&mut self, options: &Options) {
        let pending = std::mem::take(&mut self.pending).into_iter();
        let repeated = std::mem::take(&mut self.repeated).into_iter();
        let repeated = repeated.flat_map(|(key, queue)| queue.into_iter().map(move |a| (key, a)));
        let mut waiting: Vec<(Key, Access)> = pending.chain(repeated).collect();
        waiting.sort_by_key(|(_, access)| access.line);
        for ((_, address, _), access) in waiting {
            self.uncommitted += u64::from(access.kind == Kind::Store);
            self.push(access, address, options);
        }
    }

    /// Keeps a write until memory performs it.
    fn wait(&mut self, (thread, address): (u32, u64), access: Access, options: &Options) {
        if self.is_memory_hidden {
            return self.push(access, address, options);
        }
        let key = (thread, address, access.written.unwrap_or(0));
        match self.pending.entry(key) {
            Entry::Occupied(_) => self.repeated.entry(key).or_default().push_back(access),
            Entry::Vacant(slot) => {
                slot.insert(access);
            }
        }
    }

    /// Takes in the pending store that Ruby's `write` performed.
    pub(crate) fn commit(&mut self, write: &Access, address: u64, value: u64, options: &Options) {
        if self.operations == 0 || self.is_memory_hidden {
            return;
        }
        let key = (write.thread, address, value);
        let Some(access) = self.pending.remove(&key) else {
            let lost = match write.kind {
                // The client will print the write as a read-modify-write.
                Kind::Rmw | Kind::StoreConditional => self.performed.insert(key, *write),
                _ => Some(*write),
            };
            self.unknown.extend(lost.map(|write| unknown(&write, address)));
            return;
        };
        if let Some(queue) = self.repeated.get_mut(&key)
            && let Some(next) = queue.pop_front()
        {
            self.pending.insert(key, next);
        }
        self.push(as_performed(access, write), address, options);
    }

    /// Takes in an operation if it is selected. A store is selected by its tick of issue.
    fn push(&mut self, access: Access, address: u64, options: &Options) {
        let tick = match access.kind {
            Kind::Store => access.issued,
            _ => access.completed,
        };
        if options.wants_address(address) && options.wants_tick(tick) {
            self.collected.push(access);
        }
    }

    /// Returns thread and index of the first operation that is missing.
    pub(crate) fn gap(&self) -> Option<(u32, u64)> {
        self.lines.iter().find_map(|(thread, lines)| Some((*thread, lines.gap()?)))
    }

    /// Ends the trace. Writes that memory did not perform are part of the history nevertheless.
    pub(crate) fn finish(&mut self, options: &Options) {
        let performed = std::mem::take(&mut self.performed).into_iter();
        let performed = performed.map(|((_, address, _), write)| unknown(&write, address));
        self.unknown.extend(performed);
        self.unknown.sort_by_key(|write| write.line);
        self.take_pending(options);
    }
}

/// An operation as its line shows it.
fn access(op: &ClientOp, line: u64) -> Access {
    let place = match op.kind {
        Kind::Fence => Place::Nowhere,
        _ => match op.size {
            Some(size) => Place::Bytes { address: op.address, size },
            None => Place::Unsized { address: op.address, available: 8, mask: false },
        },
    };
    Access {
        sequence: op.index,
        line: Some(line),
        read: op.read,
        written: op.written,
        ..Access::new(op.thread, op.kind, place)
    }
}

/// The operation that its client printed, with the ticks and the order in which memory performed it as `write`.
fn as_performed(access: Access, write: &Access) -> Access {
    Access {
        issued: access.issued.or(write.issued),
        completed: write.completed,
        order: write.order,
        ..access
    }
}

/// A write that memory performed and the client did not print.
fn unknown(write: &Access, address: u64) -> Unfinished {
    Unfinished {
        thread: write.thread,
        address,
        writes: true,
        issued: write.issued,
        line: write.line,
    }
}

/// The line of each operation of a thread, by index. Most are in a vector, since indices count up from 0.
#[derive(Debug, Default)]
struct OperationLines {
    dense: Vec<u32>,
    sparse: FxHashMap<u64, u64>,
    count: u64,
    /// One past the index of the last operation that is not a store. Such operations complete in order, so no load
    /// before it can be outstanding.
    loaded: u64,
}

impl OperationLines {
    /// Returns the first index below `loaded` that has no line.
    fn gap(&self) -> Option<u64> {
        let has = |index: &u64| {
            let at = usize::try_from(*index).ok();
            at.and_then(|at| self.dense.get(at)).is_some_and(|&line| line != 0)
                || self.sparse.contains_key(index)
        };
        // At least one of the indices up to `count` has no line, so larger ones need not be searched.
        if self.count >= self.loaded {
            return (0..self.loaded).find(|index| !has(index));
        }
        (0..self.loaded.min(self.count + 1)).find(|index| !has(index))
    }

    /// Notes the line of an operation. If an operation with this index was printed before, returns its line instead.
    fn set(&mut self, index: u64, line: u64) -> Option<u64> {
        self.count += 1;
        let (Ok(at), Ok(short)) = (usize::try_from(index), u32::try_from(line)) else {
            return self.set_sparse(index, line);
        };
        if index > 2 * self.count + 1024 {
            return self.set_sparse(index, line);
        }
        if self.dense.len() <= at {
            self.dense.resize(at + 1, 0);
        }
        match self.dense[at] {
            0 if !self.sparse.is_empty() && self.sparse.contains_key(&index) => {
                self.sparse.get(&index).copied()
            }
            0 => {
                self.dense[at] = short;
                None
            }
            first => Some(u64::from(first)),
        }
    }

    fn set_sparse(&mut self, index: u64, line: u64) -> Option<u64> {
        let first = usize::try_from(index).ok().and_then(|at| self.dense.get(at));
        if let Some(&first) = first
            && first != 0
        {
            return Some(u64::from(first));
        }
        if let Some(&first) = self.sparse.get(&index) {
            return Some(first);
        }
        self.sparse.insert(index, line);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_indices_are_found_wherever_they_are() {
        let mut lines = OperationLines::default();
        assert_eq!(lines.set(0, 10), None);
        assert_eq!(lines.set(1 << 40, 11), None);
        assert_eq!(lines.set(5000, 12), None);
        assert_eq!(lines.set(1 << 40, 13), Some(11));
        assert_eq!(lines.set(5000, 14), Some(12));
        assert_eq!(lines.set(0, 15), Some(10));
        assert_eq!(lines.set(7, 16), None);
        assert_eq!(lines.set(7, 17), Some(16));
    }
}
