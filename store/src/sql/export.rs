//! The contents of a store as lines of JSON, one row a line. docs/store.md describes the lines.

use std::io::Write;

use serde::Serialize;

use super::Store;
use super::database::Link;
use super::records::snapshot_text;
use super::statement::{scalar, sql};
use crate::error::{During, StoreError};

/// The number of this form of export. It grows when a line changes its meaning; new fields do not change it.
const FORMAT: u32 = 1;
/// Rows that are in memory at once.
const GROUP: i64 = 200;

/// How many lines of each kind were exported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Incidents, each with its occurrences.
    pub incidents: u64,
    /// Notes of incidents.
    pub notes: u64,
    /// Diagnoses, each with its graph.
    pub diagnoses: u64,
    /// Snapshots.
    pub snapshots: u64,
}

/// The first line.
#[derive(Serialize)]
struct Header {
    kind: &'static str,
    format: u32,
    schema: i64,
    version: &'static str,
    /// The wall clock at which switch time starts; absent from the store of a simulated network.
    #[serde(skip_serializing_if = "Option::is_none")]
    zero_ns: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_scale: Option<i64>,
}

/// The fact with the wall clock at switch time 0.
pub(super) const ZERO: &str = "zero_ns";
/// The fact with the nanoseconds of wall clock for one of switch time.
pub(super) const SCALE: &str = "time_scale";

#[derive(Serialize, sqlx::FromRow)]
struct IncidentRow {
    id: String,
    culprit: String,
    run: i64,
    start_ns: i64,
    update_ns: i64,
    end_ns: Option<i64>,
    start_wall_ns: i64,
    update_wall_ns: i64,
    count: i64,
    recurrences: i64,
    occurrence: i64,
    occurred_ns: i64,
    occurred_wall_ns: i64,
    severity: String,
    confidence: f64,
    precedence: Option<i64>,
    diagnosis: String,
    handling: String,
    feedback: Option<String>,
}

#[derive(Serialize, sqlx::FromRow)]
struct OccurrenceRow {
    incident: String,
    number: i64,
    start_ns: i64,
    update_ns: i64,
    start_wall_ns: i64,
    update_wall_ns: i64,
}

#[derive(Serialize, sqlx::FromRow)]
struct NoteRow {
    incident: String,
    number: i64,
    wall_ns: i64,
    author: String,
    handling: Option<String>,
    feedback: Option<String>,
    text: String,
    diagnosis: Option<String>,
    topology: Option<String>,
}

#[derive(Serialize, sqlx::FromRow)]
struct DiagnosisRow {
    id: String,
    incident: String,
    run: i64,
    wall_ns: i64,
    time_ns: i64,
    #[serde(skip)]
    body: String,
    #[serde(skip)]
    graph: Option<String>,
}

#[derive(Serialize, sqlx::FromRow)]
struct SnapshotRow {
    id: String,
    wall_ns: i64,
    time_ns: i64,
    #[serde(skip)]
    body: String,
    #[serde(skip)]
    compressed: Option<Vec<u8>>,
}

/// A row with its kind in front.
#[derive(Serialize)]
struct Line<'r, T> {
    kind: &'static str,
    #[serde(flatten)]
    row: &'r T,
}

/// Writes lines.
struct Lines<'w> {
    out: &'w mut (dyn Write + Send),
}

impl Lines<'_> {
    fn put<T: Serialize>(&mut self, kind: &'static str, id: &str, row: &T) -> Result<(), StoreError> {
        let text = super::encode(kind, id, &Line { kind, row })?;
        self.write(&text)
    }

    /// Writes a row with JSON that is stored as text, which stays as it is: numbers and the order of fields included.
    fn put_with<T: Serialize>(
        &mut self,
        kind: &'static str,
        id: &str,
        row: &T,
        bodies: &[(&str, &str)],
    ) -> Result<(), StoreError> {
        let mut text = super::encode(kind, id, &Line { kind, row })?;
        for (name, body) in bodies {
            super::decode::<serde::de::IgnoredAny>(kind, id, body)?;
            text.pop();
            // A line break in JSON is white space; only a row that was edited by hand has one.
            text.push_str(&format!(",\"{name}\":{}}}", body.replace('\n', " ")));
        }
        self.write(&text)
    }

    fn write(&mut self, text: &str) -> Result<(), StoreError> {
        let failed = |source| StoreError::Export { source };
        self.out.write_all(text.as_bytes()).and_then(|()| self.out.write_all(b"\n")).map_err(failed)
    }
}

impl Store {
    /// Writes the store as lines of JSON, in the order header, topology, findings, incidents, occurrences, notes,
    /// diagnoses, and with `with_snapshots` snapshots; each kind in the order of its key, diagnoses and snapshots in that
    /// of their arrival. Two exports of the same contents are equal. All lines show the state at one moment.
    ///
    /// # Errors
    /// The database fails, a stored body is not JSON, or `out` fails.
    pub async fn export(
        &self,
        out: &mut (dyn Write + Send),
        with_snapshots: bool,
    ) -> Result<Exported, StoreError> {
        let action = "export its contents";
        let mut lines = Lines { out };
        let mut tx = self.database.read().await.during(action)?;
        let header = Header {
            kind: "store",
            format: FORMAT,
            schema: super::schema::newest(),
            version: env!("CARGO_PKG_VERSION"),
            zero_ns: fact(&mut tx, ZERO).await?,
            time_scale: fact(&mut tx, SCALE).await?,
        };
        lines.write(&super::encode("store", "header", &header)?)?;
        network(&mut tx, &mut lines).await?;
        let mut exported =
            Exported { incidents: incidents(&mut tx, &mut lines).await?, ..Exported::default() };
        occurrences(&mut tx, &mut lines).await?;
        exported.notes = notes(&mut tx, &mut lines).await?;
        exported.diagnoses = diagnoses(&mut tx, &mut lines).await?;
        if with_snapshots {
            exported.snapshots = snapshots(&mut tx, &mut lines).await?;
        }
        lines.out.flush().map_err(|source| StoreError::Export { source })?;
        Ok(exported)
    }
}

async fn fact(connection: &mut Link, name: &str) -> Result<Option<i64>, StoreError> {
    scalar("SELECT value FROM facts WHERE name = $1")
        .bind(name)
        .fetch_optional(connection)
        .await
        .during("read a fact")
}

/// The topologies and the findings.
async fn network(connection: &mut Link, lines: &mut Lines<'_>) -> Result<(), StoreError> {
    #[derive(Serialize)]
    struct Named {
        name: String,
    }
    #[derive(Serialize)]
    struct FindingRow {
        id: String,
        code: String,
        severity: String,
    }
    let topologies: Vec<(String, String)> = sql("SELECT name, body FROM topologies ORDER BY name")
        .fetch_all(&mut *connection)
        .await
        .during("export the topology")?;
    for (name, body) in topologies {
        lines.put_with("topology", &name.clone(), &Named { name }, &[("topology", &body)])?;
    }
    let findings: Vec<(String, String, String, String)> =
        sql("SELECT id, code, severity, body FROM findings ORDER BY id")
            .fetch_all(connection)
            .await
            .during("export findings")?;
    for (id, code, severity, body) in findings {
        lines.put_with("finding", &id.clone(), &FindingRow { id, code, severity }, &[("finding", &body)])?;
    }
    Ok(())
}

async fn incidents(connection: &mut Link, lines: &mut Lines<'_>) -> Result<u64, StoreError> {
    let (mut count, mut after) = (0, String::new());
    loop {
        let rows: Vec<IncidentRow> = sql(
            "SELECT id, culprit, run, start_ns, update_ns, end_ns, start_wall_ns, update_wall_ns, count, recurrences, \
             occurrence, occurred_ns, occurred_wall_ns, severity, confidence, precedence, diagnosis, handling, feedback \
             FROM incidents WHERE id > $1 ORDER BY id LIMIT $2",
        )
        .bind(&after)
        .bind(GROUP)
        .fetch_all(&mut *connection)
        .await
        .during("export incidents")?;
        let Some(last) = rows.last() else { return Ok(count) };
        after.clone_from(&last.id);
        for row in &rows {
            lines.put("incident", &row.id, row)?;
        }
        count += rows.len() as u64;
    }
}

async fn occurrences(connection: &mut Link, lines: &mut Lines<'_>) -> Result<(), StoreError> {
    let mut after = (String::new(), 0);
    loop {
        let rows: Vec<OccurrenceRow> = sql(
            "SELECT incident, number, start_ns, update_ns, start_wall_ns, update_wall_ns FROM occurrences \
             WHERE (incident, number) > ($1, $2) ORDER BY incident, number LIMIT $3",
        )
        .bind(&after.0)
        .bind(after.1)
        .bind(GROUP)
        .fetch_all(&mut *connection)
        .await
        .during("export occurrences")?;
        let Some(last) = rows.last() else { return Ok(()) };
        after = (last.incident.clone(), last.number);
        for row in &rows {
            lines.put("occurrence", &row.incident, row)?;
        }
    }
}

async fn notes(connection: &mut Link, lines: &mut Lines<'_>) -> Result<u64, StoreError> {
    let (mut count, mut after) = (0, (String::new(), 0));
    loop {
        let rows: Vec<NoteRow> =
            sql("SELECT incident, number, wall_ns, author, handling, feedback, text, diagnosis, topology FROM notes \
             WHERE (incident, number) > ($1, $2) ORDER BY incident, number LIMIT $3")
            .bind(&after.0)
            .bind(after.1)
            .bind(GROUP)
            .fetch_all(&mut *connection)
            .await
            .during("export notes")?;
        let Some(last) = rows.last() else { return Ok(count) };
        after = (last.incident.clone(), last.number);
        for row in &rows {
            lines.put("note", &row.incident, row)?;
        }
        count += rows.len() as u64;
    }
}

async fn diagnoses(connection: &mut Link, lines: &mut Lines<'_>) -> Result<u64, StoreError> {
    let (mut count, mut after) = (0, (-1, -1, String::new()));
    loop {
        let rows: Vec<DiagnosisRow> = sql(
            "SELECT d.id, d.incident, d.run, d.wall_ns, d.time_ns, d.body, g.body AS graph FROM diagnoses d \
             LEFT JOIN graphs g ON g.diagnosis = d.id WHERE (d.wall_ns, d.time_ns, d.id) > ($1, $2, $3) \
             ORDER BY d.wall_ns, d.time_ns, d.id LIMIT $4",
        )
        .bind(after.0)
        .bind(after.1)
        .bind(&after.2)
        .bind(GROUP)
        .fetch_all(&mut *connection)
        .await
        .during("export diagnoses")?;
        let Some(last) = rows.last() else { return Ok(count) };
        after = (last.wall_ns, last.time_ns, last.id.clone());
        for row in &rows {
            let graph = row.graph.as_deref().unwrap_or("null");
            lines.put_with("diagnosis", &row.id, row, &[("diagnosis", &row.body), ("graph", graph)])?;
        }
        count += rows.len() as u64;
    }
}

async fn snapshots(connection: &mut Link, lines: &mut Lines<'_>) -> Result<u64, StoreError> {
    let (mut count, mut after) = (0, (-1, -1, String::new()));
    loop {
        let rows: Vec<SnapshotRow> = sql(
            "SELECT id, wall_ns, time_ns, body, compressed FROM snapshots WHERE (wall_ns, time_ns, id) > ($1, $2, $3) \
             ORDER BY wall_ns, time_ns, id LIMIT $4",
        )
        .bind(after.0)
        .bind(after.1)
        .bind(&after.2)
        // They are large.
        .bind(GROUP / 20)
        .fetch_all(&mut *connection)
        .await
        .during("export snapshots")?;
        let Some(last) = rows.last() else { return Ok(count) };
        after = (last.wall_ns, last.time_ns, last.id.clone());
        count += rows.len() as u64;
        for mut row in rows {
            let text = snapshot_text(&row.id, std::mem::take(&mut row.body), row.compressed.take())?;
            lines.put_with("snapshot", &row.id, &row, &[("snapshot", &text)])?;
        }
    }
}
