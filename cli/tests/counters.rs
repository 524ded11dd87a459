//! `harrier analyze --from sonic` as users run it: pastes, dumps of databases, archives of `show techsupport`.

#![allow(clippy::disallowed_methods, reason = "tests run the binary and write files")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

const PASTE: &str = include_str!("../../docs/examples/counters/paste.txt");

fn analyze(arguments: &[&str], input: &str) -> Output {
    let mut harrier = Command::new(env!("CARGO_BIN_EXE_harrier"))
        .args(["analyze", "--from", "sonic"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("harrier runs");
    // A process that fails early does not read its input.
    let _ = harrier.stdin.take().expect("a pipe").write_all(input.as_bytes());
    harrier.wait_with_output().expect("harrier ends")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The report on stdout.
fn report(arguments: &[&str], input: &str) -> Value {
    let output = analyze(&[arguments, &["--json"]].concat(), input);
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).expect("JSON on stdout")
}

/// Checks anomaly, root port and host of the first of `count` verdicts.
fn check(report: &Value, count: usize, anomaly: &str, port: &str, host: Option<&str>) {
    let verdicts = report["diagnoses"].as_array().expect("a list");
    assert_eq!(verdicts.len(), count, "{report:#}");
    let root = &verdicts[0]["root_cause"];
    assert_eq!(verdicts[0]["anomaly"], anomaly, "{}", verdicts[0]["summary"]);
    assert_eq!((root["port"].as_str(), root["host"].as_str()), (Some(port), host));
    assert_eq!(verdicts[0]["victim"], Value::Null);
}

fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("counters-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a folder");
    path
}

/// COUNTERS_DB of a switch with two ports; `Ethernet0` received `rx` pause frames and `Ethernet4` sent `tx`.
fn counters_db(rx: u64, tx: u64) -> Value {
    let hash =
        |value: Value| json!({"type": "hash", "ttl": -0.001, "expireat": 1764524951.6, "value": value});
    json!({
        "COUNTERS_PORT_NAME_MAP": hash(json!({"Ethernet0": "oid:0x1", "Ethernet4": "oid:0x2"})),
        "COUNTERS:oid:0x1": hash(json!({
            "SAI_PORT_STAT_PFC_3_RX_PKTS": rx.to_string(),
            "SAI_PORT_STAT_PFC_3_TX_PKTS": "0",
            "SAI_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US": (rx * 300).to_string(),
        })),
        "COUNTERS:oid:0x2": hash(json!({
            "SAI_PORT_STAT_PFC_3_RX_PKTS": "0",
            "SAI_PORT_STAT_PFC_3_TX_PKTS": tx.to_string(),
        })),
    })
}

/// APPL_DB with a host at `Ethernet0`.
fn appl_db() -> Value {
    let hash = |value: Value| json!({"type": "hash", "value": value});
    json!({
        "PORT_TABLE:Ethernet0": hash(json!({"speed": "100000", "oper_status": "up"})),
        "LLDP_ENTRY_TABLE:Ethernet0": hash(json!({"lldp_rem_sys_name": "h1", "lldp_rem_sys_cap_enabled": "01 00"})),
        "LLDP_ENTRY_TABLE:Ethernet4": hash(json!({"lldp_rem_sys_name": "h2", "lldp_rem_sys_cap_enabled": "01 00"})),
    })
}

fn write(path: &Path, value: &Value) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, value.to_string()).expect("a file");
}

#[test]
fn the_paste_of_the_readme_names_the_host() {
    let found = report(&["-"], PASTE);
    check(&found, 1, "pfc_storm_host_injection", "leaf2:2", Some("gpu-22"));
    assert_eq!(found["diagnoses"][0]["cause"], "nic_storm");
    assert_eq!(found["diagnoses"][0]["pause_path"], json!(["leaf1:3", "spine1:2", "leaf2:2"]));
    let output = analyze(&["-"], PASTE);
    let text = stderr(&output);
    for expected in ["gpu-22", "leaf2:2 (Ethernet4)", "pauses in", "spine1 Ethernet4"] {
        assert!(text.contains(expected), "{expected} in:\n{text}");
    }
    assert!(output.stdout.is_empty());
}

#[test]
fn a_byte_of_another_encoding_does_not_discard_a_file() {
    let here = folder("encodings");
    fs::create_dir_all(&here).expect("a folder");
    let (at, until) = PASTE.split_once("gpu-11").expect("a neighbour");
    let latin1 = [at.as_bytes(), b"gp\xfc-11", until.as_bytes()].concat();
    let path = here.join("paste.txt");
    fs::write(&path, latin1).expect("a file");
    let output = analyze(&[path.to_str().expect("text")], "");
    let text = stderr(&output);
    for expected in ["paste.txt:5:14: not UTF-8 text", "host gpu-22 pauses leaf2:2"] {
        assert!(text.contains(expected), "{expected} in:\n{text}");
    }
    let utf16: Vec<u8> = "\u{feff}admin".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(&path, utf16).expect("a file");
    let text = stderr(&analyze(&[path.to_str().expect("text")], ""));
    assert!(text.contains("iconv -f UTF-16 -t UTF-8"), "{text}");
}

#[test]
fn switches_with_the_same_host_name_are_kept_apart() {
    let here = folder("names");
    let config = |mac: Option<&str>, name: &str| {
        let mut metadata = json!({ "hostname": name });
        if let Some(mac) = mac {
            metadata["mac"] = json!(mac);
        }
        json!({ "DEVICE_METADATA|localhost": { "type": "hash", "value": metadata } })
    };
    // Each switch alone is idle; the differences between them are not.
    let dump = |macs: [Option<&str>; 2], name: &str| {
        for (switch, mac, frames) in [("a1", macs[0], 5), ("b1", macs[1], 900_000)] {
            for time in ["20261005T101203Z", "20261005T101213Z"] {
                let place = here.join(switch).join(time);
                write(&place.join("COUNTERS_DB.json"), &counters_db(frames, frames));
                write(&place.join("CONFIG_DB.json"), &config(mac, name));
            }
        }
        stderr(&analyze(&[here.to_str().expect("text")], ""))
    };
    let (first, second) = (Some("0c:42:a1:00:00:01"), Some("0c:42:a1:00:00:02"));
    for (macs, name) in [([None, None], "sonic"), ([first, second], "leaf1")] {
        let text = dump(macs, name);
        let expected = format!("a1, b1: different switches, all with the host name `{name}`");
        assert!(text.contains(&expected) && text.contains("no port of 2 switches was paused"), "{text}");
    }
    let text = dump([first, first], "sonic");
    assert!(!text.contains("different switches"), "{text}");
}

#[test]
fn dumps_in_folders_of_switch_and_time_are_two_readings() {
    let here = folder("times");
    for (time, rx, tx) in [("20261005T101203Z", 5, 5), ("20261005T101213Z", 20_005, 105)] {
        write(&here.join("leaf1").join(time).join("COUNTERS_DB.json"), &counters_db(rx, tx));
        write(&here.join("leaf1").join(time).join("APPL_DB.json"), &appl_db());
    }
    let found = report(&[here.to_str().expect("text")], "");
    check(&found, 1, "pfc_storm_host_injection", "leaf1:1", Some("h1"));
    let ports = found["ports"].as_array().expect("a list");
    assert_eq!(ports[0]["received_frames"], 20_000);
    assert_eq!(ports[0]["paused_part"], 0.6, "6 s of 10 s");
}

#[test]
fn dumps_before_and_after_are_ordered_by_their_names() {
    let here = folder("before");
    // Written in the wrong order, as by a copy.
    for (name, rx, tx) in [("after", 900, 100), ("before", 500, 50)] {
        write(&here.join(name).join("leaf1_COUNTERS_DB.json"), &counters_db(rx, tx));
        write(&here.join(name).join("leaf1_APPL_DB.json"), &appl_db());
    }
    let both = [here.join("before"), here.join("after")];
    let paths: Vec<&str> = both.iter().map(|path| path.to_str().expect("text")).collect();
    let found = report(&paths, "");
    check(&found, 1, "pfc_storm_host_injection", "leaf1:1", Some("h1"));
    assert_eq!(found["ports"][0]["received_frames"], 400);
    let times: Vec<String> =
        paths.iter().zip([100, 110]).map(|(path, s)| format!("{path}=17911950{s}")).collect();
    let timed = [paths[0], paths[1], "--time", &times[0], "--time", &times[1]];
    assert_eq!(report(&timed, "")["ports"][0]["paused_part"], 0.012, "400 pauses of 300 us in 10 s");
}

#[test]
fn an_archive_of_show_techsupport_has_two_readings() {
    let here = folder("techsupport");
    let path = here.join("sonic_dump_leaf1_20261005_101213.tar.gz");
    let file = fs::File::create(&path).expect("a file");
    let mut archive = tar::Builder::new(flate2::write::GzEncoder::new(file, flate2::Compression::fast()));
    let mut add = |name: &str, text: String| {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        let name = format!("sonic_dump_leaf1_20261005_101213/{name}");
        archive.append_data(&mut header, name, text.as_bytes()).expect("an entry");
    };
    add("dump/COUNTERS_DB_1.json", counters_db(5, 5).to_string());
    add("dump/date.counter_1", "05/10/2026 10:12:03:000000\n".into());
    add("dump/COUNTERS_DB_2.json", counters_db(20_005, 105).to_string());
    add("dump/date.counter_2", "05/10/2026 10:12:13:000000\n".into());
    add("dump/COUNTERS_DB.json", counters_db(9_000, 50).to_string());
    add("dump/APPL_DB.json", appl_db().to_string());
    add("dump/ASIC_DB.json", "{ not JSON".into());
    add("log/syslog", "x".repeat(1_000));
    archive.into_inner().and_then(|gz| gz.finish()).expect("an archive");
    let found = report(&[path.to_str().expect("text")], "");
    check(&found, 1, "pfc_storm_host_injection", "leaf1:1", Some("h1"));
    assert_eq!(found["ports"][0]["paused_part"], 0.6);
}

#[test]
fn long_names_in_an_archive_are_read_up_to_a_limit() {
    let here = folder("long-names");
    let text = counters_db(20_005, 105).to_string();
    let header = |kind: tar::EntryType, size: u64, name: &str| {
        let mut header = tar::Header::new_gnu();
        header.set_path(name).expect("a short name");
        header.set_entry_type(kind);
        header.set_size(size);
        header.set_mode(0o644);
        header.set_cksum();
        header
    };
    let folders = format!("sonic_dump_leaf1_20261005_101213/{}/dump/COUNTERS_DB.json", "x".repeat(150));
    let pax = format!("{} path={folders}\n", folders.len() + " path=\n".len() + 3);
    let (gnu, posix) = (tar::EntryType::GNULongName, tar::EntryType::XHeader);
    let huge = "a".repeat(1 << 20);
    for (kind, name, is_read) in
        [(gnu, &folders, true), (posix, &pax, true), (gnu, &huge, false), (posix, &huge, false)]
    {
        let path = here.join("a.tar");
        let mut archive = tar::Builder::new(fs::File::create(&path).expect("a file"));
        let long = header(kind, name.len() as u64, "././@LongLink");
        archive.append(&long, name.as_bytes()).expect("an entry");
        // The name that the entry itself has room for is cut.
        let short =
            header(tar::EntryType::Regular, text.len() as u64, "sonic_dump_leaf1_20261005_101213/dump/COU");
        archive.append(&short, text.as_bytes()).expect("an entry");
        archive.into_inner().expect("an archive");
        let output = analyze(&[path.to_str().expect("text")], "");
        let shown = stderr(&output);
        assert_eq!(output.status.success(), is_read, "{shown}");
        assert_eq!(shown.contains("a name of more than 65536 bytes"), !is_read, "{shown}");
        assert_eq!(shown.contains(":1 (Ethernet0)"), is_read, "{shown}");
    }
}

#[test]
fn names_of_neighbours_cannot_control_the_terminal() {
    let text = PASTE.replace("gpu-", "g\u{1b}\u{7}-");
    assert_ne!(text, PASTE);
    let output = analyze(&["-"], &text);
    let shown = stderr(&output);
    assert!(shown.contains("host g-22"), "{shown}");
    assert!(!shown.contains(|c: char| c.is_control() && c != '\n'), "{shown:?}");
}

#[test]
fn bad_files_are_reported_and_the_rest_is_used() {
    let here = folder("bad");
    write(&here.join("leaf1/COUNTERS_DB.json"), &counters_db(900, 100));
    fs::write(here.join("leaf1/APPL_DB.json"), "{\"PORT_TABLE:Ethernet0\": {\n").expect("a file");
    fs::write(here.join("leaf1/notes.txt"), [0xff, 0xfe]).expect("a file");
    fs::write(here.join("broken.tar.gz"), "no archive").expect("a file");
    let output = analyze(&[here.to_str().expect("text"), "/does/not/exist"], "");
    let text = stderr(&output);
    assert!(output.status.success(), "{text}");
    for expected in [
        "APPL_DB.json:2:",
        "notes.txt: UTF-16 text",
        "broken.tar.gz: ",
        "/does/not/exist",
        "one reading only",
        "leaf1:1 (Ethernet0)",
    ] {
        assert!(text.contains(expected), "{expected} in:\n{text}");
    }
}

#[test]
fn nothing_to_read_is_an_error() {
    let output = analyze(&["-"], "hello\n");
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    assert!(text.contains("no counters found") && text.contains("docs/counters.md"), "{text}");
    let output = analyze(&["-", "--time", "x=yesterday"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("is not a time"), "{}", stderr(&output));
}
