//! The counters of the fabric's switches as a SONiC switch shows them in its databases.
//!
//! [`Polling`] reads the switches of a run at intervals, [`SwitchCounters`] holds what the ASIC of a switch counts, and
//! [`databases`] writes it with the tables, names and units of SONiC. [`FlowSampling`] samples packets as sFlow does.
//!
//! Sources: sonic-swss (`orchagent/portsorch.cpp`: names of counters and maps; `orchdaemon.cpp`: counters that the
//! watchdog polls on Spectrum; `watermark_queue.lua`, `watermark_pg.lua`), sonic-utilities (`counterpoll`: intervals;
//! `tests/mock_tables`: form of the values), sonic-buildimage (`lldpmgrd`: port ids in LLDP).

mod asic;
mod buffers;
mod configuration;
mod databases;
mod flow_sampling;
mod polling;
mod switch_counters;

pub use asic::Asic;
pub use buffers::{BufferSettings, PortBuffers};
pub use databases::{Database, SonicDatabases, databases, port_name};
pub use flow_sampling::{FlowSampling, SampledPacket};
pub use polling::{Polling, PollingSettings, Reading};
pub use switch_counters::{
    ClassCounters, GroupCounters, PeakBytes, PortCounters, QueueCounters, SwitchCounters, WatchdogCounters,
};
