//! Expressions, statements, functions, types and variables.

use crate::small::{Pieces, computes, outcome_with, reaches, source};

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
