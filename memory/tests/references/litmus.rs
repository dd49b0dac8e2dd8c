//! Litmus tests whose verdicts under each model are known.

use crate::common::build;
use history::{Access, Kind, Place};
use memory::Execution;
use memory::axioms::allows;
use memory::{Model, models};

fn load(thread: u32, cell: u64, value: u64) -> Access {
    Access { read: Some(value), ..Access::new(thread, Kind::Load, Place::Cell(cell)) }
}

fn store(thread: u32, cell: u64, value: u64) -> Access {
    Access { written: Some(value), ..Access::new(thread, Kind::Store, Place::Cell(cell)) }
}

/// The models that allow a test, by name.
fn allowed(accesses: &[Access]) -> Vec<&'static str> {
    let history = build(accesses);
    let execution = Execution::new(&history).unwrap();
    let all = models::with_machines();
    all.filter(|model| allows(&execution, model)).map(|model| model.name()).collect()
}

#[test]
fn store_buffering() {
    let test = [store(0, 0, 1), load(0, 1, 0), store(1, 1, 1), load(1, 0, 0)];
    assert_eq!(allowed(&test), ["ibm370", "tso", "pso"]);
}

#[test]
fn message_passing() {
    let test = [store(0, 0, 1), store(0, 1, 1), load(1, 1, 1), load(1, 0, 0)];
    assert_eq!(allowed(&test), ["pso"]);
}

#[test]
fn load_buffering() {
    let test = [load(0, 0, 1), store(0, 1, 1), load(1, 1, 1), store(1, 0, 1)];
    assert!(allowed(&test).is_empty());
}

/// Store buffering with a load of each thread's own store in between. With forwarding that load waits for
/// nothing; without, it waits until the store has reached memory, and the outcome is forbidden.
#[test]
fn store_buffering_through_own_loads() {
    let test = [
        store(0, 0, 1),
        load(0, 0, 1),
        load(0, 1, 0),
        store(1, 1, 1),
        load(1, 1, 1),
        load(1, 0, 0),
    ];
    assert_eq!(allowed(&test), ["tso", "pso"]);
}

#[test]
fn names_are_unique() {
    for (at, model) in models::ALL.iter().enumerate() {
        assert_eq!(Model::from_name(model.name(), Default::default()), Some(*model));
        assert!(models::ALL[..at].iter().all(|other| other.name() != model.name()));
    }
}
