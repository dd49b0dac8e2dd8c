//! Checks that built-in protocols have the tables of the released protocols on which they are
//! based, except for the listed repairs.

use crate::tables;
use std::collections::BTreeSet;
use std::path::Path;

use slicc::protocol::Protocol;

/// Checks that the tables are the released ones, except for repairs.
fn compare(name: &str, folder: &Path) {
    let protocol =
        Protocol::open(name).unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics));
    let ours = tables::compiled(&protocol);
    let (theirs, mut wrong) = tables::repaired(name, tables::released(folder, &protocol), &ours);
    let pairs: BTreeSet<_> = ours.keys().chain(theirs.keys()).collect();
    for pair in pairs {
        let (ours, theirs) = (ours.get(pair), theirs.get(pair));
        if ours != theirs {
            wrong.push(format!(
                "{pair:?} is {ours:?}; with the repairs listed it should be {theirs:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{name}:\n{}", wrong.join("\n"));
}

/// The tests of a protocol.
macro_rules! protocol {
    ($module:ident, $name:literal) => {
        mod $module {
            #[test]
            fn has_the_table() {
                super::compare($name, &crate::tables::fixture("tables"));
            }

            #[test]
            #[ignore = "needs ../shared"]
            fn has_the_table_as_shared() {
                super::compare($name, &super::shared("transitions"));
            }
        }
    };
}

protocol!(mi_example, "MI_example");
protocol!(mesi_two_level, "MESI_Two_Level");
protocol!(moesi_hammer, "MOESI_hammer");
protocol!(moesi_amd_base, "MOESI_AMD_Base");

/// A folder of data about gem5.
fn shared(folder: &str) -> std::path::PathBuf {
    let shared = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/gem5");
    Path::new(shared).join(folder)
}
