//! Branches, exceptions, barriers and system instructions ([`jump`]).

use super::{ArmWord, bit, bits, general, number, signed};
use crate::instruction::Class;
use crate::next::Next;

/// The names of the domains and kinds of a barrier. The rest are reserved, and act as `sy` does.
const DOMAINS: [&str; 16] = [
    "sy", "oshld", "oshst", "osh", "sy", "nshld", "nshst", "nsh", "sy", "ishld", "ishst", "ish",
    "sy", "ld", "st", "sy",
];

/// The conditions of branches.
pub(super) const CONDITIONS: [&str; 16] = [
    "eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "nv",
];

/// The encodings of `dc zva` and `dc gzva`, without the register that holds the address.
const ZVA: u32 = 0xd50b_7420 >> 5;
const GZVA: u32 = 0xd50b_7480 >> 5;

/// An instruction of the group of branches, exceptions and system instructions.
pub(super) fn jump(pc: u64, word: u32) -> ArmWord {
    let target = |high, low| pc.wrapping_add_signed(4 * signed(word, high, low));
    let register = general(number(word, 0), bit(word, 31));
    let branch =
        |text: String, next: Next| ArmWord { goes_on: false, next, ..ArmWord::plain(text) };
    let jumps = |name: &str| {
        let target = target(25, 0);
        branch(format!("{name}   {target:#x}"), Next::Jump(target))
    };
    let compares = |name: &str| {
        let target = target(23, 5);
        branch(format!("{name}   {register}, {target:#x}"), Next::Branch(target))
    };
    let tests = |name: &str| {
        let target = target(18, 5);
        branch(tested(name, word, target), Next::Branch(target))
    };
    match word >> 24 {
        0x14..=0x17 => jumps("b"),
        0x94..=0x97 => jumps("bl"),
        0x34 | 0xb4 => compares("cbz"),
        0x35 | 0xb5 => compares("cbnz"),
        0x36 | 0xb6 => tests("tbz"),
        0x37 | 0xb7 => tests("tbnz"),
        0x54 => {
            let condition = CONDITIONS[bits(word, 3, 0) as usize];
            let target = target(23, 5);
            branch(format!("b.{condition}   {target:#x}"), Next::Branch(target))
        }
        // Only a call of the system returns behind itself.
        0xd4 if bits(word, 23, 21) == 0 && bits(word, 1, 0) == 1 => {
            ArmWord { next: Next::Anywhere, ..ArmWord::plain("svc   ") }
        }
        0xd5 => system(word),
        0xd6 | 0xd7 => to_register(word),
        // Exceptions, and branches that are not known.
        _ => branch("unknown   ".to_owned(), Next::Anywhere),
    }
}

fn tested(name: &str, word: u32, target: u64) -> String {
    let at = bits(word, 31, 31) << 5 | bits(word, 23, 19);
    format!("{name}   {}, #{at}, {target:#x}", general(number(word, 0), bit(word, 31)))
}

fn to_register(word: u32) -> ArmWord {
    let target = number(word, 5);
    let name = match bits(word, 23, 21) {
        0 => "br",
        1 => "blr",
        2 => "ret",
        _ => return ArmWord { goes_on: false, next: Next::Anywhere, ..ArmWord::unknown() },
    };
    ArmWord {
        operand: Some(target),
        goes_on: false,
        next: Next::Anywhere,
        ..ArmWord::plain(format!("{name}   {}", general(target, true)))
    }
}

fn system(word: u32) -> ArmWord {
    let domain = DOMAINS[bits(word, 11, 8) as usize];
    let what = bits(word, 7, 5);
    match word >> 12 {
        0xd5032 => hint(bits(word, 11, 5)),
        // Barriers against speculation, which order no accesses.
        0xd5033 if what == 4 && matches!(bits(word, 11, 8), 0 | 4) => ArmWord::plain("hint   "),
        0xd5033 => match what {
            2 => ArmWord::plain("clrex   "),
            1 | 4 => ArmWord::plain(format!("dsb   {}", if what == 1 { "sy" } else { domain })),
            5 => ArmWord::plain(format!("dmb   {domain}")),
            6 => ArmWord::plain("isb   "),
            _ => ArmWord::plain("hint   "),
        },
        // `dc zva`, and `dc gzva`, which also writes tags.
        _ if matches!(word >> 5, ZVA | GZVA) => ArmWord {
            class: Class { reads: false, writes: true },
            operand: Some(number(word, 0)),
            ..ArmWord::plain(format!("dc   zva, {}", general(number(word, 0), true)))
        },
        // Other operations on caches and translations, which change no value.
        0xd5080..=0xd50ff => ArmWord::plain("ic   "),
        0xd5300..=0xd53ff => {
            let name = match bits(word, 19, 5) {
                0b101_1110_1000_0010 | 0b101_1110_1000_0011 => "tpidr_el0",
                0b101_1111_0000_0010 => "cntvct_el0",
                0b101_1111_0000_0000 => "cntfrq_el0",
                0b101_1000_0000_0111 => "dczid_el0",
                _ => "system",
            };
            let result = number(word, 0);
            ArmWord {
                result: Some(result),
                ..ArmWord::plain(format!("mrs   {}, {name}", general(result, true)))
            }
        }
        _ => ArmWord::plain(format!("msr   system, {}", general(number(word, 0), true))),
    }
}

/// A hint, by its number. Those that sign or check addresses write registers.
fn hint(which: u32) -> ArmWord {
    ArmWord::plain(match which {
        7 | 8 | 10 | 12 | 14 | 24..=31 => "pac   ",
        _ => "hint   ",
    })
}
