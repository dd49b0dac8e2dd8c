//! The files that `rubric watch` makes of the kept operations after a violation: a certificate, the smallest part, a picture.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use check::Model;
use history::{Ambiguity, History, ReadsFrom};

use crate::convert;
use crate::error::{Error, tell};
use crate::files;
use crate::limits::Limits;
use crate::question::Question;
use crate::status::Status;
use crate::{explain, shrink};
use lab::load::Input;
use lab::save;

/// What to make of operations that violate the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Action {
    /// Write a certificate of the violation
    Certificate,
    /// Write the smallest part that is still wrong, as a litmus test
    Shrink,
    /// Draw a picture
    Explain,
}

impl Action {
    /// The extension of the file that is made.
    fn extension(self) -> &'static str {
        match self {
            Action::Certificate => "cert",
            Action::Shrink => "litmus",
            Action::Explain => "svg",
        }
    }
}

/// The file of kept operations, and the files made of it.
pub(super) struct Aftermath<'a> {
    /// The file of the operations.
    pub kept: &'a Path,
    /// The files to make of the operations.
    pub actions: &'a [Action],
    /// The model that the operations violate.
    pub model: Model,
    /// Limits of time and memory for each file.
    pub limits: Limits,
}

impl Aftermath<'_> {
    /// All files that may be written: that of the operations, and those that are made of it.
    pub(super) fn files(kept: &Path, actions: &[Action]) -> Vec<PathBuf> {
        let made = actions.iter().map(|action| kept.with_extension(action.extension()));
        [kept.to_owned()].into_iter().chain(made).collect()
    }

    /// Refuses a file whose extension is of no format that operations can be kept in.
    ///
    /// # Errors
    /// Returns an error that names the extensions.
    pub(super) fn check_name(kept: &Path) -> Result<(), Error> {
        match save::by_name(kept) {
            Some(save::Format::Litmus) | None => Err(Error::Usage(format!(
                "--keep {}: a name that ends in .json, .jsonl, .parquet or .axe was expected",
                kept.display()
            ))),
            Some(_) => Ok(()),
        }
    }

    /// Writes the operations.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written, or its format cannot express them.
    pub(super) fn keep(&self, history: &History) -> Result<(), Error> {
        let input = Input::of(self.kept.display().to_string(), "json", vec![history.clone()]);
        convert::write_to(&input, self.kept, convert::format(self.kept, None)?, &mut io::sink())
    }

    /// Makes the files of a violation, and prints their names and the output of `shrink`. Returns the paths of the files that
    /// were made, and the first error. If one file cannot be made, such as a litmus test of an operation that the instruction set
    /// does not have, the remaining ones still are.
    pub(super) fn of_violation(&self, out: &mut dyn Write) -> (Vec<PathBuf>, Option<Error>) {
        let mut files = Vec::new();
        let mut failed = None;
        for &action in self.actions {
            let path = self.kept.with_extension(action.extension());
            match self.make(action, &path, out) {
                Ok(Status::Violation) => files.push(path),
                Ok(_) => {}
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        (files, failed)
    }

    /// Makes one file. Returns the status of the verdict on the kept operations: without some of the trace they may be
    /// consistent.
    fn make(&self, action: Action, path: &Path, out: &mut dyn Write) -> Result<Status, Error> {
        let question = Question::about(self.kept, self.model, self.limits.clone());
        let status = match action {
            // `shrink` prints the names of its files itself.
            Action::Shrink => return shrink::run(&shrink::Args::of(question, path), out),
            Action::Certificate => self.certify(path),
            Action::Explain => explain::run(&explain::Args::of(question, path), &mut io::sink()),
        }?;
        if status == Status::Violation {
            writeln!(out, "written: {}", path.display()).map_err(Error::Output)?;
        }
        Ok(status)
    }

    /// Writes the certificate of a violation. It is for the file of the operations, which may number them in another way than the
    /// trace that was watched.
    fn certify(&self, path: &Path) -> Result<Status, Error> {
        let kept = lab::load::open(self.kept, &ingest::Options::default())?;
        let Some(history) = kept.histories.first() else { return Ok(Status::Undecided) };
        let reads_from = ReadsFrom::derive(history, Ambiguity::RefuseShared)
            .map_err(|twice| Error::Usage(twice.to_string()))?;
        let options = check::Options {
            timeout: self.limits.timeout,
            max_memory: Some(self.limits.max_memory),
            ..check::Options::default()
        };
        let answer = check::Question::new(self.model, &options).ask(history, &reads_from);
        if let Some(reason) = answer.undecided() {
            let reason = reason.describe(answer.history());
            tell(format_args!("{}: no certificate: {reason}", path.display()));
        }
        if answer.violation().is_none() {
            return Ok(Status::Undecided);
        }
        files::create(path, |out| {
            answer.certify(out, None, "").map_err(Error::Output)?;
            Ok(())
        })?;
        Ok(Status::Violation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_is_made_within_the_limit_of_memory() {
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("kept.axe");
        let violation = "0: M[0] := 1\n0: M[1] := 1\n1: M[1] == 1\n1: M[0] == 0\ncheck\n";
        std::fs::write(&kept, violation).unwrap();
        for (max_memory, status) in [(1, Status::Undecided), (1 << 40, Status::Violation)] {
            let limits = Limits { timeout: None, max_memory };
            let aftermath = Aftermath { kept: &kept, actions: &[], model: Model::SC, limits };
            let path = folder.path().join(format!("{max_memory}.cert"));
            assert_eq!(aftermath.certify(&path).unwrap(), status);
            assert_eq!(path.exists(), status == Status::Violation);
        }
    }
}
