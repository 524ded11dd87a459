//! What an agent reads on Linux: frames of an interface. Everything here only moves data; decisions are in the
//! pure parts of the crate.

mod capture;

pub use capture::{Capture, CaptureSettings};
