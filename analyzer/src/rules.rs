//! The rules of the analyzer that can be left out, by name: each signature, each cause, and each step that decides which
//! flows a queue is attributed to. [`crate::Settings::without`] names the rules that are not applied; `harrier eval
//! --ablate` shows what each is worth.

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name: the module, and the step in it.
    pub name: &'static str,
    /// What the analyzer does with it.
    pub does: &'static str,
}

const fn rule(name: &'static str, does: &'static str) -> Rule {
    Rule { name, does }
}

/// All rules, by stage.
pub const ALL: &[Rule] = &[
    rule("queue_episode.scattered", "leaves records with few queued packets out of the time of the episode"),
    rule("queue_episode.standing", "ends the episode where only a standing queue is left"),
    rule(
        "overwritten",
        "extends a pause to the queueing that only pauses explain, if the log was overwritten",
    ),
    rule("port_graph.holding", "follows only ports that held the paused traffic at that time"),
    rule("port_graph.brief", "ends a pause path at a congested port that is hardly paused itself"),
    rule(
        "port_graph.likeliest",
        "follows the heaviest possible edge if no record shows which port held the traffic",
    ),
    rule("accounting", "compares the delay with what the queues and pauses of the path can have caused"),
    rule(
        "accounting.rival",
        "doubts a loss or a path change beside a queue that can account for the delay as well",
    ),
    rule(
        "accounting.both_ways",
        "also names the queues of the ACKs if those of the path cannot account for the delay",
    ),
    rule(
        "accounting.longer_path",
        "names no queue for a delay that the length of the path explains, of which no switch logged a change",
    ),
    rule("accounting.detour", "names queues that add to the delay of a longer path"),
    rule(
        "contention.rest",
        "names a flow that was paused upstream if the epoch ring shows that it rested before",
    ),
    rule("contention.ahead", "counts only what arrived before the slow packet"),
    rule("contention.reach_back", "counts what arrived while the packets were sent that were ahead"),
    rule("reverse_path", "analyses the path of the ACKs if nothing on the victim's path delays it"),
    rule("measurement.shallow", "takes packets that met almost no queue for earlier or later ones"),
    rule("measurement.by_depth", "splits a long record by the depth that its packets met"),
    rule("measurement.scattered", "gives a record with few queued packets its usual rate"),
    rule("measurement.ingress_link", "limits a flow to what its ingress link carries"),
    rule("measurement.deep_earlier", "does not count queueing of an earlier episode as a previous rate"),
    rule("measurement.held", "knows when upstream pauses held a flow"),
    rule("entitlement.previous_rate", "entitles a flow to its previous rate"),
    rule("entitlement.whole_record", "counts growth only if the whole records of the flow show it"),
    rule("entitlement.jitter", "does not count small growth"),
    rule("attribution.self_made", "attributes a queue to the victim alone"),
    rule(
        "attribution.own_packets",
        "attributes no queue to the victim alone in which other flows have more than a fifth of the packets",
    ),
    rule(
        "attribution.line_rate",
        "attributes no queue to the victim alone whose packets cannot arrive faster than the port sends",
    ),
    rule("attribution.paused_upstream", "does not name flows that only spread the congestion"),
    rule("attribution.smallest_set", "names the smallest set of flows that accounts for the queue"),
    rule(
        "attribution.accounts",
        "names the largest senders if what exceeds previous rates cannot have built the queue",
    ),
    rule("attribution.free_accounts", "names paused flows if the packets of all others cannot be the queue"),
    rule(
        "attribution.waiting_upstream",
        "counts packets that pauses hold upstream to the queue for which they wait",
    ),
    rule("attribution.complete", "attributes no queue to the victim alone while flow records are lost"),
    rule(
        "attribution.older_queue",
        "does not attribute a queue to a victim that enqueued less than half of it",
    ),
    rule(
        "signatures.named_first",
        "drops paths without an identified end if another path explains the pause",
    ),
    rule("signatures.one_per_loop", "keeps one finding for each loop"),
    rule("signatures.after_deadlock", "drops pauses that paused no packet of a victim in a deadlock"),
    rule("signatures.long_standing", "drops standing queues if a rate changed elsewhere"),
    rule(
        "signatures.beside_host",
        "names the queue at a port that a host pauses for a part of the delay only",
    ),
    rule(
        "signatures.beside_pauses",
        "names queues at other ports of the path if pauses account for less than half of the delay",
    ),
    rule(
        "beside_pauses.same_port",
        "names the queue of a paused port as well if pauses account for less than a fifth of the delay",
    ),
    rule("signatures.own_queue_aside", "measures shares of the pause without a queue of the victim's own"),
    rule("signatures.routing_loop", "signature"),
    rule("signatures.path_change", "signature"),
    rule("path_change.returned", "takes a route that leads back to a shortest path for no detour"),
    rule(
        "path_change.first",
        "blames no outage or black hole that began when the packet was late for no recorded reason",
    ),
    rule("signatures.deadlock", "signature"),
    rule("signatures.untimed_loop", "finds the root of a loop without pause intervals by depth"),
    rule("signatures.storm", "signature"),
    rule("signatures.backpressure", "signature"),
    rule("signatures.self_inflicted", "signature of a pause path"),
    rule("signatures.moving_loop", "signature"),
    rule("signatures.unknown_end", "signature"),
    rule("signatures.contention", "signature"),
    rule("signatures.class_contention", "signature"),
    rule(
        "class_contention.behind",
        "blames other classes for a queue that the links by which its packets arrive cannot have built",
    ),
    rule(
        "class_contention.light",
        "blames other classes for a queue whose own packets need less than half of the time of the port",
    ),
    rule("class_contention.reverse", "blames other classes for queues that delay the victim's ACKs"),
    rule("class_contention.in_time", "blames no other class for a queue that began after the measurement"),
    rule(
        "class_contention.steady",
        "names flows of another class for their packets if those that grew sent less than half of them",
    ),
    rule("signatures.packet_loss", "signature"),
    rule("packet_loss.acknowledged", "attributes no measured round trip to a lost packet"),
    rule("packet_loss.silence", "takes a loss for likelier if no queue or pause explains that no ACK came"),
    rule("packet_loss.flushed", "blames the pauses because of which the PFC watchdog dropped packets"),
    rule("packet_loss.arrived", "blames no link over which all packets of the victim arrived"),
    rule("packet_loss.expired", "blames the route of a loop for packets whose time to live expired"),
    rule("signatures.host_only", "signature"),
    rule("verdict.doubtful", "names the port alone if an accusation of flows would be too uncertain"),
    rule(
        "verdict.doubtful_losses",
        "names the port alone also if it is too uncertain which flows filled the buffer in which packets were lost",
    ),
    rule(
        "verdict.doubtful_beside_settings",
        "withholds flows also beside a setting, which stays named if it does not depend on them",
    ),
    rule("verdict.doubtful_classes", "names the port alone also if flows of another class are too uncertain"),
    rule("causes.other_class", "cause"),
    rule("causes.misconfiguration", "cause"),
    rule("misconfiguration.lost", "blames a setting for losses only if the slow packet may be one of them"),
    rule(
        "misconfiguration.sent_again",
        "blames a setting for losses of packets that the culprits send again",
    ),
    rule(
        "misconfiguration.blocked",
        "blames a low threshold only for delays of flows that do not use the congested port",
    ),
    rule("causes.own_queue", "cause"),
    rule("causes.low_rate_attack", "cause"),
    rule("causes.collective_step", "cause"),
    rule("causes.incast", "cause"),
    rule("causes.ecmp_imbalance", "cause"),
    rule("causes.elephant_collision", "cause"),
    rule("causes.slow_receiver", "cause"),
    rule("causes.nic_storm", "cause"),
    rule("causes.network", "causes of losses and path changes"),
];
