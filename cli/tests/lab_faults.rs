//! What happens in real networks happens in a lab: daemons that are killed, links that fail, switches that restart with
//! empty registers, a controller or server that is cut off. After each, the next incident gets its verdict.
//!
//! A lab needs the right to create network namespaces; without it these tests are skipped.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests of processes read files and sockets"
)]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::flood::Flood;
use crate::lab::Lab;
use crate::support::{harrier, lab_skipped};

const SCENARIO: &str = "poster-fig1";
/// Twice what a lab of this scenario has on two idle cores: with the unoptimised daemons of a test, on a machine that is busy
/// or slower, an incident at 4096 has other queues than in the simulation.
const SCALE: u32 = 8192;
const INCAST: &str = "pfc_backpressure_flow_contention";
/// Time over which the CPU time of a switch is measured, for the report; nothing depends on it.
const WINDOW: Duration = Duration::from_secs(4);

/// The lab of [`SCENARIO`]; `None` where labs are not permitted.
fn lab(number: u8) -> Option<Lab> {
    Lab::up_with(SCENARIO, number, &["--scale", &SCALE.to_string()])
}

/// Namespaces of a lab that exist.
fn namespaces(number: u8) -> usize {
    let prefix = format!("hl{number}-");
    let Ok(entries) = std::fs::read_dir("/run/netns") else { return 0 };
    entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix)).count()
}

fn is_the_incast(diagnosis: &serde_json::Value) -> bool {
    diagnosis["anomaly"] == INCAST && diagnosis["root_cause"]["port"] == "sw4:1"
}

/// Starts the incast, and waits for its verdict.
fn incast_is_diagnosed(lab: &Lab) {
    let before = lab.diagnoses().len();
    lab.wait_for_incident("a new diagnosis of the incast", || {
        let found = lab.diagnoses();
        (found.len() > before && found.iter().take(found.len() - before).any(is_the_incast)).then_some(())
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
        return lab_skipped(format_args!("labs need network namespaces: {why}"));
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
    assert_eq!(harrier(&["lab", "status", "--lab", "41"]).status, 2);
    assert_eq!(harrier(&["lab", "traffic", "--lab", "41"]).status, 2);
    for file in ["41", "41.lock"] {
        assert!(!Path::new("/run/harrier-lab").join(file).exists(), "{file} is left");
    }
}

#[test]
fn every_daemon_can_be_killed_and_started_again() {
    let Some(lab) = lab(42) else { return };
    // Their clocks disagree afterwards: that of the agent is 50 ms ahead of the server's, the controller's 50 ms behind.
    for (daemon, offset_ms) in
        [("switch-sw4", 0), ("controller", -50), ("agent-h2", 50), ("nic-h5", 0), ("serve", 0)]
    {
        lab.fault(&format!("kill={daemon}"));
        assert_eq!(lab.run(&["status"]).status, 1, "{daemon}: a process that has ended is a finding");
        lab.restart_with(daemon, "HARRIER_TEST_CLOCK_OFFSET_MS", &offset_ms.to_string());
    }
    lab.until_settled();
    assert_eq!(lab.run(&["status"]).status, 0);
    incast_is_diagnosed(&lab);
    for (name, offset_ms) in [("lab", -50), ("h2", 50), ("h1", 0)] {
        let daemons = lab.json("/api/v1/daemons");
        let daemon = daemons["daemons"].as_array().and_then(|all| all.iter().find(|one| one["name"] == name));
        let Some(daemon) = daemon else { continue };
        let number = |key: &str| daemon[key].as_i64().unwrap_or_else(|| panic!("{daemon:#}"));
        let wrong_ns = number("clock_offset_ns") + offset_ms * 1_000_000;
        assert!(wrong_ns.abs() <= number("clock_error_ns"), "{daemon:#}");
    }
}

#[test]
fn server_and_controller_that_are_killed_during_an_incident_diagnose_it_afterwards() {
    let Some(lab) = lab(43) else { return };
    lab.must(&["traffic"]);
    lab.until("the first snapshot is collected", || lab.has_logged("controller", "collected"));
    lab.fault("kill=serve");
    lab.fault("restart=serve");
    lab.wait_for_repeated("the incast", || lab.diagnoses().iter().any(is_the_incast).then_some(()));

    // Without a controller the switches stay frozen from the first poll on; the next controller releases them.
    lab.fault("kill=controller");
    let triggers = lab.metric("harrier_triggers_fresh_total");
    lab.must(&["traffic"]);
    lab.until("an agent polls", || lab.metric("harrier_triggers_fresh_total") > triggers);
    lab.fault("kill=agent-h2");
    lab.fault("restart=controller");
    lab.fault("restart=agent-h2");
    lab.until_settled();
    incast_is_diagnosed(&lab);
}

#[test]
fn a_switch_that_was_cut_off_from_its_controller_is_used_again() {
    let Some(lab) = lab(44) else { return };
    lab.fault("isolate=sw4");
    lab.must(&["traffic"]);
    lab.until("the other switches are collected", || lab.has_logged("controller", "collected"));
    lab.fault("rejoin=sw4");
    lab.until_settled();
    // No register bank may be left frozen by the event that could not be collected.
    incast_is_diagnosed(&lab);
}

#[test]
fn a_switch_that_restarted_and_a_link_that_was_down_work_again() {
    let Some(lab) = lab(45) else { return };
    // During an incident; the switch that congests comes back with empty registers.
    lab.must(&["traffic"]);
    lab.until("the incident is collected", || lab.has_logged("controller", "collected"));
    lab.fault("kill=switch-sw4");
    lab.fault("restart=switch-sw4");
    lab.fault("link-down=sw2:3");
    lab.until("the switch notices", || lab.has_logged("switch-sw2", "link down"));
    lab.fault("link-up=sw2:3");
    lab.until("the switch notices", || lab.has_logged("switch-sw2", "link up"));
    lab.until_settled();
    incast_is_diagnosed(&lab);
}

/// A host that sends polling packets at line rate, and an agent that speaks for another host: neither changes the
/// verdict of an incident of other hosts.
#[test]
fn a_host_that_polls_at_line_rate_and_lies_is_contained() {
    let Some(lab) = lab(47) else { return };
    let before_s = lab.cpu_seconds("switch-sw3");
    let started = Instant::now();
    lab.until("some seconds pass without polls", || started.elapsed() > WINDOW);
    let idle = (lab.cpu_seconds("switch-sw3") - before_s) / started.elapsed().as_secs_f64();

    let (own, other) = (lab.addresses("h4").remove(0), lab.addresses("h2").remove(0));
    let flooding = Instant::now();
    let flood = Flood::start(&lab.namespace("h4"), &format!("{own}:1>{other}:4791/udp"));
    let collected = |lab: &Lab| {
        let log = lab.log("controller");
        let events = log.lines().filter_map(|line| line.split("collected event=").nth(1)?.split(' ').next());
        let events: BTreeSet<&str> = events.collect();
        events
            .iter()
            .filter(|event| event.parse().is_ok_and(|event| crate::flood::EVENTS.contains(&event)))
            .count()
    };
    lab.until("the burst that a host may send has been collected", || collected(&lab) >= 1);
    let (before_s, started, sent) = (lab.cpu_seconds("switch-sw3"), Instant::now(), flood.sent());
    lab.until("some seconds pass with polls", || started.elapsed() > WINDOW);
    let (passed_s, sent) = (started.elapsed().as_secs_f64(), flood.sent() - sent);
    let flooded = (lab.cpu_seconds("switch-sw3") - before_s) / passed_s;
    eprintln!(
        "CPU of the switch: {:.1} % idle, {:.1} % with {:.0} polling packets a second",
        idle * 100.0,
        flooded * 100.0,
        sent as f64 / passed_s
    );

    // The certificate of h4, the flows of h2.
    let mut liar = lab.agent_of("h4", &other);
    crate::flood::slow_flow(&mut liar, &other, &own);
    lab.until("what it sends is rejected", || lab.metric("harrier_uploads_rejected_total") > 0);
    incast_is_diagnosed(&lab);
    let (sent, collected) = (flood.sent(), collected(&lab));
    eprintln!("{collected} of {sent} polls of the flood were collected");
    assert!(sent > 20_000, "only {sent} polling packets were sent");
    // A burst of 128, and one every 2^19 ns of the switch's time.
    let passed_ns = flooding.elapsed().as_nanos() / u128::from(SCALE);
    let permitted = 128 + (passed_ns >> 19) as usize + 1;
    assert!(collected <= permitted, "{collected} events of {sent} polling packets were collected");
    liar.kill().expect("it runs");
    liar.wait().expect("a child");
}

/// A link of the victim's path goes down: the switch reports it with the time, and the verdict names the link.
#[test]
fn an_outage_of_a_live_link_is_named() {
    let Some(lab) = lab(49) else { return };
    lab.must(&["traffic"]);
    lab.until("packets cross the link", || {
        let series = lab.json("/api/v1/ports/sw2:2/series");
        let samples = series["samples"].as_array().cloned().unwrap_or_default();
        samples.iter().any(|sample| sample["tx_bps"].as_u64().is_some_and(|rate| rate > 0))
    });
    lab.fault("link-down=sw2:2");
    lab.wait_for_repeated("a verdict about the link", || {
        lab.diagnoses().into_iter().find(|diagnosis| {
            let port = diagnosis["root_cause"]["port"].as_str().unwrap_or_default();
            diagnosis["anomaly"] == "path_change" && ["sw2:2", "sw3:1"].contains(&port)
        })
    });
    lab.fault("link-up=sw2:2");
    lab.until_settled();
}
