//! Inspection of a recorded host: what is read, and what each rule finds when one fact changes.

#![allow(clippy::disallowed_methods, reason = "tests read fixtures")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use host_diagnosis::inspection::{
    FIRMWARE_ISSUES, InspectionSeverity, SwitchPort, check, desired, drift, read, rules,
};
use host_diagnosis::{CheckResult, Fabric};
use model::HostReport;
use model::host::inspection::{HostInspection, PriorityTrust};

use crate::support::{SECOND_NS, diagnosed, result_of};

/// The files of the fixture `h1`: two ConnectX-6 Dx with a GPU each, below a PCIe switch of their socket.
fn files() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/h1");
    let mut files = BTreeMap::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_string();
                files.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    files
}

/// The two ports of its switch: PFC on 3 and 4, DSCP 26 and 27 in these classes, ECN on both.
fn ports() -> Vec<SwitchPort> {
    let mut class_of_dscp = vec![1; 64];
    class_of_dscp[26] = 3;
    class_of_dscp[27] = 4;
    let port = |name: &str| SwitchPort {
        switch: "tor-1".into(),
        port: name.into(),
        alias: String::new(),
        interface: None,
        mtu_bytes: 9100,
        speed_mbps: 100_000,
        pfc_priorities: vec![3, 4],
        class_of_dscp: class_of_dscp.clone(),
        marked_classes: vec![3, 4],
    };
    vec![port("Ethernet0"), port("Ethernet4")]
}

/// Codes of the findings above notes, and the messages.
fn findings(files: &BTreeMap<String, String>, ports: &[SwitchPort]) -> (Vec<&'static str>, String) {
    let reading = read(files);
    assert_eq!(reading.problems, [], "the input is read");
    let found = check(&reading.inspection, ports);
    let found = found.iter().filter(|finding| finding.severity > InspectionSeverity::Info);
    found.map(|finding| (finding.code, format!("{}\n", finding.message))).unzip()
}

/// Replaces text of a file of the fixture and compares the codes and a part of the messages.
fn check_change(path: &str, from: &str, to: &str, codes: &[&str], message: &str) {
    let mut files = files();
    let text = files.get_mut(path).unwrap_or_else(|| panic!("no file {path}"));
    assert!(text.contains(from), "{path} has no `{from}`");
    *text = text.replacen(from, to, 1);
    let (found, messages) = findings(&files, &ports());
    assert_eq!(found, codes, "{path}: {from} -> {to}\n{messages}");
    assert!(messages.contains(message), "{messages}");
}

#[test]
fn a_healthy_host_has_no_findings_and_every_rule_was_evaluated() {
    let reading = read(&files());
    assert_eq!(reading.problems, []);
    assert_eq!(reading.host, "h1");
    assert_eq!(check(&reading.inspection, &ports()), []);
}

#[test]
fn settings_of_all_inputs_are_read() {
    let host = read(&files()).inspection;
    let eth1 = &host.interfaces["eth1"];
    assert_eq!(eth1.pci.as_deref(), Some("0000:19:00.0"));
    assert_eq!(eth1.driver_version.as_deref(), Some("6.8.0-45-generic"));
    assert_eq!((eth1.mtu_bytes, eth1.speed_mbps, eth1.numa_node), (Some(9000), Some(100_000), Some(0)));
    assert!(!eth1.offloads["tx-checksum-ipv4"]);
    assert_eq!(eth1.statistics["rx_prio3_pause_duration"], 1250);
    let qos = eth1.qos.as_ref().unwrap();
    assert_eq!((qos.trust, qos.pfc_priorities.as_deref()), (Some(PriorityTrust::Dscp), Some([3].as_slice())));
    assert_eq!((qos.priority_of_dscp[26], qos.priority_of_dscp[48]), (3, 6));
    let dcqcn = eth1.dcqcn.as_ref().unwrap();
    assert_eq!(dcqcn.reaction_priorities.as_deref(), Some([0, 1, 2, 3, 4, 5, 6, 7].as_slice()));
    assert_eq!(dcqcn.parameters["roce_np/cnp_dscp"], 48);
    assert_eq!(host.rdma["mlx5_0"].forced_traffic_class, Some(106));
    assert_eq!(host.rdma["mlx5_1"].default_tos, Some(106));
    assert_eq!(host.rdma["mlx5_0"].active_mtu_bytes, Some(4096));
    let nic = &host.pci["0000:19:00.0"];
    assert_eq!((nic.speed_mtps, nic.max_lanes), (Some(16_000), Some(16)));
    assert_eq!((nic.ats, nic.relaxed_ordering, nic.numa_node), (Some(false), Some(true), Some(0)));
    assert_eq!(host.pci["0000:18:01.0"].buses, Some((0x1a, 0x1a)));
    assert_eq!(host.pci["0000:18:01.0"].acs.as_deref(), Some([].as_slice()));
    assert_eq!(host.numa["1"].cpus.as_deref(), Some("4-7,12-15"));
    assert_eq!(host.numa["0"].distances, [10, 32]);
    assert_eq!(host.processes["4711"].registered_bytes["mlx5_0"], 6 << 20);
    assert_eq!(host.processes["4711"].gpus, ["0000:1a:00.0"]);
    assert_eq!(host.sysctl["net.ipv4.tcp_ecn"], "2");
    assert_eq!(host.memory.transparent_huge_pages.as_deref(), Some("madvise"));
}

#[test]
fn a_pcie_link_below_its_maximum_is_found() {
    let link = "sys/class/net/eth1/device/";
    check_change(
        &format!("{link}current_link_speed"),
        "16.0",
        "8.0",
        &["NIC001"],
        "eth1: the PCIe link runs at 8 GT/s instead of 16",
    );
    // 8 GT/s and 8 lanes carry 63 Gb/s: less than the port.
    let mut files = files();
    files.insert(format!("{link}current_link_speed"), "8.0 GT/s PCIe\n".into());
    files.insert(format!("{link}current_link_width"), "8\n".into());
    let host = read(&files).inspection;
    let found = check(&host, &ports());
    let severities: Vec<_> = found.iter().map(|finding| (finding.code, finding.severity)).collect();
    assert_eq!(severities, [("NIC001", InspectionSeverity::Error); 2]);
    assert!(found[1].message.contains("8 lanes instead of 16; that is less than the 100 Gb/s"), "{found:?}");
}

#[test]
fn a_gpu_with_fewer_lanes_is_found_but_not_one_that_idles() {
    let lspci = "commands/lspci-vv.txt";
    check_change(
        lspci,
        "LnkSta:\tSpeed 2.5GT/s (downgraded), Width x16",
        "LnkSta:\tSpeed 2.5GT/s (downgraded), Width x8 (downgraded)",
        &["NIC001"],
        "GPU 0000:1a:00.0: the PCIe link has 8 lanes",
    );
}

#[test]
fn acs_between_nic_and_gpu_is_an_error_and_elsewhere_a_note() {
    let mut files = files();
    let text = files.get_mut("commands/lspci-vv.txt").unwrap();
    let on = "ACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+";
    let off = "ACSCtl:\tSrcValid- TransBlk- ReqRedir- CmpltRedir- UpstreamFwd-";
    // The first one is the root port above both.
    *text = text.replacen(off, on, 1);
    assert_eq!(findings(&files, &ports()).0, [""; 0]);
    let notes = check(&read(&files).inspection, &ports());
    assert_eq!((notes[0].code, notes[0].item.as_str()), ("NIC002", "pci/0000:16:01.1/acs"));
    // All of them.
    let text = files.get_mut("commands/lspci-vv.txt").unwrap();
    *text = text.replace(off, on);
    let (codes, messages) = findings(&files, &ports());
    assert_eq!(codes, ["NIC002"; 4]);
    assert!(messages.contains("bridge 0000:18:00.0 redirects traffic between NIC eth1 and GPU 0000:1a:00.0 (ReqRedir, CmpltRedir)"), "{messages}");
}

#[test]
fn ats_matters_where_an_iommu_translates() {
    let group = "sys/class/net/eth1/device/iommu_group/type";
    check_change(
        group,
        "identity",
        "DMA-FQ",
        &["NIC003"],
        "eth1: ATS is off, and its IOMMU group translates",
    );
    check_change("proc/cpuinfo", "fpu vme", "fpu hypervisor vme", &["NIC003"; 2], "virtual machine");
}

#[test]
fn relaxed_ordering_matters_on_amd() {
    check_change(
        "commands/lspci-vv.txt",
        "RlxdOrd+",
        "RlxdOrd-",
        &["NIC004"],
        "eth1: relaxed ordering is off",
    );
    let mut files = files();
    for path in ["commands/lspci-vv.txt", "proc/cpuinfo"] {
        let text = files.get_mut(path).unwrap();
        *text = text.replace("RlxdOrd+", "RlxdOrd-").replace("AuthenticAMD", "GenuineIntel");
    }
    assert_eq!(findings(&files, &ports()).0, [""; 0]);
}

/// RAS-4: 2,048 entries reach 8 MiB with pages of 4 KiB and 4 GiB with pages of 2 MiB.
#[test]
fn memory_beyond_the_reach_of_the_mtt_is_found() {
    let regions = "commands/rdma-resource-show-mr.txt";
    // 4 MiB + 2 MiB are within reach, exactly 8 MiB are, and one page more is not.
    check_change(regions, "mrlen 2097152", "mrlen 4194304", &[], "");
    check_change(
        regions,
        "mrlen 2097152",
        "mrlen 4198400",
        &["NIC005"],
        "8 MiB on mlx5_0, at least 8 MiB of it in pages of 4 KiB; 2048 MTT entries reach 8 MiB",
    );
    let mut files = files();
    let text = files.get_mut(regions).unwrap();
    *text = text.replace("mrlen 2097152", "mrlen 4290772992");
    // Without huge pages at least 4 GiB are in base pages; with 4 GiB of huge pages nothing needs to be.
    assert_eq!(findings(&files, &ports()).0, ["NIC005"]);
    let meminfo = files.get_mut("proc/meminfo").unwrap();
    *meminfo = meminfo.replace("Hugetlb:               0 kB", "Hugetlb:         4194304 kB");
    assert_eq!(findings(&files, &ports()).0, [""; 0]);
    // With pages of 2 MiB as base pages, the same table reaches 4 GiB.
    let mut host = read(&files).inspection;
    host.memory.in_huge_pages_bytes = Some(0);
    host.memory.page_bytes = Some(2 << 20);
    assert_eq!(check(&host, &ports()), []);
    host.processes.get_mut("4711").unwrap().registered_bytes.insert("mlx5_0".into(), (4 << 30) + 1);
    assert_eq!(check(&host, &ports())[0].code, "NIC005");
}

#[test]
fn the_mtu_is_compared_with_the_switch() {
    check_change(
        "sys/class/net/eth2/mtu",
        "9000",
        "9216",
        &["NIC006"],
        "interface eth2 has MTU 9216, but tor-1:Ethernet4 has 9100",
    );
    let mut small = ports();
    small[0].mtu_bytes = 4187;
    let (codes, messages) = findings(&files(), &small);
    assert_eq!(codes, ["NIC006"; 2]);
    assert!(
        messages.contains("mlx5_0 has MTU 4096, up to 4188 bytes with headers, but tor-1:Ethernet0 has 4187"),
        "{messages}"
    );
}

#[test]
fn pfc_trust_and_dscp_are_compared_with_the_switch() {
    let qos = "commands/mlnx_qos-i-eth1.txt";
    let row = |flags: &str| format!("enabled     {flags}");
    let now = row("0   0   0   1   0   0   0   0");
    check_change(qos, &now, &row("0   0   0   1   1   0   0   0"), &[], "");
    check_change(
        qos,
        &now,
        &row("0   0   0   1   0   1   0   0"),
        &["NIC007"],
        "eth1 has PFC on priorities 3, 5, but tor-1:Ethernet0 has PFC on priorities 3, 4",
    );
    check_change(qos, &now, &row("0   0   0   0   0   0   0   0"), &["NIC007"], "PFC on no priority");
    check_change(
        qos,
        "state: dscp",
        "state: pcp",
        &["NIC008"],
        "eth1 trusts pcp, but tor-1:Ethernet0 classifies by DSCP",
    );
    check_change(
        "sys/class/infiniband/mlx5_0/tc/1/traffic_class",
        "=106",
        "=0",
        &["NIC010"; 2],
        "mlx5_0 uses DSCP 0, which is priority 0 of eth1; PFC is on priority 3",
    );
    // DSCP 27 is priority 3 of the NIC and class 4 of the switch.
    check_change(
        "commands/cma_roce_tos-d-mlx5_1.txt",
        "106",
        "108",
        &["NIC010"],
        "DSCP 27, which is priority 3 of eth2, but class 4 of tor-1:Ethernet4",
    );
}

#[test]
fn pause_of_the_link_together_with_pfc_is_found() {
    let pause = "commands/ethtool-a-eth1.txt";
    check_change(
        pause,
        "TX:\t\toff",
        "TX:\t\ton",
        &["NIC009"],
        "eth1 sends pause frames of the whole link, with PFC on priority 3",
    );
    check_change(pause, "RX:\t\toff", "RX:\t\ton", &["NIC009"], "eth1 obeys");
}

#[test]
fn dcqcn_needs_both_marking_and_reaction() {
    check_change(
        "sys/class/net/eth1/ecn/roce_np/enable/3",
        "1",
        "0",
        &["NIC011"],
        "tor-1:Ethernet0 marks class 3 with ECN, but interface eth1 does not send CNPs",
    );
    let mut unmarked = ports();
    unmarked[1].marked_classes.clear();
    let (codes, messages) = findings(&files(), &unmarked);
    assert_eq!(codes, ["NIC011"]);
    assert!(
        messages.contains("interface eth2 uses DCQCN for priority 3, but tor-1:Ethernet4 does not mark"),
        "{messages}"
    );
}

#[test]
fn firmware_issues_depend_on_version_and_settings() {
    let mut files = files();
    for path in ["sys/class/infiniband/mlx5_0/fw_ver", "commands/ibv_devinfo.txt"] {
        let text = files.get_mut(path).unwrap();
        *text = text.replacen("22.39.1002", "22.46.3048", 1);
    }
    // The issue needs priorities that differ; mixed versions are found in any case.
    assert_eq!(findings(&files, &ports()).0, ["NIC013"]);
    files.insert("sys/class/net/eth1/ecn/roce_rp/enable/0".into(), "0\n".into());
    let (codes, messages) = findings(&files, &ports());
    assert_eq!(codes, ["NIC012", "NIC013"]);
    assert!(messages.contains("mlx5_0 (ConnectX-6 Dx) has firmware 22.46.3048, issue 4394475"), "{messages}");
}

#[test]
fn processes_far_from_their_nic_or_gpu_are_found() {
    let status = "proc/4711/status";
    check_change(
        status,
        "0-3,8-11",
        "4-7,12",
        &["NIC014"],
        "trainer (4711) may run on processors 4-7,12, but its RDMA device mlx5_0 is at node 0 (0-3,8-11)",
    );
    check_change(status, "0-3,8-11", "3-4", &[], "");
    check_change(
        "commands/nvidia-smi-query-compute-apps.txt",
        ":1A:",
        ":9A:",
        &["NIC015"],
        "uses GPU 0000:9a:00.0 of node 1 with mlx5_0",
    );
}

/// RAS-6: one drop of a lossless priority is an alarm, and drops of a lossy one (17 in the fixture) are none.
#[test]
fn one_drop_of_a_lossless_priority_is_an_error() {
    check_change(
        "commands/ethtool-S-eth1.txt",
        "rx_prio3_discards: 0",
        "rx_prio3_discards: 1",
        &["NIC016"],
        "eth1 dropped 1 packets of lossless priority 3",
    );
    check_change("commands/ethtool-S-eth1.txt", "rx_prio0_discards: 17", "rx_prio0_discards: 900", &[], "");
}

#[test]
fn the_speed_is_compared_with_the_switch() {
    check_change(
        "sys/class/net/eth1/speed",
        "100000",
        "50000",
        &["NIC017"],
        "eth1 runs at 50 Gb/s, but tor-1:Ethernet0 is configured for 100 Gb/s",
    );
}

#[test]
fn rules_without_input_say_what_they_lack() {
    let mut files = files();
    files.retain(|path, _| path.starts_with("sys/") || path.starts_with("etc/"));
    let found = check(&read(&files).inspection, &[]);
    assert!(found.iter().all(|finding| finding.code == "NIC019"), "{found:?}");
    let messages: Vec<&str> = found.iter().map(|finding| finding.message.as_str()).collect();
    assert!(
        messages
            .contains(&"NIC004 relaxed-ordering was not evaluated: no device control register (`lspci -vv`)"),
        "{messages:?}"
    );
    // PCIe links and firmware are in sysfs.
    assert!(
        !messages.iter().any(|message| message.starts_with("NIC001") || message.starts_with("NIC012")),
        "{messages:?}"
    );
}

#[test]
fn an_inspection_without_a_device_is_missing_evidence() {
    let result = |inspection: HostInspection| {
        let report = HostReport { inspection: Some(inspection), ..HostReport::new("h1", SECOND_NS) };
        result_of(&diagnosed(&report, &Fabric::clean()), "inspection")
    };
    assert_eq!(result(HostInspection::default()), CheckResult::MissingEvidence);
    let sysctl = BTreeMap::from([("net.ipv4.tcp_ecn".to_string(), "1".to_string())]);
    assert_eq!(result(HostInspection { sysctl, ..HostInspection::default() }), CheckResult::MissingEvidence);
    assert_eq!(result(read(&files()).inspection), CheckResult::Clean);
}

#[test]
fn malformed_text_is_reported_completely_with_positions() {
    let mut files = files();
    files.insert("sys/class/net/eth1/mtu".into(), "nine thousand\n".into());
    let qos = files.get_mut("commands/mlnx_qos-i-eth1.txt").unwrap();
    *qos = qos
        .replace("state: dscp", "state: magic")
        .replace("enabled     0   0   0   1", "enabled     0   0   0   7");
    let reading = read(&files);
    let problems: Vec<String> = reading.problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "commands/mlnx_qos-i-eth1.txt:2:23: trust state is `magic`, expected `dscp` or `pcp`",
            "commands/mlnx_qos-i-eth1.txt:17:26: `7` is not a number from 0 to 1",
            "sys/class/net/eth1/mtu:1:1: `nine thousand` is not a number in the range of this value",
        ]
    );
    assert_eq!(reading.inspection.interfaces["eth2"].mtu_bytes, Some(9000), "the rest is read");
}

#[test]
fn findings_have_the_place_of_their_value() {
    let reading = read(&files());
    let place = |item: &str| reading.places.of(item).unwrap().to_string();
    assert_eq!(place("interfaces/eth1/qos/trust"), "commands/mlnx_qos-i-eth1.txt:2:23");
    assert_eq!(place("interfaces/eth1/qos/pfc_priorities"), "commands/mlnx_qos-i-eth1.txt:17:14");
    assert_eq!(place("interfaces/eth1/mtu_bytes"), "sys/class/net/eth1/mtu:1:1");
    assert_eq!(place("processes/4711/registered_bytes/mlx5_0"), "commands/rdma-resource-show-mr.txt:2:18");
}

/// RAS-3: exactly the items that differ.
#[test]
fn drift_is_exactly_what_differs() {
    let running = read(&files()).inspection;
    let check = |text: &str, expected: &[&str]| {
        let found = drift(&desired(text).unwrap(), &running);
        let messages: Vec<&str> = found.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(messages, expected);
    };
    let all = serde_json::to_string(&running).unwrap();
    check(&all, &[]);
    // One entry of the DSCP map.
    let mut other = running.clone();
    let qos = other.interfaces.get_mut("eth2").unwrap().qos.as_mut().unwrap();
    qos.priority_of_dscp[26] = 4;
    let found = drift(&other, &running);
    assert_eq!(
        found.iter().map(|finding| finding.item.as_str()).collect::<Vec<_>>(),
        ["interfaces/eth2/qos/priority_of_dscp"]
    );
    check(
        r#"{"interfaces": {"*": {"mtu_bytes": 9000, "qos": {"trust": "pcp"}}}, "sysctl": {"net.ipv4.tcp_ecn": "1", "kernel.numa_balancing": "0"}}"#,
        &[
            "interfaces/eth1/qos/trust is dscp, desired pcp",
            "interfaces/eth2/qos/trust is dscp, desired pcp",
            "sysctl/kernel.numa_balancing is not set or was not read, desired 0",
            "sysctl/net.ipv4.tcp_ecn is 2, desired 1",
        ],
    );
    let error = desired("{\"interfaces\": {\"eth1\": {\"mtu\": 9000}}}").unwrap_err().to_string();
    assert!(error.contains("unknown field `mtu`") && error.contains("line 1"), "{error}");
}

#[test]
fn the_switch_configuration_may_name_the_interface() {
    let mut files = files();
    files.remove("commands/lldpctl-f-keyvalue.txt");
    assert_eq!(findings(&files, &ports()).0, [""; 0], "no port is known");
    let mut named = ports();
    named[0].interface = Some("eth1".into());
    named[0].speed_mbps = 400_000;
    assert_eq!(findings(&files, &named).0, ["NIC017"]);
}

#[test]
fn codes_and_names_are_unique_and_in_order() {
    let codes: Vec<&str> = rules().map(|rule| rule.code).collect();
    let mut sorted = codes.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(codes, sorted);
}

#[test]
fn the_documentation_has_every_rule_and_every_issue_of_firmware() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/host-inspection.md");
    let text = fs::read_to_string(path).unwrap();
    for rule in rules() {
        assert!(text.contains(&rule.page()), "docs/host-inspection.md lacks\n{}", rule.page());
    }
    for issue in FIRMWARE_ISSUES {
        let row = format!("| {} | {} |", issue.reference, issue.nic);
        assert!(text.contains(&row), "docs/host-inspection.md lacks the row `{row}`");
    }
}

#[test]
fn an_empty_tree_has_no_settings() {
    let reading = read(&BTreeMap::new());
    assert_eq!((reading.inspection, reading.files), (HostInspection::default(), 0));
}
