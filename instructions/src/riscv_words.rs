//! [`RiscvWords`]: the disassembly of encoded instructions of RISC-V, which many logs print beside or instead of text.

use disc_v::Isa;
use rustc_hash::FxHashMap;

use crate::decode::riscv;
use crate::instruction::{Class, nth, split_name};
use crate::next::Next;

/// Disassembles instructions, and keeps the texts: a log repeats few instructions many times.
#[derive(Debug, Default)]
pub struct RiscvWords {
    known: FxHashMap<(u32, bool), RiscvWord>,
}

/// An instruction of RISC-V.
#[derive(Debug)]
pub struct RiscvWord {
    /// The instruction as it is encoded, such as `c.ld a5,0(a4)` or `lr.w.aq a0,(a1)`. The target of a branch is a distance.
    pub text: Box<[u8]>,
    /// Whether its name says that it accesses memory. Vector instructions and operations on whole cache lines are not recognised.
    pub class: Class,
    /// Number of bytes of the encoding.
    pub length: u64,
    /// Number of bytes that it accesses, if its name says it.
    pub size: Option<u64>,
    /// Whether it is a store-conditional.
    pub is_conditional: bool,
    /// Whether the instruction behind it is executed next, unless there is a trap.
    pub goes_on: bool,
    /// The distance to the target, if it is a branch or a jump that its encoding shows whole, and whether it is always taken.
    jump: Option<(i64, bool)>,
}

impl RiscvWord {
    /// The number of the integer register that is the operand at a position, counted from 0; `None` if it is another operand.
    pub fn register(&self, position: usize) -> Option<u8> {
        let (_, operands) = split_name(&self.text);
        riscv::number(nth(operands, position)).map(|number| number as u8)
    }

    /// The number of the integer register that has the address of the instruction's access, and the distance that is added to it.
    pub fn base(&self) -> Option<(u8, i64)> {
        let (_, operands) = split_name(&self.text);
        let last = operands.rsplit(|&byte| byte == b',' || byte == b' ').next()?;
        let (distance, base) =
            last.strip_suffix(b")")?.split_at(last.iter().position(|&it| it == b'(')?);
        let distance = if distance.is_empty() { 0 } else { riscv::immediate(distance)? };
        Some((riscv::number(&base[1..])? as u8, distance))
    }

    /// Where a hart goes on after the instruction, which is at `pc`.
    pub fn next(&self, pc: u64) -> Next {
        match self.jump {
            _ if self.goes_on => Next::Behind,
            Some((distance, true)) => Next::Jump(pc.wrapping_add_signed(distance)),
            Some((distance, false)) => Next::Branch(pc.wrapping_add_signed(distance)),
            None => Next::Anywhere,
        }
    }
}

impl RiscvWords {
    /// The instruction that `word` encodes, in its low 2 bytes if it is compressed. `wide` says whether registers have 64 bits or 32.
    pub fn decode(&mut self, word: u32, wide: bool) -> &RiscvWord {
        self.known.entry((word, wide)).or_insert_with(|| {
            let isa = if wide { Isa::Rv64 } else { Isa::Rv32 };
            let word = disc_v::decode(isa, 0, word.into());
            let text = word.without_aliases().to_string().into_bytes();
            let name = split_name(&text).0;
            let name = name.strip_prefix(b"c.").unwrap_or(name);
            RiscvWord {
                class: riscv::class(&text),
                length: word.length() as u64,
                size: riscv::size(&text),
                is_conditional: name.starts_with(b"sc."),
                goes_on: goes_on(name) && !word.is_illegal(),
                jump: jump(name, &text),
                text: text.into(),
            }
        })
    }
}

/// Whether the next instruction is executed after one of this name: it neither branches nor traps nor returns from a trap. Names that
/// begin like those of branches count as such.
fn goes_on(name: &[u8]) -> bool {
    let changes =
        [&b"b"[..], b"j", b"e", b"mret", b"sret", b"uret", b"mnret", b"dret", b"wfi", b"cm."];
    !changes.iter().any(|prefix| name.starts_with(prefix))
}

/// The distance to the target of a branch or a jump, and whether it is always taken.
fn jump(name: &[u8], text: &[u8]) -> Option<(i64, bool)> {
    let is_taken = match name {
        b"beq" | b"bne" | b"blt" | b"bge" | b"bltu" | b"bgeu" | b"beqz" | b"bnez" => false,
        b"j" | b"jal" => true,
        _ => return None,
    };
    Some((riscv::immediate(text.rsplit(|&byte| byte == b',' || byte == b' ').next()?)?, is_taken))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_manual() {
        let mut words = RiscvWords::default();
        let text = |words: &mut RiscvWords, word| {
            String::from_utf8(words.decode(word, true).text.to_vec()).unwrap()
        };
        for (word, expected) in [
            (0x0182_b283, "ld t0,24(t0)"),
            (0xed4e, "c.sdsp s3,152(sp)"),
            (0x04c5_b7af, "amoadd.d.aq a5,a2,(a1)"),
            (0x0330_000f, "fence rw,rw"),
            (0x8330_000f, "fence.tso"),
            (0x1005_a52f, "lr.w a0,(a1)"),
            (0x1ac5_b52f, "sc.d.rl a0,a2,(a1)"),
            (0xfee7_9de3, "bne a5,a4,0xfffffffffffffffa"),
            (0x9116, "c.add sp,t0"),
        ] {
            assert_eq!(text(&mut words, word), expected);
        }
        assert_eq!(words.decode(0x1ac5_b52f, true).class, Class { reads: false, writes: true });
        assert!(words.decode(0x1ac5_b52f, true).is_conditional);
        assert!(!words.decode(0xfee7_9de3, true).goes_on);
        assert_eq!(
            (words.decode(0xed4e, true).length, words.decode(0xed4e, true).goes_on),
            (2, true)
        );
        // Where the address of an access is: `c.sdsp s3,152(sp)`, `amoadd.d.aq a5,a2,(a1)`, `ld t0,-8(t0)`, `fence rw,rw`.
        let mut base = |word| words.decode(word, true).base();
        assert_eq!((base(0xed4e), base(0x04c5_b7af)), (Some((2, 152)), Some((11, 0))));
        assert_eq!((base(0xff82_b283), base(0x0330_000f)), (Some((5, -8)), None));
        // Where a hart goes on: `bne a5,a4,.-6`, `jal ra,.+8`, `c.j .-4`, `c.jr ra`, `ecall`.
        let mut next = |word| words.decode(word, true).next(0x1000);
        assert_eq!(next(0xfee7_9de3), Next::Branch(0xffa));
        assert_eq!(next(0x0080_00ef), Next::Jump(0x1008));
        assert_eq!(next(0xbff5), Next::Jump(0xffc));
        assert_eq!((next(0x8082), next(0x73)), (Next::Anywhere, Next::Anywhere));
        assert_eq!(next(0xed4e), Next::Behind);
        // `c.jal` of RV32 is `c.addiw` of RV64.
        assert_eq!(&*words.decode(0x2001, false).text, b"c.jal ra,0x0");
        assert_eq!(&*words.decode(0x2085, true).text, b"c.addiw ra,ra,1");
    }
}
