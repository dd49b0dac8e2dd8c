//! Helpers of all tests: small random histories, and verdicts with verified certificates.
pub(crate) mod axioms;
#[macro_use]
pub(crate) mod corpus;
pub(crate) mod settled;

use std::ops::RangeInclusive;

use certify::certificate::{self, Claim};
use certify::verify;
use check::engine::steps::steps;
use check::{Algorithm, Model, Options, Verdict, check};
use history::{
    Access, Ambiguity, Annotation, History, HistoryBuilder, Initial, Kind, Place, Provenance,
    ReadsFrom, WeakFence,
};
use memory::machine::{Machine, Step};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

/// Every model that has a machine, with its variants.
pub(crate) const MODELS: [Model; 5] =
    [Model::SC, Model::TSO, Model::PSO, Model::PSO_RMW_ALL, Model::IBM370];

/// Decides a history, writes the certificate, reads it back and verifies it. Returns whether the history is
/// consistent; `None` if it is undecided.
pub(crate) fn decide(history: &History, model: Model, algorithm: Algorithm) -> Option<bool> {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).unwrap();
    let options = Options { algorithm, ..Options::default() };
    let verdict = check(history, &reads_from, model, &options).verdict;
    certified(history, model, &verdict)
}

/// Writes the certificate of a verdict, reads it back and verifies it. Returns whether the verdict is *consistent*;
/// `None` if it is *undecided*.
pub(crate) fn certified(history: &History, model: Model, verdict: &Verdict) -> Option<bool> {
    let claim = Claim::new(history, model, "");
    let mut file = Vec::new();
    let consistent = match verdict {
        Verdict::Consistent(run) => {
            certificate::write_consistent(&mut file, history, &claim, &[], run).unwrap();
            true
        }
        Verdict::Violation(violation) => {
            let proof = steps(history, violation);
            certificate::write_violation(&mut file, &claim, &proof).unwrap();
            false
        }
        Verdict::Undecided(_) => return None,
        other => panic!("no certificate for {other:?}"),
    };
    let certificate = certificate::read(file.as_slice()).unwrap();
    let verified = verify::verify(history, &certificate);
    let expected = match verified {
        Ok(verify::Verified::Consistent { .. }) => Some(true),
        Ok(verify::Verified::Violation { .. }) => Some(false),
        Ok(verify::Verified::CriterionViolation { .. }) | Err(_) => None,
    };
    assert_eq!(
        expected,
        Some(consistent),
        "{model}: {verified:?}\n{}\n{}",
        print(history),
        String::from_utf8_lossy(&file)
    );
    Some(consistent)
}

/// The operations of a history as text, one a line.
pub(crate) fn print(history: &History) -> String {
    let line = |op| {
        let operation = history.operation(op);
        format!("{}:{} {}\n", operation.thread, operation.index, history.describe(op))
    };
    history.ops().map(line).collect()
}

/// The parameters of random histories.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mix {
    pub threads: u32,
    pub operations: usize,
    pub locations: u64,
    /// Whether pairs of load-linked and store-conditional occur.
    pub linked: bool,
}

/// A random program: operations whose reads have no values yet. Every value is written once.
pub(crate) fn program(random: &mut StdRng, mix: Mix) -> Vec<Access> {
    let mut accesses = Vec::new();
    let mut value = 0;
    for _ in 0..mix.operations {
        let thread = random.random_range(0..mix.threads);
        let place = Place::Cell(random.random_range(0..mix.locations));
        let kind = *[
            Kind::Load,
            Kind::Load,
            Kind::Load,
            Kind::Store,
            Kind::Store,
            Kind::Store,
            Kind::Rmw,
            Kind::FailedCas,
            Kind::Fence,
            Kind::LoadLinked,
        ]
        .choose(random)
        .unwrap();
        value += 1;
        match kind {
            Kind::Fence => accesses.push(Access::new(thread, kind, Place::Nowhere)),
            Kind::LoadLinked if !mix.linked => {}
            Kind::LoadLinked => {
                accesses.push(Access::new(thread, kind, place));
                let store = Access::new(thread, Kind::StoreConditional, place);
                accesses.push(Access { written: Some(value), ..store });
            }
            _ => accesses.push(Access {
                written: kind.writes().then_some(value),
                ..Access::new(thread, kind, place)
            }),
        }
    }
    accesses
}

/// A random program of a random size: its numbers of threads, operations and locations are drawn from ranges.
pub(crate) fn sized_program(
    random: &mut StdRng,
    (threads, operations, locations): Ranges,
    linked: bool,
) -> Vec<Access> {
    let mix = Mix {
        threads: random.random_range(threads),
        operations: random.random_range(operations),
        locations: random.random_range(locations),
        linked,
    };
    program(random, mix)
}

type Ranges = (RangeInclusive<u32>, RangeInclusive<usize>, RangeInclusive<u64>);

/// Inserts a random one of these fences before a share of the accesses, and gives random ones of these annotations
/// to 40% of the accesses.
pub(crate) fn refine(
    random: &mut StdRng,
    accesses: &mut Vec<Access>,
    (share, fences): (f64, &[WeakFence]),
    annotations: &[Annotation],
) {
    let mut refined = Vec::new();
    for mut access in accesses.drain(..) {
        if random.random_bool(share) {
            let kind = Kind::WeakFence(*fences.choose(random).unwrap());
            refined.push(Access::new(access.thread, kind, Place::Nowhere));
        }
        if let Some(&annotation) = annotations.choose(random)
            && random.random_bool(0.4)
        {
            access.annotation = annotation;
        }
        refined.push(access);
    }
    *accesses = refined;
}

/// Builds a history from accesses, in which the order of a thread's accesses is its program order, and final values
/// by address.
pub(crate) fn build(accesses: &[Access], finals: &[(u64, u64)]) -> History {
    let mut builder = HistoryBuilder::new();
    for access in accesses {
        builder.push(*access);
    }
    for &(address, value) in finals {
        builder.final_value(address, value, None);
    }
    builder.finish(Default::default(), &Initial::Zero, Provenance::made()).unwrap()
}

/// Runs a program on a random schedule of a model's machine and records what it reads; `None` if
/// a store-conditional lost its reservation.
pub(crate) fn run(
    random: &mut StdRng,
    accesses: &[Access],
    model: Model,
    finals: bool,
) -> Option<History> {
    let mut accesses = accesses.to_vec();
    accesses.sort_by_key(|access| access.thread);
    let history = build(&accesses, &[]);
    let mut machine = Machine::new(&history, model);
    let mut steps = Vec::new();
    while machine.finish().is_err() {
        let mut candidates = machine.candidates();
        loop {
            if candidates.is_empty() {
                return None;
            }
            let step = candidates.swap_remove(random.random_range(0..candidates.len()));
            let seen = match step {
                Step::Execute(op) if history.kind(op).reads() => {
                    Some((op, machine.visible(op).and_then(|write| history.written(write))))
                }
                _ => None,
            };
            if machine.step(step).is_ok() {
                steps.push(step);
                if let Some((op, value)) = seen {
                    accesses[op.at()].read = Some(value.unwrap_or(0));
                }
                break;
            }
        }
    }
    let mut last = Vec::new();
    if finals {
        for location in 0..history.locations().len() as u32 {
            let value = machine.memory(location).and_then(|write| history.written(write));
            last.push((history.locations()[location as usize].address, value.unwrap_or(0)));
        }
    }
    let history = build(&accesses, &last);
    // The machine could not check reservations while reads had no values, so the run is repeated with values.
    memory::machine::run(&history, model, &steps).ok()?;
    Some(history)
}

/// The same operations, with some reads changed to other values of their location.
pub(crate) fn change_reads(random: &mut StdRng, history: &History, changes: usize) -> History {
    let mut accesses = accesses_of(history);
    for _ in 0..changes {
        let reads: Vec<usize> =
            (0..accesses.len()).filter(|&at| accesses[at].kind.reads()).collect();
        let Some(&at) = reads.choose(random) else {
            break;
        };
        let mut values: Vec<u64> = accesses
            .iter()
            .filter(|access| access.place == accesses[at].place)
            .filter_map(|access| access.written)
            .collect();
        values.push(0);
        accesses[at].read = values.choose(random).copied();
        // An atomic that writes the value it reads would be another kind of operation.
        if accesses[at].read == accesses[at].written {
            accesses[at].read = Some(0);
        }
    }
    let finals: Vec<(u64, u64)> = history
        .finals()
        .iter()
        .map(|last| (history.locations()[last.location as usize].address, last.value))
        .collect();
    build(&accesses, &finals)
}

/// The operations of a history whose locations are cells, as accesses.
pub(crate) fn accesses_of(history: &History) -> Vec<Access> {
    history
        .ops()
        .map(|op| {
            let place = history.location(op).map_or(Place::Nowhere, |location| {
                Place::Cell(history.locations()[location as usize].address)
            });
            Access {
                annotation: history.annotation(op),
                read: history.read(op),
                written: history.written(op),
                ..Access::new(history.operation(op).thread, history.kind(op), place)
            }
        })
        .collect()
}

/// A pseudo-random generator for a seed.
pub(crate) fn seeded(seed: u64) -> StdRng {
    StdRng::seed_from_u64(seed)
}

/// The outcome of an algorithm. Its certificate, if there is one, is verified.
pub(crate) fn outcome(history: &History, model: Model, algorithm: Algorithm) -> check::Outcome {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).unwrap();
    let options = Options { algorithm, ..Options::default() };
    let outcome = check(history, &reads_from, model, &options);
    if matches!(outcome.verdict, Verdict::Consistent(_) | Verdict::Violation(_)) {
        certified(history, model, &outcome.verdict);
    }
    outcome
}

/// A random history with weak fences, from a run of a random model's machine with some reads changed, and the model.
pub(crate) fn fenced_history(
    seed: u64,
    linked: bool,
    operations: usize,
) -> Option<(History, Model)> {
    let mut random = seeded(seed);
    let mut accesses = sized_program(&mut random, (2..=4, 4..=operations, 1..=3), linked);
    let annotations = if random.random_bool(0.6) { &Annotation::ALL[..] } else { &[] };
    refine(&mut random, &mut accesses, (0.35, &WeakFence::ALL), annotations);
    let machine = MODELS[random.random_range(0..MODELS.len())];
    let finals = random.random_bool(0.3);
    let history = run(&mut random, &accesses, machine, finals)?;
    let changes = random.random_range(0..=2);
    Some((change_reads(&mut random, &history, changes), machine))
}
