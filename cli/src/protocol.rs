//! `rubric protocol`: says what is wrong with a SLICC protocol, and shows its tables.

mod check;
pub mod diagnostics;
mod dot;
mod drawing;
mod graph;
mod json;
mod layout;
mod show;
mod text;

use std::io::Write;

use simulate::slicc::builtin;
use simulate::slicc::lint::lint;
use simulate::slicc::load::Loaded;
use simulate::slicc::outline::Outline;
use simulate::source::{Diagnostic, Severity, Sources};

use crate::error::Error;
use crate::status::Status;

/// Check a SLICC protocol, or show its machines and transition tables
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric protocol check MI_example.slicc
  rubric protocol show MI_example --machine L1Cache
  rubric protocol show MI_example --format svg -o mi.svg")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Check(check::Args),
    Show(show::Args),
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    match &args.command {
        Command::Check(args) => check::run(args, out),
        Command::Show(args) => show::run(args, out),
    }
}

/// A protocol that has been looked at.
struct Protocol {
    /// Its files.
    sources: Sources,
    /// It and its tables, if it is without errors.
    good: Option<(Loaded, Outline)>,
    /// Errors and warnings.
    diagnostics: Vec<Diagnostic>,
}

/// Looks at a protocol: a built-in name, or the path of a `.slicc` file.
fn open(name: &str) -> Protocol {
    let loaded = match builtin::open(name) {
        Ok(loaded) => loaded,
        Err(failure) => {
            return Protocol {
                sources: failure.sources,
                good: None,
                diagnostics: failure.diagnostics,
            };
        }
    };
    let mut diagnostics = loaded.warnings.clone();
    let good = match examine(&loaded) {
        Ok((outline, warnings)) => {
            diagnostics.extend(warnings);
            Some((loaded.clone(), outline))
        }
        Err(errors) => {
            diagnostics.extend(errors);
            None
        }
    };
    Protocol {
        sources: loaded.sources,
        good,
        diagnostics,
    }
}

/// The tables of a protocol with warnings, or errors.
fn examine(loaded: &Loaded) -> Result<(Outline, Vec<Diagnostic>), Vec<Diagnostic>> {
    let outline = Outline::of(loaded)?;
    // The compiler, which checks types and the names in bodies, belongs here.
    let warnings = lint(loaded, &outline);
    Ok((outline, warnings))
}

impl Protocol {
    fn count(&self, severity: Severity) -> usize {
        let of_severity = |one: &&Diagnostic| one.severity == severity;
        self.diagnostics.iter().filter(of_severity).count()
    }
}

/// `1 error`, `2 errors`
fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}
