//! Reads CONFIG_DB of a live switch from its Redis server.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context, bail};
use buffer_config::redis_dump::RedisDump;
use redis::{Client, Connection, IntoConnectionInfo, RedisResult, cmd};

/// The time limit for connecting, and for each reply.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The most keys that are read; the largest SONiC databases have some ten thousand.
const MAX_KEYS: usize = 1_000_000;
/// SONiC's number of CONFIG_DB, for URLs without a database.
const CONFIG_DB: i64 = 4;

/// Reads the hashes of `redis://[[user]:password@]host[:port][/database]` as a flat dump in JSON.
pub(crate) fn dump(url: &str) -> anyhow::Result<String> {
    let mut connection = connect(url)?;
    let mut dump = RedisDump::default();
    for key in keys(&mut connection)? {
        let reply: RedisResult<Vec<(Vec<u8>, Vec<u8>)>> = cmd("HGETALL").arg(&key).query(&mut connection);
        match reply {
            Ok(fields) => {
                let fields = fields.iter().map(|(name, value)| (text(name), text(value)));
                dump.add(text(&key), fields);
            }
            // SONiC stores some strings and sets next to the hashes.
            Err(error) if error.code() == Some("WRONGTYPE") => {}
            Err(error) => return Err(error).context("HGETALL failed"),
        }
    }
    Ok(dump.into_json())
}

fn connect(url: &str) -> anyhow::Result<Connection> {
    let mut info = url.into_connection_info().context("expected redis://host:port/database")?;
    let authority_and_path = url.trim_start_matches("redis://").split('?').next().unwrap_or_default();
    let has_database = authority_and_path.split_once('/').is_some_and(|(_, database)| !database.is_empty());
    let mut settings = info.redis_settings().clone().set_skip_set_lib_name();
    if !has_database {
        settings = settings.set_db(CONFIG_DB);
    }
    info = info.set_redis_settings(settings);
    let connection = Client::open(info)?.get_connection_with_timeout(TIMEOUT).context("cannot connect")?;
    connection.set_read_timeout(Some(TIMEOUT))?;
    connection.set_write_timeout(Some(TIMEOUT))?;
    Ok(connection)
}

/// All keys, sorted; SCAN may return a key more than once.
fn keys(connection: &mut Connection) -> anyhow::Result<BTreeSet<Vec<u8>>> {
    let mut keys = BTreeSet::new();
    let mut cursor = 0;
    loop {
        let page: RedisResult<(u64, Vec<Vec<u8>>)> =
            cmd("SCAN").arg(cursor).arg("COUNT").arg(1000).query(connection);
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

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
