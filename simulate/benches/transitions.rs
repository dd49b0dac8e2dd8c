//! Measures transitions per second: 8 threads that race for 8 locations, with tracing off and with
//! a compressed trace.
//!
//! For comparison, gem5 takes about 340,000 per second of MESI_Two_Level with tracing off, and
//! 110,000 with a compressed trace.
#![allow(missing_docs)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use simulate::client::Client;
use simulate::config::Options;
use simulate::program::ProgramSize;
use simulate::simulation::Simulation;
use simulate::trace::Output;
use slicc::protocol::Protocol;

fn transitions(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("transitions");
    group.sample_size(10);
    for name in ["MI_example", "MESI_Two_Level", "MOESI_hammer", "MOESI_AMD_Base"] {
        let protocol = Protocol::open(name).expect("it is built in");
        let simulation = Simulation {
            shape: ProgramSize { threads: 8, operations: 5_000, ..ProgramSize::default() },
            client: Client::IN_ORDER,
            options: Options::default(),
            deadlock_threshold: None,
        };
        let plan = simulation.plan(&protocol).expect("every parameter has a value");
        let run = |trace: Option<Output>| {
            let mut run = simulation.run(&protocol, &plan, trace).expect("the plan fits");
            run.finish_trace().expect("it goes nowhere");
            run.tally.transitions
        };
        group.throughput(Throughput::Elements(run(None)));
        group.bench_function(format!("{name}/untraced"), |bencher| bencher.iter(|| run(None)));
        group.bench_function(format!("{name}/gzip"), |bencher| {
            bencher.iter(|| run(Some(Output::Gzip(Box::new(std::io::sink())))));
        });
    }
    group.finish();
    criterion.bench_function("start-up/MESI_Two_Level", |bencher| {
        bencher.iter(|| Protocol::open("MESI_Two_Level").expect("it is built in"));
    });
}

criterion_group!(benches, transitions);
criterion_main!(benches);
