//! Ports send at the rates of their links, also when they are driven late.

use std::sync::Arc;

use crate::common::Builder;
use model::wire::{Frame, Pfc};
use model::{Rate, Time};
use p4_lang::ir::*;
use p4_switch::tm::{GroupProfile, Lossless, Threshold, TmConfig};
use p4_switch::{Event, PacedSwitch, Pacing, Sent, Switch, SwitchConfig};
use proptest::prelude::*;

const FRAME_BYTES: u64 = 1000;
/// Serialisation time of a frame on a link of port 1.
const SLOT: Time = Time::from_us(80);

/// A switch that sends all packets to port 1, at 100 Mb/s.
fn switch(change: impl FnOnce(&mut TmConfig)) -> PacedSwitch {
    let mut b = Builder::new();
    b.program.ingress.body = vec![Stmt::Assign(b.standard("egress_spec"), crate::common::number(9, 1))];
    let program: Arc<Program> = b.finish();
    let mut tm = TmConfig::lossy((1..=3).map(|port| (port, Rate(100_000_000))), 1 << 25);
    change(&mut tm);
    let mut switch = Switch::new(SwitchConfig::new(tm));
    switch.load(program).expect("the program loads");
    PacedSwitch::new(switch, Pacing::default())
}

fn frame() -> Frame {
    Frame::new(&[2; 34], FRAME_BYTES as u32 - 34)
}

/// Receives `frames` at port 2 and calls the switch at `calls`; returns how many frames left in each call.
fn check(frames: usize, calls: &[Time]) -> Vec<usize> {
    let mut paced = switch(|_| {});
    for _ in 0..frames {
        paced.switch().receive(Time::ZERO, 2, frame());
    }
    calls.iter().map(|now| advance(&mut paced, *now).0.len()).collect()
}

fn advance(paced: &mut PacedSwitch, now: Time) -> (Vec<Sent>, Vec<Event>) {
    let (mut sent, mut events) = (Vec::new(), Vec::new());
    paced.advance(now, |frame| sent.push(frame), |event| events.push(event));
    (sent, events)
}

fn slots(count: u64) -> Time {
    Time(SLOT.0 * count)
}

#[test]
fn frames_leave_one_serialisation_time_apart() {
    let before = Time(SLOT.0 - 1);
    assert_eq!(check(3, &[Time::ZERO, before, SLOT, slots(2), slots(3)]), [1, 0, 1, 1, 0]);
}

#[test]
fn a_late_call_sends_what_was_due() {
    assert_eq!(check(100, &[Time::ZERO, slots(10), slots(11), slots(12)]), [1, 10, 1, 1]);
}

#[test]
fn catching_up_has_a_limit() {
    // 5 ms are 62.5 slots; the frame that begins now is sent as well.
    assert_eq!(check(1000, &[Time::ZERO, Time::from_ms(500)]), [1, 63]);
}

#[test]
fn an_idle_link_saves_no_time() {
    let mut paced = switch(|_| {});
    assert!(advance(&mut paced, Time::ZERO).0.is_empty());
    for _ in 0..3 {
        paced.switch().receive(Time::from_ms(1), 2, frame());
    }
    assert_eq!(advance(&mut paced, Time::from_ms(1)).0.len(), 1);
    assert_eq!(paced.next_due(), Some(Time::from_ms(1) + SLOT));
}

#[test]
fn pauses_are_sent_before_packets_and_end() {
    let mut paced = switch(|tm| {
        tm.ports[1].groups[0] = GroupProfile {
            threshold: Threshold::Static(3_000),
            lossless: Some(Lossless { headroom_bytes: 100_000, xon_bytes: 1_000, xon_offset_bytes: 0 }),
            ..tm.ports[1].groups[0]
        };
    });
    for _ in 0..5 {
        paced.switch().receive(Time::ZERO, 2, frame());
    }
    let pauses = |sent: &[Sent]| -> Vec<(u16, u16)> {
        sent.iter().filter_map(|s| Some((s.port, Pfc::from_bytes(&s.frame.head)?.quanta[0]))).collect()
    };
    let (sent, events) = advance(&mut paced, Time::ZERO);
    assert_eq!(pauses(&sent), [(2, u16::MAX)]);
    assert!(events.iter().any(|event| matches!(event, Event::PauseSent { port: 2, .. })));
    let (sent, _) = advance(&mut paced, slots(4));
    assert_eq!(pauses(&sent), [(2, 0)], "the group resumes when its packets have left");
}

#[test]
fn a_received_pause_stops_the_port_for_its_quanta() {
    let mut paced = switch(|_| {});
    paced.switch().receive(Time::ZERO, 2, frame());
    // 100 quanta of 512 bits at 100 Mb/s.
    let end = Time::from_us(512);
    paced.switch().receive(Time::ZERO, 1, Pfc::single(0, 100).to_frame([2; 6]));
    // The program of this test forwards the PFC frame too.
    assert_eq!(advance(&mut paced, Time::ZERO).0.len(), 0);
    assert_eq!(paced.next_due(), Some(end));
    assert_eq!(advance(&mut paced, end).0.len(), 1);
}

proptest! {
    /// However late the calls are (within the limit of catching up), a backlogged port sends at its rate.
    #[test]
    fn the_rate_is_that_of_the_link(gaps in prop::collection::vec(0u64..5_000_000, 1..60)) {
        let mut now_ns = 0;
        let calls: Vec<Time> = gaps.iter().map(|gap| { now_ns += gap; Time::from_ns(now_ns) }).collect();
        let sent = check(1000, &calls).iter().sum::<usize>();
        let first = calls[0];
        let passed = calls.last().expect("at least one call").saturating_sub(first);
        prop_assert_eq!(sent as u64, (passed.0 / SLOT.0 + 1).min(1000));
    }
}
