//! Proofs that a coherence protocol in SLICC is right for any number of caches, and one line.
//!
//! [`prove`] explores systems with up to three caches first, which refutes most protocols that are wrong. For all larger systems it
//! then learns what any two caches may see of a run (`learn`): the states of the two, what the other controllers know,
//! and the messages, with one name for all other caches. What two caches see changes by a move of one of the two, of
//! another controller, or of a third cache; a third cache is one that sees with each of the two a pair that was learnt
//! (`join`). When no move leads to a new pair, the pairs are a proof, a [`Certificate`], which [`verify`] checks without
//! learning anything. `docs/prove.md` has the argument, with its conditions and the sources of the method.
//!
//! ```
//! use prove::{Answer, Options, prove, verify};
//! use slicc::protocol::Protocol;
//!
//! let protocol = Protocol::open("MI_example").expect("it is built in");
//! let answer = prove(&protocol, &Options::default(), &mut |_| {}).expect("it can be explored");
//! let Answer::Proved(certificate) = answer else { panic!("{answer:?}") };
//! assert!(verify(&protocol, &certificate).expect("it is a proof") > 1000);
//! ```

mod certificate;
mod join;
mod laws;
mod learn;
mod pairs;
mod verify;

use explore::protocol::{Finding, SearchOptions, Verdict, Violation, explore_by};
use explore::search::Limits;
use host::Bounds;
use simulate::stepper::{Order, Scope, StepperError, Symmetry};
use simulate::system::stepping::sections::{FEWEST, Sections, SectionsError};
use slicc::protocol::Protocol;
use slicc::setting::Setting;

pub use certificate::{Certificate, Malformed, digest};
pub use learn::AbstractRun;
pub use verify::{Rejection, verify};

/// How a protocol is proved.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which messages the network keeps in order.
    pub order: Order,
    /// Settings of parameters.
    pub settings: Vec<Setting>,
    /// Time and memory.
    pub bounds: Bounds,
    /// The most pairs of caches' states that are learnt.
    pub pairs: usize,
}

/// The most pairs, unless options say otherwise.
pub const MOST_PAIRS: usize = 1_000_000;

impl Default for Options {
    fn default() -> Options {
        Options {
            order: Order::default(),
            settings: Vec::new(),
            bounds: Bounds::none(),
            pairs: MOST_PAIRS,
        }
    }
}

/// How far a proof has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// A system with this number of caches is explored.
    Exploring(u32),
    /// A proof with this number of pairs is verified.
    Verifying(usize),
    /// Pairs are learnt: the number of those whose moves were made, and of all.
    Learning(usize, usize),
}

/// Why no proof was found.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Problem {
    /// The protocol does something that pairs do not show.
    #[error("{0}")]
    Unfit(String),
    /// A run of the abstraction ends with something wrong.
    #[error("what pairs of caches may see does not exclude that {}", .0.wrong)]
    Run(Box<AbstractRun>),
    /// What was learnt is no proof.
    #[error("what was learnt is no proof, which is a defect of rubric: {0}")]
    Rejected(String),
    /// There are more pairs than the limit allows.
    #[error("more than {0} pairs of caches' states")]
    TooMany(usize),
    /// The time or the memory that was given did not suffice.
    #[error("the time or memory that was given did not suffice")]
    Stopped,
}

/// A protocol that is wrong.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// The number of caches of the system.
    pub caches: u32,
    /// What was found, with a run that leads there.
    pub violation: Box<Violation>,
}

/// The answer about a protocol.
#[derive(Clone, Debug)]
pub enum Answer {
    /// It is right for any number of caches.
    Proved(Box<Certificate>),
    /// It is wrong.
    Refuted(Refutation),
    /// No proof was found, which says nothing about the protocol.
    NotProved(Problem),
}

/// Proves a protocol right for any number of caches, or refutes it, and reports the progress.
///
/// # Errors
/// Fails if small systems of the protocol cannot be explored.
pub fn prove(
    protocol: &Protocol,
    options: &Options,
    report: &mut dyn FnMut(Progress),
) -> Result<Answer, StepperError> {
    let scope = scope(options.order, &options.settings);
    for caches in 1..FEWEST {
        report(Progress::Exploring(caches));
        if let Some(answer) = explored(protocol, &scope, caches, options)? {
            return Ok(answer);
        }
    }
    Ok(prove_large(protocol, options, report))
}

/// Proves a protocol right for any number of caches from [`FEWEST`] on. Unlike [`prove`], it does not look at smaller systems, and so it
/// refutes nothing.
pub fn prove_large(
    protocol: &Protocol,
    options: &Options,
    report: &mut dyn FnMut(Progress),
) -> Answer {
    // Where messages may overtake each other, pairs are fewer. Most protocols do not need their order.
    let answer = learnt(protocol, options, false, report);
    match answer {
        Answer::NotProved(Problem::Run(_)) => learnt(protocol, options, true, report),
        answer => answer,
    }
}

fn learnt(
    protocol: &Protocol,
    options: &Options,
    uses_order: bool,
    report: &mut dyn FnMut(Progress),
) -> Answer {
    let scope = scope(options.order, &options.settings);
    let mut sections = match sections(protocol, &scope, uses_order) {
        Ok(sections) => sections,
        Err(problem) => return Answer::NotProved(problem),
    };
    let pairs = match learn::learn(protocol, &mut sections, options, report) {
        Ok(pairs) => pairs,
        Err(problem) => return Answer::NotProved(problem),
    };
    let certificate = Certificate {
        protocol: protocol.name().to_owned(),
        digest: digest(protocol),
        order: options.order,
        uses_order,
        settings: options.settings.clone(),
        counters: sections.counters().collect(),
        pairs: pairs.canonical().cloned().collect(),
    };
    report(Progress::Verifying(certificate.pairs.len()));
    match verify::verify_within(protocol, &certificate, &options.bounds) {
        Ok(_) => Answer::Proved(Box::new(certificate)),
        Err(Rejection::Problem(problem)) => Answer::NotProved(problem),
        Err(rejection) => Answer::NotProved(Problem::Rejected(rejection.to_string())),
    }
}

/// Explores a small system. Returns the answer, if the protocol is wrong or it is not known whether it is.
fn explored(
    protocol: &Protocol,
    scope: &Scope,
    caches: u32,
    options: &Options,
) -> Result<Option<Answer>, StepperError> {
    let symmetries = vec![Symmetry::Cores];
    let scope = Scope { caches, symmetries, live_variables: true, ..scope.clone() };
    let search = SearchOptions { partial_order: true, ..SearchOptions::default() };
    let limits = Limits { bounds: options.bounds.clone(), states: None };
    let explored = explore_by(protocol, &scope, &search, &limits, &mut |_| {})?;
    Ok(match explored.verdict {
        Verdict::Clean => None,
        Verdict::Found(violation) => Some(Answer::Refuted(Refutation { caches, violation })),
        Verdict::Stopped(_) | Verdict::Unproved { .. } => Some(Answer::NotProved(Problem::Stopped)),
    })
}

/// Whether a finding is one of those that proofs exclude: a fault, an SWMR violation or a stale value.
pub fn is_excluded(finding: &Finding) -> bool {
    matches!(finding, Finding::Fault | Finding::SwmrViolation { .. } | Finding::StaleValue { .. })
}

/// The systems that are proved right: one line, one request of each core.
fn scope(order: Order, settings: &[Setting]) -> Scope {
    Scope { order, settings: settings.to_vec(), ..Scope::default() }
}

/// The field of a request with the number of its core.
const CONTEXT: &str = "contextId";
/// The file of the library, which declares it.
const LIBRARY: &str = "RubySlicc_interfaces.slicc (built in)";

/// The protocol as a system of configurations.
fn sections(protocol: &Protocol, scope: &Scope, uses_order: bool) -> Result<Sections, Problem> {
    let mut files = protocol.sources().files().iter();
    if files.any(|file| file.text.contains(CONTEXT) && !file.path.ends_with(LIBRARY)) {
        return Err(Problem::Unfit(format!("it reads {CONTEXT}, the number of a core")));
    }
    let mut sections = Sections::new(protocol, scope).map_err(|error| match error {
        SectionsError::Unfit(why) => Problem::Unfit(why),
        SectionsError::Stepper(_) => {
            Problem::Unfit("a system with five caches cannot be built".to_owned())
        }
    })?;
    sections.keep_order(uses_order);
    Ok(sections)
}
