mod machines;
mod under_way;

use std::collections::BTreeSet;
use std::path::Path;

use super::*;
use crate::load::load_with;
use crate::protocol::BLOCK_BYTES;

/// The entries of a built-in protocol that are listed as unreached, whatever the reason.
fn listed(name: &str) -> BTreeSet<TableEntry> {
    let rows = fixtures::UNREACHABLE.lines().map(|line| line.splitn(6, ',').collect::<Vec<_>>());
    let own = rows.filter(|row| row[0] == name);
    own.map(|row| TableEntry::new(row[1], row[2], row[3])).collect()
}

#[test]
fn no_entry_that_runs_take_is_excluded() {
    for (name, least) in
        [("MI_example", 4), ("MESI_Two_Level", 0), ("MOESI_hammer", 11), ("MOESI_AMD_Base", 100)]
    {
        let protocol = Protocol::open(name).unwrap();
        let found = reachable(&protocol, &World::any());
        let listed = listed(name);
        for (entry, why) in found.excluded() {
            assert!(
                listed.contains(entry),
                "{name}: {entry} is excluded, though runs take it: {why}"
            );
        }
        assert!(found.excluded().count() >= least, "{name}: {}", found.excluded().count());
    }
}

const ASSIGNMENT: &str = "      out_msg.Type := CoherenceRequestType:GETX;\n      out_msg.Requestor := machineID;\n      out_msg.Destination.add(mapAddressToMachine(address, MachineType:Directory));\n      out_msg.MessageSize := MessageSizeType:Request_Control;";

/// A built-in protocol in which one text is replaced with another, each of these once.
fn edited(name: &str, edits: &[(&str, &str)]) -> Protocol {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/protocols"));
    let mut found = vec![false; edits.len()];
    let loaded = load_with(&folder.join(format!("{name}.slicc")), &mut |path| {
        let mut text = std::fs::read_to_string(path)?;
        for ((from, to), found) in edits.iter().zip(&mut found) {
            *found |= text.contains(from);
            text = text.replacen(from, to, 1);
        }
        Ok(text.into_bytes())
    });
    assert!(found.iter().all(|found| *found), "an edit applies nowhere: {edits:?}");
    let protocol = loaded.and_then(|loaded| Protocol::new(loaded, BLOCK_BYTES));
    protocol.unwrap_or_else(|failure| {
        let messages = failure.diagnostics.iter().map(|one| &*one.message);
        panic!("{edits:?}: {:?}", messages.collect::<Vec<_>>())
    })
}

/// Why no run takes an entry of the table, of any system.
fn why_not_in_any(
    protocol: &Protocol,
    (machine, state, event): (&str, &str, &str),
) -> Option<String> {
    let found = reachable(protocol, &World::any());
    found.why_not(&TableEntry::new(machine, state, event)).map(ToString::to_string)
}

/// MI_example with these declarations before the actions of its cache, and with other code for the type of the request by which the
/// cache asks for a line, at which the directory may trigger GETS.
fn asking(declarations: &str, code: &str) -> Protocol {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/protocols"));
    let before = "  // ACTIONS: messages";
    let other = ASSIGNMENT.replacen("out_msg.Type := CoherenceRequestType:GETX;", code, 1);
    let loaded = load_with(&folder.join("MI_example.slicc"), &mut |path| {
        let text = std::fs::read_to_string(path)?;
        let text = text.replacen(ASSIGNMENT, &other, 1);
        Ok(text.replacen(before, &format!("{declarations}\n{before}"), 1).into_bytes())
    });
    let protocol = loaded.and_then(|loaded| Protocol::new(loaded, BLOCK_BYTES));
    protocol.unwrap_or_else(|failure| {
        let messages = failure.diagnostics.iter().map(|one| &*one.message);
        panic!("{code}: {:?}", messages.collect::<Vec<_>>())
    })
}

/// Why the directory never gets GETS while it reads memory for a device, if caches are not to report evictions.
fn why_not(protocol: &Protocol) -> Option<String> {
    let world = World {
        parameters: &|_, name| (name == "send_evictions").then(|| BTreeSet::from([0])),
        ..World::any()
    };
    let found = reachable(protocol, &world);
    let why = found.why_not(&TableEntry::new("Directory", "ID", "GETS"));
    why.map(ToString::to_string)
}

const NOBODY: Option<&str> =
    Some("event GETS never comes up: nothing that can happen sends CoherenceRequestType:GETS");

/// `X` and `S` stand for GETX and GETS.
fn check(declarations: &str, code: &str, expected: Option<&str>) {
    let written = |text: &str| {
        let text = text
            .replace("X;", "CoherenceRequestType:GETX;")
            .replace("S;", "CoherenceRequestType:GETS;");
        text.replace("X)", "CoherenceRequestType:GETX)").replace("S)", "CoherenceRequestType:GETS)")
    };
    let protocol = asking(&written(declarations), &written(code));
    assert_eq!(why_not(&protocol).as_deref(), expected, "{declarations}\n{code}");
}

#[test]
fn a_constant_counts_where_it_is_a_value_and_not_where_it_is_compared() {
    check("", "out_msg.Type := X;", NOBODY);
    check("", "out_msg.Type := S;", None);
    check(
        "",
        "CoherenceRequestType kind := X; if (kind == S) { error(\"\"); } out_msg.Type := kind;",
        NOBODY,
    );
    check("", "CoherenceRequestType kind := X; out_msg.Type := kind; kind := S;", NOBODY);
    check("", "CoherenceRequestType kind := X; kind := S; out_msg.Type := kind;", None);
    check("", "CoherenceRequestType kind; out_msg.Type := kind;", None);
}

#[test]
fn values_pass_through_functions() {
    let returns = "CoherenceRequestType kind_of(bool reads) { if (reads) { return S; } return X; }";
    check(returns, "out_msg.Type := kind_of(false);", NOBODY);
    check(returns, "out_msg.Type := kind_of(true);", None);
    check(returns, "out_msg.Type := kind_of(is_valid(cache_entry));", None);
    let sets = "void choose(CoherenceRequestType & kind) { kind := S; }";
    check(sets, "CoherenceRequestType kind := X; choose(kind); out_msg.Type := kind;", None);
    check(sets, "CoherenceRequestType kind := X; out_msg.Type := kind; choose(kind);", NOBODY);
    let fills = "void fill(RequestMsg & message) { message.Type := S; }";
    check(fills, "fill(out_msg);", None);
    check(fills, "fill(out_msg); out_msg.Type := X;", NOBODY);
    // Nothing calls it but the runtime, as it may.
    check(
        "CoherenceRequestType kind, default=\"CoherenceRequestType_GETX\"; void uncalled() { kind := S; }",
        "out_msg.Type := kind;",
        None,
    );
}

#[test]
fn values_pass_through_memory() {
    let variable = "CoherenceRequestType kind, default=\"CoherenceRequestType_GETX\";";
    check(variable, "out_msg.Type := kind;", NOBODY);
    check(variable, "out_msg.Type := kind; kind := S;", None);
    // A variable of the same name hides it.
    check(
        variable,
        "CoherenceRequestType other := S; if (true) { CoherenceRequestType kind := other; } out_msg.Type := kind;",
        NOBODY,
    );
    let queue = "structure(Waiting, interface=\"Message\") { CoherenceRequestType kind; }";
    check(queue, "out_msg.Type := X;", NOBODY);
}

#[test]
fn conditions_that_never_hold_hide_code() {
    let evicts = Some("needs send_evictions=true");
    check("", "out_msg.Type := X; if (send_evictions) { out_msg.Type := S; }", evicts);
    check("", "out_msg.Type := X; if (send_evictions == false) { out_msg.Type := S; }", None);
    check(
        "",
        "out_msg.Type := X; if (send_evictions && is_valid(tbe)) { out_msg.Type := S; }",
        evicts,
    );
    check(
        "",
        "out_msg.Type := X; if (send_evictions || isBlocked(address)) { out_msg.Type := S; }",
        None,
    );
    check("", "out_msg.Type := X; if (!send_evictions) { } else { out_msg.Type := S; }", evicts);
    check(
        "",
        "assert(send_evictions); out_msg.Type := S;",
        Some("needs other values of parameters"),
    );
    check(
        "",
        "out_msg.Type := X; if (cache_response_latency > zero_time()) { out_msg.Type := S; }",
        None,
    );
    check(
        "",
        "out_msg.Type := X; if (machineCount(MachineType:DMA) == 3) { out_msg.Type := S; }",
        None,
    );
    check(
        "Cycles zero_time();",
        "out_msg.Type := X; if (zero_time() == zero_time()) { out_msg.Type := S; }",
        None,
    );
}

#[test]
fn what_a_condition_says_is_known_within() {
    let first = "CoherenceRequestType kind := X; if (is_valid(cache_entry)) { kind := S; }";
    check("", &format!("{first} if (kind == S) {{ kind := X; }} out_msg.Type := kind;"), NOBODY);
    check("", &format!("{first} if (kind != S) {{ kind := X; }} out_msg.Type := kind;"), None);
    check(
        "",
        &format!("{first} if (kind == X) {{ out_msg.Type := kind; }} else {{ error(\"\"); }}"),
        NOBODY,
    );
    check("", &format!("{first} assert(kind == X); out_msg.Type := kind;"), NOBODY);
    check(
        "",
        "out_msg.Type := X; if (is_valid(tbe) && is_invalid(tbe)) { out_msg.Type := S; }",
        Some("event GETS never comes up: nothing that can happen sends CoherenceRequestType:GETS"),
    );
}

#[test]
fn prototypes_of_the_runtime_return_anything() {
    check("", "out_msg.Type := X; if (isBlocked(address)) { out_msg.Type := S; }", None);
}

#[test]
fn entries_come_after_those_that_lead_to_their_states() {
    let protocol = Protocol::open("MI_example").unwrap();
    let entry = |(state, event): (&str, &str)| TableEntry::new("L1Cache", state, event);
    let after = |entries: &[(&str, &str)]| {
        let entries = entries.iter().map(|one| entry(*one)).collect();
        after_others(&protocol, &World::any(), &entries)
    };
    // Nothing but a store leads to IM, and both misses lead to M.
    assert_eq!(after(&[("I", "Store"), ("IM", "Data")]), BTreeSet::from([entry(("IM", "Data"))]));
    assert_eq!(after(&[("I", "Store"), ("M", "Store")]), BTreeSet::new());
    assert_eq!(
        after(&[("IM", "Data"), ("IS", "Data"), ("M", "Store")]),
        BTreeSet::from([entry(("M", "Store"))])
    );
}
