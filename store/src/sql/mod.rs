//! All SQL of Harrier. Statements use what SQLite and PostgreSQL share: numbered parameters, `ON CONFLICT`,
//! row order by explicit columns. What only SQLite has stands in this file.

mod diagnoses;
mod incidents;
mod records;

pub use diagnoses::Stored;
pub use records::Finding;

use std::str::FromStr;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Connection, Sqlite, SqliteConnection, SqlitePool, Transaction};

use crate::error::{During, StoreError};
use crate::limits::{Limits, TEXT_ID_BYTES};

static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!();

/// Connections of a file store; readers do not wait for the writer (write-ahead log).
const POOL_CONNECTIONS: u32 = 4;
/// How long a statement waits for another process that writes to the same file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// A handle to the database; clones share it.
#[derive(Clone, Debug)]
pub struct Store {
    pool: SqlitePool,
    limits: Limits,
    /// Diagnoses stored through this handle, to know when to prune.
    puts: Arc<AtomicU64>,
    /// Holds a database in memory open, whatever the pool does; never used.
    #[expect(dead_code, reason = "it is there to be dropped last")]
    keeper: Arc<Mutex<Option<SqliteConnection>>>,
}

impl Store {
    /// Opens the store at `url` with default [`Limits`], creating the file and bringing its tables to this version.
    ///
    /// `sqlite:FILE` is a file, `sqlite::memory:` a store that lives as long as its handles.
    ///
    /// # Errors
    /// The URL is of another kind, the file cannot be opened, or it was written by a newer version.
    pub async fn open(url: &str) -> Result<Store, StoreError> {
        Store::open_with(url, Limits::default()).await
    }

    /// Opens the store at `url` with limits of its own; see [`Store::open`].
    ///
    /// # Errors
    /// As [`Store::open`].
    pub async fn open_with(url: &str, limits: Limits) -> Result<Store, StoreError> {
        if !url.starts_with("sqlite:") {
            return Err(StoreError::UnsupportedUrl(url.to_string()));
        }
        let cannot_open = |source| StoreError::Open { url: url.to_string(), source };
        let options = SqliteConnectOptions::from_str(url).map_err(cannot_open)?;
        let in_memory = url.contains(":memory:") || url.contains("mode=memory");
        let options = options
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Normal)
            .foreign_keys(true)
            .busy_timeout(BUSY_TIMEOUT);
        // A database in memory dies with its last connection, and the pool gives a connection up when whoever used it
        // goes away half-way.
        let keeper = match in_memory {
            true => Some(SqliteConnection::connect_with(&options).await.map_err(cannot_open)?),
            false => None,
        };
        let pool = if in_memory {
            // Several connections to one memory would get in each other's way.
            SqlitePoolOptions::new()
                .min_connections(1)
                .max_connections(1)
                .idle_timeout(None)
                .max_lifetime(None)
        } else {
            SqlitePoolOptions::new().max_connections(POOL_CONNECTIONS)
        };
        let pool = pool.connect_with(options).await.map_err(cannot_open)?;
        MIGRATIONS.run(&pool).await.map_err(|source| StoreError::Migrate { url: url.to_string(), source })?;
        Ok(Store { pool, limits, puts: Arc::default(), keeper: Arc::new(Mutex::new(keeper)) })
    }

    /// The limits it was opened with.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// It does not.
    pub async fn ping(&self) -> Result<(), StoreError> {
        sqlx::query("SELECT 1").execute(&self.pool).await.during("was asked whether it is there")?;
        Ok(())
    }

    /// Writes everything out and closes the connections; later calls fail.
    pub async fn close(&self) {
        self.pool.close().await;
    }

    /// A transaction that holds the write lock from its start, so that it cannot fail half-way for a lock.
    async fn write(&self, action: &'static str) -> Result<Transaction<'static, Sqlite>, StoreError> {
        self.pool.begin_with("BEGIN IMMEDIATE").await.during(action)
    }
}

/// A time as SQL keeps it. Beyond 2^63 ns (the year 2262) it stays at the end; the JSON body keeps it exact.
fn sql_ns(time_ns: u64) -> i64 {
    i64::try_from(time_ns).unwrap_or(i64::MAX)
}

/// The inverse of [`sql_ns`]; also for counts.
fn from_sql(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// The JSON of a value. It is read back first: JSON writes a number that is none (NaN, infinity) as null, which
/// would be found only when somebody asks for the row.
fn encode<T: Serialize + DeserializeOwned>(
    what: &'static str,
    id: &str,
    value: &T,
) -> Result<String, StoreError> {
    let refuse = |source| StoreError::Encode { what, id: id.to_string(), source };
    let body = serde_json::to_string(value).map_err(refuse)?;
    serde_json::from_str::<T>(&body).map_err(refuse)?;
    Ok(body)
}

fn decode<T: DeserializeOwned>(what: &'static str, id: &str, body: &str) -> Result<T, StoreError> {
    serde_json::from_str(body).map_err(|source| StoreError::Corrupt { what, id: id.to_string(), source })
}

fn check_id(id: &str) -> Result<(), StoreError> {
    if id.is_empty() || id.len() > TEXT_ID_BYTES {
        return Err(StoreError::BadId { length: id.len() });
    }
    Ok(())
}
