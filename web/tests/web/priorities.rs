//! The counters of each priority of a port.

use axum::body::Body;
use axum::http::Request;
use harrier_web::{AppState, PrioritySample, router};
use serde_json::json;

use crate::fixture::port;
use crate::rest::{live, send};

#[tokio::test]
async fn the_priorities_of_a_port_are_counted_since_the_first_sample() {
    let live = live().await;
    let app = router(AppState::new(live.clone()));
    let read = async |port: &str| {
        let request = Request::get(format!("/api/v1/ports/{port}/priorities")).body(Body::empty()).unwrap();
        send(app.clone(), request).await.json()
    };
    assert_eq!(read("sw4:2").await, json!({"port": "sw4:2", "priorities": []}));
    let sample = |pauses| PrioritySample {
        priority: 3,
        pauses_received: Some(pauses),
        headroom_max_bytes: Some(700),
        ..PrioritySample::default()
    };
    for pauses in [2, 3] {
        live.push_priorities(&[(port("sw4:2"), vec![sample(pauses)])]);
    }
    let answer = read("sw4:2").await;
    let counts = json!([{"priority": 3, "pauses_received": 5, "headroom_max_bytes": 700}]);
    assert_eq!((&answer["priorities"], answer["since"].is_string()), (&counts, true), "{answer}");
    assert_eq!(read("sw4:99").await["status"], 404);
}
