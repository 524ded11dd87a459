//! Readings of what NICs have counted.

use super::Fabric;
use crate::flow::{ReceiveState, SendState};
use crate::host_report::{FlowReading, NicReading};
use crate::nic::Nic;
use crate::switch::FabricSwitch;

impl<S: FabricSwitch> Fabric<S> {
    /// What the NICs of all hosts have counted up to now, in the order of the topology.
    pub fn nic_readings(&self) -> Vec<NicReading> {
        let mut flows: Vec<Vec<FlowReading>> = vec![Vec::new(); self.hosts.len()];
        let both = self.senders.iter().zip(&self.receivers);
        for (sender, receiver) in both.filter(|(_, receiver)| receiver.requester.is_none()) {
            if receiver.receiver.accepted() > 0 {
                flows[receiver.host as usize].push(flow_reading(sender, receiver));
            }
        }
        self.hosts.iter().zip(flows).filter_map(|(nic, flows)| self.reading(nic, flows)).collect()
    }

    /// `None` for a host without a link.
    fn reading(&self, nic: &Nic, flows: Vec<FlowReading>) -> Option<NicReading> {
        // The two directions of a link follow each other.
        let (out, back) = (self.links.get(nic.link as usize)?, self.links.get((nic.link ^ 1) as usize)?);
        Some(NicReading {
            at: self.now,
            host: nic.name.clone(),
            line_rate: nic.line_rate,
            switch_port: self.port_of(out.to),
            received_bytes: back.arrived_bytes,
            received_packets: back.arrived_frames,
            sent_bytes: out.sent_bytes,
            sent_packets: out.sent_frames,
            totals: nic.totals,
            pipeline: nic.pipeline.totals,
            capacity: nic.pipeline.capacity(nic.line_rate),
            flows,
        })
    }
}

fn flow_reading(sender: &SendState, receiver: &ReceiveState) -> FlowReading {
    FlowReading {
        flow: sender.key,
        priority: sender.priority,
        is_go_back_n: receiver.receiver.is_go_back_n(),
        packet_bytes: sender.sender.layout().payload(0),
        accepted_packets: receiver.receiver.accepted(),
        discarded_packets: receiver.receiver.discarded(),
        naks: receiver.naks,
    }
}
