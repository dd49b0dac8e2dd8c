//! How far many runs are, on standard error.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How often it is drawn, in a second.
const RATE: u8 = 10;

/// What stands in the line of something whose end nobody knows.
const OPEN_LINE: &str = "{spinner} {elapsed} {prefix}: {msg}";

/// What stands in the line, from bar to estimate.
const LINE: &str = "{bar:30} {human_pos} of {human_len} {prefix}, {eta} left {msg}";

/// A line that says how many of so many runs are done, how long the rest may take, and what else
/// there is to say. Only a terminal shows it; nobody sees it if `quiet`.
pub fn bar(length: u64, of: &'static str, quiet: bool) -> ProgressBar {
    if quiet || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr_with_hz(RATE));
    let style = ProgressStyle::with_template(LINE);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_prefix(of);
    bar
}

/// A line that says how long something has taken, and what else there is to say. Only a terminal shows it; nobody sees
/// it if `quiet`.
pub fn spinner(of: String, quiet: bool) -> ProgressBar {
    if quiet || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(RATE));
    let style = ProgressStyle::with_template(OPEN_LINE);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar.set_prefix(of);
    bar
}
