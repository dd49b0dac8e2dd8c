//! Machines, buffers, prototypes, and the diagnostics of wrong declarations.

use crate::small::{Pieces, computes, open, outcome_with, reaches, source};

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
        ("int x := 7 % 1.5;", "", "fraction"),
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
    // One that is not used has no effect.
    assert_eq!(outcome_with(&source(pieces), &[], 1), "clean");
    let code = "int answer := oracle.ask(address);";
    let outcome = outcome_with(&source(Pieces { code, ..pieces }), &[], 1);
    assert!(outcome.contains("`Oracle` is not supported"), "{outcome}");
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
