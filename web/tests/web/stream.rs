//! The live stream: order, replay, slow clients, limits, shutdown.

use std::io::Write as _;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use flate2::write::GzDecoder;
use harrier_web::{AppState, EVENT_CLIENTS, LiveState, PortPoint, PortSample, router, serve};
use http_body_util::BodyExt as _;
use store::Store;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::oneshot;
use tower::ServiceExt as _;

use crate::fixture::{incast, incast_graph, port, topology, victim};

/// What the ids of these tests begin with.
const EPOCH: &str = "17979cfe362a0000-";

/// The wall clock of these tests, 2023-11-14, which is also the epoch of event ids.
fn clock() -> u64 {
    1_700_000_000_000_000_000
}

async fn live() -> Arc<LiveState> {
    LiveState::with_clock(Store::open("sqlite::memory:").await.unwrap(), clock).await.unwrap()
}

fn sample(time_ns: u64, paused: bool) -> PortSample {
    PortSample { port: port("sw1:1"), point: PortPoint { time_ns, paused, ..PortPoint::default() } }
}

async fn connect(live: &Arc<LiveState>, last_seen: Option<&str>) -> axum::response::Response {
    connect_to(live, "/api/v1/events", last_seen).await
}

async fn connect_to(live: &Arc<LiveState>, path: &str, last_seen: Option<&str>) -> axum::response::Response {
    let mut request = Request::get(path);
    if let Some(id) = last_seen {
        request = request.header("Last-Event-ID", id);
    }
    router(AppState::new(live.clone())).oneshot(request.body(Body::empty()).unwrap()).await.unwrap()
}

/// Reads the first `count` events of a stream, as `number kind` (`-` without an id), and their data.
async fn read(response: axum::response::Response, count: usize) -> (Vec<String>, Vec<String>) {
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()[header::CONTENT_TYPE], "text/event-stream");
    let (mut body, mut text) = (response.into_body(), String::new());
    while text.matches("\n\n").count() < count {
        let frame = body.frame().await.expect("the stream goes on").unwrap();
        text.push_str(std::str::from_utf8(&frame.into_data().unwrap()).unwrap());
    }
    text.split("\n\n")
        .take(count)
        .map(|event| {
            let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
            let id = field("id:").map_or("-", |id| id.strip_prefix(EPOCH).expect("the epoch"));
            (format!("{id} {}", field("event:").unwrap()), field("data:").unwrap_or_default().to_string())
        })
        .unzip()
}

#[tokio::test]
async fn events_are_ordered_and_samples_carry_no_id() {
    let live = live().await;
    let response = connect(&live, None).await;
    live.set_topology(topology()).await.unwrap();
    live.set_topology(topology()).await.unwrap();
    live.push_ports(&[sample(10, false)]);
    live.push_ports(&[sample(20, true)]);
    let diagnosis = incast("d1", 1_000, victim());
    live.push_diagnosis(&diagnosis, &incast_graph(), None).await.unwrap();
    live.push_diagnosis(&diagnosis, &incast_graph(), None).await.unwrap();
    live.push_diagnosis(&incast("d2", 2_000, victim()), &incast_graph(), None).await.unwrap();
    live.advance(2_000 + 61_000_000_000).await.unwrap();
    let (events, data) = read(response, 10).await;
    assert_eq!(
        events,
        [
            "0 hello",
            "1 topology",
            "- ports",
            "2 pause",
            "- ports",
            "3 diagnosis",
            "4 incident",
            "5 diagnosis",
            "6 incident",
            "7 incident"
        ]
    );
    assert!(data[2].starts_with(r#"{"samples":[{"interval_ns":0,"paused":false"#), "{}", data[2]);
    assert!(data[2].ends_with(r#","time":"2023-11-14T22:13:20Z","time_ns":10}"#), "{}", data[2]);
    assert_eq!(data[3], r#"{"paused":true,"port":"sw1:1","time":"2023-11-14T22:13:20Z","time_ns":20}"#);
    assert!(data[6].starts_with(r#"{"change":"start""#) && data[9].starts_with(r#"{"change":"end""#));
}

#[tokio::test]
async fn a_port_that_stays_idle_is_left_out_of_batches() {
    let live = live().await;
    let response = connect_to(&live, "/api/v1/events?kinds=ports", None).await;
    for (time_ns, is_paused) in [(1, false), (2, false), (3, true), (4, true), (5, false), (6, false)] {
        live.push_ports(&[sample(time_ns, is_paused)]);
    }
    let (_, data) = read(response, 7).await;
    let samples = data[1..].iter().map(|data| {
        let event: serde_json::Value = serde_json::from_str(data).unwrap();
        (event["time_ns"].as_u64().unwrap(), event["samples"].as_array().unwrap().len())
    });
    assert_eq!(samples.collect::<Vec<_>>(), [(1, 1), (2, 0), (3, 1), (4, 1), (5, 1), (6, 0)]);
}

#[tokio::test]
async fn a_client_receives_pauses_and_samples_of_the_ports_that_it_selects() {
    let live = live().await;
    let response = connect_to(&live, "/api/v1/events?port=sw1:1,sw9:9", None).await;
    let elsewhere = |time_ns| PortSample { port: "sw2:3".parse().unwrap(), ..sample(time_ns, true) };
    live.set_topology(topology()).await.unwrap();
    live.push_ports(&[sample(1, true), elsewhere(1)]);
    live.push_ports(&[elsewhere(2)]);
    let (events, data) = read(response, 5).await;
    assert_eq!(events, ["0 hello", "1 topology", "2 pause", "- ports", "- ports"]);
    let ports_of = |data: &str| {
        let event: serde_json::Value = serde_json::from_str(data).unwrap();
        let samples = event["samples"].as_array().unwrap().iter();
        (event["time_ns"].clone(), samples.map(|sample| sample["port"].to_string()).collect::<Vec<_>>())
    };
    assert_eq!(ports_of(&data[3]), (1.into(), vec!["\"sw1:1\"".to_string()]));
    assert_eq!(ports_of(&data[4]), (2.into(), vec![]));
    for port in ["", "sw1", "sw1:1,,sw2:2", "sw1:99999"] {
        let refused = connect_to(&live, &format!("/api/v1/events?port={port}"), None).await;
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST, "{port}");
    }
}

#[tokio::test]
async fn a_reconnecting_client_receives_the_events_it_missed() {
    let live = live().await;
    live.set_topology(topology()).await.unwrap();
    for n in 0..5 {
        live.push_ports(&[sample(n, n % 2 == 0)]);
    }
    let (events, _) = read(connect(&live, Some(&format!("{EPOCH}3"))).await, 4).await;
    assert_eq!(events, ["- hello", "4 pause", "5 pause", "6 pause"]);
    let (events, _) = read(connect(&live, Some("1-3")).await, 3).await;
    assert_eq!(events, ["- hello", "1 topology", "2 pause"], "an id of an earlier process");
    let refused = connect(&live, Some("yesterday")).await;
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_client_receives_the_kinds_that_it_selects() {
    let live = live().await;
    let response = connect_to(&live, "/api/v1/events?kinds=incident,topology", None).await;
    live.push_ports(&[sample(10, true)]);
    live.set_topology(topology()).await.unwrap();
    live.push_diagnosis(&incast("d1", 1_000, victim()), &incast_graph(), None).await.unwrap();
    let (events, data) = read(response, 3).await;
    assert_eq!(events, ["0 hello", "2 topology", "4 incident"]);
    let incident: serde_json::Value = serde_json::from_str(&data[2]).unwrap();
    assert_eq!(incident["incident"]["occurrences"][0]["start_time"], "2023-11-14T22:13:20Z");
    let (events, _) =
        read(connect_to(&live, "/api/v1/events?kinds=incident", Some(&format!("{EPOCH}1"))).await, 2).await;
    assert_eq!(events, ["- hello", "4 incident"], "a replay is filtered too");
}

/// A deadlock: no further diagnosis follows, and the ports stay paused.
#[tokio::test]
async fn an_incident_lasts_while_one_of_its_ports_is_paused() {
    let live = live().await;
    let second = 1_000_000_000;
    live.push_diagnosis(&incast("d1", second, victim()), &incast_graph(), None).await.unwrap();
    let incident = async || live.store().incident("i-d1").await.unwrap().unwrap();
    for time_ns in (2..600).map(|seconds| seconds * second) {
        live.push_ports(&[sample(time_ns, true)]);
        live.advance(time_ns).await.unwrap();
    }
    let lasting = incident().await;
    assert_eq!((lasting.end_ns, lasting.start_ns), (None, second));
    assert!(lasting.update_ns > 590 * second, "{}", lasting.update_ns);
    live.push_ports(&[sample(600 * second, false)]);
    live.advance(605 * second).await.unwrap();
    assert_eq!(incident().await.end_ns, None, "the quiet time has not passed");
    live.advance(662 * second).await.unwrap();
    assert_eq!(incident().await.end_ns, Some(incident().await.update_ns));
}

#[tokio::test]
async fn an_old_sample_does_not_keep_an_incident_open() {
    let live = live().await;
    let second = 1_000_000_000;
    live.push_diagnosis(&incast("d1", second, victim()), &incast_graph(), None).await.unwrap();
    live.push_ports(&[sample(2 * second, true)]);
    live.advance(63 * second).await.unwrap();
    assert!(live.store().incident("i-d1").await.unwrap().unwrap().end_ns.is_some());
}

#[tokio::test]
async fn a_slow_client_loses_the_oldest_events_and_receives_their_number() {
    let live = live().await;
    let response = connect(&live, None).await;
    for n in 0..2000 {
        live.push_ports(&[sample(n, false)]);
    }
    let (events, data) = read(response, 3).await;
    assert_eq!(events, ["0 hello", "- dropped", "- ports"]);
    let dropped: u64 = data[1].trim_start_matches("{\"count\":").trim_end_matches('}').parse().unwrap();
    assert!(data[2].contains(&format!("\"time_ns\":{dropped}}}")), "{} after {dropped} dropped", data[2]);
}

/// Two concurrent replacements: whichever comes last is current in the store and in memory.
#[tokio::test]
async fn concurrent_topologies_leave_one_in_store_and_memory() {
    let live = live().await;
    for _ in 0..50 {
        let shorter = || model::Topology { links: vec![], ..topology() };
        let (first, second) = tokio::join!(live.set_topology(topology()), live.set_topology(shorter()));
        first.unwrap();
        second.unwrap();
        assert_eq!(live.store().topology().await.unwrap().as_ref(), live.topology().as_deref());
    }
}

#[tokio::test]
async fn clients_are_limited_and_a_disconnect_frees_a_place() {
    let live = live().await;
    let mut streams = vec![];
    for _ in 0..EVENT_CLIENTS {
        streams.push(connect(&live, None).await);
    }
    assert_eq!(connect(&live, None).await.status(), StatusCode::SERVICE_UNAVAILABLE);
    streams.pop();
    assert_eq!(connect(&live, None).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_shutdown_ends_open_streams() {
    let live = live().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let server = tokio::spawn(serve(listener, AppState::new(live), async {
        let _ = stopped.await;
    }));
    let mut client = tokio::net::TcpStream::connect(address).await.unwrap();
    client
        .write_all(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .await
        .unwrap();
    let mut text = String::new();
    while !text.contains("hello") {
        let mut chunk = [0; 1024];
        let read = client.read(&mut chunk).await.unwrap();
        assert!(read > 0, "the connection was closed: {text}");
        text.push_str(std::str::from_utf8(&chunk[..read]).unwrap());
    }
    stop.send(()).unwrap();
    client.read_to_string(&mut text).await.unwrap();
    assert!(text.trim_end().ends_with('0'), "the last chunk closes the body: {text}");
    server.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_compressed_stream_delivers_each_event_at_once() {
    let live = live().await;
    let request = Request::get("/api/v1/events").header(header::ACCEPT_ENCODING, "gzip");
    let response =
        router(AppState::new(live.clone())).oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    assert_eq!(response.headers()[header::CONTENT_ENCODING], "gzip");
    let mut body = response.into_body();
    let mut decoder = GzDecoder::new(Vec::new());
    // The next event is published after the one before has arrived: a byte that the encoder keeps would stop the test.
    let mut arrives = async |kind: &str| {
        while !String::from_utf8_lossy(decoder.get_ref()).contains(&format!("event: {kind}\n")) {
            let frame = body.frame().await.expect("the stream goes on").unwrap();
            decoder.write_all(&frame.into_data().unwrap()).unwrap();
            decoder.flush().unwrap();
        }
    };
    arrives("hello").await;
    live.set_topology(topology()).await.unwrap();
    arrives("topology").await;
    live.push_diagnosis(&incast("d1", 5, victim()), &incast_graph(), None).await.unwrap();
    arrives("incident").await;
}
