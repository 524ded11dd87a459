//! Which round trips make an agent poll, and which do not.

use harrier_host_agent::{Agent, Iteration, Operation, Poll, Settings, SettingsError, base_rtt};
use model::topology::{Link, Node, NodeKind};
use model::wire::polling::Follow;
use model::{FlowKey, Rate, Time, Topology, TriggerReason};
use proptest::prelude::*;

const BASE_NS: u64 = 9_072;

fn flow(n: u16) -> FlowKey {
    FlowKey::udp([10, 0, 0, 1].into(), 10_000 + n, [10, 0, 0, 2].into(), 4791)
}

fn agent(settings: Settings) -> Agent {
    Agent::new("h2", 2, 0, settings).unwrap()
}

/// Feeds round trips, one every 10 us, and lists (time, reason) of the polls.
fn check(settings: Settings, base: Option<u64>, rtts: &[u64], expected: &[(u64, TriggerReason)]) {
    let mut agent = agent(settings);
    let id = agent.open(0, flow(0), 3, base);
    let mut polls = Vec::new();
    for (n, rtt) in rtts.iter().enumerate() {
        let now = 10_000 * (n as u64 + 1);
        polls.extend(agent.acknowledged(now, id, Some(*rtt), false));
    }
    let found: Vec<_> = polls.iter().map(|p| (p.trigger.time_ns, p.trigger.reason)).collect();
    assert_eq!(found, expected);
}

#[test]
fn the_posters_victim_is_polled_and_queueing_noise_is_not() {
    let slow = TriggerReason::SlowRtt;
    check(Settings::default(), Some(BASE_NS), &[9_072, 17_115], &[(20_000, slow)]);
    check(Settings::default(), Some(BASE_NS), &[9_072, 9_400, 11_000, 13_000], &[]);
    // Far above the base in per cent, but only by 2 us.
    check(Settings::default(), Some(1_000), &[1_000, 3_000], &[]);
    // Far above the base in absolute terms, but normal for a long path.
    check(Settings::default(), Some(1_000_000), &[1_100_000], &[]);
}

#[test]
fn a_learned_base_is_trusted_after_enough_samples() {
    let settings = Settings { min_samples: 3, ..Settings::default() };
    check(settings.clone(), None, &[9_100, 40_000], &[]);
    check(settings, None, &[9_100, 9_200, 40_000], &[(30_000, TriggerReason::SlowRtt)]);
}

#[test]
fn a_flow_is_polled_at_most_once_per_interval() {
    let settings = Settings { flow_interval_ns: 25_000, ..Settings::default() };
    let slow = TriggerReason::SlowRtt;
    check(settings, Some(BASE_NS), &[90_000; 5], &[(10_000, slow), (40_000, slow)]);
}

#[test]
fn a_poll_names_victim_event_and_reason() {
    let mut agent = Agent::new("h2", 2, 7, Settings::default()).unwrap();
    let id = agent.open(0, flow(0), 3, Some(BASE_NS));
    let poll = agent.acknowledged(50_000, id, Some(20_000), true).unwrap();
    assert_eq!(poll.polling.event, 2 << 16 | 7);
    assert_eq!(poll.polling.follow, Follow::VictimPath);
    assert_eq!((poll.polling.flow, poll.polling.priority), (flow(0), 3));
    assert_eq!(
        (poll.trigger.host.as_str(), poll.trigger.base_rtt_ns, poll.trigger.rtt_ns),
        ("h2", BASE_NS, 20_000)
    );
}

#[test]
fn outstanding_data_without_acks_is_polled_once_per_interval() {
    let settings = Settings { flow_interval_ns: 200_000, follow_up_ns: 0, ..Settings::default() };
    let mut agent = agent(settings);
    let id = agent.open(0, flow(0), 3, Some(BASE_NS));
    agent.sent(1_000, id);
    assert_eq!(agent.next_wake_ns(), Some(51_000));
    // An acknowledgement moves the deadline.
    assert_eq!(agent.acknowledged(30_000, id, Some(9_100), true), None);
    assert_eq!(agent.wake(51_000), []);
    let polls = agent.wake(80_000);
    assert_eq!(polls.len(), 1);
    assert_eq!(polls[0].trigger.reason, TriggerReason::Silence);
    assert_eq!(polls[0].trigger.rtt_ns, 50_000);
    assert_eq!(agent.wake(200_000), []);
    assert_eq!(agent.wake(280_000).len(), 1);
    // All data is acknowledged: no deadline remains.
    agent.acknowledged(281_000, id, None, false);
    assert_eq!(agent.wake(10_000_000), []);
    assert_eq!(agent.next_wake_ns(), None);
}

#[test]
fn a_flow_that_stays_silent_is_polled_each_time_its_silence_has_doubled() {
    let mut agent = agent(Settings { follow_up_ns: 0, ..Settings::default() });
    let id = agent.open(0, flow(0), 3, Some(BASE_NS));
    agent.sent(0, id);
    let mut polled = Vec::new();
    while let Some(at) = agent.next_wake_ns().filter(|at| *at < 2_000_000_000) {
        polled.extend(agent.wake(at).iter().map(|poll| poll.trigger.rtt_ns));
    }
    // At 50 us, after the interval of 4 ms, and then each time at the first interval after the silence has doubled.
    assert_eq!(polled.len(), 9, "{polled:?}");
    assert!(polled.windows(2).all(|pair| pair[1] >= 2 * pair[0]), "{polled:?}");
    // An ACK ends the silence; the next one starts from zero.
    agent.acknowledged(2_000_000_000, id, Some(BASE_NS), true);
    let polls = agent.wake(agent.next_wake_ns().unwrap_or(0));
    assert_eq!(polls.len(), 1);
    assert!(polls[0].trigger.rtt_ns < 5_000_000, "{:?}", polls[0].trigger);
}

#[test]
fn naks_without_progress_do_not_end_a_silence() {
    let mut agent = agent(Settings { follow_up_ns: 0, ..Settings::default() });
    let id = agent.open(0, flow(0), 3, Some(BASE_NS));
    agent.sent(0, id);
    // The receiver sends a NAK for the same packet several times.
    for us in (10..50).step_by(10) {
        assert_eq!(agent.acknowledged(us * 1_000, id, None, true), None);
    }
    let polls = agent.wake(50_000);
    assert_eq!(polls.iter().map(|poll| poll.trigger.rtt_ns).collect::<Vec<_>>(), [50_000]);
}

#[test]
fn a_follow_up_poll_reports_the_slowest_round_trip() {
    let mut agent = agent(Settings::default());
    let id = agent.open(0, flow(0), 3, Some(BASE_NS));
    let first = agent.acknowledged(100_000, id, Some(20_000), false).unwrap();
    assert_eq!(first.trigger.follows, None);
    assert_eq!(agent.acknowledged(200_000, id, Some(60_000), false), None);
    assert_eq!(agent.acknowledged(300_000, id, Some(30_000), false), None);
    assert_eq!(agent.next_wake_ns(), Some(500_000));
    let second = &agent.wake(500_000)[0];
    assert_eq!((second.trigger.time_ns, second.trigger.rtt_ns), (200_000, 60_000));
    let follows = second.trigger.follows.unwrap();
    assert_eq!((follows.event, follows.since_ns), (first.polling.event, 100_000));
    assert_eq!(agent.next_wake_ns(), None);
}

#[test]
fn the_follow_up_poll_of_an_ended_flow_is_sent_when_due() {
    let mut agent = agent(Settings::default());
    let id = agent.open(0, flow(0), 3, Some(BASE_NS));
    let first = agent.acknowledged(100_000, id, Some(20_000), false).unwrap();
    agent.close(150_000, id);
    // Another flow reuses its slot.
    agent.open(160_000, flow(1), 3, Some(BASE_NS));
    assert_eq!(agent.wake(499_999), []);
    assert_eq!(agent.next_wake_ns(), Some(500_000));
    let last = &agent.wake(500_000)[0];
    assert_eq!((last.polling.flow, last.trigger.rtt_ns), (flow(0), 20_000));
    assert_eq!(last.trigger.follows.map(|f| f.event), Some(first.polling.event));
    assert_eq!(agent.next_wake_ns(), None);
}

#[test]
fn a_slow_round_trip_after_recovery_is_another_event() {
    let mut agent = agent(Settings { follow_up_ns: 0, ..Settings::default() });
    let id = agent.open(0, flow(0), 3, Some(BASE_NS));
    assert!(agent.acknowledged(100_000, id, Some(20_000), false).is_some());
    // No fast round trip since: the long interval applies.
    assert_eq!(agent.acknowledged(900_000, id, Some(20_000), false), None);
    assert_eq!(agent.acknowledged(910_000, id, Some(9_100), false), None);
    assert!(agent.acknowledged(920_000, id, Some(20_000), false).is_some());
    // Recovered, but too soon.
    assert_eq!(agent.acknowledged(930_000, id, Some(9_100), false), None);
    assert_eq!(agent.acknowledged(940_000, id, Some(20_000), false), None);
}

#[test]
fn retransmitted_data_give_no_round_trip() {
    let mut agent = agent(Settings { follow_up_ns: 0, min_samples: 1, ..Settings::default() });
    let id = agent.open(0, flow(0), 3, None);
    agent.sent(0, id);
    agent.acknowledged(9_000, id, Some(9_000), true);
    // The ACK of the first transmission arrives 13 ns after the second one.
    assert_eq!(agent.progressed(40_000, id, 13, true), None);
    assert_eq!(agent.acknowledged(50_000, id, Some(9_100), true), None);
    let poll = agent.acknowledged(60_000, id, Some(20_000), true).unwrap();
    assert_eq!(poll.trigger.base_rtt_ns, 9_000);
    // It ends a silence.
    assert_eq!(agent.progressed(90_000, id, 13, true), None);
    assert_eq!(agent.wake(139_999), []);
}

#[test]
fn a_slow_acknowledgement_of_retransmitted_data_is_slow() {
    let mut agent = agent(Settings { follow_up_ns: 0, ..Settings::default() });
    let id = agent.open(0, flow(0), 3, Some(BASE_NS));
    assert!(agent.progressed(50_000, id, 20_000, true).is_some());
    // A fast one shows no recovery: the round trip may have been that of an earlier transmission.
    assert_eq!(agent.progressed(600_000, id, 13, true), None);
    assert_eq!(agent.acknowledged(900_000, id, Some(20_000), true), None);
}

#[test]
fn congestion_that_grows_is_polled_at_once() {
    let mut agent = agent(Settings::default());
    let id = agent.open(0, flow(0), 3, Some(BASE_NS));
    let rtt = |agent: &mut Agent, us: u64, excess_ns: u64| {
        agent.acknowledged(us * 1_000, id, Some(BASE_NS + excess_ns), false).is_some()
    };
    assert!(rtt(&mut agent, 100, 6_000));
    assert!(!rtt(&mut agent, 200, 60_000), "the pending follow-up poll reports it");
    assert_eq!(agent.wake(500_000)[0].trigger.rtt_ns, BASE_NS + 60_000);
    assert!(!rtt(&mut agent, 600, 119_999), "less than twice the excess that was polled for");
    assert!(rtt(&mut agent, 610, 120_000));
    assert_eq!(agent.wake(1_010_000).len(), 1);
    assert!(!rtt(&mut agent, 1_020, 100_000));
}

#[test]
fn a_small_excess_must_grow_by_a_base_round_trip() {
    let mut agent = agent(Settings { follow_up_ns: 0, ..Settings::default() });
    let id = agent.open(0, flow(0), 3, Some(BASE_NS));
    assert!(agent.acknowledged(100_000, id, Some(BASE_NS + 5_000), false).is_some());
    assert!(agent.acknowledged(110_000, id, Some(BASE_NS + 14_000), false).is_none());
    assert!(agent.acknowledged(120_000, id, Some(BASE_NS + 5_000 + BASE_NS), false).is_some());
}

#[test]
fn the_slowest_flow_is_polled_first_when_tokens_are_short() {
    let settings = Settings { burst: 1, polls_per_second: 1_000, follow_up_ns: 0, ..Settings::default() };
    let mut agent = agent(settings);
    let ids: Vec<_> = (0..4).map(|n| agent.open(0, flow(n), 3, Some(BASE_NS))).collect();
    assert!(agent.acknowledged(0, ids[0], Some(20_000), false).is_some());
    for (n, rtt) in [(1, 30_000), (2, 90_000), (3, 40_000)] {
        assert_eq!(agent.acknowledged(1_000, ids[n], Some(rtt), false), None);
    }
    // A flow that has recovered needs no poll any more.
    assert_eq!(agent.acknowledged(2_000, ids[3], Some(BASE_NS), false), None);
    assert_eq!(agent.next_wake_ns(), Some(1_000_000));
    let poll = &agent.wake(1_000_000)[0];
    assert_eq!((poll.trigger.flow, poll.trigger.time_ns), (flow(2), 1_000));
    assert_eq!(agent.wake(2_000_000)[0].trigger.flow, flow(1));
    assert_eq!((agent.next_wake_ns(), agent.stats().limited_by_host), (None, 3));
}

/// Ordinary queueing is three round trips of at least 10 us.
#[test]
fn ordinary_queueing_leaves_polls_for_graver_delays() {
    let mut agent = agent(Settings { polls_per_second: 1, follow_up_ns: 0, ..Settings::default() });
    let mut polls = |n: u16, excess_ns: u64| {
        let id = agent.open(u64::from(n), flow(n), 3, Some(BASE_NS));
        agent.acknowledged(u64::from(n), id, Some(BASE_NS + excess_ns), false).is_some()
    };
    let ordinary_ns = 3 * BASE_NS.max(10_000);
    assert_eq!([0, 1, 2, 3, 4, 5].map(|n| polls(n, ordinary_ns)), [true, true, true, true, false, false]);
    assert_eq!([6, 7, 8, 9, 10].map(|n| polls(n, ordinary_ns + 1)), [true, true, true, true, false]);
}

#[test]
fn rates_and_distances_behave_alike() {
    for gbps in [25, 100, 400, 800] {
        for delay_us in [1, 10, 100] {
            let base = 4 * (2 * delay_us * 1_000 + 4_194 * 8 / gbps);
            let settings = Settings { follow_up_ns: 0, ..Settings::default() };
            let threshold = (base / 2).max(settings.min_excess_ns);
            let polled = |excess: u64| {
                let mut agent = agent(settings.clone());
                let id = agent.open(0, flow(0), 3, Some(base));
                agent.acknowledged(0, id, Some(base + excess), false).is_some()
            };
            assert!(!polled(threshold), "{gbps} Gb/s, {delay_us} us");
            assert!(polled(threshold + 1), "{gbps} Gb/s, {delay_us} us");
            // Growth is polled from another base round trip on, or from twice the excess.
            let mut agent = agent(settings.clone());
            let id = agent.open(0, flow(0), 3, Some(base));
            let mut excess = threshold + 1;
            for n in 0..6 {
                let poll = agent.acknowledged(n * 1_000, id, Some(base + excess), false);
                assert!(poll.is_some(), "{gbps} Gb/s, {delay_us} us: {excess}");
                let grown = (2 * excess).max(excess + base);
                assert_eq!(agent.acknowledged(n * 1_000 + 1, id, Some(base + grown - 1), false), None);
                excess = grown;
            }
            agent.sent(1_000_000, id);
            let silence = (settings.silence_rtts as u64 * base).max(settings.min_silence_ns);
            assert_eq!(agent.next_wake_ns(), Some(1_000_000 + silence));
        }
    }
}

#[test]
fn an_idle_or_closed_flow_is_never_silent() {
    let mut agent = agent(Settings::default());
    let id = agent.open(0, flow(0), 3, Some(BASE_NS));
    assert_eq!(agent.next_wake_ns(), None);
    agent.sent(0, id);
    agent.close(0, id);
    assert_eq!(agent.wake(1_000_000), []);
    // The slot is reused, and the new flow inherits no state.
    let other = agent.open(1_000_000, flow(1), 3, Some(BASE_NS));
    assert_eq!(agent.acknowledged(1_000_001, id, None, false), None);
    agent.sent(2_000_000, other);
    assert_eq!(agent.wake(2_050_000)[0].trigger.flow, flow(1));
}

#[test]
fn polls_per_host_and_watched_flows_are_limited() {
    let settings = Settings { burst: 2, polls_per_second: 1, max_flows: 3, ..Settings::default() };
    let mut agent = agent(settings);
    let mut polls = 0;
    for n in 0..5 {
        let id = agent.open(u64::from(n), flow(n), 3, Some(BASE_NS));
        polls += agent.acknowledged(u64::from(n), id, Some(90_000), false).iter().count();
    }
    let stats = agent.stats();
    assert_eq!((polls, stats.polls, stats.limited_by_host, stats.flows_given_up), (2, 2, 3, 2));
}

#[test]
fn invalid_settings_are_rejected() {
    let error = |settings| Agent::new("h", 0, 0, settings).unwrap_err();
    assert_eq!(
        error(Settings { threshold_percent: 90, ..Settings::default() }),
        SettingsError::Threshold(90)
    );
    assert_eq!(
        error(Settings { hop_limit: 0, ..Settings::default() }).to_string(),
        "hop_limit is 0; expected at least 1"
    );
}

#[test]
fn the_base_rtt_is_computed_from_the_topology() {
    let node = |name: &str, kind, last| Node {
        name: name.into(),
        kind,
        addresses: vec![std::net::IpAddr::from([10, 0, 0, last])],
    };
    let link = |a: &str, b: &str, gbps| Link {
        a: a.parse().unwrap(),
        b: b.parse().unwrap(),
        rate: Rate::from_gbps(gbps),
        delay: Time::from_us(1),
    };
    let topology = Topology {
        nodes: vec![
            node("h1", NodeKind::Host, 1),
            node("h2", NodeKind::Host, 2),
            node("s1", NodeKind::Switch, 101),
            node("s2", NodeKind::Switch, 102),
        ],
        links: vec![link("h1:1", "s1:1", 50), link("s1:2", "s2:1", 100), link("s2:2", "h2:1", 50)],
    };
    // 6 us of propagation; 1000 B take 160, 80 and 160 ns, 100 B a tenth of that.
    assert_eq!(base_rtt(&topology, &flow(0), 1_000, 100), Some(Time::from_ns(6_440)));
    let stranger = FlowKey { dst: [10, 9, 9, 9].into(), ..flow(0) };
    assert_eq!(base_rtt(&topology, &stranger, 1_000, 100), None);
}

proptest! {
    /// A flow is polled again within its interval only when its excess has doubled, and event ids never repeat.
    #[test]
    fn polls_of_a_flow_are_at_least_an_interval_apart(
        steps in prop::collection::vec((0u64..200_000, 0usize..4, 0u8..4, 1_000u64..100_000), 1..200)
    ) {
        let settings = Settings {
            flow_interval_ns: 300_000,
            polls_per_second: 1_000_000,
            burst: 1_000,
            ..Settings::default()
        };
        let mut agent = agent(settings);
        let ids: Vec<_> = (0..4).map(|n| agent.open(0, flow(n), 3, Some(BASE_NS))).collect();
        let (mut now, mut polls) = (0, Vec::new());
        for (gap, n, what, rtt) in steps {
            now += gap;
            match what {
                0 => agent.sent(now, ids[n]),
                1 => polls.extend(agent.acknowledged(now, ids[n], Some(rtt), true)),
                2 => polls.extend(agent.acknowledged(now, ids[n], Some(rtt), false)),
                _ => polls.extend(agent.wake(now)),
            }
        }
        for (i, poll) in polls.iter().enumerate() {
            for later in &polls[i + 1..] {
                prop_assert_ne!(poll.polling.event, later.polling.event);
                let is_follow_up = later.trigger.follows.is_some() || poll.trigger.follows.is_some();
                if later.trigger.flow == poll.trigger.flow && !is_follow_up {
                    let excess = |poll: &Poll| poll.trigger.rtt_ns - BASE_NS;
                    let is_later = later.trigger.time_ns - poll.trigger.time_ns >= 300_000;
                    let has_grown = excess(later) >= 2 * excess(poll) && excess(later) - excess(poll) >= BASE_NS;
                    prop_assert!(is_later || has_grown);
                }
            }
        }
    }
}

/// Feeds operations of (post, poll, busy) in us, each with a round trip of `rtt_ns` shortly before, and lists when the flow is polled.
fn check_operations(rtt_ns: u64, operations: &[(u64, u64, u64)], expected: &[u64]) {
    let mut agent = agent(Settings::default());
    let id = agent.open(0, flow(0), 3, Some(BASE_NS));
    let mut polls = Vec::new();
    for (posted, polled, busy) in operations {
        let (posted_ns, polled_ns) = (posted * 1_000, polled * 1_000);
        polls.extend(agent.acknowledged(polled_ns, id, Some(rtt_ns), true));
        let operation = Operation { posted_ns, polled_ns, busy_ns: busy * 1_000, is_held_up: false };
        polls.extend(agent.completed(polled_ns, id, &operation));
    }
    assert!(polls.iter().all(|poll| poll.trigger.reason == TriggerReason::SlowOperation), "{polls:?}");
    let found: Vec<u64> = polls.iter().map(|poll| poll.trigger.time_ns / 1_000).collect();
    assert_eq!(found, expected);
}

#[test]
fn operations_are_slow_if_the_host_is_idle_for_a_third_of_their_time() {
    check_operations(BASE_NS, &[(0, 16, 2)], &[]);
    check_operations(BASE_NS, &[(0, 17, 2)], &[17]);
    // The link was busy, with this flow or others.
    check_operations(BASE_NS, &[(0, 400, 390)], &[]);
    // A round trip was slower than usual, and not slow.
    check_operations(13_000, &[(0, 16, 2), (16, 38, 2)], &[]);
}

#[test]
fn a_flow_whose_operations_stay_slow_is_polled_at_growing_intervals() {
    let stays: Vec<(u64, u64, u64)> = (0..400).map(|n| (n * 100, n * 100 + 100, 2)).collect();
    check_operations(BASE_NS, &stays, &[100, 8_100, 24_100]);
    // After an operation that was not slow, the next slow one counts anew.
    let mut recovers = stays;
    recovers[80].2 = 90;
    check_operations(BASE_NS, &recovers, &[100, 8_100 + 100, 16_200, 32_200]);
}

/// Iterations that end every `interval_us` and should take 100 us, the first after a round trip of `rtt_ns`.
#[track_caller]
fn check_iterations(interval_us: u64, rtt_ns: u64, expected: &[u64]) {
    let mut agent = agent(Settings::default());
    let id = agent.open(0, flow(0), 3, Some(BASE_NS));
    // This poll may be for the round trip.
    agent.acknowledged(1_000, id, Some(rtt_ns), true);
    let mut polls = Vec::new();
    for n in 1..=50 {
        let ended_ns = n * interval_us * 1_000;
        let iteration = Iteration { ended_ns, expected_ns: 100_000, is_held_up: false };
        polls.extend(agent.iterated(ended_ns, id, &iteration));
    }
    assert!(polls.iter().all(|poll| poll.trigger.reason == TriggerReason::SlowJob), "{polls:?}");
    let found: Vec<u64> = polls.iter().map(|poll| poll.trigger.time_ns / 1_000).collect();
    assert_eq!(found, expected);
    let took = |poll: &Poll| (poll.trigger.rtt_ns / 1_000, poll.trigger.expected_ns);
    assert!(polls.iter().all(|poll| took(poll) == (interval_us, Some(100_000))), "{polls:?}");
}

#[test]
fn a_slow_job_is_polled_unless_its_flow_has_a_question() {
    check_iterations(110, BASE_NS, &[]);
    check_iterations(150, BASE_NS, &[5 * 150]);
    check_iterations(300, BASE_NS, &[5 * 300, 5 * 300 + 8_100]);
    // The flow was polled for a slow round trip, whose congestion may have delayed iterations up to 500 us later.
    check_iterations(150, 10 * BASE_NS, &[8 * 150]);
}

#[test]
fn an_operation_that_the_network_held_up_is_not_slow_by_itself() {
    let mut agent = agent(Settings::default());
    let id = agent.open(0, flow(0), 3, Some(BASE_NS));
    let slow = Operation { posted_ns: 0, polled_ns: 100_000, busy_ns: 2_000, is_held_up: true };
    assert_eq!(agent.completed(slow.polled_ns, id, &slow), None);
    // The flow has been polled for a slow round trip since the operation was posted.
    assert!(agent.acknowledged(120_000, id, Some(90_000), true).is_some());
    let slow = Operation { posted_ns: 110_000, polled_ns: 400_000, is_held_up: false, ..slow };
    assert_eq!(agent.completed(slow.polled_ns, id, &slow), None);
    let slow = Operation { posted_ns: 500_000, polled_ns: 600_000, ..slow };
    assert_eq!(agent.completed(slow.polled_ns, id, &slow), None, "the congestion may have left a backlog");
    let slow = Operation { posted_ns: 700_000, polled_ns: 800_000, ..slow };
    let poll = agent.completed(slow.polled_ns, id, &slow).unwrap();
    assert_eq!((poll.trigger.rtt_ns, poll.trigger.expected_ns), (100_000, Some(BASE_NS + 2_000)));
    assert_eq!((poll.trigger.follows, poll.trigger.excess_ns()), (None, 100_000 - BASE_NS - 2_000));
}
