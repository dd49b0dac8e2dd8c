//! Code that is compiled once and copied: [`Snippet`].
//!
//! Jumps are relative, so code is the same wherever it stands, if it uses the same registers and the same functions
//! are inlined in it. Only the jumps of its assertions lead out of it; they get their targets at the end of the body.

use super::Compiler;
use super::inline::MOST_INSTRUCTIONS;
use super::op::{Op, Register};
use crate::source::Span;

/// Compiled code that can be appended to any body.
pub(super) struct Snippet {
    code: Vec<Op>,
    spans: Vec<Span>,
    /// The jumps taken where assertions fail, relative to the code.
    assertions: Vec<(Vec<usize>, Span)>,
    /// The first register after those that the code uses.
    highest: Register,
}

/// A place in a body, where a snippet begins.
pub(super) struct Beginning {
    at: usize,
    assertions: usize,
    /// The first register after those that the code before it uses.
    highest: Register,
}

impl Compiler<'_> {
    /// Marks this place of the body as the beginning of a snippet.
    pub(super) fn beginning(&mut self) -> Beginning {
        let (at, top) = (self.code.len(), self.top());
        let body = self.body();
        let highest = std::mem::replace(&mut body.highest, top);
        Beginning { at, assertions: body.assertions.len(), highest }
    }

    /// The code emitted since a beginning. `None` if the body is so long that functions are no longer inlined: in a shorter
    /// body the code would be different.
    pub(super) fn snippet(&mut self, beginning: Beginning) -> Option<Snippet> {
        let Beginning { at, assertions, highest: before } = beginning;
        let relative = |(jumps, span): &(Vec<usize>, Span)| {
            (jumps.iter().map(|jump| jump - at).collect(), *span)
        };
        let body = self.body();
        let assertions = body.assertions[assertions..].iter().map(relative).collect();
        let highest = body.highest;
        body.highest = highest.max(before);
        let (code, spans) = (self.code[at..].to_vec(), self.spans[at..].to_vec());
        let is_short = self.length() < MOST_INSTRUCTIONS;
        is_short.then_some(Snippet { code, spans, assertions, highest })
    }

    /// Whether the snippet can be appended here. In a body that is too long it cannot, since nothing would be inlined if
    /// its source were compiled here.
    pub(super) fn may_append(&mut self, snippet: &Snippet) -> bool {
        self.length() + snippet.code.len() < MOST_INSTRUCTIONS
    }

    /// Appends the code of a snippet.
    pub(super) fn append(&mut self, snippet: &Snippet) {
        let at = self.code.len();
        for (op, span) in snippet.code.iter().zip(&snippet.spans) {
            self.emit(*op, *span);
        }
        let body = self.body();
        body.highest = body.highest.max(snippet.highest);
        for (jumps, span) in &snippet.assertions {
            let jumps = jumps.iter().map(|jump| at + jump).collect();
            body.assertions.push((jumps, *span));
        }
    }
}
