//! # SRC015 sku-of-another-chip
//!
//! Severity: warning.
//!
//! `hwsku` is that of a switch with another ASIC than `platform`.
//!
//! ## Why it matters
//!
//! SONiC takes port lanes, buffer templates and the lookup table of headroom from the folder of the SKU below the
//! folder of the platform. The folder does not exist, so the file was written for another switch, and so were its
//! buffers.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DEVICE_METADATA": {
//!     "localhost": {"hostname": "s1", "platform": "x86_64-mlnx_msn2700-r0", "hwsku": "Arista-7060X6-64PE"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set the SKU of the switch, and generate its buffers again.
//!
//! ## Source
//!
//! `get_path_to_hwsku_dir` in
//! [device_info.py](https://github.com/sonic-net/sonic-buildimage/blob/master/src/sonic-py-common/sonic_py_common/device_info.py).

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::asic;
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "SRC015", name: "sku-of-another-chip", severity: Severity::Warning, effect: effect::FILE };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let value = |name| cx.value("DEVICE_METADATA", "localhost", name).unwrap_or_default();
    let (platform, sku) = (value("platform"), value("hwsku"));
    let (Some(of_platform), Some(of_sku)) = (asic::of_device(platform, ""), asic::of_device("", sku)) else {
        return;
    };
    if of_platform.name != of_sku.name {
        let message = format!(
            "platform {platform} has a {}, but SKU {sku} is of a switch with {}",
            of_platform.name, of_sku.name
        );
        cx.report(out, &META, field("DEVICE_METADATA", "localhost", "hwsku"), message);
    }
}
