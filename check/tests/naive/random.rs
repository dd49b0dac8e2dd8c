//! Random runs: a random program is executed with some reordering, and then a few values are changed, so that the models
//! disagree about many of them.

use std::collections::BTreeMap;

use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};

use crate::atoms::Atoms;
use crate::cycle;
use crate::run::{Annotation, Dependency, FENCES, Initial, Kind, Operation, Place, Run};

/// What a run may have besides loads and stores of cells that start at 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Feature {
    Rmw,
    FailedCas,
    SilentRmw,
    LinkedPairs,
    FullFences,
    WeakFences,
    Annotations,
    Dependencies,
    /// Dependencies on whether a store-conditional succeeded.
    StoreStatus,
    Choices,
    /// Atomics whose written value depends on what they read.
    OwnDependencies,
    Ticks,
    Finals,
    GivenInitial,
    UnknownInitial,
    InferredInitial,
    HiddenReads,
    HiddenWrites,
    RepeatedValues,
    Bytes,
    MixedSizes,
}

use Feature as F;

impl Feature {
    pub(crate) const ALL: [Feature; 21] = [
        F::Rmw,
        F::FailedCas,
        F::SilentRmw,
        F::LinkedPairs,
        F::FullFences,
        F::WeakFences,
        F::Annotations,
        F::Dependencies,
        F::StoreStatus,
        F::Choices,
        F::OwnDependencies,
        F::Ticks,
        F::Finals,
        F::GivenInitial,
        F::UnknownInitial,
        F::InferredInitial,
        F::HiddenReads,
        F::HiddenWrites,
        F::RepeatedValues,
        F::Bytes,
        F::MixedSizes,
    ];

    /// How many of 100 runs have it.
    fn percent(self) -> u32 {
        match self {
            F::FullFences | F::WeakFences | F::Annotations | F::Dependencies => 35,
            F::StoreStatus | F::OwnDependencies => 50,
            F::Rmw | F::LinkedPairs | F::Ticks | F::RepeatedValues => 30,
            F::FailedCas | F::SilentRmw | F::Choices | F::Finals | F::GivenInitial => 20,
            F::UnknownInitial | F::HiddenReads | F::Bytes | F::MixedSizes => 15,
            F::InferredInitial | F::HiddenWrites => 8,
        }
    }
}

/// A random run, with the features that it may have.
pub(crate) fn run(seed: u64, allowed: &[Feature]) -> (Run, Vec<Feature>) {
    let mut random = StdRng::seed_from_u64(seed);
    let features: Vec<Feature> = Feature::ALL
        .into_iter()
        // Every feature is drawn, so that a seed's other features do not depend on those allowed.
        .filter(|feature| random.random_ratio(feature.percent(), 100))
        .filter(|feature| allowed.contains(feature))
        .collect();
    let mut maker = Maker { random, features, next_value: 0 };
    let run = maker.run();
    (run, maker.features)
}

/// A random annotation, or none if it does not fit the kind: only atomics can throw away what they read.
pub(crate) fn annotation(random: &mut StdRng, kind: Kind) -> Annotation {
    let annotation = *Annotation::ALL.choose(random).unwrap();
    if annotation.returns() || kind.is_atomic() { annotation } else { Annotation::None }
}

impl Operation {
    /// Whether later operations may depend on what the operation returns.
    pub(crate) fn returns(&self, features: &[Feature]) -> bool {
        let is_status = self.kind == Kind::StoreConditional && features.contains(&F::StoreStatus);
        self.kind.reads() || is_status
    }
}

struct Maker {
    random: StdRng,
    features: Vec<Feature>,
    next_value: u64,
}

impl Maker {
    fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.random.random_ratio(percent, 100)
    }

    fn run(&mut self) -> Run {
        let mut run = if self.chance(40) {
            cycle::run(&mut self.random, &self.features)
        } else {
            self.executed()
        };
        if self.has(F::OwnDependencies) {
            self.add_own_dependencies(&mut run);
        }
        if self.has(F::Ticks) {
            self.add_ticks(&mut run);
        }
        self.hide_values(&mut run);
        run.threads.retain(|own| !own.is_empty());
        run
    }

    /// A random program that was executed.
    fn executed(&mut self) -> Run {
        let threads = self.random.random_range(2..=3);
        let operations = *[2, 3, 4, 4, 5, 5, 6, 6, 7, 8].choose(&mut self.random).unwrap();
        let places = self.places();
        let mut run = Run {
            threads: vec![Vec::new(); threads],
            initial: Initial::Given(Vec::new()),
            finals: Vec::new(),
        };
        let mut left = operations;
        while left > 0 {
            let thread = self.random.random_range(0..threads);
            left -= self.add_operations(&mut run.threads[thread], &places).min(left);
        }
        for own in &mut run.threads {
            self.add_dependencies(own);
        }
        self.start(&mut run, &places);
        self.execute(&mut run);
        // The values of some runs come from an execution, with few changes; those of others are any.
        let changes = if self.chance(50) { self.random.random_range(0..=2) } else { 8 };
        for _ in 0..changes {
            self.change_read(&mut run);
        }
        run
    }

    /// The places that operations access.
    fn places(&mut self) -> Vec<Place> {
        let locations = *[1, 2, 2, 2, 3].choose(&mut self.random).unwrap();
        if self.has(F::MixedSizes) {
            let shapes = [(0, 1), (1, 1), (0, 2), (2, 2), (0, 4), (4, 4), (0, 8)];
            let shape = |random: &mut StdRng| *shapes.choose(random).unwrap();
            let all = (0..locations + 1).map(|_| {
                let (offset, size) = shape(&mut self.random);
                let base = 16 * self.random.random_range(1..=2);
                Place { address: base + offset, size: Some(size) }
            });
            return all.collect();
        }
        let size = self.has(F::Bytes).then(|| *[1, 2, 4, 8].choose(&mut self.random).unwrap());
        (0..locations).map(|at| Place { address: 8 * at, size }).collect()
    }

    /// Adds an operation, or two that belong together; returns their number.
    fn add_operations(&mut self, own: &mut Vec<Operation>, places: &[Place]) -> usize {
        let mut kinds =
            vec![Kind::Load, Kind::Load, Kind::Load, Kind::Store, Kind::Store, Kind::Store];
        let others = [
            (F::Rmw, Kind::Rmw),
            (F::FailedCas, Kind::FailedCas),
            (F::SilentRmw, Kind::SilentRmw),
            (F::LinkedPairs, Kind::LoadLinked),
            (F::FullFences, Kind::Fence(FENCES[0])),
            (F::WeakFences, Kind::Fence(*FENCES[1..].choose(&mut self.random).unwrap())),
        ];
        kinds.extend(others.into_iter().filter(|(feature, _)| self.has(*feature)).map(|it| it.1));
        let kind = *kinds.choose(&mut self.random).unwrap();
        let place = *places.choose(&mut self.random).unwrap();
        let place = (!matches!(kind, Kind::Fence(_))).then_some(place);
        let operation = self.annotated(Operation::new(kind, place));
        own.push(operation);
        if kind != Kind::LoadLinked || self.chance(15) {
            return 1;
        }
        // Something may come between a load-linked and its store-conditional.
        let between = if self.chance(30) { self.add_operations(own, places) } else { 0 };
        let store = self.annotated(Operation::new(Kind::StoreConditional, place));
        own.push(store);
        2 + between
    }

    fn annotated(&mut self, mut operation: Operation) -> Operation {
        let is_fence = operation.place.is_none();
        if !is_fence && self.has(F::Annotations) && self.chance(40) {
            operation.annotation = annotation(&mut self.random, operation.kind);
        }
        operation
    }

    fn add_dependencies(&mut self, own: &mut [Operation]) {
        let mut kinds = Vec::new();
        if self.has(F::Dependencies) {
            kinds.extend([Dependency::Address, Dependency::Data, Dependency::Control]);
        }
        if self.has(F::Choices) {
            kinds.push(Dependency::Choice);
        }
        for at in 1..own.len() {
            if kinds.is_empty() || !self.chance(60) {
                continue;
            }
            let kind = *kinds.choose(&mut self.random).unwrap();
            let on = self.random.random_range(0..at);
            let returns = own[on].returns(&self.features);
            let of_value = matches!(kind, Dependency::Data | Dependency::Choice);
            let writes = own[at].kind.writes() || own[at].kind == Kind::SilentRmw;
            let is_access = own[at].place.is_some();
            let fits = match kind {
                Dependency::Control => true,
                _ => is_access && (!of_value || writes),
            };
            if returns && fits {
                own[at].depends.push((kind, on));
            }
        }
    }

    /// Makes the value of some atomics depend on what they read, computed from it or written only if it is the expected one.
    fn add_own_dependencies(&mut self, run: &mut Run) {
        for own in &mut run.threads {
            for (at, operation) in own.iter_mut().enumerate() {
                let writes = matches!(operation.kind, Kind::Rmw | Kind::SilentRmw);
                if writes && self.random.random_bool(0.6) {
                    let kind = [Dependency::Data, Dependency::Choice].choose(&mut self.random);
                    operation.depends.extend(kind.map(|&kind| (kind, at)));
                }
            }
        }
    }

    fn start(&mut self, run: &mut Run, places: &[Place]) {
        let mut initial: Vec<(Place, Option<u64>)> = Vec::new();
        let is_given = self.has(F::GivenInitial)
            || self.has(F::UnknownInitial)
            || self.has(F::InferredInitial);
        for &place in places {
            let is_free = !initial.iter().any(|(other, _)| place.overlaps(*other));
            if is_given && is_free && self.chance(60) {
                initial.push((place, Some(self.value(place))));
            }
        }
        run.initial = Initial::Given(initial);
    }

    fn value(&mut self, place: Place) -> u64 {
        let size = place.size.unwrap_or(1);
        if self.has(F::RepeatedValues) && self.chance(60) {
            let byte = |random: &mut StdRng| random.random_range(0..=2u64);
            return (0..size).fold(0, |value, _| value << 8 | byte(&mut self.random));
        }
        self.next_value += 1;
        let value = self.next_value;
        // Some wide values differ in one byte only.
        if self.chance(50) { value } else { (0..size).fold(0, |all, _| all << 8 | value) }
    }

    /// Executes the operations: each thread's in an order near program order, those of all threads interleaved.
    fn execute(&mut self, run: &mut Run) {
        let mut memory = Memory::default();
        if let Initial::Given(values) = &run.initial {
            values.iter().for_each(|&(place, value)| memory.write(place, value.unwrap_or(0)));
        }
        let swaps = *[0, 0, 1, 2, 4].choose(&mut self.random).unwrap();
        let mut queues: Vec<(usize, Vec<usize>)> = Vec::new();
        for (thread, own) in run.threads.iter().enumerate() {
            let mut order: Vec<usize> = (0..own.len()).rev().collect();
            for _ in 0..swaps {
                if order.len() > 1 {
                    let at = self.random.random_range(1..order.len());
                    order.swap(at - 1, at);
                }
            }
            queues.push((thread, order));
        }
        while let Some((thread, at)) = self.next(&mut queues) {
            self.perform(&mut run.threads[thread], at, &mut memory);
        }
        if self.has(F::Finals) {
            for place in memory.places(run) {
                if self.chance(60) {
                    let value =
                        if self.chance(80) { memory.read(place) } else { self.value(place) };
                    run.finals.push((place, value));
                }
            }
        }
        let atoms = Atoms::of(run);
        if let Initial::Given(values) = &mut run.initial {
            let pieces =
                values.iter().flat_map(|&(place, value)| atoms.pieces(place, value.unwrap_or(0)));
            *values = pieces.map(|(place, value)| (place, Some(value))).collect();
            if self.features.contains(&F::UnknownInitial) {
                for (_, value) in values {
                    if self.random.random_bool(0.6) {
                        *value = None;
                    }
                }
            }
        }
        if self.has(F::InferredInitial) {
            run.initial = Initial::Infer;
        }
    }

    fn next(&mut self, queues: &mut Vec<(usize, Vec<usize>)>) -> Option<(usize, usize)> {
        queues.retain(|(_, order)| !order.is_empty());
        queues.shuffle(&mut self.random);
        let (thread, order) = queues.first_mut()?;
        Some((*thread, order.pop()?))
    }

    fn perform(&mut self, own: &mut [Operation], at: usize, memory: &mut Memory) {
        let (kind, Some(place)) = (own[at].kind, own[at].place) else { return };
        if kind.reads() {
            own[at].read = Some(memory.read(place));
        }
        if kind.writes() {
            let value = self.value(place);
            own[at].written = Some(value);
            memory.write(place, value);
        }
    }

    /// Makes a read return what another operation read or wrote there.
    fn change_read(&mut self, run: &mut Run) {
        let all = || run.operations().filter(|operation| operation.kind.reads());
        let Some(chosen) = (0..all().count()).collect::<Vec<_>>().choose(&mut self.random).copied()
        else {
            return;
        };
        let place = all().nth(chosen).and_then(|operation| operation.place);
        let same = run.operations().filter(|operation| operation.place == place);
        let mut values: Vec<u64> =
            same.flat_map(|operation| [operation.read, operation.written]).flatten().collect();
        if let Initial::Given(initial) = &run.initial {
            let first = initial.iter().find(|(at, _)| Some(*at) == place);
            values.push(first.and_then(|(_, value)| *value).unwrap_or(0));
        }
        let value = *values.choose(&mut self.random).unwrap();
        let mut reads = run.threads.iter_mut().flatten().filter(|operation| operation.kind.reads());
        if let Some(operation) = reads.nth(chosen) {
            operation.read = Some(value);
        }
    }

    fn add_ticks(&mut self, run: &mut Run) {
        for own in &mut run.threads {
            let mut tick = 0;
            for operation in own.iter_mut().filter(|operation| operation.place.is_some()) {
                tick += self.random.random_range(0..=3);
                operation.issued = self.random.random_bool(0.8).then_some(tick);
                let end = tick + self.random.random_range(0..=6);
                operation.completed = self.random.random_bool(0.8).then_some(end);
            }
        }
    }

    fn hide_values(&mut self, run: &mut Run) {
        let (reads, writes) = (self.has(F::HiddenReads), self.has(F::HiddenWrites));
        for operation in run.threads.iter_mut().flatten() {
            let is_silent = operation.kind == Kind::SilentRmw;
            if reads && !is_silent && self.random.random_bool(0.3) {
                operation.read = None;
            }
            if writes && self.random.random_bool(0.3) {
                operation.written = None;
            }
        }
    }
}

/// Memory, byte by byte. A cell is a byte that holds any value.
#[derive(Default)]
struct Memory(BTreeMap<u64, u64>);

impl Memory {
    fn read(&self, place: Place) -> u64 {
        let byte = |address: u64| self.0.get(&address).copied().unwrap_or(0);
        let Some(size) = place.size else { return byte(place.address) };
        (0..u64::from(size)).fold(0, |value, at| value | byte(place.address + at) << (8 * at))
    }

    fn write(&mut self, place: Place, value: u64) {
        let Some(size) = place.size else {
            self.0.insert(place.address, value);
            return;
        };
        for at in 0..u64::from(size) {
            self.0.insert(place.address + at, value >> (8 * at) & 0xff);
        }
    }

    /// The places that a run accesses, without those that overlap one before.
    fn places(&self, run: &Run) -> Vec<Place> {
        let mut places: Vec<Place> = Vec::new();
        for place in run.operations().filter_map(|operation| operation.place) {
            if !places.iter().any(|other| place.overlaps(*other)) {
                places.push(place);
            }
        }
        places
    }
}
