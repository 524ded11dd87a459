//! Redis' protocol (RESP2) as far as reading CONFIG_DB needs it, without the socket: bytes in, answers out.
//!
//! Source: the protocol specification of Redis ("RESP protocol spec", version 2). What an answer may hold is limited, so
//! that whatever listens on the port cannot take all memory.

use serde_json::{Map, Value};

/// The largest answer taken, bytes.
pub const MAX_BYTES: usize = 64 << 20;
/// The longest line taken, bytes: a status, an error, a length.
pub const MAX_LINE: usize = 64 << 10;
/// The most keys taken.
pub const MAX_KEYS: usize = 1_000_000;
/// The deepest nesting of arrays taken.
pub const MAX_DEPTH: usize = 8;

/// An answer of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A status, a number or a string. Bytes that are no UTF-8 are replaced.
    Text(String),
    /// An array.
    Array(Vec<Reply>),
    /// No value.
    Nothing,
    /// The server refuses: its words.
    Refused(String),
}

/// Why the bytes are no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// An answer begins with none of the protocol's signs.
    #[error("not a Redis server: it answers {0:?}")]
    NotRedis(String),
    /// A length that is no number.
    #[error("an answer's length is {0:?}; expected a number")]
    Length(String),
    /// A string without the line end that belongs behind it.
    #[error("a string of {0} bytes does not end where its length says")]
    NoEnd(usize),
    /// An answer that is larger than [`MAX_BYTES`].
    #[error("an answer of more than {MAX_BYTES} bytes")]
    TooLarge,
    /// A line that is longer than [`MAX_LINE`].
    #[error("a line of more than {MAX_LINE} bytes")]
    TooLong,
    /// An array with more parts than [`MAX_KEYS`] keys have, or nested deeper than [`MAX_DEPTH`].
    #[error("an answer of {0} parts; at most {most} are taken, {MAX_DEPTH} levels deep", most = 2 * MAX_KEYS)]
    TooMany(usize),
}

/// A command as the server takes it.
pub fn request(words: &[&str]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", words.len()).into_bytes();
    for word in words {
        bytes.extend_from_slice(format!("${}\r\n{word}\r\n", word.len()).as_bytes());
    }
    bytes
}

/// Takes bytes as they come and makes answers of them.
#[derive(Debug, Default)]
pub struct Decoder {
    /// Bytes of which no answer was made yet.
    pending: Vec<u8>,
    /// Arrays that are not complete: how many parts are to come, and those that are there.
    open: Vec<(usize, Vec<Reply>)>,
    /// Bytes and parts of the answer so far.
    bytes: usize,
    parts: usize,
}

impl Decoder {
    /// Takes the next bytes. Returns the first answer that is complete; what came behind it waits for the next call.
    ///
    /// # Errors
    /// When the bytes are no answer; nothing more can be read then.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Option<Reply>, Broken> {
        self.pending.extend_from_slice(bytes);
        let mut at = 0;
        let mut answer = None;
        while answer.is_none()
            && let Some((value, length)) = self.value(at)?
        {
            at += length;
            self.bytes = self.bytes.saturating_add(length);
            if self.bytes > MAX_BYTES {
                return Err(Broken::TooLarge);
            }
            answer = value.and_then(|value| self.complete(value));
        }
        self.pending.drain(..at);
        if answer.is_some() {
            (self.bytes, self.parts) = (0, 0);
        }
        Ok(answer)
    }

    /// Whether an answer has begun that is not complete.
    pub fn is_in_the_middle(&self) -> bool {
        !self.pending.is_empty() || !self.open.is_empty()
    }

    /// The value at a place, or `None` with it when an array was opened there; how many bytes it has. `None`: more bytes
    /// are needed.
    fn value(&mut self, at: usize) -> Result<Option<(Option<Reply>, usize)>, Broken> {
        let rest = self.pending.get(at..).unwrap_or_default();
        let Some(end) = rest.iter().take(MAX_LINE).position(|b| *b == b'\n') else {
            return if rest.len() >= MAX_LINE { Err(Broken::TooLong) } else { Ok(None) };
        };
        let line = rest.get(..end).unwrap_or_default();
        let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line)).into_owned();
        let used = end + 1;
        let Some(kind) = line.chars().next() else { return Err(Broken::NotRedis(line)) };
        let word = line.get(kind.len_utf8()..).unwrap_or_default();
        let length = || word.parse::<usize>().map_err(|_| Broken::Length(word.to_string()));
        let value = match kind {
            '+' | ':' => Reply::Text(word.to_string()),
            '-' => Reply::Refused(word.to_string()),
            '$' | '*' if word == "-1" => Reply::Nothing,
            '$' => {
                let length = length()?;
                if length > MAX_BYTES {
                    return Err(Broken::TooLarge);
                }
                let Some(text) = rest.get(used..used + length + 2) else { return Ok(None) };
                let text = text.strip_suffix(b"\r\n").ok_or(Broken::NoEnd(length))?;
                return Ok(Some((
                    Some(Reply::Text(String::from_utf8_lossy(text).into_owned())),
                    used + length + 2,
                )));
            }
            '*' => match length()? {
                0 => Reply::Array(Vec::new()),
                count => {
                    self.parts = self.parts.saturating_add(count);
                    if self.parts > 2 * MAX_KEYS || self.open.len() == MAX_DEPTH {
                        return Err(Broken::TooMany(count));
                    }
                    self.open.push((count, Vec::new()));
                    return Ok(Some((None, used)));
                }
            },
            _ => return Err(Broken::NotRedis(line)),
        };
        Ok(Some((Some(value), used)))
    }

    /// Puts a value into the array that it belongs to. Returns the answer when that was the last of it.
    fn complete(&mut self, mut value: Reply) -> Option<Reply> {
        loop {
            let Some((missing, items)) = self.open.last_mut() else { return Some(value) };
            items.push(value);
            *missing -= 1;
            if *missing > 0 {
                return None;
            }
            value = Reply::Array(self.open.pop().map(|(_, items)| items).unwrap_or_default());
        }
    }
}

/// An answer to `SCAN`: where to go on, `0` at the end, and the keys.
pub fn page(reply: Reply) -> Option<(String, Vec<String>)> {
    let Reply::Array(parts) = reply else { return None };
    let mut parts = parts.into_iter();
    let (Some(Reply::Text(next)), Some(Reply::Array(names))) = (parts.next(), parts.next()) else {
        return None;
    };
    let text = |reply| match reply {
        Reply::Text(name) => Some(name),
        _ => None,
    };
    Some((next, names.into_iter().filter_map(text).collect()))
}

/// Hashes as a flat dump in JSON, in the order that people expect.
#[derive(Debug, Default)]
pub struct Dump(Vec<(String, Value)>);

impl Dump {
    /// Adds the answer to `HGETALL`. A key may have vanished, be of another type, or name no table: SONiC keeps a few
    /// strings beside the hashes.
    pub fn add(&mut self, key: String, reply: Reply) {
        let Reply::Array(items) = reply else { return };
        let mut fields = Map::new();
        for pair in items.chunks_exact(2) {
            if let [Reply::Text(name), Reply::Text(value)] = pair {
                fields.insert(name.clone(), Value::String(value.clone()));
            }
        }
        if key.contains('|') && !items.is_empty() {
            self.0.push((key, fields.into()));
        }
    }

    /// The text.
    pub fn into_json(mut self) -> String {
        self.0.sort_by_cached_key(|(key, _)| natural(key));
        // A map of serde_json would sort them otherwise.
        let entry = |(key, fields): (String, Value)| format!("  {}: {fields:#}", Value::String(key));
        let entries: Vec<String> = self.0.into_iter().map(entry).collect();
        format!("{{\n{}\n}}\n", entries.join(",\n"))
    }
}

/// A key in parts to sort by: words, and numbers by value.
fn natural(key: &str) -> Vec<(String, u64)> {
    let mut parts = Vec::new();
    let mut word = String::new();
    let mut chars = key.chars().peekable();
    while let Some(c) = chars.next() {
        let Some(digit) = c.to_digit(10) else {
            word.push(c);
            continue;
        };
        let mut n = u64::from(digit);
        while let Some(digit) = chars.peek().and_then(|d| d.to_digit(10)) {
            n = n.saturating_mul(10).saturating_add(u64::from(digit));
            chars.next();
        }
        parts.push((std::mem::take(&mut word), n));
    }
    parts.push((word, 0));
    parts
}
