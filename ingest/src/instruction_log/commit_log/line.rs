//! [`parse`]: a line of a commit log.

use memchr::memmem;
use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::{char, space1, u8 as small, u32 as number};
use nom::combinator::opt;
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, Parser};

use crate::instruction_log::Flaw;

/// What a line shows.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// The next instruction of a hart, which is executed or traps.
    Next {
        hart: u32,
        pc: u64,
        /// Whether it has no text of the instruction but its encoding, as CVA6 prints it.
        is_of_cva6: bool,
        /// Whether it is the first one after an interrupt.
        is_interrupt: bool,
    },
    /// An instruction that was executed.
    Commit(Commit),
    /// The instruction of a hart trapped; without a number, that of the line before.
    Trap(Option<u32>),
    /// Nothing of interest.
    Other,
}

/// An instruction that was executed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Commit {
    /// The hart, if the line names it.
    pub hart: Option<u32>,
    pub pc: u64,
    pub word: u32,
    /// Number of bytes of the encoding.
    pub bytes: u64,
    /// Whether registers have 64 bits.
    pub is_wide: bool,
    /// The value that the last register of integers or of floating-point numbers received.
    pub register: Option<u64>,
    /// The number and the value of the last register of integers that was written.
    pub integer: Option<(u8, u64)>,
    /// Addresses that were read.
    pub reads: Vec<u64>,
    pub stores: Vec<Store>,
    /// The value that was written to `mtvec` or another register that says where traps lead.
    pub vector: Option<u64>,
}

/// A store, as a line shows it behind `mem`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Store {
    pub address: u64,
    pub value: u64,
    /// Number of bytes of the value, by its digits.
    pub bytes: u64,
}

const EXPECTED: &str =
    "a line of a commit log, such as `core   0: 3 0x80000000 (0x00000297) x5  0x80000000`";
const EFFECTS: &str = "registers such as `x5  0x80000000` and accesses such as `mem 0x80004080 0x00000001`, with all their digits";

/// Parses a line of a commit log, whoever printed it.
pub(super) fn parse(line: &[u8]) -> Result<Line, Flaw> {
    let line = line.trim_ascii_end();
    let flaw = || Flaw::of(line, EXPECTED);
    if line.is_empty() || line.starts_with(b"*** [rvf") {
        return Ok(Line::Other);
    }
    if is_trap_of_cva6(line) {
        return Ok(Line::Trap(None));
    }
    let (text, hart) = opt(core).parse(line).map_err(|_| flaw())?;
    if let Some(hart) = hart {
        if [&b">>>>"[..], b"tval ", b"Executed "].iter().any(|begin| text.starts_with(begin)) {
            return Ok(Line::Other);
        }
        if text.starts_with(b"exception ") {
            return Ok(Line::Trap(Some(hart)));
        }
        if let Ok((rest, (pc, _))) = place(text) {
            let is_of_cva6 = rest.starts_with(b" DASM(");
            let is_interrupt = memmem::find(line, b"INTERRUPT").is_some();
            return Ok(Line::Next { hart, pc: pc.value, is_of_cva6, is_interrupt });
        }
    }
    let (text, (pc, word)) = preceded((small, char(' ')), place).parse(text).map_err(|_| flaw())?;
    if !matches!((pc.digits, word.digits), (8 | 16, 4 | 8)) {
        return Err(flaw());
    }
    let mut commit = Commit {
        hart,
        pc: pc.value,
        word: word.value as u32,
        bytes: word.digits / 2,
        is_wide: pc.digits == 16,
        ..Commit::default()
    };
    effects(text, pc.digits, &mut commit).ok_or_else(|| Flaw::of(line, EFFECTS))?;
    Ok(Line::Commit(commit))
}

/// A number in hexadecimal, with its digits. Of more than 16 digits, the value is that of the last ones.
#[derive(Clone, Copy)]
struct Hex {
    value: u64,
    digits: u64,
}

fn hex(text: &[u8]) -> IResult<&[u8], Hex> {
    let digits = take_while1(|byte: u8| byte.is_ascii_hexdigit());
    let (rest, digits): (_, &[u8]) = preceded(tag("0x"), digits).parse(text)?;
    let value = digits.iter().fold(0u64, |value, digit| {
        value << 4 | u64::from(char::from(*digit).to_digit(16).unwrap_or(0))
    });
    Ok((rest, Hex { value, digits: digits.len() as u64 }))
}

/// `core   0: `, and `core   INTERRUPT 0: ` of CVA6.
fn core(text: &[u8]) -> IResult<&[u8], u32> {
    let name = (tag("core"), space1, opt(terminated(tag("INTERRUPT"), space1)));
    delimited(name, number, (char(':'), space1)).parse(text)
}

/// The address of an instruction and its encoding.
fn place(text: &[u8]) -> IResult<&[u8], (Hex, Hex)> {
    (hex, encoding).parse(text)
}

fn encoding(text: &[u8]) -> IResult<&[u8], Hex> {
    delimited(tag(" ("), hex, char(')')).parse(text)
}

/// Whether a line is such as `LD_ACCESS_FAULT exception @ 0x80000010 (0x0005b783)`. Releases up to 5.1 show no encoding. An interrupt has
/// the name of the last exception, or none.
fn is_trap_of_cva6(line: &[u8]) -> bool {
    let name = take_while1::<_, _, nom::error::Error<&[u8]>>(|byte: u8| {
        byte.is_ascii_uppercase() || byte == b'_'
    });
    let whole = (opt(name), tag(" exception @ "), hex, opt(encoding)).parse(line);
    whole.is_ok_and(|(rest, _)| rest.is_empty())
}

/// Parses what an instruction did; `None` if a word is not understood.
fn effects(text: &[u8], digits: u64, commit: &mut Commit) -> Option<()> {
    let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let mut words = words.peekable();
    let value = |word: Option<&[u8]>| {
        let (rest, hex) = hex(word?).ok()?;
        rest.is_empty().then_some(hex)
    };
    while let Some(word) = words.next() {
        match word {
            b"mem" => {
                let address = value(words.next()).filter(|it| it.digits == digits)?.value;
                match words.next_if(|next| next.starts_with(b"0x")) {
                    None => commit.reads.push(address),
                    Some(stored) => {
                        let Hex { value, digits } = value(Some(stored))?;
                        commit.stores.push(Store { address, value, bytes: digits / 2 });
                    }
                }
            }
            [b'x' | b'f', number @ ..] => {
                // Earlier releases of Spike print a space before a number of one digit.
                let number = if number.is_empty() { words.next()? } else { number };
                is_number(number).then_some(())?;
                let number = std::str::from_utf8(number).ok()?.parse().ok()?;
                let register = value(words.next())?;
                let is_whole = register.digits == digits
                    || (word[0] == b'f' && matches!(register.digits, 8 | 16 | 32));
                is_whole.then_some(())?;
                commit.register = Some(register.value);
                if word[0] == b'x' {
                    commit.integer = Some((number, register.value));
                }
            }
            [b'v', number @ ..] if is_number(number) => {
                value(words.next())?;
            }
            // The number and the name of a control and status register.
            [b'c', rest @ ..] => {
                let (number, name) = rest.split_at(rest.iter().position(|byte| *byte == b'_')?);
                is_number(number).then_some(())?;
                let value = value(words.next())?.value;
                commit.vector = commit.vector.or(name.ends_with(b"tvec").then_some(value));
            }
            // Size of elements, number of registers in a group, and number of elements.
            [b'e' | b'l', number @ ..] if is_number(number) => {}
            [b'm', number @ ..] if is_number(number.strip_prefix(b"f").unwrap_or(number)) => {}
            _ => return None,
        }
    }
    Some(())
}

fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}
