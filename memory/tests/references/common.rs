//! Makes small random histories, for tests that compare one reference with another.

use history::{
    Access, Annotation, History, HistoryBuilder, Initial, Kind, Place, Provenance, WeakFence,
};
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

/// The history of some accesses, where the order of a thread's accesses is its program order.
pub(crate) fn build(accesses: &[Access]) -> History {
    let mut builder = HistoryBuilder::new();
    for access in accesses {
        builder.push(*access);
    }
    let history = builder.finish(Default::default(), &Initial::Zero, Provenance::made());
    history.unwrap()
}

/// Random accesses of two to three threads to two locations, with unique written values and reads that return a
/// written value of the location or 0. With `refined`, also weak fences, acquires and releases.
pub(crate) fn random(seed: u64, operations: usize, refined: bool) -> Vec<Access> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let threads = random.random_range(2..=3u32);
    let mut accesses = Vec::new();
    for number in 0..operations {
        let kinds: &[Kind] = &[Kind::Load, Kind::Load, Kind::Store, Kind::Store, Kind::Rmw];
        let kind = match random.random_range(0..10) {
            0 => Kind::Fence,
            1 if refined => Kind::WeakFence(*WeakFence::ALL.choose(&mut random).unwrap()),
            _ => *kinds.choose(&mut random).unwrap(),
        };
        let place =
            if kind.is_fence() { Place::Nowhere } else { Place::Cell(random.random_range(0..2)) };
        let annotation = if refined && !kind.is_fence() {
            *Annotation::ALL.choose(&mut random).unwrap()
        } else {
            Annotation::None
        };
        let written = kind.writes().then_some(number as u64 + 1);
        let thread = random.random_range(0..threads);
        accesses.push(Access { written, annotation, ..Access::new(thread, kind, place) });
    }
    for at in 0..accesses.len() {
        if accesses[at].kind.reads() {
            let same = |it: &&Access| it.place == accesses[at].place;
            let written = accesses.iter().filter(same).filter_map(|it| it.written);
            let values: Vec<u64> =
                written.filter(|&value| Some(value) != accesses[at].written).chain([0]).collect();
            accesses[at].read = values.choose(&mut random).copied();
        }
    }
    accesses
}
