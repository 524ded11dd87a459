//! The demo as a process: it diagnoses incidents, its store survives a kill, and it repeats what happens in a scenario.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test of a server opens sockets")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::support::{harrier, scratch};
use serde_json::{Value, json};

/// A running demo; the process is killed on drop.
struct Demo {
    process: Child,
    address: String,
}

impl Demo {
    /// Starts a demo with this store, waits until it prints the address of its dashboard, and then closes its stderr:
    /// a demo goes on without a reader of its log.
    fn start(store: &Path) -> Demo {
        Demo::run(Command::new(env!("CARGO_BIN_EXE_harrier")).args(["demo", "--store"]).arg(store))
    }

    /// The same with a scenario, and without a store.
    fn of(scenario: &str) -> Demo {
        Demo::run(Command::new(env!("CARGO_BIN_EXE_harrier")).args(["demo", "--scenario", scenario]))
    }

    fn run(command: &mut Command) -> Demo {
        let process = command
            .env("HARRIER_LOG", "info")
            .args(["--listen", "127.0.0.1:0", "--pace", "8000"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary was built");
        let mut demo = Demo { process, address: String::new() };
        let stderr = BufReader::new(demo.process.stderr.take().expect("piped"));
        let mut output = String::new();
        for line in stderr.lines() {
            let line = line.expect("text");
            if let Some((_, address)) = line.split_once("dashboard at http://") {
                demo.address = address.trim_end_matches('/').to_string();
                return demo;
            }
            output.push_str(&line);
            output.push('\n');
        }
        panic!("the demo ended before it was ready:\n{output}");
    }

    fn open(&self, path: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).expect("the demo listens");
        // A demo that publishes nothing for so long has stopped.
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("not zero");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address).unwrap();
        stream
    }

    /// Posts JSON to a path, and returns the status.
    fn post(&self, path: &str, body: &str) -> u16 {
        let mut stream = TcpStream::connect(&self.address).expect("the demo listens");
        let (host, length) = (&self.address, body.len());
        write!(stream, "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n").unwrap();
        write!(stream, "Content-Length: {length}\r\nConnection: close\r\n\r\n{body}").unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).expect("a response");
        let status = response.split(' ').nth(1).and_then(|status| status.parse().ok());
        status.unwrap_or_else(|| panic!("{response}"))
    }

    /// Returns the JSON at a path.
    fn get(&self, path: &str) -> Value {
        let mut response = String::new();
        self.open(path).read_to_string(&mut response).expect("a response");
        let body = &response[response.find('{').expect("a JSON body")..=response.rfind('}').unwrap()];
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {response}"))
    }

    /// Reads the data of the live stream's events of a kind until `is_last` returns true.
    fn read_events(&self, kind: &str, mut is_last: impl FnMut(Value) -> bool) {
        let mut lines = BufReader::new(self.open("/api/v1/events")).lines().map_while(Result::ok);
        while let Some(line) = lines.next() {
            if line.strip_prefix("event: ") == Some(kind) {
                let data = lines.find_map(|line| Some(line.strip_prefix("data: ")?.to_string()));
                let data = serde_json::from_str(&data.expect("an event has data")).expect("JSON");
                if is_last(data) {
                    return;
                }
            }
        }
        panic!("the live stream ended");
    }

    /// Reads the live stream until it has published `count` diagnoses.
    fn wait_for_diagnoses(&self, count: usize) {
        let stream = BufReader::new(self.open("/api/v1/events"));
        let published = stream
            .lines()
            .map_while(Result::ok)
            .filter(|line| line == "event: diagnosis")
            .take(count)
            .count();
        assert_eq!(published, count, "the live stream ended");
    }
}

impl Demo {
    /// Ends the demo as a service manager does, and returns its exit status.
    fn terminate(&mut self) -> Option<i32> {
        let process = nix::unistd::Pid::from_raw(self.process.id() as i32);
        nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGTERM).expect("the demo runs");
        self.process.wait().expect("a child").code()
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// An operator asks about a flow by the names of its hosts, judges a verdict, and checks it again as a case.
#[test]
fn a_flow_has_the_names_of_its_hosts_and_a_judged_verdict_is_a_case() {
    let demo = Demo::of("poster-fig1");
    demo.wait_for_diagnoses(1);
    let server = format!("http://{}", demo.address);
    let ran = harrier(&["ask", "--server", &server, "--json", "h1>h3"]);
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
    let is_slow = answer["anomaly"].is_string();
    assert_eq!(
        (ran.status, &answer["victim"]),
        (i32::from(is_slow), &json!("10.0.1.1:10000>10.0.3.1:4791/udp"))
    );
    let ran = harrier(&["ask", "--server", &server, "h1:10000>nowhere"]);
    assert_eq!(ran.status, 2);
    assert!(
        ran.stderr.contains("`nowhere` is neither a host of the network nor an address"),
        "{}",
        ran.stderr
    );

    let incident = &demo.get("/api/v1/incidents?cause=incast&limit=1")["incidents"][0];
    let path = format!("/api/v1/incidents/{}", incident["id"].as_str().expect("an incast"));
    let note = json!({ "feedback": "right", "diagnosis": incident["diagnosis"] }).to_string();
    assert_eq!(demo.post(&format!("{path}/notes"), &note), 201);
    let case = demo.get(&format!("{path}/case"));
    assert_eq!(case["diagnosis"]["id"], incident["diagnosis"]);
    let file = scratch("demo-case").join("case.json");
    std::fs::write(&file, case.to_string()).unwrap();
    let ran = harrier(&["case", "check", file.to_str().expect("text")]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.starts_with("ok "), "{}", ran.stdout);
}

#[test]
fn the_demo_diagnoses_an_incident_that_survives_a_kill() {
    let store = scratch("demo").join("harrier.db");
    let demo = Demo::start(&store);
    demo.wait_for_diagnoses(6);
    let victim = "src=10.0.2.1&dst=10.0.4.1&sport=10000&dport=4791&proto=udp";
    let found = demo.get(&format!("/api/v1/diagnoses?{victim}"));
    // The newest one may be about the next scenario.
    let all = found["diagnoses"].as_array().expect("a list");
    let is_incast = |d: &&Value| d["anomaly"] == "pfc_backpressure_flow_contention";
    let diagnosis = all.iter().find(is_incast).unwrap_or_else(|| panic!("{found:#}")).clone();
    assert_eq!(diagnosis["root_cause"]["port"], "sw4:1");
    assert_eq!(diagnosis["pause_path"], json!(["sw1:1", "sw2:3", "sw4:1"]));
    assert_eq!(diagnosis["root_cause"]["flows"].as_array().unwrap().len(), 4);

    // Dropping kills the process without a shutdown.
    drop(demo);
    let mut again = Demo::start(&store);
    let id = diagnosis["id"].as_str().unwrap();
    assert_eq!(again.get(&format!("/api/v1/diagnoses/{id}")), diagnosis);
    assert_ne!(again.get("/api/v1/incidents")["incidents"], json!([]));

    // A file that is copied without the write-ahead log is complete.
    assert_eq!(again.terminate(), Some(0));
    assert!(store.exists() && !store.with_extension("db-wal").exists());
}

#[test]
fn every_round_changes_the_routes_as_the_scenario_does() {
    let demo = Demo::of("routing-loop");
    // One verdict a round: two mean that the routes of the second round were right at its start.
    demo.wait_for_diagnoses(2);
    let found = demo.get("/api/v1/diagnoses");
    let diagnoses = found["diagnoses"].as_array().expect("a list");
    assert!(diagnoses.iter().all(|diagnosis| diagnosis["anomaly"] == "routing_loop"), "{found:#}");
    let times: BTreeSet<u64> =
        diagnoses.iter().filter_map(|diagnosis| diagnosis["time_ns"].as_u64()).collect();
    assert_eq!(times.len(), diagnoses.len(), "rounds repeat later: {found:#}");
}

/// The fabric shows that h4 pauses its port, or that every hop is clean; its NIC, why.
#[test]
fn a_verdict_that_ends_at_a_host_names_its_part() {
    let demo = Demo::of("loopback-traffic");
    demo.wait_for_diagnoses(1);
    let found = demo.get("/api/v1/diagnoses");
    let first = &found["diagnoses"][0];
    assert_eq!(
        (&first["root_cause"]["host"], &first["cause"]),
        (&"h4".into(), &"loopback_congestion".into())
    );
}

/// Pauses that congestion causes are shorter; the scenario ends 2.6 ms after its deadlock, and its round later.
const STANDSTILL_NS: u64 = 2_500_000;

#[test]
fn a_deadlock_pauses_its_ports_until_the_next_round_begins() {
    let demo = Demo::of("deadlock-in-loop");
    let mut since_ns: BTreeMap<String, u64> = BTreeMap::new();
    let mut resumed = BTreeSet::new();
    demo.read_events("pause", |event| {
        let port = event["port"].as_str().expect("a port").to_string();
        let time_ns = event["time_ns"].as_u64().expect("a time");
        if event["paused"] == true {
            since_ns.insert(port, time_ns);
        } else if since_ns.remove(&port).is_some_and(|since_ns| time_ns - since_ns > STANDSTILL_NS) {
            resumed.insert(port);
        }
        ["s1:1", "s2:2", "s3:2"].into_iter().all(|port| resumed.contains(port))
    });
    let found = demo.get("/api/v1/diagnoses");
    let diagnoses = found["diagnoses"].as_array().expect("a list");
    assert!(!diagnoses.is_empty());
    let loops: BTreeSet<&str> =
        diagnoses.iter().filter_map(|diagnosis| diagnosis["anomaly"].as_str()).collect();
    assert_eq!(loops, BTreeSet::from(["deadlock_in_loop_contention"]), "{found:#}");
}

#[test]
fn the_live_path_diagnoses_what_the_batch_path_does() {
    let output = Command::new(env!("CARGO_BIN_EXE_harrier"))
        .args(["eval", "--live", "--scenario", "link-flap", "--scenario", "pfc-storm", "--json"])
        .output()
        .expect("the binary was built");
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for scenario in ["link-flap", "pfc-storm"] {
        let row = |method: &str| {
            let rows = report["rows"].as_array().expect("rows");
            let row = rows.iter().find(|row| row["scenario"] == scenario && row["method"] == method);
            row.unwrap_or_else(|| panic!("no row of {scenario} and {method}")).clone()
        };
        let (batch, live) = (row("harrier"), row("live"));
        assert_eq!((&batch["runs"], &live["runs"]), (&json!(1), &json!(2)), "two rounds");
        assert_eq!(live["false_positive"], 0, "{text}");
        assert_eq!(live["recall"], batch["recall"], "{text}");
        assert_eq!(
            live["true_positive"].as_u64(),
            batch["true_positive"].as_u64().map(|right| 2 * right),
            "{text}"
        );
    }
}
