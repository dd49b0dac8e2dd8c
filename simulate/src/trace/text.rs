//! How numbers, blocks and columns are spelled. By hand and into one buffer: formatting would take
//! most of the time of a run.

/// Bytes that are gathered before they are written.
const PIECE: usize = 1 << 18;

const DIGITS: &[u8; 16] = b"0123456789abcdef";
const BLANKS: &str = "                    ";

/// Most bytes that a byte of a block takes.
const WIDEST: usize = 5;

/// For each byte how a block shows it, and how long that is.
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

/// The text of a trace that is not written yet.
#[derive(Debug)]
pub(super) struct Text {
    buffer: Vec<u8>,
}

impl Text {
    /// No text.
    pub fn new() -> Text {
        Text {
            buffer: Vec::with_capacity(PIECE + (1 << 12)),
        }
    }

    /// Whether it is time to write it.
    pub fn is_long(&self) -> bool {
        self.buffer.len() >= PIECE
    }

    /// The text.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// Takes the text.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.buffer)
    }

    /// Takes the text and goes on in `empty`.
    pub fn replace(&mut self, empty: Vec<u8>) -> Vec<u8> {
        std::mem::replace(&mut self.buffer, empty)
    }

    /// Forgets the text.
    pub fn clear(&mut self) {
        self.buffer.clear();
    }

    pub fn put(&mut self, words: &str) {
        self.buffer.extend_from_slice(words.as_bytes());
    }

    /// Words in a column, aligned right; longer ones push what follows.
    pub fn right(&mut self, words: &str, width: usize) {
        self.blanks(width.saturating_sub(words.len()));
        self.put(words);
    }

    /// Words in a column, aligned left.
    pub fn left(&mut self, words: &str, width: usize) {
        self.put(words);
        self.blanks(width.saturating_sub(words.len()));
    }

    fn blanks(&mut self, count: usize) {
        self.put(&BLANKS[..count]);
    }

    /// A decimal number, aligned right.
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

    /// A number as `%#x` prints it: 0 has no prefix.
    pub fn hexadecimal(&mut self, number: u64) {
        if number > 0 {
            self.put("0x");
        }
        self.plain_hexadecimal(number);
    }

    /// A number as `0x%x` prints it.
    pub fn prefixed(&mut self, number: u64) {
        self.put("0x");
        self.plain_hexadecimal(number);
    }

    /// A number as `%x` prints it.
    pub fn plain_hexadecimal(&mut self, number: u64) {
        let digits = (64 - number.leading_zeros()).div_ceil(4).max(1);
        let mut text = [0; 16];
        for (at, digit) in (0..digits).rev().enumerate() {
            text[at] = DIGITS[(number >> (4 * digit) & 15) as usize];
        }
        self.buffer.extend_from_slice(&text[..digits as usize]);
    }

    /// An address and its line's, and a space.
    pub fn bracket(&mut self, address: u64, line: u64) {
        self.put("[");
        self.prefixed(address);
        self.put(", line ");
        self.prefixed(line);
        self.put("] ");
    }

    /// A block, byte for byte.
    pub fn block(&mut self, block: &[u64]) {
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
        // Room for the padding of the last entry, since entries are copied whole.
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
