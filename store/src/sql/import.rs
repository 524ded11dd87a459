//! Stores the rows of exports and test cases, in one transaction: all of them or none.

use std::collections::{BTreeMap, BTreeSet};

use model::{Diagnosis, ProvenanceGraph, Snapshot, Topology};

use super::database::Link;
use super::diagnoses::{NewRow, insert};
use super::export::{SCALE, ZERO};
use super::records::{CURRENT, PackedSnapshot, insert_snapshot, snapshot_text};
use super::runs::RUNS;
use super::statement::{scalar, sql};
use super::{Store, assign, corrupt, decode, encode, sql_ns, unwritable, victims};
use crate::error::{During, StoreError};
use crate::import::{
    Case, CaseNote, Clock, DiagnosisLine, FindingLine, Import, ImportError, IncidentLine, MISTAKES, Mistake,
    NoteLine, OccurrenceLine, Record, Records, SnapshotLine, TopologyLine, check_id,
};
use crate::incident::{precedence, root_key};
use crate::names::{name, severity_name};

/// What an import has added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Findings.
    pub findings: u64,
    /// Incidents.
    pub incidents: u64,
    /// Notes.
    pub notes: u64,
    /// Diagnoses.
    pub diagnoses: u64,
    /// Snapshots.
    pub snapshots: u64,
    /// Rows that the store had already.
    pub known: u64,
}

/// A row that is not stored: a mistake in it, or a failure of the store.
enum Refused {
    Mistake(String),
    Failed(StoreError),
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Refused {
        Refused::Failed(error)
    }
}

impl From<String> for Refused {
    fn from(text: String) -> Refused {
        Refused::Mistake(text)
    }
}

const ACTION: &str = "import rows";

/// An import that runs.
struct Importing {
    tx: Link,
    wall_ns: u64,
    done: Imported,
    /// New incidents, with their representative diagnosis and where they are.
    new: BTreeMap<String, (String, Mistake)>,
    /// New diagnoses of incidents that the store had before.
    joined: BTreeMap<String, u64>,
    latest_run: u32,
}

impl Store {
    /// Adds the rows of exports and of test cases of incidents, in one transaction. A row that the store has already stays
    /// as it is, so that a second import of the same files changes nothing. An incident that lasts in an export has ended at
    /// its latest diagnosis. `wall_ns` is the arrival of a diagnosis whose test case names none.
    ///
    /// # Errors
    /// A file has a mistake, contradicts the store, e.g. because it is of another network, or cannot be read; or the store
    /// fails. Nothing is added then.
    pub async fn import(&self, files: Vec<Import<'_>>, wall_ns: u64) -> Result<Imported, ImportError> {
        let tx = self.write(ACTION).await?;
        let mut importing = Importing {
            tx,
            wall_ns,
            done: Imported::default(),
            new: BTreeMap::new(),
            joined: BTreeMap::new(),
            latest_run: 0,
        };
        let mut mistakes = Vec::new();
        for file in files {
            let mut records = Records::new(file);
            while mistakes.len() < MISTAKES {
                let Some(record) = records.next()? else { break };
                match record {
                    Err(mistake) => mistakes.push(mistake),
                    Ok(record) => match importing.add(record, &records).await {
                        Ok(()) => {}
                        Err(Refused::Mistake(text)) => mistakes.push(records.mistake(text)),
                        Err(Refused::Failed(error)) => return Err(error.into()),
                    },
                }
            }
        }
        if mistakes.is_empty() {
            mistakes = importing.complete().await?;
        }
        if !mistakes.is_empty() {
            return Err(ImportError::Mistakes(mistakes));
        }
        importing.tx.commit().await.during(ACTION)?;
        Ok(importing.done)
    }
}

impl Importing {
    async fn add(&mut self, record: Record, at: &Records<'_>) -> Result<(), Refused> {
        match record {
            Record::Clock(clock) => self.clock(clock).await,
            Record::Topology(line) if line.name == CURRENT => self.topology(&line.topology).await,
            Record::Topology(line) => self.topology_of_note(&line).await,
            Record::Finding(finding) => self.finding(&finding).await,
            Record::Incident(incident) => self.incident(&incident, at).await,
            Record::Occurrence(occurrence) => self.occurrence(&occurrence).await,
            Record::Note(note) => self.note(&note).await,
            Record::Diagnosis(diagnosis) => self.diagnosis(&diagnosis).await,
            Record::Snapshot(snapshot) => self.snapshot(&snapshot).await,
            Record::Case(case) => self.case(*case, at).await,
        }
    }

    /// Switch times of the store and of the files must have the same origin: REST shows them as wall clocks.
    async fn clock(&mut self, clock: Clock) -> Result<(), Refused> {
        let (Some(zero_ns), Some(scale)) = (clock.zero_ns, clock.time_scale) else { return Ok(()) };
        for (name, value) in [(ZERO, zero_ns), (SCALE, scale)] {
            sql("INSERT INTO facts (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING")
                .bind(name)
                .bind(sql_ns(value))
                .execute(&mut self.tx)
                .await
                .during(ACTION)?;
            let stored: i64 = scalar("SELECT value FROM facts WHERE name = $1")
                .bind(name)
                .fetch_one(&mut self.tx)
                .await
                .during(ACTION)?;
            if stored != sql_ns(value) {
                let text =
                    "switch time starts at another wall clock than in the store; import into a new store";
                return Err(text.to_string().into());
            }
        }
        Ok(())
    }

    async fn topology(&mut self, topology: &Topology) -> Result<(), Refused> {
        let body: Option<String> = scalar("SELECT body FROM topologies WHERE name = $1")
            .bind(CURRENT)
            .fetch_optional(&mut self.tx)
            .await
            .during(ACTION)?;
        match body {
            Some(body) if decode::<Topology>("topology", CURRENT, &body)? == *topology => {
                self.done.known += 1;
                Ok(())
            }
            Some(_) => Err("the store has the topology of another network; import into a new store"
                .to_string()
                .into()),
            None => {
                sql("INSERT INTO topologies (name, body) VALUES ($1, $2)")
                    .bind(CURRENT)
                    .bind(encode("topology", CURRENT, topology)?)
                    .execute(&mut self.tx)
                    .await
                    .during(ACTION)?;
                Ok(())
            }
        }
    }

    /// Stores a topology that notes refer to by its name.
    async fn topology_of_note(&mut self, line: &TopologyLine) -> Result<(), Refused> {
        let TopologyLine { name, topology } = line;
        check_id("topology", name)?;
        let body: Option<String> = scalar("SELECT body FROM topologies WHERE name = $1")
            .bind(name)
            .fetch_optional(&mut self.tx)
            .await
            .during(ACTION)?;
        if let Some(body) = body {
            self.done.known += 1;
            return same(decode::<Topology>("topology", name, &body)? == *topology, || {
                format!("topology `{name}`")
            });
        }
        sql("INSERT INTO topologies (name, body) VALUES ($1, $2)")
            .bind(name)
            .bind(encode("topology", name, topology)?)
            .execute(&mut self.tx)
            .await
            .during(ACTION)?;
        Ok(())
    }

    async fn finding(&mut self, line: &FindingLine) -> Result<(), Refused> {
        check_id("finding", &line.id)?;
        let added = sql("INSERT INTO findings (id, code, severity, body) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING")
            .bind(&line.id)
            .bind(&line.code)
            .bind(&line.severity)
            .bind(encode("finding", &line.id, &line.finding)?)
            .execute(&mut self.tx)
            .await
            .during(ACTION)?;
        self.done.findings += added;
        self.done.known += 1 - added.min(1);
        Ok(())
    }

    async fn incident(&mut self, line: &IncidentLine, at: &Records<'_>) -> Result<(), Refused> {
        check_id("incident", &line.id)?;
        let added = sql(
            "INSERT INTO incidents (id, culprit, run, start_ns, update_ns, end_ns, start_wall_ns, update_wall_ns, count, \
             recurrences, occurrence, occurred_ns, occurred_wall_ns, severity, confidence, precedence, diagnosis, handling, \
             feedback, victims) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, \
             $19, '') ON CONFLICT (id) DO NOTHING",
        )
        .bind(&line.id)
        .bind(&line.culprit)
        .bind(i64::from(line.run))
        .bind(sql_ns(line.start_ns))
        .bind(sql_ns(line.update_ns))
        // No switch of this network reports to this store: nothing would end it.
        .bind(sql_ns(line.end_ns.unwrap_or(line.update_ns)))
        .bind(sql_ns(line.start_wall_ns))
        .bind(sql_ns(line.update_wall_ns))
        .bind(sql_ns(line.count))
        .bind(sql_ns(line.recurrences))
        .bind(sql_ns(line.occurrence))
        .bind(sql_ns(line.occurred_ns))
        .bind(sql_ns(line.occurred_wall_ns))
        .bind(severity_name(line.severity))
        .bind(line.confidence)
        .bind(line.precedence.unwrap_or(0))
        .bind(&line.diagnosis)
        .bind(name(&line.handling))
        .bind(line.feedback.as_ref().map(name))
        .execute(&mut self.tx)
        .await
        .during(ACTION)?;
        if added == 0 {
            self.done.known += 1;
            return Ok(());
        }
        self.latest_run = self.latest_run.max(line.run);
        self.done.incidents += 1;
        let text = format!("no file has the diagnosis `{}` of incident `{}`", line.diagnosis, line.id);
        self.new.insert(line.id.clone(), (line.diagnosis.clone(), at.mistake(text)));
        Ok(())
    }

    /// Whether the rows of an incident are added: it is new. An incident that the store had stays as it is.
    async fn is_new(&mut self, incident: &str) -> Result<bool, Refused> {
        if self.new.contains_key(incident) {
            return Ok(true);
        }
        let known: i64 = scalar("SELECT COUNT(*) FROM incidents WHERE id = $1")
            .bind(incident)
            .fetch_one(&mut self.tx)
            .await
            .during(ACTION)?;
        match known {
            0 => Err(format!(
                "there is no incident `{incident}`, neither in the lines before nor in the store"
            )
            .into()),
            _ => Ok(false),
        }
    }

    async fn occurrence(&mut self, line: &OccurrenceLine) -> Result<(), Refused> {
        if !self.is_new(&line.incident).await? {
            self.done.known += 1;
            return Ok(());
        }
        let added = sql(
            "INSERT INTO occurrences (incident, number, start_ns, update_ns, start_wall_ns, update_wall_ns) \
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (incident, number) DO NOTHING",
        )
        .bind(&line.incident)
        .bind(sql_ns(line.number))
        .bind(sql_ns(line.start_ns))
        .bind(sql_ns(line.update_ns))
        .bind(sql_ns(line.start_wall_ns))
        .bind(sql_ns(line.update_wall_ns))
        .execute(&mut self.tx)
        .await
        .during(ACTION)?;
        self.done.known += 1 - added.min(1);
        Ok(())
    }

    async fn note(&mut self, line: &NoteLine) -> Result<(), Refused> {
        if !self.is_new(&line.incident).await? {
            self.done.known += 1;
            return Ok(());
        }
        let added = sql("INSERT INTO notes (incident, number, wall_ns, author, handling, feedback, text, diagnosis, topology) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (incident, number) DO NOTHING")
        .bind(&line.incident)
        .bind(sql_ns(line.number))
        .bind(sql_ns(line.wall_ns))
        .bind(&line.author)
        .bind(line.handling.as_ref().map(name))
        .bind(line.feedback.as_ref().map(name))
        .bind(&line.text)
        .bind(&line.diagnosis)
        .bind(&line.topology)
        .execute(&mut self.tx)
        .await
        .during(ACTION)?;
        self.done.notes += added;
        self.done.known += 1 - added.min(1);
        Ok(())
    }

    async fn diagnosis(&mut self, line: &DiagnosisLine) -> Result<(), Refused> {
        check_id("diagnosis", &line.id)?;
        let DiagnosisLine { id, diagnosis, .. } = line;
        if diagnosis.id != *id || diagnosis.time_ns != line.time_ns {
            return Err("`id` or `time_ns` differs from that in `diagnosis`".to_string().into());
        }
        let is_new = self.is_new(&line.incident).await?;
        let known: Option<(String, String)> = sql("SELECT incident, body FROM diagnoses WHERE id = $1")
            .bind(id)
            .fetch_optional(&mut self.tx)
            .await
            .during(ACTION)?;
        if let Some((incident, body)) = known {
            let is_equal = Diagnosis::from_json(&body).map_err(corrupt("diagnosis", id))? == *diagnosis
                && incident == line.incident;
            self.done.known += 1;
            return same(is_equal, || format!("diagnosis `{id}`"));
        }
        let (body, graph) = texts(diagnosis, line.graph.as_ref())?;
        let row = NewRow {
            run: line.run.into(),
            wall_ns: line.wall_ns,
            incident: &line.incident,
            body: &body,
            graph: graph.as_deref(),
        };
        insert(&mut self.tx, diagnosis, row).await.during(ACTION)?;
        assign::add_members(&mut self.tx, &line.incident, diagnosis).await.during(ACTION)?;
        self.latest_run = self.latest_run.max(line.run);
        self.done.diagnoses += 1;
        if !is_new {
            *self.joined.entry(line.incident.clone()).or_default() += 1;
        }
        Ok(())
    }

    async fn snapshot(&mut self, line: &SnapshotLine) -> Result<(), Refused> {
        let SnapshotLine { id, wall_ns, time_ns, snapshot } = line;
        check_id("snapshot", id)?;
        let known: Option<(String, Option<Vec<u8>>)> =
            sql("SELECT body, compressed FROM snapshots WHERE id = $1")
                .bind(id)
                .fetch_optional(&mut self.tx)
                .await
                .during(ACTION)?;
        if let Some((body, compressed)) = known {
            let text = snapshot_text(id, body, compressed)?;
            self.done.known += 1;
            return same(decode::<Snapshot>("snapshot", id, &text)? == *snapshot, || {
                format!("snapshot `{id}`")
            });
        }
        let packed = PackedSnapshot::new(&encode("snapshot", id, snapshot)?);
        insert_snapshot(&mut self.tx, id, *time_ns, &packed, *wall_ns).await.during(ACTION)?;
        self.done.snapshots += 1;
        Ok(())
    }

    /// Stores a test case: an incident with one diagnosis.
    async fn case(&mut self, case: Case, at: &Records<'_>) -> Result<(), Refused> {
        let Case { incident, feedback, notes, diagnosis, graph, snapshot, topology, .. } = case;
        let (id, time_ns, wall_ns) =
            (diagnosis.id.clone(), diagnosis.time_ns, case.wall_ns.unwrap_or(self.wall_ns));
        self.clock(Clock { zero_ns: case.zero_ns, time_scale: case.time_scale }).await?;
        if let Some(topology) = topology {
            self.topology(&topology).await?;
        }
        let handling = notes.iter().rev().find_map(|note| note.handling).unwrap_or_default();
        let line = IncidentLine {
            id: incident.clone(),
            culprit: root_key(&diagnosis),
            run: 0,
            start_ns: time_ns,
            update_ns: time_ns,
            end_ns: Some(time_ns),
            start_wall_ns: wall_ns,
            update_wall_ns: wall_ns,
            count: 1,
            recurrences: 1,
            occurrence: 1,
            occurred_ns: time_ns,
            occurred_wall_ns: wall_ns,
            severity: diagnosis.severity,
            confidence: diagnosis.confidence,
            precedence: Some(precedence(&diagnosis)),
            diagnosis: id.clone(),
            handling,
            feedback,
        };
        self.incident(&line, at).await?;
        let occurrence = OccurrenceLine {
            incident: incident.clone(),
            number: 1,
            start_ns: time_ns,
            update_ns: time_ns,
            start_wall_ns: wall_ns,
            update_wall_ns: wall_ns,
        };
        self.occurrence(&occurrence).await?;
        for note in notes {
            let CaseNote { number, wall_ns, author, handling, feedback, text, diagnosis } = note;
            let diagnosis = diagnosis.or_else(|| Some(id.clone()));
            let incident = incident.clone();
            let topology = None;
            let line =
                NoteLine { incident, number, wall_ns, author, handling, feedback, text, diagnosis, topology };
            self.note(&line).await?;
        }
        self.diagnosis(&DiagnosisLine {
            id: id.clone(),
            incident,
            run: 0,
            wall_ns,
            time_ns,
            diagnosis,
            graph,
        })
        .await?;
        self.snapshot(&SnapshotLine { id, wall_ns, time_ns, snapshot }).await
    }

    /// Brings what follows from the diagnoses of an incident up to date. Returns what is missing.
    async fn complete(&mut self) -> Result<Vec<Mistake>, StoreError> {
        let mut mistakes = Vec::new();
        for (incident, (diagnosis, missing)) in &self.new {
            let body: Option<String> = scalar("SELECT body FROM diagnoses WHERE id = $1 AND incident = $2")
                .bind(diagnosis)
                .bind(incident)
                .fetch_optional(&mut self.tx)
                .await
                .during(ACTION)?;
            let Some(body) = body else {
                mistakes.push(missing.clone());
                continue;
            };
            let diagnosis = Diagnosis::from_json(&body).map_err(corrupt("diagnosis", diagnosis))?;
            assign::mark_flows(&mut self.tx, incident, &diagnosis).await.during(ACTION)?;
        }
        for (incident, added) in &self.joined {
            sql("UPDATE incidents SET count = count + $2 WHERE id = $1")
                .bind(incident)
                .bind(sql_ns(*added))
                .execute(&mut self.tx)
                .await
                .during(ACTION)?;
            // The representative may name a flow as affected that is more often a culprit now.
            let body: Option<String> = scalar(
                "SELECT d.body FROM incidents i JOIN diagnoses d ON d.id = i.diagnosis WHERE i.id = $1",
            )
            .bind(incident)
            .fetch_optional(&mut self.tx)
            .await
            .during(ACTION)?;
            if let Some(diagnosis) = body.and_then(|body| Diagnosis::from_json(&body).ok()) {
                assign::mark_flows(&mut self.tx, incident, &diagnosis).await.during(ACTION)?;
            }
        }
        let changed: BTreeSet<&str> = self.new.keys().chain(self.joined.keys()).map(String::as_str).collect();
        let changed: Vec<&str> = changed.into_iter().collect();
        victims::list(&mut self.tx, &changed).await.during(ACTION)?;
        // The ids of a run contain its number: a run of this store must not have the number of one that was imported.
        if self.latest_run > 0 {
            sql("INSERT INTO facts (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value \
                 WHERE excluded.value > facts.value")
                .bind(RUNS)
                .bind(i64::from(self.latest_run))
                .execute(&mut self.tx)
                .await
                .during(ACTION)?;
        }
        Ok(mistakes)
    }
}

fn texts(
    diagnosis: &Diagnosis,
    graph: Option<&ProvenanceGraph>,
) -> Result<(String, Option<String>), StoreError> {
    let body = diagnosis.to_json().map_err(unwritable("diagnosis", &diagnosis.id))?;
    let graph =
        graph.map(ProvenanceGraph::to_json).transpose().map_err(unwritable("graph", &diagnosis.id))?;
    Ok((body, graph))
}

/// A row that the store has, or that an earlier line has, must be the same.
fn same(is_equal: bool, what: impl FnOnce() -> String) -> Result<(), Refused> {
    match is_equal {
        true => Ok(()),
        false => Err(format!("the store has another {}; import into a new store", what()).into()),
    }
}
