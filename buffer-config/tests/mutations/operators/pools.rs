//! Defects of pools and thresholds: profiles in the pool of other traffic, pools for both directions, limits of lossy traffic
//! in pools and lists, the traffic pattern of the dynamic model.

use serde_json::json;

use super::Expect::{Error, Harmless, Warning};
use super::Operator;
use super::settings::lossy_profile;
use crate::config::Config;

/// The profile of lossy queues or groups, if its traffic has a pool of its own.
fn beside_lossy_pool(c: &Config, table: &str) -> Option<String> {
    let profile = lossy_profile(c, table)?;
    let pool = c.get("BUFFER_PROFILE", &profile, "pool")?;
    pool.contains("lossy").then_some(profile)
}

fn pool_of(c: &Config, profile: &str) -> Option<String> {
    let pool = c.get("BUFFER_PROFILE", profile, "pool").filter(|pool| !pool.starts_with('['))?;
    c.get("BUFFER_POOL", &pool, "type").map(|_| pool)
}

fn is_dnx(c: &Config) -> bool {
    c.has_virtual_output_queues() || c.keys("BUFFER_POOL").iter().any(|pool| is_both(c, pool))
}

fn is_both(c: &Config, pool: &str) -> bool {
    c.get("BUFFER_POOL", pool, "type").as_deref() == Some("both")
}

fn has_known_asic(c: &Config) -> Option<()> {
    let platform = c.get("DEVICE_METADATA", "localhost", "platform")?;
    buffer_config::asic::of_device(&platform, "").map(|_| ())
}

pub(super) const OPERATORS: &[Operator] = &[
    // Pools of other traffic.
    ("contradict", "lossy queues in the lossless egress pool", Warning(&["BUF056"]), |c| {
        c.port()?;
        let profile = beside_lossy_pool(c, "BUFFER_QUEUE")?;
        c.keys("BUFFER_POOL").iter().any(|pool| pool == "egress_lossless_pool").then_some(())?;
        (c.get("BUFFER_PROFILE", &c.queue_profile()?, "pool")? == "egress_lossless_pool").then_some(())?;
        c.set("BUFFER_PROFILE", &profile, "pool", "egress_lossless_pool")
    }),
    ("contradict", "lossy groups in the lossless ingress pool", Warning(&["BUF056"]), |c| {
        c.port()?;
        let profile = beside_lossy_pool(c, "BUFFER_PG")?;
        (c.get("BUFFER_POOL", &pool_of(c, &profile)?, "type")? == "ingress").then_some(())?;
        (c.pool()? == "ingress_lossless_pool").then_some(())?;
        c.set("BUFFER_PROFILE", &profile, "pool", "ingress_lossless_pool")
    }),
    // Pools for both directions.
    ("contradict", "lossless ingress pool of type both", Error(&["BUF057"]), |c| {
        c.port()?;
        has_known_asic(c)?;
        (!is_dnx(c)).then_some(())?;
        let pool = pool_of(c, &c.profile()?)?;
        c.set("BUFFER_POOL", &pool, "type", "both")
    }),
    ("contradict", "egress pool of lossless queues of type both", Error(&["BUF057"]), |c| {
        c.port()?;
        has_known_asic(c)?;
        (!is_dnx(c)).then_some(())?;
        let pool = pool_of(c, &c.queue_profile()?)?;
        c.set("BUFFER_POOL", &pool, "type", "both")
    }),
    ("contradict", "the common pool of Jericho of type ingress", Error(&["BUF019", "BUF057"]), |c| {
        c.port()?;
        let pool = c.keys("BUFFER_POOL").into_iter().find(|pool| is_both(c, pool))?;
        c.set("BUFFER_POOL", &pool, "type", "ingress")
    }),
    // Limits of lossy traffic.
    ("rescale", "pool of lossy queues of 1000 bytes", Error(&["BUF055"]), |c| {
        let profile = beside_lossy_pool(c, "BUFFER_QUEUE")?;
        let pool = pool_of(c, &profile)?;
        let queues = c.queue_profile()?;
        (pool_of(c, &queues)? != pool).then_some(())?;
        c.set("BUFFER_POOL", &pool, "size", "1000")
    }),
    (
        "rescale",
        "lossy profile of an ingress list limited to 1000 bytes (Spectrum)",
        Error(&["BUF055"]),
        |c| of_list(c, "BUFFER_PORT_INGRESS_PROFILE_LIST"),
    ),
    (
        "rescale",
        "lossy profile of an egress list limited to 1000 bytes (Spectrum)",
        Error(&["BUF055"]),
        |c| of_list(c, "BUFFER_PORT_EGRESS_PROFILE_LIST"),
    ),
    ("reorder", "lossy queues with alpha 1/2", Harmless, |c| {
        let profile = beside_lossy_pool(c, "BUFFER_QUEUE")?;
        c.get("BUFFER_PROFILE", &profile, "dynamic_th")?;
        c.set("BUFFER_PROFILE", &profile, "dynamic_th", "-1")
    }),
    // The dynamic model.
    ("rescale", "lossless frames of 64 bytes (dynamic model)", Warning(&["BUF038"]), |c| {
        pattern(c, "mtu", "64")
    }),
    ("retype", "lossless frames of 10000 bytes (dynamic model)", Error(&["BUF038"]), |c| {
        pattern(c, "mtu", "10000")
    }),
    ("retype", "small packets of 101 percent (dynamic model)", Error(&["BUF038"]), |c| {
        pattern(c, "small_packet_percentage", "101")
    }),
    ("contradict", "two traffic patterns (dynamic model)", Error(&["BUF038"]), |c| {
        c.port()?;
        c.is_dynamic().then_some(())?;
        let other = json!({"mtu": "4096", "small_packet_percentage": "10"});
        c.table("LOSSLESS_TRAFFIC_PATTERN")?.insert("OTHER".into(), other);
        Some(())
    }),
];

/// Limits a profile of a list of the first port, which no group or queue uses.
fn of_list(c: &mut Config, table: &str) -> Option<()> {
    c.is_nvidia().then_some(())?;
    let port = c.port()?;
    let list = c.get(table, &port, "profile_list").filter(|list| !list.contains('['))?;
    let name = list.split(',').find(|name| name.contains("lossy"))?.to_string();
    let fields = c.value("BUFFER_PROFILE")?.get(name.as_str())?.clone();
    c.table("BUFFER_PROFILE")?.insert("port_lossy_test".into(), fields);
    for field in ["static_th", "dynamic_th"] {
        let _ = c.unset("BUFFER_PROFILE", "port_lossy_test", field);
    }
    let _ = c.set("BUFFER_PROFILE", "port_lossy_test", "size", "0");
    c.set("BUFFER_PROFILE", "port_lossy_test", "static_th", "1000")?;
    let names: Vec<&str> =
        list.split(',').map(|own| if own == name { "port_lossy_test" } else { own }).collect();
    c.set(table, &port, "profile_list", &names.join(","))
}

fn pattern(c: &mut Config, field: &str, value: &str) -> Option<()> {
    c.port()?;
    c.is_dynamic().then_some(())?;
    let key = c.keys("LOSSLESS_TRAFFIC_PATTERN").first().cloned()?;
    c.set("LOSSLESS_TRAFFIC_PATTERN", &key, field, value)
}
