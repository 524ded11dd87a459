//! Reads the ports of a P4 switch over P4Runtime: the state of the device (docs/p4runtime.md), which has what the counters of a
//! fixed-function switch have. So pauses are followed through a network that has both, whether or not a flow of the P4 switch
//! was slow. Reading needs no role: the switch keeps its controller.

use std::collections::BTreeMap;

use anyhow::{Context, anyhow, bail};
use counters::{GroupReading, PollIntervals, PortReading, PriorityReading, QueueReading, Reading, Source};
use model::Rate;
use p4runtime::client::{Client, ClientConfig, ClientError, ClientTls};
use p4runtime::proto::p4switch::v1::{Class, DeviceState, Port};
use tokio::runtime::{Builder, Runtime};

use super::address::P4Address;
use super::{Read, ReadingSource};
use crate::daemons::operations::clock::wall_ns;

/// Maximum ports that are read, as of other switches.
const MAX_PORTS: usize = 4_096;

/// A P4 switch.
pub(crate) struct P4Switch {
    name: String,
    address: P4Address,
    tls: Option<ClientTls>,
    connected: Option<(Runtime, Client)>,
}

impl P4Switch {
    /// The switch `name` at an address; `tls` has the certificates for an encrypted one.
    pub(crate) fn new(name: String, address: P4Address, tls: Option<ClientTls>) -> P4Switch {
        P4Switch { name, address, tls, connected: None }
    }

    fn connect(&self) -> anyhow::Result<(Runtime, Client)> {
        let runtime = Builder::new_current_thread().enable_all().build().context("cannot start")?;
        let scheme = if self.address.is_tls { "https" } else { "http" };
        let domain = || self.address.certificate_name.clone();
        let tls =
            self.tls.clone().filter(|_| self.address.is_tls).map(|tls| ClientTls { domain: domain(), ..tls });
        if self.address.is_tls && tls.is_none() {
            bail!("p4runtimes:// needs certificates; specify --tls-ca, --tls-certificate and --tls-key");
        }
        let config = ClientConfig { tls, ..ClientConfig::new(self.address.device_id) };
        let endpoint = format!("{scheme}://{}", self.address.authority);
        let client = runtime.block_on(Client::connect(&endpoint, config)).map_err(explained)?;
        Ok((runtime, client))
    }
}

impl ReadingSource for P4Switch {
    fn read(&mut self) -> anyhow::Result<Read> {
        let (runtime, mut client) = match self.connected.take() {
            Some(connected) => connected,
            None => self.connect()?,
        };
        let time_ns = wall_ns();
        let Some(state) = runtime.block_on(client.device_state()).map_err(explained)? else {
            // A switch that does not know this client refuses every call.
            runtime.block_on(client.api_version()).map_err(explained)?;
            bail!(
                "the switch does not offer the state of its device, which has the pauses and queues of its ports; harrier \
                 switch does"
            );
        };
        // Only a connection without an error is used again.
        self.connected = Some((runtime, client));
        let has_classes = state.ports.iter().all(|port| !port.classes.is_empty());
        let problems = (!has_classes).then(|| {
            "the switch sends no frames and queues of priorities: its version is older, and congested ports are not found by \
             their queues"
                .to_string()
        });
        let reading = reading(&self.name, time_ns, &state);
        Ok(Read { reading, names: None, problems: problems.into_iter().collect(), configuration: None })
    }
}

/// The error with what to do about it. As text, because it has its causes in it, and they would be printed twice.
fn explained(error: ClientError) -> anyhow::Error {
    let text = error.to_string();
    match text.contains("invalid peer certificate") {
        true => {
            anyhow!("{text}; expected a certificate of an authority in --tls-ca, for the host of the address")
        }
        false => anyhow!(text),
    }
}

/// The reading of a state.
fn reading(switch: &str, time_ns: u64, state: &DeviceState) -> Reading {
    // Names of ports are their numbers, as Harrier's controller announces them by LLDP.
    let ports = state.ports.iter().take(MAX_PORTS);
    let ports = ports.filter_map(|port| Some((port.port.to_string(), port_reading(port)?)));
    Reading {
        switch: switch.to_string(),
        time_ns,
        time_is_assumed: false,
        source: Source::P4Runtime,
        lacks_watchdog: false,
        ports: ports.collect::<BTreeMap<_, _>>(),
        neighbours: Vec::new(),
        addresses: Vec::new(),
        // The state is that of the moment, and has the peaks of the last two seconds.
        polled: PollIntervals { ports_ms: Some(0), queues_ms: Some(0), watermarks_ms: Some(0) },
    }
}

fn port_reading(port: &Port) -> Option<PortReading> {
    let priority = |number: usize| {
        let class = port.classes.get(number);
        let count = |of: fn(&Class) -> u64| class.map(of);
        PriorityReading {
            pause_rx_frames: count(|class| class.pfc_frames_received),
            pause_tx_frames: count(|class| class.pfc_frames_sent),
            pause_rx_ns: port.paused_ns.get(number).copied(),
            is_paused: Some(port.paused_priorities >> number & 1 == 1),
            queue: QueueReading {
                packets: count(|class| class.sent_packets),
                bytes: count(|class| class.sent_bytes),
                watermark_bytes: count(|class| class.queue_peak_bytes),
                occupancy_bytes: count(|class| class.queue_bytes),
                ..QueueReading::default()
            },
            group: GroupReading {
                headroom_watermark_bytes: class.and_then(|class| class.headroom_peak_bytes),
                ..GroupReading::default()
            },
            ..PriorityReading::default()
        }
    };
    Some(PortReading {
        number: Some(u16::try_from(port.port).ok()?),
        speed: Some(Rate(port.rate_bps)).filter(|rate| rate.0 > 0),
        up: Some(port.is_up),
        tx_bytes: Some(port.sent_bytes),
        priorities: std::array::from_fn(priority),
        ..PortReading::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_of_a_device_is_a_reading() {
        let class = |number: u64| Class {
            pfc_frames_received: number,
            pfc_frames_sent: 10 + number,
            sent_packets: 20 + number,
            sent_bytes: 30 + number,
            queue_bytes: 40 + number,
            queue_peak_bytes: 50 + number,
            headroom_peak_bytes: Some(60 + number),
        };
        let port = Port {
            port: 3,
            is_up: true,
            sent_bytes: 900,
            paused_ns: (0..8).map(|priority| priority * 1_000).collect(),
            paused_priorities: 1 << 3,
            rate_bps: 100_000_000_000,
            classes: (0..8).map(class).collect(),
            ..Port::default()
        };
        let beyond = Port { port: 70_000, ..port.clone() };
        let state = DeviceState { ports: vec![port.clone(), beyond], ..DeviceState::default() };
        let found = reading("leaf1", 7, &state);
        assert_eq!((found.switch.as_str(), found.time_ns, found.ports.len()), ("leaf1", 7, 1));
        let read = &found.ports["3"];
        assert_eq!((read.number, read.up, read.tx_bytes), (Some(3), Some(true), Some(900)));
        let three = read.priorities[3];
        assert_eq!((three.pause_rx_frames, three.pause_tx_frames), (Some(3), Some(13)));
        assert_eq!((three.pause_rx_ns, three.is_paused), (Some(3_000), Some(true)));
        assert_eq!(three.queue.packets.zip(three.queue.bytes), Some((23, 33)));
        assert_eq!(three.queue.occupancy_bytes.zip(three.queue.watermark_bytes), Some((43, 53)));
        assert_eq!(three.group.headroom_watermark_bytes, Some(63));
        assert_eq!(read.priorities[4].is_paused, Some(false));

        // An older switch has no priorities: they count as not measured, not as 0.
        let older =
            DeviceState { ports: vec![Port { classes: Vec::new(), ..port }], ..DeviceState::default() };
        let three = reading("leaf1", 7, &older).ports["3"].priorities[3];
        assert_eq!((three.pause_rx_frames, three.pause_rx_ns), (None, Some(3_000)));
        assert_eq!((three.queue, three.group), (QueueReading::default(), GroupReading::default()));
    }
}
