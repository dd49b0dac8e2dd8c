//! [`Text`]: a buffer of bytes that were read and not yet returned as lines.

use std::ops::Range;

/// A buffer. The bytes from `start` to `end` are text, the others are free.
#[derive(Debug, Default)]
pub(super) struct Text {
    pub bytes: Vec<u8>,
    pub start: usize,
    pub end: usize,
}

impl Text {
    pub(super) fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    pub(super) fn get(&self) -> &[u8] {
        &self.bytes[self.range()]
    }

    pub(super) fn len(&self) -> usize {
        self.end - self.start
    }

    /// Makes room for `count` more bytes after the text.
    pub(super) fn make_room(&mut self, count: usize) {
        if self.start > 0 && self.bytes.len() - self.end < count {
            self.bytes.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.bytes.len() - self.end < count {
            // The vector reserves more than needed when it grows, but memory that is never written costs nothing.
            self.bytes.resize(self.end + count, 0);
        }
    }

    /// Adds the bytes of a piece from `at` on; the bytes before `at` are free. Returns memory that is free for reuse.
    pub(super) fn append(&mut self, mut piece: Vec<u8>, at: usize) -> Vec<u8> {
        if self.len() <= at {
            let start = at - self.len();
            piece[start..at].copy_from_slice(self.get());
            (self.start, self.end) = (start, piece.len());
            return std::mem::replace(&mut self.bytes, piece);
        }
        let added = piece.len() - at;
        self.make_room(added);
        self.bytes[self.end..self.end + added].copy_from_slice(&piece[at..]);
        self.end += added;
        piece
    }

    /// Splits the text before the byte `at` of the buffer. Returns the front; `self` keeps the rest, in the memory
    /// given.
    pub(super) fn split_off_front(&mut self, at: usize, memory: Vec<u8>) -> Text {
        let mut rest = Text { bytes: memory, start: 0, end: self.end - at };
        if rest.bytes.len() < rest.end {
            rest.bytes.resize(rest.end, 0);
        }
        rest.bytes[..rest.end].copy_from_slice(&self.bytes[at..self.end]);
        let mut front = std::mem::replace(self, rest);
        front.end = at;
        front
    }
}
