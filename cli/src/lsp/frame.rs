//! Frames of the Language Server Protocol: header lines, an empty line, and a JSON text of the announced length.
//!
//! The library `lsp-server` reserves whatever length a header announces; here, both parts have limits.

use std::io::{self, BufRead, Read, Write};

/// The longest header. Clients send one or two lines of about 30 bytes.
const MAX_HEADER_BYTES: u64 = 4096;
/// The largest message that is read; a longer one is skipped.
pub(super) const MAX_BODY_BYTES: u64 = 64 << 20;

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// The text of a message.
    Message(Vec<u8>),
    /// A message of this length, which was skipped.
    TooLarge(u64),
    /// The client closed the connection.
    End,
}

/// Reads a frame.
///
/// # Errors
/// The header is malformed, or the connection ends inside a frame: the start of the next message is then unknown.
pub(super) fn read(input: &mut impl BufRead) -> io::Result<Frame> {
    let Some(length) = header(input)? else { return Ok(Frame::End) };
    if length > MAX_BODY_BYTES {
        let skipped = io::copy(&mut input.take(length), &mut io::sink())?;
        return if skipped == length { Ok(Frame::TooLarge(length)) } else { Err(ended()) };
    }
    let mut body = Vec::new();
    input.take(length).read_to_end(&mut body)?;
    if (body.len() as u64) < length { Err(ended()) } else { Ok(Frame::Message(body)) }
}

/// The length in a header; `None` at the end of the input.
fn header(input: &mut impl BufRead) -> io::Result<Option<u64>> {
    let mut length = None;
    let mut left = MAX_HEADER_BYTES;
    let mut is_first = true;
    loop {
        let mut line = Vec::new();
        input.by_ref().take(left).read_until(b'\n', &mut line)?;
        left -= line.len() as u64;
        if line.is_empty() && is_first && left > 0 {
            return Ok(None);
        }
        let Some(text) = line.strip_suffix(b"\n") else {
            return Err(if left == 0 { malformed("a header is longer than 4096 bytes") } else { ended() });
        };
        is_first = false;
        let text = String::from_utf8_lossy(text.strip_suffix(b"\r").unwrap_or(text)).into_owned();
        if text.is_empty() {
            return match length {
                Some(length) => Ok(Some(length)),
                None => Err(malformed("a header has no Content-Length")),
            };
        }
        let Some((name, value)) = text.split_once(':') else {
            return Err(malformed(&format!("`{}` is no header", shown(&text))));
        };
        if name.trim().eq_ignore_ascii_case("Content-Length") {
            let value = value.trim();
            let number = value.parse().map_err(|_| malformed(&format!("`{}` is no length", shown(value))))?;
            length = Some(number);
        }
    }
}

fn shown(text: &str) -> String {
    text.chars().take(40).flat_map(char::escape_debug).collect()
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("malformed message: {what}"))
}

fn ended() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the connection ended inside a message")
}

/// Writes a frame.
///
/// # Errors
/// The client has closed the connection.
pub(super) fn write(output: &mut impl Write, body: &[u8]) -> io::Result<()> {
    write!(output, "Content-Length: {}\r\n\r\n", body.len())?;
    output.write_all(body)?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: Result<Frame, &str>) {
        let read = read(&mut io::Cursor::new(bytes)).map_err(|error| error.to_string());
        match (read, expected) {
            (Ok(frame), Ok(expected)) => assert_eq!(frame, expected),
            (Err(error), Err(part)) => assert!(error.contains(part), "{error}"),
            (read, expected) => panic!("{read:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn frames_are_read_and_malformed_ones_refused() {
        check(b"", Ok(Frame::End));
        check(b"Content-Length: 2\r\n\r\n{}", Ok(Frame::Message(b"{}".to_vec())));
        check(b"Content-Type: x\r\ncontent-length: 2\r\n\r\n{}", Ok(Frame::Message(b"{}".to_vec())));
        check(b"Content-Length: 2\n\n{}", Ok(Frame::Message(b"{}".to_vec())));
        check(b"Content-Length: 3\r\n\r\n{}", Err("ended inside"));
        check(b"Content-Length: 3\r\n", Err("ended inside"));
        check(b"Content-Length: -1\r\n\r\n", Err("`-1` is no length"));
        check(b"Content-Length: 99999999999999999999\r\n\r\n", Err("is no length"));
        check(b"X: 1\r\n\r\n", Err("no Content-Length"));
        check(b"{\"jsonrpc\": \"2.0\"\n", Err("ended inside"));
        check(b"GET / HTTP/1.1\r\n\r\n", Err("is no header"));
        check(&[b'a'; 5000], Err("longer than 4096 bytes"));
    }

    #[test]
    fn a_message_above_the_limit_is_skipped() {
        let length = MAX_BODY_BYTES + 1;
        let body = io::repeat(b' ').take(length);
        let text = format!("Content-Length: {length}\r\n\r\n");
        let rest = b"Content-Length: 2\r\n\r\n{}".as_slice();
        let mut input = io::BufReader::new(text.as_bytes().chain(body).chain(rest));
        assert_eq!(read(&mut input).expect("a frame"), Frame::TooLarge(length));
        assert_eq!(read(&mut input).expect("a frame"), Frame::Message(b"{}".to_vec()));
    }
}
