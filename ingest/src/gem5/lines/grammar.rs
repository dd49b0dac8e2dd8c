//! The nom grammars of messages: the text after tick and object path.

use history::Kind;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_till1};
use nom::character::complete::char;
use nom::combinator::{map, map_opt, opt, rest, value, verify};
use nom::sequence::{delimited, preceded, separated_pair, terminated};
use nom::{IResult, Parser};

use crate::gem5::lines::fault::Fault;
use crate::gem5::lines::message::{ClientOp, Command, DataKind, Message};

pub(crate) type Parsed<'a, T> = IResult<&'a [u8], T, ()>;

/// The value of the decimal digits that a text begins with, if there are any and they fit, and the number of digits.
pub(crate) fn leading_number(text: &[u8]) -> (Option<u64>, usize) {
    let mut value = Some(0u64);
    let mut length = 0;
    for digit in text.iter().map(|byte| byte.wrapping_sub(b'0')).take_while(|&digit| digit < 10) {
        // 19 digits always fit.
        value = if length < 19 {
            value.map(|value| value.wrapping_mul(10).wrapping_add(u64::from(digit)))
        } else {
            value.and_then(|value| value.checked_mul(10)?.checked_add(u64::from(digit)))
        };
        length += 1;
    }
    (value.filter(|_| length > 0), length)
}

/// One to 16 hexadecimal digits. Parsed by hand for speed, since every line has some.
pub(crate) fn hex_digits(input: &[u8]) -> Parsed<'_, u64> {
    let mut value = 0;
    let mut length = 0;
    for &byte in input.iter().take(16) {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => byte - b'a' + 10,
            _ => break,
        };
        value = value << 4 | u64::from(digit);
        length += 1;
    }
    match length {
        0 => Err(nom::Err::Error(())),
        _ => Ok((&input[length..], value)),
    }
}

/// Parses a number as `%#x` prints it: zero has no `0x`.
fn hex(input: &[u8]) -> Parsed<'_, u64> {
    hex_digits(input.strip_prefix(b"0x").unwrap_or(input))
}

fn number(input: &[u8]) -> Parsed<'_, u64> {
    match leading_number(input) {
        (Some(value), length) => Ok((&input[length..], value)),
        _ => Err(nom::Err::Error(())),
    }
}

fn narrow<T: TryFrom<u64>>(input: &[u8]) -> Parsed<'_, T> {
    map_opt(number, |value| T::try_from(value).ok()).parse(input)
}

fn command(input: &[u8]) -> Parsed<'_, Command> {
    map(take_till1(|byte| byte == b' '), Command::of).parse(input)
}

/// Parses `[0x404, line 0x400]`: the address, and that of its cache line.
pub(crate) fn address(input: &[u8]) -> Parsed<'_, (u64, u64)> {
    delimited(tag("["), separated_pair(hex, tag(", line "), hex), char(']')).parse(input)
}

/// Parses `Enqueue arrival_time: <n>, Message: [<type>: … addr = [0x404, line 0x400] …]` of the flag RubyQueue. Returns
/// the cache line and a description with the type of the message, the request or response that it carries, and the
/// requestor or sender: `RequestMsg GETX for L1Cache-0`, `ResponseMsg DATA from Directory-0`.
pub(crate) fn enqueued(text: &[u8]) -> Option<(u64, String)> {
    let text = std::str::from_utf8(text.strip_prefix(b"Enqueue arrival_time: ")?).ok()?;
    let (_, message) = text.split_once(", Message: [")?;
    let (name, fields) = message.split_once(": ")?;
    let after = |key: &str| fields.split_once(key).map(|(_, rest)| rest);
    let (_, line) = after("ddr = ").or_else(|| after("Address = "))?.split_once("line 0x")?;
    let digits = line.split(']').next()?;
    let line = u64::from_str_radix(digits, 16).ok()?;
    let kind = after("Type = ").and_then(|rest| rest.split(' ').next());
    let kind = kind.map_or(String::new(), |kind| format!(" {kind}"));
    let named = |key: &str, word: &str| {
        let name = after(key)?.split(' ').next()?;
        Some(format!(" {word} {name}"))
    };
    let whose = named(" Sender = ", "from").or_else(|| named(" Requestor = ", "for"));
    Some((line, format!("{name}{kind}{}", whose.unwrap_or_default())))
}

pub(crate) fn timing(input: &[u8]) -> Parsed<'_, Message> {
    preceded(
        tag("Timing request for address "),
        map(separated_pair(hex, tag(" on port "), narrow), |(_, port)| Message::Timing { port }),
    )
    .parse(input)
}

pub(crate) fn request(input: &[u8]) -> Parsed<'_, Message> {
    let issued = map(
        terminated(separated_pair(command, char(' '), hex), tag(" issued")),
        |(command, address)| Message::Issued { command, address },
    );
    let refused = (command, tag(" for address "), hex, tag(" did not issue because "), rest);
    let pio = (tag("address "), hex, tag(" assumed to be a pio address"));
    let refused = value(Message::Refused, refused);
    let pio = value(Message::Pio, pio);
    preceded(tag("Request "), alt((issued, refused, pio))).parse(input)
}

pub(crate) fn hit(input: &[u8]) -> Parsed<'_, Message> {
    preceded(
        tag("Hit callback for "),
        map(separated_pair(command, char(' '), hex), |(command, address)| Message::Hit {
            command,
            address,
        }),
    )
    .parse(input)
}

/// Parses a data line; its block is everything up to the bracket that ends the line.
pub(crate) fn data(text: &[u8]) -> Result<Message, Fault> {
    let kind = alt((
        value(DataKind::Read, tag("read data ")),
        value(DataKind::Set, tag("set data ")),
        value(DataKind::Swap, tag("swap data ")),
        value(DataKind::AmoOriginal, tag("AMO original data ")),
        value(DataKind::AmoNew, tag("AMO new data ")),
        value(DataKind::AtomicReturn, tag("ATOMIC RETURN data ")),
        value(DataKind::AtomicNoReturn, tag("ATOMIC NO RETURN data ")),
    ));
    let block = verify(rest, |block: &[u8]| block.starts_with(b"[ ") && block.ends_with(b" ]"));
    let parsed: Parsed<'_, _> = (kind, block).parse(text);
    match parsed {
        Ok((_, (kind, block))) => Ok(Message::Data { kind, block: text.len() - block.len() }),
        Err(_) => Err(Fault::Cut("a data block `[ 0x… ]` to the end of the line")),
    }
}

pub(crate) fn response(input: &[u8]) -> Parsed<'_, Message> {
    let answer = terminated(take_till1(|byte| byte == b' '), tag(" address "));
    let size = separated_pair(hex, tag(" size "), number);
    let whole =
        preceded(tag("schedSendTiming for "), terminated((answer, size), (tag(" when "), rest)));
    map(whole, |(answer, (address, size))| match answer {
        // It is the size of no operation, and may come before the prefetch itself.
        b"SoftPFResp" => Message::Known,
        _ => Message::Response { address, size },
    })
    .parse(input)
}

/// Parses the operation of a client, `T<thread> op <index> …`.
pub(crate) fn client(input: &[u8]) -> Parsed<'_, Message> {
    let thread = delimited(tag("T"), narrow, tag(" op "));
    let what = alt((client_access, client_rmw, value(CLIENT_FENCE, tag(" fence"))));
    map((thread, number, what), |(thread, index, what)| {
        Message::Client(ClientOp { thread, index, ..what })
    })
    .parse(input)
}

const CLIENT_FENCE: ClientOp = ClientOp {
    thread: 0,
    index: 0,
    kind: Kind::Fence,
    address: 0,
    size: None,
    read: None,
    written: None,
    forwarded: false,
};

/// Parses ` size <bytes>`, which may be missing.
fn client_size(input: &[u8]) -> Parsed<'_, Option<u8>> {
    let size = verify(narrow, |size: &u8| (1..=8).contains(size));
    opt(preceded(tag(" size "), size)).parse(input)
}

/// Parses ` store <address> <value>` or ` load <address> <value>`, and perhaps ` size <bytes>` and ` forwarded`.
fn client_access(input: &[u8]) -> Parsed<'_, ClientOp> {
    let store = alt((value(true, tag(" store ")), value(false, tag(" load "))));
    let access = separated_pair(hex, char(' '), hex);
    let forwarded = map(opt(tag(" forwarded")), |word| word.is_some());
    map((store, access, client_size, forwarded), |(store, (address, value), size, forwarded)| {
        ClientOp {
            kind: if store { Kind::Store } else { Kind::Load },
            address,
            size,
            read: (!store).then_some(value),
            written: store.then_some(value),
            forwarded,
            ..CLIENT_FENCE
        }
    })
    .parse(input)
}

/// Parses ` rmw <address> <value read> <value written>`, and perhaps ` size <bytes>`.
fn client_rmw(input: &[u8]) -> Parsed<'_, ClientOp> {
    let address = delimited(tag(" rmw "), hex, char(' '));
    let values = separated_pair(hex, char(' '), hex);
    map((address, values, client_size), |(address, (read, written), size)| ClientOp {
        kind: Kind::Rmw,
        address,
        size,
        read: Some(read),
        written: Some(written),
        ..CLIENT_FENCE
    })
    .parse(input)
}

/// Parses the line of an executed instruction, `[A<asid> ][T<tid> : ]0x<pc>…`.
pub(crate) fn exec(text: &[u8]) -> Option<Message> {
    let space = opt(delimited(char('A'), number, char(' ')));
    let thread = opt(delimited(char('T'), narrow, tag(" : ")));
    let parsed: Parsed<'_, _> = (space, thread, rest).parse(text);
    let (_, (space, thread, instruction)) = parsed.ok()?;
    instruction.starts_with(b"0x").then(|| Message::Exec {
        space,
        thread: thread.unwrap_or(0),
        instruction: text.len() - instruction.len(),
    })
}

/// Parses messages of RubyPort, RubySequencer, RubyHitMiss and LLSC that a history does not need.
pub(crate) fn known(input: &[u8]) -> Parsed<'_, Message> {
    let atomic = alt((
        value(true, (tag("Issuing ATOMIC RETURN"), rest)),
        value(false, (tag("Issuing ATOMIC NO RETURN"), rest)),
    ));
    let atomic = map(atomic, |returns| Message::IssuingAtomic { returns });
    let needs = (tag("Hit callback needs response "), number);
    let others = alt((
        tag("Sequencer may now be free."),
        tag("Sending invalidations"),
        tag("Issuing LL"),
        tag("Issuing SC"),
        tag("Issuing Locked RMW "),
        tag("Cache hit at ["),
        tag("Cache miss at ["),
        tag("LLSC Monitor - "),
        tag("hitCallback "),
        tag("Created re"),
        tag("Functional access "),
    ));
    alt((
        atomic,
        value(Message::Known, tag("Hit callback done!")),
        value(Message::Known, tag("Sending packet back over port")),
        value(Message::Known, needs),
        value(Message::Known, (others, rest)),
    ))
    .parse(input)
}

pub(crate) fn is_client(text: &[u8]) -> bool {
    let parsed: Parsed<'_, _> = (tag("T"), number, tag(" op ")).parse(text);
    parsed.is_ok()
}

/// Whether a text is `T<thread>` and the beginning of the words that clients or CPUs print after it.
pub(crate) fn is_cut_after_thread(text: &[u8]) -> bool {
    let thread: Parsed<'_, _> = preceded(tag("T"), number).parse(text);
    match thread {
        Ok((rest, _)) => b" op ".starts_with(rest) || b" : 0x".starts_with(rest),
        Err(_) => false,
    }
}
