//! The buffer configuration of the Azure paper (Bai et al., NSDI 2023, appendix A, listing 1): a 24 MB switch with 64
//! ports, tested as in the paper: block a port, send, inspect the watermarks, release.

use super::*;

const CELL_BYTES: u64 = 208;
const RESERVED_BYTES: u64 = 1_248;
const HEADROOM_BYTES: u64 = 96_928;
const LOSSLESS: u8 = 3;
const LOSSY: u8 = 0;

/// Ingress pool 0: `ingress_pool`. Egress pool 0: `egress_lossy_pool`, 1: `egress_lossless_pool`.
fn listing() -> TmConfig {
    let mut config = TmConfig::lossy((1..=64).map(|n| (n, Rate::from_gbps(100))), 24_000_000);
    config.cell_bytes = CELL_BYTES as u32;
    config.ingress_pools =
        vec![PoolConfig { size_bytes: 18_000_000, shared_headroom_bytes: Some(6_000_000) }];
    let egress = |size_bytes| PoolConfig { size_bytes, shared_headroom_bytes: None };
    config.egress_pools = vec![egress(14_000_000), egress(24_000_000)];
    config.profiles = vec!["ingress_lossy_profile".to_string(), "ingress_lossless_profile".to_string()];
    for port in &mut config.ports {
        for class in 0..CLASSES {
            port.groups[class].threshold = Threshold::Static(24_000_000);
            port.queues[class].reserved_bytes = 1_664;
            port.queues[class].threshold = Some(Threshold::Dynamic { alpha_exponent: -1 });
        }
        for class in [3, 4] {
            port.groups[class] = GroupProfile {
                profile: 1,
                pool: 0,
                reserved_bytes: RESERVED_BYTES,
                threshold: Threshold::Dynamic { alpha_exponent: -3 },
                lossless: Some(Lossless {
                    headroom_bytes: HEADROOM_BYTES,
                    xon_bytes: 1_248,
                    xon_offset_bytes: 2_496,
                }),
            };
            port.queues[class].pool = 1;
            port.queues[class].reserved_bytes = 0;
            port.queues[class].threshold = Some(Threshold::Static(24_000_000));
        }
    }
    config
}

/// Sends packets of one class from one port to a blocked one until the group pauses its peer; returns the bytes that
/// the group holds then.
fn send_until_pause(tm: &mut TrafficManager<u32>, from: u16, to: u16) -> u64 {
    while !tm.is_pausing_peer(from, LOSSLESS) {
        tm.enqueue(Time::ZERO, arrival(from, to, LOSSLESS, 1_000), 0).expect("admitted until the pause");
    }
    let group = tm.group(from, LOSSLESS).expect("the port exists");
    group.bytes + group.headroom_bytes
}

/// Asserts that the group holds `expected` bytes in addition to its reservation, within the cells of one packet.
fn check_pause_point(held: u64, expected: u64) {
    let packet = 1_000u64.div_ceil(CELL_BYTES) * CELL_BYTES;
    let range = expected - packet..=expected + RESERVED_BYTES + packet;
    assert!(range.contains(&held), "paused at {held} B, expected {range:?}");
}

#[test]
fn a_lone_lossless_queue_pauses_at_two_megabytes() {
    let mut tm = tm(listing());
    assert!(tm.block(2));
    check_pause_point(send_until_pause(&mut tm, 1, 2), 2_000_000);
}

#[test]
fn packets_are_counted_in_whole_cells_and_the_reservation_is_not_shared() {
    // Packets of one cell: the group sends a pause at the first cell with share >= (18 MB - share) / 8.
    let mut tm = tm(listing());
    while !tm.is_pausing_peer(1, LOSSLESS) {
        tm.enqueue(Time::ZERO, arrival(1, 2, LOSSLESS, 208), 0).expect("admitted until the pause");
    }
    let group = tm.group(1, LOSSLESS).expect("the port exists");
    // The first cell above the threshold is counted in the headroom.
    assert_eq!(group.headroom_bytes, CELL_BYTES);
    assert!(group.bytes - RESERVED_BYTES <= 2_000_000);
    assert!(group.bytes - RESERVED_BYTES + CELL_BYTES > (18_000_000 - (group.bytes - RESERVED_BYTES)) / 8);
    // One byte occupies a whole cell.
    let before = tm.memory().0;
    tm.enqueue(Time::ZERO, arrival(1, 2, LOSSLESS, 1), 0).expect("there is headroom");
    assert_eq!(tm.memory().0 - before, CELL_BYTES);
}

#[test]
fn with_the_lossy_pool_full_a_lossless_queue_pauses_at_444_kilobytes() {
    let mut tm = tm(listing());
    assert!(tm.block(2) && tm.block(3));
    // Fills enough lossy queues, including their reservations, to use the 14 MB available to lossy traffic at
    // ingress.
    let mut ports = (3..=64).cycle();
    let pool = |tm: &TrafficManager<u32>| tm.ingress_pools().next().expect("there is one").bytes;
    let lossy = [0u8, 1, 2, 5, 6, 7];
    while pool(&tm) < 14_000_000 {
        let port = ports.next().expect("a cycle");
        for class in lossy {
            if pool(&tm) < 14_000_000 {
                let _ = tm.enqueue(Time::ZERO, arrival(port, port, class, 1_000), 0);
            }
        }
    }
    check_pause_point(send_until_pause(&mut tm, 1, 2), 444_444);
}

#[test]
fn lossy_traffic_leaves_four_megabytes_to_lossless_queues() {
    let mut tm = tm(listing());
    let mut dropped = 0;
    while dropped < 1_000 {
        for port in 1..=64 {
            for class in [0u8, 1, 2, 5, 6, 7] {
                dropped += u32::from(tm.enqueue(Time::ZERO, arrival(port, port, class, 1_000), 0).is_err());
            }
        }
    }
    let lossy = tm.egress_pools().next().expect("there are two").bytes;
    assert!((13_900_000..=14_000_000).contains(&lossy), "{lossy}");
    assert_eq!(tm.audit(), Ok(()));
}

#[test]
fn a_blocked_port_fills_the_headroom_without_loss() {
    let mut tm = tm(listing());
    assert!(tm.block(2));
    tm.clear_watermarks();
    send_until_pause(&mut tm, 1, 2);
    // The peer keeps sending until the headroom is full.
    let mut sent = tm.queue(2, LOSSLESS).expect("the port exists").packets;
    while tm.group(1, LOSSLESS).expect("the port exists").headroom_bytes + 1_040 <= HEADROOM_BYTES {
        tm.enqueue(Time::ZERO, arrival(1, 2, LOSSLESS, 1_000), 0).expect("the headroom takes it");
        sent += 1;
    }
    let group = tm.group(1, LOSSLESS).expect("the port exists");
    assert!(group.headroom_watermark_bytes <= HEADROOM_BYTES);
    assert!(group.headroom_watermark_bytes + 1_040 > HEADROOM_BYTES);
    assert_eq!(tm.queue(2, LOSSLESS).expect("the port exists").watermark_packets, sent);
    assert_eq!(tm.dequeue(Time::ZERO, 2), None);
    // After the release all packets arrive and the peer is resumed.
    assert!(tm.release(2));
    assert!(events(&mut tm).contains(&TmEvent::Ready { port: 2 }));
    let received = std::iter::from_fn(|| tm.dequeue(Time::ZERO, 2)).count() as u64;
    assert_eq!((received, tm.memory().0), (sent, 0));
    assert!(!tm.is_pausing_peer(1, LOSSLESS));
    assert_eq!(tm.memory().1, group.watermark_bytes + group.headroom_watermark_bytes);
}

#[test]
fn a_packet_above_the_headroom_is_dropped_and_reported_with_its_profile() {
    let mut tm = tm(listing());
    assert!(tm.block(2));
    while tm.enqueue(Time::ZERO, arrival(1, 2, LOSSLESS, 1_000), 0).is_ok() {}
    let group = tm.group(1, LOSSLESS).expect("the port exists");
    assert!(group.headroom_watermark_bytes <= HEADROOM_BYTES);
    let last = events(&mut tm).pop().expect("the drop");
    let TmEvent::Dropped { reason: DropReason::HeadroomFull, lossless: true, profile, .. } = last else {
        panic!("{last:?}");
    };
    assert_eq!(tm.profile_name(profile), "ingress_lossless_profile");
}

#[test]
fn the_shared_headroom_suffices_for_61_groups_at_their_limit() {
    // With two lossless priorities, 64 ports could use twice the size of the shared headroom.
    let mut tm = tm(listing());
    for port in 1..=64 {
        assert!(tm.block(port));
    }
    let mut full = 0;
    'ports: for port in 1..=64 {
        for class in [3u8, 4] {
            loop {
                match tm.enqueue(Time::ZERO, arrival(port, port, class, 208), 0) {
                    Ok(_) => {}
                    Err((reason, _)) => {
                        let used = tm.group(port, class).expect("the port exists").headroom_bytes;
                        if reason != DropReason::HeadroomFull || used + CELL_BYTES <= HEADROOM_BYTES {
                            break 'ports;
                        }
                        full += 1;
                        break;
                    }
                }
            }
        }
    }
    assert_eq!(full, 6_000_000 / HEADROOM_BYTES);
    assert!(tm.ingress_pools().next().expect("there is one").headroom_bytes <= 6_000_000);
    assert_eq!(tm.audit(), Ok(()));
}

#[test]
fn lossy_classes_are_dropped_at_egress_without_a_pause() {
    let mut tm = tm(listing());
    assert!(tm.block(2));
    let dropped = loop {
        if let Err((reason, _)) = tm.enqueue(Time::ZERO, arrival(1, 2, LOSSY, 1_000), 0) {
            break reason;
        }
    };
    assert_eq!(dropped, DropReason::EgressThreshold);
    let queue = tm.queue(2, LOSSY).expect("the port exists");
    // Alpha 1/2 of 14 MB gives one third, in addition to the reservation.
    assert!(queue.bytes.abs_diff(14_000_000 / 3 + 1_664) <= 1_040, "{}", queue.bytes);
    assert!(!tm.is_pausing_peer(1, LOSSY));
}
