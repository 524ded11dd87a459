//! When the records of switches are read: at intervals, and once more for every event. The snapshot of an event is held
//! back until all switches have responded to a read that began after the event was complete, at most [`HOLD`].

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use model::Snapshot;
use tokio::time::Instant;

/// Maximum time for which a snapshot is held back. A read takes some milliseconds; a switch that takes longer than this
/// would delay the verdict.
const HOLD: Duration = Duration::from_millis(500);

/// The reads, and the snapshots that wait for them.
#[derive(Debug)]
pub(super) struct Survey {
    interval: Duration,
    next: Instant,
    /// Number of the last round of reads.
    round: u64,
    switches: BTreeMap<String, Reads>,
    /// In the order in which they were complete.
    held: VecDeque<Held>,
}

/// The reads of a switch with a session.
#[derive(Debug, Default)]
struct Reads {
    /// The round for which a read has begun.
    in_flight: Option<u64>,
    /// The last round with a response.
    answered: u64,
}

#[derive(Debug)]
struct Held {
    snapshot: Box<Snapshot>,
    /// The round to which all switches must have responded.
    round: u64,
    until: Instant,
}

impl Survey {
    pub(super) fn new(interval: Duration, now: Instant) -> Survey {
        let (switches, held) = (BTreeMap::new(), VecDeque::new());
        Survey { interval, next: now + interval, round: 0, switches, held }
    }

    /// The session of a switch is up: the caller reads it.
    pub(super) fn up(&mut self, switch: &str) {
        let reads = Reads { in_flight: Some(self.round), answered: 0 };
        self.switches.insert(switch.to_string(), reads);
    }

    /// The session of a switch has ended.
    pub(super) fn down(&mut self, switch: &str) {
        self.switches.remove(switch);
    }

    /// A switch has responded, or could not be read. Returns whether it is to be read again: a snapshot waits for a read
    /// that began later.
    pub(super) fn responded(&mut self, switch: &str) -> bool {
        let wanted = self.held.iter().map(|held| held.round).max();
        let Some(reads) = self.switches.get_mut(switch) else { return false };
        reads.answered = reads.in_flight.take().unwrap_or(reads.answered);
        let is_stale = wanted.is_some_and(|wanted| wanted > reads.answered);
        if is_stale {
            reads.in_flight = Some(self.round);
        }
        is_stale
    }

    /// When [`Survey::due`] or [`Survey::released`] may return something.
    pub(super) fn next_wake(&self) -> Instant {
        self.held.iter().map(|held| held.until).fold(self.next, Instant::min)
    }

    /// Returns the switches to read if the interval has passed.
    pub(super) fn due(&mut self, now: Instant) -> Vec<String> {
        if now < self.next {
            return Vec::new();
        }
        self.next = now + self.interval;
        self.begin()
    }

    /// Holds a snapshot back; returns the switches to read.
    pub(super) fn hold(&mut self, now: Instant, snapshot: Box<Snapshot>) -> Vec<String> {
        let read = self.begin();
        self.held.push_back(Held { snapshot, round: self.round, until: now + HOLD });
        read
    }

    /// Begins a round; a switch that is being read is not read twice at once.
    fn begin(&mut self) -> Vec<String> {
        self.round += 1;
        let idle = self.switches.iter_mut().filter(|(_, reads)| reads.in_flight.is_none());
        let begun = idle.map(|(switch, reads)| {
            reads.in_flight = Some(self.round);
            switch.clone()
        });
        begun.collect()
    }

    /// Returns the snapshots that need not wait any longer.
    pub(super) fn released(&mut self, now: Instant) -> Vec<Snapshot> {
        let mut released = Vec::new();
        while let Some(first) = self.held.front() {
            let is_complete = self.switches.values().all(|reads| reads.answered >= first.round);
            if !is_complete && now < first.until {
                break;
            }
            released.extend(self.held.pop_front().map(|held| *held.snapshot));
        }
        released
    }

    /// Snapshots that are held back.
    pub(super) fn held(&self) -> usize {
        self.held.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(event: u32) -> Box<Snapshot> {
        let snapshot = serde_json::json!({
            "format": 1, "event": event, "source": "harrier", "victim": null, "trigger": null, "epoch_ns": 1024,
            "switches": [], "missing": [], "polls": 1,
        });
        serde_json::from_value(snapshot).expect("a snapshot")
    }

    fn events(snapshots: Vec<Snapshot>) -> Vec<u32> {
        snapshots.into_iter().map(|snapshot| snapshot.event).collect()
    }

    #[test]
    fn a_snapshot_waits_for_a_read_that_began_after_it_was_complete() {
        let now = Instant::now();
        let mut survey = Survey::new(Duration::from_secs(1), now);
        survey.up("a");
        survey.up("b");
        // `a` is still being read for the first time.
        assert!(!survey.responded("b"));
        assert_eq!(survey.hold(now, snapshot(1)), ["b"]);
        assert!(!survey.responded("b"));
        assert!(survey.responded("a"), "it is read again");
        assert_eq!(events(survey.released(now)), [0_u32; 0]);
        assert!(!survey.responded("a"));
        assert_eq!(events(survey.released(now)), [1]);
        assert_eq!(survey.due(now), [""; 0]);
        assert_eq!(survey.due(now + Duration::from_secs(1)), ["a", "b"]);
    }

    #[test]
    fn a_switch_that_does_not_respond_or_is_gone_delays_a_snapshot_for_a_limited_time() {
        let now = Instant::now();
        let mut survey = Survey::new(Duration::from_secs(1), now);
        survey.up("a");
        survey.hold(now, snapshot(1));
        assert_eq!(events(survey.released(now)), [0_u32; 0]);
        assert_eq!(survey.next_wake(), now + HOLD);
        assert_eq!(events(survey.released(now + HOLD)), [1]);
        survey.hold(now, snapshot(2));
        survey.down("a");
        assert_eq!(events(survey.released(now)), [2], "there is no switch to wait for");
    }
}
