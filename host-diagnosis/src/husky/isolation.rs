//! Whether isolation between tenants is violated (Husky, section 4 for the predicate, section 3.1 for the contention
//! test).

use model::host::tenants::{SharedNic, Tenant};

/// The tolerance of the predicate: a quarter (section 4).
pub const TOLERANCE: f64 = 0.25;
/// A sum of bandwidths or request rates of at least this share of the RNIC's limit has reached it. Choice: measured
/// limits are a few percent below the specified ones, 97 of 100 Gb/s (table 2).
const REACHED_SHARE: f64 = 0.9;

/// Returns the bandwidth that a tenant must get at least: (1 - tolerance) x min(alone, guaranteed), in the unit of the
/// arguments.
pub fn expected(alone: f64, guaranteed: f64) -> f64 {
    (1.0 - TOLERANCE) * alone.min(guaranteed)
}

/// Whether `actual` violates the isolation of a tenant.
pub fn is_violated(actual: f64, alone: f64, guaranteed: f64) -> bool {
    actual < expected(alone, guaranteed)
}

/// Whether a tenant gets less than it must; `None` if its bandwidth alone or its guarantee is unknown.
pub fn is_victim(tenant: &Tenant) -> Option<bool> {
    let (alone, guaranteed) = tenant.alone_bandwidth_bps.zip(tenant.guaranteed_bandwidth_bps)?;
    Some(is_violated(tenant.bandwidth_bps as f64, alone as f64, guaranteed as f64))
}

/// Whether the tenants reach neither the bandwidth nor the request rate of the RNIC: what limits them is inside it.
pub fn is_below_both_limits(nic: &SharedNic) -> bool {
    let bandwidth: f64 = nic.tenants.iter().map(|tenant| tenant.bandwidth_bps as f64).sum();
    let requests: f64 = nic.tenants.iter().map(|tenant| tenant.requests).sum();
    bandwidth < REACHED_SHARE * nic.bandwidth_limit_bps as f64 && requests < REACHED_SHARE * nic.request_limit
}
