//! Hosts, links and switches together, on small networks with plain switches.

use crate::common::{check_conservation, plain_fabric};
use fabric::{FlowRecord, PauseRecord};
use model::{Rate, Time};
use proptest::prelude::*;
use scenario::Scenario;

/// Two senders and a receiver at one switch, 100 Gb/s and 1 us everywhere.
fn network(rest: &str) -> Scenario {
    let text = format!(
        r#"
        name = "test"
        stop = "20ms"
        [topology]
        switches = ["s"]
        hosts = ["h1", "h2", "h3"]
        [[link]]
        a = "h1:1"
        b = "s:1"
        rate = "100Gbps"
        [[link]]
        a = "h2:1"
        b = "s:2"
        rate = "100Gbps"
        [[link]]
        a = "h3:1"
        b = "s:3"
        rate = "100Gbps"
        {rest}"#
    );
    scenario::parse("test.toml", &text).unwrap_or_else(|problems| panic!("{problems}"))
}

/// Runs to the end and checks conservation.
fn run(scenario: &Scenario) -> (Vec<FlowRecord>, Vec<PauseRecord>, fabric::Counters) {
    let mut fabric = plain_fabric(scenario, 7);
    fabric.run_until(scenario.stop);
    check_conservation(&fabric);
    (fabric.flows(), fabric.pauses().to_vec(), fabric.counters().clone())
}

const ONE_FLOW: &str = r#"
    [host]
    payload = 1000
    headers = 58
    congestion_control = false
    [[flow]]
    from = "h1"
    to = "h3"
    size = "1MB"
"#;

#[test]
fn the_duration_of_a_lone_flow_is_exact_to_the_picosecond() {
    let (flows, pauses, counters) = run(&network(ONE_FLOW));
    let wire = |bytes| Rate::from_gbps(100).serialisation(bytes);
    // 1000 packets leave back to back; the last one and its ACK cross two links each.
    let data = Time(1000 * wire(1058).0) + wire(1058) + Time::from_us(2);
    let ack = wire(60) + wire(60) + Time::from_us(2);
    assert_eq!(flows[0].duration(), Some(data + ack));
    assert_eq!(flows[0].rtt.min, wire(1058) + wire(1058) + Time::from_us(2) + ack);
    assert_eq!(flows[0].rtt.min, flows[0].rtt.max);
    assert_eq!(pauses, []);
    assert_eq!(counters.packet_hops, 4000);
}

#[test]
fn an_incast_causes_pauses_and_no_drops() {
    let scenario = network(
        r#"
        [switch]
        lossless = [3]
        threshold = "16KiB"
        [host]
        congestion_control = false
        [[flow]]
        from = "h1"
        to = "h3"
        size = "2MB"
        [[flow]]
        from = "h2"
        to = "h3"
        size = "2MB"
    "#,
    );
    let (flows, pauses, counters) = run(&scenario);
    assert!(flows.iter().all(|flow| flow.finish.is_some() && flow.retransmitted_packets == 0));
    assert!(pauses.iter().filter(|pause| pause.on).count() > 10);
    assert_eq!(counters.dropped_packets, 0);
}

#[test]
fn a_lossy_incast_drops_and_retransmits_packets() {
    let scenario = network(
        r#"
        [switch]
        lossless = []
        threshold = "16KiB"
        mark_congestion = false
        [host]
        congestion_control = false
        window = "100kB"
        retransmit_timeout = "100us"
        [[flow]]
        from = "h1"
        to = "h3"
        size = "2MB"
        [[flow]]
        from = "h2"
        to = "h3"
        size = "2MB"
    "#,
    );
    let (flows, pauses, counters) = run(&scenario);
    assert!(flows.iter().all(|flow| flow.finish.is_some()), "{flows:?}");
    assert!(counters.dropped_packets > 0);
    assert!(flows.iter().any(|flow| flow.retransmitted_packets > 0));
    assert_eq!(pauses, []);
}

#[test]
fn congestion_control_shares_the_link_and_avoids_pauses() {
    let scenario = network(
        r#"
        [switch]
        lossless = [3]
        [[switch.ecn]]
        rate = "100Gbps"
        kmin = "40kB"
        kmax = "160kB"
        pmax = 0.2
        [[flow]]
        from = "h1"
        to = "h3"
        size = "50MB"
        [[flow]]
        from = "h2"
        to = "h3"
        size = "50MB"
    "#,
    );
    let (flows, pauses, counters) = run(&scenario);
    assert!(flows.iter().all(|flow| flow.finish.is_some()));
    assert!(counters.notifications > 0 && counters.marked_packets > counters.notifications);
    assert_eq!(pauses, []);
    let finish: Vec<f64> = flows.iter().map(|flow| flow.duration().unwrap().as_secs_f64()).collect();
    assert!((finish[0] / finish[1] - 1.0).abs() < 0.3, "{finish:?}");
}

#[test]
fn a_storm_pauses_a_flow_until_it_ends() {
    let scenario = network(&format!(
        r#"{ONE_FLOW}
        start = "1ms"
        [[fault]]
        kind = "storm"
        host = "h3"
        start = "0ms"
        duration = "3ms"
        [switch]
        lossless = [3]
    "#
    ));
    let (flows, pauses, _) = run(&scenario);
    assert!(flows[0].finish.unwrap() > Time::from_ms(3));
    assert!(flows[0].finish.unwrap() < Time::from_us(3_200));
    // The storm pauses the switch port, and its end resumes it.
    let ports: Vec<String> = pauses.iter().filter(|p| p.on).map(|p| p.port.to_string()).collect();
    assert!(ports.contains(&"s:3".to_string()));
    assert!(pauses.iter().any(|p| !p.on && p.port.to_string() == "s:3"));
}

#[test]
fn a_slow_receiver_limits_the_rate_of_a_flow() {
    let scenario = network(&format!(
        r#"{ONE_FLOW}
        [[fault]]
        kind = "slow_receiver"
        host = "h3"
        rate = "10Gbps"
        duration = "20ms"
    "#
    ));
    let (flows, pauses, _) = run(&scenario);
    let rate = 1_058_000.0 * 8.0 / flows[0].duration().unwrap().as_secs_f64();
    assert!((rate / 10e9 - 1.0).abs() < 0.05, "{rate}");
    assert!(pauses.iter().any(|p| p.on && p.port.to_string() == "s:3"));
}

#[test]
fn lost_frames_are_retransmitted() {
    let scenario = network(ONE_FLOW);
    let scenario = Scenario { loss_ppt: [(0, 10_000_000_000), (2, 10_000_000_000)].into(), ..scenario };
    let (flows, _, _) = run(&scenario);
    assert!(flows[0].finish.is_none() || flows[0].acknowledged_bytes == 1_000_000);
    assert!(flows[0].retransmitted_packets > 0);
}

#[test]
fn the_scenarios_on_the_posters_network_pause_the_expected_ports() {
    for name in ["poster-fig1", "host-storm", "contention-only"] {
        let scenario = scenario::builtin(name).unwrap();
        for seed in 1..4 {
            let mut fabric = plain_fabric(&scenario, seed);
            fabric.run_until(scenario.stop);
            check_conservation(&fabric);
            assert_eq!(fabric.counters().dropped_packets, 0, "{name}");
            let expect = scenario.expect.as_ref().unwrap();
            let paused = |port: &str| fabric.pauses().iter().any(|p| p.on && p.port.to_string() == port);
            if expect.pauses == Some(false) {
                assert_eq!(fabric.pauses(), [], "{name}, seed {seed}");
            } else {
                assert!(paused("sw2:3") && paused("sw1:1"), "{name}, seed {seed}");
                assert_eq!(paused("sw4:1"), name == "host-storm", "{name}, seed {seed}");
            }
            let victim = &fabric.flows()[0];
            assert!(victim.rtt.max.0 > victim.rtt.min.0 * 3 / 2, "{name}, seed {seed}: {:?}", victim.rtt);
            assert!(victim.finish.is_some(), "{name}, seed {seed}: the victim does not finish");
        }
    }
}

#[test]
fn equal_seeds_give_equal_runs() {
    let scenario = scenario::builtin("poster-fig1").unwrap();
    let outcome = |seed| {
        let mut fabric = plain_fabric(&scenario, seed);
        fabric.run_until(Time::from_us(2500));
        (fabric.flows(), fabric.pauses().to_vec(), fabric.counters().clone())
    };
    assert_eq!(outcome(3), outcome(3));
    assert_ne!(outcome(3).1, outcome(4).1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// For all flows, priorities and thresholds: conservation holds, every flow completes, and a lossless network drops
    /// no packets.
    #[test]
    fn every_flow_completes_and_a_lossless_network_drops_no_packets(
        flows in prop::collection::vec((0..3usize, 1..3usize, 1..200_000u64, 0..50u64, 0..8u8), 1..12),
        threshold in 4_000..60_000u64,
        lossless: bool,
        control: bool,
    ) {
        let rows: String = flows
            .iter()
            .enumerate()
            .map(|(n, (src, step, size, start, priority))| {
                format!(
                    "[[flow]]\nlabel=\"f{n}\"\nfrom=\"h{}\"\nto=\"h{}\"\nsize=\"{size}\"\nstart=\"{start}us\"\npriority={priority}\n",
                    src + 1,
                    (src + step) % 3 + 1,
                )
            })
            .collect();
        let lossless_list = if lossless { "[0,1,2,3,4,5,6,7]" } else { "[]" };
        let scenario = network(&format!(
            "[switch]\nlossless={lossless_list}\nthreshold=\"{threshold}\"\nheadroom=\"100kB\"\n\
             [host]\ncongestion_control={control}\nwindow=\"60kB\"\nretransmit_timeout=\"200us\"\n{rows}"
        ));
        let (records, _, counters) = run(&scenario);
        for record in &records {
            prop_assert!(record.finish.is_some(), "{record:?}");
            prop_assert_eq!(record.acknowledged_bytes, record.bytes);
        }
        if lossless {
            prop_assert_eq!(counters.dropped_packets, 0);
        }
    }
}
