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

use std::cell::RefCell;

use serde::{Deserialize, Serialize};
use simulate::stepper::{
    DescribedMove, Freshness, Holders, Move, Outcome, Party, Scope, Stepper, StepperError,
};
use simulate::system::{Fault, Warning};
use slicc::protocol::Protocol;

use crate::graph::Graph;
use crate::search::{self, Limits, Progress, Stopped, Visited};
use crate::settle::{self, Settles};

/// A state of the graph that is searched: a state of the system, or the end of a run with a
/// finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Node {
    /// A state, in the stepper's encoding.
    Running(Vec<u8>),
    /// The last move led to a finding.
    Wrong(Finding),
}

/// A defect of the protocol that an exploration found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
}

/// The graph of a protocol's states and moves.
struct Explored {
    stepper: RefCell<Stepper>,
    /// The warnings, each with the state and the move in which it first occurred.
    warnings: RefCell<Vec<(Warning, Vec<u8>, Move)>>,
}

impl Explored {
    /// Records new warnings. States are explored in the order of their distance, so the first
    /// occurrence has a shortest run.
    fn note(&self, warnings: &[Warning], state: &[u8], chosen: Move) {
        let mut known = self.warnings.borrow_mut();
        for warning in warnings {
            if !known.iter().any(|(other, ..)| other.is_same(warning)) {
                known.push((warning.clone(), state.to_vec(), chosen));
            }
        }
    }

    /// The warnings, each with a run that leads to it.
    fn warnings(&self, seen: &Visited) -> Vec<WarningRun> {
        let warnings = self.warnings.take();
        let warnings = warnings.into_iter().filter_map(|(warning, state, chosen)| {
            let at = seen.number::<Explored>(&Node::Running(state.clone()))?;
            let (first, steps) = search::path(self, seen, at);
            let run = run_violation(self, &first, &steps);
            let (mut steps, mut moves) = (run.steps, run.moves);
            steps.push(self.stepper.borrow_mut().describe(&state, chosen).0);
            moves.push(chosen);
            Some(WarningRun { warning, steps, moves })
        });
        warnings.collect()
    }

    fn waiting(&self, state: &[u8]) -> u64 {
        let stepper = self.stepper.borrow();
        let waits = (0..stepper.cores()).filter(|&core| stepper.waits(state, core) > 0);
        waits.fold(0, |all, core| all | 1 << core)
    }
}

impl Graph for Explored {
    type State = Node;
    type Move = Move;
    type Goal = Finding;

    fn initial(&self) -> Vec<Node> {
        vec![Node::Running(self.stepper.borrow().first())]
    }

    fn moves(&self, node: &Node, visit: &mut dyn FnMut(Move, Node)) {
        let Node::Running(state) = node else { return };
        let mut stepper = self.stepper.borrow_mut();
        for chosen in stepper.moves(state) {
            let outcome = stepper.take(state, chosen);
            self.note(&outcome.warnings, state, chosen);
            visit(chosen, next(outcome));
        }
    }

    fn goal(&self, node: &Node) -> Option<Finding> {
        match node {
            Node::Running(_) => None,
            Node::Wrong(finding) => Some(finding.clone()),
        }
    }
}

impl Settles for Explored {
    fn is_settled(&self, node: &Node) -> bool {
        match node {
            Node::Running(state) => !self.stepper.borrow().is_busy(state),
            Node::Wrong(_) => true,
        }
    }

    fn is_spontaneous(&self, taken: &Move) -> bool {
        !matches!(taken, Move::Ask { .. })
    }

    fn stuck(&self, node: &Node, is_final: bool) -> Finding {
        let waiting = match node {
            Node::Running(state) => self.waiting(state),
            Node::Wrong(_) => 0,
        };
        if is_final { Finding::Deadlock { waiting } } else { Finding::Livelock { waiting } }
    }
}

/// The state after a move, or the finding that it leads to.
fn next(outcome: Outcome) -> Node {
    let mut performed = outcome.performed.iter();
    if let Some(access) = performed.find(|access| access.freshness == Freshness::Stale) {
        return Node::Wrong(Finding::StaleValue { core: access.core, line: access.line });
    }
    let Ok(state) = outcome.state else {
        return Node::Wrong(Finding::Fault);
    };
    match outcome.holders.iter().position(|holders| holders.clash()) {
        Some(line) => {
            let Holders { writers, readers } = outcome.holders[line];
            Node::Wrong(Finding::SwmrViolation { line, writers, readers })
        }
        None => Node::Running(state),
    }
}

/// Explores a protocol breadth first, and calls `report` with the progress a few times a second.
///
/// # Errors
/// Fails if the protocol or the scope is not supported by the [`Stepper`].
pub fn explore(
    protocol: &Protocol,
    scope: &Scope,
    limits: &Limits,
    report: &mut dyn FnMut(&Progress),
) -> Result<Exploration, StepperError> {
    let graph = Explored {
        stepper: RefCell::new(Stepper::new(protocol, scope)?),
        warnings: RefCell::default(),
    };
    let (outcome, progress, seen) = settle::breadth_first(&graph, limits, report);
    let warnings = graph.warnings(&seen);
    let verdict = match outcome {
        search::Outcome::None => Verdict::Clean,
        search::Outcome::Stopped(why) => Verdict::Stopped(why),
        search::Outcome::Found(run) => {
            let violation = run_violation(&graph, &run.first, &run.steps);
            Verdict::Found(Box::new(Violation { finding: run.goal, ..violation }))
        }
    };
    let stepper = graph.stepper.into_inner();
    let taken = stepper.system().coverage().into_iter();
    let taken = taken.map(|one| (one.machine.into(), one.state.into(), one.event.into()));
    let parties = stepper.parties();
    Ok(Exploration { verdict, warnings, progress, taken: taken.collect(), parties })
}

/// Describes a run in words.
fn run_violation(graph: &Explored, first: &Node, steps: &[(Move, Node)]) -> Violation {
    let mut stepper = graph.stepper.borrow_mut();
    let mut violation =
        Violation { finding: Finding::Fault, fault: None, steps: Vec::new(), moves: Vec::new() };
    let mut before = first;
    for (chosen, after) in steps {
        if let Node::Running(state) = before {
            let (described, outcome) = stepper.describe(state, *chosen);
            violation.steps.push(described);
            violation.moves.push(*chosen);
            violation.fault = outcome.state.err();
        }
        before = after;
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
