//! Brings rows of an older version into the form of this one: the columns next to the JSON of a diagnosis, and
//! compressed snapshots.

use model::Diagnosis;

use super::assign::{add_members, represent};
use super::database::{Database, Link};
use super::records::PackedSnapshot;
use super::statement::{scalar, sql};
use super::victims;
use crate::error::{During, StoreError};
use crate::incident::precedence;
use crate::names::severity_name;

/// Diagnoses, or incidents, of one transaction.
const GROUP: i64 = 500;
/// Snapshots of one transaction; they are large.
const SNAPSHOT_GROUP: i64 = 20;

/// Fills the columns and rows that migration 3 has added. Does nothing in a store that has none to fill.
///
/// Returns the number of diagnoses that it has filled.
pub(super) async fn fill_incidents(database: &Database) -> Result<u64, StoreError> {
    let action = "migrate incidents";
    let mut filled = 0;
    loop {
        let mut tx = database.write().await.during(action)?;
        let rows: Vec<(String, String, String)> =
            sql("SELECT id, incident, body FROM diagnoses WHERE precedence IS NULL ORDER BY id LIMIT $1")
                .bind(GROUP)
                .fetch_all(&mut tx)
                .await
                .during(action)?;
        for (id, incident, body) in &rows {
            fill(&mut tx, id, incident, body).await.during(action)?;
        }
        if rows.is_empty() {
            represent(&mut tx, "precedence IS NULL").await.during(action)?;
            tx.commit().await.during(action)?;
            return Ok(filled);
        }
        tx.commit().await.during(action)?;
        filled += rows.len() as u64;
        tracing::info!(diagnoses = rows.len(), "migrated diagnoses of an older version");
    }
}

/// Lists the victims of incidents of versions before schema 6. Does nothing in a store that has none.
pub(super) async fn list_victims(database: &Database) -> Result<(), StoreError> {
    let action = "list the victims of incidents";
    loop {
        let mut tx = database.write().await.during(action)?;
        let incidents: Vec<String> =
            scalar("SELECT id FROM incidents WHERE victims IS NULL ORDER BY id LIMIT $1")
                .bind(GROUP)
                .fetch_all(&mut tx)
                .await
                .during(action)?;
        if incidents.is_empty() {
            return Ok(());
        }
        let ids: Vec<&str> = incidents.iter().map(String::as_str).collect();
        victims::list(&mut tx, &ids).await.during(action)?;
        tx.commit().await.during(action)?;
        tracing::info!(incidents = incidents.len(), "migrated incidents of an older version");
    }
}

/// Compresses the snapshots of versions before schema 5. Does nothing in a store that has none.
///
/// Returns the number of snapshots that it has compressed.
pub(super) async fn compress_snapshots(database: &Database) -> Result<u64, StoreError> {
    let action = "compress snapshots";
    let mut compressed = 0;
    loop {
        let mut tx = database.write().await.during(action)?;
        let rows: Vec<(String, String)> =
            sql("SELECT id, body FROM snapshots WHERE compressed IS NULL ORDER BY id LIMIT $1")
                .bind(SNAPSHOT_GROUP)
                .fetch_all(&mut tx)
                .await
                .during(action)?;
        if rows.is_empty() {
            return Ok(compressed);
        }
        for (id, body) in &rows {
            let packed = PackedSnapshot::new(body);
            sql("UPDATE snapshots SET body = '', compressed = $2, body_bytes = $3 WHERE id = $1")
                .bind(id)
                .bind(packed.compressed)
                .bind(packed.text_bytes)
                .execute(&mut tx)
                .await
                .during(action)?;
        }
        tx.commit().await.during(action)?;
        compressed += rows.len() as u64;
        tracing::info!(snapshots = rows.len(), "compressed snapshots of an older version");
    }
}

async fn fill(tx: &mut Link, id: &str, incident: &str, body: &str) -> Result<(), sqlx::Error> {
    // A body that cannot be read is an error when it is read; it must not keep the store from opening.
    let diagnosis = Diagnosis::from_json(body).ok();
    let (precedence, severity) = match &diagnosis {
        Some(diagnosis) => (precedence(diagnosis), severity_name(diagnosis.severity)),
        None => (0, severity_name(model::Severity::Info)),
    };
    sql("UPDATE diagnoses SET precedence = $2, severity = $3 WHERE id = $1")
        .bind(id)
        .bind(precedence)
        .bind(severity)
        .execute(&mut *tx)
        .await?;
    match &diagnosis {
        Some(diagnosis) => add_members(tx, incident, diagnosis).await.map(|_| ()),
        None => Ok(()),
    }
}
