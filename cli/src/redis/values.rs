//! Decodes the replies to many `HMGET`: arrays of values, which stay in one buffer.
//!
//! The decoder of the `redis` crate makes an object of every value. A poll of 1,000 switches has millions of values a second,
//! for which that takes most of the time. Format: RESP (redis.io, "Redis serialization protocol specification"), version 2, which
//! a connection speaks unless it asks for another one.

use std::io::{BufRead, ErrorKind, Read};
use std::ops::Range;

use anyhow::{Context, bail};

/// The maximum length of a line: the number of an array or the length of a value, or the text of an error.
const MAX_LINE_BYTES: u64 = 4_096;

/// The values of several arrays, one after the other.
#[derive(Default)]
pub(crate) struct Values {
    bytes: Vec<u8>,
    /// Where each value is; `None` if there is none.
    places: Vec<Option<Range<usize>>>,
    /// The line that was read last.
    line: Vec<u8>,
}

impl Values {
    /// The values in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Option<&[u8]>> {
        self.places.iter().map(|place| self.bytes.get(place.clone()?))
    }

    /// Reads the reply to one `HMGET` of this number of fields.
    ///
    /// # Errors
    /// The connection ends, or the reply is an error or no array of as many values.
    pub(super) fn read(&mut self, source: &mut impl BufRead, fields: usize) -> anyhow::Result<()> {
        match line(source, &mut self.line)? {
            (b'*', count) => {
                let count = number(count)?;
                // Other values would be taken for those of the following fields.
                if count != fields as u64 {
                    bail!("unexpected reply: {count} values to a request of {fields} fields");
                }
                for _ in 0..fields {
                    self.read_value(source)?;
                }
                Ok(())
            }
            (b'-', error) => bail!("{}", String::from_utf8_lossy(error)),
            (kind, _) => {
                bail!("unexpected reply: expected an array, not one that begins with `{}`", shown(kind))
            }
        }
    }

    fn read_value(&mut self, source: &mut impl BufRead) -> anyhow::Result<()> {
        let length = match line(source, &mut self.line)? {
            (b'$', b"-1") => {
                self.places.push(None);
                return Ok(());
            }
            (b'$', length) => number(length)?,
            (kind, _) => {
                bail!("unexpected reply: expected a value, not one that begins with `{}`", shown(kind))
            }
        };
        let from = self.bytes.len();
        // No memory is taken for a length before the bytes are there.
        let read = source.by_ref().take(length).read_to_end(&mut self.bytes).context(LOST)?;
        let mut end = [0; 2];
        source.read_exact(&mut end).context(LOST)?;
        if read as u64 != length || end != *b"\r\n" {
            bail!("unexpected reply: a value does not end where its length says");
        }
        self.places.push(Some(from..self.bytes.len()));
        Ok(())
    }
}

const LOST: &str = "the connection is lost";

fn shown(kind: u8) -> std::ascii::EscapeDefault {
    std::ascii::escape_default(kind)
}

/// A line: its first byte, which is the kind of what follows, and the rest.
fn line<'l>(source: &mut impl BufRead, line: &'l mut Vec<u8>) -> anyhow::Result<(u8, &'l [u8])> {
    line.clear();
    source.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', line).context(LOST)?;
    match line.as_slice() {
        [kind, rest @ .., b'\r', b'\n'] => Ok((*kind, rest)),
        [] => Err(std::io::Error::from(ErrorKind::UnexpectedEof)).context(LOST),
        _ => bail!("unexpected reply: a line without an end"),
    }
}

fn number(text: &[u8]) -> anyhow::Result<u64> {
    let number = str::from_utf8(text).ok().and_then(|text| text.parse().ok());
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
