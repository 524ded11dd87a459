//! RDMA READs between hosts. The protocol is in [`crate::nic::read`].

use crate::fabric::Fabric;
use crate::nic::gbn::{Reply, unwrap_psn};
use crate::nic::read::RequestKind;
use crate::switch::FabricSwitch;

impl<S: FabricSwitch> Fabric<S> {
    /// Sends as many requests as the READ may have outstanding.
    pub(super) fn send_read_requests(&mut self, flow: usize) {
        let state = &mut self.receivers[flow];
        let expected = state.receiver.expected();
        while let Some(first) = state.requester.as_mut().and_then(|requester| requester.next(expected)) {
            let layout = *self.senders[flow].sender.layout();
            let end = layout.first_of(layout.message_of(first) + 1).min(layout.packets());
            let bytes = layout.position(end) - layout.position(first);
            let request = state.template.read_request(first, bytes);
            let nic = &mut self.hosts[state.host as usize];
            nic.transport[usize::from(state.ack_priority & 7)].push_back(request);
        }
        let link = self.hosts[self.receivers[flow].host as usize].link;
        self.kick(link);
    }

    /// Repeats the request for all packets from `missing` on.
    pub(super) fn repeat_read_request(&mut self, flow: usize, missing: u64) {
        let state = &mut self.receivers[flow];
        let layout = self.senders[flow].sender.layout();
        let bytes = layout.position(layout.packets()) - layout.position(missing);
        let request = state.template.read_request(missing, bytes);
        let nic = &mut self.hosts[state.host as usize];
        nic.transport[usize::from(state.ack_priority & 7)].push_back(request);
        let link = nic.link;
        self.kick(link);
    }

    /// A request has reached the responder.
    pub(super) fn receive_read_request(&mut self, host: u32, queue_pair: u32, psn: u32) {
        let flow = self.sender_index(host, queue_pair);
        let Some(flow) = flow.filter(|flow| self.senders[*flow].responder.is_some()) else {
            self.counters.foreign_frames += 1;
            return;
        };
        let state = &mut self.senders[flow];
        let near = state.sender.first_unacknowledged();
        match state.responder.as_mut().map(|responder| responder.requested(unwrap_psn(psn, near))) {
            Some(RequestKind::New(arrived)) => {
                state.sender.acknowledge(arrived);
            }
            Some(RequestKind::Repeated(missing)) => {
                state.sender.acknowledge(missing);
                state.sender.timed_out();
            }
            None => {}
        }
        let link = self.hosts[host as usize].link;
        self.kick(link);
    }

    /// Processes the receiver's reply to a response that has reached the requester.
    pub(super) fn receive_read_response(&mut self, host: u32, flow: usize, reply: Reply) {
        match reply {
            Reply::Nak(missing) => {
                self.repeat_read_request(flow, missing);
                return;
            }
            Reply::Ack(_) | Reply::SelectiveNak { .. } | Reply::Nothing => {}
        }
        let (expected, packets) = (self.receivers[flow].receiver.expected(), self.receivers[flow].packets);
        let state = &mut self.senders[flow];
        // The model of polls is about the operations of senders: a requester polls at once.
        state.gate.acknowledged(self.now, expected, &[]);
        if expected >= packets && state.finished.is_none() {
            // A real responder would infer this from the next request.
            state.finished = Some(self.now);
            self.finished_flows += 1;
            state.sender.acknowledge(expected);
            let responder = state.host;
            self.hosts[responder as usize].remove_flow(flow as u32);
            self.release_followers(flow);
        } else {
            self.send_read_requests(flow);
        }
        let link = self.hosts[host as usize].link;
        self.kick(link);
    }
}
