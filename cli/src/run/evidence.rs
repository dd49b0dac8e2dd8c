//! The evidence of the first violation: the smallest part of the outcome, in words, as a picture and with a certificate.

use std::path::PathBuf;

use check::engine::proof::Violation;
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
        let Some(found) = &results.violation else { return Ok(None) };
        let mut evidence = Evidence {
            seed: found.seed,
            model: found.model,
            operations: Vec::new(),
            explanation: String::new(),
            command: format!(
                "{} --seed {} --runs {} --runs-each {}",
                series.command, found.seed, found.runs, found.runs
            ),
            files: Vec::new(),
        };
        match &found.history {
            Some(history) => evidence.explain(series, history)?,
            None => {
                let file = series.outcome_file(found.seed).unwrap_or_default();
                let file = file.display();
                evidence.explanation = format!("  its outcome cannot be read from {file}\n");
            }
        }
        Ok(Some(evidence))
    }

    /// Shrinks and explains an outcome.
    fn explain(&mut self, series: &Series, history: &History) -> Result<(), Error> {
        let reads_from = ReadsFrom::derive(history, Ambiguity::RefuseShared);
        let reads_from = reads_from.map_err(|twice| Error::Usage(twice.to_string()))?;
        let answer = Question::new(self.model, &series.check).ask(history, &reads_from);
        let Some(violation) = answer.violation() else {
            self.explanation = format!("  {}\n", answer.headline("its outcome"));
            return Ok(());
        };
        let bounds = Bounds::new(series.check.timeout, series.check.max_memory);
        let part = shrink(history, &reads_from, self.model, violation, &bounds, &mut |_| {});
        let (kept, violation) = match &part {
            Some(part) => (part.kept.clone(), part.violation_in(history)),
            None => (Vec::new(), violation.clone()),
        };
        self.operations = kept.iter().map(|&op| why::access(history, op)).collect();
        self.explanation = words::explanation(history, &violation);
        self.write(series, &answer)?;
        if let Some(file) = self.file(series, "-part.jsonl")
            && let Some(part) = &part
        {
            self.keep(file, &lines_of(&part.history)?)?;
        }
        self.draw(series, history, &reads_from, &violation)
    }

    /// The file of the evidence whose name ends so, if the series has a folder.
    fn file(&self, series: &Series, ending: &str) -> Option<PathBuf> {
        Some(series.folder.as_ref()?.join(format!("seed-{}{ending}", self.seed)))
    }

    /// Writes the program and the certificate, beside the outcome that the series has written.
    fn write(&mut self, series: &Series, answer: &Answer<&History>) -> Result<(), Error> {
        let Some(outcome) = series.outcome_file(self.seed) else { return Ok(()) };
        if let Some(file) = self.file(series, ".c") {
            self.keep(file, series.source(self.seed)?.as_bytes())?;
        }
        self.files.push(outcome);
        let mut certificate = Vec::new();
        answer.certify(&mut certificate, None, "").map_err(Error::Output)?;
        match self.file(series, ".cert") {
            Some(file) => self.keep(file, &certificate),
            None => Ok(()),
        }
    }

    /// Draws the violation, with the names that operations have in the whole outcome, as in the text.
    fn draw(
        &mut self,
        series: &Series,
        history: &History,
        reads_from: &ReadsFrom,
        violation: &Violation,
    ) -> Result<(), Error> {
        let Some(file) = self.file(series, ".svg") else { return Ok(()) };
        let title = format!("Seed {} violates {}", self.seed, self.model);
        let none = ::ingest::Transitions::default();
        let no_permissions = |_: &_, _: &_| None;
        let pictures = explain::violation(
            history,
            reads_from,
            self.model,
            violation,
            &none,
            &no_permissions,
            &title,
        );
        match pictures.first() {
            Some(picture) => self.keep(file, svg(picture).as_bytes()),
            None => Ok(()),
        }
    }

    fn keep(&mut self, path: PathBuf, content: &[u8]) -> Result<(), Error> {
        files::create(&path, |file| file.write_all(content).map_err(Error::Output))?;
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
