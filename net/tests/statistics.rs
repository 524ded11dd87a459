//! Statistics of a driver of the kernel: those of veth.

mod common;

use common::{enter_namespace, veth};
use rustix::net::{AddressFamily, SocketType, netdevice, socket};

#[test]
fn the_statistics_of_a_veth_pair_name_the_other_end() {
    if !enter_namespace() {
        return;
    }
    veth("sa", "sb", 1500);
    let found = harrier_net::driver_statistics("sa").expect("the interface exists");
    let index = found.iter().find(|(name, _)| name == "peer_ifindex").map(|(_, value)| *value);
    let any = socket(AddressFamily::INET, SocketType::DGRAM, None).expect("a socket");
    let expected = netdevice::name_to_index(&any, "sb").expect("the other end exists");
    assert_eq!(index, Some(u64::from(expected)), "{found:?}");
    assert!(found.iter().all(|(name, _)| !name.is_empty()), "{found:?}");
}
