//! Files that are only written differently, and tables of one file that contradict each other.

use serde_json::{Value, json};

use super::Expect::{Error, Harmless, Warning};
use super::{Operator, append, other_pool, prepend, remap, watched};

pub(super) const OPERATORS: &[Operator] = &[
    // Reorder and rewrite.
    ("reorder", "pretty-printed text", Harmless, |c| {
        let text = serde_json::to_string_pretty(&serde_json::from_str::<Value>(&c.text()).ok()?).ok()?;
        c.text = Some(text);
        Some(())
    }),
    ("reorder", "order of the priorities in `pfc_enable`", Harmless, |c| {
        c.is_lossless_pair()?;
        let p = c.port()?;
        (c.get("PORT_QOS_MAP", &p, "pfc_enable")? == "3,4").then_some(())?;
        c.set("PORT_QOS_MAP", &p, "pfc_enable", "4,3")
    }),
    ("reorder", "range of priority groups as two entries", Harmless, |c| {
        let k = c.lossless_group()?;
        let (owner, numbers) = k.rsplit_once('|')?;
        (numbers == "3-4").then_some(())?;
        let v = c.remove("BUFFER_PG", &k)?;
        let owner = owner.to_string();
        c.table("BUFFER_PG")?.insert(format!("{owner}|3"), v.clone());
        c.table("BUFFER_PG")?.insert(format!("{owner}|4"), v);
        Some(())
    }),
    ("reorder", "tables in reverse order", Harmless, |c| {
        let names = c.names();
        c.text = Some(c.text_of(names.iter().rev()));
        Some(())
    }),
    ("reorder", "numbers instead of strings", Harmless, |c| {
        let p = c.port()?;
        let v: u64 = c.get("PORT", &p, "speed")?.parse().ok()?;
        c.table("PORT")?.get_mut(&p)?.as_object_mut()?.insert("speed".into(), json!(v));
        Some(())
    }),
    ("reorder", "a new description of a port", Harmless, |c| {
        let p = c.port()?;
        c.set("PORT", &p, "description", "to rack 7")
    }),
    ("reorder", "an unknown table", Harmless, |c| {
        c.put("ACME_NOTES", json!({"n": {"text": "x"}}));
        Some(())
    }),
    // Contradict: tables of one file.
    ("contradict", "a second, empty BUFFER_PG", Error(&["SRC003"]), |c| {
        c.port()?;
        append(c, "BUFFER_PG", &json!({}))
    }),
    ("contradict", "a second DSCP map with all traffic in class 0", Error(&["PFC008", "MAP004"]), |c| {
        c.port()?;
        let m = c.map("dscp_to_tc_map")?;
        (!c.dscps(&c.priority.clone()).is_empty()).then_some(())?;
        append(c, "DSCP_TO_TC_MAP", &json!({m: {"0": "0"}}))
    }),
    ("contradict", "a second WRED_PROFILE with ecn_none", Error(&["ECN007", "ECN008"]), |c| {
        if c.has_virtual_output_queues() {
            return None;
        }
        let w = c.wred()?;
        let mut all = c.value("WRED_PROFILE")?.clone();
        all[w.as_str()]["ecn"] = json!("ecn_none");
        append(c, "WRED_PROFILE", &all)
    }),
    ("contradict", "a first BUFFER_POOL that the last one replaces", Error(&["SRC003"]), |c| {
        c.pool()?;
        prepend(c, "BUFFER_POOL", &json!({}))
    }),
    ("contradict", "an equal copy of a table", Warning(&["SRC003"]), |c| {
        c.pool()?;
        let copy = c.value("BUFFER_POOL")?.clone();
        append(c, "BUFFER_POOL", &copy)
    }),
    ("contradict", "lossless profile in the lossy pool", Error(&["BUF051"]), |c| other_pool(c, "lossy")),
    ("contradict", "lossless profile in the zero pool", Error(&["BUF051"]), |c| other_pool(c, "zero")),
    ("contradict", "lossy profile on lossless queues", Error(&["PFC005"]), |c| {
        c.queue_profile()?;
        let k = c.lossless_queue()?;
        c.get("BUFFER_PROFILE", "egress_lossy_profile", "pool")?;
        c.get("BUFFER_PROFILE", "egress_lossless_profile", "pool")?;
        c.set("BUFFER_QUEUE", &k, "profile", "egress_lossy_profile")
    }),
    ("contradict", "lossy profile on a lossless group", Error(&["PFC002"]), |c| {
        let k = c.lossless_group()?;
        c.get("BUFFER_PROFILE", "ingress_lossy_profile", "pool")?;
        c.set("BUFFER_PG", &k, "profile", "ingress_lossy_profile")
    }),
    ("contradict", "lossless profile on lossy queues", Error(&["PFC014"]), |c| {
        let lossless = c.queue_profile()?;
        let p = c.port()?;
        let own = c.lossless_queue()?;
        let key = c
            .keys("BUFFER_QUEUE")
            .into_iter()
            .find(|k| k.rsplit_once('|').is_some_and(|(o, n)| o == p && (n == "0" || n.starts_with("0-"))))?;
        (key != own && !c.dscps("0").is_empty()).then_some(())?;
        c.set("BUFFER_QUEUE", &key, "profile", &lossless)
    }),
    ("contradict", "lossy class in a lossless queue", Error(&["PFC014"]), |c| {
        c.port()?;
        let t = c.priority.clone();
        let lossy = ["0", "1", "5"].into_iter().find(|class| !c.dscps(class).is_empty())?;
        remap(c, "TC_TO_QUEUE_MAP", "tc_to_queue_map", lossy, &t)
    }),
    ("contradict", "two lossless classes in one queue", Error(&["PFC014"]), |c| {
        c.is_lossless_pair()?;
        (!c.dscps("4").is_empty() && !c.dscps("3").is_empty()).then_some(())?;
        remap(c, "TC_TO_QUEUE_MAP", "tc_to_queue_map", "4", "3")?;
        remap(c, "MAP_PFC_PRIORITY_TO_QUEUE", "pfc_to_queue_map", "4", "3")
    }),
    ("contradict", "lossy class in a lossless group", Error(&["PFC004"]), |c| {
        c.port()?;
        let t = c.priority.clone();
        let lossy = ["0", "1", "5"].into_iter().find(|class| !c.dscps(class).is_empty())?;
        remap(c, "TC_TO_PRIORITY_GROUP_MAP", "tc_to_pg_map", lossy, &t)
    }),
    ("contradict", "DSCP 0 in a lossless class", Warning(&["PFC015"]), |c| {
        c.port()?;
        let t = c.priority.clone();
        remap(c, "DSCP_TO_TC_MAP", "dscp_to_tc_map", "0", &t)
    }),
    ("contradict", "DSCP 48 in a lossless class", Warning(&["PFC015"]), |c| {
        c.port()?;
        let t = c.priority.clone();
        remap(c, "DSCP_TO_TC_MAP", "dscp_to_tc_map", "48", &t)
    }),
    ("contradict", "all DSCPs in one lossless class", Error(&["PFC008"]), |c| {
        c.is_lossless_pair()?;
        let (m, t) = (c.map("dscp_to_tc_map")?, c.priority.clone());
        for d in 0..64 {
            let _ = c.set("DSCP_TO_TC_MAP", &m, &d.to_string(), &t);
        }
        Some(())
    }),
    ("contradict", "PFC on one more priority", Error(&["PFC002"]), |c| {
        let p = c.port()?;
        (c.get("PORT_QOS_MAP", &p, "pfc_enable")? == "3,4").then_some(())?;
        c.set("PORT_QOS_MAP", &p, "pfc_enable", "3,4,5")
    }),
    ("contradict", "pause of a priority stops another queue", Error(&["PFC006"]), |c| {
        let t = c.priority.clone();
        remap(c, "MAP_PFC_PRIORITY_TO_QUEUE", "pfc_to_queue_map", &t, "1")
    }),
    ("contradict", "WRED of lossless queues drops", Error(&["ECN007", "ECN008"]), |c| {
        let w = c.wred()?;
        (c.get("WRED_PROFILE", &w, "wred_green_enable")? == "true").then_some(())?;
        c.set("WRED_PROFILE", &w, "ecn", "ecn_none")
    }),
    ("contradict", "ECN for green and yellow packets (not Jericho)", Harmless, |c| {
        let w = c.wred()?;
        let is_jericho = c.has_virtual_output_queues();
        (!is_jericho && c.get("WRED_PROFILE", &w, "wred_green_enable")? == "true").then_some(())?;
        c.set("WRED_PROFILE", &w, "ecn", "ecn_green_yellow")
    }),
    ("contradict", "traffic pattern in a traditional file", Harmless, |c| {
        c.get("DEVICE_METADATA", "localhost", "platform")?;
        (!c.is_dynamic() && c.value("LOSSLESS_TRAFFIC_PATTERN").is_none()).then_some(())?;
        c.put(
            "LOSSLESS_TRAFFIC_PATTERN",
            json!({"AZURE": {"mtu": "1024", "small_packet_percentage": "100"}}),
        );
        Some(())
    }),
    ("contradict", "`buffer_model` dynamic in a traditional file", Error(&["BUF038", "BUF047"]), |c| {
        if c.is_dynamic() {
            return None;
        }
        c.port()?;
        c.set("DEVICE_METADATA", "localhost", "buffer_model", "dynamic")
    }),
    ("contradict", "watchdog counters disabled", Error(&["WD016"]), |c| {
        watched(c)?;
        c.put("FLEX_COUNTER_TABLE", json!({"PFCWD": {"FLEX_COUNTER_STATUS": "disable"}}));
        Some(())
    }),
    ("contradict", "watchdog mask of another priority", Warning(&["WD011"]), |c| {
        let p = watched(c)?;
        c.is_lossless_pair()?;
        c.get("PORT_QOS_MAP", &p, "pfcwd_sw_enable")?;
        c.set("PORT_QOS_MAP", &p, "pfcwd_sw_enable", "4")
    }),
    ("contradict", "BIG_RED_SWITCH", Error(&["WD009"]), |c| {
        watched(c)?;
        c.set("PFC_WD", "GLOBAL", "BIG_RED_SWITCH", "enable")
    }),
    ("contradict", "lanes of another port", Error(&["LINK011"]), |c| {
        let [p, q, ..] = c.ports.as_slice() else { return None };
        let (p, q) = (p.clone(), q.clone());
        let lanes = c.get("PORT", &q, "lanes")?;
        c.set("PORT", &p, "lanes", &lanes)
    }),
    ("contradict", "lossless group on a port that is down (Spectrum)", Harmless, |c| {
        c.is_nvidia().then_some(())?;
        let p = c.port()?;
        c.set("PORT", &p, "admin_status", "down")
    }),
    ("contradict", "MTU of a port channel and its member", Warning(&["LINK010"]), |c| {
        let p = c.port()?;
        c.put("PORTCHANNEL", json!({"PortChannel1": {"mtu": "1500", "admin_status": "up"}}));
        c.put("PORTCHANNEL_MEMBER", json!({format!("PortChannel1|{p}"): {}}));
        Some(())
    }),
    ("contradict", "strict priority for a lossless queue", Warning(&["SCHED002"]), |c| {
        let q = c.queue()?;
        let s = c.get("QUEUE", &q, "scheduler")?;
        if s.starts_with('[') {
            return None;
        }
        c.set("SCHEDULER", &s, "type", "STRICT")
    }),
];
