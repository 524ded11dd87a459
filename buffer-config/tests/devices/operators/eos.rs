//! Operators on the running configuration of EOS.

use super::Expect::{Error, Harmless, Warning};
use super::Operator;

/// One port with a policy map whose class has the packets of an access list.
macro_rules! with_parts {
    ($list:expr, $set:expr) => {
        concat!(
            $list,
            "class-map type qos match-any ROCE\n   match ip access-group ROCE\n!\n",
            "policy-map type quality-of-service ROCE\n   class ROCE\n",
            $set,
            "!\ninterface Ethernet2/1\n   description host h1\n   service-policy type qos input ROCE\n"
        )
    };
}

/// The same with the access list of RoCEv2, and these actions.
macro_rules! with_policy {
    ($set:expr) => {
        with_parts!("ip access-list ROCE\n   10 permit udp any any eq 4791\n!\n", $set)
    };
}

/// The same with another access list, and the lossless class.
macro_rules! with_list {
    ($list:expr) => {
        with_parts!($list, "      set traffic-class 3\n")
    };
}

/// One port with an access list for received packets.
macro_rules! filtered {
    ($rules:expr) => {
        concat!(
            "ip access-list FILTER\n",
            $rules,
            "!\ninterface Ethernet2/1\n   description host h1\n   ip access-group FILTER in\n"
        )
    };
}

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
        Error("PFC016"),
    ),
    (
        "PFC is on, but no priority is lossless",
        "   priority-flow-control priority 3 no-drop\n",
        "",
        Error("PFC016"),
    ),
    (
        "watchdog that only reports a storm",
        "watchdog action drop",
        "watchdog action notify-only",
        Warning("WD006"),
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
        Error("PFC016"),
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
    (
        "DSCP rewrite of the lossless class",
        "qos map dscp 26 to",
        "qos rewrite dscp\nqos map traffic-class 3 to dscp 0\nqos map dscp 26 to",
        Warning("MAP012"),
    ),
    (
        "DSCP of the lossless class without a rewrite",
        "qos map dscp 26 to",
        "qos map traffic-class 3 to dscp 0\nqos map dscp 26 to",
        Warning("MAP012"),
    ),
    (
        "DSCP rewrite to a DSCP that is mapped to another class",
        "qos map dscp 26 to",
        "qos rewrite dscp\nqos map dscp 24 to traffic-class 1\nqos map dscp 26 to",
        Warning("MAP012"),
    ),
    (
        "DSCP rewrite of a lossy class to a lossless DSCP",
        "qos map dscp 26 to",
        "qos rewrite dscp\nqos map traffic-class 1 to dscp 26\nqos map dscp 26 to",
        Warning("MAP012"),
    ),
    (
        "DSCP rewrite to the DSCP of the class",
        "qos map dscp 26 to",
        "qos rewrite dscp\nqos map traffic-class 3 to dscp 26\nqos map dscp 26 to",
        Harmless,
    ),
    (
        "DSCP rewrite by the default map",
        "qos map dscp 26 to",
        "qos rewrite dscp\nqos map dscp 26 to",
        Harmless,
    ),
    (
        "802.1p rewrite of the lossless class",
        "qos map dscp 26 to",
        "qos rewrite cos\nqos map traffic-class 2 3 to cos 0\nqos map dscp 26 to",
        Warning("MAP012"),
    ),
    (
        "802.1p rewrite to the priority of the class",
        "qos map dscp 26 to",
        "qos rewrite cos\nqos map traffic-class 3 to cos 3\nqos map dscp 26 to",
        Harmless,
    ),
    (
        "policy map that sets DSCP 0",
        PORT,
        with_policy!("      set traffic-class 3\n      set dscp 0\n"),
        Warning("MAP012"),
    ),
    (
        "policy map that sets DSCP cs1",
        PORT,
        with_policy!("      set traffic-class 3\n      set dscp cs1\n"),
        Warning("MAP012"),
    ),
    (
        "policy map that sets 802.1p priority 0",
        PORT,
        with_policy!("      set traffic-class 3\n      set cos 0\n"),
        Warning("MAP012"),
    ),
    (
        "policy map that sets the DSCP of the class",
        PORT,
        with_policy!("      set traffic-class 3\n      set dscp 26\n"),
        Harmless,
    ),
    (
        "policy map that sets DSCP 0 of packets with a lossless DSCP",
        PORT,
        "class-map type qos match-any RDMA\n   match dscp 26\n!\npolicy-map type quality-of-service RDMA\n   class RDMA\n      set dscp 0\n!\ninterface Ethernet2/1\n   description host h1\n   service-policy type qos input RDMA\n",
        Warning("MAP012"),
    ),
    (
        "policy map that puts RoCEv2 into a lossy class",
        PORT,
        with_policy!("      set traffic-class 1\n"),
        Warning("MAP018"),
    ),
    (
        "policy map that puts RoCEv2 into the lossless class",
        PORT,
        with_policy!("      set traffic-class 3\n"),
        Harmless,
    ),
    (
        "policer of the lossless class",
        PORT,
        with_policy!("      set traffic-class 3\n      police cir 1 gbps bc 256 kbytes\n"),
        Warning("MAP019"),
    ),
    (
        "policer by rate of the lossless class",
        PORT,
        with_policy!(
            "      set traffic-class 3\n      police rate 10 gbps burst-size 260 kbytes action set drop-precedence rate 30 gbps burst-size 270 kbytes\n"
        ),
        Warning("MAP019"),
    ),
    (
        "policer at the speed of the port",
        PORT,
        with_policy!("      set traffic-class 3\n      police cir 400 gbps bc 256 kbytes\n"),
        Harmless,
    ),
    (
        "policer of a lossy class",
        PORT,
        "class-map type qos match-any WEB\n   match dscp 8\n!\npolicy-map type quality-of-service WEB\n   class WEB\n      police cir 1 gbps bc 256 kbytes\n!\ninterface Ethernet2/1\n   description host h1\n   service-policy type qos input WEB\n",
        Harmless,
    ),
    ("access list that does not exist", PORT, with_list!(""), Error("MAP010")),
    ("access list without rules", PORT, with_list!("ip access-list ROCE\n!\n"), Warning("MAP018")),
    (
        "access list of another protocol",
        PORT,
        with_list!("ip access-list ROCE\n   10 permit tcp any any eq 4791\n!\n"),
        Warning("MAP018"),
    ),
    (
        "access list of another UDP port",
        PORT,
        with_list!("ip access-list ROCE\n   10 permit udp any any eq 4971\n!\n"),
        Warning("MAP018"),
    ),
    (
        "access list of the source port",
        PORT,
        with_list!("ip access-list ROCE\n   10 permit udp any eq 4791 any\n!\n"),
        Warning("MAP018"),
    ),
    (
        "access list that denies RoCEv2 first",
        PORT,
        with_list!(
            "ip access-list ROCE\n   10 deny udp any any eq 4791\n   20 permit udp any any eq 4791\n!\n"
        ),
        Warning("MAP018"),
    ),
    (
        "access list that denies everything first",
        PORT,
        with_list!("ip access-list ROCE\n   10 deny ip any any\n   20 permit udp any any eq 4791\n!\n"),
        Warning("MAP018"),
    ),
    (
        "access list that denies everything last",
        PORT,
        with_list!("ip access-list ROCE\n   10 permit udp any any eq 4791\n   20 deny ip any any\n!\n"),
        Harmless,
    ),
    (
        "access list of a range of UDP ports",
        PORT,
        with_list!(
            "ip access-list ROCE\n   10 remark RoCEv2\n   20 permit udp 10.0.0.0/8 host 192.0.2.1 range 4000 5000\n!\n"
        ),
        Harmless,
    ),
    (
        "access list that permits everything",
        PORT,
        with_list!("ip access-list ROCE\n   10 permit ip any any\n!\n"),
        Warning("PFC015"),
    ),
    (
        "shaper of one port",
        PORT,
        "interface Ethernet2/1\n   description host h1\n   shape rate 10000000\n",
        Warning("SCHED005"),
    ),
    (
        "shaper of a port above its speed",
        PORT,
        "interface Ethernet2/1\n   description host h1\n   shape rate 800000000\n",
        Harmless,
    ),
    (
        "shaper in the profile",
        "   qos trust dscp\n",
        "   qos trust dscp\n   shape rate 25000000\n",
        Warning("SCHED005"),
    ),
    (
        "policy map of the profile that polices the lossless class",
        "qos profile ROCE\n",
        "class-map type qos match-any RDMA\n   match dscp 26\n!\npolicy-map type quality-of-service RDMA\n   class RDMA\n      police cir 1 gbps bc 256 kbytes\n!\nqos profile ROCE\n   service-policy type qos input RDMA\n",
        Warning("MAP019"),
    ),
    (
        "access list of a port that drops RoCEv2",
        PORT,
        filtered!("   10 deny udp any any eq 4791\n   20 permit ip any any\n"),
        Warning("MAP013"),
    ),
    (
        "access list of a port that permits TCP only",
        PORT,
        filtered!("   10 permit tcp any any\n"),
        Warning("MAP013"),
    ),
    (
        "access list of a port that drops telnet",
        PORT,
        filtered!("   10 deny tcp any any eq telnet\n   20 permit ip any any\n"),
        Harmless,
    ),
    (
        "access list of a port that drops one host",
        PORT,
        filtered!("   10 deny ip host 192.0.2.1 any\n   20 permit ip any any\n"),
        Harmless,
    ),
];

/// The start of a port's block, before which definitions are added.
const PORT: &str = "interface Ethernet2/1\n   description host h1\n";
