//! Findings about the configuration and the cables of switches.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use harrier_web::{AppState, CableDifference, DaemonState, HealthProblem, LiveState, Metric, Probe, router};
use serde_json::{Value, json};
use store::{Finding, Store};

use crate::answer;

/// Two controllers that report the same cable.
struct Cables;

impl Probe for Cables {
    fn problems(&self) -> Vec<HealthProblem> {
        Vec::new()
    }

    fn metrics(&self) -> Vec<Metric> {
        Vec::new()
    }

    fn daemons(&self) -> Vec<DaemonState> {
        let cable = CableDifference {
            port: "leaf1:5".parse().unwrap(),
            planned: Some("spine1:1".parse().unwrap()),
            found: None,
            text: "leaf1:5 is silent".into(),
        };
        ["a", "b"]
            .map(|name| DaemonState {
                name: name.into(),
                cables: vec![cable.clone()],
                ..DaemonState::default()
            })
            .to_vec()
    }
}

async fn server() -> Router {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let finding = |id: &str, code: &str, severity: &str, more: Value| {
        let mut body = json!({ "id": id, "code": code, "severity": severity });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        Finding { id: id.into(), code: code.into(), severity: severity.into(), body }
    };
    let findings = [
        finding("1", "PG004", "error", json!({ "switch": "leaf1", "file": "etc/leaf1/config_db.json" })),
        finding("2", "BUF023", "info", json!({ "switch": "leaf2", "file": "etc/leaf2/config_db.json" })),
        finding("leaf2/alpha", "alpha", "warning", json!({ "switch": "leaf2" })),
    ];
    store.replace_findings(&findings).await.unwrap();
    let live = LiveState::new(store).await.unwrap();
    router(AppState::new(live).with_probe(Arc::new(Cables)))
}

/// Sends a query; returns the status and the ids of the findings.
async fn ids(query: &str) -> (u16, Vec<String>) {
    let request = Request::get(format!("/api/v1/findings{query}")).body(Body::empty()).unwrap();
    let (status, body) = answer(server().await, request).await;
    let findings = body["findings"].as_array().map_or(&[][..], Vec::as_slice);
    (status, findings.iter().map(|finding| finding["id"].as_str().unwrap().to_string()).collect())
}

#[tokio::test]
async fn findings_of_cables_and_configurations_are_listed_once_and_filtered() {
    let check = async |query: &str, expected: &[&str]| {
        assert_eq!(ids(query).await, (200, expected.iter().map(ToString::to_string).collect()), "{query}");
    };
    check("", &["leaf1:5/cable", "2", "1", "leaf2/alpha"]).await;
    check("?switch=leaf1", &["leaf1:5/cable", "1"]).await;
    check("?switch=leaf2&severity=warning", &["leaf2/alpha"]).await;
    check("?code=PG004", &["1"]).await;
    check("?file=leaf1/config_db.json", &["1"]).await;
    check("?file=config_db.json", &["2", "1"]).await;
    check("?file=db.json", &[]).await;
    check("?switch=none", &[]).await;
}

#[tokio::test]
async fn an_unknown_severity_or_parameter_is_a_problem() {
    assert_eq!(ids("?severity=fatal").await.0, 400);
    assert_eq!(ids("?port=1").await.0, 400);
}
