//! Collective operations.

use super::contention::burst;
use crate::generate::plan::Plan;
use crate::generate::text;
use model::Rate;

/// A collective operation of which one member receives slowly, or receives other traffic as well.
pub(super) fn straggler(plan: &mut Plan) -> Option<()> {
    let prefix = plan.begin("collective-straggler");
    let kind = plan.dice.weighted(&[
        ("all-reduce-ring", 50),
        ("all-reduce-halving-doubling", 30),
        ("all-to-all", 20),
    ]);
    let count = if kind == "all-reduce-halving-doubling" {
        plan.dice.weighted(&[(4, 60), (8, 40)])
    } else {
        plan.dice.integer(3, 8) as usize
    };
    let members = plan.hosts(count, |_, _| true);
    if members.len() < count {
        return None;
    }
    let start = plan.dice.even(0.0, 0.2) * plan.stop_ns;
    let rate = plan.narrowest(&members[0], &members[1]);
    // Every member sends and receives about twice the data, once for all-to-all.
    let wanted = rate * (plan.stop_ns - start) * plan.dice.log(0.1, 0.6) / 2.0;
    let hops = 2.0 * plan.net.path(&members[0], &members[1]).len() as f64;
    let cost = |bytes: f64| 2.0 * bytes * count as f64 / plan.devices.payload as f64 * hops;
    let bytes = (wanted * (plan.room() * 0.5 / cost(wanted)).min(1.0)).max(plan.frame() * count as f64);
    let label = format!("{prefix}-job");
    let keys = [
        ("kind", text::name(kind)),
        ("label", text::name(&label)),
        ("hosts", text::names(&members)),
        ("size", text::size(bytes)),
        ("start", text::time(start)),
    ];
    plan.workload(&keys, cost(bytes));
    if let Some(last) = plan.disturbances.last_mut() {
        last.victims.push(label);
    }
    let slow = plan.dice.one(&members)?;
    let onset = plan.onset();
    if plan.dice.chance(0.5) {
        let rate = plan.net.host_rate(&slow).0 as f64 * plan.dice.even(0.1, 0.95);
        let rate = text::rate(Rate((rate / 1e8).round().max(1.0) as u64 * 100_000_000));
        let duration = plan.duration(onset, 200e3, plan.stop_ns);
        plan.fault("host_bus", &slow, onset, duration, &[("rate", rate)]);
        return Some(());
    }
    let senders = plan.hosts(4, |_, _| true);
    if senders.is_empty() {
        return None;
    }
    let bytes = plan.bdp(&senders[0], &slow) * plan.dice.log(2.0, 60.0);
    burst(plan, &format!("{prefix}-burst"), &slow, &senders, bytes, 1.0, onset);
    Some(())
}
