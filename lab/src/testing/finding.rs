//! The kinds of findings, and when two runs show the same one.

use std::fmt;
use std::time::Instant;

use memory::Model;
use simulate::client::Client;
use simulate::recipe::Lineage;
use simulate::system::FaultKind;
use slicc::outline::TableEntry;

use super::evidence::Evidence;

/// A defect of a protocol, as runs or explorations show it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The signature, which is the same in all runs that show the finding.
    pub signature: Signature,
    /// What happened in the run that represents the finding.
    pub message: String,
    /// The place in the protocol's files, if it is known.
    pub source: Option<Source>,
    /// The kinds of cores on which it was seen, by name; none if only exploration found it.
    pub clients: Vec<String>,
    /// The number of runs that showed it.
    pub seen: u32,
    /// Other findings that are considered the same fault: violations whose programs show this finding, too, and what comes of the same change
    /// of a protocol. Their runs are counted here.
    pub also: Vec<Signature>,
    /// When it was first seen.
    pub first: Instant,
    /// The part of the change that comes nearest before it, if versions are compared and one is known.
    pub change: Option<NearestChange>,
    /// The run that represents the finding; none if exploration found it.
    pub witness: Option<Witness>,
    /// The command that reproduces it.
    pub command: String,
    /// The released faults that explain it, if they do.
    pub known: Option<Known>,
    /// The part of a run that shows it.
    pub evidence: Evidence,
}

/// A part of the change of a protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NearestChange {
    /// A row of a table.
    Row(TableEntry),
    /// The only thing that differs, by machine, kind and name: `L1Cache function getState`.
    Declaration(String),
}

impl NearestChange {
    /// The row of a table, if it is one.
    pub fn row(&self) -> Option<&TableEntry> {
        match self {
            NearestChange::Row(entry) => Some(entry),
            NearestChange::Declaration(_) => None,
        }
    }
}

impl fmt::Display for NearestChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NearestChange::Row(entry) => write!(f, "{entry}"),
            NearestChange::Declaration(name) => f.write_str(name),
        }
    }
}

/// A run that shows a finding.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The kind of core.
    pub client: Client,
    /// The recipe of its program and system.
    pub lineage: Lineage,
    /// Whether the protocol had all repairs that fit.
    pub is_repaired: bool,
}

#[cfg(test)]
impl Finding {
    /// A finding that one run shows, of which nothing else is known.
    pub(crate) fn plain(signature: Signature) -> Finding {
        Finding {
            signature,
            message: String::new(),
            source: None,
            clients: Vec::new(),
            seen: 1,
            also: Vec::new(),
            first: Instant::now(),
            change: None,
            witness: None,
            command: String::new(),
            known: None,
            evidence: Evidence::Recent(Vec::new()),
        }
    }
}

impl Finding {
    /// Counts the runs of another finding that is considered the same fault as runs of this one.
    pub(super) fn lead(&mut self, other: Finding) {
        self.also.push(other.signature.clone());
        self.also.extend(other.also.iter().cloned());
        self.absorb(other);
    }

    /// Counts the runs of another finding with the same signature as runs of this one. It is known only if both are.
    pub(super) fn absorb(&mut self, other: Finding) {
        self.seen += other.seen;
        self.first = self.first.min(other.first);
        self.clients.extend(other.clients);
        self.clients.sort();
        self.clients.dedup();
        self.known = match (self.known.take(), other.known) {
            (Some(mut known), Some(more)) => {
                let sets = std::iter::once(more.repairs).chain(more.others);
                for set in sets {
                    if !known.sets().any(|one| *one == set) {
                        known.others.push(set);
                    }
                }
                Some(known)
            }
            _ => None,
        };
    }
}

/// A place in a protocol's files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// Name of the file, as messages show it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The text of the protocol at the place.
    pub text: String,
}

/// The faults of gem5's released protocols that explain a finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Known {
    /// The repairs that make the run clean: one alone if that is enough. Empty if all repairs together do, and time ran out before it was
    /// known which are enough.
    pub repairs: Vec<String>,
    /// Further sets of repairs, if runs of one finding need different repairs: each set makes some of the runs clean.
    pub others: Vec<Vec<String>>,
}

impl Known {
    /// The faults that these repairs take out.
    pub fn by(repairs: Vec<String>) -> Known {
        Known { repairs, others: Vec::new() }
    }

    /// The sets of repairs, at least one.
    pub fn sets(&self) -> impl Iterator<Item = &Vec<String>> {
        std::iter::once(&self.repairs).chain(&self.others)
    }

    /// The names of all repairs, each once.
    pub fn all(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for name in self.sets().flatten() {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }
}

/// Identifies a finding: two runs with the same signature show the same finding. Signatures are ordered as in reports, the worst first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Signature {
    /// The kind of the finding.
    pub kind: FindingKind,
    /// The transition or the source text that it is about; empty if it is about none.
    pub place: String,
}

/// The kinds of findings, the worst first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingKind {
    /// A core may write a line while another one may read or write it.
    SwmrViolation,
    /// A load returned a value that was not the latest at any time since it began.
    StaleValue,
    /// The cores observed what a memory model forbids. The model is the weakest of those that the core guarantees.
    Violation(Weakness, Cores),
    /// A read-modify-write has written a line that another core or device has written since it was read.
    AtomicityViolation,
    /// A core has used the value of an early load after the line was overwritten, without having been notified.
    MissedInvalidation,
    /// No transition is possible, although requests are outstanding.
    Deadlock,
    /// Transitions are possible, but none of the continuations completes what is outstanding.
    Livelock,
    /// A request may wait for ever, although every message arrives and every controller goes on.
    Starvation,
    /// An event occurred in a state that has no transition for it.
    UndefinedTransition,
    /// The protocol called `error`.
    Error,
    /// An assertion failed.
    FailedAssertion,
    /// The protocol followed a null pointer, or used an object of the library in a way that gem5 refuses.
    Misuse,
    /// Some other fault ended a run.
    OtherFault,
    /// The protocol did something evidently wrong that gem5 accepts.
    Warning,
}

/// A violated model, ordered so that violations of weaker models, which are worse, come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weakness(pub Model);

impl Weakness {
    /// The number of models that the model includes: the weaker it is, the more.
    fn rank(self) -> std::cmp::Reverse<usize> {
        std::cmp::Reverse(memory::models::ALL.iter().filter(|one| self.0.includes(**one)).count())
    }
}

impl PartialOrd for Weakness {
    fn partial_cmp(&self, other: &Weakness) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Weakness {
    fn cmp(&self, other: &Weakness) -> std::cmp::Ordering {
        (self.rank(), self.0.name()).cmp(&(other.rank(), other.0.name()))
    }
}

/// Kinds of cores, as far as a finding depends on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cores {
    /// Cores that rely on nothing but the answers to their requests.
    Plain,
    /// Cores that load early and rely on a notification when a line leaves their cache.
    EarlyLoads,
}

impl Cores {
    /// The class of a kind of core.
    pub fn of(client: Client) -> Cores {
        if client.needs_evictions() { Cores::EarlyLoads } else { Cores::Plain }
    }
}

impl FindingKind {
    /// The kind of a fault that ended a run.
    pub fn of_fault(kind: FaultKind) -> FindingKind {
        match kind {
            FaultKind::InvalidTransition => FindingKind::UndefinedTransition,
            FaultKind::Error => FindingKind::Error,
            FaultKind::Assertion => FindingKind::FailedAssertion,
            FaultKind::Misuse => FindingKind::Misuse,
            FaultKind::Deadlock => FindingKind::Deadlock,
            FaultKind::NothingCompleted | FaultKind::Output => FindingKind::OtherFault,
        }
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FindingKind::SwmrViolation => f.write_str("SWMR violation"),
            FindingKind::StaleValue => f.write_str("stale value"),
            FindingKind::Violation(model, Cores::Plain) => write!(f, "{} violation", model.0),
            FindingKind::Violation(model, Cores::EarlyLoads) => {
                write!(f, "{} violation under early loads", model.0)
            }
            FindingKind::Deadlock => f.write_str("deadlock"),
            FindingKind::AtomicityViolation => f.write_str("atomicity violation"),
            FindingKind::MissedInvalidation => f.write_str("missed invalidation"),
            FindingKind::Livelock => f.write_str("livelock"),
            FindingKind::Starvation => f.write_str("starvation"),
            FindingKind::UndefinedTransition => f.write_str("undefined transition"),
            FindingKind::Error => f.write_str("protocol error"),
            FindingKind::FailedAssertion => f.write_str("failed assertion"),
            FindingKind::Misuse => f.write_str("misuse"),
            FindingKind::OtherFault => f.write_str("fault"),
            FindingKind::Warning => f.write_str("error that gem5 accepts"),
        }
    }
}

impl Signature {
    /// The machine, state and event of an undefined transition; `None` for other findings.
    pub fn entry(&self) -> Option<TableEntry> {
        let (machine, row) = self.place.split_once(" (")?;
        let (state, event) = row.strip_suffix(')')?.split_once(", ")?;
        let is_row = self.kind == FindingKind::UndefinedTransition;
        is_row.then(|| TableEntry::new(machine, state, event))
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.is_empty() {
            write!(f, "{}", self.kind)
        } else {
            write!(f, "{}: {}", self.kind, self.place)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_comes_first() {
        let violation = |model, cores| FindingKind::Violation(Weakness(model), cores);
        let mut kinds = [
            FindingKind::Warning,
            FindingKind::Deadlock,
            violation(Model::SC, Cores::EarlyLoads),
            violation(Model::TSO, Cores::EarlyLoads),
            violation(Model::PSO, Cores::Plain),
            FindingKind::SwmrViolation,
        ];
        kinds.sort();
        let names: Vec<String> = kinds.iter().map(ToString::to_string).collect();
        assert_eq!(
            names,
            [
                "SWMR violation",
                "PSO violation",
                "TSO violation under early loads",
                "SC violation under early loads",
                "deadlock",
                "error that gem5 accepts"
            ]
        );
    }
}
