//! NIC storm: a host pauses its port continuously or for most of the time (RDMA at scale, SIGCOMM 2016, section 4.3
//! "NIC PFC storm").

use model::Cause;
use model::telemetry::PauseInterval;

use super::{Case, Judged};
use crate::span::{clusters, pause_span};
use crate::view::saturating;

/// Minimum share of time for which a storm pauses the port.
const STORM_DUTY: f64 = 0.8;

/// Confidence factor of one pause without a refresh: it may also be the first pause of a slow receiver.
const NOT_REFRESHED: f64 = 0.6;
/// Confidence factor where the host resumed the port between pauses.
const RESUMED: f64 = 0.8;

/// The pauses of a host-facing root port.
pub(super) struct Pauses {
    /// Separate pauses; immediate refreshes belong to the same pause.
    pub count: usize,
    pub longest_ns: f64,
    /// From the first pause to the end of the last one.
    pub whole_ns: f64,
    pub paused_ns: f64,
    /// Length and number of pause frames of the last pause.
    pub last_ns: f64,
    pub last_frames: u64,
    /// Every pause that has ended consists of one frame, and all have the same length: a timer sends them, not a
    /// buffer.
    pub is_metronome: bool,
}

impl Pauses {
    /// Whether the last pause is a storm: refreshed, and longer than the time from the first pause to its start. A slow
    /// receiver resumes, and its pauses are of similar length.
    pub(super) fn ends_in_storm(&self) -> bool {
        self.is_metronome || self.count == 1 || self.last_frames > 1 && self.last_ns > 0.5 * self.whole_ns
    }
}

/// Whether there are three or more pauses of one frame each with the same length. Pauses that a buffer causes vary.
fn is_metronome(ended: &[&PauseInterval], frozen_ns: u64) -> bool {
    const ALIKE: f64 = 0.005;
    let lengths = || ended.iter().map(|p| pause_span(p, frozen_ns).length_ns());
    let (least, most) = lengths().fold((f64::INFINITY, 0.0), |(a, b), ns| (f64::min(a, ns), f64::max(b, ns)));
    ended.len() >= 3 && ended.iter().all(|p| p.frames == 1) && most - least <= most * ALIKE
}

/// Returns the finding's host and its pauses; `None` when the source has no pause intervals.
pub(super) fn host_pauses<'c>(case: &Case<'c, '_, '_>) -> Option<(&'c str, Pauses)> {
    let view = case.context.view;
    let host = view.index.name(case.finding.host?);
    let port = *case.finding.path.last()?;
    let frozen_ns = view.switch_of(port).frozen_ns;
    let relevant = || {
        let spans = view.pauses(port).iter().map(|p| (pause_span(p, frozen_ns), p.frames));
        spans.filter(|(s, _)| case.finding.when.is_none_or(|w| w.overlaps(*s)))
    };
    // A pause frame that arrives just after the previous pause expired starts a new record, not a new pause.
    let pauses = clusters(relevant().map(|(s, _)| s).collect(), 1_000);
    let (first, last) = (pauses.first()?, pauses.last()?);
    let lengths = || pauses.iter().map(|p| (p.to - p.from) as f64);
    let of_last = relevant().filter(|(s, _)| s.overlaps(*last)).map(|(_, frames)| frames);
    let ended: Vec<&PauseInterval> = view
        .pauses(port)
        .iter()
        .copied()
        .filter(|p| {
            p.end_ns.is_some() && case.finding.when.is_none_or(|w| w.overlaps(pause_span(p, frozen_ns)))
        })
        .collect();
    let found = Pauses {
        is_metronome: is_metronome(&ended, frozen_ns),
        count: pauses.len(),
        longest_ns: lengths().fold(0.0, f64::max),
        whole_ns: first.hull(*last).length_ns(),
        paused_ns: lengths().sum(),
        last_ns: (last.to - last.from) as f64,
        last_frames: saturating(of_last),
    };
    Some((host, found))
}

pub(super) fn judge(case: &Case<'_, '_, '_>) -> Option<Judged> {
    let (host, pauses) = host_pauses(case)?;
    if pauses.paused_ns < pauses.whole_ns * STORM_DUTY {
        return None;
    }
    let factor = match (pauses.count, pauses.last_frames) {
        _ if pauses.is_metronome => 1.0,
        (1, 0 | 1) => NOT_REFRESHED,
        (1, _) => 1.0,
        _ => RESUMED,
    };
    Some(Judged {
        cause: Cause::NicStorm,
        factor,
        because: match pauses.count {
            1 => {
                format!("the NIC of host {host} paused that port once, for {:.1} us", pauses.paused_ns / 1e3)
            }
            _ => format!(
                "the NIC of host {host} kept that port paused for {:.0} % of {:.0} us",
                100.0 * pauses.paused_ns / pauses.whole_ns,
                pauses.whole_ns / 1e3
            ),
        },
        advice: vec![
            format!("take host {host} out of service or reset its NIC"),
            "enable the PFC watchdog on host-facing ports, so that one NIC cannot stop the fabric"
                .to_string(),
        ],
        config: Vec::new(),
    })
}
