//! What a WRITE costs on the wire and on the PCIe link (Husky, section 3.4 and appendix A).
//!
//! A lower bound: cache misses and completions add to it. The paper measures more than 73 Gb/s for the attack that the
//! model estimates at 64.4 Gb/s.

use model::host::tenants::RdmaTransport;

/// Largest payload that is sent within the work request, in bytes.
pub const INLINE_BYTES: u64 = 28;
/// Bytes of a doorbell.
const DOORBELL: u64 = 64;
/// Bytes of the header of a PCIe transaction.
const TLP_HEADER: u64 = 20;
/// Ethernet (with preamble, frame check sequence and gap), IPv4, UDP, BTH with RETH and invariant CRC.
const WIRE_HEADERS: u64 = 38 + 20 + 8 + 32;

/// Sizes that the model depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Path MTU of RDMA in bytes.
    pub mtu: u64,
    /// Maximum payload of a PCIe transaction in bytes.
    pub max_payload: u64,
}

impl Default for Sizes {
    /// The sizes of the paper: an MTU of 4096 bytes and 128 bytes a transaction, the worst setting.
    fn default() -> Sizes {
        Sizes { mtu: 4096, max_payload: 128 }
    }
}

/// Returns the bytes of a work request.
pub fn work_request_bytes(transport: RdmaTransport) -> u64 {
    match transport {
        RdmaTransport::Rc | RdmaTransport::Uc => 36,
        RdmaTransport::Ud => 68,
    }
}

/// Returns the bytes that a message of `payload` bytes takes on the wire.
pub fn wire_bytes(payload: u64, sizes: Sizes) -> u64 {
    payload + payload.div_ceil(sizes.mtu.max(1)).max(1) * WIRE_HEADERS
}

/// Returns the bytes that sending a message of `payload` bytes takes on the PCIe link towards the RNIC: doorbell, work
/// request and payload. A payload of at most [`INLINE_BYTES`] travels with the doorbell.
pub fn pcie_bytes(payload: u64, transport: RdmaTransport, sizes: Sizes) -> u64 {
    if payload <= INLINE_BYTES {
        return DOORBELL + TLP_HEADER;
    }
    let transactions = payload.div_ceil(sizes.max_payload.max(1));
    payload + transactions * TLP_HEADER + work_request_bytes(transport) + TLP_HEADER + DOORBELL + TLP_HEADER
}

/// Returns the PCIe bandwidth that messages of `payload` bytes need at `wire_rate` on the wire, in the unit of
/// `wire_rate`.
pub fn pcie_rate(payload: u64, transport: RdmaTransport, wire_rate: f64, sizes: Sizes) -> f64 {
    wire_rate * pcie_bytes(payload, transport, sizes) as f64 / wire_bytes(payload, sizes) as f64
}
