//! Thresholds and limits of an agent.

use serde::{Deserialize, Serialize};

/// Settings of an agent. The defaults detect the poster's victim (base 9.07 us, worst 17.1 us) and ignore the
/// queueing of a healthy network.
///
/// Thresholds are relative to the base round trip. It includes propagation and the serialisation of a packet at every
/// link, so one setting fits all rates and distances. The minimum times matter for short paths only: `min_excess_ns` on
/// paths below 8 us, `min_silence_ns` on paths below 10 us.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// A round trip is slow above this percentage of the base. The published evaluation varies it from 200 to 500;
    /// 150 leaves a margin below the poster's victim, whose worst round trip is 188 %.
    pub threshold_percent: u32,
    /// ... and only if it exceeds the base by this much. 4 us are 50 kB of queue at 100 Gb/s: more than congestion
    /// control keeps there (ECN marks from 40 kB), less than one hop's XOFF threshold and headroom. A time fits all
    /// rates, because thresholds of ECN are set in proportion to the rate (HPCC, SIGCOMM 2019, section 5.1: `Kmin` is
    /// 100 kB at 25 Gb/s and 400 kB at 100 Gb/s).
    pub min_excess_ns: u64,
    /// Outstanding data without an acknowledgement for this many base round trips is silence. Choice: one round trip is
    /// normal, two are a loss that a NAK repairs, and coalesced or lost ACKs add some ...
    pub silence_rtts: u32,
    /// ... but never before this time (50 us in the published prototype).
    pub min_silence_ns: u64,
    /// An operation is slow above this percentage of the time that it should take: a round trip, and the time of what was
    /// sent meanwhile. Choice, as of round trips: at 150, neither the network nor the host worked on it for a third of the time.
    pub operation_percent: u32,
    /// A job is slow if the mean of its latest iterations (four, and those of `min_silence_ns`) is above this percentage of the time
    /// that it states. Choice: at 118 it
    /// has lost 15 % of its rate; the largest loss that TGS accepts for a production job is 10.8 % (Wu et al., NSDI 2023).
    pub iteration_percent: u32,
    /// Measurements before a learned base is used. Choice: a window of packets, so that not all of them are behind the
    /// flow's own first burst.
    pub min_samples: u32,
    /// Minimum interval between polls of a flow whose delay stays the same. It is what the ring of a switch covers
    /// (32 epochs of 2^17 ns), so that two polls see different records. A poll for an excess over the base that is at
    /// least twice as large as before, and larger by at least a base round trip, is sent at once.
    pub flow_interval_ns: u64,
    /// Interval between polls of a flow that had a fast round trip since its last poll: the next slow one is another
    /// event, or a recurrence of the same one. Longer than `follow_up_ns`, because the follow-up poll of the first one
    /// covers the time until then.
    pub recovered_interval_ns: u64,
    /// Delay of the follow-up poll after the first poll: pauses spread and loops close within hundreds of microseconds,
    /// and the registers then cover the whole event. A full pause lasts 65,535 quanta of 512 bits: 336 us at 100 Gb/s.
    /// Longer than a bank stays frozen (a digest, a read and a release: 250 us in the simulation); 0 disables it.
    pub follow_up_ns: u64,
    /// Long-term rate limit of the host, in polls per second. A poll freezes the switches of a path for about 250 us, so
    /// one host alone freezes a switch for at most a quarter of the time.
    pub polls_per_second: u32,
    /// Maximum burst of polls after an idle time. Half of it is kept for delays above those of ordinary queueing
    /// ([`Settings::ordinary_rtts`]): in a busy network, short queues would otherwise use all polls before something fails.
    pub burst: u32,
    /// The delay that ordinary queueing can cause, in base round trips of 10 to 100 us: the start of the usual ECN marking range,
    /// as the severity of verdicts has it.
    pub ordinary_rtts: u32,
    /// Flows watched at the same time; beyond it, the flow with the oldest activity is evicted.
    pub max_flows: usize,
    /// Maximum number of switches that a polling packet may cross.
    pub hop_limit: u8,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            threshold_percent: 150,
            min_excess_ns: 4_000,
            silence_rtts: 5,
            min_silence_ns: 50_000,
            operation_percent: 150,
            iteration_percent: 118,
            min_samples: 16,
            flow_interval_ns: 4_000_000,
            recovered_interval_ns: 500_000,
            follow_up_ns: 400_000,
            polls_per_second: 1_000,
            burst: 8,
            ordinary_rtts: 3,
            max_flows: 65_536,
            hop_limit: 16,
        }
    }
}

/// Why settings are invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// The threshold does not exceed the base.
    #[error("threshold_percent is {0}; expected more than 100, the base round trip itself")]
    Threshold(u32),
    /// The threshold of operations does not exceed the time that they should take.
    #[error("operation_percent is {0}; expected more than 100, the time that an operation should take")]
    OperationThreshold(u32),
    /// The threshold of iterations does not exceed the time that they should take.
    #[error("iteration_percent is {0}; expected more than 100, the time that an iteration should take")]
    IterationThreshold(u32),
    /// A limit of zero would allow nothing.
    #[error("{0} is 0; expected at least 1")]
    Zero(&'static str),
}

impl Settings {
    /// Checks the settings.
    ///
    /// # Errors
    /// The first invalid setting.
    pub fn validate(&self) -> Result<(), SettingsError> {
        if self.threshold_percent <= 100 {
            return Err(SettingsError::Threshold(self.threshold_percent));
        }
        if self.operation_percent <= 100 {
            return Err(SettingsError::OperationThreshold(self.operation_percent));
        }
        if self.iteration_percent <= 100 {
            return Err(SettingsError::IterationThreshold(self.iteration_percent));
        }
        let positive = [
            ("silence_rtts", u64::from(self.silence_rtts)),
            ("polls_per_second", u64::from(self.polls_per_second)),
            ("burst", u64::from(self.burst)),
            ("max_flows", self.max_flows as u64),
            ("hop_limit", u64::from(self.hop_limit)),
        ];
        match positive.iter().find(|(_, value)| *value == 0) {
            Some((name, _)) => Err(SettingsError::Zero(name)),
            None => Ok(()),
        }
    }
}
