//! `harrier host loopback` with stand-ins for the programs of perftest: what they are started with, and the report of their
//! results. No RNIC is measured here.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::support::broken_nic::copy;
use crate::support::{Ran, harrier, harrier_with, repository, scratch};
use serde_json::{Value, json};

/// Two sockets with one RNIC each, and a GPU next to the first one.
const HWLOC: &str = r#"<topology version="2.0"><object type="Machine">
    <object type="Package" os_index="0"><object type="NUMANode" os_index="0"/>
    <object type="PCIDev" pci_busid="0000:03:00.0" pci_type="0200 [15b3:101d] [0:0] 00">
    <object type="OSDev" name="mlx5_0" osdev_type="3"/></object>
    <object type="PCIDev" pci_busid="0000:04:00.0" pci_type="0302 [10de:20b2] [0:0] a1">
    <object type="OSDev" name="nvml0" osdev_type="1"/></object></object>
    <object type="Package" os_index="1"><object type="NUMANode" os_index="1"/>
    <object type="PCIDev" pci_busid="0000:81:00.0" pci_type="0200 [15b3:101d] [0:0] 00">
    <object type="OSDev" name="mlx5_1" osdev_type="3"/></object></object></object></topology>"#;

/// What both programs print without a test: some lines of the help of version 4.5-0.17.
const HELP: &str = "  -d, --ib-dev=<dev>  Use IB device <dev> (default first device found)
      --source_ip  Source IP of the interface used for connection establishment.";

/// A program in the form of perftest: the server listens until it is killed, the client prints the table of
/// `ib_write_bw --report_gbits` or `ib_write_lat`. Rates are in files named after RNIC and NUMA node.
const PROGRAM: &str = r##"
echo "node=$NODE ${0##*/} $*" >> commands
[ "$1" = --help ] && { cat help; exit 0; }
case $* in
    *--source_ip=127.0.0.1) touch "listening-$6"; exec sleep 600;;
    *" 127.0.0.1") ;;
    *) exit 9;;
esac
[ -e "listening-$6" ] || { echo "Couldn't connect to 127.0.0.1:$6" >&2; exit 1; }
[ -e "fails-$2" ] && { cat "fails-$2" >&2; exit 1; }
case ${0##*/} in
    ib_write_bw)
        echo " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]"
        echo " 131072     185637           0.00               $(cat "rate-$2-$NODE")                0.092831";;
    ib_write_lat)
        echo " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]"
        echo " 1       1000          0.89           4.51         0.93              0.94           0.05";;
esac
"##;

const NUMACTL: &str = r##"export NODE=${1#--membind=}; shift
case $1 in --cpunodebind=*) shift;; esac
exec "$@""##;

/// A recorded host with two RNICs of 100 Gb/s, and the stand-ins.
struct Host {
    folder: PathBuf,
}

impl Host {
    fn new(name: &str) -> Host {
        let folder = scratch(name);
        let tree = folder.join("tree");
        copy(&repository("host-diagnosis/tests/fixtures/h1"), &tree);
        for device in ["mlx5_0", "mlx5_1"] {
            let port = tree.join(format!("sys/class/infiniband/{device}/ports/1"));
            fs::create_dir_all(&port).unwrap();
            fs::write(port.join("state"), "4: ACTIVE\n").unwrap();
            fs::write(port.join("rate"), "100 Gb/sec (4X EDR)\n").unwrap();
        }
        fs::write(folder.join("host.xml"), HWLOC).unwrap();
        let host = Host { folder };
        fs::create_dir_all(host.programs()).unwrap();
        fs::write(host.programs().join("help"), HELP).unwrap();
        for (name, text) in [("ib_write_bw", PROGRAM), ("ib_write_lat", PROGRAM), ("numactl", NUMACTL)] {
            let text = match name {
                "numactl" => format!("#!/bin/sh\n{text}\n"),
                _ => format!("#!/bin/sh\ncd {}\n{text}\n", host.programs().display()),
            };
            executable(&host.programs().join(name), &text);
        }
        for device in ["mlx5_0", "mlx5_1"] {
            for node in 0..2 {
                host.set_rate(device, node, "97.34");
            }
        }
        host
    }

    fn programs(&self) -> PathBuf {
        self.folder.join("perftest")
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    fn set_rate(&self, device: &str, node: u32, gbps: &str) {
        fs::write(self.programs().join(format!("rate-{device}-{node}")), gbps).unwrap();
    }

    /// Runs `harrier host COMMAND` about this host.
    fn run(&self, command: &[&str], more: &[&str]) -> Ran {
        let (tree, programs, topology) = (self.path("tree"), self.path("perftest"), self.path("host.xml"));
        let about = ["--sysfs", &tree, "--perftest", &programs, "--topology", &topology];
        harrier(&[&["host"], command, &about, more].concat())
    }

    /// The command lines of the programs since the last call, without the TCP port.
    fn commands(&self) -> Vec<String> {
        let path = self.programs().join("commands");
        let text = fs::read_to_string(&path).unwrap();
        fs::remove_file(path).unwrap();
        let lines = text.lines().map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let is_port = |at: &usize| *at > 0 && words[at - 1] == "-p";
            let kept = (0..words.len()).filter(|at| !is_port(at)).map(|at| words[at]);
            kept.collect::<Vec<_>>().join(" ")
        });
        lines.collect()
    }
}

fn executable(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn paths(report: &Value) -> Vec<(String, String, u64)> {
    let tests = report["loopback"]["tests"].as_array().unwrap();
    let paths = tests.iter().flat_map(|test| test["paths"].as_array().unwrap());
    let text = |value: &Value| value.as_str().unwrap().to_string();
    paths
        .map(|path| (text(&path["nic"]), text(&path["endpoint"]), path["bandwidth_bps"].as_u64().unwrap()))
        .collect()
}

#[test]
fn each_rnic_is_measured_with_each_memory_by_a_server_and_a_client_on_its_node() {
    let host = Host::new("loopback-measure");
    let ran = host.run(&["loopback"], &["--json", "--test-seconds", "3"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let report = ran.json();
    let bps = 97_340_000_000;
    let expected =
        [("mlx5_0", "memory0"), ("mlx5_0", "memory1"), ("mlx5_1", "memory0"), ("mlx5_1", "memory1")];
    let expected = expected.map(|(nic, endpoint)| (nic.to_string(), endpoint.to_string(), bps));
    assert_eq!(paths(&report), expected);
    let path = &report["loopback"]["tests"][0]["paths"][0];
    assert_eq!(
        (&path["baseline_bandwidth_bps"], &path["latency_ns"]),
        (&json!(100_000_000_000_u64), &json!(930))
    );
    assert!(ran.stderr.contains("mlx5_1 and memory1: 97.3 Gb/s"), "{}", ran.stderr);
    let commands = host.commands();
    for expected in [
        "node=1 ib_write_bw -d mlx5_0 -i 1 -p -s 131072 -D 3 -F --report_gbits --source_ip=127.0.0.1",
        "node=1 ib_write_bw -d mlx5_0 -i 1 -p -s 131072 -D 3 -F --report_gbits 127.0.0.1",
        "node=1 ib_write_lat -d mlx5_0 -i 1 -p -s 1 -n 1000 -F --source_ip=127.0.0.1",
        "node=1 ib_write_lat -d mlx5_0 -i 1 -p -s 1 -n 1000 -F 127.0.0.1",
    ] {
        assert!(commands.iter().any(|line| line == expected), "no `{expected}` in {commands:#?}");
    }
}

#[test]
fn a_link_that_is_slower_than_on_the_idle_host_is_found() {
    let host = Host::new("loopback-judge");
    let (baseline, saved) = (host.path("baseline.json"), host.path("h1.json"));
    // The memory of the other socket is slow by design.
    host.set_rate("mlx5_0", 1, "60.0");
    let ran = host.run(&["loopback"], &["--save-baseline", &baseline, "--save", &saved, "--rounds", "2"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("mlx5_0       memory1             60.0 Gb/s 100.0 Gb/s   60 %    0.93 us"),
        "{}",
        ran.stdout
    );
    let report: Value = serde_json::from_str(&fs::read_to_string(&saved).unwrap()).unwrap();
    assert_eq!(report["loopback"]["tests"].as_array().unwrap().len(), 2);

    let live = ["check", "--live", "--loopback", "--json", "--interval", "0.05", "--baseline", &baseline];
    let is_accused = |ran: &Ran| {
        let found = ran.json();
        let findings = found["hosts"][0]["findings"].as_array().unwrap().clone();
        findings.into_iter().find(|finding| finding["detector"] == "intra_host_link")
    };
    let ran = host.run(&live, &[]);
    assert_eq!(is_accused(&ran), None, "{}{}", ran.stdout, ran.stderr);
    host.set_rate("mlx5_0", 0, "40.0");
    host.set_rate("mlx5_0", 1, "40.0");
    let ran = host.run(&live, &["--save", &saved]);
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    let finding = is_accused(&ran).unwrap_or_else(|| panic!("{}", ran.stdout));
    assert_eq!(finding["part"], json!({ "kind": "link", "name": "mlx5_0" }), "{finding:#}");
    let again = harrier(&["host", "check", &saved, "--json"]);
    assert_eq!(is_accused(&again), Some(finding));
}

#[test]
fn a_path_that_fails_is_named_and_the_others_are_kept() {
    let host = Host::new("loopback-fails");
    let (saved, baseline) = (host.path("h1.json"), host.path("baseline.json"));
    fs::write(host.programs().join("fails-mlx5_1"), "Couldn't allocate MR\nfailed to create mr\n").unwrap();
    let ran = host.run(&["loopback"], &["--save", &saved, "--save-baseline", &baseline]);
    assert_eq!(ran.status, 2, "{}", ran.stdout);
    for part in [
        "mlx5_1 and memory0: the memory cannot be registered",
        "ulimit -l unlimited",
        "baseline.json is not written",
    ] {
        assert!(ran.stderr.contains(part), "no `{part}` in:\n{}", ran.stderr);
    }
    let report: Value = serde_json::from_str(&fs::read_to_string(&saved).unwrap()).unwrap();
    assert_eq!(paths(&report).len(), 2);
    assert!(!Path::new(&baseline).exists());
    let ran = host.run(&["loopback", "--nic", "mlx5_1"], &[]);
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("no path was measured:\nmlx5_1 and memory0"), "{}", ran.stderr);
}

#[test]
fn what_is_missing_for_tests_is_said_before_any_test() {
    let host = Host::new("loopback-missing");
    let check = |command: &[&str], more: &[&str], expected: &str| {
        let ran = host.run(command, more);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{more:?}");
        assert!(ran.stderr.contains(expected), "no `{expected}` in:\n{}", ran.stderr);
    };
    check(&["loopback"], &["--nic", "mlx5_7"], "no RDMA device `mlx5_7`; known are: mlx5_0, mlx5_1");
    check(&["loopback"], &["--gpu"], "--gpu: this build of ib_write_bw has no option --use_cuda");
    check(&["check", "--live"], &[], "--topology is about loopback tests: add --live --loopback");
    check(&["loopback"], &["--test-seconds", "1"], "2..=60");
    fs::write(host.path("baseline.json"), "{}").unwrap();
    check(
        &["loopback"],
        &["--baseline", &host.path("baseline.json")],
        "baseline.json:1:2: not a file of baselines",
    );
    fs::write(host.programs().join("help"), HELP.lines().next().unwrap()).unwrap();
    check(&["loopback"], &[], "without which its server would listen on all addresses");

    let empty = host.path("empty");
    fs::create_dir_all(&empty).unwrap();
    let ran = harrier(&["host", "loopback", "--sysfs", &empty, "--host", "h1"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("this host has no RDMA device"), "{}", ran.stderr);
    let tree = host.path("tree");
    let ran = harrier_with(&["host", "loopback", "--sysfs", &tree], &[("PATH", &empty)]);
    assert!(ran.stderr.contains("ib_write_bw is not installed: install perftest"), "{}", ran.stderr);
    fs::write(host.programs().join("help"), HELP).unwrap();
    let ran = harrier_with(
        &["host", "loopback", "--sysfs", &tree, "--perftest", &host.path("perftest")],
        &[("PATH", "/usr/bin:/bin")],
    );
    assert_eq!(ran.status, 2, "lstopo is missing, or finds no RNIC: {}", ran.stderr);
}
