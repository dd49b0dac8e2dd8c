//! `rubric cover`: finds runs that take the transitions of a protocol's tables. [`lab::covering`] does the work.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ArgGroup;
use explore::protocol::Violation;
use explore::protocol::cover::CoveringRun;
use lab::covering::{
    BUDGET, Extent, Fate, Options, WalkId, cover, json as documents, replay, text,
};
use lab::protocols::Repairs;
use lab::text::capitalized;
use report::sequence::Sequence;
use slicc::outline::TableEntry;
use slicc::setting::Setting;

use crate::error::Error;
use crate::files;
use crate::interrupt;
use crate::jobs::JobsArgs;
use crate::json;
use crate::options::Format;
use crate::progress::Bars;
use crate::sequence::{self, Form};
use crate::simulate::parse;
use crate::status::Status;

/// Find runs that take the transitions of a protocol's tables, and say why the others are not taken
#[derive(clap::Args)]
#[command(group = ArgGroup::new("run").args(["to", "replay"]), after_help = "\
Examples:
  rubric cover MI_example --budget 5s
  rubric cover path/to/gem5/src/mem/ruby/protocol/MESI_Two_Level.slicc --repair all --budget 10s
  rubric cover MI_example --to 'L1Cache II Writeback_Nack'
  rubric cover path/to/gem5/src/mem/ruby/protocol/MESI_Two_Level.slicc --to 'L1Cache M_I Fwd_GETX' -o run.svg

Walks through small systems, drawn one after another (threads, locations, sizes of caches, DMA devices, kinds of requests,
and policies of CHI's controllers), begin where they may take something new, and let messages wait for each other as long as
possible. A few random programs run beside that, for what small systems lack. Each transition ends up as one of:

  taken      a walk or a program took it
  proved     no run takes it in a system of any size: from the text of the protocol follows that its state or its event
             does not come up
  needs      no run of the systems that are drawn takes it: they lack a kind of request, a controller or the value of a parameter
  left       not taken; the reason says whether its state, its event, both, or only both together did not come up

Entries of the table that stall are not counted. `rubric explore protocol --unreached` proves what no run takes
in a system of one size.

With --to, the walks make for one transition, given as machine, state and event, and end when it is taken. The run is
printed without the moves that it does not need, and drawn with -o as a message-sequence chart.

Walks end where something goes wrong. What did is listed at the end, each with a command that shows a short walk to it
(--replay). Many are known faults of gem5's released protocols: --repair all takes these out.

JSON is one object; `rubric schema cover` describes it.

Exit status: 0 if done, or if the transition of --to was taken or is proved unreachable; 3 if it was not taken; 1 if a walk of
--replay ends in a finding; 2 bad usage or protocol files.")]
pub(crate) struct Args {
    /// A built-in name or the path of a `.slicc` file
    #[arg(value_name = "PROTOCOL")]
    protocol: String,

    /// Find a run that takes this transition
    #[arg(long, value_name = "MACHINE STATE EVENT", value_parser = transition)]
    to: Option<TableEntry>,

    /// Make a walk again, by its name
    #[arg(long, value_name = "WALK", conflicts_with_all = ["to", "rounds", "budget", "seed"])]
    replay: Option<WalkId>,

    /// Make N rounds, each some walks in each of several systems and some programs: the same result every time
    #[arg(long, value_name = "N", value_parser = parse::positive, conflicts_with = "budget")]
    rounds: Option<u32>,

    /// Search for this time, such as 30 (seconds), 10m or 2h [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = crate::time::parse)]
    budget: Option<Duration>,

    /// Seed of all choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Repair known faults of gem5's released protocol first: `all` that fit, or names from `rubric
    /// mutants list --repairs`
    #[arg(long, value_name = "REPAIRS", default_value = "none", hide_default_value = true)]
    repair: Repairs,

    /// Set a parameter of the protocol or the order of a buffer in all systems, as in `rubric simulate`
    #[arg(long, value_name = "[MACHINE.]NAME=VALUE")]
    set: Vec<Setting>,

    /// With --to or --replay: draw the run as a message-sequence chart, to a name ending in .svg, .html or .txt
    #[arg(long, short, value_name = "FILE", requires = "run")]
    output: Option<PathBuf>,

    #[command(flatten)]
    jobs: JobsArgs,

    /// Form of the results on standard output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Print only errors on standard error
    #[arg(long, short)]
    quiet: bool,
}

/// The name of a transition: machine, state and event, separated by spaces.
fn transition(text: &str) -> Result<TableEntry, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        [machine, state, event] => Ok(TableEntry::new(machine, state, event)),
        _ => Err("a machine, a state and an event were expected, such as 'L1Cache M Fwd_GETX'"
            .to_owned()),
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let chart = args.output.as_deref().map(|path| Ok::<_, Error>((path, Form::of("-o", path)?)));
    let chart = chart.transpose()?;
    files::spare(&[PathBuf::from(&args.protocol)], &args.output)?;
    match (&args.replay, &args.to) {
        (Some(id), _) => show(args, id, chart, out),
        (None, Some(entry)) => run_to(args, entry, chart, out),
        (None, None) => {
            let covered = args.cover()?;
            match args.format {
                Format::Text => text::write(&covered, out),
                Format::Json => json::line(&documents::document(&covered), out),
            }
            .map_err(Error::Output)?;
            Ok(interrupt::status(Status::Done))
        }
    }
}

impl Args {
    fn cover(&self) -> Result<lab::covering::Covered, Error> {
        let options = Options {
            extent: match self.rounds {
                Some(rounds) => Extent::Rounds(rounds),
                None => Extent::Time(self.budget.unwrap_or(BUDGET)),
            },
            seed: self.seed,
            repairs: self.repair.clone(),
            settings: self.set.clone(),
            towards: self.to.clone(),
        };
        self.jobs.apply()?;
        interrupt::gracefully();
        Ok(cover(&self.protocol, &options, &Bars::new(self.quiet))?)
    }

    /// Draws a run as a message-sequence chart, if a file is given, and says so.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    fn draw(
        &self,
        run: &CoveringRun,
        title: String,
        system: &str,
        chart: Option<(&Path, Form)>,
        out: &mut dyn Write,
    ) -> Result<(), Error> {
        let Some((path, form)) = chart else { return Ok(()) };
        let steps = run.steps.iter().map(|step| (None, &step.signals[..])).collect();
        let sequence = Sequence { parties: &run.parties, steps };
        let wrong = run.violation.as_ref().map(Violation::sentence);
        let is_wrong = wrong.is_some();
        let mut drawn = sequence.chart(
            title,
            vec![format!("{}, {system}", self.protocol)],
            wrong.unwrap_or_default(),
        );
        if !is_wrong {
            drawn.wrong = None;
        }
        drawn.notes = run.violation.as_ref().map(Violation::notes).unwrap_or_default();
        sequence::write(&drawn, path, form)?;
        if self.format == Format::Text {
            writeln!(out, "  written: {}", path.display()).map_err(Error::Output)?;
        }
        Ok(())
    }
}

/// Looks for a run to a transition, and shows it.
fn run_to(
    args: &Args,
    entry: &TableEntry,
    chart: Option<(&Path, Form)>,
    out: &mut dyn Write,
) -> Result<Status, Error> {
    let covered = args.cover()?;
    let run = covered.run_to(entry);
    match args.format {
        Format::Text => text::write_run(&covered, entry, run.as_ref(), out),
        Format::Json => json::line(&documents::document_of(&covered, entry, run.as_ref()), out),
    }
    .map_err(Error::Output)?;
    if run.is_none() && chart.is_some() && args.format == Format::Text {
        writeln!(out, "  nothing to draw: no walk takes it").map_err(Error::Output)?;
    }
    if let Some(run) = &run {
        let TableEntry { machine, state, event } = entry;
        let title = format!("How {machine} takes {event} in {state}");
        args.draw(run, title, &covered.system_of(entry).unwrap_or_default(), chart, out)?;
    }
    Ok(match covered.rows.get(entry) {
        Some(Fate::Left { .. } | Fate::Lacking(_)) => Status::Undecided,
        _ => Status::Done,
    })
}

/// Makes a walk again, and shows it.
fn show(
    args: &Args,
    id: &WalkId,
    chart: Option<(&Path, Form)>,
    out: &mut dyn Write,
) -> Result<Status, Error> {
    let replayed = replay(&args.protocol, &args.repair, &args.set, id)?;
    match args.format {
        Format::Text => text::write_replayed(&replayed, out),
        Format::Json => json::line(&documents::document_of_walk(&replayed), out),
    }
    .map_err(Error::Output)?;
    let violation = replayed.run.violation.as_ref();
    let title = violation.map_or(format!("Walk {id}"), |found| capitalized(&found.sentence()));
    args.draw(&replayed.run, title, &replayed.system, chart, out)?;
    Ok(if violation.is_some() { Status::Violation } else { Status::Done })
}
