//! `harrier watch gnmi://...` with simulated switches: SONiC's databases, and OpenConfig.

#![allow(clippy::disallowed_methods, reason = "the test reads files and starts the binary")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Lines};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock};

use crate::gnmi_server::{GnmiServer, Switch};
use crate::support::watch::{check_odd, count, desired};
use gnmi::path::{elements, parse};
use gnmi::proto;
use gnmi::server::Tables;
use serde_json::{Value, json};
use tokio::sync::watch;

/// What the switches count: by switch, the readings in order of time.
fn counted() -> &'static [(String, Vec<PathBuf>)] {
    static COUNTED: OnceLock<Vec<(String, Vec<PathBuf>)>> = OnceLock::new();
    COUNTED.get_or_init(|| count("gnmi-counted"))
}

/// A running `harrier watch`; killed on drop.
struct Watch {
    child: Child,
    stderr: Lines<BufReader<ChildStderr>>,
    stdout: Lines<BufReader<ChildStdout>>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Watch {
    fn start(addresses: &[String]) -> Watch {
        let mut command = Command::new(env!("CARGO_BIN_EXE_harrier"));
        command.args(["watch", "--json", "--interval", "1s", "--rounds", "60"]).args(addresses);
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary was built");
        let stderr = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let stdout = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        Watch { child, stderr, stdout }
    }

    /// Waits for a line of stderr with this part.
    fn line(&mut self, part: &str) -> String {
        let mut seen = Vec::new();
        for line in self.stderr.by_ref().map_while(Result::ok) {
            assert!(!line.contains("s3cret"), "{line}");
            if line.contains(part) {
                return line;
            }
            seen.push(line);
        }
        panic!("no line with {part:?} in {seen:#?}");
    }

    /// Waits for the beginning of a verdict about this anomaly.
    fn verdict(&mut self, anomaly: &str) -> Value {
        let found = self.stdout.by_ref().map_while(Result::ok).find_map(|line| {
            let event: Value = serde_json::from_str(&line).expect("JSON");
            let is_wanted = event["event"] == "begins" && event["diagnosis"]["anomaly"] == anomaly;
            is_wanted.then(|| event["diagnosis"].clone())
        });
        found.expect("a verdict")
    }
}

#[test]
fn a_storm_is_found_by_the_counters_of_live_switches() {
    let switches: Vec<Arc<Switch>> = counted().iter().map(|(_, readings)| Switch::of(&readings[0])).collect();
    let servers: Vec<GnmiServer> =
        switches.iter().map(|switch| GnmiServer::start(switch.clone(), 0)).collect();
    let mut watch = Watch::start(&servers.iter().map(GnmiServer::address).collect::<Vec<_>>());
    for _ in &servers {
        watch.line("ports are read");
    }
    for (switch, (_, readings)) in switches.iter().zip(counted()) {
        switch.load(readings.last().expect("readings"));
    }
    let storm = watch.verdict("pfc_storm_host_injection");
    assert_eq!(storm["root_cause"]["port"], "sw4:1");
    // The switches have no map of DSCPs, of which their counters show no effect.
    let evidence = storm["evidence"].as_array().into_iter().flatten();
    let mut records = evidence.flat_map(|evidence| evidence["records"].as_array().into_iter().flatten());
    assert!(!records.any(|record| record["id"] == "sw4/PFC008"), "{storm:#}");
}

#[test]
fn a_switch_that_does_not_run_its_desired_configuration_is_reported() {
    let (name, readings) = counted().iter().find(|(name, _)| name == "sw4").expect("a switch");
    let file = desired("gnmi-differs", &readings[0], Some("6"));
    let server = GnmiServer::start(Switch::of(&readings[0]), 0);
    let file = format!("{name}={}", file.display());
    let mut watch = Watch::start(&["--desired".to_string(), file, server.address()]);
    let line = watch.line("it does not run its desired configuration: ");
    assert!(line.starts_with("sw4: ") && line.contains("pfc_enable"), "{line}");
}

#[test]
fn a_switch_that_stops_is_read_again_when_it_answers() {
    let switch = Switch::of(&counted()[0].1[0]);
    let server = GnmiServer::start(switch.clone(), 0);
    let (port, address) = (server.port, server.address());
    let mut watch = Watch::start(&[address]);
    watch.line("ports are read");
    drop(server);
    watch.line("cannot be read");
    let _server = GnmiServer::start(switch, port);
    watch.line("read again");
}

/// Watches a server for some rounds beside one that is as it should be.
fn check(address: impl FnOnce(u16) -> String, tables: Arc<impl Tables>, expected: &str) {
    let right = GnmiServer::start(Switch::of(&counted()[1].1[0]), 0);
    let odd = GnmiServer::start(tables, 0);
    check_odd("1s", "3", &address(odd.port), &right.address(), expected);
}

#[test]
fn a_switch_that_cannot_be_read_is_reported_and_the_rest_goes_on() {
    let switch = || Switch::of(&counted()[0].1[0]);
    let wrong = |port| format!("gnmi://admin:other-s3cret@127.0.0.1:{port}");
    check(wrong, switch(), "authentication failed: Invalid Password");
    check(|port| format!("gnmi://127.0.0.1:{port}"), switch(), "authentication failed: No Username");
    let tls = |port| format!("gnmis://admin:s3cret@127.0.0.1:{port}");
    check(tls, switch(), "cannot connect");
    let right = |port| format!("gnmi://admin:s3cret@127.0.0.1:{port}");
    let none = Arc::new(Device::default());
    check(right, none, "neither SONiC's COUNTERS_DB nor counters of OpenConfig");
}

/// A device with OpenConfig: values by the texts of their paths.
#[derive(Default)]
struct Device {
    leaves: Mutex<BTreeMap<String, Value>>,
    version: watch::Sender<u64>,
}

impl Device {
    fn set(&self, path: &str, value: Value) {
        self.leaves.lock().expect("no panic before").insert(path.to_string(), value);
        self.version.send_modify(|version| *version += 1);
    }
}

impl Tables for Device {
    fn values(&self, target: &str, wanted: &proto::Path) -> Result<Vec<(proto::Path, Value)>, String> {
        if !target.is_empty() {
            return Err(format!("unknown target {target}"));
        }
        let wanted = elements(None, Some(wanted));
        let is_wanted = |path: &proto::Path| {
            let path = elements(None, Some(path));
            let pairs = path.iter().zip(&wanted);
            path.len() >= wanted.len() && pairs.into_iter().all(|(own, wanted)| own.name == wanted.name)
        };
        let leaves = self.leaves.lock().expect("no panic before");
        let all = leaves.iter().map(|(path, value)| (parse(path).expect("a path"), value.clone()));
        let found: Vec<(proto::Path, Value)> = all.filter(|(path, _)| is_wanted(path)).collect();
        if found.is_empty() { Err("no such path".to_string()) } else { Ok(found) }
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }
}

#[test]
fn a_storm_is_found_by_openconfig() {
    let device = Arc::new(Device::default());
    device.set("system/state/hostname", json!("leaf1"));
    device.set(
        "lldp/interfaces/interface[name=Ethernet2]/neighbors/neighbor[id=1]/state/system-name",
        json!("h1"),
    );
    let count = |port: &str, octets: u64, pauses: u64| {
        let counters = format!("interfaces/interface[name={port}]/state/counters");
        device.set(&counters, json!({"out-octets": octets.to_string()}));
        let pfc =
            format!("qos/interfaces/interface[interface-id={port}]/pfc/pfc-priorities/pfc-priority[dot1p=3]");
        device.set(&format!("{pfc}/state/statistics/pause-frames-rx"), json!(pauses.to_string()));
        let queue = format!("qos/interfaces/interface[interface-id={port}]/output/queues/queue[name=UC3]");
        device.set(&format!("{queue}/state/transmit-pkts"), json!("5"));
    };
    count("Ethernet1", 100, 0);
    count("Ethernet2", 100, 0);
    let server = GnmiServer::start(device.clone(), 0);
    let mut watch = Watch::start(&[server.address()]);
    watch.line("leaf1: 2 ports are read");
    count("Ethernet1", 900_000, 0);
    count("Ethernet2", 100, 20_000);
    assert_eq!(watch.verdict("pfc_storm_host_injection")["root_cause"]["port"], "leaf1:2");
}
