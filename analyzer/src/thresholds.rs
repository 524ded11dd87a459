//! The table of thresholds: every number that decides a verdict, with its unit, where it comes from, and what a larger
//! value does.
//!
//! No entry is an absolute time or size. Times are multiples of the *reaction time* of the network
//! ([`crate::Settings::reaction_ns`]: the base round trip, within a hundredth and a tenth of an epoch), because a queue, a
//! pause cycle and the start of an incast last some round trips wherever they happen; sizes are multiples of what the link
//! carries in that time. So one table fits 25 and 800 Gb/s, and links of 1 and of 100 us. `docs/thresholds.md` is this table.
//!
//! [`crate::Settings::scale`] multiplies entries by name, for `harrier eval --sensitivity`.

use std::fmt;

/// In what a threshold is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A share, 0 to 1.
    Share,
    /// A factor of the confidence, 0 to 1.
    Factor,
    /// A ratio of two quantities of the same kind.
    Ratio,
    /// A number of packets, flows or events.
    Count,
    /// A time in reaction times of the network.
    Reactions,
    /// A size in what the link carries in a reaction time.
    Deliveries,
    /// A number of base round trips.
    RoundTrips,
    /// Bytes.
    Bytes,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unit::Share => "share",
            Unit::Factor => "confidence factor",
            Unit::Ratio => "ratio",
            Unit::Count => "count",
            Unit::Reactions => "reaction times",
            Unit::Deliveries => "link rate x reaction time",
            Unit::RoundTrips => "base round trips",
            Unit::Bytes => "bytes",
        })
    }
}

/// An entry of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    /// Its name: the module that applies it, and what it limits.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// The unit of the value.
    pub unit: Unit,
    /// Its derivation or source; a documented choice says so.
    pub source: &'static str,
    /// What a larger value does.
    pub larger: &'static str,
}

impl Threshold {
    /// Returns the value times `factor`, within what the unit allows.
    pub fn scaled(&self, factor: f64) -> f64 {
        let value = self.value * factor;
        match self.unit {
            Unit::Share | Unit::Factor => value.min(1.0),
            _ => value,
        }
    }
}

macro_rules! thresholds {
    ($($id:ident = $name:literal, $value:expr, $unit:ident, $source:literal, $larger:literal;)*) => {
        $(
            #[doc = concat!("`", $name, "`: ", $source)]
            pub(crate) const $id: Threshold = Threshold {
                name: $name,
                value: $value,
                unit: Unit::$unit,
                source: $source,
                larger: $larger,
            };
        )*
        /// All thresholds of the analyzer, by stage and module.
        pub const ALL: &[Threshold] = &[$($id),*];
    };
}

thresholds! {
    EVENT_GAP = "event.gap", 10.0, Reactions,
        "choice: congestion control and PFC need some round trips to drain a queue; a longer rest separates two events",
        "merges events; a smaller value splits one into its pause cycles";
    ESTABLISHED = "flow.established", 10.0, Reactions,
        "choice: longer than the spread of the start times of one incast, some round trips",
        "takes flows for new that have a previous rate";
    REST = "flow.rest", 4.0, Reactions,
        "choice: a running flow sends in every round trip; a rest of a few, without a pause, shows that it is new",
        "takes new flows that were paused upstream for long-running ones";
    COVERED_SHARE = "attribution.covered_share", 0.9, Share,
        "choice: the smallest set of flows with this share of the excess is named",
        "names flows without which the queue is as long";
    WAIT_PACKETS = "queue.least_packets", 2.0, Count,
        "a packet that arrives during the transmission of another one meets one packet in a link without a queue",
        "overlooks shallow queues";
    INCIDENT_PACKETS = "queue.incident", 0.16, Deliveries,
        "choice, for a snapshot without a victim: 20 packets of 1000 bytes at 100 Gb/s and 10 us, half of the usual ECN threshold",
        "overlooks events in dumps without a victim";
    BRANCH_SHARE = "pause_path.branch_share", 0.2, Share,
        "choice: a fifth of the victim's pause is worth a verdict of its own",
        "drops the smaller of two causes";
    EXPLAINED_SHARE = "queue.explained_share", 0.1, Share,
        "choice: a tenth of the additional round-trip time is within the error of depths that are means",
        "drops queues that explain a part of the delay";
    LEAST_EXPLAINED = "accounting.least_explained", 0.5, Share,
        "less than half of the delay, and something else delays the victim more",
        "states fewer causes of a delay that the records show in part";
    PEAK = "accounting.peak", 2.0, Ratio,
        "the peak of a queue that grows or drains at a constant rate is twice its mean",
        "accepts queues that are too short for the delay";
    RIVAL = "accounting.rival", 0.5, Factor,
        "even odds: the lost packet, or another queue of the path that can account for the delay as well",
        "is more certain of losses and path changes in busy networks";
    UNEXPLAINED = "accounting.unexplained", 0.5, Factor,
        "choice: the verdict states only what the records do not show",
        "is more certain that the records show too little";
    HOST_TRAFFIC = "host_only.own_traffic", 0.5, Share,
        "by majority: other packets of a host on its link, or of another priority at a port, that take half of the delay can be most of it",
        "exonerates the fabric although packets and ACKs may have waited behind other flows of their host or behind another priority";
    STORM_DUTY = "storm.least_duty", 0.1, Share,
        "choice: a host port that was paused for less of the event cannot hold its traffic",
        "takes storms of short pauses for congestion";

    UNACCOUNTED_SHARE = "view.unaccounted_share", 0.1, Share,
        "choice: flow records and port slots count the same packets, apart from packets at the boundaries of epochs",
        "overlooks lost flow records";
    FOR_PAUSES_SHARE = "overwritten.for_pauses_share", 0.9, Share,
        "choice: nearly all queued packets of the record were held by a pause",
        "misses pauses that the full log overwrote";
    DENSITY_FLOOR = "queue_episode.density_floor", 1.0, Reactions,
        "a single packet has no density: queueing within a round trip is one observation",
        "prefers long queues to deep ones";
    DENSITY_SHARE = "queue_episode.density_share", 0.1, Share,
        "choice: an order of magnitude below the peak is another queue",
        "shortens episodes";
    DEEP_SHARE = "queue_episode.deep_share", 0.25, Share,
        "choice: a linear ramp spends three quarters of its packets above this share of its depth",
        "shortens episodes, and takes deep queueing for normal traffic";
    SCATTERED_SHARE = "queue_episode.scattered_share", 0.5, Share,
        "by majority: fewer than half of the packets in between were queued",
        "distrusts the times of more records";
    DETERMINING_SHARE = "queue_episode.determining_share", 0.5, Share,
        "by majority: the other records show at least half of the depth",
        "lets scattered records decide the time";

    BRIEF_SHARE = "port_graph.brief_share", 0.1, Share,
        "packets that gather in a pause drain at the rate of the port: longer by ten only if ten times that rate arrives",
        "ends pause paths at ports that are paused for longer";
    HOLDING_SHARE = "port_graph.holding_share", 0.1, Share,
        "choice: an order of magnitude below the deepest queue of the switch, a port does not hold the paused traffic",
        "drops edges of the graph";

    STANDING_SHARE = "measurement.standing_share", 0.9, Share,
        "choice: nearly every packet of the flow was queued",
        "takes a standing queue for a burst";
    IN_EPISODE = "measurement.in_episode", 0.8, Share,
        "choice: most of a record's queueing lies in the episode, so that its depth is that of the episode",
        "knows the episode's depth from fewer records";
    WITH_OTHERS = "measurement.with_others", 0.5, Share,
        "by majority: other flows were queued for most of the time",
        "takes recurring congestion for a previous rate";
    SPREADER_SIZE = "contention.spreader_size", 2.0, Ratio,
        "choice: a paused flow with twice the packets of the others sends more than they do",
        "names fewer flows that are paused upstream";
    CHANGED_SHARE = "attribution.changed_share", 0.1, Share,
        "choice: less excess than this is the error of counts per epoch",
        "names flows by size rather than by excess";
    OTHERS_SHARE = "attribution.others_share", 0.15, Share,
        "choice: without the other flows nearly all of the queue would remain",
        "attributes more queues to the victim";
    OWN_SHARE = "attribution.own_share", 0.5, Share,
        "by majority: a queue of its own consists of the victim's packets",
        "attributes fewer queues to the victim";
    ENOUGH_SHARE = "attribution.enough_share", 0.8, Share,
        "choice: flows with four fifths of the excess account for the queue",
        "names small flows, and the victim, more often";
    LEAST_SHARE = "attribution.least_share", 0.08, Share,
        "choice: counts of packets per epoch do not separate less",
        "names fewer small flows";
    SAME_SIZE = "attribution.same_size", 0.9, Share,
        "choice: flows within a tenth of each other are named alike",
        "names some of several equal flows";
    GROWN_SHARE = "entitlement.grown_share", 1.0 / 3.0, Share,
        "choice: a flow under congestion control varies by half of its rate; a third of its packets is jitter",
        "takes growth for jitter";
    STANDSTILL_GAP = "standstill.gap", 0.1, Reactions,
        "a port that pauses at its threshold resumes for a packet or two, a small part of a round trip",
        "takes a moving loop for a deadlock";
    DRAIN_ROUND_TRIPS = "standstill.drain_round_trips", 4.0, RoundTrips,
        "a pause, the packets in flight, the resume and the packets that it releases take one round trip each",
        "needs longer to call a loop a deadlock";

    REST_SHARE = "signatures.rest_share", 0.02, Share,
        "choice: what remains of a pause is within the error of its length",
        "lets a queue of the victim's own hide other causes";
    LOSS_QUEUE_SHARE = "signatures.loss_queue_share", 0.5, Share,
        "by majority: a queue that explains less than half of the delay leaves it to losses",
        "prefers losses to queues";
    WEAK_EDGE = "signatures.weak_edge", 0.6, Factor,
        "documented choice; calibration maps it to an observed frequency",
        "is more certain of inferred edges";
    NOT_ALIGNED = "signatures.not_aligned", 0.8, Factor,
        "documented choice; calibration maps it to an observed frequency",
        "is more certain of pauses of another time";
    HELD_SHARE = "class_contention.held_share", 0.5, Share,
        "by majority: most of the victim's packets met the queue",
        "overlooks other classes";
    CLASS_EXPLAINED_SHARE = "class_contention.explained_share", 0.5, Share,
        "by majority: with less, something else delays the victim more",
        "overlooks other classes";
    CLASS_SENT_SHARE = "class_contention.sent_share", 0.5, Share,
        "by majority: with less, the victim's class sent most of what left the port",
        "takes queues that another class makes for those of the victim's own class";
    CLASS_CONTRIBUTOR_SHARE = "class_contention.contributor_share", 0.25, Share,
        "choice: a quarter of the largest sender of the other class",
        "names fewer flows of the other class";
    EVENT_REACH = "context.event_reach", 2.0, Ratio,
        "choice: pauses with one cause recur within some event gaps; a series can last much longer, with another cause",
        "explains a delay by pauses long before it";
    SINGLE_PACKET = "contention.single_packet", 1.0, Count,
        "with less, most packets met an empty port; one packet is a queue only where it takes half of the delay to send",
        "overlooks single packets at slow links";
    QUEUES_EXPLAIN = "contention.explains", 0.75, Share,
        "choice: causes of a delay are named, the longest first, until they explain three quarters of it",
        "names more of the smaller queues of a path";
    SILENT_ON_PATH = "contention.silent_on_path", 0.5, Factor,
        "even odds: the queue may be at the switch that sent nothing",
        "is more certain without telemetry";
    NO_VICTIM_RECORD = "contention.no_victim_record", 0.7, Factor,
        "documented choice; calibration maps it to an observed frequency",
        "is more certain without records of the victim";
    AROUND_LOOP = "deadlock.around_loop", 0.35, Factor,
        "documented choice: any port of the loop may be where its pauses began",
        "is more certain of loops without a start";
    STANDS_SO_FAR = "deadlock.so_far", 0.85, Factor,
        "documented choice; calibration maps it to an observed frequency",
        "is more certain of young deadlocks";
    ROOT_NOT_COVERED = "deadlock.not_covered", 0.5, Factor,
        "even odds: the records are younger than the first pause",
        "is more certain of old deadlocks";
    BY_PAUSES_ALONE = "deadlock.by_pauses_alone", 0.7, Factor,
        "documented choice; calibration maps it to an observed frequency",
        "is more certain of loops without queue records";
    AT_ONCE = "deadlock.at_once", 0.1, Reactions,
        "a pause causes another one only after a buffer has filled, at least a round trip of a link later",
        "takes a consequence for the start";
    FLUTTER = "deadlock_period.flutter", 6.0, Reactions,
        "choice: before a loop closes, its ports pause and resume in turns of some round trips",
        "starts the event of a deadlock earlier";
    DEEPER = "untimed_loop.deeper", 2.0, Ratio,
        "choice: depths are means over epochs in which a loop is paused and released many times; twice is clear of that",
        "names fewer roots of loops without times";
    BY_DEPTH = "untimed_loop.by_depth", 0.85, Factor,
        "documented choice; calibration maps it to an observed frequency",
        "is more certain of roots found by depth";
    BY_FIRST_PAUSE = "moving_loop.by_first_pause", 0.7, Factor,
        "documented choice; calibration maps it to an observed frequency",
        "is more certain of roots found by the first pause";
    UNDETERMINED = "host_only.undetermined", 0.5, Factor,
        "even odds: the verdict does not choose between network and host",
        "is more certain of undetermined verdicts";
    POSSIBLE_HOP = "path.possible_hop", 0.7, Factor,
        "documented choice: the hop is one of several equal-cost ones",
        "is more certain of places that are not recorded";
    NEXT_ACK = "packet_loss.next_ack", 4.0, Ratio,
        "choice: the ACK of the next packet replaces a lost one, and gaps of four times the mean are rare",
        "attributes longer round trips to lost ACKs";
    LOSS_PROBABILITY = "packet_loss.least_probability", 0.5, Share,
        "by definition: below it, a loss at that time is less likely than none",
        "overlooks losses";
    SILENT_HOST = "packet_loss.silent_host", 0.1, Ratio,
        "documented choice: where no ACK came and no queue or pause of a complete path explains it, hosts that stop are ten times as rare as losses",
        "names losses where a host stopped";
    DESTINATION_UNKNOWN = "path_change.destination_unknown", 0.85, Factor,
        "documented choice: the counter of discards does not name the destination",
        "is more certain of black holes without a route event";
    CHANGE_SHARE = "path_change.most", 0.5, Share,
        "by majority: the change accounts for the larger part of the delay",
        "prefers other explanations to outages and detours";
    LOOP_SLACK = "routing_loop.slack", 2.5, Reactions,
        "packets are in flight between two switches for less than a round trip, and records round to it",
        "joins records of different times to a loop";
    LOOP_WITHOUT_VICTIM = "routing_loop.not_the_victim", 0.8, Factor,
        "documented choice; calibration maps it to an observed frequency",
        "is more certain of loops of other flows";
    SELF_EXPLAINED_SHARE = "self_inflicted.explained_share", 0.25, Share,
        "the mean of a growing queue is half of its peak, and the peak must account for half of the delay",
        "attributes fewer queues to the victim";
    END_UNRECORDED = "unknown_end.unrecorded", 0.35, Factor,
        "documented choice: the port is known, what congests it is not",
        "is more certain of ends without records";
    END_UNKNOWN = "unknown_end.unknown", 0.3, Factor,
        "documented choice: the port at which the pauses began is not known",
        "is more certain of ends without records";

    LEAST_TO_ACCUSE = "verdict.least_to_accuse", 0.6, Share,
        "choice: a verdict accuses flows if it is at least one and a half times as likely right as not",
        "names ports alone more often, and innocent flows less often";
    PORT_ONLY = "verdict.port_only", 0.7, Factor,
        "documented choice: the port is known, the flows ahead of the slow packet are not",
        "is more certain of verdicts that name a port alone";

    BEST = "ranking.best", 0.98, Factor,
        "telemetry counts packets in bulk and cannot identify single ones",
        "raises all confidences";
    WITHOUT_HISTORY = "ranking.without_history", 0.9, Factor,
        "documented choice: new flows cannot be distinguished from long-running ones",
        "is more certain of young records";
    UNCHANGED = "ranking.unchanged", 0.85, Factor,
        "documented choice: no flow exceeds its previous rate, so the largest are named",
        "is more certain of standing queues";
    INGRESS_DEPTHS = "ranking.ingress_depths", 0.9, Factor,
        "documented choice: depths of input queues do not describe the egress port",
        "is more certain of dumps of the prototype";
    VICTIM_UNSEEN = "ranking.victim_unseen", 0.7, Factor,
        "documented choice: the path is known from shortest paths only",
        "is more certain without records of the victim";
    INCOMPLETE = "ranking.incomplete", 0.95, Factor,
        "documented choice: the collection reports missing data",
        "is more certain of incomplete snapshots";
    CLOSE_CALL = "ranking.close_call", 0.9, Factor,
        "documented choice: another flow has more than half of the smallest culprit's excess",
        "is more certain of close calls";
    CLOSE_SHARE = "ranking.close_share", 0.5, Share,
        "choice: half of the smallest culprit's excess is within the error of counts per epoch",
        "lowers fewer confidences";
    UNACCOUNTED_PENALTY = "ranking.unaccounted_penalty", 0.5, Ratio,
        "even odds: an unrecorded flow is a culprit or not",
        "lowers confidences of snapshots with lost records";
    CAUSE_UNKNOWN = "undetermined.factor", 0.9, Factor,
        "documented choice: the finding holds, its cause is not known",
        "is more certain of verdicts without a cause";
    IMBALANCE_RATIO = "ecmp_imbalance.ratio", 1.5, Ratio,
        "choice: below it the flows may share the link, but that is not why it is congested",
        "calls fewer collisions an imbalance";
    SIGNIFICANCE = "ecmp_imbalance.significance", 0.05, Share,
        "the usual significance level, for a snapshot under fair hashing",
        "calls more collisions an imbalance";
    BROKEN_SHARE = "nic_storm.broken_share", 0.1, Share,
        "choice: receive paths that are slow because of translation misses, PCIe or memory drain a multiple of it (RDMA at scale, section 4.4)",
        "calls slow receivers a storm";
    HYSTERESIS_BYTES = "nic_storm.hysteresis", 65_536.0, Bytes,
        "choice: the upper end of common settings of XOFF minus XON in a NIC's receive buffer",
        "calls storms a slow receiver";
    CYCLES = "nic_storm.cycles", 4.0, Count,
        "choice: fewer pauses do not show a drain rate",
        "calls fewer hosts a storm by their duty";
    STORM_GAP = "nic_storm.gap", 0.1, Reactions,
        "between two pauses this close together, no packet can reach the host and fill its buffer",
        "joins the pauses of a slow receiver";
    RESUMED = "nic_storm.resumed", 0.8, Factor,
        "documented choice: a receive path may be that slow",
        "is more certain of storms that pause and resume";
    PAUSED_ONCE = "nic_storm.once", 0.6, Factor,
        "documented choice: one pause shows neither storm nor slow receiver",
        "is more certain of hosts that paused once";
    SENDERS = "incast.senders", 3.0, Count,
        "convention: two senders are a collision unless the receiver's link is the bottleneck",
        "calls fewer queues an incast";
    SMALL_PART = "incast.small_part", 0.25, Share,
        "choice: flows to other receivers may contribute a quarter of the largest excess",
        "calls more queues an incast";
    REGULAR_PAUSES = "slow_receiver.pauses", 4.0, Count,
        "choice: fewer pauses do not show a drain rate",
        "is less certain of slow receivers";
    SHORT_SHARE = "slow_receiver.short_share", 0.5, Share,
        "by majority: no single pause makes up the time",
        "is more certain of slow receivers";
    FEW_PAUSES = "slow_receiver.few", 0.8, Factor,
        "documented choice: few or long pauses",
        "is more certain of slow receivers with few pauses";
    BURSTS = "low_rate_attack.bursts", 2.0, Count,
        "by definition: a recurring burst occurs at least twice",
        "finds fewer attacks";
    LOW_SHARE = "low_rate_attack.low_share", 0.1, Share,
        "choice: an order of magnitude below the link rate is a low rate",
        "calls more bursts an attack";
    BURST_SLACK = "low_rate_attack.slack", 5.0, Reactions,
        "choice: a burst is seen some round trips before and after the pauses that it causes",
        "joins bursts with pauses of others";
    ELEPHANT = "elephant_collision.elephant", 8.0, Deliveries,
        "DCTCP (SIGCOMM 2010) counts flows above 1 MB as large: eight bandwidth-delay products at 100 Gb/s and 10 us",
        "calls fewer flows large";
    COLLIDING = "elephant_collision.flows", 8.0, Count,
        "choice: more flows are a crowd, not a collision",
        "calls more queues a collision";
    SLOW_TRANSFER = "collective.slow", 1.5, Ratio,
        "choice: below it, sharing links with other transfers explains the duration",
        "finds fewer delayed steps";
    TRANSFER_SAMPLES = "collective.samples", 3.0, Count,
        "a median of fewer durations is one of the slow ones",
        "needs longer to know the usual duration";
    ORDINARY_QUEUE = "severity.ordinary_queue", 3.0, RoundTrips,
        "the start of the usual ECN marking range: 4 kB for each Gb/s, 32 us at any rate, three round trips of at least 10 us; a shorter queue is not even marked; on longer paths thresholds follow the bandwidth-delay product",
        "calls fewer verdicts major";
    STOPPED_SHARE = "severity.stopped_share", 0.5, Share,
        "by majority: pauses hold the port most of the time",
        "calls fewer storms critical";
}
