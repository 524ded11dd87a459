//! Netlink messages and attributes as bytes (RFC 3549, section 2.3; `linux/netlink.h`). Numbers have the byte order of
//! the host.

/// Length of the header of a message: length, type, flags, sequence number, port.
const HEADER_BYTES: usize = 16;
/// Flag of an attribute that holds attributes (`NLA_F_NESTED`).
const NESTED: u16 = 1 << 15;
/// The bits of an attribute's type that are no flags (`NLA_TYPE_MASK`).
const TYPE_MASK: u16 = (1 << 14) - 1;
/// The error number of an error message without one (`EIO`).
const IO_ERROR: i32 = 5;

/// What a datagram of the kernel holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Received {
    /// A message with this type and content.
    Message(u16, Vec<u8>),
    /// The end of a dump, or an acknowledgement.
    Done,
    /// The kernel rejects the request with this error number of the system, which is positive.
    Failed(i32),
}

/// Returns a message of this type with these flags and this content.
pub(crate) fn message(kind: u16, flags: u16, sequence: u32, content: &[u8]) -> Vec<u8> {
    let length = HEADER_BYTES + content.len();
    let mut bytes = Vec::with_capacity(length);
    bytes.extend(u32::try_from(length).unwrap_or(u32::MAX).to_ne_bytes());
    bytes.extend(kind.to_ne_bytes());
    bytes.extend(flags.to_ne_bytes());
    bytes.extend(sequence.to_ne_bytes());
    bytes.extend([0; 4]);
    bytes.extend(content);
    bytes
}

/// Returns the replies to the request with this sequence number in a datagram, up to the first one that is malformed.
pub(crate) fn received(mut bytes: &[u8], sequence: u32) -> Vec<Received> {
    /// Types of `linux/netlink.h` that all families share.
    const NOOP: u16 = 1;
    const ERROR: u16 = 2;
    const DONE: u16 = 3;
    let mut found = Vec::new();
    while let Some((kind, in_reply_to, content)) = next_message(&mut bytes) {
        if in_reply_to != sequence {
            continue;
        }
        let code = content.get(..4).and_then(u32).map(|code| code as i32);
        found.push(match (kind, code) {
            (NOOP, _) => continue,
            (ERROR, Some(0)) | (DONE, None | Some(0..)) => Received::Done,
            (ERROR | DONE, code) => Received::Failed(code.map_or(IO_ERROR, i32::wrapping_neg)),
            (kind, _) => Received::Message(kind, content.to_vec()),
        });
    }
    found
}

/// Takes the first message: type, sequence number and content. `None` at the end and at a malformed message.
fn next_message<'b>(bytes: &mut &'b [u8]) -> Option<(u16, u32, &'b [u8])> {
    let length = u32(bytes.get(..4)?)? as usize;
    let message = bytes.get(..length).filter(|message| message.len() >= HEADER_BYTES)?;
    *bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
    Some((u16(&message[4..6])?, u32(&message[8..12])?, &message[HEADER_BYTES..]))
}

/// Returns an attribute with padding.
pub(crate) fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
    let length = 4 + value.len();
    let mut bytes = Vec::with_capacity(length.next_multiple_of(4));
    bytes.extend(u16::try_from(length).unwrap_or(u16::MAX).to_ne_bytes());
    bytes.extend(kind.to_ne_bytes());
    bytes.extend(value);
    bytes.resize(length.next_multiple_of(4), 0);
    bytes
}

/// Returns an attribute that holds attributes.
pub(crate) fn nested(kind: u16, content: &[u8]) -> Vec<u8> {
    attribute(kind | NESTED, content)
}

/// Returns the attributes in `bytes` up to the first one that is malformed: type without flags, and value.
pub(crate) fn attributes(mut bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let length = usize::from(u16(bytes.get(..2)?)?);
        let kind = u16(bytes.get(2..4)?)?;
        let value = bytes.get(4..length)?;
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some((kind & TYPE_MASK, value))
    })
}

/// Reads a number; `None` if the value has another length.
pub(crate) fn u16(value: &[u8]) -> Option<u16> {
    value.try_into().ok().map(u16::from_ne_bytes)
}

/// As [`u16()`].
pub(crate) fn u32(value: &[u8]) -> Option<u32> {
    value.try_into().ok().map(u32::from_ne_bytes)
}

/// As [`u16()`].
pub(crate) fn u64(value: &[u8]) -> Option<u64> {
    value.try_into().ok().map(u64::from_ne_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn replies_to_other_requests_are_ignored() {
        let mut bytes = message(20, 0, 7, b"abcd");
        bytes.extend(message(20, 0, 8, b"efgh"));
        bytes.extend(message(3, 0, 7, &[0; 4]));
        assert_eq!(received(&bytes, 7), [Received::Message(20, b"abcd".to_vec()), Received::Done]);
    }

    #[test]
    fn an_error_has_the_number_of_the_system() {
        let bytes = message(2, 0, 1, &(-95i32).to_ne_bytes());
        assert_eq!(received(&bytes, 1), [Received::Failed(95)]);
        assert_eq!(received(&message(2, 0, 1, &[0; 4]), 1), [Received::Done]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            received(&bytes, 0);
            prop_assert!(attributes(&bytes).count() <= 50);
        }

        #[test]
        fn attributes_are_read_as_written(
            values in prop::collection::vec((0u16..1000, prop::collection::vec(any::<u8>(), 0..40)), 0..8)
        ) {
            let bytes: Vec<u8> = values.iter().flat_map(|(kind, value)| attribute(*kind, value)).collect();
            let found: Vec<(u16, Vec<u8>)> = attributes(&bytes).map(|(kind, value)| (kind, value.to_vec())).collect();
            prop_assert_eq!(found, values);
        }
    }
}
