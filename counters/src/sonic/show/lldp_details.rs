//! `show lldp neighbors`: the text that lldpd's `lldpctl` prints.

use crate::reading::LocalNeighbour;

/// Neighbours that are being read.
#[derive(Default)]
pub(super) struct Details {
    neighbours: Vec<LocalNeighbour>,
}

/// The field of an indented line, `SysName:      spine1`.
fn field(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim().split_once(':')?;
    let is_name =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-'));
    is_name.then(|| (name, value.trim()))
}

impl Details {
    /// Begins with a line such as `Interface:    Ethernet0, via: LLDP, RID: 3, Time: 0 day, 00:01:12`.
    pub(super) fn begin(line: &str) -> Option<Details> {
        let mut details = Details::default();
        (field(line)?.0 == "Interface" && line.contains("via:")).then(|| details.line(line))?;
        Some(details)
    }

    /// Reads a line; false if it belongs to something else.
    pub(super) fn line(&mut self, line: &str) -> bool {
        if line.trim().bytes().all(|byte| byte == b'-') {
            return true;
        }
        let Some((name, value)) = field(line) else { return false };
        if name == "Interface" {
            let port = value.split(',').next().unwrap_or(value).trim();
            self.neighbours.push(LocalNeighbour { port: port.to_string(), ..LocalNeighbour::default() });
            return true;
        }
        let is_indented = line.starts_with([' ', '\t']);
        let Some(neighbour) = self.neighbours.last_mut() else { return false };
        let after_type = value.split_once(char::is_whitespace).map_or(value, |(_, id)| id.trim());
        match name {
            "SysName" => neighbour.system = value.to_string(),
            // Where there is no system name, the chassis is the neighbour's only name.
            "ChassisID" if neighbour.system.is_empty() => neighbour.system = after_type.to_string(),
            "PortID" => neighbour.remote_port = Some(after_type.to_string()),
            "PortDescr" => neighbour.remote_description = Some(value.to_string()),
            "Capability" => {
                let is_on = value.ends_with("on");
                let forwards = value.starts_with("Bridge") || value.starts_with("Router");
                match (is_on, forwards) {
                    (true, true) => neighbour.is_host = Some(false),
                    (true, false) if value.starts_with("Station") => {
                        neighbour.is_host = neighbour.is_host.or(Some(true));
                    }
                    _ => {}
                }
            }
            _ => return is_indented,
        }
        true
    }

    pub(super) fn finish(self) -> Vec<LocalNeighbour> {
        self.neighbours.into_iter().filter(|neighbour| !neighbour.system.is_empty()).collect()
    }
}
