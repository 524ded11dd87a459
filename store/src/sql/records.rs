//! Storage of the topology, snapshots and findings, whose JSON is stored unchanged; that of
//! snapshots is compressed.

use model::{Snapshot, Topology};
use serde::{Deserialize, Serialize};

use super::database::{At, Link};
use super::statement::{scalar, sql};
use super::{Store, check_id, decode, encode, sql_ns};
use crate::compression::{compress, decompress};
use crate::error::{During, StoreError};

/// Name of the current topology, the only one that is stored.
pub(super) const CURRENT: &str = "current";

/// A finding of the configuration checker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Stable id.
    pub id: String,
    /// Code of the rule, e.g. `BUF001`.
    pub code: String,
    /// `error`, `warning` or `info`.
    pub severity: String,
    /// The finding as `harrier check --format json` prints it.
    pub body: serde_json::Value,
}

impl Store {
    /// Stores the topology. It replaces the previous one.
    ///
    /// # Errors
    /// The database fails.
    pub async fn put_topology(&self, topology: &Topology) -> Result<(), StoreError> {
        let body = encode("topology", CURRENT, topology)?;
        sql(
            "INSERT INTO topologies (name, body) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET body = excluded.body",
        )
        .bind(CURRENT)
        .bind(body)
        .execute(At::Writer(&self.database))
        .await
        .during("store the topology")?;
        Ok(())
    }

    /// Returns the current topology; `None` if none has been stored.
    ///
    /// # Errors
    /// The database fails, or a stored body cannot be read.
    pub async fn topology(&self) -> Result<Option<Topology>, StoreError> {
        let body: Option<String> = scalar("SELECT body FROM topologies WHERE name = $1")
            .bind(CURRENT)
            .fetch_optional(&self.database)
            .await
            .during("read the topology")?;
        body.map(|body| decode("topology", CURRENT, &body)).transpose()
    }

    /// Returns the snapshot of the diagnosis with this id.
    ///
    /// # Errors
    /// The database fails, or a stored body cannot be read.
    pub async fn snapshot(&self, id: &str) -> Result<Option<Snapshot>, StoreError> {
        let row: Option<(String, Option<Vec<u8>>)> =
            sql("SELECT body, compressed FROM snapshots WHERE id = $1")
                .bind(id)
                .fetch_optional(&self.database)
                .await
                .during("read a snapshot")?;
        let Some((body, compressed)) = row else { return Ok(None) };
        decode("snapshot", id, &snapshot_text(id, body, compressed)?).map(Some)
    }

    /// Stores a finding. It replaces a finding with the same id.
    ///
    /// # Errors
    /// The id is empty or too long, or the database fails.
    pub async fn put_finding(&self, finding: &Finding) -> Result<(), StoreError> {
        check_id(&finding.id)?;
        let body = encode("finding", &finding.id, &finding.body)?;
        sql("INSERT INTO findings (id, code, severity, body) VALUES ($1, $2, $3, $4) ON CONFLICT (id) \
             DO UPDATE SET code = excluded.code, severity = excluded.severity, body = excluded.body")
        .bind(&finding.id)
        .bind(&finding.code)
        .bind(&finding.severity)
        .bind(body)
        .execute(At::Writer(&self.database))
        .await
        .during("store a finding")?;
        Ok(())
    }

    /// Lists all findings, ordered by code and id.
    ///
    /// # Errors
    /// The database fails, or a stored body cannot be read.
    pub async fn findings(&self) -> Result<Vec<Finding>, StoreError> {
        let rows: Vec<(String, String, String, String)> =
            sql("SELECT id, code, severity, body FROM findings ORDER BY code, id")
                .fetch_all(&self.database)
                .await
                .during("list findings")?;
        rows.into_iter()
            .map(|(id, code, severity, body)| {
                let body = decode("finding", &id, &body)?;
                Ok(Finding { id, code, severity, body })
            })
            .collect()
    }
}

/// Returns the JSON of a row of `snapshots`: `body` in a row of an older version that is not compressed yet.
pub(super) fn snapshot_text(
    id: &str,
    body: String,
    compressed: Option<Vec<u8>>,
) -> Result<String, StoreError> {
    let Some(compressed) = compressed else { return Ok(body) };
    decompress(&compressed).map_err(|error| StoreError::Corrupt {
        what: "snapshot",
        id: id.to_string(),
        source: serde::de::Error::custom(error),
    })
}

/// The JSON of a snapshot, as it is stored.
pub(super) struct PackedSnapshot {
    pub(super) compressed: Vec<u8>,
    /// Before the compression.
    pub(super) text_bytes: i64,
}

impl PackedSnapshot {
    pub(super) fn new(text: &str) -> PackedSnapshot {
        PackedSnapshot { compressed: compress(text), text_bytes: text.len() as i64 }
    }
}

/// Stores the JSON of the snapshot of the diagnosis with this id and time. A snapshot that is already
/// stored under this id stays as it is.
pub(super) async fn insert_snapshot(
    tx: &mut Link,
    id: &str,
    time_ns: u64,
    snapshot: &PackedSnapshot,
    wall_ns: u64,
) -> Result<(), sqlx::Error> {
    sql(
        "INSERT INTO snapshots (id, time_ns, body, wall_ns, compressed, body_bytes) VALUES ($1, $2, '', $3, $4, $5) \
         ON CONFLICT (id) DO NOTHING",
    )
    .bind(id)
    .bind(sql_ns(time_ns))
    .bind(sql_ns(wall_ns))
    .bind(&snapshot.compressed)
    .bind(snapshot.text_bytes)
    .execute(&mut *tx)
    .await?;
    Ok(())
}
