//! Diagnoses and their graphs.

use std::sync::atomic::Ordering;

use model::{Diagnosis, FlowKey, ProvenanceGraph, Snapshot};

use super::database::Link;
use super::records::PackedSnapshot;
use super::statement::{Statement, scalar, sql};
use super::{Store, check_id, decode, encode, encode_checked, from_sql, sql_ns};
use crate::error::{During, StoreError};
use crate::filter::{Cursor, DiagnosisFilter, Page, page_rows};
use crate::incident::{Incident, precedence};
use crate::limits::PRUNE_EVERY;
use crate::names::{anomaly_name, cause_name, severity_name};

/// The effect of storing a diagnosis.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// Whether the diagnosis is new.
    pub new: bool,
    /// The id under which it is stored; see [`Store::begin_run`].
    pub id: String,
    /// When it arrived first.
    pub wall_ns: u64,
    /// The incident it belongs to, with this diagnosis.
    pub incident: Incident,
    /// Whether it is the incident's first diagnosis.
    pub first: bool,
}

/// A stored diagnosis.
#[derive(Clone, Debug, PartialEq)]
pub struct DiagnosisRow {
    /// The diagnosis.
    pub diagnosis: Diagnosis,
    /// When it arrived, in nanoseconds of a wall clock since 1970; 0 if an older version has stored none.
    pub wall_ns: u64,
}

impl DiagnosisRow {
    fn decode(id: &str, wall_ns: i64, body: &str) -> Result<DiagnosisRow, StoreError> {
        Ok(DiagnosisRow { diagnosis: decode("diagnosis", id, body)?, wall_ns: from_sql(wall_ns) })
    }
}

impl Store {
    /// Stores a diagnosis that arrived at `wall_ns` with its graph and the snapshot it was made from, and assigns it to
    /// its incident, all in one transaction. A diagnosis or snapshot whose id is already stored stays as it is.
    ///
    /// # Errors
    /// The id is empty or too long, a value cannot be written as JSON, or the database fails. Nothing is stored then.
    pub async fn record(
        &self,
        diagnosis: &Diagnosis,
        graph: &ProvenanceGraph,
        snapshot: Option<&Snapshot>,
        wall_ns: u64,
    ) -> Result<Stored, StoreError> {
        let recorded = self.record_one(diagnosis, graph, snapshot, wall_ns).await;
        let stored = self.note_write(recorded)?;
        if stored.new && self.puts.fetch_add(1, Ordering::Relaxed) % PRUNE_EVERY == PRUNE_EVERY - 1 {
            // The diagnosis is stored whether or not this succeeds.
            if let Err(error) = self.prune(wall_ns).await {
                tracing::warn!(%error, "old rows are not removed");
            }
        }
        Ok(stored)
    }

    async fn record_one(
        &self,
        diagnosis: &Diagnosis,
        graph: &ProvenanceGraph,
        snapshot: Option<&Snapshot>,
        wall_ns: u64,
    ) -> Result<Stored, StoreError> {
        let action = "store a diagnosis";
        check_id(&diagnosis.id)?;
        let diagnosis = &Diagnosis { id: self.id_in_run(&diagnosis.id), ..diagnosis.clone() };
        check_id(&diagnosis.id)?;
        let body = encode_checked("diagnosis", &diagnosis.id, diagnosis)?;
        let graph = encode_checked("graph", &diagnosis.id, graph)?;
        let snapshot = snapshot.map(|snapshot| encode("snapshot", &diagnosis.id, snapshot)).transpose()?;
        let snapshot = snapshot.as_deref().map(PackedSnapshot::new);
        let mut tx = self.write(action).await?;
        if let Some(snapshot) = &snapshot {
            super::records::insert_snapshot(&mut tx, &diagnosis.id, diagnosis.time_ns, snapshot, wall_ns)
                .await
                .during(action)?;
        }
        let known: Option<(String, i64)> = sql("SELECT incident, wall_ns FROM diagnoses WHERE id = $1")
            .bind(&diagnosis.id)
            .fetch_optional(&mut tx)
            .await
            .during(action)?;
        let new = known.is_none();
        let (incident, first, wall_ns) = match known {
            Some((incident, wall_ns)) => (incident, false, from_sql(wall_ns)),
            None => {
                let (incident, first) =
                    self.assign_incident(&mut tx, diagnosis, wall_ns).await.during(action)?;
                let row = NewRow {
                    run: self.run(),
                    wall_ns,
                    incident: &incident,
                    body: &body,
                    graph: Some(&graph),
                };
                insert(&mut tx, diagnosis, &row).await.during(action)?;
                (incident, first, wall_ns)
            }
        };
        // Read before old rows are removed: this diagnosis may itself be the oldest.
        let incident = super::incidents::read_one(&mut tx, &incident).await?.ok_or(StoreError::Query {
            action: "read the incident of a new diagnosis",
            source: sqlx::Error::RowNotFound,
        })?;
        tx.commit().await.during(action)?;
        Ok(Stored { new, id: diagnosis.id.clone(), wall_ns, incident, first })
    }

    /// Returns the diagnosis with this id.
    ///
    /// # Errors
    /// The database fails, or a stored body cannot be read.
    pub async fn diagnosis(&self, id: &str) -> Result<Option<DiagnosisRow>, StoreError> {
        let row: Option<(i64, String)> = sql("SELECT wall_ns, body FROM diagnoses WHERE id = $1")
            .bind(id)
            .fetch_optional(&self.database)
            .await
            .during("read a diagnosis")?;
        row.map(|(wall_ns, body)| DiagnosisRow::decode(id, wall_ns, &body)).transpose()
    }

    /// Returns the provenance graph of the diagnosis with this id.
    ///
    /// # Errors
    /// The database fails, or a stored body cannot be read.
    pub async fn graph(&self, id: &str) -> Result<Option<ProvenanceGraph>, StoreError> {
        let body: Option<String> = scalar("SELECT body FROM graphs WHERE diagnosis = $1")
            .bind(id)
            .fetch_optional(&self.database)
            .await
            .during("read a graph")?;
        body.map(|body| decode("graph", id, &body)).transpose()
    }

    /// Returns the id of the incident that the diagnosis with this id belongs to.
    ///
    /// # Errors
    /// The database fails.
    pub async fn incident_of(&self, id: &str) -> Result<Option<String>, StoreError> {
        scalar("SELECT incident FROM diagnoses WHERE id = $1")
            .bind(id)
            .fetch_optional(&self.database)
            .await
            .during("read a diagnosis")
    }

    /// Lists the diagnoses that match `filter`, latest arrival first.
    ///
    /// # Errors
    /// The database fails, or a stored body cannot be read.
    pub async fn diagnoses(&self, filter: &DiagnosisFilter) -> Result<Page<DiagnosisRow>, StoreError> {
        let limit = page_rows(filter.limit);
        let query = select(filter, limit);
        let rows: Vec<(String, i64, i64, String)> =
            query.fetch_all(&self.database).await.during("list diagnoses")?;
        let page = Page::cut(rows, limit, |(id, wall_ns, time_ns, _)| Cursor {
            wall_ns: from_sql(*wall_ns),
            time_ns: from_sql(*time_ns),
            id: id.clone(),
        });
        let rows = page.rows.iter().map(|(id, wall_ns, _, body)| DiagnosisRow::decode(id, *wall_ns, body));
        Ok(Page { rows: rows.collect::<Result<_, _>>()?, next: page.next })
    }

    /// Returns the number of stored diagnoses.
    ///
    /// # Errors
    /// The database fails.
    pub async fn diagnosis_count(&self) -> Result<u64, StoreError> {
        let count: i64 = scalar("SELECT COUNT(*) FROM diagnoses")
            .fetch_one(&self.database)
            .await
            .during("count diagnoses")?;
        Ok(from_sql(count))
    }
}

/// What is stored beside a new diagnosis.
pub(super) struct NewRow<'r> {
    pub(super) run: i64,
    pub(super) wall_ns: u64,
    pub(super) incident: &'r str,
    pub(super) body: &'r str,
    pub(super) graph: Option<&'r str>,
}

pub(super) async fn insert(
    tx: &mut Link,
    diagnosis: &Diagnosis,
    row: &NewRow<'_>,
) -> Result<(), sqlx::Error> {
    // The columns of a verdict without a victim are empty, so that no filter by address matches it.
    let victim = diagnosis.victim;
    let number = |of: fn(&FlowKey) -> i64| victim.as_ref().map_or(0, of);
    sql(
        "INSERT INTO diagnoses (id, time_ns, victim, src, dst, sport, dport, proto, anomaly, cause, confidence, \
         host, port, incident, body, run, wall_ns, severity, precedence) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)",
    )
    .bind(&diagnosis.id)
    .bind(sql_ns(diagnosis.time_ns))
    .bind(victim.map(|flow| flow.to_string()).unwrap_or_default())
    .bind(victim.map(|flow| flow.src.to_string()).unwrap_or_default())
    .bind(victim.map(|flow| flow.dst.to_string()).unwrap_or_default())
    .bind(number(|flow| i64::from(flow.sport)))
    .bind(number(|flow| i64::from(flow.dport)))
    .bind(number(|flow| i64::from(flow.proto)))
    .bind(anomaly_name(diagnosis.anomaly))
    .bind(cause_name(diagnosis.cause))
    .bind(diagnosis.confidence)
    .bind(diagnosis.root_cause.host.as_deref())
    .bind(diagnosis.root_cause.port.as_ref().map(ToString::to_string))
    .bind(row.incident)
    .bind(row.body)
    .bind(row.run)
    .bind(sql_ns(row.wall_ns))
    .bind(severity_name(diagnosis.severity))
    .bind(precedence(diagnosis))
    .execute(&mut *tx)
    .await?;
    if let Some(graph) = row.graph {
        sql("INSERT INTO graphs (diagnosis, body) VALUES ($1, $2)")
            .bind(&diagnosis.id)
            .bind(graph)
            .execute(&mut *tx)
            .await?;
    }
    Ok(())
}

fn select(filter: &DiagnosisFilter, limit: u32) -> Statement {
    let mut query = sql("SELECT id, wall_ns, time_ns, body FROM diagnoses WHERE 1 = 1");
    if let Some(src) = filter.src {
        query.push(" AND src = ").push_bind(src.to_string());
    }
    if let Some(dst) = filter.dst {
        query.push(" AND dst = ").push_bind(dst.to_string());
    }
    if let Some(sport) = filter.sport {
        query.push(" AND sport = ").push_bind(i64::from(sport));
    }
    if let Some(dport) = filter.dport {
        query.push(" AND dport = ").push_bind(i64::from(dport));
    }
    if let Some(proto) = filter.proto {
        query.push(" AND proto = ").push_bind(i64::from(proto));
    }
    if let Some(since_ns) = filter.since_ns {
        query.push(" AND time_ns >= ").push_bind(sql_ns(since_ns));
    }
    if let Some(until_ns) = filter.until_ns {
        query.push(" AND time_ns < ").push_bind(sql_ns(until_ns));
    }
    if let Some(incident) = &filter.incident {
        query.push(" AND incident = ").push_bind(incident.clone());
    }
    if let Some(anomaly) = filter.anomaly {
        query.push(" AND anomaly = ").push_bind(anomaly_name(anomaly));
    }
    if let Some(cause) = filter.cause {
        query.push(" AND cause = ").push_bind(cause_name(cause));
    }
    if let Some(severity) = filter.severity {
        query.push(" AND severity = ").push_bind(severity_name(severity));
    }
    if let Some(host) = &filter.host {
        query.push(" AND host = ").push_bind(host.clone());
    }
    if let Some(port) = &filter.port {
        query.push(" AND port = ").push_bind(port.to_string());
    }
    if let Some(after) = &filter.after {
        query.push(" AND (wall_ns, time_ns, id) < (").push_bind(sql_ns(after.wall_ns));
        query.push(", ").push_bind(sql_ns(after.time_ns)).push(", ").push_bind(after.id.clone()).push(")");
    }
    query.push(" ORDER BY wall_ns DESC, time_ns DESC, id DESC LIMIT ").push_bind(i64::from(limit) + 1);
    query
}
