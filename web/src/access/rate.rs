//! A token bucket.

use std::sync::{Mutex, PoisonError};

use tokio::time::Instant;

/// Allows a number of events at once and a rate after that.
#[derive(Debug)]
pub(super) struct Bucket {
    at_once: f64,
    per_s: f64,
    /// Events that are allowed now, and when that was computed.
    state: Mutex<(f64, Option<Instant>)>,
}

impl Bucket {
    pub(super) fn new(at_once: u32, per_s: u32) -> Bucket {
        Bucket { at_once: at_once.into(), per_s: per_s.into(), state: Mutex::new((at_once.into(), None)) }
    }

    /// Takes one event; if there is none, returns the time until the next one, in whole seconds.
    pub(super) fn take(&self, now: Instant) -> Result<(), u32> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (left, last) = *state;
        let passed = last.map_or(0.0, |last| now.saturating_duration_since(last).as_secs_f64());
        let left = (left + passed * self.per_s).min(self.at_once);
        let taken = left >= 1.0;
        *state = (if taken { left - 1.0 } else { left }, Some(now));
        if taken { Ok(()) } else { Err(((1.0 - left) / self.per_s).ceil() as u32) }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn events_at_once_are_followed_by_a_rate() {
        let (bucket, start) = (Bucket::new(3, 2), Instant::now());
        let taken: Vec<_> = (0..4).map(|_| bucket.take(start)).collect();
        assert_eq!(taken, [Ok(()), Ok(()), Ok(()), Err(1)]);
        assert_eq!(bucket.take(start + Duration::from_millis(400)), Err(1));
        assert_eq!(bucket.take(start + Duration::from_millis(500)), Ok(()));
        assert_eq!(bucket.take(start + Duration::from_millis(500)), Err(1));
        // A long silence allows no more than at the start.
        let later = start + Duration::from_secs(3600);
        let taken = (0..5).filter(|_| bucket.take(later).is_ok()).count();
        assert_eq!(taken, 3);
    }
}
