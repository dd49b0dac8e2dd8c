//! The errors and warnings of a protocol: [`Examined`], and [`report`], which is their JSON.

use schemars::JsonSchema;
use serde::Serialize;
use slicc::builtin;
use slicc::compile::compile;
use slicc::dialect::explain;
use slicc::lint::lint;
use slicc::load::{Loaded, Modification};
use slicc::outline::{MachineOutline, Outline};
use slicc::source::{Diagnostic, Severity, Sources, Span};

use super::{Opened, find_mutant};
use crate::error::Error;
use crate::text::counted;

/// A protocol that was read, with its errors and warnings.
pub struct Examined {
    /// The files of the protocol.
    pub sources: Sources,
    /// The protocol and its tables, unless they have errors.
    pub tables: Option<(Loaded, Outline)>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

impl Examined {
    /// Reads the tables of a protocol, given by a built-in name or the path of a `.slicc` file, or those of a mutant of it. The
    /// bodies of actions, ports and functions are not examined.
    ///
    /// # Errors
    /// Fails if there is no such mutant. Errors of the protocol are among the diagnostics.
    pub fn read(name: &str, mutant: Option<&str>) -> Result<Examined, Error> {
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
        Ok(Examined { sources, tables, diagnostics })
    }

    /// Adds the diagnostics of a protocol whose tables have no errors. This compiles it, which checks types and the names in
    /// bodies, and lints it. The size of cache lines does not influence them.
    pub fn examine(&mut self) {
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

    /// The number of errors or warnings.
    pub fn count(&self, severity: Severity) -> usize {
        let of_severity = |one: &&Diagnostic| one.severity == severity;
        self.diagnostics.iter().filter(of_severity).count()
    }

    /// The result in a line: the numbers of machines, states, events and transitions, or of errors, and that of warnings.
    pub fn summary(&self) -> String {
        let errors = self.count(Severity::Error);
        let warnings = counted(self.count(Severity::Warning), "warning");
        match &self.tables {
            Some((loaded, outline)) if errors == 0 => {
                let sum = |what: &str, of: fn(&MachineOutline) -> usize| {
                    counted(outline.machines.iter().map(of).sum(), what)
                };
                let machines = sum("machine", |_| 1);
                let states = sum("state", |machine| machine.states.len());
                let events = sum("event", |machine| machine.events.len());
                let transitions = sum("transition", |machine| machine.entries.len());
                let title = loaded.title();
                format!("{title}: {machines}, {states}, {events}, {transitions}, {warnings}")
            }
            _ => format!("{}, {warnings}", counted(errors, "error")),
        }
    }
}

/// What `rubric protocol check --format json` prints: one object.
#[derive(Serialize, JsonSchema)]
pub struct Report<'a> {
    /// The name of the protocol; `None` if its files cannot be read.
    protocol: Option<&'a str>,
    /// The name of the mutant that the protocol is; `null` if it is none.
    mutant: Option<&'a str>,
    /// The number of errors.
    errors: usize,
    /// The number of warnings.
    warnings: usize,
    /// The errors and warnings.
    diagnostics: Vec<DiagnosticJson<'a>>,
}

/// An error or a warning.
#[derive(Serialize, JsonSchema)]
struct DiagnosticJson<'a> {
    #[schemars(extend("enum" = ["error", "warning"]))]
    severity: &'static str,
    /// The problem, in one sentence without a full stop.
    message: &'a str,
    /// Text to write beside the place.
    label: Option<&'a str>,
    /// Advice on how to resolve the problem.
    hint: Option<&'a str>,
    /// Related places.
    notes: Vec<Note<'a>>,
    #[serde(flatten)]
    place: Place,
}

/// A related place.
#[derive(Serialize, JsonSchema)]
struct Note<'a> {
    /// How it is related.
    message: &'a str,
    #[serde(flatten)]
    place: Place,
}

/// A place in the files of a protocol; all keys are null if there is none.
#[derive(Default, Serialize, JsonSchema)]
struct Place {
    file: Option<String>,
    /// The line, from 1.
    line: Option<usize>,
    /// The column, from 1.
    column: Option<usize>,
    /// The line of the end.
    end_line: Option<usize>,
    /// The column of the end.
    end_column: Option<usize>,
}

/// The diagnostics of a protocol as one object.
pub fn report(protocol: &Examined) -> Report<'_> {
    let loaded = protocol.tables.as_ref().map(|(loaded, _)| loaded);
    let diagnostics = protocol.diagnostics.iter();
    Report {
        protocol: loaded.map(|loaded| loaded.protocol.as_str()),
        mutant: loaded.and_then(|loaded| loaded.mutant.as_deref()),
        errors: protocol.count(Severity::Error),
        warnings: protocol.count(Severity::Warning),
        diagnostics: diagnostics.map(|one| diagnostic(&protocol.sources, one)).collect(),
    }
}

fn diagnostic<'a>(sources: &Sources, diagnostic: &'a Diagnostic) -> DiagnosticJson<'a> {
    let notes = diagnostic
        .notes
        .iter()
        .map(|(span, message)| Note { message, place: place(sources, Some(*span)) });
    DiagnosticJson {
        severity: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        message: &diagnostic.message,
        label: diagnostic.label.as_deref(),
        hint: diagnostic.hint.as_deref(),
        notes: notes.collect(),
        place: place(sources, diagnostic.span),
    }
}

fn place(sources: &Sources, span: Option<Span>) -> Place {
    let Some(span) = span else {
        return Place::default();
    };
    let (path, line, column) = sources.position(span);
    let (_, end_line, end_column) = sources.position(Span { start: span.end, ..span });
    Place {
        file: Some(path.display().to_string()),
        line: Some(line),
        column: Some(column),
        end_line: Some(end_line),
        end_column: Some(end_column),
    }
}
