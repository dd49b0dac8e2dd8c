//! The lines themselves. By hand and into one buffer: formatting would take most of the time.

use std::io::{self, Write};

use history::{History, Kind};

/// What the lines of an operation show of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    /// Index of the thread.
    pub thread: usize,
    /// Position in its program order.
    pub index: u32,
    pub kind: Kind,
    pub address: u64,
    /// 0 where it does not read.
    pub read: u64,
    /// What memory holds afterwards.
    pub written: u64,
}

impl Access {
    /// The command of its packet.
    fn command(&self) -> &'static str {
        match self.kind {
            Kind::Store => "WriteReq",
            kind if kind.is_atomic() => "SwapReq",
            _ => "ReadReq",
        }
    }

    /// Its type as protocols see it.
    fn ruby_type(&self) -> &'static str {
        match self.kind {
            Kind::Load => "LD",
            _ => "ST",
        }
    }
}

/// Bytes that are gathered before they are written.
const PIECE: usize = 1 << 18;

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// The text of a trace.
pub(super) struct Text {
    buffer: Vec<u8>,
    threads: Vec<Names>,
}

/// What a thread's parts are called.
struct Names {
    sequencer: String,
    /// The column of the sequencer's version, and the constant ones behind it.
    version: String,
    /// Path of the client and the thread's number as it prints it.
    client: String,
}

impl Text {
    /// An empty text, about the threads of a history.
    pub fn new(history: &History) -> Text {
        let names = |thread: &history::Thread| {
            let label = thread.label;
            Names {
                sequencer: format!(": system.ruby.l1_cntrl{label}.sequencer"),
                version: format!(" {label:>3}        Seq"),
                client: format!(": system.cpu{label}: T{label} op "),
            }
        };
        Text {
            buffer: Vec::with_capacity(PIECE + (1 << 12)),
            threads: history.threads().iter().map(names).collect(),
        }
    }

    /// What gem5 prints before anything else.
    pub fn command_line(&mut self, command: &str) {
        let is_control = |c: char| c.is_control();
        self.put("command line: ");
        self.put(&command.replace(is_control, " "));
        self.put("\n");
    }

    /// A sequencer accepts the request of an operation.
    pub fn request(&mut self, access: &Access, tick: u64) {
        self.sequencer(access.thread, tick);
        self.put(".response_ports0: Timing request for address ");
        self.hexadecimal(access.address);
        self.put(" on port 0\n");
        self.raw(access, tick, "               Begin       >       [");
        self.put(access.ruby_type());
        self.put("\n");
        self.sequencer(access.thread, tick);
        self.put(".response_ports0: Request ");
        self.command_and_address(access);
        self.put(" issued\n");
    }

    /// A sequencer completes the request of an operation.
    pub fn completion(&mut self, access: &Access, tick: u64, cycles: u32) {
        self.raw(access, tick, "                Done       >       [");
        self.decimal(u64::from(cycles), 0);
        self.put(" cycles\n");
        match access.kind {
            Kind::Load => self.block(access.thread, tick, ": read data [ ", access.read),
            Kind::Store => self.block(access.thread, tick, ": set data [ ", access.written),
            _ => {
                self.block(access.thread, tick, ": AMO original data [ ", access.read);
                self.block(access.thread, tick, ": AMO new data [ ", access.written);
            }
        }
        self.sequencer(access.thread, tick);
        self.put(": Hit callback for ");
        self.command_and_address(access);
        self.put("\n");
        for message in [
            ".response_ports0: Hit callback needs response 1\n",
            ".response_ports0: Sending packet back over port\n",
            ".response_ports0: Hit callback done!\n",
        ] {
            self.sequencer(access.thread, tick);
            self.put(message);
        }
    }

    /// A client prints an operation.
    pub fn client(&mut self, access: &Access, tick: u64, forwarded: bool) {
        self.decimal(tick, 7);
        self.buffer
            .extend_from_slice(self.threads[access.thread].client.as_bytes());
        self.decimal(u64::from(access.index), 0);
        let (word, values) = match access.kind {
            Kind::Fence => (" fence", [None, None]),
            Kind::Load => (" load ", [Some(access.read), None]),
            Kind::Store => (" store ", [Some(access.written), None]),
            _ => (" rmw ", [Some(access.read), Some(access.written)]),
        };
        self.put(word);
        if access.kind != Kind::Fence {
            self.hexadecimal(access.address);
        }
        for value in values.into_iter().flatten() {
            self.put(" ");
            self.hexadecimal(value);
        }
        if forwarded && access.kind == Kind::Load {
            self.put(" forwarded");
        }
        self.put("\n");
    }

    /// Writes what was gathered, if that is much.
    pub fn write_if_long(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.buffer.len() < PIECE {
            return Ok(());
        }
        self.write(out)
    }

    /// Writes what was gathered.
    pub fn write(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    fn put(&mut self, words: &str) {
        self.buffer.extend_from_slice(words.as_bytes());
    }

    /// The beginning of a named line: tick and path.
    fn sequencer(&mut self, thread: usize, tick: u64) {
        self.decimal(tick, 7);
        self.buffer
            .extend_from_slice(self.threads[thread].sequencer.as_bytes());
    }

    /// A raw line up to the space behind the address; `event` are its columns of event and states.
    fn raw(&mut self, access: &Access, tick: u64, event: &str) {
        self.decimal(tick, 15);
        self.buffer
            .extend_from_slice(self.threads[access.thread].version.as_bytes());
        self.put(event);
        self.hexadecimal(access.address);
        self.put(", line ");
        self.hexadecimal(access.address);
        self.put("] ");
    }

    fn command_and_address(&mut self, access: &Access) {
        self.put(access.command());
        self.put(" ");
        self.hexadecimal(access.address);
    }

    /// A data line: the value is the first 8 bytes of the block, and the others are 0.
    fn block(&mut self, thread: usize, tick: u64, words: &str, value: u64) {
        const REST: [u8; 56 * 4] = {
            let mut rest = [b' '; 56 * 4];
            let mut at = 0;
            while at < rest.len() {
                rest[at] = b'0';
                rest[at + 1] = b'x';
                rest[at + 2] = b'0';
                at += 4;
            }
            rest
        };
        self.sequencer(thread, tick);
        self.put(words);
        for byte in value.to_le_bytes() {
            let (high, low) = (byte >> 4, byte & 15);
            self.buffer.extend_from_slice(b"0x");
            if high > 0 {
                self.buffer.push(DIGITS[usize::from(high)]);
            }
            self.buffer.push(DIGITS[usize::from(low)]);
            self.buffer.push(b' ');
        }
        self.buffer.extend_from_slice(&REST);
        self.put("]\n");
    }

    /// A decimal number, right-aligned.
    fn decimal(&mut self, mut number: u64, width: usize) {
        let mut digits = [b' '; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        let start = at.min(digits.len() - width);
        self.buffer.extend_from_slice(&digits[start..]);
    }

    /// A number as `%#x` prints it: 0 has no prefix.
    fn hexadecimal(&mut self, number: u64) {
        if number == 0 {
            self.buffer.push(b'0');
            return;
        }
        self.buffer.extend_from_slice(b"0x");
        let digits = (64 - number.leading_zeros()).div_ceil(4);
        for digit in (0..digits).rev() {
            let value = (number >> (4 * digit)) & 15;
            self.buffer.push(DIGITS[value as usize]);
        }
    }
}
