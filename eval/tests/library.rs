//! The scenario library: on several seeds, every scenario shows the phenomenon that it describes, and its ground truth
//! agrees with the expectation. Seeds give different instances.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use eval::GroundTruth;
use fabric::{Fabric, Pipeline, RunOptions, RunOutcome, prepare, run};
use model::{Anomaly, Cause, PortRef, RootCause, Setting, Time};
use p4_switch::Switch;
use scenario::Scenario;

const SEEDS: [u64; 3] = [1, 2, 77];

fn pipeline() -> &'static Pipeline {
    static PIPELINE: OnceLock<Pipeline> = OnceLock::new();
    PIPELINE.get_or_init(|| Pipeline::hawkeye(&[]).unwrap_or_else(|error| panic!("{error}")))
}

/// An instance, its run and its ground truth.
struct Seen {
    scenario: Scenario,
    outcome: RunOutcome,
    truth: GroundTruth,
    deviations: Vec<String>,
}

fn traffic_only(scenario: &Scenario, seed: u64) -> RunOutcome {
    let options = RunOptions { pipeline: pipeline().clone(), diagnose: false };
    run(scenario, seed, &options).unwrap_or_else(|error| panic!("{}, seed {seed}: {error}", scenario.name))
}

fn see(name: &str, seed: u64) -> Seen {
    let scenario = scenario::builtin(name).unwrap().instance(seed).unwrap().into_owned();
    let outcome = traffic_only(&scenario, seed);
    let (truth, deviations) = eval::truth::establish(&scenario, &outcome);
    Seen { scenario, outcome, truth: truth.unwrap(), deviations }
}

/// The run of every seed is as intended, and `phenomenon` holds for it.
fn check(name: &str, phenomenon: impl Fn(&Seen)) {
    for seed in SEEDS {
        let seen = see(name, seed);
        assert_eq!(seen.deviations, Vec::<String>::new(), "harrier run {name} --seed {seed}");
        phenomenon(&seen);
    }
}

impl Seen {
    fn root(&self) -> &PortRef {
        self.truth.root_cause.port.as_ref().expect("there is a root")
    }

    /// Ports that were paused at least once.
    fn paused(&self) -> BTreeSet<&PortRef> {
        self.outcome.pauses.iter().filter(|pause| pause.on).map(|pause| &pause.port).collect()
    }

    /// Ports that were still paused at the end.
    fn paused_at_end(&self) -> BTreeSet<&PortRef> {
        let mut state: BTreeMap<&PortRef, bool> = BTreeMap::new();
        for pause in &self.outcome.pauses {
            state.insert(&pause.port, pause.on);
        }
        state.into_iter().filter(|(_, on)| *on).map(|(port, _)| port).collect()
    }

    fn peer(&self, port: &PortRef) -> &PortRef {
        self.scenario.topology.peer(port).expect("every port has a link")
    }

    /// Each port of the path was paused, possibly except the root, and leads to the switch of the next one.
    fn check_path(&self) {
        let path = &self.truth.pause_path;
        for pair in path.windows(2) {
            assert!(self.paused().contains(&pair[0]), "{} was not paused", pair[0]);
            assert_eq!(self.peer(&pair[0]).switch, pair[1].switch, "{path:?}");
        }
        assert_eq!(path.last(), Some(self.root()), "{path:?}");
    }

    /// Pauses spread from a port that itself was never paused.
    fn check_backpressure(&self) {
        assert!(!self.paused().contains(self.root()), "the root {} was paused", self.root());
        self.check_path();
    }

    /// The ports of the loop lead to one another and are paused at the end, and their flows are not complete.
    fn check_deadlock(&self) {
        let loop_ports = &self.truth.pause_loop;
        assert_eq!(loop_ports.len(), 3);
        let end = self.paused_at_end();
        for (position, port) in loop_ports.iter().enumerate() {
            let next = &loop_ports[(position + 1) % loop_ports.len()];
            assert_eq!(self.peer(port).switch, next.switch);
            assert!(end.contains(port), "{port} is not paused: {end:?}");
        }
        for label in ["round-a", "round-b", "round-c"] {
            let flow = self.outcome.flows.iter().find(|flow| flow.label == label).unwrap();
            assert_eq!(flow.finish, None, "{label}");
        }
    }

    fn label_of(&self, flow: &model::FlowKey) -> &str {
        &self.outcome.flows.iter().find(|known| known.flow == *flow).unwrap().label
    }
}

/// The same instance without settings of single switches.
fn without_odd_switches(seen: &Seen) -> RunOutcome {
    let scenario = Scenario { switches: BTreeMap::new(), source: None, ..seen.scenario.clone() };
    traffic_only(&scenario, seen.outcome.seed)
}

/// The network at the end of a run of this instance.
fn ended(seen: &Seen) -> Fabric<Switch> {
    let mut fabric = prepare(&seen.scenario, seen.outcome.seed, pipeline(), false).unwrap();
    fabric.run_until(seen.scenario.stop);
    fabric
}

#[test]
fn poster() {
    check("poster-fig1", Seen::check_backpressure);
}

#[test]
fn host_storm() {
    check("host-storm", |seen| assert!(seen.paused().contains(seen.root())));
}

#[test]
fn contention_only() {
    check("contention-only", |seen| assert!(seen.truth.pause_path.is_empty()));
}

#[test]
fn incast_backpressure() {
    check("incast-backpressure", |seen| {
        seen.check_backpressure();
        let receivers: BTreeSet<_> = seen.truth.root_cause.flows.iter().map(|flow| flow.dst).collect();
        assert_eq!((receivers.len(), seen.truth.root_cause.flows.len()), (1, 6));
        let host = &seen.peer(seen.root()).switch;
        assert!(receivers.contains(&seen.scenario.address(host).unwrap()));
        // The victim has another receiver.
        assert!(!receivers.contains(&seen.truth.victims[0].dst));
    });
}

#[test]
fn pfc_storm() {
    check("pfc-storm", |seen| {
        seen.check_path();
        assert!(seen.paused().contains(seen.root()));
        assert_eq!(Some(&seen.peer(seen.root()).switch), seen.truth.root_cause.host.as_ref());
        assert_eq!(seen.truth.root_cause.flows, []);
    });
}

#[test]
fn slow_receiver() {
    check("slow-receiver", |seen| {
        let own = |on| {
            let at_root = |pause: &&fabric::PauseRecord| pause.on == on && pause.port == *seen.root();
            seen.outcome.pauses.iter().filter(at_root).count()
        };
        assert!(own(true) > 3 && own(false) > 3, "it pauses and resumes: {} {}", own(true), own(false));
        seen.check_path();
    });
}

#[test]
fn narrow_host_bus() {
    check("narrow-host-bus", |seen| {
        assert_eq!(seen.outcome.pauses, []);
        let flow = |label: &str| seen.outcome.flows.iter().find(|flow| flow.label == label).unwrap();
        let (victim, other) = (flow("victim"), flow("beside"));
        assert!(victim.rtt.max.0 > 2 * victim.rtt.min.0, "{victim:?}");
        assert!(other.rtt.max.0 * 2 < other.rtt.min.0 * 3, "the network itself is fast: {other:?}");
        assert_eq!(seen.truth.victims, [victim.flow]);
        let host = Some(seen.scenario.faults[0].host.clone());
        assert_eq!(seen.truth.root_cause, RootCause { host, ..RootCause::default() });
    });
}

impl Seen {
    /// The host with the fault.
    fn faulty(&self) -> &String {
        &self.scenario.faults[0].host
    }
}

#[test]
fn slow_parts_of_hosts_pause_their_switch() {
    for (name, cause) in [
        ("mtt-misses", Cause::SlowReceiver),
        ("context-misses", Cause::QpCacheThrash),
        ("receive-wqe-misses", Cause::RnicWorkload),
        ("narrow-bus", Cause::IntraHostLink),
        ("loopback-traffic", Cause::LoopbackCongestion),
    ] {
        check(name, |seen| {
            seen.check_path();
            assert_eq!(seen.truth.cause, Some(cause), "{name}");
            assert_eq!(seen.truth.root_cause.host.as_ref(), Some(seen.faulty()), "{name}");
            let own = |on| {
                let at_root = |pause: &&fabric::PauseRecord| pause.on == on && pause.port == *seen.root();
                seen.outcome.pauses.iter().filter(at_root).count()
            };
            assert!(own(true) > 3 && own(false) > 3, "{name}: {} {}", own(true), own(false));
        });
    }
}

#[test]
fn unpaused_receiver() {
    check("unpaused-receiver", |seen| {
        assert_eq!(seen.outcome.pauses, []);
        assert!(seen.outcome.counters.lost_by_nics > 0);
        let victim = seen.outcome.flows.iter().find(|flow| flow.label == "victim").unwrap();
        assert!(victim.retransmitted_packets * 2 > victim.sent_packets, "{victim:?}");
        let others = seen.outcome.flows.iter().filter(|flow| flow.label != "victim");
        assert!(others.into_iter().all(|flow| flow.retransmitted_packets == 0));
        assert_eq!(seen.truth.root_cause.host.as_ref(), Some(seen.faulty()));
    });
}

#[test]
fn harmless_misses() {
    check("harmless-misses", |seen| {
        seen.check_backpressure();
        let port_of = |host: &str| seen.scenario.topology.peer(&PortRef::new(host, 1)).unwrap().clone();
        let faulty = port_of(seen.faulty());
        assert!(!seen.paused().contains(&faulty), "{faulty} was paused by its host");
        assert_eq!(seen.truth.root_cause.host, None);
    });
}

#[test]
fn deadlock_in_loop() {
    check("deadlock-in-loop", |seen| {
        seen.check_deadlock();
        assert!(seen.truth.pause_loop.contains(seen.root()));
        assert!(seen.truth.root_cause.flows.iter().all(|flow| seen.label_of(flow).starts_with("round")));
    });
}

#[test]
fn deadlock_out_of_loop_contention() {
    check("deadlock-out-of-loop-contention", |seen| {
        seen.check_deadlock();
        assert!(!seen.truth.pause_loop.contains(seen.root()));
        assert!(seen.scenario.topology.is_host(&seen.peer(seen.root()).switch));
    });
}

#[test]
fn deadlock_out_of_loop_injection() {
    check("deadlock-out-of-loop-injection", |seen| {
        seen.check_deadlock();
        assert!(seen.paused().contains(seen.root()) && !seen.truth.pause_loop.contains(seen.root()));
    });
}

#[test]
fn ecmp_imbalance() {
    check("ecmp-imbalance", |seen| {
        seen.check_path();
        let fabric = ended(seen);
        let sent: BTreeMap<PortRef, u64> = fabric.sent_bytes().collect();
        let root = seen.root();
        let to_core =
            |port: &&PortRef| port.switch == root.switch && seen.peer(port).switch.starts_with("core");
        let other = sent.keys().filter(to_core).find(|port| *port != root).expect("there is another uplink");
        assert!(sent[other] * 20 < sent[root], "{} of {} bytes take the other link", sent[other], sent[root]);
    });
}

#[test]
fn elephant_collision() {
    check("elephant-collision", |seen| {
        assert_eq!(seen.truth.root_cause.flows.len(), 2);
        let receivers: BTreeSet<_> = seen.truth.root_cause.flows.iter().map(|flow| flow.dst).collect();
        assert_eq!(receivers.len(), 2);
        assert!(seen.peer(seen.root()).switch.starts_with("spine"));
    });
}

#[test]
fn low_rate_attack() {
    check("low-rate-attack", |seen| {
        seen.check_backpressure();
        let of_attack = |flow: &&fabric::FlowRecord| seen.truth.root_cause.flows.contains(&flow.flow);
        let attack: Vec<_> = seen.outcome.flows.iter().filter(of_attack).collect();
        let bits: u64 = attack.iter().map(|flow| flow.bytes * 8).sum();
        let first = attack.iter().map(|flow| flow.start).min().unwrap();
        // Five rounds of 250 us.
        let rate = bits as f64 / 5.0 / 250e-6;
        assert!(rate < 0.5 * 25e9, "{rate} bit/s from {first} on");
        assert!(attack.len() >= 30, "bursts of {} messages", attack.len());
    });
}

#[test]
fn routing_loop() {
    check("routing-loop", |seen| {
        let loop_ports = &seen.truth.pause_loop;
        assert_eq!(loop_ports.len(), 2);
        assert_eq!(seen.peer(&loop_ports[0]), &loop_ports[1], "the two ports of one link");
        // Only the time to live ends packets here.
        assert!(seen.outcome.counters.drops["Ttl"] > 10, "{:?}", seen.outcome.counters.drops);
        assert!(seen.outcome.flows[0].retransmitted_packets > 0);
        assert!(seen.outcome.flows[0].finish.is_some(), "it completes after the route is corrected");
    });
}

#[test]
fn link_flap() {
    check("link-flap", |seen| {
        seen.check_backpressure();
        let fabric = ended(seen);
        assert!(fabric.frame_balance().2 > 0, "nothing was lost on the wire");
        let moved = seen.outcome.flows.iter().filter(|flow| flow.label.starts_with("moved"));
        assert!(moved.clone().all(|flow| flow.retransmitted_packets > 0 && flow.finish.is_some()));
        assert!(seen.truth.root_cause.flows.iter().any(|flow| seen.label_of(flow).starts_with("moved")));
        let [first, second] = seen.truth.outages.as_slice() else { panic!("{:?}", seen.truth.outages) };
        assert_eq!(first.between, second.between);
        let came_up = first.up_ns.expect("the link comes up again");
        assert!(first.down_ns < came_up && came_up < second.down_ns, "{:?}", seen.truth.outages);
    });
}

#[test]
fn watchdog_rescue() {
    check("watchdog-rescue", |seen| {
        assert_eq!(seen.truth.pause_loop.len(), 3);
        let has_acted = |port: &PortRef| {
            let mut records = seen.outcome.watchdogs.iter();
            records.any(|record| record.port == *port && record.action.is_some())
        };
        assert!(seen.truth.pause_loop.iter().any(has_acted), "no watchdog of the loop acted");
        assert!(seen.outcome.watchdogs.iter().any(|record| record.action.is_none()), "none was restored");
        // Each time that the loop closes is a separate deadlock.
        let again = seen.truth.again.iter().filter(|again| again.anomaly == seen.truth.anomaly);
        let mut times: Vec<(u64, u64)> =
            again.chain([&seen.truth]).filter_map(|truth| truth.time_ns).collect();
        times.sort_unstable();
        let apart = times.windows(2).all(|pair| matches!(pair, [first, next] if first.1 <= next.0));
        assert!(apart, "{times:?}");
        // Without watchdogs the same instance stays deadlocked.
        let switch = scenario::SwitchSettings { watchdog: None, ..seen.scenario.switch.clone() };
        let stuck =
            traffic_only(&Scenario { switch, source: None, ..seen.scenario.clone() }, seen.outcome.seed);
        let finished =
            |outcome: &RunOutcome| outcome.flows.iter().filter(|flow| flow.finish.is_some()).count();
        assert!(finished(&seen.outcome) > finished(&stuck), "{} flows finish", finished(&seen.outcome));
    });
}

#[test]
fn misconfigured_alpha() {
    check("misconfigured-alpha", |seen| {
        seen.check_backpressure();
        let odd = seen.scenario.switches.keys().next().unwrap();
        assert_eq!(seen.truth.root_cause.config, [format!("{odd}/alpha")]);
        let right = without_odd_switches(seen);
        assert_eq!(right.pauses, [], "with the right alpha there are no pauses");
    });
}

#[test]
fn short_headroom() {
    check("short-headroom", |seen| {
        assert!(seen.outcome.counters.drops.keys().any(|reason| reason.contains("HeadroomFull")));
        assert!(seen.outcome.flows.iter().any(|flow| flow.retransmitted_packets > 0));
        let right = without_odd_switches(seen);
        assert_eq!(right.counters.drops, BTreeMap::new(), "with headroom for the cable nothing is lost");
    });
}

#[test]
fn stale_headroom_profile() {
    check("stale-headroom-profile", |seen| {
        assert!(seen.outcome.counters.drops.keys().any(|reason| reason.contains("HeadroomFull")));
        assert_eq!(seen.truth.root_cause.config, ["far/headroom"]);
        let found = seen.scenario.audit(Time::ZERO, Time::MAX);
        let about_headroom = found.iter().filter(|finding| finding.setting == Setting::Headroom);
        let ids: Vec<&str> = about_headroom.map(|finding| finding.id.as_str()).collect();
        assert!(ids.contains(&"far:1/PG020"), "the rule about stale profiles, at the port: {ids:?}");
        assert!(ids.iter().all(|id| id.starts_with("far:1/")), "nothing is wrong elsewhere: {ids:?}");
    });
}

#[test]
fn one_sided_pfc() {
    check("one-sided-pfc", |seen| {
        assert!(seen.outcome.counters.drops.keys().any(|reason| reason.contains("HeadroomFull")));
        let found = seen.scenario.audit(Time::ZERO, Time::MAX);
        let about_pfc = found.iter().filter(|finding| finding.setting == Setting::Lossless);
        let ids: Vec<&str> = about_pfc.map(|finding| finding.id.as_str()).collect();
        assert_eq!(ids, ["far:1/FLEET003", "far:1/PFC003"], "nothing is wrong elsewhere");
    });
}

#[test]
fn dscp_mix_up() {
    check("dscp-mix-up", |seen| {
        assert!(seen.outcome.counters.dropped_packets > 0);
        let right = without_odd_switches(seen);
        assert_eq!(right.counters.drops, BTreeMap::new(), "with the right map nothing is lost");
        assert!(right.pauses.iter().any(|pause| pause.on), "and the incast is paused instead");
    });
}

#[test]
fn two_anomalies() {
    check("two-anomalies", |seen| {
        let [other] = seen.truth.others.as_slice() else { panic!("{:?}", seen.truth.others) };
        let both = [seen.truth.anomaly, other.anomaly];
        assert_eq!(
            both,
            [Some(Anomaly::PfcStormHostInjection), Some(Anomaly::PfcBackpressureFlowContention)]
        );
        assert!(other.victims.iter().all(|victim| !seen.truth.victims.contains(victim)));
    });
}

#[test]
fn quiet() {
    check("quiet", |seen| {
        assert_eq!(seen.truth, GroundTruth::default());
        assert_eq!(seen.outcome.pauses, []);
        for flow in &seen.outcome.flows {
            assert!(flow.finish.is_some() && flow.rtt.max.0 * 2 < flow.rtt.min.0 * 3, "{flow:?}");
        }
    });
}

#[test]
fn seeds_give_different_and_reproducible_instances() {
    for name in scenario::builtin_names() {
        let scenario = scenario::builtin(name).unwrap();
        if scenario.source.is_none() {
            continue;
        }
        let instance = |seed| {
            let instance = scenario.instance(seed).unwrap();
            let flows = instance.run_flows(seed);
            (format!("{flows:?}"), format!("{:?} {:?}", instance.faults, instance.routing))
        };
        let distinct: BTreeSet<_> = (1..=100).map(instance).collect();
        assert_eq!(distinct.len(), 100, "{name}");
        assert_eq!(instance(42), instance(42), "{name}");
    }
}

/// The scenarios of the library are small, so that each runs in about half a second.
#[test]
fn scenarios_are_small() {
    for name in scenario::builtin_names() {
        let scenario = scenario::builtin(name).unwrap();
        let hops = traffic_only(&scenario, 1).counters.packet_hops;
        assert!(hops < 400_000, "{name}: {hops}");
        assert!(scenario.stop < Time::from_ms(10), "{name}");
    }
}

/// `cargo test -p harrier-eval --test library -- --ignored --nocapture`: how many of a hundred instances of each
/// scenario are as intended.
#[test]
#[ignore = "runs nearly two thousand scenarios"]
fn a_hundred_instances_of_each_scenario_are_as_intended() {
    let mut odd = Vec::new();
    for name in scenario::builtin_names() {
        let scenario = scenario::builtin(name).unwrap();
        for seed in 1..=100 {
            let instance = scenario.instance(seed).unwrap();
            let (_, deviations) = eval::truth::establish(&instance, &traffic_only(&scenario, seed));
            odd.extend(deviations.iter().map(|deviation| format!("{name}, seed {seed}: {deviation}")));
        }
    }
    assert_eq!(odd, Vec::<String>::new());
}
