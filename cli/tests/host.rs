//! `harrier host`: findings, verdicts that continue inside a host, and malformed reports.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

use std::fs;

use crate::support::broken_nic::BrokenNic;
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

fn is_storm(host: &serde_json::Value) -> bool {
    let findings = host["findings"].as_array().unwrap();
    findings.iter().any(|finding| finding["cause"] == "nic_storm")
}

#[test]
fn the_counters_of_this_host_are_judged_like_a_report_that_they_are_saved_as() {
    let folder = scratch("host-live");
    let nic = BrokenNic::start(&folder);
    let tree = nic.tree.display().to_string();
    let saved = folder.join("h1.json").display().to_string();
    let live = ["host", "check", "--live", "--sysfs", &tree, "--host", "h7", "--json", "--save", &saved];
    let ran = harrier(&live);
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    let found = ran.json();
    assert!(is_storm(&found["hosts"][0]), "{found:#}");
    let report: model::HostReport = serde_json::from_str(&fs::read_to_string(&saved).unwrap()).unwrap();
    let counters = report.counters.expect("the tree has counters");
    assert_eq!((report.host.as_str(), counters.nics[0].nic.as_str()), ("h7", "mlx5_0"));
    assert!(counters.nics[0].pause_samples.len() >= 2, "{counters:?}");
    assert!(report.inspection.is_some() && report.workload.is_none(), "TCP is that of another host");
    // Elsewhere, next to another report.
    let ran = harrier(&["host", "check", &saved, &example("root-port.json"), "--json"]);
    assert_eq!(ran.json()["hosts"][0], found["hosts"][0]);
    // Both at once, and a longer interval.
    let longer = ["--interval", "0.6", &example("root-port.json")];
    let ran = harrier(&[&live[..8], &longer].concat());
    let hosts = ran.json();
    assert_eq!(hosts["hosts"].as_array().unwrap().len(), 2, "{hosts:#}");
    assert!(is_storm(&hosts["hosts"][1]), "{hosts:#}");
}

#[test]
fn a_host_of_which_nothing_is_known_is_not_judged() {
    let folder = scratch("host-live-without-nic");
    let tree = folder.display().to_string();
    let ran = harrier(&["host", "check", "--live", "--sysfs", &tree, "--host", "h1", "--interval", "0.05"]);
    assert_eq!(ran.status, 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("h1: no counters of NICs: no RDMA device below"), "{}", ran.stderr);
    assert!(ran.stderr.contains("h1: not judged"), "{}", ran.stderr);
    assert!(ran.stdout.contains("not checked: pause_monitor"), "{}", ran.stdout);
    let check = |more: &[&str], expected: &str| {
        let ran = harrier(&[&["host", "check"], more].concat());
        assert_eq!(ran.status, 2, "{more:?}");
        assert!(ran.stderr.contains(expected), "no `{expected}` in:\n{}", ran.stderr);
    };
    check(&["--live", "--sysfs", &tree], "the name of this host is unknown");
    check(&["--live", "--interval", "0.01"], "expected seconds from 0.05 to 3600");
    check(&["--live", "--interval", "nan"], "expected seconds from 0.05 to 3600");
    check(&["h1.json", "--save", "copy.json"], "--live");
    check(&[], "<FILE>");
    check(&["--live", "--sysfs", &folder.join("gone").display().to_string()], "not a folder");
}
