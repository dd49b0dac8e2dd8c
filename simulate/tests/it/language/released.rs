//! What released protocols write in unusual ways.

use crate::small::{Pieces, reaches};

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
