//! Readings of what NICs have counted.

use super::Fabric;
use crate::flow::{ReceiveState, SendState};
use crate::host_jobs::JobReading;
use crate::host_operations::ConnectionReading;
use crate::host_rates::SendingReading;
use crate::host_report::{FlowReading, NicReading};
use crate::host_tenants::{SharedReading, TenantFlow, TenantReading};
use crate::nic::operations::OperationTimes;
use crate::nic::shared::{SharedPart, SharingTenant};
use crate::nic::{HostJob, Nic};
use crate::switch::FabricSwitch;

impl<S: FabricSwitch> Fabric<S> {
    /// What the NICs of all hosts have counted up to now, in the order of the topology.
    pub fn nic_readings(&self) -> Vec<NicReading> {
        let mut flows: Vec<Vec<FlowReading>> = vec![Vec::new(); self.hosts.len()];
        let mut connections: Vec<Vec<ConnectionReading>> = vec![Vec::new(); self.hosts.len()];
        let mut sending: Vec<Vec<SendingReading>> = vec![Vec::new(); self.hosts.len()];
        let both = self.senders.iter().zip(&self.receivers);
        for (sender, receiver) in both.filter(|(_, receiver)| receiver.requester.is_none()) {
            if receiver.receiver.accepted() > 0 {
                flows[receiver.host as usize].push(flow_reading(sender, receiver));
            }
            connections[sender.host as usize].extend(connection_reading(sender));
            if sender.sent_bytes > 0 {
                sending[sender.host as usize].push(sending_reading(sender));
            }
        }
        let rows = self.hosts.iter().zip(flows).zip(connections.into_iter().zip(sending));
        rows.filter_map(|((nic, flows), sent)| self.reading(nic, flows, sent)).collect()
    }

    /// `None` for a host without a link.
    fn reading(
        &self,
        nic: &Nic,
        flows: Vec<FlowReading>,
        (connections, sending): (Vec<ConnectionReading>, Vec<SendingReading>),
    ) -> Option<NicReading> {
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
            connections,
            sending,
            jobs: nic.jobs.iter().map(|job| self.job_reading(job)).collect(),
            poll_gaps: nic.poll_gaps.clone(),
            shared: nic.shared.as_deref().map(|shared| self.shared_reading(shared)),
        })
    }
}

impl<S: FabricSwitch> Fabric<S> {
    fn job_reading(&self, job: &HostJob) -> JobReading {
        let flows = job.flows.iter().map(|number| self.senders[*number as usize].key);
        JobReading { spec: job.spec.clone(), flows: flows.collect() }
    }

    fn shared_reading(&self, shared: &SharedPart) -> SharedReading {
        let flow = |number: &u32| {
            let sender = &self.senders[*number as usize];
            TenantFlow {
                operation: sender.operation,
                message_bytes: sender.sender.layout().message_size(0),
                messages: sender.gate.stats.count,
                acknowledged_bytes: sender.sender.acknowledged_bytes(),
            }
        };
        let tenant = |tenant: &SharingTenant| TenantReading {
            spec: tenant.spec.clone(),
            flows: tenant.flows.iter().map(flow).collect(),
        };
        SharedReading {
            totals: shared.totals,
            usual_miss_share: shared.usual_miss_share(),
            tenants: shared.tenants.iter().map(tenant).collect(),
        }
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

fn sending_reading(sender: &SendState) -> SendingReading {
    SendingReading {
        flow: sender.key,
        bytes: sender.sent_bytes,
        at_rate: sender.paced,
        without_data: sender.gate.without_data(),
        started: sender.start,
        finished: sender.finished,
    }
}

/// `None` for a flow that is one message, or none of whose messages is complete, and for the data of READs, which their
/// requester posts.
fn connection_reading(sender: &SendState) -> Option<ConnectionReading> {
    let operations: Vec<OperationTimes> = sender.gate.log.latest().copied().collect();
    let is_posted_here = sender.responder.is_none() && !operations.is_empty();
    is_posted_here.then_some(ConnectionReading {
        flow: sender.key,
        operation: sender.operation,
        base_rtt: sender.base_rtt,
        slowest_link: sender.slowest_link,
        operations,
    })
}
