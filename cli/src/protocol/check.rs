//! `rubric protocol check`: errors and warnings about a protocol.

use std::io::{self, IsTerminal, Write};

use lab::protocols::examined::{Examined, report};
use slicc::source::Severity;

use super::diagnostics;
use crate::error::Error;
use crate::json;
use crate::options::Format;
use crate::status::Status;

/// Say what is wrong or odd about a SLICC protocol
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric protocol check protocols/MESI_Two_Level.slicc
  rubric protocol check MI_example --format json

JSON is one object: `protocol` (its name, or null if its
tables have errors), `mutant` (as given, or null), `errors` and `warnings` (how many), and
`diagnostics`, each with `severity`, `message`, `label`, `hint`, its place (`file`, `line`, `column`,
`end_line`, `end_column`, from 1, or all null) and `notes` (`message` and a place).

Exit status: 0 without errors, whatever the warnings; 2 with errors.")]
pub(super) struct Args {
    /// A `.slicc` file, or the name of a built-in protocol
    protocol: String,

    /// Put a fault into the protocol, a built-in one: a mutant from `rubric mutants list`
    #[arg(long, value_name = "MUTANT")]
    mutant: Option<String>,

    /// Form of the results on standard output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// Runs the command.
pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let mut protocol = Examined::read(&args.protocol, args.mutant.as_deref())?;
    protocol.examine();
    let written = match args.format {
        Format::Text => text(&protocol, out),
        Format::Json => json::sorted_line(&report(&protocol), out),
    };
    written.map_err(Error::Output)?;
    Ok(match protocol.count(Severity::Error) {
        0 => Status::Done,
        _ => Status::Bad,
    })
}

fn text(protocol: &Examined, out: &mut dyn Write) -> io::Result<()> {
    let paint = io::stdout().is_terminal();
    for diagnostic in &protocol.diagnostics {
        let shown = diagnostics::shown(&protocol.sources, diagnostic, paint);
        writeln!(out, "{shown}\n")?;
    }
    writeln!(out, "{}", protocol.summary())
}
