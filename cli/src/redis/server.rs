//! A connection to a Redis server.
//!
//! The `redis` crate encodes commands and decodes replies. The socket is ours, because the crate's connection has no limit
//! for the size of a reply.

#![allow(clippy::disallowed_types, reason = "the edge opens the socket")]

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use redis::{Cmd, ConnectionAddr, FromRedisValue, IntoConnectionInfo, Parser, RedisError, Value, cmd};
use rustls_pki_types::ServerName;
use tokio_rustls::rustls::{ClientConnection, StreamOwned};

use super::{CONFIG_DB, Values};
use crate::client::trusting;

/// The time limit for connecting, and for each part of a reply.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum size of a reply. The fields of the largest SONiC hashes take some hundred kilobytes.
/// Unit tests have a lower one, because the crate's decoder takes long for a line without an end.
const MAX_REPLY_BYTES: u64 = if cfg!(test) { 1 << 20 } else { 64 << 20 };
/// The maximum size of all replies of a pipeline.
const MAX_PIPELINE_BYTES: u64 = 256 << 20;
/// The maximum number of keys; the largest SONiC databases have some ten thousand.
const MAX_KEYS: usize = 1_000_000;
/// The maximum number of commands without a reply, which bounds the replies that the server keeps in memory.
const MAX_PIPELINED: usize = 2_000;
/// The words of `HMGET` before the fields: its name and the key.
const HMGET_WORDS: usize = 2;
/// The variable with the password, as of redis-cli, so that it is in no command line.
const PASSWORD_VARIABLE: &str = "REDISCLI_AUTH";
/// The certificates that a system trusts: Debian and SONiC, then Red Hat.
const SYSTEM_CERTIFICATES: [&str; 2] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"];

/// A connection of any kind.
trait Connection: Read + Write + Send {}
impl<T: Read + Write + Send> Connection for T {}

/// A connection to a Redis server with one request at a time.
pub(crate) struct Server {
    stream: Box<dyn Connection>,
    parser: Parser,
    pub(super) database: i64,
    /// Its address, if it is reached over TCP.
    pub(crate) peer: Option<IpAddr>,
}

/// Encoded commands, in parts of which each is sent at once.
pub(crate) struct Request {
    parts: Vec<Part>,
}

struct Part {
    bytes: Vec<u8>,
    /// How many words each command has, its name included.
    words: Vec<usize>,
}

impl Request {
    /// Encodes commands.
    pub(crate) fn new(commands: impl IntoIterator<Item = impl Borrow<Cmd>>) -> Request {
        let mut parts: Vec<Part> = Vec::new();
        for command in commands {
            let command = command.borrow();
            let words = command.args_iter().count();
            match parts.last_mut().filter(|part| part.words.len() < MAX_PIPELINED) {
                Some(part) => {
                    command.write_packed_command(&mut part.bytes);
                    part.words.push(words);
                }
                None => parts.push(Part { bytes: command.get_packed_command(), words: vec![words] }),
            }
        }
        Request { parts }
    }

    /// How many words each command has.
    fn words(&self) -> impl Iterator<Item = &usize> {
        self.parts.iter().flat_map(|part| &part.words)
    }
}

impl Server {
    /// Connects, authenticates and selects the database.
    pub(crate) fn connect(url: &str, ca: Option<&Path>) -> anyhow::Result<Server> {
        Server::open(url, ca).map_err(explained)
    }

    fn open(url: &str, ca: Option<&Path>) -> anyhow::Result<Server> {
        // The crate reads addresses with TLS only if it provides TLS itself.
        let plain = url.strip_prefix("rediss://").map(|rest| format!("redis://{rest}"));
        let is_tls = plain.is_some();
        let plain = plain.unwrap_or_else(|| url.to_string());
        let info = plain.as_str().into_connection_info().map_err(|_| {
            anyhow!("expected redis://host:port/database, rediss://... for TLS, or unix:///path?db=4")
        })?;
        let settings = info.redis_settings();
        let mut peer = None;
        let stream: Box<dyn Connection> = match info.addr() {
            ConnectionAddr::Tcp(host, port) => {
                let stream = open(host, *port)?;
                peer = stream.peer_addr().ok().map(|address| address.ip());
                if is_tls { Box::new(encrypted(stream, host, ca)?) } else { Box::new(stream) }
            }
            ConnectionAddr::Unix(path) => {
                let stream = UnixStream::connect(path)
                    .with_context(|| format!("cannot connect to {}", path.display()))?;
                stream.set_read_timeout(Some(TIMEOUT))?;
                stream.set_write_timeout(Some(TIMEOUT))?;
                Box::new(stream)
            }
            _ => bail!("expected redis://host:port/database, rediss://... for TLS, or unix:///path?db=4"),
        };
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        let path = path.split_once("://").map_or(path, |(_, path)| path);
        let path = path.rsplit_once('@').map_or(path, |(_, path)| path);
        let has_database = match info.addr() {
            ConnectionAddr::Unix(_) => query.split('&').any(|part| part.starts_with("db=")),
            _ => path.split_once('/').is_some_and(|(_, database)| !database.is_empty()),
        };
        let database = if has_database { settings.db() } else { CONFIG_DB };
        let mut server = Server { stream, parser: Parser::new(), database, peer };
        let variable = std::env::var(PASSWORD_VARIABLE).ok();
        if let Some(password) = settings.password().map(str::to_string).or(variable) {
            let mut auth = cmd("AUTH");
            settings.username().into_iter().for_each(|user| {
                auth.arg(user);
            });
            server.query::<()>(auth.arg(password)).context("authentication failed")?;
        }
        server
            .query::<()>(cmd("SELECT").arg(database))
            .with_context(|| format!("cannot select database {database}"))?;
        Ok(server)
    }

    /// Sends a command and reads its reply.
    pub(super) fn query<T: FromRedisValue>(&mut self, command: &mut Cmd) -> anyhow::Result<T> {
        self.stream.write_all(&command.get_packed_command())?;
        let mut limited = (&mut self.stream).take(MAX_REPLY_BYTES);
        let reply = self.parser.parse_value(&mut limited);
        if limited.limit() == 0 {
            bail!("a reply is larger than {} MiB", MAX_REPLY_BYTES >> 20);
        }
        let value = reply.and_then(Value::extract_error).map_err(|error| explained(plain(error)))?;
        T::from_redis_value(value).map_err(|error| anyhow!("unexpected reply: {error}"))
    }

    /// Sends commands and reads their replies, in as few round trips as the limit of commands on their way allows. A
    /// reply that is an error is returned as such.
    pub(crate) fn pipeline(&mut self, commands: &[Cmd]) -> anyhow::Result<Vec<Value>> {
        let mut replies = Vec::with_capacity(commands.len());
        let mut left = MAX_PIPELINE_BYTES;
        for part in &Request::new(commands.iter()).parts {
            self.stream.write_all(&part.bytes).context("the connection is lost")?;
            for _ in &part.words {
                let most = MAX_REPLY_BYTES.min(left);
                let mut limited = (&mut self.stream).take(most);
                let reply = self.parser.parse_value(&mut limited);
                if limited.limit() == 0 {
                    bail!(too_large());
                }
                left -= most - limited.limit();
                replies.push(reply.map_err(|error| explained(plain(error)))?);
            }
        }
        Ok(replies)
    }

    /// Sends `HMGET` commands and reads the values of all of them, in the order of their fields.
    ///
    /// # Errors
    /// The connection is lost, or a reply is an error or has another number of values; the connection cannot be used then. The error has the number of the
    /// command.
    pub(crate) fn fetch(&mut self, request: &Request) -> Result<Values, (usize, anyhow::Error)> {
        let fields = |words: &usize| words.saturating_sub(HMGET_WORDS);
        let mut values = Values::with_room_for(request.words().map(fields).sum());
        let mut number = 0;
        let mut source = (&mut self.stream).take(MAX_PIPELINE_BYTES);
        for part in &request.parts {
            let written = source.get_mut().write_all(&part.bytes);
            written.context("the connection is lost").map_err(|error| (number, error))?;
            for words in &part.words {
                values.read(&mut source, fields(words)).map_err(|error| {
                    let is_too_large = source.limit() == 0;
                    (number, if is_too_large { anyhow!(too_large()) } else { explained(error) })
                })?;
                number += 1;
            }
        }
        match values.has_more() {
            false => Ok(values),
            true => Err((number, anyhow!("unexpected reply: there is more than was requested"))),
        }
    }

    /// All keys, sorted; SCAN may return a key more than once.
    pub(super) fn keys(&mut self) -> anyhow::Result<BTreeSet<Vec<u8>>> {
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

fn too_large() -> String {
    format!(
        "a reply is larger than {} MiB, or all replies than {} MiB",
        MAX_REPLY_BYTES >> 20,
        MAX_PIPELINE_BYTES >> 20
    )
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

/// The file with the certificates of the authorities: this one, else those that the system trusts.
pub(crate) fn trusted_certificates(ca: Option<&Path>) -> Option<&Path> {
    let system = || SYSTEM_CERTIFICATES.iter().map(Path::new).find(|path| path.is_file());
    ca.or_else(system)
}

/// Encrypts a connection. The server's certificate is checked against the authorities in `ca`, or against those that the
/// system trusts.
fn encrypted(
    stream: TcpStream,
    host: &str,
    ca: Option<&Path>,
) -> anyhow::Result<StreamOwned<ClientConnection, TcpStream>> {
    let ca =
        trusted_certificates(ca).context("there is no file with trusted certificates; specify --redis-ca")?;
    let name = ServerName::try_from(host.trim_matches(['[', ']']).to_string())
        .with_context(|| format!("{host} cannot be the name of a TLS server"))?;
    let connection = ClientConnection::new(Arc::new(trusting(ca)?), name)?;
    Ok(StreamOwned::new(connection, stream))
}

/// The error with what to do about it.
fn explained(error: anyhow::Error) -> anyhow::Error {
    let text = format!("{error:#}");
    let is_late = |cause: &(dyn std::error::Error + 'static)| {
        let error = cause.downcast_ref::<std::io::Error>();
        error.is_some_and(|error| matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut))
    };
    if error.chain().any(is_late) {
        anyhow!("no reply within {} s", TIMEOUT.as_secs())
    } else if text.contains("NOAUTH") && !text.contains(PASSWORD_VARIABLE) {
        anyhow!(
            "{text}; the password is read from {PASSWORD_VARIABLE}, or from the address (`//:PASSWORD@HOST`)"
        )
    } else if text.contains("UnknownIssuer") && !text.contains("--redis-ca") {
        anyhow!("{text}; name the authority of its certificate with --redis-ca")
    } else {
        error
    }
}

/// The error as text, because a [`RedisError`] is its own source and would be printed twice.
fn plain(error: RedisError) -> anyhow::Error {
    match error.is_timeout() {
        true => anyhow!("no reply within {} s", TIMEOUT.as_secs()),
        false => anyhow!("{error}"),
    }
}
