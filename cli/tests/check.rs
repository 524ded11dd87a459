//! `harrier check` and `harrier headroom` as users run them.

#![allow(clippy::disallowed_methods, reason = "tests run the binary and write files")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use crate::support::{shared_data, skipped};

const GOOD: &str = r#"{"BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "1000000"}}}"#;
const BAD: &str =
    r#"{"BUFFER_POOL": {"ingress_lossless_pool": {"type": "in", "mode": "dynamic", "size": "1000000"}}}"#;

fn harrier(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_harrier")).args(arguments).output().expect("harrier runs")
}

/// Creates a folder with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("check-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a folder");
    for (file, text) in files {
        fs::write(path.join(file), text).expect("a file");
    }
    path
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn exit_status_reflects_findings_and_errors() {
    let here = folder("status", &[("good.json", GOOD), ("bad.json", BAD)]);
    let status = |file: &str, more: &[&str]| {
        let path = here.join(file);
        let mut arguments = vec!["check", path.to_str().expect("text")];
        arguments.extend(more);
        harrier(&arguments).status.code()
    };
    assert_eq!(status("good.json", &[]), Some(0));
    assert_eq!(status("bad.json", &[]), Some(1));
    assert_eq!(status("bad.json", &["--ignore", "BUF001"]), Some(0));
    assert_eq!(status("none.json", &[]), Some(2));
    assert_eq!(status("good.json", &["--select", "NO999"]), Some(2));
}

#[test]
fn several_formats_are_written_in_one_run() {
    let here = folder("formats", &[("bad.json", BAD)]);
    let path = |name: &str| here.join(name).to_str().expect("text").to_string();
    let output = harrier(&[
        "check",
        &path("bad.json"),
        "--format",
        "concise",
        "--output",
        "-",
        "--format",
        "sarif",
        "--output",
        &path("a.sarif"),
        "--format",
        "json",
        "--output",
        &path("a.json"),
    ]);
    assert!(stdout(&output).contains("error[BUF001]"), "{output:?}");
    for name in ["a.sarif", "a.json"] {
        let text = fs::read_to_string(path(name)).expect("it was written");
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON");
    }
}

#[test]
fn the_headroom_of_a_record_is_computed() {
    let record = r#"[{"asic": "MELLANOX-SPECTRUM-3", "speed": 400000, "cable": "300m", "lanes": 8, "over_subscribe_ratio": 2}]"#;
    let here = folder(
        "headroom",
        &[("r.json", record), ("bad.json", r#"[{"asic": "none", "speed": 1, "cable": "1m"}]"#)],
    );
    let output = harrier(&["headroom", here.join("r.json").to_str().expect("text"), "--explain"]);
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&found[0]["xoff"], &found[0]["xon"]), (&272_384.into(), &38_912.into()));
    assert!(found[0]["terms"].as_array().is_some_and(|t| t.len() > 8));
    let mut from_stdin = Command::new(env!("CARGO_BIN_EXE_harrier"));
    from_stdin
        .args(["headroom", "-", "--explain"])
        .stdin(fs::File::open(here.join("r.json")).expect("a file"));
    assert_eq!(from_stdin.output().expect("harrier runs").stdout, output.stdout);
    assert_eq!(harrier(&["headroom", here.join("bad.json").to_str().expect("text")]).status.code(), Some(2));
}

/// A server on a free port, killed when dropped.
struct Redis(std::process::Child);

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_live_switch_is_read_over_redis() {
    let free =
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a free port").port();
    let port = free.to_string();
    let quiet = || Stdio::null();
    let server = Command::new("redis-server")
        .args(["--port", &port, "--save", "", "--bind", "127.0.0.1"])
        .stdout(quiet())
        .spawn();
    let Ok(server) = server else {
        skipped("redis-server is not installed; run scripts/setup.sh");
        return;
    };
    let _server = Redis(server);
    let cli = |arguments: &[&str]| {
        let all = [&["-p", port.as_str(), "-n", "4"], arguments].concat();
        Command::new("redis-cli").args(all).output().is_ok_and(|o| o.status.success())
    };
    // Poll until the server is up; redis-cli waits for the connection.
    assert!((0..1000).any(|_| cli(&["PING"])), "redis-server does not answer");
    assert!(cli(&[
        "HSET",
        "BUFFER_POOL|ingress_lossless_pool",
        "type",
        "in",
        "mode",
        "dynamic",
        "size",
        "1"
    ]));
    let output = harrier(&["check", "--format", "concise", &format!("redis://127.0.0.1:{port}/4")]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(stdout(&output).contains("BUF001"), "{output:?}");
}

#[test]
fn a_proof_reports_what_fits_and_what_drops() {
    let config = |xoff: &str| {
        format!(
            r#"{{"PORT": {{"Ethernet0": {{"lanes": "1", "speed": "100000", "mtu": "9100", "admin_status": "up"}}}},
            "CABLE_LENGTH": {{"AZURE": {{"Ethernet0": "40m"}}}},
            "BUFFER_POOL": {{"ingress_lossless_pool": {{"type": "ingress", "mode": "dynamic", "size": "8000000", "xoff": "900000"}},
              "egress_lossless_pool": {{"type": "egress", "mode": "static", "size": "9000000"}}}},
            "BUFFER_PROFILE": {{"p": {{"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "-2", "xon_offset": "2496", "xoff": "{xoff}"}},
              "q": {{"pool": "egress_lossless_pool", "size": "0", "static_th": "9000000"}}}},
            "BUFFER_PG": {{"Ethernet0|3": {{"profile": "p"}}}}, "BUFFER_QUEUE": {{"Ethernet0|3": {{"profile": "q"}}}},
            "WRED_PROFILE": {{"w": {{"ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": "500000",
              "green_max_threshold": "1000000", "green_drop_probability": "5"}}}},
            "QUEUE": {{"Ethernet0|3": {{"wred_profile": "w"}}}},
            "DSCP_TO_TC_MAP": {{"A": {{"3": "3"}}}}, "TC_TO_PRIORITY_GROUP_MAP": {{"A": {{"3": "3"}}}},
            "PORT_QOS_MAP": {{"Ethernet0": {{"pfc_enable": "3", "dscp_to_tc_map": "A", "tc_to_pg_map": "A"}}}}}}"#
        )
    };
    let here = folder("prove", &[("good.json", &config("90000")), ("bad.json", &config("20000"))]);
    let run = |file: &str, more: &[&str]| {
        let path = here.join(file);
        let mut arguments = vec!["check", "--prove", path.to_str().expect("text")];
        arguments.extend(more);
        harrier(&arguments)
    };
    let known = ["--asic", "trident-2"];
    let (good, bad) = (run("good.json", &known), run("bad.json", &known));
    assert_eq!((good.status.code(), bad.status.code()), (Some(0), Some(1)));
    assert!(
        stdout(&good).contains("Ethernet0, priority 3, 100000 Mb/s over 40 m, p: fits, "),
        "{}",
        stdout(&good)
    );
    assert!(stdout(&bad).contains("is rejected (HeadroomFull)"), "{}", stdout(&bad));
    // A configuration of an unknown ASIC does not pass.
    let unknown = run("good.json", &[]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(stdout(&unknown).contains("NOT PROVABLE: the ASIC is unknown"), "{}", stdout(&unknown));
    let json: serde_json::Value =
        serde_json::from_slice(&run("good.json", &["--format", "json"]).stdout).expect("JSON");
    let report = json.as_object().and_then(|all| all.values().next()).expect("a report");
    assert_eq!((&report["verdict"], &report["asic"]), (&"not_provable".into(), &serde_json::Value::Null));
    // An error outside of the simulation is named, and the configuration is not proved.
    fs::write(here.join("queue.json"), config("90000").replace("\"Ethernet0|3\": {\"profile\": \"q\"}", ""))
        .expect("a file");
    let output = run("queue.json", &known);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = stdout(&output);
    for part in ["p: fits, ", "NOT PROVEN: harrier check reports 1 error", "error[PFC005]"] {
        assert!(text.contains(part), "{text}");
    }
    let json: serde_json::Value =
        serde_json::from_slice(&run("queue.json", &["--asic", "trident-2", "--format", "json"]).stdout)
            .expect("JSON");
    let report = json.as_object().and_then(|all| all.values().next()).expect("a report");
    assert_eq!(
        (&report["verdict"], &report["errors"][0]["code"]),
        (&"not_provable".into(), &"PFC005".into())
    );
    // An error that prevents the simulation is reported with its position.
    let odd = config("90000").replace("\"type\": \"egress\"", "\"type\": \"ingress\"");
    let odd = odd.replace("\"Ethernet0|3\": {\"profile\": \"q\"}", "");
    fs::write(here.join("odd.json"), odd).expect("a file");
    let output = run("odd.json", &known);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(
        stdout(&output).contains("odd.json:3:13: NOT PROVABLE: the switch cannot be simulated"),
        "{output:?}"
    );
}

#[test]
fn an_unknown_asic_fails_the_check_until_specified_or_suppressed() {
    let text = r#"{"DEVICE_METADATA": {"localhost": {"platform": "x86_64-new_vendor-r0", "hwsku": "New-1"}},
"BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "8000000"}}}"#;
    let accepted = "[[suppress]]\ncode = \"BUF050\"\nfile = \"*\"\nreason = \"the vendor confirms it\"\n";
    let here = folder("unknown", &[("new.json", text), ("accepted.toml", accepted)]);
    let (file, side) = (here.join("new.json"), here.join("accepted.toml"));
    let check = |more: &[&str], status: i32, message: &str| {
        let mut arguments = vec!["check", "--format", "concise", file.to_str().expect("text")];
        arguments.extend(more);
        let output = harrier(&arguments);
        assert_eq!(output.status.code(), Some(status), "{more:?}: {output:?}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            stderr.contains(message) && stderr.contains("not provable") == (status == 1),
            "{more:?}: {stderr}"
        );
    };
    check(&[], 1, "1 warning, 0 notes, 1 not provable");
    check(&["--memory", "16777216"], 0, "0 warnings");
    check(&["--asic", "trident-2"], 0, "0 warnings");
    check(&["--suppressions", side.to_str().expect("text")], 0, "1 suppressed");
}

#[test]
fn chips_of_a_switch_share_a_row_and_unreadable_files_do_not_stop_the_run() {
    let here = folder("fleet", &[]);
    let put = |name: &str, text: &[u8]| {
        let path = here.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    for name in ["config_db.json", "config_db0.json", "config_db1.json"] {
        put(&format!("chassis/{name}"), if name.contains('0') { BAD } else { GOOD }.as_bytes());
    }
    put("tor/config_db.json", BAD.as_bytes());
    let run = |more: &[&str]| {
        let mut arguments = vec!["check", here.to_str().expect("text"), "--format", "concise"];
        arguments.extend(more);
        harrier(&arguments)
    };
    let output = run(&[]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let rows: Vec<&str> = stderr.lines().filter(|l| l.contains("/check-fleet/")).collect();
    assert!(
        matches!(rows.as_slice(), [a, b] if a.ends_with("/chassis") && b.ends_with("/tor/config_db.json")),
        "{stderr}"
    );
    assert_eq!(output.status.code(), Some(1));
    // A file that is not text is reported, and the others are checked.
    put("tor/other.json", b"{\xff}");
    let output = run(&[]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("other.json:1:2: not UTF-8 text"), "{output:?}");
    assert_eq!(stdout(&output).matches("error[BUF001]").count(), 2, "{output:?}");
}

#[test]
fn two_reports_to_the_same_output_are_rejected() {
    let here = folder("places", &[("bad.json", BAD)]);
    let path = here.join("bad.json");
    let output = harrier(&["check", path.to_str().expect("text"), "--format", "json", "--format", "sarif"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("two formats are written to standard output"),
        "{output:?}"
    );
}

#[test]
fn a_diff_reports_new_findings_and_a_watchdog_is_replayed() {
    let here = folder("change", &[("old.json", GOOD), ("new.json", BAD)]);
    let path = |name: &str| here.join(name).to_str().expect("text").to_string();
    let output = harrier(&["check", "--diff", &path("old.json"), &path("new.json"), "--format", "concise"]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains("~ BUFFER_POOL|ingress_lossless_pool type: `ingress` -> `in`"), "{stderr}");
    assert!(
        stdout(&output).contains("error[BUF001]") && stdout(&output).contains("error[CHG001]"),
        "{output:?}"
    );
    assert!(stderr.contains(" unchanged"), "{stderr}");
    let storm = r#"{"PORT": {"Ethernet0": {"lanes": "1", "speed": "40000", "admin_status": "up"}},
        "BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "8000000", "xoff": "900000"},
          "egress_lossless_pool": {"type": "egress", "mode": "static", "size": "9000000"}},
        "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3", "pfcwd_sw_enable": "3"}},
        "PFC_WD": {"Ethernet0": {"detection_time": "200", "restoration_time": "200", "action": "drop"}}}"#;
    fs::write(here.join("storm.json"), storm).expect("a file");
    let output = harrier(&["check", &path("storm.json"), "--explain-watchdog", "Ethernet0"]);
    let expected =
        "exact timers: detected at 200.000 ms, restored at 1200.000 ms, 200.000 ms after the last pause";
    assert!(stdout(&output).contains(expected), "{output:?}");
}

#[test]
fn the_headroom_of_sonics_test_vectors_is_reproduced() {
    for name in ["headroom_vectors.json", "pool_vectors.json"] {
        let Some(path) = shared_data(&format!("sonic/{name}")) else { continue };
        let text = fs::read_to_string(&path).expect("the data can be read");
        let output = harrier(&["headroom", path.to_str().expect("text")]);
        let expected: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert!(found == expected, "{name}: something differs");
    }
}
