//! Reading a gem5 trace from memory, uncompressed: megabytes a second on one core.
#![allow(missing_docs)]

use std::fs::File;
use std::hint::black_box;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use flate2::read::MultiGzDecoder;
use ingest::Options;

/// Enough text that setting up does not count.
const LENGTH: usize = 32 << 20;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/traces");

/// A recorded trace, again and again. Its requests are all answered, so the end fits the start.
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
    for name in names {
        let Some(text) = repeated(&name) else {
            continue;
        };
        group.throughput(Throughput::Bytes(text.len() as u64));
        for (kind, transitions) in [("", false), (" with transitions", true)] {
            let options = Options {
                transitions,
                ..Options::default()
            };
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
