//! Loads, stores, exclusives and atomic operations ([`access`]).

use super::{ArmWord, ZERO, bit, bits, general, number, or_stack, signed};
use crate::instruction::Class;

const READS: Class = Class { reads: true, writes: false };
const WRITES: Class = Class { reads: false, writes: true };
const UPDATES: Class = Class { reads: true, writes: true };

/// The letters at the end of a name that say the size of accesses shorter than 4 bytes.
const LETTERS: [&str; 4] = ["b", "h", "", ""];

/// An instruction of the group of loads and stores.
pub(super) fn access(word: u32) -> ArmWord {
    let is_vector = bit(word, 26);
    match (bits(word, 29, 27), bit(word, 24)) {
        (0b001, false) if !is_vector => exclusive(word),
        (0b011, false) => literal(word),
        (0b011, true) if !is_vector && !bit(word, 21) && bits(word, 11, 10) == 0 => ordered(word),
        (0b011, true) if !bit(word, 21) && bits(word, 11, 10) == 1 => copies_or_sets(),
        (0b011, true) if bits(word, 31, 30) == 3 && !is_vector => tags(word),
        (0b101, _) => pair(word),
        (0b111, true) => {
            let scale = if is_vector && bit(word, 23) { 4 } else { bits(word, 31, 30) };
            single(word, "r", &format!(", #{}", bits(word, 21, 10) << scale))
        }
        (0b111, false) if !bit(word, 21) => {
            let offset = format!(", #{}", signed(word, 20, 12));
            match bits(word, 11, 10) {
                0 => single(word, "ur", &offset),
                2 => single(word, "tr", &offset),
                _ => single(word, "r", &offset),
            }
        }
        (0b111, false) if bits(word, 11, 10) == 2 => {
            single(word, "r", &format!(", {}", general(number(word, 16), bit(word, 13))))
        }
        (0b111, false) if bits(word, 11, 10) == 0 && !is_vector => atomic(word),
        _ => ArmWord::unknown(),
    }
}

fn base(word: u32, offset: &str) -> String {
    format!("[{}{offset}]", or_stack(number(word, 5), true))
}

/// The access of a vector register of `size` bytes, in one or two parts.
fn of_vector(loads: bool, size: u8, parts: u8, place: &str) -> ArmWord {
    let class = if loads { READS } else { WRITES };
    let verb = if loads { "ld" } else { "st" };
    let name = match (size, parts) {
        (1..=8, 1) => "rfp",
        (1..=8, 2) => "pfp",
        // The accesses of more than 8 bytes are not part of histories.
        _ => "qfp",
    };
    let size = if size > 8 { size * parts } else { size };
    ArmWord { class, size, ..ArmWord::plain(format!("{verb}{name}   v, {place}")) }
}

/// The access of one register: `form` is the part of the name between `ld` or `st` and the size.
fn single(word: u32, form: &str, offset: &str) -> ArmWord {
    let (scale, operation) = (bits(word, 31, 30), bits(word, 23, 22));
    let place = base(word, offset);
    if bit(word, 26) {
        let size = if operation >= 2 { 16 } else { 1 << scale };
        return of_vector(operation & 1 == 1, size, 1, &place);
    }
    let register = number(word, 0);
    let letter = LETTERS[scale as usize];
    match (operation, scale) {
        (0, _) => stores(&format!("st{form}{letter}"), register, scale, &place),
        (1, _) => loads(&format!("ld{form}{letter}"), register, scale == 3, scale, &place),
        (2, 3) => ArmWord::plain(format!("prfm   {place}")),
        (2, 2) => loads(&format!("ld{form}sw"), register, true, scale, &place),
        (_, 0 | 1) => loads(&format!("ld{form}s{letter}"), register, operation == 2, scale, &place),
        _ => ArmWord::unknown(),
    }
}

fn loads(name: &str, register: u8, wide: bool, scale: u32, place: &str) -> ArmWord {
    ArmWord {
        class: READS,
        size: 1 << scale,
        result: Some(register),
        ..ArmWord::plain(format!("{name}   {}, {place}", general(register, wide)))
    }
}

fn stores(name: &str, register: u8, scale: u32, place: &str) -> ArmWord {
    ArmWord {
        class: WRITES,
        size: 1 << scale,
        stored: Some(register),
        ..ArmWord::plain(format!("{name}   {}, {place}", general(register, scale == 3)))
    }
}

/// Instructions that copy or set a part of memory, whose length is in a register: `cpym`, `setm` and others.
fn copies_or_sets() -> ArmWord {
    ArmWord { hides_writes: true, ..ArmWord::unknown() }
}

/// Accesses to memory tags. Some of them also set the memory to zero: one granule of 16 bytes, two of them, or a block of unknown size.
fn tags(word: u32) -> ArmWord {
    let zeroes = |name: &str, size| ArmWord {
        class: WRITES,
        size,
        ..ArmWord::plain(format!("{name}   {}", base(word, "")))
    };
    match (bits(word, 23, 22), bits(word, 11, 10)) {
        (0, 0) => ArmWord { hides_writes: true, ..ArmWord::unknown() },
        (1, 1..) => zeroes("stzg", 16),
        (3, 1..) => zeroes("stz2g", 32),
        _ => ArmWord::unknown(),
    }
}

/// Loads from an address near the instruction.
fn literal(word: u32) -> ArmWord {
    let register = number(word, 0);
    match (bit(word, 26), bits(word, 31, 30)) {
        (true, size @ 0..=2) => of_vector(true, 4 << size, 1, "[pc]"),
        (false, 0) => loads("ldr", register, false, 2, "[pc]"),
        (false, 1) => loads("ldr", register, true, 3, "[pc]"),
        (false, 2) => loads("ldrsw", register, true, 2, "[pc]"),
        (false, _) => ArmWord::plain("prfm   [pc]"),
        _ => ArmWord::unknown(),
    }
}

/// Loads that acquire and stores that release with an offset: `ldapur` and `stlur`.
fn ordered(word: u32) -> ArmWord {
    let (scale, register) = (bits(word, 31, 30), number(word, 0));
    let letter = LETTERS[scale as usize];
    let place = base(word, &format!(", #{}", signed(word, 20, 12)));
    match bits(word, 23, 22) {
        0 => stores(&format!("stlur{letter}"), register, scale, &place),
        1 => loads(&format!("ldapur{letter}"), register, scale == 3, scale, &place),
        _ => ArmWord::unknown(),
    }
}

fn pair(word: u32) -> ArmWord {
    let (operation, is_load) = (bits(word, 31, 30), bit(word, 22));
    let is_vector = bit(word, 26);
    let scale = if is_vector { 2 + operation } else { 2 + (operation >> 1) };
    let place = base(word, &format!(", #{}", signed(word, 21, 15) << scale));
    if is_vector {
        return match operation {
            3 => ArmWord::unknown(),
            _ => of_vector(is_load, 4 << operation, 2, &place),
        };
    }
    let (first, second) = (number(word, 0), number(word, 10));
    let wide = operation != 0;
    let (name, size) = match (operation, is_load) {
        (0, true) => ("ldp", 4),
        (1, true) => ("ldpsw", 4),
        (2, true) => ("ldp", 8),
        (0, false) => ("stp", 4),
        (2, false) => ("stp", 8),
        _ => return ArmWord::unknown(),
    };
    ArmWord {
        class: if is_load { READS } else { WRITES },
        size,
        result: Some(first).filter(|_| is_load),
        stored: Some(first).filter(|_| !is_load),
        second: Some(second),
        ..ArmWord::plain(format!(
            "{name}   {}, {}, {place}",
            general(first, wide),
            general(second, wide)
        ))
    }
}

/// Load-exclusive, store-exclusive, load-acquire, store-release and compare-and-swap.
fn exclusive(word: u32) -> ArmWord {
    let (scale, register, status) = (bits(word, 31, 30), number(word, 0), number(word, 16));
    let letter = LETTERS[scale as usize];
    let wide = scale == 3;
    let place = base(word, "");
    let (is_load, is_ordered) = (bit(word, 22), bit(word, 15));
    match (bit(word, 23), bit(word, 21)) {
        (false, false) if is_load => {
            let name = if is_ordered { "ldaxr" } else { "ldxr" };
            loads(&format!("{name}{letter}"), register, wide, scale, &place)
        }
        (false, false) => {
            let name = if is_ordered { "stlxr" } else { "stxr" };
            let text = format!(
                "{name}{letter}   {}, {}, {place}",
                general(register, wide),
                general(status, false)
            );
            let text = ArmWord::plain(text).text;
            ArmWord { text, result: Some(status), ..stores("", register, scale, "") }
        }
        (true, false) if is_ordered => match is_load {
            true => loads(&format!("ldar{letter}"), register, wide, scale, &place),
            false => stores(&format!("stlr{letter}"), register, scale, &place),
        },
        (true, true) => {
            let order =
                format!("{}{}", if is_load { "a" } else { "" }, if is_ordered { "l" } else { "" });
            let [stored, compared] = [register, status].map(|register| general(register, wide));
            ArmWord {
                class: UPDATES,
                size: 1 << scale,
                result: Some(status),
                operand: Some(register),
                compares: true,
                ..ArmWord::plain(format!("cas{order}{letter}   {stored}, {compared}, {place}"))
            }
        }
        _ => ArmWord::unknown(),
    }
}

/// Atomic operations, and `ldapr`.
fn atomic(word: u32) -> ArmWord {
    let scale = bits(word, 31, 30);
    let (result, operand) = (number(word, 0), number(word, 16));
    let letter = if scale == 3 { "64" } else { LETTERS[scale as usize] };
    let place = base(word, "");
    let names = ["add", "clr", "eor", "set", "smax", "smin", "umax", "umin"];
    let name = match (bit(word, 15), bits(word, 14, 12)) {
        (false, which) => format!("ld{}", names[which as usize]),
        (true, 0) => "swp".to_owned(),
        (true, 4) if operand == ZERO && bits(word, 23, 22) == 2 => {
            return loads(
                &format!("ldapr{}", LETTERS[scale as usize]),
                result,
                scale == 3,
                scale,
                &place,
            );
        }
        _ => return ArmWord::unknown(),
    };
    let order =
        format!("{}{}", if bit(word, 23) { "a" } else { "" }, if bit(word, 22) { "l" } else { "" });
    let [to, from] = [result, operand].map(|register| general(register, scale == 3));
    ArmWord {
        class: UPDATES,
        size: 1 << scale,
        result: Some(result),
        operand: Some(operand),
        ..ArmWord::plain(format!("{name}{order}{letter}   {to}, {from}, {place}"))
    }
}
