//! Certificates as files, one for each verdict.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use certify::certificate::{self, Claim, Name};
use check::Verdict;
use check::engine::steps::steps;
use history::{History, ReadSource, ReadsFrom};
use memory::machine::{Machine, Step};

use super::Decided;
use crate::error::Error;
use crate::files;

/// A certificate that was written.
pub struct Written {
    /// Path of the file.
    pub path: PathBuf,
    /// Steps of the run, or of the proof.
    pub steps: usize,
    /// Size of the file.
    pub bytes: u64,
}

/// A folder of certificates.
pub struct Certificates {
    folder: PathBuf,
    /// The options with which histories are read.
    options: String,
    /// How often each name was given.
    names: HashMap<String, usize>,
}

impl Certificates {
    /// Creates the folder if it is not there.
    pub fn new(folder: &Path, options: String) -> Result<Certificates, Error> {
        std::fs::create_dir_all(folder)
            .map_err(|error| Error::File { file: folder.display().to_string(), error })?;
        Ok(Certificates { folder: folder.to_owned(), options, names: HashMap::new() })
    }

    /// Writes the certificate of a verdict; an undecided one has none, and neither has a weaker
    /// criterion that holds.
    pub fn write(
        &mut self,
        decided: &Decided<'_>,
        reads_from: &ReadsFrom,
    ) -> Result<Option<Written>, Error> {
        let history = decided.history;
        let path = self.path(decided);
        let claim = || Claim {
            file: file_name(&decided.input.file),
            ..Claim::new(history, decided.model, &self.options)
        };
        let steps = match &decided.outcome.verdict {
            Verdict::Undecided(_) | Verdict::Unproved | Verdict::Satisfied => {
                // One from an earlier run would be mistaken for this one's.
                let _ = std::fs::remove_file(path);
                return Ok(None);
            }
            Verdict::Consistent(run) => {
                let claim = claim();
                let sources = chosen_sources(history, reads_from, decided.model, run);
                files::create(&path, |mut out| {
                    certificate::write_consistent(&mut out, history, &claim, &sources, run)
                        .map_err(Error::Output)
                })?;
                run.len()
            }
            Verdict::Violation(violation) => {
                let claim = claim();
                let proof = steps(history, violation);
                files::create(&path, |mut out| {
                    certificate::write_violation(&mut out, &claim, &proof).map_err(Error::Output)
                })?;
                proof.len()
            }
            Verdict::CriterionViolation(violation) => {
                let claim = Claim { criterion: Some(violation.criterion), ..claim() };
                let proof = violation.steps(history);
                files::create(&path, |mut out| {
                    certificate::write_violation(&mut out, &claim, &proof).map_err(Error::Output)
                })?;
                proof.len()
            }
        };
        let bytes = std::fs::metadata(&path).map_or(0, |file| file.len());
        Ok(Some(Written { path, steps, bytes }))
    }

    /// `FILE[.HISTORY].MODEL.cert`, with a number where that is taken; a criterion that is weaker
    /// than the model takes its place.
    fn path(&mut self, decided: &Decided<'_>) -> PathBuf {
        let file = Path::new(&decided.input.file)
            .file_name()
            .map_or("stdin".into(), |name| name.to_string_lossy());
        let file = if file == "-" { "stdin".into() } else { file };
        let mut stem = tame(&file);
        if let Some(name) = &decided.history.name {
            stem = format!("{stem}.{}", tame(name));
        }
        let model = decided.claimed();
        let given = self.names.entry(format!("{stem}.{model}")).or_default();
        *given += 1;
        let name = match *given {
            1 => format!("{stem}.{model}.cert"),
            number => format!("{stem}~{number}.{model}.cert"),
        };
        self.folder.join(name)
    }
}

/// The name of a history's file in a certificate, without the folder, which may be private; `None` for standard input.
fn file_name(file: &str) -> Option<String> {
    let name = Path::new(file).file_name()?.to_string_lossy();
    (name != "-").then(|| name.into_owned())
}

/// Replaces the characters that some file system does not allow in a name.
fn tame(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    name.chars().map(|c| if plain(c) { c } else { '_' }).take(60).collect()
}

/// The sources that a run gives to the reads whose values do not determine them.
fn chosen_sources(
    history: &History,
    reads_from: &ReadsFrom,
    model: check::Model,
    run: &[Step],
) -> Vec<(Name, Name)> {
    if reads_from.ambiguous() == 0 {
        return Vec::new();
    }
    let mut machine = Machine::new(history, model);
    let mut sources = Vec::new();
    for &step in run {
        if let Step::Execute(op) = step
            && reads_from.source(op) == Some(ReadSource::Ambiguous)
            && let Some(location) = history.location(op)
        {
            let source = match machine.visible(op) {
                Some(write) => Name::of(history, write),
                None => Name::Initial(history.locations()[location as usize].address),
            };
            sources.push((Name::of(history, op), source));
        }
        if machine.step(step).is_err() {
            break;
        }
    }
    sources
}
