//! RDMA READs between hosts: requests out, responses in. The protocol is in [`crate::nic::read`].

use crate::fabric::Fabric;
use crate::nic::gbn::{Answer, unwrap_psn};
use crate::nic::read::Asked;
use crate::switching::FabricSwitch;

impl<S: FabricSwitch> Fabric<S> {
    /// Sends the requests that a READ may have outstanding.
    pub(crate) fn ask_for_more(&mut self, flow: usize) {
        let state = &mut self.receivers[flow];
        let expected = state.receiver.expected();
        while let Some(first) = state.requester.as_mut().and_then(|requester| requester.next(expected)) {
            let layout = *self.senders[flow].sender.layout();
            let end = layout.first_of(layout.message_of(first) + 1).min(layout.packets());
            let bytes = layout.position(end) - layout.position(first);
            let request = state.template.read_request(first, bytes);
            let nic = &mut self.hosts[state.host as usize];
            nic.answers[usize::from(state.ack_priority & 7)].push_back(request);
        }
        let link = self.hosts[self.receivers[flow].host as usize].link;
        self.kick(link);
    }

    /// Asks again for everything from packet `missing` on.
    pub(crate) fn ask_again(&mut self, flow: usize, missing: u64) {
        let state = &mut self.receivers[flow];
        let layout = self.senders[flow].sender.layout();
        let bytes = layout.position(layout.packets()) - layout.position(missing);
        let request = state.template.read_request(missing, bytes);
        let nic = &mut self.hosts[state.host as usize];
        nic.answers[usize::from(state.ack_priority & 7)].push_back(request);
        let link = nic.link;
        self.kick(link);
    }

    /// A request has reached the responder.
    pub(crate) fn take_request(&mut self, host: u32, queue_pair: u32, psn: u32) {
        let flow = self.sender_index(host, queue_pair);
        let Some(flow) = flow.filter(|flow| self.senders[*flow].responder.is_some()) else {
            self.counters.foreign_frames += 1;
            return;
        };
        let state = &mut self.senders[flow];
        let near = state.sender.first_unacknowledged();
        match state.responder.as_mut().map(|responder| responder.asked(unwrap_psn(psn, near))) {
            Some(Asked::More(arrived)) => {
                state.sender.acknowledge(arrived);
            }
            Some(Asked::Again(missing)) => {
                state.sender.acknowledge(missing);
                state.sender.timed_out();
            }
            None => {}
        }
        let link = self.hosts[host as usize].link;
        self.kick(link);
    }

    /// A response has reached the requester, which makes this of it.
    pub(crate) fn take_response(&mut self, host: u32, flow: usize, answer: Answer) {
        match answer {
            Answer::Refuse(missing) => {
                self.ask_again(flow, missing);
                return;
            }
            Answer::Acknowledge(_) | Answer::RefuseSelectively { .. } | Answer::Silence => {}
        }
        let (expected, packets) = (self.receivers[flow].receiver.expected(), self.receivers[flow].packets);
        let state = &mut self.senders[flow];
        state.gate.acknowledged(self.now, expected);
        if expected >= packets && state.finished.is_none() {
            // The responder has nothing left to do; it would learn so from the next request.
            state.finished = Some(self.now);
            state.sender.acknowledge(expected);
            let responder = state.host;
            self.hosts[responder as usize].remove_flow(flow as u32);
            self.release_followers(flow);
        } else {
            self.ask_for_more(flow);
        }
        let link = self.hosts[host as usize].link;
        self.kick(link);
    }
}
