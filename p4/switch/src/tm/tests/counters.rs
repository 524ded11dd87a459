//! Counters of priorities, priority groups and queues.

use super::*;

fn counters(tm: &TrafficManager<u32>, port: u16, class: u8) -> ClassCounters {
    tm.counters(port, class).unwrap()
}

#[test]
fn a_queue_counts_what_leaves_it() {
    let mut config = config();
    // Every packet that leaves more than 3 packets behind is marked.
    config.ports[1].queues[3].ecn = Some(Ecn { kmin_bytes: 3 * 1348, kmax_bytes: 3 * 1348, pmax_ppm: 0 });
    let mut tm = tm(config);
    fill(&mut tm, 5);
    assert_eq!(counters(&tm, 2, 3).queue_packets, 0);
    while tm.dequeue(Time::ZERO, 2).is_some() {}
    let counted = counters(&tm, 2, 3);
    assert_eq!((counted.queue_packets, counted.queue_bytes, counted.ecn_marked_packets), (5, 5 * 1348, 1));
    assert_eq!(counters(&tm, 1, 3).queue_packets, 0);
}

#[test]
fn the_time_in_pause_grows_while_a_pause_lasts() {
    let mut tm = tm(config());
    let paused = |tm: &TrafficManager<u32>, us: u64| tm.paused_time(2, 3, Time::from_us(us)).unwrap();
    tm.receive_pfc(Time::from_us(10), 2, &Pfc::single(3, u16::MAX));
    // A refresh is not another pause.
    tm.receive_pfc(Time::from_us(20), 2, &Pfc::single(3, u16::MAX));
    assert_eq!(paused(&tm, 25), Time::from_us(15));
    tm.receive_pfc(Time::from_us(30), 2, &Pfc::single(3, 0));
    assert_eq!(paused(&tm, 99), Time::from_us(20));
    tm.receive_pfc(Time::from_us(100), 2, &Pfc::single(3, u16::MAX));
    assert_eq!(paused(&tm, 101), Time::from_us(21));
    assert_eq!(counters(&tm, 2, 3).pfc_frames_received, 4);
    assert_eq!(counters(&tm, 2, 3).pauses_begun, 2);
    assert_eq!(tm.paused_time(2, 4, Time::from_us(101)), Some(Time::ZERO));
}

#[test]
fn pfc_frames_count_also_where_pfc_is_disabled() {
    let mut config = config();
    config.ports[1].pfc_enabled = 0;
    let mut tm = tm(config);
    tm.receive_pfc(Time::ZERO, 2, &Pfc::single(3, u16::MAX));
    assert_eq!(counters(&tm, 2, 3).pfc_frames_received, 1);
    assert_eq!(counters(&tm, 2, 3).pauses_received, 0);
    assert_eq!(tm.paused_time(2, 3, Time::from_us(9)), Some(Time::ZERO));
}

#[test]
fn drops_count_at_the_group_or_at_the_queue() {
    let mut config = config();
    config.ports[1].queues[0].threshold = Some(Threshold::Static(2_000));
    let mut tm = tm(config);
    // The queue of class 0 is full with one packet; the headroom of class 3 is full with 44.
    for packet in 0..3 {
        let _ = tm.enqueue(Time::ZERO, arrival(1, 2, 0, 1_500), packet);
    }
    for packet in 0..50 {
        let _ = tm.enqueue(Time::ZERO, arrival(1, 2, 3, 1_348), packet);
    }
    let (queue, group) = (counters(&tm, 2, 0), counters(&tm, 1, 3));
    assert_eq!((queue.queue_dropped_packets, queue.queue_dropped_bytes), (2, 3_000));
    assert!(group.group_dropped_packets > 0);
    let stored = tm.queue(2, 3).unwrap().packets;
    assert_eq!(stored + group.group_dropped_packets, 50);
    assert_eq!(counters(&tm, 1, 0).group_dropped_packets, 0);
    assert_eq!(counters(&tm, 2, 3).queue_dropped_packets, 0);
}
