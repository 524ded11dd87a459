//! What an agent reads on Linux: frames of an interface, counters of NICs, TCP sockets. Everything here only moves data;
//! decisions are in the pure parts of the crate.

mod capture;
mod counters;
mod netlink;
mod tcp_info;

pub use capture::{Capture, CaptureSettings};
pub use counters::{CounterReader, Reading};
pub use tcp_info::TcpReader;
