//! Sends polling packets: frames of Harrier's EtherType, padded to the shortest frame.

use model::wire::lldp::{ChassisId, Lldp, PortId};
use model::wire::polling::{POLLING_BYTES, Polling};
use model::wire::{ETHERTYPE_POLLING, Ethernet, Frame};
use net::{Options, Port};

/// Length of the shortest Ethernet frame, without its check sequence (IEEE 802.3, clause 4.4.2).
const SHORTEST: usize = 60;

/// Where polling packets go.
pub(crate) trait PollOutput: Send {
    /// Sends a polling packet.
    fn send(&mut self, polling: &Polling);

    /// Announces the host with LLDP (IEEE 802.1AB), so that its switch knows which port leads here. Without an interface
    /// nothing is announced.
    fn announce(&mut self, _host: &str, _ttl_s: u16) {}
}

/// An interface.
pub(crate) struct InterfacePolls(Port);

impl InterfacePolls {
    /// Opens the interface for sending.
    ///
    /// # Errors
    /// There is no such interface, or the process may not use it.
    pub(crate) fn open(interface: &str) -> Result<InterfacePolls, net::Error> {
        // Nothing has to be received here.
        let options =
            Options { promiscuous: false, ethertype: Some(ETHERTYPE_POLLING), ..Options::default() };
        Port::open(interface, &options).map(InterfacePolls)
    }
}

impl PollOutput for InterfacePolls {
    fn send(&mut self, polling: &Polling) {
        self.0.refresh();
        let frame = polling_frame(self.0.address(), polling);
        self.0.send(&[frame]);
    }

    fn announce(&mut self, host: &str, ttl_s: u16) {
        self.0.refresh();
        let mac = self.0.address();
        self.0.send(&[announcement(mac, host, ttl_s).to_frame(mac)]);
    }
}

/// Standard output, one line of JSON for each packet: for hosts whose polling packets another program sends, and for
/// tests.
pub(crate) struct PrintedPolls;

impl PollOutput for PrintedPolls {
    fn send(&mut self, polling: &Polling) {
        let frame = polling_frame([0; 6], polling);
        let mut bytes = frame.head.to_vec();
        bytes.resize(frame.len() as usize, 0);
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let line = serde_json::json!({ "poll": hex, "event": polling.event, "flow": polling.flow });
        // An agent goes on without a reader of its polls.
        let _ = stdout_line!("{line}");
    }
}

/// Returns what a host announces: its name, and the MAC address of the interface, by which the server finds its addresses
/// among those that the agent reports.
fn announcement(mac: [u8; 6], host: &str, ttl_s: u16) -> Lldp {
    Lldp {
        chassis: ChassisId::Mac(mac),
        port: PortId::Mac(mac),
        ttl_s,
        port_description: None,
        system_name: Some(host.to_string()),
        system_description: Some(format!("Harrier agent {}", env!("CARGO_PKG_VERSION"))),
    }
}

/// Returns the frame of a polling packet.
fn polling_frame(mac: [u8; 6], polling: &Polling) -> Frame {
    let header = Ethernet { dst: [0xff; 6], src: mac, ethertype: ETHERTYPE_POLLING };
    let mut frame = Frame::new(&header.to_bytes(), 0);
    frame.head.extend_from_slice(&polling.to_bytes());
    frame.tail = SHORTEST.saturating_sub(header.to_bytes().len() + POLLING_BYTES) as u32;
    frame
}
