//! Link state of ports, for the selection of group members and replicas.
//!
//! Source: P4Runtime specification, "Action Selector Constraints" (watch ports) and "MulticastGroupEntry" (backup
//! replicas).

/// The ports that are down; all other ports are up.
#[derive(Clone, Debug, Default)]
pub(crate) struct DownPorts {
    /// Ascending.
    numbers: Vec<u16>,
}

impl DownPorts {
    pub(crate) fn set(&mut self, port: u16, up: bool) {
        match (self.numbers.binary_search(&port), up) {
            (Ok(at), true) => drop(self.numbers.remove(at)),
            (Err(at), false) => self.numbers.insert(at, port),
            _ => {}
        }
    }

    pub(crate) fn is_up(&self, port: u16) -> bool {
        self.numbers.is_empty() || self.numbers.binary_search(&port).is_err()
    }

    /// Whether all ports are up.
    pub(crate) fn none(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Whether an alternative with this watch port may be selected; without a watch port it always may.
    pub(crate) fn allows(&self, watched: Option<u16>) -> bool {
        watched.is_none_or(|port| self.is_up(port))
    }
}

/// Returns the watch port that a byte string encodes. `None` for values that are not a port number of the switch,
/// such as the controller's number of the CPU port.
pub(crate) fn watched(bytes: &[u8]) -> Option<u16> {
    let significant = bytes.iter().position(|byte| *byte != 0).map_or(&[][..], |first| &bytes[first..]);
    match *significant {
        [] if bytes.is_empty() => None,
        [] => Some(0),
        [low] => Some(u16::from(low)),
        [high, low] => Some(u16::from_be_bytes([high, low])),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_up_by_default() {
        let mut ports = DownPorts::default();
        assert!(ports.none() && ports.is_up(3));
        ports.set(3, false);
        ports.set(1, false);
        ports.set(3, false);
        assert_eq!((ports.is_up(1), ports.is_up(2), ports.is_up(3)), (false, true, false));
        ports.set(3, true);
        ports.set(2, true);
        assert_eq!((ports.is_up(1), ports.is_up(2), ports.is_up(3)), (false, true, true));
        assert!(!ports.allows(Some(1)) && ports.allows(None));
    }

    #[test]
    fn watch_ports_are_decoded_from_byte_strings() {
        let cases: [(&[u8], Option<u16>); 6] = [
            (&[], None),
            (&[0], Some(0)),
            (&[3], Some(3)),
            (&[0, 0, 1, 2], Some(258)),
            (&[1, 0, 0], None),
            (&[0xff, 0xff, 0xff, 0xfd], None),
        ];
        for (bytes, port) in cases {
            assert_eq!(watched(bytes), port, "{bytes:?}");
        }
    }
}
