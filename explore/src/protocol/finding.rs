//! The findings of explorations, and their descriptions in words.

use serde::{Deserialize, Serialize};
use simulate::stepper::{DescribedMove, Move};
use simulate::system::Fault;

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
        /// The core or, after the cores, the DMA device that loaded.
        core: usize,
        /// The number of the line.
        line: usize,
    },
    /// A read-modify-write has written a line that another core or device has written since it was read.
    AtomicityViolation {
        /// The core.
        core: usize,
        /// The number of the line.
        line: usize,
    },
    /// A core has used the value of an early load after the line was overwritten, without having been notified.
    MissedInvalidation {
        /// The core.
        core: usize,
        /// The number of the line.
        line: usize,
    },
    /// No transition is possible, although requests, messages or transactions are outstanding.
    Deadlock {
        /// The cores and DMA devices that wait, a bit for each; none if only a message or a transaction is left.
        waiting: u64,
    },
    /// Transitions are possible, but none of the continuations completes what is outstanding.
    Livelock {
        /// The cores and DMA devices that wait, a bit for each.
        waiting: u64,
    },
}

impl Finding {
    /// The rank of the kind of finding, by gravity: the gravest kind has rank 0. Reported are findings of the lowest rank.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Finding::Fault => 0,
            Finding::SwmrViolation { .. } => 1,
            Finding::StaleValue { .. } => 2,
            Finding::AtomicityViolation { .. } => 3,
            Finding::MissedInvalidation { .. } => 4,
            Finding::Deadlock { .. } => 5,
            Finding::Livelock { .. } => 6,
        }
    }

    /// The finding without cores and lines, which differ between permutations of one run.
    pub(super) fn without_names(self) -> Finding {
        match self {
            Finding::Fault => Finding::Fault,
            Finding::SwmrViolation { .. } => {
                Finding::SwmrViolation { line: 0, writers: 0, readers: 0 }
            }
            Finding::StaleValue { .. } => Finding::StaleValue { core: 0, line: 0 },
            Finding::AtomicityViolation { .. } => Finding::AtomicityViolation { core: 0, line: 0 },
            Finding::MissedInvalidation { .. } => Finding::MissedInvalidation { core: 0, line: 0 },
            Finding::Deadlock { .. } => Finding::Deadlock { waiting: 0 },
            Finding::Livelock { .. } => Finding::Livelock { waiting: 0 },
        }
    }

    /// The line of the wrong value, if the finding is about a value.
    pub fn line_of_value(&self) -> Option<usize> {
        match self {
            Finding::StaleValue { line, .. }
            | Finding::AtomicityViolation { line, .. }
            | Finding::MissedInvalidation { line, .. } => Some(*line),
            _ => None,
        }
    }

    /// Whether the finding is about requests that wait for ever.
    pub(super) fn is_stuck(&self) -> bool {
        matches!(self, Finding::Deadlock { .. } | Finding::Livelock { .. })
    }

    /// The name of this kind of finding in output.
    pub fn name(&self) -> &'static str {
        match self {
            Finding::Fault => "fault",
            Finding::SwmrViolation { .. } => "SWMR violation",
            Finding::StaleValue { .. } => "stale value",
            Finding::AtomicityViolation { .. } => "atomicity violation",
            Finding::MissedInvalidation { .. } => "missed invalidation",
            Finding::Deadlock { .. } => "deadlock",
            Finding::Livelock { .. } => "livelock",
        }
    }
}

/// The last write of a line before a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatestWrite {
    /// The core or, after the cores, the DMA device.
    pub agent: usize,
    /// The number of the move of the run, from 1 on.
    pub step: usize,
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
    /// The number of cores. Agents with this number or a higher one are DMA devices.
    pub cores: usize,
    /// The last write to the line of the finding before it. `None` if the run has none, or if the finding is not about a value.
    pub latest: Option<LatestWrite>,
    /// The requests, messages and transactions that wait in the last state, in words, if the finding is a deadlock or a livelock.
    pub left: Vec<String>,
}

impl Violation {
    /// What else is known about the end of the run, in sentences: who wrote a value last, or what waits.
    pub fn notes(&self) -> Vec<String> {
        self.latest_sentence().into_iter().chain(self.left.iter().cloned()).collect()
    }

    /// The finding as a sentence: the fault's own message if it is one.
    pub fn sentence(&self) -> String {
        match &self.finding {
            Finding::Fault => match &self.fault {
                Some(fault) => fault.message.clone(),
                None => "the protocol failed".to_owned(),
            },
            Finding::SwmrViolation { line, writers, readers } => {
                let reading = match readers {
                    0 => String::new(),
                    _ => format!(", and {} may read it", self.agents(*readers)),
                };
                format!(
                    "SWMR violation: {} may write line {line}{reading}",
                    self.agents(*writers)
                )
            }
            Finding::StaleValue { core, line } => format!(
                "stale value: {} loaded a value of line {line} that was not the latest at any time since the load began",
                self.agents(1 << core)
            ),
            Finding::AtomicityViolation { core, line } => format!(
                "atomicity violation: {} wrote line {line} in a read-modify-write although the value that it read was no \
                 longer the latest",
                self.agents(1 << core)
            ),
            Finding::MissedInvalidation { core, line } => format!(
                "missed invalidation: {} used a value of line {line} that it had loaded early and that was no longer the \
                 latest, and was not told",
                self.agents(1 << core)
            ),
            Finding::Deadlock { waiting: 0 } => {
                "deadlock: a message or a transaction is left, and nothing that a controller can do changes that"
                    .to_owned()
            }
            Finding::Deadlock { waiting } => {
                let waiting = self.are(*waiting);
                format!("deadlock: {waiting} waiting, and nothing that a controller can do changes that")
            }
            Finding::Livelock { waiting: 0 } => {
                "livelock: a message or a transaction is left, and no sequence of transitions completes it"
                    .to_owned()
            }
            Finding::Livelock { waiting } => {
                let waiting = self.are(*waiting);
                format!("livelock: {waiting} waiting, and no sequence of transitions completes the requests")
            }
        }
    }

    /// A sentence about the last write to the line of a wrong value, or that there was none; none if the finding is not about a value.
    pub fn latest_sentence(&self) -> Option<String> {
        let line = self.finding.line_of_value()?;
        Some(match self.latest {
            Some(LatestWrite { agent, step }) => {
                format!(
                    "line {line} was last written by {}, in move {step}",
                    self.agents(1 << agent)
                )
            }
            None => format!(
                "nobody has written line {line} in this run: the value is of a block that was never filled with the line's data"
            ),
        })
    }

    /// The names of a set of agents: `core 0`, `cores 0 and 2`, or `core 1 and DMA device 0`.
    fn agents(&self, set: u64) -> String {
        let members = (0..64_usize).filter(|agent| set >> agent & 1 == 1);
        let (cores, devices): (Vec<usize>, Vec<usize>) =
            members.partition(|&agent| agent < self.cores);
        let devices: Vec<usize> = devices.into_iter().map(|device| device - self.cores).collect();
        let named = [("core", cores), ("DMA device", devices)].map(|(name, numbers)| {
            let plural = if numbers.len() == 1 { "" } else { "s" };
            let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
            (!numbers.is_empty()).then(|| format!("{name}{plural} {}", numbers.join(" and ")))
        });
        named.into_iter().flatten().collect::<Vec<_>>().join(" and ")
    }

    /// The names of a set of agents with a verb: `core 0 is`, or `cores 0 and 2 are`.
    fn are(&self, set: u64) -> String {
        let verb = if set.count_ones() == 1 { "is" } else { "are" };
        format!("{} {verb}", self.agents(set))
    }
}
