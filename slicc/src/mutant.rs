//! Mutants: protocols with a fault put in.
//!
//! A mutant is something that yields changed files of a protocol, and a unified diff of them, so that it can
//! be shown, and applied with `patch`. What gem5's scripts decide, such as whether a buffer is ordered, it
//! changes by settings. The [`named`] ones come with the program: each puts a fault back that a released
//! protocol has or had, into any protocol of that name. Others are [`made`]: every [`Operator`]
//! enumerates the sites of a protocol, a user's own as well, at which it can be applied.
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
mod walk;
mod words;

use std::borrow::Cow;

use crate::load::{Failure, Loaded};
use crate::setting::Setting;
use crate::source::{Diagnostic, Sources, Span};
pub use named::Misfit;
pub use operator::{Operator, UnknownOperator};
pub use site::{Origin, Site};

use edit::Edited;
use named::Fault;

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
    /// It has a description, which finds its places in any protocol of that name.
    Described(&'static Fault),
    /// It has edits by place, each file's together.
    Edited(Vec<Edited>),
}

/// A file as a mutant has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The path of the changed file.
    pub path: String,
    /// The text of the changed file.
    pub text: String,
}

impl Mutant {
    /// The edit: a unified diff of the protocol's files, with paths such as `a/MI_example-dir.sm` that
    /// are relative to the folder of the `.slicc` file. Empty if only settings make the mutant.
    ///
    /// # Errors
    /// Fails if the mutant does not fit the protocol.
    pub fn patch(&self, original: &Loaded) -> Result<String, Misfit> {
        let edited = self.edited(original)?;
        Ok(edited.iter().map(Edited::patch).collect())
    }

    /// The files that it changes, made from those of the protocol, each a path and a text.
    ///
    /// # Errors
    /// Fails if the mutant does not fit the protocol.
    pub fn changed(&self, original: &Loaded) -> Result<Vec<Changed>, Misfit> {
        let edited = self.edited(original)?;
        let changed = |one: &Edited| Changed { path: one.file.path().to_owned(), text: one.text() };
        Ok(edited.iter().map(changed).collect())
    }

    /// Whether the mutant can be made of a protocol.
    ///
    /// # Errors
    /// Why not.
    pub fn fits(&self, original: &Loaded) -> Result<(), Misfit> {
        self.edited(original).map(|_| ())
    }

    fn edited(&self, original: &Loaded) -> Result<Cow<'_, [Edited]>, Misfit> {
        Ok(match &self.change {
            Change::Described(fault) => Cow::Owned(named::edits(fault, original)?),
            Change::Edited(edited) => Cow::Borrowed(edited),
        })
    }

    /// Reads a protocol again, with the fault.
    ///
    /// # Errors
    /// The mutant does not fit the protocol, or the protocol is not right with it.
    pub fn load(&self, original: &Loaded) -> Result<Loaded, Failure> {
        let changed = self.changed(original).map_err(|misfit| self.failure(&misfit.to_string()))?;
        let mut loaded = original.reload(&changed)?;
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
