//! CONFIG_DB of a live switch: the socket to its Redis server. What is said over it is in [`buffer_config::redis`].

#![allow(clippy::disallowed_types, reason = "the edge opens the socket")]

use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use anyhow::{Context, bail};
use buffer_config::redis::{Decoder, Dump, MAX_KEYS, Reply, page, request};

/// How long a server may take for one answer.
const TIMEOUT: Duration = Duration::from_secs(10);

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
    // SCAN may name a key twice.
    keys.sort();
    keys.dedup();
    let mut dump = Dump::default();
    for key in keys {
        let reply = client.ask(&["HGETALL", &key])?;
        match reply {
            Reply::Refused(words) if !words.starts_with("WRONGTYPE") => bail!("the server refuses: {words}"),
            reply => dump.add(key, reply),
        }
    }
    Ok(dump.into_json())
}

struct Client {
    stream: TcpStream,
    decoder: Decoder,
}

impl Client {
    fn connect(address: &str) -> anyhow::Result<Self> {
        let mut last = None;
        for address in address.to_socket_addrs().with_context(|| format!("cannot resolve {address}"))? {
            match TcpStream::connect_timeout(&address, TIMEOUT) {
                Ok(stream) => {
                    stream.set_read_timeout(Some(TIMEOUT))?;
                    stream.set_write_timeout(Some(TIMEOUT))?;
                    return Ok(Self { stream, decoder: Decoder::default() });
                }
                Err(error) => last = Some(error),
            }
        }
        match last {
            Some(error) => Err(error).with_context(|| format!("cannot connect to {address}")),
            None => bail!("{address} has no address"),
        }
    }

    /// The answer to a command, whatever it is.
    fn ask(&mut self, words: &[&str]) -> anyhow::Result<Reply> {
        self.stream.write_all(&request(words))?;
        let mut bytes = vec![0; 64 << 10];
        let mut reply = self.decoder.feed(&[])?;
        while reply.is_none() {
            let length = self.stream.read(&mut bytes)?;
            if length == 0 {
                bail!("the server closed the connection in the middle of an answer");
            }
            reply = self.decoder.feed(bytes.get(..length).unwrap_or_default())?;
        }
        Ok(reply.unwrap_or(Reply::Nothing))
    }

    /// The answer to a command that must not be refused.
    fn call(&mut self, words: &[&str]) -> anyhow::Result<Reply> {
        match self.ask(words)? {
            Reply::Refused(words) => bail!("the server refuses: {words}"),
            reply => Ok(reply),
        }
    }

    fn keys(&mut self) -> anyhow::Result<Vec<String>> {
        let mut keys = Vec::new();
        let mut cursor = "0".to_string();
        loop {
            let reply = self.call(&["SCAN", &cursor, "COUNT", "1000"])?;
            let (next, names) = page(reply).context("an unexpected answer to SCAN")?;
            keys.extend(names);
            if keys.len() > MAX_KEYS {
                bail!("more than {MAX_KEYS} keys");
            }
            if next == "0" {
                return Ok(keys);
            }
            cursor = next;
        }
    }
}
