//! The time of a request in the network.

use model::host::polls::RequestTrace;

/// Returns T2 - T1 - Toff: the time from sending to arrival, by one clock (X-RDMA, section VI-A). Negative if the offset
/// is wrong by more than that; `None` without an offset, because different clocks cannot be subtracted.
pub fn request_time_ns(request: &RequestTrace) -> Option<i64> {
    let time =
        i128::from(request.received_ns) - i128::from(request.sent_ns) - i128::from(request.clock_offset_ns?);
    i64::try_from(time).ok()
}
