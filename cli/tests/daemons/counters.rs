//! Verdicts from the counters of ordinary switches: from `harrier watch` on real Redis servers to the server's store.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use model::diagnosis::CounterInterval;
use model::{Anomaly, Cause, Diagnosis, PortRef, RootCause, Severity};
use proto::v1::record::Body;
use proto::v1::{self, SenderKind, from_sender};
use serde_json::Value;

use crate::network::Network;
use crate::process::{Daemon, get, json, metric, request, wait_until};
use crate::sender::Sender;
use crate::support::redis::Server as Redis;
use crate::support::watch::count;

/// What the switches of a storm count: by switch, the readings in order of time.
fn counted() -> &'static [(String, Vec<PathBuf>)] {
    static COUNTED: OnceLock<Vec<(String, Vec<PathBuf>)>> = OnceLock::new();
    COUNTED.get_or_init(|| count("daemons-counters"))
}

/// Starts the Redis servers of all switches with their first readings. Without redis-server the test is skipped.
fn switches(test: &str) -> Option<Vec<Redis>> {
    let start = |(name, readings): &(String, Vec<PathBuf>)| {
        let server = Redis::start(&format!("{test}-{name}"), None)?;
        server.load_dumps(&readings[0]);
        Some(server)
    };
    counted().iter().map(start).collect()
}

/// Starts `harrier watch` as the watcher `w1`, and waits until it has read every switch.
fn watch(network: &Network, log: &str, switches: &[Redis], uploads: &str) -> Daemon {
    let (spool, log) = (network.path("spool"), network.path(log));
    let mut arguments =
        vec!["watch", "--name", "w1", "--interval", "300ms", "--health-listen", "127.0.0.1:0"];
    arguments.extend(["--server", uploads, "--spool", &spool]);
    let addresses: Vec<String> =
        switches.iter().map(|server| format!("sonic://127.0.0.1:{}", server.port)).collect();
    arguments.extend(addresses.iter().map(String::as_str));
    let mut daemon = Daemon::start_with_log(&arguments, std::fs::File::create(&log).unwrap());
    daemon.health = daemon.line("health on ");
    wait_until("all switches are read", || {
        std::fs::read_to_string(&log).unwrap().matches("ports are read").count() == switches.len()
    });
    daemon
}

fn incidents(rest: &str) -> Vec<Value> {
    json(rest, "/api/v1/incidents")["incidents"].as_array().cloned().unwrap_or_default()
}

fn storm(rest: &str) -> Option<Value> {
    incidents(rest).into_iter().find(|incident| incident["anomaly"] == "pfc_storm_host_injection")
}

#[test]
fn a_verdict_survives_a_kill_of_the_server_and_of_the_watcher() {
    let Some(switches) = switches("counters-kill") else { return };
    let network = Network::new("counters-kill");
    let (mut server, rest, uploads) = network.serve_blind("127.0.0.1:0", &[]);
    let mut watcher = watch(&network, "log-1", &switches, &uploads);
    wait_until("the watcher is connected", || metric(&rest, "harrier_daemons") == 1);
    server.kill();
    for (redis, (_, readings)) in switches.iter().zip(counted()) {
        redis.load_dumps(readings.last().expect("readings"));
    }
    wait_until("the verdict is in the spool", || {
        let log = std::fs::read_to_string(network.path("log-1")).unwrap();
        log.contains("sw4:1") && metric(&watcher.health, "harrier_spool_records") > 0
    });
    watcher.kill();
    // The counters stand still now: what the server gets is what was spooled.
    let mut watcher = watch(&network, "log-2", &switches, &uploads);
    let (mut server, rest, _) = network.serve_blind(&uploads, &[]);
    wait_until("the storm is an incident", || storm(&rest).is_some());
    wait_until("everything is acknowledged", || metric(&watcher.health, "harrier_spool_records") == 0);
    let found = storm(&rest).unwrap();
    assert_eq!(found["root_cause"]["port"], "sw4:1", "{found:#}");
    let id = found["diagnosis"].as_str().unwrap().to_string();
    let diagnosis = json(&rest, &format!("/api/v1/diagnoses/{id}"));
    assert_eq!(diagnosis["victim"], Value::Null);
    assert_eq!(diagnosis["counters"]["watcher"], "w1", "{diagnosis:#}");
    let interval = ["from_ns", "to_ns"].map(|end| diagnosis["counters"][end].as_u64().unwrap());
    assert!(interval[0] < interval[1], "{interval:?}");
    let stored = json(&rest, "/api/v1/diagnoses?view=summary")["diagnoses"].as_array().unwrap().len();

    // A server that is killed once more has everything, and nothing twice.
    server.kill();
    let (mut server, rest, _) = network.serve_blind(&uploads, &[]);
    wait_until("the watcher is connected again", || metric(&rest, "harrier_daemons") == 1);
    assert_eq!(json(&rest, "/api/v1/diagnoses?view=summary")["diagnoses"].as_array().unwrap().len(), stored);
    for page in ["graph", "snapshot"] {
        let (status, _) = request(&rest, "GET", &format!("/api/v1/diagnoses/{id}/{page}"), "");
        assert_eq!(status, if page == "graph" { 200 } else { 404 }, "{page}");
    }
    let incident = found["id"].as_str().unwrap();
    let report = get(&rest, &format!("/api/v1/incidents/{incident}/report"));
    assert!(report.contains("sw4:1"), "{report}");
    assert_eq!(watcher.terminate(), Some(0));
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn ports_of_ordinary_switches_have_series() {
    let Some(switches) = switches("counters-ports") else { return };
    let network = Network::new("counters-ports");
    let (mut server, rest, uploads) = network.serve_blind("127.0.0.1:0", &[]);
    let mut watcher = watch(&network, "log", &switches, &uploads);
    let points = || {
        let (status, answer) = request(&rest, "GET", "/api/v1/ports/sw4:1/series", "");
        let series: Value = serde_json::from_str(&answer).unwrap_or_default();
        assert!(status == 200 || status == 404, "{answer}");
        series["samples"].as_array().cloned().unwrap_or_default()
    };
    wait_until("the port has samples", || !points().is_empty());
    for (redis, (_, readings)) in switches.iter().zip(counted()) {
        redis.load_dumps(readings.last().expect("readings"));
    }
    let is_paused = |point: &Value| {
        point["paused_ns"].as_u64() > Some(0) && point["paused_priorities"] == serde_json::json!([3])
    };
    wait_until("a sample shows the pauses", || points().iter().any(is_paused));
    for point in points() {
        assert!(point["paused_ns"].as_u64() <= point["interval_ns"].as_u64(), "{point:#}");
    }
    assert_eq!(watcher.terminate(), Some(0));
    assert_eq!(server.terminate(), Some(0));
}

fn now_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64
}

/// A verdict about a port, from counters until now.
fn verdict(port: &str, anomaly: Anomaly) -> Diagnosis {
    let now_ns = now_ns();
    Diagnosis {
        id: format!("counters-{now_ns}-{}", port.replace(':', "-")),
        time_ns: now_ns,
        anomaly,
        cause: Cause::NicStorm,
        confidence: 0.9,
        severity: Severity::Critical,
        summary: format!("a host pauses {port}"),
        root_cause: RootCause {
            port: Some(port.parse().unwrap()),
            host: Some("h2".into()),
            ..RootCause::default()
        },
        pause_path: vec![port.parse::<PortRef>().unwrap()],
        counters: Some(CounterInterval { from_ns: now_ns - 1, to_ns: now_ns, watcher: None }),
        ..Diagnosis::undetermined(None)
    }
}

fn body(verdict: &Diagnosis) -> Body {
    Body::CounterVerdict(v1::CounterVerdict { json: serde_json::to_vec(verdict).unwrap() })
}

#[test]
fn an_incident_lasts_as_long_as_the_verdict() {
    let network = Network::new("counters-lasting");
    let (_server, rest, uploads) = network.serve("127.0.0.1:0", &["--incident-quiet-s", "1"]);
    let mut watcher = Sender::connect(&uploads, SenderKind::Watcher, "w1", 3);
    let lasting = |ports: &[&str]| {
        let ports = ports.iter().map(ToString::to_string).collect();
        from_sender::Message::Lasting(v1::Lasting { ports })
    };
    watcher.send(lasting(&["s1:2", "not a port"]));
    assert_eq!(watcher.upload(now_ns(), body(&verdict("s1:2", Anomaly::PfcStormHostInjection))), "");
    wait_until("there is an incident", || storm(&rest).is_some());
    let start_ns = storm(&rest).unwrap()["start_ns"].as_u64().unwrap();
    wait_until("it lasts longer than its quiet time", || {
        storm(&rest).unwrap()["update_ns"].as_u64().unwrap() > start_ns + 2_000_000_000
    });
    assert_eq!(storm(&rest).unwrap()["end_ns"], Value::Null);
    watcher.send(lasting(&[]));
    wait_until("it ends", || storm(&rest).unwrap()["end_ns"].is_u64());
}

#[test]
fn a_verdict_joins_the_incident_of_its_port_and_is_stored_once() {
    let network = Network::new("counters-joined");
    let (_server, rest, uploads) = network.serve("127.0.0.1:0", &[]);
    let mut watcher = Sender::connect(&uploads, SenderKind::Watcher, "w1", 3);
    let first = verdict("s1:2", Anomaly::PfcStormHostInjection);
    assert_eq!(watcher.upload(now_ns(), body(&first)), "");
    assert_eq!(watcher.repeat(now_ns(), body(&first)), "");
    // The same verdict with another number, as from a watcher whose spool was copied.
    assert_eq!(watcher.upload(now_ns(), body(&first)), "");
    assert_eq!(watcher.upload(now_ns(), body(&verdict("s1:2", Anomaly::PfcStormHostInjection))), "");
    let ordinary = Diagnosis { severity: Severity::Info, ..verdict("s1:1", Anomaly::FlowContention) };
    assert_eq!(watcher.upload(now_ns(), body(&ordinary)), "");
    wait_until("both verdicts are stored", || {
        metric(&rest, "harrier_counter_verdicts_total") == 2 && metric(&rest, "harrier_inbox_bytes") == 0
    });
    let found = incidents(&rest);
    assert_eq!((found.len(), found[0]["count"].as_u64()), (1, Some(2)), "{found:#?}");
}

#[test]
fn only_a_watcher_sends_verdicts_and_it_sends_nothing_else() {
    let network = Network::new("counters-rejected");
    let (_server, rest, uploads) = network.serve("127.0.0.1:0", &[]);
    let mut watcher = Sender::connect(&uploads, SenderKind::Watcher, "w1", 3);
    let rejected = watcher.upload(now_ns(), Body::Snapshot(v1::Snapshot::default()));
    assert_eq!(rejected, "a watcher may not send telemetry of switches");
    let large = Diagnosis { summary: "x".repeat(5_000), ..verdict("s1:2", Anomaly::PfcStormHostInjection) };
    let rejected = watcher.upload(now_ns(), body(&large));
    assert_eq!(rejected, "json: a text of 5000 bytes; expected at most 4096");
    let mut controller = Sender::connect(&uploads, SenderKind::Controller, "c1", 3);
    let rejected = controller.upload(now_ns(), body(&verdict("s1:2", Anomaly::PfcStormHostInjection)));
    assert_eq!(rejected, "a controller may not send verdicts");
    assert_eq!(metric(&rest, "harrier_uploads_rejected_total"), 3);
    assert_eq!(incidents(&rest), Vec::<Value>::new());
}
