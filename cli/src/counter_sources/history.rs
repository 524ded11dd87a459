//! The latest readings of all sources, and how their verdicts come and go. Pure: time and readings are arguments.

use std::collections::{BTreeMap, BTreeSet};

use counters::{FlowSample, Network, Reading, diagnose};
use model::{Anomaly, Diagnosis, PortRef};

/// Maximum problems of a source that are reported: their texts hold what the source sends.
const MAX_PROBLEMS: usize = 200;

/// What is known about the sources.
#[derive(Default)]
pub(crate) struct History {
    sources: BTreeMap<usize, Source>,
    /// The verdicts of the last round.
    open: BTreeMap<Subject, Diagnosis>,
}

#[derive(Default)]
struct Source {
    /// The reading before the last one, and the last one.
    readings: [Option<Reading>; 2],
    /// Why the last poll failed.
    failure: Option<String>,
    /// What was odd so far, so that it is reported once.
    problems: BTreeSet<String>,
}

/// What a verdict is about: verdicts of successive rounds with the same subject are one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Subject(Anomaly, Option<PortRef>, Option<String>);

/// What a round has changed.
#[derive(Debug, PartialEq)]
pub(crate) enum Change {
    /// A verdict that the round before did not have.
    Begins(Diagnosis),
    /// A verdict of the round before whose flows were unknown and are known now: samples arrive after the counters.
    NamesFlows(Diagnosis),
    /// A verdict of the round before that the counters do not support any more.
    Ends(Diagnosis),
}

impl History {
    /// Takes a reading. Returns lines for people: what is new about the source.
    pub(crate) fn read(&mut self, number: usize, reading: Reading, problems: Vec<String>) -> Vec<String> {
        let named =
            |source: &Source| source.readings[1].as_ref().is_some_and(|last| last.switch == reading.switch);
        let is_taken = self.sources.iter().any(|(other, source)| *other != number && named(source));
        let name = reading.switch.clone();
        let source = self.sources.entry(number).or_default();
        let mut lines = Vec::new();
        if source.readings[1].is_none() {
            lines.push(format!("{name}: {} ports are read", reading.ports.len()));
            if is_taken {
                lines.push(format!(
                    "{name}: another source has this name, so that their counters are mixed; name them as NAME=sonic://..."
                ));
            }
        } else if source.failure.is_some() {
            lines.push(format!("{name}: it is read again"));
        }
        source.failure = None;
        let known = &mut source.problems;
        let new = problems
            .into_iter()
            .filter(|problem| known.len() < MAX_PROBLEMS && known.insert(problem.clone()));
        lines.extend(new.map(|problem| format!("{name}: {problem}")));
        // A clock that was set back would make counters seem to fall.
        if source.readings[1].as_ref().is_some_and(|last| last.time_ns >= reading.time_ns) {
            source.readings = [None, None];
        }
        source.readings.swap(0, 1);
        source.readings[1] = Some(reading);
        lines
    }

    /// Notes that a source could not be read. Returns whether the reason is a new one.
    pub(crate) fn fail(&mut self, number: usize, reason: &str) -> bool {
        let source = self.sources.entry(number).or_default();
        source.failure.replace(reason.to_string()).as_deref() != Some(reason)
    }

    /// Whether any source was read.
    pub(crate) fn has_readings(&self) -> bool {
        self.sources.values().any(|source| source.readings[1].is_some())
    }

    /// The last reading of every source.
    pub(crate) fn latest(&self) -> impl Iterator<Item = &Reading> {
        self.sources.values().filter_map(|source| source.readings[1].as_ref())
    }

    /// The beginning of the intervals that the next round judges; absent if there is none.
    pub(crate) fn since_ns(&self) -> Option<u64> {
        self.sources
            .values()
            .flat_map(|source| &source.readings)
            .flatten()
            .map(|reading| reading.time_ns)
            .min()
    }

    /// Diagnoses the last interval of every source. A source that fails has none, and neither has one that was read once;
    /// verdicts about a switch that is not read now stay as they are.
    pub(crate) fn round(&mut self, samples: &[FlowSample], network: &Network) -> Vec<Change> {
        // The totals of a single reading are of all the time since the switch booted.
        let has_interval = |source: &&Source| source.readings.iter().all(Option::is_some);
        let current = self.sources.values().filter(|source| source.failure.is_none()).filter(has_interval);
        let readings: Vec<Reading> =
            current.flat_map(|source| source.readings.iter().flatten().cloned()).collect();
        let read: BTreeSet<&str> = readings.iter().map(|reading| reading.switch.as_str()).collect();
        let report = diagnose(&readings, samples, network);
        let mut found = BTreeMap::new();
        for diagnosis in report.diagnoses {
            let root = &diagnosis.root_cause;
            let subject = Subject(diagnosis.anomaly, root.port.clone(), root.host.clone());
            // The gravest come first.
            found.entry(subject).or_insert(diagnosis);
        }
        let before = std::mem::replace(&mut self.open, found);
        let is_unknown =
            |subject: &Subject| subject.1.as_ref().is_some_and(|port| !read.contains(port.switch.as_str()));
        for (subject, diagnosis) in before.iter().filter(|(subject, _)| is_unknown(subject)) {
            self.open.entry(subject.clone()).or_insert_with(|| diagnosis.clone());
        }
        let begun = self.open.iter().filter(|(subject, _)| !before.contains_key(*subject));
        let mut changes: Vec<Change> =
            begun.map(|(_, diagnosis)| Change::Begins(diagnosis.clone())).collect();
        let names_flows = |(subject, now): &(&Subject, &Diagnosis)| {
            let had_none = before.get(*subject).is_some_and(|known| known.root_cause.flows.is_empty());
            had_none && !now.root_cause.flows.is_empty()
        };
        let named = self.open.iter().filter(names_flows);
        changes.extend(named.map(|(_, diagnosis)| Change::NamesFlows(diagnosis.clone())));
        let is_over = |(subject, _): &(&Subject, &Diagnosis)| !self.open.contains_key(*subject);
        changes.extend(before.iter().filter(is_over).map(|(_, diagnosis)| Change::Ends(diagnosis.clone())));
        changes
    }
}

#[cfg(test)]
mod tests {
    use counters::Source as Kind;

    use super::*;

    fn reading(switch: &str, time_ns: u64) -> Reading {
        Reading {
            switch: switch.to_string(),
            time_ns,
            time_is_assumed: false,
            source: Kind::SonicDatabase,
            lacks_watchdog: false,
            ports: BTreeMap::new(),
            neighbours: Vec::new(),
            addresses: Vec::new(),
        }
    }

    fn check(lines: Vec<String>, expected: &[&str]) {
        assert_eq!(lines.len(), expected.len(), "{lines:?}");
        for (line, part) in lines.iter().zip(expected) {
            assert!(line.contains(part), "{line:?} lacks {part:?}");
        }
    }

    #[test]
    fn news_about_a_source_is_reported_once() {
        let mut history = History::default();
        let odd = || vec!["a counter is malformed".to_string()];
        assert!(!history.has_readings());
        assert!(history.fail(0, "connection refused"));
        assert!(!history.fail(0, "connection refused"));
        check(history.read(0, reading("leaf1", 1), odd()), &["leaf1: 0 ports are read", "malformed"]);
        check(history.read(0, reading("leaf1", 2), odd()), &[]);
        assert!(history.fail(0, "authentication failed"));
        check(history.read(0, reading("leaf1", 3), odd()), &["read again"]);
        check(
            history.read(1, reading("leaf1", 3), vec![]),
            &["ports are read", "another source has this name"],
        );
        assert!(history.has_readings());
    }

    /// A reading whose port `Ethernet0` was paused by so many frames since the switch booted.
    fn paused(time_ns: u64, frames: u64) -> Reading {
        let mut port = counters::PortReading::default();
        port.priorities[3].pause_rx_frames = Some(frames);
        port.priorities[3].pause_rx_ns = Some(frames * 100_000);
        Reading { ports: BTreeMap::from([("Ethernet0".to_string(), port)]), ..reading("leaf1", time_ns) }
    }

    #[test]
    fn totals_since_boot_are_no_verdict_and_a_failed_poll_does_not_end_one() {
        let mut history = History::default();
        let round = |history: &mut History| history.round(&[], &Network::default());
        history.read(0, paused(1_000_000_000, 9_000), vec![]);
        assert_eq!(round(&mut history), [], "one reading has no interval");
        history.read(0, paused(2_000_000_000, 9_000), vec![]);
        assert_eq!(round(&mut history), [], "nothing was paused in the interval");
        history.read(0, paused(3_000_000_000, 17_000), vec![]);
        assert!(matches!(round(&mut history).as_slice(), [Change::Begins(_)]));
        history.fail(0, "no reply");
        assert_eq!(round(&mut history), [], "the switch may still be paused");
        // A clock that was set back: the next interval is unknown.
        history.read(0, paused(500_000_000, 17_000), vec![]);
        round(&mut history);
        history.read(0, paused(1_500_000_000, 17_000), vec![]);
        assert!(!round(&mut history).iter().any(|change| matches!(change, Change::Begins(_))));
    }

    #[test]
    fn a_source_keeps_its_last_two_readings() {
        let mut history = History::default();
        for time_ns in 1..=5 {
            history.read(0, reading("leaf1", time_ns), vec![]);
        }
        let kept = &history.sources[&0].readings;
        assert_eq!(
            kept.each_ref().map(|reading| reading.as_ref().map(|reading| reading.time_ns)),
            [Some(4), Some(5)]
        );
        assert_eq!(history.round(&[], &Network::default()), []);
    }
}
