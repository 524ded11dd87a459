//! The settings of a diagnosis, and what they come to for one snapshot.

use std::collections::{BTreeMap, BTreeSet};

use model::Snapshot;
use serde::{Deserialize, Serialize};

use crate::method::Method;
use crate::thresholds::{self as t, Threshold};

/// The reaction time as a share of an epoch, at least: records do not show when, within this time, packets arrived. It is
/// 1.3 us with epochs of 2^17 ns.
const LEAST_PER_EPOCH: u64 = 100;
/// ... and at most: the records of an epoch do not separate more than some periods of an event.
const MOST_PER_EPOCH: u64 = 10;
/// ... unless the round trip of one link is longer, over which PFC reacts: the longest path of a fat-tree has six links.
const LINKS_OF_PATH: u64 = 6;
/// Without epochs and without a base round trip: that of a data-centre network.
pub(crate) const UNKNOWN_NS: u64 = 10_000;

/// Settings of the analysis. The defaults are the same for all networks: [`crate::thresholds`] adapt themselves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// How edges and contributions are weighted.
    pub method: Method,
    /// Factors on [`crate::thresholds::ALL`], by name; absent: 1.
    pub scale: BTreeMap<String, f64>,
    /// Names of [`crate::rules::ALL`] that are not applied.
    pub without: BTreeSet<String>,
    /// Minimum share of the victim's pause of a port in the provenance graph.
    pub graph_share: f64,
    /// Maximum number of records per claim.
    pub evidence_records: usize,
    /// Maximum number of packets of one queue that are replayed; above it, all counts are scaled down.
    pub replay_packets: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            method: Method::default(),
            scale: BTreeMap::new(),
            without: BTreeSet::new(),
            graph_share: 0.005,
            evidence_records: 32,
            replay_packets: 65_536,
        }
    }
}

impl Settings {
    /// Returns the reaction time of the network of a snapshot, in nanoseconds: the victim's base round trip, within a
    /// hundredth and a tenth of an epoch, or a sixth of the round trip if that is longer. Senders react to a queue after a
    /// round trip of the path and PFC after one of a link, and nothing that the analysis distinguishes happens faster.
    pub fn reaction_ns(snapshot: &Snapshot) -> u64 {
        let base_ns = snapshot.trigger.as_ref().map(|trigger| trigger.base_rtt_ns);
        let epochs = snapshot.switches.iter().flat_map(|switch| &switch.epochs);
        let epoch_ns = epochs.map(|epoch| epoch.end_ns.saturating_sub(epoch.start_ns)).max();
        match (base_ns, epoch_ns.filter(|length| *length > 0)) {
            (base_ns, Some(length)) => {
                let least_ns = length / LEAST_PER_EPOCH;
                let base_ns = base_ns.unwrap_or(least_ns);
                let most_ns = (length / MOST_PER_EPOCH).max(base_ns / LINKS_OF_PATH);
                base_ns.clamp(least_ns, most_ns).max(1)
            }
            (base_ns, None) => base_ns.unwrap_or(0).max(UNKNOWN_NS),
        }
    }
}

/// The settings for one snapshot: thresholds as numbers. Times are nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tuning {
    settings: Settings,
    /// The reaction time of the network.
    reaction_ns: u64,
    pub(crate) method: Method,
    pub(crate) graph_share: f64,
    pub(crate) evidence_records: usize,
    pub(crate) replay_packets: usize,
    /// Pauses (or queueing) closer together than this belong to one event.
    pub(crate) event_gap_ns: u64,
    /// A flow that was active this long before the queue episode has a previous rate.
    pub(crate) established_ns: u64,
    /// Minimum mean queue depth, in packets, of a queue that delays packets.
    pub(crate) min_wait_packets: f64,
    /// Minimum share of the victim's pause of a pause path.
    pub(crate) branch_share: f64,
    /// Minimum share of the additional round-trip time that a queue on the victim's path must account for.
    pub(crate) explained_share: f64,
    /// A host-facing port that was paused for less than this share of the event is congested, not a storm's root.
    pub(crate) storm_duty: f64,
}

impl Tuning {
    /// Returns the settings for a snapshot.
    pub(crate) fn of(settings: &Settings, snapshot: &Snapshot) -> Tuning {
        Tuning::new(settings, Settings::reaction_ns(snapshot))
    }

    /// Returns the settings for a network with this reaction time.
    pub(crate) fn new(settings: &Settings, reaction_ns: u64) -> Tuning {
        let mut tuning = Tuning {
            reaction_ns,
            method: settings.method,
            graph_share: settings.graph_share,
            evidence_records: settings.evidence_records,
            replay_packets: settings.replay_packets,
            event_gap_ns: 0,
            established_ns: 0,
            min_wait_packets: 0.0,
            branch_share: 0.0,
            explained_share: 0.0,
            storm_duty: 0.0,
            settings: settings.clone(),
        };
        tuning.event_gap_ns = tuning.ns(&t::EVENT_GAP);
        tuning.established_ns = tuning.ns(&t::ESTABLISHED);
        tuning.min_wait_packets = tuning.value(&t::WAIT_PACKETS);
        tuning.branch_share = tuning.value(&t::BRANCH_SHARE);
        tuning.explained_share = tuning.value(&t::EXPLAINED_SHARE);
        tuning.storm_duty = tuning.value(&t::STORM_DUTY);
        tuning
    }

    /// Returns the value of a threshold.
    pub(crate) fn value(&self, threshold: &Threshold) -> f64 {
        threshold.scaled(self.settings.scale.get(threshold.name).copied().unwrap_or(1.0))
    }

    /// Returns a threshold as a count, at least 1.
    pub(crate) fn count(&self, threshold: &Threshold) -> usize {
        self.value(threshold).round().max(1.0) as usize
    }

    /// Returns a threshold in reaction times as nanoseconds.
    pub(crate) fn ns(&self, threshold: &Threshold) -> u64 {
        (self.value(threshold) * self.reaction_ns as f64).round() as u64
    }

    /// Returns a threshold as the bytes that a link of this rate carries in so many reaction times.
    pub(crate) fn bytes(&self, threshold: &Threshold, rate_bps: u64) -> f64 {
        self.value(threshold) * self.reaction_ns as f64 * rate_bps as f64 / 8e9
    }

    /// Whether a rule is applied.
    pub(crate) fn applies(&self, rule: &str) -> bool {
        !self.settings.without.contains(rule)
    }
}

#[cfg(test)]
impl Default for Tuning {
    /// At 100 Gb/s and a base round trip of 10 us.
    fn default() -> Tuning {
        Tuning::new(&Settings::default(), 10_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the reaction time, in us, for a base RTT and an epoch length in us.
    fn check(base_us: u64, epoch_us: u64, expected_us: u64) {
        let snapshot = serde_json::json!({
            "format": 1, "event": 1, "source": "harrier", "victim": null, "epoch_ns": epoch_us * 1_000, "polls": 1,
            "missing": [],
            "trigger": {
                "host": "h1", "flow": "10.0.0.1:10000>10.0.0.2:4791/udp", "time_ns": 9, "reason": "slow_rtt",
                "base_rtt_ns": base_us * 1_000, "rtt_ns": base_us * 2_000, "follows": null
            },
            "switches": [{
                "switch": "s1", "frozen_ns": 9, "polled_from": [], "on_victim_path": true, "back_port": null,
                "epochs": [{ "id": 0, "start_ns": 0, "end_ns": epoch_us * 1_000 }],
                "flows": [], "ports": [], "meters": [], "pauses": [], "bytes": 0
            }]
        });
        let snapshot = serde_json::from_value(snapshot).expect("a snapshot");
        assert_eq!(Settings::reaction_ns(&snapshot), expected_us * 1_000, "{base_us} us, {epoch_us} us");
    }

    #[test]
    fn the_reaction_time_is_the_round_trip_within_the_resolution_of_an_epoch() {
        check(9, 1_000, 10);
        check(50, 1_000, 50);
        check(500, 1_000, 100);
        // PFC reacts over one link of a long path.
        check(1_200, 1_000, 200);
        check(14, 100, 10);
    }
}
