//! The topology of a host from `lstopo --of xml` (hwloc 2): sockets, memory, PCIe switches, RNICs and GPUs.
//!
//! hwloc lists every PCIe bridge. A bridge with one link on each side is no place where paths part, so that loopback
//! tests cannot tell its two links apart: such bridges are contracted, and bridges without an RNIC or GPU below them
//! are left out. hwloc does not list the links between sockets; each pair of sockets gets one.
//!
//! Source: hwloc documentation, "Importing and exporting topologies from/to XML files"; PCI Code and ID Assignment
//! Specification for the classes.

use std::collections::BTreeMap;

use model::host::loopback::{HostLink, HostNode, HostNodeKind, HostTopology};
use roxmltree::{Document, Node, ParsingOptions};

/// Maximum nodes of a document; that of a host with eight GPUs has about 5,000.
const MAX_NODES: u32 = 1_000_000;
/// Classes of PCI devices that are GPUs: 3D controller, other display controller, processing accelerator.
const GPU_CLASSES: [&str; 3] = ["0302", "0380", "1200"];
/// `osdev_type` of an RDMA device (hwloc 2).
const OPENFABRICS: &str = "3";
const COPROCESSOR: &str = "5";

/// Reads the XML of hwloc.
///
/// # Errors
/// All problems, each with its position: no XML, another version of the format, no sockets, no RNIC.
pub fn read(text: &str) -> Result<HostTopology, Vec<String>> {
    let options = ParsingOptions { allow_dtd: true, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        let at = error.pos();
        vec![format!("{}:{}: not XML: {error}", at.row, at.col)]
    })?;
    let root = document.root_element();
    let version = root.attribute("version").unwrap_or("none");
    if !root.has_tag_name("topology") || !version.starts_with("2.") {
        return Err(vec![format!(
            "1:1: expected the XML of hwloc 2 (`lstopo --of xml`), found `{}` of version {version}",
            root.tag_name().name()
        )]);
    }
    let mut reader =
        Reader { document: &document, nodes: Vec::new(), links: Vec::new(), problems: Vec::new() };
    reader.objects(root);
    reader.finish()
}

/// A node that is being read, with the names of nodes and links.
struct Reader<'d, 'x> {
    document: &'d Document<'x>,
    nodes: Vec<HostNode>,
    links: Vec<HostLink>,
    problems: Vec<String>,
}

impl Reader<'_, '_> {
    fn objects(&mut self, root: Node<'_, '_>) {
        let of_kind = |kind: &'static str| {
            root.descendants().filter(move |node| is_object(*node) && node.attribute("type") == Some(kind))
        };
        let sockets: Vec<String> = of_kind("Package").map(|node| format!("socket{}", index(node))).collect();
        self.nodes.extend(sockets.iter().map(|name| node(name, HostNodeKind::Socket)));
        for (at, first) in sockets.iter().enumerate() {
            for second in &sockets[at + 1..] {
                let name = format!("{first}-{second}");
                self.links.push(link(&name, first, second));
            }
        }
        for memory in of_kind("NUMANode") {
            let name = format!("memory{}", index(memory));
            self.attach(memory, &name, HostNodeKind::Memory, &sockets);
        }
        for device in of_kind("PCIDev") {
            if let Some((name, kind)) = device_of(device) {
                self.attach(device, &name, kind, &sockets);
            }
        }
    }

    /// Adds a node with the links towards its socket, over its bridges.
    fn attach(&mut self, object: Node<'_, '_>, name: &str, kind: HostNodeKind, sockets: &[String]) {
        let Some(socket) = socket_of(object, sockets) else {
            let at = self.document.text_pos_at(object.range().start);
            self.problems.push(format!("{}:{}: {name} belongs to no socket", at.row, at.col));
            return;
        };
        if self.nodes.iter().any(|known| known.name == name) {
            return;
        }
        self.nodes.push(node(name, kind));
        let mut below = name.to_string();
        for bridge in object.ancestors().skip(1).filter(|node| is_bridge(*node)) {
            let above = format!("bridge {}", bridge.attribute("pci_busid").unwrap_or("?"));
            self.links.push(link(&below, &above, &below));
            if self.nodes.iter().any(|known| known.name == above) {
                return;
            }
            self.nodes.push(node(&above, HostNodeKind::PcieSwitch));
            below = above;
        }
        self.links.push(link(&below, &socket, &below));
    }

    fn finish(mut self) -> Result<HostTopology, Vec<String>> {
        for (kind, what) in [(HostNodeKind::Socket, "socket (Package)"), (HostNodeKind::Nic, "RDMA device")] {
            if !self.nodes.iter().any(|node| node.kind == kind) {
                self.problems.push(format!("1:1: the host has no {what}"));
            }
        }
        if self.problems.is_empty() { Ok(contracted(self.nodes, self.links)) } else { Err(self.problems) }
    }
}

fn node(name: &str, kind: HostNodeKind) -> HostNode {
    HostNode { name: name.to_string(), kind }
}

/// A link, named after its lower end.
fn link(name: &str, above: &str, below: &str) -> HostLink {
    HostLink { name: name.to_string(), between: [above.to_string(), below.to_string()] }
}

fn is_object(node: Node<'_, '_>) -> bool {
    node.has_tag_name("object")
}

/// Whether the object is a bridge between PCI buses; a host bridge is part of the socket.
fn is_bridge(node: Node<'_, '_>) -> bool {
    is_object(node)
        && node.attribute("type") == Some("Bridge")
        && node.attribute("bridge_type").is_some_and(|kind| kind.starts_with("1-"))
}

fn index<'a>(node: Node<'a, '_>) -> &'a str {
    node.attribute("os_index").unwrap_or("0")
}

/// The socket of an object: the one around it, or the only one.
fn socket_of(object: Node<'_, '_>, sockets: &[String]) -> Option<String> {
    let package =
        object.ancestors().find(|node| is_object(*node) && node.attribute("type") == Some("Package"));
    match (package, sockets) {
        (Some(package), _) => Some(format!("socket{}", index(package))),
        (None, [only]) => Some(only.clone()),
        (None, _) => None,
    }
}

/// The name and kind of an RNIC or GPU; `None` for another device.
fn device_of<'a>(device: Node<'a, '_>) -> Option<(String, HostNodeKind)> {
    let os_devices: Vec<Node<'a, '_>> = device
        .children()
        .filter(|node| is_object(*node) && node.attribute("type") == Some("OSDev"))
        .collect();
    let of_type = |wanted: &str| os_devices.iter().find(|node| node.attribute("osdev_type") == Some(wanted));
    if let Some(rdma) = of_type(OPENFABRICS) {
        return Some((rdma.attribute("name")?.to_string(), HostNodeKind::Nic));
    }
    let class = device.attribute("pci_type").and_then(|text| text.split_whitespace().next())?;
    if !GPU_CLASSES.contains(&class) && of_type(COPROCESSOR).is_none() {
        return None;
    }
    let address = device.attribute("pci_busid").unwrap_or("?");
    let management = os_devices.iter().filter_map(|node| node.attribute("name"));
    let named = management.clone().find(|name| name.starts_with("nvml") || name.starts_with("rsmi"));
    Some((named.map_or_else(|| format!("gpu {address}"), str::to_string), HostNodeKind::Gpu))
}

/// Contracts bridges with two links, until none is left. The link keeps the name of its lower part.
fn contracted(mut nodes: Vec<HostNode>, mut links: Vec<HostLink>) -> HostTopology {
    loop {
        let mut degree: BTreeMap<&str, usize> = BTreeMap::new();
        for end in links.iter().flat_map(|link| &link.between) {
            *degree.entry(end).or_default() += 1;
        }
        let is_passed = |node: &&HostNode| {
            node.kind == HostNodeKind::PcieSwitch && degree.get(node.name.as_str()) == Some(&2)
        };
        let Some(bridge) = nodes.iter().find(is_passed).map(|node| node.name.clone()) else { break };
        nodes.retain(|node| node.name != bridge);
        let upper = links.iter().find(|link| link.between[1] == bridge).map(|link| link.between[0].clone());
        links.retain(|link| link.between[1] != bridge);
        for (link, above) in links.iter_mut().filter(|link| link.between[0] == bridge).zip(upper) {
            link.between[0] = above;
        }
    }
    HostTopology { nodes, links }
}
