//! Datagrams and writes between devices of the substitute.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use harrier_rdma::{
    Datagram, Error, FlowLabel, Gid, GidKind, Library, LinkLayer, Port, RC_DEPTH, RcCompletion, RcPort,
    RcQueuePair, RcRemote, UdQueuePair, UdRemote, gid_address, gid_bytes,
};
use proptest::prelude::*;

use crate::support::with_library;

/// Time within which anything that must happen happens on any machine.
const DEADLINE: Duration = Duration::from_secs(30);

fn port(device: &str, address: IpAddr) -> Port {
    Port {
        device: device.into(),
        driver: None,
        number: 1,
        is_active: true,
        link_layer: LinkLayer::Ethernet,
        gids: vec![Gid { index: 3, bytes: gid_bytes(address), kind: GidKind::RoceV2 }],
    }
}

fn label() -> FlowLabel {
    FlowLabel::new(77).unwrap()
}

/// Calls `step` until it returns a value.
fn until<T>(what: &str, mut step: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + DEADLINE;
    loop {
        if let Some(found) = step() {
            return found;
        }
        assert!(Instant::now() < end, "{what}");
        std::thread::yield_now();
    }
}

fn ud(library: &Library, device: &str, address: [u8; 4]) -> (UdQueuePair, UdRemote) {
    let address = IpAddr::from(address);
    let pair = UdQueuePair::open(library, &port(device, address), 0x8000_1234).unwrap();
    let remote = UdRemote { address, queue_pair: pair.number(), q_key: pair.q_key() };
    (pair, remote)
}

fn datagrams(pair: &mut UdQueuePair, count: usize) -> Vec<Datagram> {
    let mut found = Vec::new();
    until("datagrams arrive", || {
        found.extend(pair.receive().unwrap());
        (found.len() >= count).then_some(())
    });
    found
}

#[test]
fn a_datagram_arrives_with_its_source() {
    let devices = [("STUB_DEVICES", "rdma0=127.11.0.1,rdma1=127.11.0.2")];
    with_library("queue_pairs::a_datagram_arrives_with_its_source", &devices, |library| {
        assert_eq!(library.devices().unwrap(), ["rdma0", "rdma1"]);
        let (mut first, to_first) = ud(library, "rdma0", [127, 11, 0, 1]);
        let (mut second, to_second) = ud(library, "rdma1", [127, 11, 0, 2]);
        assert_eq!(first.q_key(), 0x1234, "the highest bit belongs to the system");
        let there = first.destination(to_first.address, to_second, label(), 104).unwrap();
        let back = second.destination(to_second.address, to_first, label(), 104).unwrap();
        first.send(&there, b"request").unwrap();
        let expected =
            Datagram { from: to_first.address, queue_pair: to_first.queue_pair, bytes: b"request".to_vec() };
        assert_eq!(datagrams(&mut second, 1), [expected]);
        second.send(&back, &[7; 64]).unwrap();
        assert_eq!(datagrams(&mut first, 1)[0].bytes, [7; 64]);
        assert!(matches!(first.send(&there, &[0; 65]), Err(Error::TooLong { bytes: 65, limit: 64 })));
        let wrong = UdRemote { address: "fd00::1".parse().unwrap(), ..to_second };
        assert!(matches!(
            first.destination(wrong.address, to_second, label(), 0),
            Err(Error::NoSuchGid { .. })
        ));
    });
}

#[test]
fn a_wrong_key_and_a_wrong_number_receive_nothing() {
    let devices = [("STUB_DEVICES", "rdma0=127.11.1.1,rdma1=127.11.1.2")];
    with_library("queue_pairs::a_wrong_key_and_a_wrong_number_receive_nothing", &devices, |library| {
        let (mut first, to_first) = ud(library, "rdma0", [127, 11, 1, 1]);
        let (mut second, to_second) = ud(library, "rdma1", [127, 11, 1, 2]);
        for wrong in [UdRemote { q_key: 1, ..to_second }, UdRemote { queue_pair: 5, ..to_second }] {
            let destination = first.destination(to_first.address, wrong, label(), 0).unwrap();
            first.send(&destination, b"wrong").unwrap();
        }
        let destination = first.destination(to_first.address, to_second, label(), 0).unwrap();
        first.send(&destination, b"right").unwrap();
        let found = datagrams(&mut second, 1);
        assert_eq!(found.iter().map(|found| &found.bytes[..]).collect::<Vec<_>>(), [b"right"]);
    });
}

#[test]
fn memory_for_datagrams_is_used_again() {
    let devices = [("STUB_DEVICES", "rdma0=127.11.2.1,rdma1=127.11.2.2")];
    with_library("queue_pairs::memory_for_datagrams_is_used_again", &devices, |library| {
        let (mut first, to_first) = ud(library, "rdma0", [127, 11, 2, 1]);
        let (mut second, to_second) = ud(library, "rdma1", [127, 11, 2, 2]);
        let destination = first.destination(to_first.address, to_second, label(), 0).unwrap();
        for number in 0..2_000_u32 {
            first.send(&destination, &number.to_be_bytes()).unwrap();
            let found = datagrams(&mut second, 1);
            assert_eq!(found[0].bytes, number.to_be_bytes());
            first.receive().unwrap();
        }
        // Without receive() the slots of sends run out.
        let sent = (0..1_000).filter(|_| first.send(&destination, b"x").is_ok()).count();
        assert_eq!(sent, 256);
        assert!(matches!(first.send(&destination, b"x"), Err(Error::Full)));
        first.receive().unwrap();
        first.send(&destination, b"x").unwrap();
        assert_eq!(first.failed_sends(), 0);
    });
}

/// Two connected ports, the first of which writes.
struct Connection {
    port: RcPort,
    pair: RcQueuePair,
    _peer: (RcPort, RcQueuePair),
}

fn connection(library: &Library, [first, second]: [[u8; 4]; 2]) -> Connection {
    let open = |device, address: [u8; 4]| {
        let own = IpAddr::from(address);
        RcPort::open(library, &port(device, own), 4).unwrap()
    };
    let (first_port, second_port) = (open("rdma0", first), open("rdma1", second));
    let (first_pair, second_pair) = (first_port.queue_pair().unwrap(), second_port.queue_pair().unwrap());
    let remote = |address: [u8; 4], pair: &RcQueuePair, psn| RcRemote {
        address: address.into(),
        queue_pair: pair.number(),
        psn,
        mtu: 3,
    };
    // The number of the first packet wraps soon.
    let (to_first, to_second) = (remote(first, &first_pair, 0xff_fffe), remote(second, &second_pair, 9));
    let (from_first, from_second) = ((first.into(), 0xff_fffe), (second.into(), 9));
    second_port.connect(&second_pair, from_second, &to_first, label(), 104).unwrap();
    first_port.connect(&first_pair, from_first, &to_second, label(), 104).unwrap();
    Connection { port: first_port, pair: first_pair, _peer: (second_port, second_pair) }
}

fn completions(port: &mut RcPort, count: usize) -> Vec<RcCompletion> {
    let mut found = Vec::new();
    until("writes complete", || {
        found.extend(port.completions().unwrap());
        (found.len() >= count).then_some(())
    });
    found
}

#[test]
fn the_peers_device_acknowledges_writes() {
    let devices = [("STUB_DEVICES", "rdma0=127.11.3.1,rdma1=127.11.3.2"), ("STUB_ACK_DELAY_US", "2000")];
    with_library("queue_pairs::the_peers_device_acknowledges_writes", &devices, |library| {
        let Connection { mut port, mut pair, _peer } =
            connection(library, [[127, 11, 3, 1], [127, 11, 3, 2]]);
        for id in 0..10 {
            let before = Instant::now();
            pair.write(id).unwrap();
            let expected = RcCompletion { queue_pair: pair.number(), id, is_success: true };
            assert_eq!(completions(&mut port, 1), [expected]);
            assert!(before.elapsed() >= Duration::from_millis(2), "the delay of the peer's device");
            pair.completed();
        }
        for id in 0..RC_DEPTH {
            pair.write(id.into()).unwrap();
        }
        assert!(matches!(pair.write(99), Err(Error::Full)));
        assert_eq!(completions(&mut port, RC_DEPTH as usize).len(), RC_DEPTH as usize);
    });
}

#[test]
fn a_write_whose_acknowledgement_is_lost_is_repeated() {
    let devices = [("STUB_DEVICES", "rdma0=127.11.4.1,rdma1=127.11.4.2"), ("STUB_ACK_LOSS", "2")];
    with_library("queue_pairs::a_write_whose_acknowledgement_is_lost_is_repeated", &devices, |library| {
        let Connection { mut port, mut pair, _peer } =
            connection(library, [[127, 11, 4, 1], [127, 11, 4, 2]]);
        for id in 0..4 {
            pair.write(id).unwrap();
            assert!(completions(&mut port, 1)[0].is_success);
            pair.completed();
        }
    });
}

#[test]
fn a_write_to_a_peer_that_is_gone_fails() {
    let devices = [("STUB_DEVICES", "rdma0=127.11.5.1,rdma1=127.11.5.2"), ("STUB_ACK_LOSS", "1")];
    with_library("queue_pairs::a_write_to_a_peer_that_is_gone_fails", &devices, |library| {
        let Connection { mut port, mut pair, _peer } =
            connection(library, [[127, 11, 5, 1], [127, 11, 5, 2]]);
        pair.write(1).unwrap();
        pair.write(2).unwrap();
        let found = completions(&mut port, 2);
        assert!(found.iter().all(|completion| !completion.is_success), "{found:?}");
        pair.completed();
        pair.completed();
        assert!(matches!(pair.write(3), Err(Error::Call { .. })), "the connection has failed");
    });
}

#[test]
fn ports_that_are_down_or_infiniband_are_refused() {
    let own = IpAddr::from([127, 11, 6, 1]);
    let check = |test: &str, knob: &str, expected: &str| {
        let environment = [("STUB_DEVICES", "rdma0=127.11.6.1"), (knob, "1")];
        with_library(test, &environment, |library| {
            let error = UdQueuePair::open(library, &port("rdma0", own), 1).unwrap_err();
            assert!(error.to_string().contains(expected) && error.is_absence(), "{error}");
        });
    };
    // One test in a process of its own has one environment.
    if std::env::var("STUB_INFINIBAND").is_ok() {
        return check("", "", "is no Ethernet port");
    }
    if std::env::var("STUB_DOWN").is_ok() {
        return check("", "", "is not active");
    }
    if std::env::var("STUB_NO_PROVIDER").is_ok() {
        return check("", "", "libibverbs cannot open `rdma0`");
    }
    let name = "queue_pairs::ports_that_are_down_or_infiniband_are_refused";
    for knob in ["STUB_DOWN", "STUB_INFINIBAND", "STUB_NO_PROVIDER"] {
        check(name, knob, "");
    }
}

#[test]
fn a_limit_of_the_device_is_stated() {
    let devices = [("STUB_DEVICES", "rdma0=127.11.7.1"), ("STUB_MAX_QP", "3")];
    with_library("queue_pairs::a_limit_of_the_device_is_stated", &devices, |library| {
        let own = IpAddr::from([127, 11, 7, 1]);
        let opened = RcPort::open(library, &port("rdma0", own), 4).unwrap();
        let pairs: Vec<_> = (0..3).map(|_| opened.queue_pair().unwrap()).collect();
        let error = opened.queue_pair().unwrap_err();
        assert!(error.to_string().starts_with("cannot create a queue pair: "), "{error}");
        drop(pairs);
        opened.queue_pair().expect("there is space again");
        let error = RcPort::open(library, &port("rdma0", own), 1_000_000).unwrap_err();
        assert!(error.to_string().starts_with("cannot create a completion queue: "), "{error}");
    });
}

proptest! {
    #[test]
    fn addresses_are_gids_and_back(bytes: [u8; 16], v4: [u8; 4]) {
        let address = IpAddr::from(bytes).to_canonical();
        prop_assert_eq!(gid_address(gid_bytes(address)), address);
        let address = IpAddr::from(v4);
        prop_assert_eq!(gid_address(gid_bytes(address)), address);
    }
}
