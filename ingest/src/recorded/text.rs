//! Rounds as lines of text.

use super::{Outcomes, hint};
use crate::error::{Error, excerpt};
use crate::input::Lines;

/// Reads the lines after the header.
pub(super) fn read(
    lines: &mut Lines<'_>,
    lossy: bool,
    outcomes: &mut Outcomes,
) -> Result<(), Error> {
    let count = outcomes.words();
    let mut words = Vec::with_capacity(count + 1);
    while lines.advance()? {
        let taken = match parse(lines.line(), &mut words) {
            Ok(Kind::Round) if words.len() == count + 1 => {
                outcomes.add(words[0], &words[1..]).map(|()| false)
            }
            Ok(Kind::Round) => {
                Err(format!("{} words, where {count} were expected", words.len().saturating_sub(1)))
            }
            Ok(Kind::End) => match words[..] {
                [rounds, nanoseconds, spread] => {
                    outcomes.finish([rounds, nanoseconds, spread], lossy).map(|()| true)
                }
                _ => Err("an end without its three numbers".to_owned()),
            },
            Err(problem) => Err(problem),
        };
        match taken {
            Ok(false) => {}
            Ok(true) => return Ok(()),
            Err(_) if lossy => {
                outcomes.skip();
                lines.note_skipped(lines.number());
            }
            Err(problem) => {
                let found = format!("`{}` ({problem})", excerpt(lines.line(), 60));
                return Err(lines.syntax(found, "a line `round N WORD… #SUM` or `end …`", hint()));
            }
        }
    }
    if lossy {
        return Ok(());
    }
    let found = format!("the end of the record after {} rounds", outcomes.rounds());
    Err(lines.syntax(found, "a line `end …`", hint()))
}

enum Kind {
    Round,
    End,
}

/// Parses a line into its numbers.
fn parse(line: &[u8], words: &mut Vec<u64>) -> Result<Kind, String> {
    words.clear();
    let text = std::str::from_utf8(line).map_err(|_| "no text".to_owned())?;
    let (content, sum) = text.rsplit_once(" #").ok_or("no checksum")?;
    let actual = format!("{:x}", sum_of(content.as_bytes()));
    if sum != actual {
        return Err(format!("its checksum is {actual}"));
    }
    let mut parts = content.split(' ');
    let kind = match parts.next() {
        Some("round") => Kind::Round,
        Some("end") => Kind::End,
        _ => return Err("no round".to_owned()),
    };
    for part in parts {
        words.push(u64::from_str_radix(part, 16).map_err(|_| format!("`{part}` is no number"))?);
    }
    if words.is_empty() { Err("no number".to_owned()) } else { Ok(kind) }
}

/// The FNV-1a checksum with 32 bits.
fn sum_of(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |sum, &byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
