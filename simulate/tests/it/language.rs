//! The language of `docs/slicc.md`, exercised by small protocols that check themselves: a test
//! succeeds when the protocol calls `error("done")`, and any other fault is a failure.

use crate::small::{Pieces, computes, open, outcome_with, reaches, source};

#[test]
fn the_machine_without_pieces_runs() {
    assert_eq!(outcome_with(&source(Pieces::default()), &[], 1), "clean");
}

#[test]
fn a_failed_assertion_is_reported() {
    let outcome =
        outcome_with(&source(Pieces { code: "assert(1 == 2);", ..Pieces::default() }), &[], 1);
    assert!(outcome.starts_with("assert failure"), "{outcome}");
}

#[test]
fn operators_and_their_precedence() {
    computes(
        "",
        "int twice(int x) { return x * 2; }",
        r#"
        assert(1 + 2 * 3 == 7);
        assert((1 + 2) * 3 == 9);
        assert(7 / 2 == 3 && 7 % 2 == 1);
        assert(10 - 3 - 2 == 5);
        assert(1 << 4 == 16 && 256 >> 4 == 16);
        assert(1 + 1 << 2 == 8);
        assert(-3 + 1 == -2 && -3 < 2 && 2 > -3);
        assert(true || false && false);
        assert(!(1 > 2) && 1 <= 1 && 1 >= 1 && 1 != 2);
        int big := 2147483647;
        big := big + 1;
        assert(big < 0);
        int zero := 0;
        assert(zero - 1 == -1 && -zero == 0);
        assert(twice(twice(3)) + 1 == 13);
        int many := 3 + true;
        assert(many == 4);
        Cycles c := intToCycles(5);
        assert(c << 2 == intToCycles(20));
        assert(c > zero_time());
        Addr a := makeLineAddress(address + 70);
        assert(a == address + 64 && getOffset(address + 70) == 6);
        assert(clockEdge() + cyclesToTicks(c) == clockEdge(c));
        assert(mod(7, 4) == 3 && max_tokens() == 1024);
        assert(bitSelect(address + 70, 0, 5) == 6);
        assert(IDToInt(intToID(3)) == 3);
        "#,
    );
}

#[test]
fn conditions_stop_where_they_are_decided() {
    computes(
        "",
        "Entry nothing(), return_by_pointer=\"yes\" { return OOD; }
         bool fail() { error(\"was evaluated\"); }",
        r#"
        assert(is_invalid(nothing()));
        assert((is_valid(nothing()) && nothing().Count == 7) == false);
        assert(is_invalid(nothing()) || nothing().Count == 7);
        if (is_valid(nothing()) && fail()) { error("wrong"); }
        bool flag := true || fail();
        assert(flag);
        "#,
    );
}

#[test]
fn chains_of_else_if_and_scopes() {
    computes(
        "",
        r#"
        int grade(int x) {
          if (x < 1) { return 0; }
          else if (x < 2) { return 1; }
          else if (x < 3) { int y := x * 10; return y; }
          else { return 3; }
        }
        "#,
        r#"
        assert(grade(0) == 0 && grade(1) == 1 && grade(2) == 20 && grade(5) == 3);
        int x := 1;
        if (true) { int x := 2; x := x + 1; assert(x == 3); if (x == 3) { int x := 5; assert(x == 5); } assert(x == 3); }
        assert(x == 1);
        "#,
    );
    computes(
        "",
        "int shade, default=\"1\";
         int shadowed(int shade) { if (shade > 0) { int other := 9; return other + shade; } return shade; }",
        "assert(shadowed(2) == 11); assert(shade == 1); int shade := 4; assert(shade == 4);",
    );
}

#[test]
fn functions_are_chosen_by_the_types_of_their_arguments() {
    computes(
        "enumeration(Colour, default=\"Colour_Green\") { Red; Green; }",
        r#"
        int which(int x) { return 1; }
        int which(bool x) { return 2; }
        int which(Colour x) { return 3; }
        int which(MachineID x) { return 4; }
        int which(int x, int y) { return 5; }
        int later(int x);
        int calls(int x) { return later(x); }
        int later(int x) { return x + 1; }
        "#,
        "assert(which(1) == 1 && which(true) == 2 && which(Colour:Red) == 3 && which(machineID) == 4 && which(1, 2) == 5);
         assert(calls(3) == 4);",
    );
}

#[test]
fn parameters_of_functions_have_defaults() {
    computes(
        "",
        r#"
        int plus(int x, int y := 3, bool twice := false) {
          if (twice) { return (x + y) * 2; }
          return x + y;
        }
        int early(int x := 2);
        int calls() { return early() + early(5); }
        int early(int x) { return x + 1; }
        Cycles wait(Cycles c := 4) { return c; }
        int which(int x) { return 1; }
        int which(int x, int y := 1) { return 2; }
        "#,
        "assert(plus(1) == 4 && plus(1, 2) == 3 && plus(1, 2, true) == 6);
         assert(calls() == 9 && wait() == intToCycles(4) && wait(intToCycles(7)) == intToCycles(7));
         assert(which(1) == 1 && which(1, 2) == 2);",
    );
}

#[test]
fn references_reach_the_original_and_values_do_not() {
    computes(
        "structure(Pair) { int a, default=\"1\"; DataBlock b; NetDest d; }
         structure(Outer) { Pair first; Pair second; bool flag, default=\"true\"; }",
        r#"
        void raise(int & x) { x := x + 1; }
        void fill(Pair & p) { p.a := 5; p.d.add(machineID); }
        void spoil(Pair p) { Pair copy := p; copy.a := 99; copy.d.clear(); }
        DataBlock block_of(Entry e), return_by_ref="yes" { return e.DataBlk; }
        "#,
        r#"
        int x := 1;
        raise(x); raise(x);
        assert(x == 3);
        Outer o;
        assert(o.flag && o.first.a == 1 && o.second.a == 1);
        fill(o.second);
        assert(o.first.a == 1 && o.second.a == 5 && o.second.d.count() == 1);
        spoil(o.second);
        assert(o.second.a == 5 && o.second.d.count() == 1);
        Outer p := o;
        p.second.a := 6;
        p.second.d.clear();
        assert(o.second.a == 5 && o.second.d.isElement(machineID) && p.second.d.isEmpty());
        raise(o.first.a);
        assert(o.first.a == 2);
        raise(cache_entry.Count);
        assert(cache_entry.Count == 8);
        DataBlock blank;
        assert(block_of(cache_entry) == blank);
        block_of(cache_entry).copyPartial(blank, 0, 8);
        o.first.b := block_of(cache_entry);
        assert(o.first.b == cache_entry.DataBlk);
        "#,
    );
}

#[test]
fn enumerations_have_names_and_defaults() {
    computes(
        "enumeration(Colour, default=\"Colour_Green\") { Red; Green; Blue; }
         enumeration(Size) { Small; Large; }
         structure(Both) { Colour c; Size s, default=\"Size_Large\"; Colour d, default=Colour_Blue; }",
        "Colour next(Colour c) { if (c == Colour:Red) { return Colour:Green; } return Colour:Blue; }",
        r#"
        Both b;
        assert(b.c == Colour:Green && b.s == Size:Large && b.d == Colour:Blue);
        Size unset;
        assert(unset != Size:Small && unset != Size:Large);
        assert(next(Colour:Red) == Colour:Green);
        assert(Colour_to_string(Colour:Blue) == "Blue");
        assert(Event_to_string(Event:Load) == 'Load');
        assert(L1Cache_State_to_permission(State:V) == AccessPermission:Read_Write);
        assert(machineIDToMachineType(machineID) == MachineType:L1Cache);
        assert(machineIDToNodeID(machineID) == version);
        assert(createMachineID(MachineType:L1Cache, intToID(0)) == machineID);
        assert(isWriteRequest(RubyRequestType:ST) && isReadRequest(RubyRequestType:LD));
        "#,
    );
}

#[test]
fn sets_destinations_masks_and_blocks() {
    computes(
        "",
        "",
        r#"
        Set s; Set t;
        s.setSize(8); t.setSize(8);
        s.add(intToID(3)); s.add(intToID(5)); t.add(intToID(5));
        assert(s.count() == 2 && s.isElement(intToID(3)) && s.isElement(intToID(4)) == false);
        assert(s.isSuperset(t) && t.isSuperset(s) == false && s.smallestElement() == intToID(3));
        s.removeSet(t);
        assert(s.count() == 1 && s.intersectionIsEmpty(t));
        s.addSet(t); s.remove(intToID(3));
        assert(s.isEqual(t));
        t.broadcast();
        assert(t.count() == 8);
        s.clear();
        assert(s.count() == 0);

        NetDest d; NetDest e;
        d.add(machineID);
        assert(d.count() == 1 && d.isElement(machineID) && d.smallestElement() == machineID);
        assert(d.smallestElement(MachineType:L1Cache) == machineID);
        e.broadcast(MachineType:L1Cache);
        assert(e.count() == machineCount(MachineType:L1Cache) && e.isSuperset(d));
        assert(d.OR(e).count() == e.count() && d.AND(e).count() == 1);
        e.removeNetDest(d);
        assert(e.intersectionIsEmpty(d));
        e.addNetDest(d); e.remove(machineID);
        assert(e.isElement(machineID) == false && broadcast(MachineType:L1Cache).isElement(machineID));
        Set one; one.setSize(machineCount(MachineType:L1Cache)); one.add(version);
        e.setNetDest(MachineType:L1Cache, one);
        assert(e.isElement(machineID));

        WriteMask m; WriteMask n;
        assert(m.isEmpty() && m.isFull() == false);
        m.setMask(4, 4); n.setMask(6, 8);
        assert(m.getMask(4, 4) && m.getMask(3, 2) == false && m.test(5) && m.count() == 4);
        assert(m.isOverlap(n) && m.containsMask(n) == false && m.firstBitSet(true) == 4);
        m.orMask(n);
        assert(m.count() == 10 && m.containsMask(n) && m.cmpMask(n) == false);
        m.andMask(n);
        assert(m.cmpMask(n));
        m.setInvertedMask(n);
        assert(m.count() == 56);
        m.setMask(0, 64, false);
        assert(m.isEmpty());
        m.fillMask();
        assert(m.isFull());
        m.clear();

        DataBlock a; DataBlock b;
        assert(a == b);
        b := cache_entry.DataBlk;
        a.copyPartial(b, 0, 8); a.copyPartial(b, n); a.atomicPartial(b, n);
        a.clear(); b.clear();
        assert(a == b);
        "#,
    );
}

#[test]
fn variables_of_the_machine_last_and_begin_with_their_defaults() {
    let pieces = Pieces {
        declarations: "int count, default=\"(3)\"; Cycles slow, default=\"(Cycles(5) << (*m_count_ptr))\"; bool seen;
            int bits, default=\"RubySystem::getBlockSizeBits()\"; int bytes, default=\"m_ruby_system->getBlockSizeBytes()\";
            Set members; int direct := 12; std::string word;",
        code: "if (seen == false) {
              assert(count == 3 && slow == intToCycles(40) && bits == 6 && bytes == 64 && direct == 12);
              members.setSize(4);
            }
            seen := true; count := count + 1; members.add(intToID(count - 4));
            if (count == 7) { assert(members.count() == 4); error(\"done\"); }",
        ..Pieces::default()
    };
    reaches(pieces, &[]);
}

#[test]
fn parameters_have_defaults_and_can_be_set() {
    let pieces = Pieces {
        parameters: "Cycles wait := 4; bool yes := \"True\"; bool no := \"False\"; int low, default=\"2\"; int set := 1;",
        code: "assert(wait == intToCycles(4) && yes && no == false && low == 2 && set == 9); error('done');",
        ..Pieces::default()
    };
    reaches(pieces, &["L1Cache.set=9"]);
}

#[test]
fn bare_names_stand_for_sets_of_one() {
    let pieces = Pieces {
        requests: Some(
            "transition(I, Load, V) { allocate, check; serve; pop }
             transition(I, Store, V) { allocate; check; serve; pop; }
             transition(V, {Load; Store}) check2
             action(unused, \"u\", desc=\"never\") { }",
        ),
        transitions: "action(check2, \"c2\") { error(\"done\"); }",
        ..Pieces::default()
    };
    reaches(pieces, &[]);
}

#[test]
fn the_next_state_may_be_computed() {
    let pieces = Pieces {
        states: "A, AccessPermission:Read_Write; B, AccessPermission:Read_Write;",
        declarations: "int turn; State getNextState(Addr a) { if (turn == 1) { return State:A; } return State:B; }",
        requests: Some(
            "transition(I, {Load, Store}, *) { allocate; turn_on; serve; pop; }
             transition(B, {Load, Store}, *) { serve; pop; }
             transition(A, {Load, Store}) { finish; }",
        ),
        // The next state is determined before the actions run: B first, then A.
        transitions: "action(turn_on, \"t\") { turn := 1; } action(finish, \"f\") { error(\"done\"); }",
        ..Pieces::default()
    };
    reaches(pieces, &[]);
}

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

#[test]
fn machines_define_the_latency_of_requests() {
    let pieces = Pieces {
        parameters: "Cycles slow := 40;",
        declarations: "Tick before;
            Cycles mandatoryQueueLatency(RubyRequestType type) {
              if (type == RubyRequestType:FLUSH) { error(\"no flushes\"); }
              return slow + intToCycles(2);
            }",
        // The first request is made in the first cycle.
        code: "assert(curTick() >= cyclesToTicks(intToCycles(42))); assert(curTick() < cyclesToTicks(intToCycles(60)));
            error(\"done\");",
        ..Pieces::default()
    };
    reaches(pieces, &[]);
}

#[test]
fn wires_lead_from_machine_to_machine() {
    let second = "structure(Note, interface=\"Message\") { Addr addr; int n; }
        machine(MachineType:L2Cache, \"other end\") : WireBuffer * wire; WireBuffer * back; {
          state_declaration(State, default=\"L2Cache_State_I\") { I, AccessPermission:Invalid; }
          enumeration(Event) { Ask; }
          State getState(Addr a) { return State:I; }
          void setState(Addr a, State s) { }
          void setAccessPermission(Addr a, State s) { }
          AccessPermission getAccessPermission(Addr addr) { return AccessPermission:NotPresent; }
          void functionalRead(Addr addr, Packet * pkt) { }
          int functionalWrite(Addr addr, Packet * pkt) { return 0; }
          out_port(back_out, Note, back);
          in_port(wire_in, Note, wire) {
            if (wire_in.isReady(clockEdge())) { peek(wire_in, Note) { trigger(Event:Ask, in_msg.addr); } }
          }
          action(answer, \"a\") {
            peek(wire_in, Note) { enqueue(back_out, Note, 3) { out_msg.addr := address; out_msg.n := in_msg.n + 1; } }
            wire_in.dequeue(clockEdge());
          }
          transition(I, Ask) { answer; }
        }";
    let pieces = Pieces {
        types: second,
        parameters: "WireBuffer * wire; WireBuffer * back;",
        events: "Answer;",
        declarations: "out_port(wire_out, Note, wire);",
        ports: "in_port(back_in, Note, back) {
            if (back_in.isReady(clockEdge())) {
              peek(back_in, Note) { trigger(Event:Answer, in_msg.addr, entry_of(in_msg.addr), TBEs[in_msg.addr]); }
            }
          }",
        code: "enqueue(wire_out, Note, 2) { out_msg.addr := address; out_msg.n := 41; }",
        transitions: "action(see, \"se\") { peek(back_in, Note) { assert(in_msg.n == 42); } error(\"done\"); }
            transition(V, Answer) { see; }",
        ..Pieces::default()
    };
    reaches(pieces, &[]);
}

#[test]
fn prototypes_of_the_library_may_be_declared_again() {
    computes(
        "",
        "Tick clockEdge(); Tick clockEdge(Cycles c); Cycles curCycle(); Cycles ticksToCycles(Tick t); Tick cyclesToTicks(Cycles c);
         void set_cache_entry(AbstractCacheEntry a); void unset_cache_entry(); void unset_tbe();
         void wakeUpBuffers(Addr a); void wakeUpAllBuffers(); void wakeUpAllBuffers(Addr a);
         void profileMsgDelay(int virtualNetworkType, Cycles c); MachineID mapAddressToMachine(Addr addr, MachineType mtype);
         structure(PersistentTable, external=\"yes\") { bool isLocked(Addr); }",
        "wakeUpBuffers(address); wakeUpAllBuffers(); wakeUpAllBuffers(address); profileMsgDelay(0, ticksToCycles(clockEdge()));
         assert(mapAddressToMachine(address, MachineType:L1Cache) == machineID);
         DPRINTF(RubySlicc, \"%s %d %#x\\n\", cache_entry.DataBlk, cache_entry.Count, address);
         APPEND_TRANSITION_COMMENT(\"seen \"); APPEND_TRANSITION_COMMENT(cache_entry.Count);
         ++cache.demand_hits; cache.profileDemandHit();",
    );
}

/// Diagnostics name what is not supported or wrong, with its line.
#[test]
fn errors_name_what_is_wrong() {
    let types = "\n\n\n";
    for (code, declarations, said) in [
        ("float(1);", "", "`float`"),
        ("int x := 1.5;", "", "fraction"),
        ("CacheMemory::flush(address);", "", "`CacheMemory::flush`"),
        ("outside(1);", "int outside(int x);", "`outside` is not supported"),
        ("cache.explode(address);", "", "`explode`"),
        ("check_stop_slots(requests_in, \"1\", \"2\");", "", "check_stop_slots"),
        ("int x; int x;", "", "`x` is declared twice"),
        ("bool b := 3;", "", "expected a `bool`, found a `int`"),
        ("if (1) { }", "", "expected a `bool`"),
        ("unknown := 1;", "", "`unknown` is not declared"),
        ("trigger(Event:Load, address);", "", "`trigger`"),
        ("peek(requests_in, RubyRequest) { in_msg.Size := 1; }", "", "can't be assigned"),
        ("assert(address == machineID);", "", "can't be compared"),
        ("Wrong w;", "", "the type `Wrong` is not declared"),
        ("int y := 1; y := address y;", "", "expected `;`, found `y`"),
        ("assert(Event:Nothing == Event:Load);", "", "has no value `Nothing`"),
        ("cache_entry.Wrong := 1;", "", "has no field `Wrong`"),
    ] {
        let pieces = Pieces { types, declarations, code, ..Pieces::default() };
        let text = source(pieces);
        let Err(errors) = open(&text) else { panic!("{code} was accepted") };
        let at =
            1 + text[..text.find(code).expect("the code is in the text")].matches('\n').count();
        let found = errors
            .iter()
            .any(|error| error.contains(said) && error.starts_with(&format!("{at}: ")));
        assert!(found, "{code}: line {at}, {said}: {errors:?}");
    }
}

/// Variables of types that the runtime does not have are reported when a system is built.
#[test]
fn variables_without_an_implementation_are_reported() {
    let pieces = Pieces {
        declarations: "structure(Oracle, external=\"yes\") { int ask(Addr); } Oracle oracle;",
        ..Pieces::default()
    };
    let outcome = outcome_with(&source(pieces), &[], 1);
    assert!(outcome.contains("Oracle"), "{outcome}");
}

/// Buffers that are attached to the network without a virtual network lead from a controller to its
/// partner.
#[test]
fn buffers_may_connect_two_machines_directly() {
    let types = "structure(Note, interface=\"Message\") { Addr addr; MachineID Dest; int n; MessageSizeType MessageSize; }
        machine(MachineType:L1Cache, \"below\") : MessageBuffer * bufferFromL0, network=\"From\";
          MessageBuffer * bufferToL0, network=\"To\"; {
          state_declaration(State, default=\"L1Cache_State_I\") { I, AccessPermission:Invalid; }
          enumeration(Event) { Ask; }
          State getState(Addr a) { return State:I; }
          void setState(Addr a, State s) { }
          void setAccessPermission(Addr a, State s) { }
          AccessPermission getAccessPermission(Addr addr) { return AccessPermission:NotPresent; }
          void functionalRead(Addr addr, Packet * pkt) { }
          int functionalWrite(Addr addr, Packet * pkt) { return 0; }
          out_port(up_out, Note, bufferToL0);
          in_port(up_in, Note, bufferFromL0) {
            if (up_in.isReady(clockEdge())) { peek(up_in, Note) { trigger(Event:Ask, in_msg.addr); } }
          }
          action(answer, \"a\") {
            peek(up_in, Note) {
              assert(in_msg.Dest == machineID);
              enqueue(up_out, Note, 2) {
                out_msg.addr := address; out_msg.n := in_msg.n;
                out_msg.Dest := createMachineID(MachineType:L0Cache, version);
              }
            }
            up_in.dequeue(clockEdge());
          }
          transition(I, Ask) { answer; }
        }";
    let pieces = Pieces {
        types,
        parameters: "MessageBuffer * bufferToL1, network=\"To\"; MessageBuffer * bufferFromL1, network=\"From\";",
        events: "Answer;",
        states: "W, AccessPermission:Busy;",
        declarations: "int answers; out_port(down_out, Note, bufferToL1);",
        ports: "in_port(down_in, Note, bufferFromL1, rank=1) {
            if (down_in.isReady(clockEdge())) {
              peek(down_in, Note) { trigger(Event:Answer, in_msg.addr, entry_of(in_msg.addr), TBEs[in_msg.addr]); }
            }
          }",
        transitions: "action(ask, \"ak\") {
              enqueue(down_out, Note, 2) {
                out_msg.addr := address; out_msg.n := IDToInt(version);
                out_msg.Dest := createMachineID(MachineType:L1Cache, version);
              }
            }
            action(see, \"se\") {
              peek(down_in, Note) { assert(in_msg.Dest == machineID && in_msg.n == IDToInt(version)); }
              down_in.dequeue(clockEdge());
              answers := answers + 1;
              if (answers == 10) { error(\"done\"); }
            }
            action(z_stall, \"z\") { }
            transition(V, Answer) { see; }",
        requests: Some(
            "transition(I, {Load, Store}, V) { allocate; ask; serve; pop; }
             transition(V, {Load, Store}) { ask; serve; pop; }",
        ),
        ..Pieces::default()
    };
    let text = source(pieces).replace(
        "machine(MachineType:L1Cache, \"test\")",
        "machine(MachineType:L0Cache, \"test\")",
    );
    let (below, above) =
        text.split_at(text.find("machine(MachineType:L0Cache").expect("the machine"));
    let text = format!(
        "{below}{}",
        above.replace("L1Cache_State", "L0Cache_State").replace("<L1Cache_TBE>", "<L0Cache_TBE>")
    );
    let outcome = outcome_with(&text, &[], 3);
    assert!(outcome.ends_with(": done"), "{outcome}");
}

/// The names that released protocols use in unusual ways.
#[test]
fn names_in_larger_protocols() {
    let pieces = Pieces {
        types: "structure(Note, interface='Message') { Addr addr; MachineType From; NetDest Destination; }
            structure(Held) { int Tokens, default=\"max_tokens()\"; int half, default=\"(512)\"; }
            enumeration(Reply, default=Reply_NULL, desk=\"a slip\") { NULL, \"short\", desc=\"none\"; State; }",
        parameters: "MessageBuffer * notes, ordered=\"true\"; RubyPrefetcher * prefetcher; bool use_it := \"False\"; Cycles response := 1;",
        states: "W, AccessPermission:Busy, \"W^x\", desc=\"with a shorthand\", format=\"!b\";",
        tbe: "Reply State, default=Reply_State;",
        declarations: "Set scratch;
            NetDest everyone(Entry e) { NetDest all; all.broadcast(MachineType:L1Cache); return all; }
            Cycles latency() { if (cache.getTagLatency() > response) { return cache.getTagLatency(); } else { return response; } }
            std::string name_of(Reply r) { return Reply_to_string(r); }
            bool about(Addr addr, MachineID machineID) { return machineIDToMachineType(machineID) == MachineType:DMA; }
            Cycles mandatoryQueueLatency(RubyRequestType type) { return response; }
            int functionalReadPriority() { return 2; }
            out_port(notes_out, Note, notes);",
        ports: "in_port(notes_in, Note, notes, block_on=\"addr\") { }",
        code: "enqueue(notes_out, Note, latency()) {
              out_msg.addr := address; out_msg.From := machineIDToMachineType(machineID);
              out_msg.Destination.addNetDest(everyone(cache_entry));
              Entry e := entry_of(address); e.Count := out_msg.Destination.count();
              DPRINTF(RubySlicc, \"%s\\n\", out_msg);
            }
            Held h;
            assert(h.Tokens == max_tokens() && h.half == max_tokens() / 2);
            assert (cache_entry.Count == everyone(cache_entry).count());
            assert(name_of(Reply:State) == \"State\" && about(address, machineID) == false);
            peek(requests_in, RubyRequest) { if (use_it) { prefetcher.observeMiss(in_msg.LineAddress, in_msg.Type); } }
            scratch.setSize(machineCount(MachineType:L1Cache)); scratch.add(machineIDToNodeID(machineID));
            TBE t := TBEs.lookup(address); assert(is_invalid(t));
            TBEs.allocate(address); set_tbe(TBEs[address]); assert(tbe.State == Reply:State);
            error('done');",
        ..Pieces::default()
    };
    reaches(pieces, &[]);
}

#[test]
fn names_in_directory_and_token_protocols() {
    let pieces = Pieces {
        types: "structure(Loan, interface=\"Message\") { Addr addr; int Tokens; DataBlock DataBlk; NetDest Destination; }",
        parameters: "MessageBuffer * loans; MessageBuffer * comes, network=\"From\", virtual_network=\"3\";
            bool eager := \"True\"; int share := 3;",
        events: "Late, desc=\"x\", format=\"!r\";",
        tbe: "DataBlock DataBlk; bool IsLent, default=\"false\"; Cycles Since; Set Owner;",
        declarations: "structure(Kept, interface=\"AbstractCacheEntry\", main=\"false\") {
              NetDest Sharers; MachineID Owner; bool OwnerValid, default=\"false\"; State Held; }
            structure(PerfectCacheMemory, external = \"yes\") {
              void allocate(Addr); void deallocate(Addr); Kept lookup(Addr); bool isTagPresent(Addr); }
            PerfectCacheMemory kept, template=\"<L1Cache_Kept>\";
            TimerTable late;
            int weight, default=\"(8)\"; Cycles sum, default=\"(Cycles(500) << (*m_weight_ptr))\";
            Cycles mean() { return sum >> weight; }
            void learn(Cycles one) { sum := sum - mean() + one; }
            bool IsLent(TBE tbe) { assert(is_valid(tbe)); return tbe.IsLent; }
            Kept find(Addr address), return_by_pointer=\"yes\" { return kept.lookup(address); }
            NetDest sharers(Entry cache_entry, Addr addr) {
              if (is_valid(cache_entry) && eager == false) { NetDest none; return none; }
              else { Kept found := find(addr); return found.Sharers; }
            }
            void keep(Addr addr, MachineID who) {
              if (kept.isTagPresent(addr) == false) { kept.allocate(addr); Kept found := find(addr); found.Sharers.clear(); }
              Kept found := find(addr); found.Sharers.add(who); found.Owner := who; found.Held := State:V;
            }
            out_port(loans_out, Loan, loans); out_port(again_out, Loan, comes);",
        ports: "in_port(late_in, Addr, late, rank=3) {
              Tick current_time := clockEdge();
              if (late_in.isReady(current_time)) {
                Addr a := late.nextAddress(); trigger(Event:Late, a, entry_of(a), TBEs.lookup(a)); } }
            in_port(loans_in, Loan, loans) { }
            in_port(comes_in, Loan, comes) { }",
        code: "assert(mean() == intToCycles(500)); learn(intToCycles(756)); assert(sum == intToCycles(128256));
            keep(address, machineID);
            assert(sharers(cache_entry, address).count() == 1 && find(address).Owner == machineID);
            assert(sharers(cache_entry, address).smallestElement(MachineType:L1Cache) == machineID);
            TBEs.allocate(address); set_tbe(TBEs[address]); assert((is_valid(tbe) == false) == false);
            assert(IsLent(tbe) == false); tbe.Since := curCycle(); tbe.DataBlk := cache_entry.DataBlk;
            WriteMask some; some.setMask(0, 4);
            enqueue(loans_out, Loan, 1) {
              out_msg.addr := address; out_msg.DataBlk := cache_entry.DataBlk; out_msg.Tokens := 0 - 1;
              out_msg.Destination.addNetDest(sharers(cache_entry, address));
              if (out_msg.Destination.isElement(machineID) == true) { out_msg.Tokens := (out_msg.Destination.count()) - 1; }
            }
            peek(loans_in, Loan) {
              DataBlock DataBlk := in_msg.DataBlk;
              DataBlk.copyPartial(tbe.DataBlk, getOffset(address), 8);
              if (is_valid(cache_entry)) { } else { error(\"no entry\"); }
              assert(in_msg.DataBlk == cache_entry.DataBlk && in_msg.Tokens == 0);
              APPEND_TRANSITION_COMMENT(in_msg.Tokens); APPEND_TRANSITION_COMMENT(\" p: \");
            }
            tbe.TBEState := State:V;
            late.set(address, clockEdge(intToCycles(share)));",
        requests: Some(
            "transition(I, Load, V) { allocate; check serve; pop; }
             transition(I, Store, V) { allocate, check, serve, pop }
             transition(V, {Load, Store}) { serve; pop; }",
        ),
        transitions: "action(rest, \"re\", desc='x') { late.unset(address); assert(late.isSet(address) == false);
              assert(tbe.Since + intToCycles(3) == curCycle()); kept.deallocate(address); error('done'); }
            transition(V, Late) { rest }",
        ..Pieces::default()
    };
    reaches(pieces, &[]);
}

/// Lists need no commas, and may end in one; braces need no space between them.
#[test]
fn lists_are_written_in_several_ways() {
    let pieces = Pieces {
        states: "A, AccessPermission:Busy; B, AccessPermission:Busy;",
        declarations: "enumeration(RequestType) { TagRead; TagWrite; }
            void recordRequestType(RequestType which, Addr addr) {

            }
            bool checkResourceAvailable(RequestType which, Addr addr) {
              if (which == RequestType:TagRead || which == RequestType:TagWrite) { return true; }
              else { error(\"no such resource\"); return true; }
            }",
        code: "error(\"done\");",
        transitions: "action(twice, \"\\tw\", desc=\"it's \\ plain\" ) {
                if (mod(addressToInt(address), 2) == 0) { /* nothing */ } else if(is_valid(cache_entry)){
                  // nothing either
                }else{
                  cache_entry.Count := 0;
                }
              }
            transition({A B, V,}, {Load, Store,}, V) {TagRead, TagWrite, TagWrite}{
              twice; // once
            //  check;
              twice;
              serve; pop;
            }",
        requests: Some("transition(I, {Load; Store} , V) {}{ allocate; check; serve; pop; }"),
        ..Pieces::default()
    };
    reaches(pieces, &[]);
}

/// A message is built while another one is built, and is sent first; ports of either direction
/// share a buffer, and each declares the type of its messages.
#[test]
fn messages_are_built_within_messages() {
    let pieces = Pieces {
        types: "enumeration(Grade, default=\"Grade_None\") { Half; Full; None; }
            structure(Slip, interface=\"Message\") { Addr addr; Grade Grade, default=Grade_None, desc=\"named as its type\"; int Count, default=\"0\"; }
            structure(Other, interface=\"Message\") { Addr addr; }",
        parameters: "MessageBuffer * slips; MessageBuffer * bells;",
        events: "Rung;",
        declarations: "out_port(slips_out, Slip, slips);
            out_port(never_out, Other, slips);
            out_port(bells_out, Slip, bells);",
        ports: "in_port(bells_in, Slip, bells) { if (bells_in.isReady(clockEdge())) { peek(bells_in, Slip) {
                assert(in_msg.Count == 5 && in_msg.Grade == Grade:None);
                error(\"done\");
                trigger(Event:Rung, in_msg.addr, entry_of(in_msg.addr), TBEs[in_msg.addr]);
                DPRINTF(RubySlicc, \"%s\\n\", in_msg);
              } } }
            in_port(slips_in, Slip, slips) { if (slips_in.isReady(clockEdge())) { peek(slips_in, Slip) {
                error(\"the inner message comes first\");
              } } }",
        code: "enqueue(slips_out, Slip, 3) {
              out_msg.addr := address; out_msg.Count := 4; out_msg.Grade := Grade:Full;
              if (out_msg.Count == 4) {
                enqueue(bells_out, Slip, 1) { out_msg.addr := address; out_msg.Count := 5; }
              }
              assert(out_msg.Count == 4 && out_msg.Grade == Grade:Full);
            }",
        transitions: "transition({I, V}, Rung) { }",
        ..Pieces::default()
    };
    reaches(pieces, &[]);
}

/// The object that a call returns can be modified, also deep inside; copies do not change; comments
/// and traces can contain anything.
#[test]
fn returned_objects_can_be_modified() {
    let pieces = Pieces {
        parameters: "CacheMemory * shelf; bool strict := \"True\"; bool loose := \"False\"; int Step_bits:=1; int banks;",
        declarations: "enumeration(Mark, desc=\"\") { T, desc=\"x\"; NT; V, desc=\"named as a state\"; }
            structure(Card, interface=\"AbstractCacheEntry\", main=\"false\") {
              DataBlock DataBlk; NetDest Ignored; Set Holders; MachineID Last;
              Mark mark, desc=\"private\",default=\"L1Cache_Mark_NT\"; bool seen, desc=\"\",default=\"false\";
            }
            int low_bit, default=\"m_ruby_system->getBlockSizeBits()\";
            Card card_of(Addr a), return_by_pointer=\"yes\" {
              Card card := static_cast(Card, \"pointer\", shelf.lookup(a));
              if (is_valid(card)) { return card; }
              card :=  static_cast(Card, \"pointer\",
                                   shelf.allocate(a, new Card));
              return card;
            }
            Card no_card(Addr a), return_by_pointer=\"yes\" { if (loose) { return card_of(a); } return OOD; }
            DataBlock block_of(Addr a), return_by_ref=\"yes\" {
              TBE held := TBEs.lookup(a);
              if (is_valid(held) && strict) { DPRINTF(RubySlicc, \"%s:%s\\n\", a, held); return card_of(a).DataBlk; }
              DPRINTF(RubySlicc, \"%s:%s\\n\", a, card_of(a));
              return card_of(a).DataBlk;
            }
            int patched(Addr a, Packet *pkt) {
              int count := 0;
              count := count
                  + functionalMemoryWrite(pkt);
              return count + testAndWrite(a, card_of(a).DataBlk, pkt);
            }",
        request: "TBE held := TBEs[in_msg.LineAddress];
            Card card := static_cast(Card, \"pointer\", shelf.lookup(in_msg.LineAddress));
            if (strict && is_invalid(card)) {
              Addr other := makeNextStrideAddress(in_msg.LineAddress, 1);
              held := TBEs.lookup(other);
              card := static_cast(Card, \"pointer\", shelf.lookup(other));
              assert(is_invalid(held) && is_invalid(card));
            }",
        code: "assert(card_of(address).mark == Mark:NT && card_of(address).seen == false && low_bit == 6);
            assert(is_invalid(no_card(address)));
            card_of(address).Ignored.add(machineID);
            card_of(address).Holders.setSize(machineCount(MachineType:L1Cache));
            card_of(address).Holders.add(machineIDToNodeID(machineID));
            assert(card_of(address).Ignored.isElement(machineID) && card_of(address).Holders.count() == 1);
            Set others := card_of(address).Holders;
            others.remove(machineIDToNodeID(machineID));
            assert(others.count() == 0 && card_of(address).Holders.count() == 1);
            card_of(address).Last := machineID;
            card_of(address).changePermission(AccessPermission:Read_Only);
            WriteMask mask; mask.fillMask();
            DataBlock copy := block_of(address);
            copy.copyPartial(card_of(address).DataBlk, mask);
            copy.atomicPartial(copy, mask, false); copy.atomicPartial(block_of(address), mask);
            card_of(address).DataBlk := copy;
            NetDest nobody;
            if (loose) { nobody.add(mapAddressToRange(address, MachineType:TCC, low_bit, Step_bits)); }
            assert(nobody.count() == 0 && !loose);
            APPEND_TRANSITION_COMMENT(card_of(address).Holders); APPEND_TRANSITION_COMMENT(card_of(address).Last);
            APPEND_TRANSITION_COMMENT(\" left: \"); APPEND_TRANSITION_COMMENT(banks);
            DPRINTF(RubySlicc, \"%s %d\\n\", (cache_entry), card_of(address).Holders);
            error(\"done\");",
        ..Pieces::default()
    };
    reaches(pieces, &["banks=2"]);
}
