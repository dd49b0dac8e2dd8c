//! Recognises and decompresses gzip data, and describes their damage.

use std::io::{self, BufReader, Cursor, Read};

use flate2::bufread::MultiGzDecoder;

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

pub(super) fn decompress<R: Read>(reader: R) -> MultiGzDecoder<BufReader<R>> {
    MultiGzDecoder::new(BufReader::with_capacity(CHUNK, reader))
}

/// Describes damage of compressed data, to stand between "the gzip data" and "up to line 7".
pub(super) fn describe(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        "end too early (the file is truncated, or has a few bytes more behind its end); the text is good".to_owned()
    } else {
        // A wrong byte is noticed only at the checksum, at the end of the data.
        format!("are corrupt ({error}); the text seems good")
    }
}
