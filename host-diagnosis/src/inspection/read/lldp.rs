//! Output of `lldpctl -f keyvalue` (lldpd): the switch port at the other end of each interface.
//!
//! The port id is an interface name (`port.ifname`), or something else (`port.local`, `port.mac`). SONiC sends the alias of
//! the port as a local port id and its name as port description; on other switches, the description is free text.

use std::collections::BTreeMap;

use model::host::inspection::LinkNeighbour;

use super::recorder::{Recorder, lines};

/// Keys of a neighbour. Of those with the name of the port, a later one counts more.
const KEYS: [&str; 4] = [".chassis.name", ".port.local", ".port.descr", ".port.ifname"];

/// Reads lines such as `lldp.eth1.chassis.name=tor-1`.
pub(super) fn read(text: &str, out: &mut Recorder) {
    let mut ranks: BTreeMap<String, usize> = BTreeMap::new();
    for line in lines(text) {
        let Some((key, value)) = line.text.split_once('=') else { continue };
        let Some(rest) = key.trim().strip_prefix("lldp.") else { continue };
        // Names of interfaces may have dots; the keys below them are known.
        let known = KEYS.iter().enumerate().find_map(|(rank, key)| Some((rest.strip_suffix(key)?, rank)));
        let Some((interface, rank)) = known else { continue };
        let neighbour = out.interface(interface).neighbour.get_or_insert_with(LinkNeighbour::default);
        let best = ranks.entry(interface.to_string()).or_default();
        match rank {
            0 => neighbour.switch = value.trim().to_string(),
            _ if rank > *best => {
                *best = rank;
                neighbour.port = value.trim().to_string();
            }
            _ => continue,
        }
        out.at(format!("interfaces/{interface}/neighbour"), line, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys that lldpd's own tests and other programs' fixtures have.
    #[test]
    fn the_port_is_its_interface_name_or_that_of_sonic_or_its_id() {
        let check = |keys: &[&str], expected: &str| {
            let text: String = keys.iter().map(|key| format!("lldp.eth0.100.{key}\n")).collect();
            let mut out = Recorder::default();
            read(&format!("lldp.eth0.100.via=LLDP\nlldp.eth0.100.chassis.name=tor-1\n{text}"), &mut out);
            let found = out.reading.inspection.interfaces["eth0.100"].neighbour.clone();
            let expected = LinkNeighbour { switch: "tor-1".into(), port: expected.into() };
            assert_eq!(found, Some(expected), "{keys:?}");
        };
        check(&["port.ifname=Gi3/0/9", "port.descr=uplink of rack 7"], "Gi3/0/9");
        check(&["port.descr=uplink of rack 7", "port.ifname=Gi3/0/9"], "Gi3/0/9");
        check(&["port.local=Eth1/1", "port.descr=Ethernet0"], "Ethernet0");
        check(&["port.local=Eth1/1"], "Eth1/1");
        check(&["port.mac=00:11:22:33:44:55", "port.ttl=120"], "");
    }
}
