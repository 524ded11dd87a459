//! The receiving ends of flows.

use std::collections::BTreeMap;
use std::net::IpAddr;

use fabric::nic::gbn::{Receiver, Reply, unwrap_psn};
use model::wire::Frame;
use model::wire::bth::PSN_MASK;
use model::{FlowKey, Time};

use crate::frame::{Headers, Kind, Packet};
use crate::report::Report;
use crate::settings::Settings;

/// Flows that an endpoint receives at once; of more, the one that was silent longest is forgotten.
pub(crate) const MAX_RECEIVING: usize = 4096;

/// The receiving end of a flow.
#[derive(Debug)]
struct ReceivingFlow {
    receiver: Receiver,
    headers: Headers,
    /// Payload bytes accepted.
    bytes: u64,
    /// Messages accepted.
    messages: u32,
    /// When a CNP was last sent.
    notified: Option<Time>,
    last_seen: Time,
}

/// All receiving ends of an endpoint.
#[derive(Debug, Default)]
pub(crate) struct ReceivingFlows {
    flows: BTreeMap<(IpAddr, u32), ReceivingFlow>,
}

/// What data causes.
#[derive(Debug, Default)]
pub(crate) struct Response {
    /// ACK or NAK.
    pub(crate) reply: Option<Frame>,
    /// A CNP.
    pub(crate) cnp: Option<Frame>,
    /// A message is complete.
    pub(crate) report: Option<Report>,
}

impl ReceivingFlows {
    /// Returns the number of the next packet that a flow expects.
    pub(crate) fn expected(&self, packet: &Packet) -> u64 {
        let flow = self.flows.get(&(packet.flow.src, packet.queue_pair));
        flow.map_or(0, |flow| flow.receiver.expected())
    }

    /// Processes a data packet; `None` if it belongs to no known flow and does not start one.
    pub(crate) fn take(
        &mut self,
        now: Time,
        packet: &Packet,
        own_mac: [u8; 6],
        settings: &Settings,
    ) -> Option<Response> {
        let Kind::Data { ends, ack_request, payload_bytes } = packet.kind else { return None };
        let key = (packet.flow.src, packet.queue_pair);
        let is_new = self.flows.get(&key).is_none_or(|flow| flow.headers.flow.sport != packet.flow.sport);
        if is_new {
            if packet.psn != 0 || !ends.0 {
                return None;
            }
            self.make_space();
            self.flows.insert(key, ReceivingFlow::new(now, packet, own_mac));
        }
        let flow = self.flows.get_mut(&key)?;
        Some(flow.take(now, packet, (ends.1, ack_request, payload_bytes), settings))
    }

    fn make_space(&mut self) {
        if self.flows.len() < MAX_RECEIVING {
            return;
        }
        let oldest = self.flows.iter().min_by_key(|(_, flow)| flow.last_seen).map(|(key, _)| *key);
        if let Some(key) = oldest {
            self.flows.remove(&key);
        }
    }
}

impl ReceivingFlow {
    fn new(now: Time, packet: &Packet, own_mac: [u8; 6]) -> ReceivingFlow {
        // ACKs go to the same RoCE port from the flow's own source port, as RoCEv2 NICs do, so that a symmetric hash
        // keeps both directions on one path.
        let flow = FlowKey { src: packet.flow.dst, dst: packet.flow.src, ..packet.flow };
        ReceivingFlow {
            receiver: Receiver::default(),
            headers: Headers {
                flow,
                source_mac: own_mac,
                target_mac: packet.source_mac,
                priority: packet.priority,
                queue_pair: packet.queue_pair,
            },
            bytes: 0,
            messages: 0,
            notified: None,
            last_seen: now,
        }
    }

    fn take(
        &mut self,
        now: Time,
        packet: &Packet,
        (is_last, ack_request, payload_bytes): (bool, bool, u32),
        settings: &Settings,
    ) -> Response {
        self.last_seen = now;
        let mut response = Response::default();
        let number = unwrap_psn(packet.psn, self.receiver.expected());
        let before = self.receiver.expected();
        // The sender decides which packets are acknowledged.
        let reply = self.receiver.take(now, number, ack_request || is_last, u64::MAX, settings.nak_interval);
        if self.receiver.expected() > before {
            self.bytes += u64::from(payload_bytes);
            if is_last {
                self.messages = self.messages.wrapping_add(1);
                response.report = Some(Report::Received {
                    from: packet.flow.src,
                    queue_pair: packet.queue_pair,
                    bytes: self.bytes,
                });
            }
        }
        let psn = |number: u64| (number & u64::from(PSN_MASK)) as u32;
        response.reply = match reply {
            Reply::Ack(upto) => Some(self.headers.ack(psn(upto.wrapping_sub(1)), self.messages)),
            Reply::Nak(missing) => Some(self.headers.nak(psn(missing), self.messages)),
            Reply::SelectiveNak { .. } | Reply::Nothing => None,
        };
        let may_notify = self.notified.is_none_or(|at| now.saturating_sub(at) >= settings.cnp_interval);
        if packet.congested && may_notify {
            self.notified = Some(now);
            let headers = Headers { priority: settings.cnp_priority & 7, ..self.headers };
            response.cnp = Some(headers.cnp());
        }
        response
    }
}
