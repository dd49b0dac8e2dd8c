//! Arithmetic ([`immediate`], [`registers`]) and instructions of vector registers ([`vector`]).

use super::jump::CONDITIONS;
use super::{ArmWord, ZERO, bit, bits, general, number, or_stack};

/// An instruction that computes `result` from the other operands. Their immediate operands are left out.
fn computes(name: &str, result: u8, operands: &[String]) -> ArmWord {
    ArmWord {
        result: Some(result).filter(|&result| result != ZERO),
        ..ArmWord::plain(format!("{name}   {}", operands.join(", ")))
    }
}

/// Arithmetic on a register and an immediate operand.
pub(super) fn immediate(word: u32) -> ArmWord {
    let wide = bit(word, 31);
    let (d, n) = (number(word, 0), number(word, 5));
    let (to, from) = (general(d, wide), general(n, wide));
    let operation = bits(word, 30, 29) as usize;
    match bits(word, 25, 23) {
        0 | 1 => computes(if wide { "adrp" } else { "adr" }, d, &[general(d, true)]),
        2 => {
            let name = ["add", "adds", "sub", "subs"][operation];
            let to = if bit(word, 29) { to } else { or_stack(d, wide) };
            computes(name, d, &[to, or_stack(n, wide), "#".to_owned()])
        }
        4 => {
            let name = ["and", "orr", "eor", "ands"][operation];
            let to = if operation == 3 { to } else { or_stack(d, wide) };
            computes(name, d, &[to, from, "#".to_owned()])
        }
        5 => match operation {
            0 => computes("movn", d, &[to]),
            2 => computes("movz", d, &[to]),
            3 => computes("movk", d, &[to]),
            _ => ArmWord::unknown(),
        },
        6 => match operation {
            0 => computes("sbfm", d, &[to, from]),
            1 => computes("bfm", d, &[to, from]),
            2 => computes("ubfm", d, &[to, from]),
            _ => ArmWord::unknown(),
        },
        7 => computes("extr", d, &[to, from, general(number(word, 16), wide)]),
        _ => ArmWord::unknown(),
    }
}

/// Arithmetic whose operands are all registers.
pub(super) fn registers(word: u32) -> ArmWord {
    let wide = bit(word, 31);
    let [d, n, m] = [0, 5, 16].map(|low| number(word, low));
    let [to, first, second] = [d, n, m].map(|register| general(register, wide));
    let operation = bits(word, 30, 29) as usize;
    let all = [to.clone(), first.clone(), second.clone()];
    if !bit(word, 28) {
        if !bit(word, 24) {
            let names = [["and", "bic"], ["orr", "orn"], ["eor", "eon"], ["ands", "bics"]];
            return computes(names[operation][usize::from(bit(word, 21))], d, &all);
        }
        let name = ["add", "adds", "sub", "subs"][operation];
        // With an extended operand, the others may be the stack pointer.
        return match bit(word, 21) {
            false => computes(name, d, &all),
            true => {
                let to = if bit(word, 29) { to } else { or_stack(d, wide) };
                computes(name, d, &[to, or_stack(n, wide), second])
            }
        };
    }
    match bits(word, 24, 21) {
        0 => computes(["adc", "adcs", "sbc", "sbcs"][operation], d, &all),
        2 => {
            let second = if bit(word, 11) { "#".to_owned() } else { second };
            let name = if bit(word, 30) { "ccmp" } else { "ccmn" };
            ArmWord::plain(format!("{name}   {first}, {second}"))
        }
        4 => {
            let which = 2 * usize::from(bit(word, 30)) + usize::from(bit(word, 10));
            let condition = CONDITIONS[bits(word, 15, 12) as usize].to_owned();
            let name = ["csel", "csinc", "csinv", "csneg"][which];
            computes(name, d, &[to, first, second, condition])
        }
        6 if bit(word, 30) => one_source(word, d, to, first),
        6 => match bits(word, 15, 10) {
            2 => computes("udiv", d, &all),
            3 => computes("sdiv", d, &all),
            8 => computes("lslv", d, &all),
            9 => computes("lsrv", d, &all),
            10 => computes("asrv", d, &all),
            11 => computes("rorv", d, &all),
            _ => computes("other", d, &all),
        },
        8..=15 => three_sources(word, d, to),
        _ => ArmWord::unknown(),
    }
}

fn one_source(word: u32, d: u8, to: String, first: String) -> ArmWord {
    if bits(word, 20, 16) != 0 {
        return computes("pac", d, &[to, first]);
    }
    let names = ["rbit", "rev16", "rev32", "rev", "clz", "cls"];
    let name = names.get(bits(word, 15, 10) as usize).copied().unwrap_or("other");
    computes(name, d, &[to, first])
}

fn three_sources(word: u32, d: u8, to: String) -> ArmWord {
    let subtracts = bit(word, 15);
    let wide = bit(word, 31);
    let name = match (bits(word, 23, 21), subtracts) {
        (0, false) => "madd",
        (0, true) => "msub",
        (1, false) => "smaddl",
        (1, true) => "smsubl",
        (2, _) => "smulh",
        (5, false) => "umaddl",
        (5, true) => "umsubl",
        (6, _) => "umulh",
        _ => return ArmWord::unknown(),
    };
    let sources = [5, 16, 10].map(|low| general(number(word, low), wide));
    let [first, second, third] = sources;
    let high = name.ends_with('h');
    let operands = [to, first, second, third];
    computes(name, d, if high { &operands[..3] } else { &operands })
}

/// An instruction of vector registers, some of which write an integer register.
pub(super) fn vector(word: u32) -> ArmWord {
    let to_integer = match () {
        () if bits(word, 30, 24) == 0x1e && bit(word, 21) && bits(word, 15, 10) == 0 => {
            matches!(bits(word, 18, 16), 0 | 1 | 4 | 5 | 6)
        }
        () if bits(word, 30, 24) == 0x1e && !bit(word, 21) => matches!(bits(word, 18, 16), 0 | 1),
        () => {
            !bit(word, 31)
                && bits(word, 29, 21) == 0x70
                && matches!(bits(word, 15, 10), 0b001_011 | 0b001_111)
        }
    };
    if to_integer {
        computes("fmov", number(word, 0), &[general(number(word, 0), true)])
    } else {
        ArmWord::plain("vector   ")
    }
}
