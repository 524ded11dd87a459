//! Objects and fields that are removed, exchanged or dangle.

use serde_json::json;

use super::Expect::{Error, Harmless, Warning};
use super::{Operator, one_of_many, swap_map, watched, without_class};

pub(super) const OPERATORS: &[Operator] = &[
    // Remove.
    ("remove", "lossless priority group of one port", Error(&["PFC002"]), |c| {
        let k = c.lossless_group()?;
        c.remove("BUFFER_PG", &k).map(|_| ())
    }),
    ("remove", "BUFFER_QUEUE entry of the lossless queues of one port", Error(&["PFC005"]), |c| {
        let k = c.lossless_queue()?;
        c.remove("BUFFER_QUEUE", &k).map(|_| ())
    }),
    ("remove", "table PORT_QOS_MAP", Error(&["PFC003"]), |c| {
        c.get("DEVICE_METADATA", "localhost", "platform")?;
        c.profile()?;
        c.remove_table("PORT_QOS_MAP")
    }),
    ("remove", "`fec` of one port with rs", Warning(&["LINK023"]), |c| {
        let port = one_of_many(c)?;
        let like = |name: &&String| {
            let same = |field| c.get("PORT", name, field) == c.get("PORT", &port, field);
            same("speed") && same("fec")
        };
        let is_usual = c.ports.iter().filter(like).count() * 5 > c.ports.len() * 4 && c.ports.len() >= 8;
        (is_usual && c.get("PORT", &port, "fec")? == "rs").then_some(())?;
        c.unset("PORT", &port, "fec")
    }),
    ("remove", "fields of a lossy priority group", Error(&["PG002"]), |c| {
        let port = c.port()?;
        (c.priority != "0").then_some(())?;
        c.table("BUFFER_PG")?.insert(format!("{port}|0"), json!({}));
        Some(())
    }),
    ("contradict", "profile for computed headroom in an egress pool", Error(&["PG003"]), |c| {
        let pool = c.keys("BUFFER_POOL").into_iter().find(|name| name == "egress_lossless_pool")?;
        let key = c
            .keys("BUFFER_PG")
            .into_iter()
            .find(|key| c.get("BUFFER_PG", key, "profile").as_deref() == Some("NULL"))?;
        c.is_dynamic().then_some(())?;
        let profile = json!({"pool": pool, "headroom_type": "dynamic", "dynamic_th": "0", "size": "0"});
        c.table("BUFFER_PROFILE")?.insert("custom".into(), profile);
        c.set("BUFFER_PG", &key, "profile", "custom")
    }),
    ("remove", "PORT_QOS_MAP entry of one port", Error(&["PFC003", "PFC010"]), |c| {
        let p = c.port()?;
        c.remove("PORT_QOS_MAP", &p).map(|_| ())
    }),
    ("remove", "`dscp_to_tc_map` of one port and of `global`", Error(&["PFC008"]), |c| {
        let p = c.port()?;
        c.map("dscp_to_tc_map")?;
        c.remove("PORT_QOS_MAP", "global");
        c.unset("PORT_QOS_MAP", &p, "dscp_to_tc_map").or(Some(()))
    }),
    ("remove", "`dscp_to_tc_map` of all ports", Error(&["PFC008"]), |c| {
        c.port()?;
        c.unset_all("PORT_QOS_MAP", "dscp_to_tc_map")
    }),
    ("remove", "`tc_to_pg_map` of one port", Error(&["PFC002", "PFC003"]), |c| {
        let p = c.port()?;
        c.unset("PORT_QOS_MAP", &p, "tc_to_pg_map")
    }),
    ("remove", "`tc_to_queue_map` of one port", Warning(&["MAP009"]), |c| {
        let p = one_of_many(c)?;
        c.unset("PORT_QOS_MAP", &p, "tc_to_queue_map")
    }),
    ("remove", "`pfc_to_queue_map` of one port", Warning(&["PFC006"]), |c| {
        let p = one_of_many(c)?;
        c.unset("PORT_QOS_MAP", &p, "pfc_to_queue_map")
    }),
    ("remove", "`pfc_enable` of one port", Error(&["PFC003"]), |c| {
        let p = c.port()?;
        c.unset("PORT_QOS_MAP", &p, "pfc_enable")
    }),
    ("remove", "one lossless priority of `pfc_enable`", Error(&["PFC003", "PFC004"]), |c| {
        let p = c.port()?;
        c.is_lossless_pair()?;
        (c.get("PORT_QOS_MAP", &p, "pfc_enable")? == "3,4").then_some(())?;
        c.set("PORT_QOS_MAP", &p, "pfc_enable", "4")
    }),
    ("remove", "`pfcwd_sw_enable` of one watched port", Error(&["WD010"]), |c| {
        let p = watched(c)?;
        c.unset("PORT_QOS_MAP", &p, "pfcwd_sw_enable")
    }),
    ("remove", "watchdog of one port", Error(&["WD013"]), |c| {
        let p = watched(c).filter(|_| c.ports.len() > 1)?;
        c.remove("PFC_WD", &p).map(|_| ())
    }),
    ("remove", "table PFC_WD", Error(&["WD013"]), |c| {
        watched(c)?;
        (c.get("DEVICE_METADATA", "localhost", "default_pfcwd_status")? == "enable").then_some(())?;
        c.remove_table("PFC_WD")
    }),
    ("remove", "`detection_time`", Error(&["WD001"]), |c| {
        let p = watched(c)?;
        c.unset("PFC_WD", &p, "detection_time")
    }),
    ("remove", "`restoration_time`", Warning(&["WD002"]), |c| {
        let p = watched(c)?;
        c.unset("PFC_WD", &p, "restoration_time")
    }),
    ("remove", "POLL_INTERVAL", Error(&["WD004"]), |c| {
        watched(c)?;
        c.unset("PFC_WD", "GLOBAL", "POLL_INTERVAL")
    }),
    ("remove", "WRED profile of one lossless queue", Error(&["ECN007"]), |c| {
        if c.has_virtual_output_queues() {
            return None;
        }
        let q = c.queue()?;
        c.unset("QUEUE", &q, "wred_profile")
    }),
    ("remove", "scheduler of one lossless queue", Warning(&["SCHED004"]), |c| {
        if c.has_virtual_output_queues() {
            return None;
        }
        let q = c.queue()?;
        c.unset("QUEUE", &q, "scheduler")
    }),
    ("remove", "cable length of one port", Warning(&["LINK001"]), |c| {
        let (p, t) = (c.port()?, c.keys("CABLE_LENGTH").first().cloned()?);
        c.unset("CABLE_LENGTH", &t, &p)
    }),
    ("remove", "`xoff` of a lossless profile", Error(&["PFC002"]), |c| {
        let p = c.profile()?;
        c.unset("BUFFER_PROFILE", &p, "xoff")
    }),
    ("remove", "threshold of a lossless profile", Error(&["BUF011"]), |c| {
        let p = c.profile()?;
        c.unset("BUFFER_PROFILE", &p, "dynamic_th").or_else(|| c.unset("BUFFER_PROFILE", &p, "static_th"))
    }),
    ("remove", "threshold of the profile of lossless queues", Error(&["BUF011"]), |c| {
        let p = c.queue_profile()?;
        c.unset("BUFFER_PROFILE", &p, "dynamic_th").or_else(|| c.unset("BUFFER_PROFILE", &p, "static_th"))
    }),
    ("remove", "`pool` of a lossless profile", Error(&["BUF007", "BUF014"]), |c| {
        let p = c.profile()?;
        c.unset("BUFFER_PROFILE", &p, "pool")
    }),
    ("remove", "`size` of the lossless pool", Error(&["BUF003"]), |c| {
        if c.is_dynamic() {
            return None;
        }
        let p = c.pool()?;
        c.unset("BUFFER_POOL", &p, "size")
    }),
    ("remove", "lossless pool", Error(&["BUF014"]), |c| {
        let p = c.pool()?;
        c.remove("BUFFER_POOL", &p).map(|_| ())
    }),
    ("remove", "lossless profile", Error(&["PG002"]), |c| {
        let p = c.profile()?;
        c.remove("BUFFER_PROFILE", &p).map(|_| ())
    }),
    ("remove", "profile of the lossless queues", Error(&["BUF016"]), |c| {
        let p = c.queue_profile()?;
        c.remove("BUFFER_PROFILE", &p).map(|_| ())
    }),
    ("remove", "the only DSCP of a lossless class", Error(&["PFC008"]), |c| {
        let [dscp] = c.dscps(&c.priority.clone()).try_into().ok()?;
        let m = c.map("dscp_to_tc_map")?;
        c.unset("DSCP_TO_TC_MAP", &m, &dscp)
    }),
    ("remove", "lossless class of TC_TO_PRIORITY_GROUP_MAP", Error(&["PFC002"]), |c| {
        without_class(c, "TC_TO_PRIORITY_GROUP_MAP", "tc_to_pg_map")
    }),
    ("remove", "lossless class of TC_TO_QUEUE_MAP", Error(&["PFC005", "PFC006"]), |c| {
        without_class(c, "TC_TO_QUEUE_MAP", "tc_to_queue_map")
    }),
    ("remove", "lossless priority of MAP_PFC_PRIORITY_TO_QUEUE", Error(&["PFC006"]), |c| {
        without_class(c, "MAP_PFC_PRIORITY_TO_QUEUE", "pfc_to_queue_map")
    }),
    ("remove", "Kmin", Error(&["ECN001"]), |c| {
        let w = c.wred()?;
        c.unset("WRED_PROFILE", &w, "green_min_threshold")
    }),
    ("remove", "Kmin and Kmax", Error(&["ECN005"]), |c| {
        let w = c.wred()?;
        c.unset("WRED_PROFILE", &w, "green_min_threshold")?;
        c.unset("WRED_PROFILE", &w, "green_max_threshold")
    }),
    ("remove", "marking probability", Warning(&["ECN002"]), |c| {
        let w = c.wred()?;
        c.unset("WRED_PROFILE", &w, "green_drop_probability")
    }),
    ("remove", "`wred_green_enable`", Error(&["ECN004", "ECN007"]), |c| {
        if c.has_virtual_output_queues() {
            return None;
        }
        let w = c.wred()?;
        c.unset("WRED_PROFILE", &w, "wred_green_enable")
    }),
    ("remove", "BUFFER_PORT_INGRESS_PROFILE_LIST (Spectrum)", Error(&["BUF052"]), |c| {
        c.is_nvidia().then_some(())?;
        c.port()?;
        c.remove_table("BUFFER_PORT_INGRESS_PROFILE_LIST")
    }),
    ("remove", "egress profile list of one port (Spectrum)", Error(&["BUF052"]), |c| {
        c.is_nvidia().then_some(())?;
        let p = c.port()?;
        c.remove("BUFFER_PORT_EGRESS_PROFILE_LIST", &p).map(|_| ())
    }),
    ("remove", "lanes of one port", Error(&["LINK003"]), |c| {
        if c.has_virtual_output_queues() {
            return None;
        }
        let p = c.port()?;
        c.unset("PORT", &p, "lanes")
    }),
    ("remove", "platform (the SKU names the ASIC)", Harmless, |c| {
        (c.is_nvidia() && c.get("DEVICE_METADATA", "localhost", "hwsku")?.contains("SN")).then_some(())?;
        c.unset("DEVICE_METADATA", "localhost", "platform")
    }),
    // Swap.
    ("swap", "classes 3 and 4 of TC_TO_PRIORITY_GROUP_MAP", Error(&["PFC007"]), |c| {
        swap_map(c, "TC_TO_PRIORITY_GROUP_MAP", "tc_to_pg_map")
    }),
    ("swap", "classes 3 and 4 of TC_TO_QUEUE_MAP", Error(&["PFC006"]), |c| {
        swap_map(c, "TC_TO_QUEUE_MAP", "tc_to_queue_map")
    }),
    ("swap", "priorities 3 and 4 of MAP_PFC_PRIORITY_TO_QUEUE", Error(&["PFC006"]), |c| {
        swap_map(c, "MAP_PFC_PRIORITY_TO_QUEUE", "pfc_to_queue_map")
    }),
    ("swap", "priorities 3 and 4 of PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", Error(&["PFC007"]), |c| {
        c.is_nvidia().then_some(())?;
        swap_map(c, "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "pfc_to_pg_map")
    }),
    ("swap", "DSCP 3 and 4 (seen between switches only)", Harmless, |c| {
        swap_map(c, "DSCP_TO_TC_MAP", "dscp_to_tc_map")
    }),
    ("swap", "Kmin and Kmax", Error(&["ECN001"]), |c| {
        let w = c.wred()?;
        c.swap("WRED_PROFILE", &w, "green_min_threshold", "green_max_threshold")
    }),
    // Dangle.
    ("dangle", "profile of a priority group", Error(&["PG002"]), |c| {
        let k = c.lossless_group()?;
        c.set("BUFFER_PG", &k, "profile", "none")
    }),
    ("dangle", "profile of a queue", Error(&["BUF016"]), |c| {
        let k = c.lossless_queue()?;
        c.set("BUFFER_QUEUE", &k, "profile", "none")
    }),
    ("dangle", "pool of a profile", Error(&["BUF014"]), |c| {
        let p = c.profile()?;
        c.set("BUFFER_PROFILE", &p, "pool", "none")
    }),
    ("dangle", "`dscp_to_tc_map`", Error(&["MAP004"]), |c| {
        let p = c.port()?;
        c.set("PORT_QOS_MAP", &p, "dscp_to_tc_map", "none")
    }),
    ("dangle", "`tc_to_pg_map`", Error(&["MAP004"]), |c| {
        let p = c.port()?;
        c.set("PORT_QOS_MAP", &p, "tc_to_pg_map", "none")
    }),
    ("dangle", "`tc_to_queue_map`", Error(&["MAP004"]), |c| {
        let p = c.port()?;
        c.set("PORT_QOS_MAP", &p, "tc_to_queue_map", "none")
    }),
    ("dangle", "`pfc_to_queue_map`", Error(&["MAP004"]), |c| {
        let p = c.port()?;
        c.set("PORT_QOS_MAP", &p, "pfc_to_queue_map", "none")
    }),
    ("dangle", "WRED profile of a queue", Error(&["MAP006"]), |c| {
        let q = c.queue()?;
        c.set("QUEUE", &q, "wred_profile", "none")
    }),
    ("dangle", "scheduler of a queue", Error(&["MAP006"]), |c| {
        let q = c.queue()?;
        c.set("QUEUE", &q, "scheduler", "none")
    }),
    ("dangle", "port of a BUFFER_PG key", Error(&["BUF017"]), |c| {
        let k = c.lossless_group()?;
        let v = c.remove("BUFFER_PG", &k)?;
        c.table("BUFFER_PG")?.insert("Ethernet9999|3-4".into(), v);
        Some(())
    }),
    ("dangle", "port of a PFC_WD key", Error(&["WD014"]), |c| {
        let p = watched(c)?;
        let v = c.remove("PFC_WD", &p)?;
        c.table("PFC_WD")?.insert("Ethernet9999".into(), v);
        Some(())
    }),
    ("dangle", "profile of a port's list", Error(&["BUF015"]), |c| {
        let p = c.port()?;
        c.get("BUFFER_PORT_EGRESS_PROFILE_LIST", &p, "profile_list")?;
        c.set("BUFFER_PORT_EGRESS_PROFILE_LIST", &p, "profile_list", "none")
    }),
    ("dangle", "chip of a queue key (chassis)", Error(&["BUF017"]), |c| {
        c.table("SYSTEM_PORT")?;
        let k = c.lossless_queue()?;
        let v = c.remove("BUFFER_QUEUE", &k)?;
        let k = k.replace("asic0", "asic7");
        c.table("BUFFER_QUEUE")?.insert(k, v);
        Some(())
    }),
    ("dangle", "`asic_name` (chassis)", Error(&["BUF017"]), |c| {
        c.table("SYSTEM_PORT")?;
        c.set("DEVICE_METADATA", "localhost", "asic_name", "asic5")
    }),
];
