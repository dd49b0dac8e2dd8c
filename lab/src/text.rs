//! Formats texts for rows and commands.

use history::History;
use slicc::source::{Sources, Span};

/// A word quoted for a shell, on one line. Control characters are replaced.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-=:+,@".contains(c);
    let word = word.replace(char::is_control, "\u{fffd}");
    if !word.is_empty() && word.chars().all(plain) {
        word
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The end of a history's name, after the command that makes it.
pub const END_OF_NAME: &str = concat!(" # version ", env!("CARGO_PKG_VERSION"));

/// A number and what it counts, in the singular or the plural: `1 run`, `2 runs`.
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// A title or sentence with its first letter in upper case.
pub fn capitalized(title: &str) -> String {
    let mut letters = title.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// Replaces control characters, so that no text of a protocol can send commands to a terminal.
pub fn tame(text: &str) -> String {
    text.replace(char::is_control, "\u{fffd}")
}

/// The file, and the name of the history in it if the history has one.
pub fn named(file: &str, history: &History) -> String {
    match &history.name {
        Some(name) => format!("{file}: {name}"),
        None => file.to_owned(),
    }
}

/// Number of characters of a history's name that are shown.
const NAME_CHARACTERS: usize = 60;

/// The file, and the name of the history in it if the history has one, fit for a terminal: a long name is cut, and control characters
/// are replaced.
pub fn shown(file: &str, history: &History) -> String {
    tame(&match &history.name {
        Some(name) => format!("{file}: {}", shortened(name)),
        None => file.to_owned(),
    })
}

/// Cuts a name to 60 characters.
pub fn shortened(name: &str) -> String {
    match name.char_indices().nth(NAME_CHARACTERS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// The file, the line in the user's version of that file, and the text of a place in a protocol.
pub fn written_at(span: Option<Span>, sources: &Sources) -> Option<(String, usize, String)> {
    let span = span?;
    let (path, _, _) = sources.position(span);
    let given = sources.given_line(span);
    let text = sources.text(span).lines().next().unwrap_or("").trim();
    // Text that was added has no line in the user's file.
    let text = if given.is_added {
        format!("{text} (added by a repair or mutant)")
    } else {
        text.to_owned()
    };
    Some((path.display().to_string(), given.number.max(1), text))
}
