//! Repairs of released protocols: the built-in protocols have them, and a repair takes out the named
//! mutant of its name. gem5's own files are not part of the repository, so nothing is tested on them.

use mutate::touched::touched;
use mutate::{Misfit, Mutant, named, repair};
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;

/// The repairs that a built-in protocol has in a form of its own: applied to the mutant of the same name, the repair
/// does not give the built-in protocol back.
const IN_ITS_OWN_FORM: [&str; 9] = [
    // The answer of memory is for the DMA engine that the TBE names, not for the directory.
    "mesi2-dir-cleanreplacement-during-dma",
    // The block comes from the TBE.
    "amd-clean-victim-blank-data",
    // The directory notes victims that have been taken, too.
    "amd-stale-dirty-victim",
    // A store that has joined that of the partner waits for its own turn.
    "amd-pair-locked-rmw-split",
    // Messages that have to wait are set aside instead of recycled.
    "amd-corepair-recycles-probe-queue",
    // The directory looks at the line before it triggers an event.
    "amd-dir-memory-write-overtaken",
    // The actions are in another order.
    "amd-dir-dma-l3hit-undefined",
    "hammer-l1-flush-end-no-notify",
    // The full-bit directory notes holders in a field of its own.
    "hammer-dir-flush-by-stranger",
];

fn open(name: &str) -> Protocol {
    Protocol::open(name).unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics))
}

/// The repairs of the protocols that are built in.
fn of_built_in() -> impl Iterator<Item = Mutant> {
    let is_built_in = |one: &Mutant| fixtures::protocol(&one.protocol).is_some();
    repair::all().filter(is_built_in)
}

#[test]
fn every_table_has_repairs_and_their_names_are_unique() {
    for (protocol, _) in fixtures::REPAIRS {
        assert!(repair::of(protocol).count() > 0, "{protocol}");
    }
    for one in repair::all() {
        assert!(one.description.ends_with('.'), "{}", one.name);
        assert_eq!(repair::all().filter(|other| other.name == one.name).count(), 1, "{}", one.name);
        let fault = named::find(&one.name);
        assert!(fault.is_none_or(|fault| fault.protocol == one.protocol), "{}", one.name);
    }
}

/// Whether a fault came with a release after 24.0.0.1, whose tables the built-in protocols have.
fn is_newer(repair: &str) -> bool {
    let rows = fixtures::RELEASED.lines().filter_map(|line| line.strip_prefix(repair));
    rows.filter(|rest| rest.starts_with(',')).all(|rest| !rest.contains(",24.0.0.1 to "))
}

#[test]
fn the_built_in_protocols_have_the_repairs() {
    for one in of_built_in() {
        let fits = one.fits(&open(&one.protocol).loaded);
        if is_newer(&one.name) {
            assert!(matches!(fits, Err(Misfit::Nowhere { .. })), "{}: {fits:?}", one.name);
            continue;
        }
        assert!(matches!(fits, Err(Misfit::Already(_))), "{}: {fits:?}", one.name);
    }
}

#[test]
fn a_repair_takes_the_mutant_of_its_name_out() {
    let mut tried = 0;
    for one in of_built_in().filter(|one| !IN_ITS_OWN_FORM.contains(&&*one.name)) {
        let Some(mutant) = named::find(&one.name) else {
            continue;
        };
        let original = open(&one.protocol);
        let with = |protocol: &Protocol, change: &Mutant| {
            let changed = protocol.with(change);
            changed.unwrap_or_else(|failure| panic!("{}: {:?}", one.name, failure.diagnostics))
        };
        let back = with(&with(&original, &mutant), &one);
        let touched = touched(&original, &back, true);
        assert_eq!(touched.entries, [], "{}", one.name);
        assert!(touched.elsewhere.is_empty(), "{}: {:?}", one.name, touched.elsewhere);
        let again = one.fits(&back.loaded);
        assert!(matches!(again, Err(Misfit::Already(_))), "{}: {again:?}", one.name);
        tried += 1;
    }
    assert!(tried >= 15, "{tried}");
}

/// Applies all repairs that fit to a built-in protocol with a mutant. Returns their names, and the entries that still
/// differ from the built-in protocol.
fn repaired(mutant: &str) -> (Vec<String>, Vec<TableEntry>) {
    let mutant = named::find(mutant).unwrap();
    let original = open(&mutant.protocol);
    let mutated = original.with(&mutant).unwrap();
    let repaired = repair::all_that_fit(&mutated);
    let names = repaired.applied.iter().map(|one| one.name.to_string()).collect();
    (names, touched(&original, &repaired.protocol, true).entries)
}

#[test]
fn only_the_repair_that_is_missing_is_applied() {
    let (names, touched) = repaired("mi-dir-dma-write-offset");
    assert_eq!(names, ["mi-dir-dma-write-offset"]);
    assert_eq!(touched, []);
    let (names, touched) = repaired("mesi2-l1-pf-late-block-used");
    assert_eq!(names, ["mesi2-l1-pf-late-block-used"]);
    assert_eq!(touched, []);
}
