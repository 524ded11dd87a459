//! The contents of a settings file. [`super::keys`] reads it.

use std::collections::BTreeMap;

use model::{Rate, Time};

use super::dialect::Simulator;

/// The contents of a settings file, with the simulators' defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The position of the first value of every key in the text, in bytes; for a key without a value, of the key.
    pub places: BTreeMap<String, usize>,
    /// `TOPOLOGY_FILE`.
    pub topology_file: Option<String>,
    /// `FLOW_FILE`.
    pub flow_file: Option<String>,
    /// `ROUTE_FILE`, Harrier's addition: routes other than the shortest paths.
    pub route_file: Option<String>,
    /// `TRACE_FILE`, which lists nodes.
    pub trace_file: Option<String>,
    /// The output files.
    pub outputs: Outputs,
    /// `ENABLE_QCN`: whether congestion is marked.
    pub enable_qcn: bool,
    /// `PACKET_PAYLOAD_SIZE` in bytes.
    pub payload_bytes: u32,
    /// `SIMULATOR_STOP_TIME`.
    pub stop: Time,
    /// `BUFFER_SIZE` in the simulator's unit.
    pub buffer_size: u32,
    /// `L2_CHUNK_SIZE` in bytes, with `L2_BACK_TO_ZERO`: retransmission from the first packet of a chunk.
    pub chunk_bytes: Option<u64>,
    /// `RATE_BOUND`: whether flows are paced at their rate, or limited by their window only.
    pub rate_bound: bool,
    /// `LINK_DOWN`.
    pub link_down: Option<LinkDown>,
    /// `CC_MODE`.
    pub control: CongestionControl,
    /// `ALPHA_RESUME_INTERVAL`.
    pub alpha_interval: Time,
    /// `RATE_DECREASE_INTERVAL`.
    pub decrease_interval: Time,
    /// `CLAMP_TARGET_RATE`.
    pub clamp_target: bool,
    /// `RP_TIMER`.
    pub rp_timer: Time,
    /// `EWMA_GAIN`.
    pub gain: f64,
    /// `FAST_RECOVERY_TIMES`.
    pub fast_recovery_times: u32,
    /// `RATE_AI`.
    pub rate_ai: Rate,
    /// `RATE_HAI`.
    pub rate_hai: Rate,
    /// `MIN_RATE`.
    pub min_rate: Rate,
    /// `DCTCP_RATE_AI`.
    pub dctcp_rate_ai: Rate,
    /// `ERROR_RATE_PER_LINK`, for links whose row has no error rate.
    pub error_rate: f64,
    /// `L2_ACK_INTERVAL` in bytes.
    pub ack_interval: u64,
    /// `HAS_WIN`: whether flows have a window.
    pub has_window: bool,
    /// `GLOBAL_T`: whether the window is the largest bandwidth-delay product of all pairs of hosts, or that of the
    /// flow's pair.
    pub global_window: bool,
    /// `VAR_WIN`: whether the window shrinks with the rate.
    pub variable_window: bool,
    /// `ACK_HIGH_PRIO`: whether ACKs have a separate priority.
    pub ack_high_priority: bool,
    /// `KMIN_MAP`: bytes by link rate.
    pub kmin: RateMap<u64>,
    /// `KMAX_MAP`: bytes by link rate.
    pub kmax: RateMap<u64>,
    /// `PMAX_MAP`: millionths by link rate.
    pub pmax_ppm: RateMap<u32>,
    /// `AGENT_NODE`: hosts that run an agent, each with its position in the text.
    pub agents: BTreeMap<u32, usize>,
    /// `NO_CC_NODE`: hosts without congestion control, each with its position in the text.
    pub without_cc: BTreeMap<u32, usize>,
}

/// Congestion controls that are simulated, by the simulators' numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CongestionControl {
    /// 0: flows send at line rate.
    None,
    /// 1.
    Dcqcn,
    /// 7.
    Timely,
    /// 8.
    Dctcp,
}

/// Values by link rate in bits a second, each with its position in the text.
pub type RateMap<T> = BTreeMap<u64, (T, usize)>;

/// The files that the simulator writes; absent: the settings name none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outputs {
    /// `FCT_OUTPUT_FILE`: a line for every complete flow.
    pub completions: Option<String>,
    /// `PFC_OUTPUT_FILE`: a line for every pause and resume.
    pub pauses: Option<String>,
    /// `QLEN_MON_FILE`: a histogram of queue lengths.
    pub queues: Option<String>,
    /// `TRACE_OUTPUT_FILE`: a dump of every packet.
    pub trace: Option<String>,
    /// `QLEN_MON_START`.
    pub queues_from: Time,
    /// `QLEN_MON_END`.
    pub queues_to: Time,
}

impl Default for Outputs {
    /// The default names of the simulators.
    fn default() -> Outputs {
        Outputs {
            completions: Some("fct.txt".to_string()),
            pauses: Some("pfc.txt".to_string()),
            queues: None,
            trace: None,
            queues_from: Time::from_ms(2_000),
            queues_to: Time::from_ms(2_100),
        }
    }
}

/// A permanent link failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkDown {
    /// The time of the failure. The file counts microseconds from two seconds on, when flows usually start.
    pub at: Time,
    /// One end.
    pub a: u32,
    /// The other end.
    pub b: u32,
}

impl Config {
    /// The simulator that the file is written for, by the keys that it uses.
    pub fn simulator(&self) -> Simulator {
        Simulator::of(self.places.keys().map(String::as_str))
    }

    /// The position of a key's value; 0, the beginning of the file, if the key is absent.
    pub fn place(&self, key: &str) -> usize {
        self.places.get(key).copied().unwrap_or(0)
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            places: BTreeMap::new(),
            topology_file: None,
            flow_file: None,
            route_file: None,
            trace_file: None,
            outputs: Outputs::default(),
            buffer_size: 16,
            chunk_bytes: None,
            rate_bound: true,
            link_down: None,
            enable_qcn: true,
            payload_bytes: 1000,
            stop: Time::from_ms(3010),
            control: CongestionControl::Dcqcn,
            alpha_interval: Time::from_us(55),
            decrease_interval: Time::from_us(4),
            clamp_target: false,
            rp_timer: Time::from_us(1500),
            gain: 1.0 / 16.0,
            fast_recovery_times: 5,
            rate_ai: Rate(5_000_000),
            rate_hai: Rate(50_000_000),
            min_rate: Rate(100_000_000),
            dctcp_rate_ai: Rate(1_000_000_000),
            error_rate: 0.0,
            ack_interval: 1,
            has_window: true,
            global_window: true,
            variable_window: false,
            ack_high_priority: false,
            kmin: BTreeMap::new(),
            kmax: BTreeMap::new(),
            pmax_ppm: BTreeMap::new(),
            agents: BTreeMap::new(),
            without_cc: BTreeMap::new(),
        }
    }
}
