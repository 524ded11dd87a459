//! MAC addresses of other endpoints.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::str::FromStr;

/// An address with its MAC address, as `ADDRESS=MAC`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Neighbour {
    address: IpAddr,
    mac: [u8; 6],
}

impl FromStr for Neighbour {
    type Err = String;

    fn from_str(text: &str) -> Result<Neighbour, String> {
        let parse = || {
            let (address, mac) = text.split_once('=')?;
            Some(Neighbour { address: address.parse().ok()?, mac: read_mac(mac)? })
        };
        parse().ok_or_else(|| "expected ADDRESS=MAC, e.g. 10.0.0.2=02:00:00:00:00:02".into())
    }
}

/// Reads six bytes in hexadecimal, separated by colons.
pub(crate) fn read_mac(text: &str) -> Option<[u8; 6]> {
    let mut parts = text.split(':');
    let mut address = [0; 6];
    for byte in &mut address {
        *byte =
            parts.next().filter(|part| part.len() == 2).and_then(|part| u8::from_str_radix(part, 16).ok())?;
    }
    parts.next().is_none().then_some(address)
}

/// The known neighbours. Switches that route by address, as Harrier's program does, ignore MAC addresses; only hosts with
/// a kernel on the same interface look at them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbours {
    known: BTreeMap<IpAddr, [u8; 6]>,
}

impl Neighbours {
    /// The given neighbours.
    pub(crate) fn new(list: &[Neighbour]) -> Neighbours {
        Neighbours { known: list.iter().map(|neighbour| (neighbour.address, neighbour.mac)).collect() }
    }

    /// Returns the MAC address for an address; of one that is not known, a locally administered one that follows from
    /// it.
    pub(crate) fn mac(&self, address: IpAddr) -> [u8; 6] {
        let derived = || {
            let last = match address {
                IpAddr::V4(v4) => v4.octets(),
                IpAddr::V6(v6) => {
                    let octets = v6.octets();
                    [octets[12], octets[13], octets[14], octets[15]]
                }
            };
            fabric::nic::packet::mac(u32::from_be_bytes(last))
        };
        self.known.get(&address).copied().unwrap_or_else(derived)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_given_or_follow_from_their_address() {
        let given: Neighbour = "10.0.0.2=02:00:00:00:00:0a".parse().expect("a neighbour");
        let neighbours = Neighbours::new(&[given]);
        let mac = |text: &str| neighbours.mac(text.parse().expect("an address"));
        assert_eq!(mac("10.0.0.2"), [2, 0, 0, 0, 0, 10]);
        assert_eq!(mac("10.0.0.3"), [2, 0x48, 10, 0, 0, 3]);
        for wrong in ["10.0.0.2", "10.0.0.2=02:00", "x=02:00:00:00:00:0a", "10.0.0.2=02:00:00:00:00:0a:0b"] {
            assert!(wrong.parse::<Neighbour>().is_err(), "{wrong}");
        }
    }
}
