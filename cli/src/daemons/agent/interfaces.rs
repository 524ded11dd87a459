//! The network interfaces of the host, for the server: names, MAC addresses, IP addresses, MTU, speed. Over netlink, which
//! sees the namespace of this process; sysfs has the speed.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Context as _;
use proto::v1::{Interface, Interfaces};
use rtnetlink::packet_route::address::AddressAttribute;
use rtnetlink::packet_route::link::{LinkAttribute, LinkFlags, LinkMessage};
use tokio_stream::StreamExt as _;

/// Interval at which interfaces are looked at.
pub(super) const INTERVAL: Duration = Duration::from_secs(10);
/// Timeout of a look.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Returns the interfaces except for the loopback, by name.
///
/// # Errors
/// Netlink does not reply.
pub(super) async fn interfaces() -> anyhow::Result<Interfaces> {
    let (connection, handle, _) = rtnetlink::new_connection().context("cannot open a netlink socket")?;
    let running = tokio::spawn(connection);
    let listed = tokio::time::timeout(TIMEOUT, list(&handle)).await;
    running.abort();
    listed.context("netlink does not reply")?
}

async fn list(handle: &rtnetlink::Handle) -> anyhow::Result<Interfaces> {
    let mut found: BTreeMap<u32, Interface> = BTreeMap::new();
    let mut links = std::pin::pin!(handle.link().get().execute());
    while let Some(link) = links.next().await {
        let link = link.context("cannot list the interfaces")?;
        if !link.header.flags.contains(LinkFlags::Loopback) {
            found.insert(link.header.index, interface(&link));
        }
    }
    let mut addresses = std::pin::pin!(handle.address().get().execute());
    while let Some(message) = addresses.next().await {
        let message = message.context("cannot list the addresses of interfaces")?;
        let Some(interface) = found.get_mut(&message.header.index) else { continue };
        // The own address; on a point-to-point link `Address` is that of the peer.
        let own = message.attributes.iter().find_map(|attribute| match attribute {
            AddressAttribute::Local(address) => Some(address),
            _ => None,
        });
        let any = message.attributes.iter().find_map(|attribute| match attribute {
            AddressAttribute::Address(address) => Some(address),
            _ => None,
        });
        interface.addresses.extend(own.or(any).map(ToString::to_string));
    }
    let mut interfaces: Vec<Interface> = found.into_values().collect();
    interfaces.sort_by(|a, b| a.name.cmp(&b.name));
    interfaces.iter_mut().for_each(|interface| interface.addresses.sort());
    Ok(Interfaces { interfaces })
}

fn interface(link: &LinkMessage) -> Interface {
    let mut interface = Interface {
        is_up: link.header.flags.contains(LinkFlags::Up | LinkFlags::LowerUp),
        ..Interface::default()
    };
    for attribute in &link.attributes {
        match attribute {
            LinkAttribute::IfName(name) => interface.name.clone_from(name),
            LinkAttribute::Address(mac) if mac.len() == 6 => interface.mac.clone_from(mac),
            LinkAttribute::Mtu(mtu) => interface.mtu_bytes = *mtu,
            _ => {}
        }
    }
    interface.speed_mbps = speed_mbps(&interface.name, link.header.index);
    interface
}

/// Reads the speed from sysfs, unless sysfs shows another namespace. An interface without a link has -1.
fn speed_mbps(name: &str, index: u32) -> Option<u64> {
    let folder = std::path::Path::new("/sys/class/net").join(name);
    let read = |file: &str| std::fs::read_to_string(folder.join(file)).ok();
    read("ifindex").filter(|text| text.trim().parse() == Ok(index))?;
    read("speed")?.trim().parse().ok()
}
