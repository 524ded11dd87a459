//! Which schema a file has: found out before anything in the file is changed.

#![allow(clippy::disallowed_methods, reason = "the store is an edge: it opens files")]

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection as _, SqliteConnection};

use super::{BUSY_TIMEOUT, MIGRATIONS};
use crate::error::{During, StoreError};

/// The first bytes of every SQLite database.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Returns the number of the newest schema: that of the last migration.
pub(super) fn newest() -> i64 {
    MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or(0)
}

/// How the file of a store is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    /// The store has been written before.
    Required,
    /// A new one is created if there is none.
    Optional,
}

/// Returns the number of the schema of the store in `file`; 0: it has no tables yet.
///
/// # Errors
/// The file is missing although it is required, cannot be read, is not a store, or has a newer schema than this build.
pub(super) async fn examine(file: &Path, presence: Presence) -> Result<i64, StoreError> {
    let name = || file.display().to_string();
    let not_a_store = |found| Err(StoreError::NotAStore { file: name(), found });
    match (first_bytes(file), presence) {
        (Err(error), Presence::Optional) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        (Err(error), Presence::Required) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(StoreError::NoFile { file: name() });
        }
        (Err(source), _) => return Err(StoreError::File { action: "read", file: name(), source }),
        (Ok(bytes), Presence::Optional) if bytes.is_empty() => return Ok(0),
        (Ok(bytes), _) if bytes.is_empty() => return not_a_store("the file is empty"),
        (Ok(bytes), _) if bytes != MAGIC => return not_a_store("it is no SQLite database"),
        (Ok(_), _) => {}
    }
    let mut connection = connect_to_read(file).await?;
    let schema = schema_of(&mut connection).await;
    let _ = connection.close().await;
    let (schema, tables) = schema?;
    let is_new = schema == 0 && tables == 0;
    match (schema, presence) {
        (0, Presence::Optional) if is_new => Ok(0),
        (0, _) => not_a_store("it is a SQLite database with other tables"),
        (found, _) if found > newest() => Err(StoreError::Newer { file: name(), found, known: newest() }),
        (found, _) => Ok(found),
    }
}

fn first_bytes(file: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(MAGIC.len());
    File::open(file)?.take(MAGIC.len() as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// How a file is opened that another process may write to.
pub(super) fn read_options(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new().filename(file).read_only(true).busy_timeout(BUSY_TIMEOUT)
}

/// Opens a file that another process may write to.
pub(super) async fn connect_to_read(file: &Path) -> Result<SqliteConnection, StoreError> {
    let options = read_options(file);
    let failed = |source| StoreError::Open { url: format!("sqlite:{}", file.display()), source };
    SqliteConnection::connect_with(&options).await.map_err(failed)
}

/// Returns the number of the schema, 0 if it is not one of Harrier's, and the number of other tables.
async fn schema_of(connection: &mut SqliteConnection) -> Result<(i64, i64), StoreError> {
    let action = "read its schema";
    let tables: i64 = sqlx::query_scalar(
        "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name <> '_sqlx_migrations'",
    )
    .fetch_one(&mut *connection)
    .await
    .during(action)?;
    let own: i64 = sqlx::query_scalar(
        "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name IN ('_sqlx_migrations', 'diagnoses')",
    )
    .fetch_one(&mut *connection)
    .await
    .during(action)?;
    if own < 2 {
        return Ok((0, tables));
    }
    let version: Option<i64> = sqlx::query_scalar("SELECT MAX(version) FROM _sqlx_migrations WHERE success")
        .fetch_one(connection)
        .await
        .during(action)?;
    Ok((version.unwrap_or(0), tables))
}
