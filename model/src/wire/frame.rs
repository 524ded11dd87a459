//! A frame: header bytes and the length of an opaque payload.

use smallvec::SmallVec;

/// A frame: the bytes that matter, then `tail` payload bytes that are known to be zero and are therefore only
/// counted. Frame check sequence, preamble and gap are not part of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The bytes from the first of the Ethernet header on.
    pub head: SmallVec<[u8; 96]>,
    /// How many zero bytes follow.
    pub tail: u32,
}

impl Clone for Frame {
    /// Copies all bytes at once, which a derived clone would do one by one.
    fn clone(&self) -> Frame {
        Frame::new(&self.head, self.tail)
    }
}

impl Frame {
    /// A frame of `head` followed by `tail` zero bytes.
    pub fn new(head: &[u8], tail: u32) -> Frame {
        Frame { head: SmallVec::from_slice(head), tail }
    }

    /// Its length in bytes.
    pub fn len(&self) -> u64 {
        self.head.len() as u64 + u64::from(self.tail)
    }

    /// Whether it has no byte at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
