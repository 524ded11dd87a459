//! Emptying the traffic manager.

use super::*;

/// A traffic manager with packets in several queues, pauses in both directions, and a storm at port 2.
fn busy() -> TrafficManager<u32> {
    let mut config = config();
    for port in &mut config.ports {
        port.watchdog = Some(Watchdog {
            detection: Time::from_us(100),
            restoration: None,
            action: WatchdogAction::Forward,
            priorities: 1 << 3,
        });
    }
    let mut tm = tm(config);
    fill(&mut tm, 16);
    tm.enqueue(Time::ZERO, arrival(3, 4, 0, 200), 99).unwrap();
    tm.receive_pfc(Time::ZERO, 2, &Pfc::single(3, u16::MAX));
    tm.receive_pfc(Time::ZERO, 4, &Pfc::single(0, u16::MAX));
    tm.wake(Time::from_us(100));
    assert!(tm.is_pausing_peer(1, 3) && tm.storm_since(2, 3).is_some());
    events(&mut tm);
    tm
}

#[test]
fn a_cleared_traffic_manager_has_no_packets_no_pauses_and_no_timers() {
    let mut tm = busy();
    let before = tm.counters(1, 3).unwrap();
    assert_eq!(tm.clear().len(), 17);
    assert_eq!(tm.totals(), Totals::default());
    assert_eq!(tm.audit(), Ok(()));
    for port in 1..=4 {
        assert!((0..8).all(|priority| tm.paused_until(port, priority).is_none()));
        assert!((0..8).all(|priority| !tm.is_pausing_peer(port, priority)));
        assert_eq!(tm.take_pfc(Time::from_us(200), port), None);
        assert_eq!(tm.dequeue(Time::from_us(200), port), None);
    }
    assert_eq!((tm.next_wake(), tm.storm_since(2, 3)), (None, None));
    assert_eq!(tm.counters(1, 3).unwrap(), before, "removed packets are not drops");
    let ended = events(&mut tm);
    assert!(ended.contains(&TmEvent::PauseExpired { port: 2, priority: 3 }), "{ended:?}");
    assert!(ended.contains(&TmEvent::WatchdogRestored { port: 2, priority: 3 }), "{ended:?}");
    assert!(!ended.iter().any(|event| matches!(event, TmEvent::Ready { .. })), "{ended:?}");
}

#[test]
fn the_first_packet_after_clearing_makes_its_port_ready() {
    let mut tm = busy();
    tm.clear();
    events(&mut tm);
    let now = Time::from_us(300);
    tm.enqueue(now, arrival(1, 2, 3, 1348), 7).unwrap();
    assert_eq!(events(&mut tm), [TmEvent::Ready { port: 2 }]);
    assert_eq!(tm.dequeue(now, 2).map(|departure| departure.packet), Some(7));
    // XOFF is reached after as many packets as on a new switch.
    for packet in 0..15 {
        tm.enqueue(now, arrival(1, 2, 3, 1348), packet).unwrap();
    }
    assert!(!tm.is_pausing_peer(1, 3));
    tm.enqueue(now, arrival(1, 2, 3, 1348), 15).unwrap();
    assert_eq!(tm.take_pfc(now, 1), Some(Pfc::single(3, u16::MAX)));
}
