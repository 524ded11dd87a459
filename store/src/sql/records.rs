//! Topology, snapshots and findings: bodies that are kept as they are.

use model::{Snapshot, Topology};
use serde::{Deserialize, Serialize};
use sqlx::SqliteConnection;

use super::{Store, check_id, decode, encode, sql_ns};
use crate::error::{During, StoreError};

/// The one topology that is current.
const CURRENT: &str = "current";

/// A finding of the configuration checker, as it is printed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Stable id.
    pub id: String,
    /// Code of the rule.
    pub code: String,
    /// `error`, `warning` or `info`.
    pub severity: String,
    /// The finding's JSON.
    pub body: serde_json::Value,
}

impl Store {
    /// Stores the topology in place of the one before.
    ///
    /// # Errors
    /// The database fails.
    pub async fn put_topology(&self, topology: &Topology) -> Result<(), StoreError> {
        let body = encode("topology", CURRENT, topology)?;
        sqlx::query(
            "INSERT INTO topologies (name, body) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET body = excluded.body",
        )
        .bind(CURRENT)
        .bind(body)
        .execute(&self.pool)
        .await
        .during("stored the topology")?;
        Ok(())
    }

    /// The current topology; absent before the first was stored.
    ///
    /// # Errors
    /// The database fails, or what it holds cannot be read.
    pub async fn topology(&self) -> Result<Option<Topology>, StoreError> {
        let body: Option<String> = sqlx::query_scalar("SELECT body FROM topologies WHERE name = $1")
            .bind(CURRENT)
            .fetch_optional(&self.pool)
            .await
            .during("read the topology")?;
        body.map(|body| decode("topology", CURRENT, &body)).transpose()
    }

    /// Stores the snapshot that a diagnosis was made from, under the diagnosis' id. An id that is there
    /// already changes nothing.
    ///
    /// # Errors
    /// The id is empty or too long, or the database fails.
    pub async fn put_snapshot(&self, id: &str, time_ns: u64, snapshot: &Snapshot) -> Result<(), StoreError> {
        check_id(id)?;
        let body = encode("snapshot", id, snapshot)?;
        sqlx::query(
            "INSERT INTO snapshots (id, time_ns, body) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING",
        )
        .bind(id)
        .bind(sql_ns(time_ns))
        .bind(body)
        .execute(&self.pool)
        .await
        .during("stored a snapshot")?;
        Ok(())
    }

    /// The snapshot called `id`.
    ///
    /// # Errors
    /// The database fails, or what it holds cannot be read.
    pub async fn snapshot(&self, id: &str) -> Result<Option<Snapshot>, StoreError> {
        let body: Option<String> = sqlx::query_scalar("SELECT body FROM snapshots WHERE id = $1")
            .bind(id)
            .fetch_optional(&self.pool)
            .await
            .during("read a snapshot")?;
        body.map(|body| decode("snapshot", id, &body)).transpose()
    }

    /// Stores a finding; the same id again replaces it.
    ///
    /// # Errors
    /// The id is empty or too long, or the database fails.
    pub async fn put_finding(&self, finding: &Finding) -> Result<(), StoreError> {
        check_id(&finding.id)?;
        let body = encode("finding", &finding.id, &finding.body)?;
        sqlx::query(
            "INSERT INTO findings (id, code, severity, body) VALUES ($1, $2, $3, $4) ON CONFLICT (id) \
             DO UPDATE SET code = excluded.code, severity = excluded.severity, body = excluded.body",
        )
        .bind(&finding.id)
        .bind(&finding.code)
        .bind(&finding.severity)
        .bind(body)
        .execute(&self.pool)
        .await
        .during("stored a finding")?;
        Ok(())
    }

    /// All findings, by code and id.
    ///
    /// # Errors
    /// The database fails, or what it holds cannot be read.
    pub async fn findings(&self) -> Result<Vec<Finding>, StoreError> {
        let rows: Vec<(String, String, String, String)> =
            sqlx::query_as("SELECT id, code, severity, body FROM findings ORDER BY code, id")
                .fetch_all(&self.pool)
                .await
                .during("listed findings")?;
        rows.into_iter()
            .map(|(id, code, severity, body)| {
                let body = decode("finding", &id, &body)?;
                Ok(Finding { id, code, severity, body })
            })
            .collect()
    }
}

/// Keeps the newest `keep` snapshots.
pub(super) async fn prune_snapshots(tx: &mut SqliteConnection, keep: u32) -> Result<(), sqlx::Error> {
    let oldest: Option<(i64, String)> =
        sqlx::query_as("SELECT time_ns, id FROM snapshots ORDER BY time_ns DESC, id DESC LIMIT 1 OFFSET $1")
            .bind(i64::from(keep))
            .fetch_optional(&mut *tx)
            .await?;
    if let Some((time_ns, id)) = oldest {
        sqlx::query("DELETE FROM snapshots WHERE time_ns < $1 OR (time_ns = $1 AND id <= $2)")
            .bind(time_ns)
            .bind(id)
            .execute(&mut *tx)
            .await?;
    }
    Ok(())
}
