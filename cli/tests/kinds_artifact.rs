//! Verdicts about the file formats of Hawkeye's ns-3 prototypes: runs from settings files, and dumps.

use crate::support::{fixture, harrier, repository};

#[test]
fn each_listed_agent_finds_the_slow_flow_of_its_host() {
    let config = fixture("ns3-agents/config.txt").display().to_string();
    for seed in ["1", "2"] {
        let ran = harrier(&["run", "--ns3", &config, "--seed", seed, "--ordinary", "--json"]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let found = ran.json()["diagnoses"].as_array().unwrap().clone();
        let [verdict] = found.as_slice() else { panic!("one verdict expected: {found:#?}") };
        assert_eq!(verdict["victim"], "11.0.5.1:10000>11.0.10.1:100/udp");
        assert_eq!(verdict["root_cause"]["port"], "1:2");
        let mut flows: Vec<&str> = verdict["root_cause"]["flows"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|flow| flow.as_str()?.split(':').next())
            .collect();
        flows.sort_unstable();
        assert_eq!(flows, ["11.0.12.1", "11.0.13.1", "11.0.14.1", "11.0.15.1"]);
    }
}

#[test]
fn a_dump_of_a_loop_names_the_port_where_it_began() {
    let folder = repository("analyzer/tests/fixtures/deadlock-dump");
    let mut args = ["analyze", "--json", "--from", "hawkeye-ns3"].map(str::to_string).to_vec();
    args.extend(["--topology".to_string(), folder.join("npa_topo.txt").display().to_string()]);
    let dumps = (0..4).map(|n| folder.join(format!("two-epochs/telemetry_{n}.txt")).display().to_string());
    args.extend(dumps);
    let ran = harrier(&args);
    let found = ran.json()["diagnoses"].as_array().unwrap().clone();
    let anomalies: Vec<&str> = found.iter().filter_map(|verdict| verdict["anomaly"].as_str()).collect();
    assert_eq!(anomalies, ["pfc_backpressure_flow_contention", "deadlock_in_loop_contention"]);
    assert!(found.iter().all(|verdict| verdict["root_cause"]["port"] == "1:2"), "{found:#?}");
}
