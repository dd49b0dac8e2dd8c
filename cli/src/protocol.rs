//! `rubric protocol`: reports errors and warnings of a SLICC protocol, shows its tables, and prints the files of built-in ones.

mod check;
pub(crate) mod diagnostics;
mod dot;
mod drawing;
mod graph;
pub(crate) mod json;
mod layout;
mod matrix;
mod show;
mod source;
mod text;

use std::io::Write;

use slicc::builtin;
use slicc::compile::compile;
use slicc::dialect::explain;
use slicc::lint::lint;
use slicc::load::{Loaded, Modification};
use slicc::outline::Outline;
use slicc::source::{Diagnostic, Severity, Sources};

use crate::error::Error;
use crate::status::Status;
use lab::protocols::{Opened, find_mutant};

/// Check a SLICC protocol, show its machines and transition tables, or print the files of a built-in one
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric protocol check MI_example.slicc
  rubric protocol show MI_example --machine L1Cache
  rubric protocol show MI_example --to svg -o mi.svg
  rubric protocol source MI_example MI_example-cache.sm:155")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Check(check::Args),
    Show(show::Args),
    Source(source::Args),
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    match &args.command {
        Command::Check(args) => check::run(args, out),
        Command::Show(args) => show::run(args, out),
        Command::Source(args) => source::run(args, out),
    }
}

/// A protocol that was read, with its errors and warnings.
struct Protocol {
    /// The files of the protocol.
    sources: Sources,
    /// The protocol and its tables, unless they have errors.
    tables: Option<(Loaded, Outline)>,
    /// Errors and warnings.
    diagnostics: Vec<Diagnostic>,
}

/// Reads the tables of a protocol, given by a built-in name or the path of a `.slicc` file, or those of a mutant of it. The
/// bodies of actions, ports and functions are not examined.
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
    /// Adds the diagnostics of a protocol whose tables have no errors. This compiles it, which checks types and the names in
    /// bodies, and lints it. The size of cache lines does not influence them.
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
            Err(errors) => self.diagnostics.extend(explain(&self.sources, errors)),
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
