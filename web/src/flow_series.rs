//! What snapshots record of each flow: the recent epochs and round trips, and sums by the second and the minute until they
//! are stored.
//!
//! A switch keeps the epochs of its ring, so that consecutive snapshots contain the same epoch, and a snapshot may contain an
//! epoch that has not ended. Each epoch of a flow is counted once, with its largest counts.

use std::collections::{BTreeMap, BTreeSet};

use model::{FlowKey, Snapshot, Trigger};
use serde::Serialize;
use store::{FlowRollup, FlowRollupKey, Resolution};
use utoipa::ToSchema;

use crate::limits::{FLOW_EPOCHS, LIVE_FLOWS};
use crate::rollups::{Pending, mul_div};
use crate::wall_clock::rfc3339;

/// What the switches recorded of a flow in one epoch. Of the counts of several switches and egress ports each is the largest:
/// a packet is counted at each switch of its path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct FlowEpoch {
    /// Start of the epoch, in nanoseconds of switch time.
    pub time_ns: u64,
    /// Length of the epoch, or of its part before the telemetry was frozen.
    pub interval_ns: u64,
    /// Packets enqueued.
    pub packets: u64,
    /// Bytes enqueued; absent if the source does not record them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Packets that met a queue; absent if the source does not record them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queued_packets: Option<u64>,
    /// Packets enqueued while PFC paused their egress port.
    pub paused_packets: u64,
    /// `time_ns` on the wall clock, in nanoseconds since 1970; when the snapshot arrived that had the epoch first, for a
    /// network whose switch time has no wall clock, as in a simulation.
    #[serde(skip)]
    pub wall_ns: u64,
}

impl FlowEpoch {
    /// The larger one of each count.
    fn max(self, other: FlowEpoch) -> FlowEpoch {
        FlowEpoch {
            time_ns: self.time_ns,
            wall_ns: self.wall_ns,
            interval_ns: self.interval_ns.max(other.interval_ns),
            packets: self.packets.max(other.packets),
            bytes: self.bytes.max(other.bytes),
            queued_packets: self.queued_packets.max(other.queued_packets),
            paused_packets: self.paused_packets.max(other.paused_packets),
        }
    }

    /// What this epoch has more than `counted`, the same epoch as it was counted before.
    fn beyond(self, counted: Option<FlowEpoch>) -> FlowRollup {
        let before = counted.unwrap_or_default();
        let more = |now: Option<u64>, before: Option<u64>| now.map(|now| now - before.unwrap_or(0).min(now));
        FlowRollup {
            time_ns: self.time_ns,
            epochs: u64::from(counted.is_none()),
            interval_ns: self.interval_ns - before.interval_ns,
            packets: self.packets - before.packets,
            bytes: more(self.bytes, before.bytes),
            queued_packets: more(self.queued_packets, before.queued_packets),
            paused_packets: self.paused_packets - before.paused_packets,
            ..FlowRollup::default()
        }
    }
}

/// A round trip of a flow that made an agent send a polling packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FlowRoundTrip {
    /// When it was measured, in nanoseconds of switch time.
    pub time_ns: u64,
    /// The round trip, or the time without an ACK so far, in nanoseconds.
    pub rtt_ns: u64,
    /// Base round trip of the flow's path, in nanoseconds.
    pub base_rtt_ns: u64,
    /// `time_ns` on the wall clock, in nanoseconds since 1970; when the snapshot arrived, for a network whose switch time has
    /// no wall clock, as in a simulation.
    #[serde(skip)]
    pub wall_ns: u64,
}

/// What a flow did in one second or minute of the wall clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FlowInterval {
    /// Start of the interval, in nanoseconds since 1970.
    pub wall_ns: u64,
    /// Start of the interval, as RFC 3339 text.
    pub time: String,
    /// Switch time of the latest epoch or round trip in the interval, in nanoseconds.
    pub time_ns: u64,
    /// Epochs in which a switch recorded the flow.
    pub epochs: u64,
    /// Switch time that these epochs cover; snapshots cover a small part of an interval.
    pub interval_ns: u64,
    /// Packets enqueued.
    pub packets: u64,
    /// Bytes enqueued; absent if no source recorded them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Average rate over `interval_ns`, in bits per second; absent without `bytes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_bps: Option<u64>,
    /// Packets that met a queue; absent if no source recorded them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queued_packets: Option<u64>,
    /// Packets enqueued while PFC paused their egress port.
    pub paused_packets: u64,
    /// Round trips that made an agent send a polling packet.
    pub round_trips: u64,
    /// Their mean, in nanoseconds; absent without a round trip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtt_mean_ns: Option<u64>,
    /// The longest of them, in nanoseconds; absent without a round trip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtt_max_ns: Option<u64>,
    /// Base round trip of the flow's path, in nanoseconds; absent without a round trip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_rtt_ns: Option<u64>,
}

impl FlowInterval {
    fn new(wall_ns: u64, sum: &FlowRollup) -> FlowInterval {
        let measured = |ns: u64| (sum.round_trips > 0).then_some(ns);
        FlowInterval {
            wall_ns,
            time: rfc3339(wall_ns),
            time_ns: sum.time_ns,
            epochs: sum.epochs,
            interval_ns: sum.interval_ns,
            packets: sum.packets,
            bytes: sum.bytes,
            rate_bps: sum.bytes.map(|bytes| mul_div(bytes, 8 * 1_000_000_000, sum.interval_ns)),
            queued_packets: sum.queued_packets,
            paused_packets: sum.paused_packets,
            round_trips: sum.round_trips,
            rtt_mean_ns: measured(sum.rtt_sum_ns / sum.round_trips.max(1)),
            rtt_max_ns: measured(sum.rtt_max_ns),
            base_rtt_ns: measured(sum.base_rtt_ns),
        }
    }
}

/// What is known of a flow: its recent epochs, by number, and round trips, by time.
#[derive(Debug, Default)]
struct Recent {
    epochs: BTreeMap<u64, FlowEpoch>,
    round_trips: BTreeMap<u64, FlowRoundTrip>,
    /// Number of the latest snapshot that contains the flow.
    snapshot: u64,
}

/// The recent records of all flows, and the sums that are not stored yet.
#[derive(Debug, Default)]
pub(crate) struct FlowSeries {
    flows: BTreeMap<FlowKey, Recent>,
    /// The flows by the latest snapshot that contains them: the first one is forgotten first.
    by_snapshot: BTreeSet<(u64, FlowKey)>,
    snapshots: u64,
    pending: Pending<FlowRollupKey, FlowRollup>,
}

impl FlowSeries {
    /// Adds the records of a snapshot. `wall_ns` converts a switch time. At the limit [`LIVE_FLOWS`] the flow that was
    /// recorded the longest time ago is forgotten. Returns the number of records that were lost at the limit of sums that
    /// are not stored.
    pub(crate) fn add(&mut self, snapshot: &Snapshot, wall_ns: impl Fn(u64) -> u64) -> u64 {
        self.snapshots += 1;
        let mut lost = 0;
        for ((flow, number), epoch) in epochs(snapshot) {
            let epoch = FlowEpoch { wall_ns: wall_ns(epoch.time_ns), ..epoch };
            let Some(part) = self.touch(flow).count(number, epoch) else { continue };
            lost += self.sum(flow, epoch.wall_ns, &part);
        }
        // The time of an operation is no round trip.
        let is_round_trip = |trigger: &&Trigger| !trigger.reason.is_about_operation();
        let Some(trigger) = snapshot.trigger.as_ref().filter(is_round_trip) else { return lost };
        let round_trip = FlowRoundTrip {
            time_ns: trigger.time_ns,
            rtt_ns: trigger.rtt_ns,
            base_rtt_ns: trigger.base_rtt_ns,
            wall_ns: wall_ns(trigger.time_ns),
        };
        if let Some(part) = self.touch(trigger.flow).measure(round_trip) {
            lost += self.sum(trigger.flow, round_trip.wall_ns, &part);
        }
        lost
    }

    /// Returns a flow's records, and notes that this snapshot contains it.
    fn touch(&mut self, flow: FlowKey) -> &mut Recent {
        let known = self.flows.get(&flow).map(|recent| recent.snapshot);
        if let Some(before) = known {
            self.by_snapshot.remove(&(before, flow));
        } else if self.flows.len() >= LIVE_FLOWS
            && let Some((_, oldest)) = self.by_snapshot.pop_first()
        {
            self.flows.remove(&oldest);
        }
        self.by_snapshot.insert((self.snapshots, flow));
        let recent = self.flows.entry(flow).or_default();
        recent.snapshot = self.snapshots;
        recent
    }

    fn sum(&mut self, flow: FlowKey, wall_ns: u64, part: &FlowRollup) -> u64 {
        let keys = Resolution::ALL.map(|resolution| FlowRollupKey {
            resolution,
            flow,
            wall_ns: resolution.start_ns(wall_ns),
        });
        let is_added = keys.map(|key| self.pending.merge(key, part));
        u64::from(is_added.contains(&false))
    }

    /// Returns the recent epochs and round trips of a flow, the oldest first.
    pub(crate) fn recent(&self, flow: &FlowKey) -> (Vec<FlowEpoch>, Vec<FlowRoundTrip>) {
        let Some(recent) = self.flows.get(flow) else { return (Vec::new(), Vec::new()) };
        (recent.epochs.values().copied().collect(), recent.round_trips.values().copied().collect())
    }

    /// Takes all sums, to store them.
    pub(crate) fn take(&mut self) -> BTreeMap<FlowRollupKey, FlowRollup> {
        self.pending.take()
    }

    /// Takes sums back that were not stored.
    pub(crate) fn restore(&mut self, sums: BTreeMap<FlowRollupKey, FlowRollup>) {
        self.pending.restore(sums);
    }

    /// Returns the intervals of `flow` that start in `since_ns..until_ns`: what is stored, and what is not stored yet.
    pub(crate) fn complete(
        &self,
        flow: FlowKey,
        resolution: Resolution,
        (since_ns, until_ns): (u64, u64),
        mut stored: BTreeMap<u64, FlowRollup>,
    ) -> Vec<FlowInterval> {
        let key = |wall_ns| FlowRollupKey { resolution, flow, wall_ns };
        for (key, sum) in self.pending.range(key(since_ns)..key(until_ns.max(since_ns))) {
            stored.entry(key.wall_ns).or_default().add(sum);
        }
        stored.iter().map(|(wall_ns, sum)| FlowInterval::new(*wall_ns, sum)).collect()
    }
}

impl Recent {
    /// Counts an epoch; returns what is new.
    fn count(&mut self, number: u64, epoch: FlowEpoch) -> Option<FlowRollup> {
        let before = self.epochs.get(&number).copied();
        let is_full = self.epochs.len() >= FLOW_EPOCHS;
        // An epoch before all that are known may have been counted and forgotten.
        if before.is_none()
            && is_full
            && self.epochs.first_key_value().is_some_and(|(first, _)| number < *first)
        {
            return None;
        }
        let now = before.map_or(epoch, |before| before.max(epoch));
        if before == Some(now) {
            return None;
        }
        if before.is_none() && is_full {
            self.epochs.pop_first();
        }
        self.epochs.insert(number, now);
        Some(now.beyond(before))
    }

    /// Adds a round trip; returns what is new.
    fn measure(&mut self, round_trip: FlowRoundTrip) -> Option<FlowRollup> {
        let (time_ns, is_full) = (round_trip.time_ns, self.round_trips.len() >= FLOW_EPOCHS);
        let is_old = is_full && self.round_trips.first_key_value().is_some_and(|(first, _)| time_ns < *first);
        if is_old || self.round_trips.contains_key(&time_ns) {
            return None;
        }
        if is_full {
            self.round_trips.pop_first();
        }
        self.round_trips.insert(time_ns, round_trip);
        Some(FlowRollup {
            time_ns,
            round_trips: 1,
            rtt_sum_ns: round_trip.rtt_ns,
            rtt_max_ns: round_trip.rtt_ns,
            base_rtt_ns: round_trip.base_rtt_ns,
            ..FlowRollup::default()
        })
    }
}

/// Returns the epochs of all flows of a snapshot, by flow and number of the epoch.
fn epochs(snapshot: &Snapshot) -> BTreeMap<(FlowKey, u64), FlowEpoch> {
    let mut found: BTreeMap<(FlowKey, u64), FlowEpoch> = BTreeMap::new();
    for telemetry in &snapshot.switches {
        let times: BTreeMap<u64, _> = telemetry.epochs.iter().map(|epoch| (epoch.id, epoch)).collect();
        // Parts of one count: a slot and its exported evictions.
        let mut at_port: BTreeMap<(FlowKey, u64, u16), FlowEpoch> = BTreeMap::new();
        for record in &telemetry.flows {
            let time = times.get(&record.epoch);
            let start_ns =
                time.map_or_else(|| record.epoch.saturating_mul(snapshot.epoch_ns), |time| time.start_ns);
            let interval_ns =
                time.map_or(snapshot.epoch_ns, |time| time.end_ns.saturating_sub(time.start_ns));
            let sum = at_port.entry((record.flow, record.epoch, record.egress_port)).or_default();
            let add = |sum: Option<u64>, part: Option<u64>| match (sum, part) {
                (Some(sum), Some(part)) => Some(sum.saturating_add(part)),
                (known, None) | (None, known) => known,
            };
            *sum = FlowEpoch {
                time_ns: start_ns,
                interval_ns,
                packets: sum.packets.saturating_add(record.packets),
                bytes: add(sum.bytes, record.bytes),
                queued_packets: add(sum.queued_packets, record.queued_packets),
                paused_packets: sum.paused_packets.saturating_add(record.paused_packets),
                wall_ns: 0,
            };
        }
        for ((flow, number, _), epoch) in at_port {
            let known = found.entry((flow, number)).or_insert(epoch);
            *known = known.max(epoch);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use model::TriggerReason;
    use model::snapshot::{SNAPSHOT_FORMAT, Source, SwitchTelemetry};
    use model::telemetry::{EpochInfo, FlowRecord};

    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;
    /// Ten epochs a second.
    const EPOCH_NS: u64 = SECOND_NS / 10;

    fn flow(sport: u16) -> FlowKey {
        format!("10.0.0.1:{sport}>10.0.0.2:4791/udp").parse().unwrap()
    }

    /// One count of a flow at the egress port of a switch.
    fn record(sport: u16, epoch: u64, egress_port: u16, packets: u64) -> FlowRecord {
        FlowRecord {
            flow: flow(sport),
            epoch,
            ingress_port: None,
            egress_port,
            priority: Some(3),
            packets,
            bytes: Some(packets.saturating_mul(1_000)),
            queued_packets: Some(packets / 2),
            depth_sum: 0,
            paused_packets: packets / 10,
            psn_first: 0,
            psn_last: 0,
            seen_ns: None,
            queued_ns: None,
            evicted: false,
        }
    }

    fn switch(name: &str, flows: Vec<FlowRecord>) -> SwitchTelemetry {
        let epoch = |id| EpochInfo { id, start_ns: id * EPOCH_NS, end_ns: (id + 1) * EPOCH_NS };
        SwitchTelemetry {
            switch: name.into(),
            frozen_ns: 0,
            clock_error_ns: None,
            polled_from: vec![],
            on_victim_path: true,
            back_port: None,
            epochs: flows.iter().map(|record| epoch(record.epoch)).collect(),
            flows,
            ports: vec![],
            meters: vec![],
            pauses: vec![],
            bytes: 0,
        }
    }

    fn snapshot(switches: Vec<SwitchTelemetry>, rtt: Option<(u64, u64)>) -> Snapshot {
        let trigger = rtt.map(|(time_ns, rtt_ns)| Trigger {
            host: "h1".into(),
            flow: flow(1),
            time_ns,
            reason: TriggerReason::SlowRtt,
            base_rtt_ns: 9_000,
            rtt_ns,
            expected_ns: None,
            follows: None,
        });
        Snapshot {
            format: SNAPSHOT_FORMAT,
            event: 1,
            source: Source::Harrier,
            victim: None,
            trigger,
            epoch_ns: EPOCH_NS,
            switches,
            missing: vec![],
            polls: 1,
            configuration: vec![],
            losses: vec![],
            events: vec![],
            jobs: vec![],
        }
    }

    /// Adds snapshots whose switch time is the wall clock, and returns the intervals of flow 1.
    fn intervals(snapshots: &[Snapshot], resolution: Resolution) -> Vec<FlowInterval> {
        let mut series = FlowSeries::default();
        for snapshot in snapshots {
            assert_eq!(series.add(snapshot, |time_ns| time_ns), 0);
        }
        series.complete(flow(1), resolution, (0, u64::MAX), BTreeMap::new())
    }

    #[test]
    fn an_epoch_counts_once_with_its_largest_counts() {
        let first = snapshot(vec![switch("s1", vec![record(1, 3, 1, 40), record(1, 3, 1, 10)])], None);
        // The same epoch, complete; on a second switch some packets of it were evicted and lost.
        let later = snapshot(
            vec![
                switch("s1", vec![record(1, 3, 1, 100), record(1, 4, 1, 20)]),
                switch("s2", vec![record(1, 3, 2, 80), record(1, 4, 2, 60)]),
            ],
            None,
        );
        let found = intervals(&[first, later.clone(), later], Resolution::Second);
        let [second] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((second.wall_ns, second.epochs, second.interval_ns), (0, 2, 2 * EPOCH_NS));
        assert_eq!((second.packets, second.bytes, second.paused_packets), (160, Some(160_000), 16));
        assert_eq!((second.queued_packets, second.rate_bps), (Some(80), Some(8 * 160_000 * 5)));
        assert_eq!((second.round_trips, second.rtt_mean_ns, second.base_rtt_ns), (0, None, None));
    }

    #[test]
    fn round_trips_are_counted_once_and_belong_to_their_second() {
        let at = |time_ns, rtt_ns| snapshot(vec![], Some((time_ns, rtt_ns)));
        let snapshots =
            [at(SECOND_NS, 20_000), at(SECOND_NS, 20_000), at(SECOND_NS + 5, 40_000), at(62 * SECOND_NS, 10)];
        let seconds = intervals(&snapshots, Resolution::Second);
        let read = |interval: &FlowInterval| {
            (interval.wall_ns / SECOND_NS, interval.round_trips, interval.rtt_mean_ns, interval.rtt_max_ns)
        };
        let expected = [(1, 2, Some(30_000), Some(40_000)), (62, 1, Some(10), Some(10))];
        assert_eq!(seconds.iter().map(read).collect::<Vec<_>>(), expected);
        assert_eq!(seconds[0].base_rtt_ns, Some(9_000));
        let minutes = intervals(&snapshots, Resolution::Minute);
        assert_eq!(minutes.iter().map(|minute| minute.round_trips).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn a_source_without_bytes_has_none() {
        let mut without = record(1, 3, 1, 40);
        (without.bytes, without.queued_packets) = (None, None);
        let found = intervals(&[snapshot(vec![switch("s1", vec![without])], None)], Resolution::Second);
        assert_eq!((found[0].packets, found[0].bytes, found[0].rate_bps), (40, None, None));
        assert_eq!(found[0].queued_packets, None);
    }

    #[test]
    fn the_flow_that_was_recorded_longest_ago_is_forgotten_first() {
        let mut series = FlowSeries::default();
        let add = |series: &mut FlowSeries, sport: u16| {
            series.add(&snapshot(vec![switch("s1", vec![record(sport, 3, 1, 1)])], None), |time_ns| time_ns);
        };
        for sport in 1..=LIVE_FLOWS as u16 {
            add(&mut series, sport);
        }
        add(&mut series, 1);
        add(&mut series, u16::MAX);
        let known = |sport| !series.recent(&flow(sport)).0.is_empty();
        assert_eq!((known(1), known(2), known(3), known(u16::MAX)), (true, false, true, true));
        assert_eq!(series.by_snapshot.len(), LIVE_FLOWS);
    }

    #[test]
    fn the_oldest_epochs_and_round_trips_are_forgotten_first_and_not_counted_again() {
        let mut series = FlowSeries::default();
        let add = |series: &mut FlowSeries, epoch: u64| {
            let rtt = Some((epoch * EPOCH_NS, 20_000));
            series.add(&snapshot(vec![switch("s1", vec![record(1, epoch, 1, 1)])], rtt), |_| 0)
        };
        for epoch in 1..=FLOW_EPOCHS as u64 + 1 {
            add(&mut series, epoch);
        }
        add(&mut series, 1);
        let (epochs, round_trips) = series.recent(&flow(1));
        assert_eq!((epochs.len(), round_trips.len()), (FLOW_EPOCHS, FLOW_EPOCHS));
        assert_eq!((epochs[0].time_ns, round_trips[0].time_ns), (2 * EPOCH_NS, 2 * EPOCH_NS));
        let found = series.complete(flow(1), Resolution::Minute, (0, u64::MAX), BTreeMap::new());
        assert_eq!((found[0].epochs, found[0].round_trips), (FLOW_EPOCHS as u64 + 1, FLOW_EPOCHS as u64 + 1));
    }

    #[test]
    fn extreme_records_do_not_overflow() {
        let record = record(1, u64::MAX, 1, u64::MAX);
        let mut telemetry = switch("s1", vec![]);
        telemetry.flows = vec![record.clone(), record];
        let both = snapshot(vec![telemetry], Some((u64::MAX, u64::MAX)));
        let found = intervals(&[both.clone(), both], Resolution::Second);
        assert_eq!((found[0].packets, found[0].bytes), (u64::MAX, Some(u64::MAX)));
    }
}
