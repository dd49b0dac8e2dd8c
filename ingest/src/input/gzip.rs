//! Recognises and decompresses gzip data, and describes their damage.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use flate2::bufread::GzDecoder;

use super::CHUNK;

/// Whether the first bytes of an input are those of gzip data, with a reader of the whole input.
pub(super) fn look<R: Read>(mut reader: R) -> io::Result<(bool, impl Read + use<R>)> {
    let mut magic = [0; 2];
    let mut have = 0;
    while have < magic.len() {
        match reader.read(&mut magic[have..]) {
            Ok(0) => break,
            Ok(count) => have += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let compressed = have == 2 && magic == [0x1f, 0x8b];
    Ok((compressed, Cursor::new(magic).take(have as u64).chain(reader)))
}

pub(super) fn decompress<R: Read>(reader: R) -> Members<R> {
    let source = BufReader::with_capacity(CHUNK, reader);
    Members { member: Some(GzDecoder::new(source)) }
}

/// Reads the members of gzip data one after the other. Zero bytes after a member, with which tapes and archives fill
/// their blocks, end the data, as they do for gzip itself.
pub(super) struct Members<R: Read> {
    /// The member that is being read; `None` at the end.
    member: Option<GzDecoder<BufReader<R>>>,
}

impl<R: Read> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let count = member.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            let source = self.member.take().map(GzDecoder::into_inner);
            self.member = source.map(next_member).transpose()?.flatten();
        }
        Ok(0)
    }
}

/// The member that follows; `None` at the end of the input or if only zero bytes follow.
fn next_member<R: Read>(mut source: BufReader<R>) -> io::Result<Option<GzDecoder<BufReader<R>>>> {
    let mut zeros = 0;
    loop {
        let ahead = match source.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            ahead => ahead?,
        };
        let count = ahead.iter().take_while(|&&byte| byte == 0).count();
        match (ahead.is_empty(), count == ahead.len()) {
            (true, _) => return Ok(None),
            (false, true) => {
                zeros += count;
                source.consume(count);
            }
            (false, false) if zeros + count == 0 => return Ok(Some(GzDecoder::new(source))),
            (false, false) => {
                let what = "zero bytes and then other bytes follow the end of the data";
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
        }
    }
}

/// Describes damage of compressed data, to stand between "the gzip data" and "up to line 7".
pub(super) fn describe(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        "end too early (the file is truncated, or has a few bytes more after its end); the text is good".to_owned()
    } else {
        // A wrong byte is noticed only at the checksum, at the end of the data.
        format!("are corrupt ({error}); the text seems good")
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn member(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    fn text(bytes: &[u8]) -> io::Result<String> {
        let mut text = String::new();
        decompress(bytes).read_to_string(&mut text).map(|_| text)
    }

    #[test]
    fn members_are_read_up_to_zero_bytes() {
        let two = [member("one\n"), member(""), member("two\n")].concat();
        assert_eq!(text(&two).unwrap(), "one\ntwo\n");
        for zeros in [1, 511, 3 * CHUNK] {
            let padded = [two.clone(), vec![0; zeros]].concat();
            assert_eq!(text(&padded).unwrap(), "one\ntwo\n", "{zeros}");
            let more = [padded, member("three\n")].concat();
            assert!(text(&more).unwrap_err().to_string().contains("zero bytes and then"));
        }
        assert!(text(&[two.clone(), b"rest of it".to_vec()].concat()).is_err());
        assert!(text(&two[..two.len() - 1]).is_err());
    }
}
