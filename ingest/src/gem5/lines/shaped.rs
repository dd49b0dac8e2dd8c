//! [`ShapedLine`]: a line of a trace, parsed as far as it can be.

use crate::error::or_lossy;
use crate::gem5::lines::alike;
use crate::gem5::lines::fault::Fault;
use crate::gem5::lines::layout;
use crate::gem5::lines::line::{self, Shape};
use crate::gem5::lines::message::Message;

/// A line with its shape and its message, each of which may have a fault.
pub(crate) struct ShapedLine<'l> {
    pub text: &'l [u8],
    pub shape: Result<Shape<'l>, Fault>,
    pub message: Result<Message, Fault>,
}

impl ShapedLine<'_> {
    pub(crate) fn of(text: &[u8]) -> ShapedLine<'_> {
        let shape = line::shape(text);
        let message = shape.as_ref().map_or(Ok(Message::Unknown), Shape::message);
        ShapedLine { text, shape, message }
    }

    /// Whether the line has a shape, a message or blanks that gem5 does not print. `is_odd` says whether it may have other
    /// blanks.
    pub(crate) fn is_changed(&self, is_odd: bool) -> bool {
        match (&self.shape, &self.message) {
            (Ok(Shape::Blank), _) => false,
            (Ok(Shape::Chatter) | Err(_), _) | (_, Err(_)) => true,
            (Ok(shape), Ok(message)) => {
                alike::is_unread(shape, *message)
                    || (is_odd && layout::has_other_blanks(shape, *message, self.text))
            }
        }
    }
}

/// Refuses a line with NUL bytes: even a line that is ignored must be text.
pub(crate) fn check_text(text: &[u8]) -> Result<(), Fault> {
    if memchr::memchr(0, text).is_none() {
        return Ok(());
    }
    Err(Fault::broken(
        "a NUL byte",
        "a line of a gem5 trace",
        or_lossy("the file is damaged: copy or record it again", "skip such lines"),
    ))
}
