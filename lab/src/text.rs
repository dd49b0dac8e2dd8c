//! Words that go into rows and commands.

use history::History;
use slicc::source::{Sources, Span};

/// A word as a shell takes it, on one line.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-=:+,@".contains(c);
    let word = word.replace(char::is_control, "\u{fffd}");
    if !word.is_empty() && word.chars().all(plain) {
        word
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A text without control characters: nothing in a protocol's texts may reach a terminal as a command.
pub fn tame(text: &str) -> String {
    text.replace(char::is_control, "\u{fffd}")
}

/// The file and line of a place in a protocol, and what is written there.
pub fn written_at(span: Option<Span>, sources: &Sources) -> Option<(String, usize, String)> {
    let span = span?;
    let (path, line, _) = sources.position(span);
    let text = sources.text(span).lines().next().unwrap_or("").trim();
    Some((path.display().to_string(), line, text.to_owned()))
}

/// The file, and the name of the history in it if it has one.
pub fn named(file: &str, history: &History) -> String {
    match &history.name {
        Some(name) => format!("{file}: {name}"),
        None => file.to_owned(),
    }
}
