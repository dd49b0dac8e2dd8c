//! Mutants: protocols with an injected fault.
//!
//! A mutant consists of edits of the protocol's files, which it returns as changed texts or as a
//! unified diff for `patch`, and of settings that override what gem5's scripts decide, such as
//! whether a buffer is ordered. The [`named`] mutants come with the program: each injects a fault
//! that a released protocol has or had, into any protocol of that name. The others are [`made`] by
//! operators: every [`Operator`] enumerates the sites of any protocol, a user's own as well, at
//! which it can be applied.
//!
//! ```
//! use slicc::mutant::named;
//! use slicc::protocol::Protocol;
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
pub mod given;
mod library;
mod list;
pub mod made;
pub mod named;
mod operator;
mod operators;
pub mod repair;
mod row;
mod scene;
mod site;
pub mod touched;
pub mod unreached;
mod usage;
mod walk;

use std::borrow::Cow;
use std::sync::Arc;

use crate::load::{Failure, Loaded};
use crate::setting::Setting;
use crate::source::{Diagnostic, Sources, Span};
pub use named::Misfit;
pub use operator::{Operator, UnknownOperator};
pub use site::{Origin, Site};

use edit::EditedFile;
use named::Fault;

/// A fault that can be injected into a protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// The name, or the id if an operator made it.
    pub name: Cow<'static, str>,
    /// Further names.
    pub aliases: Vec<Cow<'static, str>>,
    /// The name of the protocol that it is for.
    pub protocol: Cow<'static, str>,
    /// The fault and its consequence, in words.
    pub description: String,
    /// The origin: a known fault, or an operator.
    pub origin: Origin,
    change: Change,
    /// Settings that override what gem5's scripts decide.
    pub settings: Vec<Setting>,
}

/// The changes of the protocol's files.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Change {
    /// A description, which is matched against any protocol of that name.
    Described(&'static Fault),
    /// Edits of given places, grouped by file.
    Edited(Vec<EditedFile>),
}

/// A changed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The path of the file, relative to the folder of the `.slicc` file.
    pub path: String,
    /// The new text of the file.
    pub text: String,
}

impl Mutant {
    /// The edits as a unified diff of the protocol's files, with paths such as
    /// `a/MI_example-dir.sm`, relative to the folder of the `.slicc` file. Empty if the mutant
    /// consists of settings only.
    ///
    /// # Errors
    /// Fails if the mutant does not fit the protocol.
    pub fn patch(&self, original: &Loaded) -> Result<String, Misfit> {
        let edited = self.edited(original)?;
        Ok(edited.iter().map(EditedFile::patch).collect())
    }

    /// The files of the protocol that the mutant changes, with their new texts.
    ///
    /// # Errors
    /// Fails if the mutant does not fit the protocol.
    pub fn changed(&self, original: &Loaded) -> Result<Vec<Changed>, Misfit> {
        let edited = self.edited(original)?;
        let changed =
            |one: &EditedFile| Changed { path: one.file.path().to_owned(), text: one.text() };
        Ok(edited.iter().map(changed).collect())
    }

    /// Checks whether the mutant can be applied to a protocol.
    ///
    /// # Errors
    /// Fails if it does not fit, with the reason.
    pub fn fits(&self, original: &Loaded) -> Result<(), Misfit> {
        self.edited(original).map(|_| ())
    }

    fn edited(&self, original: &Loaded) -> Result<Cow<'_, [EditedFile]>, Misfit> {
        Ok(match &self.change {
            Change::Described(fault) => {
                let edits = named::edits(fault, original)?;
                if self.origin == Origin::Repair {
                    original.given_places().check(fault)?;
                }
                Cow::Owned(edits)
            }
            Change::Edited(edited) => Cow::Borrowed(edited),
        })
    }

    /// Applies the mutant to a protocol and parses the result.
    ///
    /// # Errors
    /// Fails if the mutant does not fit the protocol, and with the diagnostics of the mutated
    /// protocol.
    pub fn load(&self, original: &Loaded) -> Result<Loaded, Failure> {
        let changed = self.changed(original).map_err(|misfit| self.failure(&misfit.to_string()))?;
        let mut loaded = original.reload(&changed)?;
        loaded.given_places = Arc::clone(&original.given_places);
        loaded.mutant = original.mutant.clone();
        loaded.repairs = original.repairs.clone();
        match self.origin {
            Origin::Repair => loaded.repairs.push(self.name.to_string()),
            _ => loaded.mutant = Some(self.name.to_string()),
        }
        loaded.settings = original.settings.iter().chain(&self.settings).cloned().collect();
        Ok(loaded)
    }

    fn failure(&self, why: &str) -> Failure {
        let message = format!("{}: {why}", self.name);
        let no_place = Diagnostic { span: None, ..Diagnostic::error(Span::default(), message) };
        Failure { sources: Sources::default(), diagnostics: vec![no_place], is_missing: false }
    }
}
