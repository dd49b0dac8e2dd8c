//! Compares the engine for weak models with their axioms, decided by brute force, and verifies every certificate.

use crate::common::{build, certified, print, refine, seeded, sized_program};
use check::generate::families::{Family, HardRecipe, hard};
use check::verdict::Stage;
use check::{Algorithm, Model, Options, Verdict, check};
use history::{
    Access, Ambiguity, Annotation, DependencyKind, History, HistoryBuilder, Initial, Kind, OpId,
    Place, Provenance, ReadSource, ReadsFrom, WeakFence,
};
use memory::Execution;
use memory::axioms::allows;
use memory::models;
use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

fn weak_models() -> impl Iterator<Item = Model> {
    models::ALL.iter().copied().filter(|model| model.is_weak())
}

/// Random accesses with annotations, fences and ticks. Written values are at most `values`, so values repeat if that
/// is small.
fn accesses(random: &mut StdRng, largest: usize, values: u64) -> Vec<Access> {
    let mut accesses = sized_program(random, (2..=3, 3..=largest, 1..=3), true);
    let fences = if random.random_bool(0.5) { 0.3 } else { 0.0 };
    let annotations = if random.random_bool(0.5) { &Annotation::ALL[..] } else { &[] };
    refine(random, &mut accesses, (fences, &WeakFence::ALL), annotations);
    accesses.retain(|access| access.kind != Kind::Fence || random.random_bool(0.3));
    for (at, access) in accesses.iter_mut().enumerate() {
        access.written = access.written.map(|value| 1 + value % values);
        if random.random_bool(0.5) {
            access.issued = Some(at as u64 * 10);
            access.completed = Some(at as u64 * 10 + random.random_range(0..40));
        }
    }
    give_values(random, &mut accesses);
    accesses
}

/// Lets each read return a value that is written to its location, or the initial one.
fn give_values(random: &mut StdRng, accesses: &mut [Access]) {
    for at in 0..accesses.len() {
        if !accesses[at].kind.reads() {
            continue;
        }
        let others = accesses.iter().enumerate();
        let others = others.filter(|(other, it)| *other != at && it.place == accesses[at].place);
        let values: Vec<u64> = others.filter_map(|(_, it)| it.written).chain([0]).collect();
        accesses[at].read = values.choose(random).copied();
    }
}

/// Removes the values of some reads, and lets others return values that no operation of the history writes.
fn make_gaps(random: &mut StdRng, accesses: &mut [Access]) {
    for (at, access) in accesses.iter_mut().enumerate() {
        if access.kind.reads() {
            match random.random_range(0..4) {
                0 => access.read = None,
                1 | 2 => access.read = Some(1000 + at as u64),
                _ => {}
            }
        }
    }
}

/// The history of some accesses, with random dependencies and sometimes a final value.
fn history(random: &mut StdRng, accesses: &[Access]) -> History {
    history_from(random, accesses, Provenance::made())
}

fn history_from(random: &mut StdRng, accesses: &[Access], provenance: Provenance) -> History {
    let mut builder = HistoryBuilder::new();
    let mut returning: Vec<Vec<usize>> = vec![Vec::new(); 4];
    let share = if random.random_bool(0.7) { 0.6 } else { 0.0 };
    for (at, access) in accesses.iter().enumerate() {
        builder.push(*access);
        if access.kind == Kind::Rmw && random.random_bool(share) {
            let own = [DependencyKind::Data, DependencyKind::Choice];
            builder.depend(*own.choose(random).unwrap(), at);
        }
        let returning = &mut returning[access.thread as usize];
        if let Some(&on) = returning.choose(random)
            && random.random_bool(share)
        {
            let kind = *DependencyKind::ALL.choose(random).unwrap();
            let fits = match kind {
                DependencyKind::Control => true,
                DependencyKind::Data | DependencyKind::Choice => access.kind.writes(),
                DependencyKind::Address => !access.kind.is_fence(),
            };
            if fits {
                builder.depend(kind, on);
            }
        }
        if access.kind.reads() || access.kind == Kind::StoreConditional {
            returning.push(at);
        }
    }
    let finals = build(accesses, &[]);
    let writes: Vec<OpId> = finals.ops().filter(|&op| finals.kind(op).writes()).collect();
    if let Some(&write) = writes.choose(random)
        && random.random_bool(0.3)
    {
        let location = finals.locations()[finals.location(write).unwrap() as usize];
        builder.final_value(location.address, finals.written(write).unwrap(), None);
    }
    builder.finish(Default::default(), &Initial::Zero, provenance).unwrap()
}

/// Whether a model allows a history with some choice of the sources of its ambiguous reads.
fn is_allowed(history: &History, model: Model) -> bool {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Keep).unwrap();
    let mut sources: Vec<Option<ReadSource>> =
        history.ops().map(|op| reads_from.source(op)).collect();
    let open: Vec<OpId> =
        history.ops().filter(|op| sources[op.at()] == Some(ReadSource::Ambiguous)).collect();
    any_choice(history, model, &mut sources, &open)
}

fn any_choice(
    history: &History,
    model: Model,
    sources: &mut Vec<Option<ReadSource>>,
    open: &[OpId],
) -> bool {
    let Some((&read, rest)) = open.split_first() else {
        let reads_from = ReadsFrom::given(history, |op| sources[op.at()]);
        return allows(&Execution { history, reads_from }, &model);
    };
    let location = history.location(read).unwrap();
    let writes = history.ops().filter(|&op| {
        op != read
            && history.location(op) == Some(location)
            && history.written(op) == history.read(read)
    });
    let mut candidates: Vec<ReadSource> = writes.map(ReadSource::Write).collect();
    if history.initial(location) == history.read(read) {
        candidates.push(ReadSource::Initial);
    }
    candidates.into_iter().any(|source| {
        sources[read.at()] = Some(source);
        any_choice(history, model, sources, rest)
    })
}

/// Random accesses, among them pairs of load-linked and store-conditional between which their own thread writes the
/// location.
fn crossed_pairs(random: &mut StdRng, largest: usize, values: u64) -> Vec<Access> {
    let mut accesses = Vec::new();
    let threads = random.random_range(2..=3);
    let count = random.random_range(largest - 3..=largest);
    while accesses.len() < count {
        let thread = random.random_range(0..threads);
        let at = |cell| Place::Cell(u64::from(cell));
        let cell = random.random_bool(0.2);
        let kinds: &[(Kind, bool)] = match random.random_range(0..6) {
            0 | 1 => {
                &[(Kind::LoadLinked, false), (Kind::Store, false), (Kind::StoreConditional, false)]
            }
            2 => &[
                (Kind::LoadLinked, false),
                (Kind::Rmw, false),
                (Kind::Store, true),
                (Kind::StoreConditional, false),
            ],
            3 => &[(Kind::Load, false)],
            4 => &[(Kind::Rmw, false)],
            _ => &[(Kind::Store, false)],
        };
        for &(kind, is_elsewhere) in kinds {
            let mut access = Access::new(thread, kind, at(cell != is_elsewhere));
            let written =
                if values == 0 { accesses.len() as u64 } else { random.random_range(0..values) };
            access.written = kind.writes().then_some(1 + written);
            access.read = kind.reads().then_some(0);
            accesses.push(access);
        }
    }
    give_values(random, &mut accesses);
    accesses
}

/// A function that makes random accesses from a generator, a maximum number of accesses (which [`crossed_pairs`] may
/// exceed by a few) and a maximum value written (for [`crossed_pairs`], 0 stands for unique values).
type Program = fn(&mut StdRng, usize, u64) -> Vec<Access>;

fn compare(seeds: std::ops::Range<u64>, program: Program, largest: usize, values: u64) {
    let mut counts = [0; 2];
    for seed in seeds {
        for model in weak_models() {
            let mut random = seeded(seed);
            let accesses = program(&mut random, largest, values);
            let whole = history(&mut random, &accesses);
            let history = model.prepare(&whole);
            let expected = is_allowed(&history, model);
            let reads_from = ReadsFrom::derive(&history, Ambiguity::Keep).unwrap();
            for algorithm in [Algorithm::Stages, Algorithm::Sat] {
                let options = Options { algorithm, ..Options::default() };
                let verdict = check(&history, &reads_from, model, &options).verdict;
                let label =
                    format!("{algorithm:?}, seed {seed} {model}: {verdict:?}\n{}", print(&history));
                if matches!(verdict, Verdict::Undecided(_)) {
                    panic!("{label}");
                }
                assert_eq!(certified(&history, model, &verdict), Some(expected), "{label}");
            }
            counts[usize::from(expected)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 200), "{counts:?}");
}

#[test]
fn verdicts_are_those_of_the_axioms() {
    compare(0..2000, accesses, 7, 100);
}

#[test]
fn verdicts_are_those_of_the_axioms_where_values_repeat() {
    compare(0..1000, accesses, 6, 2);
}

#[test]
fn pairs_exclude_other_threads_across_own_writes() {
    compare(0..1500, crossed_pairs, 7, 0);
    compare(0..500, crossed_pairs, 6, 3);
}

/// A read that may have returned a write outside of the history constrains nothing, in the engine, in the check of
/// its memory order, and in the axioms.
#[test]
fn reads_of_writes_outside_of_the_history_constrain_nothing() {
    let mut counts = [0; 2];
    for seed in 0..3000 {
        for model in weak_models() {
            let mut random = seeded(seed);
            let mut accesses = accesses(&mut random, 7, 100);
            make_gaps(&mut random, &mut accesses);
            let provenance = Provenance { outside_writes: true, ..Provenance::made() };
            let whole = history_from(&mut random, &accesses, provenance);
            let history = model.prepare(&whole);
            let expected = is_allowed(&history, model);
            let reads_from = ReadsFrom::derive(&history, Ambiguity::Keep).unwrap();
            let verdict = check(&history, &reads_from, model, &Options::default()).verdict;
            let label = format!("seed {seed} {model}: {verdict:?}\n{}", print(&history));
            if matches!(verdict, Verdict::Undecided(_)) {
                panic!("{label}");
            }
            assert_eq!(certified(&history, model, &verdict), Some(expected), "{label}");
            counts[usize::from(expected)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 200), "{counts:?}");
}

/// Load buffering, where the second thread passes a choice on through location 2.
fn choice_through_memory() -> History {
    let mut builder = HistoryBuilder::new();
    let mut push =
        |thread, kind: Kind, cell, read: u64, written: u64, depends: &[(DependencyKind, usize)]| {
            let (read, written) = (kind.reads().then_some(read), kind.writes().then_some(written));
            builder.push(Access { read, written, ..Access::new(thread, kind, Place::Cell(cell)) });
            depends.iter().for_each(|&(kind, on)| builder.depend(kind, on));
        };
    use DependencyKind::{Choice, Data};
    push(0, Kind::Load, 0, 1, 0, &[]);
    push(0, Kind::Store, 1, 0, 1, &[(Data, 0)]);
    push(1, Kind::Load, 1, 1, 0, &[]);
    push(1, Kind::Store, 2, 0, 5, &[(Choice, 2)]);
    push(1, Kind::Load, 2, 5, 0, &[]);
    push(1, Kind::Store, 0, 0, 1, &[(Data, 4)]);
    builder.finish(Default::default(), &Initial::Zero, Provenance::made()).unwrap()
}

#[test]
fn a_choice_orders_a_store_through_memory() {
    let history = choice_through_memory();
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Keep).unwrap();
    let verdict = check(&history, &reads_from, Model::ARMV8, &Options::default()).verdict;
    assert_eq!(certified(&history, Model::ARMV8, &verdict), Some(false), "{verdict:?}");
}

/// A thread stores the lower byte of a word, with a value that depends on a load, and takes that byte of an acquire load
/// from itself. The upper byte, of the same or of a second load, is older than what the thread loaded first.
#[test]
fn an_acquire_does_not_order_its_own_bytes() {
    const BEFORE: &str = r#"
        {"thread": 0, "kind": "store", "address": 4097, "size": 1, "written": 2},
        {"thread": 0, "kind": "fence"},
        {"thread": 0, "kind": "store", "address": 4161, "size": 1, "written": 1},
        {"thread": 1, "kind": "load", "address": 4161, "size": 1, "read": 1},
        {"thread": 1, "kind": "store", "address": 4096, "size": 1, "written": 1, "depends": [["data", 0]]}"#;
    let acquire = |address: u64, size: u8, read: u64| {
        format!(
            r#"{{"thread": 1, "kind": "load", "annotation": "acquire", "address": {address}, "size": {size}, "read": {read}}}"#
        )
    };
    let both = vec![acquire(4096, 2, 1)];
    let one_by_one = vec![acquire(4096, 1, 1), acquire(4097, 1, 0)];
    for (loads, is_allowed) in [(both, true), (one_by_one, false)] {
        let text = format!(r#"{{"operations": [{BEFORE}, {}]}}"#, loads.join(", "));
        let text = text.replace('\n', "");
        let trace = ingest::read(text.as_bytes(), "test", &ingest::Options::default()).unwrap();
        let history = &trace.histories[0];
        let reads_from = ReadsFrom::derive(history, Ambiguity::Keep).unwrap();
        let verdict = check(history, &reads_from, Model::ARMV8, &Options::default()).verdict;
        assert_eq!(certified(history, Model::ARMV8, &verdict), Some(is_allowed), "{verdict:?}");
    }
}

/// Without SAT, the search meets many contradictions on these histories, and takes more than an hour for the
/// largest.
#[test]
fn hard_violations_are_proved() {
    for (name, size) in [("pigeons-violation", 4), ("pairs-violation", 5), ("pigeons-violation", 5)]
    {
        for model in weak_models() {
            let family = Family::from_name(name).unwrap();
            let recipe = HardRecipe { size, model, ..HardRecipe::new(family) };
            let whole = hard(&recipe).unwrap();
            let history = model.prepare(&whole);
            let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
            let outcome = check(&history, &reads_from, model, &Options::default());
            assert_eq!(certified(&history, model, &outcome.verdict), Some(false), "{name} {model}");
            assert_eq!(outcome.decided_by, Stage::By(Algorithm::Sat), "{name} {model}");
        }
    }
}

#[test]
fn saturation_alone_refutes_nothing_wrongly() {
    let options = Options { algorithm: Algorithm::Saturate, ..Options::default() };
    let mut refuted = 0;
    for seed in 0..500 {
        for model in weak_models() {
            let mut random = seeded(seed);
            let accesses = accesses(&mut random, 6, 100);
            let whole = history(&mut random, &accesses);
            let history = model.prepare(&whole);
            let reads_from = ReadsFrom::derive(&history, Ambiguity::Keep).unwrap();
            let verdict = check(&history, &reads_from, model, &options).verdict;
            if matches!(verdict, Verdict::Violation(_)) {
                refuted += 1;
                assert!(!is_allowed(&history, model), "{model}, seed {seed}");
            }
        }
    }
    assert!(refuted > 150, "{refuted}");
}
