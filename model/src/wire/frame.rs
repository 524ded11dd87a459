//! A frame: header bytes and the length of an opaque payload.

use smallvec::SmallVec;

/// A frame: its leading bytes, then `tail` payload bytes that are zero and therefore only counted. It does not include
/// the frame check sequence, the preamble and the inter-frame gap.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The bytes from the first of the Ethernet header on.
    pub head: SmallVec<[u8; 96]>,
    /// Number of zero bytes that follow.
    pub tail: u32,
}

impl Clone for Frame {
    /// Copies all bytes at once, which a derived clone would do one by one.
    fn clone(&self) -> Frame {
        Frame::new(&self.head, self.tail)
    }
}

impl Frame {
    /// Creates a frame of `head` followed by `tail` zero bytes.
    pub fn new(head: &[u8], tail: u32) -> Frame {
        Frame { head: SmallVec::from_slice(head), tail }
    }

    /// Returns its length in bytes.
    pub fn len(&self) -> u64 {
        self.head.len() as u64 + u64::from(self.tail)
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
