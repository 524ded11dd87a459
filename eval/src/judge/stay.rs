//! How long packets stayed in switches, and for how much of it their egress ports were paused.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use fabric::packet_log::{Stream, What};
use fabric::{PacketLog, PauseRecord};
use model::{PortRef, Time};

/// The time that a packet spent in a switch.
pub(super) struct Stay {
    pub(super) switch: u32,
    pub(super) egress_port: u16,
    /// The number of the flow, also of its ACKs.
    pub(super) flow: usize,
    pub(super) from: Time,
    pub(super) to: Time,
    pub(super) bytes: u32,
}

impl Stay {
    /// The part of it in a window in which its port was not paused.
    pub(super) fn unpaused_in(&self, window: (Time, Time), paused: &[(Time, Time)]) -> Time {
        let (from, to) = (self.from.max(window.0), self.to.min(window.1));
        let lost = paused.iter().map(|pause| pause.1.min(to).saturating_sub(pause.0.max(from)).0).sum();
        to.saturating_sub(from).saturating_sub(Time(lost))
    }
}

/// The stays of all packets that left a switch, in the order in which they left. Packets of one stream leave a switch in the
/// order of their arrival.
pub(super) fn stays(log: Option<&PacketLog>) -> Vec<Stay> {
    let mut inside: BTreeMap<(u32, Stream), VecDeque<Time>> = BTreeMap::new();
    let mut stays = Vec::new();
    for step in log.iter().flat_map(|log| &log.steps) {
        let arrivals = inside.entry((step.switch, step.stream)).or_default();
        match step.what {
            What::In => arrivals.push_back(step.at),
            What::Lost => {}
            What::Out => {
                let Some(from) = arrivals.pop_front() else { continue };
                let (switch, egress_port, flow) = (step.switch, step.port, step.stream.flow());
                stays.push(Stay { switch, egress_port, flow, from, to: step.at, bytes: step.bytes });
            }
        }
    }
    stays
}

/// The times in which a port was paused in any priority, without overlaps.
pub(super) fn paused_times(pauses: &[PauseRecord], port: &PortRef, end: Time) -> Vec<(Time, Time)> {
    let mut open: BTreeSet<u8> = BTreeSet::new();
    let mut since = None;
    let mut times = Vec::new();
    for pause in pauses.iter().filter(|pause| pause.port == *port) {
        match pause.on {
            true => _ = open.insert(pause.priority),
            false => _ = open.remove(&pause.priority),
        }
        match (open.is_empty(), since) {
            (false, None) => since = Some(pause.at),
            (true, Some(from)) => {
                times.push((from, pause.at));
                since = None;
            }
            _ => {}
        }
    }
    times.extend(since.map(|from| (from, end)));
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_of_several_priorities_are_counted_once() {
        let us = Time::from_us;
        let port = PortRef::new("sw1", 1);
        let pause = |at, priority, on| PauseRecord { at: us(at), port: port.clone(), priority, on };
        let pauses =
            [pause(1, 3, true), pause(2, 4, true), pause(3, 3, false), pause(5, 4, false), pause(8, 3, true)];
        assert_eq!(paused_times(&pauses, &port, us(10)), [(us(1), us(5)), (us(8), us(10))]);
    }
}
