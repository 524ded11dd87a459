//! Importers of telemetry from other tools.

pub mod hawkeye_ns3;
