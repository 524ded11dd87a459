//! `harrier host`: findings, verdicts that continue inside a host, and malformed reports.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

use std::fs;

use crate::support::{harrier, repository, scratch};
use model::diagnosis::RootCause;
use model::{Anomaly, Cause, Diagnosis};
use serde_json::json;

fn example(name: &str) -> String {
    repository("docs/examples/hosts").join(name).display().to_string()
}

fn verdict(anomaly: Anomaly, host: Option<&str>) -> Diagnosis {
    let root_cause = RootCause { host: host.map(str::to_string), ..RootCause::default() };
    let flow: model::FlowKey = "10.0.0.1:10000>10.0.3.1:4791/udp".parse().unwrap();
    Diagnosis { anomaly, root_cause, confidence: 0.9, ..Diagnosis::undetermined(flow) }
}

#[test]
fn a_report_leads_to_findings_with_evidence() {
    let ran = harrier(&["host", "check", &example("slow-receiver.json")]);
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    for part in
        ["slow_receiver", "part  RNIC mlx5_0", "900000 lookups", "pages of 2 MiB", "no section `loopback`"]
    {
        assert!(ran.stdout.contains(part), "no `{part}` in:\n{}", ran.stdout);
    }
    let ran =
        harrier(&["host", "check", "--json", &example("slow-receiver.json"), &example("noisy-tenant.json")]);
    let hosts = ran.json();
    assert_eq!(hosts["hosts"][1]["findings"][0]["cause"], "noisy_tenant");
    assert_eq!(hosts["hosts"][1]["findings"][0]["part"], json!({ "kind": "tenant", "name": "batch" }));
}

#[test]
fn a_verdict_that_ends_at_a_host_names_the_part_and_one_of_the_fabric_stays() {
    let folder = scratch("host-verdicts");
    let file = folder.join("verdict.json");
    let run = |diagnoses: Vec<Diagnosis>| {
        fs::write(&file, json!({ "diagnoses": diagnoses }).to_string()).unwrap();
        harrier(&["host", "check", &example("root-port.json"), "--json", "--fabric", file.to_str().unwrap()])
    };
    let storm = verdict(Anomaly::PfcStormHostInjection, Some("h3"));
    let incast = Diagnosis { cause: Cause::Incast, ..verdict(Anomaly::FlowContention, None) };
    let ran = run(vec![storm, incast.clone()]);
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    let united = ran.json();
    let first = &united["verdicts"][0]["diagnosis"];
    assert_eq!(first["cause"], "intra_host_link");
    let expected = "h3 pauses its switch: the link rp1 limits h3: the root port of the CPU has failed";
    assert_eq!(first["summary"], expected);
    assert_eq!(united["verdicts"][1]["diagnosis"], serde_json::to_value(&incast).unwrap());
    // A plain diagnosis is read as well.
    fs::write(&file, serde_json::to_string(&verdict(Anomaly::HostOnly, None)).unwrap()).unwrap();
    let args = ["host", "check", &example("noisy-tenant.json"), "--fabric", file.to_str().unwrap()];
    let ran = harrier(&args);
    assert!(ran.stdout.contains("every hop of the fabric was clean: tenant batch"), "{}", ran.stdout);
}

#[test]
fn malformed_reports_are_reported_completely() {
    let folder = scratch("host-malformed");
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let unknown = write("unknown.json", "{\n  \"version\": 1, \"host\": \"h\",\n  \"pauses\": 3\n}");
    let wrong = write("wrong.json", r#"{ "version": 7, "host": "", "interval_ns": 0 }"#);
    let verdict = write("verdict.json", r#"{ "diagnoses": [{}] }"#);
    let ran = harrier(&["host", "check", &unknown, &wrong, "--fabric", &verdict]);
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""));
    for part in [
        "unknown.json:3:",
        "not a host report: unknown field `pauses`",
        "wrong.json: /version: version 7",
        "wrong.json: /host: the name",
        "wrong.json: /interval_ns: must be",
        "verdict.json: /diagnoses/0: not a diagnosis: missing field",
    ] {
        assert!(ran.stderr.contains(part), "no `{part}` in:\n{}", ran.stderr);
    }
}

#[test]
fn hwloc_describes_the_topology_of_a_report() {
    let folder = scratch("host-hwloc");
    let file = folder.join("host.xml");
    let text = r#"<topology version="2.0"><object type="Machine"><object type="Package" os_index="0">
        <object type="NUMANode" os_index="0"/>
        <object type="PCIDev" pci_busid="0000:03:00.0" pci_type="0200 [15b3:101d] [0:0] 00">
        <object type="OSDev" name="mlx5_0" osdev_type="3"/></object></object></object></topology>"#;
    fs::write(&file, text).unwrap();
    let ran = harrier(&["host", "topology", file.to_str().unwrap()]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert_eq!(ran.json()["links"].as_array().unwrap().len(), 2);
    fs::write(&file, "<html/>").unwrap();
    let ran = harrier(&["host", "topology", file.to_str().unwrap()]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("host.xml:1:1: expected the XML of hwloc 2"), "{}", ran.stderr);
}
