//! NICs, healthy and faulty: messages, READs, lossy wires, generations, receive pipelines, watchdogs.
#![allow(clippy::print_stdout, reason = "the figures behind the assertions are for people")]

use crate::common::plain::PlainSwitch;
use crate::common::{check_conservation, plain_fabric};
use fabric::{Fabric, WatchdogDoes};
use model::{Rate, Time};
use p4_switch::tm::{Watchdog, WatchdogAction};
use scenario::Scenario;
use scenario::nic::Generation;
use scenario::nic::HostBus;
use scenario::nic::MttModel;
use scenario::nic::Reliability;
use scenario::nic::{Cut, DcqcnConfig};
use scenario::nic::{Messages, Operation};
use scenario::{FaultKind, FaultSpec, Reaction};

/// Three hosts at one switch, 100 Gb/s and 1 us everywhere; `size` from h1 to h3.
fn network(size: &str) -> Scenario {
    let links: String =
        (1..=3).map(|n| format!("[[link]]\na = \"h{n}:1\"\nb = \"s:{n}\"\nrate = \"100Gbps\"\n")).collect();
    let text = format!(
        r#"
        name = "nics"
        stop = "2s"
        [topology]
        switches = ["s"]
        hosts = ["h1", "h2", "h3"]
        {links}
        [switch]
        lossless = [3]
        [host]
        payload = 1000
        headers = 58
        congestion_control = false
        [[flow]]
        from = "h1"
        to = "h3"
        size = "{size}"
        "#
    );
    scenario::parse("nics.toml", &text).unwrap_or_else(|problems| panic!("{problems}"))
}

/// Runs until all flows and faults are over, and checks conservation.
fn run(scenario: &Scenario) -> Fabric<PlainSwitch> {
    let mut fabric = plain_fabric(scenario, 7);
    while !fabric.is_through() && fabric.next_time().is_some_and(|at| at <= scenario.stop) {
        fabric.step();
    }
    check_conservation(&fabric);
    fabric
}

fn wire(bytes: u64) -> Time {
    Rate::from_gbps(100).serialisation(bytes)
}

fn fault(kind: FaultKind, duration: Time) -> FaultSpec {
    FaultSpec {
        host: "h3".to_string(),
        kind,
        ordering: None,
        start: Time::ZERO,
        start_jitter: Time::ZERO,
        duration,
    }
}

/// Gb/s on the wire of the only flow.
fn gbps(fabric: &Fabric<PlainSwitch>) -> f64 {
    let flow = &fabric.flows()[0];
    flow.sent_packets as f64 * 1058.0 * 8.0 / flow.duration().expect("it finishes").as_secs_f64() / 1e9
}

fn pauses_of(fabric: &Fabric<PlainSwitch>, port: &str) -> usize {
    fabric.pauses().iter().filter(|p| p.on && p.port.to_string() == port).count()
}

#[test]
fn with_one_outstanding_message_each_takes_a_round_trip() {
    let mut scenario = network("40kB");
    scenario.flows[0].messages = Messages {
        operation: Operation::Send,
        bytes: Some(4_000),
        outstanding: Some(1),
        ..Messages::default()
    };
    let fabric = run(&scenario);
    // Four packets, the last over two links, and its ACK back.
    let message =
        Time(4 * wire(1058).0) + wire(1058) + Time::from_us(2) + wire(60) + wire(60) + Time::from_us(2);
    let flow = &fabric.flows()[0];
    assert_eq!(flow.duration(), Some(Time(10 * message.0)));
    assert_eq!((flow.messages.count, flow.messages.min, flow.messages.max), (10, message, message));
}

#[test]
fn messages_start_at_their_interval() {
    let mut scenario = network("8kB");
    let interval = Time::from_us(50);
    scenario.flows[0].messages = Messages { bytes: Some(1_000), interval, ..Messages::default() };
    let fabric = run(&scenario);
    let alone = Time(2 * wire(1058).0 + 2 * wire(60).0) + Time::from_us(4);
    assert_eq!(fabric.flows()[0].duration(), Some(Time(7 * interval.0) + alone));
}

#[test]
fn a_window_limits_the_rate_exactly_to_the_picosecond() {
    let (out, back) = (Time(2 * wire(1058).0) + Time::from_us(2), Time(2 * wire(60).0) + Time::from_us(2));
    for window in [1u64, 7, 20] {
        let mut scenario = network("100kB");
        scenario.flows[0].messages.window_bytes = Some(window * 1_000);
        let fabric = run(&scenario);
        // The packets of a window are sent back to back; its first ACK opens the next window.
        let (rounds, rest) = (99 / window, 99 % window);
        let expected = Time(rounds * (out + back).0 + rest * wire(1058).0) + out + back;
        assert_eq!(fabric.flows()[0].duration(), Some(expected), "{window} packets");
    }
}

#[test]
fn acks_of_a_separate_priority_overtake_data() {
    // h1 sends to h3, while h2 and h3 congest h1's port: h1's ACKs share that queue unless they have a separate
    // priority.
    let slowest = |priority| {
        let mut scenario = network("2MB");
        scenario.host.ack_priority = priority;
        for (from, label) in [("h2", "two"), ("h3", "three")] {
            let (src, dst, label) = (from.to_string(), "h1".to_string(), label.to_string());
            scenario.flows.push(scenario::FlowSpec { src, dst, label, ..scenario.flows[0].clone() });
        }
        run(&scenario).flows()[0].rtt.max
    };
    let alone = Time(2 * wire(1058).0 + 2 * wire(60).0) + Time::from_us(4);
    let (behind, ahead) = (slowest(None), slowest(Some(6)));
    println!("alone {alone}, behind data {behind}, ahead of it {ahead}");
    // On every link, one packet may already be in transmission.
    assert!(ahead <= alone + Time(4 * wire(1058).0), "{ahead}");
    assert!(behind > Time(10 * alone.0), "{behind}");
}

#[test]
fn cnps_of_a_separate_priority_slow_a_sender_whose_acks_are_paused() {
    // Priority 3 towards h1 is paused while h1 and h2 congest h3: packets of that priority do not reach h1.
    let sent = |cnp_priority| {
        let mut scenario = network("20MB");
        scenario.stop = Time::from_ms(1);
        scenario.host.dcqcn = Some(DcqcnConfig::default());
        scenario.host.cnp_priority = cnp_priority;
        let (src, label) = ("h2".to_string(), "other".to_string());
        scenario.flows.push(scenario::FlowSpec { src, label, ..scenario.flows[0].clone() });
        scenario.faults = vec![FaultSpec { host: "h1".to_string(), ..storm(Time::from_ms(3)) }];
        let fabric = run(&scenario);
        assert_eq!(fabric.flows()[0].acknowledged_bytes, 0);
        fabric.flows()[0].sent_packets
    };
    let (with_cnps, without_cnps) = (sent(6), sent(3));
    println!("{with_cnps} packets sent with CNPs, {without_cnps} without");
    assert!(with_cnps < without_cnps / 2, "{with_cnps} against {without_cnps}");
}

#[test]
fn a_read_takes_the_time_of_its_request_and_its_data() {
    let mut scenario = network("64kB");
    scenario.flows[0].messages = Messages { operation: Operation::Read, ..Messages::default() };
    let fabric = run(&scenario);
    let request = Time(2 * wire(70).0) + Time::from_us(2);
    let data = Time(64 * wire(1058).0) + wire(1058) + Time::from_us(2);
    let flow = &fabric.flows()[0];
    assert_eq!(flow.duration(), Some(request + data));
    // The data is sent by h3.
    assert_eq!(flow.flow.to_string(), "10.0.3.1:10000>10.0.1.1:4791/udp");
    assert_eq!((flow.sent_packets, flow.acknowledged_bytes), (64, 64_000));
}

#[test]
fn reads_complete_despite_losses() {
    for seed in 1..4 {
        let mut scenario = network("400kB");
        scenario.flows[0].messages = Messages {
            operation: Operation::Read,
            bytes: Some(20_000),
            outstanding: Some(4),
            ..Messages::default()
        };
        scenario.host.retransmit_timeout = Some(Time::from_us(100));
        scenario.loss_ppt = [(0, 20_000_000_000), (2, 20_000_000_000)].into();
        let mut fabric = plain_fabric(&scenario, seed);
        while !fabric.is_through() && fabric.step() {}
        let flow = &fabric.flows()[0];
        assert_eq!(flow.acknowledged_bytes, 400_000, "seed {seed}");
        assert!(flow.retransmitted_packets > 0, "seed {seed}");
    }
}

#[test]
fn selective_repeat_retransmits_less_than_go_back_n() {
    let repeated = |reliability| {
        let mut scenario = network("2MB");
        scenario.host.reliability = reliability;
        scenario.host.retransmit_timeout = Some(Time::from_us(100));
        scenario.host.nak_interval = Time::from_us(20);
        scenario.loss_ppt = [(0, 10_000_000_000)].into();
        let fabric = run(&scenario);
        let (_, _, lost, _) = fabric.frame_balance();
        let flow = &fabric.flows()[0];
        assert_eq!(flow.acknowledged_bytes, 2_000_000);
        (flow.retransmitted_packets, lost)
    };
    let (selective, lost) = repeated(Reliability::SelectiveRepeat);
    assert!(selective <= 2 * lost, "{selective} repeated for {lost} lost");
    let (back, _) = repeated(Reliability::GoBackN);
    assert!(back > 5 * selective, "{back} against {selective}");
}

#[test]
fn small_pages_make_a_receiver_slow_and_large_ones_do_not() {
    let slowed = |page_bytes| {
        let mut scenario = network("8MB");
        let miss = Time::from_us(1);
        let model = MttModel { entries: 2048, page_bytes, region_bytes: 32 << 20, miss };
        scenario.faults = vec![fault(FaultKind::MttMisses(model), Time::from_ms(50))];
        run(&scenario)
    };
    // Three in four of the pages miss: 0.75 us for every 4 KiB page.
    let small = slowed(4096);
    let expected = 1058.0 * 4.096 * 8.0 / 0.75 / 1e3;
    assert!((gbps(&small) / expected - 1.0).abs() < 0.05, "{} Gb/s, expected {expected}", gbps(&small));
    assert!(pauses_of(&small, "s:3") > 10);
    let large = slowed(2 << 20);
    assert!(gbps(&large) > 99.0, "{}", gbps(&large));
    assert_eq!(large.pauses(), []);
}

#[test]
fn loopback_traffic_halves_the_receive_rate_and_the_watchdog_does_not_fire() {
    let mut scenario = network("20MB");
    let bus = HostBus { rate: Rate::from_gbps(100), loopback: Rate::from_gbps(100) };
    scenario.faults = vec![fault(FaultKind::HostBus(bus), Time::from_ms(50))];
    scenario.switch.watchdog = Some(switch_watchdog());
    let fabric = run(&scenario);
    assert!((gbps(&fabric) / 50.0 - 1.0).abs() < 0.02, "{} Gb/s", gbps(&fabric));
    assert!(pauses_of(&fabric, "s:3") > 10);
    assert_eq!(fabric.watchdogs(), []);
    assert_eq!((fabric.counters().dropped_packets, fabric.counters().lost_by_nics), (0, 0));
}

#[test]
fn a_pcie_bottleneck_limits_the_receive_rate() {
    let mut scenario = network("20MB");
    let bus = HostBus { rate: Rate::from_gbps(40), loopback: Rate(0) };
    scenario.faults = vec![fault(FaultKind::HostBus(bus), Time::from_ms(50))];
    let fabric = run(&scenario);
    assert!((gbps(&fabric) / 40.0 - 1.0).abs() < 0.02, "{} Gb/s", gbps(&fabric));
}

fn switch_watchdog() -> Watchdog {
    Watchdog {
        detection: Time::from_ms(200),
        restoration: Some(Time::from_ms(200)),
        action: WatchdogAction::Drop,
        priorities: 0xff,
    }
}

fn storm(duration: Time) -> FaultSpec {
    let interval = Time::from_us(50);
    let storm = FaultKind::Storm { priority: 3, quanta: u16::MAX, interval, interval_jitter: Time::ZERO };
    fault(storm, duration)
}

#[test]
fn the_nic_watchdog_ends_a_storm_permanently_after_100_ms() {
    let mut scenario = network("1MB");
    scenario.faults = vec![storm(Time::from_ms(400))];
    scenario.host.watchdog = Some(Time::from_ms(100));
    let fabric = run(&scenario);
    let fired = &fabric.watchdogs()[0];
    assert_eq!((fired.at, fired.port.to_string().as_str()), (Time::from_ms(100), "h3:1"));
    assert_eq!((fabric.watchdogs().len(), fired.priority), (1, 3));
    assert_eq!(fired.action, Some(WatchdogDoes::Mute));
    // The last pause lasts for another 335.5 us; then the flow continues.
    let finish = fabric.flows()[0].finish.expect("it finishes");
    assert!(finish > Time::from_ms(100) && finish < Time::from_ms(101), "{finish}");
}

#[test]
fn the_pfc_watchdog_drops_the_packets_of_a_queue_and_restores_it() {
    let mut scenario = network("1MB");
    scenario.faults = vec![storm(Time::from_ms(400))];
    scenario.host.retransmit_timeout = Some(Time::from_ms(1));
    scenario.switch.watchdog = Some(switch_watchdog());
    let fabric = run(&scenario);
    let log: Vec<_> = fabric.watchdogs().iter().map(|w| (w.port.to_string(), w.priority, w.action)).collect();
    let port = || "s:3".to_string();
    assert_eq!(log, [(port(), 3, Some(WatchdogDoes::Drop)), (port(), 3, None)]);
    // The detection time counts from the first paused packet, the restoration time from the last pause frame.
    let [fired, restored] = fabric.watchdogs() else { panic!("two records") };
    let first = Time::from_us(1) + wire(1058);
    assert_eq!(fired.at, first + Time::from_ms(200));
    assert!(restored.at > Time::from_ms(599) && restored.at <= Time::from_ms(601), "{}", restored.at);
    assert!(fabric.flows()[0].finish.expect("it finishes") > restored.at);
    let drops: Vec<_> = fabric.lossless_drops().map(|d| (d.reason.as_str(), d.profile.as_str())).collect();
    assert_eq!(drops, [("Watchdog", "lossless")]);
}

#[test]
fn a_stopped_pipeline_pauses_permanently_and_drops_packets_once_it_is_muted() {
    let mut scenario = network("8MB");
    scenario.faults = vec![fault(FaultKind::StoppedPipeline, Time::from_ms(300))];
    scenario.host.retransmit_timeout = Some(Time::from_ms(5));
    let paused = run(&scenario);
    assert!(paused.flows()[0].finish.expect("it finishes") > Time::from_ms(300));
    assert_eq!((paused.counters().lost_by_nics, paused.watchdogs().len()), (0, 0));
    // The pause is refreshed at half of its duration and never expires.
    assert!(pauses_of(&paused, "s:3") > 1_000);
    scenario.host.watchdog = Some(Time::from_ms(100));
    let mute = run(&scenario);
    assert_eq!(mute.watchdogs().iter().map(|w| w.at).collect::<Vec<_>>(), [Time::from_ms(100)]);
    assert!(mute.counters().lost_by_nics > 0);
    assert!(mute.pauses().iter().all(|p| !p.on || p.at < Time::from_ms(101)));
}

/// RAS-1: a flow from the same sender to another host stands still until a watchdog fires: the NIC's after 100 ms, or the
/// switch's after 200 ms. Each alone suffices, and with both the faster one decides.
#[test]
fn each_watchdog_alone_ends_a_storm() {
    let finish = |nic: bool, switch: bool| {
        let mut scenario = network("8MB");
        scenario.stop = Time::from_ms(600);
        scenario.faults = vec![fault(FaultKind::StoppedPipeline, Time::from_ms(600))];
        scenario.host.retransmit_timeout = Some(Time::from_ms(5));
        scenario.host.watchdog = nic.then_some(Time::from_ms(100));
        scenario.switch.watchdog = switch.then(switch_watchdog);
        let (dst, label) = ("h2".to_string(), "neighbour".to_string());
        let start = Time::from_ms(5);
        scenario.flows.push(scenario::FlowSpec { dst, label, start, ..scenario.flows[0].clone() });
        run(&scenario).flows()[1].finish
    };
    let within = |finish: Option<Time>, from_ms: u64, to_ms: u64| {
        let at = finish.expect("it finishes");
        assert!(at > Time::from_ms(from_ms) && at < Time::from_ms(to_ms), "{at}");
    };
    assert_eq!(finish(false, false), None, "the storm lasts to the end");
    within(finish(true, false), 100, 110);
    within(finish(false, true), 200, 220);
    within(finish(true, true), 100, 110);
}

/// A node reads 128 KiB over each of 6,144 connections, with at most this many requests outstanding if there is a limit, and
/// then in fragments of 64 KiB. Returns its CNPs, the pauses, and when the last read is complete.
fn reads_of_one_node(outstanding: Option<usize>) -> (u64, usize, Time) {
    const PEERS: usize = 16;
    const CONNECTIONS: usize = 6_144;
    let link = |n: usize| format!("[[link]]\na = \"h{n}:1\"\nb = \"s:{}\"\nrate = \"100Gbps\"\n", n + 1);
    let links: String = (0..=PEERS).map(link).collect();
    let hosts: Vec<String> = (0..=PEERS).map(|n| format!("\"h{n}\"")).collect();
    let text = format!(
        r#"
        name = "reads"
        stop = "500ms"
        [topology]
        switches = ["s"]
        hosts = [{}]
        {links}
        [switch]
        lossless = [3]
        [host]
        payload = 4096
        [[flow]]
        from = "h0"
        to = "h1"
        size = "128KiB"
        operation = "read"
        "#,
        hosts.join(", ")
    );
    let mut scenario = scenario::parse("reads.toml", &text).unwrap_or_else(|problems| panic!("{problems}"));
    scenario.host.dcqcn = Some(DcqcnConfig::default());
    let mut first = scenario.flows.remove(0);
    if outstanding.is_some() {
        first.messages = Messages { bytes: Some(64 << 10), outstanding: Some(1), ..first.messages };
    }
    let connection = |n: usize| scenario::FlowSpec {
        dst: format!("h{}", n % PEERS + 1),
        label: format!("connection {n}"),
        sport: first.sport + n as u16,
        // A request is posted when an earlier one is complete.
        after: outstanding.and_then(|limit| n.checked_sub(limit)).into_iter().collect(),
        ..first.clone()
    };
    scenario.flows = (0..CONNECTIONS).map(connection).collect();
    let fabric = run(&scenario);
    let finish = fabric.flows().iter().map(|flow| flow.finish.expect("every read is complete")).max();
    let pauses = fabric.pauses().iter().filter(|pause| pause.on).count();
    (fabric.counters().notifications, pauses, finish.expect("there are flows"))
}

/// XR-4: X-RDMA's flow control (Ma et al., CLUSTER 2019, sections V-C and VII-C). Published: 1 to 2 % of the CNPs, nearly no
/// pauses, and 24 % more bandwidth. Here the link is full in both cases, so the time stays the same.
#[test]
fn fragments_and_few_outstanding_requests_avoid_the_cnps_and_pauses_of_a_large_incast() {
    let (all_at_once, limited) = (reads_of_one_node(None), reads_of_one_node(Some(4)));
    println!("CNPs, pauses, end: {all_at_once:?} at once, {limited:?} limited");
    assert!(all_at_once.0 > 100 && all_at_once.1 > 100, "an incast: {all_at_once:?}");
    assert!(limited.0 * 50 <= all_at_once.0, "CNPs: {limited:?} against {all_at_once:?}");
    assert_eq!(limited.1, 0, "pauses: {limited:?} against {all_at_once:?}");
    let percent = all_at_once.2.0 / 100;
    assert!(limited.2.0 <= all_at_once.2.0 + percent, "end: {limited:?} against {all_at_once:?}");
}

/// Two senders into one port with marking; the notifications a second and the throughput in Gb/s.
fn mixed(senders: fn(&mut scenario::HostSettings), receiver: fn(&mut scenario::HostSettings)) -> (f64, f64) {
    let mut scenario = network("1GB");
    scenario.stop = Time::from_ms(20);
    scenario.host.dcqcn = Some(DcqcnConfig::default());
    let second =
        scenario::FlowSpec { label: "other".to_string(), src: "h2".to_string(), ..scenario.flows[0].clone() };
    scenario.flows.push(second);
    let mut host = scenario.host.clone();
    senders(&mut scenario.host);
    receiver(&mut host);
    scenario.hosts.insert("h3".to_string(), host);
    let fabric = run(&scenario);
    let bytes: u64 = fabric.flows().iter().map(|flow| flow.acknowledged_bytes).sum();
    (fabric.counters().notifications as f64 / 0.02, bytes as f64 * 8.0 / 0.02 / 1e9)
}

#[test]
fn a_new_receiver_floods_an_old_sender_unless_it_coalesces_cnps() {
    let gen1 = |host: &mut scenario::HostSettings| Generation::Gen1.apply(host);
    let (old, old_gbps) = mixed(gen1, gen1);
    let (flood, flood_gbps) = mixed(gen1, |host| Generation::Gen2.apply(host));
    let (coalesced, coalesced_gbps) = mixed(gen1, |host| Generation::Gen2.interoperable(host));
    println!("notifications/s {old} {flood} {coalesced}; Gb/s {old_gbps} {flood_gbps} {coalesced_gbps}");
    // One a flow in 50 us at most.
    assert!(old <= 2.0 * 20_000.0 + 100.0 && coalesced <= 2.0 * 20_000.0 + 100.0);
    assert_eq!((old, old_gbps), (coalesced, coalesced_gbps));
    assert!(flood_gbps < 0.8 * old_gbps, "{flood_gbps} against {old_gbps} Gb/s");
    let new = mixed(|host| Generation::Gen3.apply(host), |host| Generation::Gen3.apply(host));
    assert!(new.1 > 0.9 * old_gbps, "{} Gb/s", new.1);
}

#[test]
fn every_setting_has_a_key() {
    let text = r#"
        name = "keys"
        stop = "1ms"
        [topology]
        switches = ["s"]
        hosts = ["h1", "h2"]
        [[link]]
        a = "h1:1"
        b = "s:1"
        rate = "40Gbps"
        [[link]]
        a = "h2:1"
        b = "s:2"
        rate = "40Gbps"
        [switch]
        lossless = [3]
        cell = "208B"
        shared_headroom = "6MB"
        pfc_reaction = "standard"
        watchdog = { detection = "100ms", restoration = "never", action = "forward" }
        [host]
        generation = "gen1"
        reliability = "selective-repeat"
        receive_buffer = "1MiB"
        receive_xoff = "300kB"
        receive_xon = "200kB"
        pfc_reaction = "1us"
        watchdog = "100ms"
        [host.dcqcn]
        byte_counter = "10MB"
        [hosts.h2]
        generation = "gen3"
        interoperable = true
        burst = "0B"
        cnp_interval = "10us"
        dcqcn = { cut = "immediate", decrease_interval = "0us" }
        [[flow]]
        from = "h1"
        to = "h2"
        size = "1MB"
        operation = "read"
        message = "64KiB"
        outstanding = 4
        message_interval = "3us"
        window = "100kB"
        [[fault]]
        kind = "mtt_misses"
        host = "h2"
        duration = "1ms"
        page = "4KiB"
        region = "32MiB"
        [[fault]]
        kind = "host_bus"
        host = "h2"
        duration = "1ms"
        rate = "64Gbps"
        loopback = "40Gbps"
        [[fault]]
        kind = "stopped_pipeline"
        host = "h1"
        duration = "1ms"
    "#;
    let read = scenario::parse("keys.toml", text).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!((read.switch.cell_bytes, read.switch.shared_headroom_bytes), (208, Some(6_000_000)));
    assert_eq!(read.switch.pfc_reaction, Reaction::Standard);
    let watchdog = read.switch.watchdog.expect("there is one");
    assert_eq!(
        (watchdog.detection, watchdog.restoration, watchdog.priorities),
        (Time::from_ms(100), None, 1 << 3)
    );
    let host = &read.host;
    assert_eq!((host.reliability, host.watchdog), (Reliability::SelectiveRepeat, Some(Time::from_ms(100))));
    assert_eq!((host.receive.xoff_bytes, host.pfc_reaction), (300_000, Reaction::After(Time::from_us(1))));
    let dcqcn = host.dcqcn.expect("it is on");
    assert_eq!((dcqcn.cut, dcqcn.byte_counter, host.burst_bytes > 0), (Cut::Immediate, 10_000_000, true));
    let other = &read.hosts["h2"];
    assert_eq!((other.burst_bytes, other.dcqcn.map(|d| d.cut)), (0, Some(Cut::Immediate)));
    assert_eq!(other.notification, scenario::Notification::Packets { interval: Time::from_us(10) });
    let messages = read.flows[0].messages;
    assert_eq!((messages.operation, messages.outstanding), (Operation::Read, Some(4)));
    assert_eq!((messages.bytes, messages.window_bytes), (Some(65_536), Some(100_000)));
    assert!(matches!(read.faults[1].kind, FaultKind::HostBus(bus) if bus.loopback == Rate::from_gbps(40)));
    assert_eq!(read.faults[2].kind, FaultKind::StoppedPipeline);
    for (from, to, problem) in [
        ("\"gen1\"", "\"gen4\"", "`generation` must be one of \"gen1\", \"gen2\", \"gen3\""),
        ("\"read\"", "\"fetch\"", "`operation` must be one of \"write\", \"send\", \"read\""),
        ("\"200kB\"", "\"400kB\"", "`receive_xon` is above `receive_xoff`"),
        ("\"forward\"", "\"ignore\"", "`action` must be one of \"drop\", \"forward\", \"alert\""),
        ("cut = \"immediate\"", "cut = \"polled\"", "`decrease_interval` of 0 needs `cut = \"immediate\"`"),
        (
            "cell = \"208B\"",
            "sonic = \"tor.json\"",
            "cannot read `tor.json`: other files cannot be read here",
        ),
    ] {
        let wrong = scenario::parse("keys.toml", &text.replace(from, to)).expect_err(problem).to_string();
        assert!(wrong.contains(problem), "{wrong}");
    }
    // A configuration is loaded by name, and its problems are reported at their positions.
    let with = text.replace("cell = \"208B\"", "sonic = \"tor.json\"");
    let load = |json: &'static str| {
        scenario::parse_with("keys.toml", &with, |name| Ok((format!("dir/{name}"), json.to_string())))
    };
    let unfit = load(
        "{\"BUFFER_POOL\": {\"ingress_pool\": {\"type\": \"ingress\", \"mode\": \"dynamic\", \"size\": \"1000\"}}}",
    );
    let report = unfit.expect_err("no ports, no egress pool, and two conflicting keys").to_string();
    for problem in
        ["there is no egress pool", "has 0 ports", "`shared_headroom` has no effect", "`watchdog` has no"]
    {
        assert!(report.contains(problem), "{report}");
    }
    let bad = load("{\"BUFFER_POOL\": \n[}").expect_err("no JSON").to_string();
    assert!(bad.contains("dir/tor.json:2:"), "{bad}");
}

#[test]
fn a_window_below_the_interval_of_acks_does_not_wait_for_the_retransmission_timer() {
    // Each limit lets fewer packets out than the receiver acknowledges together.
    let check = |change: fn(&mut Messages)| {
        let mut scenario = network("40kB");
        scenario.host.ack_every = 8;
        change(&mut scenario.flows[0].messages);
        let fabric = run(&scenario);
        let flow = &fabric.flows()[0];
        assert_eq!(flow.sent_packets, 40, "nothing is sent twice");
        // A round trip for each packet at most: four links, and the packet and its ACK on two of them each.
        let round_trip = Time::from_us(4) + wire(1058) + wire(1058) + wire(84) + wire(84);
        assert!(flow.duration().is_some_and(|duration| duration.0 <= 41 * round_trip.0), "{flow:?}");
    };
    check(|messages| messages.window_bytes = Some(1_000));
    check(|messages| messages.window_bytes = Some(3_500));
    check(|messages| (messages.bytes, messages.outstanding) = (Some(1_000), Some(1)));
}
