//! A switch's neighbours from its minigraph: the links and devices of `PngDec`. Elements are found by their local names.

use roxmltree::{Document, Node, ParsingOptions};

use super::{Cable, Described, Device, End, address};

/// Maximum nodes of a document; a minigraph of a chassis with 1,024 ports has about 100,000.
const MAX_NODES: u32 = 4_000_000;
/// The types of links that carry data; the others are for management and consoles, or logical.
const DATA_LINKS: [&str; 2] = ["DeviceInterfaceLink", "UnderlayInterfaceLink"];

pub(super) fn read(file: &str, text: &str, problems: &mut Vec<String>) -> Described {
    let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = match Document::parse_with_options(text.trim_start_matches('\u{feff}'), options) {
        Ok(document) => document,
        Err(error) => {
            let at = error.pos();
            problems.push(format!("{file}:{}:{}: not XML: {error}", at.row, at.col));
            return Described::default();
        }
    };
    let place = |node: Node<'_, '_>| {
        let at = document.text_pos_at(node.range().start);
        format!("{file}:{}:{}", at.row, at.col)
    };
    let root = document.root_element();
    let (Some(switch), Some(png)) = (text_of(root, "Hostname"), child(root, "PngDec")) else {
        problems.push(format!("{file}: not a minigraph: the root element has no Hostname or no PngDec"));
        return Described::default();
    };
    let mut described = Described { file: file.into(), switch: switch.clone(), ..Described::default() };
    for node in child(png, "Devices").into_iter().flat_map(|devices| children(devices, "Device")) {
        match device(node, place(node)) {
            Some(device) => described.devices.push(device),
            None => problems.push(format!("{}: Device: there is no Hostname", place(node))),
        }
    }
    let links = child(png, "DeviceInterfaceLinks");
    for node in links.into_iter().flat_map(|links| children(links, "DeviceLinkBase")) {
        if !kind(node).is_some_and(|kind| DATA_LINKS.contains(&kind.as_str())) {
            continue;
        }
        match cable(node, &switch, place(node)) {
            Ok(Some(mut cable)) => {
                cable.speed_mbps = cable.speed_mbps.or_else(|| interface_speed(root, &cable.near.port));
                described.cables.push(cable);
            }
            Ok(None) => {}
            Err(why) => problems.push(format!("{}: DeviceLinkBase: {why}", place(node))),
        }
    }
    described
}

fn device(node: Node<'_, '_>, place: String) -> Option<Device> {
    let addresses = ["Address", "AddressV6"].into_iter().filter_map(|name| {
        let prefix = child(node, name)?.descendants().find(|inner| inner.tag_name().name() == "IPPrefix")?;
        address(prefix.text()?)
    });
    Some(Device { name: text_of(node, "Hostname")?, kind: kind(node), addresses: addresses.collect(), place })
}

/// Reads a link; `None` if it is one of other devices.
fn cable(node: Node<'_, '_>, switch: &str, place: String) -> Result<Option<Cable>, String> {
    let end = |device: &'static str, port: &'static str| -> Result<End, String> {
        let text = |name| text_of(node, name).ok_or_else(|| format!("there is no {name}"));
        Ok(End { device: text(device)?, port: text(port)? })
    };
    let (start, end) = (end("StartDevice", "StartPort")?, end("EndDevice", "EndPort")?);
    let is_own = |end: &End| end.device.eq_ignore_ascii_case(switch);
    let (near, far) = match (is_own(&end), is_own(&start)) {
        (true, _) => (end, start),
        (false, true) => (start, end),
        (false, false) => return Ok(None),
    };
    let bandwidth = text_of(node, "Bandwidth");
    let speed = bandwidth
        .map(|text| text.parse().map_err(|_| format!("Bandwidth: `{text}` is not a number of Mb/s")));
    Ok(Some(Cable { near, far, speed_mbps: speed.transpose()?, length_m: None, place }))
}

/// The speed of an interface of the switch, for a link without one: that in the first of `DeviceInfos`, as in SONiC.
fn interface_speed(root: Node<'_, '_>, port: &str) -> Option<u64> {
    let info = child(child(root, "DeviceInfos")?, "DeviceInfo")?;
    let mut interfaces = children(child(info, "EthernetInterfaces")?, "EthernetInterface");
    let interface = interfaces.find(|node| text_of(*node, "InterfaceName").as_deref() == Some(port))?;
    text_of(interface, "Speed")?.parse().ok()
}

/// The type: the element `ElementType`, otherwise the attribute `i:type`.
fn kind(node: Node<'_, '_>) -> Option<String> {
    let attribute = || node.attributes().find(|a| a.name() == "type").map(|a| a.value().to_owned());
    text_of(node, "ElementType").or_else(attribute)
}

fn children<'a, 'i: 'a>(node: Node<'a, 'i>, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |child| child.tag_name().name() == name)
}

fn child<'a, 'i: 'a>(node: Node<'a, 'i>, name: &'static str) -> Option<Node<'a, 'i>> {
    children(node, name).next()
}

fn text_of(node: Node<'_, '_>, name: &'static str) -> Option<String> {
    let text = child(node, name)?.text()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
