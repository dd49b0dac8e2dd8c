//! The mutants that operators make of a protocol, each with an id that describes the edit.
//!
//! ```
//! use mutate::made;
//! use slicc::protocol::Protocol;
//!
//! let protocol = Protocol::open("MI_example").unwrap();
//! let mutant = made::find(&protocol, "MI_example/L1Cache/IM.Data/drop-action:fill_entry").unwrap();
//! let patch = mutant.patch(&protocol.loaded).unwrap();
//! assert!(patch.contains("\n+  transition(IM, Data, M) {write_miss_done,"));
//! ```

use slicc::near::near;
use slicc::protocol::Protocol;

use crate::collector::Collector;
use crate::edit;
use crate::mutant::Mutant;
use crate::operator::Operator;
use crate::operators;
use crate::scene::Scene;

/// Returns all mutants of a protocol, ordered by machine, then operator, then place in the text.
/// Patches are computed on demand.
pub fn all(protocol: &Protocol) -> Vec<Mutant> {
    some(protocol, |_, _| true)
}

/// Returns the mutants that the given operators make of a protocol; those of all operators if none
/// is given.
pub fn by(protocol: &Protocol, operators: &[Operator]) -> Vec<Mutant> {
    some(protocol, |_, one| operators.is_empty() || operators.contains(&one))
}

/// Finds the mutant of a protocol with this id.
pub fn find(protocol: &Protocol, id: &str) -> Option<Mutant> {
    let wanted = id.split('/').nth(1)?;
    let detail = id.rsplit('/').next()?;
    let operator: Operator = detail.split([':', '@']).next()?.parse().ok()?;
    let near = some(protocol, |machine, one| machine == wanted && one == operator);
    near.into_iter().find(|one| one.name == id)
}

/// Returns the mutants of the pairs of machine and operator that `is_wanted` selects.
fn some(protocol: &Protocol, is_wanted: impl Fn(&str, Operator) -> bool) -> Vec<Mutant> {
    let mut found = Collector {
        protocol: protocol.name(),
        files: edit::files(&protocol.loaded),
        machine: "",
        operator: Operator::SwapActions,
        mutants: Vec::new(),
    };
    for scene in Scene::all(protocol) {
        found.machine = &scene.tables.name;
        for &operator in Operator::ALL {
            if is_wanted(found.machine, operator) {
                found.operator = operator;
                operators::enumerate(operator, &scene, &mut found);
            }
        }
    }
    found.mutants
}

/// The ids of a protocol's mutants that are similar to `id`, the most similar first.
pub fn nearest(protocol: &Protocol, id: &str) -> Vec<String> {
    let all = all(protocol);
    let near = near(id, all.iter().map(|one| &*one.name));
    near.into_iter().map(str::to_owned).collect()
}
