//! Two endpoints and a link between them, in virtual time.

use std::collections::BTreeMap;
use std::net::IpAddr;

use harrier_nic::{Endpoint, Fault, FlowRequest, Identity, RefusedFlow, Report, Settings};
use model::wire::{Frame, Pfc};
use model::{Rate, Time};
use proptest::prelude::*;
use scenario::nic::Operation;

const RATE: Rate = Rate(100_000_000);
const DELAY: Time = Time::from_us(200);

fn address(host: usize) -> IpAddr {
    IpAddr::from([10, 0, 0, host as u8 + 1])
}

fn mac(host: usize) -> [u8; 6] {
    [2, 0, 0, 0, 0, host as u8 + 1]
}

fn request(bytes: u64) -> FlowRequest {
    FlowRequest {
        label: "flow".into(),
        to: address(1),
        bytes,
        message_bytes: None,
        rate: None,
        window_bytes: None,
        priority: 3,
        operation: Operation::Write,
        source_port: None,
        congestion_control: true,
    }
}

/// Two endpoints, and the frames between them by arrival time, order and receiver.
struct Pair {
    ends: [Endpoint; 2],
    wire: BTreeMap<(Time, u64), (usize, Vec<u8>)>,
    sent: u64,
    now: Time,
    reports: Vec<Report>,
    /// Frames seen: sender and bytes.
    seen: Vec<(usize, Vec<u8>)>,
}

impl Pair {
    fn new() -> Pair {
        let end = |host| {
            let identity =
                Identity { address: address(host), mac: mac(host), rate: RATE, first_queue_pair: 7 };
            Endpoint::new(identity, Settings::software(RATE))
        };
        let ends = [end(0), end(1)];
        Pair { ends, wire: BTreeMap::new(), sent: 0, now: Time::ZERO, reports: Vec::new(), seen: Vec::new() }
    }

    /// Runs until `until`, or until the first end has no flows. `lost` selects frames that do not arrive.
    fn run(&mut self, until: Time, mut lost: impl FnMut(u64) -> bool) {
        while self.now <= until {
            for from in 0..2 {
                let mut frames: Vec<Frame> = Vec::new();
                self.ends[from].advance(self.now, |frame| frames.push(frame));
                for frame in frames {
                    let mut bytes = frame.head.to_vec();
                    bytes.resize(frame.len() as usize, 0);
                    self.seen.push((from, bytes.clone()));
                    self.sent += 1;
                    if !lost(self.sent) {
                        self.wire.insert((self.now + DELAY, self.sent), (1 - from, bytes));
                    }
                }
            }
            for end in &mut self.ends {
                self.reports.append(&mut end.take_reports());
            }
            let due = self.ends.iter().filter_map(|end| end.next_due(self.now));
            let arrival = self.wire.keys().next().map(|(at, _)| *at);
            let Some(next) = due.chain(arrival).min().filter(|_| self.ends[0].sending() > 0) else { return };
            self.now = self.now.max(next);
            while let Some(entry) = self.wire.first_entry().filter(|entry| entry.key().0 <= self.now) {
                let (to, bytes) = entry.remove();
                self.ends[to].receive(self.now, &bytes);
            }
        }
    }

    fn pauses(&self, from: usize) -> Vec<u16> {
        let frames = self.seen.iter().filter(|(sender, _)| *sender == from);
        frames.filter_map(|(_, bytes)| Pfc::from_bytes(bytes)).map(|pfc| pfc.quanta[3]).collect()
    }

    fn completed(&self) -> Option<(u64, bool, u64)> {
        self.reports.iter().find_map(|report| match report {
            Report::Completed { bytes, whole, duration_ns, .. } => Some((*bytes, *whole, *duration_ns)),
            _ => None,
        })
    }
}

#[test]
fn a_flow_is_sent_at_line_rate_and_reported_at_both_ends() {
    let mut pair = Pair::new();
    pair.ends[0].start(Time::ZERO, &request(1_000_000), mac(1)).expect("the flow starts");
    pair.run(Time::from_ms(1000), |_| false);
    let (bytes, whole, duration_ns) = pair.completed().expect("the flow completes");
    assert_eq!((bytes, whole), (1_000_000, true));
    // 977 packets with 58 header bytes and one RETH, and a round trip.
    assert!((84_000_000..86_000_000).contains(&duration_ns), "{duration_ns} ns");
    let received = pair.reports.iter().any(|r| matches!(r, Report::Received { bytes: 1_000_000, .. }));
    assert!(received, "{:?}", pair.reports);
}

#[test]
fn the_limit_of_a_flow_holds() {
    let mut pair = Pair::new();
    let slow = FlowRequest { rate: Some(Rate(10_000_000)), ..request(100_000) };
    pair.ends[0].start(Time::ZERO, &slow, mac(1)).expect("the flow starts");
    pair.run(Time::from_ms(1000), |_| false);
    let (_, _, duration_ns) = pair.completed().expect("the flow completes");
    assert!((83_000_000..86_000_000).contains(&duration_ns), "{duration_ns} ns");
}

#[test]
fn a_window_limits_what_is_outstanding() {
    let mut pair = Pair::new();
    let request = FlowRequest { window_bytes: Some(4096), ..request(100_000) };
    pair.ends[0].start(Time::ZERO, &request, mac(1)).expect("the flow starts");
    pair.run(Time::from_us(150), |_| false);
    assert_eq!(pair.seen.len(), 2);
    pair.run(Time::from_us(380), |_| false);
    let data = pair.seen.iter().filter(|(from, _)| *from == 0).count();
    assert_eq!(data, 4, "four packets before the first acknowledgement");
    pair.run(Time::from_ms(1000), |_| false);
    assert!(pair.completed().is_some());
}

#[test]
fn a_pause_stops_data_of_its_priority_until_it_ends() {
    let mut pair = Pair::new();
    pair.ends[0].start(Time::ZERO, &request(100_000), mac(1)).expect("the flow starts");
    pair.ends[0].receive(Time::ZERO, &Pfc::single(3, 1000).to_bytes(mac(1)));
    // 1000 quanta at 100 Mb/s are 5.12 ms.
    pair.run(Time::from_us(5_100), |_| false);
    assert!(pair.seen.is_empty());
    pair.run(Time::from_ms(1000), |_| false);
    assert!(pair.completed().is_some());
}

#[test]
fn a_storm_pauses_and_refreshes_until_it_ends() {
    let mut pair = Pair::new();
    pair.ends[1].begin_fault(Time::ZERO, Fault::Storm { priority: 3 });
    pair.ends[0].start(Time::ZERO, &request(100_000), mac(1)).expect("the flow starts");
    pair.run(Time::from_ms(1000), |_| false);
    assert!(pair.completed().is_none(), "the flow is paused");
    // Every 168 ms.
    assert_eq!(pair.pauses(1), [u16::MAX; 6]);
    let now = pair.now;
    pair.ends[1].end_faults(now);
    pair.run(Time::from_ms(2000), |_| false);
    assert_eq!(pair.pauses(1).last(), Some(&0));
    assert!(pair.completed().is_some());
}

#[test]
fn a_slow_receiver_pauses_and_loses_nothing() {
    let mut pair = Pair::new();
    pair.ends[1].begin_fault(Time::ZERO, Fault::SlowReceiver { rate: Rate(20_000_000) });
    let request = FlowRequest { congestion_control: false, ..request(1_000_000) };
    pair.ends[0].start(Time::ZERO, &request, mac(1)).expect("the flow starts");
    pair.run(Time::from_ms(2000), |_| false);
    let (_, _, duration_ns) = pair.completed().expect("the flow completes");
    assert!((400_000_000..440_000_000).contains(&duration_ns), "{duration_ns} ns: 1 MB at 20 Mb/s");
    let pauses = pair.pauses(1);
    assert!(pauses.contains(&u16::MAX) && pauses.contains(&0), "{pauses:?}");
    assert_eq!(pair.ends[1].counters().buffer_drops, 0);
}

#[test]
fn a_marked_packet_causes_a_cnp_that_lowers_the_rate() {
    let mut pair = Pair::new();
    pair.ends[0].start(Time::ZERO, &request(10_000_000), mac(1)).expect("the flow starts");
    pair.run(Time::from_ms(1), |_| false);
    let mut marked = None;
    for (_, bytes) in pair.wire.values_mut().filter(|(to, _)| *to == 1) {
        // ECT(0) to CE; the checksum of the IP header falls by the same amount.
        bytes[15] += 1;
        let checksum = u16::from_be_bytes([bytes[24], bytes[25]]) - 1;
        bytes[24..26].copy_from_slice(&checksum.to_be_bytes());
        marked = Some(());
    }
    assert!(marked.is_some());
    pair.run(Time::from_ms(5), |_| false);
    assert_eq!(pair.ends[0].counters().cnps_received, 1, "one CNP in an interval");
    let now = pair.now;
    pair.ends[0].report_status(now);
    let rate = pair.ends[0].take_reports().into_iter().find_map(|report| match report {
        Report::Status { flows, .. } => flows.first().map(|flow| flow.rate_bps),
        _ => None,
    });
    assert_eq!(rate, Some(50_000_000));
}

#[test]
fn impossible_flows_are_refused() {
    let mut pair = Pair::new();
    let mut start = |request: &FlowRequest| pair.ends[0].start(Time::ZERO, request, mac(1));
    assert_eq!(start(&FlowRequest { to: address(0), ..request(1) }), Err(RefusedFlow::Own(address(0))));
    assert_eq!(start(&FlowRequest { priority: 8, ..request(1) }), Err(RefusedFlow::Priority(8)));
    assert_eq!(start(&FlowRequest { operation: Operation::Read, ..request(1) }), Err(RefusedFlow::Operation));
    let v6 = FlowRequest { to: "fd00::1".parse().expect("an address"), ..request(1) };
    assert!(matches!(start(&v6), Err(RefusedFlow::Family { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn every_flow_completes_despite_losses(
        bytes in 0..60_000u64, losses in prop::collection::btree_set(1..120u64, 0..30),
        window in prop::option::of(1..20_000u64),
    ) {
        let mut pair = Pair::new();
        let request = FlowRequest { window_bytes: window, ..request(bytes) };
        pair.ends[0].start(Time::ZERO, &request, mac(1)).expect("the flow starts");
        pair.run(Time::from_ms(60_000), |number| losses.contains(&number));
        prop_assert_eq!(pair.completed().map(|(bytes, whole, _)| (bytes, whole)), Some((bytes, true)));
    }

    #[test]
    fn no_frames_cause_a_panic(frames in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..120), 0..20)) {
        let mut pair = Pair::new();
        for frame in frames {
            pair.ends[0].receive(Time::ZERO, &frame);
        }
        pair.run(Time::from_ms(1), |_| false);
    }
}
