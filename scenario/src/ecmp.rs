//! Which of several equal-cost ports a flow takes: the hash of the telemetry program's routing block
//! (`p4/hawkeye/routing.p4`), computed without a switch. A test compares it with the switches.
//!
//! Scenarios use it to find a source port that routes a flow through a given switch.

use std::collections::BTreeMap;

use controller::plan::PlanSettings;
use model::flow::address_bits;
use model::{FlowKey, PortRef, Topology};

/// CRC-32 (IEEE 802.3) of the 5-tuple: addresses as 128 bits, IPv4 mapped, then ports and protocol.
fn flow_hash(key: &FlowKey) -> u32 {
    let mut bytes = Vec::with_capacity(37);
    bytes.extend_from_slice(&address_bits(key.src).to_be_bytes());
    bytes.extend_from_slice(&address_bits(key.dst).to_be_bytes());
    bytes.extend_from_slice(&key.sport.to_be_bytes());
    bytes.extend_from_slice(&key.dport.to_be_bytes());
    bytes.push(key.proto);
    let step = |crc: u32, byte: u8| {
        (0..8).fold(
            crc ^ u32::from(byte),
            |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 },
        )
    };
    !bytes.into_iter().fold(u32::MAX, step)
}

/// The member, from 0, of a group of `size` ports that a flow takes at a switch with this seed.
pub fn member(seed: u32, key: &FlowKey, size: usize) -> usize {
    let mixed = (seed ^ flow_hash(key)).wrapping_mul(0x9e37_79b1);
    let mixed = (mixed ^ mixed >> 15).wrapping_mul(0x85eb_ca77);
    ((mixed >> 16) as usize * size) >> 16
}

/// Computes the paths of flows through a programmed network.
pub struct Tracer<'t> {
    topology: &'t Topology,
    settings: &'t PlanSettings,
    router: controller::plan::Router<'t>,
    peers: BTreeMap<&'t PortRef, &'t PortRef>,
    next: BTreeMap<String, BTreeMap<&'t str, Vec<u16>>>,
}

impl<'t> Tracer<'t> {
    /// A tracer of flows through `topology`.
    pub fn new(topology: &'t Topology, settings: &'t PlanSettings) -> Tracer<'t> {
        let peers = topology.links.iter().flat_map(|link| [(&link.a, &link.b), (&link.b, &link.a)]).collect();
        Tracer { topology, settings, router: settings.router(topology), peers, next: BTreeMap::new() }
    }

    /// The egress ports on the path of a flow, in order. The path ends at its host, where a route is missing, or where
    /// it returns to a switch that it has left; the last port then leads to that switch.
    pub fn path(&mut self, key: &FlowKey) -> Vec<PortRef> {
        let hosts = (self.topology.host_of(key.src), self.topology.host_of(key.dst));
        let (Some(src), Some(dst)) = hosts else { return Vec::new() };
        let Some(first) = self.peers.iter().find(|(own, _)| own.switch == src.name).map(|(_, peer)| *peer)
        else {
            return Vec::new();
        };
        if !self.next.contains_key(&dst.name) {
            let next = self.router.next_hops(&dst.name);
            self.next.insert(dst.name.clone(), next);
        }
        let next = &self.next[&dst.name];
        let mut path: Vec<PortRef> = Vec::new();
        let mut node = first.switch.as_str();
        while let Some(ports) = next.get(node) {
            let seed = self.settings.ecmp_seed_of(node);
            let Some(port) = ports.get(member(seed, key, ports.len())) else { break };
            let seen = path.iter().any(|crossed| crossed.switch == node);
            if seen {
                break;
            }
            let port = PortRef::new(node, *port);
            let Some(peer) = self.peers.get(&port) else { break };
            node = peer.switch.as_str();
            path.push(port);
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flow_hash_is_crc32() {
        // The second implementation gives the check value 0xCBF43926 for "123456789".
        let key: FlowKey = "10.0.1.1:10000>10.0.2.1:4791/udp".parse().unwrap();
        let mut table = [0u32; 256];
        for (n, entry) in table.iter_mut().enumerate() {
            *entry = (0..8).fold(n as u32, |c, _| if c & 1 == 1 { 0xedb8_8320 ^ c >> 1 } else { c >> 1 });
        }
        let crc = |bytes: &[u8]| {
            !bytes.iter().fold(!0u32, |c, b| table[((c ^ u32::from(*b)) & 255) as usize] ^ c >> 8)
        };
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
        let mut bytes = vec![0; 10];
        bytes.extend([0xff, 0xff, 10, 0, 1, 1]);
        bytes.extend([0; 10]);
        bytes.extend([0xff, 0xff, 10, 0, 2, 1, 0x27, 0x10, 0x12, 0xb7, 17]);
        assert_eq!(flow_hash(&key), crc(&bytes));
    }

    #[test]
    fn flows_are_distributed_evenly_over_the_members() {
        let mut counts = [0; 3];
        for sport in 10_000..13_000u16 {
            let key = FlowKey::udp([10, 0, 1, 1].into(), sport, [10, 0, 2, 1].into(), 4791);
            counts[member(7, &key, 3)] += 1;
        }
        assert!(counts.iter().all(|count| (900..1100).contains(count)), "{counts:?}");
    }
}
