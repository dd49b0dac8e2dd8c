//! The exploration of a protocol or of a mutant of it: [`Subject`] explores, [`Explored`] has the results.

use std::borrow::Cow;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use explore::memory::method::{Options, Search};
use explore::memory::slicc::nice_cycles;
use explore::protocol::fair::{Fair, starvation};
use explore::protocol::{
    Exploration, OnDiskError, SearchOptions, TransitionName, Verdict, WarningRun, Why, explore_by,
    explore_on_disk,
};
use explore::search::Progress;
use mutate::Mutant;
use mutate::unreached::Asked;
use simulate::config::Plan;
use simulate::stepper::{Scope, StepperError};
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;
use tables::Coverage;
use tables::reached::Reached;

use super::unreached::Met;
use super::{Args, fair};
use crate::error::{Error, tell};
use crate::interrupt;
use crate::progress;
use crate::status::Status;
use lab::Refusal;
use lab::coverage::table;
use lab::protocols::{Opened, Repairs};
use lab::testing::{Known, known_finding, known_warning};
use lab::text::written_at;

/// A protocol to be explored.
pub(crate) struct Subject<'a> {
    /// The protocol as the user named it.
    pub given: &'a str,
    /// The protocol, or the mutant of it.
    pub protocol: Cow<'a, Protocol>,
}

/// The phase of an exploration, which its progress shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Visiting states.
    Exploring,
    /// Looking for known faults that explain what was found.
    Explaining,
}

/// The place of a warning, and the known fault that explains it.
pub(crate) struct Warned {
    /// The place in the protocol that the warning is about: file, line number, and the text there.
    pub place: Option<(String, usize, String)>,
    /// The fault of gem5's released protocol that explains it, if one does.
    pub known: Option<Known>,
}

/// The results of exploring a protocol.
pub(crate) struct Explored {
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
    pub(crate) fn of(opened: &'a Opened) -> Subject<'a> {
        Subject { given: &opened.given, protocol: Cow::Borrowed(&opened.protocol) }
    }

    /// A mutant of a protocol.
    ///
    /// # Errors
    /// Returns an error if the mutant does not apply to the protocol.
    pub(crate) fn mutated(opened: &'a Opened, mutant: &Mutant) -> Result<Subject<'a>, Error> {
        Ok(Subject { given: &opened.given, protocol: Cow::Owned(opened.with(mutant)?) })
    }

    /// The reason why states were not reduced by a symmetry, in words; if a place in the protocol depends on an order, with its
    /// line.
    pub(crate) fn why(&self, reason: &Why) -> String {
        match reason {
            Why::Differs(reason) => reason.clone(),
            Why::Ordered(place) => match written_at(Some(*place), self.protocol.sources()) {
                Some((file, line, text)) => format!("{file}:{line} depends on their order: {text}"),
                None => "the protocol depends on their order".to_owned(),
            },
        }
    }

    /// The name of the mutant; `None` for a protocol that is not mutated.
    pub(crate) fn mutant(&self) -> Option<&str> {
        self.protocol.loaded.mutant.as_deref()
    }

    /// Explores the protocol, and shows the progress.
    ///
    /// # Errors
    /// Returns an error if a system of this size cannot be set up for the protocol.
    pub(crate) fn explore(&self, args: &Args) -> Result<Explored, Error> {
        let bar = progress::spinner(self.protocol.title(), args.quiet);
        let mut report = |phase: Phase, progress: &Progress| {
            bar.tick();
            bar.set_message(match phase {
                Phase::Exploring => format!(
                    "{} states, {} to look at, depth {}, {:.0} a second",
                    progress.states,
                    progress.open,
                    progress.depth,
                    progress.states_per_second()
                ),
                Phase::Explaining => {
                    format!("found; does a known fault explain it? {} states", progress.states)
                }
            });
        };
        let interrupted = Some(interrupt::gracefully());
        let explored = self.explore_by(args, &args.search_options(), interrupted, &mut report);
        bar.finish_and_clear();
        let is_found = |explored: &Explored| {
            matches!(&explored.exploration.verdict, Verdict::Found(_)) && explored.known.is_none()
        };
        if interrupt::asked() && explored.as_ref().is_ok_and(is_found) {
            tell(format_args!(
                "interrupted: whether a known fault explains what was found is open"
            ));
        }
        explored
    }

    /// Explores the protocol with these means. If `interrupted` is given, the search ends once it is set, and so do the searches
    /// after it.
    ///
    /// # Errors
    /// Returns an error if a system of this size cannot be set up for the protocol.
    pub(crate) fn explore_by(
        &self,
        args: &Args,
        search_options: &SearchOptions,
        interrupted: Option<&'static AtomicBool>,
        report_phase: &mut dyn FnMut(Phase, &Progress),
    ) -> Result<Explored, Error> {
        let mut report = |progress: &Progress| report_phase(Phase::Exploring, progress);
        let scope = args.scope();
        // All that is searched has to end in the same time.
        let limits = args.limits.begin_until(interrupted);
        let exploration = match args.disk(self) {
            None => explore_by(&self.protocol, &scope, search_options, &limits, &mut report)
                .map_err(|problem| self.refused(problem))?,
            Some(disk) => {
                explore_on_disk(&self.protocol, &scope, &disk, search_options, &limits, &mut report)
                    .map_err(|problem| match problem {
                        OnDiskError::Stepper(problem) => self.refused(problem),
                        OnDiskError::Disk(problem) => Error::Usage(format!("--disk: {problem}")),
                    })?
            }
        };
        let is_clean = matches!(exploration.verdict, Verdict::Clean);
        // The other searches do not identify states that differ only in dead variables.
        let scope = Scope { live_variables: false, ..scope };
        let fair = (args.fair && is_clean)
            .then(|| starvation(&self.protocol, &scope, &limits, &mut report))
            .transpose()
            .map_err(|problem| self.refused(problem))?;
        let options = Options { limits: limits.clone(), ..Options::default() };
        let searches = if args.nice_cycles {
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
            warnings.map(|warned| self.warned(args, &scope, warned)).collect::<Result<_, _>>()?;
        let known = match &exploration.verdict {
            Verdict::Found(found) if args.repair != Repairs::All => {
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
        let rows = self.rows(args, &exploration.taken);
        Ok(Explored {
            fair,
            known: known.map_err(|problem| self.refused(problem))?,
            warned,
            place: found.and_then(|fault| written_at(fault.span, self.protocol.sources())),
            coverage: Reached::of(&rows, |row| row.unreached.is_some()),
            unreached: args.unreached.then(|| self.unreached(rows, &exploration)),
            searches: searches.map_err(|problem| self.refused(problem))?,
            exploration,
        })
    }

    /// The place of a warning, and the known fault that explains it.
    fn warned(&self, args: &Args, scope: &Scope, warned: &WarningRun) -> Result<Warned, Error> {
        let known = match args.repair {
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
        let met = Met::of(&self.protocol, exploration);
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
    fn rows(&self, args: &Args, taken: &[TransitionName]) -> Vec<Coverage> {
        let options = simulate::config::Options {
            settings: args.set.clone(),
            ..simulate::config::Options::default()
        };
        let Ok(plan) = Plan::of(&self.protocol, &options) else { return Vec::new() };
        let taken = taken.iter();
        let taken =
            taken.map(|(machine, state, event)| (TableEntry::new(machine, state, event), 1));
        let repertoire = args.repertoire.repertoire();
        let asked = Asked { devices: repertoire.devices > 0, flushes: repertoire.flush };
        table(self.given, &self.protocol, &plan, asked, &taken.collect())
    }

    fn refused(&self, problem: StepperError) -> Error {
        match problem {
            StepperError::Protocol(failure) => lab::protocols::refused(self.given, *failure).into(),
            StepperError::Plan(errors) => lab::Error::Protocol(Box::new(Refusal {
                given: self.given.to_owned(),
                sources: self.protocol.sources().clone(),
                diagnostics: errors,
            }))
            .into(),
            StepperError::Setup(what) => Error::Usage(format!("{}: {what}", self.given)),
        }
    }
}

/// Says on standard error from where an exploration on disk is resumed.
pub(super) fn tell_begun(folder: &Path, states: usize, depth: u32) {
    tell(format_args!("resumed from {states} states, depth {depth}, in {}", folder.display()));
}

impl Explored {
    /// The exit status.
    pub(crate) fn status(&self) -> Status {
        let searched = self.searches.iter().map(|search| match search {
            Search { found: Some(_), .. } => Status::Violation,
            Search { stopped: Some(_), .. } => Status::Undecided,
            _ => Status::Done,
        });
        let explored = match self.exploration.verdict {
            Verdict::Clean => Status::Done,
            Verdict::Found(_) => Status::Violation,
            Verdict::Unproved { .. } | Verdict::Stopped(_) => Status::Undecided,
        };
        let fair = self.fair.iter().map(fair::status);
        searched.chain(fair).fold(explored, Status::and)
    }
}
