//! Certificates as files, one for each verdict.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use check::Verdict;

use super::Decided;
use crate::error::Error;
use crate::files;

/// A certificate that was written.
pub(super) struct Written {
    /// Path of the file.
    pub path: PathBuf,
    /// Steps of the run, or of the proof.
    pub steps: usize,
    /// Size of the file.
    pub bytes: u64,
}

/// A folder of certificates.
pub(super) struct Certificates {
    folder: PathBuf,
    /// The options with which histories are read.
    options: String,
    /// For each input the first part of its certificates' file names, which does not depend on the order in which inputs are
    /// checked.
    stems: HashMap<PathBuf, String>,
}

impl Certificates {
    /// Creates the folder if it does not exist. `inputs` are all inputs that are to be checked.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created.
    pub(super) fn new(
        folder: &Path,
        options: String,
        inputs: &[Result<PathBuf, lab::Error>],
    ) -> Result<Certificates, Error> {
        std::fs::create_dir_all(folder)
            .map_err(|error| Error::File { file: folder.display().to_string(), error })?;
        let mut given: HashMap<String, usize> = HashMap::new();
        let stem = |path: &PathBuf| {
            let stem = stem(path);
            let number = given.entry(stem.clone()).or_default();
            *number += 1;
            (path.clone(), numbered(stem, *number))
        };
        let stems = inputs.iter().flatten().map(stem).collect();
        Ok(Certificates { folder: folder.to_owned(), options, stems })
    }

    /// The writer of the certificates of one input.
    pub(super) fn of(&self, input: &Path) -> FileCertificates<'_> {
        let stem = self.stems.get(input).map_or("", String::as_str);
        FileCertificates { all: self, stem, names: HashMap::new() }
    }
}

/// Writes the certificates of one input.
pub(super) struct FileCertificates<'a> {
    all: &'a Certificates,
    stem: &'a str,
    /// How often each file name has been used.
    names: HashMap<String, usize>,
}

impl FileCertificates<'_> {
    /// Writes the certificate of a verdict. There is none for an undecided verdict, for a violation without a proof, and for a
    /// weaker criterion that holds.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub(super) fn write(&mut self, decided: &Decided<'_>) -> Result<Option<Written>, Error> {
        let path = self.path(decided);
        let answer = &decided.answer;
        if matches!(
            answer.verdict(),
            Verdict::Undecided(_) | Verdict::Unproved | Verdict::Satisfied
        ) {
            // A certificate from an earlier run would be mistaken for one of this verdict.
            files::spare([], [&path])?;
            let _ = std::fs::remove_file(path);
            return Ok(None);
        }
        let mut steps = None;
        files::create(&path, |out| {
            let file = file_name(&decided.input.file);
            steps = answer.certify(out, file, &self.all.options).map_err(Error::Output)?;
            Ok(())
        })?;
        let bytes = std::fs::metadata(&path).map_or(0, |file| file.len());
        Ok(steps.map(|steps| Written { path, steps, bytes }))
    }

    /// The path `FILE[.HISTORY].MODEL.cert`, with `~2`, `~3`, ... after a FILE or HISTORY whose name is taken. If the claim is
    /// about a criterion weaker than the model, the criterion's name replaces MODEL.
    fn path(&mut self, decided: &Decided<'_>) -> PathBuf {
        let name = decided.answer.whole.name.as_deref();
        let stem =
            name.map_or(self.stem.to_owned(), |name| format!("{}.{}", self.stem, tame(name)));
        let model = decided.answer.claimed();
        let given = self.names.entry(format!("{stem}.{model}")).or_default();
        *given += 1;
        self.all.folder.join(format!("{}.{model}.cert", numbered(stem, *given)))
    }
}

/// The first part of the names of an input's certificates: its file name, or `stdin`.
fn stem(path: &Path) -> String {
    let name = path.file_name().map_or("stdin".into(), |name| name.to_string_lossy());
    tame(if name == "-" { "stdin" } else { &name })
}

/// A name that is used for the `number`-th time: from the second time on, it ends in `~number`.
fn numbered(name: String, number: usize) -> String {
    if number > 1 { format!("{name}~{number}") } else { name }
}

/// The name of a history's file in a certificate, without the folder, which may be private; `None` for standard input.
fn file_name(file: &str) -> Option<String> {
    let name = Path::new(file).file_name()?.to_string_lossy();
    (name != "-").then(|| name.into_owned())
}

/// Replaces characters that some file systems do not allow in names, and cuts the name to 60 characters.
fn tame(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    name.chars().map(|c| if plain(c) { c } else { '_' }).take(60).collect()
}
