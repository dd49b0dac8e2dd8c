//! Ctrl-C and termination signals: most commands end at once and leave no half-written file, no temporary folder and no process of
//! gem5. A command that has partial results to show asks for a flag instead, and one whose results are stored says so at its end.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::status::Status;

/// Whether the running command checks [`ASKED`].
static IS_GRACEFUL: AtomicBool = AtomicBool::new(false);

/// Whether a signal asked the program to end.
static ASKED: AtomicBool = AtomicBool::new(false);

/// Makes the last message of the running command.
type Farewell = Box<dyn Fn() -> String + Send>;

/// The function that makes the message for a signal, if the running command has one.
static FAREWELL: Mutex<Option<Farewell>> = Mutex::new(None);

/// Erases the line of a terminal on which the cursor is, such as a progress bar.
const ERASE: &str = "\r\x1b[2K";

/// Installs the signal handler.
pub(crate) fn listen() {
    // Without a handler, a signal ends the program in the system's default way.
    let _ = ctrlc::set_handler(|| {
        let is_first = !ASKED.swap(true, Ordering::SeqCst);
        if is_first && IS_GRACEFUL.load(Ordering::SeqCst) {
            return;
        }
        say_farewell();
        host::files::abandon();
        lab::gem5::abandon();
        std::process::exit(Status::Interrupted.code().into());
    });
}

/// Sets what is printed on standard error when a signal ends the program.
pub(crate) fn farewell(message: impl Fn() -> String + Send + 'static) {
    *FAREWELL.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(message));
}

/// Removes the message of [`farewell`].
pub(crate) fn no_farewell() {
    *FAREWELL.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

fn say_farewell() {
    let message = FAREWELL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(message) = message.as_ref().map(|message| message()) {
        let mut errors = io::stderr().lock();
        let erase = if errors.is_terminal() { ERASE } else { "" };
        // If standard error is closed, the message is lost.
        let _ = writeln!(errors, "{erase}rubric: {message}");
    }
}

/// Makes the first signal only set the returned flag; the second one ends the program.
pub(crate) fn gracefully() -> &'static AtomicBool {
    IS_GRACEFUL.store(true, Ordering::SeqCst);
    &ASKED
}

/// Whether a signal asked the program to end.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

/// The exit status of a command that shows what it has done until a signal came: that of what it shows, or else of the signal.
pub(crate) fn status(shown: Status) -> Status {
    if asked() { shown.and(Status::Interrupted) } else { shown }
}
