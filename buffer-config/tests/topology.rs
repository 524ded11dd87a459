//! The topology from CONFIG_DB and minigraphs, and everything that can be wrong with them.

use std::collections::BTreeMap;

use buffer_config::topology::{Imported, Supplement, merge, read};
use serde_json::{Value, json};

/// Reads the files and puts them together.
fn import(files: &[(&str, String)], hosts: &[(&str, &str)]) -> Imported {
    let mut problems = Vec::new();
    let described: Vec<_> = files.iter().map(|(name, text)| read(name, text, &mut problems)).collect();
    let addresses: BTreeMap<_, _> =
        hosts.iter().map(|(name, address)| (name.to_string(), vec![address.parse().unwrap()])).collect();
    let mut imported = merge(&described, &Supplement { addresses, cable_m: 2 });
    imported.problems.splice(0..0, problems);
    imported
}

/// A switch with four ports of 100 Gb/s, and these neighbours: port, device, port.
fn config_db(name: &str, neighbours: &[(&str, &str, &str)]) -> Value {
    let port = |number: u32| {
        let fields = json!({"alias": format!("hundredGigE1/{number}"), "speed": "100000", "lanes": "1"});
        (format!("Ethernet{}", 4 * (number - 1)), fields)
    };
    let neighbour =
        |(port, device, far): &(&str, &str, &str)| (port.to_string(), json!({"name": device, "port": far}));
    let kind = |name: &str| if name.starts_with('h') { "Server" } else { "LeafRouter" };
    let metadata = |(_, device, _): &(&str, &str, &str)| (device.to_string(), json!({"type": kind(device)}));
    json!({
        "DEVICE_METADATA": {"localhost": {"hostname": name, "type": "ToRRouter"}},
        "PORT": (1..=4).map(port).collect::<serde_json::Map<_, _>>(),
        "DEVICE_NEIGHBOR": neighbours.iter().map(neighbour).collect::<serde_json::Map<_, _>>(),
        "DEVICE_NEIGHBOR_METADATA": neighbours.iter().map(metadata).collect::<serde_json::Map<_, _>>(),
        "CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m", "Ethernet4": "0m"}},
    })
}

fn check_links(imported: &Imported, expected: &[&str]) {
    let show = |link: &model::topology::Link| {
        format!("{} {} {} {} ps", link.a, link.b, link.rate.0 / 1_000_000_000, link.delay.0)
    };
    let links: Vec<String> = imported.topology.links.iter().map(show).collect();
    assert_eq!(imported.problems, Vec::<String>::new());
    assert_eq!(links, expected);
}

fn check_problems(files: &[(&str, String)], expected: &[&str]) {
    let problems = import(files, &[]).problems;
    assert_eq!(problems, expected, "{problems:#?}");
}

fn leaf() -> Value {
    config_db("leaf1", &[("Ethernet0", "spine1", "Ethernet8"), ("Ethernet4", "h1", "eth0")])
}

fn spine() -> Value {
    config_db("spine1", &[("Ethernet8", "LEAF1", "hundredGigE1/1")])
}

#[test]
fn both_ends_of_a_cable_become_one_link() {
    let files = [("leaf1.json", leaf().to_string()), ("spine1.json", spine().to_string())];
    let imported = import(&files, &[("h1", "10.0.0.1")]);
    check_links(&imported, &["h1:1 leaf1:2 100 10000 ps", "leaf1:1 spine1:3 100 200000 ps"]);
    let names: Vec<&str> = imported.topology.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["h1", "leaf1", "spine1"]);
    assert!(imported.topology.is_host("h1"));
    assert_eq!(imported.port_names[&"spine1:3".parse().unwrap()], "Ethernet8");
}

#[test]
fn addresses_of_hosts_come_from_the_configuration_where_it_has_them() {
    let mut leaf = leaf();
    leaf["DEVICE_NEIGHBOR_METADATA"]["h1"]["lo_addr"] = json!("10.0.0.7/32");
    leaf["MUX_CABLE"] = json!({"Ethernet4": {"server_ipv4": "192.168.0.2/32", "server_ipv6": "fc02::2/128"}});
    let imported = import(&[("leaf1.json", leaf.to_string())], &[]);
    assert_eq!(imported.problems, Vec::<String>::new());
    let host = imported.topology.node("h1").unwrap();
    let addresses: Vec<String> = host.addresses.iter().map(ToString::to_string).collect();
    assert_eq!(addresses, ["10.0.0.7", "192.168.0.2", "fc02::2"]);
}

#[test]
fn a_neighbour_without_a_type_is_a_host_if_it_has_an_address() {
    let mut leaf = leaf();
    leaf.as_object_mut().unwrap().remove("DEVICE_NEIGHBOR_METADATA");
    leaf["DEVICE_NEIGHBOR"].as_object_mut().unwrap().remove("Ethernet0");
    let imported = import(&[("leaf1.json", leaf.to_string())], &[("h1", "10.0.0.1")]);
    assert_eq!((imported.problems, imported.topology.is_host("h1")), (vec![], true));
}

#[test]
fn all_problems_are_reported_with_their_places() {
    let mut wrong = leaf();
    wrong["DEVICE_NEIGHBOR"]["Ethernet12"] = json!({"name": "h2"});
    wrong["DEVICE_NEIGHBOR"]["Ethernet8"] = json!({"name": "spine9", "port": "Ethernet0"});
    let text = serde_json::to_string_pretty(&wrong).unwrap();
    let line = |what: &str| text.lines().position(|line| line.contains(what)).unwrap() + 1;
    let neighbours = line("\"DEVICE_NEIGHBOR\"");
    let problems = import(&[("leaf1.json", text.clone())], &[("h7", "10.0.0.1")]).problems;
    let found = |part: &str| assert!(problems.iter().any(|p| p.contains(part)), "{part}: {problems:#?}");
    found("DEVICE_NEIGHBOR|Ethernet12: there is no field `port`");
    found("the type of `spine9` is unknown; expected an entry in DEVICE_NEIGHBOR_METADATA");
    found("the address of host `h1` is unknown; add --host h1=ADDRESS");
    found("--host: there is no host `h7`");
    assert!(
        problems.iter().all(|p| p.starts_with("leaf1.json:") || p.starts_with("--host")),
        "{problems:#?}"
    );
    assert!(neighbours > 1);
}

#[test]
fn ends_that_contradict_each_other_are_problems() {
    let swapped = config_db("spine1", &[("Ethernet0", "leaf1", "Ethernet0")]);
    let mut leaf = leaf();
    leaf["DEVICE_NEIGHBOR"].as_object_mut().unwrap().remove("Ethernet4");
    let files = [("leaf1.json", leaf.to_string()), ("spine1.json", swapped.to_string())];
    let problems = import(&files, &[]).problems;
    let found = |part: &str| assert!(problems.iter().any(|p| p.contains(part)), "{part}: {problems:#?}");
    found("the configuration of `spine1` does not have this cable");
    found("the configuration of `leaf1` does not have this cable");
    found("leaf1 Ethernet0 is connected to spine1 Ethernet8");

    let mut slow = spine();
    slow["PORT"]["Ethernet8"]["speed"] = json!("40000");
    let files = [("leaf1.json", leaf.to_string()), ("spine1.json", slow.to_string())];
    let problems = import(&files, &[]).problems;
    assert_eq!(problems.len(), 1, "{problems:#?}");
    assert!(problems[0].contains("have different speeds: 40000 and 100000 Mb/s"), "{problems:#?}");
}

const MINIGRAPH: &str = r#"<DeviceMiniGraph xmlns="Microsoft.Search.Autopilot.Evolution"
    xmlns:i="http://www.w3.org/2001/XMLSchema-instance">
  <PngDec>
    <DeviceInterfaceLinks>
      <DeviceLinkBase i:type="DeviceInterfaceLink">
        <ElementType>DeviceInterfaceLink</ElementType>
        <Bandwidth>40000</Bandwidth>
        <EndDevice>leaf2</EndDevice><EndPort>fortyGigE0/8</EndPort>
        <StartDevice>spine1</StartDevice><StartPort>Ethernet12</StartPort>
      </DeviceLinkBase>
      <DeviceLinkBase i:type="DeviceInterfaceLink">
        <ElementType>DeviceInterfaceLink</ElementType>
        <Bandwidth>25000</Bandwidth>
        <EndDevice>h2</EndDevice><EndPort>eth0</EndPort>
        <StartDevice>Leaf2</StartDevice><StartPort>fortyGigE0/4</StartPort>
      </DeviceLinkBase>
      <DeviceLinkBase i:type="DeviceMgmtLink">
        <ElementType>DeviceMgmtLink</ElementType>
        <EndDevice>leaf2</EndDevice><EndPort>Management1</EndPort>
        <StartDevice>m0</StartDevice><StartPort>1</StartPort>
      </DeviceLinkBase>
    </DeviceInterfaceLinks>
    <Devices>
      <Device i:type="ToRRouter"><Hostname>leaf2</Hostname><HwSku>Force10-S6000</HwSku></Device>
      <Device i:type="LeafRouter"><Hostname>spine1</Hostname></Device>
      <Device i:type="Server"><ElementType>Server</ElementType><Hostname>h2</Hostname>
        <Address xmlns:a="Microsoft.Search.Autopilot.NetMux"><a:IPPrefix>10.0.2.1/26</a:IPPrefix></Address>
      </Device>
    </Devices>
  </PngDec>
  <Hostname>leaf2</Hostname>
</DeviceMiniGraph>"#;

#[test]
fn a_minigraph_gives_links_devices_and_addresses() {
    let imported = import(&[("leaf2.xml", MINIGRAPH.into())], &[]);
    check_links(&imported, &["h2:1 leaf2:1 25 10000 ps", "leaf2:2 spine1:1 40 10000 ps"]);
    assert_eq!(
        imported.topology.node("h2").unwrap().addresses,
        ["10.0.2.1".parse::<std::net::IpAddr>().unwrap()]
    );
}

#[test]
fn a_speed_without_bandwidth_is_that_of_the_interface() {
    let interface = "<DeviceInfos><DeviceInfo><EthernetInterfaces><EthernetInterface>\
        <InterfaceName>fortyGigE0/4</InterfaceName><Speed>10000</Speed></EthernetInterface>\
        </EthernetInterfaces></DeviceInfo></DeviceInfos></DeviceMiniGraph>";
    let text = MINIGRAPH.replace("<Bandwidth>25000</Bandwidth>", "").replace("</DeviceMiniGraph>", interface);
    let imported = import(&[("leaf2.xml", text)], &[]);
    check_links(&imported, &["h2:1 leaf2:1 10 10000 ps", "leaf2:2 spine1:1 40 10000 ps"]);
}

#[test]
fn the_cables_of_public_configurations_are_read() {
    let Some(folder) = crate::support::data("minigraph") else { return };
    let files = crate::support::files(&folder, ".json");
    assert!(!files.is_empty());
    for path in files {
        let (text, mut problems) = (crate::support::read(&path), Vec::new());
        let described = read("config_db.json", &text, &mut problems);
        let db: Value = serde_json::from_str(&text).unwrap();
        let neighbours = db["DEVICE_NEIGHBOR"].as_object().map_or(0, serde_json::Map::len);
        assert_eq!((described.cables.len(), problems), (neighbours, Vec::new()), "{}", path.display());
        assert!(described.cables.iter().all(|cable| cable.speed_mbps.is_some()), "{}", path.display());
    }
}

#[test]
fn a_malformed_file_is_a_problem_and_not_a_panic() {
    check_problems(
        &[("a.xml", "<a><b></a>".into())],
        &["a.xml:1:7: not XML: expected 'b' tag, not 'a' at 1:7"],
    );
    check_problems(
        &[("a.xml", "<a/>".into())],
        &["a.xml: not a minigraph: the root element has no Hostname or no PngDec"],
    );
    check_problems(
        &[("a.json", "{}".into())],
        &["a.json: DEVICE_METADATA|localhost has no field `hostname`: the switch's name"],
    );
    let no_speed = MINIGRAPH.replace("<Bandwidth>25000</Bandwidth>", "");
    check_problems(
        &[("leaf2.xml", no_speed)],
        &["leaf2.xml:11:7: the speed of the cable h2 eth0 - leaf2 fortyGigE0/4 is unknown"],
    );
}
