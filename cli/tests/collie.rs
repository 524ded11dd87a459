//! `harrier collie`: anomalies of a workload, malformed descriptors, and the search.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use crate::support::broken_nic::copy;
use crate::support::{Ran, harrier, harrier_with, repository, scratch};
use serde_json::json;

fn example(name: &str) -> String {
    repository("docs/examples").join(name).display().to_string()
}

#[test]
fn a_workload_is_matched_with_the_cheapest_change_and_the_fix() {
    let ran = harrier(&["collie", "match", &example("workloads/tensors.json")]);
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    for part in [
        "workload: anomaly #9: PFC pauses, up to 25 % of the time (pcie_ordering)",
        "cheapest  use a scatter-gather list of fewer than 3 elements",
        "or  send messages of at most 1 KiB separately from those of at least 64 KiB",
        "fix  configure the NIC as a device with forced PCIe relaxed ordering",
    ] {
        assert!(ran.stdout.contains(part), "no `{part}` in:\n{}", ran.stdout);
    }
    assert!(!ran.stdout.contains("one direction"), "the direction is fixed:\n{}", ran.stdout);
    let ran = harrier(&["collie", "match", "--json", &example("hosts/rnic-workload.json")]);
    let found = &ran.json()["workloads"][0];
    assert_eq!(found["measured"], "pause_frames");
    assert_eq!(found["anomalies"][0]["anomaly"], 1);
}

#[test]
fn a_workload_without_anomaly_exits_with_0_and_a_malformed_one_with_2() {
    let folder = scratch("collie-match");
    let mut workload: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(example("workloads/tensors.json")).unwrap()).unwrap();
    let write = |name: &str, text: String| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    workload["sge_per_wqe"] = json!(2);
    let fine = harrier(&["collie", "match", &write("fine.json", workload.to_string())]);
    assert_eq!((fine.status, fine.stdout.as_str()), (0, "workload: triggers no published anomaly\n"));
    workload["message_bytes"] = json!([]);
    workload["queue_pairs"] = json!(0);
    let wrong = harrier(&["collie", "match", &write("wrong.json", workload.to_string())]);
    assert_eq!(wrong.status, 2);
    for part in
        ["2 problems", "wrong.json: /message_bytes: the pattern is empty", "wrong.json: /queue_pairs: 0"]
    {
        assert!(wrong.stderr.contains(part), "no `{part}` in:\n{}", wrong.stderr);
    }
    let syntax = harrier(&["collie", "match", &write("syntax.json", "{\n  \"nic\": cx6\n}".to_string())]);
    assert_eq!(syntax.status, 2);
    assert!(syntax.stderr.contains("syntax.json:2:10: not JSON"), "{}", syntax.stderr);
}

#[test]
fn a_search_finds_anomalies_and_repeats_with_its_seed() {
    let search =
        |seed: &str| harrier(&["collie", "search", "--seed", seed, "--budget", "1000", "--json"]).json();
    let report = search("3");
    assert_eq!(report["report"]["tests"], 1000);
    assert!(report["report"]["found"].as_array().unwrap().len() >= 3, "{report}");
    assert_eq!(report, search("3"));
    assert_ne!(report["report"], search("4")["report"]);
}

/// Stand-ins for perftest: the server listens until it is killed; the client takes as long as three readings of the counters,
/// pauses the switch if `pauses` exists, and prints the table of version 4.5.
const PROGRAM: &str = r##"
case $* in --help) echo "  -d, --ib-dev=<dev>"; echo "  --source_ip  Source"; echo "  --reversed  Reverse"; exit 0;; esac
echo "${0##*/} $*" >> commands
case $* in *--source_ip=127.0.0.1) touch "listening-$6"; exec sleep 600;; esac
[ -e "listening-$6" ] || { echo "Couldn't connect to 127.0.0.1:$6" >&2; exit 1; }
sleep 0.15
[ -e pauses ] && cp pauses next && mv next tree/commands/ethtool-S-eth1.txt
sleep 0.25
echo " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]"
echo " $8 5000 0.00 195.00 12.500000"
"##;

/// A recorded host with `mlx5_0`, whose programs of perftest are stand-ins.
struct Bench {
    folder: PathBuf,
}

impl Bench {
    fn new(name: &str) -> Bench {
        let folder = scratch(name);
        let tree = folder.join("tree");
        copy(&repository("host-diagnosis/tests/fixtures/h1"), &tree);
        fs::write(tree.join("sys/class/infiniband/mlx5_0/ports/1/state"), "4: ACTIVE\n").unwrap();
        let bench = Bench { folder };
        bench.count("tree/commands/ethtool-S-eth1.txt", 7);
        for name in ["ib_write_bw", "ib_read_bw", "ib_send_bw", "numactl"] {
            let program = format!("#!/bin/sh\ncd {}\n{PROGRAM}", bench.folder.display());
            let text = if name == "numactl" { "#!/bin/sh\nshift 2\nexec \"$@\"\n" } else { &program };
            let path = bench.folder.join(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        bench
    }

    fn count(&self, file: &str, paused_us: u64) {
        let text = format!("     tx_prio3_pause: {paused_us}\n     tx_prio3_pause_duration: {paused_us}\n");
        fs::write(self.folder.join(file), text).unwrap();
    }

    fn search(&self, more: &[&str]) -> Ran {
        let tree = self.folder.join("tree").display().to_string();
        let peer = ["--peer", "127.0.0.1", "--peer-command", "env LC_ALL=C", "--peer-device", "mlx5_4"];
        let search = ["collie", "search", "--perftest", "mlx5_0", "--sysfs", &tree];
        let path = format!("{}:/usr/bin:/bin", self.folder.display());
        harrier_with(&[&search[..], &peer, more].concat(), &[("PATH", &path)])
    }
}

#[test]
fn a_nic_of_this_host_is_searched_with_a_peer_that_sends_to_it() {
    let bench = Bench::new("collie-perftest");
    let ran = bench.search(&["--budget", "4", "--test-seconds", "2"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let expected = "0 anomalies after 4 tests of mlx5_0 with 127.0.0.1, measured with perftest; 0 workloads were skipped\n\
        not varied, because perftest cannot: memory, loopback, memory_regions, sge_per_wqe, smallest_message\n";
    assert_eq!(ran.stdout, expected);
    assert!(ran.stderr.contains("test 5: ib_"), "one test shows the packets a second: {}", ran.stderr);
    let commands = fs::read_to_string(bench.folder.join("commands")).unwrap();
    for expected in [
        // Small messages, then the reference; the server is at the peer.
        "ib_write_bw -d mlx5_4 -i 1 -p 18515 -s 128 -D 2 -F --report_gbits -c RC -q 8 -m 4096 -t 128 -l 16 --reversed \
         --source_ip=127.0.0.1\n",
        "ib_write_bw -d mlx5_0 -i 1 -p 18516 -s 65536 -D 2 -F --report_gbits -c RC -q 8 -m 4096 -t 128 -l 16 --reversed \
         127.0.0.1\n",
    ] {
        assert!(commands.contains(expected), "no `{expected}` in:\n{commands}");
    }
    let ran = bench.search(&["--budget", "1", "--specified-mpps", "215", "--json"]);
    let found = ran.json();
    assert_eq!(
        (&found["nic"], &found["fixed"][0], &found["report"]["tests"]),
        (&json!("other"), &json!("memory"), &json!(1))
    );
}

#[test]
fn a_nic_that_pauses_under_the_reference_workload_or_has_no_peer_is_not_searched() {
    let bench = Bench::new("collie-perftest-fails");
    let check = |more: &[&str], expected: &str| {
        let ran = bench.search(more);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{more:?}");
        assert!(ran.stderr.contains(expected), "no `{expected}` in:\n{}", ran.stderr);
    };
    check(&["--specified-mpps", "0"], "expected millions of packets a second");
    bench.count("pauses", 7_000_000);
    check(&["--specified-mpps", "215"], "the reference workload is itself anomalous (PFC pauses)");
    fs::write(bench.folder.join("env"), "#!/bin/sh\necho 'ssh: Connection refused' >&2\nexit 255\n").unwrap();
    fs::set_permissions(bench.folder.join("env"), fs::Permissions::from_mode(0o755)).unwrap();
    // Servers of earlier tests have left their marks.
    for port in 18_515..18_520 {
        let _ = fs::remove_file(bench.folder.join(format!("listening-{port}")));
    }
    check(&[], "its server: ssh: Connection refused");
    let ran = harrier(&["collie", "search", "--perftest", "mlx5_0"]);
    assert!(ran.stderr.contains("--peer <HOST>"), "{}", ran.stderr);
    let ran = harrier(&["collie", "search", "--perftest", "a;b", "--peer", "h2", "--peer-command", "ssh h2"]);
    assert!(ran.stderr.contains("expected the name of an RDMA device"), "{}", ran.stderr);
}
