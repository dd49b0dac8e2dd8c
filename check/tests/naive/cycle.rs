//! Random runs around a cycle, as the tool diy makes them: each thread accesses a location that the thread before it accesses,
//! and one that the next thread accesses, and the values show that the next access comes later. Such a run is allowed only by
//! the models that reorder the two accesses of some thread.

use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

use crate::random::{Feature, annotation};
use crate::run::{Dependency, FENCES, Initial, Kind, Operation, Place, Run};

/// How one thread's access is seen to precede the next thread's access of the same location.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Communication {
    /// The second reads what the first wrote.
    ReadsFrom,
    /// The first reads what the second overwrites.
    FromRead,
    /// The second overwrites what the first wrote, as a final value shows.
    Coherence,
}

impl Communication {
    fn starts_with_write(self) -> bool {
        self != Communication::FromRead
    }

    fn ends_with_write(self) -> bool {
        self != Communication::ReadsFrom
    }
}

/// A run around a cycle of two or three threads.
pub(crate) fn run(random: &mut StdRng, features: &[Feature]) -> Run {
    let mut maker = Maker { random, features, value: 0 };
    let threads = if maker.chance(70) { 2 } else { 3 };
    let communications: Vec<Communication> = (0..threads).map(|_| maker.communication()).collect();
    let size = maker.size();
    let place = |at: usize| Place { address: 16 * at as u64, size };
    let mut finals = Vec::new();
    let mut own = vec![Vec::new(); threads];
    let mut ends = vec![Vec::new(); threads];
    for (at, &communication) in communications.iter().enumerate() {
        let next = (at + 1) % threads;
        let (end, start, last) = maker.communicate(communication, place(at));
        finals.extend(last.map(|value| (place(at), value)));
        ends[at] = end;
        own[next] = start;
    }
    for (at, end) in ends.into_iter().enumerate() {
        maker.link(&mut own[at], end, place(8 + at));
    }
    Run { threads: own, initial: Initial::Given(Vec::new()), finals }
}

struct Maker<'a> {
    random: &'a mut StdRng,
    features: &'a [Feature],
    value: u64,
}

impl Maker<'_> {
    fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.random.random_ratio(percent, 100)
    }

    fn any<T: Copy>(&mut self, of: &[T]) -> T {
        *of.choose(self.random).expect("there is something to choose")
    }

    fn size(&mut self) -> Option<u8> {
        let has_sizes = self.has(Feature::Bytes) || self.has(Feature::MixedSizes);
        has_sizes.then(|| self.any(&[1, 2, 4, 8]))
    }

    fn communication(&mut self) -> Communication {
        let all = [Communication::ReadsFrom, Communication::FromRead, Communication::Coherence];
        self.any(if self.has(Feature::Finals) { &all } else { &all[..2] })
    }

    /// The accesses of a location by two threads, of which the first is seen to precede the second, and the final value that
    /// is needed for that.
    fn communicate(
        &mut self,
        communication: Communication,
        place: Place,
    ) -> (Vec<Operation>, Vec<Operation>, Option<u64>) {
        let mut memory = 0;
        let first = self.access(communication.starts_with_write(), place, &mut memory);
        let second = self.access(communication.ends_with_write(), place, &mut memory);
        let last = (communication == Communication::Coherence).then_some(memory);
        (first, second, last)
    }

    /// An access, which may take two operations.
    fn access(&mut self, writes: bool, place: Place, memory: &mut u64) -> Vec<Operation> {
        let mut kinds = vec![if writes { Kind::Store } else { Kind::Load }];
        kinds.push(kinds[0]);
        if writes && self.has(Feature::Rmw) {
            kinds.push(Kind::Rmw);
        }
        if writes && self.has(Feature::LinkedPairs) {
            kinds.push(Kind::StoreConditional);
        }
        let reading = [
            (Feature::FailedCas, Kind::FailedCas),
            (Feature::SilentRmw, Kind::SilentRmw),
            (Feature::LinkedPairs, Kind::LoadLinked),
        ];
        if !writes {
            kinds.extend(reading.iter().filter(|it| self.has(it.0)).map(|it| it.1));
        }
        let kind = self.any(&kinds);
        let mut operations = Vec::new();
        if kind == Kind::StoreConditional {
            operations.push(self.operation(Kind::LoadLinked, place, memory));
        }
        operations.push(self.operation(kind, place, memory));
        operations
    }

    fn operation(&mut self, kind: Kind, place: Place, memory: &mut u64) -> Operation {
        let mut operation = Operation::new(kind, Some(place));
        operation.read = kind.reads().then_some(*memory);
        if kind.writes() {
            self.value += 1;
            *memory = self.value;
            operation.written = Some(*memory);
        }
        if self.has(Feature::Annotations) && self.chance(30) {
            operation.annotation = annotation(self.random, kind);
        }
        operation
    }

    /// Appends `end` to the operations of a thread, with what may order the two.
    fn link(&mut self, own: &mut Vec<Operation>, end: Vec<Operation>, private: Place) {
        let features = self.features;
        let returning =
            |own: &[Operation]| own.iter().rposition(|operation| operation.returns(features));
        let mut depends = Vec::new();
        let has_choices = self.has(Feature::Choices);
        let has_dependencies = self.has(Feature::Dependencies) || has_choices;
        for _ in 0..self.random.random_range(0..=2) {
            if self.has(Feature::FullFences) && self.chance(15) {
                own.push(Operation::new(Kind::Fence(FENCES[0]), None));
            }
            if self.has(Feature::WeakFences) && self.chance(40) {
                let fence = self.any(&FENCES[1..]);
                let mut operation = Operation::new(Kind::Fence(fence), None);
                if let Some(on) = returning(own).filter(|_| has_dependencies && self.chance(50)) {
                    operation.depends.push((Dependency::Control, on));
                }
                own.push(operation);
            }
            if has_dependencies && self.chance(50) {
                // A dependency through memory.
                let mut memory = 0;
                let kind =
                    if self.has(Feature::Rmw) && self.chance(20) { Kind::Rmw } else { Kind::Store };
                let mut store = self.operation(kind, private, &mut memory);
                store.depends.extend(returning(own).map(|on| (self.dependency(true), on)));
                own.push(store);
                let load = self.operation(Kind::Load, private, &mut memory);
                own.push(load);
            }
        }
        if let Some(on) = returning(own).filter(|_| has_dependencies && self.chance(80)) {
            let writes = end.iter().any(|operation| operation.kind.writes());
            depends.push((self.dependency(writes), on));
        }
        let first = own.len();
        own.extend(end);
        // Of two operations, the last is the access.
        let to = if self.chance(50) { first } else { own.len() - 1 };
        let takes_value = own[to].kind.writes();
        let fits = |kind: Dependency| {
            takes_value || matches!(kind, Dependency::Address | Dependency::Control)
        };
        own[to].depends.extend(depends.into_iter().filter(|(kind, _)| fits(*kind)));
    }

    fn dependency(&mut self, writes: bool) -> Dependency {
        let mut kinds = Vec::new();
        if self.has(Feature::Dependencies) {
            kinds.extend([Dependency::Address, Dependency::Control]);
            kinds.extend(writes.then_some(Dependency::Data));
        }
        if self.has(Feature::Choices) {
            kinds.extend(if writes { Some(Dependency::Choice) } else { None });
        }
        if kinds.is_empty() { Dependency::Control } else { self.any(&kinds) }
    }
}
