//! The watchdog of a NIC: it stops the NIC from pausing its switch for ever.
//!
//! When the receive pipeline has stood still for the patience and the NIC generates pause frames, it generates none
//! any more. It never does again, as such a NIC never comes back (Guo et al., SIGCOMM 2016, section 4.3; 100 ms).

use model::Time;

/// The watchdog's state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NicWatchdog {
    /// How long the pipeline may stand still; absent: there is no watchdog.
    pub(crate) patience: Option<Time>,
    stopped_since: Option<Time>,
    mute: bool,
}

impl NicWatchdog {
    pub(crate) fn new(patience: Option<Time>) -> NicWatchdog {
        NicWatchdog { patience, ..NicWatchdog::default() }
    }

    /// The pipeline has stopped; when to look again.
    pub(crate) fn stopped(&mut self, now: Time) -> Option<Time> {
        let since = *self.stopped_since.get_or_insert(now);
        Some(Time(since.0.saturating_add(self.patience?.0)))
    }

    /// The pipeline works.
    pub(crate) fn running(&mut self) {
        self.stopped_since = None;
    }

    /// Whether the NIC may pause its switch. False for the first time when the watchdog fires.
    pub(crate) fn may_pause(&mut self, now: Time) -> bool {
        let due = self.stopped_since.zip(self.patience).map(|(since, wait)| since.0.saturating_add(wait.0));
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
    fn it_fires_after_its_patience_and_for_good() {
        let mut dog = NicWatchdog::new(Some(Time::from_ms(100)));
        assert_eq!(dog.stopped(Time::from_ms(1)), Some(Time::from_ms(101)));
        assert!(dog.may_pause(Time::from_ms(100)));
        assert!(!dog.may_pause(Time::from_ms(101)));
        dog.running();
        assert!(!dog.may_pause(Time::from_ms(500)));
    }

    #[test]
    fn a_pipeline_that_goes_on_in_time_is_left_alone() {
        let mut dog = NicWatchdog::new(Some(Time::from_ms(100)));
        dog.stopped(Time::ZERO);
        dog.running();
        dog.stopped(Time::from_ms(90));
        assert!(dog.may_pause(Time::from_ms(150)));
        assert!(NicWatchdog::new(None).may_pause(Time::from_ms(150)));
    }
}
