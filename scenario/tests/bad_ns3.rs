//! Malformed ns-3 files: all problems of all files are reported at once, each at the position of the wrong value.

use scenario::ns3;

const TOPOLOGY: &str =
    "5 2 4\n3 4\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n3 4 100Gbps 1us 0\n2 4 100Gbps 1us 0\nand so on\n";
const FLOWS: &str = "2\n0 2 3 100 1000 2\n1 2 3 100 1000 2.5\ncomment\n";
const MAPS: &str = "KMAX_MAP 1 100000000000 160\nKMIN_MAP 1 100000000000 40\nPMAX_MAP 1 100000000000 0.2\n";

/// These files have exactly these problems.
fn check(config: &str, topology: &str, flows: &str, expected: &[&str]) {
    let loaded = ns3::load("c", config, |name| match name {
        "t" => Ok((name.to_string(), topology.to_string())),
        "f" => Ok((name.to_string(), flows.to_string())),
        _ => Err("no such file".to_string()),
    });
    let found: Vec<String> =
        loaded.err().map(|problems| problems.0.iter().map(ToString::to_string).collect()).unwrap_or_default();
    assert_eq!(found, expected);
}

/// Correct files with these lines of settings in addition, from line 6 on, have exactly these problems.
fn check_settings(more: &str, expected: &[&str]) {
    check(&format!("TOPOLOGY_FILE t\nFLOW_FILE f\n{MAPS}{more}"), TOPOLOGY, FLOWS, expected);
}

/// One value of one key, at column `KEY `, is rejected with this message.
fn check_value(key: &str, value: &str, expected: &str) {
    let expected = format!("c:6:{}: `{value}` is not {expected}", key.len() + 2);
    check_settings(&format!("{key} {value}\n"), &[&expected]);
}

#[test]
fn every_problem_of_a_topology_is_reported() {
    check(
        &format!("TOPOLOGY_FILE t\nFLOW_FILE f\n{MAPS}"),
        "5 2 8\n3 9\n0 3 100Gbps 1us 0\n1 3 fast 1us 0\n3 3 1Gbps 1us 0\n2 4 0Gbps -1us 2\n0 4\n\
         3 0 100Gbps 1us 0\n1 0 11Tbps 2s -0.1\n",
        "1\n0 9 3 100 1 0\n",
        &[
            "t:1:5: 8 links are announced, but the file has 7",
            "t:2:3: `9` is not a node of this network: a whole number from 0 to 4",
            "t:4:5: `fast` is not a rate from 1kb/s to 10Tb/s, e.g. `100Gbps` or `50Mb/s`",
            "t:5:3: node 3 cannot be linked to itself",
            "t:6:5: `0Gbps` is not a rate from 1kb/s to 10Tb/s, e.g. `100Gbps` or `50Mb/s`",
            "t:6:11: `-1us` is not a delay from 0 to 1s, e.g. `0.001ms`",
            "t:6:16: `2` is not an error rate: a number from 0 to 1",
            "t:7:1: expected a link, `a b rate delay error_rate`, and found 2 words",
            "t:8:1: line 3 already links 0 and 3; the simulators use one link between two nodes",
            "t:8:1: host 0 has a second link; a host has one",
            "t:9:5: `11Tbps` is not a rate from 1kb/s to 10Tb/s, e.g. `100Gbps` or `50Mb/s`",
            "t:9:12: `2s` is not a delay from 0 to 1s, e.g. `0.001ms`",
            "t:9:15: `-0.1` is not an error rate: a number from 0 to 1",
            "f:2:3: node 9 does not exist",
        ],
    );
}

#[test]
fn impossible_headers_are_reported() {
    let config = format!("TOPOLOGY_FILE t\nFLOW_FILE f\n{MAPS}");
    check(
        &config,
        "3 4 -1\n",
        "0\n",
        &[
            "t:1:3: `4` is not the number of switches among the nodes: a whole number from 0 to 3",
            "t:1:5: `-1` is not the number of links: a whole number from 0 to 33357824",
            "f:1:1: `0` is not the number of flows: a whole number from 1 to 4294967295",
        ],
    );
    check(
        &config,
        "70000 1 99999999999999999999\n",
        "9 9\n",
        &[
            "t:1:1: `70000` is not the number of nodes, which need distinct addresses: a whole number from 1 to 65536",
            "t:1:9: `99999999999999999999` is not the number of links: a whole number from 0 to 33357824",
            "f:1:1: 9 flows are announced, but the file has 0",
            "f:1:3: the first line holds the number of flows and nothing else",
        ],
    );
    check(
        &config,
        "",
        "",
        &[
            "t:1:1: the file is empty; expected `nodes switches links` in the first line",
            "f:1:1: the file is empty; expected the number of flows in the first line",
        ],
    );
}

#[test]
fn every_problem_of_a_flow_file_is_reported() {
    check(
        &format!("TOPOLOGY_FILE t\nFLOW_FILE f\n{MAPS}"),
        TOPOLOGY,
        "7\n0 3 3 100 1000 2\n0 0 8 70000 0 -1\n1 2 3\nx 2 3 100 1 1\n0 2 0 0 99999999999999999999 1m\n",
        &[
            "f:1:1: 7 flows are announced, but the file has 5",
            "f:2:3: node 3 is a switch, not a host",
            "f:3:3: host 0 cannot send to itself",
            "f:3:5: `8` is not a priority: a whole number from 0 to 7",
            "f:3:7: `70000` is not a port: a whole number from 1 to 65535",
            "f:3:13: `0` is not a size in bytes: a whole number from 1 to 1125899906842624",
            "f:3:15: `-1` is not a start: a number of seconds, at least 0 and at most 1000000",
            "f:4:1: expected a flow, `src dst priority dst_port size start`, and found 3 words",
            "f:5:1: `x` is not a host: a whole number from 0 to 4294967295",
            "f:6:5: priority 0 is the simulators' queue for control frames, without flow control; data needs 1 to 7",
            "f:6:7: `0` is not a port: a whole number from 1 to 65535",
            "f:6:9: `99999999999999999999` is not a size in bytes: a whole number from 1 to 1125899906842624",
            "f:6:30: `1m` is not a start: a number of seconds, at least 0 and at most 1000000",
        ],
    );
}

#[test]
fn every_problem_of_a_settings_file_is_reported() {
    let config = "TOPOLOGY_FILE t\nFLOW_FILE missing\nCC_MODE 3\nRATE_AI 50\nNEW_KEY 1\nRP_TIMER\n\
                  KMAX_MAP 2 100000000000 160\nKMIN_MAP 1 100000000000 x\nPMAX_MAP 1 100000000000 2\n\
                  NO_CC_NODE 2 0 3\nLINK_DOWN 5 0 1\nRATE_AI 1Mb/s\nRATE_BOUND 0\n# RATE_BOUND 7\n//HAS_WIN 9\n\
                  AGENT_NODE 3 9 1 1\n";
    check(
        config,
        TOPOLOGY,
        FLOWS,
        &[
            "c:2:11: cannot read `missing`: no such file",
            "c:3:9: congestion control 3 is not simulated: HPCC needs in-band telemetry from switches (INT); 0 (none), \
             1 (DCQCN), 7 (TIMELY) and 8 (DCTCP) are",
            "c:4:9: `50` is not a rate from 1kb/s to 10Tb/s, e.g. `100Gbps` or `50Mb/s`",
            "c:5:1: unknown key `NEW_KEY`",
            "c:6:9: `RP_TIMER` takes 1 value(s), found 0",
            "c:7:10: 2 pairs are announced and 2 words follow",
            "c:8:10: `KMIN_MAP` does not list 100000000000, the rate of the link in t:3",
            "c:8:25: `x` is not a depth in units of 1000 bytes: a whole number from 0 to 4294967",
            "c:9:10: `PMAX_MAP` does not list 100000000000, the rate of the link in t:3",
            "c:9:25: `2` is not a probability: a number from 0 to 1",
            "c:10:16: `NO_CC_NODE` lists 3, which is not a host",
            "c:11:11: `LINK_DOWN`: no link joins node 0 and node 1",
            "c:12:1: `RATE_AI` is already set in line 4",
            "c:16:14: `AGENT_NODE` lists 9, which is not a host",
            "c:16:18: node 1 is listed twice",
        ],
    );
    check("FLOW_FILE f\n", TOPOLOGY, FLOWS, &["c:1:1: `TOPOLOGY_FILE` is missing"]);
}

#[test]
fn numbers_out_of_range_are_rejected_for_every_key() {
    let timer = "a timer in microseconds: a whole number from 1 to 1000000000";
    for key in ["RP_TIMER", "ALPHA_RESUME_INTERVAL", "RATE_DECREASE_INTERVAL"] {
        for value in ["0", "0.000001", "0.5", "1.5", "-4", "1us", "99999999999999999999"] {
            check_value(key, value, timer);
        }
        check_settings(&format!("{key} 900.0\n"), &[]);
    }
    let rate = "a rate from 1kb/s to 10Tb/s, e.g. `100Gbps` or `50Mb/s`";
    for key in ["MIN_RATE", "RATE_AI", "RATE_HAI", "DCTCP_RATE_AI", "DATA_RATE"] {
        for value in ["0", "0Mb/s", "-5Mb/s", "50", "999999999Tbps", "1mbps"] {
            check_value(key, value, rate);
        }
    }
    for key in [
        "ENABLE_QCN",
        "USE_DYNAMIC_PFC_THRESHOLD",
        "CLAMP_TARGET_RATE",
        "L2_BACK_TO_ZERO",
        "HAS_WIN",
        "GLOBAL_T",
        "VAR_WIN",
        "FAST_REACT",
        "MULTI_RATE",
        "SAMPLE_FEEDBACK",
        "RATE_BOUND",
        "ACK_HIGH_PRIO",
        "ENABLE_TRACE",
    ] {
        for value in ["2", "-1", "yes"] {
            check_value(key, value, "0 or 1");
        }
    }
    for (key, what, values) in [
        ("PACKET_PAYLOAD_SIZE", "a size in bytes: a whole number from 1 to 9000", ["0", "9001", "-1"]),
        (
            "BUFFER_SIZE",
            "a size of packet memory: a whole number from 1 to 4294967295",
            ["0", "-1", "4294967296"],
        ),
        ("L2_CHUNK_SIZE", "a number of bytes: a whole number from 1 to 4294967295", ["0", "-1", "1e3"]),
        ("L2_ACK_INTERVAL", "a number of bytes: a whole number from 1 to 4294967295", ["0", "-1", "1.5"]),
        (
            "FAST_RECOVERY_TIMES",
            "a number of increases: a whole number from 0 to 1000000",
            ["-1", "4294967295", "x"],
        ),
        ("EWMA_GAIN", "a weight: a number from 0 to 1", ["-0.1", "1.1", "nan"]),
        ("ERROR_RATE_PER_LINK", "an error rate: a number from 0 to 0.999", ["-0.1", "1", "inf"]),
        ("U_TARGET", "a value: a number from 0.01 to 1", ["0", "1.1", "-1"]),
        ("MI_THRESH", "a value: a whole number from 0 to 1000000", ["-1", "99999999999", "0.5"]),
        ("INT_MULTI", "a value: a whole number from 1 to 65535", ["0", "-1", "65536"]),
        ("PINT_LOG_BASE", "a value: a number from 1.000001 to 1000", ["1", "0", "-1"]),
        ("PINT_PROB", "a value: a number from 0 to 1", ["2", "-1", "x"]),
        ("PAUSE_TIME", "a value: a number from 0 to 65535", ["-1", "65536", "x"]),
        (
            "QLEN_MON_START",
            "a time in nanoseconds: a whole number from 0 to 1000000000000000",
            ["-1", "2s", "1e9"],
        ),
        ("LINK_DELAY", "a delay from 0 to 1s, e.g. `0.001ms`", ["5", "-1us", "2s"]),
        (
            "SIMULATOR_STOP_TIME",
            "a time: a number of seconds, above 0 and at most 1000000",
            ["0", "-1", "99999999999999999999"],
        ),
        (
            "SIMULATOR_STOP_TIME",
            "a time: a number of seconds, above 0 and at most 1000000",
            ["4m", ".", "1.2.3"],
        ),
    ] {
        for value in values {
            check_value(key, value, what);
        }
    }
}

#[test]
fn the_keys_of_the_papers_simulator_are_checked() {
    // The unit of memory of that simulator is a kibibyte.
    check_settings(
        "BUFFER_SIZE 1000\nAGENT_THRESHOLD 0\nEPOCH_TIME -1\n",
        &[
            "c:7:17: `0` is not a value: a whole number from 1 to 1000000",
            "c:8:12: `-1` is not a value: a whole number from 0 to 4294967295",
        ],
    );
}

#[test]
fn settings_that_contradict_each_other_or_the_network_are_reported() {
    check_settings(
        "QLEN_MON_START 5\nQLEN_MON_END 4\nMIN_RATE 200Gbps\nFCT_OUTPUT_FILE a\nPFC_OUTPUT_FILE a\nQLEN_MON_FILE t\n",
        &[
            "c:7:14: queues would be sampled from 5 ns (`QLEN_MON_START`) to 4 ns (`QLEN_MON_END`), which is earlier",
            "c:8:10: `MIN_RATE` is 200000000000 bit/s, more than the 100000000000 bit/s of the slowest host's link",
            "c:10:17: `PFC_OUTPUT_FILE` names `a`, which is the file of `FCT_OUTPUT_FILE`",
            "c:11:15: `QLEN_MON_FILE` names `t`, which is the file of `TOPOLOGY_FILE`",
        ],
    );
    check_settings(
        "QLEN_MON_START 3000000000\n",
        &[
            "c:6:16: queues would be sampled from 3000000000 ns (`QLEN_MON_START`) to 2100000000 ns (`QLEN_MON_END`), \
           which is earlier",
        ],
    );
    // Without congestion control `MIN_RATE` has no effect.
    check_settings("MIN_RATE 200Gbps\nCC_MODE 0\n", &[]);
    check_settings(
        "LINK_DOWN 3000000 3 4\nSIMULATOR_STOP_TIME 4\n",
        &[
            "c:6:11: `LINK_DOWN` counts from 2 s, so that the link would fail at 5.000000 s, after `SIMULATOR_STOP_TIME`, 4.000000 s",
        ],
    );
    check_settings(
        "LINK_DOWN 99999999999999999999 3 4\n",
        &[
            "c:6:11: `99999999999999999999` is not a time in microseconds: a whole number from 0 to 1000000000",
        ],
    );
    check_settings(
        "SIMULATOR_STOP_TIME 1.5\n",
        &["f:2:16: the first flow starts at 2.000000 s, and `SIMULATOR_STOP_TIME` is 1.500000 s"],
    );
    // Three links, each with headroom of three times 12.5 kB and 4 KiB reserved; the paper's unit is a kibibyte.
    check_settings(
        "BUFFER_SIZE 121\nDIR d\n",
        &[
            "c:6:13: `BUFFER_SIZE` is 123904 bytes, and the headroom and reservations of switch 3 alone take 124788",
        ],
    );
    check_settings("BUFFER_SIZE 122\nDIR d\n", &[]);
}

#[test]
fn marking_needs_all_three_parameters_of_every_rate_at_a_switch() {
    let topology = TOPOLOGY.replace("3 4 100Gbps", "3 4 400Gbps");
    let config = format!("TOPOLOGY_FILE t\nFLOW_FILE f\n{MAPS}");
    check(
        &config,
        &topology,
        FLOWS,
        &[
            "c:3:10: `KMAX_MAP` does not list 400000000000, the rate of the link in t:5",
            "c:4:10: `KMIN_MAP` does not list 400000000000, the rate of the link in t:5",
            "c:5:10: `PMAX_MAP` does not list 400000000000, the rate of the link in t:5",
        ],
    );
    check(&format!("{config}ENABLE_QCN 0\n"), &topology, FLOWS, &[]);
    check(
        "TOPOLOGY_FILE t\nFLOW_FILE f\nKMAX_MAP 1 100000000000 40\nKMIN_MAP 1 100000000000 160\n",
        TOPOLOGY,
        FLOWS,
        &[
            "c:4:25: Kmin of the link rate 100000000000, 160 kB, is above its Kmax, 40 kB",
            "t:3:5: the marking of links of this rate is undefined: `PMAX_MAP` is missing in c (or `ENABLE_QCN 0`)",
        ],
    );
    // The public files list a rate twice, with the same value.
    let twice = MAPS.replace("PMAX_MAP 1 100000000000 0.2", "PMAX_MAP 2 100000000000 0.2 100000000000 0.2");
    check(&format!("TOPOLOGY_FILE t\nFLOW_FILE f\n{twice}"), TOPOLOGY, FLOWS, &[]);
    check(
        &format!("TOPOLOGY_FILE t\nFLOW_FILE f\n{}", twice.replace("0.2 ", "0.3 ")),
        TOPOLOGY,
        FLOWS,
        &["c:5:29: the link rate 100000000000 already has another value"],
    );
}

#[test]
fn flows_to_unreachable_hosts_are_reported_at_their_destination() {
    // Hosts 0 and 1 at switch 3, host 2 at switch 4, no link between the switches.
    let torn = "5 2 3\n3 4\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 4 100Gbps 1us 0\n";
    check(
        &format!("TOPOLOGY_FILE t\nFLOW_FILE f\n{MAPS}"),
        torn,
        "3\n0 1 3 100 1 2\n1 2 3 100 1 2\n2  0 3 100 1 2\n",
        &["f:3:3: no path leads from host 1 to host 2", "f:4:4: no path leads from host 2 to host 0"],
    );
}

#[test]
fn comments_of_the_public_files_are_ignored() {
    check_settings("CC_MODE 1 {Specifying different CC. 1: DCQCN, 3: HPCC}\n", &[]);
    check_settings("#NO_CC_NODE 16 0 1\n// anything at all\n  # more\n", &[]);
}
