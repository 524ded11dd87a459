//! Pauses hold packets upstream of a congested port, which count for its queue. The victim is h2 -> h6, behind the paused port
//! sw2:2; its slow packet was in flight from 898 to 923 us.

use crate::support::stories::background;
use crate::support::{Expect, Story, at, check, check_without, line_network, network};
use model::{Anomaly, Cause};

/// The line of switches with a slower link to h4, at sw3:2; the victim leaves by sw3:4.
fn behind_a_slow_link() -> Story {
    let mut topology = line_network();
    let more = network(&[("h6", "10.0.0.6")], &[("h6:1", "sw3:4", 100)]);
    topology.nodes.extend(more.nodes.into_iter().filter(|node| node.name == "h6"));
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

fn backpressure<'e>(path: &'e [&'e str], culprits: &'e [&'e str]) -> Expect<'e> {
    let cause = if culprits.len() > 1 { Cause::Incast } else { Cause::Undetermined };
    let anomaly = Anomaly::PfcBackpressureFlowContention;
    Expect { anomaly, cause, root: path.last().copied(), culprits, path, ..Expect::default() }
}

/// A long-running flow keeps the port to h4 congested and waits upstream; a small newcomer joins its queue.
#[test]
fn packets_that_wait_upstream_count_for_the_queue() {
    let story = behind_a_slow_link();
    let (long, small) = (story.flow("a1", "h4"), story.flow("a2", "h4"));
    let story = story
        .saw(at(long, 3, "sw2:2", 3_000, (0, 924)).queued(120, 40, (904, 924)).paused(100))
        .saw(at(long, 1, "sw3:2", 2_900, (0, 924)).queued(90, 10, (898, 924)))
        .saw(at(small, 1, "sw3:2", 20, (899, 924)).queued(20, 10, (899, 924)));
    let path = ["sw2:2", "sw3:2"];
    check(&story, &[backpressure(&path, &["a1-h4", "a2-h4"])]);
    let newcomer = Expect { spreaders: &["a1-h4"], ..backpressure(&path, &["a2-h4"]) };
    check_without(&["attribution.waiting_upstream", "verdict.doubtful"], &story, &[newcomer]);
}
