//! `rubric report`: reports on folders of results, as text, as JSON and as an HTML page.
//!
//! - [`text`] is about campaigns, [`experiments`] about experiments and claims;
//! - [`json`]: the report and the lists as JSON;
//! - [`output`]: the page, figures and claims as files; [`cycles`]: why runs of a campaign are violations, and [`unreached`]: why
//!   transitions are not taken.

mod cycles;
mod experiments;
pub(crate) mod fidelity;
pub(crate) mod json;
mod output;
pub(crate) mod table;
mod text;
mod unreached;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use papers::Guarantee;
use report::answers::Answers;
use report::claims::{self, Claim};
use report::fidelity::Fidelity;
use report::figures;
use report::page::Unreached;
use report::summary::Summary;
use tables::reached::MachineCoverage;
use tables::{CampaignRun, Coverage, Equivalent};

use crate::error::Error;
use crate::json::line;
use crate::options::Format;
use crate::status::Status;
use lab::campaign;
use lab::explorations::{Explorations, table as mutants};
use lab::stored::Stored;
use lab::text::quoted;

/// Print what experiments and campaigns found, and make a page of it
#[derive(clap::Args)]
#[command(
    override_usage = "rubric report [OPTIONS] DIR\n       rubric report --list [--format FORMAT]",
    after_help = "\
Examples:
  rubric report --list
  rubric report campaign
  rubric report campaign --all | less
  rubric report campaign --format json | jq '.survivors[0]'
  rubric report results -o report.html --figures figures --claims claims.csv
  rubric report campaign -o summary.md

DIR and the folders in it may hold tables of experiments and of campaigns, whole or in shards. Of a folder with
explorations (`rubric explore protocol … --mutants -o DIR`) their table is printed again.

A finder counts for a mutant if some client that ran it promises what the finder checks: with store
buffers that is TSO, so that cm, ccm, wsc and sc say nothing about the protocol there.

The page is one HTML file that needs nothing else, neither a network nor scripting. It opens with a
summary: what was run, what was found, five figures. Below it are the papers' claims beside what was
found, the protocols side by side, figures with their numbers, what a campaign found and what would
have found the rest, which transitions were taken, and violations with their cycles, for which it runs
some of them again. As FILE.md the summary, the alarms, the protocols, the claims and the mutants that nothing
found are Markdown; as FILE.csv they are rows of section, subject, measure, value and note. A PDF is printed
from the page, by a browser.

JSON is one object. Of experiments: `experiments` (what was run) and `claims` (`id`, `paper`, `place`,
`experiment`, `statement`, `theirs`, `ours`, `verdict`: holds, differs, calibrated (made to come near) or
untested, `rule`: when it holds, `note`); `fidelity` of runs in gem5 (`subjects`: each mutant with its
findings in both places, `transitions`: `place`, `counts` and `shares`, ours first). Of a campaign: `runs`; `kills`, `rates` and `operations`, each for all runs, for each model and
each client (`scope`); `caught` (each mutant with the run that caught it), `survivors`, `equivalents`,
`generators` (blind against guided), `protocols` (each with its mutants, by operator, and what finding them cost), `clients` (the same for each protocol and kind of core) and `alarms` (the protocols as they are: `runs`, and `alarms` with
`outcome`, `model`, `violates`, `message` and the `command` that repeats each); and `coverage`, of each machine
of the unmutated protocols: `reached`, `reachable` and `table` count the transitions that do not stall, `stalls`
and `stalls_met` those that do, and `never` has, by state, the events of those that are not known to be
unreachable and that no run took.

Exit status: 1 if an unmutated protocol shows a fault or a violation of what its client guarantees, 2 if
there are no results in the folder or a table is damaged, else 0. Of explorations: the status that they had."
)]
pub(crate) struct Args {
    /// A folder that `rubric campaign -o DIR`, `rubric experiment -o DIR` or `rubric explore protocol --mutants -o DIR` filled
    #[arg(value_name = "DIR", required_unless_present = "list")]
    folder: Option<PathBuf>,

    /// List the figures; with --format json also claims, criteria, finders, harmless mutants, and the styles of series
    #[arg(long, conflicts_with_all = ["folder", "all", "output", "figures", "claims"])]
    list: bool,

    /// Print all claims, survivors, equivalent mutants and transitions that no run took, not only claims that were
    /// tested and the first of the others
    #[arg(long)]
    all: bool,

    /// Form of the results on standard output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    #[command(flatten)]
    files: output::Files,
}

/// The rows of a campaign.
#[derive(Clone, Copy)]
pub(crate) struct Campaign<'a> {
    /// The runs that the numbers are about.
    pub runs: &'a [CampaignRun],
    /// Excluded mutants.
    pub equivalents: &'a [Equivalent],
    /// How often the unmutated protocols took each transition.
    pub coverage: &'a [Coverage],
    /// Whether the campaign has not finished; `runs` are then those of its log.
    pub is_running: bool,
}

/// The progress of a campaign that has just run.
pub(crate) struct Progress {
    /// Seconds since the campaign started or was resumed.
    pub seconds: f64,
    /// Whether all requested runs are done.
    pub is_whole: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let Some(folder) = &args.folder else {
        return list(args.format, out).map_err(Error::Output);
    };
    args.files.check()?;
    let held = match Stored::read(folder) {
        Err(lab::Error::NoResults(_)) if folder.is_dir() => return explorations(args, folder, out),
        held => held?,
    };
    let campaign = || Campaign::of(&held).map(|campaign| campaign.answers());
    let (answers, claims) = rayon::join(campaign, || claims::all(&held.results));
    let summaries = report::summary::experiments(&held.results.trials);
    let written = args.files.write(&held, answers.as_ref(), &claims)?;
    let fidelity = Fidelity::of(&held.results);
    let output = Output {
        fidelity: (!fidelity.is_empty()).then_some(&fidelity),
        experiments: &summaries,
        // A report of a campaign alone leaves out the claims, which are about experiments.
        claims: if summaries.is_empty() { &[] } else { &claims },
        campaign: Campaign::of(&held).zip(answers.as_ref()),
        for_all: "--all",
        tables: &campaign::tables(folder)?,
        progress: None,
    };
    match args.format {
        Format::Json => output.json(out),
        Format::Text => {
            let most = if args.all { usize::MAX } else { SHOWN };
            let unfinished = held.unfinished.iter().map(|name| {
                format!("{name} has not finished: `rubric experiment {name}` with the same options resumes it")
            });
            output.text(most, out)
                .and_then(|()| unfinished.into_iter().try_for_each(|line| writeln!(out, "{line}")))
                .and_then(|()| written.iter().try_for_each(|line| writeln!(out, "{line}")))
        }
    }
    .map_err(Error::Output)?;
    Ok(answers.as_ref().map_or(Status::Done, status))
}

/// Prints the explorations of mutants that a folder has.
fn explorations(args: &Args, folder: &Path, out: &mut dyn Write) -> Result<Status, Error> {
    let explored = Explorations::stored(folder)?;
    if explored.is_empty() {
        return Err(lab::Error::NoResults(folder.to_owned()).into());
    }
    args.files.refuse(folder)?;
    let outcome = mutants::write(&explored, args.format == Format::Json, out);
    outcome.map(Status::from).map_err(Error::Output)
}

/// Prints the lists of figures, claims, criteria and series.
fn list(format: Format, out: &mut dyn Write) -> io::Result<Status> {
    match format {
        Format::Text => {
            for figure in figures::FIGURES {
                writeln!(out, "{:24} {:16} {}", figure.name, figure.experiment, figure.title)?;
            }
        }
        Format::Json => {
            line(&json::Lists::all(), out)?;
        }
    }
    Ok(Status::Done)
}

/// Most rows of a long list, such as survivors, that are shown without `--all`.
const SHOWN: usize = 10;

/// The results to be printed, and how.
struct Output<'a> {
    experiments: &'a [Summary],
    claims: &'a [Claim],
    /// Runs on rubric's simulator and in gem5, if there are any.
    fidelity: Option<&'a Fidelity>,
    campaign: Option<(Campaign<'a>, &'a Answers)>,
    /// The option or the command that prints all rows of long lists.
    for_all: &'a str,
    /// The tables of the campaign.
    tables: &'a [PathBuf],
    /// The progress of the campaign, if it has just run.
    progress: Option<&'a Progress>,
}

impl Output<'_> {
    fn text(&self, most: usize, out: &mut dyn Write) -> io::Result<()> {
        experiments::print(self.experiments, self.claims, most > SHOWN, out)?;
        if let Some(fidelity) = self.fidelity {
            if !self.experiments.is_empty() {
                writeln!(out)?;
            }
            fidelity::print(fidelity, out)?;
        }
        let Some((campaign, answers)) = &self.campaign else {
            return Ok(());
        };
        if !self.experiments.is_empty() || self.fidelity.is_some() {
            writeln!(out)?;
        }
        text::print(campaign, answers, self.for_all, self.tables, self.progress, most, out)
    }

    fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        let document = json::Document {
            experiments: self.experiments,
            claims: self.claims,
            fidelity: self.fidelity,
            runs: self.campaign.map(|(campaign, _)| campaign.runs.len()),
            answers: self.campaign.map(|(_, answers)| answers),
            coverage: self.campaign.map(|(campaign, _)| campaign.machines()),
        };
        line(&document, out)
    }
}

impl Campaign<'_> {
    /// The campaign in a folder, if there is one.
    pub(crate) fn of(held: &Stored) -> Option<Campaign<'_>> {
        held.has_campaign.then_some(Campaign {
            runs: &held.results.runs,
            equivalents: &held.results.equivalents,
            coverage: &held.results.coverage,
            is_running: held.is_running,
        })
    }

    /// The answers that the runs of the campaign give.
    pub(crate) fn answers(&self) -> Answers {
        Answers::of(self.runs, self.equivalents, &Guarantee::is_implied)
    }

    /// The coverage of each machine of the unmutated protocols.
    pub(crate) fn machines(&self) -> Vec<MachineCoverage> {
        let unreached = unreached::of(self.coverage);
        let places: BTreeSet<_> = unreached.iter().map(Unreached::place).collect();
        MachineCoverage::of(self.coverage, |row| {
            places.contains(&[&*row.protocol, &*row.machine, &*row.state, &*row.event])
        })
    }
}

/// The exit status: a false alarm counts as a violation.
fn status(answers: &Answers) -> Status {
    if answers.alarms.alarms.is_empty() { Status::Done } else { Status::Violation }
}

/// Prints the answers of a campaign that has just run, and the names of its tables. Of long lists only the first rows are
/// printed.
///
/// # Errors
/// Returns an error if `out` cannot be written.
pub(crate) fn print(
    campaign: &Campaign<'_>,
    folder: &Path,
    tables: &[PathBuf],
    progress: &Progress,
    format: Format,
    out: &mut dyn Write,
) -> Result<Status, Error> {
    let answers = &campaign.answers();
    let for_all = &format!("`rubric report {} --all`", quoted(&folder.display().to_string()));
    let output = Output {
        fidelity: None,
        experiments: &[],
        claims: &[],
        campaign: Some((*campaign, answers)),
        for_all,
        tables,
        progress: Some(progress),
    };
    let printed = match format {
        Format::Text => output.text(SHOWN, out),
        Format::Json => output.json(out),
    };
    printed.map_err(Error::Output)?;
    Ok(status(answers))
}
