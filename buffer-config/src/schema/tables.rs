//! The tables, one `TableSchema` each.

use super::Type::{Any, Int, List, Name, Names, Shape, Text, Word};
use super::types as t;
use super::{Leaf, MapSchema, TableSchema, Type};

const U8: Type = Int(0, 255);
const U16: Type = Int(0, 65535);
const U32: Type = Int(0, u32::MAX as i128);
const U64: Type = Int(0, u64::MAX as i128);
const BOOL: Type = Word(&["true", "false"]);
const LOOSE_BOOL: Type = Word(&["true", "false", "True", "False"]);
const ON_OFF: Type = Word(&["on", "off"]);
const ENABLED: Type = Word(&["enabled", "disabled"]);
const ENABLE: Type = Word(&["enable", "disable"]);
const HOSTNAME: Type = Text(1, 63);
const PORT: Type = Name("PORT", &[]);
const PROFILE: Type = Name("BUFFER_PROFILE", &[]);
const MAP_NAME: Type = Shape("letters, digits, `-` and `_`, at most 32", t::map_name);
const GROUPS: Type = Shape("a priority group or range in 0..=7, such as `3-4`", t::group_range);
const QUEUES: Type = Shape("a queue or range in 0..=15, such as `3-4`", t::queue_range);
const PRIORITY: Type = Shape("a number in 0..=7", t::priority);
const QUEUE: Type = Shape("a queue in 0..=9", t::queue_digit);
const DSCP: Type = Shape("a DSCP in 0..=63", t::dscp);
const TC: Type = Int(0, 15);
const PRIORITIES: Type = Shape("priorities in 0..=7, separated by commas", t::priorities);
const SPEED: Type = Int(1, 1_600_000);
const INTERFACE: Type = Word(&[
    "CR", "CR2", "CR4", "CR8", "SR", "SR2", "SR4", "SR8", "LR", "LR4", "LR8", "KR", "KR4", "KR8", "CAUI",
    "GMII", "SFI", "XLAUI", "KR2", "CAUI4", "XAUI", "XFI", "XGMII", "none",
]);
const INTERFACE_OR_ALL: Type = Word(&[
    "CR", "CR2", "CR4", "CR8", "SR", "SR2", "SR4", "SR8", "LR", "LR4", "LR8", "KR", "KR4", "KR8", "CAUI",
    "GMII", "SFI", "XLAUI", "KR2", "CAUI4", "XAUI", "XFI", "XGMII", "none", "all",
]);
const SPEED_OR_ALL: Type =
    Shape("Mbit/s or `all`", |s| s == "all" || t::whole(s).is_some_and(|n| (1..=1_600_000).contains(&n)));

const fn leaf(name: &'static str, ty: Type, code: &'static str) -> Leaf {
    Leaf { name, ty, is_mandatory: false, code }
}

const fn must(name: &'static str, ty: Type, code: &'static str) -> Leaf {
    Leaf { name, ty, is_mandatory: true, code }
}

const fn table(
    name: &'static str,
    lists: &'static [(&'static str, &'static [&'static str])],
    keys: &'static [Type],
    key_code: &'static str,
    leaves: &'static [Leaf],
) -> TableSchema {
    TableSchema { name, lists, keys, key_code, leaves, map: None }
}

const fn map(
    name: &'static str,
    lists: &'static [(&'static str, &'static [&'static str])],
    leaves: [&'static str; 2],
    from: Type,
    to: Type,
) -> TableSchema {
    let map = Some(MapSchema { leaves, from, to, code: "MAP001" });
    TableSchema { name, lists, keys: &[MAP_NAME], key_code: "MAP003", leaves: &[], map }
}

/// Tables of CONFIG_DB that do not concern buffers; they are skipped without a finding.
pub(super) const KNOWN_ELSEWHERE: &[&str] = &[
    "ACL_RULE",
    "ACL_TABLE",
    "ACL_TABLE_TYPE",
    "AUTO_TECHSUPPORT",
    "AUTO_TECHSUPPORT_FEATURE",
    "BGP_DEVICE_GLOBAL",
    "BGP_INTERNAL_NEIGHBOR",
    "BGP_MONITORS",
    "BGP_NEIGHBOR",
    "BGP_PEER_RANGE",
    "BGP_VOQ_CHASSIS_NEIGHBOR",
    "BREAKOUT_CFG",
    "BUFFER_PORT_INGRESS_PROFILE_LIST",
    "CHASSIS_MODULE",
    "CLASS_OF_SERVICE",
    "COPP_GROUP",
    "COPP_TRAP",
    "CRM",
    "DEVICE_NEIGHBOR",
    "DEVICE_NEIGHBOR_METADATA",
    "DHCP_RELAY",
    "DHCP_SERVER",
    "FEATURE",
    "FG_NHG",
    "FLOW_COUNTER_ROUTE_PATTERN",
    "INTERFACE",
    "KDUMP",
    "LLDP",
    "LOGGER",
    "LOOPBACK_INTERFACE",
    "MGMT_INTERFACE",
    "MGMT_PORT",
    "MGMT_VRF_CONFIG",
    "MCLAG_DOMAIN",
    "MCLAG_INTERFACE",
    "MCLAG_UNIQUE_IP",
    "MUX_CABLE",
    "MUX_LINKMGR",
    "NTP",
    "NTP_SERVER",
    "PASSW_HARDENING",
    "PEER_SWITCH",
    "PORT_STORM_CONTROL",
    "PORTCHANNEL",
    "PORTCHANNEL_INTERFACE",
    "PORTCHANNEL_MEMBER",
    "RESTAPI",
    "SNMP",
    "SNMP_COMMUNITY",
    "STATIC_ROUTE",
    "STORMCONTROL",
    "SYSLOG_CONFIG",
    "SYSLOG_CONFIG_FEATURE",
    "SYSLOG_SERVER",
    "SYSTEM_PORT",
    "TACPLUS",
    "TACPLUS_SERVER",
    "TELEMETRY",
    "VERSIONS",
    "VLAN",
    "VLAN_INTERFACE",
    "VLAN_MEMBER",
    "VLAN_SUB_INTERFACE",
    "VRF",
    "VNET",
    "VOQ_INBAND_INTERFACE",
    "VXLAN_EVPN_NVO",
    "VXLAN_TUNNEL",
    "VXLAN_TUNNEL_MAP",
    "WARM_RESTART",
    "XCVRD_LOG",
    "ZTP",
    "GNMI",
    "BANNER_MESSAGE",
    "AAA",
    "CONSOLE_SWITCH",
    "CONSOLE_PORT",
    "SFLOW",
    "SFLOW_COLLECTOR",
    "SFLOW_SESSION",
    "MIRROR_SESSION",
    "NEIGH",
    "NAT_GLOBAL",
    "POLICER",
    "PORT_INGRESS_MIRROR",
    "MACSEC_PROFILE",
    "ROUTE_REDISTRIBUTE",
    "SUPPRESS_VLAN_NEIGH",
    "SWITCH_HASH",
    "SWITCH_TRIMMING",
    "FABRIC_MONITOR",
    "FABRIC_PORT",
    "MACSEC",
];

/// Tables among those that rules read nevertheless.
pub(super) const READ_ELSEWHERE: &[&str] = &[
    "ACL_RULE",
    "ACL_TABLE",
    "BREAKOUT_CFG",
    "DEVICE_NEIGHBOR_METADATA",
    "INTERFACE",
    "LOOPBACK_INTERFACE",
    "MACSEC_PROFILE",
    "MIRROR_SESSION",
    "MUX_CABLE",
    "PEER_SWITCH",
    "POLICER",
    "PORTCHANNEL",
    "PORTCHANNEL_MEMBER",
    "SWITCH_HASH",
    "SWITCH_TRIMMING",
    "SYSTEM_PORT",
    "VERSIONS",
    "VLAN",
    "VLAN_MEMBER",
    "VOQ_INBAND_INTERFACE",
    "VXLAN_EVPN_NVO",
    "VXLAN_TUNNEL",
    "VXLAN_TUNNEL_MAP",
];

/// All tables whose fields are known.
pub(super) const TABLES: &[TableSchema] = &[
    table(
        "BUFFER_POOL",
        &[("BUFFER_POOL_LIST", &["name"])],
        &[Any],
        "BUF001",
        &[
            must("type", Word(&["ingress", "egress", "both"]), "BUF001"),
            must("mode", Word(&["static", "dynamic"]), "BUF002"),
            leaf("size", U64, "BUF003"),
            leaf("xoff", U64, "BUF004"),
            leaf("percentage", U8, "BUF005"),
        ],
    ),
    table(
        "BUFFER_PROFILE",
        &[("BUFFER_PROFILE_LIST", &["name"])],
        &[Any],
        "BUF007",
        &[
            leaf("static_th", U64, "BUF010"),
            leaf("dynamic_th", Int(-8, 7), "BUF008"),
            must("size", U64, "BUF007"),
            must("pool", Name("BUFFER_POOL", &[]), "BUF014"),
            leaf("xon_offset", U64, "BUF010"),
            leaf("xon", U64, "BUF010"),
            leaf("xoff", U64, "BUF010"),
            leaf("headroom_type", Word(&["static", "dynamic"]), "BUF012"),
            leaf("packet_discard_action", Word(&["drop", "trim"]), "BUF013"),
        ],
    ),
    table(
        "BUFFER_PG",
        &[("BUFFER_PG_LIST", &["port", "pg_num"])],
        &[PORT, GROUPS],
        "PG001",
        &[leaf("profile", Name("BUFFER_PROFILE", &["NULL"]), "PG002")],
    ),
    table(
        "BUFFER_QUEUE",
        &[
            ("BUFFER_QUEUE_LIST", &["port", "qindex"]),
            ("VOQ_BUFFER_QUEUE_LIST", &["hostname", "asic_name", "port", "qindex"]),
        ],
        &[PORT, QUEUES],
        "BUF034",
        &[must("profile", PROFILE, "BUF016")],
    ),
    table(
        "BUFFER_PORT_INGRESS_PROFILE_LIST",
        &[("BUFFER_PORT_INGRESS_PROFILE_LIST_LIST", &["port"])],
        &[PORT],
        "BUF017",
        &[leaf("profile_list", Names("BUFFER_PROFILE"), "BUF015")],
    ),
    table(
        "BUFFER_PORT_EGRESS_PROFILE_LIST",
        &[("BUFFER_PORT_EGRESS_PROFILE_LIST_LIST", &["port"])],
        &[PORT],
        "BUF017",
        &[leaf("profile_list", Names("BUFFER_PROFILE"), "BUF015")],
    ),
    TableSchema {
        map: Some(MapSchema {
            leaves: ["port", "length"],
            from: PORT,
            to: Shape("metres such as `40m`", t::metres),
            code: "LINK002",
        }),
        ..table("CABLE_LENGTH", &[("CABLE_LENGTH_LIST", &["name"])], &[MAP_NAME], "MAP003", &[])
    },
    table(
        "LOSSLESS_TRAFFIC_PATTERN",
        &[("LOSSLESS_TRAFFIC_PATTERN_LIST", &["name"])],
        &[MAP_NAME],
        "MAP003",
        &[must("mtu", Int(1, 9216), "BUF038"), must("small_packet_percentage", Int(0, 100), "BUF038")],
    ),
    table(
        "DEFAULT_LOSSLESS_BUFFER_PARAMETER",
        &[("DEFAULT_LOSSLESS_BUFFER_PARAMETER_LIST", &["name"])],
        &[MAP_NAME],
        "MAP003",
        &[must("default_dynamic_th", Int(-8, 7), "BUF039"), leaf("over_subscribe_ratio", U16, "BUF040")],
    ),
    table(
        "PFC_WD",
        &[("PFC_WD_LIST", &["ifname"])],
        &[Name("PORT", &["GLOBAL"])],
        "WD014",
        &[
            leaf("action", Word(&["drop", "forward", "alert"]), "WD006"),
            leaf("detection_time", Int(100, 5000), "WD001"),
            leaf("restoration_time", Int(100, 60000), "WD002"),
            leaf("pfc_stat_history", ENABLE, "WD015"),
            leaf("POLL_INTERVAL", Int(100, 1000), "WD003"),
        ],
    ),
    table(
        "QUEUE",
        &[
            ("QUEUE_LIST", &["ifname", "qindex"]),
            ("VOQ_QUEUE_LIST", &["hostname", "asic_name", "ifname", "qindex"]),
        ],
        &[Name("PORT", &["CPU"]), Any],
        "MAP007",
        &[
            leaf("scheduler", Name("SCHEDULER", &[]), "MAP006"),
            leaf("wred_profile", Name("WRED_PROFILE", &[]), "MAP006"),
        ],
    ),
    table(
        "SCHEDULER",
        &[("SCHEDULER_LIST", &["name"])],
        &[Any],
        "SCHED001",
        &[
            leaf("type", Word(&["DWRR", "WRR", "STRICT"]), "SCHED001"),
            leaf("weight", Int(1, 100), "SCHED001"),
            leaf("priority", Int(0, 9), "SCHED001"),
            leaf("meter_type", Word(&["packets", "bytes"]), "SCHED001"),
            leaf("cir", U64, "SCHED003"),
            leaf("pir", U64, "SCHED003"),
            leaf("cbs", U32, "SCHED003"),
            leaf("pbs", U32, "SCHED003"),
        ],
    ),
    table(
        "WRED_PROFILE",
        &[("WRED_PROFILE_LIST", &["name"])],
        &[MAP_NAME],
        "MAP003",
        &[
            leaf("yellow_min_threshold", U64, "ECN001"),
            leaf("green_min_threshold", U64, "ECN001"),
            leaf("red_min_threshold", U64, "ECN001"),
            leaf("yellow_max_threshold", U64, "ECN001"),
            leaf("green_max_threshold", U64, "ECN001"),
            leaf("red_max_threshold", U64, "ECN001"),
            leaf(
                "ecn",
                Word(&[
                    "ecn_none",
                    "ecn_green",
                    "ecn_yellow",
                    "ecn_red",
                    "ecn_green_yellow",
                    "ecn_green_red",
                    "ecn_yellow_red",
                    "ecn_all",
                ]),
                "ECN003",
            ),
            leaf("wred_green_enable", BOOL, "ECN004"),
            leaf("wred_yellow_enable", BOOL, "ECN004"),
            leaf("wred_red_enable", BOOL, "ECN004"),
            leaf("yellow_drop_probability", Int(0, 100), "ECN002"),
            leaf("green_drop_probability", Int(0, 100), "ECN002"),
            leaf("red_drop_probability", Int(0, 100), "ECN002"),
        ],
    ),
    table(
        "PORT_QOS_MAP",
        &[("PORT_QOS_MAP_LIST", &["ifname"])],
        &[Name("PORT", &["global"])],
        "BUF017",
        &[
            leaf("tc_to_pg_map", Name("TC_TO_PRIORITY_GROUP_MAP", &[]), "MAP004"),
            leaf("tc_to_queue_map", Name("TC_TO_QUEUE_MAP", &[]), "MAP004"),
            leaf("pfc_enable", PRIORITIES, "PFC001"),
            leaf("pfcwd_sw_enable", PRIORITIES, "PFC001"),
            leaf("pfc_to_queue_map", Name("MAP_PFC_PRIORITY_TO_QUEUE", &[]), "MAP004"),
            leaf("pfc_to_pg_map", Name("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", &[]), "MAP004"),
            leaf("dscp_to_tc_map", Name("DSCP_TO_TC_MAP", &[]), "MAP004"),
            leaf("tc_to_dscp_map", Name("TC_TO_DSCP_MAP", &[]), "MAP004"),
            leaf("dot1p_to_tc_map", Name("DOT1P_TO_TC_MAP", &[]), "MAP004"),
            // Not in the YANG model, but in orchagent (`qos_to_attr_map` in qosorch.cpp).
            leaf("mpls_tc_to_tc_map", Name("MPLS_TC_TO_TC_MAP", &[]), "MAP004"),
            leaf("tc_to_dot1p_map", Name("TC_TO_DOT1P_MAP", &[]), "MAP004"),
            leaf("dscp_to_fc_map", Name("DSCP_TO_FC_MAP", &[]), "MAP004"),
            leaf("exp_to_fc_map", Name("EXP_TO_FC_MAP", &[]), "MAP004"),
            leaf("scheduler", Name("SCHEDULER", &[]), "MAP004"),
        ],
    ),
    map("DSCP_TO_TC_MAP", &[("DSCP_TO_TC_MAP_LIST", &["name"])], ["dscp", "tc"], DSCP, TC),
    map("DOT1P_TO_TC_MAP", &[("DOT1P_TO_TC_MAP_LIST", &["name"])], ["dot1p", "tc"], PRIORITY, TC),
    map("MPLS_TC_TO_TC_MAP", &[("MPLS_TC_TO_TC_MAP_LIST", &["name"])], ["mpls", "tc"], PRIORITY, TC),
    map("TC_TO_QUEUE_MAP", &[("TC_TO_QUEUE_MAP_LIST", &["name"])], ["tc", "qindex"], TC, QUEUE),
    map(
        "TC_TO_PRIORITY_GROUP_MAP",
        &[("TC_TO_PRIORITY_GROUP_MAP_LIST", &["name"])],
        ["tc", "pg"],
        TC,
        PRIORITY,
    ),
    map(
        "MAP_PFC_PRIORITY_TO_QUEUE",
        &[("MAP_PFC_PRIORITY_TO_QUEUE_LIST", &["name"])],
        ["pfc_priority", "qindex"],
        PRIORITY,
        PRIORITY,
    ),
    map(
        "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
        &[("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP_LIST", &["name"])],
        ["pfc_priority", "pg"],
        PRIORITY,
        PRIORITY,
    ),
    map("TC_TO_DSCP_MAP", &[("TC_TO_DSCP_MAP_LIST", &["name"])], ["tc", "dscp"], TC, DSCP),
    map("TC_TO_DOT1P_MAP", &[("TC_TO_DOT1P_MAP_LIST", &["name"])], ["tc", "dot1p"], TC, PRIORITY),
    map("DSCP_TO_FC_MAP", &[("DSCP_TO_FC_MAP_LIST", &["name"])], ["dscp", "fc"], DSCP, PRIORITY),
    map("EXP_TO_FC_MAP", &[("EXP_TO_FC_MAP_LIST", &["name"])], ["exp", "fc"], PRIORITY, PRIORITY),
    table(
        "TUNNEL",
        &[("TUNNEL_LIST", &["tunnel_name"])],
        &[Any],
        "SRC006",
        &[
            leaf("tunnel_type", Word(&["IPINIP"]), "SRC006"),
            leaf("src_ip", Any, "SRC006"),
            leaf("dst_ip", Any, "SRC006"),
            leaf("dscp_mode", Word(&["uniform", "pipe"]), "SRC006"),
            leaf("ecn_mode", Word(&["copy_from_outer", "standard"]), "SRC006"),
            leaf("encap_ecn_mode", Word(&["standard"]), "SRC006"),
            leaf("ttl_mode", Word(&["uniform", "pipe"]), "SRC006"),
            leaf("decap_dscp_to_tc_map", Name("DSCP_TO_TC_MAP", &[]), "MAP004"),
            leaf("decap_tc_to_pg_map", Name("TC_TO_PRIORITY_GROUP_MAP", &[]), "MAP004"),
            leaf("encap_tc_to_dscp_map", Name("TC_TO_DSCP_MAP", &[]), "MAP004"),
            leaf("encap_tc_to_queue_map", Name("TC_TO_QUEUE_MAP", &[]), "MAP004"),
        ],
    ),
    table(
        "SYSTEM_DEFAULTS",
        &[("SYSTEM_DEFAULTS_LIST", &["name"])],
        &[Text(1, 32)],
        "SRC006",
        &[leaf("status", ENABLED, "SRC006")],
    ),
    table(
        "FLEX_COUNTER_TABLE",
        &[],
        &[Any],
        "SRC006",
        &[
            leaf("FLEX_COUNTER_STATUS", ENABLE, "WD016"),
            leaf("FLEX_COUNTER_DELAY_STATUS", LOOSE_BOOL, "SRC006"),
            leaf("POLL_INTERVAL", Int(100, u32::MAX as i128), "SRC006"),
            leaf("BULK_CHUNK_SIZE", Int(1, u32::MAX as i128), "SRC006"),
            leaf("BULK_CHUNK_SIZE_PER_PREFIX", Any, "SRC006"),
        ],
    ),
    table(
        "FLOW_COUNTER_ROUTE_PATTERN",
        &[
            ("FLOW_COUNTER_ROUTE_PATTERN_LIST", &["ip_prefix"]),
            ("FLOW_COUNTER_ROUTE_PATTERN_VRF_LIST", &["vrf_name", "ip_prefix"]),
        ],
        &[Shape("an IP prefix", t::prefix)],
        "SRC006",
        &[leaf("max_match_count", Int(1, 50), "SRC006")],
    ),
    table("VRF", &[("VRF_LIST", &["name"])], &[Any], "SRC006", &[]),
    table("DEVICE_NEIGHBOR", &[("DEVICE_NEIGHBOR_LIST", &["peer_name"])], &[Any], "SRC006", &[]),
    table(
        "PORT",
        &[("PORT_LIST", &["name"])],
        &[Text(1, 128)],
        "LINK003",
        &[
            leaf("core_id", Text(1, 16), "SRC006"),
            leaf("core_port_id", Text(1, 16), "SRC006"),
            leaf("num_voq", Text(1, 16), "SRC006"),
            leaf("alias", Text(1, 128), "SRC006"),
            leaf("lanes", Shape("numbers of lanes, each once, separated by commas", t::lanes), "LINK003"),
            leaf("mode", Word(&["routed", "access", "trunk"]), "SRC006"),
            leaf("description", Text(0, 255), "SRC006"),
            must("speed", SPEED, "LINK003"),
            leaf("dhcp_rate_limit", U32, "SRC006"),
            leaf("link_training", ON_OFF, "LINK003"),
            leaf("autoneg", ON_OFF, "LINK009"),
            leaf("adv_speeds", List(&SPEED_OR_ALL), "LINK009"),
            leaf("interface_type", INTERFACE, "LINK003"),
            leaf("adv_interface_types", List(&INTERFACE_OR_ALL), "LINK009"),
            leaf("mtu", Int(68, 9216), "LINK003"),
            leaf("subport", Int(0, 8), "SRC006"),
            leaf("index", U16, "LINK003"),
            leaf("asic_port_name", Any, "SRC006"),
            leaf("role", Word(&["Ext", "Int", "Inb", "Rec", "Dpc"]), "LINK003"),
            leaf("admin_status", Word(&["up", "down"]), "LINK003"),
            leaf("fec", Word(&["rs", "fc", "none", "auto"]), "LINK003"),
            leaf("dom_polling", ENABLED, "SRC006"),
            leaf("pfc_asym", ON_OFF, "LINK003"),
            leaf("tpid", Word(&["0x8100", "0x9100", "0x9200", "0x88a8", "0x88A8"]), "LINK003"),
            leaf("mux_cable", BOOL, "SRC006"),
            leaf("macsec", Any, "SRC006"),
            leaf("tx_power", Shape("a number with one decimal", t::decimal), "SRC006"),
            leaf("laser_freq", Int(i32::MIN as i128, i32::MAX as i128), "SRC006"),
            leaf("fast_linkup", BOOL, "SRC006"),
        ],
    ),
    table("DEVICE_METADATA", &[], &[Any], "SRC006", METADATA),
];

const ROLES: Type = Word(&[
    "ToRRouter",
    "LeafRouter",
    "SpineChassisFrontendRouter",
    "ChassisBackendRouter",
    "ASIC",
    "MgmtToRRouter",
    "MgmtLeafRouter",
    "MgmtSpineRouter",
    "MgmtAccessRouter",
    "LowerMgmtAggregator",
    "UpperMgmtAggregator",
    "SpineRouter",
    "BackEndSpineRouter",
    "UpperSpineRouter",
    "FabricSpineRouter",
    "LowerSpineRouter",
    "BackEndToRRouter",
    "BackEndLeafRouter",
    "EPMS",
    "MgmtTsToR",
    "BmcMgmtToRRouter",
    "MiniTs",
    "LeafTs",
    "SpineTs",
    "CoreTs",
    "ConsoleServer",
    "TerminalServer",
    "SonicHost",
    "SmartSwitchDPU",
    "FilterLeaf",
    "NetworkBmc",
    "MseeRouter",
    "not-provisioned",
    "LowerRegionalHub",
    "FabricRegionalHub",
    "UpperRegionalHub",
]);

const METADATA: &[Leaf] = &[
    leaf("hwsku", Text(1, 255), "SRC006"),
    leaf("asic_id", Text(1, 16), "SRC006"),
    leaf("default_bgp_status", Word(&["up", "down"]), "SRC006"),
    leaf("docker_routing_config_mode", Word(&["separated", "unified", "split", "split-unified"]), "SRC006"),
    leaf("hostname", HOSTNAME, "SRC006"),
    leaf("platform", Text(1, 255), "SRC006"),
    leaf("mac", Shape("a MAC address", t::mac), "SRC006"),
    leaf("default_pfcwd_status", ENABLE, "WD017"),
    leaf("bgp_asn", Any, "SRC006"),
    leaf("deployment_id", U32, "SRC006"),
    leaf("type", ROLES, "SRC006"),
    leaf("buffer_model", Word(&["dynamic", "traditional"]), "BUF047"),
    leaf("frr_mgmt_framework_config", BOOL, "SRC006"),
    leaf("synchronous_mode", ENABLE, "SRC006"),
    leaf("yang_config_validation", ENABLE, "SRC006"),
    leaf("cloudtype", Any, "SRC006"),
    leaf("region", Any, "SRC006"),
    leaf("sub_role", Any, "SRC006"),
    leaf("downstream_subrole", Any, "SRC006"),
    leaf("resource_type", Any, "SRC006"),
    leaf("mgmt_type", Any, "SRC006"),
    leaf("cluster", Any, "SRC006"),
    leaf("subtype", Word(&["DualToR", "SmartSwitch", "Supervisor", "UpstreamLC", "DownstreamLC"]), "SRC006"),
    leaf("peer_switch", HOSTNAME, "SRC006"),
    leaf("storage_device", BOOL, "SRC006"),
    leaf("asic_name", Any, "SRC006"),
    leaf("switch_id", U16, "SRC006"),
    leaf("switch_type", Word(&["chassis-packet", "fabric", "npu", "voq", "dpu", "dummy-sup"]), "SRC006"),
    leaf("max_cores", U8, "SRC006"),
    leaf("dhcp_server", ENABLED, "SRC006"),
    leaf("bgp_adv_lo_prefix_as_128", BOOL, "SRC006"),
    leaf("suppress-fib-pending", ENABLED, "SRC006"),
    leaf("rack_mgmt_map", Text(0, 128), "SRC006"),
    leaf("timezone", Text(1, 255), "SRC006"),
    leaf("create_only_config_db_buffers", BOOL, "SRC006"),
    leaf("supporting_bulk_counter_groups", Any, "SRC006"),
    leaf("bgp_router_id", Shape("an IPv4 address", t::ipv4), "SRC006"),
    leaf("chassis_hostname", HOSTNAME, "SRC006"),
    leaf("slice_type", Any, "SRC006"),
    leaf("location_type", Any, "SRC006"),
    leaf("nexthop_group", ENABLED, "SRC006"),
    leaf("ring_thread_enabled", BOOL, "SRC006"),
    leaf("t2_group_asns", List(&U32), "SRC006"),
    leaf("anchor_route_source", Any, "SRC006"),
    leaf("orch_northbond_dash_zmq_enabled", BOOL, "SRC006"),
    leaf("syslog_with_osversion", BOOL, "SRC006"),
    leaf("syslog_counter", BOOL, "SRC006"),
    leaf("has_sonic_dhcpv4_relay", LOOSE_BOOL, "SRC006"),
    leaf("zebra_nexthop", ENABLED, "SRC006"),
    leaf("use_template_render_for_restore", BOOL, "SRC006"),
    leaf("dpu_auto_recovery", ENABLE, "SRC006"),
    leaf("bmc_if_name", Text(1, 64), "SRC006"),
    leaf("bmc_if_addr", Shape("an IPv4 address", t::ipv4), "SRC006"),
    leaf("bmc_addr", Shape("an IPv4 address", t::ipv4), "SRC006"),
    leaf("bmc_net_mask", Shape("an IPv4 address", t::ipv4), "SRC006"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_rules_are_known_and_listed_once() {
        assert!(READ_ELSEWHERE.iter().all(|name| KNOWN_ELSEWHERE.contains(name)));
        let read: Vec<&str> = crate::schema::read_tables().collect();
        assert!(read.contains(&"PORT") && read.contains(&"BUFFER_POOL"));
        let distinct: std::collections::BTreeSet<&&str> = read.iter().collect();
        assert_eq!(distinct.len(), read.len());
    }
}
