//! Drift: where the running settings of a host differ from the desired ones (RDMA over Commodity Ethernet at Scale,
//! SIGCOMM 2016, section 5.1).

use std::collections::BTreeMap;

use model::host::inspection::HostInspection;
use serde::Serialize;
use thiserror::Error;

use super::finding::InspectionFinding;
use super::rules::DRIFT;

/// A file with desired settings that is malformed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct DesiredError(String);

/// Reads desired settings: JSON in the form of an inspection, with the fields that matter. The name `*` stands for every
/// interface, RDMA device or PCIe function of the host.
///
/// # Errors
/// The text is not JSON, has an unknown field or a value of another type; with line and column.
pub fn desired(text: &str) -> Result<HostInspection, DesiredError> {
    serde_json::from_str(text).map_err(|error| DesiredError(error.to_string()))
}

/// Returns a finding for each item of `desired` that has another value, or none, in `running`. What `desired` does not
/// state is not compared.
pub fn drift(desired: &HostInspection, running: &HostInspection) -> Vec<InspectionFinding> {
    let running = items(running);
    let mut found = Vec::new();
    for (pattern, wanted) in items(desired) {
        for (item, value) in matches(&pattern, &running) {
            if value != Some(&wanted) {
                let message = match value {
                    Some(value) => format!("{item} is {value}, desired {wanted}"),
                    None => format!("{item} is not set or was not read, desired {wanted}"),
                };
                found.push(DRIFT.finding(DRIFT.severity, item, message));
            }
        }
    }
    found
}

/// The items of `running` that a desired item concerns: itself, or with `*` one for each name.
fn matches<'r>(pattern: &str, running: &'r BTreeMap<String, String>) -> Vec<(String, Option<&'r String>)> {
    let mut parts = pattern.splitn(3, '/');
    let (Some(section), Some("*"), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        return vec![(pattern.to_string(), running.get(pattern))];
    };
    let mut names: Vec<&str> = running
        .keys()
        .filter_map(|item| item.strip_prefix(section)?.strip_prefix('/')?.split('/').next())
        .collect();
    names.dedup();
    let items = names.into_iter().map(|name| format!("{section}/{name}/{rest}"));
    items.map(|item| (item.clone(), running.get(&item))).collect()
}

/// The values of an inspection by item: names joined by `/`. A list is one value.
fn items(inspection: &impl Serialize) -> BTreeMap<String, String> {
    let mut items = BTreeMap::new();
    // An inspection has only maps with names, so it is always serialised.
    flatten(&serde_json::to_value(inspection).unwrap_or_default(), "", &mut items);
    items
}

fn flatten(value: &serde_json::Value, item: &str, items: &mut BTreeMap<String, String>) {
    match value {
        serde_json::Value::Object(members) => {
            for (name, member) in members {
                let item = if item.is_empty() { name.clone() } else { format!("{item}/{name}") };
                flatten(member, &item, items);
            }
        }
        serde_json::Value::String(text) => {
            items.insert(item.to_string(), text.clone());
        }
        other => {
            items.insert(item.to_string(), other.to_string());
        }
    }
}
