//! A small network of two leaves and a spine, and readings of it.
//!
//! Each leaf has hosts at `Ethernet0` and `Ethernet4` and the spine at `Ethernet8`; the spine has `leaf1` at `Ethernet0`
//! and `leaf2` at `Ethernet4`.

#![allow(dead_code, reason = "every suite uses a part")]

use counters::{LocalNeighbour, Network, PortReading, PriorityReading, Reading, Report, Source, diagnose};
use model::Rate;

/// The priority of all stories.
pub(crate) const PRIORITY: usize = 3;
const START_NS: u64 = 1_790_000_000_000_000_000;
/// Time between the two readings.
pub(crate) const INTERVAL_NS: u64 = 1_000_000_000;

/// Cables: switch, port, neighbour, its port, whether it is a host.
const CABLES: [(&str, &str, &str, &str, bool); 8] = [
    ("leaf1", "Ethernet0", "h1", "eth0", true),
    ("leaf1", "Ethernet4", "h2", "eth0", true),
    ("leaf1", "Ethernet8", "spine1", "Ethernet0", false),
    ("leaf2", "Ethernet0", "h3", "eth0", true),
    ("leaf2", "Ethernet4", "h4", "eth0", true),
    ("leaf2", "Ethernet8", "spine1", "Ethernet4", false),
    ("spine1", "Ethernet0", "leaf1", "Ethernet8", false),
    ("spine1", "Ethernet4", "leaf2", "Ethernet8", false),
];

/// Readings before and after.
#[derive(Clone)]
pub(crate) struct Story {
    pub(crate) before: Vec<Reading>,
    pub(crate) after: Vec<Reading>,
}

impl Story {
    /// An idle network whose counters all start at 0.
    pub(crate) fn new() -> Story {
        let mut readings: Vec<Reading> = Vec::new();
        for (switch, port, system, remote, is_host) in CABLES {
            if readings.last().is_none_or(|reading| reading.switch != switch) {
                readings.push(Reading {
                    switch: switch.into(),
                    time_ns: START_NS,
                    time_is_assumed: false,
                    source: Source::SonicDatabase,
                    lacks_watchdog: false,
                    polled: Default::default(),
                    ports: Default::default(),
                    neighbours: Vec::new(),
                    addresses: Vec::new(),
                });
            }
            let reading = readings.last_mut().expect("one was added");
            reading.ports.insert(port.into(), idle());
            reading.neighbours.push(LocalNeighbour {
                port: port.into(),
                system: system.into(),
                remote_port: Some(remote.into()),
                remote_description: None,
                is_host: Some(is_host),
            });
        }
        let mut after = readings.clone();
        for reading in &mut after {
            reading.time_ns += INTERVAL_NS;
        }
        Story { before: readings, after }
    }

    /// The priority of a port in the second reading.
    pub(crate) fn at(&mut self, switch: &str, port: &str) -> &mut PriorityReading {
        let reading = self.after.iter_mut().find(|reading| reading.switch == switch).expect("a switch");
        &mut reading.ports.get_mut(port).expect("a port").priorities[PRIORITY]
    }

    /// A link on which `to` pauses `from` with `frames` frames for `us` microseconds.
    pub(crate) fn pause(&mut self, from: (&str, &str), to: (&str, &str), frames: u64, us: u64) -> &mut Story {
        let paused = self.at(from.0, from.1);
        paused.pause_rx_frames = Some(frames);
        paused.pause_rx_ns = Some(us * 1_000);
        if to.0.starts_with("leaf") || to.0.starts_with("spine") {
            self.at(to.0, to.1).pause_tx_frames = Some(frames);
        }
        self
    }

    /// A switch that pauses a host.
    pub(crate) fn pause_host(&mut self, at: (&str, &str), frames: u64) -> &mut Story {
        self.at(at.0, at.1).pause_tx_frames = Some(frames);
        self
    }

    /// A queue that held at most `bytes`, and through which `sent` bytes left.
    pub(crate) fn queue(&mut self, at: (&str, &str), bytes: u64, sent: u64) -> &mut Story {
        let queue = &mut self.at(at.0, at.1).queue;
        queue.watermark_bytes = Some(bytes);
        queue.bytes = Some(sent);
        queue.packets = Some(sent / 1_000);
        self
    }

    pub(crate) fn readings(&self) -> Vec<Reading> {
        self.before.iter().chain(&self.after).cloned().collect()
    }

    pub(crate) fn diagnose(&self) -> Report {
        diagnose(&self.readings(), &[], &Network::default())
    }
}

/// A port with all counters, at 0.
fn idle() -> PortReading {
    let mut port =
        PortReading { speed: Some(Rate::from_gbps(100)), up: Some(true), ..PortReading::default() };
    for priority in &mut port.priorities {
        priority.pause_rx_frames = Some(0);
        priority.pause_tx_frames = Some(0);
        priority.pause_rx_ns = Some(0);
        priority.queue.packets = Some(0);
        priority.queue.bytes = Some(0);
        priority.queue.dropped_packets = Some(0);
        priority.queue.ecn_marked_packets = Some(0);
        priority.queue.watermark_bytes = Some(0);
        priority.queue.occupancy_bytes = Some(0);
        priority.group.dropped_packets = Some(0);
        priority.group.shared_watermark_bytes = Some(0);
    }
    for (number, priority) in port.priorities.iter_mut().enumerate() {
        priority.pfc_enabled = Some(number == PRIORITY);
    }
    port
}

/// h3 pauses leaf2, whose pauses reach h1 over the spine.
pub(crate) fn host_pauses(frames: u64, us: u64) -> Story {
    let mut story = Story::new();
    story.pause(("leaf2", "Ethernet0"), ("h3", "eth0"), frames, us);
    story.queue(("leaf2", "Ethernet0"), 400_000, 5_000_000);
    story.pause(("spine1", "Ethernet4"), ("leaf2", "Ethernet8"), frames / 2, us / 2);
    story.queue(("spine1", "Ethernet4"), 300_000, 5_000_000);
    story.pause(("leaf1", "Ethernet8"), ("spine1", "Ethernet0"), frames / 3, us / 3);
    story.queue(("leaf1", "Ethernet8"), 200_000, 5_000_000);
    story.pause_host(("leaf1", "Ethernet0"), 10);
    story
}

/// h1, h2 and h4 send to h3; leaf2 pauses the spine and h4.
pub(crate) fn incast() -> Story {
    let mut story = Story::new();
    story.queue(("leaf2", "Ethernet0"), 900_000, 12_000_000);
    story.queue(("leaf2", "Ethernet4"), 3_000, 100_000);
    story.pause_host(("leaf2", "Ethernet4"), 40);
    story.pause(("spine1", "Ethernet4"), ("leaf2", "Ethernet8"), 60, 800);
    story.queue(("spine1", "Ethernet4"), 500_000, 8_000_000);
    story.pause(("leaf1", "Ethernet8"), ("spine1", "Ethernet0"), 30, 400);
    story.queue(("leaf1", "Ethernet8"), 300_000, 8_000_000);
    story
}

/// Three switches in a ring, each with a host at `Ethernet0`; every ring port is paused and still holds packets.
pub(crate) fn ring() -> Vec<Reading> {
    ring_of(&["r1", "r2", "r3"], Some(true))
}

/// As [`ring`], of these switches; `is_paused` is what the queues say about themselves.
pub(crate) fn ring_of(names: &[&str], is_paused: Option<bool>) -> Vec<Reading> {
    let story = Story::new();
    let mut readings = Vec::new();
    for (number, name) in names.iter().enumerate() {
        let other = |step: usize| names[(number + step) % names.len()].to_string();
        for mut reading in [story.before[0].clone(), story.after[0].clone()] {
            reading.switch = name.to_string();
            reading.neighbours[0].system = format!("h{number}");
            reading.neighbours[1].system = other(1);
            reading.neighbours[1].remote_port = Some("Ethernet8".into());
            reading.neighbours[2].system = other(names.len() - 1);
            reading.neighbours[2].remote_port = Some("Ethernet4".into());
            readings.push(reading);
        }
        let reading = readings.last_mut().expect("two were added");
        let next = &mut reading.ports.get_mut("Ethernet4").expect("a port").priorities[PRIORITY];
        next.pause_rx_frames = Some(100);
        next.pause_rx_ns = Some(900_000_000 - number as u64);
        next.queue.watermark_bytes = Some(400_000);
        next.queue.occupancy_bytes = Some(300_000);
        next.queue.packets = Some(5_000);
        next.is_paused = is_paused;
        let previous = &mut reading.ports.get_mut("Ethernet8").expect("a port").priorities[PRIORITY];
        previous.pause_tx_frames = Some(100);
    }
    readings
}
