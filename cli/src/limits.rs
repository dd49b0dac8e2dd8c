//! The options that limit time and memory of a verdict.

use std::thread;
use std::time::Duration;

use bytesize::ByteSize;
use host::{Bounds, Exceeded};

use crate::status::Status;
use crate::{error, time};

/// Time between two looks of the watchdog at the clock and the memory.
const WATCH_INTERVAL: Duration = Duration::from_millis(5);

/// Least number of bytes for which [`Bounds::allows`] looks at the memory in use.
const LOOK: usize = 1 << 20;

/// Limits of time and memory for a verdict.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct Limits {
    /// Time limit for each history, model and algorithm, such as 10 (seconds), 0.5s or 2m
    #[arg(long, value_name = "TIME", value_parser = time::parse)]
    pub timeout: Option<Duration>,

    /// Memory that the program may occupy before it gives up a verdict, in bytes or such as 500MiB, 4GB
    #[arg(long, value_name = "SIZE", default_value = "16GiB", value_parser = parse_size)]
    pub max_memory: u64,
}

impl Limits {
    /// The bounds of one verdict that begins now.
    pub(crate) fn bounds(&self) -> Bounds {
        Bounds::new(self.timeout, Some(self.max_memory))
    }

    /// Ends the program with the status *undecided* when a limit is met, for a command that has one answer and prints it last, and whose
    /// work is done by code that knows no limits. `about` is what the message on standard error begins with.
    pub(crate) fn watch(&self, about: String) {
        let limits = self.clone();
        // Ends with the program.
        thread::spawn(move || {
            let bounds = limits.bounds();
            while bounds.allows(LOOK) && !bounds.passed() {
                thread::sleep(WATCH_INTERVAL);
            }
            error::tell(format_args!("{about}: undecided: {}", limits.met(bounds.exceeded())));
            host::files::abandon();
            std::process::exit(Status::Undecided.code().into());
        });
    }

    /// The limit that was met, in words.
    pub(crate) fn met(&self, exceeded: Option<Exceeded>) -> String {
        match exceeded {
            Some(Exceeded::Memory) => {
                format!(
                    "more than {} of memory is needed (--max-memory)",
                    ByteSize(self.max_memory)
                )
            }
            _ => {
                let seconds = self.timeout.map_or(0.0, |time| time.as_secs_f64());
                format!("timed out after {seconds} s (--timeout)")
            }
        }
    }
}

/// Parses a number of bytes, with or without a unit.
///
/// # Errors
/// Returns a message that says what was expected.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let size: Result<ByteSize, _> = text.parse();
    size.map(|size| size.as_u64())
        .map_err(|_| "a size was expected, such as 500MiB or 4GB".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("1024"), Ok(1024));
        assert_eq!(parse_size("16GiB"), Ok(16 << 30));
        assert_eq!(parse_size("500 MB"), Ok(500_000_000));
        for bad in ["", "GiB", "-1", "many"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }
}
