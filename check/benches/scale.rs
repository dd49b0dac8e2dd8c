//! Measures how the stages and the verifier scale on generated histories. One parameter at a time varies
//! around 32K operations of 16 threads on 256 locations, with as many loads as stores.

use std::hint::black_box;
use std::time::Duration;

use certify::certificate;
use certify::certificate::{Certificate, Claim};
use certify::verify::verify;
use check::engine::steps::steps;
use check::generate::families::{Family, HardRecipe, hard};
use check::generate::{Mix, Recipe, generate, without_order};
use check::{Algorithm, Model, Options, Verdict, check};
use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group,
    criterion_main,
};
use history::{Ambiguity, History, ReadsFrom};

const MODELS: [Model; 3] = [Model::SC, Model::TSO, Model::PSO];

/// The mixes of operations of Manovit & Hangal 2006 (section 5 and Table 1), with their names.
const MIXES: [(&str, [u32; 4]); 3] =
    [("loads", [50, 16, 30, 2]), ("equal", [33, 33, 30, 2]), ("stores", [16, 50, 30, 2])];

fn mix([loads, stores, rmws, fences]: [u32; 4]) -> Mix {
    Mix { loads, stores, rmws, fences }
}

/// The point around which the parameters vary.
fn middle(model: Model) -> Recipe {
    Recipe {
        model,
        threads: 16,
        operations: 32_000,
        locations: 256,
        mix: mix(MIXES[1].1),
        seed: 1,
        ..Recipe::default()
    }
}

/// Every point with its name: the central point under each model, and the other points under TSO.
fn points() -> Vec<(String, Recipe)> {
    let tso = || middle(Model::TSO);
    let mut points: Vec<(String, Recipe)> =
        MODELS.iter().map(|&model| (format!("model/{model}"), middle(model))).collect();
    for operations in [1_000, 8_000, 128_000] {
        let recipe = Recipe { operations, ..tso() };
        points.push((format!("operations/{operations}"), recipe));
    }
    for threads in [2, 64, 128] {
        let recipe = Recipe { threads, ..tso() };
        points.push((format!("threads/{threads}"), recipe));
    }
    for locations in [4, 32, 4096] {
        let recipe = Recipe { locations, ..tso() };
        points.push((format!("locations/{locations}"), recipe));
    }
    for (name, weights) in MIXES {
        let recipe = Recipe { mix: mix(weights), ..tso() };
        points.push((format!("mix/{name}"), recipe));
    }
    points
}

/// A history without its order of completions, so that the engine has to find an order.
fn history(recipe: &Recipe) -> History {
    let history = generate(recipe).expect("a sound recipe");
    without_order(&history).expect("a history")
}

fn decide(history: &History, model: Model, algorithm: Algorithm) -> Verdict {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).expect("unique values");
    let options = Options { algorithm, ..Options::default() };
    check(history, &reads_from, model, &options).verdict
}

/// The certificate of a verdict, read back from its text.
fn certified(history: &History, model: Model) -> Certificate {
    let claim = Claim::new(history, model, "");
    let mut text = Vec::new();
    match decide(history, model, Algorithm::Complete) {
        Verdict::Consistent(run) => {
            certificate::write_consistent(&mut text, history, &claim, &[], &run)
        }
        Verdict::Violation(violation) => {
            certificate::write_violation(&mut text, &claim, &steps(history, &violation))
        }
        Verdict::Undecided(reason) => panic!("{}", reason.describe(history)),
        other => panic!("{other:?}"),
    }
    .expect("written to memory");
    certificate::read(text.as_slice()).expect("a sound certificate")
}

fn stages(criterion: &mut Criterion) {
    let points: Vec<(String, Model, History)> =
        points().into_iter().map(|(name, recipe)| (name, recipe.model, history(&recipe))).collect();
    for algorithm in [Algorithm::Saturate, Algorithm::Complete] {
        let mut group = quick(criterion, algorithm.name());
        for (name, model, history) in &points {
            group.throughput(Throughput::Elements(history.len() as u64));
            group.bench_function(name, |bencher| {
                bencher.iter(|| decide(black_box(history), *model, algorithm));
            });
        }
    }
    let mut group = quick(criterion, "verify");
    for (name, model, history) in &points {
        let certificate = certified(history, *model);
        group.throughput(Throughput::Elements(history.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| verify(black_box(history), &certificate).expect("it is sound"));
        });
    }
}

/// Measures the search on histories of weak models, with the sizes for which the manual of the Axe checker reports
/// times for WMO: 4.15 s on average for 32K operations of 32 threads.
fn weak(criterion: &mut Criterion) {
    let mut group = quick(criterion, "weak");
    for model in [Model::WMO, Model::RVWMO, Model::ARMV8] {
        for locations in [4, 16, 32] {
            let recipe = Recipe {
                model,
                threads: 32,
                operations: 32_768,
                locations,
                seed: 1,
                ..Recipe::default()
            };
            let history = model.prepare(&history(&recipe)).into_owned();
            group.throughput(Throughput::Elements(history.len() as u64));
            group.bench_function(format!("{model}/locations/{locations}"), |bencher| {
                bencher.iter(|| decide(black_box(&history), model, Algorithm::Complete));
            });
        }
    }
}

/// Measures search, and the verification of its proofs, on histories that saturation cannot decide.
fn families(criterion: &mut Criterion) {
    let sizes = [
        ("ring-violation", 16),
        ("pairs-violation", 4),
        ("chain-violation", 32),
        ("pigeons-violation", 3),
        ("hpca-2c-violation", 4),
    ];
    for (name, size) in sizes {
        let family = Family::from_name(name).expect("a family");
        let recipe = HardRecipe { size, ..HardRecipe::new(family) };
        let history = hard(&recipe).expect("a sound recipe");
        let mut group = quick(criterion, "hard");
        group.bench_function(BenchmarkId::new(name, size), |bencher| {
            bencher.iter(|| decide(black_box(&history), Model::SC, Algorithm::Complete));
        });
        group.finish();
        let certificate = certified(&history, Model::SC);
        let mut group = quick(criterion, "verify hard");
        group.bench_function(BenchmarkId::new(name, size), |bencher| {
            bencher.iter(|| verify(black_box(&history), &certificate).expect("it is sound"));
        });
    }
}

/// Creates a group of benchmarks of which each takes seconds.
fn quick<'c>(criterion: &'c mut Criterion, name: &str) -> BenchmarkGroup<'c, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group
        .sample_size(10)
        .sampling_mode(SamplingMode::Flat)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2));
    group
}

criterion_group!(benches, stages, weak, families);
criterion_main!(benches);
