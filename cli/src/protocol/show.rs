//! `rubric protocol show`: the tables of a protocol.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use lab::protocols::examined::Examined;
use report::machines;
use report::page::machines_page;
use slicc::outline::{MachineOutline, Outline};

use super::diagnostics;
use crate::error::Error;
use crate::files;
use crate::json;
use crate::status::Status;

/// Show machines, states, events and the transition table of a SLICC protocol
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric protocol show MI_example | less
  rubric protocol show MI_example --to json | python3 -m json.tool
  rubric protocol show MESI_Two_Level.slicc --machine L1Cache --to svg -o l1.svg

Text has the transitions of each state; events that do the same are on one line.
JSON is one object: `protocol`, `mutant` (or null), `files`, and `machines`, each with `name`, `description`, `states` (`name`,
`permission`, `description`), `events` and `requests` (`name`, `description`), `actions` (`name`, `short`,
`description`, `stalls`), `in_ports` (in the order in which they are scanned) and `out_ports` (`name`, `buffer`,
`message`, `rank`), and `transitions` (`state`, `event`, `next`, which is null where `getNextState` decides, `actions`,
`requests`, `stalls`, `file`, `line`).
A graph (dot is Graphviz's language) has one edge for all transitions from one state to another, without those
that stall; in a drawing, a state lists the events that do not change it. There is one graph a machine: several
go to FILE-MACHINE.svg each if a file is given.
A page (html) has a table for each machine, however large: a row is a state, a column an event, and a cell leads to
the next state and says what is done.")]
pub(super) struct Args {
    /// A `.slicc` file, or the name of a built-in protocol
    protocol: String,

    /// Put a fault into the protocol, a built-in one: a mutant from `rubric mutants list`
    #[arg(long, value_name = "MUTANT")]
    mutant: Option<String>,

    /// What to write [default: what the name of the output says, text for standard output]
    #[arg(long, alias = "format", value_name = "FORMAT")]
    to: Option<Format>,

    /// Show only this machine
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,

    /// Write to this file instead of standard output: a name ending in .txt, .json, .dot, .svg or .html
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The formats that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Human-readable text
    Text,
    /// JSON
    Json,
    /// Graph for Graphviz
    Dot,
    /// Drawing
    Svg,
    /// Page with a table of states and events for each machine
    Html,
}

impl Format {
    /// The extensions of files in the format.
    fn endings(self) -> &'static [&'static str] {
        match self {
            Format::Text => &["txt"],
            Format::Json => &["json"],
            Format::Dot => &["dot", "gv"],
            Format::Svg => &["svg"],
            Format::Html => &["html", "htm"],
        }
    }
}

impl Args {
    /// The format to write: the one that the user asks for, which the output's extension must not contradict, or else that of the
    /// extension.
    fn format(&self) -> Result<Format, Error> {
        let Some(path) = &self.output else {
            return Ok(self.to.unwrap_or(Format::Text));
        };
        let ending = files::ending(path);
        let says =
            |format: &Format| ending.as_deref().is_some_and(|it| format.endings().contains(&it));
        let by_name = Format::value_variants().iter().copied().find(says);
        match (self.to, by_name) {
            (Some(format), Some(other)) if format != other => files::check_ending(
                "-o",
                path,
                format.endings(),
                &format!(".{} was expected, or no --to", format.endings()[0]),
            )
            .map(|()| format),
            (Some(format), _) => Ok(format),
            (None, Some(format)) => Ok(format),
            (None, None) => {
                let advice = ".txt, .json, .dot, .svg or .html was expected; or add --to";
                files::check_ending("-o", path, Format::Text.endings(), advice)
                    .map(|()| Format::Text)
            }
        }
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    // A wrong extension of the output is reported before the work is done.
    let format = args.format()?;
    let protocol = Examined::read(&args.protocol, args.mutant.as_deref())?;
    let Some((loaded, outline)) = &protocol.tables else {
        let (sources, all) = (&protocol.sources, &protocol.diagnostics);
        return Err(diagnostics::refusal(&args.protocol, sources, all));
    };
    let selected = selected(outline, args.machine.as_deref())?;
    let title = loaded.title();
    let write = |selected: &[&MachineOutline], out: &mut dyn Write| {
        let written = match format {
            Format::Text => out.write_all(machines::text(&title, selected).as_bytes()),
            Format::Json => json::sorted_line(&machines::json::tables(loaded, selected), out),
            Format::Dot => out.write_all(machines::dot(&title, selected).as_bytes()),
            Format::Svg => out.write_all(machines::drawing(&title, selected).as_bytes()),
            Format::Html => out.write_all(machines_page(&title, selected).as_bytes()),
        };
        written.map_err(Error::Output)
    };
    if format == Format::Svg
        && let Some(machine) = selected.iter().find(|one| machines::is_too_large(one))
    {
        return Err(Error::Usage(format!(
            "{} is too large to be drawn: write .html, a table of states and events with links, or .dot",
            machine.name
        )));
    }
    let is_graph = matches!(format, Format::Dot | Format::Svg);
    match &args.output {
        Some(path) if is_graph && selected.len() > 1 => {
            for machine in selected {
                let path = of_machine(path, &machine.name);
                files::create(&path, |file| write(&[machine], file))?;
            }
        }
        Some(path) => files::create(path, |file| write(&selected, file))?,
        None if format == Format::Svg && selected.len() > 1 => {
            return Err(Error::Usage(format!(
                "there is a drawing for each of {}: choose one with --machine, or give -o FILE",
                names(outline)
            )));
        }
        None => write(&selected, out)?,
    }
    Ok(Status::Done)
}

fn names(outline: &Outline) -> String {
    let names = outline.machines.iter().map(|machine| machine.name.as_str());
    names.collect::<Vec<_>>().join(", ")
}

fn selected<'a>(
    outline: &'a Outline,
    name: Option<&str>,
) -> Result<Vec<&'a MachineOutline>, Error> {
    match name {
        None => Ok(outline.machines.iter().collect()),
        Some(name) => match outline.machine(name) {
            Some(machine) => Ok(vec![machine]),
            None => Err(Error::Usage(format!(
                "there is no machine {name}; there are {}",
                names(outline)
            ))),
        },
    }
}

/// The file of one machine: `a-L1Cache.svg` for `a.svg`.
fn of_machine(path: &Path, machine: &str) -> PathBuf {
    let mut name = OsString::from(path.file_stem().unwrap_or_default());
    name.push(format!("-{machine}"));
    let mut of_machine = path.with_file_name(name);
    if let Some(extension) = path.extension() {
        let mut whole = of_machine.into_os_string();
        whole.push(".");
        whole.push(extension);
        of_machine = PathBuf::from(whole);
    }
    of_machine
}
