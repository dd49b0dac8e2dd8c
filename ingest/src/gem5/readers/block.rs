//! Data blocks: `[ 0x0 0x1f … ]`, one number for each byte of a cache line.
//!
//! A block is kept as text until an access selects some of its bytes.

use memchr::memchr_iter;

/// Number of bytes in a block's text. Cost: a scan.
pub(crate) fn length(block: &[u8]) -> usize {
    memchr_iter(b'x', block).count()
}

/// Returns `count` (at most 8) bytes from the `offset`-th on as a little-endian number, or `None` if the text has another form
/// or ends too early.
pub(crate) fn value(block: &[u8], offset: usize, count: usize) -> Option<u64> {
    let mut at = 2;
    for _ in 0..offset {
        // A byte is 0xN or 0xNN, and a space.
        at += if *block.get(at + 3)? == b' ' { 4 } else { 5 };
    }
    let mut value = 0;
    for byte in 0..count {
        let (number, length) = number(block.get(at..)?)?;
        value |= u64::from(number) << (8 * byte);
        at += length;
    }
    Some(value)
}

/// Parses the byte at the beginning of a text. Returns it with the length of its number and of the space after it.
fn number(text: &[u8]) -> Option<(u8, usize)> {
    let digits = text.strip_prefix(b"0x")?;
    let high = hex_digit(*digits.first()?)?;
    match *digits.get(1)? {
        b' ' => Some((high, 4)),
        low if *digits.get(2)? == b' ' => Some((high << 4 | hex_digit(low)?, 5)),
        _ => None,
    }
}

fn hex_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_little_endian() {
        let block = b"[ 0x0 0x0 0x0 0x0 0x1f 0x5 0x0 0xff ]";
        assert_eq!(length(block), 8);
        assert_eq!(value(block, 4, 4), Some(0xff00_051f));
        assert_eq!(value(block, 0, 8), Some(0xff00_051f_0000_0000));
        assert_eq!(value(block, 7, 1), Some(0xff));
    }

    #[test]
    fn malformed_blocks_have_no_value() {
        let texts: [&[u8]; 7] =
            [b"", b"[", b"[ ]", b"[ 0x ]", b"[ 0xfff ]", b"[ 0x0 0x", b"[ 1 2 ]"];
        for block in texts {
            assert_eq!(value(block, 0, 2), None);
            assert_eq!(value(block, 9, 1), None);
        }
    }
}
