//! Hosts: those of the topology, what their agents report, and the findings in it.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use harrier_web::{
    AppState, DaemonState, HealthProblem, HostReportBackend, HostReportSummary, HostReportView, LiveState,
    Metric, Probe, router,
};
use model::host::{HostCheck, HostCheckResult, HostClaim, HostDiagnosis, HostFinding, HostPart};
use model::{Cause, HostReport};
use serde_json::{Value, json};
use store::Store;

use crate::answer;
use crate::fixture::topology;

const TIME: &str = "2023-11-14T22:13:20Z";

fn finding() -> HostFinding {
    HostFinding {
        detector: "nic_storm".into(),
        host: "h3".into(),
        part: HostPart::Nic("mlx5_0".into()),
        cause: Cause::NicStorm,
        summary: "the RNIC mlx5_0 of h3 is broken".into(),
        confidence: 0.85,
        evidence: vec![HostClaim::new("mlx5_0 paused for 500 ms", ["/counters/nics/0/sent_pauses/0".into()])],
        missing: vec!["whether other servers pause".into()],
        advice: vec!["reboot h3".into()],
    }
}

/// `h3` of the topology and `x1`, which the topology does not have, have reported.
struct Reports;

impl Reports {
    fn of(host: &str) -> HostReportSummary {
        let findings = if host == "h3" { vec![finding()] } else { Vec::new() };
        HostReportSummary { time: TIME.into(), age_ns: 7, interval_ns: 500, findings }
    }
}

impl HostReportBackend for Reports {
    fn summaries(&self) -> BTreeMap<String, HostReportSummary> {
        ["h3", "x1"].map(|host| (host.to_string(), Reports::of(host))).into()
    }

    fn summary(&self, host: &str) -> Option<HostReportSummary> {
        self.summaries().remove(host)
    }

    fn report(&self, host: &str) -> Option<HostReportView> {
        let HostReportSummary { time, age_ns, findings, .. } = self.summary(host)?;
        let check = HostCheck {
            detector: "poll_gap".into(),
            result: HostCheckResult::MissingEvidence,
            missing: vec!["the report has no section `polls`".into()],
        };
        let diagnosis = HostDiagnosis { host: host.into(), findings, checks: vec![check] };
        Some(HostReportView { time, age_ns, report: HostReport::new(host, 500), diagnosis })
    }
}

/// The agents of `h3` and `h4`.
struct Agents;

impl Probe for Agents {
    fn problems(&self) -> Vec<HealthProblem> {
        Vec::new()
    }

    fn metrics(&self) -> Vec<Metric> {
        Vec::new()
    }

    fn daemons(&self) -> Vec<DaemonState> {
        let daemon = |kind: &str, name: &str, state: &str| DaemonState {
            kind: kind.into(),
            name: name.into(),
            state: state.into(),
            ..DaemonState::default()
        };
        vec![
            daemon("agent", "h3", "connected"),
            daemon("agent", "h4", "silent"),
            daemon("controller", "h5", "connected"),
        ]
    }
}

async fn server(with_reports: bool) -> Router {
    let live = LiveState::new(Store::open("sqlite::memory:").await.unwrap()).await.unwrap();
    live.set_topology(topology()).await.unwrap();
    let state = AppState::new(live);
    router(match with_reports {
        true => state.with_host_reports(Arc::new(Reports)).with_probe(Arc::new(Agents)),
        false => state,
    })
}

async fn get(app: &Router, path: &str) -> (u16, Value) {
    answer(app.clone(), Request::get(path).body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn hosts_are_those_of_the_topology_and_those_that_have_reported() {
    let app = server(true).await;
    let (status, found) = get(&app, "/api/v1/hosts").await;
    assert_eq!(status, 200, "{found}");
    let hosts = found["hosts"].as_array().unwrap();
    let row = |host: &Value| {
        (host["name"].clone(), host["agent"].clone(), host["report"]["findings"].as_array().map(Vec::len))
    };
    let rows: Vec<_> = hosts.iter().map(row).collect();
    let expected = |name: &str, agent: Value, findings| (json!(name), agent, findings);
    assert_eq!(rows[3], expected("h3", json!("connected"), Some(1)));
    assert_eq!(rows[4], expected("h4", json!("silent"), None));
    assert_eq!(rows[5], expected("h5", Value::Null, None), "a controller is no agent");
    assert_eq!(rows.last().unwrap(), &expected("x1", Value::Null, Some(0)));
    assert_eq!(rows.len(), 10);
    assert_eq!(hosts[3]["addresses"], json!(["11.0.3.1"]));
    assert_eq!(hosts[3]["switch_ports"], json!(["sw4:2"]));
}

#[tokio::test]
async fn a_host_has_the_findings_of_its_report_with_evidence_and_age() {
    let app = server(true).await;
    let (status, host) = get(&app, "/api/v1/hosts/h3").await;
    assert_eq!(status, 200, "{host}");
    assert_eq!((&host["report"]["time"], &host["report"]["age_ns"]), (&json!(TIME), &json!(7)));
    let found = &host["report"]["findings"][0];
    assert_eq!(
        (&found["cause"], &found["part"]),
        (&json!("nic_storm"), &json!({"kind": "nic", "name": "mlx5_0"}))
    );
    assert_eq!(found["evidence"][0]["records"], json!(["/counters/nics/0/sent_pauses/0"]));
    let (status, report) = get(&app, "/api/v1/hosts/h3/report").await;
    assert_eq!(status, 200, "{report}");
    assert_eq!((&report["report"]["host"], &report["report"]["interval_ns"]), (&json!("h3"), &json!(500)));
    assert_eq!(report["diagnosis"]["checks"][0]["result"], "missing_evidence");
    assert_eq!(report["diagnosis"]["findings"][0], *found);
}

#[tokio::test]
async fn unknown_hosts_and_hosts_without_a_report_are_not_found() {
    let check = async |app: &Router, path: &str, detail: &str| {
        let (status, problem) = get(app, path).await;
        assert_eq!((status, &problem["detail"]), (404, &json!(detail)), "{path}");
    };
    let app = server(true).await;
    check(&app, "/api/v1/hosts/h99", "there is no host `h99`").await;
    check(&app, "/api/v1/hosts/sw1", "there is no host `sw1`").await;
    check(&app, "/api/v1/hosts/h1/report", "host `h1` has not reported").await;
    let without = server(false).await;
    check(&without, "/api/v1/hosts/h3/report", "host `h3` has not reported").await;
    assert_eq!(get(&without, "/api/v1/hosts/h3").await.1["report"], Value::Null);
    assert_eq!(get(&without, "/api/v1/hosts").await.1["hosts"].as_array().unwrap().len(), 9);
}
