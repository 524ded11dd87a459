//! The latest readings of all sources, and how their verdicts come and go. Pure: time and readings are arguments.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use counters::{Cabling, FlowSample, Network, Reading, diagnose_with};
use model::units::counted;
use model::{Anomaly, Diagnosis, PortRef, Severity};

/// Maximum problems of a source that are reported: their texts hold what the source sends.
const MAX_PROBLEMS: usize = 200;

/// What is known about the sources.
#[derive(Default)]
pub(crate) struct History {
    sources: BTreeMap<usize, Source>,
    /// The verdicts of the last round.
    open: BTreeMap<Subject, Diagnosis>,
    /// The highest severity of each of them since it began.
    gravest: BTreeMap<Subject, Severity>,
    /// The cables between the switches of the last round.
    cabling: Option<Cabling>,
    /// Names that several sources state: `sonic` is SONiC's default.
    shared_names: BTreeSet<String>,
}

#[derive(Default)]
struct Source {
    /// The last three readings, the oldest first.
    readings: [Option<Arc<Reading>>; 3],
    /// Why the last poll failed.
    failure: Option<String>,
    /// What was odd so far, so that it is reported once.
    problems: BTreeSet<String>,
}

impl Source {
    fn last(&self) -> Option<&Reading> {
        self.readings[2].as_deref()
    }

    /// The ends of the last interval; `None` before the second reading: the totals of a single one are of all the time since
    /// the switch booted.
    fn last_interval(&self) -> Option<[Arc<Reading>; 2]> {
        Some([self.readings[1].clone()?, self.readings[2].clone()?])
    }

    /// The ends of the last two intervals, or of the only one.
    fn last_two_intervals(&self) -> Option<[Arc<Reading>; 2]> {
        let [first, middle, last] = &self.readings;
        let (middle, last) = (middle.as_ref()?, last.as_ref()?);
        Some(match first {
            Some(first) if last.has_peaks_of(middle) => [first.clone(), last.clone()],
            Some(first) => [first.clone(), Arc::new(last.with_peaks_of(middle))],
            None => [middle.clone(), last.clone()],
        })
    }
}

/// What a verdict is about: verdicts of successive rounds with the same subject are one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Subject(Anomaly, Option<PortRef>, Option<String>);

impl Subject {
    /// The subject of a verdict. A deadlock that began in its loop is the same one as long as the loop is the same.
    pub(crate) fn of(diagnosis: &Diagnosis) -> Subject {
        let root = &diagnosis.root_cause;
        let port = if is_loop(diagnosis) { diagnosis.pause_loop.first() } else { root.port.as_ref() };
        Subject(diagnosis.anomaly, port.cloned(), root.host.clone())
    }
}

/// Whether a verdict is about a deadlock that began in its loop.
fn is_loop(diagnosis: &Diagnosis) -> bool {
    diagnosis.anomaly == Anomaly::DeadlockInLoopContention && !diagnosis.pause_loop.is_empty()
}

/// What a round has changed.
#[derive(Debug, PartialEq)]
pub(crate) enum Change {
    /// A verdict that the round before did not have.
    Begins(Diagnosis),
    /// A verdict of the round before whose flows were unknown and are known now: samples arrive after the counters.
    NamesFlows(Diagnosis),
    /// A verdict of the round before whose severity is higher than ever since it began.
    Worsens(Diagnosis),
    /// A verdict of the round before that the counters do not support any more.
    Ends(Diagnosis),
}

impl Change {
    /// Its name for programs.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Change::Begins(_) => "begins",
            Change::NamesFlows(_) => "flows",
            Change::Worsens(_) => "worsens",
            Change::Ends(_) => "ends",
        }
    }

    /// The verdict.
    pub(crate) fn diagnosis(&self) -> &Diagnosis {
        match self {
            Change::Begins(diagnosis)
            | Change::NamesFlows(diagnosis)
            | Change::Worsens(diagnosis)
            | Change::Ends(diagnosis) => diagnosis,
        }
    }
}

impl History {
    /// Gives the reading of a source the name of its switch and its `address` if another source has the same name: the counters
    /// of two switches make no interval. Returns a line for people when that is new.
    pub(crate) fn tell_apart(
        &mut self,
        number: usize,
        reading: &mut Reading,
        address: &str,
    ) -> Option<String> {
        let name = reading.switch.clone();
        let has_name = |source: &Source| source.last().is_some_and(|last| last.switch == name);
        let is_taken = self.sources.iter().any(|(other, source)| *other != number && has_name(source));
        let is_new = is_taken && self.shared_names.insert(name.clone());
        if is_new {
            // What the first source of this name has shown so far has no name that stays.
            for source in self.sources.values_mut().filter(|source| has_name(source)) {
                source.readings = [None, None, None];
            }
            self.open.retain(|subject, _| subject.1.as_ref().is_none_or(|port| port.switch != name));
        }
        if self.shared_names.contains(&name) {
            let host = address.rsplit(['@', '/']).find(|part| !part.is_empty()).unwrap_or(address);
            reading.switch = format!("{name}@{host}");
        }
        is_new.then(|| {
            format!(
                "{name}: several switches have this name; they are called by their addresses, as {}; name them as \
                 NAME=sonic://...",
                reading.switch
            )
        })
    }

    /// Takes a reading. Returns lines for people: what is new about the source.
    pub(crate) fn read(&mut self, number: usize, reading: Reading, problems: Vec<String>) -> Vec<String> {
        let name = reading.switch.clone();
        let source = self.sources.entry(number).or_default();
        let mut lines = Vec::new();
        if source.last().is_none() {
            lines.push(match reading.ports.len() {
                1 => format!("{name}: 1 port is read"),
                ports => format!("{name}: {ports} ports are read"),
            });
        } else if source.failure.is_some() {
            lines.push(format!("{name}: it is read again"));
        }
        let cleared = source.last().map_or(0, |last| reading.cleared_ports(last));
        if cleared > 0 {
            lines.push(format!(
                "{name}: counters of {} fell: cleared, or the switch booted; what they counted since the poll before is \
                 unknown",
                counted(cleared, "port")
            ));
        }
        source.failure = None;
        let known = &mut source.problems;
        let new = problems
            .into_iter()
            .filter(|problem| known.len() < MAX_PROBLEMS && known.insert(problem.clone()));
        lines.extend(new.map(|problem| format!("{name}: {problem}")));
        // A clock that was set back would make counters seem to fall.
        if source.last().is_some_and(|last| last.time_ns >= reading.time_ns) {
            source.readings = [None, None, None];
        }
        source.readings.rotate_left(1);
        source.readings[2] = Some(Arc::new(reading));
        lines
    }

    /// Notes that a source could not be read. Returns whether the reason is a new one.
    pub(crate) fn fail(&mut self, number: usize, reason: &str) -> bool {
        let source = self.sources.entry(number).or_default();
        source.failure.replace(reason.to_string()).as_deref() != Some(reason)
    }

    /// The sources with their state: the name of the switch, if it was ever read, and why the last poll failed.
    pub(crate) fn states(&self) -> impl Iterator<Item = (usize, Option<&str>, Option<&str>)> {
        self.sources.iter().map(|(number, source)| {
            let name = source.last().map(|reading| reading.switch.as_str());
            (*number, name, source.failure.as_deref())
        })
    }

    /// Whether any source was read.
    pub(crate) fn has_readings(&self) -> bool {
        self.sources.values().any(|source| source.last().is_some())
    }

    /// The last reading of every source.
    pub(crate) fn latest(&self) -> impl Iterator<Item = &Reading> {
        self.sources.values().filter_map(Source::last)
    }

    /// The ends of the last interval of a source; `None` before its second reading.
    pub(crate) fn last_interval(&self, number: usize) -> Option<[Arc<Reading>; 2]> {
        self.sources.get(&number)?.last_interval()
    }

    /// The number of ports of all sources.
    pub(crate) fn ports(&self) -> usize {
        self.latest().map(|reading| reading.ports.len()).sum()
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

    /// The cables between the switches that the next round judges.
    pub(crate) fn cabling(&mut self, network: &Network) -> &Cabling {
        // Names and neighbours are those of the last readings.
        let current = self.sources.values().filter(|source| source.failure.is_none());
        let ends: Vec<Arc<Reading>> =
            current.filter_map(Source::last_interval).map(|[_, last]| last).collect();
        let cabling = Cabling::kept(self.cabling.take(), &ends, network);
        self.cabling.insert(cabling)
    }

    /// Diagnoses the last two intervals of every source as one: switches are read at different times, so that what happens
    /// shortly before a round is in the last interval of some and in the next one of others. If they have a verdict, the last
    /// interval alone says how grave it is now. A source that fails has no interval, and neither has one that was read once;
    /// verdicts about a switch that is not read now stay as they are.
    pub(crate) fn round(&mut self, samples: &[FlowSample], network: &Network) -> Vec<Change> {
        self.cabling(network);
        let current: Vec<&Source> = self.sources.values().filter(|source| source.failure.is_none()).collect();
        let readings: Vec<Arc<Reading>> =
            current.iter().filter_map(|source| source.last_two_intervals()).flatten().collect();
        let read: BTreeSet<&str> = readings.iter().map(|reading| reading.switch.as_str()).collect();
        let Some(cabling) = self.cabling.take() else { return Vec::new() };
        let mut report = diagnose_with(&cabling, &readings, samples, network);
        if !report.diagnoses.is_empty() {
            // Switches without pauses, drops and storms have no part in a verdict.
            let active: BTreeSet<&str> = report.ports.iter().map(|port| port.port.switch.as_str()).collect();
            let ends = current.iter().filter_map(|source| source.last_interval());
            let readings: Vec<Arc<Reading>> =
                ends.filter(|[_, last]| active.contains(last.switch.as_str())).flatten().collect();
            let known: BTreeSet<Subject> = report.diagnoses.iter().map(Subject::of).collect();
            let latest = diagnose_with(&cabling, &readings, samples, network).diagnoses.into_iter();
            report.diagnoses.extend(latest.filter(|diagnosis| known.contains(&Subject::of(diagnosis))));
            report.diagnoses.sort_by(|a, b| {
                (b.severity, b.confidence).partial_cmp(&(a.severity, a.confidence)).unwrap_or(Ordering::Equal)
            });
        }
        self.cabling = Some(cabling);
        let mut found = BTreeMap::new();
        for diagnosis in report.diagnoses {
            let subject = Subject::of(&diagnosis);
            // The gravest come first.
            found.entry(subject).or_insert(diagnosis);
        }
        let before = std::mem::replace(&mut self.open, found);
        let is_unknown =
            |subject: &Subject| subject.1.as_ref().is_some_and(|port| !read.contains(port.switch.as_str()));
        for (subject, diagnosis) in before.iter().filter(|(subject, _)| is_unknown(subject)) {
            self.open.entry(subject.clone()).or_insert_with(|| diagnosis.clone());
        }
        let moved = self.settle_loops(&before);
        let begun = self.open.iter().filter(|(subject, _)| !before.contains_key(*subject));
        let mut changes: Vec<Change> =
            begun.map(|(_, diagnosis)| Change::Begins(diagnosis.clone())).collect();
        for (known, now) in moved {
            changes.extend([Change::Begins(now), Change::Ends(known)]);
        }
        let names_flows = |(subject, now): &(&Subject, &Diagnosis)| {
            let had_none = before.get(*subject).is_some_and(|known| known.root_cause.flows.is_empty());
            had_none && !now.root_cause.flows.is_empty()
        };
        let worsened = self.worsened();
        let named = self.open.iter().filter(names_flows);
        changes.extend(named.map(|(_, diagnosis)| Change::NamesFlows(diagnosis.clone())));
        // One report says both.
        let is_named = |diagnosis: &Diagnosis| {
            changes
                .iter()
                .any(|change| matches!(change, Change::NamesFlows(named) if named.id == diagnosis.id))
        };
        let worsened: Vec<Diagnosis> =
            worsened.into_iter().filter(|diagnosis| !is_named(diagnosis)).collect();
        changes.extend(worsened.into_iter().map(Change::Worsens));
        let is_over = |(subject, _): &(&Subject, &Diagnosis)| !self.open.contains_key(*subject);
        changes.extend(before.iter().filter(is_over).map(|(_, diagnosis)| Change::Ends(diagnosis.clone())));
        changes
    }

    /// Keeps the most certain verdict about each loop that goes on: where a deadlock began shows only while its loop forms, or when the
    /// watermarks of that time are read. Returns those that name another port with more certainty, after what was known before.
    fn settle_loops(&mut self, before: &BTreeMap<Subject, Diagnosis>) -> Vec<(Diagnosis, Diagnosis)> {
        let mut moved = Vec::new();
        for (subject, now) in self.open.iter_mut().filter(|(_, now)| is_loop(now)) {
            let Some(known) = before.get(subject) else { continue };
            if known.confidence >= now.confidence {
                *now = known.clone();
            } else if known.root_cause.port != now.root_cause.port {
                moved.push((known.clone(), now.clone()));
            }
        }
        moved
    }

    /// The verdicts of the last round.
    pub(crate) fn open(&self) -> impl Iterator<Item = &Diagnosis> {
        self.open.values()
    }

    /// The open verdicts whose severity is higher than ever since they began, without those that begin.
    fn worsened(&mut self) -> Vec<Diagnosis> {
        self.gravest.retain(|subject, _| self.open.contains_key(subject));
        let mut worsened = Vec::new();
        for (subject, diagnosis) in &self.open {
            match self.gravest.get_mut(subject) {
                Some(gravest) if *gravest < diagnosis.severity => {
                    *gravest = diagnosis.severity;
                    worsened.push(diagnosis.clone());
                }
                Some(_) => {}
                None => drop(self.gravest.insert(subject.clone(), diagnosis.severity)),
            }
        }
        worsened
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
            polled: Default::default(),
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
        assert!(history.has_readings());
    }

    #[test]
    fn switches_with_the_same_name_are_distinguished_by_their_addresses() {
        let mut history = History::default();
        let mut take = |number: usize, second: u64, frames: u64| {
            let mut reading = Reading { switch: "sonic".into(), ..paused(second * 1_000_000_000, frames) };
            let address = format!("sonic://10.0.0.{number}:6379");
            let line = history.tell_apart(number, &mut reading, &address);
            let lines = line.into_iter().chain(history.read(number, reading, vec![])).collect::<Vec<_>>();
            let changes = history.round(&[], &Network::default());
            (lines.join("\n"), changes.iter().map(Change::name).collect::<Vec<_>>())
        };
        assert_eq!(take(1, 1, 0), ("sonic: 1 port is read".to_string(), vec![]));
        let (lines, changes) = take(2, 2, 9_000_000);
        assert!(lines.contains("sonic: several switches have this name") && changes.is_empty(), "{lines}");
        assert!(lines.contains("sonic@10.0.0.2:6379: 1 port is read"), "{lines}");
        for second in 3..6 {
            assert_eq!(take(1, second, 0).1, [""; 0], "counters of two switches make no interval");
            assert_eq!(take(2, second, 9_000_000).1, [""; 0]);
        }
        assert_eq!(take(2, 7, 9_009_000).1, ["begins"]);
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
        let lines = history.read(0, paused(500_000_000, 16_000), vec![]);
        check(lines, &["read again", "leaf1: counters of 1 port fell"]);
        round(&mut history);
        history.read(0, paused(1_500_000_000, 16_000), vec![]);
        assert!(!round(&mut history).iter().any(|change| matches!(change, Change::Begins(_))));
    }

    #[test]
    fn a_verdict_that_gets_worse_is_reported_once() {
        let mut history = History::default();
        // Paused for 0.2 %, 5 %, 90 % and 5 % of a second.
        let mut frames = 0;
        for (second, grown) in [(1, 0), (2, 20), (3, 500), (4, 9_000), (5, 500), (6, 9_000)] {
            frames += grown;
            history.read(0, paused(second * 1_000_000_000, frames), vec![]);
            let changes = history.round(&[], &Network::default());
            let names: Vec<&str> = changes.iter().map(Change::name).collect();
            let expected: &[&str] = match second {
                2 => &["begins"],
                3 | 4 => &["worsens"],
                _ => &[],
            };
            assert_eq!(names, expected, "second {second}: {changes:#?}");
        }
    }

    /// A switch of a ring of three at this second: from the second one on, its port to the next switch is paused, and its queue
    /// holds so many bytes. The headroom behind the port before it had this peak.
    fn in_ring(number: usize, second: u64, held: u64, headroom: u64) -> Reading {
        let grown = second.saturating_sub(1);
        let neighbour = |port: &str, step: usize, remote: &str| counters::LocalNeighbour {
            port: port.into(),
            system: format!("r{}", (number + step) % 3),
            remote_port: Some(remote.into()),
            ..Default::default()
        };
        let mut next =
            counters::PortReading { speed: Some(model::Rate::from_gbps(100)), ..Default::default() };
        let mut previous = next.clone();
        let of = &mut next.priorities[3];
        (of.pause_rx_frames, of.pause_rx_ns) = (Some(5_000 * grown), Some(900_000_000 * grown));
        (of.queue.packets, of.queue.watermark_bytes) =
            (Some(5_000 * grown.min(1)), Some(held * grown.min(1)));
        (of.queue.occupancy_bytes, of.is_paused) = (Some(held * grown.min(1)), Some(grown > 0));
        let of = &mut previous.priorities[3];
        of.pause_tx_frames = Some(5_000 * grown);
        of.group.headroom_watermark_bytes = Some(headroom * grown.min(1));
        (of.pause_rx_frames, of.pause_rx_ns) = (Some(0), Some(0));
        Reading {
            ports: BTreeMap::from([("Ethernet4".to_string(), next), ("Ethernet8".to_string(), previous)]),
            neighbours: vec![neighbour("Ethernet4", 1, "Ethernet8"), neighbour("Ethernet8", 2, "Ethernet4")],
            ..reading(&format!("r{number}"), second * 1_000_000_000)
        }
    }

    /// Watches the ring for seven seconds; watermarks of the headroom are polled at this one. They show that the deadlock began at
    /// r1; the largest queue is that of r2. Checks the changes of each second and the switch that is named.
    fn check_ring(polled: u64, expected: [(&[&str], &str); 7]) {
        let mut history = History::default();
        for (second, (names, switch)) in (1..).zip(expected) {
            for (number, (held, headroom)) in
                [(300_000, 20_000), (300_000, 9_000), (400_000, 20_000)].into_iter().enumerate()
            {
                let headroom = if second < polled { 0 } else { headroom };
                history.read(number, in_ring(number, second, held, headroom), vec![]);
            }
            let changes = history.round(&[], &Network::default());
            assert_eq!(changes.iter().map(Change::name).collect::<Vec<_>>(), names, "second {second}");
            let port = |open: &Diagnosis| Some(open.root_cause.port.as_ref()?.switch.clone());
            assert_eq!(history.open().filter_map(port).collect::<String>(), switch, "second {second}");
        }
    }

    #[test]
    fn only_more_certainty_moves_a_deadlock_to_another_port() {
        let verdict = |switch: &str, confidence: f64| Diagnosis {
            anomaly: Anomaly::DeadlockInLoopContention,
            pause_loop: ["r1", "r2"].map(|switch| PortRef::new(switch, 2)).into(),
            root_cause: model::RootCause { port: Some(PortRef::new(switch, 2)), ..Default::default() },
            confidence,
            ..Diagnosis::undetermined(None)
        };
        let check = |confidence: f64, expected: &str| {
            let known = verdict("r1", 0.72);
            let before = BTreeMap::from([(Subject::of(&known), known)]);
            let now = verdict("r2", confidence);
            let mut history =
                History { open: BTreeMap::from([(Subject::of(&now), now)]), ..History::default() };
            let moved = history.settle_loops(&before);
            assert_eq!(moved.len(), usize::from(expected == "r2"), "{confidence}");
            let port = history.open().next().and_then(|open| open.root_cause.port.clone());
            assert_eq!(port.map(|port| port.switch).as_deref(), Some(expected), "{confidence}");
        };
        check(0.54, "r1");
        check(0.72, "r1");
        check(0.8, "r2");
    }

    #[test]
    fn a_deadlock_stays_one_verdict_when_its_beginning_is_past() {
        let none: (&[&str], &str) = (&[], "");
        let stays: (&[&str], &str) = (&[], "r1");
        check_ring(2, [none, (&["begins"], "r1"), stays, stays, stays, stays, stays]);
        // Before the watermarks are polled, only the queues are known.
        let early: (&[&str], &str) = (&[], "r2");
        check_ring(5, [none, (&["begins"], "r2"), early, early, (&["begins", "ends"], "r1"), stays, stays]);
    }

    #[test]
    fn what_happens_in_one_interval_is_judged_in_two_rounds() {
        // Other switches may show it an interval later.
        let mut history = History::default();
        let mut names = Vec::new();
        for (second, frames) in [(1, 0), (2, 9_000), (3, 9_000), (4, 9_000)] {
            history.read(0, paused(second * 1_000_000_000, frames), vec![]);
            let changes = history.round(&[], &Network::default());
            names.push(changes.iter().map(Change::name).collect::<Vec<_>>());
        }
        assert_eq!(names, [vec![], vec!["begins"], vec![], vec!["ends"]]);
    }

    #[test]
    fn a_source_keeps_its_last_three_readings() {
        let mut history = History::default();
        for time_ns in 1..=5 {
            history.read(0, reading("leaf1", time_ns), vec![]);
        }
        let kept = &history.sources[&0].readings;
        assert_eq!(
            kept.each_ref().map(|reading| reading.as_ref().map(|reading| reading.time_ns)),
            [Some(3), Some(4), Some(5)]
        );
        assert_eq!(history.round(&[], &Network::default()), []);
    }
}
