//! Reads fields in network byte order from the front of a slice.

/// What is left of a slice. Every read returns `None` at its end, and nothing is read then.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'b> {
    rest: &'b [u8],
}

impl<'b> Cursor<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Cursor<'b> {
        Cursor { rest: bytes }
    }

    /// The number of bytes that are left.
    pub(super) fn len(&self) -> usize {
        self.rest.len()
    }

    /// The next `count` bytes.
    pub(super) fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_be_bytes)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    pub(super) fn ipv4(&mut self) -> Option<std::net::IpAddr> {
        self.array::<4>().map(std::net::IpAddr::from)
    }

    pub(super) fn ipv6(&mut self) -> Option<std::net::IpAddr> {
        self.array::<16>().map(std::net::IpAddr::from)
    }

    /// Opaque data of variable length: a length of 32 bits, the data, zeros up to a multiple of four bytes (XDR, RFC 4506
    /// section 4.10).
    pub(super) fn opaque(&mut self) -> Option<&'b [u8]> {
        let mut after = *self;
        let length = usize::try_from(after.u32()?).ok()?;
        let data = after.take(length)?;
        after.take(length.next_multiple_of(4) - length)?;
        *self = after;
        Some(data)
    }
}

/// An unsigned number of up to eight bytes; `None` for longer ones (IPFIX, RFC 7011 section 6.2: numbers may be sent with
/// fewer bytes than their type has).
pub(super) fn number(bytes: &[u8]) -> Option<u64> {
    (bytes.len() <= 8).then(|| bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte)))
}
