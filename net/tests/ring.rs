//! Headers of frames over a veth pair.

#![allow(clippy::disallowed_methods, reason = "deadlines")]

mod common;

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use common::{enter_namespace, ip, veth};
use harrier_net::{Error, Instruction, Options, Port, Ring, SNAP_BYTES, wait};
use model::wire::Frame;

/// Time within which a frame arrives on any machine.
const DEADLINE: Duration = Duration::from_secs(20);
/// EtherTypes for experiments (IEEE 802), which nothing else sends.
const SELECTED: u16 = 0x88b5;
const OTHER: u16 = 0x88b6;
/// Frames that one ring holds.
const RING_FRAMES: u64 = 32_768;

/// A filter that selects an EtherType: load it, compare, receive the headers or nothing.
fn selected() -> [Instruction; 4] {
    let step = |code, jump_false, operand| Instruction { code, jump_true: 0, jump_false, operand };
    [step(0x28, 0, 12), step(0x15, 1, SELECTED.into()), step(0x06, 0, SNAP_BYTES), step(0x06, 0, 0)]
}

fn frame(ethertype: u16, number: u8, bytes: u32) -> Frame {
    let mut head = vec![0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1];
    head.extend(ethertype.to_be_bytes());
    head.push(number);
    let tail = bytes - head.len() as u32;
    Frame::new(&head, tail)
}

/// A port with a link that sends.
fn port(name: &str) -> Port {
    let end = Instant::now() + DEADLINE;
    let options = Options { promiscuous: false, ethertype: Some(OTHER), ..Options::default() };
    let port = Port::open(name, &options).expect("a port");
    while !port.is_up() {
        assert!(Instant::now() < end, "{name} has no link");
        std::thread::yield_now();
    }
    port
}

/// A ring at `ta`, and ports at `ta` and `tb` that send; `None` where namespaces are not permitted.
fn open() -> Option<(Ring, Port, Port)> {
    if !enter_namespace() {
        return None;
    }
    veth("ta", "tb", 1500);
    let (ta, tb) = (port("ta"), port("tb"));
    Some((Ring::open("ta", &selected()).expect("a ring"), ta, tb))
}

/// Receives until there are `count` frames: number, bytes received and direction of each.
fn collect(ring: &mut Ring, count: usize) -> Vec<(u8, usize, bool)> {
    let end = Instant::now() + DEADLINE;
    let mut frames = Vec::new();
    while frames.len() < count {
        assert!(Instant::now() < end, "{} of {count} frames arrived", frames.len());
        wait(&[ring.as_fd()], Some(Duration::from_secs(1)), &mut Vec::new()).expect("the ring can be polled");
        ring.receive(|headers| frames.push((headers.bytes[14], headers.bytes.len(), headers.outgoing)))
            .expect("the ring receives");
    }
    frames
}

#[test]
fn headers_of_selected_frames_of_both_directions_are_received() {
    let Some((mut ring, mut ta, mut tb)) = open() else { return };
    ta.send(&[frame(SELECTED, 1, 1000), frame(OTHER, 2, 1000)]);
    tb.send(&[frame(OTHER, 3, 60), frame(SELECTED, 4, 60)]);
    assert_eq!(collect(&mut ring, 2), [(1, SNAP_BYTES as usize, true), (4, 60, false)]);
    let counters = ring.counters();
    assert_eq!((counters.received, counters.lost, counters.merged), (2, 0, 0));
}

#[test]
fn frames_have_the_time_at_which_they_passed() {
    let Some((mut ring, mut ta, _tb)) = open() else { return };
    let now_ns = || {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
        now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
    };
    let before_ns = now_ns();
    ta.send(&[frame(SELECTED, 1, 60)]);
    let after_ns = now_ns();
    wait(&[ring.as_fd()], Some(DEADLINE), &mut Vec::new()).expect("the ring can be polled");
    let mut times = Vec::new();
    ring.receive(|headers| times.push(headers.at_ns)).expect("the ring receives");
    assert!(matches!(times[..], [at_ns] if (before_ns..=after_ns).contains(&at_ns)), "{times:?}");
}

#[test]
fn frames_beyond_the_ring_are_counted_as_lost_and_later_ones_are_received() {
    let Some((mut ring, mut ta, _tb)) = open() else { return };
    let batch: Vec<Frame> = (0..64).map(|number| frame(SELECTED, number, 60)).collect();
    let sent = RING_FRAMES + 1024;
    for _ in 0..sent / 64 {
        ta.send(&batch);
    }
    let received = ring.receive(|_| {}).expect("the ring receives") as u64;
    let counters = ring.counters();
    assert_eq!((received, counters.lost), (RING_FRAMES, ta.counters().sent - RING_FRAMES));
    ta.send(&[frame(SELECTED, 200, 60)]);
    assert_eq!(collect(&mut ring, 1), [(200, 60, true)]);
    assert_eq!(ring.counters().lost, counters.lost, "each loss is counted once");
}

#[test]
fn frames_longer_than_the_interface_permits_are_counted() {
    let Some((mut ring, mut ta, _tb)) = open() else { return };
    ta.send(&[frame(SELECTED, 1, 1514)]);
    // Frames that an offload has merged look like this one after the change.
    ip("link set ta mtu 1000");
    ring.refresh();
    assert_eq!(collect(&mut ring, 1), [(1, SNAP_BYTES as usize, true)]);
    assert_eq!(ring.counters().merged, 1);
}

#[test]
fn a_ring_reports_that_its_interface_is_down_and_receives_again() {
    let Some((mut ring, _, _tb)) = open() else { return };
    ip("link set ta down");
    let error = ring.receive(|_| {}).expect_err("the interface is down");
    assert!(matches!(error, Error::Down { .. }), "{error}");
    ip("link set ta up");
    port("ta").send(&[frame(SELECTED, 7, 60)]);
    assert_eq!(collect(&mut ring, 1), [(7, 60, true)]);
}

#[test]
fn a_ring_follows_an_interface_that_is_created_again() {
    let Some((mut ring, ta, tb)) = open() else { return };
    drop((ta, tb));
    ip("link del ta");
    assert!(ring.receive(|_| {}).is_err(), "the interface is gone");
    veth("ta", "tb", 1500);
    ring.refresh();
    port("ta").send(&[frame(SELECTED, 9, 60)]);
    assert_eq!(collect(&mut ring, 1), [(9, 60, true)]);
}
