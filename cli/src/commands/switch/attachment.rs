//! What the ports of a switch are attached to, as arguments.

use std::net::SocketAddr;
use std::str::FromStr;

use anyhow::bail;

use super::Args;
use crate::dataplane::Attachment;

/// Largest number of a port on an interface: 510 is the controller's port and 511 the drop port.
pub(super) const MAX_PORT: u16 = 509;

/// Two ports that are connected with each other.
#[derive(Clone, Copy)]
pub(super) struct Cable(pub(super) u16, pub(super) u16);

impl FromStr for Cable {
    type Err = String;

    fn from_str(text: &str) -> Result<Cable, String> {
        let ends = text.split_once(':').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        ends.map(|(a, b)| Cable(a, b)).ok_or_else(|| "expected two port numbers, e.g. 1:2".into())
    }
}

/// A port that is connected to a tunnel.
#[derive(Clone, Copy)]
pub(super) struct Tunnel {
    pub(super) port: u16,
    pub(super) local: SocketAddr,
    pub(super) remote: SocketAddr,
}

/// The value of `--port`.
#[derive(Clone)]
pub(super) enum PortArgument {
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
pub(super) enum Attached {
    Interfaces(Vec<Attachment>),
    Tunnels(Vec<Tunnel>),
}

/// Sorts the arguments: a switch either has interfaces or cables and tunnels.
pub(super) fn sort(args: &Args) -> anyhow::Result<Attached> {
    let (mut interfaces, mut tunnels) = (Vec::new(), Vec::new());
    for argument in &args.attached {
        match argument {
            PortArgument::Interface(attachment) => interfaces.push(attachment.clone()),
            PortArgument::Tunnel(tunnel) => tunnels.push(*tunnel),
        }
    }
    if interfaces.is_empty() {
        if args.tm.is_some() {
            bail!("--tm needs ports on interfaces; cables and tunnels have no queues");
        }
        return Ok(Attached::Tunnels(tunnels));
    }
    if !tunnels.is_empty() || !args.cables.is_empty() {
        bail!("a switch has either ports on interfaces or cables and tunnels, not both");
    }
    Ok(Attached::Interfaces(interfaces))
}

/// A MAC address.
#[derive(Clone, Copy, Debug)]
pub(super) struct MacAddress(pub(super) [u8; 6]);

/// Reads a MAC address: six bytes in hexadecimal, separated by colons.
pub(super) fn mac(text: &str) -> Result<MacAddress, String> {
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
