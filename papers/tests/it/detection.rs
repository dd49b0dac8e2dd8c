//! Tests of the search for the smallest violating prefix: compares bisection with a scan of all prefixes for every
//! algorithm, and checks prefixes with the machines.

use crate::common::{MODELS, Mix, accesses_of, build, change_reads, print, program, run, seeded};
use check::algorithm::Power;
use check::generate::{Mix as Weights, Recipe, generate};
use check::shrink::prefixes::{Prefix, Prefixes};
use check::shrink::{Detection, detect};
use check::{Algorithm, Bounds, Model, Options, Reason, Verdict, decide};
use history::{
    Access, Ambiguity, History, HistoryBuilder, Initial, Kind, OpId, Place, Provenance, ReadsFrom,
};
use memory::machine::explore;
use papers::Guarantee;
use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

fn options(algorithm: Algorithm) -> Options {
    Options { algorithm, ..Options::default() }
}

fn violates(prefix: &Prefix, model: Model, algorithm: Algorithm) -> bool {
    let (history, reads_from) = (&prefix.history, &prefix.reads_from);
    let outcome = decide(history, reads_from, model, &options(algorithm), &Bounds::none());
    let verdict = outcome.verdict;
    let found = matches!(
        verdict,
        Verdict::Violation(_) | Verdict::CriterionViolation(_) | Verdict::Unproved
    );
    let defect = Verdict::Undecided(Reason::FreeReads);
    assert_ne!(verdict, defect, "{}\n{}", algorithm.name(), print(history));
    found
}

fn found(
    history: &History,
    reads_from: &ReadsFrom,
    model: Model,
    algorithm: Algorithm,
) -> Detection {
    detect(history, reads_from, model, &options(algorithm), &Bounds::none())
}

/// Whether the algorithm finds a violation in every prefix that is longer than one in which it finds a violation.
fn is_monotone(algorithm: Algorithm) -> bool {
    matches!(algorithm.power(), Power::Complete | Power::Criterion { .. })
        || algorithm == Algorithm::Saturate
}

/// Compares bisection with the scan. Returns whether there is a violation.
fn compare(history: &History, reads_from: &ReadsFrom, model: Model, algorithm: Algorithm) -> bool {
    let prefixes = Prefixes::of(history, reads_from, Model::SC).unwrap();
    let longest = prefixes.longest();
    assert_eq!(longest, history.operations());
    let lengths = 1..=longest;
    let scan: Vec<bool> =
        lengths.map(|length| violates(&prefixes.prefix(length), model, algorithm)).collect();
    let label = || format!("{model} {} {scan:?}\n{}", algorithm.name(), print(history));
    let detection = found(history, reads_from, model, algorithm);
    let Some(first) = detection.first else {
        assert!(!scan[longest - 1], "{}", label());
        assert!(!is_monotone(algorithm) || !scan.contains(&true), "{}", label());
        return false;
    };
    assert!(first.exact && scan[first.operations - 1], "{}", label());
    assert!(first.operations == 1 || !scan[first.operations - 2], "{}", label());
    if is_monotone(algorithm) {
        let expected = scan.iter().position(|&violates| violates).unwrap() + 1;
        assert_eq!(first.operations, expected, "{}", label());
        assert!(scan[expected - 1..].iter().all(|&violates| violates), "{}", label());
    }
    assert_eq!(prefixes.last(first.operations), Some(first.completed_by));
    assert!(!history.continues(first.completed_by));
    assert!(detection.checks <= longest.ilog2() + 2);
    true
}

/// The same operations, with a random order of completions in which some operations have no position.
fn in_some_order(random: &mut StdRng, history: &History) -> History {
    let mut places: Vec<u64> = (0..history.len() as u64).collect();
    if random.random_bool(0.7) {
        places.shuffle(random);
    }
    let missing = [0.0, 0.2][random.random_range(0..2)];
    let mut accesses = accesses_of(history);
    for (access, place) in accesses.iter_mut().zip(places) {
        access.order = (!random.random_bool(missing)).then_some(place);
    }
    accesses[0].order = accesses[0].order.or(Some(0));
    let address = |location: u32| history.locations()[location as usize].address;
    let finals = history.finals().iter();
    let finals: Vec<(u64, u64)> = finals.map(|last| (address(last.location), last.value)).collect();
    build(&accesses, &finals)
}

/// Moves store-conditionals past operations after them, away from their load-linked.
fn spread(random: &mut StdRng, accesses: &mut Vec<Access>) {
    for at in (0..accesses.len()).rev() {
        if accesses[at].kind == Kind::StoreConditional {
            let far = random.random_range(at..accesses.len().min(at + 6));
            let conditional = accesses.remove(at);
            accesses.insert(far, conditional);
        }
    }
}

fn small(random: &mut StdRng, machine: Model) -> Option<History> {
    let mix = Mix {
        threads: random.random_range(2..=4),
        operations: random.random_range(4..=12),
        locations: random.random_range(1..=3),
        linked: random.random_bool(0.4),
    };
    let mut accesses = program(random, mix);
    spread(random, &mut accesses);
    let finals = random.random_bool(0.3);
    run(random, &accesses, machine, finals).filter(|history| !history.is_empty())
}

#[test]
fn bisection_finds_what_the_scan_finds() {
    let mut violations = [0; papers::ALL.len()];
    for seed in 0..700 {
        let mut random = seeded(seed);
        let machine = MODELS[random.random_range(0..MODELS.len())];
        let Some(history) = small(&mut random, machine) else {
            continue;
        };
        let changes = random.random_range(0..=3);
        let history = change_reads(&mut random, &history, changes);
        let history = in_some_order(&mut random, &history);
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
        for (at, algorithm) in papers::ALL.into_iter().enumerate() {
            for model in MODELS.into_iter().filter(|&model| algorithm.applies_to(model)) {
                violations[at] += usize::from(compare(&history, &reads_from, model, algorithm));
            }
        }
    }
    for (algorithm, violations) in papers::ALL.into_iter().zip(violations) {
        let finds = algorithm.power() != Power::Proves;
        assert!(!finds || violations > 100, "{} {violations}", algorithm.name());
    }
}

/// If the machine can perform a history, it can perform every prefix, whatever the order of completions.
#[test]
fn a_run_has_no_violating_prefix() {
    let mut prefixes_seen = 0;
    for seed in 50_000..51_000 {
        let mut random = seeded(seed);
        let machine = MODELS[random.random_range(0..MODELS.len())];
        let Some(history) = small(&mut random, machine) else {
            continue;
        };
        let history = in_some_order(&mut random, &history);
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
        let prefixes = Prefixes::of(&history, &reads_from, Model::SC).unwrap();
        for length in 1..=prefixes.longest() {
            let prefix = prefixes.prefix(length).history;
            let explored = explore(&prefix, machine, 300_000);
            let Some(found) = explored else { continue };
            prefixes_seen += 1;
            let printed = || format!("{length} of\n{}is\n{}", print(&history), print(&prefix));
            assert!(found.is_some(), "{machine}, seed {seed}: {}", printed());
        }
        for guarantee in Guarantee::of_model(machine) {
            let (algorithm, model) = (guarantee.algorithm(), guarantee.model());
            assert!(!compare(&history, &reads_from, model, algorithm));
        }
    }
    assert!(prefixes_seen > 5_000, "{prefixes_seen}");
}

/// The same history with few values, so that values are written repeatedly.
fn with_few_values(history: &History, values: u64) -> History {
    let few =
        |value: Option<u64>| value.map(|value| if value == 0 { 0 } else { 1 + value % values });
    let mut accesses = accesses_of(history);
    for (access, op) in accesses.iter_mut().zip(history.ops()) {
        access.read = few(access.read);
        access.written = few(access.written);
        access.order = history.order(op).map(u64::from);
    }
    build(&accesses, &[])
}

#[test]
fn reads_with_several_candidates_take_all_of_them_along() {
    let (mut violations, mut ambiguous) = (0, 0);
    for seed in 60_000..61_000 {
        let mut random = seeded(seed);
        let machine = MODELS[random.random_range(0..MODELS.len())];
        let Some(history) = small(&mut random, machine) else {
            continue;
        };
        let values = random.random_range(1..=3);
        let run = with_few_values(&in_some_order(&mut random, &history), values);
        let reads_from = ReadsFrom::derive(&run, Ambiguity::Keep).unwrap();
        ambiguous += reads_from.ambiguous();
        assert!(!compare(&run, &reads_from, machine, Algorithm::Stages), "seed {seed}");
        let changed = change_reads(&mut random, &history, 2);
        let changed = with_few_values(&in_some_order(&mut random, &changed), values);
        let reads_from = ReadsFrom::derive(&changed, Ambiguity::Keep).unwrap();
        violations += usize::from(compare(&changed, &reads_from, machine, Algorithm::Stages));
    }
    assert!(ambiguous > 300 && violations > 100, "{ambiguous} {violations}");
}

/// A run of SC with accesses to words and halves of words, in which every byte written is unique, completed
/// in a random order. One load may return the value of another time.
fn with_halves(random: &mut StdRng) -> History {
    let mut memory = [0u64; 2];
    let mut builder = HistoryBuilder::new();
    let mut places: Vec<u64> = (0..10).collect();
    if random.random_bool(0.5) {
        places.shuffle(random);
    }
    for place in 0..10u64 {
        let (word, half) = (random.random_range(0..2usize), random.random_range(0..3u32));
        let (shift, size) = [(0u64, 8u8), (0, 4), (32, 4)][half as usize];
        let mask = if size == 8 { u64::MAX } else { 0xffff_ffff };
        let address = 0x1000 + 8 * word as u64 + shift / 8;
        let fresh = (0x1010_1010_1010_1010 + 0x0101_0101_0101_0101 * place) & mask;
        let kind = [Kind::Load, Kind::Store][random.random_range(0..2)];
        let held = (memory[word] >> shift) & mask;
        let access = Access::new(random.random_range(0..3), kind, Place::Bytes { address, size });
        let stale = random.random_bool(0.1);
        if kind == Kind::Store {
            memory[word] = memory[word] & !(mask << shift) | fresh << shift;
        }
        builder.push(Access {
            sequence: place,
            read: (kind == Kind::Load).then_some(if stale { 0 } else { held }),
            written: (kind == Kind::Store).then_some(fresh),
            order: Some(places[place as usize]),
            ..access
        });
    }
    builder.finish(Default::default(), &Initial::Zero, Provenance::made()).unwrap()
}

#[test]
fn split_accesses_stay_whole() {
    let (mut split, mut violations) = (0, 0);
    for seed in 0..1500 {
        let history = with_halves(&mut seeded(seed));
        let Ok(reads_from) = ReadsFrom::derive(&history, Ambiguity::Refuse) else {
            continue;
        };
        split += usize::from(history.len() > history.operations());
        let prefixes = Prefixes::of(&history, &reads_from, Model::SC).unwrap();
        for length in 1..=prefixes.longest() {
            let prefix = prefixes.prefix(length);
            for (at, &op) in
                prefix.kept.iter().enumerate().filter(|&(_, &op)| history.continues(op))
            {
                assert_eq!(prefix.kept[at - 1], OpId(op.0 - 1));
            }
        }
        for algorithm in [Algorithm::Stages, papers::WSC, papers::CCM, papers::CC] {
            violations += usize::from(compare(&history, &reads_from, Model::SC, algorithm));
        }
    }
    assert!(split > 500 && violations > 500, "{split} {violations}");
}

/// Larger histories, with completions in the order in which memory performed the operations, and some reads changed.
#[test]
fn generated_histories() {
    let mut violations = 0;
    for seed in 0..24 {
        let model = [Model::SC, Model::TSO, Model::PSO][seed as usize % 3];
        let recipe = Recipe {
            model,
            threads: 2 + seed as u32 % 4,
            operations: 150,
            locations: 3 + seed as u32 % 5,
            mix: Weights::default(),
            seed,
            ..Recipe::default()
        };
        let valid = generate(&recipe).unwrap();
        let broken = generate(&Recipe { violations: 3, distance: 30, ..recipe });
        for guarantee in Guarantee::of_model(model) {
            let (algorithm, model) = (guarantee.algorithm(), guarantee.model());
            let reads_from = ReadsFrom::derive(&valid, Ambiguity::Refuse).unwrap();
            assert!(!compare(&valid, &reads_from, model, algorithm));
            let broken = broken.as_ref().unwrap();
            let reads_from = ReadsFrom::derive(broken, Ambiguity::Refuse).unwrap();
            violations += usize::from(compare(broken, &reads_from, model, algorithm));
        }
    }
    assert!(violations > 60, "{violations}");
}

fn store(thread: u32, cell: u64, value: u64, order: Option<u64>) -> Access {
    Access { written: Some(value), order, ..Access::new(thread, Kind::Store, Place::Cell(cell)) }
}

fn load(thread: u32, cell: u64, value: u64, order: Option<u64>) -> Access {
    Access { read: Some(value), order, ..Access::new(thread, Kind::Load, Place::Cell(cell)) }
}

/// The operations of each prefix under SC, the shortest prefix first.
fn growth(accesses: &[Access]) -> Vec<Vec<u32>> {
    let history = build(accesses, &[]);
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
    let prefixes = Prefixes::of(&history, &reads_from, Model::SC).unwrap();
    let kept = |length| prefixes.prefix(length).kept.iter().map(|op| op.0).collect();
    (1..=prefixes.longest()).map(kept).collect()
}

#[test]
fn a_read_keeps_its_source() {
    // The source is a store in the thread's own buffer, a store that completes later, or one that never completes.
    let own = [store(0, 0, 1, Some(2)), load(0, 0, 1, Some(1))];
    assert_eq!(growth(&own), [[0, 1], [0, 1]]);
    let other = [store(0, 0, 1, None), load(1, 0, 1, Some(2)), store(1, 1, 1, Some(1))];
    assert_eq!(growth(&other), [vec![2], vec![0, 1, 2], vec![0, 1, 2]]);
    let history = build(&other, &[]);
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
    let prefix = Prefixes::of(&history, &reads_from, Model::SC).unwrap();
    assert_eq!(prefix.last(3), Some(OpId(0)));
    assert_eq!((prefix.last(0), prefix.last(4)), (None, None));
}

#[test]
fn a_fence_without_a_place_comes_with_what_follows_it() {
    let fence = Access::new(0, Kind::Fence, Place::Nowhere);
    let accesses =
        [store(0, 0, 1, Some(5)), fence, load(0, 1, 0, Some(7)), load(0, 1, 0, Some(6)), fence];
    let grown = growth(&accesses);
    assert_eq!(grown, [vec![0], vec![0, 1], vec![0, 1, 3], vec![0, 1, 2, 3], vec![0, 1, 2, 3, 4]]);
}

#[test]
fn a_store_conditional_keeps_the_operation_that_pairs_it() {
    let conditional =
        |value, order| Access { kind: Kind::StoreConditional, ..store(0, 0, value, Some(order)) };
    let linked = |value, order| Access { kind: Kind::LoadLinked, ..load(0, 0, value, Some(order)) };
    let own = [linked(0, 9), conditional(1, 1), store(1, 0, 7, Some(0))];
    assert_eq!(growth(&own), [vec![2], vec![0, 1, 2], vec![0, 1, 2]]);
    // A store in between breaks the pair up; without it, the write of thread 1 would break atomicity.
    let broken = [
        linked(0, 1),
        store(0, 0, 2, Some(9)),
        load(0, 0, 7, Some(2)),
        conditional(1, 3),
        store(1, 0, 7, Some(0)),
    ];
    let grown = growth(&broken);
    let all = vec![0, 1, 2, 3, 4];
    assert_eq!(grown, [vec![4], vec![0, 4], vec![0, 2, 4], all.clone(), all]);
    let history = build(&broken, &[]);
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
    assert!(!compare(&history, &reads_from, Model::SC, Algorithm::Stages));
    let without: Vec<Access> = [&broken[..1], &broken[2..]].concat();
    let history = build(&without, &[]);
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
    assert!(compare(&history, &reads_from, Model::SC, Algorithm::Stages));
}

#[test]
fn without_an_order_or_time_there_is_no_prefix() {
    let stale = |order: fn(u64) -> Option<u64>| {
        let accesses = [store(0, 0, 1, order(0)), load(0, 0, 0, order(1)), load(0, 0, 1, order(2))];
        build(&accesses, &[])
    };
    let (bare, ordered) = (stale(|_| None), stale(Some));
    let reads_from = ReadsFrom::derive(&bare, Ambiguity::Refuse).unwrap();
    let detection = found(&bare, &reads_from, Model::SC, Algorithm::Stages);
    assert!(matches!(detection.whole.verdict, Verdict::Violation(_)));
    assert_eq!((detection.first, detection.checks), (None, 1));
    let detection = found(&ordered, &reads_from, Model::SC, Algorithm::Stages);
    let first = detection.first.unwrap();
    assert_eq!((first.operations, first.completed_by, first.exact), (2, OpId(1), true));
    let no_time = Bounds::new(Some(std::time::Duration::ZERO), None);
    let options = Options::default();
    let detection = detect(&ordered, &reads_from, Model::SC, &options, &no_time);
    assert_eq!(detection.whole.verdict, Verdict::Undecided(Reason::Timeout));
    assert_eq!(detection.first, None);
}

/// A final value is kept in the whole history, or in a prefix that has every write of it.
#[test]
fn final_values() {
    let accesses = [store(0, 0, 1, Some(0)), store(0, 0, 2, Some(1)), store(0, 1, 3, Some(2))];
    for (last, operations) in [(1, 2), (9, 3)] {
        let history = build(&accesses, &[(0, last)]);
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
        let detection = found(&history, &reads_from, Model::SC, Algorithm::Stages);
        assert_eq!(detection.first.unwrap().operations, operations);
    }
}
