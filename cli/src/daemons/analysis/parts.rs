//! Unites the snapshots that several controllers make of one event: each reads its own switches, and the event may cross
//! those of others.
//!
//! A part that lacks the report of a switch that another connected controller manages is held back until that controller
//! has sent its part, at most [`WAIT_NS`]. A part that arrives later is united with the earlier ones, and the union is
//! analysed again. With one controller, no snapshot waits and none is kept.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use model::{MissingData, Snapshot};

/// Maximum time for which a part waits for the others, in nanoseconds of wall-clock time: the default time after which a
/// controller uploads an event, complete or not, and the way here.
pub(crate) const WAIT_NS: u64 = 2_500_000_000;
/// How long an event is known after its last part, in nanoseconds of wall-clock time: longer than a controller needs to
/// connect again.
const KNOWN_NS: u64 = 30_000_000_000;
/// Maximum events that are known.
const EVENTS: usize = 256;
/// Maximum bytes of their snapshots, as uploaded; beyond one of the limits, the event whose part came first is final.
const BYTES: usize = 64 << 20;

/// The switches of a controller.
#[derive(Clone, Debug, Default)]
pub(crate) struct ControllerSwitches {
    /// Those of its configuration.
    pub(crate) switches: BTreeSet<String>,
    /// Those of them that it manages now, as far as it has reported.
    pub(crate) managed: BTreeSet<String>,
    /// Whether it is connected to the server.
    pub(crate) is_connected: bool,
}

/// All controllers by name.
pub(crate) type Controllers = BTreeMap<String, ControllerSwitches>;

/// A snapshot of a controller.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// Its number in the inbox of the store.
    pub(crate) arrival: u64,
    pub(crate) controller: String,
    pub(crate) snapshot: Snapshot,
    /// Bytes of the upload.
    pub(crate) bytes: usize,
}

/// What is known of an event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct United {
    /// The numbers of the parts in the inbox of the store, ascending.
    pub(crate) arrivals: Vec<u64>,
    pub(crate) snapshot: Snapshot,
}

struct Event {
    united: United,
    /// The controllers of its parts.
    controllers: BTreeSet<String>,
    bytes: usize,
    /// When it stops to wait for further parts; `None`: it has been passed on.
    due_ns: Option<u64>,
    /// When its last part arrived.
    last_ns: u64,
}

/// The events of the last moments.
#[derive(Default)]
pub(crate) struct Parts {
    /// In the order of their first parts.
    events: VecDeque<Event>,
    united: u64,
}

/// The outcome of [`Parts::add`].
#[derive(Debug, PartialEq)]
pub(crate) enum Added {
    /// These events are to be analysed; none: the part waits for others.
    Analyse(Vec<United>),
    /// The event was passed on, and the part adds nothing to it.
    Known,
}

impl Parts {
    /// Adds a part at `now_ns` on the wall clock.
    pub(crate) fn add(&mut self, mut part: Part, controllers: &Controllers, now_ns: u64) -> Added {
        let elsewhere = |switch: &str| controllers.values().any(|one| one.switches.contains(switch));
        part.snapshot.with_programs(elsewhere);
        if controllers.len() <= 1 {
            let united = United { arrivals: vec![part.arrival], snapshot: part.snapshot };
            return Added::Analyse(vec![united]);
        }
        self.events.retain(|event| event.due_ns.is_some() || now_ns.saturating_sub(event.last_ns) < KNOWN_NS);
        let same =
            self.events.iter().position(|event| event.united.snapshot.is_of_same_event(&part.snapshot));
        let at = match same {
            Some(at) => match self.events[at].take(part, now_ns) {
                Taken::New => {
                    self.united += 1;
                    at
                }
                // The store failed: the same record is read again.
                Taken::Again => at,
                Taken::Nothing => return Added::Known,
            },
            None => {
                self.events.push_back(Event::new(part, now_ns));
                self.events.len() - 1
            }
        };
        let mut ready: Vec<United> = Vec::new();
        let event = &mut self.events[at];
        if event.due_ns.is_none() || event.is_complete(controllers) {
            event.due_ns = None;
            ready.push(event.united.clone());
        }
        ready.extend(self.surplus());
        Added::Analyse(ready)
    }

    /// Returns the events that have waited long enough at `now_ns`.
    pub(crate) fn expired(&mut self, now_ns: u64) -> Vec<United> {
        let due = self.events.iter_mut().filter(|event| event.due_ns.is_some_and(|due_ns| due_ns <= now_ns));
        due.map(Event::pass_on).collect()
    }

    /// Number of parts that were united with earlier ones.
    pub(crate) fn united(&self) -> u64 {
        self.united
    }

    /// Forgets the first events if there are too many, and returns those of them that still wait.
    fn surplus(&mut self) -> Vec<United> {
        let mut waiting = Vec::new();
        let mut bytes: usize = self.events.iter().map(|event| event.bytes).sum();
        while self.events.len() > EVENTS || bytes > BYTES {
            let Some(mut event) = self.events.pop_front() else { break };
            bytes -= event.bytes;
            waiting.extend(event.due_ns.is_some().then(|| event.pass_on()));
        }
        waiting
    }
}

/// What a part adds to an event.
enum Taken {
    New,
    Again,
    Nothing,
}

impl Event {
    fn new(part: Part, now_ns: u64) -> Event {
        Event {
            united: United { arrivals: vec![part.arrival], snapshot: part.snapshot },
            controllers: BTreeSet::from([part.controller]),
            bytes: part.bytes,
            due_ns: Some(now_ns.saturating_add(WAIT_NS)),
            last_ns: now_ns,
        }
    }

    fn take(&mut self, part: Part, now_ns: u64) -> Taken {
        let United { arrivals, snapshot } = &mut self.united;
        self.last_ns = now_ns;
        if arrivals.contains(&part.arrival) {
            return Taken::Again;
        }
        let mut united = snapshot.clone();
        united.unite(part.snapshot);
        let is_news = united.switches != snapshot.switches || united.trigger != snapshot.trigger;
        self.controllers.insert(part.controller);
        if self.due_ns.is_none() && !is_news {
            return Taken::Nothing;
        }
        *snapshot = united;
        arrivals.push(part.arrival);
        arrivals.sort_unstable();
        self.bytes = self.bytes.saturating_add(part.bytes);
        Taken::New
    }

    fn pass_on(&mut self) -> United {
        self.due_ns = None;
        self.united.clone()
    }

    /// Whether no connected controller that has sent nothing manages a switch whose report is missing.
    fn is_complete(&self, controllers: &Controllers) -> bool {
        let unreported = self.united.snapshot.missing.iter().filter_map(|missing| match missing {
            MissingData::NoReport { switch, .. } => Some(switch),
            _ => None,
        });
        let has = |name: &String| self.controllers.contains(name);
        let manages = |one: &ControllerSwitches, switch: &String| one.managed.contains(switch);
        let absent = |switch: &String| {
            let is_own = controllers.iter().any(|(name, one)| has(name) && manages(one, switch));
            let mut others = controllers.iter().filter(|(name, one)| !has(name) && one.is_connected);
            !is_own && others.any(|(_, one)| manages(one, switch))
        };
        !unreported.into_iter().any(absent)
    }
}

#[cfg(test)]
mod tests {
    use analyzer::{Settings, TopologyIndex};
    use fabric::RunOptions;
    use fabric::pipeline::Pipeline;
    use model::Topology;
    use model::missing_data::Expected;

    use super::*;

    /// The topology of a scenario, and its snapshot of the most switches.
    fn scenario(name: &str) -> (Topology, Snapshot) {
        let scenario = scenario::builtin(name).expect("a built-in scenario");
        let options = RunOptions { pipeline: Pipeline::hawkeye(&[]).expect("it compiles"), diagnose: true };
        let outcome = fabric::run(&scenario, 1, &options).expect("it runs");
        let snapshot = outcome.snapshots.into_iter().max_by_key(|snapshot| snapshot.switches.len());
        (scenario.topology, snapshot.expect("a snapshot"))
    }

    fn diagnoses(topology: &Topology, snapshot: &Snapshot) -> Vec<model::Diagnosis> {
        let index = TopologyIndex::new(topology);
        let analyses = analyzer::analyze_indexed(snapshot, &index, &Settings::default());
        analyses.into_iter().map(|analysis| analysis.diagnosis).collect()
    }

    /// Two controllers, the first of these switches, the other of all others.
    fn two(topology: &Topology, of_first: &[&str]) -> Controllers {
        let all = topology.nodes.iter().filter(|node| node.kind == model::topology::NodeKind::Switch);
        let (first, second): (BTreeSet<String>, BTreeSet<String>) =
            all.map(|node| node.name.clone()).partition(|name| of_first.contains(&name.as_str()));
        let controller = |managed: BTreeSet<String>| ControllerSwitches {
            switches: managed.clone(),
            managed,
            is_connected: true,
        };
        BTreeMap::from([("c1".to_string(), controller(first)), ("c2".to_string(), controller(second))])
    }

    /// The part of a controller as record `arrival`: its own switches; the others of the event are missing.
    fn part(whole: &Snapshot, controllers: &Controllers, name: &str, arrival: u64) -> Part {
        let own = &controllers[name].switches;
        let (switches, others): (Vec<_>, Vec<_>) =
            whole.switches.iter().cloned().partition(|telemetry| own.contains(&telemetry.switch));
        let mut missing = whole.missing.clone();
        missing.extend(others.into_iter().map(|telemetry| MissingData::NoProgram {
            switch: telemetry.switch,
            why: Expected::OnVictimPath,
        }));
        missing.sort();
        let polls = if name == "c1" { whole.polls } else { 0 };
        let snapshot = Snapshot { switches, missing, polls, ..whole.clone() };
        Part { arrival, controller: name.to_string(), snapshot, bytes: 1_000 }
    }

    fn ready(added: Added) -> Vec<United> {
        match added {
            Added::Analyse(events) => events,
            Added::Known => panic!("the part adds something"),
        }
    }

    #[test]
    fn the_parts_of_an_event_give_the_diagnosis_of_the_whole_in_both_orders_and_late() {
        for (name, of_first) in [("poster-fig1", ["sw1", "sw2"]), ("deadlock-in-loop", ["s1", "s2"])] {
            let (topology, whole) = scenario(name);
            let expected = diagnoses(&topology, &whole);
            assert!(!expected.is_empty(), "{name}");
            let controllers = two(&topology, &of_first);
            let part = |name: &str, arrival| part(&whole, &controllers, name, arrival);
            let check = |found: &[United], arrivals: &[u64]| {
                let [united] = found else { panic!("{name}: {} events", found.len()) };
                assert_eq!(united.arrivals, arrivals, "{name}");
                assert!(united.snapshot == whole, "{name}: the union is not the whole");
                assert_eq!(diagnoses(&topology, &united.snapshot), expected, "{name}");
            };
            for order in [["c1", "c2"], ["c2", "c1"]] {
                let mut parts = Parts::default();
                assert_eq!(parts.add(part(order[0], 1), &controllers, 0), Added::Analyse(vec![]), "{name}");
                check(&ready(parts.add(part(order[1], 2), &controllers, 1)), &[1, 2]);
                assert_eq!(parts.expired(u64::MAX), []);
                assert_eq!(parts.add(part(order[0], 3), &controllers, 2), Added::Known, "a duplicate");
                check(&ready(parts.add(part(order[0], 1), &controllers, 2)), &[1, 2]);

                let mut parts = Parts::default();
                assert_eq!(ready(parts.add(part(order[0], 1), &controllers, 0)), []);
                assert_eq!(parts.expired(WAIT_NS - 1), []);
                let partial = parts.expired(WAIT_NS);
                assert_eq!(partial.len(), 1, "{name}");
                assert_ne!(diagnoses(&topology, &partial[0].snapshot), expected, "{name}: both are needed");
                check(&ready(parts.add(part(order[1], 2), &controllers, WAIT_NS + 1)), &[1, 2]);
            }
        }
    }

    /// A snapshot of two switches.
    fn small() -> (Topology, Snapshot) {
        let node = |name: &str, kind: &str| serde_json::json!({"name": name, "kind": kind, "addresses": []});
        let topology =
            serde_json::json!({"nodes": [node("s1", "switch"), node("s2", "switch")], "links": []});
        let telemetry = |name: &str| {
            serde_json::json!({
                "switch": name, "frozen_ns": 0, "polled_from": [1], "on_victim_path": true, "epochs": [],
                "flows": [], "ports": [], "meters": [], "pauses": [], "bytes": 8,
            })
        };
        let snapshot = serde_json::json!({
            "format": 1, "event": 7, "source": "harrier", "victim": "10.0.0.1:1>10.0.0.2:4791/udp", "trigger": null,
            "epoch_ns": 1024, "switches": [telemetry("s1"), telemetry("s2")], "missing": [], "polls": 2,
        });
        (serde_json::from_value(topology).unwrap(), serde_json::from_value(snapshot).unwrap())
    }

    #[test]
    fn a_part_waits_only_for_a_connected_controller_that_can_add_to_it() {
        let (topology, whole) = small();
        let controllers = two(&topology, &["s1"]);
        let waits = |controllers: &Controllers, part: Part| {
            ready(Parts::default().add(part, controllers, 0)).is_empty()
        };
        let first = part(&whole, &controllers, "c1", 1);
        assert!(waits(&controllers, first.clone()));
        let mut cut_off = controllers.clone();
        cut_off.get_mut("c2").unwrap().is_connected = false;
        assert!(!waits(&cut_off, first.clone()), "the other controller is not connected");
        let alone = BTreeMap::from([("c1".to_string(), controllers["c1"].clone())]);
        assert!(!waits(&alone, first.clone()), "there is no other controller");
        let mut standby = controllers.clone();
        standby.get_mut("c2").unwrap().managed.clear();
        assert!(!waits(&standby, first.clone()), "the other controller stands by");
        let mut both = controllers.clone();
        both.get_mut("c1").unwrap().managed.insert("s2".into());
        assert!(!waits(&both, first.clone()), "the controller of the switch has sent its part");
        let mut split = controllers.clone();
        split.values_mut().for_each(|one| one.switches = BTreeSet::from(["s1".into(), "s2".into()]));
        assert!(waits(&split, first.clone()), "two controllers of both switches have one each");
        let all_own = Part { snapshot: Snapshot { missing: vec![], ..first.snapshot.clone() }, ..first };
        assert!(!waits(&controllers, all_own), "the event crosses no switch of the other controller");
    }

    #[test]
    fn a_part_without_telemetry_changes_nothing() {
        let (topology, whole) = small();
        let controllers = two(&topology, &["s1", "s2"]);
        let (full, empty) = (part(&whole, &controllers, "c1", 1), part(&whole, &controllers, "c2", 2));
        let mut parts = Parts::default();
        assert_eq!(ready(parts.add(full.clone(), &controllers, 0)).len(), 1);
        assert_eq!(parts.add(empty.clone(), &controllers, 1), Added::Known);
        let mut parts = Parts::default();
        assert_eq!(ready(parts.add(empty, &controllers, 0)), [], "it waits for the switches that it lacks");
        let united = ready(parts.add(full, &controllers, 1));
        assert_eq!((united.len(), &united[0].snapshot), (1, &whole));
    }

    #[test]
    fn too_many_events_are_final_before_their_time() {
        let (topology, whole) = small();
        let controllers = two(&topology, &["s1"]);
        let mut parts = Parts::default();
        for event in 0..EVENTS as u32 + 2 {
            let whole = Snapshot { event, ..whole.clone() };
            let final_events =
                ready(parts.add(part(&whole, &controllers, "c1", event.into()), &controllers, 0));
            let expected: Vec<u32> = event.checked_sub(EVENTS as u32).into_iter().collect();
            let found: Vec<u32> = final_events.iter().map(|united| united.snapshot.event).collect();
            assert_eq!(found, expected);
        }
        let large = Part { bytes: BYTES, ..part(&whole, &controllers, "c1", 1_000) };
        let large = Part { snapshot: Snapshot { event: 99_999, ..large.snapshot }, ..large };
        assert_eq!(ready(parts.add(large, &controllers, 0)).len(), EVENTS, "all others make room for it");
    }
}
