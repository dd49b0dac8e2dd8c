//! The experiments of Burnim, Sen & Stergiou, *Sound and Complete Monitoring of Sequential Consistency for Relaxed Memory Models*,
//! 2011.

use ::explore::program::benchmarks::{Benchmark, TABLES};
use check::Model;

use crate::experiment::point::{Explored, Point, Size, Source, Task};

/// Section 7: each program is explored several times, without a monitor, with each monitor, and with SOBER's.
pub(super) fn programs(size: Size, preemptions: u32) -> Vec<Point> {
    let monitors = [None, Some(Model::TSO), Some(Model::PSO)].map(Task::Explore);
    let tasks = [&monitors[..], &[Task::ExploreSober]].concat();
    let point = |benchmark: &'static Benchmark| Point {
        part: "programs",
        name: benchmark.name.to_owned(),
        first: 0,
        histories: size.of(10, 10, 20),
        source: Source::Program(Explored { benchmark, preemptions }),
        tasks: tasks.clone(),
    };
    TABLES.iter().map(point).collect()
}
