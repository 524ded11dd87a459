//! PFC in both directions and ECN, in a whole switch.

use std::sync::Arc;

use crate::common::{Builder, bytes};
use model::wire::{Frame, Pfc};
use model::{Rate, Time};
use p4_lang::ir::*;
use p4_switch::tm::{
    DropReason as QueueDrop, Ecn, GroupProfile, Lossless, Threshold, TmConfig, Watchdog, WatchdogAction,
};
use p4_switch::{DropReason, Event, Switch, SwitchConfig};

/// A program that sends all packets to port 1 and counts them.
fn program() -> Arc<Program> {
    let mut b = Builder::new();
    b.program.counters.push(Counter {
        preamble: crate::common::preamble("seen"),
        unit: Unit::Packets,
        size: 1,
        direct: false,
    });
    b.program.ingress.body = vec![
        Stmt::Extern(ExternCall::CounterCount(CounterId(0), crate::common::number(32, 0))),
        Stmt::Assign(b.standard("egress_spec"), crate::common::number(9, 1)),
    ];
    b.finish()
}

fn switch(change: impl FnOnce(&mut TmConfig)) -> Switch {
    let mut tm = TmConfig::lossy((1..=4).map(|port| (port, Rate::from_gbps(100))), 1 << 20);
    change(&mut tm);
    let mut switch = Switch::new(SwitchConfig::new(tm));
    switch.load(program()).unwrap_or_else(|e| panic!("{e}"));
    switch
}

fn ipv4(tos: u8) -> Frame {
    let mut head = [0; 34];
    head[12..16].copy_from_slice(&[0x08, 0x00, 0x45, tos]);
    Frame::new(&head, 1000)
}

#[test]
fn a_received_pause_stops_the_queue_and_is_forwarded_to_the_program() {
    let mut switch = switch(|_| {});
    switch.receive(Time::ZERO, 1, Pfc::single(0, 100).to_frame([2; 6]));
    let paused = Event::PauseReceived { at: Time::ZERO, port: 1, priority: 0, quanta: 100 };
    assert!(switch.take_events().contains(&paused));
    assert_eq!(switch.control().counter_read("seen", 0).map(|c| c.packets), Ok(1));
    switch.receive(Time::ZERO, 2, ipv4(0));
    assert_eq!(switch.transmit(Time::ZERO, 1), None);
    let end = switch.next_wake().expect("the pause has an end");
    assert_eq!(end, Time(100 * 512 * 10));
    switch.wake(end);
    let events = switch.take_events();
    assert!(events.contains(&Event::PauseExpired { at: end, port: 1, priority: 0 }));
    assert!(events.contains(&Event::PortReady(1)));
    // The program forwards the PFC frame as well, ahead of the packet.
    assert_eq!(switch.transmit(end, 1).map(|f| f.len()), Some(60));
    assert_eq!(switch.transmit(end, 1), Some(ipv4(0)));
}

#[test]
fn packets_of_a_paused_queue_do_not_reach_the_next_program() {
    let mut switch = switch(|_| {});
    switch.receive(Time::ZERO, 1, Pfc::single(0, 100).to_frame([2; 6]));
    switch.receive(Time::ZERO, 2, ipv4(0));
    switch.load(program()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(switch.traffic_manager().totals().memory_bytes, 0, "the queues are empty");
    // The pause is that of the peer, so that it stays.
    switch.receive(Time::ZERO, 2, ipv4(1));
    assert_eq!(switch.transmit(Time::ZERO, 1), None);
    let end = switch.next_wake().expect("the pause has an end");
    switch.wake(end);
    assert_eq!(switch.transmit(end, 1), Some(ipv4(1)));
    assert_eq!(switch.transmit(end, 1), None);
}

#[test]
fn a_pause_is_sent_before_any_packet() {
    let mut switch = switch(|tm| {
        let group = &mut tm.ports[1].groups[0];
        group.threshold = Threshold::Static(2_000);
        group.lossless = Some(Lossless { headroom_bytes: 10_000, xon_bytes: 1_000, xon_offset_bytes: 0 });
    });
    for _ in 0..3 {
        switch.receive(Time::ZERO, 2, ipv4(0));
    }
    assert!(switch.take_events().contains(&Event::PortReady(2)));
    let pause = switch.transmit(Time::ZERO, 2).expect("the pause");
    let pfc = Pfc::from_bytes(&bytes(&pause)).expect("a PFC frame");
    assert_eq!((pfc.class_enable, pfc.quanta[0]), (1, u16::MAX));
    assert_eq!(pause.head[6..12], [2, 0, 0, 0, 0, 2]);
    let sent = |e: &Event| matches!(e, Event::PauseSent { port: 2, priority: 0, refresh: false, .. });
    assert!(switch.take_events().iter().any(sent));
    assert_eq!(switch.transmit(Time::ZERO, 2), None);
    while switch.transmit(Time::ZERO, 1).is_some() {}
    let resume = switch.transmit(Time::ZERO, 2).expect("the resume");
    assert_eq!(Pfc::from_bytes(&bytes(&resume)).map(|p| p.quanta[0]), Some(0));
}

#[test]
fn a_long_queue_marks_ecn_capable_packets() {
    let mut switch = switch(|tm| {
        tm.ports[0].queues[0].ecn = Some(Ecn { kmin_bytes: 0, kmax_bytes: 500, pmax_ppm: 1_000_000 });
    });
    for tos in [2, 0, 2] {
        switch.receive(Time::ZERO, 2, ipv4(tos));
    }
    let sent: Vec<u8> = crate::common::drain(&mut switch, 1).iter().map(|p| p[15]).collect();
    // The last packet leaves an empty queue.
    assert_eq!(sent, [3, 0, 2]);
}

#[test]
fn marks_repeat_after_a_restart_of_the_random_numbers() {
    let mut switch = switch(|tm| {
        tm.ports[0].queues[0].ecn = Some(Ecn { kmin_bytes: 0, kmax_bytes: 1_000_000, pmax_ppm: 1_000_000 });
    });
    let mut marks = |seed| {
        switch.restart_random(1, seed);
        (0..200).for_each(|_| switch.receive(Time::ZERO, 2, ipv4(2)));
        crate::common::drain(&mut switch, 1).iter().map(|packet| packet[15]).collect::<Vec<u8>>()
    };
    let first = marks(7);
    assert!(first.contains(&2) && first.contains(&3), "{first:?}");
    assert_ne!(marks(8), first);
    assert_eq!(marks(7), first);
}

#[test]
fn lossless_drops_name_their_profile_and_watchdog_events_are_reported() {
    let detection = Time::from_us(200);
    let mut switch = switch(|tm| {
        tm.profiles.push("pg_lossless".to_string());
        let lossless = Lossless { headroom_bytes: 2_000, xon_bytes: 0, xon_offset_bytes: 0 };
        let group = &mut tm.ports[1].groups[0];
        let threshold = Threshold::Static(2_000);
        *group = GroupProfile { profile: 1, threshold, lossless: Some(lossless), ..*group };
        let (restoration, action) = (Some(Time::from_ms(1)), WatchdogAction::Drop);
        tm.ports[0].watchdog = Some(Watchdog { detection, restoration, action, priorities: 1 });
    });
    switch.receive(Time::ZERO, 1, Pfc::single(0, u16::MAX).to_frame([2; 6]));
    for _ in 0..3 {
        switch.receive(Time::ZERO, 2, ipv4(0));
    }
    // One packet of 1034 B fits under the threshold and one into the headroom.
    let lost = |at, reason| Event::LosslessDrop {
        at,
        ingress_port: 2,
        egress_port: 1,
        priority: 0,
        bytes: 1_034,
        reason,
        profile: "pg_lossless".to_string(),
    };
    let events = switch.take_events();
    let named = |events: &[Event]| events.iter().filter(|e| matches!(e, Event::LosslessDrop { .. })).count();
    assert!(events.contains(&lost(Time::ZERO, QueueDrop::HeadroomFull)), "{events:?}");
    assert_eq!(named(&events), 1);
    switch.wake(detection);
    let events = switch.take_events();
    let fired = Event::WatchdogFired { at: detection, port: 1, priority: 0, action: WatchdogAction::Drop };
    assert!(events.contains(&fired) && events.contains(&lost(detection, QueueDrop::Watchdog)), "{events:?}");
    assert_eq!(named(&events), 2);
    // The watchdog flushes the forwarded PFC frame and both packets.
    let flushed = DropReason::Queue(QueueDrop::Watchdog);
    let dropped = events.iter().filter(|e| matches!(e, Event::Dropped { reason, .. } if *reason == flushed));
    assert_eq!((dropped.count(), switch.counters().dropped_queue), (3, 4));
    assert_eq!(switch.transmit(detection, 1), None);
    // No pause arrived after the detection.
    let restored = detection + Time::from_ms(1);
    switch.wake(restored);
    assert!(switch.take_events().contains(&Event::WatchdogRestored { at: restored, port: 1, priority: 0 }));
    switch.receive(restored, 2, ipv4(0));
    assert_eq!(switch.transmit(restored, 1), Some(ipv4(0)));
}

#[test]
fn a_switch_without_traffic_forwards_again_and_its_program_has_received_resume_frames() {
    let mut switch = switch(|_| {});
    switch.receive(Time::ZERO, 1, Pfc::single(0, u16::MAX).to_frame([2; 6]));
    switch.receive(Time::ZERO, 2, ipv4(0));
    assert_eq!(switch.transmit(Time::ZERO, 1), None);
    let (counters, now) = (switch.counters(), Time::from_us(1));
    switch.take_events();
    switch.clear_traffic(now);
    // Two frames before, and a resume frame at each of the four ports.
    assert_eq!(switch.control().counter_read("seen", 0).map(|c| c.packets), Ok(6));
    let cleared = switch.counters();
    assert_eq!((cleared.received, cleared.dropped()), (counters.received + 4, counters.dropped()));
    assert_eq!(switch.traffic_manager().audit(), Ok(()));
    assert_eq!(switch.traffic_manager().memory().0, 0);
    let events = switch.take_events();
    assert!(
        events.contains(&Event::PauseReceived { at: now, port: 1, priority: 0, quanta: 0 }),
        "{events:?}"
    );
    assert!(!events.iter().any(|event| matches!(event, Event::PortReady(_))), "{events:?}");
    assert_eq!((switch.transmit(now, 1), switch.next_wake()), (None, None));
    switch.receive(now, 2, ipv4(0));
    assert!(switch.take_events().contains(&Event::PortReady(1)));
    assert!(switch.transmit(now, 1).is_some());
}
