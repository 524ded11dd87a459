//! The NIC watchdog: it keeps a broken NIC from pausing its switch for ever.
//!
//! When the receive pipeline has been stopped for the timeout and the NIC sends pause frames, the watchdog disables its
//! pause frames, permanently: such a NIC does not recover (Guo et al., SIGCOMM 2016, section 4.3; 100 ms).

use model::Time;

/// The watchdog's state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NicWatchdog {
    /// How long the pipeline may be stopped; absent: there is no watchdog.
    pub(crate) timeout: Option<Time>,
    stopped_since: Option<Time>,
    mute: bool,
}

impl NicWatchdog {
    pub(crate) fn new(timeout: Option<Time>) -> NicWatchdog {
        NicWatchdog { timeout, ..NicWatchdog::default() }
    }

    /// The pipeline has stopped. Returns when the watchdog is due.
    pub(crate) fn stopped(&mut self, now: Time) -> Option<Time> {
        let since = *self.stopped_since.get_or_insert(now);
        Some(Time(since.0.saturating_add(self.timeout?.0)))
    }

    /// The pipeline is running.
    pub(crate) fn running(&mut self) {
        self.stopped_since = None;
    }

    /// Whether the NIC may pause its switch; the watchdog fires when this first returns false.
    pub(crate) fn may_pause(&mut self, now: Time) -> bool {
        let due = self.stopped_since.zip(self.timeout).map(|(since, wait)| since.0.saturating_add(wait.0));
        self.mute |= due.is_some_and(|due| due <= now.0);
        !self.mute
    }

    pub(crate) fn is_mute(&self) -> bool {
        self.mute
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_watchdog_disables_pauses_permanently_after_its_timeout() {
        let mut watchdog = NicWatchdog::new(Some(Time::from_ms(100)));
        assert_eq!(watchdog.stopped(Time::from_ms(1)), Some(Time::from_ms(101)));
        assert!(watchdog.may_pause(Time::from_ms(100)));
        assert!(!watchdog.may_pause(Time::from_ms(101)));
        watchdog.running();
        assert!(!watchdog.may_pause(Time::from_ms(500)));
    }

    #[test]
    fn the_watchdog_does_not_fire_if_the_pipeline_runs_again_in_time() {
        let mut watchdog = NicWatchdog::new(Some(Time::from_ms(100)));
        watchdog.stopped(Time::ZERO);
        watchdog.running();
        watchdog.stopped(Time::from_ms(90));
        assert!(watchdog.may_pause(Time::from_ms(150)));
        assert!(NicWatchdog::new(None).may_pause(Time::from_ms(150)));
    }
}
