//! NIC storm: a host pauses its port although it has nothing to receive, or receives next to nothing (RDMA at scale,
//! SIGCOMM 2016, section 4.3 "NIC PFC storm").
//!
//! A slow receiver pauses because its buffer filled up to XOFF, and resumes when the buffer has drained to XON. So it
//! takes packets between its pauses, and its pauses last as long as its receive path takes to drain the buffer. A storm
//! has no full receive path behind it:
//!
//! - it pauses again although no packet was left to deliver since its previous pause, or
//! - its last pause was refreshed and outlasts the draining of a buffer, or
//! - over whole cycles of pause and resume it takes less than a tenth of the line rate.
//!
//! A single short pause shows neither.

use model::{Cause, Rate, Time};

use super::{Case, Judged};
use crate::facts::span::{Span, clusters, pause_span};
use crate::facts::view::{PortIx, saturating};
use crate::facts::wording::duration_f64;
use crate::settings::Tuning;
use crate::thresholds as t;

/// What the pauses of a host show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pattern {
    /// A storm, and the confidence factor of that.
    Storm(f64),
    /// The host drained its buffer and resumed several times.
    SlowReceiver,
    /// One pause, which is no longer than a slow receiver's.
    Once,
}

/// The pauses of a host-facing root port.
#[derive(Clone, Debug)]
pub(super) struct Pauses {
    /// Separate pauses, ascending; immediate refreshes belong to the same pause.
    pub spans: Vec<Span>,
    /// Pause frames of the last one.
    pub last_frames: u64,
    /// The rate of the host's link.
    pub rate: Rate,
    /// Propagation over the host's link and back.
    pub flight_ns: u64,
    /// When the port had delivered its last packet at the latest, if the records show it.
    pub empty_since_ns: Option<u64>,
}

impl Pauses {
    pub(super) fn whole_ns(&self) -> f64 {
        self.spans.iter().copied().reduce(Span::hull).map_or(1.0, Span::length_ns)
    }

    pub(super) fn paused_ns(&self) -> f64 {
        self.spans.iter().map(|p| (p.to - p.from) as f64).sum()
    }

    pub(super) fn longest_ns(&self) -> f64 {
        self.spans.iter().map(|p| (p.to - p.from) as f64).fold(0.0, f64::max)
    }

    /// The share of whole cycles, from the first pause to the start of the last one, in which the port was paused.
    fn duty(&self) -> f64 {
        let Some((last, whole)) = self.spans.split_last() else { return 0.0 };
        let Some(first) = whole.first() else { return 0.0 };
        let paused: u64 = whole.iter().map(|p| p.to - p.from).sum();
        paused as f64 / (last.from - first.from).max(1) as f64
    }

    /// Whether the host paused again although the port had nothing to deliver since its previous pause began.
    fn pauses_without_packets(&self) -> bool {
        let Some(since) = self.empty_since_ns else { return false };
        self.spans.windows(2).any(|pair| pair[0].from >= since)
    }

    /// Returns what the pauses show.
    pub(super) fn pattern(&self, settings: &Tuning) -> Pattern {
        let broken = settings.value(&t::BROKEN_SHARE);
        let resumed = settings.value(&t::RESUMED);
        let last_ns = self.spans.last().map_or(0, |last| last.to - last.from);
        // Without a refresh, the buffer was full once and may have been draining since.
        let outlasts_draining =
            self.last_frames > 1 && last_ns > drain_ns(settings, self.rate, self.flight_ns);
        match self.spans.len() {
            0 | 1 if outlasts_draining => Pattern::Storm(1.0),
            0 | 1 => Pattern::Once,
            _ if self.pauses_without_packets() => Pattern::Storm(1.0),
            _ if outlasts_draining => Pattern::Storm(resumed),
            many if many >= settings.count(&t::CYCLES) && self.duty() > 1.0 - broken => {
                Pattern::Storm(resumed)
            }
            _ => Pattern::SlowReceiver,
        }
    }
}

/// The time that a receive path at a tenth of the line rate takes to drain its buffer to XON. It filled up to XOFF, and
/// packets arrived for another flight over the link and back until the pause had an effect.
fn drain_ns(settings: &Tuning, rate: Rate, flight_ns: u64) -> u64 {
    let line: Time = rate.serialisation(settings.value(&t::HYSTERESIS_BYTES) as u64);
    (line.as_ns().saturating_add(flight_ns) as f64 / settings.value(&t::BROKEN_SHARE)) as u64
}

/// Returns the finding's host and its pauses; `None` when the source has no pause intervals.
pub(super) fn host_pauses<'c>(case: &Case<'c, '_, '_>) -> Option<(&'c str, Pauses)> {
    let view = case.context.view;
    let host = view.index.name(case.finding.host?);
    let port = *case.finding.path.last()?;
    let frozen_ns = view.switch_of(port).frozen_ns;
    let all = || view.pauses(port).iter().map(|p| (pause_span(p, frozen_ns), p.frames));
    let of_event = |span: &Span| case.finding.when.is_none_or(|when| when.overlaps(*span));
    let joined = |spans: Vec<Span>| clusters(spans, case.context.settings.ns(&t::STORM_GAP));
    let mut spans = joined(all().map(|(span, _)| span).filter(of_event).collect());
    let last = *spans.last()?;
    // A receiver that is almost fast enough pauses so rarely that each pause is an event of its own.
    if spans.len() == 1 {
        spans = joined(all().map(|(span, _)| span).filter(|span| span.from <= last.to).collect());
    }
    let last_frames = saturating(all().filter(|(span, _)| span.overlaps(last)).map(|(_, frames)| frames));
    let rate = view.topo(port).map_or(Rate::from_gbps(100), |port| view.index.info(port).rate);
    let link = view.index.topology().link_of(&view.port_ref(port));
    let flight_ns = link.map_or(0, |link| link.delay.as_ns().saturating_mul(2));
    let empty_since_ns = empty_since(case, port, rate, &spans);
    Some((host, Pauses { spans, last_frames, rate, flight_ns, empty_since_ns }))
}

/// Returns when the port had delivered its last packet at the latest: after the last packet was enqueued, the port
/// needed to drain its queue, while it was not paused. The queue was at most twice as deep as packets found it on average.
fn empty_since(case: &Case<'_, '_, '_>, port: PortIx, rate: Rate, pauses: &[Span]) -> Option<u64> {
    let flows = || case.context.view.flows(port).iter();
    let last_ns = flows().filter_map(|f| f.seen_ns).map(|(from, to)| from.max(to)).max()?;
    let latest = flows().max_by_key(|f| f.epoch)?.epoch;
    let of_latest = || flows().filter(|f| f.epoch == latest);
    let depth = saturating(of_latest().map(|f| f.depth_sum));
    let queued = saturating(of_latest().map(|f| f.queued_packets.unwrap_or(f.packets))).max(1);
    let packets = saturating(of_latest().map(|f| f.packets)).max(1);
    let packet_bytes = saturating(of_latest().map(|f| f.bytes.unwrap_or(0))) / packets;
    let backlog_packets = (depth.saturating_mul(2) / queued).saturating_add(1);
    let drain_ns = rate.serialisation(backlog_packets.saturating_mul(packet_bytes.max(1_000))).as_ns();
    // Walk over the time that is not paused until the queue has drained.
    let (mut at, mut left) = (last_ns, drain_ns);
    for pause in pauses.iter().filter(|p| p.to > last_ns) {
        let open = pause.from.saturating_sub(at);
        if open >= left {
            return Some(at.saturating_add(left));
        }
        left -= open;
        at = at.max(pause.to);
    }
    Some(at.saturating_add(left))
}

pub(super) fn judge(case: &Case<'_, '_, '_>) -> Option<Judged> {
    let (host, pauses) = host_pauses(case)?;
    let factor = match pauses.pattern(case.context.settings) {
        Pattern::Storm(factor) => factor,
        Pattern::Once => return Some(once(case, host, &pauses)),
        Pattern::SlowReceiver => return None,
    };
    let because = match pauses.spans.len() {
        1 => format!(
            "the NIC of host {host} keeps that port paused, for {} so far",
            duration_f64(pauses.paused_ns())
        ),
        _ if pauses.pauses_without_packets() => format!(
            "the NIC of host {host} pauses that port again and again ({:.0} % of {}) although it has nothing to deliver",
            100.0 * pauses.paused_ns() / pauses.whole_ns(),
            duration_f64(pauses.whole_ns())
        ),
        _ => format!(
            "the NIC of host {host} kept that port paused for {:.0} % of {}",
            100.0 * pauses.paused_ns() / pauses.whole_ns(),
            duration_f64(pauses.whole_ns())
        ),
    };
    Some(Judged {
        cause: Cause::NicStorm,
        factor,
        because,
        advice: vec![
            format!("take host {host} out of service or reset its NIC"),
            "enable the PFC watchdog on host-facing ports, so that one NIC cannot stop the fabric"
                .to_string(),
        ],
        config: Vec::new(),
    })
}

/// One pause shows that the host's receive buffer was full, but not why.
fn once(case: &Case<'_, '_, '_>, host: &str, pauses: &Pauses) -> Judged {
    Judged {
        cause: Cause::Undetermined,
        factor: case.context.settings.value(&t::PAUSED_ONCE),
        because: format!(
            "the NIC of host {host} paused that port once, for {}, which a slow receive path and a storm both begin with",
            duration_f64(pauses.paused_ns())
        ),
        advice: vec![format!(
            "check the NIC receive path of host {host}: PCIe, IOMMU and NIC translation caches, memory bandwidth"
        )],
        config: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pauses of a 100 Gb/s port, in microseconds.
    fn pauses(list: &[(u64, u64)], last_frames: u64, empty_since_us: u64) -> Pauses {
        Pauses {
            spans: list.iter().map(|(from, to)| Span::new(from * 1_000, to * 1_000)).collect(),
            last_frames,
            rate: Rate::from_gbps(100),
            flight_ns: 0,
            empty_since_ns: Some(empty_since_us * 1_000),
        }
    }

    fn cycles(count: u64, pause_us: u64, gap_us: u64) -> Vec<(u64, u64)> {
        (0..count).map(|n| n * (pause_us + gap_us)).map(|from| (from, from + pause_us)).collect()
    }

    #[test]
    fn the_longest_pause_of_a_slow_receiver_follows_from_buffer_and_rate() {
        assert_eq!(drain_ns(&Tuning::default(), Rate::from_gbps(100), 0), 52_420);
        assert_eq!(drain_ns(&Tuning::default(), Rate::from_gbps(40), 0), 131_070);
        // 1.63 us of cable at 800 Gb/s: five times the bytes of the buffer's hysteresis are in flight.
        assert_eq!(drain_ns(&Tuning::default(), Rate::from_gbps(800), 3_260), 39_150);
    }

    #[test]
    fn one_short_pause_is_neither_storm_nor_slow_receiver() {
        assert_eq!(pauses(&[(0, 10)], 1, 900).pattern(&Tuning::default()), Pattern::Once);
        assert_eq!(pauses(&[(0, 100)], 1, 900).pattern(&Tuning::default()), Pattern::Once);
        assert_eq!(pauses(&[(0, 100)], 2, 900).pattern(&Tuning::default()), Pattern::Storm(1.0));
    }

    #[test]
    fn a_host_that_takes_a_tenth_of_the_line_rate_is_a_slow_receiver() {
        assert_eq!(pauses(&cycles(9, 36, 5), 1, 900).pattern(&Tuning::default()), Pattern::SlowReceiver);
        assert_eq!(pauses(&cycles(9, 6, 50), 1, 900).pattern(&Tuning::default()), Pattern::SlowReceiver);
        assert_eq!(
            pauses(&cycles(9, 31, 2), 1, 900).pattern(&Tuning::default()),
            Pattern::Storm(t::RESUMED.value)
        );
        assert_eq!(pauses(&cycles(3, 31, 2), 1, 900).pattern(&Tuning::default()), Pattern::SlowReceiver);
    }

    #[test]
    fn a_host_that_pauses_again_without_a_packet_is_a_storm() {
        assert_eq!(pauses(&cycles(4, 30, 30), 1, 100).pattern(&Tuning::default()), Pattern::Storm(1.0));
        assert_eq!(pauses(&cycles(4, 30, 30), 1, 179).pattern(&Tuning::default()), Pattern::SlowReceiver);
    }
}
