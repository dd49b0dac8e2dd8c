use history::Annotation;

use super::super::JumpTarget;
use super::*;
use crate::value::Binary;

fn annotation(text: &str) -> Annotation {
    match decode(text).unwrap() {
        Instruction::Load { access, .. }
        | Instruction::Store { access, .. }
        | Instruction::StoreConditional { access, .. }
        | Instruction::Atomic { access, .. }
        | Instruction::CompareAndSwap { access, .. } => access.annotation,
        other => panic!("{other:?} is no access"),
    }
}

#[test]
fn acquire_and_release_come_from_the_name() {
    assert_eq!(annotation("LDR W0,[X1]"), Annotation::None);
    assert_eq!(annotation("LDAPR W0,[X1]"), Annotation::AcquirePc);
    assert_eq!(annotation("STLXR W0,W1,[X2]"), Annotation::Release);
    assert_eq!(annotation("SWPAL W0,W1,[X2]"), Annotation::AcquireRelease);
    assert_eq!(annotation("CASA W0,W1,[X2]"), Annotation::Acquire);
    assert_eq!(annotation("LDADDL W0,W1,[X2]"), Annotation::Release);
    assert_eq!(annotation("LDSETALB W0,W1,[X2]"), Annotation::AcquireRelease);
    assert_eq!(annotation("STADDL W0,[X2]"), Annotation::Release);
}

#[test]
fn atomics_without_a_result_keep_no_register() {
    for text in ["STADD W0,[X1]", "LDADD W0,WZR,[X1]", "SWP W0,WZR,[X1]"] {
        let Instruction::Atomic { target, .. } = decode(text).unwrap() else {
            panic!("{text} is atomic");
        };
        assert_eq!(target, None, "{text}");
    }
}

#[test]
fn addresses_have_offsets() {
    let Instruction::Load { access, target, .. } = decode("LDR W4,[X5,W3,SXTW]").unwrap() else {
        panic!("a load");
    };
    assert_eq!(target, Some(Register(4)));
    let Formula::Binary(Binary::Add, base, _) = access.address else {
        panic!("a sum");
    };
    assert_eq!(*base, Formula::Register(Register(5)));
}

#[test]
fn an_updated_address_register_is_set_after_the_access() {
    for text in ["LDR W0,[X1],#4", "STR W0,[X1,#4]!"] {
        let Instruction::Sequence(parts) = decode(text).unwrap() else {
            panic!("{text} has two parts");
        };
        let moved = Formula::Register(Register(1)).binary(Binary::Add, Formula::number(4));
        assert_eq!(parts[1], Instruction::Set(vec![(Register(1), moved)]), "{text}");
    }
    // What becomes of a register that is loaded or stored as well is unpredictable.
    for text in ["LDR X1,[X1],#8", "STR X1,[X1,#8]!", "LDP X0,X1,[X1],#16"] {
        assert!(decode(text).is_err(), "{text}");
    }
}

#[test]
fn sizes_of_registers_and_accesses_go_together() {
    let width = |text| match decode(text) {
        Ok(Instruction::Load { access, .. } | Instruction::Store { access, .. }) => access.width,
        Ok(Instruction::Sequence(parts)) => match &parts[0] {
            Instruction::Load { access, .. } => access.width,
            other => panic!("{other:?}"),
        },
        other => panic!("{text}: {other:?}"),
    };
    let cases = [
        ("LDRB W0,[X1]", 8, false),
        ("LDRSB W0,[X1]", 8, true),
        ("LDRSH X0,[X1]", 16, true),
        ("LDRSW X0,[X1]", 32, true),
        ("LDAPURSW X0,[X1,#8]", 32, true),
        ("STURH W0,[X1,#-2]", 16, false),
    ];
    for (text, bits, signed) in cases {
        assert_eq!(width(text), super::super::Width { bits, signed }, "{text}");
    }
    for text in ["LDRB X0,[X1]", "LDRSW W0,[X1]", "STRSB W0,[X1]", "ADD X0,X1,W2", "MOV X0,W1"] {
        assert!(decode(text).is_err(), "{text}");
    }
}

#[test]
fn jumps_name_a_label_a_distance_or_a_register() {
    let target = |text| match decode(text) {
        Ok(Instruction::Branch { target, .. } | Instruction::Call { target, .. }) => target,
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(target("B.EQ L0"), JumpTarget::Label("L0".to_owned()));
    assert_eq!(target("CBNZ W0,.-8"), JumpTarget::Label(".-8".to_owned()));
    assert_eq!(target("BLR X1"), JumpTarget::Address(Formula::Register(Register(1))));
    assert_eq!(target("RET"), JumpTarget::Address(Formula::Register(Register(30))));
}

#[test]
fn what_is_unknown_is_an_error() {
    let unknown = "`LDTR` is not known with these operands";
    assert_eq!(decode("LDTR X0,[X2]"), Err(unknown.to_owned()));
    let tagging = "`STG` belongs to memory tagging, which is not supported";
    assert_eq!(decode("STG X0,[X1]"), Err(tagging.to_owned()));
    assert!(decode("MOV X0,#1,LSL #64").is_err());
    assert!(decode("MOVZ W0,#1,LSL #32").is_err());
    assert!(decode("UBFX W0,W1,#30,#3").unwrap_err().contains("not within 32 bits"));
    assert!(decode("DMB XY").unwrap_err().contains("`XY` is not an option of DMB"));
    assert!(decode("MRS X0,TPIDR_EL0").unwrap_err().contains("`TPIDR_EL0` is a system register"));
}
