//! Builds a history operation by operation, as a simulator or a test bench would, and asks which models allow it.

use std::error::Error;

use rubric::{Access, HistoryBuilder, Initial, Kind, Model, Place, Provenance, check};

/// Asks which models allow a reader that sees the flag and not the data.
pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let (data, flag) =
        (Place::Bytes { address: 0x1000, size: 8 }, Place::Bytes { address: 0x1040, size: 8 });
    let store = |thread, place, value| Access {
        written: Some(value),
        ..Access::new(thread, Kind::Store, place)
    };
    let load = |thread, place, value| Access {
        read: Some(value),
        ..Access::new(thread, Kind::Load, place)
    };
    let mut builder = HistoryBuilder::new();
    // Message passing: the reader sees the flag, and then not the data.
    builder.push(store(0, data, 42));
    builder.push(store(0, flag, 1));
    builder.push(load(1, flag, 1));
    builder.push(load(1, data, 0));
    let history = builder.finish(Default::default(), &Initial::Zero, Provenance::made())?;
    for model in [Model::SC, Model::TSO, Model::PSO, Model::RVWMO, Model::ARMV8] {
        println!("{model}: {}", check(&history, model)?.verdict().word());
    }
    assert!(!check(&history, Model::TSO)?.is_consistent());
    assert!(check(&history, Model::RVWMO)?.is_consistent());
    Ok(())
}
