//! Defects of a chassis with virtual output queues, and of what its chips mark.

use serde_json::json;

use super::Expect::{Error, Warning};
use super::Operator;
use super::tables::own_system_port;
use crate::config::Config;

/// Replaces a field of one system port, and of the chip's port.
fn value(c: &mut Config, field: &str, value: &str) -> Option<()> {
    let key = own_system_port(c)?;
    c.table("SYSTEM_PORT")?.get_mut(&key)?.as_object_mut()?.insert(field.into(), json!(value));
    Some(())
}

fn of_port(c: &mut Config, field: &str, value: &str) -> Option<()> {
    own_system_port(c)?;
    let port = c.port()?;
    c.set("PORT", &port, field, value)
}

/// The profile of the virtual output queues of a chip that marks red packets.
fn of_jericho(c: &Config) -> Option<String> {
    own_system_port(c)?;
    let is_jericho = c.get("DEVICE_METADATA", "localhost", "platform")?.contains("7800r3");
    c.keys("WRED_PROFILE").into_iter().next().filter(|_| is_jericho)
}

pub(super) const OPERATORS: &[Operator] = &[
    (
        "remove",
        "switch for red packets, the colour of plain ones on Jericho",
        Error(&["ECN004", "ECN007"]),
        |c| {
            let profile = of_jericho(c)?;
            c.unset("WRED_PROFILE", &profile, "wred_red_enable")
        },
    ),
    ("contradict", "red packets switched off on Jericho", Error(&["ECN004", "ECN007"]), |c| {
        let profile = of_jericho(c)?;
        c.set("WRED_PROFILE", &profile, "wred_red_enable", "false")
    }),
    ("contradict", "no colour of Jericho enabled", Error(&["ECN007"]), |c| {
        let profile = of_jericho(c)?;
        for colour in ["green", "yellow", "red"] {
            c.set("WRED_PROFILE", &profile, &format!("wred_{colour}_enable"), "false")?;
        }
        Some(())
    }),
    ("contradict", "ECN for green and yellow packets on Jericho", Error(&["ECN007", "ECN008"]), |c| {
        let profile = of_jericho(c)?;
        c.set("WRED_PROFILE", &profile, "ecn", "ecn_green_yellow")
    }),
    ("remove", "scheduler of one lossless virtual output queue", Warning(&["SCHED004"]), |c| {
        let key = format!("{}|{}", own_system_port(c)?, c.priority);
        c.unset("QUEUE", &key, "scheduler")
    }),
    ("rescale", "`max_cores` 0 (chassis)", Error(&["LINK015"]), |c| {
        own_system_port(c)?;
        c.set("DEVICE_METADATA", "localhost", "max_cores", "0")
    }),
    ("retype", "`system_port_id` with a letter", Error(&["LINK015"]), |c| value(c, "system_port_id", "1x")),
    ("retype", "empty `system_port_id`", Error(&["LINK015"]), |c| value(c, "system_port_id", "")),
    ("retype", "negative `system_port_id`", Error(&["LINK015"]), |c| value(c, "system_port_id", "-1")),
    ("retype", "speed of a system port with a unit", Error(&["LINK015"]), |c| value(c, "speed", "100G")),
    ("retype", "`num_voq` of a port: a word", Error(&["LINK015"]), |c| of_port(c, "num_voq", "eight")),
    ("retype", "`core_id` of a port: a word", Error(&["LINK015"]), |c| of_port(c, "core_id", "one")),
    ("contradict", "PFC on the inband port of a chassis", Warning(&["PFC011"]), |c| {
        own_system_port(c)?;
        let port = c.port()?;
        c.put(
            "VOQ_INBAND_INTERFACE",
            json!({port.clone(): {"inband_type": "port"}, format!("{port}|10.0.0.1/32"): {}}),
        );
        Some(())
    }),
];
