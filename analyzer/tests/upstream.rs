//! Pauses hold packets upstream of a congested port. Which port holds enough of them to keep the link paused, and who sent
//! them. The victim is h2 -> h6, behind the paused port sw2:2; its slow packet was in flight from 898 to 923 us.

mod support;

use model::{Anomaly, Cause};
use support::stories::background;
use support::{Expect, Story, at, check, check_without, line_network, network};

/// The line of switches with slower links to h4, at sw3:2, and to h5, at sw3:3; the victim leaves by sw3:4.
fn behind_two_slow_links() -> Story {
    let mut topology = line_network();
    let hosts = [("h5", "10.0.0.5"), ("h6", "10.0.0.6")];
    let more = network(&hosts, &[("h5:1", "sw3:3", 50), ("h6:1", "sw3:4", 100)]);
    topology.nodes.extend(more.nodes.into_iter().filter(|node| ["h5", "h6"].contains(&node.name.as_str())));
    topology.links.extend(more.links);
    let story = background(Story::new(topology), 925);
    let victim = story.flow("h2", "h6");
    story
        .triggered(victim, 923, 9, 25)
        .saw(at(victim, 3, "sw1:1", 300, (600, 920)))
        .saw(at(victim, 1, "sw2:2", 300, (600, 922)).queued(20, 30, (905, 922)).paused(15))
        .paused("sw2:2", (904, 921))
        .saw(at(victim, 1, "sw3:4", 290, (600, 920)))
}

/// Bursts to h4 and h5 of so many packets, which met as many others in the queues of their receivers.
fn two_queues(to_h4: u64, to_h5: u64) -> Story {
    let queues = [("a1", "h4", "sw3:2", to_h4), ("a2", "h5", "sw3:3", to_h5)];
    queues.into_iter().fold(behind_two_slow_links(), |story, (from, to, egress, packets)| {
        let burst = story.flow(from, to);
        story
            .saw(
                at(burst, 3, "sw2:2", packets, (896, 924))
                    .queued(packets, 30, (904, 924))
                    .paused(packets / 2),
            )
            .saw(at(burst, 1, egress, packets, (897, 924)).queued(packets, packets / 2, (898, 924)))
    })
}

fn backpressure<'e>(path: &'e [&'e str], culprits: &'e [&'e str]) -> Expect<'e> {
    let cause = if culprits.len() > 1 { Cause::Incast } else { Cause::Undetermined };
    let anomaly = Anomaly::PfcBackpressureFlowContention;
    Expect { anomaly, cause, root: path.last().copied(), culprits, path, ..Expect::default() }
}

#[test]
fn a_queue_that_could_not_keep_the_pause_up_is_not_named() {
    let large = || backpressure(&["sw2:2", "sw3:2"], &["a1-h4"]);
    let small = || backpressure(&["sw2:2", "sw3:3"], &["a2-h5"]);
    let story = two_queues(80, 55);
    check(&story, &[large()]);
    check_without(&["port_graph.sustains"], &story, &[large(), small()]);
    let evidence = story.diagnose().remove(0).evidence;
    let reason = "sw2:2 does not wait for sw3:3: the traffic from there that was queued at it could not keep the pause up alone";
    assert!(evidence.iter().any(|e| e.claim == reason), "{evidence:?}");
    check(&two_queues(60, 60), &[large(), small()]);
}

/// A long-running flow keeps the port to h4 congested and waits upstream; a small newcomer joins its queue.
#[test]
fn packets_that_wait_upstream_count_for_the_queue() {
    let story = behind_two_slow_links();
    let (long, small) = (story.flow("a1", "h4"), story.flow("a2", "h4"));
    let story = story
        .saw(at(long, 3, "sw2:2", 3_000, (0, 924)).queued(120, 40, (904, 924)).paused(100))
        .saw(at(long, 1, "sw3:2", 2_900, (0, 924)).queued(90, 10, (898, 924)))
        .saw(at(small, 1, "sw3:2", 20, (899, 924)).queued(20, 10, (899, 924)));
    let path = ["sw2:2", "sw3:2"];
    check(&story, &[backpressure(&path, &["a1-h4", "a2-h4"])]);
    let newcomer = Expect { spreaders: &["a1-h4"], ..backpressure(&path, &["a2-h4"]) };
    check_without(&["attribution.waiting_upstream"], &story, &[newcomer]);
}
