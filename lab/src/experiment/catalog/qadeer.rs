//! The experiment of Qadeer, *Verifying Sequential Consistency on Shared-Memory Multiprocessors by Model Checking*, TPDS 2003.

use check::Model;

use super::faults::ALL_FAULTS;
use super::{IN_ORDER, decisions, mutated, recipe};
use crate::experiment::point::{Point, Size, Source};

/// Section 6: how many processors and locations a violation needs. Section 5.2: whether the order of completions explains valid
/// runs.
pub(super) fn qadeer_cycles(size: Size) -> Vec<Point> {
    let point = |threads: u32| Point {
        part: "histories",
        name: format!("threads={threads}"),
        first: 0,
        histories: size.of(40, 400, 2000),
        source: Source::Made(mutated(&ALL_FAULTS, threads)),
        tasks: decisions(
            Model::SC,
            &[papers::NICE_CYCLE, papers::SIMPLE_WITNESS, papers::WSC, papers::CCM],
        ),
    };
    let valid = |threads: u32| Point {
        part: "valid",
        name: format!("valid,threads={threads}"),
        first: 0,
        histories: size.of(40, 400, 2000),
        source: Source::Made(recipe(IN_ORDER, threads, 50 * threads)),
        tasks: decisions(Model::SC, &[papers::SIMPLE_WITNESS]),
    };
    [2, 4, 8].map(point).into_iter().chain([valid(4)]).collect()
}
