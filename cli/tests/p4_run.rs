//! `harrier p4 run`: captures through a program.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{Ran, fixture, harrier, scratch};

/// Returns a little-endian microsecond pcap file. Each packet has seconds, length on the wire and bytes.
fn pcap(packets: &[(u32, u32, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut words = |words: &[u32]| words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    words(&[0xa1b2_c3d4, 4 << 16 | 2, 0, 0, 65_535, 1]);
    for (seconds, length, data) in packets {
        for word in [*seconds, 0, data.len() as u32, *length] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend_from_slice(data);
    }
    bytes
}

fn run(folder: &Path, more: &[&str]) -> Ran {
    let (program, entries) = (fixture("router.p4"), fixture("router.stf"));
    let mut args = vec!["p4".to_string(), "run".to_string(), program.display().to_string()];
    args.extend(["--entries".to_string(), entries.display().to_string()]);
    args.extend(more.iter().map(|arg| arg.replace("DIR", &folder.display().to_string())));
    harrier(&args)
}

/// Returns the packets of an output capture: seconds, length on the wire, bytes.
fn records(path: &Path) -> Vec<(u32, u32, Vec<u8>)> {
    let bytes = fs::read(path).expect("a capture");
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    assert_eq!((word(0), word(20)), (0xa1b2_3c4d, 1));
    let (mut at, mut records) = (24, Vec::new());
    while at < bytes.len() {
        let kept = word(at + 8) as usize;
        records.push((word(at), word(at + 12), bytes[at + 16..at + 16 + kept].to_vec()));
        at += 16 + kept;
    }
    records
}

/// Sets the "memory deny write execute" attribute of Linux (prctl 65, `PR_SET_MDWE`), as systemd's unit option does by other
/// means, and becomes the program of its arguments. Exits with status 77 where the kernel does not know it (before 6.3).
const WITHOUT_EXECUTABLE_MEMORY: &str = "\
import ctypes, os, sys
if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0) != 0:
    sys.exit(77)
os.execv(sys.argv[1], sys.argv[1:])
";

#[test]
fn programs_run_as_bytecode_where_memory_must_not_be_executable() {
    let folder = scratch("run-without-executable-memory");
    fs::write(folder.join("a.pcap"), pcap(&[(5, 5, &[1, 2, 0x40, 0xaa, 0xbb])])).unwrap();
    let (program, entries) = (fixture("router.p4"), fixture("router.stf"));
    let ran = Command::new("python3")
        .args(["-c", WITHOUT_EXECUTABLE_MEMORY, env!("CARGO_BIN_EXE_harrier"), "p4", "run"])
        .arg(&program)
        .arg("--entries")
        .arg(&entries)
        .args(["--in", &format!("1@{}", folder.join("a.pcap").display()), "--json"])
        .output();
    let ran = match ran {
        Ok(ran) if ran.status.code() != Some(77) => ran,
        _ => return eprintln!("SKIPPED: no python3, or a kernel without PR_SET_MDWE"),
    };
    let (stdout, stderr) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{stderr}");
    assert!(stderr.contains("runs as bytecode: the system does not allow memory to be executed"), "{stderr}");
    let report: serde_json::Value = serde_json::from_str(&stdout).expect("a report");
    assert_eq!((&report["engine"], &report["transmitted"]), (&"bytecode".into(), &1.into()));
}

#[test]
fn packets_are_merged_by_time_forwarded_and_counted() {
    let folder = scratch("run");
    // Two packets to forward (one of them truncated by the capture), one without a route, one with an expired TTL.
    let first = pcap(&[(5, 5, &[1, 2, 0x40, 0xaa, 0xbb]), (7, 3, &[1, 3, 0x40]), (8, 3, &[1, 2, 1])]);
    let second = pcap(&[(6, 100, &[1, 2, 9])]);
    fs::write(folder.join("a.pcap"), first).unwrap();
    fs::write(folder.join("b.pcap"), second).unwrap();
    let inputs = ["--in", "1@DIR/a.pcap", "2@DIR/b.pcap", "--out", "3@DIR/out.pcap", "--json"];
    for engine in ["compiled", "bytecode", "interpreter"] {
        let ran = run(&folder, &[&inputs[..], &["--repeat", "3", "--engine", engine]].concat());
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let report = ran.json();
        assert_eq!(report["engine"], engine);
        assert_eq!((&report["packets"], &report["transmitted"]), (&12.into(), &6.into()));
        assert_eq!(report["dropped"], 6);
        assert!(report["seconds"].as_f64().unwrap() > 0.0);
        assert!(report["packets_per_second"].as_f64().unwrap() > 0.0);
        assert_eq!(report["ports"]["1"]["received"], 9);
        assert_eq!(report["ports"]["1"]["dropped"]["ingress"], 6);
        assert_eq!(report["ports"]["3"]["transmitted"], 6);
        assert!(ran.stderr.contains("lines with packets are ignored"), "{}", ran.stderr);
        let expected = [(5, 5, vec![1, 2, 0x3f, 0xaa, 0xbb]), (6, 100, vec![1, 2, 8])];
        assert_eq!(records(&folder.join("out.pcap")), expected);
    }
    let ran = run(&folder, &["--in", "1@DIR/a.pcap", "--json"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert_eq!(ran.json()["ports"]["3"]["not_written"], 1);
    assert!(ran.stderr.contains("port 3"), "{}", ran.stderr);
}

/// The captures are longer than a batch, and their packets are not in order of time: neither in one file nor in all.
#[test]
fn long_captures_in_any_order_are_sent_by_time() {
    const PACKETS: u32 = 40_000;
    let folder = scratch("run-long");
    // The TTL tells the packets apart: it has to be above 1. Every second appears several times in both files.
    let seconds = |file: u32, number: u32| (number / 3) ^ (5 * file);
    let packet = |file: u32, number: u32| [1, 2, 0x40, file as u8, (number >> 8) as u8, number as u8];
    let (mut expected, mut paths) = (Vec::new(), Vec::new());
    for file in [0, 1] {
        let data: Vec<_> = (0..PACKETS).map(|number| packet(file, number)).collect();
        let records: Vec<_> =
            data.iter().zip(0..).map(|(data, number)| (seconds(file, number), 6, &data[..])).collect();
        fs::write(folder.join(format!("{file}.pcap")), pcap(&records)).unwrap();
        paths.push(format!("{}@DIR/{file}.pcap", file + 1));
        expected.extend((0..PACKETS).map(|number| {
            let mut sent = packet(file, number).to_vec();
            sent[2] -= 1;
            (seconds(file, number), 6, sent)
        }));
    }
    expected.sort_by_key(|(seconds, ..)| *seconds);
    let ran =
        run(&folder, &["--in", &paths[0], &paths[1], "--out", "3@DIR/out.pcap", "--repeat", "2", "--json"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(records(&folder.join("out.pcap")) == expected, "the packets are sorted by time, then by file");
    assert_eq!(ran.json()["transmitted"], 4 * PACKETS);
    assert_eq!(ran.json()["ports"]["2"]["received"], 2 * PACKETS);
}

/// A pipe can be read only once.
#[test]
fn a_capture_in_a_pipe_is_sent() {
    let folder = scratch("run-pipe");
    let fifo = folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&fifo).status().expect("mkfifo of coreutils").success());
    let writer = std::thread::spawn(move || fs::write(fifo, pcap(&[(5, 3, &[1, 2, 0x40])])));
    let ran = run(&folder, &["--in", "1@DIR/pipe", "--out", "3@DIR/out.pcap", "--repeat", "2"]);
    writer.join().unwrap().expect("the pipe was read");
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert_eq!(records(&folder.join("out.pcap")), [(5, 3, vec![1, 2, 0x3f])]);
}

#[test]
fn traces_are_json_lines() {
    let folder = scratch("run-trace");
    fs::write(folder.join("a.pcap"), pcap(&[(5, 3, &[1, 2, 0x40])])).unwrap();
    let inputs = ["--in", "1@DIR/a.pcap", "--out", "3@DIR/out.pcap", "--trace"];
    let ran = run(&folder, &[&inputs[..], &["-"]].concat());
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let events: Vec<String> = ran
        .stdout
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["event"].as_str().unwrap().to_string()
        })
        .collect();
    let expected = ["ingress", "state", "extract", "parsed", "table", "queued", "egress", "emit", "sent"];
    assert_eq!(events, expected);
    assert_eq!(run(&folder, &[&inputs[..], &["DIR/trace.jsonl", "--json"]].concat()).status, 0);
    assert_eq!(fs::read_to_string(folder.join("trace.jsonl")).unwrap(), ran.stdout);
    let (program, test) = (fixture("router.p4"), fixture("router.stf"));
    let (program, test) = (program.to_str().unwrap(), test.to_str().unwrap());
    let stf = harrier(&["p4", "stf", program, test, "--trace", "-"]);
    assert!(stf.status == 0 && stf.stdout.contains("\"event\":\"dropped\""), "{}{}", stf.stdout, stf.stderr);
}

#[test]
fn bad_captures_and_arguments_are_reported() {
    let folder = scratch("run-errors");
    let good = pcap(&[(5, 3, &[1, 2, 0x40]), (6, 3, &[1, 2, 0x40])]);
    fs::write(folder.join("a.pcap"), &good).unwrap();
    fs::write(folder.join("cut.pcap"), &good[..good.len() - 1]).unwrap();
    let check = |args: &[&str], message: &str| {
        let ran = run(&folder, args);
        assert_eq!(ran.status, 2, "{args:?} {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{args:?} {}", ran.stderr);
    };
    check(&["--in", "1@DIR/cut.pcap"], "record 2: the file ends after 2 bytes of its data; 1 was read");
    check(&["--in", "1@DIR/none.pcap"], "cannot read");
    check(&["--in", "DIR/a.pcap"], "expected PORT@FILE");
    check(&["--in", "x@DIR/a.pcap"], "`x` is not a port number");
    check(&["--in", "1@DIR/a.pcap", "--repeat", "0"], "0 is not in 1..");
    check(&["--in", "1@DIR/a.pcap", "--out", "3@DIR/o.pcap", "3@DIR/p.pcap"], "port 3 is specified twice");
    check(&["--in", "1@DIR/a.pcap", "--out", "3@DIR/o.pcap", "4@DIR/o.pcap"], "is specified for two ports");
    check(&["--in", "1@DIR/a.pcap", "--trace", "-", "--json"], "both write to stdout");
    check(
        &["--in", "1@DIR/a.pcap", "--trace", "-", "--engine", "compiled"],
        "--trace requires the interpreter",
    );
    assert!(!folder.join("o.pcap").exists());
}
