//! All runs of a simulated protocol, at a small size.
//!
//! The states and moves are those of [`simulate::stepper`]. What is looked for:
//!
//! - a *fault* of the protocol: an event without a transition, a failed assertion, a pointer that is null, and so on;
//! - *two holders*: a core may write a line while another one may read or write it, by the permissions of the entries
//!   in the caches of the cores' own controllers (single writer, multiple readers);
//! - a *dead value*: a load returns a value that was not the latest of its line at any time since the load began. What
//!   the latest value is the stores say, in the order in which memory performs them. Some protocols complete a load
//!   with a block that an invalidation has overtaken (MESI's `IS_I`): it is old, but not dead. Without dead values all
//!   runs are linearizable, so with one request at a time they are sequentially consistent, and none has a nice cycle of
//!   any length;
//! - a *deadlock*: nothing happens by itself any more, and yet a core waits, or a message or transaction is left;
//! - a *livelock*: something does, but no run of what happens by itself comes to an end (see [`settle`]).
//!
//! What gem5 accepts although it is evidently wrong ends no run, but is a [`Warned`] of the result, with a shortest run
//! that leads there: the use of an entry that was never allocated, for example (see [`simulate::system::library`]).
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
use simulate::stepper::{Freshness, Holders, Move, Outcome, Problem, Scope, Stepper, Telling};
use simulate::system::{Fault, Warning};
use slicc::protocol::Protocol;

use crate::graph::Graph;
use crate::search::{self, Limits, Progress, Seen, Stopped};
use crate::settle::{self, Settles};

/// A state of the system, or the end of a run that went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Node {
    /// As the stepper writes it down.
    Running(Vec<u8>),
    /// The last move went wrong.
    Wrong(Finding),
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Finding {
    /// The protocol failed.
    Fault,
    /// A core may write a line while another core holds it.
    TwoHolders {
        /// The line.
        line: usize,
        /// The cores that may write it.
        writers: u64,
        /// Those that may read it.
        readers: u64,
    },
    /// A load returned a value that it may not.
    DeadValue {
        /// The core.
        core: usize,
        /// The line.
        line: usize,
    },
    /// Nothing happens any more.
    Deadlock {
        /// The cores that wait, a bit for each; none if only a message or a transaction is left.
        waiting: u64,
    },
    /// What happens leads nowhere.
    Livelock {
        /// The cores that wait, a bit for each.
        waiting: u64,
    },
}

impl Finding {
    /// A short name.
    pub fn name(&self) -> &'static str {
        match self {
            Finding::Fault => "fault",
            Finding::TwoHolders { .. } => "two holders",
            Finding::DeadValue { .. } => "dead value",
            Finding::Deadlock { .. } => "deadlock",
            Finding::Livelock { .. } => "livelock",
        }
    }
}

/// Something wrong, and a shortest run that leads there.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What is wrong.
    pub finding: Finding,
    /// How the protocol failed, if it did.
    pub fault: Option<Box<Fault>>,
    /// The run.
    pub steps: Vec<Telling>,
    /// Its moves.
    pub moves: Vec<Move>,
}

/// Something that gem5 accepts although it is evidently wrong, and a shortest run that leads there.
#[derive(Clone, Debug)]
pub struct Warned {
    /// What it is.
    pub warning: Warning,
    /// The run; it happens in the last move.
    pub steps: Vec<Telling>,
    /// Its moves.
    pub moves: Vec<Move>,
}

/// What an exploration says.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// All that can be reached was looked at, and nothing is wrong.
    Clean,
    /// Something is wrong.
    Found(Box<Violation>),
    /// Nobody knows: nothing was wrong up to here.
    Stopped(Stopped),
}

/// An entry of a protocol's tables that was taken: machine, state and event.
pub type Taken = (String, String, String);

/// What became of an exploration.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// What it says.
    pub verdict: Verdict,
    /// What was warned about, one for each place in the protocol, in the order in which they were found. There are none
    /// where the scope is strict: the first is a fault then.
    pub warnings: Vec<Warned>,
    /// How far it got.
    pub progress: Progress,
    /// The transitions that were taken, in the order of machines, states and events.
    pub taken: Vec<Taken>,
}

/// The graph of a protocol.
struct Explored {
    stepper: RefCell<Stepper>,
    /// What was warned about, and the state and the move in which it first was.
    warnings: RefCell<Vec<(Warning, Vec<u8>, Move)>>,
}

impl Explored {
    /// Keeps the warnings that are new. States are looked at in the order of their distance, so that the first is one
    /// with a shortest run.
    fn note(&self, warnings: &[Warning], state: &[u8], chosen: Move) {
        let mut known = self.warnings.borrow_mut();
        for warning in warnings {
            if !known.iter().any(|(other, ..)| other.is_same(warning)) {
                known.push((warning.clone(), state.to_vec(), chosen));
            }
        }
    }

    /// The warnings with the runs that lead there.
    fn warned(&self, seen: &Seen) -> Vec<Warned> {
        let warnings = self.warnings.take();
        let warnings = warnings.into_iter().filter_map(|(warning, state, chosen)| {
            let at = seen.number::<Explored>(&Node::Running(state.clone()))?;
            let (first, steps) = search::path(self, seen, at);
            let told = tell(self, &first, &steps);
            let (mut steps, mut moves) = (told.steps, told.moves);
            steps.push(self.stepper.borrow_mut().tell(&state, chosen).0);
            moves.push(chosen);
            Some(Warned {
                warning,
                steps,
                moves,
            })
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

    fn happens_by_itself(&self, taken: &Move) -> bool {
        !matches!(taken, Move::Ask { .. })
    }

    fn stuck(&self, node: &Node, dead: bool) -> Finding {
        let waiting = match node {
            Node::Running(state) => self.waiting(state),
            Node::Wrong(_) => 0,
        };
        match dead {
            true => Finding::Deadlock { waiting },
            false => Finding::Livelock { waiting },
        }
    }
}

/// The state after a move, if nothing is wrong with it.
fn next(outcome: Outcome) -> Node {
    let dead = outcome.performed.iter();
    let dead = dead
        .clone()
        .find(|access| access.freshness == Freshness::Dead);
    if let Some(access) = dead {
        return Node::Wrong(Finding::DeadValue {
            core: access.core,
            line: access.line,
        });
    }
    let Ok(state) = outcome.state else {
        return Node::Wrong(Finding::Fault);
    };
    match outcome.holders.iter().position(|holders| holders.clash()) {
        Some(line) => {
            let Holders { writers, readers } = outcome.holders[line];
            Node::Wrong(Finding::TwoHolders {
                line,
                writers,
                readers,
            })
        }
        None => Node::Running(state),
    }
}

/// Explores a protocol. The progress is reported now and then.
///
/// # Errors
/// The protocol, or the size, does not fit.
pub fn explore(
    protocol: &Protocol,
    scope: &Scope,
    limits: &Limits,
    report: &mut dyn FnMut(&Progress),
) -> Result<Exploration, Problem> {
    let graph = Explored {
        stepper: RefCell::new(Stepper::new(protocol, scope)?),
        warnings: RefCell::default(),
    };
    let (outcome, progress, seen) = settle::watched(&graph, limits, report);
    let warnings = graph.warned(&seen);
    let verdict = match outcome {
        search::Outcome::None => Verdict::Clean,
        search::Outcome::Stopped(why) => Verdict::Stopped(why),
        search::Outcome::Found(run) => {
            let told = tell(&graph, &run.first, &run.steps);
            Verdict::Found(Box::new(Violation {
                finding: run.goal,
                ..told
            }))
        }
    };
    let stepper = graph.stepper.into_inner();
    let taken = stepper.system().coverage().into_iter();
    let taken = taken.map(|one| (one.machine.into(), one.state.into(), one.event.into()));
    Ok(Exploration {
        verdict,
        warnings,
        progress,
        taken: taken.collect(),
    })
}

/// A run in words.
fn tell(graph: &Explored, first: &Node, steps: &[(Move, Node)]) -> Violation {
    let mut stepper = graph.stepper.borrow_mut();
    let mut violation = Violation {
        finding: Finding::Fault,
        fault: None,
        steps: Vec::new(),
        moves: Vec::new(),
    };
    let mut before = first;
    for (chosen, after) in steps {
        if let Node::Running(state) = before {
            let (telling, outcome) = stepper.tell(state, *chosen);
            violation.steps.push(telling);
            violation.moves.push(*chosen);
            violation.fault = outcome.state.err();
        }
        before = after;
    }
    violation
}
