//! The rules for a slow round trip and for outstanding data without acknowledgements.

use crate::settings::Settings;

/// Whether a round trip of `rtt_ns` is slow on a path with base `base_ns`.
pub fn is_slow(settings: &Settings, base_ns: u64, rtt_ns: u64) -> bool {
    exceeds(settings, settings.threshold_percent, (base_ns, rtt_ns))
}

/// Whether a measured time is above a percentage of the usual one, and by more than the least excess.
pub(crate) fn exceeds(settings: &Settings, percent: u32, (usual_ns, measured_ns): (u64, u64)) -> bool {
    let above_percentage = u128::from(measured_ns) * 100 > u128::from(usual_ns) * u128::from(percent);
    above_percentage && measured_ns.saturating_sub(usual_ns) > settings.min_excess_ns
}

/// Returns how long data may be outstanding without an ACK on a path with base `base_ns`.
pub(crate) fn silence_limit_ns(settings: &Settings, base_ns: u64) -> u64 {
    base_ns.saturating_mul(u64::from(settings.silence_rtts)).max(settings.min_silence_ns)
}

/// Whether `waited_ns` without an ACK is silence on a path with base `base_ns`.
pub fn is_silent(settings: &Settings, base_ns: u64, waited_ns: u64) -> bool {
    waited_ns >= silence_limit_ns(settings, base_ns)
}

/// The base round trips between which the delay of an ordinary queue follows the base: shorter ones count as that of a data
/// centre, and longer ones as 100 us, because buffers do not grow with the distance.
const ORDINARY_BASE_NS: (u64, u64) = (10_000, 100_000);

/// Whether an ordinary queue can cause such a round trip: one that congestion control does not even mark. What the analyzer reports
/// about such a delay is telemetry unless pauses, losses or a fault are behind it.
pub(crate) fn is_ordinary(settings: &Settings, base_ns: u64, rtt_ns: u64) -> bool {
    let (least_ns, most_ns) = ORDINARY_BASE_NS;
    let limit_ns = base_ns.clamp(least_ns, most_ns).saturating_mul(u64::from(settings.ordinary_rtts));
    rtt_ns.saturating_sub(base_ns) <= limit_ns
}

/// Whether the excess over the base has grown beyond the one that was polled for: it is at least twice as large, and
/// by at least another base round trip.
///
/// Doubling bounds the number of polls by the logarithm of the growth. Another base round trip is a whole
/// bandwidth-delay product of additional queue, more than the packets in flight can cause by arriving together.
pub(crate) fn has_grown(base_ns: u64, polled_excess_ns: u64, excess_ns: u64) -> bool {
    excess_ns >= polled_excess_ns.saturating_mul(2)
        && excess_ns.saturating_sub(polled_excess_ns) >= base_ns.max(1)
}
