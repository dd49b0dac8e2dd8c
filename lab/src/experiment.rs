//! Runs the experiments of the papers, on simulated or recorded histories.
//!
//! [`catalog`] lists the experiments, [`Options`] are those of a run, and [`Work`] runs one or resumes the run that its folder holds.
//!
//! - [`point`]: the points that experiments consist of;
//! - `source`: makes histories; [`recorded`]: reads recorded ones;
//! - `explored`: explores all runs of programs;
//! - `trial`: runs an algorithm on a history; `watch`: the time that it takes; [`program`]: runs an external checker;
//! - `complete`: whether all planned rows exist;
//! - `work`: plans the work of an experiment and does it.
//!
//! ```
//! use lab::NoObserver;
//! use lab::experiment::{Only, Options, Work, catalog};
//!
//! let options = Options::default();
//! let experiment = catalog::find("gcc-fig4").expect("it is in the catalogue");
//! let work = Work::new(&options, &experiment, experiment.points(options.size))?;
//! // A single history of it, without a folder: a row for each algorithm.
//! let only: Only = "operations=100/3".parse()?;
//! let trials = work.only(&only)?;
//! assert_eq!(trials.len(), 5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod catalog;
mod complete;
mod explored;
mod nice_cycles;
pub mod point;
pub mod program;
pub mod recorded;
mod settings;
mod source;
mod trial;
mod watch;
mod work;

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use check::Algorithm;
use tables::Trial;

use crate::error::Error;
use crate::folder;
use crate::journal::Lines;
use crate::shard::Shard;
use catalog::{EXPERIMENTS, Experiment, ExperimentWork};
pub use complete::unfinished;
pub use point::Size;
use program::Program;
pub use trial::Limits;
pub use work::Work;

/// The options of a run of experiments.
#[derive(Clone, Debug)]
pub struct Options {
    /// The number and size of the histories.
    pub size: Size,
    /// The folder for the tables. An interrupted run of the same experiments that it holds is resumed.
    pub output: PathBuf,
    /// The folder of recorded traces, if these are used instead of histories that protocols make.
    pub traces: Option<PathBuf>,
    /// The protocols that make histories, in turn: built-in names or paths of `.slicc` files; the built-in ones if empty. Experiments on
    /// mutants have their own.
    pub protocols: Vec<String>,
    /// Algorithms that are run in addition to those of the experiment.
    pub algorithms: Vec<Algorithm>,
    /// External checkers that are run in addition.
    pub programs: Vec<Program>,
    /// Seed of the pseudo-random generator.
    pub seed: u64,
    /// The shard to run; all if none.
    pub shard: Option<Shard>,
    /// The number of histories that are checked at a time; the number of cores if none.
    pub jobs: Option<u32>,
    /// The time and memory that each algorithm may use.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            size: Size::Quick,
            output: PathBuf::from("results"),
            traces: None,
            protocols: Vec::new(),
            algorithms: Vec::new(),
            programs: Vec::new(),
            seed: 1,
            shard: None,
            jobs: None,
            limits: Limits::new(Duration::from_secs(60), 16 << 30),
        }
    }
}

/// A selection of one point, or of one history of it. Written `POINT` or `POINT/NUMBER`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Only {
    /// The name of the point.
    pub point: String,
    /// The number of the history; all histories of the point if none.
    pub number: Option<u32>,
}

impl FromStr for Only {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Only, Infallible> {
        // A mix in the name of a point contains `/`, too, but no name ends with a mix.
        let number = text.rsplit_once('/').and_then(|(point, number)| {
            let number = number.parse().ok()?;
            Some((point, number))
        });
        let (point, number) = number.map_or((text, None), |(point, number)| (point, Some(number)));
        Ok(Only { point: point.to_owned(), number })
    }
}

/// How many processes of the machine run or want to, on average over the last minute; `None` on a system that does not say.
pub fn load() -> Option<f64> {
    crate::machine::load()
}

/// The trials in the journals of a folder and its subfolders, including those of experiments that are running or were killed.
///
/// # Errors
/// Fails if a journal cannot be read.
pub fn logged(folder: &Path) -> Result<Vec<Trial>, Error> {
    let is_journal = |path: &PathBuf| {
        let of_histories = |one: &&Experiment| matches!(one.work, ExperimentWork::Histories(_));
        let mut names = EXPERIMENTS.iter().filter(of_histories).map(|one| one.name);
        names.any(|name| Shard::of_file(path, name, "jsonl").is_some())
    };
    let mut trials = Vec::new();
    for path in folder::below(folder)?.iter().filter(|path| is_journal(path)) {
        let rows = Lines::read(path)?.rows::<Trial>(1)?;
        trials.extend(rows.into_values());
    }
    Ok(trials)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_may_have_a_slash() {
        let only = |text: &str| {
            let Ok(only) = text.parse::<Only>();
            (only.point, only.number)
        };
        assert_eq!(only("threads=4/7"), ("threads=4".to_owned(), Some(7)));
        assert_eq!(only("threads=4"), ("threads=4".to_owned(), None));
        let point = "mix=50/16/30/2,operations=8192";
        assert_eq!(only(point), (point.to_owned(), None));
        assert_eq!(only(&format!("{point}/3")), (point.to_owned(), Some(3)));
    }
}
