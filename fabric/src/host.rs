//! What hosts do: take frames, answer data, follow their flows.

use model::wire::polling::Polling;
use model::wire::{Frame, Pfc};
use model::{Time, wire};

use crate::agent::polling_frame;
use crate::event::Event;
use crate::fabric::{Fabric, NodeIndex};
use crate::nic::gbn::{Answer, unwrap_psn};
use crate::nic::packet::{self, Received};
use crate::record::FlowRecord;
use crate::scenario::Notification;
use crate::switching::FabricSwitch;

impl<S: FabricSwitch> Fabric<S> {
    pub(crate) fn host_receive(&mut self, host: u32, frame: Frame) {
        let received = packet::read(&frame);
        if let Received::Pfc(pfc) = received {
            self.obey(host, &pfc);
            return;
        }
        let now = self.now;
        let nic = &mut self.hosts[host as usize];
        if let (true, Received::Data { queue_pair, .. }) = (nic.buffer.is_used(), received) {
            let priority = receiver_index(queue_pair)
                .and_then(|flow| self.senders.get(flow))
                .map_or(0, |sender| sender.priority);
            let (done, pfc) = nic.buffer.push(now, priority, frame);
            self.queue.push(done, Event::NicProcessed { host });
            if let Some(pfc) = pfc {
                self.send_pfc(host, &pfc);
                self.schedule_refresh(host, priority);
            }
            return;
        }
        self.process(host, received);
    }

    pub(crate) fn nic_processed(&mut self, host: u32) {
        if let Some((frame, pfc)) = self.hosts[host as usize].buffer.pop() {
            self.process(host, packet::read(&frame));
            if let Some(pfc) = pfc {
                self.send_pfc(host, &pfc);
            }
        }
    }

    fn process(&mut self, host: u32, received: Received) {
        match received {
            Received::Data { queue_pair, psn, congested } => self.take_data(host, queue_pair, psn, congested),
            Received::Acknowledgement { queue_pair, psn, congested } => {
                self.take_acknowledgement(host, queue_pair, psn, congested, false);
            }
            Received::Refusal { queue_pair, psn, congested } => {
                self.take_acknowledgement(host, queue_pair, psn, congested, true);
            }
            Received::Cnp { queue_pair } => self.notify(host, queue_pair),
            Received::Pfc(_) | Received::Other => self.counters.foreign_frames += 1,
        }
    }

    fn obey(&mut self, host: u32, pfc: &Pfc) {
        for (priority, quanta) in pfc.classes() {
            self.hosts[host as usize].obeyed.receive(self.now, priority, quanta);
            self.record_pause(NodeIndex::Host(host), 1, priority, quanta > 0);
        }
        self.kick(self.hosts[host as usize].link);
    }

    /// Sends a PFC frame ahead of everything else.
    pub(crate) fn send_pfc(&mut self, host: u32, pfc: &Pfc) {
        let nic = &mut self.hosts[host as usize];
        let frame = pfc.to_frame(nic.mac);
        nic.control.push_front(frame);
        let link = nic.link;
        self.kick(link);
    }

    fn schedule_refresh(&mut self, host: u32, priority: u8) {
        let half = wire::pfc::quanta_time(u16::MAX, self.hosts[host as usize].line_rate).0 / 2;
        self.queue.push(self.now + Time(half), Event::NicRefresh { host, priority });
    }

    pub(crate) fn nic_refresh(&mut self, host: u32, priority: u8) {
        if self.hosts[host as usize].buffer.is_pausing(priority) {
            self.send_pfc(host, &Pfc::single(priority, u16::MAX));
            self.schedule_refresh(host, priority);
        }
    }

    fn take_data(&mut self, host: u32, queue_pair: u32, psn: u32, congested: bool) {
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
        let accepted = state.receiver.accepted_packets;
        let answer = state.receiver.take(now, number, last, settings.ack_every, settings.refuse_interval);
        match state.receiver.accepted_packets > accepted {
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
                        nic.answers[priority].push_back(state.cnp_template.cnp());
                    }
                }
            }
        }
        let priority = usize::from(state.ack_priority & 7);
        match answer {
            Answer::Acknowledge(upto) => {
                nic.answers[priority].push_back(state.template.acknowledgement(upto, echo));
            }
            Answer::Refuse(missing) => {
                nic.answers[priority].push_back(state.template.refusal(missing, echo));
            }
            Answer::Silence => {}
        }
        let link = nic.link;
        self.kick(link);
    }

    /// The flow that a queue pair number at a sender stands for.
    fn sender_index(&self, host: u32, queue_pair: u32) -> Option<usize> {
        let flow = receiver_index(queue_pair)?;
        (self.senders.get(flow)?.host == host).then_some(flow)
    }

    fn take_acknowledgement(&mut self, host: u32, queue_pair: u32, psn: u32, congested: bool, refusal: bool) {
        let now = self.now;
        let Some(flow) = self.sender_index(host, queue_pair) else {
            self.counters.foreign_frames += 1;
            return;
        };
        let state = &mut self.senders[flow];
        let near = state.sender.first_unacknowledged();
        let upto = unwrap_psn(psn, near) + u64::from(!refusal);
        let rtt = state.sender.acknowledge(upto).map(|sent| now.saturating_sub(sent));
        if let Some(rtt) = rtt {
            state.rtt.add(rtt);
        }
        if refusal {
            state.sender.go_back();
        }
        if congested && let Some(reaction) = &mut state.reaction {
            reaction.notify(now);
            self.counters.notifications += 1;
        }
        let state = &mut self.senders[flow];
        let done = state.sender.is_done() && state.finished.is_none();
        if done {
            state.finished = Some(now);
            self.hosts[host as usize].remove_flow(flow as u32);
            self.release_followers(flow);
        }
        self.tell_agent(host, flow, rtt, done);
        self.kick(self.hosts[host as usize].link);
    }

    /// A flow has come to its end: those that waited for nothing else start.
    fn release_followers(&mut self, flow: usize) {
        for follower in std::mem::take(&mut self.senders[flow].followers) {
            let state = &mut self.senders[follower as usize];
            state.waits_for = state.waits_for.saturating_sub(1);
            if state.waits_for == 0 {
                state.start = Time(self.now.0.saturating_add(state.start.0));
                self.queue.push(state.start, Event::FlowStart { flow: follower });
            }
        }
    }

    fn tell_agent(&mut self, host: u32, flow: usize, rtt: Option<Time>, done: bool) {
        let state = &self.senders[flow];
        let Some(agent) = &mut self.agents[host as usize].agent else {
            return;
        };
        agent.acknowledged(self.now, flow, rtt, state.sender.outstanding_bytes() > 0);
        if done {
            agent.finished(self.now, flow);
        }
        self.settle_agent(host);
    }

    /// A flow has data outstanding again.
    pub(crate) fn tell_sent(&mut self, host: u32, flow: u32) {
        let now = self.now;
        if let Some(agent) = &mut self.agents[host as usize].agent {
            agent.sent(now, flow as usize);
            self.schedule_agent(host);
        }
    }

    /// Queues what the agent wants to send and schedules its next wake-up.
    fn settle_agent(&mut self, host: u32) {
        let Some(agent) = &mut self.agents[host as usize].agent else {
            return;
        };
        let questions = agent.take_questions();
        if !questions.is_empty() {
            self.counters.polls_sent += questions.len() as u64;
            let nic = &mut self.hosts[host as usize];
            nic.control.extend(questions.iter().map(|question| question.frame.clone()));
            let link = nic.link;
            self.triggers.extend(questions);
            self.kick(link);
        }
        self.schedule_agent(host);
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
            self.queue.push(at, Event::AgentWake { host });
        }
    }

    pub(crate) fn agent_wake(&mut self, host: u32) {
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

    fn notify(&mut self, host: u32, queue_pair: u32) {
        match self.sender_index(host, queue_pair) {
            Some(flow) => {
                if let Some(reaction) = &mut self.senders[flow].reaction {
                    reaction.notify(self.now);
                    self.counters.notifications += 1;
                }
            }
            None => self.counters.foreign_frames += 1,
        }
    }

    pub(crate) fn start_flow(&mut self, flow: u32) {
        let now = self.now;
        let state = &mut self.senders[flow as usize];
        state.next_at = now;
        let host = state.host;
        let nic = &mut self.hosts[host as usize];
        nic.add_flow(flow);
        let (link, timeout) = (nic.link, nic.settings.retransmit_timeout);
        if let Some(agent) = &mut self.agents[host as usize].agent {
            let state = &self.senders[flow as usize];
            agent.started(now, flow as usize, &state.key, state.priority, state.base_rtt);
        }
        if let Some(timeout) = timeout {
            self.queue.push(now + timeout.max(Time(1)), Event::Retransmit { flow });
        }
        self.kick(link);
    }

    /// Goes back when nothing was acknowledged for a whole timeout although data is outstanding.
    pub(crate) fn check_progress(&mut self, flow: u32) {
        let state = &mut self.senders[flow as usize];
        if state.finished.is_some() {
            return;
        }
        let reached = state.sender.first_unacknowledged();
        let stuck = reached == state.progress && state.sender.outstanding_bytes() > 0;
        state.progress = reached;
        if stuck {
            state.sender.go_back();
        }
        let nic = &self.hosts[state.host as usize];
        let link = nic.link;
        if let Some(timeout) = nic.settings.retransmit_timeout {
            self.queue.push(self.now + timeout.max(Time(1)), Event::Retransmit { flow });
        }
        if stuck {
            self.kick(link);
        }
    }

    pub(crate) fn wake_nic(&mut self, host: u32) {
        let now = self.now;
        let nic = &mut self.hosts[host as usize];
        if nic.wake_at.is_some_and(|at| at <= now) {
            nic.wake_at = None;
        }
        let link = nic.link;
        for priority in nic.obeyed.expire(now) {
            self.record_pause(NodeIndex::Host(host), 1, priority, false);
        }
        self.kick(link);
    }

    /// What has become of every flow so far, in the order of the scenario.
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
        })
        .collect()
    }

    /// Whether every flow has come to its end.
    pub fn all_finished(&self) -> bool {
        self.senders.iter().all(|flow| flow.finished.is_some())
    }
}

/// Queue pair numbers are flow numbers plus 2, as 0 and 1 are reserved (InfiniBand, volume 1, section 3.5.1).
pub(crate) fn queue_pair(flow: usize) -> u32 {
    (flow as u32 + 2) & 0xff_ffff
}

fn receiver_index(queue_pair: u32) -> Option<usize> {
    queue_pair.checked_sub(2).map(|flow| flow as usize)
}
