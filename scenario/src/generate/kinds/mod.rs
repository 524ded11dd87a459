//! The kinds of disturbances. A kind draws its hosts and its degree, also degrees that are too mild to matter, and
//! adds flows, faults, routes, outages or settings to the plan, together with flows that it may slow down.

mod collective;
mod configuration;
mod contention;
mod hosts;
mod jobs;
mod links;
mod loops;
mod operations;

use super::network::Family;
use super::plan::Plan;

/// A kind of disturbance.
#[derive(Clone, Copy)]
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// A one-line summary.
    pub summary: &'static str,
    /// Which networks it needs.
    pub(super) needs: Needs,
    /// Adds one to a plan; `None` if the network has no place for it. The plan is then discarded.
    pub(super) add: fn(&mut Plan) -> Option<()>,
}

/// The networks that a kind needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needs {
    /// Any.
    Any,
    /// Edge switches with a choice of uplinks.
    Clos,
    /// A second, longer path between switches.
    Detours,
    /// A ring whose traffic goes one way round.
    OneWayRing,
}

impl Needs {
    /// Whether a network of this family can meet them.
    pub(super) fn fits(self, family: Family) -> bool {
        match self {
            Needs::Any => true,
            Needs::Clos => family.is_clos(),
            Needs::Detours => matches!(family, Family::Ring | Family::Irregular),
            Needs::OneWayRing => family == Family::Ring,
        }
    }

    /// Whether one network can meet both. A ring that is used one way round has no detours.
    pub(super) fn is_compatible(self, other: Needs) -> bool {
        let both = [self, other];
        !(both.contains(&Needs::OneWayRing) && both.contains(&Needs::Detours))
    }
}

const fn kind(name: &'static str, summary: &'static str, add: fn(&mut Plan) -> Option<()>) -> Kind {
    Kind { name, summary, needs: Needs::Any, add }
}

impl Kind {
    const fn on(self, needs: Needs) -> Kind {
        Kind { needs, ..self }
    }
}

/// The kinds that are drawn at random.
pub const KINDS: [Kind; 38] = [
    kind("incast-even", "2 to 16 senders send equally much to one host", contention::incast_even),
    kind(
        "incast-uneven",
        "2 to 16 senders send between 1 and 16 parts to one host",
        contention::incast_uneven,
    ),
    kind("incast-small", "an incast of 0.1 to 2 bandwidth-delay products", contention::incast_small),
    kind(
        "incast-long",
        "an incast that lasts a quarter to all of the rest of the run",
        contention::incast_long,
    ),
    kind(
        "two-incasts",
        "an incast at the receiver and a collision at the sender's uplink",
        contention::two_incasts,
    )
    .on(Needs::Clos),
    kind("elephant-collision", "large flows of different hosts share an uplink", contention::elephants),
    kind(
        "self-made-queue",
        "a sender without a window fills a slower link that thin flows share",
        contention::self_made,
    ),
    kind(
        "victim-alone",
        "a sender without a window fills a slower link that it uses alone",
        contention::alone,
    ),
    kind("other-class", "flows of another priority flood the victim's port", contention::other_class),
    kind("low-rate-pulses", "synchronous bursts at a low average rate", contention::pulses),
    kind(
        "microburst-under-load",
        "a burst of 20 to 200 us under high background load",
        contention::microburst,
    ),
    kind(
        "growing-incast",
        "a mild overload, and later a much larger burst at the same port",
        contention::growing,
    ),
    kind("ack-congestion", "a burst to the victim's sender delays its ACKs", contention::acks),
    kind("storage-reads", "one client reads from many servers at once", contention::reads),
    kind("slow-receiver", "a receive pipeline at 5 to 85 % of the link rate", hosts::slow_receiver),
    kind(
        "almost-fast-receiver",
        "a receive pipeline at 85 to 99 % of the link rate",
        hosts::almost_fast_receiver,
    ),
    kind("nic-storm", "a NIC sends pauses for 0.3 ms or more, at 10 to 200 % duty", hosts::storm),
    kind("short-storm", "a NIC sends pauses for 10 to 300 us", hosts::short_storm),
    kind("mtt-misses", "a NIC waits for address translations", hosts::mtt_misses),
    kind("narrow-bus", "the PCIe bus of a receiver is slower than its link", hosts::narrow_bus),
    kind("loopback", "loopback traffic shares the PCIe bus of a receiver", hosts::loopback),
    kind(
        "stopped-pipeline",
        "a receive pipeline stops, and the NIC pauses its switch",
        hosts::stopped_pipeline,
    ),
    kind("watchdog", "a storm that the PFC watchdogs of the switches end", hosts::watchdog),
    kind("pfc-off", "one switch has no lossless priority", configuration::pfc_off),
    kind("wrong-alpha", "one switch has a much smaller dynamic threshold", configuration::wrong_alpha),
    kind("wrong-xoff", "one switch has a static XOFF of 4 to 24 kB", configuration::wrong_xoff),
    kind("dscp-mix-up", "one switch maps lossless packets to a lossy priority", configuration::dscp_mix_up),
    kind(
        "short-headroom",
        "one switch has 2 to 50 % of the headroom that it needs",
        configuration::short_headroom,
    ),
    kind(
        "ecmp-skew",
        "an edge switch uses one of its uplinks only, or all switches hash alike",
        configuration::ecmp_skew,
    )
    .on(Needs::Clos),
    kind("black-hole", "a switch has no route to a host for a while", links::black_hole),
    kind("routing-loop", "two switches forward packets for a host to each other", links::routing_loop),
    kind("detour", "a link fails, and routing leads around it", links::detour).on(Needs::Detours),
    kind("link-failure", "an uplink fails, and its flows move to the others", links::link_failure)
        .on(Needs::Clos),
    kind("link-flap", "a link is down for 5 to 500 us, and routing does not react", links::link_flap),
    kind("lossy-link", "a link loses 0.01 to 5 % of its frames", links::lossy_link),
    kind("slow-link", "a link between switches has a third to a tenth of its rate", links::slow_link),
    kind(
        "ring-deadlock",
        "a cyclic buffer dependency: congestion in the ring, or an incast or storm next to it",
        loops::ring,
    )
    .on(Needs::OneWayRing),
    kind(
        "collective-straggler",
        "a collective operation with a slow member, or with cross traffic",
        collective::straggler,
    ),
];

/// Kinds that are drawn by name only, so that the seeds of all kinds above give the same scenarios as before.
pub const NAMED_KINDS: [Kind; 9] = [
    kind("context-misses", "a NIC waits for the contexts of connections", hosts::context_misses),
    kind("receive-wqe-misses", "a NIC waits for receive WQEs of a workload", hosts::receive_wqe_misses),
    kind("hidden-fence", "each registration of memory is a fence", operations::hidden_fence),
    kind("poll-gaps", "an application polls its completions late", operations::poll_gaps),
    kind(
        "noisy-tenant",
        "a tenant exhausts a part of a shared NIC without sending",
        operations::noisy_tenant,
    ),
    kind(
        "congestion-leaking",
        "an incast slows one connection down, and all others of its NIC with it",
        operations::congestion_leaking,
    ),
    kind("host-control", "a processor starts the transfers of a job", jobs::host_control),
    kind("co-location", "another job uses the GPU of a job", jobs::co_location),
    kind("network-bound", "a job could use more than its NIC carries", jobs::network_bound),
];
