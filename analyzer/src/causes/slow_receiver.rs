//! Slow receiver: a host pauses its port many times for short, because it cannot take packets in as fast as they
//! come (RDMA at scale, SIGCOMM 2016, section 4.4 "slow-receiver symptom").

use model::Cause;

use super::nic_storm::{Pauses, host_pauses};
use super::{Case, Judged};

/// From this many separate pauses on a host is slow and not stuck.
const MANY: usize = 4;
/// None of them is longer than this share of the whole time.
const SHORT_SHARE: f64 = 0.5;

pub(super) fn judge(case: &Case<'_, '_, '_>) -> Option<Judged> {
    let (host, Pauses { count, longest_ns, whole_ns, paused_ns }) = host_pauses(case)?;
    if count < MANY || longest_ns > whole_ns * SHORT_SHARE {
        return None;
    }
    Some(Judged {
        cause: Cause::SlowReceiver,
        factor: 1.0,
        because: format!(
            "the NIC of host {host} pauses it again and again ({count} times, {:.0} % of the time): the host receives more slowly than packets come",
            100.0 * paused_ns / whole_ns
        ),
        advice: vec![format!(
            "look at host {host}'s receive path: PCIe, IOMMU and NIC translation caches, memory bandwidth"
        )],
    })
}
