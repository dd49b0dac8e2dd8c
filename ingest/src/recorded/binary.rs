//! Rounds as blocks of words.

use super::{Outcomes, checksum, hint};
use crate::error::Error;
use crate::input::Lines;

/// The first word of a block of rounds: `RUBROUND`.
pub const ROUNDS_MAGIC: u64 = u64::from_le_bytes(*b"RUBROUND");

/// The first word of the last block: `RUBREND.`.
pub const END_MAGIC: u64 = u64::from_le_bytes(*b"RUBREND.");

/// The most words of a block.
const MOST_WORDS: u64 = 1 << 24;

/// Reads the blocks after the header.
pub(super) fn read(
    lines: &mut Lines<'_>,
    lossy: bool,
    outcomes: &mut Outcomes,
) -> Result<(), Error> {
    loop {
        let at = lines.bytes();
        match block(lines, outcomes)? {
            Ok(Block::Rounds) => {}
            Ok(Block::End(numbers)) => match outcomes.finish(numbers, lossy) {
                Ok(()) => return Ok(()),
                Err(found) => return Err(damaged(lines, at, found)),
            },
            // Where the next block begins is not known.
            Err(_) if lossy => {
                outcomes.skip();
                lines.skip_rest();
                return Ok(());
            }
            Err(found) => return Err(damaged(lines, at, found)),
        }
    }
}

fn damaged(lines: &Lines<'_>, byte: u64, found: String) -> Error {
    Error::Record {
        file: lines.file().to_owned(),
        byte,
        found,
        expected: "a block of rounds, or the end of the record".to_owned(),
        hint: hint(),
    }
}

enum Block {
    Rounds,
    End([u64; 3]),
}

/// Reads the next block, and moves past it.
fn block(lines: &mut Lines<'_>, outcomes: &mut Outcomes) -> Result<Result<Block, String>, Error> {
    let head = match words(lines, 3)? {
        Ok(head) => head,
        Err(found) => return Ok(Err(found)),
    };
    let of_round = outcomes.words() as u64;
    let (length, is_end) = match head[..] {
        [ROUNDS_MAGIC, _, rounds] => match rounds.checked_mul(of_round) {
            Some(length) if length <= MOST_WORDS && rounds > 0 => (length as usize + 4, false),
            _ => return Ok(Err(format!("a block of {rounds} rounds"))),
        },
        [END_MAGIC, ..] => (5, true),
        _ => return Ok(Err(format!("the word {:#018x}", head[0]))),
    };
    let block = match words(lines, length)? {
        Ok(block) => block,
        Err(found) => return Ok(Err(found)),
    };
    let (content, sum) = block.split_at(length - 1);
    if checksum(content.iter().copied()) != sum[0] {
        return Ok(Err("a block whose checksum is wrong".to_owned()));
    }
    lines.consume(8 * length);
    if is_end {
        return Ok(Ok(Block::End([content[1], content[2], content[3]])));
    }
    let rounds = content[3..].chunks_exact((of_round as usize).max(1));
    for (round, words) in (content[1]..).zip(rounds) {
        if let Err(found) = outcomes.add(round, words) {
            return Ok(Err(found));
        }
    }
    Ok(Ok(Block::Rounds))
}

/// The next words. The position stays.
fn words(lines: &mut Lines<'_>, count: usize) -> Result<Result<Vec<u64>, String>, Error> {
    let bytes = lines.ahead(8 * count)?;
    let Some(bytes) = bytes.get(..8 * count) else {
        return Ok(Err(match bytes.len() {
            0 => "the end of the input".to_owned(),
            _ => "the end of the input within a block".to_owned(),
        }));
    };
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word.copy_from_slice(bytes);
        u64::from_le_bytes(word)
    };
    Ok(Ok(bytes.chunks_exact(8).map(word).collect()))
}
