//! Whether a host that pauses its port has a pause storm or is a slow receiver, as far as counters show it.

use model::Cause;

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
        return match part >= t::REFRESHED_PART {
            true => found(
                Cause::NicStorm,
                format!(
                    "each pause frame stopped the port for {:.0} % of the longest pause on average: they are refreshed \
                     instead of ended",
                    (part * 100.0).min(100.0)
                ),
            ),
            // Paused for a small part of a long interval, it may as well be a storm that has ended.
            false if row.paused_part.level() < Some(Level::Serious) => HostCause {
                cause: Cause::Undetermined,
                because: "a slow receiver, or a pause storm that has ended".to_string(),
                missing: Some(
                    "whether the host is a slow receiver or had a short pause storm: it paused the port for less than \
                     3 % of the interval; shorter intervals would tell"
                        .to_string(),
                ),
            },
            false => found(
                Cause::SlowReceiver,
                "its pauses are short and the port sends in between: it drains its receive buffer more slowly than \
                 packets arrive"
                    .to_string(),
            ),
        };
    }
    HostCause {
        cause: Cause::Undetermined,
        because: "a pause storm or a slow receiver".to_string(),
        missing: Some(
            "whether the host has a pause storm or is a slow receiver: the source has no time of pauses \
             (SAI_PORT_STAT_PFC_n_RX_PAUSE_DURATION_US) and no watchdog event"
                .to_string(),
        ),
    }
}
