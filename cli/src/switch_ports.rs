//! What the ports of a switch are attached to: as arguments and keys, and what contradicts itself.

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;

use crate::dataplane::Attachment;

/// Largest number of a port on an interface: 510 is the controller's port and 511 the drop port.
pub(crate) const MAX_PORT: u16 = 509;

/// Two ports that are connected with each other.
#[derive(Clone, Copy)]
pub(crate) struct Cable(pub(crate) u16, pub(crate) u16);

impl FromStr for Cable {
    type Err = String;

    fn from_str(text: &str) -> Result<Cable, String> {
        let ends = text.split_once(':').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        ends.map(|(a, b)| Cable(a, b)).ok_or_else(|| "expected two port numbers, e.g. 1:2".into())
    }
}

/// A port that is connected to a tunnel.
#[derive(Clone, Copy)]
pub(crate) struct Tunnel {
    pub(crate) port: u16,
    pub(crate) local: SocketAddr,
    pub(crate) remote: SocketAddr,
}

/// The value of `--port`.
#[derive(Clone)]
pub(crate) enum PortArgument {
    Interface(Attachment),
    Tunnel(Tunnel),
}

impl FromStr for PortArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<PortArgument, String> {
        let expected =
            || "expected PORT=INTERFACE[@RATE], e.g. 1=eth1 or 1=eth1@10G, or PORT=udp:LOCAL,REMOTE";
        let (port, attached) = text.split_once('=').ok_or_else(expected)?;
        let port: u16 = port.parse().map_err(|_| expected())?;
        if let Some(ends) = attached.strip_prefix("udp:") {
            return tunnel(port, ends).map(PortArgument::Tunnel);
        }
        if !(1..=MAX_PORT).contains(&port) {
            return Err(format!("port {port} on an interface; expected a number from 1 to {MAX_PORT}"));
        }
        let (interface, rate) = match attached.rsplit_once('@') {
            Some((interface, rate)) => (interface, Some(rate)),
            None => (attached, None),
        };
        let rate = match rate {
            Some(text) => match scenario::parse_rate(text).filter(|rate| rate.0 > 0) {
                Some(rate) => Some(rate),
                None => return Err(format!("`{text}` is not a rate; expected e.g. 10M, 1G or 25G")),
            },
            None => None,
        };
        Ok(PortArgument::Interface(Attachment { port, interface: interface.to_owned(), rate }))
    }
}

fn tunnel(port: u16, ends: &str) -> Result<Tunnel, String> {
    let parse = || {
        let (local, remote) = ends.split_once(',')?;
        Some(Tunnel { port, local: local.parse().ok()?, remote: remote.parse().ok()? })
    };
    parse().ok_or_else(|| "expected PORT=udp:LOCAL,REMOTE, e.g. 1=udp:127.0.0.1:7001,127.0.0.1:7002".into())
}

/// What the ports of a switch are attached to.
pub(crate) enum Attached {
    Interfaces(Vec<Attachment>),
    Tunnels(Vec<Tunnel>),
}

/// Sorts what ports are attached to: a switch has either interfaces or cables and tunnels.
pub(crate) fn sort(ports: &[PortArgument]) -> Attached {
    let (mut interfaces, mut tunnels) = (Vec::new(), Vec::new());
    for port in ports {
        match port {
            PortArgument::Interface(attachment) => interfaces.push(attachment.clone()),
            PortArgument::Tunnel(tunnel) => tunnels.push(*tunnel),
        }
    }
    if interfaces.is_empty() { Attached::Tunnels(tunnels) } else { Attached::Interfaces(interfaces) }
}

/// What a switch is attached to, to be checked.
pub(crate) struct Attachments {
    /// The values of the key `port`.
    pub(crate) ports: Vec<PortArgument>,
    pub(crate) cables: Vec<Cable>,
    /// The number of ports of a switch without interfaces.
    pub(crate) count: u16,
    pub(crate) has_tm: bool,
}

impl Attachments {
    /// Returns what contradicts itself, each with the key that is wrong.
    pub(crate) fn problems(&self) -> Vec<(&'static str, String)> {
        let mut problems = Vec::new();
        match sort(&self.ports) {
            Attached::Interfaces(interfaces) => {
                problems.extend(duplicate_interfaces(&interfaces));
                if interfaces.len() < self.ports.len() || !self.cables.is_empty() {
                    let text = "a switch has either ports on interfaces or cables and tunnels, not both";
                    problems.push(("port", text.into()));
                }
            }
            Attached::Tunnels(tunnels) => {
                problems.extend(self.connected_twice(&tunnels));
                if self.has_tm {
                    let text = "needs ports on interfaces; cables and tunnels have no queues";
                    problems.push(("tm", text.into()));
                }
            }
        }
        problems
    }

    fn connected_twice(&self, tunnels: &[Tunnel]) -> Vec<(&'static str, String)> {
        let ends = self.cables.iter().flat_map(|Cable(a, b)| [("cable", *a), ("cable", *b)]);
        let ends: Vec<(&str, u16)> = ends.chain(tunnels.iter().map(|tunnel| ("port", tunnel.port))).collect();
        let mut problems = Vec::new();
        for (index, (key, port)) in ends.iter().enumerate() {
            if !(1..=self.count).contains(port) {
                problems.push((*key, format!("no port {port}; the switch has ports 1 to {}", self.count)));
            } else if ends.iter().take(index).any(|(_, other)| other == port) {
                problems.push((*key, format!("port {port} is connected twice")));
            }
        }
        problems
    }
}

fn duplicate_interfaces(attached: &[Attachment]) -> Vec<(&'static str, String)> {
    let mut problems = Vec::new();
    for (index, Attachment { port, interface, .. }) in attached.iter().enumerate() {
        let before = attached.get(..index).unwrap_or_default();
        if let Some(other) = before.iter().find(|other| other.port == *port) {
            let text = format!("port {port} is attached to both {} and {interface}", other.interface);
            problems.push(("port", text));
        } else if let Some(other) = before.iter().find(|other| other.interface == *interface) {
            let text =
                format!("interface {interface} is attached to both port {} and port {port}", other.port);
            problems.push(("port", text));
        }
    }
    problems
}

/// A MAC address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MacAddress(pub(crate) [u8; 6]);

impl fmt::Display for MacAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

/// Reads a MAC address: six bytes in hexadecimal, separated by colons.
pub(crate) fn mac(text: &str) -> Result<MacAddress, String> {
    let mut address = [0; 6];
    let mut parts = text.split(':');
    for byte in &mut address {
        let part = parts.next().filter(|part| part.len() == 2);
        *byte = part
            .and_then(|part| u8::from_str_radix(part, 16).ok())
            .ok_or("expected six bytes in hexadecimal, e.g. 02:00:00:00:00:01")?;
    }
    match parts.next() {
        None if address[0] & 1 == 0 => Ok(MacAddress(address)),
        None => Err("a group address; the lowest bit of the first byte must be 0".into()),
        Some(_) => Err("expected six bytes in hexadecimal, e.g. 02:00:00:00:00:01".into()),
    }
}
