use model::collective::Collective::{AllReduceHalvingDoubling, AllReduceRing, AllToAll};
use model::{Rate, Time};
use proptest::prelude::*;

use super::*;
use crate::topology::{Cable, FatTree, LeafSpine, Podset};

fn hosts(network: &crate::topology::Network) -> Vec<String> {
    let topology = &network.topology;
    topology.nodes.iter().filter(|n| topology.is_host(&n.name)).map(|n| n.name.clone()).collect()
}

fn cable(gbps: u64) -> Cable {
    Cable { rate: Rate::from_gbps(gbps), delay: Time::from_us(1) }
}

#[test]
fn capacity_is_limited_by_nics_or_by_the_bisection() {
    let fat_tree = FatTree { k: 4, host: cable(100), fabric: cable(100) }.build().unwrap();
    assert_eq!(bisection(&fat_tree.topology, &hosts(&fat_tree)), 8 * 100_000_000_000);
    // Full bisection: the NICs are the limit.
    assert_eq!(capacity(&fat_tree.topology, &hosts(&fat_tree)), 16 * 100_000_000_000);
    let thin = LeafSpine {
        leaves: 2,
        spines: 1,
        hosts_per_leaf: 8,
        links_per_pair: 1,
        host: cable(100),
        fabric: cable(100),
    };
    let thin = thin.build().unwrap();
    assert_eq!(bisection(&thin.topology, &hosts(&thin)), 100_000_000_000);
    // 64 of 240 ordered pairs cross from left to right over 100 Gb/s.
    assert_eq!(capacity(&thin.topology, &hosts(&thin)), 375_000_000_000);
    let podset = Podset { podsets: 2, ..Podset::default() }.build().unwrap();
    assert_eq!(bisection(&podset.topology, &hosts(&podset)), 2_560_000_000_000);
}

#[test]
fn tables_are_cumulative() {
    for table in TABLES {
        assert!(table.points.windows(2).all(|p| p[0].0 < p[1].0 && p[0].1 <= p[1].1), "{}", table.name);
        assert_eq!(table.points[0].1, 0, "{}", table.name);
        assert_eq!(table.points.last().unwrap().1, 100_000, "{}", table.name);
        for (bytes, share) in table.points.iter().skip(1) {
            assert_eq!(table.quantile(u64::from(*share) * 10), *bytes, "{}", table.name);
        }
    }
    // By hand: (0+10)/2*0.15 + (10+20)/2*0.05 + ... in kB.
    assert!(
        (table("web-search").unwrap().mean() - 1_711_250.0).abs() < 1.0,
        "{}",
        table("web-search").unwrap().mean()
    );
    assert_eq!(table("nothing"), None);
}

/// Every message depends only on earlier messages, which its sender has received.
fn check_order(messages: &[Message], n: usize) {
    for (index, message) in messages.iter().enumerate() {
        assert!(message.src < n && message.dst < n && message.src != message.dst, "{message:?}");
        for before in &message.after {
            assert!(*before < index, "message {index} depends on a later one");
            assert_eq!(messages[*before].dst, message.src);
        }
    }
}

#[test]
fn every_host_of_an_all_reduce_sends_the_minimum() {
    for n in [2usize, 4, 8] {
        let bytes = 1 << 20;
        let least = 2 * (n as u64 - 1) * bytes / n as u64;
        for messages in [
            collective(AllReduceRing, n, bytes, Time::ZERO),
            collective(AllReduceHalvingDoubling, n, bytes, Time::ZERO),
        ] {
            let messages = messages.unwrap();
            check_order(&messages, n);
            for host in 0..n {
                let sent: u64 = messages.iter().filter(|m| m.src == host).map(|m| m.bytes).sum();
                assert_eq!(sent, least, "{n} hosts");
            }
        }
    }
    assert_eq!(collective(AllReduceHalvingDoubling, 6, 1, Time::ZERO), Err(WorkloadError::NotPowerOfTwo(6)));
    assert_eq!(
        collective(AllReduceRing, 1, 1, Time::ZERO),
        Err(WorkloadError::Hosts { needed: 2, found: 1 })
    );
    let all = collective(AllToAll, 5, 5_000, Time::ZERO).unwrap();
    check_order(&all, 5);
    assert_eq!((all.len(), all[0].bytes), (20, 1_000));
    let bursts = incast(4, 7, Time::from_us(1), 2, Time::from_us(10)).unwrap();
    assert!(bursts.iter().all(|m| m.dst == 0 && m.src != 0));
    assert_eq!(bursts.last().unwrap().start, Time::from_us(11));
}

#[test]
fn loads_with_too_many_messages_are_rejected() {
    let arrivals = Arrivals { bytes_per_second: 1e15, start: Time::ZERO, duration: Time::from_ms(1000) };
    assert_eq!(poisson(4, arrivals, table("hadoop").unwrap(), 1e-3, 1), Err(WorkloadError::TooMany));
    let nothing = Arrivals { bytes_per_second: 0.0, ..arrivals };
    assert_eq!(poisson(4, nothing, table("hadoop").unwrap(), 1.0, 1), Ok(Vec::new()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn sizes_follow_their_tables(seed: u64, which in 0..TABLES.len()) {
        let table = TABLES[which];
        let mut random = crate::random::Random::new(seed, 1);
        let mut drawn: Vec<u64> = (0..40_000).map(|_| table.draw(&mut random, 1.0)).collect();
        let mean = drawn.iter().sum::<u64>() as f64 / drawn.len() as f64;
        // The heaviest tail has a standard deviation of less than four means: five standard errors are 10 %.
        prop_assert!((mean / table.mean() - 1.0).abs() < 0.1, "{}: {mean} against {}", table.name, table.mean());
        drawn.sort_unstable();
        for ppm in [200_000u64, 500_000, 800_000, 900_000] {
            // Between the quantiles of 1.5 % fewer and 1.5 % more messages.
            let found = drawn[drawn.len() * ppm as usize / 1_000_000];
            prop_assert!(found >= table.quantile(ppm - 15_000) && found <= table.quantile(ppm + 15_000), "{} {ppm}", table.name);
        }
    }

    #[test]
    fn the_offered_load_is_the_requested_one(seed: u64, which in 0..TABLES.len(), gbps in 1..50u64, reads: bool) {
        let table = TABLES[which];
        let scale = 100_000.0 / table.mean();
        let bytes_per_second = gbps as f64 * 1e9 / 8.0;
        // 20,000 messages are expected.
        let duration = Time::from_secs_f64(20_000.0 * 100_000.0 / bytes_per_second);
        let arrivals = Arrivals { bytes_per_second, start: Time::from_us(7), duration };
        let messages = match reads {
            true => storage_reads(8, 3, arrivals, &table, scale, seed),
            false => poisson(8, arrivals, &table, scale, seed),
        }.unwrap();
        check_order(&messages, 8);
        let data: u64 = messages.iter().filter(|m| !reads || !m.after.is_empty()).map(|m| m.bytes).sum();
        let offered = data as f64 / duration.as_secs_f64();
        prop_assert!((offered / bytes_per_second - 1.0).abs() < 0.15, "{offered} against {bytes_per_second}");
        let first = |m: &&Message| m.after.is_empty();
        prop_assert!(messages.iter().filter(first).all(|m| m.start >= Time::from_us(7) && m.start.0 < duration.0 + 7_000_000));
        // Starts of a Poisson process: about as many in the first half as in the second.
        let early = messages.iter().filter(first).filter(|m| m.start.0 < duration.0 / 2).count() as f64;
        let all = messages.iter().filter(first).count() as f64;
        prop_assert!((early / all - 0.5).abs() < 0.03, "{early} of {all}");
        if reads {
            prop_assert!(messages.iter().all(|m| (m.src < 3) == m.after.is_empty()));
        }
    }
}
