//! What the assignment of diagnoses to incidents ([`crate::assignment`]) reads and stores: a few statements for any number of
//! diagnoses.

use std::collections::{BTreeMap, BTreeSet};

use model::{Diagnosis, FlowKey, PortRef};

use super::database::Link;
use super::statement::{Row, Statement, Value, scalar, sql};
use super::{MAX_LISTED, Store, from_sql, sql_ns, victims};
use crate::assignment::{Entry, IncidentRow, Ledger, MOST_BALANCE, Member, OccurrenceRow, incident_id};
use crate::incident::{
    Named, culprits_of, flows_of, has_no_culprit, incident_ports, key_before, ports_of, queue_of, root_key,
};
use crate::limits::{INCIDENT_MEMBERS, INCIDENT_OCCURRENCES};

const COLUMNS: &str = "SELECT i.id, i.culprit, i.start_ns, i.update_ns, i.end_ns, i.count, i.diagnosis, i.confidence, \
                       i.severity, COALESCE(i.precedence, 0) AS precedence, i.recurrences, i.start_wall_ns, \
                       i.update_wall_ns, i.occurrence, i.occurred_ns, i.occurred_wall_ns, i.handling FROM incidents i";

impl Store {
    /// Reads the incidents that new diagnoses, which arrived at `wall_ns`, may join.
    pub(super) async fn read_ledger(
        &self,
        tx: &mut Link,
        diagnoses: &[&Diagnosis],
        wall_ns: u64,
    ) -> Result<Ledger, sqlx::Error> {
        let mut ledger = Ledger::default();
        if diagnoses.is_empty() {
            return Ok(ledger);
        }
        let of_roots = self.of_roots(diagnoses, wall_ns).fetch_all::<IncidentRow>(&mut *tx).await?;
        let add = |ledger: &mut Ledger, rows: Vec<IncidentRow>| {
            for row in rows {
                ledger.entries.entry(row.id.clone()).or_insert_with(|| Entry::stored(row));
            }
        };
        let roots: BTreeSet<String> = of_roots.iter().map(|row| row.culprit.clone()).collect();
        add(&mut ledger, of_roots);
        // Most diagnoses join the incident of their root: culprits and ports decide about the others, and a deadlock around a queue.
        let is_of_root = |diagnosis: &Diagnosis| roots.contains(&root_key(diagnosis));
        let others = diagnoses.iter().filter(|diagnosis| !is_of_root(diagnosis));
        let culprits: BTreeSet<&FlowKey> = others.flat_map(|diagnosis| culprits_of(diagnosis)).collect();
        let culprits: Vec<String> = culprits.into_iter().map(ToString::to_string).collect();
        for culprits in culprits.chunks(MAX_LISTED) {
            let rows = self.of_culprits(culprits, wall_ns).fetch_all::<IncidentRow>(&mut *tx).await?;
            add(&mut ledger, rows);
        }
        let needs_ports = |diagnosis: &Diagnosis| {
            has_no_culprit(diagnosis) || queue_of(diagnosis).is_some() || !is_of_root(diagnosis)
        };
        if diagnoses.iter().copied().any(needs_ports) {
            for ports in ports(diagnoses).chunks(MAX_LISTED) {
                let rows = self.open_of_ports(ports).fetch_all::<IncidentRow>(&mut *tx).await?;
                add(&mut ledger, rows);
            }
        }
        read_occurrences(tx, &mut ledger, diagnoses, self.limits.incident_quiet_ns).await?;
        read_members(tx, &mut ledger, diagnoses).await?;
        Ok(ledger)
    }

    /// The incidents of the roots of diagnoses that were updated not too long ago.
    fn of_roots(&self, diagnoses: &[&Diagnosis], wall_ns: u64) -> Statement {
        let roots: BTreeSet<String> = diagnoses
            .iter()
            .flat_map(|diagnosis| [Some(root_key(diagnosis)), key_before(diagnosis)])
            .flatten()
            .collect();
        let earliest = wall_ns.saturating_sub(self.limits.incident_memory_ns);
        let mut query = sql(COLUMNS);
        query.push(" WHERE (i.culprit IN ").push_list(roots);
        query.push(" AND i.run = ").push_bind(self.run());
        query.push(" AND i.update_wall_ns >= ").push_bind(sql_ns(earliest));
        // The incident of a diagnosis that was stored before and removed since.
        query.push(") OR i.id IN ").push_list(diagnoses.iter().map(|diagnosis| incident_id(diagnosis)));
        query
    }

    /// The incidents with one of these culprits that were updated not too long ago.
    fn of_culprits(&self, flows: &[String], wall_ns: u64) -> Statement {
        let earliest = wall_ns.saturating_sub(self.limits.incident_memory_ns);
        let mut query = sql(COLUMNS);
        query.push(" WHERE i.run = ").push_bind(self.run());
        query.push(" AND i.update_wall_ns >= ").push_bind(sql_ns(earliest));
        query.push(
            " AND i.id IN (SELECT f.incident FROM incident_flows f WHERE f.is_culprit = 1 AND f.flow IN ",
        );
        query.push_list(flows).push(")");
        query
    }

    /// The open incidents that have one of these ports.
    fn open_of_ports(&self, ports: &[String]) -> Statement {
        let mut query = sql(COLUMNS);
        query.push(" WHERE i.end_ns IS NULL AND i.run = ").push_bind(self.run());
        query.push(" AND EXISTS (SELECT 1 FROM incident_ports p WHERE p.incident = i.id");
        query.push(" AND p.last_ns >= i.occurred_ns AND p.port IN ").push_list(ports).push(")");
        query
    }

    /// Stores what has changed in incidents.
    pub(super) async fn write_ledger(
        &self,
        tx: &mut Link,
        ledger: &Ledger,
        diagnoses: &[&Diagnosis],
    ) -> Result<(), sqlx::Error> {
        let changed: Vec<&Entry> = ledger.entries.values().filter(|entry| entry.is_changed).collect();
        if changed.is_empty() {
            return Ok(());
        }
        for changed in changed.chunks(MAX_LISTED) {
            self.write_incidents(tx, changed).await?;
            write_occurrences(tx, changed).await?;
        }
        write_members(tx, &changed).await?;
        let marked = write_marks(tx, &changed, diagnoses).await?;
        let ids = changed.iter().map(|entry| (entry.row.id.as_str(), entry.has_other_victims));
        let of_other_flows: Vec<&str> =
            ids.filter(|(id, has_changed)| *has_changed || marked.contains(id)).map(|(id, _)| id).collect();
        victims::list(tx, &of_other_flows).await
    }

    async fn write_incidents(&self, tx: &mut Link, changed: &[&Entry]) -> Result<(), sqlx::Error> {
        let mut query = sql(
            "INSERT INTO incidents (id, culprit, start_ns, update_ns, end_ns, count, diagnosis, confidence, severity, \
             precedence, recurrences, start_wall_ns, update_wall_ns, occurrence, occurred_ns, occurred_wall_ns, handling, \
             run)",
        );
        query.push_rows(changed.iter().map(|entry| {
            let row = &entry.row;
            [
                (&row.id).into(),
                (&row.culprit).into(),
                row.start_ns.into(),
                row.update_ns.into(),
                row.end_ns.into(),
                row.count.into(),
                (&row.diagnosis).into(),
                row.confidence.into(),
                (&row.severity).into(),
                row.precedence.into(),
                row.recurrences.into(),
                row.start_wall_ns.into(),
                row.update_wall_ns.into(),
                row.occurrence.into(),
                row.occurred_ns.into(),
                row.occurred_wall_ns.into(),
                (&row.handling).into(),
                self.run().into(),
            ]
        }));
        query.push(
            " ON CONFLICT (id) DO UPDATE SET culprit = excluded.culprit, start_ns = excluded.start_ns, \
             update_ns = excluded.update_ns, end_ns = excluded.end_ns, count = excluded.count, \
             diagnosis = excluded.diagnosis, confidence = excluded.confidence, severity = excluded.severity, \
             precedence = excluded.precedence, recurrences = excluded.recurrences, \
             update_wall_ns = excluded.update_wall_ns, occurrence = excluded.occurrence, \
             occurred_ns = excluded.occurred_ns, occurred_wall_ns = excluded.occurred_wall_ns, \
             handling = excluded.handling",
        );
        query.execute(tx).await?;
        Ok(())
    }
}

/// The ports that diagnoses are about, each once.
fn ports(diagnoses: &[&Diagnosis]) -> Vec<String> {
    let named = |diagnosis| ports_of(diagnosis).into_iter().chain(incident_ports(diagnosis));
    let ports: BTreeSet<&PortRef> = diagnoses.iter().copied().flat_map(named).collect();
    ports.into_iter().map(ToString::to_string).collect()
}

/// Selects the rows of the incidents of a ledger, in parts.
async fn of_incidents<T: Row>(
    tx: &mut Link,
    ledger: &Ledger,
    select: &'static str,
    condition: impl Fn(&mut Statement),
) -> Result<Vec<T>, sqlx::Error> {
    let ids: Vec<&String> = ledger.entries.keys().collect();
    let mut rows = Vec::new();
    for ids in ids.chunks(MAX_LISTED) {
        let mut query = sql(select);
        query.push(" WHERE incident IN ").push_list(ids.iter().copied());
        condition(&mut query);
        rows.extend(query.fetch_all::<T>(&mut *tx).await?);
    }
    Ok(rows)
}

/// Adds to each incident the occurrences that diagnoses may belong to, and the one with the greatest number.
async fn read_occurrences(
    tx: &mut Link,
    ledger: &mut Ledger,
    diagnoses: &[&Diagnosis],
    quiet_ns: u64,
) -> Result<(), sqlx::Error> {
    let times = || diagnoses.iter().map(|diagnosis| diagnosis.time_ns);
    let latest = times().max().unwrap_or(0).saturating_add(quiet_ns);
    let earliest = times().min().unwrap_or(0).saturating_sub(quiet_ns);
    let rows: Vec<(String, i64, i64, i64, i64, i64)> = of_incidents(
        tx,
        ledger,
        "SELECT incident, number, start_ns, update_ns, start_wall_ns, update_wall_ns FROM occurrences o",
        |query| {
            query.push(" AND ((start_ns <= ").push_bind(sql_ns(latest));
            query.push(" AND update_ns >= ").push_bind(sql_ns(earliest));
            query.push(
                ") OR number = (SELECT MAX(number) FROM occurrences last WHERE last.incident = o.incident))",
            );
        },
    )
    .await?;
    for (incident, number, start_ns, update_ns, start_wall_ns, update_wall_ns) in rows {
        if let Some(entry) = ledger.entries.get_mut(&incident) {
            let row = OccurrenceRow { number, start_ns, update_ns, start_wall_ns, update_wall_ns };
            entry.occurrences.push(row);
        }
    }
    Ok(())
}

/// Adds to each incident those of its ports and flows that diagnoses name, and the numbers of all.
async fn read_members(
    tx: &mut Link,
    ledger: &mut Ledger,
    diagnoses: &[&Diagnosis],
) -> Result<(), sqlx::Error> {
    for ports in ports(diagnoses).chunks(MAX_LISTED) {
        let select = "SELECT incident, port, last_ns FROM incident_ports";
        let is_named = |query: &mut Statement| {
            query.push(" AND port IN ").push_list(ports);
        };
        for (incident, port, last_ns) in of_incidents(tx, ledger, select, is_named).await? {
            let incident: String = incident;
            if let Some(entry) = ledger.entries.get_mut(&incident) {
                entry.ports.insert(port, last_ns);
            }
        }
    }
    let flows: BTreeSet<FlowKey> =
        diagnoses.iter().flat_map(|diagnosis| flows_of(diagnosis).into_keys()).collect();
    let flows: Vec<String> = flows.iter().map(ToString::to_string).collect();
    for flows in flows.chunks(MAX_LISTED) {
        let select = "SELECT incident, flow, is_victim, balance, is_culprit FROM incident_flows";
        let is_named = |query: &mut Statement| {
            query.push(" AND flow IN ").push_list(flows);
        };
        let rows: Vec<(String, String, i64, i64, i64)> = of_incidents(tx, ledger, select, is_named).await?;
        for (incident, flow, is_victim, balance, is_culprit) in rows {
            if let (Some(entry), Ok(flow)) = (ledger.entries.get_mut(&incident), flow.parse()) {
                entry.flows.insert(flow, Member { is_affected: is_victim != 0, balance });
                if is_culprit != 0 {
                    entry.culprits.insert(flow);
                }
            }
        }
    }
    let by_incident = |query: &mut Statement| {
        query.push(" GROUP BY incident");
    };
    let select = "SELECT incident, COUNT(*) FROM incident_ports";
    let rows: Vec<(String, i64)> = of_incidents(tx, ledger, select, by_incident).await?;
    for (incident, count) in rows {
        ledger.entries.entry(incident).and_modify(|entry| entry.port_count = from_sql(count));
    }
    let select = "SELECT incident, COUNT(*), CAST(SUM(is_culprit) AS BIGINT) FROM incident_flows";
    let rows: Vec<(String, i64, i64)> = of_incidents(tx, ledger, select, by_incident).await?;
    for (incident, count, culprits) in rows {
        let set_counts = |entry: &mut Entry| {
            (entry.flow_count, entry.culprit_count) = (from_sql(count), from_sql(culprits));
        };
        ledger.entries.entry(incident).and_modify(set_counts);
    }
    Ok(())
}

/// Stores the occurrences that are new or have changed, and removes the oldest beyond the limit.
async fn write_occurrences(tx: &mut Link, changed: &[&Entry]) -> Result<(), sqlx::Error> {
    let is_changed =
        |entry: &Entry, occurrence: &OccurrenceRow| entry.changed_occurrences.contains(&occurrence.number);
    let mut query =
        sql("INSERT INTO occurrences (incident, number, start_ns, update_ns, start_wall_ns, update_wall_ns)");
    query.push_rows(changed.iter().flat_map(|entry| {
        let occurrences = entry.occurrences.iter().filter(|occurrence| is_changed(entry, occurrence));
        occurrences.map(|row| {
            [
                (&entry.row.id).into(),
                row.number.into(),
                row.start_ns.into(),
                row.update_ns.into(),
                row.start_wall_ns.into(),
                row.update_wall_ns.into(),
            ]
        })
    }));
    query.push(
        " ON CONFLICT (incident, number) DO UPDATE SET start_ns = excluded.start_ns, update_ns = excluded.update_ns, \
         update_wall_ns = excluded.update_wall_ns",
    );
    query.execute(&mut *tx).await?;
    let limit = i64::from(INCIDENT_OCCURRENCES);
    for entry in changed {
        // Occurrences are numbered from 1.
        if entry.changed_occurrences.last().is_none_or(|number| *number <= limit) {
            continue;
        }
        sql("DELETE FROM occurrences WHERE incident = $1 AND number IN (SELECT number FROM occurrences \
             WHERE incident = $1 ORDER BY start_ns DESC, number DESC LIMIT $2 OFFSET $3)")
        .bind(&entry.row.id)
        .bind(MAX_LISTED as i64)
        .bind(limit)
        .execute(&mut *tx)
        .await?;
    }
    Ok(())
}

/// Stores the ports and flows that are new or have changed.
async fn write_members(tx: &mut Link, changed: &[&Entry]) -> Result<(), sqlx::Error> {
    let ports = changed.iter().flat_map(|entry| {
        entry.changed_ports.iter().filter_map(move |port| Some((entry, port, *entry.ports.get(port)?)))
    });
    for ports in ports.collect::<Vec<_>>().chunks(MAX_LISTED) {
        let mut query = sql("INSERT INTO incident_ports (incident, port, last_ns)");
        query.push_rows(
            ports
                .iter()
                .map(|(entry, port, last_ns)| [(&entry.row.id).into(), (*port).into(), (*last_ns).into()]),
        );
        query.push(" ON CONFLICT (incident, port) DO UPDATE SET last_ns = excluded.last_ns");
        query.execute(&mut *tx).await?;
    }
    let flows = changed.iter().flat_map(|entry| {
        entry.changed_flows.iter().filter_map(move |flow| Some((entry, flow, *entry.flows.get(flow)?)))
    });
    for flows in flows.collect::<Vec<_>>().chunks(MAX_LISTED) {
        let mut query = sql(INSERT_FLOWS);
        query.push_rows(flows.iter().map(|(entry, flow, member)| flow_row(&entry.row.id, flow, *member)));
        query.push(
            " ON CONFLICT (incident, flow) DO UPDATE SET is_victim = excluded.is_victim, balance = excluded.balance",
        );
        query.execute(&mut *tx).await?;
    }
    Ok(())
}

/// Marks the flows of incidents that a new diagnosis represents, or that have lost a victim. Returns the incidents of which
/// flows have changed.
async fn write_marks<'e>(
    tx: &mut Link,
    changed: &[&'e Entry],
    diagnoses: &[&Diagnosis],
) -> Result<BTreeSet<&'e str>, sqlx::Error> {
    let former = former_representatives(tx, changed).await?;
    let represented: Vec<(&'e str, &Diagnosis)> = changed
        .iter()
        .filter_map(|entry| {
            let diagnosis = match entry.representative {
                Some(place) => diagnoses.get(place).copied(),
                None => former.get(&entry.row.diagnosis),
            };
            Some((entry.row.id.as_str(), diagnosis?))
        })
        .collect();
    if represented.is_empty() {
        return Ok(BTreeSet::new());
    }
    let mut query = sql("SELECT incident, flow, is_culprit, is_represented FROM incident_flows \
         WHERE (is_culprit = 1 OR balance < 0) AND incident IN ");
    query.push_list(represented.iter().map(|(incident, _)| *incident));
    let marks: Vec<(String, String, i64, i64)> = query.fetch_all(&mut *tx).await?;
    let mut marked = BTreeSet::new();
    for (incident, diagnosis) in represented {
        let own: Vec<(&str, bool, bool)> = marks
            .iter()
            .filter(|(of, ..)| of == incident)
            .map(|(_, flow, is_culprit, is_represented)| {
                (flow.as_str(), *is_culprit != 0, *is_represented != 0)
            })
            .collect();
        if has_other_marks(&own, diagnosis) && mark_flows(tx, incident, diagnosis).await? {
            marked.insert(incident);
        }
    }
    Ok(marked)
}

/// The diagnoses that represent incidents as before although a flow is no victim any more, by id: they may name it as one.
async fn former_representatives(
    tx: &mut Link,
    changed: &[&Entry],
) -> Result<BTreeMap<String, Diagnosis>, sqlx::Error> {
    let ids: Vec<&str> = changed
        .iter()
        .filter(|entry| entry.representative.is_none() && entry.has_fewer_victims)
        .map(|entry| entry.row.diagnosis.as_str())
        .collect();
    let mut former = BTreeMap::new();
    for ids in ids.chunks(MAX_LISTED) {
        let mut query = sql("SELECT id, body FROM diagnoses WHERE id IN ");
        query.push_list(ids.iter().copied());
        let rows: Vec<(String, String)> = query.fetch_all(&mut *tx).await?;
        // A body that cannot be read is an error when it is read.
        former
            .extend(rows.into_iter().filter_map(|(id, body)| Some((id, Diagnosis::from_json(&body).ok()?))));
    }
    Ok(former)
}

/// Whether the marks of an incident's flows are not those of the diagnosis that represents it. `marks` has the flows that are
/// marked as culprits or have a negative balance: whether each is marked as a culprit, and as affected.
fn has_other_marks(marks: &[(&str, bool, bool)], diagnosis: &Diagnosis) -> bool {
    let named: BTreeMap<String, Named> =
        flows_of(diagnosis).into_iter().map(|(flow, named)| (flow.to_string(), named)).collect();
    let is_other = |(flow, is_culprit, is_represented): &(&str, bool, bool)| {
        let wanted = named.get(*flow).copied().unwrap_or_default();
        (wanted.is_culprit, wanted.is_victim) != (*is_culprit, *is_represented)
    };
    let is_marked = |flow: &str| marks.iter().any(|(marked, is_culprit, _)| *is_culprit && *marked == flow);
    let culprits = named.iter().filter(|(_, named)| named.is_culprit);
    marks.iter().any(is_other) || culprits.into_iter().any(|(flow, _)| !is_marked(flow))
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
    let flows: Vec<(FlowKey, Named)> = flows_of(diagnosis).into_iter().collect();
    let mut changed = 0;
    if has_room(tx, "SELECT COUNT(*) FROM incident_flows WHERE incident = ", incident).await? {
        for flows in flows.chunks(MAX_LISTED) {
            let mut query = sql(INSERT_FLOWS);
            query.push_rows(
                flows.iter().map(|(flow, named)| flow_row(incident, flow, Member::default().with(*named))),
            );
            query.push(
                " ON CONFLICT (incident, flow) DO UPDATE SET \
                 is_victim = CASE WHEN excluded.is_victim = 1 THEN 1 ELSE incident_flows.is_victim END, \
                 balance = CASE WHEN incident_flows.balance + excluded.balance > ",
            );
            query.push_bind(MOST_BALANCE).push(" THEN ").push_bind(MOST_BALANCE);
            query.push(" WHEN incident_flows.balance + excluded.balance < ").push_bind(-MOST_BALANCE);
            query.push(" THEN ").push_bind(-MOST_BALANCE);
            query.push(" ELSE incident_flows.balance + excluded.balance END");
            changed += query.execute(&mut *tx).await?;
        }
    }
    Ok(changed > 0)
}

const INSERT_FLOWS: &str =
    "INSERT INTO incident_flows (incident, flow, src, dst, is_victim, balance, is_culprit) ";

/// The row of a flow that is not marked as a culprit of the representative diagnosis.
fn flow_row(incident: &str, flow: &FlowKey, member: Member) -> [Value; 7] {
    let (src, dst) = (flow.src.to_string(), flow.dst.to_string());
    [
        incident.into(),
        flow.to_string().into(),
        src.into(),
        dst.into(),
        i64::from(member.is_affected).into(),
        member.balance.into(),
        0.into(),
    ]
}

/// Whether an incident has fewer ports, or flows, than [`INCIDENT_MEMBERS`].
async fn has_room(tx: &mut Link, count: &'static str, incident: &str) -> Result<bool, sqlx::Error> {
    let mut query = sql(count);
    query.push_bind(incident);
    let count: i64 = query.scalar().fetch_one(tx).await?;
    Ok(from_sql(count) < u64::from(INCIDENT_MEMBERS))
}

/// Marks the flows that the representative diagnosis of an incident names as culprits and as affected, and no others. Returns
/// whether that has changed a flow.
pub(super) async fn mark_flows(
    tx: &mut Link,
    incident: &str,
    diagnosis: &Diagnosis,
) -> Result<bool, sqlx::Error> {
    let named = flows_of(diagnosis);
    let of = |is_named: fn(&Named) -> bool| -> Vec<String> {
        named.iter().filter(|(_, named)| is_named(named)).map(|(flow, _)| flow.to_string()).collect()
    };
    let culprits = mark(tx, incident, "is_culprit", of(|named| named.is_culprit)).await?;
    let affected = mark(tx, incident, "is_represented", of(|named| named.is_victim)).await?;
    Ok(culprits || affected)
}

/// Sets a column to 1 for these flows of an incident, the first [`MAX_LISTED`] of them, and to 0 for its others. Returns whether
/// that has changed a row.
async fn mark(
    tx: &mut Link,
    incident: &str,
    column: &'static str,
    flows: Vec<String>,
) -> Result<bool, sqlx::Error> {
    let flows = flows.get(..MAX_LISTED).unwrap_or(&flows);
    let mut changed = 0;
    for (value, condition) in [(0_i64, " NOT IN "), (1, " IN ")] {
        let mut query = sql("UPDATE incident_flows SET ");
        query.push(column).push(" = ").push_bind(value).push(" WHERE incident = ").push_bind(incident);
        query.push(" AND ").push(column).push(" <> ").push_bind(value);
        match (flows, value) {
            ([], 1) => continue,
            ([], _) => {}
            _ => {
                query.push(" AND flow").push(condition);
                query.push_list(flows);
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
    for (incident, diagnosis) in &changed {
        let body: String =
            scalar("SELECT body FROM diagnoses WHERE id = $1").bind(diagnosis).fetch_one(&mut *tx).await?;
        // A body that cannot be read is an error when it is read.
        if let Ok(diagnosis) = Diagnosis::from_json(&body) {
            mark_flows(tx, incident, &diagnosis).await?;
        }
    }
    let incidents: Vec<&str> = changed.iter().map(|(incident, _)| incident.as_str()).collect();
    victims::list(tx, &incidents).await
}
