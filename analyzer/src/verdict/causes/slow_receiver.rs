//! Slow receiver: a host pauses its port many times for a short time, because it drains its receive buffer more
//! slowly than packets arrive (RDMA at scale, SIGCOMM 2016, section 4.4 "slow-receiver symptom").

use crate::thresholds as t;
use model::Cause;

use super::nic_storm::{Pattern, host_pauses};
use super::{Case, Judged};

pub(super) fn judge(case: &Case<'_, '_, '_>) -> Option<Judged> {
    let (host, pauses) = host_pauses(case)?;
    if pauses.pattern(case.context.settings) != Pattern::SlowReceiver {
        return None;
    }
    let (count, whole_ns) = (pauses.spans.len(), pauses.whole_ns());
    let clear = count >= case.context.settings.count(&t::REGULAR_PAUSES)
        && pauses.longest_ns() <= whole_ns * case.context.settings.value(&t::SHORT_SHARE);
    Some(Judged {
        cause: Cause::SlowReceiver,
        factor: if clear { 1.0 } else { case.context.settings.value(&t::FEW_PAUSES) },
        because: format!(
            "the NIC of host {host} pauses that port repeatedly ({count} times, {:.0} % of the time): the host receives more slowly than packets arrive",
            100.0 * pauses.paused_ns() / whole_ns
        ),
        advice: vec![format!(
            "check the receive path of host {host}: PCIe, IOMMU and NIC translation caches, memory bandwidth"
        )],
        config: Vec::new(),
    })
}
