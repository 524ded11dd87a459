//! From a verdict that ends at a host to the part of the host: the server requests a report, the agent reads its counters
//! and settings, and the verdict continues. The fabric's telemetry is that of simulated scenarios.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use proto::v1::record::Body;
use proto::v1::{self, SenderKind, from_server};
use serde_json::{Value, json};

use crate::network::Network;
use crate::process::{Daemon, get, json as get_json, request, wait_until};
use crate::sender::Sender;
use crate::support::broken_nic::BrokenNic;
use crate::support::{harrier, scratch};

/// What a scenario leaves: the network, the host that the storm comes from, and the telemetry of its polls.
struct Scenario {
    folder: PathBuf,
    host: String,
    snapshots: Vec<Value>,
}

impl Scenario {
    /// Runs a scenario. The host is that of the verdict, or the receiver of the victim.
    fn run(test: &str, name: &str) -> Scenario {
        let folder = scratch(&format!("inside-{test}"));
        let path = folder.display().to_string();
        let ran = harrier(&["run", name, "--seed", "1", "--json", "--save-snapshots", &path]);
        let verdict = &ran.json()["diagnoses"][0];
        let mut files: Vec<PathBuf> =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.file_name().unwrap().to_string_lossy().starts_with("event-"));
        files.sort();
        let read = |path: &PathBuf| serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let snapshots: Vec<Value> = files.iter().map(read).collect();
        assert!(!snapshots.is_empty(), "{}", ran.stderr);
        let topology: model::Topology =
            serde_json::from_str(&fs::read_to_string(folder.join("topology.json")).unwrap()).unwrap();
        let victim: model::FlowKey = verdict["victim"].as_str().unwrap().parse().unwrap();
        let receiver = topology.host_of(victim.dst).unwrap().name.clone();
        let host = verdict["root_cause"]["host"].as_str().map_or(receiver, str::to_string);
        Scenario { folder, host, snapshots }
    }

    fn topology(&self) -> String {
        self.folder.join("topology.json").display().to_string()
    }

    fn address(&self) -> String {
        let topology: model::Topology =
            serde_json::from_str(&fs::read_to_string(self.topology()).unwrap()).unwrap();
        topology.node(&self.host).unwrap().addresses[0].to_string()
    }

    /// Sends the telemetry as a controller whose switches started now.
    fn upload(&self, uploads: &str) {
        let mut controller = Sender::connect(uploads, SenderKind::Controller, "c1", 2);
        let zero_ns = now_ns();
        for snapshot in &self.snapshots {
            let mut snapshot = snapshot.clone();
            for pointer in ["/trigger/time_ns", "/trigger/follows/since_ns"] {
                if let Some(time) = snapshot.pointer_mut(pointer) {
                    *time = json!(time.as_u64().unwrap() + zero_ns);
                }
            }
            let switches = snapshot["switches"].as_array().unwrap().iter();
            let clocks = switches.map(|switch| v1::SwitchClock {
                switch: switch["switch"].as_str().unwrap().into(),
                zero_ns: zero_ns as i64,
                error_ns: 0,
                maximum_error_ns: Some(0),
            });
            let clocks = clocks.collect();
            let upload = v1::Snapshot { json: snapshot.to_string().into_bytes(), clocks };
            assert_eq!(controller.upload(now_ns(), Body::Snapshot(upload)), "");
        }
    }
}

fn now_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64
}

/// Starts the agent of a host with a recorded tree; it reports on request only.
fn agent(network: &Network, scenario: &Scenario, uploads: &str, tree: &Path) -> Daemon {
    let tree = tree.display().to_string();
    let more = ["--sysfs", &tree, "--counters-interval-ms", "50", "--host-report-interval-s", "86400"];
    network.agent(&scenario.host, &scenario.address(), uploads, &more)
}

fn connected(rest: &str, host: &str) {
    let path = format!("/api/v1/hosts/{host}");
    wait_until("the agent is connected", || get_json(rest, &path)["agent"] == "connected");
}

/// The diagnoses once there are some.
fn diagnoses(rest: &str) -> Vec<Value> {
    let mut found = Vec::new();
    wait_until("there is a diagnosis", || {
        found = get_json(rest, "/api/v1/diagnoses")["diagnoses"].as_array().cloned().unwrap_or_default();
        !found.is_empty()
    });
    found
}

#[test]
fn a_storm_is_continued_with_the_broken_nic_that_sends_it() {
    let scenario = Scenario::run("storm", "pfc-storm");
    let network = Network::new("inside-storm");
    let (mut server, rest, uploads) =
        network.serve_blind("127.0.0.1:0", &["--topology", &scenario.topology()]);
    let nic = BrokenNic::start(&network.folder);
    let mut agent = agent(&network, &scenario, &uploads, &nic.tree);
    connected(&rest, &scenario.host);
    scenario.upload(&uploads);

    let found = &diagnoses(&rest)[0];
    assert_eq!(
        (&found["cause"], &found["root_cause"]["host"]),
        (&json!("nic_storm"), &json!(scenario.host)),
        "{found:#}"
    );
    let summary = found["summary"].as_str().unwrap();
    assert!(summary.contains(&format!("the RNIC mlx5_0 of {} is broken", scenario.host)), "{summary}");
    let records =
        found["evidence"].as_array().unwrap().iter().flat_map(|claim| claim["records"].as_array().unwrap());
    let of_host: Vec<&Value> = records.filter(|record| record["kind"] == "host").collect();
    assert!(
        of_host.iter().any(|record| record["pointer"] == "/counters/nics/0/sent_pauses/0"),
        "{of_host:#?}"
    );
    // The host's page has the report with the same finding.
    let path = format!("/api/v1/hosts/{}/report", scenario.host);
    let report = get_json(&rest, &path);
    let nic = &report["report"]["counters"]["nics"][0];
    assert_eq!(
        (&nic["nic"], &nic["line_rate_bps"]),
        (&json!("mlx5_0"), &json!(100_000_000_000_u64)),
        "{nic}"
    );
    let samples = nic["pause_samples"].as_array().unwrap();
    assert!(samples.len() >= 2, "several readings show a pause without a break: {nic}");
    let causes =
        report["diagnosis"]["findings"].as_array().unwrap().iter().map(|finding| finding["cause"].clone());
    assert!(causes.into_iter().any(|cause| cause == "nic_storm"), "{report:#}");
    assert!(
        report["report"]["inspection"]["interfaces"]["eth1"].is_object(),
        "settings are inspected: {report:#}"
    );

    // A restarted server still has it.
    assert_eq!(server.terminate(), Some(0));
    let (_server, rest, _) = network.serve_blind("127.0.0.1:0", &["--topology", &scenario.topology()]);
    assert_eq!(get_json(&rest, &path)["report"], report["report"]);
    assert_eq!(agent.terminate(), Some(0));
}

#[test]
fn a_fabric_that_explains_the_delay_names_no_part_of_a_host() {
    let scenario = Scenario::run("incast", "incast-backpressure");
    let network = Network::new("inside-incast");
    let (_server, rest, uploads) = network.serve_blind("127.0.0.1:0", &["--topology", &scenario.topology()]);
    let nic = BrokenNic::start(&network.folder);
    let _agent = agent(&network, &scenario, &uploads, &nic.tree);
    connected(&rest, &scenario.host);
    scenario.upload(&uploads);
    for found in diagnoses(&rest) {
        assert_eq!(found["root_cause"]["host"], Value::Null, "{found:#}");
        assert!(!found.to_string().contains("mlx5_0"), "{found:#}");
    }
    let host = get_json(&rest, &format!("/api/v1/hosts/{}", scenario.host));
    assert_eq!(host["report"], Value::Null, "no report was requested: {host:#}");
}

#[test]
fn an_agent_of_an_older_version_gets_no_request_and_the_verdict_says_what_is_missing() {
    let scenario = Scenario::run("old", "pfc-storm");
    let network = Network::new("inside-old");
    let (_server, rest, uploads) = network.serve_blind("127.0.0.1:0", &["--topology", &scenario.topology()]);
    let mut old = Sender::connect(&uploads, SenderKind::Agent, &scenario.host, 1);
    scenario.upload(&uploads);
    let found = &diagnoses(&rest)[0];
    let expected = format!("a report of {}: which of its parts causes the pauses", scenario.host);
    assert!(found["missing"].as_array().unwrap().contains(&json!(expected)), "{found:#}");
    let sent = old.until_pong();
    assert!(sent.iter().all(|message| !matches!(message, from_server::Message::Report(_))), "{sent:?}");
}

#[test]
fn a_report_is_about_the_own_host_and_counts_once() {
    let network = Network::new("inside-intake");
    let (_server, rest, uploads) = network.serve("127.0.0.1:0", &[]);
    let mut sender = Sender::connect(&uploads, SenderKind::Agent, "h1", 2);
    let body = |report: Value| Body::HostReport(v1::HostReport { json: report.to_string().into_bytes() });
    let report =
        |host: &str, interval_ns: u64| body(json!({"version": 1, "host": host, "interval_ns": interval_ns}));
    let mut check = |upload: Body, why: &str| {
        let rejected = sender.upload(now_ns(), upload);
        assert!(rejected.contains(why) && rejected.is_empty() == why.is_empty(), "`{rejected}` for `{why}`");
    };
    check(report("h2", 5), "the report is about host `h2`");
    check(body(json!({"version": 1})), "not a host report: missing field `host`");
    check(
        body(json!({"version": 9, "host": "h1", "interval_ns": 0})),
        "2 problems: /version: version 9 is not supported",
    );
    check(report(&"h".repeat(2 << 20), 5), "expected at most 1048576");
    check(report("h1", 5), "");
    let interval = || get_json(&rest, "/api/v1/hosts/h1/report")["report"]["interval_ns"].clone();
    assert_eq!(interval(), 5);
    assert_eq!(request(&rest, "GET", "/api/v1/hosts/h2/report", "").0, 404);
    // The same record again, as after a lost acknowledgement.
    assert_eq!(sender.repeat(now_ns(), report("h1", 6)), "");
    assert_eq!(interval(), 5);
    assert_eq!(sender.upload(now_ns(), report("h1", 7)), "");
    assert_eq!(interval(), 7);
    wait_until("only the newest is kept", || {
        get(&rest, "/metrics").contains("harrier_store_rows{table=\"reports\"} 1\n")
    });
}
