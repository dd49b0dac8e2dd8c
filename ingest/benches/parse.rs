//! Measures how fast one core reads gem5 traces and axe text from memory, uncompressed, in megabytes per second.
#![allow(missing_docs)]

use std::fs::File;
use std::hint::black_box;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use flate2::read::MultiGzDecoder;
use ingest::Options;

/// Length of the texts in bytes, enough to make the time of setting up negligible.
const LENGTH: usize = 32 << 20;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/traces");

/// A recorded trace, repeated. All of its requests are answered, so the copies fit together.
fn repeated(name: &str) -> Option<Vec<u8>> {
    let file = File::open(Path::new(FOLDER).join(name)).ok()?;
    let mut once = Vec::new();
    MultiGzDecoder::new(file).read_to_end(&mut once).ok()?;
    let mut text = Vec::with_capacity(LENGTH + once.len());
    while text.len() < LENGTH && !once.is_empty() {
        text.extend_from_slice(&once);
    }
    Some(text)
}

/// Axe text of 16 threads that load and store 256 locations in turn.
fn axe() -> Vec<u8> {
    let mut text = String::with_capacity(LENGTH + 64);
    let mut number = 0;
    for thread in 0..16 {
        while text.len() < LENGTH / 16 * (thread + 1) {
            number += 1;
            let location = number * 37 % 256;
            text += &format!("{thread}: M[{location}] := {number}\n");
            text += &format!("{thread}: M[{location}] == {number}\n");
        }
    }
    text.into_bytes()
}

fn parse(criterion: &mut Criterion) {
    let mut names: Vec<String> = std::fs::read_dir(FOLDER)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        // A client numbers its operations, so its trace cannot be repeated.
        .filter(|name| name.ends_with(".trace.gz") && !name.contains("-sb-"))
        .collect();
    names.sort();
    let mut group = criterion.benchmark_group("parse");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(3));
    let traces = names.into_iter().filter_map(|name| {
        let text = repeated(&name)?;
        Some((name, text))
    });
    for (name, text) in traces.chain([("history.axe".to_owned(), axe())]) {
        group.throughput(Throughput::Bytes(text.len() as u64));
        for (kind, transitions) in [("", false), (" with transitions", true)] {
            // Only gem5 traces have transitions.
            if transitions && name.ends_with(".axe") {
                continue;
            }
            let options = Options { transitions, ..Options::default() };
            group.bench_function(format!("{name}{kind}"), |bencher| {
                bencher.iter(|| {
                    let trace = ingest::read(black_box(&text[..]), &name, &options);
                    trace.unwrap_or_else(|error| panic!("{error}"))
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, parse);
criterion_main!(benches);
