//! What watches the flows of a host.

use host_agent::{Agent, FlowId, Poll, Settings, SettingsError};
use model::wire::polling::{POLLING_BYTES, Polling};
use model::wire::{ETHERTYPE_POLLING, Ethernet, Frame};
use model::{FlowKey, Time, Trigger};

/// A host's agent. It is told what the NIC knows, and may answer with questions to the network. `flow` is the
/// number of the flow in the fabric.
pub trait HostAgent: Send {
    /// A flow has started. `base_rtt` is its round trip over an idle network.
    fn started(&mut self, now: Time, flow: usize, key: &FlowKey, priority: u8, base_rtt: Option<Time>);
    /// Data was sent while nothing else of the flow was outstanding.
    fn sent(&mut self, now: Time, flow: usize);
    /// An acknowledgement has come. `rtt` is the round trip of the packet that it acknowledges last; it is
    /// absent when nothing new was acknowledged. `outstanding` tells whether data is still on its way.
    fn acknowledged(&mut self, now: Time, flow: usize, rtt: Option<Time>, outstanding: bool);
    /// A flow has come to its end.
    fn finished(&mut self, now: Time, flow: usize);
    /// When [`HostAgent::wake`] wants to be called.
    fn next_wake(&self) -> Option<Time>;
    /// The time has come.
    fn wake(&mut self, now: Time);
    /// Questions to send now.
    fn take_questions(&mut self) -> Vec<Question>;
}

/// A question to the network.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The polling packet.
    pub frame: Frame,
    /// The event id that it carries.
    pub event: u32,
    /// Why it is asked; goes to the controller out of band.
    pub trigger: Trigger,
    /// What the frame says.
    pub polling: Polling,
}

/// Harrier's agent on a simulated host.
#[derive(Debug)]
pub struct Watcher {
    agent: Agent,
    mac: [u8; 6],
    flows: Vec<Option<FlowId>>,
    questions: Vec<Question>,
}

impl Watcher {
    /// The agent of a host. `number` tells the hosts' events apart.
    pub fn new(host: &str, number: u16, mac: [u8; 6], settings: Settings) -> Result<Watcher, SettingsError> {
        let agent = Agent::new(host, number, 0, settings)?;
        Ok(Watcher { agent, mac, flows: Vec::new(), questions: Vec::new() })
    }

    fn id(&self, flow: usize) -> Option<FlowId> {
        self.flows.get(flow).copied().flatten()
    }

    fn ask(&mut self, poll: Option<Poll>) {
        if let Some(Poll { polling, trigger }) = poll {
            let frame = polling_frame(self.mac, &polling);
            self.questions.push(Question { frame, event: polling.event, trigger, polling });
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

impl HostAgent for Watcher {
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
            self.ask(poll);
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
            self.ask(Some(poll));
        }
    }

    fn take_questions(&mut self) -> Vec<Question> {
        std::mem::take(&mut self.questions)
    }
}
