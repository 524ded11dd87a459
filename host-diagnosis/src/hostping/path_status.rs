//! Whether the bandwidth of a path is as expected.

use model::host::loopback::{LoopbackPath, LoopbackTest};

use super::{ABNORMAL_SHARE, Routes};

/// The status of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathStatus {
    /// All its links are fine.
    Normal,
    /// At least one of its links is not.
    Abnormal,
    /// It proves nothing: a path that is slow by design, or one of an RNIC with service traffic.
    Open,
}

/// Bandwidth as a share of the baseline; 1 without a baseline.
pub(super) fn share_of_baseline(path: &LoopbackPath) -> f64 {
    if path.baseline_bandwidth_bps == 0 {
        1.0
    } else {
        path.bandwidth_bps as f64 / path.baseline_bandwidth_bps as f64
    }
}

/// Whether the latency is abnormal; `None` if it or its baseline was not measured.
pub(super) fn has_abnormal_latency(path: &LoopbackPath) -> Option<bool> {
    let (measured, usual) = path.latency_ns.zip(path.baseline_latency_ns)?;
    Some(measured as f64 > (1.0 + ABNORMAL_SHARE) * usual as f64)
}

/// What the link of the RNIC carries during the test of a path, as a share of the baseline: the test and the service
/// traffic together. `None` if the RNIC is busy and its service traffic was not measured.
pub(super) fn carried_share(test: &LoopbackTest, path: &LoopbackPath) -> Option<f64> {
    if !test.busy.contains(&path.nic) {
        return Some(share_of_baseline(path));
    }
    let service = test.service.iter().find(|row| row.nic == path.nic)?;
    let bandwidth_bps = path.bandwidth_bps.saturating_add(service.bits_per_s);
    Some(share_of_baseline(&LoopbackPath { bandwidth_bps, ..path.clone() }))
}

/// Judges each path of a test, in the order of the test.
///
/// An idle RNIC is compared with the baseline. The paths of a busy RNIC to its affinitive endpoints are compared among
/// themselves, because service traffic slows all of them equally; they never prove that a link is fine. If the service
/// traffic is known, its sum with the test is compared with the baseline as well: a test uses what the service leaves, so
/// that a link that is fine carries the baseline. In a test with a busy RNIC, only affinitive paths count.
pub(super) fn of_test(test: &LoopbackTest, routes: &Routes<'_>) -> Vec<PathStatus> {
    let is_busy = |nic: &String| test.busy.contains(nic);
    let any_busy = test.paths.iter().any(|path| is_busy(&path.nic));
    let judge = |path: &LoopbackPath| {
        let is_affinitive = routes.is_affinitive(path, &test.paths);
        let share = share_of_baseline(path);
        if any_busy && !is_affinitive {
            return PathStatus::Open;
        }
        if is_busy(&path.nic) {
            let others = test.paths.iter().filter(|other| {
                other.nic == path.nic
                    && other.endpoint != path.endpoint
                    && routes.is_affinitive(other, &test.paths)
            });
            let best = others.map(share_of_baseline).fold(0.0, f64::max);
            let carries_less = carried_share(test, path).is_some_and(|share| share < 1.0 - ABNORMAL_SHARE);
            return if carries_less || share < (1.0 - ABNORMAL_SHARE) * best {
                PathStatus::Abnormal
            } else {
                PathStatus::Open
            };
        }
        if share < 1.0 - ABNORMAL_SHARE {
            PathStatus::Abnormal
        } else if is_affinitive {
            PathStatus::Normal
        } else {
            PathStatus::Open
        }
    };
    test.paths.iter().map(judge).collect()
}
