//! The agent of a simulated host.

use host_agent::{Agent, FlowId, Iteration, Operation, Poll, Settings, SettingsError};
use model::wire::polling::{POLLING_BYTES, Polling};
use model::wire::{ETHERTYPE_POLLING, Ethernet, Frame};
use model::{FlowKey, Time, Trigger};

use crate::nic::operations::OperationTimes;

/// A host's agent. It receives the measurements of the NIC and may send polling packets. `flow` is the number of the
/// flow in the fabric.
pub trait HostAgent: Send {
    /// A flow has started. `base_rtt` is its RTT without queueing.
    fn started(&mut self, now: Time, flow: usize, key: &FlowKey, priority: u8, base_rtt: Option<Time>);
    /// Data was sent while no other data of the flow was outstanding.
    fn sent(&mut self, now: Time, flow: usize);
    /// An ACK has arrived. `rtt` is the RTT of the last packet that it acknowledges; absent when it acknowledges no new
    /// packet. `outstanding` says whether unacknowledged data is left.
    fn acknowledged(&mut self, now: Time, flow: usize, rtt: Option<Time>, outstanding: bool);
    /// An ACK of new packets has arrived that covers a retransmitted one, so it gives no RTT. `since_sent` is the time
    /// since the last of them was last sent.
    fn acknowledged_again(&mut self, now: Time, flow: usize, since_sent: Time, outstanding: bool) {
        self.acknowledged(now, flow, Some(since_sent), outstanding);
    }
    /// An operation of a flow is complete, and the application has polled its completion.
    fn completed(&mut self, _now: Time, _flow: usize, _operation: &CompletedOperation) {}
    /// A flow is complete.
    fn finished(&mut self, now: Time, flow: usize);
    /// When [`HostAgent::wake`] is to be called.
    fn next_wake(&self) -> Option<Time>;
    /// Called at the time of [`HostAgent::next_wake`].
    fn wake(&mut self, now: Time);
    /// Removes and returns the polling packets to send now.
    fn take_polls(&mut self) -> Vec<PollRequest>;
}

/// An RDMA operation whose completion the application has polled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompletedOperation {
    /// Its times.
    pub times: OperationTimes,
    /// How long an iteration of its job computes before, alone; 0 without a job.
    pub computing: Time,
    /// How long an iteration of its job should take; absent without a job that states it.
    pub expected_iteration: Option<Time>,
    /// The time that its bytes take on the slowest link of its path, or that the host's link or the flow's rate needed for
    /// what was sent meanwhile, whichever is longest.
    pub busy: Time,
    /// Whether congestion control or the window, and not a link, made it take as long: by more than a tenth (a choice).
    pub is_limited_by_rate: bool,
    /// Whether a pause or a loss held up packets of the flow since its data was ready.
    pub is_held_up: bool,
}

/// A polling packet to send, with its trigger.
#[derive(Clone, Debug, PartialEq)]
pub struct PollRequest {
    /// The polling packet.
    pub frame: Frame,
    /// The event id that it carries.
    pub event: u32,
    /// The measurement that caused it; sent to the controller out of band.
    pub trigger: Trigger,
    /// The contents of the frame.
    pub polling: Polling,
}

/// Harrier's agent on a simulated host.
#[derive(Debug)]
pub struct SimulatedAgent {
    agent: Agent,
    mac: [u8; 6],
    flows: Vec<Option<FlowId>>,
    polls: Vec<PollRequest>,
}

impl SimulatedAgent {
    /// The agent of a host. `number` is part of the event identifiers of the host, which count from `first_event`.
    pub fn new(
        host: &str,
        number: u16,
        first_event: u16,
        mac: [u8; 6],
        settings: Settings,
    ) -> Result<SimulatedAgent, SettingsError> {
        let agent = Agent::new(host, number, first_event, settings)?;
        Ok(SimulatedAgent { agent, mac, flows: Vec::new(), polls: Vec::new() })
    }

    fn id(&self, flow: usize) -> Option<FlowId> {
        self.flows.get(flow).copied().flatten()
    }

    fn send(&mut self, poll: Option<Poll>) {
        if let Some(Poll { polling, trigger }) = poll {
            let frame = polling_frame(self.mac, &polling);
            self.polls.push(PollRequest { frame, event: polling.event, trigger, polling });
        }
    }
}

/// A polling packet of the host with this address, padded to the shortest frame.
pub(crate) fn polling_frame(mac: [u8; 6], polling: &Polling) -> Frame {
    let header = Ethernet { dst: [0xff; 6], src: mac, ethertype: ETHERTYPE_POLLING };
    let mut frame = Frame::new(&header.to_bytes(), 0);
    frame.head.extend_from_slice(&polling.to_bytes());
    frame.tail = 60u32.saturating_sub((14 + POLLING_BYTES) as u32);
    frame
}

impl HostAgent for SimulatedAgent {
    fn started(&mut self, now: Time, flow: usize, key: &FlowKey, priority: u8, base_rtt: Option<Time>) {
        let id = self.agent.open(now.as_ns(), *key, priority, base_rtt.map(Time::as_ns));
        if self.flows.len() <= flow {
            self.flows.resize(flow + 1, None);
        }
        self.flows[flow] = Some(id);
    }

    fn sent(&mut self, now: Time, flow: usize) {
        if let Some(id) = self.id(flow) {
            self.agent.sent(now.as_ns(), id);
        }
    }

    fn acknowledged(&mut self, now: Time, flow: usize, rtt: Option<Time>, outstanding: bool) {
        if let Some(id) = self.id(flow) {
            let poll = self.agent.acknowledged(now.as_ns(), id, rtt.map(Time::as_ns), outstanding);
            self.send(poll);
        }
    }

    fn acknowledged_again(&mut self, now: Time, flow: usize, since_sent: Time, outstanding: bool) {
        if let Some(id) = self.id(flow) {
            let poll = self.agent.progressed(now.as_ns(), id, since_sent.as_ns(), outstanding);
            self.send(poll);
        }
    }

    fn completed(&mut self, now: Time, flow: usize, operation: &CompletedOperation) {
        if let Some(id) = self.id(flow) {
            let timed = Operation {
                posted_ns: operation.times.ready.as_ns(),
                polled_ns: operation.times.polled.as_ns(),
                busy_ns: operation.busy.as_ns(),
                is_held_up: operation.is_held_up,
            };
            let poll = self.agent.completed(now.as_ns(), id, &timed);
            self.send(poll);
            if let Some(expected) = operation.expected_iteration {
                let iteration = Iteration {
                    ended_ns: operation.times.polled.as_ns(),
                    expected_ns: expected.as_ns(),
                    is_held_up: operation.is_held_up || operation.is_limited_by_rate,
                };
                let poll = self.agent.iterated(now.as_ns(), id, &iteration);
                self.send(poll);
            }
        }
    }

    fn finished(&mut self, now: Time, flow: usize) {
        if let Some(id) = self.flows.get_mut(flow).and_then(Option::take) {
            self.agent.close(now.as_ns(), id);
        }
    }

    fn next_wake(&self) -> Option<Time> {
        self.agent.next_wake_ns().map(Time::from_ns)
    }

    fn wake(&mut self, now: Time) {
        for poll in self.agent.wake(now.as_ns()) {
            self.send(Some(poll));
        }
    }

    fn take_polls(&mut self) -> Vec<PollRequest> {
        std::mem::take(&mut self.polls)
    }
}
