//! Samples of all ports for the dashboard.

use std::collections::BTreeMap;

use fabric::{Fabric, PauseRecord};
use model::{PortRef, Time};
use p4_switch::tm::CLASSES;
use web::{PortPoint, PortSample};

use super::shared::SharedSwitch;

/// Computes port samples from counters and pause records.
#[derive(Default)]
pub(super) struct Sampler {
    last: Time,
    /// Paused priorities of ports, with the start of the pause.
    paused_since: BTreeMap<(PortRef, u8), Time>,
    sent_bytes: BTreeMap<PortRef, u64>,
    /// For how long each port was paused since the last sample, in pauses that have ended.
    paused: BTreeMap<PortRef, Time>,
    /// When the last pause ended.
    last_pause: Option<Time>,
}

impl Sampler {
    /// Returns a sample of every port since the last call.
    pub(super) fn sample(&mut self, fabric: &mut Fabric<SharedSwitch>) -> Vec<PortSample> {
        let now = fabric.now();
        let interval = now.saturating_sub(self.last);
        let paused = self.pauses(fabric, now);
        let mut samples = Vec::new();
        for (name, shared) in fabric.switches() {
            let switch = shared.lock();
            let manager = switch.traffic_manager();
            for port in manager.port_numbers() {
                let queues = (0..CLASSES as u8).filter_map(|priority| manager.queue(port, priority));
                let (queue_bytes, queue_packets) = queues
                    .fold((0, 0), |(bytes, packets), queue| (bytes + queue.bytes, packets + queue.packets));
                let port = PortRef::new(name, port);
                let sent = shared.sent_bytes(port.port);
                let before = self.sent_bytes.insert(port.clone(), sent).unwrap_or(0);
                let rate = (sent - before) as f64 * 8.0 / interval.as_secs_f64();
                let point = PortPoint {
                    time_ns: now.as_ns(),
                    interval_ns: interval.as_ns(),
                    queue_bytes,
                    queue_packets,
                    paused: is_paused(&self.paused_since, &port),
                    paused_ns: paused.get(&port).copied().unwrap_or(Time::ZERO).min(interval).as_ns(),
                    tx_bps: if interval == Time::ZERO { 0 } else { rate as u64 },
                };
                samples.push(PortSample { port, point });
            }
        }
        self.last = now;
        samples
    }

    /// The network is reset: all pauses end. Returns when the last pause ended, if there was one since the last reset.
    pub(super) fn reset(&mut self, fabric: &mut Fabric<SharedSwitch>) -> Option<Time> {
        self.note(fabric.take_pauses());
        let now = fabric.now();
        for ((port, _), since) in std::mem::take(&mut self.paused_since) {
            *self.paused.entry(port).or_default() += now.saturating_sub(since.max(self.last));
            self.last_pause = Some(now);
        }
        self.last_pause.take()
    }

    fn note(&mut self, records: Vec<PauseRecord>) {
        for record in records {
            let key = (record.port, record.priority);
            if record.on {
                self.paused_since.entry(key).or_insert(record.at);
            } else if let Some(since) = self.paused_since.remove(&key) {
                *self.paused.entry(key.0).or_default() += record.at.saturating_sub(since.max(self.last));
                self.last_pause = Some(record.at);
            }
        }
    }

    /// Returns the time for which each port was paused since the last sample. Times of several priorities are added;
    /// the caller limits the sum to the interval.
    fn pauses(&mut self, fabric: &mut Fabric<SharedSwitch>, now: Time) -> BTreeMap<PortRef, Time> {
        self.note(fabric.take_pauses());
        let mut paused = std::mem::take(&mut self.paused);
        for ((port, _), since) in &self.paused_since {
            *paused.entry(port.clone()).or_default() += now.saturating_sub((*since).max(self.last));
        }
        paused
    }
}

/// Whether a priority of `port` is paused, in logarithmic time.
fn is_paused(paused_since: &BTreeMap<(PortRef, u8), Time>, port: &PortRef) -> bool {
    paused_since.range((port.clone(), 0)..=(port.clone(), u8::MAX)).next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_paused_while_one_of_its_priorities_is() {
        let paused = [("sw1", 2, 0), ("sw1", 3, 7), ("sw2", 1, 3)];
        let paused_since: BTreeMap<(PortRef, u8), Time> = paused
            .map(|(switch, port, priority)| ((PortRef::new(switch, port), priority), Time::ZERO))
            .into_iter()
            .collect();
        for switch in ["sw1", "sw2", "sw3"] {
            for port in 0..5 {
                let expected = paused.iter().any(|(s, p, _)| (*s, *p) == (switch, port));
                assert_eq!(
                    is_paused(&paused_since, &PortRef::new(switch, port)),
                    expected,
                    "{switch}:{port}"
                );
            }
        }
    }
}
