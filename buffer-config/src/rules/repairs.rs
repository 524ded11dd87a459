//! Repairs of findings about ports, most of which copy what other ports of the switch have. They are added once all
//! rules have reported, because a finding may concern many ports: it is repaired for all of them or for none.

use serde_json::{Map, Value};

use super::context::{Context, priorities};
use super::reported::Findings;
use crate::db::{Entry, escape};
use crate::finding::{PatchOp, Severity};
use crate::resolved::ResolvedPort;

/// The operations that repair one port; `None` if it is not clear what is right.
type Repair = fn(&Context<'_, '_>, &ResolvedPort) -> Option<Vec<PatchOp>>;

/// Rules whose findings are repaired here; of a rule about several fields, the field.
const REPAIRS: [(&str, Option<&str>, Repair); 12] = [
    ("WD001", None, watchdog),
    ("WD010", None, mask),
    ("WD011", None, mask),
    ("WD013", None, watchdog),
    ("PFC002", None, groups),
    ("PFC005", Some("pfc_enable"), queues),
    ("PFC006", Some("pfc_enable"), pause_map),
    ("PFC010", None, map),
    ("PG020", None, profile),
    ("LINK009", Some("autoneg"), autoneg),
    ("LINK017", None, up),
    ("MAP009", None, queue_map),
];

/// Adds the repairs to the warnings and errors that have none.
pub(super) fn add(cx: &Context<'_, '_>, out: &mut Findings) {
    for report in out.reports() {
        let (finding, field) = (&mut report.finding, report.object.field.as_str());
        let is_for = |(code, of, _): &&(&str, Option<&str>, Repair)| {
            *code == finding.code && of.is_none_or(|of| of == field)
        };
        let Some((.., repair)) = REPAIRS.iter().find(is_for) else { continue };
        if finding.severity == Severity::Info || !finding.patch.is_empty() {
            continue;
        }
        let port = |name: &String| cx.sw.ports.iter().find(|port| port.name == *name);
        let all: Option<Vec<Vec<PatchOp>>> =
            finding.ports.iter().map(|name| repair(cx, port(name)?)).collect();
        finding.patch = all.unwrap_or_default().concat();
    }
}

/// Writes SONiC's words for the usual ones; any other value may mean either.
fn autoneg(cx: &Context<'_, '_>, port: &ResolvedPort) -> Option<Vec<PatchOp>> {
    let entry = cx.db.row("PORT", &port.name)?;
    let written = cx.db.field(entry, "autoneg").filter(|field| !field.is_list)?.value.to_ascii_lowercase();
    let meant = match written.as_str() {
        "1" | "on" | "yes" | "true" | "enable" | "enabled" => "on",
        "0" | "off" | "no" | "false" | "disable" | "disabled" => "off",
        _ => return None,
    };
    Some(vec![set(cx, "PORT", entry, "autoneg", meant)?])
}

/// Sets a port up.
fn up(cx: &Context<'_, '_>, port: &ResolvedPort) -> Option<Vec<PatchOp>> {
    Some(vec![set(cx, "PORT", cx.db.row("PORT", &port.name)?, "admin_status", "up")?])
}

/// Lets the watchdog monitor the priorities with PFC.
fn mask(cx: &Context<'_, '_>, port: &ResolvedPort) -> Option<Vec<PatchOp>> {
    let entry = cx.db.row("PORT_QOS_MAP", &port.name)?;
    let enabled = cx.db.field(entry, "pfc_enable").filter(|field| !field.is_list)?;
    Some(vec![set(cx, "PORT_QOS_MAP", entry, "pfcwd_sw_enable", enabled.value)?])
}

/// Adds the watchdog that another port with the same priorities has. An entry without fields is replaced.
fn watchdog(cx: &Context<'_, '_>, port: &ResolvedPort) -> Option<Vec<PatchOp>> {
    let is_sibling = |other: &&ResolvedPort| {
        other.is_up && other.watchdog.is_some() && other.pfc_priorities == port.pfc_priorities
    };
    let sibling = cx.sw.ports.iter().filter(is_sibling).find_map(|other| cx.db.row("PFC_WD", &other.name))?;
    let mut operations = vec![copied(cx, "PFC_WD", sibling, &port.name)?];
    let monitors = |name: &str| cx.value("PORT_QOS_MAP", name, "pfcwd_sw_enable").is_some();
    if monitors(&sibling.key) && !monitors(&port.name) {
        operations.extend(mask(cx, port)?);
    }
    Some(operations)
}

/// Adds the maps that nearly all ports have.
fn map(cx: &Context<'_, '_>, port: &ResolvedPort) -> Option<Vec<PatchOp>> {
    let is_up = |name: &str| cx.sw.ports.iter().any(|other| other.name == name && other.is_up);
    let entries: Vec<&Entry<'_>> =
        cx.db.rows("PORT_QOS_MAP").iter().filter(|entry| is_up(&entry.key)).collect();
    let fields = |entry: &Entry<'_>| {
        let mut all: Vec<(String, String)> =
            cx.db.fields_of(entry).map(|f| (f.name.to_string(), f.value.to_string())).collect();
        all.sort();
        all
    };
    let usual = super::siblings::usual(entries.iter().map(|entry| fields(entry)))?;
    let sibling = entries.into_iter().find(|entry| fields(entry) == usual)?;
    Some(vec![copied(cx, "PORT_QOS_MAP", sibling, &port.name)?])
}

/// Gives the lossless queues without an entry in BUFFER_QUEUE that of another port.
fn queues(cx: &Context<'_, '_>, port: &ResolvedPort) -> Option<Vec<PatchOp>> {
    let key_of = |owner: &ResolvedPort, queue: usize| cx.group_key("BUFFER_QUEUE", &owner.name, queue);
    let of_classes = cx.lossless_classes(port).map(|class| usize::from(port.tc_to_queue[class]));
    let bare: Vec<usize> = of_classes.filter(|queue| key_of(port, *queue).is_empty()).collect();
    let is_sibling = |other: &&ResolvedPort| {
        other.is_up
            && (other.pfc_priorities, other.tc_to_queue) == (port.pfc_priorities, port.tc_to_queue)
            && bare.iter().all(|queue| !key_of(other, *queue).is_empty())
    };
    let sibling = cx.sw.ports.iter().find(is_sibling)?;
    let mut operations: Vec<PatchOp> = Vec::new();
    for queue in bare {
        let entry = cx.db.row("BUFFER_QUEUE", &key_of(sibling, queue))?;
        let (owner, _) = entry.owner_and_numbers().filter(|(owner, _)| *owner == sibling.name)?;
        let operation = copied(cx, "BUFFER_QUEUE", entry, &entry.key.replacen(owner, &port.name, 1))?;
        if !operations.contains(&operation) {
            operations.push(operation);
        }
    }
    Some(operations)
}

/// Adds the map of paused queues that nearly all ports with PFC have.
fn pause_map(cx: &Context<'_, '_>, port: &ResolvedPort) -> Option<Vec<PatchOp>> {
    usual_field(cx, port, "pfc_to_queue_map")
}

/// Adds the map of queues that nearly all ports with PFC have.
fn queue_map(cx: &Context<'_, '_>, port: &ResolvedPort) -> Option<Vec<PatchOp>> {
    usual_field(cx, port, "tc_to_queue_map")
}

/// Adds the value that nearly all other ports with PFC have in a field of PORT_QOS_MAP.
fn usual_field(cx: &Context<'_, '_>, port: &ResolvedPort, name: &str) -> Option<Vec<PatchOp>> {
    let others = cx.sw.ports.iter().filter(|other| other.pfc_priorities != 0 && other.name != port.name);
    let values = others.filter_map(|other| cx.value("PORT_QOS_MAP", &other.name, name));
    let usual = super::siblings::usual(values)?;
    Some(vec![set(cx, "PORT_QOS_MAP", cx.db.row("PORT_QOS_MAP", &port.name)?, name, usual)?])
}

/// Gives the priorities with PFC the headroom that another port with the same link has.
fn groups(cx: &Context<'_, '_>, port: &ResolvedPort) -> Option<Vec<PatchOp>> {
    if cx.is_dynamic {
        return None;
    }
    let group_of = |priority: usize| port.tc_to_group.get(priority).copied().map(usize::from);
    let is_bare = |at: usize| {
        let profile = port.priority_groups.get(at).copied().flatten();
        cx.profile(profile).is_none_or(|profile| !profile.is_lossless())
    };
    let bare: Vec<usize> =
        priorities(port.pfc_priorities).filter_map(group_of).filter(|group| is_bare(*group)).collect();
    let is_sibling = |other: &&ResolvedPort| {
        let has_headroom = |group: &usize| {
            let profile = cx.profile(other.priority_groups.get(*group).copied().flatten());
            profile.is_some_and(|profile| profile.is_lossless() && !profile.is_generated)
        };
        (other.speed_mbps, other.cable_m, other.pfc_priorities)
            == (port.speed_mbps, port.cable_m, port.pfc_priorities)
            && other.tc_to_group == port.tc_to_group
            && bare.iter().all(has_headroom)
    };
    let sibling = cx.sw.ports.iter().find(is_sibling)?;
    let mut operations: Vec<PatchOp> = Vec::new();
    for group in bare {
        let entry = cx.db.row("BUFFER_PG", &cx.group_key("BUFFER_PG", &sibling.name, group))?;
        let (owner, numbers) = entry.owner_and_numbers().filter(|(owner, _)| *owner == sibling.name)?;
        let own = cx.db.row("BUFFER_PG", &cx.group_key("BUFFER_PG", &port.name, group));
        let operation = match own {
            // Other groups of the entry may be lossy.
            Some(own) if own.owner_and_numbers() != Some((port.name.as_str(), numbers)) => return None,
            // Another entry with the same group counts instead if this one has the profile already.
            Some(own) => set(cx, "BUFFER_PG", own, "profile", cx.value("BUFFER_PG", &entry.key, "profile")?)?,
            None => copied(cx, "BUFFER_PG", entry, &entry.key.replacen(owner, &port.name, 1))?,
        };
        if !operations.contains(&operation) {
            operations.push(operation);
        }
    }
    Some(operations)
}

/// Gives the groups the profile for the speed and the cable of the port.
fn profile(cx: &Context<'_, '_>, port: &ResolvedPort) -> Option<Vec<PatchOp>> {
    let right = format!("pg_lossless_{}_{}m_profile", port.speed_mbps, port.cable_m?);
    let right = cx.profile_named(&right).filter(|profile| profile.is_lossless() && !profile.is_generated)?;
    let mut operations: Vec<PatchOp> = Vec::new();
    for group in 0..port.priority_groups.len() {
        let used = cx.profile(port.priority_groups.get(group).copied().flatten());
        if used.is_none_or(|used| !used.name.starts_with("pg_lossless_") || used.name == right.name) {
            continue;
        }
        let entry = cx.db.row("BUFFER_PG", &cx.group_key("BUFFER_PG", &port.name, group))?;
        // References of old files have brackets.
        let is_plain = cx.db.field(entry, "profile").is_some_and(|field| !field.value.starts_with('['));
        let operation = is_plain.then(|| set(cx, "BUFFER_PG", entry, "profile", &right.name))??;
        if !operations.contains(&operation) {
            operations.push(operation);
        }
    }
    Some(operations)
}

/// Sets a field of an entry; `None` if it has this value already.
fn set(cx: &Context<'_, '_>, table: &str, entry: &Entry<'_>, name: &str, value: &str) -> Option<PatchOp> {
    let path = format!("{}/{}", cx.db.pointer(table, entry, None), escape(name));
    let op = match cx.db.field(entry, name) {
        Some(present) if present.value == value => return None,
        Some(_) => "replace",
        None => "add",
    };
    Some(PatchOp::new(op, path, Some(Value::from(value))))
}

/// Adds a copy of an entry with another key.
pub(super) fn copied(cx: &Context<'_, '_>, table: &str, entry: &Entry<'_>, key: &str) -> Option<PatchOp> {
    let pointer = cx.db.pointer(table, entry, None);
    let path = format!("{}{}", pointer.strip_suffix(&*escape(&entry.key))?, escape(key));
    let fields: Option<Map<String, Value>> = cx
        .db
        .fields_of(entry)
        .map(|field| (!field.is_list).then(|| (field.name.to_string(), Value::from(field.value))))
        .collect();
    Some(PatchOp::new("add", path, Some(Value::Object(fields?))))
}
