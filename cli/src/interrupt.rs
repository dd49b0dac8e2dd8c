//! Ctrl-C, and being told to end: most commands end at once, without leaving half a file behind; one that has something to show first
//! asks for it.

use std::sync::atomic::{AtomicBool, Ordering};

/// The exit status of a program that a signal ended, as shells have it.
const STATUS: i32 = 130;

/// Whether the command that runs looks at [`ASKED`].
static IS_GRACEFUL: AtomicBool = AtomicBool::new(false);

/// Whether the user wants the program to end.
static ASKED: AtomicBool = AtomicBool::new(false);

/// Listens to signals from now on.
pub fn listen() {
    // If nobody may be told, the program ends as the system has it.
    let _ = ctrlc::set_handler(|| {
        let is_first = !ASKED.swap(true, Ordering::SeqCst);
        if is_first && IS_GRACEFUL.load(Ordering::SeqCst) {
            return;
        }
        ::tables::files::abandon();
        std::process::exit(STATUS);
    });
}

/// From now on, the first signal only sets what this returns; the second one ends the program.
pub fn gracefully() -> &'static AtomicBool {
    IS_GRACEFUL.store(true, Ordering::SeqCst);
    &ASKED
}

/// Whether there was a signal.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
