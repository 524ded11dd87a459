//! Every number that decides something. Each is derived, or a documented choice with its source.

/// Bit times of a pause quantum (IEEE 802.1Qbb, clause 36).
pub(crate) const QUANTUM_BIT_TIMES: u64 = 512;
/// Quanta of the longest pause that one PFC frame can request: its field has 16 bits.
pub(crate) const MOST_QUANTA: u64 = 65_535;

/// Share of time for which a port is paused, above which a network without congestion has an RNIC anomaly (Collie,
/// NSDI 2022).
pub(crate) const PAUSED_NOTABLE: f64 = 0.001;
/// Share of time for which a port is paused, above which a host is examined: 30 ms a second (Hostping, NSDI 2023).
pub(crate) const PAUSED_SERIOUS: f64 = 0.03;
/// Share of time for which a port is paused, above which it is a storm. The watchdog's script for most ASICs uses the
/// same 80 % (sonic-swss, `pfc_detect_*.lua`), longer than the pauses of any receiver that still receives.
pub(crate) const PAUSED_STORM: f64 = 0.8;

/// A pause that ends with a resume is short: a receive buffer drains from XOFF to XON. A refreshed one lasts as long as
/// a frame can request. Pauses of a host whose mean duration for each frame is above this part of the longest request
/// are refreshed: between the two kinds lies an order of magnitude, and a sender refreshes at half the requested time
/// at the latest, so that the share is a quarter or more if every second frame does not prolong the pause.
pub(crate) const REFRESHED_PART: f64 = 0.25;
/// Pause frames that are needed to call pauses refreshed. A receiver that stops once sends one or two, whatever they request,
/// so that their mean says nothing; a storm of 3 % of a second has nine at 10 Gb/s, and more at other speeds.
pub(crate) const REFRESHED_FRAMES: u64 = 8;
/// Frames for each pause that began, from which on pauses are refreshed: one that a receiver ends has two, its beginning and its
/// end; twice as many mean two refreshes or more on average.
pub(crate) const FRAMES_OF_REFRESHED: u64 = 4;
/// How much older than a reading its counters may be at least: SONiC polls the counters of ports every second unless it is
/// configured otherwise (`counterpoll`, FLEX_COUNTER_DB). The time of pauses cannot grow by more than the interval and this.
pub(crate) const COUNTER_LAG_NS: u64 = 1_000_000_000;

/// Part of the pauses of connected ports that must end at a place for it to be a root cause of its own, besides the place
/// of most pauses. Pauses are divided by the peaks of queues, which need not be simultaneous; smaller parts are within
/// that error, and are listed as evidence.
pub(crate) const ROOT_SHARE: f64 = 0.25;
/// Part of the largest queue in a loop above which a queue outside of it is congested as well.
pub(crate) const OUTSIDE_QUEUE_PART: f64 = 0.25;

/// Part of the largest use of headroom in a loop above which a group counts as full: what is in flight differs by the packet that
/// was being sent when the pause arrived. Some packets fill the headroom of a link between racks.
pub(crate) const FULL_HEADROOM: f64 = 5.0 / 6.0;
/// What a repeated pause counts for, and what the largest queue does, beside the parts of headroom that ports used. Choices: of 2,000
/// simulated deadlocks (`deadlock-in-loop`, seeds 5000 to 6999), weights of half and of twice as much name the right port in 83 to
/// 87 % as well; in a ring of four switches, the weight of queues matters more.
pub(crate) const REPEATED_PAUSE: f64 = 1.0 / 15.0;
/// What a repeated pause counts for where the ASIC counts the pauses that begin, instead of frames, of which an estimate is off by one
/// or more. A choice: of 1,400 simulated deadlocks (seeds 5000 to 6399, `--counters-asic tomahawk`), 0.3 names the right port in 90 %,
/// from 0.2 to 0.5 in 89 %, and the weight of frames in 86 %.
pub(crate) const COUNTED_REPETITION: f64 = 0.3;
/// See [`REPEATED_PAUSE`].
pub(crate) const LARGE_QUEUE: f64 = 0.3;
/// The maximum number of repeated pauses that count: more shows no more than that a port was paused early.
pub(crate) const MOST_REPEATED: f64 = 5.0;

/// Interval at which SONiC polls watermarks, unless FLEX_COUNTER_DB or CONFIG_DB has another (`counterpoll`): a peak appears in the
/// readings up to this time after the queue had it.
pub(crate) const WATERMARK_LAG_NS: u64 = 60_000_000_000;
/// A queue that still holds packets and was paused for as long as this number of the longest pauses that a frame can request
/// may be in a deadlock that began within the interval: 3.4 ms at 100 Gb/s. A queue that drains is paused for less than one
/// at a time; other signs than the time decide.
pub(crate) const LONG_PAUSES: f64 = 10.0;

/// Probability that pauses which the telemetry of one switch and the counters of another show at two ends of a cable, within an
/// interval of the counters, are of one event. A choice: within a second, several events are rare but possible.
pub(crate) const SAME_EVENT: f64 = 0.9;

/// Part of the fair share (one part for each sampled flow) that a flow needs to be named.
pub(crate) const FAIR_PART: f64 = 0.5;
/// Samples of a flow that are needed to name it: one sample says that the flow exists, not how large it is.
pub(crate) const FLOW_SAMPLES: u64 = 2;
/// The maximum number of flows that a verdict names.
pub(crate) const MOST_FLOWS: usize = 64;
/// Relative error of a sampled count in percent, with 95 % confidence, is this divided by the root of the number of
/// samples (sFlow: Packet Sampling Basics, sflow.org).
pub(crate) const SAMPLING_ERROR_PERCENT: f64 = 196.0;

/// The maximum number of egress ports of a switch by which its pauses are explained: those with the largest queues. Others
/// hold less than one part in as many, far below what makes a port a root cause, and every port may pause because of every
/// other one.
pub(crate) const MOST_EGRESS_PORTS: usize = 256;
/// The maximum number of ports that a sentence lists.
pub(crate) const MOST_LISTED: usize = 6;
/// The maximum number of distances between switches that are kept to tell which ways packets can take.
pub(crate) const MOST_DISTANCES: usize = 4_000_000;
