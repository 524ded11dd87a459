//! `docs/thresholds.md` lists every number that decides something: the analyzer's table, the settings of host agent and
//! controller, the constants of the three crates, and those of host diagnosis with what their comments say.
//! `HARRIER_WRITE=1 cargo test -p harrier-tests --test thresholds` writes the page anew.

#![allow(clippy::disallowed_methods, reason = "a test of the workspace reads files")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// A setting or a constant: name, unit, derivation or source, what a larger value does.
type Entry = (&'static str, &'static str, &'static str, &'static str);

const AGENT: &[Entry] = &[
    (
        "threshold_percent",
        "percent of the base RTT",
        "choice between 100 and the 188 % of the poster's victim; the published evaluation varies 200 to 500",
        "overlooks small delays",
    ),
    (
        "min_excess_ns",
        "ns",
        "50 kB of queue at 100 Gb/s: more than congestion control keeps there; thresholds of ECN are proportional to the rate, so one time fits all rates",
        "overlooks delays on short paths",
    ),
    (
        "operation_percent",
        "%",
        "neither the network nor the host worked on the operation for a third of its time; as `threshold_percent` of round trips",
        "asks later about operations that wait in a host",
    ),
    (
        "iteration_percent",
        "%",
        "the job has lost 15 % of its rate; TGS (NSDI 2023) accepts a loss of at most 10.8 % for a production job",
        "asks later about jobs that are slow",
    ),
    (
        "silence_rtts",
        "base RTTs",
        "one round trip is normal, a NAK repairs a loss in two, lost or coalesced ACKs add some",
        "detects silence later",
    ),
    ("min_silence_ns", "ns", "50 us in the published prototype", "detects silence later on short paths"),
    (
        "min_samples",
        "round trips",
        "a window of packets, so that not all are behind the flow's own first burst",
        "learns the base later",
    ),
    (
        "flow_interval_ns",
        "ns",
        "a ring of 32 epochs of 2^17 ns: two polls see different records",
        "sees recurrences later",
    ),
    (
        "recovered_interval_ns",
        "ns",
        "longer than `follow_up_ns`, whose poll covers the time until then",
        "sees recurrences later",
    ),
    (
        "follow_up_ns",
        "ns",
        "longer than the longest pause at 100 Gb/s (65,535 quanta of 512 bits, 336 us) and than a bank stays frozen",
        "sees a loop close later",
    ),
    (
        "polls_per_second",
        "1/s",
        "a poll freezes a switch for about 250 us: one host freezes it for at most a quarter of the time",
        "freezes switches more often",
    ),
    (
        "burst",
        "polls",
        "limit; half of it is kept for delays above those of ordinary queueing",
        "freezes switches more often after idle times",
    ),
    (
        "ordinary_rtts",
        "base RTTs of 10 to 100 us",
        "as `severity.ordinary_queue`: what the analyzer finds about shorter queues is telemetry",
        "keeps polls for graver delays only",
    ),
    ("max_flows", "flows", "limit of memory", "watches more flows"),
    ("hop_limit", "switches", "limit: twice the diameter of a three-layer network", "polls longer paths"),
];

const CONTROLLER: &[Entry] = &[
    (
        "quiet_ns",
        "ns",
        "five retries of a polling packet: later reports belong to no poll of the event",
        "delays snapshots",
    ),
    (
        "poll_retry_ns",
        "ns",
        "longer than a polling packet to the next switch and its digest to the controller",
        "delays retries",
    ),
    (
        "poll_retries",
        "retries",
        "with 10 % losses all of five attempts fail in one of 100,000 cases",
        "retries longer",
    ),
    ("max_poll_retries", "retries", "limit of an event", "retries more switches of one event"),
    ("hop_limit", "switches", "limit, as the agent's", "polls longer paths"),
    ("read_timeout_ns", "ns", "ten times a read over gRPC", "waits longer for a dead switch"),
    (
        "read_attempts",
        "attempts",
        "a second attempt covers a lost connection",
        "waits longer for a dead switch",
    ),
    ("event_timeout_ns", "ns", "five read timeouts", "delays incomplete snapshots"),
    (
        "straggler_ns",
        "ns",
        "longer than switches remember a polling packet, 2^30 ns",
        "ignores reused event numbers",
    ),
    ("retry_ns", "ns", "limit of the load on an unreachable switch", "finds a switch that returned later"),
    ("audit_ns", "ns", "limit of the load on idle switches", "finds a bank that stayed frozen later"),
    ("history_ns", "ns", "limit of memory: events recur within some poll intervals", "keeps older evictions"),
    ("idle_history", "switch", "diagnosis does not need ports without queueing", "sends more bytes"),
    ("max_evictions", "records", "limit of memory", "keeps more evictions"),
    ("max_events", "events", "limit of memory, 2 kB each", "collects more events at once"),
];

/// Constants outside the table, by file below the repository: what they are instead of a threshold.
const CONSTANTS: &[(&str, &str, &str)] = &[
    ("analyzer/src/facts/view.rs", "NOMINAL_PACKET_BYTES", "assumed size where no record has bytes"),
    ("analyzer/src/facts/victim_links.rs", "SHORTEST_FRAME_BYTES", "IEEE 802.3"),
    ("analyzer/src/facts/wording.rs", "SHOWN", "length of lists in texts"),
    ("analyzer/src/facts/wording.rs", "BYSTANDERS", "length of lists in texts"),
    ("analyzer/src/findings/signatures/arrived.rs", "NUMBERS", "width of a sequence number"),
    ("analyzer/src/graph/graph_search.rs", "UNSEEN", "mark of a search"),
    ("analyzer/src/graph/port_graph.rs", "NOMINAL_PACKET_BYTES", "assumed size where no record has bytes"),
    ("analyzer/src/graph/port_graph.rs", "MAX_EXCLUDED", "limit of memory"),
    ("analyzer/src/verdict/confidence.rs", "INPUTS", "length of a list"),
    ("analyzer/src/verdict/doubtful.rs", "LISTED", "length of a text"),
    (
        "analyzer/src/verdict/one_standstill.rs",
        "MOMENT_NS",
        "`standstill.gap` at 10 us, for snapshots of different round trips",
    ),
    (
        "analyzer/src/verdict/causes/low_rate_attack.rs",
        "NOMINAL_PACKET_BYTES",
        "assumed size where no record has bytes",
    ),
    (
        "analyzer/src/verdict/causes/elephant_collision.rs",
        "NOMINAL_PACKET_BYTES",
        "assumed size where no record has bytes",
    ),
    ("analyzer/src/text/evidence.rs", "MAX_EXCLUSIONS", "length of lists in texts"),
    ("analyzer/src/text/evidence.rs", "SPREADERS", "length of lists in texts"),
    ("analyzer/src/text/evidence.rs", "OWN_SHARE", "smallest share that a text states"),
    ("controller/src/collect/poll_retry.rs", "PACKET_OUT_BYTES", "format of a header"),
    ("controller/src/discovery/mod.rs", "HOLD", "IEEE 802.1AB, clause 9.2.5.6"),
    ("controller/src/discovery/mod.rs", "TTL_S", "IEEE 802.1AB, clause 9.2.5.6"),
    ("controller/src/discovery/neighbours.rs", "MAX_NEIGHBOURS", "limit of memory"),
    ("controller/src/live/clocks.rs", "AGE_NS", "decides which clock samples count, and no verdict"),
    ("controller/src/live/clocks.rs", "DRIFT_PPM", "decides the error of a clock, and no verdict"),
    ("controller/src/live/clocks.rs", "SAMPLES", "limit of memory"),
    ("controller/src/live/frame_limit.rs", "FRAMES_PER_SECOND", "limit of work"),
    ("controller/src/live/frame_limit.rs", "SECOND_NS", "a unit"),
    ("controller/src/live/network.rs", "LOCALLY_ADMINISTERED", "MAC address"),
    ("controller/src/live/session.rs", "FRAME_BYTES", "limit of memory"),
    ("host-agent/src/passive/connections.rs", "MAX_EXAMINED", "limit of work"),
    ("host-agent/src/passive/connections.rs", "MAX_QUEUE_PAIRS", "limit of memory"),
    ("host-agent/src/passive/filter.rs", "EQUALS", "instruction of a socket filter"),
    ("host-agent/src/passive/filter.rs", "ETHERTYPE_AT", "format of a header"),
    ("host-agent/src/passive/filter.rs", "LOAD_BYTE", "instruction of a socket filter"),
    ("host-agent/src/passive/filter.rs", "LOAD_HALF", "instruction of a socket filter"),
    ("host-agent/src/passive/filter.rs", "MAX_PORTS", "limit of a filter's length"),
    ("host-agent/src/passive/filter.rs", "NEXT_HEADER_V6_AT", "format of a header"),
    ("host-agent/src/passive/filter.rs", "PORT_AT", "format of a header"),
    ("host-agent/src/passive/filter.rs", "PROTOCOL_V4_AT", "format of a header"),
    ("host-agent/src/passive/filter.rs", "RETURN", "instruction of a socket filter"),
    ("host-agent/src/passive/filter.rs", "SET_INDEX", "instruction of a socket filter"),
    ("host-agent/src/passive/outstanding.rs", "KEPT", "limit of memory"),
    ("host-agent/src/passive/outstanding.rs", "MASK", "sequence numbers of a protocol"),
    ("host-agent/src/passive/outstanding.rs", "MAX_OUTSTANDING", "limit of memory"),
    ("host-agent/src/passive/outstanding.rs", "RESTART", "sequence numbers of a protocol"),
    ("host-agent/src/passive/outstanding.rs", "RESTART_BACK", "sequence numbers of a protocol"),
    ("host-agent/src/passive/packet.rs", "ACK", "packet format"),
    ("host-agent/src/passive/packet.rs", "ETHERTYPE_PROVIDER_VLAN", "packet format"),
    ("host-agent/src/passive/packet.rs", "FRAGMENT", "packet format"),
    ("host-agent/src/passive/packet.rs", "MAX_TAGS", "packet format"),
    ("host-agent/src/passive/packet.rs", "RC_SEND_LAST_INVALIDATE", "packet format"),
    ("host-agent/src/passive/packet.rs", "RC_SEND_ONLY_INVALIDATE", "packet format"),
    ("host-agent/src/passive/packet.rs", "RC_WRITE_ONLY_IMMEDIATE", "packet format"),
    ("host-agent/src/passive/packet.rs", "RST", "packet format"),
    ("host-agent/src/passive/packet.rs", "TCP_BYTES", "packet format"),
    ("analyzer/src/import/hawkeye_ns3/reader.rs", "COUNT", "mark of the dump format"),
    ("analyzer/src/import/hawkeye_ns3/mod.rs", "RING_EPOCH_NS", "the dump's epoch"),
    ("analyzer/src/import/hawkeye_ns3/mod.rs", "TIMED_EPOCH_NS", "the dump's epoch"),
    ("analyzer/src/import/hawkeye_ns3/mod.rs", "EVENT_NS", "the dump's interval between polls of one event"),
    ("analyzer/src/import/hawkeye_ns3/mod.rs", "FLOW_ROW_BYTES", "the dump's row"),
    ("analyzer/src/import/hawkeye_ns3/mod.rs", "PORT_ROW_BYTES", "the dump's row"),
    ("analyzer/src/import/hawkeye_ns3/mod.rs", "METER_ROW_BYTES", "the dump's row"),
    (
        "analyzer/src/settings.rs",
        "LEAST_PER_EPOCH",
        "resolution of the records: the shortest reaction time is a hundredth of an epoch",
    ),
    (
        "analyzer/src/settings.rs",
        "MOST_PER_EPOCH",
        "resolution of the records: the longest reaction time is a tenth of an epoch",
    ),
    (
        "analyzer/src/verdict/severity.rs",
        "LONGEST_NS",
        "choice: buffers of a data-centre switch hold less than three times this",
    ),
    (
        "analyzer/src/settings.rs",
        "LINKS_OF_PATH",
        "PFC reacts over one link; the longest path of a fat-tree has six",
    ),
    (
        "analyzer/src/settings.rs",
        "UNKNOWN_NS",
        "reaction time of a dump without times: a data-centre network",
    ),
    ("host-agent/src/baseline.rs", "WINDOW_NS", "window of the minimum RTT: BBR's, 10 s"),
    (
        "host-agent/src/operations.rs",
        "MOST_DOUBLINGS",
        "longest interval between polls of a flow whose operations stay slow",
    ),
    (
        "host-agent/src/operations.rs",
        "LEAST_ITERATIONS",
        "iterations of a job whose mean counts: several, because the time of one varies",
    ),
    ("host-agent/src/operations.rs", "MOST_ITERATIONS", "limit of memory"),
    ("host-agent/src/operations.rs", "ROUND_TRIPS", "limit of memory: the slowest round trips stay"),
    ("host-agent/src/waiting.rs", "CAPACITY", "limit of memory: 64 ms of polls"),
    ("host-agent/src/watch.rs", "DEFAULT_PRIORITY", "DSCP 26, the usual one of RoCEv2"),
    ("host-agent/src/watch.rs", "SET_BACK_NS", "a step of the wall clock, not measurements out of order"),
    ("host-agent/src/watch.rs", "REPORTED_FLOWS", "limit of the size of a report"),
    ("host-agent/src/watch.rs", "ID_NS", "identifiers of events do not repeat after a restart"),
    ("controller/src/plan/build.rs", "MAX_ROCE_PORTS", "size of a table of the switch program"),
    ("controller/src/plan/build.rs", "MAX_MEMBERS", "size of a table of the switch program"),
    ("controller/src/plan/mod.rs", "POLL_GROUP", "name in the switch program"),
    ("controller/src/layout/build.rs", "PRIORITIES", "IEEE 802.1Q"),
    ("controller/src/layout/build.rs", "CLOCK_BITS", "width of the switch's clock"),
    (
        "controller/src/layout/sparse.rs",
        "SINGLE_SHARE",
        "decides how rows are read, and none that holds something is left out",
    ),
    ("controller/src/collect/emit.rs", "MAX_CLOSED", "limit of memory"),
    ("controller/src/collect/poll_retry.rs", "LOCALLY_ADMINISTERED", "IEEE 802"),
    ("controller/src/live/mod.rs", "QUEUE", "limit of memory"),
    ("controller/src/live/mod.rs", "SNAPSHOTS", "limit of memory"),
    ("controller/src/live/mod.rs", "SAMPLES", "limit of memory"),
    ("controller/src/live/device.rs", "MAX_PORTS", "limit of memory"),
    ("controller/src/live/device.rs", "MAX_DISCARDS", "limit of memory"),
    ("controller/src/live/device.rs", "MAX_CHANGES", "limit of memory"),
    ("controller/src/discovery/learned.rs", "MAX_LINKS", "limit of memory"),
    ("controller/src/records/losses.rs", "GAINS", "limit of memory"),
    ("controller/src/records/losses.rs", "KEPT_NS", "longer than a retransmission timeout"),
    ("controller/src/records/mod.rs", "EVENTS", "limit of memory"),
    ("analyzer/src/verdict/standstills.rs", "KEPT", "limit of memory"),
    (
        "controller/src/live/role.rs",
        "CLAIM_NS",
        "decides which of two controllers reads a switch, and no verdict",
    ),
    ("controller/src/live/role.rs", "CLAIM_JITTER_NS", "keeps two controllers apart"),
    ("host-agent/src/counters/pause.rs", "FLAG_STATS", "numbers of `linux/ethtool_netlink.h`"),
    ("host-agent/src/counters/pause.rs", "HEADER_DEV_NAME", "numbers of `linux/ethtool_netlink.h`"),
    ("host-agent/src/counters/pause.rs", "HEADER_FLAGS", "numbers of `linux/ethtool_netlink.h`"),
    ("host-agent/src/counters/pause.rs", "PAUSE_GET", "numbers of `linux/ethtool_netlink.h`"),
    ("host-agent/src/counters/pause.rs", "PAUSE_HEADER", "numbers of `linux/ethtool_netlink.h`"),
    ("host-agent/src/counters/pause.rs", "PAUSE_STATS", "numbers of `linux/ethtool_netlink.h`"),
    ("host-agent/src/counters/pause.rs", "STAT_RX_FRAMES", "numbers of `linux/ethtool_netlink.h`"),
    ("host-agent/src/counters/pause.rs", "STAT_TX_FRAMES", "numbers of `linux/ethtool_netlink.h`"),
    ("host-agent/src/counters/pause.rs", "VERSION", "numbers of `linux/ethtool_netlink.h`"),
    ("host-agent/src/counters/report.rs", "DATA_WORD_BYTES", "unit of counters of RDMA ports"),
    ("host-agent/src/counters/report.rs", "STALLED_SHARE_NS", "unit of a statistic of mlx5"),
    ("host-agent/src/linux/counters.rs", "ENTRIES", "limit of work"),
    ("host-agent/src/linux/counters.rs", "FILE_BYTES", "limit of memory"),
    ("host-agent/src/linux/counters.rs", "STATISTICS_BYTES", "limit of memory"),
    ("host-agent/src/linux/netlink.rs", "ACKNOWLEDGED", "flag of netlink messages"),
    ("host-agent/src/linux/netlink.rs", "ATTRIBUTE_ID", "numbers of `linux/genetlink.h`"),
    ("host-agent/src/linux/netlink.rs", "ATTRIBUTE_NAME", "numbers of `linux/genetlink.h`"),
    ("host-agent/src/linux/netlink.rs", "DATAGRAM_BYTES", "limit of memory"),
    ("host-agent/src/linux/netlink.rs", "DUMP", "flag of netlink messages"),
    ("host-agent/src/linux/netlink.rs", "HEADER", "format of generic netlink messages"),
    ("host-agent/src/linux/netlink.rs", "REPLIES", "limit of work"),
    ("host-agent/src/linux/netlink.rs", "REQUEST", "flag of netlink messages"),
    (
        "host-agent/src/mesh/acceptor.rs",
        "FORGET_NS",
        "limit of memory: six intervals of offers, so that some may be lost",
    ),
    ("host-agent/src/mesh/acceptor.rs", "MAX_ACCEPTED", "limit of memory and of queue pairs"),
    ("host-agent/src/mesh/hello.rs", "ANSWER", "packet format"),
    ("host-agent/src/mesh/hello.rs", "LABELS", "bits of a RoCEv2 source port"),
    ("host-agent/src/mesh/hello.rs", "LABEL_STEP", "has no common divisor with the number of labels"),
    ("host-agent/src/mesh/hello.rs", "MAX_PATHS", "packet format; maximum of `probe_paths`"),
    ("host-agent/src/mesh/hello.rs", "OFFER", "packet format"),
    ("host-agent/src/mesh/hello.rs", "VERSION", "packet format"),
    ("host-agent/src/mesh/offers.rs", "FIRST_RETRY_NS", "as the time after which a probe is lost"),
    ("host-agent/src/mesh/offers.rs", "MAX_RETRY_NS", "limit of packets to hosts without an answer"),
    ("host-agent/src/mesh/offers.rs", "REFRESH_NS", "limit of packets to hosts with an answer"),
    ("host-agent/src/mesh/packet.rs", "PATH_AT", "packet format"),
    ("host-agent/src/mesh/packet.rs", "PROBE_BYTES", "packet format"),
    ("host-agent/src/mesh/packet.rs", "REPLY", "packet format"),
    ("host-agent/src/mesh/packet.rs", "REQUEST", "packet format"),
    ("host-agent/src/mesh/packet.rs", "VERSION", "packet format"),
    ("host-agent/src/mesh/peers.rs", "REMOTE_PEERS", "limit of probes"),
    (
        "host-agent/src/mesh/peers.rs",
        "TOR_PEERS",
        "limit of probes: up to 33 hosts in a ring, every pair is probed",
    ),
    ("host-agent/src/netlink.rs", "DONE", "format of netlink messages"),
    ("host-agent/src/netlink.rs", "ERROR", "format of netlink messages"),
    ("host-agent/src/netlink.rs", "HEADER_BYTES", "format of netlink messages"),
    ("host-agent/src/netlink.rs", "NESTED", "format of netlink messages"),
    ("host-agent/src/netlink.rs", "NOOP", "format of netlink messages"),
    ("host-agent/src/netlink.rs", "TYPE_MASK", "format of netlink messages"),
    ("host-agent/src/tcp_info/message.rs", "AF_INET", "numbers of `linux/inet_diag.h`"),
    ("host-agent/src/tcp_info/message.rs", "AF_INET6", "numbers of `linux/inet_diag.h`"),
    ("host-agent/src/tcp_info/message.rs", "BY_FAMILY", "numbers of `linux/inet_diag.h`"),
    ("host-agent/src/tcp_info/message.rs", "ESTABLISHED", "numbers of `linux/inet_diag.h`"),
    ("host-agent/src/tcp_info/message.rs", "ID_BYTES", "numbers of `linux/inet_diag.h`"),
    ("host-agent/src/tcp_info/message.rs", "INFO", "numbers of `linux/inet_diag.h`"),
    ("host-agent/src/tcp_info/message.rs", "MESSAGE_BYTES", "numbers of `linux/inet_diag.h`"),
    ("host-agent/src/tcp_info/message.rs", "TOS", "numbers of `linux/inet_diag.h`"),
    ("host-agent/src/tcp_info/message.rs", "TRAFFIC_CLASS", "numbers of `linux/inet_diag.h`"),
    ("host-agent/src/tcp_info/message.rs", "WANTED", "numbers of `linux/inet_diag.h`"),
    ("host-agent/src/tcp_info/retransmissions.rs", "NS_PER_S", "a unit"),
    ("host-agent/src/tcp_info/retransmissions.rs", "REPORTED", "length of a list"),
    (
        "host-agent/src/tcp_info/sockets.rs",
        "STALL_NS",
        "longest delay of an acknowledgement: 500 ms (RFC 9293, section 3.8.6.3)",
    ),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns a number without needless zeros.
fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn settings(page: &mut String, values: &Value, entries: &[Entry]) {
    let known: BTreeSet<&str> = entries.iter().map(|(name, ..)| *name).collect();
    let all: BTreeSet<&str> = values.as_object().expect("settings").keys().map(String::as_str).collect();
    assert_eq!(known, all, "settings that this test lists, and those of the crate");
    page.push_str(
        "\n| setting | value | unit | derivation or source | a larger value |\n|---|--:|---|---|---|\n",
    );
    for (name, unit, source, larger) in entries {
        writeln!(page, "| `{name}` | {} | {unit} | {source} | {larger} |", values[name])
            .expect("a string grows");
    }
}

fn page() -> String {
    let mut page = "\
# Thresholds

Every number that decides a verdict, a poll or a retry. `cargo test -p harrier-tests --test thresholds` compares this
page with the code and fails on a numeric constant that it does not list; with `HARRIER_WRITE=1` it writes the page.
`harrier eval --sensitivity` halves and doubles each threshold of the analyzer and reports which verdicts change.

## Analyzer

The *reaction time* is the victim's base round trip, at least a hundredth of an epoch (1.3 us with epochs of 2^17 ns;
records do not show when, within this time, packets arrived) and at most a tenth of one, or a sixth of the round trip if
that is longer. Times are multiples of it and sizes multiples of what the link carries in it, so that one table fits 25
and 800 Gb/s and links of 1 and of 100 us (`cli/tests/rates.rs`). The limits of a deadlock and of a storm also follow from the longest pause, 65,535 quanta of 512
bit times at the link's rate (IEEE 802.3, annex 31D).

| threshold | value | unit | derivation or source | a larger value |
|---|--:|---|---|---|
"
    .to_string();
    for t in analyzer::thresholds::ALL {
        let (value, unit) = (number(t.value), t.unit);
        writeln!(page, "| `{}` | {value} | {unit} | {} | {} |", t.name, t.source, t.larger)
            .expect("a string grows");
    }
    page.push_str("\n## Host agent\n");
    let agent = serde_json::to_value(host_agent::Settings::default()).expect("settings are serialisable");
    settings(&mut page, &agent, AGENT);
    page.push_str("\n## Controller\n");
    let controller = serde_json::to_value(controller::collect::CollectSettings::default())
        .expect("settings are serialisable");
    settings(&mut page, &controller, CONTROLLER);
    host_diagnosis(&mut page);
    page.push_str("\n## Other constants\n\nLimits, formats and physical constants; none of them decides a verdict by its size.\n\n| constant | file | what it is |\n|---|---|---|\n");
    for (file, name, what) in CONSTANTS {
        writeln!(page, "| `{name}` | `{file}` | {what} |").expect("a string grows");
    }
    page
}

/// Adds the numeric constants of host diagnosis, each with its comment.
fn host_diagnosis(page: &mut String) {
    page.push_str(
        "\n## Host diagnosis\n\nThe thresholds of the detectors, and the confidence that they state, from the comments of \
         the code. Names are those of the file below `host-diagnosis/src`.\n\n| constant | value | derivation or source |\n\
         |---|--:|---|\n",
    );
    let mut all = Vec::new();
    documented(&root().join("host-diagnosis/src"), &mut all);
    all.sort();
    for Documented { file, name, value, comment } in all {
        writeln!(page, "| `{file}`: `{name}` | {value} | {comment} |").expect("a string grows");
    }
}

/// A numeric constant and its comment.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Documented {
    file: String,
    name: String,
    value: String,
    comment: String,
}

/// Units of sizes, which decide nothing.
const UNITS: [&str; 4] = ["KIB", "MIB", "GIB", "KIBIBYTE"];

/// Adds the numeric constants of the files below a folder, apart from those of tests. One without a comment has that of the
/// constant above it.
fn documented(folder: &Path, all: &mut Vec<Documented>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources").filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            documented(&path, all);
            continue;
        }
        let file = path.strip_prefix(root().join("host-diagnosis/src")).expect("a file of the crate");
        let text = std::fs::read_to_string(&path).expect("sources are UTF-8");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let (mut comment, mut is_used) = (String::new(), false);
        for line in code.lines() {
            if let Some(part) = line.strip_prefix("///") {
                if std::mem::take(&mut is_used) {
                    comment.clear();
                }
                comment.push_str(part);
            } else if let Some((name, value)) = constant(line) {
                is_used = true;
                if !UNITS.contains(&name) {
                    all.push(Documented {
                        file: file.display().to_string(),
                        name: name.to_string(),
                        value: value.to_string(),
                        comment: comment.trim().replace('|', "or"),
                    });
                }
            } else {
                comment.clear();
            }
        }
    }
}

/// The name and the value of `pub(crate) const NAME: u64 = 7;`.
fn constant(line: &str) -> Option<(&str, &str)> {
    let visibility = ["pub const ", "pub(crate) const ", "pub(super) const ", "const "];
    let rest = visibility.iter().find_map(|start| line.strip_prefix(start))?;
    let (name, typed) = rest.split_once(": ")?;
    let (kind, value) = typed.split_once(" = ")?;
    let is_number = ["f64", "u64", "usize", "u32", "u16", "u8"].contains(&kind);
    is_number.then(|| (name, value.trim_end_matches(';')))
}

#[test]
fn every_constant_of_host_diagnosis_has_a_comment() {
    let mut all = Vec::new();
    documented(&root().join("host-diagnosis/src"), &mut all);
    assert!(all.len() > 90, "{} constants", all.len());
    let without: Vec<&Documented> = all.iter().filter(|constant| constant.comment.is_empty()).collect();
    assert!(without.is_empty(), "without a derivation or source: {without:#?}");
}

#[test]
fn the_page_is_that_of_the_code() {
    let file = root().join("docs/thresholds.md");
    if std::env::var("HARRIER_WRITE").is_ok_and(|write| write == "1") {
        std::fs::write(&file, page()).expect("the page is writable");
    }
    let known = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(known == page(), "docs/thresholds.md differs from the code; see the head of this test");
}

#[test]
fn names_of_thresholds_are_unique() {
    let names: BTreeSet<&str> = analyzer::thresholds::ALL.iter().map(|t| t.name).collect();
    assert_eq!(names.len(), analyzer::thresholds::ALL.len());
}

/// What agents poll for only while polls are plentiful is what the analyzer reports as telemetry.
#[test]
fn agents_and_analyzer_agree_on_ordinary_queueing() {
    let limit = analyzer::thresholds::ALL.iter().find(|t| t.name == "severity.ordinary_queue");
    let agents = host_agent::Settings::default().ordinary_rtts;
    assert_eq!(limit.map(|limit| limit.value), Some(f64::from(agents)));
}

#[test]
fn every_numeric_constant_is_listed() {
    let mut found = BTreeSet::new();
    for folder in ["analyzer/src", "host-agent/src", "controller/src"] {
        constants(&root().join(folder), &mut found);
    }
    let listed = CONSTANTS.iter().map(|(file, name, _)| ((*file).to_string(), (*name).to_string()));
    assert_eq!(found, listed.collect(), "constants in the source, and those that this test lists");
}

/// Adds the numeric constants of the files below a folder, apart from those of tests.
fn constants(folder: &Path, found: &mut BTreeSet<(String, String)>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources").filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            constants(&path, found);
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("sources are UTF-8");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for line in code.lines() {
            let Some((before, rest)) = line.split_once("const ") else { continue };
            let is_item = before.trim().is_empty() || before.trim_start().starts_with("pub");
            let Some((name, kind)) = rest.split_once(": ").filter(|_| is_item) else { continue };
            let numeric = ["f64 =", "u64 =", "usize =", "u32 =", "u16 =", "u8 ="];
            if numeric.iter().any(|of| kind.starts_with(of))
                && name.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit())
            {
                let file = path.strip_prefix(root()).expect("a file of the repository").display().to_string();
                found.insert((file, name.to_string()));
            }
        }
    }
}
