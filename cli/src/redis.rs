//! Reads CONFIG_DB of a live switch from its Redis server.
//!
//! The `redis` crate encodes commands and decodes replies. The socket is ours, because the crate's connection has no limit
//! for the size of a reply.

#![allow(clippy::disallowed_types, reason = "the edge opens the socket")]

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use buffer_config::redis_dump::RedisDump;
use redis::{Cmd, ConnectionAddr, FromRedisValue, IntoConnectionInfo, Parser, RedisError, cmd};

/// The time limit for connecting, and for each part of a reply.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum size of a reply. The fields of the largest SONiC hashes take some hundred kilobytes.
const MAX_REPLY_BYTES: u64 = 64 << 20;
/// The maximum number of keys; the largest SONiC databases have some ten thousand.
const MAX_KEYS: usize = 1_000_000;
/// SONiC's number of CONFIG_DB, for URLs without a database.
const CONFIG_DB: i64 = 4;

/// Reads the hashes of `redis://[[user]:password@]host[:port][/database]` as a flat dump in JSON.
pub(crate) fn dump(url: &str) -> anyhow::Result<String> {
    let mut server = Server::connect(url)?;
    let mut dump = RedisDump::default();
    for key in server.keys()? {
        match server.query::<Vec<(Vec<u8>, Vec<u8>)>>(cmd("HGETALL").arg(&key)) {
            Ok(fields) => {
                let fields = fields.iter().map(|(name, value)| (text(name), text(value)));
                dump.add(text(&key), fields);
            }
            // SONiC stores some strings and sets next to the hashes.
            Err(error) if is_wrong_type(&error) => {}
            Err(error) => return Err(error).context("HGETALL failed"),
        }
    }
    Ok(dump.into_json())
}

/// A connection to a Redis server with one request at a time.
struct Server {
    stream: TcpStream,
    parser: Parser,
}

impl Server {
    /// Connects, authenticates and selects the database.
    fn connect(url: &str) -> anyhow::Result<Server> {
        let info = url.into_connection_info().context("expected redis://host:port/database")?;
        let ConnectionAddr::Tcp(host, port) = info.addr() else {
            bail!("expected redis://host:port/database; TLS and Unix sockets are not supported");
        };
        let mut server = Server { stream: open(host, *port)?, parser: Parser::new() };
        let settings = info.redis_settings();
        if let Some(password) = settings.password() {
            let mut auth = cmd("AUTH");
            settings.username().into_iter().for_each(|user| {
                auth.arg(user);
            });
            server.query::<()>(auth.arg(password)).context("authentication failed")?;
        }
        let path = url.trim_start_matches("redis://").split('?').next().unwrap_or_default();
        let has_database = path.split_once('/').is_some_and(|(_, database)| !database.is_empty());
        let database = if has_database { settings.db() } else { CONFIG_DB };
        server
            .query::<()>(cmd("SELECT").arg(database))
            .with_context(|| format!("cannot select database {database}"))?;
        Ok(server)
    }

    /// Sends a command and reads its reply.
    fn query<T: FromRedisValue>(&mut self, command: &mut Cmd) -> anyhow::Result<T> {
        self.stream.write_all(&command.get_packed_command())?;
        let mut limited = (&mut self.stream).take(MAX_REPLY_BYTES);
        let reply = self.parser.parse_value(&mut limited);
        if limited.limit() == 0 {
            bail!("a reply is larger than {} MiB", MAX_REPLY_BYTES >> 20);
        }
        let value = reply.and_then(redis::Value::extract_error).map_err(plain)?;
        T::from_redis_value(value).map_err(|error| anyhow!("unexpected reply: {error}"))
    }

    /// All keys, sorted; SCAN may return a key more than once.
    fn keys(&mut self) -> anyhow::Result<BTreeSet<Vec<u8>>> {
        let mut keys = BTreeSet::new();
        let mut cursor = 0;
        loop {
            let page = self.query::<(u64, Vec<Vec<u8>>)>(cmd("SCAN").arg(cursor).arg("COUNT").arg(1000));
            let (next, names) = page.context("SCAN failed")?;
            keys.extend(names);
            if keys.len() > MAX_KEYS {
                bail!("the database has more than {MAX_KEYS} keys");
            }
            if next == 0 {
                return Ok(keys);
            }
            cursor = next;
        }
    }
}

/// Opens a connection to the first address of `host` that accepts one.
fn open(host: &str, port: u16) -> anyhow::Result<TcpStream> {
    let addresses = (host, port).to_socket_addrs().with_context(|| format!("cannot resolve {host}"))?;
    let mut last = None;
    for address in addresses {
        match TcpStream::connect_timeout(&address, TIMEOUT) {
            Ok(stream) => {
                stream.set_read_timeout(Some(TIMEOUT))?;
                stream.set_write_timeout(Some(TIMEOUT))?;
                return Ok(stream);
            }
            Err(error) => last = Some(error),
        }
    }
    match last {
        Some(error) => Err(error).with_context(|| format!("cannot connect to {host}:{port}")),
        None => bail!("{host} has no address"),
    }
}

/// The error as text, because a [`RedisError`] is its own source and would be printed twice; a wrong type stays typed.
fn plain(error: RedisError) -> anyhow::Error {
    if error.code() == Some("WRONGTYPE") { error.into() } else { anyhow!("{error}") }
}

fn is_wrong_type(error: &anyhow::Error) -> bool {
    error.downcast_ref::<RedisError>().is_some_and(|error| error.code() == Some("WRONGTYPE"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use std::net::{Shutdown, TcpListener};
    use std::thread;

    use super::*;

    /// Connects to a server that sends `replies` to whatever it receives, and returns the error.
    fn check(replies: &'static [u8], repeat: usize, expected: &str) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its address");
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            // The client closes the connection when it has read enough.
            let _ = stream.write_all(b"+OK\r\n");
            for _ in 0..repeat {
                if stream.write_all(replies).is_err() {
                    return;
                }
            }
            // A server that closes with unread requests would reset the connection.
            let _ = stream.shutdown(Shutdown::Write);
            let _ = stream.read_to_end(&mut Vec::new());
        });
        let error = dump(&format!("redis://{address}/4")).expect_err("an error");
        assert!(format!("{error:#}").contains(expected), "{error:#}");
        server.join().expect("the server ends");
    }

    #[test]
    fn bad_servers_are_reported() {
        check(b"-NOAUTH Authentication required.\r\n", 1, "NOAUTH");
        check(b"*2\r\n", 1, "SCAN failed");
        check(b":1\r\n", 1, "unexpected reply");
    }

    #[test]
    fn a_reply_without_end_is_limited() {
        static CHUNK: [u8; 1 << 20] = [b'+'; 1 << 20];
        // A simple string ends with CR LF; this one never does.
        check(&CHUNK, 80, "larger than 64 MiB");
    }
}
