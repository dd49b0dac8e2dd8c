//! Measures the time to check a corpus of small histories under SC, TSO and PSO: the oracle corpus if it is
//! present, else the litmus tests of the fixtures.

use std::fs::File;
use std::hint::black_box;
use std::path::Path;

use check::{Model, Options, check};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use history::{Ambiguity, History, ReadsFrom};

fn corpus() -> (&'static str, Vec<History>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let oracle = root.join("../shared/oracle/histories.axe");
    let (name, path) = if oracle.is_file() {
        ("oracle corpus", oracle)
    } else {
        ("litmus tests", root.join("fixtures/litmus/litmus.axe"))
    };
    let file = File::open(path).expect("a corpus");
    let mut lines = ingest::input::Lines::new(file, name, false).expect("text");
    let histories = ingest::axe::parse(&mut lines, &Default::default()).expect("histories");
    (name, histories)
}

fn decide_all(histories: &[History]) -> u64 {
    let mut edges = 0;
    for history in histories {
        let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).expect("unique values");
        for model in [Model::SC, Model::TSO, Model::PSO] {
            let outcome = check(history, &reads_from, model, &Options::default());
            edges += outcome.statistics.edges as u64;
        }
    }
    edges
}

fn bench(criterion: &mut Criterion) {
    let (name, histories) = corpus();
    let mut group = criterion.benchmark_group("check");
    group.sample_size(10);
    group.throughput(Throughput::Elements(3 * histories.len() as u64));
    group.bench_function(format!("{name}, SC, TSO and PSO"), |bencher| {
        bencher.iter(|| black_box(decide_all(&histories)));
    });
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
