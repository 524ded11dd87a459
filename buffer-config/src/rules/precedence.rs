//! One finding for one defect: of rules that report the same defect of an object, the strongest one is kept.
//!
//! A broken value or reference ranks before its consequences, and what is certain before what is likely. The table
//! ranks the rules; it does not decide whether two findings are about one defect. They are if they concern the same
//! ports: the ports that a finding names, or those that use the profile, pool or map that it is about.

use std::collections::{BTreeMap, BTreeSet};

use super::context::Context;
use super::reported::{Findings, Object, Report};
use crate::db::Entry;
use crate::finding::{Cause, Finding};
use crate::schema::{self, Type};

/// A rule, and the rules whose findings about the same ports are its consequences or weaker statements of it. They are
/// not reported unless they are more severe.
///
/// Two rules may rank before each other: then the more severe finding is kept, and of equal ones that of the rule which
/// comes first.
const PRECEDENCE: &[(&str, &[&str])] = &[
    // Values and references that SONiC does not accept.
    (
        "SRC005",
        &[
            "PFC002", "PFC003", "PFC006", "PFC008", "MAP009", "WD010", "PG010", "PG014", "ECN001", "ECN007",
            "WD011", "WD012", "BUF011",
        ],
    ),
    ("SRC016", &["BUF036", "BUF047"]),
    ("BUF001", &["BUF036", "BUF037", "BUF049", "PFC002"]),
    ("BUF003", &["BUF036"]),
    ("BUF004", &["BUF036", "PG015", "PG025", "PG026"]),
    ("BUF007", &["PFC002", "PG010", "PG016"]),
    ("BUF010", &["PFC002", "PG010", "PG014"]),
    ("BUF014", &["BUF036", "BUF037", "BUF049", "PFC002", "PG010", "PG014"]),
    ("BUF011", &["BUF026", "BUF041", "BUF042", "ECN009"]),
    ("BUF016", &["BUF015", "PFC005"]),
    ("BUF059", &["BUF026", "BUF041", "BUF052", "BUF055", "PFC002", "PFC003", "PFC005"]),
    ("BUF029", &["BUF023", "BUF043", "BUF053", "PG012", "ECN009"]),
    ("BUF046", &["BUF022", "BUF043", "PG012", "ECN009"]),
    ("BUF033", &["BUF027", "BUF036", "BUF043", "PG012", "PG028", "ECN009", "ECN011"]),
    ("BUF038", &["BUF036", "ECN009"]),
    ("BUF047", &["BUF020", "BUF022", "BUF038", "PFC002", "BUF003"]),
    ("PG001", &["PFC002", "PFC003"]),
    ("PG002", &["PFC002", "PG010", "PG014"]),
    ("PFC001", &["PFC003", "PFC014", "WD011", "WD012"]),
    ("MAP002", &["PFC002", "PFC005", "PFC006", "PFC008", "MAP016", "MAP020"]),
    (
        "MAP001",
        &[
            "PFC002", "PFC003", "PFC005", "PFC006", "PFC007", "PFC008", "PFC014", "MAP014", "MAP020",
            "ECN007", "SCHED004",
        ],
    ),
    (
        "MAP004",
        &[
            "PFC002", "PFC003", "PFC005", "PFC006", "PFC007", "PFC008", "PFC014", "MAP009", "MAP014",
            "ECN007", "SCHED004", "BUF054",
        ],
    ),
    ("MAP006", &["ECN007", "SCHED004"]),
    ("MAP007", &["ECN007", "SCHED004"]),
    ("LINK001", &["PFC002"]),
    ("LINK002", &["LINK001", "PFC002", "PG010", "PG020"]),
    ("LINK003", &["PG010", "PG018", "PG020", "PG032", "LINK023"]),
    ("LINK017", &["PG032"]),
    ("LINK013", &["PG004", "PG005", "PG006", "PG020", "PG021"]),
    ("LINK014", &["LINK012", "LINK023"]),
    ("LINK011", &["LINK021"]),
    ("LINK009", &["LINK023"]),
    ("LINK012", &["LINK023"]),
    ("SCHED001", &["SCHED005"]),
    ("SCHED003", &["SCHED005"]),
    ("WD006", &["WD024"]),
    ("WD001", &["WD004", "WD005", "WD013", "WD019", "WD021", "WD024", "WD025"]),
    ("WD002", &["WD004", "WD021", "WD024"]),
    ("WD003", &["WD004", "WD022"]),
    // Which priorities are lossless.
    ("PFC010", &["PFC003", "WD011", "WD012"]),
    ("PG011", &["PFC002"]),
    ("PFC008", &["MAP014"]),
    ("PFC015", &["MAP014"]),
    ("PFC002", &["PFC003", "PFC007", "PFC013", "ECN007", "SCHED004", "WD011"]),
    ("PFC003", &["PFC014", "WD011", "WD012"]),
    ("PFC006", &["PFC005", "PFC014", "ECN007", "SCHED004", "BUF054", "MAP016", "MAP020"]),
    ("PFC005", &["ECN014"]),
    // Headroom: of another link; below the bytes on the wire, what the peer may send, what SONiC computes.
    ("PG020", &["PG004", "PG005", "PG006", "PG033"]),
    ("PG005", &["PG004", "PG006", "PG007", "PG008", "PG033"]),
    ("PG006", &["PG004", "PG007", "PG008", "PG033"]),
    ("PG004", &["PG006", "PG007", "PG008", "PG033"]),
    ("PG007", &["PG033"]),
    ("PG010", &["PFC002", "PG033"]),
    ("PG012", &["PG015", "PG016", "PG017"]),
    ("PG013", &["PG014", "PG016"]),
    ("PG026", &["BUF036", "PG027", "PG017"]),
    // Pools and thresholds.
    ("PG003", &["BUF020", "BUF021", "BUF026", "BUF036"]),
    ("PG025", &["PG015"]),
    ("BUF017", &["WD014", "LINK002", "LINK016", "LINK026"]),
    ("BUF019", &["BUF021", "BUF052"]),
    ("BUF021", &["BUF052"]),
    ("BUF013", &["BUF058"]),
    ("BUF035", &["ECN019"]),
    ("BUF040", &["PG026"]),
    ("BUF024", &["BUF023", "BUF025"]),
    ("BUF025", &["BUF023", "ECN014"]),
    ("BUF023", &["BUF025", "PG028"]),
    ("BUF026", &["BUF009", "BUF020", "BUF022", "ECN014"]),
    ("BUF053", &["PG016"]),
    ("BUF055", &["BUF022"]),
    ("BUF042", &["ECN011"]),
    ("BUF041", &["BUF009", "BUF042", "BUF043", "ECN009"]),
    // Marking.
    ("ECN001", &["ECN005", "ECN009", "ECN018", "ECN019"]),
    ("ECN013", &["ECN019"]),
    ("ECN009", &["ECN014", "ECN018"]),
    ("ECN011", &["ECN014"]),
    ("ECN003", &["ECN007", "ECN008"]),
    ("ECN004", &["ECN007", "ECN015"]),
    ("ECN007", &["ECN004", "ECN015"]),
    ("ECN008", &["ECN007"]),
    // Watchdog.
    ("WD004", &["WD005", "WD019", "WD022", "WD024"]),
    ("WD014", &["WD001", "WD003"]),
    ("WD024", &["WD005", "WD021", "WD025"]),
    ("WD021", &["WD025"]),
    // Both ends of a link, before the comparison with a role and of single classes.
    ("FLEET003", &["FLEET002", "FLEET009"]),
    ("FLEET006", &["FLEET007"]),
];

/// Like [`PRECEDENCE`], for switches that do not run SONiC: profiles and policies with names that nothing defines, and
/// values that the system refuses, leave ports without settings.
const OF_DEVICES: &[(&str, &[&str])] = &[
    ("MAP010", &["MAP011", "PFC002", "PFC008", "PFC010", "PFC016", "ECN007", "WD012", "WD013", "SCHED002"]),
    ("SRC006", &["PFC002", "PFC008", "PFC010", "PFC016", "ECN007", "WD004", "WD012", "WD013", "LINK010"]),
    ("MAP011", &["PFC010", "PFC016"]),
    ("PFC016", &["PFC010", "WD012"]),
    ("PFC010", &["PFC008", "ECN007", "WD012", "WD013", "MAP014"]),
    ("PFC008", &["ECN007", "MAP014"]),
    ("PFC014", &["SCHED002", "ECN007"]),
    ("ECN001", &["ECN005", "ECN006", "ECN019"]),
    ("ECN008", &["ECN007"]),
    ("PFC015", &["MAP014"]),
    ("ECN002", &["ECN019"]),
    ("ECN005", &["ECN019"]),
    ("WD004", &["WD024"]),
    ("WD006", &["WD024"]),
    ("WD025", &["WD024"]),
    ("LINK012", &["PFC010", "MAP014", "LINK010"]),
];

/// The position of a rule in the tables.
fn rank(code: &str) -> Option<usize> {
    PRECEDENCE.iter().chain(OF_DEVICES).position(|row| row.0 == code)
}

/// Whether one rule ranks before another.
fn is_before(code: &str, other: &str) -> bool {
    PRECEDENCE.iter().chain(OF_DEVICES).any(|row| row.0 == code && row.1.contains(&other))
}

/// Notes for each finding of a switch that does not run SONiC which findings of stronger rules are about the same
/// defect: those of the same ports, or of settings that ports share.
pub(crate) fn note_causes_of_device(findings: &mut [Finding]) {
    let ports = |finding: &Finding| match (finding.ports.as_slice(), port_of(&finding.pointer)) {
        ([], Some(port)) => vec![port],
        (all, _) => all.to_vec(),
    };
    let all: Vec<(&'static str, String)> = findings.iter().map(|f| (f.code, f.pointer.clone())).collect();
    let mut by_port: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    // Of a profile, a policy or the whole switch.
    let mut shared: Vec<usize> = Vec::new();
    for (at, finding) in findings.iter().enumerate() {
        let own = ports(finding);
        if own.is_empty() {
            shared.push(at);
        }
        own.into_iter().for_each(|port| by_port.entry(port).or_default().push(at));
    }
    for finding in findings {
        let own = ports(finding);
        let mut causes: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let is_cause = |at: usize| all.get(at).is_some_and(|(code, _)| is_before(code, finding.code));
        match own.is_empty() {
            true => causes.extend((0..all.len()).filter(|at| is_cause(*at)).map(|at| (at, Vec::new()))),
            false => {
                for port in own {
                    let here = by_port.get(&port).into_iter().flatten().copied();
                    here.filter(|at| is_cause(*at))
                        .for_each(|at| causes.entry(at).or_default().push(port.clone()));
                }
                causes.extend(shared.iter().filter(|at| is_cause(**at)).map(|at| (*at, Vec::new())));
            }
        }
        let cause = |(at, ports): (usize, Vec<String>)| {
            let (code, pointer) = all.get(at)?;
            Some(Cause { code, pointer: pointer.clone(), ports })
        };
        finding.causes = causes.into_iter().filter_map(cause).collect();
    }
}

/// The port of a pointer such as `/interface/Ethernet1~11/mtu`.
fn port_of(pointer: &str) -> Option<String> {
    let name = pointer.strip_prefix("/interface/")?.split('/').next()?;
    Some(name.replace("~1", "/").replace("~0", "~"))
}

/// Whether a finding makes one of a rule that it ranks before superfluous.
fn is_stronger(one: &Finding, other: &Finding) -> bool {
    if !is_before(one.code, other.code) {
        return false;
    }
    let wins_ties = !is_before(other.code, one.code) || rank(one.code) < rank(other.code);
    one.severity > other.severity || (wins_ties && one.severity == other.severity)
}

/// Keeps one finding for each defect: removes findings, and ports of findings, for which `findings` has a stronger one.
///
/// This is done after rules were selected and their severities set, so that an ignored rule hides nothing.
pub fn one_per_defect(findings: &mut Vec<Finding>) {
    if findings.iter().any(|finding| !finding.causes.is_empty()) {
        let all = findings.clone();
        remove_weaker(findings, &all);
    }
}

/// Removes findings, and ports of findings, for which `others` have a stronger one.
pub fn remove_weaker(findings: &mut Vec<Finding>, others: &[Finding]) {
    findings.retain_mut(|finding| {
        let is_reported = |cause: &&Cause| {
            others
                .iter()
                .any(|f| (f.code, &f.pointer) == (cause.code, &cause.pointer) && is_stronger(f, finding))
        };
        let causes: Vec<&Cause> = finding.causes.iter().filter(is_reported).collect();
        if causes.iter().any(|cause| cause.ports.is_empty()) {
            return false;
        }
        let explained: BTreeSet<&String> = causes.iter().flat_map(|cause| &cause.ports).collect();
        let left: Vec<String> =
            finding.ports.iter().filter(|port| !explained.contains(port)).cloned().collect();
        if left.is_empty() && !finding.ports.is_empty() {
            return false;
        }
        if left.len() < finding.ports.len() {
            finding.keep_ports(left);
        }
        true
    });
}

/// Notes for each finding which findings of stronger rules are about the same defect.
pub(super) fn note_causes(cx: &Context<'_, '_>, out: &mut Findings) {
    let present: BTreeSet<&str> = out.reports().iter().map(|report| report.finding.code).collect();
    let is_ranked = |code: &str| {
        let mut rows = PRECEDENCE.iter().filter(|row| present.contains(row.0));
        rows.any(|row| row.1.contains(&code) || row.0 == code && row.1.iter().any(|c| present.contains(c)))
    };
    let ranked: BTreeSet<&str> = present.iter().copied().filter(|code| is_ranked(code)).collect();
    if ranked.is_empty() {
        return;
    }
    let mut users = Users { cx, known: BTreeMap::new() };
    let concerned: Vec<(usize, BTreeSet<usize>)> = out
        .reports()
        .iter()
        .enumerate()
        .filter(|(_, report)| ranked.contains(report.finding.code))
        .map(|(at, report)| (at, users.concerned(report)))
        .collect();
    for (at, ports) in &concerned {
        let reports = &*out.reports();
        let causes = concerned.iter().filter(|(other, _)| other != at).filter_map(|(other, of_other)| {
            cause(cx, (reports.get(*at)?, ports), (reports.get(*other)?, of_other))
        });
        let causes: Vec<Cause> = causes.collect();
        if let Some(report) = out.reports().get_mut(*at) {
            report.finding.causes = causes;
        }
    }
}

/// The part of a finding that another one explains.
fn cause(
    cx: &Context<'_, '_>,
    (report, ports): (&Report, &BTreeSet<usize>),
    (other, of_other): (&Report, &BTreeSet<usize>),
) -> Option<Cause> {
    PRECEDENCE.iter().find(|row| row.0 == other.finding.code && row.1.contains(&report.finding.code))?;
    let cause = |ports| Cause { code: other.finding.code, pointer: other.finding.pointer.clone(), ports };
    let (object, of_cause) = (&report.object, &other.object);
    let has_table = !object.table.is_empty() && object.table == of_cause.table;
    let has_key = object.keys.iter().any(|key| of_cause.keys.contains(key));
    // A port may use two profiles, each with its own defect.
    if has_table && !has_key && SHARED.contains(&object.table.as_str()) {
        return None;
    }
    if report.finding.ports.is_empty() {
        let is_global = of_cause.keys.iter().any(|key| GLOBAL.contains(&key.as_str()))
            || GLOBAL_TABLES.contains(&of_cause.table.as_str());
        // Unused pools and missing tables have no ports.
        let is_related =
            ports.is_empty() || !ports.is_disjoint(of_other) || has_same_stranger(cx, object, of_cause);
        return (has_table && has_key || is_global || is_related).then(|| cause(Vec::new()));
    }
    let name = |at: &usize| cx.sw.ports.get(*at).map(|port| port.name.clone());
    let common: Vec<String> = ports.intersection(of_other).filter_map(name).collect();
    (!common.is_empty()).then(|| cause(common))
}

/// Whether two objects name the same port, which is not in PORT.
fn has_same_stranger(cx: &Context<'_, '_>, one: &Object, other: &Object) -> bool {
    let names = |object: &Object| -> BTreeSet<String> {
        let words = object.keys.iter().flat_map(|key| key.split(['|', ','])).chain([object.field.as_str()]);
        let is_stranger = |name: &&str| name.starts_with("Ethernet") && cx.db.row("PORT", name).is_none();
        words.filter(is_stranger).map(str::to_string).collect()
    };
    !names(one).is_disjoint(&names(other))
}

/// Tables of objects that several ports use, and of which a port may use several.
const SHARED: [&str; 3] = ["BUFFER_PROFILE", "WRED_PROFILE", "SCHEDULER"];

/// The ports that use an object.
struct Users<'c, 'a> {
    cx: &'c Context<'c, 'a>,
    known: BTreeMap<(String, String), BTreeSet<usize>>,
}

impl Users<'_, '_> {
    /// The ports, by index, that a finding concerns.
    fn concerned(&mut self, report: &Report) -> BTreeSet<usize> {
        let named = &report.finding.ports;
        if !named.is_empty() {
            return named.iter().filter_map(|name| self.port(name)).collect();
        }
        let Object { table, keys, field } = &report.object;
        match self.port(field) {
            Some(port) => BTreeSet::from([port]),
            None => keys.iter().flat_map(|key| self.of(table, key, DEPTH)).collect(),
        }
    }

    fn port(&self, name: &str) -> Option<usize> {
        self.cx.db.index_of(self.cx.db.table("PORT")?, name)
    }

    /// The ports of an entry: those in its key, or those whose entries refer to it.
    fn of(&mut self, table: &str, key: &str, depth: u8) -> BTreeSet<usize> {
        let object = (table.to_string(), key.to_string());
        if let Some(known) = self.known.get(&object) {
            return known.clone();
        }
        let mut ports: BTreeSet<usize> = key.split(['|', ',']).filter_map(|name| self.port(name)).collect();
        if GLOBAL.contains(&key) || GLOBAL_TABLES.contains(&table) {
            ports = (0..self.cx.sw.ports.len()).collect();
        } else if ports.is_empty() && depth > 0 && !table.is_empty() {
            for (table, key) in self.referrers(table, key) {
                ports.extend(self.of(table, &key, depth - 1));
            }
        }
        self.known.insert(object, ports.clone());
        ports
    }

    /// The entries that refer to an entry, which need not exist.
    fn referrers(&self, table: &str, key: &str) -> Vec<(&'static str, String)> {
        let db = self.cx.db;
        let mut found = Vec::new();
        for schema in schema::tables() {
            let leaves: Vec<&str> = schema
                .leaves
                .iter()
                .filter(|leaf| matches!(leaf.ty, Type::Name(to, _) | Type::Names(to) if to == table))
                .map(|leaf| leaf.name)
                .collect();
            let refers = |entry: &&Entry<'_>| {
                let values = leaves.iter().filter_map(|leaf| db.field(entry, leaf));
                let mut names = values.flat_map(|f| f.value.split(','));
                names.any(|name| schema::reference(table, name) == key)
            };
            if !leaves.is_empty() {
                found.extend(
                    db.rows(schema.name).iter().filter(refers).map(|e| (schema.name, e.key.to_string())),
                );
            }
        }
        found
    }
}

/// A pool is used by profiles, which groups of ports use: no chain of references is longer.
const DEPTH: u8 = 3;

/// Keys of settings for all ports.
const GLOBAL: [&str; 3] = ["GLOBAL", "global", "localhost"];

/// Tables of settings for all ports.
const GLOBAL_TABLES: [&str; 2] = ["DEFAULT_LOSSLESS_BUFFER_PARAMETER", "LOSSLESS_TRAFFIC_PATTERN"];

#[cfg(test)]
mod tests {
    use super::{OF_DEVICES, PRECEDENCE};
    use crate::rules::find;

    #[test]
    fn the_table_names_rules_once() {
        for table in [PRECEDENCE, OF_DEVICES] {
            for (code, weaker) in table {
                assert_eq!(table.iter().filter(|row| row.0 == *code).count(), 1, "{code}");
                for name in weaker.iter().chain([code]) {
                    assert!(find(name).is_some(), "there is no rule {name}");
                }
                assert!(!weaker.contains(code), "{code} ranks before itself");
            }
        }
    }
}
