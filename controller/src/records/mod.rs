//! What a controller knows about its switches beside frozen telemetry: lost packets by place and reason, links that went
//! down and came up, changes of routes, and samples of ports.
//!
//! Losses are counters: a switch has no log of single packets. The controller reads them at intervals and with each event,
//! and what a counter has gained was lost between the two reads. A reading has two parts:
//!
//! - the counters of the switch program (register `losses`), which every P4Runtime target has that runs the program;
//! - the state of the device ([`DeviceReading`]): discards of the traffic manager, links and queues. P4Runtime has no
//!   entity for these, so only switches with the extension of docs/p4runtime.md give it.
//!
//! All times are switch time.

mod losses;
mod samples;

use std::collections::{BTreeMap, VecDeque};

use model::{MissingData, NetworkChange, NetworkEvent, PortRef, Snapshot};

use crate::layout::LossCounter;

use losses::Losses;
pub use samples::PortSample;

/// Changes of routes, and of links that LLDP has noticed, that are kept: the latest of all switches.
const EVENTS: usize = 256;

/// What was read from a switch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Counters of the program.
    pub losses: Vec<LossCounter>,
    /// The state of the device; `None`: the switch does not offer it.
    pub device: Option<DeviceReading>,
}

/// The state of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceReading {
    /// Switch time of the state.
    pub time_ns: u64,
    /// Its ports.
    pub ports: Vec<PortReading>,
    /// Counters of its traffic manager.
    pub discards: Vec<LossCounter>,
    /// Its latest changes of links, oldest first.
    pub link_changes: Vec<LinkChange>,
}

/// The state of a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortReading {
    /// The port.
    pub port: u16,
    /// Whether its link is up.
    pub is_up: bool,
    /// Rate of its link in bits per second; 0: not known.
    pub rate_bps: u64,
    /// Bytes sent since the start.
    pub sent_bytes: u64,
    /// Packets in its queues.
    pub queue_packets: u64,
    /// Bytes in its queues.
    pub queue_bytes: u64,
    /// For how long each priority was paused since the start.
    pub paused_ns: [u64; 8],
    /// Bit n: priority n is paused now.
    pub paused_priorities: u8,
}

/// A link went down or came up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkChange {
    /// When.
    pub time_ns: u64,
    /// The port.
    pub port: u16,
    /// Whether it is up from then on.
    pub is_up: bool,
}

/// What a reading shows that was not known before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// A sample of each port; none for the first reading.
    pub samples: Vec<PortSample>,
    /// The rate of each port that reports it, in bits per second.
    pub rates: Vec<(PortRef, u64)>,
    /// Ports whose links changed since the last reading, with whether they are up now.
    pub links: Vec<(PortRef, bool)>,
}

/// What is known of one switch.
#[derive(Clone, Debug, Default)]
struct Switch {
    losses: Losses,
    device: Device,
}

/// The last state of a device.
#[derive(Clone, Debug, Default)]
enum Device {
    /// It has not been read.
    #[default]
    Unread,
    /// The switch does not offer it.
    NotOffered,
    /// Reading it failed.
    Failed(String),
    Known(DeviceReading),
}

/// The records of all switches of a controller.
#[derive(Clone, Debug, Default)]
pub struct Records {
    switches: BTreeMap<String, Switch>,
    events: VecDeque<NetworkEvent>,
}

impl Records {
    /// Adds a reading of a switch.
    pub fn read(&mut self, switch: &str, reading: Reading) -> Update {
        let known = self.switches.entry(switch.to_string()).or_default();
        let before = match &known.device {
            Device::Known(device) => Some(device),
            _ => None,
        };
        let since_ns = before.map(|device| device.time_ns);
        let Some(device) = reading.device else {
            known.losses.read(switch, since_ns, &reading.losses);
            known.device = Device::NotOffered;
            return Update::default();
        };
        let counters: Vec<LossCounter> = reading.losses.iter().chain(&device.discards).copied().collect();
        let was_up = |port: u16| {
            before.is_none_or(|before| before.ports.iter().any(|known| known.port == port && known.is_up))
        };
        let changed = device.ports.iter().filter(|port| port.is_up != was_up(port.port));
        let update = Update {
            samples: before.map(|before| samples::between(switch, before, &device)).unwrap_or_default(),
            rates: device
                .ports
                .iter()
                .filter(|port| port.rate_bps > 0)
                .map(|port| (PortRef::new(switch, port.port), port.rate_bps))
                .collect(),
            links: changed.map(|port| (PortRef::new(switch, port.port), port.is_up)).collect(),
        };
        known.losses.read(switch, since_ns, &counters);
        known.device = Device::Known(device);
        update
    }

    /// Notes that a switch could not be read.
    pub fn failed(&mut self, switch: &str, why: String) {
        let known = self.switches.entry(switch.to_string()).or_default();
        // What is known stays: it is older than it should be, but true.
        if !matches!(known.device, Device::Known(_)) {
            known.device = Device::Failed(why);
        }
    }

    /// Forgets a switch whose session has ended: it may have restarted, and then it counts from 0.
    pub fn forget(&mut self, switch: &str) {
        self.switches.remove(switch);
        self.events.retain(|event| event.switch != switch);
    }

    /// Adds a change of a route, or of a link that LLDP has noticed.
    pub fn changed(&mut self, event: NetworkEvent) {
        if self.events.len() == EVENTS {
            self.events.pop_front();
        }
        self.events.push_back(event);
    }

    /// Whether the switch itself reports changes of this link: it knows their times better than LLDP.
    fn knows(&self, event: &NetworkEvent) -> bool {
        let (NetworkChange::LinkDown { port } | NetworkChange::LinkUp { port }) = event.change else {
            return false;
        };
        let switch = self.switches.get(&event.switch);
        let Some(Switch { device: Device::Known(device), .. }) = switch else { return false };
        device.link_changes.iter().any(|change| change.port == port)
    }

    /// Adds the losses and changes of all switches to a snapshot, and names the switches in it that show none.
    pub fn complete(&self, snapshot: &mut Snapshot) {
        for (name, switch) in &self.switches {
            snapshot.losses.extend(switch.losses.records().cloned());
            if let Device::Known(device) = &switch.device {
                let event = |change: &LinkChange| NetworkEvent {
                    time_ns: change.time_ns,
                    switch: name.clone(),
                    change: match change.is_up {
                        true => NetworkChange::LinkUp { port: change.port },
                        false => NetworkChange::LinkDown { port: change.port },
                    },
                };
                snapshot.events.extend(device.link_changes.iter().map(event));
            }
        }
        snapshot.events.extend(self.events.iter().filter(|event| !self.knows(event)).cloned());
        for telemetry in &snapshot.switches {
            let why = match self.switches.get(&telemetry.switch).map(|switch| &switch.device) {
                Some(Device::Known(_)) => continue,
                Some(Device::Failed(why)) => why.clone(),
                Some(Device::NotOffered) => "its P4Runtime server does not offer them".to_string(),
                Some(Device::Unread) | None => "it was not read yet".to_string(),
            };
            snapshot.missing.push(MissingData::NoDeviceState { switch: telemetry.switch.clone(), why });
        }
        snapshot.missing.sort();
    }
}

#[cfg(test)]
mod tests {
    use model::LossReason;

    use super::*;

    fn device(time_ns: u64, is_up: bool, link_changes: Vec<LinkChange>) -> DeviceReading {
        let ports = vec![PortReading { port: 1, is_up, ..PortReading::default() }];
        DeviceReading { time_ns, ports, link_changes, ..DeviceReading::default() }
    }

    fn counter(packets: u64, first_ns: u64, last_ns: u64) -> LossCounter {
        LossCounter {
            ingress_port: Some(1),
            egress_port: None,
            priority: None,
            reason: LossReason::NoRoute,
            packets,
            first_ns,
            last_ns,
        }
    }

    /// A snapshot of these switches.
    fn snapshot(switches: &[&str]) -> Snapshot {
        let telemetry = |name: &&str| {
            serde_json::json!({
                "switch": name, "frozen_ns": 0, "polled_from": [1], "on_victim_path": true, "epochs": [],
                "flows": [], "ports": [], "meters": [], "pauses": [], "bytes": 8,
            })
        };
        serde_json::from_value(serde_json::json!({
            "format": 1, "event": 7, "source": "harrier", "victim": null, "trigger": null, "epoch_ns": 1024,
            "switches": switches.iter().map(telemetry).collect::<Vec<_>>(), "missing": [], "polls": 2,
        }))
        .expect("a snapshot")
    }

    #[test]
    fn a_snapshot_gets_losses_and_outages_and_says_which_switches_show_none() {
        let mut records = Records::default();
        let down = LinkChange { time_ns: 150, port: 1, is_up: false };
        records.read("a", Reading { losses: vec![], device: Some(device(100, true, vec![])) });
        let reading =
            Reading { losses: vec![counter(2, 160, 180)], device: Some(device(200, false, vec![down])) };
        let update = records.read("a", reading);
        assert_eq!(update.links, [(PortRef::new("a", 1), false)]);
        assert_eq!(update.samples.len(), 1);
        records.read("b", Reading { losses: vec![counter(1, 7, 7)], device: None });
        records.failed("c", "a timeout".into());
        let mut snapshot = snapshot(&["a", "b", "c", "d"]);
        records.complete(&mut snapshot);
        let losses: Vec<(&str, u64, (u64, u64))> =
            snapshot.losses.iter().map(|loss| (loss.switch.as_str(), loss.packets, loss.lost_ns)).collect();
        assert_eq!(losses, [("a", 2, (160, 180)), ("b", 1, (7, 7))]);
        let event =
            NetworkEvent { time_ns: 150, switch: "a".into(), change: NetworkChange::LinkDown { port: 1 } };
        assert_eq!(snapshot.events, [event]);
        let missing =
            |switch: &str, why: &str| MissingData::NoDeviceState { switch: switch.into(), why: why.into() };
        let expected = [
            missing("b", "its P4Runtime server does not offer them"),
            missing("c", "a timeout"),
            missing("d", "it was not read yet"),
        ];
        assert_eq!(snapshot.missing, expected);
    }

    #[test]
    fn a_switch_knows_the_time_of_an_outage_better_than_lldp() {
        let lldp = |time_ns| NetworkEvent {
            time_ns,
            switch: "a".into(),
            change: NetworkChange::LinkDown { port: 1 },
        };
        let events = |records: &Records| {
            let mut snapshot = snapshot(&[]);
            records.complete(&mut snapshot);
            snapshot.events.iter().map(|event| event.time_ns).collect::<Vec<_>>()
        };
        let mut records = Records::default();
        records.changed(lldp(500));
        assert_eq!(events(&records), [500], "a switch without the state of its links");
        let down = LinkChange { time_ns: 150, port: 1, is_up: false };
        records.read("a", Reading { losses: vec![], device: Some(device(200, false, vec![down])) });
        assert_eq!(events(&records), [150], "also if LLDP was earlier");
        records.changed(lldp(500));
        assert_eq!(events(&records), [150]);
    }
}
