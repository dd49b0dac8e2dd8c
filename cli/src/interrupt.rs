//! Ctrl-C and termination signals: most commands end at once and leave no half-written file. A command that has partial results
//! to show asks for a flag instead.

use std::sync::atomic::{AtomicBool, Ordering};

/// Exit status of a program that a signal ended, as shells report it.
const STATUS: i32 = 130;

/// Whether the running command checks [`ASKED`].
static IS_GRACEFUL: AtomicBool = AtomicBool::new(false);

/// Whether a signal asked the program to end.
static ASKED: AtomicBool = AtomicBool::new(false);

/// Installs the signal handler.
pub fn listen() {
    // Without a handler, a signal ends the program in the system's default way.
    let _ = ctrlc::set_handler(|| {
        let is_first = !ASKED.swap(true, Ordering::SeqCst);
        if is_first && IS_GRACEFUL.load(Ordering::SeqCst) {
            return;
        }
        ::tables::files::abandon();
        std::process::exit(STATUS);
    });
}

/// Makes the first signal only set the returned flag; the second one ends the program.
pub fn gracefully() -> &'static AtomicBool {
    IS_GRACEFUL.store(true, Ordering::SeqCst);
    &ASKED
}

/// Whether a signal asked the program to end.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
