//! Progress bars on standard error.

use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{
    HumanCount, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle,
};
use lab::protocols::Opened;
use lab::{Observer, Stage};
use slicc::setting::Setting;

use crate::error::warn_of_protocol;
use crate::interrupt;
use crate::lines::LINES;

/// Template of a line without a known end.
const OPEN_LINE: &str = "{spinner} {elapsed} {prefix}: {msg}";

/// Template of a line with a bar and an estimate of the time left.
const LINE: &str = "{bar:30} {count}{prefix}{left} {msg}";

/// Template of a line for work that ends after some time, with the number of pieces that are done.
const TIME_LINE: &str = "{time}, {pos} {prefix}";

/// The number of characters of a bar.
const BAR: u64 = 30;

/// How often a line moves that depends on the time alone.
const TICK: Duration = Duration::from_millis(200);

/// Time after which the speed of the work is known well enough for an estimate.
const SETTLED: Duration = Duration::from_secs(1);

/// A progress bar with the number of finished runs, the estimated time left, and a message. The length may be set later. It is shown on
/// a terminal only, and not if `quiet`.
pub(crate) fn bar(length: Option<u64>, of: &'static str, quiet: bool) -> ProgressBar {
    let bar = drawn(length, LINE, quiet);
    bar.set_prefix(of);
    bar
}

/// A bar of a template, or a line without a known end. Nothing is drawn before its texts are set.
fn drawn(length: Option<u64>, template: &str, quiet: bool) -> ProgressBar {
    if quiet || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = LINES.add(ProgressBar::with_draw_target(length, ProgressDrawTarget::hidden()));
    let style = ProgressStyle::with_template(template);
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    // Writing to a bar does not fail.
    let count = |state: &ProgressState, out: &mut dyn Write| {
        let _ = write!(out, "{}", count(state.pos(), state.len()));
    };
    let left = |state: &ProgressState, out: &mut dyn Write| {
        let _ = write!(out, "{}", left(state.elapsed(), state.eta()));
    };
    bar.with_style(style.with_key("count", count).with_key("left", left))
}

/// A bar of work that ends after a time, with the number of finished pieces. It is shown on a terminal only, and not if `quiet`.
fn timed(time: Duration, of: &'static str, quiet: bool) -> ProgressBar {
    let bar = drawn(None, TIME_LINE, quiet);
    let spent = move |state: &ProgressState, out: &mut dyn Write| {
        let _ = write!(out, "{}", spent(state.elapsed(), time));
    };
    let style = bar.style().with_key("time", spent);
    let bar = bar.with_style(style).with_prefix(of);
    bar.enable_steady_tick(TICK);
    bar
}

/// The time that is spent, as a bar and in seconds: `███░░░ 3 of 6 s`.
fn spent(elapsed: Duration, all: Duration) -> String {
    let part = elapsed.min(all);
    let done = (part.as_secs_f64() / all.as_secs_f64().max(1e-3) * BAR as f64) as usize;
    let (full, empty) = ("█".repeat(done), "░".repeat((BAR as usize).saturating_sub(done)));
    format!("{full}{empty} {} of {} s", part.as_secs(), all.as_secs())
}

/// The number of finished pieces, as `3 of 500 `; empty before the number of all pieces is known.
fn count(done: u64, all: Option<u64>) -> String {
    match all {
        None | Some(0) => String::new(),
        Some(all) => format!("{} of {} ", HumanCount(done), HumanCount(all)),
    }
}

/// The time left, as `, 14s left`; empty before there is an estimate, and in the last second.
fn left(elapsed: Duration, estimate: Duration) -> String {
    if elapsed < SETTLED || estimate.as_secs() == 0 {
        return String::new();
    }
    format!(", {:#} left", HumanDuration(estimate))
}

/// Template of the bar of inputs, which counts bytes; the message counts inputs.
const INPUTS_LINE: &str = "{bar:30} {msg}{left}";

/// A progress bar over inputs with `bytes` altogether. It is shown on a terminal only, and not if `quiet`.
pub(crate) fn inputs(bytes: u64, count: u64, quiet: bool) -> Inputs {
    let bar = drawn(Some(bytes), INPUTS_LINE, quiet).with_message(so_far(0, count, 0));
    Inputs { bar, count, done: AtomicU64::new(0), violations: AtomicU64::new(0) }
}

/// The progress bar of [`inputs`]. The estimate follows from the bytes, since large traces take longer than small ones.
pub(crate) struct Inputs {
    bar: ProgressBar,
    count: u64,
    done: AtomicU64,
    violations: AtomicU64,
}

impl Inputs {
    /// Notes that an input with this many bytes is done, and whether it is a violation.
    pub(crate) fn advance(&self, bytes: u64, is_violation: bool) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let more = u64::from(is_violation);
        let violations = self.violations.fetch_add(more, Ordering::Relaxed) + more;
        self.bar.set_message(so_far(done, self.count, violations));
        self.bar.inc(bytes);
    }
}

/// The message of a bar of inputs.
fn so_far(done: u64, count: u64, violations: u64) -> String {
    let violations = match violations {
        1 => "1 violation".to_owned(),
        several => format!("{several} violations"),
    };
    format!("{done} of {count} inputs, {violations}")
}

impl Drop for Inputs {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A spinner with the elapsed time and a message. It is shown on a terminal only, and not if `quiet`.
pub(crate) fn spinner(of: String, quiet: bool) -> ProgressBar {
    let bar = drawn(None, OPEN_LINE, quiet);
    bar.set_prefix(of);
    bar
}

/// The progress bars of campaigns and experiments, one stage after the other.
pub(crate) struct Bars {
    quiet: bool,
    bar: Mutex<ProgressBar>,
}

impl Bars {
    /// Creates the bars, which are hidden if `quiet`.
    pub(crate) fn new(quiet: bool) -> Bars {
        Bars { quiet, bar: Mutex::new(ProgressBar::hidden()) }
    }

    /// Prints while the bar is erased.
    pub(crate) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar().suspend(print)
    }

    fn bar(&self) -> MutexGuard<'_, ProgressBar> {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Bars {
    fn opened(&self, protocol: &Opened, settings: &[Setting]) {
        if !self.quiet {
            warn_of_protocol(protocol, settings);
        }
    }

    fn begin(&self, stage: Stage) {
        let new = match stage {
            Stage::Mutants => bar(None, "mutants compared with their protocol", self.quiet),
            Stage::Runs => bar(None, "runs", self.quiet),
            Stage::Explorations => bar(None, "mutants", self.quiet),
            Stage::Findings => bar(None, "findings put together", self.quiet),
            Stage::Histories(experiment) => {
                bar(None, "histories", self.quiet).with_message(experiment)
            }
        };
        *self.bar() = new;
    }

    fn total(&self, pieces: u64) {
        // A bar of length 0 would look full.
        if pieces > 0 {
            self.bar().set_length(pieces);
        }
    }

    fn lasts(&self, time: Duration) {
        let mut bar = self.bar();
        bar.finish_and_clear();
        *bar = timed(time, "runs", self.quiet);
    }

    fn is_cancelled(&self) -> bool {
        interrupt::asked()
    }

    fn advance(&self) {
        self.bar().inc(1);
    }

    fn caught(&self, mutants: usize) {
        self.bar().set_message(format!("({mutants} caught)"));
    }

    fn end(&self) {
        self.bar().finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_of_time_moves_with_it() {
        let at = |seconds| spent(Duration::from_secs(seconds), Duration::from_secs(60));
        assert_eq!(at(0), format!("{} 0 of 60 s", "░".repeat(30)));
        assert_eq!(at(20), format!("{}{} 20 of 60 s", "█".repeat(10), "░".repeat(20)));
        assert_eq!([at(60), at(90)], [0, 0].map(|_| format!("{} 60 of 60 s", "█".repeat(30))));
    }

    #[test]
    fn nothing_is_estimated_before_there_is_an_estimate() {
        let [none, soon, later] = [0, 900, 14_000].map(Duration::from_millis);
        assert_eq!(left(soon, later), "");
        assert_eq!([left(later, none), left(later, soon)], ["", ""]);
        assert_eq!(left(later, later), ", 14s left");
        assert_eq!(
            [count(0, None), count(0, Some(0)), count(3, Some(5000))],
            ["", "", "3 of 5,000 "]
        );
    }
}
