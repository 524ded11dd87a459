//! Measures a run at the ports and in the time of a verdict, and compares two runs.

use std::collections::{BTreeMap, BTreeSet};

use model::{Anomaly, Diagnosis, FlowKey, PortRef, Time, Verification};

use super::Rerun;
use crate::record::{FlowRecord, PauseRecord};

/// A victim has recovered if at most this part of its RTT above the base remains ...
const LEFT_PERCENT: u64 = 25;
/// ... and pauses and queues are gone if at most this part of them remains: background traffic may cause some at the
/// same ports.
const GONE_PERCENT: u64 = 50;
/// Ports that were paused for at most this part of the longest paused time are not compared.
const LESSER_PERCENT: u64 = 10;
/// The length of the window when no trigger is known.
const UNKNOWN_LENGTH: Time = Time::from_us(100);

/// The ports and the window to measure.
pub(super) struct Scope {
    /// The victim; a verdict about ports has none, and is not verified.
    pub(super) victim: Option<FlowKey>,
    /// From the departure of the slow packet, or from the first poll of the event, to the verdict's time.
    pub(super) window: (Time, Time),
    /// The ports of the pause path and of the loop.
    ports: BTreeSet<PortRef>,
    /// Whether the verdict is about operations that are slow although round trips are normal.
    is_operation: bool,
    /// Whether the verdict is about a loop of pauses.
    is_loop: bool,
    /// The root port.
    root: Option<PortRef>,
    /// Whether ports may stay paused: a corrected configuration may pause where the wrong one drops.
    may_pause: bool,
}

impl Scope {
    /// The same scope without queues and pauses: with a corrected configuration a queue may be harmless, and ports may
    /// pause where they dropped.
    pub(super) fn without_root(self) -> Scope {
        Scope { root: None, may_pause: true, ..self }
    }

    pub(super) fn new(diagnosis: &Diagnosis) -> Scope {
        let to = Time::from_ns(diagnosis.time_ns);
        let trigger = diagnosis.trigger();
        let from = match trigger {
            Some(trigger) => {
                let departed = trigger.time_ns.saturating_sub(trigger.rtt_ns);
                Time::from_ns(trigger.follows.map_or(departed, |first| first.since_ns.min(departed)))
            }
            None => to.saturating_sub(UNKNOWN_LENGTH),
        };
        Scope {
            is_operation: trigger.is_some_and(|trigger| trigger.reason.is_about_operation()),
            victim: diagnosis.victim,
            window: (from.min(to), to),
            ports: diagnosis.pause_path.iter().chain(&diagnosis.pause_loop).cloned().collect(),
            is_loop: !diagnosis.pause_loop.is_empty(),
            // A failed link or a lost packet is no queue, and the counterfactual traffic may build one there.
            root: diagnosis
                .root_cause
                .port
                .clone()
                .filter(|_| !matches!(diagnosis.anomaly, Anomaly::PacketLoss | Anomaly::PathChange)),
            may_pause: false,
        }
    }
}

/// The victim's RTT, and the pauses and queues on its path.
pub(super) struct Measurement {
    without: Vec<String>,
    base: Option<Time>,
    /// Its longest RTT, or the longest wait of an operation; absent when there was none.
    slowest: Option<Time>,
    is_operation: bool,
    finish: Option<Time>,
    /// How long each of the ports was paused.
    paused: BTreeMap<PortRef, Time>,
    /// The part of it that the verdict claims: of a loop the longest single pause, because a deadlock is one that does not end,
    /// and flows that remain may pause the same ports in turns.
    claimed: BTreeMap<PortRef, Time>,
    /// The mean queue at the root port in bytes.
    queue_bytes: u64,
    dropped_packets: u64,
}

impl Measurement {
    pub(super) fn of(run: &Rerun, scope: &Scope) -> Measurement {
        let trace = scope.victim.and_then(|victim| {
            run.traces.read(&victim, |trace| {
                let slowest = match scope.is_operation {
                    true => trace.longest_operation_in(scope.window),
                    false => trace.longest_in(scope.window, run.end),
                };
                (trace.base_rtt, slowest)
            })
        });
        let (paused, longest) = paused(&run.pauses, &scope.ports, scope.window, run.end);
        Measurement {
            without: run.without.clone(),
            base: trace.and_then(|(base, _)| base),
            slowest: trace.and_then(|(_, slowest)| slowest),
            is_operation: scope.is_operation,
            finish: scope.victim.and_then(|victim| finish(&run.flows, victim)),
            claimed: if scope.is_loop { longest } else { paused.clone() },
            paused,
            queue_bytes: scope.root.as_ref().map_or(0, |at| run.queues.mean_bytes(at, scope.window)),
            dropped_packets: run.dropped_packets,
        }
    }

    /// The measurement of a run in which the victim is slow, above `threshold` percent of the base RTT as for the
    /// agents; or why it is not.
    pub(super) fn slow(run: &Rerun, scope: &Scope, threshold: u32) -> Result<Measurement, String> {
        let measurement = Measurement::of(run, scope);
        let limit = measurement.base.unwrap_or_default().0.saturating_mul(u64::from(threshold));
        let Some(victim) = scope.victim else { return Err("it names no victim".to_string()) };
        if run.traces.read(&victim, |_| ()).is_none() {
            return Err(format!("the run has no packets of {victim}"));
        }
        match measurement.slowest {
            None => Err("the victim had no outstanding packets at that time".to_string()),
            Some(slowest) if slowest.0.saturating_mul(100) <= limit => {
                Err("without the agents' polling packets the victim is not slow at that time".to_string())
            }
            Some(_) => Ok(measurement),
        }
    }

    fn excess(&self, base: Option<Time>) -> u64 {
        self.slowest.unwrap_or_default().saturating_sub(base.unwrap_or_default()).0
    }

    /// Whether RTT excess, pauses or drops are less than half of before.
    pub(super) fn helps(&self, before: &Measurement) -> bool {
        let halved = |after: u64, before: u64| before > 0 && is_at_most_percent(after, before, GONE_PERCENT);
        halved(self.excess(before.base), before.excess(before.base))
            || halved(total(&self.paused).0, total(&before.paused).0)
            || halved(self.dropped_packets, before.dropped_packets)
    }

    /// Whether at most a small part of the victim's excess RTT remains.
    pub(super) fn recovers(&self, before: &Measurement) -> bool {
        is_at_most_percent(self.excess(before.base), before.excess(before.base), LEFT_PERCENT)
    }

    /// Compares this run, without the root cause, with the original one: whether the verdict holds, and why.
    pub(super) fn compare(&self, before: &Measurement, scope: &Scope) -> (bool, Verification) {
        let recovered = self.recovers(before);
        let paused = self.still_paused(before).filter(|_| !scope.may_pause);
        let queued = !is_at_most_percent(self.queue_bytes, before.queue_bytes, GONE_PERCENT);
        let ns = |time: Option<Time>| time.map(Time::as_ns);
        let shown = match (recovered, paused, &scope.root) {
            (false, ..) => format!("the victim stays slow: {}", self.round_trip(before)),
            (true, Some(port), _) => format!("{}, but {port} stays paused", self.round_trip(before)),
            (true, None, Some(root)) if queued => {
                format!("{}, but the queue at {root} remains", self.round_trip(before))
            }
            (true, None, _) => self.round_trip(before),
        };
        let verification = Verification {
            without: self.without.clone(),
            shown,
            window_ns: (scope.window.0.as_ns(), scope.window.1.as_ns()),
            base_rtt_ns: ns(before.base),
            rtt_before_ns: before.slowest.unwrap_or_default().as_ns(),
            rtt_after_ns: ns(self.slowest),
            finish_before_ns: ns(before.finish),
            finish_after_ns: ns(self.finish),
            paused_before_ns: total(&before.paused).as_ns(),
            paused_after_ns: total(&self.paused).as_ns(),
            corrected: None,
        };
        (recovered && paused.is_none() && !queued, verification)
    }

    /// A port among the longest paused ones that is still paused.
    fn still_paused<'b>(&self, before: &'b Measurement) -> Option<&'b PortRef> {
        let most = before.claimed.values().max()?.0;
        let matters = |time: &Time| !is_at_most_percent(time.0, most, LESSER_PERCENT);
        let left = |port: &PortRef| self.claimed.get(port).map_or(0, |time| time.0);
        let mut paused = before.claimed.iter().filter(|(_, time)| matters(time));
        paused
            .find(|(port, time)| !is_at_most_percent(left(port), time.0, GONE_PERCENT))
            .map(|(port, _)| port)
    }

    fn round_trip(&self, before: &Measurement) -> String {
        let was = before.slowest.unwrap_or_default();
        match (self.slowest, self.finish) {
            (now, _) if self.is_operation => match now {
                Some(now) => format!("its operations wait for at most {now} instead of {was}"),
                None => format!("it has no operation at the time at which one waited for {was}"),
            },
            (Some(now), _) => format!("its longest RTT is {now} instead of {was}"),
            (None, Some(finish)) => {
                format!("it completes at {finish}, before the time at which its RTT was {was}")
            }
            (None, None) => format!("it sends nothing at the time at which its RTT was {was}"),
        }
    }
}

/// Whether `part` is at most `percent` percent of `whole`.
fn is_at_most_percent(part: u64, whole: u64, percent: u64) -> bool {
    u128::from(part) * 100 <= u128::from(whole) * u128::from(percent)
}

/// When all flows of a 5-tuple were complete; absent when they were not.
fn finish(flows: &[FlowRecord], key: FlowKey) -> Option<Time> {
    let finishes: Option<Vec<Time>> =
        flows.iter().filter(|flow| flow.flow == key).map(|flow| flow.finish).collect();
    finishes?.into_iter().max()
}

fn total(paused: &BTreeMap<PortRef, Time>) -> Time {
    paused.values().fold(Time::ZERO, |sum, time| sum + *time)
}

/// How long each of these ports was paused in the window, added up over priorities, and its longest pause.
fn paused(
    pauses: &[PauseRecord],
    ports: &BTreeSet<PortRef>,
    (from, to): (Time, Time),
    end: Time,
) -> (BTreeMap<PortRef, Time>, BTreeMap<PortRef, Time>) {
    let mut since: BTreeMap<(&PortRef, u8), Time> = BTreeMap::new();
    let mut sums: BTreeMap<PortRef, Time> = BTreeMap::new();
    let mut longest: BTreeMap<PortRef, Time> = BTreeMap::new();
    let mut add = |port: &PortRef, begin: Time, stop: Time| {
        let within = stop.min(to).saturating_sub(begin.max(from));
        *sums.entry(port.clone()).or_default() += within;
        let longest = longest.entry(port.clone()).or_default();
        *longest = within.max(*longest);
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
    (sums, longest)
}
