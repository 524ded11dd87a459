//! Creates the interfaces of a lab over netlink.

use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::AsRawFd;

use anyhow::Context;
use nix::net::if_::if_nametoindex;
use rtnetlink::packet_route::link::{InfoData, InfoVeth, LinkAttribute, LinkMessage};
use rtnetlink::packet_route::route::RouteScope;
use rtnetlink::{Handle, LinkBridge, LinkMessageBuilder, LinkUnspec, LinkVeth, RouteMessageBuilder};

use super::names::{LabNumber, MANAGEMENT_PREFIX};
use super::namespace;
use super::plan::{
    BRIDGE, CableEnd, DATA_MTU, HOST_INTERFACE, LabPlan, MANAGEMENT_INTERFACE, MANAGEMENT_MTU, NodePlan,
};

/// Segments of a packet that the kernel leaves to an interface: 1 switches segmentation offload off. Frames of the lab
/// are no longer than the MTU, as on a cable.
const GSO_SEGMENTS: u32 = 1;

/// Runs a netlink conversation in the namespace of the calling thread.
fn netlink<T, F: Future<Output = anyhow::Result<T>>>(talk: impl FnOnce(Handle) -> F) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let (connection, handle, _) = rtnetlink::new_connection().context("cannot open a netlink socket")?;
        let running = tokio::spawn(connection);
        let result = talk(handle).await;
        running.abort();
        result
    })
}

/// Creates the veth pairs of all links, each end in the namespace of its node.
pub(super) fn create_cables(plan: &LabPlan) -> anyhow::Result<()> {
    netlink(async |handle| {
        for (a, b) in &plan.links {
            create_cable(&handle, a, b, DATA_MTU).await?;
        }
        Ok(())
    })
}

async fn create_cable(handle: &Handle, a: &CableEnd, b: &CableEnd, mtu: u32) -> anyhow::Result<()> {
    let (namespace_a, namespace_b) = (namespace::open(&a.namespace)?, namespace::open(&b.namespace)?);
    let peer = LinkMessageBuilder::<LinkUnspec>::new()
        .name(b.interface.clone())
        .address(b.mac.to_vec())
        .mtu(mtu)
        .append_extra_attribute(LinkAttribute::GsoMaxSegs(GSO_SEGMENTS))
        .setns_by_fd(namespace_b.as_raw_fd())
        .build();
    let link = LinkVeth::new(&a.interface, &b.interface)
        .set_info_data(InfoData::Veth(InfoVeth::Peer(peer)))
        .address(a.mac.to_vec())
        .mtu(mtu)
        .append_extra_attribute(LinkAttribute::GsoMaxSegs(GSO_SEGMENTS))
        .setns_by_fd(namespace_a.as_raw_fd());
    handle.link().add(link.build()).execute().await.with_context(|| {
        format!(
            "cannot create the cable between {} in {} and {} in {}",
            a.interface, a.namespace, b.interface, b.namespace
        )
    })
}

/// Creates the management network: a bridge in its own namespace, one cable to every node, and one to the namespace of
/// the calling thread, where the server runs.
pub(super) fn create_management(plan: &LabPlan, number: LabNumber) -> anyhow::Result<()> {
    let bridge_namespace = number.management_namespace();
    namespace::enter(&bridge_namespace, || netlink(|handle| create_bridge(handle, number)))?;
    let own =
        std::fs::File::open("/proc/thread-self/ns/net").context("cannot open this network namespace")?;
    let bridge = namespace::open(&bridge_namespace)?;
    netlink(async |handle| {
        let cable = |name: &str, far: &str, far_namespace: i32| {
            let peer = LinkMessageBuilder::<LinkUnspec>::new()
                .name(far)
                .mtu(MANAGEMENT_MTU)
                .setns_by_fd(far_namespace)
                .build();
            LinkVeth::new(name, far)
                .set_info_data(InfoData::Veth(InfoVeth::Peer(peer)))
                .mtu(MANAGEMENT_MTU)
                .setns_by_fd(bridge.as_raw_fd())
                .build()
        };
        for (position, node) in plan.nodes.iter().enumerate() {
            let far = namespace::open(&node.namespace)?;
            let message = cable(&format!("m{position}"), MANAGEMENT_INTERFACE, far.as_raw_fd());
            handle
                .link()
                .add(message)
                .execute()
                .await
                .with_context(|| format!("cannot connect {} to the management network", node.namespace))?;
        }
        let message = cable("host", &number.host_interface(), own.as_raw_fd());
        handle
            .link()
            .add(message)
            .execute()
            .await
            .with_context(|| format!("cannot create the interface {}", number.host_interface()))?;
        // The server's end is in this namespace.
        add_address(&handle, &number.host_interface(), number.server_address().into(), MANAGEMENT_PREFIX)
            .await?;
        set_up(&handle, &number.host_interface()).await
    })?;
    let members: Vec<String> =
        (0..plan.nodes.len()).map(|position| format!("m{position}")).chain(["host".to_string()]).collect();
    namespace::enter(&bridge_namespace, || netlink(async |handle| join_bridge(handle, &members).await))
}

async fn create_bridge(handle: Handle, number: LabNumber) -> anyhow::Result<()> {
    handle
        .link()
        .add(LinkBridge::new(BRIDGE).build())
        .execute()
        .await
        .context("cannot create the bridge of the management network")?;
    add_address(&handle, BRIDGE, number.controller_address().into(), MANAGEMENT_PREFIX).await?;
    set_up(&handle, "lo").await?;
    set_up(&handle, BRIDGE).await
}

async fn join_bridge(handle: Handle, members: &[String]) -> anyhow::Result<()> {
    let bridge = index(BRIDGE)?;
    for member in members {
        let message = LinkUnspec::new_with_index(index(member)?).controller(bridge).up().build();
        set(&handle, message).await.with_context(|| format!("cannot add {member} to {BRIDGE}"))?;
    }
    Ok(())
}

/// Sets the interfaces, addresses, routes and neighbours of a node.
pub(super) fn configure(node: &NodePlan) -> anyhow::Result<()> {
    let set = || netlink(|handle| configure_node(handle, node));
    namespace::enter(&node.namespace, set)
        .with_context(|| format!("cannot configure the namespace {}", node.namespace))
}

async fn configure_node(handle: Handle, node: &NodePlan) -> anyhow::Result<()> {
    set_up(&handle, "lo").await?;
    let (management, prefix) = node.management_network();
    add_address(&handle, MANAGEMENT_INTERFACE, management.into(), prefix).await?;
    set_up(&handle, MANAGEMENT_INTERFACE).await?;
    for address in &node.addresses {
        add_address(&handle, HOST_INTERFACE, *address, if address.is_ipv4() { 32 } else { 128 }).await?;
    }
    for (_, interface) in &node.ports {
        set_up(&handle, interface).await?;
    }
    if node.neighbours.is_empty() {
        return Ok(());
    }
    let interface = index(HOST_INTERFACE)?;
    for (address, mac) in &node.neighbours {
        add_route(&handle, interface, *address).await?;
        let neighbour = handle.neighbours().add(interface, *address).link_layer_address(mac).replace();
        neighbour.execute().await.with_context(|| format!("cannot add the neighbour {address}"))?;
    }
    Ok(())
}

/// Takes an interface of a node up or down.
pub(super) fn set_state(namespace_name: &str, interface: &str, is_up: bool) -> anyhow::Result<()> {
    namespace::enter(namespace_name, || {
        netlink(async |handle| {
            let message = LinkUnspec::new_with_index(index(interface)?);
            let message = if is_up { message.up() } else { message.down() };
            set(&handle, message.build()).await.with_context(|| format!("cannot change {interface}"))
        })
    })
}

/// Removes an interface of this namespace. Returns whether it existed.
pub(super) fn remove(interface: &str) -> anyhow::Result<bool> {
    let Ok(number) = index(interface) else { return Ok(false) };
    netlink(async |handle| {
        handle.link().del(number).execute().await.with_context(|| format!("cannot remove {interface}"))
    })?;
    Ok(true)
}

async fn add_address(handle: &Handle, interface: &str, address: IpAddr, prefix: u8) -> anyhow::Result<()> {
    let request = handle.address().add(index(interface)?, address, prefix);
    request.execute().await.with_context(|| format!("cannot add the address {address} to {interface}"))
}

/// All hosts are one hop away: switches do not take part in IP routing.
async fn add_route(handle: &Handle, interface: u32, address: IpAddr) -> anyhow::Result<()> {
    let message = match address {
        IpAddr::V4(v4) => RouteMessageBuilder::<Ipv4Addr>::new()
            .destination_prefix(v4, 32)
            .output_interface(interface)
            .scope(RouteScope::Link)
            .build(),
        IpAddr::V6(v6) => RouteMessageBuilder::<Ipv6Addr>::new()
            .destination_prefix(v6, 128)
            .output_interface(interface)
            .build(),
    };
    handle.route().add(message).execute().await.with_context(|| format!("cannot add the route to {address}"))
}

async fn set_up(handle: &Handle, interface: &str) -> anyhow::Result<()> {
    let message = LinkUnspec::new_with_index(index(interface)?).up().build();
    set(handle, message).await.with_context(|| format!("cannot enable {interface}"))
}

async fn set(handle: &Handle, message: LinkMessage) -> anyhow::Result<()> {
    Ok(handle.link().set(message).execute().await?)
}

/// The number of an interface in the namespace of the calling thread.
fn index(interface: &str) -> anyhow::Result<u32> {
    if_nametoindex(interface).with_context(|| format!("no interface {interface}"))
}
