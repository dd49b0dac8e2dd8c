//! Recognises records whose beginning is missing, to say what they are.

use memchr::memmem;

use super::{END_MAGIC, ROUNDS_MAGIC};
use crate::error::{Error, excerpt};
use crate::input::Lines;

const ADVICE: &str = "the beginning of the record is missing: record it again, whole";

/// The error about a line of a record that follows the first one, where none precedes it; `None` for any other line.
pub(crate) fn without_header(line: &[u8], number: u64, file: &str) -> Option<Error> {
    is_inner(line).then(|| Error::Syntax {
        file: file.to_owned(),
        line: number,
        found: format!("`{}`, a line of a record of a program", excerpt(line, 60)),
        expected: "the first line of the record before it, such as `rubric-record 1 text`"
            .to_owned(),
        hint: ADVICE.to_owned(),
    })
}

/// Whether a line can only be one of a record, but the first.
fn is_inner(line: &[u8]) -> bool {
    let Ok(line) = std::str::from_utf8(line) else { return false };
    let words: Vec<&str> = line.trim_end().split(' ').collect();
    let is_hex = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    match words[..] {
        ["words", "values" | "signature", ref counts @ ..] => {
            counts.iter().all(|count| count.parse::<u64>().is_ok())
        }
        ["begin", sum] => sum.len() == 16 && is_hex(sum),
        ["round" | "end", ref numbers @ .., sum] => {
            sum.strip_prefix('#').is_some_and(is_hex) && numbers.iter().all(|word| is_hex(word))
        }
        _ => false,
    }
}

/// The error about blocks in binary at the beginning of an input that has no header; `None` if there is no such block.
pub(crate) fn blocks_without_header(lines: &mut Lines<'_>) -> Option<Error> {
    let head = lines.head();
    let find = |magic: u64| memmem::find(head, &magic.to_le_bytes());
    let byte = find(ROUNDS_MAGIC).or_else(|| find(END_MAGIC))?;
    Some(Error::Record {
        file: lines.file().to_owned(),
        byte: byte as u64,
        found: "a block of a record of a program".to_owned(),
        expected: "the header before it, whose first line is `rubric-record 1 binary`".to_owned(),
        hint: ADVICE.to_owned(),
    })
}
