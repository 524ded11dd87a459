//! Snapshots that several tests use.

use super::*;

/// F1 and F2 are long-running; at 900 us A1..A4 start a burst to h3; switches are read at 925 us.
///
/// F2 has sent 4,300 packets in its epoch through an empty queue, and 100 since the burst began; each of A1..A4 has
/// sent 60.
pub(crate) fn early_poll() -> Story {
    let story = background(Story::new(line_network()), 925);
    let (f1, f2) = (story.flow("h2", "h4"), story.flow("h1", "h3"));
    let story = story
        .saw(at(f1, 3, "sw1:1", 4_000, (0, 925)).queued(30, 20, (911, 924)).paused(26))
        .saw(at(f2, 2, "sw1:1", 4_300, (0, 925)).queued(30, 20, (911, 924)).paused(22))
        .paused("sw1:1", (911, 919))
        .saw(at(f1, 1, "sw2:2", 3_970, (0, 925)).queued(200, 1, (10, 925)))
        .saw(at(f2, 1, "sw2:3", 4_280, (0, 925)).queued(60, 25, (906, 924)).paused(22))
        .paused("sw2:3", (906, 918))
        .still_paused("sw2:3", 921)
        .saw(at(f1, 1, "sw3:2", 3_960, (0, 925)))
        .saw(at(f2, 1, "sw4:2", 4_400, (0, 925)).queued(100, 70, (900, 925)));
    ["a1", "a2", "a3", "a4"].iter().zip(3..).fold(story, |story, (host, ingress)| {
        let burst = story.flow(host, "h3");
        story.saw(at(burst, ingress, "sw4:2", 60, (900, 925)).queued(58, 70, (901, 925)))
    })
}

/// The four switches, and what F1 and F2 sent in the epoch before.
pub(crate) fn background(story: Story, frozen_us: u64) -> Story {
    let (f1, f2) = (story.flow("h2", "h4"), story.flow("h1", "h3"));
    let story = ["sw1", "sw2", "sw3", "sw4"].iter().fold(story, |s, name| s.switch(name, frozen_us));
    story
        .triggered(f1, frozen_us - 2, 9, 25)
        .saw(at(f1, 3, "sw1:1", 4_600, (0, 1_040)).epoch_before())
        .saw(at(f2, 2, "sw1:1", 4_600, (0, 1_040)).epoch_before())
        .saw(at(f1, 1, "sw2:2", 4_600, (0, 1_040)).epoch_before())
        .saw(at(f2, 1, "sw2:3", 4_600, (0, 1_040)).epoch_before())
        .saw(at(f1, 1, "sw3:2", 4_600, (0, 1_040)).epoch_before())
        .saw(at(f2, 1, "sw4:2", 4_600, (0, 1_040)).epoch_before())
}

/// As [`early_poll`], but h3's link is slower than h1's, so that F2 alone keeps three packets queued at sw4:2. The
/// burst of A1..A4 joins this standing queue.
pub(crate) fn burst_into_a_standing_queue() -> Story {
    let mut story = early_poll();
    let f2 = story.flow("h1", "h3");
    for switch in story.snapshot.switches.iter_mut().filter(|s| s.switch == "sw4") {
        for f in switch.flows.iter_mut() {
            if f.flow == f2 {
                (f.queued_packets, f.depth_sum, f.queued_ns) = (Some(f.packets), 3 * f.packets, f.seen_ns);
            } else {
                f.depth_sum = 9 * f.queued_packets.unwrap_or(0);
            }
        }
        for slot in switch.ports.iter_mut().filter(|p| p.port == 2) {
            let of_slot = switch.flows.iter().filter(|f| (f.egress_port, f.epoch) == (2, slot.epoch));
            slot.depth_sum = of_slot.map(|f| f.depth_sum).sum();
        }
    }
    story
}

/// The long-running F1 comes from a host of 100 Gb/s and leaves by h4's 50 Gb/s link: it alone keeps a few packets queued at
/// sw3:2.
/// With `burst`, A1..A4 send to h5, also behind sw3, for 25 us. Both queues hold packets of sw2:2, which is paused.
pub(crate) fn own_queue(burst: bool) -> Story {
    let mut topology = line_network();
    let more = network(&[("h5", "10.0.0.5")], &[("h5:1", "sw3:3", 50)]);
    topology.nodes.extend(more.nodes.into_iter().filter(|n| n.name == "h5"));
    topology.links.extend(more.links);
    set_host_rate(&mut topology, "h2", 100);
    let story = background(Story::new(topology), 925);
    let f1 = story.flow("h2", "h4");
    let story = story
        .saw(at(f1, 3, "sw1:1", 4_000, (0, 925)))
        .saw(at(f1, 1, "sw2:2", 4_000, (0, 925)).queued(40, 20, (905, 924)).paused(20))
        .paused("sw2:2", (911, 918))
        .saw(at(f1, 1, "sw3:2", 3_990, (0, 925)).queued(60, 3, (903, 924)));
    let hosts = if burst { &["a1", "a2", "a3", "a4"][..] } else { &[] };
    hosts.iter().fold(story, |story, host| {
        let burst = story.flow(host, "h5");
        story
            .saw(at(burst, 3, "sw2:2", 30, (900, 925)).queued(29, 20, (901, 925)).paused(5))
            .saw(at(burst, 1, "sw3:3", 28, (901, 925)).queued(27, 8, (902, 925)))
    })
}

/// h3's NIC pauses sw4:2 from 500 us on.
pub(crate) fn storm() -> Story {
    let story = background(Story::new(line_network()), 600);
    let (f1, f2) = (story.flow("h2", "h4"), story.flow("h1", "h3"));
    story
        .saw(at(f1, 3, "sw1:1", 2_200, (0, 530)).queued(60, 30, (515, 530)).paused(60))
        .saw(at(f2, 2, "sw1:1", 2_200, (0, 530)).queued(60, 30, (515, 530)).paused(60))
        .still_paused("sw1:1", 515)
        .saw(at(f1, 1, "sw2:2", 2_100, (0, 516)))
        .saw(at(f2, 1, "sw2:3", 2_150, (0, 515)).queued(50, 25, (507, 515)).paused(50))
        .still_paused("sw2:3", 507)
        .saw(at(f1, 1, "sw3:2", 2_100, (0, 516)))
        .saw(at(f2, 1, "sw4:2", 2_100, (0, 507)).queued(30, 15, (500, 507)).paused(30))
        .still_paused("sw4:2", 500)
}

/// Three switches in a ring, two hosts each; flows go two hops around and close a loop of pauses.
pub(crate) fn ring() -> Story {
    let topology = network(
        &[
            ("p1", "10.0.0.1"),
            ("p2", "10.0.0.2"),
            ("p3", "10.0.0.3"),
            ("q1", "10.0.1.1"),
            ("q2", "10.0.1.2"),
            ("q3", "10.0.1.3"),
        ],
        &[
            ("r1:1", "r2:2", 100),
            ("r2:1", "r3:2", 100),
            ("r3:1", "r1:2", 100),
            ("p1:1", "r1:3", 100),
            ("p2:1", "r2:3", 100),
            ("p3:1", "r3:3", 100),
            ("q1:1", "r1:4", 100),
            ("q2:1", "r2:4", 100),
            ("q3:1", "r3:4", 100),
        ],
    );
    let story = ["r1", "r2", "r3"].iter().fold(Story::new(topology), |s, name| s.switch(name, 700));
    let (f1, f2, f3) = (story.flow("p1", "p3"), story.flow("p2", "p1"), story.flow("p3", "p2"));
    story
        .saw(at(f1, 3, "r1:1", 1_100, (100, 680)).queued(80, 40, (610, 680)).paused(40))
        .saw(at(f3, 2, "r1:1", 1_000, (100, 640)).queued(60, 40, (610, 640)).paused(30))
        .saw(at(f2, 3, "r2:1", 1_100, (100, 680)).queued(80, 40, (605, 680)).paused(40))
        .saw(at(f1, 2, "r2:1", 1_000, (100, 640)).queued(60, 40, (605, 640)).paused(30))
        .saw(at(f3, 3, "r3:1", 1_100, (100, 680)).queued(80, 40, (620, 680)).paused(40))
        .saw(at(f2, 2, "r3:1", 1_000, (100, 640)).queued(60, 40, (620, 640)).paused(30))
}

/// h1's flow has a round trip of 20 us (base RTT 9 us) at 923 us. At sw4:2 it is queued over the microseconds `queued`,
/// in which A1 and A2 send a burst.
pub(crate) fn contention(queued: (u64, u64)) -> Story {
    let story = background(Story::new(line_network()), 925);
    let f2 = story.flow("h1", "h3");
    let story = story
        .triggered(f2, 923, 9, 20)
        .saw(at(f2, 2, "sw1:1", 4_300, (0, 925)))
        .saw(at(f2, 1, "sw2:3", 4_280, (0, 925)))
        .saw(at(f2, 1, "sw4:2", 4_400, (0, 925)).queued(100, 70, queued));
    ["a1", "a2"].iter().zip(3..).fold(story, |story, (host, ingress)| {
        let burst = story.flow(host, "h3");
        story.saw(at(burst, ingress, "sw4:2", 60, queued).queued(58, 70, queued))
    })
}

/// h1's flow has a round trip of 80 us (base RTT 9 us) at 923 us: at sw4:2, A1 and A2 flood the port in another class.
pub(crate) fn flood_of_another_class() -> Story {
    let story = background(Story::new(line_network()), 925);
    let victim = story.flow("h1", "h3");
    let story = story
        .triggered(victim, 923, 9, 80)
        .saw(at(victim, 1, "sw4:2", 30, (860, 925)).queued(29, 15, (862, 920)).class(3));
    ["a1", "a2"].iter().zip(3..).fold(story, |story, (host, ingress)| {
        let flood = story.flow(host, "h3");
        story.saw(at(flood, ingress, "sw4:2", 700, (855, 925)).queued(690, 400, (856, 925)).class(4))
    })
}
