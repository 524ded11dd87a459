//! The report of an incident.

use axum::body::Body;
use axum::http::{Request, header};
use harrier_web::{AppState, LiveState, router};
use http_body_util::BodyExt as _;
use store::Store;
use tower::ServiceExt as _;

use crate::fixture::{incast, incast_graph, snapshot, topology, victim};

/// Returns status, media type and text of a report.
async fn report(path: &str) -> (u16, String, String) {
    let live = LiveState::new(Store::open("sqlite::memory:").await.unwrap()).await.unwrap();
    live.set_topology(topology()).await.unwrap();
    live.push_diagnosis(&incast("d1", 1_000, victim()), &incast_graph(), Some(&snapshot())).await.unwrap();
    let request = Request::get(format!("/api/v1/incidents/{path}")).body(Body::empty()).unwrap();
    let response = router(AppState::new(live)).oneshot(request).await.unwrap();
    let (status, media_type) =
        (response.status().as_u16(), response.headers().get(header::CONTENT_TYPE).cloned());
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    let media_type = media_type.unwrap().to_str().unwrap().to_string();
    (status, media_type, String::from_utf8(bytes.to_vec()).unwrap())
}

#[tokio::test]
async fn a_report_has_verdict_advice_cause_path_evidence_and_commands() {
    let (status, media_type, text) = report("i-d1/report").await;
    assert_eq!((status, media_type.as_str()), (200, "text/markdown; charset=utf-8"));
    for part in [
        "# Incident i-d1: Incast of 4 flows to h3 pauses 2 flows, sw4:2\n",
        "| anomaly | pfc\\_backpressure\\_flow\\_contention |\n| cause | incast |\n",
        "4 flows to h3 contend at sw4:2",
        "| confidence | 97 % |",
        "\n## Root cause\n\n- port sw4:2\n- flow ",
        "\n## Pause path\n\nsw1:1 → sw2:3 → sw4:2\n",
        "(the victim that was measured)",
        "| 1 | the victim's RTT is 17.1 us, base RTT 9.1 us |",
        "/api/v1/diagnoses/d1/snapshot",
        "harrier analyze event.json --topology topology.json",
    ] {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
    let (status, media_type, text) = report("i-d1/report?format=html").await;
    assert_eq!((status, media_type.as_str()), (200, "text/html; charset=utf-8"));
    assert!(text.starts_with("<!doctype html>") && text.contains("<h2>Evidence</h2>"), "{text}");
    assert!(!text.contains("<script") && !text.contains("src="), "{text}");
}

#[tokio::test]
async fn an_unknown_incident_or_form_is_a_problem() {
    assert_eq!(report("i-none/report").await.0, 404);
    assert_eq!(report("i-d1/report?format=pdf").await.0, 400);
}
