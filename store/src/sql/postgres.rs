//! A store on a PostgreSQL server: how it is opened and locked, and the types that differ from those of SQLite.

use std::path::Path;
use std::str::FromStr;
use std::sync::LazyLock;

use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqlSafeStr as _};

use super::database::{At, Database};
use super::schema::{self, Presence};
use super::statement::sql;
use super::{BUSY_TIMEOUT, MIGRATIONS, POOL_CONNECTIONS};
use crate::error::{During, StoreError};

/// The beginnings of a URL of a PostgreSQL server.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];
/// The first key of the advisory lock of a store; the second is a hash of the name of its schema.
const LOCK_CLASS: i32 = 0x4861_7272;
/// SQLSTATE `lock_not_available`.
const LOCK_NOT_AVAILABLE: &str = "55P03";
/// The migrations with the types of PostgreSQL. Their checksums are those of the files, as in a SQLite store.
static POSTGRES_MIGRATIONS: LazyLock<Migrator> = LazyLock::new(|| {
    let translated = MIGRATIONS.iter().cloned().map(|mut migration| {
        migration.sql = AssertSqlSafe(types(migration.sql.as_str())).into_sql_str();
        migration
    });
    Migrator::with_migrations(translated.collect())
});

/// Returns a migration with the types of PostgreSQL: bytes have another name, and texts are ordered by their bytes, as
/// SQLite orders them, whatever the locale of the database.
fn types(migration: &str) -> String {
    migration.replace("BLOB", "BYTEA").replace("TEXT", "TEXT COLLATE \"C\"")
}

/// Returns the URL of a server if a path is one instead of the name of a file.
pub(super) fn server_url(path: &Path) -> Option<&str> {
    path.to_str().filter(|text| SCHEMES.iter().any(|scheme| text.starts_with(scheme)))
}

/// Returns the URL without its password and parameters, for messages.
pub(super) fn without_secrets(url: &str) -> String {
    let url = url.split('?').next().unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("://") else { return String::new() };
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = match authority.rsplit_once('@') {
        Some((user, host)) => format!("{}@{host}", user.split(':').next().unwrap_or_default()),
        None => authority.to_string(),
    };
    format!("{scheme}://{host}/{path}")
}

/// Connects to the store at `url` and locks it. Returns its connections and the number of its schema; 0: it has no
/// tables yet.
///
/// # Errors
/// The server cannot be reached, there is no store although it is required, its schema is newer than this build, or
/// another process uses it.
pub(super) async fn open(url: &str, presence: Presence) -> Result<(Database, i64), StoreError> {
    let options = options(url)?;
    let found = {
        let mut connection = connect(url, &options).await?;
        let found = examine(&mut connection, url, presence).await;
        let locked = lock(&mut connection).await;
        let _ = connection.close().await;
        match locked {
            Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(LOCK_NOT_AVAILABLE) => {
                return Err(StoreError::InUse { file: without_secrets(url) });
            }
            other => other.during("lock itself")?,
        }
        found?
    };
    let readers = pool_options(POOL_CONNECTIONS).connect_lazy_with(options.clone());
    // The lock lives as long as the connection that writes, and a new one takes it again.
    let writer = pool_options(1)
        .idle_timeout(None)
        .max_lifetime(None)
        .after_connect(|connection, _| Box::pin(lock(connection)))
        .connect_lazy_with(options);
    Ok((Database::Postgres { readers, writer: Some(writer) }, found))
}

/// Connects to the store at `url` to read it; another process may use it meanwhile.
///
/// # Errors
/// The server cannot be reached, there is no store, or its schema is newer than this build.
pub(super) async fn open_to_read(url: &str) -> Result<(Database, i64), StoreError> {
    let options = options(url)?.options([("default_transaction_read_only", "on")]);
    let mut connection = connect(url, &options).await?;
    let found = examine(&mut connection, url, Presence::Required).await;
    let _ = connection.close().await;
    let readers = pool_options(POOL_CONNECTIONS).connect_lazy_with(options);
    Ok((Database::Postgres { readers, writer: None }, found?))
}

/// Brings the tables to the newest schema.
pub(super) async fn migrate(database: &Database) -> Result<(), sqlx::migrate::MigrateError> {
    POSTGRES_MIGRATIONS.run(database.postgres_writer()?).await
}

/// Gives the room of removed rows back to the file system, one table after the other.
pub(super) async fn compact(database: &Database) -> Result<(), sqlx::Error> {
    for statement in [
        "VACUUM FULL diagnoses",
        "VACUUM FULL graphs",
        "VACUUM FULL snapshots",
        "VACUUM FULL incidents",
        "VACUUM FULL occurrences",
        "VACUUM FULL incident_ports",
        "VACUUM FULL incident_flows",
        "VACUUM FULL notes",
        "VACUUM FULL port_series",
        "VACUUM FULL flow_series",
        "VACUUM FULL reports",
        "VACUUM FULL inbox",
        "VACUUM FULL webhook_waiting",
        "VACUUM FULL webhook_firing",
    ] {
        sql(statement).execute(At::Writer(database)).await?;
    }
    Ok(())
}

/// Returns the settings of connections to the server.
///
/// # Errors
/// The URL is malformed.
pub(super) fn options(url: &str) -> Result<PgConnectOptions, StoreError> {
    let cannot_open = |source| StoreError::Open { url: without_secrets(url), source };
    Ok(PgConnectOptions::from_str(url).map_err(cannot_open)?.application_name("harrier"))
}

fn pool_options(connections: u32) -> PgPoolOptions {
    PgPoolOptions::new().max_connections(connections).acquire_timeout(BUSY_TIMEOUT)
}

async fn connect(url: &str, options: &PgConnectOptions) -> Result<PgConnection, StoreError> {
    let cannot_open = |source| StoreError::Open { url: without_secrets(url), source };
    PgConnection::connect_with(options).await.map_err(cannot_open)
}

/// Takes the lock that keeps other processes away, until the connection is closed. It waits a second for the lock: the
/// server releases that of a process that was killed shortly after its end.
async fn lock(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query("SET lock_timeout = '1s'").execute(&mut *connection).await?;
    sqlx::query("SELECT pg_advisory_lock($1, hashtext(current_schema()))")
        .bind(LOCK_CLASS)
        .execute(&mut *connection)
        .await?;
    sqlx::query("SET lock_timeout = '5s'").execute(connection).await?;
    Ok(())
}

/// Returns the number of the schema of the store in the first schema of the search path; 0: it has no tables yet.
async fn examine(connection: &mut PgConnection, url: &str, presence: Presence) -> Result<i64, StoreError> {
    let action = "read its schema";
    let name = || without_secrets(url);
    let not_a_store = |found| Err(StoreError::NotAStore { file: name(), found });
    let (own, others): (i64, i64) = sqlx::query_as(
        "SELECT COUNT(CASE WHEN tablename IN ('_sqlx_migrations', 'diagnoses') THEN 1 END), \
         COUNT(CASE WHEN tablename <> '_sqlx_migrations' THEN 1 END) FROM pg_tables WHERE schemaname = current_schema()",
    )
    .fetch_one(&mut *connection)
    .await
    .during(action)?;
    match (own, others, presence) {
        (2, _, _) => {}
        (_, 0, Presence::Optional) => return Ok(0),
        (_, 0, Presence::Required) => return not_a_store("it has no tables"),
        _ => return not_a_store("it is a PostgreSQL schema with other tables"),
    }
    let version: Option<i64> = sqlx::query_scalar("SELECT MAX(version) FROM _sqlx_migrations WHERE success")
        .fetch_one(connection)
        .await
        .during(action)?;
    match version.unwrap_or(0) {
        found if found > schema::newest() => {
            Err(StoreError::Newer { file: name(), found, known: schema::newest() })
        }
        found => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_contain_no_password() {
        for (url, expected) in [
            ("postgres://eve:secret@db:5432/harrier", "postgres://eve@db:5432/harrier"),
            ("postgresql://eve:p@ss@db/harrier?password=secret", "postgresql://eve@db/harrier"),
            ("postgres:///harrier?host=/run/postgresql", "postgres:///harrier"),
            ("postgres://db", "postgres://db/"),
        ] {
            assert_eq!(without_secrets(url), expected);
        }
    }

    #[test]
    fn a_path_is_a_url_only_with_the_scheme() {
        assert_eq!(server_url(Path::new("postgres://db/x")), Some("postgres://db/x"));
        for file in ["harrier.db", "postgres.db", "/postgres://x"] {
            assert_eq!(server_url(Path::new(file)), None, "{file}");
        }
    }

    #[test]
    fn only_types_differ_between_the_databases() {
        let translated = types("CREATE TABLE t (id TEXT PRIMARY KEY, text TEXT NOT NULL, body BLOB)");
        let expected = "CREATE TABLE t (id TEXT COLLATE \"C\" PRIMARY KEY, text TEXT COLLATE \"C\" NOT NULL, body BYTEA)";
        assert_eq!(translated, expected);
    }
}
