//! Whether a job needs more than its NIC can carry.
//!
//! Source: BGL (Liu et al., NSDI 2023), section 2.2: a GPU server with a 100 Gb/s NIC fetches about 60 batches of 200 MB
//! a second, and its GPUs could compute 400.

use model::host::jobs::FetchDemand;

/// What a demand means for a NIC.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Supply {
    /// Batches a second that the NIC can carry.
    pub batches_per_s: f64,
    /// The rate that the job could use, in bits a second.
    pub wanted_bits_per_s: f64,
    /// How many times the NIC's rate that is.
    pub ratio: f64,
    /// The measured rate as a share of the NIC's rate.
    pub utilisation: f64,
}

/// Compares a demand with the NIC's rate. `None` if a number is zero, negative or not finite.
pub fn supply(demand: &FetchDemand) -> Option<Supply> {
    let bits = demand.batch_bytes as f64 * 8.0;
    let rate = demand.nic_bits_per_s;
    let numbers = [bits, rate, demand.batches_per_s];
    if numbers.iter().any(|number| !number.is_finite() || *number <= 0.0)
        || !demand.measured_bits_per_s.is_finite()
    {
        return None;
    }
    let wanted_bits_per_s = bits * demand.batches_per_s;
    Some(Supply {
        batches_per_s: rate / bits,
        wanted_bits_per_s,
        ratio: wanted_bits_per_s / rate,
        utilisation: demand.measured_bits_per_s / rate,
    })
}
