//! The fabric's tests, one binary: most of the time goes into compiling what they share.

mod behaviour;
mod check_and_prove;
mod closed_forms;
mod common;
#[allow(dead_code, reason = "shared with the mutation suite, which also uses the rest")]
#[path = "../../buffer-config/tests/mutations/config.rs"]
mod config;
mod congestion_controls;
mod host_causes;
mod host_jobs;
mod host_reports;
mod nics;
mod ns3_fidelity;
mod ns3_files;
#[allow(dead_code, reason = "shared with the mutation suite, which also uses the rest")]
#[path = "../../buffer-config/tests/mutations/operators/mod.rs"]
mod operators;
mod prove;
mod prove_vectors;
mod record_limits;
mod shared_buffer;
mod sonic;
mod sonic_buffers;
mod storms;
#[path = "../../buffer-config/tests/support/mod.rs"]
mod support;
mod telemetry_engine;
mod traffic_run;
mod verification;
mod whole_run;
