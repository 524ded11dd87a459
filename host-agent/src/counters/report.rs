//! Readings of the counters, as a section of the report about the host.

use std::collections::{BTreeMap, BTreeSet};

use model::host::counters::{NicCounters, PauseSample, PriorityDrops, PriorityPauses, WireCounters};
use model::host::{HostInspection, RnicCounters};

use super::driver::{LOOPBACK_BYTES, PORT_TOTALS};
use super::records::{HostCounters, InterfaceCounters, PriorityCounters, RdmaPort};

/// Counters of one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimedReading {
    /// When the reading began, in ns of a clock that never runs backwards.
    pub began_ns: u64,
    /// When it ended; every counter was read in between.
    pub ended_ns: u64,
    /// The counters.
    pub counters: HostCounters,
}

/// What the counters themselves do not say about an interface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InterfaceFacts {
    /// Speed of the link in bits per second.
    pub line_rate_bps: Option<u64>,
    /// The priorities for which PFC is on, if known. Drops of other priorities are no alarm.
    pub lossless: Option<BTreeSet<u8>>,
}

/// A unit of `port_rcv_data` and `port_xmit_data` in bytes (InfiniBand Architecture Specification, PortCounters).
const DATA_WORD_BYTES: u64 = 4;

/// Returns the speed of each interface and its priorities with PFC, as inspected.
pub fn facts(inspection: &HostInspection) -> BTreeMap<String, InterfaceFacts> {
    let interfaces = inspection.interfaces.iter().map(|(name, interface)| {
        let priorities = interface.qos.as_ref().and_then(|qos| qos.pfc_priorities.as_ref());
        let facts = InterfaceFacts {
            line_rate_bps: interface.speed_mbps.map(|mbps| u64::from(mbps) * 1_000_000),
            lossless: priorities.map(|priorities| priorities.iter().copied().collect()),
        };
        (name.clone(), facts)
    });
    interfaces.collect()
}

/// Returns the interval from the first of several readings to the last one, in ns, and what the counters grew by in it,
/// with a sample of the pauses between any two readings in a row. `None` without two readings at different times.
///
/// An interval starts with the end of a reading and ends with the beginning of the next one: counters are read in between,
/// so they grew for at least that long, and a priority that was paused without a break was paused for the whole interval.
/// A paused time is cut off at the interval. Samples adjoin each other; the time within a reading belongs to none.
///
/// Each port of an RDMA device is an RNIC, and so is an interface with statistics of priorities and no RDMA device. An
/// RNIC without a known line rate is left out, because no ratio can be computed; a counter that fell (the driver was
/// reloaded) is absent.
pub fn section(
    readings: &[TimedReading],
    facts: &BTreeMap<String, InterfaceFacts>,
) -> Option<(u64, RnicCounters)> {
    let (first, last) = readings.first().zip(readings.last())?;
    let interval_ns = interval_ns(first, last)?;
    let mut whole = growth(&first.counters, &last.counters, facts);
    let stalled = |nic: &NicCounters| stalled_ns(&last.counters, &nic.nic, interval_ns);
    for nic in &mut whole.nics {
        cut_off(nic, interval_ns);
        nic.stalled_writes_ns = stalled(nic);
    }
    let mut start_ns = 0;
    for pair in readings.windows(2).filter(|_| readings.len() > 2) {
        let Some(interval_ns) = self::interval_ns(&pair[0], &pair[1]) else { continue };
        for mut nic in growth(&pair[0].counters, &pair[1].counters, facts).nics {
            cut_off(&mut nic, interval_ns);
            if let Some(known) = whole.nics.iter_mut().find(|known| known.nic == nic.nic) {
                let sent = nic.sent_pauses.iter();
                known.pause_samples.extend(sent.filter_map(|row| sample(row, start_ns, interval_ns)));
            }
        }
        start_ns += interval_ns;
    }
    Some((interval_ns, whole))
}

/// Length of the time before a reading that the driver's share of stalled writes is about, in ns.
const STALLED_SHARE_NS: u64 = 1_000_000_000;

/// For how long the PCIe link of an RNIC took no write in an interval that ends with this reading: the share of the second
/// before the reading, as if it were the same throughout. `None` for a longer interval, of which the share says little.
fn stalled_ns(last: &HostCounters, nic: &str, interval_ns: u64) -> Option<u64> {
    let port = last.rdma_ports.iter().find(|port| label(port) == nic);
    let name = port.map_or(Some(nic), |port| port.interface.as_deref())?;
    let interface = last.interfaces.iter().find(|interface| interface.name == name)?;
    let percent = interface.stalled_writes_percent.filter(|_| interval_ns <= STALLED_SHARE_NS)?;
    Some(interval_ns.saturating_mul(percent) / 100)
}

/// What one reading says about the port and the PCIe link of an RNIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortReading {
    /// Bytes that the physical port has received, without loopback traffic, which the counters of RDMA ports may include;
    /// absent if the driver does not count them.
    pub received_bytes: Option<u64>,
    /// Share of the last second in which the PCIe link took no write although the RNIC had one, in percent.
    pub stalled_percent: Option<u64>,
}

/// Returns what a reading says about a port of an RDMA device, by its number from 1, and about its interface.
pub fn port_reading(counters: &HostCounters, device: &str, number: u32) -> PortReading {
    let port = counters.rdma_ports.iter().find(|port| port.device == device && port.port == number);
    let name = port.and_then(|port| port.interface.as_deref());
    let interface = counters.interfaces.iter().find(|interface| Some(interface.name.as_str()) == name);
    let Some(interface) = interface else { return PortReading::default() };
    let of_port = |names| wire_of_port(names, |name| interface.host.get(name).copied());
    PortReading {
        received_bytes: PORT_TOTALS.iter().find_map(of_port).map(|wire| wire.received_bytes),
        stalled_percent: interface.stalled_writes_percent,
    }
}

fn interval_ns(before: &TimedReading, after: &TimedReading) -> Option<u64> {
    after.began_ns.checked_sub(before.ended_ns).filter(|interval_ns| *interval_ns > 0)
}

fn cut_off(nic: &mut NicCounters, interval_ns: u64) {
    for pauses in nic.sent_pauses.iter_mut().chain(&mut nic.received_pauses) {
        pauses.paused_ns = pauses.paused_ns.map(|paused_ns| paused_ns.min(interval_ns));
    }
}

fn sample(pauses: &PriorityPauses, start_ns: u64, interval_ns: u64) -> Option<PauseSample> {
    let PriorityPauses { priority, frames, paused_ns, .. } = *pauses;
    Some(PauseSample { start_ns, interval_ns, priority, frames, paused_ns: paused_ns? })
}

/// Returns what the counters grew by between two readings.
fn growth(
    before: &HostCounters,
    after: &HostCounters,
    facts: &BTreeMap<String, InterfaceFacts>,
) -> RnicCounters {
    let mut nics = Vec::new();
    let mut seen = BTreeSet::new();
    for port in &after.rdma_ports {
        let name = port.interface.as_deref().unwrap_or_default();
        seen.insert(name);
        let Some(fact) = facts.get(name) else { continue };
        let earlier = before.rdma_ports.iter().find(|p| (&p.device, p.port) == (&port.device, port.port));
        let Some(nic) = nic(&label(port), fact, pair(before, after, name)) else { continue };
        nics.push(NicCounters {
            wire: earlier.and_then(|earlier| wire(earlier, port)).or(nic.wire),
            rnr_naks: earlier.and_then(|earlier| {
                grown(earlier.hw_counters.get("resp_rnr_nak"), port.hw_counters.get("resp_rnr_nak"))
            }),
            ..nic
        });
    }
    for interface in after.interfaces.iter().filter(|one| !one.priorities.is_empty()) {
        if seen.contains(interface.name.as_str()) {
            continue;
        }
        let fact = facts.get(&interface.name);
        nics.extend(fact.and_then(|fact| nic(&interface.name, fact, pair(before, after, &interface.name))));
    }
    RnicCounters { nics }
}

/// `mlx5_0`, or `mlx5_0/2` for a further port of the device.
fn label(port: &RdmaPort) -> String {
    nic_name(&port.device, port.port)
}

/// The name of a port of an RDMA device in reports: the device for port 1, `DEVICE/PORT` for the others.
pub fn nic_name(device: &str, port: u32) -> String {
    if port == 1 { device.to_string() } else { format!("{device}/{port}") }
}

type Pair<'c> = Option<(&'c InterfaceCounters, &'c InterfaceCounters)>;

fn pair<'c>(before: &'c HostCounters, after: &'c HostCounters, name: &str) -> Pair<'c> {
    let of = |counters: &'c HostCounters| counters.interfaces.iter().find(|one| one.name == name);
    of(before).zip(of(after))
}

fn nic(name: &str, fact: &InterfaceFacts, interface: Pair<'_>) -> Option<NicCounters> {
    let mut nic =
        NicCounters { nic: name.to_string(), line_rate_bps: fact.line_rate_bps?, ..NicCounters::default() };
    let Some((before, after)) = interface else { return Some(nic) };
    for (priority, now) in &after.priorities {
        let Some(then) = before.priorities.get(priority) else { continue };
        nic.sent_pauses.extend(pauses(*priority, then, now, |c| (c.tx_pause_frames, c.tx_pause_us)));
        nic.received_pauses.extend(pauses(*priority, then, now, |c| (c.rx_pause_frames, c.rx_pause_us)));
        let dropped =
            grown(then.rx_discards.as_ref(), now.rx_discards.as_ref()).filter(|packets| *packets > 0);
        if let (Some(lossless), Some(packets)) = (&fact.lossless, dropped) {
            let is_lossless = lossless.contains(priority);
            nic.drops.push(PriorityDrops { priority: *priority, is_lossless, packets });
        }
    }
    nic.loopback_bytes = grown(before.host.get(LOOPBACK_BYTES), after.host.get(LOOPBACK_BYTES));
    let of_port = |names| wire_of_port(names, |name| grown(before.host.get(name), after.host.get(name)));
    nic.wire = PORT_TOTALS.iter().find_map(of_port);
    Some(nic)
}

/// Packets and bytes of the physical port, by their names in a driver.
fn wire_of_port(names: &[&str; 4], of: impl Fn(&str) -> Option<u64>) -> Option<WireCounters> {
    let [received_packets, received_bytes, sent_packets, sent_bytes] = names;
    Some(WireCounters {
        received_bytes: of(received_bytes)?,
        received_packets: of(received_packets)?,
        sent_bytes: of(sent_bytes)?,
        sent_packets: of(sent_packets)?,
    })
}

fn pauses(
    priority: u8,
    before: &PriorityCounters,
    after: &PriorityCounters,
    of: impl Fn(&PriorityCounters) -> (Option<u64>, Option<u64>),
) -> Option<PriorityPauses> {
    let ((frames, time_us), (frames_now, time_us_now)) = (of(before), of(after));
    let frames = grown(frames.as_ref(), frames_now.as_ref())?;
    let paused_us = grown(time_us.as_ref(), time_us_now.as_ref());
    let paused_ns = paused_us.map(|us| us.saturating_mul(1000));
    Some(PriorityPauses { priority, frames, paused_ns, longest_ns: None })
}

fn wire(before: &RdmaPort, after: &RdmaPort) -> Option<WireCounters> {
    let of = |name: &str| grown(before.counters.get(name), after.counters.get(name));
    let bytes = |name: &str| of(name).map(|words| words.saturating_mul(DATA_WORD_BYTES));
    Some(WireCounters {
        received_bytes: bytes("port_rcv_data")?,
        received_packets: of("port_rcv_packets")?,
        sent_bytes: bytes("port_xmit_data")?,
        sent_packets: of("port_xmit_packets")?,
    })
}

/// What a counter grew by; `None` if it is missing in a reading or fell.
fn grown(before: Option<&u64>, after: Option<&u64>) -> Option<u64> {
    after?.checked_sub(*before?)
}

#[cfg(test)]
mod tests {
    use model::host::inspection::{HostInterface, HostQos};

    use super::*;

    /// One RNIC `mlx5_0` behind `eth1`, with `frames` PFC frames sent for priority 3 that paused for `time_us`.
    fn reading(frames: u64, time_us: u64, discards: u64, words: u64) -> HostCounters {
        let counters = ["port_rcv_data", "port_rcv_packets", "port_xmit_data", "port_xmit_packets"];
        let port = RdmaPort {
            device: "mlx5_0".into(),
            port: 1,
            interface: Some("eth1".into()),
            counters: counters.map(|name| (name.to_string(), words)).into(),
            ..RdmaPort::default()
        };
        let priority = PriorityCounters {
            tx_pause_frames: Some(frames),
            tx_pause_us: Some(time_us),
            rx_discards: Some(discards),
            ..PriorityCounters::default()
        };
        let interface = InterfaceCounters {
            name: "eth1".into(),
            priorities: [(3, priority)].into(),
            ..InterfaceCounters::default()
        };
        HostCounters { rdma_ports: vec![port], interfaces: vec![interface] }
    }

    fn facts(lossless: Option<u8>) -> BTreeMap<String, InterfaceFacts> {
        let lossless = lossless.map(|priority| [priority].into());
        [("eth1".to_string(), InterfaceFacts { line_rate_bps: Some(100_000_000_000), lossless })].into()
    }

    /// A reading from `began_ms` on, which took 2 ms.
    fn timed(began_ms: u64, counters: HostCounters) -> TimedReading {
        const MS: u64 = 1_000_000;
        TimedReading { began_ns: began_ms * MS, ended_ns: (began_ms + 2) * MS, counters }
    }

    #[test]
    fn a_pause_without_a_break_fills_every_sample_and_the_interval() {
        let facts = facts(None);
        // The counter of a priority that is always paused grows by the time between the two moments at which it was read.
        let read = |began_ms: u64, at_us: u64| timed(began_ms, reading(at_us / 1000, at_us, 0, 7));
        let readings = [read(0, 1_900), read(100, 100_100), read(200, 201_000)];
        let (interval_ns, found) = section(&readings, &facts).expect("three readings");
        assert_eq!(interval_ns, 198_000_000);
        let [nic] = found.nics.as_slice() else { panic!("{found:?}") };
        assert_eq!(nic.sent_pauses[0].paused_ns, Some(198_000_000));
        let samples: Vec<(u64, u64, u64)> =
            nic.pause_samples.iter().map(|s| (s.start_ns, s.interval_ns, s.paused_ns)).collect();
        assert_eq!(samples, [(0, 98_000_000, 98_000_000), (98_000_000, 98_000_000, 98_000_000)]);
    }

    #[test]
    fn a_pause_with_breaks_fills_no_sample() {
        let readings = [
            timed(0, reading(0, 0, 0, 0)),
            timed(100, reading(9, 90_000, 0, 9)),
            timed(200, reading(18, 180_000, 0, 18)),
        ];
        let (_, found) = section(&readings, &facts(None)).expect("three readings");
        assert!(found.nics[0].pause_samples.iter().all(|s| s.paused_ns < s.interval_ns), "{found:?}");
    }

    #[test]
    fn one_reading_has_no_interval() {
        let one = timed(0, reading(0, 0, 0, 0));
        assert_eq!(section(&[], &facts(None)), None);
        assert_eq!(section(std::slice::from_ref(&one), &facts(None)), None);
        assert_eq!(section(&[one.clone(), one], &facts(None)), None, "at the same time");
    }

    #[test]
    fn facts_are_those_of_the_inspection() {
        let qos = HostQos { pfc_priorities: Some(vec![3]), ..HostQos::default() };
        let known = HostInterface { speed_mbps: Some(100_000), qos: Some(qos), ..HostInterface::default() };
        let interfaces = [("eth1".to_string(), known), ("eth2".to_string(), HostInterface::default())];
        let found =
            super::facts(&HostInspection { interfaces: interfaces.into(), ..HostInspection::default() });
        assert_eq!(found["eth1"], facts(Some(3))["eth1"]);
        assert_eq!(found["eth2"], InterfaceFacts::default());
    }

    #[test]
    fn counters_of_the_physical_port_stand_in_for_those_of_the_rdma_port() {
        let statistics = |value: u64| {
            let mut host = reading(0, 0, 0, 0);
            host.rdma_ports[0].counters.clear();
            for name in PORT_TOTALS[0].iter().chain([&LOOPBACK_BYTES]) {
                host.interfaces[0].host.insert(name.to_string(), value);
            }
            host
        };
        let found = growth(&statistics(5), &statistics(9), &facts(None));
        let wire = found.nics[0].wire.expect("of the driver");
        assert_eq!((wire.received_packets, found.nics[0].loopback_bytes), (4, Some(4)));
    }

    #[test]
    fn stalled_writes_are_a_share_of_an_interval_of_at_most_a_second() {
        let read = |began_ms: u64, percent: u64| {
            let mut counters = reading(0, 0, 0, 7);
            counters.interfaces[0].stalled_writes_percent = Some(percent);
            timed(began_ms, counters)
        };
        let stalled = |ms: u64| {
            let (_, found) = section(&[read(0, 99), read(ms, 40)], &facts(None)).expect("two readings");
            found.nics[0].stalled_writes_ns
        };
        assert_eq!((stalled(502), stalled(60_000)), (Some(200_000_000), None));
    }

    #[test]
    fn a_port_has_the_bytes_of_its_driver_without_loopback() {
        let mut counters = reading(0, 0, 0, 7);
        assert_eq!(port_reading(&counters, "mlx5_0", 1), PortReading::default());
        let interface = &mut counters.interfaces[0];
        interface.host.extend(PORT_TOTALS[0].map(|name| (name.to_string(), 9)));
        interface.stalled_writes_percent = Some(30);
        let expected = PortReading { received_bytes: Some(9), stalled_percent: Some(30) };
        assert_eq!(port_reading(&counters, "mlx5_0", 1), expected);
        assert_eq!(port_reading(&counters, "mlx5_0", 2), PortReading::default());
        assert_eq!(port_reading(&counters, "mlx5_1", 1), PortReading::default());
    }

    #[test]
    fn counters_of_a_port_are_of_one_driver() {
        let names = |names: &[&str], value: u64| {
            let mut host = reading(0, 0, 0, 0);
            host.rdma_ports[0].counters.clear();
            host.interfaces[0].host.extend(names.iter().map(|name| (name.to_string(), value)));
            host
        };
        let of = |list: &[&str]| growth(&names(list, 1), &names(list, 4), &facts(None)).nics[0].wire;
        assert_eq!(of(&PORT_TOTALS[1]).map(|wire| wire.received_packets), Some(3));
        assert_eq!(of(&["rx_bytes", "tx_bytes"]), None, "those of mlx5 leave RDMA out");
    }

    #[test]
    fn counters_grow_between_two_readings() {
        let found = growth(&reading(10, 100, 1, 10), &reading(15, 400, 4, 35), &facts(Some(3)));
        let [nic] = found.nics.as_slice() else { panic!("{found:?}") };
        assert_eq!((nic.nic.as_str(), nic.line_rate_bps), ("mlx5_0", 100_000_000_000));
        let sent = PriorityPauses { priority: 3, frames: 5, paused_ns: Some(300_000), longest_ns: None };
        assert_eq!(nic.sent_pauses, [sent]);
        assert_eq!(nic.received_pauses, []);
        assert_eq!(nic.drops, [PriorityDrops { priority: 3, is_lossless: true, packets: 3 }]);
        let wire = nic.wire.expect("all four counters are there");
        assert_eq!((wire.received_bytes, wire.received_packets), (100, 25));
    }

    #[test]
    fn what_is_not_known_is_absent() {
        // The driver was reloaded: every counter fell.
        let [nic] = &growth(&reading(10, 100, 1, 10), &reading(0, 0, 0, 0), &facts(Some(3))).nics[..] else {
            panic!("one RNIC")
        };
        assert_eq!((nic.sent_pauses.len(), nic.drops.len(), nic.wire), (0, 0, None));
        // Without the list of lossless priorities a drop is not judged.
        let unknown = growth(&reading(0, 0, 0, 0), &reading(0, 0, 4, 0), &facts(None));
        assert_eq!(unknown.nics[0].drops, []);
        // Without a line rate there is no RNIC.
        assert_eq!(growth(&reading(0, 0, 0, 0), &reading(1, 1, 1, 1), &BTreeMap::new()).nics, []);
    }
}
