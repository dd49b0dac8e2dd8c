//! The evidence of the first violation: the smallest part of the outcome, in words, as a picture and with a certificate.

use std::fs;
use std::path::{Path, PathBuf};

use check::shrink::shrink;
use check::{Answer, Model, Question};
use history::{Ambiguity, History, ReadsFrom};
use host::Bounds;
use lab::hardware::{Results, Series};
use report::explain::{self, why, words};
use report::picture::svg;

use crate::error::Error;
use crate::files;

/// The evidence of a violation.
pub(super) struct Evidence {
    /// The seed of the program.
    pub(super) seed: u64,
    /// The model that the outcome violates.
    pub(super) model: Model,
    /// The operations of the smallest part, a line each.
    pub(super) operations: Vec<String>,
    /// Why they violate the model.
    pub(super) explanation: String,
    /// The command that runs the program again.
    pub(super) command: String,
    /// The files that were written.
    pub(super) files: Vec<PathBuf>,
}

impl Evidence {
    /// Shrinks and explains the first violation of a series, if there is one, and writes its files.
    pub(super) fn of(series: &Series, results: &Results) -> Result<Option<Evidence>, Error> {
        let Some((seed, model, history)) = &results.violation else { return Ok(None) };
        let (seed, model) = (*seed, *model);
        let reads_from = ReadsFrom::derive(history, Ambiguity::RefuseShared);
        let reads_from = reads_from.map_err(|twice| Error::Usage(twice.to_string()))?;
        let answer = Question::new(model, &series.check).ask(history, &reads_from);
        let Some(violation) = answer.violation() else { return Ok(None) };
        let bounds = Bounds::new(series.check.timeout, series.check.max_memory);
        let part = shrink(history, &reads_from, model, violation, &bounds, &mut |_| {});
        let (kept, violation) = match &part {
            Some(part) => (part.kept.clone(), part.violation_in(history)),
            None => (Vec::new(), violation.clone()),
        };
        let mut evidence = Evidence {
            seed,
            model,
            operations: kept.iter().map(|&op| why::access(history, op)).collect(),
            explanation: words::explanation(history, &violation),
            command: format!(
                "{} --seed {seed} --runs {} --runs-each {}",
                series.command, series.extent.runs_each, series.extent.runs_each
            ),
            files: Vec::new(),
        };
        if let Some(folder) = &series.folder {
            evidence.write(series, folder, &answer, part.as_ref().map(|part| &part.history))?;
        }
        Ok(Some(evidence))
    }

    fn write(
        &mut self,
        series: &Series,
        folder: &Path,
        answer: &Answer<&History>,
        part: Option<&History>,
    ) -> Result<(), Error> {
        let seed = self.seed;
        self.keep(folder.join(format!("seed-{seed}.c")), series.source(seed)?.as_bytes())?;
        self.keep(folder.join(format!("seed-{seed}.jsonl")), &lines_of(answer.history())?)?;
        let mut certificate = Vec::new();
        answer.certify(&mut certificate, None, "").map_err(Error::Output)?;
        self.keep(folder.join(format!("seed-{seed}.cert")), &certificate)?;
        let Some(part) = part else { return Ok(()) };
        self.keep(folder.join(format!("seed-{seed}-part.jsonl")), &lines_of(part)?)?;
        let Ok(reads_from) = ReadsFrom::derive(part, Ambiguity::RefuseShared) else {
            return Ok(());
        };
        let answer = Question::new(self.model, &series.check).ask(part, &reads_from);
        let Some(violation) = answer.violation() else { return Ok(()) };
        let title = format!("Seed {seed} violates {}", self.model);
        let none = ::ingest::Transitions::default();
        let pictures = explain::violation(
            part,
            &reads_from,
            self.model,
            violation,
            &none,
            &|_, _| None,
            &title,
        );
        match pictures.first() {
            Some(picture) => {
                self.keep(folder.join(format!("seed-{seed}.svg")), svg(picture).as_bytes())
            }
            None => Ok(()),
        }
    }

    fn keep(&mut self, path: PathBuf, content: &[u8]) -> Result<(), Error> {
        fs::write(&path, content).map_err(files::failed(&path))?;
        self.files.push(path);
        Ok(())
    }
}

/// A history as JSON Lines.
fn lines_of(history: &History) -> Result<Vec<u8>, Error> {
    let mut text = Vec::new();
    let json: &dyn ::ingest::TraceFormat = &::ingest::json::Json;
    json.write(history, 1, &mut text).map_err(|error| Error::Usage(error.to_string()))?;
    Ok(text)
}
