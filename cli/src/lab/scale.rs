//! How much slower a lab runs than the network that its scenario describes.
//!
//! One factor stretches time: a second of the scenario lasts `factor` seconds in the lab. Link rates follow (100 Gb/s is
//! 24.4 Mb/s at factor 4096), and everything that is a time or a rate follows by the same rule because every daemon on
//! the data path uses a clock that runs `factor` times slower: delays, telemetry epochs, pause durations, timers of
//! congestion control, thresholds of agents. Bytes stay bytes: buffers, windows, XOFF and ECN thresholds are those of
//! the scenario, and so are queueing times in network time. Telemetry is in network time.

use std::collections::BTreeMap;
use std::time::Duration;

use model::{Rate, Time};
use scenario::Scenario;

/// Packets that all links together carry each second on two cores that also run the daemons. A packet costs about
/// 30 us from one interface to the next (two system calls, the switch program, the traffic manager), so that this is
/// about a third of the machine.
const PACKET_HOPS_PER_S: u64 = 20_000;
/// Least time on the wall clock of the shortest base round trip that an agent watches. A process on a busy machine is scheduled a few
/// milliseconds late, and agents must see congestion and not the scheduler: a round trip is slow above 150 % of its base.
const LEAST_ROUND_TRIP: Duration = Duration::from_millis(32);
/// The largest factor; a network that needs more is too large for a laptop.
const MAX_FACTOR: u64 = 1 << 16;
/// Bytes of an acknowledgement on the wire, with Ethernet's preamble and gap.
const ACK_BYTES: u64 = 84;

/// The factor by which a lab stretches time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Scale(u64);

impl Scale {
    /// A factor of at least 1.
    pub(crate) fn new(factor: u64) -> Scale {
        Scale(factor.clamp(1, MAX_FACTOR))
    }

    /// The factor for a scenario: the smallest power of two with which the links carry at most 20,000 packets a second
    /// and the shortest round trip lasts at least 32 ms.
    pub(crate) fn of(scenario: &Scenario) -> Scale {
        let load = packet_hops_per_s(scenario).div_ceil(PACKET_HOPS_PER_S);
        let shortest = shortest_round_trip(scenario).map_or(0, |time| time.as_ns());
        let jitter = (LEAST_ROUND_TRIP.as_nanos() as u64).checked_div(shortest).unwrap_or(1);
        let factor = load.max(jitter).clamp(1, MAX_FACTOR);
        Scale(factor.next_power_of_two())
    }

    /// The factor.
    pub(crate) fn factor(self) -> u64 {
        self.0
    }

    /// The wall-clock duration of a time of the scenario.
    pub(crate) fn wall(self, time: Time) -> Duration {
        Duration::from_nanos(time.as_ns().saturating_mul(self.0))
    }

    /// The rate on the lab's interfaces of a link with this rate.
    pub(crate) fn wire_rate(self, rate: Rate) -> Rate {
        Rate((rate.0 / self.0).max(1))
    }
}

/// Packets that all links carry in a second of the scenario, on average: data and, for each packet, an acknowledgement.
fn packet_hops_per_s(scenario: &Scenario) -> u64 {
    let hops = hop_counts(scenario);
    let mut packet_hops = 0u64;
    for flow in &scenario.flows {
        let payload = u64::from(scenario.host_settings(&flow.src).payload_bytes.max(1));
        let path = hops.get(&(flow.src.as_str(), flow.dst.as_str())).copied().unwrap_or(1);
        packet_hops = packet_hops.saturating_add(2 * flow.bytes.div_ceil(payload) * path);
    }
    let stop_us = (scenario.stop.as_ns() / 1000).max(1);
    (u128::from(packet_hops) * 1_000_000 / u128::from(stop_us)).min(u128::from(u64::MAX)) as u64
}

/// Links between the hosts of each flow.
fn hop_counts(scenario: &Scenario) -> BTreeMap<(&str, &str), u64> {
    let mut counts = BTreeMap::new();
    for flow in &scenario.flows {
        let distances = distances(scenario, &flow.dst);
        if let Some(distance) = distances.get(flow.src.as_str()) {
            counts.insert((flow.src.as_str(), flow.dst.as_str()), *distance);
        }
    }
    counts
}

/// Links from every node to `host`.
fn distances<'s>(scenario: &'s Scenario, host: &'s str) -> BTreeMap<&'s str, u64> {
    let mut known = BTreeMap::from([(host, 0)]);
    let mut queue = std::collections::VecDeque::from([host]);
    while let Some(node) = queue.pop_front() {
        let distance = known[node];
        for (_, peer) in scenario.topology.ports_of(node) {
            if !known.contains_key(peer.switch.as_str()) {
                known.insert(&peer.switch, distance + 1);
                queue.push_back(&peer.switch);
            }
        }
    }
    known
}

/// The shortest base round trip of the flows that an agent watches, by the agent's own formula.
fn shortest_round_trip(scenario: &Scenario) -> Option<Time> {
    let round_trip = |flow: &scenario::FlowSpec| {
        let settings = scenario.host_settings(&flow.src);
        let data_bytes = u64::from(settings.payload_bytes + settings.header_bytes);
        host_agent::base_rtt(&scenario.topology, &scenario.key(flow)?, data_bytes, ACK_BYTES)
    };
    let is_watched = |flow: &&scenario::FlowSpec| {
        scenario.agents.hosts.as_ref().is_none_or(|hosts| hosts.contains(&flow.src))
    };
    scenario.flows.iter().filter(is_watched).filter_map(round_trip).filter(|time| *time > Time::ZERO).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str) -> Scale {
        let scenario = scenario::builtin(name).expect("a built-in scenario");
        Scale::of(&scenario)
    }

    #[test]
    fn the_labs_run_on_two_cores_and_end_within_a_minute() {
        for name in crate::lab::LABS {
            let scale = check(name);
            let scenario = scenario::builtin(name).unwrap();
            assert!(packet_hops_per_s(&scenario) / scale.factor() <= PACKET_HOPS_PER_S, "{name}");
            assert!(scale.wall(scenario.stop) <= Duration::from_secs(60), "{name}: {scale:?}");
        }
    }

    #[test]
    fn the_posters_incast_is_4096_times_slower() {
        let scale = check("poster-fig1");
        assert_eq!(scale.factor(), 4096);
        assert_eq!(scale.wire_rate(Rate::from_gbps(100)), Rate(24_414_062));
        assert_eq!(scale.wall(Time::from_ms(2)), Duration::from_micros(8_192_000));
    }

    #[test]
    fn no_factor_makes_a_link_stand_still() {
        assert_eq!(Scale::new(u64::MAX).wire_rate(Rate(5)), Rate(1));
        assert_eq!(Scale::new(0).factor(), 1);
    }
}
