//! The bars and lines that stand on standard error while something runs, all at once.

use std::sync::LazyLock;

use indicatif::{MultiProgress, ProgressDrawTarget};

/// Rate at which bars are drawn, in frames per second.
const RATE: u8 = 10;

/// All bars and lines, so that a message on standard error can erase them first.
pub(crate) static LINES: LazyLock<MultiProgress> =
    LazyLock::new(|| MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(RATE)));

/// Erases bars and lines, runs `print`, which may write lines on standard error, and draws them again below these lines.
pub(crate) fn erased<R>(print: impl FnOnce() -> R) -> R {
    LINES.suspend(print)
}
