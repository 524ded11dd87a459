//! Malformed inputs: every problem is reported with its position, and nothing panics.

use proptest::prelude::*;
use scenario::{Problems, ns3};

const TOPOLOGY: &str =
    "5 2 4\n3 4\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n3 4 100Gbps 1us 0\n2 4 100Gbps 1us 0\nand so on\n";
const FLOWS: &str = "2\n0 2 3 100 1000 2\n1 2 3 100 1000 2.5\ncomment\n";
const CONFIG: &str = "TOPOLOGY_FILE t\nFLOW_FILE f\nKMAX_MAP 1 100000000000 160\nKMIN_MAP 1 100000000000 40\nPMAX_MAP 1 100000000000 0.2\n";

fn load(config: &str, topology: &str, flows: &str) -> Result<scenario::Scenario, Problems> {
    let loaded = ns3::load("c", config, |name| match name {
        "t" | "f" => Ok((name.to_string(), if name == "t" { topology } else { flows }.to_string())),
        _ => Err("no such file".to_string()),
    });
    loaded.map(|loaded| loaded.scenario)
}

/// Reading has exactly these problems.
fn check(result: Result<scenario::Scenario, Problems>, expected: &[&str]) {
    let found = result.expect_err("there are problems").0;
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(found, expected);
}

#[test]
fn valid_files_are_read() {
    let scenario = load(CONFIG, TOPOLOGY, FLOWS).unwrap();
    assert_eq!(scenario.flows.len(), 2);
    let key = scenario.key(&scenario.flows[1]).unwrap().to_string();
    assert_eq!(key, "11.0.1.1:10000>11.0.2.1:100/udp");
    assert_eq!(scenario.host.window_bytes, Some(75_000 + 3 * 1_000));
}

#[test]
fn hosts_above_255_have_the_simulators_addresses() {
    assert_eq!(ns3::host_address(8).to_string(), "11.0.8.1");
    assert_eq!(ns3::host_address(319).to_string(), "11.1.63.1");
}

#[test]
fn every_problem_of_a_scenario_is_reported() {
    let text = r#"name = "x"
stop = 5
speed = 1
[topology]
switches = ["s", "s"]
hosts = ["h1", "h2", 3]
[[link]]
a = "h1:1"
b = "s:0"
rate = "fast"
[[link]]
a = "h2:1"
b = "q:1"
rate = "1Gbps"
[[flow]]
from = "h1"
to = "s"
[expect]
anomaly = "bad_weather"
flows = ["F9"]
"#;
    let result = scenario::parse("x.toml", text);
    check(
        result,
        &[
            "x.toml:2:8: `stop` must be a time above zero, e.g. `6ms`",
            "x.toml:3:1: unknown key `speed`; known are agent, description, expect, failure, fault, flow, host, \
             hosts, job, link, name, pick, route, routing, stop, switch, switches, tenant, title, topology, version, workload",
            "x.toml:5:18: two nodes have the name `s`",
            "x.toml:6:22: `hosts` of [topology] must hold texts only",
            "x.toml:9:5: port 0 is not between 1 and 509",
            "x.toml:10:8: `rate` of link 1 must be a rate above zero, e.g. \"100Gbps\"",
            "x.toml:13:5: node `q` does not exist",
            "x.toml:15:1: `size` of flow 1 is missing",
            "x.toml:16:8: `h1` has no link",
            "x.toml:17:6: `s` is not a host",
            "x.toml:19:11: `anomaly`: unknown variant `bad_weather`, expected one of `flow_contention`, \
             `pfc_backpressure_flow_contention`, `pfc_storm_host_injection`, `deadlock_in_loop_contention`, \
             `deadlock_out_of_loop_contention`, `deadlock_out_of_loop_injection`, `routing_loop`, `class_contention`, \
             `packet_loss`, `path_change`, `self_inflicted`, `host_only`, `undetermined`",
            "x.toml:20:10: no flow has the label `F9`",
        ],
    );
}

#[test]
fn problems_of_toml_have_positions() {
    let problems = scenario::parse("x.toml", "name = \nstop = \"1ms\"\n[topology\n").unwrap_err();
    assert!(problems.0.len() >= 2, "{problems}");
    assert_eq!(problems.0[0].line, 1);
}

proptest! {
    #[test]
    fn readers_never_panic(config in "(TOPOLOGY_FILE t\n|FLOW_FILE f\n|[A-Z_ 0-9.\n]{0,30}){0,8}", topology in "[0-9 .GMbpsu\n-]{0,80}", flows in "[0-9 .\n-]{0,60}") {
        let _ = load(&config, &topology, &flows);
        let _ = load(CONFIG, &topology, &flows);
        let _ = load(CONFIG, TOPOLOGY, &flows);
        let _ = scenario::parse("x", &config);
        let _ = scenario::parse("x", &topology);
    }
}

#[test]
fn priorities_above_seven_are_rejected() {
    let poster = scenario::builtin_source("poster-fig1").unwrap();
    for priority in ["8", "9", "64", "255", "256", "-1"] {
        let text = poster.replace("lossless = [3]", &format!("lossless = [3, {priority}]"));
        let problems = scenario::parse("s", &text).expect_err("no such class");
        assert!(problems.to_string().contains("a list of priorities from 0 to 7"), "{problems}");
    }
}

#[test]
fn zero_durations_and_sizes_are_rejected() {
    let poster = scenario::builtin_source("poster-fig1").unwrap();
    let text = poster.replacen("stop = \"9ms\"", "stop = \"0s\"", 1).replace("\"53900B\"", "\"0B\"");
    let problems = scenario::parse("s", &text).expect_err("two zeros").to_string();
    assert!(problems.contains("a time above zero") && problems.contains("a size above zero"), "{problems}");
}

/// A scenario on a leaf-spine network, with these lines in addition, gives exactly these problems.
fn check_drawn(more: &str, expected: &[&str]) {
    let base = "name = \"x\"\nstop = \"1ms\"\n[topology]\nkind = \"leaf-spine\"\nleaves = 2\nspines = 1\nhosts_per_leaf = 2\n";
    let found = match scenario::parse("x.toml", &format!("{base}{more}")) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.0.iter().map(ToString::to_string).collect::<Vec<_>>(),
    };
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with("x.toml:") && found.contains(expected), "no `{expected}` in `{found}`");
    }
}

#[test]
fn unknown_and_impossible_picks_are_reported() {
    check_drawn("[[pick]]\nname = \"a\"\ncount = 9\n", &["needs 9 node(s); 4 meet its conditions"]);
    check_drawn(
        "[[pick]]\nname = \"a\"\nunder = \"$b\"\n[[pick]]\nname = \"c\"\ntier = \"attic\"\n",
        &["x.toml:10:9: there is no pick `b`", "x.toml:13:8: `tier` must be"],
    );
    check_drawn(
        "[[pick]]\nname = \"a\"\n[[flow]]\nfrom = \"$a\"\nto = \"$a.2\"\nsize = \"1kB\"\n",
        &["x.toml:12:6: `$a` has 1 node(s), counted from 1; there is no `.2`"],
    );
}

#[test]
fn impossible_networks_are_reported_with_their_position() {
    let topology = |text: &str| {
        let text = format!("name = \"x\"\nstop = \"1ms\"\n[topology]\n{text}");
        scenario::parse("x.toml", &text).expect_err("it is impossible").to_string()
    };
    assert!(topology("kind = \"fat-tree\"\nk = 3\n").contains("x.toml:3:1: a fat-tree's `k` must be even"));
    assert!(topology("kind = \"mesh\"\n").contains("x.toml:4:8: `kind` must be"));
    assert!(topology("kind = \"podset\"\nspines = 5\n").contains("cannot be distributed evenly"));
    assert!(topology("kind = \"leaf-spine\"\nleaves = 600\n").contains("`spine1` would need 600 ports"));
    assert!(topology("kind = \"json\"\nfile = \"a.json\"\n").contains("x.toml:5:8: cannot read `a.json`"));
    let both = topology("kind = \"fat-tree\"\nrate = \"0Gbps\"\ndelay = \"-1us\"\nlength = \"1km\"\n");
    assert_eq!(both.lines().count(), 3, "{both}");
}

#[test]
fn problems_of_routes_failures_and_workloads_have_positions() {
    check_drawn(
        "[[route]]\nswitch = \"leaf1\"\nto = \"h3\"\nvia = \"leaf2\"\n",
        &["x.toml:11:7: `leaf2` is not linked to switch `leaf1`"],
    );
    check_drawn(
        "[[failure]]\nbetween = [\"leaf1\", \"leaf2\"]\n[[failure]]\nlink = \"leaf1:3\"\ntimes = 2\n",
        &["no link joins `leaf1` and `leaf2`", "a link that flaps needs"],
    );
    check_drawn(
        "[[flow]]\nfrom = \"h1\"\nto = \"h2\"\nsize = \"1kB\"\nthrough = \"spine1\"\n",
        &["no source port leads a flow from `h1` to `h2` through `spine1`"],
    );
    check_drawn(
        "[[workload]]\nkind = \"poisson\"\nload = 0\nsizes = \"potato\"\nduration = \"-1us\"\n",
        &[
            "x.toml:10:8: `load` of workload 1 must be a number above 0",
            "`sizes` must be one of",
            "`duration` of workload 1",
        ],
    );
    check_drawn(
        "[[workload]]\nkind = \"all-reduce-halving-doubling\"\nsize = \"1MB\"\nhosts = [\"h1\", \"h2\", \"h3\"]\n",
        &["the number of hosts must be a power of two, not 3"],
    );
}

#[test]
fn impossible_devices_are_reported_with_their_position() {
    check_drawn(
        "[switch]\nmemory = \"0B\"\n",
        &["x.toml:9:10: `memory` of [switch] must be a size above zero"],
    );
    check_drawn(
        "[switch]\nmemory = \"64kB\"\n[switches.leaf2]\nheadroom = \"1MB\"\n",
        &[
            "x.toml:9:10: switch `spine1`: a priority group's headroom of 96928 B and reservation of 4096 B exceed its \
             `memory` of 64000 B (and 1 more)",
            "x.toml:11:12: switch `leaf2`: a priority group's headroom of 1000000 B",
        ],
    );
    check_drawn(
        "[switch]\nshared_headroom = \"17MB\"\n",
        &[
            "x.toml:9:19: switch `spine1`: `shared_headroom` of 17000000 B exceeds its `memory` of 16000000 B (and 2 more)",
        ],
    );
    check_drawn(
        "[host]\nreceive_buffer = \"32KiB\"\nreceive_xon = \"1MB\"\n",
        &[
            "x.toml:9:18: `receive_xoff` of 65536 B is above the `receive_buffer` of 32768 B",
            "x.toml:10:15: `receive_xon` is above",
        ],
    );
    check_drawn(
        "[host]\nreceive_buffer = \"32KiB\"\nreceive_pfc = false\nreceive_xoff = \"16KiB\"\n",
        &["x.toml:11:16: `receive_xoff` has no effect: `receive_pfc` is false"],
    );
    check_drawn(
        "[host.dcqcn]\nmin_rate = \"0bps\"\n[hosts.h2.dcqcn]\nmin_rate = \"200Gbps\"\n",
        &[
            "x.toml:9:12: `min_rate` of [dcqcn] must be a rate above zero",
            "x.toml:11:12: `min_rate` of 200 Gb/s is above the 100 Gb/s of `h2`'s link",
        ],
    );
}

#[test]
fn settings_without_effect_are_reported_with_their_position() {
    let flow = "[[flow]]\nfrom = \"h1\"\nto = \"h3\"\nsize = \"1kB\"\n";
    check_drawn(
        &format!(
            "{flow}start = \"2ms\"\n[[fault]]\nkind = \"storm\"\nhost = \"h1\"\nstart = \"1ms\"\nduration = \"0ms\"\ninterval = \"1ps\"\n"
        ),
        &[
            "x.toml:12:9: a start at 2.000 ms has no effect: the run ends at 1.000 ms (`stop`)",
            "x.toml:16:9: a start at 1.000 ms has no effect",
            "x.toml:17:12: `duration` of fault 1 must be a time above zero",
            "x.toml:18:12: `interval` of 1 ps is less than the 6.720 ns that a pause frame takes on the link of `h1`",
        ],
    );
    check_drawn(
        &format!("{flow}[[failure]]\nlink = \"leaf1:3\"\nstart = \"5ms\"\nduration = \"0s\"\n"),
        &[
            "x.toml:14:9: a start at 5.000 ms has no effect",
            "x.toml:15:12: `duration` of failure 1 must be a time above zero",
        ],
    );
    check_drawn(
        "[[fault]]\nkind = \"slow_receiver\"\nhost = \"h1\"\nduration = \"1ms\"\nrate = \"1Gbps\"\nxoff = \"3MB\"\nxon = \"4MB\"\n",
        &[
            "x.toml:13:8: `xoff` of 3000000 B is above the host's `receive_buffer` of 2097152 B",
            "x.toml:14:7: `xon` of 4000000 B is above the `xoff` of 3000000 B",
        ],
    );
}

#[test]
fn permanent_failures_that_partition_the_network_are_reported() {
    let flow = |start: &str| {
        format!("[[flow]]\nfrom = \"h1\"\nto = [\"h2\", \"h3\"]\nsize = \"1kB\"\nstart = \"{start}\"\n")
    };
    let failure = "[[failure]]\nbetween = [\"leaf1\", \"spine1\"]\nstart = \"100us\"\n";
    // A flow that is active when the link fails, and one that starts during a temporary outage, are possible.
    check_drawn(&format!("{}{failure}", flow("50us")), &[]);
    check_drawn(&format!("{}{failure}duration = \"200us\"\n", flow("150us")), &[]);
    let cut = "x.toml:8:1: no path leads from host `h1` to host `h3`: permanent link failures have cut it since 100.000 us";
    check_drawn(&format!("{}{failure}", flow("150us")), &[cut]);
    check_drawn(&format!("{}{failure}duration = \"2ms\"\n", flow("150us")), &[cut]);
    let workload = "[[workload]]\nkind = \"all-to-all\"\nsize = \"8kB\"\nhosts = [\"h1\", \"h2\", \"h3\"]\nstart = \"200us\"\n";
    let found = format!("{workload}{failure}");
    check_drawn(
        &found,
        &["`h1` to host `h3`", "`h2` to host `h3`", "`h3` to host `h1`", "`h3` to host `h2`"],
    );
}

#[test]
fn scenarios_that_would_run_too_long_are_rejected() {
    check_drawn(
        "[[flow]]\nfrom = [\"h1\", \"h2\"]\nto = [\"h3\", \"h4\"]\nsize = \"1B\"\nrepeat = 100000\nevery = \"1ps\"\ncount = 100\n",
        &["x.toml:8:1: 20000000 flows here, after 0 before: a scenario has at most 1000000"],
    );
    check_drawn(
        "[host.dcqcn]\nalpha_interval = \"1ps\"\nincrease_timer = \"9ns\"\n",
        &[
            "x.toml:9:18: `alpha_interval` of [dcqcn] must be a time of at least 10ns",
            "x.toml:10:18: `increase_timer` of",
        ],
    );
}

#[test]
fn unknown_switches_settings_and_ports_of_an_expectation_are_reported() {
    check_drawn(
        "[expect]\nconfig = [\"leaf9/alpha\", \"h1/alpha\", \"leaf1/taste\", \"leaf1\", \"leaf1/alpha\"]\npause_path = [\"leaf1:9\"]\nport = \"leaf1:1\"\n",
        &[
            "x.toml:9:11: `leaf9` is not a switch",
            "x.toml:9:26: `h1` is not a switch",
            "x.toml:9:38: `leaf1/taste` must be `switch/setting`, with a setting of alpha, headroom",
            "x.toml:9:53: `leaf1` must be `switch/setting`",
            "x.toml:10:15: port `leaf1:9` has no link",
        ],
    );
}

#[test]
fn tenants_without_a_name_or_with_unknown_flows_are_reported() {
    check_drawn(
        "[[tenant]]\nhost = \"h1\"\n[[tenant]]\nname = \"a\"\nhost = \"h1\"\nflows = \"nothing\"\n[[tenant]]\nname = \"a\"\nhost = \"h1\"\nverb = \"swap\"\n",
        &[
            "x.toml:8:1: `name` of tenant 1 is missing",
            "x.toml:13:9: no flow has the label `nothing`",
            "x.toml:14:1: host `h1` has two tenants called `a`",
            "x.toml:17:8: `verb` must be one of \"write\", \"read\", \"compare_swap\", \"fetch_add\"",
        ],
    );
}

#[test]
fn jobs_with_keys_that_have_no_effect_or_flows_without_messages_are_reported() {
    let flow = "[[flow]]\nlabel = \"step\"\nfrom = \"h1\"\nto = \"h3\"\nsize = \"1MB\"\n";
    let job = |keys: &str| format!("[[job]]\nname = \"a\"\nhost = \"h1\"\n{keys}\n");
    check_drawn(
        &format!(
            "{flow}{}{}",
            job("flows = \"step\"\nstart = \"1us\""),
            job("compute = \"1us\"\ngpu_percent = 101")
        ),
        &[
            "x.toml:13:1: the flow `step` of a job needs `message` and `outstanding`: its iterations",
            "x.toml:17:9: `start` has no effect on a job with flows",
            "x.toml:18:1: host `h1` has two jobs called `a`",
            "x.toml:21:11: `compute` has no effect on a job without flows",
            "x.toml:22:15: `gpu_percent` of job 2 must be an integer from 0 to 100",
        ],
    );
    check_drawn(
        &format!("{flow}[[job]]\nname = \"a\"\nhost = \"h2\"\nflows = \"step\"\n"),
        &["x.toml:16:9: no flow of `h2` has the label `step`"],
    );
}

#[test]
fn requests_of_reads_and_of_links_have_no_registrations_and_no_order() {
    let read = "[[flow]]\nfrom = \"h1\"\nto = \"h3\"\nsize = \"1MB\"\noperation = \"read\"\nregistration = \"1us\"\n";
    check_drawn(read, &["`registration` has no effect on reads: their data is sent by the other host"]);
    let bus = "[[fault]]\nkind = \"host_bus\"\nhost = \"h1\"\nduration = \"1ms\"\nrate = \"10Gbps\"\nwrites_in_flight = 4\n";
    check_drawn(bus, &["`writes_in_flight` needs `write_latency`"]);
}

#[test]
fn too_large_quantities_are_reported_with_the_maximum() {
    check_drawn(
        "[host]\nretransmit_timeout = \"99999999999s\"\nwindow = \"9999999999999999999999GB\"\n[[link]]\na = \"h1\"\nb = \"leaf1\"\nrate = \"80Tbps\"\nlength = \"99999999km\"\n",
        &[
            "x.toml:9:22: `retransmit_timeout` of [host] is too large; the maximum is 1000000s",
            "x.toml:10:10: `window` of [host] is too large; the maximum is 1000000GB",
            "x.toml:14:8: `rate` of link 1 is too large; the maximum is 8Tbps",
            "x.toml:15:10: `length` of link 1 is too large; the maximum is 1000000km",
        ],
    );
}

#[test]
fn values_that_no_network_can_have_are_rejected() {
    let flow = "[[flow]]\nfrom = \"h1\"\nto = \"h3\"\n";
    check_drawn("[[flow]]\nfrom = []\nto = \"h3\"\nsize = \"1MB\"\n", &["`from` names no host"]);
    check_drawn(&format!("{flow}size = \"0B\"\n"), &["`size` of flow 1 must be a size above zero"]);
    check_drawn(
        "[[workload]]\nkind = \"poisson\"\nhosts = [\"h1\", \"h3\"]\nload = 9.0\nduration = \"100us\"\nsizes = \"web-search\"\n",
        &["`load` must be a number above 0, up to 1"],
    );
    let links = "name = \"x\"\nstop = \"1ms\"\n[topology]\nswitches = [\"s\"]\nhosts = [\"h1\", \"h2\"]\n\
                 [[link]]\na = \"h1:1\"\nb = \"s:1\"\nrate = \"1Gbps\"\nloss = 1.0\n\
                 [[link]]\na = \"h2:1\"\nb = \"s:2\"\nrate = \"1Gbps\"\n";
    check(
        scenario::parse("x.toml", links),
        &["x.toml:10:8: `loss` must be below 1: a link that loses every frame is no link; use [[failure]]"],
    );
}

#[test]
fn a_host_is_no_next_hop_for_others() {
    let route =
        |to: &str, via: &str| format!("[[route]]\nswitch = \"leaf1\"\nto = \"{to}\"\nvia = \"{via}\"\n");
    for via in ["h2", "leaf1:2"] {
        check_drawn(&route("h1", via), &["`h2` is a host and does not forward packets of others"]);
    }
    check_drawn(&route("h1", "h1"), &[]);
    check_drawn(&route("h1", "spine1"), &[]);
}

#[test]
fn a_flow_can_be_without_a_window() {
    let window =
        |text: &str| format!("[[flow]]\nfrom = \"h1\"\nto = \"h3\"\nsize = \"1MB\"\nwindow = \"{text}\"\n");
    check_drawn(&window("none"), &[]);
    check_drawn(&window("0B"), &["must be a size above zero or \"none\""]);
}

#[test]
fn syntax_errors_come_before_their_consequences() {
    let problems = scenario::parse("x.toml", "name = \"x\"\nstop = \"1ms\ntitle = 3\n").unwrap_err();
    assert_eq!(problems.0[0].line, 2, "{problems}");
    assert!(!problems.0[0].message.contains("is missing"), "{problems}");
    assert!(problems.0.iter().any(|problem| problem.message.contains("is missing")), "{problems}");
}
