//! Storage of incidents: assignment of diagnoses, and the end of an incident.

use std::collections::BTreeMap;

use model::{Anomaly, Diagnosis, FlowKey};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

use super::{Store, decode, from_sql, sql_ns};
use crate::error::{During, StoreError};
use crate::filter::{Cursor, IncidentFilter, Page, page_rows};
use crate::incident::{Incident, rank, root_key};
use crate::limits::INCIDENT_VICTIMS;
use crate::names::anomaly_name;

/// `id, start_ns, update_ns, end_ns, count, diagnosis, body of that diagnosis`, as [`COLUMNS`] selects them.
type Row = (String, i64, i64, Option<i64>, i64, String, String);

/// Maximum ids in one statement; SQLite accepts 32,766 parameters.
const MAX_LISTED_IDS: usize = 1_000;

const COLUMNS: &str = "SELECT i.id, i.start_ns, i.update_ns, i.end_ns, i.count, i.diagnosis, d.body \
                       FROM incidents i JOIN diagnoses d ON d.id = i.diagnosis";

impl Store {
    /// Returns the incident with this id.
    ///
    /// # Errors
    /// The database fails, or a stored body cannot be read.
    pub async fn incident(&self, id: &str) -> Result<Option<Incident>, StoreError> {
        let mut connection = self.pool.acquire().await.during("read an incident")?;
        read_one(&mut connection, id).await
    }

    /// Lists the incidents that match `filter`, latest start first.
    ///
    /// # Errors
    /// The database fails, or a stored body cannot be read.
    pub async fn incidents(&self, filter: &IncidentFilter) -> Result<Page<Incident>, StoreError> {
        let limit = page_rows(filter.limit);
        let mut connection = self.pool.acquire().await.during("list incidents")?;
        let rows: Vec<Row> = select(filter, limit)
            .build_query_as()
            .fetch_all(&mut *connection)
            .await
            .during("list incidents")?;
        let page = Page::cut(rows, limit, |row| Cursor { time_ns: from_sql(row.1), id: row.0.clone() });
        Ok(Page { rows: complete(&mut connection, page.rows).await?, next: page.next })
    }

    /// Ends every incident without a diagnosis in the quiet time before `now_ns`, and returns these incidents.
    ///
    /// # Errors
    /// The database fails.
    pub async fn end_quiet_incidents(&self, now_ns: u64) -> Result<Vec<Incident>, StoreError> {
        let action = "end incidents";
        let quiet_since = now_ns.saturating_sub(self.limits.incident_quiet_ns);
        let mut connection = self.pool.acquire().await.during(action)?;
        let ended: Vec<String> = sqlx::query_scalar(
            "UPDATE incidents SET end_ns = update_ns WHERE end_ns IS NULL AND update_ns < $1 RETURNING id",
        )
        .bind(sql_ns(quiet_since))
        .fetch_all(&mut *connection)
        .await
        .during(action)?;
        let mut incidents = Vec::with_capacity(ended.len());
        for ids in ended.chunks(MAX_LISTED_IDS) {
            let mut query = QueryBuilder::<Sqlite>::new(COLUMNS);
            query.push(" WHERE i.id IN ");
            push_list(&mut query, ids.iter().map(String::as_str));
            let rows: Vec<Row> =
                query.build_query_as().fetch_all(&mut *connection).await.during("read incidents")?;
            incidents.extend(complete(&mut connection, rows).await?);
        }
        incidents.sort_by(|a, b| (a.start_ns, &a.id).cmp(&(b.start_ns, &b.id)));
        Ok(incidents)
    }

    /// Adds a new diagnosis to the incident it belongs to, or opens one. Returns the incident's id and whether it is
    /// new. [`crate::Incident`] states the rule.
    pub(super) async fn assign_incident(
        &self,
        tx: &mut SqliteConnection,
        diagnosis: &Diagnosis,
    ) -> Result<(String, bool), StoreError> {
        let action = "assign a diagnosis to an incident";
        let key = root_key(diagnosis);
        let quiet = self.limits.incident_quiet_ns;
        let matching: Option<(String, String, f64, String)> = sqlx::query_as(
            "SELECT i.id, i.diagnosis, i.confidence, d.anomaly FROM incidents i \
             JOIN diagnoses d ON d.id = i.diagnosis \
             WHERE i.culprit = $1 AND i.start_ns <= $2 AND i.update_ns >= $3 \
             ORDER BY i.update_ns DESC, i.id DESC LIMIT 1",
        )
        .bind(&key)
        .bind(sql_ns(diagnosis.time_ns.saturating_add(quiet)))
        .bind(sql_ns(diagnosis.time_ns.saturating_sub(quiet)))
        .fetch_optional(&mut *tx)
        .await
        .during(action)?;
        let Some((id, representative, confidence, anomaly)) = matching else {
            let id = format!("i-{}", diagnosis.id);
            open_incident(tx, &id, &key, diagnosis).await.during(action)?;
            return Ok((id, true));
        };
        let is_representative =
            rank(&anomaly_name(diagnosis.anomaly), diagnosis.confidence) >= rank(&anomaly, confidence);
        let time_ns = sql_ns(diagnosis.time_ns);
        sqlx::query(
            "UPDATE incidents SET count = count + 1, end_ns = NULL, diagnosis = $2, confidence = $3, \
             start_ns = CASE WHEN start_ns > $4 THEN $4 ELSE start_ns END, \
             update_ns = CASE WHEN update_ns < $4 THEN $4 ELSE update_ns END WHERE id = $1",
        )
        .bind(&id)
        .bind(if is_representative { &diagnosis.id } else { &representative })
        .bind(if is_representative { diagnosis.confidence } else { confidence })
        .bind(time_ns)
        .execute(&mut *tx)
        .await
        .during(action)?;
        Ok((id, false))
    }
}

/// Reads the incident with this id.
pub(super) async fn read_one(
    connection: &mut SqliteConnection,
    id: &str,
) -> Result<Option<Incident>, StoreError> {
    let mut query = QueryBuilder::<Sqlite>::new(COLUMNS);
    query.push(" WHERE i.id = ").push_bind(id);
    let row: Option<Row> =
        query.build_query_as().fetch_optional(&mut *connection).await.during("read an incident")?;
    Ok(complete(connection, row.into_iter().collect()).await?.pop())
}

/// Adds the victims to rows of incidents, with one statement for all rows.
async fn complete(connection: &mut SqliteConnection, rows: Vec<Row>) -> Result<Vec<Incident>, StoreError> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let mut query = victims_of(rows.iter().map(|row| row.0.as_str()));
    let found: Vec<(String, String)> =
        query.build_query_as().fetch_all(connection).await.during("read the victims of incidents")?;
    let mut victims: BTreeMap<String, Vec<FlowKey>> = BTreeMap::new();
    for (incident, victim) in found {
        // The column is written from a flow key; a value that was edited by hand and is none is left out.
        if let Ok(victim) = victim.parse() {
            victims.entry(incident).or_default().push(victim);
        }
    }
    rows.into_iter()
        .map(|(id, start_ns, update_ns, end_ns, count, diagnosis, body)| {
            let representative: Diagnosis = decode("diagnosis", &diagnosis, &body)?;
            Ok(Incident {
                victims: victims.remove(&id).unwrap_or_default(),
                id,
                anomaly: representative.anomaly,
                cause: representative.cause,
                summary: representative.summary,
                confidence: representative.confidence,
                root_cause: representative.root_cause,
                start_ns: from_sql(start_ns),
                update_ns: from_sql(update_ns),
                end_ns: end_ns.map(from_sql),
                count: from_sql(count),
                diagnosis,
            })
        })
        .collect()
}

/// Selects the first [`INCIDENT_VICTIMS`] victims of each incident, in the order of their text.
fn victims_of<'i>(incidents: impl Iterator<Item = &'i str>) -> QueryBuilder<Sqlite> {
    let mut query = QueryBuilder::new(
        "SELECT incident, victim FROM (SELECT incident, victim, \
         ROW_NUMBER() OVER (PARTITION BY incident ORDER BY victim) AS place \
         FROM (SELECT DISTINCT incident, victim FROM diagnoses WHERE incident IN ",
    );
    push_list(&mut query, incidents);
    query.push(")) WHERE place <= ").push_bind(i64::from(INCIDENT_VICTIMS));
    query.push(" ORDER BY incident, victim");
    query
}

/// Adds a parenthesised list of bound values.
fn push_list<'v>(query: &mut QueryBuilder<Sqlite>, values: impl Iterator<Item = &'v str>) {
    query.push("(");
    let mut list = query.separated(", ");
    for value in values {
        list.push_bind(value.to_string());
    }
    query.push(")");
}

async fn open_incident(
    tx: &mut SqliteConnection,
    id: &str,
    root_key: &str,
    diagnosis: &Diagnosis,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO incidents (id, culprit, start_ns, update_ns, end_ns, count, diagnosis, confidence) \
         VALUES ($1, $2, $3, $3, NULL, 1, $4, $5)",
    )
    .bind(id)
    .bind(root_key)
    .bind(sql_ns(diagnosis.time_ns))
    .bind(&diagnosis.id)
    .bind(diagnosis.confidence)
    .execute(&mut *tx)
    .await?;
    Ok(())
}

/// After a removal of diagnoses: removes incidents without one, and replaces representative diagnoses that are gone.
pub(super) async fn repair_after_removal(tx: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM incidents WHERE id NOT IN (SELECT incident FROM diagnoses)")
        .execute(&mut *tx)
        .await?;
    sqlx::query(
        "UPDATE incidents SET diagnosis = (SELECT d.id FROM diagnoses d WHERE d.incident = incidents.id \
         ORDER BY d.anomaly <> $1 DESC, d.confidence DESC, d.time_ns DESC, d.id DESC LIMIT 1) \
         WHERE diagnosis NOT IN (SELECT id FROM diagnoses)",
    )
    .bind(anomaly_name(Anomaly::FlowContention))
    .execute(&mut *tx)
    .await?;
    sqlx::query(
        "UPDATE incidents SET confidence = (SELECT d.confidence FROM diagnoses d WHERE d.id = incidents.diagnosis)",
    )
    .execute(&mut *tx)
    .await?;
    Ok(())
}

fn select(filter: &IncidentFilter, limit: u32) -> QueryBuilder<Sqlite> {
    let mut query = QueryBuilder::new(COLUMNS);
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
    if let Some(after) = &filter.after {
        query.push(" AND (i.start_ns < ").push_bind(sql_ns(after.time_ns));
        query.push(" OR (i.start_ns = ").push_bind(sql_ns(after.time_ns));
        query.push(" AND i.id < ").push_bind(after.id.clone()).push("))");
    }
    query.push(" ORDER BY i.start_ns DESC, i.id DESC LIMIT ").push_bind(i64::from(limit) + 1);
    query
}
