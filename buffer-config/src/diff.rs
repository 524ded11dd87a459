//! Compares two revisions of a switch: changes, changes that a live switch rejects, and new findings.

use std::collections::{BTreeMap, BTreeSet};

use crate::asic;
use crate::db::ConfigDb;
use crate::finding::{Finding, PatchOp, Severity};
use crate::lookup::Lookup;
use crate::resolved::ResolvedSwitch;
use crate::rules::{self, Options, finding};
use crate::source::SourceText;
use crate::{input, live_update, schema};

/// One revision.
#[derive(Clone, Copy, Debug)]
pub struct Revision<'r> {
    /// The file's name.
    pub name: &'r str,
    /// Its text.
    pub text: &'r str,
    /// Its lookup table.
    pub lookup: Option<&'r Lookup>,
}

/// The result of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Diff {
    /// Every change, one line each.
    pub changes: Vec<String>,
    /// Findings about disruptive changes, and findings of the new revision that the old one does not have.
    pub findings: Vec<Finding>,
    /// The number of findings that both revisions have.
    pub unchanged: usize,
}

type Flat = BTreeMap<(String, String), BTreeMap<String, String>>;

fn flat(db: &ConfigDb<'_>) -> Flat {
    let mut all = Flat::new();
    for table in db.loaded_tables() {
        if schema::table(&table.name).is_none() {
            continue;
        }
        for entry in db.entries_of(table) {
            let fields = db.fields_of(entry).map(|f| {
                let value = f
                    .value
                    .strip_prefix('[')
                    .and_then(|v| v.strip_suffix(']'))
                    .and_then(|v| v.split_once('|'));
                (f.name.to_string(), value.map_or(f.value.to_string(), |(_, name)| name.to_string()))
            });
            all.insert((table.name.to_string(), entry.key.to_string()), fields.collect());
        }
    }
    all
}

/// Compares two revisions.
pub fn compare(old: Revision<'_>, new: Revision<'_>, options: &Options) -> Diff {
    let (old_db, new_db) = (input::load(old.text), input::load(new.text));
    let check = |r: Revision<'_>, db: &ConfigDb<'_>| {
        rules::check_resolved(SourceText { name: r.name, text: r.text }, db, r.lookup, options)
    };
    let (old_findings, old_switch) = check(old, &old_db);
    let (new_findings, new_switch) = check(new, &new_db);
    let mut comparison = Comparison {
        file: new.name,
        asic: new_switch.asic.and_then(asic::by_name),
        before: flat(&old_db),
        after: flat(&new_db),
        diff: Diff::default(),
        refused: BTreeMap::new(),
        of_ports: Vec::new(),
    };
    comparison.entries();
    comparison.refusals();
    comparison.stale(&old_switch, &new_switch);
    comparison.merge();
    kmin(new.name, &old_findings, &new_findings, &mut comparison.diff);
    let mut diff = comparison.diff;
    // A finding is new if the old revision has none with the same rule, pointer and message.
    let known: BTreeSet<(&str, &str, &str)> =
        old_findings.iter().map(|f| (f.code, f.pointer.as_str(), f.message.as_str())).collect();
    let total = new_findings.len();
    let fresh: Vec<Finding> = new_findings
        .into_iter()
        .filter(|f| !known.contains(&(f.code, f.pointer.as_str(), f.message.as_str())))
        .collect();
    diff.unchanged = total - fresh.len();
    diff.findings.extend(fresh);
    diff
}

struct Comparison<'c> {
    file: &'c str,
    asic: Option<&'static asic::Asic>,
    before: Flat,
    after: Flat,
    diff: Diff,
    /// Reasons why a live switch rejects changes, each with its first pointer and the number of changes.
    refused: BTreeMap<String, (String, usize)>,
    /// Changes of ports: rule, message without ports, the pointer of the first, and the ports.
    of_ports: Vec<(&'static str, String, String, Vec<String>)>,
}

impl Comparison<'_> {
    fn add(&mut self, code: &'static str, severity: Severity, pointer: String, message: String) {
        self.diff.findings.push(finding(code, severity, self.file, &pointer, message));
    }

    /// Adds a change of a port; the same change of several ports is one finding.
    fn of_port(&mut self, code: &'static str, pointer: String, port: &str, message: String) {
        match self.of_ports.iter_mut().find(|(c, m, ..)| *c == code && *m == message) {
            Some((.., ports)) => ports.push(port.to_string()),
            None => self.of_ports.push((code, message, pointer, vec![port.to_string()])),
        }
    }

    fn merge(&mut self) {
        for (code, message, pointer, ports) in std::mem::take(&mut self.of_ports) {
            let names: Vec<&str> = ports.iter().map(String::as_str).collect();
            let message = format!("{}: {message}", rules::names(&names));
            let base = finding(code, Severity::Warning, self.file, &pointer, message);
            self.diff.findings.push(Finding { ports, ..base });
        }
    }

    fn entries(&mut self) {
        let keys: BTreeSet<(String, String)> = self.before.keys().chain(self.after.keys()).cloned().collect();
        for key in keys {
            match (self.before.get(&key).cloned(), self.after.get(&key).cloned()) {
                (Some(old), Some(new)) if old != new => self.changed(&key, &old, &new),
                (Some(old), None) => self.gone(&key, &old),
                (None, Some(new)) => self.come(&key, &new),
                _ => {}
            }
        }
    }

    fn changed(
        &mut self,
        key: &(String, String),
        old: &BTreeMap<String, String>,
        new: &BTreeMap<String, String>,
    ) {
        let (table, name) = (key.0.as_str(), key.1.as_str());
        let fields: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        for field in fields {
            let (a, b) = (old.get(field), new.get(field));
            if a == b {
                continue;
            }
            let show = |v: Option<&String>| v.map_or("(none)".to_string(), |v| format!("`{v}`"));
            self.diff.changes.push(format!("~ {table}|{name} {field}: {} -> {}", show(a), show(b)));
            let pointer = format!("/{table}/{name}/{field}");
            let op = match (a, b) {
                (None, _) => "add",
                (_, None) => "remove",
                _ => "replace",
            };
            self.refuse(op, &pointer);
            let create_only = matches!(
                (table, field.as_str()),
                ("BUFFER_POOL", "type" | "mode") | ("BUFFER_PROFILE", "pool")
            );
            let kind = table == "BUFFER_PROFILE" && field == "dynamic_th" && (a.is_none() || b.is_none());
            if create_only || kind {
                let message = format!("{table}|{name}: `{field}` is create-only");
                self.add("CHG001", Severity::Error, pointer, message);
            } else if (table, field.as_str()) == ("PFC_WD", "action") && a.is_some() && b.is_some() {
                let message = format!(
                    "watchdog action changes from {} to {} while the watchdog is running",
                    show(a),
                    show(b)
                );
                self.of_port("CHG004", pointer, name, message);
            } else if (table, field.as_str()) == ("DEVICE_METADATA", "buffer_model") {
                let message = format!(
                    "buffer_model changes from {} to {}, which requires a restart of swss",
                    show(a),
                    show(b)
                );
                self.add("CHG005", Severity::Warning, pointer, message);
            }
        }
    }

    fn gone(&mut self, key: &(String, String), old: &BTreeMap<String, String>) {
        let (table, name) = (key.0.as_str(), key.1.as_str());
        self.diff.changes.push(format!("- {table}|{name}"));
        self.refuse("remove", &format!("/{table}/{name}"));
        let refers = |fields: &BTreeMap<String, String>| {
            let of = |f: &str| fields.get(f).is_some_and(|v| v.split(',').any(|n| n == name));
            match table {
                "BUFFER_POOL" => of("pool"),
                _ => of("profile") || of("profile_list"),
            }
        };
        let users = match table {
            "BUFFER_POOL" | "BUFFER_PROFILE" => {
                self.after.iter().filter(|((t, _), f)| t.starts_with("BUFFER_") && refers(f)).count()
            }
            _ => 0,
        };
        let pointer = format!("/{table}/{name}");
        if users > 0 {
            self.add(
                "CHG003",
                Severity::Error,
                pointer.clone(),
                format!("{table}|{name} is removed, but {users} entries refer to it"),
            );
        }
        if table == "BUFFER_PROFILE" && old.contains_key("xoff") {
            self.add(
                "CHG007",
                Severity::Warning,
                pointer,
                format!("lossless profile {name} is removed as a whole"),
            );
        }
    }

    fn come(&mut self, key: &(String, String), new: &BTreeMap<String, String>) {
        let (table, name) = (key.0.as_str(), key.1.as_str());
        self.diff.changes.push(format!("+ {table}|{name}"));
        let pointer = format!("/{table}/{name}");
        self.refuse("add", &pointer);
        if table == "BUFFER_PROFILE" && new.contains_key("xoff") {
            let message = format!(
                "lossless profile {name} is added as a whole: the generic config updater validates none of its fields"
            );
            self.add("CHG007", Severity::Warning, pointer, message);
        }
    }

    fn refuse(&mut self, op: &'static str, pointer: &str) {
        let op = PatchOp::new(op, pointer.to_string(), None);
        if let Some(reason) = live_update::refusal(&op, self.asic) {
            self.refused.entry(reason).or_insert((op.path, 0)).1 += 1;
        }
    }

    fn refusals(&mut self) {
        for (reason, (pointer, count)) in std::mem::take(&mut self.refused) {
            self.add(
                "CHG002",
                Severity::Warning,
                pointer,
                format!("a live switch rejects {count} changes: {reason}"),
            );
        }
    }

    /// Reports ports whose speed or cable changes while their lossless priority groups keep the old profile.
    fn stale(&mut self, old: &ResolvedSwitch, new: &ResolvedSwitch) {
        let name = |s: &ResolvedSwitch, p: Option<usize>| {
            p.and_then(|p| s.profiles.get(p)).filter(|p| p.is_lossless()).map(|p| p.name.clone())
        };
        for port in &new.ports {
            let Some(before) = old.ports.iter().find(|p| p.name == port.name) else { continue };
            if (before.speed_mbps, before.cable_m) == (port.speed_mbps, port.cable_m) {
                continue;
            }
            let same = |g: usize| {
                let now = name(new, port.priority_groups[g]);
                now.is_some() && now == name(old, before.priority_groups[g])
            };
            if let Some(group) = (0..8).find(|g| same(*g)) {
                let message = format!("speed or cable changes, but group {group} keeps its lossless profile");
                self.of_port("CHG008", format!("/PORT/{}", port.name), &port.name, message);
            }
        }
    }
}

/// Reports a change after which Kmin is above XOFF.
fn kmin(file: &str, old: &[Finding], new: &[Finding], diff: &mut Diff) {
    let crossed = |f: &&Finding| f.code == "ECN009" && f.severity == Severity::Error;
    let was = old.iter().any(|f| crossed(&f));
    if let Some(now) = new.iter().find(crossed).filter(|_| !was) {
        let message = "after this change, PFC pauses before ECN marks: increase the lossless threshold first"
            .to_string();
        diff.findings.push(finding("CHG006", Severity::Warning, file, &now.pointer, message));
    }
}
