//! The part of a file that is in memory while it is read from start to end.

use std::io::{ErrorKind, Read};

/// Bytes that are read at once. Small enough for hundreds of captures to be open.
const CHUNK: usize = 64 << 10;

/// A buffer that moves through a file.
pub(super) struct Window<R> {
    source: R,
    buffer: Vec<u8>,
    /// The bytes of the buffer that were read and not consumed.
    from: usize,
    to: usize,
    /// Position of the first of them in the file.
    at: u64,
}

impl<R> Window<R> {
    /// Maximum number of bytes in memory, and therefore length of a record: 64 times the longest that tcpdump
    /// captures.
    pub(super) const LIMIT: usize = 16 << 20;

    pub(super) fn new(source: R) -> Window<R> {
        Window { source, buffer: vec![0; CHUNK], from: 0, to: 0, at: 0 }
    }

    /// Returns the bytes that were read and not consumed.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer[self.from..self.to]
    }

    /// Returns the position of the first byte in the file.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// Whether the limit is reached.
    pub(super) fn is_full(&self) -> bool {
        self.to - self.from >= Window::<R>::LIMIT
    }

    /// Consumes and returns the first `count` bytes, or all if there are fewer.
    pub(super) fn consume(&mut self, count: usize) -> &[u8] {
        let start = self.from;
        self.from = self.to.min(start + count);
        self.at += (self.from - start) as u64;
        &self.buffer[start..self.from]
    }
}

impl<R: Read> Window<R> {
    /// Reads more bytes; returns false at the end of the file and at the limit.
    pub(super) fn more(&mut self) -> std::io::Result<bool> {
        if self.is_full() {
            return Ok(false);
        }
        self.buffer.copy_within(self.from..self.to, 0);
        (self.from, self.to) = (0, self.to - self.from);
        if self.to == self.buffer.len() {
            self.buffer.resize(2 * self.to, 0);
        }
        loop {
            match self.source.read(&mut self.buffer[self.to..]) {
                Ok(count) => {
                    self.to += count;
                    return Ok(count > 0);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
