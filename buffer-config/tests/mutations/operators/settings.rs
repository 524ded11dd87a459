//! Defects of settings beside buffers and maps: thresholds of lossy traffic, hashing, one port unlike its siblings, polling of
//! counters, system ports, and cables to two switches.

use serde_json::json;

use super::Expect::{Error, Harmless, Warning};
use super::beyond::fec_of;
use super::tables::own_system_port;
use super::{Operator, one_of_many, watched};
use crate::config::Config;

/// The profile of best effort on the first port, in a table of groups or queues.
pub(super) fn lossy_profile(c: &Config, table: &str) -> Option<String> {
    let port = c.port()?;
    let number = match table {
        "BUFFER_PG" => "0".to_string(),
        _ => {
            let class =
                (0..8).map(|c| c.to_string()).find(|class| c.dscps(class).iter().any(|d| d == "0"))?;
            c.get("TC_TO_QUEUE_MAP", &c.map("tc_to_queue_map")?, &class)?
        }
    };
    let key = if table == "BUFFER_PG" { c.group_key(&port, &number) } else { c.queue_key(&port, &number) };
    let name = c.get(table, &key?, "profile").filter(|name| name.contains("lossy") && !name.contains('['))?;
    c.get("BUFFER_PROFILE", &name, "pool")?;
    Some(name)
}

fn limit(c: &mut Config, table: &str, field: &str, value: &str) -> Option<()> {
    let profile = lossy_profile(c, table)?;
    let _ = c.unset("BUFFER_PROFILE", &profile, "static_th");
    let _ = c.unset("BUFFER_PROFILE", &profile, "dynamic_th");
    let _ = c.set("BUFFER_PROFILE", &profile, "size", "0");
    c.set("BUFFER_PROFILE", &profile, field, value)
}

/// The first port, if nearly all ports of its speed, lanes and cable length have its FEC and no auto-negotiation.
fn usual_port(c: &mut Config) -> Option<String> {
    let p = one_of_many(c)?;
    let table = c.keys("CABLE_LENGTH").first().cloned()?;
    let of = |c: &Config, port: &str| {
        let lanes = c.get("PORT", port, "lanes").map(|lanes| lanes.split(',').count());
        (c.get("PORT", port, "speed"), lanes, c.get("CABLE_LENGTH", &table, port))
    };
    let own = of(c, &p);
    let all: Vec<String> = c.keys("PORT").into_iter().filter(|port| of(c, port) == own).collect();
    let is_up = |port: &&String| c.get("PORT", port, "admin_status").as_deref() == Some("up");
    (all.iter().filter(is_up).count() >= 4).then_some(())?;
    for port in &all {
        let fec = fec_of(c, port)?;
        let _ = c.set("PORT", port, "fec", fec);
        let _ = c.unset("PORT", port, "autoneg");
    }
    Some(p)
}

pub(super) const OPERATORS: &[Operator] = &[
    // Lossy traffic.
    ("rescale", "priority groups of lossy traffic limited to 0 bytes", Error(&["BUF055"]), |c| {
        limit(c, "BUFFER_PG", "static_th", "0")
    }),
    ("rescale", "queues of lossy traffic limited to 1000 bytes", Error(&["BUF055"]), |c| {
        limit(c, "BUFFER_QUEUE", "static_th", "1000")
    }),
    ("rescale", "queues of lossy traffic with alpha 1/256", Warning(&["BUF055"]), |c| {
        limit(c, "BUFFER_QUEUE", "dynamic_th", "-8")
    }),
    // Hashing.
    ("contradict", "ECMP hash without ports", Warning(&["LINK022"]), |c| {
        c.port()?;
        c.put("SWITCH_HASH", json!({"GLOBAL": {"ecmp_hash": ["DST_IP", "SRC_IP", "IP_PROTOCOL"]}}));
        Some(())
    }),
    ("contradict", "hash of port channels without ports", Warning(&["LINK022"]), |c| {
        c.port()?;
        c.put("SWITCH_HASH", json!({"GLOBAL": {"lag_hash": ["DST_MAC", "SRC_MAC"]}}));
        Some(())
    }),
    ("reorder", "hash with ports", Harmless, |c| {
        c.port()?;
        let fields = ["DST_IP", "SRC_IP", "L4_DST_PORT", "L4_SRC_PORT"];
        c.put("SWITCH_HASH", json!({"GLOBAL": {"ecmp_hash": fields, "ecmp_hash_algorithm": "CRC"}}));
        Some(())
    }),
    // One port unlike the others.
    ("contradict", "no FEC on one port", Warning(&["LINK023", "LINK014"]), |c| {
        let p = usual_port(c)?;
        c.set("PORT", &p, "fec", "none")
    }),
    ("contradict", "auto-negotiation on one port", Warning(&["LINK023"]), |c| {
        let p = usual_port(c)?;
        c.set("PORT", &p, "autoneg", "on")
    }),
    ("contradict", "link training on one port", Warning(&["LINK023"]), |c| {
        let p = usual_port(c)?;
        c.set("PORT", &p, "link_training", "on")
    }),
    ("contradict", "VLAN tag type of one port", Warning(&["LINK023"]), |c| {
        let p = usual_port(c)?;
        c.set("PORT", &p, "tpid", "0x9100")
    }),
    ("reorder", "VLAN tag type of one port stated", Harmless, |c| {
        let p = one_of_many(c)?;
        c.set("PORT", &p, "tpid", "0x8100")
    }),
    // The watchdog.
    ("contradict", "watchdog counters polled every minute", Error(&["WD016"]), |c| {
        watched(c)?;
        c.put(
            "FLEX_COUNTER_TABLE",
            json!({"PFCWD": {"FLEX_COUNTER_STATUS": "enable", "POLL_INTERVAL": "60000"}}),
        );
        Some(())
    }),
    ("reorder", "watchdog counters polled as PFC_WD states", Harmless, |c| {
        watched(c)?;
        c.put(
            "FLEX_COUNTER_TABLE",
            json!({"PFCWD": {"FLEX_COUNTER_STATUS": "enable", "POLL_INTERVAL": "100"}}),
        );
        Some(())
    }),
    // A chassis.
    ("remove", "speed of one system port (chassis)", Error(&["LINK015"]), |c| {
        let key = own_system_port(c)?;
        c.unset("SYSTEM_PORT", &key, "speed")
    }),
    ("contradict", "`switch_id` of the device (chassis)", Error(&["LINK015"]), |c| {
        own_system_port(c)?;
        c.set("DEVICE_METADATA", "localhost", "switch_id", "77")
    }),
    ("contradict", "`core_port_id` of another port (chassis)", Error(&["LINK015"]), |c| {
        let [p, q, ..] = c.ports.as_slice() else { return None };
        let (p, q) = (p.clone(), q.clone());
        own_system_port(c)?;
        let [core, number] = [c.get("PORT", &q, "core_id")?, c.get("PORT", &q, "core_port_id")?];
        let _ = c.set("PORT", &p, "core_id", &core);
        c.set("PORT", &p, "core_port_id", &number)
    }),
    // Cables to two switches.
    ("dangle", "port of a cable to two switches", Warning(&["LINK020"]), |c| {
        c.port()?;
        c.put("MUX_CABLE", json!({"Ethernet9999": {"server_ipv4": "192.168.0.2/32", "state": "auto"}}));
        Some(())
    }),
    ("contradict", "two cables to one server", Warning(&["LINK020"]), |c| {
        let [p, q, ..] = c.ports.as_slice() else { return None };
        let cable = json!({"server_ipv4": "192.168.0.2/32", "state": "auto"});
        c.put("MUX_CABLE", json!({p.clone(): cable, q.clone(): cable}));
        Some(())
    }),
    ("reorder", "cables to two servers", Harmless, |c| {
        let [p, q, ..] = c.ports.as_slice() else { return None };
        let cable = |host: u8| json!({"server_ipv4": format!("192.168.0.{host}/32"), "state": "auto"});
        c.put("MUX_CABLE", json!({p.clone(): cable(2), q.clone(): cable(3)}));
        Some(())
    }),
];
