//! DCQCN parameters of a NIC: names, ranges, and differences between hosts.
//!
//! Names are those of the mlx5 driver (`/sys/kernel/debug/mlx5/*/cc_params`), ranges those of NVIDIA's page "DCQCN CC
//! Parameters" (DOCA SDK, ConnectX-4 and later). Rates are in Mb/s, periods in microseconds, `rp_dce_tcp_g` and
//! `rp_initial_alpha_value` fixed-point fractions of 1024.

use std::collections::BTreeMap;

/// Values by name.
pub type Parameters = BTreeMap<String, u64>;

/// The range of a parameter.
#[derive(Clone, Copy)]
enum Range {
    /// A minimum and a maximum.
    Within(u64, u64),
    /// A rate from a minimum to the port's speed, Mb/s.
    Rate(u64),
}

const NAMES: &[(&str, Range)] = &[
    ("rp_ai_rate", Range::Rate(1)),
    ("rp_byte_reset", Range::Within(0, u32::MAX as u64)),
    ("rp_dce_tcp_g", Range::Within(0, 1023)),
    ("rp_dce_tcp_rtt", Range::Within(1, 131_071)),
    ("rp_gd", Range::Within(10, 11)),
    ("rp_hai_rate", Range::Rate(1)),
    ("rp_initial_alpha_value", Range::Within(1, 1023)),
    ("rp_min_dec_fac", Range::Within(0, 100)),
    ("rp_min_rate", Range::Rate(1)),
    ("rp_rate_reduce_monitor_period", Range::Within(1, u32::MAX as u64)),
    ("rp_rate_to_set_on_first_cnp", Range::Rate(0)),
    ("rp_time_reset", Range::Within(1, u32::MAX as u64)),
];

/// The first unknown parameter.
pub(crate) fn unknown(parameters: &Parameters) -> Option<&str> {
    let is_known = |name: &&String| NAMES.iter().any(|(known, _)| known == name);
    parameters.keys().find(|name| !is_known(name)).map(String::as_str)
}

/// The known parameter names, for messages.
pub(crate) fn names() -> String {
    NAMES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// Values that are out of range for a port of this speed, or inconsistent with another value.
pub(crate) fn wrong(parameters: &Parameters, speed_mbps: u32) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, range) in NAMES {
        let Some(value) = parameters.get(*name) else { continue };
        let (low, high, what) = match *range {
            Range::Within(low, high) => (low, high, ""),
            Range::Rate(low) if speed_mbps > 0 => (low, u64::from(speed_mbps), " (the port's speed)"),
            Range::Rate(low) => (low, u64::MAX, ""),
        };
        if !(low..=high).contains(value) {
            wrong.push(format!("{name} is {value}, expected {low} to {high}{what}"));
        }
    }
    if let (Some(slow), Some(fast)) = (parameters.get("rp_ai_rate"), parameters.get("rp_hai_rate"))
        && fast < slow
    {
        wrong.push(format!("rp_hai_rate {fast}, the hyper increase, is below rp_ai_rate {slow}"));
    }
    wrong
}

/// Parameters that both hosts set to different values.
pub(crate) fn differences(one: &Parameters, other: &Parameters) -> Vec<String> {
    let both = one.iter().filter_map(|(name, value)| Some((name, value, other.get(name)?)));
    both.filter(|(_, a, b)| a != b).map(|(name, a, b)| format!("{name} {a} ({b})")).collect()
}
