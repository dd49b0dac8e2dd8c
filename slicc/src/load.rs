//! Reads a `.slicc` file and the files that it includes into one list of declarations.
//!
//! The declarations on which every protocol builds, those of gem5's `RubySlicc_*.sm` files, are part of the program. They come
//! first, whether or not a protocol includes them. What such files beside the protocol have in addition is added to them
//! (`beside`), and so is what a file of the user describes.

mod beside;
mod loaded;

use std::cell::LazyCell;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, LazyLock};

use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::Declaration;
use super::dialect;
use super::parser::{self, Include};
use crate::allowed::{allowed, is_outside};
use crate::library::PRELUDE;
use crate::options::Options;
use crate::requests::options_of_name;
use crate::source::{Diagnostic, Severity, Sources, Span};
pub use beside::Beside;
pub(crate) use beside::SIGNS;
pub use loaded::{Failure, Loaded, Modification};

/// The name in messages of the declarations on which every protocol builds.
const PRELUDE_PATH: &str = "RubySlicc_interfaces.slicc (built in)";

/// The file of these declarations in gem5. Until 24.0 each protocol includes it, and since 24.1, which has options, none may.
const INTERFACES: &str = "RubySlicc_interfaces.slicc";

/// The file of gem5 that declares the types of the library.
const TYPES: &str = "RubySlicc_Types.sm";

/// The message of the error that a protocol has no `protocol` line.
pub(super) const NO_PROTOCOL_LINE: &str = "there is no protocol line";

/// Largest depth of nested includes.
const DEEPEST_INCLUDES: usize = 50;

/// Number of errors after which no more files are opened.
const MOST_ERRORS: usize = 50;

/// A function that returns the content of a file.
pub type Reader<'a> = dyn FnMut(&Path) -> io::Result<Vec<u8>> + 'a;

/// Reads a `.slicc` file and the files that it includes through `read`, which returns
/// [`io::ErrorKind::NotFound`] for a file that does not exist.
///
/// # Errors
/// Fails with the diagnostics of the protocol, or if a file cannot be read.
///
/// ```
/// use std::path::Path;
/// use slicc::load::load_with;
///
/// let loaded = load_with(Path::new("a.slicc"), &mut |path| match path.to_str() {
///     Some("a.slicc") => Ok(b"protocol \"A\"; include \"a.sm\";".to_vec()),
///     Some("a.sm") => Ok(b"structure(Message) { Addr addr; }".to_vec()),
///     _ => Err(std::io::ErrorKind::NotFound.into()),
/// })
/// .unwrap();
/// assert_eq!(loaded.protocol, "A");
/// assert_eq!(loaded.sources.files().len(), 3);
/// ```
pub fn load_with(path: &Path, read: &mut Reader<'_>) -> Result<Loaded, Failure> {
    load_beside(path, Beside::default(), read)
}

/// Reads a protocol as [`load_with`] does, and the files beside it, which `read` returns as well.
///
/// # Errors
/// Fails as [`load_with`] does.
pub fn load_beside(path: &Path, beside: Beside, read: &mut Reader<'_>) -> Result<Loaded, Failure> {
    let mut loader = Loader {
        read,
        beside,
        provided: Vec::new(),
        folder: folder_of(path),
        sources: Sources::default(),
        diagnostics: Vec::new(),
        open: Vec::new(),
        included: FxHashMap::default(),
        precedes_options: false,
    };
    let BuiltIn { text, mut declarations, older, diagnostics } = BUILT_IN.clone();
    loader.sources.add(PRELUDE_PATH, text);
    loader.diagnostics.extend(diagnostics);
    let is_missing = match (loader.read)(path) {
        Ok(bytes) => {
            declarations.extend(loader.file(path.to_owned(), bytes, None));
            false
        }
        Err(error) => {
            loader.say(no_place(unreadable(path, &error)));
            is_missing(&error)
        }
    };
    loader.finish(declarations, older, is_missing)
}

/// The declarations on which every protocol builds, as parsed once.
#[derive(Clone)]
struct BuiltIn {
    text: String,
    declarations: Vec<Declaration>,
    /// The declarations that only protocols in an older dialect use.
    older: Vec<Declaration>,
    diagnostics: Vec<Diagnostic>,
}

static BUILT_IN: LazyLock<BuiltIn> = LazyLock::new(|| {
    let text = format!("{}{}", *PRELUDE, dialect::OLDER);
    let parser::File { mut declarations, diagnostics, .. } = parser::parse(0, &text);
    let today = declarations.partition_point(|one| (one.span().start as usize) < PRELUDE.len());
    let older = declarations.split_off(today);
    BuiltIn { text, declarations, older, diagnostics }
});

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn unreadable(path: &Path, error: &io::Error) -> String {
    let path = path.display();
    match error.kind() {
        _ if is_missing(error) => format!("{path}: there is no such file"),
        io::ErrorKind::IsADirectory => format!("{path} is a folder, not a file"),
        _ => format!("{path} cannot be read: {error}"),
    }
}

/// An error that is about no place in a file.
fn no_place(message: String) -> Diagnostic {
    Diagnostic { span: None, ..Diagnostic::error(Span::default(), message) }
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).to_owned()
}

/// Removes `.` and `..` from a path as far as possible, so that different spellings of it are
/// equal.
fn straight(path: &Path) -> PathBuf {
    let mut straight = PathBuf::new();
    for part in path.components() {
        let after_name = matches!(straight.components().next_back(), Some(Component::Normal(_)));
        match part {
            Component::CurDir => {}
            Component::ParentDir if after_name => {
                straight.pop();
            }
            part => straight.push(part),
        }
    }
    straight
}

/// Whether a file of this name is part of the program.
fn is_provided(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
    name == INTERFACES || (name.starts_with("RubySlicc_") && name.ends_with(".sm"))
}

/// The state while files are read.
struct Loader<'a, 'r> {
    read: &'a mut Reader<'r>,
    /// The places of the files beside the protocol.
    beside: Beside,
    /// The files that are included and have the names of files with gem5's shared declarations.
    provided: Vec<PathBuf>,
    /// The folder of the `.slicc` file.
    folder: PathBuf,
    sources: Sources,
    diagnostics: Vec<Diagnostic>,
    /// The files being read, each included by the one before.
    open: Vec<PathBuf>,
    /// The included files, each with the place of its include line.
    included: FxHashMap<PathBuf, Span>,
    /// Whether the files are of a release of gem5 that knows no options of protocols.
    precedes_options: bool,
}

impl Loader<'_, '_> {
    fn say(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// The declarations of a text and of its includes.
    fn parse(&mut self, path: PathBuf, text: String) -> Vec<Declaration> {
        let folder = folder_of(&path);
        let index = self.sources.add(path.clone(), text);
        let text = &self.sources.files()[index as usize].text;
        let is_root = index == 1;
        let list = is_root.then(|| dialect::list_of_files(index, &path, text)).flatten();
        self.precedes_options |= list.is_some();
        let file = list.unwrap_or_else(|| parser::parse(index, text));
        let is_bare = file.declarations.is_empty() && file.includes.is_empty();
        // Index 0 is the built-in file, and 1 the `.slicc` file: if empty, it lacks a `protocol`
        // line in any case.
        if is_bare && file.diagnostics.is_empty() && index > 1 {
            let start = Span { file: index, ..Span::default() };
            let message = "this file declares nothing";
            self.diagnostics.push(Diagnostic::warning(start, message));
        }
        self.diagnostics.extend(file.diagnostics);
        let included: Vec<_> = file
            .includes
            .iter()
            .map(|include| (include.span.start, self.include(&folder, include)))
            .collect();
        weave(file.declarations, &mut included.into_iter().peekable(), u32::MAX)
    }

    /// The declarations of a file with this content, included at `from`.
    fn file(&mut self, path: PathBuf, bytes: Vec<u8>, from: Option<Span>) -> Vec<Declaration> {
        let refused = |message| match from {
            Some(span) => Diagnostic::error(span, message),
            None => no_place(message),
        };
        match String::from_utf8(bytes) {
            Ok(text) => {
                self.open.push(straight(&path));
                let declarations = self.parse(path, text);
                self.open.pop();
                declarations
            }
            Err(error) => {
                let good = error.utf8_error().valid_up_to();
                let lines = error.as_bytes()[..good].split(|&byte| byte == b'\n').count();
                let message = format!("{}:{lines}: this is not UTF-8", path.display());
                self.say(refused(message).hint("is it a text? `iconv` converts other encodings"));
                Vec::new()
            }
        }
    }

    /// The declarations of a file that another file, in `folder`, includes.
    fn include(&mut self, folder: &Path, include: &Include) -> Vec<Declaration> {
        let wanted = Path::new(&*include.path.text);
        let errors = self.diagnostics.iter().filter(|one| one.severity == Severity::Error);
        self.precedes_options |= wanted.file_name().is_some_and(|name| name == INTERFACES);
        let has_too_many = errors.count() >= MOST_ERRORS;
        if is_provided(wanted) {
            self.provided.push(wanted.to_owned());
            return Vec::new();
        }
        if has_too_many {
            return Vec::new();
        }
        let mut folders = vec![folder.to_owned(), self.folder.clone()];
        folders.extend(allowed());
        folders.extend(self.beside.folders.iter().cloned());
        let mut seen = FxHashSet::default();
        folders.retain(|folder| seen.insert(straight(folder)));
        let candidates: Vec<PathBuf> = folders.iter().map(|folder| folder.join(wanted)).collect();
        for path in &candidates {
            let identity = straight(path);
            if let Some(from) = self.open.iter().position(|open| *open == identity) {
                self.cycle(from, &identity, include.span);
                return Vec::new();
            }
            if let Some(&before) = self.included.get(&identity) {
                self.twice(wanted, include.span, before);
                return Vec::new();
            }
            match (self.read)(path) {
                Ok(bytes) if self.open.len() < DEEPEST_INCLUDES => {
                    self.included.insert(identity, include.span);
                    return self.file(path.clone(), bytes, Some(include.span));
                }
                Ok(_) => {
                    let message = format!(
                        "files include each other more than {DEEPEST_INCLUDES} levels deep"
                    );
                    self.say(Diagnostic::error(include.span, message));
                    return Vec::new();
                }
                Err(error) if is_missing(&error) => {}
                Err(error) => {
                    let said = Diagnostic::error(include.path.span, unreadable(path, &error));
                    self.say(if is_outside(&error) {
                        let setting = settings::Setting::Include.to("FOLDER");
                        said.hint(format!("allow it, if you trust the protocol: {setting}"))
                    } else {
                        said
                    });
                    return Vec::new();
                }
            }
        }
        self.missing(include, &candidates);
        Vec::new()
    }

    fn missing(&mut self, include: &Include, candidates: &[PathBuf]) {
        let message = format!("there is no file `{}`", include.path.text);
        let paths: Vec<_> = candidates.iter().map(|path| path.display().to_string()).collect();
        let hint = format!("looked for {}", paths.join(" and "));
        self.say(Diagnostic::error(include.path.span, message).hint(hint));
    }

    fn cycle(&mut self, from: usize, again: &Path, span: Span) {
        let chain: Vec<_> = self.open[from..]
            .iter()
            .map(PathBuf::as_path)
            .chain([again])
            .map(|path| path.display().to_string())
            .collect();
        let message = format!("files include each other in a cycle: {}", chain.join(" -> "));
        let mut diagnostic = Diagnostic::error(span, message).label("closes the cycle");
        for path in &self.open[from + 1..] {
            if let Some(&span) = self.included.get(path) {
                diagnostic = diagnostic.note(span, format!("includes {}", path.display()));
            }
        }
        self.say(diagnostic);
    }

    fn twice(&mut self, path: &Path, span: Span, before: Span) {
        let message = format!("`{}` is included twice", path.display());
        let diagnostic =
            Diagnostic::error(span, message).note(before, "first here").hint("leave one out");
        self.say(diagnostic);
    }

    fn finish(
        mut self,
        mut declarations: Vec<Declaration>,
        older: Vec<Declaration>,
        is_missing: bool,
    ) -> Result<Loaded, Failure> {
        let has_error = |diagnostics: &[Diagnostic]| {
            diagnostics.iter().any(|one| one.severity == Severity::Error)
        };
        let protocol =
            if has_error(&self.diagnostics) { None } else { self.protocol(&declarations) };
        let described = self.described(&mut declarations);
        let own_files = self.sources.files().len();
        let rewritten = {
            let own_types = LazyCell::new(|| self.own_types());
            let is_gone = |name: &str| own_types.as_ref().is_some_and(|it| !it.contains(name));
            dialect::modernise(&mut declarations, older, &is_gone)
        };
        let is_older = rewritten.is_some();
        self.diagnostics.extend(rewritten);
        self.add_beside(own_files, described, &mut declarations);
        match protocol {
            Some((protocol, options)) if !has_error(&self.diagnostics) => Ok(Loaded {
                sources: self.sources,
                protocol,
                options,
                mutant: None,
                repairs: Vec::new(),
                settings: Vec::new(),
                beside: self.beside,
                declarations,
                is_older,
                warnings: self.diagnostics,
                given: Arc::default(),
            }),
            _ => Err(Failure { sources: self.sources, diagnostics: self.diagnostics, is_missing }),
        }
    }

    /// The words of gem5's own declarations of types, if these lie beside the protocol. A structure of older versions that is not
    /// among them is gone.
    fn own_types(&mut self) -> Option<FxHashSet<String>> {
        let bytes = (self.read)(&self.folder.join(TYPES)).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        Some(words.map(str::to_owned).collect())
    }

    /// The name on the protocol line, and the options of the protocol.
    fn protocol(&mut self, declarations: &[Declaration]) -> Option<(String, Options)> {
        let mut lines = declarations.iter().filter_map(|declaration| match declaration {
            Declaration::Protocol(line) => Some(line),
            _ => None,
        });
        let Some(first) = lines.next() else {
            // The file with index 0 is built in, so 1 is the `.slicc` file.
            let start = Span { file: 1, ..Span::default() };
            let hint = "write `protocol \"name\";` in the .slicc file";
            self.say(Diagnostic::error(start, NO_PROTOCOL_LINE).hint(hint));
            return None;
        };
        if let Some(second) = lines.next() {
            let diagnostic = Diagnostic::error(second.name.span, "a second protocol line")
                .note(first.name.span, "the first is here")
                .hint("leave one out: a program runs one protocol");
            self.say(diagnostic);
        }
        let (options, unknown) = Options::named(&first.options);
        self.diagnostics.extend(unknown);
        let name = first.name.text.to_string();
        let by_name = self.precedes_options && first.options.is_empty();
        let options = if by_name { options_of_name(&name, declarations) } else { options };
        Some((name, options))
    }
}

/// Inserts the declarations of the included files, given with the offsets of their `include` lines,
/// between those of a span that ends at `end`.
fn weave(
    declarations: Vec<Declaration>,
    includes: &mut std::iter::Peekable<std::vec::IntoIter<(u32, Vec<Declaration>)>>,
    end: u32,
) -> Vec<Declaration> {
    let mut woven = Vec::with_capacity(declarations.len());
    for mut declaration in declarations {
        let span = declaration.span();
        while let Some((_, included)) = includes.next_if(|(at, _)| *at < span.start) {
            woven.extend(included);
        }
        if let Declaration::Machine(machine) = &mut declaration {
            let body = std::mem::take(&mut machine.body);
            machine.body = weave(body, includes, span.end);
        }
        woven.push(declaration);
    }
    while let Some((_, included)) = includes.next_if(|(at, _)| *at < end) {
        woven.extend(included);
    }
    woven
}

#[cfg(test)]
mod tests;
