//! Incidents as they are read, listed and counted, and their end.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use model::{DiagnosisOutline, PortRef};

use super::database::Link;
use super::outlines::Keep;
use super::statement::{Statement, scalar, sql};
use super::{MAX_LISTED, Store, from_sql, sql_ns};
use crate::error::{During, StoreError};
use crate::filter::{Cursor, IncidentFilter, IncidentTotals, Page, page_rows};
use crate::incident::{Incident, Occurrence, key_of_port, loop_of_key};
use crate::limits::RELATED_INCIDENTS;
use crate::names::{anomaly_name, cause_name, name, parse, severity_name};

/// A row of an incident, as [`COLUMNS`] selects it.
#[derive(sqlx::FromRow)]
struct Row {
    id: String,
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
    handling: String,
    feedback: Option<String>,
    diagnosis: String,
    victims: Option<String>,
    victim_count: i64,
}

const FROM: &str = "FROM incidents i";
/// The order of lists: latest occurrence first.
const ORDER: &str = " ORDER BY i.occurred_wall_ns DESC, i.occurred_ns DESC, i.id DESC";
const COLUMNS: &str = "SELECT i.id, i.run, i.start_ns, i.update_ns, i.end_ns, i.start_wall_ns, i.update_wall_ns, i.count, \
                       i.recurrences, i.occurrence, i.occurred_ns, i.occurred_wall_ns, i.handling, i.feedback, \
                       i.diagnosis, i.victims, i.victim_count ";

/// Steps in which the quiet time passes while a port is paused: the accuracy of the end of an incident.
const PAUSE_STEPS: u64 = 16;

/// The open incidents, for metrics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenIncidents {
    /// Names of anomaly, cause and severity of the representative diagnoses, and the number of open incidents of each.
    pub counts: Vec<(String, String, String, u64)>,
    /// Wall clock of the latest update of any incident, in nanoseconds since 1970; absent without an incident.
    pub last_wall_ns: Option<u64>,
}

/// An open incident, as [`Store::advance`] examines it.
struct OpenIncident {
    update_ns: u64,
    is_paused: bool,
}

impl Store {
    /// Returns the incident with this id.
    ///
    /// # Errors
    /// The database fails, or a stored body cannot be read.
    pub async fn incident(&self, id: &str) -> Result<Option<Incident>, StoreError> {
        let mut connection = self.database.read().await.during("read an incident")?;
        Ok(self.read_incidents(&mut connection, &[id.to_string()], Keep::Yes).await?.pop())
    }

    /// Lists the incidents that match `filter`, latest occurrence first.
    ///
    /// # Errors
    /// The database fails, or a stored body cannot be read.
    pub async fn incidents(&self, filter: &IncidentFilter) -> Result<Page<Incident>, StoreError> {
        let mut connection = self.database.read().await.during("list incidents")?;
        self.read_page(&mut connection, filter).await
    }

    /// As [`Store::incidents`], with the number of all incidents that match, without limit and position.
    ///
    /// # Errors
    /// The database fails, or a stored body cannot be read.
    pub async fn incidents_with_totals(
        &self,
        filter: &IncidentFilter,
    ) -> Result<(Page<Incident>, IncidentTotals), StoreError> {
        let mut connection = self.database.read().await.during("list incidents")?;
        let page = self.read_page(&mut connection, filter).await?;
        Ok((page, read_totals(&mut connection, filter).await?))
    }

    /// Lists the incidents that occurred together with this one and share a victim or culprit with it, latest occurrence first;
    /// at most [`RELATED_INCIDENTS`]. `None` if there is no such incident.
    ///
    /// # Errors
    /// The database fails, or a stored body cannot be read.
    pub async fn related_incidents(&self, id: &str) -> Result<Option<Vec<Incident>>, StoreError> {
        let action = "list related incidents";
        let mut connection = self.database.read().await.during(action)?;
        let run: Option<i64> = scalar("SELECT run FROM incidents WHERE id = $1")
            .bind(id)
            .fetch_optional(&mut connection)
            .await
            .during(action)?;
        let Some(run) = run else { return Ok(None) };
        let quiet_ns = sql_ns(self.limits.incident_quiet_ns);
        let mut query = sql(COLUMNS);
        query.push(FROM).push(" WHERE i.run = ").push_bind(run).push(" AND i.id <> ").push_bind(id);
        query.push(" AND i.id IN (SELECT theirs.incident FROM incident_flows own JOIN incident_flows theirs");
        query.push(" ON theirs.flow = own.flow WHERE own.incident = ").push_bind(id).push(")");
        query.push(
            " AND EXISTS (SELECT 1 FROM occurrences own JOIN occurrences theirs ON theirs.incident = i.id",
        );
        query.push(" AND theirs.start_ns <= own.update_ns + ").push_bind(quiet_ns);
        query.push(" AND own.start_ns <= theirs.update_ns + ").push_bind(quiet_ns);
        query.push(" WHERE own.incident = ").push_bind(id).push(")");
        query.push(ORDER).push(" LIMIT ").push_bind(i64::from(RELATED_INCIDENTS));
        let rows: Vec<Row> = query.fetch_all(&mut connection).await.during(action)?;
        Ok(Some(self.complete(&mut connection, rows, Keep::Yes).await?))
    }

    async fn read_page(
        &self,
        connection: &mut Link,
        filter: &IncidentFilter,
    ) -> Result<Page<Incident>, StoreError> {
        let limit = page_rows(filter.limit);
        let rows: Vec<Row> =
            select(filter, limit).fetch_all(&mut *connection).await.during("list incidents")?;
        let page = Page::cut(rows, limit, |row| Cursor {
            wall_ns: from_sql(row.occurred_wall_ns),
            time_ns: from_sql(row.occurred_ns),
            id: row.id.clone(),
        });
        Ok(Page { rows: self.complete(connection, page.rows, Keep::Yes).await?, next: page.next })
    }

    /// Counts the open incidents that are not silenced, by anomaly, cause and severity.
    ///
    /// # Errors
    /// The database fails.
    pub async fn open_incidents(&self) -> Result<OpenIncidents, StoreError> {
        let action = "count open incidents";
        let counts: Vec<(String, String, String, i64)> = sql(
            "SELECT d.anomaly, d.cause, i.severity, COUNT(*) FROM incidents i JOIN diagnoses d ON d.id = i.diagnosis \
             WHERE i.end_ns IS NULL AND i.handling <> 'silenced' GROUP BY d.anomaly, d.cause, i.severity ORDER BY d.anomaly, d.cause, i.severity",
        )
        .fetch_all(&self.database)
        .await
        .during(action)?;
        let last: Option<i64> = scalar("SELECT MAX(update_wall_ns) FROM incidents")
            .fetch_one(&self.database)
            .await
            .during(action)?;
        let counts = counts
            .into_iter()
            .map(|(anomaly, cause, severity, count)| (anomaly, cause, severity, from_sql(count)));
        Ok(OpenIncidents { counts: counts.collect(), last_wall_ns: last.map(from_sql) })
    }

    /// Advances the incidents of this run to `now_ns` of switch time and `wall_ns` of the wall clock. An incident with a
    /// port in `paused` lasts; one without, and without a diagnosis in the quiet time before `now_ns`, ends. Returns the
    /// incidents that have ended.
    ///
    /// # Errors
    /// The database fails.
    pub async fn advance(
        &self,
        now_ns: u64,
        wall_ns: u64,
        paused: &BTreeSet<PortRef>,
    ) -> Result<Vec<Incident>, StoreError> {
        let action = "end incidents";
        let quiet_ns = self.limits.incident_quiet_ns;
        let (mut lasting, mut ending) = (Vec::new(), Vec::new());
        for (id, incident) in self.examine_open(paused).await.during(action)? {
            let age_ns = now_ns.saturating_sub(incident.update_ns);
            // A fraction of the quiet time, so that a long pause is not a write for every sample.
            if incident.is_paused && age_ns > quiet_ns / PAUSE_STEPS {
                lasting.push(id);
            } else if !incident.is_paused && age_ns > quiet_ns {
                ending.push(id);
            }
        }
        if lasting.is_empty() && ending.is_empty() {
            return Ok(Vec::new());
        }
        let mut tx = self.write(action).await?;
        for ids in lasting.chunks(MAX_LISTED) {
            extend(&mut tx, ids, now_ns, wall_ns).await.during(action)?;
        }
        let mut ended = Vec::with_capacity(ending.len());
        for ids in ending.chunks(MAX_LISTED) {
            // A diagnosis may have arrived since the incidents were examined.
            let mut query = sql("UPDATE incidents SET end_ns = update_ns WHERE update_ns < ");
            query.push_bind(sql_ns(now_ns.saturating_sub(quiet_ns))).push(" AND id IN ");
            query.push_list(ids);
            query.push(" RETURNING id");
            let found: Vec<String> = query.scalar().fetch_all(&mut tx).await.during(action)?;
            ended.extend(found);
        }
        let mut ended = self.read_incidents(&mut tx, &ended, Keep::No).await?;
        tx.commit().await.during(action)?;
        ended.sort_by(|a, b| (a.start_ns, &a.id).cmp(&(b.start_ns, &b.id)));
        Ok(ended)
    }

    /// Reads the open incidents of this run.
    async fn examine_open(
        &self,
        paused: &BTreeSet<PortRef>,
    ) -> Result<BTreeMap<String, OpenIncident>, sqlx::Error> {
        // Ports of earlier occurrences do not count: routes change.
        let rows: Vec<(String, String, i64, Option<String>)> =
            sql("SELECT i.id, i.culprit, i.update_ns, p.port FROM incidents i \
             LEFT JOIN incident_ports p ON p.incident = i.id AND p.last_ns >= i.occurred_ns \
             WHERE i.end_ns IS NULL AND i.run = $1")
            .bind(self.run())
            .fetch_all(&self.database)
            .await?;
        // The queues that are part of a deadlock.
        let in_loops: BTreeSet<String> =
            rows.iter().flat_map(|(_, culprit, ..)| loop_of_key(culprit)).map(key_of_port).collect();
        let mut open = BTreeMap::new();
        for (id, culprit, update_ns, port) in rows {
            let incident =
                open.entry(id).or_insert(OpenIncident { update_ns: from_sql(update_ns), is_paused: false });
            let port: Option<PortRef> = port.and_then(|port| port.parse().ok());
            let is_paused = port.is_some_and(|port| paused.contains(&port));
            incident.is_paused |= is_paused && !in_loops.contains(&culprit);
        }
        Ok(open)
    }
}

/// Moves the latest occurrences of incidents along.
async fn extend(tx: &mut Link, ids: &[String], now_ns: u64, wall_ns: u64) -> Result<(), sqlx::Error> {
    let updates = ["UPDATE incidents SET update_ns = ", "UPDATE occurrences SET update_ns = "];
    let latest = "number = (SELECT i.occurrence FROM incidents i WHERE i.id = incident) AND incident IN ";
    for (update, condition) in updates.into_iter().zip(["id IN ", latest]) {
        let mut query = sql(update);
        query.push_bind(sql_ns(now_ns)).push(", update_wall_ns = ").push_bind(sql_ns(wall_ns));
        query.push(" WHERE update_ns < ").push_bind(sql_ns(now_ns)).push(" AND ").push(condition);
        query.push_list(ids);
        query.execute(&mut *tx).await?;
    }
    Ok(())
}

impl Store {
    /// Reads the incidents with these ids.
    pub(super) async fn read_incidents(
        &self,
        connection: &mut Link,
        ids: &[String],
        keep: Keep,
    ) -> Result<Vec<Incident>, StoreError> {
        let mut incidents = Vec::with_capacity(ids.len());
        for ids in ids.chunks(MAX_LISTED) {
            let mut query = sql(COLUMNS);
            query.push(FROM).push(" WHERE i.id IN ");
            query.push_list(ids);
            let rows: Vec<Row> = query.fetch_all(&mut *connection).await.during("read incidents")?;
            incidents.extend(self.complete(connection, rows, keep).await?);
        }
        Ok(incidents)
    }

    /// Adds occurrences and outlines to rows of incidents, with one statement each for all rows.
    async fn complete(
        &self,
        connection: &mut Link,
        rows: Vec<Row>,
        keep: Keep,
    ) -> Result<Vec<Incident>, StoreError> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let mut occurrences =
            read_occurrences(connection, &rows).await.during("read the occurrences of incidents")?;
        let representatives: Vec<&str> = rows.iter().map(|row| row.diagnosis.as_str()).collect();
        let outlines = self.outlines.of(connection, &representatives, keep).await?;
        let incidents = rows.into_iter().filter_map(|row| {
            // An incident without its representative is removed by the transaction that removes the diagnosis.
            let outline = outlines.get(&row.diagnosis)?;
            let occurrences = occurrences.remove(&row.id).unwrap_or_default();
            Some(incident(row, outline, occurrences))
        });
        Ok(incidents.collect())
    }
}

/// Counts the incidents that match a filter, without its limit and position.
async fn read_totals(connection: &mut Link, filter: &IncidentFilter) -> Result<IncidentTotals, StoreError> {
    let mut query = sql("SELECT COUNT(*), COUNT(CASE WHEN i.end_ns IS NULL THEN 1 END) FROM incidents i");
    push_conditions(&mut query, filter);
    let (matching, open): (i64, i64) = query.fetch_one(connection).await.during("count incidents")?;
    Ok(IncidentTotals { matching: from_sql(matching), open: from_sql(open) })
}

fn incident(row: Row, outline: &DiagnosisOutline, occurrences: Vec<Occurrence>) -> Incident {
    Incident {
        occurrences,
        id: row.id,
        anomaly: outline.anomaly,
        cause: outline.cause,
        severity: outline.severity,
        summary: outline.summary.clone(),
        confidence: outline.confidence,
        root_cause: outline.root_cause.clone(),
        fault: outline.fault,
        cost: outline.cost,
        pause_path: outline.pause_path.clone(),
        pause_loop: outline.pause_loop.clone(),
        start_ns: from_sql(row.start_ns),
        update_ns: from_sql(row.update_ns),
        end_ns: row.end_ns.map(from_sql),
        run: from_sql(row.run),
        start_wall_ns: from_sql(row.start_wall_ns),
        update_wall_ns: from_sql(row.update_wall_ns),
        count: from_sql(row.count),
        recurrences: from_sql(row.recurrences),
        handling: parse(&row.handling).unwrap_or_default(),
        feedback: row.feedback.as_deref().and_then(parse),
        diagnosis: row.diagnosis,
        victims: super::victims::listed(row.victims.as_deref()),
        victim_count: from_sql(row.victim_count),
    }
}

async fn read_occurrences(
    connection: &mut Link,
    rows: &[Row],
) -> Result<BTreeMap<String, Vec<Occurrence>>, sqlx::Error> {
    let mut query =
        sql("SELECT incident, number, start_ns, update_ns, start_wall_ns, update_wall_ns FROM occurrences \
         WHERE incident IN ");
    let ids: Vec<String> = rows.iter().map(|row| row.id.clone()).collect();
    query.push_list(&ids);
    query.push(" ORDER BY incident, start_ns, number");
    let open: BTreeSet<(&str, i64)> =
        rows.iter().filter(|row| row.end_ns.is_none()).map(|row| (row.id.as_str(), row.occurrence)).collect();
    let found: Vec<(String, i64, i64, i64, i64, i64)> = query.fetch_all(connection).await?;
    let mut occurrences: BTreeMap<String, Vec<Occurrence>> = BTreeMap::new();
    for (incident, number, start_ns, update_ns, start_wall_ns, update_wall_ns) in found {
        let is_open = open.contains(&(incident.as_str(), number));
        occurrences.entry(incident).or_default().push(Occurrence {
            start_ns: from_sql(start_ns),
            end_ns: (!is_open).then_some(from_sql(update_ns)),
            start_wall_ns: from_sql(start_wall_ns),
            update_wall_ns: from_sql(update_wall_ns),
        });
    }
    Ok(occurrences)
}

/// Selects one row more than the page has. The inner statement sorts and cuts without the bodies, which are large.
fn select(filter: &IncidentFilter, limit: u32) -> Statement {
    let mut query = sql(COLUMNS);
    query.push(FROM).push(" WHERE i.id IN (SELECT i.id FROM incidents i");
    push_conditions(&mut query, filter);
    if let Some(after) = &filter.after {
        query.push(" AND (i.occurred_wall_ns, i.occurred_ns, i.id) < (").push_bind(sql_ns(after.wall_ns));
        query.push(", ").push_bind(sql_ns(after.time_ns)).push(", ").push_bind(after.id.clone()).push(")");
    }
    query.push(ORDER).push(" LIMIT ").push_bind(i64::from(limit) + 1).push(")").push(ORDER);
    query
}

/// Adds the conditions of a filter without its position, and the table that they need.
fn push_conditions(query: &mut Statement, filter: &IncidentFilter) {
    if filter.anomaly.is_some() || filter.cause.is_some() {
        query.push(" JOIN diagnoses d ON d.id = i.diagnosis");
    }
    query.push(" WHERE 1 = 1");
    if filter.open {
        query.push(" AND i.end_ns IS NULL");
    }
    if let Some(since_ns) = filter.since_ns {
        query.push(" AND i.update_ns >= ").push_bind(sql_ns(since_ns));
    }
    if let Some(until_ns) = filter.until_ns {
        query.push(" AND i.start_ns < ").push_bind(sql_ns(until_ns));
    }
    if filter.since_wall_ns.is_some() || filter.until_wall_ns.is_some() {
        query.push(" AND EXISTS (SELECT 1 FROM occurrences o WHERE o.incident = i.id");
        if let Some(since_ns) = filter.since_wall_ns {
            // The latest occurrence of an incident that has not ended lasts.
            query.push(" AND (o.update_wall_ns >= ").push_bind(sql_ns(since_ns));
            query.push(" OR (i.end_ns IS NULL AND o.number = i.occurrence))");
        }
        if let Some(until_ns) = filter.until_wall_ns {
            query.push(" AND o.start_wall_ns < ").push_bind(sql_ns(until_ns));
        }
        query.push(")");
    }
    if let Some(anomaly) = filter.anomaly {
        query.push(" AND d.anomaly = ").push_bind(anomaly_name(anomaly));
    }
    if let Some(cause) = filter.cause {
        query.push(" AND d.cause = ").push_bind(cause_name(cause));
    }
    if let Some(severity) = filter.severity {
        query.push(" AND i.severity = ").push_bind(severity_name(severity));
    }
    if let Some(handling) = &filter.handling {
        query.push(" AND i.handling = ").push_bind(name(handling));
    }
    if let Some(host) = &filter.host {
        push_host(query, host, &filter.host_addresses);
    }
    if let Some(port) = &filter.port {
        query.push(" AND i.id IN (SELECT incident FROM incident_ports WHERE port = ");
        query.push_bind(port.to_string()).push(")");
    }
    if let Some(flow) = &filter.flow {
        query.push(" AND i.id IN (SELECT incident FROM incident_flows WHERE flow = ");
        query.push_bind(flow.to_string()).push(")");
    }
}

fn push_host(query: &mut Statement, host: &str, addresses: &[IpAddr]) {
    query.push(" AND (i.id IN (SELECT incident FROM diagnoses WHERE host = ").push_bind(host.to_string());
    query.push(")");
    if !addresses.is_empty() {
        let addresses: Vec<String> = addresses.iter().take(MAX_LISTED).map(ToString::to_string).collect();
        for end in ["src", "dst"] {
            query.push(" OR i.id IN (SELECT incident FROM incident_flows WHERE ").push(end).push(" IN ");
            query.push_list(&addresses);
            query.push(")");
        }
    }
    query.push(")");
}
