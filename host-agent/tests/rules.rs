//! Which round trips make an agent poll, and which do not.

use harrier_host_agent::{Agent, Settings, SettingsError, base_rtt};
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
    /// A flow is never polled twice within its interval, and event ids never repeat.
    #[test]
    fn polls_of_a_flow_are_at_least_an_interval_apart(
        steps in prop::collection::vec((0u64..200_000, 0usize..4, 0u8..4, 1_000u64..100_000), 1..200)
    ) {
        let settings = Settings { flow_interval_ns: 300_000, ..Settings::default() };
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
                    prop_assert!(later.trigger.time_ns - poll.trigger.time_ns >= 300_000);
                }
            }
        }
    }
}
