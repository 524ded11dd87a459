//! `harrier watch sonic://...` with real Redis servers that hold what SONiC switches write.

#![allow(clippy::disallowed_methods, reason = "the test reads files and starts the binary")]

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use crate::support::harrier;
use crate::support::redis::Server;
use crate::support::watch::{check_odd, count, desired};
use serde_json::Value;

/// What the switches count: by switch, the readings in order of time.
fn counted() -> &'static [(String, Vec<PathBuf>)] {
    static COUNTED: OnceLock<Vec<(String, Vec<PathBuf>)>> = OnceLock::new();
    COUNTED.get_or_init(|| count("watch-counted"))
}

/// A switch with the counters of its first reading. Without redis-server the test is skipped.
fn switch(test: &str, number: usize, password: Option<&str>) -> Option<Server> {
    let (name, readings) = &counted()[number];
    let server = Server::start(&format!("{test}-{name}"), password)?;
    if password.is_none() {
        server.load_dumps(&readings[0]);
    }
    Some(server)
}

/// Starts `harrier watch`.
fn watch(arguments: &[String]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harrier"));
    command.arg("watch").args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the binary was built")
}

#[test]
fn a_storm_is_found_by_the_counters_of_live_switches() {
    let mut servers = Vec::new();
    for number in 0..counted().len() {
        let Some(server) = switch("watch-storm", number, None) else { return };
        servers.push(server);
    }
    let mut arguments = ["--json", "--interval", "300ms", "--rounds", "200"].map(str::to_string).to_vec();
    arguments.extend(servers.iter().map(|server| format!("sonic://127.0.0.1:{}", server.port)));
    let mut child = watch(&arguments);
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines().map_while(Result::ok);
    for _ in counted() {
        // Each switch is read once before its counters grow; it states its name itself.
        let line = lines.find(|line| line.contains("ports are read")).expect("all switches are read");
        assert!(counted().iter().any(|(name, _)| line.starts_with(&format!("{name}: "))), "{line}");
    }
    for (server, (_, readings)) in servers.iter().zip(counted()) {
        server.load_dumps(readings.last().expect("readings"));
    }
    let mut verdicts = BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    let storm = verdicts.find_map(|line| {
        let event: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let verdict = &event["diagnosis"];
        (event["event"] == "begins" && verdict["anomaly"] == "pfc_storm_host_injection")
            .then(|| verdict.clone())
    });
    let _ = child.kill();
    let _ = child.wait();
    let storm = storm.expect("a verdict about a storm");
    assert_eq!(storm["root_cause"]["port"], "sw4:1", "{storm:#}");
    assert_eq!(storm["victim"], Value::Null);
    // The switches have no map of DSCPs, of which their counters show no effect.
    let cites = |evidence: &Value| {
        let records = evidence["records"].as_array().into_iter().flatten();
        records.into_iter().any(|record| record["id"] == "sw4/PFC008")
    };
    assert!(storm["evidence"].as_array().is_some_and(|evidence| !evidence.iter().any(cites)), "{storm:#}");
}

/// Watches the switch `sw4` for some rounds. The switch `name` should run the configuration of `sw4`, with these priorities with
/// PFC. Checks the parts of the one line about a desired configuration; no parts: there is no such line.
fn check_desired(test: &str, name: &str, pfc_enable: Option<&str>, expected: &[&str]) {
    let number = counted().iter().position(|(name, _)| name == "sw4").expect("a switch");
    let Some(server) = switch(test, number, None) else { return };
    let file = desired(test, &counted()[number].1[0], pfc_enable);
    let desired = format!("{name}={}", file.display());
    let address = format!("sonic://127.0.0.1:{}", server.port);
    let ran = harrier(&["watch", "--interval", "200ms", "--rounds", "5", "--desired", &desired, &address]);
    let reported: Vec<&str> =
        ran.stderr.lines().filter(|line| line.contains("desired configuration")).collect();
    assert_eq!(reported.len(), usize::from(!expected.is_empty()), "{}", ran.stderr);
    assert!(expected.iter().all(|part| reported[0].contains(part)), "{reported:?}");
}

#[test]
fn a_switch_that_does_not_run_its_desired_configuration_is_reported() {
    check_desired("watch-desired", "sw4", None, &[]);
    let differs = ["sw4: it does not run its desired configuration: ", "pfc_enable"];
    check_desired("watch-differs", "sw4", Some("6"), &differs);
}

/// Someone changes the headroom of a profile on the switch.
#[test]
fn a_profile_that_differs_from_the_desired_one_is_reported() {
    let test = "watch-profile";
    let number = counted().iter().position(|(name, _)| name == "sw4").expect("a switch");
    let Some(server) = switch(test, number, None) else { return };
    let file = desired(test, &counted()[number].1[0], None);
    server.set("4", "BUFFER_PROFILE|pg_lossless_profile_1", &[("xoff", "4096")]);
    let desired = format!("sw4={}", file.display());
    let address = format!("sonic://127.0.0.1:{}", server.port);
    let ran = harrier(&["watch", "--interval", "200ms", "--rounds", "5", "--desired", &desired, &address]);
    let reported: Vec<&str> =
        ran.stderr.lines().filter(|line| line.contains("desired configuration")).collect();
    let is_right =
        |line: &&str| ["pg_lossless_profile_1", "xoff", "4096"].iter().all(|part| line.contains(part));
    assert!(reported.len() == 1 && reported.iter().all(is_right), "{}", ran.stderr);
}

#[test]
fn a_desired_configuration_of_no_watched_switch_is_reported_once() {
    check_desired("watch-typo", "sw44", None, &["no watched switch is named sw44", "config_db.json"]);
}

#[test]
fn a_desired_configuration_that_cannot_be_read_is_an_error() {
    let ran = harrier(&["watch", "--desired", "leaf1=missing.json", "sonic://127.0.0.1:1"]);
    assert_eq!(ran.status, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("missing.json"), "{}", ran.stderr);
}

/// Watches two switches for some rounds, of which the second one is as it should be.
fn check(test: &str, address: impl FnOnce(&Server) -> String, password: Option<&str>, expected: &str) {
    let (Some(odd), Some(right)) = (switch(&format!("{test}-odd"), 0, password), switch(test, 1, None))
    else {
        return;
    };
    check_odd("200ms", "4", &address(&odd), &format!("sonic://127.0.0.1:{}", right.port), expected);
}

#[test]
fn a_wrong_password_is_reported_and_the_rest_goes_on() {
    let address = |server: &Server| format!("sonic://:other-s3cret@127.0.0.1:{}", server.port);
    check("watch-password", address, Some("right"), "authentication failed");
}

#[test]
fn a_server_that_is_no_switch_is_reported_and_the_rest_goes_on() {
    // With a password nothing is loaded.
    let address = |server: &Server| format!("sonic://:s3cret@127.0.0.1:{}", server.port);
    check("watch-empty", address, Some("s3cret"), "not the Redis server of a SONiC switch");
}

#[test]
fn a_bad_address_is_not_printed() {
    for address in
        ["sonic:/:s3cret@leaf1", "redis://:s3cret@leaf1", "leaf1=:s3cret@x", "sonic+unix://:s3cret@x"]
    {
        for arguments in [&["watch", address, "sonic://leaf2"][..], &["watch", "sonic://leaf2", address]] {
            let ran = harrier(arguments);
            assert_eq!(ran.status, 2, "{}", ran.stderr);
            let number = arguments.iter().position(|argument| *argument == address).unwrap_or(0);
            assert!(ran.stderr.contains(&format!("address {number}: expected ")), "{}", ran.stderr);
            assert!(!ran.stderr.contains("s3cret"), "{}", ran.stderr);
        }
    }
}

#[test]
fn without_any_switch_the_command_fails() {
    let Some(server) = Server::start("watch-none", None) else { return };
    let port = server.port;
    drop(server);
    let address = format!("sonic://127.0.0.1:{port}");
    let ran = harrier(&["watch", "--interval", "100ms", "--rounds", "3", &address]);
    assert_eq!(ran.status, 2, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("cannot connect") && ran.stderr.contains("no switch could be read"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_switch_that_stops_answering_is_read_again_when_it_answers() {
    let Some(server) = switch("watch-restart", 0, None) else { return };
    let port = server.port;
    let arguments =
        ["--interval", "100ms", "--rounds", "300", &format!("sonic://127.0.0.1:{port}")].map(str::to_string);
    let mut child = watch(&arguments);
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines().map_while(Result::ok);
    lines.find(|line| line.contains("ports are read")).expect("it is read");
    drop(server);
    lines.find(|line| line.contains("cannot be read")).expect("its end is reported");
    let server = Server::start_at(port, "watch-restart-again").expect("the port is free again");
    server.load_dumps(&counted()[0].1[0]);
    let again = lines.find(|line| line.contains("read again"));
    let _ = child.kill();
    let _ = child.wait();
    let mut rest = String::new();
    let _ = child.stdout.take().expect("a pipe").read_to_string(&mut rest);
    assert!(again.is_some(), "{rest}");
}

/// FLEX_COUNTER_DB says what syncd polls: COUNTERS_DB keeps the last values of a group that is disabled.
#[test]
fn counters_that_a_switch_does_not_poll_are_reported() {
    let test = "watch-disabled";
    let Some(server) = switch(test, 0, None) else { return };
    let address = format!("sonic://127.0.0.1:{}", server.port);
    let watch = || harrier(&["watch", "--interval", "200ms", "--rounds", "4", &address]);
    let ran = watch();
    assert!(ran.stderr.contains("ports are read") && !ran.stderr.contains("not measured"), "{}", ran.stderr);
    for group in ["PORT_STAT_COUNTER", "PFC_WD"] {
        let key = format!("FLEX_COUNTER_GROUP_TABLE:{group}");
        server.set("5", &key, &[("FLEX_COUNTER_STATUS", "disable")]);
    }
    let ran = watch();
    let about: Vec<&str> = ran.stderr.lines().filter(|line| line.contains("not measured")).collect();
    assert_eq!(about.len(), 2, "each is reported once: {}", ran.stderr);
    assert!(about[0].contains("PORT_STAT_COUNTER") && about[1].contains("PFC_WD"), "{about:?}");
}
