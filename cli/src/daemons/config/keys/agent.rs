//! Keys of `harrier agent`.

use super::common::{HEALTH, OPERATION, TIME, TLS, UPLOAD, numbers, upload};
use super::files;
use crate::daemons::config::arguments::Described;
use crate::daemons::config::key::{Daemon, Key};
use crate::daemons::config::kind::Kind;
use crate::daemons::config::settings::{Problem, Settings};
use crate::daemons::{tls, topology};

/// The agent's table.
pub(crate) static AGENT: Daemon = Daemon {
    name: "agent",
    about: "Measures the round trips of a host's flows, sends polling packets for slow ones, and uploads the \
            measurements.",
    groups: &[HOST, DETECTION, TIME, UPLOAD, TLS, HEALTH, OPERATION],
    contradictions,
    files,
};

/// Marks the flags of the agent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Agent;

impl Described for Agent {
    const DAEMON: &'static Daemon = &AGENT;
}

const SCOPE: Kind = Kind::Choice(&["tor", "pod", "fabric"]);
const TRANSPORT: Kind = Kind::Choice(&["udp", "ud", "rc"]);
const SOURCE: Kind = Kind::Choice(&["capture", "tcp-info", "probe", "socket", "stdin"]);

const HOST: &[Key] = &[
    Key::new("name", Kind::Text, "", "Name of this host in the topology [default: the host's name]"),
    Key::new("interface", Kind::Text, "", "Interface of the lossless network").with_example("eth1"),
    Key::new(
        "addresses",
        Kind::List(&Kind::Ip),
        "",
        "Own addresses in the lossless network [default: those of the interface]",
    ),
    Key::new(
        "topology",
        Kind::Path,
        "",
        "Network as JSON, from which base round trips follow [default: they are learned]",
    ),
    Key::new(
        "lldp_interval_s",
        Kind::Number(0, 3_600),
        "30",
        "Interval at which the host announces itself with LLDP on its interface, in wall-clock time; 0: never, e.g. because lldpd does",
    ),
    Key::new(
        "sources",
        Kind::List(&SOURCE),
        "capture",
        "Where measurements come from: frames on the interface, the kernel's TCP round trips, probes, a local socket or \
         standard input with JSON lines",
    ),
    Key::new(
        "socket",
        Kind::Path,
        "",
        "Unix socket that takes measurements as JSON lines, for the source `socket`",
    ),
    Key::new(
        "tcp_interval_ms",
        Kind::Number(100, 3_600_000),
        "1000",
        "Interval at which the kernel's TCP sockets are read, for the source `tcp-info`",
    ),
    Key::new(
        "sysfs",
        Kind::Path,
        "/sys",
        "Root of sysfs, for counters of NICs; another one is a recorded tree",
    ),
    Key::new(
        "counters_interval_ms",
        Kind::Number(0, 3_600_000),
        "10000",
        "Interval at which counters of NICs are read and uploaded; 0: none",
    ),
    Key::new(
        "host_report_interval_s",
        Kind::Number(0, 86_400),
        "60",
        "Interval of reports about this host, which the server may request in between; 0: none",
    ),
    Key::new(
        "inspection_interval_s",
        Kind::Number(60, 604_800),
        "3600",
        "Interval at which settings of this host are read for its reports, as `harrier host inspect --live` does",
    ),
    Key::new(
        "rounds_interval_ms",
        Kind::Number(0, 3_600_000),
        "10000",
        "Interval of uploads of round trips; 0: none",
    ),
    Key::new(
        "probe_peers",
        Kind::List(&Kind::Ip),
        "",
        "Addresses to probe, for the source `probe` [default: those that follow from the topology]",
    ),
    Key::new(
        "probe_scopes",
        Kind::List(&SCOPE),
        "tor,pod,fabric",
        "How far away the hosts of the topology are that are probed",
    ),
    Key::new("probe_interval_ms", Kind::Number(1, 3_600_000), "100", "Interval of probes to each peer"),
    Key::new(
        "probe_paths",
        Kind::Number(1, 64),
        "4",
        "Source ports that the probes to a peer use in turn, for equal-cost paths",
    ),
    Key::new(
        "probes_per_second",
        Kind::Number(1, 100_000),
        "1000",
        "Maximum probes a second to all peers; beyond it the interval is longer",
    ),
    Key::new("probe_port", Kind::Number(1, 65_535), "9562", "UDP port of probes; the same on all hosts"),
    Key::new(
        "probe_dscp",
        Kind::Number(0, 63),
        "26",
        "DSCP of probes and replies: the class that is measured",
    ),
    Key::new(
        "probe_replies_per_second",
        Kind::Number(1, 100_000),
        "1000",
        "Maximum replies a second to each address",
    ),
    Key::new(
        "probe_transports",
        Kind::List(&TRANSPORT),
        "udp",
        "How probes travel: UDP of the kernel, or datagrams (UD) or writes (RC) of an RDMA device",
    ),
    Key::new(
        "rdma_device",
        Kind::Text,
        "",
        "RDMA device of UD and RC probes, e.g. mlx5_0; auto: the first one with an own address, and no UD and RC probes on a \
         host without one [default: the first one with an own address, which must exist]",
    ),
    Key::new(
        "rdma_library",
        Kind::Path,
        "",
        "File of libibverbs, which UD and RC probes need [default: libibverbs.so.1 in the search path of the system]",
    ),
];

const DETECTION: &[Key] = &[
    Key::new(
        "threshold_percent",
        Kind::Number(101, 10_000),
        "150",
        "A round trip is slow above this percentage of the base",
    ),
    Key::new(
        "min_excess_ns",
        Kind::Number(0, 10_000_000_000),
        "4000",
        "A slow round trip also exceeds the base by at least this much",
    ),
    Key::new(
        "silence_rtts",
        Kind::Number(1, 1_000_000),
        "5",
        "Data without an acknowledgement for this many base round trips is silence",
    ),
    Key::new("min_silence_ns", Kind::Number(0, 60_000_000_000), "50000", "Silence lasts at least this long"),
    Key::new("min_samples", Kind::Number(1, 1_000_000), "16", "Measurements before a learned base is used"),
    Key::new(
        "flow_interval_ns",
        Kind::Number(0, 3_600_000_000_000),
        "4000000",
        "Minimum interval between polls of a flow",
    ),
    Key::new(
        "recovered_interval_ns",
        Kind::Number(0, 3_600_000_000_000),
        "500000",
        "Minimum interval between polls of a flow that was fast in between",
    ),
    Key::new(
        "follow_up_ns",
        Kind::Number(0, 60_000_000_000),
        "400000",
        "Delay of the follow-up poll; 0: none",
    ),
    Key::new(
        "polls_per_second",
        Kind::Number(1, 1_000_000),
        "1",
        "Maximum polls a second, in the long run: at most half of what a switch accepts from a host",
    ),
    Key::new(
        "burst",
        Kind::Number(1, 1_000_000),
        "32",
        "Maximum polls at once, after a time without any; a switch accepts 128 of a host",
    ),
    Key::new(
        "max_flows",
        Kind::Number(1, 10_000_000),
        "65536",
        "Maximum flows watched; the least active is evicted",
    ),
    Key::new("hop_limit", Kind::Number(1, 255), "16", "Maximum switches that a polling packet crosses"),
];

fn contradictions(settings: &Settings) -> Vec<Problem> {
    let mut problems = upload(settings);
    let sources = settings.texts("sources");
    if sources.is_empty() {
        problems.push(settings.problem("sources", "there are none; expected at least one"));
    }
    if sources.contains(&"socket") && !settings.has("socket") {
        problems.push(settings.problem("sources", "`socket` also needs the key socket"));
    }
    if sources.contains(&"capture") && !settings.has("interface") {
        problems.push(settings.problem("sources", "`capture` also needs the key interface"));
    }
    let has_peers = !settings.ips("probe_peers").is_empty() || settings.is_wrong("probe_peers");
    if sources.contains(&"probe") && !has_peers && !settings.has("topology") {
        problems.push(settings.problem("sources", "`probe` also needs the key topology or probe_peers"));
    }
    if sources.contains(&"probe") && settings.texts("probe_transports").is_empty() {
        problems.push(settings.problem("probe_transports", "there are none; expected at least one"));
    }
    if !settings.has("interface") && settings.ips("addresses").is_empty() {
        problems.push(settings.problem("addresses", "missing: the own addresses, or the key interface"));
    }
    if let Some((follow_up, recovered)) = numbers(settings, "follow_up_ns", "recovered_interval_ns")
        && follow_up > recovered
    {
        let message = format!("{follow_up} is longer than recovered_interval_ns, which is {recovered}");
        problems.push(settings.problem("follow_up_ns", message));
    }
    problems
}

fn files(settings: &Settings) -> Vec<Problem> {
    let mut problems = files::certificates(settings, tls::KEYS);
    problems.extend(files::read(settings, "topology", topology::read));
    problems
}
