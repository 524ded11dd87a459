//! The driver for real switches, against the P4Runtime server of this repository on loopback: from a polling packet to
//! a snapshot.
#![cfg(feature = "live")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::real::{data, poll};
use harrier_controller::collect::CollectSettings;
use harrier_controller::discovery::{announcement, withdrawal};
use harrier_controller::live::{AgentTrigger, Collected, Controller, LiveConfig, LiveError, SwitchEndpoint};
use harrier_controller::plan::PlanSettings;
use harrier_controller::program;
use model::topology::{Link, Node, NodeKind};
use model::wire::Frame;
use model::wire::lldp::Lldp;
use model::wire::polling::{Follow, Polling};
use model::{
    FlowKey, LossReason, LossRecord, MissingData, NetworkChange, NetworkEvent, PortRef, Rate, Time, Topology,
    Trigger, TriggerReason,
};
use p4_switch::tm::TmConfig;
use p4_switch::{Switch, SwitchConfig};
use p4runtime::device_config::{SourceBundle, compile};
use p4runtime::server::{ImmediateSwitch, Server, ServerConfig, ServerHandle, SwitchAccess, event_channel};

/// h1 - s1 - h2.
fn topology() -> Arc<Topology> {
    let node = |name: &str, last: Option<u8>| Node {
        name: name.into(),
        kind: if last.is_some() { NodeKind::Host } else { NodeKind::Switch },
        addresses: last.map(|n| [10, 0, 0, n].into()).into_iter().collect(),
    };
    let link = |a: &str, b: &str| Link {
        a: a.parse().unwrap(),
        b: b.parse().unwrap(),
        rate: Rate::from_gbps(100),
        delay: Time::from_us(1),
    };
    Arc::new(Topology {
        nodes: vec![node("h1", Some(1)), node("h2", Some(2)), node("s1", None)],
        links: vec![link("h1:1", "s1:1"), link("h2:1", "s1:2")],
    })
}

fn bundle() -> SourceBundle {
    let files = program::SOURCES.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect();
    SourceBundle { main: program::MAIN.into(), files }
}

/// A switch with its server; its time advances only when the test sets it.
async fn switch(clock: &Arc<AtomicU64>) -> (Arc<ImmediateSwitch>, ServerHandle) {
    switch_with(clock, |_, _| {}).await
}

/// The same, with a function for the frames that it sends.
async fn switch_with(
    clock: &Arc<AtomicU64>,
    sent: impl Fn(u16, Frame) + Send + Sync + 'static,
) -> (Arc<ImmediateSwitch>, ServerHandle) {
    let config = SwitchConfig::new(TmConfig::lossy((1..=3).map(|p| (p, Rate::from_gbps(100))), 1 << 24));
    let (sink, source) = event_channel(1_024);
    let clock = clock.clone();
    let now = move || Time::from_ns(clock.load(Ordering::Relaxed));
    let switch = Arc::new(ImmediateSwitch::new(Switch::new(config.clone()), now, sink, sent));
    let server = Server::new(switch.clone(), ServerConfig::new(1, config), source);
    (switch, server.spawn("127.0.0.1:0".parse().unwrap()).await.unwrap())
}

fn config(endpoint: String) -> LiveConfig {
    let program = compile(&bundle()).unwrap_or_else(|e| panic!("{e}"));
    LiveConfig {
        topology: topology(),
        switches: vec![SwitchEndpoint { name: "s1".into(), endpoint, device_id: 1, certificate_name: None }],
        plan: PlanSettings::default(),
        // Long enough for a busy machine.
        collect: CollectSettings {
            read_timeout_ns: 60_000_000_000,
            event_timeout_ns: 120_000_000_000,
            ..CollectSettings::default()
        },
        p4info: p4runtime::p4info::from_program(&program),
        device_config: bundle().encode(),
        retry: |_, _| Duration::from_millis(20),
        tls: None,
        seed: 1,
        time_scale: 1,
        lldp_interval: None,
        learns: false,
        records_interval: None,
        wall_clock: || 1 << 60,
    }
}

async fn up(controller: &Controller) {
    let mut status = controller.status();
    status.wait_for(|s| s.switches.values().all(Result::is_ok) && s.collect.ignored == 0).await.unwrap();
}

/// Waits until the switch is released: a snapshot is emitted while the release is pending.
async fn released(switch: &ImmediateSwitch) {
    let number = |register: &str| {
        switch.with(|switch, _| {
            let value = switch.control().register_read(register, 0).unwrap().remove(0);
            value.to_be_bytes()[..2].to_vec()
        })
    };
    while number("freeze_state") != number("released") {
        tokio::task::yield_now().await;
    }
}

fn victim() -> FlowKey {
    FlowKey::udp([10, 0, 0, 1].into(), 1_000, [10, 0, 0, 2].into(), 4791)
}

fn request(event: u32) -> Polling {
    Polling { follow: Follow::VictimPath, hop_limit: 8, priority: 3, event, flow: victim() }
}

#[tokio::test]
async fn a_polling_packet_becomes_a_snapshot_over_grpc() {
    let clock = Arc::new(AtomicU64::new(20_000_000));
    let (switch, server) = switch(&clock).await;
    let mut controller = Controller::start(config(server.endpoint())).unwrap();
    up(&controller).await;
    for event in 1..=3 {
        for psn in 0..4 {
            switch.receive(1, data(&victim(), psn, 1_000));
        }
        clock.fetch_add(1_000, Ordering::Relaxed);
        switch.receive(1, poll(&request(event)));
        let snapshot = controller.snapshot().await.unwrap().snapshot;
        assert_eq!((snapshot.event, snapshot.victim), (event, Some(victim())));
        assert_eq!(snapshot.missing, Vec::<MissingData>::new());
        // All packets belong to one epoch; every read of it is a record.
        let packets: Vec<u64> = snapshot.switches[0].flows.iter().map(|flow| flow.packets).collect();
        assert_eq!(packets, vec![4; event as usize]);
        released(&switch).await;
    }

    // A restarted controller takes over the switch and keeps its state.
    drop(controller);
    let mut controller = Controller::start(config(server.endpoint())).unwrap();
    up(&controller).await;
    clock.fetch_add(100_000_000, Ordering::Relaxed);
    switch.receive(1, data(&victim(), 9, 1_000));
    switch.receive(1, poll(&request(4)));
    let snapshot = controller.snapshot().await.unwrap().snapshot;
    assert_eq!(snapshot.missing, Vec::<MissingData>::new());
    assert_eq!(snapshot.switches[0].flows[0].packets, 1);
}

#[tokio::test]
async fn a_lost_polling_packet_is_retried_by_packet_out() {
    let clock = Arc::new(AtomicU64::new(20_000_000));
    let (switch, server) = switch(&clock).await;
    let mut controller = Controller::start(config(server.endpoint())).unwrap();
    up(&controller).await;
    switch.receive(1, data(&victim(), 0, 1_000));
    let trigger = Trigger {
        host: "h1".into(),
        flow: victim(),
        time_ns: 20_000_000,
        reason: TriggerReason::SlowRtt,
        base_rtt_ns: 9_000,
        rtt_ns: 17_000,
        expected_ns: None,
        follows: None,
    };
    controller.trigger(AgentTrigger { event: 5, priority: 3, trigger: trigger.clone() }).await.unwrap();
    let snapshot = controller.snapshot().await.unwrap().snapshot;
    assert_eq!((snapshot.event, snapshot.trigger), (5, Some(trigger)));
    assert_eq!(snapshot.missing, Vec::<MissingData>::new());
    assert_eq!(snapshot.switches[0].polled_from, [1]);
    assert_eq!(snapshot.switches[0].flows[0].packets, 1);
    released(&switch).await;
}

/// Returns the LLDP frame of a port.
fn lldp(port: &str) -> Frame {
    announcement(&port.parse().unwrap()).to_frame([2, 0, 0, 0, 0, 1])
}

#[tokio::test]
async fn cables_are_discovered_by_lldp_and_compared_with_the_plan() {
    let clock = Arc::new(AtomicU64::new(20_000_000));
    let (frames, mut sent) = tokio::sync::mpsc::unbounded_channel();
    let (switch, server) = switch_with(&clock, move |port, frame| drop(frames.send((port, frame)))).await;
    let interval = Duration::from_secs(3_600);
    let config = LiveConfig { lldp_interval: Some(interval), ..config(server.endpoint()) };
    let controller = Controller::start(config).unwrap();
    // Each port announces itself at once, in the names of the plan.
    for expected in [1, 2] {
        let (port, frame) = sent.recv().await.unwrap();
        let mut bytes = frame.head.to_vec();
        bytes.resize(frame.len() as usize, 0);
        let found = Lldp::from_bytes(&bytes).unwrap();
        let announced = announcement(&PortRef::new("s1", expected));
        assert_eq!((port, found), (expected, Lldp { ttl_s: 14_401, ..announced }));
    }
    let mut discovered = controller.discovered();
    switch.receive(1, lldp("h1:1"));
    switch.receive(2, lldp("s7:9"));
    let found = discovered.wait_for(|found| found.neighbours.len() == 2).await.unwrap().clone();
    let findings: Vec<String> = found.findings.iter().map(ToString::to_string).collect();
    assert_eq!(findings, ["s1:2 is cabled to s7:9; the plan says h2:1"]);
    // No frame is forwarded; a new neighbour gets an announcement at once.
    for _ in 0..2 {
        let (port, frame) = sent.recv().await.unwrap();
        assert!((1..=2).contains(&port));
        assert_eq!(frame.head[6..9], [2, frame.head[7], frame.head[8]]);
        assert_ne!(frame.head[6..12], [2, 0, 0, 0, 0, 1], "a received frame is not sent again");
    }
    // Telemetry goes on.
    switch.receive(1, data(&victim(), 0, 1_000));
    assert_eq!(sent.recv().await.unwrap().0, 2);
}

/// h1 - s1 = s2 - h2: two links between the switches.
fn twin_topology() -> Arc<Topology> {
    let mut topology = Topology::clone(&topology());
    topology.nodes.push(Node { name: "s2".into(), kind: NodeKind::Switch, addresses: Vec::new() });
    let link = topology.links.remove(1);
    for (a, b) in [("s1:2", "s2:2"), ("s1:3", "s2:3"), ("s2:1", "h2:1")] {
        topology.links.push(Link { a: a.parse().unwrap(), b: b.parse().unwrap(), ..link.clone() });
    }
    Arc::new(topology)
}

#[tokio::test]
async fn routes_avoid_a_failed_link_until_it_is_back() {
    let clock = Arc::new(AtomicU64::new(20_000_000));
    let (frames, mut sent) = tokio::sync::mpsc::unbounded_channel();
    let (switch, server) = switch_with(&clock, move |port, frame| drop(frames.send((port, frame)))).await;
    let lldp_interval = Some(Duration::from_secs(3_600));
    let config = LiveConfig { topology: twin_topology(), lldp_interval, ..config(server.endpoint()) };
    let controller = Controller::start(config).unwrap();
    up(&controller).await;
    let mut discovered = controller.discovered();
    let mut used = || {
        for source in 0..32 {
            switch.receive(1, data(&FlowKey { sport: 1_000 + source, ..victim() }, 0, 1_000));
        }
        let is_data = |frame: &Frame| frame.head[12..14] == [0x08, 0x00];
        let ports = std::iter::from_fn(|| sent.try_recv().ok()).filter(|(_, frame)| is_data(frame));
        ports.map(|(port, _)| port).collect::<BTreeSet<u16>>()
    };
    assert_eq!(used(), BTreeSet::from([2, 3]));
    for port in [2, 3] {
        switch.receive(port, lldp(&format!("s2:{port}")));
    }
    discovered.wait_for(|found| found.neighbours.len() == 2).await.unwrap();

    let gone = withdrawal(&"s2:3".parse().unwrap()).to_frame([2, 0, 0, 0, 0, 1]);
    switch.receive(3, gone);
    discovered.wait_for(|found| found.failed == ["s1:3".parse().unwrap()]).await.unwrap();
    // The session writes the change after it is published. Without a pause the packets would keep the lock of the switch from
    // the thread that writes.
    let pause = Duration::from_millis(1);
    while used() != BTreeSet::from([2]) {
        tokio::time::sleep(pause).await;
    }
    switch.receive(3, lldp("s2:3"));
    discovered.wait_for(|found| found.failed.is_empty()).await.unwrap();
    while used() != BTreeSet::from([2, 3]) {
        tokio::time::sleep(pause).await;
    }
}

#[tokio::test]
async fn a_new_plan_is_in_force_when_its_request_returns() {
    let clock = Arc::new(AtomicU64::new(20_000_000));
    let (frames, mut sent) = tokio::sync::mpsc::unbounded_channel();
    let (switch, server) = switch_with(&clock, move |port, frame| drop(frames.send((port, frame)))).await;
    let config = LiveConfig { topology: twin_topology(), ..config(server.endpoint()) };
    let usual = config.plan.clone();
    let controller = Controller::start(config).unwrap();
    up(&controller).await;
    let mut used = || {
        for source in 0..32 {
            switch.receive(1, data(&FlowKey { sport: 1_000 + source, ..victim() }, 0, 1_000));
        }
        std::iter::from_fn(|| sent.try_recv().ok()).map(|(port, _)| port).collect::<BTreeSet<u16>>()
    };
    assert_eq!(used(), BTreeSet::from([2, 3]));
    let planner = controller.planner();
    let detour = PlanSettings { unused_links: vec!["s1:3".parse().unwrap()], ..usual.clone() };
    for _ in 0..3 {
        planner.replan(detour.clone()).await.unwrap();
        assert_eq!(used(), BTreeSet::from([2]));
        planner.replan(usual.clone()).await.unwrap();
        assert_eq!(used(), BTreeSet::from([2, 3]));
    }
}

#[tokio::test]
async fn a_new_plan_of_an_unreachable_switch_is_an_error() {
    // Nothing listens on the discard port of a host that runs tests.
    let config = LiveConfig { topology: twin_topology(), ..config("http://127.0.0.1:9".to_string()) };
    let detour = PlanSettings { unused_links: vec!["s1:3".parse().unwrap()], ..config.plan.clone() };
    let controller = Controller::start(config).unwrap();
    let late = controller.planner().replan(detour).await;
    assert!(matches!(&late, Err(LiveError::NotWritten(switch)) if switch == "s1"), "{late:?}");
}

#[tokio::test]
async fn an_unreachable_switch_is_retried_and_is_not_an_error() {
    let clock = Arc::new(AtomicU64::new(20_000_000));
    // A free address without a server.
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let controller = Controller::start(config(format!("http://{address}"))).unwrap();
    let mut status = controller.status();
    let down = status.wait_for(|s| s.switches["s1"].as_ref().is_err_and(|e| e.contains("connect to"))).await;
    assert!(down.is_ok());
    drop(down);

    let (sink, source) = event_channel(16);
    let switch_config = SwitchConfig::new(TmConfig::lossy([(1, Rate::from_gbps(100))], 1 << 24));
    let now = move || Time::from_ns(clock.load(Ordering::Relaxed));
    let switch = Arc::new(ImmediateSwitch::new(Switch::new(switch_config.clone()), now, sink, |_, _| {}));
    let server = Server::new(switch, ServerConfig::new(1, switch_config), source);
    let _server = server.spawn(address).await.unwrap();
    up(&controller).await;
}

#[tokio::test]
async fn a_mismatch_of_program_and_topology_is_rejected_at_the_start() {
    let mut wrong = config("http://127.0.0.1:1".into());
    wrong.switches[0].name = "s9".into();
    assert!(matches!(Controller::start(wrong), Err(LiveError::UnknownSwitch(name)) if name == "s9"));
    let mut wrong = config("http://127.0.0.1:1".into());
    wrong.p4info.registers.clear();
    assert!(matches!(Controller::start(wrong), Err(LiveError::Layout(_))));
}

/// A switch reports what its program and its traffic manager have lost, which links have failed, and samples of its ports.
#[tokio::test]
async fn a_snapshot_has_the_losses_and_outages_of_its_switches() {
    let clock = Arc::new(AtomicU64::new(20_000_000));
    let (switch, server) = switch(&clock).await;
    let records_interval = Some(Duration::from_millis(5));
    let mut controller =
        Controller::start(LiveConfig { records_interval, ..config(server.endpoint()) }).unwrap();
    let mut samples = controller.take_samples();
    up(&controller).await;
    let lost = FlowKey { dst: [10, 0, 0, 9].into(), ..victim() };
    switch.receive(1, data(&lost, 0, 1_000));
    switch.with(|switch, now| switch.set_link(now, 3, false));
    switch.receive(1, data(&victim(), 0, 1_000));
    clock.fetch_add(1_000_000, Ordering::Relaxed);
    switch.receive(1, poll(&request(1)));
    let Collected { snapshot, clocks } = controller.snapshot().await.unwrap();
    assert_eq!(snapshot.missing, Vec::<MissingData>::new());
    let loss = LossRecord {
        switch: "s1".into(),
        ingress_port: Some(1),
        egress_port: None,
        priority: None,
        reason: LossReason::NoRoute,
        packets: 1,
        lost_ns: (20_000_000, 20_000_000),
    };
    assert_eq!(snapshot.losses, [loss]);
    let down = NetworkChange::LinkDown { port: 3 };
    assert_eq!(snapshot.events, [NetworkEvent { time_ns: 20_000_000, switch: "s1".into(), change: down }]);
    let known = clocks.estimate("s1").expect("it was read");
    assert!(known.maximum_error_ns.is_some_and(|error_ns| error_ns > 0), "{known:?}");
    assert!(controller.status().borrow().clock_errors_ns.contains_key("s1"));
    // Time passes between two reads only if the clock of the switch advances.
    let sampled = loop {
        clock.fetch_add(1_000, Ordering::Relaxed);
        let batch = samples.recv().await.unwrap();
        if let Some(sample) = batch.into_iter().find(|sample| sample.port.port == 2) {
            break sample;
        }
    };
    assert!(sampled.interval_ns > 0, "{sampled:?}");
}

/// A route that changes and a link that LLDP misses are changes of the network too.
#[tokio::test]
async fn changes_of_routes_and_links_that_the_controller_makes_or_notices_are_in_snapshots() {
    let clock = Arc::new(AtomicU64::new(20_000_000));
    let (switch, server) = switch(&clock).await;
    let config = LiveConfig {
        topology: twin_topology(),
        records_interval: Some(Duration::from_millis(5)),
        lldp_interval: Some(Duration::from_secs(3_600)),
        ..config(server.endpoint())
    };
    let mut controller = Controller::start(config).unwrap();
    let mut samples = controller.take_samples();
    up(&controller).await;
    for port in [2, 3] {
        switch.receive(port, lldp(&format!("s2:{port}")));
    }
    let mut discovered = controller.discovered();
    discovered.wait_for(|found| found.neighbours.len() == 2).await.unwrap();
    // Until the clock of the switch is known: the second read gives samples.
    clock.fetch_add(1_000, Ordering::Relaxed);
    samples.recv().await.unwrap();
    switch.with(|switch, now| switch.set_link(now, 3, false));
    // Long before the neighbour's announcement would expire.
    discovered.wait_for(|found| found.failed == ["s1:3".parse().unwrap()]).await.unwrap();
    switch.receive(1, poll(&request(1)));
    let snapshot = controller.snapshot().await.unwrap().snapshot;
    let route = NetworkChange::Route { prefix: "10.0.0.2/32".into(), before: vec![2, 3], after: vec![2] };
    let changes: Vec<&NetworkChange> = snapshot.events.iter().map(|event| &event.change).collect();
    assert!(changes.contains(&&NetworkChange::LinkDown { port: 3 }), "{changes:?}");
    assert!(changes.contains(&&route), "{changes:?}");
}
