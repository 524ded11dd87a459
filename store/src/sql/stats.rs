//! What is in the file of a store, and how much room it takes.

use std::path::{Path, PathBuf};

use serde::Serialize;
use sqlx::sqlite::SqlitePoolOptions;

use super::database::{Database, Link};
use super::postgres::server_url;
use super::schema::{self, Presence, examine, read_options};
use super::statement::{scalar, sql};
use super::{Store, from_sql};
use crate::error::{During, StoreError};

/// The tables of a store, in the order in which they are listed.
const TABLES: [&str; 18] = [
    "diagnoses",
    "graphs",
    "snapshots",
    "incidents",
    "occurrences",
    "incident_ports",
    "incident_flows",
    "notes",
    "findings",
    "topologies",
    "port_series",
    "flow_series",
    "reports",
    "inbox",
    "sources",
    "webhooks",
    "webhook_waiting",
    "webhook_firing",
];
/// The schema that brought wall clocks.
const SCHEMA_WITH_WALL_CLOCKS: i64 = 3;
/// The schema that compresses snapshots.
const SCHEMA_WITH_COMPRESSION: i64 = 5;

/// The tables and the bytes of their pages, with those of their indexes.
const SQLITE_SIZES: &str = "SELECT m.tbl_name, SUM(s.pgsize) FROM dbstat s JOIN sqlite_master m ON m.name = s.name \
                            WHERE s.aggregate = TRUE GROUP BY m.tbl_name";
const POSTGRES_SIZES: &str = "SELECT CAST(c.relname AS TEXT), pg_total_relation_size(c.oid) FROM pg_class c \
                              JOIN pg_namespace n ON n.oid = c.relnamespace \
                              WHERE n.nspname = current_schema() AND c.relkind = 'r'";

/// The contents of a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// The number of its schema.
    pub schema: i64,
    /// The number of the newest schema that this build writes.
    pub newest_schema: i64,
    /// The size of the file.
    pub file_bytes: u64,
    /// The size of the write-ahead log next to it: changes that are stored and not in the file yet.
    pub log_bytes: u64,
    /// Bytes of the file that removed rows have left, and that new ones use.
    pub free_bytes: u64,
    /// Bytes of the JSON of all snapshots; absent in a schema that does not compress it.
    pub snapshot_text_bytes: Option<u64>,
    /// Bytes that the compressed JSON of all snapshots takes.
    pub snapshot_stored_bytes: Option<u64>,
    /// The tables.
    pub tables: Vec<TableStats>,
    /// When the oldest diagnosis arrived, in nanoseconds of a wall clock since 1970; absent if that is not stored.
    pub oldest_wall_ns: Option<u64>,
    /// When the newest diagnosis arrived, in nanoseconds of a wall clock since 1970; absent if that is not stored.
    pub newest_wall_ns: Option<u64>,
}

/// The contents of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableStats {
    /// Its name.
    pub name: &'static str,
    /// Its rows.
    pub rows: u64,
    /// The bytes of its pages, with those of its indexes.
    pub bytes: u64,
}

/// The size of a store, as a server reports it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Bytes of pages with rows; those that removed rows have left are not counted.
    pub used_bytes: u64,
    /// Bytes of all pages.
    pub file_bytes: u64,
    /// Rows of the tables that grow.
    pub rows: Vec<(&'static str, u64)>,
}

/// Returns the contents of the store in `file`, or at the URL of a PostgreSQL database, of this schema or an older one. A
/// process that uses it goes on. PostgreSQL reports neither the size of the log nor the free room: both are 0.
///
/// # Errors
/// It is not a store, has a newer schema, or cannot be read.
pub async fn stats(file: &Path) -> Result<Stats, StoreError> {
    let action = "measure itself";
    if let Some(url) = server_url(file) {
        let (database, schema) = super::postgres::open_to_read(url).await?;
        let measured = read(&database, schema).await;
        database.close().await;
        return measured.during(action);
    }
    let schema = examine(file, Presence::Required).await?;
    let pool = SqlitePoolOptions::new().max_connections(1).connect_with(read_options(file)).await;
    let open_failed = |source| StoreError::Open { url: format!("sqlite:{}", file.display()), source };
    let database = Database::Sqlite(pool.map_err(open_failed)?);
    let measured = read(&database, schema).await;
    database.close().await;
    let mut stats = measured.during(action)?;
    stats.file_bytes = bytes_of(file);
    stats.log_bytes = bytes_of(&PathBuf::from(format!("{}-wal", file.display())));
    Ok(stats)
}

async fn read(database: &Database, schema: i64) -> Result<Stats, sqlx::Error> {
    // One state of all tables.
    let mut tx = database.read().await?;
    let sizes: Vec<(String, i64)> = match tx {
        Link::Sqlite(_) => sql(SQLITE_SIZES).fetch_all(&mut tx).await?,
        Link::Postgres(_) => sql(POSTGRES_SIZES).fetch_all(&mut tx).await?,
    };
    let mut tables = Vec::with_capacity(TABLES.len());
    for name in TABLES {
        // An older schema does not have all of them.
        if let Some((_, bytes)) = sizes.iter().find(|(table, _)| table == name) {
            tables.push(TableStats { name, rows: rows(&mut tx, name).await?, bytes: from_sql(*bytes) });
        }
    }
    let (oldest, newest): (Option<i64>, Option<i64>) = if schema < SCHEMA_WITH_WALL_CLOCKS {
        (None, None)
    } else {
        sql("SELECT MIN(wall_ns), MAX(wall_ns) FROM diagnoses WHERE wall_ns > 0").fetch_one(&mut tx).await?
    };
    let (text, stored): (Option<i64>, Option<i64>) = if schema < SCHEMA_WITH_COMPRESSION {
        (None, None)
    } else {
        sql("SELECT CAST(SUM(body_bytes) AS BIGINT), CAST(SUM(LENGTH(compressed)) AS BIGINT) FROM snapshots")
            .fetch_one(&mut tx)
            .await?
    };
    let pages = Pages::read(&mut tx).await?;
    Ok(Stats {
        schema,
        newest_schema: schema::newest(),
        file_bytes: pages.all.saturating_mul(pages.page_bytes),
        log_bytes: 0,
        free_bytes: pages.free_bytes(),
        snapshot_text_bytes: text.map(from_sql),
        snapshot_stored_bytes: stored.map(from_sql),
        tables,
        oldest_wall_ns: oldest.map(from_sql),
        newest_wall_ns: newest.map(from_sql),
    })
}

async fn rows(connection: &mut Link, table: &'static str) -> Result<u64, sqlx::Error> {
    let mut query = sql("SELECT COUNT(*) FROM ");
    query.push(table);
    let count: i64 = query.scalar().fetch_one(connection).await?;
    Ok(from_sql(count))
}

/// Returns the size of a file; 0 if there is none.
fn bytes_of(file: &Path) -> u64 {
    file.metadata().map_or(0, |metadata| metadata.len())
}

/// The pages of a database.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pages {
    page_bytes: u64,
    all: u64,
    free: u64,
}

impl Pages {
    /// Reads the numbers of pages, as the connection's transaction sees them.
    ///
    /// PostgreSQL does not report how many are free: all are counted as used, with a size of one byte.
    pub(super) async fn read(connection: &mut Link) -> Result<Pages, sqlx::Error> {
        if matches!(connection, Link::Postgres(_)) {
            let sizes: Vec<(String, i64)> = sql(POSTGRES_SIZES).fetch_all(connection).await?;
            let all = sizes.iter().map(|(_, bytes)| from_sql(*bytes)).sum();
            return Ok(Pages { page_bytes: 1, all, free: 0 });
        }
        let page_bytes: i64 = scalar("PRAGMA page_size").fetch_one(&mut *connection).await?;
        let all: i64 = scalar("PRAGMA page_count").fetch_one(&mut *connection).await?;
        let free: i64 = scalar("PRAGMA freelist_count").fetch_one(&mut *connection).await?;
        Ok(Pages { page_bytes: from_sql(page_bytes), all: from_sql(all), free: from_sql(free) })
    }

    /// Bytes of pages with rows.
    pub(super) fn used_bytes(&self) -> u64 {
        self.all.saturating_sub(self.free).saturating_mul(self.page_bytes)
    }

    fn free_bytes(&self) -> u64 {
        self.free.saturating_mul(self.page_bytes)
    }
}

impl Store {
    /// Returns the size of the store. It counts rows, so it takes milliseconds, and is for a scrape of metrics.
    ///
    /// # Errors
    /// The database fails.
    pub async fn size(&self) -> Result<Size, StoreError> {
        let action = "measure itself";
        let mut connection = self.database.read().await.during(action)?;
        let pages = Pages::read(&mut connection).await.during(action)?;
        let mut counted = Vec::new();
        for table in
            ["diagnoses", "snapshots", "incidents", "notes", "port_series", "flow_series", "reports", "inbox"]
        {
            counted.push((table, rows(&mut connection, table).await.during(action)?));
        }
        Ok(Size {
            used_bytes: pages.used_bytes(),
            file_bytes: pages.all.saturating_mul(pages.page_bytes),
            rows: counted,
        })
    }
}
