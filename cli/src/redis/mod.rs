//! Reads CONFIG_DB of a live switch from its Redis server.

mod server;
mod values;

use std::path::Path;

use anyhow::{Context, bail};
use buffer_config::redis_dump::RedisDump;
use redis::{Cmd, FromRedisValue as _, cmd};

pub(crate) use server::{Request, Server, trusted_certificates};
pub(crate) use values::Values;

/// SONiC's number of CONFIG_DB, for URLs without a database.
const CONFIG_DB: i64 = 4;
/// The start of every address.
const SCHEMES: [&str; 4] = ["redis://", "rediss://", "unix://", "redis+unix://"];

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
    let (dump, tables) = hashes(&mut server)?;
    if tables == 0 {
        let database = server.database;
        bail!("database {database} has no table; SONiC's CONFIG_DB is database {CONFIG_DB}");
    }
    Ok(dump.into_json())
}

/// Reads the configuration of a SONiC switch over a connection, as [`dump`]. Another database is selected afterwards.
pub(crate) fn configuration(server: &mut Server) -> anyhow::Result<String> {
    server.query::<()>(cmd("SELECT").arg(CONFIG_DB)).context("cannot select CONFIG_DB")?;
    Ok(hashes(server)?.0.into_json())
}

/// All hashes of the selected database, and how many of them are entries of tables.
fn hashes(server: &mut Server) -> anyhow::Result<(RedisDump, usize)> {
    let mut dump = RedisDump::default();
    let mut tables = 0;
    let keys: Vec<Vec<u8>> = server.keys()?.into_iter().collect();
    let commands: Vec<Cmd> = keys.iter().map(|key| cmd("HGETALL").arg(key).take()).collect();
    for (key, reply) in keys.into_iter().zip(server.pipeline(&commands)?) {
        let fields = match reply.extract_error() {
            Ok(reply) => Vec::<(Vec<u8>, Vec<u8>)>::from_redis_value(reply).context("unexpected reply")?,
            // SONiC stores some strings and sets next to the hashes.
            Err(error) if error.code() == Some("WRONGTYPE") => continue,
            Err(error) => bail!("HGETALL failed: {error}"),
        };
        tables += usize::from(key.contains(&b'|') && !fields.is_empty());
        let fields = fields.iter().map(|(name, value)| (text(name), text(value)));
        dump.add(text(&key), fields);
    }
    Ok((dump, tables))
}

/// Bytes of a reply as text.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
#[allow(clippy::disallowed_types, reason = "the test closes a connection")]
mod tests {
    use std::io::{Read as _, Write as _};
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
        check(b"-NOAUTH Authentication required.\r\n", 1, "is read from REDISCLI_AUTH");
        check(b"*2\r\n", 1, "SCAN failed");
        check(b":1\r\n", 1, "unexpected reply");
    }

    #[test]
    fn a_reply_without_end_is_limited() {
        static CHUNK: [u8; 1 << 20] = [b'+'; 1 << 20];
        // A simple string ends with CR LF; this one never does.
        check(&CHUNK, 2, "larger than 1 MiB");
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
