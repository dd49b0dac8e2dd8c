//! Exhaustive exploration of a SLICC protocol with a few caches and lines.
//!
//! [`explore`] visits all states that are reachable by the moves of [`simulate::stepper`], and stops at the first
//! [`Finding`]:
//!
//! - a *fault* of the protocol: an event without a transition, a failed assertion, a null pointer, and so on;
//! - an *SWMR violation* (single writer, multiple readers): a core may write a line while another one may read or write
//!   it, by the permissions of the entries in the caches of the cores' own controllers;
//! - a *stale value*: a load returns a value that was not the latest of its line at any time since the load began. The
//!   latest value is that of the last store that memory has performed. Some protocols complete a load
//!   with a block that an invalidation has overtaken (MESI's `IS_I`): the value is old, but not stale. Without stale
//!   values all runs are linearizable, so with one request at a time they are sequentially consistent, and none has a
//!   nice cycle of any length;
//! - an *atomicity violation*: a read-modify-write has written a line that another core or device has written since
//!   it read it, be it a store-conditional that should have failed, a locked write, or an atomic instruction;
//! - a *missed invalidation*: a core has loaded a value early, before older loads, and uses it when it is no longer the latest, without
//!   having been notified that the line was lost;
//! - a *deadlock*: no transition is possible without a new request, and yet a core waits, or a message or transaction is
//!   left;
//! - a *livelock*: transitions are possible, but none of the continuations completes the requests (see `settle`).
//!
//! Of several findings after equally few moves, the one that comes first in this list is reported.
//!
//! The search is in `search`, the states are in `states`; [`PartStepper`] makes the moves. A finding is described by replaying the moves of
//! its run on whole states.
//!
//! Mistakes that gem5 accepts, such as the use of an entry that was never allocated, do not end a
//! run. The result lists them as [`WarningRun`]s, each with a shortest run that leads there (see
//! [`simulate::system::library`]).
//!
//! ```
//! use explore::protocol::{Verdict, explore};
//! use explore::search::Limits;
//! use slicc::protocol::Protocol;
//! use simulate::stepper::Scope;
//!
//! let protocol = Protocol::open("MI_example").expect("it is built in");
//! let explored = explore(&protocol, &Scope::default(), &Limits::default(), &mut |_| {});
//! let explored = explored.expect("the protocol fits");
//! assert!(matches!(explored.verdict, Verdict::Clean));
//! assert_eq!(explored.progress.states, 501);
//! ```

pub mod cover;
pub mod fair;
mod finding;
mod search;
mod settle;
mod states;

use std::path::{Path, PathBuf};

use simulate::stepper::{
    DescribedMove, Move, PartStepper, Party, Scope, Stepper, StepperError, Symmetry, UnderWay,
};
use simulate::system::{Warning, entry_of};

use slicc::protocol::Protocol;
use slicc::source::Span;

use crate::search::{Limits, Progress, Stopped};
pub use finding::{Finding, LatestWrite, Violation};
use search::checkpoint::{Locked, Manifest, identity};
use search::{End, Search};
pub use states::disk::DiskProblem;

/// A warning about a mistake that gem5 accepts, and a shortest run that leads to it.
#[derive(Clone, Debug)]
pub struct WarningRun {
    /// The warning.
    pub warning: Warning,
    /// The moves of the run, in words; the mistake happens in the last one.
    pub steps: Vec<DescribedMove>,
    /// The moves of the run.
    pub moves: Vec<Move>,
}

/// The outcome of an exploration.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// All reachable states were visited, and nothing is wrong.
    Clean,
    /// A defect was found.
    Found(Box<Violation>),
    /// Nothing was found among all states with different fingerprints. That is no proof.
    Unproved {
        /// An upper bound of the probability that two states had the same fingerprint, so that some may have been missed.
        missed: f64,
    },
    /// A limit ended the exploration before anything was found.
    Stopped(Stopped),
}

/// An entry of a protocol's transition tables: machine, state and event.
pub type TransitionName = (String, String, String);

/// The result of an exploration.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The outcome.
    pub verdict: Verdict,
    /// The warnings, one for each place in the protocol, in the order in which they were found. A strict scope has none,
    /// since the first one is a fault.
    pub warnings: Vec<WarningRun>,
    /// The extent of the search.
    pub progress: Progress,
    /// The transitions that were taken, in the order of machines, states and events.
    pub taken: Vec<TransitionName>,
    /// The transitions that the protocol stalled, in the same order.
    pub stalled: Vec<TransitionName>,
    /// The participants of runs (cores, controllers and memory), with their names.
    pub parties: Vec<(Party, String)>,
    /// The symmetries that were used: of states that differ only by a permutation of these cores or lines, one was explored.
    pub symmetries: Vec<Symmetry>,
    /// The requested symmetries that the system or the protocol does not have, each with the reason.
    pub asymmetries: Vec<Asymmetry>,
    /// Whether memory performed requests at once.
    pub partial_order: PartialOrder,
    /// Whether states that differ only in dead variables were identified.
    pub live_variables: LiveVariables,
    /// Whether memory had to catch up, since more messages were on their way to it than the scope allows: then runs with more are left out.
    pub memory_caught_up: bool,
}

/// Whether states are identified that differ only in dead variables, which are written before they are read again: see [`slicc::live`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LiveVariables {
    /// Such states are distinguished, since the scope does not ask to identify them.
    #[default]
    Off,
    /// Such states are identified.
    On,
    /// Such states are distinguished, since a transition began in another state than its entry or TBE had.
    Refused,
}

/// Whether memory performs each request at once, instead of at any time before it responds: its moves commute with all others.
/// Of the runs that differ only in that, one is then explored, and a run that is shown is a shortest one apart from the moves
/// of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PartialOrder {
    /// Memory performs a request at any time before it responds, since [`SearchOptions`] do not ask for more.
    #[default]
    Off,
    /// Memory performs each request at once.
    On,
    /// Memory performs a request at any time, since a run depends on the requests that wait for memory.
    Refused,
}

/// A requested symmetry that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asymmetry {
    /// The symmetry.
    pub symmetry: Symmetry,
    /// The reason why it does not hold.
    pub reason: Why,
}

/// The reason why a symmetry does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The system or the protocol does not treat all cores or lines alike, as this text explains.
    Differs(String),
    /// A run comes to this place, which depends on the order of cores or lines.
    Ordered(Span),
}

/// How states are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Store {
    /// Whole states are stored.
    #[default]
    Exact,
    /// Fingerprints of 64 bits are stored, which takes about 12 bytes a state. States may be missed, and livelocks are not looked for.
    Compact,
}

/// How a protocol is explored. The outcome does not depend on it, apart from states that [`Store::Compact`] misses, and
/// from the numbers of states and moves with partial order.
#[derive(Clone, Copy, Debug)]
pub struct SearchOptions {
    /// How states are stored.
    pub store: Store,
    /// The number of threads.
    pub jobs: usize,
    /// Whether memory performs requests at once, where that makes no difference: see [`PartialOrder`].
    pub partial_order: bool,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions { store: Store::Exact, jobs: 1, partial_order: false }
    }
}

/// Explores a protocol breadth first, by the symmetries of the scope as far as the protocol has them, and calls `report` with
/// the progress a few times a second. One thread explores, states are stored exactly, and the moves of memory
/// are moves as all others.
///
/// # Errors
/// Fails if the protocol or the scope is not supported by the [`Stepper`].
pub fn explore(
    protocol: &Protocol,
    scope: &Scope,
    limits: &Limits,
    report: &mut dyn FnMut(&Progress),
) -> Result<Exploration, StepperError> {
    explore_by(protocol, scope, &SearchOptions::default(), limits, report)
}

/// Explores a protocol as [`explore`] does, with the given options.
///
/// # Errors
/// Fails if the protocol or the scope is not supported by the [`Stepper`].
pub fn explore_by(
    protocol: &Protocol,
    scope: &Scope,
    search_options: &SearchOptions,
    limits: &Limits,
    report: &mut dyn FnMut(&Progress),
) -> Result<Exploration, StepperError> {
    match explore_in(protocol, scope, search_options, None, limits, report) {
        Ok(explored) => Ok(explored),
        Err(OnDiskError::Stepper(problem)) => Err(problem),
        Err(OnDiskError::Disk(problem)) => unreachable!("nothing is on disk: {problem}"),
    }
}

/// A folder in which an exploration keeps its states.
#[derive(Clone, Debug)]
pub struct Disk {
    /// The path of the folder. It is created if there is none.
    pub folder: PathBuf,
    /// A description of the exploration, which is stored in the folder for its finder.
    pub explores: String,
    /// Called with the folder, the number of states and the number of moves to the last of them, if a stored exploration is resumed.
    pub tell: fn(&Path, usize, u32),
}

impl Disk {
    /// Whether a folder has the states of an exploration that has begun.
    pub fn has_begun(folder: &Path) -> bool {
        folder.join(search::checkpoint::MANIFEST).is_file()
    }
}

/// The reason why a protocol cannot be explored on disk.
#[derive(Debug, thiserror::Error)]
pub enum OnDiskError {
    /// The protocol or the scope is not supported.
    #[error("{0:?}")]
    Stepper(StepperError),
    /// The folder cannot be used.
    #[error(transparent)]
    Disk(#[from] DiskProblem),
}

/// Explores a protocol as [`explore_by`] does, on disk if a folder is given. Exact states are then stored in files in the folder, whatever
/// [`SearchOptions::store`] says, and take about 11 bytes a state in memory. If the folder is given again, the exploration is resumed,
/// however the process ended; at most the last half minute is repeated. The outcome is the same as without interruption.
///
/// # Errors
/// Fails if the protocol or the scope is not supported by the [`Stepper`], if a file cannot be read or written, or if the folder has other
/// contents.
pub fn explore_in(
    protocol: &Protocol,
    scope: &Scope,
    search_options: &SearchOptions,
    disk: Option<&Disk>,
    limits: &Limits,
    report: &mut dyn FnMut(&Progress),
) -> Result<Exploration, OnDiskError> {
    let stepper = |scope: &Scope| {
        let stepper = Stepper::new(protocol, scope).map_err(OnDiskError::Stepper)?;
        Ok::<_, OnDiskError>(PartStepper::new(stepper))
    };
    let mut scope = scope.clone();
    // An error here comes before the folder is created.
    let mut next = stepper(&scope)?;
    let identity = identity(protocol, &scope, search_options);
    let locked = disk.map(Locked::new).transpose()?;
    let mut left = locked.as_ref().map(|locked| locked.left(&identity)).transpose()?.flatten();
    let mut search_options = *search_options;
    let mut partial_order =
        if search_options.partial_order { PartialOrder::On } else { PartialOrder::Off };
    if left.as_ref().is_some_and(|left| left.refuses_partial_order) {
        search_options.partial_order = false;
        partial_order = PartialOrder::Refused;
    }
    let mut live = if scope.live_variables { LiveVariables::On } else { LiveVariables::Off };
    if left.as_ref().is_some_and(|left| left.refuses_live_variables) {
        scope.live_variables = false;
        live = LiveVariables::Refused;
        next = stepper(&scope)?;
    }
    let mut ordered = left.as_ref().map(Manifest::ordered).unwrap_or_default();
    let mut seed = left.as_ref().map_or(0, |left| left.seed);
    if !ordered.is_empty() {
        scope.symmetries.retain(|one| ordered.iter().all(|other| other.symmetry != *one));
        next = stepper(&scope)?;
    }
    loop {
        let mut search = match (&locked, left.take()) {
            (None, _) => Search::new(next, &search_options, seed),
            (Some(locked), Some(left)) => {
                let (states, depth) = (left.states, left.depth);
                let search = locked.go_on(next, &search_options, left)?;
                if search.is_open() {
                    (locked.disk.tell)(&locked.disk.folder, states, depth);
                }
                search
            }
            (Some(locked), None) => {
                let mut manifest = Manifest::new(locked.disk, &identity, seed, &ordered);
                manifest.refuses_partial_order = partial_order == PartialOrder::Refused;
                manifest.refuses_live_variables = live == LiveVariables::Refused;
                locked.begin(next, &search_options, manifest)?
            }
        };
        let (end, progress) = search.run(limits, report)?;
        if let Some((symmetry, place)) = search.broken() {
            // The exploration is void: once more, without this symmetry.
            scope.symmetries.retain(|&other| other != symmetry);
            ordered.push(Asymmetry { symmetry, reason: Why::Ordered(place) });
        } else if search.disturbs_memory() {
            search_options.partial_order = false;
            partial_order = PartialOrder::Refused;
        } else if search.stepper.mistakes_states() {
            scope.live_variables = false;
            live = LiveVariables::Refused;
        } else if !search.states.is_void()
            && let Some(explored) = concluded(protocol, &mut search, end, progress, &ordered)
        {
            // Reading states for the description may have failed, too.
            let explored = Exploration { partial_order, live_variables: live, ..explored };
            return search.states.problem().map_or(Ok(explored), |problem| Err(problem.into()));
        } else {
            // Two states had the same fingerprint: once more, with other fingerprints.
            seed += 1;
        }
        next = stepper(&scope)?;
    }
}

/// The result of an exploration. None if the run to a finding or warning cannot be replayed, as happens if two states have the same
/// fingerprint.
fn concluded(
    protocol: &Protocol,
    search: &mut Search,
    end: End,
    progress: Progress,
    ordered: &[Asymmetry],
) -> Option<Exploration> {
    let transitions = search.transitions();
    let noted = std::mem::take(&mut search.warnings);
    let mut warnings = Vec::with_capacity(noted.len());
    for (warning, state, chosen) in noted {
        let run = search.run_to_warning(state, chosen, &warning)?;
        let Violation { steps, moves, .. } =
            describe(search.stepper.stepper(), &run, Finding::Fault);
        warnings.push(WarningRun { warning, steps, moves });
    }
    let verdict = match end {
        End::Complete if search.states.are_exact() => Verdict::Clean,
        End::Complete => Verdict::Unproved { missed: states::missed(progress.states) },
        End::Stopped(why) => Verdict::Stopped(why),
        End::Found(finding, state) => {
            let (run, finding) = search.run_to_finding(state, finding)?;
            Verdict::Found(Box::new(describe(search.stepper.stepper(), &run, finding)))
        }
    };
    let mut asymmetries = ordered.to_vec();
    let symmetries = search.symmetries().used().to_vec();
    let unused = search.symmetries().unused().to_vec();
    asymmetries.extend(
        unused
            .into_iter()
            .map(|(symmetry, reason)| Asymmetry { symmetry, reason: Why::Differs(reason) }),
    );
    let (stalled, taken): (Vec<u32>, Vec<u32>) =
        transitions.into_iter().partition(|triple| triple % 2 == 1);
    let parties = search.stepper.stepper().parties();
    Some(Exploration {
        verdict,
        warnings,
        progress,
        taken: names(protocol, taken),
        stalled: names(protocol, stalled),
        parties,
        symmetries,
        asymmetries,
        partial_order: PartialOrder::Off,
        live_variables: LiveVariables::Off,
        memory_caught_up: search.stepper.known().memory_caught_up(),
    })
}

/// The names of the transitions with these numbers.
fn names(protocol: &Protocol, triples: Vec<u32>) -> Vec<TransitionName> {
    let entries = triples.into_iter().filter_map(|triple| entry_of(protocol, triple));
    entries.map(|one| (one.machine, one.state, one.event)).collect()
}

/// Describes a run to a finding in words: its moves, each with the whole state before it.
fn describe(stepper: &mut Stepper, run: &[(Vec<u8>, Move)], finding: Finding) -> Violation {
    let cores = stepper.cores();
    let mut violation = Violation {
        finding,
        fault: None,
        steps: Vec::new(),
        moves: Vec::new(),
        cores,
        latest: None,
        left: Vec::new(),
    };
    let mut under_way = UnderWay::default();
    for (state, chosen) in run {
        let (described, outcome) = stepper.describe(state, *chosen, &mut under_way);
        violation.steps.push(described);
        violation.moves.push(*chosen);
        let step = violation.moves.len();
        let is_last = step == run.len();
        let line = violation.finding.line_of_value().filter(|_| !is_last);
        let mut writes =
            outcome.performed.iter().filter(|access| access.writes && line == Some(access.line));
        if let Some(access) = writes.next_back() {
            violation.latest = Some(LatestWrite { agent: access.core, step });
        }
        match outcome.state {
            Ok(last) if is_last && violation.finding.is_stuck() => {
                violation.left = stepper.left(&last);
            }
            Ok(_) => {}
            Err(fault) => violation.fault = Some(fault),
        }
    }
    violation
}
