//! [`Ahead`]: reads in a thread of its own, so that decompressing takes no time from parsing.

use std::io::{self, ErrorKind, Read};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use super::CHUNK;

/// Pieces that are read before they are asked for.
const PIECES_AHEAD: usize = 4;

/// The bytes of another reader, which a thread reads some pieces ahead. The thread ends with the input, with
/// its first error, and at its next piece after this reader was dropped.
pub(super) struct Ahead {
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: Vec<u8>,
    /// Number of bytes of the piece that were returned.
    at: usize,
}

impl Ahead {
    /// Begins to read.
    ///
    /// # Errors
    /// Returns an error if the system refuses the thread.
    pub fn of(mut reader: impl Read + Send + 'static) -> io::Result<Ahead> {
        let (sender, pieces) = sync_channel(PIECES_AHEAD);
        thread::Builder::new().name("decompress".to_owned()).spawn(move || {
            loop {
                let (piece, error) = next_piece(&mut reader);
                let is_last = piece.is_empty() || error.is_some();
                let sent = if piece.is_empty() { Ok(()) } else { sender.send(Ok(piece)) };
                let sent =
                    sent.and_then(|()| error.map_or(Ok(()), |error| sender.send(Err(error))));
                if is_last || sent.is_err() {
                    return;
                }
            }
        })?;
        Ok(Ahead { pieces, piece: Vec::new(), at: 0 })
    }
}

/// Fills a piece, unless the input ends or fails before.
fn next_piece(reader: &mut impl Read) -> (Vec<u8>, Option<io::Error>) {
    let mut piece = vec![0; CHUNK];
    let mut length = 0;
    while length < piece.len() {
        match reader.read(&mut piece[length..]) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => {
                piece.truncate(length);
                return (piece, Some(error));
            }
        }
    }
    piece.truncate(length);
    (piece, None)
}

impl Read for Ahead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.piece.len() {
            // The thread is gone at the end of the input.
            let Ok(next) = self.pieces.recv() else {
                return Ok(0);
            };
            self.piece = next?;
            self.at = 0;
        }
        let count = buffer.len().min(self.piece.len() - self.at);
        buffer[..count].copy_from_slice(&self.piece[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Yields some bytes, then an error.
    struct Breaks(usize);

    impl Read for Breaks {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0.min(buffer.len()).min(1000);
            self.0 -= count;
            buffer[..count].fill(7);
            if count == 0 { Err(io::Error::other("broken")) } else { Ok(count) }
        }
    }

    #[test]
    fn all_bytes_arrive_in_order() {
        let bytes: Vec<u8> = (0..5 * CHUNK + 17).map(|at| (at % 251) as u8).collect();
        let mut read = Vec::new();
        Ahead::of(io::Cursor::new(bytes.clone())).unwrap().read_to_end(&mut read).unwrap();
        assert!(read == bytes);
    }

    #[test]
    fn bytes_before_an_error_arrive() {
        let mut read = Vec::new();
        let mut ahead = Ahead::of(Breaks(2 * CHUNK + 5)).unwrap();
        let error = ahead.read_to_end(&mut read).unwrap_err();
        assert_eq!((read.len(), error.to_string().as_str()), (2 * CHUNK + 5, "broken"));
    }
}
