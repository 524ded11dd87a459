//! The PFC watchdog: detection, actions, restoration.

use super::*;

const DETECTION: Time = Time::from_ms(200);
const RESTORATION: Time = Time::from_ms(200);

fn with_watchdog(action: WatchdogAction) -> TrafficManager<u32> {
    let mut config = config();
    for port in &mut config.ports {
        port.watchdog = Some(Watchdog {
            detection: DETECTION,
            restoration: Some(RESTORATION),
            action,
            priorities: 1 << 3,
        });
    }
    tm(config)
}

/// The peer at port 2 pauses class 3 every 100 us from `from` to `to`; returns the watchdog events with their times.
fn storm(tm: &mut TrafficManager<u32>, from: Time, to: Time) -> Vec<(Time, TmEvent)> {
    let mut log = Vec::new();
    let mut now = from;
    while now <= to {
        run_timers(tm, now, &mut log);
        tm.receive_pfc(now, 2, &Pfc::single(3, u16::MAX));
        now += Time::from_us(100);
    }
    log
}

/// Runs all timers up to `now` at their due times and collects the watchdog events.
fn run_timers(tm: &mut TrafficManager<u32>, now: Time, log: &mut Vec<(Time, TmEvent)>) {
    while let Some(due) = tm.next_wake().filter(|due| *due <= now) {
        tm.wake(due);
        let reported = events(tm).into_iter();
        log.extend(
            reported.map(|e| (due, e)).filter(|(_, e)| {
                matches!(e, TmEvent::WatchdogFired { .. } | TmEvent::WatchdogRestored { .. })
            }),
        );
    }
}

fn fired(action: WatchdogAction) -> TmEvent {
    TmEvent::WatchdogFired { port: 2, priority: 3, action }
}

const RESTORED: TmEvent = TmEvent::WatchdogRestored { port: 2, priority: 3 };

#[test]
fn a_storm_drops_the_queue_until_200_ms_after_the_last_pause() {
    let mut tm = with_watchdog(WatchdogAction::Drop);
    fill(&mut tm, 16);
    assert!(tm.is_pausing_peer(1, 3));
    let log = storm(&mut tm, Time::ZERO, Time::from_ms(300));
    assert_eq!(log, [(DETECTION, fired(WatchdogAction::Drop))]);
    // The queue is flushed, its ingress port is resumed, and arriving packets are dropped, from the peer as well.
    assert_eq!(tm.totals(), Totals::default());
    assert!(!tm.is_pausing_peer(1, 3));
    for (from, to) in [(1, 2), (2, 4)] {
        let refused = tm.enqueue(Time::from_ms(300), arrival(from, to, 3, 1000), 0).unwrap_err();
        assert_eq!(refused.0, DropReason::Watchdog);
    }
    assert!(tm.enqueue(Time::from_ms(300), arrival(1, 4, 3, 1000), 0).is_ok());
    assert!(tm.enqueue(Time::from_ms(300), arrival(1, 2, 0, 1000), 0).is_ok());
    let mut log = Vec::new();
    run_timers(&mut tm, Time::from_ms(900), &mut log);
    assert_eq!(log, [(Time::from_ms(500), RESTORED)]);
    assert!(tm.enqueue(Time::from_ms(900), arrival(1, 2, 3, 1000), 0).is_ok());
    let counted = tm.counters(2, 3).unwrap();
    assert_eq!((counted.watchdog_fires, counted.watchdog_restores), (1, 1));
    // The 16 flushed packets and the one to the port in a storm; the one from it.
    assert_eq!((counted.watchdog_tx_dropped_packets, counted.watchdog_rx_dropped_packets), (17, 1));
}

#[test]
fn an_empty_queue_or_an_interrupted_pause_is_not_a_storm() {
    let mut tm = with_watchdog(WatchdogAction::Drop);
    assert_eq!(storm(&mut tm, Time::ZERO, Time::from_ms(500)), []);
    // A packet arrives later: the detection time starts with it.
    let start = Time::from_ms(500) + Time::from_us(50);
    fill_at(&mut tm, start);
    let mut log = storm(&mut tm, Time::from_ms(500) + Time::from_us(100), Time::from_ms(600));
    // A short resume lets a packet leave; the detection time starts again.
    let gap = Time::from_ms(600) + Time::from_us(50);
    tm.receive_pfc(gap, 2, &Pfc::single(3, 0));
    assert!(tm.dequeue(gap, 2).is_some());
    fill_at(&mut tm, gap);
    let again = Time::from_ms(600) + Time::from_us(100);
    log.extend(storm(&mut tm, again, Time::from_ms(900)));
    assert_eq!(log, [(again + DETECTION, fired(WatchdogAction::Drop))]);
}

fn fill_at(tm: &mut TrafficManager<u32>, now: Time) {
    tm.enqueue(now, arrival(1, 2, 3, 1348), 0).unwrap();
}

#[test]
fn the_forward_action_overrides_pauses_and_the_alert_action_does_not() {
    let mut tm = with_watchdog(WatchdogAction::Forward);
    fill(&mut tm, 2);
    storm(&mut tm, Time::ZERO, Time::from_ms(300));
    assert_eq!(tm.storm_since(2, 3), Some(DETECTION));
    assert!(tm.dequeue(Time::from_ms(300), 2).is_some());
    let mut tm = with_watchdog(WatchdogAction::Alert);
    fill(&mut tm, 2);
    let log = storm(&mut tm, Time::ZERO, Time::from_ms(300));
    assert_eq!(log, [(DETECTION, fired(WatchdogAction::Alert))]);
    assert_eq!(tm.dequeue(Time::from_ms(300), 2), None);
}

#[test]
fn priorities_without_a_watchdog_stay_paused() {
    let mut tm = with_watchdog(WatchdogAction::Drop);
    tm.enqueue(Time::ZERO, arrival(1, 2, 4, 1000), 0).unwrap();
    for ms in 0..500 {
        tm.receive_pfc(Time::from_ms(ms), 2, &Pfc::single(4, u16::MAX));
    }
    assert_eq!(tm.counters(2, 4).unwrap().watchdog_fires, 0);
}
