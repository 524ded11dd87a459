//! Background traffic: random arrivals with published flow sizes, storage reads, and collective operations, on as many
//! hosts as the budget of packet hops allows.

use super::plan::Plan;
use super::text;
use crate::workload::{capacity, table};

/// Distributions of sizes, with their weights and the range of the factor of sizes: so that runs of milliseconds have
/// more than a few flows, the large ones are scaled down.
const SIZES: [((&str, f64), u64); 4] = [
    (("web-search", 0.05), 35),
    (("hadoop", 0.3), 30),
    (("ali-storage", 0.5), 30),
    (("long-tail", 0.005), 5),
];

/// Fewest hosts of background traffic.
const LEAST_HOSTS: usize = 4;

/// Adds background traffic to four of five plans, and to every plan without other traffic.
pub(super) fn add(plan: &mut Plan) {
    let wanted = plan.load > 0.0 || plan.is_idle();
    if !wanted && plan.dice.chance(0.25) {
        return;
    }
    if plan.load == 0.0 {
        plan.load = plan.dice.log(0.1, 0.8);
    }
    match plan.dice.weighted(&[("poisson", 60), ("storage-reads", 20), ("collective", 20)]) {
        "collective" if !wanted => collective(plan),
        "storage-reads" => arrivals(plan, true),
        _ => arrivals(plan, false),
    }
    // A plan that is idle otherwise has flows that can be watched: long ones with small windows.
    if plan.disturbances.is_empty() {
        for number in 1..=plan.dice.integer(2, 4) {
            let pair = plan.hosts(2, |_, _| true);
            if let [src, dst] = pair.as_slice() {
                plan.victim(&format!("steady{number}"), src, dst, None);
            }
        }
    }
}

/// Random arrivals between hosts, or reads of storage clients.
fn arrivals(plan: &mut Plan, reads: bool) {
    let (sizes, least) = plan.dice.weighted(&SIZES);
    let scale = plan.dice.log(least, 1.0);
    let mean = table(sizes).map_or(1e5, |table| table.mean()) * scale;
    let priority = plan.dice.weighted(&[(3_u8, 75), (4, 15), (0, 10)]);
    let all = plan.net.hosts();
    let mut hosts = plan.dice.some(&all, all.len());
    let mut duration = plan.stop_ns * plan.dice.even(0.8, 1.0);
    let room = plan.room() * 0.8;
    let payload = plan.devices.payload as f64;
    let hops = 2.0 * plan.net.path(&hosts[0], &hosts[1]).len().max(4) as f64;
    let cost = |plan: &Plan, hosts: &[String], duration: f64| {
        let bytes = capacity(&plan.net.topology, hosts) as f64 / 8e9 * plan.load * duration;
        // Every message ends with a packet that is not full.
        bytes * (1.0 / payload + 0.5 / mean) * hops
    };
    while hosts.len() > LEAST_HOSTS && cost(plan, &hosts, duration) > room {
        hosts.truncate((hosts.len() * 3 / 4).max(LEAST_HOSTS));
    }
    let total = cost(plan, &hosts, duration);
    if total > room {
        duration *= room / total;
    }
    if duration < 20e3 {
        return;
    }
    let start =
        if total > room { plan.dice.even(0.0, 1.0) * (plan.stop_ns * 0.9 - duration).max(0.0) } else { 0.0 };
    let total = cost(plan, &hosts, duration);
    hosts.sort();
    let mut keys = vec![
        ("kind", text::name(if reads { "storage-reads" } else { "poisson" })),
        ("label", text::name("background")),
        ("hosts", text::names(&hosts)),
        ("load", text::number(plan.load)),
        ("sizes", text::name(sizes)),
        ("size_scale", text::number(scale)),
        ("start", text::time(start)),
        ("duration", text::time(duration)),
    ];
    if reads {
        let clients = plan.dice.integer(1, hosts.len() as u64 / 2);
        keys.push(("clients", clients.to_string()));
    }
    if priority != 3 {
        keys.push(("priority", priority.to_string()));
    }
    plan.workload(&keys, total);
}

/// A collective operation of up to sixteen hosts.
fn collective(plan: &mut Plan) {
    let kind = plan.dice.weighted(&[
        ("all-reduce-ring", 50),
        ("all-to-all", 30),
        ("all-reduce-halving-doubling", 20),
    ]);
    let all = plan.net.hosts();
    let count = if kind == "all-reduce-halving-doubling" { 4 } else { plan.dice.integer(3, 16) as usize };
    let members = plan.dice.some(&all, count);
    let rate = plan.narrowest(&members[0], &members[1]);
    let hops = 2.0 * plan.net.path(&members[0], &members[1]).len() as f64;
    let payload = plan.devices.payload as f64;
    let cost = |bytes: f64| 2.0 * bytes * members.len() as f64 / payload * hops;
    let wanted = rate * plan.stop_ns * plan.load / 2.0;
    let bytes = wanted * (plan.room() * 0.8 / cost(wanted)).min(1.0);
    if bytes < plan.frame() * members.len() as f64 {
        return;
    }
    let keys = [
        ("kind", text::name(kind)),
        ("label", text::name("background")),
        ("hosts", text::names(&members)),
        ("size", text::size(bytes)),
    ];
    plan.workload(&keys, cost(bytes));
}
