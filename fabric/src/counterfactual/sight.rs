//! What a run looks like at the place and time of a verdict.

use std::collections::{BTreeMap, BTreeSet};

use model::diagnosis::Record;
use model::{Diagnosis, FlowKey, PortRef, Time, Verification};

use super::Replay;
use crate::record::{FlowRecord, PauseRecord};

/// A victim has recovered when at most this part of what its round trip took beyond the base is left ...
const LEFT_PERCENT: u64 = 25;
/// ... and what held it up is gone when at most this part of it is left. Other pauses and packets, of background
/// traffic, may cross the same ports.
const GONE_PERCENT: u64 = 50;
/// Ports that were paused for at most this part of the time of the one that was paused most are no proof of anything.
const LESSER_PERCENT: u64 = 10;
/// How far back a trouble is looked for when no agent says how long it had lasted.
const UNKNOWN_LENGTH: Time = Time::from_us(100);

/// Where and when to look.
pub(super) struct Question {
    pub(super) victim: FlowKey,
    /// From the departure of the slow packet, or from the first question about the trouble, to the verdict's time.
    pub(super) window: (Time, Time),
    /// The ports that the pause crossed, the loop's among them.
    ports: BTreeSet<PortRef>,
    /// Where the culprits' queue is.
    root: Option<PortRef>,
    /// Whether ports may stay paused: a right configuration pauses where a wrong one drops.
    may_pause: bool,
}

impl Question {
    /// The same, whatever queue is at the root and whoever pauses: a right configuration may hold it without harm to
    /// anybody, and pauses where a wrong one drops.
    pub(super) fn without_root(self) -> Question {
        Question { root: None, may_pause: true, ..self }
    }

    pub(super) fn new(diagnosis: &Diagnosis) -> Question {
        let to = Time::from_ns(diagnosis.time_ns);
        let records = diagnosis.evidence.iter().flat_map(|evidence| &evidence.records);
        let asked = records.into_iter().find_map(|record| match record {
            Record::Trigger(trigger) => Some(trigger),
            _ => None,
        });
        let from = match asked {
            Some(trigger) => {
                let departed = trigger.time_ns.saturating_sub(trigger.rtt_ns);
                Time::from_ns(trigger.follows.map_or(departed, |first| first.since_ns.min(departed)))
            }
            None => to.saturating_sub(UNKNOWN_LENGTH),
        };
        Question {
            victim: diagnosis.victim,
            window: (from.min(to), to),
            ports: diagnosis.pause_path.iter().chain(&diagnosis.pause_loop).cloned().collect(),
            root: diagnosis.root_cause.port.clone(),
            may_pause: false,
        }
    }
}

/// The victim and what may hold it up.
pub(super) struct Sight {
    without: Vec<String>,
    base: Option<Time>,
    /// Its slowest round trip; absent when it sent nothing.
    slowest: Option<Time>,
    finish: Option<Time>,
    /// How long each of the ports was paused.
    paused: BTreeMap<PortRef, Time>,
    /// Bytes that wait at the root on average.
    queue_bytes: u64,
    dropped_packets: u64,
}

impl Sight {
    pub(super) fn of(run: &Replay, question: &Question) -> Sight {
        let trace = run.traces.get(&question.victim);
        Sight {
            without: run.without.clone(),
            base: trace.and_then(|trace| trace.base_rtt),
            slowest: trace.and_then(|trace| trace.longest(question.window, run.end)),
            finish: finish(&run.flows, question.victim),
            paused: paused(&run.pauses, &question.ports, question.window, run.end),
            queue_bytes: question.root.as_ref().map_or(0, |at| run.queues.mean_bytes(at, question.window)),
            dropped_packets: run.dropped_packets,
        }
    }

    /// A run in which the victim is slow, above `threshold` percent of its path's base as for the agents; or why not.
    pub(super) fn slow(run: &Replay, question: &Question, threshold: u32) -> Result<Sight, String> {
        let sight = Sight::of(run, question);
        let limit = sight.base.unwrap_or_default().0.saturating_mul(u64::from(threshold));
        if !run.traces.contains_key(&question.victim) {
            return Err(format!("the run sends nothing of {}", question.victim));
        }
        match sight.slowest {
            None => Err("nothing of the victim was under way at that time".to_string()),
            Some(slowest) if slowest.0.saturating_mul(100) <= limit => {
                Err("without the agents' polling packets the victim is not slow at that time".to_string())
            }
            Some(_) => Ok(sight),
        }
    }

    fn excess(&self, base: Option<Time>) -> u64 {
        self.slowest.unwrap_or_default().saturating_sub(base.unwrap_or_default()).0
    }

    /// Whether anything that harms is less than half of what it was.
    pub(super) fn helps(&self, before: &Sight) -> bool {
        let halved = |after: u64, before: u64| before > 0 && is_part(after, before, GONE_PERCENT);
        halved(self.excess(before.base), before.excess(before.base))
            || halved(total(&self.paused).0, total(&before.paused).0)
            || halved(self.dropped_packets, before.dropped_packets)
    }

    /// Sets this run, without the culprit, beside the one with it: whether the verdict holds, and what shows it.
    pub(super) fn beside(&self, before: &Sight, question: &Question) -> (bool, Verification) {
        let recovered = is_part(self.excess(before.base), before.excess(before.base), LEFT_PERCENT);
        let paused = self.still_paused(before).filter(|_| !question.may_pause);
        let queued = !is_part(self.queue_bytes, before.queue_bytes, GONE_PERCENT);
        let ns = |time: Option<Time>| time.map(Time::as_ns);
        let shown = match (recovered, paused, &question.root) {
            (false, ..) => format!("the victim stays slow: {}", self.round_trip(before)),
            (true, Some(port), _) => format!("{}, but {port} stays paused", self.round_trip(before)),
            (true, None, Some(root)) if queued => {
                format!("{}, but the queue of {root} stays", self.round_trip(before))
            }
            (true, None, _) => self.round_trip(before),
        };
        let verification = Verification {
            without: self.without.clone(),
            shown,
            window_ns: (question.window.0.as_ns(), question.window.1.as_ns()),
            base_rtt_ns: ns(before.base),
            rtt_before_ns: before.slowest.unwrap_or_default().as_ns(),
            rtt_after_ns: ns(self.slowest),
            finish_before_ns: ns(before.finish),
            finish_after_ns: ns(self.finish),
            paused_before_ns: total(&before.paused).as_ns(),
            paused_after_ns: total(&self.paused).as_ns(),
        };
        (recovered && paused.is_none() && !queued, verification)
    }

    /// A port of those that were paused most that is paused as before.
    fn still_paused<'b>(&self, before: &'b Sight) -> Option<&'b PortRef> {
        let most = before.paused.values().max()?.0;
        let matters = |time: &Time| !is_part(time.0, most, LESSER_PERCENT);
        let left = |port: &PortRef| self.paused.get(port).map_or(0, |time| time.0);
        let mut paused = before.paused.iter().filter(|(_, time)| matters(time));
        paused.find(|(port, time)| !is_part(left(port), time.0, GONE_PERCENT)).map(|(port, _)| port)
    }

    fn round_trip(&self, before: &Sight) -> String {
        let was = before.slowest.unwrap_or_default();
        match (self.slowest, self.finish) {
            (Some(now), _) => format!("its slowest round trip takes {now} instead of {was}"),
            (None, Some(finish)) => {
                format!("it is through at {finish}, before the time at which a round trip took {was}")
            }
            (None, None) => format!("it sends nothing at the time at which a round trip took {was}"),
        }
    }
}

/// Whether `part` is at most so many percent of `whole`.
fn is_part(part: u64, whole: u64, percent: u64) -> bool {
    u128::from(part) * 100 <= u128::from(whole) * u128::from(percent)
}

/// When a 5-tuple was through with everything; absent when it was not.
fn finish(flows: &[FlowRecord], key: FlowKey) -> Option<Time> {
    let finishes: Option<Vec<Time>> =
        flows.iter().filter(|flow| flow.flow == key).map(|flow| flow.finish).collect();
    finishes?.into_iter().max()
}

fn total(paused: &BTreeMap<PortRef, Time>) -> Time {
    paused.values().fold(Time::ZERO, |sum, time| sum + *time)
}

/// How long each of these ports was paused in the window, added up over priorities.
fn paused(
    pauses: &[PauseRecord],
    ports: &BTreeSet<PortRef>,
    (from, to): (Time, Time),
    end: Time,
) -> BTreeMap<PortRef, Time> {
    let mut since: BTreeMap<(&PortRef, u8), Time> = BTreeMap::new();
    let mut sums: BTreeMap<PortRef, Time> = BTreeMap::new();
    let mut add = |port: &PortRef, begin: Time, stop: Time| {
        let within = stop.min(to).saturating_sub(begin.max(from));
        *sums.entry(port.clone()).or_default() += within;
    };
    for pause in pauses.iter().filter(|pause| ports.contains(&pause.port)) {
        let key = (&pause.port, pause.priority);
        if pause.on {
            since.entry(key).or_insert(pause.at);
        } else if let Some(begin) = since.remove(&key) {
            add(&pause.port, begin, pause.at);
        }
    }
    for ((port, _), begin) in since {
        add(port, begin, end);
    }
    sums
}
