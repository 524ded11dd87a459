//! A small, correct switch configuration that tests modify.

/// A correct configuration for a platform with two ports at 100G over 40 m, after the replacements in `change`.
pub(crate) fn switch(platform: &str, change: &[(&str, &str)]) -> String {
    let mut text = r#"{
 "DEVICE_METADATA": {"localhost": {"platform": "PLATFORM", "hwsku": "sku", "hostname": "s1", "type": "ToRRouter"}},
 "PORT": {
  "Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "mtu": "9100", "admin_status": "up"},
  "Ethernet4": {"lanes": "5,6,7,8", "speed": "100000", "mtu": "9100", "admin_status": "up"}
 },
 "CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m", "Ethernet4": "40m"}},
 "BUFFER_POOL": {
  "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "10000000", "xoff": "2000000"},
  "egress_lossless_pool": {"type": "egress", "mode": "static", "size": "12766208"},
  "egress_lossy_pool": {"type": "egress", "mode": "dynamic", "size": "7000000"}
 },
 "BUFFER_PROFILE": {
  "pg_lossless_100000_40m_profile": {"pool": "ingress_lossless_pool", "size": "1248", "dynamic_th": "-2", "xon": "2288", "xon_offset": "2288", "xoff": "100000"},
  "ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"},
  "egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "static_th": "12766208"},
  "egress_lossy_profile": {"pool": "egress_lossy_pool", "size": "1518", "dynamic_th": "3"}
 },
 "BUFFER_PG": {
  "Ethernet0|0": {"profile": "ingress_lossy_profile"}, "Ethernet0|3-4": {"profile": "pg_lossless_100000_40m_profile"},
  "Ethernet4|0": {"profile": "ingress_lossy_profile"}, "Ethernet4|3-4": {"profile": "pg_lossless_100000_40m_profile"}
 },
 "BUFFER_QUEUE": {
  "Ethernet0|0-2": {"profile": "egress_lossy_profile"}, "Ethernet0|3-4": {"profile": "egress_lossless_profile"},
  "Ethernet4|0-2": {"profile": "egress_lossy_profile"}, "Ethernet4|3-4": {"profile": "egress_lossless_profile"}
 },
 "DSCP_TO_TC_MAP": {"AZURE": {"0": "0", "3": "3", "4": "4"}},
 "TC_TO_PRIORITY_GROUP_MAP": {"AZURE": {"0": "0", "3": "3", "4": "4"}},
 "TC_TO_QUEUE_MAP": {"AZURE": {"0": "0", "3": "3", "4": "4"}},
 "MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": {"3": "3", "4": "4"}},
 "SCHEDULER": {"s1": {"type": "DWRR", "weight": "15"}},
 "WRED_PROFILE": {"W": {"ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": "1000000",
   "green_max_threshold": "1500000", "green_drop_probability": "5"}},
 "QUEUE": {
  "Ethernet0|3": {"scheduler": "s1", "wred_profile": "W"}, "Ethernet0|4": {"scheduler": "s1", "wred_profile": "W"},
  "Ethernet4|3": {"scheduler": "s1", "wred_profile": "W"}, "Ethernet4|4": {"scheduler": "s1", "wred_profile": "W"}
 },
 "PORT_QOS_MAP": {
  "Ethernet0": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
    "pfc_to_queue_map": "AZURE", "pfc_enable": "3,4", "pfcwd_sw_enable": "3,4"},
  "Ethernet4": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
    "pfc_to_queue_map": "AZURE", "pfc_enable": "3,4", "pfcwd_sw_enable": "3,4"}
 },
 "PFC_WD": {
  "GLOBAL": {"POLL_INTERVAL": "200"},
  "Ethernet0": {"action": "drop", "detection_time": "400", "restoration_time": "800"},
  "Ethernet4": {"action": "drop", "detection_time": "400", "restoration_time": "800"}
 }
}"#
    .replace("PLATFORM", platform);
    for (from, to) in change {
        assert!(text.contains(from), "the switch has no `{from}`");
        text = text.replace(from, to);
    }
    text
}

/// A platform with Trident 2.
pub(crate) const TD2: &str = "x86_64-dell_s6000_s1220-r0";
/// Its lookup table.
pub(crate) const TABLE: &str =
    "# speed cable size xon xoff threshold xon_offset\n100000 40m 1248 2288 100000 -2 2288\n";
