//! The ports of a switch on interfaces.

use anyhow::{Context, bail};
use model::{Rate, Time};
use net::{Options, Port};
use scenario::SwitchPort;

/// A port number, an interface, and the rate at which it sends; absent: the speed of the interface.
#[derive(Clone, Debug)]
pub(crate) struct Attachment {
    pub(crate) port: u16,
    pub(crate) interface: String,
    pub(crate) rate: Option<Rate>,
}

/// A port with its open interface.
pub(crate) struct AttachedPort {
    pub(crate) number: u16,
    pub(crate) interface: Port,
    pub(crate) rate: Rate,
}

impl AttachedPort {
    /// The port as the buffer settings see it. The delay of a virtual link is not known.
    pub(crate) fn settings(&self) -> SwitchPort {
        SwitchPort {
            number: self.number,
            rate: self.rate,
            delay: Time::ZERO,
            peer: self.interface.name().to_owned(),
        }
    }
}

/// Opens the interfaces of all ports.
pub(crate) fn open(attachments: &[Attachment]) -> anyhow::Result<Vec<AttachedPort>> {
    let mut ports: Vec<AttachedPort> = Vec::new();
    for Attachment { port, interface, rate } in attachments {
        if let Some(other) = ports.iter().find(|other| other.number == *port) {
            bail!("port {port} is attached to both {} and {interface}", other.interface.name());
        }
        if let Some(other) = ports.iter().find(|other| other.interface.name() == interface) {
            bail!("interface {interface} is attached to both port {} and port {port}", other.number);
        }
        let opened = Port::open(interface, &Options::default()).with_context(|| format!("--port {port}"))?;
        let rate = match rate {
            Some(rate) => *rate,
            None => opened.speed().with_context(|| format!("--port {port}"))?.with_context(|| {
                format!(
                    "--port {port}: the speed of {interface} is not known; add it, e.g. {port}={interface}@10G"
                )
            })?,
        };
        ports.push(AttachedPort { number: *port, interface: opened, rate });
    }
    Ok(ports)
}
