//! Flow samples beside counters: `harrier watch --collect` with datagrams over UDP, `harrier analyze --samples` with a capture.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the test sends datagrams and starts the binary"
)]

use std::io::{BufRead, BufReader};
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::support::redis::Server;
use crate::support::{harrier, scratch};
use serde_json::Value;

/// The root port of `incast-backpressure` with seed 1, by the counters of all switches, and its name.
const ROOT: (&str, &str, &str) = ("p4-edge1", "p4-edge1:1", "Ethernet0");
const FLOWS: [&str; 2] = ["10.0.0.1:10000>10.0.3.1:4791/udp", "10.0.0.2:10000>10.0.3.1:4791/udp"];

/// What the switches of the scenario count.
fn counted() -> &'static Path {
    static COUNTED: OnceLock<PathBuf> = OnceLock::new();
    COUNTED.get_or_init(|| {
        let saved = scratch("samples-counted");
        let text = saved.to_str().expect("text");
        let ran = harrier(&["run", "incast-backpressure", "--save-counters", text]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        saved
    })
}

/// An sFlow datagram of 10.0.0.9: interface 5 is the root port; two flows left by it, the first with two thirds.
fn datagram() -> Vec<u8> {
    let mut words = vec![5, 1, 0x0a00_0009, 0, 1, 1_000, 10];
    words.extend([2, 36, 1, 5, 1, 1005, 16, 9]);
    let name = b"Ethernet0\0\0\0".chunks(4);
    words.extend(name.map(|four| u32::from_be_bytes(four.try_into().expect("four bytes"))));
    for number in 1..=9 {
        let src = if number % 3 == 0 { 0x0a00_0002 } else { 0x0a00_0001 };
        words.extend([1, 72, number, 7, 1_000, 9_000, 0, 7, 5, 1, 3, 32]);
        words.extend([1_082, 17, src, 0x0a00_0301, 10_000, 4_791, 0, 104]);
    }
    words.iter().flat_map(|word: &u32| word.to_be_bytes()).collect()
}

/// A capture with this datagram from 10.0.0.9 to port 6343.
fn capture(time_ns: u64, datagram: &[u8]) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0];
    let length = |extra: usize| (datagram.len() as u16 + extra as u16).to_be_bytes();
    frame.extend([0x45, 0]);
    frame.extend(length(28));
    frame.extend([0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 9, 10, 0, 9, 9, 0x80, 0, 0x18, 0xc7]);
    frame.extend(length(8));
    frame.extend([0, 0]);
    frame.extend(datagram);
    let header = [0xa1b2_3c4d, 4 << 16 | 2, 0, 0, 65_535, 1];
    let record = [(time_ns / 1_000_000_000) as u32, (time_ns % 1_000_000_000) as u32, frame.len() as u32];
    let words = header.iter().chain(&record).chain(&record[2..]);
    let mut file: Vec<u8> = words.flat_map(|word: &u32| word.to_le_bytes()).collect();
    file.extend(frame);
    file
}

fn check(verdict: &Value, flows: &[&str]) {
    assert_eq!(verdict["root_cause"]["port"], ROOT.1, "{verdict:#}");
    assert_eq!(verdict["root_cause"]["flows"], serde_json::json!(flows), "{verdict:#}");
}

#[test]
fn a_capture_of_sflow_names_the_flows() {
    let folder = counted().to_str().expect("text");
    let file = scratch("samples-capture").join("sflow.pcap");
    let analyze = |time_ns: u64, more: &[&str]| {
        std::fs::write(&file, capture(time_ns, &datagram())).expect("a file");
        let file = file.to_str().expect("text");
        let arguments = ["analyze", "--from", "sonic", folder, "--json", "--samples", file];
        harrier(&[&arguments, more].concat())
    };
    // The run starts at 22:13:20.
    let exporter = format!("{}=10.0.0.9", ROOT.0);
    let in_time = analyze(1_700_000_000_001_000_000, &["--exporter", &exporter]);
    check(&in_time.json()["diagnoses"][0], &FLOWS);
    let later = analyze(1_700_000_900_000_000_000, &["--exporter", &exporter]);
    check(&later.json()["diagnoses"][0], &[]);
    assert!(later.stderr.contains("no flow sample is of the time"), "{}", later.stderr);
    let unknown = analyze(1_700_000_000_001_000_000, &[]);
    check(&unknown.json()["diagnoses"][0], &[]);
    assert!(unknown.stderr.contains("unknown exporters are left out: 10.0.0.9"), "{}", unknown.stderr);
}

#[test]
fn a_watched_switch_is_joined_with_its_sflow() {
    let Some(server) = Server::start("samples-watch", None) else { return };
    let mut readings: Vec<PathBuf> = std::fs::read_dir(counted().join(ROOT.0))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    readings.sort();
    server.load_dumps(&readings[0]);
    let address = format!("sonic://127.0.0.1:{}", server.port);
    let exporter = format!("{}=10.0.0.9", ROOT.0);
    let arguments = [
        "watch",
        "--json",
        "--interval",
        "2s",
        "--collect",
        "127.0.0.1:0",
        "--exporter",
        &exporter,
        &address,
    ];
    let mut child = Command::new(env!("CARGO_BIN_EXE_harrier"))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines().map_while(Result::ok);
    let bound = lines.find(|line| line.contains("flow samples are received at")).expect("it listens");
    let bound = bound.rsplit(' ').next().expect("an address").to_string();
    lines.find(|line| line.contains("ports are read")).expect("it is read");
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    socket.send_to(&datagram(), bound).expect("it is sent");
    server.load_dumps(readings.last().expect("readings"));
    let mut events = BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    let event: Value = serde_json::from_str(&events.next().expect("a verdict")).expect("JSON");
    let _ = child.kill();
    let _ = child.wait();
    assert_eq!(event["event"], "begins");
    check(&event["diagnosis"], &FLOWS);
}
