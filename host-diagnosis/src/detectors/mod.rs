//! The detectors, one file each. The order is that of the documentation.

use crate::Detector;

macro_rules! detectors {
    ($($module:ident),* $(,)?) => {
        $(mod $module;)*
        static ALL: &[Detector] = &[$($module::DETECTOR),*];
    };
}

detectors! {
    pause_monitor,
    lossless_drop,
    nic_storm,
    slow_receiver,
    loopback_congestion,
    intra_host_link,
    noisy_tenant,
    poll_gap,
    window_deadlock,
    probe_matrix,
    inspection,
}

/// All detectors.
pub fn all() -> impl Iterator<Item = &'static Detector> {
    ALL.iter()
}
