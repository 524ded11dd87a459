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
    /// The switches on the pause path of each of them since it began.
    reached: BTreeMap<Subject, BTreeSet<String>>,
    /// The cables between the switches of the last round.
    cabling: Option<Cabling>,
    /// The numbers of the names from which they follow, by source, if all sources have one.
    cabled: Option<Vec<(usize, u64)>>,
    /// Names that several sources state: `sonic` is SONiC's default.
    shared_names: BTreeSet<String>,
    /// The reading for which the last one took the place.
    unused: Option<Arc<Reading>>,
}

#[derive(Default)]
struct Source {
    /// The last three readings, the oldest first.
    readings: [Option<Arc<Reading>>; 3],
    /// A number that changes with the names and neighbours in the readings, if the source has one.
    names: Option<u64>,
    /// Whether a watermark of the last reading is lower than that of the reading before.
    lacks_peaks: bool,
    /// Why the last poll failed.
    failure: Option<String>,
    /// What was odd so far, so that it is reported once.
    problems: BTreeSet<String>,
}

impl Source {
    fn last(&self) -> Option<&Reading> {
        self.readings[2].as_deref()
    }

    fn has_interval(&self) -> bool {
        self.readings[1].is_some() && self.readings[2].is_some()
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
            Some(first) if self.lacks_peaks => [first.clone(), Arc::new(last.with_peaks_of(middle))],
            Some(first) => [first.clone(), last.clone()],
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
    /// A verdict of the round before whose pauses have reached further switches since it began.
    Spreads(Diagnosis),
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
            Change::Spreads(_) => "spreads",
            Change::Ends(_) => "ends",
        }
    }

    /// The verdict.
    pub(crate) fn diagnosis(&self) -> &Diagnosis {
        match self {
            Change::Begins(diagnosis)
            | Change::NamesFlows(diagnosis)
            | Change::Worsens(diagnosis)
            | Change::Spreads(diagnosis)
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
            self.cabled = None;
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

    /// Takes the number of the names and neighbours in the next reading of a source.
    pub(crate) fn name(&mut self, number: usize, names: Option<u64>) {
        self.sources.entry(number).or_default().names = names;
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
        // The processor has both readings in its cache here; a round goes through those of all switches, which do not fit.
        source.lacks_peaks = source.last().is_some_and(|last| !reading.has_peaks_of(last));
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
        self.unused = source.readings[2].replace(Arc::new(reading));
        lines
    }

    /// The reading for which the last one of the same source took the place.
    pub(crate) fn take_unused(&mut self) -> Option<Reading> {
        Arc::into_inner(self.unused.take()?)
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
        let current =
            || self.sources.iter().filter(|(_, source)| source.failure.is_none() && source.has_interval());
        let names: Option<Vec<(usize, u64)>> =
            current().map(|(number, source)| Some((*number, source.names?))).collect();
        let known = match self.cabling.take() {
            Some(known) if names.is_some() && names == self.cabled => known,
            known => {
                let ends: Vec<&Reading> = current().filter_map(|(_, source)| source.last()).collect();
                Cabling::kept(known, &ends, network)
            }
        };
        self.cabled = names;
        self.cabling.insert(known)
    }

    /// Connects the ports again in the next round: another network is known.
    pub(crate) fn connect_again(&mut self) {
        self.cabled = None;
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
        let (worsened, spread) = (self.worsened(), self.spread());
        let named = self.open.iter().filter(names_flows);
        changes.extend(named.map(|(_, diagnosis)| Change::NamesFlows(diagnosis.clone())));
        let further =
            worsened.into_iter().map(Change::Worsens).chain(spread.into_iter().map(Change::Spreads));
        for change in further {
            // One report says all.
            let is_reported = |known: &Change| known.diagnosis().id == change.diagnosis().id;
            if !changes.iter().any(is_reported) {
                changes.push(change);
            }
        }
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

    /// The open verdicts whose pauses have reached further switches since they began, without those that begin.
    fn spread(&mut self) -> Vec<Diagnosis> {
        self.reached.retain(|subject, _| self.open.contains_key(subject));
        let mut spread = Vec::new();
        for (subject, diagnosis) in &self.open {
            let switches: BTreeSet<String> =
                diagnosis.pause_path.iter().map(|port| port.switch.clone()).collect();
            match self.reached.get_mut(subject) {
                Some(reached) if switches.is_subset(reached) => {}
                Some(reached) => {
                    reached.extend(switches);
                    spread.push(diagnosis.clone());
                }
                None => drop(self.reached.insert(subject.clone(), switches)),
            }
        }
        spread
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
mod tests;
