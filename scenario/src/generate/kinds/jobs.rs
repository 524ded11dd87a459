//! What delays the iterations of jobs on GPUs, or bounds them.
//!
//! Also drawn are cases without an effect: overheads that are a small part of a transfer, jobs on other GPUs, demands that the NIC
//! meets.

use super::operations::{Client, client, operations};
use crate::generate::plan::Plan;
use crate::generate::{Actor, text};

/// A job on one host, which sends one message in each iteration.
struct Job {
    client: Client,
    /// How long an iteration computes, alone.
    compute_ns: f64,
    /// How long the message takes on the wire.
    wire_ns: f64,
    rtt_ns: f64,
}

fn job(plan: &mut Plan, kind: &'static str, outstanding: u64) -> Option<Job> {
    let client = client(plan, kind, 1)?;
    let message = plan.dice.log(16e3, 1e6);
    let rate = plan.narrowest(&client.name, &client.servers[0]);
    let wire_ns = message / rate;
    let compute_ns = plan.dice.log(20e3, 300e3);
    operations(plan, &client, message, outstanding, &[]);
    let rtt_ns = plan.rtt_ns(&client.name, &client.servers[0]);
    Some(Job { client, compute_ns, wire_ns, rtt_ns })
}

fn add(plan: &mut Plan, job: &Job, keys: &[(&'static str, String)]) {
    let mut all = vec![
        ("flows", text::name(&format!("{}-operations", job.client.prefix))),
        ("gpus", text::name("gpu0")),
    ];
    all.extend(keys.iter().cloned());
    plan.job("job", &job.client.name, &all);
}

pub(super) fn host_control(plan: &mut Plan) -> Option<()> {
    let job = job(plan, "host-control", 1)?;
    let overhead = plan.dice.log(10e3, 300e3);
    let keys = [("compute", text::time(job.compute_ns)), ("control_overhead", text::time(overhead))];
    add(plan, &job, &keys);
    plan.actor(Actor::Host { host: job.client.name });
    Some(())
}

pub(super) fn co_location(plan: &mut Plan) -> Option<()> {
    let job = job(plan, "co-location", 1)?;
    let usual = (job.compute_ns + job.wire_ns + job.rtt_ns) * plan.dice.even(1.0, 1.1);
    add(plan, &job, &[("compute", text::time(job.compute_ns)), ("usual", text::time(usual))]);
    let gpu = if plan.dice.chance(0.8) { "gpu0" } else { "gpu1" };
    let start_ns = job.client.onset_ns;
    let keys = [
        ("gpus", text::name(gpu)),
        ("gpu_percent", plan.dice.integer(5, 100).to_string()),
        ("start", text::time(start_ns)),
        ("duration", text::time(plan.duration(start_ns, 500e3, plan.stop_ns))),
    ];
    plan.job("other", &job.client.name, &keys);
    plan.actor(Actor::Host { host: job.client.name });
    Some(())
}

pub(super) fn network_bound(plan: &mut Plan) -> Option<()> {
    let outstanding = plan.dice.integer(2, 8);
    let job = job(plan, "network-bound", outstanding)?;
    // One batch after another computes while others are sent.
    let wanted = job.wire_ns * plan.dice.log(0.1, 2.0);
    let compute = wanted * plan.dice.even(0.2, 0.9);
    add(plan, &job, &[("compute", text::time(compute)), ("wanted", text::time(wanted))]);
    Some(())
}
