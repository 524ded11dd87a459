//! Samples of all ports for the dashboard.

use std::collections::BTreeMap;

use fabric::{Fabric, PauseRecord};
use model::{PortRef, Time};
use p4_switch::tm::{CLASSES, ClassCounters, TrafficManager};
use web::{PortPoint, PortSample, Priorities, PrioritySample};

use super::shared::SharedSwitch;

/// The pauses of a port in an interval.
#[derive(Clone, Copy, Default)]
struct Paused {
    /// The sum over all priorities.
    time: Time,
    priorities: Priorities,
}

impl Paused {
    fn add(&mut self, priority: u8, time: Time) {
        self.time += time;
        self.priorities.insert(priority);
    }
}

/// What all ports did since the last sample.
#[derive(Default)]
pub(super) struct Sampled {
    pub(super) ports: Vec<PortSample>,
    /// Of each port, what its priorities did; those that no traffic has used are left out.
    pub(super) priorities: Vec<(PortRef, Vec<PrioritySample>)>,
}

/// Computes port samples from counters and pause records.
#[derive(Default)]
pub(super) struct Sampler {
    last: Time,
    /// Paused priorities of ports, with the start of the pause.
    paused_since: BTreeMap<(PortRef, u8), Time>,
    sent_bytes: BTreeMap<PortRef, u64>,
    /// The counters at the last sample of the priorities that traffic has used, with the time for which they were paused.
    counted: BTreeMap<(PortRef, u8), (ClassCounters, Time)>,
    /// The pauses since the last sample that have ended.
    paused: BTreeMap<PortRef, Paused>,
    /// When the last pause ended.
    last_pause: Option<Time>,
}

impl Sampler {
    /// Returns a sample of every port since the last call.
    pub(super) fn sample(&mut self, fabric: &mut Fabric<SharedSwitch>) -> Sampled {
        let now = fabric.now();
        let interval = now.saturating_sub(self.last);
        let paused = self.pauses(fabric, now);
        let mut sampled = Sampled::default();
        for (name, shared) in fabric.switches() {
            let switch = shared.lock();
            let manager = switch.traffic_manager();
            for port in manager.port_numbers().filter(|port| *port != shared.cpu_port()) {
                let queues = (0..CLASSES as u8).filter_map(|priority| manager.queue(port, priority));
                let (queue_bytes, queue_packets) = queues
                    .fold((0, 0), |(bytes, packets), queue| (bytes + queue.bytes, packets + queue.packets));
                let port = PortRef::new(name, port);
                let sent = shared.sent_bytes(port.port);
                let before = self.sent_bytes.insert(port.clone(), sent).unwrap_or(0);
                let rate = (sent - before) as f64 * 8.0 / interval.as_secs_f64();
                let pauses = paused.get(&port).copied().unwrap_or_default();
                let point = PortPoint {
                    time_ns: now.as_ns(),
                    interval_ns: interval.as_ns(),
                    queue_bytes,
                    queue_packets,
                    paused: is_paused(&self.paused_since, &port),
                    paused_ns: pauses.time.min(interval).as_ns(),
                    paused_priorities: pauses.priorities,
                    tx_bps: if interval == Time::ZERO { 0 } else { rate as u64 },
                };
                let priorities = (0..CLASSES as u8)
                    .filter_map(|priority| self.priority(manager, (&port, priority), now))
                    .collect();
                sampled.priorities.push((port.clone(), priorities));
                sampled.ports.push(PortSample { port, point });
            }
        }
        self.last = now;
        sampled
    }

    /// Returns what a priority of a port did since the last sample; `None` if no traffic has used it.
    fn priority<P>(
        &mut self,
        manager: &TrafficManager<P>,
        (port, priority): (&PortRef, u8),
        now: Time,
    ) -> Option<PrioritySample> {
        let counters = manager.counters(port.port, priority)?;
        let paused = manager.paused_time(port.port, priority, now).unwrap_or_default();
        let queue = manager.queue(port.port, priority).unwrap_or_default();
        let group = manager.group(port.port, priority).unwrap_or_default();
        let key = (port.clone(), priority);
        let is_used = counters != ClassCounters::default() || queue.bytes > 0 || group.bytes > 0;
        if !is_used && !self.counted.contains_key(&key) {
            return None;
        }
        let (before, paused_before) = self.counted.insert(key, (counters, paused)).unwrap_or_default();
        let dropped =
            |counters: &ClassCounters| counters.queue_dropped_packets + counters.group_dropped_packets;
        Some(PrioritySample {
            priority,
            pauses_received: Some(counters.pauses_received - before.pauses_received),
            paused_ns: Some(paused.saturating_sub(paused_before).as_ns()),
            pauses_sent: Some(counters.pauses_sent - before.pauses_sent),
            queue_bytes: Some(queue.bytes),
            queue_max_bytes: Some(queue.watermark_bytes),
            ecn_marked_packets: Some(counters.ecn_marked_packets - before.ecn_marked_packets),
            dropped_packets: Some(dropped(&counters) - dropped(&before)),
            headroom_bytes: Some(group.headroom_bytes),
            headroom_max_bytes: Some(group.headroom_watermark_bytes),
        })
    }

    /// The network is reset: all pauses end. Returns when the last pause ended, if there was one since the last reset.
    pub(super) fn reset(&mut self, fabric: &mut Fabric<SharedSwitch>) -> Option<Time> {
        self.note(fabric.take_pauses());
        let now = fabric.now();
        for ((port, priority), since) in std::mem::take(&mut self.paused_since) {
            let time = now.saturating_sub(since.max(self.last));
            self.paused.entry(port).or_default().add(priority, time);
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
                let time = record.at.saturating_sub(since.max(self.last));
                self.paused.entry(key.0).or_default().add(key.1, time);
                self.last_pause = Some(record.at);
            }
        }
    }

    /// Returns the pauses of each port since the last sample. Times of several priorities are added; the caller limits the
    /// sum to the interval.
    fn pauses(&mut self, fabric: &mut Fabric<SharedSwitch>, now: Time) -> BTreeMap<PortRef, Paused> {
        self.note(fabric.take_pauses());
        self.paused_until(now)
    }

    fn paused_until(&mut self, now: Time) -> BTreeMap<PortRef, Paused> {
        let mut paused = std::mem::take(&mut self.paused);
        for ((port, priority), since) in &self.paused_since {
            let time = now.saturating_sub((*since).max(self.last));
            paused.entry(port.clone()).or_default().add(*priority, time);
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

    #[test]
    fn a_sample_has_the_priorities_of_pauses_that_have_ended_and_that_last() {
        let (first, second) = (PortRef::new("sw1", 1), PortRef::new("sw1", 2));
        let record = |port: &PortRef, priority, on, us| {
            let at = Time::from_us(us);
            PauseRecord { port: port.clone(), priority, on, at }
        };
        let mut sampler = Sampler::default();
        sampler.note(vec![
            record(&first, 3, true, 10),
            record(&first, 3, false, 14),
            record(&first, 5, true, 15),
            record(&second, 0, true, 16),
            record(&second, 0, false, 17),
        ]);
        let paused = sampler.paused_until(Time::from_us(20));
        let of = |port: &PortRef| {
            let paused = paused[port];
            (paused.time, paused.priorities.iter().collect::<Vec<_>>())
        };
        assert_eq!(of(&first), (Time::from_us(4 + 5), vec![3, 5]));
        assert_eq!(of(&second), (Time::from_us(1), vec![0]));
        sampler.last = Time::from_us(20);
        let paused = sampler.paused_until(Time::from_us(21));
        assert_eq!(paused.len(), 1, "the pause that lasts");
        assert_eq!(paused[&first].priorities.iter().collect::<Vec<_>>(), [5]);
    }
}
