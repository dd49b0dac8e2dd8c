//! [`Lazy`]: gives the verdicts of [`Online`] at a fraction of its cost, as long as the operations arrive in
//! an order in which the model's machine can perform them.
//!
//! A [`Witness`] performs each operation as it arrives. As long as it refuses none, there is a run of the
//! model with the operations so far, so that no rule can derive a contradiction from them, and the forced
//! order need not be known. They are only logged. When the machine refuses an operation, the log is handed to
//! an [`Online`], which has then seen the same calls as if it had been called from the beginning, and
//! therefore gives the same answers.
//!
//! The log has room for [`MOST_LOGGED`] calls; a longer run is handed over in parts of this size, so that
//! what [`Online`] forgets is forgotten here as well. If the caller never calls [`Lazy::settle`], nothing can
//! be forgotten, and operations stay in the log.

use std::mem::take;

use host::Bounds;
use rustc_hash::{FxHashMap, FxHashSet};

use super::witness::{Performed, Witness};
use super::{Arrival, ArrivalError, Online};
use memory::Model;

/// Number of calls that are logged before they are handed over. A call takes about 70 bytes.
pub(super) const MOST_LOGGED: usize = 1 << 20;

/// Number of operations before which [`Online`] forgets none.
const NONE_FORGOTTEN: u64 = 4096;

/// Number of calls that are handed over before the bounds are checked again.
const CALLS_BETWEEN_LOOKS: usize = 64;

/// A call that [`Online`] has not seen yet.
#[derive(Clone, Debug)]
enum Call {
    Arrive(Arrival),
    Settle(u32, u32),
}

/// Checks operations as they arrive, and derives their forced order only if they do not arrive in an order in
/// which the model's machine can perform them. Memory: about 120 bytes for each logged operation, and that of
/// [`Online`].
///
/// ```
/// use check::Model;
/// use check::online::{Arrival, Lazy};
/// use history::Kind;
///
/// let mut lazy = Lazy::new(Model::TSO);
/// let load = |thread, sequence, location| Arrival {
///     thread, sequence, kind: Kind::Load, location: Some(location), read: Some(0), written: None, tag: 0,
/// };
/// let store = |thread, sequence, location| Arrival {
///     thread, sequence, kind: Kind::Store, location: Some(location), read: None, written: Some(1), tag: 0,
/// };
/// // Store buffering: the stores complete after the loads.
/// for arrival in [load(0, 1, 8), load(1, 1, 7), store(0, 0, 7), store(1, 0, 8)] {
///     assert!(lazy.arrive(arrival).is_ok());
/// }
/// assert!(lazy.finish().is_ok() && lazy.is_explained());
/// ```
#[derive(Clone, Debug)]
pub struct Lazy {
    /// The machine, until it refuses an operation.
    machine: Option<GuardedWitness>,
    online: Online,
    /// The calls that `online` has not seen.
    log: Vec<Call>,
    /// How many of them are arrivals.
    logged: usize,
    most_logged: usize,
    bounds: Bounds,
    arrived: u64,
    /// By thread that has an operation or was announced, the position before which all operations have
    /// arrived.
    settled: FxHashMap<u32, u32>,
    /// Whether a thread was settled at a position above 0, so that handing over the log can free memory.
    has_settled: bool,
}

/// A [`Witness`] that also refuses each operation that [`Online`] might report, as a value that is written
/// twice.
#[derive(Clone, Debug)]
struct GuardedWitness {
    witness: Witness,
    /// The locations and values of the logged writes.
    written: FxHashSet<(u64, u64)>,
    /// By location and value, the thread whose loads returned the value before its store arrived.
    awaited: FxHashMap<(u64, u64), u32>,
}

impl Lazy {
    /// Creates a checker without operations.
    pub fn new(model: Model) -> Lazy {
        Lazy::with_room(model, MOST_LOGGED)
    }

    /// Creates a checker without operations whose log has room for `most_logged` calls.
    pub fn with_room(model: Model, most_logged: usize) -> Lazy {
        let machine = GuardedWitness {
            witness: Witness::new(model),
            written: FxHashSet::default(),
            awaited: FxHashMap::default(),
        };
        Lazy {
            machine: Some(machine),
            online: Online::new(model),
            log: Vec::new(),
            logged: 0,
            most_logged,
            bounds: Bounds::none(),
            arrived: 0,
            settled: FxHashMap::default(),
            has_settled: false,
        }
    }

    /// Sets bounds for handing over the log, which can take seconds. If one is met, calls return
    /// [`ArrivalError::Exceeded`].
    #[must_use]
    pub fn bounded(self, bounds: Bounds) -> Lazy {
        Lazy { bounds, ..self }
    }

    /// Number of operations that have arrived.
    pub fn arrived(&self) -> u64 {
        self.arrived
    }

    /// Number of operations that are in memory.
    pub fn remembered(&self) -> usize {
        self.online.remembered() + self.logged
    }

    /// The operations that are in memory, as [`Online::window`] has them.
    pub fn window(&self) -> Vec<Arrival> {
        let mut all = self.online.window();
        all.extend(self.log.iter().filter_map(|call| match call {
            Call::Arrive(arrival) => Some(*arrival),
            Call::Settle(..) => None,
        }));
        all.sort_by_key(|it| (it.thread, it.sequence));
        all
    }

    /// Adds an operation that has completed.
    ///
    /// # Errors
    /// Returns what [`Online::arrive`] returns, at the same operation, or [`ArrivalError::Exceeded`].
    pub fn arrive(&mut self, arrival: Arrival) -> Result<(), ArrivalError> {
        self.arrived += 1;
        let machine = self.machine.as_mut();
        let Some(performed) = machine.and_then(|it| it.perform(&arrival, &self.online)) else {
            self.machine = None;
            self.hand_over()?;
            return self.online.arrive(arrival);
        };
        self.log.push(Call::Arrive(arrival));
        self.logged += 1;
        // Whether the first operation of a thread comes too late depends on what was forgotten.
        let may_be_late = match performed {
            Performed::Now => self.announce(arrival.thread),
            Performed::Early => !self.settled.contains_key(&arrival.thread),
        } && self.arrived > NONE_FORGOTTEN;
        if may_be_late || (self.has_settled && self.log.len() > self.most_logged) {
            self.hand_over()?;
        }
        Ok(())
    }

    /// Says how far a thread has come, as [`Online::settle`] does.
    pub fn settle(&mut self, thread: u32, sequence: u32) {
        if self.machine.is_none() {
            return self.online.settle(thread, sequence);
        }
        let is_new = self.announce(thread);
        let settled = self.settled.entry(thread).or_default();
        if is_new || sequence > *settled {
            *settled = sequence;
            self.has_settled |= sequence > 0;
            self.log.push(Call::Settle(thread, sequence));
        }
    }

    /// Ends the stream, as [`Online::finish`] does.
    ///
    /// # Errors
    /// Returns what [`Online::finish`] returns, or [`ArrivalError::Exceeded`].
    pub fn finish(&mut self) -> Result<(), ArrivalError> {
        if self.is_explained() {
            return Ok(());
        }
        self.machine = None;
        self.hand_over()?;
        Ok(self.online.finish()?)
    }

    /// Whether a run was found that explains all operations, as [`Online::is_explained`] says.
    pub fn is_explained(&self) -> bool {
        match &self.machine {
            Some(machine) => machine.witness.holds(),
            None => self.online.is_explained(),
        }
    }

    /// Records a thread. Returns whether it is new.
    fn announce(&mut self, thread: u32) -> bool {
        let known = self.settled.len();
        self.settled.entry(thread).or_default();
        self.settled.len() > known
    }

    /// Hands the logged calls to `online`.
    fn hand_over(&mut self) -> Result<(), ArrivalError> {
        if let Some(machine) = &mut self.machine {
            machine.written.clear();
        }
        let mut calls = take(&mut self.log).into_iter();
        let mut outcome = Ok(());
        while outcome.is_ok()
            && let Some(call) = calls.next()
        {
            match call {
                Call::Arrive(arrival) => {
                    self.logged -= 1;
                    outcome = self.online.arrive(arrival);
                }
                Call::Settle(thread, sequence) => self.online.settle(thread, sequence),
            }
            let is_due = calls.len().is_multiple_of(CALLS_BETWEEN_LOOKS);
            if outcome.is_ok() && is_due && self.bounds.passed() {
                outcome = Err(ArrivalError::Exceeded);
            }
        }
        // Calls that were not made still count as remembered.
        self.log = calls.collect();
        outcome
    }
}

impl GuardedWitness {
    /// Performs an operation. Returns `None` if the machine refuses it, or if `online` might report it once
    /// it has seen the logged calls.
    fn perform(&mut self, arrival: &Arrival, online: &Online) -> Option<Performed> {
        if arrival.kind.writes() {
            let write = (arrival.location?, arrival.written?);
            let is_unique = write.1 != 0 && !online.has_write(write) && self.written.insert(write);
            let awaited = !self.awaited.is_empty();
            let thread = awaited.then(|| self.awaited.remove(&write)).flatten();
            if !is_unique || thread.is_some_and(|thread| thread != arrival.thread) {
                return None;
            }
        }
        let performed = self.witness.arrive(arrival)?;
        if performed == Performed::Early {
            // The source must be a store that is still to come, of this thread.
            let read = (arrival.location?, arrival.read?);
            let is_stale = read.1 == 0 || online.has_write(read) || self.written.contains(&read);
            let thread = *self.awaited.entry(read).or_insert(arrival.thread);
            if is_stale || thread != arrival.thread {
                return None;
            }
        }
        Some(performed)
    }
}
