//! The congestion controls that a NIC can run, and their parameters.

use model::{Rate, Time};

/// A congestion control and its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ControlConfig {
    /// DCQCN (Zhu et al., SIGCOMM 2015).
    Dcqcn(DcqcnConfig),
    /// DCTCP (Alizadeh et al., SIGCOMM 2010; RFC 8257) with a rate in place of the congestion window.
    Dctcp(DctcpConfig),
    /// TIMELY (Mittal et al., SIGCOMM 2015).
    Timely(TimelyConfig),
}

/// When a CNP lowers the rate of a DCQCN reaction point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cut {
    /// Once a decrease interval, if at least one CNP arrived in it: the reaction point coalesces them. Alpha is updated
    /// once an alpha interval in the same way. As in hardware and in the HPCC family of simulators.
    #[default]
    Polled,
    /// Immediately, for every CNP that arrives at least a decrease interval after the last cut: the receiver coalesces.
    /// Alpha rises with each cut and decays after an alpha interval without one. As in the paper.
    Immediate,
}

/// Parameters of a DCQCN reaction point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DcqcnConfig {
    /// Time between updates of alpha.
    pub alpha_interval: Time,
    /// Least time between two decreases.
    pub decrease_interval: Time,
    /// Time between increases.
    pub increase_timer: Time,
    /// Bytes between increases; 0 disables the byte counter.
    pub byte_counter: u64,
    /// Increases by fast recovery before additive ones.
    pub fast_recovery_times: u32,
    /// Weight g of alpha's moving average.
    pub gain: f64,
    /// Additive increase of the target rate.
    pub additive_increase: Rate,
    /// Hyper increase of the target rate.
    pub hyper_increase: Rate,
    /// Lowest rate.
    pub min_rate: Rate,
    /// Whether every decrease lowers the target rate, even a second one without an increase in between. With
    /// [`Cut::Immediate`] it always does.
    pub clamp_target: bool,
    /// When CNPs take effect.
    pub cut: Cut,
}

impl Default for DcqcnConfig {
    /// The values recommended by the paper and used by vendors for 40 Gb/s and more.
    fn default() -> DcqcnConfig {
        DcqcnConfig {
            alpha_interval: Time::from_us(55),
            decrease_interval: Time::from_us(4),
            increase_timer: Time::from_us(300),
            byte_counter: 0,
            fast_recovery_times: 5,
            gain: 1.0 / 256.0,
            additive_increase: Rate(40_000_000),
            hyper_increase: Rate(200_000_000),
            min_rate: Rate(100_000_000),
            clamp_target: false,
            cut: Cut::Polled,
        }
    }
}

/// Parameters of DCTCP.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DctcpConfig {
    /// Weight g of alpha's moving average; 1/16 in the paper.
    pub gain: f64,
    /// Increase of the rate per RTT.
    pub additive_increase: Rate,
    /// Lowest rate.
    pub min_rate: Rate,
}

impl Default for DctcpConfig {
    /// The gain of the paper; increase and lowest rate as for DCQCN.
    fn default() -> DctcpConfig {
        let dcqcn = DcqcnConfig::default();
        DctcpConfig { gain: 1.0 / 16.0, additive_increase: dcqcn.additive_increase, min_rate: dcqcn.min_rate }
    }
}

/// Parameters of TIMELY.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimelyConfig {
    /// Weight of the newest RTT difference in its moving average.
    pub weight: f64,
    /// Factor beta of decreases.
    pub beta: f64,
    /// A shorter RTT always raises the rate.
    pub low: Time,
    /// A longer RTT always lowers the rate.
    pub high: Time,
    /// RTT differences are divided by this time.
    pub min_rtt: Time,
    /// Step of the first five increases in a row ...
    pub additive_increase: Rate,
    /// ... and of those after them.
    pub hyper_increase: Rate,
    /// Lowest rate.
    pub min_rate: Rate,
}

impl Default for TimelyConfig {
    /// The constants of the public simulator. Its settings files override the steps and the lowest rate.
    fn default() -> TimelyConfig {
        TimelyConfig {
            weight: 0.875,
            beta: 0.8,
            low: Time::from_us(50),
            high: Time::from_us(500),
            min_rtt: Time::from_us(20),
            additive_increase: Rate(5_000_000),
            hyper_increase: Rate(50_000_000),
            min_rate: Rate(100_000_000),
        }
    }
}
