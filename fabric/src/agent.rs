//! What watches the flows of a host.

use model::wire::Frame;
use model::{FlowKey, Time};

/// A host's agent. It is told what the NIC knows and may answer with packets to send ahead of everything else.
pub trait HostAgent: Send {
    /// A flow has started to send.
    fn started(&mut self, now: Time, flow: &FlowKey, priority: u8);
    /// An acknowledgement has come. `rtt` is the round trip of the packet that it acknowledges last; it is
    /// absent when nothing new was acknowledged. `outstanding` tells whether data is still on its way.
    fn acknowledged(&mut self, now: Time, flow: &FlowKey, rtt: Option<Time>, outstanding: bool);
    /// A flow has come to its end.
    fn finished(&mut self, now: Time, flow: &FlowKey);
    /// Time has passed.
    fn tick(&mut self, now: Time);
    /// How often [`HostAgent::tick`] wants to be called.
    fn tick_interval(&self) -> Time;
    /// Polling packets to send now.
    fn take_packets(&mut self) -> Vec<Frame>;
}
