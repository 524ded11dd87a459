//! Output of a run: captures, time series, figures, drawings.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{fixture, harrier, scratch, skipped};
use pcap_file::pcapng::{Block, PcapNgReader};
use serde_json::Value;

/// Runs a small scenario with these further arguments.
fn run(args: &[&str]) -> crate::support::Ran {
    let ran = harrier(&[&["run", "quiet", "--seed", "3", "--json"], args].concat());
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    ran
}

/// Returns the numbers of data packets and of all packets in a capture, as an independent reader counts them.
fn read(path: &Path) -> (u64, u64) {
    let mut reader = PcapNgReader::new(File::open(path).unwrap()).unwrap();
    let (mut all, mut data, mut last, mut interfaces) = (0, 0, 0, 0);
    while let Some(block) = reader.next_block() {
        match block.unwrap() {
            Block::InterfaceDescription(_) => interfaces += 1,
            Block::EnhancedPacket(packet) => {
                all += 1;
                data += u64::from(packet.original_len > 1000);
                let at = packet.timestamp.as_nanos();
                assert!(packet.interface_id < interfaces && at >= last, "{path:?}: out of order");
                last = at;
            }
            _ => {}
        }
    }
    (data, all)
}

#[test]
fn captures_are_readable_by_other_tools() {
    let folder = scratch("captures");
    let report = run(&["--pcap", folder.to_str().unwrap()]).json();
    let mut files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 8, "{files:?}");
    let frames: u64 = files.iter().map(|file| read(file).1).sum();
    // Every packet-hop is captured; this scenario has no PFC frames.
    assert_eq!(Some(frames), report["run"]["packet_hops"].as_u64());

    if Command::new("tshark").arg("--version").output().is_err() {
        skipped("reading the captures with tshark: it is not installed; run scripts/setup.sh");
        return;
    }
    for file in &files {
        let output = Command::new("tshark")
            .args(["-n", "-T", "fields", "-e", "frame.protocols", "-e", "frame.len", "-r"])
            .arg(file)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        let (data, all) = read(file);
        assert_eq!(text.lines().count() as u64, all, "{file:?}");
        let is_roce = |line: &&str| {
            line.contains("infiniband")
                && line.split('\t').nth(1).unwrap().parse::<u64>().is_ok_and(|bytes| bytes > 1000)
        };
        assert_eq!(text.lines().filter(is_roce).count() as u64, data, "{file:?}: {text}");
    }
}

#[test]
fn series_are_the_same_as_csv_and_json() {
    let folder = scratch("curves");
    let (csv, json) = (folder.join("a.csv"), folder.join("a.json"));
    for file in [&csv, &json] {
        run(&["--series", file.to_str().unwrap(), "--series-interval", "5us"]);
    }
    let csv = fs::read_to_string(csv).unwrap();
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("time_ns,port,queue_bytes,paused,rate_bps"));
    let json: Value = serde_json::from_slice(&fs::read(json).unwrap()).unwrap();
    let samples = json["samples"].as_array().unwrap();
    assert!(samples.len() > 100);
    for (line, sample) in lines.zip(samples) {
        let text = |key: &str| sample[key].to_string().trim_matches('"').to_string();
        assert_eq!(line, ["time_ns", "port", "queue_bytes", "paused", "rate_bps"].map(text).join(","));
        assert!(sample["time_ns"].as_u64().unwrap().is_multiple_of(5_000));
        // A link sends at most 100 Gb/s, plus the frame that was already being transmitted.
        assert!(sample["rate_bps"].as_u64().unwrap() < 110_000_000_000, "{sample}");
    }
    let ran = harrier(&["run", "quiet", "--series", "curves.txt"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains(".csv"), "{}", ran.stderr);
}

#[test]
fn series_contain_queues_and_pauses() {
    let file = scratch("pauses").join("a.json");
    harrier(&["run", "incast-backpressure", "--series", file.to_str().unwrap()]);
    let json: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let samples = json["samples"].as_array().unwrap();
    assert!(samples.iter().any(|s| s["paused"] == 1 << 3), "no port has priority 3 paused");
    assert!(samples.iter().any(|s| s["queue_bytes"].as_u64() > Some(50_000)), "no queue exceeds 50 kB");
}

#[test]
fn the_cost_of_a_run_is_reported() {
    let report = run(&[]).json();
    let figures = &report["run"];
    assert!(figures["packet_hops"].as_u64() > Some(10_000), "{figures}");
    assert!(figures["events"].as_u64() > figures["packet_hops"].as_u64());
    assert!(figures["wall_seconds"].as_f64() > Some(0.0));
    if Path::new("/proc/self/schedstat").exists() {
        assert!(figures["cpu_seconds"].as_f64() > Some(0.0));
        assert!(figures["peak_rss"].as_u64() > Some(1_000_000));
    }
}

#[test]
fn a_scenario_is_shown_as_drawing_and_file() {
    let shown = harrier(&["scenario", "show", "pfc-storm", "--seed", "4"]);
    assert_eq!(shown.status, 0);
    for part in ["core", "aggregation", "edge", "p1-edge1", "timeline", "pause storm at h", "victim  h"] {
        assert!(shown.stderr.contains(part), "no `{part}` in:\n{}", shown.stderr);
    }
    assert!(shown.stdout.starts_with("name = \"pfc-storm\""), "stdout is not the file");
    let other = harrier(&["scenario", "show", "pfc-storm", "--seed", "5"]);
    assert_ne!(shown.stderr, other.stderr, "two seeds gave the same instance");
}

#[test]
fn the_list_names_the_anomaly_of_each_scenario() {
    let list = harrier(&["scenario", "list", "--json"]).json();
    let rows = list["scenarios"].as_array().unwrap();
    assert!(rows.len() >= 20);
    let row = rows.iter().find(|row| row["name"] == "routing-loop").unwrap();
    assert_eq!((&row["anomaly"], &row["seeded"]), (&"routing_loop".into(), &true.into()));
}

#[test]
fn a_report_contains_the_traffic_of_the_run() {
    let ran = harrier(&["run", "short-headroom", "--seed", "2", "--json"]);
    let traffic = &ran.json()["traffic"];
    let flows = traffic["flows"].as_array().expect("a list");
    for flow in flows {
        match flow["finish_ns"].as_u64() {
            Some(finish_ns) => assert!(Some(finish_ns) > flow["start_ns"].as_u64(), "{flow}"),
            None => assert!(flow["acknowledged_bytes"].as_u64() < flow["bytes"].as_u64(), "{flow}"),
        }
    }
    let retransmitted: u64 = flows.iter().filter_map(|flow| flow["retransmitted_packets"].as_u64()).sum();
    let lost: u64 = traffic["drops"].as_object().expect("by reason").values().filter_map(Value::as_u64).sum();
    let lossless = traffic["lossless_drops"].as_array().expect("a list");
    let dropped: u64 = lossless.iter().filter_map(|loss| loss["packets"].as_u64()).sum();
    assert!(lost > 0 && dropped == lost && retransmitted >= lost, "{traffic}");
    assert!(lossless.iter().all(|loss| loss["profile"] == "lossless" && loss["ingress"] == "far:1"));
    assert!(!traffic["paused_ports"].as_object().expect("by port").is_empty());

    // The text for people.
    let ran = harrier(&["run", "short-headroom", "--seed", "2"]);
    for part in ["packets retransmitted", "profile `lossless`", "headroom exhausted"] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
}

#[test]
fn ns3_output_files_are_written_in_their_formats() {
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fabric/tests/fixtures/ns3-line/config.txt");
    let folder = scratch("ns3-out");
    let (config, out) = (config.to_str().unwrap(), folder.join("files"));
    let ran = harrier(&["run", "--ns3", config, "--json", "--ns3-out", out.to_str().unwrap()]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let mut names: Vec<_> = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["fct.txt", "pfc.txt", "qlen.txt"]);
    let read = |name: &str| fs::read_to_string(out.join(name)).unwrap();
    // The tests of `fabric` check the contents.
    assert!(
        read("fct.txt").starts_with("0b000001 0b000201 10000 100 1000000 2000000000 "),
        "{}",
        read("fct.txt")
    );
    assert_eq!((read("fct.txt").lines().count(), read("pfc.txt").as_str()), (2, ""));
    assert_eq!(read("qlen.txt").lines().filter(|line| line.starts_with("time: ")).count(), 2);

    // Two outputs with the same file name, and an output directory without --ns3.
    let one = folder.join("one.txt");
    let text = fs::read_to_string(config).unwrap().replace("out/pfc.txt", "other/fct.txt");
    fs::write(&one, text).unwrap();
    for name in ["topology.txt", "flows.txt"] {
        fs::copy(Path::new(config).with_file_name(name), folder.join(name)).unwrap();
    }
    let ran = harrier(&["run", "--ns3", one.to_str().unwrap(), "--ns3-out", out.to_str().unwrap()]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("`FCT_OUTPUT_FILE` and `PFC_OUTPUT_FILE` would both be"), "{}", ran.stderr);
    let ran = harrier(&["run", "quiet", "--ns3-out", out.to_str().unwrap()]);
    assert_eq!(ran.status, 2);
}

/// As in `harrier run poster-fig1 2>&1 | head -1`, when `head` has ended.
#[test]
fn a_closed_stderr_changes_no_exit_status() {
    let (router, wrong) = (fixture("router.p4"), fixture("router-wrong.stf"));
    let stf = ["p4", "stf", router.to_str().unwrap(), wrong.to_str().unwrap()];
    for (args, status) in [(&["run", "poster-fig1"][..], 0), (&stf, 1), (&["run", "no-such-scenario"], 2)] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_harrier"))
            .args(args)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary was built");
        drop(child.stderr.take());
        assert_eq!(child.wait().expect("a child").code(), Some(status), "{args:?}");
    }
}
