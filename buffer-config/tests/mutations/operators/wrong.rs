//! Values of another size or type.

use serde_json::json;

use super::Expect::{Error, Warning};
use super::{Operator, each_watchdog, egress, one_of_many, remap, second_profile, watched};

pub(super) const OPERATORS: &[Operator] = &[
    // Rescale.
    ("rescale", "`xoff` / 10", Warning(&["PG004", "PG005", "PG006"]), |c| {
        let p = c.profile()?;
        (c.get("BUFFER_PROFILE", &p, "xoff")?.trim().parse::<u64>().ok()? < 100_000_000).then_some(())?;
        c.scale("BUFFER_PROFILE", &p, "xoff", 0.1)
    }),
    ("rescale", "cable of one port * 20", Warning(&["PG004", "PG005", "PG006", "PG010", "PG020"]), |c| {
        let (p, t) = (c.port()?, c.keys("CABLE_LENGTH").first().cloned()?);
        let metres: u32 =
            c.get("CABLE_LENGTH", &t, &p)?.strip_suffix('m')?.parse().ok().filter(|m| *m > 0)?;
        c.set("CABLE_LENGTH", &t, &p, &format!("{}m", metres * 20))
    }),
    ("rescale", "speed of one port * 2", Warning(&["PG004", "PG005", "PG006", "PG010", "PG020"]), |c| {
        let p = c.port()?;
        c.scale("PORT", &p, "speed", 2.0)
    }),
    ("rescale", "lossless pool * 10 (memory on the chip)", Warning(&["BUF023", "BUF024", "BUF025"]), |c| {
        if c.has_virtual_output_queues() {
            return None;
        }
        c.get("BUFFER_POOL", "egress_lossless_pool", "size").filter(|size| size != "0")?;
        let p = c.pool()?;
        c.scale("BUFFER_POOL", &p, "size", 10.0)
    }),
    ("rescale", "lossless pool * 26 (memory known)", Error(&["BUF023", "BUF024", "BUF025"]), |c| {
        c.queue_profile()?;
        c.get("BUFFER_POOL", "egress_lossless_pool", "size").filter(|size| size != "0")?;
        let p = c.pool()?;
        c.scale("BUFFER_POOL", &p, "size", 26.0)
    }),
    ("rescale", "shared headroom / 1000", Error(&["PG026"]), |c| {
        if c.has_virtual_output_queues() {
            return None;
        }
        let p = c.pool()?;
        c.scale("BUFFER_POOL", &p, "xoff", 0.001)
    }),
    ("rescale", "egress lossless pool / 10", Error(&["BUF025", "BUF026"]), |c| {
        let p = c.queue_profile()?;
        let pool = c.get("BUFFER_PROFILE", &p, "pool")?;
        if pool.starts_with('[') || pool != "egress_lossless_pool" {
            return None;
        }
        c.scale("BUFFER_POOL", &pool, "size", 0.1)
    }),
    ("rescale", "alpha of a lossless profile: 1/256", Error(&["BUF041"]), |c| {
        let p = c.profile()?;
        c.get("BUFFER_PROFILE", &p, "dynamic_th")?;
        c.set("BUFFER_PROFILE", &p, "dynamic_th", "-8")
    }),
    ("rescale", "alpha of one of two lossless profiles / 8", Warning(&["BUF042"]), |c| {
        let (p, q) = (c.profile()?, second_profile(c)?);
        let other: i32 = c.get("BUFFER_PROFILE", &q, "dynamic_th")?.parse().ok()?;
        (other - 3 >= -7 && c.get("BUFFER_PROFILE", &p, "dynamic_th")? == other.to_string()).then_some(())?;
        c.set("BUFFER_PROFILE", &p, "dynamic_th", &(other - 3).to_string())
    }),
    ("rescale", "lossless queues limited to 0 bytes", Error(&["BUF026"]), |c| egress(c, "static_th", "0")),
    ("rescale", "lossless queues limited to 1000 bytes", Error(&["BUF026"]), |c| {
        egress(c, "static_th", "1000")
    }),
    ("rescale", "lossless queues limited to 5000 bytes", Error(&["BUF026"]), |c| {
        egress(c, "static_th", "5000")
    }),
    ("rescale", "lossless queues limited to 100000 bytes, under another name", Error(&["BUF026"]), |c| {
        let (p, k) = (c.queue_profile()?, c.lossless_queue()?);
        let mut fields = c.value("BUFFER_PROFILE")?.get(p.as_str())?.clone();
        fields.as_object_mut()?.remove("dynamic_th");
        fields["static_th"] = json!("100000");
        c.table("BUFFER_PROFILE")?.insert("egress_rdma_profile".into(), fields);
        c.set("BUFFER_QUEUE", &k, "profile", "egress_rdma_profile")
    }),
    ("rescale", "lossless queues with alpha 1/256", Error(&["BUF026"]), |c| egress(c, "dynamic_th", "-8")),
    ("rescale", "lossless queues with alpha 1/8", Warning(&["BUF026"]), |c| egress(c, "dynamic_th", "-3")),
    ("rescale", "lossless queues with alpha 1", Warning(&["BUF026"]), |c| egress(c, "dynamic_th", "0")),
    ("rescale", "port list profile with alpha 1/256 (Spectrum)", Error(&["BUF041"]), |c| {
        c.is_nvidia().then_some(())?;
        c.port()?;
        c.get("BUFFER_PROFILE", "ingress_lossless_profile", "dynamic_th")?;
        c.set("BUFFER_PROFILE", "ingress_lossless_profile", "dynamic_th", "-8")
    }),
    ("rescale", "reservation of a lossless profile: 5.4 MB", Error(&["BUF053"]), |c| {
        let p = c.profile()?;
        if c.ports.len() < 30 || c.get("BUFFER_POOL", &c.pool()?, "size").is_some_and(|s| s.len() > 9) {
            return None;
        }
        let used = c
            .ports
            .iter()
            .filter(|port| {
                c.group_key(port, &c.priority).and_then(|k| c.get("BUFFER_PG", &k, "profile")).as_deref()
                    == Some(&p)
            })
            .count();
        (used >= 30).then_some(())?;
        c.set("BUFFER_PROFILE", &p, "size", "5408000")
    }),
    ("rescale", "reservation of lossy queues: 1 GB", Error(&["BUF053"]), |c| {
        c.port()?;
        if c.get("BUFFER_POOL", &c.pool()?, "size").is_some_and(|s| s.len() > 9) {
            return None;
        }
        let used = c
            .keys("BUFFER_QUEUE")
            .iter()
            .any(|k| c.get("BUFFER_QUEUE", k, "profile").as_deref() == Some("egress_lossy_profile"));
        used.then_some(())?;
        c.set("BUFFER_PROFILE", "egress_lossy_profile", "size", "1000000000")
    }),
    ("rescale", "WRED thresholds in KB", Error(&["ECN013"]), |c| {
        let w = c.wred()?;
        (c.get("WRED_PROFILE", &w, "wred_green_enable")? == "true").then_some(())?;
        c.scale("WRED_PROFILE", &w, "green_min_threshold", 0.001)?;
        c.scale("WRED_PROFILE", &w, "green_max_threshold", 0.001)
    }),
    ("rescale", "Kmin 0", Warning(&["ECN005"]), |c| {
        let w = c.wred()?;
        (c.get("WRED_PROFILE", &w, "wred_green_enable")? == "true").then_some(())?;
        c.set("WRED_PROFILE", &w, "green_min_threshold", "0")
    }),
    ("rescale", "marking probability 0", Warning(&["ECN002"]), |c| {
        let w = c.wred()?;
        (c.get("WRED_PROFILE", &w, "wred_green_enable")? == "true").then_some(())?;
        c.set("WRED_PROFILE", &w, "green_drop_probability", "0")
    }),
    ("rescale", "detection time of one port: 3000 ms", Warning(&["WD024"]), |c| {
        watched(c)?;
        let p = one_of_many(c)?;
        c.set("PFC_WD", &p, "detection_time", "3000")
    }),
    ("rescale", "detection time of all ports: 5000 ms", Warning(&["WD025"]), |c| {
        watched(c)?;
        each_watchdog(c, "5000", "10000")
    }),
    ("rescale", "detection 3000 ms, restoration 900 ms", Warning(&["WD021", "WD025"]), |c| {
        watched(c)?;
        (c.get("PFC_WD", "GLOBAL", "POLL_INTERVAL")?.parse::<u32>().ok()? <= 900).then_some(())?;
        each_watchdog(c, "3000", "900")
    }),
    ("rescale", "restoration time of all ports: 60000 ms", Warning(&["WD025"]), |c| {
        watched(c)?;
        c.set_all("PFC_WD", "restoration_time", "60000")
    }),
    ("rescale", "detection time 50 ms", Error(&["WD001", "WD004"]), |c| {
        watched(c)?;
        c.set_all("PFC_WD", "detection_time", "50")
    }),
    ("rescale", "POLL_INTERVAL 5000 ms", Error(&["WD003", "WD004"]), |c| {
        watched(c)?;
        c.set("PFC_WD", "GLOBAL", "POLL_INTERVAL", "5000")
    }),
    ("rescale", "MTU of one port: 1500", Warning(&["LINK010"]), |c| {
        let p = one_of_many(c)?;
        c.set("PORT", &p, "mtu", "1500")
    }),
    ("rescale", "`xon_offset` of one of two lossless profiles", Warning(&["PG014"]), |c| {
        let (p, q) = (c.profile()?, second_profile(c)?);
        c.get("BUFFER_PROFILE", &q, "xon_offset")?;
        let mut offsets: Vec<Option<String>> = Vec::new();
        for name in c.keys("BUFFER_PROFILE") {
            if c.get("BUFFER_PROFILE", &name, "xoff").is_some_and(|xoff| xoff != "0") {
                offsets.push(c.get("BUFFER_PROFILE", &name, "xon_offset"));
            }
        }
        offsets.iter().all(|offset| *offset == offsets[0]).then_some(())?;
        c.set("BUFFER_PROFILE", &p, "xon_offset", "2946")
    }),
    ("rescale", "`xon` and `xon_offset` 0", Warning(&["PG013"]), |c| {
        if c.has_virtual_output_queues() {
            return None;
        }
        let p = c.profile()?;
        c.set("BUFFER_PROFILE", &p, "xon", "0").or(Some(()))?;
        c.unset("BUFFER_PROFILE", &p, "xon_offset").or(Some(()))
    }),
    ("rescale", "weight of a scheduler: 0", Error(&["SCHED001"]), |c| {
        c.port()?;
        c.set_all("SCHEDULER", "weight", "0")
    }),
    // Retype.
    ("retype", "`dynamic_th` \"1/16\"", Error(&["BUF008"]), |c| {
        let p = c.profile()?;
        c.get("BUFFER_PROFILE", &p, "dynamic_th")?;
        c.set("BUFFER_PROFILE", &p, "dynamic_th", "1/16")
    }),
    ("retype", "`xoff` \"-1\"", Error(&["BUF010"]), |c| {
        let p = c.profile()?;
        c.set("BUFFER_PROFILE", &p, "xoff", "-1")
    }),
    ("retype", "pool size \"10M\"", Error(&["BUF003"]), |c| {
        let p = c.pool()?;
        c.set("BUFFER_POOL", &p, "size", "10M")
    }),
    ("retype", "pool type \"in\"", Error(&["BUF001"]), |c| {
        let p = c.pool()?;
        c.set("BUFFER_POOL", &p, "type", "in")
    }),
    ("retype", "pool mode \"shared\"", Error(&["BUF002"]), |c| {
        let p = c.pool()?;
        c.set("BUFFER_POOL", &p, "mode", "shared")
    }),
    ("retype", "`pfc_enable` with priority 8", Error(&["PFC001"]), |c| {
        let p = c.port()?;
        c.set("PORT_QOS_MAP", &p, "pfc_enable", "3,8")
    }),
    ("retype", "DSCP 64", Error(&["MAP001"]), |c| {
        c.port()?;
        remap(c, "DSCP_TO_TC_MAP", "dscp_to_tc_map", "64", "3")
    }),
    ("retype", "queue 99 in TC_TO_QUEUE_MAP", Error(&["MAP001", "MAP002", "MAP003"]), |c| {
        let t = c.priority.clone();
        remap(c, "TC_TO_QUEUE_MAP", "tc_to_queue_map", &t, "99")
    }),
    ("retype", "ecn \"ecn_gren\"", Error(&["ECN003"]), |c| {
        let w = c.wred()?;
        c.set("WRED_PROFILE", &w, "ecn", "ecn_gren")
    }),
    ("retype", "watchdog action \"pause\"", Error(&["WD006"]), |c| {
        let p = watched(c)?;
        c.set("PFC_WD", &p, "action", "pause")
    }),
    ("retype", "cable length without unit", Error(&["LINK002"]), |c| {
        let (p, t) = (c.port()?, c.keys("CABLE_LENGTH").first().cloned()?);
        c.get("CABLE_LENGTH", &t, &p)?;
        c.set("CABLE_LENGTH", &t, &p, "40")
    }),
    ("retype", "reversed range of priority groups", Error(&["PG001"]), |c| {
        let k = c.lossless_group()?;
        let (owner, _) = k.rsplit_once('|')?;
        let new = format!("{owner}|4-3");
        let v = c.remove("BUFFER_PG", &k)?;
        c.table("BUFFER_PG")?.insert(new, v);
        Some(())
    }),
    ("retype", "misspelt `xoff`", Error(&["SRC005"]), |c| {
        let p = c.profile()?;
        let v = c.get("BUFFER_PROFILE", &p, "xoff")?;
        c.unset("BUFFER_PROFILE", &p, "xoff")?;
        c.set("BUFFER_PROFILE", &p, "xof", &v)
    }),
    ("retype", "profile NULL without the dynamic model", Error(&["PG002", "BUF047"]), |c| {
        if c.is_dynamic() {
            return None;
        }
        let k = c.lossless_group()?;
        c.set("BUFFER_PG", &k, "profile", "NULL")
    }),
    ("retype", "`pfc_asym` on", Warning(&["PFC012"]), |c| {
        let p = c.port()?;
        c.set("PORT", &p, "pfc_asym", "on")
    }),
];
