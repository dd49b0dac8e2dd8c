//! Compares kernels with those of the oracle, pair by pair.

use std::time::Duration;

use crate::common::corpus::{Corpus, Pairs};
use crate::common::{Mix, program, run, seeded};
use check::kernel::write_pairs;
use check::kernel::{Kernel, NoKernel, kernel};
use check::{Bounds, Model, Reason};
use history::{Ambiguity, History, ReadsFrom};

fn find(history: &History, model: Model, bounds: &Bounds) -> Result<Kernel, NoKernel> {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).unwrap();
    kernel(history, &reads_from, model, bounds)
}

/// The pairs of a kernel, by location and values.
fn named(history: &History, kernel: &Kernel) -> Pairs {
    let pairs = kernel.order.pairs();
    pairs
        .map(|(first, second)| {
            let location = history.location(first).unwrap();
            let address = history.locations()[location as usize].address;
            let value = |op| history.written(op).unwrap();
            (address, value(first), value(second))
        })
        .collect()
}

on_corpus!(oracle_kernels, "oracle", kernels_are_exact);

fn kernels_are_exact(corpus: &Corpus) {
    for (model, file) in [(Model::SC, "kernel_sc.csv"), (Model::TSO, "kernel_tso.csv")] {
        let expected = corpus.kernels(file);
        for history in corpus.histories() {
            let name = history.name.clone().unwrap();
            let found = find(&history, model, &Bounds::none());
            match expected.get(&name) {
                Some(expected) => {
                    let found = found.unwrap();
                    assert_eq!(named(&history, &found), *expected, "{name} {model}");
                    assert_eq!(found.order.len(), expected.len() as u64, "{name} {model}");
                }
                None => assert_eq!(found, Err(NoKernel::Inconsistent), "{name} {model}"),
            }
        }
    }
}

/// Pairs outside of a kernel are ordered both ways by some runs, so the kernel of a weaker model, which has
/// more runs, is smaller.
#[test]
fn a_weaker_model_has_a_smaller_kernel() {
    let mut smaller = 0;
    for seed in 0..300 {
        let mut random = seeded(seed);
        let mix = Mix { threads: 4, operations: 40, locations: 3, linked: false };
        let accesses = program(&mut random, mix);
        let Some(history) = run(&mut random, &accesses, Model::SC, seed % 2 == 0) else {
            continue;
        };
        let [sc, tso] = [Model::SC, Model::TSO].map(|model| find(&history, model, &Bounds::none()));
        let (sc, tso) = (sc.unwrap(), tso.unwrap());
        assert!(sc.order.len() <= write_pairs(&history));
        assert!(
            tso.order.pairs().all(|pair| sc.order.pairs().any(|other| other == pair)),
            "{seed}"
        );
        assert!(sc.saturated <= sc.order.len());
        smaller += usize::from(tso.order.len() < sc.order.len());
    }
    assert!(smaller > 20, "{smaller}");
}

#[test]
fn bounds_leave_it_undecided() {
    let mut random = seeded(1);
    let mix = Mix { threads: 4, operations: 60, locations: 2, linked: false };
    let accesses = program(&mut random, mix);
    let history = run(&mut random, &accesses, Model::SC, false).unwrap();
    let late = Bounds::new(Some(Duration::ZERO), None);
    let found = find(&history, Model::SC, &late);
    assert_eq!(found, Err(NoKernel::Undecided(Reason::Timeout)));
}
