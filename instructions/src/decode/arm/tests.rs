use super::*;
use crate::sample::instruction;

fn last(lines: &[&str]) -> Action {
    let mut decoder = Decoder::default();
    let actions = lines.iter().map(|text| {
        let line = instruction(text);
        decoder.decode(&line, 1).unwrap()
    });
    actions.last().unwrap()
}

fn access(text: &str, class: &str) -> Action {
    last(&[&format!("0x4 @f    :   {text} : {class} :  D=0x0000000000000102 A=0x8")])
}

#[test]
fn names_tell_sizes_and_annotations() {
    let load = |size| Operation::load(size, Some(0x102));
    assert_eq!(access("ldr   x0, [x1]", "MemRead"), Action::Access(load(0)));
    assert_eq!(access("ldrb   w0, [x1]", "MemRead"), Action::Access(load(1)));
    let acquire = load(0).with(Annotation::Acquire);
    assert_eq!(access("ldar   x0, [x1]", "MemRead"), Action::Access(acquire));
    let weak = load(2).with(Annotation::AcquirePc);
    assert_eq!(access("ldaprh   w0, [x1]", "MemRead"), Action::Access(weak));
    let release = Operation::store(0, Some(0x102)).with(Annotation::Release);
    assert_eq!(access("stlr   x0, [x1]", "MemWrite"), Action::Access(release));
    assert_eq!(access("ldp_uop   x0, x1, [x2]", "MemRead"), Action::LoadPair(8));
    assert_eq!(access("ld1   v0", "MemRead"), Action::Unknown(Gap::Read, 256));
    assert_eq!(access("dc zva   , x0", "MemWrite"), Action::ZeroBlock);
    assert_eq!(access("stxp   x0, x1, x2, [x3]", "MemWrite"), Action::Unknown(Gap::Write, 256));
    assert_eq!(access("prfm   PLDL1KEEP, [x1]", "MemRead"), Action::Nothing);
}

#[test]
fn transactions_may_undo_anything() {
    let start = "0x4 @f    :   tstart   x0 : MemRead :  D=0x0000000000000000";
    assert_eq!(last(&[start]), Action::UnknownEverywhere(Gap::Write));
}

#[test]
fn atomics_do_not_show_what_they_read() {
    let rmw = |size, annotation| Action::Access(Operation::rmw(size, None, None).with(annotation));
    let acquire = Annotation::Acquire;
    assert_eq!(access("ldadda   x0, x1, [x2]", "MemWrite"), rmw(4, acquire));
    assert_eq!(access("swpa64   x0, x1, [x2]", "MemWrite"), rmw(8, acquire));
    let both = Annotation::AcquireRelease;
    assert_eq!(access("ldaddla64   x0, x1, [x2]", "MemWrite"), rmw(8, both));
    assert_eq!(access("casal   x0, x1, [x2]", "MemWrite"), rmw(0, both));
    assert_eq!(access("stclrlb   w0, w1, [x2]", "MemWrite"), rmw(1, Annotation::NoReturnRelease));
    let add = |result| access(&format!("ldadda64   {result}, x1, [x2]"), "MemWrite");
    assert_eq!(add("xzr"), rmw(8, Annotation::NoReturn));
}

#[test]
fn barriers_show_what_they_order_or_do_not() {
    let fence = |text: &str| last(&[&format!("0x4 @f    :   {text} : No_OpClass : ")]);
    assert_eq!(fence("dmb   "), Action::UnknownFence);
    assert_eq!(fence("dmb   ish"), Action::Fence(Kind::Fence));
    let stores = Kind::fence(Side::Writes, Side::Writes);
    assert_eq!(fence("dmb   ishst"), Action::Fence(stores));
    let loads = Kind::fence(Side::Reads, Side::Both);
    assert_eq!(fence("dsb   ishld"), Action::Fence(loads));
    let all_after_stores = Kind::fence(Side::Writes, Side::Both);
    assert_eq!(fence("dsb   ishst"), Action::Fence(all_after_stores));
    let isb = Kind::WeakFence(WeakFence::Instruction);
    assert_eq!(fence("isb   "), Action::Fence(isb));
}

#[test]
fn an_attempt_waits_for_its_test() {
    let lines = [
        "0x100 @f    :   add   x1, x3, #1 : IntAlu :  D=0x0000000000000006",
        "0x104 @f    :   stlxr   x1, x9, [x2] : MemWrite :  D=0x0000000000000000 A=0x8",
    ];
    let store = Operation::store(0, None).of_kind(Kind::StoreConditional);
    let status = Some((9, Some(6)));
    assert_eq!(last(&lines), Action::Attempt(store.with(Annotation::Release), status));
}

#[test]
fn a_branch_shows_where_it_leads() {
    let test = |text: &str| Decoder::tests(&instruction(text));
    let branch = |target| Some(Test { register: 9, if_zero: false, length: 4, target });
    let own = "0x108 @f+8    :   cbnz   w9, <f+4> : IntAlu : ";
    assert_eq!(test(own), branch(Some(0x104)));
    let first = "0x108 @f+8    :   cbnz   w9, <f> : IntAlu : ";
    assert_eq!(test(first), branch(Some(0x100)));
    let plain = "0x108    :   cbnz   w9, 0x104 : IntAlu : ";
    assert_eq!(test(plain), branch(Some(0x104)));
    let other = "0x108 @f+8    :   cbnz   w9, <g+4> : IntAlu : ";
    assert_eq!(test(other), branch(None));
}
