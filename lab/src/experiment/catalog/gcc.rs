//! The experiments of Zennou et al., *Gradual Consistency Checking*, CAV 2019.

use check::generate::Mix;
use check::{Algorithm, Model};

use super::{IN_ORDER, decisions, mutated, recipe};
use crate::experiment::point::{Fault, Point, Recipe, Size, Source, Task};

/// The algorithms of the paper as published, then those with the faster computation of CCM.
pub(super) const SC_GRADUAL: [Algorithm; 5] = [
    papers::SC_CCM_ENUM_PUBLISHED,
    papers::SC_CCM_SAT_PUBLISHED,
    papers::SC_SAT,
    papers::SC_CCM_ENUM,
    papers::SC_CCM_SAT,
];
/// The same for TSO and wCCM.
pub(super) const TSO_GRADUAL: [Algorithm; 5] = [
    papers::TSO_WCCM_ENUM_PUBLISHED,
    papers::TSO_WCCM_SAT_PUBLISHED,
    papers::TSO_SAT,
    papers::TSO_WCCM_ENUM,
    papers::TSO_WCCM_SAT,
];

/// Figures 4 and 6.
pub(super) fn checking_valid(size: Size, model: Model, algorithms: &[Algorithm]) -> Vec<Point> {
    let histories = size.of(10, 200, 200);
    let most = size.of(5, 5, 8);
    let by_operations = (1..=most).map(|hundred| Point {
        part: "operations",
        name: format!("operations={}", 100 * hundred),
        first: 0,
        histories,
        source: Source::Made(recipe(IN_ORDER, 4, 100 * hundred)),
        tasks: decisions(model, algorithms),
    });
    let by_threads = (2..=size.of(6, 6, 8)).map(|threads| Point {
        part: "threads",
        name: format!("threads={threads}"),
        first: 0,
        histories,
        source: Source::Made(recipe(IN_ORDER, threads, 50 * threads)),
        tasks: decisions(model, algorithms),
    });
    by_operations.chain(by_threads).collect()
}

/// Figure 5, with these mutants: 1000 histories, spread equally over 2 to 8 threads.
pub(super) fn gcc_fig5(size: Size, faults: &'static [Fault]) -> Vec<Point> {
    let histories = |threads: u32| match size {
        Size::Quick => 10,
        // 1000 = 7 * 142 + 6.
        Size::Paper => 142 + u32::from(threads < 8),
        Size::Large => 1000,
    };
    let algorithms = [&SC_GRADUAL[..], &[papers::CC, papers::CCV, papers::CCM]].concat();
    let point = |threads: u32| Point {
        part: "threads",
        name: format!("threads={threads}"),
        first: 0,
        histories: histories(threads),
        source: Source::Made(mutated(faults, threads)),
        tasks: decisions(Model::SC, &algorithms),
    };
    (2..=8).map(point).collect()
}

/// Section 5.1: a sample of 200 histories with 200 operations each.
pub(super) fn gcc_unordered(size: Size) -> Vec<Point> {
    vec![Point {
        part: "histories",
        name: "operations=200".to_owned(),
        first: 0,
        histories: size.of(40, 200, 2000),
        source: Source::Made(recipe(IN_ORDER, 4, 200)),
        tasks: vec![Task::Kernel(Model::SC), Task::Kernel(Model::TSO)],
    }]
}

/// The histories of [`gcc_unordered`] with other shares of reads and numbers of locations, which the paper does not state. A definition of
/// ordered pairs fits the paper if, at one of these points, it yields both of the paper's shares.
pub(super) fn gcc_unordered_reads(size: Size) -> Vec<Point> {
    let mut points = Vec::new();
    for reads in [46, 48, 50, 60, 70] {
        for locations in [1, 2, 4] {
            let mix = Mix { loads: reads, stores: 100 - reads, rmws: 0, fences: 0 };
            points.push(Point {
                part: "reads",
                name: format!("reads={reads},locations={locations}"),
                first: 0,
                histories: size.of(4, 40, 200),
                source: Source::Made(Recipe { mix, locations, ..recipe(IN_ORDER, 4, 200) }),
                tasks: vec![Task::Kernel(Model::SC)],
            });
        }
    }
    points
}
