//! Polling packets in switches that run the program.

use crate::real::{Net, compile, data, poll};
use model::topology::{Link, Node, NodeKind};
use model::wire::Frame;
use model::wire::polling::{Follow, Polling};
use model::{FlowKey, Rate, Time, Topology};

use harrier_controller::collect::PollRetry;
use harrier_controller::plan::PlanSettings;

fn network(nodes: &[&str], links: &[(&str, &str)]) -> Topology {
    let address = |name: &str| [10, 0, 0, name[1..].parse().unwrap()].into();
    Topology {
        nodes: nodes
            .iter()
            .map(|name| {
                let is_host = name.starts_with('h');
                Node {
                    name: name.to_string(),
                    kind: if is_host { NodeKind::Host } else { NodeKind::Switch },
                    addresses: if is_host { vec![address(name)] } else { vec![] },
                }
            })
            .collect(),
        links: links
            .iter()
            .map(|(a, b)| Link {
                a: a.parse().unwrap(),
                b: b.parse().unwrap(),
                rate: Rate::from_gbps(100),
                delay: Time::from_us(1),
            })
            .collect(),
    }
}

/// The poster's network: s1 to s4 are SW1 to SW4; h2 > h4 is the victim F1, h1 > h3 is F2.
///
/// s1: 1 s2, 2 h1, 3 h2. s2: 1 s1, 2 s3, 3 s4. s3: 1 s2, 2 h4. s4: 1 s2, 2 h3, 3 h5.
fn poster() -> Net {
    let nodes = ["h1", "h2", "h3", "h4", "h5", "s1", "s2", "s3", "s4"];
    let links = [
        ("s1:1", "s2:1"),
        ("h1:1", "s1:2"),
        ("h2:1", "s1:3"),
        ("s2:2", "s3:1"),
        ("s2:3", "s4:1"),
        ("h4:1", "s3:2"),
        ("h3:1", "s4:2"),
        ("h5:1", "s4:3"),
    ];
    let mut net = Net::new(&compile(&[]), network(&nodes, &links), &PlanSettings::default());
    net.now = Time::from_ms(20);
    net
}

fn flow(from: u8, to: u8) -> FlowKey {
    FlowKey::udp([10, 0, 0, from].into(), 10_000, [10, 0, 0, to].into(), 4791)
}

fn request(event: u32, follow: Follow) -> Polling {
    Polling { follow, hop_limit: 16, priority: 3, event, flow: flow(2, 4) }
}

/// Sends a polling packet from its victim's host and compares the reports: switch, ingress port, what to follow.
fn check(net: &mut Net, polling: &Polling, expected: &[(&str, u16, u8)]) {
    let frame = poll(polling);
    net.host_sends(&polling.flow, frame);
    let reports = net.reports();
    let found: Vec<_> = reports.iter().map(|(s, r)| (s.as_str(), r.ingress_port, r.follow)).collect();
    assert_eq!(found, expected);
    for (_, report) in reports {
        assert_eq!((report.event, report.victim, report.priority), (polling.event, polling.flow, 3));
    }
    let polls_at_hosts = net.inboxes.values().flatten().filter(|f| f.head[12..14] == [0x88, 0xb5]).count();
    assert_eq!(polls_at_hosts, 0, "polling packets stop before hosts");
}

#[test]
fn without_pauses_only_the_victims_path_is_polled() {
    let mut net = poster();
    net.host_sends(&flow(1, 3), data(&flow(1, 3), 0, 1_000));
    check(&mut net, &request(1, Follow::VictimPath), &[("s1", 3, 1), ("s2", 1, 1), ("s3", 1, 1)]);
}

#[test]
fn the_posters_pauses_are_followed_off_the_victims_path() {
    let mut net = poster();
    net.host_sends(&flow(1, 3), data(&flow(1, 3), 0, 1_000));
    net.pause("s2:3", 100);
    net.pause("s1:1", 100);
    net.host_sends(&flow(2, 4), data(&flow(2, 4), 0, 1_000));
    check(
        &mut net,
        &request(1, Follow::VictimPath),
        &[("s1", 3, 1), ("s2", 1, 3), ("s3", 1, 1), ("s4", 1, 2)],
    );
}

#[test]
fn a_paused_port_that_the_ingress_port_does_not_feed_is_not_followed() {
    let mut net = poster();
    // h5 > h1 takes the path s4, s2, s1: there is no traffic from s2:1 to s2:3.
    net.host_sends(&flow(5, 1), data(&flow(5, 1), 0, 1_000));
    net.pause("s2:3", 100);
    net.pause("s1:1", 100);
    check(&mut net, &request(1, Follow::VictimPath), &[("s1", 3, 1), ("s2", 1, 3), ("s3", 1, 1)]);
}

#[test]
fn a_pause_counts_for_the_epochs_of_the_ring() {
    // Whether s2 is polled to follow pauses when s1:1 was paused for 512 ns some epochs ago.
    for (epochs, follow) in [(0, 3), (30, 3), (33, 1)] {
        let mut net = poster();
        net.pause("s1:1", 100);
        net.now = net.now + Time::from_ns(epochs << 17) + Time::from_us(1);
        net.settle();
        check(&mut net, &request(1, Follow::VictimPath), &[("s1", 3, 1), ("s2", 1, follow), ("s3", 1, 1)]);
    }
}

#[test]
fn the_traffic_before_a_lasting_pause_counts_for_longer_than_the_ring() {
    let settings = PlanSettings { pause_timer: false, ..PlanSettings::default() };
    let topology = network(
        &["h1", "h2", "h3", "h4", "s1", "s2", "s3"],
        &[
            ("h1:1", "s1:1"),
            ("h2:1", "s1:2"),
            ("s1:3", "s2:1"),
            ("s1:4", "s3:1"),
            ("s2:2", "h3:1"),
            ("s3:2", "h4:1"),
        ],
    );
    let mut net = Net::new(&compile(&[]), topology, &settings);
    net.now = Time::from_ms(20);
    net.host_sends(&flow(2, 3), data(&flow(2, 3), 0, 1_000));
    net.pause("s1:3", 1);
    // No packet has been forwarded for longer than the ring; the polling packet arrives at the port of the paused flow.
    net.now = Time::from_ms(200);
    check(&mut net, &request(1, Follow::Both), &[("s1", 2, 3), ("s2", 1, 2), ("s3", 1, 1)]);
}

#[test]
fn a_pause_trace_ends_in_a_loop_of_pauses() {
    // Three switches in a loop; the traffic of each host crosses two links of the loop.
    let topology = network(
        &["h1", "h2", "h3", "s1", "s2", "s3"],
        &[
            ("h1:1", "s1:1"),
            ("h2:1", "s2:1"),
            ("h3:1", "s3:1"),
            ("s1:2", "s2:3"),
            ("s2:2", "s3:3"),
            ("s3:2", "s1:3"),
        ],
    );
    let mut net = Net::new(&compile(&[]), topology, &PlanSettings::default());
    net.now = Time::from_ms(20);
    // Fill the meters of the loop: frames with ingress port 3 and egress port 2.
    for (switch, to) in [("s1", 2u8), ("s2", 3), ("s3", 1)] {
        let frame = data(&flow(9, to), 0, 500);
        let now = net.now;
        net.at(switch).switch.receive(now, 3, frame);
        net.settle();
        net.pause(&format!("{switch}:2"), 60_000);
    }
    let polling = Polling { flow: flow(1, 2), ..request(1, Follow::Both) };
    let frame = poll(&polling);
    // The packet arrives from the loop, at port 3 of s1.
    let now = net.now;
    net.at("s1").switch.receive(now, 3, frame);
    net.settle();
    let reports = net.reports();
    let found: Vec<_> =
        reports.iter().map(|(s, r)| (s.as_str(), r.ingress_port, r.follow, r.followed)).collect();
    // s3 polls s1 again, which has processed the request already.
    assert_eq!(found, [("s1", 3, 3, 3), ("s2", 3, 3, 3), ("s3", 3, 2, 2)]);
}

#[test]
fn duplicates_are_suppressed_but_other_events_are_not() {
    let mut net = poster();
    let first = [("s1", 3, 1), ("s2", 1, 1), ("s3", 1, 1)];
    check(&mut net, &request(1, Follow::VictimPath), &first);
    check(&mut net, &request(1, Follow::VictimPath), &[]);
    check(&mut net, &request(2, Follow::VictimPath), &first);
    // Pauses have not been polled yet.
    check(&mut net, &request(2, Follow::Both), &[("s1", 3, 3)]);
    // After two seconds the switches have forgotten the request.
    net.now += Time::from_ms(2_000);
    check(&mut net, &request(1, Follow::VictimPath), &first);
}

/// Retries a polling packet for ingress port `port` and compares the reports: switch, ingress port, `follow` of the
/// packet, `follow` bits that were new.
fn check_retry(net: &mut Net, switch: &str, port: u16, polling: Polling, expected: &[(&str, u16, u8, u8)]) {
    let packet = PollRetry { port, polling }.to_cpu_bytes();
    let now = net.now;
    net.at(switch).switch.packet_out(now, Frame::new(&packet, 0));
    net.settle();
    let reports = net.reports();
    let found: Vec<_> =
        reports.iter().map(|(s, r)| (s.as_str(), r.ingress_port, r.follow, r.followed)).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_retry_is_forwarded_like_the_lost_packet() {
    let mut net = poster();
    // The link between s1 and s2 lost the packet.
    check_retry(&mut net, "s2", 1, request(1, Follow::VictimPath), &[("s2", 1, 1, 1), ("s3", 1, 1, 1)]);
    // s1 has not seen it yet; s2 and s3 remember it.
    check(&mut net, &request(1, Follow::VictimPath), &[("s1", 3, 1)]);
}

#[test]
fn a_retry_is_reported_even_if_it_is_a_duplicate() {
    let mut net = poster();
    let repeated = request(1, Follow::VictimPath);
    check(&mut net, &repeated, &[("s1", 3, 1), ("s2", 1, 1), ("s3", 1, 1)]);
    // Only the switch itself reports: its neighbours suppress the duplicate.
    check_retry(&mut net, "s2", 1, repeated, &[("s2", 1, 1, 1)]);
    check_retry(&mut net, "s2", 1, repeated, &[("s2", 1, 1, 1)]);
}

#[test]
fn a_retry_follows_pauses_that_reach_its_ingress_port() {
    let mut net = poster();
    // F2 feeds the port towards s4 through port 1 of s2; no flow from port 2 does.
    for psn in 0..8 {
        net.host_sends(&flow(1, 3), data(&flow(1, 3), psn, 1_000));
    }
    net.pause("s2:3", 0xffff);
    check_retry(&mut net, "s2", 2, request(1, Follow::Pauses), &[("s2", 2, 2, 2)]);
    check_retry(&mut net, "s2", 1, request(1, Follow::Pauses), &[("s2", 1, 2, 2), ("s4", 1, 2, 2)]);
}

#[test]
fn a_frozen_switch_reports_its_first_freeze() {
    let mut net = poster();
    let report = |net: &mut Net, event: u32| {
        net.now += Time::from_us(1);
        net.host_sends(&flow(2, 4), poll(&request(event, Follow::VictimPath)));
        let (_, report) = net.reports().remove(0);
        (report.frozen_now, report.frozen_generation, report.frozen_event, report.frozen_ns, report.time_ns)
    };
    let at = 20_000_000;
    assert_eq!(report(&mut net, 1), (true, 0, 1, at + 1_000, at + 1_000));
    assert_eq!(report(&mut net, 2), (false, 0, 1, at + 1_000, at + 2_000));
    net.at("s1").unlock(true);
    assert_eq!(report(&mut net, 3), (true, 1, 3, at + 3_000, at + 3_000));
}

#[test]
fn the_hop_limit_ends_polling() {
    let mut net = poster();
    let short = |hop_limit| Polling { hop_limit, ..request(u32::from(hop_limit), Follow::VictimPath) };
    check(&mut net, &short(2), &[("s1", 3, 1), ("s2", 1, 1)]);
    check(&mut net, &short(1), &[("s1", 3, 1)]);
    check(&mut net, &short(0), &[]);
}

#[test]
fn polling_packets_without_follow_bits_or_of_other_versions_are_dropped() {
    let mut net = poster();
    check(&mut net, &request(1, Follow::Nothing), &[]);
    let mut frame = poll(&request(1, Follow::VictimPath));
    frame.head[14] = 0x21;
    net.host_sends(&flow(2, 4), frame);
    assert_eq!(net.reports(), []);
}

#[test]
fn polling_packets_overtake_paused_data_and_are_not_counted() {
    let mut net = poster();
    net.pause("s1:1", 60_000);
    for psn in 0..3 {
        net.host_sends(&flow(2, 4), data(&flow(2, 4), psn, 1_000));
    }
    check(&mut net, &request(1, Follow::VictimPath), &[("s1", 3, 1), ("s2", 1, 3), ("s3", 1, 1)]);
    let names: Vec<String> = net.at("s1").layout.bank_registers(0).iter().map(|s| s.to_string()).collect();
    let rows = net.at("s1").read(&names);
    let bank = net.at("s1").layout.read_bank(&rows).unwrap();
    assert_eq!(bank.flows.len(), 1);
    let record = &bank.flows[0].record;
    assert_eq!((record.packets, record.paused_packets, record.depth_sum), (3, 3, 1 + 2));
    assert_eq!(bank.ports[0].record.packets, Some(3));
}

#[test]
fn polling_packets_take_the_ecmp_path_of_the_victim() {
    let mut links = vec![("h1:1".to_string(), "s1:1".to_string()), ("h2:1".into(), "s2:1".into())];
    links.extend((2..=5).map(|p| (format!("s1:{p}"), format!("s2:{p}"))));
    let links: Vec<(&str, &str)> = links.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let topology = network(&["h1", "h2", "s1", "s2"], &links);
    let mut net = Net::new(&compile(&[]), topology, &PlanSettings::default());
    net.now = Time::from_ms(20);
    let mut used = std::collections::BTreeMap::new();
    let take = |frame: Frame, net: &mut Net| -> u16 {
        let now = net.now;
        net.at("s1").switch.receive(now, 1, frame);
        let ports: Vec<u16> =
            (2..=5).filter(|port| net.at("s1").switch.transmit(now, *port).is_some()).collect();
        assert_eq!(ports.len(), 1);
        ports[0]
    };
    for n in 0..64u16 {
        let flow = FlowKey { sport: 10_000 + n, ..flow(1, 2) };
        let by = take(data(&flow, 0, 100), &mut net);
        let polling = Polling { flow, ..request(u32::from(n), Follow::VictimPath) };
        assert_eq!(take(poll(&polling), &mut net), by);
        *used.entry(by).or_insert(0) += 1;
    }
    assert!(used.len() == 4 && used.values().all(|n| *n >= 8), "{used:?}");
}

/// Polling packets of h1, each for another event.
fn polls_of_h1(events: std::ops::Range<u32>) -> impl Iterator<Item = Polling> {
    events.map(|event| Polling { flow: flow(1, 3), ..request(event, Follow::VictimPath) })
}

#[test]
fn a_host_that_polls_at_line_rate_is_limited_and_others_are_not() {
    let mut net = poster();
    // A burst passes, and then one every 2^19 ns.
    let burst = 128;
    for polling in polls_of_h1(0..10_000) {
        net.host_sends(&polling.flow, poll(&polling));
    }
    let passed = |net: &mut Net| net.reports().iter().filter(|(switch, _)| switch == "s1").count();
    assert_eq!(passed(&mut net), burst);
    check(&mut net, &request(20_000, Follow::VictimPath), &[("s1", 3, 1), ("s2", 1, 1), ("s3", 1, 1)]);

    for polling in polls_of_h1(10_000..20_000) {
        net.now += Time::from_ns(1 << 12);
        net.host_sends(&polling.flow, poll(&polling));
    }
    let expected = (10_000usize << 12) >> 19;
    let found = passed(&mut net);
    assert!((expected..=expected + 1).contains(&found), "{found} of 10,000, expected {expected}");

    // What a switch forwards for several hosts is not limited.
    for polling in (1..=5).flat_map(|round| polls_of_h1(round * 100_000..round * 100_000 + 60)) {
        net.send("s1", 1, poll(&polling));
    }
    assert_eq!(net.reports().iter().filter(|(switch, _)| switch == "s2").count(), 300);
}
