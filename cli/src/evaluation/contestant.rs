//! The methods under comparison, each with the telemetry that it would collect.
//!
//! All methods see the same runs. A method is a restriction of the snapshot and a set of rules. Hawkeye's evaluation
//! (SIGCOMM 2025) compares with full polling (every switch of the network at the time of the trigger, so more telemetry
//! than a collection contains), victim path only, port-only and flow-only telemetry, and SpiderMon (NSDI 2022: queues
//! on the victim's path, without pauses).

use analyzer::{Method, Settings};
use model::missing_data::Expected;
use model::telemetry::FlowRecord;
use model::{MissingData, Snapshot, Time};
use serde::{Deserialize, Serialize};

/// A method of diagnosis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Contestant {
    /// Harrier's rules and collection.
    Harrier,
    /// Hawkeye as published: its edge weights and its replay, on the same registers.
    Hawkeye,
    /// Harrier's rules on all switches of the network.
    FullPolling,
    /// Harrier's rules on the switches of the victim's path.
    VictimPath,
    /// Harrier's rules without flow records.
    PortOnly,
    /// Harrier's rules without port slots, meters and pauses.
    FlowOnly,
    /// Queues on the victim's path, without pauses.
    Spidermon,
    /// SONiC's counters, polled every second.
    #[serde(rename = "sonic-1s")]
    Sonic1s,
    /// SONiC's counters, polled every 100 ms.
    #[serde(rename = "sonic-100ms")]
    Sonic100ms,
    /// SONiC's counters, polled every second, and sampled packets.
    #[serde(rename = "sonic-1s+sflow")]
    Sonic1sSflow,
    /// The telemetry of P4 leaves, and SONiC's counters of the other switches, polled every second.
    Mixed,
}

/// How a method reads the counters of ordinary switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CounterSource {
    /// Interval of the polls.
    pub(crate) interval: Time,
    /// One of how many packets is sampled; absent: none.
    pub(crate) sampling_rate: Option<u32>,
}

/// Sampling rate of the method with sFlow. A choice: finer than usual on fast ports, because the runs take milliseconds.
const SAMPLING_RATE: u32 = 1_000;

impl Contestant {
    /// All methods, in the order of tables.
    pub(crate) const ALL: [Contestant; 11] = [
        Contestant::Harrier,
        Contestant::Hawkeye,
        Contestant::FullPolling,
        Contestant::VictimPath,
        Contestant::PortOnly,
        Contestant::FlowOnly,
        Contestant::Spidermon,
        Contestant::Sonic1s,
        Contestant::Sonic100ms,
        Contestant::Sonic1sSflow,
        Contestant::Mixed,
    ];

    /// The methods that read the telemetry of P4 switches.
    pub(crate) fn with_telemetry() -> impl Iterator<Item = Contestant> {
        Contestant::ALL.into_iter().filter(|method| method.counter_source().is_none())
    }

    /// Returns what a method reads of counters.
    pub(crate) fn counter_source(self) -> Option<CounterSource> {
        let source = |ms, sampling_rate| Some(CounterSource { interval: Time::from_ms(ms), sampling_rate });
        match self {
            Contestant::Sonic1s | Contestant::Mixed => source(1_000, None),
            Contestant::Sonic100ms => source(100, None),
            Contestant::Sonic1sSflow => source(1_000, Some(SAMPLING_RATE)),
            _ => None,
        }
    }

    /// Returns the name in arguments and tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Contestant::Harrier => "harrier",
            Contestant::Hawkeye => "hawkeye",
            Contestant::FullPolling => "full-polling",
            Contestant::VictimPath => "victim-path",
            Contestant::PortOnly => "port-only",
            Contestant::FlowOnly => "flow-only",
            Contestant::Spidermon => "spidermon",
            Contestant::Sonic1s => "sonic-1s",
            Contestant::Sonic100ms => "sonic-100ms",
            Contestant::Sonic1sSflow => "sonic-1s+sflow",
            Contestant::Mixed => "mixed",
        }
    }

    /// Returns the method with this name.
    pub(crate) fn named(name: &str) -> Option<Contestant> {
        Contestant::ALL.into_iter().find(|c| c.name() == name)
    }

    /// Returns the rules of the method.
    pub(crate) fn settings(self) -> Settings {
        let method = if self == Contestant::Hawkeye { Method::HAWKEYE } else { Method::default() };
        Settings { method, ..Settings::default() }
    }

    /// Whether the method uses the telemetry of all switches instead of a collection.
    pub(crate) fn sees_everything(self) -> bool {
        self == Contestant::FullPolling
    }

    /// Whether agents send the method reports of their hosts. Those of other methods are not published with any.
    pub(crate) fn has_host_reports(self) -> bool {
        self == Contestant::Harrier
    }

    /// Returns the part of a snapshot that the method uses; for full polling, `snapshot` contains all switches.
    ///
    /// Bytes are scaled by the records that remain, so that each method has its own cost.
    pub(crate) fn look(self, snapshot: &Snapshot) -> Snapshot {
        let mut seen = snapshot.clone();
        match self {
            // That of a mixed network depends on the topology (`mixed`).
            Contestant::Harrier | Contestant::Hawkeye | Contestant::FullPolling | Contestant::Mixed => {
                return seen;
            }
            Contestant::VictimPath | Contestant::Spidermon => {
                seen.switches.retain(|s| s.on_victim_path);
                // This method does not follow pauses, so switches on the pause path are not missing.
                let for_pauses = |missing: &MissingData| {
                    matches!(
                        missing,
                        MissingData::NoReport { why: Expected::Pauses(_), .. }
                            | MissingData::NoProgram { why: Expected::Pauses(_), .. }
                    )
                };
                seen.missing.retain(|missing| !for_pauses(missing));
            }
            Contestant::Sonic1s | Contestant::Sonic100ms | Contestant::Sonic1sSflow => {
                seen.switches.clear();
            }
            Contestant::PortOnly | Contestant::FlowOnly => {}
        }
        for switch in &mut seen.switches {
            let before = records(switch);
            match self {
                Contestant::PortOnly => switch.flows.clear(),
                Contestant::FlowOnly => {
                    switch.ports.clear();
                    switch.meters.clear();
                    switch.pauses.clear();
                }
                Contestant::Spidermon => {
                    switch.pauses.clear();
                    switch.meters.clear();
                    switch.flows.iter_mut().for_each(clear_pauses);
                    switch.ports.iter_mut().for_each(|port| port.paused_packets = 0);
                }
                _ => {}
            }
            if let Some(share) = (records(switch) * 1_000).checked_div(before) {
                switch.bytes = switch.bytes.saturating_mul(share) / 1_000;
            }
        }
        seen
    }
}

fn clear_pauses(flow: &mut FlowRecord) {
    flow.paused_packets = 0;
}

/// Returns the approximate size of a switch's records in bytes: 100 for a flow slot, 24 for the others.
fn records(switch: &model::SwitchTelemetry) -> u64 {
    let small = switch.ports.len() + switch.meters.len() + switch.pauses.len();
    100 * switch.flows.len() as u64 + 24 * small as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_found_by_its_name() {
        for contestant in Contestant::ALL {
            assert_eq!(Contestant::named(contestant.name()), Some(contestant));
            let json = serde_json::to_string(&contestant).unwrap();
            assert_eq!(json, format!("\"{}\"", contestant.name()));
        }
        assert_eq!(Contestant::named("unknown"), None);
    }
}
