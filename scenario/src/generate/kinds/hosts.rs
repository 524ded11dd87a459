//! Faults of hosts and their NICs.

use super::contention::{Site, site};
use crate::generate::plan::{Flow, Plan, bytes_per_ns};
use crate::generate::text;
use model::Rate;

/// Draws a faulty host that other hosts send to, and a victim that goes to its neighbour or to itself.
fn faulty(plan: &mut Plan, kind: &'static str) -> Option<Site> {
    let site = site(plan, kind, false)?;
    // Without traffic to it, the faulty host only delays a victim of its own.
    if plan.dice.chance(0.85) {
        let count = plan.dice.integer(1, 3) as usize;
        let feeders = plan.hosts(count, |_, _| true);
        if feeders.is_empty() {
            return None;
        }
        let share = plan.dice.even(0.3, 1.1) / feeders.len() as f64;
        let rate = plan.narrowest(&feeders[0], &site.receiver);
        let start = site.onset_ns * plan.dice.even(0.0, 1.0);
        let bytes = rate * (plan.stop_ns - start) * share;
        let label = format!("{}-feed", site.prefix);
        plan.flow(Flow::new(&label, &feeders, std::slice::from_ref(&site.receiver), bytes, start), 0.5);
    }
    Some(site)
}

fn share_of_link(plan: &mut Plan, host: &str, (low, high): (f64, f64)) -> String {
    let rate = plan.net.host_rate(host).0 as f64 * plan.dice.even(low, high);
    text::rate(Rate((rate / 1e8).round().max(1.0) as u64 * 100_000_000))
}

fn slow(plan: &mut Plan, kind: &'static str, share: (f64, f64)) -> Option<()> {
    let site = faulty(plan, kind)?;
    let rate = share_of_link(plan, &site.receiver, share);
    let duration = plan.duration(site.onset_ns, 100e3, plan.stop_ns);
    let mut keys = vec![("rate", rate)];
    if plan.dice.chance(0.3) {
        let xoff = plan.dice.log(16e3, 512e3);
        keys.push(("xoff", text::size(xoff)));
        keys.push(("xon", text::size(xoff * plan.dice.even(0.2, 0.9))));
    }
    plan.fault("slow_receiver", &site.receiver, site.onset_ns, duration, &keys);
    Some(())
}

pub(super) fn slow_receiver(plan: &mut Plan) -> Option<()> {
    slow(plan, "slow-receiver", (0.05, 0.85))
}

pub(super) fn almost_fast_receiver(plan: &mut Plan) -> Option<()> {
    slow(plan, "almost-fast-receiver", (0.85, 0.99))
}

/// The settings of a pause storm: quanta of each frame and the time between frames.
fn storm_keys(plan: &mut Plan, host: &str, duty: (f64, f64)) -> Vec<(&'static str, String)> {
    let link = plan.net.host_rate(host);
    let quanta = if plan.dice.chance(0.3) { 65_535.0 } else { plan.dice.log(1_000.0, 65_535.0) };
    let pause_ns = quanta * 64.0 / bytes_per_ns(link);
    let interval = (pause_ns / plan.dice.log(duty.0, duty.1)).max(2.0 * 84.0 / bytes_per_ns(link)).max(1e3);
    vec![("quanta", (quanta as u64).to_string()), ("interval", text::time(interval))]
}

pub(super) fn storm(plan: &mut Plan) -> Option<()> {
    let site = faulty(plan, "nic-storm")?;
    let keys = storm_keys(plan, &site.receiver, (0.1, 2.0));
    let duration = plan.duration(site.onset_ns, 300e3, plan.stop_ns);
    plan.fault("storm", &site.receiver, site.onset_ns, duration, &keys);
    Some(())
}

pub(super) fn short_storm(plan: &mut Plan) -> Option<()> {
    let site = faulty(plan, "short-storm")?;
    let keys = storm_keys(plan, &site.receiver, (0.5, 4.0));
    let duration = plan.duration(site.onset_ns, 10e3, 300e3);
    plan.fault("storm", &site.receiver, site.onset_ns, duration, &keys);
    Some(())
}

pub(super) fn mtt_misses(plan: &mut Plan) -> Option<()> {
    let site = faulty(plan, "mtt-misses")?;
    let keys = [
        ("region", text::size(plan.dice.log(6e6, 512e6))),
        ("miss", text::time(plan.dice.log(100.0, 4_000.0))),
    ];
    let duration = plan.duration(site.onset_ns, 200e3, plan.stop_ns);
    plan.fault("mtt_misses", &site.receiver, site.onset_ns, duration, &keys);
    Some(())
}

pub(super) fn context_misses(plan: &mut Plan) -> Option<()> {
    let site = faulty(plan, "context-misses")?;
    let keys = [
        ("queue_pairs", (plan.dice.log(128.0, 16_384.0) as u64).to_string()),
        ("miss", text::time(plan.dice.log(100.0, 2_000.0))),
    ];
    let duration = plan.duration(site.onset_ns, 200e3, plan.stop_ns);
    plan.fault("context_misses", &site.receiver, site.onset_ns, duration, &keys);
    Some(())
}

/// Also draws workloads that the NIC serves at line rate: WRITEs, small batches, short queues, short misses. A slow bus beside
/// one makes the host pause for another reason than the workload.
pub(super) fn receive_wqe_misses(plan: &mut Plan) -> Option<()> {
    let site = faulty(plan, "receive-wqe-misses")?;
    let power = |exponent: u64| (1u64 << exponent).to_string();
    let transport = plan.dice.weighted(&[("ud", 70), ("rc", 30)]);
    let operation = plan.dice.weighted(&[("send", 85), ("write", 15)]);
    // UD has no WRITE.
    let transport = if operation == "write" { "rc" } else { transport };
    let mut keys = vec![
        ("transport", text::name(transport)),
        ("operation", text::name(operation)),
        ("batch", power(plan.dice.integer(4, 9))),
        ("depth", power(plan.dice.integer(6, 12))),
        ("miss", text::time(plan.dice.log(200.0, 4_000.0))),
    ];
    if transport == "rc" {
        let message = plan.devices.payload * plan.dice.integer(1, 4);
        keys.push(("message", text::name(&format!("{message}B"))));
    }
    let duration = plan.duration(site.onset_ns, 200e3, plan.stop_ns);
    plan.fault("receive_wqe_misses", &site.receiver, site.onset_ns, duration, &keys);
    if plan.dice.chance(0.2) {
        let rate = share_of_link(plan, &site.receiver, (0.2, 0.98));
        plan.fault("host_bus", &site.receiver, site.onset_ns, duration, &[("rate", rate)]);
    }
    Some(())
}

pub(super) fn narrow_bus(plan: &mut Plan) -> Option<()> {
    let site = faulty(plan, "narrow-bus")?;
    let rate = share_of_link(plan, &site.receiver, (0.2, 0.98));
    let duration = plan.duration(site.onset_ns, 200e3, plan.stop_ns);
    plan.fault("host_bus", &site.receiver, site.onset_ns, duration, &[("rate", rate)]);
    Some(())
}

pub(super) fn loopback(plan: &mut Plan) -> Option<()> {
    let site = faulty(plan, "loopback")?;
    let rate = share_of_link(plan, &site.receiver, (1.0, 1.3));
    let loopback = share_of_link(plan, &site.receiver, (0.1, 1.0));
    let duration = plan.duration(site.onset_ns, 200e3, plan.stop_ns);
    let keys = [("rate", rate), ("loopback", loopback)];
    plan.fault("host_bus", &site.receiver, site.onset_ns, duration, &keys);
    Some(())
}

pub(super) fn stopped_pipeline(plan: &mut Plan) -> Option<()> {
    let site = faulty(plan, "stopped-pipeline")?;
    let duration = plan.duration(site.onset_ns, 50e3, plan.stop_ns);
    if plan.dice.chance(0.4) {
        let timeout = plan.dice.log(100e3, 2e6);
        plan.devices.set_host(&site.receiver, "watchdog", text::time(timeout));
    }
    plan.fault("stopped_pipeline", &site.receiver, site.onset_ns, duration, &[]);
    Some(())
}

pub(super) fn watchdog(plan: &mut Plan) -> Option<()> {
    let site = faulty(plan, "watchdog")?;
    let rest = plan.stop_ns - site.onset_ns;
    // Shorter than the default of 200 ms, so that it acts within the run.
    let detection = plan.dice.log(50e3, 400e3).min(rest / 3.0);
    let restoration = if plan.dice.chance(0.2) {
        text::name("never")
    } else {
        text::time(detection * plan.dice.log(0.25, 2.0))
    };
    let action = plan.dice.weighted(&[("drop", 70), ("forward", 20), ("alert", 10)]);
    let table = format!(
        "{{ detection = {}, restoration = {restoration}, action = {} }}",
        text::time(detection),
        text::name(action)
    );
    plan.devices.switch.insert("watchdog", table);
    let keys = storm_keys(plan, &site.receiver, (1.0, 4.0));
    let duration = plan.duration(site.onset_ns, detection * 1.2, rest);
    plan.fault("storm", &site.receiver, site.onset_ns, duration, &keys);
    Some(())
}
