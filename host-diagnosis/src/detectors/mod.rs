//! The detectors, one file each. The order is that of the documentation.

use crate::Detector;

mod support;

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
    rnic_workload,
    operation_latency,
    hidden_fence,
    congestion_leaking,
    cnp_interoperability,
    macsec_pfc,
    qp_cache_thrash,
    go_back_n_waste,
    lossy_go_back_n,
    gpu_co_location,
    gpu_interference,
    host_control_overhead,
    network_bound,
    poll_gap,
    window_deadlock,
    dead_connection,
    probe_matrix,
    inspection,
}

/// All detectors.
pub fn all() -> impl Iterator<Item = &'static Detector> {
    ALL.iter()
}
