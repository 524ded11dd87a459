//! The thread that simulates the network in virtual time, paced against the wall clock.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Context;
use controller::live::AgentTrigger;
use fabric::{Fabric, OperatorRecords};
use model::{PortRef, Time};
use p4_switch::tm::CLASSES;
use scenario::Scenario;
use tokio::sync::mpsc;
use web::{PortPoint, PortSample};

use super::queries::Poll;
use super::shared::{Clock, SharedSwitch, SwitchMap};

/// Wall-clock time between two steps of the simulation.
const SLICE: Duration = Duration::from_millis(10);
/// Steps between two samples of all ports.
const SLICES_PER_SAMPLE: u64 = 10;

/// The state of the network that its thread reports.
pub(super) struct Progress {
    /// Simulated time.
    pub(super) now: Time,
    /// The state of every switch port.
    pub(super) samples: Vec<PortSample>,
    /// Losses and jobs so far.
    pub(super) records: OperatorRecords,
}

/// The simulated network.
pub(super) struct Network {
    scenario: Arc<Scenario>,
    fabric: Fabric<SharedSwitch>,
    clock: Arc<Clock>,
    sampler: Sampler,
}

impl Network {
    /// Builds the network of a scenario with an agent on every sending host. The switches do not run a program yet.
    pub(super) fn build(
        scenario: &Arc<Scenario>,
        seed: u64,
        clock: Arc<Clock>,
    ) -> anyhow::Result<(Network, SwitchMap)> {
        let mut switches = SwitchMap::new();
        let mut fabric = Fabric::new(scenario, seed, |name, config| {
            let switch = SharedSwitch::new(config);
            switches.insert(name.to_string(), switch.clone());
            switch
        })?;
        fabric::set_agents(scenario, &mut fabric)?;
        Ok((Network { scenario: scenario.clone(), fabric, clock, sampler: Sampler::default() }, switches))
    }

    /// Starts the thread. It ends when `stop` is set.
    pub(super) fn spawn(
        mut self,
        pace_us: u64,
        progress: mpsc::Sender<Progress>,
        triggers: mpsc::Sender<AgentTrigger>,
        polls: Receiver<Poll>,
        stop: Arc<AtomicBool>,
    ) -> anyhow::Result<JoinHandle<()>> {
        let step = Time(pace_us * SLICE.as_micros() as u64);
        let simulate = move || {
            let mut due = Instant::now();
            let mut slice: u64 = 0;
            while !stop.load(Ordering::Relaxed) {
                for (host, polling) in polls.try_iter() {
                    self.fabric.poll_from(&host, &polling);
                }
                self.advance(step, &triggers);
                slice += 1;
                if slice.is_multiple_of(SLICES_PER_SAMPLE) {
                    let samples = self.sampler.sample(&mut self.fabric);
                    // If the receiver is slow, samples are dropped; the simulation does not wait.
                    let records = OperatorRecords::of(&self.scenario, &self.fabric);
                    let _ = progress.try_send(Progress { now: self.fabric.now(), samples, records });
                }
                // A machine that is too slow for the pace runs as fast as possible and does not catch up later.
                due = (due + SLICE).max(Instant::now());
                thread::sleep(due.saturating_duration_since(Instant::now()));
            }
        };
        thread::Builder::new()
            .name("network".into())
            .spawn(simulate)
            .context("cannot start the network's thread")
    }

    fn advance(&mut self, step: Time, triggers: &mpsc::Sender<AgentTrigger>) {
        // Controllers may have sent packets or opened ports.
        self.fabric.poll_switches();
        self.fabric.run_until(self.fabric.now() + step);
        self.clock.set(self.fabric.now());
        for poll in self.fabric.take_triggers() {
            // If the controller's queue is full, the digests of the switches still report the event.
            let (event, priority) = (poll.event, poll.polling.priority);
            let _ = triggers.try_send(AgentTrigger { event, priority, trigger: poll.trigger });
        }
        for notice in self.fabric.take_notices() {
            let name = self.fabric.switch_name(notice.switch).to_string();
            if let Some(switch) = self.fabric.switch_mut(&name) {
                switch.offer(notice.event);
            }
        }
    }
}

/// Computes port samples from counters and pause records.
#[derive(Default)]
struct Sampler {
    last: Time,
    /// Paused priorities of ports, with the start of the pause.
    paused_since: BTreeMap<(PortRef, u8), Time>,
    sent_bytes: BTreeMap<PortRef, u64>,
}

impl Sampler {
    fn sample(&mut self, fabric: &mut Fabric<SharedSwitch>) -> Vec<PortSample> {
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

    /// Returns the time for which each port was paused since the last sample. Times of several priorities are added;
    /// the caller limits the sum to the interval.
    fn pauses(&mut self, fabric: &mut Fabric<SharedSwitch>, now: Time) -> BTreeMap<PortRef, Time> {
        let mut paused: BTreeMap<PortRef, Time> = BTreeMap::new();
        for record in fabric.take_pauses() {
            let key = (record.port, record.priority);
            if record.on {
                self.paused_since.entry(key).or_insert(record.at);
            } else if let Some(since) = self.paused_since.remove(&key) {
                *paused.entry(key.0).or_default() += record.at.saturating_sub(since.max(self.last));
            }
        }
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
