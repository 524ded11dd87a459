//! RDMA over Commodity Ethernet at Scale (SIGCOMM 2016), section 4.3: a storm that spreads through the network, and the
//! watchdogs that end it.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

use crate::support::{harrier, scratch};
use serde_json::{Value, json};

/// RAS-2: the NIC of server 0 pauses its ToR switch, the ToR switch its leaves, these the spines and so on, down to the
/// servers that send. The verdict names server 0, no flow, and the flows of other servers as victims.
#[test]
fn a_storm_that_spreads_to_all_servers_names_the_nic_that_sends_it() {
    let folder = scratch("rdma-at-scale-storm");
    let path = folder.join("storm.toml");
    // Every server of the other podset sends to server 0 and to its neighbour, so that every switch has packets for it.
    let flows: String = (1..=4)
        .map(|n| {
            format!(
                "[[flow]]\nlabel = \"feeder{n}\"\nfrom = \"p2-t{t}-h{h}\"\nto = \"p1-t1-h1\"\nsize = \"4MB\"\n\
                 [[flow]]\nlabel = \"victim{n}\"\nfrom = \"p2-t{t}-h{h}\"\nto = \"p1-t1-h2\"\nsize = \"4MB\"\n",
                t = (n - 1) / 2 + 1,
                h = (n - 1) % 2 + 1,
            )
        })
        .collect();
    let text = format!(
        r#"
        name = "storm"
        stop = "3ms"
        [topology]
        kind = "podset"
        podsets = 2
        tors = 2
        leaves = 2
        servers_per_tor = 2
        spines = 2
        rate = "40Gbps"
        [switch]
        lossless = [3]
        threshold = "16KiB"
        headroom = "100kB"
        [host]
        payload = 4096
        {flows}
        [[fault]]
        kind = "storm"
        host = "p1-t1-h1"
        start = "300us"
        duration = "2ms"
        [expect]
        anomaly = "pfc_storm_host_injection"
        "#
    );
    std::fs::write(&path, text).unwrap();
    let ran = harrier(&["run", &path.display().to_string(), "--seed", "1", "--json"]);
    let run = ran.json();
    let verdict = &run["diagnoses"][0];
    assert_eq!(verdict["anomaly"], "pfc_storm_host_injection", "{}{run:#}", ran.stderr);
    let root = &verdict["root_cause"];
    assert_eq!((&root["host"], &root["flows"]), (&json!("p1-t1-h1"), &json!([])), "{verdict:#}");
    // Six steps: the pauses of the NIC reach a server of the other podset.
    let paused: Vec<&String> = run["traffic"]["paused_ports"].as_object().unwrap().keys().collect();
    for tier in ["p1-tor1:", "p1-leaf", "spine", "p2-leaf", "p2-tor", "p2-t1-h"] {
        assert!(paused.iter().any(|port| port.starts_with(tier)), "{tier} in {paused:?}");
    }
    for diagnosis in run["diagnoses"].as_array().unwrap() {
        assert_eq!(diagnosis["root_cause"]["flows"], json!([]), "no flow is the culprit: {diagnosis:#}");
    }
}

/// A switch with three lossless ports, of which the last one may lack a watchdog.
fn configuration(last_is_watched: bool, detection_ms: u32, restoration_ms: u32) -> Value {
    let names = ["Ethernet0", "Ethernet4", "Ethernet8"];
    let rows =
        |row: Value| -> Value { names.iter().map(|name| ((*name).to_string(), row.clone())).collect() };
    let qos = json!({"pfc_enable": "3,4", "pfcwd_sw_enable": "3,4"});
    let entry = json!({
        "action": "drop", "detection_time": detection_ms.to_string(), "restoration_time": restoration_ms.to_string(),
    });
    let watched = names.iter().take(if last_is_watched { 3 } else { 2 });
    let mut watchdogs: serde_json::Map<String, Value> =
        watched.map(|name| ((*name).to_string(), entry.clone())).collect();
    watchdogs.insert("GLOBAL".into(), json!({"POLL_INTERVAL": "100"}));
    let mut ports = rows(json!({"speed": "40000", "mtu": "9100", "admin_status": "up"}));
    for (lane, name) in names.iter().enumerate() {
        ports[name]["lanes"] = json!((lane * 4 + 1).to_string());
    }
    json!({"PORT": ports, "PORT_QOS_MAP": rows(qos), "PFC_WD": watchdogs})
}

/// RAS-7: every lossless port has a watchdog that detects a storm within hundreds of milliseconds and restores its queue
/// 200 ms after it. The limit for slow detection, 2 s, is a choice (rule WD025).
#[test]
fn a_port_without_a_watchdog_and_a_slow_watchdog_are_findings() {
    let folder = scratch("rdma-at-scale-watchdog");
    let check = |name: &str, configuration: Value, expected: &[(&str, &str)]| {
        let path = folder.join(format!("{name}.json"));
        std::fs::write(&path, configuration.to_string()).unwrap();
        let select = ["--select", "WD013,WD025"];
        let path = path.display().to_string();
        let ran = harrier(&[&["check", path.as_str(), "--format", "json"], select.as_slice()].concat());
        let report = ran.json();
        let findings = report["findings"].as_array().unwrap_or_else(|| panic!("{report:#}"));
        let codes: Vec<&str> = findings.iter().map(|finding| finding["code"].as_str().unwrap()).collect();
        let wanted: Vec<&str> = expected.iter().map(|(code, _)| *code).collect();
        assert_eq!(codes, wanted, "{name}: {report:#}");
        for (code, port) in expected {
            assert!(
                findings.iter().any(|f| f["code"] == **code && f.to_string().contains(port)),
                "{name}: {report:#}"
            );
        }
    };
    check("published", configuration(true, 200, 200), &[]);
    check("missing", configuration(false, 200, 200), &[("WD013", "Ethernet8")]);
    // One finding for ports with the same settings.
    let slow = [("WD025", "Ethernet0")];
    check("slow", configuration(true, 3_000, 3_000), &slow);
}
