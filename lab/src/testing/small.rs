//! Explores all runs of small systems, as far as the limits allow.

use std::fmt;
use std::time::{Duration, Instant};

use explore::protocol::{Exploration, Verdict, explore};
use explore::search::{Limits, Progress, Stopped};
use mutate::repair::Repaired;
use simulate::config::{handled, has_dma, most_threads, takes_flushes};
use simulate::program::Extras;
use simulate::stepper::{DescribedMove, Repertoire, Scope, Signal, Stepper, StepperError};
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;

use super::attribution::{ATTRIBUTION, is_without};
use super::deadlines::{Deadlines, left};
use super::finding::Signature;
use super::judge::{Problem, of_violation, of_warning};
use super::known::{needed, with};
use super::options::{Extent, Options, STATES};
use crate::error::{Error, Refusal};
use crate::protocols::{Opened, Repairs, refused, words_of};
use crate::text::quoted;

/// The size of a system that is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct System {
    /// The number of threads, each on a core of its own.
    pub threads: u32,
    /// The number of threads that share a first-level cache.
    pub per_cache: u32,
    /// The number of locations, each on a line of its own.
    pub locations: u32,
    /// Whether a cache has room for one line only.
    pub tiny: bool,
    /// The number of DMA devices.
    pub devices: u32,
    /// Whether cores have atomic instructions, which the first-level cache performs.
    pub atomics: bool,
    /// Whether cores flush lines.
    pub flushes: bool,
    /// What else cores do, by its name in `Repertoire::NAMES`.
    pub part: Option<&'static str>,
}

/// The largest number of DMA devices of a system that is explored. More add states, and hardly ever transitions.
const MOST_DEVICES: u32 = 2;

/// The systems, the smallest first. What programs are asked for beside their accesses is added.
const SYSTEMS: [System; 4] = [
    System::plain(2, 1, false),
    System::plain(2, 2, true),
    System::plain(3, 1, false),
    System::plain(2, 2, false),
];

/// The result of exploring a system.
#[derive(Clone, Debug)]
pub struct Explored {
    /// The system.
    pub system: System,
    /// The extent of the exploration of the protocol as it is.
    pub progress: Progress,
    /// The limit that ended it, if one did.
    pub stopped: Option<Stopped>,
    /// Whether a finding ended it. The states after a finding are explored on the repaired protocol only.
    pub is_found: bool,
    /// The extent of the exploration of the repaired protocol, if one was needed.
    pub repaired: Option<Progress>,
    /// The findings, each with the repairs that explain it, if they do.
    pub(super) problems: Vec<Shown>,
}

/// A finding of an exploration.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub problem: Problem,
    pub steps: Vec<DescribedMove>,
    /// Whether no run is shorter.
    pub is_shortest: bool,
    /// What else is known about the end of the run.
    pub notes: Vec<String>,
    /// The transitions that the run takes, in order.
    pub taken: Vec<TableEntry>,
    /// When it was found.
    pub first: Instant,
    /// The repairs with which it is no longer found.
    pub known: Option<Vec<String>>,
    /// Whether it is certain that the finding is known or new. It is not if time ran out before the repaired protocol was explored as far.
    pub is_settled: bool,
    /// Whether it was found on the protocol with all repairs.
    pub is_repaired: bool,
}

impl System {
    /// A system whose cores load and store.
    const fn plain(threads: u32, locations: u32, tiny: bool) -> System {
        System {
            threads,
            per_cache: 1,
            locations,
            tiny,
            devices: 0,
            atomics: false,
            flushes: false,
            part: None,
        }
    }

    /// The system with the requests that the options ask for, as far as explorations have them: atomics that a protocol performs elsewhere than
    /// in the first-level cache and accesses to parts of words are left out.
    fn with_extras(self, options: &Options, protocol: &Protocol) -> System {
        let Extras { devices, flushes, atomics, .. } = options.extras.unwrap_or_default();
        System {
            // A protocol for few cores has them in one cache.
            per_cache: most_threads(protocol).unwrap_or(1),
            devices: devices.min(MOST_DEVICES),
            atomics: atomics > 0 && handled(protocol).atomics == 0,
            flushes: flushes > 0,
            ..self
        }
    }

    /// Whether all runs of another system are runs of this one, and more.
    fn contains(self, other: System) -> bool {
        let alike = System { threads: other.threads, locations: other.locations, ..self };
        alike == other && self.threads >= other.threads && self.locations >= other.locations
    }

    pub(super) fn scope(self, options: &Options) -> Scope {
        let mut repertoire = Repertoire {
            devices: self.devices,
            atomic: self.atomics,
            flush: self.flushes,
            ..Repertoire::default()
        };
        if let Some(part) = self.part.and_then(|part| repertoire.part(part)) {
            *part = true;
        }
        Scope {
            caches: self.threads,
            threads_per_cache: self.per_cache,
            lines: self.locations,
            tiny: self.tiny,
            repertoire,
            settings: options.settings.clone(),
            ..Scope::default()
        }
    }

    /// What cores do beside loads and stores, as an option and in words.
    fn also(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let all = [(self.atomics, "atomic", "atomics"), (self.flushes, "flush", "flushes")];
        let own = all.into_iter().filter_map(|(has, option, words)| has.then_some((option, words)));
        own.chain(self.part.map(|part| (part, part)))
    }

    /// The command that explores it, with some repairs.
    pub(super) fn command(self, given: &str, options: &Options, repairs: &Repairs) -> String {
        let mut words = vec![format!("rubric explore protocol {}", words_of(given))];
        if *repairs != Repairs::None {
            words.push(format!("--repair {repairs}"));
        }
        let counts = [
            ("threads", self.threads, 2),
            ("threads-per-cache", self.per_cache, 1),
            ("locations", self.locations, 1),
        ];
        let unusual = counts.iter().filter(|(_, count, usual)| count != usual);
        words.extend(unusual.map(|(option, count, _)| format!("--{option} {count}")));
        if self.tiny {
            words.push("--tiny".to_owned());
        }
        let also = self.also().map(|(option, _)| option).collect::<Vec<_>>();
        if !also.is_empty() {
            words.push(format!("--also {}", also.join(",")));
        }
        if self.devices > 0 {
            words.push(format!("--dma {}", self.devices));
        }
        let settings = options.settings.iter();
        words.extend(settings.map(|one| format!("--set {}", quoted(&one.to_string()))));
        words.join(" ")
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.locations == 1 { "" } else { "s" };
        write!(f, "{} threads, {} location{plural}", self.threads, self.locations)?;
        f.write_str(if self.tiny { ", one line a cache" } else { "" })?;
        self.also().try_for_each(|(_, words)| write!(f, ", {words}"))?;
        match self.devices {
            0 => Ok(()),
            1 => f.write_str(", 1 DMA device"),
            count => write!(f, ", {count} DMA devices"),
        }
    }
}

/// The systems that are explored of a protocol. If the options do not say what cores and devices ask for, the smallest one is also explored
/// with a device, with flushes, and with each of `parts`, which are names of what cores may do, as far as the protocol handles them.
pub(super) fn systems_of(
    protocol: &Protocol,
    options: &Options,
    parts: &[&'static str],
) -> Vec<System> {
    if !options.explores {
        return Vec::new();
    }
    let most = most_threads(protocol).unwrap_or(u32::MAX);
    let plain = SYSTEMS.map(|system| system.with_extras(options, protocol));
    let smallest = plain[0];
    let more = [
        (has_dma(protocol), System { devices: 1, ..smallest }),
        (takes_flushes(protocol), System { flushes: true, ..smallest }),
    ];
    let more = more.into_iter().filter(|(handles, _)| *handles && options.extras.is_none());
    let more = more.map(|(_, system)| system);
    let with_part = |&part: &&'static str| System { part: Some(part), ..smallest };
    let fits = |system: &System| Stepper::new(protocol, &system.scope(options)).is_ok();
    let with_parts: Vec<System> = parts.iter().map(with_part).filter(fits).collect();
    let mut all: Vec<System> = plain.into_iter().chain(more).chain(with_parts).collect();
    all.retain(|system| system.threads <= most);
    // What is small comes first: time that it does not use goes to the others.
    all.sort_by_key(|system| (system.locations, system.threads));
    all
}

/// Explores all systems, each until its limit.
///
/// # Errors
/// Fails if no such system can be built of the protocol.
pub(crate) fn explore_all(
    opened: &Opened,
    repaired: &Repaired,
    options: &Options,
    deadlines: Deadlines,
    parts: &[&'static str],
) -> Result<Vec<Explored>, Error> {
    let systems = systems_of(&opened.protocol, options, parts);
    let mut explored: Vec<Explored> = Vec::new();
    let mut working = deadlines.working;
    for (at, &system) in systems.iter().enumerate() {
        // Time that a system does not use goes to the others.
        let share = |left: Duration| left / (systems.len() - at) as u32;
        let own = left(working).map(share);
        // What is larger than a system for which there was no time does not end either. Programs and walks use the time better.
        let is_hopeless = |one: &Explored| {
            one.stopped == Some(Stopped::Time) && !one.is_found && system.contains(one.system)
        };
        if explored.iter().any(is_hopeless) {
            working = working.zip(own).and_then(|(working, own)| working.checked_sub(own));
            continue;
        }
        let until = own.map(|own| Instant::now() + own);
        let exploring = Exploring { opened, repaired, options, system, until, deadlines };
        explored.push(exploring.explore()?);
    }
    Ok(explored)
}

/// An exploration that is to be done.
struct Exploring<'a> {
    opened: &'a Opened,
    repaired: &'a Repaired,
    options: &'a Options,
    system: System,
    /// When the exploration ends.
    until: Option<Instant>,
    /// The deadlines of the test. Until its end it is determined which repairs explain the findings.
    deadlines: Deadlines,
}

impl Exploring<'_> {
    fn explore(&self) -> Result<Explored, Error> {
        let start = Instant::now();
        let original = &self.opened.protocol;
        let exploration = self.explored(original, self.limits(self.until, None))?;
        let mut explored = Explored {
            system: self.system,
            progress: exploration.progress,
            stopped: None,
            is_found: false,
            repaired: None,
            problems: shown(&exploration, original, false),
        };
        match exploration.verdict {
            Verdict::Clean | Verdict::Unproved { .. } => {}
            Verdict::Stopped(why) => explored.stopped = Some(why),
            Verdict::Found(_) => explored.is_found = true,
        }
        if explored.problems.is_empty() || self.repaired.applied.is_empty() {
            return Ok(explored);
        }
        // Findings that the repaired protocol has, too, are new; repairs explain the others. Its exploration gets at least as much time.
        let protocol = &self.repaired.protocol;
        let as_long = self.until.map(|until| until.max(Instant::now() + start.elapsed()));
        let as_long = as_long.into_iter().chain(self.deadlines.end).min();
        let exploration = self.explored(protocol, self.limits(as_long, None))?;
        explored.repaired = Some(exploration.progress);
        if !is_as_far(&exploration, explored.progress.states) {
            explored.problems.iter_mut().for_each(|problem| problem.is_settled = false);
            return Ok(explored);
        }
        let new = shown(&exploration, protocol, true);
        let is_new = |problem: &Shown| {
            new.iter().any(|one| one.problem.signature == problem.problem.signature)
        };
        let states = explored.progress.states * ATTRIBUTION;
        for problem in explored.problems.iter_mut().filter(|problem| !is_new(problem)) {
            problem.known = Some(self.attribute(&problem.problem.signature, states)?);
        }
        let is_there = |signature: &Signature| {
            explored.problems.iter().any(|one| one.problem.signature == *signature)
        };
        let added: Vec<Shown> =
            new.into_iter().filter(|one| !is_there(&one.problem.signature)).collect();
        explored.problems.extend(added);
        Ok(explored)
    }

    /// The repairs with which a finding is no longer there; empty if time ran out before that was known.
    fn attribute(&self, signature: &Signature, states: usize) -> Result<Vec<String>, Error> {
        let names = needed(&self.repaired.applied, &[], &mut |repairs| {
            let Some(protocol) = with(&self.opened.protocol, repairs) else {
                return Ok(false);
            };
            let exploration =
                self.explored(&protocol, self.limits(self.deadlines.end, Some(states)))?;
            Ok::<bool, Error>(is_without(&exploration, &protocol, signature))
        })?;
        Ok(if self.deadlines.is_over() { Vec::new() } else { names })
    }

    fn limits(&self, until: Option<Instant>, states: Option<usize>) -> Limits {
        let most = match self.options.extent {
            Extent::Runs(_) => Some(STATES),
            Extent::Time(_) => None,
        };
        Limits {
            bounds: self.deadlines.bounds(left(until), self.options.max_memory),
            states: states.into_iter().chain(most).min(),
        }
    }

    fn explored(&self, protocol: &Protocol, limits: Limits) -> Result<Exploration, Error> {
        let scope = self.system.scope(self.options);
        explore(protocol, &scope, &limits, &mut |_| {})
            .map_err(|problem| refusal(problem, &self.opened.given, protocol))
    }
}

/// Whether an exploration reached at least `states` states, or was not stopped by a limit.
fn is_as_far(exploration: &Exploration, states: usize) -> bool {
    !matches!(exploration.verdict, Verdict::Stopped(_)) || exploration.progress.states >= states
}

/// The findings and warnings of an exploration.
pub(super) fn shown(
    exploration: &Exploration,
    protocol: &Protocol,
    is_repaired: bool,
) -> Vec<Shown> {
    let shown = |problem: Problem, steps: &[DescribedMove], notes: Vec<String>| Shown {
        problem,
        notes,
        steps: steps.to_vec(),
        is_shortest: true,
        taken: taken(steps),
        first: Instant::now(),
        known: None,
        is_settled: true,
        is_repaired,
    };
    let found = match &exploration.verdict {
        Verdict::Found(found) => {
            Some(shown(of_violation(found, protocol), &found.steps, found.notes()))
        }
        Verdict::Clean | Verdict::Unproved { .. } | Verdict::Stopped(_) => None,
    };
    let warned = exploration
        .warnings
        .iter()
        .map(|warned| shown(of_warning(&warned.warning, protocol), &warned.steps, Vec::new()));
    found.into_iter().chain(warned).collect()
}

/// The transitions that the moves of a run take.
pub(super) fn taken(steps: &[DescribedMove]) -> Vec<TableEntry> {
    let signals = steps.iter().flat_map(|step| &step.signals);
    let taken = signals.filter_map(|signal| match signal {
        Signal::Changes { machine, event, states, .. } => {
            Some(TableEntry::new(machine, &states.0, event))
        }
        _ => None,
    });
    taken.collect()
}

/// The error of a system that cannot be explored. `given` is the protocol's name in messages.
pub(crate) fn refusal(problem: StepperError, given: &str, protocol: &Protocol) -> Error {
    match problem {
        StepperError::Protocol(failure) => refused(given, *failure),
        StepperError::Plan(diagnostics) => Error::Protocol(Box::new(Refusal {
            given: given.to_owned(),
            sources: protocol.sources().clone(),
            diagnostics,
        })),
        StepperError::Setup(what) => Error::run(given)(what),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_contain_those_with_less_of_the_same() {
        let [two, tiny, three, wide] = SYSTEMS;
        assert!(three.contains(two) && wide.contains(two) && !two.contains(three));
        assert!(!tiny.contains(two) && !System { devices: 1, ..two }.contains(two));
    }

    #[test]
    fn systems_have_the_devices_and_flushes_that_are_asked_for() {
        let protocol = Protocol::open("MOESI_hammer").unwrap();
        let extras = Extras { devices: 3, flushes: 10, atomics: 50, ..Extras::default() };
        let options = Options { extras: Some(extras), ..Options::default() };
        let system = SYSTEMS[1].with_extras(&options, &protocol);
        let named = "2 threads, 2 locations, one line a cache, atomics, flushes, 2 DMA devices";
        assert_eq!(system.to_string(), named);
        let command =
            "rubric explore protocol MOESI_hammer --locations 2 --tiny --also atomic,flush --dma 2";
        assert_eq!(system.command("MOESI_hammer", &options, &Repairs::None), command);
        let scope = system.scope(&options);
        assert_eq!((scope.repertoire.devices, scope.repertoire.flush), (2, true));
        let plain = SYSTEMS[1].with_extras(&Options::default(), &protocol);
        assert_eq!(plain.to_string(), "2 threads, 2 locations, one line a cache");
        let drawn = systems_of(&protocol, &Options::default(), &[]);
        let named: Vec<String> = drawn[..3].iter().map(System::to_string).collect();
        assert_eq!(
            named,
            [
                "2 threads, 1 location",
                "2 threads, 1 location, 1 DMA device",
                "2 threads, 1 location, flushes"
            ]
        );
        assert_eq!(systems_of(&protocol, &options, &[]).len(), SYSTEMS.len());
    }
}
