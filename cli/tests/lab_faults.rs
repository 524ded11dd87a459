//! What happens in real networks happens in a lab: daemons that are killed, links that fail, switches that restart with
//! empty registers, a controller or server that is cut off. After each, the next incident gets its verdict.
//!
//! A lab needs the right to create network namespaces; without it these tests are skipped.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests of processes read files and sockets"
)]

#[path = "support/lab.rs"]
mod lab;
mod support;

use std::path::Path;
use std::process::{Command, Stdio};

use lab::Lab;
use support::{harrier, skipped};

const SCENARIO: &str = "poster-fig1";
const INCAST: &str = "pfc_backpressure_flow_contention";

/// Namespaces of a lab that exist.
fn namespaces(number: u8) -> usize {
    let prefix = format!("hl{number}-");
    let Ok(entries) = std::fs::read_dir("/run/netns") else { return 0 };
    entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix)).count()
}

/// Starts the incast, and waits for its verdict.
fn incast_is_diagnosed(lab: &Lab) {
    let before = lab.diagnoses().len();
    lab.wait_for_incident("a new diagnosis of the incast", || {
        let found = lab.diagnoses();
        let is_right = |diagnosis: &serde_json::Value| {
            diagnosis["anomaly"] == INCAST && diagnosis["root_cause"]["port"] == "sw4:1"
        };
        (found.len() > before && found.iter().take(found.len() - before).any(is_right)).then_some(())
    });
}

#[test]
fn down_removes_what_an_interrupted_up_left() {
    let mut up = Command::new(env!("CARGO_BIN_EXE_harrier"))
        .args(["lab", "up", "slow-receiver", "--lab", "41", "--listen", "127.0.0.1:0"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built");
    // It ends at once where namespaces are not permitted, and otherwise only after a second.
    while namespaces(41) < 3 && up.try_wait().expect("a child").is_none() {}
    if namespaces(41) == 0 {
        let output = up.wait_with_output().expect("a child");
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(why.contains("CAP_SYS_ADMIN"), "{why}");
        return skipped(format_args!("labs need network namespaces: {why}"));
    }
    up.kill().expect("a child");
    up.wait().expect("a child");
    assert!(namespaces(41) > 0);
    assert_eq!(
        harrier(&["lab", "up", "--lab", "41"]).status,
        2,
        "a lab that is half there is not overwritten"
    );
    let down = harrier(&["lab", "down", "--lab", "41"]);
    assert_eq!((down.status, namespaces(41)), (0, 0), "{}", down.stderr);
    assert!(!Path::new("/run/harrier-lab/41").exists());
    assert_eq!(harrier(&["lab", "status", "--lab", "41"]).status, 2);
}

#[test]
fn every_daemon_can_be_killed_and_started_again() {
    let Some(lab) = Lab::up(SCENARIO, 42) else { return };
    for daemon in ["switch-sw4", "controller", "agent-h2", "nic-h5", "serve"] {
        lab.fault(&format!("kill={daemon}"));
        assert_eq!(lab.run(&["status"]).status, 1, "{daemon}: a process that has ended is a finding");
        lab.fault(&format!("restart={daemon}"));
    }
    lab.until_settled();
    assert_eq!(lab.run(&["status"]).status, 0);
    incast_is_diagnosed(&lab);
}

#[test]
fn a_server_that_is_killed_during_an_incident_gets_its_records_afterwards() {
    let Some(lab) = Lab::up(SCENARIO, 43) else { return };
    lab.must(&["traffic"]);
    lab.until("the first snapshot is collected", || lab.has_logged("controller", "collected"));
    lab.fault("kill=serve");
    lab.fault("restart=serve");
    let diagnosis = lab.diagnosis(INCAST);
    assert_eq!(diagnosis["root_cause"]["port"], "sw4:1", "{diagnosis:#}");
}

#[test]
fn a_switch_that_was_cut_off_from_its_controller_is_used_again() {
    let Some(lab) = Lab::up(SCENARIO, 44) else { return };
    lab.fault("isolate=sw4");
    lab.must(&["traffic"]);
    lab.until("the other switches are collected", || lab.has_logged("controller", "collected"));
    lab.fault("rejoin=sw4");
    lab.until_settled();
    // No register bank may be left frozen by the event that could not be collected.
    incast_is_diagnosed(&lab);
}

#[test]
fn a_link_that_was_down_carries_traffic_again() {
    let Some(lab) = Lab::up(SCENARIO, 45) else { return };
    lab.fault("link-down=sw2:3");
    lab.until("the switch notices", || lab.has_logged("switch-sw2", "link down"));
    lab.fault("link-up=sw2:3");
    lab.until("the switch notices", || lab.has_logged("switch-sw2", "link up"));
    incast_is_diagnosed(&lab);
}

#[test]
fn kernels_of_the_hosts_reach_each_other_and_frames_are_proper() {
    let Some(lab) = Lab::up(SCENARIO, 46) else { return };
    if !Path::new("/usr/bin/tshark").exists() {
        return skipped("tshark is not installed");
    }
    lab.must(&["traffic"]);
    let capture = lab
        .command("h2", "tshark")
        .args(["-i", "eth0", "-c", "40", "-a", "duration:30", "-T", "fields", "-e", "frame.protocols"])
        .output()
        .expect("tshark runs");
    let text = String::from_utf8_lossy(&capture.stdout);
    assert!(text.lines().filter(|line| line.contains("infiniband")).count() >= 20, "{text}");
    assert!(!text.contains("icmp"), "the kernel rejects RoCEv2 packets: {text}");
}
