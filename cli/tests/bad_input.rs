//! Malformed input: all problems are reported with their positions, the exit status is 2 and no output is written.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

use std::fs;

use crate::support::{harrier, scratch};

/// Writes `files` to a folder and runs `harrier` with `@NAME` in `args` replaced by the path of that file. Expects exit
/// status 2, all `problems` on stderr, and nothing on stdout.
fn check(name: &str, files: &[(&str, &str)], args: &[&str], problems: &[&str]) -> std::path::PathBuf {
    let folder = scratch(name);
    for (file, text) in files {
        fs::write(folder.join(file), text).unwrap();
    }
    let expand = |arg: &&str| match arg.strip_prefix('@') {
        Some(file) => folder.join(file).display().to_string(),
        None => (*arg).to_string(),
    };
    let ran = harrier(&args.iter().map(expand).collect::<Vec<_>>());
    assert_eq!(ran.status, 2, "{}", ran.stderr);
    assert_eq!(ran.stdout, "", "there is output");
    for problem in problems {
        assert!(ran.stderr.contains(problem), "no `{problem}` in:\n{}", ran.stderr);
    }
    folder
}

#[test]
fn p4_errors_are_listed_and_no_output_is_written() {
    let source = "#include <core.p4>\n#include <v1model.p4>\nheader h_t {\n    bit<8> a\n}\nconst bit<8> x = unknown;\n";
    let folder = check(
        "bad-p4",
        &[("bad.p4", source)],
        &["p4", "compile", "@bad.p4", "-o", "@out.bin", "--p4info", "@out.txtpb"],
        &["bad.p4:5", "bad.p4:6", "unknown", "2 errors"],
    );
    let left: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["bad.p4"]);
}

#[test]
fn files_that_are_too_large_are_refused_unread() {
    let folder = scratch("large-input");
    let path = folder.join("large.json");
    fs::File::create(&path).unwrap().set_len((1 << 30) + 1).unwrap();
    let path = path.display().to_string();
    for command in [&["analyze"][..], &["host", "check"], &["collie", "match"]] {
        let ran = harrier(&[command, &[path.as_str()]].concat());
        let problem = format!("cannot read {path}: it is larger than 1.0 GiB");
        assert!(ran.status == 2 && ran.stderr.contains(&problem), "{command:?}: {}", ran.stderr);
    }
}

#[test]
fn ns3_files_are_reported_with_all_problems() {
    check(
        "bad-ns3",
        &[
            (
                "config.txt",
                "TOPOLOGY_FILE t.txt\nFLOW_FILE f.txt\nNO_SUCH_KEY 1\nRATE_AI fast\nSIMULATOR_STOP_TIME 1\n",
            ),
            ("t.txt", "3 1 2\n2\n0 2 100Gbps 0.001ms 0\n1 2 100Gbits soon 0\n"),
            ("f.txt", "2\n0 1 3 100 1000 0\n0 9 3 100 many 0\n"),
        ],
        &["run", "--ns3", "@config.txt", "--json"],
        &["config.txt:3:1", "config.txt:4:", "t.txt:4:5", "f.txt:3:3", "f.txt:3:11"],
    );
}

#[test]
fn missing_ns3_files_are_reported_with_the_paths_that_were_tried() {
    check(
        "missing-ns3",
        &[("config.txt", "TOPOLOGY_FILE mix/none.txt\nFLOW_FILE mix/none2.txt\n")],
        &["run", "--ns3", "@config.txt"],
        &["config.txt:1:", "mix/none.txt", "config.txt:2:", "mix/none2.txt"],
    );
}

#[test]
fn malformed_dumps_are_reported_with_positions() {
    check(
        "bad-dump",
        &[
            ("topo.txt", "3 1 2\n2\n0 2 100Gbps 0.001ms 0\n1 2 100Gbps 0.001ms 0\n"),
            (
                "telemetry_2.txt",
                "polling\nepoch 0\n\nport telemetry data for port 1\nenqQdepth pfcPausedPacketNum\nx -1\n\nnonsense here\n",
            ),
        ],
        &["analyze", "@telemetry_2.txt", "--from", "hawkeye-ns3", "--topology", "@topo.txt", "--json"],
        &["telemetry_2.txt:6:1", "telemetry_2.txt:6:3", "telemetry_2.txt:8:1"],
    );
}

#[test]
fn problems_of_all_snapshots_are_reported_together() {
    check(
        "bad-snapshot",
        &[
            ("topology.json", "{\"nodes\": [], \"links\": 3}"),
            ("a.json", "{\n  \"format\": x\n}"),
            ("b.json", ""),
        ],
        &["analyze", "@a.json", "@b.json", "@none.json", "--victim", "10.0.0.1>10.0.0.2/udp"],
        &["--victim", "no `:port`", "topology.json", "a.json:2:", "b.json:1:", "none.json"],
    );
}

#[test]
fn snapshots_of_another_topology_are_rejected() {
    let folder = scratch("other-network");
    let ran = harrier(&["run", "contention-only", "--save-snapshots", folder.to_str().unwrap()]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let event = names.into_iter().find(|name| name.starts_with("event-")).expect("there is an event");
    let snapshot =
        fs::read_to_string(folder.join(event)).unwrap().replace("\"switch\": \"sw3\"", "\"switch\": \"swX\"");
    let topology =
        fs::read_to_string(folder.join("topology.json")).unwrap().replace("\"h4:1\"", "\"nope:1\"");
    check(
        "other-network",
        &[("event.json", &snapshot), ("topology.json", &topology)],
        &["analyze", "@event.json", "--json"],
        &["`nope:1` is at a node that does not exist", "the topology has no switch `swX`"],
    );
}

#[test]
fn either_both_outputs_are_written_or_none() {
    let folder = scratch("outputs");
    let program = crate::support::fixture("router.p4");
    for (output, info) in [("dir", "ok.txtpb"), ("ok.bin", "dir")] {
        fs::create_dir_all(folder.join("dir")).unwrap();
        let (output, info) = (folder.join(output), folder.join(info));
        let args = ["-o", output.to_str().unwrap(), "--p4info", info.to_str().unwrap()];
        let ran = harrier(&[["p4", "compile", program.to_str().unwrap()].as_slice(), &args].concat());
        assert_eq!(ran.status, 2, "{}", ran.stderr);
        let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["dir"]);
    }
}

#[test]
fn scenario_files_are_reported_with_all_problems() {
    check(
        "bad-toml",
        &[(
            "bad.toml",
            "name = \"bad\"\nstop = \"soon\"\n\n[topology]\nswitches = [\"s\"]\nhosts = [\"a\", \"b\"]\n\n[[link]]\na = \"a:1\"\nb = \"s:x\"\nrate = \"0Gbps\"\n\n[[flow]]\nfrom = \"a\"\nto = \"none\"\nsize = \"1MB\"\n",
        )],
        &["run", "@bad.toml", "--json"],
        &["bad.toml:2:", "bad.toml:10:", "bad.toml:15:"],
    );
    check("worse-toml", &[("bad.toml", "name = \"bad\nstop = 3\n")], &["run", "@bad.toml"], &["bad.toml:1:"]);
}

#[test]
fn usage_errors_name_what_is_expected() {
    check("usage", &[], &["run"], &["SCENARIO"]);
    check("usage", &[], &["run", "no-such-scenario"], &["no-such-scenario", "poster-fig1"]);
    check("usage", &[], &["scenario", "show", "no-such-scenario"], &["poster-fig1"]);
    check("usage", &[], &["p4", "check", "@none.p4"], &["none.p4"]);
    check("usage", &[], &["demo", "--listen", "nowhere"], &["--listen"]);
}

#[test]
fn snapshots_that_cannot_be_written_leave_no_file() {
    let folder = scratch("not-a-folder");
    fs::write(folder.join("file"), "in the way").unwrap();
    let target = folder.join("file").join("deeper");
    let ran = harrier(&["run", "contention-only", "--json", "--save-snapshots", target.to_str().unwrap()]);
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("cannot create"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(folder.join("file")).unwrap(), "in the way");
}

#[test]
fn a_misspelt_scenario_is_suggested() {
    for args in [&["run", "poster-fig"][..], &["lab", "up", "poster-fig"]] {
        check("misspelt-scenario", &[], args, &["`poster-fig`; did you mean `poster-fig1`?"]);
    }
}
