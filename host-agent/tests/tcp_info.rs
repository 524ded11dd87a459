//! The kernel's round trips of a TCP connection over the loopback interface.
#![cfg(feature = "linux")]
#![allow(clippy::disallowed_types, reason = "the kernel's TCP is what is tested")]

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};

use harrier_host_agent::Measurement;
use harrier_host_agent::linux::TcpReader;
use harrier_host_agent::tcp_info::{TcpReading, TcpSockets};
use model::FlowKey;

const BYTES: usize = 20_000;

/// A connection, and its flow from client to server.
fn connect(address: &str) -> Option<(TcpStream, TcpStream, FlowKey)> {
    let listener = match TcpListener::bind(address) {
        Ok(listener) => listener,
        Err(error) => {
            eprintln!("skipped: {address}: {error}");
            return None;
        }
    };
    let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (server, _) = listener.accept().unwrap();
    client.set_nodelay(true).unwrap();
    client.write_all(b"x").unwrap();
    let ends: [SocketAddr; 2] = [client.local_addr().unwrap(), client.peer_addr().unwrap()];
    let [src, dst]: [IpAddr; 2] = ends.map(|end| end.ip().to_canonical());
    let flow = FlowKey { src, dst, sport: ends[0].port(), dport: ends[1].port(), proto: 6 };
    Some((client, server, flow))
}

/// Sends data and an answer, which acknowledges the data.
fn exchange(client: &mut TcpStream, server: &mut TcpStream, bytes: usize) {
    client.write_all(&vec![0; bytes]).unwrap();
    server.read_exact(&mut vec![0; bytes]).unwrap();
    server.write_all(b"y").unwrap();
    client.read_exact(&mut [0]).unwrap();
}

fn check(address: &str) {
    let Some((mut client, mut server, flow)) = connect(address) else { return };
    server.read_exact(&mut [0]).unwrap();
    let mut reader = match TcpReader::open() {
        Ok(reader) => reader,
        Err(error) => return eprintln!("skipped: no netlink: {error}"),
    };
    let mut read = || -> TcpReading {
        let readings = reader.read(10, |found| *found == flow).expect("the kernel replies");
        let [reading] = readings.as_slice() else { panic!("{flow}: {readings:?}") };
        *reading
    };
    exchange(&mut client, &mut server, 1);
    let first = read();
    exchange(&mut client, &mut server, BYTES);
    let second = read();
    assert!(second.bytes_acked >= first.bytes_acked + BYTES as u64, "{first:?} {second:?}");
    assert!(second.rtt_ns > 0 && second.min_rtt_ns.is_some_and(|min_ns| min_ns > 0), "{second:?}");
    assert_eq!(second.unacked_segments, 0, "{second:?}");

    let mut sockets = TcpSockets::new(10);
    sockets.read(0, &[first]);
    let sample = Measurement::Acknowledged { flow, rtt_ns: Some(second.rtt_ns), outstanding: false };
    assert_eq!(sockets.read(1, &[second]), [sample]);
    drop((client, server));
    let left = reader.read(10, |found| *found == flow).expect("the kernel replies");
    assert_eq!(left, [], "a closed socket is not established");
}

#[test]
fn the_kernel_reports_round_trips_of_ipv4() {
    check("127.0.0.1:0");
}

#[test]
fn the_kernel_reports_round_trips_of_ipv6() {
    check("[::1]:0");
}

#[test]
fn unwanted_sockets_are_left_out() {
    let Some((_client, _server, _)) = connect("127.0.0.1:0") else { return };
    let mut reader = TcpReader::open().expect("netlink");
    assert_eq!(reader.read(10, |_| false).expect("the kernel replies"), []);
}
