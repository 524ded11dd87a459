//! All SQL of Harrier. Statements use the common subset of SQLite and PostgreSQL: numbered parameters, `ON CONFLICT`,
//! window functions, row order by explicit columns. What differs is in `postgres` and, for SQLite, in this file, `schema`,
//! `lock`, `backup` and `stats`.

mod assign;
mod backup;
mod database;
mod diagnoses;
mod export;
mod findings;
mod flow_series;
mod handling;
mod import;
mod incidents;
mod lock;
mod outlines;
mod postgres;
mod records;
mod retention;
mod runs;
mod schema;
mod series;
mod statement;
mod stats;
mod upgrade;
mod uploads;
mod victims;
mod webhooks;

pub use backup::{Backup, backup};
pub use diagnoses::{DiagnosisRow, ListedDiagnosis, NewDiagnosis, Stored};
pub use export::Exported;
pub use import::Imported;
pub use incidents::OpenIncidents;
pub use records::Finding;
pub use retention::Removed;
pub use stats::{Size, Stats, TableStats, stats};
pub use uploads::{Arrival, Content, InboxRow, Report};
pub use webhooks::{WebhookAlerts, WebhookChanges};

use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Connection, SqliteConnection, SqlitePool};

use self::database::{Database, Link};
use self::lock::Lock;
use self::outlines::Outlines;
use self::schema::Presence;
use self::statement::sql;

use crate::error::{During, StoreError};
use crate::limits::{Limits, TEXT_ID_BYTES};

static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!();

/// Connections of a store. With the write-ahead log the writer of a file does not block readers. On two cores, eight write and
/// answer less than four do (`scripts/bench-rest.sh`).
const POOL_CONNECTIONS: u32 = 4;
/// How long a statement waits for the lock of another process that writes to the same file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum values in one statement; SQLite accepts 32,766 parameters.
const MAX_LISTED: usize = 1_000;

/// A handle to the database; clones share it.
#[derive(Clone, Debug)]
pub struct Store {
    database: Database,
    limits: Limits,
    /// New diagnoses through this handle and its clones; decides when to prune.
    puts: Arc<AtomicU64>,
    /// New uploads; decides when to prune reports.
    arrivals: Arc<AtomicU64>,
    /// Bytes in the inbox.
    inbox_bytes: Arc<AtomicU64>,
    /// The run of a simulated network; 0 without one.
    run: Arc<AtomicU64>,
    /// What opening the store has changed in it.
    migrated: Migrated,
    /// What lists of incidents have read of diagnoses.
    outlines: Outlines,
    /// Why the latest write of a diagnosis or upload failed; none if it succeeded.
    failure: Arc<Mutex<Option<String>>>,
    /// Keeps other processes from the file until the store is closed.
    lock: Arc<Mutex<Option<Lock>>>,
    /// Keeps a database in memory alive when the pool closes its connection; never used otherwise.
    #[expect(dead_code, reason = "held only until the last handle is dropped")]
    keeper: Arc<Mutex<Option<SqliteConnection>>>,
}

/// What opening a store of an older version has changed in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Migrated {
    /// The number of its schema before; 0: the store is new.
    pub from: i64,
    /// The number of its schema now.
    pub to: i64,
    /// Diagnoses of which new columns were filled.
    pub diagnoses: u64,
    /// Snapshots that were compressed.
    pub snapshots: u64,
}

impl Store {
    /// Opens the store at `url` with default [`Limits`]. Creates the file and migrates its tables where needed.
    ///
    /// `sqlite:FILE` is a file, `sqlite::memory:` a store in memory that lives as long as its handles.
    /// `sqlite:FILE?mode=ro` reads a file that another process may have open. `postgres://USER@HOST/DATABASE` is the first
    /// schema of the search path of a PostgreSQL database. The connection is not encrypted, and a URL that requires it
    /// (`sslmode=require`) is an error.
    ///
    /// # Errors
    /// The URL is of another kind, the file or server cannot be opened, it is not a store or is written by a newer
    /// version, or another process has it open.
    pub async fn open(url: &str) -> Result<Store, StoreError> {
        Store::open_with(url, Limits::default()).await
    }

    /// Opens the store at `url` with these limits; see [`Store::open`].
    ///
    /// # Errors
    /// As [`Store::open`].
    pub async fn open_with(url: &str, limits: Limits) -> Result<Store, StoreError> {
        if let Some(url) = postgres::server_url(Path::new(url)) {
            return Store::open_server(url, limits, Presence::Optional).await;
        }
        if !url.starts_with("sqlite:") {
            return Err(StoreError::UnsupportedUrl(url.to_string()));
        }
        let cannot_open = |source| StoreError::Open { url: url.to_string(), source };
        let options = SqliteConnectOptions::from_str(url).map_err(cannot_open)?;
        let in_memory = url.contains(":memory:") || url.contains("mode=memory");
        match in_memory {
            true => Store::open_memory(options, limits).await,
            false if url.contains("mode=ro") => Store::read(options.get_filename(), limits).await,
            false => {
                let file = options.get_filename().to_path_buf();
                Store::open_file(&file, options, limits, Presence::Optional).await
            }
        }
    }

    /// Opens the store in `file`, which exists, with these limits, and migrates its tables where needed. Instead of a
    /// file it may be the URL of a PostgreSQL database.
    ///
    /// # Errors
    /// As [`Store::open`], or there is no such store.
    pub async fn open_existing(file: &Path, limits: Limits) -> Result<Store, StoreError> {
        if let Some(url) = postgres::server_url(file) {
            return Store::open_server(url, limits, Presence::Required).await;
        }
        let options = SqliteConnectOptions::new().filename(file);
        Store::open_file(file, options, limits, Presence::Required).await
    }

    /// Opens the store in `file`, or at the URL of a PostgreSQL database, to read it; another process may use it meanwhile.
    ///
    /// # Errors
    /// There is no such file, it is not a store, or its schema is not that of this build.
    pub async fn open_to_read(file: &Path) -> Result<Store, StoreError> {
        Store::read(file, Limits::default()).await
    }

    async fn open_memory(options: SqliteConnectOptions, limits: Limits) -> Result<Store, StoreError> {
        let cannot_open = |source| StoreError::Open { url: "sqlite::memory:".into(), source };
        let options = options.synchronous(SqliteSynchronous::Off).foreign_keys(true);
        // A database in memory is deleted with its last connection, and the pool closes a connection whose query was
        // cancelled.
        let keeper = SqliteConnection::connect_with(&options).await.map_err(cannot_open)?;
        // Each connection to `:memory:` would open a separate database.
        let pool = pool_options(1)
            .min_connections(1)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_with(options)
            .await
            .map_err(cannot_open)?;
        let database = migrated_sqlite(pool, "sqlite::memory:").await?;
        let migrated = upgrade(&database, 0).await?;
        Store::with(database, limits, migrated, None, Some(keeper)).await
    }

    async fn open_file(
        file: &Path,
        options: SqliteConnectOptions,
        limits: Limits,
        presence: Presence,
    ) -> Result<Store, StoreError> {
        let url = format!("sqlite:{}", file.display());
        // Before anything is written: the file may be of another program.
        let schema = schema::examine(file, presence).await?;
        let options = options
            .create_if_missing(presence == Presence::Optional)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(BUSY_TIMEOUT);
        let pool = pool_options(POOL_CONNECTIONS).connect_with(options).await;
        let pool = pool.map_err(|source| StoreError::Open { url: url.clone(), source })?;
        let lock = Lock::of(file)?;
        let database = migrated_sqlite(pool, &url).await?;
        let migrated = upgrade(&database, schema).await?;
        Store::with(database, limits, migrated, Some(lock), None).await
    }

    async fn open_server(url: &str, limits: Limits, presence: Presence) -> Result<Store, StoreError> {
        if limits.max_bytes.is_some() {
            return Err(StoreError::NoSizeLimit { url: postgres::without_secrets(url) });
        }
        let (database, schema) = postgres::open(url, presence).await?;
        let failed = |source| StoreError::Migrate { url: postgres::without_secrets(url), source };
        postgres::migrate(&database).await.map_err(failed)?;
        let migrated = upgrade(&database, schema).await?;
        Store::with(database, limits, migrated, None, None).await
    }

    async fn read(file: &Path, limits: Limits) -> Result<Store, StoreError> {
        let check_schema = |found, file| match found < schema::newest() {
            true => Err(StoreError::Older { file, found, known: schema::newest() }),
            false => Ok(Migrated { from: found, to: found, ..Migrated::default() }),
        };
        if let Some(url) = postgres::server_url(file) {
            let (database, found) = postgres::open_to_read(url).await?;
            let migrated = check_schema(found, postgres::without_secrets(url))?;
            return Store::with(database, limits, migrated, None, None).await;
        }
        let found = schema::examine(file, Presence::Required).await?;
        let migrated = check_schema(found, file.display().to_string())?;
        let options = SqliteConnectOptions::new().filename(file).read_only(true).busy_timeout(BUSY_TIMEOUT);
        let pool = pool_options(POOL_CONNECTIONS).connect_with(options).await;
        let url = || format!("sqlite:{}", file.display());
        let pool = pool.map_err(|source| StoreError::Open { url: url(), source })?;
        Store::with(Database::Sqlite(pool), limits, migrated, None, None).await
    }

    async fn with(
        database: Database,
        limits: Limits,
        migrated: Migrated,
        lock: Option<Lock>,
        keeper: Option<SqliteConnection>,
    ) -> Result<Store, StoreError> {
        let inbox_bytes = uploads::inbox_bytes(&database).await?;
        Ok(Store {
            database,
            limits,
            puts: Arc::default(),
            arrivals: Arc::default(),
            inbox_bytes: Arc::new(AtomicU64::new(inbox_bytes)),
            run: Arc::default(),
            migrated,
            outlines: Outlines::default(),
            failure: Arc::default(),
            lock: Arc::new(Mutex::new(lock)),
            keeper: Arc::new(Mutex::new(keeper)),
        })
    }

    /// Returns what opening the store has changed in it.
    pub fn migrated(&self) -> Migrated {
        self.migrated
    }

    /// Returns the limits the store was opened with.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Checks that the database responds.
    ///
    /// # Errors
    /// It does not respond.
    pub async fn ping(&self) -> Result<(), StoreError> {
        sql("SELECT 1").execute(&self.database).await.during("respond")?;
        Ok(())
    }

    /// Writes pending changes, closes all connections and lets other processes open the file; later calls fail.
    pub async fn close(&self) {
        self.database.close().await;
        self.lock.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Returns why the latest write of a diagnosis or of uploads failed, e.g. because the medium is full; `None` if it
    /// succeeded. What was not stored is not acknowledged, and its sender repeats it.
    pub fn write_failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes whether the database could be written.
    fn note_write<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        let failure = match &result {
            Ok(_) => None,
            Err(StoreError::Query { source, .. }) => Some(source.to_string()),
            // The database has not been reached.
            Err(_) => return result,
        };
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = failure;
        result
    }

    /// Begins a transaction that takes the write lock at once, so that it cannot fail on the lock later.
    async fn write(&self, action: &'static str) -> Result<Link, StoreError> {
        self.database.write().await.during(action)
    }
}

/// Brings the tables of a SQLite database to the newest schema.
async fn migrated_sqlite(pool: SqlitePool, url: &str) -> Result<Database, StoreError> {
    let failed = |source| StoreError::Migrate { url: url.to_string(), source };
    MIGRATIONS.run(&pool).await.map_err(failed)?;
    Ok(Database::Sqlite(pool))
}

/// Brings the rows to the newest schema.
async fn upgrade(database: &Database, from: i64) -> Result<Migrated, StoreError> {
    let diagnoses = upgrade::fill_incidents(database).await?;
    upgrade::list_victims(database).await?;
    let snapshots = upgrade::compress_snapshots(database).await?;
    Ok(Migrated { from, to: schema::newest(), diagnoses, snapshots })
}

/// Returns the URL of the store that a user has named: a file, or the URL of a PostgreSQL database.
pub fn store_url(name: &Path) -> String {
    match postgres::server_url(name) {
        Some(url) => url.to_string(),
        None => format!("sqlite:{}", name.display()),
    }
}

/// Connections to a file do not break as those to a server: to test each before it is used would take as long as a short statement.
fn pool_options(connections: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new().max_connections(connections).test_before_acquire(false)
}

/// Checks the name of a store without opening it.
///
/// # Errors
/// It is a malformed URL of a PostgreSQL server.
pub fn check_url(name: &Path) -> Result<(), StoreError> {
    postgres::server_url(name).map_or(Ok(()), |url| postgres::options(url).map(drop))
}

/// Returns the URL of a store without its password, for messages.
pub fn shown_url(url: &str) -> String {
    match postgres::server_url(Path::new(url)) {
        Some(url) => postgres::without_secrets(url),
        None => url.to_string(),
    }
}

/// Converts a time for a column. A value above 2^63 - 1 ns is stored as that limit; the JSON body holds the exact one.
pub(crate) fn sql_ns(time_ns: u64) -> i64 {
    i64::try_from(time_ns).unwrap_or(i64::MAX)
}

/// The inverse of [`sql_ns`]; also used for counts.
fn from_sql(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// Returns the JSON of a value that holds no floating-point number.
fn encode<T: Serialize>(what: &'static str, id: &str, value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(unwritable(what, id))
}

fn decode<T: DeserializeOwned>(what: &'static str, id: &str, body: &str) -> Result<T, StoreError> {
    serde_json::from_str(body).map_err(corrupt(what, id))
}

/// The error for a value that cannot be written as JSON.
fn unwritable(what: &'static str, id: &str) -> impl FnOnce(serde_json::Error) -> StoreError {
    move |source| StoreError::Encode { what, id: id.to_string(), source }
}

/// The error for a stored body that cannot be read.
fn corrupt(what: &'static str, id: &str) -> impl FnOnce(serde_json::Error) -> StoreError {
    move |source| StoreError::Corrupt { what, id: id.to_string(), source }
}

fn check_id(id: &str) -> Result<(), StoreError> {
    if id.is_empty() || id.len() > TEXT_ID_BYTES {
        return Err(StoreError::BadId { length: id.len() });
    }
    Ok(())
}
