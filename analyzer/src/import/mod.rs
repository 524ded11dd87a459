//! Other people's telemetry, read into our snapshots.

pub mod hawkeye_ns3;
