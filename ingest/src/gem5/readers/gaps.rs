//! [`Gaps`]: the damaged lines that were skipped and that may have shown an operation, so that the history may lack it.
//!
//! What is proved without the operation stays proved: reads of a value that only it can have written return any value, and
//! where its loss leaves in doubt which request a completion answers, the completion is left out as well. A history that is consistent
//! without it may be inconsistent with it, so the verdict is then undecided.

use history::{Doubt, Gap, NotUnderstood, Source};

use crate::gem5::lines::grammar;
use crate::gem5::lines::line::Shape;
use crate::gem5::lines::message::Message;
use crate::gem5::lines::parse::begins_as_message;
use crate::gem5::lines::shaped::ShapedLine;

/// What a skipped line may have shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// It shows no part of an operation.
    Nothing,
    /// A part of an operation of this source.
    Of(Source),
    /// A part of an operation of any source.
    Anything,
}

/// The first lines that were skipped and may have shown operations.
#[derive(Debug, Default)]
pub(crate) struct Gaps {
    /// The first line by its source; `Ruby`, `Client` and `Exec`.
    first: [Option<Skipped>; 3],
    /// A line after which operations may have been mixed up, so that they prove nothing.
    mixed_up: Option<Skipped>,
}

type Skipped = (u64, String);

/// Largest number of characters of a line that a verdict shows.
const SHOWN: usize = 60;

impl Loss {
    /// What a line of which a part cannot be read may have shown. `is_last` says whether the text ends within the line, which
    /// then shows what has not happened when the trace ends.
    pub(crate) fn of(text: &[u8], is_last: bool) -> Loss {
        if is_last {
            return Loss::Nothing;
        }
        let line = ShapedLine::of(text);
        match (&line.shape, line.message) {
            (Ok(Shape::Raw(_)), _) => Loss::Nothing,
            (Ok(Shape::Named { .. }), Ok(message)) => of_message(message),
            (Ok(Shape::Named { text, .. }), Err(_)) => of_text(text),
            (Err(_), _) if begins_raw(text) => Loss::Nothing,
            _ => Loss::Anything,
        }
    }

    fn concerns(self, source: Source) -> bool {
        match self {
            Loss::Nothing => false,
            Loss::Of(of) => of == source,
            Loss::Anything => true,
        }
    }

    /// Whether requests of sequencers may be in doubt.
    pub(crate) fn is_of_ruby(self) -> bool {
        self.concerns(Source::Ruby)
    }

    pub(crate) fn is_of_cpus(self) -> bool {
        self.concerns(Source::Exec)
    }
}

/// What a line may have shown that can be read and was skipped since it contradicts others.
fn of_message(message: Message) -> Loss {
    match message {
        Message::Client(_) => Loss::Of(Source::Client),
        Message::Exec { .. } => Loss::Of(Source::Exec),
        Message::Unknown => Loss::Anything,
        Message::Timing { .. } | Message::Known | Message::Response { .. } => Loss::Nothing,
        _ => Loss::Of(Source::Ruby),
    }
}

/// What a line may have shown of whose message only the beginning can be read.
fn of_text(text: &[u8]) -> Loss {
    if grammar::is_client(text) {
        return Loss::Of(Source::Client);
    }
    if text.starts_with(b"Timing ") || text.starts_with(b"schedSendTiming ") {
        return Loss::Nothing;
    }
    match begins_as_message(text) {
        true => Loss::Of(Source::Ruby),
        false => Loss::Anything,
    }
}

/// Whether a text begins as a line of ProtocolTrace does: tick, version and machine, with blanks between them.
fn begins_raw(text: &[u8]) -> bool {
    let mut words = text.split(|&byte| byte == b' ').filter(|word| !word.is_empty());
    let mut number = || words.next().is_some_and(|word| word.iter().all(u8::is_ascii_digit));
    number() && number() && words.next().is_some_and(|word| word[0].is_ascii_alphabetic())
}

impl Gaps {
    /// Notes a line that was skipped.
    pub(crate) fn note(&mut self, loss: Loss, line: u64, text: &[u8]) {
        for (source, first) in SOURCES.into_iter().zip(&mut self.first) {
            if loss.concerns(source) && first.as_ref().is_none_or(|(known, _)| *known > line) {
                *first = Some((line, shown(text)));
            }
        }
    }

    /// Notes a line that shows that operations may have been mixed up since a line was skipped.
    pub(crate) fn note_mixed_up(&mut self, line: u64, text: &[u8]) {
        self.mixed_up.get_or_insert_with(|| (line, shown(text)));
    }

    /// The gaps of a history with this source.
    pub(crate) fn of(&self, source: Source) -> Vec<NotUnderstood> {
        let first = SOURCES.into_iter().zip(&self.first).find(|(of, _)| *of == source);
        let first = first.and_then(|(_, first)| first.as_ref());
        let mixed_up = self.mixed_up.as_ref().filter(|_| source == Source::Ruby);
        let gaps = [(Gap::Read, first), (Gap::Write, mixed_up)].into_iter();
        gaps.filter_map(|(gap, skipped)| Some(gap_at(gap, skipped?))).collect()
    }
}

const SOURCES: [Source; 3] = [Source::Ruby, Source::Client, Source::Exec];

fn gap_at(gap: Gap, (line, text): &Skipped) -> NotUnderstood {
    let (line, instruction) = (*line, text.clone());
    NotUnderstood { gap, line, instruction, doubt: Some(Doubt::Skipped) }
}

/// The beginning of a line without control characters.
fn shown(text: &[u8]) -> String {
    let start = &text[..text.len().min(4 * SHOWN)];
    let text = String::from_utf8_lossy(start);
    let plain = text.trim().chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
    let mut shown: String = plain.take(SHOWN).collect();
    if shown.chars().count() == SHOWN {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_line_may_have_shown() {
        let of = |text: &str| Loss::of(text.as_bytes(), false);
        let at =
            |message: &str| of(&format!("      5: system.ruby.l1_cntrl0.sequencer: {message}"));
        for harmless in ["Timing request for addr", "schedSendTiming for", "Hit callback done!"] {
            assert_eq!(at(harmless), Loss::Nothing, "{harmless}");
        }
        for part in ["read data [ 0x0", "Request ReadReq", "Hit callback for ReadReq 0x40"] {
            assert_eq!(at(part), Loss::Of(Source::Ruby), "{part}");
        }
        assert_eq!(at("T0 op 4 lo"), Loss::Of(Source::Client));
        assert_eq!(at("T0 : 0x40 @f : ld"), Loss::Of(Source::Exec));
        assert_eq!(of("              5   0        Seq               Beg"), Loss::Nothing);
        assert_eq!(of("              5   0    L1Cache    Load      I>"), Loss::Nothing);
        for unknown in ["    5: system.ruby.l1_c", "  440", "\0\0\0", "x"] {
            assert_eq!(of(unknown), Loss::Anything, "{unknown}");
        }
        assert_eq!(Loss::of(b"    5: sys", true), Loss::Nothing);
    }
}
