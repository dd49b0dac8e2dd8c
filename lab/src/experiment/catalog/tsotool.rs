//! The experiments of Manovit & Hangal, *Completely Verifying Memory Consistency of Test Program Executions*, HPCA 2006.

use check::generate::Mix;
use check::{Algorithm, Model};
use simulate::client::Client;

use super::{EQUAL, K, decisions, mix, words};
use crate::experiment::point::{Origin, Point, Recipe, Size, Source, Task, Unaided};

/// The built-in protocols with cores that have store buffers of 8 entries.
const BUFFERED: Origin = Origin::Protocols(Client::store_buffer(8));

const LOADS: Mix = mix(50, 16);
const STORES: Mix = mix(16, 50);

/// A point of an experiment of the paper, with `(operations, threads, locations)`.
fn tsotool(
    part: &'static str,
    histories: u32,
    (operations, threads, locations): (u32, u32, u32),
    mix: Mix,
    algorithms: &[Algorithm],
) -> Point {
    let weights = match part {
        "mix" => format!("mix={},", words(mix)),
        _ => String::new(),
    };
    Point {
        part,
        name: format!("{weights}operations={operations},threads={threads},locations={locations}"),
        first: 0,
        histories,
        source: Source::Made(Recipe {
            origin: BUFFERED,
            threads,
            operations,
            locations,
            mix,
            repoint: None,
        }),
        tasks: decisions(Model::TSO, algorithms),
    }
}

/// The pairs of threads and locations of figure 3.
fn tuples(size: Size) -> Vec<(u32, u32)> {
    let threads: &[u32] = size.of(&[4, 16, 60], &[4, 8, 16, 32, 60], &[4, 8, 16, 32, 60]);
    let locations: &[u32] = size.of(&[4, 64, 256], &[4, 16, 64, 256], &[4, 16, 64, 256]);
    let each = threads.iter();
    each.flat_map(|&threads| locations.iter().map(move |&location| (threads, location))).collect()
}

/// HPCA 2006, figure 3.
pub(super) fn tsotool_fig3(size: Size) -> Vec<Point> {
    let operations = size.of(8 * K, 128 * K, 512 * K);
    let algorithms = [papers::TSO_BASELINE, papers::HEU, papers::DERIV, papers::DERIV_BACK];
    let point = |(threads, locations)| {
        let shape = (operations, threads, locations);
        let mut point = tsotool("locations", size.of(10, 16, 16), shape, EQUAL, &algorithms);
        // `heu-back` seldom finishes, so it runs only where sharing is least, with few threads and with many.
        if locations == 256 && [4, 60].contains(&threads) {
            point.tasks.extend(decisions(Model::TSO, &[papers::HEU_BACK]));
        }
        point
    };
    tuples(size).into_iter().map(point).collect()
}

/// HPCA 2006, figure 4.
pub(super) fn tsotool_fig4(size: Size) -> Vec<Point> {
    let sizes: &[u32] = size.of(&[2, 8, 32], &[8, 32, 128, 512], &[8, 32, 128, 512, 1024]);
    let algorithms = [papers::TSO_BASELINE, papers::DERIV_BACK];
    let mut points = Vec::new();
    for &thousands in sizes {
        for (threads, locations) in three_of_each() {
            let shape = (thousands * K, threads, locations);
            let histories = size.of(10, 16, 16);
            let mut point = tsotool("operations", histories, shape, EQUAL, &algorithms);
            // Whether `heu` and `deriv` find an order depends on the number of operations, too.
            if locations == 32 {
                point.tasks.extend(decisions(Model::TSO, &[papers::HEU, papers::DERIV]));
            }
            points.push(point);
        }
    }
    points
}

/// HPCA 2006, table 1.
pub(super) fn tsotool_table1(size: Size) -> Vec<Point> {
    let operations = size.of(8 * K, 256 * K, 512 * K);
    let algorithms = [papers::TSO_BASELINE, papers::DERIV_BACK];
    let mut points = Vec::new();
    for mix in [LOADS, EQUAL, STORES] {
        for (threads, locations) in three_of_each() {
            let shape = (operations, threads, locations);
            let histories = size.of(10, 16, 16);
            points.push(tsotool("mix", histories, shape, mix, &algorithms));
        }
    }
    points
}

/// HPCA 2006, section 5: the algorithms without the baseline before them, beside the same with it. The paper omits the results.
pub(super) fn tsotool_no_baseline(size: Size) -> Vec<Point> {
    let operations = size.of(K, 8 * K, 32 * K);
    let algorithms = [papers::TSO_BASELINE, papers::HEU, papers::DERIV, papers::DERIV_BACK];
    let unaided = [Unaided::Heu, Unaided::Deriv, Unaided::DerivBack];
    let point = |(threads, locations)| {
        let shape = (operations, threads, locations);
        let mut point = tsotool("threads", size.of(10, 16, 16), shape, EQUAL, &algorithms);
        point.tasks.extend(unaided.map(Task::WithoutBaseline));
        point
    };
    three_of_each().map(point).collect()
}

/// HPCA 2006, section 5: mixes with ever more stores, up to stores alone. The paper expects a share from which on the time falls.
pub(super) fn tsotool_stores(size: Size) -> Vec<Point> {
    let operations = size.of(2 * K, 8 * K, 128 * K);
    let algorithms = [papers::TSO_BASELINE, papers::DERIV_BACK];
    let mixes = [LOADS, EQUAL, STORES, mix(8, 58), mix(0, 66)];
    let with_few_swaps =
        [20, 10, 5, 0].map(|rmws| Mix { loads: 0, stores: 96 - rmws, rmws, fences: 2 });
    let mut points = Vec::new();
    for mix in mixes.into_iter().chain(with_few_swaps) {
        for (threads, locations) in three_of_each() {
            let shape = (operations, threads, locations);
            points.push(tsotool("mix", size.of(10, 16, 16), shape, mix, &algorithms));
        }
    }
    points
}

/// Pairs of few, some and many threads and locations, over which figure 4 and table 1 average.
fn three_of_each() -> impl Iterator<Item = (u32, u32)> {
    let each = [4, 16, 60].into_iter();
    each.flat_map(|threads| [4, 32, 256].map(|locations| (threads, locations)))
}
