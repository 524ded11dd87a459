//! Diagnoses and their graphs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;

use model::{Diagnosis, DiagnosisOutline, FlowKey, ProvenanceGraph, Snapshot};

use super::database::Link;
use super::outlines::Keep;
use super::records::PackedSnapshot;
use super::statement::{Statement, Value, scalar, sql};
use super::{MAX_LISTED, Store, check_id, corrupt, encode, from_sql, sql_ns, unwritable};
use crate::error::{During, StoreError};
use crate::filter::{Cursor, DiagnosisFilter, Page, page_rows};
use crate::incident::{Incident, precedence};
use crate::limits::PRUNE_EVERY;
use crate::names::{anomaly_name, cause_name, severity_name};

/// What was stored in this transaction is not in the database.
const NOT_READ: StoreError =
    StoreError::Query { action: "read the incident of a new diagnosis", source: sqlx::Error::RowNotFound };

/// A diagnosis to store.
#[derive(Clone, Copy, Debug)]
pub struct NewDiagnosis<'d> {
    /// The diagnosis.
    pub diagnosis: &'d Diagnosis,
    /// Its graph.
    pub graph: &'d ProvenanceGraph,
    /// The snapshot it was made from, if that is to be stored.
    pub snapshot: Option<&'d Snapshot>,
}

/// A diagnosis as it is stored.
struct Packed {
    diagnosis: Diagnosis,
    body: String,
    graph: String,
    snapshot: Option<PackedSnapshot>,
}

/// Where a diagnosis is stored.
struct Place {
    incident: String,
    wall_ns: u64,
    new: bool,
    /// Whether it opened its incident.
    first: bool,
}

/// The effect of storing a diagnosis.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// Whether the diagnosis is new.
    pub new: bool,
    /// The id under which it is stored; see [`Store::begin_run`].
    pub id: String,
    /// When it arrived first.
    pub wall_ns: u64,
    /// The incident it belongs to, with this diagnosis and those that were stored together with it.
    pub incident: Incident,
    /// Whether it is the incident's first diagnosis.
    pub first: bool,
}

/// A stored diagnosis.
#[derive(Clone, Debug, PartialEq)]
pub struct DiagnosisRow {
    /// The diagnosis.
    pub diagnosis: Diagnosis,
    /// The run whose clock its times are on; see [`Store::begin_run`].
    pub run: u64,
    /// When it arrived, in nanoseconds of a wall clock since 1970; 0 if an older version has stored none.
    pub wall_ns: u64,
}

impl DiagnosisRow {
    fn decode(id: &str, run: i64, wall_ns: i64, body: &str) -> Result<DiagnosisRow, StoreError> {
        let diagnosis = Diagnosis::from_json(body).map_err(corrupt("diagnosis", id))?;
        Ok(DiagnosisRow { diagnosis, run: from_sql(run), wall_ns: from_sql(wall_ns) })
    }
}

/// A stored diagnosis in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedDiagnosis {
    /// What lists show of the diagnosis.
    pub outline: DiagnosisOutline,
    /// The run, as in [`DiagnosisRow`].
    pub run: u64,
    /// When it arrived, as in [`DiagnosisRow`].
    pub wall_ns: u64,
    /// The whole diagnosis, as it was stored: a JSON object. A field that a later version has added is absent.
    pub json: String,
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
        let stored = self.record_all(&[NewDiagnosis { diagnosis, graph, snapshot }], wall_ns).await?;
        stored.into_iter().next().unwrap_or(Err(NOT_READ))
    }

    /// As [`Store::record`] for several diagnoses, one after the other, in one transaction: a few statements for all of
    /// them. Returns for each how it was stored, or why it cannot be stored: its id is empty or too long, or a value cannot
    /// be written as JSON. The others are stored then.
    ///
    /// # Errors
    /// The database fails. Nothing is stored then.
    pub async fn record_all(
        &self,
        new: &[NewDiagnosis<'_>],
        wall_ns: u64,
    ) -> Result<Vec<Result<Stored, StoreError>>, StoreError> {
        let packed: Vec<_> = new.iter().map(|new| self.pack(new)).collect();
        let valid: Vec<&Packed> = packed.iter().filter_map(|packed| packed.as_ref().ok()).collect();
        let recorded = self.record_packed(&valid, wall_ns).await;
        let mut stored = self.note_write(recorded)?.into_iter();
        let results = packed.into_iter().map(|packed| match packed {
            Ok(_) => stored.next().unwrap_or(Err(NOT_READ)),
            Err(error) => Err(error),
        });
        let all: Vec<Result<Stored, StoreError>> = results.collect();
        let count = all.iter().flatten().filter(|stored| stored.new).count() as u64;
        let before = self.puts.fetch_add(count, Ordering::Relaxed);
        if before / PRUNE_EVERY != (before + count) / PRUNE_EVERY {
            // The diagnoses are stored whether or not this succeeds.
            if let Err(error) = self.prune(wall_ns).await {
                tracing::warn!(%error, "old rows are not removed");
            }
        }
        Ok(all)
    }

    /// Writes a diagnosis as it is stored.
    fn pack(&self, new: &NewDiagnosis<'_>) -> Result<Packed, StoreError> {
        check_id(&new.diagnosis.id)?;
        let diagnosis = Diagnosis { id: self.id_in_run(&new.diagnosis.id), ..new.diagnosis.clone() };
        check_id(&diagnosis.id)?;
        let body = diagnosis.to_json().map_err(unwritable("diagnosis", &diagnosis.id))?;
        let graph = new.graph.to_json().map_err(unwritable("graph", &diagnosis.id))?;
        let snapshot =
            new.snapshot.map(|snapshot| encode("snapshot", &diagnosis.id, snapshot)).transpose()?;
        let snapshot = snapshot.as_deref().map(PackedSnapshot::new);
        Ok(Packed { diagnosis, body, graph, snapshot })
    }

    /// Stores diagnoses in one transaction.
    async fn record_packed(
        &self,
        all: &[&Packed],
        wall_ns: u64,
    ) -> Result<Vec<Result<Stored, StoreError>>, StoreError> {
        let action = "store diagnoses";
        if all.is_empty() {
            return Ok(Vec::new());
        }
        let mut tx = self.write(action).await?;
        for packed in all {
            if let Some(snapshot) = &packed.snapshot {
                let diagnosis = &packed.diagnosis;
                super::records::insert_snapshot(&mut tx, &diagnosis.id, diagnosis.time_ns, snapshot, wall_ns)
                    .await
                    .during(action)?;
            }
        }
        let mut places = known_places(&mut tx, all).await.during(action)?;
        let mut new: Vec<&Packed> = Vec::new();
        for packed in all {
            if !places.contains_key(packed.diagnosis.id.as_str())
                && !new.iter().any(|other| other.diagnosis.id == packed.diagnosis.id)
            {
                new.push(packed);
            }
        }
        let diagnoses: Vec<&Diagnosis> = new.iter().map(|packed| &packed.diagnosis).collect();
        let mut ledger = self.read_ledger(&mut tx, &diagnoses, wall_ns).await.during(action)?;
        for (number, diagnosis) in diagnoses.iter().enumerate() {
            let (incident, first) = ledger.assign(number, diagnosis, wall_ns, &self.limits);
            places.insert(&diagnosis.id, Place { incident, wall_ns, new: true, first });
        }
        self.write_ledger(&mut tx, &ledger, &diagnoses).await.during(action)?;
        let rows: Vec<(&Diagnosis, NewRow<'_>)> = new
            .iter()
            .filter_map(|packed| {
                let place = places.get(packed.diagnosis.id.as_str())?;
                let row = NewRow {
                    run: self.run(),
                    wall_ns,
                    incident: &place.incident,
                    body: &packed.body,
                    graph: Some(&packed.graph),
                };
                Some((&packed.diagnosis, row))
            })
            .collect();
        insert_all(&mut tx, &rows).await.during(action)?;
        // Read before old rows are removed: these diagnoses may themselves be the oldest.
        let incidents: BTreeSet<String> = places.values().map(|place| place.incident.clone()).collect();
        let incidents: Vec<String> = incidents.into_iter().collect();
        let incidents = self.read_incidents(&mut tx, &incidents, Keep::No).await?;
        tx.commit().await.during(action)?;
        let incidents: BTreeMap<&str, &Incident> =
            incidents.iter().map(|incident| (incident.id.as_str(), incident)).collect();
        let stored = all.iter().map(|packed| {
            let id = packed.diagnosis.id.as_str();
            // The second of two with one id is not new.
            let place = places.get_mut(id).ok_or(NOT_READ)?;
            let incident = incidents.get(place.incident.as_str()).ok_or(NOT_READ)?;
            let stored = Stored {
                new: place.new,
                id: id.to_string(),
                wall_ns: place.wall_ns,
                incident: (*incident).clone(),
                first: place.first,
            };
            (place.new, place.first) = (false, false);
            Ok(stored)
        });
        Ok(stored.collect())
    }

    /// Returns the diagnosis with this id.
    ///
    /// # Errors
    /// The database fails, or a stored body cannot be read.
    pub async fn diagnosis(&self, id: &str) -> Result<Option<DiagnosisRow>, StoreError> {
        let row: Option<(i64, i64, String)> = sql("SELECT run, wall_ns, body FROM diagnoses WHERE id = $1")
            .bind(id)
            .fetch_optional(&self.database)
            .await
            .during("read a diagnosis")?;
        row.map(|(run, wall_ns, body)| DiagnosisRow::decode(id, run, wall_ns, &body)).transpose()
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
        body.map(|body| ProvenanceGraph::from_json(&body).map_err(corrupt("graph", id))).transpose()
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
        let page = self.select_page(filter).await?;
        let decode = |row: &PageRow| DiagnosisRow::decode(&row.id, row.run, row.wall_ns, &row.body);
        let rows = page.rows.iter().map(decode);
        Ok(Page { rows: rows.collect::<Result<_, _>>()?, next: page.next })
    }

    /// As [`Store::diagnoses`], without reading the evidence, which is most of a body.
    ///
    /// # Errors
    /// The database fails, or an outline cannot be read.
    pub async fn listed_diagnoses(
        &self,
        filter: &DiagnosisFilter,
    ) -> Result<Page<ListedDiagnosis>, StoreError> {
        let page = self.select_page(filter).await?;
        let rows = page.rows.into_iter().map(|PageRow { id, run, wall_ns, body: json, .. }| {
            let outline = DiagnosisOutline::from_json(&json).map_err(corrupt("diagnosis", &id))?;
            Ok(ListedDiagnosis { outline, run: from_sql(run), wall_ns: from_sql(wall_ns), json })
        });
        Ok(Page { rows: rows.collect::<Result<_, _>>()?, next: page.next })
    }

    /// Reads the rows of a page.
    async fn select_page(&self, filter: &DiagnosisFilter) -> Result<Page<PageRow>, StoreError> {
        let limit = page_rows(filter.limit);
        let query = select(filter, limit);
        let rows: Vec<PageRow> = query.fetch_all(&self.database).await.during("list diagnoses")?;
        Ok(Page::cut(rows, limit, |row| Cursor {
            wall_ns: from_sql(row.wall_ns),
            time_ns: from_sql(row.time_ns),
            id: row.id.clone(),
        }))
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

/// A row of a page of diagnoses.
#[derive(sqlx::FromRow)]
struct PageRow {
    id: String,
    run: i64,
    wall_ns: i64,
    time_ns: i64,
    body: String,
}

/// What is stored beside a new diagnosis.
pub(super) struct NewRow<'r> {
    pub(super) run: i64,
    pub(super) wall_ns: u64,
    pub(super) incident: &'r str,
    pub(super) body: &'r str,
    pub(super) graph: Option<&'r str>,
}

/// Returns where those of the diagnoses are that are already stored.
async fn known_places<'p>(
    tx: &mut Link,
    all: &[&'p Packed],
) -> Result<BTreeMap<&'p str, Place>, sqlx::Error> {
    let mut query = sql("SELECT id, incident, wall_ns FROM diagnoses WHERE id IN ");
    query.push_list(all.iter().map(|packed| &packed.diagnosis.id));
    let rows: Vec<(String, String, i64)> = query.fetch_all(tx).await?;
    let mut places = BTreeMap::new();
    for (id, incident, wall_ns) in rows {
        if let Some(packed) = all.iter().find(|packed| packed.diagnosis.id == id) {
            let place = Place { incident, wall_ns: from_sql(wall_ns), new: false, first: false };
            places.insert(packed.diagnosis.id.as_str(), place);
        }
    }
    Ok(places)
}

/// Stores a new diagnosis.
pub(super) async fn insert(tx: &mut Link, diagnosis: &Diagnosis, row: NewRow<'_>) -> Result<(), sqlx::Error> {
    insert_all(tx, &[(diagnosis, row)]).await
}

/// Stores new diagnoses.
async fn insert_all(tx: &mut Link, rows: &[(&Diagnosis, NewRow<'_>)]) -> Result<(), sqlx::Error> {
    for rows in rows.chunks(MAX_LISTED) {
        insert_rows(tx, rows).await?;
    }
    Ok(())
}

/// Stores new diagnoses, at least one.
async fn insert_rows(tx: &mut Link, rows: &[(&Diagnosis, NewRow<'_>)]) -> Result<(), sqlx::Error> {
    let mut query = sql(
        "INSERT INTO diagnoses (id, time_ns, victim, src, dst, sport, dport, proto, anomaly, cause, confidence, \
         host, port, incident, body, run, wall_ns, severity, precedence)",
    );
    query.push_rows(rows.iter().map(|(diagnosis, row)| columns(diagnosis, row)));
    query.execute(&mut *tx).await?;
    let graphs: Vec<(&Diagnosis, &str)> =
        rows.iter().filter_map(|(diagnosis, row)| Some((*diagnosis, row.graph?))).collect();
    if graphs.is_empty() {
        return Ok(());
    }
    let mut query = sql("INSERT INTO graphs (diagnosis, body)");
    query.push_rows(graphs.into_iter().map(|(diagnosis, graph)| [(&diagnosis.id).into(), graph.into()]));
    query.execute(tx).await?;
    Ok(())
}

/// The columns of a diagnosis, in the order in which [`insert_rows`] names them.
fn columns(diagnosis: &Diagnosis, row: &NewRow<'_>) -> [Value; 19] {
    // The columns of a verdict without a victim are empty, so that no filter by address matches it.
    let victim = diagnosis.victim;
    let text = |of: fn(&FlowKey) -> String| victim.as_ref().map(of).unwrap_or_default().into();
    let number = |of: fn(&FlowKey) -> i64| victim.as_ref().map_or(0, of).into();
    [
        (&diagnosis.id).into(),
        sql_ns(diagnosis.time_ns).into(),
        text(|flow| flow.to_string()),
        text(|flow| flow.src.to_string()),
        text(|flow| flow.dst.to_string()),
        number(|flow| i64::from(flow.sport)),
        number(|flow| i64::from(flow.dport)),
        number(|flow| i64::from(flow.proto)),
        anomaly_name(diagnosis.anomaly).into(),
        cause_name(diagnosis.cause).into(),
        diagnosis.confidence.into(),
        diagnosis.root_cause.host.as_deref().into(),
        diagnosis.root_cause.port.as_ref().map(ToString::to_string).into(),
        row.incident.into(),
        row.body.into(),
        row.run.into(),
        sql_ns(row.wall_ns).into(),
        severity_name(diagnosis.severity).into(),
        precedence(diagnosis).into(),
    ]
}

fn select(filter: &DiagnosisFilter, limit: u32) -> Statement {
    let mut query = sql("SELECT id, run, wall_ns, time_ns, body FROM diagnoses WHERE 1 = 1");
    if let Some(victim) = filter.victim {
        // The index is by address.
        query.push(" AND src = ").push_bind(victim.src.to_string());
        query.push(" AND dst = ").push_bind(victim.dst.to_string());
        query.push(" AND victim = ").push_bind(victim.to_string());
    }
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
    if let Some(confidence) = filter.min_confidence {
        query.push(" AND confidence >= ").push_bind(confidence);
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
