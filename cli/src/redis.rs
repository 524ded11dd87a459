//! Reads CONFIG_DB of a live switch from its Redis server.
//!
//! The `redis` crate encodes commands and decodes replies. The socket is ours, because the crate's connection has no limit
//! for the size of a reply.

#![allow(clippy::disallowed_types, reason = "the edge opens the socket")]

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use buffer_config::redis_dump::RedisDump;
use rustls_pki_types::ServerName;
use tokio_rustls::rustls::{ClientConnection, StreamOwned};

use crate::client::trusting;
use redis::{Cmd, ConnectionAddr, FromRedisValue, IntoConnectionInfo, Parser, RedisError, cmd};

/// The time limit for connecting, and for each part of a reply.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum size of a reply. The fields of the largest SONiC hashes take some hundred kilobytes.
const MAX_REPLY_BYTES: u64 = 64 << 20;
/// The maximum number of keys; the largest SONiC databases have some ten thousand.
const MAX_KEYS: usize = 1_000_000;
/// SONiC's number of CONFIG_DB, for URLs without a database.
const CONFIG_DB: i64 = 4;
/// The variable with the password, as of redis-cli, so that it is in no command line.
const PASSWORD_VARIABLE: &str = "REDISCLI_AUTH";

/// The start of every address.
const SCHEMES: [&str; 4] = ["redis://", "rediss://", "unix://", "redis+unix://"];
/// The certificates that a system trusts: Debian and SONiC, then Red Hat.
const SYSTEM_CERTIFICATES: [&str; 2] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"];

/// Whether an argument is the address of a live switch.
pub(crate) fn is_address(argument: &str) -> bool {
    SCHEMES.iter().any(|scheme| argument.starts_with(scheme))
}

/// The address with `***` instead of its password, for reports and errors.
pub(crate) fn shown(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return "***".into() };
    // A password may contain `@`, `/` and `?`, although it should be percent-encoded.
    let user = if scheme.ends_with("unix") { None } else { rest.rsplit_once('@') };
    let (user, rest) = user.map_or((None, rest), |(user, rest)| (Some(user), rest));
    let (host, query) = rest.split_once('?').map_or((rest, None), |(host, query)| (host, Some(query)));
    let user = match user.map(|user| user.split_once(':')) {
        Some(Some((name, _))) => format!("{name}:***@"),
        Some(None) => "***@".into(),
        None => String::new(),
    };
    let parameter = |text: &str| match text.split_once('=') {
        Some((name @ ("db" | "user" | "protocol"), value)) => format!("{name}={value}"),
        Some((name, _)) => format!("{name}=***"),
        None => "***".to_string(),
    };
    let query = query.map(|query| query.split('&').map(parameter).collect::<Vec<_>>().join("&"));
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    format!("{scheme}://{user}{host}{query}")
}

/// Reads the hashes of a Redis database as a flat dump in JSON. The address is
/// `redis://[[user]:password@]host[:port][/database]`, `rediss://...` for TLS, or
/// `unix:///path[?db=database&user=...&pass=...]`. Errors do not contain the password.
pub(crate) fn dump(url: &str, ca: Option<&Path>) -> anyhow::Result<String> {
    let mut server = Server::connect(url, ca)?;
    let mut dump = RedisDump::default();
    let mut tables = 0;
    for key in server.keys()? {
        match server.query::<Vec<(Vec<u8>, Vec<u8>)>>(cmd("HGETALL").arg(&key)) {
            Ok(fields) => {
                tables += usize::from(key.contains(&b'|') && !fields.is_empty());
                let fields = fields.iter().map(|(name, value)| (text(name), text(value)));
                dump.add(text(&key), fields);
            }
            // SONiC stores some strings and sets next to the hashes.
            Err(error) if is_wrong_type(&error) => {}
            Err(error) => return Err(error).context("HGETALL failed"),
        }
    }
    if tables == 0 {
        let database = server.database;
        bail!("database {database} has no table; SONiC's CONFIG_DB is database {CONFIG_DB}");
    }
    Ok(dump.into_json())
}

/// A connection of any kind.
trait Connection: Read + Write {}
impl<T: Read + Write> Connection for T {}

/// A connection to a Redis server with one request at a time.
struct Server {
    stream: Box<dyn Connection>,
    parser: Parser,
    database: i64,
}

impl Server {
    /// Connects, authenticates and selects the database.
    fn connect(url: &str, ca: Option<&Path>) -> anyhow::Result<Server> {
        // The crate reads addresses with TLS only if it provides TLS itself.
        let plain = url.strip_prefix("rediss://").map(|rest| format!("redis://{rest}"));
        let is_tls = plain.is_some();
        let plain = plain.unwrap_or_else(|| url.to_string());
        let info = plain.as_str().into_connection_info().map_err(|_| {
            anyhow!("expected redis://host:port/database, rediss://... for TLS, or unix:///path?db=4")
        })?;
        let settings = info.redis_settings();
        let stream: Box<dyn Connection> = match info.addr() {
            ConnectionAddr::Tcp(host, port) if is_tls => Box::new(encrypted(open(host, *port)?, host, ca)?),
            ConnectionAddr::Tcp(host, port) => Box::new(open(host, *port)?),
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
        let mut server = Server { stream, parser: Parser::new(), database };
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

/// Encrypts a connection. The server's certificate is checked against the authorities in `ca`, or against those that the
/// system trusts.
fn encrypted(
    stream: TcpStream,
    host: &str,
    ca: Option<&Path>,
) -> anyhow::Result<StreamOwned<ClientConnection, TcpStream>> {
    let system = || SYSTEM_CERTIFICATES.iter().map(Path::new).find(|path| path.is_file());
    let ca = ca.or_else(system).context("there is no file with trusted certificates; specify --redis-ca")?;
    let name = ServerName::try_from(host.trim_matches(['[', ']']).to_string())
        .with_context(|| format!("{host} cannot be the name of a TLS server"))?;
    let connection = ClientConnection::new(Arc::new(trusting(ca)?), name)?;
    Ok(StreamOwned::new(connection, stream))
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
        let error = dump(&format!("redis://{address}/4"), None).expect_err("an error");
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

    #[test]
    fn a_shown_address_has_no_password() {
        for (url, expected) in [
            ("redis://10.0.0.1:6379/4", "redis://10.0.0.1:6379/4"),
            ("redis://:s3cret@host/4", "redis://:***@host/4"),
            ("rediss://user:s3@cr/et@host", "rediss://user:***@host"),
            ("redis://s3cret@host", "redis://***@host"),
            ("redis://:s3?db=1&x@host/4?protocol=resp3", "redis://:***@host/4?protocol=resp3"),
            ("unix:///run/redis.sock?db=4&pass=s3cret", "unix:///run/redis.sock?db=4&pass=***"),
            ("unix:///run/redis.sock?s3cret", "unix:///run/redis.sock?***"),
        ] {
            assert_eq!(shown(url), expected);
        }
    }
}
