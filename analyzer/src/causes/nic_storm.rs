//! NIC storm: a host pauses its port without end (RDMA at scale, SIGCOMM 2016, section 4.3 "NIC PFC storm").

use model::Cause;

use super::{Case, Judged};
use crate::span::{clusters, pause_span};

/// A storm's port is paused for at least this share of the time.
const STORM_DUTY: f64 = 0.8;

/// The pauses of a host-facing root port.
pub(super) struct Pauses {
    /// Separate pauses: refreshes that follow at once are one.
    pub count: usize,
    pub longest_ns: f64,
    /// From the first pause to the end of the last one.
    pub whole_ns: f64,
    pub paused_ns: f64,
}

/// The host that is named, and how it pauses its port; `None` when the source has no pause intervals.
pub(super) fn host_pauses<'c>(case: &Case<'c, '_, '_>) -> Option<(&'c str, Pauses)> {
    let view = case.scene.view;
    let host = view.index.name(case.finding.host?);
    let port = *case.finding.path.last()?;
    let frozen_ns = view.switch_of(port).frozen_ns;
    let spans = view.pauses(port).iter().map(|p| pause_span(p, frozen_ns));
    let relevant = spans.filter(|s| case.finding.when.is_none_or(|w| w.overlaps(*s)));
    // A pause frame that arrives when the timer of the last one ran out starts a new record, not a new pause.
    let pauses = clusters(relevant.collect(), 1_000);
    let (first, last) = (pauses.first()?, pauses.last()?);
    let lengths = || pauses.iter().map(|p| (p.to - p.from) as f64);
    let found = Pauses {
        count: pauses.len(),
        longest_ns: lengths().fold(0.0, f64::max),
        whole_ns: first.hull(*last).length_ns(),
        paused_ns: lengths().sum(),
    };
    Some((host, found))
}

pub(super) fn judge(case: &Case<'_, '_, '_>) -> Option<Judged> {
    let (host, pauses) = host_pauses(case)?;
    if pauses.paused_ns < pauses.whole_ns * STORM_DUTY {
        return None;
    }
    Some(Judged {
        cause: Cause::NicStorm,
        factor: 1.0,
        because: format!(
            "the NIC of host {host} keeps it paused ({:.0} % of {:.0} us) although no flow contends there",
            100.0 * pauses.paused_ns / pauses.whole_ns,
            pauses.whole_ns / 1e3
        ),
        advice: vec![
            format!("take host {host} out of service or reset its NIC"),
            "enable the PFC watchdog on host-facing ports, so that one NIC cannot stop the fabric"
                .to_string(),
        ],
    })
}
