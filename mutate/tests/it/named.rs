//! Named mutants of edited protocols: a protocol that has the fault already, or in which not
//! exactly one place fits, is reported, and rows that share an action with a changed one stay as
//! they are.

use mutate::touched::touched;
use mutate::{Misfit, named};
use slicc::protocol::Protocol;

fn open(name: &str) -> Protocol {
    Protocol::open(name).unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics))
}

/// A built-in protocol with replacements in its files.
fn edited(name: &str, replacements: &[(&str, &str)]) -> (tempfile::TempDir, Protocol) {
    let original = open(name);
    let folder = tempfile::tempdir().unwrap();
    let mut found = 0;
    for (path, text) in original.loaded.own_files() {
        let mut text = text.to_owned();
        for (was, now) in replacements {
            found += text.matches(was).count();
            text = text.replace(was, now);
        }
        std::fs::write(folder.path().join(path), text).unwrap();
    }
    assert_eq!(found, replacements.len());
    let root = folder.path().join(format!("{name}.slicc"));
    let protocol = Protocol::open(root.to_str().unwrap());
    (folder, protocol.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics)))
}

fn misfit(protocol: &Protocol, mutant: &str) -> Misfit {
    let mutant = named::find(mutant).unwrap();
    mutant.fits(&protocol.loaded).unwrap_err()
}

#[test]
fn a_protocol_that_has_the_fault_says_so() {
    let was = "transition(M, Fwd_GETX, I) {pass_block_on, tell_core_of_loss, pop_forward}";
    let row = "transition(M, Replacement, MI) {take_tbe, keep_copy, put_block, tell_core_of_loss, free_entry}";
    let other = "transition(M, Inv, MI) {take_tbe, keep_copy, put_block, tell_core_of_loss, free_entry, pop_forward}";
    let without = |row: &str| row.replace("tell_core_of_loss, ", "");
    let (_folder, protocol) =
        edited("MI_example", &[(was, was), (row, &without(row)), (other, &without(other))]);
    let found = misfit(&protocol, "mi-l1-replace-no-notify");
    let said = found.to_string();
    assert!(matches!(found, Misfit::Already(_)), "{said}");
    assert!(
        said.contains(
            "has it already: in L1Cache (M, Replacement), (M, Inv), nothing calls evictionCallback"
        ),
        "{said}"
    );
}

#[test]
fn candidates_are_listed() {
    let row = "transition(M, Replacement, MI) {take_tbe, keep_copy, put_block, tell_core_of_loss, free_entry}";
    let twice = row.replace("free_entry", "tell_core_of_loss, free_entry");
    let (_folder, protocol) = edited("MI_example", &[(row, &twice)]);
    let found = misfit(&protocol, "mi-l1-replace-no-notify");
    let said = found.to_string();
    assert!(matches!(found, Misfit::Several { .. }), "{said}");
    assert!(said.starts_with("2 places fit, and one must: "), "{said}");
    assert_eq!(said.matches("action tell_core_of_loss (").count(), 2, "{said}");
    assert!(said.contains("MI_example-cache.sm:"), "{said}");

    let (_folder, protocol) =
        edited("MI_example", &[("(M, Replacement, MI)", "(M, Replacement, M)")]);
    assert_eq!(named::find("mi-l1-replace-no-notify").unwrap().fits(&protocol.loaded), Ok(()));
    let (_folder, protocol) = edited("MI_example", &[(row, "")]);
    let found = misfit(&protocol, "mi-l1-replace-no-notify");
    let said = found.to_string();
    assert!(matches!(found, Misfit::Nowhere { .. }), "{said}");
    assert!(said.contains("no transition (M, Replacement) of L1Cache"), "{said}");
    assert!(said.contains("L1Cache (M, Fwd_GETX) ("), "{said}");
}

/// A change of one row leaves the other rows alone, even if they share its action.
#[test]
fn a_shared_action_is_not_changed_for_other_rows() {
    let tell = "  action(tell_core_of_loss,";
    let (_folder, protocol) = edited(
        "MI_example",
        &[
            (
                tell,
                "  action(both, \"tb\", desc=\"told and popped\") {\n    sequencer.evictionCallback(address);\n    \
             forward_in.dequeue(clockEdge());\n  }\n\n  action(tell_core_of_loss,",
            ),
            ("{pass_block_on, tell_core_of_loss, pop_forward}", "{pass_block_on, both}"),
            (
                "{take_tbe, keep_copy, put_block, tell_core_of_loss, free_entry, pop_forward}",
                "{take_tbe, keep_copy, put_block, free_entry, both}",
            ),
        ],
    );
    let mutant = named::find("mi-l1-replace-no-notify").unwrap();
    let mutated = protocol.with(&mutant).unwrap();
    let places: Vec<String> =
        touched(&protocol, &mutated, true).entries.iter().map(ToString::to_string).collect();
    assert_eq!(places.len(), 2, "{places:?}");
    let patch = mutant.patch(&protocol.loaded).unwrap();
    assert!(patch.contains("+  action(both_alone, \"tb2\""), "{patch}");
}
