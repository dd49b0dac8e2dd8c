//! Explorations of protocols in small systems: everything that one finds out about a protocol, or a mutant of it.
//!
//! A [`Plan`] says what is explored, and writes the command that repeats it. [`Subject`] is a protocol, whose [`explore`](Subject::explore)
//! visits all states, looks for starvation and nice cycles if asked to, and for the known faults that explain what is found. [`Explored`] has
//! the results; [`text`] and [`json`] show them. [`program`] explores concurrent programs, [`memory_system`] decides memory systems.

pub mod fair;
pub mod json;
pub mod memory_system;
pub mod moves;
pub(crate) mod plan;
pub mod program;
pub mod text;
pub(crate) mod unreached;

use std::borrow::Cow;
use std::sync::atomic::AtomicBool;

use explore::memory::method::{Options, Search};
use explore::memory::slicc::nice_cycles;
use explore::protocol::fair::{Fair, starvation};
use explore::protocol::{
    Exploration, OnDiskError, SearchOptions, TransitionName, Verdict, WarningRun, Why, explore_in,
};
use explore::search::Progress;
use mutate::Mutant;
use mutate::unreached::Asked;
use simulate::stepper::{Scope, StepperError};
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;
use tables::Coverage;
use tables::reached::Reached;

use crate::coverage::table;
use crate::error::Error;
use crate::outcome::Outcome;
use crate::protocols::{Opened, Repairs};
use crate::testing::{Known, known_finding, known_warning, refusal};
use crate::text::written_at;
pub use plan::{Limits, Plan};
use unreached::Met;

/// A protocol to be explored.
pub struct Subject<'a> {
    /// The protocol as the user named it.
    pub given: &'a str,
    /// The protocol, or the mutant of it.
    pub protocol: Cow<'a, Protocol>,
}

/// The phase of an exploration, which its progress shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Visiting states.
    Exploring,
    /// Looking for known faults that explain what was found.
    Explaining,
}

/// The place of a warning, and the known fault that explains it.
pub struct Warned {
    /// The place in the protocol that the warning is about: file, line number, and the text there.
    pub place: Option<(String, usize, String)>,
    /// The fault of gem5's released protocol that explains it, if one does.
    pub known: Option<Known>,
}

/// The results of exploring a protocol.
pub struct Explored {
    /// The exploration of all states.
    pub exploration: Exploration,
    /// The share of the protocol's table that was taken.
    pub coverage: Reached,
    /// The transitions of the table that were not taken, each with the reason; `None` unless the user asked for them.
    pub unreached: Option<Vec<(TableEntry, String)>>,
    /// The place where the protocol failed: file, line number, and the text there.
    pub place: Option<(String, usize, String)>,
    /// The faults of gem5's released protocol that explain what was found, if they do.
    pub known: Option<Known>,
    /// The place and the known fault of each warning.
    pub warned: Vec<Warned>,
    /// The result of the search for starvation; `None` if it was not asked for or if something else was found.
    pub fair: Option<Fair>,
    /// The searches for nice cycles; empty if they were not asked for.
    pub searches: Vec<Search>,
}

impl<'a> Subject<'a> {
    /// A protocol as the user opened it.
    pub fn of(opened: &'a Opened) -> Subject<'a> {
        Subject { given: &opened.given, protocol: Cow::Borrowed(&opened.protocol) }
    }

    /// A mutant of a protocol.
    ///
    /// # Errors
    /// Returns an error if the mutant does not apply to the protocol.
    pub fn mutated(opened: &'a Opened, mutant: &Mutant) -> Result<Subject<'a>, Error> {
        Ok(Subject { given: &opened.given, protocol: Cow::Owned(opened.with(mutant)?) })
    }

    /// The reason why states were not reduced by a symmetry, in words; if a place in the protocol depends on an order, with its
    /// line.
    pub fn why(&self, reason: &Why) -> String {
        match reason {
            Why::Differs(reason) => reason.clone(),
            Why::Ordered(place) => match written_at(Some(*place), self.protocol.sources()) {
                Some((file, line, text)) => format!("{file}:{line} depends on their order: {text}"),
                None => "the protocol depends on their order".to_owned(),
            },
        }
    }

    /// The name of the mutant; `None` for a protocol that is not mutated.
    pub fn mutant(&self) -> Option<&str> {
        self.protocol.loaded.mutant.as_deref()
    }

    /// The command that repeats the exploration.
    pub fn command(&self, plan: &Plan) -> String {
        plan.command(self.given, self.mutant())
    }

    /// Explores the protocol. If `interrupted` is given, the search ends once it is set, and so do the searches after it.
    ///
    /// # Errors
    /// Fails if a system of this size cannot be set up for the protocol.
    pub fn explore(
        &self,
        plan: &Plan,
        interrupted: Option<&'static AtomicBool>,
        report_phase: &mut dyn FnMut(Phase, &Progress),
    ) -> Result<Explored, Error> {
        self.explore_by(plan, &plan.search_options(), interrupted, report_phase)
    }

    /// Explores the protocol, with these options of the search in place of those of the plan.
    pub(crate) fn explore_by(
        &self,
        plan: &Plan,
        search_options: &SearchOptions,
        interrupted: Option<&'static AtomicBool>,
        report_phase: &mut dyn FnMut(Phase, &Progress),
    ) -> Result<Explored, Error> {
        let mut report = |progress: &Progress| report_phase(Phase::Exploring, progress);
        // All that is searched has to end in the same time.
        let limits = plan.limits.begin(interrupted);
        let disk = plan.disk(self.command(plan));
        let scope = &plan.scope;
        let disk = disk.as_ref();
        let exploration =
            explore_in(&self.protocol, scope, search_options, disk, &limits, &mut report);
        let exploration = exploration.map_err(|problem| match problem {
            OnDiskError::Stepper(problem) => self.refused(problem),
            OnDiskError::Disk(problem) => Error::States(problem),
        })?;
        let is_clean = matches!(exploration.verdict, Verdict::Clean);
        // The other searches do not identify states that differ only in dead variables.
        let scope = Scope { live_variables: false, ..scope.clone() };
        let fair = (plan.fair && is_clean)
            .then(|| starvation(&self.protocol, &scope, &limits, &mut report))
            .transpose()
            .map_err(|problem| self.refused(problem))?;
        let options = Options { limits: limits.clone(), ..Options::default() };
        let searches = if plan.nice_cycles {
            nice_cycles(&self.protocol, &scope, &options, &mut report)
        } else {
            Ok(Vec::new())
        };
        let found = match &exploration.verdict {
            Verdict::Found(found) => found.fault.as_deref(),
            _ => None,
        };
        let warnings = exploration.warnings.iter();
        let warned =
            warnings.map(|warned| self.warned(plan, &scope, warned)).collect::<Result<_, _>>()?;
        let known = match &exploration.verdict {
            Verdict::Found(found) if plan.repairs != Repairs::All => {
                let states = exploration.progress.states;
                let mut report = |progress: &Progress| report_phase(Phase::Explaining, progress);
                known_finding(
                    &self.protocol,
                    &scope,
                    search_options,
                    found,
                    states,
                    &limits.bounds,
                    &mut report,
                )
            }
            _ => Ok(None),
        };
        let rows = self.rows(plan, &exploration.taken);
        Ok(Explored {
            fair,
            known: known.map_err(|problem| self.refused(problem))?,
            warned,
            place: found.and_then(|fault| written_at(fault.span, self.protocol.sources())),
            coverage: Reached::of(&rows, |row| row.unreached.is_some()),
            unreached: plan.unreached.then(|| self.unreached(rows, &exploration)),
            searches: searches.map_err(|problem| self.refused(problem))?,
            exploration,
        })
    }

    /// The place of a warning, and the known fault that explains it.
    fn warned(&self, plan: &Plan, scope: &Scope, warned: &WarningRun) -> Result<Warned, Error> {
        let known = match plan.repairs {
            Repairs::All => Ok(None),
            _ => known_warning(&self.protocol, scope, warned),
        };
        Ok(Warned {
            place: written_at(warned.warning.span, self.protocol.sources()),
            known: known.map_err(|problem| self.refused(problem))?,
        })
    }

    /// The transitions of the table that were not taken, each with the reason: the known one, or what the runs lacked.
    fn unreached(
        &self,
        rows: Vec<Coverage>,
        exploration: &Exploration,
    ) -> Vec<(TableEntry, String)> {
        let met = Met::of(&self.protocol, &exploration.taken, &exploration.stalled);
        let rest = rows.into_iter().filter(|row| !row.stalls && row.count == 0);
        rest.map(|row| {
            let place = TableEntry::new(&row.machine, &row.state, &row.event);
            let reason = row.unreached.unwrap_or_else(|| met.lack(&place));
            (place, reason)
        })
        .collect()
    }

    /// The transitions of the table, and which of them were taken; none if the protocol has no plan, which a protocol that was explored
    /// has.
    fn rows(&self, plan: &Plan, taken: &[TransitionName]) -> Vec<Coverage> {
        let options = simulate::config::Options {
            settings: plan.scope.settings.clone(),
            ..simulate::config::Options::default()
        };
        let Ok(system) = simulate::config::Plan::of(&self.protocol, &options) else {
            return Vec::new();
        };
        let taken = taken.iter();
        let taken =
            taken.map(|(machine, state, event)| (TableEntry::new(machine, state, event), 1));
        let repertoire = plan.scope.repertoire;
        let asked = Asked { devices: repertoire.devices > 0, flushes: repertoire.flush };
        table(self.given, &self.protocol, &system, asked, &taken.collect())
    }

    fn refused(&self, problem: StepperError) -> Error {
        refusal(problem, self.given, &self.protocol)
    }
}

impl Explored {
    /// What the exploration came to.
    pub fn outcome(&self) -> Outcome {
        let searched = self.searches.iter();
        let searched = searched.map(|one| Outcome::of(one.found.is_some(), one.stopped.is_some()));
        let explored = match self.exploration.verdict {
            Verdict::Clean => Outcome::Clean,
            Verdict::Found(_) => Outcome::Found,
            Verdict::Unproved { .. } | Verdict::Stopped(_) => Outcome::Undecided,
        };
        let fair = self.fair.iter().map(fair::outcome);
        searched.chain(fair).fold(explored, Outcome::max)
    }
}
