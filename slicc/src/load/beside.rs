//! Reads what stands beside a protocol: the declarations that all protocols of its tree of gem5 share, and descriptions of what
//! the runtime lacks.

use std::path::{Path, PathBuf};

use settings::Setting;

use super::{INTERFACES, Loader, is_missing, unreadable};
use crate::ast::Declaration;
use crate::library::merge::{self, Words, words};
use crate::library::stubs;
use crate::library::unused::unused;
use crate::parser;
use crate::source::{Diagnostic, Severity, Span};

/// The files with the shared declarations in gem5's folder of protocols.
const SHARED: [&str; 6] = [
    "RubySlicc_Exports.sm",
    "RubySlicc_Types.sm",
    "RubySlicc_Util.sm",
    "RubySlicc_ComponentMapping.sm",
    "RubySlicc_Defines.sm",
    "RubySlicc_MemControl.sm",
];

/// The files of which a folder has at least one if it is gem5's folder of protocols.
pub(crate) const SIGNS: [&str; 3] = [INTERFACES, SHARED[0], SHARED[1]];

/// Where the files beside a protocol are.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// Folders that may have the shared declarations of a tree of gem5; the first that has some counts. Files that are included
    /// are looked for there, too.
    pub folders: Vec<PathBuf>,
    /// Files with descriptions of what the runtime lacks.
    pub libraries: Vec<PathBuf>,
}

impl Loader<'_, '_> {
    /// The declarations of descriptions. What they declare in machines is added to the machines of these names.
    pub(super) fn described(&mut self, declarations: &mut [Declaration]) -> Vec<Declaration> {
        let (machines, mut rest): (Vec<_>, Vec<_>) =
            self.libraries().into_iter().partition(|one| matches!(one, Declaration::Machine(_)));
        for one in machines {
            let Declaration::Machine(piece) = one else { continue };
            let own = declarations.iter_mut().find_map(|other| match other {
                Declaration::Machine(machine) if machine.name.text == piece.name.text => {
                    Some(machine)
                }
                _ => None,
            });
            match own {
                Some(machine) => {
                    machine.parameters.extend(piece.parameters);
                    machine.body.extend(piece.body);
                }
                None => {
                    let message = format!(
                        "the protocol has no machine `{}` to which this could be added",
                        piece.name.text
                    );
                    self.say(
                        Diagnostic::error(piece.name.span, message)
                            .hint("name one of its machines"),
                    );
                }
            }
        }
        stubs::add_to_machines(&mut rest, declarations);
        rest
    }

    /// Adds the declarations that stand beside the protocol to its own. `own_files` is the number of its files, with the built-in one
    /// and descriptions, and `libraries` are the declarations of those.
    pub(super) fn add_beside(
        &mut self,
        own_files: usize,
        libraries: Vec<Declaration>,
        declarations: &mut Vec<Declaration>,
    ) {
        let mut beside = self.shared();
        if libraries.is_empty() && beside.is_empty() {
            return;
        }
        let texts = self.sources.files()[1..own_files].iter();
        let named: Words = texts.flat_map(|file| words(&file.text)).collect();
        let descriptions: Vec<u32> = libraries.iter().map(|one| one.span().file).collect();
        let files = self.sources.files()[..own_files].iter().zip(0..).skip(1);
        let (theirs, own): (Vec<_>, Vec<_>) =
            files.partition(|(_, file)| descriptions.contains(file));
        let mut used: Words = own.into_iter().flat_map(|(file, _)| words(&file.text)).collect();
        // Functions of descriptions may call each other.
        let mut seen = Words::default();
        let words = theirs.into_iter().flat_map(|(file, _)| words(&file.text));
        used.extend(words.filter(|word| !seen.insert(word)));
        self.diagnostics.extend(unused(&libraries, declarations, &used));
        self.diagnostics.extend(stubs::check(&libraries, &beside, declarations));
        beside.splice(0..0, libraries);
        let warnings = merge::add(declarations, &mut beside, &self.sources, named);
        self.diagnostics.extend(warnings);
    }

    /// The shared declarations of the tree of gem5.
    fn shared(&mut self) -> Vec<Declaration> {
        let folders = self.beside.folders.clone();
        folders
            .iter()
            .map(|folder| self.shared_in(folder))
            .find(|found| !found.is_empty())
            .unwrap_or_default()
    }

    fn shared_in(&mut self, folder: &Path) -> Vec<Declaration> {
        let mut wanted: Vec<PathBuf> = Vec::new();
        if let Some(file) = self.shared_file(&folder.join(INTERFACES)) {
            wanted.extend(file.includes.iter().map(|include| PathBuf::from(&*include.path.text)));
        }
        wanted.extend(SHARED.iter().map(PathBuf::from));
        wanted.extend(self.provided.iter().cloned());
        let mut found = Vec::new();
        for (at, name) in wanted.iter().enumerate() {
            if !wanted[..at].contains(name)
                && name.file_name().is_none_or(|name| name != INTERFACES)
            {
                let file = self.shared_file(&folder.join(name));
                found.extend(file.into_iter().flat_map(|file| file.declarations));
            }
        }
        found
    }

    /// A file with shared declarations. One with errors is a warning, since gem5's own files hold much that no protocol needs.
    fn shared_file(&mut self, path: &Path) -> Option<parser::File> {
        let text = String::from_utf8((self.read)(path).ok()?).ok()?;
        let index = self.sources.add(path, text);
        let file = parser::parse(index, &self.sources.files()[index as usize].text);
        if let Some(first) =
            file.diagnostics.into_iter().find(|one| one.severity == Severity::Error)
        {
            let message = format!("the declarations of this file are not read: {}", first.message);
            let warning = Diagnostic { message, severity: Severity::Warning, ..first };
            self.diagnostics.push(warning);
            return None;
        }
        Some(parser::File { diagnostics: Vec::new(), ..file })
    }

    /// The declarations of the files that describe what the runtime lacks.
    fn libraries(&mut self) -> Vec<Declaration> {
        let mut found = Vec::new();
        for path in self.beside.libraries.clone() {
            let bytes = match (self.read)(&path) {
                Ok(bytes) => bytes,
                Err(error) => {
                    let said = super::no_place(unreadable(&path, &error));
                    let hint = if is_missing(&error) {
                        format!("write one, or leave {} out", Setting::Library)
                    } else {
                        "is it a text?".to_owned()
                    };
                    self.say(said.hint(hint));
                    continue;
                }
            };
            let Ok(text) = String::from_utf8(bytes) else {
                self.say(super::no_place(format!("{}: this is not UTF-8", path.display())));
                continue;
            };
            let index = self.sources.add(path, text);
            let file = parser::parse(index, &self.sources.files()[index as usize].text);
            self.diagnostics.extend(file.diagnostics);
            if let Some(include) = file.includes.first() {
                let message = "a description of a library includes no other files";
                let hint = format!("name each file with a {} of its own", Setting::Library);
                self.say(Diagnostic::error(include.span, message).hint(hint));
            }
            if file.declarations.is_empty() {
                let start = Span { file: index, ..Span::default() };
                self.say(Diagnostic::warning(start, "this file declares nothing"));
            }
            found.extend(file.declarations);
        }
        found
    }
}
