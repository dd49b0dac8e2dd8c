//! `rubric mutants`: the named mutants of the built-in protocols; and how commands find one.

use std::io::{self, Write};

use serde_json::json;
use simulate::mutant::{Mutant, named};
use simulate::slicc::builtin::{BUILTINS, builtin};

use crate::error::Error;
use crate::options::Format;
use crate::status::Status;

/// List and show named mutants: built-in protocols with a known fault put back
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric mutants list MESI_Two_Level
  rubric mutants show mi-l1-forward-blocks-queue
  rubric simulate MESI_Two_Level --mutant mesi2-l1-is-inv-no-notify --client early --check

gem5's released tables have faults of their own; the built-in protocols have them repaired. Each
repair has a mutant that puts the fault back.")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    List(List),
    Show(Show),
}

/// List mutants, with what is wrong in each
#[derive(clap::Args)]
#[command(after_help = "\
JSON is one object a line for each mutant: `name`, `protocol` and `description`.")]
struct List {
    /// Only those of this built-in protocol
    protocol: Option<String>,

    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// Show a mutant: what is wrong in it, and the edit as a unified diff
#[derive(clap::Args)]
#[command(after_help = "\
JSON is one object: `name`, `protocol`, `description` and `patch`.
The text can be given to `patch -p1` in a folder with the protocol's files.")]
struct Show {
    /// The mutant
    #[arg(value_name = "MUTANT")]
    name: String,

    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    match &args.command {
        Command::List(args) => list(args, out),
        Command::Show(args) => show(args, out),
    }
}

fn list(args: &List, out: &mut dyn Write) -> Result<Status, Error> {
    let mutants: Vec<Mutant> = match &args.protocol {
        None => named::all().collect(),
        Some(name) if builtin(name).is_some() => named::of(name).collect(),
        Some(name) => {
            let names: Vec<&str> = BUILTINS.iter().map(|one| one.name).collect();
            return Err(Error::Usage(format!(
                "{name}: no such built-in protocol: there are {}",
                names.join(", ")
            )));
        }
    };
    let written = match args.format {
        Format::Text => lines(&mutants, out),
        Format::Json => mutants.iter().try_for_each(|one| {
            let value = json!({
                "name": one.name,
                "protocol": one.protocol,
                "description": one.description,
            });
            writeln!(out, "{value}")
        }),
    };
    written.map_err(Error::Output)?;
    Ok(Status::Done)
}

/// Columns of a description before it is wrapped.
const WIDTH: usize = 92;

/// A heading for each protocol, and below it its mutants with what is wrong in them.
fn lines(mutants: &[Mutant], out: &mut dyn Write) -> io::Result<()> {
    for (at, group) in mutants
        .chunk_by(|a, b| a.protocol == b.protocol)
        .enumerate()
    {
        if at > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", group[0].protocol)?;
        for one in group {
            writeln!(out, "  {}", one.name)?;
            for line in wrapped(&one.description) {
                writeln!(out, "      {line}")?;
            }
        }
    }
    Ok(())
}

/// The words of a text, on lines of at most [`WIDTH`] columns if no word is longer.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn show(args: &Show, out: &mut dyn Write) -> Result<Status, Error> {
    let one = find(&args.name, None)?;
    let written = match args.format {
        Format::Text => {
            let about = wrapped(&one.description).join("\n");
            let (name, protocol) = (&one.name, &one.protocol);
            write!(out, "{name}, of {protocol}\n\n{about}\n\n{}", one.patch())
        }
        Format::Json => {
            let value = json!({
                "name": one.name,
                "protocol": one.protocol,
                "description": one.description,
                "patch": one.patch(),
            });
            writeln!(out, "{value}")
        }
    };
    written.map_err(Error::Output)?;
    Ok(Status::Done)
}

/// The mutant of a name, of a protocol if one is given.
pub fn find(name: &str, protocol: Option<&str>) -> Result<Mutant, Error> {
    let Some(mutant) = named::find(name) else {
        let near = named::nearest(name).join(" or ");
        let guess = match near.is_empty() {
            true => String::new(),
            false => format!("did you mean {near}? "),
        };
        return Err(Error::Usage(format!(
            "there is no mutant {name}: {guess}`rubric mutants list` shows all"
        )));
    };
    match protocol {
        Some(protocol) if protocol != mutant.protocol => Err(Error::Usage(format!(
            "--mutant {name}: it is a mutant of the built-in {}, not of {protocol}: name the protocol \
             that it is of, or choose one from `rubric mutants list`",
            mutant.protocol,
        ))),
        _ => Ok(mutant),
    }
}
