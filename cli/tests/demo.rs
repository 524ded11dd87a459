//! The demo as a process: it diagnoses incidents, and its store survives a kill.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test of a server opens sockets")]

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use support::scratch;

/// A running demo; the process is killed on drop.
struct Demo {
    process: Child,
    address: String,
}

impl Demo {
    /// Starts a demo with this store, waits until it prints the address of its dashboard, and then closes its stderr:
    /// a demo goes on without a reader of its log.
    fn start(store: &Path) -> Demo {
        let process = Command::new(env!("CARGO_BIN_EXE_harrier"))
            .env("HARRIER_LOG", "info")
            .args(["demo", "--listen", "127.0.0.1:0", "--pace", "4000", "--store"])
            .arg(store)
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

    /// Returns the JSON at a path.
    fn get(&self, path: &str) -> Value {
        let mut response = String::new();
        self.open(path).read_to_string(&mut response).expect("a response");
        let body = &response[response.find('{').expect("a JSON body")..=response.rfind('}').unwrap()];
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {response}"))
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

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
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
    let again = Demo::start(&store);
    let id = diagnosis["id"].as_str().unwrap();
    assert_eq!(again.get(&format!("/api/v1/diagnoses/{id}")), diagnosis);
    assert_ne!(again.get("/api/v1/incidents")["incidents"], json!([]));
}
