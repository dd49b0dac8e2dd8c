//! Formats the lines of a trace exactly as gem5 prints them.
//!
//! [`Text`] gathers lines in one buffer. [`super::write()`] prints a history with it, and the simulator prints its
//! runs. Numbers are formatted by hand, since `write!` would take most of the time of a run.

use history::Kind;

/// Number of bytes that are gathered before they are written.
const FLUSH_BYTES: usize = 1 << 18;

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Largest number of characters of one byte of a block, with its space.
const WIDEST: usize = 5;

/// For each byte value its text in a block, and the length of the text.
const BYTES: [([u8; 8], u8); 256] = {
    let mut bytes = [([b' '; 8], 4); 256];
    let mut value = 0;
    while value < 256 {
        bytes[value].0[0] = b'0';
        bytes[value].0[1] = b'x';
        let high = value >> 4;
        if high == 0 {
            bytes[value].0[2] = DIGITS[value];
        } else {
            bytes[value].0[2] = DIGITS[high];
            bytes[value].0[3] = DIGITS[value & 15];
            bytes[value].1 = 5;
        }
        value += 1;
    }
    bytes
};

const ZEROS: &[u8; 32] = b"0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 ";

/// The names of a sequencer, its ports and queues, and its client, as lines show them.
#[derive(Debug)]
pub struct Names {
    sequencer: String,
    /// Prefixes of the lines of ports, by port number.
    ports: [String; 2],
    /// Prefixes of the lines of the queues behind the ports, by port number.
    queues: [String; 2],
    /// The columns of version and component.
    columns: String,
    /// The path of the client and the beginning of its messages.
    client: String,
}

impl Names {
    /// The names of the sequencer with this path and version.
    pub fn new(path: &str, version: u32) -> Names {
        Names {
            sequencer: format!(": {path}: "),
            ports: [0, 1].map(|port| format!(": {path}.response_ports{port}: ")),
            queues: [0, 1].map(|port| format!(": {path}.response_ports{port}-RespPacketQueue: ")),
            columns: format!(" {version:>3}        Seq"),
            client: format!(": system.cpu{version}: T{version} op "),
        }
    }

    /// The path of a port.
    pub fn port(&self, port: usize) -> &str {
        self.ports[port][2..].trim_end_matches(": ")
    }
}

/// An operation as a client prints it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientLine {
    /// Number of the thread.
    pub thread: u32,
    /// Index of the operation in its thread's program.
    pub index: u32,
    /// Kind of the operation; one that both reads and writes is printed as `rmw`.
    pub kind: Kind,
    /// Address of the first byte; a fence has none.
    pub address: u64,
    /// Number of bytes.
    pub size: u8,
    /// The value read; ignored if the kind does not read.
    pub read: u64,
    /// The value written; ignored if the kind does not write.
    pub written: u64,
    /// Whether a store buffer served the load.
    pub forwarded: bool,
}

/// The part of a trace's text that has not been written out yet.
#[derive(Debug)]
pub struct Text {
    buffer: Vec<u8>,
}

impl Default for Text {
    fn default() -> Text {
        Text { buffer: Vec::with_capacity(FLUSH_BYTES + (1 << 12)) }
    }
}

impl Text {
    /// Whether the text is long enough to be written out.
    pub fn is_long(&self) -> bool {
        self.buffer.len() >= FLUSH_BYTES
    }

    /// The text that was not taken out yet.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// Takes the text out.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.buffer)
    }

    /// Takes the text out and continues in `empty`.
    pub fn replace(&mut self, empty: Vec<u8>) -> Vec<u8> {
        std::mem::replace(&mut self.buffer, empty)
    }

    /// Drops the text and keeps the memory of the buffer.
    pub fn clear(&mut self) {
        self.buffer.clear();
    }

    /// Adds words as they are.
    #[inline]
    pub fn put(&mut self, words: &str) {
        self.buffer.extend_from_slice(words.as_bytes());
    }

    /// Adds the beginning of a line of a sequencer.
    pub fn sequencer(&mut self, names: &Names, tick: u64) {
        self.decimal(tick, 7);
        self.put(&names.sequencer);
    }

    /// Adds the beginning of a line of a port.
    pub fn port(&mut self, names: &Names, tick: u64, port: usize) {
        self.decimal(tick, 7);
        self.put(&names.ports[port]);
    }

    /// Adds a line of a port.
    pub fn port_line(&mut self, names: &Names, tick: u64, port: usize, words: &str) {
        self.port(names, tick, port);
        self.put(words);
        self.put("\n");
    }

    /// Adds the line of a request that a core offers.
    pub fn timing_request(&mut self, names: &Names, tick: u64, port: usize, address: u64) {
        self.port(names, tick, port);
        self.put("Timing request for address ");
        self.hexadecimal(address);
        self.put(if port == 0 { " on port 0\n" } else { " on port 1\n" });
    }

    /// Adds the line of a functional access that a core makes.
    pub fn functional_access(&mut self, names: &Names, tick: u64, port: usize, address: u64) {
        self.port(names, tick, port);
        self.put("Functional access for address: ");
        self.hexadecimal(address);
        self.put("\n");
    }

    /// Adds the line at the end of a functional access.
    pub fn functional_end(&mut self, names: &Names, tick: u64, port: usize, has_succeeded: bool) {
        self.port(names, tick, port);
        let how = if has_succeeded { "successful" } else { "failed" };
        self.put("Functional access ");
        self.put(how);
        self.put("!\n");
    }

    /// Adds the line of a request that enters the mandatory queue of a controller; `kind` is the type of the request
    /// there.
    pub fn begin(&mut self, names: &Names, tick: u64, (address, line): (u64, u64), kind: &str) {
        self.columns(names, tick, "               Begin       >       ");
        self.bracket(address, line);
        self.put(kind);
        self.put("\n");
    }

    /// Adds the line of a request without an address that enters the mandatory queue.
    pub fn begin_unaddressed(&mut self, names: &Names, tick: u64, kind: &str) {
        self.columns(names, tick, "               Begin       >       ");
        self.put(kind);
        self.put("\n");
    }

    /// Adds the line of a request that is accepted.
    pub fn issued(
        &mut self,
        names: &Names,
        tick: u64,
        port: usize,
        (command, address): (&str, u64),
    ) {
        self.port(names, tick, port);
        self.put("Request ");
        self.put(command);
        self.put(" ");
        self.prefixed(address);
        self.put(" issued\n");
    }

    /// Adds the line of a request that is not accepted.
    pub fn refused(
        &mut self,
        names: &Names,
        tick: u64,
        port: usize,
        (command, address): (&str, u64),
        why: &str,
    ) {
        self.port(names, tick, port);
        self.put("Request ");
        self.put(command);
        self.put(" for address ");
        self.hexadecimal(address);
        self.put(" did not issue because ");
        self.put(why);
        self.put("\n");
    }

    /// Adds the line of a request that the protocol completes after `cycles` cycles. `success` is false for a
    /// store-conditional that failed.
    pub fn done(
        &mut self,
        names: &Names,
        tick: u64,
        (address, line): (u64, u64),
        cycles: u64,
        success: bool,
    ) {
        let event = if success {
            "                Done       >       "
        } else {
            "           SC_Failed       >       "
        };
        self.columns(names, tick, event);
        self.bracket(address, line);
        self.decimal(cycles, 0);
        self.put(" cycles\n");
    }

    /// Adds the line that shows a block, as 64-bit words; `words` state the operation, such as `read data `.
    pub fn data(&mut self, names: &Names, tick: u64, words: &str, block: &[u64]) {
        self.sequencer(names, tick);
        self.put(words);
        self.block(block);
        self.put("\n");
    }

    /// Adds the line of a request that completes.
    pub fn hit(&mut self, names: &Names, tick: u64, command: &str, address: u64) {
        self.sequencer(names, tick);
        self.put("Hit callback for ");
        self.put(command);
        self.put(" ");
        self.prefixed(address);
        self.put("\n");
    }

    /// Adds the line of a response that is queued, which shows its size.
    pub fn packet(
        &mut self,
        names: &Names,
        tick: u64,
        port: usize,
        (answer, address): (&str, u64),
        size: u8,
    ) {
        self.decimal(tick, 7);
        self.put(&names.queues[port]);
        self.put("schedSendTiming for ");
        self.put(answer);
        self.put(" address ");
        self.plain_hexadecimal(address);
        self.put(" size ");
        self.decimal(u64::from(size), 0);
        self.put(" when ");
        self.decimal(tick, 0);
        self.put(" ord: 0\n");
    }

    /// Adds the line of an operation that a client prints, with its size if `shows_size`.
    pub fn client(&mut self, names: &Names, tick: u64, line: &ClientLine, shows_size: bool) {
        self.decimal(tick, 7);
        self.put(&names.client);
        self.decimal(u64::from(line.index), 0);
        if line.kind == Kind::Fence {
            return self.put(" fence\n");
        }
        let (reads, writes) = (line.kind.reads(), line.kind.writes());
        self.put(match (reads, writes) {
            (true, true) => " rmw ",
            (false, _) => " store ",
            (true, false) => " load ",
        });
        self.hexadecimal(line.address);
        for (_, value) in [(reads, line.read), (writes, line.written)].iter().filter(|it| it.0) {
            self.put(" ");
            self.hexadecimal(*value);
        }
        if shows_size {
            self.put(" size ");
            self.decimal(u64::from(line.size), 0);
        }
        if line.forwarded {
            self.put(" forwarded");
        }
        self.put("\n");
    }

    /// Adds the beginning of a line of a sequencer in columns; `event` is the text of the columns of event and states.
    fn columns(&mut self, names: &Names, tick: u64, event: &str) {
        self.decimal(tick, 15);
        self.put(&names.columns);
        self.put(event);
    }

    /// Adds a decimal number, right-aligned to `width` characters.
    pub fn decimal(&mut self, mut number: u64, width: usize) {
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

    /// Adds a number as `%#x` prints it: 0 has no prefix.
    fn hexadecimal(&mut self, number: u64) {
        if number > 0 {
            self.put("0x");
        }
        self.plain_hexadecimal(number);
    }

    /// Adds a number as `0x%x` prints it.
    #[inline]
    pub fn prefixed(&mut self, number: u64) {
        self.put("0x");
        self.plain_hexadecimal(number);
    }

    /// Adds a number as `%x` prints it.
    fn plain_hexadecimal(&mut self, number: u64) {
        let (digits, count) = hexadecimal_digits(number);
        self.buffer.extend_from_slice(&digits[..count]);
    }

    /// Adds `[0x404, line 0x400] `: an address, the address of its cache line, and a space.
    pub fn bracket(&mut self, address: u64, line: u64) {
        // Composed here, since most lines have one.
        let mut text = [0; 64];
        let mut at = 0;
        let mut add = |part: &[u8]| {
            text[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        };
        let (digits, first) = hexadecimal_digits(address);
        add(b"[0x");
        add(&digits[..first]);
        add(b", line 0x");
        if line == address {
            add(&digits[..first]);
        } else {
            let (digits, second) = hexadecimal_digits(line);
            add(&digits[..second]);
        }
        add(b"] ");
        self.buffer.extend_from_slice(&text[..at]);
    }

    /// Adds a block, byte by byte.
    fn block(&mut self, block: &[u64]) {
        self.put("[ ");
        for &word in block {
            match word {
                0 => self.buffer.extend_from_slice(ZEROS),
                _ => self.word(word),
            }
        }
        self.put("]");
    }

    fn word(&mut self, word: u64) {
        // Entries are copied whole, so there must be room for the padding of the last one.
        let mut text = [0; 8 * WIDEST + 3];
        let mut at = 0;
        for byte in word.to_le_bytes() {
            let (spelled, length) = &BYTES[usize::from(byte)];
            text[at..at + 8].copy_from_slice(spelled);
            at += usize::from(*length);
        }
        self.buffer.extend_from_slice(&text[..at]);
    }
}

/// The hexadecimal digits of a number, and the number of digits.
fn hexadecimal_digits(number: u64) -> ([u8; 16], usize) {
    let count = (64 - number.leading_zeros()).div_ceil(4).max(1) as usize;
    let mut digits = [0; 16];
    for (at, digit) in digits[..count].iter_mut().rev().enumerate() {
        *digit = DIGITS[(number >> (4 * at) & 15) as usize];
    }
    (digits, count)
}
