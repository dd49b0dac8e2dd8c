use super::*;
use crate::sample::instruction;

/// Decodes lines, and returns the action of the last one.
fn last(lines: &[&str]) -> Action {
    let mut decoder = Decoder::default();
    let actions = lines.iter().map(|text| {
        let line = instruction(text);
        decoder.decode(&line, 1).unwrap()
    });
    actions.last().unwrap()
}

#[test]
fn a_sign_is_no_part_of_what_memory_holds() {
    let load = "0x4 @f    : c_lw a5, 0(a4)             : MemRead :  D=0xffffffff80000001 A=0x8";
    let expected = Operation::load(4, Some(0x8000_0001));
    assert_eq!(last(&[load]), Action::Access(expected));
    assert_eq!(expected.read, Some(0x8000_0001));
    let load = "0x4 @f    : lb a5, 0(a4) : MemRead :  D=0xffffffffffffff81 A=0x8";
    assert_eq!(last(&[load]), Action::Access(Operation::load(1, Some(0x81))));
}

#[test]
fn fences_have_sets() {
    let fence = |sets: &str| last(&[&format!("0x4 @f    : {sets} : No_OpClass : ")]);
    assert_eq!(fence("fence rw, rw"), Action::Fence(Kind::Fence));
    assert_eq!(fence("fence iorw, iorw"), Action::Fence(Kind::Fence));
    let weak = Kind::WeakFence(WeakFence::BothWrite);
    assert_eq!(fence("fence rw, w"), Action::Fence(weak));
    assert_eq!(fence("fence i, o"), Action::Nothing);
    assert_eq!(fence("fence_i"), Action::Nothing);
    assert_eq!(fence("fence.tso"), Action::Fence(Kind::WeakFence(WeakFence::Tso)));
}

#[test]
fn atomics_compute_from_registers() {
    let lines = [
        "0x100 @f    : c_li a4, 1              : IntAlu :  D=0x0000000000000001",
        "0x102 @f    : amoadd_w_aqrl a5, a4, (a3)",
        "0x102 @f. 0 : 0x06f727af fence           : No_OpClass : ",
        "0x102 @f. 1 : amoadd_w[l] a5, a4, (a3) : MemRead :  D=0xffffffffffffffff A=0x8",
    ];
    let expected = Operation::rmw(4, Some(0xffff_ffff), Some(0)).with(Annotation::AcquireRelease);
    assert_eq!(last(&lines), Action::Access(expected));
    let unknown = Operation::rmw(4, Some(0xffff_ffff), None).with(Annotation::AcquireRelease);
    assert_eq!(last(&lines[1..]), Action::Access(unknown));
    let swap = "0x200 @f    : amoswap_d a5, zero, (a3) : MemRead :  D=0x0000000000000003 A=0x8";
    assert_eq!(last(&[swap]), Action::Access(Operation::rmw(8, Some(3), Some(0))));
    // A lock that is taken: the swap writes back what it read, and is a write all the same.
    let taken = "0x102 @f    : amoswap_w a5, a4, (a3) : MemRead :  D=0x0000000000000001 A=0x8";
    let swap = Operation::rmw(4, Some(1), Some(1));
    assert_eq!(last(&[lines[0], taken]), Action::Access(swap));
}

#[test]
fn store_conditionals_show_whether_they_stored() {
    let lines = |result: u64| {
        [
            "0x100 @f    : addi a4, zero, 7 : IntAlu :  D=0x0000000000000007".to_owned(),
            "0x104 @f    : sc_d_rl a2, a4, (a3)".to_owned(),
            format!("0x104 @f. 1 : sc_d a2, a4, (a3) : MemWrite :  D=0x{result:016x} A=0x8"),
        ]
    };
    let read = |result| {
        let lines = lines(result);
        last(&lines.each_ref().map(String::as_str))
    };
    let store = Operation::store(8, Some(7)).of_kind(Kind::StoreConditional);
    assert_eq!(read(0), Action::Access(store.with(Annotation::Release)));
    assert_eq!(read(1), Action::Nothing);
}

#[test]
fn what_may_have_changed_a_register_makes_it_unknown() {
    let swap = "0x108 @f    : amoswap_d a5, a4, (a3) : MemRead :  D=0x0000000000000003 A=0x8";
    let li = "0x100 @f    : li a4, 1 : IntAlu :  D=0x0000000000000001";
    let after = |between: &str| last(&[li, between, swap]);
    let known = Action::Access(Operation::rmw(8, Some(3), Some(1)));
    let unknown = Action::Access(Operation::rmw(8, Some(3), None));
    assert_eq!(after("0x104 @f    : bne a5, a2, -8 : IntAlu : "), known);
    assert_eq!(
        after("0x104 @f    : sd a4, 0(a5) : MemWrite :  D=0x0000000000000009 A=0x40"),
        known
    );
    assert_eq!(after("0x104 @f    : ecall : No_OpClass : "), unknown);
    assert_eq!(after("0x104 @f    : li a4, 1 : IntAlu : "), unknown);
    assert_eq!(after("0x904 @f    : li a2, 1 : IntAlu :  D=0x0000000000000001"), unknown);
}

#[test]
fn vectors_are_not_understood() {
    let load = "0x4 @f. 0 : vle64_v_micro v1, (a0) : SimdUnitStrideLoad :  D=[0_1] A=0x8";
    assert_eq!(last(&[load]), Action::UnknownVector(Gap::Read));
    let zero = "0x4 @f    : cbo_zero 0(a0) : MemWrite :  A=0x40";
    assert_eq!(last(&[zero]), Action::UnknownBlock(Gap::Write, 256));
}

#[test]
fn atomics_that_are_not_known_write() {
    for name in ["amonew_d", "ssamoswap_d", "sc_q", "hlvnew_d[l]"] {
        let line =
            format!("0x4 @f. 0 : {name} a5, a4, (a0) : MemRead :  D=0x0000000000000007 A=0x40");
        assert_eq!(last(&[&line]), Action::Unknown(Gap::Write, 256), "{name}");
    }
}
