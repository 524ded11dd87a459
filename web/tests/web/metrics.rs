//! Metrics in both text formats, as clients select them.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, header};
use harrier_web::{AppState, LiveState, PortPoint, PortSample, Stage, router};
use http_body_util::BodyExt as _;
use store::Store;
use tower::ServiceExt as _;

use crate::fixture::{incast, incast_graph, port, storm, topology, victim};

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// What Prometheus sends.
const SCRAPE: &str =
    "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1";

fn clock() -> u64 {
    1_700_000_000_500_000_000
}

/// A network with two diagnoses of one incident, one of another, and samples of a port that becomes paused.
async fn live() -> Arc<LiveState> {
    let live = LiveState::with_clock(Store::open("sqlite::memory:").await.unwrap(), clock).await.unwrap();
    live.set_topology(topology()).await.unwrap();
    for (id, time_ns) in [("d1", 1_000), ("d2", 2_000)] {
        live.push_diagnosis(&incast(id, time_ns, victim()), &incast_graph(), None).await.unwrap();
    }
    let (diagnosis, graph) = storm("d3", 3_000);
    live.push_diagnosis(&diagnosis, &graph, None).await.unwrap();
    for time_ns in [10, 20, 30] {
        let point =
            PortPoint { time_ns, queue_bytes: time_ns, paused: time_ns == 20, ..PortPoint::default() };
        live.push_ports(&[PortSample { port: port("sw4:2"), point }]);
    }
    live
}

/// Returns the content type and the text of the metrics.
async fn scrape(app: &Router, accept: Option<&str>) -> (String, String) {
    let mut request = Request::get("/metrics");
    if let Some(accept) = accept {
        request = request.header(header::ACCEPT, accept);
    }
    let response = app.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let kind = response.headers()[header::CONTENT_TYPE].to_str().unwrap().to_string();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (kind, String::from_utf8(body.to_vec()).unwrap())
}

fn check_lines(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.lines().any(|l| l == *line), "{line} is not in\n{text}");
    }
}

#[tokio::test]
async fn metrics_count_what_has_happened() {
    let live = live().await;
    for stage in [Stage::Freeze, Stage::Collection, Stage::Analysis] {
        live.observe(stage, Duration::from_millis(2));
    }
    let app = router(AppState::new(live));
    scrape(&app, None).await;
    let (kind, text) = scrape(&app, Some(SCRAPE)).await;
    assert_eq!(kind, OPEN_METRICS);
    check_lines(
        &text,
        &[
            "harrier_port_pauses_total{switch=\"sw4\",port=\"2\"} 1",
            "harrier_port_queue_bytes{switch=\"sw4\",port=\"2\"} 30",
            "harrier_diagnoses_total{anomaly=\"pfc_backpressure_flow_contention\",cause=\"incast\"} 2",
            "harrier_incidents_total 2",
            "harrier_http_responses_total{route=\"/metrics\",status=\"200\"} 1",
            "# TYPE harrier_build info",
            "harrier_http_request_duration_seconds_count{route=\"/metrics\",status=\"2xx\"} 1",
            "harrier_analysis_seconds_bucket{le=\"0.01\"} 1",
            "harrier_collection_seconds_count 1",
            "harrier_freeze_seconds_sum 0.002",
            "harrier_store_rows{table=\"diagnoses\"} 3",
            "harrier_store_rows{table=\"snapshots\"} 0",
            "# TYPE harrier_store_used_bytes gauge",
            "# TYPE process_cpu_seconds counter",
            "# TYPE process_resident_memory_bytes gauge",
            "# TYPE process_open_fds gauge",
            "# TYPE process_start_time_seconds gauge",
        ],
    );
    assert!(text.ends_with("# EOF\n"));
    assert!(!text.contains("11.0."), "a flow is a label");
}

/// What to alert on.
#[tokio::test]
async fn open_incidents_are_counted_until_they_end() {
    let live = live().await;
    let app = router(AppState::new(live.clone()));
    let incast = "harrier_incidents_open{anomaly=\"pfc_backpressure_flow_contention\",cause=\"incast\",severity=\"info\"} 1";
    let storm = "harrier_incidents_open{anomaly=\"pfc_storm_host_injection\",cause=\"nic_storm\",severity=\"info\"} 1";
    let last = "harrier_incident_last_timestamp_seconds 1700000000.5";
    let (_, text) = scrape(&app, None).await;
    check_lines(&text, &[incast, storm, last, "# TYPE harrier_incidents_open gauge"]);
    live.advance(62_000_000_000).await.unwrap();
    let (_, text) = scrape(&app, None).await;
    check_lines(&text, &[last]);
    assert!(!text.contains("harrier_incidents_open{"), "{text}");
}

#[tokio::test]
async fn clients_that_do_not_accept_openmetrics_receive_the_classic_format() {
    let app = router(AppState::new(live().await));
    for accept in [None, Some("*/*"), Some("text/plain"), Some("text/plain;version=0.0.4")] {
        let (kind, text) = scrape(&app, accept).await;
        assert_eq!(kind, "text/plain; version=0.0.4; charset=utf-8", "{accept:?}");
        check_lines(
            &text,
            &[
                "# TYPE harrier_build_info gauge",
                "# TYPE harrier_incidents_total counter",
                "harrier_incidents_total 2",
            ],
        );
        assert!(!text.contains("# EOF") && !text.contains("# UNIT"), "{text}");
    }
}

#[tokio::test]
async fn promtool_accepts_the_classic_format() {
    let (_, text) = scrape(&router(AppState::new(live().await)), Some("text/plain")).await;
    let promtool = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut promtool) = promtool else {
        eprintln!(
            "SKIPPED: promtool is not installed (Debian package prometheus); the format is not checked"
        );
        return;
    };
    promtool.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = promtool.wait_with_output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&said));
}
