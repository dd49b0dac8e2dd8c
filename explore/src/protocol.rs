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
//! - a *deadlock*: no transition is possible without a new request, and yet a core waits, or a message or transaction is
//!   left;
//! - a *livelock*: transitions are possible, but none of the continuations completes the requests (see `settle`).
//!
//! Of several findings after equally few moves, the one that comes first in this list is reported.
//!
//! The search is in `search`, the states are in `states`; [`PartStepper`] makes the moves. What is found is described by
//! making the moves of its run once more, with whole states.
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

mod search;
mod settle;
mod states;

use simulate::stepper::{
    DescribedMove, Move, PartStepper, Party, Scope, Stepper, StepperError, Symmetry,
};
use simulate::system::{Fault, Warning};
use slicc::protocol::Protocol;
use slicc::source::Span;

use crate::search::{Limits, Progress, Stopped};
use search::{End, Search};

/// A defect of the protocol that an exploration found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The protocol failed.
    Fault,
    /// A core may write a line while another core may read or write it.
    SwmrViolation {
        /// The number of the line.
        line: usize,
        /// The cores that may write it, a bit for each.
        writers: u64,
        /// The cores that may only read it, a bit for each.
        readers: u64,
    },
    /// A load returned a value that was not the latest at any time since the load began.
    StaleValue {
        /// The core that loaded.
        core: usize,
        /// The number of the line.
        line: usize,
    },
    /// No transition is possible, although requests, messages or transactions are outstanding.
    Deadlock {
        /// The cores that wait, a bit for each; none if only a message or a transaction is left.
        waiting: u64,
    },
    /// Transitions are possible, but none of the continuations completes what is outstanding.
    Livelock {
        /// The cores that wait, a bit for each.
        waiting: u64,
    },
}

impl Finding {
    /// The gravest kind has the lowest rank.
    fn rank(&self) -> u8 {
        match self {
            Finding::Fault => 0,
            Finding::SwmrViolation { .. } => 1,
            Finding::StaleValue { .. } => 2,
            Finding::Deadlock { .. } => 3,
            Finding::Livelock { .. } => 4,
        }
    }

    /// The finding without cores and lines, which differ between permutations of one run.
    fn without_names(self) -> Finding {
        match self {
            Finding::Fault => Finding::Fault,
            Finding::SwmrViolation { .. } => {
                Finding::SwmrViolation { line: 0, writers: 0, readers: 0 }
            }
            Finding::StaleValue { .. } => Finding::StaleValue { core: 0, line: 0 },
            Finding::Deadlock { .. } => Finding::Deadlock { waiting: 0 },
            Finding::Livelock { .. } => Finding::Livelock { waiting: 0 },
        }
    }

    /// The name of this kind of finding in output.
    pub fn name(&self) -> &'static str {
        match self {
            Finding::Fault => "fault",
            Finding::SwmrViolation { .. } => "SWMR violation",
            Finding::StaleValue { .. } => "stale value",
            Finding::Deadlock { .. } => "deadlock",
            Finding::Livelock { .. } => "livelock",
        }
    }
}

/// A finding, and a shortest run that leads to it.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The finding.
    pub finding: Finding,
    /// The fault of the protocol, if the finding is one.
    pub fault: Option<Box<Fault>>,
    /// The moves of the run, in words.
    pub steps: Vec<DescribedMove>,
    /// The moves of the run.
    pub moves: Vec<Move>,
}

impl Violation {
    /// The finding as a sentence: the fault's own message if it is one.
    pub fn sentence(&self) -> String {
        match &self.finding {
        Finding::Fault => match &self.fault {
            Some(fault) => fault.message.clone(),
            None => "the protocol failed".to_owned(),
        },
        Finding::SwmrViolation {
            line,
            writers,
            readers,
        } => {
            let reading = match readers {
                0 => String::new(),
                _ => format!(", and {} may read it", cores(*readers)),
            };
            format!(
                "SWMR violation: {} may write line {line}{reading}",
                cores(*writers)
            )
        }
        Finding::StaleValue { core, line } => format!(
            "stale value: core {core} loaded a value of line {line} that was not the latest at any time since the load began"
        ),
        Finding::Deadlock { waiting: 0 } => {
            "deadlock: a message or a transaction is left, and no controller can take a transition".to_owned()
        }
        Finding::Deadlock { waiting } => {
            format!("deadlock: {} waiting, and no controller can take a transition", are(*waiting))
        }
        Finding::Livelock { waiting: 0 } => {
            "livelock: a message or a transaction is left, and no sequence of transitions completes it"
                .to_owned()
        }
        Finding::Livelock { waiting } => format!(
            "livelock: {} waiting, and no sequence of transitions completes the requests",
            are(*waiting)
        ),
    }
    }
}

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
    /// Nothing was found among all states whose fingerprints differ. That is no proof.
    Unproved {
        /// The probability, at most, that two states had the same fingerprint, so that some may have been missed.
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
    /// Who takes part in runs: cores, controllers and memory, with their names.
    pub parties: Vec<(Party, String)>,
    /// What may change places: of states that differ only in that, one was explored.
    pub symmetries: Vec<Symmetry>,
    /// What may not although it was asked for, with the reason.
    pub asymmetries: Vec<Asymmetry>,
}

/// Something that may not change places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asymmetry {
    /// What may not.
    pub symmetry: Symmetry,
    /// Why not.
    pub reason: Why,
}

/// Why something may not change places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The system or the protocol differs, as this says.
    Differs(String),
    /// A run comes to this place, which depends on the order of cores or lines.
    Ordered(Span),
}

/// How states are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Store {
    /// Exactly.
    #[default]
    Exact,
    /// As fingerprints of 64 bits, which takes about 15 bytes a state. States may be missed, and livelocks are not looked for.
    Compact,
}

/// With what a protocol is explored. The outcome does not depend on it, apart from what [`Store::Compact`] misses.
#[derive(Clone, Copy, Debug)]
pub struct Means {
    /// How states are stored.
    pub store: Store,
    /// The number of threads.
    pub jobs: usize,
}

impl Default for Means {
    fn default() -> Means {
        Means { store: Store::Exact, jobs: 1 }
    }
}

/// Explores a protocol breadth first, by the symmetries of the scope as far as the protocol has them, and calls `report` with
/// the progress a few times a second. One thread explores, and states are stored exactly.
///
/// # Errors
/// Fails if the protocol or the scope is not supported by the [`Stepper`].
pub fn explore(
    protocol: &Protocol,
    scope: &Scope,
    limits: &Limits,
    report: &mut dyn FnMut(&Progress),
) -> Result<Exploration, StepperError> {
    explore_by(protocol, scope, &Means::default(), limits, report)
}

/// Explores a protocol as [`explore`] does, by some means.
///
/// # Errors
/// Fails if the protocol or the scope is not supported by the [`Stepper`].
pub fn explore_by(
    protocol: &Protocol,
    scope: &Scope,
    means: &Means,
    limits: &Limits,
    report: &mut dyn FnMut(&Progress),
) -> Result<Exploration, StepperError> {
    let mut scope = scope.clone();
    let mut ordered = Vec::new();
    let mut seed = 0;
    loop {
        let stepper = PartStepper::new(Stepper::new(protocol, &scope)?);
        let mut search = Search::new(stepper, means, seed);
        let (end, progress) = search.run(limits, report);
        if let Some((symmetry, place)) = search.broken() {
            // The exploration is void: once more, without this symmetry.
            scope.symmetries.retain(|&other| other != symmetry);
            ordered.push(Asymmetry { symmetry, reason: Why::Ordered(place) });
        } else if let Some(explored) = concluded(search, end, progress, &ordered) {
            return Ok(explored);
        } else {
            // Two states with one fingerprint were taken for each other: once more, with others.
            seed += 1;
        }
    }
}

/// What an exploration says. Nothing if a run to what it found is none, as happens if two states have one fingerprint.
fn concluded(
    mut search: Search,
    end: End,
    progress: Progress,
    ordered: &[Asymmetry],
) -> Option<Exploration> {
    let noted = std::mem::take(&mut search.warnings);
    let mut warnings = Vec::with_capacity(noted.len());
    for (warning, state, chosen) in noted {
        let run = search.run_to_warning(state, chosen, &warning)?;
        let Violation { steps, moves, .. } = describe(&mut search, &run, Finding::Fault);
        warnings.push(WarningRun { warning, steps, moves });
    }
    let verdict = match end {
        End::Complete if search.states.are_exact() => Verdict::Clean,
        End::Complete => Verdict::Unproved { missed: states::missed(progress.states) },
        End::Stopped(why) => Verdict::Stopped(why),
        End::Found(finding, state) => {
            let (run, finding) = search.run_to_finding(state, finding)?;
            Verdict::Found(Box::new(describe(&mut search, &run, finding)))
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
    let stepper = search.stepper.stepper();
    let taken = stepper.system().coverage().into_iter();
    let taken = taken.map(|one| (one.machine.into(), one.state.into(), one.event.into()));
    let parties = stepper.parties();
    let taken = taken.collect();
    Some(Exploration { verdict, warnings, progress, taken, parties, symmetries, asymmetries })
}

/// Describes a run to a finding in words: its moves, each with the whole state before it.
fn describe(search: &mut Search, run: &[(Vec<u8>, Move)], finding: Finding) -> Violation {
    let stepper = search.stepper.stepper();
    let mut violation = Violation { finding, fault: None, steps: Vec::new(), moves: Vec::new() };
    for (state, chosen) in run {
        let (described, outcome) = stepper.describe(state, *chosen);
        violation.steps.push(described);
        violation.moves.push(*chosen);
        violation.fault = outcome.state.err();
    }
    violation
}

/// `core 0`, or `cores 0 and 2`
fn cores(set: u64) -> String {
    let numbers: Vec<String> =
        (0..64).filter(|core| set >> core & 1 == 1).map(|core: u64| core.to_string()).collect();
    match numbers.len() {
        1 => format!("core {}", numbers[0]),
        _ => format!("cores {}", numbers.join(" and ")),
    }
}

/// `core 0 is`, or `cores 0 and 2 are`
fn are(set: u64) -> String {
    let verb = if set.count_ones() == 1 { "is" } else { "are" };
    format!("{} {verb}", cores(set))
}
