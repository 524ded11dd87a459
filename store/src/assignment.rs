//! The assignment of new diagnoses to incidents, one after the other; [`crate::incident`] states the rule. It computes
//! with the rows that the rule needs, and writes nothing: `sql::assign` reads them and stores what has changed.
//!
//! Times are as the database has them ([`sql_ns`]).

use std::collections::{BTreeMap, BTreeSet};

use model::{Diagnosis, FlowKey, PortRef};

use crate::incident::{
    DETERMINED, Named, culprits_of, deadlocks_by_itself, flows_of, has_no_culprit, incident_ports,
    key_before, loop_of_key, ports_of, precedence, queue_of, root_key,
};
use crate::limits::{INCIDENT_MEMBERS, Limits};
use crate::names::severity_name;
use crate::sql::sql_ns;

/// The columns of an incident that the assignment reads or changes.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub(crate) struct IncidentRow {
    pub(crate) id: String,
    pub(crate) culprit: String,
    pub(crate) start_ns: i64,
    pub(crate) update_ns: i64,
    pub(crate) end_ns: Option<i64>,
    pub(crate) count: i64,
    pub(crate) diagnosis: String,
    pub(crate) confidence: f64,
    pub(crate) severity: String,
    pub(crate) precedence: i64,
    pub(crate) recurrences: i64,
    pub(crate) start_wall_ns: i64,
    pub(crate) update_wall_ns: i64,
    pub(crate) occurrence: i64,
    pub(crate) occurred_ns: i64,
    pub(crate) occurred_wall_ns: i64,
    pub(crate) handling: String,
}

/// A row of an occurrence.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OccurrenceRow {
    pub(crate) number: i64,
    pub(crate) start_ns: i64,
    pub(crate) update_ns: i64,
    pub(crate) start_wall_ns: i64,
    pub(crate) update_wall_ns: i64,
}

/// A flow of an incident.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Member {
    /// Whether a diagnosis names it as affected.
    pub(crate) is_affected: bool,
    /// By how many more diagnoses it is named as affected than as a culprit, at most [`MOST_BALANCE`] in either direction:
    /// beyond it, further diagnoses that say the same write nothing.
    pub(crate) balance: i64,
}

/// The limit of [`Member::balance`]: a flow whose part in the incident changes is counted by its new one after as many diagnoses.
pub(crate) const MOST_BALANCE: i64 = 8;

impl Member {
    pub(crate) fn with(self, named: Named) -> Member {
        let balance = self.balance + i64::from(named.is_victim) - i64::from(named.is_culprit);
        Member {
            is_affected: self.is_affected || named.is_victim,
            balance: balance.clamp(-MOST_BALANCE, MOST_BALANCE),
        }
    }

    /// Whether it is a victim of the incident, as far as the representative diagnosis does not say otherwise: what that one
    /// names it as comes first (`sql::victims`).
    fn is_victim(self) -> bool {
        self.is_affected && self.balance >= 0
    }
}

/// An incident that a diagnosis may join, and what has changed in it.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) row: IncidentRow,
    /// The occurrences near the diagnoses, and the one with the greatest number.
    pub(crate) occurrences: Vec<OccurrenceRow>,
    /// Of the ports that the diagnoses name, those that the incident has, with the time of the latest diagnosis.
    pub(crate) ports: BTreeMap<String, i64>,
    /// Of the flows that they name, those that the incident has.
    pub(crate) flows: BTreeMap<FlowKey, Member>,
    /// Of the flows that they name, those that the diagnosis that represents the incident names as culprits.
    pub(crate) culprits: BTreeSet<FlowKey>,
    /// Number of all ports of the incident, of all flows, and of all culprits.
    pub(crate) port_count: u64,
    pub(crate) flow_count: u64,
    pub(crate) culprit_count: u64,
    /// Numbers of the occurrences that are new or have changed.
    pub(crate) changed_occurrences: BTreeSet<i64>,
    /// Ports that are new or whose time has changed.
    pub(crate) changed_ports: BTreeSet<String>,
    /// Flows that are new or whose part has changed.
    pub(crate) changed_flows: BTreeSet<FlowKey>,
    /// Whether other flows are victims than before.
    pub(crate) has_other_victims: bool,
    /// Whether a flow is no victim any more, as far as the diagnosis that represents the incident does not name it as one.
    pub(crate) has_fewer_victims: bool,
    /// The place, among the diagnoses, of the one that represents the incident from now on; absent: that of before.
    pub(crate) representative: Option<usize>,
    /// Whether a diagnosis has joined.
    pub(crate) is_changed: bool,
}

impl Entry {
    /// A stored incident.
    pub(crate) fn stored(row: IncidentRow) -> Entry {
        Entry {
            row,
            occurrences: Vec::new(),
            ports: BTreeMap::new(),
            flows: BTreeMap::new(),
            culprits: BTreeSet::new(),
            port_count: 0,
            flow_count: 0,
            culprit_count: 0,
            changed_occurrences: BTreeSet::new(),
            changed_ports: BTreeSet::new(),
            changed_flows: BTreeSet::new(),
            has_other_victims: false,
            has_fewer_victims: false,
            representative: None,
            is_changed: false,
        }
    }

    fn opened(diagnosis: &Diagnosis, time_ns: i64, wall_ns: i64) -> Entry {
        let row = IncidentRow {
            id: incident_id(diagnosis),
            culprit: root_key(diagnosis),
            start_ns: time_ns,
            update_ns: time_ns,
            end_ns: None,
            count: 0,
            diagnosis: diagnosis.id.clone(),
            confidence: diagnosis.confidence,
            severity: severity_name(diagnosis.severity).to_string(),
            precedence: precedence(diagnosis),
            recurrences: 1,
            start_wall_ns: wall_ns,
            update_wall_ns: wall_ns,
            occurrence: 1,
            occurred_ns: time_ns,
            occurred_wall_ns: wall_ns,
            handling: "open".to_string(),
        };
        let mut entry = Entry::stored(row);
        entry.add_occurrence(1, time_ns, wall_ns);
        entry
    }

    fn add_occurrence(&mut self, number: i64, time_ns: i64, wall_ns: i64) {
        self.occurrences.push(OccurrenceRow {
            number,
            start_ns: time_ns,
            update_ns: time_ns,
            start_wall_ns: wall_ns,
            update_wall_ns: wall_ns,
        });
        self.changed_occurrences.insert(number);
    }

    /// Whether one of these ports is named by a diagnosis of the latest occurrence.
    fn has_port(&self, ports: &BTreeSet<String>) -> bool {
        ports.iter().any(|port| self.ports.get(port).is_some_and(|last_ns| *last_ns >= self.row.occurred_ns))
    }

    /// Whether the culprits of a diagnosis are those of the incident: it has more than half of the smaller of the two sets.
    /// A burst that congests a host's port and a link before it has all of its flows at the former, and some at the latter.
    fn has_culprits(&self, flows: &[FlowKey]) -> bool {
        let shared = flows.iter().filter(|flow| self.culprits.contains(flow)).count() as u64;
        shared * 2 > self.culprit_count.min(flows.len() as u64)
    }

    /// Adds a diagnosis that arrived at `wall_ns`, the one at `place` of the new ones.
    fn join(&mut self, place: usize, diagnosis: &Diagnosis, wall_ns: i64, quiet_ns: u64) {
        let time_ns = sql_ns(diagnosis.time_ns);
        let (number, start_ns, is_again) = self.place(diagnosis.time_ns, wall_ns, quiet_ns);
        let row = &mut self.row;
        let is_first = row.count == 0;
        row.count += 1;
        row.recurrences += i64::from(is_again);
        // A diagnosis that was delayed may belong to an earlier occurrence, and leaves the latest one as it is.
        let is_latest = number == row.occurrence || time_ns > row.update_ns;
        if time_ns > row.update_ns {
            row.end_ns = None;
        }
        row.start_ns = row.start_ns.min(time_ns);
        row.update_ns = row.update_ns.max(time_ns);
        row.update_wall_ns = row.update_wall_ns.max(wall_ns);
        if is_latest {
            (row.occurrence, row.occurred_ns) = (number, start_ns);
        }
        if is_latest && is_again {
            row.occurred_wall_ns = wall_ns;
            if row.handling == "resolved" {
                row.handling = "open".to_string();
            }
        }
        self.add_members(diagnosis, time_ns);
        // An equal one replaces it when the incident has come back, so that its page does not change every few seconds.
        let rank = precedence(diagnosis);
        if rank > self.row.precedence || rank == self.row.precedence && (is_latest && is_again || is_first) {
            self.row.diagnosis.clone_from(&diagnosis.id);
            self.row.confidence = diagnosis.confidence;
            self.row.severity = severity_name(diagnosis.severity).to_string();
            self.row.precedence = rank;
            self.representative = Some(place);
            self.culprits = culprits_of(diagnosis).iter().copied().collect();
            self.culprit_count = self.culprits.len() as u64;
        }
        self.is_changed = true;
    }

    /// Extends the occurrence that a diagnosis belongs to, or adds one. Returns its number and start, and whether the
    /// incident has come back with it.
    fn place(&mut self, time_ns: u64, wall_ns: i64, quiet_ns: u64) -> (i64, i64, bool) {
        let earliest = sql_ns(time_ns.saturating_sub(quiet_ns));
        let latest = sql_ns(time_ns.saturating_add(quiet_ns));
        let time_ns = sql_ns(time_ns);
        let near = self.occurrences.iter_mut().filter(|o| o.start_ns <= latest && o.update_ns >= earliest);
        if let Some(occurrence) = near.max_by_key(|o| (o.update_ns, o.number)) {
            occurrence.start_ns = occurrence.start_ns.min(time_ns);
            occurrence.update_ns = occurrence.update_ns.max(time_ns);
            occurrence.update_wall_ns = occurrence.update_wall_ns.max(wall_ns);
            self.changed_occurrences.insert(occurrence.number);
            return (occurrence.number, occurrence.start_ns, false);
        }
        let number = self.occurrences.iter().map(|occurrence| occurrence.number).max().unwrap_or(0) + 1;
        self.add_occurrence(number, time_ns, wall_ns);
        (number, time_ns, true)
    }

    /// Adds ports and flows of a diagnosis, if there is room for more.
    fn add_members(&mut self, diagnosis: &Diagnosis, time_ns: i64) {
        if self.port_count < u64::from(INCIDENT_MEMBERS) {
            for port in incident_ports(diagnosis) {
                let port = port.to_string();
                let before_ns = self.ports.get(&port).copied();
                self.port_count += u64::from(before_ns.is_none());
                if before_ns.is_none_or(|before_ns| before_ns < time_ns) {
                    self.ports.insert(port.clone(), time_ns);
                    self.changed_ports.insert(port);
                }
            }
        }
        let has_room = self.flow_count < u64::from(INCIDENT_MEMBERS);
        for (flow, named) in flows_of(diagnosis) {
            let before = self.flows.get(&flow).copied();
            if before.is_none() && !has_room {
                continue;
            }
            self.flow_count += u64::from(before.is_none());
            let was_victim = before.is_some_and(Member::is_victim);
            let member = before.unwrap_or_default().with(named);
            if before != Some(member) {
                self.has_other_victims |= member.is_victim() != was_victim;
                self.has_fewer_victims |= was_victim && !member.is_victim();
                self.flows.insert(flow, member);
                self.changed_flows.insert(flow);
            }
        }
    }
}

/// The incidents that new diagnoses may join, by id.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) entries: BTreeMap<String, Entry>,
}

impl Ledger {
    /// Adds the diagnosis at `place` of the new ones, which arrived at `wall_ns`, to the incident it belongs to, or opens
    /// one. Returns the incident's id and whether it is new.
    pub(crate) fn assign(
        &mut self,
        place: usize,
        diagnosis: &Diagnosis,
        wall_ns: u64,
        limits: &Limits,
    ) -> (String, bool) {
        let quiet_ns = limits.incident_quiet_ns;
        let earliest_wall_ns = wall_ns.saturating_sub(limits.incident_memory_ns);
        let names_culprit = !has_no_culprit(diagnosis);
        let mut known = None;
        if !names_culprit {
            known = self.open_of_ports(diagnosis, &ports_of(diagnosis), false, quiet_ns);
        }
        if known.is_none() {
            known = self.around(diagnosis, quiet_ns);
        }
        if known.is_none() {
            known = self.of_root(&root_key(diagnosis), earliest_wall_ns);
        }
        if known.is_none() {
            known = self.of_loop(diagnosis, quiet_ns);
        }
        if known.is_none() {
            known = self.that_became(diagnosis, quiet_ns);
            if let Some(entry) = known.as_ref().and_then(|id| self.entries.get_mut(id)) {
                entry.row.culprit = root_key(diagnosis);
            }
        }
        if known.is_none() {
            known = self.of_culprits(diagnosis, earliest_wall_ns, quiet_ns);
        }
        if known.is_none() && names_culprit {
            known = self.open_of_ports(diagnosis, &incident_ports(diagnosis), true, quiet_ns);
            if let Some(entry) = known.as_ref().and_then(|id| self.entries.get_mut(id)) {
                entry.row.culprit = root_key(diagnosis);
            }
        }
        let id = known.unwrap_or_else(|| incident_id(diagnosis));
        let opened = || Entry::opened(diagnosis, sql_ns(diagnosis.time_ns), sql_ns(wall_ns));
        let entry = self.entries.entry(id.clone()).or_insert_with(opened);
        let is_first = entry.row.count == 0;
        entry.join(place, diagnosis, sql_ns(wall_ns), quiet_ns);
        (id, is_first)
    }

    /// The gravest open incident that has one of these ports; with `is_unnamed` only one for which no verdict names a
    /// culprit, and which has not come back, perhaps with other culprits.
    fn open_of_ports(
        &self,
        diagnosis: &Diagnosis,
        ports: &BTreeSet<&PortRef>,
        is_unnamed: bool,
        quiet_ns: u64,
    ) -> Option<String> {
        let ports: BTreeSet<String> = ports.iter().map(ToString::to_string).collect();
        let latest = sql_ns(diagnosis.time_ns.saturating_add(quiet_ns));
        let open = self.entries.values().filter(|entry| {
            let row = &entry.row;
            let may_join = !is_unnamed || (row.recurrences == 1 && row.precedence < DETERMINED);
            row.end_ns.is_none() && row.occurred_ns <= latest && may_join && entry.has_port(&ports)
        });
        gravest(open)
    }

    /// The gravest incident, updated since `earliest_wall_ns`, of the flows that a diagnosis names as culprits: one that is
    /// open, or that had the root port before. A setting that lets flows delay others, the victim's own queue and another class
    /// are other things to repair, also if the flows are the same.
    fn of_culprits(&self, diagnosis: &Diagnosis, earliest_wall_ns: u64, quiet_ns: u64) -> Option<String> {
        let root = queue_of(diagnosis)?.to_string();
        let earliest = sql_ns(earliest_wall_ns);
        let latest = sql_ns(diagnosis.time_ns.saturating_add(quiet_ns));
        let same = self.entries.values().filter(|entry| {
            let is_open = entry.row.end_ns.is_none() && entry.row.occurred_ns <= latest;
            let is_known = is_open || entry.ports.contains_key(&root);
            is_known && entry.row.update_wall_ns >= earliest && entry.has_culprits(culprits_of(diagnosis))
        });
        gravest(same)
    }

    /// The gravest open incident of a deadlock around the queue of a diagnosis: its loop has the root port, and it has the same
    /// culprits. The incident of that queue before the loop closed, if there was one, is over.
    fn around(&self, diagnosis: &Diagnosis, quiet_ns: u64) -> Option<String> {
        let root = queue_of(diagnosis)?.to_string();
        let latest = sql_ns(diagnosis.time_ns.saturating_add(quiet_ns));
        let around = self.entries.values().filter(|entry| {
            let row = &entry.row;
            row.end_ns.is_none()
                && row.occurred_ns <= latest
                && loop_of_key(&row.culprit).any(|port| port == root)
                && entry.has_culprits(culprits_of(diagnosis))
        });
        gravest(around)
    }

    /// The gravest open incident of a deadlock that began in its loop and shares a port of it with that of a diagnosis. Snapshots
    /// of one deadlock can lack some of its ports.
    fn of_loop(&self, diagnosis: &Diagnosis, quiet_ns: u64) -> Option<String> {
        if !deadlocks_by_itself(diagnosis) {
            return None;
        }
        let ports: BTreeSet<String> = diagnosis.pause_loop.iter().map(ToString::to_string).collect();
        let latest = sql_ns(diagnosis.time_ns.saturating_add(quiet_ns));
        let of_loop = self.entries.values().filter(|entry| {
            let row = &entry.row;
            row.end_ns.is_none()
                && row.occurred_ns <= latest
                && loop_of_key(&row.culprit).any(|port| ports.contains(port))
        });
        gravest(of_loop)
    }

    /// The open incident of the congestion that became the deadlock of a diagnosis.
    fn that_became(&self, diagnosis: &Diagnosis, quiet_ns: u64) -> Option<String> {
        let before = key_before(diagnosis)?;
        let latest = sql_ns(diagnosis.time_ns.saturating_add(quiet_ns));
        let open = self.entries.values().filter(|entry| {
            let row = &entry.row;
            row.culprit == before && row.end_ns.is_none() && row.occurred_ns <= latest
        });
        gravest(open)
    }

    /// The latest incident of this root that was updated since `earliest_wall_ns`.
    fn of_root(&self, root: &str, earliest_wall_ns: u64) -> Option<String> {
        let earliest = sql_ns(earliest_wall_ns);
        let of_root = self
            .entries
            .values()
            .filter(|entry| entry.row.culprit == root && entry.row.update_wall_ns >= earliest);
        let latest = of_root.max_by(|a, b| (a.row.update_ns, &a.row.id).cmp(&(b.row.update_ns, &b.row.id)));
        latest.map(|entry| entry.row.id.clone())
    }
}

/// The id of the gravest incident, of equals that of the latest update, then the first in the order of ids.
fn gravest<'e>(entries: impl Iterator<Item = &'e Entry>) -> Option<String> {
    // `min_by` keeps the first of equals.
    let gravest = entries.min_by(|a, b| {
        let order = |entry: &Entry| (entry.row.precedence, entry.row.update_ns);
        order(b).cmp(&order(a))
    });
    gravest.map(|entry| entry.row.id.clone())
}

/// The id of the incident that a diagnosis opens.
pub(crate) fn incident_id(diagnosis: &Diagnosis) -> String {
    format!("i-{}", diagnosis.id)
}
