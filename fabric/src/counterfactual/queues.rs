//! Queue lengths of chosen ports at chosen times.

use std::collections::{BTreeMap, BTreeSet};

use model::{PortRef, Time};
use p4_switch::Switch;
use p4_switch::tm::CLASSES;

use crate::fabric::Fabric;
use crate::run::Watch;

/// Samples queues at given times.
#[derive(Clone, Debug, Default)]
pub(super) struct Queues {
    ports: BTreeSet<PortRef>,
    times: Vec<Time>,
    taken: usize,
    samples: BTreeMap<PortRef, Vec<(Time, u64)>>,
}

impl Queues {
    /// Samples all of these ports at all of these times.
    pub(super) fn new(ports: BTreeSet<PortRef>, times: BTreeSet<Time>) -> Queues {
        Queues { ports, times: times.into_iter().collect(), taken: 0, samples: BTreeMap::new() }
    }

    /// The mean of the samples of `port` in a window, in bytes.
    pub(super) fn mean_bytes(&self, port: &PortRef, (from, to): (Time, Time)) -> u64 {
        let samples = self.samples.get(port).into_iter().flatten().filter(|(at, _)| from <= *at && *at <= to);
        let (count, sum) = samples.fold((0_u64, 0_u64), |(count, sum), (_, bytes)| (count + 1, sum + bytes));
        sum / count.max(1)
    }

    /// Whether any sample of `port` in a window has packets.
    pub(super) fn any(&self, port: &PortRef, (from, to): (Time, Time)) -> bool {
        let mut samples = self.samples.get(port).into_iter().flatten();
        samples.any(|(at, bytes)| from <= *at && *at <= to && *bytes > 0)
    }
}

impl Watch for Queues {
    fn next_look(&self) -> Option<Time> {
        self.times.get(self.taken).copied()
    }

    fn look(&mut self, now: Time, fabric: &mut Fabric<Switch>) {
        self.taken += 1;
        for port in &self.ports {
            let Some(switch) = fabric.switch(&port.switch) else { continue };
            let tm = switch.traffic_manager();
            let bytes = (0..CLASSES as u8).filter_map(|class| Some(tm.queue(port.port, class)?.bytes)).sum();
            self.samples.entry(port.clone()).or_default().push((now, bytes));
        }
    }
}
