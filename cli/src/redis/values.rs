//! Decodes the replies to many `HMGET`: arrays of values, which stay in the buffer into which they were received.
//!
//! The decoder of the `redis` crate makes an object of every value. A poll of 1,000 switches has millions of values a second,
//! for which that takes most of the time, and so does a copy of each. Format: RESP (redis.io, "Redis serialization protocol
//! specification"), version 2, which a connection speaks unless it asks for another one.

use std::io::{ErrorKind, Read};
use std::ops::Range;

use anyhow::{Context, bail};

/// The maximum length of a line: the number of an array or the length of a value, or the text of an error.
const MAX_LINE_BYTES: usize = 4_096;
/// The room that is made for what is received; the counters of a switch with 64 ports take some ten kilobytes.
const ROOM_BYTES: usize = 32 << 10;

/// The values of several arrays, one after the other.
#[derive(Default)]
pub(crate) struct Values {
    /// All replies, and room for more.
    bytes: Vec<u8>,
    /// How many of the bytes were received.
    received: usize,
    /// How many of those are decoded.
    decoded: usize,
    /// Where each value is among the bytes that were received; `None` if there is none.
    places: Vec<Option<Place>>,
}

/// The place of a value. Smaller than a range, because there are thousands in every poll.
#[derive(Clone, Copy)]
struct Place {
    from: u32,
    to: u32,
}

impl Values {
    /// No values yet, with room for this number.
    pub(super) fn with_room_for(fields: usize) -> Values {
        Values { places: Vec::with_capacity(fields), ..Values::default() }
    }

    /// The values in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Option<&[u8]>> {
        self.places.iter().map(|place| {
            let Place { from, to } = (*place)?;
            self.bytes.get(from as usize..to as usize)
        })
    }

    /// Whether more was received than the replies that were read.
    pub(super) fn has_more(&self) -> bool {
        self.decoded < self.received
    }

    /// Reads the reply to one `HMGET` of this number of fields.
    ///
    /// # Errors
    /// The connection ends, or the reply is an error or no array of as many values.
    pub(super) fn read(&mut self, source: &mut impl Read, fields: usize) -> anyhow::Result<()> {
        let (kind, rest) = self.line(source)?;
        let rest = self.bytes.get(rest).unwrap_or_default();
        match kind {
            b'*' => {
                let count = number(rest)?;
                // Other values would be taken for those of the following fields.
                if count != fields {
                    bail!("unexpected reply: {count} values to a request of {fields} fields");
                }
                (0..fields).try_for_each(|_| self.read_value(source))
            }
            b'-' => bail!("{}", String::from_utf8_lossy(rest)),
            _ => bail!("unexpected reply: expected an array, not one that begins with `{}`", shown(kind)),
        }
    }

    fn read_value(&mut self, source: &mut impl Read) -> anyhow::Result<()> {
        let (kind, rest) = self.line(source)?;
        let rest = self.bytes.get(rest).unwrap_or_default();
        if (kind, rest) == (b'$', b"-1") {
            self.places.push(None);
            return Ok(());
        }
        if kind != b'$' {
            bail!("unexpected reply: expected a value, not one that begins with `{}`", shown(kind));
        }
        let length = number(rest)?;
        let from = self.decoded;
        let to = from.saturating_add(length);
        let end = to.saturating_add(END.len());
        // No memory is taken for a length before the bytes are there.
        while self.received < end {
            self.receive(source)?;
        }
        if self.bytes.get(to..end) != Some(END) {
            bail!("unexpected reply: a value does not end where its length says");
        }
        self.decoded = end;
        self.places.push(Some(Place { from: u32::try_from(from)?, to: u32::try_from(to)? }));
        Ok(())
    }

    /// Reads a line: its first byte, which is the kind of what follows, and where the rest is.
    fn line(&mut self, source: &mut impl Read) -> anyhow::Result<(u8, Range<usize>)> {
        let from = self.decoded;
        let mut searched = from;
        let end = loop {
            let new = self.bytes.get(searched..self.received).unwrap_or_default();
            if let Some(position) = new.iter().position(|byte| *byte == b'\n') {
                break searched + position;
            }
            searched = self.received;
            if searched - from >= MAX_LINE_BYTES {
                bail!("unexpected reply: a line without an end");
            }
            self.receive(source)?;
        };
        self.decoded = end + 1;
        match self.bytes.get(from..end) {
            Some([kind, rest @ .., b'\r']) if rest.len() < MAX_LINE_BYTES => Ok((*kind, from + 1..end - 1)),
            _ => bail!("unexpected reply: a line without an end"),
        }
    }

    /// Receives more bytes.
    fn receive(&mut self, source: &mut impl Read) -> anyhow::Result<()> {
        if self.received == self.bytes.len() {
            self.bytes.resize(self.received + ROOM_BYTES, 0);
        }
        loop {
            match source.read(&mut self.bytes[self.received..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(0) => return Err(std::io::Error::from(ErrorKind::UnexpectedEof)).context(LOST),
                result => {
                    self.received += result.context(LOST)?;
                    return Ok(());
                }
            }
        }
    }
}

const LOST: &str = "the connection is lost";
/// What follows a value.
const END: &[u8] = b"\r\n";

fn shown(kind: u8) -> std::ascii::EscapeDefault {
    std::ascii::escape_default(kind)
}

/// A number of digits, of which there is at least one.
fn number(text: &[u8]) -> anyhow::Result<usize> {
    let add = |sum: Option<usize>, digit: &u8| {
        let digit = digit.is_ascii_digit().then(|| usize::from(digit - b'0'))?;
        sum?.checked_mul(10)?.checked_add(digit)
    };
    let number = text.iter().fold(Some(0), add).filter(|_| !text.is_empty());
    number.with_context(|| format!("unexpected reply: `{}` is no length", text.escape_ascii()))
}
#[cfg(test)]
mod tests {
    use redis::FromRedisValue as _;

    use super::*;

    /// The values of the reply to a request of `fields`, here and by the decoder of the `redis` crate.
    fn check(fields: usize, reply: &[u8]) {
        let mut values = Values::default();
        let own = values
            .read(&mut &reply[..], fields)
            .map(|()| values.iter().map(|value| value.map(<[u8]>::to_vec)).collect::<Vec<Option<Vec<u8>>>>());
        let theirs = redis::parse_redis_value(reply)
            .and_then(redis::Value::extract_error)
            .and_then(|value| Ok(Vec::<Option<Vec<u8>>>::from_redis_value(value)?));
        match (own, theirs) {
            (Ok(own), Ok(theirs)) => assert_eq!(own, theirs),
            (Err(_), Err(_)) => {}
            (own, theirs) => panic!("{:?}: {own:?} and {theirs:?}", String::from_utf8_lossy(reply)),
        }
    }

    #[test]
    fn replies_are_decoded_as_by_the_redis_crate() {
        check(0, b"*0\r\n");
        check(3, b"*3\r\n$2\r\n17\r\n$-1\r\n$0\r\n\r\n");
        check(1, b"*1\r\n$4\r\na\r\nb\r\n");
        check(1, b"-WRONGTYPE Operation against a key holding the wrong kind of value\r\n");
        check(1, b"*1\r\n$9\r\n17\r\n");
        check(2, b"*2\r\n$2\r\n17\r\n");
        check(1, b"*x\r\n");
        check(1, b"$2\r\n17");
        check(1, b"");
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let reply = [b"*".as_slice(), &[b'1'; 8_192]].concat();
        let error = Values::default().read(&mut reply.as_slice(), 1).expect_err("an error");
        assert!(error.to_string().contains("without an end"), "{error}");
    }

    #[test]
    fn what_was_not_requested_is_refused() {
        for reply in ["*1\r\n$1\r\n1\r\n", "*3\r\n$1\r\n1\r\n$1\r\n2\r\n$1\r\n3\r\n", "*4000000000\r\n"] {
            let mut values = Values::default();
            let error = values.read(&mut reply.as_bytes(), 2).expect_err("an error");
            assert!(error.to_string().contains("values to a request of 2 fields"), "{error}");
            assert_eq!(values.iter().count(), 0, "no value of {reply:?} is kept");
        }
    }
}
