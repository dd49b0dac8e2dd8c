//! `rubric mutants`: lists and shows the mutants of protocols, the named ones and those that operators make. Other commands find
//! mutants here by their names.

use std::borrow::Cow;
use std::io::{self, Write};

use mutate::{Misfit, Mutant, Operator, Origin, made, named, repair};
use schemars::JsonSchema;
use serde::Serialize;
use slicc::builtin::{BUILTINS, builtin};

use crate::error::Error;
use crate::json;
use crate::options::Format;
use crate::status::Status;
use lab::protocols::{Opened, find_mutant, find_repair, words_of};
use lab::released::words::wrapped;
use lab::text::quoted;

/// List and show mutants: protocols with a fault put in
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric mutants list
  rubric mutants list path/to/MI_example.slicc
  rubric mutants show mi-l1-forward-blocks-queue
  rubric mutants show mi-l1-replace-no-notify --protocol path/to/MI_example.slicc
  rubric simulate MESI_Two_Level --mutant mesi2-l1-is-inv-no-notify --client early --check

Named mutants are real faults: those that gem5's protocols had, and those that its released tables
still have and the built-in protocols have not. Each is described by machine, states, events and the
calls that it adds, removes or changes. So it applies to any protocol of that name, also to gem5's own
files and to edited copies, where exactly one place matches; otherwise the candidates are listed.
Operators make the others, of any protocol, one for each place where they apply; an id says protocol,
machine, place, operator and what is done, and does not depend on line numbers. `rubric campaign` runs
them.")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    List(List),
    Show(Show),
    Operators(Operators),
}

/// List mutants: named ones with what is wrong in each, and the ids of those that operators make
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric mutants list
  rubric mutants list MESI_Two_Level --operator drop-action,next-state-same
  rubric mutants list path/to/My_protocol.slicc

Named mutants of a path are those of the protocol that its `protocol` line names, each with whether it
applies to those files, or why not: the protocol may have the fault already.

JSON is one object a line for each mutant: `name`, `aliases`, `protocol`, `description`; of those
that operators make, `operator`, `machine`, `state`, `event` and `place`; of named ones, if a protocol
is given, `applies` and, if that is false, `reason`.")]
struct List {
    /// Only those of this protocol: a built-in name or the path of a `.slicc` file. Without it, the
    /// named mutants of all built-in ones
    protocol: Option<String>,

    /// List the repairs of known faults of gem5's released protocols instead, which --repair takes
    #[arg(long, conflicts_with = "operator")]
    repairs: bool,

    /// Only what these operators make
    #[arg(long, value_name = "OPERATORS", value_delimiter = ',', requires = "protocol",
          value_parser = clap::value_parser!(Operator))]
    operator: Vec<Operator>,

    /// Form of the results on standard output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// Show a mutant: what is wrong in it, and the edit as a unified diff
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric mutants show mi-l1-forward-blocks-queue
  rubric mutants show MI_example/L1Cache/IM.Data/swap-actions:fill_entry+write_miss_done
  rubric mutants show mi-l1-replace-no-notify --protocol path/to/MI_example.slicc

The text can be given to `patch -p1` in the folder of the `.slicc` file: the diff is of the files of
--protocol, with their formatting and line numbers, or of the built-in protocol's. What gem5 decides in
Python scripts is no part of the diff: it is shown as the settings that `--set` takes. JSON is one
object: what `rubric mutants list` gives, `patch` and `settings`.")]
struct Show {
    /// The mutant
    #[arg(value_name = "MUTANT")]
    name: String,

    /// The protocol that it is of, if that is not built in: the path of a `.slicc` file
    #[arg(long, value_name = "FILE.slicc")]
    protocol: Option<String>,

    /// Show the repair of this name instead, which takes the fault out of gem5's released protocol
    #[arg(long, requires = "protocol")]
    repair: bool,

    /// Form of the results on standard output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// List the operators that make mutants, with what each does
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric mutants operators")]
struct Operators {}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    match &args.command {
        Command::List(args) => list(args, out),
        Command::Show(args) => show(args, out),
        Command::Operators(_) => operators(out).map_err(Error::Output),
    }
}

fn list(args: &List, out: &mut dyn Write) -> Result<Status, Error> {
    let mutants: Vec<Mutant> = match &args.protocol {
        None if args.repairs => repair::all().collect(),
        None => named::all().collect(),
        Some(given) if args.repairs => {
            let opened = Opened::new(given, None)?;
            let repairs = repair::of(opened.protocol.name());
            let listed =
                |mutant: Mutant| Listed { fit: Some(mutant.fits(&opened.protocol.loaded)), mutant };
            return written(&repairs.map(listed).collect::<Vec<_>>(), true, args.format, out);
        }
        Some(given) => {
            let opened = Opened::new(given, None)?;
            let named = named::of(opened.protocol.name()).filter(|_| args.operator.is_empty());
            let made = made::by(&opened.protocol, &args.operator);
            let mut mutants: Vec<Mutant> = named.chain(made).collect();
            mutants.sort_by_key(|mutant| mutant.origin.operator());
            let listed = |mutant: Mutant| Listed {
                fit: (mutant.origin == Origin::Named).then(|| mutant.fits(&opened.protocol.loaded)),
                mutant,
            };
            // Named mutants always apply to the built-in protocols.
            let is_builtin = builtin(given).is_some();
            let mutants: Vec<Listed> = mutants.into_iter().map(listed).collect();
            return written(&mutants, !is_builtin, args.format, out);
        }
    };
    let listed = |mutant| Listed { mutant, fit: None };
    let mutants: Vec<Listed> = mutants.into_iter().map(listed).collect();
    written(&mutants, false, args.format, out)
}

/// A mutant to be listed.
struct Listed {
    mutant: Mutant,
    /// Whether the mutant applies to the protocol that was asked about; `None` for a mutant that an operator made, or if no
    /// protocol was given.
    fit: Option<Result<(), Misfit>>,
}

fn written(
    mutants: &[Listed],
    says_fit: bool,
    format: Format,
    out: &mut dyn Write,
) -> Result<Status, Error> {
    let written = match format {
        Format::Text => lines(mutants, says_fit, out),
        Format::Json => mutants.iter().try_for_each(|one| {
            let misfit = one.fit.as_ref().and_then(|fit| fit.as_ref().err());
            let line = Line {
                applies: one.fit.as_ref().map(Result::is_ok),
                reason: misfit.map(ToString::to_string),
                ..Line::of(&one.mutant)
            };
            json::sorted_line(&line, out)
        }),
    };
    written.map_err(Error::Output)?;
    Ok(Status::Done)
}

/// A line of `rubric mutants list --format json`, or what `rubric mutants show --format json` prints: a mutant.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Line<'a> {
    /// The name, or the id if an operator made it.
    name: &'a str,
    /// Further names.
    aliases: &'a [Cow<'static, str>],
    /// The protocol that it is for.
    protocol: &'a str,
    /// The fault and its consequence.
    description: &'a str,
    #[serde(flatten)]
    origin: OriginJson<'a>,
    /// Whether it applies to the protocol that was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    applies: Option<bool>,
    /// Why it does not apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The edit, as a unified diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<String>,
    /// Settings of gem5's configuration script.
    #[serde(skip_serializing_if = "Option::is_none")]
    settings: Option<Vec<String>>,
}

/// The origin of a mutant.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum OriginJson<'a> {
    /// It has a known fault.
    Named {},
    /// An operator made it.
    Made {
        operator: &'static str,
        machine: &'a str,
        /// The state, if the edit is about one entry of the table.
        state: Option<&'a str>,
        /// The event, if the edit is about one entry of the table.
        event: Option<&'a str>,
        /// The part that is edited.
        place: &'a str,
    },
}

impl Line<'_> {
    /// The properties of a mutant, without its edit.
    fn of(one: &Mutant) -> Line<'_> {
        Line {
            name: &one.name,
            aliases: &one.aliases,
            protocol: &one.protocol,
            description: &one.description,
            origin: match &one.origin {
                Origin::Made { operator, site } => OriginJson::Made {
                    operator: operator.name(),
                    machine: &site.machine,
                    state: site.state.as_deref(),
                    event: site.event.as_deref(),
                    place: &site.place,
                },
                _ => OriginJson::Named {},
            },
            applies: None,
            reason: None,
            patch: None,
            settings: None,
        }
    }
}

fn operators(out: &mut dyn Write) -> io::Result<Status> {
    for one in Operator::ALL {
        writeln!(out, "{}", one.name())?;
        for line in wrapped(one.about(), WIDTH) {
            writeln!(out, "    {line}")?;
        }
    }
    Ok(Status::Done)
}

/// Width at which a description is wrapped, in characters.
const WIDTH: usize = 92;

/// Prints a heading for each protocol, and below it the protocol's mutants: named ones with a description of their fault, others
/// by operator.
fn lines(mutants: &[Listed], says_fit: bool, out: &mut dyn Write) -> io::Result<()> {
    for (at, group) in mutants.chunk_by(|a, b| a.mutant.protocol == b.mutant.protocol).enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", group[0].mutant.protocol)?;
        for same in group.chunk_by(|a, b| a.mutant.origin.operator() == b.mutant.origin.operator())
        {
            match same[0].mutant.origin.operator() {
                None => same.iter().try_for_each(|one| {
                    about(&one.mutant, out)?;
                    match &one.fit {
                        Some(fit) if says_fit => fitting(fit, out),
                        _ => Ok(()),
                    }
                })?,
                Some(operator) => {
                    writeln!(out, "  {} ({})", operator.name(), same.len())?;
                    same.iter().try_for_each(|one| writeln!(out, "    {}", one.mutant.name))?;
                }
            }
        }
    }
    Ok(())
}

/// Prints whether a named mutant applies to the protocol and, if not, why.
fn fitting(fit: &Result<(), Misfit>, out: &mut dyn Write) -> io::Result<()> {
    match fit {
        Ok(()) => writeln!(out, "      applies"),
        Err(misfit) => {
            let text = misfit.to_string();
            let mut lines = text.lines();
            let first = wrapped(lines.next().unwrap_or_default(), WIDTH).into_iter();
            first.chain(lines.map(str::to_owned)).try_for_each(|line| writeln!(out, "      {line}"))
        }
    }
}

/// Prints the names and the description of a named mutant.
fn about(one: &Mutant, out: &mut dyn Write) -> io::Result<()> {
    let aliases: String = one.aliases.iter().map(|alias| format!(", {alias}")).collect();
    writeln!(out, "  {}{aliases}", one.name)?;
    let mut lines = wrapped(&one.description, WIDTH).into_iter();
    lines.try_for_each(|line| writeln!(out, "      {line}"))
}

fn show(args: &Show, out: &mut dyn Write) -> Result<Status, Error> {
    let given = match &args.protocol {
        Some(given) => given.clone(),
        None => builtin_of(&args.name)?.to_owned(),
    };
    let opened = Opened::new(&given, None)?;
    let one = if args.repair {
        find_repair(&args.name, &given, &opened.protocol)?
    } else {
        find_mutant(&args.name, &given, &opened.protocol)?
    };
    let patch = one.patch(&opened.protocol.loaded);
    let patch = patch.map_err(|misfit| Error::Usage(format!("{given}: {}: {misfit}", one.name)))?;
    let written = match args.format {
        Format::Text => shown(&one, &given, &patch, out),
        Format::Json => {
            let settings = one.settings.iter().map(ToString::to_string).collect();
            let line = Line { patch: Some(patch), settings: Some(settings), ..Line::of(&one) };
            json::sorted_line(&line, out)
        }
    };
    written.map_err(Error::Output)?;
    Ok(Status::Done)
}

fn shown(one: &Mutant, given: &str, patch: &str, out: &mut dyn Write) -> io::Result<()> {
    let about = wrapped(&one.description, WIDTH).join("\n");
    writeln!(out, "{}, of {}\n\n{about}\n", one.name, one.protocol)?;
    for setting in &one.settings {
        writeln!(out, "In gem5's configuration script: {setting}\n")?;
    }
    let (given, name) = (words_of(given), quoted(&one.name));
    let option = if one.origin == Origin::Repair { "repair" } else { "mutant" };
    writeln!(out, "rubric simulate {given} --{option} {name} --runs 100 --check --client all\n")?;
    write!(out, "{patch}")
}

/// The built-in protocol that a mutant with this name belongs to.
fn builtin_of(name: &str) -> Result<&'static str, Error> {
    let of = match named::find(name) {
        Some(mutant) => mutant.protocol.into_owned(),
        None => name.split('/').next().unwrap_or(name).to_owned(),
    };
    let found = BUILTINS.iter().find(|one| one.name == of);
    found.map(|one| one.name).ok_or_else(|| {
        let near = named::nearest(name).into_iter();
        Error::from(lab::Error::NoMutant {
            name: name.to_owned(),
            near: near.map(str::to_owned).collect(),
        })
    })
}
