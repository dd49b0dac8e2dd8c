//! [`message`]: parses the text of a named line. Messages that a history needs differ in their first bytes.

use nom::Parser;
use nom::combinator::all_consuming;

use crate::gem5::lines::fault::Fault;
use crate::gem5::lines::grammar::{
    Parsed, client, data, exec, hit, is_client, is_cut_after_thread, known, request, response,
    timing,
};
use crate::gem5::lines::message::Message;

/// Parses the text of a named line.
pub(crate) fn message(text: &[u8]) -> Result<Message, Fault> {
    let Some(&first) = text.first() else {
        return Err(Fault::Cut("a message"));
    };
    let parsed = match first {
        b'r' if text.starts_with(b"read data ") => return data(text),
        b's' if text.starts_with(b"set data ") => return data(text),
        b's' if text.starts_with(b"swap data ") => return data(text),
        b's' => whole(response, text),
        b'A' if text.starts_with(b"AMO ") || text.starts_with(b"ATOMIC ") => return data(text),
        b'A' | b'0' => exec(text),
        b'T' if text.starts_with(b"Timing ") => return strict(timing, text),
        b'T' => match exec(text) {
            Some(message) => Some(message),
            None if is_client(text) => return strict(client, text),
            None if is_cut_after_thread(text) => return Err(Fault::Cut("an operation")),
            None => None,
        },
        b'R' if text.starts_with(b"Request ") => return strict(request, text),
        b'H' if text.starts_with(b"Hit callback for ") => return strict(hit, text),
        b'H' | b'S' if FREQUENT.contains(&text) => Some(Message::Known),
        b'H' | b'S' | b'I' | b'h' | b'C' | b'L' | b'F' => whole(known, text),
        _ => None,
    };
    match parsed {
        Some(message) => Ok(message),
        None if is_cut(text) => Err(Fault::Cut("the rest of the message")),
        None => Ok(Message::Unknown),
    }
}

/// Messages that are printed for each operation and that a history does not need.
const FREQUENT: [&[u8]; 3] =
    [b"Hit callback needs response 1", b"Sending packet back over port", b"Hit callback done!"];

/// The beginnings of messages that a history depends on. A text that is only the beginning of one of these was cut off.
const LITERALS: [&[u8]; 15] = [
    b"Timing request for address ",
    b"Request ",
    b"Hit callback for ",
    b"Hit callback needs response ",
    b"Hit callback done!",
    b"Sending packet back over port",
    b"Sequencer may now be free. SendRetry to port ",
    b"read data [ ",
    b"set data [ ",
    b"swap data [ ",
    b"schedSendTiming for ",
    b"AMO original data [ ",
    b"AMO new data [ ",
    b"ATOMIC RETURN data [ ",
    b"Issuing ",
];

/// First words of the messages that a history needs.
const FIRST_WORDS: [&[u8]; 9] = [
    b"read",
    b"set",
    b"swap",
    b"AMO",
    b"ATOMIC",
    b"Timing",
    b"Request",
    b"Hit",
    b"schedSendTiming",
];

/// Whether a text begins with the first word of a message that a history needs.
pub(crate) fn begins_as_message(text: &[u8]) -> bool {
    let begins = |word: &&[u8]| {
        text.strip_prefix(*word)
            .is_some_and(|rest| rest.first().is_none_or(|byte| !byte.is_ascii_alphanumeric()))
    };
    FIRST_WORDS.iter().any(begins)
}

fn is_cut(text: &[u8]) -> bool {
    LITERALS.iter().any(|literal| literal.len() > text.len() && literal.starts_with(text))
}

fn whole<'a>(parser: impl Fn(&'a [u8]) -> Parsed<'a, Message>, text: &'a [u8]) -> Option<Message> {
    all_consuming(parser).parse(text).ok().map(|(_, message)| message)
}

/// Parses a text that begins as only this message does. If the rest does not fit, the line was cut off.
fn strict<'a>(
    parser: impl Fn(&'a [u8]) -> Parsed<'a, Message>,
    text: &'a [u8],
) -> Result<Message, Fault> {
    whole(parser, text).ok_or(Fault::Cut("the rest of the message"))
}

#[cfg(test)]
mod tests {
    use history::Kind;

    use super::*;
    use crate::gem5::lines::message::{ClientOp, Command, DataKind};

    fn read(text: &str) -> Message {
        message(text.as_bytes()).unwrap_or_else(|fault| panic!("{text}: {fault:?}"))
    }

    #[test]
    fn messages_of_ports_and_sequencers() {
        let timing = Message::Timing { port: 3 };
        assert_eq!(read("Timing request for address 0 on port 3"), timing);
        let (command, address) = (Command::LockedRead, 0x1044);
        let issued = Message::Issued { command, address };
        assert_eq!(read("Request LockedRMWReadReq 0x1044 issued"), issued);
        let refused = "Request WriteReq for address 0x40 did not issue because Aliased";
        assert_eq!(read(refused), Message::Refused);
        let pio = "Request address 0x40 assumed to be a pio address";
        assert_eq!(read(pio), Message::Pio);
        let hit = Message::Hit { command, address };
        assert_eq!(read("Hit callback for LockedRMWReadReq 0x1044"), hit);
        let response = "schedSendTiming for ReadResp address 10b200 size 4 when 54 ord: 0";
        let (address, size) = (0x10_b200, 4);
        assert_eq!(read(response), Message::Response { address, size });
        let (kind, block) = (DataKind::AmoOriginal, 18);
        assert_eq!(read("AMO original data [ 0x1 ]"), Message::Data { kind, block });
        let atomic = Message::IssuingAtomic { returns: false };
        assert_eq!(read("Issuing ATOMIC NO RETURN "), atomic);
        assert_eq!(read("Hit callback needs response 1"), Message::Known);
        assert_eq!(read("MOESI_AMD_Base-dir.sm:1: x"), Message::Unknown);
    }

    #[test]
    fn messages_of_clients_and_cpus() {
        let load = ClientOp {
            thread: 2,
            index: 30,
            kind: Kind::Load,
            address: 0x1040,
            size: None,
            read: Some(0),
            written: None,
            forwarded: true,
        };
        assert_eq!(read("T2 op 30 load 0x1040 0 forwarded"), Message::Client(load));
        let sized = ClientOp { size: Some(2), ..load };
        assert_eq!(read("T2 op 30 load 0x1040 0 size 2 forwarded"), Message::Client(sized));
        let rmw = ClientOp { kind: Kind::Rmw, written: Some(0x1f), forwarded: false, ..load };
        assert_eq!(read("T2 op 30 rmw 0x1040 0 0x1f"), Message::Client(rmw));
        let fence = ClientOp { kind: Kind::Fence, address: 0, read: None, written: None, ..rmw };
        assert_eq!(read("T2 op 30 fence"), Message::Client(fence));
        let exec = |space, thread, instruction| Message::Exec { space, thread, instruction };
        assert_eq!(read("T1 : 0x40 @f : nop"), exec(None, 1, 5));
        assert_eq!(read("A0 T1 : 0x40 @f : nop"), exec(Some(0), 1, 8));
        assert_eq!(read("0x40 @f : nop"), exec(None, 0, 0));
    }

    #[test]
    fn cut_messages() {
        for text in [
            "Timing request for addr",
            "Timing request for address 0x10 on port ",
            "Request",
            "Request ReadReq 0x10",
            "Hit call",
            "Hit callback for ReadReq",
            "read data [ 0x0 0x0",
            "set da",
            "T0 op 4 store 0x1000",
            "T0 op 4 lo",
            "T0 op 4 load 0x1000 0x1 size",
            "T0 op 4 load 0x1000 0x1 size 9",
            "T0 op 4 rmw 0x1000 0x1",
            "T0 op 4 fenc",
            "T0 o",
            "T0",
        ] {
            assert!(matches!(message(text.as_bytes()), Err(Fault::Cut(_))), "{text}");
        }
    }
}
