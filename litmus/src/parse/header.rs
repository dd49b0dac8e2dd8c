//! Reads what stands before the initial state: the instruction set, the name, the description, and lines `Key=value`.

use super::source::Source;
use crate::error::Error;
use crate::isa::{Architecture, OTHERS};

/// What stands before the initial state.
pub(super) struct Header<'a> {
    pub architecture: Architecture,
    /// The name of the test.
    pub name: &'a str,
    /// The text from the initial state on.
    pub rest: &'a str,
}

/// Variants of herd's semantics that change nothing here: accesses of different sizes are always read as herd reads
/// them with `mixed`, faults do not occur, and the others choose between ways to compute the same states.
const KNOWN_VARIANTS: [&str; 15] = [
    "mixed",
    "instances",
    "optrfrmw",
    "cos-opt",
    "oldsolver",
    "test",
    "neon",
    "sve",
    "sve:128",
    "fatal",
    "handled",
    "faulttonext",
    "skip",
    "precise",
    "imprecise",
];

/// Reads everything before the initial state.
///
/// # Errors
/// Returns an error for an instruction set that is not known, for a variant of herd's semantics that is not supported,
/// and if there is no initial state.
pub(super) fn read<'a>(source: &Source<'a>) -> Result<Header<'a>, Error> {
    let start = source.text.trim_start();
    let (line, mut rest) = start.split_once('\n').unwrap_or((start, ""));
    let (word, name) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
    // As in herd, what follows the name on its line is a remark, unless it is the initial state.
    let is_part = |one: char| one.is_ascii_alphanumeric() || "_/.-+[]:".contains(one);
    let name = name.trim();
    let length = name.find(|one| !is_part(one)).unwrap_or(name.len());
    let architecture = Architecture::from_name(word).filter(|_| length > 0);
    let Some(architecture) = architecture else {
        return Err(unknown(source, start, word));
    };
    let name = &name[..length];
    if line.contains('{') {
        let offset = name.as_ptr() as usize + length - start.as_ptr() as usize;
        rest = &start[offset..];
    }
    loop {
        rest = rest.trim_start();
        if rest.starts_with('{') {
            return Ok(Header { architecture, name, rest });
        }
        rest = behind_remark(source, rest)?;
    }
}

/// The error for a first line that is none of this crate's.
fn unknown(source: &Source<'_>, start: &str, word: &str) -> Error {
    let names = Architecture::ALL.map(Architecture::name).join("`, `");
    if OTHERS.contains(&word) {
        let what = format!("litmus tests for `{word}`, unlike those for `{names}`, are");
        return source.unsupported(start, &what);
    }
    source.expected(start, &format!("one of `{names}`, and the test's name"))
}

/// The text after a description in quotes, a line `Key=value`, or a line with anything else, which herd skips, too.
fn behind_remark<'a>(source: &Source<'a>, text: &'a str) -> Result<&'a str, Error> {
    if let Some(quoted) = text.strip_prefix('"')
        && let Some(end) = quoted.find('"')
    {
        return Ok(&quoted[end + 1..]);
    }
    let line = text.lines().next().unwrap_or_default();
    let is_part = |one: char| one.is_ascii_alphanumeric() || "_/.-".contains(one);
    let pair = line.split_once('=').filter(|(key, _)| key.trim().chars().all(is_part));
    let Some((key, value)) = pair else {
        let end = text.find(['\n', '{']).unwrap_or(text.len());
        if end == text.len() {
            let expected = "a description in quotes, `Key=value`, or the initial state in braces";
            return Err(source.expected(text, expected));
        }
        return Ok(&text[end..]);
    };
    if key.trim() == "Variant" {
        let variants = value.split(',').map(str::trim).filter(|one| !one.is_empty());
        let is_known = |one: &str| KNOWN_VARIANTS.contains(&one.to_ascii_lowercase().as_str());
        if let Some(other) = variants.into_iter().find(|one| !is_known(one)) {
            let what = format!("the variant `{other}` of herd's semantics is");
            return Err(source.unsupported(text, &what));
        }
    }
    Ok(&text[line.len()..])
}
