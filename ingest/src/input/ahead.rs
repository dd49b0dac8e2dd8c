//! [`Ahead`]: reads in a separate thread, so that decompression and parsing run in parallel.

use std::io::{self, ErrorKind, Read};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::thread;

use super::CHUNK;

/// Number of pieces that are read before they are requested.
const PIECES_AHEAD: usize = 4;

/// Number of bytes at the beginning of a piece that are left free, for the end of the piece before it.
pub(super) const FREE_IN_FRONT: usize = CHUNK / 64;

/// The bytes of another reader, which a thread reads some pieces ahead. The thread ends with the input, with
/// its first error, and at its next piece after this reader was dropped.
pub(super) struct Ahead {
    pieces: Receiver<io::Result<Vec<u8>>>,
    used: Sender<Vec<u8>>,
}

impl Ahead {
    /// Starts the thread, which begins to read.
    ///
    /// # Errors
    /// Returns an error if the system refuses the thread.
    pub(super) fn of(mut reader: impl Read + Send + 'static) -> io::Result<Ahead> {
        let (sender, pieces) = sync_channel(PIECES_AHEAD);
        let (used, free) = channel();
        thread::Builder::new().name("decompress".to_owned()).spawn(move || {
            loop {
                let (piece, error) = next_piece(&mut reader, free.try_recv().unwrap_or_default());
                let is_empty = piece.len() == FREE_IN_FRONT;
                let is_last = is_empty || error.is_some();
                let sent = if is_empty { Ok(()) } else { sender.send(Ok(piece)) };
                let sent =
                    sent.and_then(|()| error.map_or(Ok(()), |error| sender.send(Err(error))));
                if is_last || sent.is_err() {
                    return;
                }
            }
        })?;
        Ok(Ahead { pieces, used })
    }

    /// The next piece; its first [`FREE_IN_FRONT`] bytes are undefined. `None` at the end of the input.
    pub(super) fn next(&mut self) -> Option<io::Result<Vec<u8>>> {
        // The thread has exited at the end of the input.
        self.pieces.recv().ok()
    }

    /// Gives back the memory of a piece, so that the thread need not ask the system for more.
    pub(super) fn reuse(&self, piece: Vec<u8>) {
        if piece.capacity() > CHUNK {
            // If the thread has exited, the memory is dropped.
            let _ = self.used.send(piece);
        }
    }
}

/// Fills a piece, unless the input ends or fails before. `memory` is that of a used piece, or new.
fn next_piece(reader: &mut impl Read, memory: Vec<u8>) -> (Vec<u8>, Option<io::Error>) {
    let mut piece = memory;
    piece.resize(FREE_IN_FRONT + CHUNK, 0);
    let mut length = FREE_IN_FRONT;
    let mut failure = None;
    while length < piece.len() {
        match reader.read(&mut piece[length..]) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => {
                failure = Some(error);
                break;
            }
        }
    }
    piece.truncate(length);
    (piece, failure)
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

    /// Reads everything, with memory that is reused, up to the end or an error.
    fn read_all(mut ahead: Ahead) -> (Vec<u8>, Option<io::Error>) {
        let mut read = Vec::new();
        while let Some(piece) = ahead.next() {
            match piece {
                Ok(piece) => {
                    read.extend_from_slice(&piece[FREE_IN_FRONT..]);
                    ahead.reuse(piece);
                }
                Err(error) => return (read, Some(error)),
            }
        }
        (read, None)
    }

    #[test]
    fn all_bytes_arrive_in_order() {
        let bytes: Vec<u8> = (0..25 * CHUNK + 17).map(|at| (at % 251) as u8).collect();
        let (read, error) = read_all(Ahead::of(io::Cursor::new(bytes.clone())).unwrap());
        assert!(read == bytes && error.is_none());
    }

    #[test]
    fn bytes_before_an_error_arrive() {
        let (read, error) = read_all(Ahead::of(Breaks(2 * CHUNK + 5)).unwrap());
        let error = error.map(|error| error.to_string());
        assert_eq!((read.len(), error.as_deref()), (2 * CHUNK + 5, Some("broken")));
    }
}
