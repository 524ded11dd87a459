//! The operators that inject a defect into one file: what each changes, and which finding is expected.

mod absent;
mod access;
mod at_run_time;
mod beyond;
mod chassis;
mod contradict;
mod copies;
mod ignored;
mod interfaces;
mod links;
mod names;
mod pools;
mod settings;
mod tables;
mod tunnels;
mod wrong;

use std::sync::LazyLock;

use serde_json::Value;

use crate::config::Config;

/// What a check of the changed file must report.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expect {
    /// A new error with one of these codes.
    Error(&'static [&'static str]),
    /// A new warning or error with one of these codes.
    Warning(&'static [&'static str]),
    /// No new error or warning.
    Harmless,
}

/// An operator: the kind of change, its description, the expectation, and the change; `None` where it does not apply.
pub(crate) type Operator = (&'static str, &'static str, Expect, fn(&mut Config) -> Option<()>);

/// Maps `class` of the map that the first port uses.
pub(super) fn remap(c: &mut Config, table: &str, field: &str, class: &str, value: &str) -> Option<()> {
    let map = c.map(field)?;
    c.set(table, &map, class, value)
}

pub(super) fn without_class(c: &mut Config, table: &str, field: &str) -> Option<()> {
    let (map, priority) = (c.map(field)?, c.priority.clone());
    c.unset(table, &map, &priority)
}

pub(super) fn swap_map(c: &mut Config, table: &str, field: &str) -> Option<()> {
    let map = c.map(field)?;
    c.is_lossless_pair()?;
    c.swap(table, &map, "3", "4")
}

pub(super) fn egress(c: &mut Config, field: &str, value: &str) -> Option<()> {
    let profile = c.queue_profile()?;
    c.unset("BUFFER_PROFILE", &profile, "static_th").or(Some(()))?;
    c.unset("BUFFER_PROFILE", &profile, "dynamic_th").or(Some(()))?;
    c.set("BUFFER_PROFILE", &profile, field, value)
}

/// Replaces the pool of all lossless profiles by the first pool whose name contains `word`.
pub(super) fn other_pool(c: &mut Config, word: &str) -> Option<()> {
    let pool = c.keys("BUFFER_POOL").into_iter().find(|p| p.contains(word) && p.contains("ingress"))?;
    let profile = c.profile()?;
    c.set("BUFFER_PROFILE", &profile, "pool", &pool)
}

/// Appends a copy of a table or entry to the text of the file.
pub(super) fn append(c: &mut Config, table: &str, value: &Value) -> Option<()> {
    c.table(table)?;
    let text = c.text();
    let body = text.strip_suffix('}')?;
    c.text = Some(format!("{body},\"{table}\":{value}}}"));
    Some(())
}

/// Prepends a table to the text of the file.
pub(super) fn prepend(c: &mut Config, table: &str, value: &Value) -> Option<()> {
    c.table(table)?;
    let text = c.text();
    let body = text.strip_prefix('{')?;
    c.text = Some(format!("{{\"{table}\":{value},{body}"));
    Some(())
}

pub(super) fn each_watchdog(c: &mut Config, detection: &str, restoration: &str) -> Option<()> {
    c.set_all("PFC_WD", "detection_time", detection)?;
    c.set_all("PFC_WD", "restoration_time", restoration)
}

pub(super) fn watched(c: &Config) -> Option<String> {
    let port = c.port()?;
    c.get("PFC_WD", &port, "detection_time").map(|_| port)
}

/// The first port, if at least four ports are lossless: siblings can be compared.
pub(super) fn one_of_many(c: &Config) -> Option<String> {
    (c.ports.len() >= 4).then(|| c.port()).flatten()
}

pub(super) fn second_profile(c: &Config) -> Option<String> {
    let first = c.profile()?;
    c.ports.iter().find_map(|port| {
        let key = c.group_key(port, &c.priority)?;
        c.get("BUFFER_PG", &key, "profile").filter(|name| *name != first && !name.starts_with('['))
    })
}

impl Config {
    pub(crate) fn is_lossless_pair(&self) -> Option<()> {
        let list = self.get("PORT_QOS_MAP", self.ports.first()?, "pfc_enable")?;
        let has = |priority: &str| list.split(',').any(|p| p == priority);
        (has("3") && has("4")).then_some(())
    }
}

/// All operators on one file.
pub(crate) static OPERATORS: LazyLock<Vec<Operator>> = LazyLock::new(|| {
    [
        absent::OPERATORS,
        wrong::OPERATORS,
        contradict::OPERATORS,
        beyond::OPERATORS,
        tables::OPERATORS,
        links::OPERATORS,
        settings::OPERATORS,
        pools::OPERATORS,
        copies::OPERATORS,
        tunnels::OPERATORS,
        ignored::OPERATORS,
        access::OPERATORS,
        names::OPERATORS,
        chassis::OPERATORS,
        interfaces::OPERATORS,
        at_run_time::OPERATORS,
    ]
    .concat()
});
