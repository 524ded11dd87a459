//! CONFIG_DB of a live switch: just enough of Redis' protocol (RESP2) to read all hashes of one database.

#![allow(clippy::disallowed_types, reason = "the edge opens the socket")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::{Map, Value};

/// How long a server may take for one answer.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The largest answer taken, bytes.
const MAX_BYTES: usize = 64 << 20;
/// The most keys taken.
const MAX_KEYS: usize = 1_000_000;
/// The deepest nesting of arrays taken.
const MAX_DEPTH: u32 = 8;

/// Reads `redis://[:password@]host[:port][/database]` and returns its hashes as a flat dump in JSON.
pub(crate) fn dump(url: &str) -> anyhow::Result<String> {
    let rest = url.strip_prefix("redis://").context("expected redis://host:port/database")?;
    let (address, database) = rest.split_once('/').unwrap_or((rest, "4"));
    let database: u32 =
        if database.is_empty() { 4 } else { database.parse().context("the database must be a number")? };
    let (password, address) = match address.rsplit_once('@') {
        Some((user, address)) => (user.split_once(':').map_or(Some(user), |(_, p)| Some(p)), address),
        None => (None, address),
    };
    let address = if address.rsplit(']').next().is_some_and(|a| a.contains(':')) {
        address.to_string()
    } else {
        format!("{address}:6379")
    };
    let mut client = Client::connect(&address)?;
    if let Some(password) = password {
        client.call(&["AUTH", password])?;
    }
    client.call(&["SELECT", &database.to_string()])?;
    let mut keys = client.keys()?;
    keys.sort_by_key(|key| natural(key));
    keys.dedup();
    let mut all = Map::new();
    for key in keys {
        // A key may vanish or be of another type: SONiC keeps a few strings beside the hashes.
        let items = match client.call(&["HGETALL", &key]) {
            Ok(Reply::Array(items)) if !items.is_empty() => items,
            Ok(_) => continue,
            Err(error) if error.is::<WrongType>() => continue,
            Err(error) => return Err(error),
        };
        let mut fields = Map::new();
        for pair in items.chunks_exact(2) {
            if let [Reply::Text(name), Reply::Text(value)] = pair {
                fields.insert(name.clone(), Value::String(value.clone()));
            }
        }
        if key.contains('|') {
            all.insert(key, fields.into());
        }
    }
    Ok(serde_json::to_string_pretty(&Value::Object(all))?)
}

/// Keys in the order that people expect: numbers by value.
fn natural(key: &str) -> Vec<(String, u64)> {
    let mut parts = Vec::new();
    let mut word = String::new();
    let mut chars = key.chars().peekable();
    while let Some(c) = chars.next() {
        if !c.is_ascii_digit() {
            word.push(c);
            continue;
        }
        let mut n = u64::from(c as u8 - b'0');
        while let Some(d) = chars.peek().filter(|d| d.is_ascii_digit()) {
            n = n.saturating_mul(10).saturating_add(u64::from(*d as u8 - b'0'));
            chars.next();
        }
        parts.push((std::mem::take(&mut word), n));
    }
    parts.push((word, 0));
    parts
}

/// The server said that a key holds no hash.
#[derive(Debug, thiserror::Error)]
#[error("the key holds no hash")]
struct WrongType;

enum Reply {
    Text(String),
    Array(Vec<Reply>),
    Nothing,
}

struct Client(BufReader<TcpStream>);

impl Client {
    fn connect(address: &str) -> anyhow::Result<Self> {
        let mut last = None;
        for address in address.to_socket_addrs().with_context(|| format!("cannot resolve {address}"))? {
            match TcpStream::connect_timeout(&address, TIMEOUT) {
                Ok(stream) => {
                    stream.set_read_timeout(Some(TIMEOUT))?;
                    stream.set_write_timeout(Some(TIMEOUT))?;
                    return Ok(Self(BufReader::new(stream)));
                }
                Err(error) => last = Some(error),
            }
        }
        match last {
            Some(error) => Err(error).with_context(|| format!("cannot connect to {address}")),
            None => bail!("{address} has no address"),
        }
    }

    fn call(&mut self, words: &[&str]) -> anyhow::Result<Reply> {
        let mut request = format!("*{}\r\n", words.len());
        for word in words {
            request.push_str(&format!("${}\r\n{word}\r\n", word.len()));
        }
        self.0.get_mut().write_all(request.as_bytes())?;
        self.reply(0)
    }

    fn keys(&mut self) -> anyhow::Result<Vec<String>> {
        let mut keys = Vec::new();
        let mut cursor = "0".to_string();
        loop {
            let Reply::Array(page) = self.call(&["SCAN", &cursor, "COUNT", "1000"])? else {
                bail!("an unexpected answer to SCAN")
            };
            let mut page = page.into_iter();
            let (Some(Reply::Text(next)), Some(Reply::Array(names))) = (page.next(), page.next()) else {
                bail!("an unexpected answer to SCAN")
            };
            keys.extend(names.into_iter().filter_map(|n| match n {
                Reply::Text(name) => Some(name),
                _ => None,
            }));
            if keys.len() > MAX_KEYS {
                bail!("more than {MAX_KEYS} keys");
            }
            if next == "0" {
                return Ok(keys);
            }
            cursor = next;
        }
    }

    fn line(&mut self) -> anyhow::Result<String> {
        let mut line = Vec::new();
        self.0.by_ref().take(64 << 10).read_until(b'\n', &mut line)?;
        if line.pop() != Some(b'\n') {
            bail!("the server closed the connection in the middle of an answer");
        }
        line.pop();
        Ok(String::from_utf8_lossy(&line).into_owned())
    }

    fn reply(&mut self, depth: u32) -> anyhow::Result<Reply> {
        let line = self.line()?;
        let (Some(kind), rest) = (line.chars().next(), line.get(1..).unwrap_or_default()) else {
            bail!("an empty answer")
        };
        match kind {
            '+' | ':' => Ok(Reply::Text(rest.to_string())),
            '-' if rest.starts_with("WRONGTYPE") => Err(WrongType.into()),
            '-' => bail!("the server refuses: {rest}"),
            '$' if rest == "-1" => Ok(Reply::Nothing),
            '$' => {
                let length: usize = rest.parse().context("a bad length")?;
                if length > MAX_BYTES {
                    bail!("an answer of {length} bytes");
                }
                let mut bytes = vec![0; length + 2];
                self.0.read_exact(&mut bytes)?;
                bytes.truncate(length);
                Ok(Reply::Text(String::from_utf8_lossy(&bytes).into_owned()))
            }
            '*' if rest == "-1" => Ok(Reply::Nothing),
            '*' => {
                let count: usize = rest.parse().context("a bad length")?;
                if count > MAX_KEYS * 2 || depth == MAX_DEPTH {
                    bail!("an answer of {count} parts");
                }
                (0..count).map(|_| self.reply(depth + 1)).collect::<anyhow::Result<_>>().map(Reply::Array)
            }
            _ => bail!("not a Redis server: it answers {line:?}"),
        }
    }
}
