//! The paths in a diagnosis against captures of all links: every hop that is recorded or derived is a port that packets
//! of the flow have left by.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

use std::collections::BTreeSet;
use std::fs::{self, File};

use crate::support::{harrier, scratch};
use pcap_file::pcapng::blocks::interface_description::InterfaceDescriptionOption;
use pcap_file::pcapng::{Block, PcapNgReader};

const ETHERNET_BYTES: usize = 14;
const IPV4_BYTES: usize = 20;

/// Writes the flow of an Ethernet frame with IPv4 and UDP as `harrier` does.
fn flow_of(frame: &[u8]) -> Option<String> {
    let ip = frame.get(ETHERNET_BYTES..)?;
    let is_udp = frame[12..14] == [0x08, 0x00] && ip.get(9) == Some(&17);
    let ports = ip.get(IPV4_BYTES..IPV4_BYTES + 4).filter(|_| is_udp)?;
    let address = |at: usize| ip[at..at + 4].iter().map(u8::to_string).collect::<Vec<_>>().join(".");
    let port = |at: usize| u16::from_be_bytes([ports[at], ports[at + 1]]);
    Some(format!("{}:{}>{}:{}/udp", address(12), port(0), address(16), port(2)))
}

/// Returns flow and egress port of all captured packets.
fn sent(folder: &std::path::Path) -> BTreeSet<(String, String)> {
    let mut sent = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let mut reader = PcapNgReader::new(File::open(entry.unwrap().path()).unwrap()).unwrap();
        let mut senders = Vec::new();
        while let Some(block) = reader.next_block() {
            match block.unwrap() {
                Block::InterfaceDescription(interface) => {
                    let name = interface.options.iter().find_map(|option| match option {
                        InterfaceDescriptionOption::IfName(name) => Some(name.to_string()),
                        _ => None,
                    });
                    let name = name.expect("an interface has a name");
                    senders.push(name.trim_end_matches(" sends").to_string());
                }
                Block::EnhancedPacket(packet) => {
                    let flow = flow_of(&packet.data);
                    sent.extend(flow.map(|flow| (flow, senders[packet.interface_id as usize].clone())));
                }
                _ => {}
            }
        }
    }
    sent
}

/// Checks the paths of a scenario's diagnoses. `first` is where the first diagnosis has its victim, each hop with the
/// first letter of how it is known.
fn check(scenario: &str, first: &str) {
    let folder = scratch(&format!("flow-paths-{scenario}"));
    let ran = harrier(&["run", scenario, "--json", "--pcap", folder.to_str().unwrap()]);
    assert!(ran.status < 2, "{scenario}: {}", ran.stderr);
    let sent = sent(&folder);
    let report = ran.json();
    let diagnoses = report["diagnoses"].as_array().unwrap();
    for diagnosis in diagnoses {
        let paths = diagnosis["paths"].as_array().unwrap();
        assert_eq!((&paths[0]["role"], &paths[0]["flow"]), (&"victim".into(), &diagnosis["victim"]));
        for path in paths {
            let flow = path["flow"].as_str().unwrap();
            let known = path["hops"].as_array().unwrap().iter().filter(|hop| hop["known"] != "assumed");
            for hop in known {
                let port = hop["port"].as_str().unwrap();
                let is_true = sent.contains(&(flow.to_string(), port.to_string()));
                assert!(
                    is_true,
                    "{scenario}: {flow} never left by {port}, which is {}: {path}",
                    hop["known"]
                );
            }
        }
    }
    let victim = diagnoses[0]["paths"][0]["hops"].as_array().unwrap().iter();
    let text = victim
        .map(|hop| format!("{} {}", hop["port"].as_str().unwrap(), &hop["known"].as_str().unwrap()[..1]));
    assert_eq!(text.collect::<Vec<_>>().join(", "), first, "{scenario}");
}

#[test]
fn flows_cross_the_ports_that_a_diagnosis_shows() {
    check("pfc-storm", "p1-edge2:4 r, p1-agg2:4 r, core4:3 r, p3-agg2:2 r, p3-edge2:2 r");
    check("two-anomalies", "p4-edge2:4 r, p4-agg2:1 r, p4-edge1:2 r");
    check("low-rate-attack", "p1-edge2:4 r, p1-agg2:3 r, core3:4 r, p4-agg2:2 r, p4-edge2:2 r");
    check("deadlock-in-loop", "s1:1 r, s2:4 r");
    // The path ends where the packets return.
    check("routing-loop", "leaf2:4 r, spine1:1 r, leaf1:4 r");
}
