//! The agent of one host.

mod slow_operations;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use indexmap::IndexMap;
use model::wire::polling::{Follow, Polling};
use model::{FlowKey, FollowUp, Trigger, TriggerReason};
use rustc_hash::FxBuildHasher;

use crate::baseline::PathBase;
use crate::bucket::TokenBucket;
use crate::operations::OperationWatch;
use crate::rule::{has_grown, is_ordinary, is_silent, is_slow, silence_limit_ns};
use crate::settings::{Settings, SettingsError};
use crate::waiting::{Measured, WaitingPolls};

/// Identifies a flow that an agent watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(u32);

/// A polling packet to send at control priority, and the trigger for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poll {
    /// Content of the polling packet.
    pub polling: Polling,
    /// The measurement behind it, for the controller.
    pub trigger: Trigger,
}

/// Counters of an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AgentStats {
    /// Polls sent.
    pub polls: u64,
    /// Slow round trips without a poll because the flow had been polled within the interval.
    pub limited_by_flow: u64,
    /// Polls that the host's rate limit delayed or, for follow-up polls, suppressed.
    pub limited_by_host: u64,
    /// Flows that were evicted because too many were watched.
    pub flows_given_up: u64,
}

/// Watches the flows of one host.
///
/// Times are nanoseconds of the host's clock and do not run backwards.
#[derive(Clone, Debug)]
pub struct Agent {
    host: String,
    host_number: u16,
    next_event: u16,
    settings: Settings,
    bucket: TokenBucket,
    /// Polls that lack a token.
    waiting: WaitingPolls,
    flows: Vec<Option<Watched>>,
    free: Vec<u32>,
    /// Looked up for every packet.
    by_key: IndexMap<FlowKey, FlowId, FxBuildHasher>,
    /// Watched flows by the time of their last packet, for eviction. Each flow has one entry, filed under
    /// [`Watched::filed_ns`]; packets do not update it, and eviction moves an entry that is out of date.
    by_activity: BTreeSet<(u64, FlowKey, FlowId)>,
    /// When to check whether a flow still lacks an acknowledgement. An acknowledgement moves the deadline without
    /// updating the heap; entries that fire early are re-queued.
    deadlines: BinaryHeap<Reverse<(u64, FlowId)>>,
    /// When follow-up polls are due.
    follow_ups: BTreeSet<(u64, FlowId)>,
    /// Follow-up polls of flows that have ended: the switches still hold their records.
    ended: BTreeMap<(u64, FlowKey), FollowUpPoll>,
    stats: AgentStats,
}

/// A time in which a flow is slow, from its first poll until its follow-up poll.
#[derive(Clone, Copy, Debug)]
struct SlowEpisode {
    /// The event of the first poll.
    event: u32,
    /// When the first poll was sent.
    since_ns: u64,
    /// When the follow-up poll is due.
    due_ns: u64,
    /// The slowest round trip (or time without an acknowledgement) so far, and when it was measured.
    worst_ns: u64,
    seen_ns: u64,
    reason: TriggerReason,
}

/// A follow-up poll that is still to be sent.
#[derive(Clone, Debug)]
struct FollowUpPoll {
    priority: u8,
    trigger: Trigger,
}

#[derive(Clone, Debug)]
struct Watched {
    flow: FlowKey,
    priority: u8,
    base: PathBase,
    /// Since when data has been outstanding, if it is.
    waiting_since_ns: Option<u64>,
    last_packet_ns: u64,
    /// The time under which [`Agent::by_activity`] holds this flow; at most `last_packet_ns`.
    filed_ns: u64,
    /// How long the flow had been without an acknowledgement at the last poll for that; 0: no poll yet.
    polled_silence_ns: u64,
    polled_ns: Option<u64>,
    /// The largest excess over the base that was polled for, by the last poll or its follow-up poll.
    polled_excess_ns: u64,
    /// Whether a round trip was below the threshold since then.
    recovered: bool,
    episode: Option<SlowEpisode>,
    operations: OperationWatch,
    /// Whether the heap has a deadline of this flow.
    scheduled: bool,
}

impl Agent {
    /// Creates an agent of `host`. `host_number` makes event ids unique across hosts; `first_event` continues the
    /// host's own count, so that a restarted agent does not repeat ids.
    ///
    /// # Errors
    /// The settings are invalid.
    pub fn new(
        host: impl Into<String>,
        host_number: u16,
        first_event: u16,
        settings: Settings,
    ) -> Result<Agent, SettingsError> {
        settings.validate()?;
        Ok(Agent {
            host: host.into(),
            host_number,
            next_event: first_event,
            bucket: TokenBucket::new(settings.polls_per_second, settings.burst),
            settings,
            waiting: WaitingPolls::default(),
            flows: Vec::new(),
            free: Vec::new(),
            by_key: IndexMap::default(),
            by_activity: BTreeSet::new(),
            deadlines: BinaryHeap::new(),
            follow_ups: BTreeSet::new(),
            ended: BTreeMap::new(),
            stats: AgentStats::default(),
        })
    }

    /// Watches `flow`, whose data uses `priority`. `base_ns` is the base round trip of its path, if known; otherwise
    /// it is learned. A flow that is watched already keeps its base.
    pub fn open(&mut self, now_ns: u64, flow: FlowKey, priority: u8, base_ns: Option<u64>) -> FlowId {
        if let Some(id) = self.by_key.get(&flow) {
            return *id;
        }
        if self.by_key.len() >= self.settings.max_flows {
            self.evict_oldest();
        }
        let watched = Watched {
            flow,
            priority,
            base: base_ns.map_or_else(PathBase::default, PathBase::seeded),
            waiting_since_ns: None,
            last_packet_ns: now_ns,
            filed_ns: now_ns,
            polled_silence_ns: 0,
            polled_ns: None,
            polled_excess_ns: 0,
            recovered: false,
            episode: None,
            operations: OperationWatch::default(),
            scheduled: false,
        };
        let id = match self.free.pop() {
            Some(slot) => FlowId(slot),
            None => {
                self.flows.push(None);
                FlowId((self.flows.len() - 1) as u32)
            }
        };
        self.flows[id.0 as usize] = Some(watched);
        self.by_key.insert(flow, id);
        self.by_activity.insert((now_ns, flow, id));
        id
    }

    /// Returns the watched flow of this key.
    pub fn find(&self, flow: &FlowKey) -> Option<FlowId> {
        self.by_key.get(flow).copied()
    }

    /// Stops watching a flow. A follow-up poll that is pending is still sent when it is due; earlier, the switches may
    /// be frozen for the first poll.
    pub fn close(&mut self, now_ns: u64, id: FlowId) {
        if let Some((due_ns, pending)) = self.take_follow_up(now_ns, id) {
            self.ended.insert((due_ns, pending.trigger.flow), pending);
        }
        self.waiting.remove(id);
        if let Some(watched) = self.flows.get_mut(id.0 as usize).and_then(Option::take) {
            self.by_key.swap_remove(&watched.flow);
            self.by_activity.remove(&(watched.filed_ns, watched.flow, id));
            // A slot whose deadline is still in the heap is reused only after the deadline fires.
            if !watched.scheduled {
                self.free.push(id.0);
            }
        }
    }

    /// Handles data that the flow sent. Only the first call after all data was acknowledged has an effect.
    pub fn sent(&mut self, now_ns: u64, id: FlowId) {
        let Some(watched) = self.flows.get_mut(id.0 as usize).and_then(Option::as_mut) else { return };
        if watched.waiting_since_ns.is_none() {
            watched.waiting_since_ns = Some(now_ns);
            watched.last_packet_ns = now_ns;
            self.schedule_deadline(id);
        }
    }

    /// Handles an ACK of new data that covers a retransmitted packet. It cannot be matched to one of the transmissions
    /// (RFC 6298, section 3), so the time since the last one, `at_least_ns`, is no sample: it neither changes the base
    /// nor shows a recovery. The round trip was at least that long, so it can show that the flow is slow.
    pub fn progressed(
        &mut self,
        now_ns: u64,
        id: FlowId,
        at_least_ns: u64,
        outstanding: bool,
    ) -> Option<Poll> {
        let watched = self.flows.get_mut(id.0 as usize)?.as_mut()?;
        watched.last_packet_ns = now_ns;
        watched.waiting_since_ns = outstanding.then_some(now_ns);
        watched.polled_silence_ns = 0;
        watched.operations.measured(now_ns, at_least_ns);
        self.schedule_deadline(id);
        self.check_slow(now_ns, id, at_least_ns, false)
    }

    /// Handles an ACK or NAK. `rtt_ns` is the round trip of the last data that it acknowledges; absent if it
    /// acknowledges nothing new (a NAK, a duplicate). `outstanding`: more data is unacknowledged. For data that was
    /// retransmitted, [`Agent::progressed`] is to be called instead.
    pub fn acknowledged(
        &mut self,
        now_ns: u64,
        id: FlowId,
        rtt_ns: Option<u64>,
        outstanding: bool,
    ) -> Option<Poll> {
        let watched = self.flows.get_mut(id.0 as usize)?.as_mut()?;
        watched.last_packet_ns = now_ns;
        if !outstanding || rtt_ns.is_some() || watched.waiting_since_ns.is_none() {
            watched.waiting_since_ns = outstanding.then_some(now_ns);
            watched.polled_silence_ns = 0;
        }
        if let Some(rtt_ns) = rtt_ns {
            watched.base.observe(now_ns, rtt_ns);
            watched.operations.measured(now_ns, rtt_ns);
        }
        self.schedule_deadline(id);
        self.check_slow(now_ns, id, rtt_ns?, true)
    }

    /// Returns a poll if this round trip is slow and the limits allow one; `is_sample`: otherwise the flow has recovered.
    fn check_slow(&mut self, now_ns: u64, id: FlowId, rtt_ns: u64, is_sample: bool) -> Option<Poll> {
        let settings = &self.settings;
        let watched = self.flows.get_mut(id.0 as usize)?.as_mut()?;
        let base_ns = watched.base.trusted_ns(settings.min_samples)?;
        if !is_slow(settings, base_ns, rtt_ns) {
            if is_sample {
                watched.recovered = true;
                self.waiting.remove(id);
            }
            return None;
        }
        let reason = TriggerReason::SlowRtt;
        watched.worsened(now_ns, rtt_ns, reason);
        let is_ordinary = is_ordinary(settings, base_ns, rtt_ns);
        self.poll(now_ns, id, Measured { time_ns: now_ns, reason, base_ns, rtt_ns, is_ordinary })
    }

    /// Schedules the check of a flow's silence, unless it is scheduled.
    fn schedule_deadline(&mut self, id: FlowId) {
        if let Some(watched) = self.flows.get_mut(id.0 as usize).and_then(Option::as_mut)
            && let Some(deadline_ns) = watched.silence_deadline_ns(&self.settings)
            && !watched.scheduled
        {
            watched.scheduled = true;
            self.deadlines.push(Reverse((deadline_ns, id)));
        }
    }

    /// Returns when [`Agent::wake`] should be called next, if ever.
    pub fn next_wake_ns(&self) -> Option<u64> {
        let silence = self.deadlines.peek().map(|Reverse((deadline_ns, _))| *deadline_ns);
        let follow_up = self.follow_ups.first().map(|(due_ns, _)| *due_ns);
        let ended = self.ended.first_key_value().map(|((due_ns, _), _)| *due_ns);
        let reserve = self.waiting.worst().map(|(_, measured)| self.reserve(measured.is_ordinary));
        let delayed = reserve.map(|reserve| self.bucket.available_ns(reserve));
        [silence, follow_up, ended, delayed].into_iter().flatten().min()
    }

    /// Returns polls for flows without acknowledgements and the follow-up polls that are due.
    pub fn wake(&mut self, now_ns: u64) -> Vec<Poll> {
        let mut polls = Vec::new();
        while let Some(Reverse((deadline_ns, id))) = self.deadlines.peek().copied() {
            if deadline_ns > now_ns {
                break;
            }
            self.deadlines.pop();
            polls.extend(self.deadline_reached(now_ns, id));
        }
        while let Some((due_ns, id)) =
            self.follow_ups.first().copied().filter(|(due_ns, _)| *due_ns <= now_ns)
        {
            self.follow_ups.remove(&(due_ns, id));
            polls.extend(self.follow_up(now_ns, id));
        }
        while let Some(entry) = self.ended.first_entry().filter(|entry| entry.key().0 <= now_ns) {
            let pending = entry.remove();
            polls.extend(self.send_follow_up(now_ns, pending));
        }
        while let Some(poll) = self.send_worst(now_ns) {
            polls.push(poll);
        }
        polls
    }

    /// Changes the number of the host in later event ids, once the server has assigned one.
    pub fn set_host_number(&mut self, host_number: u16) {
        self.host_number = host_number;
    }

    /// Returns the agent's counters.
    pub fn stats(&self) -> AgentStats {
        self.stats
    }

    fn deadline_reached(&mut self, now_ns: u64, id: FlowId) -> Option<Poll> {
        let settings = &self.settings;
        let Some(watched) = self.flows[id.0 as usize].as_mut() else {
            self.free.push(id.0);
            return None;
        };
        watched.scheduled = false;
        let deadline_ns = watched.silence_deadline_ns(settings)?;
        let since_ns = watched.waiting_since_ns?;
        let base_ns = watched.base.trusted_ns(settings.min_samples)?;
        watched.scheduled = true;
        if deadline_ns > now_ns {
            self.deadlines.push(Reverse((deadline_ns, id)));
            return None;
        }
        self.deadlines.push(Reverse((now_ns.saturating_add(settings.flow_interval_ns.max(1)), id)));
        let silent_ns = now_ns.saturating_sub(since_ns);
        watched.worsened(now_ns, silent_ns, TriggerReason::Silence);
        // The next poll is sent when the silence has doubled: a flow that never recovers (its link or its peer failed)
        // would otherwise be a new event in every interval.
        if silent_ns < watched.polled_silence_ns.saturating_mul(2) {
            return None;
        }
        let reason = TriggerReason::Silence;
        let is_ordinary = is_ordinary(settings, base_ns, silent_ns);
        self.poll(now_ns, id, Measured { time_ns: now_ns, reason, base_ns, rtt_ns: silent_ns, is_ordinary })
    }

    /// Returns a poll of the flow or, if tokens were short and it is slower, of another one.
    fn poll(&mut self, now_ns: u64, id: FlowId, measured: Measured) -> Option<Poll> {
        let watched = self.flows[id.0 as usize].as_ref()?;
        if !watched.may_poll(now_ns, &measured, &self.settings) {
            self.stats.limited_by_flow += 1;
            return None;
        }
        let is_new = !self.waiting.contains(id);
        self.waiting.add(id, measured);
        let poll = self.send_worst(now_ns);
        if is_new && self.waiting.contains(id) {
            self.stats.limited_by_host += 1;
        }
        poll
    }

    /// Returns the tokens that a poll must leave: half of the burst, if an ordinary queue can cause the delay.
    fn reserve(&self, is_ordinary: bool) -> u32 {
        if is_ordinary { self.settings.burst / 2 } else { 0 }
    }

    /// Returns the poll of the flow with the largest slowdown, if the host's rate limit allows one.
    fn send_worst(&mut self, now_ns: u64) -> Option<Poll> {
        // Before the polls are searched: while a host is congested, that would be for every slow packet.
        if self.bucket.available_ns(0) > now_ns {
            return None;
        }
        self.waiting.forget_before(now_ns.saturating_sub(self.settings.flow_interval_ns));
        let (id, measured) = self.waiting.worst()?;
        if !self.bucket.take_above(now_ns, self.reserve(measured.is_ordinary)) {
            return None;
        }
        self.waiting.remove(id);
        let watched = self.flows[id.0 as usize].as_mut()?;
        watched.polled(now_ns, &measured);
        let trigger = Trigger {
            host: self.host.clone(),
            flow: watched.flow,
            time_ns: measured.time_ns,
            reason: measured.reason,
            base_rtt_ns: measured.base_ns,
            rtt_ns: measured.rtt_ns,
            expected_ns: None,
            follows: None,
        };
        let priority = watched.priority;
        let event = u32::from(self.host_number) << 16 | u32::from(self.next_event);
        if self.settings.follow_up_ns > 0 && watched.episode.is_none() {
            let due_ns = now_ns.saturating_add(self.settings.follow_up_ns);
            watched.episode = Some(SlowEpisode {
                event,
                since_ns: measured.time_ns,
                due_ns,
                worst_ns: measured.rtt_ns,
                seen_ns: measured.time_ns,
                reason: measured.reason,
            });
            self.follow_ups.insert((due_ns, id));
        }
        Some(self.numbered(priority, trigger))
    }

    /// Returns the follow-up poll of a flow.
    fn follow_up(&mut self, now_ns: u64, id: FlowId) -> Option<Poll> {
        // The interval until the next poll of the flow runs from the first poll.
        let (_, pending) = self.take_follow_up(now_ns, id)?;
        self.send_follow_up(now_ns, pending)
    }

    /// Takes the pending follow-up poll of a flow, for its slowest packet, and when it is due.
    fn take_follow_up(&mut self, now_ns: u64, id: FlowId) -> Option<(u64, FollowUpPoll)> {
        let watched = self.flows.get_mut(id.0 as usize)?.as_mut()?;
        let mut episode = watched.episode.take()?;
        self.follow_ups.remove(&(episode.due_ns, id));
        let base_rtt_ns = watched.base.trusted_ns(self.settings.min_samples)?;
        // Data that is still unacknowledged has no round trip yet.
        if let Some(since_ns) = watched.waiting_since_ns {
            let waited_ns = now_ns.saturating_sub(since_ns);
            if waited_ns > episode.worst_ns && is_silent(&self.settings, base_rtt_ns, waited_ns) {
                episode = SlowEpisode {
                    worst_ns: waited_ns,
                    seen_ns: now_ns,
                    reason: TriggerReason::Silence,
                    ..episode
                };
            }
        }
        let trigger = Trigger {
            host: self.host.clone(),
            flow: watched.flow,
            time_ns: episode.seen_ns,
            reason: episode.reason,
            base_rtt_ns,
            rtt_ns: episode.worst_ns,
            expected_ns: None,
            follows: Some(FollowUp { event: episode.event, since_ns: episode.since_ns }),
        };
        // The follow-up poll covers this excess; only a larger one is new.
        watched.polled_excess_ns = watched.polled_excess_ns.max(episode.worst_ns.saturating_sub(base_rtt_ns));
        Some((episode.due_ns, FollowUpPoll { priority: watched.priority, trigger }))
    }

    /// Returns a follow-up poll if the host's rate limit allows one.
    fn send_follow_up(&mut self, now_ns: u64, pending: FollowUpPoll) -> Option<Poll> {
        let Trigger { base_rtt_ns, rtt_ns, .. } = pending.trigger;
        let reserve = self.reserve(is_ordinary(&self.settings, base_rtt_ns, rtt_ns));
        if !self.bucket.take_above(now_ns, reserve) {
            self.stats.limited_by_host += 1;
            return None;
        }
        Some(self.numbered(pending.priority, pending.trigger))
    }

    /// Returns the poll of a trigger, with the next event number.
    fn numbered(&mut self, priority: u8, trigger: Trigger) -> Poll {
        let event = u32::from(self.host_number) << 16 | u32::from(self.next_event);
        self.next_event = self.next_event.wrapping_add(1);
        self.stats.polls += 1;
        let polling = Polling {
            follow: Follow::VictimPath,
            hop_limit: self.settings.hop_limit,
            priority,
            event,
            flow: trigger.flow,
        };
        Poll { polling, trigger }
    }

    /// Returns the flow with the oldest last packet, of equal ones that with the smallest key. An entry moves only if a
    /// packet arrived since it was filed, so the cost is logarithmic for each packet, not linear for each call.
    fn oldest(&mut self) -> Option<FlowId> {
        while let Some((filed_ns, flow, id)) = self.by_activity.first().copied() {
            let watched = self.flows[id.0 as usize].as_mut()?;
            if watched.last_packet_ns == filed_ns {
                return Some(id);
            }
            watched.filed_ns = watched.last_packet_ns;
            self.by_activity.remove(&(filed_ns, flow, id));
            self.by_activity.insert((watched.filed_ns, flow, id));
        }
        None
    }

    fn evict_oldest(&mut self) {
        let oldest = self.oldest();
        if let Some(id) = oldest {
            if let Some(watched) = self.flows[id.0 as usize].as_mut().and_then(|w| w.episode.take()) {
                self.follow_ups.remove(&(watched.due_ns, id));
            }
            self.close(0, id);
            self.stats.flows_given_up += 1;
        }
    }
}

impl Watched {
    /// Whether the flow may be polled for this measurement: the interval since its last poll has passed, or its delay
    /// has grown beyond the one that it was polled for. While a follow-up poll is pending, that one reports the growth.
    fn may_poll(&self, now_ns: u64, measured: &Measured, settings: &Settings) -> bool {
        let Some(polled_ns) = self.polled_ns else { return true };
        let interval_ns = match self.recovered {
            true => settings.recovered_interval_ns.min(settings.flow_interval_ns),
            false => settings.flow_interval_ns,
        };
        now_ns.saturating_sub(polled_ns) >= interval_ns
            || self.episode.is_none()
                && has_grown(measured.base_ns, self.polled_excess_ns, measured.excess_ns())
    }

    /// A poll for this measurement is sent.
    fn polled(&mut self, now_ns: u64, measured: &Measured) {
        self.polled_ns = Some(now_ns);
        self.polled_excess_ns = measured.excess_ns();
        self.recovered = false;
        if measured.reason == TriggerReason::Silence {
            self.polled_silence_ns = measured.rtt_ns;
        }
    }

    /// Updates the slowest packet of the episode.
    fn worsened(&mut self, now_ns: u64, rtt_ns: u64, reason: TriggerReason) {
        if let Some(episode) = self.episode.as_mut().filter(|episode| rtt_ns > episode.worst_ns) {
            *episode = SlowEpisode { worst_ns: rtt_ns, seen_ns: now_ns, reason, ..*episode };
        }
    }

    /// Returns when the time without an acknowledgement exceeds its limit, if data is outstanding and the base RTT is
    /// known.
    fn silence_deadline_ns(&self, settings: &Settings) -> Option<u64> {
        let since_ns = self.waiting_since_ns?;
        let base_ns = self.base.trusted_ns(settings.min_samples)?;
        Some(since_ns.saturating_add(silence_limit_ns(settings, base_ns)))
    }
}
