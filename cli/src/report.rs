//! `rubric report`: what the table of a campaign's runs answers.

mod table;
mod text;

use std::io::Write;
use std::path::{Path, PathBuf};

use check::guarantee::Guarantee;
use report::answers::Answers;
use report::results::Results;
use report::tables::{CampaignRun, Equivalent};
use serde::Serialize;

use crate::campaign;
use crate::error::Error;
use crate::options::Format;
use crate::simulate::MODELS;
use crate::status::Status;

/// Print what a campaign found: what catches which mutants, how early, and what slips through
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric report campaign
  rubric report campaign --all | less
  rubric report campaign --format json | jq '.survivors[0]'

A finder counts for a mutant if some client that ran it promises what the finder checks: with store
buffers that is TSO, so that cm, ccm, wsc and sc say nothing about the protocol there.

JSON is one object: `runs`; `kills`, `rates` and `operations`, each for all runs, for each model and
each client (`scope`); `caught` (each mutant with the run that caught it), `survivors`, `equivalents`,
`generators` (blind against guided) and `alarms` (the protocols as they are).

Exit status: 1 if an unmutated protocol shows a fault or a violation of what its client keeps, 2 if
there is no campaign in the folder, else 0.")]
pub struct Args {
    /// The folder that `rubric campaign -o DIR` filled
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Print all survivors and equivalent mutants, not only the first
    #[arg(long)]
    all: bool,

    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// The tables of a campaign.
pub struct Campaign {
    /// Its runs.
    pub runs: Vec<CampaignRun>,
    /// Mutants that were set apart.
    pub equivalents: Vec<Equivalent>,
    /// Whether it has not come to its end, and the runs are those of its log.
    pub is_running: bool,
}

/// How far a campaign is that has just run.
pub struct Progress {
    /// Seconds since it started or went on.
    pub seconds: f64,
    /// Whether all runs that were asked for are done.
    pub is_whole: bool,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let campaign = Campaign::read(&args.folder)?;
    let most = if args.all { usize::MAX } else { SHOWN };
    let tables = campaign::tables(&args.folder)?;
    print(&campaign, &tables, None, most, args.format, out)?;
    Ok(campaign.status())
}

/// How many survivors and equivalent mutants are shown.
pub const SHOWN: usize = 10;

impl Campaign {
    /// Reads the tables of a folder, whole or in shards. If a log knows of more runs, or shards are missing,
    /// the campaign is under way or was killed.
    fn read(folder: &Path) -> Result<Campaign, Error> {
        let nothing = || {
            Error::Usage(format!(
                "{}: there is no campaign in this folder: `rubric campaign -o DIR` makes one",
                folder.display()
            ))
        };
        if !folder.is_dir() {
            return Err(nothing());
        }
        let mut results = Results::read(folder)?;
        let logged = campaign::logged(folder)?;
        if results.is_empty() && logged.is_none() {
            return Err(nothing());
        }
        let known = results.runs.len();
        results.runs.extend(logged.unwrap_or_default());
        results.tidy();
        Ok(Campaign {
            is_running: results.runs.len() > known || campaign::lacks_shards(folder)?,
            runs: results.runs,
            equivalents: results.equivalents,
        })
    }

    /// The answers.
    pub fn answers(&self) -> Answers {
        Answers::of(&self.runs, &self.equivalents, &counts)
    }

    /// A false alarm is what no protocol that is right may cause.
    pub fn status(&self) -> Status {
        match self.answers().alarms.alarms.is_empty() {
            true => Status::Done,
            false => Status::Violation,
        }
    }
}

/// Whether a criterion follows from a model, both by name.
fn counts(model: &str, criterion: &str) -> bool {
    let model = MODELS.into_iter().find(|one| one.name() == model);
    let guarantee = Guarantee::from_name(criterion);
    model
        .zip(guarantee)
        .is_some_and(|(model, guarantee)| guarantee.follows_from(model))
}

/// Prints the answers, and which tables were made; of long lists the first `most`.
pub fn print(
    campaign: &Campaign,
    tables: &[PathBuf],
    progress: Option<Progress>,
    most: usize,
    format: Format,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let answers = campaign.answers();
    let printed = match format {
        Format::Text => text::print(campaign, &answers, tables, progress.as_ref(), most, out),
        Format::Json => {
            let runs = campaign.runs.len();
            let whole = Json {
                runs,
                answers: &answers,
            };
            serde_json::to_writer(&mut *out, &whole)
                .map_err(Into::into)
                .and_then(|()| writeln!(out))
        }
    };
    printed.map_err(Error::Output)
}

#[derive(Serialize)]
struct Json<'a> {
    runs: usize,
    #[serde(flatten)]
    answers: &'a Answers,
}
