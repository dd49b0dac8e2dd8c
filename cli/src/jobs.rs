//! How many threads work.

use crate::error::Error;

/// The option for the number of threads.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub(crate) struct JobsArgs {
    /// Number of threads that work, in tests beside one that explores; what is found depends on it only where a time ends the work
    /// [default: as many as there are processors]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: Option<u32>,
}

impl JobsArgs {
    /// Lets everything that this command does in parallel use that many threads.
    ///
    /// # Errors
    /// Returns an error if the system has no such threads.
    pub(crate) fn apply(self) -> Result<(), Error> {
        let Some(jobs) = self.jobs else { return Ok(()) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs as usize);
        pool.build_global().map_err(|error| Error::Usage(format!("--jobs {jobs}: {error}")))
    }
}
