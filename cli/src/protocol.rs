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

use slicc::builtin;
use slicc::compile::compile;
use slicc::lint::lint;
use slicc::load::Loaded;
use slicc::outline::Outline;
use slicc::source::{Diagnostic, Severity, Sources};

use crate::error::Error;
use crate::status::Status;
use lab::protocols::{Opened, find_mutant};

/// Check a SLICC protocol, or show its machines and transition tables
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric protocol check MI_example.slicc
  rubric protocol show MI_example --machine L1Cache
  rubric protocol show MI_example --to svg -o mi.svg")]
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
    /// The files of the protocol.
    sources: Sources,
    /// It and its tables, if they are without errors.
    tables: Option<(Loaded, Outline)>,
    /// Errors and warnings.
    diagnostics: Vec<Diagnostic>,
}

/// Reads the tables of a protocol: of a built-in name, or the path of a `.slicc` file; or of a
/// mutant of it. What stands in the bodies of actions, ports and functions does not matter for them.
fn open(name: &str, mutant: Option<&str>) -> Result<Protocol, Error> {
    let opened = match mutant {
        None => builtin::open(name),
        Some(mutant) => {
            let original = Opened::new(name, None)?;
            find_mutant(mutant, name, &original.protocol)?.load(&original.protocol.loaded)
        }
    };
    let (sources, tables, diagnostics) = match opened {
        Err(failure) => (failure.sources, None, failure.diagnostics),
        Ok(loaded) => {
            let mut diagnostics = loaded.warnings.clone();
            let sources = loaded.sources.clone();
            let tables = match Outline::of(&loaded) {
                Ok(outline) => Some((loaded, outline)),
                Err(errors) => {
                    diagnostics.extend(errors);
                    None
                }
            };
            (sources, tables, diagnostics)
        }
    };
    Ok(Protocol { sources, tables, diagnostics })
}

impl Protocol {
    /// Says all there is to say about a protocol whose tables are right: its types, and the names in
    /// bodies, are checked by compiling it, for blocks of any size.
    fn examine(&mut self) {
        const BLOCK_BYTES: usize = 64;
        let Some((loaded, outline)) = &self.tables else {
            return;
        };
        let (name, declarations) = (&loaded.protocol, &loaded.declarations);
        match compile(name, declarations, outline, BLOCK_BYTES) {
            Ok((_, warnings)) => {
                self.diagnostics.extend(warnings);
                self.diagnostics.extend(lint(loaded, outline));
            }
            Err(errors) => self.diagnostics.extend(errors),
        }
    }

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
