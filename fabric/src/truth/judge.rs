//! Puts the truth together.

use std::collections::{BTreeMap, BTreeSet};

use model::{Anomaly, Cause, FlowKey, GroundTruth, PortRef, RootCause, Time};

use super::blame::{blame, busy_times};
use super::replay::{Busy, Replay, replay};
use super::tree::{Root, Tree, tree};
use super::{Facts, deadlock, loops};
use crate::record::FlowRecord;
use crate::scenario::{Expectation, SwitchSettings};

/// What one anomaly was, before it is put into words.
struct Story {
    anomaly: Anomaly,
    port: PortRef,
    host: Option<String>,
    culprits: Vec<usize>,
    ring: Vec<PortRef>,
    /// Ports where flows were held up.
    touched: BTreeSet<PortRef>,
    /// From when to when.
    when: (Time, Time),
    /// Flows that suffer whatever their round trips say.
    lost: Vec<usize>,
}

/// The run, and what is derived from it once.
struct Scene<'f, 'r> {
    facts: &'f Facts<'r>,
    replay: Replay,
    tree: Tree,
    /// Egress ports of each flow's data, in the order in which it came to them.
    paths: Vec<Vec<PortRef>>,
    /// Flows that got slower or stood still.
    slowed: BTreeSet<usize>,
}

/// The truth of a run. The expectation gives only what a run cannot tell: the name of the cause, and how many things
/// went wrong at once.
pub(super) fn judge(facts: &Facts<'_>, expect: &Expectation) -> GroundTruth {
    let replay = replay(facts);
    let tree = tree(facts, &replay);
    let paths = paths(facts, &replay);
    let slowed = slowed(facts, &replay);
    let scene = Scene { facts, replay, tree, paths, slowed };
    let mut stories = scene.stories();
    stories.truncate(1 + expect.also.len());
    let mut truths = Vec::new();
    for expect in std::iter::once(expect).chain(&expect.also) {
        let fits = |story: &Story| Some(story.anomaly) == expect.anomaly;
        let found = stories.iter().position(fits).or((!stories.is_empty()).then_some(0));
        truths.extend(found.map(|position| scene.tell(&stories.remove(position), expect)));
    }
    let mut truths = truths.into_iter();
    let truth = truths.next().unwrap_or_default();
    GroundTruth { others: truths.collect(), ..truth }
}

/// The switch ports that each flow's data left by.
fn paths(facts: &Facts<'_>, replay: &Replay) -> Vec<Vec<PortRef>> {
    let mut paths: Vec<Vec<(u32, u16)>> = vec![Vec::new(); facts.flows.len()];
    for stay in replay.stays.iter().filter(|stay| stay.stream.is_data()) {
        if let (Some(egress), Some(path)) = (stay.egress, paths.get_mut(stay.stream.flow()))
            && !path.contains(&(stay.switch, egress))
        {
            path.push((stay.switch, egress));
        }
    }
    let name = |(switch, port): (u32, u16)| PortRef::new(facts.switches[switch as usize].clone(), port);
    paths.into_iter().map(|path| path.into_iter().map(name).collect()).collect()
}

/// Flows with a round trip well above their best one, that had to send again, or that stood still at the end.
fn slowed(facts: &Facts<'_>, replay: &Replay) -> BTreeSet<usize> {
    let mut last: BTreeMap<usize, Time> = BTreeMap::new();
    for stay in replay.stays.iter().filter(|s| s.stream.is_data() && !s.lost && s.until < Time::MAX) {
        let at = last.entry(stay.stream.flow()).or_insert(Time::ZERO);
        *at = stay.until.max(*at);
    }
    // Nothing of an unfinished flow has left any switch in the last tenth of the run.
    let recent = Time(facts.end.0 - facts.end.0 / 10);
    let stands = |index: usize, flow: &FlowRecord| {
        flow.finish.is_none() && flow.start < recent && last.get(&index).is_none_or(|at| *at < recent)
    };
    let slow =
        |flow: &FlowRecord| flow.rtt.count > 0 && flow.rtt.max.0 > flow.rtt.min.0.saturating_mul(3) / 2;
    let suffers = |(index, flow): &(usize, &FlowRecord)| {
        slow(flow) || flow.retransmitted_packets > 0 || stands(*index, flow)
    };
    facts.flows.iter().enumerate().filter(suffers).map(|(index, _)| index).collect()
}

impl Scene<'_, '_> {
    /// Everything that went wrong, what harmed most first.
    fn stories(&self) -> Vec<Story> {
        if let Some(story) = self.routing_loop().or_else(|| self.deadlock()) {
            return vec![story];
        }
        let mut stories: Vec<(u128, Story)> = Vec::new();
        for (root, seen) in &self.tree.roots {
            stories.extend(self.pauses(root, &seen.times).map(|story| (seen.silence, story)));
        }
        stories.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.port.cmp(&b.1.port)));
        let most = stories.first().map_or(0, |(silence, _)| *silence);
        let mut kept: Vec<Story> = Vec::new();
        // What silenced next to nobody is no story of its own beside others.
        for (_, story) in stories.into_iter().filter(|(silence, _)| silence * 20 >= most) {
            if kept.iter().all(|before| !self.is_consequence(&story, before)) {
                kept.push(story);
            }
        }
        if kept.is_empty() {
            kept.extend(self.plain_contention());
        }
        kept
    }

    /// Whether a story only came of a greater one: at a port that waited for it, or by flows that it had held
    /// up and that came on in bunches.
    fn is_consequence(&self, story: &Story, before: &Story) -> bool {
        let held_up = |flow: &usize| self.paths[*flow].iter().any(|port| before.touched.contains(port));
        before.touched.contains(&story.port) || story.culprits.iter().any(held_up)
    }

    fn routing_loop(&self) -> Option<Story> {
        let found = loops::find(self.facts, &self.replay)?;
        Some(Story {
            anomaly: Anomaly::RoutingLoop,
            port: found.ring.first()?.clone(),
            host: None,
            culprits: Vec::new(),
            touched: found.ring.iter().flat_map(|port| self.tree.waiting_for(port)).collect(),
            ring: found.ring,
            when: (Time::ZERO, self.facts.end),
            lost: found.flows,
        })
    }

    fn deadlock(&self) -> Option<Story> {
        let found = deadlock::find(self.facts, &self.replay)?;
        let port = found.root.port().clone();
        let (host, culprits) = match &found.root {
            Root::Injection(port) => (self.host_behind(port), Vec::new()),
            Root::Contention(port) => {
                let until = Time(found.start.0.saturating_add(FORMING.0));
                let before = Time(found.start.0.saturating_sub(FORMING.0));
                let all = self.replay.busy.get(port).map_or(&[][..], Vec::as_slice);
                let times: Vec<Busy> = all
                    .iter()
                    .filter(|busy| busy.from <= found.start && before <= busy.until)
                    .map(|busy| Busy { until: busy.until.min(until), ..*busy })
                    .collect();
                (None, blame(self.facts, &self.replay, port, &times))
            }
        };
        let touched = found.ring.iter().chain([&port]).flat_map(|port| self.tree.waiting_for(port)).collect();
        let anomaly = found.anomaly();
        let when = (Time(found.start.0.saturating_sub(FORMING.0)), self.facts.end);
        Some(Story { anomaly, port, host, culprits, ring: found.ring, touched, when, lost: Vec::new() })
    }

    fn host_behind(&self, port: &PortRef) -> Option<String> {
        self.facts.peer(port).map(|peer| peer.switch.clone())
    }

    /// What came of pauses with this root.
    fn pauses(&self, root: &Root, times: &[Time]) -> Option<Story> {
        let port = root.port().clone();
        let touched = self.tree.waiting_for(&port);
        let (anomaly, host, culprits) = match root {
            Root::Injection(_) => {
                (Anomaly::PfcStormHostInjection, Some(self.host_behind(&port)?), Vec::new())
            }
            Root::Contention(_) => {
                let busy = busy_times(&self.replay, &port, times);
                let culprits = blame(self.facts, &self.replay, &port, &busy);
                (Anomaly::PfcBackpressureFlowContention, None, culprits)
            }
        };
        let when = (times.iter().min().copied()?, times.iter().max().copied()?);
        Some(Story { anomaly, port, host, culprits, ring: Vec::new(), touched, when, lost: Vec::new() })
    }

    /// Without any pause: the longest queue that slowed a flow.
    fn plain_contention(&self) -> Option<Story> {
        let ports: BTreeSet<&PortRef> = self.slowed.iter().flat_map(|flow| &self.paths[*flow]).collect();
        let peak = |port: &&PortRef| {
            let busy = self.replay.busy.get(*port);
            busy.into_iter().flatten().map(|busy| busy.peak_bytes).max().unwrap_or(0)
        };
        let port = ports.into_iter().max_by_key(|port| (peak(port), std::cmp::Reverse((*port).clone())))?;
        let most = peak(&port);
        // The first time that it was about so long: later, what was lost comes again.
        let busy: Vec<Busy> = self
            .replay
            .busy
            .get(port)?
            .iter()
            .filter(|busy| busy.peak_bytes * 2 >= most)
            .take(1)
            .copied()
            .collect();
        Some(Story {
            anomaly: Anomaly::FlowContention,
            port: port.clone(),
            host: None,
            culprits: blame(self.facts, &self.replay, port, &busy),
            when: (busy.first()?.from, busy.last()?.until.min(self.facts.end)),
            ring: Vec::new(),
            touched: BTreeSet::from([port.clone()]),
            lost: Vec::new(),
        })
    }

    /// Flows that were slowed at a port that the story touches, the culprits aside.
    fn victims(&self, story: &Story) -> Vec<usize> {
        let crosses = |flow: usize| self.paths[flow].iter().any(|port| story.touched.contains(port));
        let culprits: BTreeSet<FlowKey> = story.culprits.iter().map(|flow| self.key(*flow)).collect();
        let suffers = |flow: &usize| {
            story.lost.contains(flow)
                || self.slowed.contains(flow) && !culprits.contains(&self.key(*flow)) && crosses(*flow)
        };
        (0..self.facts.flows.len()).filter(suffers).collect()
    }

    fn key(&self, flow: usize) -> FlowKey {
        self.facts.flows[flow].flow
    }

    /// A 5-tuple once, however often it was used.
    fn keys(&self, flows: impl IntoIterator<Item = usize>) -> Vec<FlowKey> {
        let mut keys: Vec<FlowKey> = Vec::new();
        for flow in flows {
            if !keys.contains(&self.key(flow)) {
                keys.push(self.key(flow));
            }
        }
        keys
    }

    fn tell(&self, story: &Story, expect: &Expectation) -> GroundTruth {
        let victims = self.victims(story);
        let pause_path = self.pause_path(story, &victims);
        let mut spreaders: BTreeSet<usize> = BTreeSet::new();
        for edge in pause_path.windows(2) {
            spreaders
                .extend(self.tree.carriers.get(&(edge[0].clone(), edge[1].clone())).into_iter().flatten());
        }
        let culprits = self.keys(story.culprits.iter().copied());
        let spreaders = self.keys(spreaders).into_iter().filter(|key| !culprits.contains(key)).collect();
        GroundTruth {
            anomaly: Some(story.anomaly),
            cause: expect.cause,
            root_cause: RootCause {
                port: Some(story.port.clone()),
                flows: culprits,
                host: story.host.clone(),
                config: if expect.cause == Some(Cause::Misconfiguration) {
                    self.config()
                } else {
                    Vec::new()
                },
            },
            pause_path,
            pause_loop: story.ring.clone(),
            spreaders,
            victims: self.keys(victims),
            time_ns: Some((story.when.0.as_ns(), story.when.1.as_ns())),
            others: Vec::new(),
        }
    }

    /// The way of the pause from the first paused port of a victim to the root: of the victims that never come near
    /// the root, that of the one which the pause travelled farthest to.
    fn pause_path(&self, story: &Story, victims: &[usize]) -> Vec<PortRef> {
        let way = |flow: &usize| {
            let near =
                |port: &&PortRef| story.touched.contains(port) && self.replay.silent.contains_key(*port);
            let first = self.paths[*flow].iter().find(near)?;
            let path = self.tree.path(first, &story.port)?;
            let is_bystander = !self.paths[*flow].contains(&story.port);
            Some((is_bystander, path.len(), std::cmp::Reverse(*flow), path))
        };
        victims.iter().filter_map(way).max().map(|(_, _, _, path)| path).unwrap_or_default()
    }

    /// Settings in which a switch differs from the others, and routes set by hand: `switch/setting`.
    fn config(&self) -> Vec<String> {
        let scenario = self.facts.scenario;
        let mut found: BTreeSet<String> = BTreeSet::new();
        for (name, settings) in &scenario.switches {
            found.extend(differences(settings, &scenario.switch).map(|setting| format!("{name}/{setting}")));
        }
        found.extend(scenario.routing.routes.iter().map(|route| format!("{}/route", route.route.switch)));
        found.into_iter().collect()
    }
}

/// A deadlock forms in less than this.
const FORMING: Time = Time::from_us(50);

fn differences(a: &SwitchSettings, b: &SwitchSettings) -> impl Iterator<Item = &'static str> {
    let all = [
        ("alpha", a.threshold != b.threshold),
        ("headroom", a.headroom != b.headroom),
        ("lossless", a.lossless != b.lossless),
        ("dscp", a.dscp != b.dscp),
        ("xon_offset", a.xon_offset_bytes != b.xon_offset_bytes),
        ("ecn", a.ecn != b.ecn),
    ];
    all.into_iter().filter(|(_, differs)| *differs).map(|(setting, _)| setting)
}
