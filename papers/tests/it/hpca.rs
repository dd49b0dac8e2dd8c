//! Tests that the algorithms of HPCA 2006 are never wrong, are complete if they backtrack, and derive as much as the
//! paper says.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::corpus::Corpus;
use crate::common::{build, change_reads, print, run, seeded, sized_program};
use check::algorithm::Power;
use check::engine::events::Events;
use check::engine::saturate::Saturation;
use check::generate::{Recipe, generate, without_order};
use check::published::Problem;
use check::{Algorithm, Bounds, Model, Options, Reason, Verdict, check};
use history::{Access, Ambiguity, History, Kind, OpId, Place, ReadsFrom};
use memory::machine::explore;
use papers::hpca::baseline::Inference;
use papers::hpca::graph::{Graph, Swaps};
use papers::qadeer::constraint_graph::ConstraintGraph;
use rand::RngExt;

const FAMILY: [Algorithm; 7] = [
    papers::TSO_BASELINE,
    papers::TSO_BASELINE_FIGURE,
    papers::HPCA_R8,
    papers::HEU,
    papers::DERIV,
    papers::HEU_BACK,
    papers::DERIV_BACK,
];
const MODELS: [Model; 2] = [Model::SC, Model::TSO];

/// The verdict of an algorithm, which `check` verifies.
fn decide(history: &History, model: Model, options: &Options) -> Result<bool, Reason> {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).unwrap();
    match check(history, &reads_from, model, options).verdict {
        Verdict::Consistent(_) => Ok(true),
        Verdict::Violation(_) => Ok(false),
        Verdict::Undecided(reason) => Err(reason),
        other => panic!("{other:?}"),
    }
}

fn options(algorithm: Algorithm, no_baseline: bool) -> Options {
    Options { algorithm, no_baseline, timeout: Some(Duration::from_secs(20)), ..Options::default() }
}

/// Runs all algorithms of the family, with and without the baseline.
fn compare(history: &History, model: Model, expected: bool, label: &str) {
    for algorithm in FAMILY {
        for no_baseline in [false, true] {
            let found = decide(history, model, &options(algorithm, no_baseline));
            let told =
                || format!("{label} {model} {algorithm:?} {no_baseline}\n{}", print(history));
            match found {
                Ok(found) => assert_eq!(found, expected, "{}", told()),
                Err(Reason::NoForcedContradiction) => {
                    assert_eq!(algorithm.power(), Power::Refutes, "{}", told());
                }
                Err(Reason::GaveUp { placed, operations }) => {
                    assert_eq!(algorithm.power(), Power::Incomplete, "{}", told());
                    assert!(placed < operations, "{}", told());
                }
                Err(other) => panic!("{other:?} {}", told()),
            }
        }
    }
}

fn random(seeds: std::ops::Range<u64>, linked: bool) {
    let (mut consistent, mut violations) = (0, 0);
    for seed in seeds {
        let mut random = seeded(seed);
        let accesses = sized_program(&mut random, (2..=4, 4..=12, 1..=3), linked);
        let machine = MODELS[random.random_range(0..2)];
        let finals = random.random_bool(0.3);
        let Some(history) = run(&mut random, &accesses, machine, finals) else {
            continue;
        };
        let changes = random.random_range(0..=3);
        let changed = change_reads(&mut random, &history, changes);
        for (history, label) in [(&history, "run"), (&changed, "changed")] {
            for model in MODELS {
                let Some(expected) = explore(history, model, 300_000) else {
                    continue;
                };
                let expected = expected.is_some();
                compare(history, model, expected, &format!("seed {seed} {label}"));
                *(if expected { &mut consistent } else { &mut violations }) += 1;
            }
        }
    }
    assert!(consistent > 100 && violations > 100, "{consistent} {violations}");
}

#[test]
fn loads_stores_atomics_and_fences() {
    random(0..3000, false);
}

#[test]
fn load_linked_pairs() {
    random(100_000..101_500, true);
}

fn access(thread: u32, cell: u64, read: Option<u64>, written: Option<u64>) -> Access {
    let kind = match (read, written) {
        (Some(_), Some(_)) => Kind::Rmw,
        (Some(_), None) => Kind::Load,
        _ => Kind::Store,
    };
    Access { read, written, ..Access::new(thread, kind, Place::Cell(cell)) }
}

/// Histories whose cycle needs R6 for a swap, which Figure 1 does not apply.
#[test]
fn figure_1_infers_less_than_the_rules() {
    let history = build(
        &[
            access(0, 0, None, Some(1)),
            access(0, 1, None, Some(2)),
            access(1, 1, None, Some(1)),
            access(1, 0, None, Some(2)),
            access(2, 0, Some(2), None),
            access(2, 0, Some(1), Some(3)),
            access(3, 1, Some(2), None),
            access(3, 1, Some(1), Some(3)),
        ],
        &[],
    );
    for model in MODELS {
        let found = |algorithm| decide(&history, model, &options(algorithm, false));
        let open = Err(Reason::NoForcedContradiction);
        assert_eq!(found(papers::TSO_BASELINE_FIGURE), open);
        assert_eq!(found(papers::TSO_BASELINE), Ok(false));
        assert_eq!(found(Algorithm::Saturate), Ok(false));
        // The sorts follow the rules, not the figure.
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
        let deriv = options(papers::DERIV, false);
        let bounds = Bounds::none();
        let outcome = check::decide(&history, &reads_from, model, &deriv, &bounds);
        assert_eq!(outcome.verdict, Verdict::Unproved);
        assert_eq!(outcome.statistics.nodes, None);
    }
}

/// The inferred order is part of the saturated order, and equal to it if swaps count as loads and stores.
#[test]
fn what_is_inferred_is_what_saturation_derives() {
    let (mut same, mut fewer) = (0, 0);
    for seed in 0..3000 {
        let mut random = seeded(seed);
        let accesses = sized_program(&mut random, (2..=5, 6..=30, 1..=3), seed % 3 == 0);
        let model = MODELS[random.random_range(0..2)];
        let finals = random.random_bool(0.3);
        let Some(history) = run(&mut random, &accesses, model, finals) else {
            continue;
        };
        let changes = random.random_range(0..=1);
        let history = change_reads(&mut random, &history, changes);
        let full = inferred(&history, model, Swaps::Both);
        let figure = inferred(&history, model, Swaps::Stores);
        let derived = saturated(&history, model);
        let told = || format!("seed {seed} {model}\n{}", print(&history));
        assert_eq!(full, derived, "{}", told());
        match (figure, derived) {
            (Some(figure), Some(derived)) => {
                assert!(figure.iter().all(|pair| derived.contains(pair)), "{}", told());
                *(if figure.len() < derived.len() { &mut fewer } else { &mut same }) += 1;
            }
            (None, Some(_)) => panic!("{}", told()),
            (_, None) => {}
        }
    }
    assert!(same > 100 && fewer > 100, "{same} {fewer}");
}

/// The writes of final values at locations with writes; `None` if no write has one of them.
fn finals_of(history: &History) -> Option<Vec<OpId>> {
    let write = |last: &history::Final| {
        let wrote = |op: &OpId| {
            history.location(*op) == Some(last.location) && history.written(*op) == Some(last.value)
        };
        history.ops().find(wrote)
    };
    let unwritten = |last: &&history::Final| {
        let here = |op: OpId| history.location(op) == Some(last.location);
        history.ops().any(|op| here(op) && history.kind(op).writes())
    };
    history.finals().iter().filter(unwritten).map(write).collect()
}

/// All pairs that the rules order, or `None` for a contradiction.
fn inferred(history: &History, model: Model, swaps: Swaps) -> Option<Vec<(u32, u32)>> {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).unwrap();
    let bounds = Bounds::none();
    let finals = finals_of(history)?;
    let problem = Problem::new(history, &reads_from, &finals, model, &bounds);
    let mut graph = Graph::new(&problem, swaps);
    graph.observe(&finals).ok()?;
    let mut inference = Inference::new(graph, &bounds).ok()?;
    inference.infer_all().ok()?;
    Some(pairs(history, |x, y| inference.precedes(x, y)))
}

/// All pairs that this program's engine orders.
fn saturated(history: &History, model: Model) -> Option<Vec<(u32, u32)>> {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).unwrap();
    let bounds = Bounds::none();
    let finals = finals_of(history)?.iter().map(|op| op.0).collect();
    let events = Events::new(history, &reads_from, model, &vec![false; history.len()]);
    let rank = (0..events.len() as u32).collect();
    let mut saturation = Saturation::new(&events, rank, finals, &bounds);
    saturation.reset().ok()?;
    Some(pairs(history, |x, y| saturation.precedes(x, y)))
}

fn pairs(history: &History, precedes: impl Fn(u32, u32) -> bool) -> Vec<(u32, u32)> {
    let ops = 0..history.len() as u32;
    let all = ops.clone().flat_map(|x| ops.clone().map(move |y| (x, y)));
    all.filter(|&(x, y)| x != y && precedes(x, y)).collect()
}

/// The histories of a file in the axe format.
fn axe(path: &Path) -> Vec<History> {
    let file = std::fs::File::open(path).unwrap();
    let mut lines = ingest::input::Lines::new(file, "axe", false).unwrap();
    ingest::axe::parse(&mut lines, &Default::default()).unwrap()
}

/// Figure 2: R8 derives the missing edge of 2a; no rule derives those of 2b and 2c.
#[test]
fn figure_2() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/hard");
    for figure in ["2a", "2b", "2c"] {
        for (suffix, holds) in [("", true), ("-violation", false)] {
            let histories = axe(&folder.join(format!("hpca-{figure}{suffix}.axe")));
            let history = &histories[0];
            for model in MODELS {
                let found = |algorithm| decide(history, model, &options(algorithm, false));
                let open = Err(Reason::NoForcedContradiction);
                assert_eq!(found(papers::TSO_BASELINE), open, "{figure}{suffix}");
                let by_r8 = if figure == "2a" && !holds { Ok(false) } else { open };
                assert_eq!(found(papers::HPCA_R8), by_r8, "{figure}{suffix} {model}");
                for algorithm in [papers::HEU_BACK, papers::DERIV_BACK] {
                    assert_eq!(found(algorithm), Ok(holds), "{figure}{suffix} {model}");
                }
            }
        }
    }
}

/// Every store order of a history, which orders the writes of each location.
fn store_orders(history: &History) -> Vec<Vec<OpId>> {
    let mut orders = vec![Vec::new()];
    for location in 0..history.locations().len() as u32 {
        let is_write =
            |op: &OpId| history.location(*op) == Some(location) && history.kind(*op).writes();
        let mut rows = vec![Vec::new()];
        for write in history.ops().filter(is_write) {
            let inserted = rows.iter().flat_map(|row: &Vec<OpId>| {
                (0..=row.len()).map(move |at| {
                    let mut row = row.clone();
                    row.insert(at, write);
                    row
                })
            });
            rows = inserted.collect();
        }
        let joined = orders.iter().flat_map(|order: &Vec<OpId>| {
            rows.iter().map(move |row| [order.as_slice(), row].concat())
        });
        orders = joined.collect();
    }
    orders
}

/// A history is consistent exactly if it is with some store order. For SC, a store order works exactly if
/// Qadeer's constraint graph for it has no cycle.
#[test]
fn given_store_orders() {
    let (mut with_some, mut with_none) = (0, 0);
    for seed in 0..1500 {
        let mut random = seeded(seed);
        let accesses = sized_program(&mut random, (2..=4, 4..=10, 1..=3), seed % 3 == 0);
        let model = MODELS[random.random_range(0..2)];
        let finals = random.random_bool(0.3);
        let Some(history) = run(&mut random, &accesses, model, finals) else {
            continue;
        };
        let changes = random.random_range(0..=2);
        let history = change_reads(&mut random, &history, changes);
        let orders = store_orders(&history);
        let (Some(expected), Some(finals)) =
            (explore(&history, model, 300_000), finals_of(&history))
        else {
            continue;
        };
        if orders.len() > 200 {
            continue;
        }
        let told = || format!("seed {seed} {model}\n{}", print(&history));
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
        let mut any = false;
        for order in orders {
            let graph = ConstraintGraph::new(&history, &reads_from, &order);
            let witness = graph.sort(&finals, 0).is_ok();
            let mut options = options(FAMILY[random.random_range(0..6)], false);
            options.store_order = Some(order);
            let found = match decide(&history, model, &options) {
                Ok(found) => found,
                Err(Reason::StoreOrder(cycle)) => {
                    assert!(cycle.len() >= 2, "{}", told());
                    let sentence = Reason::StoreOrder(cycle).describe(&history);
                    assert!(sentence.contains("would have to precede"), "{sentence}");
                    false
                }
                Err(other) => panic!("{other:?} {}", told()),
            };
            assert!(model != Model::SC || found == witness, "{}", told());
            assert!(!witness || found, "{}", told());
            any |= found;
        }
        assert_eq!(any, expected.is_some(), "{}", told());
        *(if any { &mut with_some } else { &mut with_none }) += 1;
    }
    assert!(with_some > 100 && with_none > 100, "{with_some} {with_none}");
}

fn sized(operations: u32, threads: u32, seed: u64, model: Model) -> History {
    let recipe = Recipe {
        model,
        operations,
        threads,
        locations: 4 * threads,
        seed,
        mix: check::generate::Mix { loads: 33, stores: 33, rmws: 30, fences: 4 },
        ..Recipe::default()
    };
    without_order(&generate(&recipe).unwrap()).unwrap()
}

#[test]
fn backtracking_finds_the_order_of_generated_histories() {
    for model in MODELS {
        for seed in 0..4 {
            let history = sized(4000, 8, seed, model);
            let found = decide(&history, model, &options(papers::DERIV_BACK, false));
            assert_eq!(found, Ok(true), "{model} {seed}");
        }
    }
}

#[test]
fn bounds_are_kept() {
    let history = sized(40_000, 16, 1, Model::TSO);
    for algorithm in FAMILY {
        for (timeout, memory, reason) in
            [(Some(Duration::ZERO), None, Reason::Timeout), (None, Some(1), Reason::Memory)]
        {
            let options = Options { algorithm, timeout, max_memory: memory, ..Options::default() };
            let found = decide(&history, Model::TSO, &options);
            assert_eq!(found, Err(reason), "{algorithm:?}");
        }
    }
    // The time limit stops a search that would not end.
    let mut options = options(papers::HEU_BACK, true);
    options.timeout = Some(Duration::from_millis(300));
    let start = Instant::now();
    let found = decide(&history, Model::TSO, &options);
    assert_eq!(found, Err(Reason::Timeout));
    assert!(start.elapsed() < Duration::from_secs(10));
}

on_corpus!(oracle_histories, "oracle", the_family_is_right);

fn the_family_is_right(corpus: &Corpus) {
    let verdicts = corpus.table("verdicts.csv");
    let (mut undecided, mut runs) = (0, 0);
    for history in &corpus.histories() {
        let name = history.name.as_deref().unwrap();
        for (column, model) in [("sc", Model::SC), ("tso", Model::TSO)] {
            let expected = verdicts[name][column] == "1";
            for algorithm in FAMILY {
                for no_baseline in [false, true] {
                    let mut options = options(algorithm, no_baseline);
                    options.timeout = Some(Duration::from_secs(2));
                    let found = decide(history, model, &options);
                    let complete = algorithm.power() == Power::Complete;
                    runs += u64::from(complete);
                    match found {
                        Ok(found) => {
                            assert_eq!(found, expected, "{name} {model} {algorithm:?}")
                        }
                        Err(Reason::Timeout) if complete => {
                            println!("{name} {model} {algorithm:?} {no_baseline}: time");
                            undecided += 1;
                        }
                        Err(reason) => assert!(!complete, "{name} {reason:?}"),
                    }
                }
            }
        }
    }
    println!("{undecided} of {runs} undecided in 2 s");
    assert!(undecided * 100 <= runs, "{undecided} of {runs}");
}
