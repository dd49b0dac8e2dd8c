//! A mutant: edits of a protocol's files, and settings that override what gem5's scripts decide, such as whether a buffer is
//! ordered.

use std::borrow::Cow;

use slicc::load::{Failure, Loaded, Modification};
use slicc::setting::Setting;
use slicc::source::{Changed, Diagnostic, Sources, Span};

use crate::edit::EditedFile;
use crate::given::GivenPlaces;
use crate::named::apply::edits;
use crate::named::fault::Fault;
use crate::named::misfit::Misfit;
use crate::site::Origin;

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
    pub(crate) change: Change,
    /// Settings that override what gem5's scripts decide.
    pub settings: Vec<Setting>,
}

/// The changes of the protocol's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// A description, which is matched against any protocol of that name.
    Described(&'static Fault),
    /// Edits of given places, grouped by file.
    Edited(Vec<EditedFile>),
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
                let edits = edits(fault, original)?;
                if self.origin == Origin::Repair {
                    GivenPlaces::of(original).check(fault)?;
                }
                Cow::Owned(edits)
            }
            Change::Edited(edited) => Cow::Borrowed(edited),
        })
    }

    fn failure(&self, why: &str) -> Failure {
        let message = format!("{}: {why}", self.name);
        let no_place = Diagnostic { span: None, ..Diagnostic::error(Span::default(), message) };
        Failure { sources: Sources::default(), diagnostics: vec![no_place], is_missing: false }
    }
}

impl Modification for Mutant {
    fn load(&self, original: &Loaded) -> Result<Loaded, Failure> {
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
}
