use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

fn cable(gbps: u64) -> Cable {
    Cable { rate: Rate::from_gbps(gbps), delay: Time::from_us(1) }
}

/// Rates of the links of `switch`: towards nodes of a lower tier, and of a higher one.
fn capacity(network: &Network, switch: &str) -> (u64, u64) {
    let own = network.places[switch].tier;
    let mut sums = (0, 0);
    for link in &network.topology.links {
        for (here, there) in [(&link.a, &link.b), (&link.b, &link.a)] {
            if here.switch == switch {
                let side = if network.places[&there.switch].tier < own { &mut sums.0 } else { &mut sums.1 };
                *side += link.rate.0;
            }
        }
    }
    sums
}

/// Checks the properties that every generated network has.
fn check(network: &Network) {
    let topology = &network.topology;
    assert_eq!(topology.problems(), Vec::<String>::new());
    assert_eq!(network.places.len(), topology.nodes.len());
    let mut ports: BTreeMap<&str, BTreeSet<u16>> = BTreeMap::new();
    for end in topology.links.iter().flat_map(|link| [&link.a, &link.b]) {
        ports.entry(&end.switch).or_default().insert(end.port);
    }
    for node in &topology.nodes {
        let used = &ports[node.name.as_str()];
        assert_eq!(used.iter().copied().collect::<Vec<_>>(), (1..=used.len() as u16).collect::<Vec<_>>());
        if node.kind == NodeKind::Host {
            assert_eq!((used.len(), node.addresses.len()), (1, 1), "{}", node.name);
        }
    }
    let addresses: BTreeSet<_> = topology.nodes.iter().flat_map(|node| &node.addresses).collect();
    let hosts: Vec<_> = topology.nodes.iter().filter(|node| node.kind == NodeKind::Host).collect();
    assert_eq!(addresses.len(), hosts.len());
    // Every switch can reach the first and the last host.
    for host in [hosts[0], hosts[hosts.len() - 1]] {
        let next = topology.next_hops(&host.name);
        assert_eq!(next.len(), topology.nodes.len() - hosts.len(), "{}", host.name);
    }
}

#[test]
fn a_fat_tree_has_as_much_capacity_up_as_down() {
    let network = FatTree { k: 4, host: cable(100), fabric: cable(100) }.build().unwrap();
    check(&network);
    assert_eq!(network.topology.nodes.len(), 16 + 20);
    assert_eq!(network.topology.links.len(), 3 * 16);
    for name in ["p1-edge1", "p4-agg2"] {
        let (down, up) = capacity(&network, name);
        assert_eq!(down, up, "{name}");
    }
    // Towards another pod, edge and aggregation switches have two next hops, core switches one.
    assert_eq!(network.topology.next_hops("h16")["p1-edge1"].len(), 2);
    assert_eq!(network.topology.next_hops("h16")["p1-agg1"].len(), 2);
    assert_eq!(network.topology.next_hops("h16")["core1"].len(), 1);
}

/// RAS-5: oversubscription of 6:1 at the ToR and 3:2 at the leaf, and 2.56 Tb/s from a podset to the spines.
#[test]
fn the_podset_has_the_published_figures() {
    let network = Podset::default().build().unwrap();
    check(&network);
    let count = |tier| network.places.values().filter(|place| place.tier == tier).count();
    let counts = [Tier::Host, Tier::Edge, Tier::Aggregation, Tier::Core].map(count);
    assert_eq!(counts, [576, 24, 4, 64]);
    let (down, up) = capacity(&network, "p1-tor7");
    assert_eq!(down, 6 * up);
    let (down, up) = capacity(&network, "p1-leaf3");
    assert_eq!(2 * down, 3 * up);
    let total: u64 = (1..=4).map(|leaf| capacity(&network, &format!("p1-leaf{leaf}")).1).sum();
    assert_eq!(total, 2_560_000_000_000);
}

#[test]
fn impossible_networks_are_rejected() {
    let fat_tree = |k| FatTree { k, host: cable(1), fabric: cable(1) }.build().unwrap_err();
    assert_eq!(fat_tree(5), TopologyError::OddK { k: 5 });
    assert_eq!(fat_tree(0), TopologyError::OddK { k: 0 });
    assert_eq!(fat_tree(4_000_000_000), TopologyError::OddK { k: 4_000_000_000 });
    let podset = |change: fn(&mut Podset)| {
        let mut podset = Podset::default();
        change(&mut podset);
        podset.build().unwrap_err().to_string()
    };
    assert_eq!(podset(|p| p.spines = 65), "spines 65 cannot be distributed evenly over 4 leaves");
    assert_eq!(podset(|p| p.tors = 0), "`tors` must be at least 1");
    assert!(podset(|p| p.servers_per_tor = 600).contains("`p1-tor1` would need 604 ports"));
    assert!(podset(|p| p.podsets = 200).contains("115200 hosts"));
}

#[test]
fn json_of_a_network_reads_back() {
    let network = LeafSpine {
        leaves: 2,
        spines: 2,
        hosts_per_leaf: 2,
        links_per_pair: 1,
        host: cable(25),
        fabric: cable(100),
    }
    .build()
    .unwrap();
    let text = serde_json::to_string(&network.topology).unwrap();
    assert_eq!(parse_json("t.json", &text).unwrap().topology, network.topology);
    let broken = text.replace("h1:1", "unknown:0");
    let messages: Vec<String> =
        parse_json("t.json", &broken).unwrap_err().into_iter().map(|problem| problem.message).collect();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert_eq!(parse_json("t.json", "{\n  \"nodes\": 3}").unwrap_err()[0].line, 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_generated_network_is_valid(half in 1..5u32, leaves in 1..6u32, spines in 1..5u32, hosts in 1..6u32, links in 1..3u32) {
        check(&FatTree { k: 2 * half, host: cable(25), fabric: cable(100) }.build().unwrap());
        check(&LeafSpine {
            leaves, spines, hosts_per_leaf: hosts, links_per_pair: links, host: cable(25), fabric: cable(100),
        }.build().unwrap());
        check(&Podset {
            podsets: half, tors: hosts, leaves, servers_per_tor: spines, spines: leaves * links, ..Podset::default()
        }.build().unwrap());
    }
}
