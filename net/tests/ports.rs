//! Frames over veth pairs.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "deadlines, and the socket of another program"
)]

mod common;

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use common::{enter_namespace, ip, veth};
use harrier_net::{Error, Options, Port, wait};
use model::wire::{Frame, Pfc};

/// Time within which a frame arrives on any machine.
const DEADLINE: Duration = Duration::from_secs(20);

/// Receives frames until there are `count`.
fn collect(port: &mut Port, count: usize) -> Vec<Vec<u8>> {
    let end = Instant::now() + DEADLINE;
    let (mut frames, mut ready) = (Vec::new(), Vec::new());
    while frames.len() < count {
        let left = end.saturating_duration_since(Instant::now());
        assert!(!left.is_zero(), "{} of {count} frames arrived", frames.len());
        wait(&[port.as_fd()], Some(left), &mut ready).expect("the port can be polled");
        port.receive(|frame| frames.push(frame.bytes.to_vec())).expect("the port receives");
    }
    frames
}

fn ethernet(after_addresses: &[u8], bytes: usize) -> Frame {
    let mut frame = vec![0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1];
    frame.extend_from_slice(after_addresses);
    let filler = frame.len() as u8..;
    frame.extend(filler.take(20));
    let tail = bytes.saturating_sub(frame.len()) as u32;
    Frame::new(&frame, tail)
}

fn bytes(frame: &Frame) -> Vec<u8> {
    let mut bytes = frame.head.to_vec();
    bytes.resize(frame.len() as usize, 0);
    bytes
}

/// Sends frames from one end of a veth pair; the other end receives exactly them, in order.
fn check(mtu: u32, frames: &[Frame]) {
    if !enter_namespace() {
        return;
    }
    link(mtu);
    let (mut a, mut b) = (open("ta"), open("tb"));
    a.send(frames);
    assert_eq!(collect(&mut b, frames.len()), frames.iter().map(bytes).collect::<Vec<_>>());
    assert_eq!(a.counters().sent, frames.len() as u64);
    assert_eq!(a.counters().received, 0, "a port does not receive its own frames");
}

/// Creates the pair of interfaces `ta` and `tb`.
fn link(mtu: u32) {
    veth("ta", "tb", mtu);
    await_link(&["ta", "tb"]);
}

/// Waits until the kernel, which does that later, has activated both ends.
fn await_link(names: &[&str]) {
    await_that(|| names.iter().all(|name| open(name).is_up()), &format!("{names:?} have a link"));
}

/// Waits until a condition holds that the kernel establishes later.
fn await_that(holds: impl Fn() -> bool, what: &str) {
    let end = Instant::now() + DEADLINE;
    while !holds() {
        assert!(Instant::now() < end, "waited in vain until {what}");
        std::thread::yield_now();
    }
}

fn open(name: &str) -> Port {
    Port::open(name, &Options::default()).expect("the interface exists")
}

#[test]
fn frames_arrive_as_sent() {
    let lengths = [60, 64, 65, 512, 1500, 1514];
    check(1500, &lengths.map(|length| ethernet(&[0x88, 0xb5], length)));
}

#[test]
fn more_frames_than_one_batch_arrive_in_order() {
    let numbered = |n: u16| ethernet(&[0x88, 0xb5, (n >> 8) as u8, n as u8], 100);
    check(1500, &(0..1000).map(numbered).collect::<Vec<_>>());
}

#[test]
fn jumbo_frames_arrive_whole() {
    check(9216, &[ethernet(&[0x88, 0xb5], 9230), ethernet(&[0x88, 0xb5], 4096)]);
}

#[test]
fn vlan_tags_stay_in_the_frame() {
    check(
        1500,
        &[
            // VLAN 100 with priority 3, priority 5 without a VLAN, and two tags of a provider bridge.
            ethernet(&[0x81, 0x00, 0x60, 0x64, 0x88, 0xb5], 64),
            ethernet(&[0x81, 0x00, 0xa0, 0x00, 0x88, 0xb5], 64),
            ethernet(&[0x88, 0xa8, 0x00, 0x0a, 0x81, 0x00, 0x60, 0x64, 0x88, 0xb5], 1514),
        ],
    );
}

#[test]
fn pfc_frames_arrive() {
    check(1500, &[Pfc::single(3, 0xffff).to_frame([2; 6]), Pfc::single(3, 0).to_frame([2; 6])]);
}

#[test]
fn a_frame_longer_than_the_mtu_is_counted_and_does_not_delay_others() {
    if !enter_namespace() {
        return;
    }
    link(1500);
    let (mut a, mut b) = (open("ta"), open("tb"));
    let short = ethernet(&[0x88, 0xb5], 64);
    a.send(&[ethernet(&[0x88, 0xb5], 2000), short.clone()]);
    assert_eq!(collect(&mut b, 1), [bytes(&short)]);
    assert_eq!((a.counters().sent, a.counters().too_long), (1, 1));
}

#[test]
fn frames_of_the_kernel_have_valid_checksums() {
    if !enter_namespace() {
        return;
    }
    link(1500);
    ip("addr add 10.9.0.1/24 dev ta");
    ip("neigh add 10.9.0.2 lladdr 02:00:00:00:00:02 dev ta");
    let mut b = open("tb");
    let socket = std::net::UdpSocket::bind("10.9.0.1:5000").expect("the address is free");
    socket.send_to(b"abc", "10.9.0.2:6000").expect("the neighbour is known");
    let frame = loop {
        let frame = collect(&mut b, 1).remove(0);
        if frame[12..14] == [8, 0] && frame[23] == 17 {
            break frame;
        }
    };
    let words = [&frame[26..], &[0], &[0, 17, 0, 11]].concat();
    let sum: u32 = words.chunks_exact(2).map(|w| u32::from(u16::from_be_bytes([w[0], w[1]]))).sum();
    assert_eq!(sum % 0xffff, 0, "UDP checksum with its pseudo header in {frame:02x?}");
}

#[test]
fn a_capture_sees_both_directions_with_times() {
    if !enter_namespace() {
        return;
    }
    link(1500);
    let options = Options { outgoing: true, timestamps: true, ..Options::default() };
    let mut capture = Port::open("ta", &options).expect("the interface exists");
    let (mut a, mut b) = (open("ta"), open("tb"));
    a.send(&[ethernet(&[0x88, 0xb5], 64)]);
    b.send(&[ethernet(&[0x88, 0xb5], 65)]);
    let end = Instant::now() + DEADLINE;
    let (mut seen, mut ready) = (Vec::new(), Vec::new());
    while seen.len() < 2 && Instant::now() < end {
        wait(&[capture.as_fd()], Some(DEADLINE), &mut ready).expect("the port can be polled");
        capture
            .receive(|frame| seen.push((frame.bytes.len(), frame.outgoing, frame.at_ns.is_some())))
            .expect("the port receives");
    }
    assert_eq!(seen, [(64, true, true), (65, false, true)]);
}

#[test]
fn an_interface_that_goes_down_and_up_receives_again() {
    if !enter_namespace() {
        return;
    }
    link(1500);
    let (mut a, mut b) = (open("ta"), open("tb"));
    ip("link set tb down");
    assert!(!b.is_up());
    await_that(|| !a.is_up(), "a veth interface, whose peer is down, has no link");
    assert!(matches!(b.receive(|_| {}), Err(Error::Down { .. })));
    a.send(&[ethernet(&[0x88, 0xb5], 64)]);
    ip("link set tb up");
    await_link(&["ta", "tb"]);
    a.send(&[ethernet(&[0x88, 0xb5], 65)]);
    assert_eq!(collect(&mut b, 1)[0].len(), 65);
}

#[test]
fn an_interface_that_is_created_again_is_opened_again() {
    if !enter_namespace() {
        return;
    }
    link(1500);
    let mut b = open("tb");
    open("ta").send(&[ethernet(&[0x88, 0xb5], 64)]);
    assert_eq!(collect(&mut b, 1)[0].len(), 64);
    ip("link del ta");
    assert!(!b.refresh(), "there is no interface of this name");
    link(1500);
    await_link(&["ta", "tb"]);
    assert!(!b.is_up(), "the socket belongs to the interface that is gone");
    assert!(b.refresh());
    open("ta").send(&[ethernet(&[0x88, 0xb5], 65)]);
    assert_eq!(collect(&mut b, 1)[0].len(), 65);
    assert_eq!(b.counters().received, 2, "the counters go on");
}

#[test]
fn interfaces_that_cannot_be_used_are_reported() {
    if !enter_namespace() {
        return;
    }
    ip("link add ta type veth peer name tb");
    let error =
        |name: &str| Port::open(name, &Options::default()).expect_err("the port cannot open").to_string();
    assert!(error("eth77").starts_with("no interface eth77 in this network namespace"));
    assert!(error("ta").starts_with("interface ta is down; `ip link set ta up`"));
    assert!(error("a-name-that-is-too-long").contains("cannot be the name of an interface"));
    assert!(error("").contains("cannot be the name of an interface"));
}
