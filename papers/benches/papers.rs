//! Compares the orders of magnitude of the times that the papers' algorithms take on valid SC histories like those
//! of the papers. A run that takes longer than [`PATIENCE`] is stopped and counted as that limit.

use std::hint::black_box;
use std::time::Duration;

use check::generate::{Recipe, generate, without_order};
use check::kernel::kernel;
use check::{Algorithm, Bounds, Model, Options, decide};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use history::{Ambiguity, History, ReadsFrom};

/// The time limit of one run of an algorithm.
const PATIENCE: Duration = Duration::from_secs(10);

fn history(threads: u32, operations: u32, locations: u32) -> History {
    let recipe =
        Recipe { model: Model::SC, threads, operations, locations, seed: 1, ..Recipe::default() };
    without_order(&generate(&recipe).expect("a history")).expect("a history")
}

fn time(history: &History, algorithm: Algorithm) {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).expect("unique values");
    let options = Options { algorithm, ..Options::default() };
    let bounds = Bounds::new(Some(PATIENCE), None);
    black_box(decide(history, &reads_from, Model::SC, &options, &bounds));
}

/// Measures each algorithm on each history. A history is named by a number, the parameter that varies.
fn compare(
    criterion: &mut Criterion,
    name: &str,
    histories: &[(u64, History)],
    algorithms: &[Algorithm],
) {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10);
    for &algorithm in algorithms {
        for (number, history) in histories {
            let id = BenchmarkId::new(algorithm.name(), number);
            group.bench_function(id, |bencher| bencher.iter(|| time(history, algorithm)));
        }
    }
    group.finish();
}

/// Compares gradual checking with the direct encoding, as CAV 2019, Fig. 4.
fn gradual(criterion: &mut Criterion) {
    let histories =
        [100, 200, 300].map(|operations| (u64::from(operations), history(4, operations, 8)));
    let algorithms = [papers::SC_SAT, papers::SC_CCM_SAT, papers::SC_CCM_ENUM, papers::WSC_ENUM];
    compare(criterion, "4 threads, by operations", &histories, &algorithms);
}

/// Compares search with and without saturation, as Boosting, Fig. 7.
fn search(criterion: &mut Criterion) {
    let histories = [4, 8, 12].map(|threads| {
        let operations = 50 * threads;
        (u64::from(threads), history(threads, operations, 4))
    });
    let algorithms = [papers::DBCOP, papers::WSC_DBCOP, papers::WSC_ENUM];
    compare(criterion, "50 operations a thread, by threads", &histories, &algorithms);
}

/// Compares the polynomial criteria, as Boosting, Fig. 9, and the rules and the search of HPCA 2006.
fn polynomial(criterion: &mut Criterion) {
    let histories = [4_000, 16_000].map(|size| (u64::from(size), history(16, size, 64)));
    let algorithms =
        [papers::CCV, papers::CCM, papers::WSC, papers::TSO_BASELINE, papers::DERIV_BACK];
    compare(criterion, "16 threads, by operations", &histories, &algorithms);
}

/// Measures the computation of exact kernels, by the size of the history.
fn kernels(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("kernel, threads x operations");
    group.sample_size(10);
    for (threads, operations) in [(6, 800), (6, 3_200), (16, 12_800)] {
        let history = history(threads, operations, 16);
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).expect("unique values");
        let size = BenchmarkId::from_parameter(format!("{threads} x {operations}"));
        group.bench_function(size, |bencher| {
            bencher.iter(|| black_box(kernel(&history, &reads_from, Model::SC, &Bounds::none())));
        });
    }
    group.finish();
}

criterion_group!(benches, gradual, search, polynomial, kernels);
criterion_main!(benches);
