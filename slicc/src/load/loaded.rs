//! A protocol as its files say it ([`Loaded`]), and what changes one.

use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::{Beside, load_beside};
use crate::ast::Declaration;
use crate::lexer::tokens;
use crate::options::Options;
use crate::setting::Setting;
use crate::source::{Changed, Diagnostic, Source, Sources, Span};
use crate::token::Token;

/// A protocol without syntax errors.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The files of the protocol; the first is built in.
    pub sources: Sources,
    /// The name, from the `protocol` line.
    pub protocol: String,
    /// The options, from the `protocol` line or, for files of gem5 before 24.1, from the name.
    pub options: Options,
    /// The name of the mutant, if this is one.
    pub mutant: Option<String>,
    /// The names of the repairs that were applied to it.
    pub repairs: Vec<String>,
    /// The mutant's settings, which override gem5's scripts.
    pub settings: Vec<Setting>,
    /// The places of the files beside the protocol.
    pub(crate) beside: Beside,
    /// All declarations; those of an included file replace its `include` line.
    pub declarations: Vec<Declaration>,
    /// Whether it is in an older dialect of SLICC and was rewritten, as a warning says.
    pub is_older: bool,
    /// Warnings about what is allowed but odd.
    pub warnings: Vec<Diagnostic>,
    /// The protocol as the user gave it, if it was changed since. Parsed when it is first needed, and shared by all protocols that are
    /// made of the same one.
    pub(super) given: Arc<OnceLock<Option<Loaded>>>,
}

/// A change of a protocol's files and settings, such as a mutant or a repair.
pub trait Modification {
    /// Applies the change to a protocol and parses the result.
    ///
    /// # Errors
    /// Fails if the change does not fit the protocol, and with the diagnostics of the changed protocol.
    fn load(&self, original: &Loaded) -> Result<Loaded, Failure>;
}

impl Loaded {
    /// The protocol as the user gave it, before repairs and mutants.
    pub fn as_given(&self) -> &Loaded {
        let given = |(at, file): (usize, &Source)| {
            let (path, _) = self.own_file(at as u32)?;
            Some(Changed { path: path.to_owned(), text: file.given()?.to_owned() })
        };
        let files = self.sources.files().iter().enumerate();
        let given: Vec<Changed> = files.filter_map(given).collect();
        if given.is_empty() {
            return self;
        }
        self.given.get_or_init(|| self.with_texts(&given).ok()).as_ref().unwrap_or(self)
    }

    /// The tokens of a stretch of code, without comments.
    pub fn code_words(&self, span: Span) -> Vec<&str> {
        let text = self.sources.text(span);
        let (tokens, _) = tokens(span.file, text);
        let word = |token: &Token| {
            text.get(token.span.start as usize..(token.span.end as usize).min(text.len()))
        };
        tokens.iter().filter_map(word).collect()
    }

    /// The name for messages: that of the protocol and, if it is a mutant, that of its fault.
    pub fn title(&self) -> String {
        match &self.mutant {
            Some(mutant) => format!("{} with {mutant}", self.protocol),
            None => self.protocol.clone(),
        }
    }

    /// The files without the built-in one, the `.slicc` file first: their paths, relative to the
    /// folder of the `.slicc` file where they lie below it, and their texts.
    pub fn own_files(&self) -> Vec<(&str, &str)> {
        let count = self.sources.files().len() as u32;
        (1..count).filter_map(|index| self.own_file(index)).collect()
    }

    /// The file with this index in the sources, as in [`Loaded::own_files`].
    pub fn own_file(&self, index: u32) -> Option<(&str, &str)> {
        let files = self.sources.files();
        let file = files.get(index as usize).filter(|_| index > 0)?;
        let folder = files.get(1).and_then(|root| root.path.parent());
        let below = folder.and_then(|folder| file.path.strip_prefix(folder).ok());
        Some((below.unwrap_or(&file.path).to_str()?, &file.text))
    }

    /// Parses the files again, some of them with other texts. The paths in `changed` are those of
    /// [`Loaded::own_files`].
    ///
    /// # Errors
    /// Fails with the diagnostics of the changed protocol.
    pub fn reload(&self, changed: &[Changed]) -> Result<Loaded, Failure> {
        let mut loaded = self.with_texts(changed)?;
        loaded.sources.changed_from(&self.sources);
        loaded.given = Arc::clone(&self.given);
        Ok(loaded)
    }

    /// Parses the files again, some of them with other texts, as a protocol of its own.
    fn with_texts(&self, changed: &[Changed]) -> Result<Loaded, Failure> {
        let own = self.sources.files().get(1..).unwrap_or_default();
        let root = own.first().map_or(Path::new(""), |root| &root.path);
        let folder = root.parent().unwrap_or(Path::new(""));
        load_beside(root, self.beside.clone(), &mut |path| {
            let other = changed.iter().find(|one| folder.join(&one.path) == path);
            let own = own.iter().find(|file| file.path == path);
            match (other, own) {
                (Some(one), _) => Ok(one.text.as_bytes().to_vec()),
                (None, Some(file)) => Ok(file.text.as_bytes().to_vec()),
                (None, None) => Err(io::ErrorKind::NotFound.into()),
            }
        })
    }
}

/// The diagnostics of a protocol that cannot be loaded or compiled.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The files that were read.
    pub sources: Sources,
    /// At least one error, and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the `.slicc` file does not exist.
    pub is_missing: bool,
}
