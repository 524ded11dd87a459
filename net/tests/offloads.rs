//! The kernel's TCP over two veth pairs and a pair of ports between them: its oversized segments become frames.

#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "the kernel's TCP is what is tested")]

mod common;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use common::{enter_namespace, ip, veth};
use harrier_net::{Options, Port, wait};
use model::wire::Frame;

const MTU: usize = 1500;
const BYTES: usize = 4 << 20;

/// Forwards frames between two ports until `stop`; returns the longest one.
fn bridge(mut ports: [Port; 2], stop: &AtomicBool, longest: &AtomicUsize) {
    let mut ready = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let fds = [ports[0].as_fd(), ports[1].as_fd()];
        wait(&fds, Some(Duration::from_millis(20)), &mut ready).expect("ports can be polled");
        for (from, to) in [(0, 1), (1, 0)] {
            let mut frames = Vec::new();
            let received = ports[from].receive(|frame| {
                longest.fetch_max(frame.bytes.len(), Ordering::Relaxed);
                frames.push(Frame::new(frame.bytes, 0));
            });
            received.expect("the port receives");
            ports[to].send(&frames);
        }
    }
    assert_eq!(ports.each_mut().map(|port| port.counters().too_long), [0, 0]);
}

fn check(address: &str, prefix: u8, vlan: bool) {
    if !enter_namespace() || vlan && !has_vlans() {
        return;
    }
    let this = format!("{}", nix::unistd::gettid());
    // One end of each pair is in a namespace of a host, because two addresses of one namespace talk over `lo`.
    veth("ta", "tb", MTU as u32);
    let server = std::thread::scope(|scope| {
        let host = scope.spawn(|| {
            assert!(enter_namespace());
            veth("td", "tc", MTU as u32);
            ip(&format!("link set tc netns {this}"));
            let device = if vlan { tagged("td") } else { "td" };
            ip(&format!(
                "addr add {address}2/{prefix} dev {device} {}",
                if prefix > 32 { "nodad" } else { "" }
            ));
            TcpListener::bind(format!("{}:7000", bracketed(address, 2))).expect("the address is free")
        });
        host.join().expect("the host thread finishes")
    });
    ip("link set tc up");
    let device = if vlan { tagged("ta") } else { "ta" };
    ip(&format!("addr add {address}1/{prefix} dev {device} {}", if prefix > 32 { "nodad" } else { "" }));
    let ports = ["tb", "tc"].map(|name| Port::open(name, &Options::default()).expect("the interface exists"));
    let (stop, longest) = (AtomicBool::new(false), AtomicUsize::new(0));
    let sent: Vec<u8> = (0..BYTES).map(|at| (at / 251) as u8).collect();
    let received = std::thread::scope(|scope| {
        scope.spawn(|| bridge(ports, &stop, &longest));
        let server = scope.spawn(move || {
            let (mut stream, _) = server.accept().expect("a connection arrives");
            let mut received = Vec::new();
            stream.read_to_end(&mut received).expect("the stream ends");
            // The last socket of the server's namespace keeps its interfaces.
            (received, stream, server)
        });
        let mut client =
            TcpStream::connect(format!("{}:7000", bracketed(address, 2))).expect("the server listens");
        client.write_all(&sent).expect("the server reads");
        drop(client);
        let finished = server.join().expect("the server thread finishes");
        stop.store(true, Ordering::Relaxed);
        finished
    });
    let (received, ..) = received;
    assert!(received == sent, "the bytes arrive in order");
    let limit = MTU + 14 + if vlan { 4 } else { 0 };
    assert_eq!(longest.into_inner(), limit, "segments fill the MTU and no more");
}

fn bracketed(prefix: &str, host: u8) -> String {
    if prefix.contains(':') { format!("[{prefix}{host}]") } else { format!("{prefix}{host}") }
}

/// Whether the kernel has VLAN interfaces; reports if not.
fn has_vlans() -> bool {
    let add = ["link", "add", "link", "lo", "name", "tv", "type", "vlan", "id", "7"];
    let output = std::process::Command::new("ip").args(add).output().expect("iproute2 is installed");
    if !output.status.success() {
        eprintln!("skipped: the kernel has no VLAN interfaces: {}", String::from_utf8_lossy(&output.stderr));
        return false;
    }
    ip("link del tv");
    true
}

/// Adds VLAN 7 to an interface and returns the name of its interface.
fn tagged(name: &str) -> &'static str {
    ip(&format!("link add link {name} name tv type vlan id 7"));
    ip("link set tv up");
    "tv"
}

#[test]
fn tcp_over_ipv4_is_segmented() {
    check("10.9.0.", 24, false);
}

#[test]
fn tcp_over_ipv6_is_segmented() {
    check("fd00:9::", 64, false);
}

#[test]
fn tcp_in_a_vlan_is_segmented() {
    check("10.9.0.", 24, true);
}
