//! A queue of the victim's own packets: what its sender and its path do not agree about.

use model::{Anomaly, Cause};

use super::{Case, Judged, host_names, named};

pub(super) fn judge(case: &Case<'_, '_, '_>) -> Option<Judged> {
    if case.finding.anomaly != Anomaly::SelfInflicted {
        return None;
    }
    let contention = case.finding.contention.as_ref()?;
    let victim = case.context.victim?;
    let view = case.context.view;
    let sender = host_names(case, std::iter::once(victim.src));
    let rate_bps = view.topo(contention.port).map_or(0, |port| view.index.info(port).rate.0);
    let base_ns = case.context.trigger.map_or(0, |trigger| trigger.base_rtt_ns);
    // Bandwidth-delay product: what the path holds without a queue.
    let holds = (u128::from(rate_bps) * u128::from(base_ns) / 8_000_000_000) as u64;
    let mut advice = Vec::new();
    if holds > 0 {
        advice.push(format!(
            "limit the window of {} to about {:.0} kB, the product of base RTT and the {} Gb/s of that port: the rest is queued there",
            named(case, victim),
            (holds as f64 / 1e3).ceil(),
            rate_bps / 1_000_000_000
        ));
    }
    advice.push(format!(
        "let congestion control at {sender} reduce the rate of this flow to that of its slowest link"
    ));
    Some(Judged {
        cause: Cause::Undetermined,
        factor: 1.0,
        because: format!(
            "{:.0} % of the packets queued at that port are its own: it sends faster than the port drains",
            100.0 * contention.share(victim)
        ),
        advice,
        config: Vec::new(),
    })
}
