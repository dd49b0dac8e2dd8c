//! Makes one run of a subject, from its recipe to its row.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Instant;

use mutate::{Mutant, Origin};
use simulate::client::Client;
use simulate::recipe::{Lineage, Recipe};
use simulate::simulation::{Run, Simulation};
use simulate::system::{Covered, Fault, FaultKind, visits};
use simulate::trace::Output;
use slicc::protocol::Protocol;
use tables::{CampaignRun, Finding, Generator, RunOutcome};

use super::bench::{Bench, BenchSession};
use super::judge::Ended;
use super::log::Entry;
use super::rounds::Stream;
use super::subjects::Subject;
use crate::error::Error;
use crate::protocols::{Opened, Repairs, plan, words_of};
use crate::text::{quoted, tame, written_at};

/// Makes the runs of a campaign.
pub(crate) struct Runner<'a> {
    /// The protocols.
    pub opened: &'a [Opened],
    pub subjects: &'a [Subject],
    /// The options with which histories are checked.
    pub options: check::Options,
    /// The folder for traces, if they are kept.
    pub traces: Option<&'a Path>,
    /// Whether warnings are faults.
    pub strict: bool,
    /// The repairs that were asked for.
    pub repairs: &'a Repairs,
}

/// Runs of one subject on one kind of core.
struct RunnerSession<'a> {
    runner: &'a Runner<'a>,
    subject: &'a Subject,
    client: Client,
    /// The mutated protocol, compiled when the first run needs it.
    mutated: Option<Protocol>,
}

impl Bench for Runner<'_> {
    fn pace(&self) -> (u32, u32) {
        (1, MOST_RUNS_PER_ROUND)
    }

    fn session<'b>(
        &'b self,
        subject: usize,
        client: Client,
        _streams: usize,
    ) -> Box<dyn BenchSession + 'b> {
        let subject = &self.subjects[subject];
        Box::new(RunnerSession { runner: self, subject, client, mutated: None })
    }
}

impl RunnerSession<'_> {
    /// The protocol of the subject.
    fn protocol(&mut self) -> Result<&Protocol, Error> {
        let original = &self.runner.opened[self.subject.protocol];
        match (&self.subject.mutant, &mut self.mutated) {
            (None, _) => Ok(&original.protocol),
            (Some(_), Some(protocol)) => Ok(protocol),
            (Some(mutant), free) => Ok(free.insert(original.with(mutant)?)),
        }
    }
}

impl BenchSession for RunnerSession<'_> {
    fn run(&mut self, stream: &Stream, lineage: &Lineage, _aim: usize) -> Result<Entry, Error> {
        let (runner, subject) = (self.runner, self.subject);
        runner.run(subject, self.protocol()?, stream, lineage)
    }

    fn keep(&mut self, lineage: &Lineage, row: &CampaignRun) -> Result<(), Error> {
        let (runner, client) = (self.runner, self.client);
        if runner.lacks_trace(row) {
            runner.keep(self.protocol()?, client, lineage, row)?;
        }
        Ok(())
    }
}

/// The largest number of runs of a stream in a round. The first rounds have 1, 1, 2, 4, … runs.
const MOST_RUNS_PER_ROUND: u32 = 16;

impl Runner<'_> {
    /// Makes a run and checks its history. `protocol` is that of the subject, with its mutant applied.
    ///
    /// # Errors
    /// Fails if the run cannot be made, if its trace cannot be written, or if a certificate is rejected, which is a defect of rubric.
    fn run(
        &self,
        subject: &Subject,
        protocol: &Protocol,
        stream: &Stream,
        lineage: &Lineage,
    ) -> Result<Entry, Error> {
        let opened = &self.opened[subject.protocol];
        let given = &opened.given;
        let simulation = self.simulation(protocol, stream.client, lineage);
        let start = Instant::now();
        let run = simulate(protocol, &simulation, None)?;
        let simulate_seconds = start.elapsed().as_secs_f64();
        let history = run.history().map_err(Error::run(given))?;
        let model = simulation.client.model();
        let ended = Ended::new(&history, model).map_err(Error::run(given))?;
        let command = command(opened, self.repairs, subject, &simulation, lineage);
        let (verdict, criteria) = ended
            .judge(&self.options)
            .map_err(|error| Error::Certificate { command: command.clone(), error })?;
        let reached = run.reached();
        let row = CampaignRun {
            protocol: given.clone(),
            client: stream.client.to_string(),
            model: model.name().to_owned(),
            generator: stream.generator,
            repetition: stream.repetition,
            number: stream.entries.len() as u32,
            seed: lineage.seed(),
            lineage: lineage.to_string(),
            threads: simulation.shape.threads,
            operations: ended.history().operations() as u32,
            transitions: run.tally.transitions,
            ticks: run.fault.as_ref().map_or(run.tally.ticks, |fault| fault.tick),
            outcome: outcome(run.fault.as_deref(), verdict),
            fault: run.fault.as_ref().map(|fault| fault.kind.name().to_owned()),
            message: run.fault.as_ref().map(|fault| tame(&fault.message)),
            warning: warning(protocol, &run),
            covered: covered(subject, &run),
            new: reached.iter().filter(|one| stream.is_new(one)).count() as u32,
            criteria,
            trace_hash: Some(ended.history().digest()),
            simulate_seconds,
            command,
            ..about(subject.mutant.as_ref())
        };
        if row.outcome != RunOutcome::Clean {
            self.keep(protocol, stream.client, lineage, &row)?;
        }
        // Counts are needed for coverage and by the guide; elsewhere, new transitions are enough.
        let learns = subject.mutant.is_none() || stream.generator == Generator::Guided;
        let kept = reached.iter().filter(|one| learns || stream.is_new(one));
        let reached = kept.map(|one| (one.triple, one.count)).collect();
        Ok(Entry { row, reached })
    }

    /// The simulation that a recipe describes.
    fn simulation(&self, protocol: &Protocol, client: Client, lineage: &Lineage) -> Simulation {
        let mut simulation = Recipe::of(lineage).simulation(protocol, client);
        simulation.options.strict = self.strict;
        simulation
    }

    /// Whether the trace of a run should be kept and is missing.
    fn lacks_trace(&self, row: &CampaignRun) -> bool {
        let path = self.trace(row);
        path.is_some_and(|path| row.outcome != RunOutcome::Clean && !path.exists())
    }

    /// The path of the trace of a run; none if traces are not kept, or if one would not show all
    /// that decides the verdict.
    fn trace(&self, row: &CampaignRun) -> Option<PathBuf> {
        let client: Client = row.client.parse().ok()?;
        if !client.has_trace() {
            return None;
        }
        Some(kept(self.traces?, row, Some("trace.gz")))
    }

    /// Repeats a run to write its trace, if traces are kept.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    fn keep(
        &self,
        protocol: &Protocol,
        client: Client,
        lineage: &Lineage,
        row: &CampaignRun,
    ) -> Result<(), Error> {
        let Some(path) = self.trace(row) else {
            return Ok(());
        };
        let failed = Error::file(&path);
        let folder = path.parent().unwrap_or(&path);
        std::fs::create_dir_all(folder).map_err(&failed)?;
        let simulation = self.simulation(protocol, client, lineage);
        host::files::create(&path, &failed, |file: &mut File| {
            let file = file.try_clone().map_err(&failed)?;
            let output = Output::Gzip(Box::new(file));
            let title = format!("command line: {}", row.command);
            let mut run = simulate(protocol, &simulation, Some((output, &title)))?;
            run.finish_trace().map_err(&failed)?;
            Ok(())
        })
    }
}

fn simulate(
    protocol: &Protocol,
    simulation: &Simulation,
    trace: Option<(Output, &str)>,
) -> Result<Run, Error> {
    let plan = plan(protocol, &protocol.title(), simulation)?;
    let (output, title) = trace.unzip();
    let run = simulation.run_titled(protocol, &plan, output, title);
    run.map_err(Error::run(&protocol.title()))
}

/// The path at which a run is kept, in a folder for each protocol: a file with the extension `ending`, or a folder if there is none.
pub(crate) fn kept(traces: &Path, row: &CampaignRun, ending: Option<&str>) -> PathBuf {
    let plain = |text: &str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let plain = text.chars().map(|c| if is_plain(c) { c } else { '-' });
        plain.collect::<String>()
    };
    let mutant = plain(row.mutant.as_deref().unwrap_or("unmutated"));
    let ending = ending.map(|ending| format!(".{ending}")).unwrap_or_default();
    let name = format!("{mutant}.{}.{}{ending}", row.client, row.lineage);
    traces.join(plain(&row.protocol)).join(name)
}

/// The outcome of a run. A fault takes precedence over the verdict about the history.
pub(crate) fn outcome(fault: Option<&Fault>, verdict: Finding) -> RunOutcome {
    match (fault.map(|fault| fault.kind), verdict) {
        (Some(FaultKind::Deadlock), _) => RunOutcome::Deadlock,
        (Some(_), _) => RunOutcome::ProtocolError,
        (None, Finding::Violation) => RunOutcome::Violation,
        (None, Finding::Undecided) => RunOutcome::Undecided,
        (None, Finding::Consistent) => RunOutcome::Clean,
    }
}

/// The warnings of a run, with their places in the protocol; none if there were none.
fn warning(protocol: &Protocol, run: &Run) -> Option<String> {
    let warnings = run.warnings.iter().map(|warning| {
        let place = written_at(warning.span, protocol.sources());
        let place = place.map(|(file, line, _)| format!(" at {file}:{line}"));
        tame(&format!("{}{}", warning.summary, place.unwrap_or_default()))
    });
    let warnings: Vec<String> = warnings.collect();
    (!warnings.is_empty()).then(|| warnings.join("; "))
}

/// How often a run took or stalled at the transitions that its mutant changes. Not known if the mutant changes anything that is not an
/// entry of the transition table.
fn covered(subject: &Subject, run: &Run) -> Option<u64> {
    let touched = &subject.touched;
    let is_known = touched.elsewhere.is_empty() && !touched.entries.is_empty();
    let visits = |coverage: &[Covered]| visits(&touched.entries, coverage);
    is_known.then(|| visits(&run.coverage()) + visits(&run.stalls()))
}

/// A row with the columns about the mutant filled in.
pub(crate) fn about(mutant: Option<&Mutant>) -> CampaignRun {
    let Some(Mutant { name, origin, .. }) = mutant else {
        return CampaignRun::default();
    };
    let row = CampaignRun { mutant: Some(name.to_string()), ..CampaignRun::default() };
    match origin {
        Origin::Named | Origin::Repair => CampaignRun { operator: Some("named".to_owned()), ..row },
        Origin::Made { operator, site } => CampaignRun {
            operator: Some(operator.name().to_owned()),
            machine: Some(site.machine.clone()),
            state: site.state.clone(),
            event: site.event.clone(),
            place: Some(site.place.clone()),
            ..row
        },
    }
}

/// The command that reproduces a run.
fn command(
    opened: &Opened,
    repairs: &Repairs,
    subject: &Subject,
    simulation: &Simulation,
    lineage: &Lineage,
) -> String {
    let mutant = subject.name().map(|name| format!(" --mutant {}", quoted(&name)));
    let settings = opened.protocol.loaded.settings.iter();
    let settings = settings.map(|one| format!(" --set {}", quoted(&one.to_string())));
    format!(
        "rubric simulate {}{}{}{} --client {} --recipe {lineage}{} --check",
        words_of(&opened.given),
        opened.repair_option(repairs),
        mutant.unwrap_or_default(),
        settings.collect::<String>(),
        simulation.client,
        if simulation.options.strict { " --strict" } else { "" }
    )
}
