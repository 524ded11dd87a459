//! Server-sent events (WHATWG HTML, section 9.2.6): the format of the live stream.

use std::collections::VecDeque;

use anyhow::bail;

/// Maximum bytes of one event of the live stream.
const EVENT_BYTES: usize = 4 << 20;

/// A part of the live stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Received {
    /// An event.
    Event {
        /// Its kind; empty if it has none.
        name: String,
        /// Its payload.
        data: String,
    },
    /// A comment, which the server sends on an idle stream.
    Comment,
}

/// Splits a stream into events.
#[derive(Debug, Default)]
pub(crate) struct EventReader {
    /// The bytes of a line that has not ended.
    rest: Vec<u8>,
    name: String,
    data: String,
    ready: VecDeque<Received>,
}

impl EventReader {
    /// Takes the next bytes of the stream.
    ///
    /// # Errors
    /// An event exceeds 4 MiB.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.rest.extend_from_slice(bytes);
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            self.line(line.trim_end_matches(['\r', '\n']));
        }
        if self.rest.len() + self.data.len() > EVENT_BYTES {
            bail!("the server sends an event of more than {EVENT_BYTES} bytes");
        }
        Ok(())
    }

    /// Returns the next complete part.
    pub(crate) fn pop(&mut self) -> Option<Received> {
        self.ready.pop_front()
    }

    fn line(&mut self, line: &str) {
        if line.is_empty() {
            let (name, data) = (std::mem::take(&mut self.name), std::mem::take(&mut self.data));
            if !data.is_empty() {
                self.ready.push_back(Received::Event { name, data });
            }
            return;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "" => self.ready.push_back(Received::Comment),
            "event" => value.clone_into(&mut self.name),
            "data" => {
                if !self.data.is_empty() {
                    self.data.push('\n');
                }
                self.data.push_str(value);
            }
            // Ids and unknown fields.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_in_pieces_of_any_size() {
        let stream =
            ": alive\n\nevent: incident\r\nid: 4\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\ndata: x\n\nevent: lost";
        let event = |name: &str, data: &str| Received::Event { name: name.to_owned(), data: data.to_owned() };
        let expected = [Received::Comment, event("incident", "{\"a\":\n1}"), event("", "x")];
        for size in 1..stream.len() {
            let mut reader = EventReader::default();
            for piece in stream.as_bytes().chunks(size) {
                reader.push(piece).unwrap();
            }
            let seen: Vec<Received> = std::iter::from_fn(|| reader.pop()).collect();
            assert_eq!(seen, expected, "pieces of {size} bytes");
        }
    }

    #[test]
    fn an_event_without_an_end_is_an_error() {
        let mut reader = EventReader::default();
        let mut push = || reader.push(&[b'x'; 1 << 20]);
        assert!((0..4).all(|_| push().is_ok()));
        assert!(push().is_err());
    }
}
