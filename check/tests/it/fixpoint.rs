//! Compares saturation with its definition: clocks are reachability, the rules add nothing more, and undoing
//! a choice restores the state before it.

use crate::common;
use certify::rule::Rule;
use check::engine::events::{Events, INITIAL};
use check::engine::rank::rank;
use check::engine::saturate::Saturation;
use check::generate::{Mix, Recipe, generate, without_order};
use check::{Bounds, Model};
use history::{Ambiguity, Annotation, ReadsFrom, WeakFence};
use rand::RngExt;

const MODELS: [Model; 4] = [Model::SC, Model::TSO, Model::PSO, Model::PSO_RMW_ALL];

/// Per event, the events to which a path of program order and derived edges leads.
fn reachable(saturation: &Saturation<'_>) -> Vec<Vec<bool>> {
    let events = saturation.events;
    let mut next: Vec<Vec<u32>> =
        (0..events.len() as u32).map(|event| events.po().of(event).to_vec()).collect();
    for edge in saturation.edges() {
        // The order that transit edges represent also follows along other edges.
        if edge.rule.is_some() {
            next[edge.from as usize].push(edge.to);
        }
    }
    let from = |start: u32| {
        let mut seen = vec![false; events.len()];
        let mut open = next[start as usize].clone();
        while let Some(event) = open.pop() {
            if !std::mem::replace(&mut seen[event as usize], true) {
                open.extend(&next[event as usize]);
            }
        }
        seen
    };
    (0..events.len() as u32).map(from).collect()
}

/// Whether clocks cover a pair: under PSO, those of plain stores only within their location.
fn tells(events: &Events, first: u32, second: u32) -> bool {
    events.is_global(first) || events.location[first as usize] == events.location[second as usize]
}

fn check_fixpoint(saturation: &Saturation<'_>) {
    let events = saturation.events;
    let reachable = reachable(saturation);
    let all = 0..events.len() as u32;
    for first in all.clone() {
        for second in all.clone().filter(|&second| second != first) {
            let expected = reachable[first as usize][second as usize];
            assert!(!expected || !reachable[second as usize][first as usize]);
            if tells(events, first, second) {
                let known = saturation.precedes(first, second);
                assert_eq!(known, expected, "{:?}: {first} {second}", events.model);
            }
        }
    }
}

/// Checks R6 and R7 against the clocks.
fn check_rules(saturation: &Saturation<'_>) {
    let events = saturation.events;
    let all = 0..events.len() as u32;
    let before = |a: u32, b: u32| saturation.precedes(a, b);
    for read in all.clone() {
        let source = events.source[read as usize];
        if source >= INITIAL {
            continue;
        }
        let location = events.location[source as usize];
        let writes = all.clone().filter(|&write| {
            events.writes(write) && events.location[write as usize] == location && write != source
        });
        for write in writes.filter(|&write| write != read) {
            assert!(!before(write, read) || before(write, source), "R6");
            assert!(!before(source, write) || before(read, write), "R7");
        }
    }
}

fn histories() -> impl Iterator<Item = (Model, history::History)> {
    (0..60u64).map(|seed| {
        let model = MODELS[seed as usize % 5 % MODELS.len()];
        let history = generate(&Recipe {
            model,
            threads: if seed % 4 == 3 { 24 } else { 2 + seed as u32 % 7 },
            operations: if seed % 12 == 3 { 1200 } else { 150 + 10 * (seed as u32 % 10) },
            locations: 2 + seed as u32 % 5 + 16 * (seed as u32 / 30),
            mix: Mix {
                loads: 50,
                stores: 40,
                rmws: 10 * (seed as u32 % 2),
                fences: 3 * (seed as u32 % 3),
            },
            seed,
            ..Recipe::default()
        })
        .unwrap();
        (model, without_order(&history).unwrap())
    })
}

/// Histories with weak fences and annotations, with a model. They are runs of a stronger model's machine, so they
/// satisfy all order that fences and annotations add.
fn refined_histories() -> impl Iterator<Item = (Model, history::History)> {
    (0..40u64).map(|seed| {
        let is_kept_by_tso = |fence: &WeakFence| !fence.orders_store_load();
        let (ran, annotations, fences) = match seed % 2 {
            0 => (Model::SC, &Annotation::ALL[..], WeakFence::ALL.to_vec()),
            _ => (
                Model::TSO,
                &[Annotation::Release][..],
                WeakFence::ALL.into_iter().filter(is_kept_by_tso).collect(),
            ),
        };
        let history = generate(&Recipe {
            model: ran,
            threads: 2 + seed as u32 % 7,
            operations: 100 + 10 * (seed as u32 % 10),
            locations: 2 + seed as u32 % 9,
            mix: Mix {
                loads: 45,
                stores: 45,
                rmws: 10 * (seed as u32 % 3 / 2),
                fences: seed as u32 % 4,
            },
            seed,
            ..Recipe::default()
        });
        let mut accesses = common::accesses_of(&history.unwrap());
        let mut random = common::seeded(seed);
        let share = [0.05, 0.2][seed as usize / 2 % 2];
        common::refine(&mut random, &mut accesses, (share, &fences), annotations);
        let model = MODELS[1 + seed as usize % 3];
        (model, common::build(&accesses, &[]))
    })
}

#[test]
fn clocks_are_reachability_and_rules_add_nothing() {
    for (model, history) in histories().chain(refined_histories()) {
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
        let events = Events::new(&history, &reads_from, model, &vec![false; history.len()]);
        let bounds = Bounds::none();
        let rank = rank(&events, &history);
        let mut saturation = Saturation::new(&events, rank, Vec::new(), &bounds);
        saturation.reset().unwrap();
        check_fixpoint(&saturation);
        check_rules(&saturation);

        // Makes several choices, and undoes them.
        let mut random = common::seeded(events.len() as u64);
        let mut states = Vec::new();
        for _ in 0..60 {
            let pairs: Vec<(u32, u32)> = (0..random.random_range(1..6))
                .filter_map(|_| unordered(&saturation, &mut random))
                .collect();
            let before = clocks(&saturation);
            let mark = saturation.mark();
            states.push((mark, before, saturation.edges().len()));
            let chosen = saturation.assume(&pairs, Rule::Assumed, usize::MAX);
            if chosen.is_ok() {
                check_rules(&saturation);
            }
            if chosen.is_err() || random.random_ratio(1, 3) {
                let (mark, clocks_then, edges) = states.pop().unwrap();
                saturation.undo(mark);
                assert_eq!(clocks(&saturation), clocks_then);
                assert_eq!(saturation.edges().len(), edges);
            }
        }
        while let Some((mark, clocks_then, edges)) = states.pop() {
            saturation.undo(mark);
            assert_eq!(clocks(&saturation), clocks_then);
            assert_eq!(saturation.edges().len(), edges);
        }
        // The events that wait again derive nothing new.
        saturation.saturate(usize::MAX).unwrap();
        check_fixpoint(&saturation);
    }
}

fn clocks(saturation: &Saturation<'_>) -> Vec<Vec<u32>> {
    (0..saturation.events.len() as u32).map(|event| saturation.clock(event).to_vec()).collect()
}

/// Two writes of a location whose order is not known.
fn unordered(saturation: &Saturation<'_>, random: &mut rand::rngs::StdRng) -> Option<(u32, u32)> {
    let events = saturation.events;
    let writes: Vec<u32> = (0..events.len() as u32).filter(|&event| events.writes(event)).collect();
    (0..1000).find_map(|_| {
        let first = writes[random.random_range(0..writes.len())];
        let second = writes[random.random_range(0..writes.len())];
        let is_open = first != second
            && events.location[first as usize] == events.location[second as usize]
            && !saturation.precedes(first, second)
            && !saturation.precedes(second, first);
        is_open.then_some((first, second))
    })
}
