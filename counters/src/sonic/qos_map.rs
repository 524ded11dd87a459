//! Which queue and which priority group a port uses for a PFC priority.
//!
//! CONFIG_DB's `PORT_QOS_MAP` refers to `MAP_PFC_PRIORITY_TO_QUEUE` and `PFC_PRIORITY_TO_PRIORITY_GROUP_MAP`, as
//! `AZURE` or, before database version 3, as `[MAP_PFC_PRIORITY_TO_QUEUE|AZURE]`. Without them a priority has the queue
//! and the group of its own number, which is what SONiC's templates configure.

use super::database::{DatabaseName, Databases};
use crate::reading::PRIORITIES;

/// The maps of a port.
pub(super) struct PriorityMaps {
    /// Egress queue by priority.
    pub(super) queue_of: [u8; PRIORITIES],
    /// Ingress priority group by priority.
    pub(super) group_of: [u8; PRIORITIES],
    /// Bit mask of the priorities with PFC, if it is configured.
    enabled: Option<u8>,
}

impl PriorityMaps {
    pub(super) fn of(databases: &Databases, port: &str) -> PriorityMaps {
        let value = |field: &str| setting(databases, port, field);
        let enabled = value("pfc_enable").map(|list| {
            let numbers = list.split(',').filter_map(|text| text.trim().parse::<u8>().ok());
            numbers
                .filter(|number| usize::from(*number) < PRIORITIES)
                .fold(0, |mask, number| mask | 1 << number)
        });
        PriorityMaps {
            queue_of: map(databases, "MAP_PFC_PRIORITY_TO_QUEUE", value("pfc_to_queue_map")),
            group_of: map(databases, "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", value("pfc_to_pg_map")),
            enabled,
        }
    }

    /// Whether PFC is enabled for `priority`; `None` if the configuration is unknown.
    pub(super) fn pfc_enabled(&self, priority: usize) -> Option<bool> {
        self.enabled.map(|mask| mask & (1 << priority) != 0)
    }
}

/// A field of the port's entry in PORT_QOS_MAP. Old configurations join ports with commas in one key.
fn setting<'d>(databases: &'d Databases, port: &str, field: &str) -> Option<&'d str> {
    let own = databases.value(DatabaseName::Config, &format!("PORT_QOS_MAP|{port}"), field);
    own.or_else(|| {
        let mut joined = databases
            .table(DatabaseName::Config, "PORT_QOS_MAP|")
            .filter(|(ports, _)| ports.contains(',') && ports.split(',').any(|name| name == port));
        joined.find_map(|(_, fields)| fields.get(field).map(String::as_str))
    })
}

fn map(databases: &Databases, table: &str, reference: Option<&str>) -> [u8; PRIORITIES] {
    let mut numbers = std::array::from_fn(|priority| priority as u8);
    let Some(reference) = reference else { return numbers };
    let name = reference.trim_matches(['[', ']']).rsplit('|').next().unwrap_or(reference);
    let Some(fields) = databases.hash(DatabaseName::Config, &format!("{table}|{name}")) else {
        return numbers;
    };
    for (priority, slot) in numbers.iter_mut().enumerate() {
        let value = fields.get(&priority.to_string()).and_then(|text| text.trim().parse().ok());
        *slot = value.unwrap_or(*slot);
    }
    numbers
}
