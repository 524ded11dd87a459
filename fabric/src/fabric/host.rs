//! Hosts: they receive frames, reply to data, and drive their flows and agents.

use model::wire::polling::Polling;
use model::wire::{Frame, Pfc};
use model::{FlowKey, PortRef, Time, wire};
use p4_switch::tm::PauseEnd;
use scenario::Notification;

use crate::agent::{CompletedOperation, PollRequest, polling_frame};
use crate::event::ScheduledEvent;
use crate::fabric::{Fabric, NodeIndex};
use crate::flow::SendState;
use crate::nic::control::Feedback;
use crate::nic::gbn::{Reply, unwrap_psn};
use crate::nic::packet::{self, Received};
use crate::nic::receive::Pushed;
use crate::record::{FlowRecord, WatchdogDoes, WatchdogRecord};
use crate::switch::FabricSwitch;

impl<S: FabricSwitch> Fabric<S> {
    pub(super) fn host_receive(&mut self, host: u32, frame: Frame) {
        let received = packet::read(&frame);
        if let Received::Pfc(pfc) = received {
            self.receive_pfc(host, &pfc);
            return;
        }
        let Received::Data { queue_pair, psn, .. } = received else {
            self.process(host, received);
            return;
        };
        let pipeline = &mut self.hosts[host as usize].pipeline;
        if !pipeline.is_used() {
            self.process(host, received);
            return;
        }
        let flow = receiver_index(queue_pair);
        let priority = flow.and_then(|flow| self.senders.get(flow)).map_or(0, |sender| sender.priority);
        let expected = flow.and_then(|flow| self.receivers.get(flow)).map_or(0, |r| r.receiver.expected());
        match pipeline.push(self.now, priority, unwrap_psn(psn, expected), frame) {
            Pushed::Stored => {}
            Pushed::Pause => {
                self.send_pfc(host, &Pfc::single(priority, u16::MAX));
                self.schedule_refresh(host, priority);
            }
            Pushed::Dropped => {
                self.counters.lost_by_nics += 1;
                self.hosts[host as usize].totals.drops[usize::from(priority & 7)] += 1;
            }
        }
        self.begin_processing(host);
    }

    /// Starts to process the first frame of the receive buffer, if the pipeline is idle.
    pub(super) fn begin_processing(&mut self, host: u32) {
        if let Some(done) = self.hosts[host as usize].pipeline.begin(self.now) {
            self.queue.push(done, ScheduledEvent::NicProcessed { host });
        }
    }

    pub(super) fn nic_processed(&mut self, host: u32) {
        if let Some((frame, pfc)) = self.hosts[host as usize].pipeline.finish(self.now) {
            self.process(host, packet::read(&frame));
            if let Some(pfc) = pfc {
                self.send_pfc(host, &pfc);
            }
        }
        self.begin_processing(host);
    }

    fn process(&mut self, host: u32, received: Received) {
        match received {
            Received::Data { queue_pair, psn, congested, ack_request } => {
                self.receive_data(host, queue_pair, psn, (congested, ack_request))
            }
            Received::Ack { queue_pair, psn, congested } => {
                self.receive_ack(host, queue_pair, psn, congested, None);
            }
            Received::Nak { queue_pair, psn, arrived, congested } => {
                self.receive_ack(host, queue_pair, psn, congested, Some(arrived));
            }
            Received::ReadRequest { queue_pair, psn } => self.receive_read_request(host, queue_pair, psn),
            Received::Cnp { queue_pair } => self.receive_cnp(host, queue_pair),
            Received::Pfc(_) | Received::Other => self.counters.foreign_frames += 1,
        }
    }

    fn receive_pfc(&mut self, host: u32, pfc: &Pfc) {
        for (priority, quanta) in pfc.classes() {
            let nic = &mut self.hosts[host as usize];
            nic.received_pauses.receive(self.now, priority, quanta);
            nic.count_received_pause(self.now, priority, quanta);
            self.record_pause(NodeIndex::Host(host), 1, priority, quanta > 0);
        }
        self.kick(self.hosts[host as usize].link);
    }

    /// Sends a PFC frame before all other frames, unless it is a pause and the NIC watchdog has disabled pauses.
    pub(super) fn send_pfc(&mut self, host: u32, pfc: &Pfc) {
        let pauses = pfc.classes().find(|(_, quanta)| *quanta > 0);
        if pauses.is_some_and(|(priority, _)| !self.may_pause(host, priority)) {
            return;
        }
        let nic = &mut self.hosts[host as usize];
        nic.count_sent_pauses(self.now, pfc);
        let frame = pfc.to_frame(nic.mac);
        nic.control.push_front(frame);
        let link = nic.link;
        self.kick(link);
    }

    /// Whether a NIC may pause a priority of its switch. When the NIC watchdog fires, this records it and, where pauses
    /// end by resume frames only, sends those.
    pub(super) fn may_pause(&mut self, host: u32, priority: u8) -> bool {
        let now = self.now;
        let nic = &mut self.hosts[host as usize];
        let was_mute = nic.watchdog.is_mute();
        if nic.watchdog.may_pause(now) {
            return true;
        }
        if !was_mute {
            let port = PortRef::new(nic.name.clone(), 1);
            let action = Some(WatchdogDoes::Mute);
            self.watchdogs.push(WatchdogRecord { at: now, port, priority, action });
            if nic.received_pauses.end() == PauseEnd::ResumeOnly {
                let mut resume = Pfc::default();
                (0..8).for_each(|priority| resume.set(priority, 0));
                self.send_pfc(host, &resume);
            }
        }
        false
    }

    fn schedule_refresh(&mut self, host: u32, priority: u8) {
        let half = wire::pfc::quanta_time(u16::MAX, self.hosts[host as usize].line_rate).0 / 2;
        self.queue.push(self.now + Time(half), ScheduledEvent::NicRefresh { host, priority });
    }

    pub(super) fn nic_refresh(&mut self, host: u32, priority: u8) {
        if self.hosts[host as usize].pipeline.is_pausing(priority) && self.may_pause(host, priority) {
            self.send_pfc(host, &Pfc::single(priority, u16::MAX));
            self.schedule_refresh(host, priority);
        }
    }

    fn receive_data(&mut self, host: u32, queue_pair: u32, psn: u32, (congested, ack_request): (bool, bool)) {
        let now = self.now;
        let Some(flow) = receiver_index(queue_pair).filter(|flow| *flow < self.receivers.len()) else {
            self.counters.foreign_frames += 1;
            return;
        };
        let state = &mut self.receivers[flow];
        if state.host != host {
            self.counters.foreign_frames += 1;
            return;
        }
        let nic = &mut self.hosts[host as usize];
        let settings = &nic.settings;
        let number = unwrap_psn(psn, state.receiver.expected());
        let last = number + 1 == state.packets;
        let (reply, accepted) = state.receiver.take(now, number, last || ack_request, settings);
        match accepted {
            true => self.counters.data_packets_accepted += 1,
            false => self.counters.data_packets_discarded += 1,
        }
        let mut echo = false;
        if congested {
            self.counters.marked_packets += 1;
            state.marked_packets += 1;
            match settings.notification {
                Notification::Acknowledgements => echo = true,
                Notification::Packets { interval } => {
                    if state.notified.is_none_or(|at| now.saturating_sub(at) >= interval) {
                        state.notified = Some(now);
                        let priority = usize::from(settings.cnp_priority & 7);
                        nic.transport[priority].push_back(state.cnp_template.cnp());
                    }
                }
            }
        }
        if state.requester.is_some() {
            self.receive_read_response(host, flow, reply);
            return;
        }
        let frame = match reply {
            Reply::Ack(upto) => Some(state.template.ack(upto, echo)),
            Reply::Nak(missing) => {
                state.naks += 1;
                Some(state.template.nak(missing, None, echo))
            }
            Reply::SelectiveNak { missing, arrived } => {
                state.naks += 1;
                Some(state.template.nak(missing, Some(arrived), echo))
            }
            Reply::Nothing => None,
        };
        nic.transport[usize::from(state.ack_priority & 7)].extend(frame);
        let link = nic.link;
        self.kick(link);
    }

    /// The flow of a queue pair at its sender.
    pub(super) fn sender_index(&self, host: u32, queue_pair: u32) -> Option<usize> {
        let flow = receiver_index(queue_pair)?;
        (self.senders.get(flow)?.host == host).then_some(flow)
    }

    /// Processes an ACK up to and including `psn` or, with the packet that arrived instead, a NAK of `psn`.
    fn receive_ack(&mut self, host: u32, queue_pair: u32, psn: u32, congested: bool, nak: Option<u32>) {
        let now = self.now;
        let Some(flow) = self.sender_index(host, queue_pair) else {
            self.counters.foreign_frames += 1;
            return;
        };
        let state = &mut self.senders[flow];
        let near = state.sender.first_unacknowledged();
        let upto = unwrap_psn(psn, near) + u64::from(nak.is_none());
        let acknowledged = state.sender.acknowledge(upto);
        let is_sample = acknowledged.is_some_and(|acknowledged| !acknowledged.ambiguous);
        let rtt = acknowledged.map(|acknowledged| now.saturating_sub(acknowledged.sent));
        if let Some(rtt) = rtt.filter(|_| is_sample) {
            state.rtt.add(rtt, state.base_rtt);
            state.last_rtt = Some(rtt);
        }
        if let Some(arrived) = nak {
            if self.hosts[host as usize].settings.nak_chunk_bytes.is_some() {
                state.sender.rewind(now, upto);
            }
            state.sender.nak_received(Some(unwrap_psn(arrived, upto)));
        }
        let acknowledged = state.sender.first_unacknowledged();
        let polled = state.gate.acknowledged(now, acknowledged, &self.hosts[host as usize].poll_gaps);
        if let Some(control) = &mut state.control {
            let feedback = Feedback {
                acknowledged: state.sender.first_unacknowledged(),
                next: state.sender.first_unsent(),
                rtt: rtt.filter(|_| is_sample),
                marked: congested,
            };
            control.feedback(now, &feedback);
            self.counters.notifications += u64::from(congested);
        }
        let state = &mut self.senders[flow];
        let done = state.sender.is_done() && state.finished.is_none();
        if done {
            state.finished = Some(now);
            self.finished_flows += 1;
            self.hosts[host as usize].remove_flow(flow as u32);
            self.release_followers(flow);
        }
        self.notify_agent(host, flow, rtt.map(|rtt| (rtt, is_sample)), polled, done);
        self.kick(self.hosts[host as usize].link);
    }

    /// Starts the flows that depend on no other flow after `flow`, which is complete.
    pub(super) fn release_followers(&mut self, flow: usize) {
        for follower in std::mem::take(&mut self.senders[flow].followers) {
            let state = &mut self.senders[follower as usize];
            state.waits_for = state.waits_for.saturating_sub(1);
            if state.waits_for == 0 {
                state.start = Time(self.now.0.saturating_add(state.start.0));
                if state.start <= self.stop {
                    self.queue.push(state.start, ScheduledEvent::FlowStart { flow: follower });
                }
            }
        }
    }

    /// Notifies the agent of an ACK, and of the latest `polled` operations of the flow. `rtt` is a round trip if its flag is set,
    /// else the time since a retransmission.
    fn notify_agent(&mut self, host: u32, flow: usize, rtt: Option<(Time, bool)>, polled: usize, done: bool) {
        let state = &self.senders[flow];
        let Some(agent) = &mut self.agents[host as usize].agent else {
            return;
        };
        let outstanding = state.sender.outstanding_bytes() > 0;
        match rtt {
            Some((since_sent, false)) => agent.acknowledged_again(self.now, flow, since_sent, outstanding),
            _ => agent.acknowledged(self.now, flow, rtt.map(|(rtt, _)| rtt), outstanding),
        }
        self.notify_agent_of_operations(host, flow, polled);
        if let Some(agent) = self.agents[host as usize].agent.as_mut().filter(|_| done) {
            agent.finished(self.now, flow);
        }
        self.settle_agent(host);
    }

    /// Notifies the agent of the latest `count` operations of a flow.
    fn notify_agent_of_operations(&mut self, host: u32, flow: usize, count: usize) {
        let (state, nic) = (&mut self.senders[flow], &mut self.hosts[host as usize]);
        let Some(agent) = self.agents[host as usize].agent.as_mut().filter(|_| count > 0) else { return };
        let link = &self.links[nic.link as usize];
        let link_busy = link.rate.serialisation(link.sent_bytes);
        let pauses = &nic.totals.received_pauses[usize::from(state.priority & 7)];
        for times in state.gate.log.last(count) {
            let of_link = nic.link_busy.since(times.ready, link_busy);
            let of_rate = state.rate_busy.since(times.ready, state.paced);
            let Some((of_link, of_rate)) = of_link.zip(of_rate) else { continue };
            let of_path = state.slowest_link.unwrap_or(nic.line_rate).serialisation(times.bytes);
            let of_links = of_link.max(of_path);
            let operation = CompletedOperation {
                times: *times,
                is_limited_by_rate: of_rate > Time(of_links.0.saturating_add(of_links.0 / 10)),
                computing: state.gate.computing(),
                expected_iteration: state.expected_iteration,
                busy: of_rate.max(of_links),
                is_held_up: state.repeated.is_some_and(|at| at >= times.ready)
                    || pauses.has_paused_since(times.ready),
            };
            agent.completed(self.now, flow, &operation);
        }
        nic.link_busy.record(self.now, link_busy);
        state.rate_busy.record(self.now, state.paced);
    }

    /// Notifies the agent that a flow has outstanding data again.
    pub(super) fn notify_agent_of_send(&mut self, host: u32, flow: u32) {
        let now = self.now;
        if let Some(agent) = &mut self.agents[host as usize].agent {
            agent.sent(now, flow as usize);
            self.schedule_agent(host);
        }
    }

    /// Sends the agent's polling packets and schedules its next wake-up.
    fn settle_agent(&mut self, host: u32) {
        let Some(agent) = &mut self.agents[host as usize].agent else {
            return;
        };
        let polls = agent.take_polls();
        if !polls.is_empty() {
            self.counters.polls_sent += polls.len() as u64;
            let nic = &mut self.hosts[host as usize];
            nic.control.extend(polls.iter().map(|poll| poll.frame.clone()));
            let link = nic.link;
            for poll in &polls {
                self.schedule_reverse_poll(host, poll);
            }
            self.triggers.extend(polls);
            self.kick(link);
        }
        self.schedule_agent(host);
    }

    /// Schedules a polling packet from the receiver, along the reverse path of the victim. The message from the
    /// sender's agent to the receiver takes half of the base RTT.
    fn schedule_reverse_poll(&mut self, host: u32, poll: &PollRequest) {
        let flow = poll.trigger.flow;
        let is_victim = |state: &SendState| state.host == host && state.key == flow;
        let Some(index) = self.senders.iter().position(is_victim) else { return };
        let Some(receiver) = self.receivers.get(index) else { return };
        let host = receiver.host;
        // ACKs are sent to the same RoCE port, see `Fabric::receive_state`.
        let back = FlowKey { src: flow.dst, dst: flow.src, ..flow };
        let polling = Polling { flow: back, ..poll.polling };
        let frame = polling_frame(self.hosts[host as usize].mac, &polling);
        let half = Time(self.senders[index].base_rtt.unwrap_or(Time::ZERO).0 / 2);
        let free = self.reverse_polls.iter().position(Option::is_none);
        let slot = free.unwrap_or(self.reverse_polls.len());
        match self.reverse_polls.get_mut(slot) {
            Some(entry) => *entry = Some((host, frame)),
            None => self.reverse_polls.push(Some((host, frame))),
        }
        self.queue.push(self.now + half, ScheduledEvent::ReversePoll { poll: slot as u32 });
    }

    pub(super) fn send_reverse_poll(&mut self, poll: u32) {
        let Some((host, frame)) = self.reverse_polls.get_mut(poll as usize).and_then(Option::take) else {
            return;
        };
        self.counters.polls_sent += 1;
        let nic = &mut self.hosts[host as usize];
        nic.control.push_back(frame);
        let link = nic.link;
        self.kick(link);
    }

    /// Sends a polling packet from a host, as its agent would. False when there is no such host.
    pub fn poll_from(&mut self, host: &str, polling: &Polling) -> bool {
        let Some(NodeIndex::Host(index)) = self.names.get(host).copied() else {
            return false;
        };
        self.counters.polls_sent += 1;
        let nic = &mut self.hosts[index as usize];
        nic.control.push_back(polling_frame(nic.mac, polling));
        let link = nic.link;
        self.kick(link);
        true
    }

    fn schedule_agent(&mut self, host: u32) {
        let slot = &mut self.agents[host as usize];
        let due = slot.agent.as_ref().and_then(|agent| agent.next_wake());
        if let Some(at) = due.map(|at| at.max(self.now))
            && slot.wake_at.is_none_or(|scheduled| at < scheduled)
        {
            slot.wake_at = Some(at);
            self.queue.push(at, ScheduledEvent::AgentWake { host });
        }
    }

    pub(super) fn agent_wake(&mut self, host: u32) {
        let now = self.now;
        let slot = &mut self.agents[host as usize];
        if slot.wake_at.is_some_and(|at| at <= now) {
            slot.wake_at = None;
        }
        if let Some(agent) = &mut slot.agent {
            agent.wake(now);
        }
        self.settle_agent(host);
    }

    fn receive_cnp(&mut self, host: u32, queue_pair: u32) {
        match self.sender_index(host, queue_pair) {
            Some(flow) => {
                if let Some(control) = &mut self.senders[flow].control {
                    control.notify(self.now);
                    self.counters.notifications += 1;
                }
            }
            None => self.counters.foreign_frames += 1,
        }
    }

    pub(super) fn start_flow(&mut self, flow: u32) {
        let now = self.now;
        let state = &mut self.senders[flow as usize];
        state.pacer.start(now);
        state.gate.start(now);
        let host = state.host;
        let nic = &mut self.hosts[host as usize];
        nic.add_flow(flow);
        let link = &self.links[nic.link as usize];
        nic.link_busy.record(now, link.rate.serialisation(link.sent_bytes));
        self.senders[flow as usize].rate_busy.record(now, Time::ZERO);
        let (link, timeout) = (nic.link, nic.settings.retransmit_timeout);
        let is_read = self.receivers[flow as usize].requester.is_some();
        // A responder receives no ACKs, so its agent has no RTTs to observe.
        if let Some(agent) = self.agents[host as usize].agent.as_mut().filter(|_| !is_read) {
            let state = &self.senders[flow as usize];
            agent.started(now, flow as usize, &state.key, state.priority, state.base_rtt);
        }
        if let Some(timeout) = timeout {
            self.queue.push(now + timeout.max(Time(1)), ScheduledEvent::Retransmit { flow });
        }
        if is_read {
            self.send_read_requests(flow as usize);
        }
        self.kick(link);
    }

    /// Retransmits if data is outstanding and nothing was acknowledged for a whole timeout.
    pub(super) fn check_progress(&mut self, flow: u32) {
        let state = &mut self.senders[flow as usize];
        if state.finished.is_some() {
            return;
        }
        let receiver = &self.receivers[flow as usize];
        let reached = match receiver.requester {
            Some(_) => receiver.receiver.expected(),
            None => state.sender.first_unacknowledged(),
        };
        let is_read = receiver.requester.is_some();
        let stuck = reached == state.progress && (is_read || state.sender.outstanding_bytes() > 0);
        state.progress = reached;
        if stuck && is_read {
            self.repeat_read_request(flow as usize, reached);
        } else if stuck {
            state.sender.timed_out();
        }
        let state = &self.senders[flow as usize];
        let nic = &self.hosts[state.host as usize];
        let link = nic.link;
        if let Some(timeout) = nic.settings.retransmit_timeout {
            self.queue.push(self.now + timeout.max(Time(1)), ScheduledEvent::Retransmit { flow });
        }
        if stuck {
            self.kick(link);
        }
    }

    pub(super) fn wake_nic(&mut self, host: u32) {
        let now = self.now;
        let nic = &mut self.hosts[host as usize];
        if nic.wake_at.is_some_and(|at| at <= now) {
            nic.wake_at = None;
        }
        let link = nic.link;
        for priority in nic.received_pauses.expire(now) {
            self.record_pause(NodeIndex::Host(host), 1, priority, false);
        }
        self.kick(link);
    }

    /// The records of all flows so far, in the order of the scenario.
    pub fn flows(&self) -> Vec<FlowRecord> {
        let both = self.senders.iter().zip(&self.receivers);
        both.map(|(sender, receiver)| FlowRecord {
            label: sender.label.clone(),
            flow: sender.key,
            bytes: sender.bytes,
            start: sender.start,
            finish: sender.finished,
            acknowledged_bytes: sender.sender.acknowledged_bytes(),
            sent_packets: sender.sender.sent_packets(),
            retransmitted_packets: sender.sender.retransmitted(),
            marked_packets: receiver.marked_packets,
            rtt: sender.rtt,
            messages: sender.gate.stats,
        })
        .collect()
    }

    /// The number of the flow with this key; `None` if it is not exactly one, or if its data are RDMA READ responses,
    /// which its own sender does not measure.
    pub(crate) fn measured_flow(&self, key: &FlowKey) -> Option<usize> {
        let mut found = self.senders.iter().enumerate().filter(|(_, flow)| flow.key == *key);
        let (number, flow) = found.next()?;
        (found.next().is_none() && flow.responder.is_none()).then_some(number)
    }

    /// When the oldest packet of a flow that is not acknowledged was last sent.
    pub(crate) fn oldest_sent(&self, flow: usize) -> Option<Time> {
        self.senders.get(flow)?.sender.oldest_sent()
    }

    /// Whether every flow is complete.
    pub fn all_finished(&self) -> bool {
        self.finished_flows == self.senders.len()
    }
}

/// The queue pair number of a flow: its number plus 2, as 0 and 1 are reserved (InfiniBand, volume 1, section 3.5.1).
pub(super) fn queue_pair(flow: usize) -> u32 {
    (flow as u32 + 2) & 0xff_ffff
}

fn receiver_index(queue_pair: u32) -> Option<usize> {
    queue_pair.checked_sub(2).map(|flow| flow as usize)
}
