//! The output formats of a run: captures ([`pcapng`]), time series ([`series`]) and the files of the ns-3 simulators
//! ([`ns3`]). Everything here returns values; the command line writes files.

pub mod ns3;
pub mod pcapng;
pub mod series;
