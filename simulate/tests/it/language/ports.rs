//! Ports, stalls, timers, tables of persistent requests, and peeks.

use crate::small::{Pieces, outcome_with, reaches, source};

#[test]
fn requests_for_resources_stall_and_are_recorded() {
    let pieces = Pieces {
        declarations: "enumeration(RequestType) { TagRead; DataRead; }
            int asked; int recorded;
            bool checkResourceAvailable(RequestType r, Addr a) {
              if (r == RequestType:TagRead) { asked := asked + 1; return asked > 3; }
              return cache.checkResourceAvailable(CacheResourceType:DataArray, a);
            }
            void recordRequestType(RequestType r, Addr a) {
              if (r == RequestType:DataRead) { cache.recordRequestType(CacheRequestType:DataArrayRead, a); }
              recorded := recorded + 1;
            }",
        requests: Some(
            "transition(I, {Load, Store}, V) {TagRead, DataRead} { allocate; check; serve; pop; }
             transition(V, {Load, Store}) {} { check; serve; pop; }",
        ),
        code: "assert(asked == 4 && recorded == 2); error(\"done\");",
        ..Pieces::default()
    };
    reaches(pieces, &[]);
}

#[test]
fn ports_may_recycle_defer_wait_and_be_woken() {
    let pieces = Pieces {
        types: "structure(Note, interface=\"Message\") { Addr addr; int n; MessageSizeType MessageSize; }",
        parameters: "MessageBuffer * notes;",
        states: "W, AccessPermission:Busy; B1, AccessPermission:Busy;",
        events: "One; Two; Three; Other;",
        tbe: "int seen, default=\"0\"; Tick since;",
        declarations: "out_port(notes_out, Note, notes); int woken;",
        ports: "in_port(notes_in, Note, notes, rank=1) {
            if (notes_in.isReady(clockEdge())) {
              peek(notes_in, Note) {
                if (in_msg.n == 1) { trigger(Event:One, in_msg.addr, entry_of(in_msg.addr), TBEs[in_msg.addr]); }
                else if (in_msg.n == 2) { trigger(Event:Two, in_msg.addr, entry_of(in_msg.addr), TBEs[in_msg.addr]); }
                else if (in_msg.n == 3) { trigger(Event:Three, in_msg.addr, entry_of(in_msg.addr), TBEs[in_msg.addr]); }
                else { trigger(Event:Other, in_msg.addr, entry_of(in_msg.addr), TBEs[in_msg.addr]); }
              }
            }
          }",
        transitions: "action(begin, \"b\") {
              check_allocate(TBEs);
              TBEs.allocate(address); set_tbe(TBEs[address]);
              enqueue(notes_out, Note, 1) { out_msg.addr := address; out_msg.n := 1; }
              defer_enqueueing(notes_out, Note) { out_msg.addr := address; out_msg.n := 3; }
              assert(notes_out.isDeferredMsgMapEmpty(address) == false);
            }
            action(wait, \"w\") { stall_and_wait(requests_in, address); }
            action(note_time, \"n\") { if (tbe.seen == 0) { tbe.since := clockEdge(); } tbe.seen := tbe.seen + 1; }
            action(again, \"r\") { notes_in.recycle(clockEdge(), cyclesToTicks(recycle_latency)); }
            action(send_two, \"s2\") {
              assert(clockEdge() == tbe.since + cyclesToTicks(recycle_latency));
              enqueue(notes_out, Note) { out_msg.addr := address; out_msg.n := 2; }
            }
            action(pop_note, \"pn\") { notes_in.dequeue(clockEdge()); check_next_cycle(); }
            action(send_deferred, \"sd\") {
              notes_out.enqueueDeferredMessages(address, clockEdge(), cyclesToTicks(intToCycles(3)));
              assert(notes_out.isDeferredMsgMapEmpty(address));
            }
            action(finish, \"f\") {
              assert(requests_in.isStallMapEmpty() == false && requests_in.getStallMapSize() == 1);
              assert(requests_in.hasStalledMsg(address));
              TBEs.deallocate(address); unset_tbe();
              wakeup_port(requests_in, address);
              assert(requests_in.isStallMapEmpty());
            }
            transition(I, {Load, Store}, W) { allocate; begin; wait; }
            transition(W, One, B1) { note_time; again; }
            transition(B1, One) { note_time; send_two; pop_note; }
            transition(B1, Two) { send_deferred; pop_note; }
            transition(B1, Three, V) { finish; pop_note; }",
        requests: Some("action(end, \"e\") { error(\"done\"); } transition(V, {Load, Store}) { end; }"),
        ..Pieces::default()
    };
    reaches(pieces, &["notes=ordered"]);
}

#[test]
fn a_full_table_stalls_what_wants_room_in_it() {
    let pieces = Pieces {
        states: "W, AccessPermission:Busy;",
        declarations: "int attempts;",
        request: "attempts := attempts + 1; if (attempts == 5) { error(\"done\"); }",
        transitions: "action(take, \"t\") { check_allocate(TBEs); TBEs.allocate(address + 64); }
            action(twice, \"t2\") { check_allocate(TBEs); error(\"no room for this\"); }",
        // The second action doubles what is needed: 2 of 1.
        requests: Some("transition(I, {Load, Store}, W) { take; twice; }"),
        ..Pieces::default()
    };
    reaches(pieces, &["number_of_TBEs=1"]);
}

#[test]
fn stall_handlers_say_whether_there_was_progress() {
    let pieces = Pieces {
        types: "structure(Note, interface=\"Message\") { Addr addr; }",
        parameters: "MessageBuffer * notes;",
        events: "Bell;",
        declarations: "int stalls; out_port(notes_out, Note, notes);",
        ports: "in_port(notes_in, Note, notes, prot_stall_handler=handle) {
            if (notes_in.isReady(clockEdge())) {
              peek(notes_in, Note) { trigger(Event:Bell, in_msg.addr, entry_of(in_msg.addr), TBEs[in_msg.addr]); }
            }
          }
          bool handle() {
            stalls := stalls + 1;
            if (stalls == 3) { notes_in.dequeue(clockEdge()); return true; }
            return false;
          }",
        transitions: "action(z_stall, \"z\") { error(\"nobody runs this\"); }
            action(ring, \"r\") { enqueue(notes_out, Note) { out_msg.addr := address; } }
            transition(V, Bell) { z_stall; }",
        requests: Some(
            "transition(I, {Load, Store}, V) { allocate; ring; serve; pop; }
             transition(V, {Load, Store}) { check; serve; pop; }",
        ),
        code: "if (stalls == 3) { assert(notes_in.isEmpty()); error(\"done\"); }",
        ..Pieces::default()
    };
    reaches(pieces, &[]);
}

#[test]
fn timers_expire_at_their_tick() {
    let pieces = Pieces {
        events: "Ring;",
        states: "W, AccessPermission:Busy;",
        declarations: "TimerTable clocks; Tick due;",
        ports: "in_port(clocks_in, Addr, clocks, rank=1) {
            if (clocks_in.isReady(clockEdge())) {
              Addr ready := clocks.nextAddress();
              trigger(Event:Ring, ready, entry_of(ready), TBEs.lookup(ready));
            }
          }",
        transitions: "action(start, \"st\") {
              due := clockEdge() + cyclesToTicks(intToCycles(25)); assert(due > clockEdge()); assert(due < clockEdge() + 100); assert(clocks_in.isReady(due + 1) == false);
              clocks.set(address, due); clocks.set(address + 64, due + 5);
              assert(clocks.isSet(address));
              clocks.unset(address + 64);
              assert(clocks.isSet(address + 64) == false);
            }
            action(stop, \"so\") { assert(clockEdge() == due); clocks.unset(address); error(\"done\"); }
            transition(W, Ring, V) { stop; }",
        requests: Some(
            "transition(I, {Load, Store}, W) { allocate; start; serve; pop; }
             action(z_stall, \"z\") { }
             transition(W, {Load, Store}) { z_stall; }",
        ),
        ..Pieces::default()
    };
    reaches(pieces, &[]);
}

#[test]
fn tables_of_persistent_requests_and_tables_without_limit() {
    let pieces = Pieces {
        declarations: "PersistentTable wanted;
         structure(Line, interface=\"AbstractCacheEntry\", main=\"false\") { int n, default=\"4\"; NetDest Sharers; }
         structure(PerfectCacheMemory, external=\"yes\") {
           void allocate(Addr); void deallocate(Addr); Line lookup(Addr); bool isTagPresent(Addr);
         }
         PerfectCacheMemory lines, template=\"<L1Cache_Line>\";
         Line line(Addr a), return_by_pointer=\"yes\" { return lines.lookup(a); }",
        code: r#"
        MachineID other := createMachineID(MachineType:L1Cache, intToID(1));
        assert(wanted.isLocked(address) == false && wanted.okToIssueStarving(address, machineID));
        wanted.persistentRequestLock(address, other, AccessType:Read);
        wanted.persistentRequestLock(address, machineID, AccessType:Write);
        assert(wanted.isLocked(address) && wanted.findSmallest(address) == machineID);
        assert(wanted.typeOfSmallest(address) == AccessType:Write);
        assert(wanted.countStarvingForAddress(address) == 2 && wanted.countReadStarvingForAddress(address) == 1);
        wanted.markEntries(address);
        assert(wanted.okToIssueStarving(address, machineID) == false);
        wanted.persistentRequestUnlock(address, machineID);
        assert(wanted.findSmallest(address) == other && wanted.typeOfSmallest(address) == AccessType:Read);

        assert(lines.isTagPresent(address) == false);
        lines.allocate(address); lines.allocate(address + 64);
        line(address).n := 5; line(address).Sharers.add(machineID);
        assert(line(address).n == 5 && line(address + 64).n == 4 && lines[address].Sharers.count() == 1);
        lines.deallocate(address);
        assert(lines.isTagPresent(address) == false && lines.isTagPresent(address + 64));
        error("done");
        "#,
        ..Pieces::default()
    };
    // Two machines, since two starve.
    let outcome = outcome_with(&source(pieces), &[], 2);
    assert!(outcome.ends_with(": done"), "{outcome}");
}

#[test]
fn nested_peeks_see_the_current_heads() {
    let pieces = Pieces {
        types: "structure(Note, interface=\"Message\") { Addr addr; int n, default=\"1\"; }",
        parameters: "MessageBuffer * notes;",
        declarations: "out_port(notes_out, Note, notes);",
        ports: "in_port(notes_in, Note, notes) { }",
        code: "enqueue(notes_out, Note) { out_msg.addr := address; }
            enqueue(notes_out, Note, 2) { out_msg.addr := address; out_msg.n := 2; }
            peek(requests_in, RubyRequest) {
              Addr outer := in_msg.LineAddress;
              peek(notes_in, Note) { assert(in_msg.n == 1 && in_msg.addr == outer); }
              assert(in_msg.Size == 8 && in_msg.contextId == 0);
              notes_in.dequeue(clockEdge());
              peek(notes_in, Note) { assert(in_msg.n == 2); }
            }
            error(\"done\");",
        ..Pieces::default()
    };
    // The notes are not ready when they are looked at, which does not matter for a peek; but it
    // does for dequeuing them.
    let outcome = outcome_with(&source(pieces), &["notes=ordered"], 1);
    assert!(!outcome.starts_with("assert failure"), "{outcome}");
}
