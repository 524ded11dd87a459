//! Operators on the texts of correct files. The result is the page docs/check-device-mutations.md, which
//! `HARRIER_WRITE_DOCS=1 cargo test -p harrier-buffer-config --test devices` writes.

#![allow(clippy::disallowed_methods, reason = "the test reads and writes the docs")]

use std::fmt::Write as _;
use std::path::PathBuf;

use buffer_config::finding::Severity;

use crate::{COMMANDS, EOS, NVUE, NXOS, found};

/// What the check must report.
#[derive(Clone, Copy)]
pub(crate) enum Expect {
    /// An error with this code.
    Error(&'static str),
    /// A warning with this code.
    Warning(&'static str),
    /// Nothing.
    Harmless,
}
use Expect::{Error, Harmless, Warning};

/// A name, the part of the text that changes, what it becomes, and what must be reported.
pub(crate) type Operator = (&'static str, &'static str, &'static str, Expect);

pub(crate) const OF_EOS: &[Operator] = &[
    ("PFC is not turned on", "   priority-flow-control on\n", "", Error("PFC016")),
    (
        "PFC is off on all ports",
        "qos profile ROCE",
        "priority-flow-control all off\nqos profile ROCE",
        Error("PFC016"),
    ),
    (
        "no lossless priority on one port",
        "speed 400g-8\n   service-profile ROCE\n!\ninterface Ethernet3/1",
        "speed 400g-8\n   priority-flow-control on\n!\ninterface Ethernet3/1",
        Warning("PFC010"),
    ),
    (
        "profile removed from one port",
        "   speed 400g-8\n   service-profile ROCE\n!\ninterface Ethernet3/1",
        "   speed 400g-8\n!\ninterface Ethernet3/1",
        Warning("PFC010"),
    ),
    ("profile with a misspelt name", "qos profile ROCE", "qos profile ROCEE", Error("MAP010")),
    (
        "profile that no port uses",
        "interface Ethernet5/1",
        "qos profile OTHER\n   priority-flow-control priority 3 no-drop\n!\ninterface Ethernet5/1",
        Warning("MAP011"),
    ),
    (
        "802.3x pause on one port",
        "   description host h1\n",
        "   description host h1\n   flowcontrol receive on\n",
        Error("PFC017"),
    ),
    (
        "802.3x pause sent, receiving off afterwards",
        "   description host h1\n",
        "   description host h1\n   flowcontrol send on\n   flowcontrol receive off\n",
        Error("PFC017"),
    ),
    (
        "802.3x pause off in both directions",
        "   description host h1\n",
        "   description host h1\n   flowcontrol send off\n   flowcontrol receive off\n",
        Harmless,
    ),
    (
        "another lossless priority in a later block of the interface",
        "interface Ethernet5/1",
        "interface Ethernet2/1\n   priority-flow-control priority 3 no-drop\ninterface Ethernet2/1\n   priority-flow-control priority 4 no-drop\n!\ninterface Ethernet5/1",
        Warning("PFC010"),
    ),
    (
        "three lossless priorities",
        "priority 3 no-drop\n",
        "priority 3 no-drop\n   priority-flow-control priority 4 no-drop\n   priority-flow-control priority 5 no-drop\n",
        Warning("PFC013"),
    ),
    (
        "lossless priority of the profile made lossy on one port",
        "   description host h1\n",
        "   description host h1\n   priority-flow-control priority 3 drop\n",
        Warning("PFC010"),
    ),
    (
        "another priority made lossy on one port",
        "   description host h1\n",
        "   description host h1\n   priority-flow-control priority 4 drop\n",
        Harmless,
    ),
    (
        "watchdog that shuts the port down, overridden",
        "priority-flow-control pause watchdog action drop",
        "priority-flow-control pause watchdog action errdisable\npriority-flow-control pause watchdog override action drop",
        Harmless,
    ),
    ("DSCPs are not trusted", "   qos trust dscp\n", "   no qos trust\n", Error("PFC008")),
    ("802.1p priorities are trusted", "   qos trust dscp\n", "   qos trust cos\n", Warning("PFC008")),
    (
        "all DSCPs of the lossless class mapped away",
        "qos map dscp 26 to traffic-class 3",
        "qos map dscp 24-31 to traffic-class 1",
        Error("PFC008"),
    ),
    ("best effort in the lossless class", "qos map dscp 26 to", "qos map dscp 0 26 to", Warning("PFC015")),
    (
        "congestion notifications in the lossless class",
        "qos map dscp 48 to traffic-class 6",
        "qos map dscp 48 to traffic-class 3",
        Warning("PFC015"),
    ),
    (
        "lossy class in the lossless queue",
        "qos map traffic-class 6 to tx-queue 6",
        "qos map traffic-class 6 to tx-queue 3",
        Error("PFC014"),
    ),
    (
        "lossless class in the queue of another class",
        "qos map traffic-class 3 to tx-queue 3",
        "qos map traffic-class 3 to tx-queue 6",
        Error("PFC014"),
    ),
    (
        "no ECN",
        "      random-detect ecn minimum-threshold 150 kbytes maximum-threshold 1500 kbytes max-mark-probability 100 weight 0\n",
        "",
        Warning("ECN007"),
    ),
    (
        "ECN is turned off",
        "random-detect ecn minimum-threshold 150 kbytes maximum-threshold 1500 kbytes max-mark-probability 100 weight 0",
        "no random-detect ecn",
        Error("ECN007"),
    ),
    (
        "WRED instead of ECN",
        "random-detect ecn minimum-threshold 150 kbytes maximum-threshold 1500 kbytes max-mark-probability 100 weight 0",
        "random-detect drop minimum-threshold 150 kbytes maximum-threshold 1500 kbytes drop-probability 100",
        Error("ECN008"),
    ),
    ("Kmax below Kmin", "maximum-threshold 1500 kbytes", "maximum-threshold 100 kbytes", Error("ECN001")),
    ("Kmin of 0", "minimum-threshold 150 kbytes", "minimum-threshold 0 kbytes", Error("ECN005")),
    ("marking probability of 0", "max-mark-probability 100", "max-mark-probability 0", Error("ECN002")),
    (
        "strict priority of the lossless queue",
        "   uc-tx-queue 3\n      no priority\n",
        "   uc-tx-queue 3\n      priority strict\n",
        Warning("SCHED002"),
    ),
    (
        "shaper of the lossless queue",
        "   uc-tx-queue 3\n      no priority\n",
        "   uc-tx-queue 3\n      no priority\n      shape rate 1000000 kbps\n",
        Warning("SCHED005"),
    ),
    (
        "shaper of a lossy queue",
        "   uc-tx-queue 1\n      no priority\n",
        "   uc-tx-queue 1\n      no priority\n      shape rate 1000000 kbps\n",
        Harmless,
    ),
    (
        "strict priority of best effort",
        "   uc-tx-queue 1\n      no priority\n      bandwidth percent 5",
        "   uc-tx-queue 1\n      priority strict",
        Warning("SCHED005"),
    ),
    (
        "Kmin in bytes instead of kilobytes",
        "minimum-threshold 150 kbytes",
        "minimum-threshold 150 bytes",
        Error("ECN013"),
    ),
    (
        "no FEC at 400 Gb/s",
        "   error-correction encoding reed-solomon\n   no switchport",
        "   no error-correction encoding\n   no switchport",
        Warning("LINK014"),
    ),
    ("no watchdog", "priority-flow-control pause watchdog default timeout 0.2\n", "", Warning("WD013")),
    (
        "watchdog off in the profile",
        "priority 3 no-drop\n",
        "priority 3 no-drop\n   no priority-flow-control pause watchdog\n",
        Error("WD013"),
    ),
    ("polling too seldom", "polling-interval 0.1", "polling-interval 0.15", Error("WD004")),
    ("slow detection", "timeout 0.2", "timeout 5", Warning("WD025")),
    ("long restoration", "recovery-time 0.2", "recovery-time 30", Warning("WD025")),
    (
        "watchdog that shuts the port down",
        "watchdog action drop",
        "watchdog action errdisable",
        Warning("WD006"),
    ),
    ("unknown watchdog action", "watchdog action drop", "watchdog action stop", Warning("SRC006")),
    ("watchdog time that EOS refuses", "timeout 0.2", "timeout 200", Warning("SRC006")),
    (
        "smaller MTU of one port",
        "   description host h1\n   mtu 9214",
        "   description host h1\n   mtu 1500",
        Warning("LINK010"),
    ),
    (
        "traffic class that does not exist",
        "traffic-class 3\nqos map dscp 48",
        "traffic-class 8\nqos map dscp 48",
        Warning("SRC006"),
    ),
    ("priority that does not exist", "priority 3 no-drop", "priority 9 no-drop", Warning("SRC006")),
    ("banner that is never closed", "EOF\n!\nqos map", "qos map", Error("SRC001")),
    ("another description", "description host h1", "description host h9", Harmless),
    ("another comment", "! Command: show running-config", "! Command: show run", Harmless),
    (
        "another order of the maps",
        "qos map dscp 26 to traffic-class 3\nqos map dscp 48 to traffic-class 6",
        "qos map dscp 48 to traffic-class 6\nqos map dscp 26 to traffic-class 3",
        Harmless,
    ),
    ("another VLAN", "interface Vlan10", "interface Vlan20", Harmless),
    ("a port that is shut down without PFC", "   shutdown", "   mtu 1500\n   shutdown", Harmless),
    ("DSCP map left at its default", "qos map dscp 26 to traffic-class 3\n", "", Harmless),
    ("lines end with CR and LF", "\n", "\r\n", Harmless),
    (
        "members of a port channel with two speeds",
        "   description host h1\n   mtu 9214\n   speed 400g-8\n   service-profile ROCE\n!\ninterface Ethernet3/1\n   description host h2\n   mtu 9214\n   speed 400g-8\n",
        "   description host h1\n   mtu 9214\n   speed 400g-8\n   channel-group 1 mode active\n   service-profile ROCE\n!\ninterface Ethernet3/1\n   description host h2\n   mtu 9214\n   speed 200g-4\n   channel-group 1 mode active\n",
        Error("LINK012"),
    ),
    (
        "members of a port channel with two kinds of FEC",
        "   description host h1\n   mtu 9214\n   speed 400g-8\n   service-profile ROCE\n!\ninterface Ethernet3/1\n   description host h2\n   mtu 9214\n   speed 400g-8\n",
        "   description host h1\n   mtu 9214\n   speed 100g-4\n   error-correction encoding reed-solomon\n   channel-group 1 mode active\n   service-profile ROCE\n!\ninterface Ethernet3/1\n   description host h2\n   mtu 9214\n   speed 100g-4\n   error-correction encoding fire-code\n   channel-group 1 mode active\n",
        Warning("LINK012"),
    ),
    (
        "a port channel of two equal ports",
        "   description host h1\n   mtu 9214\n   speed 400g-8\n   service-profile ROCE\n!\ninterface Ethernet3/1\n   description host h2\n   mtu 9214\n   speed 400g-8\n",
        "   description host h1\n   mtu 9214\n   speed 400g-8\n   channel-group 1 mode active\n   service-profile ROCE\n!\ninterface Ethernet3/1\n   description host h2\n   mtu 9214\n   speed 400g-8\n   channel-group 1 mode active\n",
        Harmless,
    ),
    (
        "port channel to two switches",
        "   description host h1\n   mtu 9214\n   speed 400g-8\n   service-profile ROCE\n!\ninterface Ethernet3/1\n   description host h2\n   mtu 9214\n   speed 400g-8\n",
        "   description to tor2:Ethernet0\n   mtu 9214\n   speed 400g-8\n   channel-group 1 mode active\n   service-profile ROCE\n!\ninterface Ethernet3/1\n   description to tor3:Ethernet0\n   mtu 9214\n   speed 400g-8\n   channel-group 1 mode active\n",
        Warning("LINK012"),
    ),
    (
        "other ECN thresholds on one port",
        "   description host h1\n",
        "   description host h1\n   uc-tx-queue 3\n      random-detect ecn minimum-threshold 10 kbytes maximum-threshold 20 kbytes max-mark-probability 100 weight 0\n",
        Warning("ECN019"),
    ),
    (
        "other watchdog times on one port",
        "   description host h1\n",
        "   description host h1\n   priority-flow-control pause watchdog port timer timeout 1.5 polling-interval 0.1 recovery-time 1.5 forced\n",
        Warning("WD024"),
    ),
];

pub(crate) const OF_NVUE: &[Operator] = &[
    ("RoCE in lossy mode with a watchdog", "mode: lossless", "mode: lossy", Warning("WD012")),
    ("unknown RoCE mode", "mode: lossless", "mode: lossles", Warning("SRC006")),
    (
        "no watchdog on one port",
        "        qos:\n          pfc-watchdog:\n            state: enable\n        type: swp\n      swp2-4",
        "        type: swp\n      swp2-4",
        Error("WD013"),
    ),
    (
        "watchdog disabled",
        "            state: enable\n        type: swp\n    qos:",
        "            state: disable\n        type: swp\n    qos:",
        Error("WD013"),
    ),
    ("more than all memory", "memory-percent: 40", "memory-percent: 90", Error("BUF006")),
    ("no memory for the lossless pool", "memory-percent: 60", "memory-percent: 0", Error("BUF003")),
    (
        "MTU of one port",
        "          mtu: 9214\n          speed: 400G",
        "          mtu: 1500\n          speed: 400G",
        Warning("LINK010"),
    ),
    ("MTU that is no number", "mtu: 9214\n          speed", "mtu: jumbo\n          speed", Warning("SRC006")),
    ("slow detection", "robustness: 2", "robustness: 50", Warning("WD025")),
    (
        "best effort in the lossless class",
        "      roce:\n",
        "      mapping:\n        default-global:\n          dscp:\n            '0':\n              switch-priority: 3\n      roce:\n",
        Warning("PFC015"),
    ),
    (
        "lossy class in the lossless queue",
        "      roce:\n",
        "      egress-queue-mapping:\n        default-global:\n          switch-priority:\n            '5':\n              traffic-class: 3\n      roce:\n",
        Error("PFC014"),
    ),
    (
        "port that trusts nothing",
        "      roce:\n",
        "      mapping:\n        default-global:\n          trust: port\n      roce:\n",
        Error("PFC008"),
    ),
    (
        "Kmax below Kmin",
        "      roce:\n",
        "      congestion-control:\n        default-global:\n          traffic-class:\n            '3':\n              max-threshold: 1000\n      roce:\n",
        Error("ECN001"),
    ),
    (
        "ECN disabled",
        "      roce:\n",
        "      congestion-control:\n        default-global:\n          traffic-class:\n            '3':\n              ecn: disable\n      roce:\n",
        Error("ECN007"),
    ),
    (
        "strict priority of the lossless queue",
        "      roce:\n",
        "      egress-scheduler:\n        default-global:\n          traffic-class:\n            '3':\n              mode: strict\n      roce:\n",
        Warning("SCHED002"),
    ),
    (
        "PFC frames are not sent",
        "      roce:\n",
        "      pfc:\n        default-global:\n          switch-priority:\n            '3': {}\n          tx: disable\n      roce:\n",
        Error("PFC012"),
    ),
    (
        "PFC profile that does not exist",
        "          pfc-watchdog:\n            state: enable\n        type: swp\n      swp2-4",
        "          pfc:\n            profile: ROCEE\n          pfc-watchdog:\n            state: enable\n        type: swp\n      swp2-4",
        Error("MAP010"),
    ),
    (
        "repeated key",
        "        mode: lossless\n",
        "        mode: lossless\n        mode: lossless\n",
        Error("SRC003"),
    ),
    ("RoCE mode left at its default", "        mode: lossless\n", "", Harmless),
    ("another model", "model: MSN4700", "model: MSN3700", Harmless),
    ("quotes", "enable: on", "enable: 'on'", Harmless),
    (
        "a loopback address",
        "        type: loopback\n",
        "        ip:\n          address:\n            192.0.2.1/32: {}\n        type: loopback\n",
        Harmless,
    ),
    ("state in the newer form", "            up: {}\n", "            up: {}\n\n", Harmless),
];

pub(crate) const OF_COMMANDS: &[Operator] = &[
    ("Kmin a thousand times too small", "min-threshold 150000", "min-threshold 150", Error("ECN013")),
    (
        "small share of the lossless queue",
        "nv set qos traffic-pool default-lossy memory-percent 50\n",
        "nv set qos traffic-pool default-lossy memory-percent 50\nnv set qos egress-scheduler default-global traffic-class 3 mode dwrr\nnv set qos egress-scheduler default-global traffic-class 3 bw-percent 1\nnv set qos egress-scheduler default-global traffic-class 0 mode dwrr\nnv set qos egress-scheduler default-global traffic-class 0 bw-percent 99\n",
        Warning("SCHED005"),
    ),
    (
        "PFC without a pool",
        "nv set qos traffic-pool default-lossless memory-percent 50\n",
        "",
        Error("PFC002"),
    ),
    (
        "no DSCP in the lossless class",
        "dscp 26 switch-priority 3",
        "dscp 26 switch-priority 0",
        Error("PFC008"),
    ),
    (
        "lossless priority that no DSCP has",
        "pfc ROCE switch-priority 3",
        "pfc ROCE switch-priority 4",
        Error("PFC008"),
    ),
    ("802.1p priorities are trusted", "trust l3", "trust l2", Warning("PFC008")),
    ("PFC frames are ignored", "pfc ROCE rx enable", "pfc ROCE rx disable", Error("PFC012")),
    (
        "PFC profile of one port removed",
        "nv set interface swp1-4 qos pfc profile",
        "nv set interface swp1-3 qos pfc profile",
        Warning("PFC010"),
    ),
    (
        "misspelt profile",
        "qos congestion-control profile ROCE",
        "qos congestion-control profile ROCCE",
        Error("MAP010"),
    ),
    ("ECN of another queue", "traffic-class 3 ecn enable", "traffic-class 4 ecn enable", Warning("ECN007")),
    ("RED without ECN", "traffic-class 3 ecn enable", "traffic-class 3 red enable", Error("ECN008")),
    ("marking probability of 0", "probability 100", "probability 0", Error("ECN002")),
    ("Kmin of 0", "min-threshold 150000", "min-threshold 0", Error("ECN005")),
    (
        "lossy class in the lossless queue",
        "switch-priority 0 traffic-class 0",
        "switch-priority 0 traffic-class 3",
        Error("PFC014"),
    ),
    (
        "link pause on PFC ports",
        "nv config apply",
        "nv set qos link-pause PAUSE rx enable\nnv set interface swp2 qos link-pause profile PAUSE\nnv config apply",
        Error("PFC017"),
    ),
    ("no watchdog on one port", "swp1-4 qos pfc-watchdog", "swp1-3 qos pfc-watchdog", Error("WD013")),
    (
        "watchdog unset",
        "nv config apply",
        "nv unset interface swp1 qos pfc-watchdog\nnv config apply",
        Error("WD013"),
    ),
    ("quote that is never closed", "\"to spine9 swp3\"", "\"to spine9 swp3", Error("SRC001")),
    (
        "a later command replaces an earlier one",
        "nv set interface swp1-4 link mtu 9214",
        "nv set interface swp1-4 link mtu 1500\nnv set interface swp1-4 link mtu 9214",
        Harmless,
    ),
    ("a comment", "nv config apply", "# apply it\nnv config apply", Harmless),
];

pub(crate) const OF_NXOS: &[Operator] = &[
    (
        "small share of the lossless queue",
        "bandwidth remaining percent 60",
        "bandwidth remaining percent 1",
        Warning("SCHED005"),
    ),
    (
        "shaper of the lossless queue",
        "    bandwidth remaining percent 60\n",
        "    bandwidth remaining percent 60\n    shape min 0 kbps max 1000000 kbps\n",
        Warning("SCHED005"),
    ),
    (
        "Kmin in bytes instead of kilobytes",
        "minimum-threshold 150 kbytes",
        "minimum-threshold 150 bytes",
        Error("ECN013"),
    ),
    (
        "class that requires two DSCPs at once",
        "class-map type qos match-any RDMA\n  match dscp 26\n",
        "class-map type qos match-all RDMA\n  match dscp 26\n  match dscp 24\n",
        Error("PFC008"),
    ),
    (
        "class that requires its only DSCP",
        "class-map type qos match-any RDMA",
        "class-map type qos match-all RDMA",
        Harmless,
    ),
    (
        "no input policy on one port",
        "  service-policy type qos input CLASSIFY\n  no shutdown\n\ninterface Ethernet1/2-4",
        "  no shutdown\n\ninterface Ethernet1/2-4",
        Warning("MAP014"),
    ),
    (
        "watchdog off for the whole switch",
        "priority-flow-control watch-dog-interval on\n\n",
        "priority-flow-control watch-dog-interval off\n\n",
        Error("WD013"),
    ),
    ("watchdog on the ports only", "priority-flow-control watch-dog-interval on\n\n", "\n", Error("WD013")),
    ("network policy not applied", "  service-policy type network-qos LOSSLESS\n", "", Warning("MAP011")),
    (
        "network policy that does not exist",
        "type network-qos LOSSLESS\n  service",
        "type network-qos LOSLESS\n  service",
        Error("MAP010"),
    ),
    (
        "PFC off on one port",
        "description spine1:swp2\n  priority-flow-control mode on",
        "description spine1:swp2\n  priority-flow-control mode off",
        Error("PFC016"),
    ),
    (
        "PFC left to DCBX",
        "description spine1:swp2\n  priority-flow-control mode on",
        "description spine1:swp2\n  priority-flow-control mode auto",
        Warning("PFC016"),
    ),
    ("DSCP in another class", "    set qos-group 3", "    set qos-group 2", Error("PFC008")),
    ("class map that matches another DSCP", "  match dscp 26", "  match dscp 0", Warning("PFC015")),
    ("class by an access list", "  match dscp 26", "  match access-group name RDMA", Harmless),
    ("class map that does not exist", "  class RDMA\n", "  class RDMMA\n", Error("MAP010")),
    (
        "policy map that does not exist",
        "input CLASSIFY\n  no shutdown\n\ninterface Ethernet1/2",
        "input CLASSIFYY\n  no shutdown\n\ninterface Ethernet1/2",
        Error("MAP010"),
    ),
    ("DSCP that does not exist", "  match dscp 26", "  match dscp 66", Warning("SRC006")),
    ("WRED without ECN", " weight 0 ecn", " weight 0", Error("ECN008")),
    (
        "no ECN",
        "    random-detect minimum-threshold 150 kbytes maximum-threshold 1500 kbytes drop-probability 100 weight 0 ecn\n",
        "",
        Warning("ECN007"),
    ),
    ("Kmax below Kmin", "maximum-threshold 1500 kbytes", "maximum-threshold 15 kbytes", Error("ECN001")),
    (
        "strict priority of the lossless queue",
        "    bandwidth remaining percent 60\n",
        "    priority level 1\n",
        Warning("SCHED002"),
    ),
    (
        "no watchdog on one port",
        "mode on\n  priority-flow-control watch-dog-interval on\n  mtu 9216\n  service-policy type qos input CLASSIFY\n  no shutdown\n\ninterface Ethernet1/2",
        "mode on\n  priority-flow-control watch-dog-interval off\n  mtu 9216\n  service-policy type qos input CLASSIFY\n  no shutdown\n\ninterface Ethernet1/2",
        Error("WD013"),
    ),
    (
        "MTU of one port",
        "watch-dog-interval on\n  mtu 9216\n  service-policy type qos input CLASSIFY\n  no shutdown\n\ninterface Ethernet1/2",
        "watch-dog-interval on\n  mtu 1500\n  service-policy type qos input CLASSIFY\n  no shutdown\n\ninterface Ethernet1/2",
        Warning("LINK010"),
    ),
    (
        "802.3x pause",
        "description spine1:swp2\n",
        "description spine1:swp2\n  flowcontrol receive on\n",
        Error("PFC017"),
    ),
    ("PFC priority that does not exist", "pause pfc-cos 3", "pause pfc-cos 8", Warning("SRC006")),
    ("name of a DSCP", "match dscp 26", "match dscp af31", Harmless),
    ("another feature", "feature lldp", "feature lacp", Harmless),
    ("another description", "description spine1:swp2", "description server", Harmless),
];

/// Defects that are seen in two independent ways.
const TWO_FINDINGS: &[&str] = &[
    // Each new lossless queue lacks ECN, too.
    "three lossless priorities",
    // EOS and NX-OS ignore a value that they refuse, which is a warning; here, the consequence is an error.
    "DSCP that does not exist",
];

/// Applies an operator. Returns whether the outcome is as expected, and why not.
fn outcome(text: &str, operator: &Operator) -> Result<(), String> {
    let (_, from, to, expect) = operator;
    if !text.contains(from) {
        return Err("the operator does not apply".into());
    }
    let changed = if *from == "\n" { text.replace(from, to) } else { text.replacen(from, to, 1) };
    let found = found(&changed);
    let (code, severity) = match expect {
        Harmless if found.is_empty() => return Ok(()),
        Harmless => return Err(format!("{found:#?}")),
        Error(code) => (*code, Severity::Error),
        Warning(code) => (*code, Severity::Warning),
    };
    let hit = found.iter().find(|f| f.code == code && f.severity == severity);
    let Some(hit) = hit else { return Err(format!("expected {code}, found {found:#?}")) };
    if hit.position.line < 2 && text != COMMANDS {
        return Err(format!("no position: {hit:#?}"));
    }
    Ok(())
}

fn page() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/check-device-mutations.md")
}

#[test]
fn injected_defects_are_found_and_harmless_changes_are_not_reported() {
    let files = [
        ("EOS", "running configuration", EOS, OF_EOS),
        ("NVUE", "YAML", NVUE, OF_NVUE),
        ("NVUE", "`nv set` commands", COMMANDS, OF_COMMANDS),
        ("NX-OS", "running configuration", NXOS, OF_NXOS),
    ];
    let mut text = "# Injected defects in configurations of NVUE, EOS and NX-OS\n\n\
        <!-- Generated by `HARRIER_WRITE_DOCS=1 cargo test -p harrier-buffer-config --test devices`. -->\n\n\
        Each operator changes one correct configuration (`buffer-config/tests/devices/fixtures`). A defect counts as found if\n\
        the check reports a finding with the expected code at its line. Harmless changes must cause no warning and no error.\n\n\
        | system | file | change | expected |\n|---|---|---|---|\n"
        .to_string();
    let mut wrong = Vec::new();
    for (system, kind, base, operators) in files {
        for operator in operators {
            let (name, .., expect) = operator;
            let expected = match expect {
                Harmless => "nothing".to_string(),
                Error(code) => format!("error {code}"),
                Warning(code) => format!("warning {code}"),
            };
            writeln!(text, "| {system} | {kind} | {name} | {expected} |").expect("a String");
            if let Err(why) = outcome(base, operator) {
                wrong.push(format!("{system}, {name}: {why}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} operators:\n{}", wrong.len(), wrong.join("\n"));
    if std::env::var_os("HARRIER_WRITE_DOCS").is_some() {
        std::fs::write(page(), &text).expect("docs can be written");
    }
    assert_eq!(
        std::fs::read_to_string(page()).unwrap_or_default(),
        text,
        "write it with HARRIER_WRITE_DOCS=1"
    );
}

#[test]
fn one_defect_is_one_finding() {
    let files = [
        ("EOS", EOS, OF_EOS),
        ("NVUE", NVUE, OF_NVUE),
        ("nv set", COMMANDS, OF_COMMANDS),
        ("NX-OS", NXOS, OF_NXOS),
    ];
    let mut wrong = Vec::new();
    for (system, base, operators) in files {
        for (name, from, to, _) in operators {
            let found = found(&base.replacen(from, to, 1));
            if found.len() > 1 && !TWO_FINDINGS.contains(name) {
                let all: Vec<String> = found
                    .iter()
                    .map(|f| format!("  {} {:?} {} {}", f.code, f.severity, f.pointer, f.message))
                    .collect();
                wrong.push(format!("{system}, {name}:\n{}", all.join("\n")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn findings_have_commands_of_their_system() {
    let check = |text: &str, from: &str, to: &str, code: &str, expected: &[&str]| {
        let found = found(&text.replacen(from, to, 1));
        let hit = found.iter().find(|f| f.code == code).unwrap_or_else(|| panic!("{code} in {found:#?}"));
        assert_eq!(hit.commands, expected, "{code}");
    };
    check(
        EOS,
        "   description host h1\n",
        "   description host h1\n   flowcontrol receive on\n",
        "PFC017",
        &["interface Ethernet2/1", "   flowcontrol receive off", "   flowcontrol send off"],
    );
    check(
        NVUE,
        "            state: enable\n        type: swp\n    qos:",
        "            state: disable\n        type: swp\n    qos:",
        "WD013",
        &["nv set interface swp2,swp3,swp4 qos pfc-watchdog state enable", "nv config apply"],
    );
    check(
        NXOS,
        "description spine1:swp2\n  priority-flow-control mode on",
        "description spine1:swp2\n  priority-flow-control mode off",
        "PFC016",
        &["interface Ethernet1/1", "  priority-flow-control mode on"],
    );
}
