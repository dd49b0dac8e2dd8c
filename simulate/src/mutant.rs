//! Mutants: protocols with a fault put in.
//!
//! A mutant is something that yields changed files of a protocol. It carries its edit as a unified
//! diff, so that it can be shown, and applied to files elsewhere. What gem5's scripts decide, such as
//! whether a buffer is ordered, it changes by settings. The [`named`] ones come with the program: each
//! puts a fault back that a released protocol has or had. Others are [`made`]: every [`Operator`]
//! enumerates the sites of a protocol, a user's own as well, at which it can be applied.
//!
//! ```
//! use simulate::mutant::named;
//! use simulate::protocol::Protocol;
//!
//! let mutant = named::find("mi-l1-forward-blocks-queue").unwrap();
//! let original = Protocol::open(&mutant.protocol).unwrap();
//! let protocol = original.with(&mutant).unwrap();
//! assert_eq!(protocol.name(), "MI_example");
//! assert_eq!(protocol.title(), "MI_example with mi-l1-forward-blocks-queue");
//! ```

mod compare;
mod edit;
mod effects;
pub mod equivalent;
mod fields;
mod library;
mod list;
pub mod made;
pub mod named;
mod near;
mod operator;
mod operators;
mod row;
mod scene;
mod site;
pub mod touched;
pub mod unreached;
mod walk;
mod words;

use std::borrow::Cow;

use diffy::patch_set::{FileOperation, ParseOptions, PatchSet};

use crate::config::Setting;
use crate::slicc::load::{Failure, Loaded};
use crate::source::{Diagnostic, Sources, Span};
pub use operator::{Operator, UnknownOperator};
pub use site::{Origin, Site};

use edit::Edited;

/// A protocol with a fault put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// What it is called.
    pub name: Cow<'static, str>,
    /// What else it is called.
    pub aliases: Vec<Cow<'static, str>>,
    /// The protocol that it is of.
    pub protocol: Cow<'static, str>,
    /// What the fault is, and what comes of it.
    pub description: String,
    /// Where it comes from.
    pub origin: Origin,
    change: Change,
    /// What it changes of what gem5's scripts decide.
    pub settings: Vec<Setting>,
}

/// What a mutant does to files.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Change {
    /// It has a patch.
    Patch(Cow<'static, str>),
    /// It has edits by place, from which a patch can be made.
    Edited(Edited),
}

/// A file as a mutant has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Its path.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Why a mutant cannot be made of the files that there are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// The patch is none.
    #[error("its patch cannot be read: {0}")]
    Patch(String),
    /// The patch does more than to change files.
    #[error("its patch must change files, and not add, remove or rename any")]
    Operation,
    /// A file that it changes is not there.
    #[error("it changes {0}, which is no file of the protocol")]
    File(String),
    /// What it changes is not there.
    #[error("its patch does not fit {path}: {why}")]
    Text {
        /// The file.
        path: String,
        /// What does not fit.
        why: String,
    },
}

impl Mutant {
    /// The one that a patch describes. The lines before its first file say what the fault is, and in
    /// lines of their own `alias: NAME` what else it is called and `setting: Machine.parameter=value`
    /// what scripts have to change.
    pub fn of_patch(name: &'static str, protocol: &'static str, text: &'static str) -> Mutant {
        let start = match text.starts_with(FIRST_FILE) {
            true => 0,
            false => text
                .find(&format!("\n{FIRST_FILE}"))
                .map_or(text.len(), |at| at + 1),
        };
        let (head, patch) = text.split_at(start);
        let mut mutant = Mutant {
            name: Cow::Borrowed(name),
            aliases: Vec::new(),
            protocol: Cow::Borrowed(protocol),
            description: String::new(),
            origin: Origin::Named,
            change: Change::Patch(Cow::Borrowed(patch)),
            settings: Vec::new(),
        };
        let mut description = Vec::new();
        for line in head.lines() {
            if let Some(alias) = line.strip_prefix("alias: ") {
                mutant.aliases.push(Cow::Borrowed(alias));
            } else if let Some(Ok(setting)) = line.strip_prefix("setting: ").map(str::parse) {
                mutant.settings.push(setting);
            } else {
                description.extend(line.split_whitespace());
            }
        }
        mutant.description = description.join(" ");
        mutant
    }

    /// The edit: a unified diff of the protocol's files, with paths such as `a/MI_example-dir.sm` that
    /// are relative to the folder of the `.slicc` file. Empty if only settings make the mutant.
    pub fn patch(&self) -> Cow<'_, str> {
        match &self.change {
            Change::Patch(patch) => Cow::Borrowed(patch),
            Change::Edited(edited) => Cow::Owned(edited.patch()),
        }
    }

    /// The files that it changes, made from those of the protocol, each a path and a text.
    ///
    /// # Errors
    /// The mutant does not fit the files.
    pub fn changed(&self, files: &[(&str, &str)]) -> Result<Vec<Changed>, Misfit> {
        let patch = self.patch();
        if patch.is_empty() {
            return Ok(Vec::new());
        }
        let patches = PatchSet::parse(&patch, ParseOptions::unidiff());
        let mut all = Vec::new();
        for patch in patches {
            let patch = patch.map_err(|error| Misfit::Patch(error.to_string()))?;
            let FileOperation::Modify { original, modified } = patch.operation().strip_prefix(1)
            else {
                return Err(Misfit::Operation);
            };
            let Some(edit) = patch.patch().as_text().filter(|_| original == modified) else {
                return Err(Misfit::Operation);
            };
            let path = original.into_owned();
            let Some((_, text)) = files.iter().find(|(name, _)| *name == path) else {
                return Err(Misfit::File(path));
            };
            match diffy::apply(text, edit) {
                Ok(text) => all.push(Changed { path, text }),
                Err(error) => {
                    let why = error.to_string();
                    return Err(Misfit::Text { path, why });
                }
            }
        }
        Ok(all)
    }

    /// Reads a protocol again, with the fault.
    ///
    /// # Errors
    /// The mutant does not fit the protocol, or the protocol is not right with it.
    pub fn load(&self, original: &Loaded) -> Result<Loaded, Failure> {
        let changed = self
            .changed(&original.own_files())
            .map_err(|misfit| self.failure(&misfit.to_string()))?;
        let mut loaded = original.reload(&changed)?;
        loaded.mutant = Some(self.name.to_string());
        loaded.settings = self.settings.clone();
        Ok(loaded)
    }

    fn failure(&self, why: &str) -> Failure {
        let message = format!("{}: {why}", self.name);
        let no_place = Diagnostic {
            span: None,
            ..Diagnostic::error(Span::default(), message)
        };
        Failure {
            sources: Sources::default(),
            diagnostics: vec![no_place],
            is_missing: false,
        }
    }
}

/// What the first line about a file starts with.
const FIRST_FILE: &str = "--- ";

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [(&str, &str); 2] = [("one.sm", "a\nb\nc\n"), ("two.sm", "x\n")];

    fn mutant(text: &'static str) -> Mutant {
        Mutant::of_patch("name", "MI_example", text)
    }

    #[test]
    fn a_patch_has_a_description_and_changes_files() {
        let mutant = mutant(
            "What is\nwrong.\n--- a/one.sm\n+++ b/one.sm\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n\
             --- a/two.sm\n+++ b/two.sm\n@@ -1 +1,2 @@\n x\n+y\n",
        );
        assert_eq!(mutant.description, "What is wrong.");
        let changed = mutant.changed(&FILES).unwrap();
        let texts: Vec<_> = changed.iter().map(|one| (&*one.path, &*one.text)).collect();
        assert_eq!(texts, [("one.sm", "a\nB\nc\n"), ("two.sm", "x\ny\n")]);
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let misfit = |text| mutant(text).changed(&FILES).unwrap_err();
        let wrong = misfit("--- a/one.sm\n+++ b/one.sm\n@@ -1 +1 @@\n-z\n+a\n");
        assert!(matches!(wrong, Misfit::Text { .. }), "{wrong}");
        let absent = misfit("--- a/three.sm\n+++ b/three.sm\n@@ -1 +1 @@\n-z\n+a\n");
        assert_eq!(absent, Misfit::File("three.sm".to_owned()));
        let added = misfit("--- /dev/null\n+++ b/one.sm\n@@ -0,0 +1 @@\n+a\n");
        assert_eq!(added, Misfit::Operation);
        let none = misfit("--- a/one.sm\n+++ b/one.sm\n@@ where @@\n");
        assert!(matches!(none, Misfit::Patch(_)), "{none}");
    }

    #[test]
    fn a_head_has_other_names_and_settings() {
        let mutant = mutant("What is\nalias: other\nsetting: M.p=ordered\nwrong.\n");
        assert_eq!(mutant.description, "What is wrong.");
        assert_eq!(mutant.aliases, ["other"]);
        assert_eq!(mutant.settings, ["M.p=ordered".parse().unwrap()]);
        assert_eq!(mutant.changed(&FILES), Ok(Vec::new()));
    }
}
