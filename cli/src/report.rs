//! `rubric report`: what the table of a campaign's runs answers.

mod table;
mod text;

use std::io::Write;
use std::path::{Path, PathBuf};

use check::guarantee::Guarantee;
use report::answers::Answers;
use report::tables::{CampaignRun, Equivalent, read_equivalents, read_runs};
use serde::Serialize;

use crate::campaign::{self, EQUIVALENTS, RUNS};
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
    print(&campaign, &args.folder, None, most, args.format, out)?;
    Ok(campaign.status())
}

/// How many survivors and equivalent mutants are shown.
pub const SHOWN: usize = 10;

impl Campaign {
    /// Reads the tables of a folder. If the log knows of more runs, the campaign is under way or was
    /// killed.
    fn read(folder: &Path) -> Result<Campaign, Error> {
        let (runs, equivalents) = (folder.join(RUNS), folder.join(EQUIVALENTS));
        let mut campaign = Campaign {
            runs: Vec::new(),
            equivalents: Vec::new(),
            is_running: false,
        };
        if runs.exists() {
            campaign.runs = read_runs(&runs)?;
            campaign.equivalents = read_equivalents(&equivalents)?;
        }
        match campaign::logged(folder)? {
            Some(logged) if logged.len() > campaign.runs.len() => {
                campaign.runs = logged;
                campaign.is_running = true;
            }
            None if !runs.exists() => {
                return Err(Error::Usage(format!(
                    "{}: there is no campaign in this folder: `rubric campaign -o DIR` makes one",
                    folder.display()
                )));
            }
            _ => {}
        }
        Ok(campaign)
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

/// Prints the answers; of long lists the first `most`.
pub fn print(
    campaign: &Campaign,
    folder: &Path,
    progress: Option<Progress>,
    most: usize,
    format: Format,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let answers = campaign.answers();
    let printed = match format {
        Format::Text => text::print(campaign, &answers, folder, progress.as_ref(), most, out),
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
