//! Compares, for the weak models, the rules with those of the manual, the graph with the rules, and the check of a
//! memory order with the axioms.

use crate::armv8::Armv8;
use crate::rvwmo::Rvwmo;
use history::{
    Access, Annotation, DependencyKind, History, HistoryBuilder, Initial, Kind, OpId, Place,
    Provenance, WeakFence,
};
use memory::Execution;
use memory::axioms::{allows, memory_order};
use memory::weak::graph::Graph;
use memory::weak::{PpoRule, order};
use memory::{Model, models};
use rand::rngs::ChaCha8Rng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};

fn weak_models() -> impl Iterator<Item = Model> {
    models::ALL.iter().copied().filter(|model| model.is_weak())
}

/// A random history with dependencies, ticks, load-linked and store-conditional.
fn random(seed: u64, operations: usize) -> History {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut builder = HistoryBuilder::new();
    // Per thread, the operations that later ones may depend on.
    let mut returning: Vec<Vec<usize>> = vec![Vec::new(); 3];
    let mut accesses = crate::common::random(seed, operations, true);
    make_pairs(&mut accesses, &mut random);
    make_parts(&mut accesses, &mut random);
    // Per thread, the dependency of the last access, which all its parts have.
    let mut shared: Vec<Option<(DependencyKind, usize)>> = vec![None; 3];
    for (at, access) in accesses.iter_mut().enumerate() {
        let shared = &mut shared[access.thread as usize];
        let returning = &mut returning[access.thread as usize];
        if random.random_bool(0.5) {
            access.issued = Some(at as u64 * 10);
            access.completed = Some(at as u64 * 10 + random.random_range(0..40));
        }
        builder.push(*access);
        if access.kind == Kind::Rmw && random.random_bool(0.6) {
            let kinds = [DependencyKind::Data, DependencyKind::Choice];
            builder.depend(*kinds.choose(&mut random).unwrap(), at);
        }
        if !access.continues {
            *shared =
                returning.choose(&mut random).filter(|_| random.random_bool(0.6)).map(|&on| {
                    let kind = *DependencyKind::ALL.choose(&mut random).unwrap();
                    let fits = kind == DependencyKind::Control || access.kind.writes();
                    (if fits { kind } else { DependencyKind::Address }, on)
                });
        }
        if let Some((kind, on)) = *shared
            && (kind == DependencyKind::Control || !access.kind.is_fence())
        {
            builder.depend(kind, on);
        }
        if access.kind.reads() || access.kind == Kind::StoreConditional {
            returning.push(at);
        }
    }
    builder.finish(Default::default(), &Initial::Zero, Provenance::made()).unwrap()
}

/// Turns some loads, and the next store of their thread to the same location, into pairs of load-linked and
/// store-conditional.
fn make_pairs(accesses: &mut [Access], random: &mut ChaCha8Rng) {
    for first in 0..accesses.len() {
        let load = accesses[first];
        let partner = (first + 1..accesses.len()).find(|&at| {
            let it = accesses[at];
            it.thread == load.thread && it.place == load.place && it.kind.writes()
        });
        if let (Kind::Load, Some(second)) = (load.kind, partner)
            && accesses[second].kind == Kind::Store
            && random.random_bool(0.5)
        {
            accesses[first].kind = Kind::LoadLinked;
            accesses[second].kind = Kind::StoreConditional;
        }
    }
}

/// Makes some accesses and the next one of their thread, of the same kind and elsewhere, two parts of one access.
fn make_parts(accesses: &mut [Access], random: &mut ChaCha8Rng) {
    for first in 0..accesses.len() {
        let part = accesses[first];
        let next = accesses[first + 1..].iter_mut().find(|it| it.thread == part.thread);
        if let Some(next) = next
            && !part.kind.is_fence()
            && !part.continues
            && (next.kind, next.place != part.place) == (part.kind, true)
            && random.random_bool(0.7)
        {
            next.continues = true;
            next.annotation = part.annotation;
        }
    }
}

/// The transitive closure of a relation.
fn closed(mut pairs: Vec<Vec<bool>>) -> Vec<Vec<bool>> {
    let size = pairs.len();
    for middle in 0..size {
        for from in 0..size {
            if pairs[from][middle] {
                let row = pairs[middle].clone();
                pairs[from].iter_mut().zip(row).for_each(|(pair, more)| *pair |= more);
            }
        }
    }
    pairs
}

fn by_rules(execution: &Execution<'_>, model: Model) -> Vec<Vec<bool>> {
    by_some_rules(execution, model, |_| true)
}

fn by_some_rules(
    execution: &Execution<'_>,
    model: Model,
    is_wanted: impl Fn(PpoRule) -> bool,
) -> Vec<Vec<bool>> {
    let rules = || model.ppo_rules().iter().filter(|rule| is_wanted(**rule));
    let history = execution.history;
    let mut pairs = vec![vec![false; history.len()]; history.len()];
    for thread in 0..history.threads().len() {
        for a in history.thread_ops(thread) {
            for b in history.thread_ops(thread).filter(|&b| b > a) {
                pairs[a.at()][b.at()] = rules().any(|rule| rule.holds(execution, a, b));
            }
        }
    }
    pairs
}

/// Finds the operations to which a path leads from a node of the graph over joins alone.
fn next_operations(graph: &Graph, node: u32, found: &mut Vec<u32>) {
    for &(from, to) in graph.edges() {
        if from == node && to < graph.operations() {
            found.push(to);
        } else if from == node {
            next_operations(graph, to, found);
        }
    }
}

#[test]
fn the_graph_is_the_closure_of_the_rules() {
    for seed in 0..3000 {
        for model in weak_models() {
            let history = if seed % 3 == 0 { through_memory(seed) } else { random(seed, 9) };
            let history = model.prepare(&history);
            let execution = Execution::new(&history).unwrap();
            let graph = Graph::new(&execution, model);
            let rules = by_rules(&execution, model);
            let mut pairs = vec![vec![false; history.len()]; history.len()];
            for op in 0..history.len() {
                let mut next = Vec::new();
                next_operations(&graph, op as u32, &mut next);
                for to in next {
                    pairs[op][to as usize] = true;
                    let (a, b) = (history.describe(OpId(op as u32)), history.describe(OpId(to)));
                    assert!(rules[op][to as usize], "{model}, {seed}: {a} before {b}");
                }
            }
            let text: Vec<String> = history
                .ops()
                .map(|op| {
                    format!(
                        "{} {} dep {:?} src {:?}",
                        history.thread_of(op),
                        history.describe(op),
                        history.dependencies(op),
                        execution.reads_from.source(op)
                    )
                })
                .collect();
            assert_eq!(closed(pairs), closed(rules), "{model}, seed {seed} {text:#?}");
        }
    }
}

#[test]
fn orders_that_satisfy_the_axioms_are_accepted() {
    let mut allowed = 0;
    for seed in 0..1500 {
        for model in weak_models() {
            let history = random(seed, 7);
            let history = model.prepare(&history);
            let execution = Execution::new(&history).unwrap();
            let is_access = |op: &OpId| !history.kind(*op).is_fence();
            match memory_order(&execution, &model) {
                Some(found) => {
                    allowed += 1;
                    let accesses: Vec<OpId> = found.into_iter().filter(is_access).collect();
                    let sources = order::check(&history, model, &accesses);
                    let sources = sources.unwrap_or_else(|why| panic!("{model}, {seed}: {why}"));
                    for op in history.ops() {
                        assert_eq!(sources.source(op), execution.reads_from.source(op));
                    }
                }
                None => {
                    let mut order: Vec<OpId> = history.ops().filter(is_access).collect();
                    let mut random = ChaCha8Rng::seed_from_u64(seed);
                    for _ in 0..50 {
                        order.shuffle(&mut random);
                        let accepted = order::check(&history, model, &order).is_ok();
                        assert!(!accepted, "{model}, seed {seed}");
                    }
                }
            }
        }
    }
    assert!(allowed > 1000, "{allowed}");
}

/// Rules 3 and 12 of the manual depend on which write a read returns; the rules here do not.
#[test]
fn rvwmo_is_the_model_of_the_manual() {
    for seed in 0..2000 {
        let history = random(seed, 7);
        let execution = Execution::new(&history).unwrap();
        let manual = Rvwmo::of(&history);
        assert_eq!(allows(&execution, &Model::RVWMO), allows(&execution, &manual), "seed {seed}");
    }
}

/// Threads that pass a value on through memory: a location that one thread alone uses lies between a choice or an
/// atomic and what it orders.
fn through_memory(seed: u64) -> History {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut builder = HistoryBuilder::new();
    let mut written = 0;
    let mut cells: Vec<(u32, u64)> = Vec::new();
    let mut accesses = Vec::new();
    for thread in 0..2_u32 {
        let length = if thread == 0 { 3 } else { random.random_range(4..=6) };
        for at in 0..length {
            let kind = match random.random_range(0..10) {
                0..3 => Kind::Store,
                3..7 => Kind::Load,
                7 if at > 0 && random.random_bool(0.5) => Kind::WeakFence(WeakFence::Instruction),
                _ if random.random_bool(0.2) => {
                    Kind::WeakFence(*WeakFence::ALL.choose(&mut random).unwrap())
                }
                _ => Kind::Rmw,
            };
            let cell =
                if thread == 1 { random.random_range(0..3) } else { random.random_range(0..2) };
            let place = if kind.is_fence() { Place::Nowhere } else { Place::Cell(cell) };
            let mut access = Access::new(thread, kind, place);
            if kind.writes() {
                written += 1;
                access.written = Some(written);
                cells.push((cell as u32, written));
            }
            if !kind.is_fence() && random.random_bool(0.25) {
                access.annotation = *Annotation::ALL.choose(&mut random).unwrap();
            }
            accesses.push((access, cell));
        }
    }
    let mut returning: Vec<Vec<usize>> = vec![Vec::new(); 2];
    for (at, (mut access, cell)) in accesses.into_iter().enumerate() {
        if access.kind.reads() {
            let own = access.written;
            let here = cells.iter().filter(|it| it.0 == cell as u32 && Some(it.1) != own);
            let values: Vec<u64> = here.map(|it| it.1).chain([0]).collect();
            access.read = values.choose(&mut random).copied();
        }
        builder.push(access);
        if access.kind == Kind::Rmw && random.random_bool(0.8) {
            let kinds = [DependencyKind::Data, DependencyKind::Data, DependencyKind::Choice];
            builder.depend(*kinds.choose(&mut random).unwrap(), at);
        }
        let returning = &mut returning[access.thread as usize];
        if let Some(&on) = returning.choose(&mut random)
            && random.random_bool(0.8)
        {
            let kind = *DependencyKind::ALL.choose(&mut random).unwrap();
            match kind {
                DependencyKind::Control => builder.depend(kind, on),
                DependencyKind::Address if !access.kind.is_fence() => builder.depend(kind, on),
                _ if access.kind.writes() => builder.depend(kind, on),
                _ => {}
            }
        }
        if access.kind.reads() {
            returning.push(at);
        }
    }
    builder.finish(Default::default(), &Initial::Zero, Provenance::made()).unwrap()
}

/// The rules order what herd's files order; and the axioms of this crate, for small histories, allow what those files
/// allow.
#[test]
fn armv8_is_the_model_of_herd() {
    let mut counts = [0; 2];
    let histories = (0..3000).map(|seed| random(seed, 8)).chain((0..8000).map(through_memory));
    for (number, history) in histories.enumerate() {
        let history = Model::ARMV8.prepare(&history);
        let execution = Execution::new(&history).unwrap();
        let expected = Armv8::of(&history).allows(&execution.reads_from);
        let is_local = |rule: PpoRule| rule != PpoRule::ReadsApart;
        let local = closed(by_some_rules(&execution, Model::ARMV8, is_local));
        assert_eq!(Armv8::of(&history).local_order(), local, "{number}: {}", text(&history));
        let rules = by_rules(&execution, Model::ARMV8);
        let found = Armv8::of(&history).with_local_order(&rules).allows(&execution.reads_from);
        assert_eq!(found, expected, "{number}: {}", text(&history));
        counts[usize::from(found)] += 1;
        if history.len() <= 8 {
            assert_eq!(allows(&execution, &Model::ARMV8), expected, "{number}: {}", text(&history));
        }
    }
    assert!(counts.iter().all(|&count| count > 1000), "{counts:?}");
}

fn text(history: &History) -> String {
    let describe = |op: OpId| {
        let (thread, dependencies) = (history.thread_of(op), history.dependencies(op));
        format!(
            "T{thread} {op:?} {} {:?} {dependencies:?}",
            history.describe(op),
            history.annotation(op)
        )
    };
    history.ops().map(describe).collect::<Vec<_>>().join("\n")
}

#[test]
fn stronger_models_allow_less() {
    for seed in 0..1000 {
        let history = random(seed, 6);
        for weaker in models::ALL.iter().copied() {
            let prepared = weaker.prepare(&history);
            let is_allowed = allows(&Execution::new(&prepared).unwrap(), &weaker);
            for &stronger in models::ALL.iter().filter(|it| weaker.includes(**it)) {
                let prepared = stronger.prepare(&history);
                let implies = is_allowed || !allows(&Execution::new(&prepared).unwrap(), &stronger);
                let text: Vec<String> = history
                    .ops()
                    .map(|op| {
                        format!(
                            "{} {} dep {:?}",
                            history.thread_of(op),
                            history.describe(op),
                            history.dependencies(op)
                        )
                    })
                    .collect();
                assert!(implies, "{text:#?} {stronger} allows, {weaker} does not: seed {seed}");
            }
        }
    }
}

#[test]
fn names_tell_rules_apart() {
    for rule in PpoRule::all() {
        assert_eq!(PpoRule::from_name(rule.name()), Some(rule));
    }
}

/// A read-modify-write writes back what it read, between a load-linked and its store-conditional. Only under models
/// in which it counts as a write, the store-conditional cannot succeed.
#[test]
fn a_silent_read_modify_write_is_a_write_under_weak_models_alone() {
    let mut builder = HistoryBuilder::new();
    let mut push = |thread, kind: Kind, cell, value, annotation| {
        let (read, written) = (kind.reads().then_some(value), kind.writes().then_some(value));
        let access = Access::new(thread, kind, Place::Cell(cell));
        builder.push(Access { read, written, annotation, ..access });
    };
    push(0, Kind::LoadLinked, 0, 0, Annotation::Acquire);
    push(0, Kind::Store, 1, 1, Annotation::Release);
    push(0, Kind::Load, 2, 1, Annotation::Acquire);
    push(0, Kind::StoreConditional, 0, 1, Annotation::None);
    push(1, Kind::Load, 1, 1, Annotation::Acquire);
    push(1, Kind::SilentRmw, 0, 0, Annotation::AcquireRelease);
    push(1, Kind::Store, 2, 1, Annotation::Release);
    let history = builder.finish(Default::default(), &Initial::Zero, Provenance::made()).unwrap();
    for model in [Model::SC, Model::TSO, Model::RVWMO, Model::ZTSO, Model::ARMV8] {
        let prepared = model.prepare(&history);
        assert!(prepared.ops().all(|op| prepared.kind(op) != Kind::SilentRmw));
        assert_eq!(
            allows(&Execution::new(&prepared).unwrap(), &model),
            !model.is_weak(),
            "{model}"
        );
    }
    // Without the store-conditional, the read-modify-write may come anywhere, and the load-linked may read from it.
    let (history, _) = history.restrict(|op| history.kind(op) != Kind::StoreConditional);
    for model in weak_models() {
        let prepared = model.prepare(&history);
        let order = memory_order(&Execution::new(&prepared).unwrap(), &model).unwrap();
        assert!(order::check(&prepared, model, &order).is_ok(), "{model}");
    }
}

/// A thread stores between its load-linked and its store-conditional. A third thread sees the store of a second
/// thread after that store and before the store-conditional.
#[test]
fn a_pair_across_an_own_write_excludes_others_in_risc_v_alone() {
    let mut builder = HistoryBuilder::new();
    let mut push = |thread, kind: Kind, value| {
        let (read, written) = (kind.reads().then_some(value), kind.writes().then_some(value));
        let access = Access::new(thread, kind, Place::Cell(0));
        builder.push(Access { read, written, ..access });
    };
    push(0, Kind::LoadLinked, 0);
    push(0, Kind::Store, 5);
    push(0, Kind::StoreConditional, 1);
    push(1, Kind::Store, 2);
    push(2, Kind::Load, 5);
    push(2, Kind::Load, 2);
    push(2, Kind::Load, 1);
    let history = builder.finish(Default::default(), &Initial::Zero, Provenance::made()).unwrap();
    let order = [0, 1, 4, 3, 5, 2, 6].map(OpId);
    for model in weak_models() {
        let excludes = [Model::RVWMO, Model::ZTSO].contains(&model);
        let execution = Execution::new(&history).unwrap();
        assert_eq!(allows(&execution, &model), !excludes, "{model}");
        assert_eq!(order::check(&history, model, &order).is_ok(), !excludes, "{model}");
    }
}
