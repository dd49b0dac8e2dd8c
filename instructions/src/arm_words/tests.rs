use super::*;

fn word(encoding: u32) -> ArmWord {
    ArmWord::of(0x1000, encoding)
}

fn text(encoding: u32) -> String {
    String::from_utf8(word(encoding).text).unwrap().trim_ascii().to_owned()
}

#[test]
fn texts_are_those_of_gem5() {
    for (encoding, expected) in [
        (0xf940_07e1, "ldr   x1, [sp, #8]"),
        (0xb840_0c20, "ldr   w0, [x1, #0]"),
        (0x3820_6827, "strb   w7, [x1, x0]"),
        (0x79c0_000c, "ldrsh   w12, [x0, #0]"),
        (0xb980_0041, "ldrsw   x1, [x2, #0]"),
        (0x1800_0040, "ldr   w0, [pc]"),
        (0x2940_1805, "ldp   w5, w6, [x0, #0]"),
        (0xa9be_7bfd, "stp   x29, x30, [sp, #-32]"),
        (0x6d47_2408, "ldpfp   v, [x0, #112]"),
        (0x3d80_0000, "stqfp   v, [x0, #0]"),
        (0xb8e1_0007, "ldaddal   w7, w1, [x0]"),
        (0x3821_1007, "ldclrb   w7, w1, [x0]"),
        (0xc8e8_fc01, "casal   x1, x8, [x0]"),
        (0xc85f_fc09, "ldaxr   x9, [x0]"),
        (0xc80a_fc01, "stlxr   x1, w10, [x0]"),
        (0xf8bf_c00b, "ldapr   x11, [x0]"),
        (0x089f_fc62, "stlrb   w2, [x3]"),
        (0xd503_3bbf, "dmb   ish"),
        (0xd503_39bf, "dmb   ishld"),
        (0xd503_3fdf, "isb"),
        (0x35ff_ffca, "cbnz   w10, 0xff8"),
        (0xd63f_0060, "blr   x3"),
        (0x9ac1_2003, "lslv   x3, x0, x1"),
        (0x1a84_03e4, "csel   w4, wzr, w4, eq"),
        (0xd53b_d054, "mrs   x20, tpidr_el0"),
        (0x9e66_0044, "fmov   x4"),
        (0xd50b_7423, "dc   zva, x3"),
        (0xd50b_7483, "dc   zva, x3"),
        // `dc gva` writes tags alone.
        (0xd50b_7463, "ic"),
        (0xd960_0841, "stzg   [x2]"),
        (0xd9e0_0841, "stz2g   [x2]"),
        (0xd920_0841, "unknown"),
        (0xd53b_00e0, "mrs   x0, dczid_el0"),
        (0x1e60_4020, "vector"),
        (0x0000_0000, "unknown"),
    ] {
        assert_eq!(text(encoding), expected, "{encoding:#x}");
    }
}

#[test]
fn registers_have_roles() {
    let roles = |encoding| {
        let word = word(encoding);
        (word.size, word.result, word.second, word.stored, word.operand)
    };
    assert_eq!(roles(0xf900_0001), (8, None, None, Some(1), None));
    assert_eq!(roles(0xa900_0c01), (8, None, Some(3), Some(1), None));
    assert_eq!(roles(0x2940_1805), (4, Some(5), Some(6), None, None));
    assert_eq!(roles(0xc80a_fc01), (8, Some(10), None, Some(1), None));
    assert_eq!(roles(0xb8e1_0007), (4, Some(7), None, None, Some(1)));
    assert_eq!(roles(0xc8e8_fc01), (8, Some(8), None, None, Some(1)));
    assert_eq!(roles(0xd280_001d), (0, Some(29), None, None, None));
    assert!(word(0xc8e8_fc01).compares && word(0xc80a_fc01).is_conditional());
    assert!(!word(0x35ff_ffca).goes_on && word(0xd400_0001).goes_on);
    let next = |encoding| word(encoding).next;
    assert_eq!((next(0x35ff_ffca), next(0x1400_0002)), (Next::Branch(0xff8), Next::Jump(0x1008)));
    assert_eq!((next(0xd63f_0060), next(0xd69f_03e0)), (Next::Anywhere, Next::Anywhere));
    assert_eq!((next(0xd400_0001), next(0xf940_07e1)), (Next::Anywhere, Next::Behind));
    // `setm` and `cpyfm` have the length that they write in a register.
    assert!(word(0x19c2_4420).hides_writes && word(0x1942_0420).hides_writes);
    assert!(!word(0xd50b_7423).hides_writes);
    // `ldr w1` writes all of `x1`, and `ldrsw x1` sets what is above 4 bytes to something else.
    assert!(word(0xb940_0041).writes_half(1) && !word(0xb980_0041).writes_half(1));
}

/// Register `n` holds `100 + n` before, and `200 + n` after each instruction.
struct Numbers;

impl RegisterValues for Numbers {
    fn before(&self, register: u8) -> Option<u64> {
        Some(100 + u64::from(register))
    }

    fn after(&self, register: u8) -> Option<u64> {
        Some(200 + u64::from(register))
    }
}

#[test]
fn values_are_those_before_and_after() {
    let executed = |word: &ArmWord| {
        let it = word.executed(0x1000, Some(8), word.class, &Numbers);
        (it.data, it.stored, it.encoded.unwrap_or_default())
    };
    let encoded = |size, second, operand, expected| Encoded { size, second, operand, expected };
    let known = |encoding| executed(&word(encoding));
    assert_eq!(known(0xf900_0001), (Some(101), None, encoded(8, None, None, None)));
    // The register that is always zero.
    assert_eq!(known(0xf900_001f), (Some(0), None, encoded(8, None, None, None)));
    assert_eq!(known(0xf940_001f), (None, None, encoded(8, None, None, None)));
    assert_eq!(known(0x2940_1805), (Some(205), None, encoded(4, Some(206), None, None)));
    assert_eq!(known(0xa900_0c01), (Some(101), None, encoded(8, Some(103), None, None)));
    assert_eq!(known(0xc80a_fc01), (Some(210), Some(101), encoded(8, None, None, None)));
    assert_eq!(known(0xb8e1_0007), (Some(207), None, encoded(4, None, Some(101), None)));
    assert_eq!(known(0xc8e8_fc01), (Some(208), None, encoded(8, None, Some(101), Some(108))));
    // `dc zva` has its address in a register.
    let zeroes = word(0xd50b_7423);
    assert_eq!(zeroes.executed(0, None, zeroes.class, &Numbers).address, Some(103));
}

#[test]
fn every_word_is_decoded() {
    let mut encoding = 1_u32;
    for _ in 0..200_000 {
        encoding = encoding.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let word = word(encoding);
        let accesses = word.class.reads || word.class.writes;
        assert!(word.text.starts_with(b"  ") && (accesses || word.size == 0), "{encoding:#x}");
    }
}
