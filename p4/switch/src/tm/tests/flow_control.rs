//! Reaction times, disabled PFC, and traffic classes that share groups and queues.

use super::*;

#[test]
fn a_pause_takes_effect_after_the_reaction_time_and_ends_with_its_quanta() {
    let mut config = config();
    let reaction = standard_reaction(Rate::from_gbps(100));
    assert_eq!(reaction, Time(394 * 5_120));
    config.ports[1].pfc_reaction = reaction;
    let mut tm = tm(config);
    fill(&mut tm, 4);
    tm.receive_pfc(Time::ZERO, 2, &Pfc::single(3, 1_000));
    // Still sending during the reaction time ...
    let last = Time(reaction.0 - 1);
    tm.wake(last);
    assert!(tm.dequeue(last, 2).is_some());
    // ... and paused from then on until the quanta, which count from the frame, have passed.
    assert_eq!(tm.next_wake(), Some(reaction));
    tm.wake(reaction);
    assert_eq!(tm.dequeue(reaction, 2), None);
    let end = Time(1_000 * 5_120);
    assert_eq!(tm.paused_until(2, 3), Some(end));
    tm.wake(end);
    assert!(tm.dequeue(end, 2).is_some());
}

#[test]
fn a_pause_shorter_than_the_reaction_time_has_no_effect() {
    let mut config = config();
    config.ports[1].pfc_reaction = Time::from_us(2);
    let mut tm = tm(config);
    fill(&mut tm, 1);
    tm.receive_pfc(Time::ZERO, 2, &Pfc::single(3, 10));
    tm.wake(Time::from_us(2));
    assert!(tm.dequeue(Time::from_us(2), 2).is_some());
    assert_eq!(tm.next_wake(), None);
}

#[test]
fn pauses_and_resumes_take_effect_in_arrival_order() {
    let mut config = config();
    config.ports[1].pfc_reaction = Time::from_us(1);
    let mut tm = tm(config);
    fill(&mut tm, 2);
    tm.receive_pfc(Time::ZERO, 2, &Pfc::single(3, u16::MAX));
    tm.receive_pfc(Time::from_ns(500), 2, &Pfc::single(3, 0));
    tm.wake(Time::from_us(1));
    assert_eq!(tm.dequeue(Time::from_us(1), 2), None);
    tm.wake(Time::from_ns(1_500));
    assert!(tm.dequeue(Time::from_ns(1_500), 2).is_some());
}

#[test]
fn without_pfc_a_lossless_group_drops_packets_and_ignores_pauses() {
    let mut config = config();
    config.ports[0].pfc_enabled = !(1 << 3);
    config.ports[1].pfc_enabled = !(1 << 3);
    let mut tm = tm(config);
    tm.receive_pfc(Time::ZERO, 2, &Pfc::single(3, u16::MAX));
    assert_eq!(events(&mut tm), []);
    fill(&mut tm, 15 + 27);
    assert_eq!(tm.take_pfc(Time::ZERO, 1), None);
    assert_eq!(tm.enqueue(Time::ZERO, arrival(1, 2, 3, 1348), 0).unwrap_err().0, DropReason::HeadroomFull);
    assert!(tm.dequeue(Time::ZERO, 2).is_some());
}

#[test]
fn class_maps_select_group_queue_and_paused_queue() {
    let mut config = config();
    for port in &mut config.ports {
        // Class 5 shares group and queue of class 3; priority 4 pauses queue 3 as well.
        port.maps.group[5] = 3;
        port.maps.queue[5] = 3;
        port.maps.paused_queue[4] = 3;
    }
    let mut tm = tm(config);
    tm.enqueue(Time::ZERO, arrival(1, 2, 5, 1000), 1).unwrap();
    assert_eq!(tm.group(1, 3).unwrap().bytes, 1000);
    assert_eq!(tm.queue(2, 3).unwrap().packets, 1);
    tm.receive_pfc(Time::ZERO, 2, &Pfc::single(4, 100));
    tm.receive_pfc(Time::ZERO, 2, &Pfc::single(3, 100));
    tm.receive_pfc(Time::ZERO, 2, &Pfc::single(3, 0));
    assert_eq!(tm.dequeue(Time::ZERO, 2), None);
    tm.receive_pfc(Time::ZERO, 2, &Pfc::single(4, 0));
    let departure = tm.dequeue(Time::ZERO, 2).expect("invariant: the queue is no longer paused");
    assert_eq!((departure.priority, departure.ingress_port), (5, 1));
}

#[test]
fn early_drop_selects_packets_that_are_not_ecn_capable() {
    let mut config = config();
    for port in &mut config.ports {
        let curve = Ecn { kmin_bytes: 3_000, kmax_bytes: 6_000, pmax_ppm: 0 };
        port.queues[0].ecn = Some(curve);
        port.queues[0].early_drop = Some(curve);
    }
    let mut tm = tm(config);
    let not_capable = Arrival { ecn_capable: false, ..arrival(1, 2, 0, 1_000) };
    for _ in 0..7 {
        tm.enqueue(Time::ZERO, not_capable, 0).expect("below Kmax");
    }
    assert_eq!(tm.enqueue(Time::ZERO, not_capable, 0).unwrap_err().0, DropReason::Early);
    assert!(tm.enqueue(Time::ZERO, arrival(1, 2, 0, 1_000), 0).is_ok());
}
