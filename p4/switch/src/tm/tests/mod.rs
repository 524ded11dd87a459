//! Behaviour of the traffic manager, and consistency of its accounting under random traffic.

mod clear;
mod counters;
mod flow_control;
mod listing;
mod watchdog;

use model::wire::Pfc;
use model::{Rate, Time};
use proptest::prelude::*;

use super::*;

const GBPS: u64 = 100;

/// Four ports; priority 3 is lossless with the XOFF and XON values of the HPCC family of simulators.
fn config() -> TmConfig {
    let mut config = TmConfig::lossy((1..=4).map(|n| (n, Rate::from_gbps(GBPS))), 1 << 20);
    config.profiles.push("lossless".to_string());
    for port in &mut config.ports {
        port.groups[3] = GroupProfile {
            profile: 1,
            pool: 0,
            reserved_bytes: 4096,
            threshold: Threshold::Static(16_384),
            lossless: Some(Lossless { headroom_bytes: 37_500, xon_bytes: 0, xon_offset_bytes: 3072 }),
        };
    }
    config
}

fn tm(config: TmConfig) -> TrafficManager<u32> {
    TrafficManager::new(config)
}

fn arrival(ingress_port: u16, egress_port: u16, priority: u8, bytes: u32) -> Arrival {
    Arrival { ingress_port, egress_port, priority, bytes, ecn_capable: true }
}

fn events(tm: &mut TrafficManager<u32>) -> Vec<TmEvent> {
    let mut events = Vec::new();
    tm.drain_events(&mut events);
    events
}

/// Enqueues `packets` packets of 1348 B from port 1 to port 2 in class 3.
fn fill(tm: &mut TrafficManager<u32>, packets: u32) {
    for n in 0..packets {
        tm.enqueue(Time::ZERO, arrival(1, 2, 3, 1348), n).unwrap();
    }
}

#[test]
fn pauses_at_20_kib_and_resumes_at_17_kib() {
    let mut tm = tm(config());
    fill(&mut tm, 15);
    assert!(!tm.is_pausing_peer(1, 3));
    fill(&mut tm, 1);
    assert_eq!(tm.group(1, 3).unwrap().headroom_bytes, 1348);
    assert_eq!(tm.take_pfc(Time::ZERO, 1), Some(Pfc::single(3, u16::MAX)));
    // 16 packets are 21,568 B; XON requires an empty headroom and at most 17,408 B.
    for _ in 0..3 {
        tm.dequeue(Time::ZERO, 2).unwrap();
        assert!(tm.is_pausing_peer(1, 3));
    }
    tm.dequeue(Time::ZERO, 2).unwrap();
    assert_eq!(tm.take_pfc(Time::ZERO, 1), Some(Pfc::single(3, 0)));
    assert_eq!(tm.take_pfc(Time::ZERO, 1), None);
}

#[test]
fn a_full_headroom_drops_packets_and_reports_them() {
    let mut tm = tm(config());
    fill(&mut tm, 15 + 27);
    events(&mut tm);
    let (reason, packet) = tm.enqueue(Time::ZERO, arrival(1, 2, 3, 1348), 99).unwrap_err();
    assert_eq!((reason, packet), (DropReason::HeadroomFull, 99));
    assert!(matches!(
        events(&mut tm)[..],
        [TmEvent::Dropped { lossless: true, reason: DropReason::HeadroomFull, .. }]
    ));
}

#[test]
fn pauses_are_refreshed_until_resumed() {
    let mut tm = tm(config());
    fill(&mut tm, 16);
    tm.take_pfc(Time::ZERO, 1).unwrap();
    assert_eq!(tm.next_wake(), Some(Time(335_539_200 / 2)));
    tm.dequeue(Time::ZERO, 1);
    events(&mut tm);
    tm.wake(Time(335_539_200 / 2));
    assert_eq!(events(&mut tm), [TmEvent::Ready { port: 1 }]);
    assert_eq!(tm.take_pfc(Time(335_539_200 / 2), 1), Some(Pfc::single(3, u16::MAX)));
    assert!(matches!(events(&mut tm)[..], [TmEvent::PauseSent { refresh: true, .. }]));
    while tm.dequeue(Time(335_539_200 / 2), 2).is_some() {}
    assert_eq!(tm.next_wake(), None);
}

#[test]
fn a_received_pause_stops_one_priority_until_its_quanta_have_passed() {
    let mut tm = tm(config());
    tm.receive_pfc(Time::ZERO, 2, &Pfc::single(3, 1000));
    fill(&mut tm, 2);
    tm.enqueue(Time::ZERO, arrival(1, 2, 0, 64), 7).unwrap();
    events(&mut tm);
    assert_eq!(tm.dequeue(Time::ZERO, 2).unwrap().packet, 7);
    assert_eq!(tm.dequeue(Time::ZERO, 2), None);
    let end = Time(1000 * 5120);
    assert_eq!(tm.next_wake(), Some(end));
    tm.wake(end);
    assert_eq!(events(&mut tm), [TmEvent::PauseExpired { port: 2, priority: 3 }, TmEvent::Ready { port: 2 }]);
    assert_eq!(tm.dequeue(end, 2).unwrap().packet, 0);
}

#[test]
fn with_resume_only_a_pause_ends_with_a_resume_frame() {
    let mut tm = tm(TmConfig { pause_end: PauseEnd::ResumeOnly, ..config() });
    tm.receive_pfc(Time::ZERO, 2, &Pfc::single(3, 1));
    assert_eq!(tm.next_wake(), None);
    fill(&mut tm, 1);
    assert_eq!(tm.dequeue(Time::from_ms(9), 2), None);
    tm.receive_pfc(Time::from_ms(9), 2, &Pfc::single(3, 0));
    assert_eq!(tm.dequeue(Time::from_ms(9), 2).unwrap().packet, 0);
}

#[test]
fn strict_queues_go_first_and_weighted_ones_share() {
    let mut config = config();
    let queues = &mut config.ports[1].queues;
    queues[1].service = Service::Weighted(3000);
    queues[2].service = Service::Weighted(1000);
    let mut tm = tm(config);
    for _ in 0..40 {
        tm.enqueue(Time::ZERO, arrival(1, 2, 1, 1000), 1).unwrap();
        tm.enqueue(Time::ZERO, arrival(1, 2, 2, 1000), 2).unwrap();
    }
    tm.enqueue(Time::ZERO, arrival(1, 2, 7, 64), 7).unwrap();
    let order: Vec<u32> = (0..41).map(|_| tm.dequeue(Time::ZERO, 2).unwrap().packet).collect();
    assert_eq!(order[0], 7);
    assert_eq!(order.iter().filter(|p| **p == 1).count(), 30);
    assert_eq!(order.iter().filter(|p| **p == 2).count(), 10);
}

#[test]
fn marking_depends_on_the_remaining_queue_depth() {
    let mut config = config();
    for port in &mut config.ports {
        port.queues[3].ecn = Some(Ecn { kmin_bytes: 3000, kmax_bytes: 6000, pmax_ppm: 0 });
    }
    let mut tm = tm(config);
    for n in 0..10 {
        tm.enqueue(Time::ZERO, Arrival { ecn_capable: n != 1, ..arrival(1, 2, 3, 1000) }, n).unwrap();
    }
    let marks: Vec<bool> = (0..10).map(|_| tm.dequeue(Time::ZERO, 2).unwrap().ecn_mark).collect();
    assert_eq!(marks, [true, false, true, false, false, false, false, false, false, false]);
}

#[derive(Clone, Debug)]
enum Step {
    Enqueue { ingress: u16, egress: u16, priority: u8, bytes: u32 },
    Transmit { port: u16 },
    Pfc { port: u16, priority: u8, quanta: u16 },
    Wait { ns: u64 },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..6u16, 0..6u16, 0..8u8, 1..2000u32)
            .prop_map(|(ingress, egress, priority, bytes)| Step::Enqueue { ingress, egress, priority, bytes }),
        3 => (0..6u16).prop_map(|port| Step::Transmit { port }),
        1 => (0..6u16, 0..8u8, 0..3u16).prop_map(|(port, priority, quanta)| Step::Pfc { port, priority, quanta }),
        1 => (0..20u64).prop_map(|ns| Step::Wait { ns }),
    ]
}

/// A small memory with cells, oversubscribed pools and a weighted queue, so that every limit is reached.
fn tight() -> TmConfig {
    let mut config = config();
    config.memory_bytes = 60_000;
    config.cell_bytes = 208;
    config.ingress_pools[0] = PoolConfig { size_bytes: 30_000, shared_headroom_bytes: Some(9_000) };
    config.egress_pools[0].size_bytes = 40_000;
    for port in &mut config.ports {
        port.groups[3].reserved_bytes = 1000;
        port.groups[3].threshold = Threshold::Dynamic { alpha_exponent: -2 };
        port.queues[1].service = Service::Weighted(500);
        port.queues[1].threshold = Some(Threshold::Dynamic { alpha_exponent: 0 });
        port.queues[3].ecn = Some(Ecn { kmin_bytes: 1000, kmax_bytes: 5000, pmax_ppm: 500_000 });
        port.queues[2].early_drop = Some(Ecn { kmin_bytes: 1000, kmax_bytes: 5000, pmax_ppm: 500_000 });
        port.maps.queue[5] = 3;
        port.maps.group[6] = 3;
        port.maps.paused_queue[4] = 1;
        port.pfc_reaction = Time::from_ns(u64::from(port.number));
        port.watchdog = Some(Watchdog {
            detection: Time::from_ns(15),
            restoration: Some(Time::from_ns(40)),
            action: [WatchdogAction::Drop, WatchdogAction::Forward, WatchdogAction::Alert]
                [usize::from(port.number) % 3],
            priorities: 0b1111,
        });
    }
    config
}

fn run(steps: &[Step]) -> Vec<TmEvent> {
    let mut tm = tm(tight());
    let (mut now, mut log, mut stored, mut left) = (Time::ZERO, Vec::new(), 0u64, 0u64);
    for step in steps {
        match *step {
            Step::Enqueue { ingress, egress, priority, bytes } => {
                stored +=
                    u64::from(tm.enqueue(now, arrival(ingress, egress, priority, bytes), bytes).is_ok());
            }
            Step::Transmit { port } => {
                if tm.take_pfc(now, port).is_none() {
                    left += u64::from(tm.dequeue(now, port).is_some());
                }
            }
            Step::Pfc { port, priority, quanta } => tm.receive_pfc(now, port, &Pfc::single(priority, quanta)),
            Step::Wait { ns } => {
                now += Time::from_ns(ns);
                tm.wake(now);
            }
        }
        assert_eq!(tm.audit(), Ok(()), "after {step:?}");
        assert!(tm.memory().0 <= 60_000);
        tm.drain_events(&mut log);
    }
    // All stored packets leave once no pause is in effect, or were flushed by a watchdog.
    for port in 1..=4 {
        for priority in 0..8 {
            tm.receive_pfc(now, port, &Pfc::single(priority, 0));
        }
    }
    now += Time::from_us(1);
    tm.wake(now);
    for port in 1..=4 {
        while tm.take_pfc(now, port).is_some() {}
        while tm.dequeue(now, port).is_some() {
            left += 1;
        }
        while tm.take_pfc(now, port).is_some() {}
    }
    tm.drain_events(&mut log);
    let flushed = log.iter().filter(|event| matches!(event, TmEvent::Dropped { stored: true, .. })).count();
    assert_eq!(stored, left + flushed as u64);
    assert_eq!(tm.totals(), Totals::default());
    assert!((1..=4).all(|port| (0..8).all(|priority| !tm.is_pausing_peer(port, priority))));
    log
}

proptest! {
    #[test]
    fn every_packet_is_accounted_for_and_runs_are_reproducible(steps in prop::collection::vec(step(), 1..400)) {
        prop_assert_eq!(run(&steps), run(&steps));
    }
}
