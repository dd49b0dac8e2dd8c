//! Recognises lines that gem5 prints, to detect the format of a text.

use crate::gem5::crash::scan::begins_message;
use crate::gem5::lines::fault::Fault;
use crate::gem5::lines::layout;
use crate::gem5::lines::line::{self, Shape};
use crate::input::cleaned;

/// Whether a text holds a line that a debug flag of gem5 printed.
pub(crate) fn has_trace_line(text: &[u8]) -> bool {
    text.split(|&byte| byte == b'\n').map(cleaned).any(|line| {
        let is_shown = !line.trim_ascii().is_empty() && !has_chatter_prefix(&line);
        is_shown && (is_trace_line(&line) || layout::restore(&line).is_some())
    })
}

/// Whether a line looks like one that a debug flag prints, or like such a line cut off.
pub(crate) fn is_trace_line(line: &[u8]) -> bool {
    match line::shape(line) {
        Ok(Shape::Raw(_) | Shape::Named { .. }) => true,
        Err(Fault::Cut(_)) => line.starts_with(b" ") || line.contains(&b':'),
        _ => false,
    }
}

/// Beginnings of the lines that gem5 prints without any debug flag.
const CHATTER: [&[u8]; 8] = [
    b"gem5 ",
    b"warn: ",
    b"info: ",
    b"hack: ",
    b"Global frequency set at ",
    b"**** REAL SIMULATION ****",
    b"command line: ",
    b"Redirecting ",
];

fn has_chatter_prefix(line: &[u8]) -> bool {
    CHATTER.iter().any(|words| line.starts_with(words))
}

/// Whether a line is one that gem5 prints without any debug flag.
pub(crate) fn is_chatter(line: &[u8]) -> bool {
    has_chatter_prefix(line) || begins_message(line)
}
