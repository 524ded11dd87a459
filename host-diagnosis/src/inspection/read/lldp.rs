//! Output of `lldpctl -f keyvalue` (lldpd): the switch port at the other end of each interface.
//!
//! SONiC sends the alias of the port as port id and its name as port description.

use model::host::inspection::LinkNeighbour;

use super::recorder::{Recorder, lines};

/// Reads lines such as `lldp.eth1.chassis.name=tor-1`.
pub(super) fn read(text: &str, out: &mut Recorder) {
    for line in lines(text) {
        let Some((key, value)) = line.text.split_once('=') else { continue };
        let Some(rest) = key.trim().strip_prefix("lldp.") else { continue };
        // Names of interfaces may have dots; the keys below them are known.
        let known = [".chassis.name", ".port.descr", ".port.local", ".port.ifname"];
        let Some((interface, key)) = known.iter().find_map(|key| Some((rest.strip_suffix(key)?, *key)))
        else {
            continue;
        };
        let neighbour = out.interface(interface).neighbour.get_or_insert_with(LinkNeighbour::default);
        match key {
            ".chassis.name" => neighbour.switch = value.trim().to_string(),
            // The description is the name of the port, and better than its alias.
            ".port.descr" => neighbour.port = value.trim().to_string(),
            _ if neighbour.port.is_empty() => neighbour.port = value.trim().to_string(),
            _ => continue,
        }
        out.at(format!("interfaces/{interface}/neighbour"), line, value);
    }
}
