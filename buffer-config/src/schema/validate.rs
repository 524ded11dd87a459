//! Validates a configuration against the YANG models, and reports every violation with its span.

use std::borrow::Cow;

use super::suggestion::nearest;
use super::{Leaf, TableSchema, Type, table, types};
use crate::db::{ConfigDb, Entry, Field, InputFormat, Table};
use crate::json::scan::has;
use crate::source::Span;
use model::units::counted;

/// The kind of a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Wrong format or out of range.
    Value,
    /// A valid value with blanks around it.
    Blanks,
    /// A mandatory field is absent.
    Missing,
    /// A reference to something that does not exist.
    Reference,
    /// A field that the model does not define.
    Unknown,
    /// A violated condition between fields.
    Must,
}

/// A violation of a YANG model.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The rule that reports it.
    pub code: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// Table.
    pub table: &'static str,
    /// Index of the entry in its table.
    pub entry: usize,
    /// The field, if the violation concerns an existing one.
    pub field: Option<String>,
    /// Its span.
    pub span: Span,
    /// What was found and what was expected.
    pub message: String,
}

/// Validates all known tables. Violations are in the order of the file.
pub fn validate(db: &ConfigDb<'_>) -> Vec<Violation> {
    let mut found = Vec::new();
    let here = |field| db.value("DEVICE_METADATA", "localhost", field);
    let here = (here("hostname"), here("asic_name"));
    let queue_parts = queue_parts(db);
    let mut sound = vec![false; db.fields.len()];
    for table_of_file in db.loaded_tables() {
        let Some(schema) = table(&table_of_file.name) else { continue };
        let mut checker = Checker {
            db,
            schema,
            found: &mut found,
            sound: &mut sound,
            targets: Targets::of(db, schema),
            here,
            queue_parts,
            nearest: ("", None),
            seen: [None; REMEMBERED],
            leaves: [0; REMEMBERED],
        };
        for (index, entry) in db.entries_of(table_of_file).iter().enumerate() {
            checker.entry(index, entry);
        }
    }
    musts(db, &mut found);
    found
}

/// The number of parts of a queue's key: orchagent expects four on a switch with virtual output queues, and two on any
/// other. `None` if the file does not describe the switch, or contradicts itself.
fn queue_parts(db: &ConfigDb<'_>) -> Option<usize> {
    let switch = db.row("DEVICE_METADATA", "localhost")?;
    let is_voq = db.field(switch, "switch_type").is_some_and(|kind| kind.value == "voq");
    match is_voq {
        true => Some(4),
        false => db.rows("SYSTEM_PORT").is_empty().then_some(2),
    }
}

fn references(schema: &'static TableSchema) -> impl Iterator<Item = &'static str> {
    let of = |ty: &'static Type| match ty {
        Type::Name(table, _) | Type::Names(table) => Some(*table),
        _ => None,
    };
    let map = schema.map.iter().flat_map(|m| [&m.from, &m.to]);
    schema.keys.iter().chain(schema.leaves.iter().map(|l| &l.ty)).chain(map).filter_map(of)
}

/// The tables that one table refers to.
struct Targets<'d, 'a>(Vec<(&'static str, Option<&'d Table<'a>>)>);

impl<'d, 'a> Targets<'d, 'a> {
    fn of(db: &'d ConfigDb<'a>, schema: &'static TableSchema) -> Self {
        let mut targets: Vec<(&'static str, Option<&'d Table<'a>>)> = Vec::new();
        for name in references(schema) {
            if targets.iter().all(|(known, _)| *known != name) {
                targets.push((name, db.table(name)));
            }
        }
        Self(targets)
    }

    fn has(&self, db: &ConfigDb<'a>, table: &'static str, name: &str) -> bool {
        // Names of tables are constants of the schema: one address, one table.
        let target = self.0.iter().find(|(t, _)| std::ptr::eq(*t, table) || *t == table);
        target.and_then(|(_, t)| *t).is_some_and(|t| db.index_of(t, name).is_some())
    }
}

/// The number of types of a table whose last valid value is cached: entries mostly repeat the values of the entry
/// above.
const REMEMBERED: usize = 16;

struct Checker<'c, 'a> {
    db: &'c ConfigDb<'a>,
    schema: &'static TableSchema,
    found: &'c mut Vec<Violation>,
    /// Whether the fields that start at this index are valid: entries that repeat them are not validated again.
    sound: &'c mut [bool],
    targets: Targets<'c, 'a>,
    /// `hostname` and `asic_name` of this switch.
    here: (Option<&'c str>, Option<&'c str>),
    queue_parts: Option<usize>,
    /// The last unknown field, and the known field with the most similar name.
    nearest: (&'c str, Option<&'static str>),
    /// The last valid value of each type, by the address of the type.
    seen: [Option<(&'static Type, &'c str)>; REMEMBERED],
    /// The leaf of the field at this position in the entry above.
    leaves: [usize; REMEMBERED],
}

impl<'c, 'a> Checker<'c, 'a> {
    fn report(
        &mut self,
        code: &'static str,
        kind: Kind,
        entry: usize,
        field: Option<&str>,
        span: Span,
        message: String,
    ) {
        let table = self.schema.name;
        self.found.push(Violation {
            code,
            kind,
            table,
            entry,
            field: field.map(str::to_string),
            span,
            message,
        });
    }

    fn entry(&mut self, index: usize, entry: &'c Entry<'a>) {
        self.key(index, entry);
        let first = entry.fields.start as usize;
        if entry.fields.is_empty() || self.sound.get(first) != Some(&true) {
            let before = self.found.len();
            self.fields(index, entry);
            if let Some(sound) = self.sound.get_mut(first).filter(|_| !entry.fields.is_empty()) {
                *sound = self.found.len() == before;
            }
        }
    }

    fn fields(&mut self, index: usize, entry: &'c Entry<'a>) {
        let fields = self.db.fields_of(entry);
        if let Some(map) = &self.schema.map {
            for field in fields {
                self.value(index, map.code, &map.from, field.name, field.name_span, Some(field.name));
                self.value(index, map.code, &map.to, field.value, field.span, Some(field.name));
                self.list(index, map.code, &map.to, field);
            }
            return;
        }
        let mut mandatory = self.schema.leaves.iter().filter(|l| l.is_mandatory).count();
        for (number, field) in fields.clone().enumerate() {
            // SONiC uses the last copy of a duplicate field.
            let is_replaced = !self.db.duplicates.is_empty()
                && fields.clone().skip(number + 1).any(|later| later.name == field.name);
            if is_replaced {
                continue;
            }
            match self.leaf_of(number, field.name) {
                Some(leaf) => {
                    mandatory -= usize::from(leaf.is_mandatory && mandatory > 0);
                    self.leaf(index, leaf, field);
                }
                None if self.schema.leaves.is_empty() => {}
                None => self.unknown(index, entry, field),
            }
        }
        if mandatory > 0 {
            for leaf in self.schema.leaves.iter().filter(|l| l.is_mandatory) {
                if fields.clone().all(|f| f.name != leaf.name) {
                    let message = format!("`{}` is missing", leaf.name);
                    self.report(leaf.code, Kind::Missing, index, None, entry.key_span, message);
                }
            }
        }
    }

    /// The leaf with this name. Fields are mostly in the order of the entry above.
    fn leaf_of(&mut self, number: usize, name: &str) -> Option<&'static Leaf> {
        let leaves = self.schema.leaves;
        let hint = self.leaves.get(number).and_then(|i| leaves.get(*i));
        if let Some(leaf) = hint.filter(|leaf| leaf.name == name) {
            return Some(leaf);
        }
        let at = leaves.iter().position(|leaf| leaf.name == name)?;
        if let Some(hint) = self.leaves.get_mut(number) {
            *hint = at;
        }
        leaves.get(at)
    }

    fn unknown(&mut self, index: usize, entry: &Entry<'a>, field: Field<'c>) {
        if self.nearest.0 != field.name {
            self.nearest = (field.name, nearest(field.name, self.schema.leaves));
        }
        let hint = self.nearest.1.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        let message =
            format!("`{}|{}` has an unknown field `{}`{hint}", self.schema.name, entry.key, field.name);
        self.report("SRC005", Kind::Unknown, index, Some(field.name), field.name_span, message);
    }

    fn key(&mut self, index: usize, entry: &'c Entry<'a>) {
        let (code, keys) = (self.schema.key_code, self.schema.keys);
        if matches!(self.schema.name, "QUEUE" | "BUFFER_QUEUE") && self.is_malformed(index, entry) {
            return;
        }
        // The common cases: a port, or a port and a range.
        match (keys, entry.owner_and_numbers()) {
            ([only], None) => return self.value(index, code, only, &entry.key, entry.key_span, None),
            ([owner, numbers], Some((head, tail))) if !has(head, b'|') => {
                self.value(index, code, owner, head, entry.key_span, None);
                return self.value(index, code, numbers, tail, entry.key_span, None);
            }
            _ => {}
        }
        let bars = entry.key.bytes().filter(|b| *b == b'|').count();
        match (keys, bars) {
            ([_], _) => {}
            (_, 3) if matches!(self.schema.name, "QUEUE" | "BUFFER_QUEUE") && keys.len() < 4 => {
                self.voq_key(index, entry);
            }
            _ if bars + 1 != keys.len() => {
                let message = format!(
                    "`{}` has {}; a key of {} has {}",
                    entry.key,
                    counted(bars as u64 + 1, "part"),
                    self.schema.name,
                    keys.len()
                );
                self.report(code, Kind::Value, index, None, entry.key_span, message);
            }
            _ => {
                for (part, ty) in entry.key.split('|').zip(keys) {
                    self.value(index, code, ty, part, entry.key_span, None);
                }
            }
        }
    }

    /// Reports the key of a queue with the parts of another kind of switch.
    fn is_malformed(&mut self, index: usize, entry: &'c Entry<'a>) -> bool {
        let (has, name) = (entry.key.bytes().filter(|b| *b == b'|').count() + 1, self.schema.name);
        let Some(expected) = self.queue_parts.filter(|parts| *parts != has && matches!(has, 2 | 4)) else {
            return false;
        };
        let kind = if expected == 4 { "voq" } else { "not voq" };
        let message = format!(
            "a key of {name} has {has} parts, but {expected} where switch_type is {kind}: orchagent ignores the entry"
        );
        self.report(self.schema.key_code, Kind::Value, index, None, entry.key_span, message);
        true
    }

    /// `host|asic|port|queues` of a chassis with virtual output queues. Only the port of an entry of this ASIC must
    /// exist.
    fn voq_key(&mut self, index: usize, entry: &'c Entry<'a>) {
        let mut parts = entry.key.split('|');
        let (Some(host), Some(asic), Some(port), Some(range)) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return;
        };
        let is_local = self.here == (Some(host), Some(asic));
        if is_local && self.schema.name == "QUEUE" && !self.has("PORT", port) {
            let message = format!(
                "the local queue entry `{}` refers to port `{port}`, which is not in PORT",
                entry.key
            );
            self.report("BUF017", Kind::Reference, index, None, entry.key_span, message);
        }
        let name = [host, asic, port].join("|");
        let is_missing = |ports| self.db.index_of(ports, &name).is_none();
        if !port.starts_with("PortChannel") && self.db.table("SYSTEM_PORT").is_some_and(is_missing) {
            let message = format!("`{}` refers to port `{name}`, which is not in SYSTEM_PORT", entry.key);
            self.report("BUF017", Kind::Reference, index, None, entry.key_span, message);
        }
        if let Some(ty) = self.schema.keys.get(1) {
            self.value(index, self.schema.key_code, ty, range, entry.key_span, None);
        }
    }

    fn has(&self, table: &'static str, name: &str) -> bool {
        self.targets.has(self.db, table, name)
    }

    fn leaf(&mut self, index: usize, leaf: &'static Leaf, field: Field<'c>) {
        self.value(index, leaf.code, &leaf.ty, field.value, field.span, Some(field.name));
        self.list(index, leaf.code, &leaf.ty, field);
        // orchagent reads a number with blanks before it, and so do the YANG models.
        let is_padded = match leaf.name {
            "lanes" => field.value.split(',').any(|lane| lane.ends_with(char::is_whitespace)),
            "alias" => field.value != field.value.trim(),
            _ => false,
        };
        if is_padded {
            let message = format!("`{}` is `{}`, with blanks", leaf.name, field.value);
            self.report("SRC004", Kind::Blanks, index, Some(field.name), field.span, message);
        }
        if matches!(leaf.name, "adv_speeds" | "adv_interface_types")
            && field.value.contains(',')
            && field.value.split(',').any(|word| word == "all")
        {
            let message = format!("`{}` must be either `all` or a list", leaf.name);
            self.report(leaf.code, Kind::Must, index, Some(field.name), field.span, message);
        }
    }

    /// Reports a list where daemons read text. The YANG models have lists of names, which SONiC writes as text.
    fn list(&mut self, index: usize, code: &'static str, ty: &Type, field: Field<'c>) {
        let is_text = match ty {
            Type::List(_) | Type::Any => false,
            Type::Names(_) => self.db.form != InputFormat::Yang,
            _ => true,
        };
        if field.is_list && is_text {
            let name = field.name;
            let message = format!("`{name}` is a list: SONiC stores it as `{name}@`, which no daemon reads");
            self.report(code, Kind::Must, index, Some(name), field.span, message);
        }
    }

    #[inline]
    fn value(
        &mut self,
        index: usize,
        code: &'static str,
        ty: &'static Type,
        value: &'c str,
        span: Span,
        field: Option<&str>,
    ) {
        // Types are constants, so their addresses identify them. Two types with the same slot only evict each other.
        let place = std::ptr::from_ref(ty).addr() / align_of::<Type>() % REMEMBERED;
        let known = self.seen.get(place).copied().flatten();
        if known.is_some_and(|(t, text)| std::ptr::eq(t, ty) && text == value) {
            return;
        }
        let before = self.found.len();
        self.new_value(index, code, ty, value, span, field);
        if let Some(seen) = self.seen.get_mut(place).filter(|_| self.found.len() == before) {
            *seen = Some((ty, value));
        }
    }

    fn new_value(
        &mut self,
        index: usize,
        code: &'static str,
        ty: &'static Type,
        value: &'c str,
        span: Span,
        field: Option<&str>,
    ) {
        match ty {
            Type::Name(table, words) => {
                if words.contains(&value) {
                    return;
                }
                let missing = if *table == "PORT" && value.contains(',') {
                    value.split(',').any(|port| !self.has(table, port))
                } else {
                    let name = reference(table, value);
                    !self.has(table, name)
                };
                if missing {
                    let message = format!("`{value}` is not in {table}");
                    let code =
                        if *table == "PORT" && field.is_none() && code != "WD014" { "BUF017" } else { code };
                    self.report(code, Kind::Reference, index, field, span, message);
                }
            }
            Type::Names(table) => {
                for name in value.split(',') {
                    if !self.has(table, reference(table, name)) {
                        let message = format!("`{name}` is not in {table}");
                        self.report(code, Kind::Reference, index, field, span, message);
                    }
                }
            }
            _ if ty.accepts(value) => {}
            Type::Int(..) if ty.accepts(value.trim()) && value != value.trim() => {
                let message = format!("the number `{value}` has leading or trailing blanks");
                self.report("SRC004", Kind::Blanks, index, field, span, message);
            }
            _ => {
                // The name of a field of a map is a value, too.
                let what = if self.schema.name == "CABLE_LENGTH" { "the cable length of " } else { "" };
                let of =
                    field.filter(|f| *f != value).map(|f| format!("{what}`{f}` is ")).unwrap_or_default();
                let message = format!("{of}`{value}`; expected {}", ty.expected());
                self.report(code, Kind::Value, index, field, span, message);
            }
        }
    }
}

/// The name in a reference, which may be written as `[TABLE|name]` (before database version 3) or `[TABLE_TABLE:name]`
/// (APPL_DB).
pub(crate) fn reference<'t>(table: &str, value: &'t str) -> &'t str {
    let inner = value.strip_prefix('[').and_then(|v| v.strip_suffix(']'));
    match inner.and_then(|v| v.split_once(['|', ':'])) {
        Some((t, name)) if t.strip_suffix("_TABLE").unwrap_or(t) == table => name,
        _ => value,
    }
}

/// Reports violations of the `must` conditions between fields.
fn musts(db: &ConfigDb<'_>, found: &mut Vec<Violation>) {
    pool_musts(db, found);
    wred_musts(db, found);
    for (i, entry) in db.rows("SCHEDULER").iter().enumerate() {
        scheduler_musts(db, i, entry, &mut |code, table, i, field, message| {
            found.push(must(code, table, i, field, message));
        });
    }
    watchdog_musts(db, found);
    metadata_musts(db, found);
}

fn must(
    code: &'static str,
    table: &'static str,
    entry: usize,
    field: Field<'_>,
    message: String,
) -> Violation {
    let (kind, span) = (Kind::Must, field.span);
    Violation { code, kind, table, entry, field: Some(field.name.to_string()), span, message }
}

fn number(db: &ConfigDb<'_>, entry: &Entry<'_>, field: &str) -> Option<i128> {
    db.field(entry, field).and_then(|f| types::whole(f.value.trim()))
}

fn pool_musts(db: &ConfigDb<'_>, found: &mut Vec<Violation>) {
    let is_dynamic = db.value("DEVICE_METADATA", "localhost", "buffer_model") == Some("dynamic");
    for (i, pool) in db.rows("BUFFER_POOL").iter().enumerate() {
        let Some(percentage) = db.field(pool, "percentage") else { continue };
        let mut add = |message: &str| {
            found.push(must("BUF005", "BUFFER_POOL", i, percentage, message.to_string()));
        };
        if db.field(pool, "size").is_some() {
            add("`percentage` and `size` are mutually exclusive");
        }
        if !is_dynamic {
            add("`percentage` requires the dynamic buffer model");
        }
    }
}

fn wred_musts(db: &ConfigDb<'_>, found: &mut Vec<Violation>) {
    for (i, profile) in db.rows("WRED_PROFILE").iter().enumerate() {
        for colour in ["green", "yellow", "red"] {
            let Some(max) = db.field(profile, &format!("{colour}_max_threshold")) else { continue };
            let min = number(db, profile, &format!("{colour}_min_threshold"));
            let message = match (min, types::whole(max.value.trim())) {
                (Some(min), Some(high)) if high < min => {
                    format!("{colour} maximum {high} is below the minimum {min}")
                }
                (None, Some(_)) => format!("{colour} has a maximum but no minimum"),
                _ => continue,
            };
            found.push(must("ECN001", "WRED_PROFILE", i, max, message));
        }
    }
}

fn watchdog_musts(db: &ConfigDb<'_>, found: &mut Vec<Violation>) {
    let poll = db.row("PFC_WD", "GLOBAL").map(|entry| number(db, entry, "POLL_INTERVAL"));
    for (i, entry) in db.rows("PFC_WD").iter().enumerate() {
        let mut add = |code, field, message| found.push(must(code, "PFC_WD", i, field, message));
        for name in ["detection_time", "restoration_time", "action", "pfc_stat_history"] {
            let Some(field) = db.field(entry, name) else { continue };
            if entry.key == "GLOBAL" {
                add("WD008", field, format!("`{name}` belongs to a port, not to GLOBAL"));
                continue;
            }
            if !name.ends_with("_time") {
                continue;
            }
            match (poll, types::whole(field.value.trim())) {
                (Some(Some(poll)), Some(time)) if time < poll => {
                    let message = format!("`{name}` {time} ms is shorter than POLL_INTERVAL {poll} ms");
                    add("WD004", field, message);
                }
                (Some(None), Some(_)) => {
                    add("WD004", field, format!("`{name}` is set, but GLOBAL has no POLL_INTERVAL"));
                }
                _ => {}
            }
        }
        if let Some(field) = db.field(entry, "POLL_INTERVAL").filter(|_| entry.key != "GLOBAL") {
            add("WD003", field, "`POLL_INTERVAL` belongs to GLOBAL, not to a port".into());
        }
    }
}

fn scheduler_musts(
    db: &ConfigDb<'_>,
    i: usize,
    entry: &Entry<'_>,
    add: &mut impl FnMut(&'static str, &'static str, usize, Field<'_>, String),
) {
    let number = |field: &str| number(db, entry, field);
    let (cir, pir, cbs) = (number("cir"), number("pir"), number("cbs"));
    for (name, needs, base) in [("cbs", "cir", cir), ("pbs", "pir", pir)] {
        let Some(field) = db.field(entry, name) else { continue };
        if base.is_none_or(|n| n == 0) {
            add("SCHED003", "SCHEDULER", i, field, format!("`{name}` requires a `{needs}` above 0"));
        }
    }
    for (name, floor, of) in [("pir", cir, "cir"), ("pbs", cbs, "cbs")] {
        let (Some(field), Some(floor)) = (db.field(entry, name), floor) else { continue };
        if number(name).is_some_and(|n| n < floor) {
            add("SCHED003", "SCHEDULER", i, field, format!("`{name}` is below `{of}` {floor}"));
        }
    }
}

fn metadata_musts(db: &ConfigDb<'_>, found: &mut Vec<Violation>) {
    let counters = db.rows("FLEX_COUNTER_TABLE").iter().enumerate().filter(|(_, e)| e.key == "ICMP_SESSION");
    for (i, field) in counters.filter_map(|(i, e)| Some((i, db.field(e, "POLL_INTERVAL")?))) {
        if !Type::Int(1000, 30_000).accepts(field.value) {
            let message =
                format!("`POLL_INTERVAL` of ICMP_SESSION is `{}`; expected 1000..=30000", field.value);
            let (kind, table, span) = (Kind::Value, "FLEX_COUNTER_TABLE", field.span);
            found.push(Violation { code: "SRC006", kind, table, entry: i, field: None, span, message });
        }
    }
    let rows = db.rows("DEVICE_METADATA");
    let get = |field: &str| db.value("DEVICE_METADATA", "localhost", field);
    if let Some((i, entry)) = rows.iter().enumerate().find(|(_, e)| e.key == "localhost")
        && get("suppress-fib-pending") == Some("enabled")
        && get("synchronous_mode").unwrap_or("enable") != "enable"
    {
        let message = "`suppress-fib-pending` requires `synchronous_mode` enable".to_string();
        let (kind, table, span) = (Kind::Must, "DEVICE_METADATA", entry.span);
        found.push(Violation { code: "SRC006", kind, table, entry: i, field: None, span, message });
    }
    let switch_type = get("switch_type");
    let hwsku: Cow<'_, str> = get("hwsku").unwrap_or_default().into();
    // In a chassis configuration without `asic_name`, the lanes are in other files.
    let lanes_are_elsewhere = get("asic_name").is_none()
        && (matches!(switch_type, Some("voq" | "chassis-packet" | "fabric"))
            || matches!(hwsku.as_ref(), "msft_four_asic_vs" | "msft_multi_asic_vs"));
    for (i, port) in db.rows("PORT").iter().enumerate() {
        found.extend(slow_lanes(db, i, port));
        if !lanes_are_elsewhere && db.field(port, "lanes").is_none() {
            let message = "`lanes` is missing".to_string();
            let (kind, table, span) = (Kind::Missing, "PORT", port.key_span);
            found.push(Violation { code: "LINK003", kind, table, entry: i, field: None, span, message });
        }
    }
}

/// A port with several lanes whose speed is below that of any lane: probably Gb/s instead of Mb/s.
fn slow_lanes(db: &ConfigDb<'_>, index: usize, port: &Entry<'_>) -> Option<Violation> {
    /// No port with several lanes is slower, Mb/s.
    const SLOWEST_MBPS: i128 = 1000;
    let speed = db.field(port, "speed")?;
    let mbps = types::whole(speed.value.trim()).filter(|mbps| (1..SLOWEST_MBPS).contains(mbps))?;
    let lanes = db.field(port, "lanes")?.value.split(',').count();
    let message = format!("`speed` is {mbps} Mb/s over {lanes} lanes; expected Mb/s, such as {mbps}000");
    (lanes > 1).then(|| must("LINK003", "PORT", index, speed, message))
}
