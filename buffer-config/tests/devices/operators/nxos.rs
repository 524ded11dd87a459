//! Operators on the running configuration of NX-OS.

use super::Expect::{Error, Harmless, Warning};
use super::Operator;

/// The class of RDMA by an access list.
macro_rules! listed {
    ($list:expr) => {
        concat!($list, "class-map type qos match-any RDMA\n  match access-group name ROCE\n")
    };
}

/// Input queues with the thresholds of the lossless one.
macro_rules! input_queue {
    ($pause:expr) => {
        concat!(
            "policy-map type queuing IN\n  class type queuing c-in-q3\n    pause ",
            $pause,
            "\nsystem qos\n  service-policy type queuing input IN\n"
        )
    };
}

/// One port with an access list for received packets.
macro_rules! filtered {
    ($rules:expr) => {
        concat!("ip access-list FILTER\n", $rules, "interface Ethernet1/1\n  ip access-group FILTER in\n")
    };
}

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
    (
        "class by an access list",
        RDMA,
        listed!("ip access-list ROCE\n  10 permit udp any any eq 4791\n"),
        Harmless,
    ),
    ("access list that does not exist", RDMA, listed!(""), Error("MAP010")),
    ("access list without rules", RDMA, listed!("ip access-list ROCE\n"), Error("MAP018")),
    (
        "access list of another protocol",
        RDMA,
        listed!("ip access-list ROCE\n  10 permit tcp any any eq 4791\n"),
        Error("MAP018"),
    ),
    (
        "access list of another UDP port",
        RDMA,
        listed!("ip access-list ROCE\n  10 permit udp any any eq 4971\n"),
        Warning("MAP018"),
    ),
    (
        "access list of the source port",
        RDMA,
        listed!("ip access-list ROCE\n  10 permit udp any eq 4791 any\n"),
        Error("MAP018"),
    ),
    (
        "access list that denies RoCEv2 first",
        RDMA,
        listed!("ip access-list ROCE\n  10 deny udp any any eq 4791\n  20 permit udp any any eq 4791\n"),
        Warning("MAP018"),
    ),
    (
        "access list that denies everything last",
        RDMA,
        listed!("ip access-list ROCE\n  10 permit udp any any eq 4791\n  20 deny ip any any\n"),
        Warning("MAP018"),
    ),
    (
        "access list of a range of UDP ports",
        RDMA,
        listed!(
            "ip access-list ROCE\n  remark RoCEv2\n  10 permit udp 10.0.0.0 0.255.255.255 addrgroup HOSTS gt 4000\n"
        ),
        Harmless,
    ),
    (
        "access list of iSCSI",
        RDMA,
        listed!("ip access-list ROCE\n  10 permit tcp any any eq 3260\n"),
        Harmless,
    ),
    (
        "access list that permits everything",
        RDMA,
        listed!("ip access-list ROCE\n  10 permit ip any any\n"),
        Warning("PFC015"),
    ),
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
    ("PFC is on, but no class is lossless", "    pause pfc-cos 3\n", "", Error("PFC016")),
    ("PFC priority that does not exist", "pause pfc-cos 3", "pause pfc-cos 8", Warning("SRC006")),
    ("name of a DSCP", "match dscp 26", "match dscp af31", Harmless),
    ("another feature", "feature lldp", "feature lacp", Harmless),
    ("another description", "description spine1:swp2", "description server", Harmless),
    (
        "default class in the lossless group",
        "    set qos-group 0\n",
        "    set qos-group 3\n",
        Warning("PFC015"),
    ),
    (
        "policy map that sets DSCP 0",
        "    set qos-group 3\n",
        "    set qos-group 3\n    set dscp 0\n",
        Warning("MAP012"),
    ),
    (
        "policy map that sets DSCP 8 by its name",
        "    set qos-group 3\n",
        "    set qos-group 3\n    set dscp cs1\n",
        Warning("MAP012"),
    ),
    (
        "policy map that sets the DSCP of the class",
        "    set qos-group 3\n",
        "    set qos-group 3\n    set dscp af31\n",
        Harmless,
    ),
    (
        "policy map that sets IP precedence 0",
        "    set qos-group 3\n",
        "    set qos-group 3\n    set precedence 0\n",
        Warning("MAP012"),
    ),
    (
        "policy map that sets 802.1p priority 0",
        "    set qos-group 3\n",
        "    set qos-group 3\n    set cos 0\n",
        Warning("MAP012"),
    ),
    (
        "policy map that sets the 802.1p priority of the class",
        "    set qos-group 3\n",
        "    set qos-group 3\n    set cos 3\n",
        Harmless,
    ),
    (
        "policy map that gives a lossy class the lossless DSCP",
        "    set qos-group 7\n",
        "    set qos-group 7\n    set dscp 26\n",
        Warning("MAP012"),
    ),
    (
        "output policy map that sets DSCP 0",
        "system qos\n",
        "policy-map type qos EGRESS\n  class RDMA\n    set dscp 0\nsystem qos\n  service-policy type qos output EGRESS\n",
        Warning("MAP012"),
    ),
    (
        "policer of the lossless class",
        "    set qos-group 3\n",
        "    set qos-group 3\n    police cir 1 gbps bc 200 ms conform transmit violate drop\n",
        Warning("MAP019"),
    ),
    (
        "policer of the lossless class in percent",
        "    set qos-group 3\n",
        "    set qos-group 3\n    police cir percent 50 bc 200 ms conform transmit violate drop\n",
        Warning("MAP019"),
    ),
    (
        "policer that drops nothing",
        "    set qos-group 3\n",
        "    set qos-group 3\n    police cir 1 gbps bc 200 ms conform transmit violate transmit\n",
        Harmless,
    ),
    (
        "policer of a lossy class",
        "    set qos-group 7\n",
        "    set qos-group 7\n    police cir 1 gbps bc 200 ms conform transmit violate drop\n",
        Harmless,
    ),
    (
        "policy map with the lossless class not applied",
        "policy-map type qos CLASSIFY\n",
        "policy-map type qos CLASSIFY\n  class class-default\n    set qos-group 0\npolicy-map type qos OTHER\n",
        Warning("MAP011"),
    ),
    ("MTU of the lossless class", "    mtu 9216\n    pause", "    mtu 1500\n    pause", Warning("LINK010")),
    (
        "shares of more than 100 %",
        "bandwidth remaining percent 40",
        "bandwidth remaining percent 90",
        Warning("SRC006"),
    ),
    (
        "input queues",
        "system qos\n",
        input_queue!("buffer-size 101920 pause-threshold 46800 resume-threshold 34320"),
        Harmless,
    ),
    (
        "input queue that resumes above its pause threshold",
        "system qos\n",
        input_queue!("buffer-size 101920 pause-threshold 46800 resume-threshold 56800"),
        Error("PG012"),
    ),
    (
        "input queue without headroom",
        "system qos\n",
        input_queue!("buffer-size 46800 pause-threshold 46800 resume-threshold 34320"),
        Error("PG005"),
    ),
    (
        "access list of a port that drops RoCEv2",
        PORT,
        filtered!("  10 deny udp any any eq 4791\n  20 permit ip any any\n"),
        Warning("MAP013"),
    ),
    (
        "access list of a port that permits TCP only",
        PORT,
        filtered!("  10 permit tcp any any\n"),
        Warning("MAP013"),
    ),
    (
        "access list of a port that drops telnet",
        PORT,
        filtered!("  10 deny tcp any any eq telnet\n  20 permit ip any any\n"),
        Harmless,
    ),
    (
        "access list of a port that permits RoCEv2 first",
        PORT,
        filtered!("  10 permit udp any any eq 4791\n  20 deny udp any any\n"),
        Harmless,
    ),
    (
        "class that matches the IP precedence of its DSCPs",
        "  match dscp 26",
        "  match precedence 3",
        Harmless,
    ),
    (
        "class that matches another IP precedence",
        "  match dscp 26",
        "  match precedence 0",
        Warning("PFC015"),
    ),
];

/// The class map of the lossless class.
const RDMA: &str = "class-map type qos match-any RDMA\n  match dscp 26\n";
/// The start of a port's block, before which definitions are added.
const PORT: &str = "interface Ethernet1/1\n";
