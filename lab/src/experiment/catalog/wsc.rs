//! The experiments of Zennou et al., *Boosting Sequential Consistency Checking using Saturation*.

use check::{Algorithm, Model};

use super::{IN_ORDER, decisions, recipe};
use crate::experiment::point::{Point, Recipe, Repoint, Size, Source, Task};

/// The algorithms of Figures 6 to 8 as published, then those with faster computations of CCM and wSC. `wsc-enum` computes wSC as published.
pub(super) const COMPLETE: [Algorithm; 6] = [
    papers::WSC_ENUM,
    papers::CCM_ENUM_PUBLISHED,
    papers::DBCOP,
    papers::WSC_DBCOP_PUBLISHED,
    papers::CCM_ENUM,
    papers::WSC_DBCOP,
];
/// The algorithms of Figure 9, in the same way.
pub(super) const SATURATION: [Algorithm; 5] =
    [papers::WSC_PUBLISHED, papers::CCM_PUBLISHED, papers::DBCOP, papers::WSC, papers::CCM];

/// Every second history has one read re-pointed: as in section 6, the read gets the value of another write within a bounded distance. The
/// paper does not say how many reads of a history are re-pointed. With one, CCM misses about as many violations as in the paper (1.25 %);
/// with several it misses none.
pub(super) const HALF: Repoint = Repoint { every: 2, reads: 1, distance: 50 };
/// Every history has one read re-pointed.
pub(super) const ALL: Repoint = Repoint { every: 1, ..HALF };

/// Section 6: 1742 histories, of the sizes of figures 6 and 7.
pub(super) fn wsc_kernel(size: Size) -> Vec<Point> {
    let shapes: Vec<(u32, u32)> = (2..=8)
        .map(|hundreds| (6, 100 * hundreds))
        .chain([4, 8, 12, 16].map(|threads| (threads, 50 * threads)))
        .collect();
    let all = size.of(110, 1742, 11_000);
    let each = all / shapes.len() as u32;
    let more = all % shapes.len() as u32;
    let point = |(at, (threads, operations)): (u32, (u32, u32))| Point {
        part: "histories",
        name: format!("operations={operations},threads={threads}"),
        first: 0,
        histories: each + u32::from(at < more),
        source: Source::Made(recipe(IN_ORDER, threads, operations)),
        tasks: vec![Task::Kernel(Model::SC)],
    };
    (0..).zip(shapes).map(point).collect()
}

/// Figure 6.
pub(super) fn wsc_fig6(size: Size) -> Vec<Point> {
    let point = |hundreds: u32| Point {
        part: "operations",
        name: format!("operations={}", 100 * hundreds),
        first: 0,
        histories: size.of(10, 200, 200),
        source: Source::Made(recipe(IN_ORDER, 6, 100 * hundreds)),
        tasks: decisions(Model::SC, &COMPLETE),
    };
    (2..=size.of(8, 8, 12)).map(point).collect()
}

/// Figures 7 to 9: 4 to 16 threads, 50 operations each.
pub(super) fn by_threads(
    size: Size,
    histories: u32,
    repoint: Option<Repoint>,
    algorithms: &[Algorithm],
) -> Vec<Point> {
    let most = size.of(4, 4, 6);
    let point = |threads: u32| Point {
        part: "threads",
        name: format!("threads={threads}"),
        first: 0,
        histories,
        source: Source::Made(Recipe { repoint, ..recipe(IN_ORDER, threads, 50 * threads) }),
        tasks: decisions(Model::SC, algorithms),
    };
    (1..=most).map(|step| point(4 * step)).collect()
}
