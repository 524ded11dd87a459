//! Faults of NICs: storms of pause frames and slow receive pipelines.

use model::Time;
use model::wire::Pfc;

use crate::event::Event;
use crate::fabric::Fabric;
use crate::nic::pfc::SlowReceive;
use crate::scenario::FaultKind;
use crate::switching::FabricSwitch;

/// A fault of one run.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) host: u32,
    pub(crate) kind: FaultKind,
    pub(crate) start: Time,
    pub(crate) end: Time,
}

impl<S: FabricSwitch> Fabric<S> {
    /// A fault starts, repeats itself or ends.
    pub(crate) fn fault(&mut self, index: u32) {
        let Fault { host, kind, end, .. } = self.faults[index as usize].clone();
        let over = self.now >= end;
        match kind {
            FaultKind::Storm { priority, quanta, interval } => {
                self.send_pfc(host, &Pfc::single(priority, if over { 0 } else { quanta }));
                if !over {
                    let again = (self.now + interval.max(Time(1))).min(end);
                    self.queue.push(again, Event::Fault { fault: index });
                }
            }
            FaultKind::SlowReceiver { rate, xoff_bytes, xon_bytes } => {
                let slow = SlowReceive { rate, xoff_bytes, xon_bytes };
                self.hosts[host as usize].buffer.slow = (!over).then_some(slow);
                if !over {
                    self.queue.push(end, Event::Fault { fault: index });
                }
            }
        }
    }
}
