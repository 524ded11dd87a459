//! How many incidents the diagnoses of a run are, and which diagnosis represents each.

use std::fmt::Write as _;

use model::{Diagnosis, PortRef, ProvenanceGraph};
use store::{Incident, IncidentFilter, Store};

use crate::support::harrier;

/// An incident in one line.
fn line(incident: &Incident) -> String {
    let root = &incident.root_cause;
    let place = [root.port.as_ref().map(ToString::to_string), root.host.clone()];
    let ring: Vec<String> = incident.pause_loop.iter().map(PortRef::to_string).collect();
    let mut line = format!(
        "{:?} {:?} {:?} at {}: culprits {}, victims {}, diagnoses {}",
        incident.severity,
        incident.anomaly,
        incident.cause,
        place.into_iter().flatten().collect::<Vec<_>>().join(" "),
        root.flows.len(),
        incident.victim_count,
        incident.count
    );
    if !root.config.is_empty() {
        let _ = write!(line, ", {}", root.config.join(" "));
    }
    if !ring.is_empty() {
        let _ = write!(line, ", loop {}", ring.join(" "));
    }
    line
}

/// One disturbance is one incident; `two-anomalies`, `two-causes` and `uplink-beside-receiver` have two. Two more differ:
/// `two-questions` has two incasts and a link where one flow of each meets the other, and in `ring-storm-outside` a question after the
/// storm is about the queues that it has left.
#[tokio::test]
async fn the_incidents_of_the_built_in_scenarios() {
    let listed = harrier(&["scenario", "list", "--json"]).json();
    let mut text = String::new();
    for scenario in listed["scenarios"].as_array().unwrap() {
        let name = scenario["name"].as_str().unwrap();
        let report = harrier(&["run", name, "--json"]).json();
        let store = Store::open("sqlite::memory:").await.unwrap();
        for diagnosis in report["diagnoses"].as_array().unwrap() {
            let diagnosis = Diagnosis::from_json(&diagnosis.to_string()).unwrap();
            let graph = ProvenanceGraph { nodes: vec![], edges: vec![] };
            store.record(&diagnosis, &graph, None, 1_700_000_000_000_000_000).await.unwrap();
        }
        let found = store.incidents(&IncidentFilter::default()).await.unwrap().rows;
        let _ = writeln!(text, "{name}");
        for incident in &found {
            let _ = writeln!(text, "    {}", line(incident));
        }
    }
    insta::assert_snapshot!(text);
}
