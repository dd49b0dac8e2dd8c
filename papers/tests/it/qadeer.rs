//! Compares the simple witness and nice cycles with their definitions.

use crate::common;
use std::path::Path;

use crate::common::{accesses_of, change_reads, print, run, seeded, sized_program};
use check::nice_cycle::{CycleShape, NiceCycle};
use check::{Algorithm, Model, Options, Reason, Verdict, check};
use history::{
    Access, Ambiguity, History, HistoryBuilder, Initial, Kind, OpId, Place, Provenance, ReadSource,
    ReadsFrom,
};
use rand::RngExt;
use rand::seq::SliceRandom;

/// The history with an order of completions: the position of each operation, or `None` if it has none.
fn ordered(history: &History, places: &[Option<u32>]) -> History {
    let mut builder = HistoryBuilder::new();
    for (access, place) in accesses_of(history).into_iter().zip(places) {
        builder.push(Access { order: place.map(u64::from), ..access });
    }
    for last in history.finals() {
        let address = history.locations()[last.location as usize].address;
        builder.final_value(address, last.value, None);
    }
    builder.finish(Default::default(), &Initial::Zero, Provenance::made()).unwrap()
}

/// The literal definition of section 5: program order, and the order of a location for the simple witness.
struct Definition<'h> {
    history: &'h History,
    /// Per operation, the position of the write that it reads from among the writes of its location, the initial write
    /// at 0; `None` if it does not read.
    read: Vec<Option<usize>>,
    /// Per operation, its own position among these writes; `None` if it does not write.
    written: Vec<Option<usize>>,
}

impl<'h> Definition<'h> {
    fn new(history: &'h History, reads_from: &ReadsFrom) -> Definition<'h> {
        let place = |write: OpId| {
            let key = |op: OpId| (history.order(op).unwrap_or(u32::MAX), op);
            let earlier = history.ops().filter(|&op| {
                history.kind(op).writes()
                    && history.location(op) == history.location(write)
                    && key(op) < key(write)
            });
            1 + earlier.count()
        };
        let read = |op: OpId| {
            let read = match history.kind(op) {
                Kind::StoreConditional => history.linked_load(op)?,
                _ => op,
            };
            match reads_from.source(read)? {
                ReadSource::Initial => Some(0),
                ReadSource::Write(write) => Some(place(write)),
                _ => None,
            }
        };
        let written = |op: OpId| history.kind(op).writes().then(|| place(op));
        Definition {
            read: history.ops().map(read).collect(),
            written: history.ops().map(written).collect(),
            history,
        }
    }

    fn po(&self, x: OpId, y: OpId) -> bool {
        x < y && self.history.thread_of(x) == self.history.thread_of(y)
    }

    /// Whether one of the three conditions of section 5 orders x before y. An operation that reads and writes has two
    /// values.
    fn location_order(&self, x: OpId, y: OpId) -> bool {
        let history = self.history;
        if x == y || history.location(x).is_none() || history.location(x) != history.location(y) {
            return false;
        }
        let values = |op: OpId| [(self.read[op.at()], false), (self.written[op.at()], true)];
        values(x).into_iter().any(|(a, x_writes)| {
            values(y).into_iter().any(|(b, y_writes)| match (a, b) {
                (Some(a), Some(b)) => a < b || a == b && x_writes && !y_writes,
                _ => false,
            })
        })
    }

    /// Whether each final value is that of its location's last write.
    fn ends_right(&self) -> bool {
        let history = self.history;
        history.finals().iter().all(|last| {
            let here = |op: &OpId| history.location(*op) == Some(last.location);
            let write = history.ops().filter(here).max_by_key(|op| self.written[op.at()]);
            write.is_none_or(|op| {
                self.written[op.at()].is_none() || history.written(op) == Some(last.value)
            })
        })
    }

    fn is_acyclic(&self) -> bool {
        let mut left: Vec<OpId> = self.history.ops().collect();
        loop {
            let precedes = |x: OpId, y: OpId| self.po(x, y) || self.location_order(x, y);
            let first = left.iter().position(|&y| !left.iter().any(|&x| precedes(x, y)));
            match first {
                Some(first) => left.remove(first),
                None => return left.is_empty(),
            };
        }
    }

    /// Checks all conditions of a nice cycle.
    fn check_nice(&self, cycle: &NiceCycle) {
        let history = self.history;
        let threads: Vec<(OpId, OpId)> = cycle.processor_edges().collect();
        let locations: Vec<(OpId, OpId)> = cycle.location_edges().collect();
        if cycle.shape != CycleShape::Nice {
            assert_eq!((cycle.k(), locations.len()), (0, 2));
            assert_eq!(locations[0], (locations[1].1, locations[1].0));
            if cycle.shape == CycleShape::Atomicity {
                for (x, y) in locations {
                    assert!(self.location_order(x, y));
                }
            }
            return;
        }
        let k = cycle.k();
        assert!(k >= 1 && k <= history.threads().len().min(history.locations().len()));
        assert_eq!((threads.len(), locations.len()), (k, k));
        let mut vertices = Vec::new();
        for at in 0..k {
            let (u, v) = threads[at];
            assert!(self.po(u, v));
            assert!(self.location_order(locations[at].0, locations[at].1));
            assert_eq!(locations[at], (v, threads[(at + 1) % k].0));
            vertices.extend([u, v]);
            // Canonical: processors 1 to k, locations 2 to k and 1.
            assert_eq!(cycle.threads[at] as usize, history.thread_of(u));
            assert_eq!(Some(cycle.locations[(at + 1) % k]), history.location(v));
        }
        for mut names in [
            vertices.iter().map(|op| op.0).collect::<Vec<u32>>(),
            cycle.threads.clone(),
            cycle.locations.clone(),
        ] {
            let length = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), length, "distinct");
        }
        assert!(cycle.describe(history).contains("-nice cycle"));
    }
}

fn decide(history: &History, algorithm: Algorithm) -> Verdict {
    let reads_from = ReadsFrom::derive(history, Ambiguity::RefuseShared).unwrap();
    let options = Options { algorithm, ..Options::default() };
    check(history, &reads_from, Model::SC, &options).verdict
}

/// Compares both algorithms with the definition, and returns the cycle if there is one.
fn compare(history: &History, label: &str) -> Option<NiceCycle> {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).unwrap();
    let definition = Definition::new(history, &reads_from);
    let expected = definition.is_acyclic() && definition.ends_right();
    let mut found = None;
    for algorithm in [papers::SIMPLE_WITNESS, papers::NICE_CYCLE] {
        let told = || format!("{label} {algorithm:?}\n{}", print(history));
        match decide(history, algorithm) {
            Verdict::Consistent(_) => assert!(expected, "{}", told()),
            Verdict::Undecided(Reason::NoWitness(cycle)) => {
                assert!(!expected, "{}", told());
                definition.check_nice(&cycle);
                if let Some(first) = found.replace(*cycle) {
                    let best = found.as_ref().map_or(0, NiceCycle::k);
                    assert!(best <= first.k(), "{}", told());
                }
            }
            other => panic!("{other:?} {}", told()),
        }
    }
    found
}

fn random(seeds: std::ops::Range<u64>, linked: bool) {
    let (mut proved, mut shapes, mut lengths) = (0, [0; 3], [0; 6]);
    for seed in seeds {
        let mut random = seeded(seed);
        let accesses = sized_program(&mut random, (2..=5, 4..=24, 1..=5), linked);
        let finals = random.random_bool(0.2);
        let Some(history) = run(&mut random, &accesses, Model::SC, finals) else {
            continue;
        };
        let changes = random.random_range(0..=2);
        let history = change_reads(&mut random, &history, changes);
        let mut places: Vec<Option<u32>> = (0..history.len() as u32).map(Some).collect();
        match decide(&history, Algorithm::Complete) {
            // The order of a run, possibly with some changes.
            Verdict::Consistent(steps) if random.random_bool(0.7) => {
                for (at, step) in steps.into_iter().enumerate() {
                    if let memory::machine::Step::Execute(op) = step {
                        places[op.at()] = Some(at as u32);
                    }
                }
                for _ in 0..random.random_range(0..3) {
                    let (a, b) = (0..history.len(), 0..history.len());
                    places.swap(random.random_range(a), random.random_range(b));
                }
            }
            _ => places.shuffle(&mut random),
        }
        for place in &mut places {
            if random.random_bool(0.05) {
                *place = None;
            }
        }
        if places.iter().all(Option::is_none) {
            continue;
        }
        let history = ordered(&history, &places);
        match compare(&history, &format!("seed {seed}")) {
            None => proved += 1,
            Some(cycle) => {
                shapes[cycle.shape as usize] += 1;
                lengths[cycle.k()] += 1;
            }
        }
    }
    assert!(proved > 50, "{proved} {shapes:?} {lengths:?}");
    assert!(shapes[..2].iter().all(|&n| n > 20), "{shapes:?}");
    assert!(lengths[1..3].iter().all(|&n| n > 0), "{lengths:?}");
}

#[test]
fn witnesses_and_cycles_are_as_defined() {
    random(0..4000, false);
}

#[test]
fn load_linked_pairs() {
    random(100_000..102_000, true);
}

fn access(thread: u32, cell: u64, read: Option<u64>, written: Option<u64>, at: u32) -> Access {
    let kind = match (read, written) {
        (Some(_), Some(_)) => Kind::Rmw,
        (Some(_), None) => Kind::Load,
        _ => Kind::Store,
    };
    Access {
        read,
        written,
        order: Some(u64::from(at)),
        ..Access::new(thread, kind, Place::Cell(cell))
    }
}

#[test]
fn reading_backwards_is_a_cycle_of_one_location() {
    let history = common::build(
        &[
            access(0, 7, None, Some(1), 0),
            access(0, 7, None, Some(2), 1),
            access(1, 7, Some(2), None, 2),
            access(1, 7, Some(1), None, 3),
        ],
        &[],
    );
    let cycle = compare(&history, "CoRR").unwrap();
    assert_eq!((cycle.k(), cycle.shape), (1, CycleShape::Nice));
    assert_eq!(
        cycle.describe(&history),
        "1-nice cycle load M[7] == 2 -thread 1-> load M[7] == 1 -M[7]-> load M[7] == 2 (in canonical \
         form processors 1 are threads 1, locations 1 M[7])"
    );
}

#[test]
fn store_buffering_is_a_cycle_of_two() {
    let history = common::build(
        &[
            access(0, 0, None, Some(1), 0),
            access(0, 1, Some(0), None, 2),
            access(1, 1, None, Some(1), 1),
            access(1, 0, Some(0), None, 3),
        ],
        &[],
    );
    let cycle = compare(&history, "SB").unwrap();
    assert_eq!(cycle.k(), 2);
    assert_eq!((&*cycle.threads, &*cycle.locations), (&[0, 1][..], &[0, 1][..]));
}

#[test]
fn without_completions_there_is_no_witness() {
    let store = Access { order: None, ..access(0, 0, None, Some(1), 0) };
    let verdict = decide(&common::build(&[store], &[]), papers::SIMPLE_WITNESS);
    assert_eq!(verdict, Verdict::Undecided(Reason::NoCompletions));
}

/// A history that the trace's order proves consistent is also proved by the order of its writes.
#[test]
fn recorded_traces() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/traces");
    let (mut proved, mut cycles) = (0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let trace = ingest::read_path(&path, &Default::default()).unwrap();
        for history in &trace.histories {
            let in_trace_order =
                matches!(decide(history, Algorithm::TraceOrder), Verdict::Consistent(_));
            match decide(history, papers::SIMPLE_WITNESS) {
                Verdict::Consistent(_) => proved += 1,
                Verdict::Undecided(Reason::NoWitness(cycle)) => {
                    assert!(!in_trace_order, "{}: {}", path.display(), cycle.describe(history));
                    println!("{}: {}", path.display(), cycle.describe(history));
                    cycles += 1;
                }
                other => assert!(!in_trace_order, "{}: {other:?}", path.display()),
            }
        }
    }
    assert!(proved >= 3 && cycles >= 1, "{proved} {cycles}");
}
