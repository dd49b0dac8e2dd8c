//! Warns that other programs keep the machine busy while an experiment measures times.

use std::io::{self, Write};

use lab::experiment;
use tables::Trial;

/// The load beyond the number of cores from which a machine counts as busy: averages fluctuate.
const TOLERANCE: f64 = 0.5;

/// Time in seconds below which it is chance whether a run waited.
const SHORT: f64 = 1e-3;

/// Warns before an experiment if the machine is busy without it.
pub(super) fn warn_before(jobs: Option<u32>) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = jobs.map_or(cores, |jobs| jobs as usize);
    let Some(load) = experiment::load().filter(|&load| is_busy(load, jobs, cores)) else {
        return;
    };
    // If standard error is closed, the rows still have the load.
    let _ = writeln!(
        io::stderr(),
        "rubric: the machine is busy: a load of {load:.1} on {cores} cores before {jobs} at a time begin; times are of the processor, but \
         caches are shared"
    );
}

/// Whether a load and so many jobs are more than the cores.
fn is_busy(load: f64, jobs: usize, cores: usize) -> bool {
    load + jobs.min(cores) as f64 > cores as f64 + TOLERANCE
}

/// Warns after an experiment if many of its runs waited longer for the processor than they had it.
pub(super) fn warn_after(experiment: &str, trials: &[Trial]) {
    let (waited, of) = waited(trials);
    if 10 * waited <= of {
        return;
    }
    let most = trials.iter().filter_map(|trial| trial.load).fold(0.0, f64::max);
    let _ = writeln!(
        io::stderr(),
        "rubric: {experiment}: {waited} of {of} runs waited longer for the processor than they had it (load up to {most:.1}); times are \
         of the processor"
    );
}

/// How many of the runs that are not too short waited longer for the processor than they had it, and how many are not.
fn waited(trials: &[Trial]) -> (usize, usize) {
    let measured = trials.iter().filter(|trial| trial.seconds >= SHORT);
    let walls: Vec<(f64, f64)> =
        measured.filter_map(|trial| Some((trial.seconds, trial.wall_seconds?))).collect();
    let waited = walls.iter().filter(|(seconds, wall)| *wall > 2.0 * seconds);
    (waited.count(), walls.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_beyond_the_cores_is_busy() {
        assert!(!is_busy(0.3, 2, 2) && is_busy(1.0, 2, 2));
        assert!(!is_busy(1.0, 1, 2) && is_busy(2.0, 1, 2));
    }

    #[test]
    fn short_runs_and_older_tables_do_not_count() {
        let trial = |seconds, wall_seconds| Trial { seconds, wall_seconds, ..Trial::default() };
        let trials = [
            trial(1.0, Some(1.1)),
            trial(1.0, Some(2.1)),
            trial(1e-4, Some(1.0)),
            trial(1.0, None),
        ];
        assert_eq!(waited(&trials), (1, 2));
    }
}
