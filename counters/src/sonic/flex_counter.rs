//! Which groups of counters a switch polls from its ASIC, and how often.
//!
//! syncd reads the counters of the ASIC in groups (sonic-sairedis, `FlexCounter`). What it does is in
//! `FLEX_COUNTER_GROUP_TABLE` of FLEX_COUNTER_DB (names of groups: sonic-swss, `portsorch.h`, `pfcwdorch.h`,
//! `flexcounterorch.cpp`); what is configured (`counterpoll`) in `FLEX_COUNTER_TABLE` of CONFIG_DB. COUNTERS_DB keeps the last
//! values of a group that is disabled: they stand still, and look like counters of a port without traffic.

use super::counter::Counter;
use super::database::{DatabaseName, Databases};
use crate::problem::Problem;
use crate::reading::PollIntervals;

/// Counters that are polled together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PolledGroup {
    Ports,
    Queues,
    QueueMarks,
    QueueWatermarks,
    GroupWatermarks,
    GroupDrops,
    Watchdog,
}

const GROUPS: [PolledGroup; 7] = [
    PolledGroup::Ports,
    PolledGroup::Queues,
    PolledGroup::QueueMarks,
    PolledGroup::QueueWatermarks,
    PolledGroup::GroupWatermarks,
    PolledGroup::GroupDrops,
    PolledGroup::Watchdog,
];

impl PolledGroup {
    /// Its name in FLEX_COUNTER_DB, in CONFIG_DB, and what it counts.
    fn names(self) -> (&'static str, &'static str, &'static str) {
        match self {
            PolledGroup::Ports => ("PORT_STAT_COUNTER", "PORT", "pauses, drops and bytes of ports"),
            PolledGroup::Queues => ("QUEUE_STAT_COUNTER", "QUEUE", "bytes and drops of queues"),
            PolledGroup::QueueMarks => {
                ("WRED_ECN_QUEUE_STAT_COUNTER", "WRED_ECN_QUEUE", "ECN marks of queues")
            }
            PolledGroup::QueueWatermarks => {
                ("QUEUE_WATERMARK_STAT_COUNTER", "QUEUE_WATERMARK", "watermarks of queues")
            }
            PolledGroup::GroupWatermarks => {
                ("PG_WATERMARK_STAT_COUNTER", "PG_WATERMARK", "watermarks of priority groups")
            }
            PolledGroup::GroupDrops => ("PG_DROP_STAT_COUNTER", "PG_DROP", "drops of priority groups"),
            PolledGroup::Watchdog => ("PFC_WD", "PFCWD", "the time of pauses and the occupancy of queues"),
        }
    }
}

/// The key of a group in FLEX_COUNTER_DB.
fn running_key(group: PolledGroup) -> String {
    format!("FLEX_COUNTER_GROUP_TABLE:{}", group.names().0)
}

/// The key of a group in CONFIG_DB.
fn configured_key(group: PolledGroup) -> String {
    format!("FLEX_COUNTER_TABLE|{}", group.names().1)
}

/// The hashes that say what a switch polls: what it does, and what is configured.
pub fn polling_keys() -> impl Iterator<Item = (DatabaseName, String)> {
    GROUPS.into_iter().flat_map(|group| {
        [(DatabaseName::FlexCounter, running_key(group)), (DatabaseName::Config, configured_key(group))]
    })
}

/// What a switch polls, as far as its databases tell.
#[derive(Clone, Debug)]
pub(super) struct Polled {
    /// In the order of [`GROUPS`]: whether the group is disabled, and its interval in ms.
    groups: [(bool, Option<u32>); GROUPS.len()],
}

impl Polled {
    pub(super) fn of(databases: &Databases) -> Polled {
        let value = |group: PolledGroup, field: &str| {
            let running = databases.value(DatabaseName::FlexCounter, &running_key(group), field);
            running.or_else(|| databases.value(DatabaseName::Config, &configured_key(group), field))
        };
        let groups = GROUPS.map(|group| {
            // Without a status, a switch of another release may poll it.
            let is_disabled = value(group, "FLEX_COUNTER_STATUS") == Some("disable");
            let interval_ms = value(group, "POLL_INTERVAL").and_then(|text| text.parse().ok());
            (is_disabled, interval_ms.filter(|ms| *ms > 0))
        });
        Polled { groups }
    }

    fn is_disabled(&self, group: PolledGroup) -> bool {
        GROUPS.iter().zip(&self.groups).any(|(known, (is_disabled, _))| *known == group && *is_disabled)
    }

    fn interval_ms(&self, group: PolledGroup) -> Option<u32> {
        let own = GROUPS.iter().zip(&self.groups).find(|(known, _)| **known == group)?.1;
        own.1.filter(|_| !own.0)
    }

    /// Whether no group that is polled has a counter: its value, if there is one, is an old one.
    pub(super) fn lacks(&self, counter: Counter) -> bool {
        let is_disabled = |group| self.is_disabled(group);
        match counter {
            // The watchdog polls them too, on the ports and queues that it watches.
            Counter::PauseRxFrames
            | Counter::PauseRxTime
            | Counter::PauseRxEstimate
            | Counter::PauseTxTime => is_disabled(PolledGroup::Ports) && is_disabled(PolledGroup::Watchdog),
            Counter::QueuePackets => is_disabled(PolledGroup::Queues) && is_disabled(PolledGroup::Watchdog),
            Counter::RxBytes
            | Counter::TxBytes
            | Counter::TxRate
            | Counter::RxDrops
            | Counter::TxDrops
            | Counter::RxErrors
            | Counter::PauseTxFrames => is_disabled(PolledGroup::Ports),
            Counter::QueueBytes | Counter::QueueDrops => is_disabled(PolledGroup::Queues),
            // Releases without a group for marks count them with the queues.
            Counter::QueueMarks => is_disabled(PolledGroup::QueueMarks) || is_disabled(PolledGroup::Queues),
            Counter::QueuePeak => is_disabled(PolledGroup::QueueWatermarks),
            Counter::GroupPeak | Counter::HeadroomPeak => is_disabled(PolledGroup::GroupWatermarks),
            Counter::GroupDrops => is_disabled(PolledGroup::GroupDrops),
            Counter::PausesBegun | Counter::IsPaused | Counter::QueueOccupancy => {
                is_disabled(PolledGroup::Watchdog)
            }
            // Written when a storm begins or ends, not polled.
            Counter::WatchdogStatus
            | Counter::WatchdogDetected
            | Counter::WatchdogRestored
            | Counter::WatchdogTxDrops
            | Counter::WatchdogRxDrops => false,
        }
    }

    /// How old counters may be when they are read.
    pub(super) fn intervals(&self) -> PollIntervals {
        let longest = |one, other| self.interval_ms(one).max(self.interval_ms(other));
        PollIntervals {
            ports_ms: self.interval_ms(PolledGroup::Ports),
            queues_ms: self.interval_ms(PolledGroup::Queues),
            watermarks_ms: longest(PolledGroup::QueueWatermarks, PolledGroup::GroupWatermarks),
        }
    }

    /// What is not measured, for people. Marks are left out: most switches do not poll them.
    pub(super) fn problems(&self) -> impl Iterator<Item = Problem> {
        let disabled =
            GROUPS.into_iter().filter(|group| self.is_disabled(*group) && *group != PolledGroup::QueueMarks);
        disabled.map(|group| {
            let (running, configured, counts) = group.names();
            Problem::new(format!(
                "{counts} are not measured: the group {running} is disabled (FLEX_COUNTER_TABLE|{configured}; \
                 `counterpoll show`), and what COUNTERS_DB has of them is old"
            ))
        })
    }
}
