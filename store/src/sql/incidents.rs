//! Incidents: which diagnosis belongs to which, and when they end.

use model::{Anomaly, Diagnosis, FlowKey};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

use super::{Store, decode, from_sql, sql_ns};
use crate::error::{During, StoreError};
use crate::filter::{Cursor, IncidentFilter, Page, page_rows};
use crate::incident::{Incident, culprit, rank};
use crate::limits::INCIDENT_VICTIMS;
use crate::names::anomaly_name;

/// `id, start_ns, update_ns, end_ns, count, diagnosis, body of that diagnosis`
type Row = (String, i64, i64, Option<i64>, i64, String, String);

const COLUMNS: &str = "SELECT i.id, i.start_ns, i.update_ns, i.end_ns, i.count, i.diagnosis, d.body \
                       FROM incidents i JOIN diagnoses d ON d.id = i.diagnosis";

impl Store {
    /// The incident called `id`.
    ///
    /// # Errors
    /// The database fails, or what it holds cannot be read.
    pub async fn incident(&self, id: &str) -> Result<Option<Incident>, StoreError> {
        let mut query = QueryBuilder::<Sqlite>::new(COLUMNS);
        query.push(" WHERE i.id = ").push_bind(id);
        let row: Option<Row> =
            query.build_query_as().fetch_optional(&self.pool).await.during("read an incident")?;
        match row {
            Some(row) => Ok(Some(self.complete(row).await?)),
            None => Ok(None),
        }
    }

    /// The incidents that `filter` asks for, latest start first.
    ///
    /// # Errors
    /// The database fails, or what it holds cannot be read.
    pub async fn incidents(&self, filter: &IncidentFilter) -> Result<Page<Incident>, StoreError> {
        let limit = page_rows(filter.limit);
        let rows: Vec<Row> =
            select(filter, limit).build_query_as().fetch_all(&self.pool).await.during("listed incidents")?;
        let page = Page::cut(rows, limit, |row| Cursor { time_ns: from_sql(row.1), id: row.0.clone() });
        let mut rows = Vec::with_capacity(page.rows.len());
        for row in page.rows {
            rows.push(self.complete(row).await?);
        }
        Ok(Page { rows, next: page.next })
    }

    /// Ends every incident that no diagnosis touched for the quiet time before `now_ns`, and returns them.
    ///
    /// # Errors
    /// The database fails.
    pub async fn end_quiet_incidents(&self, now_ns: u64) -> Result<Vec<Incident>, StoreError> {
        let action = "ended incidents";
        let quiet_since = now_ns.saturating_sub(self.limits.incident_quiet_ns);
        let ended: Vec<String> = sqlx::query_scalar(
            "UPDATE incidents SET end_ns = update_ns WHERE end_ns IS NULL AND update_ns < $1 RETURNING id",
        )
        .bind(sql_ns(quiet_since))
        .fetch_all(&self.pool)
        .await
        .during(action)?;
        let mut incidents = Vec::with_capacity(ended.len());
        for id in ended {
            incidents.extend(self.incident(&id).await?);
        }
        incidents.sort_by(|a, b| (a.start_ns, &a.id).cmp(&(b.start_ns, &b.id)));
        Ok(incidents)
    }

    /// Finds the incident that a new diagnosis belongs to, or opens one. Returns its id and whether it is new.
    pub(super) async fn assign_incident(
        &self,
        tx: &mut SqliteConnection,
        diagnosis: &Diagnosis,
    ) -> Result<(String, bool), StoreError> {
        let action = "assigned a diagnosis to its incident";
        let culprit = culprit(diagnosis);
        let quiet = self.limits.incident_quiet_ns;
        let open: Option<(String, String, f64, String)> = sqlx::query_as(
            "SELECT i.id, i.diagnosis, i.confidence, d.anomaly FROM incidents i \
             JOIN diagnoses d ON d.id = i.diagnosis \
             WHERE i.culprit = $1 AND i.start_ns <= $2 AND i.update_ns >= $3 \
             ORDER BY i.update_ns DESC, i.id DESC LIMIT 1",
        )
        .bind(&culprit)
        .bind(sql_ns(diagnosis.time_ns.saturating_add(quiet)))
        .bind(sql_ns(diagnosis.time_ns.saturating_sub(quiet)))
        .fetch_optional(&mut *tx)
        .await
        .during(action)?;
        let Some((id, speaker, confidence, anomaly)) = open else {
            let id = format!("i-{}", diagnosis.id);
            open_incident(tx, &id, &culprit, diagnosis).await.during(action)?;
            return Ok((id, true));
        };
        let surer =
            rank(&anomaly_name(diagnosis.anomaly), diagnosis.confidence) >= rank(&anomaly, confidence);
        let time_ns = sql_ns(diagnosis.time_ns);
        sqlx::query(
            "UPDATE incidents SET count = count + 1, end_ns = NULL, diagnosis = $2, confidence = $3, \
             start_ns = CASE WHEN start_ns > $4 THEN $4 ELSE start_ns END, \
             update_ns = CASE WHEN update_ns < $4 THEN $4 ELSE update_ns END WHERE id = $1",
        )
        .bind(&id)
        .bind(if surer { &diagnosis.id } else { &speaker })
        .bind(if surer { diagnosis.confidence } else { confidence })
        .bind(time_ns)
        .execute(&mut *tx)
        .await
        .during(action)?;
        Ok((id, false))
    }

    async fn complete(&self, row: Row) -> Result<Incident, StoreError> {
        let (id, start_ns, update_ns, end_ns, count, diagnosis, body) = row;
        let speaker: Diagnosis = decode("diagnosis", &diagnosis, &body)?;
        let victims: Vec<String> = sqlx::query_scalar(
            "SELECT DISTINCT victim FROM diagnoses WHERE incident = $1 ORDER BY victim LIMIT $2",
        )
        .bind(&id)
        .bind(i64::from(INCIDENT_VICTIMS))
        .fetch_all(&self.pool)
        .await
        .during("read an incident's victims")?;
        // The column was written from a flow key; a row that somebody edited by hand is left out.
        let victims = victims.iter().filter_map(|victim| victim.parse::<FlowKey>().ok()).collect();
        Ok(Incident {
            id,
            anomaly: speaker.anomaly,
            cause: speaker.cause,
            summary: speaker.summary,
            confidence: speaker.confidence,
            root_cause: speaker.root_cause,
            start_ns: from_sql(start_ns),
            update_ns: from_sql(update_ns),
            end_ns: end_ns.map(from_sql),
            count: from_sql(count),
            diagnosis,
            victims,
        })
    }
}

async fn open_incident(
    tx: &mut SqliteConnection,
    id: &str,
    culprit: &str,
    diagnosis: &Diagnosis,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO incidents (id, culprit, start_ns, update_ns, end_ns, count, diagnosis, confidence) \
         VALUES ($1, $2, $3, $3, NULL, 1, $4, $5)",
    )
    .bind(id)
    .bind(culprit)
    .bind(sql_ns(diagnosis.time_ns))
    .bind(&diagnosis.id)
    .bind(diagnosis.confidence)
    .execute(&mut *tx)
    .await?;
    Ok(())
}

/// After diagnoses were removed: an incident without any goes, one whose speaker went gets the next best.
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
