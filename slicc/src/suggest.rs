//! Suggestions where a protocol cannot be opened: a built-in protocol with a similar name, or the
//! `.slicc` file that the user probably meant by naming one of its `.sm` files or its folder.

use std::path::{Path, PathBuf};

use host::inputs;

use super::builtin::BUILTINS;
use super::load::{Failure, NO_PROTOCOL_LINE};
use super::near::nearest;
use super::parser;
use crate::source::{Diagnostic, Span};

/// Fewest letters of a name that are searched for inside the names of built-in protocols.
const MINIMUM_PART: usize = 3;

/// Largest number of `.slicc` files that a hint lists.
const MOST_LISTED: usize = 5;

/// Largest `.slicc` file that is searched for includes, in bytes. Such files hold little but a name and
/// includes.
const LARGEST_SEARCHED_BYTES: u64 = 1 << 20;

/// Adds a hint to a failure: the protocol that `given` may have meant.
pub(super) fn hinted(mut failure: Failure, given: &str) -> Failure {
    let path = Path::new(given);
    let is_part = path.extension().is_some_and(|extension| extension == "sm");
    if failure.is_missing && !given.contains(['/', '.']) {
        hint(&mut failure, &names_near(given));
    } else if path.is_dir() {
        if let Some(text) = in_folder(path) {
            hint(&mut failure, &text);
        }
    } else if is_part && lacks_protocol_line(&failure) {
        let message = format!("{given} is a part of a protocol, and not a whole one");
        failure.diagnostics =
            vec![Diagnostic { span: None, ..Diagnostic::error(Span::default(), message) }];
        hint(&mut failure, &including(path));
    }
    failure
}

/// Sets the hint if there is exactly one diagnostic.
fn hint(failure: &mut Failure, text: &str) {
    if let [diagnostic] = &mut *failure.diagnostics {
        diagnostic.hint = Some(text.to_owned());
    }
}

fn lacks_protocol_line(failure: &Failure) -> bool {
    let mut all = failure.diagnostics.iter();
    all.any(|diagnostic| diagnostic.message == NO_PROTOCOL_LINE)
}

/// A hint with the built-in protocols nearest to a name, and the names of all.
fn names_near(name: &str) -> String {
    let names: Vec<&str> = BUILTINS.iter().map(|one| one.name).collect();
    let lower = name.to_ascii_lowercase();
    let has_part =
        |one: &&str| lower.len() >= MINIMUM_PART && one.to_ascii_lowercase().contains(&lower);
    let near: Vec<&str> = match nearest(name, names.iter().copied()) {
        Some(near) => vec![near],
        None => names.iter().copied().filter(has_part).collect(),
    };
    let guess = if near.is_empty() {
        String::new()
    } else {
        format!("did you mean {}? ", near.join(" or "))
    };
    format!(
        "{guess}the built-in protocols are {}; others are given as the path of their .slicc file",
        names.join(", ")
    )
}

/// A hint for a `.sm` file: the `.slicc` files in its folder, only those that include it if there
/// are any.
fn including(part: &Path) -> String {
    let folder = part.parent().unwrap_or(Path::new(""));
    let all = protocols_in(folder);
    let includes = |protocol: &&PathBuf| {
        let text = inputs::open_regular(protocol)
            .and_then(|file| inputs::read_from(file, LARGEST_SEARCHED_BYTES));
        let text = text.ok().and_then(|text| String::from_utf8(text).ok());
        let included = text.map(|text| parser::parse(0, &text).includes).unwrap_or_default();
        let mut names = included.iter().map(|include| Path::new(&*include.path.text));
        names.any(|name| name.file_name() == part.file_name())
    };
    let own: Vec<PathBuf> = all.iter().filter(includes).cloned().collect();
    match (&own[..], &all[..]) {
        ([], []) => "give the path of the .slicc file that includes it".to_owned(),
        ([], all) => {
            format!("give the path of the .slicc file that includes it, such as {}", list(all))
        }
        ([one], _) => format!("give the .slicc file that includes it, {}", one.display()),
        (own, _) => format!("give one of the .slicc files that include it: {}", list(own)),
    }
}

/// A hint for a folder: the protocols in it, if there are any.
fn in_folder(folder: &Path) -> Option<String> {
    match &protocols_in(folder)[..] {
        [] => None,
        [one] => Some(format!("give the .slicc file in it, {}", one.display())),
        all => Some(format!("give one of the .slicc files in it: {}", list(all))),
    }
}

/// The `.slicc` files of a folder, sorted by name; none if it cannot be read.
fn protocols_in(folder: &Path) -> Vec<PathBuf> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(here).into_iter().flatten();
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
    let mut paths: Vec<PathBuf> = names
        .map(|name| folder.join(name))
        .filter(|path| path.extension().is_some_and(|it| it == "slicc"))
        .collect();
    paths.sort();
    paths
}

fn list(paths: &[PathBuf]) -> String {
    let some: Vec<String> =
        paths.iter().take(MOST_LISTED).map(|path| path.display().to_string()).collect();
    match paths.len().saturating_sub(MOST_LISTED) {
        0 => some.join(", "),
        more => format!("{} and {more} more", some.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::builtin::open;

    /// The message and the hint about a protocol that cannot be opened.
    fn said(given: &str) -> String {
        let failure = open(given).unwrap_err();
        let first = &failure.diagnostics[0];
        let hint = first.hint.as_deref().unwrap_or("no hint");
        format!("{}: {hint}", first.message)
    }

    #[test]
    fn names_a_little_different() {
        for (given, meant) in [
            ("mesi_two_level", "did you mean MESI_Two_Level? "),
            ("MI_exmaple", "did you mean MI_example? "),
            ("hammer", "did you mean MOESI_hammer? "),
            ("moesi", "did you mean MOESI_hammer or MOESI_AMD_Base? "),
            ("qqqqqq", "file: the built-in protocols are MI_example, "),
        ] {
            let text = said(given);
            assert!(text.contains(meant), "{given}: {text}");
        }
    }

    #[test]
    fn a_part_of_a_protocol_and_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        fs::write(path("a-cache.sm"), "structure(A) { Addr addr; }").unwrap();
        assert!(said(&path("a-cache.sm")).ends_with("the .slicc file that includes it"));
        assert!(said(folder.path().to_str().unwrap()).ends_with("no hint"));

        fs::write(path("b.slicc"), "protocol \"B\"; include \"b.sm\";").unwrap();
        let other = format!("such as {}", path("b.slicc"));
        assert!(said(&path("a-cache.sm")).ends_with(&other));
        fs::write(path("a.slicc"), "protocol \"A\"; include \"a-cache.sm\";").unwrap();
        let whole = said(&path("a-cache.sm"));
        assert!(
            whole.contains("is a part of a protocol") && whole.ends_with(&path("a.slicc")),
            "{whole}"
        );
        let both = said(folder.path().to_str().unwrap());
        assert!(both.contains("a.slicc, ") && both.ends_with("b.slicc"), "{both}");
        // A complete protocol may have this extension, and an incorrect one gets its own
        // diagnostics.
        fs::write(path("whole.sm"), "protocol \"C\";").unwrap();
        assert!(open(&path("whole.sm")).is_ok());
        fs::write(path("wrong.sm"), "protocol \"C\"; structure(").unwrap();
        assert!(!said(&path("wrong.sm")).contains("is a part of a protocol"));
    }
}
