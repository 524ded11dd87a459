//! The assignment of a diagnosis to its incident; [`crate::incident`] states the rule.

use std::collections::BTreeSet;

use model::{Diagnosis, PortRef};

use super::database::Link;
use super::statement::{scalar, sql};
use super::{MAX_LISTED, Store, from_sql, sql_ns, victims};
use crate::incident::{DETERMINED, flows_of, has_no_culprit, incident_ports, ports_of, precedence, root_key};
use crate::limits::{INCIDENT_MEMBERS, INCIDENT_OCCURRENCES};
use crate::names::severity_name;

/// The columns of an incident that a diagnosis changes.
#[derive(sqlx::FromRow)]
struct Known {
    id: String,
    start_ns: i64,
    update_ns: i64,
    update_wall_ns: i64,
    precedence: i64,
    occurrence: i64,
}

impl Known {
    /// Whether a diagnosis that joins represents the incident from now on.
    fn is_represented_by(&self, diagnosis: &Diagnosis) -> bool {
        precedence(diagnosis) >= self.precedence
    }
}

const KNOWN: &str = "SELECT i.id, i.start_ns, i.update_ns, i.update_wall_ns, COALESCE(i.precedence, 0) AS precedence, \
                     i.occurrence FROM incidents i ";

/// The occurrence that a diagnosis belongs to.
struct Place {
    number: i64,
    start_ns: i64,
    is_new: bool,
}

impl Store {
    /// Adds a new diagnosis, which arrived at `wall_ns`, to the incident it belongs to, or opens one. Returns the
    /// incident's id and whether it is new.
    pub(super) async fn assign_incident(
        &self,
        tx: &mut Link,
        diagnosis: &Diagnosis,
        wall_ns: u64,
    ) -> Result<(String, bool), sqlx::Error> {
        let names_culprit = !has_no_culprit(diagnosis);
        let mut known = None;
        if !names_culprit {
            known = self.open_incident_of_ports(tx, diagnosis, ports_of(diagnosis), false).await?;
        }
        if known.is_none() {
            known = self.incident_of_root(tx, diagnosis, wall_ns).await?;
        }
        if known.is_none() && names_culprit {
            known = self.open_incident_of_ports(tx, diagnosis, incident_ports(diagnosis), true).await?;
            if let Some(known) = &known {
                name_culprit(tx, &known.id, diagnosis).await?;
            }
        }
        let Some(known) = known else {
            let id = self.open_incident(tx, diagnosis, wall_ns).await?;
            add_members(tx, &id, diagnosis).await?;
            mark_culprits(tx, &id, diagnosis).await?;
            victims::list(tx, &id).await?;
            return Ok((id, true));
        };
        self.join(tx, &known, diagnosis, wall_ns).await?;
        let mut changed = add_members(tx, &known.id, diagnosis).await?;
        if known.is_represented_by(diagnosis) {
            changed |= mark_culprits(tx, &known.id, diagnosis).await?;
        }
        if changed {
            victims::list(tx, &known.id).await?;
        }
        Ok((known.id, false))
    }

    /// Finds the gravest open incident that has one of these ports; with `is_unnamed` only one for which no verdict names
    /// a culprit, and which has not come back, perhaps with other culprits.
    async fn open_incident_of_ports(
        &self,
        tx: &mut Link,
        diagnosis: &Diagnosis,
        ports: BTreeSet<&PortRef>,
        is_unnamed: bool,
    ) -> Result<Option<Known>, sqlx::Error> {
        let ports: Vec<String> = ports.into_iter().map(ToString::to_string).collect();
        if ports.is_empty() {
            return Ok(None);
        }
        let latest = diagnosis.time_ns.saturating_add(self.limits.incident_quiet_ns);
        let mut query = sql(KNOWN);
        query.push(" WHERE i.end_ns IS NULL AND i.run = ").push_bind(self.run());
        query.push(" AND i.occurred_ns <= ").push_bind(sql_ns(latest));
        if is_unnamed {
            query.push(" AND i.recurrences = 1 AND i.precedence < ").push_bind(DETERMINED);
        }
        query.push(" AND EXISTS (SELECT 1 FROM incident_ports p WHERE p.incident = i.id");
        query.push(" AND p.last_ns >= i.occurred_ns AND p.port IN ");
        query.push_list(ports.get(..MAX_LISTED).unwrap_or(&ports));
        query.push(") ORDER BY i.precedence DESC, i.update_ns DESC, i.id LIMIT 1");
        query.fetch_optional(tx).await
    }

    /// Finds the incident with the same root, if it is not too long ago.
    async fn incident_of_root(
        &self,
        tx: &mut Link,
        diagnosis: &Diagnosis,
        wall_ns: u64,
    ) -> Result<Option<Known>, sqlx::Error> {
        let mut query = sql(KNOWN);
        query.push(" WHERE i.culprit = ").push_bind(root_key(diagnosis));
        query.push(" AND i.run = ").push_bind(self.run());
        let earliest = wall_ns.saturating_sub(self.limits.incident_memory_ns);
        query.push(" AND i.update_wall_ns >= ").push_bind(sql_ns(earliest));
        query.push(" ORDER BY i.update_ns DESC, i.id DESC LIMIT 1");
        query.fetch_optional(tx).await
    }

    async fn open_incident(
        &self,
        tx: &mut Link,
        diagnosis: &Diagnosis,
        wall_ns: u64,
    ) -> Result<String, sqlx::Error> {
        let id = format!("i-{}", diagnosis.id);
        sql(
            "INSERT INTO incidents (id, culprit, start_ns, update_ns, end_ns, count, diagnosis, confidence, run, severity, \
             precedence, recurrences, start_wall_ns, update_wall_ns, occurrence, occurred_ns, occurred_wall_ns) \
             VALUES ($1, $2, $3, $3, NULL, 1, $4, $5, $6, $7, $8, 1, $9, $9, 1, $3, $9)",
        )
        .bind(&id)
        .bind(root_key(diagnosis))
        .bind(sql_ns(diagnosis.time_ns))
        .bind(&diagnosis.id)
        .bind(diagnosis.confidence)
        .bind(self.run())
        .bind(severity_name(diagnosis.severity))
        .bind(precedence(diagnosis))
        .bind(sql_ns(wall_ns))
        .execute(&mut *tx)
        .await?;
        insert_occurrence(tx, &id, 1, sql_ns(diagnosis.time_ns), sql_ns(wall_ns)).await?;
        Ok(id)
    }

    async fn join(
        &self,
        tx: &mut Link,
        known: &Known,
        diagnosis: &Diagnosis,
        wall_ns: u64,
    ) -> Result<(), sqlx::Error> {
        let (time_ns, wall_ns) = (sql_ns(diagnosis.time_ns), sql_ns(wall_ns));
        let place = self.place(tx, known, diagnosis.time_ns, wall_ns).await?;
        // A diagnosis that was delayed may belong to an earlier occurrence, and leaves the latest one as it is.
        let is_latest = place.number == known.occurrence || time_ns > known.update_ns;
        let mut query = sql("UPDATE incidents SET count = count + 1, recurrences = recurrences + ");
        query.push_bind(i64::from(place.is_new));
        query.push(", start_ns = ").push_bind(time_ns.min(known.start_ns));
        query.push(", update_ns = ").push_bind(time_ns.max(known.update_ns));
        query.push(", update_wall_ns = ").push_bind(wall_ns.max(known.update_wall_ns));
        if time_ns > known.update_ns {
            query.push(", end_ns = NULL");
        }
        if is_latest {
            query.push(", occurrence = ").push_bind(place.number);
            query.push(", occurred_ns = ").push_bind(place.start_ns);
        }
        if is_latest && place.is_new {
            query.push(", occurred_wall_ns = ").push_bind(wall_ns);
            query.push(", handling = CASE WHEN handling = 'resolved' THEN 'open' ELSE handling END");
        }
        if known.is_represented_by(diagnosis) {
            query.push(", diagnosis = ").push_bind(diagnosis.id.clone());
            query.push(", confidence = ").push_bind(diagnosis.confidence);
            query.push(", severity = ").push_bind(severity_name(diagnosis.severity));
            query.push(", precedence = ").push_bind(precedence(diagnosis));
        }
        query.push(" WHERE id = ").push_bind(known.id.clone());
        query.execute(tx).await?;
        Ok(())
    }

    /// Extends the occurrence that a diagnosis belongs to, or adds one.
    async fn place(
        &self,
        tx: &mut Link,
        known: &Known,
        time_ns: u64,
        wall_ns: i64,
    ) -> Result<Place, sqlx::Error> {
        let quiet_ns = self.limits.incident_quiet_ns;
        let extended: Option<(i64, i64)> = sql(
            "UPDATE occurrences SET start_ns = CASE WHEN start_ns > $2 THEN $2 ELSE start_ns END, \
             update_ns = CASE WHEN update_ns < $2 THEN $2 ELSE update_ns END, \
             update_wall_ns = CASE WHEN update_wall_ns < $5 THEN $5 ELSE update_wall_ns END \
             WHERE incident = $1 AND number = (SELECT number FROM occurrences \
             WHERE incident = $1 AND start_ns <= $3 AND update_ns >= $4 ORDER BY update_ns DESC, number DESC LIMIT 1) \
             RETURNING number, start_ns",
        )
        .bind(&known.id)
        .bind(sql_ns(time_ns))
        .bind(sql_ns(time_ns.saturating_add(quiet_ns)))
        .bind(sql_ns(time_ns.saturating_sub(quiet_ns)))
        .bind(wall_ns)
        .fetch_optional(&mut *tx)
        .await?;
        if let Some((number, start_ns)) = extended {
            return Ok(Place { number, start_ns, is_new: false });
        }
        let last: i64 = scalar("SELECT MAX(number) FROM occurrences WHERE incident = $1")
            .bind(&known.id)
            .fetch_one(&mut *tx)
            .await?;
        let place = Place { number: last + 1, start_ns: sql_ns(time_ns), is_new: true };
        insert_occurrence(tx, &known.id, place.number, place.start_ns, wall_ns).await?;
        sql("DELETE FROM occurrences WHERE incident = $1 AND number IN (SELECT number FROM occurrences \
             WHERE incident = $1 ORDER BY start_ns DESC, number DESC LIMIT $2 OFFSET $3)")
        .bind(&known.id)
        .bind(MAX_LISTED as i64)
        .bind(i64::from(INCIDENT_OCCURRENCES))
        .execute(&mut *tx)
        .await?;
        Ok(place)
    }
}

/// Sets the culprit of an incident that had none.
async fn name_culprit(tx: &mut Link, id: &str, diagnosis: &Diagnosis) -> Result<(), sqlx::Error> {
    sql("UPDATE incidents SET culprit = $2 WHERE id = $1")
        .bind(id)
        .bind(root_key(diagnosis))
        .execute(tx)
        .await?;
    Ok(())
}

async fn insert_occurrence(
    tx: &mut Link,
    incident: &str,
    number: i64,
    time_ns: i64,
    wall_ns: i64,
) -> Result<(), sqlx::Error> {
    sql("INSERT INTO occurrences (incident, number, start_ns, update_ns, start_wall_ns, update_wall_ns) \
         VALUES ($1, $2, $3, $3, $4, $4)")
    .bind(incident)
    .bind(number)
    .bind(time_ns)
    .bind(wall_ns)
    .execute(tx)
    .await?;
    Ok(())
}

/// Adds the ports and flows of a diagnosis to its incident. Returns whether its flows have changed.
pub(super) async fn add_members(
    tx: &mut Link,
    incident: &str,
    diagnosis: &Diagnosis,
) -> Result<bool, sqlx::Error> {
    let ports: Vec<String> = incident_ports(diagnosis).into_iter().map(ToString::to_string).collect();
    if !ports.is_empty()
        && has_room(tx, "SELECT COUNT(*) FROM incident_ports WHERE incident = ", incident).await?
    {
        for ports in ports.chunks(MAX_LISTED) {
            let mut query = sql("INSERT INTO incident_ports (incident, port, last_ns) ");
            let time_ns = sql_ns(diagnosis.time_ns);
            query.push_rows(ports.iter().map(|port| [incident.into(), port.into(), time_ns.into()]));
            query.push(
                " ON CONFLICT (incident, port) DO UPDATE SET last_ns = excluded.last_ns \
                 WHERE excluded.last_ns > incident_ports.last_ns",
            );
            query.execute(&mut *tx).await?;
        }
    }
    let flows: Vec<_> = flows_of(diagnosis).into_iter().collect();
    let mut changed = 0;
    if has_room(tx, "SELECT COUNT(*) FROM incident_flows WHERE incident = ", incident).await? {
        for flows in flows.chunks(MAX_LISTED) {
            let mut query =
                sql("INSERT INTO incident_flows (incident, flow, src, dst, is_victim, is_culprit) ");
            query.push_rows(flows.iter().map(|(flow, is_victim)| {
                let (src, dst) = (flow.src.to_string(), flow.dst.to_string());
                let is_victim = i64::from(*is_victim);
                [incident.into(), flow.to_string().into(), src.into(), dst.into(), is_victim.into(), 0.into()]
            }));
            query.push(
                " ON CONFLICT (incident, flow) DO UPDATE SET is_victim = 1 \
                 WHERE excluded.is_victim > incident_flows.is_victim",
            );
            changed += query.execute(&mut *tx).await?;
        }
    }
    Ok(changed > 0)
}

/// Whether an incident has fewer ports, or flows, than [`INCIDENT_MEMBERS`].
async fn has_room(tx: &mut Link, count: &'static str, incident: &str) -> Result<bool, sqlx::Error> {
    let mut query = sql(count);
    query.push_bind(incident);
    let count: i64 = query.scalar().fetch_one(tx).await?;
    Ok(from_sql(count) < u64::from(INCIDENT_MEMBERS))
}

/// Marks the flows that the representative diagnosis of an incident names as culprits, and no others. Returns whether
/// that has changed a flow.
pub(super) async fn mark_culprits(
    tx: &mut Link,
    incident: &str,
    diagnosis: &Diagnosis,
) -> Result<bool, sqlx::Error> {
    let culprits: Vec<String> = diagnosis.root_cause.flows.iter().map(ToString::to_string).collect();
    let culprits = culprits.get(..MAX_LISTED).unwrap_or(&culprits);
    let mut changed = 0;
    for (is_culprit, condition) in [(0_i64, " NOT IN "), (1, " IN ")] {
        let mut query = sql("UPDATE incident_flows SET is_culprit = ");
        query.push_bind(is_culprit).push(" WHERE incident = ").push_bind(incident);
        query.push(" AND is_culprit <> ").push_bind(is_culprit);
        match (culprits, is_culprit) {
            ([], 1) => continue,
            ([], _) => {}
            _ => {
                query.push(" AND flow").push(condition);
                query.push_list(culprits);
            }
        }
        changed += query.execute(&mut *tx).await?;
    }
    Ok(changed > 0)
}

/// After a removal of diagnoses: removes incidents without one, and replaces representative diagnoses that are gone.
///
/// Returns the number of incidents that were removed.
pub(super) async fn repair_after_removal(tx: &mut Link) -> Result<u64, sqlx::Error> {
    let removed = sql("DELETE FROM incidents WHERE id NOT IN (SELECT incident FROM diagnoses)")
        .execute(&mut *tx)
        .await?;
    represent(tx, "diagnosis NOT IN (SELECT id FROM diagnoses)").await?;
    Ok(removed)
}

/// Chooses the representative diagnosis of the incidents that `condition` selects.
pub(super) async fn represent(tx: &mut Link, condition: &'static str) -> Result<(), sqlx::Error> {
    let mut query = sql(
        "UPDATE incidents SET (diagnosis, confidence, severity, precedence) = (SELECT d.id, d.confidence, d.severity, \
         d.precedence FROM diagnoses d WHERE d.incident = incidents.id \
         ORDER BY d.precedence DESC, d.wall_ns DESC, d.time_ns DESC, d.id DESC LIMIT 1) WHERE ",
    );
    query.push(condition).push(" RETURNING id, diagnosis");
    let changed: Vec<(String, String)> = query.fetch_all(&mut *tx).await?;
    for (incident, diagnosis) in changed {
        let body: String =
            scalar("SELECT body FROM diagnoses WHERE id = $1").bind(diagnosis).fetch_one(&mut *tx).await?;
        // A body that cannot be read is an error when it is read.
        if let Ok(diagnosis) = serde_json::from_str(&body) {
            mark_culprits(tx, &incident, &diagnosis).await?;
        }
        victims::list(tx, &incident).await?;
    }
    Ok(())
}
