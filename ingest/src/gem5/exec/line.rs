//! [`Line`]: the parts of an Exec line, which the decoders of the instruction sets take.

use history::Gap;
use memchr::memmem;
use memchr::memrchr;
use nom::Parser;
use nom::bytes::complete::tag;
use nom::combinator::all_consuming;
use nom::sequence::preceded;

use super::action::Action;
use crate::gem5::fault::Fault;
use crate::gem5::grammar::hex_digits;

/// An executed instruction or micro-operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// Address of the instruction.
    pub pc: Option<u64>,
    /// Number of the micro-operation.
    pub micro: Option<u32>,
    /// Name of the function, where the trace shows symbols.
    pub function: Option<&'a [u8]>,
    /// The symbol and the distance from it, such as `main+4`; `None` for a micro-operation.
    pub symbol: Option<&'a [u8]>,
    /// The text of the instruction, without spaces at the end.
    pub body: &'a [u8],
    /// The operation class; `None` in a line that announces the micro-operations of an instruction.
    pub class: Option<&'a [u8]>,
    /// The value that the instruction computed, loaded or stored, if the line shows a number.
    pub data: Option<u64>,
    /// Address of the memory access.
    pub address: Option<u64>,
    /// Size in bytes of the vector register that the line shows; 0 if it shows none.
    pub vector: usize,
    /// Whether a false predicate kept the instruction from executing.
    pub predicated: bool,
}

impl<'a> Line<'a> {
    /// Parses a line from its end, where the results are.
    pub fn parse(text: &'a [u8]) -> Result<Line<'a>, Fault> {
        let Some(at) = memmem::find(text, b" : ") else {
            return Err(Fault::Cut("` : ` and the instruction"));
        };
        let (pc, micro) = place(&text[..at]);
        let instruction = &text[at + 3..];
        let whole = Line {
            pc,
            micro,
            function: function(&text[..at]),
            symbol: symbol(&text[..at]).filter(|_| micro.is_none()),
            body: instruction.trim_ascii_end(),
            class: None,
            data: None,
            address: None,
            vector: 0,
            predicated: false,
        };
        let Some(line) = whole.with_results(instruction)? else {
            return Ok(whole);
        };
        line.check_address(text)?;
        Ok(line)
    }

    /// Parses the results at the end of the line; `None` if there are none.
    fn with_results(mut self, instruction: &'a [u8]) -> Result<Option<Line<'a>>, Fault> {
        let mut rest = self.body;
        loop {
            let at = memrchr(b' ', rest).map_or(0, |at| at + 1);
            let word = &rest[at..];
            let before = rest[..at].trim_ascii_end();
            if word == b":" {
                rest = before;
                break;
            }
            if let Some(digits) = word.strip_prefix(b"A=") {
                self.address = Some(hex(digits).ok_or(Fault::Cut("an address"))?);
            } else if let Some(digits) = word.strip_prefix(b"D=") {
                let is_last = rest.len() == instruction.trim_ascii_end().len();
                if is_last && is_short(digits) {
                    return Err(Fault::Cut("16 digits of data, and an address"));
                }
                self.data = hex(digits);
                self.vector = vector_bytes(digits);
            } else if word == b"False" || word == b"Predicated" {
                self.predicated = true;
            } else if !is_annotation(word) || at == 0 {
                return Ok(None);
            }
            rest = before;
        }
        let at = memrchr(b' ', rest).map_or(0, |at| at + 1);
        let class = &rest[at..];
        let Some(body) = rest[..at].trim_ascii_end().strip_suffix(b" :") else {
            return Ok(None);
        };
        self.class = (!class.is_empty()).then_some(class);
        self.body = body.trim_ascii_end();
        Ok(Some(self))
    }

    /// Checks that an access shows its address, unless it is predicated or a prefetch without effect.
    fn check_address(&self, text: &[u8]) -> Result<(), Fault> {
        if !(self.loads() || self.stores()) || self.address.is_some() || self.predicated {
            return Ok(());
        }
        // With a vector length of 0 nothing is accessed, and a transaction accesses nothing itself.
        if self.vector > 0 || is_transaction(self.body) {
            return Ok(());
        }
        if self.data.is_some() || !text.ends_with(b" ") {
            return Err(Fault::Cut("the address of the access"));
        }
        Ok(())
    }

    /// Whether the operation class is one of those that read memory.
    pub fn loads(&self) -> bool {
        let vector = |class: &[u8]| class.starts_with(b"Simd") && class.ends_with(b"Load");
        self.class.is_some_and(|class| class.ends_with(b"MemRead") || vector(class))
    }

    /// Whether the operation class is one of those that write memory.
    pub fn stores(&self) -> bool {
        let vector = |class: &[u8]| class.starts_with(b"Simd") && class.ends_with(b"Store");
        self.class.is_some_and(|class| class.ends_with(b"MemWrite") || vector(class))
    }

    /// The action of a line without an address: none, unless the instruction is an access, whose address is then
    /// unknown. `None` for a line with an address.
    pub fn without_address(&self) -> Option<Action> {
        if self.address.is_some() && !self.predicated {
            return None;
        }
        Some(match (self.predicated, self.loads(), self.stores()) {
            (false, _, true) => Action::NoAddress(Gap::Write),
            (false, true, false) => Action::NoAddress(Gap::Read),
            _ => Action::Nothing,
        })
    }

    /// Whether the instruction may order memory, by its name.
    pub fn is_fence(&self) -> bool {
        let name = self.body.trim_ascii_start();
        memmem::find(self.body, b"fence").is_some()
            || [&b"dmb"[..], b"dsb", b"isb"].iter().any(|fence| name.starts_with(fence))
    }

    /// The instruction as messages show it: printable, and at most 60 characters.
    pub fn shown(&self) -> String {
        let text = String::from_utf8_lossy(self.body);
        let words: Vec<&str> = text.split_whitespace().collect();
        let words = words.join(" ");
        words.chars().filter(|c| !c.is_control()).take(60).collect()
    }
}

/// Parses the program counter and the micro-operation of `<pc> @<symbol>. 3`.
fn place(text: &[u8]) -> (Option<u64>, Option<u32>) {
    let word = text.trim_ascii_start();
    let end = word.iter().position(|&byte| byte == b' ' || byte == b'.');
    let pc = hex(&word[..end.unwrap_or(word.len())]);
    let digits = text.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let (before, digits) = text.split_at(text.len() - digits);
    let number = std::str::from_utf8(digits).ok().and_then(|d| d.parse().ok());
    (pc, number.filter(|_| before.trim_ascii_end().ends_with(b".")))
}

/// Parses the symbol of `<pc> @<symbol>+12. 3`, without the distance.
fn function(text: &[u8]) -> Option<&[u8]> {
    let at = memchr::memchr(b'@', text)?;
    let name = text[at + 1..].split(|&byte| byte == b' ').next()?;
    let end = memrchr(b'+', name).unwrap_or(name.len());
    Some(name[..end].strip_suffix(b".").unwrap_or(&name[..end]))
}

/// Parses the symbol after ` @`, with the distance.
fn symbol(place: &[u8]) -> Option<&[u8]> {
    let at = memmem::find(place, b" @")?;
    Some(place[at + 2..].trim_ascii_end())
}

/// The size in bytes of the value of a vector register, such as 8 for `[00000000_00000001]`; 0 for other data.
fn vector_bytes(data: &[u8]) -> usize {
    match data.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]")) {
        Some(digits) => digits.iter().filter(|byte| **byte != b'_').count() / 2,
        None => 0,
    }
}

/// Whether an instruction begins, ends or tests an Arm transaction.
pub(super) fn is_transaction(body: &[u8]) -> bool {
    let (name, _) = split_name(body.trim_ascii_start());
    matches!(name, b"tstart" | b"ttest" | b"tcancel" | b"tcommit" | b"utcommit")
}

/// Splits an instruction's text, which begins with its name, into the name and the operands.
pub(super) fn split_name(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(u8::is_ascii_whitespace);
    text.split_at(end.unwrap_or(text.len()))
}

/// The `n`-th operand; empty if there are fewer.
pub(super) fn nth(operands: &[u8], n: usize) -> &[u8] {
    let operand = operands.split(|&byte| byte == b',').nth(n);
    operand.unwrap_or_default().trim_ascii()
}

/// Whether data at the end of a line have lost digits.
fn is_short(digits: &[u8]) -> bool {
    digits.len() < 18 && b"0x".starts_with(&digits[..digits.len().min(2)])
}

fn is_annotation(word: &[u8]) -> bool {
    [&b"FetchSeq="[..], b"CPSeq=", b"flags="].iter().any(|name| word.starts_with(name))
}

/// Parses `0x` and at most 16 hexadecimal digits, with nothing after them.
fn hex(text: &[u8]) -> Option<u64> {
    let parsed = all_consuming(preceded(tag("0x"), hex_digits)).parse(text);
    parsed.ok().map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Line<'_> {
        Line::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn parts_of_accesses() {
        let load = "0x401686 @run+33. 1 :   MOV_R_P : ld   edx, DS:[t0 + t7 + 0xbba78] : MemRead :  \
                    D=0x0000000000000002 A=0x4bd104";
        let expected = Line {
            pc: Some(0x401686),
            micro: Some(1),
            function: Some(b"run"),
            symbol: None,
            body: b"  MOV_R_P : ld   edx, DS:[t0 + t7 + 0xbba78]",
            class: Some(b"MemRead"),
            data: Some(2),
            address: Some(0x4bd104),
            vector: 0,
            predicated: false,
        };
        assert_eq!(read(load), expected);
        let more = format!("{load}  FetchSeq=3  CPSeq=4  flags=(IsInteger|IsLoad)");
        assert_eq!(read(&more), expected);
        let store = "0x8000 @main+4    : sd a1, 0(a0)               : MemWrite :  D=0x0000000000000002 A=0x40";
        assert_eq!((read(store).micro, read(store).stores()), (None, true));
        assert_eq!(read(store).body, b"sd a1, 0(a0)");
        assert_eq!(read(store).symbol, Some(&b"main+4"[..]));
        let vector =
            "0x8000. 0 : vle64_v_micro v1, (a0) : SimdUnitStrideLoad :  D=[00000000_00000001]";
        assert_eq!((read(vector).vector, read(vector).address), (8, None));
        let predicated = "0x8000 @main+4    : str x0 : MemWrite : Predicated False";
        assert!(read(predicated).predicated);
    }

    #[test]
    fn lines_that_announce_have_no_class() {
        let line = read("0x41 @unlock+82    : mfence");
        assert_eq!((line.class, line.body), (None, &b"mfence"[..]));
        let line = read("0x10000    : amoadd_d_aq a5, a4, (a3)  ");
        assert_eq!((line.class, line.shown().as_str()), (None, "amoadd_d_aq a5, a4, (a3)"));
    }
}
