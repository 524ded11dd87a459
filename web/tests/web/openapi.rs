//! The OpenAPI document.

use axum::body::Body;
use axum::http::Request;
use harrier_web::{AppState, LiveState, router};
use http_body_util::BodyExt as _;
use serde_json::Value;
use store::Store;
use tower::ServiceExt as _;

/// Returns the document that a server serves.
async fn served() -> Value {
    let live = LiveState::new(Store::open("sqlite::memory:").await.unwrap()).await.unwrap();
    let request = Request::get("/api/v1/openapi.json").body(Body::empty()).unwrap();
    let response = router(AppState::new(live)).oneshot(request).await.unwrap();
    serde_json::from_slice(&response.into_body().collect().await.unwrap().to_bytes()).unwrap()
}

/// Calls `visit` with every object in a JSON value.
fn objects<'v>(value: &'v Value, visit: &mut dyn FnMut(&'v serde_json::Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            visit(object);
            object.values().for_each(|value| objects(value, visit));
        }
        Value::Array(list) => list.iter().for_each(|value| objects(value, visit)),
        _ => {}
    }
}

#[tokio::test]
async fn the_openapi_document_describes_every_operation() {
    let served = served().await;
    assert_eq!(served, serde_json::to_value(harrier_web::openapi()).unwrap());
    assert_eq!(served["openapi"], "3.1.0");
    let mut operations: Vec<&str> = vec![];
    for (path, methods) in served["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            operations.push(operation["operationId"].as_str().unwrap());
            assert!(operation["summary"].is_string() && operation["tags"][0].is_string(), "{method} {path}");
            let answers = operation["responses"].as_object().unwrap();
            assert!(answers.keys().any(|status| status.starts_with('2')), "{method} {path}");
            let is_limited = answers.contains_key("429");
            assert_eq!(is_limited, operation["operationId"] == "ask_about_flow", "{method} {path}");
            for status in ["401", "403", "421"] {
                assert!(answers.contains_key(status), "{method} {path} lacks {status}");
            }
            // A parameter in the path is described.
            for name in path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')) {
                let described = operation["parameters"].as_array().unwrap();
                let is_it = |p: &&Value| p["name"] == name && p["in"] == "path" && p["required"] == true;
                assert!(described.iter().any(|p| is_it(&p)), "{method} {path}");
            }
        }
    }
    operations.sort_unstable();
    assert_eq!(
        operations,
        [
            "add_incident_note",
            "ask_about_flow",
            "check_configurations",
            "create_token",
            "get_diagnosis",
            "get_diagnosis_graph",
            "get_diagnosis_snapshot",
            "get_diagnosis_what_if",
            "get_flow_series",
            "get_host",
            "get_host_report",
            "get_incident",
            "get_incident_case",
            "get_incident_report",
            "get_port_priorities",
            "get_port_series",
            "get_topology",
            "list_daemons",
            "list_diagnoses",
            "list_findings",
            "list_hosts",
            "list_incident_notes",
            "list_incidents",
            "list_ports",
            "list_related_incidents",
            "list_tokens",
            "revoke_token",
            "stream_events",
        ],
        "operation ids are public"
    );
}

/// The values of `kind` below a schema.
fn kinds(schema: &Value, found: &mut Vec<String>) {
    match schema {
        Value::Object(fields) => {
            let values = fields.get("kind").and_then(|kind| kind["enum"].as_array());
            found.extend(values.into_iter().flatten().filter_map(Value::as_str).map(String::from));
            fields.values().for_each(|field| kinds(field, found));
        }
        Value::Array(items) => items.iter().for_each(|item| kinds(item, found)),
        _ => {}
    }
}

#[tokio::test]
async fn the_dashboard_has_a_row_for_every_kind_of_record() {
    let served = served().await;
    let mut found = Vec::new();
    kinds(&served["components"]["schemas"]["Record"], &mut found);
    assert!(found.len() >= 11, "{found:?}");
    let rows = include_str!("../../ui/src/domain/records.ts");
    let without: Vec<_> = found.iter().filter(|kind| !rows.contains(&format!("case '{kind}':"))).collect();
    assert!(
        without.is_empty(),
        "web/ui/src/domain/records.ts shows these kinds field by field only: {without:?}"
    );
}

/// Clients tell the two answers of a query apart by `anomaly`, and the two views of a list by what they requested.
#[tokio::test]
async fn answers_of_two_kinds_are_described() {
    let served = served().await;
    let schemas = &served["components"]["schemas"];
    let healthy = &schemas["NoAnomaly"];
    assert_eq!(healthy["properties"]["anomaly"]["type"], "null");
    assert!(healthy["required"].as_array().unwrap().contains(&Value::from("anomaly")));
    let reference = |name: &str| Value::from(format!("#/components/schemas/{name}"));
    assert_eq!(schemas["DiagnosesPage"]["properties"]["diagnoses"]["$ref"], reference("DiagnosisList"));
    let views = schemas["DiagnosisList"]["anyOf"].as_array().unwrap();
    let items: Vec<_> = views.iter().map(|view| view["items"]["$ref"].clone()).collect();
    assert_eq!(items, [reference("TimedDiagnosis"), reference("DiagnosisSummary")]);
}

/// The names of components are public, and every reference resolves to one.
#[tokio::test]
async fn the_openapi_document_has_no_dangling_reference() {
    let served = served().await;
    let components = &served["components"]["schemas"];
    for name in [
        "Diagnosis",
        "HostFinding",
        "HostReport",
        "Incident",
        "Occurrence",
        "PortPoint",
        "PortSample",
        "Problem",
        "Question",
        "Snapshot",
        "Topology",
    ] {
        assert!(components[name].is_object(), "{name} is missing");
    }
    let mut references = 0;
    objects(&served, &mut |object| {
        if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
            let (kind, name) = reference.strip_prefix("#/components/").unwrap().split_once('/').unwrap();
            assert!(served["components"][kind][name].is_object(), "{reference}");
            references += 1;
        }
    });
    assert!(references > 20, "{references} references");
}

#[tokio::test]
async fn parameters_beyond_the_range_of_their_format_are_rejected() {
    let live = LiveState::new(Store::open("sqlite::memory:").await.unwrap()).await.unwrap();
    let app = router(AppState::new(live));
    let check = async |query: &str, expected: u16| {
        let request = Request::get(format!("/api/v1/{query}")).body(Body::empty()).unwrap();
        let status = app.clone().oneshot(request).await.unwrap().status().as_u16();
        assert_eq!(status, expected, "{query}");
    };
    for list in ["incidents", "diagnoses"] {
        check(&format!("{list}?since=9223372036854775807&limit=500"), 200).await;
        check(&format!("{list}?since=9223372036854775808"), 400).await;
        check(&format!("{list}?until=9223372036854775808"), 400).await;
        check(&format!("{list}?limit=501"), 400).await;
        check(&format!("{list}?limit=0"), 400).await;
    }
    check("diagnoses?proto=UDP&sport=65535", 200).await;
    check("diagnoses?proto=256", 400).await;
    check("diagnoses?min_confidence=1", 200).await;
    for wrong in ["-0.1", "1.5", "NaN", "much"] {
        check(&format!("diagnoses?min_confidence={wrong}"), 400).await;
    }
    check("diagnoses?victim=h1", 400).await;
    check("diagnoses?src=", 400).await;
}
