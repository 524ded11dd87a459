//! Entitlement: how many packets a flow could send to a port without changing anything there.
//!
//! A flow is entitled to its previous rate, over the time of the queue episode and over the time for which pauses held
//! it upstream: a released flow delivers its backlog faster than before, and has not changed its rate. Packets beyond
//! that are *excess*. All packets of a new flow are. The flow asked about is no exception.
//!
//! How many packets of a record belong to an episode within it is an estimate. A flow whose records hold no more than its
//! previous rate, over all the time that they cover, shows no growth, whatever that estimate is.

use crate::settings::Tuning;
use crate::thresholds as t;

/// The activity of a flow at a port.
#[derive(Clone, Copy, Debug)]
pub(super) struct Activity {
    /// Packets before the episode, and in it.
    pub(super) before: f64,
    pub(super) inside: f64,
    /// From its first packet to the episode, while the port could send, in nanoseconds.
    pub(super) active_ns: f64,
    /// The episode, while the port could send.
    pub(super) episode_ns: f64,
    /// For how long upstream pauses held the flow before the episode.
    pub(super) held_ns: f64,
    /// Packets of the records that the episode is a part of, and the time that these cover, while the port could send.
    pub(super) recorded: f64,
    pub(super) recorded_ns: f64,
}

impl Activity {
    /// Returns the packets above the entitlement. A flow has a previous rate if it was active for `established_ns`.
    pub(super) fn excess(self, settings: &Tuning) -> f64 {
        if !settings.applies("entitlement.previous_rate")
            || self.active_ns < settings.established_ns.max(1) as f64
        {
            return self.inside;
        }
        let rate = self.before / (self.active_ns - self.held_ns).max(1.0);
        let entitled = rate * (self.episode_ns + self.held_ns).max(1.0);
        let mut excess = self.inside - entitled;
        if settings.applies("entitlement.whole_record") {
            excess = excess.min(self.recorded - rate * (self.recorded_ns + self.held_ns));
        }
        if !settings.applies("entitlement.jitter") {
            return excess.max(0.0);
        }
        if excess > self.inside * settings.value(&t::GROWN_SHARE) { excess } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One packet each 100 ns for 1 ms, and as many in an episode of 100 us.
    const STEADY: Activity = Activity {
        before: 10_000.0,
        inside: 1_000.0,
        active_ns: 1e6,
        episode_ns: 1e5,
        held_ns: 0.0,
        recorded: 10_000.0,
        recorded_ns: 1e5,
    };

    #[test]
    fn a_flow_at_its_previous_rate_has_no_excess() {
        assert_eq!(STEADY.excess(&Tuning::default()), 0.0);
        assert_eq!(Activity { inside: 1_400.0, ..STEADY }.excess(&Tuning::default()), 0.0, "jitter");
    }

    #[test]
    fn packets_above_the_previous_rate_are_excess() {
        assert_eq!(Activity { inside: 4_000.0, ..STEADY }.excess(&Tuning::default()), 3_000.0);
    }

    #[test]
    fn records_without_growth_show_no_excess() {
        // 1,000 packets in 100 us are the previous rate; the estimate puts 900 of them into an episode of 30 us.
        let long_queue = Activity { inside: 900.0, episode_ns: 3e4, recorded: 1_000.0, ..STEADY };
        assert_eq!(long_queue.excess(&Tuning::default()), 0.0);
        // 600 of 1,600 packets are above the previous rate.
        assert_eq!(Activity { recorded: 1_600.0, ..long_queue }.excess(&Tuning::default()), 600.0);
    }

    #[test]
    fn all_packets_of_a_new_flow_are_excess() {
        assert_eq!(Activity { active_ns: 5e4, ..STEADY }.excess(&Tuning::default()), 1_000.0);
    }

    #[test]
    fn a_released_flow_is_entitled_to_its_backlog() {
        // Held for half of the time, the flow sent half as much; then it delivers the rest.
        let released = Activity { before: 5_000.0, inside: 4_000.0, held_ns: 5e5, ..STEADY };
        assert_eq!(released.excess(&Tuning::default()), 0.0);
        assert!(Activity { held_ns: 0.0, ..released }.excess(&Tuning::default()) > 3_000.0);
    }
}
