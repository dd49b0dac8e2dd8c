//! The behaviour of the containers and functions of the library when something is absent, full,
//! present already or out of range: a test for each row of the table in the documentation of
//! `simulate::system::library`.

use crate::small::{Pieces, outcome_with, run_with, source};
use simulate::system::Warning;

/// The expected outcome of a piece of code that runs at every request.
#[derive(Clone, Copy, Debug)]
enum Expected {
    /// The code runs to its end.
    Fine,
    /// A fault with this text.
    Fault(&'static str),
    /// A warning with this text, after which the code runs to its end; in a strict run a fault with the same text.
    Warning(&'static str),
}

use Expected::{Fault, Fine, Warning as Warns};

/// Runs a machine until its code reports that it is done.
#[track_caller]
fn check_pieces(pieces: Pieces<'_>, settings: &[&str], expected: Expected) {
    let text = source(pieces);
    let run = run_with(&text, settings, 1, false).unwrap_or_else(|why| panic!("{why}"));
    let message = run.fault.as_ref().map_or("clean", |fault| &fault.message);
    let warned: Vec<&str> = run.warnings.iter().map(|one| &*one.message).collect();
    match expected {
        Fine => {
            assert!(message.ends_with(": done"), "{message}");
            assert!(warned.is_empty(), "{warned:?}");
        }
        Fault(words) => assert!(message.contains(words), "{message}"),
        Warns(words) => {
            assert!(message.ends_with(": done"), "{message}");
            assert!(warned.len() == 1 && warned[0].contains(words), "{warned:?}");
            let strict = run_with(&text, settings, 1, true).unwrap_or_else(|why| panic!("{why}"));
            let fault = strict.fault.expect("a strict run ends in a fault");
            assert!(fault.message.contains(words), "{}", fault.message);
            assert!(strict.warnings.is_empty());
        }
    }
}

/// Runs code with additional declarations.
#[track_caller]
fn check(declarations: &str, code: &str, expected: Expected) {
    let code = format!("{code} error(\"done\");");
    let pieces = Pieces { declarations, code: &code, ..Pieces::default() };
    check_pieces(pieces, &[], expected);
}

#[test]
fn sets_take_elements_above_their_size() {
    for (code, expected) in [
        // A set whose size was never set.
        ("Set s; s.add(intToID(63)); assert(s.count() == 1 && s.isElement(intToID(63)));", Fine),
        ("Set s; s.remove(intToID(5)); assert(s.isEmpty());", Fine),
        ("Set s; s.add(intToID(64));", Fault("element 64 of a set")),
        ("Set s; s.remove(intToID(64));", Fault("element 64 of a set")),
        ("Set s; assert(s.isElement(intToID(64)) == false);", Fault("element 64 of a set")),
        // The smallest element is searched below the size.
        (
            "Set s; s.add(intToID(1)); assert(s.smallestElement() == intToID(1));",
            Fault("No smallest element"),
        ),
        (
            "Set s; s.setSize(2); s.add(intToID(1)); assert(s.smallestElement() == intToID(1));",
            Fine,
        ),
        (
            "Set s; s.broadcast(); assert(s.isEmpty()); s.setSize(3); s.broadcast(); assert(s.count() == 3);",
            Fine,
        ),
        ("Set s; s.setSize(65);", Fault("at most 64")),
        // Two sets of different sizes.
        ("Set s; Set t; t.setSize(2); s.addSet(t);", Fault("sets of sizes 0 and 2")),
        ("Set s; Set t; t.setSize(2); s.removeSet(t);", Fault("sets of sizes 0 and 2")),
        ("Set s; Set t; t.setSize(2); assert(s.isEqual(t));", Fault("sets of sizes 0 and 2")),
        ("Set s; Set t; t.setSize(2); assert(s.isSuperset(t));", Fault("sets of sizes 0 and 2")),
        ("Set s; Set t; t.setSize(2); assert(s.intersectionIsEmpty(t));", Fine),
    ] {
        check("", code, expected);
    }
}

#[test]
fn destinations_hold_machines_that_exist() {
    let absent = "createMachineID(MachineType:L1Cache, intToID(1))";
    let other = "createMachineID(MachineType:L2Cache, intToID(0))";
    let far = "createMachineID(MachineType:L1Cache, intToID(64))";
    for (code, expected) in [
        (format!("NetDest d; d.add({absent});"), Fault("NetDest.cc")),
        (format!("NetDest d; d.add({other});"), Fault("does not occur")),
        (format!("NetDest d; d.remove({absent}); d.remove({other});"), Fine),
        (
            format!("NetDest d; assert(d.isElement({absent}) == false && d.isElement({other}) == false);"),
            Fine,
        ),
        (format!("NetDest d; d.remove({far});"), Fault("element 64 of a set")),
        (
            format!("NetDest d; assert(d.isElement({far}));"),
            Fault("element 64 of a set"),
        ),
        (
            "MachineID nobody; NetDest d; d.remove(nobody);".to_owned(),
            Fault("machine type 64"),
        ),
        (
            "NetDest d; assert(d.smallestElement() == machineID);".to_owned(),
            Fault("No smallest element"),
        ),
        (
            "NetDest d; assert(d.smallestElement(MachineType:L1Cache) == machineID);".to_owned(),
            Fault("No smallest element"),
        ),
        // The set for a machine type must have the size of the type.
        (
            "NetDest d; Set s; s.add(intToID(0)); d.setNetDest(MachineType:L1Cache, s);".to_owned(),
            Fault("setNetDest with a set of size 0 for a type with 1"),
        ),
        (
            "NetDest d; Set s; d.setNetDest(MachineType:L1Cache, s); s.setSize(1); s.add(intToID(0));
             d.setNetDest(MachineType:L1Cache, s); assert(d.count() == 1);"
                .to_owned(),
            Fine,
        ),
        ("NetDest d; d.broadcast(MachineType:L2Cache); assert(d.isEmpty());".to_owned(), Fine),
    ] {
        check("", &code, expected);
    }
}

#[test]
fn caches_hold_lines_once_and_as_many_as_fit() {
    for (code, expected) in [
        ("cache.allocateVoid(address, new Entry);", Fault("although it is present")),
        (
            "cache.allocateVoid(address + 128, new Entry); cache.allocateVoid(address + 256, new Entry);",
            Fault("its set is full"),
        ),
        ("cache.deallocate(address + 64);", Fault("is not present")),
        ("Addr a := cache.cacheProbe(address + 64);", Fault("although its set has room")),
        ("assert(is_invalid(cache.lookup(address + 64)));", Fine),
        ("assert(is_valid(cache.lookup(address + 8)));", Fault("not the address of a line")),
        ("assert(cache.isTagPresent(address + 8));", Fault("not the address of a line")),
        ("assert(cache.cacheAvail(address + 8));", Fault("not the address of a line")),
        ("cache.deallocate(address + 8);", Fault("not the address of a line")),
        ("cache.setMRU(address + 64); cache.setMRU(address + 8);", Fine),
        ("cache.setMRU(entry_of(address + 64));", Fault("setMRU of a null entry")),
        ("Addr a := cache.getAddressAtIdx(100000);", Fault("no entry 100000")),
        // An entry without a permission is treated as absent, and one that is NotPresent is not
        // found.
        (
            "int at := 0; assert(cache.getAddressAtIdx(at) == 0); cache_entry.changePermission(AccessPermission:Read_Only);
             assert(cache.isTagPresent(address)); cache_entry.changePermission(AccessPermission:NotPresent);
             assert(cache.isTagPresent(address) == false && is_invalid(cache.lookup(address)) && cache.cacheAvail(address));",
            Fine,
        ),
        (
            "cache_entry.changePermission(AccessPermission:NotPresent); cache.deallocate(address);",
            Fault("is not present"),
        ),
        (
            "cache_entry.changePermission(AccessPermission:NotPresent); cache.allocateVoid(address, new Entry);
             assert(cache.isTagPresent(address));",
            Warns("whose permission is NotPresent"),
        ),
    ] {
        check("", code, expected);
    }
}

#[test]
fn tables_of_transactions_hold_lines_once() {
    for (code, expected) in [
        ("assert(is_invalid(TBEs.lookup(address)) && is_invalid(TBEs.lookup(address + 8)));", Fine),
        ("TBEs.allocate(address); TBEs.allocate(address);", Fault("although it is present")),
        ("TBEs.deallocate(address);", Fault("is not present")),
        ("TBEs.allocate(address + 8);", Fault("not the address of a line")),
        ("assert(TBEs.isPresent(address + 8));", Fault("not the address of a line")),
        ("TBEs.deallocate(address + 8);", Fault("not the address of a line")),
    ] {
        check("", code, expected);
    }
    let pieces = Pieces {
        code: "TBEs.allocate(address); TBEs.allocate(address + 64);",
        ..Pieces::default()
    };
    check_pieces(pieces, &["number_of_TBEs=1"], Fault("although the table is full"));
}

/// A table that allocates what is missing.
const KEPT: &str =
    "structure(Kept, interface=\"AbstractCacheEntry\", main=\"false\") { int n, default=\"4\"; }
    structure(PerfectCacheMemory, external=\"yes\") {
      void allocate(Addr); void deallocate(Addr); Kept lookup(Addr); bool isTagPresent(Addr);
    }
    PerfectCacheMemory kept, template=\"<L1Cache_Kept>\";
    Kept find(Addr a), return_by_pointer=\"yes\" { return kept.lookup(a); }";

#[test]
fn a_perfect_cache_allocates_missing_lines() {
    for (code, expected) in [
        ("assert(kept.isTagPresent(address) == false);", Fine),
        (
            "kept.allocate(address + 8); assert(kept.isTagPresent(address) && find(address + 4).n == 4);
             kept.deallocate(address + 60);",
            Fine,
        ),
        (
            "assert(is_valid(find(address)) && find(address).n == 4 && kept.isTagPresent(address));
             find(address).n := 5; assert(find(address).n == 5); kept.deallocate(address);",
            Warns("an entry that was never allocated is used"),
        ),
        (
            "kept.allocate(address); find(address).n := 5; Kept old := find(address);
             kept.allocate(address); assert(find(address).n == 4 && old.n == 4);",
            Warns("the old content is lost"),
        ),
        ("kept.deallocate(address);", Fault("is not present")),
    ] {
        check(KEPT, code, expected);
    }
}

#[test]
fn a_warning_has_a_place_and_a_count() {
    let pieces = Pieces {
        declarations: KEPT,
        code: "if (find(address).n == 4) { kept.deallocate(address); }",
        ..Pieces::default()
    };
    let run = run_with(&source(pieces), &[], 1, false).unwrap();
    assert!(run.fault.is_none());
    let [warning]: [Warning; 1] = run.warnings.try_into().unwrap();
    assert_eq!(warning.controller, "L1Cache 0");
    assert_eq!(warning.summary, "an entry used that was never allocated");
    assert!(warning.message.contains(", event "), "{}", warning.message);
    assert!(warning.count > 1 && warning.span.is_some());
}

#[test]
fn timers_are_set_once_and_unset_once() {
    for (code, expected) in [
        ("clocks.set(address, 9000); clocks.set(address, 9001);", Fault("although it has one")),
        ("clocks.unset(address);", Fault("although it has none")),
        ("clocks.set(address + 8, 9000);", Fault("not the address of a line")),
        ("clocks.unset(address + 8);", Fault("not the address of a line")),
        ("Addr a := clocks.nextAddress();", Fault("no timer is set")),
        // The timer need not have expired.
        ("clocks.set(address, 9000); assert(clocks.nextAddress() == address);", Fine),
        (
            "clocks.set(address, 9000); clocks.unset(address); clocks.set(address, 9001); assert(clocks.isSet(address));",
            Fine,
        ),
    ] {
        check("TimerTable clocks;", code, expected);
    }
}

#[test]
fn persistent_requests_begin_and_end_once() {
    let lock = "wanted.persistentRequestLock(address, machineID, AccessType:Read);";
    for (code, expected) in [
        (format!("{lock} {lock}"), Fault("issued twice")),
        (
            "wanted.persistentRequestUnlock(address, machineID);".to_owned(),
            Fault("without having been issued"),
        ),
        (
            "MachineID m := wanted.findSmallest(address);".to_owned(),
            Fault("No smallest element"),
        ),
        ("wanted.markEntries(address);".to_owned(), Fine),
        (
            format!("{lock} wanted.markEntries(address); wanted.markEntries(address);"),
            Fault("marked twice"),
        ),
        (
            "assert(wanted.isLocked(address + 8));".to_owned(),
            Fault("not the address of a line"),
        ),
        (
            "wanted.persistentRequestLock(address, createMachineID(MachineType:L1Cache, intToID(1)), AccessType:Read);"
                .to_owned(),
            Fault("NetDest.cc"),
        ),
    ] {
        check("PersistentTable wanted;", &code, expected);
    }
}

#[test]
fn blocks_and_masks_have_as_many_bytes_as_lines() {
    for (code, expected) in [
        ("WriteMask m; m.setMask(60, 5);", Fault("bytes 60 to 65 of a block of 64")),
        ("WriteMask m; assert(m.getMask(64, 1));", Fault("of a block of 64")),
        ("WriteMask m; assert(m.test(64));", Fault("of a block of 64")),
        ("WriteMask m; assert(m.firstBitSet(true, 70) == 64 && m.count(70) == 0);", Fine),
        ("DataBlock b; b.copyPartial(cache_entry.DataBlk, 60, 5);", Fault("of a block of 64")),
    ] {
        check("", code, expected);
    }
}

/// A queue from a machine to itself.
const NOTE: &str = "structure(Note, interface=\"Message\") { Addr addr; int n; }";

fn with_notes<'a>(code: &'a str, ports: &'a str) -> Pieces<'a> {
    Pieces {
        types: NOTE,
        parameters: "MessageBuffer * notes;",
        declarations: "out_port(notes_out, Note, notes);",
        ports,
        code,
        ..Pieces::default()
    }
}

#[test]
fn buffers_deliver_messages_that_have_arrived() {
    let send = "enqueue(notes_out, Note, 5) { out_msg.addr := address; }";
    for (code, expected) in [
        ("notes_in.dequeue(clockEdge());".to_owned(), Fault("no message is ready")),
        (format!("{send} notes_in.dequeue(clockEdge());"), Fault("no message is ready")),
        (format!("{send} notes_in.recycle(clockEdge(), 10);"), Fault("no message is ready")),
        (format!("{send} stall_and_wait(notes_in, address);"), Fault("no message is ready")),
        (
            "Addr odd := address + 8; stall_and_wait(requests_in, odd);".to_owned(),
            Fault("not the address of a line"),
        ),
        ("peek(notes_in, Note) { assert(in_msg.n == 0); }".to_owned(), Fault("empty")),
        ("enqueue(notes_out, Note, 0) { out_msg.addr := address; }".to_owned(), Fault("latency 0")),
        (
            "notes_out.enqueueDeferredMessages(address, clockEdge(), 3);".to_owned(),
            Fault("although there are none"),
        ),
        // The size is that of the first query in the tick.
        (
            format!(
                "assert(notes_out.getSize(clockEdge()) == 0); {send} assert(notes_out.getSize(clockEdge()) == 0);"
            ),
            Fine,
        ),
        (format!("{send} assert(notes_out.getSize(clockEdge()) == 1);"), Fine),
        // Nothing is stalled.
        ("wakeUpBuffers(address); wakeUpAllBuffers(address); wakeUpAllBuffers();".to_owned(), Fine),
        ("wakeup_port(notes_in, address);".to_owned(), Fine),
    ] {
        let code = format!("{code} error(\"done\");");
        let pieces = with_notes(&code, "in_port(notes_in, Note, notes) { }");
        check_pieces(pieces, &[], expected);
    }
    // A message that overtakes in an ordered buffer, and how that is allowed.
    for (bypass, expected) in [("false", Fault("FIFO ordering violated")), ("true", Fine)] {
        let code = format!(
            "enqueue(notes_out, Note, 9) {{ out_msg.addr := address; }}
             enqueue(notes_out, Note, 1, {bypass}) {{ out_msg.addr := address; }} error(\"done\");"
        );
        let pieces = with_notes(&code, "in_port(notes_in, Note, notes) { }");
        check_pieces(pieces, &["notes=ordered"], expected);
    }
}

/// A machine that stalls its requests at a port of one rank, and wakes them from a port of another.
fn stalling(rank: u32, waking: u32, wake: &str) -> String {
    let ports = format!(
        "in_port(notes_in, Note, notes, rank={waking}) {{
           if (notes_in.isReady(clockEdge())) {{
             peek(notes_in, Note) {{ trigger(Event:Ring, in_msg.addr, entry_of(in_msg.addr), TBEs[in_msg.addr]); }}
           }}
         }}"
    );
    let transitions = format!(
        "action(wait, \"w\") {{ stall_and_wait(requests_in, address); }}
         action(call, \"ca\") {{ enqueue(notes_out, Note, 4) {{ out_msg.addr := address; }} }}
         action(wake, \"wa\") {{ {wake} notes_in.dequeue(clockEdge()); }}
         action(end, \"e\") {{ error(\"done\"); }}
         transition(W, Ring, V) {{ wake; }}"
    );
    let pieces = Pieces {
        states: "W, AccessPermission:Busy;",
        events: "Ring;",
        transitions: &transitions,
        requests: Some(
            "transition(I, {Load, Store}, W) { allocate; call; wait; } transition(V, {Load, Store}) { end; }",
        ),
        ..with_notes("", &ports)
    };
    let port = "in_port(requests_in, RubyRequest, mandatoryQueue";
    source(pieces).replace(port, &format!("{port}, rank={rank}"))
}

#[test]
fn a_rank_matters_where_something_is_stalled() {
    let outcome = |rank, waking, wake: &str| outcome_with(&stalling(rank, waking, wake), &[], 1);
    assert!(outcome(0, 1, "wakeUpBuffers(address);").ends_with(": done"));
    // The machine has two ports: stalling from rank 2 fails.
    let fault = outcome(2, 1, "wakeUpBuffers(address);");
    assert!(fault.starts_with("stall_and_wait from a port of rank 2"), "{fault}");
    // Rank 2 of a port that only wakes is as good as another.
    for wake in ["wakeUpBuffers(address);", "wakeUpAllBuffers(address);", "wakeUpAllBuffers();"] {
        assert!(outcome(0, 2, wake).ends_with(": done"));
    }
    // Above that, gem5 reads after the end of its table, but only to wake the lower ranks.
    let run = run_with(&stalling(0, 7, "wakeUpBuffers(address);"), &[], 1, false).unwrap();
    assert!(run.fault.unwrap().message.ends_with(": done"));
    assert!(run.warnings[0].message.contains("rank 7 in a machine with 2"));
    let run = run_with(&stalling(0, 7, "wakeUpAllBuffers(address);"), &[], 1, false).unwrap();
    assert!(run.warnings.is_empty());
}

/// Two ports of different ranks that stall heads of one buffer for one line.
#[test]
fn a_line_stalled_twice_in_a_buffer_is_woken_once() {
    let port = |name: &str, rank: u32, want: u32| {
        format!(
            "in_port({name}, Note, notes, rank={rank}) {{
               if ({name}.isReady(clockEdge())) {{
                 peek({name}, Note) {{ if (in_msg.n == {want}) {{
                   trigger(Event:Ring, in_msg.addr, entry_of(in_msg.addr), TBEs[in_msg.addr]); }} }}
               }}
             }}"
        )
    };
    let ports = format!("{} {}", port("notes_in", 0, 1), port("more_in", 1, 2));
    let pieces = Pieces {
        events: "Ring;",
        declarations: "out_port(notes_out, Note, notes); int rung;",
        transitions: "action(wait, \"w\") { stall_and_wait(notes_in, address); rung := rung + 1; }
            action(call, \"ca\") {
              enqueue(notes_out, Note, 1) { out_msg.addr := address; out_msg.n := 1; }
              enqueue(notes_out, Note, 1) { out_msg.addr := address; out_msg.n := 2; }
            }
            transition(V, Ring) { wait; }",
        requests: Some(
            "transition(I, {Load, Store}, V) { allocate; call; serve; pop; }
             transition(V, {Load, Store}) { check; serve; pop; }",
        ),
        ..with_notes("if (rung == 2) { wakeUpAllBuffers(address); error(\"done\"); }", &ports)
    };
    check_pieces(pieces, &["notes=ordered"], Fault("woken twice in one buffer"));
}

#[test]
fn callbacks_without_a_request_are_faults() {
    for (code, expected) in [
        ("sequencer.readCallback(address + 64, cache_entry.DataBlk);", "0x"),
        ("sequencer.writeCallback(address + 64, cache_entry.DataBlk);", "0x"),
    ] {
        check("", code, Fault(expected));
    }
    check(
        "",
        "sequencer.evictionCallback(address + 64); sequencer.invalidateSC(address + 64);
         assert(sequencer.llscCheckMonitor(address + 64) == false);",
        Fine,
    );
}

#[test]
fn blocking_and_mapping_accept_what_is_absent() {
    check("void unblock(Addr a);", "unblock(address); unblock(address);", Fine);
    check(
        "bool isBlocked(Addr a);",
        "assert(isBlocked(address) == false); blockOnQueue(address, mandatoryQueue);
         blockOnQueue(address, mandatoryQueue); assert(isBlocked(address));
         assert(isBlocked(address + 8) == false); assert(isBlocked(address + 64) == false);
         unblock(address); assert(isBlocked(address) == false);",
        Fine,
    );
    // An address without an owner is mapped to a machine that does not exist.
    check(
        "MachineID mapAddressToMachine(Addr a, MachineType t);",
        "MachineID m := mapAddressToMachine(address, MachineType:Directory); NetDest d; d.add(m);",
        Fault("does not occur"),
    );
}
