//! Diagnoses of built-in scenarios, ns-3 files and dumps name the right root cause.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

use crate::support::{assert_verdict, fixture, harrier, poster_data, repository, scratch};
use serde_json::{Value, json};

/// Checks that a built-in scenario has this diagnosis of `victim` for several seeds, with records for every claim.
fn check(scenario: &str, victim: &str, expected: Value) {
    for seed in ["1", "2", "21", "43", "77", "4242"] {
        let ran = harrier(&["run", scenario, "--seed", seed, "--json"]);
        assert_eq!(ran.status, 0, "seed {seed}: {}", ran.stderr);
        let report = ran.json();
        assert_eq!(
            (&report["scenario"], &report["seed"]),
            (&json!(scenario), &json!(seed.parse::<u64>().unwrap()))
        );
        let diagnoses = report["diagnoses"].as_array().unwrap();
        assert!(!diagnoses.is_empty(), "seed {seed}: no diagnosis");
        for diagnosis in diagnoses {
            assert_eq!(diagnosis["victim"], victim, "seed {seed}");
            assert_verdict(diagnosis, &expected);
            // What the report of a host lacks is not missing telemetry.
            let host = format!("{}: ", diagnosis["root_cause"]["host"].as_str().unwrap_or_default());
            let missing = diagnosis["missing"].as_array().unwrap().iter();
            let missing: Vec<&Value> =
                missing.filter(|text| !text.as_str().unwrap().starts_with(&host)).collect();
            assert_eq!(missing, Vec::<&Value>::new(), "seed {seed}");
            let evidence = diagnosis["evidence"].as_array().unwrap();
            assert!(!evidence.is_empty());
            for claim in evidence {
                assert_ne!(claim["records"], json!([]), "seed {seed}: a claim without a record: {claim:#}");
            }
        }
    }
}

#[test]
fn backpressure_is_traced_to_culprits_in_another_queue() {
    check(
        "poster-fig1",
        "10.0.2.1:10000>10.0.4.1:4791/udp",
        json!({
            "/anomaly": "pfc_backpressure_flow_contention",
            "/cause": "incast",
            "/root_cause/port": "sw4:1",
            "/root_cause/host": null,
            "/root_cause/flows": [
                "10.0.5.1:10000>10.0.3.1:4791/udp", "10.0.6.1:10000>10.0.3.1:4791/udp",
                "10.0.7.1:10000>10.0.3.1:4791/udp", "10.0.8.1:10000>10.0.3.1:4791/udp",
            ],
            "/pause_path": ["sw1:1", "sw2:3", "sw4:1"],
            "/spreaders": ["10.0.1.1:10000>10.0.3.1:4791/udp"],
            "/loop": [],
            "/collected/switches": 4,
        }),
    );
}

#[test]
fn a_pause_storm_names_the_host_and_no_flows() {
    check(
        "host-storm",
        "10.0.2.1:10000>10.0.4.1:4791/udp",
        json!({
            "/anomaly": "pfc_storm_host_injection",
            "/cause": "nic_storm",
            "/root_cause/port": "sw4:1",
            "/root_cause/host": "h3",
            "/root_cause/flows": [],
            "/pause_path": ["sw1:1", "sw2:3", "sw4:1"],
        }),
    );
}

#[test]
fn contention_without_a_pause_is_found_on_the_victims_path() {
    check(
        "contention-only",
        "10.0.2.1:10000>10.0.4.1:4791/udp",
        json!({
            "/anomaly": "flow_contention",
            "/root_cause/host": null,
            "/pause_path": [],
            "/spreaders": [],
        }),
    );
    for seed in ["1", "2", "21", "43", "77", "4242"] {
        let report = harrier(&["run", "contention-only", "--seed", seed, "--json"]).json();
        // The longest queue is that of the burst of two flows. Another one is in the switch before it, which the victim
        // shares.
        let root = &report["diagnoses"][0]["root_cause"];
        assert_eq!(root["port"], "sw3:2", "seed {seed}");
        let named = root["flows"].to_string();
        let is_named = |host: u8| named.contains(&format!("10.0.{host}.1:10000>10.0.4.1:4791/udp"));
        assert_eq!([1, 3, 5, 6].map(is_named), [false, false, true, true], "seed {seed}: {named}");
    }
}

#[test]
fn equal_seeds_give_equal_reports() {
    let run = |seed| {
        let mut report = harrier(&["run", "poster-fig1", "--json", "--seed", seed]).json();
        // Time and memory depend on the machine.
        let figures = report["run"].as_object_mut().unwrap();
        figures.retain(|name, _| matches!(name.as_str(), "packet_hops" | "events" | "simulated_ns"));
        report.to_string()
    };
    assert_eq!(run("5"), run("5"));
    assert_ne!(run("5"), run("6"));
}

#[test]
fn saved_snapshots_give_the_same_diagnosis_offline() {
    let folder = scratch("saved");
    let ran = harrier(&["run", "poster-fig1", "--json", "--save-snapshots", folder.to_str().unwrap()]);
    let online = ran.json();
    let mut files: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().to_str().unwrap().to_string())
        .filter(|path| path.contains("event-"))
        .collect();
    files.sort();
    let mut args = vec!["analyze".to_string(), "--json".to_string()];
    args.extend(files);
    let offline = harrier(&args);
    assert_eq!(offline.status, 0, "{}", offline.stderr);
    assert_eq!(offline.json()["diagnoses"], online["diagnoses"]);
}

/// Returns the expected diagnosis of the poster's public files, with their names of flows and ports.
fn poster_verdict() -> Value {
    json!({
        "/victim": "11.0.2.1:10000>11.0.4.1:100/udp",
        "/anomaly": "pfc_backpressure_flow_contention",
        "/cause": "incast",
        "/root_cause/port": "12:2",
        "/root_cause/flows": [
            "11.0.5.1:10000>11.0.3.1:100/udp", "11.0.6.1:10000>11.0.3.1:100/udp",
            "11.0.7.1:10000>11.0.3.1:100/udp", "11.0.8.1:10000>11.0.3.1:100/udp",
        ],
        "/pause_path": ["9:1", "10:3", "12:2"],
        "/spreaders": ["11.0.1.1:10000>11.0.3.1:100/udp"],
    })
}

#[test]
fn a_small_ns3_simulation_is_diagnosed() {
    let ran = harrier(&["run", "--ns3", fixture("ns3-small/config.txt").to_str().unwrap(), "--json"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert_verdict(&ran.json()["diagnoses"][0], &poster_verdict());
}

#[test]
fn the_posters_ns3_simulation_is_diagnosed() {
    let Some(data) = poster_data() else { return };
    let ran = harrier(&["run", "--ns3", data.join("config.txt").to_str().unwrap(), "--json"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let report = ran.json();
    assert_eq!(report["diagnoses"].as_array().unwrap().len(), 1, "one host runs an agent, one flow is slow");
    assert_verdict(&report["diagnoses"][0], &poster_verdict());
}

#[test]
fn the_posters_telemetry_is_diagnosed_without_its_false_edge() {
    let Some(data) = poster_data() else { return };
    let dumps =
        ["9", "10", "11", "12"].map(|n| data.join(format!("telemetry_{n}.txt")).display().to_string());
    let topology = data.join("npa_topo.txt").display().to_string();
    let mut args = vec!["analyze".to_string()];
    args.extend(dumps);
    for arg in [
        "--from",
        "hawkeye-ns3",
        "--topology",
        &topology,
        "--victim",
        "11.0.2.1:10000>11.0.4.1:100/udp",
        "--json",
    ] {
        args.push(arg.to_string());
    }
    let ran = harrier(&args);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let diagnosis = ran.json()["diagnoses"][0].clone();
    assert_verdict(&diagnosis, &poster_verdict());
    let missing = diagnosis["missing"].to_string();
    assert!(missing.contains("depths in this dump are those of the input port's queue"), "{missing}");
}

#[test]
fn small_dumps_are_diagnosed() {
    let folder = repository("analyzer/tests/fixtures/incast-dump");
    let mut args = vec!["analyze".to_string()];
    let mut dumps: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    dumps.sort();
    let is_dump =
        |path: &&std::path::PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("telemetry");
    args.extend(dumps.iter().filter(is_dump).map(|path| path.display().to_string()));
    assert!(args.len() > 2, "the fixture has dumps");
    args.extend(["--from", "hawkeye-ns3", "--json", "--topology"].map(String::from));
    args.push(folder.join("npa_topo.txt").display().to_string());
    let ran = harrier(&args);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert_ne!(ran.json()["diagnoses"], json!([]));
}

#[test]
fn a_missing_diagnosis_has_a_reason() {
    let folder = repository("analyzer/tests/fixtures/incast-dump");
    let dump = |victim: &str, files: &[&str]| {
        let mut args = vec!["analyze".to_string()];
        args.extend(files.iter().map(|file| folder.join(file).display().to_string()));
        let topology = folder.join("npa_topo.txt").display().to_string();
        args.extend(
            ["--from", "hawkeye-ns3", "--json", "--topology", &topology, "--victim", victim]
                .map(String::from),
        );
        harrier(&args).json()
    };
    let unknown = dump("1.2.3.4:1>1.2.3.5:1/udp", &["telemetry_9.txt", "telemetry_10.txt"]);
    assert_eq!(unknown["diagnoses"], json!([]));
    assert!(unknown["missing"].to_string().contains("1.2.3.4"), "{unknown:#}");
}

#[test]
fn scenarios_are_listed_as_json_and_their_files_can_be_run() {
    let list = harrier(&["scenario", "list", "--json"]).json();
    let names: Vec<_> = list["scenarios"].as_array().unwrap().iter().map(|s| s["name"].clone()).collect();
    assert!(names.contains(&json!("poster-fig1")), "{names:?}");
    let shown = harrier(&["scenario", "show", "poster-fig1"]).stdout;
    let file = scratch("shown").join("own.toml");
    std::fs::write(&file, shown.replace("poster-fig1", "own")).unwrap();
    let ran = harrier(&["run", file.to_str().unwrap(), "--json"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert_eq!(ran.json()["scenario"], "own");
}
