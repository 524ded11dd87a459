//! The queues of every switch at every time, reconstructed from the log.
//!
//! A switch forwards packets of one stream in order, so that the n-th to leave is the n-th that arrived; packets that
//! never left are assumed to follow the others of their stream.

use std::collections::{BTreeMap, VecDeque};

use model::{PortRef, Time};

use super::Facts;
pub(super) use super::queue::Busy;
use super::queue::Standing;
use fabric::packet_log::{Stream, ThrownOut, What};

/// A stay of a packet in a switch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stay {
    pub(super) switch: u32,
    pub(super) stream: Stream,
    pub(super) bytes: u32,
    pub(super) ingress: u16,
    /// Its egress port; absent when no packet of its stream left.
    pub(super) egress: Option<u16>,
    pub(super) from: Time,
    /// [`Time::MAX`] if it never left.
    pub(super) until: Time,
    pub(super) ttl: u8,
    /// It was dropped on arrival.
    pub(super) lost: bool,
}

/// A pause that a switch sent, with the packets from the paused port that the switch held.
#[derive(Clone, Debug)]
pub(super) struct Episode {
    pub(super) at: Time,
    /// The paused port at the far end.
    pub(super) upstream: PortRef,
    /// Bytes by egress port, most first.
    pub(super) towards: Vec<(PortRef, u64)>,
    /// Flows whose data are among them, with the egress port.
    pub(super) spreaders: Vec<(usize, PortRef)>,
}

/// The reconstructed run.
#[derive(Debug, Default)]
pub(super) struct Replay {
    pub(super) stays: Vec<Stay>,
    pub(super) episodes: Vec<Episode>,
    /// Periods with a queue, by switch port.
    pub(super) busy: BTreeMap<PortRef, Vec<Busy>>,
    /// When a port was paused: start and end, in order.
    pub(super) paused: BTreeMap<PortRef, Vec<(Time, Time)>>,
    /// The stays of data packets that left or would have left by a port, in order of arrival.
    pub(super) by_port: BTreeMap<PortRef, Vec<usize>>,
}

pub(super) fn replay(facts: &Facts<'_>) -> Replay {
    let Stays { stays, mut stay_of, dropped_from_queue } = stays(facts);
    let mut dropped_from_queue = dropped_from_queue.into_iter().peekable();
    let by_port = by_port(facts, &stays);
    let mut replay = Replay { stays, paused: pause_times(facts), by_port, ..Replay::default() };
    let mut books = Occupancy::new(facts);
    let mut pauses = facts.log.pauses.iter().peekable();
    for index in 0..=facts.log.steps.len() {
        while let Some(pause) = pauses.next_if(|pause| pause.steps <= index) {
            while let Some((stay, out)) =
                dropped_from_queue.next_if(|(_, out)| out.steps <= index && out.at <= pause.at)
            {
                books.count(&replay.stays[stay], out.at, false);
            }
            replay.episodes.extend(episode(facts, &books.held, pause.at, pause.switch, pause.port));
        }
        while let Some((stay, out)) = dropped_from_queue.next_if(|(_, out)| out.steps <= index) {
            books.count(&replay.stays[stay], out.at, false);
        }
        if let Some(stay) = stay_of.get_mut(index).and_then(Option::take) {
            let step = &facts.log.steps[index];
            books.count(&replay.stays[stay], step.at, step.what == What::In);
        }
    }
    replay.busy = books.close();
    replay
}

/// The buffer occupancy of every switch at a time.
struct Occupancy<'f> {
    facts: &'f Facts<'f>,
    /// Bytes by switch, ingress port, egress port and stream.
    held: BTreeMap<(u32, u16, Option<u16>, Stream), u64>,
    queues: BTreeMap<(u32, u16), (u64, Standing)>,
    busy: BTreeMap<PortRef, Vec<Busy>>,
    /// A port counts as empty up to this number of bytes: the packet in transmission and one more.
    empty: u64,
}

impl<'f> Occupancy<'f> {
    fn new(facts: &'f Facts<'f>) -> Occupancy<'f> {
        let largest = facts.log.steps.iter().map(|step| u64::from(step.bytes)).max().unwrap_or(0);
        let (held, queues, busy) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Occupancy { facts, held, queues, busy, empty: 2 * largest }
    }

    /// A packet arrives or leaves.
    fn count(&mut self, stay: &Stay, at: Time, arrives: bool) {
        let key = (stay.switch, stay.ingress, stay.egress, stay.stream);
        let place = self.held.entry(key).or_insert(0);
        let add = |sum: u64| {
            if arrives { sum + u64::from(stay.bytes) } else { sum.saturating_sub(u64::from(stay.bytes)) }
        };
        *place = add(*place);
        if *place == 0 {
            self.held.remove(&key);
        }
        let Some(egress) = stay.egress else { return };
        let (bytes, standing) = self.queues.entry((stay.switch, egress)).or_default();
        *bytes = add(*bytes);
        let over = standing.follow(*bytes, self.empty, at);
        if !over.is_empty() {
            self.busy.entry(named(self.facts, stay.switch, egress)).or_default().extend(over);
        }
    }

    /// The times with a queue, by port, when the run is over.
    fn close(mut self) -> BTreeMap<PortRef, Vec<Busy>> {
        for ((switch, egress), (_, mut standing)) in self.queues {
            let name = named(self.facts, switch, egress);
            self.busy.entry(name).or_default().extend(standing.end(self.facts.end));
        }
        self.busy
    }
}

fn named(facts: &Facts<'_>, switch: u32, port: u16) -> PortRef {
    PortRef::new(facts.switches[switch as usize].clone(), port)
}

fn by_port(facts: &Facts<'_>, stays: &[Stay]) -> BTreeMap<PortRef, Vec<usize>> {
    let mut found: BTreeMap<(u32, u16), Vec<usize>> = BTreeMap::new();
    for (index, stay) in stays.iter().enumerate().filter(|(_, stay)| stay.stream.is_data()) {
        if let Some(egress) = stay.egress {
            found.entry((stay.switch, egress)).or_default().push(index);
        }
    }
    found.into_iter().map(|((switch, port), stays)| (named(facts, switch, port), stays)).collect()
}

/// All stays.
struct Stays {
    stays: Vec<Stay>,
    /// By step the stay that it begins or ends.
    stay_of: Vec<Option<usize>>,
    /// Stays that a watchdog ended, in order of time.
    dropped_from_queue: Vec<(usize, ThrownOut)>,
}

/// Queued packets, by switch and stream.
type Waiting = BTreeMap<(u32, Stream), VecDeque<usize>>;

fn stays(facts: &Facts<'_>) -> Stays {
    let mut stays: Vec<Stay> = Vec::new();
    let mut stay_of: Vec<Option<usize>> = vec![None; facts.log.steps.len()];
    let mut waiting = Waiting::new();
    let mut dropped_from_queue: Vec<(usize, ThrownOut)> = Vec::new();
    let mut to_throw_out = facts.log.dropped_from_queue.iter().peekable();
    let mut last: BTreeMap<(u32, Stream), u16> = BTreeMap::new();
    let mut refused: Vec<usize> = Vec::new();
    for (index, step) in facts.log.steps.iter().enumerate() {
        while let Some(out) = to_throw_out.next_if(|out| out.steps <= index) {
            dropped_from_queue.extend(
                drop_from_queue(facts, &mut stays, &mut waiting, &last, *out).map(|stay| (stay, *out)),
            );
        }
        let key = (step.switch, step.stream);
        match step.what {
            What::In | What::Lost => {
                let lost = step.what == What::Lost;
                if lost {
                    refused.push(stays.len());
                } else {
                    stay_of[index] = Some(stays.len());
                    waiting.entry(key).or_default().push_back(stays.len());
                }
                stays.push(Stay {
                    switch: step.switch,
                    stream: step.stream,
                    bytes: step.bytes,
                    ingress: step.port,
                    egress: None,
                    from: step.at,
                    until: if lost { step.at } else { Time::MAX },
                    ttl: step.ttl,
                    lost,
                });
            }
            What::Out => {
                last.insert(key, step.port);
                if let Some(stay) = waiting.get_mut(&key).and_then(VecDeque::pop_front) {
                    stay_of[index] = Some(stay);
                    stays[stay].egress = Some(step.port);
                    stays[stay].until = step.at;
                }
            }
        }
    }
    for out in to_throw_out {
        dropped_from_queue
            .extend(drop_from_queue(facts, &mut stays, &mut waiting, &last, *out).map(|stay| (stay, *out)));
    }
    for stay in waiting.into_values().flatten().chain(refused) {
        let key = (stays[stay].switch, stays[stay].stream);
        stays[stay].egress = last.get(&key).copied().or_else(|| only_way(facts, &stays[stay]));
    }
    Stays { stays, stay_of, dropped_from_queue }
}

/// Ends the stay of a packet that a watchdog dropped: the oldest one with these ingress and egress ports.
fn drop_from_queue(
    facts: &Facts<'_>,
    stays: &mut [Stay],
    waiting: &mut Waiting,
    last: &BTreeMap<(u32, Stream), u16>,
    out: ThrownOut,
) -> Option<usize> {
    let streams = waiting.range((out.switch, Stream::default())..=(out.switch, Stream::LAST));
    let heads = streams.filter_map(|(key, queue)| Some((*queue.front()?, *key)));
    let leaves = |key: &(u32, Stream), stay: &Stay| last.get(key).copied().or_else(|| only_way(facts, stay));
    let (head, key) = heads
        .filter(|(head, key)| {
            let stay = &stays[*head];
            stay.ingress == out.ingress && leaves(key, stay).is_none_or(|egress| egress == out.egress)
        })
        .min_by_key(|(head, _)| (u64::from(stays[*head].bytes) != out.bytes, *head))?;
    waiting.get_mut(&key)?.pop_front();
    (stays[head].until, stays[head].egress) = (out.at, Some(out.egress));
    Some(head)
}

/// The egress port of a stream of which no packet left a switch, if only one is possible.
fn only_way(facts: &Facts<'_>, stay: &Stay) -> Option<u16> {
    let flow = facts.flows.get(stay.stream.flow())?;
    let to = if stay.stream.is_data() { flow.flow.dst } else { flow.flow.src };
    let plan = facts.scenario.plan_settings(0, stay.from);
    let host = facts.scenario.topology.host_of(to)?;
    let next = plan.router(&facts.scenario.topology).next_hops(&host.name);
    match next.get(facts.switches[stay.switch as usize].as_str())?.as_slice() {
        [port] => Some(*port),
        _ => None,
    }
}

fn episode(
    facts: &Facts<'_>,
    held: &BTreeMap<(u32, u16, Option<u16>, Stream), u64>,
    at: Time,
    switch: u32,
    port: u16,
) -> Option<Episode> {
    let name = &facts.switches[switch as usize];
    let ingress = PortRef::new(name.clone(), port);
    let upstream = facts.peer(&ingress)?.clone();
    let mut towards: BTreeMap<u16, u64> = BTreeMap::new();
    let mut spreaders = Vec::new();
    let first = (switch, port, None, Stream::default());
    for ((at_switch, ingress, egress, stream), bytes) in held.range(first..) {
        if (*at_switch, *ingress) != (switch, port) {
            break;
        }
        let Some(egress) = egress else { continue };
        *towards.entry(*egress).or_insert(0) += bytes;
        if stream.is_data() {
            spreaders.push((stream.flow(), PortRef::new(name.clone(), *egress)));
        }
    }
    let mut towards: Vec<(PortRef, u64)> =
        towards.into_iter().map(|(egress, bytes)| (PortRef::new(name.clone(), egress), bytes)).collect();
    towards.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    Some(Episode { at, upstream, towards, spreaders })
}

/// When each port was paused.
fn pause_times(facts: &Facts<'_>) -> BTreeMap<PortRef, Vec<(Time, Time)>> {
    let mut paused: BTreeMap<PortRef, Vec<(Time, Time)>> = BTreeMap::new();
    let mut open: BTreeMap<(&PortRef, u8), Time> = BTreeMap::new();
    for pause in facts.pauses {
        let key = (&pause.port, pause.priority);
        if pause.on {
            open.entry(key).or_insert(pause.at);
        } else if let Some(from) = open.remove(&key) {
            paused.entry(pause.port.clone()).or_default().push((from, pause.at));
        }
    }
    for ((port, _), from) in open {
        paused.entry(port.clone()).or_default().push((from, facts.end));
    }
    paused.values_mut().for_each(|times| times.sort_unstable());
    paused
}

impl Replay {
    /// Whether a port was paused at some time from `from` to `until`.
    pub(super) fn was_paused(&self, port: &PortRef, from: Time, until: Time) -> bool {
        let times = self.paused.get(port).map_or(&[][..], Vec::as_slice);
        times.iter().any(|(start, end)| *start <= until && from <= *end)
    }

    /// The data packets that arrived for a port from `from` to `until`.
    pub(super) fn came(&self, port: &PortRef, from: Time, until: Time) -> impl Iterator<Item = &Stay> {
        let stays = self.by_port.get(port).map_or(&[][..], Vec::as_slice);
        let first = stays.partition_point(|stay| self.stays[*stay].from < from);
        stays[first..].iter().map(|stay| &self.stays[*stay]).take_while(move |stay| stay.from <= until)
    }

    /// How long a pause of `port` that was sent at `sent` lasted.
    pub(super) fn lasted(&self, port: &PortRef, sent: Time) -> Time {
        let times = self.paused.get(port).map_or(&[][..], Vec::as_slice);
        times
            .iter()
            .find(|(start, _)| sent <= *start)
            .map_or(Time::ZERO, |(start, end)| end.saturating_sub(*start))
    }

    /// When the packet arrived that is at the head of a port's queue at `at`; absent if the queue is empty.
    pub(super) fn head(&self, port: &PortRef, at: Time) -> Option<Time> {
        let stays = self.by_port.get(port)?;
        let after = stays.partition_point(|stay| self.stays[*stay].from <= at);
        let waiting = stays[..after].iter().rev().map(|stay| &self.stays[*stay]).filter(|stay| !stay.lost);
        waiting.take_while(|stay| at < stay.until).last().map(|stay| stay.from)
    }
}
