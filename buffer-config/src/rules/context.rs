//! The input of a rule, and how it reports findings.

use std::collections::BTreeMap;

use super::Meta;
pub(super) use super::reported::Findings;
use super::reported::{Reported, Target};
pub(crate) use super::wording::{agreeing, bytes, list, names};
pub(super) use super::wording::{alpha, of_priorities};
use crate::asic::{self, Asic, Vendor};
use crate::db::{ConfigDb, Entry};
use crate::finding::{PatchOp, Severity};
use crate::headroom::Floor;
use crate::lookup::Lookup;
use crate::resolve::BufferModel;
use crate::resolved::{
    Direction, ResolvedPool, ResolvedPort, ResolvedProfile, ResolvedSwitch, ResolvedWred, Threshold,
};
use crate::schema::Violation;
use crate::source::Span;

/// Options of a check.
#[derive(Clone, Debug)]
pub struct Options {
    /// The ASIC, if platform and SKU do not identify it.
    pub asic: Option<&'static Asic>,
    /// Bytes of packet memory, if they differ from the ASIC's.
    pub memory_bytes: Option<u64>,
    /// The largest headroom oversubscription that is not an error; `None`: the ratio is only reported.
    pub oversubscription_limit: Option<f64>,
    /// Headroom below this floor is an error, and above it a warning if the worst case does not fit; `None`: headroom
    /// below the worst case is an error.
    pub floor: Option<Floor>,
    /// The largest lossless frame if the file does not specify it, bytes.
    pub lossless_mtu: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { asic: None, memory_bytes: None, oversubscription_limit: None, floor: None, lossless_mtu: 1024 }
    }
}

/// The number of earlier violations that one is compared with.
const SAME: usize = 16;

/// The source of a memory size that is only assumed: the pool that by convention spans the memory.
pub(super) const EGRESS_POOL: &str = "size of egress_lossless_pool";

/// The size of the packet memory, and its source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    pub(super) bytes: u64,
    /// Whether it is the chip's or the user's figure, not the size of the largest pool.
    pub(super) is_certain: bool,
    pub(super) from: &'static str,
}

impl Memory {
    /// The severity of pools that need `bytes`, more than the memory. An assumed size may be too small, but not by
    /// half: the pool that it is taken from spans the memory by convention, and shared headroom may come on top. An
    /// unknown chip is never an error of the file.
    pub(super) fn severity(&self, bytes: u64) -> Severity {
        let is_far_above = self.from != EGRESS_POOL && bytes > self.bytes.saturating_add(self.bytes / 2);
        if self.is_certain || is_far_above { Severity::Error } else { Severity::Warning }
    }
}

/// The configuration of one switch and everything derived from it.
#[derive(Debug)]
pub struct Context<'c, 'a> {
    pub(super) db: &'c ConfigDb<'a>,
    pub(super) lookup: Option<&'c Lookup>,
    pub(super) sw: &'c ResolvedSwitch,
    pub(super) violations: &'c [Violation],
    pub(super) options: &'c Options,
    pub(super) asic: Option<&'static Asic>,
    /// The number of priority groups, queues and lists that use each profile.
    pub(super) uses: Vec<[u32; 3]>,
    pub(super) model: BufferModel,
    /// Whether headroom and pools are computed.
    pub(super) is_dynamic: bool,
    /// Whether `buffermgrd` adds the lossless priority groups at run time, with profiles that are not known here.
    adds_groups: bool,
    classes: Vec<Vec<usize>>,
}

impl<'c, 'a> Context<'c, 'a> {
    pub(super) fn new(
        db: &'c ConfigDb<'a>,
        lookup: Option<&'c Lookup>,
        sw: &'c ResolvedSwitch,
        violations: &'c [Violation],
        options: &'c Options,
    ) -> Self {
        let mut uses = vec![[0u32; 3]; sw.profiles.len()];
        let mut count = |profile: Option<usize>, kind: usize| {
            if let Some(row) = profile.and_then(|p| uses.get_mut(p)) {
                row[kind] += 1;
            }
        };
        for port in &sw.ports {
            port.priority_groups.iter().for_each(|p| count(*p, 0));
            port.queues.iter().for_each(|p| count(*p, 1));
        }
        // Most ports have the same list as the previous one.
        let mut last: (&str, Vec<Option<usize>>) = ("", Vec::new());
        for table in ["BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST"] {
            for entry in db.rows(table) {
                let list = db.field(entry, "profile_list").map_or("", |f| f.value);
                if list != last.0 {
                    let of_name = |name| crate::schema::reference("BUFFER_PROFILE", name);
                    let index = |name: &str| sw.profiles.iter().position(|p| p.name == name);
                    last = (list, list.split(',').map(of_name).map(index).collect());
                }
                last.1.iter().for_each(|profile| count(*profile, 2));
            }
        }
        let asic = sw.asic.and_then(asic::by_name);
        let model = BufferModel::of(db);
        let classes = classes(&sw.ports);
        let adds_groups = adds_groups(sw, asic, model, lookup);
        Self {
            db,
            lookup,
            sw,
            violations,
            options,
            asic,
            uses,
            model,
            is_dynamic: model.is_dynamic(),
            adds_groups,
            classes,
        }
    }

    pub(super) fn is(&self, vendor: Vendor) -> bool {
        self.asic.is_some_and(|a| a.vendor == vendor)
    }

    pub(super) fn value(&self, table: &str, key: &str, field: &str) -> Option<&str> {
        self.db.value(table, key, field)
    }

    pub(super) fn pool(&self, name: &str) -> Option<&'c ResolvedPool> {
        self.sw.pools.iter().find(|p| p.name == name)
    }

    pub(super) fn pool_of(&self, profile: &ResolvedProfile) -> Option<&'c ResolvedPool> {
        self.sw.pools.get(profile.pool)
    }

    /// The pool that admits lossless traffic, found by its name, its profiles or its shared headroom.
    pub(super) fn lossless_pool(&self) -> Option<&'c ResolvedPool> {
        self.pool(crate::LOSSLESS_POOL)
            .or_else(|| self.sw.profiles.iter().find(|p| p.is_lossless()).and_then(|p| self.pool_of(p)))
            .or_else(|| {
                let ingress =
                    |p: &&ResolvedPool| p.direction == Direction::Ingress && p.shared_headroom_bytes > 0;
                self.sw.pools.iter().find(ingress)
            })
            .filter(|p| p.direction != Direction::Egress)
    }

    /// The packet memory: the user's figure, the ASIC's, or the size of the egress lossless pool, which by convention
    /// spans the whole memory.
    pub(super) fn memory(&self) -> Option<Memory> {
        if let Some(bytes) = self.options.memory_bytes {
            return Some(Memory { bytes, is_certain: true, from: "--memory" });
        }
        if let Some((bytes, asic)) = self.asic.and_then(|a| Some((a.memory_bytes?, a))) {
            return Some(Memory { bytes, is_certain: asic.memory_is_certain, from: asic.name });
        }
        let bytes = self.pool("egress_lossless_pool")?.size_bytes.filter(|b| *b > 0)?;
        Some(Memory { bytes, is_certain: false, from: EGRESS_POOL })
    }

    /// Why the ASIC is unknown, and the severity: a buffer template without a platform is only a note.
    pub(super) fn unknown_asic(&self) -> (String, Severity) {
        let platform = self.value("DEVICE_METADATA", "localhost", "platform").unwrap_or_default();
        match (platform, self.sw.hwsku.as_str()) {
            ("", "") => (
                "the ASIC is unknown, because the file has neither a platform nor a SKU".to_string(),
                Severity::Info,
            ),
            (platform, "") => (format!("the ASIC of platform `{platform}` is unknown"), Severity::Warning),
            ("", sku) => (
                format!("the ASIC of SKU `{sku}` is unknown, and the file has no platform"),
                Severity::Warning,
            ),
            (platform, sku) => {
                (format!("the ASIC of platform `{platform}`, SKU `{sku}` is unknown"), Severity::Warning)
            }
        }
    }

    pub(super) fn profile(&self, index: Option<usize>) -> Option<&'c ResolvedProfile> {
        self.sw.profiles.get(index?)
    }

    /// The colour of packets that no policer has coloured: red on Jericho, otherwise green.
    pub(super) fn plain_colour(&self) -> &'static str {
        if self.is(Vendor::BroadcomDnx) { "red" } else { "green" }
    }

    /// Whether a profile marks packets that no policer has coloured.
    pub(super) fn marks_plain(&self, wred: &ResolvedWred) -> bool {
        match self.is(Vendor::BroadcomDnx) {
            true => wred.marks_red && wred.red.is_some(),
            false => wred.marks_green && wred.green.is_some(),
        }
    }

    /// The profiles that entries of BUFFER_PG name, each with the number of entries.
    pub(super) fn names_in_groups(&self) -> BTreeMap<&str, u64> {
        let mut all = BTreeMap::new();
        for field in self.db.rows("BUFFER_PG").iter().filter_map(|entry| self.db.field(entry, "profile")) {
            *all.entry(crate::schema::reference("BUFFER_PROFILE", field.value)).or_default() += 1;
        }
        all
    }

    /// Whether the dynamic model generates profiles from this one, which only sets their threshold.
    pub(super) fn is_computed_from(&self, profile: &str) -> bool {
        self.is_dynamic && self.value("BUFFER_PROFILE", profile, "headroom_type") == Some("dynamic")
    }

    pub(super) fn profile_named(&self, name: &str) -> Option<&'c ResolvedProfile> {
        self.sw.profiles.iter().find(|p| p.name == name)
    }

    /// Profiles with headroom that at least one priority group uses.
    pub(super) fn lossless_in_use(&self) -> impl Iterator<Item = &'c ResolvedProfile> + '_ {
        let used = |i: usize| self.uses.get(i).is_some_and(|u| u[0] > 0);
        self.sw.profiles.iter().enumerate().filter(move |(i, p)| p.is_lossless() && used(*i)).map(|(_, p)| p)
    }

    /// The lossless profile of the first priority of a port that has one. Without a TC-to-PG map, the priority's number
    /// is the group's.
    pub(super) fn lossless_of(&self, port: &ResolvedPort) -> Option<&'c ResolvedProfile> {
        let is_mapped = port.tc_to_group.iter().any(|group| *group != 0);
        let group = |p: usize| if is_mapped { usize::from(port.tc_to_group[p] & 7) } else { p };
        let mut profiles =
            priorities(port.pfc_priorities).filter_map(|p| self.profile(port.priority_groups[group(p)]));
        profiles.find(|profile| profile.is_lossless())
    }

    /// The priorities with PFC whose priority group has headroom, each with that group's profile.
    pub(super) fn lossless_priorities(
        &self,
        port: &ResolvedPort,
    ) -> impl Iterator<Item = (usize, &'c ResolvedProfile)> + '_ {
        let groups = port.priority_groups;
        let tc_to_group = port.tc_to_group;
        priorities(port.pfc_priorities).filter_map(move |priority| {
            let group = groups.get(usize::from(*tc_to_group.get(priority)?))?;
            Some((priority, self.profile(*group).filter(|profile| profile.is_lossless())?))
        })
    }

    /// The traffic classes that are lossless: the priorities with PFC whose priority group has headroom. If `buffermgrd`
    /// adds the groups at run time, their headroom is not known here, but the classes are.
    pub(super) fn lossless_classes(&self, port: &ResolvedPort) -> impl Iterator<Item = usize> + use<> {
        let mask = match self.gets_groups(port) {
            true => port.pfc_priorities,
            false => self.lossless_priorities(port).fold(0, |mask, (priority, _)| mask | 1 << priority),
        };
        priorities(mask)
    }

    /// Whether `buffermgrd` adds the lossless priority groups of a port at run time, and does not compute them here.
    pub(super) fn gets_groups(&self, port: &ResolvedPort) -> bool {
        self.adds_groups && port.cable_m.is_some_and(|metres| metres > 0)
    }

    /// Whether PFC002 reports a priority: it has PFC, but no headroom, unlike others of the port. Other rules about
    /// lossless priorities leave it out.
    pub(super) fn is_without_headroom(&self, port: &ResolvedPort, priority: usize) -> bool {
        let mut with = self.lossless_priorities(port).map(|(priority, _)| priority).peekable();
        !self.is_dynamic && with.peek().is_some() && !with.any(|other| other == priority)
    }

    /// The buffer profile of a port's queue.
    pub(super) fn queue_profile(&self, port: &ResolvedPort, queue: usize) -> Option<&'c ResolvedProfile> {
        self.profile(port.queues.get(queue).copied().flatten())
    }

    /// The lossless profile of a port with its headroom and cable length, to check whether the headroom is sufficient.
    /// Profiles that the dynamic model computes are not checked; those from the lookup table are.
    pub(super) fn headroom_of(&self, port: &ResolvedPort) -> Option<(&'c ResolvedProfile, u64, u32)> {
        let cable = port.cable_m.filter(|m| *m > 0 && port.speed_mbps > 0)?;
        let profile = self.lossless_of(port).filter(|p| !(p.is_generated && self.is_dynamic))?;
        Some((profile, profile.headroom_bytes?, cable))
    }

    pub(super) fn lossless_mtu(&self) -> u32 {
        self.sw.lossless_mtu_bytes.unwrap_or(self.options.lossless_mtu)
    }

    /// Reports the schema's violations with this rule's code: one finding for entries with the same violation.
    pub(super) fn schema(&self, out: &mut Findings, meta: &'static Meta) {
        let mut same: Vec<(&Violation, Vec<&str>)> = Vec::new();
        for violation in self.violations.iter().filter(|v| v.code == meta.code) {
            let key = self.db.rows(violation.table).get(violation.entry).map(|entry| entry.key.as_ref());
            // Most violations repeat the previous one in another entry.
            let is_same = |(v, _): &&mut (&Violation, Vec<&str>)| {
                (v.table, &v.field, &v.message) == (violation.table, &violation.field, &violation.message)
            };
            match same.iter_mut().rev().take(SAME).find(is_same) {
                Some((_, keys)) => keys.extend(key),
                None => same.push((violation, key.into_iter().collect())),
            }
        }
        for (violation, keys) in same {
            let (table, field) = (violation.table, violation.field.as_deref());
            let row = self.db.rows(table).get(violation.entry);
            let pointer = row.map(|e| self.db.pointer(table, e, field)).unwrap_or_default();
            let subject = if keys.is_empty() { String::new() } else { format!("{table}|{}: ", names(&keys)) };
            let message = format!("{subject}{}", violation.message);
            let reported = out.push(meta, meta.severity, violation.span, pointer, message);
            if let Some((first, others)) = keys.split_first() {
                reported.about(table, first, field).also(others.iter().copied());
            }
        }
    }

    /// Reports a finding at an entry, or at a field if it exists.
    pub(super) fn report<'o>(
        &self,
        out: &'o mut Findings,
        meta: &'static Meta,
        at: At<'_>,
        message: String,
    ) -> Reported<'o> {
        let (span, pointer, target) = self.locate(at);
        let present = at.field.and_then(|name| self.value(at.table, at.key, name));
        out.push(meta, meta.severity, span, pointer, message)
            .about(at.table, at.key, at.field)
            .at(target, present)
    }

    /// Reports a finding at a span outside all tables.
    pub(super) fn report_text<'o>(
        &self,
        out: &'o mut Findings,
        meta: &'static Meta,
        span: Span,
        message: String,
    ) -> Reported<'o> {
        out.push(meta, meta.severity, span, String::new(), message)
    }

    fn locate(&self, at: At<'_>) -> (Span, String, Target) {
        let Some(table) = self.db.table(at.table) else {
            return (Span::default(), String::new(), Target::Neither);
        };
        let Some(entry) = self.db.row(at.table, at.key) else {
            let pointer = format!("{}/{}", self.db.prefix, crate::db::escape(at.table));
            return (table.span, pointer, Target::Neither);
        };
        match at.field.and_then(|name| self.db.field(entry, name)) {
            Some(field) => (field.span, self.db.pointer(at.table, entry, Some(field.name)), Target::Field),
            None => (entry.key_span, self.db.pointer(at.table, entry, None), Target::Entry),
        }
    }

    /// The operations that give a field another name and keep its value.
    pub(super) fn renamed(&self, table: &str, entry: &Entry<'a>, from: &str, to: &str) -> Vec<PatchOp> {
        let Some(found) = self.db.field(entry, from) else { return Vec::new() };
        let path = format!("{}/{}", self.db.pointer(table, entry, None), crate::db::escape(to));
        vec![
            PatchOp::new("add", path, Some(serde_json::Value::from(found.value))),
            PatchOp::new("remove", self.db.pointer(table, entry, Some(from)), None),
        ]
    }

    /// The JSON pointer of a field; `None` if it does not exist.
    pub(super) fn pointer_of(&self, table: &str, key: &str, field: &str) -> Option<String> {
        let (_, pointer, target) = self.locate(At { table, key, field: Some(field) });
        (target == Target::Field).then_some(pointer)
    }

    /// The key of the entry for a port's priority group or queue; empty if there is none.
    pub(super) fn group_key(&self, table: &str, port: &str, number: usize) -> String {
        for entry in self.db.rows(table) {
            if let Some((name, numbers)) = entry.owner_and_numbers()
                && (name == port || name.split([',', '|']).any(|n| n == port))
                && crate::resolve::range(numbers).is_some_and(|(l, h)| (l..=h).contains(&number))
            {
                return entry.key.to_string();
            }
        }
        String::new()
    }

    /// Ports that are equal except for name and neighbour: the first one, and their number.
    pub(super) fn port_kinds(&self) -> impl Iterator<Item = (&'c ResolvedPort, usize)> + '_ {
        let first = |kind: &Vec<usize>| Some((self.sw.ports.get(*kind.first()?)?, kind.len()));
        self.classes.iter().filter_map(first)
    }

    /// Checks the ports and reports one finding per message, with all ports that it applies to. Ports that differ only
    /// in name and neighbour are checked once.
    pub(super) fn by_port(
        &self,
        out: &mut Findings,
        meta: &'static Meta,
        check: impl Fn(&ResolvedPort) -> Option<Hit>,
    ) {
        let mut hits = Hits::default();
        for class in &self.classes {
            let first = class.first().and_then(|i| self.sw.ports.get(*i));
            if let Some(hit) = first.and_then(&check) {
                hits.add(hit, meta.severity, class);
            }
        }
        self.report_hits(out, meta, hits);
    }

    /// Like [`Self::by_port`], for rules that read a port's entry: every port is checked.
    pub(super) fn by_port_entry(
        &self,
        out: &mut Findings,
        meta: &'static Meta,
        check: impl Fn(&ResolvedPort, &Entry<'a>) -> Option<Hit>,
    ) {
        let mut hits = Hits::default();
        // The resolved ports are in the order of the table.
        for (i, (port, entry)) in self.sw.ports.iter().zip(self.db.rows("PORT")).enumerate() {
            if let Some(hit) = check(port, entry) {
                hits.add(hit, meta.severity, &[i]);
            }
        }
        self.report_hits(out, meta, hits);
    }

    fn report_hits(&self, out: &mut Findings, meta: &'static Meta, hits: Hits) {
        for (hit, severity, mut ports) in hits.0 {
            ports.sort_unstable();
            let ports: Vec<&str> =
                ports.iter().filter_map(|i| self.sw.ports.get(*i)).map(|p| p.name.as_str()).collect();
            let at = At { table: hit.table, key: &hit.key, field: Some(hit.field) };
            let message = agreeing(&hit.message, ports.len());
            self.report(out, meta, at, format!("{}: {message}", names(&ports)))
                .severity(severity)
                .of_ports(&ports);
        }
    }
}

/// Whether `buffermgrd` adds lossless priority groups that are not in the file: in the traditional model from a lookup
/// table that is not given, in the dynamic model by an arithmetic that is not known for the ASIC.
fn adds_groups(
    sw: &ResolvedSwitch,
    asic: Option<&'static Asic>,
    model: BufferModel,
    lookup: Option<&Lookup>,
) -> bool {
    let is_unknown = match model.is_dynamic() {
        true => asic.is_none_or(|asic| asic.headroom.is_none()),
        false => lookup.is_none(),
    };
    let has_pool =
        sw.pools.iter().any(|pool| pool.name == crate::LOSSLESS_POOL && pool.size_bytes != Some(0));
    is_unknown && has_pool && sw.profiles.iter().all(|profile| !profile.is_lossless())
}

/// Findings of ports: one per message and severity, with the indices of its ports.
#[derive(Default)]
struct Hits(Vec<(Hit, Severity, Vec<usize>)>);

impl Hits {
    fn add(&mut self, hit: Hit, usual: Severity, ports: &[usize]) {
        let severity = hit.severity.unwrap_or(usual);
        // Few messages are distinct, and most repeat the previous one.
        let same =
            |(other, s, _): &&mut (Hit, Severity, Vec<usize>)| *s == severity && other.message == hit.message;
        match self.0.iter_mut().rev().find(same) {
            Some((.., all)) => all.extend(ports),
            None => self.0.push((hit, severity, ports.to_vec())),
        }
    }
}

/// Groups of equal ports ([`ResolvedPort::is_like`]), each in the order of the file.
fn classes(ports: &[ResolvedPort]) -> Vec<Vec<usize>> {
    /// The number of groups to compare with: a switch has few kinds of ports, and more comparisons only cost time.
    const TRIED: usize = 8;
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for (i, port) in ports.iter().enumerate() {
        let is_like = |class: &&mut Vec<usize>| {
            class.first().and_then(|first| ports.get(*first)).is_some_and(|first| first.is_like(port))
        };
        match classes.iter_mut().rev().take(TRIED).find(is_like) {
            Some(class) => class.push(i),
            None => classes.push(vec![i]),
        }
    }
    classes
}

/// A finding of one port.
pub(super) struct Hit {
    table: &'static str,
    key: String,
    field: &'static str,
    message: String,
    severity: Option<Severity>,
}

/// A hit at a field of an entry.
pub(super) fn hit(
    table: &'static str,
    key: impl Into<String>,
    field: &'static str,
    message: String,
) -> Option<Hit> {
    Some(Hit { table, key: key.into(), field, message, severity: None })
}

/// A hit with another severity than the rule's.
pub(super) fn hit_as(
    severity: Severity,
    table: &'static str,
    key: impl Into<String>,
    field: &'static str,
    message: String,
) -> Option<Hit> {
    Some(Hit { table, key: key.into(), field, message, severity: Some(severity) })
}

/// A location in the configuration, by names.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'s> {
    pub(super) table: &'s str,
    pub(super) key: &'s str,
    pub(super) field: Option<&'s str>,
}

/// The location of an entry.
pub(super) fn row<'s>(table: &'s str, key: &'s str) -> At<'s> {
    At { table, key, field: None }
}

/// The location of a field.
pub(super) fn field<'s>(table: &'s str, key: &'s str, field: &'s str) -> At<'s> {
    At { table, key, field: Some(field) }
}

/// The priorities of a mask.
pub(super) fn priorities(mask: u8) -> impl Iterator<Item = usize> {
    (0..8).filter(move |p| mask >> p & 1 == 1)
}

/// The smallest XOFF threshold of the lossless profiles in use, with `groups` equally congested groups.
pub(super) fn smallest_trip(cx: &Context<'_, '_>, groups: u64) -> Option<(u64, &'static str, String)> {
    let pool = cx.lossless_pool()?.size_bytes?;
    let trip = |p: &ResolvedProfile| {
        let kind = if matches!(p.threshold?, Threshold::Static { .. }) { "static" } else { "dynamic" };
        Some((p.threshold?.trip_bytes(pool, groups), kind, p.name.clone()))
    };
    cx.lossless_in_use().filter_map(trip).min_by_key(|(bytes, ..)| *bytes)
}
