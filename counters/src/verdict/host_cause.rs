//! Whether a host that pauses its port has a pause storm or is a slow receiver, as far as counters show it.

use model::Cause;
use model::units::counted;

use crate::pressure::{Level, PausedPart, Pressure};
use crate::thresholds as t;

/// What the pauses of a host are.
pub(super) struct HostCause {
    pub(super) cause: Cause,
    /// Why, as the end of a sentence.
    pub(super) because: String,
    /// What would decide it.
    pub(super) missing: Option<String>,
}

/// Judges the pauses that a port received from a host.
pub(super) fn judge(row: &Pressure) -> HostCause {
    let found = |cause, because: String| HostCause { cause, because, missing: None };
    if let PausedPart::Measured(part) = row.paused_part
        && row.paused_part.level() == Some(Level::Storm)
    {
        return found(Cause::NicStorm, format!("it paused the port for {:.1} % of the time", part * 100.0));
    }
    if row.is_stuck() {
        let because = match row.has_storm() {
            true => "the PFC watchdog detected a storm: no packet left the paused queue",
            false => "no packet left the paused queue",
        };
        return found(Cause::NicStorm, because.to_string());
    }
    if let Some(part) = row.part_of_longest_pause() {
        return by_duration(row, part);
    }
    if let Some(because) = refreshed(row) {
        return found(Cause::NicStorm, because);
    }
    HostCause {
        cause: Cause::Undetermined,
        because: "a pause storm or a slow receiver".to_string(),
        missing: Some(format!("whether the host has a pause storm or is a slow receiver: {}", unknown(row))),
    }
}

/// Whether pauses are refreshed instead of ended, by how many began, where the ASIC counts that instead of their time.
fn refreshed(row: &Pressure) -> Option<String> {
    let begun = row.change.pauses_begun.filter(|begun| *begun > 0 && row.change.pause_rx_ns.is_none())?;
    let frames = row.change.pause_rx_frames?;
    let is_refreshed =
        frames >= t::REFRESHED_FRAMES && frames >= t::FRAMES_OF_REFRESHED.saturating_mul(begun);
    let may_be_long = row.paused_part.level().is_none_or(|level| level >= Level::Serious);
    (is_refreshed && may_be_long).then(|| {
        let (frames, begun) = (counted(frames, "pause frame"), counted(begun, "pause"));
        format!("{frames} made {begun}: they are refreshed instead of ended")
    })
}

/// Why the mean duration of a pause is unknown.
fn unknown(row: &Pressure) -> &'static str {
    match (row.change.pause_rx_ns, row.change.pause_rx_frames) {
        (None, _) if row.impossible_ns.is_some() => {
            "the time of pauses is longer than the interval allows, and there is no watchdog event"
        }
        (None, _) => {
            "the source has no time of pauses (SAI_PORT_STAT_PFC_n_RX_PAUSE_DURATION_US) and no watchdog event"
        }
        (Some(_), None | Some(0)) => {
            "the source has the time of pauses, but no number of pause frames (SAI_PORT_STAT_PFC_n_RX_PKTS)"
        }
        (Some(_), Some(_)) => "the speed of the port is unknown, and with it the longest pause of a frame",
    }
}

/// Judges by the mean duration of a pause, as a part of the longest one.
fn by_duration(row: &Pressure, part: f64) -> HostCause {
    // Paused for a small part of a long interval, it may as well be a storm that has ended.
    if row.paused_part.level() < Some(Level::Serious) {
        let of_interval = match row.paused_part {
            PausedPart::Measured(_) => "it paused the port for less than 3 % of the interval",
            _ => "for which part of the interval it paused the port is unknown",
        };
        return HostCause {
            cause: Cause::Undetermined,
            because: "a slow receiver, or a pause storm that has ended".to_string(),
            missing: Some(format!(
                "whether the host is a slow receiver or had a short pause storm: {of_interval}; shorter intervals would tell"
            )),
        };
    }
    if part < t::REFRESHED_PART {
        return HostCause {
            cause: Cause::SlowReceiver,
            because: "its pauses are short and the port sends in between: it drains its receive buffer more slowly than \
                      packets arrive"
                .to_string(),
            missing: None,
        };
    }
    if row.received() < t::REFRESHED_FRAMES {
        return HostCause {
            cause: Cause::Undetermined,
            because: "a pause storm or a slow receiver".to_string(),
            missing: Some(format!(
                "whether the host has a pause storm or is a slow receiver: {} are too few to tell whether they are refreshed",
                counted(row.received(), "pause frame")
            )),
        };
    }
    let because = format!(
        "each pause frame stopped the port for {:.0} % of the longest pause on average: they are refreshed instead of ended",
        (part * 100.0).min(100.0)
    );
    HostCause { cause: Cause::NicStorm, because, missing: None }
}
