//! The switch program on a `p4_switch`: forwarding, priorities, classification as data, pauses.

use crate::real::{Net, compile, data, ip, poll, roce};
use harrier_controller::layout::BankContent;
use harrier_controller::plan::PlanSettings;
use model::topology::{Link, Node, NodeKind};
use model::wire::ethernet::Ethernet;
use model::wire::ipv6::Ipv6;
use model::wire::pfc::Pfc;
use model::wire::polling::{Follow, Polling};
use model::wire::udp::Udp;
use model::wire::vlan::Vlan;
use model::wire::{ETHERTYPE_IPV6, ETHERTYPE_VLAN, Frame, bth};
use model::{FlowKey, LossReason, Rate, Time, Topology};

/// h1 to h3 at ports 1 to 3 of s1; h2 has an IPv6 address too.
fn net() -> Net {
    let mut nodes = vec![Node { name: "s1".into(), kind: NodeKind::Switch, addresses: vec![] }];
    let mut links = Vec::new();
    for n in 1..=3u8 {
        let mut addresses = vec![[10, 0, 0, n].into()];
        if n == 2 {
            addresses.push("fd00::2".parse().unwrap());
        }
        nodes.push(Node { name: format!("h{n}"), kind: NodeKind::Host, addresses });
        links.push(Link {
            a: format!("s1:{n}").parse().unwrap(),
            b: format!("h{n}:1").parse().unwrap(),
            rate: Rate::from_gbps(100),
            delay: Time::from_us(1),
        });
    }
    let mut net = Net::new(&compile(&[]), Topology { nodes, links }, &PlanSettings::default());
    net.now = Time::from_ms(20);
    net
}

fn flow() -> FlowKey {
    FlowKey::udp([10, 0, 0, 1].into(), 1_000, [10, 0, 0, 2].into(), 4791)
}

/// Returns the content of the active bank.
fn bank(net: &mut Net) -> BankContent {
    let switch = net.at("s1");
    let names: Vec<String> = switch.layout.bank_registers(0).iter().map(|name| name.to_string()).collect();
    let rows = switch.read(&names);
    switch.layout.read_uncollected(&rows, 0).unwrap()
}

/// Sends a frame from h1 and returns the frames that the hosts receive.
fn pass(net: &mut Net, frame: Frame) -> Vec<(String, Frame)> {
    net.inboxes.clear();
    net.send("h1", 1, frame);
    let inboxes = std::mem::take(&mut net.inboxes);
    inboxes
        .into_iter()
        .flat_map(|(host, frames)| frames.into_iter().map(move |f| (host.clone(), f)))
        .collect()
}

#[test]
fn a_forwarded_packet_has_a_lower_ttl_and_a_valid_checksum() {
    let sent = data(&flow(), 1, 500);
    let [(host, frame)] = &pass(&mut net(), sent.clone())[..] else { panic!("one packet leaves") };
    assert_eq!((host.as_str(), frame.len()), ("h2", sent.len()));
    let header = model::wire::ipv4::Ipv4::from_bytes(&frame.head[14..]).expect("the checksum is right");
    assert_eq!(header.ttl, 63);
    assert_eq!(frame.head[34..], sent.head[34..]);
}

#[test]
fn invalid_packets_are_dropped() {
    let mut net = net();
    let mut check = |what: &str, change: &dyn Fn(&mut Frame)| {
        let mut frame = data(&flow(), 1, 500);
        change(&mut frame);
        assert_eq!(pass(&mut net, frame), [], "{what}");
    };
    check("a wrong checksum", &|f| f.head[24] ^= 1);
    check("an unknown protocol", &|f| f.head[12] = 0x77);
    check("a truncated header", &|f| {
        f.head.truncate(30);
        f.tail = 0;
    });
    check("another IP version", &|f| f.head[14] = 0x55);
    let set_header = |f: &mut Frame, at: usize, value: u8| {
        f.head[at] = value;
        f.head[24] = 0;
        f.head[25] = 0;
        let sum = model::wire::ipv4::checksum(&f.head[14..34]).to_be_bytes();
        f.head[24..26].copy_from_slice(&sum);
    };
    check("no hop left", &|f| set_header(f, 22, 1));
    check("no route", &|f| set_header(f, 33, 77));
    assert_eq!(bank(&mut net).flows, [], "dropped packets are not counted");
}

#[test]
fn ipv6_and_vlan_tags_are_parsed() {
    let mut net = net();
    let header = Ipv6 {
        dscp: 26,
        ecn: 0,
        flow_label: 7,
        payload_len: 8 + 100,
        next_header: 17,
        hop_limit: 9,
        src: "fd00::1".parse().unwrap(),
        dst: "fd00::2".parse().unwrap(),
    };
    let mut bytes = Vec::new();
    bytes.extend(Ethernet { dst: [2; 6], src: [4; 6], ethertype: ETHERTYPE_VLAN }.to_bytes());
    let tag = Vlan { priority: 5, drop_eligible: false, id: 12, ethertype: ETHERTYPE_IPV6 };
    bytes.extend(tag.to_bytes());
    bytes.extend(header.to_bytes());
    bytes.extend(Udp { sport: 1, dport: 2, len: 108, checksum: 0 }.to_bytes());
    let out = pass(&mut net, Frame::new(&bytes, 100));
    assert_eq!((out.len(), out[0].0.as_str(), out[0].1.head[18 + 7]), (1, "h2", 8));
    let record = &bank(&mut net).flows[0].record;
    let key = FlowKey::udp("fd00::1".parse().unwrap(), 1, "fd00::2".parse().unwrap(), 2);
    assert_eq!((record.flow, record.priority, record.psn_first), (key, Some(5), 0));
    assert_eq!(record.bytes, Some(14 + 4 + 40 + 8 + 100));
}

#[test]
fn acks_and_cnps_are_forwarded_but_not_metered() {
    let mut net = net();
    for opcode in [bth::RC_ACKNOWLEDGE, 0x12, bth::CNP] {
        assert_eq!(pass(&mut net, roce(&flow(), opcode, 1, 4)).len(), 1);
    }
    let content = bank(&mut net);
    assert_eq!((content.flows, content.ports, content.meters), (vec![], vec![], vec![]));
    // Read responses are data, and so are all packets that are not RoCEv2.
    for opcode in [bth::RC_WRITE_FIRST, bth::RC_WRITE_ONLY, 0x0d, 0x31] {
        pass(&mut net, roce(&flow(), opcode, 1, 4));
    }
    let plain = FlowKey { dport: 53, ..flow() };
    pass(&mut net, ip(&plain, 26, &[], 100));
    let content = bank(&mut net);
    let packets: Vec<u64> = content.flows.iter().map(|row| row.record.packets).collect();
    assert_eq!(packets.iter().sum::<u64>(), 5);
    assert_eq!(content.meters[0].record.packets, Some(5));
}

#[test]
fn rocev2_on_other_ports_is_parsed_if_they_are_configured() {
    for (roce_ports, psn) in [(vec![], 0), (vec![100, 101], 77)] {
        let mut net = net();
        let topology = (*net.topology).clone();
        net = Net::new(&compile(&[]), topology, &PlanSettings { roce_ports, ..PlanSettings::default() });
        net.now = Time::from_ms(20);
        pass(&mut net, data(&FlowKey { dport: 100, ..flow() }, 77, 10));
        assert_eq!(bank(&mut net).flows[0].record.psn_first, psn);
    }
}

/// Sends PFC frames (time in ns, priorities with quanta) to port 2 and compares the recorded pauses: priority, start,
/// end, frames.
fn check_pauses(frames: &[(u64, &[(u8, u16)])], expected: &[(u8, u64, Option<u64>, u64)]) {
    let mut net = net();
    let start = 20_000_000;
    for (at, classes) in frames {
        let mut pfc = Pfc { class_enable: 0, quanta: [0; 8] };
        classes.iter().for_each(|(class, quanta)| pfc.set(*class, *quanta));
        net.now = Time::from_ns(start + at);
        let now = net.now;
        net.at("s1").switch.receive(now, 2, pfc.to_frame([0; 6]));
    }
    let mut found = Vec::new();
    for log in bank(&mut net).pauses {
        assert_eq!(log.port, 2);
        for interval in log.closed.iter().map(|pause| &pause.interval).chain(&log.open) {
            found.push((
                interval.priority,
                interval.start_ns - start,
                interval.end_ns.map(|end| end - start),
                interval.frames,
            ));
        }
    }
    assert_eq!(found, expected);
}

#[test]
fn pauses_are_recorded_as_intervals() {
    // 1000 quanta of 5.12 ns: a further frame prolongs the pause, a resume frame or the expiry ends it.
    check_pauses(&[(0, &[(3, 1_000)])], &[(3, 0, Some(5_119), 1)]);
    check_pauses(&[(0, &[(3, 1_000)]), (2_000, &[(3, 1_000)])], &[(3, 0, Some(7_119), 2)]);
    check_pauses(&[(0, &[(3, 1_000)]), (2_000, &[(3, 0)])], &[(3, 0, Some(2_000), 1)]);
    check_pauses(
        &[(0, &[(3, 1_000)]), (9_000, &[(3, 1_000)])],
        &[(3, 0, Some(5_119), 1), (3, 9_000, Some(14_119), 1)],
    );
    check_pauses(&[(0, &[(3, 1_000)]), (9_000, &[(3, 0)])], &[(3, 0, Some(5_119), 1)]);
    check_pauses(&[(0, &[(3, 0)])], &[]);
    // All eight priorities of one frame, one at a time.
    let all: Vec<(u8, u16)> = (0..8).map(|class| (class, 100 + u16::from(class))).collect();
    let ends: Vec<_> = all.iter().map(|(c, q)| (*c, 0, Some((u64::from(*q) * 335_544) >> 16), 1)).collect();
    check_pauses(&[(0, &all)], &ends);
}

#[test]
fn the_log_keeps_the_last_intervals_and_numbers_them() {
    let mut net = net();
    for n in 0..300u64 {
        net.now = Time::from_ns(20_000_000 + n * 1_000);
        let now = net.now;
        net.at("s1").switch.receive(
            now,
            2,
            Pfc::single(3, if n % 2 == 0 { 500 } else { 0 }).to_frame([0; 6]),
        );
    }
    let log = &bank(&mut net).pauses[0];
    assert_eq!((log.wrapped, log.open.is_empty()), (false, true));
    let found = log.closed.iter().map(|pause| (pause.number, (pause.interval.start_ns - 20_000_000) / 1_000));
    assert_eq!(found.collect::<Vec<_>>(), (22..150).map(|n| (n, 2 * u64::from(n))).collect::<Vec<_>>());
}

#[test]
fn packets_count_as_paused_while_the_pause_lasts() {
    let mut net = net();
    let start = 20_000_000;
    let at = |net: &mut Net, ns: u64| net.now = Time::from_ns(start + ns);
    at(&mut net, 0);
    net.pause("s1:2", 1_000);
    for (ns, psn) in [(10, 1), (5_000, 2), (5_200, 3)] {
        at(&mut net, ns);
        net.send("h1", 1, data(&flow(), psn, 100));
    }
    let record = bank(&mut net).flows[0].record.clone();
    assert_eq!((record.packets, record.paused_packets), (3, 2));
    assert_eq!((record.queued_packets, record.depth_sum), (Some(2), 3));
    assert_eq!(record.seen_ns, Some((start + 10, start + 5_200)));
    assert_eq!(record.queued_ns, Some((start + 5_000, start + 5_200)));
    assert_eq!((record.psn_first, record.psn_last), (1, 3));
}

/// 150 pauses, a freeze during the last of them, then 150 more before the read.
#[test]
fn pauses_after_a_freeze_do_not_overwrite_the_frozen_log() {
    let mut net = net();
    let start = 20_000_000;
    let receive = |net: &mut Net, ns: u64, port: u16, frame: Frame| {
        net.now = Time::from_ns(start + ns);
        let now = net.now;
        net.at("s1").switch.receive(now, port, frame);
    };
    let pause = |net: &mut Net, n: u64| {
        receive(net, 2_000 * n, 2, Pfc::single(3, 500).to_frame([0; 6]));
        if n == 150 {
            let (follow, flow) = (Follow::VictimPath, flow());
            let polling = Polling { follow, hop_limit: 16, priority: 3, event: 7, flow };
            receive(net, 2_000 * n + 500, 1, poll(&polling));
        }
        receive(net, 2_000 * n + 1_000, 2, Pfc::single(3, 0).to_frame([0; 6]));
    };
    (0..151).for_each(|n| pause(&mut net, n));
    let log = |net: &mut Net, generation: u16| -> Vec<(u16, u64, Option<u64>)> {
        let switch = net.at("s1");
        let bank = usize::from(generation & 1);
        let names: Vec<String> =
            switch.layout.bank_registers(bank).iter().map(|name| name.to_string()).collect();
        let rows = switch.read(&names);
        let content = switch.layout.read_uncollected(&rows, generation).unwrap();
        let log = content.pauses.into_iter().next().expect("port 2 was paused");
        let times = |n: u64| n - start;
        log.closed
            .iter()
            .map(|p| (p.number, times(p.interval.start_ns), p.interval.end_ns.map(times)))
            .collect()
    };
    let expected = |numbers: std::ops::Range<u16>| -> Vec<(u16, u64, Option<u64>)> {
        numbers.map(|n| (n, 2_000 * u64::from(n), Some(2_000 * u64::from(n) + 1_000))).collect()
    };
    // The pause that lasted at the freeze is in both banks; later pauses are only in the active bank.
    assert_eq!(log(&mut net, 0), expected(23..151));
    assert_eq!(log(&mut net, 1), expected(150..151));
    (151..300).for_each(|n| pause(&mut net, n));
    assert_eq!(log(&mut net, 0), expected(23..151));
    assert_eq!(log(&mut net, 1), expected(172..300));
    // After the release, later pauses are logged in the active bank.
    net.at("s1").unlock(true);
    (300..302).for_each(|n| pause(&mut net, n));
    assert_eq!(log(&mut net, 0), expected(23..151));
    assert_eq!(log(&mut net, 1), expected(174..302));
}

#[test]
fn losses_are_counted_by_ingress_port_and_reason_with_their_times() {
    let mut net = net();
    let to = |last: u8| FlowKey { dst: [10, 0, 0, last].into(), ..flow() };
    // The time to live is the ninth byte of the header behind the Ethernet header; without its checksum, the packet is
    // malformed.
    let mut malformed = data(&flow(), 0, 1_000);
    malformed.head[14 + 8] = 1;
    let mut expired = malformed.clone();
    expired.head[14 + 10..14 + 12].fill(0);
    let words = expired.head[14..34].chunks(2).map(|word| u32::from(word[0]) << 8 | u32::from(word[1]));
    let sum: u32 = words.sum();
    let checksum = !((sum & 0xffff) + (sum >> 16)) as u16;
    expired.head[14 + 10..14 + 12].copy_from_slice(&checksum.to_be_bytes());
    pass(&mut net, data(&flow(), 0, 1_000));
    let lost = [data(&to(99), 0, 1_000), data(&to(98), 0, 1_000), expired, malformed];
    for (later_us, frame) in (1..).zip(lost) {
        net.now += Time::from_us(later_us);
        assert_eq!(pass(&mut net, frame), []);
    }
    let switch = net.at("s1");
    let rows = switch.read(&[switch.layout.loss_register().to_string()]);
    let losses = switch.layout.read_losses(&rows).unwrap();
    let found: Vec<_> = losses
        .iter()
        .map(|loss| (loss.ingress_port, loss.reason, loss.packets, loss.first_ns, loss.last_ns))
        .collect();
    let ns = |us: u64| 20_000_000 + us * 1_000;
    let expected = [
        (Some(1), LossReason::Other, 1, ns(10), ns(10)),
        (Some(1), LossReason::Ttl, 1, ns(6), ns(6)),
        (Some(1), LossReason::NoRoute, 2, ns(1), ns(3)),
    ];
    assert_eq!(found, expected);
}
