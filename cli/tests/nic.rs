//! `harrier nic` on both ends of a link: flows complete, faults pause the peer, and other tools decode the frames.

use std::process::Command;

use crate::network::{Running, enter_namespace, receive_until, veth};
use crate::support::{harrier, scratch, skipped};
use model::wire::Pfc;
use net::{Options, Port};
use serde_json::Value;

const FLOW: &str = r#"{"flow": {"to": "10.9.0.2", "bytes": 100000, "label": "test"}}"#;

/// An endpoint at 20 Mb/s.
fn endpoint(interface: &str, address: &str, more: &[&str]) -> Running {
    let args = ["nic", "--interface", interface, "--address", address, "--rate", "20M"];
    Running::start(&[&args, more].concat(), "ready")
}

fn event(running: &mut Running, kind: &str) -> Value {
    let line = running.line_with(&format!("\"event\":\"{kind}\""));
    serde_json::from_str(&line).expect("a line of JSON")
}

#[test]
fn a_flow_completes_and_both_ends_report_it() {
    if !enter_namespace() {
        return;
    }
    veth("n1", "n2", 1500);
    let mut receiver = endpoint("n2", "10.9.0.2", &[]);
    let mut sender = endpoint("n1", "10.9.0.1", &[]);
    sender.write_line(FLOW);
    let completed = event(&mut sender, "completed");
    assert_eq!(
        (&completed["bytes"], &completed["whole"], &completed["label"]),
        (&100_000.into(), &true.into(), &"test".into())
    );
    assert_eq!(event(&mut receiver, "received")["bytes"], 100_000);
    sender.write_line("{\"status\": {}}");
    assert_eq!(event(&mut sender, "status")["flows"], Value::Array(Vec::new()));
    sender.write_line("{\"flow\": {\"bytes\": 1}}");
    assert!(event(&mut sender, "error")["message"].as_str().expect("text").contains("missing field `to`"));
    sender.write_line("{\"flow\": {\"to\": \"10.9.0.1\", \"bytes\": 1}}");
    assert!(event(&mut sender, "error")["message"].as_str().expect("text").contains("own address"));
    assert_eq!(sender.terminate().0, Some(0));
}

#[test]
fn a_storm_stops_the_peer_until_it_ends() {
    if !enter_namespace() {
        return;
    }
    veth("n1", "n2", 1500);
    let mut sender = endpoint("n1", "10.9.0.1", &[]);
    let mut receiver = endpoint("n2", "10.9.0.2", &["--fault", "storm"]);
    // Until the pause is in effect.
    loop {
        sender.write_line("{\"status\": {}}");
        if event(&mut sender, "status")["paused_priorities"] == serde_json::json!([3]) {
            break;
        }
    }
    sender.write_line(FLOW);
    sender.write_line("{\"status\": {}}");
    assert_eq!(event(&mut sender, "status")["flows"][0]["acknowledged_bytes"], 0);
    receiver.write_line("{\"end-faults\": {}}");
    assert_eq!(event(&mut sender, "completed")["bytes"], 100_000);
}

#[test]
fn a_slow_receiver_pauses_the_peer_and_loses_nothing() {
    if !enter_namespace() {
        return;
    }
    veth("n1", "n2", 1500);
    let _receiver = endpoint("n2", "10.9.0.2", &["--fault", "slow-receiver=4M"]);
    let mut sender = endpoint("n1", "10.9.0.1", &[]);
    sender.write_line(FLOW);
    let completed = event(&mut sender, "completed");
    assert_eq!((&completed["bytes"], &completed["retransmitted_packets"]), (&100_000.into(), &0.into()));
    sender.write_line("{\"status\": {}}");
    let counters = event(&mut sender, "status")["counters"].clone();
    assert!(counters["pauses_received"].as_u64() > Some(0), "{counters}");
}

/// Writes frames as a capture file of Ethernet frames (pcap, in the byte order of the machine).
fn capture_file(frames: &[Vec<u8>]) -> std::path::PathBuf {
    let mut bytes = Vec::new();
    for word in [0xa1b2_c3d4u32, 0x0004_0002, 0, 0, 65_535, 1] {
        bytes.extend_from_slice(&word.to_ne_bytes());
    }
    for frame in frames {
        for word in [0, 0, frame.len() as u32, frame.len() as u32] {
            bytes.extend_from_slice(&word.to_ne_bytes());
        }
        bytes.extend_from_slice(frame);
    }
    let path = scratch("nic-capture").join("frames.pcap");
    #[allow(clippy::disallowed_methods, reason = "the input of another program")]
    std::fs::write(&path, bytes).expect("the folder exists");
    path
}

/// What tshark makes of a field of each frame; `None` without tshark.
fn tshark(path: &std::path::Path, fields: &[&str]) -> Option<Vec<Vec<String>>> {
    let mut command = Command::new("tshark");
    command.arg("-r").arg(path).args(["-T", "fields"]);
    for field in fields {
        command.args(["-e", field]);
    }
    match command.output() {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8(output.stdout).expect("text");
            Some(text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect())
        }
        Ok(output) => panic!("{}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => {
            skipped(format_args!("tshark: {error}"));
            None
        }
    }
}

#[test]
fn other_tools_decode_the_frames() {
    if !enter_namespace() {
        return;
    }
    veth("n1", "n2", 1500);
    let options = Options { outgoing: true, ..Options::default() };
    let mut capture = Port::open("n1", &options).expect("the interface exists");
    let _receiver = endpoint("n2", "10.9.0.2", &["--fault", "slow-receiver=4M"]);
    let mut sender = endpoint("n1", "10.9.0.1", &[]);
    sender.write_line(FLOW);
    event(&mut sender, "completed");
    let is_pfc = |frame: &Vec<u8>| Pfc::from_bytes(frame).is_some();
    let frames = receive_until(&mut capture, |frames| frames.len() > 100 && frames.iter().any(is_pfc));
    let fields =
        ["frame.protocols", "infiniband.bth.opcode", "macc.opcode", "_ws.expert.message", "_ws.malformed"];
    let Some(rows) = tshark(&capture_file(&frames), &fields) else { return };
    assert_eq!(rows.len(), frames.len());
    for (row, frame) in rows.iter().zip(&frames) {
        let [protocols, opcode, control, finding, malformed] = &row[..] else {
            panic!("five fields: {row:?}")
        };
        assert_eq!((finding.as_str(), malformed.as_str()), ("", ""), "{row:?} in {frame:02x?}");
        if is_pfc(frame) {
            assert_eq!(control, "0x0101", "{row:?}");
        } else {
            assert!(
                protocols.starts_with("eth:ethertype:ip:udp:infiniband") && !opcode.is_empty(),
                "{row:?}"
            );
        }
    }
}

#[test]
fn what_cannot_work_is_one_error() {
    if !enter_namespace() {
        return;
    }
    veth("n1", "n2", 1500);
    let check = |args: &[&str], expected: &str| {
        let ran = harrier(&[&["nic"], args].concat());
        assert_eq!(ran.status, 2, "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(expected), "{args:?}: {}", ran.stderr);
        assert_eq!(ran.stderr.matches("error:").count(), 1, "{args:?}: {}", ran.stderr);
    };
    check(&["--interface", "eth77", "--address", "10.9.0.1"], "no interface eth77");
    check(
        &["--interface", "n1", "--address", "10.9.0.1", "--payload", "2048"],
        "longer than the MTU 1500 of n1",
    );
    check(
        &["--interface", "n1", "--address", "10.9.0.1", "--fault", "rain"],
        "expected storm, storm=PRIORITY",
    );
    check(&["--interface", "n1"], "--address: address: missing");
}
